/* Images with an alpha channel: points and edges leave it unchanged, windows and interpolation work on colours that are
 * multiplied by it. Compared with the same operations on the colours alone, and on colours that the test multiplies
 * itself. */
#include "../devices.h"
#include "pictures.h"
#include "reference.h"

static const rw_dtype types[] = {RW_U8, RW_F32, RW_U16, RW_I16, RW_F64, RW_F16};

/* Alpha 0, white and values between them; other values are random. */
static picture random_alpha(const layout *l, rw_dtype t, uint64_t seed)
{
    picture p = random_picture(l, t, seed);
    const double white = rw_image_largest(t);
    for (int i = 0, n = l->channels; i < l->width * l->height; ++i) {
        double *a = p.v + (size_t)i * n + n - 1;
        *a = fabs(*a) < white / 4 ? 0 : fabs(*a) < white / 2 ? white : fmin(fabs(*a), white);
    }
    return p;
}

/* The colours alone, as real numbers, with `times` multiplied by alpha; with alpha after them if `keep`. */
static picture colours_of(const picture *x, rw_dtype t, bool times, bool keep)
{
    const int n = x->channels;
    picture p = picture_new(x->width, x->height, keep ? n : n - 1);
    for (int i = 0; i < x->width * x->height; ++i) {
        const double *v = x->v + (size_t)i * n, part = v[n - 1] / rw_image_largest(t);
        for (int c = 0; c < p.channels; ++c) p.v[i * p.channels + c] = c < n - 1 && times ? v[c] * part : v[c];
    }
    return p;
}

static picture run_alpha(const picture *x, const layout *l, rw_dtype t, const char *text)
{
    with_alpha = true;
    picture y = run(x, l, t, text);
    with_alpha = false;
    return y;
}

static layout without(const layout *l, int channels) { return (layout){l->width, l->height, channels, l->planar}; }

/* Colours are those of the image without alpha, and alpha is that of x. */
static void check_carried(const char *text, rw_dtype t, const layout *l, double most)
{
    const layout alone = without(l, l->channels - 1);
    picture x = random_alpha(l, t, 7), colours = colours_of(&x, t, false, false);
    picture y = run_alpha(&x, l, t, text), wanted = run(&colours, &alone, t, text);
    for (int i = 0; i < y.width * y.height; ++i)
        for (int c = 0; c < y.channels; ++c) {
            const double got = y.v[i * y.channels + c],
                         w = c < y.channels - 1 ? wanted.v[i * wanted.channels + c] : x.v[(i + 1) * l->channels - 1];
            if (!(fabs(got - w) <= most))
                fail_msg("%s of %s, %d channels: pixel %d, channel %d: %.9g, not %.9g", text, rw_dtype_name(t),
                         l->channels, i, c, got, w);
        }
    free(x.v), free(colours.v), free(y.v), free(wanted.v);
}

/* The result of the operation on colours times alpha, in f64 and divided by the alpha of the result; gain: the sum of
 * the operation's weights. */
static void check_blended(const char *text, rw_dtype t, const layout *l, double gain)
{
    const layout plain = without(l, l->channels);
    const double white = rw_image_largest(t);
    picture x = random_alpha(l, t, 8), products = colours_of(&x, t, true, true);
    picture y = run_alpha(&x, l, t, text), wanted = run(&products, &plain, RW_F64, text);
    const double most = whole(t) ? 1 : t == RW_F64 ? 1e-9 : t == RW_F16 ? 2e-3 : 2e-5;
    for (int i = 0; i < y.width * y.height; ++i) {
        const int n = y.channels;
        const double *w = wanted.v + (size_t)i * n, *got = y.v + (size_t)i * n, alpha = w[n - 1] / gain;
        const double shown = fmin(fmax(alpha, 0), white);
        if (!(fabs(got[n - 1] - shown) <= most))
            fail_msg("%s of %s: alpha of pixel %d: %.9g, not %.9g", text, rw_dtype_name(t), i, got[n - 1], shown);
        for (int c = 0; c < n - 1; ++c) {
            const double v = alpha <= 0 ? 0 : limited(w[c] * white / alpha, t);
            if (alpha > 0 && alpha < white / 50) continue; /* rounding errors are divided by alpha */
            if (!(fabs(got[c] - v) <= most * fmax(1, fabs(v) / white)))
                fail_msg("%s of %s: pixel %d, channel %d: %.9g, not %.9g", text, rw_dtype_name(t), i, c, got[c], v);
        }
    }
    free(x.v), free(products.v), free(y.v), free(wanted.v);
}

static const layout layouts[] = {{21, 13, 4, false}, {17, 11, 2, false}, {15, 12, 4, true}, {19, 9, 2, true}};

static void test_carried(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sobel",
        "invert",
        "laplace:3",
        "threshold",
        "gradient:size=5:size_y=3",
        "scharr:direction=x:border=wrap",
        "tophat:size=3",
        "blackhat:element=cross:border=constant:value=0.5",
        "linear:gain=0.5:offset=0.1|invert",
        "gamma",
        "clip:low=0.2:high=0.6",
        "normalize",
        "equalize",
        "otsu",
        "mask:border=replicate:mask=-1 0 1/-2 0 2/-1 0 1",
        "mask:algorithm=fft:mask=0 -1 0/-1 4 -1/0 -1 0",
        "sobel:border=skip",
        "laplace|invert|sobel|threshold|normalize",
    };
    for (int i = 0; i < RW_COUNT(texts); ++i)
        for (int k = 0; k < RW_COUNT(types); ++k)
            if (k == i % RW_COUNT(types) || test_long()) {
                /* another number of channels is another transform, with other rounding errors */
                const double eps = types[k] == RW_F64 ? 0x1p-52 : types[k] == RW_F32 ? 0x1p-23 : 0x1p-11;
                const double most = strstr(texts[i], "fft") && !whole(types[k]) ? 16 * eps : 0;
                check_carried(texts[i], types[k], layouts + (i + k / 2) % RW_COUNT(layouts), most);
            }
    check_carried("highpass", RW_U8, layouts, 1);
    check_carried("bandpass", RW_F32, layouts + 2, 1e-5);
}

static void test_blended(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double gain;
    } rows[] = {
        {"gauss:sigma=1.2", 1},
        {"box:5:size_y=2:border=wrap", 1},
        {"median", 1},
        {"erode:size=4:size_y=3", 1},
        {"dilate:element=ellipse:5", 1},
        {"close:3", 1},
        {"unsharp:sigma=0.8", 1},
        {"sharpen:amount=0.3", 1},
        {"mask:border=replicate:mask=1 2 1/2 4 2/1 2 1", 16},
        {"lowpass", 1},
        {"resize:factor=1.7", 1},
        {"resize:width=9:height=20:cubic", 1},
        {"resize:factor=0.3:area", 1},
        {"resize:factor=0.5", 1},
        {"rotate:angle=25", 1},
        {"rotate:angle=-40:lanczos:border=constant", 1},
        {"warp:border=reflect:matrix=1.1 0.2 -3/-0.1 0.9 2/0.001 0 1", 1},
        {"gauss:algorithm=fft:border=constant", 1},
        {"gauss:algorithm=recursive:sigma=2", 1},
        {"box:21:border=reflect", 1},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int k = 0; k < RW_COUNT(types); ++k)
            if (k == (i + 1) % RW_COUNT(types) || test_long())
                check_blended(rows[i].text, types[k], layouts + (i + k / 2) % RW_COUNT(layouts), rows[i].gain);
}

/* White, transparent on the left; black, opaque on the right: no white and no grey becomes visible. */
static void test_bleeding(void **state)
{
    (void)state;
    static const char *const texts[] =
        {"resize:width=37:height=11", "gauss", "box:17", "rotate:angle=10", "bilateral", "dilate", "unsharp",
         "resize:factor=3:lanczos"};
    const layout l = {16, 8, 4, false};
    picture x = picture_new(16, 8, 4);
    for (int i = 0; i < 16 * 8 * 4; ++i) x.v[i] = i / 4 % 16 < 8 ? (i % 4 < 3 ? 255 : 0) : i % 4 < 3 ? 0 : 255;
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        picture y = run_alpha(&x, &l, RW_U8, texts[i]);
        int between = 0;
        for (int m = 0; m < y.width * y.height; ++m) {
            const double *v = y.v + 4 * m;
            if (v[3] > 0 && v[0] + v[1] + v[2] > 0)
                fail_msg("%s: pixel %d is %g %g %g, alpha %g", texts[i], m, v[0], v[1], v[2], v[3]);
            between += v[3] > 0;
        }
        assert_true(between > 0);
        free(y.v);
    }
    free(x.v);
}

/* Opaque images have the colours that they have without alpha; integers may differ by 1. */
static void test_opaque(void **state)
{
    (void)state;
    static const char *const texts[] = {"gauss:sigma=2",     "box:3",         "median:5", "erode",
                                        "resize:factor=0.4", "rotate:angle=9"};
    const layout l = {24, 18, 4, false}, alone = without(&l, 3);
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        const rw_dtype t = i % 2 ? RW_U16 : RW_U8;
        picture x = random_picture(&l, t, (uint64_t)i);
        for (int m = 0; m < 24 * 18; ++m) x.v[4 * m + 3] = rw_image_largest(t);
        picture colours = colours_of(&x, t, false, false), y = run_alpha(&x, &l, t, texts[i]),
                wanted = run(&colours, &alone, t, texts[i]);
        for (int m = 0; m < y.width * y.height; ++m) {
            assert_true(y.v[4 * m + 3] == rw_image_largest(t));
            for (int c = 0; c < 3; ++c)
                if (!(fabs(y.v[4 * m + c] - wanted.v[3 * m + c]) <= 1))
                    fail_msg("%s: pixel %d is %g, not %g", texts[i], m, y.v[4 * m + c], wanted.v[3 * m + c]);
        }
        free(x.v), free(colours.v), free(y.v), free(wanted.v);
    }
}

/* alpha=filter, operations that move pixels, and images of 4 channels that are no pictures: every channel is filtered
 * by itself. */
static void test_plain(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"sobel:alpha=filter", "sobel"},
                                           {"gauss:alpha=filter|threshold:alpha=filter", "gauss|threshold"},
                                           {"resize:alpha=filter:factor=0.6", "resize:factor=0.6"},
                                           {"flip|transpose|crop:left=2|pad:left=3|rotate:angle=20:nearest",
                                            "flip|transpose|crop:left=2|pad:left=3|rotate:angle=20:nearest"},
                                           {"normalize:alpha=filter", "normalize"}};
    const layout l = {21, 13, 4, false}, plain = without(&l, 4), one = without(&l, 1);
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        picture x = random_picture(&l, RW_U8, 3), a = run_alpha(&x, &l, RW_U8, texts[i][0]),
                b = run(&x, &plain, RW_U8, texts[i][1]), channel = picture_new(21, 13, 1);
        const size_t n = (size_t)a.width * a.height;
        assert_memory_equal(a.v, b.v, n * 4 * sizeof(double));
        for (int m = 0; m < 21 * 13; ++m) channel.v[m] = x.v[4 * m + 3];
        picture alone = run(&channel, &one, RW_U8, texts[i][1]);
        for (size_t m = 0; m < n && i < 4; ++m) assert_true(alone.v[m] == b.v[4 * m + 3]);
        free(x.v), free(a.v), free(b.v), free(channel.v), free(alone.v);
    }
}

/* By hand: pixels beyond a constant border have the value in all channels; colours times alpha. */
static void test_constant(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double grey, alpha;
    } rows[] = {
        /* (50 200 + 8 100 100)/(200 + 8 100), (200 + 8 100)/9 */
        {"box:border=constant:value=100", 90, 111},
        {"threshold:level=49:threshold=tozero|box:border=constant:value=100", 90, 111},
        /* (50 200 + 100 100)/(200 + 100), (200 + 100)/2 */
        {"warp:border=constant:value=100:matrix=1 0 0.5/0 1 0", 67, 150},
        /* of a chain of two windows, the second border */
        {"median:border=replicate|box:border=constant:value=100", 90, 111},
        {"dilate:border=constant:value=10", 50, 200},
        {"box:border=skip", 50, 200},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int planar = 0; planar < 2; ++planar) {
            const layout l = {1, 1, 2, planar};
            picture x = picture_new(1, 1, 2);
            x.v[0] = 50, x.v[1] = 200;
            picture y = run_alpha(&x, &l, RW_U8, rows[i].text);
            if (y.v[0] != rows[i].grey || y.v[1] != rows[i].alpha)
                fail_msg("%s%s: %g, alpha %g, not %g, %g", rows[i].text, planar ? ", planar" : "", y.v[0], y.v[1],
                         rows[i].grey, rows[i].alpha);
            free(x.v), free(y.v);
        }
    FAILS(RW_ERR_ARGUMENT, "alpha is the last of at least 2 channels",
          rw_image_filter_create(dev, &(rw_image_spec){.text = "gauss", .width = 3, .height = 3, .alpha = true},
                                 &(rw_image_filter *){NULL}));
}

/* grey drops colours, a histogram counts alpha, a spectrum is opaque. */
static void test_others(void **state)
{
    (void)state;
    const layout l = {16, 16, 4, false};
    picture x = random_alpha(&l, RW_U8, 5), grey = run_alpha(&x, &l, RW_U8, "grey|sobel"),
            spectrum = run_alpha(&x, &l, RW_U8, "grey|spectrum"),
            counts = run_alpha(&x, &l, RW_F64, "histogram:bins=1");
    assert_int_equal(grey.channels, 2);
    assert_int_equal(spectrum.channels, 2);
    assert_int_equal(counts.channels, 4);
    for (int i = 0; i < 256; ++i) {
        assert_true(grey.v[2 * i + 1] == x.v[4 * i + 3]);
        assert_true(spectrum.v[2 * i + 1] == 255);
    }
    free(x.v), free(grey.v), free(spectrum.v), free(counts.v);
}

/* In tiles the bytes of the whole image. */
static void test_tiles(void **state)
{
    (void)state;
    const layout l = {23, 61, 4, false};
    rw_image_spec spec = spec_of(&l, RW_U8, "gauss|sobel|box:5:border=constant:value=9|threshold");
    spec.alpha = true;
    picture x = random_alpha(&l, RW_U8, 6), y = run_alpha(&x, &l, RW_U8, spec.text);
    unsigned char in[23 * 61 * 4], out[23 * 61 * 4];
    for (int i = 0; i < RW_COUNT(in); ++i) in[i] = (unsigned char)x.v[i];
    OK(rw_image_filter_tiles(dev, &spec, in, out, 100000, NULL));
    for (int i = 0; i < RW_COUNT(in); ++i)
        if (out[i] != y.v[i]) fail_msg("element %d: %d, not %g", i, out[i], y.v[i]);
    free(x.v), free(y.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_carried),  cmocka_unit_test(test_blended),
                                       cmocka_unit_test(test_bleeding), cmocka_unit_test(test_opaque),
                                       cmocka_unit_test(test_plain),    cmocka_unit_test(test_constant),
                                       cmocka_unit_test(test_others),   cmocka_unit_test(test_tiles)};
    return run_on_devices("alpha", tests, RW_COUNT(tests));
}
