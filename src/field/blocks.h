/* Block-structured grids, inside: the coarse mesh's edges and faces, how blocks refer to them, and where points are
 * numbered.
 *
 * Corners, edges, faces of a block are numbered by its axes: corner i + 2j + 4k; edge 4d + a + 2b along axis d at side
 * a of the lower and b of the higher of the two other axes; face 2d + side across axis d, whose own axes p, q are the
 * two others in their order. */
#ifndef RW_FIELD_BLOCKS_H
#define RW_FIELD_BLOCKS_H

#include "core/core.h"
#include "rechenwerk/blocks.h"

typedef struct rw_block_edge {
    int vertex[2];    /* ascending: the edge's own direction */
    int cells, block; /* block: the first that has it */
    int surface;      /* -1: straight */
    int64_t first;    /* number of its first inner point */
} rw_block_edge;

/* Its own axes p, q are those of the block that has it first. */
typedef struct rw_block_face {
    int block[2], side[2]; /* block[1] = -1: boundary; side: the face's number in the block */
    int cells[2], surface;
    int64_t first;
} rw_block_face;

/* How a block's axes of a face lie in the face's own. */
typedef struct rw_turn {
    bool exchange, reverse[2]; /* first p and q change places, then each may run backwards */
} rw_turn;

typedef struct rw_block_place {
    int corner[8], edge[12], face[6];
    bool backwards[12];
    rw_turn turn[6];
    int cells[3];
    int64_t first_cell, first; /* first: number of its first inner point */
} rw_block_place;

struct rw_blocks {
    rw_context *ctx;
    int nvertices, nblocks, nedges, nfaces, nsurfaces;
    rw_block_place *blocks;
    rw_block_edge *edges;
    rw_block_face *faces;
    rw_surface *surfaces;
    int64_t ncells, npoints;
    double (*points)[3];
    rw_mapping mapping;
    rw_memory memory;
    struct rw_blocks_external *external; /* arrays on devices (external.c) */
    int nexternals, external_capacity;
};

/* The other two axes, in their order. */
static inline void rw_other_axes(int axis, int other[2])
{
    other[0] = axis == 0;
    other[1] = axis == 2 ? 1 : 2;
}

/* VTK's number of a corner to ours, and back. */
int rw_corner_of(int vtk);

/* coarse.c: vertices of face 2d + side of a block with these corners (by i + 2j + 4k), by p + 2q. */
void rw_face_corners(int face, int corner[4]);
/* coarse.c: edges, faces, counts of cells, numbers of points. */
rw_status rw_blocks_connect(rw_blocks *g, const rw_blocks_spec *spec);
/* mapping.c: the nearest point of a surface. */
void rw_surface_project(const rw_surface *s, double x[3]);
/* mapping.c: the points, those of the vertices being there. */
rw_status rw_blocks_map(rw_blocks *g);
/* cells.c: every cell is a hexahedron. */
rw_status rw_blocks_check_cells(const rw_blocks *g);
/* A cell with its corners by i + 2j + 4k, for all cells; several threads call it. Out of memory: false. */
typedef void rw_cell_visit(void *user, int64_t cell, const double corner[8][3]);
bool rw_blocks_visit(const rw_blocks *g, rw_cell_visit *visit, void *user);

/* laplace.c: tables of the laplacian, on the host; cell and weight [width][n], the others [6][n], conductance of cells
 * only. Sides count as those of the block. */
typedef struct rw_blocks_tables {
    int width;
    int32_t *cell;
    double *weight, *area, *conductance;
} rw_blocks_tables;
rw_status rw_blocks_laplacian(const rw_blocks *g, rw_blocks_place place, rw_blocks_tables *t);
void rw_blocks_free_tables(rw_blocks_tables *t);

/* external.c: volumes of points [points] */
void rw_blocks_share_volume(const rw_blocks *g, double *volume);
void rw_blocks_free_external(rw_blocks *g);

/* Place p, q on a face in the face's own axes; n: its cells along p and q as the block sees them, less one for places
 * of cells. */
static inline void rw_turned(rw_turn t, const int n[2], int p, int q, int own[2])
{
    int a = t.exchange ? q : p, b = t.exchange ? p : q, na = n[t.exchange], nb = n[!t.exchange];
    own[0] = t.reverse[0] ? na - a : a;
    own[1] = t.reverse[1] ? nb - b : b;
}

/* The reverse of it. */
static inline void rw_turned_back(rw_turn t, const int n[2], const int own[2], int *p, int *q)
{
    int na = n[t.exchange], nb = n[!t.exchange];
    int a = t.reverse[0] ? na - own[0] : own[0], b = t.reverse[1] ? nb - own[1] : own[1];
    *p = t.exchange ? b : a;
    *q = t.exchange ? a : b;
}

#endif
