/* noise and normal: the numbers of rw_random_u64 at the index of the node in the whole grid, whatever the device, the
 * number of threads, the part of the grid and the precision; moments, and no correlation of neighbours or seeds. */
/* TEST: devices=all */
#include <math.h>

#include "../compiler.h"
#include "../devices.h"
#include "expr/graph.h"
#include "rechenwerk/expr.h"

enum { NX = 13, NY = 7, NZ = 5 };

/* `text` assigns a field o of this type. */
static void run(const char *text, const rw_grid *grid, rw_dtype dtype, bool kernels, double *out)
{
    const rw_expr_field field = {.name = "o", .dtype = dtype};
    const rw_expr_spec spec = {.name = "noise", .text = text, .grid = *grid, .fields = &field, .nfields = 1};
    const int64_t shape[] = {grid->size[2], grid->size[1], grid->size[0]};
    const void *data;
    rw_array *o;
    rw_expr *e;
    OK(rw_array_create(dev, dtype, grid->ndim, shape + 3 - grid->ndim, RW_MEMORY_DEVICE, &o));
    compiler(kernels);
    OK(rw_expr_create(dev, &spec, &e));
    compiler(true);
    OK(rw_expr_bind(e, "o", o));
    OK(rw_expr_run(e, queue));
    OK(rw_array_read(o, &data));
    for (int64_t c = 0; c < shape[0] * shape[1] * shape[2]; ++c)
        out[c] = dtype == RW_F32 ? ((const float *)data)[c] : ((const double *)data)[c];
    rw_expr_destroy(&e);
    rw_array_destroy(&o);
}

static const rw_grid whole = {.ndim = 3, .size = {NX, NY, NZ}, .spacing = {1, 1, 1}};
static double out[NX * NY * NZ], host[NX * NY * NZ];

static void test_values(void **state)
{
    (void)state;
    run("o = noise(7)", &whole, RW_F64, true, out);
    for (int64_t c = 0; c < NX * NY * NZ; ++c) assert_true(out[c] == rw_random_uniform(7, (uint64_t)c));
    run("o = noise(7)", &whole, RW_F32, true, out);
    for (int64_t c = 0; c < NX * NY * NZ; ++c)
        assert_true(out[c] == (double)(rw_random_u64(7, (uint64_t)c) >> 40) * 0x1p-24);
    run("o = noise(2147483647)[i+1, j, k-1] - noise(0)", &whole, RW_F64, true, out);
    for (int k = 1; k < NZ; ++k)
        for (int i = 0; i < NX - 1; ++i) {
            const int64_t c = (k * NY + 3) * NX + i;
            assert_true(out[c] ==
                        rw_random_uniform(2147483647, (uint64_t)(c + 1 - NX * NY)) - rw_random_uniform(0, (uint64_t)c));
        }
}

/* Kernels and the host, to the bit. */
static void test_normal(void **state)
{
    (void)state;
    run("o = normal(3)", &whole, RW_F64, true, out);
    for (int64_t c = 0; c < NX * NY * NZ; ++c)
        host[c] = rw_noise_value(RW_OP_NORMAL, 3, &whole, (const int64_t[]){c, 0, 0});
    assert_memory_equal(out, host, sizeof out);
    if (on("cpu")) { /* by the evaluator too */
        run("o = normal(3)", &whole, RW_F64, false, out);
        assert_memory_equal(out, host, sizeof out);
    }
    run("o = normal(3)", &whole, RW_F32, true, out);
    for (int c = 0; c < NX * NY * NZ; ++c) assert_true(out[c] == (float)host[c]);
}

static void test_parts_of_a_grid(void **state)
{
    (void)state;
    const rw_grid part = {.ndim = 3,
                          .size = {5, 4, 2},
                          .spacing = {1, 1, 1},
                          .global_size = {NX, NY, NZ},
                          .first = {6, 2, 3}};
    for (int kernels = on("cpu") ? 0 : 1; kernels < 2; ++kernels)
        for (int normal = 0; normal < 2; ++normal) {
            run(normal ? "o = normal(11)" : "o = noise(11)", &part, RW_F64, kernels, out);
            for (int c = 0; c < 40; ++c) {
                const int64_t at = ((c / 20 + 3) * NY + c / 5 % 4 + 2) * NX + c % 5 + 6;
                const double want = normal ? rw_noise_value(RW_OP_NORMAL, 11, &whole, (const int64_t[]){at, 0, 0})
                                           : rw_random_uniform(11, (uint64_t)at);
                assert_true(out[c] == want);
            }
        }
}

/* Threads share a grid; each takes lines of its own. */
static void test_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
    static double other[NX * NY * NZ];
    if (!on("cpu")) skip();
    rw_device *row = dev;
    for (int normal = 0; normal < 2; ++normal)
        for (int i = 0; i < RW_COUNT(names); ++i) {
            OK(rw_device_open(ctx, names[i], &dev));
            queue = rw_device_queue(dev);
            run(normal ? "o = normal(5)" : "o = noise(5)", &whole, RW_F64, true, i ? other : out);
            rw_device_close(&dev);
            dev = row;
            queue = rw_device_queue(dev);
            if (i) assert_memory_equal(other, out, sizeof out);
        }
}

enum { MANY = 1 << 16 };

/* The mean of a b, whose standard deviation is `sigma` where a and b are independent. */
static void assert_uncorrelated(const double *a, const double *b, int n, double sigma, const char *what)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    if (!(fabs(sum / n) < 4.5 * sigma / sqrt(n))) fail_msg("%s: correlation %.5f", what, sum / n);
}

/* Values next to each other along each axis, and of neighbouring seeds. */
static void check_correlations(const char *word, double mean, double variance)
{
    static double here[MANY], seed[MANY];
    const rw_grid plane = {.ndim = 2, .size = {256, 256, 1}, .spacing = {1, 1, 1}};
    char text[2][48];
    for (int k = 0; k < 2; ++k) snprintf(text[k], sizeof text[k], "o = %s(%d) - %g", word, 20 + k, mean);
    run(text[0], &plane, RW_F64, true, here);
    run(text[1], &plane, RW_F64, true, seed);
    assert_uncorrelated(here, here + 1, MANY - 1, variance, "along x");
    assert_uncorrelated(here, here + 256, MANY - 256, variance, "along y");
    assert_uncorrelated(here, seed, MANY, variance, "seeds");
}

/* Of 2^16 numbers between 0 and 1: mean 1/2, variance 1/12, and 16 bins of 4096 each by the chi-squared test. */
static void test_moments_of_noise(void **state)
{
    (void)state;
    static double many[MANY];
    const rw_grid line = {.ndim = 1, .size = {MANY, 1, 1}, .spacing = {1, 1, 1}};
    double mean = 0, variance = 0, squares = 0;
    int bins[16] = {0};
    if (!on("cpu")) skip();
    run("o = noise(20)", &line, RW_F64, true, many);
    for (int i = 0; i < MANY; ++i) {
        assert_true(many[i] >= 0 && many[i] < 1);
        mean += many[i] / MANY;
        variance += (many[i] - 0.5) * (many[i] - 0.5) / MANY;
        bins[(int)(16 * many[i])]++;
    }
    for (int k = 0; k < 16; ++k) squares += (bins[k] - 4096.) * (bins[k] - 4096.) / 4096;
    printf("# noise: mean %.4f, variance %.5f, chi-squared %.1f of 15 degrees\n", mean, variance, squares);
    assert_true(fabs(mean - 0.5) < 0.005 && fabs(variance - 1. / 12) < 0.0015 && squares > 3 && squares < 38);
    check_correlations("noise", 0.5, 1. / 12);
    check_correlations("normal", 0, 1);
}

/* Of 2^16 numbers: mean 0, variance 1, fourth moment 3, and the share beyond 1.96 and 3. */
static void test_moments(void **state)
{
    (void)state;
    static double many[MANY];
    const rw_grid line = {.ndim = 1, .size = {MANY, 1, 1}, .spacing = {1, 1, 1}};
    double sum[4] = {0}, beyond[2] = {0};
    if (!on("cpu")) skip();
    run("o = normal(20)", &line, RW_F64, true, many);
    for (int i = 0; i < MANY; ++i) {
        double power = 1;
        for (int k = 0; k < 4; ++k) sum[k] += (power *= many[i]) / MANY;
        beyond[0] += (fabs(many[i]) > 1.959963984540054) / (double)MANY;
        beyond[1] += (fabs(many[i]) > 3) / (double)MANY;
    }
    printf("# moments %.4f, %.4f, %.4f, %.4f; beyond %.4f, %.5f\n", sum[0], sum[1], sum[2], sum[3], beyond[0],
           beyond[1]);
    assert_true(fabs(sum[0]) < 0.015 && fabs(sum[1] - 1) < 0.02 && fabs(sum[2]) < 0.05 && fabs(sum[3] - 3) < 0.15);
    assert_true(fabs(beyond[0] - 0.05) < 0.004 && fabs(beyond[1] - 0.0027) < 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),           cmocka_unit_test(test_normal),
                                       cmocka_unit_test(test_parts_of_a_grid),  cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_moments_of_noise), cmocka_unit_test(test_moments)};
    return run_on_devices("noise", tests, RW_COUNT(tests));
}
