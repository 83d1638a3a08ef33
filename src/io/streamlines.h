/* Evenly spaced streamlines of a vector field on a plane: curves along the vectors. No two come nearer to each other
 * than half the separation, and gaps are at most about twice the separation.
 *
 *   rw_streamlines lines;
 *   RW_TRY(rw_streamlines_create(ctx, &field, separation, &lines));
 *   for (int i = 0; i < lines.n; i++)   curve i has the points lines.offset[i] … lines.offset[i + 1] - 1
 *   rw_streamlines_free(&lines); */
#ifndef RW_STREAMLINES_H
#define RW_STREAMLINES_H

#include "core/core.h"

/* Components at the nodes origin + (i spacing[0], j spacing[1]), each [ny][nx]; bilinear between them. */
typedef struct rw_streamline_field {
    size_t nx, ny;
    const double *u, *v; /* NaN or infinite: no value; lines end before cells with such a node */
    double origin[2];
    double spacing[2]; /* > 0 */
    double scale[2];   /* distances are those of (scale[0] x, scale[1] y). Default: 1, 1. */
} rw_streamline_field;

typedef struct rw_streamlines {
    int n;
    int *offset; /* [n + 1] */
    double (
        *point)[2]; /* [offset[n]]: x, y, in the direction of the vectors. A closed curve ends at its first point. */
} rw_streamlines;

/* The same field gives the same curves. Fewer than 2 nodes along an axis, or no vector that is not 0: none.
 * separation: > 0, at least 1/2000 of the sides.
 * Errors: ERR_ARGUMENT: separation, spacing or scale that are not finite and positive, or too small a separation;
 * ERR_MEMORY. Nothing is to be freed then. */
rw_status rw_streamlines_create(rw_context *ctx, const rw_streamline_field *field, double separation,
                                rw_streamlines *lines);
void rw_streamlines_free(rw_streamlines *lines);

#endif
