/* What a caller says of the sides of a field, before any of it is lowered. */
#include "expr/boundary.h"

#include <stdio.h>
#include <string.h>

static const char *const side_names[] = {"lower x", "upper x", "lower y", "upper y", "lower z", "upper z"};

static const struct {
    const char *name;
    rw_boundary_kind kind;
    int values;
} list[] = {
#define RW_X(name, text, line, values) {text, RW_BOUNDARY_##name, values},
    RW_BOUNDARY_LIST(RW_X)
#undef RW_X
};

int rw_boundary_values(rw_boundary_kind kind)
{
    int i = 0;
    while (list[i].kind != kind) ++i;
    return list[i].values;
}

static bool is_in(rw_boundary_set set, rw_boundary_kind kind)
{
    if (set == RW_BOUNDARIES_OF_INDEX) return rw_boundary_row_of(kind)->index;
    return rw_boundary_values(kind) ? set == RW_BOUNDARIES_WITH_VALUES : set == RW_BOUNDARIES_WITHOUT;
}

rw_boundary_names rw_boundary_names_of(rw_boundary_set set, const char *last)
{
    rw_boundary_names names = {""};
    size_t n = 0;
    int left = 0;
    for (int k = 0; k < RW_BOUNDARY_KINDS; ++k) left += is_in(set, (rw_boundary_kind)k);
    for (int k = 0; k < RW_BOUNDARY_KINDS; ++k) {
        if (!is_in(set, (rw_boundary_kind)k)) continue;
        const char *name = rw_boundary_kind_name((rw_boundary_kind)k), *also = NULL;
        for (int i = 0; i < RW_COUNT(list) && set == RW_BOUNDARIES_WITHOUT; ++i)
            if ((int)list[i].kind == k && strcmp(list[i].name, name)) also = list[i].name;
        n += (size_t)snprintf(names.text + n, sizeof names.text - n, also ? "%s (%s)%s" : "%s%s%s", name,
                              also ? also : "",
                              --left > 1 ? ", "
                              : left     ? last
                                         : "");
    }
    return names;
}

void rw_set_boundary(rw_graph *g, int field, int side, rw_boundary_kind kind, const rw_node values[3])
{
    const rw_boundary_row *row = rw_boundary_row_of(kind);
    const rw_node a = row->index && values[0] >= 0 ? rw_cast(g, g->fields[field].dtype, values[0]) : values[0];
    const bool cell = g->layout == RW_GRID_CELL, on_side = g->layout == RW_GRID_NODE;
    const bool may_be_zero = kind == RW_BOUNDARY_ROBIN && g->nodes[values[1]].op != RW_OP_CONST;
    const bool given =
        on_side && (row->pins || may_be_zero || (kind == RW_BOUNDARY_ROBIN && rw_is_const(g, values[1], 0)));
    bool reads = false;
    for (int i = 0; i < 3; ++i) reads = reads || (values[i] >= 0 && g->nodes[values[i]].depends & RW_ON_FIELD);
    g->fields[field].boundary[side] =
        (rw_graph_side){kind,  row->pins && !cell && !on_side, given, row->slope || (row->pins && cell),
                        reads, {{a, values[1], values[2]}}};
    g->fields[field].reads |= reads;
    g->sides_read |= reads;
    g->fields[field].given |= given;
    g->given |= given;
}

rw_status rw_check_boundaries(rw_context *ctx, const rw_expr_field *f, int sides, bool rows)
{
    for (int s = 0; s < sides; ++s) {
        const rw_boundary *b = f->boundary + s, *opposite = f->boundary + (s ^ 1);
        if ((f->dtype == RW_I64 || f->dtype == RW_U64) && !rw_boundary_row_of(b->kind)->index)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "boundary of %s, %s side: %s needs floating-point values: fields of %s accept %s", f->name,
                           side_names[s], rw_boundary_kind_name(b->kind), rw_dtype_name(f->dtype),
                           rw_boundary_names_of(RW_BOUNDARIES_OF_INDEX, " or ").text);
        if (rows && b->kind == RW_BOUNDARY_PERIODIC && opposite->kind != RW_BOUNDARY_PERIODIC)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "boundary of %s: periodic on the %s side only: make the opposite side periodic too", f->name,
                           side_names[s]);
        if (rw_boundary_values(b->kind) > 1 && !b->b)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "boundary of %s, %s side: robin needs b in a u + b du/dn = c; for u = c/a use dirichlet",
                           f->name, side_names[s]);
    }
    return RW_OK;
}

/* 1 at the nodes of a side that are given. */
static rw_node given_at(rw_graph *g, const rw_graph_side *s, int side)
{
    const int axis = side / 2;
    const double node = (double)(g->grid.first[axis] + (side % 2 ? g->grid.size[axis] - 1 : 0));
    const rw_node on = rw_make2(g, RW_OP_EQ, rw_index(g, axis, 0), rw_real(g, node));
    if (s->kind != RW_BOUNDARY_ROBIN) return on;
    return rw_make2(g, RW_OP_AND, on, rw_make2(g, RW_OP_EQ, s->b, rw_real(g, 0)));
}

rw_node rw_given_value(rw_graph *g, const rw_graph_side *s)
{
    if (s->kind != RW_BOUNDARY_ROBIN) return s->a;
    const rw_node a = rw_make(g, RW_OP_WHERE, rw_make2(g, RW_OP_EQ, s->b, rw_real(g, 0)), s->a, rw_real(g, 1));
    return rw_make2(g, RW_OP_DIV, s->c, a);
}

rw_node rw_with_given(rw_graph *g, int field, rw_node value, bool zero)
{
    rw_node count = rw_real(g, 0), sum = count;
    for (int side = 0; side < 2 * g->grid.ndim; ++side) {
        const rw_graph_side s = g->fields[field].boundary[side];
        if (!s.given) continue;
        const rw_node at = given_at(g, &s, side), none = rw_real(g, 0);
        count = rw_make2(g, RW_OP_ADD, count, at);
        if (!zero) sum = rw_make2(g, RW_OP_ADD, sum, rw_make(g, RW_OP_WHERE, at, rw_given_value(g, &s), none));
    }
    if (rw_is_const(g, count, 0)) return value;
    const rw_node some = rw_make2(g, RW_OP_LT, rw_real(g, 0), count);
    return rw_make(g, RW_OP_WHERE, some, zero ? sum : rw_make2(g, RW_OP_DIV, sum, count), value);
}

/* After lowering: what is known to be 0 on the host. */
rw_status rw_check_robin(rw_context *ctx, const rw_graph *g, const rw_expr_field *f, int side, rw_node b)
{
    if (b < 0 || !rw_is_const(g, b, 0) || g->layout != RW_GRID_AUTO) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_INPUT,
        "boundary of %s, %s side: robin needs b other than 0 in a u + b du/dn = c; for u = c/a use dirichlet", f->name,
        side_names[side]);
}
