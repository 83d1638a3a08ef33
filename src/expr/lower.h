/* Syntax trees to the graph: names resolved, shapes and types checked, grid operators written out as differences. */
#ifndef RW_LOWER_H
#define RW_LOWER_H

#include "expr/graph.h"
#include "expr/parse.h"
#include "expr/words.h"

/* factor * d(potential)/d(axis), or factor * grad(potential) where the axis is -1, by differences of this order; factor
 * -1: 1. */
typedef struct rw_flux {
    rw_node factor, potential;
    int axis, order;
    int component; /* of a vector that it belongs to; -1: all */
} rw_flux;

/* A value: a scalar or a vector of the grid's dimension (from grad, or [a, b]). */
typedef struct rw_value {
    int n; /* 1, or ndim for a vector */
    rw_node node[3];
    int nfluxes; /* > 0: it is the sum of these and of `rest` */
    rw_flux flux[8];
    rw_node rest[3];
} rw_value;

typedef struct rw_local {
    char name[32];
    rw_value value;
} rw_local;

typedef struct rw_function {
    char name[32];
    const rw_statement *definition;
    const rw_source *source;
} rw_function;

/* The side whose expressions are lowered: fields are those of the vector whose side it is. */
typedef struct rw_lowering_side {
    const rw_expr_field *fields;
    int nfields, first; /* their fields of the graph: first, first + 1, … */
    int axis, upper;
    int inward;    /* nodes from the side that names mean */
    int own;       /* the field whose side it is */
    bool mixed;    /* what such a side gives another one is being lowered */
    int depth;     /* of values that this side gives, one made of the other */
    bool circular; /* such a value has been found to be made of itself */
} rw_lowering_side;

typedef struct rw_lowering {
    rw_context *ctx;
    rw_graph *graph;
    const rw_source *source;
    rw_local *locals;
    int nlocals, locals_capacity;
    rw_function *functions;
    int nfunctions, functions_capacity;
    int depth;              /* of calls of user functions */
    int nesting, terms;     /* of the term being lowered; lowered so far, those of expanded functions included */
    bool warned;            /* of an upwind difference whose velocity depends on what it carries */
    bool declares;          /* names are declared in a case: messages say how */
    bool no_fields;         /* initial values and the like: fields may not appear, but for those given with the grid */
    rw_lowering_side *side; /* NULL: it is no boundary expression */
    const rw_expr_stencil *stencil;
    rw_expr_tables tables; /* what it has made; width 0: nothing yet */
    int table[4];          /* fields of the graph: cell, weight, area, conductance */
    int frame, base;       /* inside a function: its first parameter, and the number of names of the program */
    const rw_syntax *rate; /* that is being lowered: its terms may be marked (implicit.c); NULL: none */
} rw_lowering;

void rw_lowering_begin(rw_lowering *l, rw_context *ctx, rw_graph *graph);
void rw_lowering_end(rw_lowering *l);
/* The statement's value with the current meaning of names. */
rw_status rw_lower(rw_lowering *l, const rw_source *source, const rw_syntax *s, rw_value *value);
rw_status rw_lower_define(rw_lowering *l, const rw_source *source, const rw_statement *s);
/* All functions that the text defines; it lives as long as the lowering. */
rw_status rw_lower_definitions(rw_lowering *l, const rw_source *source, const rw_parsed *parsed);
/* A name gets a value for the statements that follow. */
rw_status rw_lower_local(rw_lowering *l, const rw_source *source, int at, const char *name, rw_value value);
/* Parses and lowers one expression from text. */
rw_status rw_lower_text(rw_lowering *l, const rw_source *source, rw_node *node);

static inline rw_value rw_scalar_value(rw_node n) { return (rw_value){.n = 1, .node = {n, -1, -1}}; }

/* operators.c: "a vector of 3", "a field", "a scalar". */
const char *rw_shape_name(const rw_lowering *l, const rw_value *v, char text[32]);
rw_status rw_need_scalars(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n);
rw_status rw_need_arguments(rw_lowering *l, const rw_syntax *s, int n, int wanted);
/* *known: s is the call of a grid operator, whose value is *v. */
rw_status rw_lower_grid_operator(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, bool *known,
                                 rw_value *v);

/* implicit.c: terms of a rate that are marked by implicit(e), which is e, and the others */
typedef enum rw_rate_part { RW_RATE_WHOLE, RW_RATE_IMPLICIT, RW_RATE_REST } rw_rate_part;
bool rw_has_implicit(const rw_syntax *rate);
/* The value of a rate or of this part of it; 0 without such terms. */
rw_status rw_lower_rate(rw_lowering *l, const rw_source *source, const rw_syntax *rate, rw_rate_part part,
                        rw_value *value);
rw_status rw_lower_implicit(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, rw_value *v);

/* lower_sides.c */
/* Boundary expressions of these fields, which are fields first, first + 1, … of the graph, on all sides. */
rw_status rw_lower_sides(rw_lowering *l, const rw_expr_field *fields, int nfields, int first);
/* One of a side; NULL: without fields. */
rw_status rw_lower_side(rw_lowering *l, rw_lowering_side *side, const rw_source *source, rw_node *n);
/* *known: a field, in a boundary expression. */
rw_status rw_lower_side_name(rw_lowering *l, const rw_syntax *s, bool *known, rw_value *v);
rw_status rw_lower_inner(rw_lowering *l, const rw_syntax *s, rw_value *v);
/* ERR_INPUT: in a boundary expression s would read fields across the side; axis -1: it reads along all axes. */
rw_status rw_check_along_side(rw_lowering *l, const rw_syntax *s, const rw_value *v, int axis);

/* flux.c: (k u')' along an axis as one stencil; a value that is du/d(axis) or grad(u); what a op b is made of (b is not
 * looked at for RW_OP_NEG); the first derivative of a component, compact where it is a flux along this axis. */
rw_node rw_conduction(rw_graph *g, rw_node k, rw_node u, int axis, int order);
void rw_make_flux(rw_graph *g, rw_value *v, rw_node u, int axis, int order);
void rw_combine_fluxes(rw_graph *g, rw_node_op op, const rw_value *a, const rw_value *b, rw_value *v);
/* Those of a vector from its n components; of one component of a vector. */
void rw_join_fluxes(const rw_value *parts, rw_value *v);
rw_value rw_component(const rw_value *v, int component);
rw_node rw_flux_derivative(rw_graph *g, const rw_value *v, int component, int axis, int order);

/* gather.c: the tables of a stencil, empty so far; the laplacian of an expression on a grid without rows. */
void rw_gather_declare(rw_lowering *l, const rw_expr_stencil *stencil);
rw_status rw_lower_gathered(rw_lowering *l, const rw_syntax *s, rw_node e, rw_value *v);

/* ERR_INPUT where the grid has no dimensions, for a word that needs coordinates. */
rw_status rw_need_space(rw_lowering *l, const rw_syntax *s, const char *word);

#endif
