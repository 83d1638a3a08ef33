/* Pictures side by side on a page (stream.h):
 *
 *   | title      | title      | title      |      each picture in the middle of its column,
 *   | picture    | picture    | picture    |      as large as fits with its aspect ratio
 *   | footer                               |
 *
 * A page of 1280 x 430 pixels with three frames of 1920 x 1080 takes a few milliseconds. */
#include <math.h>
#include <string.h>

#include "io/font.h"
#include "stream/stream.h"

enum { GAP = 8, TITLE = 26, FOOTER = 32, LEAST_WIDTH = 640, TEXT = 14 };

static const rw_color background = {24, 26, 30}, text_color = {225, 228, 232}, title_color = {160, 168, 178};

static double fit(const rw_montage_picture *p, double width, double height)
{
    return fmin(width / (double)p->format.width, height / (double)p->format.height);
}

static double column(int width, int n) { return (double)(width - GAP * (n + 1)) / n; }

void rw_montage_size(int n, const rw_montage_picture *pictures, int *width, int *height)
{
    const double w = column(*width, n), h = *height - TITLE - FOOTER;
    double scale = HUGE_VAL, wide = 0, high = 0;
    for (int i = 0; i < n; ++i) scale = fmin(scale, fit(pictures + i, w, h));
    if (scale > 1) scale = floor(scale);
    for (int i = 0; i < n; ++i)
        wide = fmax(wide, ceil(scale * (double)pictures[i].format.width)), high = fmax(high, ceil(scale * (double)pictures[i].format.height));
    *width = RW_MIN(*width, RW_MAX((int)wide * n + GAP * (n + 1), LEAST_WIDTH));
    *height = RW_MIN(*height, (int)high + TITLE + FOOTER);
}

void rw_montage_place(int width, int height, int n, const rw_montage_picture *pictures, int i, int place[4])
{
    const double w = fmax(column(width, n), 1), h = RW_MAX(height - TITLE - FOOTER, 1), scale = fit(pictures + i, w, h);
    place[2] = RW_MAX((int)(scale * (double)pictures[i].format.width + 1e-6), 1);
    place[3] = RW_MAX((int)(scale * (double)pictures[i].format.height + 1e-6), 1);
    place[0] = (int)(GAP + i * (w + GAP) + (w - place[2]) / 2);
    place[1] = TITLE + (int)((h - place[3]) / 2);
}

/* Samples of a picture's columns or rows: `each` for each of n pixels, at their middle or their quarters. */
static int source_of(int k, int each, int n, int64_t size)
{
    const int64_t at = (int64_t)((k + 0.5) * (double)size / ((double)n * each));
    return (int)RW_MIN(at, size - 1);
}

static void draw_picture(const rw_montage_picture *p, const int place[4], int *x, int *rgb, rw_canvas *c)
{
    const int w = place[2], h = place[3], ex = p->format.width > w ? 2 : 1, ey = p->format.height > h ? 2 : 1, shift = ex + ey - 2;
    for (int k = 0; k < w * ex; ++k) x[k] = source_of(k, ex, w, p->format.width);
    for (int j = 0; j < h && place[1] + j < c->height; ++j) {
        memset(rgb, 0, (size_t)w * 3 * (size_t)ex * sizeof *rgb);
        for (int k = 0; k < ey; ++k) rw_frame_add_rgb(&p->format, p->frame, source_of(j * ey + k, ey, h, p->format.height), w * ex, x, rgb);
        uint8_t *row = c->rgb + 3 * ((size_t)(place[1] + j) * (size_t)c->width + (size_t)place[0]);
        for (int i = 0; i < RW_MIN(w, c->width - place[0]); ++i)
            for (int a = 0; a < 3; ++a) {
                int sum = rgb[3 * i * ex + a];
                if (ex == 2) sum += rgb[3 * (2 * i + 1) + a];
                row[3 * i + a] = (uint8_t)((sum + (1 << shift) / 2) >> shift);
            }
    }
}

static void clear(rw_canvas *c)
{
    const uint8_t color[3] = {background.r, background.g, background.b};
    for (int i = 0; i < c->width; ++i) memcpy(c->rgb + 3 * i, color, 3);
    for (int j = 1; j < c->height; ++j) memcpy(c->rgb + 3 * (size_t)j * (size_t)c->width, c->rgb, 3 * (size_t)c->width);
}

/* As large as TEXT where it has room. */
static void draw_text(rw_canvas *c, const char *text, double x, double y, double room, rw_text_align align, rw_color color)
{
    const double size = fmin(TEXT, TEXT * room / fmax(rw_font_width(text, TEXT), 1));
    rw_font_draw(c, text, x, y, size, align, false, 1, color);
}

rw_status rw_montage_draw(rw_context *ctx, int n, const rw_montage_picture *pictures, const char *footer, rw_canvas *c)
{
    int *x = rw_calloc((size_t)c->width, 8 * sizeof *x), *rgb = x + 2 * c->width;
    if (!x) return rw_fail_memory(ctx, 8 * sizeof *x * (size_t)c->width, "a row of pixels");
    clear(c);
    for (int i = 0; i < n; ++i) {
        int place[4];
        rw_montage_place(c->width, c->height, n, pictures, i, place);
        draw_picture(pictures + i, place, x, rgb, c);
        const double w = column(c->width, n);
        char title[160];
        const rw_frame_format *f = &pictures[i].format;
        rw_snprintf(title, sizeof title, "%.100s, %lld × %lld", pictures[i].title, (long long)f->width, (long long)f->height);
        draw_text(c, title, GAP + i * (w + GAP) + w / 2, TITLE - 9, w, RW_TEXT_CENTER, title_color);
    }
    draw_text(c, footer, GAP, c->height - 11, c->width - 2 * GAP, RW_TEXT_LEFT, text_color);
    rw_free(x);
    return RW_OK;
}
