#include "elliptic/row.h"

#include <stdlib.h>

#include "expr/boundary.h"

#define OP(op, a, b) rw_make2(g, RW_OP_##op, a, b)

bool rw_row_shares(rw_graph *g, int unknown, int side, double times, rw_node share[2])
{
    const rw_graph_side is = g->fields[unknown].boundary[side];
    const bool cell = g->layout == RW_GRID_CELL;
    const rw_node h = rw_spacing(g, side / 2), zero = rw_real(g, 0), one = rw_real(g, 1);
    share[0] = share[1] = zero;
    switch (is.kind) {
    case RW_BOUNDARY_DIRICHLET: share[0] = cell ? rw_real(g, -1) : zero; return true;
    case RW_BOUNDARY_CONSTANT: return true;
    case RW_BOUNDARY_NEUMANN: share[!cell] = one; return true;
    case RW_BOUNDARY_REFLECT:
    case RW_BOUNDARY_NEAREST: share[0] = one; return true;
    case RW_BOUNDARY_REFLECT101: share[1] = one; return true;
    case RW_BOUNDARY_ROBIN: break;
    default: return false;
    }
    const rw_node part = OP(MUL, OP(MUL, rw_real(g, cell ? 0.5 * times : 2 * times), h), is.a);
    share[0] = cell ? OP(DIV, OP(SUB, is.b, part), OP(ADD, is.b, part)) : rw_make1(g, RW_OP_NEG, OP(DIV, part, is.b));
    share[1] = cell ? zero : one;
    return true;
}

rw_node rw_row_is_next_to(rw_graph *g, int side)
{
    const int axis = side / 2;
    const double node = (double)(g->grid.first[axis] + (side % 2 ? g->grid.size[axis] - 1 : 0));
    return OP(EQ, rw_index(g, axis, 0), rw_real(g, node));
}

bool rw_form_term_is_at(const rw_form_term *t, int axis, int m)
{
    for (int d = 0; d < 3; ++d)
        if (t->offset[d] != (d == axis ? m : 0)) return false;
    return true;
}

static rw_node own_factor(rw_graph *g, const rw_form *form, int unknown, int axis, int m)
{
    for (int i = 0; i < form->nterms; ++i) {
        const rw_form_term *t = form->terms + i;
        if (t->row == unknown && t->column == unknown && rw_form_term_is_at(t, axis, m)) return t->factor;
    }
    return rw_real(g, 0);
}

bool rw_row_along(rw_graph *g, const rw_form *form, int unknown, int axis, rw_node factor[3])
{
    const rw_node zero = rw_real(g, 0);
    rw_node inside[3];
    for (int i = 0; i < form->nterms; ++i)
        if (form->terms[i].row == unknown && abs(form->terms[i].offset[axis]) > 1) return false;
    for (int m = -1; m <= 1; ++m) factor[m + 1] = inside[m + 1] = own_factor(g, form, unknown, axis, m);
    if (g->fields[unknown].boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC) return true;
    for (int upper = 0; upper < 2; ++upper) {
        rw_node share[2];
        if (!rw_row_shares(g, unknown, 2 * axis + upper, 1, share)) return false;
        const rw_node there = rw_row_is_next_to(g, 2 * axis + upper), beyond = inside[2 * upper];
        const int inward = 2 - 2 * upper;
        factor[1] = OP(ADD, factor[1], rw_make(g, RW_OP_WHERE, there, OP(MUL, beyond, share[0]), zero));
        factor[inward] = OP(ADD, factor[inward], rw_make(g, RW_OP_WHERE, there, OP(MUL, beyond, share[1]), zero));
        factor[2 - inward] = rw_make(g, RW_OP_WHERE, there, zero, factor[2 - inward]);
    }
    return true;
}
