/* Fluxes: sums of k grad(u), or of k du/dx. First differences of first differences reach over the nodes between, and do
 * not see a checkerboard; so values keep what they are made of, and their derivative is one compact stencil, (k
 * u')'. */
#include "expr/lower.h"

enum { FACTORS = 8 };

/* (k u')' along an axis. Order 2: ((k+ + k)(u+ - u) - (k + k-)(u - u-)) / 2h^2. Order 4 (Mattsson, J. Sci. Comput. 51,
 * 2012, interior): symmetric, conservative, on five nodes, and for constant k the stencil of u'': sum over m = 1, 2 and
 * both directions of w (u at m - u), over 24 h^2, with w = 4 k-1 + 12 k + 12 k1 + 4 k2 for m = 1 and 4 k1 - 3 k - 3 k2
 * for m = 2. */
rw_node rw_conduction(rw_graph *g, rw_node k, rw_node u, int axis, int order)
{
#define K(m) rw_shift(g, k, axis, m)
#define U(m) rw_shift(g, u, axis, m)
#define ADD(a, b) rw_make2(g, RW_OP_ADD, a, b)
#define SUB(a, b) rw_make2(g, RW_OP_SUB, a, b)
#define MUL(a, b) rw_make2(g, RW_OP_MUL, a, b)
    if (!g->nodes[u].is_field) return rw_real(g, 0);
    rw_node h = rw_spacing(g, axis), sum;
    if (order == 2) sum = SUB(MUL(ADD(K(1), k), SUB(U(1), u)), MUL(ADD(k, K(-1)), SUB(u, U(-1))));
    else if (!g->nodes[k].is_field) return MUL(k, rw_central(g, u, axis, 2, 4));
    else {
        sum = rw_real(g, 0);
        for (int s = -1; s <= 1; s += 2) {
            rw_node far = SUB(MUL(rw_real(g, 4), K(s)), MUL(rw_real(g, 3), ADD(k, K(2 * s))));
            sum = ADD(sum, MUL(far, SUB(U(2 * s), u)));
        }
        for (int s = -1; s <= 1; s += 2) {
            rw_node near = ADD(MUL(rw_real(g, 4), ADD(K(-s), K(2 * s))), MUL(rw_real(g, 12), ADD(k, K(s))));
            sum = ADD(sum, MUL(near, SUB(U(s), u)));
        }
    }
    return MUL(sum, rw_make2(g, RW_OP_DIV, rw_real(g, order == 2 ? 0.5 : 1. / 24), MUL(h, h)));
#undef K
#undef U
}

void rw_make_flux(rw_graph *g, rw_value *v, rw_node u, int axis, int order)
{
    v->nfluxes = 1;
    v->flux[0] = (rw_flux){.factor = -1, .potential = u, .axis = axis, .order = order, .component = -1};
    for (int d = 0; d < v->n; ++d) v->rest[d] = rw_real(g, 0);
}

/* f times b, over b, or minus f; -1 stands for 1. */
static rw_node scaled(rw_graph *g, rw_node_op op, rw_node f, rw_node b)
{
    if (op == RW_OP_MUL) return f < 0 ? b : MUL(f, b);
    if (f < 0) f = rw_real(g, 1);
    return op == RW_OP_NEG ? rw_make1(g, op, f) : rw_make2(g, op, f, b);
}

static void scale(rw_graph *g, rw_node_op op, const rw_value *a, rw_node b, rw_value *v)
{
    v->nfluxes = a->nfluxes;
    for (int i = 0; i < a->nfluxes; ++i) {
        v->flux[i] = a->flux[i];
        v->flux[i].factor = scaled(g, op, a->flux[i].factor, b);
    }
    for (int d = 0; d < a->n; ++d) v->rest[d] = scaled(g, op, a->rest[d], b);
}

void rw_combine_fluxes(rw_graph *g, rw_node_op op, const rw_value *a, const rw_value *b, rw_value *v)
{
    v->nfluxes = 0;
    if (!a->nfluxes && (op == RW_OP_NEG || !b->nfluxes)) return;
    if (op == RW_OP_NEG) scale(g, op, a, -1, v);
    else if (op == RW_OP_DIV && !b->nfluxes) scale(g, op, a, b->node[0], v);
    else if (op == RW_OP_MUL && !b->nfluxes && b->n == 1) scale(g, op, a, b->node[0], v);
    else if (op == RW_OP_MUL && !a->nfluxes && a->n == 1) scale(g, op, b, a->node[0], v);
    else if ((op == RW_OP_ADD || op == RW_OP_SUB) && a->n == b->n && a->nfluxes + b->nfluxes <= FACTORS) {
        v->nfluxes = a->nfluxes + b->nfluxes;
        for (int i = 0; i < a->nfluxes; ++i) v->flux[i] = a->flux[i];
        for (int i = 0; i < b->nfluxes; ++i) {
            rw_flux f = b->flux[i];
            if (op == RW_OP_SUB) f.factor = scaled(g, RW_OP_NEG, f.factor, -1);
            v->flux[a->nfluxes + i] = f;
        }
        for (int d = 0; d < a->n; ++d)
            v->rest[d] = rw_make2(g, op, a->nfluxes ? a->rest[d] : a->node[d], b->nfluxes ? b->rest[d] : b->node[d]);
    }
}

static bool is_of(const rw_flux *f, int component) { return f->component < 0 || f->component == component; }

void rw_join_fluxes(const rw_value *parts, rw_value *v)
{
    v->nfluxes = 0;
    for (int d = 0; d < v->n; ++d) {
        if (v->nfluxes + parts[d].nfluxes > FACTORS) {
            v->nfluxes = 0;
            return;
        }
        for (int i = 0; i < parts[d].nfluxes; ++i) {
            v->flux[v->nfluxes] = parts[d].flux[i];
            v->flux[v->nfluxes++].component = d;
        }
        v->rest[d] = parts[d].nfluxes ? parts[d].rest[0] : parts[d].node[0];
    }
}

rw_value rw_component(const rw_value *v, int component)
{
    rw_value part = rw_scalar_value(v->node[component]);
    for (int i = 0; i < v->nfluxes; ++i) {
        if (!is_of(v->flux + i, component)) continue;
        rw_flux *f = part.flux + part.nfluxes++;
        *f = v->flux[i];
        f->component = -1;
        if (f->axis < 0) f->axis = component;
    }
    if (part.nfluxes) part.rest[0] = v->rest[component];
    return part;
}

rw_node rw_flux_derivative(rw_graph *g, const rw_value *v, int component, int axis, int order)
{
    bool compact = true;
    int fluxes = 0;
    for (int i = 0; i < v->nfluxes; ++i) {
        if (!is_of(v->flux + i, component)) continue;
        compact = compact && v->flux[i].order == order && (v->flux[i].axis == axis || v->flux[i].axis < 0);
        ++fluxes;
    }
    compact = compact && fluxes;
    if (!compact) return rw_central(g, v->node[component], axis, 1, order);
    rw_node sum = rw_central(g, v->rest[component], axis, 1, order);
    for (int i = 0; i < v->nfluxes; ++i) {
        const rw_flux *f = v->flux + i;
        if (!is_of(f, component)) continue;
        sum = ADD(sum, f->factor < 0 ? rw_central(g, f->potential, axis, 2, order)
                                     : rw_conduction(g, f->factor, f->potential, axis, order));
    }
    return sum;
}
