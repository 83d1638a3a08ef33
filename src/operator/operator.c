/* Operators: references, checks, products. */
#include "operator/operator.h"

#include <string.h>

void rw_operator_init(rw_operator *a, const rw_operator_ops *ops, rw_device *dev)
{
    a->ops = ops;
    a->device = rw_device_retain(dev);
    a->references = 1;
}

rw_operator *rw_operator_retain(rw_operator *a)
{
    __atomic_add_fetch(&a->references, 1, __ATOMIC_RELAXED);
    return a;
}

void rw_operator_release(rw_operator **op)
{
    rw_operator *a = *op;
    *op = NULL;
    if (!a || __atomic_sub_fetch(&a->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    rw_device *dev = a->device;
    a->ops->free(a);
    rw_device_close(&dev);
}

void rw_operator_destroy(rw_operator **op)
{
    if (!op) return;
    if (*op && (*op)->embedded) *op = NULL;
    rw_operator_release(op);
}

rw_status rw_operator_get_info_sized(const rw_operator *a, rw_operator_info *info, size_t info_size)
{
    RW_NEED(info, "info");
    memset(info, 0, info_size);
    RW_NEED(a, "op");
    return rw_struct_out(RW_OK, info, info_size, &a->info, sizeof a->info);
}

rw_device *rw_operator_device(const rw_operator *a) { return a ? a->device : NULL; }

/* ---- checks ----------------------------------------------------------------------------------------------------- */

rw_status rw_operator_check(const rw_operator *a, rw_op op, rw_dtype vectors)
{
    rw_context *ctx = a->device->ctx;
    const rw_operator_info *i = &a->info;
    if (rw_dtype_is_complex(i->type) && !rw_dtype_is_complex(vectors))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an operator of %s with real vectors of %s: use complex vectors",
                       rw_dtype_name(i->type), rw_dtype_name(vectors));
    if (!i->any_vector && vectors != i->type)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "vectors of %s: this operator needs vectors of %s", rw_dtype_name(vectors),
                       rw_dtype_name(i->type));
    if (op == RW_OP_NONE || (op == RW_OP_TRANSPOSE ? i->transposes : i->adjoint)) return RW_OK;
    return rw_fail(ctx, RW_ERR_UNSUPPORTED, "this operator has no %s: it computes only A x",
                   op == RW_OP_TRANSPOSE ? "transpose" : "conjugate transpose");
}

static rw_status check_array(const rw_operator *a, const char *name, const rw_array *v, int64_t n)
{
    rw_context *ctx = a->device->ctx;
    if (v->device != a->device)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s is on %s, the operator on %s: both must be on one device", name,
                       v->device->info.name, a->device->info.name);
    if (!rw_dtype_is_number(v->dtype))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s is of %s: the type must be f32, f64, c64 or c128", name,
                       rw_dtype_name(v->dtype));
    if (v->ndim <= 2 && v->shape[0] == n) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_ARGUMENT,
        "%s has %lld rows and %d dimensions: it must be a vector of %lld entries, or an array (%lld, k) of k vectors, "
        "for an operator of %lld x %lld",
        name, (long long)v->shape[0], v->ndim, (long long)n, (long long)n, (long long)a->info.rows,
        (long long)a->info.columns);
}

rw_status rw_operator_multiply(rw_operator *a, rw_op op, const double alpha[2], rw_array *x, const double beta[2],
                               rw_array *y, rw_queue *q)
{
    RW_NEED(a, "op");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    rw_context *ctx = a->device->ctx;
    const int64_t rows = a->info.rows, columns = a->info.columns;
    if ((unsigned)op > RW_OP_CONJUGATE) return rw_fail(ctx, RW_ERR_ARGUMENT, "op = %d is not one of rw_op", (int)op);
    RW_TRY(check_array(a, "x", x, op == RW_OP_NONE ? columns : rows));
    RW_TRY(check_array(a, "y", y, op == RW_OP_NONE ? rows : columns));
    if (x == y)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "x and y are the same array: a product needs two different arrays");
    if (x->dtype != y->dtype || x->shape[1] != y->shape[1])
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "x holds %lld vectors of %s, y holds %lld of %s: numbers and types must be equal",
                       (long long)x->shape[1], rw_dtype_name(x->dtype), (long long)y->shape[1],
                       rw_dtype_name(y->dtype));
    RW_TRY(rw_operator_check(a, op, x->dtype));
    rw_product p = {.op = op, .x = x, .z = y, .y = y, .vectors = (int)x->shape[1], .alpha = {1, 0}};
    if (alpha) memcpy(p.alpha, alpha, sizeof p.alpha);
    if (beta) memcpy(p.beta, beta, sizeof p.beta);
    if (!rw_dtype_is_complex(x->dtype) && (p.alpha[1] != 0 || p.beta[1] != 0))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "alpha and beta must be real for vectors of %s", rw_dtype_name(x->dtype));
    return rw_operator_run(a, &p, q);
}

rw_status rw_operator_get_diagonal(rw_operator *a, rw_array *diagonal)
{
    RW_NEED(a, "op");
    RW_NEED(diagonal, "diagonal");
    rw_context *ctx = a->device->ctx;
    const rw_operator_info *i = &a->info;
    if (i->rows != i->columns)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "the diagonal of an operator of %lld x %lld: the operator must be square",
                       (long long)i->rows, (long long)i->columns);
    if (!i->diagonal)
        return rw_fail(
            ctx, RW_ERR_UNSUPPORTED,
            "this operator does not provide its diagonal: set rw_operator_spec.diagonal, or use no preconditioner");
    if (diagonal->device != a->device || diagonal->dtype != i->type || diagonal->size != i->rows)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "diagonal has %lld entries of %s on %s: it needs %lld entries of %s on %s",
                       (long long)diagonal->size, rw_dtype_name(diagonal->dtype), diagonal->device->info.name,
                       (long long)i->rows, rw_dtype_name(i->type), a->device->info.name);
    return a->ops->diagonal(a, diagonal);
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

int rw_product_args(const rw_product *p, int64_t rows, rw_array *scale, rw_arg *a, int n)
{
    const rw_arg common[] = {rw_arg_array(p->x),
                             rw_arg_array(p->y),
                             rw_arg_array(p->z),
                             rw_arg_array(p->w ? p->w : p->x),
                             rw_arg_array(p->part ? p->part : p->y),
                             rw_arg_array(scale ? scale : p->x),
                             rw_arg_int(rows),
                             rw_arg_int(p->vectors),
                             rw_arg_int(p->x_from),
                             rw_arg_int(p->y_from),
                             rw_arg_real(p->alpha[0]),
                             rw_arg_real(p->alpha[1]),
                             rw_arg_real(p->beta[0]),
                             rw_arg_real(p->beta[1])};
    memcpy(a + n, common, sizeof common);
    return n + RW_COUNT(common);
}

void rw_product_types(rw_text *d, const char *real, const char *stored, bool is_complex, rw_dtype vectors)
{
    rw_text_add(d, "REAL=%s MATRIX_REAL=%s MATRIX_COMPLEX=%d VECTOR_REAL=%s VECTOR_COMPLEX=%d ", real, stored,
                is_complex, rw_dtype_real(vectors), rw_dtype_is_complex(vectors));
}
