/* How far a run is, and how it goes on: a step of a problem that marches, some iterations of one that is solved for.
 * What is outside this file speaks of time and steps; of a stationary problem both are its iterations. */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rw_run_take_problem(rw_run *r)
{
    r->march = r->problem->stationary ? NULL : r->ops->march;
    r->stationary = r->march ? NULL : r->ops->stationary;
    r->grid = &r->problem->grid;
    r->points = rw_layout_count(r->grid);
}

double rw_run_time(const rw_run *r)
{
    return r->march ? r->march->time(r->problem) : (double)r->stationary->iterations(r->problem);
}

int64_t rw_run_steps(const rw_run *r)
{
    return r->march ? r->march->steps(r->problem) : r->stationary->iterations(r->problem);
}

const char *rw_run_axis(const rw_run *r) { return r->march ? "t" : RW_ITERATION; }

bool rw_run_ended(const rw_run *r)
{
    if (r->march) return rw_run_time(r) >= r->end;
    return r->stationary->residual(r->problem) <= r->problem->tolerance;
}

const char *rw_run_place(const rw_run *r, int more, char text[RW_PLACE_SIZE])
{
    const long long steps = rw_run_steps(r) + more;
    if (r->march) snprintf(text, RW_PLACE_SIZE, "t = %.9g, step %lld", rw_run_time(r), steps);
    else
        snprintf(text, RW_PLACE_SIZE, "iteration %lld, residual %.3g of %.3g", steps,
                 r->stationary->residual(r->problem), r->problem->tolerance);
    return text;
}

void rw_run_time_text(const rw_run *r, double t, char text[64])
{
    const char *unit = r->ncolumns > 0 && r->columns[0].unit ? r->columns[0].unit : ""; /* of the first column */
    if (strcmp(unit, "1") == 0) unit = "";
    snprintf(text, 64, "%s = %.6g%s%.20s", rw_run_axis(r), t, *unit ? " " : "", unit);
}

/* time.end, or the time of an output that is as good as equal to it: then a run that goes on from there with a later
 * end has taken the same steps as one that never ended. */
void rw_run_set_end(rw_run *r)
{
    double end = r->end = r->march ? r->problem->end : INFINITY, every = r->output.every;
    if (every <= 0 || !r->march || !r->march->passes_end) return;
    double t = r->start + round((end - r->start) / every) * every;
    if (fabs(t - end) <= 1e-9 * every && t > r->start) r->end = t;
}

/* start + k*every, or the end. */
double rw_run_output_time(const rw_run *r, int64_t k)
{
    double end = r->end, every = r->output.every;
    if (every <= 0) return end;
    double t = r->start + (double)k * every;
    return t < end - 1e-9 * every ? t : end;
}

double rw_run_next_output(const rw_run *r) { return rw_run_output_time(r, r->next); }

static rw_status fail_step(rw_run *r, rw_status status)
{
    char place[RW_PLACE_SIZE];
    rw_fail_prefix(r->ctx, status, "%s, %s", rw_case_file(r->c), rw_run_place(r, 1, place));
    if (status != RW_ERR_NOT_CONVERGED) return status;
    if (isnan(r->checkpoint_time)) return rw_fail(r->ctx, status, "%s; there is no checkpoint yet", rw_message(r->ctx));
    return rw_fail(r->ctx, status, "%s; the last good state is in '%s/checkpoint.h5', %s = %.6g", rw_message(r->ctx),
                   r->folder, rw_run_axis(r), r->checkpoint_time);
}

/* To the next output, or over it where values within the step can be had: then as far as the steps before were good for
 * that. */
static double step_limit(const rw_run *r)
{
    double next = rw_run_next_output(r);
    if (!(r->output.interpolate > 0) || !r->march->has_dense_output(r->problem)) return next;
    return RW_MIN(RW_MAX(next, rw_run_time(r) + r->stride), r->end);
}

static rw_status step(rw_run *r)
{
    double before = rw_run_time(r);
    rw_status status = r->march->step(r->problem, step_limit(r));
    r->begun_at = before;
    r->stride *= 1.2; /* until dense output says more */
    if (status != RW_OK) return fail_step(r, status);
    if (rw_run_time(r) > before) return RW_OK;
    return rw_fail(r->ctx, RW_ERR_NOT_CONVERGED,
                   "%s: the time does not advance from t = %.17g in step %lld: t + h = t, since floating-point numbers "
                   "are %.2g apart there; start the time at 0, or choose longer steps",
                   rw_case_file(r->c), before, (long long)rw_run_steps(r),
                   nextafter(fabs(before), INFINITY) - fabs(before));
}

static rw_status solve(rw_run *r)
{
    const int64_t before = rw_run_steps(r);
    r->begun_at = (double)before;
    rw_status status = r->stationary->solve(r->problem);
    if (status != RW_OK) return fail_step(r, status);
    if (rw_run_steps(r) > before && !isnan(r->stationary->residual(r->problem))) return RW_OK;
    return fail_step(r, rw_fail(r->ctx, RW_ERR_NOT_CONVERGED, "the residual is %.3g after iteration %lld",
                                r->stationary->residual(r->problem), (long long)rw_run_steps(r)));
}

rw_status rw_run_advance(rw_run *r) { return r->march ? step(r) : solve(r); }

double rw_run_expected_end(const rw_run *r)
{
    if (r->march) return r->end;
    const double n = rw_run_time(r), done = log(r->first_residual / r->stationary->residual(r->problem)),
                 all = log(r->first_residual / r->problem->tolerance);
    if (rw_run_ended(r)) return n;
    return done > 0 && isfinite(all) ? r->pace.first_time + (n - r->pace.first_time) * all / done : INFINITY;
}
