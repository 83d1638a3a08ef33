/* Figures as PNG: line plots, bars, colour maps and surfaces of plane fields, slices of a volume; histories of solvers
 * and sparsity patterns. Link librechenwerk-run.
 *
 *   rw_figure_series s = {.name = "residual", .n = n, .x = x, .y = y};
 *   rw_figure_lines lines = {.y = {.label = "|r|", .log = true}, .n = 1, .series = &s};
 *   rw_figure_write_lines(ctx, "residual.png", &(rw_figure_page){.title = "GMRES"}, &lines);
 *
 * A zeroed structure has the defaults: automatic size and limits, no labels. Text is UTF-8: ASCII, German letters,
 * Greek, superscript and subscript digits and some signs. White background.
 *
 * Each function draws and writes one PNG, which appears whole or not at all. Errors of all: ERR_ARGUMENT, ERR_FILE,
 * ERR_MEMORY. */
#ifndef RECHENWERK_FIGURE_H
#define RECHENWERK_FIGURE_H

#include "rechenwerk/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* value, name */
/* clang-format off */
#define RW_COLORMAP_LIST(X)                                                                                            \
    X(SEQUENTIAL, "sequential")                                                                                        \
    X(DIVERGING, "diverging")                                                                                          \
    X(GREY, "grey")                                                                                                    \
    X(CYCLIC, "cyclic")
/* clang-format on */

typedef enum rw_colormap {
#define RW_X(value, name) RW_COLORMAP_##value,
    RW_COLORMAP_LIST(RW_X)
#undef RW_X
        RW_COLORMAPS
} rw_colormap;

typedef struct rw_figure_axis {
    const char *label; /* "x / m"; NULL: none */
    double min, max;   /* min == max: automatic */
    bool log;          /* decimal logarithm; values <= 0 are missing */
} rw_figure_axis;

typedef struct rw_figure_page {
    int width, height;    /* pixels, 200 .. 16384; 0: at most 1400 x 1100, volumes 1800, cut to the shape of the data */
    const char *title;    /* one line above; NULL: none */
    const char *subtitle; /* smaller, grey, below the title: "t = 0.5 s"; NULL: none */
    double text;          /* size of the axis text in pixels; 0: about 1/50 of the smaller side, at least 12 */
} rw_figure_page;

/* A plane field: values[j*nx + i] fills the cell i of nx, j of ny of the rectangle [x0,x1] x [y0,y1], y upward. For
 * values at nodes widen the rectangle by half a spacing on each side. NaN cells get the colour of missing values. */
typedef struct rw_figure_field {
    size_t nx, ny;
    const double *values;
    double x0, x1, y0, y1; /* x0 == x1: 0 .. nx; y0 == y1: 0 .. ny */
    const char *x_label, *y_label;
    rw_figure_axis value; /* the colour bar; automatic limits of a diverging map are symmetric about 0 */
    rw_colormap map;
    bool stretch; /* false: one unit is equally long in x and y; true: fill the page */
    bool down;    /* y counts downward, as rows of a matrix do: values[0 … nx - 1] are at the top */
} rw_figure_field;

typedef enum rw_figure_style {
    RW_FIGURE_LINE,
    RW_FIGURE_DASHED,
    RW_FIGURE_POINTS,
    RW_FIGURE_LINE_POINTS
} rw_figure_style;

/* One series: y against x; NaN or infinite points break the line. */
typedef struct rw_figure_series {
    const char *name; /* in the legend; NULL: not listed */
    size_t n;
    const double *x, *y;
    rw_figure_style style;
} rw_figure_series;

/* With automatic limits a single series that is constant to seven digits is drawn as such: "constant: 0.1234567". */
typedef struct rw_figure_lines {
    rw_figure_axis x, y;
    int n;
    const rw_figure_series *series; /* [n], colours in turn */
    double scale; /* of values beside which those of a single series may be rounding errors of 0; 0: none are known */
} rw_figure_lines;

/* Bars: values[s*ngroups + g] is what series s has in group g. Groups lie one below the other with their names to the
 * left, bars from left to right, each with its number; values that are not finite, or not above 0 when log, have
 * none. */
typedef struct rw_figure_bars {
    rw_figure_axis value; /* automatic limits begin at 0, when log at half of the least value */
    int ngroups, nseries;
    const char *const *group;  /* [ngroups] */
    const char *const *series; /* [nseries] */
    const double *values;
    int pale; /* the last so many series are paler than their colours: values of others */
} rw_figure_bars;

/* A volume: values[(k*ny + j)*nx + i] in the box [lower, upper] (as the rectangle above, cell by cell). Drawn are the
 * planes z, y and x = const through `at` side by side with one colour bar; the planes are marked in each other. */
typedef struct rw_figure_volume {
    size_t n[3];
    const double *values;
    double lower[3], upper[3]; /* lower[a] == upper[a]: 0 .. n[a] */
    const char *label[3];      /* of the axes; NULL: x, y, z */
    bool choose;               /* true: the planes pass through at[]; false: through the middle */
    double at[3];
    rw_figure_axis value;
    rw_colormap map;
} rw_figure_volume;

/* An image: [height][width] or [height][width][channels] of 1 to 4 channels as in rechenwerk/image.h, u8, u16, i16,
 * f16, f32, f64. */
typedef struct rw_figure_image {
    const char *title; /* above the image; NULL: none */
    rw_array *image;
} rw_figure_image;

/* ERR_ARGUMENT: sizes 0, a page outside of its range, limits that are not finite, logarithmic limits <= 0. A field of
 * NaN is drawn as such. page: optional. */
RW_API rw_status rw_figure_write_field(rw_context *context, const char *path, const rw_figure_page *page,
                                       const rw_figure_field *field);
/* The same field as a shaded surface over its rectangle: a value stands above the middle of its cell, higher and lower
 * ones than the limits lie at them, missing ones leave holes. Seen from the side of high x and low y. */
RW_API rw_status rw_figure_write_surface(rw_context *context, const char *path, const rw_figure_page *page,
                                         const rw_figure_field *field);
RW_API rw_status rw_figure_write_lines(rw_context *context, const char *path, const rw_figure_page *page,
                                       const rw_figure_lines *lines);
RW_API rw_status rw_figure_write_bars(rw_context *context, const char *path, const rw_figure_page *page,
                                      const rw_figure_bars *bars);
RW_API rw_status rw_figure_write_volume(rw_context *context, const char *path, const rw_figure_page *page,
                                        const rw_figure_volume *volume);

/* 1 to 8 images side by side on one scale (an image that would be smaller than a quarter of its place: larger), each
 * with its title, size and type above and the histogram of its values below, a curve for each channel. Large images are
 * reduced, small ones enlarged by integer factors. Values below black or above white are drawn and counted as these;
 * alpha is laid over white and not counted. The current contents of the host's copy are drawn. ERR_ARGUMENT: another
 * number, shape or type. page: optional. */
RW_API rw_status rw_figure_write_images(rw_context *context, const char *path, const rw_figure_page *page, int n,
                                        const rw_figure_image *images);

/* Residual norms residual[0 … n - 1] of iterations 0 … n - 1, as a rw_krylov_monitor receives them, on a logarithmic
 * scale. right_side: |b|, by which they are divided; 0: they are drawn as they are. tolerance: |r| at which a line is
 * drawn; 0: none. title: optional. ERR_ARGUMENT: n < 1. */
RW_API rw_status rw_figure_write_residuals(rw_context *context, const char *path, const char *title, int64_t n,
                                           const double *residual, double right_side, double tolerance);

/* Sparsity pattern of a matrix, row 0 at the top: the fill ratio of up to 512 x 512 squares as a colour. title:
 * optional. */
RW_API rw_status rw_figure_write_pattern(rw_context *context, const char *path, const char *title,
                                         const rw_entries *entries);

#ifdef __cplusplus
}
#endif
#endif
