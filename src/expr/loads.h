/* Values of fields between memory and arithmetic. */
#ifndef RW_EXPR_LOADS_H
#define RW_EXPR_LOADS_H

#include "expr/sides.h"

enum { RW_NO_AXIS = 0, RW_ACROSS_ROWS = 6, RW_ALL_AXES = 7 };

/* The value of a field from global memory; `border`: bits of the axes along which the node may lie beyond a side. */
void rw_emit_load(rw_emitter *e, const rw_graph_node *field, int border);
/* From `place` among other cells. */
void rw_emit_load_from(rw_emitter *e, const rw_graph_node *field, const char *place, const rw_cells *cells, int border);
/* to = the value that is stored; `to` in the precision of the field. */
void rw_emit_assign(rw_emitter *e, const rw_store *store, const char *to);

#endif
