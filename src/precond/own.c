/* A preconditioner that the caller provides as an operator: z <- M r is its product. Only for solvers. */
#include "precond/precond.h"

static rw_operator *product(const rw_precond *p) { return p->a; }

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    return rw_operator_apply(p->a, 1, x, from, 0, y, y, q);
}

static const rw_precond_ops ops = {.apply = apply, .product = product};

rw_status rw_precond_from_operator(rw_operator *m, rw_dtype vectors, rw_precond **precond)
{
    *precond = NULL;
    rw_precond *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(m->device->ctx, sizeof *p, "a preconditioner");
    p->device = rw_device_retain(m->device);
    p->ops = &ops;
    p->type = vectors;
    p->n = m->info.rows;
    p->a = rw_operator_retain(m);
    rw_status status = rw_precond_build(p);
    if (status == RW_OK) status = rw_precond_warm_up(p);
    if (status == RW_OK) *precond = p;
    else rw_precond_destroy(&p);
    return status;
}
