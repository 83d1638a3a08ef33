/* GMRES with restarts (Saad and Schultz 1986), orthogonalised by classical Gram-Schmidt twice (Giraud, Langou, Rozloznik, van den Eshof 2005), preconditioned
 * from the right.
 *
 *   w <- A P v_j      h <- V* w      w <- w - V h, |w|^2      h2 <- V* w      w <- (w - V h2) / length      a column of the least squares problem
 *
 * The length comes from |w|^2 - |h2|^2, so that the last pass also scales. Passes over the basis: four. Basis vectors lie in one array. */
#include "krylov/krylov.h"

enum { R, U }; /* R: for the residual at the end; U: P v */

static rw_status scale_first(rw_krylov *k)
{
    const rw_arg a[] = {rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(k->state[0]), rw_arg_int(k->n), rw_arg_int(k->spec.restart)};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_begin, k->groups, 1, a, 5);
}

static rw_status start(rw_krylov *k, rw_array *b)
{
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->basis, 0, NULL, NULL));
    RW_TRY(rw_krylov_begin(k, k->basis, b));
    return scale_first(k);
}

static int64_t place_of(const rw_krylov *k, int which) /* h and h2 in `small`, see krylov.k */
{
    const int64_t m = k->spec.restart;
    return m * (m + 1) + 2 * m + m + 1 + m + which * (m + 1);
}

static rw_status dots(rw_krylov *k, int j, int which)
{
    const rw_arg a[] = {rw_arg_array(k->basis), rw_arg_array(k->dots.part), rw_arg_int(k->n), rw_arg_int(j)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_dots, k->groups, (j + 8) / 8, a, 4));
    const rw_arg t[] = {rw_arg_array(k->dots.part), rw_arg_int(k->groups), rw_arg_array(k->small), rw_arg_int(place_of(k, which))};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_totals, j + 1, 1, t, 4);
}

static rw_status subtract(rw_krylov *k, int j, int which, rw_array *state)
{
    const rw_arg a[] = {rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(state), rw_arg_array(k->update.part), rw_arg_int(k->n), rw_arg_int(j), rw_arg_int(place_of(k, which)),
                        rw_arg_int(which)};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_subtract, k->groups, 1, a, 8);
}

static rw_status step(rw_krylov *k, int j)
{
    rw_array *from = k->basis, *const state = k->state[j % 2], *const to = k->state[(j + 1) % 2];
    int64_t at = j * k->n;
    if (k->p) {
        RW_TRY(rw_krylov_product(k, k->p, 1, k->basis, at, 0, k->vector[U], k->vector[U], 0, NULL, NULL));
        from = k->vector[U], at = 0;
    }
    RW_TRY(rw_krylov_product(k, k->a, 1, from, at, 0, k->basis, k->basis, (j + 1) * k->n, NULL, NULL));
    RW_TRY(dots(k, j, 0));
    RW_TRY(subtract(k, j, 0, state));
    RW_TRY(rw_krylov_settle(k, &k->update, 1));
    RW_TRY(dots(k, j, 1));
    const rw_arg c[] = {rw_arg_array(k->update.now), rw_arg_int(k->update.n), rw_arg_array(k->small), rw_arg_array(state), rw_arg_array(to), rw_arg_array(k->history),
                        rw_arg_int(k->spec.restart), rw_arg_int(j)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_column, 1, 1, c, 8));
    return subtract(k, j, 1, to);
}

/* x <- x + P V y, and the residual of that as the next first vector */
static rw_status cycle(rw_krylov *k, rw_array *b)
{
    rw_array *const state = k->state[k->now];
    const rw_arg s[] = {rw_arg_array(k->small), rw_arg_array(state), rw_arg_int(k->spec.restart)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_solve, 1, 1, s, 3));
    const rw_arg c[] = {rw_arg_array(k->p ? k->vector[U] : k->x), rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(state), rw_arg_int(k->n), rw_arg_int(k->spec.restart), rw_arg_int(!k->p)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_combine, k->groups, 1, c, 7));
    if (k->p) RW_TRY(rw_krylov_product(k, k->p, 1, k->vector[U], 0, 1, k->x, k->x, 0, NULL, NULL));
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->basis, 0, k->basis, &k->product));
    const rw_arg a[] = {rw_arg_array(k->product.now), rw_arg_int(k->product.n), rw_arg_array(state), rw_arg_array(k->state[1 - k->now])};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_again, 1, 1, a, 4));
    if (k->now == 0) RW_TRY(rw_array_copy(k->state[0], k->state[1], k->queue));
    k->now = 0;
    return scale_first(k);
}

const rw_krylov_ops rw_krylov_gmres = {"gmres.k", 1, 1, start, step, cycle};
