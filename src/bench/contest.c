/* A product or a solve as a contestant. */
#include "bench/bench.h"

rw_status rw_contest_multiply(void *user, int round RW_UNUSED)
{
    rw_contest *c = user;
    return rw_sparse_multiply(c->m, RW_OP_NONE, NULL, c->x, NULL, c->y, c->queue);
}

rw_status rw_contest_solve(void *user, int round RW_UNUSED)
{
    rw_contest *c = user;
    rw_krylov_result r;
    RW_TRY(rw_array_zero(c->y, c->queue));
    const rw_status status = rw_krylov_solve(c->k, c->x, c->y, &r);
    if (status != RW_OK && status != RW_ERR_NOT_CONVERGED) return status;
    if (status != RW_OK && r.reason == RW_KRYLOV_ITERATIONS && r.iterations == c->iterations) return RW_OK;
    return rw_fail(c->queue->device->ctx, RW_ERR_CHECK, "a solver stopped early, after %d iterations: %s",
                   (int)r.iterations, rw_krylov_reason_text(r.reason));
}

rw_status rw_contest_vectors(rw_bench *b, rw_dtype dtype, int64_t columns, int64_t rows, rw_contest *c)
{
    c->queue = b->queue;
    RW_TRY(rw_bench_array(b, dtype, columns, &c->x));
    RW_TRY(rw_bench_array(b, dtype, rows, &c->y));
    return rw_random_fill(c->x, 7, -0.5);
}

void rw_contest_free(void *contest)
{
    rw_contest *c = contest;
    rw_krylov_destroy(&c->k);
    rw_operator_destroy(&c->a);
    rw_sparse_destroy(&c->m);
    rw_array_destroy(&c->x);
    rw_array_destroy(&c->y);
}
