/* Figures as PNG: line plots, bar charts, colour maps and surface plots of plane fields, slices of volumes, images,
 * convergence histories of solvers and sparsity patterns. Link librechenwerk-run.
 *
 *   rw_figure_series s = {.name = "residual", .n = n, .x = x, .y = y};
 *   rw_figure_lines lines = {.y = {.label = "|r|", .log = true}, .n = 1, .series = &s};
 *   rw_figure_write_lines(ctx, "residual.png", &(rw_figure_page){.title = "GMRES"}, &lines);
 *
 * A zeroed structure has the defaults: automatic size and limits, no labels. Text is UTF-8: ASCII, German letters,
 * Greek letters, superscript and subscript digits and some signs. The background is white.
 *
 * Each function writes one PNG, which appears complete or not at all. page: optional.
 * Errors of all: ERR_ARGUMENT: sizes of 0, a page out of range, limits that are not finite, limits <= 0 of a
 * logarithmic axis; ERR_FILE; ERR_MEMORY. */
#ifndef RECHENWERK_FIGURE_H
#define RECHENWERK_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rechenwerk/array.h"
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_colormap_name(rw_colormap value);
RW_API rw_status rw_colormap_parse(rw_context *context, const char *name, rw_colormap *value);

/* An axis, or a colour bar. */
typedef struct rw_figure_axis {
    const char *label; /* "x / m". Default: none. */
    double min, max;   /* limits. min == max: automatic limits. */
    bool log;          /* logarithmic, base 10; values <= 0 count as missing */
} rw_figure_axis;

/* Size and titles of a figure. */
typedef struct rw_figure_page {
    /* pixels, 200 … 16384. Default: up to 1400 x 1100 (volumes: 1800 x 1100), reduced to the shape of the data; bar
     * charts: as high as their groups. */
    int width, height;
    const char *title;    /* one line above the figure. Default: none. */
    const char *subtitle; /* smaller, grey, below the title: "t = 0.5 s". Default: none. */
    double text;          /* size of the axis text in pixels. Default: 1/50 of the shorter side, at least 12. */
} rw_figure_page;

/* A plane field: values[j*nx + i] fills cell (i, j) of nx x ny cells of the rectangle [x0, x1] x [y0, y1], with y
 * upward. For values at nodes extend the rectangle by half a spacing on each side. NaN is drawn in the colour of
 * missing values. */
typedef struct rw_figure_field {
    size_t nx, ny;
    const double *values;
    double x0, x1, y0, y1; /* x0 == x1: 0 … nx; y0 == y1: 0 … ny */
    const char *x_label, *y_label;
    rw_figure_axis value; /* the colour bar; automatic limits of a diverging map are symmetric about 0 */
    rw_colormap map;
    bool stretch; /* fills the page. Default: equal scales of x and y. */
    bool down;    /* y points downward, like rows of a matrix: values[0 … nx - 1] are at the top */
} rw_figure_field;

typedef enum rw_figure_style {
    RW_FIGURE_LINE,
    RW_FIGURE_DASHED,
    RW_FIGURE_POINTS,
    RW_FIGURE_LINE_POINTS
} rw_figure_style;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_figure_style_name(rw_figure_style value);
RW_API rw_status rw_figure_style_parse(rw_context *context, const char *name, rw_figure_style *value);

/* One data series, y against x. Points that are NaN or infinite interrupt the line. */
typedef struct rw_figure_series {
    const char *name; /* entry in the legend. Default: none. */
    size_t n;
    const double *x, *y;
    rw_figure_style style;
} rw_figure_series;

/* A line plot. With automatic limits a single series that is constant to seven digits is drawn as a constant, with its
 * value: "constant: 0.1234567". */
typedef struct rw_figure_lines {
    rw_figure_axis x, y;
    int64_t n;
    const rw_figure_series *series; /* [n], coloured in turn */
    /* magnitude of the data that a single series is computed from: values below 1e-13 scale are rounding errors and
     * drawn as 0. Default: unknown. */
    double scale;
} rw_figure_lines;

/* A bar chart of 1 to 200 groups and 1 to 40 series: values[s*ngroups + g] is the value of series s in group g. Groups
 * are stacked vertically with their names on the left; bars extend to the right and are labelled with their values.
 * Values that are not finite, or not positive on a logarithmic axis, have no bar. */
typedef struct rw_figure_bars {
    rw_figure_axis value; /* automatic limits begin at 0, on a logarithmic axis at half of the smallest value */
    int64_t ngroups, nseries;
    const char *const *group;  /* [ngroups] */
    const char *const *series; /* [nseries] */
    const double *values;
    int pale; /* the last `pale` series are drawn in paler colours, for values of others */
} rw_figure_bars;

/* A volume: values[(k*ny + j)*nx + i] fills cell (i, j, k) of the box [lower, upper]. The slices z, y and x = const are
 * drawn next to each other with one colour bar; each shows where the others intersect it. */
typedef struct rw_figure_volume {
    size_t n[3];
    const double *values;
    double lower[3], upper[3]; /* lower[a] == upper[a]: 0 … n[a] */
    const char *label[3];      /* of the axes. Default: x, y, z. */
    bool choose;               /* the slices pass through at[]. Default: through the centre. */
    double at[3];
    rw_figure_axis value;
    rw_colormap map;
} rw_figure_volume;

/* An image of shape [height][width] or [height][width][channels] with 1 to 4 channels (rechenwerk/image.h), of type u8,
 * u16, i16, f16, f32 or f64. */
typedef struct rw_figure_image {
    const char *title; /* above the image. Default: none. */
    rw_array *image;
} rw_figure_image;

/* A colour map with axes and colour bar. A field of which all values are NaN is drawn, too. */
RW_API rw_status rw_figure_write_field_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                             const rw_figure_field *field, size_t page_size, size_t field_size);
#define rw_figure_write_field(...)                                                                                     \
    rw_figure_write_field_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_field))
/* The same field as a shaded surface over its rectangle, seen from the side of high x and low y. A value is the height
 * above the centre of its cell. Values outside the limits are clamped to them; missing values leave holes. */
RW_API rw_status rw_figure_write_surface_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                               const rw_figure_field *field, size_t page_size, size_t field_size);
#define rw_figure_write_surface(...)                                                                                   \
    rw_figure_write_surface_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_field))
/* A line plot, a bar chart, the slices of a volume. */
RW_API rw_status rw_figure_write_lines_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                             const rw_figure_lines *lines, size_t page_size, size_t lines_size);
#define rw_figure_write_lines(...)                                                                                     \
    rw_figure_write_lines_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_lines))
RW_API rw_status rw_figure_write_bars_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                            const rw_figure_bars *bars, size_t page_size, size_t bars_size);
#define rw_figure_write_bars(...)                                                                                      \
    rw_figure_write_bars_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_bars))
RW_API rw_status rw_figure_write_volume_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                              const rw_figure_volume *volume, size_t page_size, size_t volume_size);
#define rw_figure_write_volume(...)                                                                                    \
    rw_figure_write_volume_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_volume))

/* Draws 1 to 8 images next to each other on one scale, each with its title, size and type above and the histogram of
 * its values below, one curve per channel. An image that would be smaller than a quarter of its space is drawn on a
 * larger scale. Large images are reduced, small ones enlarged by integer factors. Values below black or above white are
 * drawn and counted as black or white. Alpha is composited over white and not counted. The images are read from the
 * host copy, which is brought up to date first.
 * Errors: ERR_ARGUMENT: another number, shape or type. */
RW_API rw_status rw_figure_write_images_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                              int64_t n, const rw_figure_image *images, size_t page_size);
#define rw_figure_write_images(...) rw_figure_write_images_sized(__VA_ARGS__, sizeof(rw_figure_page))

/* Draws a convergence history: the residual norms residual[0 … n - 1] of iterations 0 … n - 1, from a
 * rw_krylov_monitor, on a logarithmic scale.
 * right_side: |b|, by which the residuals are divided; 0: absolute residuals.
 * tolerance: |r| at which a dashed line is drawn; 0: none.
 * title: optional.
 * Errors: ERR_ARGUMENT: n < 1. */
RW_API rw_status rw_figure_write_residuals(rw_context *context, const char *path, const char *title, int64_t n,
                                           const double *residual, double right_side, double tolerance);

/* Draws the sparsity pattern of a matrix, row 0 at the top, as the fill ratio of up to 512 x 512 squares.
 * title: optional. */
RW_API rw_status rw_figure_write_pattern(rw_context *context, const char *path, const char *title,
                                         const rw_entries *entries);

#ifdef __cplusplus
}
#endif
#endif
