/* Steps by the Courant number: the step of number 1 is an expression of the state, found on the device. */
#include <math.h>

#include "ode/ode.h"

/* It is found at each of the first steps, then every so often: at most so many steps end a run that diverges. */
enum { FIRST = 10, EVERY = 5, WATCHED_EVERY = 10 };
static const double KEPT = 0.8;      /* a step is kept while it is this much of what is allowed, … */
static const double CHOSEN = 0.95;   /* … and another one is so much of it: it lasts while velocities grow a little */
static const double DIVERGED = 1000; /* no explicit step of this number is stable */

rw_status rw_courant_prepare(rw_ode *ode)
{
    const rw_source source = {"time.courant_one", ode->courant_text, 1, 1};
    rw_building b;
    if (!ode->courant_text) return RW_OK;
    rw_build_begin(&b, ode);
    rw_build_vector(&b, 0, rw_build_scalar(&b, "t"));
    const rw_node one = rw_build_text(&b, 0, &source);
    if (b.status == RW_OK && b.graph->nodes[one].is_field)
        b.status = rw_fail(ode->device->ctx, RW_ERR_INPUT,
                           "time.courant_one has a value for each node: reduce it to one number, as in "
                           "1/max(abs(u)/hx)");
    rw_build_result(&b, "one", one);
    ode->now.moves = b.status == RW_OK;
    return rw_build_end(&b, "courant", &ode->courant_one);
}

static rw_status find(rw_ode *ode, double *one)
{
    rw_stage_set(&ode->courant_one, "t", ode->now.t);
    RW_TRY(rw_stage_run(ode, &ode->courant_one));
    return rw_expr_get(ode->courant_one.expr, "one", one, NULL);
}

/* Of a step h: 0 while nothing moves. */
static rw_status note(rw_ode *ode, double h, double one)
{
    const double courant = h / one;
    if (!(one > 0) || !(courant <= DIVERGED)) return rw_ode_diverged(ode, h, courant);
    ode->now.stat.courant = courant;
    return RW_OK;
}

rw_status rw_courant_watch(rw_ode *ode)
{
    double one;
    if (!ode->courant_text) return RW_OK;
    RW_TRY(find(ode, &one));
    return note(ode, ode->now.stat.step, one);
}

rw_status rw_courant_limit(rw_ode *ode, double *limit)
{
    double one;
    *limit = INFINITY;
    if (!(ode->courant > 0)) return RW_OK;
    RW_TRY(find(ode, &one));
    RW_TRY(note(ode, ode->now.stat.step, one));
    *limit = ode->courant * one;
    return RW_OK;
}

static rw_status choose(rw_ode *ode, double *h, double one)
{
    const double allowed = fmin(ode->courant * one, ode->max_step > 0 ? ode->max_step : INFINITY);
    if (*h == 0 && ode->initial_step > 0) *h = fmin(ode->initial_step, allowed);
    else if (isinf(allowed))
        return rw_fail(ode->device->ctx, RW_ERR_INPUT,
                       "time.courant = %g at t = %g: nothing moves, so that any step is short enough: give "
                       "time.max_step, or time.initial_step for the first one",
                       ode->courant, ode->now.t);
    else if (allowed == ode->max_step) *h = allowed;
    else if (!(*h >= KEPT * allowed && *h <= allowed)) *h = CHOSEN * allowed;
    return RW_OK;
}

rw_status rw_courant_step(rw_ode *ode, double *h)
{
    const int64_t n = ode->now.stat.steps;
    const bool follows = ode->courant > 0;
    double one;
    if (!follows) *h = ode->fixed_step;
    if (!ode->courant_text) return RW_OK;
    const bool due = follows ? n < FIRST || n % EVERY == 0 || ode->stale : n % WATCHED_EVERY == 0;
    if (!due && *h > 0) return RW_OK;
    RW_TRY(find(ode, &one));
    RW_TRY(note(ode, *h, one));
    if (!follows) return RW_OK;
    RW_TRY(choose(ode, h, one));
    return note(ode, *h, one);
}
