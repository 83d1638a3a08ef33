/* What a case of the problem pde computes for its outputs: own columns of series.csv; derived fields and vectors, in
 * files of all formats, on Dirichlet sides and in pictures. */
#include "own_test.h"

static rw_device *dev;

static void test_mistakes_of_columns(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"  series: {u: \"sum(u)\"}", ":8:12: output.series.u: u is a field: choose another name"},
        {"  series: {k: \"sum(u)\"}", ":8:12: output.series.k: k is a parameter: choose another name"},
        {"  series: {v_mean: \"sum(u)\"}", ":8:12: output.series.v_mean: series.csv has a column v_mean already"},
        {"  series: {step: \"sum(u)\"}", ":8:12: output.series.step: series.csv has a column step already"},
        {"  derived: {w: \"2*u\"}\n  series: {w: \"sum(u)\"}",
         ":9:12: output.series.w: w is a derived field: choose another name"},
        {"  derived: {w: \"2*zz\"}\n  series: {q: \"sum(w)\"}", ":8:19: name zz is unknown"},
        {"  series: {q: \"u\"}", ":8:15: output.series.q is a field, not a number: reduce it with integral, mean"},
        {"  series: {q: \"[u, v]\"}", ":8:15: output.series.q is a vector, not a number: reduce it"},
        {"  series: {q: \"1i*sum(u)\"}", ":8:15: output.series.q is complex: take real(), imag() or abs()"},
        {"  series: {q: \"1 + sum(w)\"}", ":8:24: name w is unknown"},
        {"  series: {q: r, r: \"sum(u)\"}", ":8:15: name r is unknown"},
        {"  series: {q: {valu: 1}}", ":8:16: output.series.q.valu is unknown; known are value, unit"},
        {"  series: {q: [1]}", ":8:15: output.series.q must be an expression, or {value: expression, unit: text}"},
        {"  series: {sin: 1}", ":8:12: \"sin\" is a coordinate, operator or function of the language"},
        {"  series: 3", ":8:11: output.series must be a map of names to expressions"},
    };
    check_mistakes(list, sizeof list / sizeof *list);
}

/* u = x e^-t on the domain [0, 1] x [0, 2] with nodes on all sides: what is linear is exact. */
#define DECAY                                                                                                          \
    "problem: pde\ngrid: {size: [9, 5], extent: [1, 2]}\nparameters: {k: 2, r0_0: 3}\nfunctions: \"half(a) = a/2\"\n"  \
    "fields: {u: {initial: \"x\", boundary: {left: {neumann: \"-exp(-t)\"}, right: {neumann: \"exp(-t)\"}}}}\n"        \
    "equations: \"du/dt = -u\"\ntime: {end: 1, method: rk4, max_step: 0.01}\n"

static void test_columns(void **state)
{
    (void)state;
    static const char text[] =
        DECAY "output: {every: 0.25, series_steps: 10, fields: [], figures: [], derived: {w: \"3*u\", q: "
              "\"[u, w]\"}, series: {mass: \"integral(u)\", "
              "twice: {value: \"k*mass\", unit: kg}, slope: \"max(dx(u))\", r_1: \"half(sum(u)) + r0_0\", "
              "inverse: \"1/t\", spread: \"mean((u - mean(u))^2)\", "
              "most: \"max(q.y + w)\"}}\n";
    char path[128];
    write_case(text, path);
    run_to_end(path, "columns", NULL, false);
    rw_csv_table table = read_table("columns", "series.csv");
    assert_int_equal(table.n_columns, 2 + 3 + 7);
    assert_true(table.n_rows > 5);
    const double *t = column(&table, "t");
    for (size_t k = 0; k < table.n_rows; ++k) {
        const double now = exp(-t[k]), mean = now / 2;
        near(column(&table, "u_mean")[k], mean, 1e-9);
        near(column(&table, "mass")[k], now, 1e-9);
        near(column(&table, "twice")[k], 2 * now, 1e-9);
        near(column(&table, "slope")[k], now, 1e-7);
        near(column(&table, "most")[k], 6 * now, 1e-8);
        near(column(&table, "r_1")[k], 45 * mean / 2 + 3, 1e-8);
        near(column(&table, "spread")[k], now * now * (204.0 / 64 / 9 - 0.25), 1e-9);
        if (t[k] > 0) near(column(&table, "inverse")[k], 1 / t[k], 1e-12);
    }
    assert_true(isinf(column(&table, "inverse")[0]));
    assert_string_equal(table.names[6], "twice");
    rw_csv_free(&table);
    rw_csv_table units;
    char where[160];
    snprintf(where, sizeof where, "%s/columns", folder);
    assert_int_equal(rw_series_read(ctx, where, &units), RW_OK);
    assert_string_equal(units.units[6], "kg");
    rw_csv_free(&units);
}

/* Columns of one's own cost no pass: they are in the one of minimum, maximum and mean. */
static void test_columns_share_a_pass(void **state)
{
    (void)state;
    static const char text[] =
        DECAY "output: {series: {a: \"integral(u^2)\", b: \"max(dx(u))\", c: \"a*b + norm(u)\"}}\n";
    rw_case *c;
    rw_problem *p;
    rw_expr_plan plan;
    assert_int_equal(create(text, dev, &c, &p), RW_OK);
    const rw_state *s = &((pde_problem *)p)->state;
    assert_int_equal(rw_expr_get_plan(s->observers[0], &plan), RW_OK);
    assert_int_equal(plan.passes, 1);
    assert_int_equal(s->ncolumns, 2 + 3 + 3);
    destroy(&c, &p);
}

/* A run that continues writes the same rows; other columns are refused. */
static void test_a_restart_has_the_same_columns(void **state)
{
    (void)state;
    static const char text[] = DECAY "output: {every: 0.25, series_steps: 3, fields: [], figures: [], series: {mass: "
                                     "\"integral(u)\", lag: \"mean(u)*t\"}, derived: {w: \"2*u\"}}\n";
    static const char *const changed[] = {"output.series={mass: \"sum(u)\"}", "output.derived={w: \"3*u\"}"},
                             *const messages[] = {"output.series: {mass: ", "output.derived: {w: "};
    char path[128], where[160];
    write_case(text, path);
    run_to_end(path, "whole", NULL, false);
    run_to_end(path, "parts", "time.end=0.5", false);
    run_to_end(path, "parts", NULL, true);
    assert_true(same_files("whole", "series.csv", "parts", "series.csv"));
    snprintf(where, sizeof where, "%s/parts", folder);
    for (int i = 0; i < 2; ++i) { /* columns may read derived fields */
        const rw_run_options options = {.folder = where,
                                        .device = "cpu",
                                        .set = changed + i,
                                        .nset = 1,
                                        .restart = true};
        assert_int_equal(rw_run_case(ctx, path, &options, NULL), RW_ERR_INPUT);
        assert_non_null(strstr(rw_message(ctx), messages[i]));
    }
}

/* ---- derived fields ---------------------------------------------------------------------------------------------- */

static void test_mistakes_of_derived_fields(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"  derived: {u: \"2*v\"}", ":8:13: output.derived.u: u is a field: choose another name"},
        {"  derived: {k: \"2*v\"}", ":8:13: output.derived.k: k is a parameter: choose another name"},
        {"  derived: {q: \"sum(u)\"}", ":8:16: output.derived.q is a number, not a field: write it under output.ser"},
        {"  derived: {q: \"1i*u\"}", ":8:16: output.derived.q is complex: take real(), imag() or abs()"},
        {"  derived: {q: \"[u, v, u]\"}", ":8:17: "},
        {"  derived: {q: \"dx(w)\"}", ":8:20: name w is unknown"},
        {"  derived: {q_x: \"u\", q: \"[u, v]\"}", ":8:23: output.derived.q: there is a field q_x already"},
        {"  derived: [u]", ":8:12: output.derived must be a map of names to expressions"},
    };
    check_mistakes(list, sizeof list / sizeof *list);
}

/* u = 2 x + 3 y and v = x y on the domain [0, 1] x [0, 2], in which no side has a node of its own or all have. */
static const char linear[] =
    "problem: pde\ngrid: {size: [7, 5], extent: [1, 2]}\nfunctions: \"f(a) = a + 1\"\n"
    "fields:\n  u: {initial: \"2*x + 3*y\", boundary: \"2*x + 3*y\"}\n"
    "  v: {initial: \"x*y\", boundary: \"x*y\"}\nequations: [\"du/dt = 0\", \"dv/dt = 0\"]\n"
    "time: {end: 1, method: rk4, step: 0.5}\ndata: {k: \"3\", l: \"2\"}\n"
    "output: {every: 0.5, formats: [hdf5, vti, npy], derived: {rot: \"dx(v) - dy(u)\", q: {value: \"[f(u), v]\", unit: "
    "m}, square: \"q.x^2 + t\", part: \"u/max(u)\", scaled: \"k*u + l\"}}\n";

/* In an output of the linear case, whose files have the nodes on all sides: 9 x 7. */
static void read_set(const char *results, int output, const char *set, double values[63])
{
    char name[64];
    rw_h5 *file;
    snprintf(name, sizeof name, "fields/%06d.h5", output);
    assert_int_equal(rw_h5_open(ctx, result(results, name), &file), RW_OK);
    assert_int_equal(rw_h5_read(file, set, RW_F64, 3, (size_t[]){1, 7, 9}, values), RW_OK);
    rw_h5_close(&file);
}

static void test_derived_fields(void **state)
{
    (void)state;
    char path[128];
    write_case(linear, path);
    run_to_end(path, "derived", NULL, false);
    double rot[63], qx[63], qy[63], square[63], part[63], scaled[63];
    read_set("derived", 1, "/rot", rot);
    read_set("derived", 1, "/q_x", qx);
    read_set("derived", 1, "/q_y", qy);
    read_set("derived", 1, "/square", square);
    read_set("derived", 1, "/part", part);
    read_set("derived", 1, "/scaled", scaled);
    for (int j = 0; j < 7; ++j)
        for (int i = 0; i < 9; ++i) {
            const double x = i / 8.0, y = j / 3.0, u = 2 * x + 3 * y;
            const int k = 9 * j + i;
            near(rot[k], y - 3, 1e-12); /* of linear functions, on sides and in corners too */
            near(qx[k], u + 1, 1e-12);
            near(qy[k], x * y, 1e-12);
            near(square[k], (u + 1) * (u + 1) + 0.5, 1e-12);
            near(part[k], u / (2 * 7 / 8.0 + 3 * 5 / 3.0), 1e-12);
            near(scaled[k], 3 * u + 2, 1e-12);
        }
}

static void test_files_of_vectors(void **state)
{
    (void)state;
    size_t n;
    char *vti = read_bytes("derived", "vti/000001.vti", &n), *begin;
    assert_non_null(strstr(vti, "Name=\"q\" NumberOfComponents=\"3\""));
    assert_null(strstr(vti, "q_x"));
    /* u, v, rot, then the vectors, each array after its length */
    begin = memmem(vti, n, "\n_", 2);
    assert_non_null(begin);
    begin += 2 + 3 * (8 + 63 * 8);
    uint64_t length;
    double q[3 * 63], qx[63];
    memcpy(&length, begin, sizeof length);
    assert_int_equal(length, sizeof q);
    memcpy(q, begin + 8, sizeof q);
    read_set("derived", 1, "/q_x", qx);
    for (int k = 0; k < 63; ++k) {
        assert_true(q[3 * k] == qx[k]);
        assert_true(q[3 * k + 2] == 0);
    }
    rw_free(vti);
    assert_int_equal(access(result("derived", "npy/000002-q_y.npy"), F_OK), 0);
    char *index = read_bytes("derived", "fields.xdmf", &n);
    assert_non_null(strstr(index, "q_x"));
    rw_free(index);
}

/* A vector has one picture; pictures drawn later are those of the run. */
static void test_pictures_of_vectors(void **state)
{
    (void)state;
    char from[160], to[160];
    assert_int_equal(access(result("derived", "figures/q-000002.png"), F_OK), 0);
    assert_int_not_equal(access(result("derived", "figures/q_x-000002.png"), F_OK), 0);
    assert_int_equal(access(result("derived", "figures/rot-000002.png"), F_OK), 0);
    snprintf(from, sizeof from, "%s/derived", folder);
    snprintf(to, sizeof to, "%s/drawn", folder);
    assert_int_equal(rw_plot_results(ctx, from, &(rw_plot_options){.output = to, .field = "q"}, NULL, NULL), RW_OK);
    assert_true(same_files("derived", "figures/q-000002.png", "drawn", "q-000002.png"));
    assert_int_equal(rw_plot_results(ctx, from, &(rw_plot_options){.output = to, .field = "q_x"}, NULL, NULL), RW_OK);
    assert_int_equal(access(result("drawn", "q_x-000002.png"), F_OK), 0);
    assert_int_equal(rw_plot_results(ctx, from, &(rw_plot_options){.output = to}, NULL, NULL), RW_OK);
    assert_int_not_equal(access(result("drawn", "q_y-000002.png"), F_OK), 0);
}

/* Names that a complex field takes in results. */
static void test_parts_of_complex_fields(void **state)
{
    (void)state;
    static const char *const outputs[] = {"derived: {A_abs: \"abs(A)\"}", "series: {A_im: \"mean(imag(A))\"}"};
    for (int i = 0; i < 2; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 CASE("{A: {type: complex, initial: \"x\"}}",
                      "equations: \"dA/dt = 0\"\ntime: {end: 1}\noutput: {%s}\n"),
                 outputs[i]);
        assert_int_equal(check_text(text), RW_ERR_INPUT);
        assert_non_null(strstr(rw_message(ctx), "is a part of the complex field A in results: choose another name"));
    }
}

/* Only what is asked for, by the names of vectors. */
static void test_derived_fields_are_selected(void **state)
{
    (void)state;
    char path[128], where[160];
    rw_run_report report;
    const char *set[] = {"output.fields=[q, v]", "output.figures=[rot]"}, *wrong[] = {"output.fields=[q_x]"};
    write_case(linear, path);
    snprintf(where, sizeof where, "%s/some", folder);
    rw_run_options options = {.folder = where, .device = "cpu", .set = set, .nset = 2};
    assert_int_equal(rw_run_case(ctx, path, &options, &report), RW_OK);
    assert_int_equal(access(result("some", "npy/000000-q_x.npy"), F_OK), 0);
    assert_int_not_equal(access(result("some", "npy/000000-rot.npy"), F_OK), 0);
    assert_int_equal(report.pictures, 3);
    options.set = wrong;
    options.nset = 1;
    options.force = true;
    assert_int_equal(rw_run_case(ctx, path, &options, &report), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "output.fields: 'q_x' is not a field; "));
}

/* Restarts give the same bytes, of outputs within steps too. */
static void test_a_restart_has_the_same_derived_fields(void **state)
{
    (void)state;
    static const char *const files[] = {"fields/000001.h5", "fields/000003.h5", "vti/000004.vti", "series.csv"};
    static const char text[] =
        CASE("{u: {initial: \"sin(3*x)*y\", boundary: {left: \"t\", y: periodic}}}",
             "equations: \"du/dt = laplace(u) + u - u^3\"\ntime: {end: 0.2, method: rkc2, rtol: 1e-4}\n"
             "output: {every: 0.05, interpolate: 1e-3, figures: [], derived: {q: \"grad(u)\", s: \"u*t\"}}\n");
    char path[128];
    write_case(text, path);
    run_to_end(path, "all", NULL, false);
    assert_int_equal(run_until(path, "two", (rw_run_options){0}, 5), RW_ERR_INTERRUPTED);
    run_to_end(path, "two", NULL, true);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) assert_true(same_files("all", files[i], "two", files[i]));
}

/* The n-th allocation fails: a status, nothing lost, and the next attempt works. */
static void test_no_memory(void **state)
{
    (void)state;
    static const char text[] =
        CASE("{u: {initial: \"x\", boundary: \"0\"}, A: {type: complex, initial: \"k*1i\", boundary: {x: \"k*1i\", y: "
             "\"0\"}}}",
             "data: {k: \"1 + x\"}\nequations: \"du/dt = laplace(u); dA/dt = k*A\"\ntime: {end: 0.1, method: rkc2}\n"
             "output: {series: {m: \"integral(u)\"}, derived: {q: \"grad(u)\"}, probes: {p: {at: [0, 0]}}}\n");
    rw_case *c = NULL;
    rw_problem *p;
    assert_int_equal(create(text, dev, &c, &p), RW_OK); /* programs are in the cache now */
    destroy(&c, &p);
    long failed = 0;
    bool reached = true;
    for (long n = 1; reached; n += 1 + n / 40) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        const rw_status status = create(text, dev, &c, &p);
        reached = rw_fault_events(RW_FAULT_ALLOC) >= n;
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_true(status == RW_OK || !p);
        destroy(&c, &p);
        failed += status != RW_OK;
    }
    assert_true(failed > 100);
}

static int setup(void **state)
{
    (void)state;
    return !open_folder() || rw_device_open(ctx, "cpu", &dev) != RW_OK;
}

static int teardown(void **state)
{
    (void)state;
    rw_device_close(&dev);
    return close_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes_of_columns),
                                       cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_columns_share_a_pass),
                                       cmocka_unit_test(test_a_restart_has_the_same_columns),
                                       cmocka_unit_test(test_mistakes_of_derived_fields),
                                       cmocka_unit_test(test_derived_fields),
                                       cmocka_unit_test(test_files_of_vectors),
                                       cmocka_unit_test(test_pictures_of_vectors),
                                       cmocka_unit_test(test_derived_fields_are_selected),
                                       cmocka_unit_test(test_parts_of_complex_fields),
                                       cmocka_unit_test(test_a_restart_has_the_same_derived_fields),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
