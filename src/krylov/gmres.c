/* GMRES with restarts (Saad and Schultz 1986), preconditioned from the right, orthogonalised in one of two ways.
 *
 * By classical Gram-Schmidt twice, the second time delayed (Bielich, Langou, Thomas, Swirydowicz, Yamazaki, Boman, Low-synch Gram-Schmidt with delayed reorthogonalization for Krylov
 * solvers, Parallel Computing 112, 2022). Step j finds u, the vector j after its first orthogonalisation and not yet of length 1:
 *
 *   w <- A P u        s <- V* u, g <- V* w, |u|^2, u* w        v_j <- (u - V s) / length, u' <- (w - V g - v_j g_j) / length
 *
 * so the basis is read twice, and there is one place where sums are waited for. The length comes from |u|^2 - |s|^2. What s takes away from u, A takes away from w: with H, the Hessenberg matrix,
 * V* A v_j = (g - H s) / length. Column j of H, and the residual behind iteration j, are complete in step j + 1.
 *
 * By modified Gram-Schmidt, as the textbook has it: a launch a vector, w <- w - v_i (v_i* w). This is what a preconditioner needs that changes (flexible GMRES, Saad 1993), since then w belongs to one
 * vector and cannot be corrected later; P v_j of all j are kept, and x gets them at the end of a cycle. */
#include "krylov/krylov.h"

enum { R, U, T }; /* R: for the residual at the end; U: P v; T: P of the sum of a cycle */
enum { PLENTY = 16 };  /* partial sums beyond which a launch adds them up */

static int64_t tiles(const rw_krylov *k) { return k->pitch / RW_KRYLOV_TILE; }
static int64_t pieces(const rw_krylov *k) { return (tiles(k) + k->tiles - 1) / k->tiles; }

static rw_status allocate(rw_krylov *k)
{
    const int64_t m = k->spec.restart;
    k->pitch = rw_krylov_pitch(k->n);
    const int64_t small = rw_krylov_small(k->spec.restart), all = (m + 1) * k->pitch, sums = 4 * (m + 1);
    const rw_dtype number = rw_dtype_is_complex(k->type) ? RW_C128 : RW_F64;
    RW_TRY(rw_array_create(k->device, k->type, 1, &all, RW_MEMORY_DEVICE, &k->basis));
    RW_TRY(rw_array_zero(k->basis, k->queue));
    RW_TRY(rw_array_create(k->device, number, 1, &small, RW_MEMORY_DEVICE, &k->small));
    RW_TRY(rw_array_zero(k->small, k->queue));
    RW_TRY(rw_array_create(k->device, RW_F64, 1, &sums, RW_MEMORY_DEVICE, &k->totals));
    for (int i = 0; i < 2; ++i) RW_TRY(rw_krylov_sums(k, &k->one[i], tiles(k), 2));
    return rw_krylov_sums(k, &k->dots, pieces(k), (int)sums);
}

static rw_status residual(rw_krylov *k, rw_array *b)
{
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->basis, 0, NULL, NULL));
    return rw_krylov_begin(k, k->basis, b);
}

static bool preconditioned(const rw_krylov *k) { return k->p || k->inner; }

/* w <- A P v_j; the preconditioned vector in `to`. */
static rw_status multiply(rw_krylov *k, int j, rw_array *to)
{
    if (!preconditioned(k)) return rw_krylov_product(k, k->a, 1, k->basis, j * k->pitch, 0, k->basis, k->basis, (j + 1) * k->pitch, NULL, NULL);
    RW_TRY(k->inner ? rw_krylov_apply(k->inner, k->basis, j * k->pitch, to) : rw_precond_run(k->p, k->basis, j * k->pitch, to, k->queue));
    return rw_krylov_product(k, k->a, 1, to, 0, 0, k->basis, k->basis, (j + 1) * k->pitch, NULL, NULL);
}

/* ---- classical Gram-Schmidt, delayed ------------------------------------------------------------------------------------------------------ */

/* Sums of vectors 0 … j with vector j and vector w, and the columns of H and R that follow from them. */
static rw_status column(rw_krylov *k, int j, int w, rw_array *from, rw_array *to)
{
    const int64_t chunks = (j + k->deep) / k->deep, n = pieces(k);
    const rw_arg d[] = {rw_arg_array(k->basis), rw_arg_array(k->dots.part), rw_arg_int(k->pitch), rw_arg_int(j), rw_arg_int(w)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_dots, n * chunks, 1, d, 5));
    if (n > PLENTY) {
        const rw_arg t[] = {rw_arg_array(k->dots.part), rw_arg_int(n), rw_arg_array(k->totals)};
        RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_totals, (rw_dtype_is_complex(k->type) ? 4 : 2) * (j + 1), 1, t, 3));
    }
    const rw_arg c[] = {rw_arg_array(n > PLENTY ? k->totals : k->dots.part), rw_arg_int(n > PLENTY ? 1 : n), rw_arg_array(k->small), rw_arg_array(from), rw_arg_array(to), rw_arg_array(k->history),
                        rw_arg_int(j)};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_column, 1, 1, c, 7);
}

static rw_status step(rw_krylov *k, int j)
{
    rw_array *const from = k->state[j % 2], *const to = k->state[(j + 1) % 2];
    RW_TRY(multiply(k, j, k->vector[U]));
    RW_TRY(column(k, j, j + 1, from, to));
    const rw_arg u[] = {rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(to), rw_arg_int(k->pitch), rw_arg_int(j)};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_update, tiles(k), 1, u, 5);
}

/* ---- the end of a cycle --------------------------------------------------------------------------------------------------------------------- */

static rw_status solve(rw_krylov *k)
{
    const rw_arg s[] = {rw_arg_array(k->small), rw_arg_array(k->state[k->now])};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_solve, 1, 1, s, 2);
}

/* u <- V y, added where asked */
static rw_status combine(rw_krylov *k, rw_array *u, bool add)
{
    const rw_arg c[] = {rw_arg_array(u), rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(k->state[k->now]), rw_arg_int(k->pitch), rw_arg_int(k->n), rw_arg_int(add)};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_combine, tiles(k), 1, c, 7);
}

/* The residual of x as the next first vector; the state that follows, in state 0. */
static rw_status again(rw_krylov *k, rw_array *b)
{
    rw_array *const state = k->state[k->now];
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->basis, 0, k->basis, &k->product));
    const rw_arg a[] = {rw_arg_array(k->product.now), rw_arg_int(k->product.n), rw_arg_array(state), rw_arg_array(k->state[1 - k->now])};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_again, 1, 1, a, 4));
    if (k->now == 0) RW_TRY(rw_array_copy(k->state[0], k->state[1], k->queue));
    k->now = 0;
    return RW_OK;
}

/* x <- x + P V y */
static rw_status add_up(rw_krylov *k)
{
    RW_TRY(solve(k));
    if (!k->p) return combine(k, k->x, true);
    RW_TRY(combine(k, k->vector[U], false));
    RW_TRY(rw_precond_run(k->p, k->vector[U], 0, k->vector[T], k->queue));
    return rw_precond_add(k->p, k->vector[T], 0, k->x, false, k->queue);
}

static rw_status cycle(rw_krylov *k, rw_array *b)
{
    const int m = k->spec.restart;
    RW_TRY(column(k, m, m, k->state[k->now], k->state[1 - k->now])); /* the last column, where none has ended the method before */
    k->now = 1 - k->now;
    RW_TRY(add_up(k));
    return again(k, b);
}

const rw_krylov_ops rw_krylov_gmres = {"gmres.k", 1, 2, 1, residual, step, allocate, cycle};

/* ---- modified Gram-Schmidt ------------------------------------------------------------------------------------------------------------------ */

static rw_status scale(rw_krylov *k, int j, rw_array *state)
{
    const rw_arg a[] = {rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(state), rw_arg_int(k->pitch), rw_arg_int(j)};
    return rw_krylov_launch(k, RW_KRYLOV_K_gm_scale, tiles(k), 1, a, 5);
}

static rw_status plain_start(rw_krylov *k, rw_array *b)
{
    RW_TRY(residual(k, b));
    return scale(k, 0, k->state[0]);
}

static rw_status plain_step(rw_krylov *k, int j)
{
    rw_array *const from = k->state[j % 2], *const to = k->state[(j + 1) % 2];
    RW_TRY(multiply(k, j, k->flexible ? k->flexible[j] : k->vector[U]));
    for (int i = -1; i <= j; ++i) {
        const rw_sums *before = &k->one[(i + 2) % 2];
        rw_sums *const now = &k->one[(i + 1) % 2];
        const rw_arg a[] = {rw_arg_array(k->basis),  rw_arg_array(k->small), rw_arg_array(i < 0 ? before->part : before->now), rw_arg_int(i < 0 ? 0 : before->n), rw_arg_array(now->part),
                            rw_arg_int(k->pitch), rw_arg_int(i),         rw_arg_int(j)};
        RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_one, tiles(k), 1, a, 8));
        RW_TRY(rw_krylov_settle(k, now, 2));
    }
    const rw_sums *const last = &k->one[(j + 1) % 2];
    const rw_arg c[] = {rw_arg_array(last->now), rw_arg_int(last->n), rw_arg_array(k->small), rw_arg_array(from), rw_arg_array(to), rw_arg_array(k->history), rw_arg_int(j)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_plain_column, 1, 1, c, 7));
    return scale(k, j + 1, to);
}

static rw_status plain_cycle(rw_krylov *k, rw_array *b)
{
    RW_TRY(add_up(k));
    RW_TRY(again(k, b));
    return scale(k, 0, k->state[0]);
}

const rw_krylov_ops rw_krylov_plain_gmres = {"gmres.k", 1, 2, 1, plain_start, plain_step, allocate, plain_cycle};

/* ---- flexible --------------------------------------------------------------------------------------------------------------------------------- */

static rw_status flexible_allocate(rw_krylov *k)
{
    RW_TRY(allocate(k));
    if (!preconditioned(k)) return RW_OK;
    k->flexible = rw_calloc((size_t)k->spec.restart, sizeof *k->flexible);
    if (!k->flexible) return rw_fail_memory(k->device->ctx, (size_t)k->spec.restart * sizeof *k->flexible, "a solver");
    for (int j = 0; j < k->spec.restart; ++j) RW_TRY(rw_array_create(k->device, k->type, 1, &k->n, RW_MEMORY_DEVICE, &k->flexible[j]));
    return RW_OK;
}

static rw_status flexible_cycle(rw_krylov *k, rw_array *b)
{
    if (!preconditioned(k)) return plain_cycle(k, b);
    RW_TRY(solve(k));
    for (int j = 0; j < k->spec.restart; ++j) {
        const rw_arg a[] = {rw_arg_array(k->x), rw_arg_array(k->flexible[j]), rw_arg_array(k->small), rw_arg_array(k->state[k->now]), rw_arg_int(k->n), rw_arg_int(j)};
        RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_add, k->groups, 1, a, 6));
    }
    RW_TRY(again(k, b));
    return scale(k, 0, k->state[0]);
}

const rw_krylov_ops rw_krylov_fgmres = {"gmres.k", 1, 2, 1, plain_start, plain_step, flexible_allocate, flexible_cycle};
