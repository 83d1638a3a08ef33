/* Sizes, maps and mirror images beside their definitions in f64, for all types, borders and interpolations. */
/* TEST: devices=all unoptimised */
#include "../devices.h"
#include "param/param.h"
#include "pictures.h"
#include "reference.h"

static double kernel(rw_image_interpolation how, double d)
{
    const double a = fabs(d), pi = acos(-1);
    if (how == RW_IMAGE_INTERPOLATION_LINEAR) return a < 1 ? 1 - a : 0;
    if (how == RW_IMAGE_INTERPOLATION_CUBIC)
        return a < 1 ? (1.25 * a - 2.25) * a * a + 1 : a < 2 ? -0.75 * (((a - 5) * a + 8) * a - 4) : 0;
    return a < 1e-12 ? 1 : a < 4 ? sin(pi * a) * sin(pi * a / 4) / (pi * pi * a * a / 4) : 0;
}

static double sample(const picture *x, double sx, double sy, int c, const rw_image_op *op)
{
    if (op->interpolation == RW_IMAGE_INTERPOLATION_NEAREST)
        return at(x, (int)floor(sx + 0.5), (int)floor(sy + 0.5), c, op);
    double sum = 0, wx = 0, wy = 0;
    const int lx = (int)floor(sx), ly = (int)floor(sy);
    for (int m = -3; m <= 4; ++m)
        wx += kernel(op->interpolation, sx - lx - m), wy += kernel(op->interpolation, sy - ly - m);
    for (int n = -3; n <= 4; ++n)
        for (int m = -3; m <= 4; ++m)
            sum += kernel(op->interpolation, sx - lx - m) * kernel(op->interpolation, sy - ly - n) *
                   at(x, lx + m, ly + n, c, op);
    return sum / (wx * wy);
}

static double covered(const picture *x, double x0, double x1, double y0, double y1, int c, const rw_image_op *op)
{
    double sum = 0;
    for (int n = (int)floor(y0); n < y1 - 1e-9; ++n)
        for (int m = (int)floor(x0); m < x1 - 1e-9; ++m)
            sum += (fmin(m + 1, x1) - fmax(m, x0)) * (fmin(n + 1, y1) - fmax(n, y0)) * at(x, m, n, c, op);
    return sum / ((x1 - x0) * (y1 - y0));
}

static double wanted(const picture *x, const picture *y, int i, int j, int c, const rw_image_op *op)
{
    const double w = x->width, h = x->height, sx = w / y->width, sy = h / y->height, a = op->angle * acos(-1) / 180;
    switch (op->method) {
    case RW_IMAGE_RESIZE:
        if (op->interpolation == RW_IMAGE_INTERPOLATION_AREA)
            return covered(x, i * sx, (i + 1) * sx, j * sy, (j + 1) * sy, c, op);
        return sample(x, (i + 0.5) * sx - 0.5, (j + 0.5) * sy - 0.5, c, op);
    case RW_IMAGE_ROTATE: {
        const double u = i - (w - 1) / 2, v = j - (h - 1) / 2;
        return sample(x, cos(a) * u - sin(a) * v + (w - 1) / 2, sin(a) * u + cos(a) * v + (h - 1) / 2, c, op);
    }
    case RW_IMAGE_WARP: {
        const double r = 0.001 * i + 1;
        return sample(x, (1.1 * i + 0.2 * j - 3) / r, (-0.1 * i + 0.9 * j + 2) / r, c, op);
    }
    case RW_IMAGE_FLIP:
        return *pixel(x, op->axis != RW_IMAGE_FLIP_Y ? x->width - 1 - i : i,
                      op->axis != RW_IMAGE_FLIP_X ? x->height - 1 - j : j, c);
    case RW_IMAGE_TRANSPOSE: return *pixel(x, j, i, c);
    case RW_IMAGE_CROP: return *pixel(x, i + (int)op->left, j + (int)op->top, c);
    default: return at(x, i - (int)op->left, j - (int)op->top, c, op);
    }
}

static void check(const char *text, rw_dtype t, const layout *l, uint64_t seed)
{
    rw_image_op op;
    OK(rw_image_op_parse(ctx, text, &op));
    OK(rw_params_resolve(ctx, rw_image_op_params(), NULL, &op));
    picture x = random_picture(l, t, seed), y = run(&x, l, t, text);
    /* the mean of four integers has no rounding error but that of the result, and halves go to even */
    const bool halves =
        op.method == RW_IMAGE_RESIZE && l->width == 2 * y.width && l->height == 2 * y.height &&
        (op.interpolation == RW_IMAGE_INTERPOLATION_LINEAR || op.interpolation == RW_IMAGE_INTERPOLATION_AREA);
    const double white = rw_image_largest(t);
    const double most = whole(t) ? !halves : white * (t == RW_F64 ? 1e-11 : t == RW_F16 ? 2e-3 : 1e-5);
    for (int j = 0; j < y.height; ++j)
        for (int i = 0; i < y.width; ++i)
            for (int c = 0; c < y.channels; ++c) {
                const double w = rounded(wanted(&x, &y, i, j, c, &op), t), got = *pixel(&y, i, j, c);
                if (!(fabs(got - w) <= most))
                    fail_msg("%s of %s, %d x %d x %d: at x %d, y %d, channel %d: %.17g, not %.17g", text,
                             rw_dtype_name(t), l->width, l->height, l->channels, i, j, c, got, w);
            }
    free(x.v), free(y.v);
}

static const char *const operations[] = {
    "resize:factor=0.5",
    "resize:width=90:height=47",
    "resize:factor=1.5:lanczos:border=reflect101",
    "resize:width=20:height=15",
    "resize:factor=1.7:cubic:border=replicate",
    "resize:width=37:height=50:lanczos",
    "resize:factor=0.3:area",
    "resize:width=90:nearest",
    "resize:factor=2.5:area",
    "resize:height=20:cubic:border=constant:value=0.5",
    "rotate:angle=30",
    "rotate:angle=-75:cubic:border=constant",
    "rotate:angle=10:lanczos:border=wrap",
    "warp:border=reflect:matrix=1.1 0.2 -3/-0.1 0.9 2/0.001 0 1",
    "warp:cubic:border=replicate:width=50:height=30:matrix=1.1 0.2 -3/-0.1 0.9 2/0.001 0 1",
    "flip",
    "flip:y",
    "flip:both",
    "transpose",
    "crop:left=3:top=2:width=9",
    "pad:left=4:top=6:width=80:height=60:border=wrap",
    "pad:left=2:border=constant:value=0.25",
};

static void test_operations(void **state)
{
    (void)state;
    static const rw_dtype types[] = {RW_U8, RW_F32, RW_U16, RW_F64, RW_I16, RW_F16};
    static const layout layouts[] = {{61, 37, 1, false}, {40, 34, 3, false}, {30, 26, 3, true}, {13, 9, 2, false}};
    for (int i = 0; i < RW_COUNT(operations); ++i)
        for (int t = 0; t < RW_COUNT(types); ++t) {
            if ((i + t) % (brief() ? 12 : !test_long() ? 6 : on("opencl") ? 3 : 1)) continue;
            for (int k = 0; k < RW_COUNT(layouts); ++k)
                if (k == (i + t) / (test_long() ? 1 : 6) % RW_COUNT(layouts))
                    check(operations[i], types[t], layouts + k, (uint64_t)(50 + 10 * i + k));
        }
}

static void test_chain(void **state)
{
    (void)state;
    const layout l = {40, 30, 3, false};
    picture x = random_picture(&l, RW_U8, 9), y = run(&x, &l, RW_U8, "transpose|flip:x|transpose|flip:y");
    assert_int_equal(y.width, 40);
    assert_memory_equal(x.v, y.v, sizeof(double) * 40 * 30 * 3);
    free(y.v);
    y = run(&x, &l, RW_U8, "resize:factor=0.5|gauss|grey|normalize");
    assert_int_equal(y.width, 20);
    assert_int_equal(y.channels, 1);
    double least = 255, most = 0;
    for (int i = 0; i < 20 * 15; ++i) least = fmin(least, y.v[i]), most = fmax(most, y.v[i]);
    assert_true(least == 0 && most == 255);
    free(x.v), free(y.v);
}

/* Rows that are longer than a strip and than the buffers of processors, a reduction that exceeds them, all channels. */
static void test_long_rows(void **state)
{
    static const struct {
        const char *text;
        layout l;
    } rows[] = {
        {"resize:factor=0.5:area", {8300, 8, 1, false}},
        {"resize:factor=0.5:area", {8300, 6, 3, false}},
        {"resize:factor=0.5", {2300, 6, 4, false}},
        {"resize:factor=0.5", {1026, 6, 2, false}},
        {"resize:width=1500:height=3:area", {4099, 7, 3, false}},
        {"resize:width=1:height=1:area", {4099, 3, 2, false}},
        {"resize:width=2:height=2:area", {9001, 5, 4, false}},
        {"resize:width=3000:height=5:area", {1100, 3, 1, false}},
        {"rotate:angle=1:border=wrap", {1100, 40, 1, false}},
        {"rotate:angle=20:border=constant:value=0.5", {60, 50, 4, false}},
        {"rotate:angle=20:border=reflect", {60, 50, 3, false}},
        {"rotate:angle=185", {1040, 9, 2, false}},
        {"warp:matrix=1.1 0.2 -3/-0.1 0.9 2/0.001 0 1", {1040, 9, 3, false}},
    };
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int t = 0; t < (brief() ? 1 : 2); ++t)
            if (!brief() || i % 4 == 1) check(rows[i].text, t ? RW_F32 : RW_U8, &rows[i].l, (uint64_t)(900 + i));
}

/* By hand, as OpenCV: 0 255 to four pixels. */
static void test_edges(void **state)
{
    (void)state;
    const layout l = {2, 1, 1, false};
    const double wanted[] = {0, 64, 191, 255};
    picture x = picture_new(2, 1, 1);
    x.v[1] = 255;
    picture y = run(&x, &l, RW_U8, "resize:width=4:height=1");
    for (int i = 0; i < 4; ++i) assert_true(y.v[i] == wanted[i]);
    free(x.v), free(y.v);
}

/* The same bits on every device, of operations on integers that are computed in real numbers: transforms, and windows
 * of images with alpha. A hash of the results (FNV-1a). */
static void test_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        rw_dtype dtype;
        layout l;
        uint32_t hash;
    } rows[] = {{"highpass", RW_I16, {160, 120, 1, false}, 0xf5820bfcu},
                {"spectrum", RW_U8, {160, 120, 1, false}, 0xb8c6f144u},
                {"gauss:algorithm=fft:sigma=4", RW_U16, {160, 120, 1, false}, 0x4dc02996u},
                {"lowpass:response=ideal:cutoff=0.2", RW_U8, {160, 120, 1, false}, 0x5d36e4b2u},
                {"gauss|unsharp|resize:factor=1.3", RW_U8, {60, 50, 4, false}, 0xdfc76c7bu},
                {"bilateral:sigma=1|rotate:angle=20:cubic", RW_U16, {60, 50, 2, false}, 0x6248f9ceu}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        with_alpha = rows[i].l.channels > 1;
        picture x = random_picture(&rows[i].l, rows[i].dtype, 21), y = run(&x, &rows[i].l, rows[i].dtype, rows[i].text);
        with_alpha = false;
        uint32_t hash = 2166136261u;
        for (int k = 0; k < y.width * y.height * y.channels; ++k) hash = (hash ^ (uint16_t)(int)y.v[k]) * 16777619u;
        if (hash != rows[i].hash) fail_msg("%s of %s: 0x%08xu", rows[i].text, rw_dtype_name(rows[i].dtype), hash);
        free(x.v), free(y.v);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"crop:left=50", "exceeds the image"}, {"warp", "matrix is missing"},
        {"warp:matrix=1 0/0 1", "rows of 3"},  {"rotate:area", "interpolation area"},
        {"resize:width=-1", "width"},          {"mask:mask=1 x", "is not a number"},
        {"mask:mask=1 2/3", "row 2"},          {"mask:mask=;", "no weights"},
        {"gauss:sigma=100", "radius"},         {"erode:element=cross:size=99", "at most 31"},
        {"colour", "red, green and blue"},
    };
    rw_image_filter *f;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const rw_image_spec spec = {.text = rows[i].text, .dtype = RW_U8, .width = 40, .height = 30};
        FAILS(RW_ERR_ARGUMENT, rows[i].message, rw_image_filter_create(dev, &spec, &f));
        assert_null(f);
    }
    FAILS(RW_ERR_ARGUMENT, "region",
          rw_image_filter_create(dev,
                                 &(rw_image_spec){.text = "gauss", .width = 4, .height = 4, .region = {3, 0, 2, 2}},
                                 &f));
    FAILS(RW_ERR_ARGUMENT, "dtype",
          rw_image_filter_create(dev, &(rw_image_spec){.text = "gauss", .dtype = RW_C64, .width = 4, .height = 4}, &f));
    FAILS(RW_ERR_ARGUMENT, "channels",
          rw_image_filter_create(dev, &(rw_image_spec){.text = "gauss", .channels = 99, .width = 4, .height = 4}, &f));
    FAILS(RW_ERR_ARGUMENT, "either text or ops",
          rw_image_filter_create(dev, &(rw_image_spec){.width = 4, .height = 4}, &f));
}

/* A region is the same as in the whole result, and rows may lie apart. */
static void test_region(void **state)
{
    (void)state;
    const layout l = {70, 50, 1, false};
    picture x = random_picture(&l, RW_F32, 4), whole_y = run(&x, &l, RW_F32, "gauss:sigma=2|sobel");
    const rw_image_spec spec = {.text = "gauss:sigma=2|sobel", .width = 70, .height = 50, .region = {60, 3, 10, 40}};
    const int64_t shape[] = {50, 100}, out[] = {40, 10};
    rw_image_filter *f;
    rw_array *wide, *a, *y;
    void *in;
    const void *got;
    OK(rw_image_filter_create(dev, &spec, &f));
    OK(rw_array_create(dev, RW_F32, 2, shape, RW_MEMORY_DEVICE, &wide));
    OK(rw_array_create(dev, RW_F32, 2, out, RW_MEMORY_DEVICE, &y));
    OK(rw_array_write(wide, &in));
    for (int i = 0; i < 5000; ++i)
        ((float *)in)[i] = i % 100 < 20 || i % 100 >= 90 ? NAN : (float)x.v[i / 100 * 70 + i % 100 - 20];
    OK(rw_array_slice(wide, 1, 20, 90, 1, &a));
    OK(rw_image_filter_execute(f, a, y, queue));
    OK(rw_array_read(y, &got));
    for (int j = 0; j < 40; ++j)
        for (int i = 0; i < 10; ++i)
            assert_true(((const float *)got)[j * 10 + i] == (float)*pixel(&whole_y, 60 + i, 3 + j, 0));
    FAILS(RW_ERR_ARGUMENT, "must be an array", rw_image_filter_execute(f, y, y, queue));
    free(x.v), free(whole_y.v);
    rw_array_destroy(&wide), rw_array_destroy(&a), rw_array_destroy(&y);
    rw_image_filter_destroy(&f);
}

/* Bands of few rows give the same bits as the whole image. */
static void test_tiles(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        rw_dtype dtype, y_dtype;
        int channels, rows;
    } rows[] = {
        {"gauss:sigma=2|sobel", RW_U8, RW_U8, 1, 40},
        {"median:border=wrap|box:5:border=wrap|invert", RW_U8, RW_U8, 3, 30},
        {"grey|erode:size=7", RW_U8, RW_U8, 3, 100},
        {"gauss:border=skip", RW_U16, RW_U16, 1, 60},
        {"laplace:border=constant:value=0.5", RW_F32, RW_F64, 2, 24},
        {"invert", RW_U8, RW_U8, 1, 3},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const layout l = {33, 97, rows[i].channels, false};
        const int64_t row =
            33 * rows[i].channels * (int64_t)(rw_dtype_size(rows[i].dtype) + rw_dtype_size(rows[i].y_dtype) + 16) * 2;
        const rw_image_spec spec = {.text = rows[i].text,
                                    .dtype = rows[i].dtype,
                                    .y_dtype = rows[i].y_dtype,
                                    .width = l.width,
                                    .height = l.height,
                                    .channels = l.channels};
        if (!test_long() && brief() && i % 2) continue;
        picture x = random_picture(&l, rows[i].dtype, (uint64_t)i);
        const size_t n = (size_t)l.width * l.height * l.channels;
        char *in = calloc(n, 8), *out = calloc(n, 8);
        for (size_t k = 0; k < n; ++k) put(in, rows[i].dtype, k, x.v[k]);
        rw_image_filter *f;
        rw_image_info info, tiled;
        void *w;
        const void *wanted;
        OK(rw_image_filter_create(dev, &spec, &f));
        OK(rw_image_filter_get_info(f, &info));
        rw_array *a = new_image(rows[i].dtype, &l),
                 *b = new_image(rows[i].y_dtype, &(layout){l.width, l.height, info.channels, false});
        OK(rw_array_write(a, &w));
        memcpy(w, in, n * rw_dtype_size(rows[i].dtype));
        OK(rw_image_filter_execute(f, a, b, queue));
        OK(rw_array_read(b, &wanted));
        OK(rw_image_filter_tiles(dev, &spec, in, out, row * rows[i].rows, &tiled));
        assert_true(tiled.channels == info.channels && tiled.dtype == info.dtype && tiled.passes == info.passes);
        if (memcmp(wanted, out, (size_t)l.width * l.height * info.channels * rw_dtype_size(info.dtype)))
            fail_msg("%s in tiles differs", rows[i].text);
        free(in), free(out), free(x.v);
        rw_array_destroy(&a), rw_array_destroy(&b);
        rw_image_filter_destroy(&f);
    }
    char few[64] = "", out[64], both[80] = "";
    const rw_image_spec spec = {.text = "gauss", .dtype = RW_U8, .width = 8, .height = 8};
    FAILS(RW_ERR_MEMORY, "at least", rw_image_filter_tiles(dev, &spec, few, out, 10, NULL));
    FAILS(RW_ERR_UNSUPPORTED, "normalize",
          rw_image_filter_tiles(dev, &(rw_image_spec){.text = "gauss|normalize", .width = 8, .height = 8}, few, few,
                                1000, NULL));
    FAILS(RW_ERR_UNSUPPORTED, "border wrap",
          rw_image_filter_tiles(dev, &(rw_image_spec){.text = "gauss|box:border=wrap", .width = 8, .height = 8}, few,
                                few, 9999, NULL));
    FAILS(RW_ERR_UNSUPPORTED, "resize",
          rw_image_filter_tiles(dev, &(rw_image_spec){.text = "resize:factor=2", .width = 8, .height = 8}, few, few,
                                1000, NULL));
    /* images that share memory, all of it or a part; memory of less than nothing */
    FAILS(RW_ERR_ARGUMENT, "share memory", rw_image_filter_tiles(dev, &spec, few, few, 1 << 20, NULL));
    FAILS(RW_ERR_ARGUMENT, "share memory", rw_image_filter_tiles(dev, &spec, both, both + 16, 1 << 20, NULL));
    FAILS(RW_ERR_ARGUMENT, "share memory", rw_image_filter_tiles(dev, &spec, both + 16, both, 1 << 20, NULL));
    FAILS(RW_ERR_ARGUMENT, "bytes = -1", rw_image_filter_tiles(dev, &spec, few, out, -1, NULL));
    FAILS(RW_ERR_ARGUMENT, "region",
          rw_image_filter_tiles(dev, &(rw_image_spec){.text = "gauss", .width = 8, .height = 8, .region = {.x = 1}},
                                few, out, 1 << 20, NULL));
    OK(rw_image_filter_tiles(dev, &spec, few, out, 1 << 20, NULL)); /* next to each other */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations), cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_long_rows),  cmocka_unit_test(test_edges),
                                       cmocka_unit_test(test_bits),       cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_region),     cmocka_unit_test(test_tiles)};
    return run_on_devices("geometry", tests, RW_COUNT(tests));
}
