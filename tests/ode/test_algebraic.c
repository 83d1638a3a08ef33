/* TEST: devices=all */
/* Fields without a rate inside the integrators, by every method, in every layout: solutions that are known, the
 * equations of the unknowns after every step, orders in time; transforms against iterations; conditions that read an
 * unknown, against plain loops; values between steps, steps undone, states saved and loaded; recorded steps, copies,
 * arrays; mistakes, and everything that may fail once. */
#include "ode_test.h"

static const double pi = 3.14159265358979323846;

#define DIRICHLET(u)                                                                                                   \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define COLD DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0")
static const rw_boundary cold[6 * MOST_FIELDS] = {COLD, COLD, COLD};

static const struct way {
    const char *name;
    rw_ode_method method;
    double step;
} ways[] = {{"rk4", RW_ODE_RK4, 0.01},  {"rk4, its own step", RW_ODE_RK4, 0},
            {"dp5", RW_ODE_DP5, 0},     {"rkc2", RW_ODE_RKC2, 0},
            {"rkl2", RW_ODE_RKL2, 0},   {"rock2", RW_ODE_ROCK2, 0},
            {"rock4", RW_ODE_ROCK4, 0}, {"auto", RW_ODE_AUTO, 0}};
enum { RK4, RK4_DEFAULT, DP5, RKC2, RKL2, ROCK2, ROCK4, AUTO, WAYS };

/* Each program takes seconds to compile (PoCL). */
static bool slow(void) { return brief() && on("opencl"); }

static const char *const layout_names[] = {"auto", "cell", "node"};

/* ---- the problem of most tests ----------------------------------------------------------------------------------- */

enum { INTERVALS = 12 };
#define DIFFUSE "du/dt = k*laplace(u) - c*v"
#define FLOW DIFFUSE " - dy(v)*dx(u) + dx(v)*dy(u)"
#define POISSON "\nm*laplace(v) = -u"

static int dimensions;

/* An eigenvector of the differences in every layout, to `lambda`; and a state that is none. */
static double mode(const double x[3])
{
    double s = 1;
    for (int d = 0; d < dimensions; ++d) s *= sin(pi * x[d]);
    return s;
}
static double eigenvalue(int n) { return dimensions * 4. * n * n * pow(sin(pi / 2 / n), 2); }
/* What the arrays of unknowns have at first does not matter. */
static double of_mode(const double x[3], int f) { return f ? 0.25 : mode(x); }
static double bump(const double x[3], int f) { return f ? 0.25 : 40 * mode(x) * (exp(x[0]) - 2 * x[1]); }

static void lay_out(problem *p, rw_grid_layout layout, int n)
{
    p->spec.layout = layout;
    for (int d = 0; d < p->spec.grid.ndim && layout != RW_GRID_AUTO; ++d) {
        p->spec.grid.size[d] = layout == RW_GRID_CELL ? n : n + 1;
        p->spec.grid.origin[d] = layout == RW_GRID_CELL ? 0.5 / n : 0;
    }
}

static void describe_way(problem *p, const struct way *w, const char *equations, int nfields, int ndim)
{
    describe(p, equations, nfields, ndim, INTERVALS, cold);
    dimensions = ndim;
    p->scalars[0] = (rw_expr_scalar){.name = "k", .value = 0.05};
    p->scalars[1] = (rw_expr_scalar){.name = "c", .value = 60};
    p->scalars[2] = (rw_expr_scalar){.name = "m", .value = 1};
    p->spec.nscalars = 3, p->spec.method = w->method, p->spec.step = w->step, p->spec.record = RW_SWITCH_ON;
    if (w->method == RW_ODE_AUTO) p->spec.end = 0.4;
}

static void describe_flow(problem *p, const struct way *w) { describe_way(p, w, FLOW POISSON, 2, 2); }

/* The same once more: pointers to itself. */
static void copy_problem(problem *to, const problem *from)
{
    *to = *from;
    to->spec.fields = to->fields, to->spec.scalars = to->scalars;
}

static void steps(problem *p, int n)
{
    for (int i = 0; i < n; ++i) OK(rw_ode_step(p->ode, 10));
}

static double value_of(rw_array *a, int64_t i)
{
    const void *r;
    OK(rw_array_read(a, &r));
    return a->dtype == RW_F32 ? (double)((const float *)r)[i] : ((const double *)r)[i];
}

static double largest(rw_array *a)
{
    double most = 0;
    for (int64_t i = 0; i < a->size; ++i) most = fmax(most, fabs(value_of(a, i)));
    return most;
}

static bool on_side(const problem *p, int64_t cell)
{
    const int64_t *n = p->spec.grid.size, i[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
    bool yes = false;
    for (int d = 0; d < p->spec.grid.ndim; ++d) yes = yes || i[d] == 0 || i[d] == n[d] - 1;
    return yes && p->spec.layout == RW_GRID_NODE;
}

/* The largest |R| of the text "R = …" at nodes that no side gives, by the plain evaluator in double precision. "now" is
 * the time. */
static double residual_of(problem *p, const char *text)
{
    const int n = (int)p->spec.nfields, ns = (int)p->spec.nscalars;
    rw_expr_field all[MOST_FIELDS + 1];
    rw_expr_scalar scalars[RW_COUNT(p->scalars) + 1];
    rw_array *arrays[MOST_FIELDS + 1];
    rw_expr *e;
    void *w;
    for (int f = 0; f <= n; ++f) {
        all[f] = f < n ? p->fields[f] : (rw_expr_field){.name = "R"};
        all[f].dtype = RW_F64;
        arrays[f] = new_array(RW_F64, cells_of(p), RW_MEMORY_DEVICE);
        OK(rw_array_write(arrays[f], &w));
        for (int64_t i = 0; i < cells_of(p); ++i) ((double *)w)[i] = f < n ? value_of(p->array[f], i) : 0;
    }
    for (int i = 0; i < ns; ++i) {
        scalars[i] = p->scalars[i];
        OK(rw_ode_get(p->ode, scalars[i].name, &scalars[i].value));
    }
    scalars[ns] = (rw_expr_scalar){.name = "now", .value = rw_ode_time(p->ode)};
    const rw_expr_spec spec = {.name = "residual",
                               .text = text,
                               .grid = p->spec.grid,
                               .layout = p->spec.layout,
                               .fields = all,
                               .nfields = n + 1,
                               .scalars = scalars,
                               .nscalars = ns + 1};
    rw_programs_plan_only(true);
    OK(rw_expr_create(dev, &spec, &e));
    rw_programs_plan_only(false);
    for (int f = 0; f <= n; ++f) OK(rw_expr_bind(e, all[f].name, arrays[f]));
    OK(rw_expr_evaluate(e));
    double most = 0;
    for (int64_t i = 0; i < cells_of(p); ++i) {
        const double r = fabs(value_of(arrays[n], i));
        if (!on_side(p, i)) most = r > most || isnan(r) ? r : most;
    }
    rw_expr_destroy(&e);
    for (int f = 0; f <= n; ++f) rw_array_destroy(&arrays[f]);
    return most;
}

/* The bound unknowns solve their equation for the bound state. */
static void assert_solved(problem *p, const char *text, double tolerance, const char *what)
{
    const double r = residual_of(p, text), size = largest(p->array[0]);
    if (!(r <= tolerance * size))
        fail_msg("%s, t = %.6g: %s is %.3g, u up to %.3g", what, rw_ode_time(p->ode), text, r, size);
}

static void assert_close(problem *p, problem *q, double tolerance, const char *what)
{
    for (int f = 0; f < p->spec.nfields; ++f) {
        const double size = largest(p->array[f]);
        for (int64_t c = 0; c < cells_of(p); ++c) {
            const double a = value_of(p->array[f], c), b = value_of(q->array[f], c);
            if (!(fabs(a - b) <= tolerance * size))
                fail_msg("%s: %s at node %lld: %.15g and %.15g", what, p->fields[f].name, (long long)c, a, b);
        }
    }
}

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
    else p.spec.rtol = p.spec.atol = 1, p.spec.initial_step = p.spec.max_step = 0.8 / n;
    const double lambda = eigenvalue(INTERVALS);
    exact_part = 60 / lambda, exact_rate = exact_part + 0.001 * lambda, exact_time = 0;
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
        const double coarse = error_of_steps(w, rows[i].n, rows[i].solver),
                     fine = error_of_steps(w, 2 * rows[i].n, rows[i].solver), order = log2(coarse / fine);
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

static const char *const by_iterations[MOST_FIELDS] = {NULL, "krylov:rtol=1e-12", NULL};

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
} kinds[] = {{RKC2, true, FLOW "\ndiv((1 + x)*grad(v)) = -u", {"R = div((1 + x)*grad(v)) + u", NULL}, 0, NULL},
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
    p->spec.nscalars = 1, p->spec.method = w->method, p->spec.step = w->step > 0 ? 0.02 : 0;
    p->spec.end = 0.4, p->spec.record = RW_SWITCH_ON;
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

/* ---- values between steps ---------------------------------------------------------------------------------------- */

static void test_between_steps(void **state)
{
    (void)state;
    static const struct {
        int way;
        bool iterates, thom;
    } rows[] = {{RKC2, false, false},
                {DP5, false, true},
                {ROCK4, false, false},
                {RKC2, true, false},
                {ROCK2, false, true}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p, q;
        const struct way *w = ways + rows[i].way;
        if (!test_long() && i > (slow() ? 0 : brief() ? 1 : 2)) continue;
        describe_flow(&p, w);
        p.spec.dense = true;
        if (rows[i].iterates) p.spec.solvers = by_iterations;
        copy_problem(&q, &p);
        start(&p, bump), start(&q, bump);
        for (int n = 1; n <= 8; ++n) {
            steps(&p, 1), steps(&q, 1);
            const copy present = state_of(&p);
            assert_same_bits(&q, &present, w->name);
            const double t = rw_ode_time(p.ode), h = statistics(&p).step;
            for (int k = 1; k < 4 && n > 3; ++k) { /* without coming back in between */
                double error;
                OK(rw_ode_interpolate(p.ode, t - 0.25 * k * h, &error));
                assert_true(error > 0 && error < 1e-2);
                assert_solved(&p, "R = m*laplace(v) + u", 1e-10, "between steps");
            }
            if (n > 3) {
                const copy between = state_of(&p);
                assert_memory_not_equal(between.value[1], present.value[1], sizeof *present.value);
            }
            if (n % 2) OK(rw_ode_restore(p.ode)); /* the next step does so itself */
            if (n % 2) assert_same_bits(&p, &present, "a look and back");
        }
        finish(&p), finish(&q);
    }
}

static void test_steps_undone(void **state)
{
    (void)state;
    static const int list[] = {RKC2, DP5, ROCK4};
    for (int i = 0; i < RW_COUNT(list); ++i) {
        problem p;
        if (brief() && i) continue;
        describe_flow(&p, ways + list[i]);
        p.spec.dense = true;
        start(&p, bump);
        steps(&p, 4);
        for (int n = 0; n < 3; ++n) {
            double error;
            const copy before = state_of(&p);
            steps(&p, 1);
            const copy after = state_of(&p);
            if (n) OK(rw_ode_interpolate(p.ode, rw_ode_time(p.ode) - 0.3 * statistics(&p).step, &error));
            OK(rw_ode_undo(p.ode));
            assert_same_bits(&p, &before, "a step undone");
            steps(&p, 1);
            assert_same_bits(&p, &after, "undone and taken again");
            steps(&p, 1);
        }
        finish(&p);
    }
}

/* ---- saved and loaded -------------------------------------------------------------------------------------------- */

static void put_state(problem *p, const copy *c)
{
    for (int f = 0; f < p->spec.nfields; ++f) {
        void *w;
        OK(rw_array_write(p->array[f], &w));
        memcpy(w, c->value[f], p->array[f]->bytes);
    }
}

static void test_saving_and_loading(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * WAYS; ++i) {
        problem p, q;
        const struct way *w = ways + i / 2;
        if (slow() ? i != 2 * RK4 && i != 2 * RKC2 : brief() && i % 5) continue;
        if (!test_long() && i % 2 && i / 2 % 3) continue;
        describe_flow(&p, w);
        if (i % 2) p.spec.solvers = by_iterations;
        copy_problem(&q, &p);
        start(&p, bump);
        steps(&p, 5);
        const saved then = save(p.ode);
        const copy middle = state_of(&p);
        start(&q, of_mode);
        put_state(&q, &middle);
        OK(load(q.ode, &then));
        for (int n = 0; n < 5; ++n) {
            steps(&p, 1), steps(&q, 1);
            assert_true(rw_ode_time(q.ode) == rw_ode_time(p.ode));
            const copy expected = state_of(&p);
            assert_same_bits(&q, &expected, w->name);
        }
        const saved at_end = save(p.ode), again = save(q.ode);
        assert_memory_equal(&at_end, &again, sizeof again);
        assert_true(statistics(&p).solves == statistics(&q).solves);
        finish(&p), finish(&q);
    }
}

/* ---- recorded steps, copies -------------------------------------------------------------------------------------- */

/* Copies in `n` steps after the first three. */
static rw_counters counted_steps(problem *p, int n)
{
    steps(p, 3);
    const rw_counters a = counters();
    steps(p, n);
    const rw_counters b = counters();
    assert_int_equal(b.compilations + b.cache_hits + b.shared, a.compilations + a.cache_hits + a.shared);
    assert_int_equal(b.bytes_allocated, a.bytes_allocated);
    return (rw_counters){.copies_in = b.copies_in - a.copies_in,
                         .copies_out = b.copies_out - a.copies_out,
                         .copies_device = b.copies_device - a.copies_device,
                         .bytes_out = b.bytes_out - a.bytes_out,
                         .launches = b.launches - a.launches,
                         .replays = b.replays - a.replays};
}

static void test_no_field_is_copied(void **state)
{
    (void)state;
    static const struct {
        int way, n;
    } rows[] = {{RK4, 1000}, {RKC2, 200}, {ROCK4, 50}, {DP5, 50}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p, q;
        const int n = on("check") ? 20 : rows[i].n;
        if (on("opencl") && brief() && i > 1) continue;
        describe_flow(&p, ways + rows[i].way);
        describe_way(&q, ways + rows[i].way, "du/dt = k*laplace(u) - c*u - 0.1*u*dx(u)", 1, 2);
        if (rows[i].way != RK4) p.spec.max_step = q.spec.max_step = 0.001;
        else p.spec.step = q.spec.step = 0.001;
        p.spec.spectral_radius = q.spec.spectral_radius = "100"; /* power iteration waits */
        start(&p, bump), start(&q, bump);
        const rw_counters with = counted_steps(&p, n), without = counted_steps(&q, n);
        assert_int_equal(with.copies_in, without.copies_in);
        assert_int_equal(with.copies_device, without.copies_device);
        assert_int_equal(with.copies_out, without.copies_out);
        assert_int_equal(with.bytes_out, without.bytes_out);
        assert_int_equal(with.replays, without.replays);
        assert_true(with.launches >= without.launches + 4 * n);
        if (rows[i].way == RK4) assert_true(with.replays >= n - n / 10 - 4);
        finish(&p), finish(&q);
    }
}

/* Recorded, with what voids a recording in the midst of it, and not recorded: the same bits. */
static void test_recorded_steps(void **state)
{
    (void)state;
    static const char *const what[] = {"recorded",        "a scalar of the rates", "a scalar of the unknown",
                                       "another array v", "another array u",       "other memory of v"};
    for (int change = 0; change < RW_COUNT(what); ++change) {
        copy expected;
        for (int recorded = 0; recorded < 2; ++recorded) {
            problem p;
            describe_flow(&p, ways + RK4);
            p.spec.step = 0.005;
            p.spec.record = recorded ? RW_SWITCH_ON : RW_SWITCH_OFF;
            start(&p, bump);
            const int64_t replays = counters().replays;
            run_to(&p, 0.05);
            rw_array *other = new_array(RW_F64, cells_of(&p), RW_MEMORY_DEVICE);
            const int f = change == 4 ? 0 : 1;
            if (change == 4) OK(rw_array_copy(other, p.array[0], queue)); /* unknowns need no values */
            else OK(rw_array_zero(other, queue));
            if (change == 1) OK(rw_ode_set(p.ode, "c", 30));
            if (change == 2) OK(rw_ode_set(p.ode, "m", 3));
            if (change == 3 || change == 4) {
                OK(rw_ode_bind(p.ode, p.fields[f].name, other));
                rw_array *old = p.array[f];
                p.array[f] = other, other = old;
            }
            if (change == 5) { /* with its values: the integrator is not told */
                OK(rw_array_copy(other, p.array[1], queue));
                OK(rw_array_swap(p.array[1], other));
            }
            run_to(&p, 0.1);
            rw_array_destroy(&other);
            assert_solved(&p, "R = m*laplace(v) + u", 1e-11, what[change]);
            assert_true(recorded ? counters().replays > replays + 8 : counters().replays == replays);
            if (recorded) assert_same_bits(&p, &expected, what[change]);
            else expected = state_of(&p);
            finish(&p);
        }
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* A scalar that the equation of the unknown has, and arrays exchanged, count at once: as if begun with them. */
static void test_changes_between_steps(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; ++i) {
        problem p, q;
        if (brief() ? i != RKC2 : !in_turn(i, 0)) continue;
        describe_flow(&p, ways + i);
        copy_problem(&q, &p);
        start(&p, bump);
        steps(&p, 4);
        const copy middle = state_of(&p);
        const double t = rw_ode_time(p.ode);
        OK(rw_ode_set(p.ode, "m", 5));
        q.scalars[2].value = 5, q.spec.start = t;
        start(&q, of_mode);
        put_state(&q, &middle);
        run_to(&p, t + 0.1), run_to(&q, t + 0.1);
        assert_solved(&p, "R = m*laplace(v) + u", 1e-11, ways[i].name);
        assert_close(&p, &q, 3e-4, ways[i].name);
        finish(&p), finish(&q);
    }
}

/* The caller's memory holds the unknown. */
static void test_borrowed_memory(void **state)
{
    (void)state;
    static const int list[] = {RK4, RKC2, RK4_DEFAULT, DP5};
    for (int i = 0; i < RW_COUNT(list); ++i) {
        copy expected[2];
        if (brief() && i > 1) continue;
        for (int lent = 0; lent < 4; ++lent) { /* v, u, both */
            problem p;
            double *data[2] = {NULL};
            describe_flow(&p, ways + list[i]);
            p.spec.dense = p.spec.method != RW_ODE_RK4;
            start(&p, bump);
            for (int f = 0; f < 2; ++f) {
                if (!(lent & (f ? 1 : 2))) continue;
                const int64_t n = cells_of(&p);
                rw_array_destroy(&p.array[f]);
                data[f] = malloc((size_t)n * sizeof **data);
                OK(rw_array_create_from(dev, RW_F64, 1, &n, data[f], RW_BORROW, &p.array[f]));
                OK(rw_ode_bind(p.ode, p.fields[f].name, p.array[f]));
            }
            fill(&p, bump);
            copy seen[2];
            steps(&p, 6);
            double error;
            if (p.spec.dense) {
                OK(rw_ode_interpolate(p.ode, rw_ode_time(p.ode) - 0.5 * statistics(&p).step, &error));
                assert_solved(&p, "R = m*laplace(v) + u", 1e-10, "a look");
            }
            seen[0] = state_of(&p);
            for (int f = 0; f < 2; ++f)
                if (data[f]) assert_memory_equal(data[f], seen[0].value[f], p.array[f]->bytes);
            steps(&p, 1);
            if (p.spec.dense) OK(rw_ode_undo(p.ode));
            steps(&p, 3);
            seen[1] = state_of(&p);
            for (int f = 0; f < 2; ++f)
                if (data[f]) assert_memory_equal(data[f], seen[1].value[f], p.array[f]->bytes);
            assert_solved(&p, "R = m*laplace(v) + u", 1e-11, "borrowed");
            if (!lent) memcpy(expected, seen, sizeof seen);
            else if (memcmp(expected, seen, sizeof seen)) fail_msg("%s, lent %d: other bits", ways[list[i]].name, lent);
            finish(&p);
            free(data[0]), free(data[1]);
        }
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *equations, *solver, *message;
    } rows[] = {
        {"du/dt = k*laplace(u) - v", NULL, "test: there is no equation for field v"},
        {"du/dt = k*laplace(u)\nlaplace(v) = -u\nlaplace(v) = u", NULL, "test:3:1: a second equation for v"},
        {"du/dt = k*laplace(u)\ndv/dt = u\nlaplace(v) = -u", NULL, "test:3:1: an equation without an unknown"},
        {"laplace(u) = v\nlaplace(v) = -u", NULL, "test:1:1: no field has a rate"},
        {"du/dt = k*laplace(u)\nlaplace(u) = 1", NULL, "test:2:1: this equation reads no unknown"},
        {DIFFUSE "\nlaplace(v) = -u", "krylof", "solver \"krylof\""},
        {DIFFUSE "\nlaplace(v) = -u", "krylov:rtoll=1", "nearest is rtol"},
        {DIFFUSE "\ndiv((1 + x)*grad(v)) = -u", "transform", "test:2:1: method transform cannot solve"},
        {DIFFUSE "\nlaplace(v) = -q", NULL, "test:2:15: name q is unknown"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        describe_way(&p, ways + RKC2, rows[i].equations, 2, 1);
        const char *const solvers[2] = {NULL, rows[i].solver};
        p.spec.solvers = solvers;
        const rw_status status = rw_ode_create(dev, &p.spec, &p.ode);
        if ((status != RW_ERR_INPUT && status != RW_ERR_ARGUMENT) || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("row %d: %s: %s", i, rw_status_name(status), rw_message(ctx));
        assert_null(p.ode);
    }
    /* no array */
    problem p;
    describe_flow(&p, ways + RKC2);
    OK(rw_ode_create(dev, &p.spec, &p.ode));
    p.array[0] = new_array(RW_F64, cells_of(&p), RW_MEMORY_DEVICE);
    OK(rw_ode_bind(p.ode, "u", p.array[0]));
    FAILS(RW_ERR_ARGUMENT, "field v has no array: call rw_ode_bind first", rw_ode_step(p.ode, 1));
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields u and v", rw_ode_bind(p.ode, "v", p.array[0]));
    finish(&p);
}

/* Fluxes that do not balance: no solution, found in the first step. */
static double positive(const double x[3], int f) { return f ? 0 : 1 + x[0]; }
static void test_an_equation_without_a_solution(void **state)
{
    (void)state;
    static const rw_boundary closed[12] =
        {{RW_BOUNDARY_NEUMANN, "0", 0, 0}, {RW_BOUNDARY_NEUMANN, "0", 0, 0}, {0}, {0}, {0}, {0},
         {RW_BOUNDARY_NEUMANN, "0", 0, 0}, {RW_BOUNDARY_NEUMANN, "0", 0, 0}};
    for (int iterates = 0; iterates < 2; ++iterates) {
        problem p;
        describe(&p, "du/dt = laplace(u) - v\nlaplace(v) = -u", 2, 1, INTERVALS, closed);
        p.spec.method = RW_ODE_RKC2;
        if (iterates) p.spec.solvers = by_iterations;
        start(&p, positive);
        FAILS(RW_ERR_INPUT, "the equation has no solution", rw_ode_step(p.ode, 1));
        assert_true(rw_ode_time(p.ode) == 0);
        finish(&p);
    }
}

/* A solver that does not converge ends the step: the state is that before. */
static void test_a_solve_that_fails(void **state)
{
    (void)state;
    problem p;
    static const char *const few[] = {NULL, "krylov:rtol=1e-12:iterations=2"};
    describe_way(&p, ways + RK4, FLOW "\ndiv((1 + 20*x*y)*grad(v)) = -u", 2, 2);
    p.spec.solvers = few;
    start(&p, bump);
    const copy before = state_of(&p);
    FAILS(RW_ERR_NOT_CONVERGED, "(at t = 0)", rw_ode_step(p.ode, 1));
    assert_memory_equal(state_of(&p).value[0], before.value[0], sizeof *before.value);
    assert_true(rw_ode_time(p.ode) == 0 && statistics(&p).steps == 0);
    finish(&p);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef struct life {
    const struct way *way;
    bool iterates, lent;
    double data[2][11 * 11];
    rw_ode *ode;
    rw_array *array[2];
} life;

static void end_life(life *l)
{
    rw_ode_destroy(&l->ode);
    for (int f = 0; f < 2; ++f) rw_array_destroy(&l->array[f]);
}

/* Create, some steps, of methods with dense output a look and an undone step. */
static rw_status begin_life(life *l)
{
    problem p;
    double error = 0;
    rw_status status = RW_OK;
    describe_flow(&p, l->way);
    p.spec.dense = l->way->method != RW_ODE_RK4;
    if (l->iterates) p.spec.solvers = by_iterations;
    const int64_t n = cells_of(&p);
    for (int64_t c = 0; c < n; ++c) {
        double x[3];
        place_of(&p, c, x);
        l->data[0][c] = bump(x, 0), l->data[1][c] = 0;
    }
    for (int f = 0; f < 2 && status == RW_OK; ++f)
        status = rw_array_create_from(dev, RW_F64, 1, &n, l->data[f], l->lent ? RW_BORROW : RW_COPY, &l->array[f]);
    if (status == RW_OK) status = rw_ode_create(dev, &p.spec, &l->ode);
    for (int f = 0; f < 2 && status == RW_OK; ++f) status = rw_ode_bind(l->ode, p.fields[f].name, l->array[f]);
    for (int i = 0; i < 4 && status == RW_OK; ++i) status = rw_ode_step(l->ode, 1);
    if (status != RW_OK || !p.spec.dense) return status;
    status = rw_ode_interpolate(l->ode, rw_ode_time(l->ode) - 0.2 * statistics_of(l->ode).step, &error);
    if (status == RW_OK) status = rw_ode_undo(l->ode);
    return status == RW_OK ? rw_ode_step(l->ode, 1) : status;
}

static rw_status live(void *user)
{
    const rw_status status = begin_life(user);
    end_life(user);
    return status;
}

static void test_everything_may_fail_once(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    for (int i = 0; i < 3; ++i) {
        /* which keeps programs loaded: a failed read of the cache compiles none again */
        life l = {.way = ways + (i == 1 ? RKC2 : RK4), .iterates = i == 2, .lent = i == 1}, keeper = l;
        if (!test_long() && i == 2 && on("check")) continue;
        OK(begin_life(&keeper));
        const int stride = test_long() ? 1 : 7;
        const int arrays = each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l);
        const int launches = each_nth_fault(stride, RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, live, &l);
        const int allocations =
            on("cpu") ? each_nth_fault(5 * stride, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l) : 0;
        end_life(&keeper);
        print_message("%d arrays, %d launches, %d allocations failed once\n", arrays, launches, allocations);
        assert_true(arrays >= 5 && launches >= 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_solutions),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_stage_times),
        cmocka_unit_test(test_iterations_and_transforms),
        cmocka_unit_test(test_kinds_of_unknowns),
        cmocka_unit_test(test_conditions_that_read_unknowns),
        cmocka_unit_test(test_between_steps),
        cmocka_unit_test(test_steps_undone),
        cmocka_unit_test(test_saving_and_loading),
        cmocka_unit_test(test_no_field_is_copied),
        cmocka_unit_test(test_recorded_steps),
        cmocka_unit_test(test_changes_between_steps),
        cmocka_unit_test(test_borrowed_memory),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_an_equation_without_a_solution),
        cmocka_unit_test(test_a_solve_that_fails),
        cmocka_unit_test(test_everything_may_fail_once),
    };
    return run_on_devices("algebraic", tests, RW_COUNT(tests));
}
