/* Searches, all by breadth, so that the path found is a shortest one. None of them calls itself: a graph may be as deep
 * as it is large. A walk does not look at tasks that come after all those it is looking for (graph.c keeps the
 * order). */
#include "depgraph/depgraph_private.h"

rw_status rw_walk_begin(const rw_depgraph *g, rw_walk *w)
{
    size_t n = (size_t)RW_MAX(g->ntasks, 1);
    *w = (rw_walk){.mark = rw_calloc(n, sizeof(int)),
                   .before = rw_calloc(n, sizeof(int)),
                   .queue = rw_calloc(n, sizeof(int))};
    if (w->mark && w->before && w->queue) return RW_OK;
    rw_walk_end(w);
    return rw_fail_memory(g->ctx, 3 * n * sizeof(int), "a search in a dependency graph");
}

void rw_walk_end(rw_walk *w)
{
    rw_free(w->mark);
    rw_free(w->before);
    rw_free(w->queue);
    *w = (rw_walk){0};
}

rw_status rw_walk_path(const rw_depgraph *g, const rw_walk *w, int task, int **path, int64_t *n)
{
    int length = 0;
    for (int t = task; t >= 0; t = w->before[t]) ++length;
    *n = 0;
    *path = rw_calloc((size_t)length, sizeof **path);
    if (!*path) return rw_fail_memory(g->ctx, (size_t)length * sizeof **path, "a path");
    *n = length;
    for (int t = task; t >= 0; t = w->before[t]) (*path)[--length] = t;
    return RW_OK;
}

enum { ENDS = 4 };

void rw_path_text(const rw_depgraph *g, const int *path, int n, const char *arrow, rw_text *text)
{
    for (int i = 0; i < n; ++i) {
        if (n > 2 * ENDS + 2 && i == ENDS) {
            rw_text_add(text, "%s… (%d more) …", arrow, n - 2 * ENDS);
            i = n - ENDS;
        }
        rw_text_add(text, "%s%s", i ? arrow : "", g->task[path[i]].label);
    }
}

/* Puts a set at the beginning of the walk. */
static void start(rw_walk *w, const int *set, int n)
{
    w->now++;
    w->nqueue = 0;
    for (int i = 0; i < n; ++i) {
        if (w->mark[set[i]] == w->now) continue;
        w->mark[set[i]] = w->now;
        w->before[set[i]] = -1;
        w->queue[w->nqueue++] = set[i];
    }
}

bool rw_walk_leaves(const rw_depgraph *g, rw_walk *w, const int *set, int nset, const int *inside, int id,
                    const bool *open, int *end)
{
    uint64_t last = 0;
    for (int i = 0; i < nset; ++i) last = RW_MAX(last, g->task[set[i]].place);
    start(w, set, nset);
    for (int i = 0; i < w->nqueue; ++i) {
        int t = w->queue[i];
        RW_EACH_USER(g, d, t) {
            int next = g->dependency[d].task;
            if (inside[next] == id && inside[t] != id) {
                w->before[next] = t;
                *end = next;
                return true;
            }
            if (w->mark[next] == w->now || g->task[next].place > last || (open && !open[next])) continue;
            w->mark[next] = w->now;
            w->before[next] = t;
            w->queue[w->nqueue++] = next;
        }
    }
    return false;
}

static rw_status check_set(const rw_depgraph *g, const char *name, const int *set, int n)
{
    if (n < 0 || (n > 0 && !set))
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "%s: %d tasks%s", name, n, n > 0 ? ", but the list is NULL" : "");
    for (int i = 0; i < n; ++i)
        if (set[i] < 0 || set[i] >= g->ntasks)
            return rw_fail(g->ctx, RW_ERR_ARGUMENT, "%s[%d] = %d is not a task: there are %d, numbered from 0", name, i,
                           set[i], g->ntasks);
    return RW_OK;
}

rw_status rw_depgraph_find_path(const rw_depgraph *g, const int *from, int64_t nfrom, const int *to, int64_t nto,
                                int **path, int64_t *n)
{
    RW_NEED(path, "path");
    *path = NULL;
    RW_NEED(g, "graph");
    RW_NEED(n, "n");
    rw_walk w;
    uint64_t last = 0;
    int *is_end;
    *n = 0;
    RW_TRY(check_set(g, "from", from, nfrom));
    RW_TRY(check_set(g, "to", to, nto));
    RW_TRY(rw_walk_begin(g, &w));
    rw_status status = RW_OK;
    if (!(is_end = rw_calloc((size_t)RW_MAX(g->ntasks, 1), sizeof *is_end)))
        RW_TRY_GOTO(rw_fail_memory(g->ctx, (size_t)g->ntasks * sizeof *is_end, "a search in a dependency graph"), done);
    for (int i = 0; i < nto; ++i) {
        is_end[to[i]] = 1;
        last = RW_MAX(last, g->task[to[i]].place);
    }
    start(&w, from, nfrom);
    for (int i = 0; i < w.nqueue; ++i)
        RW_EACH_USER(g, d, w.queue[i]) {
            int next = g->dependency[d].task;
            if (is_end[next]) { /* also a task of `from`: the path has one pair at least */
                w.before[next] = w.queue[i];
                status = rw_walk_path(g, &w, next, path, n);
                goto done;
            }
            if (w.mark[next] == w.now || g->task[next].place > last) continue;
            w.mark[next] = w.now;
            w.before[next] = w.queue[i];
            w.queue[w.nqueue++] = next;
        }
done:
    rw_free(is_end);
    rw_walk_end(&w);
    return status;
}

rw_status rw_depgraph_check_separate(const rw_depgraph *g, const int *set, int64_t nset, int **path, int64_t *n)
{
    RW_NEED(path, "path");
    *path = NULL;
    RW_NEED(g, "graph");
    RW_NEED(n, "n");
    rw_walk w;
    int *inside, end;
    *n = 0;
    RW_TRY(check_set(g, "set", set, nset));
    RW_TRY(rw_walk_begin(g, &w));
    rw_status status = RW_OK;
    if (!(inside = rw_calloc((size_t)RW_MAX(g->ntasks, 1), sizeof *inside)))
        RW_TRY_GOTO(rw_fail_memory(g->ctx, (size_t)g->ntasks * sizeof *inside, "a search in a dependency graph"), done);
    for (int i = 0; i < nset; ++i) inside[set[i]] = 1;
    if (rw_walk_leaves(g, &w, set, nset, inside, 1, NULL, &end)) status = rw_walk_path(g, &w, end, path, n);
done:
    rw_free(inside);
    rw_walk_end(&w);
    return status;
}
