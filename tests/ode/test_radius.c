/* Estimates of the spectral radius beside known ones: Gershgorin's circles (an upper bound, exact for the Laplacian),
 * power iteration (1.2 times an estimate from below), an expression; what varies, what does not, what is not finite. */
#include "ode_test.h"

#define DIRICHLET                                                                                                      \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, "0", 0, 0                                                                               \
    }
#define NEUMANN                                                                                                        \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, "0", 0, 0                                                                                 \
    }
#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, 0, 0, 0                                                                                  \
    }
#define ROBIN(a, b)                                                                                                    \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, a, b, "0"                                                                                   \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }

static double smooth(const double x[3], int f) { return f ? 0.5 : sin(3 * x[0]) + 0.3 * cos(5 * x[1]) + x[2]; }
static double uniform(const double x[3], int f) { return (void)x, f ? 0.5 : 2; }
static double zero(const double x[3], int f) { return (void)x, (void)f, 0; }

/* The estimate at once, without a step. */
static double radius_of(problem *p)
{
    double rho = -1;
    OK(rw_spectral_radius(p->ode, &rho));
    assert_true(rho == statistics(p).spectral_radius);
    return rho;
}

typedef struct radius_case {
    const char *name, *equations;
    int nfields, ndim, n, order;
    rw_boundary sides[FIELDS][6];
    value_at *state;
    double radius;            /* the true one, by formula or by numpy's eigenvalues */
    double gershgorin, power; /* largest estimate over the radius; 0: not asked */
} radius_case;

static const double pi = 3.14159265358979323846;

/* Largest eigenvalue of -u_xx with order-2 differences: 4/h^2 sin^2(pi n/(2 (n + 1))) between Dirichlet sides. */
static double dirichlet(int intervals)
{
    return 4. * intervals * intervals * pow(sin(pi * (intervals - 1) / (2. * intervals)), 2);
}

static void check_cases(const radius_case *cases, int n)
{
    for (int i = 0; i < n; ++i) {
        const radius_case *c = cases + i;
        for (int power = 0; power < 2; ++power) {
            double limit = power ? c->power : c->gershgorin;
            if (limit == 0 || !in_turn(i + power, 0)) continue;
            problem p;
            describe(&p, c->equations, c->nfields, c->ndim, c->n, c->sides[0]);
            p.spec.method = RW_ODE_RK4, p.spec.order = c->order, p.spec.spectral_radius = power ? "power" : "auto";
            p.scalars[0] = (rw_expr_scalar){.name = "k", .value = 3};
            p.spec.nscalars = 1;
            start(&p, c->state);
            double rho = radius_of(&p);
            print_message("%-40s %-10s %10.2f of %10.2f: %.3f\n", c->name, power ? "power" : "gershgorin", rho,
                          c->radius, rho / c->radius);
            if (!(rho >= c->radius * (1 - 1e-12) && rho <= limit * c->radius))
                fail_msg("%s: %s gives %.6g, the radius is %.6g", c->name, power ? "power" : "gershgorin", rho,
                         c->radius);
            finish(&p);
        }
    }
}

static void test_known_radii(void **state)
{
    (void)state;
    const double h1 = 1. / 32, h2 = 1. / 16, h3 = 1. / 8;
    const radius_case cases[] = {
        {"1-D Dirichlet",
         "du/dt = laplace(u)",
         1,
         1,
         32,
         2,
         {{DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}},
         smooth,
         dirichlet(32),
         1.01,
         1.25},
        {"2-D Dirichlet",
         "du/dt = laplace(u)",
         1,
         2,
         16,
         2,
         {{DIRICHLET, DIRICHLET, DIRICHLET, DIRICHLET, NONE, NONE}},
         smooth,
         2 * dirichlet(16),
         1.02,
         1.25},
        {"3-D Dirichlet",
         "du/dt = laplace(u)",
         1,
         3,
         8,
         2,
         {{DIRICHLET, DIRICHLET, DIRICHLET, DIRICHLET, DIRICHLET, DIRICHLET}},
         smooth,
         3 * dirichlet(8),
         1.05,
         1.25},
        {"2-D periodic",
         "du/dt = laplace(u)",
         1,
         2,
         16,
         2,
         {{PERIODIC, PERIODIC, PERIODIC, PERIODIC, NONE, NONE}},
         smooth,
         8 / (h2 * h2),
         1.001,
         1.25},
        {"2-D periodic, uniform state",
         "du/dt = laplace(u)",
         1,
         2,
         16,
         2,
         {{PERIODIC, PERIODIC, PERIODIC, PERIODIC, NONE, NONE}},
         uniform,
         8 / (h2 * h2),
         1.001,
         1.25},
        {"3-D periodic, zero state",
         "du/dt = laplace(u)",
         1,
         3,
         8,
         2,
         {{PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC}},
         zero,
         12 / (h3 * h3),
         1.001,
         1.25},
        {"2-D periodic, order 4",
         "du/dt = laplace(u)",
         1,
         2,
         16,
         4,
         {{PERIODIC, PERIODIC, PERIODIC, PERIODIC, NONE, NONE}},
         smooth,
         32. / 3 / (h2 * h2),
         1.001,
         1.25},
        {"1-D Neumann",
         "du/dt = laplace(u)",
         1,
         1,
         32,
         2,
         {{NEUMANN, NEUMANN, NONE, NONE, NONE, NONE}},
         smooth,
         4 / (h1 * h1),
         1.001,
         1.25},
        {"1-D Neumann, order 4 (numpy)",
         "du/dt = laplace(u)",
         1,
         1,
         32,
         4,
         {{NEUMANN, NEUMANN, NONE, NONE, NONE, NONE}},
         smooth,
         7.4282 / (h1 * h1),
         1.01,
         1.25},
        {"1-D Robin, a/b = 1000 (numpy)",
         "du/dt = laplace(u)",
         1,
         1,
         59,
         2,
         {{ROBIN("1000", "1"), ROBIN("2000", "-2"), NONE, NONE, NONE, NONE}},
         smooth,
         0,
         0,
         0},
        {"1-D variable coefficient",
         "du/dt = divgrad(1 + 0*x, u)",
         1,
         1,
         32,
         2,
         {{DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}},
         smooth,
         dirichlet(32),
         1.01,
         1.25},
        {"2-D anisotropic",
         "du/dt = 2*dxx(u) + k*dyy(u)",
         1,
         2,
         16,
         2,
         {{DIRICHLET, DIRICHLET, DIRICHLET, DIRICHLET, NONE, NONE}},
         smooth,
         5 * dirichlet(16),
         1.02,
         1.25},
        {"reaction", "du/dt = -k*u", 1, 1, 8, 2, {{NONE, NONE, NONE, NONE, NONE, NONE}}, smooth, 3, 1.0001, 1.25},
        {"nonlinear reaction at u = 2",
         "du/dt = u - u^3",
         1,
         1,
         8,
         2,
         {{NONE, NONE, NONE, NONE, NONE, NONE}},
         uniform,
         11,
         1.0001,
         1.25},
        /* [[-10, 1], [2, -5]]: (15 + sqrt(33))/2 = 10.372; rows 11 and 7 */
        {"coupled reaction",
         "du/dt = -10*u + v\ndv/dt = 2*u - 5*v",
         2,
         1,
         8,
         2,
         {{NONE, NONE, NONE, NONE, NONE, NONE}},
         smooth,
         10.3723,
         1.07,
         1.25},
        {"coupled diffusion",
         "du/dt = laplace(u) - v\ndv/dt = 0.1*laplace(v) + u",
         2,
         1,
         32,
         2,
         {{DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}, {DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}},
         smooth,
         dirichlet(32),
         1.01,
         1.25},
        /* circles of u and v alone: 1 and 65536 */
        {"waves",
         "du/dt = v\ndv/dt = laplace(u)",
         2,
         1,
         128,
         2,
         {{DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}, {DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}},
         smooth,
         sqrt(dirichlet(128)),
         1.01,
         1.25},
        {"damped waves",
         "du/dt = v\ndv/dt = laplace(u) - k*v",
         2,
         1,
         128,
         2,
         {{DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}, {DIRICHLET, DIRICHLET, NONE, NONE, NONE, NONE}},
         smooth,
         sqrt(dirichlet(128)),
         1.02,
         1.25},
        {"beam",
         "du/dt = v\ndv/dt = -dxxxx(u)",
         2,
         1,
         32,
         2,
         {{PERIODIC, PERIODIC, NONE, NONE, NONE, NONE}, {PERIODIC, PERIODIC, NONE, NONE, NONE, NONE}},
         smooth,
         4 / (h1 * h1),
         1.001,
         1.25},
        {"advection (bound 1/h of eigenvalues i/h)",
         "du/dt = dx(u)",
         1,
         1,
         32,
         2,
         {{PERIODIC, PERIODIC, NONE, NONE, NONE, NONE}},
         smooth,
         1 / h1,
         1.0001,
         0},
        {"reduction: power only",
         "du/dt = laplace(u) - 5*mean(u)",
         1,
         1,
         32,
         2,
         {{PERIODIC, PERIODIC, NONE, NONE, NONE, NONE}},
         smooth,
         4 / (h1 * h1),
         1.25,
         1.25},
    };
    if (on("opencl")) check_cases(cases + 1, 1); /* 2 s of PoCL a program */
    else if (on("check")) check_cases(cases, 3); /* of one, two and three dimensions */
    else check_cases(cases, RW_COUNT(cases));
}

/* The reaction front (test_reference.c), spacing 0.01, N x M unknowns: 7620 at u = 1 and 7590 at u = 0 for forward
 * differences. At a uniform u the Jacobian's eigenvalues are d + 2 sqrt(w e) (cos(i pi/(N + 1)) + cos(j pi/(M + 1))), w
 * and e the neighbours' weights. */
static const rw_boundary cold[6] = {DIRICHLET, DIRICHLET, DIRICHLET, DIRICHLET, NONE, NONE};
static const char *const front[] = {"du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)",
                                    "du/dt = 0.1*laplace(u) - dx(u) - dy(u) + 10*(u - u^3)"};
static void describe_front(problem *p, bool central, int n, int m, const char *radius)
{
    describe(p, front[central], 1, 2, 2, cold);
    p->spec.grid = (rw_grid){.ndim = 2, .size = {n, m, 1}, .spacing = {0.01, 0.01, 1}, .origin = {0.01, 0.01, 0}};
    p->spec.method = RW_ODE_ROCK4, p->spec.spectral_radius = radius;
}

static double unity(const double x[3], int f) { return (void)x, (void)f, 1; }
static double random_value(const double x[3], int f)
{
    return (void)f, 3 * rw_random_uniform(3, (uint64_t)(1e4 * x[0] + 1e8 * x[1])) - 1.5;
}

static void test_reaction_front(void **state)
{
    (void)state;
    static const struct {
        bool central;
        value_at *u;
        double bound, diagonal, product;
    } rows[] = {{false, unity, 7620, -3820, 900. * 1000},
                {false, zero, 7590, -3790, 900. * 1000},
                {true, unity, 8020, -4020, 950. * 1050},
                {true, zero, 7990, -3990, 950. * 1050}};
    for (int i = 0; i < (on("opencl") && !rw_device_info(dev)->gpu ? 1 : RW_COUNT(rows)); ++i) {
        problem p;
        const int n = 64, m = 40;
        if (!in_turn(i, 0)) continue;
        describe_front(&p, rows[i].central, n, m, NULL);
        start(&p, rows[i].u);
        double bound = radius_of(&p);
        double radius = 2 * sqrt(rows[i].product) * (cos(pi / (n + 1)) + cos(pi / (m + 1))) - rows[i].diagonal;
        assert_true(statistics(&p).spectral_rhs == 1 && statistics(&p).rhs == 1);
        finish(&p);
        if (fabs(bound - rows[i].bound) > 1e-11 * bound) fail_msg("row %d: %.17g, not %g", i, bound, rows[i].bound);
        assert_true(bound >= radius && bound <= 1.01 * radius);
        describe_front(&p, rows[i].central, n, m, "power");
        start(&p, rows[i].u);
        double power = radius_of(&p);
        int64_t counted = statistics(&p).spectral_rhs;
        print_message("row %d: radius %.1f, Gershgorin %.1f, power %.1f with %lld right-hand sides\n", i, radius, bound,
                      power, (long long)counted);
        assert_true(power >= radius && power <= 1.25 * radius);
        assert_true(counted >= 8 && counted <= 102 && counted == statistics(&p).rhs);
        finish(&p);
    }
}

/* The largest row for random values, by plain C. */
static void test_largest_row(void **state)
{
    (void)state;
    if (on("opencl") && !rw_device_info(dev)->gpu) skip();
    problem p;
    describe_front(&p, false, 37, 50, NULL);
    start(&p, random_value);
    const double *u = numbers_of(p.array[0]), nu = 0.1 / 1e-4, a = 1 / 0.01;
    double most = 0;
    for (int64_t c = 0; c < cells_of(&p); ++c)
        most = fmax(most, fabs(2 * a - 4 * nu + 10 * (1 - 3 * u[c] * u[c])) + 2 * fabs(nu - a) + 2 * nu);
    double bound = radius_of(&p);
    if (!(fabs(bound - most) <= 1e-13 * most)) fail_msg("%.17g, by plain C %.17g", bound, most);
    finish(&p);
}

/* Robin sides make rows with larger sums than inside: du/dx = -q u at x = 1 with large q. By numpy: 35.393/h^2 for
 * q h = 1000/60 on 60 nodes, order 2; 66.516/h^2 with order 4. */
static void test_robin_sides_count(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const struct {
        int order;
        double radius;
    } cases[] = {{2, 35.393}, {4, 66.516}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        static const rw_boundary sides[6] = {ROBIN("1000", "1"), ROBIN("2000*(1 + t)", "2*(1 + t)")};
        problem p;
        describe(&p, "du/dt = laplace(u)", 1, 1, 59, sides);
        p.spec.grid.spacing[0] = 1. / 60;
        p.spec.method = RW_ODE_RK4, p.spec.order = cases[i].order;
        start(&p, smooth);
        double rho = radius_of(&p) / 3600;
        print_message("Robin order %d: %.2f of %.2f\n", cases[i].order, rho, cases[i].radius);
        assert_true(rho >= cases[i].radius && rho <= 1.4 * cases[i].radius);
        double end = 100 * 2.5 / (3600 * rho); /* what it is for: the automatic step of RK4 is stable */
        run_to(&p, end);
        double largest = largest_error(&p, zero);
        assert_true(largest < 2);
        finish(&p);
    }
}

/* A slope that reads the field is the Robin side with that derivative: -q u, or -q u^2/4 at u = 2. The value beyond is
 * u(1) + 2 h s; of s = -q (2 u(0) - u(1)) its derivatives are -4 q h and 1 + 2 q h, q h = 1000/60. */
static void test_sides_that_read_count(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const slopes[] = {"-1000*u", "-250*u^2", "-1000*(2*u - inner(u, 1))"};
    static const double radius[] = {4 + 2000. / 60, 4 + 2000. / 60, 4 + 6000. / 60}; /* times h^2 */
    for (int i = 0; i < RW_COUNT(slopes); ++i) {
        double rho[2];
        for (int reads = 0; reads < 2; ++reads) {
            const rw_boundary robin = ROBIN("1000", "1"), slope = {RW_BOUNDARY_NEUMANN, slopes[i], 0, 0};
            const rw_boundary sides[6] = {NEUMANN, reads ? slope : robin};
            problem p;
            describe(&p, "du/dt = laplace(u)", 1, 1, 61, sides);
            p.spec.grid.spacing[0] = 1. / 60;
            p.spec.method = RW_ODE_RK4;
            p.spec.order = 2;
            start(&p, uniform);
            rho[reads] = radius_of(&p);
            finish(&p);
        }
        print_message("%s: %.6g, Robin %.6g\n", slopes[i], rho[1], rho[0]);
        assert_true(fabs(rho[0] - 3600 * radius[0]) < 1e-6 && fabs(rho[1] - 3600 * radius[i]) < 1e-6);
    }
}

/* The row next to a side that reads fields, by hand, in all layouts, times h^2: 3 and the derivatives of the value
 * beyond by all values that it is made of, but no less than 4. The value beyond is
 *
 *   slope -q u          u(1) - 2 h q u(0); in layout cell u(0) - h q u(0)
 *   value c             c; in layout cell 2 c - u(0)
 *   a u + du/dn = c     in layout cell u(0) + h (c - a u(0))/(1 + a h/2); u = 2
 *   slope q v           of a field v that u drives in return: u(0) + h q v(0) */
static void test_rows_next_to_sides_that_read(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const double h = 1. / 60, q = 100;
    const struct {
        rw_grid_layout layout;
        rw_boundary side;
        const char *v; /* NULL: one field */
        double radius;
    } cases[] = {
        {RW_GRID_AUTO, {RW_BOUNDARY_NEUMANN, "-100*u", 0, 0}, NULL, 4 + 2 * h * q},
        {RW_GRID_NODE, {RW_BOUNDARY_NEUMANN, "-100*u", 0, 0}, NULL, 4 + 2 * h * q},
        /* beyond: (1 - h q) u(0), of modulus 2/3: less than that of other rows */
        {RW_GRID_CELL, {RW_BOUNDARY_NEUMANN, "-100*u", 0, 0}, NULL, 4},
        {RW_GRID_CELL, {RW_BOUNDARY_NEUMANN, "-400*u", 0, 0}, NULL, 3 + 400 * h - 1},
        {RW_GRID_CELL, {RW_BOUNDARY_DIRICHLET, "9*inner(u, 2)", 0, 0}, NULL, 3 + 2 * 9 + 1},
        {RW_GRID_AUTO, {RW_BOUNDARY_DIRICHLET, "9*inner(u, 2)", 0, 0}, NULL, 3 + 9},
        {RW_GRID_NODE, {RW_BOUNDARY_DIRICHLET, "9*inner(u, 2)", 0, 0}, NULL, 3 + 9},
        {RW_GRID_CELL,
         {RW_BOUNDARY_ROBIN, "100", "1", "300*u"},
         NULL,
         3 + fabs(1 + h * (300 - 100) / (1 + 100 * h / 2))},
        {RW_GRID_CELL, {RW_BOUNDARY_ROBIN, "-100", "1", "u^2"}, NULL, 3 + fabs(1 + h * (4 + 100) / (1 - 100 * h / 2))},
        /* u reads v on its side only: h q there, and v reads u: 1. Of scaled fields both are the root of the product */
        {RW_GRID_CELL, {RW_BOUNDARY_NEUMANN, "900*v", 0, 0}, "dv/dt = laplace(v) + 3600*u", 4 + sqrt(900 * h)},
        {RW_GRID_NODE, {RW_BOUNDARY_ROBIN, "100", "where(t < 1, 0, 1)", "100"}, NULL, 4},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        const rw_boundary sides[2][6] = {{NEUMANN, cases[i].side}, {NEUMANN, NEUMANN}};
        char equations[96];
        problem p;
        snprintf(equations, sizeof equations, "du/dt = laplace(u)\n%s", cases[i].v ? cases[i].v : "");
        describe(&p, equations, cases[i].v ? 2 : 1, 1, 61, sides[0]);
        p.spec.grid.spacing[0] = h;
        p.spec.layout = cases[i].layout;
        p.spec.method = RW_ODE_RK4;
        p.spec.order = 2;
        start(&p, uniform);
        const double rho = radius_of(&p) * h * h;
        print_message("row %d: %.6g, by hand %.6g\n", i, rho, cases[i].radius);
        if (fabs(rho - cases[i].radius) > 1e-9) fail_msg("row %d: %.9g, by hand %.9g", i, rho, cases[i].radius);
        finish(&p);
    }
}

/* Order-4 Neumann sides: the automatic step of RK4 stays bounded. */
static void test_the_automatic_step_is_stable(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const rw_boundary sides[][6] = {{NEUMANN, NEUMANN, NEUMANN, NEUMANN, NONE, NONE},
                                           {DIRICHLET, NEUMANN, PERIODIC, PERIODIC, NONE, NONE}};
    for (int order = 2; order <= 4; order += 2)
        for (int i = 0; i < RW_COUNT(sides); ++i) {
            problem p;
            if (!in_turn(order / 2 + i, 0)) continue;
            describe(&p, "du/dt = laplace(u)", 1, 2, 12, sides[i]);
            p.spec.method = RW_ODE_RK4, p.spec.order = order;
            start(&p, smooth);
            run_to(&p, 0.5);
            assert_in_range(statistics(&p).steps, 100, 2000);
            assert_true(largest_error(&p, zero) < 1.5);
            finish(&p);
        }
}

/* ---- expression -------------------------------------------------------------------------------------------------- */

static void test_expression(void **state)
{
    (void)state;
    problem p;
    describe(&p, "du/dt = k*laplace(u)", 1, 1, 16, NULL);
    p.scalars[0] = (rw_expr_scalar){.name = "k", .value = 3};
    p.spec.nscalars = 1, p.spec.method = RW_ODE_RKC2, p.spec.start = 0.5, p.spec.spectral_radius = "4*k*256 + t";
    start(&p, smooth);
    assert_true(radius_of(&p) == 3072.5);
    OK(rw_ode_set(p.ode, "k", 1));
    assert_true(radius_of(&p) == 1024.5);
    assert_int_equal(statistics(&p).spectral_rhs, 0); /* no right-hand side was needed */
    finish(&p);
    static const struct {
        const char *text;
        rw_status status;
        const char *message;
    } bad[] = {{"4*k/x", RW_ERR_INPUT, "depends on coordinates"},
               {"4*u", RW_ERR_INPUT, "u"},
               {"4*q", RW_ERR_INPUT, "q"},
               {"4*(", RW_ERR_INPUT, "time.spectral_radius"},
               {"-k", RW_ERR_NOT_CONVERGED, "spectral radius is -3"},
               {"1/(t - 0.5)", RW_ERR_NOT_CONVERGED, "spectral radius is inf"}};
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        describe(&p, "du/dt = k*laplace(u)", 1, 1, 16, NULL);
        p.scalars[0] = (rw_expr_scalar){.name = "k", .value = 3};
        p.spec.nscalars = 1, p.spec.method = RW_ODE_RKC2, p.spec.start = 0.5, p.spec.spectral_radius = bad[i].text;
        start(&p, smooth);
        FAILS(bad[i].status, bad[i].message, rw_ode_step(p.ode, 1));
        FAILS(bad[i].status, bad[i].message, rw_ode_step(p.ode, 1)); /* again, the same */
        assert_true(rw_ode_time(p.ode) == 0.5 && largest_error(&p, smooth) == 0);
        finish(&p);
        if (on("opencl")) break;
    }
}

/* ---- when it is asked again -------------------------------------------------------------------------------------- */

static void describe_decay(problem *p, rw_ode_method method)
{
    describe(p, "du/dt = -k*u", 1, 1, 4, NULL);
    p->scalars[0] = (rw_expr_scalar){.name = "k", .value = 10};
    p->spec.nscalars = 1, p->spec.method = method;
}

/* A scalar that changes makes the estimate void, although neither state nor time is in it. */
static void test_a_changed_scalar_asks_again(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    problem p;
    describe_decay(&p, RW_ODE_RKC2);
    start(&p, uniform);
    OK(rw_ode_step(p.ode, 0.1));
    assert_true(fabs(statistics(&p).spectral_radius - 10) < 1e-12);
    OK(rw_ode_set(p.ode, "k", 1000));
    OK(rw_ode_step(p.ode, 0.2));
    assert_true(fabs(statistics(&p).spectral_radius - 1000) < 1e-9);
    OK(rw_ode_set(p.ode, "k", 1000)); /* no change */
    int64_t asked = statistics(&p).spectral_rhs;
    OK(rw_ode_step(p.ode, 0.3));
    assert_int_equal(statistics(&p).spectral_rhs, asked);
    finish(&p);
    describe_decay(&p, RW_ODE_RK4);
    start(&p, uniform);
    while (rw_ode_time(p.ode) < 60) OK(rw_ode_step(p.ode, 1e4)); /* long after the decay: stability limits the step */
    assert_true(fabs(statistics(&p).step / (0.9 * 2.78 / 10) - 1) < 0.02);
    OK(rw_ode_set(p.ode, "k", 100));
    OK(rw_ode_step(p.ode, 100));
    assert_true(statistics(&p).step <= 0.9 * 2.78 / 100);
    finish(&p);
}

/* Linear equations: one estimate for ever; with u^3 or t in the derivative: every 25 steps. */
static void test_it_is_asked_as_often_as_it_varies(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const struct {
        const char *equation;
        bool varies;
    } cases[] = {{"du/dt = -3*u + cos(t)", false}, {"du/dt = -u^3", true}, {"du/dt = -(1 + t)*u", true}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p;
        describe(&p, cases[i].equation, 1, 1, 4, NULL);
        p.spec.method = RW_ODE_RKC2, p.spec.max_step = p.spec.initial_step = 0.01, p.spec.rtol = 1;
        start(&p, uniform);
        run_to(&p, 1);
        rw_ode_statistics s = statistics(&p);
        assert_true(s.steps >= 100);
        if (cases[i].varies) assert_in_range(s.spectral_rhs, s.steps / 25, s.steps / 25 + 2);
        else assert_int_equal(s.spectral_rhs, 1);
        finish(&p);
    }
}

static void test_a_radius_that_is_not_finite(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    /* at u = 2 */
    static const char *const equations[] = {"du/dt = sqrt(u - 2)", "du/dt = log(u - 3)*u", "du/dt = u/(u - 2)"};
    for (int i = 0; i < RW_COUNT(equations); ++i)
        for (int power = 0; power < 2; ++power) {
            problem p;
            if (!in_turn(i + power, 0)) continue;
            describe(&p, equations[i], 1, 1, 4, NULL);
            p.spec.method = RW_ODE_RKC2, p.spec.spectral_radius = power ? "power" : "auto";
            start(&p, uniform);
            rw_status status = rw_ode_step(p.ode, 1);
            if (i || !power) assert_int_equal(status, RW_ERR_NOT_CONVERGED);
            if (status != RW_OK) assert_true(largest_error(&p, uniform) == 0 && rw_ode_time(p.ode) == 0);
            finish(&p);
        }
}

/* Right-hand sides that are finite where their derivative is not: power iteration takes over, and back. */
static void test_a_derivative_that_is_not_finite(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const equations[] = {"du/dt = 0.01*laplace(u) - sqrt(max(u - 2, 0))",
                                            "du/dt = 0.01*laplace(u) - max(u - 2, 0)^0.5",
                                            "du/dt = 0.01*laplace(u) - sqrt(abs(u - 2))",
                                            "du/dt = div(grad(u)/sqrt(dx(u)^2 + dy(u)^2 + 1e-12))"};
    for (int i = 0; i < RW_COUNT(equations); ++i)
        for (int method = RW_ODE_RKC2; method <= RW_ODE_AUTO; ++method) {
            problem p;
            if (!test_long() && (i + method) % 4) continue;
            describe(&p, equations[i], 1, 2, 8, NULL);
            p.spec.method = (rw_ode_method)method, p.spec.end = 0.01;
            start(&p, uniform);
            for (int n = 0; n < 5 && rw_ode_time(p.ode) < 0.01; ++n) OK(rw_ode_step(p.ode, 0.01));
            assert_true(isfinite(statistics(&p).spectral_radius));
            finish(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_radii),
        cmocka_unit_test(test_reaction_front),
        cmocka_unit_test(test_largest_row),
        cmocka_unit_test(test_robin_sides_count),
        cmocka_unit_test(test_sides_that_read_count),
        cmocka_unit_test(test_rows_next_to_sides_that_read),
        cmocka_unit_test(test_the_automatic_step_is_stable),
        cmocka_unit_test(test_expression),
        cmocka_unit_test(test_a_changed_scalar_asks_again),
        cmocka_unit_test(test_it_is_asked_as_often_as_it_varies),
        cmocka_unit_test(test_a_radius_that_is_not_finite),
        cmocka_unit_test(test_a_derivative_that_is_not_finite),
    };
    return run_on_devices("radius", tests, RW_COUNT(tests));
}
