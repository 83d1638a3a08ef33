/* The two sections of the table of problems, by problems that do nothing: drift marches, on points; still is solved
 * for. Also the formats of fields. */
/* TEST: */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drift.h"
#include "files/csv.h"
#include "files/npy.h"
#include "run/run_private.h"
#include "still.h"

static const rw_problem_ops *const problems[] = {&drift_ops, &still_ops, NULL};
static rw_context *ctx;
static char root[64];

static const char *in(const char *name)
{
    static char path[8][256];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", root, name);
    return path[next];
}

static bool exists(const char *name) { return access(in(name), F_OK) == 0; }

static rw_status run(const char *text, const char *folder, rw_run_options options, rw_run_report *report)
{
    assert_int_equal(rw_file_write(ctx, in("case.yaml"), text, strlen(text)), RW_OK);
    char where[256];
    snprintf(where, sizeof where, "%s", in(folder));
    options.folder = where;
    options.device = "cpu";
    return rw_run_with(ctx, problems, in("case.yaml"), &options, report);
}

static void must_run(const char *text, const char *folder, rw_run_report *report)
{
    if (run(text, folder, (rw_run_options){0}, report) != RW_OK) fail_msg("%s", rw_message(ctx));
}

static void assert_same(const char *a, const char *b)
{
    char *x, *y;
    size_t n, m;
    assert_int_equal(rw_file_read(ctx, in(a), 0, &x, &n), RW_OK);
    assert_int_equal(rw_file_read(ctx, in(b), 0, &y, &m), RW_OK);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    rw_free(x);
    rw_free(y);
}

static bool contains(const char *name, const char *text)
{
    char *data;
    size_t n;
    assert_int_equal(rw_file_read(ctx, in(name), 0, &data, &n), RW_OK);
    const bool found = strstr(data, text);
    rw_free(data);
    return found;
}

static void assert_contains(const char *name, const char *text)
{
    if (!contains(name, text)) fail_msg("'%s' is not in %s", text, name);
}

static void assert_lacks(const char *name, const char *text)
{
    if (contains(name, text)) fail_msg("'%s' is in %s", text, name);
}

#define DRIFT                                                                                                          \
    "problem: drift\npoints: {count: 7}\ntime: {end: 1, step: 0.1}\noutput: {every: 0.5, formats: [hdf5, npy]}\n"
#define STILL_IN(formats)                                                                                              \
    "problem: still\ngrid: {size: [8, 6]}\nsolver: {rtol: 1e-3}\noutput: {every_steps: 4, formats: [" formats "]}\n"
#define STILL STILL_IN("hdf5, vti, vtm")

/* Points have no files for ParaView; pictures, HDF5 and NumPy arrays they have. */
static void test_points(void **state)
{
    (void)state;
    rw_run_report report;
    rw_npy array;
    rw_h5 *file;
    double x[7];
    char *names;
    must_run(DRIFT, "points", &report);
    assert_int_equal(report.outputs, 3);
    assert_true(report.time == 1 && report.tolerance == 0);
    assert_true(exists("points/figures/x-000000.png") && exists("points/figures/y-000002.png"));
    assert_false(exists("points/vti") || exists("points/fields.xdmf"));
    assert_int_equal(rw_npy_read(ctx, in("points/npy/000001-x.npy"), &array), RW_OK);
    assert_int_equal(array.ndim, 1);
    assert_int_equal(array.shape[0], 7);
    for (int i = 0; i < 7; ++i) assert_true(((const double *)array.data)[i] == i);
    rw_npy_free(&array);
    assert_int_equal(rw_h5_open(ctx, in("points/fields.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_get_text(file, "/x", "units", &names), RW_OK);
    assert_string_equal(names, "m");
    rw_free(names);
    assert_true(rw_h5_exists(file, "/point") && rw_h5_exists(file, "/t"));
    double all[21];
    assert_int_equal(rw_h5_read(file, "/x", RW_F64, 2, (const size_t[]){3, 7}, all), RW_OK);
    assert_true(all[20] == 6);
    rw_h5_close(&file);
    assert_int_equal(rw_h5_open(ctx, in("points/fields/000002.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_get_text(file, "/y", "coordinates", &names), RW_OK);
    assert_string_equal(names, "x y");
    rw_free(names);
    assert_int_equal(rw_h5_read(file, "/y", RW_F64, 3, (const size_t[]){1, 1, 7}, x), RW_OK);
    assert_true(x[6] == 6);
    rw_h5_close(&file);
    const rw_plot_options plot = {.output = "unused.png"};
    assert_int_equal(rw_plot_results(ctx, in("points/fields/000002.h5"), &plot, NULL, NULL), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "has fields on points"));
    assert_contains("points/series.csv", "t,step,x_min,x_max,x_mean");
}

/* Curves: (curves, points) in all files. */
static void test_curves(void **state)
{
    (void)state;
    rw_npy array;
    rw_h5 *file;
    double y[3 * 2 * 7];
    must_run(
        "problem: drift\npoints: {count: 7, curves: 2}\ntime: {end: 1}\noutput: {every: 0.5, formats: [hdf5, npy]}\n",
        "curves", NULL);
    assert_true(exists("curves/figures/x-000001.png") && exists("curves/figures/y-000001.png"));
    assert_int_equal(rw_npy_read(ctx, in("curves/npy/000002-y.npy"), &array), RW_OK);
    assert_int_equal(array.ndim, 2);
    assert_true(array.shape[0] == 2 && array.shape[1] == 7);
    for (int i = 0; i < 14; ++i) assert_true(((const double *)array.data)[i] == i % 7 + i / 7);
    rw_npy_free(&array);
    assert_int_equal(rw_h5_open(ctx, in("curves/fields.h5"), &file), RW_OK);
    assert_true(rw_h5_exists(file, "/point") && rw_h5_exists(file, "/curve"));
    assert_int_equal(rw_h5_read(file, "/y", RW_F64, 3, (const size_t[]){3, 2, 7}, y), RW_OK);
    assert_true(y[41] == 7 && y[34] == 6);
    rw_h5_close(&file);
    assert_contains("curves/series.csv", "\n0,0,0,6,3,0,7,3.5");
}

/* Where a value lies, in words. */
static void test_places(void **state)
{
    (void)state;
    const rw_layout layouts[] = {
        {RW_LAYOUT_GRID, .ndim = 2, .size = {4, 3, 1}, .spacing = {0.5, 0.25, 1}, .origin = {0, 1, 0}},
        {RW_LAYOUT_POINTS, .ndim = 2, .size = {12, 1, 1}},
        {RW_LAYOUT_CURVES, .ndim = 3, .size = {4, 3, 1}},
    };
    static const char *const places[] = {"node (1, 2), x = 0.5, y = 1.5", "point 9", "point 1 of curve 2"};
    static const int ranks[] = {2, 1, 2};
    for (int i = 0; i < RW_COUNT(layouts); ++i) {
        rw_text text = {0};
        size_t shape[3];
        rw_layout_place(&layouts[i], 9, &text);
        assert_string_equal(text.data, places[i]);
        rw_text_free(&text);
        assert_int_equal(rw_layout_shape(&layouts[i], shape), ranks[i]);
        assert_int_equal(shape[ranks[i] - 1], layouts[i].size[0]);
        assert_int_equal(rw_layout_count(&layouts[i]), 12);
    }
}

static void test_solution(void **state)
{
    (void)state;
    rw_run_report report;
    must_run(STILL, "solution", &report);
    assert_int_equal(report.step, 10);
    assert_int_equal(report.outputs, 4); /* 0, 4, 8 and the solution */
    assert_true(report.residual == 1.0 / 1024 && report.tolerance == 1e-3);
    assert_contains("solution/series.csv", "iteration,step,u_min,u_max,u_mean\n0,0,0,0,0\n4,4,");
    assert_contains("solution/run.json", "\"residual\": 0.0009765625");
    assert_contains("solution/settings.yaml", "rtol: 1e-3");
    assert_true(exists("solution/vti/000003.vti") && exists("solution/fields.xdmf"));
    /* continued: it is solved, and nothing is added */
    rw_run_options options = {.restart = true};
    if (run(STILL, "solution", options, &report) != RW_OK) fail_msg("%s", rw_message(ctx));
    assert_int_equal(report.step, 10);
    assert_int_equal(report.outputs, 4);
}

static rw_cancel cancel;

static rw_status stop(void *user, const rw_run_progress *p)
{
    if (p->step >= *(int64_t *)user) rw_cancel_request(&cancel);
    return RW_OK;
}

/* Interrupted at the first report and continued, a run has the same rows and fields. */
static void test_interrupted(void **state)
{
    (void)state;
    static const char *const texts[] = {DRIFT, STILL}, *const names[] = {"drift", "still"};
    for (int i = 0; i < 2; ++i) {
        int64_t at = 1;
        char whole[40], part[40], a[80], b[80];
        snprintf(whole, sizeof whole, "%s-whole", names[i]);
        snprintf(part, sizeof part, "%s-part", names[i]);
        must_run(texts[i], whole, NULL);
        rw_cancel_reset(&cancel);
        rw_run_options options = {.cancel = &cancel, .progress = stop, .user = &at};
        assert_int_equal(run(texts[i], part, options, NULL), RW_ERR_INTERRUPTED);
        assert_non_null(strstr(rw_message(ctx), i ? "interrupted at iteration" : "interrupted at t = "));
        if (run(texts[i], part, (rw_run_options){.restart = true}, NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
        snprintf(a, sizeof a, "%s/series.csv", whole);
        snprintf(b, sizeof b, "%s/series.csv", part);
        assert_same(a, b);
    }
}

/* A run that goes on in another format: the index names the files that are there. */
static void test_formats_of_parts(void **state)
{
    (void)state;
    int64_t at = 1;
    double values[4 * 48];
    rw_h5 *file;
    rw_cancel_reset(&cancel);
    rw_run_options options = {.cancel = &cancel, .progress = stop, .user = &at};
    assert_int_equal(run(STILL_IN("npy"), "parts", options, NULL), RW_ERR_INTERRUPTED);
    assert_true(exists("parts/npy/000000-u.npy") && !exists("parts/fields"));
    if (run(STILL_IN("hdf5"), "parts", (rw_run_options){.restart = true}, NULL) != RW_OK)
        fail_msg("%s", rw_message(ctx));
    assert_true(!exists("parts/fields/000000.h5") && exists("parts/fields/000003.h5"));
    assert_contains("parts/fields.xdmf", "fields/000003.h5:/u");
    assert_lacks("parts/fields.xdmf", "fields/000000.h5");
    assert_int_equal(rw_h5_open(ctx, in("parts/fields.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_read(file, "/u", RW_F64, 3, (const size_t[]){4, 6, 8}, values), RW_OK);
    assert_true(isnan(values[0]) && values[4 * 48 - 1] == 0);
    rw_h5_close(&file);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"problem: still\ngrid: {size: [8, 6]}\noutput: {every: 0.1}\n", "the problem still is stationary"},
        {"problem: still\ngrid: {size: [8, 6]}\noutput: {formats: [hdf]}\n", "output.formats: 'hdf' is unknown"},
        {"problem: still\ngrid: {size: [8, 6]}\noutput: {formats: [vtm]}\n", "none of these formats can hold a field"},
        {"problem: still\ngrid: {size: [8, 6]}\nsolver: {rtol: -1}\n", "solver.rtol = -1"},
        {"problem: drift\npoints: {count: 2}\ntime: {end: 1}\noutput: {formats: [vti]}\n", "none of these formats"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        assert_int_equal(run(rows[i].text, "refused", (rw_run_options){0}, NULL), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), rows[i].message)) fail_msg("row %d: %s", i, rw_message(ctx));
        assert_false(exists("refused"));
    }
}

static int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/rechenwerk-problems-XXXXXX");
    return mkdtemp(root) && rw_context_create(&ctx) == RW_OK ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    rw_context_destroy(&ctx);
    return getenv("KEEP") ? 0 : system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),   cmocka_unit_test(test_places),      cmocka_unit_test(test_points),
        cmocka_unit_test(test_solution), cmocka_unit_test(test_interrupted), cmocka_unit_test(test_formats_of_parts),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
