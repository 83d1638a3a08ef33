/* A separable 17-tap filter: kernel, check against the double sum in double precision, rows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"

enum { TAPS = 17, R = 8 };

typedef struct filter {
    int nx, ny, tx, rows;   /* image; strip and piece of a group */
    int step;               /* every such pixel is compared */
    float weight[2 * TAPS]; /* along x, along y */
    rw_array *x, *y, *loop_y;
    rw_program *program;
    rw_kernel *kernel;
    rw_queue *queue;
    void (*loop)(float *, const float *, int, int, const float *, const float *, int); /* peer on the host */
    void *host_y;
    const void *host_x;
    int threads;
} filter;

/* c: columns of an item in filter_columns.k, 0 for filter.k */
static const struct variant {
    const char *name, *definitions;
    int tx, rows, c;
    bool lanes;
} variants[] = {
#define COLUMNS(group, c, b, rows, units)                                                                              \
    {                                                                                                                  \
        "columns: " #group " items of " #c ", " #b " x " #rows " rows",                                                \
            "GROUP=" #group " C=" #c " B=" #b " ROWS=" #rows " RW_GROUPS_A_UNIT=" #units, group *c, rows, c, false     \
    }
    COLUMNS(128, 4, 8, 342, 3), /* as many groups as the 132 units of an H200 hold at 8192^2 */
    COLUMNS(64, 4, 8, 342, 6),
    COLUMNS(64, 4, 8, 293, 7),
    COLUMNS(64, 4, 4, 249, 8),
    COLUMNS(128, 2, 4, 342, 6),
    {"112 x 240 of 128", "GROUP=128 TX=112 ROWS=240 ALONG=4 AHEAD=1 RW_GROUPS_A_UNIT=5", 112, 240, 0, false},
    {"128 x 512", "GROUP=128 TX=128 ROWS=512 ALONG=1 AHEAD=0", 128, 512, 0, true},
    {"240 x 512", "GROUP=240 TX=240 ROWS=512 ALONG=1 AHEAD=0", 240, 512, 0, true},
};

static void free_filter(void *work)
{
    filter *f = work;
    rw_array_destroy(&f->x);
    rw_array_destroy(&f->y);
    rw_array_destroy(&f->loop_y);
    rw_program_destroy(&f->program);
}

/* The text of a variant for images of nx columns, and its definitions. */
static const char *text(const struct variant *v, int nx, char definitions[RW_BENCH_DEFINITIONS])
{
    int n = snprintf(definitions, RW_BENCH_DEFINITIONS, "%s", v->definitions);
    if (v->c) snprintf(definitions + n, (size_t)(RW_BENCH_DEFINITIONS - n), " WHOLE=%d", nx % v->c == 0);
    return v->c ? "filter_columns.k" : "filter.k";
}

static const char *source(int variant, char definitions[RW_BENCH_DEFINITIONS])
{
    return text(variants + variant, 8192, definitions);
}

static rw_status make(rw_bench *b, filter *f, int nx, int ny, const struct variant *v)
{
    char definitions[RW_BENCH_DEFINITIONS];
    const char *file = text(v, nx, definitions);
    f->nx = nx;
    f->ny = ny;
    f->tx = v->tx;
    f->rows = v->rows;
    f->queue = b->queue;
    f->threads = b->threads;
    for (int k = 0; k < 2 * TAPS; ++k) f->weight[k] = (float)(rw_random_uniform(4, (uint64_t)k) - 0.3);
    RW_TRY(rw_bench_array(b, RW_F32, (int64_t)nx * ny, &f->x));
    RW_TRY(rw_bench_array(b, RW_F32, (int64_t)nx * ny, &f->y));
    RW_TRY(rw_random_fill(f->x, 5, -0.5));
    RW_TRY(rw_bench_poison(f->y));
    RW_TRY(rw_bench_program(b, file, definitions, &f->program));
    return rw_program_kernel(f->program, "filter17", &f->kernel);
}

static rw_status apply(void *user, int round RW_UNUSED)
{
    filter *f = user;
    rw_arg a[4 + 2 * TAPS] = {rw_arg_array(f->y), rw_arg_array(f->x), rw_arg_int(f->nx), rw_arg_int(f->ny)};
    for (int k = 0; k < 2 * TAPS; ++k) a[4 + k] = rw_arg_real(f->weight[k]);
    int64_t groups[3] = {(f->nx + f->tx - 1) / f->tx, (f->ny + f->rows - 1) / f->rows, 1};
    return rw_launch(f->queue, f->kernel, groups, a, RW_COUNT(a));
}

/* Pixel (i, j): the difference over the sum of absolute products. */
static double pixel_error(const filter *f, const float *x, const float *y, int i, int j)
{
    double sum = 0, scale = 0;
    for (int l = 0; l < TAPS; ++l)
        for (int k = 0; k < TAPS; ++k) {
            int p = RW_MAX(0, RW_MIN(i + k - R, f->nx - 1)), q = RW_MAX(0, RW_MIN(j + l - R, f->ny - 1));
            double t = (double)f->weight[k] * f->weight[TAPS + l] * x[(int64_t)q * f->nx + p];
            sum += t;
            scale += fabs(t);
        }
    double e = fabs(y[(int64_t)j * f->nx + i] - sum);
    return isnan(e) ? INFINITY : scale > 0 ? e / scale : e;
}

/* Every `step`-th pixel and the frame; all others must at least have been written. */
static rw_status error(rw_bench *b, void *work, double *worst)
{
    const filter *f = work;
    const void *x, *y;
    double w = 0;
    (void)b;
    RW_TRY(rw_array_read(f->x, &x));
    RW_TRY(rw_array_read(f->y, &y));
    int nx = f->nx, ny = f->ny;
#pragma omp parallel for reduction(max : w)
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            bool frame = (i < R || j < R || i >= nx - R || j >= ny - R) && (i + j) % 5 == 0;
            double e = isnan(((const float *)y)[(int64_t)j * nx + i]) ? INFINITY : 0;
            if (frame || ((int64_t)j * nx + i) % f->step == 0) e = RW_MAX(e, pixel_error(f, x, y, i, j));
            w = RW_MAX(w, e);
        }
    *worst = w;
    return RW_OK;
}

static const double tolerance = 36 * FLT_EPSILON; /* 34 multiplications and additions, products of weights */

/* The shared memory of a group: 16 rows of TX + 16 and 32 rows of TX; a GPU gives 48 KiB without asking. The text for
 * columns needs less. */
static bool fits(const rw_bench *b, const struct variant *v)
{
    return !b->dev->info.gpu || v->c || (16 * (v->tx + 16) + 32 * v->tx) * (int)sizeof(float) <= 48 << 10;
}

static rw_status loop(void *user, int round RW_UNUSED)
{
    filter *f = user;
    f->loop(f->host_y, f->host_x, f->nx, f->ny, f->weight, f->weight + TAPS, f->threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, void *work, rw_peers *peers)
{
    filter *f = work;
    if (!rw_host_loop(b, "filter17", &f->loop)) return RW_OK;
    RW_TRY(rw_array_read(f->x, &f->host_x));
    RW_TRY(rw_bench_output(b, RW_F32, (int64_t)f->nx * f->ny, &f->loop_y, &f->host_y));
    rw_peers_add(peers, "C vectors", loop, f);
    return RW_OK;
}

static const rw_bench_task task = {apply, error, add_loop, free_filter};

/* n x n, and a little taller, so that both directions differ; of large images a part of the pixels of each column. */
static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    filter f = {.step = n > 300 ? 11 : 1};
    *worst = 0;
    *allowed = tolerance;
    if (!fits(b, variants + variant)) return RW_OK;
    return rw_bench_verify(b, &task, &f, make(b, &f, (int)n, n ? (int)n + 5 : 0, variants + variant), worst);
}

static rw_status run_one(rw_bench *b, const struct variant *v)
{
    const bool gpu = b->dev->info.gpu;
    const int n = b->options.quick ? 300 : 8192;
    filter f = {.step = 1009};
    rw_bench_result row = {.what = "separable filter 17 x 17 f32", .tolerance = tolerance, .bytes = 8.0 * n * n};
    snprintf(row.size, sizeof row.size, "%d^2 pixels", n);
    snprintf(row.variant, sizeof row.variant, "%s", v->name);
    return rw_bench_measure(b, &task, &f, make(b, &f, n, n, v), gpu ? 0.85 : 0.9, gpu ? NULL : "C vectors", &row);
}

static rw_status run(rw_bench *b)
{
    for (int v = 0, taken = 0; v < RW_COUNT(variants); ++v)
        if (fits(b, variants + v) && (b->options.variants || (variants[v].lanes == b->lanes && !taken++)))
            RW_TRY(run_one(b, variants + v));
    return RW_OK;
}

static const int64_t sizes[] = {0, 1, 2, 7, 8, 16, 17, 100, 112, 113, 123, 128, 129, 241, 300, 520, 523, 1032, -1};
const rw_bench_case rw_bench_filter = {run, RW_COUNT(variants), check, sizes, 17, source};
