/* Grids of common bodies. */
#include <math.h>
#include <string.h>

#include "field/blocks.h"

rw_status rw_blocks_box(rw_context *ctx, const double length[3], const int cells[3], rw_blocks **grid)
{
    RW_NEED(grid, "grid");
    *grid = NULL;
    RW_NEED(ctx, "ctx");
    RW_NEED(length, "length");
    RW_NEED(cells, "cells");
    double vertices[8][3];
    const int block[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
    for (int d = 0; d < 3; ++d)
        if (!(length[d] > 0 && isfinite(length[d])))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "a box of length %g along %c: lengths must be positive", length[d],
                           "xyz"[d]);
    for (int i = 0; i < 8; ++i)
        for (int d = 0; d < 3; ++d) vertices[i][d] = rw_corner_of(i) >> d & 1 ? length[d] : 0;
    rw_blocks_spec spec = {
        .mesh = {.nvertices = 8, .nblocks = 1, .vertices = (const double(*)[3])vertices, .blocks = block}};
    memcpy(spec.cells, cells, sizeof spec.cells);
    return rw_blocks_create(ctx, &spec, grid);
}

/* Across, with vertices 0 to 3 of the core and 4 to 7 of the surface; those at the far end are 8 to 15:
 *
 *        7-----------6
 *        | \       / |
 *        |   3---2   |       block 0: the core;
 *        |   |   |   |       blocks 1 to 4: from the core outwards, counter-clockwise, along z
 *        |   0---1   |
 *        | /       \ |
 *        4-----------5                                                         */
rw_status rw_blocks_cylinder(rw_context *ctx, double radius, double core, double length, const int cells[3],
                             rw_blocks **grid)
{
    RW_NEED(grid, "grid");
    *grid = NULL;
    RW_NEED(ctx, "ctx");
    RW_NEED(cells, "cells");
    if (!(core > 0 && core < radius && isfinite(radius) && length > 0 && isfinite(length)))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a cylinder of radius %g, core %g, length %g: 0 < core < radius and 0 < length are required",
                       radius, core, length);
    double vertices[16][3];
    int blocks[5][8], cells_of[5][3];
    rw_on_surface curved[4];
    const double side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int v = 0; v < 16; ++v) {
        double r = (v & 4 ? radius : core) / sqrt(2);
        vertices[v][0] = r * side[v & 3][0];
        vertices[v][1] = r * side[v & 3][1];
        vertices[v][2] = v & 8 ? length : 0;
    }
    for (int i = 0; i < 8; ++i) blocks[0][i] = (i & 3) + (i & 4 ? 8 : 0);
    memcpy(cells_of[0], (int[3]){cells[0], cells[0], cells[2]}, sizeof cells_of[0]);
    for (int m = 0; m < 4; ++m) {
        int next = (m + 1) % 4;
        const int around[8] = {m, 4 + m, 4 + next, next, 8 + m, 12 + m, 12 + next, 8 + next};
        memcpy(blocks[m + 1], around, sizeof around);
        memcpy(cells_of[m + 1], (int[3]){cells[1], cells[0], cells[2]}, sizeof cells_of[0]);
        curved[m] = (rw_on_surface){0, 4, {4 + m, 4 + next, 12 + m, 12 + next}};
    }
    rw_surface surface = {.kind = RW_SURFACE_CYLINDER, .axis = {0, 0, 1}, .radius = radius};
    rw_blocks_spec spec = {.mesh = {.nvertices = 16,
                                    .nblocks = 5,
                                    .nsurfaces = 1,
                                    .ncurved = 4,
                                    .vertices = (const double(*)[3])vertices,
                                    .blocks = (const int(*)[8])blocks,
                                    .surfaces = &surface,
                                    .curved = curved},
                           .cells_of = (const int(*)[3])cells_of};
    return rw_blocks_create(ctx, &spec, grid);
}
