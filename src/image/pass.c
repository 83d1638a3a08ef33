/* Passes whose kernel writes pixels of y from those of x, in strips and pieces of rows: stages over rows (pipeline.c,
 * columns.c), reads at arbitrary positions (geometry.c), tables (histogram.c). Kernels, their shapes and launches. */
#include <string.h>

#include "image/image.h"

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

enum { PROCESSOR_BYTES = 128 << 10, GPU_BYTES = 46 << 10, GPU_GROUP = 256, COLUMNS_GROUP = 128 };

/* The longest strips whose row buffers fit the caches, or the shared memory of a workgroup; if none does, row buffers
 * are in global memory. */
static void choose_rows(const rw_device *dev, const rw_image_pass *p, rw_image_shape *s)
{
    const bool threads = s->threads;
    const int64_t most = RW_MIN(threads ? GPU_BYTES : PROCESSOR_BYTES, dev->info.shared_memory);
    const int channels = s->planar && !rw_image_pass_by_pixels(p) ? 1 : p->channels;
    const int64_t longest = threads ? RW_MAX(256 / channels, 32) : RW_MAX(4096 / channels, 64);
    s->strip = (int)longest / 16 * 16; /* for images of all sizes */
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

/* Of kernels that write pixels by themselves. */
static void choose_pixels(const rw_device *dev, const rw_image_pass *p, rw_image_shape *s)
{
    const int64_t most = RW_MIN(s->threads ? GPU_BYTES : PROCESSOR_BYTES, dev->info.shared_memory);
    s->f64 = true;
    s->strip = s->threads ? 64 : 1024;
    if (rw_image_resizes(p)) s->strip = s->threads ? 256 : 1024;
    if (p->transposes) s->strip = 64;
    if (p->halves) s->strip = s->threads ? 1024 : 4096;
    while (s->strip > 16 && p->ops->bytes && p->ops->bytes(p, s) > most) s->strip /= 2;
}

void rw_image_choose_shape(const rw_device *dev, const rw_image_pass *p, bool planar, rw_image_shape *s)
{
    *s = (rw_image_shape){.planar = planar,
                          .threads = rw_device_has_threads(dev),
                          .limits = RW_F32,
                          .block = rw_device_has_threads(dev) ? 8 : 1};
    for (int k = 0; k < p->nstages; ++k)
        if (p->stage[k].type == RW_F64 || (p->stage[k].compute == RW_F64 && p->stage[k].nweights)) {
            s->f64 = true;
            s->limits = RW_F64;
        }
    if (p->ops->choose) p->ops->choose(dev, p, s);
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

/* Work-items of a workgroup. On OpenCL CPUs one, whose loops the compiler vectorises; several would be copied at each
 * barrier. */
static int items_of(const rw_device *dev, const rw_image_pass *p, const rw_image_shape *s)
{
    if (s->threads) return s->columns ? COLUMNS_GROUP : GPU_GROUP;
    if (dev->target.single_item) return 1;
    return RW_MIN(s->strip * (s->planar ? 1 : p->channels), p->limits && s->limits == RW_F64 ? 2048 : 4096);
}

static rw_status create(rw_device *dev, rw_image_pass *p, const rw_image_shape *s, rw_dtype dtype)
{
    (void)dtype;
    rw_text text = {0};
    char group[16], bytes[24], convert[64], name[64];
    snprintf(group, sizeof group, "%d", items_of(dev, p, s));
    snprintf(bytes, sizeof bytes, "%lld",
             (long long)(s->columns || s->in_memory || !p->ops->bytes ? 16 : p->ops->bytes(p, s)));
    p->ops->write(p, s, &text);
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
    if (text.failed) {
        rw_text_free(&text);
        return rw_fail_memory(dev->ctx, text.capacity, "the kernel text of a filter");
    }
    char groups[8];
    snprintf(name, sizeof name, "filter, %s", p->stage[p->nstages - 1].name);
    snprintf(groups, sizeof groups, "%d", s->columns ? rw_image_columns_groups(p, s) : 4);
    const rw_define d[] = {{"GROUP", group},
                           {"GROUP_X", strcmp(group, "1") ? "64" : "1"},
                           {"SHARED_LARGE_BYTES", bytes},
                           {"RW_WIDE", "1"},
                           {"RW_GROUPS_A_UNIT", groups}};
    rw_status status = rw_program_start(dev, name, text.data, d, RW_COUNT(d), &p->program);
    rw_text_free(&text);
    RW_TRY(status);
    RW_TRY(rw_program_kernel(p->program, "image", &p->kernel));
    if (p->limits) RW_TRY(rw_program_kernel(p->program, "begin", &p->begin));
    if (p->skip) RW_TRY(rw_program_kernel(p->program, "frame", &p->frame));
    return RW_OK;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Rows of a workgroup: enough workgroups for all units, and few rows that two workgroups both compute. */
static int64_t rows_of(const rw_device *dev, const rw_image_pass *p, const rw_image_shape *s, int64_t strips,
                       int64_t height)
{
    int64_t extra = 0;
    if (p->transposes) return 64;
    for (int k = 1; k < p->nstages; ++k) extra += 2 * p->stage[k].ry;
    const bool threads = s->threads, columns = s->columns > 0;
    const int64_t wanted = (int64_t)dev->target.units * (columns ? 16 : threads && !s->in_memory ? 32 : 4);
    const int64_t pieces = RW_MAX(1, wanted / RW_MAX(strips, 1)), rows = (height + pieces - 1) / pieces;
    return RW_MIN(RW_MAX(rows, RW_MAX(threads ? 32 : 16, (columns ? 7 : 4) * extra)), RW_MAX(height, 1));
}

int64_t rw_image_groups(const rw_device *dev, const rw_image_pass *p, const rw_image_shape *s,
                        const rw_image_rectangle *r, int64_t groups[3])
{
    const int64_t width = r->x1 - r->x0, height = r->y1 - r->y0,
                  wide = s->columns && !s->planar ? width * p->channels : width;
    groups[0] = (wide + s->strip - 1) / s->strip;
    const int64_t rows = rows_of(dev, p, s, groups[0], height);
    groups[1] = height ? (height + rows - 1) / rows : 0;
    groups[2] = s->planar && !rw_image_pass_by_pixels(p) ? p->channels : 1;
    return rows;
}

static rw_arg arg_of(const rw_image_layout *l)
{
    return l->in_place ? rw_arg_memory(l->array) : rw_arg_array(l->array);
}

static int add_integers(rw_arg *a, int n, const int64_t *values, int count)
{
    for (int i = 0; i < count; ++i) a[n++] = rw_arg_int(values[i]);
    return n;
}

/* Pixels at the border whose window exceeds the image: of x. */
static rw_status run_frame(rw_image_pass *p, const rw_image_shape *s, const rw_image_run *of, const int64_t sizes[6],
                           const int64_t places[6])
{
    rw_arg a[RW_MAX_PARAMETERS] = {arg_of(&of->y), arg_of(&of->x)};
    int extent[4];
    rw_image_pass_extent(p, extent);
    const int64_t frame[] = {extent[0], extent[1], extent[2], extent[3], s->planar ? 1 : p->channels};
    int n = add_integers(a, 2, sizes, 6);
    n = add_integers(a, n, frame, RW_COUNT(frame));
    n = add_integers(a, n, places, 6);
    const rw_image_rectangle *r = &of->pixels;
    return rw_launch(of->queue, p->frame,
                     (int64_t[]){r->x1 > r->x0 ? r->y1 - r->y0 : 0, 1, s->planar ? p->channels : 1}, a, n);
}

static rw_status run(rw_image_pass *p, const rw_image_shape *s, const rw_image_run *of)
{
    const rw_image_layout *x = &of->x, *y = &of->y;
    const rw_image_rectangle *r = &of->pixels;
    const int64_t two = 2, sizes[] = {p->width, p->height, r->x0, r->x1, r->y0, r->y1};
    const int64_t places[] = {x->from, x->row, x->plane, y->from, y->row, y->plane};
    int64_t groups[3];
    const int64_t rows = rw_image_groups(of->queue->device, p, s, r, groups);
    rw_array *limits = NULL, *found = NULL, *none = NULL;
    rw_status status = rw_array_view(of->limits, s->limits, 1, &two, NULL, 0, &limits);
    if (status == RW_OK) status = rw_array_view(of->found, s->limits, 1, &two, NULL, 0, &found);
    if (status == RW_OK && !p->table)
        status = rw_array_view(of->nothing, s->f64 ? RW_F64 : RW_F32, 1, &two, NULL, 0, &none);
    if (status == RW_OK && p->limits)
        status = rw_launch(of->queue, p->begin, (int64_t[]){1, 1, 1}, (const rw_arg[]){rw_arg_array(limits)}, 1);
    if (status == RW_OK) {
        rw_arg a[RW_MAX_PARAMETERS] = {arg_of(y), arg_of(x), rw_arg_array(p->table ? p->table : none),
                                       rw_arg_array(limits), rw_arg_array(found)};
        int n = add_integers(a, 5, sizes, 6);
        n = add_integers(a, n, &rows, 1);
        n = add_integers(a, n, places, 6);
        if (s->in_memory) a[n++] = rw_arg_array(of->rings);
        for (int i = 0; i < rw_image_weight_arguments(p, s); ++i) a[n++] = rw_arg_real(p->weights.value[i]);
        status = rw_launch(of->queue, p->kernel, groups, a, n);
    }
    if (status == RW_OK && p->skip) status = run_frame(p, s, of, sizes, places);
    rw_array_destroy(&limits);
    rw_array_destroy(&found);
    rw_array_destroy(&none);
    return status;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static void write_rows(const rw_image_pass *p, const rw_image_shape *s, rw_text *t)
{
    (s->columns ? rw_image_write_columns : rw_image_write_pass)(p, s, t);
}

static void explain_rows(const rw_image_pass *p, const rw_image_shape *s, rw_text *t)
{
    rw_text_add(t, " -> %s%s; strips of %d pixels, %d row%s per step, row buffer of %lld bytes%s\n",
                rw_dtype_name(p->y_dtype), p->limits ? ", minimum and maximum" : "", s->strip, s->block,
                s->block > 1 ? "s" : "", (long long)rw_image_pass_bytes(p, s), s->in_memory ? " in global memory" : "");
}

const rw_image_pass_ops rw_image_rows_ops = {.rows = true,
                                             .choose = choose_rows,
                                             .write = write_rows,
                                             .create = create,
                                             .run = run,
                                             .explain = explain_rows,
                                             .bytes = rw_image_pass_bytes};
const rw_image_pass_ops rw_image_gather_ops = {.choose = choose_pixels,
                                               .write = rw_image_write_gather,
                                               .create = create,
                                               .run = run,
                                               .bytes = rw_image_gather_bytes};
const rw_image_pass_ops rw_image_counts_ops = {.choose = choose_pixels,
                                               .write = rw_image_write_counts,
                                               .create = create,
                                               .run = run};
