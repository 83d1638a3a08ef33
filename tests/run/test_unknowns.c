/* Fields without a rate next to others in a case: restarts, values within steps, steady states, bad input. */
#include "pde_test.h"

/* w is transported by the flow of psi; %s: more settings, of `time` and of the case. */
#define FLOW                                                                                                           \
    CASE("{w: {initial: \"sin(pi*x)*sin(pi*y/2)\", boundary: {left: \"0\", right: \"y*(2 - y)\", y: neumann}}, "       \
         "psi: {initial: \"0\", boundary: {x: \"0\", y: neumann}}}",                                                   \
         "equations: [\"laplace(psi) = -w\", \"dw/dt = 0.1*laplace(w) - dy(psi)*dx(w) + dx(psi)*dy(w) + psi\"]\n"      \
         "time: {end: 0.2, %s}\n"                                                                                      \
         "%s"                                                                                                          \
         "output: {every: 0.05, fields: all, figures: [], vti: false%s}\n")

static void check_restart(const char *time, const char *solvers, const char *output, int number)
{
    char path[128], text[1024], whole[24], parts[24];
    static const char *const files[] = {"series.csv", "fields/000004.h5", "fields/000002.h5"};
    snprintf(text, sizeof text, FLOW, time, solvers, output);
    write_case(text, path);
    snprintf(whole, sizeof whole, "whole%d", number);
    snprintf(parts, sizeof parts, "parts%d", number);
    run_to_end(path, whole, NULL, false);
    assert_int_equal(run_until(path, parts, (rw_run_options){.restart = false}, 3), RW_ERR_INTERRUPTED);
    run_to_end(path, parts, NULL, true);
    for (int i = 0; i < RW_COUNT(files); ++i)
        if (!same_files(whole, files[i], parts, files[i])) fail_msg("%s: %s %s%s", files[i], time, solvers, output);
}

static void test_a_restart_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const times[] = {"method: rk4, step: 0.01", "method: rk4", "method: dp5", "method: rkc2",
                                        "method: rock4",           "method: auto"};
    static const char *const solvers[] = {"", "solvers: {psi: {method: krylov, rtol: 1e-6}}\n"};
    int number = 0;
    for (int t = 0; t < RW_COUNT(times); ++t)
        for (int s = 0; s < RW_COUNT(solvers); ++s) check_restart(times[t], solvers[s], "", number++);
    check_restart("method: dp5, rtol: 1e-8", "", ", interpolate: 1e-3", number++);
    check_restart("method: rkc2, rtol: 1e-6", "solvers: {psi: {method: krylov}}\n", ", interpolate: 1e-2", number++);
}

/* At each output psi belongs to w, also at those within steps. */
static void test_outputs_have_the_unknown_of_their_state(void **state)
{
    (void)state;
    static const char *const times[] = {"method: rk4, step: 0.01", "method: dp5, rtol: 1e-8", "method: rkc2",
                                        "method: rock4"};
    for (int t = 0; t < 2 * RW_COUNT(times); ++t) {
        char text[1400], path[128], name[16];
        const bool dense = t >= RW_COUNT(times);
        if (t == RW_COUNT(times)) continue; /* rk4 has no values within steps */
        snprintf(text, sizeof text, FLOW "checks: {psi: {value: \"normmax(laplace(psi) + w)\", tolerance: 1e-12}}\n",
                 times[t % RW_COUNT(times)], "",
                 dense ? ", interpolate: 1e-2, series_steps: 1, series: {r: \"normmax(laplace(psi) + w)\"}"
                       : ", series_steps: 1, series: {r: \"normmax(laplace(psi) + w)\"}");
        write_case(text, path);
        snprintf(name, sizeof name, "outputs%d", t);
        run_to_end(path, name, NULL, false);
        char *series, *line;
        size_t n;
        int rows = 0;
        assert_int_equal(rw_file_read(ctx, result(name, "series.csv"), 1 << 20, &series, &n), RW_OK);
        for (line = strchr(series, '\n'); line && line[1]; line = strchr(line + 1, '\n'), ++rows) {
            char *end = strchr(line + 1, '\n'), *last = end;
            while (last[-1] != ',') --last;
            const double r = strtod(last, NULL);
            if (!(r <= 1e-12)) fail_msg("%s: row %d has the residual %g", times[t % RW_COUNT(times)], rows, r);
        }
        assert_true(rows >= 5);
        rw_free(series);
    }
}

/* dw/dt = psi - w, laplace(psi) = -w + f: the steady state has psi = w. */
static void test_a_steady_state(void **state)
{
    (void)state;
    char path[128];
    write_case("problem: pde\ngrid: {size: [15, 15]}\n"
               "fields: {w: {initial: \"0\", boundary: \"0\"}, psi: {initial: \"0\", boundary: \"0\"}}\n"
               "equations: [\"laplace(psi) = w - 10\", \"dw/dt = psi - w\"]\n"
               "time: {end: steady, tolerance: 1e-10}\noutput: {figures: [], vti: false}\n"
               "checks: {same: {value: \"normmax(psi - w)\", tolerance: 1e-9}, "
               "solved: {value: \"normmax(laplace(psi) - psi + 10)\", tolerance: 1e-7}}\n",
               path);
    run_to_end(path, "steady", NULL, false);
    char *text;
    size_t n;
    assert_int_equal(rw_file_read(ctx, result("steady", "run.json"), 1 << 20, &text, &n), RW_OK);
    assert_non_null(strstr(text, "\"solves\": "));
    assert_non_null(strstr(text, "\"solve_residual\": 0"));
    rw_free(text);
}

#define TIME "time: {end: 0.1}\noutput: {every: 0.1, figures: [], vti: false}\n"
#define TWO "{w: {initial: \"x\"}, psi: {initial: \"0\", boundary: \"0\"}}"
#define FREE "{w: {initial: \"x\", boundary: neumann}, psi: {initial: \"0\", boundary: neumann}}"

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        rw_status status;
        const char *text, *message;
    } rows[] = {
        {RW_ERR_INPUT, CASE(TWO, "equations: [\"dw/dt = psi\"]\n" TIME),
         ":4:12: there is no equation for field psi: add dpsi/dt = "},
        {RW_ERR_INPUT, CASE(TWO, "equations: [\"dw/dt = psi\", \"laplace(w) = 1\"]\n" TIME), "4:29: this equation"},
        {RW_ERR_INPUT, CASE(TWO, "equations: [\"dw/dt = psi\", \"laplace(psi) = 1\", \"0 = psi - x\"]\n" TIME),
         "a second equation for psi"},
        {RW_ERR_INPUT,
         CASE(TWO, "equations: [\"dw/dt = psi\", \"laplace(psi) = 1\"]\nsolvers: {w: {rtol: 1e-3}}\n" TIME),
         ":5:11: solvers.w: the equation for w has a time derivative: it needs no solver"},
        {RW_ERR_INPUT,
         CASE(TWO,
              "equations: [\"dw/dt = psi\", \"laplace(psi) = x*y*psi\"]\nsolvers: {psi: {method: transform}}\n" TIME),
         ":4:29: method transform cannot solve this equation: the factor of psi[i, j] varies in space"},
        {RW_ERR_INPUT, CASE(FREE, "equations: [\"dw/dt = psi\", \"laplace(psi) = w\"]\n" TIME), "(at t = 0)"},
        {RW_ERR_NOT_CONVERGED,
         CASE(TWO, "equations: [\"dw/dt = psi\", \"laplace(psi) = exp(psi) - 9\"]\nsolvers: {psi: {steps: 1}}\n" TIME),
         "(at t = 0)"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char path[128], where[160];
        write_case(rows[i].text, path);
        snprintf(where, sizeof where, "%s/bad%d", folder, i);
        const rw_run_options options = {.folder = where, .device = "cpu"};
        const rw_status status = rw_run_case(ctx, path, &options, NULL);
        if (status != rows[i].status || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("%s\n%s: %s", rows[i].text, rows[i].message, status ? rw_message(ctx) : "no failure");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_restart_gives_the_same_bytes),
        cmocka_unit_test(test_outputs_have_the_unknown_of_their_state),
        cmocka_unit_test(test_a_steady_state),
        cmocka_unit_test(test_bad_input),
    };
    if (!open_folder()) return 1;
    const int failed = cmocka_run_group_tests_name("unknowns", tests, NULL, NULL);
    return close_folder() || failed;
}
