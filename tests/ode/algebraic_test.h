/* Fields without a rate inside the integrators: what their tests share. */
#ifndef RW_ODE_ALGEBRAIC_TEST_H
#define RW_ODE_ALGEBRAIC_TEST_H

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
static inline bool slow(void) { return brief() && on("opencl"); }

static const char *const layout_names[] = {"auto", "cell", "node"};

/* ---- the problem of most tests ----------------------------------------------------------------------------------- */

enum { INTERVALS = 12 };
#define DIFFUSE "du/dt = k*laplace(u) - c*v"
#define FLOW DIFFUSE " - dy(v)*dx(u) + dx(v)*dy(u)"
#define POISSON "\nm*laplace(v) = -u"

static int dimensions;

/* An eigenvector of the differences in every layout, to `lambda`; and a state that is none. */
static inline double mode(const double x[3])
{
    double s = 1;
    for (int d = 0; d < dimensions; ++d) s *= sin(pi * x[d]);
    return s;
}
static inline double eigenvalue(int n) { return dimensions * 4. * n * n * pow(sin(pi / 2 / n), 2); }
/* What the arrays of unknowns have at first does not matter. */
static inline double of_mode(const double x[3], int f) { return f ? 0.25 : mode(x); }
static inline double bump(const double x[3], int f) { return f ? 0.25 : 40 * mode(x) * (exp(x[0]) - 2 * x[1]); }

static inline void lay_out(problem *p, rw_grid_layout layout, int n)
{
    p->spec.layout = layout;
    for (int d = 0; d < p->spec.grid.ndim && layout != RW_GRID_AUTO; ++d) {
        p->spec.grid.size[d] = layout == RW_GRID_CELL ? n : n + 1;
        p->spec.grid.origin[d] = layout == RW_GRID_CELL ? 0.5 / n : 0;
    }
}

static inline void describe_way(problem *p, const struct way *w, const char *equations, int nfields, int ndim)
{
    describe(p, equations, nfields, ndim, INTERVALS, cold);
    dimensions = ndim;
    p->scalars[0] = (rw_expr_scalar){.name = "k", .value = 0.05};
    p->scalars[1] = (rw_expr_scalar){.name = "c", .value = 60};
    p->scalars[2] = (rw_expr_scalar){.name = "m", .value = 1};
    p->spec.nscalars = 3;
    p->spec.method = w->method;
    p->spec.step = w->step;
    p->spec.record = RW_SWITCH_ON;
    if (w->method == RW_ODE_AUTO) p->spec.end = 0.4;
}

static inline void describe_flow(problem *p, const struct way *w) { describe_way(p, w, FLOW POISSON, 2, 2); }

/* By cycles of multigrid, on 12, 6 and 3 cells along each axis. */
static inline void describe_cycles(problem *p, const struct way *w)
{
    static const char *const cycles[MOST_FIELDS] = {NULL, "multigrid:cycles=5", NULL};
    describe_way(p, w, FLOW "\ndiv((2 + x)*grad(v)) = -u", 2, 2);
    lay_out(p, RW_GRID_CELL, INTERVALS);
    p->spec.solvers = cycles;
}

/* The same once more: pointers to itself. */
static inline void copy_problem(problem *to, const problem *from)
{
    *to = *from;
    to->spec.fields = to->fields;
    to->spec.scalars = to->scalars;
}

static inline void steps(problem *p, int n)
{
    for (int i = 0; i < n; ++i) OK(rw_ode_step(p->ode, 10));
}

static inline double value_of(rw_array *a, int64_t i)
{
    const void *r;
    OK(rw_array_read(a, &r));
    return a->dtype == RW_F32 ? (double)((const float *)r)[i] : ((const double *)r)[i];
}

static inline double largest(rw_array *a)
{
    double most = 0;
    for (int64_t i = 0; i < a->size; ++i) most = fmax(most, fabs(value_of(a, i)));
    return most;
}

static inline bool on_side(const problem *p, int64_t cell)
{
    const int64_t *n = p->spec.grid.size, i[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
    bool yes = false;
    for (int d = 0; d < p->spec.grid.ndim; ++d) yes = yes || i[d] == 0 || i[d] == n[d] - 1;
    return yes && p->spec.layout == RW_GRID_NODE;
}

/* The largest |R| of the text "R = …" at nodes that no side gives, by the plain evaluator in double precision. "now" is
 * the time. */
static inline double residual_of(problem *p, const char *text)
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
static inline void assert_solved(problem *p, const char *text, double tolerance, const char *what)
{
    const double r = residual_of(p, text), size = largest(p->array[0]);
    if (!(r <= tolerance * size))
        fail_msg("%s, t = %.6g: %s is %.3g, u up to %.3g", what, rw_ode_time(p->ode), text, r, size);
}

static inline void assert_close(problem *p, problem *q, double tolerance, const char *what)
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

static const char *const by_iterations[MOST_FIELDS] = {NULL, "krylov:rtol=1e-12", NULL};

#endif
