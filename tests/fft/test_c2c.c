/* Transforms of complex arrays against a transform in long double: lengths, axes, strides, in place, forward and
 * inverse; what is refused. */
#include "fft/length.h"
#include "numbers.h"

static void test_lengths(void **state)
{
    (void)state;
    static const int lengths[] = {1,   2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,
                                  15,  16,   17,   20,   22,   23,   24,   25,   26,   27,   29,   30,   31,   32,
                                  33,  36,   45,   48,   49,   60,   64,   77,   81,   96,   100,  121,  125,  128,
                                  143, 169,  210,  240,  256,  289,  343,  360,  500,  512,  529,  600,  720,  841,
                                  961, 1000, 1001, 1024, 1200, 1331, 1536, 2000, 2048, 2187, 2197, 3000, 3125, 4096};
    const int every = test_long() ? on("opencl") ? 11 : 1 : brief() ? 23 : 9;
    double worst[2] = {0};
    for (int i = 0; i < RW_COUNT(lengths); ++i)
        for (int t = 0; t < 2; ++t) {
            if (i % every != (every - 1) * t) continue;
            if (brief() && lengths[i] > 1100) continue;
            const int64_t n = lengths[i];
            const rw_fft_spec s = {.single = !t, .ndim = 2, .shape = {3, n}, .axes = 2, .inverse = (i + t) % 2};
            rw_array *x, *y;
            OK(rw_array_create(dev, s.single ? RW_C64 : RW_C128, 2, s.shape, RW_MEMORY_DEVICE, &x));
            OK(rw_array_create(dev, s.single ? RW_C64 : RW_C128, 2, s.shape, RW_MEMORY_DEVICE, &y));
            fill(x, (uint64_t)n);
            const double error = transform(&s, x, y);
            worst[t] = RW_MAX(worst[t], error);
            if (!(error < 1.5)) fail_msg("%d points, %s: %.3g epsilon", (int)n, s.single ? "c64" : "c128", error);
            rw_array_destroy(&x), rw_array_destroy(&y);
        }
    print_message("# root mean square errors of at most %.2f (c64) and %.2f (c128) epsilon\n", worst[0], worst[1]);
}

/* Any axes of up to five dimensions, out of place and in place. */
static void test_axes(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        int64_t shape[5];
        unsigned axes;
    } rows[] = {{2, {24, 20}, 0},        {2, {24, 20}, 1},         {2, {60, 70}, 1},    {3, {6, 10, 15}, 0},
                {3, {6, 10, 15}, 2},     {3, {6, 10, 15}, 5},      {3, {4, 33, 17}, 6}, {4, {3, 4, 5, 6}, 0},
                {5, {2, 3, 4, 3, 5}, 4}, {5, {2, 3, 4, 3, 5}, 21}, {1, {96}, 0},        {2, {1, 16}, 0},
                {2, {16, 1}, 0},         {2, {130, 40}, 1}};
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int in_place = 0; in_place < 2; ++in_place) {
            rw_fft_spec s = {.single = i % 2,
                             .ndim = rows[i].ndim,
                             .axes = rows[i].axes,
                             .inverse = i / 2 % 2,
                             .scale = i % 3 ? 0 : 0.25};
            if (!test_long() && (i + in_place) % (brief() ? 6 : 4)) continue;
            memcpy(s.shape, rows[i].shape, sizeof rows[i].shape);
            rw_array *x, *y;
            OK(rw_array_create(dev, s.single ? RW_C64 : RW_C128, s.ndim, s.shape, RW_MEMORY_DEVICE, &x));
            OK(rw_array_create(dev, s.single ? RW_C64 : RW_C128, s.ndim, s.shape, RW_MEMORY_DEVICE, &y));
            fill(x, (uint64_t)i);
            const double error = transform(&s, x, in_place ? x : y);
            if (!(error < 1.5)) fail_msg("row %d%s: %.3g epsilon", i, in_place ? " in place" : "", error);
            rw_array_destroy(&x), rw_array_destroy(&y);
        }
}

/* Views with strides on both sides; what lies between stays as it is. */
static void test_strides(void **state)
{
    (void)state;
    const int64_t whole[] = {7, 40, 24}, other[] = {24, 11, 40};
    rw_array *a, *b, *x, *y, *t, *u;
    OK(rw_array_create(dev, RW_C128, 3, whole, RW_MEMORY_DEVICE, &a));
    OK(rw_array_create(dev, RW_C128, 3, other, RW_MEMORY_DEVICE, &b));
    fill(a, 1), fill(b, 2);
    OK(rw_array_slice(a, 0, 1, 7, 2, &x));                 /* 3 x 40 x 24 */
    OK(rw_array_transpose(b, NULL, &t));                   /* 40 x 11 x 24 */
    OK(rw_array_transpose(t, (const int[]){1, 0, 2}, &u)); /* 11 x 40 x 24 */
    OK(rw_array_slice(u, 0, 2, 11, 3, &y));                /* 3 x 40 x 24 */
    for (unsigned axes = 1; axes < 8; axes += test_long() ? 1 : 4) {
        rw_fft_spec s = {.ndim = 3, .shape = {3, 40, 24}, .axes = axes};
        number *all = values_of(b, false);
        for (int d = 0; d < 3; ++d) s.x_stride[d] = rw_array_stride(x, d), s.y_stride[d] = rw_array_stride(y, d);
        const double error = transform(&s, x, y);
        if (!(error < 1.5)) fail_msg("axes %u: %.3g epsilon", axes, error);
        number *after = values_of(b, false);
        for (int64_t i = 0; i < b->size; ++i)
            if (i / 40 % 11 % 3 != 2) assert_true(all[i] == after[i]);
        free(all), free(after);
    }
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&t),
        rw_array_destroy(&u);
}

static void test_round_trip(void **state)
{
    (void)state;
    const int64_t shape[] = {48, 100};
    rw_array *x, *y;
    rw_fft *there, *back;
    rw_fft_spec s = {.ndim = 2, .shape = {48, 100}};
    OK(rw_array_create(dev, RW_C128, 2, shape, RW_MEMORY_DEVICE, &x));
    OK(rw_array_create(dev, RW_C128, 2, shape, RW_MEMORY_DEVICE, &y));
    fill(x, 9);
    number *before = values_of(x, false);
    OK(rw_fft_create(dev, &s, &there));
    s.inverse = true, s.scale = 1. / 4800;
    OK(rw_fft_create(dev, &s, &back));
    OK(rw_fft_execute(there, x, y, queue));
    OK(rw_fft_execute(back, y, y, queue));
    number *after = values_of(y, false);
    for (int i = 0; i < 4800; ++i) assert_true(cabsl(after[i] - before[i]) < 1e-14);
    free(before), free(after);
    rw_fft_destroy(&there), rw_fft_destroy(&back);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* y <- transform of one line of numbers, in c64 or c128. */
static number *spectrum_of(const number *x, int64_t n, bool single)
{
    const rw_fft_spec s = {.single = single, .ndim = 1, .shape = {n}};
    rw_array *wide = new_array(RW_C128, n, RW_MEMORY_DEVICE),
             *a = new_array(single ? RW_C64 : RW_C128, n, RW_MEMORY_DEVICE);
    rw_fft *f;
    void *w;
    OK(rw_array_write(wide, &w));
    for (int64_t i = 0; i < n; ++i)
        ((double *)w)[2 * i] = (double)creall(x[i]), ((double *)w)[2 * i + 1] = (double)cimagl(x[i]);
    OK(rw_array_copy(a, wide, queue));
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, a, a, queue));
    number *y = values_of(a, false);
    rw_fft_destroy(&f);
    rw_array_destroy(&wide), rw_array_destroy(&a);
    return y;
}

static long double distance(const number *a, const number *b, int64_t n)
{
    long double square = 0;
    for (int64_t i = 0; i < n; ++i) square += creall((a[i] - b[i]) * conjl(a[i] - b[i]));
    return sqrtl(square);
}

/* An impulse, a constant, a wave; sums and multiples, Parseval's theorem, a shift. */
static void test_identities(void **state)
{
    (void)state;
    static const int lengths[] = {8, 640, 472, 997, 1000, 1024};
    for (int i = 0; i < RW_COUNT(lengths); ++i)
        for (int single = 0; single < 2; ++single) {
            const int n = lengths[i], k = n / 3, shift = n / 5;
            const long double room = 8 * (single ? (long double)FLT_EPSILON : (long double)DBL_EPSILON) * sqrtl(n);
            if (brief() && i % 3 != single) continue;
            number *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b),
                   *want = calloc((size_t)n, sizeof *want);
            const number factor = 0.5 - 0.25 * I;
            a[0] = 1;
            number *y = spectrum_of(a, n, single);
            for (int j = 0; j < n; ++j) want[j] = 1;
            assert_true(distance(y, want, n) <= room);
            free(y), y = spectrum_of(want, n, single);
            for (int j = 0; j < n; ++j) a[j] = j ? 0 : n;
            assert_true(distance(y, a, n) <= room * sqrtl(n));
            for (int j = 0; j < n; ++j) a[j] = conjl(root_of((int64_t)j * k, n)), want[j] = j == k ? n : 0;
            free(y), y = spectrum_of(a, n, single);
            assert_true(distance(y, want, n) <= room * sqrtl(n));
            /* random numbers from here on, with few digits: sums are exact */
            for (int j = 0; j < n; ++j)
                a[j] = floor(256 * rw_random_uniform(1, (uint64_t)j)) / 256 +
                       I * (floor(256 * rw_random_uniform(2, (uint64_t)j)) / 256),
                b[j] = floor(256 * rw_random_uniform(3, (uint64_t)j)) / 256 -
                       I * (floor(256 * rw_random_uniform(4, (uint64_t)j)) / 256);
            number *of_a = spectrum_of(a, n, single), *of_b = spectrum_of(b, n, single);
            for (int j = 0; j < n; ++j) want[j] = a[j] + factor * b[j];
            free(y), y = spectrum_of(want, n, single);
            for (int j = 0; j < n; ++j) want[j] = of_a[j] + factor * of_b[j];
            assert_true(distance(y, want, n) <= room * sqrtl(n));
            long double before = 0, after = 0;
            for (int j = 0; j < n; ++j) before += creall(a[j] * conjl(a[j])), after += creall(of_a[j] * conjl(of_a[j]));
            assert_true(fabsl(after / n - before) <= room * before);
            for (int j = 0; j < n; ++j) want[j] = a[(j + shift) % n];
            free(y), y = spectrum_of(want, n, single);
            for (int j = 0; j < n; ++j) want[j] = of_a[j] * conjl(root_of((int64_t)j * shift, n));
            assert_true(distance(y, want, n) <= room * sqrtl(n));
            free(a), free(b), free(want), free(y), free(of_a), free(of_b);
        }
}

static void test_factors(void **state)
{
    (void)state;
    int r[RW_FFT_STAGES];
    for (int n = 1; n < 5000; ++n) {
        const int stages = rw_fft_factors(n, RW_FFT_RADIX, r);
        int64_t product = 1, rest = n;
        for (int p = 2; p <= 31; ++p)
            while (rest % p == 0) rest /= p;
        assert_int_equal(stages == 0, rest > 1);
        for (int s = 0; s < stages; ++s) {
            product *= r[s];
            assert_true(s == 0 || r[s] <= r[s - 1]);
        }
        if (stages) assert_int_equal(product, n);
    }
    assert_int_equal(rw_fft_factors(4096, RW_FFT_RADIX, r), 3);
    assert_int_equal(rw_fft_factors(1024, RW_FFT_RADIX, r), 3);
    assert_int_equal(rw_fft_factors(240, RW_FFT_RADIX, r), 2);
    assert_int_equal(rw_fft_factors(8400, 32, r), 3);
    assert_true(r[0] == 21 && r[1] == 20 && r[2] == 20);
    const rw_fft_share share = rw_fft_share_of(8400, r, 3, 1024, false);
    assert_true(share.items == 420 && share.values == 21);
}

static void test_refused(void **state)
{
    (void)state;
    rw_fft *f;
    rw_array *x, *y;
    rw_fft_spec s = {.single = true, .ndim = 1, .shape = {8}, .y_dtype = RW_F32};
    FAILS(RW_ERR_ARGUMENT, "y_dtype = f32: the array is complex: store it as c64 or c128, or as f16 or bf16",
          rw_fft_create(dev, &s, &f));
    assert_null(f);
    s.y_dtype = RW_DTYPE_DEFAULT;
    s.axes = 2;
    FAILS(RW_ERR_ARGUMENT, "has a bit beyond", rw_fft_create(dev, &s, &f));
    s.axes = 0, s.shape[0] = -4;
    FAILS(RW_ERR_ARGUMENT, "shape[0] = -4", rw_fft_create(dev, &s, &f));
    s.shape[0] = (int64_t)1 << 40;
    FAILS(RW_ERR_UNSUPPORTED, "which exceeds two passes", rw_fft_create(dev, &s, &f));
    s.shape[0] = 8, s.kind = RW_FFT_KINDS;
    FAILS(RW_ERR_ARGUMENT, "is not a value of rw_fft_kind", rw_fft_create(dev, &s, &f));
    s.kind = RW_FFT_COMPLEX;
    s.scale = NAN;
    FAILS(RW_ERR_ARGUMENT, "scale = .nan is not", rw_fft_create(dev, &s, &f));
    s.scale = 0;
    s.ndim = 2;
    s.shape[1] = 4;
    s.y_stride[0] = 3;
    s.y_stride[1] = 1;
    FAILS(RW_ERR_ARGUMENT, "y_stride: elements of y would overlap in memory", rw_fft_create(dev, &s, &f));
    s.y_stride[0] = s.y_stride[1] = 0;
    s.naxes = 2;
    FAILS(RW_ERR_ARGUMENT, "axis[1] = 0 is repeated: an axis is transformed once", rw_fft_create(dev, &s, &f));
    s.axis[1] = 2;
    FAILS(RW_ERR_ARGUMENT, "axis[1] = 2 must be 0 to 1", rw_fft_create(dev, &s, &f));
    s.axis[1] = 1;
    s.axes = 1;
    FAILS(RW_ERR_ARGUMENT, "axes = 0x1 and the 2 axes of `axis` differ", rw_fft_create(dev, &s, &f));
    s.naxes = 3;
    FAILS(RW_ERR_ARGUMENT, "naxes = 3 must be 0 to 2", rw_fft_create(dev, &s, &f));
    s.naxes = 0;
    s.axes = 0;
    s.kind = RW_FFT_DCT2;
    s.ortho = true;
    s.load = "u";
    FAILS(RW_ERR_UNSUPPORTED, "ortho with `load` or `store`", rw_fft_create(dev, &s, &f));
    s.ortho = false;
    s.load = NULL;
    s.x_dtype = RW_C64;
    FAILS(RW_ERR_ARGUMENT, "a dct2 of complex elements has both of c64 or c128, or both real",
          rw_fft_create(dev, &s, &f));
    s.x_dtype = RW_DTYPE_DEFAULT;
    s.ndim = 1;
    s.kind = RW_FFT_COMPLEX;
    s.x_shape[0] = 9;
    FAILS(RW_ERR_ARGUMENT, "x_shape[0] = 9: it is larger", rw_fft_create(dev, &s, &f));
    s.x_shape[0] = 0;
    s.shape[0] = 8;
    OK(rw_fft_create(dev, &s, &f));
    x = new_array(RW_C64, 8, RW_MEMORY_DEVICE), y = new_array(RW_C64, 9, RW_MEMORY_DEVICE);
    fill(x, 1);
    FAILS(RW_ERR_ARGUMENT, "y: type, shape, strides or device differ", rw_fft_execute(f, x, y, queue));
    FAILS(RW_ERR_ARGUMENT, "x: type, shape, strides or device differ", rw_fft_execute(f, y, x, queue));
    rw_fft_destroy(&f);
    s.shape[0] = 0;
    OK(rw_fft_create(dev, &s, &f)); /* nothing to do */
    rw_array_destroy(&y);
    y = new_array(RW_C64, 0, RW_MEMORY_DEVICE);
    OK(rw_fft_execute(f, y, y, queue));
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* A long transform is executed in pieces of lines on processors: in place it is right; lines of y that lie elsewhere
 * than those of x would be read after they were written. */
static void test_long_in_place(void **state)
{
    (void)state;
    enum { LINES = 48, N = 8192, APART = 8200 };
    rw_fft_spec s = {.single = true, .ndim = 2, .shape = {LINES, N}, .axes = 2};
    rw_array *all = new_array(RW_C64, (int64_t)LINES * APART, RW_MEMORY_DEVICE), *x, *y;
    rw_fft *f;
    if (brief()) s.shape[0] = 3;
    fill(all, 3);
    OK(rw_array_view(all, RW_C64, 2, s.shape, (int64_t[]){N, 1}, 0, &x));
    OK(rw_array_view(all, RW_C64, 2, s.shape, (int64_t[]){APART, 1}, 0, &y));
    if (!brief()) assert_true(transform(&s, x, x) < 2.5);
    s.y_stride[0] = APART, s.y_stride[1] = 1;
    OK(rw_fft_create(dev, &s, &f));
    if (on("cpu") && !has_gpu_kernels()) FAILS(RW_ERR_ARGUMENT, "x and y overlap", rw_fft_execute(f, x, y, queue));
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors),       cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_axes),          cmocka_unit_test(test_strides),
                                       cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_identities),
                                       cmocka_unit_test(test_long_in_place), cmocka_unit_test(test_refused)};
    return run_on_devices("c2c", tests, RW_COUNT(tests));
}
