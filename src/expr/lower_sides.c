/* Boundary expressions. They read fields at the node on the side or nearest to it, and further in:
 *
 *   u             on a side where the value of u is given, this value; else u at the node next to the side
 *   inner(e, k)   e, k nodes further in
 *   dy(u)         differences along the side; across it none
 *   hn            the spacing across the side
 *
 *   on the side:   o u(0) u(1)     u = u(0)     inner(u, 1) = u(1)      a node on the side, or half a spacing inside
 *   given:         g u(0) u(1)     u = g        inner(u, 1) = u(0)
 *
 * In the graph such a value is a FIELD whose offset across counts nodes of the array from the one next to the side. */
#include <math.h>
#include <string.h>

#include "expr/boundary.h"
#include "expr/lower.h"

#define FAIL(at, ...) rw_fail_at(l->ctx, l->source, at, __VA_ARGS__)
#define DEPENDS_ON_ITSELF "the value of %s on this side depends on itself: write inner(%s, 1) for the next node"

/* The node on the side is given. */
static bool pins(const rw_lowering *l, int f)
{
    const rw_lowering_side *s = l->side;
    return rw_boundary_row_of(s->fields[f].boundary[2 * s->axis + s->upper].kind)->pins &&
           l->graph->layout != RW_GRID_CELL;
}

/* What the side gives field f. */
static const char *value_of(const rw_lowering *l, int f)
{
    return l->side->fields[f].boundary[2 * l->side->axis + l->side->upper].a;
}

/* An expression of the side of field f, in which names are those of the program. */
static rw_status lower_text_of(rw_lowering *l, int f, const char *text, rw_value *v)
{
    rw_lowering_side *side = l->side;
    const rw_expr_field *field = side->fields + f;
    const int frame = l->frame, depth = l->depth, base = l->base;
    char name[96];
    const rw_source source = {name, text ? text : "0", 1, 1}, *outer = l->source;
    rw_node n = -1;
    snprintf(name, sizeof name, "boundary of %s", field->name);
    if (!l->depth) l->base = l->nlocals;
    l->frame = l->nlocals;
    l->depth++;
    side->depth++;
    const rw_status status = rw_lower_text(l, &source, &n);
    side->depth--;
    l->frame = frame;
    l->depth = depth;
    l->base = base;
    l->source = outer;
    *v = rw_scalar_value(n);
    return status;
}

/* Layout node, a u + b du/dn = c: where b = 0 the side gives c/a. */
static rw_status lower_mixed(rw_lowering *l, int f, rw_value *v)
{
    rw_lowering_side *side = l->side;
    rw_graph *g = l->graph;
    const rw_boundary *b = side->fields[f].boundary + 2 * side->axis + side->upper;
    const char *const texts[] = {b->a, b->b, b->c};
    rw_graph_side is = {.kind = RW_BOUNDARY_ROBIN};
    rw_status status = RW_OK;
    rw_node given;
    if (b->kind != RW_BOUNDARY_ROBIN || side->mixed) return RW_OK;
    side->mixed = true;
    for (int i = 1; i < 4; ++i) { /* b first: where it is a number, the rest is not needed */
        rw_value part;
        RW_TRY_GOTO(lower_text_of(l, f, texts[i % 3], &part), out);
        is.value[i % 3] = part.node[0];
        if (i == 1 && g->nodes[is.b].op == RW_OP_CONST && !rw_is_const(g, is.b, 0)) goto out;
    }
    given = rw_make2(g, RW_OP_EQ, is.b, rw_real(g, 0));
    *v = rw_scalar_value(rw_make(g, RW_OP_WHERE, given, rw_given_value(g, &is), v->node[0]));
out:
    side->mixed = false;
    return status;
}

/* The place of a mistake in what the side gives another field: that of this field's name, in the case. */
static rw_status placed(rw_lowering *l, const rw_syntax *s, rw_status status)
{
    if (status != RW_ERR_INPUT || l->side->depth > 0) return status;
    if (!l->side->circular) return FAIL(s->at, "%s", rw_message(l->ctx));
    return FAIL(s->at, DEPENDS_ON_ITSELF, s->name, s->name);
}

rw_status rw_lower_side_name(rw_lowering *l, const rw_syntax *s, bool *known, rw_value *v)
{
    rw_graph *g = l->graph;
    rw_lowering_side *side = l->side;
    int f = side->nfields - 1, index, offset[3] = {0};
    while (f >= 0 && strcmp(side->fields[f].name, s->name)) --f;
    index = f >= 0 ? side->first + f : rw_graph_find_field(g, s->name);
    *known = f >= 0 || (index >= 0 && g->fields[index].external);
    if (!*known) return RW_OK;
    const bool itself = f >= 0 && (f == side->own || side->depth > side->nfields);
    if (f >= 0 && pins(l, f) && !side->inward && itself) {
        side->circular = true;
        return FAIL(s->at, DEPENDS_ON_ITSELF, s->name, s->name);
    }
    if (f >= 0 && pins(l, f) && !side->inward) return placed(l, s, lower_text_of(l, f, value_of(l, f), v));
    const bool in_array = g->layout == RW_GRID_NODE;
    const int outside = !in_array && side->nfields && pins(l, RW_MAX(f, 0)), nodes = RW_MAX(side->inward - outside, 0);
    if (nodes >= g->grid.size[side->axis])
        return FAIL(s->at, "inner(%s, %d): the axis has %lld nodes: give at most %lld", s->name, side->inward,
                    (long long)g->grid.size[side->axis], (long long)(g->grid.size[side->axis] - 1 + outside));
    offset[side->axis] = side->upper ? -nodes : nodes;
    *v = rw_scalar_value(rw_field(g, index, 0, offset));
    if (f >= 0 && in_array && !side->inward && !itself) return placed(l, s, lower_mixed(l, f, v));
    return RW_OK;
}

rw_status rw_lower_inner(rw_lowering *l, const rw_syntax *s, rw_value *v)
{
    enum { DEEPEST = 64 };
    rw_lowering_side *side = l->side;
    rw_value by;
    if (!side) return FAIL(s->at, "inner is only for boundary expressions: here write u[i+1], a neighbour");
    RW_TRY(rw_need_arguments(l, s, s->n, 2));
    RW_TRY(rw_lower(l, l->source, s->args[1], &by));
    const rw_graph_node *n = l->graph->nodes + by.node[0];
    if (by.n > 1 || n->op != RW_OP_CONST || n->im != 0 || !(n->re >= 0 && n->re <= DEEPEST) || n->re != floor(n->re))
        return FAIL(s->args[1]->at, "inner(u, k): k must be an integer from 0 to %d", DEEPEST);
    const int before = side->inward;
    side->inward += (int)n->re;
    const rw_status status = rw_lower(l, l->source, s->args[0], v);
    side->inward = before;
    return status;
}

rw_status rw_check_along_side(rw_lowering *l, const rw_syntax *s, const rw_value *v, int axis)
{
    static const char *const names[] = {"x", "y", "z"};
    if (!l->side || (axis >= 0 && axis != l->side->axis)) return RW_OK;
    bool reads = false;
    for (int i = 0; i < v->n; ++i) reads = reads || l->graph->nodes[v->node[i]].depends & RW_ON_FIELD;
    if (!reads) return RW_OK;
    return FAIL(s->at,
                "%s reads nodes across this side of %s: in its own expression write differences with inner(u, 1) and "
                "hn; along the side there are dx, dy, dz",
                s->name, names[l->side->axis]);
}

/* What a grid without rows can do at its sides. */
static rw_status check_side(const rw_lowering *l, const rw_expr_field *f, int side, bool by_place)
{
    const rw_boundary_kind kind = f->boundary[side].kind;
    const rw_boundary_row *row = rw_boundary_row_of(kind);
    bool conducts = l->stencil && l->stencil->conducts;
    const char *problem =
        kind == RW_BOUNDARY_PERIODIC                 ? "this grid has no opposite sides"
        : !row->cells && !row->points                ? "the cells of this grid are not in rows along x, y and z"
        : !l->stencil && kind != RW_BOUNDARY_NEAREST ? "this grid has no laplacian"
        : !row->cells && conducts ? "cell fields accept nearest, neumann and dirichlet; only point fields accept robin"
        : !row->points && !conducts
            ? "point fields accept nearest, neumann and robin: assign the points on the boundary, as in "
              "where(boundary, 0, u)"
        : by_place && conducts ? "for a cell field the value may depend on time and scalars, but not on position"
                               : NULL;
    if (!problem) return RW_OK;
    return rw_fail(l->ctx, RW_ERR_INPUT, "boundary of %s: %s: %s", f->name, rw_boundary_kind_name(kind), problem);
}

rw_status rw_lower_side(rw_lowering *l, rw_lowering_side *side, const rw_source *source, rw_node *n)
{
    const bool no_fields = l->no_fields;
    l->no_fields = true;
    l->side = side;
    const rw_status status = rw_lower_text(l, source, n);
    l->side = NULL;
    l->no_fields = no_fields;
    return status;
}

static rw_status declare_side(rw_lowering *l, rw_lowering_side *side, int f)
{
    rw_graph *g = l->graph;
    const rw_expr_field *field = side->fields + f;
    const int which = 2 * side->axis + side->upper;
    const rw_boundary *b = field->boundary + which;
    const char *texts[3] = {b->a, b->b, b->c};
    const rw_boundary_row *row = rw_boundary_row_of(b->kind);
    const bool reads = !g->unstructured && (row->pins || row->slope); /* borders move an index only */
    rw_node nodes[3] = {-1, -1, -1};
    bool by_place = false;
    for (int i = 0; i < rw_boundary_values(b->kind); ++i) {
        char name[96];
        snprintf(name, sizeof name, "boundary of %s", field->name);
        rw_source source = {name, texts[i] ? texts[i] : "0", 1, 1};
        side->own = f;
        RW_TRY(rw_lower_side(l, reads ? side : NULL, &source, nodes + i));
        if (g->nodes[nodes[i]].is_complex && !rw_dtype_is_complex(field->dtype))
            return rw_fail(
                l->ctx, RW_ERR_INPUT,
                "%s: a complex value for a real field: give the field dtype c128 or c64, or take real(), imag() "
                "or abs()",
                name);
        by_place = by_place || g->nodes[nodes[i]].is_field;
    }
    if (g->unstructured) RW_TRY(check_side(l, field, which, by_place));
    RW_TRY(rw_check_robin(l->ctx, g, field, which, nodes[1]));
    rw_set_boundary(g, side->first + f, which, b->kind, nodes);
    return RW_OK;
}

rw_status rw_lower_sides(rw_lowering *l, const rw_expr_field *fields, int nfields, int first)
{
    for (int f = 0; f < nfields; ++f)
        for (int s = 0; s < (l->graph->unstructured ? 6 : 2 * l->graph->grid.ndim); ++s) {
            rw_lowering_side side = {.fields = fields,
                                     .nfields = nfields,
                                     .first = first,
                                     .axis = s / 2,
                                     .upper = s % 2};
            RW_TRY(declare_side(l, &side, f));
        }
    return RW_OK;
}
