/* Work and precision: right-hand sides and errors of the stabilised methods at tolerances 1e-3 … 1e-8.
 *
 *   front    reaction, advection, diffusion of docs' first study, 64^2
 *   source   heat equation with a stiff source that depends on time (what SUNDIALS has as ark_heat2D_lsrk): order
 *            reduction and rounding errors show here
 *   brusselator  2-D, periodic, a source that is switched on
 *
 * Errors are those in time: against the same differences at tolerance 1e-10 (of another method for `source`). On the
 * cpu, in `make check-long`. */
/* TEST: long */
#include "ode_test.h"

#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }
#define ZERO                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, "0", 0, 0                                                                               \
    }
#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, 0, 0, 0                                                                                  \
    }
static const rw_boundary cold[6] = {ZERO, ZERO, ZERO, ZERO, NONE, NONE};
static const rw_boundary round_about[2][6] = {{PERIODIC, PERIODIC, PERIODIC, PERIODIC, NONE, NONE},
                                              {PERIODIC, PERIODIC, PERIODIC, PERIODIC, NONE, NONE}};

typedef enum what { FRONT, SOURCE, BRUSSELATOR } what;

static double one(const double x[3], int f) { return (void)x, (void)f, 1; }
static double bump(const double x[3], int f)
{
    double a = sin(acos(-1) * x[0]), b = sin(acos(-1) * x[1]);
    return (void)f, a * a * b * b;
}
static double waves(const double x[3], int f)
{
    return f ? 27 * x[0] * pow(1 - x[0], 1.5) : 22 * x[1] * pow(1 - x[1], 1.5);
}

static double describe_work(problem *p, what w, rw_ode_method method, double tol)
{
    double end = 1;
    if (w == FRONT) {
        describe(p, "du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)", 1, 2, 65, cold);
        for (int d = 0; d < 2; ++d) p->spec.grid.spacing[d] = p->spec.grid.origin[d] = 0.01;
    } else if (w == SOURCE) {
        describe(p,
                 "c = cos(pi*t)^2\n"
                 "du/dt = 10*laplace(u) - 2*pi*sin(pi*x)^2*sin(pi*y)^2*sin(pi*t)*cos(pi*t) - 20*pi^2*c*"
                 "((cos(pi*x)^2 - sin(pi*x)^2)*sin(pi*y)^2 + (cos(pi*y)^2 - sin(pi*y)^2)*sin(pi*x)^2)",
                 1, 2, 63, cold);
        p->spec.spectral_radius = "8*10*63^2";
    } else {
        describe(
            p,
            "du/dt = 1 + u^2*v - 4.4*u + 0.1*laplace(u) + where(t >= 1.1, 5, 0)*where((x - 0.3)^2 + (y - 0.6)^2 <= "
            "0.01, 1, 0)\n"
            "dv/dt = 3.4*u - u^2*v + 0.1*laplace(v)",
            2, 2, 128, round_about[0]);
        end = 11.5;
    }
    p->spec.method = method, p->spec.rtol = p->spec.atol = tol;
    return end;
}

enum { MOST = 2 * 128 * 128 };

/* Runs; *error against `reference` when given, else the state goes to `reference`. */
static rw_ode_statistics work(what w, rw_ode_method method, double tol, double *reference, double *error)
{
    static value_at *const initial[] = {one, bump, waves};
    problem p;
    double end = describe_work(&p, w, method, tol);
    start(&p, initial[w]);
    run_to(&p, end);
    if (error) *error = 0;
    for (int f = 0; f < p.spec.nfields; ++f) {
        const double *v = numbers_of(p.array[f]);
        for (int64_t i = 0; i < cells_of(&p); ++i) {
            double *r = reference + f * cells_of(&p) + i;
            if (error) *error = fmax(*error, fabs(v[i] - *r));
            else *r = v[i];
        }
    }
    rw_ode_statistics s = statistics(&p);
    finish(&p);
    return s;
}

static double reference[MOST];

static void show(const char *name, double tol, rw_ode_statistics s, double error)
{
    print_message("%-6s tol %.0e: %5lld steps, %3lld rejected, %6lld right-hand sides, %3d stages, error %.1e\n", name,
                  tol, (long long)s.steps, (long long)s.rejected, (long long)s.rhs, s.max_stages, error);
}

/* With the published coefficients: right-hand sides and errors of 8 to 30 times the tolerance. */
static void test_front(void **state)
{
    static const struct {
        double tol, error;
        int rhs;
    } published[] = {{1e-3, 1.0e-2, 492},  {1e-4, 1.0e-3, 582},  {1e-5, 9.3e-5, 735},   {1e-6, 1.3e-5, 973},
                     {1e-7, 2.2e-6, 1363}, {1e-8, 3.0e-7, 1924}, {1e-10, 1.1e-9, 4384}, {1e-11, 7.6e-11, 7037}};
    (void)state;
    double last = 0, first = 0;
    work(FRONT, RW_ODE_DP5, 1e-13, reference, NULL);
    for (int i = 0; i < RW_COUNT(published); ++i) {
        double tol = published[i].tol, error;
        rw_ode_statistics s = work(FRONT, RW_ODE_ROCK4, tol, reference, &error);
        show("rock4", tol, s, error);
        /* at equal error no more work: error falls with the fourth power of the steps, those with the square of the
         * work */
        assert_true((double)s.rhs <= 1.1 * published[i].rhs * pow(published[i].error / error, 1. / 8) + 20);
        assert_true(error < 3 * tol && error > tol / 30 && s.rejected <= 2);
        if (i) last = error;
        else first = error;
    }
    double slope = log10(first / last) / 8;
    print_message("error ~ tol^%.3f\n", slope);
    assert_true(slope > 0.95 && slope < 1.15);
}

static void test_source(void **state)
{
    (void)state;
    double error;
    work(SOURCE, RW_ODE_RKC2, 1e-9, reference, NULL);
    /* rkc2 and rkl2 accept estimates up to 10 sqrt(rtol + atol/|u|) = 0.045, where most methods accept 1: so their
     * error is of size tol. An estimate of 1 is what they accept at 7.9e-5: 8,976 and 8,642 right-hand sides, errors
     * 2.5e-6 and 6.5e-7. Steps are of size sqrt(tol) and cost sqrt(h rho) stages, so right-hand sides grow by at most
     * 7.9^(1/4) = 1.7. Seen are 12,399 and 12,890, 1.4e-7 each. */
    static const struct {
        rw_ode_method method;
        const char *name;
        double tol;
        int most;
        double error;
    } rows[] = {{RW_ODE_RKC2, "rkc2", 1e-5, 13000, 4e-7},  {RW_ODE_RKL2, "rkl2", 1e-5, 13500, 4e-7},
                {RW_ODE_ROCK2, "rock2", 1e-4, 6500, 5e-6}, {RW_ODE_ROCK4, "rock4", 1e-4, 8000, 1e-4},
                {RW_ODE_ROCK4, "rock4", 1e-5, 8000, 1e-5}, {RW_ODE_ROCK4, "rock4", 1e-6, 8000, 2e-6},
                {RW_ODE_ROCK4, "rock4", 1e-7, 9000, 2e-7}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_ode_statistics s = work(SOURCE, rows[i].method, rows[i].tol, reference, &error);
        show(rows[i].name, rows[i].tol, s, error);
        if (s.rhs > rows[i].most || error > rows[i].error)
            fail_msg("%s: more than %d or %g", rows[i].name, rows[i].most, rows[i].error);
    }
}

static void test_brusselator(void **state)
{
    (void)state;
    work(BRUSSELATOR, RW_ODE_ROCK4, 1e-10, reference, NULL);
    for (int i = 4; i <= 7; ++i) {
        double error, tol = pow(10, -i);
        rw_ode_statistics s = work(BRUSSELATOR, RW_ODE_ROCK4, tol, reference, &error);
        show("rock4", tol, s, error);
        assert_true(error < 5 * tol && error > tol / 5);
    }
    double error; /* published coefficients: 14,046 right-hand sides, 1.1e-6 */
    rw_ode_statistics s = work(BRUSSELATOR, RW_ODE_ROCK4, 3e-7, reference, &error);
    show("rock4", 3e-7, s, error);
    assert_true(error <= 1e-6 && s.rhs <= 14000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_front), cmocka_unit_test(test_source),
                                       cmocka_unit_test(test_brusselator)};
    setenv("RECHENWERK_TEST_DEVICES", "cpu", 1);
    return run_on_devices("work", tests, RW_COUNT(tests));
}
