/* Passes over memory: an axis is one pass where the memory of a group holds its points; longer ones are two (Bailey 1990: the points as a matrix, columns, factors, rows)
 * or, where a convolution is part of it, three. */
#include "fft/plan.h"

#include <stdlib.h>
#include <string.h>

#include "fft/ends.h"

enum { MOST_LONG = 1 << 26 };

/* ---- regions --------------------------------------------------------------------------------------------------------------------- */

/* A new place in the work area for an array of this shape. */
rw_fft_region rw_fft_in_work(rw_fft_passes *f, bool real, const int64_t *shape)
{
    rw_fft_region r = {.where = RW_FFT_WORK, .real = real, .dtype = real ? f->single ? RW_F32 : RW_F64 : f->single ? RW_C64 : RW_C128};
    int64_t step = 1;
    memcpy(r.shape, shape, sizeof r.shape);
    for (int d = f->ndim - 1; d >= 0; --d) r.stride[d] = step, step *= r.shape[d];
    r.first = f->work_reals / (real ? 1 : 2);
    f->work_reals += (step * (real ? 1 : 2) + 31) / 32 * 32;
    return r;
}

/* ---- passes ---------------------------------------------------------------------------------------------------------------------- */

/* A further axis of lines. */
typedef struct further {
    int64_t n, x, y, factors; /* n 0: none */
} further;

/* Adds the pass along an axis. `product`: strides of the array of factors, NULL: none. */
static rw_status add_pass(rw_fft_passes *f, rw_fft_line_spec *l, int axis, const rw_fft_region *from, int64_t step_x, const rw_fft_region *to, int64_t step_y, further q, const int64_t *product,
                          int64_t step_b, bool pairs)
{
    rw_fft_pass *p = f->pass + f->n;
    int n = 0, place[RW_MAX_NDIM]; /* axes of lines, the closest in y first */
    p->from = *from, p->to = *to, p->step_x = step_x, p->step_y = step_y, p->step_b = step_b;
    for (int d = f->ndim - 1; d >= 0; --d) {
        if (d == axis || from->shape[d] == 1) continue;
        int at = n++;
        for (; at > 0 && llabs(to->stride[place[at - 1]]) > llabs(to->stride[d]); --at) place[at] = place[at - 1];
        place[at] = d;
    }
    for (int i = 0; i < n; ++i) {
        p->other[i] = (rw_axis){from->shape[place[i]], to->stride[place[i]], from->stride[place[i]]};
        p->factors[i] = product ? product[place[i]] : 0;
    }
    if (product) while (n < 2) p->other[n++] = (rw_axis){1, 0, 0};
    p->nother = product ? n : rw_axes_join(p->other, n, 2); /* factors have strides of their own */
    if (q.n) { /* neighbouring lines first */
        const int at = to->stride[axis] == 1 || p->other[0].n == 1 ? 0 : 1;
        memmove(p->other + at + 1, p->other + at, (size_t)(p->nother - at) * sizeof *p->other);
        memmove(p->factors + at + 1, p->factors + at, (size_t)(p->nother - at) * sizeof *p->factors);
        p->other[at] = (rw_axis){q.n, q.y, q.x}, p->factors[at] = q.factors;
        p->nother++;
        l->second = at == 1;
    }
    for (; p->nother < RW_FFT_LINE_AXES; ++p->nother) p->other[p->nother] = (rw_axis){1, 0, 0}, p->factors[p->nother] = 0;
    const rw_axis near = p->other[0];
    const int64_t near_x = l->x.apart && !l->second ? step_x : near.x, near_y = l->y.apart && !l->second ? step_y : near.y;
    const int64_t point_x = l->x.apart ? step_x * l->x.apart : step_x, point_y = l->y.apart ? step_y * l->y.apart : step_y;
    l->x.dtype = from->dtype, l->y.dtype = to->dtype;
    l->x.real = from->real, l->y.real = to->real;
    l->x.unit = step_x == 1, l->y.unit = step_y == 1;
    l->x.lines_fast = near.n > 1 && llabs(near_x) < llabs(point_x), l->y.lines_fast = near.n > 1 && llabs(near_y) < llabs(point_y);
    RW_TRY(rw_fft_line_create(f->device, l, pairs, &p->line));
    f->n++;
    return RW_OK;
}

/* The spectrum comes from pairs of points. */
static bool halves_of(const rw_fft_line_spec *l)
{
    return rw_fft_form_of(l->kind, l->inverse) == RW_FFT_FORM_HALVES && rw_fft_real_length(l->kind, l->n) % 2 == 0;
}

/* Elements of x that are read. */
static int64_t exist_of(const rw_fft_region *from, int axis, const rw_fft_extra *extra) { return extra->period ? INT64_MAX : from->shape[axis]; }

static rw_status one_pass(rw_fft_passes *f, rw_fft_line_spec *l, int axis, const rw_fft_region *from, const rw_fft_region *to, const rw_fft_extra *extra)
{
    const int64_t *product = extra->product;
    l->stages = l->whole;
    l->x.level = l->y.level = RW_FFT_USER;
    l->x.exist = exist_of(from, axis, extra), l->x.period = extra->period, l->x.ahead = extra->ahead, l->y.exist = to->shape[axis];
    if (product) l->middle = RW_FFT_ARRAY;
    else if (l->method != RW_FFT_STOCKHAM) l->middle = RW_FFT_TABLE, l->forth_inverse = false;
    return add_pass(f, l, axis, from, from->stride[axis], to, to->stride[axis], (further){0, 0, 0, 0}, product, product ? product[axis] : 0, false);
}

/* A transform of `whole` points as a matrix of a rows and b columns. */
static rw_status long_passes(rw_fft_passes *f, rw_fft_line_spec *l, int axis, const rw_fft_region *from, const rw_fft_region *to, int64_t a, int64_t b, const rw_fft_extra *extra)
{
    const int64_t *product = extra->product;
    const bool convolves = product || l->method != RW_FFT_STOCKHAM, halves = halves_of(l);
    int64_t shape[RW_MAX_NDIM];
    memcpy(shape, from->shape, sizeof shape);
    shape[axis] = l->whole;
    const rw_fft_region matrix = rw_fft_in_work(f, false, shape);
    const int64_t w = matrix.stride[axis], step = product ? product[axis] : 0;
    rw_fft_region last = *to;
    if (halves) shape[axis] = l->points, last = rw_fft_in_work(f, false, shape);
    rw_fft_line_spec first = *l, second = *l, third = *l;
    first.stages = a, first.x = (rw_fft_end){.level = RW_FFT_USER, .exist = exist_of(from, axis, extra), .period = extra->period, .ahead = extra->ahead, .apart = b};
    first.twist = l->whole, first.forth_inverse = convolves ? false : l->inverse, first.twist_inverse = first.forth_inverse;
    RW_TRY(add_pass(f, &first, axis, from, from->stride[axis], &matrix, w * b, (further){b, 0, w, 0}, NULL, 0, false));
    second.stages = b;
    rw_fft_end result = {.level = halves ? RW_FFT_POINTS : RW_FFT_USER, .exist = last.shape[axis], .apart = a};
    if (!convolves) {
        second.y = result;
        RW_TRY(add_pass(f, &second, axis, &matrix, w, &last, last.stride[axis], (further){a, w * b, 0, 0}, NULL, 0, false));
    } else {
        second.middle = product ? RW_FFT_ARRAY : RW_FFT_TABLE, second.forth_inverse = false, second.twist = l->whole, second.twist_inverse = true;
        RW_TRY(add_pass(f, &second, axis, &matrix, w, &matrix, w, (further){a, w * b, w * b, step}, product, step * a, false));
        third.stages = a, third.forth_inverse = true, result.apart = b, third.y = result;
        RW_TRY(add_pass(f, &third, axis, &matrix, w * b, &last, last.stride[axis], (further){b, w, 0, 0}, NULL, 0, false));
    }
    if (!halves) return RW_OK;
    rw_fft_line_spec pairs = *l;
    pairs.method = RW_FFT_STOCKHAM, pairs.stages = pairs.whole = l->points;
    pairs.x = (rw_fft_end){.level = RW_FFT_POINTS, .exist = l->points}, pairs.y = (rw_fft_end){.level = RW_FFT_USER, .exist = to->shape[axis]};
    return add_pass(f, &pairs, axis, &last, last.stride[axis], to, to->stride[axis], (further){0, 0, 0, 0}, NULL, 0, true);
}

rw_status rw_fft_add_axis(rw_fft_passes *f, rw_fft_kind kind, bool inverse, int64_t n, int axis, const rw_fft_region *from, const rw_fft_region *to, rw_fft_extra extra)
{
    rw_fft_line_spec l = {.kind = kind, .conjugate = extra.conjugate, .f64 = !f->single, .inverse = inverse, .forth_inverse = inverse, .n = n, .points = rw_fft_points(kind, n)};
    const int64_t most = rw_fft_line_most(f->device, !f->single);
    int64_t a = 0, b = 0;
    l.method = rw_fft_length(l.points, &l.whole);
    const bool rader = l.method == RW_FFT_RADER && l.whole <= most && !halves_of(&l); /* its first result is known too early for a spectrum of pairs */
    if (l.method == RW_FFT_RADER && !rader) l.method = RW_FFT_BLUESTEIN, l.whole = rw_fft_smooth(2 * l.points - 1);
    if (l.whole <= most) return one_pass(f, &l, axis, from, to, &extra);
    if (l.whole > MOST_LONG || !rw_fft_split(l.whole, most, &a, &b))
        return rw_fail(f->device->ctx, RW_ERR_UNSUPPORTED, "%lld points on axis %d: they are transformed as %lld, which two passes do not hold", (long long)n, axis, (long long)l.whole);
    return long_passes(f, &l, axis, from, to, a, b, &extra);
}

void rw_fft_passes_free(rw_fft_passes *f)
{
    for (int i = 0; i < f->n; ++i) rw_fft_line_free(&f->pass[i].line);
    rw_array_destroy(&f->work);
    rw_array_destroy(&f->own);
}

/* ---- what they take -------------------------------------------------------------------------------------------------------------- */

/* Complex numbers of 16 bits are pairs, on one more axis of the array. */
static bool has_pairs(const rw_fft_region *r) { return !r->real && (r->dtype == RW_F16 || r->dtype == RW_BF16); }

static int64_t size_of(const rw_fft_region *r, int ndim)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; ++d) size *= r->shape[d];
    return size * (int64_t)rw_dtype_size(r->dtype) * (has_pairs(r) ? 2 : 1);
}

rw_fft_info rw_fft_passes_info(const rw_fft_passes *f)
{
    rw_fft_info i = {.passes = f->n, .work_bytes = f->work_reals * (f->single ? 4 : 8)};
    for (int k = 0; k < f->n; ++k) {
        const rw_fft_pass *p = f->pass + k;
        bool again = false;
        for (int j = 0; j < k; ++j) again = again || f->pass[j].line.program == p->line.program;
        i.programs += !again;
        i.bytes += size_of(&p->from, f->ndim) + size_of(&p->to, f->ndim);
        i.table_bytes += (int64_t)p->line.factors->bytes;
    }
    return i;
}

rw_status rw_fft_passes_set_work(rw_fft_passes *f, rw_array *work, const char *function)
{
    rw_array *view = NULL;
    if (work) {
        const int64_t wanted = f->work_reals * (f->single ? 4 : 8), given = (int64_t)work->bytes;
        if (work->device != f->device || !rw_array_is_contiguous(work) || given < wanted)
            return rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "%s: work is to be a contiguous array of the plan's device of %lld bytes or more: it has %lld%s", function, (long long)wanted,
                           (long long)given, work->device != f->device ? " on another device" : "");
        if (f->work_reals) RW_TRY(rw_array_view(work, f->single ? RW_F32 : RW_F64, 1, (const int64_t[]){f->work_reals}, NULL, 0, &view));
        if (view && view->offset % 2) {
            rw_array_destroy(&view);
            return rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "%s: work does not begin at a multiple of %d bytes", function, f->single ? 8 : 16);
        }
    }
    rw_array_destroy(&f->work);
    f->work = view;
    return RW_OK;
}

rw_status rw_fft_check_array(const rw_fft_passes *f, const rw_array *a, const rw_fft_region *r, const char *name)
{
    const int ndim = f->ndim, parts = has_pairs(r) ? 2 : 1;
    bool fits = a->device == f->device && a->dtype == r->dtype && a->ndim == ndim + parts - 1;
    for (int d = 0; d < ndim && fits; ++d) fits = a->shape[d] == r->shape[d] && (a->stride[d] == parts * r->stride[d] || r->shape[d] < 2);
    if (parts == 2) fits = fits && a->shape[ndim] == 2 && a->stride[ndim] == 1 && a->offset % 2 == 0;
    return fits ? RW_OK
                : rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "%s is not of the type, shape, strides and device that was planned", name);
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

/* Elements of the axis whose neighbours lie side by side. */
static int64_t longest(const rw_fft_region *r, int ndim)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d)
        if (r->stride[d] == 1) n = RW_MAX(n, r->shape[d]);
    return n;
}

/* x and y share memory: a pass may only write what its own group has read. */
rw_status rw_fft_check_overlap(const rw_fft_passes *f, const rw_array *x, const rw_array *y, const char *function)
{
    const int ndim = f->ndim;
    int64_t x0, x1, y0, y1;
    if (x->storage != y->storage || !f->n) return RW_OK;
    extent(x, &x0, &x1), extent(y, &y0, &y1);
    if (x1 <= y0 || y1 <= x0) return RW_OK;
    const rw_fft_pass *p = f->pass;
    if (p->to.where != RW_FFT_Y) return RW_OK; /* all of x is read before */
    const int64_t bx = (int64_t)rw_dtype_size(x->dtype), by = (int64_t)rw_dtype_size(y->dtype);
    bool same = x0 == y0 && has_pairs(&p->from) == has_pairs(&p->to), lines = p->step_x * bx == p->step_y * by && bx == by;
    for (int d = 0; d < p->nother; ++d) same = same && (p->other[d].n == 1 || p->other[d].x * bx == p->other[d].y * by);
    if (!lines && p->step_x == 1 && p->step_y == 1) { /* lines of different length, each in room of its own */
        const int64_t need = RW_MAX(longest(&p->from, ndim) * bx, longest(&p->to, ndim) * by);
        lines = true;
        for (int d = 0; d < p->nother; ++d) lines = lines && (p->other[d].n == 1 || llabs(p->other[d].x) * bx >= need);
    }
    return same && lines ? RW_OK
                         : rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "%s: x and y overlap, and a line of y does not lie where its line of x does: give the same strides in bytes, or other memory", function);
}

static rw_array *array_of(rw_fft_passes *f, const rw_fft_region *r, rw_array *x, rw_array *y) { return r->where == RW_FFT_X ? x : r->where == RW_FFT_Y ? y : f->work ? f->work : f->own; }

static int64_t first_of(const rw_fft_region *r, const rw_array *a)
{
    if (r->where != RW_FFT_WORK) return has_pairs(r) ? a->offset / 2 : a->offset;
    return r->first + (r->real ? a->offset : a->offset / 2);
}

static rw_status run_pass(rw_fft_passes *f, const rw_fft_pass *p, rw_array *x, rw_array *y, rw_array *b, double scale, rw_queue *q)
{
    int64_t index[RW_MAX_NDIM + 1] = {0}, lines[RW_FFT_LINE_AXES];
    rw_array *in = array_of(f, &p->from, x, y), *out = array_of(f, &p->to, x, y);
    rw_fft_place from = {first_of(&p->from, in), p->step_x, {0}}, to = {first_of(&p->to, out), p->step_y, {0}}, factors = {b ? b->offset : 0, p->step_b, {0}};
    for (int d = 0; d < RW_FFT_LINE_AXES; ++d) lines[d] = p->other[d].n, from.line[d] = p->other[d].x, to.line[d] = p->other[d].y, factors.line[d] = p->factors[d];
    for (;;) { /* a launch for each index of the other axes */
        rw_fft_place at = from, at_y = to, at_b = factors;
        for (int d = RW_FFT_LINE_AXES; d < p->nother; ++d)
            at.first += index[d] * p->other[d].x, at_y.first += index[d] * p->other[d].y, at_b.first += index[d] * p->factors[d];
        RW_TRY(rw_fft_line_run(&p->line, in, &at, out, &at_y, b, &at_b, lines, scale, q));
        int d = RW_FFT_LINE_AXES;
        while (d < p->nother && ++index[d] == p->other[d].n) index[d++] = 0;
        if (d >= p->nother) return RW_OK;
    }
}

rw_status rw_fft_passes_run(rw_fft_passes *f, rw_array *x, rw_array *y, rw_array *b, double scale, rw_queue *q)
{
    if (f->work_reals && !f->work && !f->own)
        RW_TRY(rw_array_create(f->device, f->single ? RW_F32 : RW_F64, 1, &f->work_reals, RW_MEMORY_DEVICE, &f->own));
    for (int i = 0; i < f->n; ++i) RW_TRY(run_pass(f, f->pass + i, x, y, f->pass[i].line.multiplies ? b : NULL, i == f->n - 1 ? scale : 1, q));
    return RW_OK;
}
