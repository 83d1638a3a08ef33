/* BMP of every header, number of bits, mask and compression, made here byte by byte, with the pixels that they must
 * give; damaged ones are refused. */
#include "raster_test.h"

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

/* The two headers; of the second the first `header` bytes, the rest zero. */
static void begin_bmp(made_file *f, size_t header, int width, int height, int bits, int packed, int colours)
{
    *f = (made_file){.b = "BM", .n = 14};
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
static void begin_rows(made_file *f) { put_at(f, 10, f->n, 4); }

static void parse_bmp(made_file *f, int width, int height, int channels, int size, rw_raster *r)
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
                made_file f;
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
        made_file f;
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
    made_file f;
    rw_raster r;
    begin_bmp(&f, 12, 1, 2, 24, 0, 0);
    begin_rows(&f), put(&f, 0x112233, 4), put(&f, 0x445566, 4);
    parse_bmp(&f, 1, 2, 3, 1, &r);
    assert_memory_equal(r.samples, ((uint8_t[]){0x44, 0x55, 0x66, 0x11, 0x22, 0x33}), 6);
    rw_raster_free(&r);
}

static void put_palette(made_file *f, size_t header, int colours, bool grey)
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
                    made_file f;
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
        made_file f;
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
        made_file f;
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
        made_file f;
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
    made_file f;
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

/* A picture above the limit is refused by its header. */
static void test_bmp_limit(void **state)
{
    (void)state;
    rw_raster back;
    made_file f;
    begin_bmp(&f, 40, 30000, 30000, 8, 1, 2); /* two bytes of runs */
    put_palette(&f, 40, 2, false);
    begin_rows(&f), put(&f, 0x100, 2);
    assert_int_equal(rw_raster_parse(ctx, "made.bmp", f.b, f.n, 0, &back), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "the limit is 512 MB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bmp),        cmocka_unit_test(test_bmp_masks),
                                       cmocka_unit_test(test_bmp_plain),  cmocka_unit_test(test_bmp_palettes),
                                       cmocka_unit_test(test_bmp_runs),   cmocka_unit_test(test_bmp_refused),
                                       cmocka_unit_test(test_bmp_within), cmocka_unit_test(test_bmp_profile),
                                       cmocka_unit_test(test_bmp_limit)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const int failed = cmocka_run_group_tests_name("raster_bmp", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
