/* Batched 256-point transforms: kernel, check against the sum that defines them, rows compared with FFTW or cuFFT. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"

enum { POINTS = 256 };

typedef struct transform {
    int64_t batch;
    int together; /* transforms a group */
    int64_t step; /* every such transform is compared */
    rw_array *x, *y, *w;
    rw_program *program;
    rw_kernel *kernel;
    rw_queue *queue;
} transform;

static const struct variant {
    const char *name, *definitions;
    int together;
    bool lanes;
} variants[] = {
    {"16 per group of 256", "GROUP=256 GROUP_X=16 TRANSFORMS=16 LINE=17", 16, false},
    {"16 per group of 256, 4 groups", "GROUP=256 GROUP_X=16 TRANSFORMS=16 LINE=17 RW_GROUPS_A_UNIT=4", 16, false},
    {"8 per group of 128", "GROUP=128 GROUP_X=16 TRANSFORMS=8 LINE=17", 8, false},
    {"8 per group of 128, 8 groups", "GROUP=128 GROUP_X=16 TRANSFORMS=8 LINE=17 RW_GROUPS_A_UNIT=8", 8, false},
    {"8 per group of 128, 6 groups", "GROUP=128 GROUP_X=16 TRANSFORMS=8 LINE=17 RW_GROUPS_A_UNIT=6", 8, false},
    {"4 per group of 64", "GROUP=64 GROUP_X=16 TRANSFORMS=4 LINE=17", 4, false},
    {"4 in sequence", "GROUP=16 GROUP_X=16 TRANSFORMS=4 LINE=16", 4, true},
    {"1 per group", "GROUP=16 GROUP_X=16 TRANSFORMS=1 LINE=16", 1, true},
};

static void free_transform(void *work)
{
    transform *t = work;
    rw_array_destroy(&t->x);
    rw_array_destroy(&t->y);
    rw_array_destroy(&t->w);
    rw_program_destroy(&t->program);
}

static const char *source(int variant, char definitions[RW_BENCH_DEFINITIONS])
{
    snprintf(definitions, RW_BENCH_DEFINITIONS, "%s", variants[variant].definitions);
    return "fft256.k";
}

static rw_status make(rw_bench *b, transform *t, int64_t batch, const struct variant *v)
{
    void *w;
    t->batch = batch;
    t->together = v->together;
    t->queue = b->queue;
    RW_TRY(rw_bench_array(b, RW_C64, batch * POINTS, &t->x));
    RW_TRY(rw_bench_array(b, RW_C64, batch * POINTS, &t->y));
    RW_TRY(rw_bench_array(b, RW_F32, 2 * POINTS, &t->w));
    RW_TRY(rw_random_fill(t->x, 3, -0.5));
    RW_TRY(rw_bench_poison(t->y));
    RW_TRY(rw_array_write(t->w, &w));
    for (int i = 0; i < POINTS; ++i) { /* w256^((i / 16) (i % 16)) */
        double angle = 2 * 3.14159265358979323846 * (i / 16) * (i % 16) / POINTS;
        ((float *)w)[i] = (float)cos(angle);
        ((float *)w)[POINTS + i] = (float)sin(angle);
    }
    RW_TRY(rw_bench_program(b, "fft256.k", v->definitions, &t->program));
    return rw_program_kernel(t->program, "fft256", &t->kernel);
}

static rw_status transform_all(void *user, int round RW_UNUSED)
{
    transform *t = user;
    rw_arg a[] = {rw_arg_array(t->y), rw_arg_array(t->x), rw_arg_array(t->w), rw_arg_int(t->batch)};
    return rw_launch(t->queue, t->kernel, (int64_t[3]){(t->batch + t->together - 1) / t->together, 1, 1}, a, 4);
}

/* One transform: the norm of the difference over the norm of the sum. */
static double transform_error(const float *x, const float *y, const double *c, const double *s)
{
    double difference = 0, norm = 0;
    for (int k = 0; k < POINTS; ++k) {
        double re = 0, im = 0;
        for (int n = 0; n < POINTS; ++n) {
            int a = n * k % POINTS;
            re += x[2 * n] * c[a] + x[2 * n + 1] * s[a];
            im += x[2 * n + 1] * c[a] - x[2 * n] * s[a];
        }
        difference += (y[2 * k] - re) * (y[2 * k] - re) + (y[2 * k + 1] - im) * (y[2 * k + 1] - im);
        norm += re * re + im * im;
    }
    return isnan(difference) ? INFINITY : sqrt(difference / norm);
}

/* Every `step`-th transform, the last too; all others must at least have been written. */
static rw_status error(rw_bench *b, void *work, double *worst)
{
    const transform *t = work;
    const void *x, *y;
    double c[POINTS], s[POINTS], w = 0;
    (void)b;
    for (int i = 0; i < POINTS; ++i) {
        double angle = 2 * 3.14159265358979323846 * i / POINTS;
        c[i] = cos(angle);
        s[i] = sin(angle);
    }
    RW_TRY(rw_array_read(t->x, &x));
    RW_TRY(rw_array_read(t->y, &y));
#pragma omp parallel for reduction(max : w)
    for (int64_t i = 0; i < t->batch; ++i) {
        const float *xi = (const float *)x + 2 * POINTS * i, *yi = (const float *)y + 2 * POINTS * i;
        double e = 0;
        for (int k = 0; k < 2 * POINTS; ++k) e = isnan(yi[k]) ? INFINITY : e;
        if (i % t->step == 0 || i == t->batch - 1) e = RW_MAX(e, transform_error(xi, yi, c, s));
        w = rw_worse(w, e);
    }
    *worst = w;
    return RW_OK;
}

static const double tolerance = 8 * FLT_EPSILON; /* log2(256) steps of one rounding each */

static rw_status peers(rw_bench *b, void *work, rw_peers *p)
{
    const transform *t = work;
    const rw_bench_transform f = {.rank = 1, .shape = {POINTS}, .batch = t->batch, .single = true};
    return rw_transform_peer(b, &f, t->x, t->y, p);
}

static const rw_bench_task task = {transform_all, error, peers, free_transform};

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    transform t = {.step = 1};
    *allowed = tolerance;
    return rw_bench_verify(b, &task, &t, make(b, &t, n, variants + variant), worst);
}

static rw_status run_one(rw_bench *b, const struct variant *v)
{
    const bool gpu = b->dev->info.gpu, one = !gpu && b->threads == 1;
    int64_t batch = b->options.quick ? 1024 : gpu ? 1 << 18 : 1 << 14;
    transform t = {.step = 101};
    rw_bench_result row = {.tolerance = tolerance, .bytes = 16.0 * (double)batch * POINTS};
    snprintf(row.what, sizeof row.what, "FFT 256 c64%s", one ? ", one thread" : "");
    snprintf(row.size, sizeof row.size, "%lld transforms", (long long)batch);
    snprintf(row.variant, sizeof row.variant, "%s", v->name);
    return rw_bench_measure(b, &task, &t, make(b, &t, batch, v),
                            gpu   ? 0.95
                            : one ? 0.6
                                  : 0,
                            gpu ? "cuFFT" : "FFTW", &row);
}

static rw_status run_variants(rw_bench *b)
{
    for (int v = 0, taken = 0; v < RW_COUNT(variants); ++v)
        if (b->options.variants || (variants[v].lanes == b->lanes && !taken++)) RW_TRY(run_one(b, variants + v));
    return RW_OK;
}

/* On a processor a second time with one thread, as FFTW is usually judged. */
static rw_status run(rw_bench *b)
{
    RW_TRY(run_variants(b));
    if (strcmp(b->dev->info.kind, "cpu") != 0 || b->threads == 1) return RW_OK;
    rw_device *one;
    rw_bench single;
    RW_TRY(rw_device_open(b->ctx, "cpu:1", &one));
    rw_status status = rw_bench_begin(&single, b->ctx, one, &b->options);
    if (status == RW_OK) status = run_variants(&single);
    for (int i = 0; i < single.nrows && status == RW_OK; ++i) status = rw_bench_add(b, single.rows + i);
    rw_bench_end(&single);
    rw_device_close(&one);
    return status;
}

static const int64_t sizes[] = {0, 1, 3, 4, 5, 7, 8, 9, 16, 17, 33, -1};
const rw_bench_case rw_bench_fft256 = {run, RW_COUNT(variants), check, sizes, 17, source};
