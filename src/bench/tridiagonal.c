/* Tridiagonal systems along an axis (src/elliptic), solved in place, f64: tables with one shift per line, or a matrix
 * per line. The matrix is 1 + a shift and a skew-symmetric part, so that solves of solutions neither grow nor vanish.
 * Error: the largest residual. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "elliptic/tridiagonal.h"

enum { VARIANTS = 4 }; /* bit 0: along the last axis; bit 1: a matrix per line */

typedef struct systems {
    int64_t n, lines;
    int variant;
    rw_tridiagonal_spec spec;
    rw_tridiagonal *plan;
    rw_array *x;
    rw_queue *queue;
} systems;

static void free_work(void *work)
{
    systems *s = work;
    rw_array **const arrays[] = {&s->spec.a, &s->spec.b, &s->spec.c, &s->spec.shift[0], &s->x};
    rw_tridiagonal_destroy(&s->plan);
    for (int i = 0; i < RW_COUNT(arrays); ++i) rw_array_destroy(arrays[i]);
}

static int64_t step_of(const systems *s) { return s->variant & 1 ? 1 : s->lines; }

/* The coupling of rows i and i + 1, in [-0.4, 0.4). */
static double coupling(int64_t i) { return 0.8 * rw_random_uniform(3, (uint64_t)i) - 0.4; }

static rw_status fill(const systems *s)
{
    void *data[3];
    rw_array *const arrays[] = {s->spec.a, s->spec.b, s->spec.c};
    for (int k = 0; k < 3; ++k) RW_TRY(rw_array_write(arrays[k], &data[k]));
    for (int64_t i = 0; i < arrays[0]->size; ++i) {
        const int64_t row = s->variant & 2 ? i / step_of(s) % s->n : i;
        ((double *)data[0])[i] = row ? -coupling(row - 1) : 0;
        ((double *)data[1])[i] = 1;
        ((double *)data[2])[i] = row < s->n - 1 ? coupling(row) : 0;
    }
    return RW_OK;
}

static rw_status make(rw_bench *b, systems *s, int64_t n, int64_t lines, int variant)
{
    const bool last = variant & 1, full = variant & 2;
    *s = (systems){.n = n, .lines = lines, .variant = variant, .queue = b->queue};
    s->spec = (rw_tridiagonal_spec){.dtype = RW_F64, .ndim = 2, .axis = last};
    s->spec.shape[last] = n;
    s->spec.shape[!last] = lines;
    rw_array **const arrays[] = {&s->spec.a, &s->spec.b, &s->spec.c};
    for (int k = 0; k < 3; ++k)
        RW_TRY(rw_array_create(b->dev, RW_F64, full ? 2 : 1, full ? s->spec.shape : &n, RW_MEMORY_DEVICE, arrays[k]));
    RW_TRY(fill(s));
    if (!full) {
        void *shift;
        RW_TRY(rw_bench_array(b, RW_F64, lines, &s->spec.shift[0]));
        RW_TRY(rw_array_write(s->spec.shift[0], &shift));
        for (int64_t i = 0; i < lines; ++i) ((double *)shift)[i] = 1e-3 * rw_random_uniform(4, (uint64_t)i);
    }
    RW_TRY(rw_array_create(b->dev, RW_F64, 2, s->spec.shape, RW_MEMORY_DEVICE, &s->x));
    RW_TRY(rw_random_fill(s->x, 5, -0.5));
    return rw_tridiagonal_create(b->dev, &s->spec, &s->plan);
}

static rw_status solve(void *work, int round RW_UNUSED)
{
    systems *s = work;
    return rw_tridiagonal_enqueue(s->plan, s->x, s->queue);
}

/* The largest |r - A x| after one call; `make` has filled in r. */
static rw_status error(rw_bench *b RW_UNUSED, void *work, double *worst)
{
    systems *s = work;
    const int64_t step = step_of(s), n = s->n;
    const void *data;
    RW_TRY(rw_array_read(s->x, &data));
    const double *x = data;
    *worst = 0;
    for (int64_t i = 0; i < n * s->lines; ++i) {
        const int64_t row = i / step % n, line = s->variant & 1 ? i / n : i % step;
        double left = x[i] - (rw_random_uniform(5, (uint64_t)i) - 0.5);
        if (!(s->variant & 2)) left += 1e-3 * rw_random_uniform(4, (uint64_t)line) * x[i];
        if (row) left -= coupling(row - 1) * x[i - step];
        if (row < n - 1) left += coupling(row) * x[i + step];
        *worst = isnan(left) ? INFINITY : fmax(*worst, fabs(left));
    }
    return RW_OK;
}

static const rw_bench_task task = {solve, error, NULL, free_work};
static const double tolerance = 16 * DBL_EPSILON;

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    systems s;
    *allowed = tolerance;
    return rw_bench_verify(b, &task, &s, make(b, &s, n, 100, variant), worst);
}

static rw_status run(rw_bench *b)
{
    static const int64_t sides[] = {1024, 2048, 4096};
    const int sizes = b->options.quick ? 1 : b->dev->info.gpu ? 3 : 2;
    for (int i = 0; i < sizes; ++i)
        for (int variant = 0; variant < VARIANTS; ++variant) {
            systems s;
            const int64_t n = b->options.quick ? 100 : sides[i];
            rw_bench_result row = {.tolerance = tolerance, .bytes = (variant & 2 ? 40.0 : 16.0) * (double)(n * n)};
            snprintf(row.what, sizeof row.what, "tridiagonal, axis %d, %s", variant & 1,
                     variant & 2 ? "a matrix per line" : "tables");
            snprintf(row.size, sizeof row.size, "%lld x %lld f64", (long long)n, (long long)n);
            RW_TRY(rw_bench_measure(b, &task, &s, make(b, &s, n, n, variant), 0, NULL, &row));
        }
    return RW_OK;
}

static const int64_t check_sizes[] = {1, 2, 33, 300, 3000, -1};
const rw_bench_case rw_bench_tridiagonal = {run, VARIANTS, check, check_sizes, 300, NULL};
