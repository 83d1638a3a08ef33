/* Switches in time (expr/switches.h): a step ends at the last number before one, the next begins at the first number
 * after it. Where the search gives up, the step is limited to the interval that was searched. */
#include "ode/ode.h"

rw_status rw_switches_create(rw_ode *ode, const rw_stage *stage, rw_switch_search **search)
{
    rw_graph *g = stage->expr->graph;
    const int t = rw_graph_find_param(g, "#t");
    return rw_switch_search_create(ode->device->ctx, ode->source.name, g, t, ode->max_step > 0, search);
}

void rw_switches_pass(rw_ode *ode, double after)
{
    ode->now.t = after;
    ode->now.controller[3] = RW_RADIUS_EVERY; /* other equations hold from here on */
    rw_dense_break(ode);
}

bool rw_switches_limit(rw_ode *ode, rw_stage *stage, rw_switch_search *search, double ahead, double *t_limit,
                       double *after)
{
    double before = ode->now.t;
    rw_stage_set_scalars(ode, stage);
    while (ode->now.t < *t_limit) {
        double until = RW_MIN(*t_limit, ode->now.t + ahead);
        rw_range_answer answer = rw_switch_search_next(search, ode->now.t, until, &before, after);
        if (answer == RW_RANGE_NONE) return false;
        if (before > ode->now.t) {
            *t_limit = before;
            return answer == RW_RANGE_FOUND;
        }
        rw_switches_pass(ode, *after);
    }
    return false;
}
