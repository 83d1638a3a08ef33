/* Induced dimension reduction, IDR(s) with vectors that are orthogonal to the shadow space (van Gijzen and Sonneveld,
 * Algorithm 913, ACM TOMS 38, 2011), preconditioned from the right. A cycle is s + 1 products:
 *
 *   f <- P* r
 *   s times:  M c = f      u_k <- U c + omega M^-1 (r - G c), g_k <- A u_k, both orthogonal to P_i, i < k
 *             r <- r - beta g_k, x <- x + beta u_k
 *   t <- A M^-1 r        omega = t* r / t* t      r <- r - omega t, x <- x + omega M^-1 r
 *
 * The inner orthogonalisation is one launch: P* g_k of all P at once, and what each step takes away follows from M. The
 * residual of an iteration is known in the next. Vectors: 3 s + 3. */
#include "krylov/basis.h"

enum { RESIDUAL, T, P }; /* of the array of vectors; then U, G, and a spare one */
enum { Z };              /* of k->vector: preconditioned */

static int shadow(const rw_krylov *k) { return k->spec.restart; }

static void define(rw_krylov *k, rw_text *d)
{
    rw_basis_define(k, rw_basis_room(k->spec.restart), d);
    rw_text_add(d, " SHADOW=%d", k->spec.restart);
}

static int64_t memory(const rw_krylov_spec *s, int64_t n, rw_dtype vectors)
{
    return (3 * (int64_t)s->restart + 3) * rw_basis_pitch(n) * (int64_t)rw_dtype_size(vectors);
}

/* P: uniform random numbers, the same for every solve. */
static rw_status fill_shadow(rw_krylov *k)
{
    void *data;
    RW_TRY(rw_array_update(rw_basis_of(k)->vectors, &data));
    const int parts = 1 + rw_dtype_is_complex(k->type);
    const bool single = k->type == RW_F32 || k->type == RW_C64;
    for (int i = 0; i < shadow(k); ++i)
        for (int64_t e = 0; e < k->n * parts; ++e) {
            const double u = rw_random_uniform(913 + (uint64_t)i, (uint64_t)e) - 0.5;
            const int64_t at = (P + i) * rw_basis_of(k)->pitch * parts + e;
            if (single) ((float *)data)[at] = (float)u;
            else ((double *)data)[at] = u;
        }
    return rw_array_send(rw_basis_of(k)->vectors, k->queue);
}

static rw_status allocate(rw_krylov *k)
{
    const int64_t s = shadow(k);
    rw_sums *one = &rw_basis_of(k)->one[0];
    RW_TRY(rw_basis_allocate(k, 3 * s + 3, s * s + 3 * s + 3, 4 * (s + 2), 1));
    RW_TRY(fill_shadow(k));
    RW_TRY(rw_array_zero(one->part, k->queue)); /* looked at before the first iteration, and not used */
    if (one->few) RW_TRY(rw_array_zero(one->few, k->queue));
    one->now = one->few ? one->few : one->part;
    one->n = one->few ? 64 : rw_basis_tiles(k);
    return RW_OK;
}

static rw_status clear(rw_krylov *k)
{
    RW_TRY(rw_array_zero(rw_basis_of(k)->vectors, k->queue));
    return fill_shadow(k);
}

static rw_status start(rw_krylov *k, rw_array *b)
{
    const rw_arg a[] = {rw_arg_array(rw_basis_of(k)->small)};
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, rw_basis_of(k)->vectors, 0, NULL, NULL));
    RW_TRY(rw_krylov_begin(k, rw_basis_of(k)->vectors, b));
    return rw_krylov_launch(k, "idr_begin", 1, 1, a, 1);
}

/* Sums of vectors 0 … last with vectors `last` and w, then a kernel of one group that uses them. */
static rw_status scalars(rw_krylov *k, int last, int64_t w, const char *kernel, int nargs, int number)
{
    rw_array *sums;
    int64_t n;
    RW_TRY(rw_basis_sums(k, last, w, &sums, &n));
    const rw_arg a[] = {rw_arg_array(sums),
                        rw_arg_int(n),
                        rw_arg_array(rw_basis_of(k)->one[0].now),
                        rw_arg_int(rw_basis_of(k)->one[0].n),
                        rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_array(k->state[0]),
                        rw_arg_array(k->history),
                        rw_arg_int(number)};
    return rw_krylov_launch(k, kernel, 1, 1, a, nargs);
}

static rw_status inner(rw_krylov *k, int i)
{
    const int64_t s = shadow(k), u = P + s + i, g = P + 2 * s + i, spare = P + 3 * s;
    if (k->p) {
        const rw_arg l[] = {rw_arg_array(rw_basis_of(k)->vectors), rw_arg_array(rw_basis_of(k)->small),
                            rw_arg_int(rw_basis_of(k)->pitch), rw_arg_int(i)};
        RW_TRY(rw_krylov_launch(k, "idr_left", rw_basis_tiles(k), 1, l, 4));
        RW_TRY(rw_krylov_precond(k, rw_basis_of(k)->vectors, spare * rw_basis_of(k)->pitch, k->vector[Z]));
    }
    const rw_arg d[] = {rw_arg_array(rw_basis_of(k)->vectors),
                        rw_arg_array(k->p ? k->vector[Z] : k->x),
                        rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_int(rw_basis_of(k)->pitch),
                        rw_arg_int(k->n),
                        rw_arg_int(i),
                        rw_arg_int(!k->p)};
    RW_TRY(rw_krylov_launch(k, "idr_direction", rw_basis_tiles(k), 1, d, 7));
    RW_TRY(rw_krylov_product(k, k->a, 1, rw_basis_of(k)->vectors, u * rw_basis_of(k)->pitch, 0, rw_basis_of(k)->vectors,
                             rw_basis_of(k)->vectors, g * rw_basis_of(k)->pitch, NULL, NULL));
    RW_TRY(scalars(k, (int)(P + s - 1), g, "idr_scalars", 8, i));
    const rw_arg a[] = {rw_arg_array(k->x),
                        rw_arg_array(rw_basis_of(k)->vectors),
                        rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_array(k->state[0]),
                        rw_arg_array(rw_basis_of(k)->one[0].part),
                        rw_arg_int(rw_basis_of(k)->pitch),
                        rw_arg_int(k->n),
                        rw_arg_int(i)};
    RW_TRY(rw_krylov_launch(k, "idr_update", rw_basis_tiles(k), 1, a, 8));
    return rw_krylov_reduce_partials(k, &rw_basis_of(k)->one[0], 1);
}

static rw_status relax(rw_krylov *k)
{
    if (k->p) {
        RW_TRY(rw_krylov_precond(k, rw_basis_of(k)->vectors, 0, k->vector[Z]));
        RW_TRY(rw_krylov_product(k, k->a, 1, k->vector[Z], 0, 0, rw_basis_of(k)->vectors, rw_basis_of(k)->vectors,
                                 T * rw_basis_of(k)->pitch, NULL, NULL));
    } else
        RW_TRY(rw_krylov_product(k, k->a, 1, rw_basis_of(k)->vectors, 0, 0, rw_basis_of(k)->vectors,
                                 rw_basis_of(k)->vectors, T * rw_basis_of(k)->pitch, NULL, NULL));
    RW_TRY(scalars(k, T, T, "idr_omega", 7, 0));
    const rw_arg a[] = {rw_arg_array(k->x),
                        rw_arg_array(rw_basis_of(k)->vectors),
                        rw_arg_array(k->p ? k->vector[Z] : rw_basis_of(k)->vectors),
                        rw_arg_array(rw_basis_of(k)->small),
                        rw_arg_array(k->state[0]),
                        rw_arg_array(rw_basis_of(k)->one[0].part),
                        rw_arg_int(rw_basis_of(k)->pitch),
                        rw_arg_int(k->n),
                        rw_arg_int(!k->p)};
    RW_TRY(rw_krylov_launch(k, "idr_relax", rw_basis_tiles(k), 1, a, 9));
    return rw_krylov_reduce_partials(k, &rw_basis_of(k)->one[0], 1);
}

/* A cycle. */
static rw_status step(rw_krylov *k, int number RW_UNUSED)
{
    RW_TRY(scalars(k, P + shadow(k) - 1, RESIDUAL, "idr_first", 7, 0));
    for (int i = 0; i < shadow(k); ++i) RW_TRY(inner(k, i));
    return relax(k);
}

const rw_krylov_ops rw_krylov_idr = {.text = {"gmres.k", "idr.k"},
                                     .vectors = 1,
                                     .more = 1,
                                     .iterations = 5,
                                     .state = sizeof(rw_basis),
                                     .define = define,
                                     .start = start,
                                     .step = step,
                                     .allocate = allocate,
                                     .memory = memory,
                                     .clear = clear,
                                     .free = rw_basis_free};
