/* Convolutions and correlations against sums in long double: all modes, types and ranks, some axes, lengths in one pass
 * and in several; what is refused. */
/* TEST: devices=all unoptimised */
#include "fft/line.h"
#include "numbers.h"

/* The index of a on an axis that meets element j of b in result k; -1: none. */
static int64_t meets(const rw_convolution_spec *s, int d, int64_t k, int64_t j)
{
    const int64_t n = s->a_shape[d], m = s->b_shape[d];
    if (s->mode == RW_CONVOLUTION_PERIODIC) return s->correlate ? (k + j) % n : (k - j + n) % n;
    const int64_t full = k + (s->mode == RW_CONVOLUTION_SAME    ? (m - 1) / 2
                              : s->mode == RW_CONVOLUTION_VALID ? RW_MIN(n, m) - 1
                                                                : 0);
    const int64_t i = s->correlate ? full - (m - 1) + j : full - j;
    return i >= 0 && i < n ? i : -1;
}

static number direct(const rw_convolution_spec *s, const number *a, const number *b, const int64_t *k)
{
    number sum = 0;
    int64_t j[RW_MAX_NDIM] = {0};
    for (;;) {
        int64_t at_a = 0, at_b = 0;
        bool all = true;
        for (int d = 0; d < s->ndim; ++d) {
            const bool convolved = s->axes & 1u << d;
            const int64_t i = convolved ? meets(s, d, k[d], j[d]) : k[d];
            all = all && i >= 0;
            at_a = at_a * s->a_shape[d] + i, at_b = at_b * s->b_shape[d] + (convolved           ? j[d]
                                                                            : s->b_shape[d] > 1 ? k[d]
                                                                                                : 0);
        }
        if (all) sum += a[at_a] * (s->correlate ? conjl(b[at_b]) : b[at_b]);
        int d = s->ndim - 1;
        for (; d >= 0; --d) {
            if (s->axes & 1u << d && ++j[d] < s->b_shape[d]) break;
            j[d] = 0;
        }
        if (d < 0) return sum;
    }
}

static double error_of(const rw_convolution_spec *s, uint64_t seed)
{
    int64_t shape[RW_MAX_NDIM], k[RW_MAX_NDIM] = {0};
    rw_convolution *c;
    rw_array *a, *b, *y;
    OK(rw_convolution_shape(ctx, s, shape));
    OK(rw_array_create(dev, s->dtype, s->ndim, s->a_shape, RW_MEMORY_DEVICE, &a));
    OK(rw_array_create(dev, s->dtype, s->ndim, s->b_shape, RW_MEMORY_DEVICE, &b));
    OK(rw_array_create(dev, s->dtype, s->ndim, shape, RW_MEMORY_DEVICE, &y));
    fill(a, seed), fill(b, seed + 1);
    OK(rw_convolution_create(dev, s, &c));
    OK(rw_convolution_set(c, b, queue));
    OK(rw_convolution_execute(c, a, y, queue));
    number *in = values_of(a, !rw_dtype_is_complex(a->dtype)), *with = values_of(b, !rw_dtype_is_complex(b->dtype)),
           *got = values_of(y, !rw_dtype_is_complex(y->dtype));
    long double wrong = 0, all = 0;
    for (int64_t i = 0; i < y->size; ++i) {
        int64_t rest = i;
        for (int d = s->ndim - 1; d >= 0; rest /= shape[d--]) k[d] = rest % shape[d];
        const number w = direct(s, in, with, k) * (s->scale != 0 ? (long double)s->scale : 1), e = got[i] - w;
        wrong += creall(e) * creall(e) + cimagl(e) * cimagl(e), all += creall(w) * creall(w) + cimagl(w) * cimagl(w);
    }
    free(in), free(with), free(got);
    rw_convolution_destroy(&c);
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&y);
    return (double)(sqrtl(wrong / all) /
                    (rw_dtype_is_single(s->dtype) ? (long double)FLT_EPSILON : (long double)DBL_EPSILON));
}

static void test_random(void **state)
{
    (void)state;
    double worst = 0;
    const int first = test_long() ? 0 : 500, count = test_long()    ? on("opencl") ? 20
                                                                      : on("cpu")  ? 60
                                                                                   : 120
                                                     : on("opencl") ? 3
                                                                    : 6;
    const bool tiled = on("check"); /* the texts of GPUs */
    if (tiled) begin_tiling("gpu");
    for (int row = first; row < first + count; ++row) {
        const uint64_t seed = 900 + (uint64_t)row;
        uint64_t draw = 0;
#define DRAW(n) ((int)(rw_random_uniform(seed, draw++) * (n)))
        rw_convolution_spec s = {.mode = DRAW(RW_CONVOLUTION_MODES),
                                 .correlate = DRAW(2),
                                 .dtype = RW_F32 + DRAW(4),
                                 .ndim = 1 + DRAW(3),
                                 .scale = DRAW(3) ? 0 : 0.5};
        s.axes = 1 + (unsigned)DRAW((1 << s.ndim) - 1);
        const int most = s.ndim == 1 ? 150 : s.ndim == 2 ? 24 : 9;
        for (int d = 0; d < s.ndim; ++d) {
            s.a_shape[d] = 1 + DRAW(most);
            if (s.axes & 1u << d)
                s.b_shape[d] =
                    1 + DRAW(s.mode == RW_CONVOLUTION_VALID || s.mode == RW_CONVOLUTION_PERIODIC ? s.a_shape[d] : most);
            else s.b_shape[d] = DRAW(2) ? 1 : s.a_shape[d];
        }
        rw_fft_limit(DRAW(3) ? 0 : 32);
        const double error = error_of(&s, seed);
        if (!(error < 8))
            fail_msg("row %d: %s, %s%s, %d axes %ux: %.3g epsilon", row, rw_convolution_mode_name(s.mode),
                     rw_dtype_name(s.dtype), s.correlate ? ", correlated" : "", s.ndim, s.axes, error);
        worst = RW_MAX(worst, error);
#undef DRAW
    }
    rw_fft_limit(0);
    if (tiled) end_tiling();
    print_message("# %d convolutions, root mean square error of at most %.2f epsilon\n", count, worst);
}

/* As SciPy does: of mode valid either one may be the longer one. */
static void test_longer_kernel(void **state)
{
    (void)state;
    static const int64_t shapes[][4] = {{7, 1, 12, 1}, {12, 1, 7, 1}, {3, 4, 5, 9},
                                        {5, 9, 3, 4},  {5, 4, 5, 9},  {1, 1, 6, 1}};
    for (int i = 0; i < RW_COUNT(shapes); ++i)
        for (int correlate = 0; correlate < 2; ++correlate) {
            rw_convolution_spec s = {.mode = RW_CONVOLUTION_VALID,
                                     .correlate = correlate,
                                     .dtype = i % 2 ? RW_C128 : RW_F64,
                                     .ndim = 2,
                                     .axes = 3};
            memcpy(s.a_shape, shapes[i], 2 * sizeof *s.a_shape),
                memcpy(s.b_shape, shapes[i] + 2, 2 * sizeof *s.b_shape);
            const double error = error_of(&s, (uint64_t)i);
            if (!(error < 8)) fail_msg("row %d%s: %.3g epsilon", i, correlate ? ", correlated" : "", error);
        }
}

static void test_refused(void **state)
{
    (void)state;
    rw_convolution *c;
    int64_t shape[RW_MAX_NDIM];
    rw_convolution_spec s = {.ndim = 2, .a_shape = {5, 5}, .b_shape = {6, 4}, .mode = RW_CONVOLUTION_VALID};
    FAILS(RW_ERR_ARGUMENT, "mode valid: b is shorter than a on axis 1, but longer on axis 0",
          rw_convolution_create(dev, &s, &c));
    assert_null(c);
    s.ndim = 1;
    s.scale = INFINITY;
    FAILS(RW_ERR_ARGUMENT, "scale = .inf is not", rw_convolution_create(dev, &s, &c));
    s.scale = 0;
    s.y_stride[0] = 0;
    s.ndim = 2;
    s.b_shape[1] = 5;
    s.y_stride[0] = 1;
    s.y_stride[1] = 1;
    s.mode = RW_CONVOLUTION_FULL;
    FAILS(RW_ERR_ARGUMENT, "y_stride: elements of y would overlap in memory", rw_convolution_create(dev, &s, &c));
    s.ndim = 1;
    s.y_stride[0] = s.y_stride[1] = 0;
    s.mode = RW_CONVOLUTION_PERIODIC;
    FAILS(RW_ERR_ARGUMENT, "larger than the period of a, 5", rw_convolution_shape(ctx, &s, shape));
    s.mode = RW_CONVOLUTION_FULL, s.b_shape[0] = 0;
    FAILS(RW_ERR_ARGUMENT, "b 1 to 2^31 - 1", rw_convolution_create(dev, &s, &c));
    s.b_shape[0] = 2, s.axes = 2;
    FAILS(RW_ERR_ARGUMENT, "has a bit beyond", rw_convolution_create(dev, &s, &c));
    s.axes = 0, s.dtype = RW_I32;
    FAILS(RW_ERR_ARGUMENT, "dtype = i32", rw_convolution_create(dev, &s, &c));
    s.dtype = RW_F64;
    OK(rw_convolution_create(dev, &s, &c));
    rw_array *a = new_array(RW_F64, 5, RW_MEMORY_DEVICE), *y = new_array(RW_F64, 6, RW_MEMORY_DEVICE);
    fill(a, 1);
    FAILS(RW_ERR_ARGUMENT, "b is not set", rw_convolution_execute(c, a, y, queue));
    FAILS(RW_ERR_ARGUMENT, "device of b differs from the plan", rw_convolution_set(c, a, queue));
    FAILS(RW_ERR_ARGUMENT, "rw_convolution_execute: a: type", rw_convolution_execute(c, y, a, queue));
    rw_convolution_destroy(&c);
    rw_array_destroy(&a), rw_array_destroy(&y);
    s.a_shape[0] = 0;
    OK(rw_convolution_create(dev, &s, &c)); /* nothing to do */
    a = new_array(RW_F64, 0, RW_MEMORY_DEVICE);
    OK(rw_convolution_execute(c, a, a, queue));
    rw_convolution_destroy(&c);
    rw_array_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_longer_kernel),
                                       cmocka_unit_test(test_refused)};
    return run_on_devices("convolution", tests, RW_COUNT(tests));
}
