/* An axis: limits, a place on the page, ticks at round numbers and their labels; drawn with its marks and text.
 *
 * Linear ticks are the multiples of 1, 2 or 5 times a power of ten that leave room for their labels; logarithmic ticks
 * are powers of ten, or 1-2-5 within them when there are few decades. Very large or small labels share a factor. */
#ifndef RW_AXES_H
#define RW_AXES_H

#include "io/font.h"

enum { RW_AXIS_TICKS = 16, RW_AXIS_MINOR = 128 };

typedef struct rw_axis {
    double min, max; /* finite, min < max; above 0 when log */
    bool log;
    double start, end; /* pixels of min and max */
    int n, n_minor;
    double tick[RW_AXIS_TICKS], minor[RW_AXIS_MINOR];
    char label[RW_AXIS_TICKS][40];
    char factor[24]; /* "×10⁶", or "" */
} rw_axis;

typedef enum rw_axis_side { RW_AXIS_BELOW, RW_AXIS_LEFT, RW_AXIS_RIGHT } rw_axis_side;

/* Sets the limits; equal, reversed or extreme ones are widened, swapped or cut so that the axis can be drawn. */
void rw_axis_limits(rw_axis *axis, double min, double max, bool log);
/* Sets the place and chooses ticks and labels for text of this size. */
void rw_axis_place(rw_axis *axis, double start, double end, double size, rw_axis_side side);
/* Pixel of a value, not cut to the axis; NaN stays NaN, and so does a value <= 0 on a logarithmic axis. */
double rw_axis_pixel(const rw_axis *axis, double value);
/* Length of the longest label. */
double rw_axis_label_width(const rw_axis *axis, double size);
/* Pixels that marks, tick labels and axis label take next to the axis line. */
double rw_axis_depth(const rw_axis *axis, double size, rw_axis_side side, const char *label);
/* Draws marks, labels and the axis label next to the line at `line` (a y for BELOW, an x otherwise). */
void rw_axis_draw(rw_canvas *canvas, const rw_axis *axis, double line, double size, rw_axis_side side,
                  const char *label);

/* A number in few characters: "0.25", "−3×10⁻⁷". */
void rw_axis_number(char *text, size_t n, double value);

extern const rw_color rw_ink, rw_frame, rw_grid_color; /* text; lines of axes; grid lines */

#endif
