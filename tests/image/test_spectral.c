/* Filters by Fourier transforms beside sums of the definition in f64. */
#include <complex.h>

#include "../devices.h"
#include "param/param.h"
#include "pictures.h"
#include "reference.h"

static double low(const rw_image_op *op, double r, double cutoff)
{
    if (op->response == RW_IMAGE_RESPONSE_IDEAL) return r <= cutoff * (1 + 1e-6);
    if (op->response == RW_IMAGE_RESPONSE_BUTTERWORTH) return 1 / (1 + pow(r / cutoff, 2 * op->order));
    return exp(-0.5 * (r / cutoff) * (r / cutoff));
}

static double response(const rw_image_op *op, double fx, double fy)
{
    const double r = hypot(fx, fy);
    if (op->method == RW_IMAGE_LOWPASS) return low(op, r, op->cutoff);
    if (op->method == RW_IMAGE_HIGHPASS) return 1 - low(op, r, op->cutoff);
    return (1 - low(op, r, op->cutoff)) * low(op, r, op->cutoff_high);
}

/* The sums of the transform and its inverse, as they are written. */
static picture filtered(const picture *x, const rw_image_op *op)
{
    const int w = x->width, h = x->height;
    const double pi = acos(-1);
    picture y = picture_new(w, h, x->channels);
    for (int c = 0; c < x->channels; ++c)
        for (int v = 0; v < h; ++v)
            for (int u = 0; u < w; ++u) {
                double complex sum = 0;
                for (int j = 0; j < h; ++j)
                    for (int i = 0; i < w; ++i)
                        sum +=
                            *pixel((picture *)x, i, j, c) * cexp(-2 * pi * I * ((double)u * i / w + (double)v * j / h));
                sum *= response(op, (double)(2 * u > w ? w - u : u) / w, (double)(2 * v > h ? h - v : v) / h) /
                       ((double)w * h);
                for (int j = 0; j < h; ++j)
                    for (int i = 0; i < w; ++i)
                        *pixel(&y, i, j, c) += creal(sum * cexp(2 * pi * I * ((double)u * i / w + (double)v * j / h)));
            }
    return y;
}

static void near(const picture *y, const picture *wanted, double most, const char *text, rw_dtype t)
{
    for (size_t i = 0, n = (size_t)y->width * y->height * y->channels; i < n; ++i)
        if (!(fabs(y->v[i] - wanted->v[i]) <= most))
            fail_msg("%s of %s, %d x %d x %d: value %d is %.17g, not %.17g", text, rw_dtype_name(t), y->width,
                     y->height, y->channels, (int)i, y->v[i], wanted->v[i]);
}

static double allowed(rw_dtype t) { return whole(t) ? 1 : t == RW_F64 ? 1e-13 : t == RW_F16 ? 0x1p-11 : 3e-6; }

/* Every which case is taken: all in the long version, but for OpenCL, which compiles slowly. */
static int every(int long_opencl, int usually, int briefly)
{
    return test_long() ? on("opencl") ? long_opencl : 1 : brief() ? briefly : usually;
}

static void test_responses(void **state)
{
    (void)state;
    static const rw_dtype types[] = {RW_F32, RW_U8, RW_F64, RW_U16, RW_I16, RW_F16};
    static const layout layouts[] = {{12, 9, 1, false}, {7, 16, 3, false}, {10, 5, 2, true},
                                     {1, 1, 1, false},  {1, 6, 1, false},  {13, 1, 4, false}};
    static const char *const texts[] = {
        "lowpass",
        "highpass:cutoff=0.2",
        "bandpass",
        "lowpass:ideal:cutoff=0.31",
        "highpass:butterworth:order=3",
        "bandpass:ideal:cutoff=0.15:cutoff_high=0.4",
    };
    for (int i = 0; i < RW_COUNT(texts); ++i)
        for (int k = 0; k < RW_COUNT(layouts); ++k) {
            const rw_dtype t = types[(i + k) % RW_COUNT(types)];
            rw_image_op op;
            if ((i + 2 * k) % every(3, 7, 13)) continue;
            OK(rw_image_op_parse(ctx, texts[i], &op));
            OK(rw_params_resolve(ctx, rw_image_op_params(), NULL, &op));
            picture x = random_picture(layouts + k, t, (uint64_t)(31 * i + k)), y = run(&x, layouts + k, t, texts[i]),
                    wanted = filtered(&x, &op);
            for (size_t m = 0, n = (size_t)x.width * x.height * x.channels; m < n; ++m)
                wanted.v[m] = rounded(wanted.v[m], t);
            near(&y, &wanted, allowed(t), texts[i], t);
            free(x.v), free(y.v), free(wanted.v);
        }
}

/* Correlations by transforms and by sums. */
static void test_algorithms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "gauss:sigma=2.5:algorithm=%s",
        "mask:algorithm=%s:border=wrap:mask=0.1 0.2 -0.3/0.5 0 0.25",
        "gauss:1.5:sigma_y=4:border=wrap:algorithm=%s",
        "gauss:6:border=constant:value=0.5:algorithm=%s",
        "gauss:9:border=reflect:algorithm=%s",
        "gauss:3:border=replicate:algorithm=%s",
        "mask:algorithm=%s:anchor_x=1:scale=0.1:border=replicate:mask=1 2 3 4",
    };
    static const layout layouts[] = {{61, 37, 1, false}, {20, 31, 3, false}, {33, 12, 2, true}, {5, 3, 1, false}};
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        const layout *l = layouts + i % RW_COUNT(layouts);
        const rw_dtype t = (const rw_dtype[]){RW_F32, RW_U8, RW_F64}[i % 3];
        char taps[160], fft[160];
        if (i % every(2, 3, 5)) continue;
        snprintf(taps, sizeof taps, texts[i], "taps"), snprintf(fft, sizeof fft, texts[i], "fft");
        picture x = random_picture(l, t, (uint64_t)i), y = run(&x, l, t, fft), wanted = run(&x, l, t, taps);
        near(&y, &wanted, allowed(t), texts[i], t);
        free(x.v), free(y.v), free(wanted.v);
    }
}

/* Recursion beside a Gaussian that is hardly cut off: within 0.1 % of the largest value, for all borders and
 * layouts. */
static void test_recursion(void **state)
{
    (void)state;
    static const char *const borders[] = {"reflect101", "reflect", "replicate", "wrap", "constant:value=0.5"};
    static const layout layouts[] = {{61, 37, 1, false}, {20, 131, 3, false}, {143, 12, 2, true}, {5, 3, 1, false}};
    for (int i = 0; i < RW_COUNT(borders); ++i)
        for (int k = 0; k < RW_COUNT(layouts); ++k) {
            const rw_dtype t = (const rw_dtype[]){RW_F32, RW_F64, RW_U8}[(i + k) % 3];
            char recursive[128], taps[128];
            if ((i + k) % every(3, 4, 7)) continue;
            snprintf(recursive, sizeof recursive, "gauss:2.5:sigma_y=%d:algorithm=recursive:border=%s", k + 2,
                     borders[i]);
            snprintf(taps, sizeof taps, "gauss:2.5:sigma_y=%d:truncate=6:algorithm=taps:border=%s", k + 2, borders[i]);
            picture x = random_picture(layouts + k, t, (uint64_t)(300 + i)), y = run(&x, layouts + k, t, recursive),
                    wanted = run(&x, layouts + k, t, taps);
            near(&y, &wanted, t == RW_U8 ? 1 : 1e-3, recursive, t);
            free(x.v), free(y.v), free(wanted.v);
        }
}

/* A radius beyond that of sums; a blur keeps the mean and makes differences smaller; all frequencies together are the
 * image. */
static void test_large(void **state)
{
    (void)state;
    const layout l = {64, 48, 1, false};
    picture x = random_picture(&l, RW_F32, 77), y = run(&x, &l, RW_F32, "gauss:sigma=60:border=wrap");
    double mean = 0;
    for (int i = 0; i < 64 * 48; ++i) mean += x.v[i] / (64 * 48);
    for (int i = 0; i < 64 * 48; ++i) assert_true(fabs(y.v[i] - mean) < 1e-3);
    free(y.v);
    y = run(&x, &l, RW_F32, "lowpass:cutoff=0.1");
    double mean_y = 0, variation = 0, variation_y = 0;
    for (int i = 0; i < 64 * 48; ++i) mean_y += y.v[i] / (64 * 48);
    for (int i = 1; i < 64 * 48; ++i) variation += fabs(x.v[i] - x.v[i - 1]), variation_y += fabs(y.v[i] - y.v[i - 1]);
    assert_true(fabs(mean - mean_y) < 1e-5);
    assert_true(variation_y < 0.5 * variation);
    free(x.v), free(y.v);
    x = random_picture(&l, RW_U8, 78), y = run(&x, &l, RW_U8, "lowpass:ideal:cutoff=0.8");
    assert_memory_equal(x.v, y.v, sizeof(double) * 64 * 48);
    free(y.v);
    static const layout whole[] = {{640, 472, 1, false}, {512, 512, 1, false}}; /* there and back again: the bytes */
    for (int i = 0; i < (brief() ? 0 : 2); ++i) {
        picture u = random_picture(whole + i, RW_U8, 79), v = run(&u, whole + i, RW_U8, "lowpass:ideal:cutoff=0.8");
        assert_memory_equal(u.v, v.v, sizeof(double) * (size_t)(u.width * u.height));
        free(u.v), free(v.v);
    }
    y = run(&x, &l, RW_U8, "sobel|lowpass|median|threshold"); /* between others */
    for (int i = 0; i < 64 * 48; ++i) assert_true(y.v[i] == 0 || y.v[i] == 255);
    free(x.v), free(y.v);
}

/* A chain of sums, transforms and points stays on the device: one copy there, one back. */
static void test_copies(void **state)
{
    (void)state;
    const layout l = {40, 30, 1, false};
    const rw_image_spec spec = {.text = "gauss|lowpass:cutoff=0.3|normalize|threshold",
                                .dtype = RW_F32,
                                .width = l.width,
                                .height = l.height,
                                .channels = 1};
    rw_image_filter *f;
    const void *r;
    void *w;
    if (!discrete()) skip();
    rw_array *x = new_image(RW_F32, &l), *y = new_image(RW_F32, &l);
    OK(rw_image_filter_create(dev, &spec, &f));
    for (int turn = 0; turn < 2; ++turn) { /* the first one also sends tables of transforms */
        const rw_counters before = counters();
        OK(rw_array_write(x, &w));
        for (int i = 0; i < l.width * l.height; ++i) ((float *)w)[i] = (float)rw_random_uniform(9, (uint64_t)i);
        OK(rw_image_filter_execute(f, x, y, queue));
        OK(rw_array_read(y, &r));
        const rw_counters after = counters();
        if (turn == 0) continue;
        assert_int_equal(after.copies_in - before.copies_in, 1);
        assert_int_equal(after.copies_out - before.copies_out, 1);
    }
    rw_image_filter_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* Magnitudes of the sums, zero frequency in the middle, least to largest. */
static void test_pictures(void **state)
{
    (void)state;
    static const layout layouts[] = {{12, 9, 1, false}, {7, 10, 3, false}, {8, 5, 2, true}, {1, 1, 1, false}};
    const double pi = acos(-1);
    for (int k = 0; k < RW_COUNT(layouts); ++k) {
        const layout *l = layouts + k;
        if (!test_long() && brief() && k != 1) continue;
        picture x = random_picture(l, RW_F64, (uint64_t)(200 + k)),
                y = run(&x, l, RW_F64, k % 2 ? "spectrum:linear" : "spectrum"),
                wanted = picture_new(l->width, l->height, l->channels);
        double least = INFINITY, most = 0;
        for (int c = 0; c < l->channels; ++c)
            for (int j = 0; j < l->height; ++j)
                for (int i = 0; i < l->width; ++i) {
                    double complex sum = 0;
                    const double fx = (double)(i - l->width / 2) / l->width,
                                 fy = (double)(j - l->height / 2) / l->height;
                    for (int n = 0; n < l->height; ++n)
                        for (int m = 0; m < l->width; ++m)
                            sum += *pixel(&x, m, n, c) * cexp(-2 * pi * I * (fx * m + fy * n));
                    const double v = k % 2 ? cabs(sum) : log(1 + 255 * cabs(sum));
                    *pixel(&wanted, i, j, c) = v, least = fmin(least, v), most = fmax(most, v);
                }
        for (int m = 0; m < l->width * l->height * l->channels; ++m)
            wanted.v[m] = most > least ? (wanted.v[m] - least) / (most - least) : 0;
        near(&y, &wanted, 1e-9, "spectrum", RW_F64);
        free(x.v), free(y.v), free(wanted.v);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"bandpass:cutoff=0.3:cutoff_high=0.2", "is not below"},
        {"gauss:algorithm=fft:border=skip", "border skip"},
        {"lowpass:cutoff=0", "outside"},
        {"gauss:100:algorithm=taps", "radius"},
    };
    rw_image_filter *f;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const rw_image_spec spec = {.text = rows[i].text, .dtype = RW_F32, .width = 40, .height = 30};
        FAILS(RW_ERR_ARGUMENT, rows[i].message, rw_image_filter_create(dev, &spec, &f));
        assert_null(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_responses), cmocka_unit_test(test_algorithms),
                                       cmocka_unit_test(test_recursion), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_copies),    cmocka_unit_test(test_pictures),

                                       cmocka_unit_test(test_mistakes)};
    return run_on_devices("spectral", tests, RW_COUNT(tests));
}
