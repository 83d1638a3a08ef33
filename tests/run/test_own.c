/* What a case of the problem pde computes for its outputs: own columns of series.csv; derived fields and vectors, in
 * files of all formats, on Dirichlet sides and in pictures; probes; animations. */
#include "pde_test.h"

#include "files/csv.h"

static rw_device *dev;

static rw_status parse(const char *output)
{
    char text[1024], path[128];
    rw_case *c = NULL;
    snprintf(text, sizeof text,
             CASE("{u: {initial: \"x\", boundary: neumann}, v: {initial: \"y^2\", boundary: {left: \"1\"}}}",
                  "parameters: {k: 2}\nequations: [\"du/dt = 0\", \"dv/dt = 0\"]\ntime: {end: 1}\noutput:\n%s\n"),
             output);
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    rw_status status = rw_case_parse(ctx, path, text, strlen(text), NULL, 0, rw_problems, &c);
    rw_case_free(&c);
    return status;
}

typedef struct mistake {
    const char *text, *message;
} mistake;

static void check_mistakes(const mistake *list, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (parse(list[i].text) != RW_ERR_INPUT) fail_msg("%s was accepted", list[i].text);
        if (!strstr(rw_message(ctx), list[i].message))
            fail_msg("%s: %s, not %s", list[i].text, rw_message(ctx), list[i].message);
    }
}

static void test_mistakes_of_columns(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"  series: {u: \"sum(u)\"}", ":8:12: output.series.u: u is a field: choose another name"},
        {"  series: {k: \"sum(u)\"}", ":8:12: output.series.k: k is a parameter: choose another name"},
        {"  series: {v_mean: \"sum(u)\"}", ":8:12: output.series.v_mean: series.csv has a column v_mean already"},
        {"  series: {step: \"sum(u)\"}", ":8:12: output.series.step: series.csv has a column step already"},
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

/* The file of a result as a table. */
static rw_csv_table read_table(const char *results, const char *name)
{
    rw_csv_table table;
    if (rw_csv_read(ctx, result(results, name), &table) != RW_OK) fail_msg("%s", rw_message(ctx));
    return table;
}

static const double *column(const rw_csv_table *table, const char *name)
{
    for (int i = 0; i < table->n_columns; ++i)
        if (!strcmp(table->names[i], name)) return table->columns[i];
    fail_msg("there is no column %s", name);
    return NULL;
}

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g", value, expected);
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
        DECAY "output: {every: 0.25, series_steps: 10, fields: [], figures: [], series: {mass: \"integral(u)\", "
              "twice: {value: \"k*mass\", unit: kg}, slope: \"max(dx(u))\", r_1: \"half(sum(u)) + r0_0\", "
              "inverse: \"1/t\", spread: \"mean((u - mean(u))^2)\"}}\n";
    char path[128];
    write_case(text, path);
    run_to_end(path, "columns", NULL, false);
    rw_csv_table table = read_table("columns", "series.csv");
    assert_int_equal(table.n_columns, 2 + 3 + 6);
    assert_true(table.n_rows > 5);
    const double *t = column(&table, "t");
    for (size_t k = 0; k < table.n_rows; ++k) {
        const double now = exp(-t[k]), mean = now / 2;
        near(column(&table, "u_mean")[k], mean, 1e-9);
        near(column(&table, "mass")[k], now, 1e-9);
        near(column(&table, "twice")[k], 2 * now, 1e-9);
        near(column(&table, "slope")[k], now, 1e-7);
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
    char path[128];
    rw_case *c;
    rw_problem *p;
    int64_t bytes;
    rw_expr_plan plan;
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    assert_int_equal(rw_case_parse(ctx, path, text, strlen(text), NULL, 0, rw_problems, &c), RW_OK);
    assert_int_equal(rw_pde_ops.create(c, dev, false, &bytes, &p), RW_OK);
    const rw_state *s = &((pde_problem *)p)->state;
    assert_int_equal(rw_expr_get_plan(s->observers[0], &plan), RW_OK);
    assert_int_equal(plan.passes, 1);
    assert_int_equal(s->ncolumns, 2 + 3 + 3);
    rw_pde_ops.destroy(&p);
    rw_case_free(&c);
}

/* A run that continues writes the same rows; other columns are refused. */
static void test_a_restart_has_the_same_columns(void **state)
{
    (void)state;
    static const char text[] = DECAY "output: {every: 0.25, series_steps: 3, fields: [], figures: [], series: {mass: "
                                     "\"integral(u)\", lag: \"mean(u)*t\"}}\n";
    char path[128], where[160];
    const char *set[] = {"output.series={mass: \"sum(u)\"}"};
    write_case(text, path);
    run_to_end(path, "whole", NULL, false);
    run_to_end(path, "parts", "time.end=0.5", false);
    run_to_end(path, "parts", NULL, true);
    assert_true(same_files("whole", "series.csv", "parts", "series.csv"));
    snprintf(where, sizeof where, "%s/parts", folder);
    const rw_run_options options = {.folder = where, .device = "cpu", .set = set, .nset = 1, .restart = true};
    assert_int_equal(rw_run_case(ctx, path, &options, NULL), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "output.series: {mass: "));
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
    "time: {end: 1, method: rk4, step: 0.5}\n"
    "output: {every: 0.5, formats: [hdf5, vti, npy], derived: {rot: \"dx(v) - dy(u)\", q: {value: \"[f(u), v]\", unit: "
    "m}, square: \"q.x^2 + t\", part: \"u/max(u)\"}}\n";

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
    double rot[63], qx[63], qy[63], square[63], part[63];
    read_set("derived", 1, "/rot", rot);
    read_set("derived", 1, "/q_x", qx);
    read_set("derived", 1, "/q_y", qy);
    read_set("derived", 1, "/square", square);
    read_set("derived", 1, "/part", part);
    for (int j = 0; j < 7; ++j)
        for (int i = 0; i < 9; ++i) {
            const double x = i / 8.0, y = j / 3.0, u = 2 * x + 3 * y;
            const int k = 9 * j + i;
            near(rot[k], y - 3, 1e-12); /* of linear functions, on sides and in corners too */
            near(qx[k], u + 1, 1e-12);
            near(qy[k], x * y, 1e-12);
            near(square[k], (u + 1) * (u + 1) + 0.5, 1e-12);
            near(part[k], u / (2 * 7 / 8.0 + 3 * 5 / 3.0), 1e-12);
        }
}

/* The bytes of a file, NUL-terminated. */
static char *read_bytes(const char *results, const char *name, size_t *n)
{
    char *bytes;
    assert_int_equal(rw_file_read(ctx, result(results, name), 1 << 24, &bytes, n), RW_OK);
    return bytes;
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
    options.set = wrong, options.nset = 1, options.force = true;
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
        CASE("{u: {initial: \"x\", boundary: \"0\"}}",
             "equations: \"du/dt = laplace(u)\"\ntime: {end: 0.1, method: rkc2}\n"
             "output: {series: {m: \"integral(u)\"}, derived: {q: \"grad(u)\"}, probes: {p: {at: [0, 0]}}}\n");
    char path[128];
    long failed = 0;
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    for (long n = 1, events = n; events >= n - 1; n += 1 + n / 40) {
        rw_case *c = NULL;
        rw_problem *p = NULL;
        int64_t bytes;
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_case_parse(ctx, path, text, strlen(text), NULL, 0, rw_problems, &c);
        if (status == RW_OK) status = rw_pde_ops.create(c, dev, false, &bytes, &p);
        events = rw_fault_events(RW_FAULT_ALLOC);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_true(status == RW_OK || !p);
        if (p) rw_pde_ops.destroy(&p);
        rw_case_free(&c);
        failed += status != RW_OK;
    }
    assert_true(failed > 20);
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

static void test_mistakes_of_probes(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"  probes: {a: {at: [0.5, 2.1]}}",
         ":8:26: output.probes.a.at: y = 2.1 is outside the domain, [0, 2]: choose a place in it"},
        {"  probes: {a: {from: [-1, 0], to: [1, 1]}}", ":8:23: output.probes.a.from: x = -1 is outside the domain"},
        {"  probes: {a: {at: [0.5]}}", ":8:20: output.probes.a.at must be a list of 2 coordinates"},
        {"  probes: {a: {at: [k, 0]}}", ":8:21: output.probes.a.at: x must be a finite number"},
        {"  probes: {a: {from: [0, 0]}}", ":8:15: output.probes.a must be a point, {at: [x, y]}, or a line"},
        {"  probes: {a: {at: [0, 0], points: 3}}", ":8:15: output.probes.a must be a point"},
        {"  probes: {a: {from: [0, 0], to: [1, 1], points: 1.5}}", ":8:50: output.probes.a.points must be an integer"},
        {"  probes: {a: {att: [0, 0]}}", ":8:16: output.probes.a.att is unknown; nearest is at"},
        {"  probes: {a b: {at: [0, 0]}}", ":8:12: "},
        {"  probes: [1]", ":8:11: output.probes must be a map of names to points and lines"},
    };
    check_mistakes(list, sizeof list / sizeof *list);
}

/* A product of cubic polynomials is exact at all places, in corners of the domain too, in each kind of grid. */
#define CUBIC "x^3 - x*y^2 + 2*x^2*y^3 + 1"
static double cubic(double x, double y) { return x * x * x - x * y * y + 2 * x * x * y * y * y + 1; }

static void check_cubic(const char *grid, const char *boundary)
{
    char text[1024], path[128];
    snprintf(text, sizeof text,
             "problem: pde\ngrid: {size: [7, 6], extent: [1, 2], origin: [0.25, -1], %s}\n"
             "fields: {u: {initial: \"" CUBIC "\", boundary: %s}}\nequations: \"du/dt = 0\"\n"
             "time: {end: 1, method: rk4, step: 1}\n"
             "output: {fields: [], figures: [], derived: {w: \"t - u\"}, probes: {p: {at: [0.3, 0.9]}, "
             "l: {from: [0.25, -1], to: [1.25, 1], points: 23}}}\n",
             grid, boundary);
    write_case(text, path);
    static int runs;
    char results[32];
    snprintf(results, sizeof results, "cubic%d", runs++);
    run_to_end(path, results, NULL, false);
    rw_csv_table point = read_table(results, "probes/p.csv"), line = read_table(results, "probes/l.csv");
    assert_int_equal(point.n_rows, 2);
    assert_int_equal(point.n_columns, 3);
    near(column(&point, "u")[1], cubic(0.3, 0.9), 1e-12);
    near(column(&point, "w")[1], 1 - cubic(0.3, 0.9), 1e-12);
    assert_int_equal(line.n_rows, 2 * 23);
    for (size_t k = 0; k < line.n_rows; ++k) {
        const double s = (double)(k % 23) / 22, x = 0.25 + s, y = -1 + 2 * s;
        near(column(&line, "t")[k], k < 23 ? 0 : 1, 0);
        near(column(&line, "x")[k], x, 1e-15);
        near(column(&line, "y")[k], y, 1e-15);
        near(column(&line, "u")[k], cubic(x, y), 1e-11);
    }
    rw_csv_free(&point);
    rw_csv_free(&line);
}

static void test_probes_are_cubic(void **state)
{
    (void)state;
    check_cubic("layout: auto", "neumann");
    check_cubic("layout: auto", "\"" CUBIC "\"");
    check_cubic("layout: auto", "{x: \"" CUBIC "\", bottom: \"" CUBIC "\"}");
    check_cubic("layout: cell", "neumann");
}

/* Across the end of a periodic axis, and on axes that are shorter than a cubic polynomial. */
static void test_probes_of_other_axes(void **state)
{
    (void)state;
    static const char periodic[] = "problem: pde\ngrid: {size: 64}\nfields: {u: {initial: \"sin(2*pi*x)\", boundary: "
                                   "periodic}}\nequations: \"du/dt = 0\"\ntime: {end: 1, method: rk4, step: 1}\n"
                                   "output: {fields: [], figures: [], probes: {l: {from: 0, to: 1}}}\n",
                      small[] = "problem: pde\ngrid: {size: [2, 2, 3]}\nfields: {u: {initial: \"x + 2*z^2\"}}\n"
                                "equations: \"du/dt = 0\"\ntime: {end: 1, method: rk4, step: 1}\n"
                                "output: {fields: [], figures: [], probes: {p: {at: [0.3, 0.4, 0.7]}}}\n";
    char path[128];
    write_case(periodic, path);
    run_to_end(path, "periodic", NULL, false);
    rw_csv_table line = read_table("periodic", "probes/l.csv");
    for (size_t k = 0; k < 101; ++k)
        near(column(&line, "u")[k], sin(2 * 3.14159265358979323846 * (double)k / 100), 3e-6);
    rw_csv_free(&line);
    write_case(small, path);
    run_to_end(path, "small", NULL, false);
    rw_csv_table point = read_table("small", "probes/p.csv");
    near(column(&point, "u")[0], 0.3 + 2 * 0.49, 1e-14);
    rw_csv_free(&point);
}

/* Restarts write the same tables, which have a row for each row of series.csv; other probes are refused. Pictures
 * follow from the tables. */
static void test_a_restart_has_the_same_probes(void **state)
{
    (void)state;
    static const char *const files[] = {"probes/p.csv", "probes/l.csv", "series.csv", "figures/probe-l-u.png",
                                        "figures/probe-p-q_y.png"};
    static const char text[] =
        CASE("{u: {initial: \"sin(3*x)*y\", boundary: {left: \"t\", y: periodic}}}",
             "equations: \"du/dt = laplace(u) + u - u^3\"\ntime: {end: 0.2, method: rkc2, rtol: 1e-4}\n"
             "output: {every: 0.05, series_steps: 2, fields: [], figures: u, derived: {q: \"grad(u)\"}, "
             "probes: {p: {at: [0.05, 1.9]}, l: {from: [0, 0], to: [1, 2], points: 5}}}\n");
    char path[128], where[160];
    const char *set[] = {"output.probes={p: {at: [0.5, 1]}}"};
    write_case(text, path);
    run_to_end(path, "probes", NULL, false);
    assert_int_equal(run_until(path, "parts3", (rw_run_options){0}, 3), RW_ERR_INTERRUPTED);
    run_to_end(path, "parts3", NULL, true);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        if (!same_files("probes", files[i], "parts3", files[i])) fail_msg("%s differs", files[i]);
    rw_csv_table series = read_table("probes", "series.csv"), point = read_table("probes", "probes/p.csv");
    assert_true(series.n_rows > 5);
    assert_int_equal(series.n_rows, point.n_rows);
    rw_csv_free(&series);
    rw_csv_free(&point);
    snprintf(where, sizeof where, "%s/parts3", folder);
    const rw_run_options options = {.folder = where, .device = "cpu", .set = set, .nset = 1, .restart = true};
    assert_int_equal(rw_run_case(ctx, path, &options, NULL), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "output.probes: {p: "));
}

/* ---- animations -------------------------------------------------------------------------------------------------- */

#define FILM                                                                                                           \
    CASE("{u: {initial: \"x\"}, v: {initial: \"y\"}}",                                                                 \
         "equations: [\"du/dt = -u\", \"dv/dt = 0\"]\ntime: {end: 1, method: rk4, step: 0.25}\n"                       \
         "output: {fields: [], derived: {q: \"[u, v]\"}, %s}\n")

static rw_status run_film(const char *output, const char *results)
{
    char text[1024], path[128];
    snprintf(text, sizeof text, FILM, output);
    write_case(text, path);
    return run_until(path, results, (rw_run_options){0}, -1);
}

static void test_animations_without_frames(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"animation: u",
         ":6:57: output.animation: there are no frames between the start and the end: set output.every"},
        {"every: 0.5, animation: w", ":6:69: output.animation: 'w' is not a field; "},
        {"every: 0.5, animation: [v, q], figures: [v]",
         ":6:73: output.animation: there are no frames of 'q', since output.figures draws no pictures of it"},
        {"every: 0.5, animation: all, figures: []", "output.animation: there are no frames of 'all'"},
        {"every: 0.5, animation: u, figures_every: last", "since output.figures_every = last draws one picture"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        assert_int_equal(run_film(list[i].text, "nothing"), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), list[i].message)) fail_msg("%s: %s", list[i].text, rw_message(ctx));
    }
}

/* A program ffmpeg that writes its arguments into the last of them, and fails as told. */
static void put_ffmpeg(int code)
{
    char text[400];
    snprintf(text, sizeof text,
             "mkdir -p '%s/bin' && printf '#!/bin/sh\\nfor last; do :; done\\necho \"$@\" >\"$last\"\\nexit %d\\n' "
             ">'%s/bin/ffmpeg' && chmod +x '%s/bin/ffmpeg'",
             folder, code, folder, folder);
    assert_int_equal(system(text), 0);
}

static void test_animations(void **state)
{
    (void)state;
    size_t n;
    char *before = rw_strdup(getenv("PATH")), *path = rw_format("%s/bin:%s", folder, before);
    setenv("PATH", path, 1);
    put_ffmpeg(0);
    assert_int_equal(run_film("every: 0.25, animation: [u, q], animation_rate: 4", "film"), RW_OK);
    char *bytes = read_bytes("film", "figures/q-animation.png", &n);
    assert_memory_equal(bytes + 37, "acTL\0\0\0\5\0\0\0\0", 12); /* five frames, again and again */
    rw_free(bytes);
    bytes = read_bytes("film", "figures/u-animation.mp4", &n);
    assert_non_null(strstr(bytes, "-i "));
    assert_non_null(strstr(bytes, "/figures/u-animation.png"));
    rw_free(bytes);
    assert_int_not_equal(access(result("film", "figures/v-animation.png"), F_OK), 0);
    put_ffmpeg(1);
    assert_int_equal(run_film("every: 0.5, animation: all", "failed"), RW_OK);
    assert_int_equal(access(result("failed", "figures/v-animation.png"), F_OK), 0);
    assert_int_not_equal(access(result("failed", "figures/v-animation.mp4"), F_OK), 0);
    setenv("PATH", before, 1);
    rw_free(path);
    rw_free(before);
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
                                       cmocka_unit_test(test_a_restart_has_the_same_derived_fields),
                                       cmocka_unit_test(test_no_memory),
                                       cmocka_unit_test(test_mistakes_of_probes),
                                       cmocka_unit_test(test_probes_are_cubic),
                                       cmocka_unit_test(test_probes_of_other_axes),
                                       cmocka_unit_test(test_a_restart_has_the_same_probes),
                                       cmocka_unit_test(test_animations_without_frames),
                                       cmocka_unit_test(test_animations)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
