/* laplace(u) on a grid without rows: a sum over the cells of a table instead of neighbours along axes (rw_expr_tables).
 * Any expression of fields may stand for u; what its boundaries let in follows from those of its fields by the chain
 * rule. */
#include "expr/lower.h"

#define FAIL(at, ...) rw_fail_at(l->ctx, l->source, at, __VA_ARGS__)

enum { CELL, WEIGHT, AREA, CONDUCTANCE };
enum { SIDES = 6 };

/* The tables are fields of the graph; their names are none that a user could choose. */
void rw_gather_declare(rw_lowering *l, const rw_expr_stencil *stencil)
{
    static const struct {
        const char *name;
        rw_dtype dtype;
    } row[] = {[CELL] = {"0cell", RW_I32},
               [WEIGHT] = {"0weight", RW_F64},
               [AREA] = {"0area", RW_F64},
               [CONDUCTANCE] = {"0conductance", RW_F64}};
    rw_graph *g = l->graph;
    l->stencil = stencil;
    for (int i = 0; i < RW_COUNT(row); ++i) {
        l->table[i] = rw_graph_add_field(g, row[i].name, row[i].dtype);
        if (l->table[i] < 0) return; /* g->failed */
        g->fields[l->table[i]].external = true;
        g->fields[l->table[i]].columns = SIDES;
    }
}

static rw_status need_tables(rw_lowering *l)
{
    rw_graph *g = l->graph;
    if (l->tables.cell) return RW_OK;
    const unsigned before = rw_failures();
    const rw_status made = l->stencil->make(l->stencil->user, &l->tables);
    RW_TRY(rw_callback_status(l->ctx, made, before, "rw_expr_stencil.make"));
    g->neighbours = l->table[CELL];
    g->fields[l->table[CELL]].columns = g->fields[l->table[WEIGHT]].columns = RW_MAX(l->tables.width, 1);
    return RW_OK;
}

static rw_node column(rw_lowering *l, int table, int k) { return rw_field_at(l->graph, l->table[table], 0, k + 1); }

/* ---- the expression elsewhere ------------------------------------------------------------------------------------ */

typedef struct elsewhere {
    int column;        /* > 0: in a neighbour */
    int side;          /* else on this side */
    bool twice, fixed; /* a neighbour's neighbour is wanted; some field has a value on the side */
} elsewhere;

static rw_node move(void *user, rw_graph *g, rw_node leaf)
{
    elsewhere *where = user;
    rw_graph_node p = g->nodes[leaf];
    if (p.op != RW_OP_FIELD) return leaf;
    where->twice = where->twice || p.column;
    if (where->column) return rw_field_at(g, p.index, p.version, where->column);
    const rw_graph_field *f = g->fields + p.index;
    if (!f->boundary[where->side].pins) return leaf;
    where->fixed = true;
    return f->boundary[where->side].a;
}

/* Different fields in an expression. */
typedef struct leaves {
    rw_node node[64];
    int n;
} leaves;

static rw_node collect(void *user, rw_graph *g, rw_node leaf)
{
    leaves *all = user;
    const rw_graph_node *p = g->nodes + leaf;
    if (p->op == RW_OP_FIELD && !g->fields[p->index].external && all->n < RW_COUNT(all->node))
        all->node[all->n++] = leaf;
    return leaf;
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* How fast a field grows outwards; -1: its side is closed, or has a value. */
static rw_node slope(rw_graph *g, rw_node leaf, int side)
{
    const rw_graph_field *f = g->fields + g->nodes[leaf].index;
    const rw_graph_side s = f->boundary[side];
    if (!s.slope || s.b < 0) return s.slope ? s.a : -1;
    return rw_make2(g, RW_OP_DIV, rw_make2(g, RW_OP_SUB, s.c, rw_make2(g, RW_OP_MUL, s.a, leaf)), s.b);
}

static rw_status add_side(rw_lowering *l, const rw_syntax *s, rw_node e, const leaves *all, int side, rw_node *sum)
{
    rw_graph *g = l->graph;
    elsewhere on_side = {0, side, false, false};
    rw_node there = rw_graph_map(g, e, move, &on_side);
    if (on_side.fixed)
        *sum = rw_make2(g, RW_OP_ADD, *sum,
                        rw_make2(g, RW_OP_MUL, column(l, CONDUCTANCE, side), rw_make2(g, RW_OP_SUB, there, e)));
    for (int i = 0; i < all->n; ++i) {
        const char *problem;
        rw_node rate = slope(g, all->node[i], side);
        if (rate < 0) continue;
        rw_node d = rw_diff(g, e, all->node[i], &problem);
        if (d < 0)
            return FAIL(s->at, "%s has no derivative here, but the boundary of %s needs it", problem,
                        g->fields[g->nodes[all->node[i]].index].name);
        *sum = rw_make2(g, RW_OP_ADD, *sum,
                        rw_make2(g, RW_OP_MUL, column(l, AREA, side), rw_make2(g, RW_OP_MUL, d, rate)));
    }
    return RW_OK;
}

rw_status rw_lower_gathered(rw_lowering *l, const rw_syntax *s, rw_node e, rw_value *v)
{
    rw_graph *g = l->graph;
    elsewhere where = {0};
    leaves all = {.n = 0};
    *v = (rw_value){.n = 1, .node = {rw_real(g, 0), -1, -1}};
    if (!g->nodes[e].is_field) return RW_OK;
    RW_TRY(need_tables(l));
    rw_node sum = rw_real(g, 0);
    for (int k = 0; k < l->tables.width; ++k) {
        where.column = k + 1;
        rw_node there = rw_graph_map(g, e, move, &where);
        sum =
            rw_make2(g, RW_OP_ADD, sum, rw_make2(g, RW_OP_MUL, column(l, WEIGHT, k), rw_make2(g, RW_OP_SUB, there, e)));
    }
    if (where.twice)
        return FAIL(s->at, "laplace of an expression that contains a laplacian: assign the inner one to a field first");
    rw_graph_map(g, e, collect, &all);
    for (int side = 0; side < SIDES; ++side) RW_TRY(add_side(l, s, e, &all, side, &sum));
    v->node[0] = sum;
    return RW_OK;
}
