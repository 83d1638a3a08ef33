/* Filters compared with OpenCV and SciPy's ndimage on one picture, at borders and inside, for every border that they
 * have. peers.csv has their values and names their versions. Values of u8 are equal, except where rounding differs:
 * there they may differ by 1. Such are gauss (OpenCV's weights have 8 bits); box, mask with fractions and warp where
 * the exact result is near the middle between two integers; resize, linear, cubic and Lanczos (OpenCV's weights have
 * 11 bits). OpenCV rounds the places of rotate to 1/32 of a pixel: it is compared loosely. */
/* TEST: devices=all unoptimised */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../devices.h"
#include "rechenwerk/image.h"

enum { WIDTH = 23, HEIGHT = 17, PIXELS = 24 };

/* A line of peers.csv. */
typedef struct known {
    char peer[16], text[80];
    rw_dtype x, y;
    int channels;
    double tolerance;
    int width, height; /* of the result */
    double values[PIXELS];
} known;

/* False at the end of the file. */
static bool next_known(FILE *file, known *r)
{
    char line[1024], x[8], y[8];
    int at = 0;
    do {
        if (!fgets(line, sizeof line, file)) return false;
    } while (*line == '#');
    assert_int_equal(sscanf(line, "%15[^,],%79[^,],%7[^,],%7[^,],%d,%lf,%d,%d%n", r->peer, r->text, x, y, &r->channels,
                            &r->tolerance, &r->width, &r->height, &at),
                     8);
    OK(rw_dtype_parse(ctx, x, &r->x));
    OK(rw_dtype_parse(ctx, y, &r->y));
    for (int k = 0; k < PIXELS; ++k) {
        char *end;
        assert_int_equal(line[at], ',');
        r->values[k] = strtod(line + at + 1, &end);
        assert_true(end > line + at + 1);
        at = (int)(end - line);
    }
    assert_string_equal(line + at, "\n");
    return true;
}

/* u8: the upper 8 bits of x <- 1664525 x + 1013904223 mod 2^32; f32: these over 256. */
static void fill(void *data, rw_dtype t, int n)
{
    uint32_t x = 2024;
    for (int i = 0; i < n; ++i) {
        x = x * 1664525u + 1013904223u;
        if (t == RW_U8) ((uint8_t *)data)[i] = (uint8_t)(x >> 24);
        else ((float *)data)[i] = (float)(x >> 24) / 256;
    }
}

static double get(const void *data, rw_dtype t, int i)
{
    return t == RW_U8    ? ((const uint8_t *)data)[i]
           : t == RW_I16 ? ((const int16_t *)data)[i]
                         : (double)((const float *)data)[i];
}

static rw_array *new_image(rw_dtype t, int64_t width, int64_t height, int64_t channels)
{
    const int64_t shape[] = {height, width, channels};
    rw_array *a;
    OK(rw_array_create(dev, t, 3, shape, RW_MEMORY_DEVICE, &a));
    return a;
}

/* The corners, middles of the sides, two pixels beside corners; then every 97th. */
static void place_of(int k, int w, int h, int *i, int *j)
{
    const int first[10][2] = {{0, 0},         {w - 1, 0}, {0, h - 1},     {w - 1, h - 1}, {w / 2, 0},
                              {w / 2, h - 1}, {0, h / 2}, {w - 1, h / 2}, {1, 1},         {w - 2, h - 2}};
    const int at = 97 * k % (w * h);
    *i = k < 10 ? first[k][0] : at % w, *j = k < 10 ? first[k][1] : at / w;
}

static void check(const known *r)
{
    const rw_image_spec spec =
        {.text = r->text, .dtype = r->x, .y_dtype = r->y, .width = WIDTH, .height = HEIGHT, .channels = r->channels};
    rw_image_filter *f;
    rw_image_info info;
    void *in;
    const void *out;
    OK(rw_image_filter_create(dev, &spec, &f));
    OK(rw_image_filter_get_info(f, &info));
    const int width = (int)info.width, height = (int)info.height;
    assert_true(width == r->width && height == r->height && info.dtype == r->y);
    rw_array *x = new_image(r->x, WIDTH, HEIGHT, r->channels), *y = new_image(r->y, width, height, info.channels);
    OK(rw_array_write(x, &in));
    fill(in, r->x, WIDTH * HEIGHT * r->channels);
    OK(rw_image_filter_execute(f, x, y, queue));
    OK(rw_array_read(y, &out));
    for (int k = 0, i, j; k < PIXELS; ++k) {
        place_of(k, width, height, &i, &j);
        const double v = get(out, r->y, (j * width + i) * info.channels + (i + j) % info.channels);
        if (!(fabs(v - r->values[k]) <= r->tolerance))
            fail_msg("%s of %s at x %d, y %d: %.9g, %s has %.9g", r->text, rw_dtype_name(r->x), i, j, v, r->peer,
                     r->values[k]);
    }
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_image_filter_destroy(&f);
}

static void test_known(void **state)
{
    (void)state;
    /* coprime to borders times types: others for each operation */
    const int every = test_long() ? on("opencl") ? 7 : 1 : brief() ? 23 : 7;
    const char *source = getenv("SOURCE");
    assert_non_null(source);
    char *path = rw_format("%s/tests/image/peers.csv", source);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    free(path);
    int n = 0;
    for (known r; next_known(file, &r); ++n)
        if (n % every == 0) check(&r);
    assert_true(n > 400);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known)};
    return run_on_devices("peers", tests, RW_COUNT(tests));
}
