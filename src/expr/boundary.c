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
    const bool cell = g->layout == RW_GRID_CELL;
    bool reads = false;
    for (int i = 0; i < 3; ++i) reads = reads || (values[i] >= 0 && g->nodes[values[i]].depends & RW_ON_FIELD);
    g->fields[field].boundary[side] = (rw_graph_side){kind,
                                                      row->pins && !cell,
                                                      row->slope || (row->pins && cell),
                                                      reads,
                                                      {{a, values[1], values[2]}}};
    g->fields[field].reads |= reads;
    g->sides_read |= reads;
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

/* After lowering: what is known to be 0 on the host. */
rw_status rw_check_robin(rw_context *ctx, const rw_graph *g, const rw_expr_field *f, int side, rw_node b)
{
    if (b < 0 || !rw_is_const(g, b, 0) || g->layout == RW_GRID_CELL) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_INPUT,
        "boundary of %s, %s side: robin needs b other than 0 in a u + b du/dn = c; for u = c/a use dirichlet", f->name,
        side_names[side]);
}
