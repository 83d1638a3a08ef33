/* Files of the Matrix Market: all kinds, symmetries filled in, numbers to the last bit; round trips; what is
 * refused, with the line; cut and broken files; memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"
#include "files/mtx.h"

static rw_context *ctx;

static void parse(const char *text, rw_mtx *m)
{
    if (rw_mtx_parse(ctx, "m.mtx", text, strlen(text), m) != RW_OK) fail_msg("%s\n%s", rw_message(ctx), text);
}

/* The matrix as numbers, real parts or imaginary ones; 0 where there is no entry. */
static double at(const rw_mtx *m, int64_t row, int64_t column, int part)
{
    int width = m->is_complex ? 2 : 1;
    if (part >= width) return 0;
    if (m->dense) return m->value[(column * m->rows + row) * width + part];
    for (int64_t i = 0; i < m->n; ++i)
        if (m->row[i] == row && m->column[i] == column) return m->value[i * width + part];
    return 0;
}

static void expect(const char *text, int64_t rows, int64_t columns, int64_t n, const double *re, const double *im)
{
    rw_mtx m;
    parse(text, &m);
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.columns, columns);
    assert_int_equal(m.n, n);
    assert_int_equal(m.is_complex, im != NULL);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            assert_true(at(&m, i, j, 0) == re[i * columns + j]);
            if (im) assert_true(at(&m, i, j, 1) == im[i * columns + j]);
        }
    rw_mtx_free(&m);
    assert_null(m.value);
}

#define MM "%%MatrixMarket matrix "
static void test_kinds(void **state)
{
    (void)state;
    const double general[] = {1, 0, 0, 2, 0, -3.5}, ones[] = {1, 0, 0, 1, 0, 1};
    expect(MM "coordinate real general\n% a comment\n%another\n\n2 3 3\n1 1 1\n2 1 2.0\n2 3 -3.5\n", 2, 3, 3, general,
           NULL);
    expect(MM "coordinate real general\n2 3 3\n% between\n1 1 1\n2 1 2.0\n  % and here\n2 3 -3.5\n% after\n", 2, 3, 3,
           general, NULL);
    expect("%%matrixmarket MATRIX Coordinate Real General\r\n 2\t3 3 \r\n1 1 +1\r\n\r\n 2 1 .2e1\r\n2 3 -35E-1", 2, 3,
           3, general, NULL);
    expect(MM "coordinate real general\n2 3 3\n1 1 1.D+00\n2 1 .2d1\n2 3 -0.35000000000000000000D+01\n", 2, 3, 3,
           general, NULL); /* Fortran; the last is too long for the quick way */
    expect(MM "coordinate pattern general\n2 3 3\n1 1\n2 1\n2 3\n", 2, 3, 3, ones, NULL);
    expect("\xEF\xBB\xBF" MM "coordinate pattern general\n2 3 3\n1 1\n2 1\n2 3\n", 2, 3, 3, ones, NULL);
    expect(MM "array real general\n2 3\n1\n2\n0\n0\n0\n-3.5\n", 2, 3, 6, general, NULL);
    const double symmetric[] = {1, 2, 0, 2, 0, 3, 0, 3, 4}, skew[] = {0, -2, 0, 2, 0, -3, 0, 3, 0},
                 imaginary[] = {0, -5, 0, 5, 0, -6, 0, 6, 0}, complex_symmetric[] = {0, 5, 0, 5, 0, 6, 0, 6, 7};
    expect(MM "coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 +3\n3 3 4\n", 3, 3, 6, symmetric, NULL);
    expect(MM "coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 3\n", 3, 3, 4, skew, NULL);
    expect(MM "coordinate complex hermitian\n3 3 4\n1 1 1 0\n2 1 2 5\n3 2 3 6\n3 3 4 0\n", 3, 3, 6, symmetric,
           imaginary);
    expect(MM "coordinate complex symmetric\n3 3 4\n1 1 1 0\n2 1 2 5\n3 2 3 6\n3 3 4 7\n", 3, 3, 6, symmetric,
           complex_symmetric);
    expect(MM "array real symmetric\n3 3\n1\n2\n0\n0\n3\n4\n", 3, 3, 9, symmetric, NULL);
    expect(MM "array integer skew-symmetric\n3 3\n2\n0\n3\n", 3, 3, 9, skew, NULL);
    expect(MM "array complex hermitian\n3 3\n1 0\n2 5\n0 0\n0 0\n3 6\n4 0\n", 3, 3, 9, symmetric, imaginary);
    expect(MM "coordinate real general\n0 0 0\n", 0, 0, 0, general, NULL);
    expect(MM "array real general\n0 3\n", 0, 3, 0, general, NULL);
    expect(MM "coordinate real general\n2 3 0\n%\n", 2, 3, 0, (const double[6]){0}, NULL);
}

/* Numbers as texts of all lengths read as strtod reads them. */
static void test_numbers(void **state)
{
    (void)state;
    enum { SEED = 21 };
    for (uint64_t i = 0; i < 20000; ++i) {
        char number[80], text[200];
        double x = (rw_random_uniform(SEED, 2 * i) - 0.5) * pow(10, (double)(rw_random_u64(SEED, 2 * i + 1) % 60) - 30),
               want;
        snprintf(number, sizeof number, i % 3 ? "%.*e" : "%.*f", (int)(i % 23), x);
        if (i % 7 == 0)
            snprintf(number, sizeof number, "%llu%llu.5e-%d", (unsigned long long)(i * 977 + 1),
                     (unsigned long long)rw_random_u64(SEED, i), (int)(i % 330));
        want = strtod(number, NULL);
        if (i % 4 == 0 && strchr(number, 'e')) *strchr(number, 'e') = i % 8 ? 'D' : 'd'; /* as Fortran writes it */
        snprintf(text, sizeof text, "%sarray real general\n1 1\n%s\n", MM, number);
        rw_mtx m;
        parse(text, &m);
        if (memcmp(m.value, &want, 8)) fail_msg("%s is %.17g, expected %.17g", number, m.value[0], want);
        rw_mtx_free(&m);
    }
}

/* Numbers of 400 digits, Fortran's exponents without a letter, integers beyond 2^53. */
static void test_long_numbers(void **state)
{
    static const struct {
        const char *text, *as_c;
    } exponents[] = {{"1.5-3", "1.5e-3"},
                     {"-2.25+101", "-2.25e101"},
                     {".5-300", ".5e-300"},
                     {"+7-2", "7e-2"},
                     {"1.25Q3", "1.25e3"}};
    char number[420], text[600];
    rw_mtx m;
    (void)state;
    for (int digits = 30; digits <= 400; digits += 37) {
        for (int i = 0; i < digits; ++i) number[i] = (char)(i == 1 ? '.' : '0' + (i * 7 + 3) % 10);
        snprintf(number + digits, sizeof number - (size_t)digits, "e%d", digits % 2 ? -20 : 30);
        snprintf(text, sizeof text, "%sarray real general\n1 1\n%s\n", MM, number);
        parse(text, &m);
        const double want = strtod(number, NULL);
        if (memcmp(m.value, &want, 8)) fail_msg("%d digits: %.17g, expected %.17g", digits, m.value[0], want);
        rw_mtx_free(&m);
    }
    for (int i = 0; i < RW_COUNT(exponents); ++i) {
        snprintf(text, sizeof text, "%sarray real general\n1 1\n%s\n", MM, exponents[i].text);
        parse(text, &m);
        if (m.value[0] != strtod(exponents[i].as_c, NULL)) fail_msg("%s is %.17g", exponents[i].text, m.value[0]);
        rw_mtx_free(&m);
    }
    snprintf(text, sizeof text, "%sarray integer general\n2 1\n-9223372036854775807\n9007199254740994\n", MM);
    parse(text, &m);
    assert_true(m.value[0] == -9223372036854775807.0 && m.value[1] == 9007199254740994.0);
    rw_mtx_free(&m);
}

static void test_round_trip(void **state)
{
    (void)state;
    char path[] = "/tmp/rechenwerk-mtx-XXXXXX";
    close(mkstemp(path));
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        int64_t rows = 1 + (int64_t)(rw_random_u64(seed, 0) % 20), columns = 1 + (int64_t)(rw_random_u64(seed, 1) % 20);
        bool is_complex = seed & 1, dense = seed % 3 == 0;
        int64_t row[400], column[400], n = 0;
        double value[800];
        for (int64_t i = 0; i < rows * columns; ++i) { /* arrays column after column, entries row after row */
            const int64_t r = dense ? i % rows : i / columns, c = dense ? i / rows : i % columns;
            if (!dense && rw_random_uniform(seed, (uint64_t)(2 + c * rows + r)) > 0.3) continue;
            row[n] = r, column[n] = c;
            for (int part = 0; part <= is_complex; ++part)
                value[n * (1 + is_complex) + part] =
                    exp(40 * rw_random_uniform(seed, 1000 + (uint64_t)(2 * n + part)) - 20) * (n % 2 ? -1 : 1);
            ++n;
        }
        const rw_mtx m = {rows, columns, n, is_complex, dense, dense ? NULL : row, dense ? NULL : column, value};
        rw_mtx back;
        assert_int_equal(rw_mtx_write(ctx, path, &m), RW_OK);
        if (rw_mtx_read(ctx, path, false, &back) != RW_OK) fail_msg("%s", rw_message(ctx));
        assert_true(back.rows == rows && back.columns == columns && back.n == n && back.is_complex == is_complex &&
                    back.dense == dense);
        if (n) assert_memory_equal(back.value, value, (size_t)n * (1 + is_complex) * sizeof(double));
        if (!dense && n)
            assert_memory_equal(back.row, row, (size_t)n * sizeof *row),
                assert_memory_equal(back.column, column, (size_t)n * sizeof *column);
        rw_mtx_free(&back);
    }
    enum { MANY = 5000 }; /* memory grows several times while they are read */
    int64_t *place = malloc(MANY * sizeof *place);
    double *both = malloc(2 * MANY * sizeof *both);
    for (int64_t i = 0; i < MANY; ++i) place[i] = i, both[2 * i] = (double)i, both[2 * i + 1] = -0.5 * (double)i;
    rw_mtx m = {MANY, MANY, MANY, true, false, place, place, both}, many;
    assert_int_equal(rw_mtx_write(ctx, path, &m), RW_OK);
    assert_int_equal(rw_mtx_read(ctx, path, false, &many), RW_OK);
    assert_true(many.n == MANY && !memcmp(many.value, both, 2 * MANY * sizeof *both) &&
                !memcmp(many.row, place, MANY * sizeof *place) && !memcmp(many.column, place, MANY * sizeof *place));
    rw_mtx_free(&many);
    free(place), free(both);
    unlink(path);
    assert_int_equal(rw_mtx_read(ctx, path, false, &m), RW_ERR_FILE);
}

#define GENERAL MM "coordinate real general\n"
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] =
        {{"", "m.mtx:1: not a Matrix Market file: it must begin with a line such as '%%MatrixMarket matrix coordinate "
              "real general'"},
         {"3 3 3\n", "m.mtx:1: not a Matrix Market file"},
         {"%%MatrixMarketmatrix coordinate real general\n1 1 0\n", "m.mtx:1: not a Matrix Market file"},
         {"%%MatrixMarket vector coordinate real general\n", "m.mtx:1: the object = 'vector' is none of matrix"},
         {MM "sparse real general\n", "the format = 'sparse' is none of coordinate, array"},
         {MM "coordinate double general\n", "the field = 'double' is none of real, integer, complex, pattern"},
         {MM "coordinate real\n", "the symmetry = '' is none of general, symmetric, skew-symmetric, hermitian"},
         {MM "coordinate real general 3\n", "m.mtx:1: unexpected '3' in this line"},
         {MM "array pattern general\n", "an array has values"},
         {MM "coordinate real hermitian\n", "a hermitian matrix is complex"},
         {MM "coordinate pattern skew-symmetric\n", "a skew-symmetric matrix has values"},
         {GENERAL, "m.mtx:2: the file ends where its sizes are expected: it is truncated"},
         {GENERAL "% only\n% comments", "the file ends where its sizes are expected"},
         {GENERAL "3 3\n", "m.mtx:2: the number of entries is missing"},
         {GENERAL "3 -3 1\n", "the number of columns: '-3' is not an integer of at least 0"},
         {GENERAL "3 3.0 1\n", "the number of columns: '3.0' is not an integer"},
         {GENERAL "3 99999999999999999999 1\n",
          "the number of columns = 99999999999999999999 is outside [0, 9007199254740992]"},
         {GENERAL "2 2 5\n", "the number of entries = 5 is outside [0, 4]"},
         {GENERAL "2 2 1 7\n", "unexpected '7' in this line"},
         {MM "array real general\n9000000000 9000000000\n", "an array of 9000000000 x 9000000000 is too large"},
         {MM "array real symmetric\n2 3\n", "a matrix of 2 x 3 cannot be symmetric"},
         {GENERAL "2 2 2\n1 1 1\n", "m.mtx:4: the file ends after 1 of 2 entries: it is truncated"},
         {GENERAL "2 2 1\n\n3 1 1\n", "m.mtx:4: the row = 3 is outside [1, 2]"},
         {GENERAL "2 2 1\n1 0 1\n",
          "m.mtx:3: the column = 0 is outside [1, 2]: a Matrix Market file counts from 1; add 1 to rows and columns "
          "that are counted from 0"},
         {GENERAL "2 2 2\n1 1 1\n% comment\n0 1 1\n", "m.mtx:5: the row = 0 is outside [1, 2]"},
         {GENERAL "2 2 2\n1 1 1\n% comment\n\n1 1 1\n", "m.mtx:6: entry (1, 1) is given twice, first in line 3"},
         {GENERAL "2 2 1\n1 1\n", "m.mtx:3: the value is missing"},
         {GENERAL "2 2 1\n1 1 one\n", "the value: 'one' is not a number"},
         {GENERAL "2 2 1\n1 1 1.2.3\n", "the value: '1.2.3' is not a number"},
         {GENERAL "2 2 1\n1 1 1.5D-3x\n", "the value: '1.5D-3x' is not a number"},
         {GENERAL "2 2 1\n1 1 1.5D\n", "the value: '1.5D' is not a number"},
         {GENERAL "2 2 1\n1 1 1.5-3x\n", "the value: '1.5-3x' is not a number"},
         {GENERAL "2 2 1\n1 1 -+3\n", "the value: '-+3' is not a number"},
         {"\x1f\x8b\x08 compressed", "compressed by gzip, which is not supported: run gunzip first"},
         {GENERAL "2 2 1\n1 1 D5\n", "the value: 'D5' is not a number"},
         {GENERAL "2 2 1\n1 1 -1D400\n", "the value = -1D400: values must be finite"},
         {GENERAL "2 2 1\n1 1 nan\n", "the value = nan: values must be finite"},
         {GENERAL "2 2 1\n1 1 1e999\n", "the value = 1e999: values must be finite"},
         {GENERAL "2 2 1\n1 1 1 2\n", "unexpected '2' in this line"},
         {GENERAL "2 2 1\n1 1 1\n% end\n2 2 1\n", "m.mtx:5: more lines than the 1 entries declared by the sizes"},
         {GENERAL "2 2 3\n1 1 1\n2 2 1\n\n1 1 3\n", "m.mtx:6: entry (1, 1) is given twice, first in line 3"},
         {MM "coordinate complex general\n2 2 1\n1 1 1\n", "the imaginary part is missing"},
         {MM "coordinate integer general\n2 2 1\n1 1 1.5\n", "the value: '1.5' is not an integer"},
         {MM "coordinate integer general\n2 2 1\n1 1 - 5\n", "the value is a sign without digits"},
         {MM "coordinate pattern general\n2 2 1\n1 1 1\n", "unexpected '1' in this line"},
         {MM "coordinate real symmetric\n2 2 1\n1 2 1\n",
          "m.mtx:3: entry (1, 2) is above the diagonal: a symmetric matrix stores the lower triangle"},
         {MM "coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
          "entry (1, 1): the diagonal of a skew-symmetric matrix is 0 and must be omitted"},
         {MM "coordinate complex hermitian\n2 2 1\n2 2 1 1\n",
          "entry (2, 2) has the imaginary part 1: the diagonal of a hermitian matrix is real"},
         {MM "array complex hermitian\n1 1\n1 1\n",
          "entry (1, 1) has the imaginary part 1: the diagonal of a hermitian matrix is real"},
         {MM "array real general\n2 2\n1\n2\n3\n", "m.mtx:6: the file ends after 3 of 4 values: it is truncated"},
         {MM "array real general\n1 1\n1\n2\n", "m.mtx:4: more lines than the 1 values"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_mtx m;
        memset(&m, 1, sizeof m);
        rw_status status = rw_mtx_parse(ctx, "m.mtx", rows[i].text, strlen(rows[i].text), &m);
        if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("%s\n%s: %s\nexpected %s", rows[i].text, rw_status_name(status), rw_message(ctx), rows[i].message);
        assert_true(!m.value && !m.row && !m.column && !m.n);
    }
}

/* Files cut anywhere and with a byte changed are read or refused; the sizes alone take no memory. */
static void test_broken(void **state)
{
    (void)state;
    static const char text[] =
        MM "coordinate complex hermitian\n% c\n4 4 5\n1 1 1.25e3 0\n2 1 2 -5\n3 2 3 6\n4 4 1e-3 0\n4 1 7 8\n";
    static const char bytes[] = "0123456789 \n.-+eE%\t\rax\x80";
    int read = 0;
    char copy[sizeof text];
    rw_mtx m;
    for (size_t n = 0; n < sizeof text; ++n) {
        memcpy(copy, text, n), copy[n] = 0;
        rw_status status = rw_mtx_parse(ctx, "cut", copy, n, &m);
        assert_true(status == RW_ERR_INPUT || (status == RW_OK && n >= sizeof text - 2));
        rw_mtx_free(&m);
    }
    for (uint64_t i = 0; i < 100000; ++i) {
        memcpy(copy, text, sizeof text);
        for (int k = 0; k <= (int)(i % 3); ++k)
            copy[rw_random_u64(5, 8 * i + (uint64_t)k) % (sizeof text - 1)] =
                bytes[rw_random_u64(6, 8 * i + (uint64_t)k) % (sizeof bytes - 1)];
        rw_status status = rw_mtx_parse(ctx, "broken", copy, sizeof text - 1, &m);
        assert_true(status == RW_OK || status == RW_ERR_INPUT);
        for (int64_t e = 0; e < m.n; ++e)
            assert_true(m.dense || (m.row[e] >= 0 && m.row[e] < m.rows && m.column[e] >= 0 && m.column[e] < m.columns &&
                                    isfinite(m.value[2 * e * m.is_complex])));
        read += status == RW_OK;
        rw_mtx_free(&m);
    }
    assert_in_range(read, 1000, 90000);
    static const char huge[] = GENERAL "9007199254740992 9007199254740992 9007199254740992\n1 1 1\n";
    assert_int_equal(rw_mtx_parse(ctx, "huge", huge, strlen(huge), &m), RW_ERR_INPUT);
    static const char wide[] =
        GENERAL "9007199254740992 9007199254740992 2\n9007199254740992 1 1\n1 9007199254740992 2\n";
    parse(wide, &m);
    assert_int_equal(m.n, 2);
    rw_mtx_free(&m);
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {MM "coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 3\n",
                                        MM "array complex hermitian\n2 2\n1 0\n2 5\n4 0\n"};
    for (int i = 0; i < RW_COUNT(texts); ++i)
        for (long n = 1;; ++n) {
            rw_mtx m;
            rw_fault_set(RW_FAULT_ALLOC, n);
            rw_status status = rw_mtx_parse(ctx, "m", texts[i], strlen(texts[i]), &m);
            bool met = rw_fault_events(RW_FAULT_ALLOC) >= n;
            rw_fault_set(RW_FAULT_ALLOC, 0);
            assert_int_equal(status, met ? RW_ERR_MEMORY : RW_OK);
            rw_mtx_free(&m);
            if (!met) break;
        }
}

static int begin(void **state) { return (void)state, rw_context_create(&ctx); }
static int end(void **state) { return (void)state, rw_context_destroy(&ctx), 0; }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),        cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_long_numbers), cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_refused),      cmocka_unit_test(test_broken),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("mtx", tests, begin, end);
}
