/* Meshes that several tests use. */
#ifndef RW_TEST_MESHES_H
#define RW_TEST_MESHES_H

#include <math.h>
#include <string.h>

#include "rechenwerk/blocks.h"

/* A block's axes turned: one of the 24 rotations, by what becomes of corner i + 2j + 4k. */
static inline void rotate(int rotation, int block[8])
{
    static const int vtk[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* its own inverse */
    int axes[3] = {rotation % 3, (rotation % 3 + 1) % 3, (rotation % 3 + 2) % 3},
        flip[3] = {rotation / 3 & 1, rotation / 6 & 1, 0}, out[8];
    bool odd = rotation / 12;
    if (odd) axes[0] = rotation % 3, axes[1] = (rotation % 3 + 2) % 3, axes[2] = (rotation % 3 + 1) % 3;
    flip[2] = (flip[0] + flip[1] + odd) & 1; /* right-handed */
    for (int c = 0; c < 8; ++c) {
        int from = 0;
        for (int d = 0; d < 3; ++d) from |= ((c >> d & 1) ^ flip[d]) << axes[d];
        out[vtk[c]] = block[vtk[from]];
    }
    memcpy(block, out, sizeof out);
}

/* A ball: a cube and six blocks around it. */
static inline rw_status ball(rw_context *context, int n, rw_mapping mapping, rw_blocks **g)
{
    double vertices[16][3];
    int blocks[7][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
    /* seen from outside, left-handed */
    static const int side[6][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};
    rw_on_surface curved[6];
    static const int at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int v = 0; v < 16; ++v)
        for (int d = 0; d < 3; ++d) vertices[v][d] = (2 * at[v & 7][d] - 1) * (v < 8 ? 0.4 : 1) / sqrt(3);
    for (int s = 0; s < 6; ++s) {
        for (int i = 0; i < 4; ++i) blocks[s + 1][i] = side[s][i], blocks[s + 1][4 + i] = 8 + side[s][i];
        curved[s] = (rw_on_surface){0, 4, {8 + side[s][0], 8 + side[s][1], 8 + side[s][2], 8 + side[s][3]}};
    }
    rw_surface sphere = {.kind = RW_SURFACE_SPHERE, .radius = 1};
    rw_blocks_spec spec = {.mesh = {.nvertices = 16,
                                    .nblocks = 7,
                                    .nsurfaces = 1,
                                    .ncurved = 6,
                                    .vertices = (const double(*)[3])vertices,
                                    .blocks = (const int(*)[8])blocks,
                                    .surfaces = &sphere,
                                    .curved = curved},
                           .cells = {n, n, n},
                           .mapping = mapping};
    return rw_blocks_create(context, &spec, g);
}

#endif
