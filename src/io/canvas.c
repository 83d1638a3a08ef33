/* The page (see canvas.h). A segment costs the pixels of its bounding box; long slanted ones are cut up. */
#include "io/canvas.h"

#include <math.h>
#include <string.h>

rw_status rw_canvas_create(rw_context *ctx, int width, int height, rw_canvas *canvas)
{
    size_t pixels = (size_t)width * (size_t)height;
    *canvas = (rw_canvas){.width = width, .height = height};
    canvas->rgb = rw_calloc(pixels, 3);
    canvas->cover = rw_calloc(pixels, 1);
    if (!canvas->rgb || !canvas->cover) {
        rw_canvas_free(canvas);
        return rw_fail_memory(ctx, pixels * 4, "the pixels of a figure");
    }
    memset(canvas->rgb, 255, pixels * 3);
    rw_canvas_unclip(canvas);
    canvas->dirty[0] = width;
    canvas->dirty[1] = height;
    return RW_OK;
}

void rw_canvas_free(rw_canvas *canvas)
{
    rw_free(canvas->rgb);
    rw_free(canvas->cover);
    *canvas = (rw_canvas){0};
}

static int pixel_at(double x, int size) { return x > 0 ? x < size ? (int)x : size : 0; /* NaN: 0 */ }

void rw_canvas_clip(rw_canvas *canvas, double x0, double y0, double x1, double y1)
{
    canvas->clip[0] = pixel_at(floor(x0 + 0.5), canvas->width);
    canvas->clip[1] = pixel_at(floor(y0 + 0.5), canvas->height);
    canvas->clip[2] = pixel_at(floor(x1 + 0.5), canvas->width);
    canvas->clip[3] = pixel_at(floor(y1 + 0.5), canvas->height);
}

void rw_canvas_unclip(rw_canvas *canvas)
{
    canvas->clip[0] = canvas->clip[1] = 0;
    canvas->clip[2] = canvas->width;
    canvas->clip[3] = canvas->height;
}

/* p <- p + a (color - p) */
static void blend(uint8_t *p, rw_color color, double a)
{
    p[0] = (uint8_t)(p[0] + a * (color.r - p[0]) + 0.5);
    p[1] = (uint8_t)(p[1] + a * (color.g - p[1]) + 0.5);
    p[2] = (uint8_t)(p[2] + a * (color.b - p[2]) + 0.5);
}

/* Pixels of a box, within the clip. */
static void box(const rw_canvas *c, double x0, double y0, double x1, double y1, int out[4])
{
    out[0] = RW_MAX(pixel_at(floor(x0), c->width), c->clip[0]);
    out[1] = RW_MAX(pixel_at(floor(y0), c->height), c->clip[1]);
    out[2] = RW_MIN(pixel_at(ceil(x1), c->width), c->clip[2]);
    out[3] = RW_MIN(pixel_at(ceil(y1), c->height), c->clip[3]);
}

static double overlap(double a0, double a1, int pixel)
{
    double length = fmin(a1, pixel + 1.0) - fmax(a0, pixel);
    return length > 0 ? length : 0;
}

void rw_canvas_fill(rw_canvas *canvas, double x0, double y0, double x1, double y1, rw_color color)
{
    int b[4];
    box(canvas, x0, y0, x1, y1, b);
    for (int y = b[1]; y < b[3]; y++)
        for (int x = b[0]; x < b[2]; x++)
            blend(canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x), color,
                  overlap(x0, x1, x) * overlap(y0, y1, y));
}

void rw_canvas_pixel(rw_canvas *canvas, int x, int y, const uint8_t rgb[3])
{
    if (x < canvas->clip[0] || x >= canvas->clip[2] || y < canvas->clip[1] || y >= canvas->clip[3]) return;
    memcpy(canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x), rgb, 3);
}

/* Unites the disc-swept segment with the stroke. */
static void cover(rw_canvas *c, double x0, double y0, double x1, double y1, double radius)
{
    int b[4];
    double r = radius + 0.5, dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    box(c, fmin(x0, x1) - r, fmin(y0, y1) - r, fmax(x0, x1) + r, fmax(y0, y1) + r, b);
    if (b[0] >= b[2] || b[1] >= b[3]) return;
    for (int y = b[1]; y < b[3]; y++) {
        uint8_t *row = c->cover + (size_t)y * (size_t)c->width;
        for (int x = b[0]; x < b[2]; x++) {
            double px = x + 0.5 - x0, py = y + 0.5 - y0;
            double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
            double ex = px - t * dx, ey = py - t * dy, d2 = ex * ex + ey * ey;
            if (d2 >= r * r) continue;
            uint8_t a = (uint8_t)(fmin(r - sqrt(d2), 1) * 255 + 0.5);
            if (a > row[x]) row[x] = a;
        }
    }
    c->dirty[0] = RW_MIN(c->dirty[0], b[0]);
    c->dirty[1] = RW_MIN(c->dirty[1], b[1]);
    c->dirty[2] = RW_MAX(c->dirty[2], b[2]);
    c->dirty[3] = RW_MAX(c->dirty[3], b[3]);
}

/* Shortens the segment to the clip widened by `margin` (Liang and Barsky 1984); false when nothing is left. */
static bool clip_segment(const rw_canvas *c, double margin, double p[4])
{
    double t0 = 0, t1 = 1, d[2] = {p[2] - p[0], p[3] - p[1]};
    for (int side = 0; side < 4; side++) {
        int a = side & 1;
        double edge = side < 2 ? p[a] - (c->clip[a] - margin) : c->clip[a + 2] + margin - p[a];
        double speed = side < 2 ? -d[a] : d[a]; /* inside while speed * t <= edge */
        if (speed == 0) {
            if (edge < 0) return false;
        } else if (speed > 0) {
            t1 = fmin(t1, edge / speed);
        } else {
            t0 = fmax(t0, edge / speed);
        }
    }
    if (!(t0 <= t1)) return false;
    p[2] = p[0] + t1 * d[0];
    p[3] = p[1] + t1 * d[1];
    p[0] += t0 * d[0];
    p[1] += t0 * d[1];
    return true;
}

void rw_canvas_segment(rw_canvas *canvas, double x0, double y0, double x1, double y1, double width)
{
    double p[4] = {x0, y0, x1, y1};
    if (!isfinite(x0 + y0 + x1 + y1) || !clip_segment(canvas, width + 1, p)) return;
    double dx = p[2] - p[0], dy = p[3] - p[1];
    int pieces = (int)(fmin(fabs(dx), fabs(dy)) / 16) + 1; /* small boxes for slanted lines */
    for (int i = 0; i < pieces; i++) {
        double s = (double)i / pieces, t = (double)(i + 1) / pieces;
        cover(canvas, p[0] + s * dx, p[1] + s * dy, p[0] + t * dx, p[1] + t * dy, width / 2);
    }
}

void rw_canvas_dot(rw_canvas *canvas, double x, double y, double radius)
{
    if (isfinite(x + y)) cover(canvas, x, y, x, y, radius);
}

void rw_canvas_ink(rw_canvas *canvas, rw_color color, double opacity)
{
    const int *d = canvas->dirty;
    for (int y = d[1]; y < d[3]; y++) {
        uint8_t *row = canvas->cover + (size_t)y * (size_t)canvas->width;
        for (int x = d[0]; x < d[2]; x++) {
            if (row[x] == 0) continue;
            blend(canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x), color, opacity * row[x] / 255);
            row[x] = 0;
        }
    }
    canvas->dirty[0] = canvas->width;
    canvas->dirty[1] = canvas->height;
    canvas->dirty[2] = canvas->dirty[3] = 0;
}
