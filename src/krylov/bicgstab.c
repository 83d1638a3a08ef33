/* Stabilised bi-conjugate gradients (van der Vorst 1992; Saad 2003, algorithm 7.7), preconditioned from the right.
 *
 *   v <- A P p, (r0, v)      r <- r - alpha v      t <- A P r, (r, t), |t|^2
 *   x <- x + alpha P p + omega P r, r <- r - omega t      p <- r + beta (p - omega v) */
#include "krylov/krylov.h"

enum { R, R0, P, V, T, PP, PR };

/* k->method: omega on its way */
static rw_array **omega(const rw_krylov *k) { return k->method; }
static void free_method(rw_krylov *k) { rw_array_destroy(omega(k)); }

static rw_status allocate(rw_krylov *k)
{
    const int64_t two = 2;
    return rw_array_create(k->device, RW_F64, 1, &two, RW_MEMORY_DEVICE, omega(k));
}

static rw_status start(rw_krylov *k, rw_array *b)
{
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->vector[R], 0, NULL, NULL));
    RW_TRY(rw_krylov_begin(k, k->vector[R], b));
    RW_TRY(rw_array_copy(k->vector[R0], k->vector[R], k->queue));
    return rw_array_copy(k->vector[P], k->vector[R], k->queue);
}

static rw_status one(rw_krylov *k, rw_array *from, rw_array *to)
{
    rw_array *p = k->vector[P], *u = k->vector[R];
    if (k->p) {
        p = k->vector[PP];
        u = k->vector[PR];
        RW_TRY(rw_krylov_precond(k, k->vector[P], 0, p));
    }
    RW_TRY(rw_krylov_product(k, k->a, 1, p, 0, 0, k->vector[V], k->vector[V], 0, k->vector[R0], &k->product));
    const rw_arg h[] = {rw_arg_array(k->vector[R]),
                        rw_arg_array(k->vector[V]),
                        rw_arg_array(k->product.now),
                        rw_arg_int(k->product.n),
                        rw_arg_array(from),
                        rw_arg_array(to),
                        rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "bi_half", k->groups, 1, h, 7));
    if (k->p) RW_TRY(rw_krylov_precond(k, k->vector[R], 0, u));
    RW_TRY(rw_krylov_product(k, k->a, 1, u, 0, 0, k->vector[T], k->vector[T], 0, k->vector[R], &k->product));
    const rw_arg a[] =
        {rw_arg_array(k->x), rw_arg_array(k->vector[R]), rw_arg_array(k->vector[R0]),  rw_arg_array(p),
         rw_arg_array(u),    rw_arg_array(k->vector[T]), rw_arg_array(k->product.now), rw_arg_int(k->product.n),
         rw_arg_array(to),   rw_arg_array(*omega(k)),    rw_arg_array(k->update.part), rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "bi_update", k->groups, 1, a, 12));
    RW_TRY(rw_krylov_reduce_partials(k, &k->update, 3));
    const rw_arg d[] = {rw_arg_array(k->vector[P]), rw_arg_array(k->vector[R]),
                        rw_arg_array(k->vector[V]), rw_arg_array(k->update.now),
                        rw_arg_int(k->update.n),    rw_arg_array(to),
                        rw_arg_array(*omega(k)),    rw_arg_array(from),
                        rw_arg_array(k->history),   rw_arg_int(k->n)};
    return rw_krylov_launch(k, "bi_direction", k->groups, 1, d, 10);
}

/* State 0 to state 1 in the middle, and back to 0 at the end of an iteration. */
static rw_status step(rw_krylov *k, int number RW_UNUSED) { return one(k, k->state[0], k->state[1]); }

const rw_krylov_ops rw_krylov_bicgstab = {.text = {"bicgstab.k"},
                                          .vectors = 5,
                                          .more = 2,
                                          .iterations = 1,
                                          .state = sizeof(rw_array *),
                                          .start = start,
                                          .step = step,
                                          .allocate = allocate,
                                          .free = free_method};
