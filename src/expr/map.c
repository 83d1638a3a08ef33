/* Whether a program is a map from one field to another, and its stencil width. */
#include "expr/map.h"

#include "expr/program.h"

static rw_status find(rw_expr *e, const char *name, int *field)
{
    *field = rw_graph_find_field(e->graph, name);
    return *field >= 0 ? RW_OK : rw_expr_no_field(e, name);
}

static rw_status check_fields(rw_context *ctx, const rw_expr *e, int from, int to)
{
    const rw_graph_field *f = e->graph->fields + from, *t = e->graph->fields + to;
    int fields = 0;
    for (int i = 0; i < e->graph->nfields; ++i) fields += !e->graph->fields[i].external && !e->graph->fields[i].columns;
    if (from == to)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s is both input and output: a map needs two different fields",
                       e->name, f->name);
    if (f->external || t->external)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s is an external field: use a field of the expression", e->name,
                       f->external ? f->name : t->name);
    if (fields != 2)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "%s: the program has %d fields, but a map has two, %s and %s; write coefficients as functions of x, y, z",
            e->name, fields, f->name, t->name);
    return f->dtype == t->dtype
               ? RW_OK
               : rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s has type %s, %s has type %s: the types must be equal", e->name,
                         f->name, rw_dtype_name(f->dtype), t->name, rw_dtype_name(t->dtype));
}

static rw_status check_statements(rw_context *ctx, const rw_expr *e, int from, int to)
{
    const rw_graph *g = e->graph;
    const rw_graph_field *f = g->fields + from, *t = g->fields + to;
    if (f->versions)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %s is assigned, but a map must not change its input: use another name",
                       e->name, f->name);
    if (t->versions != 1)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: %s is assigned %d times: a map assigns it once; use other names for intermediate results",
                       e->name, t->name, t->versions);
    for (int i = 0; i < g->n; ++i)
        if (g->nodes[i].op == RW_OP_FIELD && g->nodes[i].index == to)
            return rw_fail(
                ctx, RW_ERR_INPUT,
                "%s: %s is read, but the output of a map may only be assigned: use other names for intermediate "
                "results",
                e->name, t->name);
    if (g->nstates)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: a scalar depends on its value in the previous run, but a map must be the same in each run",
                       e->name);
    if (!e->evaluator) return RW_OK;
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s: it runs on the host, %s, but a recorded operation must stay on the device", e->name,
                   e->call ? "because it calls a function in C" : "because there is no compiler");
}

/* One-sided formulas of order 4 next to a side read four cells. */
static int64_t reach_of(const rw_graph *g, int field, int axis)
{
    int64_t reach = g->order == 4 ? 3 : 0;
    for (int i = 0; i < g->n; ++i)
        if (g->nodes[i].op == RW_OP_FIELD && g->nodes[i].index == field)
            reach = RW_MAX(reach, g->nodes[i].offset[axis] < 0 ? -g->nodes[i].offset[axis] : g->nodes[i].offset[axis]);
    return reach;
}

static int given_side(const rw_graph *g, int field)
{
    for (int side = 0; side < (g->unstructured ? 6 : 2 * g->grid.ndim); ++side) {
        const rw_node a = g->fields[field].boundary[side].a, c = g->fields[field].boundary[side].c;
        const rw_node value = c >= 0 ? c : a;
        if (value >= 0 && !rw_is_const(g, value, 0)) return side;
    }
    return -1;
}

rw_status rw_expr_get_map(rw_expr *e, const char *from, const char *to, rw_expr_map *map)
{
    int f, t;
    const rw_graph *g = e->graph;
    RW_TRY(find(e, from, &f));
    RW_TRY(find(e, to, &t));
    RW_TRY(check_fields(e->device->ctx, e, f, t));
    RW_TRY(check_statements(e->device->ctx, e, f, t));
    *map = (rw_expr_map){.type = g->fields[f].dtype,
                         .side = given_side(g, f),
                         .far = e->plan.nreductions ? "it has sums over the grid"
                                : g->unstructured   ? "its grid is unstructured"
                                                    : NULL};
    snprintf(map->name, sizeof map->name, "%s", e->name);
    for (int d = 0; d < 3; ++d) {
        map->size[d] = g->grid.size[d];
        map->reach[d] = reach_of(g, f, d);
    }
    return RW_OK;
}
