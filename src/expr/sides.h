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

rw_cells rw_global_cells(const rw_emitter *e, int field);
/* The functions of a field for the sides that are reached. */
rw_status rw_emit_sides(rw_emitter *e, int field, const rw_cells *cells);
/* Functions of the fields that sides read: at_u_x(f_u, i, j, k). */
void rw_emit_read_by_sides(rw_emitter *e);
/* near_u_x0, near_u_x1, …, which take the values near the side: of x a row of cells in shared memory, of which
 * cell o is the first; of other axes u0 at the side and u1 next to it. */
rw_status rw_emit_near_sides(rw_emitter *e, int field);

#endif
