/* PNM: the four kinds by hand, both sample sizes, what is refused, faults. */
#include "io_test.h"

#include <math.h>

#include "io/picture.h"

static rw_status parse(const char *bytes, size_t n, rw_picture *p)
{
    char *exact = malloc(n + 1);
    memcpy(exact, bytes, n);
    rw_status status = rw_picture_parse(NULL, "x.pnm", exact, n, 0, p);
    free(exact);
    return status;
}

static void test_kinds(void **state)
{
    (void)state;
#define TEXT(s) s, sizeof s - 1
    static const struct {
        const char *bytes;
        size_t n;
        double values[2];
    } rows[] = {
        {TEXT("P2\n2 1\n4\n1 3\n"), {0.25, 0.75}},
        {TEXT("P2 2 1 4 1 3"), {0.25, 0.75}},
        {TEXT("P2#c\n#d\n2#e\n\t1\r\n4 #f\n 1#g\n3"), {0.25, 0.75}},
        {TEXT("P3 2 1 255 255 0 0 0 255 255"), {0.2126, 0.7152 + 0.0722}},
        {TEXT("P5 2 1 255\n\x00\xFF"), {0, 1}},
        {TEXT("P5 2 1 65535\n\x00\x00\x80\x00"), {0, 32768 / 65535.0}},
        {TEXT("P5\n# comment\n2 1\n100\n\x32\xFF"), {0.5, 1}},
        {TEXT("P6 2 1 255\n\xFF\x00\x00\xFF\xFF\xFF"), {0.2126, 1}},
        {TEXT("P6 2 1 1000\n\x03\xE8\x00\x00\x00\x00\x00\x00\x03\xE8\x00\x00"), {0.2126, 0.7152}},
        {TEXT("P5 2 1 255\n\x00\xFFP5 9 9 255\n"), {0, 1}},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_picture p;
        ASSERT_OK(parse(rows[i].bytes, rows[i].n, &p));
        assert_true(p.width == 2 && p.height == 1);
        for (int k = 0; k < 2; k++)
            if (fabs(p.grey[k] - rows[i].values[k]) > 1e-12) fail_msg("row %d: %g", i, p.grey[k]);
        rw_picture_free(&p);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } rows[] = {
        {TEXT("")},
        {TEXT("P")},
        {TEXT("P5")},
        {TEXT("P1 2 1 0 2")},
        {TEXT("P4 9 1 0")},
        {TEXT("P7 1 1 0")},
        {TEXT("Q5 1 1 255\n\x01")},
        {TEXT("P5 0 1 255\n")},
        {TEXT("P5 1 0 255\n")},
        {TEXT("P5 -1 1 255\n\x01")},
        {TEXT("P5 1 1 0\n\x01")},
        {TEXT("P5 1 1 65536\n\x01\x01")},
        {TEXT("P5 1 1 255")},
        {TEXT("P5 1 1 255x\x01")},
        {TEXT("P5 2 1 255\n\x01")},
        {TEXT("P5 1 1 65535\n\x01")},
        {TEXT("P6 1 1 255\n\x01\x01")},
        {TEXT("P2 1 1 255\n")},
        {TEXT("P2 1 1 255\n256")},
        {TEXT("P2 1 1 255\nx")},
        {TEXT("P2 3 1 9\n1 2")},
        {TEXT("P3 1 1 9\n1 2")},
        {TEXT("P2 1000000000 1000000000 255\n1 2 3")},
        {TEXT("P5 1073741824 1073741824 255\n1 2 3")},
        {TEXT("P5 99999999999999999999 1 255\n1 2 3")},
        {TEXT("P5 16384 16385 255\n1 2 3")},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_picture p = {.grey = (double *)rows};
        rw_status status = parse(rows[i].bytes, rows[i].n, &p);
        if (status != RW_ERR_INPUT) fail_msg("row %d: %s", i, rw_status_name(status));
        assert_null(p.grey);
    }
    rw_picture p;
    ASSERT_FAILS(rw_picture_parse(NULL, "x", "P5 2 1 255\n\1\1", 13, 1, &p), RW_ERR_INPUT);
    ASSERT_FAILS(rw_picture_read(NULL, "none.pgm", 0, &p), RW_ERR_FILE);
}

/* A raw picture of 16 bits, whole and cut off anywhere. */
static void test_raw(void **state)
{
    (void)state;
    enum { PIXELS = 7 * 5 };
    unsigned char data[96] = "P5\n7 5\n65535\n";
    const size_t head = strlen((char *)data), n = head + 2 * PIXELS;
    rw_picture p;
    for (size_t i = head; i < n; i++) data[i] = (unsigned char)rw_random_u64(4, i);
    write_whole("a.pgm", data, n);
    ASSERT_OK(rw_picture_read(NULL, "a.pgm", 0, &p));
    assert_true(p.width == 7 && p.height == 5);
    for (size_t i = 0; i < PIXELS; i++)
        assert_true(p.grey[i] == (256 * data[head + 2 * i] + data[head + 2 * i + 1]) / 65535.0);
    rw_picture_free(&p);
    for (size_t length = 0; length < n; length++) ASSERT_FAILS(parse((char *)data, length, &p), RW_ERR_INPUT);
}

static rw_status read_picture(void)
{
    rw_picture p = {0};
    rw_status status = rw_picture_read(NULL, "a.pgm", 0, &p);
    rw_picture_free(&p);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    write_whole("a.pgm", "P2 3 2 5\n0 1 2 3 4 5\n", 21);
    assert_true(each_fault(read_picture, false) > 2);
    assert_int_equal(count_files(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_kinds),
        IO_TEST(test_refused),
        IO_TEST(test_raw),
        IO_TEST(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
