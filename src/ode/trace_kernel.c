/* What a kernel of a traced step reads, from the expression graph: by pass the fields with their offsets and versions,
 * the reductions that it waits for, and the nodes around a tile that it is done on too, for later passes. */
#include <string.h>

#include "ode/trace.h"

static bool add_read(rw_trace_pass *to, const rw_trace_read *r)
{
    for (int i = 0; i < to->nreads; ++i)
        if (!memcmp(to->reads + i, r, sizeof *r)) return true;
    if (!rw_grow(&to->reads, &to->capacity, to->nreads + 1, sizeof *r)) return false;
    to->reads[to->nreads++] = *r;
    return true;
}

static bool add_node(const rw_trace_kernel *k, int q, rw_node n, rw_trace_pass *to)
{
    const rw_graph_node *p = k->plan->graph->nodes + n;
    if (p->op == RW_OP_REDUCE) {
        if (!rw_grow(&to->waits, &to->waits_capacity, to->nwaits + 1, sizeof *to->waits)) return false;
        to->waits[to->nwaits++] = (int)(rw_plan_reduction(k->plan, n) - k->plan->reductions);
        return true;
    }
    if (p->op != RW_OP_FIELD || rw_plan_forward(k->plan, q, p)) return true;
    const rw_store *s = rw_store_of(k->plan, p);
    rw_trace_read r = {p->index,
                       s && s->pass >= k->k->first ? s->pass : -1,
                       {p->offset[0], p->offset[1], p->offset[2]}};
    return add_read(to, &r);
}

/* What a pass reads of an earlier one of the kernel, that one has to make, around the tile too. */
static void find_halos(rw_trace_kernel *k)
{
    for (int q = k->npasses - 1; q > 0; --q)
        for (int i = 0; i < k->pass[q].nreads; ++i) {
            const rw_trace_read *r = k->pass[q].reads + i;
            for (int d = 0; d < 3 && r->made >= 0; ++d) {
                int *halo = k->pass[r->made - k->k->first].halo[d];
                halo[0] = RW_MAX(halo[0], k->pass[q].halo[d][0] - r->offset[d]);
                halo[1] = RW_MAX(halo[1], k->pass[q].halo[d][1] + r->offset[d]);
            }
        }
}

void rw_trace_kernel_free(rw_trace_kernel *k)
{
    for (int i = 0; k->pass && i < k->npasses; ++i) {
        rw_free(k->pass[i].reads);
        rw_free(k->pass[i].waits);
    }
    rw_free(k->pass);
}

rw_status rw_trace_kernel_make(const rw_trace_model *m, const rw_trace_run *run, const rw_pass_kernel *pk,
                               rw_trace_kernel *k)
{
    *k = (rw_trace_kernel){run, &run->expr->plan, pk, NULL, pk->last - pk->first + 1};
    if (!(k->pass = rw_calloc((size_t)k->npasses, sizeof *k->pass))) return rw_trace_fail(m);
    for (int q = pk->first; q <= pk->last; ++q) {
        rw_pass_use use;
        bool ok = true;
        RW_TRY(rw_plan_use(k->plan, q, &use));
        for (int n = 0; n < use.nnodes && ok; ++n)
            if (use.needed[n]) ok = add_node(k, q, n, k->pass + q - pk->first);
        rw_pass_use_free(&use);
        if (!ok) return rw_trace_fail(m);
    }
    find_halos(k);
    return RW_OK;
}

int rw_trace_final_pass(const rw_trace_kernel *k, int field)
{
    const rw_store *s = rw_final_store(k->plan, k->k->first, k->k->last, field);
    return s ? s->pass : -1;
}
