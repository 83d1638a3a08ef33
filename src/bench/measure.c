/* Rounds and medians. Each round has one turn for our code, for each peer and for the limit; ratios are computed within
 * a round.
 *
 * On a GPU all rounds are enqueued at once between pairs of events, so that launch latency overlaps with earlier work.
 * A turn is one call that is not timed and one that is, so that no contestant writes back cache lines of another.
 * Elsewhere the host clock measures from the call to the end of its work.
 *
 * Caches. A turn after the copy finds nothing of its data in the caches: it is cold. A solver repeats its product, and
 * a small matrix stays in the caches. rw_bench_warm_and_cold times both: the same call looped, and one call after the
 * copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { MAX_TURNS = 2 + RW_BENCH_PEERS + 2, MOST_LOOPS = 2000 };

typedef struct turns {
    int n, rounds;
    rw_contestant who[MAX_TURNS];
    int cold;         /* this turn is a single call, right after another contestant; -1: none */
    rw_event **event; /* on a GPU: [rounds][n][2] */
    double *seconds;  /* [n][rounds] */
} turns;

/* Quantile q of n values by linear interpolation; sorts them. */
static double quantile(double *v, int n, double q)
{
    qsort(v, (size_t)n, sizeof *v, rw_compare_doubles);
    double at = q * (n - 1);
    int i = RW_MIN((int)at, RW_MAX(n - 2, 0));
    return n == 1 ? v[0] : v[i] + (at - i) * (v[i + 1] - v[i]);
}

/* Median over the rounds of a[i] / b[i] (b NULL: of a[i]). */
static rw_status median(rw_bench *b, const double *a, const double *c, int n, double *m)
{
    double *v = rw_calloc((size_t)n, sizeof *v);
    if (!v) return rw_fail_memory(b->ctx, (size_t)n * sizeof *v, "timings");
    for (int i = 0; i < n; ++i) v[i] = c ? a[i] / c[i] : a[i];
    *m = quantile(v, n, 0.5);
    rw_free(v);
    return RW_OK;
}

static void free_turns(turns *t)
{
    for (int i = 0; t->event && i < t->rounds * t->n * 2; ++i) rw_event_destroy(&t->event[i]);
    rw_free(t->event);
    rw_free(t->seconds);
}

static double *place(const turns *t, int who, int round) { return t->seconds + who * t->rounds + round; }

static rw_status make_turns(rw_bench *b, turns *t)
{
    size_t n = (size_t)t->n * (size_t)t->rounds;
    t->event = rw_calloc(2 * n, sizeof *t->event);
    t->seconds = rw_calloc(n, sizeof *t->seconds);
    if (!t->event || !t->seconds) return rw_fail_memory(b->ctx, 24 * n, "timings");
    for (size_t i = 0; i < 2 * n && b->dev->info.gpu; ++i) RW_TRY(rw_event_create(b->dev, &t->event[i]));
    return RW_OK;
}

/* Three turns each and, so that clocks rise, some time. */
static rw_status warm_up(rw_bench *b, const turns *t)
{
    double start = rw_seconds(), wanted = b->options.quick ? 0 : 0.1;
    for (int i = 0; i < 3 || rw_seconds() - start < wanted; ++i) {
        for (int k = 0; k < t->n; ++k) RW_TRY(t->who[k].call(t->who[k].user, i));
        RW_TRY(rw_queue_wait(b->queue));
        if (b->options.quick) break;
    }
    return RW_OK;
}

static rw_status take_turns_on_gpu(rw_bench *b, turns *t)
{
    for (int r = 0; r < t->rounds; ++r)
        for (int k = 0; k < t->n; ++k) {
            rw_event **e = t->event + 2 * (r * t->n + k);
            if (k != t->cold) RW_TRY(t->who[k].call(t->who[k].user, r));
            RW_TRY(rw_event_record(e[0], b->queue));
            RW_TRY(t->who[k].call(t->who[k].user, r));
            RW_TRY(rw_event_record(e[1], b->queue));
        }
    RW_TRY(rw_queue_wait(b->queue));
    for (int r = 0; r < t->rounds; ++r)
        for (int k = 0; k < t->n; ++k) {
            rw_event **e = t->event + 2 * (r * t->n + k);
            RW_TRY(rw_event_seconds(e[0], e[1], place(t, k, r)));
            *place(t, k, r) = RW_MAX(*place(t, k, r), 1e-9);
        }
    return RW_OK;
}

static rw_status take_turns(rw_bench *b, turns *t)
{
    if (b->dev->info.gpu) return take_turns_on_gpu(b, t);
    for (int r = 0; r < t->rounds; ++r)
        for (int k = 0; k < t->n; ++k) {
            double start = rw_seconds();
            RW_TRY(t->who[k].call(t->who[k].user, r));
            RW_TRY(rw_queue_wait(b->queue));
            *place(t, k, r) = RW_MAX(rw_seconds() - start, 1e-9);
        }
    return RW_OK;
}

/* The limit is the better of its contestants, those from turn `first` up to `end`. */
static rw_status judge(rw_bench *b, const turns *t, int first, int end, const double *bytes, rw_bench_result *row)
{
    for (int k = first; k < end; ++k) {
        const double *limit = place(t, k, 0);
        double seconds, ratio;
        RW_TRY(median(b, limit, NULL, t->rounds, &seconds));
        RW_TRY(median(b, limit, t->seconds, t->rounds, &ratio)); /* limit's time over ours */
        if (bytes[k - first] / seconds < row->limit) continue;
        row->limit = bytes[k - first] / seconds;
        row->share = row->bytes / bytes[k - first] * ratio;
        snprintf(row->limit_name, sizeof row->limit_name, "%s", t->who[k].name);
    }
    return RW_OK;
}

rw_status rw_bench_compare(rw_bench *b, const rw_contestant *ours, const rw_contestant *peers, int npeers,
                           rw_bench_result *row)
{
    turns t = {.n = 1 + npeers, .who = {*ours}, .cold = -1};
    double bytes[2];
    t.rounds = b->options.rounds ? b->options.rounds : b->options.quick ? 3 : 20;
    for (int i = 0; i < npeers; ++i) t.who[1 + i] = peers[i];
    rw_status status = row->bytes > 0 ? rw_limit_open(b) : RW_OK;
    if (status == RW_OK && row->bytes > 0) t.n += rw_limit_contestants(b->limit, t.who + t.n, bytes);
    if (status == RW_OK) status = make_turns(b, &t);
    if (status == RW_OK) status = warm_up(b, &t);
    if (status == RW_OK) status = take_turns(b, &t);
    if (status != RW_OK) goto out;
    row->rounds = t.rounds;
    row->npeers = npeers;
    RW_TRY_GOTO(judge(b, &t, 1 + npeers, t.n, bytes, row), out);
    for (int i = 0; i < npeers; ++i) {
        const double *peer = place(&t, 1 + i, 0);
        snprintf(row->peers[i].name, sizeof row->peers[i].name, "%s", peers[i].name);
        RW_TRY_GOTO(median(b, peer, NULL, t.rounds, &row->peers[i].seconds), out);
        RW_TRY_GOTO(median(b, peer, t.seconds, t.rounds, &row->peers[i].ratio), out);
    }
    row->lower = quantile(t.seconds, t.rounds, 0.25);
    row->upper = quantile(t.seconds, t.rounds, 0.75);
    row->seconds = quantile(t.seconds, t.rounds, 0.5);
out:
    free_turns(&t);
    return status;
}

/* A call repeated, so that a sample is long compared with the resolution of the clock and the wait at its end. */
typedef struct loop {
    const rw_contestant *what;
    int n;
} loop;

static rw_status run_loop(void *user, int round)
{
    const loop *l = user;
    for (int i = 0; i < l->n; ++i) RW_TRY(l->what->call(l->what->user, round));
    return RW_OK;
}

/* Calls in a sample of about a millisecond (quick: a tenth), from one sample after the first call. */
static rw_status choose_loops(rw_bench *b, loop *l)
{
    const double wanted = b->options.quick ? 1e-4 : 1e-3;
    double seconds = 0;
    for (l->n = 1; l->n < MOST_LOOPS; l->n *= 4) {
        const double start = rw_seconds();
        RW_TRY(run_loop(l, 0));
        RW_TRY(rw_queue_wait(b->queue));
        seconds = rw_seconds() - start;
        if (l->n > 1 && seconds >= wanted / 4) break;
        if (seconds > 1) return l->n = 1, RW_OK;
    }
    l->n = (int)RW_MAX(RW_MIN(wanted * l->n / RW_MAX(seconds, 1e-9), MOST_LOOPS), 1);
    return RW_OK;
}

static void quartiles(double *seconds, int n, double q[3])
{
    for (int i = 0; i < 3; ++i) q[i] = quantile(seconds, n, 0.25 * (i + 1));
}

rw_status rw_bench_warm_and_cold(rw_bench *b, const rw_contestant *ours, rw_bench_result *row)
{
    double bytes[2], warm[3], cold[3];
    loop l = {ours, 1};
    turns t = {.n = 1, .who = {{ours->name, run_loop, &l}}};
    t.rounds = b->options.rounds ? b->options.rounds : b->options.quick ? 3 : 20;
    rw_status status = rw_limit_open(b);
    if (status == RW_OK) t.n += rw_limit_contestants(b->limit, t.who + 1, bytes);
    t.cold = t.n;
    t.who[t.n++] = *ours;
    if (status == RW_OK) status = choose_loops(b, &l);
    if (status == RW_OK) status = make_turns(b, &t);
    if (status == RW_OK) status = warm_up(b, &t);
    if (status == RW_OK) status = take_turns(b, &t);
    for (int r = 0; r < t.rounds && status == RW_OK; ++r) *place(&t, 0, r) /= l.n;
    if (status == RW_OK) status = judge(b, &t, 1, t.cold, bytes, row);
    if (status == RW_OK) {
        quartiles(place(&t, 0, 0), t.rounds, warm);
        quartiles(place(&t, t.cold, 0), t.rounds, cold);
        row->rounds = t.rounds;
        row->lower = warm[0];
        row->seconds = warm[1];
        row->upper = warm[2];
        row->cold_lower = cold[0];
        row->cold = cold[1];
        row->cold_upper = cold[2];
    }
    free_turns(&t);
    return status;
}

bool rw_bench_plausible(const rw_bench_result *row) { return row->limit >= RW_BENCH_LEAST_LIMIT; }

bool rw_bench_doubt(const rw_bench_result *row, char *text, size_t size)
{
    const double spread = row && row->seconds > 0 ? (row->upper - row->lower) / row->seconds : 0;
    if (text && size) text[0] = 0;
    if (row && row->limit > 0 && !rw_bench_plausible(row)) {
        if (text && size) snprintf(text, size, "limit %.2g GB/s", row->limit / 1e9);
        return true;
    }
    if (!row || (row->share <= RW_BENCH_MOST_SHARE && spread <= RW_BENCH_MOST_SPREAD)) return false;
    if (!text || !size) return true;
    if (row->share > RW_BENCH_MOST_SHARE) snprintf(text, size, "in the cache");
    else snprintf(text, size, "IQR %.0f %%", 100 * spread);
    return true;
}

rw_status rw_bench_add(rw_bench *b, const rw_bench_result *row)
{
    if (!rw_grow(&b->rows, &b->capacity, b->nrows + 1, sizeof *b->rows))
        return rw_fail_memory(b->ctx, sizeof *b->rows, "a row");
    b->rows[b->nrows++] = *row;
    return RW_OK;
}

void rw_bench_target(const rw_bench *b, rw_bench_result *row, double at_least, const char *of)
{
    double reached = of || !rw_bench_plausible(row) ? -1 : row->share;
    for (int i = 0; of && i < row->npeers; ++i)
        if (!strcmp(row->peers[i].name, of)) reached = row->peers[i].ratio;
    row->met = -1;
    if (reached < 0 || (!b->dev->info.gpu && strcmp(b->dev->info.kind, "cpu") != 0)) return;
    snprintf(row->target, sizeof row->target, ">= %.2f %s", at_least, of ? of : row->limit_name);
    if (!b->options.quick) row->met = reached >= at_least;
}
