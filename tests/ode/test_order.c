/* Observed orders on manufactured solutions.
 *
 *   time   those of all methods with every kind of side, all depending on time, in 1, 2 and 3 dimensions and for
 *          coupled fields. The solution is quadratic in space, so differences of order 2 and their values beyond the
 *          sides are exact and only the error in time is left.
 *   space  2 and 4 for coupled fields with Robin and Neumann sides (tests/ode/test_manufactured.c has the other sides);
 *          1 for one-sided differences in both directions of advection, 2 for central ones in their place.
 *
 * All on the cpu; on other devices one case of each method, whose result must also agree with the cpu's. */
#include "ode_test.h"

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* u = cos(2 t) q(x, y, z),  q = 1 + x - x^2/2 + y/4 + y^2/4 - z^2/5;   v = (1 + t^2) (2 - x + y^2/2) */
#define Q "(1 + x - 0.5*x^2 + 0.25*y + 0.25*y^2 - 0.2*z^2)"
#define U "(cos(2*t)*" Q ")"
#define V "((1 + t^2)*(2 - x + 0.5*y^2))"
#define UX "(cos(2*t)*(1 - x))"
#define UY "(cos(2*t)*(0.25 + 0.5*y))"
#define UZ "(cos(2*t)*(-0.4*z))"
/* du/dt = 0.1 laplace u - u^2 + source, laplace q = -1, -1/2, -9/10 */
#define EQUATION(q, laplace)                                                                                           \
    "a = cos(2*t)*" q "\ndu/dt = 0.1*laplace(u) - u^2 + a^2 - 2*sin(2*t)*" q " - 0.1*cos(2*t)*(" laplace ")"
#define Q1 "(1 + x - 0.5*x^2)"
#define Q2 "(1 + x - 0.5*x^2 + 0.25*y + 0.25*y^2)"
#define E1 EQUATION(Q1, "-1")
#define E2 EQUATION(Q2, "-0.5")
#define E3 EQUATION(Q, "-0.9")
#define COUPLED                                                                                                        \
    "du/dt = 0.1*laplace(u) - u*v - 2*sin(2*t)*" Q2 " - 0.1*cos(2*t)*(-0.5) + cos(2*t)*" Q2 "*" V "\n"                 \
    "dv/dt = 0.05*laplace(v) + u - cos(2*t)*" Q2 " + 2*t*(2 - x + 0.5*y^2) - 0.05*(1 + t^2)"

#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }
#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, 0, 0, 0                                                                                  \
    }
/* solutions: G1, G2, G3 of the number of dimensions */
#define G1 "(cos(2*t)*" Q1 ")"
#define G2 "(cos(2*t)*" Q2 ")"
#define DIRICHLET(u)                                                                                                   \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define NEUMANN(slope)                                                                                                 \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, slope, 0, 0                                                                               \
    }
#define ROBIN(u, slope)                                                                                                \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "(2 + t)", "0.5", "(2 + t)*" u " + 0.5*(" slope ")"                                         \
    }
#define VX "(-(1 + t^2))"
#define VY "((1 + t^2)*y)"

typedef struct time_case {
    const char *name, *equations;
    int nfields, ndim;
    rw_boundary sides[FIELDS][6];
    bool everywhere; /* on devices other than the cpu too */
} time_case;

static const time_case times[] = {
    {"1-D Dirichlet", E1, 1, 1, {{DIRICHLET(G1), DIRICHLET(G1), NONE, NONE, NONE, NONE}}, false},
    {"1-D Neumann", E1, 1, 1, {{NEUMANN("-" UX), NEUMANN(UX), NONE, NONE, NONE, NONE}}, false},
    {"1-D Robin", E1, 1, 1, {{ROBIN(G1, "-" UX), ROBIN(G1, UX), NONE, NONE, NONE, NONE}}, false},
    {"1-D Robin Dirichlet", E1, 1, 1, {{ROBIN(G1, "-" UX), DIRICHLET(G1), NONE, NONE, NONE, NONE}}, false},
    {"2-D all kinds", E2, 1, 2, {{DIRICHLET(G2), NEUMANN(UX), ROBIN(G2, "-" UY), DIRICHLET(G2), NONE, NONE}}, true},
    {"3-D all kinds",
     E3,
     1,
     3,
     {{NEUMANN("-" UX), DIRICHLET(U), DIRICHLET(U), ROBIN(U, UY), ROBIN(U, "-" UZ), NEUMANN(UZ)}},
     false},
    {"2-D coupled",
     COUPLED,
     2,
     2,
     {{DIRICHLET(G2), NEUMANN(UX), ROBIN(G2, "-" UY), DIRICHLET(G2), NONE, NONE},
      {DIRICHLET(V), ROBIN(V, VX), NEUMANN("-" VY), DIRICHLET(V), NONE, NONE}},
     false},
};

static double now; /* time of the exact solution */
static int now_ndim;
static double exact_in_time(const double p[3], int f)
{
    double x = p[0], y = now_ndim > 1 ? p[1] : 0, z = now_ndim > 2 ? p[2] : 0;
    return f ? (1 + now * now) * (2 - x + 0.5 * y * y)
             : cos(2 * now) * (1 + x - 0.5 * x * x + 0.25 * y + 0.25 * y * y - 0.2 * z * z);
}

/* h rho is the same at any h, so that all runs have the same number of stages. A tolerance near the rounding errors
 * makes ROCK4 take two blocks. */
static const struct time_method {
    rw_ode_method method;
    const char *name;
    int steps, stages;
    double order, slack, h_rho, rtol;
} methods[] = {
    {RW_ODE_RK4, "rk4", 40, 4, 4, 0.25, 0, 0},     {RW_ODE_RKC2, "rkc2", 20, 5, 2, 0.15, 10, 1},
    {RW_ODE_RKL2, "rkl2", 20, 5, 2, 0.15, 10, 1},  {RW_ODE_ROCK2, "rock2", 20, 4, 2, 0.15, 10, 1},
    {RW_ODE_ROCK4, "rock4", 40, 7, 4, 0.4, 10, 1}, {RW_ODE_ROCK4, "rock4, two blocks", 40, 18, 4, 0.25, 100, 1e-12},
    {RW_ODE_DP5, "dp5", 40, 7, 5, 0.5, 0, 1},
};

/* Largest error at t = 0.5 of `steps` equal steps; the result goes to `result`. */
static double time_error(const time_case *c, const struct time_method *m, int steps, double *result)
{
    problem p;
    char radius[32];
    const double end = 0.5, h = end / steps;
    describe(&p, c->equations, c->nfields, c->ndim, 8, c->sides[0]);
    snprintf(radius, sizeof radius, "%.17g", m->h_rho / h);
    p.spec.method = m->method;
    if (m->method == RW_ODE_RK4) p.spec.step = h;
    else
        p.spec.max_step = p.spec.initial_step = h, p.spec.rtol = m->rtol, p.spec.atol = 1e6,
        p.spec.spectral_radius = radius;
    now = 0, now_ndim = c->ndim;
    start(&p, exact_in_time);
    run_to(&p, end);
    assert_in_range(statistics(&p).steps, steps, steps + 1);
    assert_int_equal(statistics(&p).rejected, 0);
    assert_int_equal(statistics(&p).stages, m->stages);
    now = end;
    double error = largest_error(&p, exact_in_time);
    if (result)
        for (int f = 0; f < c->nfields; ++f)
            memcpy(result + f * cells_of(&p), numbers_of(p.array[f]), (size_t)cells_of(&p) * 8);
    finish(&p);
    return error;
}

enum { MOST = 2 * 9 * 9 }; /* unknowns of the cases in two dimensions */

typedef struct fine_run {
    const time_case *c;
    const struct time_method *m;
    double error, result[MOST];
} fine_run;

static void run_fine(void *user)
{
    fine_run *r = user;
    memset(r->result, 0, sizeof r->result);
    r->error = time_error(r->c, r->m, 2 * r->m->steps, r->c->ndim < 3 ? r->result : NULL);
}

static void check_time(int which)
{
    static fine_run here, of_cpu;
    const struct time_method *m = methods + which;
    for (int i = 0; i < RW_COUNT(times); ++i) {
        const time_case *c = times + i;
        if ((!on("cpu") && !c->everywhere) || !in_turn(on("cpu") ? i + which : which, 0)) continue;
        here.c = of_cpu.c = c, here.m = of_cpu.m = m;
        run_fine(&here);
        double coarse = time_error(c, m, m->steps, NULL), observed = log2(coarse / here.error);
        print_message("%-17s %-22s in time: %.2e -> %.2e, observed %.2f\n", m->name, c->name, coarse, here.error,
                      observed);
        if (!(fabs(observed - m->order) < m->slack)) fail_msg("%s: order %.2f", c->name, observed);
        if (on("cpu") || c->ndim > 2) continue;
        with_cpu(run_fine, &of_cpu);
        /* sums of some dozen terms of size 10 in another order or contracted: 1e-13 at most */
        for (int k = 0; k < MOST; ++k)
            if (fabs(here.result[k] - of_cpu.result[k]) > 1e-13)
                fail_msg("%s: %g away from the cpu", c->name, here.result[k] - of_cpu.result[k]);
    }
}

static void test_rk4_in_time(void **state) { (void)state, check_time(0); }
static void test_rkc2_in_time(void **state) { (void)state, check_time(1); }
static void test_rkl2_in_time(void **state) { (void)state, check_time(2); }
static void test_rock2_in_time(void **state) { (void)state, check_time(3); }
static void test_rock4_in_time(void **state) { (void)state, check_time(4); }
static void test_two_blocks_in_time(void **state) { (void)state, check_time(5); }
static void test_dp5_in_time(void **state) { (void)state, check_time(6); }

/* ---- space ------------------------------------------------------------------------------------------------------- */

/* u = exp(-t) sin(x + 2 y), v = (1 + t) cos(x - y); with C = cos(x + 2 y), S = sin(x - y): u_x = exp(-t) C, u_y = 2
 * exp(-t) C, laplace u = -5 u; v_x = -(1 + t) S, v_y = (1 + t) S, laplace v = -2 v */
#define SU "(exp(-t)*sin(x + 2*y))"
#define SV "((1 + t)*cos(x - y))"
#define SC "(exp(-t)*cos(x + 2*y))"
#define SS "((1 + t)*sin(x - y))"
#define SPACE2                                                                                                         \
    "du/dt = laplace(u) + u*v + dx(v) + 4*" SU " - " SU "*" SV " + " SS "\n"                                           \
    "dv/dt = 0.5*laplace(v) - 0.5*dy(u) + cos(x - y) + " SV " + " SC
/* w = (1 + t) cos(x) sin(y) exp(z/2): laplace w = -(2 - 1/4) w */
#define W "((1 + t)*cos(x)*sin(y)*exp(0.5*z))"
#define SPACE3 "du/dt = laplace(u) + 1.75*" W " + cos(x)*sin(y)*exp(0.5*z)"

/* u_t = 0.5 laplace u - u_x - u_y + source */
#define ADVECTION(dx, dy) "du/dt = 0.5*laplace(u) - " dx "(u) - " dy "(u) + 1.5*" SU " + 3*" SC
#define AROUND                                                                                                         \
    {                                                                                                                  \
        DIRICHLET(SU), DIRICHLET(SU), DIRICHLET(SU), DIRICHLET(SU), NONE, NONE                                         \
    }

typedef struct space_case {
    const char *name, *equations;
    int nfields, ndim, n;
    double end;
    rw_boundary sides[FIELDS][6];
    int order; /* of one-sided differences; 0: of the grid's */
} space_case;

static const space_case spaces[] = {
    {"2-D coupled",
     SPACE2,
     2,
     2,
     12,
     0.1,
     {{ROBIN(SU, "-" SC), DIRICHLET(SU), NEUMANN("-2*" SC), ROBIN(SU, "2*" SC), NONE, NONE},
      {NEUMANN(SS), DIRICHLET(SV), ROBIN(SV, "-" SS), NEUMANN(SS), NONE, NONE}},
     0},
    {"3-D Robin Neumann",
     SPACE3,
     1,
     3,
     6,
     0.05,
     {{NEUMANN("(1 + t)*sin(x)*sin(y)*exp(0.5*z)"), ROBIN(W, "-(1 + t)*sin(x)*sin(y)*exp(0.5*z)"),
       ROBIN(W, "-(1 + t)*cos(x)*cos(y)*exp(0.5*z)"), DIRICHLET(W), ROBIN(W, "-0.5*" W), NEUMANN("0.5*" W)}},
     0},
    {"advection, central", ADVECTION("dx", "dy"), 1, 2, 16, 0.1, {AROUND}, 0},
    {"advection, forward", ADVECTION("dx_forward", "dy_forward"), 1, 2, 16, 0.1, {AROUND}, 1},
    {"advection, backward", ADVECTION("dx_backward", "dy_backward"), 1, 2, 16, 0.1, {AROUND}, 1},
};

static int now_case;
static double exact_in_space(const double p[3], int f)
{
    if (now_case == 1) return (1 + now) * cos(p[0]) * sin(p[1]) * exp(0.5 * p[2]);
    return f ? (1 + now) * cos(p[0] - p[1]) : exp(-now) * sin(p[0] + 2 * p[1]);
}

static double space_error(const space_case *c, int n, int order)
{
    problem p;
    describe(&p, c->equations, c->nfields, c->ndim, n, c->sides[0]);
    p.spec.method = RW_ODE_RK4, p.spec.order = order;
    now = 0;
    start(&p, exact_in_space);
    run_to(&p, c->end);
    now = c->end;
    double error = largest_error(&p, exact_in_space);
    finish(&p);
    return error;
}

static void check_space(const space_case *c, int order)
{
    int n = on("check") ? 6 : c->n, wanted = c->order ? c->order : order;
    double coarse = space_error(c, n, order), fine = space_error(c, 2 * n, order), observed = log2(coarse / fine);
    print_message("%-22s order %d in space: %.2e -> %.2e, observed %.2f\n", c->name, wanted, coarse, fine, observed);
    if (!(observed > wanted - 0.3) || (c->order && !(observed < wanted + 0.3)))
        fail_msg("%s: order %.2f", c->name, observed);
}

static void test_in_space(void **state)
{
    (void)state;
    /* 24 programs of PoCL; test_..._in_time compares it with the cpu */
    if (on("opencl") && !rw_device_info(dev)->gpu) skip();
    for (now_case = 0; now_case < RW_COUNT(spaces); ++now_case)
        for (int order = 2; order <= (spaces[now_case].order ? 2 : 4); order += 2)
            if ((!on("check") || now_case != 1) && in_turn(now_case + order / 2, 1))
                check_space(spaces + now_case, order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rk4_in_time),   cmocka_unit_test(test_rkc2_in_time),
        cmocka_unit_test(test_rkl2_in_time),  cmocka_unit_test(test_rock2_in_time),
        cmocka_unit_test(test_rock4_in_time), cmocka_unit_test(test_two_blocks_in_time),
        cmocka_unit_test(test_dp5_in_time),   cmocka_unit_test(test_in_space),
    };
    return run_on_devices("order", tests, RW_COUNT(tests));
}
