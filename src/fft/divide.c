#include "fft/divide.h"

#include <math.h>
#include <string.h>

#include "fft/plan.h"

/* An axis forward, divided or back: passes of the plan. */
typedef struct step {
    int axis, first, n;
    const char *what;
} step;

struct rw_fft_divide {
    rw_device *device;
    rw_fft_divide_spec spec;
    rw_fft_passes passes;
    rw_fft_region input, output;
    rw_fft_divisor divisor;
    rw_array *tables; /* of all axes, one after the other */
    bool set;
    int nsteps;
    step steps[2 * RW_MAX_NDIM];
};

double rw_fft_angle(rw_fft_kind kind, int64_t n, int64_t k)
{
    static const double pi = 3.14159265358979323846;
    switch (kind) {
    case RW_FFT_DCT1: return pi * (double)k / (double)(n - 1);
    case RW_FFT_DCT2: return pi * (double)k / (double)n;
    case RW_FFT_DST1: return pi * (double)(k + 1) / (double)(n + 1);
    case RW_FFT_DST2: return pi * (double)(k + 1) / (double)n;
    case RW_FFT_DCT3:
    case RW_FFT_DST3:
    case RW_FFT_DCT4:
    case RW_FFT_DST4: return pi * (double)(2 * k + 1) / (double)(2 * n);
    default: return 2 * pi * (double)k / (double)n;
    }
}

/* ---- create ------------------------------------------------------------------------------------------------------ */

static rw_status check_spec(rw_device *dev, rw_fft_divide_spec *s)
{
    int64_t size;
    if (s->ndim < 1 || s->ndim > RW_MAX_NDIM)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "ndim = %d must be 1 to %d", s->ndim, RW_MAX_NDIM);
    if (!s->axes) s->axes = (1u << s->ndim) - 1;
    if (s->axes >> s->ndim)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "axes = %#x has a bit beyond the %d dimensions of the array", s->axes,
                       s->ndim);
    RW_TRY(rw_array_check_shape(dev, s->single ? RW_F32 : RW_F64, s->ndim, s->shape, &size));
    for (int d = 0; d < s->ndim; ++d) {
        const int64_t least = s->kind[d] == RW_FFT_DCT1 ? 2 : 1;
        if (!(s->axes & 1u << d)) continue;
        if (s->kind[d] <= RW_FFT_COMPLEX || s->kind[d] >= RW_FFT_KINDS)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kind[%d]: choose real, dct1 … dct4 or dst1 … dst4", d);
        if (s->shape[d] < least)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "shape[%d] = %lld: %s needs at least %lld points", d,
                           (long long)s->shape[d], rw_fft_kind_name(s->kind[d]), (long long)least);
    }
    return RW_OK;
}

static void end_step(rw_fft_divide *v, int axis, const char *what, int first)
{
    v->steps[v->nsteps++] = (step){axis, first, v->passes.n - first, what};
}

/* The axis in the middle; -1: none. It takes one pass where others take two: on a processor the first axis, whose
 * elements lie farthest apart and cost most; on a GPU the last one, which leaves more groups in flight. One that fits
 * into a single pass is preferred. */
static int middle_axis(const rw_fft_divide *v)
{
    const rw_fft_divide_spec *s = &v->spec;
    const bool last = rw_device_has_threads(v->device);
    int middle = -1;
    bool fits = false;
    if (s->part != RW_FFT_DIVIDED) return -1;
    for (int i = 0; i < s->ndim && !fits; ++i) {
        const int d = last ? s->ndim - 1 - i : i;
        if (!(s->axes & 1u << d)) continue;
        fits = rw_fft_divides_in_one_pass(&v->passes, s->kind[d], s->shape[d], v->output.stride[d] == 1);
        if (fits || middle < 0) middle = d;
    }
    return middle;
}

/* From the last axis to the first, the one in the middle, and from the first to the last. */
static rw_status add_passes(rw_fft_divide *v)
{
    const rw_fft_divide_spec *s = &v->spec;
    rw_fft_passes *const f = &v->passes;
    const int middle = middle_axis(v);
    const rw_fft_region *from = &v->input, *const to = &v->output;
    for (int d = s->ndim - 1; d >= 0 && s->part != RW_FFT_BACK; --d) {
        const int first = f->n;
        if (d == middle || !(s->axes & 1u << d)) continue;
        RW_TRY(rw_fft_add_axis(f, s->kind[d], rw_fft_kind_is_inverse(s->kind[d]), s->shape[d], d, from, to,
                               (rw_fft_extra){0}));
        end_step(v, d, "forward", first);
        from = to;
    }
    if (middle >= 0) {
        const int first = f->n;
        RW_TRY(rw_fft_add_division(f, s->kind[middle], s->shape[middle], middle, from, to, &v->divisor));
        end_step(v, middle, "forward, divided, back", first);
        from = to;
    }
    for (int d = 0; d < s->ndim && s->part != RW_FFT_FORWARD; ++d) {
        const int first = f->n;
        if (d == middle || !(s->axes & 1u << d)) continue;
        RW_TRY(rw_fft_add_axis_back(f, s->kind[d], s->shape[d], d, from, to));
        end_step(v, d, "back", first);
        from = to;
    }
    return RW_OK;
}

rw_status rw_fft_divide_create(rw_device *dev, const rw_fft_divide_spec *spec, rw_fft_divide **divide)
{
    const rw_dtype dtype = spec->single ? RW_F32 : RW_F64;
    int64_t n = 0;
    *divide = NULL;
    rw_fft_divide_spec all = *spec;
    RW_TRY(check_spec(dev, &all));
    rw_fft_divide *v = rw_calloc(1, sizeof *v);
    if (!v) return rw_fail_memory(dev->ctx, sizeof *v, "a division in the spectrum");
    v->device = rw_device_retain(dev);
    v->spec = all;
    v->passes = (rw_fft_passes){.device = dev, .ndim = spec->ndim, .single = spec->single};
    v->input = rw_fft_of_caller(false, true, dtype, spec->ndim, spec->shape, spec->x_stride);
    v->output = rw_fft_of_caller(true, true, dtype, spec->ndim, spec->shape, spec->y_stride);
    for (int d = 0; d < spec->ndim; n += spec->shape[d++]) {
        v->divisor.axes |= 1u << d;
        v->divisor.first[d] = n;
    }
    rw_status status = rw_fft_check_strides(dev, &v->output, spec->ndim, "y_stride");
    if (status == RW_OK) status = add_passes(v);
    if (status == RW_OK) status = rw_array_create(dev, dtype, 1, &n, RW_MEMORY_DEVICE, &v->tables);
    if (status == RW_OK) status = rw_fft_passes_allocate(&v->passes);
    if (status == RW_OK) status = rw_fft_passes_ready(&v->passes);
    if (status != RW_OK) rw_fft_divide_destroy(&v);
    *divide = v;
    return status;
}

void rw_fft_divide_destroy(rw_fft_divide **divide)
{
    if (!divide || !*divide) return;
    rw_fft_divide *v = *divide;
    *divide = NULL;
    rw_fft_passes_free(&v->passes);
    rw_array_destroy(&v->tables);
    rw_device_close(&v->device);
    rw_free(v);
}

/* ---- the divisor, and execution ---------------------------------------------------------------------------------- */

rw_status rw_fft_divide_set(rw_fft_divide *v, const double *const table[], double shift, rw_queue *q)
{
    void *data;
    int64_t at = 0;
    RW_TRY(rw_array_write(v->tables, &data));
    for (int d = 0; d < v->spec.ndim; ++d)
        for (int64_t k = 0; k < v->spec.shape[d]; ++k, ++at) {
            const double value = table[d][k] + (d ? 0 : shift);
            if (v->spec.single) ((float *)data)[at] = (float)value;
            else ((double *)data)[at] = value;
        }
    RW_TRY(rw_array_send(v->tables, q));
    v->set = true;
    return RW_OK;
}

rw_status rw_fft_divide_execute(rw_fft_divide *v, rw_array *x, double factor, rw_array *y, rw_queue *q)
{
    double scale = factor;
    RW_TRY(rw_fft_check_array(&v->passes, x, &v->input, "rw_fft_divide_execute: x"));
    RW_TRY(rw_fft_check_array(&v->passes, y, &v->output, "rw_fft_divide_execute: y"));
    RW_TRY(rw_array_check_written(y, "rw_fft_divide_execute: y"));
    RW_TRY(rw_fft_check_overlap(&v->passes, x, y, __func__));
    if (!v->set && v->spec.part == RW_FFT_DIVIDED)
        return rw_fail(v->device->ctx, RW_ERR_ARGUMENT,
                       "rw_fft_divide_execute: the tables are not set: call rw_fft_divide_set first");
    for (int d = 0; d < v->spec.ndim && v->spec.part != RW_FFT_FORWARD; ++d)
        if (v->spec.axes & 1u << d) scale /= rw_fft_round_trip(v->spec.kind[d], v->spec.shape[d]);
    return rw_fft_passes_run(&v->passes, x, y, v->tables, scale, q);
}

/* ---- what it takes ----------------------------------------------------------------------------------------------- */

rw_fft_info rw_fft_divide_info(const rw_fft_divide *v)
{
    rw_fft_info info = rw_fft_passes_info(&v->passes);
    info.table_bytes += (int64_t)v->tables->bytes;
    return info;
}

rw_status rw_fft_divide_explain(const rw_fft_divide *v, char **text)
{
    const rw_fft_info info = rw_fft_divide_info(v);
    double points = 1;
    rw_text t = {0};
    *text = NULL;
    for (int d = 0; d < v->spec.ndim; ++d) points *= (double)v->spec.shape[d];
    for (int i = 0; i < v->nsteps; ++i) {
        const step *s = v->steps + i;
        int64_t bytes = 0;
        for (int k = s->first; k < s->first + s->n; ++k) bytes += rw_fft_pass_bytes(&v->passes, k);
        rw_text_add(&t, "axis %d: %s of %lld points, %s: %d pass%s, %.4g bytes per point\n", s->axis,
                    rw_fft_kind_name(v->spec.kind[s->axis]), (long long)v->spec.shape[s->axis], s->what, s->n,
                    s->n == 1 ? "" : "es", (double)bytes / points);
    }
    rw_text_add(&t, "in all %lld passes, %.4g bytes per point; %lld bytes of work memory\n", (long long)info.passes,
                (double)info.bytes / points, (long long)info.work_bytes);
    if (t.failed) {
        rw_text_free(&t);
        return rw_fail_memory(v->device->ctx, t.capacity, "the description of a plan");
    }
    *text = t.data;
    return RW_OK;
}
