/* Switches in time: comparisons, floor, sign, mod, min, max and abs of functions of time, as in where(mod(t, 20) < 0.5, 2, 0).
 *
 * A step must not contain one: stages on both sides of a jump cost the method its order, and a pulse between two stages is not seen at all.
 * The next switch is looked for by interval arithmetic (src/expr/range.h), which finds it wherever it lies. Where that gives up, the step is
 * limited to the interval that was searched. Only what interval arithmetic cannot bound, such as functions in C, is sampled; then a
 * warning names the expression. */
#include <math.h>

#include "expr/range.h"
#include "ode/ode.h"

enum { SAMPLES = 64, NOISE = 6 };

typedef struct entry {
    rw_range *range;
    bool sampled;
} entry;

struct rw_switches {
    rw_stage *stage;
    entry *entries;
    int n, capacity;
    bool warned;
};

static bool is_switch(rw_graph *g, rw_node n, int t)
{
    const rw_graph_node *p = g->nodes + n;
    return rw_range_is_switch((rw_node_op)p->op) && !p->is_field && !p->reduced && rw_graph_depends(g, n, t);
}

rw_status rw_switches_create(rw_ode *ode, rw_stage *stage, rw_switches **switches)
{
    rw_graph *g = stage->expr->graph;
    int t = rw_graph_find_param(g, "#t");
    rw_switches *s = *switches = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ode->device->ctx, sizeof *s, "an integrator");
    s->stage = stage;
    for (rw_node n = 0; n < g->n; ++n) {
        if (!is_switch(g, n, t)) continue;
        rw_range *range = rw_grow(&s->entries, &s->capacity, s->n + 1, sizeof *s->entries) ? rw_range_create(g, n, t) : NULL;
        if (!range) {
            rw_switches_free(switches);
            return rw_fail_memory(ode->device->ctx, sizeof *s->entries, "an integrator");
        }
        s->entries[s->n++] = (entry){range, !rw_range_is_bounded(range)};
    }
    return RW_OK;
}

void rw_switches_free(rw_switches **switches)
{
    rw_switches *s = *switches;
    *switches = NULL;
    if (!s) return;
    for (int i = 0; i < s->n; ++i) rw_range_destroy(&s->entries[i].range);
    rw_free(s->entries), rw_free(s);
}

static void warn(rw_ode *ode, rw_switches *s, const entry *e)
{
    if (s->warned || ode->max_step > 0) return;
    s->warned = true;
    rw_text text = {0};
    rw_range_text(e->range, &text);
    rw_log(ode->device->ctx, RW_LOG_WARNING, "%s: steps may pass over switches in time of %s, which is only sampled: set time.max_step to the "
           "shortest time between two of them", ode->source.name, text.data && !text.failed ? text.data : "an expression");
    rw_text_free(&text);
}

/* Whether the switch stays after a jump as it is there. Else rounding errors flip it to and fro about its threshold. */
static bool lasts(const entry *e, double after)
{
    double unit = nextafter(fabs(after), INFINITY) - fabs(after);
    for (int k = 1; k <= 256; k *= 2)
        if (rw_range_jumps(e->range, after, after + k * unit)) return false;
    return true;
}

/* The first switch among SAMPLES places. Where more than NOISE intervals have one the expression is rounding errors about its threshold,
 * which no step can avoid. */
static rw_range_answer sample(const entry *e, double from, double until, double *before, double *after)
{
    double low = from;
    int found = 0;
    for (int k = 1; k <= SAMPLES; ++k) {
        double high = k < SAMPLES ? from + (until - from) * k / SAMPLES : until;
        if (high > low && rw_range_jumps(e->range, low, high) && found++ == 0) *before = low, *after = high;
        low = high;
    }
    if (!found || found > NOISE) return RW_RANGE_NONE;
    rw_range_bisect(e->range, before, after);
    return RW_RANGE_FOUND;
}

static rw_range_answer find_next(rw_ode *ode, rw_switches *s, double until, double *before, double *after)
{
    rw_range_answer answer = RW_RANGE_NONE;
    for (int i = 0; i < s->n; ++i) {
        entry *e = s->entries + i;
        double low, high = until, shortest = 1e-3 * (until - ode->t);
        rw_range_answer found = e->sampled ? RW_RANGE_NONE : rw_range_next(e->range, ode->t, until, &low, &high);
        bool flickers = found == RW_RANGE_FOUND && !lasts(e, high), stuck = found == RW_RANGE_UNDECIDED && low - ode->t < shortest;
        if (e->sampled || stuck || flickers) {
            found = sample(e, ode->t, until, &low, &high);
            if (!flickers || found == RW_RANGE_NONE) warn(ode, s, e);
        }
        if (found == RW_RANGE_NONE) continue;
        /* the earliest counts, and of two at the same place the jump */
        if (answer != RW_RANGE_NONE && (low > *before || (low == *before && found != RW_RANGE_FOUND))) continue;
        answer = found, *before = low, *after = high;
        until = found == RW_RANGE_FOUND ? high : low;
    }
    return answer;
}

void rw_switches_pass(rw_ode *ode, double after)
{
    ode->t = after;
    ode->controller[3] = RW_RADIUS_EVERY; /* other equations hold from here on */
    rw_dense_break(ode);
}

bool rw_switches_limit(rw_ode *ode, rw_switches *s, double ahead, double *t_limit, double *after)
{
    double before = ode->t;
    rw_stage_set_scalars(ode, s->stage);
    while (ode->t < *t_limit) {
        rw_range_answer answer = find_next(ode, s, RW_MIN(*t_limit, ode->t + ahead), &before, after);
        if (answer == RW_RANGE_NONE) return false;
        if (before > ode->t) {
            *t_limit = before;
            return answer == RW_RANGE_FOUND;
        }
        rw_switches_pass(ode, *after);
    }
    return false;
}
