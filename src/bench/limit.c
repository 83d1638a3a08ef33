/* The memory bandwidth, measured in turns with the work: on a GPU a copy within the device, on a processor STREAM
 * (McCalpin 1995) with the least-bytes counting: copy a = b 16 bytes an element, triad a = b + s c 24 bytes. */
#include <string.h>

#include "bench/bench.h"

struct rw_limit {
    rw_bench *b;
    rw_array *array[3];
    double *host[3];
    long n; /* doubles of an array */
    void (*copy)(double *, const double *, long, int);
    void (*triad)(double *, const double *, const double *, double, long, int);
};

static rw_status copy_on_device(void *user, int round)
{
    rw_limit *l = user;
    return rw_array_copy(l->array[round & 1], l->array[1 - (round & 1)], l->b->queue);
}

static rw_status stream_copy(void *user, int round RW_UNUSED)
{
    rw_limit *l = user;
    l->copy(l->host[0], l->host[1], l->n, l->b->threads);
    return RW_OK;
}

static rw_status stream_triad(void *user, int round RW_UNUSED)
{
    rw_limit *l = user;
    l->triad(l->host[0], l->host[1], l->host[2], 0.5, l->n, l->b->threads);
    return RW_OK;
}

static rw_status make(rw_bench *b, rw_limit *l)
{
    bool gpu = b->dev->info.gpu;
    l->n = b->options.quick ? b->evicts ? 1L << 22 : 1L << 18 : gpu ? 1L << 27 : 1L << 24;
    for (int i = 0; i < (gpu ? 2 : 3); ++i) {
        void *data;
        RW_TRY(rw_bench_array(b, RW_F64, l->n, &l->array[i]));
        RW_TRY(rw_random_fill(l->array[i], 1000 + (uint64_t)i, 0));
        RW_TRY(rw_array_update(l->array[i], &data));
        l->host[i] = data;
    }
    if (gpu) return RW_OK;
    rw_host_function(b, "stream_copy", &l->copy);
    rw_host_function(b, "stream_triad", &l->triad);
    return RW_OK;
}

rw_status rw_limit_open(rw_bench *b)
{
    if (b->limit) return RW_OK;
    b->limit = rw_calloc(1, sizeof *b->limit);
    if (!b->limit) return rw_fail_memory(b->ctx, sizeof *b->limit, "a benchmark");
    b->limit->b = b;
    const rw_status status = make(b, b->limit);
    if (status != RW_OK) rw_limit_close(&b->limit);
    return status;
}

void rw_limit_evict(rw_bench *b)
{
    if (b->evicts || strcmp(b->dev->info.kind, "check") == 0) return;
    if (b->options.quick) rw_limit_close(&b->limit); /* its small arrays fit in the caches */
    b->evicts = true;
}

void rw_limit_close(rw_limit **limit)
{
    rw_limit *l = *limit;
    *limit = NULL;
    for (int i = 0; l && i < 3; ++i) rw_array_destroy(&l->array[i]);
    rw_free(l);
}

int rw_limit_contestants(const rw_limit *l, rw_contestant c[2], double bytes[2])
{
    void *user = (void *)(uintptr_t)l;
    double n = (double)l->n;
    if (l->b->dev->info.gpu || !l->copy || !l->triad) {
        c[0] = (rw_contestant){"copy", copy_on_device, user};
        bytes[0] = 16 * n;
        return 1;
    }
    c[0] = (rw_contestant){"STREAM copy", stream_copy, user};
    bytes[0] = 16 * n;
    c[1] = (rw_contestant){"STREAM triad", stream_triad, user};
    bytes[1] = 24 * n;
    return 2;
}
