/* A traced step in words: its launches with what they read and write, and what its graph says of tiles. */
#include <stdlib.h>
#include <string.h>

#include "ode/trace.h"

rw_status rw_trace_fail(const rw_trace_model *m) { return rw_fail_memory(m->ctx, 4096, "the graph of a step"); }

/* ---- names ------------------------------------------------------------------------------------------------------- */

void rw_trace_name_array(const rw_trace_model *m, int array, char name[64])
{
    const rw_ode *ode = m->ode;
    const int external = array - RW_ODE_VECTORS * ode->nfields, unknown = array - rw_trace_unknown(ode, 0, 0);
    const int v = external < 0 ? array / ode->nfields : unknown < 0 ? 0 : unknown / ode->nunknowns;
    const char *field = external < 0  ? ode->fields[array % ode->nfields].name
                        : unknown < 0 ? ode->externals[external].name
                                      : ode->fields[ode->nfields + unknown % ode->nunknowns].name;
    if (v) snprintf(name, 64, "%.48s.%d", field, v);
    else snprintf(name, 64, "%.48s", field);
}

void rw_trace_name_node(const rw_trace_model *m, const int c[3], char name[48])
{
    static const char *const forms[] = {"(%d)", "(%d,%d)", "(%d,%d,%d)"};
    snprintf(name, 48, forms[RW_MAX(m->ndim, 1) - 1], c[0], c[1], c[2]);
}

/* "8 x 8" */
static void add_extents(const rw_trace_model *m, const int n[3], rw_text *text)
{
    for (int d = 0; d < m->ndim; ++d) rw_text_add(text, "%s%d", d ? " x " : "", n[d]);
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

void rw_trace_describe_begin(const rw_trace_model *m, const rw_trace *trace)
{
    const char *field = m->ode->fields[0].name;
    rw_text_add(m->text, "step     %s%s, %d stages; %s", m->ode->ops->name,
                trace->as ? " (auto chooses among several at its first step)" : "", trace->stages,
                m->ndim ? "on a model grid of " : "without space");
    add_extents(m, m->n, m->text);
    if (m->ndim) rw_text_add(m->text, " nodes in tiles of ");
    add_extents(m, m->tile, m->text);
    rw_text_add(m->text, "\nlaunches, one after another; (1): reads neighbours up to 1 node away; ");
    rw_text_add(m->text, "%s is the state, %s.1, … are vectors of the method\n", field, field);
}

/* How far from a node a kernel reads an array; false when it does not read it. */
static bool find_reach(const rw_trace_kernel *k, int field, int reach[3])
{
    bool any = false;
    memset(reach, 0, 3 * sizeof *reach);
    for (int q = 0; q < k->npasses; ++q)
        for (int i = 0; i < k->pass[q].nreads; ++i) {
            const rw_trace_read *r = k->pass[q].reads + i;
            if (r->field != field || r->made >= 0) continue;
            for (int d = 0; d < 3; ++d) reach[d] = RW_MAX(reach[d], abs(r->offset[d]));
            any = true;
        }
    return any;
}

static void add_reads(const rw_trace_model *m, const rw_trace_kernel *k, rw_text *t)
{
    int reach[3];
    bool any = false;
    char name[64];
    for (int f = 0; f < k->plan->graph->nfields; ++f) {
        if (!find_reach(k, f, reach)) continue;
        bool same = true, far = false;
        for (int d = 0; d < m->ndim; ++d) {
            same = same && reach[d] == reach[0];
            far = far || reach[d];
        }
        rw_trace_name_array(m, k->run->array[f], name);
        rw_text_add(t, "%s%s%s", any ? ", " : "reads ", name, far ? " (" : "");
        if (far && same) rw_text_add(t, "%d", reach[0]);
        else if (far) add_extents(m, reach, t);
        rw_text_add(t, far ? ")" : "");
        any = true;
    }
    if (!any) rw_text_add(t, "reads nothing");
}

static void add_writes(const rw_trace_model *m, const rw_trace_kernel *k, rw_text *t)
{
    static const char *const kinds[] = {"sum", "min", "max"};
    bool any = false;
    char name[64];
    for (int f = 0; f < k->plan->graph->nfields; ++f) {
        if (rw_trace_final_pass(k, f) < 0) continue;
        rw_trace_name_array(m, k->run->array[f], name);
        rw_text_add(t, "%s%s", any ? ", " : "; writes ", name);
        any = true;
    }
    for (int r = 0; r < k->plan->nreductions; ++r) {
        const rw_reduction *reduction = k->plan->reductions + r;
        if (reduction->pass < k->k->first || reduction->pass > k->k->last) continue;
        rw_text_add(t, "%sa %s", any ? ", " : "; writes ", kinds[reduction->kind]);
        any = true;
    }
}

/* How much of the work of fused passes is done twice, on tiles of the real grid. */
static void add_overlap(const rw_trace_model *m, const rw_trace_kernel *k, rw_text *t)
{
    double all = 0, own = 0;
    int most[3] = {0};
    for (int q = 0; q < k->npasses; ++q) {
        double with = 1, without = 1;
        for (int d = 0; d < m->ndim; ++d) {
            const int *halo = k->pass[q].halo[d];
            double n = (double)k->k->tiling.tile[d];
            with *= n + halo[0] + halo[1];
            without *= n;
            most[d] = RW_MAX(most[d], RW_MAX(halo[0], halo[1]));
        }
        all += with;
        own += without;
    }
    rw_text_add(t, "; tiles overlap by ");
    add_extents(m, most, t);
    rw_text_add(t, " nodes per side: about %.0f %% more work on its tiles of ", 100 * (all / own - 1));
    for (int d = 0; d < m->ndim; ++d) rw_text_add(t, "%s%lld", d ? " x " : "", (long long)k->k->tiling.tile[d]);
}

void rw_trace_describe_kernel(const rw_trace_model *m, const rw_trace_kernel *k)
{
    rw_text *t = m->text;
    rw_text_add(t, "%4d  %s: ", m->nlaunches, k->run->expr->name);
    if (k->npasses > 1) rw_text_add(t, "passes %d to %d fused, ", k->k->first + 1, k->k->last + 1);
    else if (k->plan->npasses > 1) rw_text_add(t, "pass %d, ", k->k->first + 1);
    add_reads(m, k, t);
    add_writes(m, k, t);
    if (k->run->radius) rw_text_add(t, "; for the spectral radius, not in every step");
    if (k->npasses > 1) add_overlap(m, k, t);
    rw_text_add(t, "\n");
}

void rw_trace_describe_solve(const rw_trace_model *m, const rw_trace_run *run)
{
    char name[64];
    rw_text_add(m->text, "%4d  solve: reads", m->nlaunches);
    for (int f = 0; f < m->ode->nfields; ++f) {
        rw_trace_name_array(m, run->array[f], name);
        rw_text_add(m->text, "%s %s", f ? "," : "", name);
    }
    rw_text_add(m->text, " everywhere; writes");
    for (int u = 0; u < run->nwritten; ++u) {
        rw_trace_name_array(m, run->array[m->ode->nfields + u], name);
        rw_text_add(m->text, "%s %s", u ? "," : "", name);
    }
    rw_text_add(m->text, "%s\n", run->radius ? "; for the spectral radius, not in every step" : "");
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* Parts for a tile through all launches of the step; those of the radius and combinations stay by themselves. */
static int number_rows(const rw_trace_model *m, int *part, int *number, const char **name)
{
    int nparts = m->ntiles;
    for (int t = 0; t < rw_depgraph_tasks(m->g); ++t) {
        const rw_trace_place *p = m->place + t;
        bool row = p->step && p->tile >= 0;
        if (p->part >= 0 && !row && !number[p->part]) {
            name[nparts] = m->name[p->part];
            number[p->part] = nparts++;
        }
        part[t] = p->part < 0 ? -1 : row ? p->tile : number[p->part];
    }
    return nparts;
}

static rw_status describe_rows(const rw_trace_model *m)
{
    int ntasks = (int)rw_depgraph_tasks(m->g);
    int *part = rw_calloc((size_t)RW_MAX(ntasks, 1), sizeof *part),
        *number = rw_calloc((size_t)RW_MAX(m->nparts, 1), sizeof *number);
    const char **name = rw_calloc((size_t)(m->ntiles + m->nparts), sizeof *name);
    char(*tile)[64] = rw_calloc((size_t)m->ntiles, sizeof *tile);
    rw_partition *p = NULL;
    rw_status status = part && number && name && tile ? RW_OK : rw_trace_fail(m);
    for (int t = 0; t < m->ntiles && status == RW_OK; ++t) {
        char at[48];
        rw_trace_name_node(m, (int[]){t % m->tiles[0], t / m->tiles[0] % m->tiles[1], t / m->tiles[0] / m->tiles[1]},
                           at);
        snprintf(tile[t], sizeof *tile, "tile %s", at);
        name[t] = tile[t];
    }
    if (status == RW_OK) status = rw_depgraph_partition(m->g, part, number_rows(m, part, number, name), name, &p);
    if (status == RW_OK)
        rw_text_add(m->text, "whole    one part per tile through the whole step: %s%s\n",
                    p->accepted ? "possible, as nothing is read from neighbours" : "not possible: ", p->reason);
    rw_partition_destroy(&p);
    rw_free(part);
    rw_free(number);
    rw_free(name);
    rw_free(tile);
    return status;
}

static int level_of(const rw_trace_model *m, const rw_partition *p, int number)
{
    int level = 0, end = number + 1 < m->nlaunches ? m->launch[number + 1].first_part : m->nparts;
    for (int i = m->launch[number].first_part; i < end; ++i) level = RW_MAX(level, p->level[i]);
    return level;
}

/* Kernels as compiled: each once, and the one that combines. */
static int count_kernels(const rw_trace_model *m)
{
    int n = 0;
    for (int i = 0; i < m->nlaunches; ++i) {
        bool known = false;
        for (int k = 0; k < i; ++k) known = known || m->launch[k].kernel == m->launch[i].kernel;
        n += !known;
    }
    return n;
}

/* Whether tiles of one launch have several structures. */
static bool sides_differ(const rw_trace_model *m, const rw_partition *p)
{
    bool differ = false;
    for (int i = 0; i < m->nlaunches; ++i)
        for (int t = 1; m->launch[i].kernel && t < m->ntiles; ++t)
            differ = differ || p->structure[m->launch[i].first_part + t] != p->structure[m->launch[i].first_part];
    return differ;
}

/* Launches of the same level, if there are any. */
static void describe_levels(const rw_trace_model *m, const rw_partition *p)
{
    bool any = false;
    for (int level = 0; level < p->nlevels; ++level) {
        int n = 0, k = 0;
        for (int i = 0; i < m->nlaunches; ++i) n += level_of(m, p, i) == level;
        for (int i = 0; i < m->nlaunches && n > 1; ++i) {
            if (level_of(m, p, i) != level) continue;
            rw_text_add(m->text, "%s%d", k ? " and " : any ? ", " : "; launches ", i + 1);
            any = true;
            ++k;
        }
    }
    rw_text_add(m->text, any ? "\n" : "; each launch needs an earlier one\n");
}

rw_status rw_trace_describe_graph(const rw_trace_model *m, const rw_partition *p)
{
    int nkernels = count_kernels(m), ngiven = m->nbefore + m->nbeyond + (m->host >= 0);
    rw_text_add(
        m->text,
        "graph    %lld tasks, named launch(node), %lld dependencies; %d values from before the step, %d outside the "
        "grid\n",
        (long long)rw_depgraph_tasks(m->g) - ngiven, (long long)rw_depgraph_dependencies(m->g), m->nbefore, m->nbeyond);
    RW_TRY(describe_rows(m));
    rw_text_add(m->text, "tiles    one part per tile and launch: %lld parts: %s%s\n", (long long)p->nparts,
                p->accepted ? "possible, the parts are disjoint and can run in order" : "not possible: ", p->reason);
    if (!p->accepted) return RW_OK;
    rw_text_add(m->text, "kernels  %d, for %d structures of tiles%s%s\n", nkernels, p->nstructures,
                sides_differ(m, p) ? "; tiles at different sides overlap differently" : "",
                p->nstructures < nkernels ? "; some kernels have equal reads, but other operations or arrays" : "");
    rw_text_add(m->text, "at once  the %d tiles of a launch", m->ntiles);
    describe_levels(m, p);
    return RW_OK;
}
