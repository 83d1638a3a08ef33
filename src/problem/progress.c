/* Rates of a run and its time left, for the progress line.
 *
 * Each rate is that of the last call's interval, smoothed:  rate <- rate + a (new - rate),  a = 1 - exp(-interval/3) */
#include "problem/run_private.h"

#include <math.h>

#define INTERVAL 0.1 /* seconds between calls of the user's function */
#define MEMORY 3.0   /* seconds that the smoothed rates remember */

void rw_rates_begin(rw_run *r)
{
    r->rates.begin = r->rates.last = rw_seconds();
    r->rates.first_step = r->rates.last_step = r->ops->steps(r->problem);
    r->rates.last_time = r->ops->time(r->problem);
}

static void smooth(double *rate, double now, double a)
{
    *rate = *rate > 0 ? *rate + a * (now - *rate) : now;
}

void rw_rates_step(rw_run *r, bool last)
{
    rw_rates *q = &r->rates;
    double now = rw_seconds(), interval = now - q->last;
    if (!r->options.progress || (interval < INTERVAL && !last)) return;
    double time = r->ops->time(r->problem), end = r->end;
    int64_t step = r->ops->steps(r->problem);
    if (interval > 0 && step > q->last_step) {
        double a = 1 - exp(-interval / MEMORY);
        smooth(&q->steps_per_second, (double)(step - q->last_step) / interval, a);
        smooth(&q->time_per_second, (time - q->last_time) / interval, a);
        q->last = now, q->last_step = step, q->last_time = time;
    }
    rw_run_progress p = {.step = step,
                         .time = time,
                         .start = r->start,
                         .end = end,
                         .seconds = now - q->begin,
                         .steps_per_second = q->steps_per_second,
                         .points_per_second = q->steps_per_second * (double)r->points,
                         .seconds_left = q->time_per_second > 0 ? (end - time) / q->time_per_second : -1,
                         .outputs = r->noutputs};
    r->options.progress(r->options.user, &p);
}
