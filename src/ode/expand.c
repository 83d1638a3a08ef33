/* The graph of a traced step: each pass of each kernel at each node of a small model grid is a task, each tile of a
 * launch a part.
 *
 *   model grid        8 nodes an axis, 6 in three dimensions, two tiles an axis: every tile has a neighbour on each
 *                     axis and lies at a side, if there is one
 *   reads             from the expression graph: which fields at which offsets, of which version (rw_plan_use)
 *   writer            by array and node: the task that left the value there; before the step a task of no part, "given"
 *   beyond a side     the kernel computes a value from the condition: a given value of the tile that reads it, so that
 *                     tiles at sides read as many values as others. What a side reads of fields, a task needs too that
 *                     reads beyond it
 *   several passes    in one kernel: a tile has tasks of its own for the nodes around it that later passes read (halo)
 *   reductions        a task a tile, and a launch of one task that combines them
 *   h                 what the host makes of the spectral radius, needed by the step's first kernel, through it by
 *                     all */
#include <string.h>

#include "ode/algebraic.h"
#include "ode/circles.h"
#include "ode/trace.h"

typedef struct rw_trace_beyond {
    int field, made, node[3], task;
} beyond;

static const rw_trace_place nowhere = {-1, -1, -1, false};
static const char *const reduce_names[] = {"sum", "min", "max"};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void split(const int size[3], int i, int c[3])
{
    c[0] = i % size[0];
    c[1] = i / size[0] % size[1];
    c[2] = i / size[0] / size[1];
}

static int number_of(const rw_trace_model *m, const int c[3]) { return c[0] + m->n[0] * (c[1] + m->n[1] * c[2]); }

static int nodes_of_tile(const rw_trace_model *m) { return m->tile[0] * m->tile[1] * m->tile[2]; }

/* The i-th of a tile's own nodes. */
static int own_node(const rw_trace_model *m, int tile, int i)
{
    int t[3], c[3];
    split(m->tiles, tile, t);
    split(m->tile, i, c);
    for (int d = 0; d < 3; ++d) c[d] += t[d] * m->tile[d];
    return number_of(m, c);
}

static bool is_periodic(const rw_trace_kernel *k, int field, int axis)
{
    return axis < k->plan->graph->grid.ndim &&
           k->plan->graph->fields[field].boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC;
}

static int wrapped(int i, int n) { return (i % n + n) % n; }

/* The nodes that a tile does a pass on: from[d] … to[d] - 1, which may lie beyond periodic sides (of fused passes,
 * where all fields agree on them). */
static void find_region(const rw_trace_model *m, const rw_trace_kernel *k, int q, int tile, int from[3], int to[3])
{
    int t[3];
    split(m->tiles, tile, t);
    for (int d = 0; d < 3; ++d) {
        from[d] = t[d] * m->tile[d] - k->pass[q].halo[d][0];
        to[d] = (t[d] + 1) * m->tile[d] + k->pass[q].halo[d][1];
        if (!is_periodic(k, 0, d)) {
            from[d] = RW_MAX(from[d], 0);
            to[d] = RW_MIN(to[d], m->n[d]);
        } else if (to[d] - from[d] > m->n[d]) {
            from[d] = 0;
            to[d] = m->n[d];
        }
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static rw_status add_task(rw_trace_model *m, const char *kind, const char *label, rw_trace_place where, int *task)
{
    RW_TRY(rw_depgraph_add_task(m->g, kind, label, task));
    if (!rw_grow(&m->place, &m->place_capacity, *task + 1, sizeof *m->place)) return rw_trace_fail(m);
    m->place[*task] = where;
    return RW_OK;
}

/* `name` becomes the model's. */
static rw_status begin_part(rw_trace_model *m, char *name)
{
    if (name && rw_grow(&m->name, &m->name_capacity, m->nparts + 1, sizeof *m->name)) {
        m->name[m->nparts++] = name;
        return RW_OK;
    }
    rw_free(name);
    return rw_trace_fail(m);
}

static rw_status begin_launch(rw_trace_model *m, const rw_pass_kernel *k)
{
    if (!rw_grow(&m->launch, &m->launch_capacity, m->nlaunches + 1, sizeof *m->launch)) return rw_trace_fail(m);
    m->launch[m->nlaunches++] = (rw_trace_launch){k, m->nparts};
    return RW_OK;
}

/* A value of an array that no task makes. */
static rw_status add_given(rw_trace_model *m, const char *kind, int array, const int c[3], int *task)
{
    char name[64], node[48], label[128];
    rw_trace_name_array(m, array, name);
    rw_trace_name_node(m, c, node);
    snprintf(label, sizeof label, "%s%s", name, node);
    return add_task(m, kind, label, nowhere, task);
}

/* A value beyond a side, as the present tile has it. */
static rw_status find_beyond(rw_trace_model *m, const rw_trace_kernel *k, const rw_trace_read *r, const int c[3],
                             int *task)
{
    for (int i = 0; i < m->ntile_beyond; ++i) {
        const beyond *b = m->beyond + i;
        if (b->field != r->field || b->made != r->made || memcmp(b->node, c, sizeof b->node)) continue;
        *task = b->task;
        return RW_OK;
    }
    if (!rw_grow(&m->beyond, &m->beyond_capacity, m->ntile_beyond + 1, sizeof *m->beyond)) return rw_trace_fail(m);
    RW_TRY(add_given(m, "beyond a side", k->run->array[r->field], c, task));
    m->beyond[m->ntile_beyond++] = (beyond){r->field, r->made, {c[0], c[1], c[2]}, *task};
    m->nbeyond++;
    return RW_OK;
}

/* The node is beyond a side, or on one that gives its value, whatever the array has there. */
static bool is_beyond(const rw_trace_model *m, const rw_trace_kernel *k, int field, int side, const int c[3])
{
    const rw_graph_side *s = k->plan->graph->fields[field].boundary + side;
    const int in = s->given && s->kind == RW_BOUNDARY_DIRICHLET;
    return side % 2 ? c[side / 2] >= m->n[side / 2] - in : c[side / 2] < in;
}

/* The task that makes what is read at a node. */
static rw_status find_value(rw_trace_model *m, const rw_trace_kernel *k, const rw_trace_read *r, const int at[3],
                            int *task)
{
    int c[3], array = k->run->array[r->field];
    bool outside = false;
    for (int d = 0; d < 3; ++d) {
        c[d] = at[d] + r->offset[d];
        if (is_periodic(k, r->field, d)) c[d] = wrapped(c[d], m->n[d]);
    }
    for (int side = 0; side < 2 * m->ndim; ++side) outside = outside || is_beyond(m, k, r->field, side, c);
    if (array < 0) return rw_fail(m->ctx, RW_ERR_INTERNAL, "%s reads a field without an array", k->run->expr->name);
    if (outside) return find_beyond(m, k, r, c, task);
    int number = array * m->nnodes + number_of(m, c);
    *task = r->made < 0 ? m->writer[number] : m->own[(r->made - k->k->first) * m->nnodes + number_of(m, c)];
    if (*task >= 0) return RW_OK;
    if (r->made >= 0)
        return rw_fail(m->ctx, RW_ERR_INTERNAL, "%s reads a value that its tile does not make", k->run->expr->name);
    RW_TRY(add_given(m, "given", array, c, task));
    m->writer[number] = *task;
    m->nbefore++;
    if (m->next[number] < 0) m->next[number] = *task; /* no tile has written there yet */
    return RW_OK;
}

/* The nodes along an axis that node i is made of: itself, or beyond the end of a side those of a polynomial. */
static void find_range(const rw_trace_model *m, const rw_trace_kernel *k, int field, int axis, int i, int range[2])
{
    const rw_graph *g = k->plan->graph;
    const rw_graph_side *side = g->fields[field].boundary + 2 * axis;
    const int n = m->n[axis], first = side[0].given, last = n - 1 - side[1].given;
    const int nodes = RW_MIN(g->order, last - first);
    range[0] = range[1] = is_periodic(k, field, axis) ? wrapped(i, n) : i;
    if (is_periodic(k, field, axis) || axis >= m->ndim) return;
    if (i < first) {
        range[0] = first;
        range[1] = first + nodes;
    } else if (i > last) {
        range[0] = last - nodes;
        range[1] = last;
    }
}

/* A value that an expression of a side reads, from the node c beyond that side. */
static rw_status add_leaf(rw_trace_model *m, const rw_trace_kernel *k, const rw_graph_node *leaf, int side,
                          const int c[3], int task)
{
    const rw_trace_read read = {leaf->index, -1, {0, 0, 0}};
    int range[3][2], needed;
    for (int d = 0; d < 3; ++d) {
        const int n = m->n[d], across = (side % 2 ? n - 1 : 0) + leaf->offset[d];
        if (d != side / 2) find_range(m, k, leaf->index, d, c[d] + leaf->offset[d], range[d]);
        else range[d][0] = range[d][1] = RW_MAX(RW_MIN(across, n - 1), 0); /* the model grid is small */
    }
    for (int z = range[2][0]; z <= range[2][1]; ++z)
        for (int y = range[1][0]; y <= range[1][1]; ++y)
            for (int x = range[0][0]; x <= range[0][1]; ++x) {
                RW_TRY(find_value(m, k, &read, (int[]){x, y, z}, &needed));
                RW_TRY(rw_depgraph_add_dependency(m->g, task, needed));
            }
    return RW_OK;
}

/* What sides read whose values beyond them the task reads at a node. Passes of one kernel do not have such sides. */
static rw_status add_read_by_sides(rw_trace_model *m, const rw_trace_kernel *k, const rw_trace_read *r, const int at[3],
                                   int task)
{
    const rw_graph *g = k->plan->graph;
    rw_status status = RW_OK;
    int c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = at[d] + r->offset[d];
        if (is_periodic(k, r->field, d)) c[d] = wrapped(c[d], m->n[d]);
    }
    for (int side = 0; side < 2 * m->ndim && g->fields[r->field].reads; ++side) {
        const rw_graph_side *s = g->fields[r->field].boundary + side;
        if (!s->reads || !is_beyond(m, k, r->field, side, c)) continue;
        for (int i = 0; i < 3 && status == RW_OK; ++i) {
            rw_leaves l = {0};
            if (s->value[i] < 0) continue;
            if (!rw_collect_leaves(g, s->value[i], -1, &l)) status = rw_trace_fail(m);
            for (int n = 0; n < l.nfields && status == RW_OK; ++n)
                status = add_leaf(m, k, g->nodes + l.field[n], side, c, task);
            rw_free(l.field);
        }
    }
    return status;
}

/* Pass q of a kernel at a node, for a tile. */
static rw_status add_node_task(rw_trace_model *m, const rw_trace_kernel *k, int q, const int at[3],
                               rw_trace_place where)
{
    char node[48], label[96];
    int task, needed;
    const rw_trace_pass *p = k->pass + q;
    rw_trace_name_node(m, at, node);
    if (k->npasses > 1) snprintf(label, sizeof label, "%d.%d%s", where.launch + 1, q + 1, node);
    else snprintf(label, sizeof label, "%d%s", where.launch + 1, node);
    RW_TRY(add_task(m, k->run->expr->name, label, where, &task));
    m->own[q * m->nnodes + number_of(m, at)] = task;
    for (int i = 0; i < p->nreads; ++i) {
        RW_TRY(find_value(m, k, p->reads + i, at, &needed));
        RW_TRY(rw_depgraph_add_dependency(m->g, task, needed));
        RW_TRY(add_read_by_sides(m, k, p->reads + i, at, task));
    }
    for (int i = 0; i < p->nwaits; ++i) RW_TRY(rw_depgraph_add_dependency(m->g, task, m->combined[p->waits[i]]));
    return m->host >= 0 && where.step && !m->begun ? rw_depgraph_add_dependency(m->g, task, m->host) : RW_OK;
}

static rw_status add_pass(rw_trace_model *m, const rw_trace_kernel *k, int q, int tile, rw_trace_place where)
{
    int from[3], to[3];
    find_region(m, k, q, tile, from, to);
    for (int z = from[2]; z < to[2]; ++z)
        for (int y = from[1]; y < to[1]; ++y)
            for (int x = from[0]; x < to[0]; ++x) {
                const int at[] = {wrapped(x, m->n[0]), wrapped(y, m->n[1]), wrapped(z, m->n[2])};
                RW_TRY(add_node_task(m, k, q, at, where));
            }
    return RW_OK;
}

static bool is_reduced_in(const rw_trace_kernel *k, const rw_reduction *r)
{
    return r->pass >= k->k->first && r->pass <= k->k->last;
}

/* What a tile leaves to be combined: partial[reduction][tile]. */
static rw_status add_partials(rw_trace_model *m, const rw_trace_kernel *k, int tile, rw_trace_place where, int *partial)
{
    for (int r = 0; r < k->plan->nreductions; ++r) {
        const rw_reduction *reduction = k->plan->reductions + r;
        int *task = &partial[r * m->ntiles + tile];
        const int *summand = m->own + (reduction->pass - k->k->first) * m->nnodes;
        char label[64];
        if (!is_reduced_in(k, reduction)) continue;
        snprintf(label, sizeof label, "%d %s", where.launch + 1, reduce_names[reduction->kind]);
        RW_TRY(add_task(m, reduce_names[reduction->kind], label, where, task));
        for (int i = 0; i < nodes_of_tile(m); ++i)
            RW_TRY(rw_depgraph_add_dependency(m->g, *task, summand[own_node(m, tile, i)]));
    }
    return RW_OK;
}

static void note_writers(rw_trace_model *m, const rw_trace_kernel *k, int tile)
{
    for (int f = 0; f < k->plan->graph->nfields; ++f) {
        int last = rw_trace_final_pass(k, f), array = k->run->array[f];
        for (int i = 0; i < nodes_of_tile(m) && last >= 0 && array >= 0; ++i) {
            int n = own_node(m, tile, i);
            m->next[array * m->nnodes + n] = m->own[(last - k->k->first) * m->nnodes + n];
        }
    }
}

static rw_status add_tile(rw_trace_model *m, const rw_trace_kernel *k, int tile, int *partial)
{
    int t[3];
    char name[48];
    rw_trace_place where = {m->nparts, tile, m->nlaunches - 1, !k->run->radius};
    split(m->tiles, tile, t);
    rw_trace_name_node(m, t, name);
    RW_TRY(begin_part(m, rw_format("launch %d (%s), tile %s", m->nlaunches, k->run->expr->name, name)));
    m->ntile_beyond = 0;
    for (int i = 0; i < k->npasses * m->nnodes; ++i) m->own[i] = -1;
    for (int q = 0; q < k->npasses; ++q) RW_TRY(add_pass(m, k, q, tile, where));
    RW_TRY(add_partials(m, k, tile, where, partial));
    note_writers(m, k, tile);
    return RW_OK;
}

/* What the host makes of the radius. */
static rw_status tell_host(rw_trace_model *m, int task)
{
    if (m->host < 0) RW_TRY(add_task(m, "host", "h", nowhere, &m->host));
    return rw_depgraph_add_dependency(m->g, m->host, task);
}

/* The small launch that combines what the tiles have left: a group for each number. */
static rw_status add_combines(rw_trace_model *m, const rw_trace_kernel *k, const int *partial)
{
    int of = m->nlaunches;
    if (!k->k->naccumulators) return RW_OK;
    RW_TRY(begin_launch(m, NULL));
    RW_TRY(begin_part(m, rw_format("launch %d (combine)", m->nlaunches)));
    for (int i = 0; i < k->k->naccumulators; ++i) {
        int r = 0, slot = k->k->accumulator_slot[i];
        while (slot < k->plan->reductions[r].slot || slot >= k->plan->reductions[r].slot + k->plan->reductions[r].width)
            ++r;
        const char *name = reduce_names[k->plan->reductions[r].kind];
        char label[64];
        rw_trace_place where = {m->nparts - 1, -1, m->nlaunches - 1, !k->run->radius};
        snprintf(label, sizeof label, "%d %s", m->nlaunches, name);
        RW_TRY(add_task(m, "combine", label, where, &m->combined[r]));
        for (int t = 0; t < m->ntiles; ++t)
            RW_TRY(rw_depgraph_add_dependency(m->g, m->combined[r], partial[r * m->ntiles + t]));
        if (k->run->radius) RW_TRY(tell_host(m, m->combined[r]));
        if (k->k->naccumulators == 1)
            rw_text_add(m->text, "%4d  combine: the %s of launch %d\n", m->nlaunches, name, of);
    }
    if (k->k->naccumulators > 1)
        rw_text_add(m->text, "%4d  combine: the %d numbers of launch %d\n", m->nlaunches, k->k->naccumulators, of);
    return RW_OK;
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static size_t values_of(const rw_trace_model *m)
{
    return (size_t)rw_trace_unknown(m->ode, RW_UNKNOWN_SETS, 0) * (size_t)m->nnodes;
}

static rw_status add_launch(rw_trace_model *m, const rw_trace_run *run, const rw_pass_kernel *pk)
{
    rw_trace_kernel k;
    int *partial = NULL;
    rw_status status = rw_trace_kernel_make(m, run, pk, &k);
    if (status != RW_OK) goto done;
    partial = rw_calloc((size_t)RW_MAX(k.plan->nreductions, 1) * (size_t)m->ntiles, sizeof *partial);
    rw_free(m->own);
    m->own = rw_calloc((size_t)k.npasses * (size_t)m->nnodes, sizeof *m->own);
    if (!partial || !m->own) RW_TRY_GOTO(rw_trace_fail(m), done);
    memcpy(m->next, m->writer, values_of(m) * sizeof *m->next);
    RW_TRY_GOTO(begin_launch(m, pk), done);
    rw_trace_describe_kernel(m, &k);
    for (int t = 0; t < m->ntiles; ++t) RW_TRY_GOTO(add_tile(m, &k, t, partial), done);
    memcpy(m->writer, m->next, values_of(m) * sizeof *m->next);
    m->begun = m->begun || !run->radius;
    status = add_combines(m, &k, partial);
done:
    rw_free(partial);
    rw_trace_kernel_free(&k);
    return status;
}

/* The solution at each node depends on the state at all nodes: one task, and a part of its own. */
static rw_status add_solve(rw_trace_model *m, const rw_trace_run *run)
{
    int task;
    char label[64];
    RW_TRY(begin_launch(m, NULL));
    rw_trace_describe_solve(m, run);
    snprintf(label, sizeof label, "%d solve", m->nlaunches);
    RW_TRY(begin_part(m, rw_format("launch %d (solve)", m->nlaunches)));
    RW_TRY(add_task(m, "solve", label, (rw_trace_place){m->nparts - 1, -1, m->nlaunches - 1, !run->radius}, &task));
    for (int f = 0; f < m->ode->nfields; ++f)
        for (int i = 0; i < m->nnodes; ++i) {
            int c[3], *writer = m->writer + run->array[f] * m->nnodes + i;
            split(m->n, i, c);
            if (*writer < 0) {
                RW_TRY(add_given(m, "given", run->array[f], c, writer));
                m->nbefore++;
            }
            RW_TRY(rw_depgraph_add_dependency(m->g, task, *writer));
        }
    for (int u = 0; u < run->nwritten; ++u)
        for (int i = 0; i < m->nnodes; ++i) m->writer[run->array[m->ode->nfields + u] * m->nnodes + i] = task;
    return RW_OK;
}

static rw_status add_run(rw_trace_model *m, const rw_trace_run *run)
{
    if (!run->expr) return add_solve(m, run);
    rw_free(m->combined);
    m->combined = rw_calloc((size_t)RW_MAX(run->expr->plan.nreductions, 1), sizeof *m->combined);
    if (!m->combined) return rw_trace_fail(m);
    for (int i = 0; i < run->expr->npasses; ++i) RW_TRY(add_launch(m, run, &run->expr->passes[i].kernel));
    return RW_OK;
}

static rw_status make_model(rw_ode *ode, rw_depgraph *g, rw_text *text, rw_trace_model *m)
{
    *m =
        (rw_trace_model){.ode = ode, .ctx = ode->device->ctx, .g = g, .text = text, .ndim = ode->grid.ndim, .host = -1};
    m->nnodes = m->ntiles = 1;
    for (int d = 0; d < 3; ++d) {
        m->n[d] = d >= m->ndim ? 1 : m->ndim == 3 ? 6 : 8;
        m->tiles[d] = d < m->ndim ? 2 : 1;
        m->tile[d] = m->n[d] / m->tiles[d];
        m->nnodes *= m->n[d];
        m->ntiles *= m->tiles[d];
    }
    m->writer = rw_calloc(values_of(m), sizeof *m->writer);
    m->next = rw_calloc(values_of(m), sizeof *m->next);
    if (!m->writer || !m->next) return rw_trace_fail(m);
    for (size_t i = 0; i < values_of(m); ++i) m->writer[i] = -1;
    return RW_OK;
}

static void free_model(rw_trace_model *m)
{
    for (int i = 0; i < m->nparts; ++i) rw_free(m->name[i]);
    rw_free(m->writer);
    rw_free(m->next);
    rw_free(m->own);
    rw_free(m->combined);
    rw_free(m->beyond);
    rw_free(m->place);
    rw_free(m->name);
    rw_free(m->launch);
}

static rw_status divide(const rw_trace_model *m, rw_partition **tiles)
{
    int ntasks = (int)rw_depgraph_tasks(m->g), *part = rw_calloc((size_t)RW_MAX(ntasks, 1), sizeof *part);
    if (!part) return rw_trace_fail(m);
    for (int t = 0; t < ntasks; ++t) part[t] = m->place[t].part;
    rw_status status = rw_depgraph_partition(m->g, part, m->nparts, (const char *const *)m->name, tiles);
    rw_free(part);
    return status;
}

rw_status rw_trace_expand(rw_ode *ode, const rw_trace *trace, rw_depgraph *graph, rw_partition **tiles, rw_text *text)
{
    rw_trace_model m;
    rw_status status = make_model(ode, graph, text, &m);
    rw_trace_describe_begin(&m, trace);
    for (int i = 0; i < trace->nruns && status == RW_OK; ++i) status = add_run(&m, trace->run + i);
    if (status == RW_OK) status = divide(&m, tiles);
    if (status == RW_OK) status = rw_trace_describe_graph(&m, *tiles);
    free_model(&m);
    return status;
}
