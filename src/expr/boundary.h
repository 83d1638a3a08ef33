/* Kinds of boundaries. The table of all kinds is in sides.c, next to the formulas of ghost values; RW_BOUNDARY_LIST
 * (expr.h) has the names and the number of values. The plain evaluator has formulas of its own (evaluate.c). */
#ifndef RW_EXPR_BOUNDARY_H
#define RW_EXPR_BOUNDARY_H

#include "expr/graph.h"

struct rw_emitter;
struct rw_side;

typedef struct rw_boundary_row {
    /* The node on the side lies one spacing outside, has the value a, and is no unknown. */
    bool pins;
    bool slope;         /* a, or (c - a u)/b where there is b, is the derivative along the outward normal */
    bool cells, points; /* what has it on grids without rows: fields of cells, of points */
    /* Borders, which only move an index: the body of a function of i that gives the node of a row of n that stands for
     * node i, -1: the value a. NULL: ghost values are computed, for which the field needs floating-point values. */
    const char *index;
    const char *form;    /* in cases. Default: the name. */
    const char *meaning; /* help, a line for the form. Default: a border as of images. */
    const char *needs;   /* "robin needs …", where a case has the name alone. Default: a is then 0. */
    rw_status (*write)(struct rw_emitter *e, const struct rw_side *side); /* kernel text of ghost values, by order */
} rw_boundary_row;

const rw_boundary_row *rw_boundary_row_of(rw_boundary_kind kind);
int rw_boundary_values(rw_boundary_kind kind); /* how many of a, b, c it has */

/* "nearest (replicate), periodic (wrap) and reflect": the names of the kinds of a set. */
typedef enum rw_boundary_set {
    RW_BOUNDARIES_WITH_VALUES,
    RW_BOUNDARIES_WITHOUT,
    RW_BOUNDARIES_OF_INDEX
} rw_boundary_set;
typedef struct rw_boundary_names {
    char text[240];
} rw_boundary_names;
rw_boundary_names rw_boundary_names_of(rw_boundary_set set, const char *last);

/* ERR_ARGUMENT for kinds that do not exist, periodic on one side of an axis, robin without b; `sides` of the grid, 2 an
 * axis; rows: it has axes. Then ERR_INPUT for robin with a constant b = 0. */
rw_status rw_check_boundaries(rw_context *ctx, const rw_expr_field *field, int sides, bool rows);
rw_status rw_check_robin(rw_context *ctx, const rw_graph *graph, const rw_expr_field *field, int side, rw_node b);
/* values: nodes of a, b, c, -1 where the kind has none. */
void rw_set_boundary(rw_graph *graph, int field, int side, rw_boundary_kind kind, const rw_node values[3]);

/* Formulas of order 4: the axis has enough unknowns. */
bool rw_axis_is_order4(const rw_graph *graph, int field, int axis);
/* What the values up to `reach` nodes beyond a side are computed from; returns how many nodes. They are a, b, c and the
 * spacing. Where the condition a u + b du/dn = c is half a spacing outside (layout cell) and one node is asked for,
 * they are share and part: there it has the value share u + part. */
enum { RW_SIDE_NODES = 4 };
int rw_side_nodes(rw_graph *graph, int field, int side, int reach, rw_node nodes[RW_SIDE_NODES]);
bool rw_side_has_share(const rw_graph *graph, int field, int side, int reach);
/* The node, a share or part, is a function of one coordinate along the side and looked up (table.c). */
bool rw_side_looks_up(const rw_graph *graph, int field, int side, int reach, rw_node n);
/* Layout node: what the side gives its nodes; `value` with it (of a corner of several such sides the mean) or with 0 at
 * nodes that are given. */
rw_node rw_given_value(rw_graph *graph, const rw_graph_side *side);
rw_node rw_with_given(rw_graph *graph, int field, rw_node value, bool zero);

#endif
