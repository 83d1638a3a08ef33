/* Convolution by transforms. Axes are transformed from the last to the second; the first is transformed, multiplied and
 * transformed back in one pass; then the others come back. b lies in its array of factors so that the first number
 * wanted is number 0, and lengths are such that what wraps around is not wanted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/length.h"
#include "fft/plan.h"
#include "param/param.h"

struct rw_convolution {
    rw_device *device;
    rw_convolution_spec spec;
    bool real, set;
    bool halves; /* real arrays on several axes: spectra are halved; on one axis the transform is complex */
    int order[RW_MAX_NDIM], n; /* axes that are convolved, the last one first */
    int64_t y_shape[RW_MAX_NDIM];
    int64_t length[RW_MAX_NDIM], start[RW_MAX_NDIM]; /* of the transforms; where b begins among the factors */
    rw_fft_extra extra[RW_MAX_NDIM];
    rw_fft_passes passes;
    rw_fft_region input, output;
    rw_fft *transform; /* of b */
    rw_array *factors;
};

#define ROW(member, kind, standard, allowed, line)                                                                     \
    RW_ROW(rw_convolution_spec, member, kind, standard, allowed, line, .brief = NULL)
#define RW_X(name, text, line) text "|"
static const char modes[] = RW_CONVOLUTION_MODE_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(mode, CHOICE, "full", modes, "mode: full, same, valid or periodic"),
    ROW(correlate, BOOL, "false", "", "correlation: B is reversed and conjugated"),
    ROW(scale, REAL, "1", "", "factor of the results"),
};

RW_PARAMS(rw_convolution_params, rw_convolution_spec, rows, "convolution", "a convolution")

/* ---- lengths ----------------------------------------------------------------------------------------------------- */

static int64_t wanted(rw_convolution_mode mode, int64_t n, int64_t m)
{
    return mode == RW_CONVOLUTION_FULL ? n + m - 1 : mode == RW_CONVOLUTION_VALID ? RW_MAX(n, m) - RW_MIN(n, m) + 1 : n;
}

static rw_status resolve(rw_context *ctx, rw_convolution_spec *s)
{
    if (!s->dtype) s->dtype = RW_F64;
    if (!rw_dtype_is_number(s->dtype))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "dtype = %s is not supported: choose f32, f64, c64 or c128",
                       rw_dtype_name(s->dtype));
    RW_TRY(rw_params_resolve(ctx, rw_convolution_params(), "convolution", s));
    s->scale = rw_plain_zero(s->scale);
    if (s->ndim < 1 || s->ndim > RW_MAX_NDIM)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "ndim = %d must be 1 to %d", s->ndim, RW_MAX_NDIM);
    if (s->axes >> s->ndim)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "axes = %#x has a bit beyond the %d dimensions of the arrays", s->axes,
                       s->ndim);
    if (!s->axes) s->axes = (1u << s->ndim) - 1;
    int longer = -1; /* the last axis on which the lengths differ */
    for (int d = 0; d < s->ndim; ++d) {
        const int64_t n = s->a_shape[d], m = s->b_shape[d];
        const bool convolved = s->axes & 1u << d;
        if (n < 0 || m < 1 || n > INT32_MAX || m > INT32_MAX)
            return rw_fail(
                ctx, RW_ERR_ARGUMENT,
                "a_shape[%d] = %lld, b_shape[%d] = %lld: a must have 0 to 2^31 - 1 elements, b 1 to 2^31 - 1", d,
                (long long)n, d, (long long)m);
        if (!convolved && m != 1 && m != n)
            return rw_fail(
                ctx, RW_ERR_ARGUMENT,
                "b_shape[%d] = %lld: along an axis that is not convolved, b must have 1 element or, like a, %lld", d,
                (long long)m, (long long)n);
        if (convolved && n > 0 && m != n && s->mode == RW_CONVOLUTION_VALID) {
            const bool differs = longer >= 0 && (m > n) != (s->b_shape[longer] > s->a_shape[longer]);
            if (differs)
                return rw_fail(
                    ctx, RW_ERR_ARGUMENT,
                    "mode valid: b is %s than a on axis %d, but %s on axis %d: one of them must be at least as "
                    "long as the other on every convolved axis",
                    m > n ? "longer" : "shorter", d, m > n ? "shorter" : "longer", longer);
            longer = d;
        }
        if (convolved && s->mode == RW_CONVOLUTION_PERIODIC && m > n)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "b_shape[%d] = %lld is larger than the period of a, %lld", d,
                           (long long)m, (long long)n);
    }
    return RW_OK;
}

rw_status rw_convolution_shape_sized(rw_context *ctx, const rw_convolution_spec *spec, int64_t shape[RW_MAX_NDIM],
                                     size_t spec_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(spec, "spec");
    RW_NEED(shape, "shape");
    RW_STRUCT_IN(ctx, rw_convolution_spec, spec, spec_size);
    rw_convolution_spec s = *spec;
    RW_TRY(resolve(ctx, &s));
    for (int d = 0; d < RW_MAX_NDIM; ++d)
        shape[d] = d >= s.ndim                                ? 0
                   : !(s.axes & 1u << d) || s.a_shape[d] == 0 ? s.a_shape[d]
                                                              : wanted(s.mode, s.a_shape[d], s.b_shape[d]);
    return RW_OK;
}

/* The transform's length on an axis, and the place of b: number `offset` of all n + m - 1 becomes number 0. */
static void choose_length(rw_convolution *c, int d)
{
    static const rw_fft_target target = {0}; /* the same lengths on all devices */
    const rw_convolution_spec *s = &c->spec;
    const int64_t n = s->a_shape[d], m = s->b_shape[d];
    int64_t offset = 0;
    if (s->mode == RW_CONVOLUTION_PERIODIC) {
        c->start[d] = 0;
        if (rw_fft_length(&target, n, &c->length[d]) == RW_FFT_STOCKHAM) return;
        c->length[d] = rw_fft_smooth(&target, n + m - 1);
        c->extra[d].period = n; /* a, with a piece of it again, in a longer one */
        if (!s->correlate) {
            c->extra[d].ahead = n - m + 1;
            c->start[d] = 1 - m;
        }
        return;
    }
    if (s->mode == RW_CONVOLUTION_SAME) offset = (m - 1) / 2;
    if (s->mode == RW_CONVOLUTION_VALID) offset = RW_MIN(n, m) - 1;
    /* with `valid`, wrapped values fall on the elements before `offset`, which are not part of the result */
    c->length[d] = rw_fft_smooth(&target, s->mode == RW_CONVOLUTION_VALID
                                              ? RW_MAX(n, m)
                                              : RW_MAX(n + m - 1 - offset, offset + wanted(s->mode, n, m)));
    c->start[d] = s->correlate ? offset - m + 1 : -offset;
}

/* The axes that are convolved, the last one first, with their lengths. */
static void choose_lengths(rw_convolution *c)
{
    const rw_convolution_spec *s = &c->spec;
    for (int d = s->ndim - 1; d >= 0; --d) {
        if (s->axes & 1u << d) {
            c->order[c->n++] = d;
            choose_length(c, d);
        } else c->length[d] = s->b_shape[d];
    }
    c->halves = c->real && c->n > 1;
}

/* Values of the spectrum on an axis. */
static int64_t spectrum_length(const rw_convolution *c, int d)
{
    return c->halves && d == c->order[0] ? c->length[d] / 2 + 1 : c->length[d];
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static rw_fft_region next_region(rw_convolution *c, const rw_fft_region *now, int axis, int64_t elements)
{
    int64_t shape[RW_MAX_NDIM];
    memcpy(shape, now->shape, sizeof shape);
    shape[axis] = elements;
    if (now->where == RW_FFT_WORK && !memcmp(shape, now->shape, (size_t)c->spec.ndim * sizeof *shape)) return *now;
    return rw_fft_in_work(&c->passes, false, shape);
}

static rw_status add_passes(rw_convolution *c)
{
    const int first = c->order[c->n - 1];
    int64_t product[RW_MAX_NDIM] = {0}, step = 1;
    for (int d = c->spec.ndim - 1; d >= 0; step *= spectrum_length(c, d--))
        product[d] = spectrum_length(c, d) > 1 || c->spec.axes & 1u << d ? step : 0;
    rw_fft_region now = c->input;
    for (int i = 0; i < c->n - 1; ++i) {
        const int d = c->order[i];
        const rw_fft_region next = next_region(c, &now, d, spectrum_length(c, d));
        RW_TRY(rw_fft_add_axis(&c->passes, c->halves && i == 0 ? RW_FFT_REAL : RW_FFT_COMPLEX, false, c->length[d], d,
                               &now, &next, c->extra[d]));
        now = next;
    }
    rw_fft_extra middle = c->extra[first];
    middle.product = product;
    middle.conjugate = c->spec.correlate;
    for (int i = c->n - 1; i >= 0; --i) {
        const int d = c->order[i];
        const rw_fft_region next = i == 0 ? c->output : next_region(c, &now, d, c->y_shape[d]);
        RW_TRY(rw_fft_add_axis(&c->passes, c->halves && i == 0 ? RW_FFT_REAL : RW_FFT_COMPLEX, d != first, c->length[d],
                               d, &now, &next, d == first ? middle : (rw_fft_extra){0}));
        now = next;
    }
    return RW_OK;
}

/* The transform of zero-padded b. */
static rw_status plan_factors(rw_convolution *c)
{
    rw_fft_spec f = {.kind = c->halves ? RW_FFT_REAL : RW_FFT_COMPLEX,
                     .single = c->passes.single,
                     .ndim = c->spec.ndim,
                     .axes = c->spec.axes};
    int64_t shape[RW_MAX_NDIM];
    for (int d = 0; d < c->spec.ndim; ++d) {
        f.shape[d] = c->length[d];
        shape[d] = spectrum_length(c, d);
    }
    RW_TRY(rw_fft_create(c->device, &f, &c->transform));
    return rw_array_create(c->device, c->passes.single ? RW_C64 : RW_C128, c->spec.ndim, shape, RW_MEMORY_DEVICE,
                           &c->factors);
}

rw_status rw_convolution_create_sized(rw_device *dev, const rw_convolution_spec *spec, rw_convolution **convolution,
                                      size_t spec_size)
{
    RW_NEED(convolution, "convolution");
    *convolution = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_convolution_spec, spec, spec_size);
    rw_convolution *c = rw_calloc(1, sizeof *c);
    int64_t size;
    bool empty = false;
    if (!c) return rw_fail_memory(dev->ctx, sizeof *c, "a convolution");
    c->device = rw_device_retain(dev);
    c->spec = *spec;
    rw_status status = resolve(dev->ctx, &c->spec);
    if (status == RW_OK) status = rw_convolution_shape(dev->ctx, &c->spec, c->y_shape);
    if (status == RW_OK) status = rw_array_check_shape(dev, c->spec.dtype, c->spec.ndim, c->spec.a_shape, &size);
    if (status == RW_OK) status = rw_array_check_shape(dev, c->spec.dtype, c->spec.ndim, c->y_shape, &size);
    if (status == RW_OK) {
        c->real = !rw_dtype_is_complex(c->spec.dtype);
        c->passes = (rw_fft_passes){.device = dev, .ndim = c->spec.ndim, .single = rw_dtype_is_single(c->spec.dtype)};
        c->input = rw_fft_of_caller(false, c->real, c->spec.dtype, c->spec.ndim, c->spec.a_shape, c->spec.a_stride);
        c->output = rw_fft_of_caller(true, c->real, c->spec.dtype, c->spec.ndim, c->y_shape, c->spec.y_stride);
        for (int d = 0; d < c->spec.ndim; ++d) empty = empty || c->spec.a_shape[d] == 0;
    }
    if (status == RW_OK) status = rw_fft_check_strides(dev, &c->output, c->spec.ndim, "y_stride");
    if (status == RW_OK && !empty) choose_lengths(c);
    if (status == RW_OK && !empty) status = add_passes(c);
    if (status == RW_OK && !empty) status = plan_factors(c);
    if (status == RW_OK) status = rw_fft_passes_ready(&c->passes);
    if (status != RW_OK) rw_convolution_destroy(&c);
    *convolution = c;
    return status;
}

void rw_convolution_destroy(rw_convolution **convolution)
{
    if (!convolution || !*convolution) return;
    rw_convolution *c = *convolution;
    *convolution = NULL;
    rw_fft_passes_free(&c->passes);
    rw_fft_destroy(&c->transform);
    rw_array_destroy(&c->factors);
    rw_device_close(&c->device);
    rw_free(c);
}

/* ---- b, and execution -------------------------------------------------------------------------------------------- */

/* Copies a piece of b to its place in `all`. An axis whose numbers go beyond the end has two: those up to it, and, for
 * axes with a bit in `wrapped`, those from the beginning on. */
static rw_status place_piece(const rw_convolution *c, rw_array *b, rw_array *all, unsigned wrapped, rw_queue *q)
{
    int64_t at = 0, from = 0, shape[RW_MAX_NDIM];
    for (int d = 0; d < c->spec.ndim; ++d) {
        const int64_t m = c->spec.b_shape[d], len = c->length[d], start = ((c->start[d] % len) + len) % len,
                      before = RW_MIN(m, len - start);
        const bool second = wrapped & 1u << d;
        shape[d] = second ? m - before : before;
        if (shape[d] <= 0) return RW_OK;
        at += (second ? 0 : start) * all->stride[d];
        from += (second ? before : 0) * b->stride[d];
    }
    rw_array *to = NULL, *piece = NULL;
    rw_status status = rw_array_view(all, RW_DTYPE_DEFAULT, c->spec.ndim, shape, all->stride, at, &to);
    if (status == RW_OK) status = rw_array_view(b, RW_DTYPE_DEFAULT, c->spec.ndim, shape, b->stride, from, &piece);
    if (status == RW_OK) status = rw_array_copy(to, piece, q);
    rw_array_destroy(&to);
    rw_array_destroy(&piece);
    return status;
}

rw_status rw_convolution_set(rw_convolution *c, rw_array *b, rw_queue *q)
{
    RW_NEED(c, "convolution");
    RW_NEED(b, "b");
    RW_NEED(q, "queue");
    const rw_convolution_spec *s = &c->spec;
    bool fits = b->device == c->device && b->dtype == s->dtype && b->ndim == s->ndim;
    for (int d = 0; d < s->ndim && fits; ++d) fits = b->shape[d] == s->b_shape[d];
    if (!fits)
        return rw_fail(c->device->ctx, RW_ERR_ARGUMENT,
                       "rw_convolution_set: type, shape or device of b differs from the plan");
    if (!c->transform) return RW_OK; /* nothing to do */
    rw_array *all;
    RW_TRY(rw_array_create(c->device, c->halves ? s->dtype : c->factors->dtype, s->ndim, c->length, RW_MEMORY_DEVICE,
                           &all));
    rw_status status = rw_array_zero(all, q);
    for (unsigned wrapped = 0; wrapped < 1u << s->ndim && status == RW_OK; ++wrapped)
        status = place_piece(c, b, all, wrapped, q);
    if (status == RW_OK) status = rw_fft_execute(c->transform, all, c->factors, q);
    rw_array_destroy(&all);
    c->set = status == RW_OK;
    return status;
}

rw_status rw_convolution_execute(rw_convolution *c, rw_array *a, rw_array *y, rw_queue *q)
{
    RW_NEED(c, "convolution");
    RW_NEED(a, "a");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    double scale = c->spec.scale;
    RW_TRY(rw_fft_check_array(&c->passes, a, &c->input, "rw_convolution_execute: a"));
    RW_TRY(rw_fft_check_array(&c->passes, y, &c->output, "rw_convolution_execute: y"));
    RW_TRY(rw_array_check_written(y, "rw_convolution_execute: y"));
    RW_TRY(rw_fft_check_overlap(&c->passes, a, y, __func__));
    if (!c->passes.n) return RW_OK;
    if (!c->set)
        return rw_fail(c->device->ctx, RW_ERR_ARGUMENT,
                       "rw_convolution_execute: b is not set: call rw_convolution_set first");
    for (int d = 0; d < c->spec.ndim; ++d)
        if (c->spec.axes & 1u << d) scale /= (double)c->length[d];
    return rw_fft_passes_run(&c->passes, a, y, c->factors, scale, q);
}

rw_status rw_convolution_get_spec_sized(const rw_convolution *c, rw_convolution_spec *spec, size_t spec_size)
{
    RW_NEED(c, "convolution");
    RW_NEED(spec, "spec");
    return rw_struct_out(RW_OK, spec, spec_size, &c->spec, sizeof c->spec);
}

rw_status rw_convolution_get_info_sized(const rw_convolution *c, rw_fft_info *info, size_t info_size)
{
    RW_NEED(c, "convolution");
    RW_NEED(info, "info");
    rw_fft_info all = rw_fft_passes_info(&c->passes);
    if (c->factors) all.table_bytes += (int64_t)c->factors->bytes;
    return rw_struct_out(RW_OK, info, info_size, &all, sizeof all);
}

rw_status rw_convolution_set_work(rw_convolution *c, rw_array *work)
{
    RW_NEED(c, "convolution");
    return rw_fft_passes_set_work(&c->passes, work, __func__);
}
