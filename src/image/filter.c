/* Planned filters: kernels of their passes, memory between passes, launches. */
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

typedef struct rectangle {
    int64_t x0, x1, y0, y1;
} rectangle;

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

enum { PROCESSOR_BYTES = 128 << 10, GPU_BYTES = 46 << 10, GPU_GROUP = 256, COLUMNS_GROUP = 128 };

/* The longest strips whose row buffers fit the caches, or the shared memory of a workgroup; if none does, row buffers
 * are in global memory. */
static void choose_shape(const rw_image_filter *f, const rw_image_pass *p, rw_image_shape *s)
{
    const bool threads = rw_device_has_threads(f->device);
    const int64_t most = RW_MIN(threads ? GPU_BYTES : PROCESSOR_BYTES, f->device->info.shared_memory);
    const int channels = f->spec.planar && !rw_image_pass_by_pixels(p) ? 1 : p->channels;
    const int64_t longest = threads ? RW_MAX(256 / channels, 32) : RW_MAX(4096 / channels, 64);
    *s = (rw_image_shape){.planar = f->spec.planar, .threads = threads, .limits = RW_F32, .block = threads ? 8 : 1};
    for (int k = 0; k < p->nstages; ++k)
        if (p->stage[k].type == RW_F64 || (p->stage[k].compute == RW_F64 && p->stage[k].nweights)) {
            s->f64 = true;
            s->limits = RW_F64;
        }
    s->strip = (int)longest / 16 * 16; /* for images of all sizes */
    if (p->kind != RW_IMAGE_ROWS) {
        if (rw_image_is_whole(p)) return;
        s->f64 = true;
        s->strip = threads ? 64 : 1024;
        if (rw_image_resizes(p)) s->strip = threads ? 256 : 1024;
        if (p->transposes) s->strip = 64;
        if (p->halves) s->strip = threads ? 1024 : 4096;
        while (s->strip > 16 && rw_image_gather_bytes(p, s) > most) s->strip /= 2;
        return;
    }
    if (threads && (s->columns = rw_image_columns(p, s)) > 0) {
        s->strip = COLUMNS_GROUP * s->columns;
        return;
    }
    const rw_image_shape longest_strips = *s;
    while (rw_image_pass_bytes(p, s) > most) {
        if (s->strip > (threads ? 64 : 256)) s->strip = (s->strip / 2 + 15) / 16 * 16;
        else if (s->block > 1) s->block /= 2;
        else if (s->strip > 16) s->strip = (s->strip / 2 + 15) / 16 * 16;
        else {
            *s = longest_strips;
            s->strip = RW_MIN(s->strip, 256);
            s->in_memory = true;
            return;
        }
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static const char extra_text[] =
    "KERNEL(begin, GLOBAL LIMIT *limits)\n{\n"
    "    EACH(i, 1) { limits[0] = (LIMIT)RW_INF; limits[1] = -(LIMIT)RW_INF; }\n}\n"
    /* unchanged pixels: number of columns at the left and right border, and of rows at the upper and lower one */
    "KERNEL(frame, GLOBAL TY *RESTRICT y, GLOBAL const TX *RESTRICT x, int nx, int ny, int x0, int x1, int y0, int "
    "y1, int left, int right, int above, int below,\n"
    "       int channels, long x_from, long x_row, long x_plane, long y_from, long y_row, long y_plane)\n{\n"
    "    x += x_from + (long)GROUP_ID(2) * x_plane;\n    y += y_from + (long)GROUP_ID(2) * y_plane;\n"
    "    const int j = y0 + GROUP_ID(0), whole = j < above || j >= ny - below;\n"
    "    const int a = whole ? x1 : left < x0 ? x0 : left < x1 ? left : x1, b = nx - right < a ? a : nx - right < x1 "
    "? nx - right : x1;\n"
    "    EACH(e, (a - x0 + x1 - b) * channels) {\n"
    "        const int q = e < (a - x0) * channels ? (int)e : (int)e + (b - a) * channels;\n"
    "        y[(long)(j - y0) * y_row + q] = TY_FROM(x[(long)j * x_row + (long)x0 * channels + q]);\n    }\n}\n";

/* Work-items of a workgroup. */
static int items_of(const rw_image_filter *f, const rw_image_pass *p, const rw_image_shape *s)
{
    if (s->threads) return s->columns ? COLUMNS_GROUP : GPU_GROUP;
    if (f->device->target.single_item) return 1;
    return RW_MIN(s->strip * (s->planar ? 1 : p->channels), p->limits && s->limits == RW_F64 ? 2048 : 4096);
}

static rw_status compile(rw_image_filter *f, rw_image_pass *p, const rw_image_shape *s, const char *name)
{
    if (rw_image_is_whole(p)) return rw_image_whole_create(f->device, p, f->spec.dtype, s->planar);
    rw_text text = {0};
    char group[16], bytes[24], convert[64];
    snprintf(group, sizeof group, "%d", items_of(f, p, s));
    snprintf(bytes, sizeof bytes, "%lld",
             (long long)(p->kind == RW_IMAGE_GATHER                               ? rw_image_gather_bytes(p, s)
                         : p->kind != RW_IMAGE_ROWS || s->columns || s->in_memory ? 16
                                                                                  : rw_image_pass_bytes(p, s)));
    if (p->kind == RW_IMAGE_GATHER) rw_image_write_gather(p, s, &text);
    else if (s->columns) rw_image_write_columns(p, s, &text);
    else if (p->kind == RW_IMAGE_COUNTS) rw_image_write_counts(p, s, &text);
    else rw_image_write_pass(p, s, &text);
    const char *from = p->x_dtype == RW_F16 || p->x_dtype == RW_F32 ? "f32" : p->x_dtype == RW_F64 ? "f64" : "i32";
    if (p->x_dtype == p->y_dtype) snprintf(convert, sizeof convert, "(v)");
    else
        snprintf(convert, sizeof convert, "%s_from_%s(%s(v))", rw_dtype_name(p->y_dtype), from,
                 p->x_dtype == RW_F16 ? "f32_from_f16" : "");
    if (p->skip)
        rw_text_add(&text, "#define TY %s\n#define TX %s\n#define TY_FROM(v) %s\n", rw_dtype_name(p->y_dtype),
                    rw_dtype_name(p->x_dtype), convert);
    if (p->limits || p->skip) {
        rw_text_add(&text, "#define LIMIT %s\n", rw_dtype_name(s->limits));
        const char *frame = strstr(extra_text, "KERNEL(frame");
        if (p->limits) rw_text_add_bytes(&text, extra_text, (size_t)(frame - extra_text));
        if (p->skip) rw_text_add(&text, "%s", frame);
    }
    if (text.failed)
        return rw_text_free(&text), rw_fail_memory(f->plan.ctx, text.capacity, "the kernel text of a filter");
    char groups[8];
    snprintf(groups, sizeof groups, "%d", s->columns ? rw_image_columns_groups(p, s) : 4);
    const rw_define d[] = {{"GROUP", group},
                           {"GROUP_X", strcmp(group, "1") ? "64" : "1"},
                           {"SHARED_LARGE_BYTES", bytes},
                           {"RW_WIDE", "1"},
                           {"RW_GROUPS_A_UNIT", groups}};
    rw_status status = rw_program_create(f->device, name, text.data, d, RW_COUNT(d), &p->program);
    rw_text_free(&text);
    RW_TRY(status);
    RW_TRY(rw_program_kernel(p->program, "image", &p->kernel));
    if (p->limits) RW_TRY(rw_program_kernel(p->program, "begin", &p->begin));
    if (p->skip) RW_TRY(rw_program_kernel(p->program, "frame", &p->frame));
    return RW_OK;
}

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

/* Rows of a workgroup: enough workgroups for all units, and few rows that two workgroups both compute. */
static int64_t rows_of(const rw_image_filter *f, const rw_image_pass *p, const rw_image_shape *s, int64_t strips,
                       int64_t height)
{
    int64_t extra = 0;
    if (p->transposes) return 64;
    for (int k = 1; k < p->nstages; ++k) extra += 2 * p->stage[k].ry;
    const bool threads = rw_device_has_threads(f->device), columns = s->columns > 0;
    const int64_t wanted = (int64_t)f->device->target.units * (columns ? 16 : threads && !s->in_memory ? 32 : 4);
    const int64_t pieces = RW_MAX(1, wanted / RW_MAX(strips, 1)), rows = (height + pieces - 1) / pieces;
    return RW_MIN(RW_MAX(rows, RW_MAX(threads ? 32 : 16, (columns ? 7 : 4) * extra)), RW_MAX(height, 1));
}

/* Workgroups of pass k for the pixels of r, and the rows of each. */
static int64_t groups_of(const rw_image_filter *f, int k, const rectangle *r, int64_t groups[3])
{
    const rw_image_pass *p = f->plan.pass + k;
    const rw_image_shape *s = f->shape + k;
    const int64_t width = r->x1 - r->x0, height = r->y1 - r->y0,
                  wide = s->columns && !s->planar ? width * p->channels : width;
    groups[0] = (wide + s->strip - 1) / s->strip;
    const int64_t rows = rows_of(f, p, s, groups[0], height);
    groups[1] = height ? (height + rows - 1) / rows : 0;
    groups[2] = s->planar && !rw_image_pass_by_pixels(p) ? p->channels : 1;
    return rows;
}

/* The pixels that pass k computes. */
static rectangle pixels_of(const rw_image_filter *f, int k)
{
    const rw_image_pass *p = f->plan.pass + k;
    if (k + 1 < f->plan.npasses) return (rectangle){0, p->y_width, 0, p->y_height};
    return (rectangle){f->spec.region.x, f->spec.region.x + f->spec.region.width, f->spec.region.y,
                       f->spec.region.y + f->spec.region.height};
}

/* Bytes of the row buffers of all workgroups that are in global memory, of the pass with most. */
static int64_t bytes_of_rings(const rw_image_filter *f)
{
    int64_t most = 0, groups[3];
    for (int k = 0; k < f->plan.npasses; ++k) {
        if (!f->shape[k].in_memory) continue;
        const rectangle r = pixels_of(f, k);
        groups_of(f, k, &r, groups);
        most = RW_MAX(most, groups[0] * groups[1] * groups[2] * rw_image_pass_bytes(f->plan.pass + k, f->shape + k));
    }
    return most;
}

static rw_status make(rw_image_filter *f)
{
    rw_image_chain chain;
    const int64_t one = 1, two = 2;
    rw_status status = rw_image_chain_create(f->plan.ctx, &f->spec, &chain);
    if (status == RW_OK) status = rw_image_lower(&f->plan, chain.ops, chain.nops);
    rw_image_chain_free(&chain);
    RW_TRY(status);
    const rw_image_pass *last = f->plan.pass + f->plan.npasses - 1;
    f->spec.y_dtype = f->plan.y_dtype;
    RW_TRY(check_region(f->plan.ctx, &f->spec, last->y_width, last->y_height));
    RW_TRY(rw_array_create(f->device, RW_F64, 1, &one, RW_MEMORY_DEVICE, &f->nothing));
    for (int k = 0; k < f->plan.npasses; ++k) {
        rw_image_pass *p = f->plan.pass + k;
        if (rw_device_has_threads(f->device))
            rw_image_merge_extremes(p, &(rw_image_shape){.planar = f->spec.planar, .threads = true});
        choose_shape(f, p, f->shape + k);
        if (p->limited) f->shape[k].limits = f->shape[k - 1].limits;
    }
    for (int k = 0; k < f->plan.npasses; ++k) {
        char name[64];
        rw_image_pass *p = f->plan.pass + k;
        snprintf(name, sizeof name, "filter, %s", p->stage[p->nstages - 1].name);
        RW_TRY(compile(f, p, f->shape + k, name));
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

/* Recursion and frequencies: a value that is not finite affects more than a window. */
static bool spreads(const rw_image_pass *p)
{
    return p->kind == RW_IMAGE_RECURSIVE || p->kind == RW_IMAGE_RESPONSE || p->kind == RW_IMAGE_MAGNITUDES;
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
    for (int k = 0; k < f->plan.npasses; ++k) info->spreads = info->spreads || spreads(f->plan.pass + k);
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
        if (p->kind != RW_IMAGE_ROWS) {
            rw_text_add(&t, " -> %s; %lld x %lld pixels\n", rw_dtype_name(p->y_dtype), (long long)p->y_width,
                        (long long)p->y_height);
            continue;
        }
        rw_text_add(&t, " -> %s%s; strips of %d pixels, %d row%s per step, row buffer of %lld bytes%s\n",
                    rw_dtype_name(p->y_dtype), p->limits ? ", minimum and maximum" : "", f->shape[k].strip,
                    f->shape[k].block, f->shape[k].block > 1 ? "s" : "",
                    (long long)rw_image_pass_bytes(p, f->shape + k), f->shape[k].in_memory ? " in global memory" : "");
    }
    if (t.failed) return rw_text_free(&t), rw_fail_memory(f->plan.ctx, t.capacity, "the description of a plan");
    *out = t.data;
    return RW_OK;
}

/* ---- execution --------------------------------------------------------------------------------------------------- */

/* Where an array's pixels lie, in elements. */
typedef struct layout {
    rw_array *array;
    int64_t from, row, plane;
    bool in_place; /* the kernel reads the view itself */
} layout;

static rw_status describe(const rw_image_filter *f, rw_array *a, const char *name, rw_dtype dtype, int64_t width,
                          int64_t height, int channels, layout *l)
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

static rw_arg arg_of(const layout *l) { return l->in_place ? rw_arg_memory(l->array) : rw_arg_array(l->array); }

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

static rw_status run_pass(rw_image_filter *f, int k, const layout *x, const layout *y, const rectangle *r, rw_queue *q)
{
    rw_image_pass *p = f->plan.pass + k;
    const rw_image_shape *s = f->shape + k;
    const int64_t width = r->x1 - r->x0, height = r->y1 - r->y0;
    int64_t groups[3];
    const int64_t rows = groups_of(f, k, r, groups);
    rw_array *limits = p->limits ? f->limits[k % 2] : NULL, *found = p->limited ? f->limits[(k + 1) % 2] : NULL,
             *now = NULL, *before = NULL;
    const int64_t two = 2;
    rw_status status = RW_OK;
    if (limits) status = rw_array_view(limits, s->limits, 1, &two, NULL, 0, &now);
    if (status == RW_OK && found) status = rw_array_view(found, s->limits, 1, &two, NULL, 0, &before);
    if (status == RW_OK && !limits) status = rw_array_view(f->nothing, s->limits, 1, &(int64_t){1}, NULL, 0, &now);
    if (status == RW_OK && !found) status = rw_array_view(f->nothing, s->limits, 1, &(int64_t){1}, NULL, 0, &before);
    rw_array *table = p->table, *none = NULL;
    if (status == RW_OK && !table) {
        status = rw_array_view(f->nothing, s->f64 ? RW_F64 : RW_F32, 1, &(int64_t){1}, NULL, 0, &none);
        table = none;
    }
    if (status == RW_OK && limits) {
        const rw_arg a[] = {rw_arg_array(now)};
        status = rw_launch(q, p->begin, (int64_t[]){1, 1, 1}, a, 1);
    }
    const rw_arg nx = rw_arg_int(p->width), ny = rw_arg_int(p->height), x0 = rw_arg_int(r->x0), x1 = rw_arg_int(r->x1),
                 y0 = rw_arg_int(r->y0), y1 = rw_arg_int(r->y1);
    const rw_arg x_from = rw_arg_int(x->from), x_row = rw_arg_int(x->row), x_plane = rw_arg_int(x->plane);
    const rw_arg y_from = rw_arg_int(y->from), y_row = rw_arg_int(y->row), y_plane = rw_arg_int(y->plane);
    if (status == RW_OK) {
        rw_arg a[RW_MAX_PARAMETERS] = {arg_of(y),
                                       arg_of(x),
                                       rw_arg_array(table),
                                       rw_arg_array(now),
                                       rw_arg_array(before),
                                       nx,
                                       ny,
                                       x0,
                                       x1,
                                       y0,
                                       y1,
                                       rw_arg_int(rows),
                                       x_from,
                                       x_row,
                                       x_plane,
                                       y_from,
                                       y_row,
                                       y_plane};
        int n = 18;
        if (s->in_memory) a[n++] = rw_arg_array(f->rings);
        for (int i = 0; i < rw_image_weight_arguments(p, s); ++i) a[n++] = rw_arg_real(p->weights.value[i]);
        status = rw_launch(q, p->kernel, groups, a, n);
    }
    if (status == RW_OK && p->skip) {
        int frame[4];
        rw_image_pass_extent(p, frame);
        const rw_arg a[] = {arg_of(y),
                            arg_of(x),
                            nx,
                            ny,
                            x0,
                            x1,
                            y0,
                            y1,
                            rw_arg_int(frame[0]),
                            rw_arg_int(frame[1]),
                            rw_arg_int(frame[2]),
                            rw_arg_int(frame[3]),
                            rw_arg_int(s->planar ? 1 : p->channels),
                            x_from,
                            x_row,
                            x_plane,
                            y_from,
                            y_row,
                            y_plane};
        status =
            rw_launch(q, p->frame, (int64_t[]){width ? height : 0, 1, s->planar ? p->channels : 1}, a, RW_COUNT(a));
    }
    rw_array_destroy(&now);
    rw_array_destroy(&before);
    rw_array_destroy(&none);
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
    layout from, to, last;
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
        const rectangle pixels = pixels_of(f, k);
        if (status == RW_OK && rw_image_is_whole(p))
            status = rw_image_whole_run(f->plan.pass + k, f->spec.planar, from.array, to.array, q);
        else if (status == RW_OK) status = run_pass(f, k, &from, end ? &last : &to, &pixels, q);
        if (status == RW_OK && p->counts)
            status = rw_image_counts_run(f->plan.pass + k, f->spec.planar, to.array, f->plan.pass[k + 1].table, q);
        from = to;
    }
    rw_array_destroy(&view[0]);
    rw_array_destroy(&view[1]);
    return status;
}
