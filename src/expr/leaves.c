/* The values that an expression reads, each once. */
#include "expr/leaves.h"

#include <string.h>

static void collect(const rw_graph *g, rw_node n, rw_leaves *l)
{
    if (n < 0 || l->seen[n]) return;
    l->seen[n] = true;
    const rw_graph_node *p = g->nodes + n;
    if (n == l->t) l->time = true;
    if (p->op == RW_OP_FIELD && !g->fields[p->index].external) {
        if (!rw_grow(&l->field, &l->capacity, l->nfields + 1, sizeof *l->field)) l->failed = true;
        else l->field[l->nfields++] = n;
    }
    for (int i = 0; i < rw_ops[p->op].arity; ++i) collect(g, p->arg[i], l);
}

bool rw_collect_leaves(const rw_graph *g, rw_node n, rw_node t, rw_leaves *l)
{
    memset(l, 0, sizeof *l);
    l->t = t;
    l->seen = rw_calloc((size_t)g->n, 1);
    if (l->seen) collect(g, n, l);
    bool ok = l->seen && !l->failed;
    rw_free(l->seen);
    return ok;
}
