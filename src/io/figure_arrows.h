/* The picture of a vector on a plane. */
#ifndef RW_FIGURE_ARROWS_H
#define RW_FIGURE_ARROWS_H

#include "io/streamlines.h"
#include "rechenwerk/figure.h"

/* The colour map of the moduli, field->values, with arrows along the components, each [ny][nx]; not with `down`. */
rw_status rw_figure_write_arrows(rw_context *ctx, const char *path, const rw_figure_page *page,
                                 const rw_figure_field *field, const double *const arrow[2]);
/* The same with streamlines instead of arrows, in the coordinates of the field's rectangle. */
rw_status rw_figure_write_streamlines(rw_context *ctx, const char *path, const rw_figure_page *page,
                                      const rw_figure_field *field, const rw_streamlines *lines);

#endif
