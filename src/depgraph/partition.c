/* Parts of a graph: whether each is separate, whether they can be run one after another, and at the same time.
 *
 * Units are the parts and the tasks of no part; unit A comes before unit B when a task of B needs one of A. If this
 * relation has no cycle, the units can be run in an order, and every part is separate: a path that leaves it and comes
 * back would be a cycle. So one ordering of the units decides (Kahn). If it fails, a part that is not separate is
 * looked for among the units that could not be ordered; if each of these is separate, parts need each other round
 * about, and a shortest such round is given as the reason. */
#include <stdlib.h>
#include <string.h>

#include "depgraph/depgraph_private.h"

/* Parts, followed by the tasks of no part, with their tasks in order. */
typedef struct units {
    int n, *of;          /* by task */
    int *first, *member; /* member[first[u] … first[u + 1] - 1] */
    int *open;           /* dependencies on units that are not ordered yet */
    int *level, *queue, nordered;
} units;

static void free_units(units *u)
{
    rw_free(u->of);
    rw_free(u->first);
    rw_free(u->member);
    rw_free(u->open);
    rw_free(u->level);
    rw_free(u->queue);
}

static rw_status make_units(const rw_depgraph *g, const rw_partition *p, units *u)
{
    *u = (units){.n = p->nparts};
    for (int t = 0; t < g->ntasks; ++t) u->n += p->part[t] < 0;
    size_t tasks = (size_t)RW_MAX(g->ntasks, 1), n = (size_t)u->n + 2;
    u->of = rw_calloc(tasks, sizeof(int));
    u->member = rw_calloc(tasks, sizeof(int));
    u->first = rw_calloc(n, sizeof(int));
    u->open = rw_calloc(n, sizeof(int));
    u->level = rw_calloc(n, sizeof(int));
    u->queue = rw_calloc(n, sizeof(int));
    if (!u->of || !u->member || !u->first || !u->open || !u->level || !u->queue)
        return rw_fail_memory(g->ctx, (2 * tasks + 4 * n) * sizeof(int), "parts");
    for (int t = 0, next = p->nparts; t < g->ntasks; ++t) u->of[t] = p->part[t] < 0 ? next++ : p->part[t];
    for (int t = 0; t < g->ntasks; ++t) u->first[u->of[t] + 2]++;
    for (int i = 0; i < u->n; ++i) u->first[i + 2] += u->first[i + 1];
    RW_IN_ORDER(g, t) u->member[u->first[u->of[t] + 1]++] = t;
    for (int d = 0; d < g->ndependencies; ++d) {
        int a = u->of[g->dependency[d].needed], b = u->of[g->dependency[d].task];
        u->open[b] += a != b;
    }
    return RW_OK;
}

/* A unit comes when all it needs has come. Its level: one more than that of any part it needs, directly or through
 * tasks of no part. */
static void order(const rw_depgraph *g, units *u, int nparts)
{
    for (int i = 0; i < u->n; ++i)
        if (!u->open[i]) u->queue[u->nordered++] = i;
    for (int i = 0; i < u->nordered; ++i) {
        int a = u->queue[i], after = u->level[a] + (a < nparts);
        for (int m = u->first[a]; m < u->first[a + 1]; ++m)
            RW_EACH_USER(g, d, u->member[m]) {
                int b = u->of[g->dependency[d].task];
                if (b == a) continue;
                u->level[b] = RW_MAX(u->level[b], after);
                if (!--u->open[b]) u->queue[u->nordered++] = b;
            }
    }
}

/* ---- why not ----------------------------------------------------------------------------------------------------- */

static rw_status fail_text(const rw_depgraph *g)
{
    return rw_fail_memory(g->ctx, 256, "the reason for refusing a partition");
}

static rw_status refuse(const rw_depgraph *g, rw_partition *p, rw_text *reason)
{
    bool failed = reason->failed;
    rw_free(p->reason);
    p->reason = reason->data; /* freed by rw_partition_destroy, whatever happens */
    *reason = (rw_text){0};
    return failed ? fail_text(g) : RW_OK;
}

/* Looks for a part that a path leaves and enters again; *found. */
static rw_status find_broken(const rw_depgraph *g, rw_partition *p, const units *u, bool *found)
{
    rw_walk w;
    rw_text reason = {0};
    rw_status status = RW_OK;
    *found = false;
    RW_TRY(rw_walk_begin(g, &w));
    bool *open = rw_calloc((size_t)RW_MAX(g->ntasks, 1), sizeof *open); /* tasks that may lie on such a path */
    if (!open) RW_TRY_GOTO(fail_text(g), done);
    for (int t = 0; t < g->ntasks; ++t) open[t] = u->open[u->of[t]] > 0;
    for (int i = 0; i < p->nparts && !*found; ++i) {
        int end, *set = u->member + u->first[i], n = u->first[i + 1] - u->first[i];
        if (!u->open[i] || !rw_walk_leaves(g, &w, set, n, u->of, i, open, &end)) continue;
        RW_TRY_GOTO(rw_walk_path(g, &w, end, &p->path, &p->npath), done);
        rw_text_add(&reason, "%s is not separate: a path leaves it and returns: ", p->name[i]);
        rw_path_text(g, p->path, p->npath, " -> ", &reason);
        status = refuse(g, p, &reason);
        *found = true;
    }
done:
    rw_free(open);
    rw_walk_end(&w);
    return status;
}

/* A unit that lies on a cycle: those that were not ordered each need another such unit. */
static int unit_on_cycle(const rw_depgraph *g, const units *u, bool *seen)
{
    int at = 0;
    while (!u->open[at]) ++at;
    while (!seen[at]) {
        int next = -1;
        seen[at] = true;
        for (int m = u->first[at]; m < u->first[at + 1] && next < 0; ++m)
            RW_EACH_NEED(g, d, u->member[m]) {
                int unit = u->of[g->dependency[d].needed];
                if (unit != at && u->open[unit]) next = unit;
            }
        at = next;
    }
    return at;
}

/* A shortest round of units from `start` to itself. through[unit]: the dependency by which it was reached. The last
 * one, or -1. */
static int find_round(const rw_depgraph *g, const units *u, int start, int *through)
{
    int n = 0, *queue = u->queue; /* its order is not needed any more */
    for (int i = 0; i < u->n; ++i) through[i] = -1;
    queue[n++] = start;
    for (int i = 0; i < n; ++i)
        for (int m = u->first[queue[i]]; m < u->first[queue[i] + 1]; ++m)
            RW_EACH_USER(g, d, u->member[m]) {
                int next = u->of[g->dependency[d].task];
                if (next == queue[i] || !u->open[next]) continue;
                if (next == start) return d;
                if (through[next] < 0) {
                    through[next] = d;
                    queue[n++] = next;
                }
            }
    return -1;
}

static rw_status describe_round(const rw_depgraph *g, rw_partition *p, const units *u, int start, const int *through,
                                int last)
{
    int n = 0;
    rw_text reason = {0};
    for (int d = last; d >= 0;
         d = u->of[g->dependency[d].needed] == start ? -1 : through[u->of[g->dependency[d].needed]])
        ++n;
    p->path = rw_calloc(2 * (size_t)n, sizeof *p->path);
    if (!p->path) return fail_text(g);
    p->npath = 2 * n;
    for (int d = last, i = n - 1; i >= 0; --i) {
        p->path[2 * i] = g->dependency[d].needed;
        p->path[2 * i + 1] = g->dependency[d].task;
        d = through[u->of[g->dependency[d].needed]];
    }
    rw_text_add(&reason, "the parts depend on each other in a cycle: ");
    for (int i = 0; i < n; ++i) {
        int a = u->of[p->path[2 * i]], b = u->of[p->path[2 * i + 1]];
        if (i == 8 && n > 10) {
            rw_text_add(&reason, ", …");
            i = n - 2;
            continue;
        }
        rw_text_add(&reason, "%s%s depends on %s (", i ? ", " : "",
                    b < p->nparts ? p->name[b] : g->task[p->path[2 * i + 1]].label,
                    a < p->nparts ? p->name[a] : g->task[p->path[2 * i]].label);
        rw_path_text(g, p->path + 2 * i, 2, " -> ", &reason);
        rw_text_add(&reason, ")");
    }
    return refuse(g, p, &reason);
}

static rw_status explain(const rw_depgraph *g, rw_partition *p, const units *u)
{
    bool found;
    RW_TRY(find_broken(g, p, u, &found));
    if (found) return RW_OK;
    bool *seen = rw_calloc((size_t)u->n + 1, sizeof *seen);
    int *through = rw_calloc((size_t)u->n + 1, sizeof *through);
    rw_status status = seen && through ? RW_OK : fail_text(g);
    if (status == RW_OK) {
        int start = unit_on_cycle(g, u, seen), last = find_round(g, u, start, through);
        status = describe_round(g, p, u, start, through, last);
    }
    rw_free(seen);
    rw_free(through);
    return status;
}

/* ---- a partition ------------------------------------------------------------------------------------------------- */

static rw_status copy_parts(const rw_depgraph *g, const int *part, int nparts, const char *const *names,
                            rw_partition *p)
{
    p->part = rw_calloc((size_t)RW_MAX(g->ntasks, 1), sizeof *p->part);
    p->name = rw_calloc((size_t)RW_MAX(nparts, 1), sizeof *p->name);
    bool failed = !p->part || !p->name;
    p->ntasks = g->ntasks;
    p->nparts = failed ? 0 : nparts;
    if (!failed && g->ntasks) memcpy(p->part, part, (size_t)g->ntasks * sizeof *part);
    for (int i = 0; i < p->nparts && !failed; ++i)
        failed = !(p->name[i] = names ? rw_strdup(names[i]) : rw_format("part %d", i));
    if (!failed) failed = !(p->reason = rw_strdup(""));
    return failed ? rw_fail_memory(g->ctx, (size_t)g->ntasks * sizeof *part, "parts") : RW_OK;
}

static rw_status check_parts(const rw_depgraph *g, const int *part, int nparts, const char *const *names)
{
    if (nparts < 0 || nparts > g->ntasks)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "nparts = %d is outside [0, %d]: each part needs at least one task",
                       nparts, g->ntasks);
    if (g->ntasks && !part)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "part = NULL: give the part of each of the %d tasks", g->ntasks);
    for (int i = 0; names && i < nparts; ++i)
        if (!names[i])
            return rw_fail(g->ctx, RW_ERR_ARGUMENT, "names[%d] = NULL: give a name for each part, or names = NULL", i);
    bool *used = rw_calloc((size_t)nparts + 1, sizeof *used);
    if (!used) return rw_fail_memory(g->ctx, (size_t)nparts, "parts");
    rw_status status = RW_OK;
    for (int t = 0; t < g->ntasks && status == RW_OK; ++t) {
        if (part[t] < -1 || part[t] >= nparts)
            status = rw_fail(g->ctx, RW_ERR_ARGUMENT, "part[%d] = %d is outside [-1, %d] (task %s)", t, part[t],
                             nparts - 1, g->task[t].label);
        else if (part[t] >= 0) used[part[t]] = true;
    }
    for (int i = 0; i < nparts && status == RW_OK; ++i)
        if (!used[i])
            status = rw_fail(g->ctx, RW_ERR_ARGUMENT, "part %d has no task: number the parts without gaps", i);
    rw_free(used);
    return status;
}

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static rw_status count_launches(const rw_depgraph *g, rw_partition *p)
{
    int(*pair)[2] = rw_calloc((size_t)RW_MAX(p->nparts, 1), sizeof *pair);
    if (!pair) return rw_fail_memory(g->ctx, (size_t)p->nparts * sizeof *pair, "parts");
    for (int i = 0; i < p->nparts; ++i) {
        pair[i][0] = p->level[i];
        pair[i][1] = p->structure[i];
    }
    qsort(pair, (size_t)p->nparts, sizeof *pair, compare);
    for (int i = 0; i < p->nparts; ++i) p->nlaunches += !i || compare(pair[i - 1], pair[i]);
    rw_free(pair);
    return RW_OK;
}

static rw_status accept(const rw_depgraph *g, rw_partition *p, const units *u)
{
    p->accepted = true;
    p->level = rw_calloc((size_t)RW_MAX(p->nparts, 1), sizeof *p->level);
    if (!p->level) return rw_fail_memory(g->ctx, (size_t)p->nparts * sizeof *p->level, "parts");
    for (int i = 0; i < p->nparts; ++i) {
        p->level[i] = u->level[i];
        p->nlevels = RW_MAX(p->nlevels, u->level[i] + 1);
    }
    RW_TRY(rw_partition_structures(g, p, 1000000000));
    return count_launches(g, p);
}

rw_status rw_depgraph_partition(const rw_depgraph *g, const int *part, int64_t nparts, const char *const *names,
                                rw_partition **partition)
{
    RW_NEED(partition, "partition");
    *partition = NULL;
    RW_NEED(g, "graph");
    units u;
    RW_TRY(check_parts(g, part, nparts, names));
    rw_partition *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(g->ctx, sizeof *p, "parts");
    rw_status status = copy_parts(g, part, nparts, names, p);
    if (status == RW_OK) {
        status = make_units(g, p, &u);
        if (status == RW_OK) order(g, &u, nparts);
        if (status == RW_OK) status = u.nordered == u.n ? accept(g, p, &u) : explain(g, p, &u);
        free_units(&u);
    }
    if (status == RW_OK) *partition = p;
    else rw_partition_destroy(&p);
    return status;
}

void rw_partition_destroy(rw_partition **partition)
{
    if (!partition) return;
    rw_partition *p = *partition;
    *partition = NULL;
    if (!p) return;
    for (int i = 0; i < p->nparts; ++i) rw_free(p->name[i]);
    rw_free(p->part);
    rw_free(p->name);
    rw_free(p->reason);
    rw_free(p->path);
    rw_free(p->level);
    rw_free(p->structure);
    rw_free(p);
}
