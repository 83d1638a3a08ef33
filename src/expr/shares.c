/* What values beyond sides are computed from. Half a spacing outside of the first node (layout cell), the condition
 *
 *   a (u + w)/2 + b (w - u)/h = c     of u inside and w beyond gives     w = share u + part
 *   share = 1 - a q,  part = c q,  q = h/(a h/2 + b)
 *
 * so that kernels neither divide nor choose: both are numbers, or tables along the side where a, b and c are functions
 * of one coordinate. */
#include "expr/boundary.h"

bool rw_axis_is_order4(const rw_graph *g, int field, int axis)
{
    const rw_graph_side *sides = g->fields[field].boundary + 2 * axis;
    return g->order == 4 && g->grid.size[axis] - sides[0].given - sides[1].given >= 5;
}

bool rw_side_has_share(const rw_graph *g, int field, int side, int reach)
{
    return g->layout == RW_GRID_CELL && g->fields[field].boundary[side].kind == RW_BOUNDARY_ROBIN && reach == 1 &&
           !rw_axis_is_order4(g, field, side / 2);
}

int rw_side_nodes(rw_graph *g, int field, int side, int reach, rw_node nodes[RW_SIDE_NODES])
{
    const rw_graph_side s = g->fields[field].boundary[side];
    int n = 0;
    if (rw_side_has_share(g, field, side, reach)) {
        const rw_node h = rw_spacing(g, side / 2), half = rw_make2(g, RW_OP_MUL, rw_real(g, 0.5), h),
                      scale = rw_make2(g, RW_OP_ADD, rw_make2(g, RW_OP_MUL, s.a, half), s.b),
                      q = rw_make2(g, RW_OP_DIV, h, scale);
        nodes[n++] = rw_make2(g, RW_OP_SUB, rw_real(g, 1), rw_make2(g, RW_OP_MUL, s.a, q));
        nodes[n++] = rw_make2(g, RW_OP_MUL, s.c, q);
        return n;
    }
    for (int i = 0; i < 3; ++i)
        if (s.value[i] >= 0) nodes[n++] = s.value[i];
    if (s.slope) nodes[n++] = rw_spacing(g, side / 2);
    return n;
}

bool rw_side_looks_up(const rw_graph *g, int field, int side, int reach, rw_node n)
{
    const int axis = rw_table_axis(g, n);
    return axis >= 0 && axis != side / 2 && rw_side_has_share(g, field, side, reach);
}
