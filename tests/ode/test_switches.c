/* Right-hand sides that jump: in time, where steps end before the jump and begin after it, and in place or in the
 * fields, where the comparison of the step's ends bounds the error. */
#include "../warnings.h"
#include "ode_test.h"

static const rw_boundary none[12];
static double zero(const double x[3], int f) { return (void)x, (void)f, 0; }
static double slope(const double x[3], int f) { return (void)f, x[0]; }

static int last_method(void) { return on("cpu") ? RW_ODE_DP5 : RW_ODE_RKC2; } /* others: what compiles soonest */

/* ---- in time ----------------------------------------------------------------------------------------------------- */

static double charged(double t) /* du/dt = where(mod(t, 20) < 0.5, 2, 0) - u/100, u(0) = 0, at multiples of 20 */
{
    double u = 0;
    for (double at = 0; at < t; at += 20) u = (200 + (u - 200) * exp(-0.005)) * exp(-0.195);
    return u;
}

/* Pulses shorter than a step, and several switches in one step. */
static void test_pulses(void **state)
{
    (void)state;
    const struct {
        const char *equations;
        double end, rtol, u;
    } cases[] = {{"du/dt = where(mod(t, 20) < 0.5, 2, 0) - u/100", 1000, 1e-5, charged(1000)},
                 {"du/dt = where(mod(t, 0.1) < 0.01, 10, 0) + 0*u", 2, 1e-8, 2},
                 {"du/dt = where(t > 7 and t < 7.0001, 1e4, 0) + 0*u", 1000, 1e-6, 1},
                 {"du/dt = floor(3*t) + 0*u", 2, 1e-8, 5},
                 {"du/dt = 1 + sign(sin(20*t + 0.1)) + 0*u", 2, 1e-8, 0},
                 {"du/dt = mod(t, 0.3) + 0*u", 2, 1e-6, 0.29},
                 {"du/dt = where(cos(40*t) >= 0.999, 100, 0) + 0*u", 2, 1e-8, 0},
                 {"du/dt = where(mod(t, 0.5) < k, 1, 0) + 0*u", 4, 1e-8, 0.8},
                 {"du/dt = 1000*max(sin(t) - 0.999, 0) + 0*u", 13, 1e-5,
                  4000 * (sin(acos(0.999)) - 0.999 * acos(0.999))},
                 {"du/dt = max(1 - 100*abs(t - 77), 0) + 0*u", 100, 1e-6, 0.01}};
    static const double pi = 3.14159265358979323846;
    for (int i = 0; i < (on("cpu") ? RW_COUNT(cases) : 1); ++i)
        for (int method = RW_ODE_RK4; method <= last_method(); ++method) {
            problem p;
            double exact = cases[i].u, bound = 15 * cases[i].rtol;
            if (!test_long() && (i + method) % 5) continue;
            describe(&p, cases[i].equations, 1, 1, 3, none);
            p.scalars[0] = (rw_expr_scalar){.name = "k", .value = 0.25}, p.spec.nscalars = 1;
            p.spec.method = (rw_ode_method)method, p.spec.rtol = p.spec.atol = cases[i].rtol,
            p.spec.step = cases[i].end / 300;
            if (strstr(cases[i].equations, "sign")) { /* rate 2 while the sine is positive */
                double first = (pi - 0.1) / 20, period = pi / 10;
                exact = 2 * first;
                for (double on_at = (2 * pi - 0.1) / 20; on_at < 2; on_at += period)
                    exact += 2 * (fmin(2, on_at + period / 2) - on_at);
            }
            if (strstr(cases[i].equations, "cos")) {
                double half = acos(0.999) / 40, period = 2 * pi / 40;
                exact = 100 * half;
                for (double at = period; at < 2; at += period) exact += 100 * (fmin(2, at + half) - (at - half));
            }
            start(&p, zero);
            OK(rw_ode_set(p.ode, "k", 0.1)); /* a threshold that changes afterwards */
            run_to(&p, cases[i].end);
            double u = numbers_of(p.array[0])[1];
            if (!(fabs(u - exact) <= bound))
                fail_msg("%s, %s: %.12g, not %.12g", cases[i].equations, method_of(p.ode), u, exact);
            finish(&p);
        }
}

/* Expressions of time that are noise at their threshold: the search ends, says so, and time goes on. */
static void test_undecided(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    problem p;
    warnings h = {0};
    describe(&p, "du/dt = where(sin(t)^2 + cos(t)^2 > 1, 2, 2 + 1e-9) + 0*u", 1, 1, 3, none);
    p.spec.method = RW_ODE_DP5, p.spec.rtol = 1e-6;
    rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &h);
    start(&p, zero);
    for (int n = 0; rw_ode_time(p.ode) < 10; ++n) {
        OK(rw_ode_step(p.ode, 10));
        assert_true(n < 100000);
    }
    assert_true(fabs(numbers_of(p.array[0])[0] - 20) < 1e-6);
    finish(&p);
    rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
    assert_int_equal(h.n, 1);
    if (!strstr(h.text, "sin(t)") || !strstr(h.text, "time.max_step")) fail_msg("%s", h.text);
}

/* ---- in place and in the fields ---------------------------------------------------------------------------------- */

/* On n intervals with tolerances 1e-3, 1e-5, … 10^-most: the error of each method, over 1 + |u|, stays below 50 times
 * the tolerance. */
static void check_errors(const char *equation, int n, value_at *initial, double end, int most,
                         double (*exact)(double x))
{
    for (int method = RW_ODE_RKC2; method <= last_method(); ++method)
        for (int k = 3; k <= most; k += 2) {
            problem p;
            if (method != RW_ODE_RKC2 && (!in_turn(method + n, 0) || !in_turn(k / 2, 0))) continue;
            double tol = pow(10, -k), worst = 0;
            describe(&p, equation, 1, 1, n, none);
            p.spec.method = (rw_ode_method)method, p.spec.rtol = p.spec.atol = tol;
            start(&p, initial);
            run_to(&p, end);
            const double *u = numbers_of(p.array[0]);
            for (int i = 0; i <= n; ++i) {
                double v = exact((double)i / n);
                worst = fmax(worst, fabs(u[i] - v) / (1 + fabs(v)));
            }
            if (!(worst <= 50 * tol)) fail_msg("%s, %s at %g: error %g", equation, method_of(p.ode), tol, worst);
            finish(&p);
        }
}

/* A source that moves over the nodes, at t = 2. */
static double pulse(double x) { return 10 * fmax(0, fmin(2, x + 0.05) - fmax(0, x - 0.05)); }

static void test_moving_source(void **state)
{
    (void)state;
    check_errors("du/dt = where(abs(x - t) < 0.05, 10, 0)", 100, zero, 2, on("cpu") ? 9 : 5, pulse);
}

/* The rate of a node is switched by its own value: du/dt = floor(u) + 1 from u = x, whose solution has corners at
 * integers; at t = 1.25. */
static double with_corners(double x)
{
    double left = 1.25, u = x;
    for (double rate = floor(x) + 1; left > 0; ++rate) {
        double time = (floor(u) + 1 - u) / rate;
        if (time >= left) return u + left * rate;
        u = floor(u) + 1, left -= time;
    }
    return u;
}

static void test_floor_of_a_field(void **state)
{
    (void)state;
    check_errors("du/dt = floor(u) + 1", 20, slope, 1.25, on("cpu") ? 7 : 3, with_corners);
}

/* mod of a field: du/dt = mod(u, 1) + 1 from u = x, remainders m with m' = m + 1 that begin anew at 1; at t = 1.25. */
static double with_remainders(double x)
{
    double left = 1.25, whole = floor(x), m = x - whole;
    for (double time; (time = log(2 / (1 + m))) < left; left -= time) whole += 1, m = 0;
    return whole + (1 + m) * exp(left) - 1;
}

/* A condition that is a number: the rate is 3 where max(u - 1, 0) is not 0. */
static double with_a_corner(double x) { return x < 1 - 0.5 ? x + 0.5 : 1 + 3 * (x - 0.5); }

static void test_other_switches_of_a_field(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    check_errors("du/dt = mod(u, 1) + 1", 20, slope, 1.25, 7, with_remainders);
    check_errors("du/dt = where(max(u - 1, 0), 3, 1)", 20, slope, 0.5, 7, with_a_corner);
}

/* Boundary values that jump in place and time. */
static void test_moving_boundary_value(void **state)
{
    (void)state;
    static const rw_boundary sides[12] = {{RW_BOUNDARY_DIRICHLET, "0", 0, 0},
                                          {RW_BOUNDARY_DIRICHLET, "0", 0, 0},
                                          {RW_BOUNDARY_DIRICHLET, "where(abs(x - t) < 0.2, 1, 0)", 0, 0},
                                          {RW_BOUNDARY_DIRICHLET, "0", 0, 0}};
    if (!on("cpu")) skip();
    double *reference = NULL;
    int64_t n = 0;
    for (int method = RW_ODE_DP5; method >= RW_ODE_RKC2; --method)
        for (int k = reference ? 3 : 9; k <= (reference ? 5 : 9); k += 2) {
            problem p;
            double tol = pow(10, -k), worst = 0;
            if (reference && !in_turn(method + k / 2, 0)) continue;
            describe(&p, "du/dt = 0.02*laplace(u)", 1, 2, 16, sides);
            p.spec.method = (rw_ode_method)method, p.spec.rtol = p.spec.atol = tol;
            start(&p, zero);
            run_to(&p, 1);
            n = cells_of(&p);
            const double *u = numbers_of(p.array[0]);
            if (!reference) {
                reference = malloc((size_t)n * sizeof *reference);
                assert_non_null(reference);
                memcpy(reference, u, (size_t)n * sizeof *reference);
            }
            for (int64_t i = 0; i < n; ++i) worst = fmax(worst, fabs(u[i] - reference[i]));
            if (!(worst <= 50 * tol)) fail_msg("%s at %g: error %g", method_of(p.ode), tol, worst);
            finish(&p);
        }
    free(reference);
}

/* Continuous equations pay nothing: as many right-hand sides as before, and comparisons of coordinates alone are no
 * jumps. */
static void test_continuous_equations_pay_nothing(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const same[] = {"du/dt = 0.1*laplace(u) - u",
                                       "du/dt = 0.1*laplace(u) - where(x > 0.5, u, u)*where(x < 2, 1, 0)"};
    int64_t rhs[2];
    for (int i = 0; i < 2; ++i) {
        problem p;
        describe(&p, same[i], 1, 1, 20, none);
        p.spec.method = RW_ODE_RKC2, p.spec.spectral_radius = "200";
        start(&p, slope);
        run_to(&p, 0.3);
        rhs[i] = statistics(&p).rhs;
        finish(&p);
    }
    assert_int_equal(rhs[0], rhs[1]);
}

/* A threshold that holds the field at it. Within a step of length h the field leaves the threshold by h times the jump,
 * so steps are about as long as the tolerance over the jump, and no method takes many times as many; the reason is
 * given once, with the expression. */
static void test_sliding(void **state)
{
    (void)state;
    static const struct {
        const char *equation, *name;
        double tol, jump, at, since;
    } cases[] = {{"du/dt = where(u > 1, -1, 1)", "1 < u", 1e-5, 2, 1, 1},
                 {"du/dt = where(u < 1, 2, 0) - u", "u < 1", 1e-4, 2, 1, 1.31}};
    if (!on("cpu")) skip();
    for (int i = 0; i < RW_COUNT(cases); ++i)
        for (int method = RW_ODE_RKC2; method <= RW_ODE_DP5; ++method) {
            problem p;
            warnings h = {0};
            if (!test_long() && (i + 2 * method) % 5) continue; /* one method each: some ten thousand steps */
            const double tol = cases[i].tol, steps = cases[i].since * cases[i].jump / (tol + tol * cases[i].at);
            describe(&p, cases[i].equation, 1, 1, 2, none);
            p.spec.method = (rw_ode_method)method, p.spec.rtol = p.spec.atol = tol;
            rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &h);
            start(&p, zero);
            run_to(&p, 2);
            const double *u = numbers_of(p.array[0]);
            rw_ode_statistics s = statistics(&p);
            rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
            print_message("# %s, %s: %lld steps, %lld rejected, the jump asks for %.0f\n", cases[i].equation,
                          method_of(p.ode), (long long)s.steps, (long long)s.rejected, steps);
            if (!(fabs(u[0] - cases[i].at) < 10 * tol)) fail_msg("u = %g", u[0]);
            if (!((double)(s.steps + s.rejected) < 4 * steps)) fail_msg("too many steps");
            if (h.n != 1 || !strstr(h.text, "limited by jumps of (") || !strstr(h.text, cases[i].name))
                fail_msg("%d warnings: %s", h.n, h.text);
            finish(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_moving_source),
        cmocka_unit_test(test_floor_of_a_field),
        cmocka_unit_test(test_other_switches_of_a_field),
        cmocka_unit_test(test_moving_boundary_value),
        cmocka_unit_test(test_continuous_equations_pay_nothing),
        cmocka_unit_test(test_sliding),
    };
    return run_on_devices("switches", tests, RW_COUNT(tests));
}
