/* The reaction front, du/dt = 0.1 laplace u - u_x - u_y + 10 (u - u^3), u = 0 on the sides, spacing 0.01, u = 1 at t = 0,
 * beside values at t = 1 that another program computed with RK4 and 8000 to 16000 steps; the error beside the tolerance; and
 * devices beside each other. */
#include "ode_test.h"

#define CENTRAL "du/dt = 0.1*laplace(u) - dx(u) - dy(u) + 10*(u - u^3)"
#define FORWARD "du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)"
static const rw_boundary cold[6] = {{RW_BOUNDARY_DIRICHLET, "0", 0, 0}, {RW_BOUNDARY_DIRICHLET, "0", 0, 0},
                                    {RW_BOUNDARY_DIRICHLET, "0", 0, 0}, {RW_BOUNDARY_DIRICHLET, "0", 0, 0}};

static double one(const double x[3], int f) { return (void)x, (void)f, 1; }

/* n x m unknowns */
static void describe_front(problem *p, const char *equation, int n, int m, rw_ode_method method, double tolerance)
{
    describe(p, equation, 1, 2, n + 1, cold);
    p->spec.grid = (rw_grid){2, {n, m, 1}, {0.01, 0.01, 1}, {0.01, 0.01, 0}};
    p->spec.method = method, p->spec.rtol = p->spec.atol = tolerance;
}

typedef struct reference {
    const char *name, *equation;
    int n;
    double corner, quarter, half, three_quarters, far, largest, mean;
    int at; /* both indices of the largest */
} reference;

/* [0,0]  [N/4,N/4]  [N/2,N/2]  [3N/4,3N/4]  [N-1,N-1]  max  mean */
static const reference table[] = {
    {"forward 32", FORWARD, 32, 8.5726e-09, 1.2588e-06, 5.1085e-06, 5.6641e-06, 2.24697e-07, 6.5031e-06, 2.407681e-06, 21},
    {"forward 64", FORWARD, 64, 3.7257907472e-05, 0.0431659471, 0.3390107644, 0.6273731779, 1.4018421155e-02, 0.6293455728,
     0.198524135543, 47},
    {"central 64", CENTRAL, 64, 4.3039546389e-05, 0.0460776434, 0.3397651552, 0.6042686906, 1.2616194959e-02, 0.6078734568,
     0.194542677790, 47},
    {"central 128", CENTRAL, 128, 4.9330876496e-05, 0.4018026217, 0.9686696988, 0.9943705002, 1.7399199521e-02, 0.9968782067,
     0.597517018252, 89},
    {"forward 256", FORWARD, 256, 4.1801029855e-05, 0.9698059143, 0.9999764108, 0.9999950728, 1.8809660746e-02, 0.9999997051,
     0.802829599531, 173},
};

static void compare(const reference *r, problem *p, double tolerance, double printed)
{
    int n = r->n, at = -1;
    const double *v = numbers_of(p->array[0]);
    double mean = 0, largest = 0, asymmetry = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            mean += v[j * n + i] / n / n;
            asymmetry = fmax(asymmetry, fabs(v[j * n + i] - v[i * n + j]));
            if (v[j * n + i] > largest) largest = v[j * n + i], at = j;
        }
    const double got[] = {v[0], v[n / 4 * (n + 1)], v[n / 2 * (n + 1)], v[3 * n / 4 * (n + 1)], v[n * n - 1], largest, mean};
    const double want[] = {r->corner, r->quarter, r->half, r->three_quarters, r->far, r->largest, r->mean};
    double worst = 0;
    for (int i = 0; i < RW_COUNT(got); ++i) {
        worst = fmax(worst, fabs(got[i] - want[i]));
        if (!(fabs(got[i] - want[i]) <= tolerance + printed * want[i]))
            fail_msg("%s, value %d: %.12g, expected %.12g", r->name, i, got[i], want[i]);
    }
    if (abs(at - r->at) > 1) fail_msg("%s: largest at %d, expected at %d", r->name, at, r->at);
    assert_true(asymmetry <= 1e-12);
    rw_ode_statistics s = statistics(p);
    print_message("%-12s %-5s %6lld steps %7lld right-hand sides, %.1e away\n", r->name, p->spec.method == RW_ODE_RK4 ? "rk4" : "rkc2",
                  (long long)s.steps, (long long)s.rhs, worst);
}

static void check_front(const reference *r, rw_ode_method method, double tolerance, double printed)
{
    problem p;
    describe_front(&p, r->equation, r->n, r->n, method, tolerance);
    start(&p, one);
    run_to(&p, 1);
    compare(r, &p, method == RW_ODE_RK4 ? 1e-9 : 50 * tolerance, printed); /* 50 tol: what the specification allows */
    finish(&p);
}

static void test_rk4_values(void **state)
{
    (void)state;
    if (on("check") || on("opencl")) skip(); /* test_devices_agree compares them */
    check_front(&table[0], RW_ODE_RK4, 0, 2e-4); /* printed with five digits */
    for (int i = 1; i < 4; ++i) check_front(&table[i], RW_ODE_RK4, 0, 1e-8);
}

static void test_rkc2_values(void **state)
{
    (void)state;
    if (on("check")) skip();
    if (on("opencl")) {
        check_front(&table[2], RW_ODE_RKC2, 1e-5, 0);
        return;
    }
    for (int i = 1; i < RW_COUNT(table); ++i) check_front(&table[i], RW_ODE_RKC2, 1e-6, 0);
    problem p; /* so small that atol must be smaller */
    describe_front(&p, FORWARD, 32, 32, RW_ODE_RKC2, 1e-6);
    p.spec.atol = 1e-14;
    start(&p, one);
    run_to(&p, 1);
    compare(&table[0], &p, 0, 1e-3);
    finish(&p);
}

/* Error beside tolerance: an estimate of order 3 per step of a method of order 2, so between tol^(2/3) and tol. */
static void test_error_follows_tolerance(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    enum { N = 64 };
    static double reference_values[N * N];
    problem p;
    describe_front(&p, FORWARD, N, N, RW_ODE_RK4, 0);
    start(&p, one);
    run_to(&p, 1);
    memcpy(reference_values, numbers_of(p.array[0]), sizeof reference_values);
    finish(&p);
    double first = 0, last = 0;
    int64_t rhs = 0;
    for (int i = 3; i <= 8; ++i) {
        describe_front(&p, FORWARD, N, N, RW_ODE_RKC2, pow(10, -i));
        start(&p, one);
        run_to(&p, 1);
        double error = 0;
        const double *v = numbers_of(p.array[0]);
        for (int k = 0; k < N * N; ++k) error = fmax(error, fabs(v[k] - reference_values[k]));
        rw_ode_statistics s = statistics(&p);
        print_message("rkc2 tol 1e-%d: %5lld accepted, %2lld rejected, %6lld right-hand sides, %3d stages, error %.1e\n", i, (long long)s.steps,
                      (long long)s.rejected, (long long)s.rhs, s.max_stages, error);
        if (i == 3) first = error;
        else {
            assert_true(error < 0.5 * last); /* each decade helps */
            assert_true(s.rhs > rhs && s.rejected <= s.steps / 5 + 3);
        }
        assert_true(error <= 50 * pow(10, -i) * pow(10, (i - 3) / 3.) + 1e-9);
        last = error, rhs = s.rhs;
        finish(&p);
    }
    double slope = log10(first / last) / 5;
    print_message("error ~ tol^%.2f\n", slope);
    assert_true(slope > 0.55 && slope < 1.1);
}

/* ---- devices beside each other -------------------------------------------------------------------------------------------------- */

typedef struct result {
    double u[2][24 * 20];
    double end[2][RW_ODE_STATE];
} result;

/* 12 steps of either method; the right-hand side has + - * only. */
static void run_here(result *r)
{
    for (int method = RW_ODE_RK4; method <= RW_ODE_RKC2; ++method) {
        problem p;
        describe_front(&p, CENTRAL, 24, 20, (rw_ode_method)method, 1e-4);
        p.spec.step = 1e-4, p.spec.spectral_radius = "8100";
        start(&p, one);
        for (int i = 0; i < 12; ++i) OK(rw_ode_step(p.ode, 10));
        memcpy(r->u[method], numbers_of(p.array[0]), sizeof r->u[method]);
        rw_ode_save(p.ode, r->end[method]);
        finish(&p);
    }
}

/* In reproducible mode the same bits everywhere, the error norms and so the steps included (on one grid of tiles; a GPU has
 * other tiles, so that only the fixed steps of RK4 are the same there). */
static void test_devices_agree(void **state)
{
    (void)state;
    static result of_first, here;
    rw_context_set_reproducible(ctx, true);
    run_here(&here);
    rw_context_set_reproducible(ctx, false);
    if (device_index() == 0) of_first = here;
    assert_memory_equal(here.u[RW_ODE_RK4], of_first.u[RW_ODE_RK4], sizeof here.u[0]);
    if (!rw_device_info(dev)->gpu) {
        assert_memory_equal(here.u[RW_ODE_RKC2], of_first.u[RW_ODE_RKC2], sizeof here.u[0]);
        assert_memory_equal(here.end, of_first.end, sizeof here.end);
    }
    if (on("opencl")) return; /* test_order compares its ordinary mode with the cpu's */
    run_here(&here); /* contracted or not: a few roundings a step, which diffusion does not let grow */
    for (int k = 0; k < RW_COUNT(here.u[0]); ++k) assert_true(fabs(here.u[RW_ODE_RK4][k] - of_first.u[RW_ODE_RK4][k]) <= 1e-13);
    for (int k = 0; k < RW_COUNT(here.u[1]); ++k) assert_true(fabs(here.u[RW_ODE_RKC2][k] - of_first.u[RW_ODE_RKC2][k]) <= 1e-10);
}

/* The number of threads is no part of the result. */
static void test_threads_agree(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const names[] = {"cpu:1", "cpu:2", "cpu:3"};
    static result results[RW_COUNT(names)];
    rw_device *mine = dev;
    for (int i = 0; i < RW_COUNT(names); ++i) {
        OK(rw_device_open(ctx, names[i], &dev));
        run_here(&results[i]);
        rw_device_close(&dev);
    }
    dev = mine;
    for (int i = 1; i < RW_COUNT(names); ++i) assert_memory_equal(&results[i], &results[0], sizeof results[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rk4_values),
        cmocka_unit_test(test_rkc2_values),
        cmocka_unit_test(test_error_follows_tolerance),
        cmocka_unit_test(test_devices_agree),
        cmocka_unit_test(test_threads_agree),
    };
    return run_on_devices("reference", tests, RW_COUNT(tests));
}
