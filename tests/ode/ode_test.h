/* What the tests of integrators share: a problem with its arrays on the row's device. */
#ifndef RW_ODE_TEST_H
#define RW_ODE_TEST_H

#include <math.h>

#include "../devices.h"
#include "../values.h"
#include "ode/ode.h"

enum { FIELDS = 2, MOST_FIELDS = 3 };

typedef struct problem {
    rw_ode_spec spec;
    rw_expr_field fields[MOST_FIELDS];
    rw_expr_scalar scalars[4];
    rw_ode *ode;
    rw_array *array[MOST_FIELDS];
} problem;

/* Field f at a node whose coordinates are x. */
typedef double value_at(const double x[3], int f);

/* Up to three fields u, v, w of f64 on [0, 1]^ndim, n intervals an axis, sides as given; unknowns by the sides' kinds.
 */
static inline void describe(problem *p, const char *equations, int nfields, int ndim, int n, const rw_boundary *sides)
{
    static const char *const names[MOST_FIELDS] = {"u", "v", "w"};
    memset(p, 0, sizeof *p);
    for (int f = 0; f < nfields; ++f) {
        p->fields[f].name = names[f];
        p->fields[f].dtype = RW_F64;
        if (sides) memcpy(p->fields[f].boundary, sides + 6 * f, 6 * sizeof *sides);
    }
    p->spec = (rw_ode_spec){.name = "test",
                            .method = RW_ODE_RK4,
                            .record = RW_SWITCH_OFF,
                            .equations = equations,
                            .fields = p->fields,
                            .nfields = nfields,
                            .scalars = p->scalars};
    p->spec.grid.ndim = ndim;
    for (int d = 0; d < 3; ++d) {
        const rw_boundary *s = p->fields[0].boundary + 2 * d;
        bool used = d < ndim, lower = used && s[0].kind == RW_BOUNDARY_DIRICHLET,
             upper = used && s[1].kind == RW_BOUNDARY_DIRICHLET;
        p->spec.grid.size[d] = !used ? 1 : s[0].kind == RW_BOUNDARY_PERIODIC ? n : n + 1 - lower - upper;
        p->spec.grid.spacing[d] = used ? 1. / n : 1;
        p->spec.grid.origin[d] = lower ? 1. / n : 0;
    }
}

static inline int64_t cells_of(const problem *p)
{
    const int64_t *n = p->spec.grid.size;
    return n[0] * n[1] * n[2];
}

static inline void place_of(const problem *p, int64_t cell, double x[3])
{
    const rw_grid *g = &p->spec.grid;
    int64_t i[3] = {cell % g->size[0], cell / g->size[0] % g->size[1], cell / g->size[0] / g->size[1]};
    for (int d = 0; d < 3; ++d) x[d] = g->origin[d] + (double)i[d] * g->spacing[d];
}

static inline void fill(problem *p, value_at *value)
{
    for (int f = 0; f < p->spec.nfields; ++f) {
        void *w;
        OK(rw_array_write(p->array[f], &w));
        for (int64_t c = 0; c < cells_of(p); ++c) {
            double x[3];
            place_of(p, c, x);
            if (p->fields[f].dtype == RW_F32) ((float *)w)[c] = (float)value(x, f);
            else ((double *)w)[c] = value(x, f);
        }
    }
}

/* Creates the integrator and its arrays, filled. */
static inline void start(problem *p, value_at *initial)
{
    int64_t shape[3];
    const rw_grid *g = &p->spec.grid;
    for (int d = 0; d < g->ndim; ++d) shape[d] = g->size[g->ndim - 1 - d];
    OK(rw_ode_create(dev, &p->spec, &p->ode));
    for (int f = 0; f < p->spec.nfields; ++f) {
        OK(rw_array_create(dev, p->fields[f].dtype, g->ndim, shape, RW_MEMORY_DEVICE, &p->array[f]));
        OK(rw_ode_bind(p->ode, p->fields[f].name, p->array[f]));
    }
    fill(p, initial);
}

static inline void finish(problem *p)
{
    rw_ode_destroy(&p->ode);
    for (int f = 0; f < MOST_FIELDS; ++f) rw_array_destroy(&p->array[f]);
}

static inline void run_to(problem *p, double end)
{
    while (rw_ode_time(p->ode) < end) OK(rw_ode_step(p->ode, end));
    assert_true(rw_ode_time(p->ode) == end);
}

static inline double largest_error(problem *p, value_at *exact)
{
    double worst = 0;
    for (int f = 0; f < p->spec.nfields; ++f) {
        const double *u = numbers_of(p->array[f]);
        for (int64_t c = 0; c < cells_of(p); ++c) {
            double x[3];
            place_of(p, c, x);
            double e = fabs(u[c] - exact(x, f));
            worst = e > worst || isnan(e) ? e : worst;
        }
    }
    return worst;
}

static inline rw_ode_statistics statistics(const problem *p) { return statistics_of(p->ode); }

/* What rw_ode_save saves. */
enum { MOST_VALUES = 40 };
typedef struct saved {
    int64_t n;
    const char *name[MOST_VALUES];
    double value[MOST_VALUES];
} saved;

static inline saved save(const rw_ode *ode)
{
    saved s = {.n = 0};
    s.n = rw_ode_save(ode, s.name, s.value, MOST_VALUES);
    assert_true(s.n > 10 && s.n <= MOST_VALUES);
    return s;
}

static inline rw_status load(rw_ode *ode, const saved *s) { return rw_ode_load(ode, s->name, s->value, s->n); }

static inline double *named(saved *s, const char *name)
{
    for (int64_t i = 0; i < s->n; ++i)
        if (!strcmp(s->name[i], name)) return s->value + i;
    fail_msg("no value is named %s", name);
    return NULL;
}

/* ---- the problem of most tests of steps -------------------------------------------------------------------------- */

/* Gray-Scott-like: coupled, nonlinear, polynomial, nothing depends on time. */
static inline void describe_coupled(problem *p, rw_ode_method method)
{
#define FIXED(u)                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define FREE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }
    static const rw_boundary cold[FIELDS][6] = {{FIXED("0"), FIXED("0"), FIXED("0"), FIXED("0"), FREE, FREE},
                                                {FIXED("0"), FIXED("1"), FIXED("0"), FIXED("0"), FREE, FREE}};
#undef FIXED
#undef FREE
    describe(p, "r = u*v^2\ndu/dt = 0.02*laplace(u) - k*r + 0.3*(1 - u)\ndv/dt = 0.01*laplace(v) + k*r - 0.5*v", 2, 2,
             14, cold[0]);
    p->scalars[0] = (rw_expr_scalar){.name = "k", .value = 2};
    p->spec.nscalars = 1, p->spec.method = method, p->spec.rtol = 1e-4, p->spec.atol = 1e-6;
}

static inline double coupled_bump(const double x[3], int f) { return f ? 0.2 * x[0] : 4 * x[0] * (1 - x[0]); }

typedef struct copy {
    double value[MOST_FIELDS][15 * 15];
} copy;
static inline copy state_of(problem *p)
{
    copy c = {{{0}}};
    for (int f = 0; f < p->spec.nfields; ++f)
        memcpy(c.value[f], numbers_of(p->array[f]), (size_t)cells_of(p) * sizeof(double));
    return c;
}
static inline void assert_same_bits(problem *p, const copy *expected, const char *what)
{
    copy c = state_of(p);
    if (memcmp(&c, expected, sizeof c)) fail_msg("%s: other bits", what);
}

#endif
