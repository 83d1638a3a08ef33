/* The pipeline. Slot n % slots belongs to turn n; it goes from hand to hand:
 *
 *   FREE -(caller: host memory of x)-> EMPTY -(reader)-> READ -(caller: launch)-> RUNNING -(caller: results)-> DONE
 *   -(writer)-> FREE
 *
 * An observer gets results as soon as they are there. The last one is shown after the end, so with an observer there is
 * one slot more than turns under way: it keeps the turn that finished last. */
#include "stream/pipeline.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Bin b holds latencies from 1e-6 10^(b/40) s on: 6 % apart, up to 10^4 s. */
static int bin_of(double seconds)
{
    int b = 0;
    for (double edge = 1e-6 * 1.0592537; b < RW_PIPELINE_BINS - 1 && seconds >= edge; edge *= 1.0592537) ++b;
    return b;
}

static double latency_at(const rw_pipeline *p, double part)
{
    int64_t all = 0, below = 0;
    for (int b = 0; b < RW_PIPELINE_BINS; ++b) all += p->latencies[b];
    if (!all) return 0;
    double edge = 1e-6;
    for (int b = 0; b < RW_PIPELINE_BINS; ++b, edge *= 1.0592537) {
        below += p->latencies[b];
        if (below > 0 && (double)below >= part * (double)all) return edge;
    }
    return edge;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Blocks read earlier are still processed and written if possible. */
static void fail_in_thread(rw_pipeline *p, rw_status status, bool broken)
{
    pthread_mutex_lock(&p->lock);
    if (p->status == RW_OK) {
        p->status = status;
        snprintf(p->message, sizeof p->message, "%s", rw_message(p->ctx));
    }
    p->end = true;
    p->broken = p->broken || broken;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* The time at which block 0 was due; a pause shifts it. */
static double start_of(rw_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    const double start = p->start;
    pthread_mutex_unlock(&p->lock);
    return start;
}

/* The blocks of turn n, fewer at the end, with the times when they were read. */
static rw_status read_blocks(rw_pipeline *p, int64_t n, int *blocks, bool *end)
{
    rw_pipeline_slot *s = p->slot + n % p->slots;
    *end = false;
    for (int b = *blocks = 0; b < p->batch; *blocks = ++b) {
        const int64_t i = n * p->batch + b;
        const double due = p->rate > 0 ? start_of(p) + (double)(i + p->ahead) / p->rate : 0;
        if ((*end = p->most > 0 && i >= p->most)) break;
        if (p->rate > 0) rw_wait_until(due);
        RW_TRY(p->work->read(p->user, n, b, s->in, end));
        if (*end) break;
        p->since[n % p->slots * p->batch + b] = p->rate > 0 ? due : rw_seconds();
    }
    return RW_OK;
}

static void *reader(void *user)
{
    rw_pipeline *p = user;
    for (int64_t n = 0;; ++n) {
        rw_pipeline_slot *s = p->slot + n % p->slots;
        int blocks = 0;
        bool end;
        pthread_mutex_lock(&p->lock);
        while (!p->stop && !p->end && (p->given <= n || p->pause)) pthread_cond_wait(&p->changed, &p->lock);
        const bool stop = p->stop || p->end;
        pthread_mutex_unlock(&p->lock);
        if (stop) return NULL;
        const rw_status status = read_blocks(p, n, &blocks, &end);
        pthread_mutex_lock(&p->lock);
        s->blocks = blocks;
        if (blocks) {
            s->state = RW_SLOT_READ;
            p->read = n + 1;
            p->blocks_read += blocks;
        }
        if (end && status == RW_OK) p->end = true; /* a failure is set together with its end */
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
        if (status != RW_OK) {
            fail_in_thread(p, status, false);
            return NULL;
        }
        if (end) return NULL;
    }
}

/* The blocks of one more turn are out. */
static void count(rw_pipeline *p, int64_t n)
{
    rw_pipeline_slot *s = p->slot + n % p->slots;
    const double now = rw_seconds();
    rw_stream_report *r = &p->report;
    const int depth = (int)(p->read - p->written);
    for (int b = 0; b < s->blocks; ++b) {
        const double latency = now - p->since[n % p->slots * p->batch + b];
        ++p->latencies[bin_of(latency)];
        if (latency > r->latency_max) r->latency_max = latency;
        if (r->deadline > 0 && latency > r->deadline) ++r->late;
    }
    p->depths += depth;
    ++p->samples;
    if (depth > r->depth_max) r->depth_max = depth;
    p->last = now;
    s->state = RW_SLOT_FREE;
    ++p->written;
    p->blocks_written += s->blocks;
}

static void *writer(void *user)
{
    rw_pipeline *p = user;
    for (int64_t n = 0;; ++n) {
        rw_pipeline_slot *s = p->slot + n % p->slots;
        pthread_mutex_lock(&p->lock);
        while (!p->stop && p->finished <= n) pthread_cond_wait(&p->changed, &p->lock);
        const bool stop = p->finished <= n;
        pthread_mutex_unlock(&p->lock);
        if (stop) return NULL;
        rw_status status = p->work->write(p->user, n, s->blocks, s->out);
        if (status != RW_OK) {
            fail_in_thread(p, status, true);
            return NULL;
        }
        pthread_mutex_lock(&p->lock);
        count(p, n);
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
}

/* ---- the caller's thread ----------------------------------------------------------------------------------------- */

static rw_status finish(rw_pipeline *p)
{
    rw_pipeline_slot *s = p->slot + p->finished % p->slots;
    RW_TRY(rw_array_read(s->y, &s->out));
    pthread_mutex_lock(&p->lock);
    s->state = RW_SLOT_DONE;
    ++p->finished;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return RW_OK;
}

/* Host memory for the next blocks to be read. */
static rw_status give(rw_pipeline *p)
{
    rw_pipeline_slot *s = p->slot + p->given % p->slots;
    RW_TRY(rw_array_write(s->x, &s->in));
    pthread_mutex_lock(&p->lock);
    s->state = RW_SLOT_EMPTY;
    ++p->given;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return RW_OK;
}

static void complete_report(rw_pipeline *p)
{
    rw_stream_report *r = &p->report;
    r->frames = p->blocks_written;
    r->bytes_in = p->blocks_read;
    r->seconds = p->written ? p->last - p->start : 0;
    r->latency = latency_at(p, 0.5);
    r->latency_99 = latency_at(p, 0.99);
    r->depth = p->samples ? (double)p->depths / (double)p->samples : 0;
}

/* A report of the stream so far. */
static rw_stream_report report_now(rw_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    complete_report(p);
    const rw_stream_report report = p->report;
    pthread_mutex_unlock(&p->lock);
    return report;
}

static void end_stream(rw_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    p->end = p->leave = true;
    p->pause = false;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* ---- the observer ------------------------------------------------------------------------------------------------ */

static const double between_shows = 1.0 / 60, between_asks = 0.02;

/* A pause shifts the start of the stream, to which rates and seconds refer. */
static void set_pause(rw_pipeline *p, bool pause)
{
    if (pause == p->pause) return;
    const double now = rw_seconds();
    pthread_mutex_lock(&p->lock);
    if (pause) p->paused = now;
    else {
        p->start += now - p->paused;
        p->last += now - p->paused;
    }
    p->pause = pause;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* Shows turn n, perhaps once more; n < 0: none, to ask what the observer wants. */
static rw_status show(rw_pipeline *p, int64_t n)
{
    rw_stream_action action = RW_STREAM_CONTINUE;
    const double before = rw_seconds();
    const bool fresh = n >= 0 && n != p->last_shown;
    if (fresh) {
        ++p->report.shown;
        p->last_shown = n;
    }
    const rw_stream_report report = report_now(p);
    RW_TRY(p->work->show(p->user, n, &report, &action));
    p->asked = rw_seconds();
    if (fresh) {
        p->shown = before;
        p->show_cost = p->asked - before;
    }
    set_pause(p, action == RW_STREAM_PAUSE && !p->leave);
    if (action == RW_STREAM_END) end_stream(p);
    return RW_OK;
}

/* Whether the turn that has just finished is shown: twice a second in any case; more often in a tenth of the time, or,
 * with a rate, where nothing waits and it is over before the next block is due. */
static bool is_due(rw_pipeline *p)
{
    const double now = rw_seconds(), since = now - p->shown;
    if (since < between_shows) return false;
    if (since >= fmin(10 * p->show_cost, 0.5)) return true;
    if (p->rate <= 0) return false;
    pthread_mutex_lock(&p->lock);
    const bool idle =
        p->read == p->finished && now + p->show_cost < p->start + (double)(p->blocks_read + p->ahead) / p->rate;
    pthread_mutex_unlock(&p->lock);
    return idle;
}

static rw_status observe(rw_pipeline *p, bool finished)
{
    const int64_t last = p->finished - 1;
    if (finished && is_due(p)) return show(p, last);
    if (rw_seconds() - p->asked < between_asks) return RW_OK;
    return show(p, p->pause || last == p->last_shown ? last : -1);
}

static rw_status show_last(rw_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    const bool nothing = p->broken || p->last_shown == p->finished - 1;
    pthread_mutex_unlock(&p->lock);
    return nothing ? RW_OK : show(p, p->finished - 1);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

typedef enum step { GIVE, LAUNCH, FINISH, END, NOTHING } step;

/* The next possible step; call under the lock. */
static step next_step(const rw_pipeline *p)
{
    const int64_t running = p->launched - p->finished;
    if (p->broken) return END;
    if (!p->end && !p->pause && p->given - p->written < p->depth) return GIVE;
    if (p->read > p->launched && running < p->queues) return LAUNCH;
    if (running > 0) return FINISH;
    return p->end && !p->pause && p->written == p->read ? END : NOTHING;
}

/* The next step, or NOTHING after a fifth of a second; after a fiftieth with an observer. */
static step wait_for_step(rw_pipeline *p)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += p->observed ? 20000000 : 200000000;
    if (until.tv_nsec >= 1000000000) {
        ++until.tv_sec;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&p->lock);
    step s = next_step(p);
    for (int late = 0; s == NOTHING && !late; s = next_step(p))
        late = pthread_cond_timedwait(&p->changed, &p->lock, &until);
    pthread_mutex_unlock(&p->lock);
    return s;
}

/* Ends after the blocks that were read; the status is returned then. */
static void end_early(rw_pipeline *p, rw_status wish)
{
    p->wish = wish;
    snprintf(p->wish_message, sizeof p->wish_message, "%s", rw_message(p->ctx));
    end_stream(p);
}

static rw_status run_steps(rw_pipeline *p)
{
    double reported = rw_seconds();
    for (step s; (s = wait_for_step(p)) != END;) {
        if (s == GIVE) RW_TRY(give(p));
        if (s == LAUNCH) {
            RW_TRY(p->work->launch(p->user, p->launched, p->queue[p->launched % p->queues]));
            p->slot[p->launched % p->slots].state = RW_SLOT_RUNNING;
            ++p->launched;
        }
        if (s == FINISH) RW_TRY(finish(p));
        if (p->observed) RW_TRY(observe(p, s == FINISH));
        if (p->wish == RW_OK && rw_cancel_requested(p->cancel)) {
            p->cut = true;
            end_early(p, rw_fail(p->ctx, RW_ERR_INTERRUPTED, "interrupted by a request to stop"));
        }
        if (!p->work->progress || rw_seconds() - reported < 0.5) continue;
        reported = rw_seconds();
        const rw_stream_report report = report_now(p);
        const unsigned before = rw_failures();
        const rw_status wish = p->work->progress(p->user, &report);
        if (wish != RW_OK && p->wish == RW_OK) end_early(p, rw_callback_status(p->ctx, wish, before, "progress"));
    }
    if (p->observed) RW_TRY(show_last(p));
    return p->status == RW_OK ? RW_OK : rw_fail(p->ctx, p->status, "%s", p->message);
}

static rw_status run(rw_pipeline *p)
{
    pthread_t threads[2];
    void *(*const body[2])(void *) = {reader, writer};
    int started = 0;
    if (p->observed) RW_TRY(show(p, -1)); /* compilation there does not delay blocks */
    p->start = rw_seconds();
    while (started < 2 && pthread_create(&threads[started], NULL, body[started], p) == 0) ++started;
    rw_status status = started == 2
                           ? run_steps(p)
                           : rw_fail(p->ctx, RW_ERR_MEMORY, "cannot start a thread for the stream: raise ulimit -u");
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    __atomic_store_n(p->stop_reading, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    while (started > 0) pthread_join(threads[--started], NULL);
    return status;
}

rw_status rw_pipeline_run(rw_pipeline *p, rw_status made)
{
    rw_status status = made == RW_OK ? run(p) : made;
    char message[1024];
    snprintf(message, sizeof message, "%s", rw_message(p->ctx));
    complete_report(p);
    const bool whole = status == RW_OK || (p->status == RW_ERR_INPUT && p->written == p->read && p->written > 0);
    const bool nothing = p->cut && p->written == 0;
    const rw_status last = whole && !nothing ? p->work->commit(p->user, p->cut) : RW_OK;
    if (status != RW_OK) return rw_fail(p->ctx, status, "%s", message);
    return last == RW_OK && p->wish != RW_OK ? rw_fail(p->ctx, p->wish, "%s", p->wish_message) : last;
}

/* ---- create, free ------------------------------------------------------------------------------------------------ */

rw_status rw_pipeline_create(rw_pipeline *p, rw_device *device)
{
    p->slots = p->depth + p->observed;
    p->last_shown = -1;
    const size_t n = (size_t)p->slots * (size_t)p->batch;
    p->since = rw_calloc(n, sizeof *p->since);
    if (!p->since) return rw_fail_memory(p->ctx, n * sizeof *p->since, "a stream");
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    for (int i = 0; i < p->queues; ++i) RW_TRY(rw_queue_create(device, &p->queue[i]));
    return RW_OK;
}

void rw_pipeline_free(rw_pipeline *p)
{
    for (int i = 0; i <= RW_PIPELINE_DEPTH; ++i) {
        rw_array_destroy(&p->slot[i].x);
        rw_array_destroy(&p->slot[i].y);
    }
    for (int i = 0; i < RW_PIPELINE_QUEUES; ++i)
        if (p->queue[i]) rw_queue_destroy(&p->queue[i]);
    if (p->since) {
        pthread_cond_destroy(&p->changed);
        pthread_mutex_destroy(&p->lock);
    }
    rw_free(p->since);
}
