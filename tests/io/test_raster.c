/* Pictures of all formats, channels and depths come back from a file as they were; damaged ones give an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/raster.h"

static rw_context *ctx;

static rw_raster make(size_t width, size_t height, int channels, int bytes)
{
    rw_raster r;
    assert_int_equal(rw_raster_create(ctx, "made", width, height, channels, bytes, 0, &r), RW_OK);
    for (size_t i = 0; i < width * height * (size_t)channels * (size_t)bytes; ++i)
        ((uint8_t *)r.samples)[i] = (uint8_t)(rw_random_u64(7, i) >> 20);
    return r;
}

static void test_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"r.png", "r.pnm", "r.bmp", "r.tif", "R.PNG"};
    for (int f = 0; f < RW_COUNT(names); ++f)
        for (int channels = 1; channels <= 4; ++channels)
            for (int bytes = 1; bytes <= 2; ++bytes)
                for (size_t width = 1; width < 40; width += 6) {
                    const rw_raster_format *format = rw_raster_format_of(names[f]);
                    rw_raster r = make(width, 11, channels, bytes), back;
                    const bool holds = (channels % 2 || format->alpha) && (bytes == 1 || format->deep);
                    const rw_status status = rw_raster_write(ctx, names[f], &r);
                    if (status == RW_ERR_UNSUPPORTED) { /* built without it */
                        rw_raster_free(&r);
                        continue;
                    }
                    assert_int_equal(status, holds ? RW_OK : RW_ERR_ARGUMENT);
                    if (holds) {
                        assert_int_equal(rw_raster_read(ctx, names[f], 0, &back), RW_OK);
                        assert_int_equal(back.width, width);
                        assert_int_equal(back.height, 11);
                        assert_int_equal(back.channels, channels);
                        assert_int_equal(back.bytes, bytes);
                        assert_memory_equal(back.samples, r.samples, width * 11 * (size_t)channels * (size_t)bytes);
                        rw_raster_free(&back);
                    }
                    rw_raster_free(&r);
                }
}

static void test_jpeg(void **state)
{
    (void)state;
    rw_raster r, back;
    assert_int_equal(rw_raster_create(ctx, "made", 64, 48, 3, 1, 0, &r), RW_OK);
    for (int i = 0; i < 64 * 48; ++i) {
        uint8_t *p = (uint8_t *)r.samples + 3 * i;
        p[0] = (uint8_t)(i % 64 * 3), p[1] = (uint8_t)(i / 64 * 4), p[2] = 100;
    }
    const rw_status status = rw_raster_write(ctx, "r.jpg", &r);
    if (status != RW_ERR_UNSUPPORTED) {
        assert_int_equal(status, RW_OK);
        assert_int_equal(rw_raster_read(ctx, "r.jpg", 0, &back), RW_OK);
        assert_int_equal(back.width, 64);
        assert_int_equal(back.channels, 3);
        for (int i = 0; i < 64 * 48 * 3; ++i)
            assert_true(abs(((uint8_t *)back.samples)[i] - ((uint8_t *)r.samples)[i]) <= 12);
        rw_raster_free(&back);
    }
    rw_raster_free(&r);
}

/* Every file cut off at every length, and with a byte changed: an error or a picture, and no more. */
static void test_damaged(void **state)
{
    (void)state;
    static const char *const names[] = {"r.png", "r.pnm", "r.bmp", "r.tif", "r.jpg"};
    for (int f = 0; f < RW_COUNT(names); ++f) {
        rw_raster r = make(13, 9, 3, 1), back;
        char *bytes;
        size_t n;
        const rw_status status = rw_raster_write(ctx, names[f], &r);
        rw_raster_free(&r);
        if (status == RW_ERR_UNSUPPORTED) continue;
        assert_int_equal(rw_file_read(ctx, names[f], 0, &bytes, &n), RW_OK);
        for (size_t k = 0; k < n; ++k) {
            char *cut = malloc(k + 1);
            memcpy(cut, bytes, k);
            const rw_status s = rw_raster_parse(ctx, names[f], cut, k, 10000, &back);
            assert_true(s == RW_OK || s == RW_ERR_INPUT);
            if (s == RW_OK) assert_true(k + 24 > n); /* what comes after the pixels */
            rw_raster_free(&back);
            free(cut);
            const char old = bytes[k];
            bytes[k] = (char)(old ^ (1 << k % 8));
            const rw_status t = rw_raster_parse(ctx, names[f], bytes, n, 10000, &back);
            assert_true(t == RW_OK || t == RW_ERR_INPUT);
            rw_raster_free(&back);
            bytes[k] = old;
        }
        rw_free(bytes);
    }
}

static void test_bits(void **state)
{
    (void)state;
    rw_raster r;
    assert_int_equal(rw_raster_parse(ctx, "bits", "P1 3 2 101\n0 1 0", 16, 0, &r), RW_OK);
    assert_memory_equal(r.samples, ((uint8_t[]){0, 255, 0, 255, 0, 255}), 6);
    rw_raster_free(&r);
    assert_int_equal(rw_raster_parse(ctx, "bits", "P4 9 1\n\x80\x80", 9, 0, &r), RW_OK);
    assert_memory_equal(r.samples, ((uint8_t[]){0, 255, 255, 255, 255, 255, 255, 255, 0}), 9);
    rw_raster_free(&r);
    assert_int_equal(rw_raster_parse(ctx, "text", "P3 2 1 255 1 2 3 4 5 6", 22, 0, &r), RW_OK);
    assert_true(r.channels == 3 && r.width == 2 && r.height == 1);
    assert_memory_equal(r.samples, ((uint8_t[]){1, 2, 3, 4, 5, 6}), 6);
    rw_raster_free(&r);
    assert_int_equal(rw_raster_write(ctx, "r.xyz", &(rw_raster){1, 1, 1, 1, 255, "a"}), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), ".png"));
    assert_int_equal(rw_raster_parse(ctx, "text", "hello, world", 12, 0, &r), RW_ERR_INPUT);
}

/* BMP as Windows writes it, byte by byte: 2 x 2 pixels of 24 bits, bottom row first and top row first; 3 x 1 with a
 * palette of two colours. */
static void test_bmp(void **state)
{
    (void)state;
    unsigned char file[] = {'B', 'M', 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0,
                            24, 0, 0, 0, 0, 0, 16, 0, 0, 0, 19, 11, 0, 0, 19, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                            /* blue, green, red of two pixels, two bytes of padding */
                            1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0};
    static const uint8_t up[] = {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4},
                         down[] = {3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10};
    rw_raster r;
    for (int turn = 0; turn < 2; ++turn) {
        if (turn) memcpy(file + 22, (unsigned char[]){0xfe, 0xff, 0xff, 0xff}, 4); /* -2 rows: from the top */
        assert_int_equal(rw_raster_parse(ctx, "bmp", file, sizeof file, 0, &r), RW_OK);
        assert_true(r.width == 2 && r.height == 2 && r.channels == 3 && r.bytes == 1);
        assert_memory_equal(r.samples, turn ? down : up, sizeof up);
        rw_raster_free(&r);
    }
    static const unsigned char palette[] = {'B', 'M', 66, 0, 0, 0,   0,  0, 0,
                                            0,   62,  0,  0, 0, 40,  0,  0, 0,
                                            3,   0,   0,  0, 1, 0,   0,  0, 1,
                                            0,   8,   0,  0, 0, 0,   0,  4, 0,
                                            0,   0,   0,  0, 0, 0,   0,  0, 0,
                                            0,   2,   0,  0, 0, 0,   0,  0, 0,
                                            255, 0,   0,  0, 0, 128, 64, 0, /* blue; green with red */ 1,
                                            0,   1,   0};
    assert_int_equal(rw_raster_parse(ctx, "bmp", palette, sizeof palette, 0, &r), RW_OK);
    assert_true(r.width == 3 && r.height == 1 && r.channels == 3);
    assert_memory_equal(r.samples, ((uint8_t[]){64, 128, 0, 0, 0, 255, 64, 128, 0}), 9);
    rw_raster_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_jpeg),
                                       cmocka_unit_test(test_damaged), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_bmp)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const int failed = cmocka_run_group_tests_name("raster", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
