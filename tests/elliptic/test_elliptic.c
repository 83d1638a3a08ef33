/* Equations without a time derivative on every device: orders of convergence, both methods against a dense matrix for
 * all layouts, kinds of sides, types and awkward sizes; residuals; singular, nonlinear and coupled equations; scalars
 * that change; what is refused. */
/* TEST: devices=all */
#include "problem.h"

static const rw_grid_layout layouts[] = {RW_GRID_AUTO, RW_GRID_CELL, RW_GRID_NODE};

static bool is_single(rw_dtype t) { return t == RW_F32 || t == RW_C64; }

static double uniform(uint64_t seed, int i) { return rw_random_uniform(seed, (uint64_t)i); }
static int pick(uint64_t seed, int i, int n) { return (int)(uniform(seed, i) * n); }

static rw_boundary side_of(rw_boundary_kind kind, const char *a)
{
    return (rw_boundary){kind, kind == RW_BOUNDARY_ROBIN ? "2" : a, "0.5", a};
}

/* ---- against a dense matrix -------------------------------------------------------------------------------------- */

/* The equation, and its residual. */
static const char *const equations[][2] = {
    {"laplace(u) - k*u = f", "R = laplace(u) - k*u - f"},
    {"0 = -laplace(u) + 3*u + f*x", "R = laplace(u) - 3*u - f*x"},
    {"k*dxx(u) = u - f", "R = k*dxx(u) - u + f"},
    {"div((1 + g)*grad(u)) - u = f", "R = div((1 + g)*grad(u)) - u - f"},
    {"laplace(u) + c*dx(u) - k*u = f", "R = laplace(u) + c*dx(u) - k*u - f"},
    {"laplace(u) + k*u = f", "R = laplace(u) + k*u - f"},
};

static void compare(const char *what, problem *p, residual *r, const number *exact)
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
    if (!(error <= (single ? 3e-3 : 1e-7) * largest))
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
    free(u), free(F);
}

static void solve_with(const char *what, problem *p, residual *r, const number *exact, rw_elliptic_method method)
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
    compare(what, p, r, exact);
}

static void one_random(uint64_t seed)
{
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN,    RW_BOUNDARY_ROBIN,
                                             RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEAREST,    RW_BOUNDARY_REFLECT,
                                             RW_BOUNDARY_CONSTANT,  RW_BOUNDARY_REFLECT101, RW_BOUNDARY_PERIODIC};
    static const rw_dtype types[] = {RW_F64, RW_F64, RW_F32, RW_C128, RW_C64};
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13};
    const int ndim = 1 + pick(seed, 0, 3), which = pick(seed, 1, RW_COUNT(equations)),
              most = ndim == 1   ? 10
                     : ndim == 2 ? 8
                                 : 5;
    int64_t size[3];
    for (int d = 0; d < 3; ++d) size[d] = sizes[pick(seed, 2 + d, most)];
    problem p;
    residual r;
    char what[256];
    begin(&p, equations[which][0], 1, ndim, size);
    p.spec.layout = layouts[pick(seed, 5, 3)];
    p.spec.order = uniform(seed, 6) < 0.2 ? 4 : 2;
    for (int d = 0; d < 3 && p.spec.order == 4; ++d) /* formulas of order 4 need five nodes */
        if (p.spec.grid.size[d] < 5 && d < ndim) p.spec.grid.size[d] = size[d] = 5 + d;
    p.fields[0].dtype = types[pick(seed, 7, RW_COUNT(types))];
    p.spec.rtol = is_single(p.fields[0].dtype) ? 1e-5 : 1e-11;
    p.scalars[0].value = 1 + uniform(seed, 8);
    int n = snprintf(what, sizeof what, "seed %llu: %s, layout %d, order %d, %s, k = %g", (unsigned long long)seed,
                     equations[which][0], p.spec.layout, p.spec.order, rw_dtype_name(p.fields[0].dtype),
                     p.scalars[0].value);
    for (int d = 0; d < ndim; ++d) {
        rw_boundary *side = p.fields[0].boundary + 2 * d;
        for (int upper = 0; upper < 2; ++upper)
            side[upper] = side_of(kinds[pick(seed, 10 + 2 * d + upper, RW_COUNT(kinds))], upper ? "0.7" : "0.2 + y");
        if (side[0].kind == RW_BOUNDARY_PERIODIC || side[1].kind == RW_BOUNDARY_PERIODIC)
            side[0] = side[1] = side_of(RW_BOUNDARY_PERIODIC, "0");
        if (ndim == 1) side[0].c = side[0].a = side[0].kind == RW_BOUNDARY_ROBIN ? "2" : "0.2";
        if (side[0].kind == RW_BOUNDARY_CONSTANT) side[0].a = "0.3";
        place_axis(&p, d);
        n += snprintf(what + n, sizeof what - (size_t)n, "; %lld %s %s", (long long)size[d],
                      rw_boundary_kind_name(side[0].kind), rw_boundary_kind_name(side[1].kind));
    }
    make_arrays(&p);
    make_residual(&p, equations[which][1], &r);
    number *exact = calloc((size_t)r.nodes, sizeof *exact);
    solve_dense(&r, exact);
    solve_with(what, &p, &r, exact, RW_ELLIPTIC_TRANSFORM);
    solve_with(what, &p, &r, exact, RW_ELLIPTIC_KRYLOV);
    free(exact);
    drop_residual(&r);
    drop(&p);
}

static void test_random(void **state)
{
    (void)state;
    const int n = test_long() ? 150 : brief() ? 4 : 24;
    const char *only = getenv("SEED");
    if (only) one_random((uint64_t)atoi(only));
    else
        for (int i = 0; i < n; ++i) one_random((uint64_t)(100 + i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return run_on_devices("elliptic", tests, RW_COUNT(tests));
}
