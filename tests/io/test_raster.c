/* Pictures of all formats, channels and depths come back from a file as they were; damaged ones give an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/picture.h"

static rw_context *ctx;

static rw_raster make(size_t width, size_t height, int channels, int bytes)
{
    rw_raster r = {0};
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
    rw_raster r = {0}, back;
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
    assert_int_equal(rw_raster_write(ctx, "r.xyz",
                                     &(rw_raster){.width = 1,
                                                  .height = 1,
                                                  .channels = 1,
                                                  .bytes = 1,
                                                  .maximum = 255,
                                                  .samples = "a"}),
                     RW_ERR_ARGUMENT);
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

/* ---- BMP files made here, with what their pixels must become ----------------------------------------------------- */

typedef struct bytes {
    unsigned char b[1 << 14];
    size_t n;
} bytes;

static void put(bytes *f, uint64_t v, int n)
{
    for (int i = 0; i < n; ++i) f->b[f->n++] = (unsigned char)(v >> 8 * i);
}
static void put_at(bytes *f, size_t at, uint64_t v, int n)
{
    for (int i = 0; i < n; ++i) f->b[at + (size_t)i] = (unsigned char)(v >> 8 * i);
}
static uint32_t draw(uint64_t i) { return (uint32_t)(rw_random_u64(11, i) >> 20); }

/* The two headers; of the second the first `header` bytes, the rest zero. */
static void begin_bmp(bytes *f, size_t header, int width, int height, int bits, int packed, int colours)
{
    *f = (bytes){.b = "BM", .n = 14};
    if (header == 12)
        put(f, 12, 4), put(f, (unsigned)width, 2), put(f, (unsigned)height, 2), put(f, 1, 2), put(f, (unsigned)bits, 2);
    else {
        put(f, header, 4), put(f, (uint32_t)width, 4), put(f, (uint32_t)height, 4), put(f, 1, 2);
        put(f, (unsigned)bits, 2), put(f, (unsigned)packed, 4), put(f, 0, 4), put(f, 2835, 4), put(f, 2835, 4);
        put(f, (unsigned)colours, 4), put(f, 0, 4);
        memset(f->b + 54, 0, 200);
        memset(f->b + 14 + header, 0, 200);
        f->n = 14 + header;
    }
}

/* Pixels begin here. */
static void begin_rows(bytes *f) { put_at(f, 10, f->n, 4); }

static void parse_bmp(bytes *f, int width, int height, int channels, int size, rw_raster *r)
{
    put_at(f, 2, f->n, 4);
    if (rw_raster_parse(ctx, "made.bmp", f->b, f->n, 0, r) != RW_OK) fail_msg("%s", rw_message(ctx));
    assert_int_equal(r->width, width);
    assert_int_equal(r->height, height);
    assert_int_equal(r->channels, channels);
    assert_int_equal(r->bytes, size);
}

/* Where the bits of red, green, blue, alpha lie: the lowest and how many. */
typedef struct layout {
    int bits, low[4], many[4];
} layout;

static const layout layouts[] = {
    {16, {11, 5, 0, 0}, {5, 6, 5, 0}},     {16, {10, 5, 0, 0}, {5, 5, 5, 0}},
    {16, {0, 5, 11, 0}, {5, 6, 5, 0}},     {16, {8, 4, 0, 12}, {4, 4, 4, 4}},
    {16, {12, 8, 4, 0}, {4, 4, 4, 4}},     {16, {8, 0, 0, 0}, {8, 8, 0, 0}},
    {16, {10, 5, 0, 15}, {5, 5, 5, 1}},    {16, {5, 6, 7, 0}, {1, 1, 9, 0}},
    {32, {16, 8, 0, 0}, {8, 8, 8, 0}},     {32, {0, 8, 16, 0}, {8, 8, 8, 0}},
    {32, {24, 16, 8, 0}, {8, 8, 8, 0}},    {32, {8, 16, 24, 0}, {8, 8, 8, 0}},
    {32, {16, 8, 0, 24}, {8, 8, 8, 8}},    {32, {0, 8, 16, 24}, {8, 8, 8, 8}},
    {32, {24, 16, 8, 0}, {8, 8, 8, 8}},    {32, {8, 16, 24, 0}, {8, 8, 8, 8}},
    {32, {20, 10, 0, 0}, {10, 10, 10, 0}}, {32, {0, 10, 20, 30}, {10, 10, 10, 2}},
    {32, {21, 10, 0, 0}, {11, 11, 10, 0}}, {32, {25, 24, 16, 0}, {7, 1, 8, 0}},
    {32, {0, 16, 16, 0}, {16, 16, 16, 0}}, {32, {8, 12, 0, 31}, {4, 20, 8, 1}},
    {32, {6, 0, 31, 12}, {6, 6, 1, 10}},
};

/* Every layout with every header that has masks: those of 40 bytes are followed by them. */
static void test_bmp_masks(void **state)
{
    (void)state;
    enum { WIDTH = 7, HEIGHT = 5 };
    static const struct {
        size_t header;
        int packed, masks;
    } kinds[] = {{40, 3, 3}, {40, 6, 4}, {52, 3, 3}, {56, 3, 4}, {56, 6, 4}, {108, 3, 4}, {124, 3, 4}};
    for (int k = 0; k < RW_COUNT(kinds); ++k)
        for (int l = 0; l < RW_COUNT(layouts); ++l)
            for (int down = 0; down < 2; ++down) {
                const layout *a = &layouts[l];
                uint64_t mask[4], expected[HEIGHT * WIDTH * 4];
                bool deep = false, alpha = kinds[k].masks == 4 && a->many[3];
                const int channels = alpha ? 4 : 3;
                bytes f;
                rw_raster r;
                begin_bmp(&f, kinds[k].header, WIDTH, down ? -HEIGHT : HEIGHT, a->bits, kinds[k].packed, 0);
                if (kinds[k].header == 40) f.n += (size_t)kinds[k].masks * 4;
                for (int c = 0; c < 4; ++c) mask[c] = (((uint64_t)1 << a->many[c]) - 1) << a->low[c];
                for (int c = 0; c < kinds[k].masks; ++c) put_at(&f, 54 + 4 * (size_t)c, mask[c], 4);
                for (int c = 0; c < channels; ++c) deep = deep || a->many[c] > 8;
                begin_rows(&f);
                for (int y = 0; y < HEIGHT; ++y) {
                    const size_t start = f.n;
                    for (int x = 0; x < WIDTH; ++x) {
                        const uint32_t v = draw((uint64_t)(l * 100 + y * WIDTH + x));
                        put(&f, v, a->bits / 8);
                        for (int c = 0; c < channels; ++c) {
                            const double most = (double)(((uint64_t)1 << a->many[c]) - 1);
                            const double share = most > 0 ? (double)((v & mask[c]) >> a->low[c]) / most : 0;
                            const int row = down ? y : HEIGHT - 1 - y;
                            expected[(row * WIDTH + x) * channels + c] = (uint64_t)(share * (deep ? 65535 : 255) + 0.5);
                        }
                    }
                    while ((f.n - start) % 4) put(&f, 0xee, 1);
                }
                parse_bmp(&f, WIDTH, HEIGHT, channels, deep ? 2 : 1, &r);
                for (int i = 0; i < WIDTH * HEIGHT * channels; ++i) {
                    const unsigned got = deep ? ((uint16_t *)r.samples)[i] : ((uint8_t *)r.samples)[i];
                    if (got != expected[i])
                        fail_msg("header %zu, layout %d, sample %d: %u, not %llu", kinds[k].header, l, i, got,
                                 (unsigned long long)expected[i]);
                }
                rw_raster_free(&r);
            }
}

/* Without masks: 16 bits are 5 for each colour, the highest byte of 32 bits means nothing. */
static void test_bmp_plain(void **state)
{
    (void)state;
    static const size_t headers[] = {40, 64, 108, 124};
    for (int h = 0; h < RW_COUNT(headers); ++h) {
        bytes f;
        rw_raster r;
        begin_bmp(&f, headers[h], 2, 1, 16, 0, 0);
        begin_rows(&f), put(&f, 31 << 10 | 5, 2), put(&f, 1 << 15 | 16 << 5, 2);
        parse_bmp(&f, 2, 1, 3, 1, &r);
        assert_memory_equal(r.samples, ((uint8_t[]){255, 0, 41, 0, 132, 0}), 6);
        rw_raster_free(&r);
        begin_bmp(&f, headers[h], 1, 1, 32, 0, 0);
        begin_rows(&f), put(&f, 0x00112233, 4);
        parse_bmp(&f, 1, 1, 3, 1, &r);
        assert_memory_equal(r.samples, ((uint8_t[]){0x11, 0x22, 0x33}), 3);
        rw_raster_free(&r);
    }
    bytes f;
    rw_raster r;
    begin_bmp(&f, 12, 1, 2, 24, 0, 0);
    begin_rows(&f), put(&f, 0x112233, 4), put(&f, 0x445566, 4);
    parse_bmp(&f, 1, 2, 3, 1, &r);
    assert_memory_equal(r.samples, ((uint8_t[]){0x44, 0x55, 0x66, 0x11, 0x22, 0x33}), 6);
    rw_raster_free(&r);
}

static void put_palette(bytes *f, size_t header, int colours, bool grey)
{
    for (int i = 0; i < colours; ++i) {
        const uint32_t v = draw((uint64_t)i + 500) & 0xffffff;
        put(f, grey ? (v & 255) * 0x10101 : v, header == 12 ? 3 : 4);
    }
}

static void expect_colour(const rw_raster *r, size_t i, int index, int colours, const char *what)
{
    const uint32_t v = index < colours ? draw((uint64_t)index + 500) & 0xffffff : 0;
    for (int c = 0; c < r->channels; ++c) {
        const unsigned want = r->channels == 1 ? v & 255 : v >> (8 * (2 - c)) & 255,
                       got = ((uint8_t *)r->samples)[i * (size_t)r->channels + (size_t)c];
        if (got != want) fail_msg("%s: pixel %zu, channel %d: %u, not %u", what, i, c, got, want);
    }
}

/* Palettes of every header and number of bits, whole, short and too long; indices beyond them are black. */
static void test_bmp_palettes(void **state)
{
    (void)state;
    enum { WIDTH = 13, HEIGHT = 3 };
    static const size_t headers[] = {12, 16, 40, 52, 56, 64, 108, 124};
    static const int all_bits[] = {1, 2, 4, 8};
    for (int h = 0; h < RW_COUNT(headers); ++h)
        for (int b = 0; b < RW_COUNT(all_bits); ++b)
            for (int size = 0; size < 3; ++size)
                for (int grey = 0; grey < 2; ++grey) {
                    const int bits = all_bits[b], all = 1 << bits,
                              colours = size == 0   ? all
                                        : size == 1 ? all - 1
                                                    : 300;
                    int index[WIDTH * HEIGHT];
                    bytes f;
                    rw_raster r;
                    begin_bmp(&f, headers[h], WIDTH, HEIGHT, bits, 0, headers[h] > 16 ? colours : 0);
                    put_palette(&f, headers[h], colours, grey);
                    begin_rows(&f);
                    for (int y = HEIGHT - 1; y >= 0; --y) {
                        const size_t start = f.n;
                        memset(f.b + start, 0, 64);
                        for (int x = 0; x < WIDTH; ++x) {
                            const int v = (int)(draw((uint64_t)(y * WIDTH + x)) % (unsigned)all);
                            index[y * WIDTH + x] = x == 0 ? all - 1 : v;
                            f.b[start + (size_t)(x * bits / 8)] |=
                                (unsigned char)(index[y * WIDTH + x] << (8 - bits - x * bits % 8));
                        }
                        f.n = start + (size_t)((WIDTH * bits + 31) / 32 * 4);
                    }
                    parse_bmp(&f, WIDTH, HEIGHT, grey || colours == 0 ? 1 : 3, 1, &r);
                    for (size_t i = 0; i < WIDTH * HEIGHT; ++i) expect_colour(&r, i, index[i], colours, "palette");
                    rw_raster_free(&r);
                }
}

/* A file of runs, of pixels as they are, of jumps and ends of rows, drawn at random. What it leaves out is colour 0. */
static void test_bmp_runs(void **state)
{
    (void)state;
    enum { WIDTH = 37, HEIGHT = 11 };
    for (int turn = 0; turn < 200; ++turn) {
        static const int kinds[] = {8, 4, 24};
        const int bits = kinds[turn % 3], all = bits == 4 ? 16 : 256;
        uint32_t index[WIDTH * HEIGHT] = {0};
        uint64_t number = (uint64_t)turn * 10000;
        bytes f;
        rw_raster r;
        begin_bmp(&f, bits == 24 ? 64 : 40, WIDTH, HEIGHT, bits, bits == 24 ? 4 : bits == 8 ? 1 : 2, 0);
        if (bits < 24) put_palette(&f, 40, all, false);
        begin_rows(&f);
        for (int y = 0, x = 0; y < HEIGHT;) {
            const int left = WIDTH - x, wish = 1 + (int)(draw(number++) % 40), n = wish < left ? wish : left;
            const uint32_t one = draw(number) % (bits == 24 ? 1 << 24 : (uint32_t)all), two = draw(number + 1) % 16;
            uint32_t *row = index + (HEIGHT - 1 - y) * WIDTH + x;
            number += 2;
            switch (n ? draw(number++) % 4 : 3) {
            case 0: /* a run */
                put(&f, (unsigned)n, 1), put(&f, bits == 4 ? one << 4 | two : one, bits == 24 ? 3 : 1);
                for (int i = 0; i < n; ++i) row[i] = bits == 4 && i % 2 ? two : one;
                x += n;
                break;
            case 1: /* as they are */
                if (n < 3) continue;
                put(&f, 0, 1), put(&f, (unsigned)n, 1);
                for (int i = 0; i < n; ++i) {
                    row[i] = draw(number++) % (bits == 24 ? 1 << 24 : (uint32_t)all);
                    if (bits == 24) put(&f, row[i], 3);
                    else if (bits == 8) put(&f, row[i], 1);
                    else if (i % 2) f.b[f.n - 1] |= (unsigned char)row[i];
                    else put(&f, row[i] << 4, 1);
                }
                if (((bits == 24 ? 3 * n : bits == 8 ? n : (n + 1) / 2) & 1) != 0) put(&f, 0xee, 1);
                x += n;
                break;
            case 2: /* a jump */
                if (y + 1 == HEIGHT) continue;
                put(&f, 0x200, 2), put(&f, (unsigned)n / 2, 1), put(&f, 1, 1);
                x += n / 2, y += 1;
                break;
            default:
                if (y + 1 == HEIGHT) put(&f, 0x100, 2); /* the end of the picture */
                else put(&f, 0, 2);
                x = 0, y += 1;
            }
        }
        parse_bmp(&f, WIDTH, HEIGHT, 3, 1, &r);
        for (size_t i = 0; i < WIDTH * HEIGHT; ++i) {
            const uint8_t *p = (uint8_t *)r.samples + 3 * i;
            if (bits < 24) expect_colour(&r, i, (int)index[i], all, "runs");
            else assert_int_equal(p[0] << 16 | p[1] << 8 | p[2], index[i]);
        }
        rw_raster_free(&r);
        f.n -= 2; /* the end is missing: truncated, unless the last row is whole */
        const rw_status status = rw_raster_parse(ctx, "cut.bmp", f.b, f.n, 0, &r);
        assert_true(status == RW_OK || (status == RW_ERR_INPUT && strstr(rw_message(ctx), "truncated")));
        rw_raster_free(&r);
    }
}

/* Refused files, with messages. */
static void test_bmp_refused(void **state)
{
    (void)state;
    static const struct {
        size_t header;
        int width, bits, packed;
        uint32_t mask;
        const char *says;
    } cases[] = {{40, 1, 5, 0, 0, "BMP of 5 bits"},
                 {40, 1, 32, 9, 0, "compression 9"},
                 {64, 8, 1, 3, 0, "Huffman"},
                 {40, -1, 24, 0, 0, "the width"},
                 {40, 1, 32, 3, 0, "the masks of all colours are 0"},
                 {108, 1, 32, 3, 0xff00ff, "not adjacent"},
                 {40, 1, 16, 3, 0xff0000, "not adjacent"},
                 {40, 1, 0, 5, 0, "no picture in it"}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        bytes f;
        rw_raster r;
        begin_bmp(&f, cases[i].header, cases[i].width, 1, cases[i].bits, cases[i].packed, 0);
        memset(f.b + f.n, 0, 64), put_at(&f, 54, cases[i].mask, 4);
        f.n += 12;
        begin_rows(&f);
        f.n += 40;
        assert_int_equal(rw_raster_parse(ctx, "made.bmp", f.b, f.n, 0, &r), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), cases[i].says)) fail_msg("%s: no '%s'", rw_message(ctx), cases[i].says);
    }
}

/* The profile of a header of 124 bytes, after the rows; one outside of the file is none. */
static void test_bmp_profile(void **state)
{
    (void)state;
    for (size_t from = 128; from < 134; from += 5) {
        bytes f;
        rw_raster r;
        begin_bmp(&f, 124, 1, 1, 24, 0, 0);
        memcpy(f.b + 14 + 56, "DEBM", 4), put_at(&f, 14 + 112, from, 4), put_at(&f, 14 + 116, 4, 4);
        begin_rows(&f), put(&f, 0, 4), put(&f, 0x64636261, 4);
        parse_bmp(&f, 1, 1, 3, 1, &r);
        assert_int_equal(r.profile_bytes, from == 128 ? 4 : 0);
        if (from == 128) assert_memory_equal(r.profile, "abcd", 4);
        rw_raster_free(&r);
    }
}

/* A PNG in the place of the rows. */
static void test_bmp_within(void **state)
{
    (void)state;
    rw_raster r = make(5, 4, 3, 1), back;
    bytes f;
    char *png;
    size_t n;
    assert_int_equal(rw_raster_write(ctx, "within.png", &r), RW_OK);
    assert_int_equal(rw_file_read(ctx, "within.png", 0, &png, &n), RW_OK);
    begin_bmp(&f, 124, 5, 4, 0, 5, 0);
    begin_rows(&f);
    memcpy(f.b + f.n, png, n), f.n += n;
    parse_bmp(&f, 5, 4, 3, 1, &back);
    assert_memory_equal(back.samples, r.samples, 60);
    rw_raster_free(&r), rw_raster_free(&back), rw_free(png);
}

/* ---- TIFF files made here: one page, one strip, not compressed --------------------------------------------------- */

typedef struct tiff {
    int width, height, bits, samples, photometric, format, extra, orientation, pages;
    bool big;                /* BigTIFF */
    const uint16_t *colours; /* a palette: all reds, all greens, all blues */
    const unsigned char *pixels, *profile;
    size_t pixel_bytes, profile_bytes;
} tiff;

static void tag(bytes *f, const tiff *t, int *n, int name, int type, size_t count, uint64_t value)
{
    put(f, (unsigned)name, 2), put(f, (unsigned)type, 2), put(f, count, t->big ? 8 : 4), put(f, value, t->big ? 8 : 4);
    ++*n;
}

static void make_tiff(bytes *f, const tiff *t)
{
    const size_t colours = (size_t)3 << t->bits;
    *f = (bytes){.b = "II", .n = 2};
    put(f, t->big ? 43 : 42, 2);
    if (t->big) put(f, 8, 2), put(f, 0, 2);
    size_t link = f->n;
    put(f, 0, t->big ? 8 : 4);
    const size_t pixels = f->n;
    memcpy(f->b + f->n, t->pixels, t->pixel_bytes), f->n += t->pixel_bytes + (t->pixel_bytes & 1);
    const size_t profile = f->n;
    if (t->profile) memcpy(f->b + f->n, t->profile, t->profile_bytes), f->n += t->profile_bytes;
    const size_t palette = f->n;
    for (size_t i = 0; t->colours && i < colours; ++i) put(f, t->colours[i], 2);
    const size_t bits = f->n;
    for (int i = 0; i < 4; ++i) put(f, (unsigned)t->bits, 2);
    for (int page = 0; page < (t->pages ? t->pages : 1); ++page) {
        const size_t start = f->n;
        int n = 0;
        put_at(f, link, start, t->big ? 8 : 4);
        put(f, 0, t->big ? 8 : 2);
        tag(f, t, &n, 256, 4, 1, (unsigned)t->width), tag(f, t, &n, 257, 4, 1, (unsigned)t->height);
        if (t->samples <= 2 || t->big) /* they fit into the entry */
            tag(f, t, &n, 258, 3, (size_t)t->samples, (uint64_t)t->bits * (t->samples < 2 ? 1 : 0x0001000100010001));
        else tag(f, t, &n, 258, 3, (size_t)t->samples, bits);
        tag(f, t, &n, 259, 3, 1, 1), tag(f, t, &n, 262, 3, 1, (unsigned)t->photometric);
        tag(f, t, &n, 273, 4, 1, pixels);
        if (t->orientation) tag(f, t, &n, 274, 3, 1, (unsigned)t->orientation);
        tag(f, t, &n, 277, 3, 1, (unsigned)t->samples), tag(f, t, &n, 278, 4, 1, (unsigned)t->height);
        tag(f, t, &n, 279, 4, 1, t->pixel_bytes);
        if (t->colours) tag(f, t, &n, 320, 3, colours, palette);
        if (t->extra) tag(f, t, &n, 338, 3, 1, (unsigned)t->extra);
        if (t->format) tag(f, t, &n, 339, 3, 1, (unsigned)t->format);
        if (t->profile) tag(f, t, &n, 34675, 7, t->profile_bytes, profile);
        put_at(f, start, (unsigned)n, t->big ? 8 : 2);
        link = f->n;
        put(f, 0, t->big ? 8 : 4);
    }
}

static bool parse_tiff(const tiff *t, rw_raster *r)
{
    bytes f;
    make_tiff(&f, t);
    const rw_status status = rw_raster_parse(ctx, "made.tif", f.b, f.n, 0, r);
    if (status == RW_ERR_UNSUPPORTED) return false;
    if (status != RW_OK) fail_msg("%s", rw_message(ctx));
    return true;
}

/* Colours that are multiplied by alpha are divided by it: 8 and 16 bits, grey and colour; of BigTIFF too. Those that
 * are not stay. */
static void test_tiff_alpha(void **state)
{
    (void)state;
    enum { N = 64 };
    for (int turn = 0; turn < 16; ++turn) {
        const int samples = turn & 1 ? 4 : 2, size = turn & 2 ? 2 : 1, extra = turn & 4 ? 1 : 2;
        const double white = size == 2 ? 65535 : 255;
        unsigned char pixels[N * 8];
        rw_raster r;
        for (int i = 0; i < N * samples * size; ++i) pixels[i] = (unsigned char)draw((uint64_t)(turn * 1000 + i));
        for (int i = 0; i < N; ++i) /* alpha 0, and white */
            if (i % 5 < 2) memset(pixels + ((i + 1) * samples - 1) * size, i % 5 ? 255 : 0, (size_t)size);
        const tiff t = {.width = 8,
                        .height = 8,
                        .bits = 8 * size,
                        .samples = samples,
                        .extra = extra,
                        .photometric = samples == 4 ? 2 : 1,
                        .big = turn & 8,
                        .pixels = pixels,
                        .pixel_bytes = (size_t)(N * samples * size)};
        if (!parse_tiff(&t, &r)) return;
        assert_int_equal(r.channels, samples);
        for (int i = 0; i < N * samples; ++i) {
            const int a = i / samples * samples + samples - 1;
            const double v = size == 2 ? ((uint16_t *)pixels)[i] : pixels[i],
                         alpha = size == 2 ? ((uint16_t *)pixels)[a] : pixels[a];
            const double divided = alpha > 0 ? v / alpha * white : 0, want = extra == 2 || i == a ? v
                                                                             : divided > white    ? white
                                                                                                  : divided;
            const double got = size == 2 ? ((uint16_t *)r.samples)[i] : ((uint8_t *)r.samples)[i];
            assert_true(got - want <= 0.5 && want - got <= 0.5);
        }
        rw_raster_free(&r);
    }
}

static void test_tiff_kinds(void **state)
{
    (void)state;
    rw_raster r;
    tiff t = {.width = 9,
              .height = 1,
              .bits = 1,
              .samples = 1,
              .photometric = 1,
              .pixels = (const unsigned char *)"\xa1\x80",
              .pixel_bytes = 2};
    if (!parse_tiff(&t, &r)) return;
    assert_memory_equal(r.samples, ((uint8_t[]){255, 0, 255, 0, 0, 0, 0, 255, 255}), 9);
    rw_raster_free(&r);
    t.photometric = 0, t.big = true; /* 0 is white; BigTIFF */
    parse_tiff(&t, &r);
    assert_memory_equal(r.samples, ((uint8_t[]){0, 255, 0, 255, 255, 255, 255, 0, 0}), 9);
    rw_raster_free(&r);
    t = (tiff){.width = 3,
               .height = 1,
               .bits = 4,
               .samples = 1,
               .photometric = 1,
               .pixels = (const unsigned char *)"\xf1\x80",
               .pixel_bytes = 2};
    parse_tiff(&t, &r);
    assert_memory_equal(r.samples, ((uint8_t[]){255, 17, 136}), 3);
    rw_raster_free(&r);
    t.bits = 2, t.width = 8;
    parse_tiff(&t, &r);
    assert_memory_equal(r.samples, ((uint8_t[]){255, 255, 0, 85, 170, 0, 0, 0}), 8);
    rw_raster_free(&r);
    for (int turn = 0; turn < 4; ++turn) { /* palettes: 8 bits times 257, times 256, as they are; and 16 bits */
        static const int factors[] = {257, 256, 1, 258};
        uint16_t colours[48] = {0};
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < 16; ++i) colours[16 * c + i] = (uint16_t)((16 * i + c) * factors[turn]);
        t = (tiff){.width = 2,
                   .height = 1,
                   .bits = 4,
                   .samples = 1,
                   .photometric = 3,
                   .colours = colours,
                   .pixels = (const unsigned char *)"\x1f",
                   .pixel_bytes = 1};
        parse_tiff(&t, &r);
        assert_int_equal(r.channels, 3);
        assert_int_equal(r.bytes, turn == 3 ? 2 : 1);
        for (int i = 0; i < 6; ++i) {
            const int v = (i < 3 ? 16 : 240) + i % 3;
            if (turn == 3) assert_int_equal(((uint16_t *)r.samples)[i], v * 258);
            else assert_int_equal(((uint8_t *)r.samples)[i], v);
        }
        rw_raster_free(&r);
    }
    static const struct {
        int bits, samples, photometric, format;
        const char *says;
    } refused[] = {{32, 1, 1, 3, "32 bits, floating-point"},
                   {16, 1, 1, 2, "16 bits, signed integer"},
                   {32, 1, 1, 1, "this number of bits"},
                   {8, 4, 5, 1, "CMYK"},
                   {8, 3, 8, 1, "CIE Lab"}};
    for (int i = 0; i < RW_COUNT(refused); ++i)
        for (int big = 0; big < 2; ++big) {
            static const unsigned char pixels[16];
            bytes f;
            make_tiff(&f, &(tiff){.width = 1,
                                  .height = 1,
                                  .bits = refused[i].bits,
                                  .samples = refused[i].samples,
                                  .photometric = refused[i].photometric,
                                  .format = refused[i].format,
                                  .big = big,
                                  .pixels = pixels,
                                  .pixel_bytes = 16});
            assert_int_equal(rw_raster_parse(ctx, "made.tif", f.b, f.n, 0, &r), RW_ERR_INPUT);
            if (!strstr(rw_message(ctx), refused[i].says)) fail_msg("%s: no '%s'", rw_message(ctx), refused[i].says);
        }
}

/* ---- orientation, profiles, pages, warnings ---------------------------------------------------------------------- */

static char logged[1024];
static void on_log(void *user, rw_log_level level, const char *text)
{
    (void)user;
    if (level == RW_LOG_WARNING) snprintf(logged, sizeof logged, "%s", text);
}
static void expect_warning(const char *text)
{
    if (!strstr(logged, text)) fail_msg("no warning with '%s': '%s'", text, logged);
    logged[0] = 0;
}

/* What is stored as ab/cd/ef is shown so. */
static const char *const shown[9] = {"",       "abcdef", "badcfe", "fedcba", "efcdab",
                                     "acebdf", "ecafdb", "fdbeca", "bdface"};

static void test_orientation(void **state)
{
    (void)state;
    static const char *const names[] = {"o.png", "o.jpg", "o.tif"};
    rw_raster r;
    for (int o = 1; o <= 8; ++o) {
        const tiff t = {.width = 2,
                        .height = 3,
                        .bits = 8,
                        .samples = 1,
                        .photometric = 1,
                        .orientation = o,
                        .pixels = (const unsigned char *)"abcdef",
                        .pixel_bytes = 6};
        if (!parse_tiff(&t, &r)) return;
        assert_int_equal(r.width, o > 4 ? 3 : 2);
        assert_int_equal(r.height, o > 4 ? 2 : 3);
        assert_memory_equal(r.samples, shown[o], 6);
        assert_int_equal(r.orientation, 0);
        rw_raster_free(&r);
        for (int big = 0; big < 2; ++big) { /* an EXIF block of each byte order, after another tag */
            unsigned char block[64] = "Exif\0\0II*\0\x08\0\0\0\2\0\x0f\1\2\0\1\0\0\0\0\0\0\0\x12\1\3\0\1\0\0\0";
            if (big) memcpy(block, "Exif\0\0MM\0*\0\0\0\x08\0\2\1\x0f\0\2\0\0\0\1\0\0\0\0\1\x12\0\3\0\0\0\1", 36);
            block[36 + big] = (unsigned char)o;
            assert_int_equal(rw_exif_orientation(block, 46), o);
            assert_int_equal(rw_exif_orientation(block + 6, 40), o);
            assert_int_equal(rw_exif_orientation(block, 37), 0);
        }
        for (int f = 0; f < RW_COUNT(names); ++f) { /* written, and left as it is or applied */
            rw_raster wide = make(16, 8, 3, 1);
            for (int i = 0; i < 16 * 8 * 3; ++i) ((uint8_t *)wide.samples)[i] = i / 3 % 16 < 8 ? 20 : 220;
            wide.orientation = o;
            assert_int_equal(rw_raster_write(ctx, names[f], &wide), RW_OK);
            assert_int_equal(rw_raster_read_stored(ctx, names[f], &r), RW_OK);
            assert_int_equal(r.orientation > 1 ? r.orientation : 1, o);
            assert_int_equal(r.width, 16);
            rw_raster_free(&r);
            assert_int_equal(rw_raster_read(ctx, names[f], 0, &r), RW_OK);
            assert_int_equal(r.width, o > 4 ? 8 : 16);
            const bool bright = ((uint8_t *)r.samples)[0] > 128; /* columns 8 … 15 of the file */
            assert_int_equal(bright, o == 2 || o == 3 || o == 7 || o == 8);
            rw_raster_free(&r), rw_raster_free(&wide);
        }
    }
    rw_raster wide = make(4, 4, 3, 1);
    wide.orientation = 6;
    assert_int_equal(rw_raster_write(ctx, "o.bmp", &wide), RW_OK);
    expect_warning("BMP cannot store the orientation (6)");
    rw_raster_free(&wide);
}

/* A profile with no tags that libpng accepts, of two sizes: JPEG stores the larger in two pieces. */
static void test_profiles(void **state)
{
    (void)state;
    static const char *const names[] = {"p.png", "p.jpg", "p.tif"};
    for (int turn = 0; turn < 2; ++turn) {
        const size_t n = turn ? 100000 : 400;
        unsigned char *profile = rw_calloc(n, 1);
        for (size_t i = 132; i < n; ++i) profile[i] = (unsigned char)draw(i);
        profile[1] = (unsigned char)(n >> 16), profile[2] = (unsigned char)(n >> 8), profile[3] = (unsigned char)n;
        memcpy(profile + 8, "\4\0\0\0mntrRGB XYZ ", 16), memcpy(profile + 36, "acsp", 4);
        memcpy(profile + 68, "\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12);
        for (int f = 0; f < RW_COUNT(names); ++f) {
            rw_raster r = make(4, 4, 3, 1), back;
            assert_int_equal(rw_raster_set_profile(ctx, "made", profile, n, &r), RW_OK);
            const rw_status status = rw_raster_write(ctx, names[f], &r);
            rw_raster_free(&r);
            if (status == RW_ERR_UNSUPPORTED) continue;
            assert_int_equal(status, RW_OK);
            assert_int_equal(rw_raster_read(ctx, names[f], 0, &back), RW_OK);
            assert_int_equal(back.profile_bytes, n);
            assert_memory_equal(back.profile, profile, n);
            assert_int_equal(rw_raster_write(ctx, "p.pnm", &back), RW_OK);
            expect_warning("PNM cannot store the ICC profile");
            rw_raster_free(&back);
        }
        rw_free(profile);
    }
}

static void test_pages(void **state)
{
    (void)state;
    rw_raster r;
    const tiff t = {.width = 2,
                    .height = 3,
                    .bits = 8,
                    .samples = 1,
                    .photometric = 1,
                    .pages = 3,
                    .pixels = (const unsigned char *)"abcdef",
                    .pixel_bytes = 6};
    if (!parse_tiff(&t, &r)) return;
    assert_int_equal(r.pages, 3);
    expect_warning("has 3 pages (pictures): only the first is read");
    rw_raster_free(&r);
    static const char *const several[] = {"P5 1 1 255\naP5 1 1 255\nb", "P2 1 1 255 7\nP2 1 1 255 8\n"};
    for (int i = 0; i < RW_COUNT(several); ++i) {
        assert_int_equal(rw_raster_parse(ctx, "two.pnm", several[i], strlen(several[i]), 0, &r), RW_OK);
        expect_warning("has several pictures: only the first is read");
        rw_raster_free(&r);
    }
}

/* Bytes of no meaning between the pixels and the next marker: a warning, and the picture. */
static void test_jpeg_warning(void **state)
{
    (void)state;
    rw_raster r = make(16, 16, 3, 1), whole, back;
    char *file;
    size_t n;
    const rw_status status = rw_raster_write(ctx, "w.jpg", &r);
    rw_raster_free(&r);
    if (status == RW_ERR_UNSUPPORTED) return;
    assert_int_equal(rw_raster_read(ctx, "w.jpg", 0, &whole), RW_OK);
    assert_int_equal(rw_file_read(ctx, "w.jpg", 0, &file, &n), RW_OK);
    char *longer = rw_calloc(n + 5, 1);
    memcpy(longer, file, n - 2), memcpy(longer + n - 2, "\1\2\3\4\5\xff\xd9", 7);
    if (rw_raster_parse(ctx, "w.jpg", longer, n + 5, 0, &back) != RW_OK) fail_msg("%s", rw_message(ctx));
    expect_warning("extraneous bytes before marker");
    assert_memory_equal(back.samples, whole.samples, 16 * 16 * 3);
    rw_raster_free(&back);
    assert_int_equal(rw_raster_parse(ctx, "w.jpg", file, n / 2, 0, &back), RW_ERR_INPUT); /* half a picture */
    rw_raster_free(&whole), rw_free(file), rw_free(longer);
}

/* A picture of one colour and 20000 x 20000 pixels is refused by its header, in every format that compresses; the limit
 * can be set. */
static void test_limit(void **state)
{
    (void)state;
    static const char *const names[] = {"l.png", "l.jpg", "l.tif"};
    rw_raster back;
    assert_int_equal(setenv(RW_RASTER_LIMIT, "0.05", 1), 0);
    for (int f = 0; f < RW_COUNT(names); ++f) {
        rw_raster r = {0};
        assert_int_equal(rw_raster_create(ctx, "made", 200, 100, 3, 1, SIZE_MAX, &r), RW_OK);
        const rw_status status = rw_raster_write(ctx, names[f], &r);
        rw_raster_free(&r);
        if (status == RW_ERR_UNSUPPORTED) continue;
        assert_int_equal(status, RW_OK);
        assert_int_equal(rw_raster_read(ctx, names[f], 0, &back), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), "200 x 100 pixels of 3 bytes need 1 MB; the limit is 0 MB"))
            fail_msg("%s", rw_message(ctx));
        assert_non_null(strstr(rw_message(ctx), "RECHENWERK_PICTURE_MB=1"));
        setenv(RW_RASTER_LIMIT, "1", 1);
        assert_int_equal(rw_raster_read(ctx, names[f], 0, &back), RW_OK);
        rw_raster_free(&back);
        setenv(RW_RASTER_LIMIT, "0.05", 1);
    }
    bytes f;
    unsetenv(RW_RASTER_LIMIT);
    begin_bmp(&f, 40, 30000, 30000, 8, 1, 2); /* two bytes of runs */
    put_palette(&f, 40, 2, false);
    begin_rows(&f), put(&f, 0x100, 2);
    assert_int_equal(rw_raster_parse(ctx, "made.bmp", f.b, f.n, 0, &back), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "the limit is 512 MB"));
    rw_picture picture; /* its pixels are real numbers */
    setenv(RW_RASTER_LIMIT, "0.001", 1);
    assert_int_equal(rw_picture_parse(ctx, "text", "P1 13 10 0", 10, 0, &picture), RW_ERR_INPUT);
    char *grey = rw_calloc(13 * 10 + 20, 1);
    const int n = snprintf(grey, 20, "P5 13 10 255\n");
    assert_int_equal(rw_picture_parse(ctx, "grey", grey, (size_t)n + 130, 0, &picture), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "13 x 10 pixels of 8 bytes need 1 MB"));
    rw_free(grey);
    unsetenv(RW_RASTER_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_jpeg),
                                       cmocka_unit_test(test_damaged),     cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_bmp),         cmocka_unit_test(test_bmp_masks),
                                       cmocka_unit_test(test_bmp_plain),   cmocka_unit_test(test_bmp_palettes),
                                       cmocka_unit_test(test_bmp_runs),    cmocka_unit_test(test_bmp_refused),
                                       cmocka_unit_test(test_bmp_within),  cmocka_unit_test(test_bmp_profile),
                                       cmocka_unit_test(test_tiff_alpha),  cmocka_unit_test(test_tiff_kinds),
                                       cmocka_unit_test(test_orientation), cmocka_unit_test(test_profiles),
                                       cmocka_unit_test(test_pages),       cmocka_unit_test(test_jpeg_warning),
                                       cmocka_unit_test(test_limit)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    rw_context_set_log(ctx, RW_LOG_WARNING, on_log, NULL);
    const int failed = cmocka_run_group_tests_name("raster", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
