/* Values of fields beyond the sides of the grid, as functions in kernel text. */
#ifndef RW_EXPR_SIDES_H
#define RW_EXPR_SIDES_H

#include "expr/emitter.h"

/* Memory that holds the cells of a field, in the words of a kernel. */
typedef struct rw_cells {
    char array[64];    /* "f_u" */
    char function[64]; /* "get_u": get_u_x0(f_u, i, j, k) is the value of a node beyond the lower side of x, … */
    char index[64];    /* where cell (i, j, k) lies: "(k * NY + j) * NX + i" */
    char origin[16];   /* ", o2": what the functions need in addition to the array, `o` in `index`; "" */
    bool shared;       /* shared memory: goes on beyond periodic sides, and is asked for beyond one side only */
} rw_cells;

/* A side of a field whose formulas are being written. */
typedef struct rw_side {
    int field, axis, upper;
    rw_graph_side is;
    int64_t all;   /* nodes of the axis */
    int64_t nodes; /* of the axis, without those on sides that are given */
    int reach;     /* nodes beyond the side that are asked for */
    bool order4, is_complex, cell;
} rw_side;

/* const INDEX iw: the place of the side, where its expressions have their values; then these. Those of a constant
 * border have them at the node itself. */
rw_status rw_emit_place_of_side(rw_emitter *e, const rw_side *side);
/* corners.c: at a stored node on several sides of axis, axis + 1, … that are given, returns the mean of their values.
 * side: those that are reached. */
rw_status rw_emit_corner(rw_emitter *e, int field, int axis, const bool side[3][2]);
rw_cells rw_global_cells(const rw_emitter *e, int field);
/* The functions of a field for the sides that are reached. */
rw_status rw_emit_sides(rw_emitter *e, int field, const rw_cells *cells);
/* Functions of the fields that sides read: at_u_x(f_u, i, j, k). */
void rw_emit_read_by_sides(rw_emitter *e);
/* near_u_x0, near_u_x1, …, which take the values near the side: of x a row of cells in shared memory, of which
 * cell o is the first; of other axes u0 at the side and u1 next to it. */
rw_status rw_emit_near_sides(rw_emitter *e, int field);

#endif
