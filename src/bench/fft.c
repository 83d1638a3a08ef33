/* Transforms of the library compared with cuFFT or FFTW: lengths, types, dimensions, real data. Some values of each
 * result are compared with the sum that defines them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/fft.h"

typedef struct work {
    rw_bench_transform t;
    rw_fft *fft;
    rw_array *x, *y;
    rw_queue *queue;
    int64_t in, out; /* numbers of a transform */
    int samples;     /* numbers that are compared */
} work;

/* Where these are asked for: on a GPU, a processor, both; and the ratio to the peer that is to be reached, 0: none. */
static const struct row {
    bool gpu, cpu, quick;
    bool single, real;
    int rank;
    int64_t shape[3];
    double target_gpu, target_cpu;
} rows[] = {
#define C64(N, GPU, CPU)                                                                                               \
    {                                                                                                                  \
        true, true, (N) == 64 || (N) == 1000, true, false, 1, {N}, GPU, CPU                                            \
    }
#define C128(N, GPU, CPU)                                                                                              \
    {                                                                                                                  \
        true, true, (N) == 256, false, false, 1, {N}, GPU, CPU                                                         \
    }
    C64(64, 0.97, 0.8),
    C64(128, 0.97, 0.8),
    C64(256, 0.97, 0.8),
    C64(512, 0.97, 0.8),
    C64(1000, 0.97, 0.8),
    C64(1024, 0.97, 0.8),
    C64(2048, 0.97, 0.8),
    C64(3125, 0.97, 0.8),
    C64(4096, 0.97, 0.8),
    C64(8192, 1, 0.8),
    C64(16384, 1.2, 0.8),
    C64(65536, 1.25, 0.8),
    C64(1 << 17, 1, 0.8),
    C64(1 << 18, 1, 0.8),
    C64(1 << 19, 1, 0.8),
    C64(1 << 20, 1.1, 0.8),
    C64(4099, 3, 0.8),
    C64(10007, 3, 0.8),
    C64(1021, 1, 0.8),
    C64(100000, 1, 0.8),
    C128(64, 1, 0.8),
    C128(256, 1, 0.8),
    C128(1000, 1, 0.8),
    C128(1024, 1, 0.8),
    C128(4096, 1, 0.8),
    C128(16384, 1, 0.8),
    C128(65536, 1, 0.8),
    C128(1 << 20, 1, 0.8),
    C128(4099, 3, 0.8),
    {true, false, false, true, false, 2, {4096, 4096}, 1.15, 0},
    {true, false, false, true, false, 2, {8192, 8192}, 1.05, 0},
    {true, false, false, false, false, 2, {4096, 4096}, 1, 0},
    {true, false, false, false, false, 2, {8192, 8192}, 1, 0},
    {true, false, false, true, false, 3, {256, 256, 256}, 1, 0},
    {true, false, false, true, false, 3, {512, 512, 512}, 1, 0},
    {true, false, false, true, true, 2, {8192, 8192}, 1, 0},
    {true, false, false, false, true, 2, {8192, 8192}, 1, 0},
    {true, true, false, true, true, 1, {1024}, 0.97, 0.8},
    {true, true, true, true, true, 1, {4096}, 0.97, 0.8},
    {true, true, false, false, true, 1, {4096}, 1, 0.8},
    {false, true, true, true, false, 2, {1024, 1024}, 0, 0.8},
    {false, true, false, false, false, 2, {1024, 1024}, 0, 0.8},
    {false, true, false, true, false, 2, {2048, 2048}, 0, 0.8},
    {false, true, false, true, true, 2, {2048, 2048}, 0, 0.8},
    {false, true, false, true, false, 3, {128, 128, 128}, 0, 0.8},
    {false, true, false, false, true, 3, {100, 100, 100}, 0, 0.8},
};

static void free_work(void *user)
{
    work *w = user;
    rw_fft_destroy(&w->fft);
    rw_array_destroy(&w->x);
    rw_array_destroy(&w->y);
}

static rw_status make(rw_bench *b, const rw_bench_transform *t, work *w)
{
    rw_fft_spec s = {.kind = t->real ? RW_FFT_REAL : RW_FFT_COMPLEX,
                     .single = t->single,
                     .ndim = t->rank + 1,
                     .shape = {t->batch},
                     .axes = ((1u << t->rank) - 1) << 1};
    *w = (work){.t = *t, .queue = b->queue, .in = 1, .out = 1};
    for (int d = 0; d < t->rank; ++d) {
        s.shape[d + 1] = t->shape[d];
        w->in *= t->shape[d];
        w->out *= t->real && d == t->rank - 1 ? t->shape[d] / 2 + 1 : t->shape[d];
    }
    const rw_dtype complex = t->single ? RW_C64 : RW_C128, real = t->single ? RW_F32 : RW_F64;
    int64_t x_shape[RW_MAX_NDIM], y_shape[RW_MAX_NDIM];
    memcpy(x_shape, s.shape, sizeof x_shape);
    memcpy(y_shape, s.shape, sizeof y_shape);
    if (t->real) y_shape[t->rank] = y_shape[t->rank] / 2 + 1;
    RW_TRY(rw_array_create(b->dev, t->real ? real : complex, s.ndim, x_shape, RW_MEMORY_DEVICE, &w->x));
    RW_TRY(rw_array_create(b->dev, complex, s.ndim, y_shape, RW_MEMORY_DEVICE, &w->y));
    RW_TRY(rw_random_fill(w->x, 3, -0.5));
    RW_TRY(rw_bench_poison(w->y));
    return rw_fft_create(b->dev, &s, &w->fft);
}

static rw_status call(void *user, int round RW_UNUSED)
{
    work *w = user;
    return rw_fft_execute(w->fft, w->x, w->y, w->queue);
}

static double part(const void *data, bool single, int64_t i)
{
    return single ? ((const float *)data)[i] : ((const double *)data)[i];
}

/* Number k of transform `at` by the sum that defines it: its distance from the result, over the root of the mean square
 * of such numbers. */
static double difference(const work *w, const void *x, const void *y, int64_t at, int64_t k)
{
    static const double two_pi = 6.28318530717958647692;
    const rw_bench_transform *t = &w->t;
    int64_t number[3] = {0}, rest = k;
    for (int d = t->rank - 1; d >= 0; --d) {
        const int64_t n = t->real && d == t->rank - 1 ? t->shape[d] / 2 + 1 : t->shape[d];
        number[d] = rest % n;
        rest /= n;
    }
    long double re = 0, im = 0;
    for (int64_t i = 0; i < w->in; ++i) {
        double turns = 0;
        int64_t j = i;
        for (int d = t->rank - 1; d >= 0; --d) {
            turns += (double)(j % t->shape[d] * number[d] % t->shape[d]) / (double)t->shape[d];
            j /= t->shape[d];
        }
        const double c = cos(two_pi * turns), s = -sin(two_pi * turns);
        const double p = t->real ? part(x, t->single, at * w->in + i) : part(x, t->single, 2 * (at * w->in + i)),
                     q = t->real ? 0 : part(x, t->single, 2 * (at * w->in + i) + 1);
        re += p * c - q * s;
        im += p * s + q * c;
    }
    const double dr = part(y, t->single, 2 * (at * w->out + k)) - (double)re,
                 di = part(y, t->single, 2 * (at * w->out + k) + 1) - (double)im;
    /* numbers are uniform, of width 1 */
    const double error = sqrt((dr * dr + di * di) / ((t->real ? 1. : 2.) / 12 * (double)w->in));
    return isnan(error) ? INFINITY : error;
}

/* `samples` numbers of random transforms, the first and the last among them. */
static rw_status find_error(rw_bench *b RW_UNUSED, void *user, double *worst)
{
    const work *w = user;
    const void *x, *y;
    RW_TRY(rw_array_read(w->x, &x));
    RW_TRY(rw_array_read(w->y, &y));
    *worst = 0;
    for (int i = 0; i < w->samples; ++i) {
        const int64_t at = i == 0   ? 0
                           : i == 1 ? w->t.batch - 1
                                    : (int64_t)(rw_random_uniform(8, (uint64_t)i) * (double)w->t.batch);
        const int64_t k = i == 0   ? 0
                          : i == 1 ? w->out - 1
                                   : (int64_t)(rw_random_uniform(9, (uint64_t)i) * (double)w->out);
        *worst = RW_MAX(*worst, difference(w, x, y, at, k));
    }
    return RW_OK;
}

/* Rounding grows with the number of stages; the sum itself has errors beyond. */
static double allowed(const work *w)
{
    return (w->t.single ? FLT_EPSILON : DBL_EPSILON) * (2 * log2((double)w->in + 2) + (w->t.single ? 0 : 30));
}

static rw_status peers(rw_bench *b, void *user, rw_peers *p)
{
    const work *w = user;
    return rw_transform_peer(b, &w->t, w->x, w->y, p);
}

static const rw_bench_task task = {call, find_error, peers, free_work};

static void describe(const work *w, rw_bench_result *row)
{
    const rw_bench_transform *t = &w->t;
    rw_fft_info info;
    char shape[32];
    int used = 0;
    for (int d = 0; d < t->rank; ++d)
        used += snprintf(shape + used, sizeof shape - (size_t)used, "%s%lld", d ? " x " : "", (long long)t->shape[d]);
    snprintf(row->what, sizeof row->what, "FFT %s %s", shape,
             t->real     ? t->single ? "f32" : "f64"
             : t->single ? "c64"
                         : "c128");
    snprintf(row->size, sizeof row->size, "%lld transform%s", (long long)t->batch, t->batch == 1 ? "" : "s");
    if (rw_fft_get_info(w->fft, &info) == RW_OK)
        snprintf(row->variant, sizeof row->variant, "%lld pass%s", (long long)info.passes,
                 info.passes == 1 ? "" : "es");
}

static rw_status run_one(rw_bench *b, const struct row *r)
{
    const bool gpu = b->dev->info.gpu;
    int64_t points = gpu ? 1 << 26 : b->options.quick ? 1 << 16 : 1 << 22, size = 1;
    rw_bench_transform t = {.rank = r->rank, .single = r->single, .real = r->real};
    for (int d = 0; d < r->rank; ++d) {
        t.shape[d] = r->shape[d];
        size *= r->shape[d];
    }
    if (!r->single) points /= 2;
    t.batch = r->rank > 1 ? 1 : RW_MAX(points / size, 1);
    work w;
    rw_bench_result row = {0};
    const rw_status status = make(b, &t, &w);
    w.samples = size > 1 << 22 ? 2 : 8;
    row.tolerance = allowed(&w);
    row.bytes = (double)t.batch * (r->single ? 4 : 8) * (double)(w.in * (r->real ? 1 : 2) + w.out * 2);
    if (status == RW_OK) describe(&w, &row);
    return rw_bench_measure(b, &task, &w, status, gpu ? r->target_gpu : r->target_cpu, gpu ? "cuFFT" : "FFTW", &row);
}

static rw_status run(rw_bench *b)
{
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const struct row *r = rows + i;
        if (!(b->dev->info.gpu ? r->gpu : r->cpu) || (b->options.quick && !r->quick)) continue;
        RW_TRY(run_one(b, r));
    }
    return RW_OK;
}

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *most)
{
    work w;
    const rw_bench_transform t = {.rank = 1, .shape = {RW_MAX(n, 1)}, .batch = 5, .single = variant == 0};
    const rw_status status = make(b, &t, &w);
    w.samples = 16;
    *most = allowed(&w);
    return rw_bench_verify(b, &task, &w, status, worst);
}

static const int64_t sizes[] = {1,    2,    7,    16,   31,   37,    60,    100,    128,     243, 256,
                                1000, 1024, 1021, 4096, 4099, 16384, 65536, 100000, 1 << 17, -1};
const rw_bench_case rw_bench_fft = {run, 2, check, sizes, 128, NULL};
