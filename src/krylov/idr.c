/* Induced dimension reduction, IDR(s) with vectors that are orthogonal to the shadow space (van Gijzen and Sonneveld, Algorithm 913, ACM TOMS 38, 2011), preconditioned from the right. A cycle is s + 1
 * products:
 *
 *   f <- P* r        s times:  M c = f      u_k <- U c + omega M^-1 (r - G c), g_k <- A u_k, both less what is not orthogonal to P_i, i < k      r <- r - beta g_k, x <- x + beta u_k
 *   t <- A M^-1 r        omega = t* r / t* t      r <- r - omega t, x <- x + omega M^-1 r
 *
 * The inner orthogonalisation is one launch: P* g_k of all P at once, and what each step takes away follows from M. The residual of an iteration is known in the next. Vectors: 3 s + 3. */
#include "krylov/krylov.h"

enum { RESIDUAL, T, P }; /* of the array of vectors; then U, G, and a spare one */
enum { Z };              /* of k->vector: preconditioned */

static int shadow(const rw_krylov *k) { return k->spec.restart; }
static int64_t tiles(const rw_krylov *k) { return k->pitch / RW_KRYLOV_TILE; }
static int64_t pieces(const rw_krylov *k) { return (tiles(k) + k->tiles - 1) / k->tiles; }

/* P: uniform random numbers, the same for every solve. */
static rw_status fill_shadow(rw_krylov *k)
{
    void *data;
    RW_TRY(rw_array_update(k->basis, &data));
    const int parts = 1 + rw_dtype_is_complex(k->type);
    const bool single = k->type == RW_F32 || k->type == RW_C64;
    for (int i = 0; i < shadow(k); ++i)
        for (int64_t e = 0; e < k->n * parts; ++e) {
            const double u = rw_random_uniform(913 + (uint64_t)i, (uint64_t)e) - 0.5;
            const int64_t at = (P + i) * k->pitch * parts + e;
            if (single) ((float *)data)[at] = (float)u;
            else ((double *)data)[at] = u;
        }
    return rw_array_send(k->basis, k->queue);
}

static rw_status allocate(rw_krylov *k)
{
    const int64_t s = shadow(k), small = s * s + 3 * s + 3, sums = 4 * (s + 2);
    k->pitch = rw_krylov_pitch(k->n);
    const int64_t all = (3 * s + 3) * k->pitch;
    RW_TRY(rw_array_create(k->device, k->type, 1, &all, RW_MEMORY_DEVICE, &k->basis));
    RW_TRY(rw_array_zero(k->basis, k->queue));
    RW_TRY(fill_shadow(k));
    RW_TRY(rw_array_create(k->device, rw_dtype_is_complex(k->type) ? RW_C128 : RW_F64, 1, &small, RW_MEMORY_DEVICE, &k->small));
    RW_TRY(rw_array_zero(k->small, k->queue));
    RW_TRY(rw_array_create(k->device, RW_F64, 1, &sums, RW_MEMORY_DEVICE, &k->totals));
    RW_TRY(rw_krylov_sums(k, &k->one[0], tiles(k), 1));
    RW_TRY(rw_array_zero(k->one[0].part, k->queue)); /* looked at before the first iteration, and not used */
    if (k->one[0].few) RW_TRY(rw_array_zero(k->one[0].few, k->queue));
    k->one[0].now = k->one[0].few ? k->one[0].few : k->one[0].part, k->one[0].n = k->one[0].few ? 64 : tiles(k);
    return rw_krylov_sums(k, &k->dots, pieces(k), (int)sums);
}

static rw_status start(rw_krylov *k, rw_array *b)
{
    const rw_arg a[] = {rw_arg_array(k->small)};
    RW_TRY(rw_krylov_product(k, k->a, -1, k->x, 0, 1, b, k->basis, 0, NULL, NULL));
    RW_TRY(rw_krylov_begin(k, k->basis, b));
    return rw_krylov_launch(k, RW_KRYLOV_K_idr_begin, 1, 1, a, 1);
}

/* Sums of vectors 0 … last with vectors `last` and w, then a kernel of one group that uses them. */
static rw_status scalars(rw_krylov *k, int last, int64_t w, int kernel, int number)
{
    const int64_t chunks = (last + k->deep) / k->deep, n = pieces(k), plenty = 16;
    const rw_arg d[] = {rw_arg_array(k->basis), rw_arg_array(k->dots.part), rw_arg_int(k->pitch), rw_arg_int(last), rw_arg_int(w)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_dots, n * chunks, 1, d, 5));
    if (n > plenty) {
        const rw_arg t[] = {rw_arg_array(k->dots.part), rw_arg_int(n), rw_arg_array(k->totals)};
        RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_gm_totals, (rw_dtype_is_complex(k->type) ? 4 : 2) * (last + 1), 1, t, 3));
    }
    const rw_arg a[] = {rw_arg_array(n > plenty ? k->totals : k->dots.part), rw_arg_int(n > plenty ? 1 : n), rw_arg_array(k->one[0].now), rw_arg_int(k->one[0].n), rw_arg_array(k->small),
                        rw_arg_array(k->state[0]), rw_arg_array(k->history), rw_arg_int(number)};
    return rw_krylov_launch(k, kernel, 1, 1, a, kernel == RW_KRYLOV_K_idr_scalars ? 8 : 7);
}

static rw_status inner(rw_krylov *k, int i)
{
    const int64_t s = shadow(k), u = P + s + i, g = P + 2 * s + i, spare = P + 3 * s;
    if (k->p) {
        const rw_arg l[] = {rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_int(k->pitch), rw_arg_int(i)};
        RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_idr_left, tiles(k), 1, l, 4));
        RW_TRY(rw_precond_run(k->p, k->basis, spare * k->pitch, k->vector[Z], k->queue));
    }
    const rw_arg d[] = {rw_arg_array(k->basis), rw_arg_array(k->p ? k->vector[Z] : k->x), rw_arg_array(k->small), rw_arg_int(k->pitch), rw_arg_int(k->n), rw_arg_int(i), rw_arg_int(!k->p)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_idr_direction, tiles(k), 1, d, 7));
    RW_TRY(rw_krylov_product(k, k->a, 1, k->basis, u * k->pitch, 0, k->basis, k->basis, g * k->pitch, NULL, NULL));
    RW_TRY(scalars(k, (int)(P + s - 1), g, RW_KRYLOV_K_idr_scalars, i));
    const rw_arg a[] = {rw_arg_array(k->x), rw_arg_array(k->basis), rw_arg_array(k->small), rw_arg_array(k->state[0]), rw_arg_array(k->one[0].part), rw_arg_int(k->pitch), rw_arg_int(k->n), rw_arg_int(i)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_idr_update, tiles(k), 1, a, 8));
    return rw_krylov_settle(k, &k->one[0], 1);
}

static rw_status relax(rw_krylov *k)
{
    if (k->p) {
        RW_TRY(rw_precond_run(k->p, k->basis, 0, k->vector[Z], k->queue));
        RW_TRY(rw_krylov_product(k, k->a, 1, k->vector[Z], 0, 0, k->basis, k->basis, T * k->pitch, NULL, NULL));
    } else RW_TRY(rw_krylov_product(k, k->a, 1, k->basis, 0, 0, k->basis, k->basis, T * k->pitch, NULL, NULL));
    RW_TRY(scalars(k, T, T, RW_KRYLOV_K_idr_omega, 0));
    const rw_arg a[] = {rw_arg_array(k->x), rw_arg_array(k->basis), rw_arg_array(k->p ? k->vector[Z] : k->basis), rw_arg_array(k->small), rw_arg_array(k->state[0]), rw_arg_array(k->one[0].part),
                        rw_arg_int(k->pitch), rw_arg_int(k->n), rw_arg_int(!k->p)};
    RW_TRY(rw_krylov_launch(k, RW_KRYLOV_K_idr_relax, tiles(k), 1, a, 9));
    return rw_krylov_settle(k, &k->one[0], 1);
}

/* A cycle. */
static rw_status step(rw_krylov *k, int number)
{
    (void)number;
    RW_TRY(scalars(k, P + shadow(k) - 1, RESIDUAL, RW_KRYLOV_K_idr_first, 0));
    for (int i = 0; i < shadow(k); ++i) RW_TRY(inner(k, i));
    return relax(k);
}

const rw_krylov_ops rw_krylov_idr = {"idr.k", 1, 1, 5, start, step, allocate, NULL};
