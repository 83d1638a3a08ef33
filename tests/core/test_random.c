/* Random numbers: bits fixed for all time, the normal against exact quantiles, and plain statistics.
 *
 * The integers come from a separate program in Python that reproduces the known answers of the Random123 library; the
 * normals' bits from AS 241 in Python's doubles, the decimals from 40-digit arithmetic (mpmath). The seeds are fixed:
 * a statistical test passes always or never. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/core.h"

#define SAMPLES 400000

static void test_fixed_bits(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, index, bits;
        double uniform;
    } rows[] = {
        {0, 0, 0xe169c58d6627e8d5, 0x1.c2d38b1acc4fdp-1}, /* Random123, kat_vectors: 6627e8d5 e169c58d */
        {0, 1, 0x5cb200dbf8e4cca4, 0x1.72c8036fe3932p-2},
        {1, 0, 0xe50a0ebce3e80670, 0x1.ca141d79c7d00p-1},
        {42, 7, 0x68784c855bbd83b1, 0x1.a1e132156ef60p-2},
        {UINT64_MAX, UINT64_MAX, 0x430ac65a4d18d7d2, 0x1.0c2b196934634p-2},
        {0x299f31d0a4093822, 0x85a308d3243f6a88, 0xb5a3d762e69c9c31, 0x1.6b47aec5cd393p-1},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        assert_true(rw_random_u64(rows[i].seed, rows[i].index) == rows[i].bits);
        assert_true(rw_random_uniform(rows[i].seed, rows[i].index) == rows[i].uniform);
    }
}

/* Centre, middle and tail of the approximation; the indices of the tail were found by search. */
static void test_fixed_normals(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, index;
        double bits, exact;
    } rows[] = {
        {0, 0, 0x1.2d769e93cb51fp+0, 1.1775912390542729487},
        {42, 7, -0x1.dc1a6a63ac5afp-3, -0.23247225872687018506},
        {1, 0, 0x1.407827c9b8c2dp+0, 1.2518334262356446732},
        {5, 92302, -0x1.24be2be346b26p+2, -4.5741071433538193473},
        {5, 183280, -0x1.147420326d561p+2, -4.3195877544834233838},
        {5, 10445965789, -0x1.ae5d9231c3ca9p+2, -6.7244611249908899655},
        {5, 27028171831, 0x1.ab65388e49ba9p+2, 6.6780530347377096333},
        {5, 32745499529, 0x1.b35885dce19bep+2, 6.8022780091327480006},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        double z = rw_random_normal(rows[i].seed, rows[i].index);
        assert_true(fabs(z - rows[i].exact) <= 4e-16 * fabs(rows[i].exact)); /* two units in the last place */
        assert_true(z == rows[i].bits);
    }
}

/* Mean 1/2, variance 1/12, 256 equal bins, no correlation of neighbours; five standard deviations each. */
static void test_uniform(void **state)
{
    (void)state;
    enum { BINS = 256 };
    for (uint64_t seed = 0; seed < 3; seed++) {
        double sum = 0, squares = 0, products = 0, before = 0.5, chi2 = 0;
        int bins[BINS] = {0};
        for (uint64_t i = 0; i < SAMPLES; i++) {
            double u = rw_random_uniform(seed, i);
            assert_true(u >= 0 && u < 1);
            bins[(int)(u * BINS)]++;
            sum += u - 0.5, squares += (u - 0.5) * (u - 0.5), products += (u - 0.5) * (before - 0.5);
            before = u;
        }
        double n = SAMPLES;
        assert_true(fabs(sum / n) < 5 * sqrt(1 / 12.0 / n));
        assert_true(fabs(squares / n - 1 / 12.0) < 5 * sqrt(1 / 180.0 / n)); /* variance of (u - 1/2)^2 is 1/180 */
        assert_true(fabs(products / n) < 5 / 12.0 / sqrt(n));
        for (int b = 0; b < BINS; b++) chi2 += (bins[b] - n / BINS) * (bins[b] - n / BINS) / (n / BINS);
        assert_true(fabs(chi2 - (BINS - 1)) < 5 * sqrt(2.0 * (BINS - 1)));
    }
}

/* Each of the 64 bits is 1 half the time, also between seeds that differ by one, and flips half the time. */
static void test_bits(void **state)
{
    (void)state;
    enum { N = 100000 };
    int ones[64] = {0}, flips[64] = {0};
    for (uint64_t i = 0; i < N; i++) {
        uint64_t x = rw_random_u64(i, 0), y = rw_random_u64(i, 1);
        for (int b = 0; b < 64; b++) ones[b] += (int)(x >> b & 1), flips[b] += (int)((x ^ y) >> b & 1);
    }
    for (int b = 0; b < 64; b++) {
        assert_true(abs(ones[b] - N / 2) < 5 * 158); /* sqrt(N)/2 = 158 */
        assert_true(abs(flips[b] - N / 2) < 5 * 158);
    }
}

/* Moments 0, 1, 0, 3 and the largest distance to the distribution (Kolmogorov: 2.2 / sqrt(n) has probability 1e-4). */
static void test_normal(void **state)
{
    (void)state;
    enum { BINS = 1000 };
    static int below[BINS];
    double n = SAMPLES, m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double z = rw_random_normal(7, i);
        m1 += z, m2 += z * z, m3 += z * z * z, m4 += z * z * z * z;
        below[(int)(0.5 * erfc(-z / sqrt(2)) * BINS)]++;
    }
    assert_true(fabs(m1 / n) < 5 * sqrt(1 / n));
    assert_true(fabs(m2 / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(m3 / n) < 5 * sqrt(15 / n));
    assert_true(fabs(m4 / n - 3) < 5 * sqrt(96 / n));
    double sum = 0, worst = 0;
    for (int b = 0; b < BINS; b++) {
        sum += below[b];
        worst = fmax(worst, fabs(sum / n - (b + 1.0) / BINS));
    }
    assert_true(worst < 2.2 / sqrt(n));
}

/* The distribution function of the normal gives back the number that it was made of. */
static void test_normal_is_the_inverse(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        double p = ((double)(rw_random_u64(9, i) >> 12) + 0.5) * 0x1p-52, z = rw_random_normal(9, i);
        double tail = p < 0.5 ? p : 1 - p, again = 0.5 * erfc(fabs(z) / sqrt(2));
        assert_true(fabs(again - tail) <= 1e-14 * tail);
        assert_true((z < 0) == (p < 0.5));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_bits), cmocka_unit_test(test_fixed_normals),
        cmocka_unit_test(test_uniform),    cmocka_unit_test(test_bits),
        cmocka_unit_test(test_normal),     cmocka_unit_test(test_normal_is_the_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
