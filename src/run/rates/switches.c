/* Switches in time of cavity.loss (expr/switches.h), as in where(mod(t, 1e-6) < 1e-7, 1e8, 0): a step ends at the
 * last number before one, and the next begins at the first number after it. Between two switches the losses are
 * continuous, so no pulse lies within a step. */
#include <math.h>

#include "expr/program.h"
#include "run/rates/rates.h"

rw_status rates_find_switches(rates_problem *p)
{
    rw_graph *g = p->loss->graph;
    bool quiet = p->time.method && p->time.max_step > 0;
    RW_TRY(rw_switch_search_create(p->device->ctx, "cavity.loss", g, rw_graph_find_param(g, "t"), quiet, &p->switches));
    if (rw_switch_search_is_empty(p->switches)) rw_switch_search_destroy(&p->switches);
    return RW_OK;
}

static rw_status loss_at(rates_problem *p, double t, double *loss)
{
    RW_TRY(rw_expr_set(p->loss, "t", t));
    return rw_expr_get(p->loss, "loss", loss, NULL);
}

/* Gain less losses of adaptive steps is that of the step's end: what the losses jump by is subtracted. */
static rw_status change_losses(rates_problem *p, double before, double after)
{
    char name[16], n[8];
    double lambda, old, new;
    RW_TRY(loss_at(p, before, &old));
    RW_TRY(loss_at(p, after, &new));
    for (int k = 0; k < p->nmodes; ++k) {
        snprintf(name, sizeof name, "lambda%s", rates_number(p, k, n));
        RW_TRY(rw_expr_get(p->step, name, &lambda, NULL));
        lambda -= new - old;
        RW_TRY(rw_expr_set(p->step, name, lambda));
        if (lambda > 0 && isnan(p->spikes.threshold)) p->spikes.threshold = after;
    }
    return RW_OK;
}

rw_status rates_pass(rates_problem *p, const rates_limit *limit)
{
    if (p->time.method) RW_TRY(change_losses(p, limit->t, limit->after));
    p->passed = limit->after;
    return rw_expr_set(p->step, "t", limit->after);
}

/* Of adaptive steps the interval that is searched is no longer than RANGE of the longest: what can only be sampled
 * is sampled more densely. */
rw_status rates_limit_step(rates_problem *p, double now, double t_limit, rates_limit *limit)
{
    enum { RANGE = 16 };
    double longest = p->time.max_step > 0 ? p->time.max_step : p->time.end / 100;
    double range = p->time.method ? RANGE * longest : INFINITY;
    *limit = (rates_limit){.t = t_limit};
    if (!p->switches) return RW_OK;
    for (double from; (from = RW_MAX(now, p->passed)) < t_limit;) {
        double until = RW_MIN(t_limit, from + range);
        rw_range_answer answer = rw_switch_search_next(p->switches, from, until, &limit->t, &limit->after);
        limit->is_switch = answer == RW_RANGE_FOUND;
        if (answer == RW_RANGE_NONE) limit->t = until;
        if (!limit->is_switch || limit->t > from) return RW_OK;
        RW_TRY(rates_pass(p, limit));
    }
    limit->t = now;
    limit->is_switch = false;
    return RW_OK;
}
