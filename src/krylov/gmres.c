/* GMRES with restarts (Saad and Schultz 1986), preconditioned from the right, orthogonalised in one of two ways.
 *
 * By classical Gram-Schmidt twice, the second time delayed (Bielich, Langou, Thomas, Swirydowicz, Yamazaki, Boman,
 * Low-synch Gram-Schmidt with delayed reorthogonalization for Krylov solvers, Parallel Computing 112, 2022). Step j
 * finds u, the vector j after its first orthogonalisation and not yet of length 1:
 *
 *   w <- A P u      s <- V* u, g <- V* w, |u|^2, u* w
 *   v_j <- (u - V s) / length, u' <- (w - V g - v_j g_j) / length
 *
 * so the basis is read twice, and there is one place where sums are waited for. The length comes from |u|^2 - |s|^2.
 * What s takes away from u, A takes away from w: with H, the Hessenberg matrix, V* A v_j = (g - H s) / length. Column j
 * of H, and the residual after iteration j, are complete in step j + 1.
 *
 * Modified Gram-Schmidt needs one launch per vector, w <- w - v_i (v_i* w). It is required if the preconditioner
 * changes (flexible GMRES, Saad 1993), since w then belongs to one vector and cannot be corrected later. P v_j is
 * stored for all j and added to x at the end of a cycle. */
#include "krylov/basis.h"

enum { R, U, T }; /* R: for the residual at the end; U: P v; T: P of the sum of a cycle */

typedef struct gmres {
    rw_basis basis;
    rw_array **flexible; /* P v of each vector */
} gmres;

static rw_array **flexible(const rw_krylov *k) { return ((const gmres *)k->method)->flexible; }

/* Numbers of a least squares problem and what belongs to it, see gmres.k. */
static int64_t small_of(int restart)
{
    const int64_t room = rw_basis_room(restart);
    return 2 * room * (room + 1) + 2 * room + 4 * (room + 1);
}

static void define(rw_krylov *k, rw_text *d) { rw_basis_define(k, rw_basis_room(k->spec.restart), d); }

static int64_t memory(const rw_krylov_spec *s, int64_t n, rw_dtype vectors)
{
    return (s->restart + 1) * rw_basis_pitch(n) * (int64_t)rw_dtype_size(vectors) +
           small_of(s->restart) * (rw_dtype_is_complex(vectors) ? 16 : 8);
}

static rw_status allocate(rw_krylov *k)
{
    const int64_t m = k->spec.restart;
    return rw_basis_allocate(k, m + 1, small_of(k->spec.restart), 4 * (m + 1), 2);
}

static void free_method(rw_krylov *k);

static rw_status clear(rw_krylov *k) { return rw_array_zero(rw_basis_of(k)->vectors, k->queue); }

static rw_status residual(rw_krylov *k, rw_array *b)
{
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, rw_basis_of(k)->vectors, 0, NULL, NULL));
    return rw_krylov_begin(k, rw_basis_of(k)->vectors, b);
}

static bool preconditioned(const rw_krylov *k) { return k->p || k->inner; }

/* w <- A P v_j; the preconditioned vector in `to`. */
static rw_status multiply(rw_krylov *k, int j, rw_array *to)
{
    if (!preconditioned(k))
        return rw_krylov_product(k, k->a, 1, rw_basis_of(k)->vectors, j * rw_basis_of(k)->pitch, 0,
                                 rw_basis_of(k)->vectors, rw_basis_of(k)->vectors, (j + 1) * rw_basis_of(k)->pitch,
                                 NULL, NULL);
    RW_TRY(k->inner ? rw_krylov_apply(k->inner, rw_basis_of(k)->vectors, j * rw_basis_of(k)->pitch, to)
                    : rw_krylov_precond(k, rw_basis_of(k)->vectors, j * rw_basis_of(k)->pitch, to));
    return rw_krylov_product(k, k->a, 1, to, 0, 0, rw_basis_of(k)->vectors, rw_basis_of(k)->vectors,
                             (j + 1) * rw_basis_of(k)->pitch, NULL, NULL);
}

/* ---- classical Gram-Schmidt, delayed ----------------------------------------------------------------------------- */

/* Sums of vectors 0 … j with vector j and vector w, and the columns of H and R that follow from them. */
static rw_status column(rw_krylov *k, int j, int w, rw_array *from, rw_array *to)
{
    rw_array *sums;
    int64_t n;
    RW_TRY(rw_basis_sums(k, j, w, &sums, &n));
    const rw_arg c[] = {rw_arg_array(sums), rw_arg_int(n),    rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_array(from), rw_arg_array(to), rw_arg_array(k->history),
                        rw_arg_int(j)};
    return rw_krylov_launch(k, "gm_column", 1, 1, c, 7);
}

static rw_status step(rw_krylov *k, int j)
{
    rw_array *const from = k->state[j % 2], *const to = k->state[(j + 1) % 2];
    RW_TRY(multiply(k, j, k->vector[U]));
    RW_TRY(column(k, j, j + 1, from, to));
    const rw_arg u[] = {rw_arg_array(rw_basis_of(k)->vectors), rw_arg_array(rw_basis_of(k)->small), rw_arg_array(to),
                        rw_arg_int(rw_basis_of(k)->pitch), rw_arg_int(j)};
    return rw_krylov_launch(k, "gm_update", rw_basis_tiles(k), 1, u, 5);
}

/* ---- the end of a cycle ------------------------------------------------------------------------------------------ */

static rw_status solve(rw_krylov *k)
{
    const rw_arg s[] = {rw_arg_array(rw_basis_of(k)->small), rw_arg_array(k->state[k->now])};
    return rw_krylov_launch(k, "gm_solve", 1, 1, s, 2);
}

/* u <- V y, added where asked */
static rw_status combine(rw_krylov *k, rw_array *u, bool add)
{
    const rw_arg c[] = {rw_arg_array(u),
                        rw_arg_array(rw_basis_of(k)->vectors),
                        rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_array(k->state[k->now]),
                        rw_arg_int(rw_basis_of(k)->pitch),
                        rw_arg_int(k->n),
                        rw_arg_int(add)};
    return rw_krylov_launch(k, "gm_combine", rw_basis_tiles(k), 1, c, 7);
}

/* The residual of x as the next first vector; the state that follows, in state 0. */
static rw_status again(rw_krylov *k, rw_array *b)
{
    rw_array *const state = k->state[k->now];
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, rw_basis_of(k)->vectors, 0, rw_basis_of(k)->vectors,
                             &k->product));
    const rw_arg a[] = {rw_arg_array(k->product.now), rw_arg_int(k->product.n), rw_arg_array(state),
                        rw_arg_array(k->state[1 - k->now])};
    RW_TRY(rw_krylov_launch(k, "gm_again", 1, 1, a, 4));
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
    RW_TRY(rw_krylov_precond(k, k->vector[U], 0, k->vector[T]));
    return rw_precond_add(k->p, k->vector[T], 0, k->x, false, k->queue);
}

static rw_status cycle(rw_krylov *k, rw_array *b)
{
    const int m = k->spec.restart;
    /* the last column, where none has ended the method before */
    RW_TRY(column(k, m, m, k->state[k->now], k->state[1 - k->now]));
    k->now = 1 - k->now;
    RW_TRY(add_up(k));
    return again(k, b);
}

const rw_krylov_ops rw_krylov_gmres = {.text = {"gmres.k"},
                                       .vectors = 1,
                                       .more = 2,
                                       .iterations = 1,
                                       .state = sizeof(gmres),
                                       .define = define,
                                       .start = residual,
                                       .step = step,
                                       .allocate = allocate,
                                       .memory = memory,
                                       .cycle = cycle,
                                       .clear = clear,
                                       .free = free_method};

/* ---- modified Gram-Schmidt --------------------------------------------------------------------------------------- */

static rw_status scale(rw_krylov *k, int j, rw_array *state)
{
    const rw_arg a[] = {rw_arg_array(rw_basis_of(k)->vectors), rw_arg_array(rw_basis_of(k)->small), rw_arg_array(state),
                        rw_arg_int(rw_basis_of(k)->pitch), rw_arg_int(j)};
    return rw_krylov_launch(k, "gm_scale", rw_basis_tiles(k), 1, a, 5);
}

static rw_status plain_start(rw_krylov *k, rw_array *b)
{
    RW_TRY(residual(k, b));
    return scale(k, 0, k->state[0]);
}

static rw_status plain_step(rw_krylov *k, int j)
{
    rw_array *const from = k->state[j % 2], *const to = k->state[(j + 1) % 2];
    RW_TRY(multiply(k, j, flexible(k) ? flexible(k)[j] : k->vector[U]));
    for (int i = -1; i <= j; ++i) {
        const rw_sums *before = &rw_basis_of(k)->one[(i + 2) % 2];
        rw_sums *const now = &rw_basis_of(k)->one[(i + 1) % 2];
        const rw_arg a[] = {rw_arg_array(rw_basis_of(k)->vectors),
                            rw_arg_array(rw_basis_of(k)->small),
                            rw_arg_array(i < 0 ? before->part : before->now),
                            rw_arg_int(i < 0 ? 0 : before->n),
                            rw_arg_array(now->part),
                            rw_arg_int(rw_basis_of(k)->pitch),
                            rw_arg_int(i),
                            rw_arg_int(j)};
        RW_TRY(rw_krylov_launch(k, "gm_one", rw_basis_tiles(k), 1, a, 8));
        RW_TRY(rw_krylov_reduce_partials(k, now, 2));
    }
    const rw_sums *const last = &rw_basis_of(k)->one[(j + 1) % 2];
    const rw_arg c[] = {rw_arg_array(last->now),
                        rw_arg_int(last->n),
                        rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_array(from),
                        rw_arg_array(to),
                        rw_arg_array(k->history),
                        rw_arg_int(j)};
    RW_TRY(rw_krylov_launch(k, "gm_plain_column", 1, 1, c, 7));
    return scale(k, j + 1, to);
}

static rw_status plain_cycle(rw_krylov *k, rw_array *b)
{
    RW_TRY(add_up(k));
    RW_TRY(again(k, b));
    return scale(k, 0, k->state[0]);
}

const rw_krylov_ops rw_krylov_plain_gmres = {.text = {"gmres.k"},
                                             .vectors = 1,
                                             .more = 2,
                                             .iterations = 1,
                                             .state = sizeof(gmres),
                                             .define = define,
                                             .start = plain_start,
                                             .step = plain_step,
                                             .allocate = allocate,
                                             .memory = memory,
                                             .cycle = plain_cycle,
                                             .clear = clear,
                                             .free = free_method};

/* ---- flexible ---------------------------------------------------------------------------------------------------- */

static rw_status flexible_allocate(rw_krylov *k)
{
    rw_array **v;
    RW_TRY(allocate(k));
    if (!preconditioned(k)) return RW_OK;
    ((gmres *)k->method)->flexible = v = rw_calloc((size_t)k->spec.restart, sizeof *v);
    if (!v) return rw_fail_memory(k->device->ctx, (size_t)k->spec.restart * sizeof *v, "a solver");
    for (int j = 0; j < k->spec.restart; ++j)
        RW_TRY(rw_array_create(k->device, k->type, 1, &k->n, RW_MEMORY_DEVICE, &v[j]));
    return RW_OK;
}

static int64_t flexible_memory(const rw_krylov_spec *s, int64_t n, rw_dtype vectors)
{
    return memory(s, n, vectors) +
           (s->precond.method || s->precond_operator ? s->restart * n * (int64_t)rw_dtype_size(vectors) : 0);
}

static void free_method(rw_krylov *k)
{
    rw_array **v = flexible(k);
    for (int i = 0; v && i < k->spec.restart; ++i) rw_array_destroy(&v[i]);
    rw_free(v);
    rw_basis_free(k);
}

static rw_status flexible_cycle(rw_krylov *k, rw_array *b)
{
    if (!preconditioned(k)) return plain_cycle(k, b);
    RW_TRY(solve(k));
    for (int j = 0; j < k->spec.restart; ++j) {
        const rw_arg a[] = {rw_arg_array(k->x),
                            rw_arg_array(flexible(k)[j]),
                            rw_arg_array(rw_basis_of(k)->small),
                            rw_arg_array(k->state[k->now]),
                            rw_arg_int(k->n),
                            rw_arg_int(j)};
        RW_TRY(rw_krylov_launch(k, "gm_add", k->groups, 1, a, 6));
    }
    RW_TRY(again(k, b));
    return scale(k, 0, k->state[0]);
}

const rw_krylov_ops rw_krylov_fgmres = {.text = {"gmres.k"},
                                        .vectors = 1,
                                        .more = 2,
                                        .iterations = 1,
                                        .state = sizeof(gmres),
                                        .define = define,
                                        .start = plain_start,
                                        .step = plain_step,
                                        .allocate = flexible_allocate,
                                        .memory = flexible_memory,
                                        .cycle = flexible_cycle,
                                        .clear = clear,
                                        .free = free_method};
