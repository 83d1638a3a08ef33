/* TEST: devices=all */
/* Fields without a rate inside the integrators, by every method, in every layout: solutions that are known, the
 * equations of the unknowns after every step, orders in time; transforms against iterations; conditions that read an
 * unknown, against plain loops. */
#include "algebraic_test.h"

/* ---- solutions that are known ------------------------------------------------------------------------------------ */

/* u decays as exp(-rate t). */
static void decay(const struct way *w, rw_grid_layout layout, int ndim, rw_dtype type)
{
    problem p;
    char what[96];
    const bool single = type == RW_F32;
    snprintf(what, sizeof what, "%s, layout %s, %d dimensions, %s", w->name, layout_names[layout], ndim,
             rw_dtype_name(type));
    describe_way(&p, w, ndim == 2 ? FLOW POISSON : DIFFUSE POISSON, 2, ndim);
    lay_out(&p, layout, INTERVALS);
    p.fields[0].dtype = p.fields[1].dtype = type;
    if (single) p.spec.rtol = 1e-4;
    start(&p, of_mode);
    const double lambda = eigenvalue(INTERVALS), rate = 0.05 * lambda + 60 / lambda, end = 0.4;
    int n = 0;
    for (; rw_ode_time(p.ode) < end; ++n) {
        OK(rw_ode_step(p.ode, end));
        assert_solved(&p, "R = m*laplace(v) + u", single ? 1e-4 : 1e-11, what);
    }
    double error = 0, most = exp(-rate * end);
    for (int64_t c = 0; c < cells_of(&p); ++c) {
        double x[3];
        place_of(&p, c, x);
        error = fmax(error, fabs(value_of(p.array[0], c) - most * mode(x)));
        error = fmax(error, lambda * fabs(value_of(p.array[1], c) - most * mode(x) / lambda));
    }
    const double allowed = w->step > 0 ? (single ? 1e-4 : 1e-6) : single ? 3e-3 : 3e-4;
    print_message("%-45s %3d steps, %4d solves, error %.1e\n", what, n, (int)statistics(&p).solves, error / most);
    if (!(error < allowed * most)) fail_msg("%s: error %.3g of %.3g", what, error, most);
    assert_true(statistics(&p).solves >= 4 * (w->step > 0) * n && statistics(&p).solves <= statistics(&p).rhs + 2 * n);
    finish(&p);
}

static void test_known_solutions(void **state)
{
    (void)state;
    static const rw_grid_layout layouts[] = {RW_GRID_AUTO, RW_GRID_CELL, RW_GRID_NODE};
    for (int i = 0; i < WAYS; ++i) {
        const bool all = test_long();
        if (!all && (brief() ? i != RKC2 : i == RKL2 || i == ROCK2 || i == RK4_DEFAULT)) continue;
        for (int k = 0; k < (all ? 12 : 1); ++k) {
            const int j = all ? k : slow() ? 0 : i + 4; /* each way one of them, and all of them some way */
            decay(ways + i, layouts[j % 3], j / 3 % 2 ? 1 : 2, (all ? k / 6 : i == DP5) ? RW_F32 : RW_F64);
        }
    }
}

/* ---- orders in time ---------------------------------------------------------------------------------------------- */

/* a' = -rate a + part sin(t), a(0) = 1. */
static double exact_rate, exact_part, exact_time;
static double driven(const double x[3], int f)
{
    const double s = 1 + exact_rate * exact_rate, of_sine = exact_part / s;
    return f ? 0.25
             : mode(x) * ((1 + of_sine) * exp(-exact_rate * exact_time) +
                          of_sine * (exact_rate * sin(exact_time) - cos(exact_time)));
}

/* After time 0.8 in steps of 0.8/n. */
static double error_of_steps(const struct way *w, int n, const char *solver)
{
    problem p;
    const char *const solvers[2] = {NULL, solver};
    describe_way(&p, w, DIFFUSE "\nm*laplace(v) = -u + sin(t)*sin(pi*x)", 2, 1);
    p.scalars[0].value = 0.001;
    p.spec.solvers = solvers;
    if (w->method == RW_ODE_RK4) p.spec.step = 0.8 / n;
    else {
        p.spec.rtol = p.spec.atol = 1;
        p.spec.initial_step = p.spec.max_step = 0.8 / n;
    }
    const double lambda = eigenvalue(INTERVALS);
    exact_part = 60 / lambda;
    exact_rate = exact_part + 0.001 * lambda;
    exact_time = 0;
    start(&p, driven);
    for (int i = 0; i < n; ++i) {
        OK(rw_ode_step(p.ode, 10));
        assert_solved(&p, "R = m*laplace(v) + u - sin(now)*sin(pi*x)", solver ? 1e-10 : 1e-11, w->name);
    }
    exact_time = rw_ode_time(p.ode);
    assert_true(fabs(exact_time - 0.8) < 1e-12);
    double error = 0;
    for (int64_t c = 0; c < cells_of(&p); ++c) {
        double x[3];
        place_of(&p, c, x);
        error = fmax(error, fabs(value_of(p.array[0], c) - driven(x, 0)));
    }
    finish(&p);
    return error;
}

static void test_orders(void **state)
{
    (void)state;
    if (slow()) skip();
    static const struct {
        int way, n;
        double least;
        const char *solver;
    } rows[] = {{RK4, 16, 3.8, NULL},  {RK4, 16, 3.8, "krylov:rtol=1e-12"},
                {RKC2, 32, 1.9, NULL}, {ROCK4, 16, 3.5, NULL},
                {RKL2, 32, 1.9, NULL}, {ROCK2, 32, 1.9, NULL},
                {DP5, 16, 4.5, NULL}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        if (!test_long() && (brief() ? i != 2 : i > 3)) continue;
        const struct way *w = ways + rows[i].way;
        const double coarse = error_of_steps(w, rows[i].n, rows[i].solver);
        const double fine = error_of_steps(w, 2 * rows[i].n, rows[i].solver);
        const double order = log2(coarse / fine);
        print_message("%-5s order %.2f (error %.1e)\n", w->name, order, fine);
        if (!(order > rows[i].least && fine < 2e-3)) fail_msg("%s: errors %.3g, %.3g", w->name, coarse, fine);
    }
}

/* Functions of time in the equation of an unknown are taken as those of the right-hand side are: at the stage's
 * quadrature, not at its time. So where the unknown can be eliminated, in a stiff mode, both forms are the same. */
static double stiff(const double x[3], int f) { return f ? 0.25 : sin(8 * pi * x[0]); }

static void eliminate(const struct way *w)
{
    problem p, q;
    const double lambda = 4. * INTERVALS * INTERVALS * pow(sin(8 * pi / 2 / INTERVALS), 2);
    describe_way(&p, w, "du/dt = k*laplace(u) - c*v\nm*laplace(v) = -u + sin(5*t)*sin(8*pi*x)", 2, 1);
    p.scalars[0].value = 1, p.scalars[1].value = 10 * lambda; /* 441 of the lowest mode */
    p.spec.spectral_radius = "700";
    describe_way(&q, w, "du/dt = k*laplace(u) - c*(u - sin(5*t)*sin(8*pi*x))/m", 1, 1);
    memcpy(q.scalars, p.scalars, sizeof p.scalars);
    q.spec.spectral_radius = "700", q.scalars[2].value = lambda;
    start(&p, stiff), start(&q, stiff);
    run_to(&p, 1), run_to(&q, 1);
    assert_int_equal(statistics(&p).steps, statistics(&q).steps);
    assert_true(statistics(&p).max_stages == statistics(&q).max_stages && statistics(&p).max_stages > 2);
    p.spec.nfields = 1; /* of p, the state alone */
    assert_close(&p, &q, 1e-10, w->name);
    finish(&p), finish(&q);
}

static void test_stage_times(void **state)
{
    (void)state;
    if (slow()) skip();
    static const int list[] = {RKC2, ROCK4, RKL2, ROCK2};
    for (int i = 0; i < (test_long() ? RW_COUNT(list) : brief() ? 1 : 2); ++i) eliminate(ways + list[i]);
}

/* ---- equations that are solved by iterations --------------------------------------------------------------------- */

static void test_iterations_and_transforms(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; ++i) {
        problem p, q;
        if (!test_long() && i != RK4 && (brief() || (i != RKC2 && i != ROCK4))) continue;
        describe_flow(&p, ways + i);
        copy_problem(&q, &p);
        q.spec.solvers = by_iterations;
        start(&p, bump), start(&q, bump);
        run_to(&p, 0.1), run_to(&q, 0.1);
        assert_close(&p, &q, 1e-9, ways[i].name);
        const rw_ode_statistics direct = statistics(&p), iterated = statistics(&q);
        assert_true(direct.solve_iterations == 0 && direct.solve_residual == 0 && direct.solves > 0);
        if (!(iterated.solve_residual > 0 && iterated.solve_residual <= 1e-12))
            fail_msg("%s: %lld solves, %lld iterations, residual %.3g", ways[i].name, (long long)iterated.solves,
                     (long long)iterated.solve_iterations, iterated.solve_residual);
        assert_true(2 * iterated.solve_iterations > iterated.solves); /* a start may be good enough */
        finish(&p), finish(&q);
    }
}

/* A number of cycles in place of a tolerance: launches alone, and nearly the same values. */
static void test_cycles(void **state)
{
    (void)state;
    if (slow()) skip();
    for (int i = 0; i < WAYS; ++i) {
        problem p, q;
        if (!test_long() && i != RK4 && (brief() || (i != RKC2 && i != ROCK4))) continue;
        describe_cycles(&p, ways + i);
        copy_problem(&q, &p);
        q.spec.solvers = by_iterations;
        start(&p, bump), start(&q, bump);
        run_to(&p, 0.1), run_to(&q, 0.1);
        assert_close(&p, &q, 1e-7, ways[i].name);
        assert_solved(&p, "R = div((2 + x)*grad(v)) + u", 1e-7, ways[i].name);
        finish(&p), finish(&q);
    }
}

/* How fast a mode decays. */
static double of_one(double lambda) { return 0.05 * lambda + 60 / lambda; }
static double of_chain(double lambda) { return 1200 / (lambda * lambda); }
static double of_system(double lambda) { return 1200 / (lambda * lambda + 1); }

/* Coefficients that vary, a nonlinear equation, an unknown declared before the state, chains of unknowns and systems of
 * them. */
static const struct kind {
    int way;
    bool iterates;
    const char *equations, *residual[2];
    int state; /* the field with a rate; of 1, the first is an unknown */
    double (*rate)(double lambda);
} kinds[] = {{RKC2, true, FLOW "\ndiv((1 + x*y)*grad(v)) = -u", {"R = div((1 + x*y)*grad(v)) + u", NULL}, 0, NULL},
             {RK4, true, DIFFUSE "\nlaplace(v) - 40*v^3 = -u", {"R = laplace(v) - 40*v^3 + u", NULL}, 0, NULL},
             {DP5, true, "laplace(u) = -v\ndv/dt = k*laplace(v) - c*u", {"R = laplace(u) + v", NULL}, 1, of_one},
             {ROCK4,
              false,
              "a = 20*c\nlaplace(w) = -v\ndu/dt = -a*w\nlaplace(v) = -u",
              {"R = laplace(v) + u", "R = laplace(w) + v"},
              0,
              of_chain},
             {RK4_DEFAULT,
              true,
              "du/dt = -20*c*w\nlaplace(v) - w = -u\nlaplace(w) + v = 0",
              {"R = laplace(v) - w + u", "R = laplace(w) + v"},
              0,
              of_system}};

static void solve_kind(const struct kind *k)
{
    static const char *const first[] = {"krylov:rtol=1e-9", NULL};
    problem p;
    describe_way(&p, ways + k->way, k->equations, k->residual[1] ? 3 : 2, 2);
    if (k->state) p.spec.solvers = first;
    start(&p, of_mode);
    if (k->state) OK(rw_array_copy(p.array[1], p.array[0], queue));
    for (int n = 0; n < (brief() ? 3 : 8) && rw_ode_time(p.ode) < 0.4; ++n) {
        OK(rw_ode_step(p.ode, 0.4));
        for (int i = 0; i < 2 && k->residual[i]; ++i) {
            const double r = residual_of(&p, k->residual[i]);
            if (!(r <= (k->iterates ? 3e-7 : 1e-11))) fail_msg("%s: %s is %.3g", k->equations, k->residual[i], r);
        }
    }
    assert_true(k->iterates == (statistics(&p).solve_iterations > 0));
    const double found = largest(p.array[k->state]), t = rw_ode_time(p.ode);
    if (k->rate && !(fabs(found - exp(-k->rate(eigenvalue(INTERVALS)) * t)) < 1e-4))
        fail_msg("%s: %.9g at t = %g, not %.9g", k->equations, found, t, exp(-k->rate(eigenvalue(INTERVALS)) * t));
    finish(&p);
}

static void test_kinds_of_unknowns(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(kinds); ++i)
        if (!brief() || i == 0 || (i == 3 && !slow())) solve_kind(kinds + i);
}

/* ---- conditions that read an unknown ----------------------------------------------------------------------------- */

/* The driven cavity: vorticity u and streamfunction v on 17 x 17 nodes, Thom's formula at the walls, the lid at the
 * upper end of y. The same in plain loops. */
enum { WALL = 16, NODES = WALL + 1 };
static const double viscosity = 0.01;

typedef struct cavity {
    double u[NODES][NODES], v[NODES][NODES];
} cavity;

/* v by sines, then u at the walls. */
static void close_cavity(cavity *c)
{
    double s[NODES][NODES], a[NODES][NODES], b[NODES][NODES];
    const double h = 1. / WALL;
    for (int i = 1; i < WALL; ++i)
        for (int j = 1; j < WALL; ++j) s[i][j] = sin(pi * i * j / WALL);
    for (int to = 0; to < 2; ++to) { /* there and back */
        double(*from)[NODES] = to ? a : c->u, (*result)[NODES] = to ? c->v : a;
        for (int i = 1; i < WALL; ++i)
            for (int j = 1; j < WALL; ++j) {
                b[i][j] = 0;
                for (int k = 1; k < WALL; ++k) b[i][j] += s[i][k] * from[k][j];
            }
        for (int i = 1; i < WALL; ++i)
            for (int j = 1; j < WALL; ++j) {
                double sum = 0;
                for (int k = 1; k < WALL; ++k) sum += b[i][k] * s[k][j];
                const double lambda = 4 / h / h * (pow(sin(pi * i / 2 / WALL), 2) + pow(sin(pi * j / 2 / WALL), 2));
                result[i][j] = to ? sum : sum * 4 / WALL / WALL / lambda;
            }
    }
    for (int i = 1; i < WALL; ++i) {
        c->u[i][0] = -2 * c->v[i][1] / h / h;
        c->u[i][WALL] = -2 * c->v[i][WALL - 1] / h / h;
        c->u[0][i] = -2 * c->v[1][i] / h / h;
        c->u[WALL][i] = -2 * c->v[WALL - 1][i] / h / h - 2 / h;
    }
}

static double rate_in_cavity(const cavity *c, int i, int j)
{
    const double(*u)[NODES] = c->u, (*v)[NODES] = c->v, h = 1. / WALL;
    return viscosity * (u[i][j - 1] + u[i][j + 1] + u[i - 1][j] + u[i + 1][j] - 4 * u[i][j]) / h / h -
           (v[i + 1][j] - v[i - 1][j]) * (u[i][j + 1] - u[i][j - 1]) / 4 / h / h +
           (v[i][j + 1] - v[i][j - 1]) * (u[i + 1][j] - u[i - 1][j]) / 4 / h / h;
}

static void step_cavity(cavity *c, double h)
{
    static const double time[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    cavity stage = *c, next = *c;
    for (int k = 0; k < 4; ++k) {
        cavity following = *c;
        close_cavity(&stage);
        for (int i = 1; i < WALL; ++i)
            for (int j = 1; j < WALL; ++j) {
                const double rate = rate_in_cavity(&stage, i, j);
                next.u[i][j] += weight[k] * h * rate;
                if (k < 3) following.u[i][j] += time[k + 1] * h * rate;
            }
        stage = following;
    }
    close_cavity(&next);
    *c = next;
}

static double zero(const double x[3], int f) { return (void)x, (void)f, 0; }

static void describe_cavity(problem *p, const struct way *w)
{
#define WALL_OF "-2*inner(v, 1)/hn^2"
    static const rw_boundary sides[12] = {DIRICHLET(WALL_OF),
                                          DIRICHLET(WALL_OF),
                                          DIRICHLET(WALL_OF),
                                          DIRICHLET(WALL_OF " - 2/hn"),
                                          DIRICHLET("0"),
                                          DIRICHLET("0"),
                                          COLD};
    describe(p, "du/dt = k*laplace(u) - dy(v)*dx(u) + dx(v)*dy(u)\nlaplace(v) = -u", 2, 2, WALL, sides);
    lay_out(p, RW_GRID_NODE, WALL);
    p->scalars[0] = (rw_expr_scalar){.name = "k", .value = viscosity};
    p->spec.nscalars = 1;
    p->spec.method = w->method;
    p->spec.step = w->step > 0 ? 0.02 : 0;
    p->spec.end = 0.4;
    p->spec.record = RW_SWITCH_ON;
}

static double distance_to(problem *p, const cavity *c)
{
    double most = 0;
    for (int i = 0; i < NODES; ++i)
        for (int j = 0; j < NODES; ++j) {
            if ((i == 0 || i == WALL) && (j == 0 || j == WALL)) continue; /* no difference reads a corner */
            const double u = value_of(p->array[0], i * NODES + j) - c->u[i][j],
                         v = value_of(p->array[1], i * NODES + j) - c->v[i][j];
            most = fmax(most, fmax(fabs(u), fabs(v)) + (isnan(u) || isnan(v) ? INFINITY : 0));
        }
    return most;
}

static void test_conditions_that_read_unknowns(void **state)
{
    (void)state;
    cavity coarse = {{{0}}, {{0}}}, fine = coarse;
    close_cavity(&coarse), close_cavity(&fine);
    for (int n = 0; n < 20; ++n) step_cavity(&coarse, 0.02);
    for (int n = 0; n < 160; ++n) step_cavity(&fine, 0.0025);
    assert_true(fabs(fine.v[8][8]) > 0.01);
    for (int i = 0; i < WAYS; ++i) {
        problem p;
        if (brief() ? i != RK4 && (slow() || i != ROCK4) : !in_turn(i, 0)) continue;
        describe_cavity(&p, ways + i);
        start(&p, zero);
        int n = 0;
        for (; rw_ode_time(p.ode) < 0.4; ++n) {
            OK(rw_ode_step(p.ode, 0.4));
            assert_solved(&p, "R = laplace(v) + u", 1e-11, ways[i].name);
        }
        const double error = distance_to(&p, i == RK4 ? &coarse : &fine);
        print_message("%-18s %3d steps, difference %.1e\n", ways[i].name, n, error);
        if (!(error <= (i == RK4 ? 1e-10 : 2e-3))) fail_msg("%s: differs by %.3g", ways[i].name, error);
        finish(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_solutions),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_stage_times),
        cmocka_unit_test(test_iterations_and_transforms),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_kinds_of_unknowns),
        cmocka_unit_test(test_conditions_that_read_unknowns),
    };
    return run_on_devices("algebraic", tests, RW_COUNT(tests));
}
