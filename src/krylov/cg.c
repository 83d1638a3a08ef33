/* Conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithms 6.18 and 9.1): three launches an iteration, four with a preconditioner.
 *
 *   q <- A p, (p, q)            x <- x + alpha p, r <- r - alpha q, |r|^2            (z <- P r, (r, z))            p <- z + beta p
 *
 * Vector passes: 2 of the product, 6, 3. Vectors: r, p, q; with a preconditioner z. */
#include "krylov/krylov.h"

enum { R, P, Q, Z };

static rw_status start(rw_krylov *k, rw_array *b)
{
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->vector[R], 0, NULL, NULL));
    RW_TRY(rw_krylov_begin(k, k->vector[R], b));
    if (!k->p) return rw_array_copy(k->vector[P], k->vector[R], k->queue);
    RW_TRY(rw_krylov_precondition(k, k->vector[R], k->vector[Z]));
    const rw_arg a[] = {rw_arg_array(k->second.now), rw_arg_int(k->second.n), rw_arg_array(k->state[0])};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_begin_rho, 1, 1, a, 3));
    return rw_array_copy(k->vector[P], k->vector[Z], k->queue);
}

static rw_status one(rw_krylov *k, rw_array *from, rw_array *to)
{
    RW_TRY(rw_krylov_product(k, k->a, 1, k->vector[P], 0, 0, k->vector[Q], k->vector[Q], 0, k->vector[P], &k->product));
    const rw_arg u[] = {rw_arg_array(k->x),          rw_arg_array(k->vector[R]), rw_arg_array(k->vector[P]),    rw_arg_array(k->vector[Q]), rw_arg_array(k->product.now),
                        rw_arg_int(k->product.n), rw_arg_array(from),         rw_arg_array(k->update.part), rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_cg_update, k->groups, 1, u, 9));
    RW_TRY(rw_krylov_settle(k, &k->update, 1));
    if (k->p) RW_TRY(rw_krylov_precondition(k, k->vector[R], k->vector[Z]));
    const rw_sums *rz = k->p ? &k->second : &k->update;
    const rw_arg d[] = {rw_arg_array(k->vector[P]),   rw_arg_array(k->vector[k->p ? Z : R]), rw_arg_array(k->product.now), rw_arg_int(k->product.n), rw_arg_array(k->update.now),
                        rw_arg_int(k->update.n),      rw_arg_array(rz->now),                 rw_arg_int(rz->n),            rw_arg_array(from),       rw_arg_array(to),
                        rw_arg_array(k->history),     rw_arg_int(k->n)};
    return rw_krylov_launch(k, RW_KRYLOV_K_cg_direction, k->groups, 1, d, 12);
}

static rw_status step(rw_krylov *k, int number)
{
    (void)number;
    RW_TRY(one(k, k->state[0], k->state[1]));
    return one(k, k->state[1], k->state[0]);
}

const rw_krylov_ops rw_krylov_cg = {"cg.k", 3, 2, start, step, NULL, NULL};
