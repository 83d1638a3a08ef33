/* A transform as passes over memory. Axis after axis, each one pass where the memory of a group holds its points; longer ones two (Bailey 1990: the points as a matrix, columns, factors, rows)
 * or, where a convolution is needed, three. What lies between passes is in y where it fits, else in the work area. */
#include <stdlib.h>
#include <string.h>

#include "device/axes.h"
#include "fft/ends.h"

enum { MOST_PASSES = 4 * RW_MAX_NDIM, MOST_LONG = 1 << 26 };

/* Where a pass reads or writes. */
typedef struct region {
    enum { IN_X, IN_Y, IN_WORK } where;
    bool real;
    rw_dtype dtype;
    int64_t first;                 /* IN_WORK, in elements */
    int64_t shape[RW_MAX_NDIM], stride[RW_MAX_NDIM];
} region;

typedef struct pass {
    rw_fft_line line;
    region from, to;
    int64_t step_x, step_y;
    rw_axis other[RW_MAX_NDIM + 1];    /* lines: three axes of a launch, then those of several launches */
    int nother;
} pass;

struct rw_fft {
    rw_device *device;
    rw_fft_spec spec;
    bool inverse;     /* exp(+…), after the kind has been chosen */
    bool empty;
    pass passes[MOST_PASSES];
    int npasses;
    int64_t work_reals;       /* of the work area */
    rw_array *work, *own;     /* in use; the plan's */
    region input, output;
    rw_fft_info info;
};

static const char *const names[] = {
#define RW_X(name, text, line) text,
    RW_FFT_KIND_LIST(RW_X)
#undef RW_X
};

const char *rw_fft_kind_name(rw_fft_kind kind) { return (unsigned)kind < RW_COUNT(names) ? names[kind] : "?"; }

/* ---- the specification ---------------------------------------------------------------------------------------------------------- */

static int last_axis(const rw_fft_spec *s)
{
    int d = s->ndim - 1;
    while (d > 0 && !(s->axes & 1u << d)) --d;
    return d;
}

/* The numbers that an array holds: y of REAL has half a spectrum on the last axis. */
static void whole_shape(const rw_fft_spec *s, bool y, int64_t *shape)
{
    memcpy(shape, s->shape, RW_MAX_NDIM * sizeof *shape);
    if (s->kind == RW_FFT_REAL && s->inverse != y) shape[last_axis(s)] = shape[last_axis(s)] / 2 + 1;
}

static rw_status check_dtype(rw_device *dev, const rw_fft_spec *s, bool y, rw_dtype *dtype)
{
    const bool real = rw_fft_is_real(s->kind, s->inverse, y);
    if (*dtype == RW_DTYPE_DEFAULT) *dtype = real ? s->single ? RW_F32 : RW_F64 : s->single ? RW_C64 : RW_C128;
    const bool small = *dtype == RW_F16 || *dtype == RW_BF16;
    if (small ? s->single : real ? *dtype == RW_F32 || *dtype == RW_F64 : *dtype == RW_C64 || *dtype == RW_C128) return RW_OK;
    return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s = %s: %s numbers are stored as %s%s", y ? "y_dtype" : "x_dtype", rw_dtype_name(*dtype), real ? "real" : "complex",
                   real ? "f32 or f64" : "c64 or c128", s->single ? ", or as f16 or bf16" : "; as f16 or bf16 where single is true");
}

static rw_status check_side(rw_device *dev, rw_fft_spec *s, bool y)
{
    int64_t *shape = y ? s->y_shape : s->x_shape, *stride = y ? s->y_stride : s->x_stride, whole[RW_MAX_NDIM], step = 1, size;
    bool shaped = false, given = false;
    whole_shape(s, y, whole);
    for (int d = 0; d < s->ndim; ++d) shaped = shaped || shape[d], given = given || stride[d];
    if (!shaped) memcpy(shape, whole, sizeof whole);
    RW_TRY(rw_array_check_shape(dev, y ? s->y_dtype : s->x_dtype, s->ndim, shape, &size));
    for (int d = 0; d < s->ndim; ++d)
        if (shape[d] > whole[d] || (shape[d] != whole[d] && !(s->axes & 1u << d)))
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s[%d] = %lld: %s", y ? "y_shape" : "x_shape", d, (long long)shape[d],
                           s->axes & 1u << d ? "more than the transform has" : "an axis that is not transformed has all of `shape`");
    for (int d = s->ndim - 1; d >= 0 && !given; --d) stride[d] = step, step *= RW_MAX(shape[d], 1);
    return RW_OK;
}

static rw_status check_spec(rw_device *dev, rw_fft_spec *s)
{
    int64_t size;
    if ((unsigned)s->kind >= RW_FFT_KINDS) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kind = %d is none of rw_fft_kind", (int)s->kind);
    RW_TRY(rw_array_check_shape(dev, s->single ? RW_C64 : RW_C128, s->ndim, s->shape, &size));
    if (s->axes >> s->ndim)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "axes = %#x has an axis beyond the %d of the array", s->axes, s->ndim);
    if (!s->axes) s->axes = (1u << s->ndim) - 1;
    if (s->scale == 0) s->scale = 1;
    for (int d = 0; d < s->ndim; ++d) {
        const int64_t least = s->kind == RW_FFT_DCT1 ? 2 : 0;
        if (s->axes & 1u << d && s->shape[d] < least)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "shape[%d] = %lld: dct1 needs 2 points or more", d, (long long)s->shape[d]);
    }
    for (int y = 0; y < 2; ++y) {
        RW_TRY(check_dtype(dev, s, y, y ? &s->y_dtype : &s->x_dtype));
        RW_TRY(check_side(dev, s, y));
    }
    return RW_OK;
}

/* ---- regions --------------------------------------------------------------------------------------------------------------------- */

/* A new place in the work area for an array of this shape. */
static region in_work(rw_fft *f, bool real, const int64_t *shape)
{
    region r = {.where = IN_WORK, .real = real, .dtype = real ? f->spec.single ? RW_F32 : RW_F64 : f->spec.single ? RW_C64 : RW_C128};
    int64_t step = 1;
    memcpy(r.shape, shape, sizeof r.shape);
    for (int d = f->spec.ndim - 1; d >= 0; --d) r.stride[d] = step, step *= r.shape[d];
    r.first = f->work_reals / (real ? 1 : 2);
    f->work_reals += (step * (real ? 1 : 2) + 31) / 32 * 32;
    return r;
}

/* ---- passes ---------------------------------------------------------------------------------------------------------------------- */

static rw_fft_line_spec line_of(const rw_fft *f, rw_fft_kind kind, int64_t n)
{
    rw_fft_line_spec l = {.kind = kind, .f64 = !f->spec.single, .inverse = f->inverse, .forth_inverse = f->inverse, .n = n, .points = rw_fft_points(kind, n)};
    return l;
}

/* Adds the pass along an axis; `q` > 0: a further axis of lines of so many, which lie q_x and q_y apart. `exist`: elements at both sides. */
static rw_status add_pass(rw_fft *f, rw_fft_line_spec *l, int axis, const region *from, int64_t step_x, const region *to, int64_t step_y, rw_axis q, bool pairs)
{
    pass *p = f->passes + f->npasses;
    int n = 0;
    p->from = *from, p->to = *to, p->step_x = step_x, p->step_y = step_y;
    for (int d = f->spec.ndim - 1; d >= 0; --d)
        if (d != axis) n = rw_axes_add(p->other, n, (rw_axis){from->shape[d], to->stride[d], from->stride[d]});
    p->nother = rw_axes_join(p->other, n, 2);
    if (q.n) { /* neighbouring lines first */
        const int at = to->stride[axis] == 1 || p->other[0].n == 1 ? 0 : 1;
        memmove(p->other + at + 1, p->other + at, (size_t)(p->nother - at) * sizeof *p->other);
        p->other[at] = q;
        p->nother++;
        l->second = at == 1;
    }
    for (; p->nother < RW_FFT_LINE_AXES; ++p->nother) p->other[p->nother] = (rw_axis){1, 0, 0};
    const rw_axis near = p->other[0];
    const int64_t near_x = l->x.apart && !l->second ? step_x : near.x, near_y = l->y.apart && !l->second ? step_y : near.y;
    const int64_t point_x = l->x.apart ? step_x * l->x.apart : step_x, point_y = l->y.apart ? step_y * l->y.apart : step_y;
    l->x.dtype = from->dtype, l->y.dtype = to->dtype;
    l->x.unit = step_x == 1, l->y.unit = step_y == 1;
    l->x.lines_fast = near.n > 1 && llabs(near_x) < llabs(point_x), l->y.lines_fast = near.n > 1 && llabs(near_y) < llabs(point_y);
    RW_TRY(rw_fft_line_create(f->device, l, pairs, &p->line));
    f->npasses++;
    return RW_OK;
}

/* Points of a line that one pass takes. */
static int64_t pass_most(const rw_fft *f)
{
    const int64_t most = rw_fft_line_most(f->device, !f->spec.single);
    return most;
}

static rw_status one_pass(rw_fft *f, rw_fft_line_spec *l, int axis, const region *from, const region *to)
{
    l->stages = l->whole;
    l->x.level = l->y.level = RW_FFT_USER;
    l->x.exist = from->shape[axis], l->y.exist = to->shape[axis];
    if (l->method != RW_FFT_STOCKHAM) l->middle = RW_FFT_TABLE, l->forth_inverse = false;
    return add_pass(f, l, axis, from, from->stride[axis], to, to->stride[axis], (rw_axis){0, 0, 0}, false);
}

/* The spectrum comes from pairs of points. */
static bool halves_of(const rw_fft_line_spec *l)
{
    return rw_fft_form_of(l->kind, l->inverse) == RW_FFT_FORM_HALVES && rw_fft_real_length(l->kind, l->n) % 2 == 0;
}

/* A transform of `whole` points as a matrix of a rows and b columns. */
static rw_status long_passes(rw_fft *f, rw_fft_line_spec *l, int axis, const region *from, const region *to, int64_t a, int64_t b)
{
    const bool convolves = l->method != RW_FFT_STOCKHAM;
    const bool halves = halves_of(l);
    int64_t shape[RW_MAX_NDIM];
    memcpy(shape, from->shape, sizeof shape);
    shape[axis] = l->whole;
    const region matrix = in_work(f, false, shape);
    const int64_t w = matrix.stride[axis];
    region last = *to;
    if (halves) shape[axis] = l->points, last = in_work(f, false, shape);
    rw_fft_line_spec first = *l, second = *l, third = *l;
    first.stages = a, first.x = (rw_fft_end){.level = RW_FFT_USER, .exist = from->shape[axis], .apart = b};
    first.twist = l->whole, first.forth_inverse = convolves ? false : l->inverse, first.twist_inverse = first.forth_inverse;
    RW_TRY(add_pass(f, &first, axis, from, from->stride[axis], &matrix, w * b, (rw_axis){b, w, 0}, false));
    second.stages = b;
    rw_fft_end result = {.level = halves ? RW_FFT_POINTS : RW_FFT_USER, .exist = last.shape[axis], .apart = a};
    if (!convolves) {
        second.y = result;
        RW_TRY(add_pass(f, &second, axis, &matrix, w, &last, last.stride[axis], (rw_axis){a, 0, w * b}, false));
    } else {
        second.middle = RW_FFT_TABLE, second.forth_inverse = false, second.twist = l->whole, second.twist_inverse = true;
        RW_TRY(add_pass(f, &second, axis, &matrix, w, &matrix, w, (rw_axis){a, w * b, w * b}, false));
        third.stages = a, third.forth_inverse = true, result.apart = b, third.y = result;
        RW_TRY(add_pass(f, &third, axis, &matrix, w * b, &last, last.stride[axis], (rw_axis){b, 0, w}, false));
    }
    if (!halves) return RW_OK;
    rw_fft_line_spec pairs = *l;
    pairs.method = RW_FFT_STOCKHAM, pairs.stages = pairs.whole = l->points;
    pairs.x = (rw_fft_end){.level = RW_FFT_POINTS, .exist = l->points}, pairs.y = (rw_fft_end){.level = RW_FFT_USER, .exist = to->shape[axis]};
    return add_pass(f, &pairs, axis, &last, last.stride[axis], to, to->stride[axis], (rw_axis){0, 0, 0}, true);
}

static rw_status add_axis(rw_fft *f, rw_fft_kind kind, int axis, const region *from, const region *to)
{
    rw_fft_line_spec l = line_of(f, kind, f->spec.shape[axis]);
    const int64_t most = pass_most(f);
    int64_t a = 0, b = 0;
    l.method = rw_fft_length(l.points, &l.whole);
    const bool rader = l.method == RW_FFT_RADER && l.whole <= most && !halves_of(&l); /* its first result is known too early for a spectrum of pairs */
    if (l.method == RW_FFT_RADER && !rader) l.method = RW_FFT_BLUESTEIN, l.whole = rw_fft_smooth(2 * l.points - 1);
    if (l.whole <= most) return one_pass(f, &l, axis, from, to);
    if (l.whole > MOST_LONG || !rw_fft_split(l.whole, most, &a, &b))
        return rw_fail(f->device->ctx, RW_ERR_UNSUPPORTED, "shape[%d] = %lld: a line of so many points is transformed as %lld, which two passes do not hold", axis,
                       (long long)f->spec.shape[axis], (long long)l.whole);
    return long_passes(f, &l, axis, from, to, a, b);
}

/* Where the numbers lie after this axis: in y where they fit, else where they are if that fits, else anew. */
static region after(rw_fft *f, int axis, bool last, bool real, const region *now)
{
    const rw_fft_spec *s = &f->spec;
    if (last) return f->output;
    int64_t shape[RW_MAX_NDIM];
    memcpy(shape, now->shape, sizeof shape);
    shape[axis] = f->output.shape[axis];
    const rw_dtype computed = real ? s->single ? RW_F32 : RW_F64 : s->single ? RW_C64 : RW_C128;
    if (real == f->output.real && f->output.dtype == computed && !memcmp(shape, f->output.shape, (size_t)s->ndim * sizeof *shape)) return f->output;
    if (now->where == IN_WORK && now->real == real && !memcmp(shape, now->shape, (size_t)s->ndim * sizeof *shape)) return *now;
    return in_work(f, real, shape);
}

static rw_status add_axes(rw_fft *f)
{
    const rw_fft_spec *s = &f->spec;
    const bool back = s->kind == RW_FFT_REAL && s->inverse;
    int order[RW_MAX_NDIM], n = 0;
    for (int d = s->ndim - 1; d >= 0; --d)
        if (s->axes & 1u << d) order[n++] = d;
    if (back) /* the last axis becomes real at the end */
        for (int i = 0; i < n / 2; ++i) {
            const int d = order[i];
            order[i] = order[n - 1 - i], order[n - 1 - i] = d;
        }
    region now = f->input;
    for (int i = 0; i < n; ++i) {
        const bool last = i == n - 1, halves = s->kind == RW_FFT_REAL && order[i] == last_axis(s);
        const rw_fft_kind kind = s->kind != RW_FFT_REAL || halves ? s->kind : RW_FFT_COMPLEX;
        const region next = after(f, order[i], last, rw_fft_is_real(kind, s->inverse, true), &now);
        RW_TRY(add_axis(f, kind, order[i], &now, &next));
        now = next;
    }
    return RW_OK;
}

static int64_t size_of(const region *r, int ndim)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; ++d) size *= r->shape[d];
    return size * (int64_t)rw_dtype_size(r->dtype) * ((r->dtype == RW_F16 || r->dtype == RW_BF16) && !r->real ? 2 : 1);
}

static void measure(rw_fft *f)
{
    rw_fft_info *i = &f->info;
    i->passes = f->npasses;
    i->work_bytes = f->work_reals * (f->spec.single ? 4 : 8);
    for (int k = 0; k < f->npasses; ++k) {
        const pass *p = f->passes + k;
        bool again = false;
        for (int j = 0; j < k; ++j) again = again || f->passes[j].line.program == p->line.program;
        i->programs += !again;
        i->bytes += size_of(&p->from, f->spec.ndim) + size_of(&p->to, f->spec.ndim);
        i->table_bytes += (int64_t)p->line.factors->bytes;
    }
}

/* ---- create ------------------------------------------------------------------------------------------------------------------------ */

static region user_region(const rw_fft_spec *s, bool y)
{
    region r = {.where = y ? IN_Y : IN_X, .real = rw_fft_is_real(s->kind, s->inverse, y), .dtype = y ? s->y_dtype : s->x_dtype};
    memcpy(r.shape, y ? s->y_shape : s->x_shape, sizeof r.shape);
    memcpy(r.stride, y ? s->y_stride : s->x_stride, sizeof r.stride);
    return r;
}

/* Inverse cosine and sine transforms are other kinds; III is computed from a spectrum, with exp(+…). */
static void choose_kind(rw_fft *f)
{
    static const rw_fft_kind inverse[RW_FFT_KINDS] = {[RW_FFT_DCT1] = RW_FFT_DCT1, [RW_FFT_DCT2] = RW_FFT_DCT3, [RW_FFT_DCT3] = RW_FFT_DCT2, [RW_FFT_DCT4] = RW_FFT_DCT4,
                                                      [RW_FFT_DST1] = RW_FFT_DST1, [RW_FFT_DST2] = RW_FFT_DST3, [RW_FFT_DST3] = RW_FFT_DST2, [RW_FFT_DST4] = RW_FFT_DST4};
    rw_fft_spec *s = &f->spec;
    if (s->kind >= RW_FFT_DCT1) {
        if (s->inverse) s->kind = inverse[s->kind];
        s->inverse = false;
    }
    f->inverse = s->kind == RW_FFT_DCT3 || s->kind == RW_FFT_DST3 || s->inverse;
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
    if (status == RW_OK) {
        choose_kind(f);
        f->input = user_region(&f->spec, false), f->output = user_region(&f->spec, true);
        for (int d = 0; d < f->spec.ndim; ++d) f->empty = f->empty || f->input.shape[d] == 0 || f->output.shape[d] == 0 || f->spec.shape[d] == 0;
    }
    if (status == RW_OK && !f->empty) status = add_axes(f);
    if (status == RW_OK) measure(f);
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
    rw_array_destroy(&f->work);
    rw_array_destroy(&f->own);
    rw_device_close(&f->device);
    rw_free(f);
}

rw_status rw_fft_get_info(const rw_fft *f, rw_fft_info *info)
{
    RW_NEED(f, "fft"); RW_NEED(info, "info");
    *info = f->info;
    return RW_OK;
}

rw_status rw_fft_set_work(rw_fft *f, rw_array *work)
{
    RW_NEED(f, "fft");
    rw_array *view = NULL;
    if (work) {
        const int64_t given = (int64_t)work->bytes;
        if (work->device != f->device || !rw_array_is_contiguous(work) || given < f->info.work_bytes)
            return rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "rw_fft_set_work: a contiguous array of the plan's device with %lld bytes or more is needed, this one has %lld",
                           (long long)f->info.work_bytes, (long long)given);
        RW_TRY(rw_array_view(work, f->spec.single ? RW_F32 : RW_F64, 1, (const int64_t[]){f->work_reals}, NULL, 0, &view));
        if (view->offset % 2) {
            rw_array_destroy(&view);
            return rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "rw_fft_set_work: the array does not begin at a multiple of %d bytes", f->spec.single ? 8 : 16);
        }
    }
    rw_array_destroy(&f->work);
    f->work = view;
    return RW_OK;
}

/* ---- execute ----------------------------------------------------------------------------------------------------------------------- */

/* An array of complex numbers as pairs has one axis more. */
static bool has_pairs(const region *r) { return !r->real && (r->dtype == RW_F16 || r->dtype == RW_BF16); }

static rw_status check_array(const rw_fft *f, const rw_array *a, const region *r, const char *name)
{
    const int ndim = f->spec.ndim, parts = has_pairs(r) ? 2 : 1;
    bool fits = a->device == f->device && a->dtype == r->dtype && a->ndim == ndim + parts - 1;
    for (int d = 0; d < ndim && fits; ++d) fits = a->shape[d] == r->shape[d] && (a->stride[d] == parts * r->stride[d] || r->shape[d] < 2);
    if (parts == 2) fits = fits && a->shape[ndim] == 2 && a->stride[ndim] == 1 && a->offset % 2 == 0;
    return fits ? RW_OK
                : rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "rw_fft_execute: %s is not of the type, shape, strides and device that the transform was planned for", name);
}

/* The bytes between the first and the last element. */
static void extent(const rw_array *a, int64_t *first, int64_t *end)
{
    const int64_t bytes = (int64_t)rw_dtype_size(a->dtype);
    *first = *end = a->offset * bytes;
    for (int d = 0; d < a->ndim; ++d) {
        const int64_t last = (a->shape[d] - 1) * a->stride[d] * bytes;
        if (last < 0) *first += last;
        else *end += last;
    }
    *end += bytes;
}

/* x and y share memory: a pass may only write what its own group has read. */
static rw_status check_overlap(const rw_fft *f, const rw_array *x, const rw_array *y)
{
    int64_t x0, x1, y0, y1;
    if (x->storage != y->storage || f->empty) return RW_OK;
    extent(x, &x0, &x1), extent(y, &y0, &y1);
    if (x1 <= y0 || y1 <= x0) return RW_OK;
    const pass *p = f->passes;
    if (p->to.where != IN_Y) return RW_OK; /* all of x is read before */
    const int64_t bx = (int64_t)rw_dtype_size(x->dtype), by = (int64_t)rw_dtype_size(y->dtype);
    bool same = x0 == y0 && !has_pairs(&f->input) == !has_pairs(&f->output), lines = p->step_x * bx == p->step_y * by && bx == by;
    for (int d = 0; d < p->nother; ++d) same = same && (p->other[d].n == 1 || p->other[d].x * bx == p->other[d].y * by);
    if (!lines && p->step_x == 1 && p->step_y == 1) { /* lines of different length, each in room of its own */
        const int64_t need = RW_MAX(f->input.shape[last_axis(&f->spec)] * bx, f->output.shape[last_axis(&f->spec)] * by);
        lines = true;
        for (int d = 0; d < p->nother; ++d) lines = lines && (p->other[d].n == 1 || llabs(p->other[d].x) * bx >= need);
    }
    return same && lines ? RW_OK
                         : rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "rw_fft_execute: x and y overlap, and a line of y does not lie where its line of x does: give the same strides in bytes, or other memory");
}

static rw_array *array_of(rw_fft *f, const region *r, rw_array *x, rw_array *y) { return r->where == IN_X ? x : r->where == IN_Y ? y : f->work ? f->work : f->own; }

static int64_t first_of(const region *r, const rw_array *a)
{
    if (r->where != IN_WORK) return has_pairs(r) ? a->offset / 2 : a->offset;
    return r->first + (r->real ? a->offset : a->offset / 2);
}

static rw_status run_pass(rw_fft *f, const pass *p, rw_array *x, rw_array *y, double scale, rw_queue *q)
{
    int64_t index[RW_MAX_NDIM + 1] = {0}, lines[RW_FFT_LINE_AXES];
    rw_array *in = array_of(f, &p->from, x, y), *out = array_of(f, &p->to, x, y);
    rw_fft_place from = {first_of(&p->from, in), p->step_x, {0}}, to = {first_of(&p->to, out), p->step_y, {0}};
    for (int d = 0; d < RW_FFT_LINE_AXES; ++d) lines[d] = p->other[d].n, from.line[d] = p->other[d].x, to.line[d] = p->other[d].y;
    for (;;) { /* a launch for each index of the other axes */
        rw_fft_place a = from, b = to;
        for (int d = RW_FFT_LINE_AXES; d < p->nother; ++d) a.first += index[d] * p->other[d].x, b.first += index[d] * p->other[d].y;
        RW_TRY(rw_fft_line_run(&p->line, in, &a, out, &b, NULL, NULL, lines, scale, q));
        int d = RW_FFT_LINE_AXES;
        while (d < p->nother && ++index[d] == p->other[d].n) index[d++] = 0;
        if (d >= p->nother) return RW_OK;
    }
}

rw_status rw_fft_execute(rw_fft *f, rw_array *x, rw_array *y, rw_queue *q)
{
    RW_NEED(f, "fft"); RW_NEED(x, "x"); RW_NEED(y, "y"); RW_NEED(q, "queue");
    RW_TRY(check_array(f, x, &f->input, "x"));
    RW_TRY(check_array(f, y, &f->output, "y"));
    RW_TRY(rw_array_check_written(y, "rw_fft_execute: y"));
    RW_TRY(check_overlap(f, x, y));
    if (f->empty) return RW_OK;
    if (f->work_reals && !f->work && !f->own)
        RW_TRY(rw_array_create(f->device, f->spec.single ? RW_F32 : RW_F64, 1, &f->work_reals, RW_MEMORY_DEVICE, &f->own));
    for (int i = 0; i < f->npasses; ++i) RW_TRY(run_pass(f, f->passes + i, x, y, i == f->npasses - 1 ? f->spec.scale : 1, q));
    return RW_OK;
}
