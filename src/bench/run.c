/* The table of benchmarks and the run of one, of the spine, or of all. */
#include <string.h>

#include "bench/bench.h"

static const rw_bench_entry list[] = {
#define RW_X(name, spine, line) {#name, line, spine},
#include "bench/bench.def"
#undef RW_X
};
static const rw_bench_case *const table[] = {
#define RW_X(name, spine, line) &rw_bench_##name,
#include "bench/bench.def"
#undef RW_X
};
enum { N = RW_COUNT(table) };

const rw_bench_entry *rw_bench_list(int *n)
{
    if (n) *n = N;
    return list;
}

const rw_bench_case *rw_bench_find(const char *name)
{
    for (int i = 0; i < N; ++i)
        if (!strcmp(list[i].name, name)) return table[i];
    return NULL;
}

rw_status rw_bench_check(rw_bench *b, const char *name, bool small, bool first)
{
    const rw_bench_case *c = rw_bench_find(name);
    for (int v = 0; v < (first ? 1 : c->nvariants); ++v)
        for (const int64_t *n = c->sizes; *n >= 0; ++n) {
            double error = 0, allowed = 0;
            if (small && *n > c->small) continue;
            rw_status status = c->check(b, *n, v, &error, &allowed);
            if (status != RW_OK)
                return rw_fail_prefix(b->ctx, status, "%s, variant %d, size %lld", name, v, (long long)*n);
            if (!(error <= allowed))
                return rw_fail(b->ctx, RW_ERR_CHECK, "%s on %s, variant %d, size %lld: error %g, allowed %g", name,
                               b->dev->info.name, v, (long long)*n, error, allowed);
        }
    return RW_OK;
}

static rw_status refuse(rw_context *ctx, const char *name)
{
    const char *names[N + 2] = {"spine", "all"};
    for (int i = 0; i < N; ++i) names[i + 2] = list[i].name;
    char all[1024];
    size_t n = 0;
    for (int i = 0; i < N + 2 && n < sizeof all; ++i)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", names[i]);
    return rw_fail(ctx, RW_ERR_ARGUMENT, "benchmark \"%s\" is unknown%s: allowed are %s", name,
                   rw_hint_nearest(name, names, N + 2).text, all);
}

rw_status rw_bench_run(rw_context *ctx, rw_device *dev, const char *name, const rw_bench_options *options,
                       rw_bench_result **rows, int *n)
{
    RW_NEED(rows, "rows");
    *rows = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(dev, "device");
    RW_NEED(name, "name");
    RW_NEED(n, "n");
    rw_bench b;
    *n = 0;
    bool all = !strcmp(name, "all"), spine = !strcmp(name, "spine");
    if (!all && !spine && !rw_bench_find(name)) return refuse(ctx, name);
    rw_status status = rw_bench_begin(&b, ctx, dev, options);
    for (int i = 0; i < N && status == RW_OK; ++i) {
        const rw_bench_entry *e = list + i;
        int first = b.nrows;
        if (!all && !(spine && e->spine) && strcmp(name, e->name) != 0) continue;
        rw_log(ctx, RW_LOG_INFO, "bench: %s on %s", e->name, dev->info.name);
        status = table[i]->run(&b);
        for (int r = first; r < b.nrows; ++r) snprintf(b.rows[r].name, sizeof b.rows[r].name, "%s", e->name);
    }
    if (status == RW_OK) {
        *rows = b.rows;
        *n = b.nrows;
        b.rows = NULL;
    }
    rw_bench_end(&b);
    return status;
}

void rw_bench_free(rw_bench_result **rows)
{
    if (!rows) return;
    rw_free(*rows);
    *rows = NULL;
}
