/* Cases that end when the state is steady: equations without a time derivative, which are solved, and rates, which are
 * integrated until they are small; restarts, columns of series.csv, mistakes, the smallest grids. */
#include "pde_test.h"

#include "../warnings.h"

#define STEADY "time: {end: steady}\n"
#define QUIET "output: {figures: [], vti: false, series_steps: 1}\n"
#define POISSON "equations: \"laplace(u) = -1\"\n"
#define ZERO "{u: {initial: \"0\", boundary: \"0\"}}"
#define LINE(n, fields, rest) "problem: pde\ngrid: {size: [" n "]}\nfields: " fields "\n" rest

/* The text of series.csv; free it with rw_free. */
static char *series(const char *results)
{
    char *text;
    size_t n;
    assert_int_equal(rw_file_read(ctx, result(results, "series.csv"), 1 << 20, &text, &n), RW_OK);
    return text;
}

static int lines(const char *text)
{
    int n = 0;
    for (; *text; ++text) n += *text == '\n';
    return n;
}

/* The checks of the case hold; *report as of rw_run_case. */
static void run_checked(const char *text, const char *results, bool restart, rw_run_report *report)
{
    char path[128], where[160];
    write_case(text, path);
    snprintf(where, sizeof where, "%s/%s", folder, results);
    const rw_run_options options = {.folder = where, .device = "cpu", .restart = restart};
    if (rw_run_case(ctx, path, &options, report) != RW_OK) fail_msg("%s: %s", text, rw_message(ctx));
}

/* Linear and not, one equation and systems in their order; a case that has been solved is not solved again. */
static void test_equations_are_solved(void **state)
{
    (void)state;
    static const struct {
        const char *text, *method;
    } rows[] = {
        {LINE("31", ZERO, POISSON STEADY QUIET "checks: {e: {value: \"normmax(u - x*(1 - x)/2)\", tolerance: 1e-9}}\n"),
         "transform"},
        {LINE("31", ZERO,
              "equations: \"div((1 + x)*grad(u)) = 0\"\nsolvers: {u: {method: krylov, rtol: 1e-11}}\n" STEADY QUIET
              "checks: {e: {value: \"normmax(u)\", tolerance: 1e-9}}\n"),
         "krylov"},
        /* u(u/2)'' = 1: u^2 is linear */
        {LINE("31", "{u: {initial: \"1 + x\", boundary: {left: \"1\", right: \"2\"}}}",
              "equations: \"laplace(u^2) = 0\"\n" STEADY QUIET
              "checks: {e: {value: \"normmax(u - sqrt(1 + 3*x))\", tolerance: 1e-7}}\n"),
         "krylov"},
        {LINE("31", "{u: {initial: \"0\", boundary: \"0\"}, w: {initial: \"0\", boundary: \"x\"}}",
              "equations: [\"laplace(u) = -w\", \"laplace(w) = 0\"]\n" STEADY QUIET
              "checks: {e: {value: \"normmax(u - (x - x^3)/6)\", tolerance: 1e-6}}\n"),
         "transform"},
        {LINE("31", "{u: {initial: \"3\", boundary: neumann}}",
              "equations: \"laplace(u) = 0\"\nsolvers: {u: {mean: 2}}\n" STEADY QUIET
              "checks: {e: {value: \"normmax(u - 2)\", tolerance: 1e-9}}\n"),
         "transform"},
        {LINE("31", "{A: {type: complex, initial: \"0\", boundary: \"0\"}}",
              "equations: \"laplace(A) = -2i\"\n" STEADY QUIET
              "checks: {e: {value: \"normmax(A - 1i*x*(1 - x))\", tolerance: 1e-9}}\n"),
         "transform"},
        /* a side that reads the field, at nodes of the grid: u^2 = 1 + 2x - x^2 */
        {"problem: pde\ngrid: {size: [33], layout: node}\n"
         "fields: {u: {initial: \"1\", boundary: {left: \"1\", right: \"(4*inner(u, 1) - inner(u, 2))/3\"}}}\n"
         "equations: \"div(u*grad(u)) = -1\"\nsolvers: {u: {method: krylov, precond: transform}}\n" STEADY QUIET
         "checks: {e: {value: \"normmax(u - sqrt(1 + 2*x - x^2))\", tolerance: 1e-3}}\n",
         "krylov"},
        /* rates, by Newton's method: coupled with each other and with an unknown */
        {LINE("31",
              "{u: {initial: \"1\", boundary: {left: \"1\", right: \"2\"}}, "
              "v: {initial: \"0.8\", boundary: \"1\"}, p: {initial: \"0\", boundary: \"0\"}}",
              "equations: [\"du/dt = laplace(u^2) + (v - 1)\", \"dv/dt = laplace(v) + v*(1 - v)*u\", "
              "\"laplace(p) = -v\"]\n"
              "solvers: {u: {rtol: 1e-11}}\ntime: {end: steady, method: newton}\n" QUIET
              "checks: {e: {value: \"normmax(u - sqrt(1 + 3*x))\", tolerance: 1e-7}, "
              "p: {value: \"normmax(p - x*(1 - x)/2)\", tolerance: 1e-7}}\n"),
         "krylov"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char name[16];
        rw_run_report first, second;
        snprintf(name, sizeof name, "solved%d", i);
        run_checked(rows[i].text, name, false, &first);
        char *text = series(name);
        assert_memory_equal(text, "iteration,residual,", 19);
        assert_int_equal(lines(text), first.step > 0 ? 3 : 2); /* names, the start, the end */
        assert_true(first.residual <= 1e-8);
        run_checked(rows[i].text, name, true, &second);
        char *again = series(name);
        assert_string_equal(text, again);
        assert_int_equal(first.step, second.step);
        rw_free(text);
        rw_free(again);
    }
}

/* In single precision the default tolerance is one that its rounding errors allow. */
static void test_default_tolerance(void **state)
{
    (void)state;
#define SINGLE(solvers)                                                                                                \
    "problem: pde\ngrid: {size: [63], precision: f32}\nfields: " ZERO "\n" POISSON solvers STEADY QUIET                \
    "checks: {e: {value: \"normmax(u - x*(1 - x)/2)\", tolerance: 1e-4}}\n"
    static const struct {
        const char *text;
        double tolerance;
    } rows[] = {{SINGLE(""), 1e-3},
                {SINGLE("solvers: {u: {method: krylov}}\n"), 1e-3},
                {SINGLE("solvers: {u: {rtol: 1e-4}}\n"), 1e-4},
                {LINE("63", ZERO, POISSON "solvers: {u: {steps: 3}}\n" STEADY QUIET), 1e-8}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char name[16];
        rw_run_report report;
        snprintf(name, sizeof name, "single%d", i);
        run_checked(rows[i].text, name, false, &report);
        assert_true(report.tolerance == rows[i].tolerance && report.residual <= report.tolerance);
    }
}

/* Every method comes to the end, from a state whose rates are large. */
static void test_rates_become_small(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "rkc2", "rkl2", "dp5", "rk4"};
    for (int m = 0; m < RW_COUNT(methods); ++m) {
        char text[512];
        rw_run_report report;
        snprintf(text, sizeof text,
                 LINE("40", "{u: {initial: \"1\", boundary: {left: \"1\", right: {neumann: \"-u^2\"}}}}",
                      "equations: \"du/dt = laplace(u)\"\ntime: {end: steady, method: %s}\n"
                      "output: {figures: [], vti: false}\n"
                      "checks: {e: {value: \"normmax(u - 1 + x*(3 - sqrt(5))/2)\", tolerance: 1e-7}}\n"),
                 methods[m]);
        warnings heard = {0};
        rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &heard);
        run_checked(text, methods[m], false, &report);
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        assert_true(report.residual <= 1e-8 && report.step > 10);
        assert_string_equal(heard.text, ""); /* there is no final time to which steps could be counted */
    }
}

static int64_t solves, most_solves;

static rw_status interrupted_solve(rw_problem *p)
{
    const rw_status status = rw_pde_ops.stationary->solve(p);
    if (++solves == most_solves) rw_cancel_request(&cancel);
    return status;
}

/* Interrupted after some steps and continued: the same bytes as of a run that nobody has interrupted. */
static void test_a_restart_gives_the_same_bytes(void **state)
{
    (void)state;
    static rw_problem_ops stopping;
    static rw_stationary_ops stationary;
    static const rw_problem_ops *const list[] = {&stopping, NULL};
    static const char text[] =
        CASE("{u: {initial: \"x*y\", boundary: {left: \"0\", right: neumann, y: periodic}}, "
             "v: {initial: \"1\", boundary: {left: \"1\", right: neumann, y: periodic}}}",
             "equations: [\"du/dt = laplace(u) + v - u\", \"dv/dt = laplace(v) - v^3 + sin(pi*y)\"]\n"
             "time: {end: steady, method: %s}\n"
             "output: {series_steps: 1, every_steps: 10, fields: all, figures: [], vti: false}\n");
    static const char *const methods[] = {"auto", "rk4"};
    for (int m = 0; m < RW_COUNT(methods); ++m) {
        char path[128], where[160], filled[sizeof text + 16];
        snprintf(filled, sizeof filled, text, methods[m]);
        write_case(filled, path);
        char whole[16], parts[16];
        snprintf(whole, sizeof whole, "whole%d", m);
        snprintf(parts, sizeof parts, "parts%d", m);
        run_to_end(path, whole, NULL, false);
        stationary = *rw_pde_ops.stationary;
        stationary.solve = interrupted_solve;
        stopping = rw_pde_ops;
        stopping.stationary = &stationary;
        snprintf(where, sizeof where, "%s/%s", folder, parts);
        rw_run_options options = {.folder = where, .device = "cpu", .cancel = &cancel};
        for (most_solves = 1; most_solves < 25; most_solves += 11) {
            rw_cancel_reset(&cancel);
            solves = 0;
            assert_int_equal(rw_run_with(ctx, list, path, &options, NULL), RW_ERR_INTERRUPTED);
            assert_non_null(strstr(rw_message(ctx), "interrupted at iteration "));
            options.restart = true;
        }
        run_to_end(path, parts, NULL, true);
        assert_true(same_files(whole, "series.csv", parts, "series.csv"));
        assert_true(same_files(whole, "fields/000002.h5", parts, "fields/000002.h5"));
    }
}

/* One and two nodes: h = 1/2 and 1/3. */
static void test_small_grids(void **state)
{
    (void)state;
    static const struct {
        const char *size, *value;
    } rows[] = {{"1", "1/8"}, {"2", "1/9"}, {"1, 1", "1/16"}, {"2, 2", "1/18"}, {"1, 1, 1", "1/24"}};
    static const char *const methods[] = {"auto", "krylov"};
    for (int i = 0; i < 2 * RW_COUNT(rows); ++i) {
        char text[512];
        rw_run_report report;
        snprintf(text, sizeof text,
                 LINE("%s", ZERO,
                      POISSON STEADY "solvers: {u: {method: %s}}\noutput: {figures: [], vti: false}\n"
                                     "checks: {e: {value: \"normmax(u - %s)\", tolerance: 1e-9}}\n"),
                 rows[i / 2].size, methods[i % 2], rows[i / 2].value);
        char name[16];
        snprintf(name, sizeof name, "small%d", i);
        run_checked(text, name, false, &report);
    }
}

static void test_check_and_explain(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {LINE("31", ZERO, POISSON STEADY), "method   transform: "},
        {LINE("31", ZERO, "equations: \"du/dt = laplace(u) + 1\"\n" STEADY),
         "auto: chooses rkc2 at the first step: stiff"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_device *device;
        rw_case *c;
        rw_problem *p;
        rw_text text = {0};
        assert_int_equal(check_text(rows[i].text), RW_OK);
        assert_int_equal(rw_device_open(ctx, "cpu", &device), RW_OK);
        assert_int_equal(create(rows[i].text, device, &c, &p), RW_OK);
        assert_int_equal(p->ops->explain(p, &text), RW_OK);
        if (!text.data || !strstr(text.data, rows[i].says)) fail_msg("%s", text.data);
        rw_text_free(&text);
        destroy(&c, &p);
        rw_device_close(&device);
    }
}

#define SOLVERS(text) CASE(ZERO, POISSON STEADY "solvers: " text "\n")
#define STATE(text) CASE(ZERO, POISSON "time: " text "\n")

/* Found before the run. */
static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {STATE("{end: 1}"), ":5:13: time.end = 1: no equation has a time derivative: write time: {end: steady}"},
        {STATE("{end: Steady}"), ":5:13: time.end = Steady is not a number: final time; steady: when"},
        {STATE("{end: inf}"), ":5:13: time.end = inf is outside (-inf, inf) and not steady"},
        {STATE("{end: .nan}"), ":5:13: time.end = .nan is not a number (NaN)"},
        {STATE("{end: steady, start: steady}"), ":5:28: time.start = steady is not a number"},
        {STATE("{end: steady, tolerance: 0}"), ":5:32: time.tolerance = 0 is outside (0, inf)"},
        {CASE(ZERO, "equations: \"laplace(u) = t\"\n" STEADY),
         ":4:13: time.end = steady, but the equations depend on t"},
        {CASE(ZERO, "equations: \"laplace(u) + t = 0\"\n" STEADY),
         ":4:13: time.end = steady, but the equations depend"},
        {CASE(ZERO, "equations: \"du/dt = laplace(u) + sin(t)\"\n" STEADY), ":4:13: time.end = steady, but the equ"},
        {CASE("{u: {initial: \"0\", boundary: {left: \"1 + t\"}}}", POISSON STEADY),
         ":3:45: fields.u.boundary = 1 + t reads t, but time.end = steady: give a final time, or leave t out"},
        {CASE(ZERO, POISSON STEADY "output: {interpolate: 1e-3, every: 1}\n"),
         ":6:23: output.interpolate with time.end = steady: there are no times of outputs: omit it"},
        {SOLVERS("{v: {rtol: 1e-3}}"), ":6:11: solvers.v: there is no field v"},
        {SOLVERS("{u: {method: cg}}"), ":6:23: solvers.u.method = cg is none of transform, krylov, multigrid, auto"},
        {SOLVERS("{u: {metod: krylov}}"), ":6:15: solvers.u.metod is unknown; nearest is solvers.u.method"},
        {SOLVERS("{u: {rtol: -1}}"), ":6:21: solvers.u.rtol = -1 is outside (0, 1) and not off"},
        {SOLVERS("{u: {rtol: 2}}"), ":6:21: solvers.u.rtol = 2 is outside (0, 1) and not off"},
        {SOLVERS("{u: {steps: 0}}"), ":6:22: solvers.u.steps = 0 is outside [1, 100000]"},
        {SOLVERS("{u: 3}"), ":6:14: solvers.u is a single value, not a map"},
        {SOLVERS("3"), ":6:10: solvers is a single value, not a map"},
        {CASE(ZERO, "equations: \"du/dt = -u\"\n" STEADY "solvers: {u: {rtol: 1e-3}}\n"),
         ":6:11: solvers.u: the equation for u has a time derivative: it needs no solver, except with "},
        {CASE(ZERO, "equations: \"du/dt = -u\"\ntime: {end: 1, method: newton}\n"),
         ":5:13: time.end = 1 with time.method = newton, which finds steady states: write end: steady"},
        {"problem: pde\ngrid: none\nfields: {u: {initial: \"1\"}}\nequations: \"du/dt = -u\"\n"
         "time: {end: steady, method: newton}\n",
         ":2:7: grid: none with time.method = newton: it needs a grid"},
        {CASE("{u: {initial: \"0\"}, v: {initial: \"0\"}}", "equations: [\"laplace(u) = v\"]\n" STEADY),
         ":4:14: there is no equation for v"},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"laplace(u) = 1\", \"0 = u - x\"]\n" STEADY),
         ":4:32: a second equation for u, which "},
        {"problem: pde\ngrid: none\nfields: {u: {initial: \"1\"}}\nequations: \"u^2 = 2\"\n" STEADY,
         ":2:7: grid: none: equations without a time derivative need a grid"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const rw_status status = check_text(rows[i].text);
        if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), rows[i].message) || strchr(rw_message(ctx), '\n'))
            fail_msg("%s\n%s: %s", rows[i].text, rows[i].message, status ? rw_message(ctx) : "no mistake");
    }
}

/* Found while a solver is made, or by it. */
static void test_failures(void **state)
{
    (void)state;
    static const struct {
        rw_status status;
        const char *text, *message;
    } rows[] = {
        {RW_ERR_INPUT, CASE(ZERO, "equations: \"laplace(u) + x*u = 1\"\n" STEADY "solvers: {u: {method: transform}}\n"),
         ":4:13: method transform cannot solve this equation: the factor of u[i, j] varies in space"},
        {RW_ERR_INPUT, CASE("{u: {initial: \"0\", boundary: neumann}}", POISSON STEADY QUIET),
         ":4:13: the equation has no solution: no side gives a value"},
        {RW_ERR_INPUT, CASE(ZERO, "equations: \"laplace(u) = log(x - 0.5)\"\n" STEADY QUIET),
         ":4:13: the residual of the start is not a finite number"},
        {RW_ERR_INPUT, CASE(ZERO, "data: {q: \"log(x - 0.5)\"}\nequations: \"laplace(u) = q\"\n" STEADY QUIET),
         ":4:11: data.q is not a number at node (0, 0)"},
        {RW_ERR_NOT_CONVERGED,
         CASE(ZERO, "equations: \"laplace(u) = exp(u) - 9\"\n" STEADY "solvers: {u: {steps: 1}}\n" QUIET),
         "method krylov has not reached the tolerance"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char path[128], where[160], name[16];
        write_case(rows[i].text, path);
        snprintf(name, sizeof name, "failed%d", i);
        snprintf(where, sizeof where, "%s/%s", folder, name);
        const rw_run_options options = {.folder = where, .device = "cpu"};
        const rw_status status = rw_run_case(ctx, path, &options, NULL);
        if (status != rows[i].status || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("%s\n%s: %s", rows[i].text, rows[i].message, status ? rw_message(ctx) : "no failure");
    }
}

/* time.tolerance without a steady state has no effect, and a warning says so. */
static void test_tolerance_without_steady(void **state)
{
    (void)state;
    char path[128];
    warnings heard = {0};
    write_case(CASE(ZERO, "equations: \"du/dt = laplace(u)\"\ntime: {end: 0.01, tolerance: 1e-3}\n" QUIET), path);
    rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &heard);
    run_to_end(path, "tolerance", NULL, false);
    rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
    assert_non_null(strstr(heard.text, ":5:30: time.tolerance has no effect if time.end = 0.01; it needs time.end = "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations_are_solved),
        cmocka_unit_test(test_default_tolerance),
        cmocka_unit_test(test_rates_become_small),
        cmocka_unit_test(test_a_restart_gives_the_same_bytes),
        cmocka_unit_test(test_small_grids),
        cmocka_unit_test(test_check_and_explain),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_tolerance_without_steady),
    };
    if (!open_folder()) return 1;
    const int failed = cmocka_run_group_tests_name("steady", tests, NULL, NULL);
    return close_folder() || failed;
}
