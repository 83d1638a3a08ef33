/* Pictures of all formats, channels and depths come back from a file as they were; damaged ones give an error. */
#include "raster_test.h"

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

/* ---- TIFF files made here: one page, one strip, not compressed --------------------------------------------------- */

typedef struct tiff {
    int width, height, bits, samples, photometric, format, extra, orientation, pages;
    bool big;                /* BigTIFF */
    const uint16_t *colours; /* a palette: all reds, all greens, all blues */
    const unsigned char *pixels, *profile;
    size_t pixel_bytes, profile_bytes;
} tiff;

static void tag(made_file *f, const tiff *t, int *n, int name, int type, size_t count, uint64_t value)
{
    put(f, (unsigned)name, 2), put(f, (unsigned)type, 2), put(f, count, t->big ? 8 : 4), put(f, value, t->big ? 8 : 4);
    ++*n;
}

static void make_tiff(made_file *f, const tiff *t)
{
    const size_t colours = (size_t)3 << t->bits;
    *f = (made_file){.b = "II", .n = 2};
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
    made_file f;
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
            made_file f;
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
        profile[1] = (unsigned char)(n >> 16);
        profile[2] = (unsigned char)(n >> 8);
        profile[3] = (unsigned char)n;
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
