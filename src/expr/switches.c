#include "expr/switches.h"

#include <math.h>

enum { SAMPLES = 64, NOISE = 6 };

typedef struct entry {
    rw_range *range;
    bool sampled;
} entry;

struct rw_switch_search {
    rw_context *ctx;
    const char *name;
    entry *entries;
    int n, capacity;
    bool quiet;
};

static bool is_switch(rw_graph *g, rw_node n, int t)
{
    const rw_graph_node *p = g->nodes + n;
    return rw_range_is_switch((rw_node_op)p->op) && !p->is_field && !p->reduced && rw_graph_depends(g, n, t);
}

rw_status rw_switch_search_create(rw_context *ctx, const char *name, rw_graph *g, int t, bool quiet,
                                  rw_switch_search **search)
{
    rw_switch_search *s = *search = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a search for switches");
    *s = (rw_switch_search){.ctx = ctx, .name = name, .quiet = quiet};
    for (rw_node n = 0; n < g->n; ++n) {
        if (!is_switch(g, n, t)) continue;
        bool grown = rw_grow(&s->entries, &s->capacity, s->n + 1, sizeof *s->entries);
        rw_range *range = grown ? rw_range_create(g, n, t) : NULL;
        if (!range) {
            rw_switch_search_destroy(search);
            return rw_fail_memory(ctx, sizeof *s->entries, "a search for switches");
        }
        s->entries[s->n++] = (entry){range, !rw_range_is_bounded(range)};
    }
    return RW_OK;
}

void rw_switch_search_destroy(rw_switch_search **search)
{
    rw_switch_search *s = *search;
    *search = NULL;
    if (!s) return;
    for (int i = 0; i < s->n; ++i) rw_range_destroy(&s->entries[i].range);
    rw_free(s->entries);
    rw_free(s);
}

bool rw_switch_search_is_empty(const rw_switch_search *s) { return s->n == 0; }

/* Once. */
static void warn(rw_switch_search *s, const entry *e)
{
    if (s->quiet) return;
    s->quiet = true;
    rw_text text = {0};
    rw_range_text(e->range, &text);
    rw_log(
        s->ctx, RW_LOG_WARNING,
        "%s: steps may miss switching times of %s, which is only sampled: set time.max_step to the shortest interval "
        "between two switching times",
        s->name, text.data && !text.failed ? text.data : "an expression");
    rw_text_free(&text);
}

/* Whether the switch stays after a jump as it is there. Otherwise rounding errors flip it to and fro about its
 * threshold. */
static bool lasts(const entry *e, double after)
{
    double unit = nextafter(fabs(after), INFINITY) - fabs(after);
    for (int k = 1; k <= 256; k *= 2)
        if (rw_range_jumps(e->range, after, after + k * unit)) return false;
    return true;
}

/* The first switch among SAMPLES intervals. Where more than NOISE of them have one the expression is rounding errors
 * about its threshold, which no step can avoid. */
static rw_range_answer sample(const entry *e, double from, double until, double *before, double *after)
{
    double low = from;
    int found = 0;
    for (int k = 1; k <= SAMPLES; ++k) {
        double high = k < SAMPLES ? from + (until - from) * k / SAMPLES : until;
        if (high > low && rw_range_jumps(e->range, low, high) && found++ == 0) {
            *before = low;
            *after = high;
        }
        low = high;
    }
    if (!found || found > NOISE) return RW_RANGE_NONE;
    rw_range_bisect(e->range, before, after);
    return RW_RANGE_FOUND;
}

rw_range_answer rw_switch_search_next(rw_switch_search *s, double from, double until, double *before, double *after)
{
    rw_range_answer answer = RW_RANGE_NONE;
    for (int i = 0; i < s->n; ++i) {
        entry *e = s->entries + i;
        double low, high = until, shortest = 1e-3 * (until - from);
        rw_range_answer found = e->sampled ? RW_RANGE_NONE : rw_range_next(e->range, from, until, &low, &high);
        bool flickers = found == RW_RANGE_FOUND && !lasts(e, high);
        bool stuck = found == RW_RANGE_UNDECIDED && low - from < shortest;
        if (e->sampled || stuck || flickers) {
            found = sample(e, from, until, &low, &high);
            if (!flickers || found == RW_RANGE_NONE) warn(s, e);
        }
        if (found == RW_RANGE_NONE) continue;
        /* the earliest counts, and of two at the same place the jump */
        if (answer != RW_RANGE_NONE && (low > *before || (low == *before && found != RW_RANGE_FOUND))) continue;
        answer = found;
        *before = low;
        *after = high;
        until = found == RW_RANGE_FOUND ? high : low;
    }
    return answer;
}
