/* Switches in time (expr/switches.h): a step ends at the last number before one, the next begins at the first number
 * after it. Where the search gives up, the step is limited to the interval that was searched. */
#include "expr/switches.h"

#include "ode/ode.h"

struct rw_switches {
    rw_stage *stage;
    rw_switch_search *search;
};

rw_status rw_switches_create(rw_ode *ode, rw_stage *stage, rw_switches **switches)
{
    rw_graph *g = stage->expr->graph;
    rw_switches *s = *switches = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ode->device->ctx, sizeof *s, "an integrator");
    s->stage = stage;
    int t = rw_graph_find_param(g, "#t");
    rw_status status = rw_switch_search_create(ode->device->ctx, ode->source.name, g, t, ode->max_step > 0, &s->search);
    if (status != RW_OK) rw_switches_free(switches);
    return status;
}

void rw_switches_free(rw_switches **switches)
{
    rw_switches *s = *switches;
    *switches = NULL;
    if (!s) return;
    rw_switch_search_destroy(&s->search);
    rw_free(s);
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
        double until = RW_MIN(*t_limit, ode->t + ahead);
        rw_range_answer answer = rw_switch_search_next(s->search, ode->t, until, &before, after);
        if (answer == RW_RANGE_NONE) return false;
        if (before > ode->t) {
            *t_limit = before;
            return answer == RW_RANGE_FOUND;
        }
        rw_switches_pass(ode, *after);
    }
    return false;
}
