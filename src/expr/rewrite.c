/* New nodes from old ones: leaves replaced, values at shifted nodes, central differences. */
#include <string.h>

#include "expr/graph.h"

typedef struct map_state {
    rw_replace *replace;
    void *user;
    rw_node *done; /* by old node; -1: not yet */
    int n;
    bool fields_only; /* scalars, reductions among them, stay as they are */
} map_state;

static rw_node map_node(rw_graph *g, rw_node n, map_state *s)
{
    if (n < 0) return n;
    if (n < s->n && s->done[n] >= 0) return s->done[n];
    if (s->fields_only && !g->nodes[n].is_field) return n;
    rw_graph_node p = g->nodes[n];
    rw_node result;
    if (rw_ops[p.op].arity == 0) {
        result = s->replace(s->user, g, n);
    } else {
        rw_node arg[3];
        for (int i = 0; i < 3; ++i) arg[i] = map_node(g, p.arg[i], s);
        result = rw_remake(g, &p, arg);
    }
    if (n < s->n) s->done[n] = result;
    return result;
}

static rw_node map(rw_graph *g, rw_node n, rw_replace *replace, void *user, bool fields_only)
{
    map_state s = {replace, user, NULL, g->n, fields_only};
    if (g->failed || !(s.done = rw_calloc((size_t)g->n, sizeof *s.done))) {
        g->failed = true;
        return 0;
    }
    memset(s.done, -1, (size_t)g->n * sizeof *s.done);
    rw_node result = map_node(g, n, &s);
    rw_free(s.done);
    return g->failed ? 0 : result;
}

rw_node rw_graph_map(rw_graph *g, rw_node n, rw_replace *replace, void *user)
{
    return map(g, n, replace, user, false);
}

typedef struct shift_by {
    int axis, by;
} shift_by;

static rw_node shift_leaf(void *user, rw_graph *g, rw_node leaf)
{
    const shift_by *s = user;
    rw_graph_node p = g->nodes[leaf];
    if (p.op == RW_OP_COORD && p.index == s->axis)
        return (p.version ? rw_index : rw_coord)(g, s->axis, p.offset[s->axis] + s->by);
    if (p.op != RW_OP_FIELD) return leaf;
    int offset[3] = {p.offset[0], p.offset[1], p.offset[2]};
    offset[s->axis] += s->by;
    return rw_field_like(g, p, offset);
}

rw_node rw_shift(rw_graph *g, rw_node n, int axis, int by)
{
    shift_by s = {axis, by};
    if (g->failed || !g->nodes[n].is_field || !by) return n;
    return map(g, n, shift_leaf, &s, true);
}

rw_node rw_spacing(rw_graph *g, int axis) { return rw_scalar_argument(g, g->spacing[axis]); }

/* Weights of the central differences, from -m to m, times the divisor. */
rw_node rw_central(rw_graph *g, rw_node n, int axis, int k, int order)
{
    static const double w[4][5] = {{0, -1, 0, 1, 0}, {0, 1, -2, 1, 0}, {1, -8, 0, 8, -1}, {-1, 16, -30, 16, -1}};
    static const double divisor[4] = {2, 1, 12, 12};
    int row = (order == 4 ? 2 : 0) + k - 1;
    if (!g->nodes[n].is_field) return rw_real(g, 0);
    rw_node h = rw_spacing(g, axis), scale = k == 1 ? h : rw_make2(g, RW_OP_MUL, h, h), sum = rw_real(g, 0);
    /* pairs of equal weight first: (u[+1] -+ u[-1]) w1 + (u[+2] -+ u[-2]) w2 + w0 u */
    for (int m = 2; m >= 1; --m) {
        double plus = w[row][2 + m];
        if (plus == 0) continue;
        rw_node pair = rw_make2(g, k == 1 ? RW_OP_SUB : RW_OP_ADD, rw_shift(g, n, axis, m), rw_shift(g, n, axis, -m));
        sum = rw_make2(g, RW_OP_ADD, sum, rw_make2(g, RW_OP_MUL, rw_real(g, plus), pair));
    }
    if (w[row][2] != 0) sum = rw_make2(g, RW_OP_ADD, sum, rw_make2(g, RW_OP_MUL, rw_real(g, w[row][2]), n));
    return rw_make2(g, RW_OP_MUL, sum, rw_make2(g, RW_OP_DIV, rw_real(g, 1 / divisor[row]), scale));
}
