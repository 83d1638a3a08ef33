/* Runs: what lies in the results folder, restart to the same bytes, interruption, kill -9 at any moment, wrong folders
 * and checkpoints, memory, full disks, failing allocations and writes. With a small problem made for it (fake.h). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "../long.h"
#include "core/json.h"
#include "fake.h"
#include "run/run_private.h"

static const rw_problem_ops *const problems[] = {&fake, NULL};
static rw_context *ctx;
static char root[64]; /* a folder of our own, removed at the end */

#define CASE                                                                                                           \
    "problem: fake\n"                                                                                                  \
    "grid: {size: [12, 9], extent: [2, 1.5]}\n"                                                                        \
    "fields: {u: {initial: 1}}\n"                                                                                      \
    "time: {end: 1, step: 0.03}\n"                                                                                     \
    "output: {every: 0.25, series_steps: 5}\n"

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static const char *in(const char *folder, const char *name)
{
    static char path[8][512];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof(path[next]), "%s/%s%s%s", root, folder, *name ? "/" : "", name);
    return path[next];
}

static char *slurp(const char *folder, const char *name, size_t *n)
{
    char *data;
    if (rw_file_read(ctx, in(folder, name), 0, &data, n) != RW_OK) fail_msg("%s", rw_message(ctx));
    return data;
}

static bool exists(const char *folder, const char *name) { return access(in(folder, name), F_OK) == 0; }

static void assert_same(const char *a, const char *b, const char *name)
{
    size_t n, m;
    char *one = slurp(a, name, &n), *two = slurp(b, name, &m);
    if (n != m || memcmp(one, two, n) != 0) fail_msg("%s differs between %s and %s", name, a, b);
    rw_free(one);
    rw_free(two);
}

static void assert_holds(const char *folder, const char *name, const char *text)
{
    size_t n;
    char *data = slurp(folder, name, &n);
    if (!strstr(data, text)) fail_msg("'%s' is not in %s/%s:\n%s", text, folder, name, data);
    rw_free(data);
}

static void assert_message(const char *text)
{
    if (!strstr(rw_message(ctx), text)) fail_msg("'%s' is not in: %s", text, rw_message(ctx));
}

static void write_case(const char *name, const char *text)
{
    assert_int_equal(rw_file_write(ctx, in(name, ""), text, strlen(text)), RW_OK);
}

/* Runs case.yaml of the root into root/folder; settings separated by spaces. */
static rw_status run(const char *folder, const char *settings, rw_run_options options, rw_run_report *report)
{
    char copy[512], results[512];
    const char *set[16];
    snprintf(copy, sizeof(copy), "%s", settings);
    for (char *word = strtok(copy, " "); word && options.nset < 16; word = strtok(NULL, " "))
        set[options.nset++] = word;
    snprintf(results, sizeof(results), "%s", in(folder, ""));
    options.set = set;
    options.folder = results;
    return rw_run_with(ctx, problems, in("case.yaml", ""), &options, report);
}

static void must_run(const char *folder, const char *settings, rw_run_options options)
{
    if (run(folder, settings, options, NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
}

static void erase(const char *folder)
{
    char command[600];
    snprintf(command, sizeof(command), "rm -rf '%s'", in(folder, ""));
    assert_int_equal(system(command), 0);
}

static const rw_json *json_of(const char *folder, rw_json **tree)
{
    size_t n;
    char *text = slurp(folder, "run.json", &n);
    if (rw_json_parse(ctx, text, n, tree) != RW_OK) fail_msg("%s", rw_message(ctx));
    rw_free(text);
    return *tree;
}

static void assert_reason(const char *folder, const char *reason, int exit_code)
{
    rw_json *tree;
    const rw_json *run_json = json_of(folder, &tree);
    assert_string_equal(rw_json_get(run_json, "reason")->string, reason);
    assert_true(rw_json_get(run_json, "exit_code")->number == exit_code);
    rw_json_free(&tree);
}

/* Every file in the folder can be read to its end: the promise after kill -9. */
static void assert_readable(const char *folder)
{
    rw_json *tree;
    rw_csv_table table;
    char name[64];
    if (!exists(folder, "run.json")) return; /* killed before it began */
    json_of(folder, &tree);
    rw_json_free(&tree);
    if (rw_csv_read(ctx, in(folder, "series.csv"), &table) != RW_OK) fail_msg("%s", rw_message(ctx));
    rw_csv_free(&table);
    for (int i = 0; i < 100; i++) {
        double values[12 * 9];
        size_t shape[] = {1, 9, 12};
        rw_h5 *file;
        snprintf(name, sizeof(name), "fields/%06d.h5", i);
        if (!exists(folder, name)) continue;
        if (rw_h5_open(ctx, in(folder, name), &file) != RW_OK) fail_msg("%s", rw_message(ctx));
        if (rw_h5_read(file, "/u", RW_F64, 3, shape, values) != RW_OK) fail_msg("%s", rw_message(ctx));
        rw_h5_close(&file);
    }
    static const char *const files[] = {"fields.h5", "checkpoint.h5"};
    for (int i = 0; i < 2; i++) {
        rw_h5 *file;
        if (!exists(folder, files[i])) continue;
        if (rw_h5_open(ctx, in(folder, files[i]), &file) != RW_OK) fail_msg("%s", rw_message(ctx));
        if (i == 0) assert_true(rw_h5_exists(file, "/u"));
        rw_h5_close(&file);
    }
    if (exists(folder, "log.jsonl")) {
        size_t n;
        char *log = slurp(folder, "log.jsonl", &n);
        assert_true(n == 0 || log[n - 1] == '\n');
        for (char *line = log; *line;) {
            char *end = strchr(line, '\n');
            if (rw_json_parse(ctx, line, (size_t)(end - line), &tree) != RW_OK) fail_msg("%s", rw_message(ctx));
            rw_json_free(&tree);
            line = end + 1;
        }
        rw_free(log);
    }
}

/* The bytes that a restarted run must have in common with the uninterrupted one. (fields.h5 refers
 * to the other files.) */
static void assert_same_results(const char *a, const char *b, int outputs)
{
    char name[64];
    assert_same(a, b, "series.csv");
    for (int i = 0; i < outputs; i++) {
        snprintf(name, sizeof(name), "fields/%06d.h5", i);
        assert_same(a, b, name);
        snprintf(name, sizeof(name), "vti/%06d.vti", i);
        assert_same(a, b, name);
    }
    assert_same(a, b, "fields.xdmf");
    assert_same(a, b, "fields.pvd");
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_results(void **state)
{
    (void)state;
    rw_run_report report;
    erase("a");
    if (run("a", "title=Test", (rw_run_options){0}, &report) != RW_OK) fail_msg("%s", rw_message(ctx));
    assert_string_equal(report.reason, "done");
    assert_string_equal(report.problem, "fake");
    assert_string_equal(report.device, "cpu");
    assert_true(report.time == 1 && report.outputs == 5 && report.step == 36 && report.pictures == 5 * 2 + 2);
    static const char *const files[] = {
        "settings.yaml",
        "run.json",
        "log.jsonl",
        "series.csv",
        "series.json",
        "checkpoint.h5",
        "fields.h5",
        "fields.xdmf",
        "fields.pvd",
        "fields/000004.h5",
        "vti/000000.vti",
        "figures/u-000000.png",
        "figures/v-000004.png",
        "figures/series-mean_u.png",
        "figures/series-steps.png",
    };
    for (int i = 0; i < RW_COUNT(files); i++)
        if (!exists("a", files[i])) fail_msg("%s is missing", files[i]);
    assert_false(exists("a", "fields/000005.h5"));
    assert_reason("a", "done", 0);
    assert_holds("a", "settings.yaml", "title: Test");
    assert_holds("a", "settings.yaml", "# --set title=Test");
    assert_holds("a", "settings.yaml", "case.yaml:4:13\n");
    assert_holds("a", "series.csv", "t,mean(u),steps\n0,");
    assert_holds("a", "log.jsonl", "\"event\": \"start\"");
    assert_holds("a", "log.jsonl", "\"event\": \"end\"");
    assert_readable("a");
    /* rows: outputs at exact times, and each 5 steps, once each */
    rw_csv_table table;
    assert_int_equal(rw_csv_read(ctx, in("a", "series.csv"), &table), RW_OK);
    const double *t = table.columns[0];
    int outputs = 0;
    for (size_t i = 0; i < table.n_rows; i++) {
        outputs += fmod(t[i], 0.25) == 0;
        if (i > 0) assert_true(t[i] > t[i - 1]);
    }
    assert_int_equal(outputs, 5);
    assert_int_equal(table.n_rows, 5 + 3 + 0 * outputs + 4);
    rw_csv_free(&table);
    assert_holds("a", "series.json", "\"name\": \"mean(u)\",\n      \"unit\": \"K\"");
}

/* fields.h5: all outputs as one array, with the coordinates of its axes. */
static void test_index(void **state)
{
    (void)state;
    rw_h5 *file, *output;
    char name[64], *text;
    double t[5], x[12], u[5 * 108], one[108], number;
    rw_dtype type;
    int rank;
    size_t shape[RW_IO_RANK];
    assert_int_equal(rw_h5_open(ctx, in("a", "fields.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_read(file, "/t", RW_F64, 1, (size_t[]){5}, t), RW_OK);
    assert_int_equal(rw_h5_read(file, "/x", RW_F64, 1, (size_t[]){12}, x), RW_OK);
    assert_int_equal(rw_h5_shape(file, "/u", &type, &rank, shape), RW_OK);
    assert_true(type == RW_F64 && rank == 3 && shape[0] == 5 && shape[1] == 9 && shape[2] == 12);
    assert_int_equal(rw_h5_read(file, "/u", RW_F64, 3, shape, u), RW_OK);
    for (int k = 0; k < 5; k++) {
        assert_true(t[k] == 0.25 * k);
        snprintf(name, sizeof name, "fields/%06d.h5", k);
        assert_int_equal(rw_h5_open(ctx, in("a", name), &output), RW_OK);
        assert_int_equal(rw_h5_read(output, "/u", RW_F64, 3, (size_t[]){1, 9, 12}, one), RW_OK);
        assert_memory_equal(u + 108 * k, one, sizeof one);
        assert_int_equal(rw_h5_get_numbers(output, "/", "spacing", 2, one), RW_OK);
        rw_h5_close(&output);
        assert_true(fabs(x[11] - x[0] - 11 * one[0]) < 1e-14);
    }
    static const char *const units[][2] = {{"/t", "s"}, {"/u", "K"}};
    for (int i = 0; i < RW_COUNT(units); i++) {
        assert_int_equal(rw_h5_get_text(file, units[i][0], "units", &text), RW_OK);
        assert_string_equal(text, units[i][1]);
        rw_free(text);
    }
    assert_int_equal(rw_h5_get_text(file, "/x", "CLASS", &text), RW_OK);
    assert_string_equal(text, "DIMENSION_SCALE");
    rw_free(text);
    assert_true(rw_h5_has_attribute(file, "/u", "DIMENSION_LIST"));
    assert_int_equal(rw_h5_get_number(file, "/t", "_Netcdf4Dimid", &number), RW_OK);
    assert_true(number == 0);
    rw_h5_close(&file);
}

static void test_choices_of_output(void **state)
{
    (void)state;
    erase("b");
    must_run("b",
             "output.fields=[u] output.figures=v output.figures_every=last output.vti=no output.every=0 "
             "output.every_steps=10 output.series_steps=0",
             (rw_run_options){0});
    assert_true(exists("b", "fields/000004.h5")); /* steps 0, 10, 20, 30, and the end */
    assert_false(exists("b", "fields/000005.h5"));
    assert_false(exists("b", "vti") || exists("b", "fields.pvd"));
    assert_true(exists("b", "figures/v-000004.png"));
    assert_false(exists("b", "figures/v-000003.png") || exists("b", "figures/u-000004.png"));
    rw_h5 *file;
    assert_int_equal(rw_h5_open(ctx, in("b", "fields/000001.h5"), &file), RW_OK);
    assert_true(rw_h5_exists(file, "/u"));
    assert_false(rw_h5_exists(file, "/v"));
    rw_h5_close(&file);
    erase("b");
    must_run("b", "output.fields=[] output.figures=[]", (rw_run_options){0});
    assert_false(exists("b", "fields") || exists("b", "fields.h5") || exists("b", "figures"));
    erase("b");
    static const char *const bad[][2] = {
        {"output.fields=[u,w]", "output.fields: 'w' is not a field"},
        {"output.figures=mean", "output.figures: 'mean' is not a field"},
        {"output.every=1e-9", "output.every = 1e-09 makes 1e+09 outputs"},
        {"output.limits=[1]", "output.limits = 1 is none of auto, run, frame or [lowest, highest]"},
        {"output.interpolate=1e-3",
         "output.interpolate = 0.001: the problem fake has no dense output: omit this setting"},
        {"output.series={m:1}", "output.series: the problem fake does not have it: omit this setting"},
        {"output.probes={p:1}", "output.probes: the problem fake does not have it: omit this setting"},
        {"output.animation=w output.every=0.5", "output.animation: 'w' is not a field"},
    };
    for (int i = 0; i < RW_COUNT(bad); i++) {
        assert_int_equal(run("b", bad[i][0], (rw_run_options){0}, NULL), RW_ERR_INPUT);
        assert_message(bad[i][1]);
        assert_false(exists("b", "")); /* nothing is left behind */
    }
    /* 1 and 3 dimensions */
    must_run("b", "grid.size=40 output.every=0.5", (rw_run_options){0});
    erase("b");
    must_run("b", "grid.size=[8,7,6] output.every=0.5", (rw_run_options){0});
    erase("b");
}

/* Stops after `steps` steps, as Ctrl-C would; `within`: in the step after them, as where it ends a compiler. */
static rw_cancel cancel;
static int64_t interrupt_step;
static bool within;

static rw_status interrupted_step(rw_problem *p, double t_limit)
{
    if (within && fake_steps(p) == interrupt_step) {
        rw_cancel_request(&cancel);
        return rw_fail(ctx, RW_ERR_INTERRUPTED, "interrupted while a program was compiled");
    }
    rw_status status = fake_step(p, t_limit);
    if (!within && fake_steps(p) == interrupt_step) rw_cancel_request(&cancel);
    return status;
}

static rw_status run_until_step(const char *folder, int64_t step, rw_run_options options)
{
    static rw_problem_ops stopping;
    static rw_march_ops stopping_march;
    static const rw_problem_ops *const list[] = {&stopping, NULL};
    char results[512];
    stopping = fake;
    stopping_march = fake_march;
    stopping_march.step = interrupted_step;
    stopping.march = &stopping_march;
    rw_cancel_reset(&cancel);
    interrupt_step = step;
    snprintf(results, sizeof(results), "%s", in(folder, ""));
    options.folder = results;
    options.cancel = &cancel;
    return rw_run_with(ctx, list, in("case.yaml", ""), &options, NULL);
}

static void test_restart_gives_the_same_bytes(void **state)
{
    (void)state;
    static const int64_t stops[] = {1, 7, 9, 18, 35};
    erase("a");
    must_run("a", "", (rw_run_options){0});
    for (int i = 0; i < RW_COUNT(stops); i += i == 0 && !test_long() ? 3 : 1) { /* short: after 1, 18, 35 steps */
        erase("c");
        assert_int_equal(run_until_step("c", stops[i], (rw_run_options){0}), RW_ERR_INTERRUPTED);
        assert_message("continue with rw_run_options.restart");
        assert_reason("c", "interrupted", 130);
        assert_readable("c");
        if (i % 2) { /* interrupted twice */
            assert_int_equal(run_until_step("c", stops[i] + 1, (rw_run_options){.restart = true}), RW_ERR_INTERRUPTED);
            assert_reason("c", "interrupted", 130);
        }
        must_run("c", "", (rw_run_options){.restart = true});
        assert_reason("c", "done", 0);
        assert_holds("c", "log.jsonl", "\"event\": \"restart\"");
        assert_same_results("a", "c", 5);
    }
    /* a finished run: nothing left to do, and further with a later end */
    must_run("c", "", (rw_run_options){.restart = true});
    assert_same_results("a", "c", 5);
    must_run("c", "time.end=1.5", (rw_run_options){.restart = true});
    assert_true(exists("c", "fields/000006.h5"));
    assert_readable("c");
}

static void test_interrupted_within_a_step(void **state)
{
    (void)state;
    static const int64_t stops[] = {0, 7}; /* the first step: there is no checkpoint yet */
    erase("a");
    must_run("a", "", (rw_run_options){0});
    for (int i = 0; i < RW_COUNT(stops); i++) {
        erase("c");
        within = true;
        assert_int_equal(run_until_step("c", stops[i], (rw_run_options){0}), RW_ERR_INTERRUPTED);
        within = false;
        assert_message("continue with rw_run_options.restart");
        assert_reason("c", "interrupted", 130);
        assert_readable("c");
        must_run("c", "", (rw_run_options){.restart = true});
        assert_same_results("a", "c", 5);
    }
}

static void test_rows_written_after_the_checkpoint_are_cut(void **state)
{
    (void)state;
    erase("a");
    erase("c");
    must_run("a", "", (rw_run_options){0});
    assert_int_equal(run_until_step("c", 12, (rw_run_options){0}), RW_ERR_INTERRUPTED);
    FILE *file = fopen(in("c", "series.csv"), "a"); /* as a run killed later would have left them */
    assert_non_null(file);
    fputs("0.5,1,17\n0.6,1,", file);
    fclose(file);
    file = fopen(in("c", "log.jsonl"), "a");
    fputs("{\"half\":", file);
    fclose(file);
    file = fopen(in("c", "fields/000003.h5.123-4.tmp"), "w");
    fclose(file);
    file = fopen(in("c", "run.files"), "a"); /* recorded before it was begun */
    fputs("fields/000003.h5\nfields/0000", file);
    fclose(file);
    file = fopen(in("c", "fields/mine.h5.123-4.tmp"), "w"); /* of somebody else */
    fclose(file);
    must_run("c", "", (rw_run_options){.restart = true});
    assert_true(exists("c", "fields/mine.h5.123-4.tmp"));
    assert_same_results("a", "c", 5);
    assert_readable("c");
    assert_false(exists("c", "fields/000003.h5.123-4.tmp"));
}

static void test_folders(void **state)
{
    (void)state;
    rw_run_options restart = {.restart = true}, force = {.force = true};
    erase("a");
    must_run("a", "", (rw_run_options){0});
    assert_int_equal(run("a", "", (rw_run_options){0}, NULL), RW_ERR_INPUT);
    assert_message("is not empty");
    assert_message("rw_run_options.restart");
    assert_reason("a", "done", 0); /* untouched */
    /* force removes what runs write, and nothing else */
    write_case("a/notes.txt", "mine");
    write_case("a/fields/mine.txt", "mine");
    must_run("a", "time.end=0.3", force);
    assert_true(exists("a", "notes.txt") && exists("a", "fields/mine.txt"));
    assert_true(exists("a", "fields/000002.h5"));
    assert_false(exists("a", "fields/000003.h5") || exists("a", "figures/u-000003.png"));
    /* nothing to continue from */
    assert_int_equal(run("nowhere", "", restart, NULL), RW_ERR_INPUT);
    assert_message("nothing to continue");
    assert_int_equal(mkdir(in("empty", ""), 0777), 0);
    assert_int_equal(run("empty", "", restart, NULL), RW_ERR_INPUT);
    assert_message("has no checkpoint.h5");
    must_run("empty", "", (rw_run_options){0}); /* an empty folder is fine */
    /* results without a checkpoint are never begun again without --force */
    assert_int_equal(unlink(in("empty", "checkpoint.h5")), 0);
    assert_int_equal(run("empty", "", restart, NULL), RW_ERR_INPUT);
    assert_message("has no checkpoint.h5 to continue from: begin again with rw_run_options.force");
    assert_true(exists("empty", "fields/000003.h5"));
    must_run("empty", "", force);
    /* a file in the way */
    write_case("file", "x");
    assert_int_equal(run("file", "", (rw_run_options){0}, NULL), RW_ERR_FILE);
    assert_message("Not a directory");
    assert_int_equal(run("file/below", "", (rw_run_options){0}, NULL), RW_ERR_FILE);
    assert_message("choose another folder with rw_run_options.folder");
    erase("empty");
}

static void test_checkpoints_of_others(void **state)
{
    (void)state;
    rw_run_options restart = {.restart = true};
    size_t n;
    erase("a");
    must_run("a", "", (rw_run_options){0});
    assert_int_equal(run("a", "grid.extent=[3,1.5]", restart, NULL), RW_ERR_INPUT);
    assert_message("is the checkpoint of another case: grid.extent: [2, 1.5] in the checkpoint, [3, 1.5] in the case");
    must_run("a", "time.step=0.02", restart); /* how the rest is computed may change */
    assert_reason("a", "done", 0);
    char *whole = slurp("a", "checkpoint.h5", &n);
    for (size_t cut = 0; cut < n; cut += n / 7 + 1) { /* truncated */
        assert_int_equal(rw_file_write(ctx, in("a", "checkpoint.h5"), whole, cut), RW_OK);
        assert_int_equal(run("a", "", restart, NULL), RW_ERR_INPUT);
        assert_message("cannot continue");
        assert_message("checkpoint.h5");
    }
    whole[n / 2] ^= 1; /* changed: either caught by a checksum, or in a byte that does not count */
    assert_int_equal(rw_file_write(ctx, in("a", "checkpoint.h5"), whole, n), RW_OK);
    rw_status status = run("a", "", restart, NULL);
    assert_true(status == RW_OK || status == RW_ERR_INPUT);
    rw_free(whole);
    /* HDF5, but no checkpoint */
    erase("a");
    must_run("a", "", (rw_run_options){0});
    whole = slurp("a", "fields/000000.h5", &n);
    assert_int_equal(rw_file_write(ctx, in("a", "checkpoint.h5"), whole, n), RW_OK);
    rw_free(whole);
    assert_int_equal(run("a", "", restart, NULL), RW_ERR_INPUT);
    assert_message("is not a checkpoint");
    /* a field that lies in another file: whatever its name is, it is no state of this run */
    erase("a");
    must_run("a", "", (rw_run_options){0});
    hid_t file = H5Fopen(in("a", "checkpoint.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && H5Lmove(file, fake_names[0], file, "moved", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("checkpoint.h5", "/moved", file, fake_names[0], H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(run("a", "", restart, NULL), RW_ERR_INPUT);
    assert_message("is a link to another file, 'checkpoint.h5'");
    /* the series is shorter than the checkpoint says */
    erase("a");
    must_run("a", "", (rw_run_options){0});
    assert_int_equal(truncate(in("a", "series.csv"), 30), 0);
    assert_int_equal(run("a", "", restart, NULL), RW_ERR_INPUT);
    assert_message("series.csv");
}

static void test_not_finite(void **state)
{
    (void)state;
    erase("d");
    assert_int_equal(run("d", "time.nan_at=0.6 checkpoint.steps=10", (rw_run_options){0}, NULL), RW_ERR_NOT_CONVERGED);
    assert_message("'mean(u)' is not a number at t = 0.");
    assert_message("the last good state is in checkpoint.h5, t = 0.");
    assert_message("; u is not a number at node (0, 0), x = 0, y = 0");
    assert_reason("d", "not_finite", 3);
    assert_readable("d");
    rw_h5 *file;
    double t;
    assert_int_equal(rw_h5_open(ctx, in("d", "checkpoint.h5"), &file), RW_OK);
    rw_h5_get_number(file, "/", "time", &t);
    assert_true(t < 0.61);
    rw_h5_close(&file);
}

static void test_memory(void **state)
{
    (void)state;
    erase("e");
    rw_fault_set(RW_FAULT_DEVICE_ALLOC, 0);
    assert_int_equal(run("e", "grid.size=[1000000,1000000,1000]", (rw_run_options){0}, NULL), RW_ERR_MEMORY);
    assert_int_equal(rw_fault_events(RW_FAULT_DEVICE_ALLOC), 0); /* refused before anything was allocated */
    assert_message("needs 14.2 PiB on cpu");
    assert_message("free: choose a smaller size");
    assert_false(exists("e", ""));
    assert_int_equal(run("e", "device=cuda:77", (rw_run_options){0}, NULL), RW_ERR_DEVICE);
    if (!strstr(rw_message(ctx), "no CUDA device: ")) assert_message("cuda:77"); /* why, or which there are */
    assert_false(exists("e", ""));
    assert_int_equal(run("e", "", (rw_run_options){.device = "cpuu"}, NULL), RW_ERR_DEVICE);
    assert_message("cpu");
}

/* Each allocation, then each write, fails once: a status and a message; and the folder can be continued or replaced. */
static void inject(rw_fault kind, const char *settings, long most)
{
    rw_status status = RW_ERR_FILE;
    long n = 1;
    for (; status != RW_OK && n < most; n += test_long() ? 1 : 1 + n / 10) {
        erase("f");
        rw_run_report report;
        rw_fault_set(kind, n);
        status = run("f", settings, (rw_run_options){0}, &report);
        rw_fault_set(kind, 0);
        assert_int_equal(strcmp(report.reason, "done") == 0, status == RW_OK);
        if (status == RW_OK) break;
        if (status != RW_ERR_MEMORY && status != RW_ERR_FILE) fail_msg("%ld: %s", n, rw_message(ctx));
        assert_true(*rw_message(ctx));
        assert_readable("f");
        rw_status again = exists("f", "checkpoint.h5") ? run("f", settings, (rw_run_options){.restart = true}, NULL)
                                                       : run("f", settings, (rw_run_options){.force = true}, NULL);
        if (again != RW_OK) fail_msg("after fault %ld: %s", n, rw_message(ctx));
        assert_same_results("a", "f", 2);
    }
    assert_true(status == RW_OK);
}

static void test_faults(void **state)
{
    (void)state;
    const char *settings = "output.figures=[] output.every=0.5 time.end=0.5 checkpoint.steps=6";
    erase("a");
    must_run("a", settings, (rw_run_options){0});
    inject(RW_FAULT_WRITE, settings, 1000);
    inject(RW_FAULT_ALLOC, settings, 20000);
}

/* A child that runs with a limit on the size of files: what a full disk looks like to one file. */
static void test_full_disk(void **state)
{
    (void)state;
    const char *settings = "grid.size=[40,40] checkpoint.steps=4";
    erase("a");
    erase("g");
    must_run("a", settings, (rw_run_options){0});
    for (rlim_t limit = 1000; limit < 40000; limit += 7000) {
        erase("g");
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
            _exit(run("g", settings, (rw_run_options){0}, NULL) == RW_ERR_FILE ? 0 : 1);
        }
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
        if (!exists("g", "run.json")) continue;
        must_run("g", settings,
                 (rw_run_options){.force = !exists("g", "checkpoint.h5"), .restart = exists("g", "checkpoint.h5")});
        assert_same("a", "g", "series.csv");
    }
}

/* As somebody who may not write there (root may, so it becomes nobody). */
static void test_read_only_folder(void **state)
{
    (void)state;
    erase("h");
    assert_int_equal(mkdir(in("h", ""), 0555), 0);
    assert_int_equal(chmod(root, 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(77);
        bool refused = run("h", "", (rw_run_options){0}, NULL) == RW_ERR_FILE;
        refused =
            refused && strstr(rw_message(ctx), "Permission denied") && strstr(rw_message(ctx), "rw_run_options.folder");
        bool below = run("h/new", "", (rw_run_options){0}, NULL) == RW_ERR_FILE;
        _exit(refused && below ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 77) skip();
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

/* A run that stays in its first step. */
static rw_status hold(void *user, const rw_run_progress *p)
{
    (void)user, (void)p;
    pause();
    return RW_OK;
}

static void test_two_runs_in_one_folder(void **state)
{
    (void)state;
    erase("i");
    pid_t child = fork();
    if (child == 0) {
        run("i", "time.slow=yes time.step=0.0005", (rw_run_options){.progress = hold}, NULL);
        _exit(0);
    }
    while (!exists("i", "run.json") && waitpid(child, NULL, WNOHANG) == 0) usleep(10000);
    assert_int_equal(run("i", "time.slow=yes time.step=0.0005", (rw_run_options){.force = true}, NULL), RW_ERR_FILE);
    assert_message("another run is writing into it");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_readable("i");
}

static void test_kill_at_any_moment(void **state)
{
    (void)state;
    const char *settings = "time.slow=yes time.step=0.002 checkpoint.steps=20 output.every=0.05 output.figures=[]";
    erase("a");
    must_run("a", settings, (rw_run_options){0});
    int kills = 0;
    for (int round = 0; round < (test_long() ? 6 : 2); round++) {
        erase("k");
        for (int tries = 0; tries < 200; tries++) {
            pid_t child = fork();
            if (child == 0) {
                bool begun = exists("k", "run.json");
                rw_status status = run("k", settings, (rw_run_options){.restart = begun, .force = !begun}, NULL);
                if (status != RW_OK) fprintf(stderr, "%s\n", rw_message(ctx));
                _exit(status == RW_OK ? 0 : 1);
            }
            /* longer from try to try, so that a run comes to its end however slow the machine is */
            usleep((useconds_t)(rw_random_uniform(7, (uint64_t)(round * 1000 + tries)) * 25000 * (10 + tries)));
            kill(child, SIGKILL);
            int result;
            waitpid(child, &result, 0);
            assert_readable("k");
            if (WIFEXITED(result)) {
                assert_int_equal(WEXITSTATUS(result), 0);
                break;
            }
            kills++;
        }
        assert_same_results("a", "k", 21);
    }
    assert_true(kills > (test_long() ? 6 : 1));
}

static rw_status count_call(void *user, const rw_run_progress *p)
{
    assert_true(p->time >= 0 && p->time <= p->end && p->end == 1 && p->step >= 0);
    ++*(int *)user;
    return RW_OK;
}

static void test_progress(void **state)
{
    (void)state;
    int calls = 0;
    erase("j");
    must_run("j", "time.slow=yes time.step=0.001 output.figures=[]",
             (rw_run_options){.progress = count_call, .user = &calls});
    assert_true(calls >= 2 && calls < 100);
}

static rw_status refuse(void *user, const rw_run_progress *p)
{
    if (p->step < 2) return RW_OK;
    ++*(int *)user;
    return rw_context_fail(ctx, RW_ERR_INPUT, "the sensor has failed");
}

/* A progress function that fails ends the run after the step with its status and message; the run can be continued. */
static void test_progress_stops(void **state)
{
    (void)state;
    static const char settings[] = "time.slow=yes time.step=0.001 output.figures=[]";
    int calls = 0;
    rw_run_report report;
    erase("k");
    assert_int_equal(run("k", settings, (rw_run_options){.progress = refuse, .user = &calls}, &report), RW_ERR_INPUT);
    assert_string_equal(rw_message(ctx), "the sensor has failed");
    assert_true(calls >= 1 && report.step >= 2 && report.time < 1);
    must_run("k", settings, (rw_run_options){.restart = true});
}

static int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/rechenwerk-run-XXXXXX");
    if (!mkdtemp(root) || rw_context_create(&ctx) != RW_OK) return 1;
    write_case("case.yaml", CASE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    rw_context_destroy(&ctx);
    return getenv("KEEP") ? 0 : system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_choices_of_output),
        cmocka_unit_test(test_restart_gives_the_same_bytes),
        cmocka_unit_test(test_interrupted_within_a_step),
        cmocka_unit_test(test_rows_written_after_the_checkpoint_are_cut),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_checkpoints_of_others),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_read_only_folder),
        cmocka_unit_test(test_two_runs_in_one_folder),
        cmocka_unit_test(test_kill_at_any_moment),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_stops),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
