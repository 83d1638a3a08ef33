/* Image filters of the library, one channel, u8 and f32; some pixels of each result against its definition in double
 * precision. bench/peers/image_peers.py runs the same operations with other libraries. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/image.h"

enum { MOST_TAPS = 13, GAUSS_RADIUS = 9, BIN = 256, SAMPLES = 64 };

typedef struct work work;
typedef double definition(const work *w, int64_t i, int64_t j);
static definition of_gauss, of_fine_gauss, of_box, of_sobel, of_median3, of_median5, of_mask, of_erode, of_threshold,
    of_bilateral, of_resize, of_equalize, of_chain;

static const struct operation {
    const char *name, *text, *text_f32; /* text_f32: NULL: the same */
    definition *of;
    int64_t n;          /* edge of the image */
    bool u8, f32, deep; /* deep: the result of u8 is i16 */
} operations[] = {
    {"gauss sigma 3", "gauss:sigma=3", NULL, of_gauss, 4096, true, true, false},
    {"gauss sigma 1", "gauss:sigma=1", NULL, of_fine_gauss, 4096, true, true, false},
    {"box 5", "box:size=5", NULL, of_box, 4096, true, true, false},
    {"sobel x", "sobel:direction=x", NULL, of_sobel, 4096, true, true, true},
    {"median 3x3", "median:size=3", NULL, of_median3, 4096, true, true, false},
    {"median 5x5", "median:size=5", NULL, of_median5, 4096, true, true, false},
    {"mask 3x3", "mask:mask=0 -1 0/-1 5 -1/0 -1 0", NULL, of_mask, 4096, true, true, false},
    {"erode 5", "erode:size=5", NULL, of_erode, 4096, true, true, false},
    {"threshold", "threshold:level=102", "threshold:level=0.4", of_threshold, 4096, true, true, false},
    {"bilateral 13", "bilateral:sigma=2:range=51", "bilateral:sigma=2:range=0.2", of_bilateral, 1024, true, true,
     false},
    {"resize 0.5", "resize:factor=0.5", NULL, of_resize, 4096, true, true, false},
    {"equalize", "equalize", NULL, of_equalize, 4096, true, false, false},
    {"gauss|sobel|normalize", "gauss:sigma=1|sobel|normalize", NULL, of_chain, 4096, true, true, false},
};

struct work {
    const struct operation *operation;
    int64_t n;
    bool f32;
    rw_image_filter *filter;
    rw_image_info info;
    rw_array *x, *y;
    rw_queue *queue;
    const void *pixels;
    double low, high; /* of the derivatives in the chain */
    double sum[BIN];  /* pixels with a value up to this one */
};

/* ---- definitions ------------------------------------------------------------------------------------------------- */

/* Pixel (i, j) with the border reflect101, as a fraction of white. */
static double pixel(const work *w, int64_t i, int64_t j)
{
    const int64_t last = w->n - 1;
    while (last > 0 && (i < 0 || i > last)) i = i < 0 ? -i : 2 * last - i;
    while (last > 0 && (j < 0 || j > last)) j = j < 0 ? -j : 2 * last - j;
    if (last == 0) i = j = 0;
    return w->f32 ? ((const float *)w->pixels)[j * w->n + i] : ((const uint8_t *)w->pixels)[j * w->n + i] / 255.;
}

static double gauss(const work *w, int64_t i, int64_t j, double sigma, int radius)
{
    double sum = 0, weights = 0;
    for (int l = -radius; l <= radius; ++l)
        for (int k = -radius; k <= radius; ++k) {
            const double weight = exp(-(k * k + l * l) / (2 * sigma * sigma));
            sum += weight * pixel(w, i + k, j + l);
            weights += weight;
        }
    return sum / weights;
}

static double of_gauss(const work *w, int64_t i, int64_t j) { return gauss(w, i, j, 3, GAUSS_RADIUS); }
static double of_fine_gauss(const work *w, int64_t i, int64_t j) { return gauss(w, i, j, 1, 3); }

static double of_box(const work *w, int64_t i, int64_t j)
{
    double sum = 0;
    for (int l = -2; l <= 2; ++l)
        for (int k = -2; k <= 2; ++k) sum += pixel(w, i + k, j + l);
    return sum / 25;
}

static double of_sobel(const work *w, int64_t i, int64_t j)
{
    double sum = 0;
    for (int l = -1; l <= 1; ++l) sum += (2 - abs(l)) * (pixel(w, i + 1, j + l) - pixel(w, i - 1, j + l));
    return sum;
}

static double median(const work *w, int64_t i, int64_t j, int radius)
{
    double v[25];
    int n = 0;
    for (int l = -radius; l <= radius; ++l)
        for (int k = -radius; k <= radius; ++k) v[n++] = pixel(w, i + k, j + l);
    return rw_median(v, n);
}

static double of_median3(const work *w, int64_t i, int64_t j) { return median(w, i, j, 1); }
static double of_median5(const work *w, int64_t i, int64_t j) { return median(w, i, j, 2); }

static double of_mask(const work *w, int64_t i, int64_t j)
{
    return 5 * pixel(w, i, j) - pixel(w, i - 1, j) - pixel(w, i + 1, j) - pixel(w, i, j - 1) - pixel(w, i, j + 1);
}

static double of_erode(const work *w, int64_t i, int64_t j)
{
    double least = INFINITY;
    for (int l = -2; l <= 2; ++l)
        for (int k = -2; k <= 2; ++k) least = fmin(least, pixel(w, i + k, j + l));
    return least;
}

static double of_threshold(const work *w, int64_t i, int64_t j)
{
    return pixel(w, i, j) > (w->f32 ? (double)0.4f : 0.4) + 1e-9 ? 1 : 0;
}

static double of_bilateral(const work *w, int64_t i, int64_t j)
{
    const int radius = MOST_TAPS / 2;
    double sum = 0, weights = 0;
    for (int l = -radius; l <= radius; ++l)
        for (int k = -radius; k <= radius; ++k) {
            if (k * k + l * l > radius * radius) continue;
            const double d = pixel(w, i + k, j + l) - pixel(w, i, j),
                         weight = exp(-(k * k + l * l) / 8. - d * d / (2 * 0.2 * 0.2));
            sum += weight * pixel(w, i + k, j + l);
            weights += weight;
        }
    return sum / weights;
}

static double of_resize(const work *w, int64_t i, int64_t j)
{
    const double x = ((double)i + 0.5) * (double)w->n / (double)w->info.width - 0.5,
                 y = ((double)j + 0.5) * (double)w->n / (double)w->info.height - 0.5;
    const int64_t p = (int64_t)floor(x), q = (int64_t)floor(y);
    const double a = x - (double)p, b = y - (double)q;
    return (1 - b) * ((1 - a) * pixel(w, p, q) + a * pixel(w, p + 1, q)) +
           b * ((1 - a) * pixel(w, p, q + 1) + a * pixel(w, p + 1, q + 1));
}

static double of_equalize(const work *w, int64_t i, int64_t j)
{
    double first = 0;
    for (int b = 0; b < BIN && first == 0; ++b) first = w->sum[b];
    return w->sum[BIN - 1] == first ? pixel(w, i, j)
                                    : (w->sum[(int)(255 * pixel(w, i, j) + 0.5)] - first) / (w->sum[BIN - 1] - first);
}

/* The magnitude of the derivatives of the blurred image, which for u8 is rounded in between. */
static double of_chain(const work *w, int64_t i, int64_t j)
{
    double v[3][3], dx = 0, dy = 0;
    for (int l = -1; l <= 1; ++l)
        for (int k = -1; k <= 1; ++k) {
            int64_t p = i + k, q = j + l;
            if (w->n > 1) {
                p = llabs(p) < w->n ? llabs(p) : 2 * (w->n - 1) - p;
                q = llabs(q) < w->n ? llabs(q) : 2 * (w->n - 1) - q;
            }
            v[l + 1][k + 1] = of_fine_gauss(w, p, q);
        }
    for (int k = 0; k < 3; ++k) {
        dx += (2 - abs(k - 1)) * (v[k][2] - v[k][0]);
        dy += (2 - abs(k - 1)) * (v[2][k] - v[0][k]);
    }
    const double d = w->high - w->low;
    return d > 0 ? (hypot(dx, dy) - w->low) / d : 0;
}

/* ---- the filter -------------------------------------------------------------------------------------------------- */

static void free_work(void *user)
{
    work *w = user;
    rw_image_filter_destroy(&w->filter);
    rw_array_destroy(&w->x);
    rw_array_destroy(&w->y);
}

static rw_status fill(work *w)
{
    void *data;
    if (w->f32) {
        RW_TRY(rw_random_fill(w->x, 11, 0));
    } else {
        RW_TRY(rw_array_write(w->x, &data));
        for (int64_t i = 0; i < w->n * w->n; ++i)
            ((uint8_t *)data)[i] = (uint8_t)(256 * rw_random_uniform(11, (uint64_t)i));
    }
    RW_TRY(rw_array_read(w->x, &w->pixels));
    for (int64_t i = 0; i < w->n * w->n && !w->f32; ++i) w->sum[((const uint8_t *)w->pixels)[i]] += 1;
    for (int b = 1; b < BIN; ++b) w->sum[b] += w->sum[b - 1];
    return RW_OK;
}

static rw_image_spec spec_of(const work *w)
{
    const struct operation *o = w->operation;
    return (rw_image_spec){.text = w->f32 && o->text_f32 ? o->text_f32 : o->text,
                           .dtype = w->f32 ? RW_F32 : RW_U8,
                           .y_dtype = !w->f32 && o->deep ? RW_I16 : RW_DTYPE_DEFAULT,
                           .width = w->n,
                           .height = w->n};
}

static rw_status make(rw_bench *b, const struct operation *o, bool f32, int64_t n, work *w)
{
    *w = (work){.operation = o, .f32 = f32, .n = n, .queue = b->queue};
    const int64_t x_shape[] = {n, n};
    const rw_image_spec spec = spec_of(w);
    RW_TRY(rw_array_create(b->dev, spec.dtype, 2, x_shape, RW_MEMORY_DEVICE, &w->x));
    RW_TRY(fill(w));
    RW_TRY(rw_image_filter_create(b->dev, &spec, &w->filter));
    RW_TRY(rw_image_filter_get_info(w->filter, &w->info));
    const int64_t y_shape[] = {w->info.height, w->info.width};
    return rw_array_create(b->dev, w->info.dtype, 2, y_shape, RW_MEMORY_DEVICE, &w->y);
}

static rw_status call(void *user, int round RW_UNUSED)
{
    work *w = user;
    return rw_image_filter_execute(w->filter, w->x, w->y, w->queue);
}

/* Least and largest derivative of the chain, from the same chain without its last operation, in f32. */
static rw_status find_range(rw_bench *b, work *w)
{
    if (w->operation->of != of_chain) return RW_OK;
    rw_image_spec spec = spec_of(w);
    spec.text = "gauss:sigma=1|sobel";
    spec.y_dtype = RW_F32;
    const int64_t shape[] = {w->n, w->n};
    const double white = w->f32 ? 1 : 255;
    const void *data;
    rw_image_filter *filter = NULL;
    rw_array *y = NULL;
    rw_status status = rw_image_filter_create(b->dev, &spec, &filter);
    if (status == RW_OK) status = rw_array_create(b->dev, RW_F32, 2, shape, RW_MEMORY_DEVICE, &y);
    if (status == RW_OK) status = rw_image_filter_execute(filter, w->x, y, w->queue);
    if (status == RW_OK) status = rw_array_read(y, &data);
    w->low = INFINITY;
    w->high = -INFINITY;
    for (int64_t i = 0; i < w->n * w->n && status == RW_OK; ++i) {
        w->low = fmin(w->low, ((const float *)data)[i] / white);
        w->high = fmax(w->high, ((const float *)data)[i] / white);
    }
    rw_image_filter_destroy(&filter);
    rw_array_destroy(&y);
    return status;
}

static double result(const work *w, const void *y, int64_t at)
{
    return w->info.dtype == RW_F32   ? ((const float *)y)[at]
           : w->info.dtype == RW_I16 ? ((const int16_t *)y)[at] / 255.
                                     : ((const uint8_t *)y)[at] / 255.;
}

/* The largest error of some pixels, corners and borders among them; limited results are compared with limited ones. */
static rw_status find_error(rw_bench *b, void *user, double *worst)
{
    work *w = user;
    const void *y;
    RW_TRY(find_range(b, w));
    RW_TRY(rw_array_read(w->y, &y));
    RW_TRY(rw_array_read(w->x, &w->pixels));
    *worst = 0;
    const int64_t nx = w->info.width, ny = w->info.height;
    for (int s = 0; s < SAMPLES; ++s) {
        int64_t i = (int64_t)(rw_random_uniform(8, (uint64_t)s) * (double)nx),
                j = (int64_t)(rw_random_uniform(9, (uint64_t)s) * (double)ny);
        if (s % 4 == 1) i = s % 8 == 1 ? 0 : nx - 1;
        if (s % 8 < 2) j = s % 16 < 8 ? 0 : ny - 1;
        double expected = w->operation->of(w, i, j);
        if (w->info.dtype == RW_U8) expected = fmin(fmax(expected, 0), 1);
        const double error = fabs(result(w, y, j * nx + i) - expected);
        *worst = rw_worse(*worst, error);
    }
    return RW_OK;
}

/* Of integers the roundings: of the result, of the blurred image between the operations of the chain (times 8 by the
 * derivatives). */
static double allowed(const work *w)
{
    if (w->f32) return w->operation->of == of_chain || w->operation->of == of_bilateral ? 2e-5 : 32 * FLT_EPSILON;
    return (w->operation->of == of_chain ? 8 : 1) / 255.;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static const rw_bench_task task = {call, find_error, NULL, free_work};

static rw_status run_one(rw_bench *b, const struct operation *o, bool f32)
{
    const int64_t n = b->options.quick ? RW_MIN(o->n, 256) : o->n;
    work w;
    rw_bench_result row = {0};
    const rw_status status = make(b, o, f32, n, &w);
    if (status == RW_OK) {
        row.tolerance = allowed(&w);
        row.bytes = (double)(n * n) * (f32 ? 4 : 1) +
                    (double)(w.info.width * w.info.height) * (double)rw_dtype_size(w.info.dtype);
        snprintf(row.what, sizeof row.what, "%s %s", o->name, f32 ? "f32" : "u8");
        snprintf(row.size, sizeof row.size, "%lld^2 pixels", (long long)n);
        snprintf(row.variant, sizeof row.variant, "%lld pass%s", (long long)w.info.passes,
                 w.info.passes == 1 ? "" : "es");
    }
    return rw_bench_measure(b, &task, &w, status, 0, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    for (int i = 0; i < RW_COUNT(operations); ++i)
        for (int f32 = 0; f32 < 2; ++f32)
            if (f32 ? operations[i].f32 : operations[i].u8) RW_TRY(run_one(b, operations + i, f32));
    return RW_OK;
}

/* Variant 2 k + 1: operation k of f32. */
static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *most)
{
    const struct operation *o = operations + variant / 2;
    work w;
    *worst = 0;
    *most = 0;
    if (!(variant % 2 ? o->f32 : o->u8)) return RW_OK;
    const rw_status status = make(b, o, variant % 2, n, &w);
    *most = allowed(&w);
    return rw_bench_verify(b, &task, &w, status, worst);
}

static const int64_t sizes[] = {2, 9, 64, 130, 300, -1};
const rw_bench_case rw_bench_image = {run, 2 * RW_COUNT(operations), check, sizes, 64, NULL};
