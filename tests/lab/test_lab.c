/* The laboratory: what it refuses, that every format can be read back, and the study `rock4` against its references. */
/* TEST: optimised */
#include <math.h>
#include <unistd.h>

#include "../devices.h"
#include "core/json.h"
#include "files/csv.h"
#include "lab/lab.h"

static const char *const one_thread[] = {"cpu:1"};
static const char *const two[] = {"cpu:1", "cpu:2"};

static rw_lab *run_with(const char *const *devices, int ndevices, const char *const *set, int nset, const char *table)
{
    const rw_lab_spec spec =
        {.study = "rock4", .devices = devices, .ndevices = ndevices, .set = set, .nset = nset, .table = table};
    rw_lab *lab;
    OK(rw_lab_run(ctx, &spec, &lab));
    return lab;
}

static double value(const rw_lab *lab, const char *table, int row, const char *column)
{
    double x = rw_lab_value(lab, table, row, column);
    if (isnan(x)) fail_msg("no %s in row %d of %s", column, row, table);
    return x;
}

static void test_list(void **state)
{
    (void)state;
    int n;
    const rw_lab_entry *const *list = rw_lab_list(&n);
    assert_true(n >= 1);
    assert_string_equal(list[0]->name, "rock4");
    for (int i = 0; i < n; ++i) {
        assert_true(list[i]->ntables >= 1 && list[i]->title && list[i]->question && list[i]->source);
        assert_true(list[i]->nparameters <= 32);
        for (int k = 0; k < i; ++k) assert_string_not_equal(list[i]->name, list[k]->name);
    }
}

/* Defaults are within their own limits, units and names are such as the reader of CSV takes. */
static void test_tables_of_studies(void **state)
{
    static const rw_study *const studies[] = {
#define RW_X(name) &rw_study_##name,
#include "lab/lab.def"
#undef RW_X
    };
    (void)state;
    for (int i = 0; i < RW_COUNT(studies); ++i) {
        rw_lab lab = {.ctx = ctx, .study = studies[i]};
        OK(rw_lab_read_settings(&lab, &(rw_lab_spec){0}));
        rw_free(lab.settings);
        for (int t = 0; t < studies[i]->entry.ntables; ++t)
            for (int c = 0; c < studies[i]->tables[t].ncolumns; ++c) {
                const rw_lab_column *column = studies[i]->tables[t].columns + c;
                if (!column->name || !column->unit || strpbrk(column->unit, ",#\n") || strpbrk(column->name, ",#\"\n"))
                    fail_msg("%s, table %d, column %d: no name or unit, or one that CSV does not take",
                             studies[i]->entry.name, t, c);
            }
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *set, *message;
    } rows[] = {{"size=16", "nearest is sizes"},
                {"zzz=16", "known are sizes, tol"},
                {"sizes", "give NAME=VALUE, such as sizes=16"},
                {"sizes=3", "sizes = 3 is outside [4, 4096]"},
                {"sizes=16,", "sizes = \"\" is empty"},
                {"sizes=16.5", "sizes = 16.5 is not an integer"},
                {"sizes=16;32", "sizes = 16;32 is not an integer"},
                {"sizes=", "sizes = \"\" is empty"},
                {"tol=nan", "tol = nan is not a number"},
                {"tol=1e-3,1e-4", "is not a number"},
                {"tol=1e-3x", "is not a number"},
                {"advection=upwind", "none of forward, central"},
                {"advection=forward|central", "none of forward, central"},
                {"compat=yes", "none of false, true"},
                {"runs=0", "runs = 0 is outside [1, 1000]"}};
    rw_lab *lab = NULL;
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_lab_spec spec = {.study = "rock4", .devices = one_thread, .ndevices = 1, .set = &rows[i].set, .nset = 1};
        FAILS(RW_ERR_ARGUMENT, rows[i].message, rw_lab_run(ctx, &spec, &lab));
        assert_null(lab);
    }
    FAILS(RW_ERR_ARGUMENT, "study 'rock' is unknown; nearest is rock4",
          rw_lab_run(ctx, &(rw_lab_spec){.study = "rock"}, &lab));
    FAILS(RW_ERR_ARGUMENT, "nearest is work",
          rw_lab_run(ctx, &(rw_lab_spec){.study = "rock4", .table = "works"}, &lab));
    static const char *const both[] = {"compat=true", "advection=central"}, *const twice[] = {"cpu:1", "cpu:1"};
    static const char *const none[] = {"cpuu"};
    FAILS(RW_ERR_ARGUMENT, "compat=false",
          rw_lab_run(ctx,
                     &(rw_lab_spec){.study = "rock4", .devices = one_thread, .ndevices = 1, .set = both, .nset = 2},
                     &lab));
    FAILS(RW_ERR_ARGUMENT, "given twice",
          rw_lab_run(ctx, &(rw_lab_spec){.study = "rock4", .devices = twice, .ndevices = 2}, &lab));
    FAILS(RW_ERR_DEVICE, "cpuu",
          rw_lab_run(ctx, &(rw_lab_spec){.study = "rock4", .devices = none, .ndevices = 1}, &lab));
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

/* Reference solutions within 50 tolerances, symmetric, the same on both devices, published values in their places. */
static void test_rock4(void **state)
{
    static const char *const set[] = {"sizes=16,32,64", "runs=1"};
    const double tol = 1e-6;
    (void)state;
    if (!test_long()) skip();
    rw_lab *lab = run_with(two, 2, set, 2, NULL);
    assert_int_equal(rw_lab_rows(lab, "times"), 3);
    assert_int_equal(rw_lab_rows(lab, "work"), 6);
    assert_int_equal(rw_lab_rows(lab, "precision"), 8);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(value(lab, "work", i, "N"), 16 << i / 2);
        assert_int_equal(value(lab, "work", i, "device"), i % 2);
        assert_true(value(lab, "work", i, "error at N/2") < 50 * tol && value(lab, "work", i, "error mean") < 50 * tol);
        assert_true(i < 2 || value(lab, "work", i, "error at N/4") < 50 * tol);
        assert_true(value(lab, "work", i, "asymmetry") < 50 * tol && value(lab, "work", i, "rejected") <= 2);
        assert_true(i % 2 ? value(lab, "work", i, "difference") < 50 * tol
                          : isnan(rw_lab_value(lab, "work", i, "difference")));
    }
    assert_true(isnan(rw_lab_value(lab, "work", 0, "error at N/4")));
    assert_true(value(lab, "times", 2, "published CPU") == 0.893 && value(lab, "times", 2, "published GPU") == 0.134);
    assert_true(value(lab, "times", 1, "steps cpu:1") == value(lab, "work", 2, "steps"));
    rw_lab_destroy(&lab);
}

/* A clock that gains speed from call to call. */
static double hurry(void)
{
    static int64_t calls;
    const double n = (double)__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return 1e-9 * n * n;
}

/* By such a clock the last device is the slowest: a speedup is the time of the first divided by that of the last. */
static void test_speedup(void **state)
{
    static const char *const set[] = {"sizes=16", "runs=1"};
    static const rw_clock clock = {.seconds = hurry};
    (void)state;
    rw_clock_set(&clock);
    rw_lab *lab = run_with(two, 2, set, 2, "times");
    rw_clock_set(NULL);
    const double first = value(lab, "times", 0, "seconds cpu:1"), last = value(lab, "times", 0, "seconds cpu:2"),
                 speedup = value(lab, "times", 0, "speedup");
    if (!(first < last && speedup < 1 && fabs(speedup * last - first) < 1e-9 * first))
        fail_msg("%g s, %g s, speedup %g", first, last, speedup);
    rw_lab_destroy(&lab);
}

/* Single precision: the error estimate meets rounding, and steps collapse; the tolerance is still kept in double. */
static void test_precision(void **state)
{
    (void)state;
    rw_lab *lab = run_with(one_thread, 1, NULL, 0, "precision");
    assert_int_equal(rw_lab_rows(lab, "times"), 0);
    for (int i = 0; i < 8; i += 2) {
        double tol = value(lab, "precision", i, "tolerance");
        assert_true(value(lab, "precision", i, "bits") == 64 && value(lab, "precision", i + 1, "bits") == 32);
        assert_true(value(lab, "precision", i, "error") < 50 * tol);
        assert_true(value(lab, "precision", i + 1, "rhs") > 1.4 * value(lab, "precision", i, "rhs"));
        assert_true(value(lab, "precision", i + 1, "rhs") < 1.05 * value(lab, "precision", i + 1, "reference rhs"));
    }
    rw_lab_destroy(&lab);
}

static void test_compat_and_central(void **state)
{
    static const char *const forward[] = {"sizes=64", "runs=1"},
                             *const compat[] = {"sizes=64", "runs=1", "compat=true"},
                             *const central[] = {"sizes=64", "runs=1", "advection=central"};
    (void)state;
    rw_lab *lab = run_with(one_thread, 1, forward, 2, "work");
    double rhs = value(lab, "work", 0, "rhs"), rejected = value(lab, "work", 0, "rejected");
    rw_lab_destroy(&lab);
    lab = run_with(one_thread, 1, compat, 3, "work");
    assert_true(value(lab, "work", 0, "rhs") > 6 * rhs && value(lab, "work", 0, "rejected") > rejected + 200);
    assert_true(value(lab, "work", 0, "error at N/2") < 50e-6);
    rw_lab_destroy(&lab);
    lab = run_with(one_thread, 1, central, 3, "work");
    assert_true(value(lab, "work", 0, "error at N/4") < 50e-6 && value(lab, "work", 0, "error mean") < 50e-6);
    rw_lab_destroy(&lab);
}

/* The published radius and the published choice of stages, each alone and both: hundreds of rejected steps with both,
 * as another program with the published coefficients had them; and why: the rule exceeds the stability interval of few
 * stages. */
static void test_published_rules(void **state)
{
    (void)state;
    rw_lab *lab = run_with(one_thread, 1, NULL, 0, "rules");
    assert_int_equal(rw_lab_rows(lab, "rules"), 4);
    for (int i = 0; i < 4; ++i) {
        assert_true(value(lab, "rules", i, "radius") == (i < 2 ? 7620 : 6620));
        assert_string_equal(lab->names[(int)value(lab, "rules", i, "stages by")].text, i % 2 ? "0.35 s^2" : "interval");
        assert_true(value(lab, "rules", i, "error") < 5e-6);
        /* near instability roundings decide */
        if (i < 2) assert_true(value(lab, "rules", i, "rejected") <= (i ? 20 : 2));
        else {
            double rhs = value(lab, "rules", i, "rhs"), theirs = value(lab, "rules", i, "reference rhs"),
                   rejected = value(lab, "rules", i, "rejected");
            assert_true(fabs(rhs / theirs - 1) < 0.15 && rejected > 0.8 * value(lab, "rules", i, "reference rejected"));
        }
    }
    assert_true(value(lab, "rules", 3, "rhs") > 6 * value(lab, "rules", 0, "rhs"));
    rw_lab_destroy(&lab);
    lab = run_with(one_thread, 1, NULL, 0, "stages");
    for (int i = 0; i < rw_lab_rows(lab, "stages"); ++i) {
        double s = value(lab, "stages", i, "stages"), interval = value(lab, "stages", i, "interval"),
               rule = value(lab, "stages", i, "0.35 s^2");
        assert_true(fabs(rule - 0.35 * s * s) < 1e-12 * rule);
        assert_true(fabs(interval / value(lab, "stages", i, "published interval") - 1) < 0.006);
        assert_true((rule > interval) == (value(lab, "stages", i, "growth") > 1) && (rule > interval) == (s < 30));
    }
    assert_true(rw_lab_rows(lab, "stages") >= 10 && value(lab, "stages", 0, "rule/interval") > 1.4);
    rw_lab_destroy(&lab);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static char *text_of(const rw_lab *lab, const char *table, rw_lab_format format)
{
    char *text;
    OK(rw_lab_write(lab, table, format, &text));
    return text;
}

static void check_csv(const rw_lab *lab, const char *table)
{
    rw_csv_table csv;
    char *text = text_of(lab, table, RW_LAB_CSV);
    OK(rw_csv_parse(ctx, table, text, strlen(text), &csv));
    assert_int_equal(csv.n_rows, rw_lab_rows(lab, table));
    for (int c = 0; c < csv.n_columns; ++c)
        for (size_t i = 0; i < csv.n_rows; ++i) {
            double x = rw_lab_value(lab, table, (int)i, csv.names[c]), y = csv.columns[c][i];
            if (!(x == y || (isnan(x) && isnan(y))))
                fail_msg("%s, %s, row %d: %g, not %g", table, csv.names[c], (int)i, y, x);
        }
    if (!strcmp(table, "times")) assert_string_equal(csv.units[1], "s");
    rw_csv_free(&csv);
    free(text);
}

static void check_json(const rw_lab *lab)
{
    rw_json *tree;
    char *text = text_of(lab, NULL, RW_LAB_JSON);
    OK(rw_json_parse(ctx, text, strlen(text), &tree));
    assert_string_equal(rw_json_get(tree, "study")->string, "rock4");
    assert_string_equal(rw_json_get(rw_json_get(tree, "parameters"), "sizes")->string, "8,16");
    const rw_json *tables = rw_json_get(tree, "tables"), *work = tables->items[1],
                  *row = rw_json_get(work, "rows")->items[2];
    assert_int_equal(tables->n, 5);
    assert_string_equal(rw_json_get(row, "device")->string, "cpu:1");
    assert_true(rw_json_get(row, "rhs")->number == rw_lab_value(lab, "work", 2, "rhs"));
    assert_int_equal(rw_json_get(row, "difference")->kind, RW_JSON_NULL);
    rw_json_free(&tree);
    free(text);
}

/* Every line of a Markdown table has as many cells as its head. */
static void check_markdown(const rw_lab *lab)
{
    char *text = text_of(lab, NULL, RW_LAB_MARKDOWN);
    int bars = 0, lines = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        int n = 0;
        for (const char *p = line; *line == '|' && *p; ++p) n += *p == '|';
        if (n && bars) assert_int_equal(n, bars);
        bars = n, lines += n > 0;
    }
    assert_int_equal(lines, 5 * 2 + 2 + 4 + 8 + 4 + 11);
    free(text);
}

static void check_text(const rw_lab *lab)
{
    char *text = text_of(lab, NULL, RW_LAB_TEXT);
    assert_non_null(strstr(text, "sizes=8,16"));
    assert_non_null(strstr(text, "Work and agreement"));
    for (const char *p = text; (p = strchr(p, '\n')); ++p) assert_true(p == text || p[-1] != ' ');
    free(text);
}

static void test_formats(void **state)
{
    static const char *const set[] = {"sizes=8,16", "runs=1", "tol=1e-3"};
    (void)state;
    rw_lab *lab = run_with(two, 2, set, 3, NULL);
    check_csv(lab, "times"), check_csv(lab, "work"), check_csv(lab, "precision");
    check_json(lab), check_markdown(lab), check_text(lab);
    char *text = NULL;
    FAILS(RW_ERR_ARGUMENT, "nearest is times", rw_lab_write(lab, "time", RW_LAB_CSV, &text));
    assert_null(text);
    rw_lab_destroy(&lab);
}

static void count(void *user, const char *path)
{
    assert_int_equal(access(path, R_OK), 0);
    ++*(int *)user;
}

static void test_folder(void **state)
{
    static const char *const set[] = {"sizes=8,16", "runs=1", "tol=1e-3"};
    char folder[] = "/tmp/rechenwerk-lab-XXXXXX", inside[64], command[96];
    int written = 0;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(inside, sizeof inside, "%s/a/b", folder);
    rw_lab *lab = run_with(two, 2, set, 3, NULL);
    OK(rw_lab_save(lab, inside, count, &written));
    assert_int_equal(written, 3 + 5 + 3 + 2); /* texts, tables, curves, a plane and its surface */
    snprintf(command, sizeof command, "%s/rock4-solution-surface.png", inside);
    assert_int_equal(access(command, R_OK), 0);
    FAILS(RW_ERR_FILE, "/dev/null", rw_lab_save(lab, "/dev/null/x", NULL, NULL));
    rw_lab_destroy(&lab);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void keep(void *user, const char *text) { snprintf(user, 160, "%s", text); }

/* What is said before each piece of work. */
static void test_progress(void **state)
{
    static const char *const set[] = {"sizes=8", "runs=1"};
    char last[160] = "";
    (void)state;
    rw_lab *lab;
    const rw_lab_spec spec = {.study = "rock4",
                              .devices = one_thread,
                              .ndevices = 1,
                              .set = set,
                              .nset = 2,
                              .table = "work",
                              .progress = keep,
                              .user = last};
    OK(rw_lab_run(ctx, &spec, &lab));
    assert_string_equal(last, "N = 8, tolerance 1e-06, f64, on cpu:1");
    rw_lab_destroy(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_tables_of_studies),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_rock4),
                                       cmocka_unit_test(test_speedup),
                                       cmocka_unit_test(test_precision),
                                       cmocka_unit_test(test_compat_and_central),
                                       cmocka_unit_test(test_published_rules),
                                       cmocka_unit_test(test_formats),
                                       cmocka_unit_test(test_folder),
                                       cmocka_unit_test(test_progress)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("lab", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
