/* The values that an expression reads. */
#ifndef RW_EXPR_LEAVES_H
#define RW_EXPR_LEAVES_H

#include "expr/graph.h"

/* Leaves that the node depends on: accesses to fields, and whether the given scalar occurs. */
typedef struct rw_leaves {
    bool *seen;
    rw_node *field;
    int nfields, capacity;
    bool time;
    rw_node t;
    bool failed;
} rw_leaves;

/* False: no memory. t: that scalar, or -1; external fields are left out. l->field is freed with rw_free. */
bool rw_collect_leaves(const rw_graph *g, rw_node n, rw_node t, rw_leaves *l);

#endif
