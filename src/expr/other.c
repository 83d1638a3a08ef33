/* Fields of another grid that covers the same domain, in programs: which of its nodes a node of this grid reads. The
 * column of such a FIELD stands for the offsets from the base, two bits along each axis. */
#include "expr/graph.h"

void rw_graph_set_other(rw_graph *g, int field, const rw_graph_other *other) { g->fields[field].other = *other; }

rw_node rw_field_of_other(rw_graph *g, int index, const int offset[3])
{
    int column = 1;
    for (int d = 0; d < 3; ++d) column += (offset[d] - RW_OTHER_LEAST) << 2 * d;
    return rw_field_at(g, index, 0, column);
}

int rw_other_offset(const rw_graph_node *field, int axis)
{
    return ((field->column - 1) >> 2 * axis & 3) + RW_OTHER_LEAST;
}

int64_t rw_other_base(const rw_graph_other *o, int axis, int64_t i)
{
    const int64_t n = o->num[axis] * i + o->add[axis], den = o->den[axis];
    return n < 0 ? -((-n + den - 1) / den) : n / den;
}
