/* Statistics, data, contestants that take turns, samples of one call.
 *
 * On a GPU all rounds are enqueued at once between pairs of events, so that launch latency overlaps with earlier work.
 * A turn is one call that is not timed and one that is, so that no contestant writes back cache lines of another.
 * Elsewhere the host clock measures from the call to the end of its work. */
#include <stdlib.h>

#include "measure/measure.h"

enum { WARM_UP = 3, MOST_LOOPS = 2000 };

double rw_quantile(double *v, int n, double q)
{
    qsort(v, (size_t)n, sizeof *v, rw_compare_doubles);
    const double at = q * (n - 1), part = at - (int)at;
    return part > 0 ? (1 - part) * v[(int)at] + part * v[(int)at + 1] : v[(int)at];
}

double rw_median(double *v, int n) { return rw_quantile(v, n, 0.5); }

/* ---- data -------------------------------------------------------------------------------------------------------- */

rw_status rw_random_fill(rw_array *a, uint64_t seed, double low)
{
    void *data;
    int64_t n = a->size * (rw_dtype_is_complex(a->dtype) ? 2 : 1);
    const bool single = rw_dtype_is_single(a->dtype);
    RW_TRY(rw_array_write(a, &data));
    float *f = data;
    double *d = data;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; ++i) {
        double v = low + rw_random_uniform(seed, (uint64_t)i);
        if (single) f[i] = (float)v;
        else d[i] = v;
    }
    return RW_OK;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

void rw_turns_free(rw_turns *t) { rw_free(t->seconds); }

double *rw_turns_of(const rw_turns *t, int who) { return t->seconds + who * t->rounds; }

static rw_status warm_up(const rw_turns *t)
{
    const double start = rw_seconds();
    for (int i = 0; i < (t->warm_up > 0 ? WARM_UP : 1) || rw_seconds() - start < t->warm_up; ++i) {
        for (int k = 0; k < t->n; ++k) RW_TRY(t->who[k].call(t->who[k].user, i));
        RW_TRY(rw_queue_wait(t->queue));
    }
    return RW_OK;
}

/* event: [rounds][n][2] */
static rw_status take_with_events(rw_turns *t, rw_event **event)
{
    for (int i = 0; i < 2 * t->n * t->rounds; ++i) RW_TRY(rw_event_create(t->queue->device, &event[i]));
    RW_TRY(warm_up(t));
    for (int r = 0; r < t->rounds; ++r)
        for (int k = 0; k < t->n; ++k) {
            rw_event **e = event + 2 * (r * t->n + k);
            if (k != t->cold) RW_TRY(t->who[k].call(t->who[k].user, r));
            RW_TRY(rw_event_record(e[0], t->queue));
            RW_TRY(t->who[k].call(t->who[k].user, r));
            RW_TRY(rw_event_record(e[1], t->queue));
        }
    RW_TRY(rw_queue_wait(t->queue));
    for (int r = 0; r < t->rounds; ++r)
        for (int k = 0; k < t->n; ++k) {
            rw_event **e = event + 2 * (r * t->n + k);
            RW_TRY(rw_event_seconds(e[0], e[1], rw_turns_of(t, k) + r));
        }
    return RW_OK;
}

static rw_status take_with_clock(rw_turns *t)
{
    RW_TRY(warm_up(t));
    for (int r = 0; r < t->rounds; ++r)
        for (int k = 0; k < t->n; ++k) {
            const double start = rw_seconds();
            RW_TRY(t->who[k].call(t->who[k].user, r));
            RW_TRY(rw_queue_wait(t->queue));
            rw_turns_of(t, k)[r] = rw_seconds() - start;
        }
    return RW_OK;
}

rw_status rw_turns_take(rw_turns *t)
{
    const rw_device *dev = t->queue->device;
    const int n = t->n * t->rounds;
    rw_event **event = rw_calloc(2 * (size_t)n, sizeof *event);
    t->seconds = rw_calloc((size_t)n, sizeof *t->seconds);
    rw_status status = !event || !t->seconds ? rw_fail_memory(dev->ctx, 24 * (size_t)n, "timings")
                       : dev->info.gpu       ? take_with_events(t, event)
                                             : take_with_clock(t);
    for (int i = 0; status == RW_OK && i < n; ++i) t->seconds[i] = RW_MAX(t->seconds[i], 1e-9);
    for (int i = 0; event && i < 2 * n; ++i) rw_event_destroy(&event[i]);
    rw_free(event);
    return status;
}

/* ---- samples of one call ----------------------------------------------------------------------------------------- */

rw_status rw_loop_run(void *user, int round)
{
    const rw_loop *l = user;
    for (int i = 0; i < l->n; ++i) RW_TRY(l->what->call(l->what->user, round));
    return RW_OK;
}

static rw_status time_loop(rw_loop *l, rw_queue *queue, double *seconds)
{
    const double start = rw_seconds();
    RW_TRY(rw_loop_run(l, 0));
    if (queue) RW_TRY(rw_queue_wait(queue));
    *seconds = rw_seconds() - start;
    return RW_OK;
}

/* From the first sample that is a quarter as long, after a call that may compile. */
rw_status rw_loop_choose(rw_loop *l, rw_queue *queue, double wanted)
{
    double seconds;
    l->n = 1;
    RW_TRY(time_loop(l, queue, &seconds));
    for (;; l->n *= 4) {
        RW_TRY(time_loop(l, queue, &seconds));
        if (seconds >= wanted / 4 || l->n >= MOST_LOOPS) break;
    }
    l->n = (int)RW_MAX(RW_MIN(wanted * l->n / RW_MAX(seconds, 1e-9), MOST_LOOPS), 1);
    return RW_OK;
}

rw_status rw_sample(const rw_sampling *s, double *median)
{
    const double begin = rw_seconds();
    rw_loop loop = {&s->what, 1};
    double v[RW_SAMPLES_MOST];
    int warm = s->length > 0 ? WARM_UP : 0, n = 0;
    if (s->length > 0) RW_TRY(rw_loop_choose(&loop, s->queue, s->length));
    while (n < s->runs && (n == 0 || rw_seconds() - begin < s->seconds)) {
        double seconds;
        if (s->prepare) RW_TRY(s->prepare(s->what.user, n));
        RW_TRY(time_loop(&loop, s->queue, &seconds));
        if (warm++ >= WARM_UP || rw_seconds() - begin > s->seconds / 4) v[n++] = seconds / loop.n;
    }
    *median = rw_median(v, n);
    return RW_OK;
}
