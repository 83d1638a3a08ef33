/* TEST: devices=all */
/* Terms of rates that are marked and solved for, imex1 and ark2: factors of a step that are known, orders in time with
 * sides of every kind, walls that read fields, transforms against iterations and cycles, recorded steps, restarts, and
 * texts that are refused. */
#include "algebraic_test.h"

static const double gamma_of_ark2 = 0.29289321881345247560;

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* The function of stability, of the implicit part z = -h lambda alone. */
static double factor(rw_ode_method method, double z)
{
    const double g = gamma_of_ark2, first = 1 / (1 - g * z);
    return method == RW_ODE_IMEX1 ? 1 / (1 - z) : (1 + (1 - g) * z * first) * first;
}

/* An eigenvector decays by the factor of the method, to rounding, however stiff. */
static void test_factors(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_IMEX1, RW_ODE_ARK2};
    for (int i = 0; i < 2 * 3; ++i) {
        const rw_grid_layout layout = (rw_grid_layout)(i / 2);
        const double h = layout == RW_GRID_NODE ? 50 : 0.02;
        problem p;
        if (slow() && i < 4) continue;
        describe(&p, "du/dt = implicit(0.3*laplace(u))", 1, 2, INTERVALS, cold);
        lay_out(&p, layout, INTERVALS);
        dimensions = 2;
        p.spec.method = methods[i % 2];
        p.spec.step = h;
        start(&p, of_mode);
        OK(rw_ode_step(p.ode, 20 * h));
        const double by = factor(methods[i % 2], -h * 0.3 * eigenvalue(INTERVALS));
        for (int64_t c = 0; c < cells_of(&p); ++c) {
            double x[3];
            place_of(&p, c, x);
            const double u = value_of(p.array[0], c), expected = by * mode(x);
            if (!(fabs(u - expected) <= 1e-12 * fabs(by) + 1e-16))
                fail_msg("%s, layout %s, node %d: %.17g, expected %.17g", rw_ode_method_name(methods[i % 2]),
                         layout_names[layout], (int)c, u, expected);
        }
        finish(&p);
    }
}

/* ---- orders in time ---------------------------------------------------------------------------------------------- */

/* u = cos(2 t) q, q = 1 + x - x^2/2 + y/4 + y^2/4, laplace q = -1/2: differences are exact. */
#define Q "(1 + x - 0.5*x^2 + 0.25*y + 0.25*y^2)"
#define U "(cos(2*t)*" Q ")"
#define UX "(cos(2*t)*(1 - x))"
#define UY "(cos(2*t)*(0.25 + 0.5*y))"
#define SOURCE " - u^2 + " U "^2 - 2*sin(2*t)*" Q " + 0.05*cos(2*t)"
#define NEUMANN(slope)                                                                                                 \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, slope, 0, 0                                                                               \
    }
#define ROBIN(u, slope)                                                                                                \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "2", "0.5", "2*" u " + 0.5*(" slope ")"                                                     \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }

static double now;
static double known(const double x[3], int f)
{
    const double u = cos(2 * now) * (1 + x[0] - 0.5 * x[0] * x[0] + 0.25 * x[1] + 0.25 * x[1] * x[1]);
    return f ? 2 * u : u;
}

typedef struct order_case {
    const char *name, *equations, *solver;
    int nfields;
    rw_grid_layout layout;
    rw_boundary sides[2][6];
} order_case;

/* Of quadratics in layout node: the value on a side from the next two nodes and the slope, (4 u1 - u2 + 2 hn du/dn)/3;
 * and what a side without a slope for u has of another field. */
#define LAGGED(slope) DIRICHLET("(4*inner(u, 1) - inner(u, 2) + 2*hn*(" slope "))/3")
static const order_case orders[] = {
    {"transform",
     "du/dt = implicit(0.1*laplace(u))" SOURCE,
     NULL,
     1,
     RW_GRID_AUTO,
     {{DIRICHLET(U), NEUMANN(UX), NEUMANN("-" UY), DIRICHLET(U), NONE, NONE}}},
    {"krylov, Robin",
     "du/dt = implicit(0.1*laplace(u))" SOURCE,
     "krylov:rtol=1e-12",
     1,
     RW_GRID_AUTO,
     {{ROBIN(U, "-" UX), NEUMANN(UX), NEUMANN("-" UY), DIRICHLET(U), NONE, NONE}}},
    {"sides read u",
     "du/dt = -(u^2 - " U "^2) + implicit(0.1*laplace(u)) - (2*sin(2*t)*" Q " - 0.05*cos(2*t))",
     NULL,
     1,
     RW_GRID_NODE,
     {{LAGGED("-" UX), LAGGED(UX), LAGGED("-" UY), DIRICHLET(U), NONE, NONE}}},
    {"a field without marks",
     "du/dt = implicit(0.1*laplace(u)) + v - 2*" U " - 2*sin(2*t)*" Q " + 0.05*cos(2*t)\n"
     "dv/dt = 0.05*laplace(v) - u*v + 2*" U "^2 - 4*sin(2*t)*" Q " + 0.05*cos(2*t)",
     NULL,
     2,
     RW_GRID_AUTO,
     {{DIRICHLET(U), NEUMANN("v/2 - " U " + " UX), NEUMANN("-" UY), DIRICHLET("v/2"), NONE, NONE},
      {DIRICHLET("2*" U), NEUMANN("2*" UX), NEUMANN("-2*" UY), DIRICHLET("2*" U), NONE, NONE}}},
    {"two fields, not linear",
     "du/dt = implicit(0.1*laplace(u) - u^3) + " U "^3 - 2*sin(2*t)*" Q " + 0.05*cos(2*t) - (v - 2*" U ")\n"
     "dv/dt = -4*sin(2*t)*" Q " - implicit(3*v - u) + 5*" U,
     "krylov:rtol=1e-12",
     2,
     RW_GRID_AUTO,
     {{DIRICHLET(U), NEUMANN(UX), NEUMANN("-" UY), DIRICHLET(U), NONE, NONE},
      {DIRICHLET("2*" U), NEUMANN("2*" UX), NEUMANN("-2*" UY), DIRICHLET("2*" U), NONE, NONE}}},
};

static double error_of(const order_case *c, rw_ode_method method, int n)
{
    const char *const solvers[2] = {c->solver, c->solver};
    problem p;
    describe(&p, c->equations, c->nfields, 2, 8, c->sides[0]);
    lay_out(&p, c->layout, 8);
    p.spec.method = method;
    p.spec.step = 0.8 / n;
    if (c->solver) p.spec.solvers = solvers;
    now = 0;
    start(&p, known);
    run_to(&p, 0.8);
    now = 0.8;
    const double error = largest_error(&p, known);
    assert_in_range(statistics(&p).steps, n, n + 1);
    finish(&p);
    return error;
}

static void test_orders(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * RW_COUNT(orders); ++i) {
        const order_case *c = orders + i / 2;
        const rw_ode_method method = i % 2 ? RW_ODE_ARK2 : RW_ODE_IMEX1;
        const int n = method == RW_ODE_ARK2 ? 40 : 160;
        if (brief() ? i != 5 : on("opencl") && i % 3) continue;
        const double coarse = error_of(c, method, n), fine = error_of(c, method, 2 * n), order = log2(coarse / fine);
        print_message("%-6s %-24s order %.2f (%.1e)\n", rw_ode_method_name(method), c->name, order, fine);
        const double expected = method == RW_ODE_ARK2 ? 2 : 1;
        if (!(fabs(order - expected) < 0.15)) fail_msg("%s: order %.3f", c->name, order);
    }
}

/* ---- walls ------------------------------------------------------------------------------------------------------- */

/* Vorticity u and streamfunction v of a cavity with a lid: rates, and the vorticity at walls from v. */
#define WALL DIRICHLET("-2*inner(v, 1)/hn^2")
#define CAVITY(diffusion) "laplace(v) = -u\ndu/dt = " diffusion " - dy(v)*dx(u) + dx(v)*dy(u)"
static const rw_boundary walls[12] = {WALL, WALL, WALL, DIRICHLET("-2*(inner(v, 1) + hn)/hn^2"), NONE, NONE, COLD};
static double rest(const double x[3], int f) { return 0 * x[0] + 0.1 * f; }

static void describe_cavity(problem *p, rw_ode_method method, const char *equations, double step)
{
    describe(p, equations, 2, 2, INTERVALS, walls);
    lay_out(p, RW_GRID_NODE, INTERVALS);
    p->spec.method = method;
    p->spec.step = step;
}

/* To time 0.2 by ark2 in n steps, and the same without marks by rk4 in fine ones. */
static double wall_error(int n, problem *fine)
{
    problem p;
    describe_cavity(&p, RW_ODE_ARK2, CAVITY("implicit(0.01*laplace(u))"), 0.2 / n);
    start(&p, rest);
    run_to(&p, 0.2);
    double error = 0;
    for (int64_t c = 0; c < cells_of(&p); ++c)
        error = fmax(error, fabs(value_of(p.array[0], c) - value_of(fine->array[0], c)));
    finish(&p);
    return error;
}

static void test_walls(void **state)
{
    (void)state;
    problem fine;
    if (slow()) skip();
    describe_cavity(&fine, RW_ODE_RK4, CAVITY("0.01*laplace(u)"), 0.2 / 200);
    start(&fine, rest);
    run_to(&fine, 0.2);
    const double coarse = wall_error(20, &fine), half = wall_error(40, &fine), order = log2(coarse / half);
    print_message("walls: errors %.2e, %.2e, order %.2f\n", coarse, half, order);
    assert_true(order > 1.85 && order < 2.2);
    finish(&fine);
}

/* A side that reads the vorticity two nodes in: rk4 then writes y to a second array, and no step is recorded. */
static void test_walls_that_read_their_field(void **state)
{
    (void)state;
#define WOODS DIRICHLET("-3*(inner(v, 1) - v)/hn^2 - inner(u, 1)/2")
    static const rw_boundary sides[12] = {WOODS, WOODS, WOODS, DIRICHLET("-2*(inner(v, 1) + hn)/hn^2"),
                                          NONE,  NONE,  COLD};
    static const rw_ode_method methods[] = {RW_ODE_RK4, RW_ODE_IMEX1};
    for (int i = 0; i < RW_COUNT(methods); ++i) {
        problem p, q;
        if (slow() && i) continue;
        describe_cavity(&p, methods[i], CAVITY("implicit(0.05*laplace(u))"), 0.01);
        memcpy(p.fields[0].boundary, sides, 6 * sizeof *sides);
        p.spec.record = RW_SWITCH_ON;
        copy_problem(&q, &p);
        q.spec.record = RW_SWITCH_OFF;
        start(&p, rest);
        start(&q, rest);
        steps(&p, 6);
        steps(&q, 6);
        assert_close(&p, &q, 0, "walls that read their field");
        finish(&p);
        finish(&q);
    }
}

/* ---- marks, solvers, recorded steps ------------------------------------------------------------------------------ */

static void run_steps(problem *p, int n, value_at *initial)
{
    start(p, initial);
    steps(p, n);
}

/* For other methods implicit(e) is e. */
static void test_marks_of_explicit_methods(void **state)
{
    (void)state;
    problem p, q;
    if (slow()) skip();
    describe(&p, "du/dt = implicit(0.05*laplace(u)) - (u^2 + implicit(2*u)) + 1", 1, 2, INTERVALS, cold);
    describe(&q, "du/dt = 0.05*laplace(u) - (u^2 + 2*u) + 1", 1, 2, INTERVALS, cold);
    dimensions = 2;
    p.spec.step = q.spec.step = 0.01;
    run_steps(&p, 5, of_mode);
    run_steps(&q, 5, of_mode);
    assert_close(&p, &q, 0, "marks and rk4");
    finish(&p);
    finish(&q);
}

#define VARIED "du/dt = implicit(0.05*div((2 + x + m)*grad(u))) - c*u^2 + v\nlaplace(v) = -u"

static void test_solvers(void **state)
{
    (void)state;
    static const char *const texts[] = {"krylov:rtol=1e-13", "multigrid:rtol=1e-13", "multigrid:cycles=12"};
    problem p[RW_COUNT(texts)];
    if (slow()) skip();
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        const char *const solvers[2] = {texts[i], NULL};
        describe_way(p + i, ways + RK4, VARIED, 2, 2);
        lay_out(p + i, RW_GRID_CELL, INTERVALS);
        p[i].spec.method = RW_ODE_ARK2;
        p[i].spec.step = 0.01;
        p[i].spec.solvers = solvers;
        start(p + i, of_mode);
        steps(p + i, 3);
        OK(rw_ode_set(p[i].ode, "m", 2)); /* another operator */
        steps(p + i, 3);
        if (i) assert_close(p, p + i, 1e-10, texts[i]);
    }
    for (int i = 0; i < RW_COUNT(texts); ++i) finish(p + i);
}

static void test_recorded_steps(void **state)
{
    (void)state;
    static const char *const texts[] = {VARIED, "du/dt = implicit(0.05*laplace(u)) - c*u^2 + v\nlaplace(v) = -u",
                                        "du/dt = -c*u^2 + v\ndv/dt = implicit(laplace(v)) + u"};
    for (int i = 0; i < 2 * RW_COUNT(texts); ++i) {
        static const char *const cycles[2] = {"multigrid:cycles=3", NULL};
        problem p, q;
        if (brief() && i != 2) continue;
        describe_way(&p, ways + RK4, texts[i / 2], 2, 2);
        lay_out(&p, RW_GRID_CELL, INTERVALS);
        p.spec.method = i % 2 ? RW_ODE_ARK2 : RW_ODE_IMEX1;
        if (i / 2 == 0) p.spec.solvers = cycles;
        copy_problem(&q, &p);
        q.spec.record = RW_SWITCH_OFF;
        run_steps(&p, 6, of_mode);
        run_steps(&q, 6, of_mode);
        assert_close(&p, &q, 0, texts[i / 2]);
        OK(rw_ode_set(p.ode, "c", 30));
        OK(rw_ode_set(q.ode, "c", 30));
        steps(&p, 4);
        steps(&q, 4);
        assert_close(&p, &q, 0, "another scalar");
        finish(&p);
        finish(&q);
    }
}

static void test_restart(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        problem p, q;
        if (slow() && i != 1) continue;
        describe_cavity(&p, i ? RW_ODE_ARK2 : RW_ODE_IMEX1, CAVITY("implicit(0.05*laplace(u))"), i < 2 ? 0.004 : 0);
        p.spec.rtol = 1e-3;
        copy_problem(&q, &p);
        run_steps(&p, 4, rest);
        saved s = save(p.ode);
        start(&q, rest);
        for (int f = 0; f < 2; ++f) OK(rw_array_copy(q.array[f], p.array[f], rw_device_queue(dev)));
        OK(load(q.ode, &s));
        steps(&p, 4);
        steps(&q, 4);
        assert_close(&p, &q, 0, "restarted");
        assert_true(rw_ode_time(p.ode) == rw_ode_time(q.ode));
        finish(&p);
        finish(&q);
    }
}

/* ---- error control ----------------------------------------------------------------------------------------------- */

/* u' = 1000 (cos t - u): steps follow cos t, not the rate 1000. */
static void test_error_control(void **state)
{
    (void)state;
    double before = 0;
    if (slow()) skip();
    for (double rtol = 1e-2; rtol > 1e-6; rtol /= 10) {
        problem p;
        describe(&p, "du/dt = implicit(1000*(cos(t) - u))", 1, 1, 4, NULL);
        p.spec.method = RW_ODE_ARK2;
        p.spec.rtol = p.spec.atol = rtol;
        dimensions = 1;
        start(&p, rest);
        run_to(&p, 3);
        const double u = value_of(p.array[0], 1), exact = (1e6 * cos(3) + 1000 * sin(3)) / (1e6 + 1),
                     error = fabs(u - exact);
        print_message("rtol %.0e: %d steps, error %.1e\n", rtol, (int)statistics(&p).steps, error);
        assert_true(error < 2 * rtol);
        assert_true(statistics(&p).steps < 40 / sqrt(rtol));
        assert_true(before == 0 || statistics(&p).steps > before);
        before = (double)statistics(&p).steps;
        finish(&p);
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        rw_ode_method method;
        double step;
    } rows[] = {
        {"du/dt = laplace(u)", "no rate has one", RW_ODE_ARK2, 0},
        {"du/dt = 2*implicit(laplace(u))", "test:1:11: implicit(e) marks a term of a rate", RW_ODE_RK4, 0.1},
        {"a = implicit(laplace(u))\ndu/dt = a", "test:1:5: implicit(e) marks a term of a rate", RW_ODE_RK4, 0.1},
        {"f(q) = implicit(q)\ndu/dt = f(u)", "test:1:8: implicit(e) marks a term", RW_ODE_RK4, 0.1},
        {"du/dt = implicit(u, u)", "implicit takes 1 argument", RW_ODE_ARK2, 0},
        {"du/dt = implicit(grad(u))", "implicit", RW_ODE_RK4, 0.1},
        {"du/dt = implicit(laplace(u))", "give time.step or time.courant, or take ark2", RW_ODE_IMEX1, 0},
        {"du/dt = implicit(round(u)*laplace(u)) - implicit", "its arguments are missing", RW_ODE_ARK2, 0},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        describe(&p, rows[i].text, 1, 2, 4, cold);
        p.spec.method = rows[i].method;
        p.spec.step = rows[i].step;
        const rw_status status = rw_ode_create(dev, &p.spec, &p.ode);
        assert_true(status == RW_ERR_INPUT || status == RW_ERR_ARGUMENT);
        if (!strstr(rw_message(ctx), rows[i].message)) fail_msg("%s: %s", rows[i].text, rw_message(ctx));
    }
}

/* A stage that cannot be solved leaves the state before the step. */
static void test_failed_solve(void **state)
{
    (void)state;
    static const char *const solvers[2] = {"krylov:iterations=1:rtol=1e-12", NULL};
    problem p;
    if (slow()) skip();
    describe_way(&p, ways + RK4, VARIED, 2, 2);
    lay_out(&p, RW_GRID_CELL, INTERVALS);
    p.spec.method = RW_ODE_IMEX1;
    p.spec.solvers = solvers;
    start(&p, bump);
    const double u = value_of(p.array[0], 20);
    assert_int_equal(rw_ode_step(p.ode, 10), RW_ERR_NOT_CONVERGED);
    assert_non_null(strstr(rw_message(ctx), "a stage at t = 0.01"));
    assert_true(value_of(p.array[0], 20) == u && rw_ode_time(p.ode) == 0);
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_walls_that_read_their_field),
        cmocka_unit_test(test_marks_of_explicit_methods),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_recorded_steps),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_error_control),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_failed_solve),
    };
    return run_on_devices("additive", tests, RW_COUNT(tests));
}
