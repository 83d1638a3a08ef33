/* Operators from equations: an expression program as the function of an operator (src/operator/function.c).
 *
 * A program is a map of arrays; that the map is linear is tested with vectors whose numbers have few digits, so that x
 * + a z is exact and what differs comes from the program. The diagonal comes from products with vectors that are 1 in
 * cells of one colour: cells of a colour are more than the stencil's reach apart in some direction, so y is the
 * diagonal there (Curtis, Powell, Reid, On the estimation of sparse Jacobian matrices, J. Inst. Maths Applics 13, 1974,
 * of which this is the part for diagonals). */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "expr/map.h"
#include "operator/operator.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/stencil.h"

typedef struct stencil {
    rw_device *device;
    rw_expr *expr;
    rw_expr_map map;
    char *from, *to; /* names of fields */
    int64_t n;
    int parts;
    rw_array *x, *y;    /* while it is looked at */
    rw_array *diagonal; /* NULL: not asked for yet */
} stencil;

static rw_context *context(const stencil *s) { return s->device->ctx; }
static bool is_single(const stencil *s) { return rw_dtype_is_single(s->map.type); }
static double *numbers(const stencil *s) { return rw_calloc((size_t)(s->n * s->parts), sizeof(double)); }
static rw_status no_memory(const stencil *s)
{
    return rw_fail_memory(context(s), (size_t)(s->n * s->parts) * sizeof(double), "the analysis of an operator");
}

static rw_status run(stencil *s, rw_array *x, rw_array *y, rw_queue *q)
{
    RW_TRY(rw_expr_bind(s->expr, s->from, x));
    RW_TRY(rw_expr_bind(s->expr, s->to, y));
    return rw_expr_run(s->expr, q);
}

static rw_status multiply(void *user, rw_op op RW_UNUSED, rw_array *x, rw_array *y, rw_queue *q)
{
    return run(user, x, y, q);
}

/* ---- products on the host ---------------------------------------------------------------------------------------- */

static rw_status begin_looking(stencil *s)
{
    RW_TRY(rw_array_create(s->device, s->map.type, 1, &s->n, RW_MEMORY_DEVICE, &s->x));
    return rw_array_create(s->device, s->map.type, 1, &s->n, RW_MEMORY_DEVICE, &s->y);
}

static void end_looking(stencil *s)
{
    rw_array_destroy(&s->x);
    rw_array_destroy(&s->y);
}

static void put(const stencil *s, const double *v, void *to)
{
    for (int64_t i = 0; i < s->n * s->parts; ++i) {
        if (is_single(s)) ((float *)to)[i] = (float)v[i];
        else ((double *)to)[i] = v[i];
    }
}

/* y <- A x */
static rw_status apply(stencil *s, const double *x, double *y)
{
    void *in;
    const void *out;
    RW_TRY(rw_array_write(s->x, &in));
    put(s, x, in);
    RW_TRY(run(s, s->x, s->y, rw_device_queue(s->device)));
    RW_TRY(rw_array_read(s->y, &out));
    for (int64_t i = 0; i < s->n * s->parts; ++i)
        y[i] = is_single(s) ? ((const float *)out)[i] : ((const double *)out)[i];
    return RW_OK;
}

/* ---- is it linear? ----------------------------------------------------------------------------------------------- */

static rw_status fail_affine(const stencil *s, int64_t at, double value)
{
    const int side = s->map.side;
    char text[80] = "terms without the unknown";
    if (side >= 0)
        snprintf(text, sizeof text, "its boundary value at the %s end of %c", side % 2 ? "upper" : "lower",
                 "xyz"[side / 2]);
    return rw_fail(
        context(s), RW_ERR_INPUT,
        "%s: with %s = 0, %s is %g in cell %lld, so the map is not linear: %s must be 0 here; move these terms to the "
        "right-hand side of the system",
        s->map.name, s->from, s->to, value, (long long)at / s->parts, text);
}

static rw_status check_zero(stencil *s)
{
    double *zero = numbers(s), *y = numbers(s);
    rw_status status = zero && y ? apply(s, zero, y) : no_memory(s);
    for (int64_t i = 0; status == RW_OK && i < s->n * s->parts; ++i)
        if (y[i] != 0) status = fail_affine(s, i, y[i]);
    rw_free(zero);
    rw_free(y);
    return status;
}

static const double factor[2] = {0.75, -0.5}; /* a */

static rw_status compare(const stencil *s, const double *ax, const double *az, const double *sum)
{
    const double eps = is_single(s) ? FLT_EPSILON : DBL_EPSILON;
    double most = 0, error = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < s->n; ++i)
        for (int p = 0; p < s->parts; ++p) {
            const int64_t k = s->parts * i + p, other = s->parts * i + 1 - p;
            const double az_k = s->parts == 1 ? factor[0] * az[k]
                                              : factor[0] * az[k] + (p ? factor[1] : -factor[1]) * az[other],
                         differs = fabs(sum[k] - ax[k] - az_k);
            most = fmax(most, fabs(ax[k]) + fabs(az_k) + fabs(sum[k]));
            if (!(differs <= error)) {
                error = differs;
                at = i;
            }
        }
    if (error <= 1000 * eps * most) return RW_OK;
    return rw_fail(
        context(s), RW_ERR_INPUT,
        "%s: %s does not depend on %s linearly: A (x + a z) differs from A x + a A z by %g in cell %lld, where the "
        "largest values are %g",
        s->map.name, s->to, s->from, error, (long long)at, most);
}

/* Integers of [-256, 256] over 512, times the size: x + a z is exact in single precision. */
static double few_digits(uint64_t seed, int64_t i)
{
    return (floor(rw_random_uniform(seed, (uint64_t)i) * 513) - 256) / 512;
}

/* A (x + a z) = A x + a A z */
static rw_status check_linear(stencil *s, double size)
{
    double *x = numbers(s), *z = numbers(s), *ax = numbers(s), *az = numbers(s), *sum = numbers(s);
    const bool made = x && z && ax && az && sum;
    for (int64_t i = 0; made && i < s->n * s->parts; ++i) {
        x[i] = few_digits(1, i);
        z[i] = size * few_digits(2, i);
    }
    rw_status status = made ? apply(s, x, ax) : no_memory(s);
    if (status == RW_OK) status = apply(s, z, az);
    for (int64_t i = 0; made && i < s->n; ++i) {
        const double re = z[s->parts * i], im = s->parts == 2 ? z[2 * i + 1] : 0;
        x[s->parts * i] += factor[0] * re - (s->parts == 2 ? factor[1] * im : 0);
        if (s->parts == 2) x[2 * i + 1] += factor[0] * im + factor[1] * re;
    }
    if (status == RW_OK) status = apply(s, x, sum);
    if (status == RW_OK) status = compare(s, ax, az, sum);
    rw_free(x);
    rw_free(z);
    rw_free(ax);
    rw_free(az);
    rw_free(sum);
    return status;
}

static rw_status look(stencil *s)
{
    rw_status status = begin_looking(s);
    if (status == RW_OK) status = check_zero(s);
    if (status == RW_OK) status = check_linear(s, 1);
    if (status == RW_OK) status = check_linear(s, 1024);
    end_looking(s);
    return status;
}

/* ---- diagonal ---------------------------------------------------------------------------------------------------- */

/* Pieces of an axis, each longer than the reach, also across periodic sides; the colour of a cell is its place in its
 * piece. */
typedef struct axis {
    int64_t n, pieces, colours;
} axis;

static axis axis_of(const stencil *s, int d)
{
    const int64_t n = s->map.size[d], pieces = RW_MAX(n / (s->map.reach[d] + 1), 1);
    return (axis){n, pieces, (n + pieces - 1) / pieces};
}

static int64_t colour(const axis *a, int64_t i)
{
    const int64_t piece = ((i + 1) * a->pieces - 1) / a->n;
    return i - piece * a->n / a->pieces;
}

static bool has_colour(const axis a[3], const int64_t c[3], int64_t cell)
{
    return colour(&a[0], cell % a[0].n) == c[0] && colour(&a[1], cell / a[0].n % a[1].n) == c[1] &&
           colour(&a[2], cell / a[0].n / a[1].n) == c[2];
}

/* The diagonal entries of one colour, into d. */
static rw_status probe(stencil *s, const axis a[3], const int64_t c[3], double *x, double *y, double *d)
{
    for (int64_t i = 0; i < s->n; ++i) x[s->parts * i] = has_colour(a, c, i);
    RW_TRY(apply(s, x, y));
    for (int64_t i = 0; i < s->n; ++i)
        for (int p = 0; p < s->parts && x[s->parts * i] != 0; ++p) d[s->parts * i + p] = y[s->parts * i + p];
    return RW_OK;
}

static rw_status find_diagonal(stencil *s, double *d)
{
    const axis a[3] = {axis_of(s, 0), axis_of(s, 1), axis_of(s, 2)};
    double *x = numbers(s), *y = numbers(s);
    int64_t c[3];
    rw_status status = x && y ? RW_OK : no_memory(s);
    for (c[2] = 0; c[2] < a[2].colours; ++c[2])
        for (c[1] = 0; c[1] < a[1].colours; ++c[1])
            for (c[0] = 0; status == RW_OK && c[0] < a[0].colours; ++c[0]) status = probe(s, a, c, x, y, d);
    rw_free(x);
    rw_free(y);
    return status;
}

static rw_status make_diagonal(stencil *s)
{
    void *data;
    double *d = numbers(s);
    rw_status status = d ? begin_looking(s) : no_memory(s);
    if (status == RW_OK) status = find_diagonal(s, d);
    end_looking(s);
    if (status == RW_OK) status = rw_array_create(s->device, s->map.type, 1, &s->n, RW_MEMORY_DEVICE, &s->diagonal);
    if (status == RW_OK) status = rw_array_write(s->diagonal, &data);
    if (status == RW_OK) put(s, d, data);
    else rw_array_destroy(&s->diagonal);
    rw_free(d);
    return status;
}

static rw_status diagonal(void *user, rw_array *to)
{
    stencil *s = user;
    if (s->map.far)
        return rw_fail(context(s), RW_ERR_UNSUPPORTED,
                       "%s: its diagonal cannot be computed from products, because %s: use no preconditioner",
                       s->map.name, s->map.far);
    if (!s->diagonal) RW_TRY(make_diagonal(s));
    return rw_array_copy(to, s->diagonal, s->device->queue);
}

/* ---- create, destroy --------------------------------------------------------------------------------------------- */

static void destroy(void *user)
{
    stencil *s = user;
    rw_expr_destroy(&s->expr);
    rw_array_destroy(&s->diagonal);
    rw_free(s->from);
    rw_free(s->to);
    rw_device_close(&s->device);
    rw_free(s);
}

static rw_status prepare(stencil *s, const char *from, const char *to)
{
    const int64_t *size = s->map.size;
    RW_TRY(rw_expr_get_map(s->expr, from, to, &s->map));
    s->n = size[0] * size[1] * size[2];
    s->parts = 1 + rw_dtype_is_complex(s->map.type);
    s->from = rw_strdup(from);
    s->to = rw_strdup(to);
    if (!s->from || !s->to) return rw_fail_memory(context(s), 64, "an operator");
    if (s->n < 1)
        return rw_fail(context(s), RW_ERR_ARGUMENT,
                       "%s: a grid of %lld x %lld x %lld cells: an operator needs at least 1 cell", s->map.name,
                       (long long)size[0], (long long)size[1], (long long)size[2]);
    return look(s);
}

rw_status rw_operator_from_expr_sized(rw_device *dev, const rw_expr_spec *spec, const char *from, const char *to,
                                      rw_operator **op, size_t spec_size, size_t field_size, size_t scalar_size,
                                      size_t external_size, size_t function_size)
{
    RW_NEED(op, "op");
    *op = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_NEED(from, "from");
    RW_NEED(to, "to");
    stencil *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(dev->ctx, sizeof *s, "an operator");
    s->device = rw_device_retain(dev);
    rw_status status =
        rw_expr_create_sized(dev, spec, &s->expr, spec_size, field_size, scalar_size, external_size, function_size);
    if (status == RW_OK) status = prepare(s, from, to);
    if (status == RW_OK) {
        const rw_operator_spec map = {.rows = s->n,
                                      .columns = s->n,
                                      .type = s->map.type,
                                      .multiply = multiply,
                                      .diagonal = diagonal,
                                      .destroy = destroy,
                                      .user = s};
        status = rw_operator_create(dev, &map, op);
    }
    if (status != RW_OK) destroy(s);
    return status;
}
