/* Conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithms 6.18 and 9.1): three launches an iteration,
 * four with a preconditioner.
 *
 *   q <- A p, (p, q)      r <- r - alpha q, |r|^2      (z <- P r, (r, z))      x <- x + alpha p, p <- z + beta p
 *
 * Vector passes: 2 of the product, 3, 5. Vectors: r, p, q; with a preconditioner z.
 *
 * Where launches cost more than vectors, on GPUs and small systems, an iteration has one place where sums are waited
 * for (Chronopoulos and Gear, s-step iterative methods for symmetric linear systems, J. Comput. Appl. Math. 25, 1989, s
 * = 1): two launches, three with a preconditioner.
 *
 *   (z <- P r, (r, z))      w <- A z, (z, w)
 *   p <- z + beta p, q <- w + beta q, x <- x + alpha p, r <- r - alpha q, |r|^2
 *
 * (p, A p) follows from (z, w) and the scalars before. Vectors: r, p, q, w. The residual of an iteration is known in
 * the next. */
#include "krylov/krylov.h"

enum { R, P, Q, Z, W };

/* r <- b - A x and the first state. */
static rw_status residual(rw_krylov *k, rw_array *b)
{
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->vector[R], 0, NULL, NULL));
    return rw_krylov_begin(k, k->vector[R], b);
}

static rw_status start(rw_krylov *k, rw_array *b)
{
    RW_TRY(residual(k, b));
    if (!k->p) return rw_krylov_copy(k, k->vector[R], k->vector[P]);
    RW_TRY(rw_krylov_precondition(k, k->vector[R], k->vector[Z]));
    const rw_arg a[] = {rw_arg_array(k->second.now), rw_arg_int(k->second.n), rw_arg_array(k->state[0])};
    RW_TRY(rw_krylov_launch(k, "begin_rho", 1, 1, a, 3));
    return rw_krylov_copy(k, k->vector[Z], k->vector[P]);
}

static rw_status one(rw_krylov *k, rw_array *from, rw_array *to)
{
    RW_TRY(rw_krylov_product(k, k->a, 1, k->vector[P], 0, 0, k->vector[Q], k->vector[Q], 0, k->vector[P], &k->product));
    const rw_arg u[] = {rw_arg_array(k->vector[R]),
                        rw_arg_array(k->vector[Q]),
                        rw_arg_array(k->product.now),
                        rw_arg_int(k->product.n),
                        rw_arg_array(from),
                        rw_arg_array(k->update.part),
                        rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "cg_update", k->groups, 1, u, 7));
    RW_TRY(rw_krylov_reduce_partials(k, &k->update, 1));
    if (k->p) RW_TRY(rw_krylov_precondition(k, k->vector[R], k->vector[Z]));
    const rw_sums *rz = k->p ? &k->second : &k->update;
    const rw_arg d[] = {rw_arg_array(k->x),
                        rw_arg_array(k->vector[P]),
                        rw_arg_array(k->vector[k->p ? Z : R]),
                        rw_arg_array(k->product.now),
                        rw_arg_int(k->product.n),
                        rw_arg_array(k->update.now),
                        rw_arg_int(k->update.n),
                        rw_arg_array(rz->now),
                        rw_arg_int(rz->n),
                        rw_arg_array(from),
                        rw_arg_array(to),
                        rw_arg_array(k->history),
                        rw_arg_int(k->n)};
    return rw_krylov_launch(k, "cg_direction", k->groups, 1, d, 13);
}

static rw_status step(rw_krylov *k, int number RW_UNUSED)
{
    RW_TRY(one(k, k->state[0], k->state[1]));
    return one(k, k->state[1], k->state[0]);
}

const rw_krylov_ops rw_krylov_cg =
    {.text = {"cg.k"}, .vectors = 3, .more = 1, .iterations = 2, .start = start, .step = step};

/* ---- one place of sums ------------------------------------------------------------------------------------------- */

/* k->method: two sums that take turns */
static rw_sums *sums_of(const rw_krylov *k) { return k->method; }

static rw_status single_allocate(rw_krylov *k)
{
    for (int i = 0; i < 2; ++i) RW_TRY(rw_krylov_sums(k, &sums_of(k)[i], k->groups, 2));
    return RW_OK;
}

static void single_free(rw_krylov *k)
{
    for (int i = 0; i < 2; ++i) rw_krylov_sums_free(&sums_of(k)[i]);
}

static rw_status single_start(rw_krylov *k, rw_array *b)
{
    RW_TRY(residual(k, b));
    const rw_arg s[] = {rw_arg_array(k->vector[R]), rw_arg_array(k->vector[R]), rw_arg_array(sums_of(k)[0].part),
                        rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "squares", k->groups, 1, s, 4));
    RW_TRY(rw_krylov_reduce_partials(k, &sums_of(k)[0], 2));
    RW_TRY(rw_krylov_clear(k, k->vector[P]));
    return rw_krylov_clear(k, k->vector[Q]);
}

static rw_status single_one(rw_krylov *k, int half)
{
    rw_array *const from = k->state[half], *const to = k->state[1 - half];
    const rw_sums *const rr = &sums_of(k)[half];
    rw_array *const z = k->vector[k->p ? Z : R];
    if (k->p) RW_TRY(rw_krylov_precondition(k, k->vector[R], z));
    RW_TRY(rw_krylov_product(k, k->a, 1, z, 0, 0, k->vector[W], k->vector[W], 0, z, &k->product));
    const rw_sums *rz = k->p ? &k->second : rr;
    const rw_arg a[] = {rw_arg_array(k->x),
                        rw_arg_array(k->vector[R]),
                        rw_arg_array(k->vector[P]),
                        rw_arg_array(k->vector[Q]),
                        rw_arg_array(z),
                        rw_arg_array(k->vector[W]),
                        rw_arg_array(k->product.now),
                        rw_arg_int(k->product.n),
                        rw_arg_array(rz->now),
                        rw_arg_int(rz->n),
                        rw_arg_array(rr->now),
                        rw_arg_int(rr->n),
                        rw_arg_array(from),
                        rw_arg_array(to),
                        rw_arg_array(k->history),
                        rw_arg_array(sums_of(k)[1 - half].part),
                        rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "cg_single", k->groups, 1, a, 17));
    return rw_krylov_reduce_partials(k, &sums_of(k)[1 - half], 1);
}

static rw_status single_step(rw_krylov *k, int number RW_UNUSED)
{
    RW_TRY(single_one(k, 0));
    return single_one(k, 1);
}

const rw_krylov_ops rw_krylov_single_cg = {.text = {"cg.k"},
                                           .vectors = 5,
                                           .iterations = 2,
                                           .few_unknowns = true,
                                           .state = 2 * sizeof(rw_sums),
                                           .start = single_start,
                                           .step = single_step,
                                           .allocate = single_allocate,
                                           .free = single_free};
