/* Planned filters: their passes, memory between passes, execution. */
#include <string.h>

#include "image/image.h"
#include "param/param.h"

struct rw_image_filter {
    rw_device *device;
    rw_image_spec spec;
    rw_image_plan plan;
    rw_image_shape shape[RW_IMAGE_PASSES];
    rw_array *between[2]; /* results of passes, alternating */
    rw_array *limits[2];  /* minimum and maximum of results, alternating */
    rw_array *rings;      /* row buffers of all workgroups of a pass that are in global memory; NULL: none */
    rw_array *nothing;    /* placeholder for arguments that a pass does not use */
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

rw_status rw_image_check_spec(rw_context *ctx, rw_image_spec *s)
{
    static const rw_dtype types[] = {RW_U8, RW_U16, RW_I16, RW_F16, RW_F32, RW_F64};
    if (!s->dtype) s->dtype = RW_F32;
    if (!s->channels) s->channels = 1;
    bool x = false, y = false;
    for (int i = 0; i < RW_COUNT(types); ++i) {
        x = x || types[i] == s->dtype;
        y = y || !s->y_dtype || types[i] == s->y_dtype;
    }
    if (!x || !y)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: %s = %s is not supported: choose u8, u16, i16, f16, f32 or f64",
                       x ? "y_dtype" : "dtype", rw_dtype_name(x ? s->y_dtype : s->dtype));
    if (s->width < 0 || s->height < 0 || s->width > 1 << 28 || s->height > 1 << 28)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "filter: an image of %lld x %lld pixels: width and height must be 0 to 2^28",
                       (long long)s->width, (long long)s->height);
    if (s->channels < 1 || s->channels > RW_IMAGE_CHANNELS)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: %d channels: the number of channels must be 1 to %d", s->channels,
                       RW_IMAGE_CHANNELS);
    if (s->alpha && s->channels < 2)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "filter: alpha is set, but the image has 1 channel: alpha is the last of at least 2 channels");
    return RW_OK;
}

/* The region of the result. Default: all of it. */
static rw_status check_region(rw_context *ctx, rw_image_spec *s, int64_t width, int64_t height)
{
    if (!s->region.x && !s->region.y && !s->region.width && !s->region.height) {
        s->region.width = width;
        s->region.height = height;
    }
    if (s->region.x < 0 || s->region.y < 0 || s->region.width < 0 || s->region.height < 0 ||
        s->region.x > width - s->region.width || s->region.y > height - s->region.height)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "filter: the region of %lld x %lld pixels at (%lld, %lld) exceeds the result of %lld x %lld pixels",
            (long long)s->region.width, (long long)s->region.height, (long long)s->region.x, (long long)s->region.y,
            (long long)width, (long long)height);
    return RW_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* A pass over the whole image that has nothing to compute. */
static bool is_empty(const rw_image_pass *p) { return p->ops->whole && (!p->y_width || !p->y_height); }

static rw_status make_table(rw_image_filter *f, rw_image_pass *p, const rw_image_shape *s)
{
    const int64_t n = p->weights.n;
    void *data;
    if (!n) return RW_OK;
    RW_TRY(rw_array_create(f->device, s->f64 ? RW_F64 : RW_F32, 1, &n, RW_MEMORY_DEVICE, &p->table));
    RW_TRY(rw_array_write(p->table, &data));
    for (int64_t i = 0; i < n; ++i) {
        if (s->f64) ((double *)data)[i] = p->weights.value[i];
        else ((float *)data)[i] = (float)p->weights.value[i];
    }
    return RW_OK;
}

/* Elements between pass k and the next one. */
static int64_t elements_after(const rw_image_filter *f, int k)
{
    const rw_image_pass *p = f->plan.pass + k;
    return p->y_width * p->y_height * p->stage[p->nstages - 1].channels;
}

static int64_t bytes_between(const rw_image_filter *f, int turn)
{
    int64_t most = 0;
    for (int k = turn; k + 1 < f->plan.npasses; k += 2)
        most = RW_MAX(most, elements_after(f, k) * (int64_t)rw_dtype_size(f->plan.pass[k].y_dtype));
    return most;
}

/* The pixels that pass k computes. */
static rw_image_rectangle pixels_of(const rw_image_filter *f, int k)
{
    const rw_image_pass *p = f->plan.pass + k;
    if (k + 1 < f->plan.npasses) return (rw_image_rectangle){0, p->y_width, 0, p->y_height};
    return (rw_image_rectangle){f->spec.region.x, f->spec.region.x + f->spec.region.width, f->spec.region.y,
                                f->spec.region.y + f->spec.region.height};
}

/* Bytes of the row buffers of all workgroups that are in global memory, of the pass with most. */
static int64_t bytes_of_rings(const rw_image_filter *f)
{
    int64_t most = 0, groups[3];
    for (int k = 0; k < f->plan.npasses; ++k) {
        if (!f->shape[k].in_memory) continue;
        const rw_image_rectangle r = pixels_of(f, k);
        rw_image_groups(f->device, f->plan.pass + k, f->shape + k, &r, groups);
        most = RW_MAX(most, groups[0] * groups[1] * groups[2] * rw_image_pass_bytes(f->plan.pass + k, f->shape + k));
    }
    return most;
}

static rw_status make(rw_image_filter *f)
{
    rw_image_chain chain;
    const int64_t two = 2;
    rw_status status = rw_image_chain_create(f->plan.ctx, &f->spec, &chain);
    if (status == RW_OK) status = rw_image_lower(&f->plan, chain.ops, chain.nops);
    rw_image_chain_free(&chain);
    RW_TRY(status);
    const rw_image_pass *last = f->plan.pass + f->plan.npasses - 1;
    f->spec.y_dtype = f->plan.y_dtype;
    RW_TRY(check_region(f->plan.ctx, &f->spec, last->y_width, last->y_height));
    RW_TRY(rw_array_create(f->device, RW_F64, 1, &two, RW_MEMORY_DEVICE, &f->nothing));
    for (int k = 0; k < f->plan.npasses; ++k) {
        rw_image_pass *p = f->plan.pass + k;
        if (rw_device_has_threads(f->device))
            rw_image_merge_extremes(p, &(rw_image_shape){.planar = f->spec.planar, .threads = true});
        rw_image_choose_shape(f->device, p, f->spec.planar, f->shape + k);
        if (p->limited) f->shape[k].limits = f->shape[k - 1].limits;
    }
    for (int k = 0; k < f->plan.npasses; ++k) {
        rw_image_pass *p = f->plan.pass + k;
        if (is_empty(p)) continue;
        RW_TRY(p->ops->create(f->device, p, f->shape + k, f->spec.dtype));
        RW_TRY(make_table(f, p, f->shape + k));
        if (p->counts)
            RW_TRY(rw_image_counts_create(f->device, p, f->shape + k, f->shape[k + 1].f64 ? RW_F64 : RW_F32));
        if (p->limits && !f->limits[k % 2])
            RW_TRY(rw_array_create(f->device, RW_F64, 1, &two, RW_MEMORY_DEVICE, &f->limits[k % 2]));
    }
    for (int turn = 0; turn < 2; ++turn) {
        const int64_t bytes = bytes_between(f, turn);
        if (bytes) RW_TRY(rw_array_create(f->device, RW_U8, 1, &bytes, RW_MEMORY_DEVICE, &f->between[turn]));
    }
    for (int k = 0; k < f->plan.npasses; ++k) { /* compilers run at once */
        if (f->plan.pass[k].program) RW_TRY(rw_program_ready(f->plan.pass[k].program));
        if (f->plan.pass[k].counting) RW_TRY(rw_program_ready(f->plan.pass[k].counting));
    }
    const int64_t rings = bytes_of_rings(f);
    if (rings) RW_TRY(rw_array_create(f->device, RW_U8, 1, &rings, RW_MEMORY_DEVICE, &f->rings));
    return RW_OK;
}

static rw_status create(rw_device *dev, const rw_image_spec *spec, rw_image_filter **filter)
{
    rw_image_spec s = *spec;
    RW_TRY(rw_image_check_spec(dev->ctx, &s));
    rw_image_filter *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(dev->ctx, sizeof *f, "a filter");
    f->device = rw_device_retain(dev);
    f->spec = s;
    f->plan = (rw_image_plan){.ctx = dev->ctx,
                              .dtype = s.dtype,
                              .y_dtype = s.y_dtype,
                              .channels = s.channels,
                              .width = s.width,
                              .height = s.height,
                              .alpha = s.alpha};
    rw_status status = make(f);
    f->spec.text = NULL;
    f->spec.ops = NULL;
    if (status != RW_OK) rw_image_filter_destroy(&f);
    *filter = f;
    return status;
}

rw_status rw_image_filter_create_sized(rw_device *dev, const rw_image_spec *given, rw_image_filter **filter,
                                       size_t spec_size, size_t op_size)
{
    RW_NEED(filter, "filter");
    *filter = NULL;
    RW_NEED(dev, "device");
    RW_NEED(given, "spec");
    rw_image_spec spec;
    void *ops;
    RW_TRY(rw_image_spec_take(dev->ctx, given, spec_size, op_size, &spec, &ops));
    const rw_status status = create(dev, &spec, filter);
    rw_free(ops);
    return status;
}

void rw_image_filter_destroy(rw_image_filter **filter)
{
    if (!filter || !*filter) return;
    rw_image_filter *f = *filter;
    *filter = NULL;
    rw_image_plan_free(&f->plan);
    for (int i = 0; i < 2; ++i) {
        rw_array_destroy(&f->between[i]);
        rw_array_destroy(&f->limits[i]);
    }
    rw_array_destroy(&f->nothing);
    rw_array_destroy(&f->rings);
    rw_device_close(&f->device);
    rw_free(f);
}

static rw_status image_filter_get_info(const rw_image_filter *f, rw_image_info *info)
{
    const int64_t in = f->spec.width * f->spec.height * f->spec.channels * (int64_t)rw_dtype_size(f->spec.dtype);
    const int64_t out =
        f->spec.region.width * f->spec.region.height * f->plan.y_channels * (int64_t)rw_dtype_size(f->spec.y_dtype);
    *info = (rw_image_info){.passes = f->plan.npasses,
                            .width = f->spec.region.width,
                            .height = f->spec.region.height,
                            .channels = f->plan.y_channels,
                            .dtype = f->spec.y_dtype,
                            .bytes = in + out};
    for (int i = 0; i < 2; ++i)
        if (f->between[i]) info->work_bytes += (int64_t)f->between[i]->bytes;
    if (f->rings) info->work_bytes += (int64_t)f->rings->bytes;
    for (int k = 0; k < f->plan.npasses; ++k) info->spreads = info->spreads || f->plan.pass[k].ops->spreads;
    for (int k = 0; k + 1 < f->plan.npasses; ++k)
        info->bytes += 2 * elements_after(f, k) * (int64_t)rw_dtype_size(f->plan.pass[k].y_dtype);
    return RW_OK;
}

rw_status rw_image_filter_get_info_sized(const rw_image_filter *f, rw_image_info *info, size_t info_size)
{
    RW_NEED(f, "filter");
    RW_NEED(info, "info");
    RW_STRUCT_ROOM(rw_image_info, info, info_size);
    return RW_STRUCT_OUT(image_filter_get_info(f, info_whole), info, info_size);
}

rw_status rw_image_filter_explain(const rw_image_filter *f, char **out)
{
    RW_NEED(f, "filter");
    RW_NEED(out, "text");
    rw_text t = {0};
    *out = NULL;
    for (int k = 0; k < f->plan.npasses; ++k) {
        const rw_image_pass *p = f->plan.pass + k;
        rw_text_add(&t, "pass %d: %s", k + 1, rw_dtype_name(p->x_dtype));
        for (int i = 1; i < p->nstages; ++i)
            rw_text_add(&t, " -> %s (%s)", p->stage[i].name, rw_dtype_name(p->stage[i].type));
        if (p->ops->explain) p->ops->explain(p, f->shape + k, &t);
        else
            rw_text_add(&t, " -> %s; %lld x %lld pixels\n", rw_dtype_name(p->y_dtype), (long long)p->y_width,
                        (long long)p->y_height);
    }
    if (t.failed) {
        rw_text_free(&t);
        return rw_fail_memory(f->plan.ctx, t.capacity, "the description of a plan");
    }
    *out = t.data;
    return RW_OK;
}

/* ---- execution --------------------------------------------------------------------------------------------------- */

static rw_status describe(const rw_image_filter *f, rw_array *a, const char *name, rw_dtype dtype, int64_t width,
                          int64_t height, int channels, rw_image_layout *l)
{
    const bool flat = channels == 1 && a->ndim == 2;
    const int row = flat || !f->spec.planar ? 0 : 1;
    bool fits = a->device == f->device && a->dtype == dtype && (flat || a->ndim == 3);
    if (fits)
        fits = a->shape[row] == height && a->shape[row + 1] == width &&
               (flat || a->shape[f->spec.planar ? 0 : 2] == channels);
    char shape[96];
    if (f->spec.planar)
        snprintf(shape, sizeof shape, "%d x %lld x %lld", channels, (long long)height, (long long)width);
    else snprintf(shape, sizeof shape, "%lld x %lld x %d", (long long)height, (long long)width, channels);
    if (!fits)
        return rw_fail(f->plan.ctx, RW_ERR_ARGUMENT,
                       "filter: %s must be an array of type %s on the filter's device, of shape %s", name,
                       rw_dtype_name(dtype), shape);
    l->array = a;
    /* pixels of a row must be contiguous; other views are packed */
    l->in_place = a->stride[row + 1] == (flat || f->spec.planar ? 1 : channels) &&
                  (flat || f->spec.planar || channels == 1 || a->stride[2] == 1);
    l->from = l->in_place ? a->offset : 0;
    l->row = l->in_place ? a->stride[row] : f->spec.planar ? width : width * channels;
    l->plane = !f->spec.planar || flat ? 0 : l->in_place ? a->stride[0] : width * height;
    return RW_OK;
}

static bool overlap(const rw_array *x, const rw_array *y)
{
    if (x->storage != y->storage) return false;
    int64_t low[2], high[2];
    const rw_array *a[2] = {x, y};
    for (int i = 0; i < 2; ++i) {
        low[i] = high[i] = a[i]->offset;
        for (int d = 0; d < a[i]->ndim; ++d) {
            const int64_t far = (a[i]->shape[d] - 1) * a[i]->stride[d];
            if (far < 0) low[i] += far;
            else high[i] += far;
        }
        low[i] *= (int64_t)rw_dtype_size(a[i]->dtype);
        high[i] = (high[i] + 1) * (int64_t)rw_dtype_size(a[i]->dtype);
    }
    return low[0] < high[1] && low[1] < high[0];
}

static rw_status run_pass(rw_image_filter *f, int k, const rw_image_layout *x, const rw_image_layout *y, rw_queue *q)
{
    rw_image_pass *p = f->plan.pass + k;
    rw_image_run run = {.x = *x,
                        .y = *y,
                        .pixels = pixels_of(f, k),
                        .limits = p->limits ? f->limits[k % 2] : f->nothing,
                        .found = p->limited ? f->limits[(k + 1) % 2] : f->nothing,
                        .rings = f->rings,
                        .nothing = f->nothing,
                        .queue = q};
    if (!p->ops->whole) return p->ops->run(p, f->shape + k, &run);
    if (is_empty(p)) return RW_OK;
    int64_t in[3], out[3];
    int axis;
    const int n = rw_image_shape_of(p, f->spec.planar, p->width, p->height, in, &axis);
    rw_image_shape_of(p, f->spec.planar, p->y_width, p->y_height, out, &axis);
    rw_array *a = NULL, *b = NULL;
    rw_status status = rw_array_view(x->array, p->x_dtype, n, in, NULL, 0, &a);
    if (status == RW_OK) status = rw_array_view(y->array, p->y_dtype, n, out, NULL, 0, &b);
    run.x.array = a;
    run.y.array = b;
    if (status == RW_OK) status = p->ops->run(p, f->shape + k, &run);
    rw_array_destroy(&a);
    rw_array_destroy(&b);
    return status;
}

/* The memory between passes as the results of pass k. */
static rw_status view_between(rw_image_filter *f, int k, rw_array **view)
{
    const rw_image_pass *p = f->plan.pass + k;
    const int64_t w = p->y_width, h = p->y_height, c = p->stage[p->nstages - 1].channels;
    const int64_t interleaved[] = {h, w, c}, planar[] = {c, h, w};
    return rw_array_view(f->between[k % 2], p->y_dtype, 3, f->spec.planar ? planar : interleaved, NULL, 0, view);
}

rw_status rw_image_filter_execute(rw_image_filter *f, rw_array *x, rw_array *y, rw_queue *q)
{
    RW_NEED(f, "filter");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    rw_image_layout from, to, last;
    RW_TRY(describe(f, x, "x", f->spec.dtype, f->spec.width, f->spec.height, f->spec.channels, &from));
    RW_TRY(
        describe(f, y, "y", f->spec.y_dtype, f->spec.region.width, f->spec.region.height, f->plan.y_channels, &last));
    RW_TRY(rw_array_check_written(y, "filter: y"));
    if (overlap(x, y))
        return rw_fail(f->plan.ctx, RW_ERR_ARGUMENT,
                       "filter: x and y share memory: choose a y that does not overlap x");
    if (!y->size) return RW_OK;
    rw_array *view[2] = {NULL, NULL};
    rw_status status = RW_OK;
    for (int k = 0; k < f->plan.npasses && status == RW_OK; ++k) {
        const rw_image_pass *p = f->plan.pass + k;
        const bool end = k + 1 == f->plan.npasses;
        rw_array_destroy(&view[k % 2]);
        if (!end) status = view_between(f, k, &view[k % 2]);
        if (status == RW_OK && !end)
            status = describe(f, view[k % 2], "x", p->y_dtype, p->y_width, p->y_height,
                              p->stage[p->nstages - 1].channels, &to);
        if (status == RW_OK) status = run_pass(f, k, &from, end ? &last : &to, q);
        if (status == RW_OK && p->counts)
            status = rw_image_counts_run(f->plan.pass + k, f->spec.planar, to.array, f->plan.pass[k + 1].table, q);
        from = to;
    }
    rw_array_destroy(&view[0]);
    rw_array_destroy(&view[1]);
    return status;
}
