/* output.streamlines: mistakes, the pictures of a run and of its results, the curves in the HDF5 files, faults. */
#include "own_test.h"

#include "io/h5.h"

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *output, *message;
    } list[] = {
        {"streamlines: [qq]", "output.streamlines: 'qq' is not a field; q is one, and all selects every field"},
        {"streamlines: [q, u]", "output.streamlines: 'u' is no vector in two dimensions: add one to output.derived"},
        {"streamlines: q_x", "output.streamlines: 'q_x' is not a field; "},
        {"streamlines: [q], figures: [u], fields: []",
         "output.streamlines: 'q' is neither in output.figures nor in output.fields: add it there"},
        {"streamlines: all, figures: [], fields: u", "output.streamlines: 'all' is neither in output.figures"},
        {"streamlines: {q: 1}", "output.streamlines = {q: 1} is a map, not a list of texts"},
    };
    char text[512], path[128];
    for (int i = 0; i < RW_COUNT(list); ++i) {
        snprintf(text, sizeof text,
                 CASE("{u: {initial: \"x\", boundary: neumann}}",
                      "equations: \"du/dt = 0\"\ntime: {end: 1}\noutput: {derived: {q: \"[u, 1]\"}, %s}\n"),
                 list[i].output);
        write_case(text, path);
        assert_int_equal(run_until(path, "nothing", (rw_run_options){0}, -1), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), list[i].message)) fail_msg("%s: %s", list[i].output, rw_message(ctx));
    }
    write_case("problem: pde\ngrid: {size: [4, 4, 4]}\nfields: {u: {initial: \"x\", boundary: neumann}}\n"
               "equations: \"du/dt = 0\"\ntime: {end: 1}\n"
               "output: {derived: {q: \"[u, 1, 0]\"}, streamlines: all}\n",
               path);
    assert_int_equal(run_until(path, "nothing", (rw_run_options){0}, -1), RW_ERR_INPUT);
    if (!strstr(rw_message(ctx), "'all' is no vector in two dimensions")) fail_msg("%s", rw_message(ctx));
}

/* Circles about (1, 1) and straight lines, of f32 values, with nodes on a Dirichlet side. */
static const char turning[] =
    "problem: pde\ngrid: {size: [24, 24], extent: 2, precision: f32}\n"
    "fields: {u: {initial: \"x\", boundary: {left: \"0\", right: \"2\", y: neumann}}}\n"
    "equations: \"du/dt = 0\"\ntime: {end: 1, method: rk4, step: 0.5}\n"
    "output: {every: 0.5, vti: false, derived: {q: \"[1 - y, u - 1]\", r: \"[3, t]\", s: \"[0*u, 0]\"}%s}\n";

static void make(const char *results, const char *output)
{
    char text[1024], path[128];
    snprintf(text, sizeof text, turning, output);
    write_case(text, path);
    run_to_end(path, results, NULL, false);
}

static bool same(const char *a, const char *b, const char *name) { return same_files(a, name, b, name); }

static void draw(const char *results, const char *name, const char *set)
{
    char to[160];
    snprintf(to, sizeof to, "%s/%s/figures/", folder, name);
    rw_plot_options options = {.output = to, .set = &set, .nset = set != NULL};
    if (rw_plot_results(ctx, result(results, ""), &options, NULL, NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
}

static void test_pictures(void **state)
{
    (void)state;
    make("arrows", "");
    make("some", ", streamlines: [q]");
    make("every", ", streamlines: all");
    make("written", ", streamlines: q, figures: []"); /* curves only */
    make("quiet", ", streamlines: q, figures: [], fields: []");
    for (int k = 0; k < 3; ++k) {
        char q[40], r[40], s[40];
        snprintf(q, sizeof q, "figures/q-%06d.png", k);
        snprintf(r, sizeof r, "figures/r-%06d.png", k);
        snprintf(s, sizeof s, "figures/s-%06d.png", k);
        assert_true(!same("arrows", "some", q) && same("arrows", "some", r) && same("arrows", "some", s));
        assert_true(same("some", "every", q) && !same("some", "every", r) && same("some", "every", s));
    }
    draw("some", "later", NULL);
    draw("written", "drawn", NULL);
    assert_true(same("some", "drawn", "figures/q-000002.png"));
    draw("some", "other", "output.streamlines=[r]");
    draw("every", "none", "output.streamlines=[]");
    static const char *const names[] = {"figures/q-000002.png", "figures/r-000002.png"};
    for (int i = 0; i < 2; ++i) {
        assert_true(same("some", "later", names[i]) && same("arrows", "none", names[i]));
        assert_true(same(i ? "every" : "arrows", "other", names[i]));
    }
    /* from one file, whose curves are no fields */
    char file[160], to[160];
    snprintf(file, sizeof file, "%s/every/fields/000002.h5", folder);
    snprintf(to, sizeof to, "%s/file/figures/", folder);
    assert_int_equal(rw_plot_results(ctx, file, &(rw_plot_options){.output = to}, NULL, NULL), RW_OK);
    assert_true(same("every", "file", names[0]) && same("every", "file", names[1]));
    const char *set[] = {"output.streamlines=[v]"};
    rw_plot_options options = {.set = set, .nset = 1};
    assert_int_equal(rw_plot_results(ctx, result("some", ""), &options, NULL, NULL), RW_ERR_INPUT);
    if (!strstr(rw_message(ctx), "output.streamlines: 'v' is not a field")) fail_msg("%s", rw_message(ctx));
}

/* The curves of a vector in the file of an output; NULL: there are none. offset[n + 1]. */
static double (*read_curves(const char *results, const char *file, const char *vector, double **offset, size_t *n))[2]
{
    char set[80];
    rw_h5 *h5;
    rw_dtype type;
    int rank;
    size_t shape[RW_IO_RANK];
    double(*points)[2] = NULL;
    assert_int_equal(rw_h5_open_alone(ctx, result(results, file), &h5), RW_OK);
    snprintf(set, sizeof set, "/%s-streamlines/offsets", vector);
    if (rw_h5_exists(h5, set)) {
        assert_int_equal(rw_h5_shape(h5, set, &type, &rank, shape), RW_OK);
        assert_true(rank == 1 && shape[0] > 1);
        *n = shape[0] - 1;
        *offset = calloc(shape[0], sizeof **offset);
        assert_int_equal(rw_h5_read(h5, set, RW_F64, 1, shape, *offset), RW_OK);
        snprintf(set, sizeof set, "/%s-streamlines/points", vector);
        assert_int_equal(rw_h5_shape(h5, set, &type, &rank, shape), RW_OK);
        assert_true(rank == 2 && shape[1] == 2 && (double)shape[0] == (*offset)[*n]);
        points = calloc(shape[0], sizeof *points);
        assert_int_equal(rw_h5_read(h5, set, RW_F64, 2, shape, points), RW_OK);
    }
    rw_h5_close(&h5);
    return points;
}

static void test_files(void **state)
{
    (void)state;
    double *offset = NULL;
    size_t n = 0;
    double(*points)[2] = read_curves("every", "fields/000002.h5", "q", &offset, &n);
    assert_non_null(points);
    assert_in_range(n, 12, 60);
    double left = 2, *same_offset;
    size_t m;
    double(*same_points)[2] = read_curves("written", "fields/000002.h5", "q", &same_offset, &m);
    assert_int_equal(n, m);
    assert_memory_equal(points, same_points, (size_t)offset[n] * sizeof *points);
    free(same_points);
    free(same_offset);
    for (size_t i = 0; i < n; ++i) {
        const size_t first = (size_t)offset[i];
        const double r = hypot(points[first][0] - 1, points[first][1] - 1);
        for (size_t k = first; k < (size_t)offset[i + 1]; ++k) {
            near(hypot(points[k][0] - 1, points[k][1] - 1), r, 1e-3 * r);
            left = fmin(left, points[k][0]);
        }
    }
    assert_true(left < 0.05); /* beyond the first unknown */
    free(points);
    free(offset);
    points = read_curves("every", "fields/000001.h5", "r", &offset, &n);
    for (size_t k = 1; k < (size_t)offset[1]; ++k)
        near((points[k][1] - points[0][1]) / (points[k][0] - points[0][0]), 0.5 / 3, 1e-6);
    free(points);
    free(offset);
    assert_null(read_curves("every", "fields/000001.h5", "s", &offset, &n)); /* a vector of 0 has none */
    assert_null(read_curves("some", "fields/000001.h5", "r", &offset, &n));
    assert_null(read_curves("arrows", "fields/000001.h5", "q", &offset, &n));
}

/* A run whose n-th allocation fails, n = 1, 54, …. */
static void test_faults_of_files(void **state)
{
    (void)state;
    char text[1024], path[128], where[160];
    snprintf(text, sizeof text, turning, ", streamlines: q, figures: []");
    write_case(text, path);
    snprintf(where, sizeof where, "%s/failing", folder);
    const rw_run_options options = {.folder = where, .device = "cpu", .force = true};
    rw_run_report report;
    enum { EVERY = 53 };
    long failures = 0;
    for (long n = 1;; n += EVERY) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        const rw_status status = rw_run_case(ctx, path, &options, &report);
        const bool reached = rw_fault_events(RW_FAULT_ALLOC) >= n;
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (!reached) break;
        if (status != RW_OK && status != RW_ERR_MEMORY && status != RW_ERR_FILE) /* the latter: of axes, by HDF5 */
            fail_msg("n = %ld: %s: %s", n, rw_status_name(status), rw_message(ctx));
        failures += status != RW_OK;
    }
    assert_true(failures > 10);
    assert_int_equal(rw_run_case(ctx, path, &options, &report), RW_OK);
    double *offset[2], (*points[2])[2];
    size_t n[2];
    points[0] = read_curves("written", "fields/000002.h5", "q", &offset[0], &n[0]);
    points[1] = read_curves("failing", "fields/000002.h5", "q", &offset[1], &n[1]);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(points[0], points[1], (size_t)offset[0][n[0]] * sizeof **points);
    for (int i = 0; i < 2; ++i) {
        free(points[i]);
        free(offset[i]);
    }
}

/* What fails is reported, and the next call succeeds. */
static void test_faults(void **state)
{
    (void)state;
    char to[160];
    long failures = 0, n = 1;
    snprintf(to, sizeof to, "%s/faults/figures/", folder);
    const rw_plot_options options = {.field = "q", .output = to};
    for (;; ++n) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        const rw_status status = rw_plot_results(ctx, result("some", ""), &options, NULL, NULL);
        const bool reached = rw_fault_events(RW_FAULT_ALLOC) >= n;
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (!reached) {
            assert_int_equal(status, RW_OK);
            break;
        }
        if (status != RW_OK) assert_int_equal(status, RW_ERR_MEMORY);
        failures += status != RW_OK;
    }
    assert_true(failures > 20);
    assert_true(same("some", "faults", "figures/q-000002.png"));
}

static int setup(void **state)
{
    (void)state;
    return !open_folder();
}

static int teardown(void **state)
{
    (void)state;
    return close_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes), cmocka_unit_test(test_pictures),
                                       cmocka_unit_test(test_files), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_faults_of_files)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
