/* The study `fft`: the two kernels of 2010 and radix 2 on the host against sums in double precision, the model of
 * occupancy against the published table, a small run. */
/* TEST: devices=all unoptimised */
#include "../devices.h"

#include <math.h>

#include "lab/lab.h"
#include "lab/radix2.h"

/* Transform t of x by the sum that defines it: the largest distance of y from it, relative to the root of the mean
 * square. */
static double error_of(int n, const float *x, const float *y)
{
    double worst = 0, square = 0;
    for (int i = 0; i < 2 * n; ++i) square += (double)x[i] * x[i];
    for (int k = 0; k < n; ++k) {
        double re = 0, im = 0;
        for (int j = 0; j < n; ++j) {
            const double angle = 6.28318530717958647692 * (double)((int64_t)j * k % n) / n, c = cos(angle),
                         s = -sin(angle);
            re += x[2 * j] * c - x[2 * j + 1] * s, im += x[2 * j] * s + x[2 * j + 1] * c;
        }
        worst = fmax(worst, hypot(y[2 * k] - re, y[2 * k + 1] - im));
    }
    return worst / sqrt(square);
}

static rw_array *new_numbers(int n, int64_t count, uint64_t seed)
{
    rw_array *a = new_array(RW_F32, 2 * n * count, RW_MEMORY_DEVICE);
    void *w;
    OK(rw_array_write(a, &w));
    for (int64_t i = 0; i < 2 * n * count; ++i) ((float *)w)[i] = (float)(2 * rw_random_uniform(seed, (uint64_t)i) - 1);
    return a;
}

static void test_kernels(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 27, 108};
    for (int n = 2; n <= RW_RADIX2_MOST; n *= brief() ? 8 : 2)
        for (int c = 0; c < (n > 100 ? 1 : 3); ++c) {
            rw_array *x = new_numbers(n, counts[c], (uint64_t)n),
                     *y = new_array(RW_F32, 2 * n * counts[c], RW_MEMORY_DEVICE);
            for (int version = 1; version <= 2; ++version) {
                rw_radix2 r;
                const void *in, *out;
                OK(rw_radix2_create(dev, version, n, &r));
                OK(rw_radix2_run(&r, x, y, counts[c], queue));
                OK(rw_array_read(x, &in));
                OK(rw_array_read(y, &out));
                for (int64_t t = 0; t < counts[c]; t += RW_MAX(counts[c] - 1, 1)) {
                    const double error = error_of(n, (const float *)in + 2 * n * t, (const float *)out + 2 * n * t);
                    if (!(error < 1e-6 * (1 + log2(n))))
                        fail_msg("version %d, %d points, transform %d: %g", version, n, (int)t, error);
                }
                rw_radix2_free(&r);
            }
            rw_array_destroy(&x), rw_array_destroy(&y);
        }
}

/* 27 equal signals, five times: 135 equal results, and both versions agree. */
static void test_equal_signals(void **state)
{
    (void)state;
    enum { COUNT = 27, RUNS = 5 };
    const int n = brief() ? 64 : RW_RADIX2_MOST;
    rw_array *x = new_array(RW_F32, 2 * n * COUNT, RW_MEMORY_DEVICE),
             *y = new_array(RW_F32, 2 * n * COUNT, RW_MEMORY_DEVICE);
    float *first[2] = {malloc(8 * (size_t)n), malloc(8 * (size_t)n)};
    void *w;
    OK(rw_array_write(x, &w));
    for (int i = 0; i < n * COUNT; ++i)
        ((float *)w)[2 * i] = (float)(256 * sin(6.28318530717958647692 * 5.5 * (i % n) / n)),
                         ((float *)w)[2 * i + 1] = 0;
    for (int version = 1; version <= 2; ++version) {
        rw_radix2 r;
        const void *out;
        OK(rw_radix2_create(dev, version, n, &r));
        for (int run = 0; run < RUNS; ++run) {
            OK(rw_array_zero(y, queue));
            OK(rw_radix2_run(&r, x, y, COUNT, queue));
            OK(rw_array_read(y, &out));
            if (run == 0) memcpy(first[version - 1], out, 8 * (size_t)n);
            for (int t = 0; t < COUNT; ++t)
                assert_memory_equal((const float *)out + 2 * n * t, first[version - 1], 8 * (size_t)n);
        }
        rw_radix2_free(&r);
    }
    double wrong = 0, all = 0;
    for (int i = 0; i < 2 * n; ++i) wrong += pow((double)first[0][i] - first[1][i], 2), all += pow(first[0][i], 2);
    assert_true(sqrt(wrong / all) <= 2e-6 * log2(n));
    free(first[0]), free(first[1]);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static void test_host(void **state)
{
    (void)state;
    static float x[2 * RW_RADIX2_MOST], y[2 * RW_RADIX2_MOST], roots[RW_RADIX2_MOST];
    if (!on("cpu")) skip();
    for (int n = 2; n <= RW_RADIX2_MOST; n *= 2) {
        for (int i = 0; i < 2 * n; ++i) x[i] = (float)rw_random_uniform(3, (uint64_t)i);
        rw_radix2_roots(n, roots);
        rw_radix2_host(n, 1, roots, x, y);
        assert_true(error_of(n, x, y) < 1e-6 * (1 + log2(n)));
    }
}

static void test_refused(void **state)
{
    (void)state;
    rw_radix2 r;
    FAILS(RW_ERR_ARGUMENT, "not 100", rw_radix2_create(dev, 1, 100, &r));
    FAILS(RW_ERR_ARGUMENT, "not 2048", rw_radix2_create(dev, 2, 2048, &r));
    FAILS(RW_ERR_ARGUMENT, "not 1", rw_radix2_create(dev, 2, 1, &r));
    const rw_lab_spec spec = {.study = "fft",
                              .set = (const char *const[]){"lengths=2,48"},
                              .nset = 1,
                              .devices = (const char *const[]){"cpu"},
                              .ndevices = 1};
    rw_lab *lab;
    FAILS(RW_ERR_ARGUMENT, "lengths: 48 is not a power of two", rw_lab_run(ctx, &spec, &lab));
}

static void test_study(void **state)
{
    (void)state;
    const char *const set[] = {"counts=1,2",  "lengths=2,4,8,16,32,64,128,256,512,1024",
                               "many=3",      "batches=2,5",
                               "streams=1,3", "runs=1"};
    const rw_lab_spec spec = {.study = "fft",
                              .set = set,
                              .nset = RW_COUNT(set),
                              .devices = (const char *const[]){"cpu:1"},
                              .ndevices = 1};
    rw_lab *lab;
    if (!on("cpu")) skip();
    OK(rw_lab_run(ctx, &spec, &lab));
    assert_int_equal(rw_lab_rows(lab, "versions"), 6);
    assert_int_equal(rw_lab_rows(lab, "counts"), 2);
    assert_int_equal(rw_lab_rows(lab, "copies"), 2);
    assert_int_equal(rw_lab_rows(lab, "streams"), 3); /* two transforms do not fill three queues */
    assert_int_equal(rw_lab_rows(lab, "lengths"), 10);
    for (int i = 0; i < 10; ++i)
        assert_true(rw_lab_value(lab, "lengths", i, "model") == rw_lab_value(lab, "lengths", i, "occupancy 2010"));
    assert_true(isnan(rw_lab_value(lab, "lengths", 0, "2010"))); /* not of three transforms */
    assert_true(rw_lab_value(lab, "versions", 0, "2010") == 107 && rw_lab_value(lab, "versions", 0, "time cpu:1") > 0);
    rw_lab_destroy(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_equal_signals),
                                       cmocka_unit_test(test_host), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_study)};
    return run_on_devices("fft", tests, RW_COUNT(tests));
}
