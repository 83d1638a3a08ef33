/* Passes over memory: an axis is one pass if its points fit into the shared memory of a workgroup. Longer axes take two
 * passes (Bailey 1990: the points as a matrix, columns, twiddle factors, rows) or, if a convolution is part of it,
 * three. */
#include "fft/plan.h"

#include <stdlib.h>
#include <string.h>

#include "fft/choice.h"
#include "fft/cluster.h"
#include "fft/ends.h"

enum { MOST_LONG = 1 << 26 };

/* ---- regions ----------------------------------------------------------------------------------------------------- */

rw_fft_region rw_fft_of_caller(bool y, bool real, rw_dtype dtype, int ndim, const int64_t *shape, const int64_t *stride)
{
    rw_fft_region r = {.where = y ? RW_FFT_Y : RW_FFT_X, .real = real, .dtype = dtype};
    int64_t step = 1;
    bool given = false;
    memcpy(r.shape, shape, sizeof r.shape);
    for (int d = 0; d < ndim; ++d) given = given || stride[d];
    for (int d = ndim - 1; d >= 0; --d) {
        r.stride[d] = given ? stride[d] : step;
        step *= RW_MAX(shape[d], 1);
    }
    return r;
}

rw_status rw_fft_check_strides(rw_device *device, const rw_fft_region *r, int ndim, const char *name)
{
    for (int d = 0; d < ndim; ++d)
        if (!r->shape[d]) return RW_OK;
    if (rw_strides_are_injective(ndim, r->shape, r->stride)) return RW_OK;
    return rw_fail(device->ctx, RW_ERR_ARGUMENT, "%s: elements of y would overlap in memory", name);
}

rw_fft_region rw_fft_in_work(rw_fft_passes *f, bool real, const int64_t *shape)
{
    rw_fft_region r = {.where = RW_FFT_WORK,
                       .real = real,
                       .dtype = real        ? f->single ? RW_F32 : RW_F64
                                : f->single ? RW_C64
                                            : RW_C128};
    int64_t step = 1;
    memcpy(r.shape, shape, sizeof r.shape);
    for (int d = f->ndim - 1; d >= 0; --d) {
        r.stride[d] = step;
        step *= r.shape[d];
    }
    r.first = f->work_reals / (real ? 1 : 2);
    f->work_reals += (step * (real ? 1 : 2) + 31) / 32 * 32;
    return r;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* A further axis of lines. */
typedef struct further {
    int64_t n, x, y, factors; /* n 0: none */
} further;

static void insert(rw_fft_pass *p, int at, rw_axis axis, int64_t factors)
{
    memmove(p->other + at + 1, p->other + at, (size_t)(p->nother - at) * sizeof *p->other);
    memmove(p->factors + at + 1, p->factors + at, (size_t)(p->nother - at) * sizeof *p->factors);
    p->other[at] = axis;
    p->factors[at] = factors;
    p->nother++;
}

/* What a pass does. */
typedef struct task {
    rw_fft_line_spec line;
    int axis;
    const rw_fft_region *from, *to;
    int64_t step_x, step_y;
    further q;
    const int64_t *product; /* strides of the array of factors; NULL: none */
    int64_t step_b;
    bool pairs;
    int split; /* the axis of lines that is executed piece by piece; -1: none */
    int64_t at_once;
} task;

/* A formula or a divisor needs the index of an axis of lines. */
static bool takes_other_indices(const rw_fft_line_spec *l, int axis)
{
    return ((l->load ? l->load->axes : 0) | (l->store ? l->store->axes : 0) | (l->divisor ? l->divisor->axes : 0)) &
           ~(1u << axis);
}

/* The axes of lines: the closest in y first, and q among the first two. */
static void find_lines(const rw_fft_passes *f, task *t, rw_fft_pass *p)
{
    int n = 0, place[RW_MAX_NDIM];
    memset(t->line.index_of, RW_FFT_SINGLE, sizeof t->line.index_of);
    t->line.index_of[t->axis] = RW_FFT_ALONG;
    for (int d = f->ndim - 1; d >= 0; --d) {
        if (d == t->axis || d == t->split || t->from->shape[d] == 1) continue;
        int at = n++;
        for (; at > 0 && llabs(t->to->stride[place[at - 1]]) > llabs(t->to->stride[d]); --at) place[at] = place[at - 1];
        place[at] = d;
    }
    for (int i = 0; i < n; ++i) {
        p->other[i] = (rw_axis){t->from->shape[place[i]], t->to->stride[place[i]], t->from->stride[place[i]]};
        p->factors[i] = t->product ? t->product[place[i]] : 0;
        t->line.index_of[place[i]] = (int8_t)i;
    }
    if (t->product)
        while (n < 2) p->other[n++] = (rw_axis){1, 0, 0};
    const bool apart = t->product || takes_other_indices(&t->line, t->axis); /* factors have strides of their own */
    p->nother = apart ? n : rw_axes_join(p->other, n, 2);
    if (t->q.n) {
        const int at = t->to->stride[t->axis] == 1 || p->other[0].n == 1 ? 0 : 1;
        for (int d = 0; d < f->ndim; ++d)
            t->line.index_of[d] = (int8_t)(t->line.index_of[d] + (t->line.index_of[d] >= at));
        insert(p, at, (rw_axis){t->q.n, t->q.y, t->q.x}, t->q.factors);
        t->line.second = at == 1;
        if (p->other[2].n == 1 && p->nother == 3) p->nother = 2;
    }
    if (t->split >= 0) {
        for (int d = 0; d < f->ndim; ++d)
            t->line.index_of[d] = (int8_t)(t->line.index_of[d] + (t->line.index_of[d] >= 2));
        t->line.index_of[t->split] = 2;
        insert(p, 2, (rw_axis){t->at_once, t->to->stride[t->split], t->from->stride[t->split]},
               t->product ? t->product[t->split] : 0);
        p->whole = t->from->shape[t->split];
        p->at_once = t->at_once;
    }
    for (; p->nother < RW_FFT_LINE_AXES; ++p->nother) {
        p->other[p->nother] = (rw_axis){1, 0, 0};
        p->factors[p->nother] = 0;
    }
}

/* The lines of a pass, and what its kernel needs to know of them. */
static void describe(const rw_fft_passes *f, task *t, rw_fft_pass *p)
{
    rw_fft_line_spec *l = &t->line;
    if (l->x.level != RW_FFT_USER) l->load = NULL;
    if (l->y.level != RW_FFT_USER) l->store = NULL, l->divisor = NULL;
    p->from = *t->from;
    p->to = *t->to;
    p->step_x = t->step_x;
    p->step_y = t->step_y;
    p->step_b = t->step_b;
    find_lines(f, t, p);
    const rw_axis near = p->other[0];
    const int64_t near_x = l->x.apart && !l->second ? t->step_x : near.x,
                  near_y = l->y.apart && !l->second ? t->step_y : near.y;
    const int64_t point_x = l->x.apart ? t->step_x * l->x.apart : t->step_x,
                  point_y = l->y.apart ? t->step_y * l->y.apart : t->step_y;
    l->x.dtype = t->from->dtype;
    l->y.dtype = t->to->dtype;
    l->x.real = t->from->real;
    l->y.real = t->to->real;
    l->x.unit = t->step_x == 1;
    l->y.unit = t->step_y == 1;
    l->x.line_unit = near.x == 1;
    l->y.line_unit = near.y == 1;
    l->x.lines_fast = near.n > 1 && llabs(near_x) < llabs(point_x);
    l->y.lines_fast = near.n > 1 && llabs(near_y) < llabs(point_y);
}

static rw_status add_pass(rw_fft_passes *f, task t)
{
    if (f->n == RW_FFT_PASSES)
        return rw_fail(f->device->ctx, RW_ERR_UNSUPPORTED,
                       "the transform needs more than %d passes over memory: transform fewer axes per plan",
                       RW_FFT_PASSES);
    rw_fft_pass *p = f->pass + f->n;
    const rw_fft_line_spec *l = &t.line;
    describe(f, &t, p);
    const rw_fft_choice choice = t.pairs ? (rw_fft_choice){.radix = RW_FFT_RADIX} : rw_fft_choose(f->device, l);
    RW_TRY(rw_fft_line_create(f->device, l, &choice, t.pairs, &p->line));
    p->line.spec = *l;
    f->n++;
    return RW_OK;
}

/* The spectrum comes from pairs of points. */
static bool halves_of(const rw_fft_line_spec *l)
{
    return rw_fft_form_of(l->kind, l->inverse) == RW_FFT_FORM_HALVES && rw_fft_real_length(l->kind, l->n) % 2 == 0;
}

/* Elements of x that are read. */
static int64_t exist_of(const rw_fft_region *from, int axis, const rw_fft_extra *extra)
{
    return extra->period ? INT64_MAX : from->shape[axis];
}

static task one_pass(rw_fft_line_spec l, int axis, const rw_fft_region *from, const rw_fft_region *to,
                     const rw_fft_extra *extra)
{
    const int64_t *product = extra->product;
    l.stages = l.whole;
    l.x.level = l.y.level = RW_FFT_USER;
    l.x.exist = exist_of(from, axis, extra);
    l.x.period = extra->period;
    l.x.ahead = extra->ahead;
    l.y.exist = to->shape[axis];
    if (product) l.middle = RW_FFT_ARRAY;
    else if (l.method != RW_FFT_STOCKHAM) {
        l.middle = RW_FFT_TABLE;
        l.forth_inverse = false;
    }
    return (task){.line = l,
                  .axis = axis,
                  .from = from,
                  .to = to,
                  .step_x = from->stride[axis],
                  .step_y = to->stride[axis],
                  .product = product,
                  .step_b = product ? product[axis] : 0,
                  .split = -1};
}

/* Groups that work together can transform it in one pass. */
static bool is_for_cluster(const rw_fft_passes *f, task t)
{
    rw_fft_pass unused = {0};
    describe(f, &t, &unused);
    return rw_fft_cluster_of(f->device, &t.line, 0).groups > 0;
}

/* Lines of a long transform that a processor executes at a time, along which axis: as many as leave their points in the
 * caches of its cores. */
static int split_axis(const rw_fft_passes *f, int axis, const rw_fft_region *from, int64_t points, int64_t *at_once)
{
    enum { CACHE = 1 << 19 };
    int split = -1;
    if (rw_device_has_threads(f->device)) return -1;
    for (int d = 0; d < f->ndim; ++d) {
        const bool outer = d != axis && from->shape[d] > 1 && llabs(from->stride[d]) > llabs(from->stride[axis]);
        if (outer && (split < 0 || llabs(from->stride[d]) > llabs(from->stride[split]))) split = d;
    }
    if (split < 0) return -1;
    for (int d = 0; d < f->ndim; ++d)
        if (d != axis && d != split) points *= from->shape[d];
    *at_once =
        RW_MIN(RW_MAX((int64_t)CACHE * f->device->info.units / (points * (f->single ? 8 : 16)), 1), from->shape[split]);
    return *at_once < from->shape[split] ? split : -1;
}

/* A transform of `whole` points as a matrix of a rows and b columns. */
static rw_status long_passes(rw_fft_passes *f, const rw_fft_line_spec *l, int axis, const rw_fft_region *from,
                             const rw_fft_region *to, int64_t a, int64_t b, const rw_fft_extra *extra)
{
    const int64_t *product = extra->product;
    const bool convolves = product || l->method != RW_FFT_STOCKHAM, halves = halves_of(l);
    int64_t shape[RW_MAX_NDIM], at_once = 0;
    const int begin = f->n, split = split_axis(f, axis, from, l->whole, &at_once);
    memcpy(shape, from->shape, sizeof shape);
    shape[axis] = l->whole;
    if (split >= 0) shape[split] = at_once;
    const rw_fft_region matrix = rw_fft_in_work(f, false, shape);
    const int64_t w = matrix.stride[axis];
    rw_fft_region last = *to;
    if (halves) {
        shape[axis] = l->points;
        last = rw_fft_in_work(f, false, shape);
    }

    /* columns, and factors */
    task t = {.line = *l, .axis = axis, .split = split, .at_once = at_once};
    task first = t, second = t, third = t, pairs = t;
    first.from = from;
    first.step_x = from->stride[axis];
    first.to = &matrix;
    first.step_y = w * b;
    first.q = (further){b, 0, w, 0};
    first.line.stages = a;
    first.line.x = (rw_fft_end){.level = RW_FFT_USER,
                                .exist = exist_of(from, axis, extra),
                                .period = extra->period,
                                .ahead = extra->ahead,
                                .apart = b};
    first.line.twist = l->whole;
    first.line.forth_inverse = convolves ? false : l->inverse;
    first.line.twist_inverse = first.line.forth_inverse;
    RW_TRY(add_pass(f, first));

    /* rows; or rows, a product, rows back, and the columns back */
    rw_fft_end result = {.level = halves ? RW_FFT_POINTS : RW_FFT_USER, .exist = last.shape[axis], .apart = a};
    second.line.stages = b;
    second.from = &matrix;
    second.step_x = w;
    if (!convolves) {
        second.line.y = result;
        second.to = &last;
        second.step_y = last.stride[axis];
        second.q = (further){a, w * b, 0, 0};
        RW_TRY(add_pass(f, second));
    } else {
        second.line.middle = product ? RW_FFT_ARRAY : RW_FFT_TABLE;
        second.line.forth_inverse = false;
        second.line.twist = l->whole;
        second.line.twist_inverse = true;
        second.product = product;
        second.step_b = product ? product[axis] * a : 0;
        second.to = &matrix;
        second.step_y = w;
        second.q = (further){a, w * b, w * b, product ? product[axis] : 0};
        RW_TRY(add_pass(f, second));
        third.line.stages = a;
        third.line.forth_inverse = true;
        result.apart = b;
        third.line.y = result;
        third.from = &matrix;
        third.step_x = w * b;
        third.to = &last;
        third.step_y = last.stride[axis];
        third.q = (further){b, w, 0, 0};
        RW_TRY(add_pass(f, third));
    }
    if (halves) {
        pairs.line.method = RW_FFT_STOCKHAM;
        pairs.line.stages = pairs.line.whole = l->points;
        pairs.pairs = true;
        pairs.line.x = (rw_fft_end){.level = RW_FFT_POINTS, .exist = l->points};
        pairs.line.y = (rw_fft_end){.level = RW_FFT_USER, .exist = to->shape[axis]};
        pairs.from = &last;
        pairs.step_x = last.stride[axis];
        pairs.to = to;
        pairs.step_y = to->stride[axis];
        RW_TRY(add_pass(f, pairs));
    }
    for (int i = begin; i < f->n && split >= 0; ++i) {
        f->pass[i].split = split;
        f->pass[i].whole = from->shape[split];
        f->pass[i].from_inside = i > begin;
        f->pass[i].to_inside = i < f->n - 1;
    }
    if (split >= 0) f->pass[begin].together = f->n - begin;
    return RW_OK;
}

/* The line of an axis: its method, and the points that are transformed. */
static rw_fft_line_spec line_of(const rw_fft_passes *f, rw_fft_kind kind, bool inverse, int64_t n)
{
    rw_fft_line_spec l = {.kind = kind,
                          .f64 = !f->single,
                          .inverse = inverse,
                          .forth_inverse = inverse,
                          .n = n,
                          .points = rw_fft_points(kind, n)};
    const rw_fft_target target = rw_fft_target_of(f->device, !f->single);
    l.method = rw_fft_length(&target, l.points, &l.whole);
    const bool rader = l.method == RW_FFT_RADER && l.whole <= rw_fft_line_most(f->device, !f->single) &&
                       !halves_of(&l); /* its first result is known too early for a spectrum of pairs */
    if (l.method == RW_FFT_RADER && !rader) {
        l.method = RW_FFT_BLUESTEIN;
        l.whole = rw_fft_smooth(&target, 2 * l.points - 1);
    }
    return l;
}

rw_status rw_fft_add_axis(rw_fft_passes *f, rw_fft_kind kind, bool inverse, int64_t n, int axis,
                          const rw_fft_region *from, const rw_fft_region *to, rw_fft_extra extra)
{
    rw_fft_line_spec l = line_of(f, kind, inverse, n);
    l.conjugate = extra.conjugate;
    l.load = extra.load;
    l.store = extra.store;
    l.divisor = extra.divisor;
    const task whole = one_pass(l, axis, from, to, &extra);
    const rw_fft_axis way = {l.whole,
                             !f->single,
                             extra.product || l.method != RW_FFT_STOCKHAM,
                             from->stride[axis] == 1,
                             l.whole <= rw_fft_line_most(f->device, !f->single),
                             is_for_cluster(f, whole)};
    rw_fft_matrix m;
    if (l.whole > MOST_LONG || !rw_fft_choose_matrix(f->device, &way, &m))
        return rw_fail(
            f->device->ctx, RW_ERR_UNSUPPORTED,
            "%lld points on axis %d are too many: the transform is computed with length %lld, which exceeds two passes",
            (long long)n, axis, (long long)l.whole);
    if (f->naxes < RW_MAX_NDIM) f->axis[f->naxes++] = way;
    if (!m.a) return add_pass(f, whole);
    return long_passes(f, &l, axis, from, to, m.a, m.b, &extra);
}

bool rw_fft_divides_in_one_pass(const rw_fft_passes *f, rw_fft_kind kind, int64_t n, bool along)
{
    const rw_fft_line_spec l = line_of(f, kind, rw_fft_kind_is_inverse(kind), n);
    const rw_fft_axis way = {l.whole, !f->single, true, along, true, false};
    rw_fft_matrix m;
    return l.method == RW_FFT_STOCKHAM && l.whole <= rw_fft_line_most(f->device, !f->single) &&
           rw_fft_choose_matrix(f->device, &way, &m) && !m.a;
}

rw_status rw_fft_add_division(rw_fft_passes *f, rw_fft_kind kind, int64_t n, int axis, const rw_fft_region *from,
                              const rw_fft_region *to, const rw_fft_divisor *divisor)
{
    const bool inverse = rw_fft_kind_is_inverse(kind);
    if (rw_fft_divides_in_one_pass(f, kind, n, from->stride[axis] == 1)) {
        rw_fft_line_spec l = line_of(f, kind, inverse, n);
        l.divisor = divisor;
        task t = one_pass(l, axis, from, to, &(rw_fft_extra){0});
        t.line.middle = RW_FFT_DIVIDE;
        return add_pass(f, t);
    }
    RW_TRY(rw_fft_add_axis(f, kind, inverse, n, axis, from, to, (rw_fft_extra){.divisor = divisor}));
    return rw_fft_add_axis_back(f, kind, n, axis, to, to);
}

rw_status rw_fft_add_axis_back(rw_fft_passes *f, rw_fft_kind kind, int64_t n, int axis, const rw_fft_region *from,
                               const rw_fft_region *to)
{
    const rw_fft_kind back = rw_fft_kind_back(kind);
    return rw_fft_add_axis(f, back, back == RW_FFT_REAL || rw_fft_kind_is_inverse(back), n, axis, from, to,
                           (rw_fft_extra){0});
}

rw_status rw_fft_passes_ready(const rw_fft_passes *f)
{
    for (int i = 0; i < f->n; ++i) RW_TRY(rw_program_ready(f->pass[i].line.program));
    return RW_OK;
}

void rw_fft_passes_free(rw_fft_passes *f)
{
    for (int i = 0; i < f->n; ++i) rw_fft_line_free(&f->pass[i].line);
    rw_array_destroy(&f->work);
    rw_array_destroy(&f->own);
}

/* ---- what they take ---------------------------------------------------------------------------------------------- */

bool rw_fft_has_pairs(const rw_fft_region *r) { return !r->real && (r->dtype == RW_F16 || r->dtype == RW_BF16); }

static int64_t size_of(const rw_fft_region *r, int ndim)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; ++d) size *= r->shape[d];
    return size * (int64_t)rw_dtype_size(r->dtype) * (rw_fft_has_pairs(r) ? 2 : 1);
}

static int64_t pieces_of(const rw_fft_pass *p) { return (p->whole + p->at_once - 1) / p->at_once; }

int64_t rw_fft_pass_bytes(const rw_fft_passes *f, int k)
{
    const rw_fft_pass *p = f->pass + k;
    return size_of(&p->from, f->ndim) * (p->from_inside ? pieces_of(p) : 1) +
           size_of(&p->to, f->ndim) * (p->to_inside ? pieces_of(p) : 1);
}

rw_fft_info rw_fft_passes_info(const rw_fft_passes *f)
{
    rw_fft_info i = {.passes = f->n, .work_bytes = f->work_reals * (f->single ? 4 : 8)};
    for (int k = 0; k < f->n; ++k) {
        const rw_fft_pass *p = f->pass + k;
        bool again = false;
        for (int j = 0; j < k; ++j) again = again || f->pass[j].line.program == p->line.program;
        i.programs += !again;
        i.bytes += rw_fft_pass_bytes(f, k);
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
            return rw_fail(
                f->device->ctx, RW_ERR_ARGUMENT,
                "%s: work must be a contiguous array on the plan's device with at least %lld bytes: it has %lld%s",
                function, (long long)wanted, (long long)given, work->device != f->device ? " on another device" : "");
        if (f->work_reals)
            RW_TRY(
                rw_array_view(work, f->single ? RW_F32 : RW_F64, 1, (const int64_t[]){f->work_reals}, NULL, 0, &view));
        if (view && view->offset % 2) {
            rw_array_destroy(&view);
            return rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "%s: work is not aligned to %d bytes", function,
                           f->single ? 8 : 16);
        }
    }
    rw_array_destroy(&f->work);
    f->work = view;
    return RW_OK;
}

rw_status rw_fft_check_array(const rw_fft_passes *f, const rw_array *a, const rw_fft_region *r, const char *name)
{
    const int ndim = f->ndim, parts = rw_fft_has_pairs(r) ? 2 : 1;
    bool fits = a->device == f->device && a->dtype == r->dtype && a->ndim == ndim + parts - 1;
    for (int d = 0; d < ndim && fits; ++d)
        fits = a->shape[d] == r->shape[d] && (a->stride[d] == parts * r->stride[d] || r->shape[d] < 2);
    if (parts == 2) fits = fits && a->shape[ndim] == 2 && a->stride[ndim] == 1 && a->offset % 2 == 0;
    return fits ? RW_OK
                : rw_fail(f->device->ctx, RW_ERR_ARGUMENT, "%s: type, shape, strides or device differ from the plan",
                          name);
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

/* Bytes from the first to the last element of all that one index of the axis `split` has. */
static int64_t span(const rw_fft_region *r, int ndim, int split, int64_t bytes)
{
    int64_t elements = 1;
    for (int d = 0; d < ndim; ++d) elements += d == split ? 0 : (r->shape[d] - 1) * llabs(r->stride[d]);
    return elements * bytes;
}

/* A pass writes lines where it has read them: in the same places, or, where lines differ in length, each in room of its
 * own. */
static bool lines_coincide(const rw_fft_passes *f, const rw_fft_pass *p, int64_t bx, int64_t by)
{
    bool same = rw_fft_has_pairs(&p->from) == rw_fft_has_pairs(&p->to);
    for (int d = 0; d < p->nother; ++d) same = same && (p->other[d].n == 1 || p->other[d].x * bx == p->other[d].y * by);
    if (bx == by && p->step_x == p->step_y) return same;
    if (p->step_x != 1 || p->step_y != 1) return false;
    const int64_t need = RW_MAX(longest(&p->from, f->ndim) * bx, longest(&p->to, f->ndim) * by);
    for (int d = 0; d < p->nother; ++d) same = same && (p->other[d].n == 1 || llabs(p->other[d].x) * bx >= need);
    return same;
}

/* Passes that are executed for some lines at a time write to these lines alone. */
static bool pieces_coincide(const rw_fft_passes *f, const rw_fft_pass *first, const rw_fft_pass *last, int64_t bx,
                            int64_t by)
{
    const int64_t step = first->from.stride[first->split] * bx;
    return step == last->to.stride[first->split] * by && span(&first->from, f->ndim, first->split, bx) <= llabs(step) &&
           span(&last->to, f->ndim, first->split, by) <= llabs(step);
}

/* x and y share memory: no element may be overwritten before it is read. */
rw_status rw_fft_check_overlap(const rw_fft_passes *f, const rw_array *x, const rw_array *y, const char *function)
{
    int64_t x0, x1, y0, y1;
    if (x->storage != y->storage || !f->n) return RW_OK;
    extent(x, &x0, &x1);
    extent(y, &y0, &y1);
    if (x1 <= y0 || y1 <= x0) return RW_OK;
    const rw_fft_pass *first = f->pass, *last = first + (first->together ? first->together - 1 : 0);
    const int64_t bx = (int64_t)rw_dtype_size(x->dtype) * (rw_fft_has_pairs(&first->from) ? 2 : 1),
                  by = (int64_t)rw_dtype_size(y->dtype) * (rw_fft_has_pairs(&last->to) ? 2 : 1);
    if (last->to.where != RW_FFT_Y || (!first->together && first->to.where != RW_FFT_Y))
        return RW_OK; /* all of x is read before */
    if (x0 == y0 && (first->together ? pieces_coincide(f, first, last, bx, by) : lines_coincide(f, first, bx, by)))
        return RW_OK;
    return rw_fail(
        f->device->ctx, RW_ERR_ARGUMENT,
        "%s: x and y overlap, but their lines do not coincide: use the same strides in bytes, or arrays that do not "
        "overlap",
        function);
}

static rw_array *array_of(rw_fft_passes *f, const rw_fft_region *r, rw_array *x, rw_array *y)
{
    return r->where == RW_FFT_X ? x : r->where == RW_FFT_Y ? y : f->work ? f->work : f->own;
}

static int64_t first_of(const rw_fft_region *r, const rw_array *a)
{
    if (r->where != RW_FFT_WORK) return rw_fft_has_pairs(r) ? a->offset / 2 : a->offset;
    return r->first + (r->real ? a->offset : a->offset / 2);
}

/* `begin`, `count`: of the lines that are executed piece by piece. */
static rw_status run_pass(rw_fft_passes *f, const rw_fft_pass *p, rw_array *x, rw_array *y, rw_array *b, int64_t begin,
                          int64_t count, double scale, rw_queue *q)
{
    int64_t index[RW_MAX_NDIM + 1] = {0}, lines[RW_FFT_LINE_AXES];
    rw_array *in = array_of(f, &p->from, x, y), *out = array_of(f, &p->to, x, y);
    rw_fft_place from = {first_of(&p->from, in), p->step_x, {0}}, to = {first_of(&p->to, out), p->step_y, {0}},
                 factors = {b ? b->offset : 0, p->step_b, {0}};
    for (int d = 0; d < RW_FFT_LINE_AXES; ++d) {
        lines[d] = p->other[d].n;
        from.line[d] = p->other[d].x;
        to.line[d] = p->other[d].y;
        factors.line[d] = p->factors[d];
    }
    if (count) {
        lines[2] = count;
        from.first += p->from_inside ? 0 : begin * p->other[2].x;
        to.first += p->to_inside ? 0 : begin * p->other[2].y;
        factors.first += begin * p->factors[2];
    }
    for (;;) { /* a launch for each index of the other axes */
        rw_fft_indices indices = {.third = count ? begin : 0};
        rw_fft_place at = from, at_y = to, at_b = factors;
        for (int d = RW_FFT_LINE_AXES; d < p->nother; ++d) {
            indices.further[d - RW_FFT_LINE_AXES] = index[d];
            at.first += index[d] * p->other[d].x;
            at_y.first += index[d] * p->other[d].y;
            at_b.first += index[d] * p->factors[d];
        }
        RW_TRY(rw_fft_line_run(&p->line, in, &at, out, &at_y, b, &at_b, lines, &indices, scale, q));
        int d = RW_FFT_LINE_AXES;
        while (d < p->nother && ++index[d] == p->other[d].n) index[d++] = 0;
        if (d >= p->nother) return RW_OK;
    }
}

rw_status rw_fft_passes_allocate(rw_fft_passes *f)
{
    if (!f->work_reals || f->work || f->own) return RW_OK;
    return rw_array_create(f->device, f->single ? RW_F32 : RW_F64, 1, &f->work_reals, RW_MEMORY_DEVICE, &f->own);
}

rw_status rw_fft_passes_run(rw_fft_passes *f, rw_array *x, rw_array *y, rw_array *b, double scale, rw_queue *q)
{
    RW_TRY(rw_fft_passes_allocate(f));
    for (int i = 0, n; i < f->n; i += n) {
        const rw_fft_pass *p = f->pass + i;
        n = p->together ? p->together : 1;
        for (int64_t begin = 0; begin < (p->together ? p->whole : 1); begin += p->together ? p->at_once : 1)
            for (int k = i; k < i + n; ++k)
                RW_TRY(run_pass(f, f->pass + k, x, y, b, begin, p->together ? RW_MIN(p->at_once, p->whole - begin) : 0,
                                k == f->n - 1 ? scale : 1, q));
    }
    return RW_OK;
}
