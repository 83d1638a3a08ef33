/* Grid operators written out as differences of shifted nodes: derivatives of order 2 and 4, one-sided and upwind
 * differences, laplace, grad, div, divgrad, shift; and the checks of arguments that all calls share. */
#include <math.h>
#include <string.h>

#include "expr/lower.h"

#define FAIL(at, ...) rw_fail_at(l->ctx, l->source, at, __VA_ARGS__)

/* ---- arguments --------------------------------------------------------------------------------------------------- */

const char *rw_shape_name(const rw_lowering *l, const rw_value *v, char text[32])
{
    if (v->n > 1) snprintf(text, 32, "a vector of %d", v->n);
    else snprintf(text, 32, "%s", l->graph->nodes[v->node[0]].is_field ? "a field" : "a scalar");
    return text;
}

rw_status rw_need_scalars(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n)
{
    char text[32];
    for (int i = 0; i < n; ++i)
        if (args[i].n > 1)
            return FAIL(s->args[i]->at,
                        "incompatible shapes: %s in %s: use the dot product · with another vector, or div",
                        rw_shape_name(l, args + i, text), s->name);
    return RW_OK;
}

rw_status rw_need_arguments(rw_lowering *l, const rw_syntax *s, int n, int wanted)
{
    if (n == wanted) return RW_OK;
    return FAIL(s->at, "%s takes %d argument%s, %d given", s->name, wanted, wanted == 1 ? "" : "s", n);
}

/* dx_forward and the like. */
static bool one_sided_word(const char *name, int *axis, int *up)
{
    if (name[0] != 'd' || name[1] < 'x' || name[1] > 'z') return false;
    *axis = name[1] - 'x';
    *up = !strcmp(name + 2, "_backward") ? 1 : !strcmp(name + 2, "_forward") ? -1 : 0;
    return *up != 0;
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

static rw_status check_axis(rw_lowering *l, const rw_syntax *s, int axis)
{
    if (axis < l->graph->grid.ndim) return RW_OK;
    return FAIL(s->at, "%s is not defined on a grid of %d dimension%s", s->name, l->graph->grid.ndim,
                l->graph->grid.ndim > 1 ? "s" : "");
}

/* First, second and third order neighbours, one-sided: order 1, 2, or 4 (biased). `up` is +1 for differences that look
 * to lower nodes (flow in + direction), -1 for the mirror image. */
static rw_node one_sided(rw_graph *g, rw_node f, int axis, int up, int order)
{
    static const double w[3][5] = {/* offsets +1, 0, -1, -2, -3 times up */
                                   {0, 1, -1, 0, 0},
                                   {0, 3, -4, 1, 0},
                                   {3, 10, -18, 6, -1}};
    static const double divisor[3] = {1, 2, 12};
    int row = order == 1 ? 0 : order == 2 ? 1 : 2;
    rw_node sum = rw_real(g, 0);
    for (int m = 0; m < 5; ++m)
        if (w[row][m] != 0)
            sum = rw_make2(g, RW_OP_ADD, sum,
                           rw_make2(g, RW_OP_MUL, rw_real(g, up * w[row][m]), rw_shift(g, f, axis, up * (1 - m))));
    rw_node h = rw_spacing(g, axis);
    return rw_make2(g, RW_OP_MUL, sum, rw_make2(g, RW_OP_DIV, rw_real(g, 1 / divisor[row]), h));
}

/* A velocity made of the field that it carries: the equation is nonlinear, and its shocks need a conservative form. */
static void warn_of_shocks(rw_lowering *l, const rw_syntax *s, rw_node carried, const rw_node *velocity)
{
    rw_graph *g = l->graph;
    int shared = -1;
    for (int d = 0; d < g->grid.ndim && shared < 0; ++d) shared = rw_shared_field(g, carried, velocity[d]);
    if (shared < 0 || l->warned) return;
    char place[512];
    rw_place_text(l->source, s->at, place, sizeof place);
    l->warned = true;
    rw_log_once(
        l->ctx, RW_LOG_WARNING,
        "%s: %s: the velocity depends on the advected field, so %s is not conservative: shocks move at the wrong "
        "speed and mass is lost. This is harmless where u is smooth; otherwise write the flux as a divergence, "
        "-dx(u^2/2) for -u*du/dx, with viscosity",
        place, s->name, s->name);
}

static rw_status lower_upwind(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, int order, rw_value *v)
{
    rw_graph *g = l->graph;
    int ndim = g->grid.ndim;
    rw_node velocity[3];
    if (n > 2 || ndim == 1) RW_TRY(rw_need_scalars(l, s, args, n));
    if (n == 2 && args[1].n == ndim)
        for (int d = 0; d < ndim; ++d) velocity[d] = args[1].node[d];
    else if (n == ndim + 1)
        for (int d = 0; d < ndim; ++d) velocity[d] = args[d + 1].node[0];
    else
        return FAIL(s->at, "%s takes the field and the velocity: a vector or %d component%s", s->name, ndim,
                    ndim > 1 ? "s" : "");
    rw_node sum = rw_real(g, 0), f = args[0].node[0];
    for (int d = 0; d < ndim; ++d) {
        if (g->nodes[velocity[d]].is_complex) return FAIL(s->at, "%s: the velocity must be real", s->name);
        if (!g->nodes[f].is_field) continue;
        rw_node slope = rw_make(g, RW_OP_WHERE, rw_make2(g, RW_OP_LT, rw_real(g, 0), velocity[d]),
                                one_sided(g, f, d, 1, order), one_sided(g, f, d, -1, order));
        sum = rw_make2(g, RW_OP_ADD, sum, rw_make2(g, RW_OP_MUL, velocity[d], slope));
    }
    if (!g->failed) warn_of_shocks(l, s, f, velocity);
    *v = rw_scalar_value(sum);
    return RW_OK;
}

/* dx(u, 2) where it is dx(u): its author may want the second derivative. */
static void warn_of_order(rw_lowering *l, const rw_syntax *s, int order)
{
    char place[512];
    if (order != 2 || order != l->graph->order || s->name[0] != 'd' || s->name[1] < 'x' || s->name[1] > 'z' ||
        s->name[2])
        return;
    rw_place_text(l->source, s->at, place, sizeof place);
    rw_log_once(l->ctx, RW_LOG_WARNING,
                "%s: %s(…, %d) is a first derivative: the last argument is the order of accuracy, %d by default here. "
                "Write the second derivative as d%c%c(…)",
                place, s->name, order, order, s->name[1], s->name[1]);
}

/* An optional last argument: the order of accuracy of this one operator. */
static rw_status take_order(rw_lowering *l, const rw_syntax *s, const rw_value *args, int *n, int wanted, int *order)
{
    *order = l->graph->order;
    if (*n == wanted) return RW_OK;
    if (*n == wanted + 1) {
        --*n;
        for (int o = 2; o <= 4; o += 2)
            if (rw_is_const(l->graph, args[wanted].node[0], o)) {
                *order = o;
                warn_of_order(l, s, o);
                return RW_OK;
            }
        return FAIL(s->args[wanted]->at,
                    "the order of %s must be 2 or 4: it is the order of accuracy; write second derivatives as dxx(u), "
                    "dxy(u)",
                    s->name);
    }
    return FAIL(s->at, "%s takes %d argument%s (and its order, 2 or 4), %d given", s->name, wanted,
                wanted > 1 ? "s" : "", *n);
}

static rw_status lower_derivative(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, const int axes[4],
                                  int naxes, rw_value *v)
{
    int order, count[3] = {0};
    RW_TRY(take_order(l, s, args, &n, 1, &order));
    for (int i = 0; i < naxes; ++i) {
        RW_TRY(check_axis(l, s, axes[i]));
        count[axes[i]]++;
    }
    rw_node e = args[0].node[0];
    if (naxes == 1) {
        *v = rw_scalar_value(rw_flux_derivative(l->graph, args, 0, axes[0], order));
        if (l->graph->nodes[e].is_field) rw_make_flux(l->graph, v, e, axes[0], order);
        return RW_OK;
    }
    for (int d = 0; d < 3; ++d) {
        for (; count[d] >= 2; count[d] -= 2) e = rw_central(l->graph, e, d, 2, order);
        if (count[d]) e = rw_central(l->graph, e, d, 1, order);
    }
    *v = rw_scalar_value(e);
    return RW_OK;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static bool is_grid_operator(const char *w)
{
    static const char *const others[] = {"laplace", "grad",    "div",   "divgrad", "curl",
                                         "upwind",  "upwind1", "shift", "integral"};
    int axes[4], axis, up;
    bool is = rw_derivative_word(w, axes) || one_sided_word(w, &axis, &up);
    for (int i = 0; i < RW_COUNT(others); ++i) is = is || !strcmp(w, others[i]);
    return is;
}

/* shift(e, i, j, k): e at the node that is i, j, k nodes along x, y and z; as many integers as the grid has axes, or
 * fewer. */
static rw_status lower_shift(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, rw_value *v)
{
    enum { FARTHEST = 64 };
    rw_graph *g = l->graph;
    if (n < 2 || n > 1 + g->grid.ndim)
        return FAIL(s->at, "a neighbour needs 1 to %d offsets, at most one per axis of the grid: u[i+1%s%s]",
                    g->grid.ndim, g->grid.ndim > 1 ? ", j" : "", g->grid.ndim > 2 ? ", k" : "");
    *v = args[0];
    v->nfluxes = 0;
    for (int d = 1; d < n; ++d) {
        const rw_graph_node *by = g->nodes + args[d].node[0];
        if (args[d].n > 1 || by->op != RW_OP_CONST || by->im != 0 || by->re != rint(by->re) || fabs(by->re) > FARTHEST)
            return FAIL(s->args[d]->at, "the offset of a neighbour must be an integer from -%d to %d", FARTHEST,
                        FARTHEST);
        const int offset = (int)by->re;
        for (int i = 0; i < v->n; ++i) v->node[i] = rw_shift(g, v->node[i], d - 1, offset);
    }
    return RW_OK;
}

/* What node f contributes to an integral along an axis, in spacings. Layout cell and periodic axes: f. Else by the
 * trapezoidal rule: half of f on a side, or there half of the value that a side prescribes in addition. */
static rw_node weigh(rw_graph *g, rw_node f, int axis)
{
    const rw_node zero = rw_real(g, 0), half = rw_real(g, 0.5), h = rw_spacing(g, axis), x = rw_coord(g, axis, 0);
    const rw_node middle = rw_make2(g, RW_OP_MUL, half, h), first = rw_scalar_argument(g, g->origin[axis]);
    const rw_node last =
        rw_make2(g, RW_OP_ADD, first, rw_make2(g, RW_OP_MUL, rw_real(g, (double)(g->grid.size[axis] - 1)), h));
    rw_node sum = f;
    int field = 0;
    while (field < g->nfields - 1 && (g->fields[field].external || g->fields[field].columns)) ++field;
    const rw_graph_side *sides = g->nfields ? g->fields[field].boundary + 2 * axis : NULL;
    if (g->layout == RW_GRID_CELL || (sides && sides->kind == RW_BOUNDARY_PERIODIC)) return f;
    for (int upper = 0; upper < 2; ++upper) {
        const rw_node here = upper ? rw_make2(g, RW_OP_LT, rw_make2(g, RW_OP_SUB, last, middle), x)
                                   : rw_make2(g, RW_OP_LT, x, rw_make2(g, RW_OP_ADD, first, middle));
        const bool pins = sides && sides[upper].pins;
        const rw_node part =
            rw_make2(g, RW_OP_MUL, rw_real(g, pins ? 0.5 : -0.5), pins ? rw_shift(g, f, axis, upper ? 1 : -1) : f);
        sum = rw_make2(g, RW_OP_ADD, sum, rw_make(g, RW_OP_WHERE, here, part, zero));
    }
    return sum;
}

static rw_status lower_integral(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, rw_value *v)
{
    rw_graph *g = l->graph;
    RW_TRY(rw_need_arguments(l, s, n, 1));
    RW_TRY(rw_need_scalars(l, s, args, n));
    if (l->no_fields) return FAIL(s->at, "reduction integral is not allowed here");
    static const int nowhere[3] = {0};
    rw_node f = args[0].node[0], volume = rw_real(g, 1);
    const int cell_volume = rw_graph_find_field(g, "volume");
    if (g->unstructured && cell_volume >= 0)
        f = rw_make2(g, RW_OP_MUL, f, rw_field(g, cell_volume, g->fields[cell_volume].versions, nowhere));
    else
        for (int d = 0; d < g->grid.ndim; ++d) {
            f = weigh(g, f, d);
            volume = rw_make2(g, RW_OP_MUL, volume, rw_spacing(g, d));
        }
    *v = rw_scalar_value(rw_make2(g, RW_OP_MUL, volume, rw_reduce(g, RW_SUM, f)));
    return RW_OK;
}

/* In a boundary expression: along the side only. */
static rw_status check_sides(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, const int axes[4],
                             int naxes)
{
    int axis, up;
    if (!l->side || n < 1) return RW_OK;
    for (int i = 0; i < naxes; ++i) RW_TRY(rw_check_along_side(l, s, args, axes[i]));
    if (naxes) return RW_OK;
    if (one_sided_word(s->name, &axis, &up)) return rw_check_along_side(l, s, args, axis);
    if (strcmp(s->name, "shift") != 0) return rw_check_along_side(l, s, args, -1);
    for (int d = 1; d < n; ++d)
        if (!rw_is_const(l->graph, args[d].node[0], 0)) RW_TRY(rw_check_along_side(l, s, args, d - 1));
    return RW_OK;
}

rw_status rw_lower_grid_operator(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, bool *known,
                                 rw_value *v)
{
    rw_graph *g = l->graph;
    const char *w = s->name;
    int axes[4], order, axis, up, naxes = rw_derivative_word(w, axes);
    *known = is_grid_operator(w);
    if (!*known) return RW_OK;
    RW_TRY(rw_need_space(l, s, !strcmp(w, "shift") ? "a neighbour such as u[i+1]" : w));
    if (g->unstructured && l->stencil && !strcmp(w, "laplace")) {
        RW_TRY(rw_need_scalars(l, s, args, n));
        RW_TRY(rw_need_arguments(l, s, n, 1));
        return rw_lower_gathered(l, s, args[0].node[0], v);
    }
    if (!strcmp(w, "integral")) return lower_integral(l, s, args, n, v);
    if (g->unstructured)
        return FAIL(s->at, "%s is not defined here: the cells of this grid are not in rows along x, y and z", w);
    RW_TRY(check_sides(l, s, args, n, axes, naxes));
    if (!strcmp(w, "shift")) return lower_shift(l, s, args, n, v);
    if (naxes || one_sided_word(w, &axis, &up) || !strcmp(w, "laplace") || !strcmp(w, "grad") || !strcmp(w, "divgrad"))
        RW_TRY(rw_need_scalars(l, s, args, n));
    if (naxes) return lower_derivative(l, s, args, n, axes, naxes, v);
    if (one_sided_word(w, &axis, &up)) {
        RW_TRY(check_axis(l, s, axis));
        RW_TRY(rw_need_arguments(l, s, n, 1));
        *v = rw_scalar_value(g->nodes[args[0].node[0]].is_field ? one_sided(g, args[0].node[0], axis, up, 1)
                                                                : rw_real(g, 0));
        return RW_OK;
    }
    if (!strcmp(w, "laplace")) {
        RW_TRY(take_order(l, s, args, &n, 1, &order));
        rw_node sum = rw_real(g, 0);
        for (int d = 0; d < g->grid.ndim; ++d)
            sum = rw_make2(g, RW_OP_ADD, sum, rw_central(g, args[0].node[0], d, 2, order));
        *v = rw_scalar_value(sum);
        return RW_OK;
    }
    if (!strcmp(w, "grad")) {
        RW_TRY(take_order(l, s, args, &n, 1, &order));
        *v = (rw_value){.n = g->grid.ndim};
        for (int d = 0; d < v->n; ++d) v->node[d] = rw_central(g, args[0].node[0], d, 1, order);
        rw_make_flux(g, v, args[0].node[0], -1, order);
        return RW_OK;
    }
    if (!strcmp(w, "div")) {
        RW_TRY(take_order(l, s, args, &n, 1, &order));
        if (args[0].n != g->grid.ndim)
            return FAIL(s->at, "incompatible shapes: div takes a vector of %d, given a scalar field", g->grid.ndim);
        rw_node sum = rw_real(g, 0);
        for (int d = 0; d < g->grid.ndim; ++d)
            sum = rw_make2(g, RW_OP_ADD, sum, rw_flux_derivative(g, args, d, d, order));
        *v = rw_scalar_value(sum);
        return RW_OK;
    }
    if (!strcmp(w, "curl")) {
        RW_TRY(take_order(l, s, args, &n, 1, &order));
        if (g->grid.ndim < 2 || args[0].n != g->grid.ndim)
            return FAIL(s->at, "incompatible shapes: curl takes a vector of 2 or 3 components");
        *v = (rw_value){.n = g->grid.ndim == 2 ? 1 : 3};
        for (int i = 0; i < v->n; ++i) { /* in two dimensions the component along z */
            const int x = v->n == 1 ? 0 : (i + 1) % 3, y = v->n == 1 ? 1 : (i + 2) % 3;
            v->node[i] = rw_make2(g, RW_OP_SUB, rw_central(g, args[0].node[y], x, 1, order),
                                  rw_central(g, args[0].node[x], y, 1, order));
        }
        return RW_OK;
    }
    if (!strcmp(w, "divgrad")) {
        RW_TRY(take_order(l, s, args, &n, 2, &order));
        rw_node sum = rw_real(g, 0);
        for (int d = 0; d < g->grid.ndim; ++d)
            sum = rw_make2(g, RW_OP_ADD, sum, rw_conduction(g, args[0].node[0], args[1].node[0], d, order));
        *v = rw_scalar_value(sum);
        return RW_OK;
    }
    if (n < 2 || args[0].n > 1) return FAIL(s->at, "%s takes the field and the velocity", w);
    return lower_upwind(l, s, args, n, w[6] ? 1 : g->order, v);
}
