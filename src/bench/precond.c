/* Applications z <- P r of preconditioners, for the flow matrix of 5 x 5 blocks (GMRES) and a Laplacian (CG); with
 * setup times and iterations to 1e-8.
 *
 * Least bytes: what is stored once, r and z once. Polynomials and grids read their matrices several times, so their
 * shares are below what the memory does. */
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/multiblock.h"
#include "sparse/host.h"

typedef struct application {
    rw_precond *p;
    rw_contest c; /* r in x, z in y */
} application;

static const char *const flow[] = {"jacobi",
                                   "ilu0:order=natural",
                                   "ilu0:order=colours",
                                   "ilu0:order=colours:f32",
                                   "ilu0:order=colours:scaled",
                                   "ilu0:order=natural:sweeps=3",
                                   "ilu0:order=natural:iterations=3"};
static const char *const laplace[] = {"jacobi", "ssor",    "ilu0:order=natural", "ilu0:order=colours", "chebyshev",
                                      "amg",    "amg:f32", "amg:scaled"};

static rw_status apply(void *user, int round RW_UNUSED)
{
    application *a = user;
    return rw_precond_apply(a->p, a->c.x, a->c.y, a->c.queue);
}

static rw_status make(rw_bench *b, bool is_flow, int64_t n, rw_sparse **m)
{
    const rw_multiblock_spec grid = {.cells = {n, n, n}, .blocks = {1, 1, 1}};
    rw_sparse_layout l;
    if (!is_flow) return rw_bench_laplace(b, n, m);
    RW_TRY(rw_sparse_layout_parse(b->ctx, b->dev->info.gpu ? "bsell:5x5:f64" : "bcsr:5x5:f64", &l));
    return rw_multiblock_assemble(b->dev, &grid, 0, RW_MULTIBLOCK_COMPACT, &l, m);
}

static rw_status solve(rw_bench *b, rw_sparse *m, bool is_flow, const char *text, rw_contest *c,
                       rw_krylov_result *result)
{
    const int64_t n = rw_sparse_size_of(m).rows;
    rw_krylov_spec spec = {.method = is_flow ? RW_KRYLOV_GMRES : RW_KRYLOV_CG, .rtol = 1e-8, .iterations = 2000};
    RW_TRY(rw_contest_vectors(b, RW_F64, n, n, c));
    RW_TRY(rw_precond_parse(b->ctx, text, &spec.precond));
    RW_TRY(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &c->k));
    RW_TRY(rw_array_zero(c->y, c->queue));
    return rw_krylov_solve(c->k, c->x, c->y, result);
}

static void free_application(void *work)
{
    application *a = work;
    rw_precond_destroy(&a->p);
    rw_contest_free(&a->c);
}

static const rw_bench_task task = {apply, NULL, NULL, free_application};

static rw_status run_one(rw_bench *b, rw_sparse *m, bool is_flow, int64_t n, const char *text)
{
    application a = {0};
    rw_precond_spec spec;
    rw_krylov_result result;
    rw_bench_result row = {.tolerance = 2e-8};
    rw_status status = solve(b, m, is_flow, text, &a.c, &result);
    rw_krylov_destroy(&a.c.k);
    if (status == RW_OK) status = rw_precond_parse(b->ctx, text, &spec);
    if (status == RW_OK) status = rw_precond_create(rw_sparse_operator(m), RW_F64, &spec, &a.p);
    if (status == RW_OK) {
        rw_precond_info info;
        rw_precond_get_info(a.p, &info);
        row.error = result.right_side > 0 ? result.residual / result.right_side : 0; /* of the solve */
        row.bytes = (double)info.bytes + 16 * (double)rw_sparse_size_of(m).rows;
        snprintf(row.variant, sizeof row.variant, "setup %.2g s, %d iterations of %s", info.seconds,
                 (int)result.iterations, is_flow ? "gmres" : "cg");
    }
    snprintf(row.what, sizeof row.what, "%s", text);
    snprintf(row.size, sizeof row.size, "%d^3 cells, %s", (int)n, is_flow ? "flow" : "Laplacian");
    return rw_bench_measure(b, &task, &a, status, 0, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    for (int is_flow = 1; is_flow >= 0; --is_flow) {
        const int64_t n = b->options.quick ? 8 : (b->dev->info.gpu ? 2 : 1) * (is_flow ? 40 : 80);
        rw_sparse *m;
        RW_TRY(make(b, is_flow, n, &m));
        rw_status status = RW_OK;
        for (int i = 0; status == RW_OK && i < (is_flow ? RW_COUNT(flow) : RW_COUNT(laplace)); ++i)
            status = run_one(b, m, is_flow, n, is_flow ? flow[i] : laplace[i]);
        rw_sparse_destroy(&m);
        RW_TRY(status);
    }
    return RW_OK;
}

/* A solve with two of them; tests/precond has the rest. */
static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    rw_sparse *m;
    rw_contest c = {0};
    rw_krylov_result r = {0};
    RW_TRY(make(b, variant == 0, n, &m));
    const rw_status status = solve(b, m, variant == 0, variant ? "jacobi" : "ilu0", &c, &r);
    *worst = r.residual;
    *allowed = 2e-8 * r.right_side;
    rw_contest_free(&c);
    rw_sparse_destroy(&m);
    return status;
}

static const int64_t sizes[] = {3, -1};
const rw_bench_case rw_bench_precond = {run, 2, check, sizes, 3, NULL};
