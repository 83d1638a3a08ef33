/* NaN and infinity in images of floating-point values: each affects the results whose window reads it, and no others.
 * Order statistics give NaN if they read one. */
/* TEST: tiled */
#include "../devices.h"
#include "param/param.h"
#include "pictures.h"
#include "reference.h"

static const rw_dtype types[] = {RW_F32, RW_F64, RW_F16};

/* A picture with NaN at pixel (i, j), and an infinity elsewhere unless it is NaN. */
static picture wild_picture(const layout *l, rw_dtype t, int i, int j, double other)
{
    picture x = random_picture(l, t, 11);
    *pixel(&x, i, j, 0) = NAN;
    if (!isnan(other)) *pixel(&x, l->width - 3, 4, l->channels - 1) = other;
    return x;
}

/* Whether the window of size nx x ny of pixel (i, j) reads a value that is not finite, or NaN. */
static bool reads(const picture *x, int i, int j, int c, const rw_image_op *op, int nx, int ny, bool nan)
{
    for (int l = 0; l < ny; ++l)
        for (int k = 0; k < nx; ++k) {
            const double v = at(x, i + k - nx / 2, j + l - ny / 2, c, op);
            if (op->element != RW_IMAGE_RECTANGLE && !rw_image_in_element(op->element, k, l, (int[]){nx, ny})) continue;
            if (nan ? isnan(v) : !isfinite(v)) return true;
        }
    return false;
}

static const layout layouts[] = {{70, 41, 1, false}, {33, 45, 3, false}, {47, 30, 2, true}};

/* Windows: NaN where they read one; elsewhere what the operation gives without the value that is not finite. */
static void check_window(const char *text, rw_dtype t, const layout *l, int nx, int ny, bool order)
{
    rw_image_op op;
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "|"), text);
    OK(rw_image_op_parse(ctx, first, &op));
    OK(rw_params_resolve(ctx, rw_image_op_params(), NULL, &op));
    picture x = wild_picture(l, t, 12, 17, INFINITY), clean = random_picture(l, t, 11);
    picture y = run_to(&x, l, t, RW_F64, text), wanted = run_to(&clean, l, t, RW_F64, text);
    int affected = 0;
    for (int j = 0; j < y.height; ++j)
        for (int i = 0; i < y.width; ++i)
            for (int c = 0; c < y.channels; ++c) {
                const double v = *pixel(&y, i, j, c), w = *pixel(&wanted, i, j, c);
                const bool nan = reads(&x, i, j, c, &op, nx, ny, true), wild = reads(&x, i, j, c, &op, nx, ny, false);
                const bool right = nan ? isnan(v) : wild ? (order ? !isnan(v) : !isfinite(v)) : fabs(v - w) <= 2e-3;
                affected += nan;
                if (!right)
                    fail_msg("%s of %s: at x %d, y %d, channel %d: %g%s, without it %g", text, rw_dtype_name(t), i, j,
                             c, v,
                             nan    ? ", where NaN is read"
                             : wild ? ", where infinity is read"
                                    : "",
                             w);
            }
    assert_true(affected > 0);
    free(x.v), free(clean.v), free(y.v), free(wanted.v);
}

static void test_windows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int nx, ny;
        bool order;
    } rows[] = {
        {"dilate:size=7", 7, 7, true},
        {"erode:size=4:size_y=9:border=wrap", 4, 9, true},
        {"median", 3, 3, true},
        {"median:5:border=replicate", 5, 5, true},
        {"median:9", 9, 9, true},
        {"box:17", 17, 17, false},
        {"box:3", 3, 3, false},
        {"dilate:element=ellipse:7", 7, 7, true},
        {"erode:element=ellipse:13", 13, 13, true},
        {"erode:element=cross:5:border=constant", 5, 5, true},
        {"box:size=16:size_y=21:border=wrap", 16, 21, false},
        {"gauss:sigma=2", 13, 13, false},
        {"gauss:sigma=2:algorithm=fft:border=reflect", 13, 13, false},
        {"mask:algorithm=fft:mask=1 2 1/2 4 2/1 2 1", 3, 3, false},
        {"erode:size=1:size_y=3", 1, 3, true},
        {"median:size=5:size_y=1|invert|threshold:level=0.4", 5, 1, true},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int k = 0; k < RW_COUNT(types); ++k)
            if (test_long() || (k == i % RW_COUNT(types) && (!brief() || i % 4 == 0)))
                check_window(rows[i].text, types[k], layouts + (i + k) % RW_COUNT(layouts), rows[i].nx, rows[i].ny,
                             rows[i].order);
}

/* open and close: of the first window's results. */
static void test_two(void **state)
{
    (void)state;
    const layout l = {60, 40, 1, false};
    static const char *const texts[][3] = {{"open:3", "erode:3", "dilate:3"}, {"close:5", "dilate:5", "erode:5"}};
    for (int k = 0; k < RW_COUNT(texts); ++k) {
        picture x = wild_picture(&l, RW_F32, 20, 20, -INFINITY), both = run_to(&x, &l, RW_F32, RW_F32, texts[k][0]),
                first = run_to(&x, &l, RW_F32, RW_F32, texts[k][1]),
                second = run_to(&first, &l, RW_F32, RW_F32, texts[k][2]);
        int nan = 0;
        for (int i = 0; i < 60 * 40; ++i) {
            nan += isnan(both.v[i]);
            if (both.v[i] != second.v[i] && !(isnan(both.v[i]) && isnan(second.v[i])))
                fail_msg("%s: pixel %d: %g, not %g", texts[k][0], i, both.v[i], second.v[i]);
        }
        assert_int_equal(nan, (4 * k + 5) * (4 * k + 5));
        free(x.v), free(both.v), free(first.v), free(second.v);
    }
}

/* Functions of a value: NaN of NaN, in integers 0; infinities as any large value. */
static void test_points(void **state)
{
    (void)state;
    static const char *const texts[] = {"threshold",
                                        "threshold:threshold=inverse",
                                        "threshold:threshold=truncate",
                                        "threshold:threshold=tozero",
                                        "threshold:threshold=tozero_inverse",
                                        "gamma",
                                        "invert",
                                        "linear:gain=2",
                                        "clip:low=0.2:high=0.6",
                                        "otsu",
                                        "equalize",
                                        "normalize"};
    const layout l = {40, 12, 1, false};
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        const rw_dtype t = types[i % RW_COUNT(types)];
        picture x = wild_picture(&l, t, 5, 6, NAN), clean = random_picture(&l, t, 11),
                y = run_to(&x, &l, t, RW_F64, texts[i]), wanted = run_to(&clean, &l, t, RW_F64, texts[i]),
                bytes = run_to(&x, &l, t, RW_U8, texts[i]);
        for (int m = 0; m < 40 * 12; ++m) {
            const bool nan = m == 6 * 40 + 5;
            /* one pixel less is counted */
            if (nan ? !isnan(y.v[m]) : !(fabs(y.v[m] - wanted.v[m]) <= (i >= 9 ? 0.01 : 0)))
                fail_msg("%s of %s: pixel %d: %g, without NaN %g", texts[i], rw_dtype_name(t), m, y.v[m], wanted.v[m]);
            if (nan) assert_true(bytes.v[m] == 0);
        }
        free(x.v), free(clean.v), free(y.v), free(wanted.v), free(bytes.v);
    }
    static const char *const colours[] = {"grey", "colour:hsv", "colour:from_hsv", "colour:xyz", "colour:ycbcr"};
    const layout three = {7, 5, 3, false};
    for (int i = 0; i < RW_COUNT(colours); ++i) {
        picture x = wild_picture(&three, RW_F32, 2, 3, NAN), y = run_to(&x, &three, RW_F32, RW_F64, colours[i]);
        for (int m = 0; m < 35 * y.channels; ++m)
            if (isnan(y.v[m]) != (m / y.channels == 3 * 7 + 2) && !(i == 4 && m % 3 == 1))
                fail_msg("%s: value %d: %g", colours[i], m, y.v[m]);
        free(x.v), free(y.v);
    }
}

/* NumPy's histogram of a range: NaN and values outside are not counted, the upper end belongs to the last bin. */
static void test_histogram(void **state)
{
    (void)state;
    const layout l = {9, 1, 1, false};
    const double values[9] = {NAN, -0.25, 0, 0.125, 0.25, 0.75, 1, 1.5, INFINITY}, wanted[4] = {2, 1, 0, 2};
    for (int k = 0; k < 2; ++k) {
        picture x = picture_new(9, 1, 1);
        memcpy(x.v, values, sizeof values);
        picture y = run_to(&x, &l, k ? RW_F64 : RW_F32, RW_F64, "histogram:bins=4");
        for (int b = 0; b < 4; ++b)
            if (y.v[b] != wanted[b]) fail_msg("bin %d: %g, not %g", b, y.v[b], wanted[b]);
        free(x.v), free(y.v);
    }
    /* u8: 10 parts of 0 … 255; 51 is the first value of the third one */
    const layout two = {3, 1, 1, false};
    picture x = picture_new(3, 1, 1);
    x.v[0] = 50;
    x.v[1] = 51;
    x.v[2] = 255;
    picture y = run_to(&x, &two, RW_U8, RW_F64, "histogram:bins=10");
    assert_true(y.v[1] == 1 && y.v[2] == 1 && y.v[9] == 1);
    free(x.v), free(y.v);
}

/* rw_image_info.spreads: whether a filter spreads values that are not finite. */
static void test_spreads(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool spreads;
    } rows[] = {{"gauss:sigma=40", false},
                {"gauss:algorithm=recursive", true},
                {"lowpass", true},
                {"grey|spectrum", true},
                {"box:31|median", false},
                {"mask:algorithm=fft", false},
                {"resize:factor=2|sobel", false}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const rw_image_spec spec = {.text = rows[i].text, .width = 40, .height = 40};
        rw_image_filter *f;
        rw_image_info info;
        OK(rw_image_filter_create(dev, &spec, &f));
        OK(rw_image_filter_get_info(f, &info));
        if (info.spreads != rows[i].spreads) fail_msg("%s", rows[i].text);
        rw_image_filter_destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_two),
                                       cmocka_unit_test(test_points), cmocka_unit_test(test_histogram),
                                       cmocka_unit_test(test_spreads)};
    return run_on_devices("nonfinite", tests, RW_COUNT(tests));
}
