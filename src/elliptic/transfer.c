#include "elliptic/transfer.h"

#include <math.h>

#include "elliptic/row.h"
#include "expr/boundary.h"

#define OP(op, a, b) rw_make2(g, RW_OP_##op, a, b)

/* ---- the domain -------------------------------------------------------------------------------------------------- */

static bool is_periodic(const rw_system *s, int axis)
{
    return s->graph->fields[0].boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC;
}

/* Twice the distance of the end of the domain from the last node, in spacings. */
static int64_t end_of(const rw_system *s, int side)
{
    const rw_graph_side *is = s->graph->fields[0].boundary + side;
    const bool cell = s->graph->layout == RW_GRID_CELL;
    switch (is->kind) {
    case RW_BOUNDARY_DIRICHLET: return cell ? 1 : is->given ? 0 : 2;
    case RW_BOUNDARY_CONSTANT: return 2;
    case RW_BOUNDARY_REFLECT:
    case RW_BOUNDARY_NEAREST: return 1;
    case RW_BOUNDARY_REFLECT101: return 0;
    default: return cell;
    }
}

/* Twice the length of an axis of n nodes, in spacings. */
static int64_t length_of(const rw_system *s, int axis, int64_t n)
{
    return is_periodic(s, axis) ? 2 * n : 2 * (n - 1) + end_of(s, 2 * axis) + end_of(s, 2 * axis + 1);
}

int64_t rw_coarser_size(const rw_system *s, const rw_grid *finer, int axis)
{
    const int64_t n = finer->size[axis], ends = end_of(s, 2 * axis) + end_of(s, 2 * axis + 1);
    return is_periodic(s, axis) ? (n + 1) / 2 : (length_of(s, axis, n) + 4 - 2 * ends + 3) / 4;
}

/* The spacing of a grid of n nodes over that of one with m. */
static double ratio_of(const rw_system *s, int axis, int64_t n, int64_t m)
{
    if (n == m) return 1;
    return (double)length_of(s, axis, m) / (double)length_of(s, axis, n);
}

bool rw_is_halved(const rw_system *s, const rw_grid *finer, const rw_grid *coarser, int axis)
{
    return length_of(s, axis, finer->size[axis]) == 2 * length_of(s, axis, coarser->size[axis]);
}

rw_grid rw_coarser_grid(const rw_system *s, const rw_grid *finer, const int64_t size[3])
{
    rw_grid c = *finer;
    for (int d = 0; d < finer->ndim; ++d) {
        const double ratio = ratio_of(s, d, size[d], finer->size[d]), end = 0.5 * (double)end_of(s, 2 * d);
        c.size[d] = c.global_size[d] = size[d];
        c.first[d] = 0;
        c.spacing[d] = ratio * finer->spacing[d];
        c.origin[d] = finer->origin[d] + ((double)finer->first[d] + end * (ratio - 1)) * finer->spacing[d];
    }
    return c;
}

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* From the lower end, in units of half a spacing: 2 i + end. */
rw_graph_other rw_transfer_place(const rw_system *s, const rw_grid *own, const rw_grid *other)
{
    rw_graph_other o = {0};
    for (int d = 0; d < 3; ++d) {
        o.size[d] = o.num[d] = o.den[d] = 1;
        if (d >= own->ndim) continue;
        o.size[d] = other->size[d];
        if (own->size[d] == other->size[d]) continue;
        const int64_t end = end_of(s, 2 * d), here = length_of(s, d, own->size[d]),
                      there = length_of(s, d, other->size[d]);
        o.num[d] = 2 * there;
        o.add[d] = end * (there - here);
        o.den[d] = 2 * here;
        const int64_t common = divisor_of(divisor_of(o.num[d], o.den[d]), o.add[d]);
        o.num[d] /= common;
        o.add[d] /= common;
        o.den[d] /= common;
        o.wraps[d] = is_periodic(s, d);
    }
    return o;
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

enum { OFFSETS = RW_OTHER_MOST - RW_OTHER_LEAST + 1 };

/* By axis and offset; -1: 0. */
typedef struct weights {
    rw_node of[3][OFFSETS];
} weights;

/* A node among those of another grid: its base, and how far it lies from there. */
typedef struct position {
    rw_system_building *b;
    int axis;
    int64_t other; /* nodes of the other grid */
    double ratio;  /* of the spacings, coarser over finer */
    rw_node base, by;
} position;

static rw_node number(rw_graph *g, double value) { return rw_real(g, value); }

static position position_of(rw_system_building *b, const rw_graph_other *o, int axis, double ratio)
{
    rw_graph *g = b->graph;
    const rw_node i = OP(SUB, rw_index(g, axis, 0), number(g, (double)g->grid.first[axis])),
                  den = number(g, (double)o->den[axis]),
                  all = OP(ADD, OP(MUL, number(g, (double)o->num[axis]), i), number(g, (double)o->add[axis]));
    position p = {.b = b, .axis = axis, .other = o->size[axis], .ratio = ratio};
    if (o->num[axis] % o->den[axis] == 0) { /* as far from the base at every node */
        const int64_t base = rw_other_base(o, axis, 0), rest = o->add[axis] - base * o->den[axis];
        p.base = OP(ADD, OP(MUL, number(g, (double)(o->num[axis] / o->den[axis])), i), number(g, (double)base));
        p.by = number(g, (double)rest / (double)o->den[axis]);
    } else {
        p.base = rw_make1(g, RW_OP_FLOOR, OP(DIV, OP(ADD, all, number(g, 0.5)), den));
        p.by = OP(DIV, OP(SUB, all, OP(MUL, den, p.base)), den);
    }
    return p;
}

/* What the value half a spacing beyond a side is, over that of the node next to it; `times` the grid's spacing. */
static rw_node share_of(const position *p, int side, double times)
{
    rw_graph *g = p->b->graph;
    rw_node share[2];
    if (!rw_row_shares(g, 0, side, times, share) || g->nodes[share[0]].is_field) return number(g, 1);
    return share[0];
}

static rw_node at_least_0(rw_graph *g, rw_node value) { return OP(MAX, number(g, 0), value); }

/* 1 - |distance|/width, where positive */
static rw_node hat(rw_graph *g, rw_node distance, double width)
{
    return at_least_0(g, OP(SUB, number(g, 1), OP(MUL, number(g, 1 / width), rw_make1(g, RW_OP_ABS, distance))));
}

static void weigh_interpolation(const position *p, rw_node w[OFFSETS])
{
    rw_graph *g = p->b->graph;
    const rw_system *s = p->b->of;
    const int64_t lower = end_of(s, 2 * p->axis), upper = end_of(s, 2 * p->axis + 1);
    rw_node first = OP(SUB, number(g, 1), p->by), second = p->by;
    if (!is_periodic(s, p->axis)) {
        const rw_node zero = number(g, 0), below = OP(LT, p->base, zero),
                      above = OP(LE, number(g, (double)(p->other - 1)), p->base);
        if (lower == 1)
            first = rw_make(g, RW_OP_WHERE, below, OP(MUL, first, share_of(p, 2 * p->axis, p->ratio)), first);
        if (lower == 2) first = rw_make(g, RW_OP_WHERE, below, zero, first);
        if (upper == 1)
            second = rw_make(g, RW_OP_WHERE, above, OP(MUL, second, share_of(p, 2 * p->axis + 1, p->ratio)), second);
        if (upper == 2) second = rw_make(g, RW_OP_WHERE, above, zero, second);
    }
    w[-RW_OTHER_LEAST] = first;
    w[1 - RW_OTHER_LEAST] = second;
}

/* From the coarser grid's node, node `o` from the base exists. */
static rw_node exists(const position *p, int o)
{
    rw_graph *g = p->b->graph;
    const rw_node at = OP(ADD, p->base, number(g, o));
    return OP(MUL, OP(LE, number(g, 0), at), OP(LE, at, number(g, (double)(p->other - 1))));
}

/* The column of the interpolation: what the finer node takes from this one, through values beyond the sides, too. */
static rw_node transposed_weight(const position *p, int o)
{
    rw_graph *g = p->b->graph;
    const rw_system *s = p->b->of;
    const rw_node distance = OP(SUB, number(g, o), p->by), zero = number(g, 0);
    rw_node w = hat(g, distance, p->ratio);
    for (int upper = 0; upper < 2 && !is_periodic(s, p->axis); ++upper) {
        const int side = 2 * p->axis + upper;
        if (end_of(s, side) != 1) continue;
        const rw_node out = at_least_0(g, upper ? distance : rw_make1(g, RW_OP_NEG, distance)),
                      more = OP(MUL, OP(MUL, number(g, 1 / p->ratio), out), share_of(p, side, 1));
        w = OP(ADD, w, rw_make(g, RW_OP_WHERE, rw_row_is_next_to(g, side), more, zero));
    }
    return OP(MUL, number(g, 1 / p->ratio), w);
}

/* What the finer cell and the coarser one have in common. */
static rw_node common_part(const position *p, int o)
{
    rw_graph *g = p->b->graph;
    const rw_node distance = OP(SUB, number(g, o), p->by), half = number(g, 0.5), wide = number(g, p->ratio / 2),
                  from = OP(MAX, OP(SUB, distance, half), rw_make1(g, RW_OP_NEG, wide)),
                  to = OP(MIN, OP(ADD, distance, half), wide);
    return OP(MUL, number(g, 1 / p->ratio), at_least_0(g, OP(SUB, to, from)));
}

/* Nodes on a side have half a cell. */
static rw_node mean_part(const position *p, int o)
{
    rw_graph *g = p->b->graph;
    const rw_system *s = p->b->of;
    const rw_node at = OP(ADD, p->base, number(g, o));
    rw_node w = hat(g, OP(SUB, number(g, o), p->by), p->ratio);
    for (int upper = 0; upper < 2 && !is_periodic(s, p->axis); ++upper)
        if (end_of(s, 2 * p->axis + upper) == 0)
            w = OP(MUL, w,
                   rw_make(g, RW_OP_WHERE, OP(EQ, at, number(g, upper ? (double)(p->other - 1) : 0)), number(g, 0.5),
                           number(g, 1)));
    return w;
}

static bool is_of_cells(const rw_system *s, int axis)
{
    return end_of(s, 2 * axis) == 1 && end_of(s, 2 * axis + 1) == 1;
}

/* The mean of what lies in the coarser cell, which leaves alternating errors where one axis alone is halved. */
static void weigh_restriction(const position *p, bool transposed, bool one, rw_node w[OFFSETS])
{
    rw_graph *g = p->b->graph;
    const bool cells = is_of_cells(p->b->of, p->axis) && !one;
    rw_node sum = number(g, 0);
    for (int o = RW_OTHER_LEAST; o <= RW_OTHER_MOST; ++o) {
        rw_node part = transposed ? transposed_weight(p, o) : cells ? common_part(p, o) : mean_part(p, o);
        if (rw_is_const(g, part, 0)) continue;
        if (!is_periodic(p->b->of, p->axis)) part = OP(MUL, part, exists(p, o));
        w[o - RW_OTHER_LEAST] = part;
        sum = OP(ADD, sum, part);
    }
    for (int o = 0; o < OFFSETS && !transposed && !cells; ++o)
        if (w[o] >= 0) w[o] = OP(DIV, w[o], sum);
}

typedef enum transfer { INTERPOLATE, MEAN, TRANSPOSED } transfer;

/* Of the nodes of the other grid that a node of this one reads. */
static weights weights_of(rw_system_building *b, int field, const rw_grid *other, transfer way)
{
    const rw_graph_other *o = &b->graph->fields[field].other;
    int halved = 0;
    weights w;
    for (int d = 0; d < b->graph->grid.ndim; ++d) halved += other->size[d] != b->graph->grid.size[d];
    for (int d = 0; d < 3; ++d) {
        const int64_t own = b->graph->grid.size[d];
        for (int i = 0; i < OFFSETS; ++i) w.of[d][i] = -1;
        if (d >= b->graph->grid.ndim || other->size[d] == own) {
            w.of[d][-RW_OTHER_LEAST] = number(b->graph, 1);
            continue;
        }
        const double ratio =
            way == INTERPOLATE ? ratio_of(b->of, d, other->size[d], own) : ratio_of(b->of, d, own, other->size[d]);
        const position p = position_of(b, o, d, ratio);
        if (way == INTERPOLATE) weigh_interpolation(&p, w.of[d]);
        else weigh_restriction(&p, way == TRANSPOSED, halved == 1, w.of[d]);
    }
    return w;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

typedef rw_node function(rw_graph *g, rw_node value);

static rw_node sum_along(rw_graph *g, int field, const weights *w, int axis, int offset[3], function *of)
{
    rw_node sum = number(g, 0);
    if (axis < 0) {
        const rw_node value = rw_field_of_other(g, field, offset);
        return of ? of(g, value) : value;
    }
    for (int o = 0; o < OFFSETS && !g->failed; ++o) {
        if (w->of[axis][o] < 0) continue;
        offset[axis] = o + RW_OTHER_LEAST;
        sum = OP(ADD, sum, OP(MUL, w->of[axis][o], sum_along(g, field, w, axis - 1, offset, of)));
    }
    offset[axis] = 0;
    return sum;
}

static rw_node sum_of(rw_graph *g, int field, const weights *w, function *of)
{
    return sum_along(g, field, w, g->grid.ndim - 1, (int[3]){0}, of);
}

rw_node rw_transfer_interpolate(rw_system_building *b, int field, const rw_grid *coarser)
{
    const weights w = weights_of(b, field, coarser, INTERPOLATE);
    return sum_of(b->graph, field, &w, NULL);
}

rw_node rw_transfer_restrict(rw_system_building *b, int field, const rw_grid *finer, bool transposed)
{
    const weights w = weights_of(b, field, finer, transposed ? TRANSPOSED : MEAN);
    return sum_of(b->graph, field, &w, NULL);
}

bool rw_transfer_reads_once(const rw_system *s, const rw_grid *finer, const rw_grid *coarser)
{
    int halved = 0;
    for (int d = 0; d < finer->ndim; ++d) {
        if (finer->size[d] == coarser->size[d]) continue;
        if (!is_of_cells(s, d) || !rw_is_halved(s, finer, coarser, d)) return false;
        ++halved;
    }
    return halved != 1;
}

static rw_node square_of(rw_graph *g, rw_node value) { return OP(MUL, value, value); }

rw_node rw_transfer_squares(rw_system_building *b, int field, const rw_grid *finer)
{
    const weights w = weights_of(b, field, finer, MEAN);
    weights ones = w;
    for (int d = 0; d < 3; ++d)
        for (int o = 0; o < OFFSETS; ++o)
            if (w.of[d][o] >= 0) ones.of[d][o] = number(b->graph, 1);
    return sum_of(b->graph, field, &ones, square_of);
}

static rw_node logarithm(rw_graph *g, rw_node value)
{
    const rw_node positive = OP(LT, number(g, 0), value);
    return rw_make1(g, RW_OP_LOG, rw_make(g, RW_OP_WHERE, positive, value, number(g, 1)));
}

/* 1 where the value is not positive. */
static rw_node is_not_positive(rw_graph *g, rw_node value) { return OP(LE, value, number(g, 0)); }

rw_node rw_transfer_coefficient(rw_system_building *b, int field, const rw_grid *finer)
{
    rw_graph *g = b->graph;
    const weights w = weights_of(b, field, finer, MEAN);
    const rw_node geometric = rw_make1(g, RW_OP_EXP, sum_of(g, field, &w, logarithm)),
                  some = sum_of(g, field, &w, is_not_positive);
    return rw_make(g, RW_OP_WHERE, OP(LE, some, number(g, 0)), geometric, sum_of(g, field, &w, NULL));
}
