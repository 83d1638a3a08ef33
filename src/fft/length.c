#include "fft/length.h"

#include <math.h>
#include <stdlib.h>

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

/* Powers of two are shared evenly among as few stages as possible; other primes join while a product stays below `most`. */
int rw_fft_factors(int64_t n, int most, int radix[RW_FFT_STAGES])
{
    int stages = 0, twos = 0, bits = 0;
    while (2 << bits <= most) ++bits;
    for (; n % 2 == 0; n /= 2) ++twos;
    for (int p = 3; p <= RW_FFT_PRIME_MOST; p += 2)
        for (; n % p == 0; n /= p) {
            const bool joins = stages && radix[stages - 1] * p <= most;
            if (joins) radix[stages - 1] *= p;
            else radix[stages++] = p;
        }
    if (n > 1) return 0;
    for (int s = 0; s < stages && twos; ++s)
        while (twos && 2 * radix[s] <= most) radix[s] *= 2, --twos;
    for (int left = (twos + bits - 1) / bits; left > 0; --left) {
        const int share = (twos + left - 1) / left;
        radix[stages++] = 1 << share, twos -= share;
    }
    if (!stages) radix[stages++] = 1;
    qsort(radix, (size_t)stages, sizeof *radix, descending);
    return stages;
}

/* Operations and stages of n points, roughly; infinite where it has a factor beyond 13, which costs too much. */
static double cost_of(int64_t n)
{
    int radix[RW_FFT_STAGES];
    const int stages = rw_fft_factors(n, RW_FFT_RADIX, radix);
    double cost = 0;
    for (int s = 0; s < stages; ++s) {
        int rest = radix[s];
        cost += 4;
        for (int p = 2; p <= 13; ++p)
            for (; rest % p == 0; rest /= p) cost += p == 2 ? 1.5 : 1 + 0.5 * p;
        if (rest > 1) return INFINITY;
    }
    return stages ? cost * (double)n : INFINITY;
}

/* Products of `m`, primes from the table on and powers of two that are at least n and below 2 n: the cheapest. */
static void try_products(int64_t n, int64_t m, int prime, double *least, int64_t *best)
{
    static const int primes[] = {3, 5, 7, 11, 13};
    int64_t even = m;
    while (even < n) even *= 2;
    const double cost = cost_of(even);
    if (cost < *least || (cost == *least && even < *best)) *least = cost, *best = even;
    for (int i = prime; i < (int)(sizeof primes / sizeof *primes); ++i)
        if (m * primes[i] < 2 * n) try_products(n, m * primes[i], i, least, best);
}

int64_t rw_fft_smooth(int64_t n)
{
    double least = INFINITY;
    int64_t best = 1;
    try_products(n < 1 ? 1 : n, 1, 0, &least, &best);
    return best;
}

static bool is_prime(int64_t n)
{
    if (n < 2) return false;
    for (int64_t d = 2; d * d <= n; ++d)
        if (n % d == 0) return false;
    return true;
}

rw_fft_method rw_fft_length(int64_t n, int64_t *points)
{
    int radix[RW_FFT_STAGES];
    *points = n;
    if (rw_fft_factors(n, RW_FFT_RADIX, radix)) return RW_FFT_STOCKHAM;
    const int64_t longer = rw_fft_smooth(2 * n - 1);
    if (is_prime(n) && cost_of(n - 1) < cost_of(longer)) {
        *points = n - 1;
        return RW_FFT_RADER;
    }
    *points = longer;
    return RW_FFT_BLUESTEIN;
}

bool rw_fft_split(int64_t n, int64_t most, int64_t *a, int64_t *b)
{
    int radix[RW_FFT_STAGES];
    double best = INFINITY;
    if (!rw_fft_factors(n, RW_FFT_RADIX, radix)) return false;
    for (int64_t d = 2; d <= most && d <= n / 2; ++d) {
        if (n % d || n / d > most) continue;
        const double away = fabs(log((double)d * (double)d / (double)n)), odd = d % 16 || n / d % 16 ? 1 : 0; /* lines of whole sectors */
        if (away + odd < best) best = away + odd, *a = d, *b = n / d;
    }
    return best < INFINITY;
}

static int64_t power_of(int64_t g, int64_t e, int64_t p)
{
    int64_t r = 1;
    for (; e; e /= 2, g = (int64_t)((__int128)g * g % p))
        if (e % 2) r = (int64_t)((__int128)r * g % p);
    return r;
}

int64_t rw_fft_generator(int64_t p)
{
    int64_t prime[16];
    int n = 0;
    for (int64_t d = 2, rest = p - 1; rest > 1; ++d) {
        if (d * d > rest) d = rest;
        if (rest % d == 0) prime[n++] = d;
        while (rest % d == 0) rest /= d;
    }
    for (int64_t g = 2;; ++g) {
        bool generates = true;
        for (int i = 0; i < n && generates; ++i) generates = power_of(g, (p - 1) / prime[i], p) != 1;
        if (generates || p <= 3) return p == 2 ? 1 : g;
    }
}
