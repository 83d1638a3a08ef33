/* Begin and end of a run; a row from turns: our code, the peers and the limit take turns in each round, and ratios are
 * computed within a round.
 *
 * Caches. A turn after the copy finds nothing of its data in the caches: it is cold. A solver repeats its product, and
 * a small matrix stays in the caches. rw_bench_warm_and_cold times both: the same call looped, and one call after the
 * copy. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"

rw_status rw_bench_begin(rw_bench *b, rw_context *ctx, rw_device *dev, const rw_bench_options *options)
{
    memset(b, 0, sizeof *b);
    b->ctx = ctx;
    b->ctx->optimise_first = true;
    b->dev = dev;
    b->queue = rw_device_queue(dev);
    if (options) b->options = *options;
    if (b->options.rounds < 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rounds = %d: it must be a positive number of repetitions, or 0 for the default",
                       b->options.rounds);
    b->lanes = !dev->info.gpu && !dev->target.single_item;
    b->threads = RW_MAX(dev->info.units, 1);
    return RW_OK;
}

void rw_bench_end(rw_bench *b)
{
    rw_limit_close(&b->limit);
    rw_host_close(b);
    rw_free(b->rows);
    memset(b, 0, sizeof *b);
}

static rw_turns turns_of(const rw_bench *b, const rw_contestant *ours)
{
    return (rw_turns){.queue = b->queue,
                      .n = 1,
                      .rounds = b->options.rounds  ? b->options.rounds
                                : b->options.quick ? 3
                                                   : 20,
                      .who = {*ours},
                      .cold = -1,
                      .warm_up = b->options.quick ? 0 : 0.1};
}

/* Median over the rounds of turn `who`; with `of_ours` of its seconds divided by ours. */
static rw_status median(rw_bench *b, const rw_turns *t, int who, bool of_ours, double *m)
{
    double *v = rw_calloc((size_t)t->rounds, sizeof *v);
    if (!v) return rw_fail_memory(b->ctx, (size_t)t->rounds * sizeof *v, "timings");
    for (int i = 0; i < t->rounds; ++i) v[i] = rw_turns_of(t, who)[i] / (of_ours ? t->seconds[i] : 1);
    *m = rw_median(v, t->rounds);
    rw_free(v);
    return RW_OK;
}

/* The limit is the better of its contestants, those from turn `first` up to `end`. */
static rw_status judge(rw_bench *b, const rw_turns *t, int first, int end, const double *bytes, rw_bench_result *row)
{
    for (int k = first; k < end; ++k) {
        double seconds, ratio;
        RW_TRY(median(b, t, k, false, &seconds));
        RW_TRY(median(b, t, k, true, &ratio));
        if (bytes[k - first] / seconds < row->limit) continue;
        row->limit = bytes[k - first] / seconds;
        row->share = row->bytes / bytes[k - first] * ratio;
        snprintf(row->limit_name, sizeof row->limit_name, "%s", t->who[k].name);
    }
    if (row->limit > 0 && !b->options.quick && !b->rated) {
        b->rated = true;
        rw_rate_store(b->dev, "copy", (double[2]){row->limit, 0});
    }
    return RW_OK;
}

static void put_quartiles(const rw_turns *t, int who, double *lower, double *middle, double *upper)
{
    double *seconds = rw_turns_of(t, who);
    *lower = rw_quantile(seconds, t->rounds, 0.25);
    *middle = rw_median(seconds, t->rounds);
    *upper = rw_quantile(seconds, t->rounds, 0.75);
}

rw_status rw_bench_compare(rw_bench *b, const rw_contestant *ours, const rw_contestant *peers, int npeers,
                           rw_bench_result *row)
{
    rw_turns t = turns_of(b, ours);
    double bytes[2];
    for (int i = 0; i < npeers; ++i) t.who[t.n++] = peers[i];
    if (row->bytes > 0) RW_TRY(rw_limit_open(b));
    if (row->bytes > 0) t.n += rw_limit_contestants(b->limit, t.who + t.n, bytes);
    rw_status status = rw_turns_take(&t);
    if (status == RW_OK) status = judge(b, &t, 1 + npeers, t.n, bytes, row);
    for (int i = 0; i < npeers && status == RW_OK; ++i) {
        snprintf(row->peers[i].name, sizeof row->peers[i].name, "%s", peers[i].name);
        status = median(b, &t, 1 + i, false, &row->peers[i].seconds);
        if (status == RW_OK) status = median(b, &t, 1 + i, true, &row->peers[i].ratio);
    }
    row->rounds = t.rounds;
    row->npeers = npeers;
    if (status == RW_OK) put_quartiles(&t, 0, &row->lower, &row->seconds, &row->upper);
    rw_turns_free(&t);
    return status;
}

rw_status rw_bench_warm_and_cold(rw_bench *b, const rw_contestant *ours, rw_bench_result *row)
{
    double bytes[2];
    rw_loop loop = {ours, 1};
    rw_turns t = turns_of(b, &(rw_contestant){ours->name, rw_loop_run, &loop});
    RW_TRY(rw_limit_open(b));
    t.n += rw_limit_contestants(b->limit, t.who + 1, bytes);
    t.cold = t.n;
    t.who[t.n++] = *ours;
    RW_TRY(rw_loop_choose(&loop, b->queue, b->options.quick ? 1e-4 : 1e-3));
    rw_status status = rw_turns_take(&t);
    for (int r = 0; r < t.rounds && status == RW_OK; ++r) t.seconds[r] /= loop.n;
    if (status == RW_OK) status = judge(b, &t, 1, t.cold, bytes, row);
    row->rounds = t.rounds;
    if (status == RW_OK) put_quartiles(&t, 0, &row->lower, &row->seconds, &row->upper);
    if (status == RW_OK) put_quartiles(&t, t.cold, &row->cold_lower, &row->cold, &row->cold_upper);
    rw_turns_free(&t);
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
