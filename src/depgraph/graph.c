/* Tasks and dependencies. While dependencies are added the tasks are kept in an order in which each comes after those
 * it needs: a dependency that agrees with the order costs nothing. One that does not is looked into from both ends, a
 * dependency at a time in turn (Haeupler, Kavitha, Mathew, Sen, Tarjan, ACM Transactions on Algorithms 8, 2012):
 *
 *   order       … task … u … needed …       `needed` shall come before `task`
 *   forward     what needs `task`, as far as `needed`
 *   backward    what `needed` needs, as far back as `task`
 *   if they meet there is a cycle; else, whichever ends first: forward goes right after `needed`, or backward right
 *   before `task`, each in its order
 *
 * Places in the order are numbers with gaps; where a gap is full those around it are numbered anew. Searches (path.c)
 * need not look beyond the last task they are looking for. */
#include <stdlib.h>

#include "depgraph/depgraph_private.h"

rw_status rw_depgraph_create(rw_context *ctx, rw_depgraph **graph)
{
    RW_NEED(graph, "graph");
    *graph = NULL;
    RW_NEED(ctx, "context");
    rw_depgraph *g = *graph = rw_calloc(1, sizeof *g);
    if (!g) return rw_fail_memory(ctx, sizeof *g, "a dependency graph");
    g->ctx = rw_context_retain(ctx);
    g->first = g->last = -1;
    return RW_OK;
}

void rw_depgraph_destroy(rw_depgraph **graph)
{
    if (!graph) return;
    rw_depgraph *g = *graph;
    *graph = NULL;
    if (!g) return;
    for (int i = 0; i < g->ntasks; ++i) {
        rw_free(g->task[i].kind);
        rw_free(g->task[i].label);
    }
    rw_free(g->task);
    rw_free(g->dependency);
    rw_free(g->mark);
    rw_free(g->queue);
    rw_context_destroy(&g->ctx);
    rw_free(g);
}

static bool grow(rw_depgraph *g, int n)
{
    return rw_grow(&g->task, &g->capacity, n, sizeof *g->task) &&
           rw_grow(&g->mark, &g->mark_capacity, n, sizeof *g->mark) &&
           rw_grow(&g->queue, &g->queue_capacity, 2 * n, sizeof *g->queue);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0;
    for (uint64_t i = 0; *text; ++text, ++i) hash = rw_random_u64(hash ^ (unsigned char)*text, i);
    return hash;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

static void take_out(rw_depgraph *g, int t)
{
    int previous = g->task[t].previous, next = g->task[t].next;
    if (previous < 0) g->first = next;
    else g->task[previous].next = next;
    if (next < 0) g->last = previous;
    else g->task[next].previous = previous;
}

static const uint64_t GAP = UINT64_C(1) << 32, PLACES = UINT64_C(1) << 62;

/* The n tasks after `before` have no places yet, and there is no room: those around them move too. The smallest range
 * of places that begins at a multiple of its length is taken in which, with them, tasks are rare: up to 1.5^i in 2^i
 * places (Bender, Cole, Demaine, Farach-Colton, Zito, European Symposium on Algorithms 2002), which makes it
 * logarithmic on average. */
static void make_room(rw_depgraph *g, int previous, int n)
{
    int left = previous, right = previous < 0 ? g->first : g->task[previous].next, count = n;
    uint64_t at = previous < 0 ? 0 : g->task[previous].place, base = 0, length = 2;
    for (int i = 0; i < n; ++i) right = g->task[right].next;
    for (double most = 1.5;; length *= 2, most *= 1.5) { /* 1.5^62 is more than there are tasks */
        base = at / length * length;
        for (; left >= 0 && g->task[left].place >= base; left = g->task[left].previous) ++count;
        for (; right >= 0 && g->task[right].place < base + length; right = g->task[right].next) ++count;
        if (count <= most) break;
    }
    int t = left < 0 ? g->first : g->task[left].next;
    uint64_t step = length / (uint64_t)(count + 1);
    for (uint64_t place = base + step; count > 0; --count, place += step, t = g->task[t].next) g->task[t].place = place;
}

/* n tasks, in this order, go after another one, -1: to the beginning. */
static void put_after(rw_depgraph *g, const int *list, int n, int previous)
{
    int next = previous < 0 ? g->first : g->task[previous].next, last = previous;
    uint64_t low = previous < 0 ? 0 : g->task[previous].place, high = next < 0 ? PLACES : g->task[next].place;
    for (int i = 0; i < n; last = list[i++]) {
        g->task[list[i]].previous = last;
        if (last < 0) g->first = list[i];
        else g->task[last].next = list[i];
    }
    g->task[last].next = next;
    if (next < 0) g->last = last;
    else g->task[next].previous = last;
    uint64_t step = RW_MIN((high - low) / (uint64_t)(n + 1), GAP);
    for (int i = 0; i < n && step; ++i) g->task[list[i]].place = low += step;
    if (!step) make_room(g, previous, n);
}

/* One end of a search. */
typedef struct end {
    int *queue, n, at;
    int dependency; /* the next one of queue[at]; -1: none is left */
    int mark;
    bool forward;
} end;

static void begin(rw_depgraph *g, end *e, int start)
{
    e->queue[0] = start;
    e->n = 1;
    e->at = 0;
    e->dependency = e->forward ? g->task[start].users : g->task[start].needs;
    g->mark[start] = e->mark;
}

typedef enum advance_result { MORE, ENDED, MET } advance_result;

/* Looks at one dependency. `other`: the mark of the search from the other end. */
static advance_result advance(rw_depgraph *g, end *e, uint64_t limit, int other)
{
    while (e->dependency < 0) {
        if (++e->at == e->n) return ENDED;
        e->dependency = e->forward ? g->task[e->queue[e->at]].users : g->task[e->queue[e->at]].needs;
    }
    const rw_dependency *d = g->dependency + e->dependency;
    int next = e->forward ? d->task : d->needed;
    uint64_t place = g->task[next].place;
    e->dependency = e->forward ? d->next_user : d->next_need;
    if (g->mark[next] == other) return MET;
    if (g->mark[next] == e->mark || (e->forward ? place > limit : place < limit)) return MORE;
    g->mark[next] = e->mark;
    e->queue[e->n++] = next;
    return MORE;
}

typedef struct placed {
    uint64_t place;
    int task;
} placed;

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const placed *)a)->place, y = ((const placed *)b)->place;
    return (x > y) - (x < y);
}

/* The tasks of a search, which has ended, go after a task (forward) or before it. */
static rw_status move(rw_depgraph *g, const end *e, int beside)
{
    placed *list = rw_calloc((size_t)e->n, sizeof *list);
    if (!list) return rw_fail_memory(g->ctx, (size_t)e->n * sizeof *list, "the order of the tasks");
    for (int i = 0; i < e->n; ++i) list[i] = (placed){g->task[e->queue[i]].place, e->queue[i]};
    qsort(list, (size_t)e->n, sizeof *list, compare);
    for (int i = 0; i < e->n; ++i) {
        e->queue[i] = list[i].task;
        take_out(g, list[i].task);
    }
    rw_free(list);
    put_after(g, e->queue, e->n, e->forward ? beside : g->task[beside].previous);
    return RW_OK;
}

static rw_status fail_cycle(rw_depgraph *g, int task, int needed)
{
    int *path;
    int64_t n;
    rw_text text = {0};
    RW_TRY(rw_depgraph_find_path(g, &task, 1, &needed, 1, &path, &n));
    rw_path_text(g, path, n, " -> ", &text);
    rw_status status =
        text.failed
            ? rw_fail_memory(g->ctx, 256, "a path")
            : rw_fail(
                  g->ctx, RW_ERR_ARGUMENT,
                  "task %d (%s) cannot depend on task %d (%s), which already depends on it: %s: remove one of these "
                  "dependencies",
                  task, g->task[task].label, needed, g->task[needed].label, text.data);
    rw_text_free(&text);
    rw_free(path);
    return status;
}

/* Brings `needed` before `task`. */
static rw_status put_in_order(rw_depgraph *g, int task, int needed)
{
    if (g->task[needed].place < g->task[task].place) return RW_OK;
    end forward = {.queue = g->queue, .mark = g->now + 1, .forward = true},
        backward = {.queue = g->queue + g->ntasks, .mark = g->now + 2};
    uint64_t low = g->task[task].place, high = g->task[needed].place;
    g->now += 2;
    begin(g, &forward, task);
    begin(g, &backward, needed);
    advance_result f = MORE, b = MORE;
    while (f == MORE && b == MORE) {
        f = advance(g, &forward, high, backward.mark);
        if (f == MORE) b = advance(g, &backward, low, forward.mark);
    }
    if (f == MET || b == MET) return fail_cycle(g, task, needed);
    return f == ENDED ? move(g, &forward, needed) : move(g, &backward, task);
}

/* ---- tasks and dependencies -------------------------------------------------------------------------------------- */

rw_status rw_depgraph_add_task(rw_depgraph *g, const char *kind, const char *label, int *task)
{
    RW_NEED(g, "graph");
    int n = g->ntasks;
    if (!kind || !label)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "task %d: %s = NULL: give a string, which may be empty", n,
                       kind ? "label" : "kind");
    if (n >= INT32_MAX / 4) return rw_fail(g->ctx, RW_ERR_ARGUMENT, "a graph has at most %d tasks", INT32_MAX / 4);
    char *own_kind = rw_strdup(kind), *own_label = rw_strdup(label);
    if (!own_kind || !own_label || !grow(g, n + 1)) {
        rw_free(own_kind);
        rw_free(own_label);
        return rw_fail_memory(g->ctx, sizeof *g->task, "a task");
    }
    g->task[n] = (rw_task){.kind = own_kind, .label = own_label, .hash = hash_of(kind), .users = -1, .needs = -1};
    g->mark[n] = 0;
    g->ntasks++;
    put_after(g, &n, 1, g->last);
    if (task) *task = n;
    return RW_OK;
}

static bool is_known(const rw_depgraph *g, int task, int needed)
{
    if (g->task[needed].nusers < g->task[task].nneeds) {
        RW_EACH_USER(g, d, needed)
            if (g->dependency[d].task == task) return true;
    } else {
        RW_EACH_NEED(g, d, task)
            if (g->dependency[d].needed == needed) return true;
    }
    return false;
}

rw_status rw_depgraph_add_dependency(rw_depgraph *g, int task, int needed)
{
    RW_NEED(g, "graph");
    const int given[] = {task, needed};
    for (int i = 0; i < 2; ++i)
        if (given[i] < 0 || given[i] >= g->ntasks)
            return rw_fail(g->ctx, RW_ERR_ARGUMENT, "%s = %d is not a task: there are %d, numbered from 0",
                           i ? "needed" : "task", given[i], g->ntasks);
    if (task == needed)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "task %d (%s) cannot depend on itself", task, g->task[task].label);
    if (is_known(g, task, needed)) return RW_OK;
    if (g->ndependencies >= INT32_MAX / 4)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "a graph has at most %d dependencies", INT32_MAX / 4);
    if (!rw_grow(&g->dependency, &g->dependencies_capacity, g->ndependencies + 1, sizeof *g->dependency))
        return rw_fail_memory(g->ctx, sizeof *g->dependency, "a dependency");
    RW_TRY(put_in_order(g, task, needed));
    rw_task *t = g->task + task, *p = g->task + needed;
    g->dependency[g->ndependencies] = (rw_dependency){needed, task, p->users, t->needs};
    p->users = t->needs = g->ndependencies++;
    p->nusers++;
    t->nneeds++;
    return RW_OK;
}

int64_t rw_depgraph_tasks(const rw_depgraph *g) { return g ? g->ntasks : 0; }
int64_t rw_depgraph_dependencies(const rw_depgraph *g) { return g ? g->ndependencies : 0; }
const char *rw_depgraph_kind(const rw_depgraph *g, int task) { return g ? g->task[task].kind : ""; }
const char *rw_depgraph_label(const rw_depgraph *g, int task) { return g ? g->task[task].label : ""; }
