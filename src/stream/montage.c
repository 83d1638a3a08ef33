/* Pictures side by side on a page (stream.h):
 *
 *   | title      | title      | title      |      each picture in the middle of its column,
 *   | picture    | picture    | picture    |      as large as fits with its aspect ratio
 *   | footer                               |
 *
 * The host draws titles and footer, the device the pictures. */
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "io/font.h"
#include "stream/stream.h"

enum { GAP = 8, TITLE = 26, FOOTER = 32, LEAST_WIDTH = 640, TEXT = 14 };

static const rw_color background = {24, 26, 30}, text_color = {225, 228, 232}, title_color = {160, 168, 178};

static double fit(const rw_montage_picture *p, double width, double height)
{
    return fmin(width / (double)p->width, height / (double)p->height);
}

static double column(int width, int n) { return (double)(width - GAP * (n + 1)) / n; }

void rw_montage_size(int n, const rw_montage_picture *pictures, int *width, int *height)
{
    const double w = column(*width, n), h = *height - TITLE - FOOTER;
    double scale = HUGE_VAL, wide = 0, high = 0;
    for (int i = 0; i < n; ++i) scale = fmin(scale, fit(pictures + i, w, h));
    if (scale > 1) scale = floor(scale);
    for (int i = 0; i < n; ++i) {
        wide = fmax(wide, ceil(scale * (double)pictures[i].width));
        high = fmax(high, ceil(scale * (double)pictures[i].height));
    }
    *width = RW_MIN(*width, RW_MAX((int)wide * n + GAP * (n + 1), LEAST_WIDTH));
    *height = RW_MIN(*height, (int)high + TITLE + FOOTER);
}

void rw_montage_place(int width, int height, int n, const rw_montage_picture *pictures, int i, int place[4])
{
    const double w = fmax(column(width, n), 1), h = RW_MAX(height - TITLE - FOOTER, 1), scale = fit(pictures + i, w, h);
    place[2] = RW_MAX((int)(scale * (double)pictures[i].width + 1e-6), 1);
    place[3] = RW_MAX((int)(scale * (double)pictures[i].height + 1e-6), 1);
    place[0] = (int)(GAP + i * (w + GAP) + (w - place[2]) / 2);
    place[1] = TITLE + (int)((h - place[3]) / 2);
}

static void clear(rw_canvas *c)
{
    const uint8_t color[3] = {background.r, background.g, background.b};
    for (int i = 0; i < c->width; ++i) memcpy(c->rgb + 3 * i, color, 3);
    for (int j = 1; j < c->height; ++j) memcpy(c->rgb + 3 * (size_t)j * (size_t)c->width, c->rgb, 3 * (size_t)c->width);
}

/* Draws text at size TEXT, or smaller to fit. */
static void draw_text(rw_canvas *c, const char *text, double x, double y, double room, rw_text_align align,
                      rw_color color)
{
    const double size = fmin(TEXT, TEXT * room / fmax(rw_font_width(text, TEXT), 1));
    rw_font_draw(c, text, x, y, size, align, false, 1, color);
}

void rw_montage_draw_text(int n, const rw_montage_picture *pictures, const char *footer, rw_canvas *c)
{
    clear(c);
    for (int i = 0; i < n; ++i) {
        const double w = column(c->width, n);
        char title[160];
        rw_snprintf(title, sizeof title, "%.100s, %lld × %lld", pictures[i].title, (long long)pictures[i].width,
                    (long long)pictures[i].height);
        draw_text(c, title, GAP + i * (w + GAP) + w / 2, TITLE - 9, w, RW_TEXT_CENTER, title_color);
    }
    draw_text(c, footer, GAP, c->height - 11, c->width - 2 * GAP, RW_TEXT_LEFT, text_color);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* A pixel of the page is the mean of up to two by two samples, at its middle or its quarters: of those at (2 k + 1)/(2
 * n EACH) of the picture's width or height, k from 0 on. */
static const char picture_text[] =
    "DEVICE int sample_at(int k, int each, int n, int size) { return (int)((2 * (long)k + 1) * size / (2 * (long)n * "
    "each)); }\n"
    "DEVICE int byte_of(T v) { return DEEP ? ((int)v * 255 + 32767) / 65535 : (int)v; }\n"
    "KERNEL(picture, GLOBAL u8 *RESTRICT page, GLOBAL const T *RESTRICT x, int width, int height, int channels, int "
    "page_width, int page_height,\n"
    "       int left, int top, int w, int h)\n{\n"
    "    const int j = GROUP_ID(0), ex = width > w ? 2 : 1, ey = height > h ? 2 : 1, shift = ex + ey - 2, step = "
    "channels < 3 ? 0 : 1;\n"
    "    if (top + j < page_height) {\n        EACH(i, w) {\n            if (left + i < page_width) {\n"
    "                for (int c = 0; c < 3; ++c) {\n"
    "                    int sum = (1 << shift) >> 1;\n"
    "                    for (int b = 0; b < ey; ++b)\n                        for (int a = 0; a < ex; ++a)\n"
    "                            sum += byte_of(x[((long)sample_at(ey * j + b, ey, h, height) * width + sample_at(ex "
    "* i + a, ex, w, width)) * channels + c * step]);\n"
    "                    page[((long)(top + j) * page_width + left + i) * 3 + c] = (u8)(sum >> shift);\n"
    "                }\n            }\n        }\n    }\n}\n";

rw_status rw_montage_create(rw_device *dev, rw_dtype dtype, rw_montage *m)
{
    const bool deep = dtype == RW_U16;
    RW_TRY(rw_program_create_with(dev, "montage", picture_text, &m->program, "GROUP=%d T=%s DEEP=%d",
                                  rw_device_has_threads(dev) ? 256 : 1, rw_dtype_name(dtype), deep));
    m->dtype = dtype;
    return rw_program_kernel(m->program, "picture", &m->picture);
}

void rw_montage_free(rw_montage *m)
{
    rw_program_destroy(&m->program);
    *m = (rw_montage){0};
}

rw_status rw_montage_draw_picture(const rw_montage *m, rw_array *x, const int place[4], rw_array *page, rw_queue *q)
{
    const rw_arg a[] = {rw_arg_array(page),
                        rw_arg_array(x),
                        rw_arg_int(rw_array_shape(x, 1)),
                        rw_arg_int(rw_array_shape(x, 0)),
                        rw_arg_int(rw_array_shape(x, 2)),
                        rw_arg_int(rw_array_shape(page, 1)),
                        rw_arg_int(rw_array_shape(page, 0)),
                        rw_arg_int(place[0]),
                        rw_arg_int(place[1]),
                        rw_arg_int(place[2]),
                        rw_arg_int(place[3])};
    return rw_launch(q, m->picture, (int64_t[]){place[3], 1, 1}, a, RW_COUNT(a));
}
