/* Finds out whether a system that was not solved is singular, with the constant vectors as null space, as the Laplacian
 * of a pure Neumann or periodic problem is: A 1 = 0. Then a solution exists only for some b.
 *
 *   A 1 = 0 up to rounding errors      |A 1| <= C eps |A z|, largest entries, z random
 *   1^T A = 0                          |1^T A z| <= C eps |A z|, sums: b must have mean 0
 *
 * Two products, after a solve that has failed. Not across processes: sums here are of this process alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "krylov/krylov.h"

enum { TOLERANCE = 8 }; /* C: rounding errors of rows of some ten entries, and of their stored values */

typedef struct sums {
    double largest, total, re, im; /* of |v_i|, their sum; of v_i */
} sums;

static rw_status sums_of(const rw_krylov *k, rw_array *v, sums *s)
{
    const void *p;
    *s = (sums){0};
    RW_TRY(rw_array_read(v, &p));
    for (int64_t i = 0; i < k->n; ++i) {
        const double re = rw_value_get(k->type, p, i, 0), im = rw_value_get(k->type, p, i, 1);
        s->largest = fmax(s->largest, hypot(re, im));
        s->total += hypot(re, im);
        s->re += re;
        s->im += im;
    }
    return RW_OK;
}

/* A v, with v of ones or of random numbers in [-1, 1). */
static rw_status product_of(rw_krylov *k, bool ones, sums *s)
{
    const bool is_complex = rw_dtype_is_complex(k->type), single = k->type == RW_F32 || k->type == RW_C64;
    void *p;
    RW_TRY(rw_array_write(k->x, &p));
    for (int64_t i = 0; i < k->n * (is_complex ? 2 : 1); ++i) {
        const double v = !ones ? 2 * rw_random_uniform(1, (uint64_t)i) - 1 : is_complex && i % 2 ? 0 : 1;
        if (single) ((float *)p)[i] = (float)v;
        else ((double *)p)[i] = v;
    }
    RW_TRY(rw_operator_multiply(k->a, RW_OP_NONE, NULL, k->x, NULL, k->vector[0], k->queue));
    return sums_of(k, k->vector[0], s);
}

rw_status rw_krylov_explain_singular(rw_krylov *k, rw_array *b, double tolerance, rw_text *text)
{
    const double eps = k->type == RW_F32 || k->type == RW_C64 ? FLT_EPSILON : DBL_EPSILON;
    sums one, other, right;
    if (k->device->ranks) return RW_OK;
    RW_TRY(product_of(k, true, &one));
    RW_TRY(product_of(k, false, &other));
    if (!(other.largest > 0) || !(one.largest <= TOLERANCE * eps * other.largest)) return RW_OK;
    rw_text_add(text, ". A is singular up to rounding errors: A times a constant vector is 0");
    RW_TRY(sums_of(k, b, &right));
    const double mean = hypot(right.re, right.im) / (double)k->n;
    if (!(hypot(other.re, other.im) <= TOLERANCE * eps * other.total))
        rw_text_add(text,
                    ", so a solution exists only if b is orthogonal to the null space of the transpose of A: on a "
                    "grid with Neumann sides if its sum is 0, where nodes on a side have half the weight");
    else if (mean * sqrt((double)k->n) > tolerance)
        rw_text_add(text, ", so b must have mean 0; its mean is %.3g: subtract it from all entries of b",
                    rw_dtype_is_complex(k->type) ? mean : right.re / (double)k->n);
    return RW_OK;
}
