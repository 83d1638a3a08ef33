/* The reaction front, du/dt = 0.1 laplace u - u_x - u_y + 10 (u - u^3), u = 0 on the sides, spacing 0.01, u = 1 at t =
 * 0, beside values at t = 1 that another program computed with RK4 and 8000 to 16000 steps; the error beside the
 * tolerance; the order of ROCK4 with equal steps beside that of the published coefficients; single precision; a radius
 * that is too small; and devices beside each other. */
/* TEST: optimised */
#include "ode/rock.h"
#include "ode_test.h"

#define CENTRAL "du/dt = 0.1*laplace(u) - dx(u) - dy(u) + 10*(u - u^3)"
#define FORWARD "du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)"
static const rw_boundary cold[6] = {{RW_BOUNDARY_DIRICHLET, "0", 0, 0},
                                    {RW_BOUNDARY_DIRICHLET, "0", 0, 0},
                                    {RW_BOUNDARY_DIRICHLET, "0", 0, 0},
                                    {RW_BOUNDARY_DIRICHLET, "0", 0, 0}};

static double one(const double x[3], int f) { return (void)x, (void)f, 1; }

/* n x m unknowns */
static void describe_front(problem *p, const char *equation, int n, int m, rw_ode_method method, double tolerance)
{
    describe(p, equation, 1, 2, n + 1, cold);
    p->spec.grid = (rw_grid){.ndim = 2, .size = {n, m, 1}, .spacing = {0.01, 0.01, 1}, .origin = {0.01, 0.01, 0}};
    p->spec.method = method, p->spec.rtol = p->spec.atol = tolerance;
}

typedef struct reference {
    const char *name, *equation;
    int n;
    double corner, quarter, half, three_quarters, far, largest, mean;
    int at; /* both indices of the largest */
} reference;

/* The smallest grid, where the solution dies out; printed with five digits, NAN where with one. */
static const reference smallest = {"forward 16", FORWARD,     16,         2.2931e-28,  NAN, 1.56432e-26,
                                   NAN,          1.11376e-27, 1.6218e-26, 7.06893e-27, 9};

/* [0,0]  [N/4,N/4]  [N/2,N/2]  [3N/4,3N/4]  [N-1,N-1]  max  mean */
static const reference table[] = {
    {"forward 32", FORWARD, 32, 8.5726e-09, 1.2588e-06, 5.1085e-06, 5.6641e-06, 2.24697e-07, 6.5031e-06, 2.407681e-06,
     21},
    {"forward 64", FORWARD, 64, 3.7257907472e-05, 0.0431659471, 0.3390107644, 0.6273731779, 1.4018421155e-02,
     0.6293455728, 0.198524135543, 47},
    {"central 64", CENTRAL, 64, 4.3039546389e-05, 0.0460776434, 0.3397651552, 0.6042686906, 1.2616194959e-02,
     0.6078734568, 0.194542677790, 47},
    {"central 128", CENTRAL, 128, 4.9330876496e-05, 0.4018026217, 0.9686696988, 0.9943705002, 1.7399199521e-02,
     0.9968782067, 0.597517018252, 89},
    {"forward 256", FORWARD, 256, 4.1801029855e-05, 0.9698059143, 0.9999764108, 0.9999950728, 1.8809660746e-02,
     0.9999997051, 0.802829599531, 173},
};

/* N = 256, forward: on the diagonal, and in row 127 */
static const struct {
    int j, i;
    double value;
} points[] = {{7, 7, 0.005264404},     {15, 15, 0.040389109},   {31, 31, 0.360330945},   {63, 63, 0.966183780},
              {191, 191, 0.999995986}, {223, 223, 0.996981954}, {239, 239, 0.916933230}, {247, 247, 0.616186939},
              {127, 0, 0.016965772},   {127, 7, 0.180943489},   {127, 15, 0.430690725},  {127, 31, 0.825910986},
              {127, 63, 0.992063114}};

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
    const double got[] = {v[0], v[n / 4 * (n + 1)], v[n / 2 * (n + 1)], v[3 * n / 4 * (n + 1)], v[n * n - 1], largest,
                          mean};
    const double want[] = {r->corner, r->quarter, r->half, r->three_quarters, r->far, r->largest, r->mean};
    double worst = 0;
    for (int i = 0; i < RW_COUNT(got); ++i) {
        worst = fmax(worst, fabs(got[i] - want[i]));
        if (!isnan(want[i]) && !(fabs(got[i] - want[i]) <= tolerance + printed * want[i]))
            fail_msg("%s, value %d: %.12g, expected %.12g", r->name, i, got[i], want[i]);
    }
    for (int i = 0; i < RW_COUNT(points) && n == 256; ++i) {
        double value = v[points[i].j * n + points[i].i];
        if (!(fabs(value - points[i].value) <= tolerance))
            fail_msg("[%d, %d]: %.9f, expected %.9f", points[i].j, points[i].i, value, points[i].value);
    }
    /* as large where it is expected: there are plateaus */
    if (!(largest - v[r->at * (n + 1)] <= tolerance + printed * largest))
        fail_msg("%s: largest at %d, expected at %d", r->name, at, r->at);
    /* ROCK4 keeps the magnified rounding errors of a step near 3 % of the tolerance */
    assert_true(asymmetry <= (p->spec.method == RW_ODE_ROCK4 ? 3 * p->spec.rtol : 1e-12));
    rw_ode_statistics s = statistics(p);
    print_message("%-12s %-5s %6lld steps %7lld right-hand sides, %.1e away, %.1e from symmetric\n", r->name,
                  method_of(p->ode), (long long)s.steps, (long long)s.rhs, worst, asymmetry);
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
    if (on("check") || on("opencl")) skip();     /* test_devices_agree compares them */
    check_front(&table[0], RW_ODE_RK4, 0, 2e-4); /* printed with five digits */
    for (int i = 1; i < 4 - !test_long(); ++i) check_front(&table[i], RW_ODE_RK4, 0, 1e-8);
    problem p;
    describe_front(&p, FORWARD, 16, 16, RW_ODE_RK4, 0);
    start(&p, one);
    run_to(&p, 1);
    compare(&smallest, &p, 0, 2e-4);
    finish(&p);
}

/* Where the solution dies out: so small that atol must be smaller. */
static void check_small_front(rw_ode_method method)
{
    problem p;
    describe_front(&p, FORWARD, 32, 32, method, 1e-6);
    p.spec.atol = 1e-14;
    start(&p, one);
    run_to(&p, 1);
    compare(&table[0], &p, 0, 1e-3);
    finish(&p);
}

static void test_rkc2_values(void **state)
{
    (void)state;
    if (on("check")) skip();
    if (on("opencl")) {
        check_front(&table[2], RW_ODE_RKC2, 1e-5, 0);
        return;
    }
    for (int i = 1; i < RW_COUNT(table) - 2 * !test_long(); ++i) check_front(&table[i], RW_ODE_RKC2, 1e-6, 0);
    check_small_front(RW_ODE_RKC2);
}

static void test_rock4_values(void **state)
{
    (void)state;
    if (on("check") || (on("opencl") && !rw_device_info(dev)->gpu)) {
        check_front(&table[1 + on("opencl")], RW_ODE_ROCK4, 1e-4, 0);
        return;
    }
    for (int i = 1; i < RW_COUNT(table) - 2 * !test_long(); ++i) check_front(&table[i], RW_ODE_ROCK4, 1e-6, 0);
    check_small_front(RW_ODE_ROCK4);
}

/* Error beside tolerance: an estimate of order 3 per step of a method of order 2, so between tol^(2/3) and tol. */
static void test_error_follows_tolerance(void **state)
{
    (void)state;
    if (!on("cpu") || !test_long()) skip();
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
        print_message(
            "rkc2 tol 1e-%d: %5lld accepted, %2lld rejected, %6lld right-hand sides, %3d stages, error %.1e\n", i,
            (long long)s.steps, (long long)s.rejected, (long long)s.rhs, s.max_stages, error);
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

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Largest errors at t = 0.25 with 8, 16, … 256 equal steps of the published coefficients: 16 x 16 unknowns, spacing
 * 0.1, forward differences, a bump at t = 0. */
enum { HALVINGS = 6, ORDER_N = 16 };
static const struct {
    int stages;
    double published[HALVINGS];
} orders[] = {{5, {6.4395e-5, 3.4758e-6, 2.0078e-7, 1.2061e-8, 7.391e-10, 4.575e-11}},
              {10, {2.8304e-5, 1.4712e-6, 8.4175e-8, 5.0418e-9, 3.086e-10, 1.910e-11}},
              {26, {2.3593e-5, 1.2266e-6, 7.0292e-8, 4.2150e-9, 2.582e-10, 1.604e-11}}};

static double bump(const double x[3], int f)
{
    return (void)f, 0.5 * sin(acos(-1) * x[0] / 1.7) * sin(acos(-1) * x[1] / 1.7);
}

/* stages 0: RK4 */
static void equal_steps(int stages, int nsteps, double *result)
{
    problem p;
    const double end = 0.25, h = end / nsteps;
    char radius[32];
    describe_front(&p, FORWARD, ORDER_N, ORDER_N, stages ? RW_ODE_ROCK4 : RW_ODE_RK4, 1);
    p.spec.grid =
        (rw_grid){.ndim = 2, .size = {ORDER_N, ORDER_N, 1}, .spacing = {0.1, 0.1, 1}, .origin = {0.1, 0.1, 0}};
    snprintf(radius, sizeof radius, "%.17g", (1 - 1e-9) * rw_rock_interval(RW_ROCK4, stages ? stages : 5) / h);
    p.spec.step = p.spec.initial_step = p.spec.max_step = h, p.spec.spectral_radius = radius;
    start(&p, bump);
    run_to(&p, end);
    rw_ode_statistics s = statistics(&p);
    assert_true(s.steps == nsteps && s.rejected == 0 && (!stages || (s.stages == stages && s.max_stages == stages)));
    memcpy(result, numbers_of(p.array[0]), ORDER_N * ORDER_N * sizeof *result);
    finish(&p);
}

static void test_order_of_rock4(void **state)
{
    (void)state;
    static double exact[ORDER_N * ORDER_N], u[ORDER_N * ORDER_N];
    equal_steps(0, 2048, exact);
    double largest = 0;
    for (int i = 0; i < ORDER_N * ORDER_N; ++i) largest = fmax(largest, exact[i]);
    assert_true(fabs(largest - 0.9873995680) < 1e-10 && fabs(exact[8 * ORDER_N + 8] - 0.9807742003) < 1e-10);
    for (int i = 0; i < (test_long() ? RW_COUNT(orders) : 1); ++i) {
        double last = 0;
        for (int k = 0; k < (brief() ? 2 : on("check") ? 4 : HALVINGS); ++k) {
            double error = 0;
            equal_steps(orders[i].stages, 8 << k, u);
            for (int j = 0; j < ORDER_N * ORDER_N; ++j) error = fmax(error, fabs(u[j] - exact[j]));
            double observed = k ? log2(last / error) : 0;
            print_message("%2d stages, %3d steps: error %.4e (published coefficients %.4e), order %.2f\n",
                          orders[i].stages, 8 << k, error, orders[i].published[k], observed);
            if (k == HALVINGS - 1 && !(fabs(observed - 4) < 0.1))
                fail_msg("%d stages: order %.2f", orders[i].stages, observed);
            /* in the end 1.16, 0.89 and 0.99 times the published ones: other errors of order 5 */
            if (!(error <= (k ? 1.25 : 1.35) * orders[i].published[k]))
                fail_msg("%d stages, %d steps: %.4e", orders[i].stages, 8 << k, error);
            last = error;
        }
    }
}

/* ---- where the method is not at its best ------------------------------------------------------------------------- */

/* Work and error of ROCK4 in single precision beside that of another program with the published coefficients (2021 to
 * 5336 right-hand sides, four times those in double precision; 3.5e-4 from symmetric at 1e-4). */
static void test_single_precision(void **state)
{
    (void)state;
    if (on("check") || (on("opencl") && !rw_device_info(dev)->gpu)) skip();
    static const struct {
        double tol;
        int steps, rhs;
    } rows[] = {{1e-3, 165, 2021}, {1e-4, 273, 2681}, {1e-5, 470, 3722}, {1e-6, 893, 5336}};
    const reference *r = &table[1];
    const int n = r->n;
    const int64_t shape[] = {n, n};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        void *w;
        const void *data;
        if (!test_long() && i != 1) continue;
        describe_front(&p, FORWARD, n, n, RW_ODE_ROCK4, rows[i].tol);
        p.fields[0].dtype = RW_F32;
        OK(rw_ode_create(dev, &p.spec, &p.ode));
        OK(rw_array_create(dev, RW_F32, 2, shape, RW_MEMORY_DEVICE, &p.array[0]));
        OK(rw_ode_bind(p.ode, "u", p.array[0]));
        OK(rw_array_write(p.array[0], &w));
        for (int k = 0; k < n * n; ++k) ((float *)w)[k] = 1;
        run_to(&p, 1);
        OK(rw_array_read(p.array[0], &data));
        const float *v = data;
        double mean = 0, largest = 0, asymmetry = 0;
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                mean += (double)v[j * n + k] / n / n, largest = fmax(largest, (double)v[j * n + k]);
                asymmetry = fmax(asymmetry, fabs((double)v[j * n + k] - (double)v[k * n + j]));
            }
        rw_ode_statistics s = statistics(&p);
        print_message(
            "f32 tol %.0e: %4lld steps, %3lld rejected, %5lld right-hand sides (published coefficients %d, %d), mean "
            "%.1e and "
            "largest %.1e away, %.1e from symmetric\n",
            rows[i].tol, (long long)s.steps, (long long)s.rejected, (long long)s.rhs, rows[i].steps, rows[i].rhs,
            mean - r->mean, largest - r->largest, asymmetry);
        assert_true(s.rhs <= 1.05 * rows[i].rhs && s.steps <= rows[i].steps && s.rejected <= 5);
        assert_true(fabs(mean - r->mean) < 0.02 * rows[i].tol + 1e-6 && fabs(largest - r->largest) < 50 * rows[i].tol &&
                    asymmetry < 10 * rows[i].tol);
        finish(&p);
    }
}

/* A spectral radius that is 13 % too small, as that of the program of 2010: steps are limited by stability whatever the
 * tolerance, many are rejected, and still the error is near the tolerance. (That program, of other coefficients: 468
 * steps, 77 rejected.) */
static void test_a_radius_that_is_too_small(void **state)
{
    (void)state;
    if (on("check") || (on("opencl") && !rw_device_info(dev)->gpu)) skip();
    int64_t rhs[2];
    for (int i = 0; i < 2; ++i) {
        double tol = i ? 1e-6 : 1e-4;
        problem p;
        describe_front(&p, FORWARD, 64, 64, RW_ODE_ROCK4, tol);
        p.spec.spectral_radius = "6620";
        start(&p, one);
        run_to(&p, 1);
        compare(&table[1], &p, 50 * tol, 0);
        rw_ode_statistics s = statistics(&p);
        print_message("%lld rejected\n", (long long)s.rejected);
        assert_true(s.rejected > 50 && s.rhs > 3 * 1284); /* 1284 with the right radius at 1e-6 */
        rhs[i] = s.rhs;
        finish(&p);
    }
    assert_true(fabs((double)rhs[1] / (double)rhs[0] - 1) < 0.2);
}

/* ---- devices beside each other ----------------------------------------------------------------------------------- */

typedef struct result {
    double u[2][24 * 20];
    saved end[2];
} result;

/* 12 steps of either method; the right-hand side has + - * only. */
static void run_here(void *user)
{
    result *r = user;
    for (int method = RW_ODE_RK4; method <= RW_ODE_RKC2; ++method) {
        problem p;
        describe_front(&p, CENTRAL, 24, 20, (rw_ode_method)method, 1e-4);
        p.spec.step = 1e-4, p.spec.spectral_radius = "8100";
        start(&p, one);
        for (int i = 0; i < 12; ++i) OK(rw_ode_step(p.ode, 10));
        memcpy(r->u[method - RW_ODE_RK4], numbers_of(p.array[0]), sizeof r->u[0]);
        r->end[method - RW_ODE_RK4] = save(p.ode);
        finish(&p);
    }
}

/* In reproducible mode the same bits everywhere, the error norms and so the steps included (on one grid of tiles; a GPU
 * has other tiles, so that only the fixed steps of RK4 are the same there). */
static void test_devices_agree(void **state)
{
    (void)state;
    static result of_cpu, here;
    rw_context_set_reproducible(ctx, true);
    run_here(&here);
    if (on("cpu")) of_cpu = here;
    else with_cpu(run_here, &of_cpu);
    rw_context_set_reproducible(ctx, false);
    assert_memory_equal(here.u[0], of_cpu.u[0], sizeof here.u[0]);
    if (!rw_device_info(dev)->gpu) {
        assert_memory_equal(here.u[1], of_cpu.u[1], sizeof here.u[0]);
        assert_memory_equal(here.end, of_cpu.end, sizeof here.end);
    }
    if (on("opencl")) return; /* test_order compares its ordinary mode with the cpu's */
    run_here(&here);          /* contracted or not: a few roundings a step, which diffusion does not let grow */
    for (int k = 0; k < RW_COUNT(here.u[0]); ++k) assert_true(fabs(here.u[0][k] - of_cpu.u[0][k]) <= 1e-13);
    for (int k = 0; k < RW_COUNT(here.u[1]); ++k) assert_true(fabs(here.u[1][k] - of_cpu.u[1][k]) <= 1e-10);
}

/* ROCK4 to the end with its own steps: other sums in the error norm, or contracted products, shift steps a little. */
typedef struct rock4_run {
    int n;
    double v[64 * 64];
    rw_ode_statistics s;
} rock4_run;

static void run_rock4(void *user)
{
    rock4_run *r = user;
    problem p;
    describe_front(&p, FORWARD, r->n, r->n, RW_ODE_ROCK4, 1e-6);
    start(&p, one);
    run_to(&p, 1);
    memcpy(r->v, numbers_of(p.array[0]), (size_t)(r->n * r->n) * sizeof *r->v);
    r->s = statistics(&p);
    finish(&p);
}

static void test_rock4_on_devices(void **state)
{
    (void)state;
    static rock4_run here, of_cpu;
    if (on("cpu") || brief()) skip(); /* test_rock4_values */
    for (int small = 0; small < 2; ++small) {
        if (on("check") && !small) continue;
        here.n = of_cpu.n = small ? 32 : 64;
        run_rock4(&here);
        with_cpu(run_rock4, &of_cpu);
        double worst = 0;
        for (int k = 0; k < here.n * here.n; ++k) worst = fmax(worst, fabs(here.v[k] - of_cpu.v[k]));
        print_message("%d x %d: %lld steps, %lld right-hand sides, %.1e from the cpu\n", here.n, here.n,
                      (long long)here.s.steps, (long long)here.s.rhs, worst);
        assert_true(worst <= 50e-6 && fabs((double)(here.s.steps - of_cpu.s.steps)) <= 0.03 * (double)of_cpu.s.steps);
        if (on("opencl") && !rw_device_info(dev)->gpu) break;
    }
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
        cmocka_unit_test(test_rock4_values),
        cmocka_unit_test(test_error_follows_tolerance),
        cmocka_unit_test(test_order_of_rock4),
        cmocka_unit_test(test_single_precision),
        cmocka_unit_test(test_a_radius_that_is_too_small),
        cmocka_unit_test(test_devices_agree),
        cmocka_unit_test(test_rock4_on_devices),
        cmocka_unit_test(test_threads_agree),
    };
    return run_on_devices("reference", tests, RW_COUNT(tests));
}
