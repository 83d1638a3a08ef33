/* rechenwerk solve without b: b = A x with an x that is known, so that the error of the solution can be reported.
 *
 * x is 1 in all entries. Where A maps that to 0, as the Laplacian of a pure Neumann or periodic problem does, b
 * would be 0 and every solver done at once: then x = A^H z with random z, which lies in the row
 * space of A, scaled to a largest entry of 1. A is singular then, and a solution is known up to the null space of
 * A. For an equation on a grid, which has no transpose, x = A z. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "solve.h"

double complex element(rw_dtype type, const void *data, int64_t i)
{
    switch (type) {
    case RW_F32: return ((const float *)data)[i];
    case RW_F64: return ((const double *)data)[i];
    case RW_C64: return ((const float complex *)data)[i];
    default: return ((const double complex *)data)[i];
    }
}

static void set_element(rw_dtype type, void *data, int64_t i, double complex v)
{
    switch (type) {
    case RW_F32: ((float *)data)[i] = (float)creal(v); break;
    case RW_F64: ((double *)data)[i] = creal(v); break;
    case RW_C64: ((float complex *)data)[i] = (float complex)v; break;
    default: ((double complex *)data)[i] = v;
    }
}

static double eps_of(rw_dtype type) { return type == RW_F32 || type == RW_C64 ? FLT_EPSILON : DBL_EPSILON; }

/* Entries of z in [-1, 1): a linear congruential generator (Knuth's MMIX), the same on every machine. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static rw_status make(const solve *s, rw_array **array, void **data)
{
    rw_status status = rw_array_create(s->device, s->vectors, 1, &s->e.rows, RW_MEMORY_DEVICE, array);
    return status == RW_OK ? rw_array_write(*array, data) : status;
}

static rw_status multiply(const solve *s, rw_array *x, rw_array *y)
{
    return rw_operator_multiply(s->a, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(s->device));
}

static rw_status largest_of(const solve *s, rw_array *v, double *largest)
{
    const void *data;
    *largest = 0;
    rw_status status = rw_array_read(v, &data);
    for (int64_t i = 0; status == RW_OK && i < s->e.rows; i++)
        *largest = fmax(*largest, cabs(element(s->vectors, data, i)));
    return status;
}

static rw_status scale(const solve *s, rw_array *v)
{
    void *data;
    double largest;
    rw_status status = largest_of(s, v, &largest);
    if (status == RW_OK) status = rw_array_update(v, &data);
    for (int64_t i = 0; status == RW_OK && largest > 0 && i < s->e.rows; i++)
        set_element(s->vectors, data, i, element(s->vectors, data, i) / largest);
    return status;
}

/* x = A^H z from the entries of a matrix, A z of an equation. */
static rw_status in_row_space(solve *s, rw_array **x)
{
    const rw_entries *e = &s->e;
    uint64_t seed = 1;
    void *data;
    rw_array *z = NULL;
    double complex *sum = s->stencil ? NULL : calloc((size_t)e->rows, sizeof *sum),
                   *random = calloc((size_t)e->rows, sizeof *random);
    rw_status status = random && (sum || s->stencil) ? make(s, x, &data) : RW_ERR_MEMORY;
    for (int64_t i = 0; status == RW_OK && i < e->rows; i++) random[i] = next_random(&seed);
    for (int64_t k = 0; status == RW_OK && sum && k < e->n; k++)
        sum[e->column[k]] +=
            conj(e->is_complex ? e->value[2 * k] + e->value[2 * k + 1] * I : e->value[k]) * random[e->row[k]];
    for (int64_t i = 0; status == RW_OK && sum && i < e->rows; i++) set_element(s->vectors, data, i, sum[i]);
    if (status == RW_OK && s->stencil) {
        status = make(s, &z, &data);
        for (int64_t i = 0; status == RW_OK && i < e->rows; i++) set_element(s->vectors, data, i, random[i]);
        if (status == RW_OK) status = multiply(s, z, *x);
    }
    rw_array_destroy(&z);
    free(sum);
    free(random);
    return status == RW_OK ? scale(s, *x) : status;
}

/* A x is 0 for x = 1 but for rounding errors of its sums. Of a matrix by its rows, in the precision of its values; of
 * an equation next to A times another x. */
static rw_status vanishes(solve *s, bool *yes)
{
    const rw_entries *e = &s->e;
    double of_ones, of_other;
    rw_array *x = NULL, *b = NULL;
    void *data;
    *yes = false;
    rw_status status = largest_of(s, s->b, &of_ones);
    if (status != RW_OK || !isfinite(of_ones)) return status;
    if (!s->stencil) {
        double largest = 0;
        for (int64_t k = 0; k < e->n; k++)
            largest = fmax(largest, e->is_complex ? hypot(e->value[2 * k], e->value[2 * k + 1]) : fabs(e->value[k]));
        *yes = of_ones <= 16 * fmax(eps_of(s->layout.layout.values), eps_of(s->vectors)) * largest;
        return RW_OK;
    }
    status = in_row_space(s, &x);
    if (status == RW_OK) status = make(s, &b, &data);
    if (status == RW_OK) status = multiply(s, x, b);
    if (status == RW_OK) status = largest_of(s, b, &of_other);
    if (status == RW_OK) *yes = of_ones <= 16 * eps_of(s->vectors) * of_other;
    rw_array_destroy(&x);
    rw_array_destroy(&b);
    return status;
}

rw_status make_right_side(solve *s)
{
    void *data;
    bool zero = false;
    rw_array *ones = NULL;
    rw_status status = make(s, &ones, &data);
    for (int64_t i = 0; status == RW_OK && i < s->e.rows; i++) set_element(s->vectors, data, i, 1);
    if (status == RW_OK) status = make(s, &s->b, &data);
    if (status == RW_OK) status = multiply(s, ones, s->b);
    rw_array_destroy(&ones);
    if (status == RW_OK) status = vanishes(s, &zero);
    if (status == RW_OK && zero) status = in_row_space(s, &s->known);
    if (status == RW_OK && zero) status = multiply(s, s->known, s->b);
    return status;
}

const char *right_side_text(const solve *s)
{
    if (s->right_side) return s->right_side;
    if (!s->known) return "A times ones";
    return s->stencil ? "A x with x = A z, z random, since A times ones is 0 (A is singular)"
                      : "A x with x = A^H z, z random, since A times ones is 0 (A is singular)";
}

rw_status error_of_known(const solve *s, double *error)
{
    const void *data, *known = NULL;
    rw_status status = rw_array_read(s->x, &data);
    if (status == RW_OK && s->known) status = rw_array_read(s->known, &known);
    *error = 0;
    for (int64_t i = 0; status == RW_OK && i < s->e.rows; i++) {
        const double e = cabs(element(s->vectors, data, i) - (known ? element(s->vectors, known, i) : 1));
        if (!(e <= *error)) *error = e;
    }
    return status;
}
