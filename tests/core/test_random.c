/* Random numbers: bits fixed for all time, and plain statistics.
 *
 * The integers come from a separate program in Python that reproduces the known answers of the Random123 library. The
 * seeds are fixed: a statistical test passes always or never. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_bits),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
