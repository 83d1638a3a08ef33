/* Convolutions of an image with a kernel by transforms, f32, with a result of the size of the image; compared with
 * cuFFT (real transform, product, inverse transform) on an image that is already padded. Some results are compared with
 * the sum that defines them. */
#include <float.h>
#include <math.h>

#include "bench/bench.h"
#include "rechenwerk/fft.h"

static const struct row {
    bool gpu, cpu, quick;
    int64_t n, m;
    double target;
} rows[] = {{true, false, false, 4096, 512, 1.8},
            {true, false, false, 8192, 64, 0},
            {true, true, false, 1024, 64, 0},
            {false, true, true, 256, 32, 0}};

typedef struct work {
    rw_convolution *convolution;
    rw_array *a, *b, *y;
    rw_queue *queue;
    int64_t n, m;
    /* the peer's */
    rw_peer forth, back;
    rw_array *padded, *spectrum, *factors, *result;
    rw_program *program;
    rw_kernel *multiply;
} work;

static void free_work(void *user)
{
    work *w = user;
    if (w->forth.close) w->forth.close(w->forth.state);
    if (w->back.close) w->back.close(w->back.state);
    rw_convolution_destroy(&w->convolution);
    rw_array_destroy(&w->a);
    rw_array_destroy(&w->b);
    rw_array_destroy(&w->y);
    rw_array_destroy(&w->padded);
    rw_array_destroy(&w->spectrum);
    rw_array_destroy(&w->factors);
    rw_array_destroy(&w->result);
    rw_program_destroy(&w->program);
}

static rw_status make(rw_bench *b, int64_t n, int64_t m, work *w)
{
    const rw_convolution_spec s = {.mode = RW_CONVOLUTION_SAME,
                                   .dtype = RW_F32,
                                   .ndim = 2,
                                   .a_shape = {n, n},
                                   .b_shape = {m, m}};
    *w = (work){.queue = b->queue, .n = n, .m = m};
    RW_TRY(rw_array_create(b->dev, RW_F32, 2, s.a_shape, RW_MEMORY_DEVICE, &w->a));
    RW_TRY(rw_array_create(b->dev, RW_F32, 2, s.b_shape, RW_MEMORY_DEVICE, &w->b));
    RW_TRY(rw_array_create(b->dev, RW_F32, 2, s.a_shape, RW_MEMORY_DEVICE, &w->y));
    RW_TRY(rw_random_fill(w->a, 3, -0.5));
    RW_TRY(rw_random_fill(w->b, 4, -0.5));
    RW_TRY(rw_bench_poison(w->y));
    RW_TRY(rw_convolution_create(b->dev, &s, &w->convolution));
    return rw_convolution_set(w->convolution, w->b, w->queue);
}

static rw_status call(void *user, int round RW_UNUSED)
{
    work *w = user;
    return rw_convolution_execute(w->convolution, w->a, w->y, w->queue);
}

/* Some results by the sum: their distance over the root of the mean square of such sums. */
static rw_status find_error(rw_bench *bench RW_UNUSED, void *user, double *worst)
{
    enum { SAMPLES = 8 };
    const work *w = user;
    const void *a, *b, *y;
    RW_TRY(rw_array_read(w->a, &a));
    RW_TRY(rw_array_read(w->b, &b));
    RW_TRY(rw_array_read(w->y, &y));
    *worst = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        const int64_t row = k == 0 ? 0 : (int64_t)(rw_random_uniform(8, (uint64_t)k) * (double)w->n),
                      column = k == 1 ? w->n - 1 : (int64_t)(rw_random_uniform(9, (uint64_t)k) * (double)w->n);
        const int64_t ahead = (w->m - 1) / 2;
        double sum = 0;
        for (int64_t i = 0; i < w->m; ++i)
            for (int64_t j = 0; j < w->m; ++j) {
                const int64_t r = row + ahead - i, c = column + ahead - j;
                if (r >= 0 && r < w->n && c >= 0 && c < w->n)
                    sum += (double)((const float *)a)[r * w->n + c] * ((const float *)b)[i * w->m + j];
            }
        /* numbers are uniform, of width 1 */
        const double error = fabs(((const float *)y)[row * w->n + column] - sum) * 12 / (double)w->m;
        *worst = rw_worse(*worst, error);
    }
    return RW_OK;
}

static double allowed(const work *w) { return FLT_EPSILON * 6 * log2((double)(w->n + w->m) + 2); }

/* ---- a chain of transforms --------------------------------------------------------------------------------------- */

/* A length that cuFFT likes: even, a product of 2, 3 and 5. */
static int64_t good_length(int64_t least)
{
    for (int64_t n = least + least % 2;; n += 2) {
        int64_t rest = n;
        for (int p = 2; p <= 5; ++p)
            while (rest % p == 0) rest /= p;
        if (rest == 1) return n;
    }
}

static const char chain_name[] = "cuFFT, product, cuFFT";

static rw_status call_chain(void *user, int round)
{
    work *w = user;
    const int64_t n = w->spectrum->size;
    const rw_arg args[] = {rw_arg_array(w->spectrum), rw_arg_array(w->factors), rw_arg_int(n)};
    RW_TRY(w->forth.contestant.call(w->forth.contestant.user, round));
    RW_TRY(rw_launch(w->queue, w->multiply, (const int64_t[]){(n + 1023) / 1024, 1, 1}, args, RW_COUNT(args)));
    return w->back.contestant.call(w->back.contestant.user, round);
}

static rw_status open_chain(rw_bench *b, void *user, rw_peers *peers)
{
    work *w = user;
    const int64_t n = good_length(w->n + w->m - 1), real[] = {n, n}, half[] = {n, n / 2 + 1};
    const rw_bench_transform t = {.rank = 2, .shape = {n, n}, .batch = 1, .single = true, .real = true};
    rw_bench_transform inverse = t;
    inverse.inverse = true;
    if (b->options.no_peers || !b->dev->info.gpu) return RW_ERR_UNSUPPORTED;
    RW_TRY(rw_array_create(b->dev, RW_F32, 2, real, RW_MEMORY_DEVICE, &w->padded));
    RW_TRY(rw_array_create(b->dev, RW_C64, 2, half, RW_MEMORY_DEVICE, &w->spectrum));
    RW_TRY(rw_array_create(b->dev, RW_C64, 2, half, RW_MEMORY_DEVICE, &w->factors));
    RW_TRY(rw_array_create(b->dev, RW_F32, 2, real, RW_MEMORY_DEVICE, &w->result));
    RW_TRY(rw_random_fill(w->padded, 5, -0.5));
    RW_TRY(rw_random_fill(w->factors, 6, -0.5));
    RW_TRY(rw_bench_program(b, "convolution.k", "GROUP=256", &w->program));
    RW_TRY(rw_program_kernel(w->program, "multiply", &w->multiply));
    RW_TRY(rw_cufft_open(b, &t, w->padded, w->spectrum, &w->forth));
    RW_TRY(rw_cufft_open(b, &inverse, w->spectrum, w->result, &w->back));
    rw_peers_add(peers, chain_name, call_chain, w);
    return RW_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static const rw_bench_task task = {call, find_error, open_chain, free_work};

static rw_status run_one(rw_bench *b, const struct row *r)
{
    work w;
    rw_fft_info info;
    rw_bench_result row = {.bytes = 2. * 4 * (double)(r->n * r->n)};
    rw_status status = make(b, r->n, r->m, &w);
    if (status == RW_OK) status = rw_convolution_get_info(w.convolution, &info);
    if (status == RW_OK) {
        row.tolerance = allowed(&w);
        snprintf(row.what, sizeof row.what, "convolution f32, %lld x %lld", (long long)r->m, (long long)r->m);
        snprintf(row.size, sizeof row.size, "%lld^2 pixels", (long long)r->n);
        snprintf(row.variant, sizeof row.variant, "%lld passes", (long long)info.passes);
    }
    return rw_bench_measure(b, &task, &w, status, r->target, chain_name, &row);
}

static rw_status run(rw_bench *b)
{
    for (int i = 0; i < RW_COUNT(rows); ++i)
        if ((b->dev->info.gpu ? rows[i].gpu : rows[i].cpu) && (!b->options.quick || rows[i].quick))
            RW_TRY(run_one(b, rows + i));
    return RW_OK;
}

static rw_status check(rw_bench *b, int64_t n, int variant RW_UNUSED, double *worst, double *most)
{
    work w;
    const rw_status status = make(b, RW_MAX(n, 1), RW_MAX(n / 5, 1), &w);
    *most = allowed(&w);
    return rw_bench_verify(b, &task, &w, status, worst);
}

static const int64_t sizes[] = {1, 2, 17, 64, 100, 255, -1};
const rw_bench_case rw_bench_convolution = {run, 1, check, sizes, 64, NULL};
