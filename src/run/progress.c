/* Pace of a run and its time left, for the progress line.
 *
 * Steps are put into the device's queue, which may lag: what is reported is the place of the event recorded
 * at the last call, which has been waited for. The queue holds what was added since, so the device does not wait. Each
 * rate is that of the last call's interval, smoothed:  rate <- rate + a (new - rate),  a = 1 - exp(-interval/memory)
 * Rates are those of steps: compiling and outputs are left out.
 * Time left of steps: at the recent rate v of t, (end - t)/v. While steps still grow, or t goes faster than it did
 * since the first step, t - t0 is taken to go as a power p of the wall time w since then: p = v w/(t - t0) with v of
 * the longest recent step, and left = w (((end - t0)/(t - t0))^(1/p) - 1).
 * Time left of outputs: the number of outputs to come, times the mean time of an output so far. A call of the problem's
 * `step` may take many steps; lengths are those of one of them. */
#include "run/run_private.h"

#include <math.h>

#define INTERVAL 0.1 /* seconds between calls of the user's function */
#define MEMORY 3.0   /* seconds that the smoothed rates remember, at most */
#define GROWS 1.3    /* the longest recent step over the mean one, the recent rate over the mean one: more is growth */
#define KNOWN 1.0    /* seconds, or … */
#define PART 0.01    /* … part of the time that must be done before the time left is said */
#define FURTHEST 30  /* before that part is done: times the wall time so far, beyond which changing steps say nothing */

double rw_run_compile_seconds(const rw_run *r)
{
    rw_counters c = {0};
    if (r->device) rw_device_get_counters(r->device, &c);
    return c.compile_seconds;
}

void rw_pace_begin(rw_run *r)
{
    rw_pace *q = &r->pace;
    q->begin = q->begin_steps = q->last = q->reported = rw_seconds();
    q->compiled = rw_run_compile_seconds(r);
    q->first_step = q->last_step = q->done_step = q->counted = rw_run_steps(r);
    q->first_time = q->last_time = q->done_time = rw_run_time(r);
}

void rw_pace_end(rw_run *r)
{
    for (int i = 0; i < 2; i++) rw_event_destroy(&r->pace.event[i]);
}

static void smooth(double *rate, double now, double a) { *rate = *rate > 0 ? *rate + a * (now - *rate) : now; }

/* What the device has done for certain: the place of the event before. Where events fail, what is in the queue. */
static void look(rw_run *r, bool last)
{
    rw_pace *q = &r->pace;
    int64_t step = rw_run_steps(r);
    double time = rw_run_time(r);
    rw_event **next = &q->event[q->calls % 2], *before = q->event[(q->calls + 1) % 2];
    bool good = !last && r->device && (*next || rw_event_create(r->device, next) == RW_OK) &&
                rw_event_record(*next, rw_device_queue(r->device)) == RW_OK;
    if (good && q->calls > 0) good = rw_event_wait(before) == RW_OK;
    if (!good) {
        q->done_step = step;
        q->done_time = time;
    } else if (q->calls > 0) {
        q->done_step = q->queued_step;
        q->done_time = q->queued_time;
    }
    q->queued_step = step;
    q->queued_time = time;
    q->calls = good ? q->calls + 1 : 0;
}

/* No step was longer than the first one. */
static bool is_steady(const rw_pace *q) { return q->longest_ever <= 1.01 * q->first_length; }

static double steps_left_seconds(const rw_run *r, double now)
{
    const rw_pace *q = &r->pace;
    double w = now - q->begin_steps, done = q->done_time - q->first_time, left = rw_run_expected_end(r) - q->done_time;
    if (left <= 0) return 0;
    if (!isfinite(left)) return -1;
    if (!(done > 0) || !(q->time_per_second > 0)) return -1;
    if (w < KNOWN && done < PART * (done + left)) return -1;
    double most = done < PART * (done + left) && !is_steady(q) ? FURTHEST * w : INFINITY;
    double growth = RW_MAX(q->longest * q->steps_per_second / q->time_per_second, 1),
           faster = q->time_per_second * w / done;
    double seconds = left / q->time_per_second, p = RW_MIN(RW_MAX(growth * faster, 1), 6);
    if (growth >= GROWS || faster >= GROWS) seconds = RW_MIN(seconds, w * (pow((done + left) / done, 1 / p) - 1));
    return seconds <= most ? seconds : -1;
}

/* Outputs to come: those by time until the end, and those by steps at the mean length of the steps so far. */
static double outputs_left(const rw_run *r)
{
    const rw_pace *q = &r->pace;
    const double every = r->output.every, t = q->done_time, left = rw_run_expected_end(r) - t, done = t - q->first_time;
    if (!(left > 0)) return 0;
    double n = every > 0 ? ceil(left / every - 1e-9) : 1;
    if (r->output.every_steps > 0 && done > 0)
        n += left / done * (double)(q->done_step - q->first_step) / (double)r->output.every_steps;
    return n;
}

static double seconds_left(const rw_run *r, double now)
{
    const rw_pace *q = &r->pace;
    const double steps = steps_left_seconds(r, now);
    return steps >= 0 && q->outputs > 0 ? steps + outputs_left(r) * (q->output_seconds / (double)q->outputs) : steps;
}

/* `seconds` since the last call were no steps. */
static void leave_out(rw_pace *q, double seconds)
{
    q->begin_steps += seconds;
    q->last += seconds;
}

static void leave_out_compiling(rw_run *r)
{
    double compiled = rw_run_compile_seconds(r);
    leave_out(&r->pace, compiled - r->pace.compiled);
    r->pace.compiled = compiled;
}

static void tell(rw_run *r, const rw_run_progress *p)
{
    const unsigned before = rw_failures();
    const rw_status wish = r->options.progress(r->options.user, p);
    if (wish == RW_OK || r->wish != RW_OK) return;
    r->wish = rw_callback_status(r->ctx, wish, before, "progress");
    snprintf(r->wish_message, sizeof r->wish_message, "%s", rw_message(r->ctx));
}

static void report_with(rw_run *r, double now, const char *field, int redrawn, int redraws)
{
    const rw_pace *q = &r->pace;
    rw_run_progress p = {.step = q->done_step,
                         .time = q->done_time,
                         .start = r->start,
                         .end = rw_run_expected_end(r),
                         .residual = r->stationary ? r->stationary->residual(r->problem) : 0,
                         .tolerance = r->stationary ? r->problem->tolerance : 0,
                         .seconds = now - q->begin,
                         .steps_per_second = q->steps_per_second,
                         .points_per_second = q->steps_per_second * (double)r->points,
                         .seconds_left = seconds_left(r, now),
                         .outputs = r->noutputs,
                         .redrawing = field,
                         .redrawn = redrawn,
                         .redraws = redraws};
    tell(r, &p);
}

static void report(rw_run *r, double now) { report_with(r, now, NULL, 0, 0); }

void rw_pace_redraw(rw_run *r, const char *field, int redrawn, int redraws)
{
    const double now = rw_seconds();
    if (!r->options.progress || (redrawn > 0 && now - r->pace.reported < INTERVAL)) return;
    r->pace.reported = now;
    report_with(r, now, field, redrawn, redraws);
}

void rw_pace_step(rw_run *r, bool last)
{
    rw_pace *q = &r->pace;
    double now = rw_seconds(), interval;
    if (!r->options.progress) return;
    if (!last) {
        const int64_t steps = rw_run_steps(r), taken = steps - q->counted;
        double length = (rw_run_time(r) - r->begun_at) / (double)RW_MAX(taken, 1);
        q->counted = steps;
        q->recent = RW_MAX(q->recent, length);
        q->longest_ever = RW_MAX(q->longest_ever, length);
        if (!(q->first_length > 0)) q->first_length = length;
    }
    if (now - q->reported < INTERVAL && !last) return;
    q->reported = now;
    look(r, last);
    leave_out_compiling(r);
    now = rw_seconds();
    interval = now - q->last;
    if (interval > 0 && q->done_step > q->last_step) {
        double memory = RW_MIN(MEMORY, RW_MAX(0.25 * (now - q->begin_steps), INTERVAL)),
               a = 1 - exp(-interval / memory);
        smooth(&q->steps_per_second, (double)(q->done_step - q->last_step) / interval, a);
        smooth(&q->time_per_second, (q->done_time - q->last_time) / interval, a);
        q->longest = q->recent;
        q->recent = 0;
        q->last = now;
        q->last_step = q->done_step;
        q->last_time = q->done_time;
    }
    report(r, now);
}

void rw_pace_output(rw_run *r, double seconds)
{
    rw_pace *q = &r->pace;
    leave_out(q, seconds);
    q->output_seconds += seconds;
    q->outputs++;
    if (!r->options.progress) return;
    q->done_step = q->queued_step = rw_run_steps(r); /* the output has waited for it */
    q->done_time = q->queued_time = rw_run_time(r);
    report(r, rw_seconds());
}

void rw_pace_compiling(void *user, const char *program, int known)
{
    rw_run *r = user;
    if (!r->options.progress) return;
    rw_run_progress p = {.compiling = program, .compilations = ++r->pace.compilations, .seconds_left = -1};
    if (known > 0) p.compilations_known = p.compilations - 1 + known;
    tell(r, &p);
}

void rw_pace_compiled(void *user)
{
    rw_run *r = user;
    if (r->problem && r->pace.begin > 0) report(r, rw_seconds());
}
