/* The coefficients of RKC2 as the integrator uses them, for s = 2 … 250 stages.
 *
 * One step of size 1 of du/dt = c x u from u = 1 leaves the stability polynomial P_s(c x) at every node x, so nothing
 * of the method is written down here a second time: the spectral radius, given as a parameter, chooses s.
 *
 *   |P_s(z)| <= 1 on [-beta_s, 0], beta_s = (w0 + 1)/w1, and <= a_s + b_s = 1 - e/3 + … away from 0 (damping e = 2/13)
 *   P_s(z) = 1 + z + z^2/2 + O(z^3), that is e^z + O(z^3)
 *   times of the stages: y' = 1 + K (t - y) with y(0) = 0 is solved exactly, y' = t too
 *
 * and the choice of s: as few stages as hold h rho, never more than max_stages. */
#include "../values.h"
#include "ode_test.h"

enum { NODES = 4001, STAGES = 250 };

/* The real interval of s stages from the definitions, in long double. P_s = a_s + b_s T_s(w0 + w1 z) is at most *most =
 * a_s + b_s = 1 - e/3 + … for z <= *from, where the argument of T_s is at most 1. */
static double interval_and_damping(int s, double *from, double *most)
{
    long double w0 = 1 + 2 / (13 * (long double)s * s), T[2] = {1, w0}, d[2] = {0, 1}, dd[2] = {0, 0};
    for (int j = 2; j <= s; ++j) {
        long double t = 2 * w0 * T[1] - T[0], dt = 2 * w0 * d[1] - d[0] + 2 * T[1],
                    ddt = 2 * w0 * dd[1] - dd[0] + 4 * d[1];
        T[0] = T[1], T[1] = t, d[0] = d[1], d[1] = dt, dd[0] = dd[1], dd[1] = ddt;
    }
    *from = (double)((1 - w0) * dd[1] / d[1]), *most = (double)(1 - dd[1] / (d[1] * d[1]) * (T[1] - 1));
    return (double)((w0 + 1) * dd[1] / d[1]);
}

static double interval(int s)
{
    double from, most;
    return interval_and_damping(s, &from, &most);
}

/* h rho for which s stages are chosen: just above what s - 1 bear. */
static double radius_for(int s) { return s == 2 ? 0.1 : ((double)(s - 1) * (s - 1) - 1) / 1.54 + 1e-6; }

static void test_intervals(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    for (int s = 2; s <= 1000; ++s) {
        double beta = interval(s);
        /* what the choice of s counts on */
        if (!(beta > ((double)s * s - 1) / 1.54)) fail_msg("%d stages bear %g only", s, beta);
        /* 2/3 (s^2 - 1)(1 - 2e/15) */
        if (s > 5) assert_true(fabs(beta / (2. / 3 * (s * s - 1.) * (1 - 4. / 195)) - 1) < 0.01);
    }
}

typedef struct scalar_problem {
    rw_ode *ode;
    rw_array *u;
    saved first;
} scalar_problem;

static rw_expr_scalar scalars[] = {{.name = "c", .value = 1}, {.name = "radius", .value = 1}};

static void open_problem(scalar_problem *p, const char *equation, int64_t n, double spacing, double origin)
{
    static const rw_expr_field field = {.name = "u", .dtype = RW_F64};
    rw_ode_spec spec = {.name = "scalar",
                        .equations = equation,
                        .grid = {1, {n, 1, 1}, {spacing, 1, 1}, {origin, 0, 0}},
                        .fields = &field,
                        .nfields = 1,
                        .scalars = scalars,
                        .nscalars = 2,
                        .method = RW_ODE_RKC2,
                        .rtol = 1,
                        .atol = 1e200,
                        .initial_step = 1,
                        .max_stages = STAGES,
                        .spectral_radius = "radius"};
    OK(rw_ode_create(dev, &spec, &p->ode));
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &p->u));
    OK(rw_ode_bind(p->ode, "u", p->u));
    p->first = save(p->ode);
}

/* One step of size 1 with s stages from the constant u0. */
static const double *one_step(scalar_problem *p, int s, double c, double u0)
{
    void *w;
    OK(rw_array_write(p->u, &w));
    for (int64_t i = 0; i < rw_array_size(p->u); ++i) ((double *)w)[i] = u0;
    OK(load(p->ode, &p->first));
    OK(rw_ode_set(p->ode, "c", c));
    OK(rw_ode_set(p->ode, "radius", radius_for(s)));
    OK(rw_ode_step(p->ode, 1));
    assert_int_equal(statistics_of(p->ode).stages, s);
    assert_true(rw_ode_time(p->ode) == 1);
    return numbers_of(p->u);
}

static void close_problem(scalar_problem *p)
{
    rw_ode_destroy(&p->ode);
    rw_array_destroy(&p->u);
}

/* All s on the cpu, a few where a step is slow. */
static int next_stage(int s)
{
    return on("cpu") || on("cuda") ? s + 1 : s < 6 ? s + 1 : s == 6 ? 13 : s == 13 ? 60 : STAGES + 1;
}

/* Rounding: an error of one stage grows like the Chebyshev recursion, about s^2 eps in the end. */
static double rounding(int s) { return 1e-15 * s * s + 1e-14; }

static void test_stability_polynomials(void **state)
{
    (void)state;
    scalar_problem p;
    int64_t n = on("check") ? 101 : NODES;
    open_problem(&p, "du/dt = c*x*u", n, 1. / (double)(n - 1), -1);
    for (int s = 2; s <= STAGES; s = next_stage(s)) {
        double from, most, beta = interval_and_damping(s, &from, &most);
        assert_true(s < 5 || fabs(most - (1 - 2. / 13 / 3)) < 0.01);
        const double *P = one_step(&p, s, beta, 1);
        for (int64_t i = 0; i < n; ++i) {
            double z = beta * ((double)i / (double)(n - 1) - 1);
            if (!(fabs(P[i]) <= 1 + rounding(s))) fail_msg("P_%d(%g) = %.17g", s, z, P[i]);
            if (z <= from && !(fabs(P[i]) <= most + 1e-7)) fail_msg("P_%d(%g) = %.17g, above %.17g", s, z, P[i], most);
        }
        assert_true(fabs(P[n - 1] - 1) <= rounding(s)); /* consistency: P(0) = 1 */
    }
    close_problem(&p);
}

static void test_order_conditions(void **state)
{
    (void)state;
    scalar_problem p;
    open_problem(&p, "du/dt = c*x*u", 9, 0.25, -1); /* z = -2e-2 … 2e-2 */
    for (int s = 2; s <= STAGES; s = next_stage(s)) {
        const double *P = one_step(&p, s, 2e-2, 1);
        for (int i = 0; i < 9; ++i) {
            double z = 2e-2 * (0.25 * i - 1), error = P[i] - (1 + z + z * z / 2);
            /* the coefficient of z^3 lies between 0 (s = 2) and 1/6 */
            if (!(error * (z < 0 ? -1 : 1) >= -rounding(s) && fabs(error) <= fabs(z * z * z) / 6 + rounding(s)))
                fail_msg("P_%d(%g) = %.17g: %g away from 1 + z + z^2/2", s, z, P[i], error);
        }
    }
    close_problem(&p);
}

static void test_times_of_the_stages(void **state)
{
    (void)state;
    scalar_problem p;
    open_problem(&p, "du/dt = 1 + c*(t - u)", 1, 1, 0);
    for (int s = 2; s <= STAGES; s = next_stage(s)) {
        double got = one_step(&p, s, 0.5 * radius_for(s), 0)[0];
        if (!(fabs(got - 1) <= 10 * rounding(s))) fail_msg("y' = 1 + K (t - y), %d stages: y(1) = %.17g", s, got);
    }
    close_problem(&p);
    open_problem(&p, "du/dt = c*t", 1, 1, 0);
    for (int s = 2; s <= STAGES; s = next_stage(s)) {
        double got = one_step(&p, s, 1, 0)[0];
        if (!(fabs(got - 0.5) <= rounding(s))) fail_msg("y' = t, %d stages: y(1) = %.17g", s, got);
    }
    close_problem(&p);
}

/* ---- how many stages --------------------------------------------------------------------------------------------- */

static void step_with(double radius, double step, int max_stages, rw_ode_statistics *stat)
{
    problem p;
    char text[32];
    describe(&p, "du/dt = 0*u", 1, 1, 4, NULL);
    snprintf(text, sizeof text, "%.17g", radius);
    p.spec.method = RW_ODE_RKC2, p.spec.atol = 1e200, p.spec.initial_step = step, p.spec.max_stages = max_stages;
    p.spec.spectral_radius = text;
    OK(rw_ode_create(dev, &p.spec, &p.ode));
    int64_t n = cells_of(&p);
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &p.array[0]));
    OK(rw_array_zero(p.array[0], queue));
    OK(rw_ode_bind(p.ode, "u", p.array[0]));
    OK(rw_ode_step(p.ode, 1e4));
    *stat = statistics_of(p.ode);
    finish(&p);
}

static void test_stages_are_as_few_as_hold_the_step(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    rw_ode_statistics stat;
    static const double h_rho[] = {0, 0.1, 1.9, 2, 5, 10, 100, 1000, 10000, 1e5};
    for (int i = 0; i < RW_COUNT(h_rho); ++i) {
        step_with(h_rho[i] / 0.5, 0.5, 400, &stat);
        assert_true(interval(stat.stages) >= h_rho[i]);
        if (stat.stages > 2) assert_true(interval(stat.stages - 1) < 1.01 * h_rho[i] + 1); /* one less would not do */
        assert_true(stat.step == 0.5);
    }
}

/* The step is cut to what max_stages bear, for any number of them; the address sanitizer sees their arrays. */
static void test_max_stages(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const int most[] = {2, 3, 7, 100, 200, 399, 400, 401, 1000, 5000};
    for (int i = 0; i < RW_COUNT(most); ++i) {
        rw_ode_statistics stat;
        step_with(1e6, 1e3, most[i], &stat);
        if (stat.max_stages != most[i]) fail_msg("max_stages = %d: %d taken", most[i], stat.max_stages);
        assert_true(stat.step * 1e6 <= interval(most[i]) && stat.step * 1e6 >= 0.97 * interval(most[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_stability_polynomials),
        cmocka_unit_test(test_order_conditions),
        cmocka_unit_test(test_times_of_the_stages),
        cmocka_unit_test(test_stages_are_as_few_as_hold_the_step),
        cmocka_unit_test(test_max_stages),
    };
    return run_on_devices("rkc", tests, RW_COUNT(tests));
}
