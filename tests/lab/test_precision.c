/* The study `precision`: points and references of the reaction front, a table of another program, and what it
 * refuses. */
/* TEST: optimised */
#include <math.h>
#include <unistd.h>

#include "../devices.h"
#include "files/csv.h"
#include "lab/precision.h"

static const char *const one_thread[] = {"cpu:1"};
static char folder[64];

#define HEAD "problem,method,rtol,steps,rejected,rhs,stages,error,seconds\n"

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    OK(rw_file_write(ctx, path_of(name), text, strlen(text)));
}

static rw_status run_with(const char *const *set, int nset, const char *table, rw_lab **lab)
{
    const rw_lab_spec spec =
        {.study = "precision", .devices = one_thread, .ndevices = 1, .set = set, .nset = nset, .table = table};
    return rw_lab_run(ctx, &spec, lab);
}

static double value(const rw_lab *lab, const char *table, int row, const char *column)
{
    double x = rw_lab_value(lab, table, row, column);
    if (isnan(x)) fail_msg("no %s in row %d of %s", column, row, table);
    return x;
}

static const char *word(const rw_lab *lab, const char *table, int row, const char *column)
{
    return lab->names[(int)value(lab, table, row, column)].text;
}

/* ---- our methods ------------------------------------------------------------------------------------------------- */

/* Rows of one method, tolerances falling whatever their order in the parameter. */
static void check_curve(const rw_lab *lab, const char *method, int first, int n)
{
    for (int i = first; i < first + n; ++i) {
        assert_string_equal(word(lab, "work", i, "problem"), "front");
        assert_string_equal(word(lab, "work", i, "method"), method);
        double tol = value(lab, "work", i, "tolerance"), error = value(lab, "work", i, "error");
        assert_true(error > tol / 30 && error < 300 * tol);
        assert_true(value(lab, "work", i, "seconds") > 0 && value(lab, "work", i, "stages") >= 5);
        if (i == first) continue;
        assert_true(tol < value(lab, "work", i - 1, "tolerance") && error < value(lab, "work", i - 1, "error"));
        assert_true(value(lab, "work", i, "rhs") > value(lab, "work", i - 1, "rhs"));
        assert_true(value(lab, "work", i, "steps") > value(lab, "work", i - 1, "steps"));
    }
}

static void test_curves(void **state)
{
    static const char *const set[] = {"problems=front", "methods=rkc2,rock4", "tolerances=1e-6,1e-2,1e-4", "runs=1",
                                      "error=1e-3"};
    (void)state;
    rw_lab *lab;
    OK(run_with(set, RW_COUNT(set), NULL, &lab));
    assert_int_equal(rw_lab_rows(lab, "references"), 1);
    assert_true(value(lab, "references", 0, "difference") < 1e-11);
    assert_int_equal(rw_lab_rows(lab, "work"), 6);
    check_curve(lab, "rkc2", 0, 3), check_curve(lab, "rock4", 3, 3);
    assert_int_equal(rw_lab_rows(lab, "summary"), 2);
    for (int i = 0; i < 2; ++i) {
        double rhs = value(lab, "summary", i, "rhs"), seconds = value(lab, "summary", i, "seconds");
        assert_true(rhs > value(lab, "work", 3 * i, "rhs") && rhs < value(lab, "work", 3 * i + 2, "rhs") &&
                    seconds > 0);
        assert_true(isnan(rw_lab_value(lab, "summary", i, "rhs ratio"))); /* nobody to compare with */
    }
    rw_lab_destroy(&lab);
}

/* What AUTO has become is reported where it changes: above 3e-4 it is rkc2. */
static void test_auto(void **state)
{
    static const char *const set[] = {"problems=front", "methods=auto,rock4", "tolerances=1e-2,1e-4,1e-5", "runs=1"};
    (void)state;
    rw_lab *lab;
    OK(run_with(set, RW_COUNT(set), "work", &lab));
    const char *loose = strstr(lab->notes.data, "front, tolerance 0.01: auto is rkc2: stiff");
    const char *tight = strstr(lab->notes.data, "front, tolerance 0.0001: auto is rock4: stiff");
    assert_true(loose && tight && !strstr(lab->notes.data, "1e-05"));
    for (int i = 1; i < 3; ++i) {
        assert_true(value(lab, "work", i, "rhs") == value(lab, "work", 3 + i, "rhs"));
        assert_true(value(lab, "work", i, "error") == value(lab, "work", 3 + i, "error"));
    }
    rw_lab_destroy(&lab);
}

/* The promise of docs/methods/ode.md on the problems that take little time, at three tolerances: errors stay near the
 * tolerance. */
static void test_accuracy(void **state)
{
    static const char *const set[] = {"problems=gray-scott,convection,relaxation,moving,pulses",
                                      "methods=rkc2,rkl2,rock2,rock4,dp5,auto", "tolerances=1e-3,1e-5", "runs=1"};
    (void)state;
    if (!test_long()) skip();
    rw_lab *lab;
    OK(run_with(set, RW_COUNT(set), NULL, &lab));
    assert_int_equal(rw_lab_rows(lab, "accuracy"), 6);
    for (int i = 0; i < 6; ++i) {
        assert_true(value(lab, "accuracy", i, "runs") == 10);
        assert_true(value(lab, "accuracy", i, "median") <= 15 && value(lab, "accuracy", i, "worst") <= 50);
    }
    for (int i = 0; i < rw_lab_rows(lab, "references"); ++i)
        assert_true(value(lab, "references", i, "difference") < 1e-8);
    rw_lab_destroy(&lab);
}

static void test_reference_file(void **state)
{
    char set[2][160] = {"problems=front"};
    const char *const sets[] = {set[0], set[1]};
    char *bytes;
    size_t n;
    (void)state;
    rw_lab *lab;
    snprintf(set[1], sizeof set[1], "references=%s/a/b", folder);
    OK(run_with(sets, 2, "references", &lab));
    assert_int_equal(rw_lab_rows(lab, "work"), 0);
    rw_lab_destroy(&lab);
    OK(rw_file_read(ctx, path_of("a/b/front.f64"), 0, &bytes, &n));
    assert_int_equal(n, 64 * 64 * sizeof(double));
    for (size_t i = 0; i < 64 * 64; ++i) {
        double u, mirrored;
        memcpy(&u, bytes + i * sizeof u, sizeof u),
            memcpy(&mirrored, bytes + (i % 64 * 64 + i / 64) * sizeof u, sizeof u);
        assert_true(u > 0 && u < 1.1 && fabs(u - mirrored) < 1e-11);
    }
    rw_free(bytes);
    snprintf(set[1], sizeof set[1], "references=/dev/null/x");
    FAILS(RW_ERR_FILE, "/dev/null", run_with(sets, 2, "references", &lab));
}

/* ---- those of others --------------------------------------------------------------------------------------------- */

static const char peer[] = HEAD "# another comment\n"
                                "front, rkc2 ,1e-02,25,0,400,54,1e-3,0.004\n"
                                "front,rkc2,1e-04,71,1,1600,35,1e-5,0.016\r\n"
                                "\n"
                                "front,rkl2-x,1e-02,22,0,425,62,8.322e-03,3.2266e-03\n"
                                "source,rkc2,1e-02,17,0,2785,190,3.984e-04,1.3549e-02\n";

static rw_lab *run_with_peer(const char *table)
{
    static char path[160];
    static const char *const set[] = {"problems=front", "methods=rock4", "tolerances=1e-2,1e-4,1e-6",
                                      "runs=1",         "error=1e-4",    path};
    rw_lab *lab;
    write_text("other.csv", peer);
    snprintf(path, sizeof path, "peers=%s", path_of("other.csv"));
    OK(run_with(set, RW_COUNT(set), table, &lab));
    return lab;
}

/* Behind ours; of problems that are not asked for none. Halfway between two errors by logarithms is halfway between the
 * work. */
static void test_peer(void **state)
{
    (void)state;
    rw_lab *lab = run_with_peer(NULL);
    assert_int_equal(rw_lab_rows(lab, "work"), 6);
    check_curve(lab, "rock4", 0, 3);
    assert_string_equal(word(lab, "work", 3, "method"), "other rkc2");
    assert_string_equal(word(lab, "work", 5, "method"), "other rkl2-x");
    assert_true(value(lab, "work", 4, "tolerance") == 1e-4 && value(lab, "work", 4, "steps") == 71);
    assert_true(value(lab, "work", 4, "rejected") == 1 && value(lab, "work", 4, "rhs") == 1600);
    assert_true(value(lab, "work", 4, "stages") == 35 && value(lab, "work", 4, "error") == 1e-5);
    assert_true(value(lab, "work", 4, "seconds") == 0.016);
    assert_int_equal(rw_lab_rows(lab, "summary"), 3);
    assert_true(value(lab, "summary", 1, "rhs") == 800 && fabs(value(lab, "summary", 1, "seconds") - 0.008) < 1e-12);
    assert_true(value(lab, "summary", 1, "rhs ratio") == 1 && isnan(rw_lab_value(lab, "summary", 2, "rhs")));
    double ratio = value(lab, "summary", 0, "rhs") / 800;
    assert_true(fabs(value(lab, "summary", 0, "rhs ratio") - ratio) < 1e-3);
    rw_lab_destroy(&lab);
}

static void count(void *user, const char *path)
{
    assert_int_equal(access(path, R_OK), 0);
    ++*(int *)user;
}

/* Words in text, numbers with a list in CSV, a figure of right-hand sides and one of seconds. */
static void test_formats(void **state)
{
    char *text;
    rw_csv_table csv;
    int written = 0;
    (void)state;
    rw_lab *lab = run_with_peer("work");
    OK(rw_lab_write(lab, NULL, RW_LAB_TEXT, &text));
    assert_non_null(strstr(text, "front  other rkl2-x    1.0e-02"));
    free(text);
    OK(rw_lab_write(lab, NULL, RW_LAB_JSON, &text));
    assert_non_null(strstr(text, "\"other rkl2-x\""));
    free(text);
    OK(rw_lab_write(lab, "work", RW_LAB_CSV, &text));
    assert_non_null(strstr(text, "# name 1: other rkc2\n"));
    OK(rw_csv_parse(ctx, "work", text, strlen(text), &csv));
    assert_true(csv.n_rows == 6 && csv.n_columns == 9 && csv.columns[1][3] == 1);
    rw_csv_free(&csv);
    free(text);
    OK(rw_lab_save(lab, path_of("saved"), count, &written));
    assert_int_equal(written, 3 + 1 + 2);
    assert_int_equal(access(path_of("saved/precision-front-seconds.png"), R_OK), 0);
    rw_lab_destroy(&lab);
}

static const char *const problems[] = {"front", "source"};

/* As the study has it before it runs. */
static rw_status read_peer(rw_lab *lab, const char *name, rw_lab_points *points)
{
    *lab = (rw_lab){.ctx = ctx};
    *points = (rw_lab_points){0};
    return rw_lab_read_peers(lab, path_of(name), problems, RW_COUNT(problems), points);
}

static void forget(rw_lab *lab, rw_lab_points *points)
{
    for (int i = 0; i < lab->nnames; ++i) rw_free(lab->names[i].text);
    rw_free(lab->names), rw_free(points->at);
}

static void test_peer_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {{"", "bad.csv:1: the first line does not begin with 'problem,method,'"},
                {"method,problem,rtol\n", "bad.csv:1: the first line does not begin"},
                {HEAD "front,rkc2,1e-2,1,0,1,2,0.1,1\nfrond,rkc2,1e-2,1,0,1,2,0.1,1\n",
                 "bad.csv:3: problem 'frond' is unknown; nearest is front"},
                {HEAD "\nfront,rkc2,1e-2,1,0,1,2,0.1\n", "bad.csv:3: 8 cells, but the header names 9 columns"},
                {HEAD "front\n", "bad.csv"},
                {HEAD "front,rkc2,1e-2,1,0,many,2,0.1,1\n", "bad.csv:2: 'many' in column 6 is not a number"},
                {HEAD "front,rkc2,1e-2,1,0,,2,0.1,1\n", "bad.csv:2: rhs = nan is outside [0, 1e+15]"},
                {HEAD "front,rkc2,0,1,0,1,2,0.1,1\n", "bad.csv:2: rtol = 0 is outside [1e-16, 1]"},
                {HEAD "front,rkc2,1e-2,1,0,1,2,inf,1\n", "bad.csv:2: error = inf is outside"},
                {HEAD "front,rkc2,1e-2,1,0,1,2,0.1,-1\n", "bad.csv:2: seconds = -1 is outside [0, 1e+09]"},
                {HEAD "front,a|b,1e-2,1,0,1,2,0.1,1\n",
                 "bad.csv:2: 'a|b' is not a valid name of a problem or method: it must have 1 to 24 letters"},
                {HEAD "front,,1e-2,1,0,1,2,0.1,1\n", "bad.csv:2: '' is not a valid name of a problem or method"},
                {HEAD "front,aaaaaaaaaaaaaaaaaaaaaaaaa,1e-2,1,0,1,2,0.1,1\n", "is not a valid name of a problem or "
                                                                              "method"},
                {"problem,method,tol,steps,rejected,rhs,stages,error,seconds\n",
                 "bad.csv:1: there is no column 'rtol'"}};
    rw_lab lab;
    rw_lab_points points;
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        write_text("bad.csv", rows[i].text);
        rw_status status = read_peer(&lab, "bad.csv", &points);
        assert_true(status == RW_ERR_INPUT || status == RW_ERR_ARGUMENT);
        if (!strstr(rw_message(ctx), rows[i].message))
            fail_msg("\"%s\" is not in: %s", rows[i].message, rw_message(ctx));
        forget(&lab, &points);
    }
    FAILS(RW_ERR_FILE, "none.csv", read_peer(&lab, "none.csv", &points));
    write_text("a|b.csv", HEAD "front,rkc2,1e-2,1,0,1,2,0.1,1\n");
    FAILS(RW_ERR_ARGUMENT, "name it PROGRAM.csv", read_peer(&lab, "a|b.csv", &points));
    forget(&lab, &points);
}

/* Calls body with the n-th event failing, n = 1, 1 + stride, …, until it meets none; gives the number of events. */
static int walk(rw_fault kind, int stride, rw_status wanted, rw_status (*body)(void))
{
    for (int n = 1;; n += stride) {
        rw_fault_set(kind, n);
        rw_status status = body();
        bool met = rw_fault_events(kind) >= n;
        rw_fault_set(kind, 0);
        if (status != RW_OK && !(met && status == wanted))
            fail_msg("event %d: %s: %s", n, rw_status_name(status), rw_message(ctx));
        if (!met) return n - 1;
    }
}

static rw_status read_and_forget(void)
{
    rw_lab lab;
    rw_lab_points points;
    rw_status status = read_peer(&lab, "other.csv", &points);
    if (status == RW_OK) assert_int_equal(points.n, 4);
    forget(&lab, &points);
    return status;
}

static rw_status run_and_forget(void)
{
    static const char *const set[] = {"problems=front", "methods=rock2", "tolerances=1e-2", "runs=1"};
    rw_lab *lab;
    rw_status status = run_with(set, RW_COUNT(set), "summary", &lab);
    if (status == RW_OK) rw_lab_destroy(&lab);
    else assert_null(lab);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    write_text("other.csv", peer);
    assert_true(walk(RW_FAULT_ALLOC, 1, RW_ERR_MEMORY, read_and_forget) > 20);
    assert_true(walk(RW_FAULT_READ, 1, RW_ERR_FILE, read_and_forget) > 0);
    assert_true(walk(RW_FAULT_ALLOC, 401, RW_ERR_MEMORY, run_and_forget) > 1000);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    static const struct {
        const char *set, *message;
    } rows[] = {{"methods=rkc3", "methods = rkc3 is none of rkc2, rkl2, rock2, rock4, dp5, auto"},
                {"methods=rkc2,rkc2", "rkc2 is given twice"},
                {"methods=", "is empty"},
                {"methods=rkc2,", "is empty"},
                {"methods=rkc2;rkl2", "is none of"},
                {"problems=front source", "is none of front, source, brusselator"},
                {"tolerances=1e-2,1e-12", "tolerances = 1e-12 is outside [1e-11, 0.1]"},
                {"tolerances=1e-2,", "is empty"},
                {"error=0", "error = 0 is outside [1e-10, 1]"},
                {"peer=x.csv", "nearest is peers"}};
    static const char *const two[] = {"cpu:1", "cpu:2"};
    rw_lab *lab = NULL;
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        FAILS(RW_ERR_ARGUMENT, rows[i].message, run_with(&rows[i].set, 1, NULL, &lab));
        assert_null(lab);
    }
    FAILS(RW_ERR_ARGUMENT, "lab precision: 2 devices are given, but this study runs on one device only",
          rw_lab_run(ctx, &(rw_lab_spec){.study = "precision", .devices = two, .ndevices = 2}, &lab));
}

static void test_one_device(void **state)
{
    static const char *const set[] = {"problems=front"};
    rw_lab *lab;
    (void)state;
    OK(rw_lab_run(ctx, &(rw_lab_spec){.study = "precision", .set = set, .nset = 1, .table = "references"}, &lab));
    assert_int_equal(lab->ndevices, 1);
    assert_string_equal(lab->info[0].name, "cpu:1");
    rw_lab_destroy(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_curves),       cmocka_unit_test(test_auto),
                                       cmocka_unit_test(test_accuracy),     cmocka_unit_test(test_reference_file),
                                       cmocka_unit_test(test_peer),         cmocka_unit_test(test_formats),
                                       cmocka_unit_test(test_peer_refused), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_refused),      cmocka_unit_test(test_one_device)};
    char command[96];
    snprintf(folder, sizeof folder, "/tmp/rechenwerk-precision-XXXXXX");
    if (!mkdtemp(folder) || rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("precision", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 ? 1 : failed;
}
