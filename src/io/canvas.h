/* A white page of RGB pixels with anti-aliased strokes and rectangles: what the figures are drawn on.
 *
 * Coordinates are in pixels, x to the right, y downward; pixel (i, j) is the square [i,i+1] x [j,j+1]. A stroke is the
 * set of points within half its width of a polyline (round caps and joints); a pixel is covered by
 * clamp(width/2 + 1/2 - distance of its centre, 0, 1). The pieces of one stroke are united before they are blended, so
 * that crossings are not darker. */
#ifndef RW_CANVAS_H
#define RW_CANVAS_H

#include "core/core.h"

typedef struct rw_color {
    uint8_t r, g, b;
} rw_color;

typedef struct rw_canvas {
    int width, height;
    uint8_t *rgb;          /* rgb[(row*width + column)*3 + c], row 0 at the top */
    uint8_t *cover;        /* coverage of the stroke being built; zero outside `dirty` */
    int dirty[4], clip[4]; /* x0, y0, x1, y1: pixels from x0 to x1 - 1 */
} rw_canvas;

rw_status rw_canvas_create(rw_context *ctx, int width, int height, rw_canvas *canvas);
void rw_canvas_free(rw_canvas *canvas);

/* Drawing leaves pixels outside untouched; rw_canvas_unclip is the whole page again. */
void rw_canvas_clip(rw_canvas *canvas, double x0, double y0, double x1, double y1);
void rw_canvas_unclip(rw_canvas *canvas);

void rw_canvas_fill(rw_canvas *canvas, double x0, double y0, double x1, double y1, rw_color color);
/* Sets one pixel, if it is inside the clip. */
void rw_canvas_pixel(rw_canvas *canvas, int x, int y, const uint8_t rgb[3]);

/* A stroke: any number of segments and dots, then ink, which blends `color` with opacity 0..1. */
void rw_canvas_segment(rw_canvas *canvas, double x0, double y0, double x1, double y1, double width);
void rw_canvas_dot(rw_canvas *canvas, double x, double y, double radius);
void rw_canvas_ink(rw_canvas *canvas, rw_color color, double opacity);

#endif
