/* Animated PNG: chunks, their numbers and checksums; frames have the pixels of their files, smaller ones on white;
 * files that are no frames; failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/apng.h"
#include "io/raster.h"

enum { FRAMES = 3 };

static char folder[] = "/tmp/rechenwerk-apng-XXXXXX";
static char names[FRAMES][80], path[80];
static const char *const files[FRAMES] = {names[0], names[1], names[2]};
static const size_t sizes[FRAMES][2] = {{6, 5}, {4, 5}, {6, 2}};

static unsigned char pixel(int frame, size_t x, size_t y, int c)
{
    return (unsigned char)(40 * frame + 7 * x + 3 * y + c);
}

static void write_frames(void)
{
    for (int f = 0; f < FRAMES; f++) {
        unsigned char samples[6 * 5 * 3];
        size_t n = 0;
        for (size_t y = 0; y < sizes[f][1]; y++)
            for (size_t x = 0; x < sizes[f][0]; x++)
                for (int c = 0; c < 3; c++) samples[n++] = pixel(f, x, y, c);
        const rw_raster r = {.width = sizes[f][0],
                             .height = sizes[f][1],
                             .channels = 3,
                             .bytes = 1,
                             .maximum = 255,
                             .samples = samples};
        snprintf(names[f], sizeof *names, "%s/%d.png", folder, f);
        assert_int_equal(rw_raster_write_png(NULL, names[f], &r), RW_OK);
    }
}

static size_t number(const unsigned char *p)
{
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

/* Of the definition, a bit at a time. */
static uint32_t crc_of(const unsigned char *p, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            const uint32_t low = (crc ^ (uint32_t)(p[i] >> bit)) & 1;
            crc = crc >> 1 ^ (low ? 0xedb88320u : 0);
        }
    return ~crc;
}

/* The data of a frame as a PNG of its own, decoded. */
static void check_pixels(int frame, const unsigned char *head, const unsigned char *data, size_t n)
{
    unsigned char *png = malloc(n + 64), *p = png;
    memcpy(p, head, 33); /* signature and IHDR */
    p += 33;
    p[0] = (unsigned char)(n >> 24);
    p[1] = (unsigned char)(n >> 16);
    p[2] = (unsigned char)(n >> 8);
    p[3] = (unsigned char)n;
    memcpy(p + 4, "IDAT", 4);
    memcpy(p + 8, data, n);
    const uint32_t crc = crc_of(p + 4, n + 4);
    p += 8 + n;
    for (int i = 0; i < 4; i++) *p++ = (unsigned char)(crc >> (24 - 8 * i));
    memcpy(p, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    rw_raster r;
    assert_int_equal(rw_raster_parse(NULL, "frame", png, (size_t)(p + 12 - png), 0, &r), RW_OK);
    assert_true(r.width == 6 && r.height == 5 && r.channels == 3);
    const size_t left = (6 - sizes[frame][0]) / 2, top = (5 - sizes[frame][1]) / 2;
    for (size_t y = 0; y < 5; y++)
        for (size_t x = 0; x < 6; x++)
            for (int c = 0; c < 3; c++) {
                const size_t i = x - left, j = y - top;
                const bool inside = i < sizes[frame][0] && j < sizes[frame][1];
                assert_int_equal(((unsigned char *)r.samples)[(y * 6 + x) * 3 + (size_t)c],
                                 inside ? pixel(frame, i, j, c) : 255);
            }
    rw_raster_free(&r);
    free(png);
}

static void test_chunks_and_pixels(void **state)
{
    (void)state;
    char *bytes;
    size_t n, sequence = 0, frames = 0, controls = 0;
    assert_int_equal(rw_apng_write(NULL, path, FRAMES, files, 12.5), RW_OK);
    assert_int_equal(rw_file_read(NULL, path, 1 << 20, &bytes, &n), RW_OK);
    const unsigned char *b = (unsigned char *)bytes;
    size_t at = 8;
    for (; at < n; at += 12 + number(b + at)) {
        const size_t length = number(b + at);
        const unsigned char *type = b + at + 4, *data = b + at + 8;
        assert_int_equal(crc_of(type, length + 4), number(data + length));
        if (!memcmp(type, "acTL", 4)) assert_int_equal(number(data), FRAMES);
        if (!memcmp(type, "fcTL", 4) || !memcmp(type, "fdAT", 4)) assert_int_equal(number(data), sequence++);
        if (!memcmp(type, "fcTL", 4)) {
            controls++;
            assert_true(number(data + 4) == 6 && number(data + 8) == 5 && number(data + 20) == (100 << 16 | 1250));
        }
        if (!memcmp(type, "IDAT", 4)) check_pixels((int)frames++, b, data, length);
        if (!memcmp(type, "fdAT", 4)) check_pixels((int)frames++, b, data + 4, length - 4);
        assert_int_equal(controls, frames + !memcmp(type, "fcTL", 4));
    }
    assert_int_equal(at, n);
    assert_int_equal(frames, FRAMES);
    rw_free(bytes);
    rw_raster first;
    assert_int_equal(rw_raster_read(NULL, path, 0, &first), RW_OK); /* as a program that knows no animation */
    assert_int_equal(first.pages, -1);
    rw_raster_free(&first);
}

static void test_bad_frames(void **state)
{
    (void)state;
    char other[80], *bytes;
    size_t n;
    const char *const list[] = {names[0], other};
    static unsigned char grey[4];
    const rw_raster r = {.width = 2, .height = 2, .channels = 1, .bytes = 1, .maximum = 255, .samples = grey};
    snprintf(other, sizeof other, "%s/other.png", folder);
    assert_int_equal(rw_raster_write_png(NULL, other, &r), RW_OK);
    assert_int_equal(rw_apng_write(NULL, path, 2, list, 1), RW_ERR_INPUT);
    assert_int_equal(rw_file_read(NULL, names[0], 1 << 20, &bytes, &n), RW_OK);
    for (size_t cut = 33; cut < n; cut += 7) {
        assert_int_equal(rw_file_write(NULL, other, bytes, cut), RW_OK);
        assert_int_equal(rw_apng_write(NULL, path, 2, list, 1), RW_ERR_INPUT);
    }
    rw_free(bytes);
    unlink(other);
    assert_int_equal(rw_apng_write(NULL, path, 2, list, 1), RW_ERR_FILE);
}

/* The n-th allocation or write fails: a status and no file, or, where it can be done without, the same file. */
static void test_failures(void **state)
{
    (void)state;
    static const rw_fault faults[] = {RW_FAULT_ALLOC, RW_FAULT_WRITE};
    char *good, *bytes;
    size_t n, m;
    int failed = 0;
    assert_int_equal(rw_apng_write(NULL, path, FRAMES, files, 1), RW_OK);
    assert_int_equal(rw_file_read(NULL, path, 1 << 20, &good, &n), RW_OK);
    for (int k = 0; k < 2; k++)
        for (long i = 1, events = i; events >= i - 1; i++) {
            unlink(path);
            rw_fault_set(faults[k], i);
            const rw_status status = rw_apng_write(NULL, path, FRAMES, files, 1);
            events = rw_fault_events(faults[k]);
            rw_fault_set(faults[k], 0);
            failed += status != RW_OK;
            assert_int_equal(access(path, F_OK) == 0, status == RW_OK);
            if (status != RW_OK) continue;
            assert_int_equal(rw_file_read(NULL, path, 1 << 20, &bytes, &m), RW_OK);
            assert_int_equal(m, n);
            assert_memory_equal(bytes, good, n);
            rw_free(bytes);
        }
    if (failed < 20) fail_msg("%d failures", failed);
    rw_free(good);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/a.png", folder);
    write_frames();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chunks_and_pixels), cmocka_unit_test(test_bad_frames),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
