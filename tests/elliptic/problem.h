/* A problem for rw_elliptic: fields, grid, sides; its residual by the plain evaluator; its solution by Gaussian
 * elimination in long double. */
#ifndef RW_ELLIPTIC_PROBLEM_H
#define RW_ELLIPTIC_PROBLEM_H

#include <complex.h>
#include <math.h>

#include "../devices.h"
#include "expr/program.h"
#include "rechenwerk/elliptic.h"

typedef long double _Complex number;

enum { MOST_UNKNOWNS = 2, MOST_EXTERNALS = 2 };

typedef struct problem {
    rw_expr_field fields[MOST_UNKNOWNS], externals[MOST_EXTERNALS];
    rw_expr_scalar scalars[2];
    rw_elliptic_spec spec;
    rw_array *arrays[MOST_UNKNOWNS + MOST_EXTERNALS]; /* unknowns, then external fields */
    rw_elliptic *solver;
    rw_elliptic_result result;
} problem;

static inline int64_t nodes_of(const problem *p)
{
    const rw_grid *g = &p->spec.grid;
    return RW_MAX(g->size[0], 1) * RW_MAX(g->size[1], 1) * RW_MAX(g->size[2], 1);
}

/* Unknown u (v), external fields f, g, scalars k, c; all sides 0 on a grid of the unit box, of layout auto. */
static inline void begin(problem *p, const char *equations, int nunknowns, int ndim, const int64_t *size)
{
    static const char *const names[] = {"u", "v", "f", "g"};
    *p = (problem){.scalars = {{.name = "k", .value = 1}, {.name = "c", .value = 0.5}}};
    p->spec = (rw_elliptic_spec){.name = "case",
                                 .equations = equations,
                                 .grid = {.ndim = ndim},
                                 .fields = p->fields,
                                 .nfields = nunknowns,
                                 .externals = p->externals,
                                 .nexternals = MOST_EXTERNALS,
                                 .scalars = p->scalars,
                                 .nscalars = 2,
                                 .rtol = 1e-10};
    for (int f = 0; f < MOST_UNKNOWNS; ++f) {
        p->fields[f] = (rw_expr_field){.name = names[f], .dtype = RW_F64};
        p->externals[f] = (rw_expr_field){.name = names[2 + f], .dtype = RW_F64};
        for (int side = 0; side < 6; ++side)
            p->fields[f].boundary[side] = (rw_boundary){RW_BOUNDARY_DIRICHLET, "0", 0, 0};
    }
    for (int d = 0; d < 3; ++d) {
        p->spec.grid.size[d] = d < ndim ? size[d] : 1;
        p->spec.grid.spacing[d] = d < ndim ? 1 / (double)(size[d] + 1) : 1;
        p->spec.grid.origin[d] = d < ndim ? p->spec.grid.spacing[d] : 0;
    }
}

/* The nodes of the unit interval, by layout and kinds of sides. */
static inline void place_axis(problem *p, int axis)
{
    const rw_boundary *side = p->fields[0].boundary + 2 * axis;
    rw_grid *g = &p->spec.grid;
    const double n = (double)g->size[axis];
    const bool lower = side[0].kind == RW_BOUNDARY_DIRICHLET, upper = side[1].kind == RW_BOUNDARY_DIRICHLET;
    double h = 1 / n, origin = 0;
    if (side[0].kind == RW_BOUNDARY_PERIODIC) origin = p->spec.layout == RW_GRID_CELL ? h / 2 : 0;
    else if (p->spec.layout == RW_GRID_CELL) origin = h / 2;
    else if (p->spec.layout == RW_GRID_NODE) h = n > 1 ? 1 / (n - 1) : 1;
    else {
        h = n - 1 + lower + upper > 0 ? 1 / (n - 1 + lower + upper) : 1;
        origin = lower ? h : 0;
    }
    g->spacing[axis] = h;
    g->origin[axis] = origin;
}

static inline void put(rw_array *a, int64_t i, double re, double im)
{
    void *w;
    OK(rw_array_write(a, &w));
    if (a->dtype == RW_F32) ((float *)w)[i] = (float)re;
    else if (a->dtype == RW_F64) ((double *)w)[i] = re;
    else if (a->dtype == RW_C64) {
        ((float *)w)[2 * i] = (float)re;
        ((float *)w)[2 * i + 1] = (float)im;
    } else {
        ((double *)w)[2 * i] = re;
        ((double *)w)[2 * i + 1] = im;
    }
}

static inline number at(rw_array *a, int64_t i)
{
    const void *r;
    OK(rw_array_read(a, &r));
    if (a->dtype == RW_F32) return ((const float *)r)[i];
    if (a->dtype == RW_F64) return ((const double *)r)[i];
    if (a->dtype == RW_C64) return ((const float *)r)[2 * i] + (number)1.0iL * ((const float *)r)[2 * i + 1];
    return ((const double *)r)[2 * i] + (number)1.0iL * ((const double *)r)[2 * i + 1];
}

/* Values that single precision has, from `low` to low + 1; the same for all types. */
static inline void fill(rw_array *a, uint64_t seed, double low)
{
    for (int64_t i = 0; i < a->size; ++i)
        put(a, i, (float)(low + rw_random_uniform(seed, (uint64_t)i)),
            (float)(low + rw_random_uniform(seed + 1000, (uint64_t)i)));
}

static inline const char *name_of(const problem *p, int f)
{
    return f < p->spec.nfields ? p->fields[f].name : p->externals[f - p->spec.nfields].name;
}

/* Arrays: unknowns 0, external fields random between 1/2 and 3/2. */
static inline void make_arrays(problem *p)
{
    for (int f = 0; f < p->spec.nfields + p->spec.nexternals; ++f) {
        const bool unknown = f < p->spec.nfields;
        p->arrays[f] = new_array(unknown ? p->fields[f].dtype : p->externals[f - p->spec.nfields].dtype, nodes_of(p),
                                 RW_MEMORY_DEVICE);
        for (int64_t i = 0; i < nodes_of(p); ++i) put(p->arrays[f], i, 0, 0);
        if (!unknown) fill(p->arrays[f], (uint64_t)(11 + f), 0.5);
    }
}

static inline rw_status bind_all(problem *p)
{
    for (int f = 0; f < p->spec.nfields + p->spec.nexternals; ++f)
        RW_TRY(rw_elliptic_bind(p->solver, name_of(p, f), p->arrays[f]));
    return RW_OK;
}

static inline void make_solver(problem *p)
{
    OK(rw_elliptic_create(dev, &p->spec, &p->solver));
    OK(bind_all(p));
}

static inline void drop(problem *p)
{
    rw_elliptic_destroy(&p->solver);
    for (int f = 0; f < MOST_UNKNOWNS + MOST_EXTERNALS; ++f) rw_array_destroy(&p->arrays[f]);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static inline rw_status create_and_solve(void *user)
{
    problem *p = user;
    char *text = NULL;
    rw_status status = rw_elliptic_create(dev, &p->spec, &p->solver);
    if (status == RW_OK) status = bind_all(p);
    if (status == RW_OK) status = rw_elliptic_set(p->solver, "k", 2);
    if (status == RW_OK) status = rw_elliptic_explain(p->solver, &text);
    if (status == RW_OK) status = rw_elliptic_solve(p->solver, &p->result);
    rw_free(text);
    rw_elliptic_destroy(&p->solver);
    return status;
}

/* Every allocation of the host (in the short version every 97th) and of the device fails once. */
static inline void fail_each_allocation(problem *p)
{
    OK(create_and_solve(p)); /* what is made once */
    each_nth_fault(test_long() ? 1 : 97, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, create_and_solve, p);
    each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, create_and_solve, p);
}

/* ---- the residual, by the plain evaluator ------------------------------------------------------------------------ */

typedef struct residual {
    rw_expr *expr;
    rw_array *arrays[2 * MOST_UNKNOWNS + MOST_EXTERNALS]; /* unknowns, external fields, residuals; double precision */
    int n, nexternals;
    int64_t nodes;
    bool *given; /* [n][nodes] the side gives the value */
} residual;

/* text: "R = …; S = …", the residuals of the equations. */
static inline void make_residual(const problem *p, const char *text, residual *r)
{
    static const char *const names[] = {"R", "S"};
    rw_expr_field all[2 * MOST_UNKNOWNS + MOST_EXTERNALS] = {{0}};
    *r = (residual){.n = (int)p->spec.nfields, .nexternals = (int)p->spec.nexternals, .nodes = nodes_of(p)};
    const int known = r->n + r->nexternals;
    for (int f = 0; f < known + r->n; ++f) {
        const int u = f < r->n ? f : f - known;
        if (f < r->n) all[f] = p->fields[f];
        else if (f < known) all[f] = p->externals[f - r->n];
        else all[f] = (rw_expr_field){.name = names[u]};
        if (f < r->n || f >= known) all[f].dtype = rw_dtype_is_complex(p->fields[u].dtype) ? RW_C128 : RW_F64;
        r->arrays[f] = new_array(all[f].dtype, r->nodes, RW_MEMORY_DEVICE);
        for (int64_t i = 0; i < r->nodes; ++i) {
            const number v = f < known ? at(p->arrays[f], i) : 0;
            put(r->arrays[f], i, (double)creall(v), (double)cimagl(v));
        }
    }
    const rw_expr_spec spec = {.name = "residual",
                               .text = text,
                               .grid = p->spec.grid,
                               .order = p->spec.order,
                               .layout = p->spec.layout,
                               .fields = all,
                               .nfields = known + r->n,
                               .scalars = p->scalars,
                               .nscalars = 2};
    rw_programs_plan_only(true);
    OK(rw_expr_create(dev, &spec, &r->expr));
    rw_programs_plan_only(false);
    for (int f = 0; f < known + r->n; ++f) OK(rw_expr_bind(r->expr, all[f].name, r->arrays[f]));
    r->given = calloc((size_t)(r->n * r->nodes), sizeof *r->given);
    const int64_t *size = p->spec.grid.size;
    for (int f = 0; f < r->n && p->spec.layout == RW_GRID_NODE; ++f)
        for (int64_t i = 0; i < r->nodes; ++i) {
            const int64_t place[3] = {i % size[0], i / size[0] % RW_MAX(size[1], 1), i / size[0] / RW_MAX(size[1], 1)};
            for (int side = 0; side < 2 * p->spec.grid.ndim; ++side)
                if (p->fields[f].boundary[side].kind == RW_BOUNDARY_DIRICHLET &&
                    place[side / 2] == (side % 2 ? size[side / 2] - 1 : 0))
                    r->given[f * r->nodes + i] = true;
        }
}

static inline void drop_residual(residual *r)
{
    rw_expr_destroy(&r->expr);
    for (int f = 0; f < 2 * r->n + r->nexternals; ++f) rw_array_destroy(&r->arrays[f]);
    free(r->given);
}

/* F[f*nodes + i] of u; 0 at nodes that are given. */
static inline void evaluate(residual *r, const number *u, number *F)
{
    for (int64_t i = 0; i < r->n * r->nodes; ++i)
        put(r->arrays[i / r->nodes], i % r->nodes, (double)creall(u[i]), (double)cimagl(u[i]));
    OK(rw_expr_evaluate(r->expr));
    for (int64_t i = 0; i < r->n * r->nodes; ++i)
        F[i] = r->given[i] ? 0 : at(r->arrays[r->n + r->nexternals + i / r->nodes], i % r->nodes);
}

static inline double norm_of(const number *F, int64_t n)
{
    long double square = 0;
    for (int64_t i = 0; i < n; ++i) square += creall(F[i] * conjl(F[i]));
    return (double)sqrtl(square);
}

/* u <- the solution of F(u) = 0, F linear. */
static inline void solve_dense(residual *r, number *u)
{
    const int64_t n = r->n * r->nodes, w = n + 1;
    number *A = calloc((size_t)(n * w), sizeof *A), *F = calloc((size_t)n, sizeof *F),
           *b = calloc((size_t)n, sizeof *b);
    memset(u, 0, (size_t)n * sizeof *u);
    evaluate(r, u, b);
    for (int64_t j = 0; j < n; ++j) {
        u[j] = 1;
        evaluate(r, u, F);
        u[j] = 0;
        for (int64_t i = 0; i < n; ++i) A[i * w + j] = r->given[i] ? i == j : F[i] - b[i];
    }
    for (int64_t i = 0; i < n; ++i) A[i * w + n] = -b[i];
    for (int64_t k = 0; k < n; ++k) {
        int64_t pivot = k;
        for (int64_t i = k; i < n; ++i)
            if (cabsl(A[i * w + k]) > cabsl(A[pivot * w + k])) pivot = i;
        if (cabsl(A[pivot * w + k]) == 0) fail_msg("the matrix is singular");
        for (int64_t j = k; j <= n; ++j) {
            const number swap = A[k * w + j];
            A[k * w + j] = A[pivot * w + j];
            A[pivot * w + j] = swap;
        }
        for (int64_t i = k + 1; i < n; ++i) {
            const number factor = A[i * w + k] / A[k * w + k];
            if (factor == 0) continue;
            for (int64_t j = k; j <= n; ++j) A[i * w + j] -= factor * A[k * w + j];
        }
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        u[i] = A[i * w + n];
        for (int64_t j = i + 1; j < n; ++j) u[i] -= A[i * w + j] * u[j];
        u[i] /= A[i * w + i];
    }
    free(A);
    free(F);
    free(b);
}

static inline bool is_single(rw_dtype t) { return t == RW_F32 || t == RW_C64; }

static inline rw_boundary side_of(rw_boundary_kind kind, const char *a)
{
    return (rw_boundary){kind, kind == RW_BOUNDARY_ROBIN ? "2" : a, "0.5", a};
}

/* Each program takes seconds to compile (PoCL). */
static inline bool slow(void) { return !test_long() && on("opencl"); }

static inline void compare_solution(const char *what, problem *p, residual *r, const number *exact)
{
    const int64_t n = r->n * r->nodes;
    number *u = calloc((size_t)n, sizeof *u), *F = calloc((size_t)n, sizeof *F);
    const bool single = is_single(p->fields[0].dtype);
    double largest = 0, error = 0;
    char *text;
    OK(rw_elliptic_explain(p->solver, &text));
    for (int64_t i = 0; i < n; ++i) u[i] = at(p->arrays[i / r->nodes], i % r->nodes);
    for (int64_t i = 0; i < n; ++i) {
        if (r->given[i]) continue;
        largest = fmax(largest, (double)cabsl(exact[i]));
        error = fmax(error, (double)cabsl(u[i] - exact[i]));
    }
    if (!(error <= (single ? 3e-2 : 1e-7) * largest))
        fail_msg("%s: differs by %.3g of %.3g from the dense solution\n%s", what, error, largest, text);
    evaluate(r, u, F);
    const double norm = norm_of(F, n);
    memset(u, 0, (size_t)n * sizeof *u);
    evaluate(r, u, F);
    const double zero = norm_of(F, n), eps = single ? 1e-3 : 1e-11;
    if (!(fabs(p->result.residual - norm) <= 1e-6 * norm + eps * zero) ||
        !(fabs(p->result.right_side - zero) <= 1e-4 * zero))
        fail_msg("%s: residuals %.10g, %.10g; recomputed %.10g, %.10g\n%s", what, p->result.residual,
                 p->result.right_side, norm, zero, text);
    rw_free(text);
    free(u);
    free(F);
}

static inline void solve_with(const char *what, problem *p, residual *r, const number *exact, rw_elliptic_method method)
{
    char *text = NULL;
    p->spec.method = method;
    rw_elliptic_destroy(&p->solver);
    for (int f = 0; f < p->spec.nfields; ++f)
        for (int64_t i = 0; i < r->nodes; ++i) put(p->arrays[f], i, 0.25, 0);
    const rw_status status = rw_elliptic_create(dev, &p->spec, &p->solver);
    if (method == RW_ELLIPTIC_TRANSFORM && status == RW_ERR_INPUT) return;
    OK(status);
    OK(bind_all(p));
    OK(rw_elliptic_explain(p->solver, &text));
    if (rw_elliptic_solve(p->solver, &p->result) != RW_OK) fail_msg("%s: %s\n%s", what, rw_message(ctx), text);
    rw_free(text);
    compare_solution(what, p, r, exact);
}

/* f <- cos of the coordinates in the unit box + a constant. */
static inline void fill_waves(problem *p, double constant)
{
    for (int64_t i = 0; i < nodes_of(p); ++i) {
        const rw_grid *g = &p->spec.grid;
        const double x = g->origin[0] + g->spacing[0] * (double)(i % g->size[0]);
        put(p->arrays[1], i, cos(2 * acos(-1) * x) + constant, 0);
    }
}

#endif
