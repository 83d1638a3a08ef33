/* Where the values of a field lie. */
#ifndef RW_LAYOUT_H
#define RW_LAYOUT_H

#include "core/core.h"
#include "expr/grid.h"
#include "rechenwerk/array.h"
#include "rechenwerk/blocks.h"

typedef enum rw_layout_kind {
    RW_LAYOUT_GRID,   /* nodes of a uniform grid: node (i, j, k) is at origin + (i, j, k)*spacing */
    RW_LAYOUT_BLOCKS, /* cells of a block-structured grid */
    RW_LAYOUT_POINTS, /* points anywhere */
    RW_LAYOUT_CURVES, /* curves of equally many points, one after the other */
    RW_LAYOUT_VALUE   /* one value: there is no space */
} rw_layout_kind;

/* The size is that of arrays from the last axis on: x, y, z of a grid, with 1 beyond ndim; blocks: {cells, 1, 1};
 * points: {points, 1, 1}; curves: {points of each, curves, 1}. ndim of a grid is that of its size, of blocks 1, of
 * points and curves the number of their coordinates, of a value 0. */
typedef struct rw_layout {
    rw_layout_kind kind;
    int ndim;
    int64_t size[3];
    double origin[3], spacing[3]; /* of a grid */
    char axis[3][32];             /* labels with unit, "x (m)" */
    rw_blocks *blocks;            /* of blocks */
    rw_array *position[3];        /* of points and curves: ndim arrays (f64) with a coordinate of each point */
} rw_layout;

/* Number of values of a field. */
static inline int64_t rw_layout_count(const rw_layout *l) { return l->size[0] * l->size[1] * l->size[2]; }
/* Shape of an array of a field, its last axis fastest: (z, y, x), (y, x) or (x) of a grid; (cells); (points); (curves,
 * points). Returns its rank. */
int rw_layout_shape(const rw_layout *l, size_t shape[3]);
rw_grid rw_layout_grid(const rw_layout *l); /* of RW_LAYOUT_GRID */
static inline bool rw_layout_is_points(const rw_layout *l)
{
    return l->kind == RW_LAYOUT_POINTS || l->kind == RW_LAYOUT_CURVES;
}
/* Where value i lies, for a message: "node (1, 2), x = 0.1, y = 0.2". */
void rw_layout_place(const rw_layout *l, int64_t i, rw_text *text);

#endif
