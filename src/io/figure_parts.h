/* What the kinds of figures share: the page with its titles, limits of data, coloured cells, the colour bar. */
#ifndef RW_FIGURE_PARTS_H
#define RW_FIGURE_PARTS_H

#include "files/io.h"
#include "io/axes.h"
#include "io/colormap.h"

typedef struct rw_box {
    double x0, y0, x1, y1; /* pixels, y downward */
} rw_box;

/* Page sizes with defaults put in. A size that was left to us may be lowered by the caller before it draws. */
typedef struct rw_sheet {
    double width, height, text, margin;
    bool free_width, free_height;
    double top; /* below the titles */
} rw_sheet;

rw_status rw_figure_sheet(rw_context *ctx, const char *path, const rw_figure_page *page, int width, int height,
                          rw_sheet *sheet);
void rw_figure_titles(rw_canvas *canvas, const rw_figure_page *page, const rw_sheet *sheet, double middle);
void rw_figure_frame(rw_canvas *canvas, const rw_box *box, double text);
rw_color rw_figure_color(int i); /* of series i: 8 colours, then paler ones */
rw_status rw_figure_save(rw_context *ctx, const char *path, rw_canvas *canvas); /* writes and frees */

/* Smallest and largest finite value (above 0 when log), in *low and *high; *missing when others are among them.
 * False when there is none. */
bool rw_figure_extremes(const double *values, size_t n, bool log, double *low, double *high, bool *missing);
/* ERR_ARGUMENT when limits were asked for that cannot be drawn. */
rw_status rw_figure_check_field(rw_context *ctx, const char *path, const rw_figure_field *f);
rw_status rw_figure_check_axis(rw_context *ctx, const char *path, const char *what, const rw_figure_axis *axis);
/* The axis of the values: asked for, or from the data; symmetric about 0 for a diverging map. */
void rw_figure_value_axis(const rw_figure_axis *asked, rw_colormap map, bool any, double low, double high,
                          rw_axis *axis);

/* A plane of numbers: value(i, j) = values[i*stride_i + j*stride_j], i to the right, j upward. */
typedef struct rw_figure_cells {
    size_t ni, nj;
    ptrdiff_t stride_i, stride_j;
    const double *values;
} rw_figure_cells;
/* Fills the box, whose corners must be whole pixels: cells smaller than a pixel are averaged over it (for a cyclic map
 * the nearest is taken), larger ones enlarged with sharp edges. */
void rw_figure_cells_draw(rw_canvas *canvas, const rw_figure_cells *cells, const rw_box *box, const rw_axis *value,
                          rw_colormap map);

/* The colour bar in `bar`, its axis to the right; `missing` adds a key for missing values below. */
double rw_figure_bar_depth(const rw_axis *value, double text, const char *label, bool missing);
void rw_figure_bar_draw(rw_canvas *canvas, const rw_box *bar, rw_axis *value, rw_colormap map, double text,
                        const char *label, bool missing);

#endif
