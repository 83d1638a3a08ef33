/* Images side by side with their histograms:
 *
 *      title            title
 *      size, type       size, type
 *      image            image
 *      histogram        histogram
 *      0 … white        0 … white
 *
 * A pixel of the page is the mean of the area of the image that it covers, or a part of an enlarged pixel. */
#include <math.h>
#include <string.h>

#include "io/figure_parts.h"
#include "io/image_file.h"

enum { MOST = 8, BINS = 256, WIDTH = 1400, HEIGHT = 900 };

typedef struct panel {
    const char *title;
    rw_array *copy; /* of values that are not shown as they lie; NULL: none */
    const void *data;
    rw_dtype dtype, own; /* of data, of the image */
    size_t width, height;
    int channels, colours; /* colours: channels without alpha */
    double scale;
    rw_box box, plot;
    double counts[3][BINS];
} panel;

static rw_status check(rw_context *ctx, const char *path, const rw_array *a)
{
    const bool shape = a->ndim == 2 || (a->ndim == 3 && a->shape[2] >= 1 && a->shape[2] <= 4);
    if (!shape || a->size < 1)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: an array of %d dimension%s and %lld elements: an image must be [height][width] or "
                       "[height][width][1 … 4]",
                       path, a->ndim, a->ndim == 1 ? "" : "s", (long long)a->size);
    if (!rw_image_is_shown(a->dtype) && a->dtype != RW_F16)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: an image of type %s: must be u8, u16, i16, f16, f32 or f64", path,
                       rw_dtype_name(a->dtype));
    return RW_OK;
}

static rw_status open_panel(rw_context *ctx, const char *path, const rw_figure_image *image, panel *p)
{
    rw_array *a = image->image;
    RW_NEED(a, "image");
    RW_TRY(check(ctx, path, a));
    *p = (panel){.title = image->title,
                 .own = a->dtype,
                 .dtype = a->dtype == RW_F16 ? RW_F32 : a->dtype,
                 .width = (size_t)a->shape[1],
                 .height = (size_t)a->shape[0],
                 .channels = a->ndim == 3 ? (int)a->shape[2] : 1};
    p->colours = p->channels - (p->channels % 2 == 0);
    if (a->contiguous && p->dtype == a->dtype) return rw_array_read(a, &p->data);
    RW_TRY(rw_array_create(a->device, p->dtype, a->ndim, a->shape, RW_MEMORY_DEVICE, &p->copy));
    RW_TRY(rw_array_copy(p->copy, a, rw_device_queue(a->device)));
    return rw_array_read(p->copy, &p->data);
}

static double shown(const panel *p, size_t pixel, int channel)
{
    const double v = rw_image_fraction(p->data, p->dtype, pixel * (size_t)p->channels + (size_t)channel);
    return v > 0 ? v < 1 ? v : 1 : 0; /* NaN: 0 */
}

static void count(panel *p)
{
    for (size_t i = 0, n = p->width * p->height; i < n; i++)
        for (int c = 0; c < p->colours; c++) p->counts[c][(int)(shown(p, i, c) * (BINS - 1) + 0.5)] += 1;
}

/* ---- the image --------------------------------------------------------------------------------------------------- */

/* Pixel i of the page shows the part [*from, *to] of the image's pixels. */
static void part(int i, double scale, size_t n, double *from, double *to)
{
    *from = fmin(i / scale, (double)n - 1e-9);
    *to = fmin((i + 1) / scale, (double)n);
    if (scale >= 1) {
        *from = floor(*from + 1e-9);
        *to = *from + 1;
    }
}

static void mean_of(const panel *p, double x0, double x1, double y0, double y1, double rgb[3])
{
    double sum[3] = {0}, area = 0;
    for (size_t y = (size_t)y0; y < p->height && (double)y < y1; y++)
        for (size_t x = (size_t)x0; x < p->width && (double)x < x1; x++) {
            const double w =
                (fmin(x1, (double)x + 1) - fmax(x0, (double)x)) * (fmin(y1, (double)y + 1) - fmax(y0, (double)y));
            const double alpha = p->colours < p->channels ? shown(p, y * p->width + x, p->colours) : 1;
            for (int c = 0; c < 3; c++)
                sum[c] += w * (1 - alpha + alpha * shown(p, y * p->width + x, p->colours == 1 ? 0 : c));
            area += w;
        }
    for (int c = 0; c < 3; c++) rgb[c] = area > 0 ? sum[c] / area : 0;
}

static void draw_image(rw_canvas *canvas, const panel *p)
{
    const int x0 = (int)p->box.x0, y0 = (int)p->box.y0, nx = (int)p->box.x1 - x0, ny = (int)p->box.y1 - y0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            double left, right, top, bottom, rgb[3];
            part(i, p->scale, p->width, &left, &right);
            part(j, p->scale, p->height, &top, &bottom);
            mean_of(p, left, right, top, bottom, rgb);
            const uint8_t bytes[3] = {(uint8_t)(255 * rgb[0] + 0.5), (uint8_t)(255 * rgb[1] + 0.5),
                                      (uint8_t)(255 * rgb[2] + 0.5)};
            rw_canvas_pixel(canvas, x0 + i, y0 + j, bytes);
        }
}

/* ---- the histogram ----------------------------------------------------------------------------------------------- */

/* The count at the upper edge: the largest one, or where black or white alone are far above all others, the largest
 * between them. */
static double top_of(const panel *p)
{
    double most = 0, between = 0;
    for (int c = 0; c < p->colours; c++)
        for (int i = 0; i < BINS; i++) {
            most = fmax(most, p->counts[c][i]);
            if (i > 0 && i < BINS - 1) between = fmax(between, p->counts[c][i]);
        }
    return between > most / 40 ? between : most;
}

static double step_of(const rw_box *b, double count, double top)
{
    return b->y1 - fmin(count / top, 1.2) * (b->y1 - b->y0);
}

static void draw_histogram(rw_canvas *canvas, const panel *p, double text)
{
    static const rw_color grey = {90, 90, 95}, colours[3] = {{205, 40, 45}, {20, 145, 60}, {45, 85, 215}},
                          ground = {244, 244, 246};
    const rw_box *b = &p->plot;
    const double top = 1.05 * top_of(p), wide = (b->x1 - b->x0) / BINS;
    rw_axis axis;
    rw_canvas_fill(canvas, b->x0, b->y0, b->x1, b->y1, ground);
    rw_canvas_clip(canvas, b->x0, b->y0, b->x1, b->y1);
    for (int c = 0; c < p->colours; c++) {
        for (int i = 0; i < BINS && p->colours == 1; i++)
            rw_canvas_fill(canvas, b->x0 + i * wide, step_of(b, p->counts[c][i], top), b->x0 + (i + 1) * wide, b->y1,
                           grey);
        for (int i = 0; i < BINS && p->colours > 1; i++) {
            const double x = b->x0 + i * wide, y = step_of(b, p->counts[c][i], top),
                         before = i ? step_of(b, p->counts[c][i - 1], top) : b->y1;
            if (before != y) rw_canvas_segment(canvas, x, before, x, y, 1.2);
            if (y < b->y1) rw_canvas_segment(canvas, x, y, x + wide, y, 1.2);
        }
        rw_canvas_ink(canvas, colours[c], 0.85);
    }
    rw_canvas_unclip(canvas);
    rw_axis_limits(&axis, 0, p->own == RW_U8 ? 255 : p->own == RW_U16 ? 65535 : p->own == RW_I16 ? 32767 : 1, false);
    rw_axis_place(&axis, b->x0, b->x1, text, RW_AXIS_BELOW);
    rw_axis_draw(canvas, &axis, b->y1, text, RW_AXIS_BELOW, NULL);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* The text at the size, smaller, or cut off with three dots so that it fits. */
static void draw_fitted(rw_canvas *canvas, const char *text, const rw_box *b, double base, double size, double weight,
                        rw_color color)
{
    const double room = b->x1 - b->x0, least = fmax(0.65 * size, 8);
    char cut[512];
    if (rw_font_width(text, size) > room) size = fmax(size * room / rw_font_width(text, size), fmin(least, size));
    size_t n = strlen(snprintf(cut, sizeof cut - 4, "%s", text) < 0 ? "" : cut);
    while (n > 0 && (n < strlen(text) ? rw_font_width(cut, size) > room : rw_font_width(text, size) > room)) {
        for (--n; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) --n; /* not within a character */
        memcpy(cut + n, "...", 4);
    }
    rw_font_draw(canvas, cut, b->x0, base, size, RW_TEXT_LEFT, false, weight, color);
}

static double fit(const panel *p, double width, double height)
{
    return fmin(width / (double)p->width, height / (double)p->height);
}

/* Scales of the images in places of this size: one for all, integers above 1. */
static void find_scales(panel *p, int n, double width, double height)
{
    double common = INFINITY;
    for (int i = 0; i < n; i++) common = fmin(common, fit(p + i, width, height));
    for (int i = 0; i < n; i++) {
        const double own = fit(p + i, width, height), scale = own > 4 * common ? own : common;
        p[i].scale = scale >= 1 ? floor(scale) : scale;
    }
}

static double shown_pixels(size_t n, double scale) { return fmax(ceil((double)n * scale - 1e-6), 1); }

static void lay_out(rw_sheet *s, panel *p, int n)
{
    s->top = ceil(s->top); /* frames lie on whole pixels */
    const double text = s->text, gap = round(2 * text), heads = round(2.9 * text), below = round(1.5 * text);
    const double plot = round(fmin(fmax(0.13 * s->height, 3 * text), 150));
    const double width = floor((s->width - 2 * s->margin - (n - 1) * gap) / n);
    const double height = s->height - s->top - heads - gap - plot - below - s->margin;
    double widest = 0, highest = 0;
    find_scales(p, n, fmax(width, 8), fmax(height, 8));
    for (int i = 0; i < n; i++) {
        widest = fmax(widest, shown_pixels(p[i].width, p[i].scale));
        highest = fmax(highest, shown_pixels(p[i].height, p[i].scale));
    }
    const double column = s->free_width ? fmin(fmax(widest, 18 * text), fmax(width, 8)) : fmax(width, 8);
    if (s->free_width) s->width = fmax(2 * s->margin + n * column + (n - 1) * gap, 200);
    if (s->free_height) s->height = fmax(s->top + heads + highest + gap + plot + below + s->margin, 200);
    for (int i = 0; i < n; i++) {
        const double left = s->margin + i * (column + gap), top = s->top + heads;
        const double foot = top + fmax(highest, s->free_height ? 0 : height) + round(gap / 2);
        p[i].box = (rw_box){left, top, left + shown_pixels(p[i].width, p[i].scale),
                            top + shown_pixels(p[i].height, p[i].scale)};
        p[i].plot = (rw_box){left, foot, left + column, foot + plot};
    }
}

static void draw_panel(rw_canvas *canvas, const panel *p, double text)
{
    const rw_color grey = {95, 95, 100};
    const rw_box line = {p->box.x0, 0, p->plot.x1, 0};
    char size[100];
    snprintf(size, sizeof size, "%zu × %zu pixels, %s", p->width, p->height, rw_dtype_name(p->own));
    if (p->title) draw_fitted(canvas, p->title, &line, p->box.y0 - 1.75 * text, 1.1 * text, 1.1, rw_ink);
    draw_fitted(canvas, size, &line, p->box.y0 - 0.6 * text, 0.85 * text, 1, grey);
    draw_image(canvas, p);
    rw_figure_frame(canvas, &p->box, text);
    draw_histogram(canvas, p, 0.85 * text);
}

static rw_status draw(rw_context *ctx, const char *path, const rw_figure_page *page, rw_sheet *sheet, int n, panel *p)
{
    rw_canvas canvas;
    lay_out(sheet, p, n);
    RW_TRY(rw_canvas_create(ctx, (int)sheet->width, (int)sheet->height, &canvas));
    for (int i = 0; i < n; i++) {
        count(p + i);
        draw_panel(&canvas, p + i, sheet->text);
    }
    rw_figure_titles(&canvas, page, sheet, sheet->width / 2);
    return rw_figure_save(ctx, path, &canvas);
}

rw_status rw_figure_write_images_sized(rw_context *ctx, const char *path, const rw_figure_page *page, int64_t n,
                                       const rw_figure_image *images, size_t page_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(images, "images");
    RW_STRUCT_IN(ctx, rw_figure_page, page, page_size);
    rw_sheet sheet;
    if (n < 1 || n > MOST)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %lld images: 1 to %d can be drawn", path, (long long)n, MOST);
    RW_TRY(rw_figure_sheet(ctx, path, page, WIDTH, HEIGHT, &sheet));
    panel *p = rw_calloc((size_t)n, sizeof *p);
    if (!p) return rw_fail_memory(ctx, (size_t)n * sizeof *p, "the images of a figure");
    rw_status status = RW_OK;
    for (int i = 0; i < n && status == RW_OK; i++) status = open_panel(ctx, path, images + i, p + i);
    if (status == RW_OK) status = draw(ctx, path, page, &sheet, n, p);
    for (int i = 0; i < n; i++) rw_array_destroy(&p[i].copy);
    rw_free(p);
    return status;
}
