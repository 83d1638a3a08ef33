/* TEST: devices=all */
/* External fields: arrays that the equations read. The same coefficient as an array and as a formula gives the same
 * solution, by every method and every kind of kernel; a solution that is given has its order; arrays stay as they are;
 * mistakes are named. */
#include "../compiler.h"
#include "ode_test.h"

#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, 0, 0, 0                                                                                  \
    }
#define NEUMANN                                                                                                        \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, "0", 0, 0                                                                                 \
    }
#define DIRICHLET                                                                                                      \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, "0", 0, 0                                                                               \
    }
#define NEAREST                                                                                                        \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }

static double bump(const double x[3], int f) { return f ? 0.2 + 0.1 * x[0] : 0.3 + x[0] * (1 - x[0]) + 0.2 * x[1]; }

/* An array of the grid with the values of a function. */
static rw_array *array_with(const problem *p, rw_dtype type, double (*value)(const double x[3]))
{
    int64_t shape[3];
    rw_array *a;
    void *w;
    for (int d = 0; d < p->spec.grid.ndim; ++d) shape[d] = p->spec.grid.size[p->spec.grid.ndim - 1 - d];
    OK(rw_array_create(dev, type, p->spec.grid.ndim, shape, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &w));
    for (int64_t c = 0; c < cells_of(p); ++c) {
        double x[3];
        place_of(p, c, x);
        if (type == RW_F64) ((double *)w)[c] = value(x);
        else ((float *)w)[c] = (float)value(x);
    }
    return a;
}

/* ---- as a formula ------------------------------------------------------------------------------------------------ */

/* Symmetric about 0 and 1, and periodic: beyond the sides the formula is what the array continues with. */
#define K "2 + cos(2*pi*x)"
static double k_of(const double x[3]) { return 2 + cos(2 * 3.14159265358979323846 * x[0]); }

#define RATES "du/dt = 0.1*div(k*grad(u)) + k[i+1]*v - 0.1*u^3\ndv/dt = 0.05*laplace(v) + 0.1*dx(k)*u - k*v"

static void describe_rows(problem *p, const char *text, rw_ode_method method, int ndim, const rw_boundary *sides,
                          int order)
{
    describe(p, text, 2, ndim, ndim == 3 ? 8 : 14, sides);
    p->spec.order = order;
    p->spec.method = method;
    p->spec.rtol = 1e-5;
    p->spec.atol = 1e-7;
    p->spec.max_step = 2e-3;
    if (method == RW_ODE_RK4) p->spec.step = 1e-3;
}

/* The solution at t = 0.1 with k as a formula. More than 32 steps: ROCK has its chains then. */
static void solve_with_formula(problem *p, rw_ode_method method, int ndim, const rw_boundary *sides, int order)
{
    describe_rows(p, "k = " K "\n" RATES, method, ndim, sides, order);
    start(p, bump);
    run_to(p, 0.1);
}

/* The same with k as an array: what solve_with_formula gave. */
static void compare_with_array(problem *p, const rw_boundary *sides, rw_dtype type)
{
    problem q;
    rw_expr_field external = {.name = "k", .dtype = type};
    for (int s = 0; s < 6; ++s) external.boundary[s].kind = RW_BOUNDARY_REFLECT101; /* unless an axis is periodic */
    describe_rows(&q, RATES, p->spec.method, p->spec.grid.ndim, sides, p->spec.order);
    q.spec.externals = &external;
    q.spec.nexternals = 1;
    start(&q, bump);
    rw_array *k = array_with(&q, type, k_of);
    OK(rw_ode_bind(q.ode, "k", k));
    run_to(&q, 0.1);
    for (int f = 0; f < FIELDS; ++f) {
        const double *u = numbers_of(p->array[f]), *w = numbers_of(q.array[f]);
        for (int64_t c = 0; c < cells_of(p); ++c)
            if (!(fabs(u[c] - w[c]) < (type == RW_F64 ? 1e-9 : 1e-5)))
                fail_msg("%s, %d dimensions, order %d: node %lld: %.15g by the formula, %.15g by the array",
                         rw_ode_method_name(p->spec.method), p->spec.grid.ndim, p->spec.order, (long long)c, u[c],
                         w[c]);
    }
    rw_array_destroy(&k);
    finish(&q);
}

static const rw_boundary periodic[12] = {PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC,
                                         PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC},
                         closed[12] = {NEUMANN, NEUMANN, NEUMANN, NEUMANN, NEUMANN, NEUMANN,
                                       NEUMANN, NEUMANN, NEUMANN, NEUMANN, NEUMANN, NEUMANN};

static void test_array_and_formula(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_RK4,   RW_ODE_RKC2, RW_ODE_RKL2, RW_ODE_ROCK2,
                                            RW_ODE_ROCK4, RW_ODE_AUTO, RW_ODE_DP5};
    for (int i = 0, n = 0; i < RW_COUNT(methods); ++i)
        for (int ndim = 1; ndim <= 3; ++ndim, ++n)
            if (brief() ? n == (on("check") ? 10 : 1) : in_turn(n, 0)) { /* an integrator has up to twelve programs */
                const rw_boundary *sides = n % 2 ? periodic : closed;
                problem p;
                solve_with_formula(&p, methods[i], ndim, sides, n % 5 ? 2 : 4);
                compare_with_array(&p, sides, n % 7 ? RW_F64 : RW_F32);
                finish(&p);
            }
}

/* Passes that share a kernel read the array in each of them, also around a tile: every second kind of kernels against
 * one solution by plain passes with the formula. */
static void compare_tilings(rw_ode_method method, int ndim, const rw_boundary *sides, int first)
{
    static const char *const tilings[] = {"fused", "wave", "rings", "gpu", "stream"};
    problem p;
    solve_with_formula(&p, method, ndim, sides, 2);
    for (int i = first; i < RW_COUNT(tilings); i += 2) {
        if (!in_turn(i, 1) && on("check")) continue;
        begin_tiling(tilings[i]);
        compare_with_array(&p, sides, RW_F64);
        end_tiling();
    }
    finish(&p);
}

static void test_kernels_of_several_passes(void **state)
{
    (void)state;
    if (!on("cpu") && !on("check")) skip();
    for (int i = 0; i < 2; ++i) {
        compare_tilings(RW_ODE_ROCK4, 2, i % 2 ? periodic : closed, i);
        if (test_long()) compare_tilings(RW_ODE_RKC2, 3, i % 2 ? closed : periodic, i);
    }
}

/* The evaluator, which computes ghost values by formulas of its own. */
static void test_evaluator(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    for (int order = 2; order <= 4; order += 2)
        for (int ndim = 1; ndim <= 2; ++ndim) {
            problem p[2];
            rw_array *k[2];
            rw_expr_field external = {.name = "k", .boundary = {NEUMANN, NEAREST, NEAREST, NEUMANN}};
            static const rw_boundary mixed[12] = {NEUMANN, DIRICHLET, DIRICHLET, NEUMANN, NEAREST, NEAREST,
                                                  NEUMANN, DIRICHLET, DIRICHLET, NEUMANN, NEAREST, NEAREST};
            for (int plain = 0; plain < 2; ++plain) {
                compiler(!plain);
                describe_rows(&p[plain], RATES, RW_ODE_RK4, ndim, mixed, order);
                p[plain].spec.externals = &external;
                p[plain].spec.nexternals = 1;
                start(&p[plain], bump);
                k[plain] = array_with(&p[plain], RW_F64, k_of);
                OK(rw_ode_bind(p[plain].ode, "k", k[plain]));
                run_to(&p[plain], 0.01);
                compiler(true);
            }
            for (int f = 0; f < FIELDS; ++f) {
                const double *u = numbers_of(p[0].array[f]), *w = numbers_of(p[1].array[f]);
                for (int64_t c = 0; c < cells_of(p); ++c)
                    if (!(fabs(u[c] - w[c]) < 1e-13))
                        fail_msg("order %d, node %lld: %.17g, by the evaluator %.17g", order, (long long)c, u[c], w[c]);
            }
            for (int i = 0; i < 2; ++i) rw_array_destroy(&k[i]), finish(&p[i]);
        }
}

/* ---- a given solution -------------------------------------------------------------------------------------------- */

/* u = exp(-t) cos(pi x / 2), k = 1 + x/2: no flux through the left side, 0 on the right one;
 * div(k grad u) = -exp(-t) (pi^2/4 (1 + x/2) cos(pi x/2) + pi/4 sin(pi x/2)), and q closes the equation. */
static const double pi = 3.14159265358979323846;
static double end_time;
static double slope_k(const double x[3]) { return 1 + x[0] / 2; }
static double source_q(const double x[3])
{
    return pi * pi / 4 * slope_k(x) * cos(pi * x[0] / 2) + pi / 4 * sin(pi * x[0] / 2) - cos(pi * x[0] / 2);
}
static double exact(const double x[3], int f) { return (void)f, exp(-end_time) * cos(pi * x[0] / 2); }

static double error_with(int n)
{
    static const rw_boundary sides[6] = {NEUMANN, DIRICHLET, NEAREST, NEAREST, NEAREST, NEAREST};
    problem p;
    rw_expr_field external[2] = {{.name = "k", .boundary = {NEUMANN, NEAREST}}, {.name = "q"}};
    describe(&p, "du/dt = div(k*grad(u)) + q*exp(-t)", 1, 1, n, sides);
    p.spec.externals = external;
    p.spec.nexternals = 2;
    p.spec.step = 0.1 / n / n;
    end_time = 0;
    start(&p, exact);
    rw_array *k = array_with(&p, RW_F64, slope_k), *q = array_with(&p, RW_F64, source_q);
    OK(rw_ode_bind(p.ode, "k", k));
    OK(rw_ode_bind(p.ode, "q", q));
    end_time = 0.1;
    run_to(&p, end_time);
    const double error = largest_error(&p, exact);
    rw_array_destroy(&k), rw_array_destroy(&q);
    finish(&p);
    return error;
}

static void test_order(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    const double coarse = error_with(16), fine = error_with(32);
    if (!(log2(coarse / fine) > 1.8) || !(fine < 1e-3)) fail_msg("errors %.3g and %.3g: not of order 2", coarse, fine);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* The caller's array is only read; another one, or other values after a new bind, count from the next step on, also
 * where a step has been recorded. */
static void test_arrays_stay(void **state)
{
    (void)state;
    problem p;
    rw_expr_field external = {.name = "k"};
    rw_array *found;
    void *w;
    char *text;
    describe(&p, "du/dt = -k*u", 1, 1, 14, NULL);
    p.spec.externals = &external;
    p.spec.nexternals = 1;
    p.spec.step = 0.01;
    p.spec.record = RW_SWITCH_ON;
    const int64_t bytes = rw_ode_bytes(&p.spec);
    p.spec.nexternals = 0;
    assert_int_equal(bytes - rw_ode_bytes(&p.spec), cells_of(&p) * 8);
    p.spec.nexternals = 1;
    start(&p, bump);
    rw_array *k = array_with(&p, RW_F64, k_of);
    FAILS(RW_ERR_ARGUMENT, "external field k has no array: call rw_ode_bind first", rw_ode_step(p.ode, 1));
    FAILS(RW_ERR_ARGUMENT, "external field k has no array", rw_ode_depgraph(p.ode, 4, NULL, NULL, NULL));
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields u and k", rw_ode_bind(p.ode, "k", p.array[0]));
    OK(rw_ode_bind(p.ode, "k", k));
    OK(rw_ode_get_array(p.ode, "k", &found));
    assert_ptr_equal(found, k);
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields k and u", rw_ode_bind(p.ode, "u", k));
    OK(rw_ode_depgraph(p.ode, 4, NULL, NULL, &text));
    if (!strstr(text, "reads u, k; writes u.1")) fail_msg("%s", text);
    free(text);
    run_to(&p, 0.1);
    for (int64_t c = 0; c < cells_of(&p); ++c) {
        double x[3];
        place_of(&p, c, x);
        assert_true(numbers_of(k)[c] == k_of(x));
        assert_true(fabs(numbers_of(p.array[0])[c] - bump(x, 0) * exp(-0.1 * k_of(x))) < 1e-7);
    }
    OK(rw_array_write(k, &w));
    for (int64_t c = 0; c < cells_of(&p); ++c) ((double *)w)[c] = 0;
    OK(rw_ode_bind(p.ode, "k", k));
    const copy before = state_of(&p);
    run_to(&p, 0.2);
    for (int64_t c = 0; c < cells_of(&p); ++c)
        assert_true(fabs(numbers_of(p.array[0])[c] - before.value[0][c]) < 1e-15); /* k = 0 */
    rw_array_destroy(&k);
    finish(&p);
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *equations, *name, *side, *message;
        rw_dtype type;
    } rows[] = {
        {"du/dt = k", "u", "0", "u is both a field and an external field", RW_F64},
        {"du/dt = k", "a", "0", "a is both an external field and a parameter", RW_F64},
        {"du/dt = k", "x", "0", "x", RW_F64},
        {"du/dt = k", "k", "0", "external field k: dtype c128: f32, f64 or u8 are possible", RW_C128},
        {"k = 1\ndu/dt = k", "k", "0", "k cannot be assigned: it is an external field", RW_F64},
        {"du/dt = k\ndk/dt = 1", "k", "0", "dk/dt: there is no field k", RW_F64},
        {"du/dt = q", "k", "0", "q", RW_F64},
        {"du/dt = k", "k", "t", "t", RW_F64},
    };
    if (!on("cpu")) skip();
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        rw_expr_field external = {.name = rows[i].name,
                                  .dtype = rows[i].type,
                                  .boundary = {{RW_BOUNDARY_NEUMANN, rows[i].side, 0, 0}}};
        describe(&p, rows[i].equations, 1, 1, 14, NULL);
        p.scalars[0] = (rw_expr_scalar){.name = "a"};
        p.spec.nscalars = 1;
        p.spec.step = 0.1;
        p.spec.externals = &external;
        p.spec.nexternals = 1;
        const rw_status status = rw_ode_create(dev, &p.spec, &p.ode);
        if (status != (rows[i].type == RW_C128 ? RW_ERR_ARGUMENT : RW_ERR_INPUT) ||
            !strstr(rw_message(ctx), rows[i].message))
            fail_msg("row %d: %s: %s", i, rw_status_name(status), rw_message(ctx));
    }
    problem p;
    const rw_expr_field twice[2] = {{.name = "k"}, {.name = "k"}};
    describe(&p, "du/dt = k", 1, 1, 14, NULL);
    p.spec.externals = twice;
    p.spec.nexternals = 2;
    FAILS(RW_ERR_INPUT, "external field k is declared twice", rw_ode_create(dev, &p.spec, &p.ode));
}

/* rw_expr: an external field is no word about the grid. */
static rw_status give(void *user, rw_device *device, rw_array **array)
{
    (void)device;
    *array = user;
    return RW_OK;
}

static void test_external_of_program(void **state)
{
    (void)state;
    const int64_t n = 5;
    rw_array *k = new_ramp(n, 1, 1), *v = new_array(RW_F64, n, RW_MEMORY_DEVICE);
    const rw_expr_external external = {.name = "k", .dtype = RW_F64, .make = give, .user = k};
    const rw_expr_field field = {.name = "v"};
    rw_expr_spec spec = {.name = "test",
                         .text = "v = k[i-1] + 10*k[i+1]",
                         .grid = {.ndim = 1, .size = {5}, .spacing = {1}},
                         .fields = &field,
                         .nfields = 1,
                         .externals = &external,
                         .nexternals = 1};
    rw_expr *e;
    OK(rw_expr_create(dev, &spec, &e));
    OK(rw_expr_bind(e, "v", v));
    OK(rw_expr_run(e, queue));
    static const double expected[] = {21, 31, 42, 53, 54};
    for (int i = 0; i < n; ++i) assert_true(numbers_of(v)[i] == expected[i]);
    rw_expr_destroy(&e);
    spec.unstructured = true;
    FAILS(RW_ERR_INPUT, "not", rw_expr_create(dev, &spec, &e));
    spec.unstructured = false;
    spec.text = "k = 1";
    FAILS(RW_ERR_INPUT, "k cannot be assigned: it is an external field, which is only read",
          rw_expr_create(dev, &spec, &e));
    rw_array_destroy(&k), rw_array_destroy(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_array_and_formula),
                                       cmocka_unit_test(test_kernels_of_several_passes),
                                       cmocka_unit_test(test_evaluator),
                                       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_arrays_stay),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_external_of_program)};
    return run_on_devices("external", tests, RW_COUNT(tests));
}
