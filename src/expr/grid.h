/* The uniform grid of programs and integrators: defaults, checks, coordinates. */
#ifndef RW_GRID_H
#define RW_GRID_H

#include "rechenwerk/expr.h"

/* *grid <- the specification with its defaults. `least`: nodes that an axis needs, 0 or 1. */
rw_status rw_grid_resolve(rw_context *ctx, const rw_grid *spec, int64_t least, rw_grid *grid);

/* Nodes of the whole grid; those of the part are a product of sizes. */
static inline double rw_grid_nodes(const rw_grid *g)
{
    double nodes = 1;
    for (int d = 0; d < g->ndim; ++d) nodes *= (double)(g->global_size[d] ? g->global_size[d] : g->size[d]);
    return nodes;
}

static inline double rw_grid_coordinate(const rw_grid *g, int axis, int64_t node)
{
    return g->origin[axis] + (double)(g->first[axis] + node) * g->spacing[axis];
}

#endif
