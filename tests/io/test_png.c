/* PNG: every colour type, depth and interlacing against a picture computed by hand, the writer, hostile files,
 * faults. */
#include "io_test.h"

#include <math.h>
#include <png.h>

#include "io/picture.h"

typedef struct kind {
    int type, depth, interlace;
    bool transparent; /* with a tRNS chunk */
} kind;

enum { WIDTH = 13, HEIGHT = 9 };

static rw_status write_rgb8(const char *path, size_t width, size_t height, const uint8_t *rgb)
{
    return rw_raster_write_png(NULL, path,
                               &(rw_raster){.width = width,
                                            .height = height,
                                            .channels = 3,
                                            .bytes = 1,
                                            .maximum = 255,
                                            .samples = (void *)(uintptr_t)rgb});
}

static int channels_of(int type)
{
    bool color = type == PNG_COLOR_TYPE_RGB || type == PNG_COLOR_TYPE_RGB_ALPHA;
    return (color ? 3 : 1) + (type == PNG_COLOR_TYPE_RGB_ALPHA || type == PNG_COLOR_TYPE_GRAY_ALPHA);
}

static unsigned sample(uint64_t seed, const kind *k, int x, int y, int c)
{
    return (unsigned)(rw_random_u64(seed, (uint64_t)((y * WIDTH + x) * 4 + c)) % (1u << k->depth));
}

static unsigned palette_entry(int i, int c) { return (unsigned)(i * 37 + c * 91) & 255; }

static double expected(uint64_t seed, const kind *k, int x, int y)
{
    static const double luma[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0, top = (1u << k->depth) - 1;
    if (k->type == PNG_COLOR_TYPE_PALETTE) {
        for (int c = 0; c < 3; c++) sum += luma[c] * palette_entry((int)sample(seed, k, x, y, 0), c) / 255.0;
        return sum;
    }
    if (channels_of(k->type) < 3) return sample(seed, k, x, y, 0) / top;
    for (int c = 0; c < 3; c++) sum += luma[c] * sample(seed, k, x, y, c) / top;
    return sum;
}

static void make_png(const char *path, const kind *k, uint64_t seed)
{
    int channels = channels_of(k->type), bits = channels * k->depth;
    png_byte rows[HEIGHT][WIDTH * 8] = {{0}};
    png_bytep pointers[HEIGHT];
    for (int y = 0; y < HEIGHT; y++) {
        pointers[y] = rows[y];
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < channels; c++) {
                unsigned v = sample(seed, k, x, y, c);
                int at = x * bits + c * k->depth;
                if (k->depth == 16) rows[y][at / 8] = (png_byte)(v >> 8), rows[y][at / 8 + 1] = (png_byte)v;
                else rows[y][at / 8] |= (png_byte)(v << (8 - k->depth - at % 8));
            }
    }
    FILE *f = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, f);
    png_set_IHDR(png, info, WIDTH, HEIGHT, k->depth, k->type, k->interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_color palette[256];
    png_byte alpha[3] = {0, 100, 200};
    png_color_16 clear = {0, 1, 1, 1, 1};
    if (k->type == PNG_COLOR_TYPE_PALETTE) {
        for (int i = 0; i < 256; i++)
            palette[i] = (png_color){(png_byte)palette_entry(i, 0), (png_byte)palette_entry(i, 1),
                                     (png_byte)palette_entry(i, 2)};
        png_set_PLTE(png, info, palette, 1 << k->depth);
        if (k->transparent) png_set_tRNS(png, info, alpha, k->depth > 1 ? 3 : 2, NULL);
    } else if (k->transparent && channels % 2 == 1) {
        png_set_tRNS(png, info, NULL, 0, &clear);
    }
    png_set_gAMA(png, info, 0.7);
    png_write_info(png, info);
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(f);
}

static void test_kinds(void **state)
{
    (void)state;
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_PALETTE,
                                PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB_ALPHA};
    uint64_t seed = 99;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < RW_COUNT(types); t++)
        for (int depth = 1; depth <= 16; depth *= 2)
            for (int variant = 0; variant < 4; variant++) {
                const kind k = {types[t], depth, variant % 2 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, variant > 1};
                bool grey = types[t] == PNG_COLOR_TYPE_GRAY, palette = types[t] == PNG_COLOR_TYPE_PALETTE;
                if ((depth < 8 && !grey && !palette) || (depth == 16 && palette)) continue;
                rw_picture p;
                make_png("a.png", &k, seed);
                ASSERT_OK(rw_picture_read(NULL, "a.png", 0, &p));
                assert_true(p.width == WIDTH && p.height == HEIGHT);
                for (int y = 0; y < HEIGHT; y++)
                    for (int x = 0; x < WIDTH; x++)
                        if (fabs(p.grey[y * WIDTH + x] - expected(seed, &k, x, y)) > 1e-12)
                            fail_msg("type %d depth %d variant %d at %d, %d: %g, not %g", types[t], depth, variant, x,
                                     y, p.grey[y * WIDTH + x], expected(seed, &k, x, y));
                rw_picture_free(&p);
                seed++;
            }
}

static void test_writer(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {1, 50}, {50, 1}, {31, 17}};
    for (int s = 0; s < RW_COUNT(sizes); s++) {
        size_t w = sizes[s][0], h = sizes[s][1];
        uint8_t *rgb = malloc(w * h * 3);
        for (size_t i = 0; i < w * h * 3; i++) rgb[i] = (uint8_t)rw_random_u64(1, i);
        ASSERT_OK(write_rgb8("a.png", w, h, rgb));
        png_image image = {.version = PNG_IMAGE_VERSION}; /* libpng's own short reader */
        assert_true(png_image_begin_read_from_file(&image, "a.png"));
        image.format = PNG_FORMAT_RGB;
        assert_true(image.width == w && image.height == h);
        uint8_t *back = malloc(PNG_IMAGE_SIZE(image));
        assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
        assert_memory_equal(back, rgb, w * h * 3);
        free(back), free(rgb);
    }
    rw_picture white;
    ASSERT_OK(write_rgb8("white.png", 1, 1, (const uint8_t[]){255, 255, 255}));
    ASSERT_OK(rw_picture_read(NULL, "white.png", 0, &white));
    assert_true(white.grey[0] <= 1 && white.grey[0] > 1 - 1e-12);
    rw_picture_free(&white);
    ASSERT_FAILS(write_rgb8("a.png", 0, 5, NULL), RW_ERR_ARGUMENT);
    ASSERT_FAILS(write_rgb8("a.png", 5, (size_t)1 << 40, NULL), RW_ERR_ARGUMENT);
    ASSERT_FAILS(write_rgb8("no/a.png", 1, 1, (const uint8_t *)"abc"), RW_ERR_FILE);
    assert_int_equal(count_files(), 2);
}

static void put_u32(unsigned char *to, uint32_t v)
{
    for (int b = 0; b < 4; b++) to[b] = (unsigned char)(v >> (24 - 8 * b));
}

/* A signature and a header that promises width x height, with a right checksum. */
static size_t promise(unsigned char *file, uint32_t width, uint32_t height)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const unsigned char rest[5] = {8, 2, 0, 0, 0};
    memcpy(file, signature, 8);
    put_u32(file + 8, 13);
    memcpy(file + 12, "IHDR", 4);
    put_u32(file + 16, width);
    put_u32(file + 20, height);
    memcpy(file + 24, rest, 5);
    uint32_t crc = 0xFFFFFFFFu;
    for (int i = 12; i < 29; i++) {
        crc ^= file[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    put_u32(file + 29, ~crc);
    put_u32(file + 33, 0); /* an empty IDAT: the picture begins and never comes */
    memcpy(file + 37, "IDAT\x35\xAF\x06\x1E", 8);
    return 45;
}

static void test_limits(void **state)
{
    (void)state;
    unsigned char file[64];
    rw_picture p;
    static const uint32_t sizes[][2] = {{0x7FFFFFFF, 0x7FFFFFFF},
                                        {1 << 20, 1 << 20},
                                        {1 << 14, 1 << 14},
                                        {0x7FFFFFFF, 1},
                                        {1, 0x7FFFFFFF},
                                        {0, 1},
                                        {1, 0},
                                        {0x80000000u, 1}};
    for (int i = 0; i < RW_COUNT(sizes); i++) {
        size_t n = promise(file, sizes[i][0], sizes[i][1]);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        ASSERT_FAILS(rw_picture_parse(NULL, "big.png", file, n, 0, &p), RW_ERR_INPUT);
        assert_null(p.grey);
        bool allowed = sizes[i][0] == 1 << 14; /* by the limit, but not in so short a file */
        if (allowed) assert_non_null(strstr(rw_message(NULL), "do not fit in 45 bytes"));
    }
    const kind k = {PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE, false};
    make_png("a.png", &k, 1);
    ASSERT_FAILS(rw_picture_read(NULL, "a.png", WIDTH * HEIGHT - 1, &p), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "a.png: 13 x 9 pixels are more than the limit of 116"));
    ASSERT_OK(rw_picture_read(NULL, "a.png", WIDTH * HEIGHT, &p));
    rw_picture_free(&p);
    ASSERT_FAILS(rw_picture_read(NULL, "none.png", 0, &p), RW_ERR_FILE);
    ASSERT_FAILS(rw_picture_read(NULL, "none.png", 0, &p), RW_ERR_FILE);
    write_whole("text.png", "hello\n", 6);
    ASSERT_FAILS(rw_picture_read(NULL, "text.png", 0, &p), RW_ERR_INPUT);
    ASSERT_FAILS(rw_picture_read(NULL, "text.png", 0, &p), RW_ERR_INPUT);
    write_whole("empty.png", "", 0);
    ASSERT_FAILS(rw_picture_read(NULL, "empty.png", 0, &p), RW_ERR_INPUT);
    ASSERT_FAILS(rw_picture_read(NULL, "empty.png", 0, &p), RW_ERR_INPUT);
}

/* Texts of a file, which unpack to megabytes each, get no memory: as many allocations with 20 of them as with none. */
static void test_texts(void **state)
{
    (void)state;
    enum { LONG = 1 << 20, TEXTS = 20 };
    long allocations[2];
    char *text = rw_calloc(LONG, 1);
    memset(text, 'a', LONG - 1);
    for (int turn = 0; turn < 2; turn++) {
        png_byte row[3] = {1, 2, 3};
        FILE *f = fopen("texts.png", "wb");
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
        png_infop info = png_create_info_struct(png);
        png_init_io(png, f);
        png_set_IHDR(png, info, 3, 1, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        png_text one = {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = (char[]){"Comment"}, .text = text};
        for (int i = 0; i < TEXTS * turn; i++) png_set_text(png, info, &one, 1);
        png_write_info(png, info);
        png_write_row(png, row);
        png_write_end(png, NULL);
        png_destroy_write_struct(&png, &info);
        fclose(f);
        rw_picture p;
        rw_fault_set(RW_FAULT_ALLOC, 0);
        ASSERT_OK(rw_picture_read(NULL, "texts.png", 0, &p));
        allocations[turn] = rw_fault_events(RW_FAULT_ALLOC);
        rw_picture_free(&p);
    }
    rw_free(text);
    if (allocations[1] > allocations[0] + 2) /* the buffer of a chunk, once */
        fail_msg("%ld allocations, and %ld with %d texts", allocations[0], allocations[1], TEXTS);
}

static void test_truncated(void **state)
{
    (void)state;
    for (int interlace = 0; interlace < 2; interlace++) {
        const kind k = {PNG_COLOR_TYPE_RGB, 16, interlace ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, true};
        char *data;
        size_t n;
        rw_picture p;
        make_png("a.png", &k, 5);
        read_whole("a.png", &data, &n);
        for (size_t length = 0; length < n; length++) {
            char *exact = malloc(length + 1);
            memcpy(exact, data, length);
            ASSERT_FAILS(rw_picture_parse(NULL, "a.png", exact, length, 0, &p), RW_ERR_INPUT);
            assert_null(p.grey);
            free(exact);
        }
        for (size_t i = 0; i < n; i++) {
            data[i] ^= (char)(1 + i % 255);
            if (rw_picture_parse(NULL, "a.png", data, n, 0, &p) == RW_OK) rw_picture_free(&p);
            data[i] ^= (char)(1 + i % 255);
        }
        free(data);
    }
}

static rw_status read_interlaced(void)
{
    rw_picture p = {0};
    rw_status status = rw_picture_read(NULL, "a.png", 0, &p);
    if (status == RW_OK) assert_non_null(p.grey);
    else assert_null(p.grey);
    rw_picture_free(&p);
    return status;
}

static rw_status write_small(void) { return write_rgb8("w.png", 2, 2, (const uint8_t *)"0123456789AB"); }

static void test_faults(void **state)
{
    (void)state;
    const kind k = {PNG_COLOR_TYPE_PALETTE, 8, PNG_INTERLACE_ADAM7, true};
    make_png("a.png", &k, 5);
    assert_true(each_fault(read_interlaced, true) > 10);
    assert_true(each_fault(write_small, true) > 10);
    assert_int_equal(count_files(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_kinds), IO_TEST(test_writer),    IO_TEST(test_limits),
        IO_TEST(test_texts), IO_TEST(test_truncated), IO_TEST(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
