/* Read-only fields of a case: values from expressions, files, pictures and earlier runs, how they continue beyond
 * sides, a given solution, a restart that gives the same bytes and notices a changed file, and mistakes. */
#include "pde_test.h"

#include "../values.h"
#include "files/npy.h"

#define TIME "time: {end: 0.1, method: rkc2}\n"
#define QUIET "output: {every: 0.05, figures: [], vti: false}\n"

static void write_numbers(const char *name, int nx, int ny, double (*value)(double x, double y))
{
    static double numbers[64 * 64];
    char path[128];
    const size_t shape[2] = {(size_t)ny, (size_t)nx};
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) numbers[j * nx + i] = value((i + 0.5) / nx, (j + 0.5) / ny);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(rw_npy_write(ctx, path, RW_F64, 2, shape, numbers), RW_OK);
}

static double slope(double x, double y) { return (void)y, 1 + x; }
static double other_slope(double x, double y) { return 1 + x + 1e-9 * y; }
static double hole(double x, double y) { return x < 0.35 && x > 0.3 && y > 0.9 ? NAN : 1; }

/* The checks of a case hold. */
static void run_checked(const char *text, const char *results)
{
    char path[128];
    write_case(text, path);
    run_to_end(path, results, NULL, false); /* a check that fails is an error */
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void test_sources(void **state)
{
    (void)state;
    char path[128], picture[] = "P2 8 8 8\n"
                                "8 8 8 8 8 8 8 8\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n"
                                "0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n";
    snprintf(path, sizeof path, "%s/p.pgm", folder);
    assert_int_equal(rw_file_write(ctx, path, picture, strlen(picture)), RW_OK);
    write_numbers("k.npy", 8, 8, slope);
    run_checked("problem: pde\n"
                "grid: {size: [8, 8], layout: cell}\n"
                "data: {k: {file: k.npy}, q: \"2*f(x) + a\", m: {picture: p.pgm, low: 1, high: 3}, w: noise(7), "
                "kk: \"k[i-1] + q\", most: \"max(kk)\"}\n"
                "fields: {u: {initial: \"kk - k[i-1] - q\"}}\n"
                "functions: \"f(s) = s^2\"\n"
                "parameters: {a: 3}\n"
                "equations: \"du/dt = k - 1 + 0*w\"\n"
                "checks:\n"
                "  u: {value: normmax(u - t*x), expect: 0, tolerance: 1e-13}\n"
                "  k: {value: normmax(k - 1 - x), expect: 0, tolerance: 1e-15}\n"
                "  q: {value: normmax(q - 2*x^2 - 3), expect: 0, tolerance: 1e-14}\n"
                "  m: {value: \"normmax(m - where(y > 7/8, 3, 1))\", expect: 0, tolerance: 1e-14}\n"
                "  kk: {value: \"normmax(kk - k[i-1] - q)\", expect: 0, tolerance: 1e-300}\n"
                "  most: {value: normmax(most - max(kk)), expect: 0, tolerance: 1e-300}\n"
                "  w: {value: normmax(w - noise(7)), expect: 0, tolerance: 1e-300}\n" TIME QUIET,
                "sources");
    /* the state that this run has ended with, as data and as initial values */
    run_checked("problem: pde\n"
                "grid: {size: [8, 8], layout: cell, precision: f32}\n"
                "data: {T: {run: sources, field: u}}\n"
                "fields: {u: {initial: {run: sources, field: u}}}\n"
                "equations: \"du/dt = T - u\"\n"
                "checks:\n"
                "  u: {value: normmax(u - 0.1*x), expect: 0, tolerance: 1e-7}\n"
                "  T: {value: normmax(T - 0.1*x), expect: 0, tolerance: 1e-7}\n" TIME QUIET,
                "earlier");
}

/* k = x + 10 y on 8 x 8 nodes, [i]: its value at node i of a row. */
static void test_sides(void **state)
{
    (void)state;
    static const struct {
        const char *layout, *boundary, *before; /* k[i-1] at the left side, from the nodes 0, 1 and 7 of the row */
    } rows[] = {{"auto", "neumann", "k[i+1]"},
                {"auto", "\"0\"", "k"},
                {"auto", "{x: periodic, y: neumann}", "k[i+7]"},
                {"auto", "{left: reflect, right: reflect, y: neumann}", "k"},
                {"cell", "neumann", "k"},
                {"cell", "\"0\"", "k"},
                {"cell", "periodic", "k[i+7]"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char text[1024], name[16];
        snprintf(
            text, sizeof text,
            "problem: pde\n"
            "grid: {size: [8, 8], layout: %s}\n"
            "data: {k: \"(x + 0.3)^2 + 10*y\"}\n"
            "fields: {u: {initial: \"0\", boundary: %s}}\n"
            "equations: \"du/dt = 0*k\"\n"
            "checks:\n"
            "  left: {value: \"normmax(where(x < min(x) + hx/2, k[i-1] - %s, 0))\", expect: 0, tolerance: 1e-300}\n"
            "  inside: {value: \"normmax(where(x > min(x) + hx/2, k[i-1] - (x - hx + 0.3)^2 - 10*y, 0))\", "
            "expect: 0, tolerance: 1e-14}\n" TIME QUIET,
            rows[i].layout, rows[i].boundary, rows[i].before);
        snprintf(name, sizeof name, "sides%d", i);
        run_checked(text, name);
    }
}

/* Sides that read data: k at the node next to them, of layout node on them; the steady state is linear. */
static void test_sides_read_data(void **state)
{
    (void)state;
    static const struct {
        const char *layout, *left, *steady;
    } rows[] = {{"auto", "k", "2 + hx + (1 - 2*hx)*x"},
                {"cell", "k", "2 + hx/2 + (1 - hx)*x"},
                {"node", "k", "2 + x"},
                {"node", "inner(k, 1) - hn", "2 + x"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char text[1024], name[16];
        snprintf(text, sizeof text,
                 "problem: pde\n"
                 "grid: {size: [12], layout: %s}\n"
                 "data: {k: \"2 + x\"}\n"
                 "fields: {u: {initial: \"0\", boundary: {left: \"%s\", right: \"k\"}}}\n"
                 "equations: \"du/dt = laplace(u)\"\n"
                 "time: {end: 3, rtol: 1e-8, atol: 1e-9}\n"
                 "checks: {u: {value: \"normmax(u - (%s))\", tolerance: 1e-7}}\n" QUIET,
                 rows[i].layout, rows[i].left, rows[i].steady);
        snprintf(name, sizeof name, "read%d", i);
        run_checked(text, name);
    }
}

/* u = exp(-t) w(x) on a grid of cells, k = 1 + x from a file, and q = -w - (k w')', which closes the equation, as an
 * expression: an error of order 2, with no flux through the sides and with given values there. */
static void test_given_solution(void **state)
{
    (void)state;
    static const struct {
        const char *w, *q, *boundary;
        double error; /* over h^2 */
    } rows[] = {{"cos(pi*x)", "pi^2*(1 + x)*cos(pi*x) + pi*sin(pi*x) - cos(pi*x)", "neumann", 0.71},
                {"sin(pi*x)", "pi^2*(1 + x)*sin(pi*x) - pi*cos(pi*x) - sin(pi*x)", "\"0\"", 0.66}};
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int n = 16; n <= 32; n *= 2) {
            char text[1024], name[16];
            snprintf(name, sizeof name, "given%d-%d", i, n);
            write_numbers("k.npy", n, 4, slope);
            snprintf(text, sizeof text,
                     "problem: pde\n"
                     "grid: {size: [%d, 4], layout: cell}\n"
                     "data: {k: {file: k.npy}, q: \"%s\"}\n"
                     "fields: {u: {initial: \"%s\", boundary: {left: %s, right: %s, y: periodic}}}\n"
                     "equations: \"du/dt = div(k*grad(u)) + exp(-t)*q\"\n"
                     "time: {end: 0.1, method: rock4, rtol: 1e-8, atol: 1e-10}\n"
                     "checks: {u: {value: \"normmax(u - exp(-t)*%s)*hx^(-2)\", expect: %g, tolerance: 0.1}}\n" QUIET,
                     n, rows[i].q, rows[i].w, rows[i].boundary, rows[i].boundary, rows[i].w, rows[i].error);
            run_checked(text, name);
        }
}

/* ---- restart ----------------------------------------------------------------------------------------------------- */

#define SLOW(method, source)                                                                                           \
    "problem: pde\n"                                                                                                   \
    "grid: {size: [16, 16]}\n"                                                                                         \
    "data: {k: {file: k.npy}, q: sin(3*x)*y}\n"                                                                        \
    "fields: {u: {initial: \"x\", boundary: {left: \"t\", y: periodic}}}\n"                                            \
    "equations: \"du/dt = div(k*grad(u)) + " source "\"\n"                                                             \
    "time: {end: 0.2, method: " method ", rtol: 1e-4}\n" QUIET

static void test_restart(void **state)
{
    (void)state;
    static const char *const texts[] = {SLOW("rkc2", "q*u[i+1]"), SLOW("rock4", "q*u[i+1]"), SLOW("dp5", "q*u[i+1]"),
                                        /* the spectral radius varies: a restart has the one that was found last */
                                        SLOW("rkc2", "-30000*k*t*u"), SLOW("rk4", "-30000*k*t*u")};
    for (int m = 0; m < RW_COUNT(texts); ++m) {
        char path[128], whole[16], parts[16];
        const char *restart[] = {"time.end=0.2"};
        snprintf(whole, sizeof whole, "whole%d", m), snprintf(parts, sizeof parts, "parts%d", m);
        write_numbers("k.npy", 16, 16, slope);
        write_case(texts[m], path);
        run_to_end(path, whole, NULL, false);
        run_to_end(path, parts, "time.end=0.1", false);
        write_numbers("k.npy", 16, 16, other_slope);
        rw_run_options options = {.folder = result(parts, "."),
                                  .device = "cpu",
                                  .set = restart,
                                  .nset = 1,
                                  .restart = true};
        assert_int_equal(rw_run_case(ctx, path, &options, NULL), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), "case.yaml:3:11: data.k: the values read now are not those that the checkpoint"))
            fail_msg("%s", rw_message(ctx));
        write_numbers("k.npy", 16, 16, slope);
        run_to_end(path, parts, NULL, true);
        assert_true(same_files(whole, "series.csv", parts, "series.csv"));
        assert_true(same_files(whole, "fields/000004.h5", parts, "fields/000004.h5"));
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void refused(rw_device *dev, const char *text, const char *message)
{
    rw_case *c = NULL;
    rw_problem *p;
    const rw_status status = create(text, dev, &c, &p);
    if ((status != RW_ERR_INPUT && status != RW_ERR_FILE) || !strstr(rw_message(ctx), message))
        fail_msg("%s%s: %s", text, rw_status_name(status), rw_message(ctx));
    rw_case_free(&c);
}

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *data, *equations, *message;
    } rows[] = {
        {"{k: {file: none.npy}}", "k", ":3:18: /tmp/rechenwerk-test"},
        {"{k: {file: k.npy}}", "k", "holds 16 x 16 f64; the grid needs real numbers of shape 8 x 8"},
        {"{k: {file: hole.npy}}", "k", ":3:11: data.k is not a number at node (2, 7), x = 0.3125, y = 0.9375"},
        {"{k: \"1/(x - 0.0625)\"}", "k", ":3:11: data.k is infinite at node (0, 0)"},
        {"{k: 1/0}", "k", ":3:11: data.k = 1/0 is inf: finite values are needed"},
        {"{k: {fil: k.npy}}", "k", ":3:12: data.k.fil is unknown; nearest is file"},
        {"{k: {file: k.npy, low: 1}}", "k", ":3:25: data.k.low is unknown: allowed are file, or picture"},
        {"{k: {picture: none.png}}", "k", ":3:21: cannot open '"},
        {"{k: {picture: a.png, low: dark}}", "k", "data.k.low must be a number"},
        {"{k: {run: nowhere, field: u}}", "k", ":3:17: "},
        {"{k: {run: sources, field: v}}", "k", ":3:33: there is no field v in "}, /* of test_sources */
        {"{k: {run: nowhere}}", "k", "data.k.field is missing: the name of a field"},
        {"{k: [1, 2]}", "k", "data.k must be an expression, {file: u.npy}"},
        {"{k: }", "k", "data.k has no value"},
        {"[k]", "k", "data is a list, not a map of names"},
        {"{u: \"1\"}", "1", ":3:8: u is both data and a field: choose another name"},
        {"{a: \"1\"}", "1", ":3:8: a is both data and a parameter"},
        {"{x: \"1\"}", "1", ":3:8: \"x\" is a coordinate"},
        {"{k: u}", "k", ":3:11: field u is not allowed here"},
        {"{k: x, q: u}", "k", ":3:17: data.q reads an unknown: only coordinates"},
        {"{k: x, q: w, w: x}", "k", ":3:17: name w is unknown"},
        {"{k: k}", "k", ":3:11: field k is not allowed here"},
        {"{k: q}", "k", ":3:11: name q is unknown"},
        {"{k: 1i}", "k", "is complex"},
        {"{k: \"1\"}", "k; dk/dt = 1", "dk/dt: k is data, which equations only read: for an unknown use fields.k"},
        {"{k: \"1\"}", "k; k = 2", "k cannot be assigned: it is an external field"},
        {"{k: \"1\"}", "kk", "name kk is unknown; nearest is k"},
    };
    rw_device *dev;
    assert_int_equal(rw_device_open(ctx, "cpu", &dev), RW_OK);
    write_numbers("k.npy", 16, 16, slope);
    write_numbers("hole.npy", 8, 8, hole);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "problem: pde\ngrid: {size: [8, 8], layout: cell}\ndata: %s\nfields: {u: {initial: \"0\"}}\nparameters: "
            "{a: 1}\nequations: \"du/dt = %s\"\n" TIME,
            rows[i].data, rows[i].equations);
        refused(dev, text, rows[i].message);
    }
    /* a picture has two dimensions; boundaries do not read fields */
    refused(dev,
            "problem: pde\ngrid: {size: [8]}\ndata: {k: {picture: p.pgm}}\nfields: {u: {initial: \"0\"}}\n"
            "equations: du/dt = k\n" TIME,
            "values from a picture need a grid of two dimensions, this one has 1");
    refused(dev,
            "problem: pde\ngrid: {size: [8]}\ndata: {k: x}\nfields: {u: {initial: \"0\", boundary: inner(k)}}\n"
            "equations: du/dt = k\n" TIME,
            "inner takes 2 arguments, 1 given");
    /* data continue as the fields do: the mistake is that of the field's side */
    refused(dev,
            "problem: pde\ngrid: {size: [8]}\ndata: {k: dx(x)}\nfields: {u: {initial: \"0\", boundary: {x: periodic, "
            "left: 1, right: robyn}}}\nequations: du/dt = k\n" TIME,
            ":4:68: fields.u.boundary: robyn is neither a parameter nor a boundary condition");
    rw_device_close(&dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sources),         cmocka_unit_test(test_sides),
                                       cmocka_unit_test(test_sides_read_data), cmocka_unit_test(test_given_solution),
                                       cmocka_unit_test(test_restart),         cmocka_unit_test(test_bad_input)};
    if (!open_folder()) return 1;
    const int failed = cmocka_run_group_tests_name("data", tests, NULL, NULL);
    return close_folder() || failed;
}
