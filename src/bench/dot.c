/* The library's dot product (rechenwerk/array.h), the result left on the device: compared with a sum in extended
 * precision, and with itself: a second run must give the same bits. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/array.h"

typedef struct product {
    int64_t n;
    rw_array *x, *y, *result;
    rw_reducer *reducer;
    rw_queue *queue;
    void (*loop)(double *, const double *, const double *, long, int); /* peer on the host */
    const void *host_x, *host_y;
    double host_result;
    int threads;
} product;

static void free_product(void *work)
{
    product *p = work;
    rw_array_destroy(&p->x);
    rw_array_destroy(&p->y);
    rw_array_destroy(&p->result);
    rw_reducer_destroy(&p->reducer);
}

static rw_status make(rw_bench *b, product *p, int64_t n)
{
    p->n = n;
    p->queue = b->queue;
    p->threads = b->threads;
    RW_TRY(rw_bench_array(b, RW_F64, n, &p->x));
    RW_TRY(rw_bench_array(b, RW_F64, n, &p->y));
    RW_TRY(rw_bench_array(b, RW_F64, 2, &p->result));
    RW_TRY(rw_random_fill(p->x, 6, -0.5));
    RW_TRY(rw_random_fill(p->y, 7, -0.5));
    RW_TRY(rw_bench_poison(p->result));
    return rw_reducer_create(b->dev, RW_REDUCE_OP_DOT, RW_F64, 0, &p->reducer);
}

static rw_status multiply(void *user, int round)
{
    product *p = user;
    return rw_reducer_run(p->reducer, p->queue, p->x, p->y, p->result, round & 1);
}

static rw_status error(rw_bench *b, void *work, double *worst)
{
    product *p = work;
    const void *x, *y, *result;
    long double sum = 0, scale = 0;
    (void)b;
    for (int i = 0; i < 2; ++i) RW_TRY(multiply(p, i));
    RW_TRY(rw_array_read(p->x, &x));
    RW_TRY(rw_array_read(p->y, &y));
    RW_TRY(rw_array_read(p->result, &result));
    const double *r = result, *a = x, *c = y;
#pragma omp parallel
    {
        long double part = 0, size = 0; /* added up by hand: clang's reduction of long double wants libatomic */
#pragma omp for
        for (int64_t i = 0; i < p->n; ++i) {
            part += (long double)a[i] * c[i];
            size += fabsl((long double)a[i] * c[i]);
        }
#pragma omp critical
        {
            sum += part;
            scale += size;
        }
    }
    *worst = scale > 0 ? (double)(fabsl(r[0] - sum) / scale) : fabs(r[0]);
    if (isnan(*worst) || memcmp(r, r + 1, sizeof *r) != 0) *worst = INFINITY;
    return RW_OK;
}

/* Additions in a row: those of an item, then the levels. */
static double tolerance(int64_t n) { return ((double)n / 65536 + 64) * DBL_EPSILON; }

static rw_status loop(void *user, int round RW_UNUSED)
{
    product *p = user;
    p->loop(&p->host_result, p->host_x, p->host_y, p->n, p->threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, void *work, rw_peers *peers)
{
    product *p = work;
    if (!rw_host_loop(b, "dot", &p->loop)) return RW_OK;
    RW_TRY(rw_array_read(p->x, &p->host_x));
    RW_TRY(rw_array_read(p->y, &p->host_y));
    rw_peers_add(peers, "C loop", loop, p);
    return RW_OK;
}

static const rw_bench_task task = {multiply, error, add_loop, free_product};

static rw_status check(rw_bench *b, int64_t n, int variant RW_UNUSED, double *worst, double *allowed)
{
    product p = {0};
    *allowed = tolerance(n);
    return rw_bench_verify(b, &task, &p, make(b, &p, n), worst);
}

static rw_status run(rw_bench *b)
{
    const int64_t n = b->options.quick ? 100000 : b->dev->info.gpu ? 1 << 27 : 1 << 25;
    product p = {0};
    rw_bench_result row = {.what = "dot product f64", .tolerance = tolerance(n), .bytes = 16.0 * (double)n};
    snprintf(row.size, sizeof row.size, "%lld elements", (long long)n);
    return rw_bench_measure(b, &task, &p, make(b, &p, n), 0.95, NULL, &row);
}

static const int64_t sizes[] = {0, 1, 2, 255, 256, 257, 65535, 65536, 65537, 100000, -1};
const rw_bench_case rw_bench_dot = {run, 1, check, sizes, 257, NULL};
