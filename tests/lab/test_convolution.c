/* The study `convolution`: its kernels against sums of integers, against known bytes and against the host; the
 * document's arithmetic; published values; small runs. */
#include "../devices.h"

#include <math.h>

#include "lab/convolution_kernels.h"
#include "lab/lab.h"

enum { GUARD = 64, FILL = 0xa5 };

/* The i-th of a list: the short version takes every eighth. */
static bool chosen(int i, int k) { return test_long() || i % 8 == k; }

static bool takes(const rw_conv2d_variant *v, int channels)
{
    return v->items == RW_FLEXIBLE || channels == (v->items == RW_RGB ? 3 : 1);
}

/* Mean of line x line pixels of each channel by itself, rounded to nearest, in integers. */
static void exact_mean(int line, rw_conv2d_border border, int64_t width, int64_t height, int channels, const uint8_t *x,
                       uint8_t *y)
{
    const int d = line / 2, n = line * line;
    for (int64_t i = 0; i < width * height * channels; ++i) {
        const int64_t c = i % channels, col = i / channels % width, row = i / channels / width;
        const bool inside = col >= d && row >= d && col < width - d && row < height - d;
        int sum = 0;
        for (int64_t q = row - d; q <= row + d; ++q)
            for (int64_t p = col - d; p <= col + d; ++p) {
                if (border == RW_CONV2D_CYCLIC)
                    sum += x[((q % height + height) % height * width + (p % width + width) % width) * channels + c];
                else if (p >= 0 && p < width && q >= 0 && q < height) sum += x[(q * width + p) * channels + c];
            }
        y[i] = border == RW_CONV2D_SKIP && !inside ? x[i] : (uint8_t)((2 * sum + n) / (2 * n));
    }
}

/* y <- x by a launch; bytes after the image stay as they were. */
static void convolve(const rw_conv2d *k, int64_t width, int64_t height, int channels, const uint8_t *x, uint8_t *y)
{
    const int64_t n = width * height * channels;
    rw_array *a = new_array(RW_U8, n, RW_MEMORY_DEVICE), *b = new_array(RW_U8, n + GUARD, RW_MEMORY_DEVICE);
    void *w;
    const void *r;
    OK(rw_array_write(a, &w));
    memcpy(w, x, (size_t)n);
    OK(rw_array_write(b, &w));
    memset(w, FILL, (size_t)n + GUARD);
    OK(rw_conv2d_run(k, a, b, width, height, channels, queue));
    OK(rw_array_read(b, &r));
    memcpy(y, r, (size_t)n);
    for (int i = 0; i < GUARD; ++i) assert_int_equal(((const uint8_t *)r)[n + i], FILL);
    rw_array_destroy(&a), rw_array_destroy(&b);
}

static void compare(const char *name, int line, int border, int64_t width, int64_t height, int channels,
                    const uint8_t *y, const uint8_t *wanted)
{
    for (int64_t i = 0; i < width * height * channels; ++i)
        if (y[i] != wanted[i])
            fail_msg("%s, %dx%d, %s, %d x %d pixels, %d channels: value %d is %d, not %d", name, line, line,
                     rw_conv2d_border_names[border], (int)width, (int)height, channels, (int)i, y[i], wanted[i]);
}

static const int64_t sizes[][2] = {{1, 1}, {2, 3}, {15, 17}, {16, 16}, {17, 16}, {3, 3000}, {40, 33}};
enum { MOST = 3 * 3000 * 4 };

static void test_sizes_of(const rw_conv2d_variant *v, int line, rw_conv2d_border border)
{
    static uint8_t x[MOST], y[MOST], wanted[MOST];
    const rw_mask mask = rw_mask_mean(line, false);
    rw_conv2d k;
    OK(rw_conv2d_create(dev, v, border, &mask, &k));
    for (int s = 0; s < RW_COUNT(sizes); ++s)
        for (int channels = 1; channels <= 4; ++channels) {
            if (!takes(v, channels) || (brief() && s == 5 && (channels > 3 || line > 5))) continue;
            rw_conv2d_image(sizes[s][0], sizes[s][1], channels, x);
            exact_mean(line, border, sizes[s][0], sizes[s][1], channels, x, wanted);
            convolve(&k, sizes[s][0], sizes[s][1], channels, x, y);
            compare(v->name, line, border, sizes[s][0], sizes[s][1], channels, y, wanted);
        }
    rw_conv2d_free(&k);
}

/* All variants, borders and masks, also larger than the image, in images that are not whole tiles. */
static void test_sizes(void **state)
{
    (void)state;
    for (int v = 0, i = 0; v < RW_CONV2D_VARIANTS; ++v)
        for (int line = 3; line <= 9; line += 2)
            for (int b = 0; b < RW_CONV2D_BORDERS; ++b, ++i)
                if (chosen(i + i / 12, 0)) test_sizes_of(rw_conv2d_variants + v, line, (rw_conv2d_border)b);
}

/* Known bytes: values worked out by hand, and CRCs of means of 640 x 472 pixels. */
static void test_known(void **state)
{
    (void)state;
    for (int v = 0; v < RW_CONV2D_VARIANTS; ++v) {
        const bool flexible = rw_conv2d_variants[v].items == RW_FLEXIBLE;
        const bool large = test_long() || (!brief() && !flexible);
        int n;
        if (!chosen(v, 1)) continue;
        OK(rw_conv2d_check(dev, rw_conv2d_variants + v, large, &n));
        assert_int_equal(n, (flexible ? 2 : 1) * (7 + (large ? 9 : 0)));
    }
}

/* Masks of any weights, where sums are clamped too: the host's bytes. */
static void test_random_masks(void **state)
{
    (void)state;
    enum { WIDTH = 37, HEIGHT = 29, PIXELS = WIDTH * HEIGHT };
    static uint8_t x[3 * PIXELS], y[3 * PIXELS], wanted[3 * PIXELS];
    for (int i = 0; i < 3 * PIXELS; ++i) x[i] = (uint8_t)(256 * rw_random_uniform(7, (uint64_t)i));
    for (int v = 0; v < RW_CONV2D_VARIANTS; ++v)
        for (int line = 3; line <= 9; line += 2) {
            const int channels = rw_conv2d_variants[v].items == RW_ONE_CHANNEL ? 1 : 3,
                      border = (v + line / 2) % RW_CONV2D_BORDERS;
            rw_mask mask = {.line = line};
            rw_conv2d k;
            if (!chosen(4 * v + line / 2 + v, 2)) continue;
            for (int i = 0; i < line * line; ++i)
                mask.weight[i] = (float)(4 * rw_random_uniform(11, (uint64_t)i) - 2) / (v % 2 ? (float)line : 1.0f);
            rw_conv2d_host(&mask, (rw_conv2d_border)border, true, WIDTH, HEIGHT, channels, x, wanted);
            OK(rw_conv2d_create(dev, rw_conv2d_variants + v, (rw_conv2d_border)border, &mask, &k));
            convolve(&k, WIDTH, HEIGHT, channels, x, y);
            compare(rw_conv2d_variants[v].name, line, border, WIDTH, HEIGHT, channels, y, wanted);
            rw_conv2d_free(&k);
        }
}

/* Weights 0.1111111 and sums cut to integers lose a level of constant images. */
static void test_arithmetic_of_2010(void **state)
{
    (void)state;
    static const uint8_t from[] = {9, 90, 100, 128, 200, 255}, to[] = {8, 89, 99, 127, 199, 254};
    enum { WIDTH = 18, HEIGHT = 17, PIXELS = WIDTH * HEIGHT };
    const rw_mask mask = rw_mask_mean(3, true);
    assert_true(mask.weight[0] == 0.1111111f && mask.weight[8] == 0.1111111f);
    for (int v = 0; v < RW_CONV2D_VARIANTS; ++v) {
        const int channels = rw_conv2d_variants[v].items == RW_RGB ? 3 : 1;
        uint8_t x[3 * PIXELS], y[3 * PIXELS], wanted[3 * PIXELS];
        rw_conv2d k;
        if (!chosen(v, 0)) continue;
        OK(rw_conv2d_create(dev, rw_conv2d_variants + v, RW_CONV2D_CYCLIC, &mask, &k));
        for (int i = 0; i < RW_COUNT(from); ++i) {
            memset(x, from[i], sizeof x), memset(wanted, to[i], sizeof wanted);
            convolve(&k, WIDTH, HEIGHT, channels, x, y);
            compare(rw_conv2d_variants[v].name, 3, RW_CONV2D_CYCLIC, WIDTH, HEIGHT, channels, y, wanted);
            for (int fused = 0; fused < 2; ++fused) {
                rw_conv2d_host(&mask, RW_CONV2D_CYCLIC, fused, WIDTH, HEIGHT, channels, x, y);
                compare("host", 3, RW_CONV2D_CYCLIC, WIDTH, HEIGHT, channels, y, wanted);
            }
        }
        rw_conv2d_free(&k);
    }
}

static void test_host(void **state)
{
    (void)state;
    static const int bytes[] = {1296, 1600, 1936, 2304};
    static uint8_t x[MOST], y[MOST], wanted[MOST];
    if (!on("cpu")) skip();
    assert_int_equal(rw_crc32("123456789", 9), 0xcbf43926);
    for (int i = 0; i < 4; ++i) {
        const int line = 3 + 2 * i;
        const rw_mask mask = rw_mask_mean(line, false);
        assert_int_equal(rw_conv2d_tile_bytes(RW_ONE_CHANNEL, line), bytes[i]);
        assert_int_equal(rw_conv2d_tile_bytes(RW_RGB, line), 3 * bytes[i]);
        for (int s = 0; s < RW_COUNT(sizes); ++s)
            for (int channels = 1; channels <= 4; ++channels)
                for (int b = 0; b < RW_CONV2D_BORDERS; ++b) {
                    rw_conv2d_image(sizes[s][0], sizes[s][1], channels, x);
                    exact_mean(line, (rw_conv2d_border)b, sizes[s][0], sizes[s][1], channels, x, wanted);
                    rw_conv2d_host(&mask, (rw_conv2d_border)b, false, sizes[s][0], sizes[s][1], channels, x, y);
                    compare("host", line, b, sizes[s][0], sizes[s][1], channels, y, wanted);
                }
    }
}

/* Reads of 32 bytes that the document's GPU counts, of 640 x 472 pixels; the counted ones differ by at most 0.4 %. */
static void test_loads(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    assert_int_equal(rw_conv2d_loads(RW_ONE_CHANNEL, false, RW_CONV2D_SKIP, 3, 640, 472, 1), 222780);
    assert_int_equal(rw_conv2d_loads(RW_ONE_CHANNEL, false, RW_CONV2D_ZERO, 3, 640, 472, 1), 229052);
    assert_int_equal(rw_conv2d_loads(RW_ONE_CHANNEL, true, RW_CONV2D_ZERO, 3, 640, 472, 1), 62540);
    assert_int_equal(rw_conv2d_loads(RW_FLEXIBLE, false, RW_CONV2D_SKIP, 3, 640, 472, 3), 673980);
}

static void test_refused(void **state)
{
    (void)state;
    static const rw_conv2d_variant tiled = {"flexible, tile", RW_FLEXIBLE, false, true};
    rw_conv2d k;
    rw_mask mask = rw_mask_mean(3, false);
    rw_lab *lab;
    FAILS(RW_ERR_ARGUMENT, "no tile", rw_conv2d_create(dev, &tiled, RW_CONV2D_ZERO, &mask, &k));
    mask.line = 4;
    FAILS(RW_ERR_ARGUMENT, "not 4", rw_conv2d_create(dev, rw_conv2d_variants, RW_CONV2D_ZERO, &mask, &k));
    mask.line = 11;
    FAILS(RW_ERR_ARGUMENT, "not 11", rw_conv2d_create(dev, rw_conv2d_variants, RW_CONV2D_ZERO, &mask, &k));
    const rw_lab_spec spec = {.study = "convolution",
                              .set = (const char *const[]){"masks=3,4"},
                              .nset = 1,
                              .devices = (const char *const[]){"cpu"},
                              .ndevices = 1};
    FAILS(RW_ERR_ARGUMENT, "masks: 4 is even", rw_lab_run(ctx, &spec, &lab));
}

/* ---- the study ------------------------------------------------------------------------------------------ */

static rw_lab *run_study(const char *table, const char *device, const char *more)
{
    const char *const set[] = {"masks=3", "sizes=20,512", "transfers=16,64", "runs=1", "seconds=0", more};
    const rw_lab_spec spec =
        {.study = "convolution", .table = table, .set = set, .nset = more ? 6 : 5, .devices = &device, .ndevices = 1};
    rw_lab *lab;
    OK(rw_lab_run(ctx, &spec, &lab));
    return lab;
}

static void test_times(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    rw_lab *lab = run_study("e7", "cpu:1", NULL);
    assert_int_equal(rw_lab_rows(lab, "e7"), 2); /* of 2010, of cpu:1 */
    assert_true(rw_lab_value(lab, "e7", 0, "edge 512") == 0.165336 && isnan(rw_lab_value(lab, "e7", 0, "edge 20")));
    assert_true(rw_lab_value(lab, "e7", 1, "edge 20") > 0 && rw_lab_value(lab, "e7", 1, "mask") == 3);
    const double ms = rw_lab_value(lab, "e7", 1, "edge 512");
    assert_true(fabs(rw_lab_value(lab, "e7", 1, "ratio 512") * ms / 0.165336 - 1) < 1e-12);
    assert_int_equal(rw_lab_rows(lab, "e8") + rw_lab_rows(lab, "checks"), 0);
    rw_lab_destroy(&lab);
    lab = run_study("e22", "cpu:1", "arithmetic=2010");
    assert_true(rw_lab_value(lab, "e22", 0, "edge 512") == 0.662512 && rw_lab_value(lab, "e22", 1, "edge 512") > 0);
    rw_lab_destroy(&lab);
    lab = run_study("e23", "cpu:1", NULL);
    assert_true(rw_lab_value(lab, "e23", 0, "grey 512") == 15.58 && rw_lab_value(lab, "e23", 0, "RGB 512") == 23.92 &&
                rw_lab_value(lab, "e23", 1, "RGB 20") > 0);
    rw_lab_destroy(&lab);
    lab = run_study("library", "cpu:1", NULL);
    assert_int_equal(rw_lab_rows(lab, "library"), 2);
    assert_true(rw_lab_value(lab, "library", 1, "edge 20") > 0 && rw_lab_value(lab, "library", 1, "ratio 512") > 0);
    rw_lab_destroy(&lab);
    lab = run_study("borders", "cpu:1", NULL);
    assert_int_equal(rw_lab_rows(lab, "borders"), 18);
    assert_true(rw_lab_value(lab, "borders", 0, "2010 loads") == 9 * 24795 &&
                rw_lab_value(lab, "borders", 0, "model") == 222780);
    assert_true(rw_lab_value(lab, "borders", 1, "2010") == 194.688 &&
                fabs(rw_lab_value(lab, "borders", 1, "2010 over skip") - 1.826) < 1e-3);
    assert_true(rw_lab_value(lab, "borders", 0, "over skip cpu:1") == 1 &&
                rw_lab_value(lab, "borders", 17, "time cpu:1") > 0);
    rw_lab_destroy(&lab);
}

/* The document's speed-ups are its tables E.23 over E.13, E.14, E.21 and E.22; its gains are differences. */
static void test_published(void **state)
{
    (void)state;
    static const struct {
        const char *column, *host, *kernel, *with_transfers;
    } of[] = {{"grey 512", "grey 512", "e13", "e14"}, {"RGB 2048", "RGB 2048", "e21", "e22"}};
    const char *const set[] = {"masks=9", "sizes=512,2048,1", "runs=1", "seconds=0"};
    const char *const device = "cpu";
    rw_lab_spec spec = {.study = "convolution", .set = set, .nset = RW_COUNT(set), .devices = &device, .ndevices = 1};
    rw_lab *lab, *e[3];
    if (!test_long() || !on("cpu")) skip();
    spec.table = "speedups";
    OK(rw_lab_run(ctx, &spec, &lab));
    for (int i = 0; i < RW_COUNT(of); ++i) {
        const char *const tables[] = {"e23", of[i].kernel, of[i].with_transfers};
        for (int t = 0; t < 3; ++t) {
            spec.table = tables[t];
            OK(rw_lab_run(ctx, &spec, &e[t]));
        }
        const char *const edge = i ? "edge 2048" : "edge 512";
        for (int t = 1; t < 3; ++t) {
            const double ratio = rw_lab_value(e[0], "e23", 0, of[i].host) / rw_lab_value(e[t], tables[t], 0, edge),
                         printed = rw_lab_value(lab, "speedups", 2 * (t - 1), of[i].column);
            if (!(fabs(ratio - printed) < 0.05)) fail_msg("%s: %g, printed %g", tables[t], ratio, printed);
        }
        for (int t = 0; t < 3; ++t) rw_lab_destroy(&e[t]);
    }
    rw_lab_destroy(&lab);
    spec.table = "gain";
    OK(rw_lab_run(ctx, &spec, &lab));
    assert_true(fabs(rw_lab_value(lab, "gain", 0, "grey global 2048") - 6.2882) < 1e-4 &&
                fabs(rw_lab_value(lab, "gain", 0, "RGB read-only 512") - 0.2964) < 1e-4);
    rw_lab_destroy(&lab);
}

/* The line through the document's transfers: dead time 0.157 ms, 2.81 GB/s when an image is counted once. */
static void test_transfers(void **state)
{
    (void)state;
    if (on("opencl") && brief()) skip();
    rw_lab *lab = run_study("fit", rw_device_info(dev)->name, NULL);
    assert_int_equal(rw_lab_rows(lab, "fit"), discrete() ? 5 : 3);
    assert_true(fabs(rw_lab_value(lab, "fit", 0, "dead time") - 0.157) < 1e-3 &&
                fabs(rw_lab_value(lab, "fit", 1, "dead time") - 0.158) < 1e-3);
    assert_true(fabs(rw_lab_value(lab, "fit", 0, "both directions") - 5.61) < 0.01 &&
                rw_lab_value(lab, "fit", 2, "rate") == 2.8);
    assert_true(!discrete() || !isnan(rw_lab_value(lab, "fit", 3, "rate")));
    rw_lab_destroy(&lab);
    lab = run_study("transfers", rw_device_info(dev)->name, NULL);
    assert_int_equal(rw_lab_rows(lab, "transfers"), discrete() ? 10 : 6);
    assert_true(fabs(rw_lab_value(lab, "transfers", 0, "measured") - 0.247) < 1e-3 &&
                fabs(rw_lab_value(lab, "transfers", 5, "measured") - 4.641) < 1e-3);
    rw_lab_destroy(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),        cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_random_masks), cmocka_unit_test(test_arithmetic_of_2010),
                                       cmocka_unit_test(test_host),         cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_loads),        cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_published),    cmocka_unit_test(test_transfers)};
    return run_on_devices("convolution", tests, RW_COUNT(tests));
}
