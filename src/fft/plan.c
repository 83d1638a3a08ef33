/* A transform of several axes: a pass an axis, the first from x to y, the others in y. */
#include <stdlib.h>
#include <string.h>

#include "device/axes.h"
#include "fft/fft.h"
#include "fft/line.h"

typedef struct pass {
    rw_fft_line line;
    rw_axis at;              /* what is transformed */
    rw_axis other[RW_MAX_NDIM]; /* lines: three axes of a launch, then those of several launches */
    int nother;
} pass;

struct rw_fft {
    rw_device *device;
    rw_fft_spec spec;
    bool empty;
    pass passes[RW_MAX_NDIM];
    int npasses;
};

static rw_status check_spec(rw_device *dev, rw_fft_spec *s)
{
    int64_t size;
    if (s->dtype != RW_C64 && s->dtype != RW_C128)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a transform of %s: c64 and c128 are possible", rw_dtype_name(s->dtype));
    RW_TRY(rw_array_check_shape(dev, s->dtype, s->ndim, s->shape, &size));
    if (s->axes >> s->ndim)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "axes = %#x has an axis beyond the %d of the array", s->axes, s->ndim);
    if (!s->axes) s->axes = (1u << s->ndim) - 1;
    if (s->scale == 0) s->scale = 1;
    for (int side = 0; side < 2; ++side) {
        int64_t *stride = side ? s->y_stride : s->x_stride, step = 1;
        bool given = false;
        for (int d = 0; d < s->ndim; ++d) given = given || stride[d];
        for (int d = s->ndim - 1; d >= 0 && !given; --d) stride[d] = step, step *= RW_MAX(s->shape[d], 1);
    }
    return RW_OK;
}

/* The axes of lines. */
static void find_lines(const rw_fft_spec *s, int axis, const int64_t *x_stride, pass *p)
{
    int n = 0;
    for (int d = s->ndim - 1; d >= 0; --d)
        if (d != axis) n = rw_axes_add(p->other, n, (rw_axis){s->shape[d], s->y_stride[d], x_stride[d]});
    p->nother = rw_axes_join(p->other, n, RW_FFT_LINE_AXES);
}

static rw_status add_pass(rw_fft *f, int axis)
{
    const rw_fft_spec *s = &f->spec;
    pass *p = f->passes + f->npasses;
    const int64_t *x_stride = f->npasses ? s->y_stride : s->x_stride;
    p->at = (rw_axis){s->shape[axis], s->y_stride[axis], x_stride[axis]};
    find_lines(s, axis, x_stride, p);
    const rw_fft_line_spec line = {s->dtype, p->at.n, s->inverse, p->other[0].n > 1 && llabs(p->other[0].y) < llabs(p->at.y), p->at.x == 1, p->at.y == 1};
    RW_TRY(rw_fft_line_create(f->device, &line, &p->line));
    f->npasses++;
    return RW_OK;
}

rw_status rw_fft_create(rw_device *dev, const rw_fft_spec *spec, rw_fft **fft)
{
    RW_NEED(fft, "fft");
    *fft = NULL;
    RW_NEED(dev, "device"); RW_NEED(spec, "spec");
    rw_fft *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(dev->ctx, sizeof *f, "a transform");
    f->device = rw_device_retain(dev);
    f->spec = *spec;
    rw_status status = check_spec(dev, &f->spec);
    for (int d = 0; d < f->spec.ndim && status == RW_OK; ++d) f->empty = f->empty || f->spec.shape[d] == 0;
    for (int d = f->spec.ndim - 1; d >= 0 && status == RW_OK && !f->empty; --d)
        if (f->spec.axes & 1u << d) status = add_pass(f, d);
    if (status != RW_OK) rw_fft_destroy(&f);
    *fft = f;
    return status;
}

void rw_fft_destroy(rw_fft **fft)
{
    if (!fft || !*fft) return;
    rw_fft *f = *fft;
    *fft = NULL;
    for (int i = 0; i < f->npasses; ++i) rw_fft_line_free(&f->passes[i].line);
    rw_device_close(&f->device);
    rw_free(f);
}

static rw_status check_array(const rw_fft *f, const rw_array *a, const int64_t *stride, const char *name)
{
    const rw_fft_spec *s = &f->spec;
    bool fits = a->device == f->device && a->dtype == s->dtype && a->ndim == s->ndim;
    for (int d = 0; d < s->ndim && fits; ++d) fits = a->shape[d] == s->shape[d] && (a->stride[d] == stride[d] || s->shape[d] < 2);
    return fits ? RW_OK
                : rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "rw_fft_execute: %s is not of the type, shape, strides and device that the transform was made for", name);
}

static rw_status run_pass(const pass *p, rw_array *x, rw_array *y, double scale, rw_queue *q)
{
    int64_t index[RW_MAX_NDIM] = {0}, lines[RW_FFT_LINE_AXES];
    rw_fft_place from = {x->offset, p->at.x, {0}}, to = {y->offset, p->at.y, {0}};
    for (int d = 0; d < RW_FFT_LINE_AXES; ++d) lines[d] = p->other[d].n, from.line[d] = p->other[d].x, to.line[d] = p->other[d].y;
    for (;;) { /* a launch for each index of the other axes */
        rw_fft_place a = from, b = to;
        for (int d = RW_FFT_LINE_AXES; d < p->nother; ++d) a.first += index[d] * p->other[d].x, b.first += index[d] * p->other[d].y;
        RW_TRY(rw_fft_line_run(&p->line, x, &a, y, &b, lines, scale, q));
        int d = RW_FFT_LINE_AXES;
        while (d < p->nother && ++index[d] == p->other[d].n) index[d++] = 0;
        if (d >= p->nother) return RW_OK;
    }
}

rw_status rw_fft_execute(rw_fft *f, rw_array *x, rw_array *y, rw_queue *q)
{
    RW_NEED(f, "fft"); RW_NEED(x, "x"); RW_NEED(y, "y"); RW_NEED(q, "queue");
    RW_TRY(check_array(f, x, f->spec.x_stride, "x"));
    RW_TRY(check_array(f, y, f->spec.y_stride, "y"));
    for (int i = 0; i < f->npasses; ++i) RW_TRY(run_pass(f->passes + i, i ? y : x, y, i == f->npasses - 1 ? f->spec.scale : 1, q));
    return RW_OK;
}
