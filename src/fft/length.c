#include "fft/length.h"

#include <limits.h>
#include <math.h>

/* Sizes of codelets that divide n, the largest first; the product with the least sum so far. */
typedef struct search {
    int nsizes, sizes[64], least, now[RW_FFT_STAGES], best[RW_FFT_STAGES];
} search;

static void find_sizes(search *s, int64_t n, int most)
{
    for (int r = most > RW_FFT_PRIME_MOST ? most : RW_FFT_PRIME_MOST; r > 1; --r) {
        bool prime = true;
        for (int d = 2; n % r == 0 && r > most && d * d <= r; ++d) prime = prime && r % d;
        if (n % r == 0 && (r <= most || prime)) s->sizes[s->nsizes++] = r;
    }
}

/* n as k sizes from `first` on. */
static void try_factors(search *s, int64_t n, int k, int count, int first, int sum)
{
    for (int i = first; i < s->nsizes && k; ++i) {
        const int r = s->sizes[i];
        double most = 1;
        for (int j = 0; j < k; ++j) most *= r;
        if (most < (double)n) return;
        if (n % r || sum + r >= s->least) continue;
        s->now[count] = r;
        try_factors(s, n / r, k - 1, count + 1, i, sum + r);
    }
    if (k || n != 1) return;
    s->least = sum;
    for (int i = 0; i < count; ++i) s->best[i] = s->now[i];
}

/* As few factors as possible, as equal as possible: an item of a GPU then has the same number of points in every
 * stage. */
int rw_fft_factors(int64_t n, int most, int radix[RW_FFT_STAGES])
{
    search s = {.least = INT_MAX};
    int64_t rest = n;
    for (int p = 2; p <= RW_FFT_PRIME_MOST; ++p)
        while (rest % p == 0) rest /= p;
    if (rest > 1 || n < 1) return 0;
    if (n == 1) return radix[0] = 1;
    find_sizes(&s, n, most);
    for (int k = 1; k <= RW_FFT_STAGES; ++k) {
        try_factors(&s, n, k, 0, 0, 0);
        if (s.least == INT_MAX) continue;
        for (int i = 0; i < k; ++i) radix[i] = s.best[i];
        return k;
    }
    return 0;
}

/* GPU: the registers of each quarter of a unit hold what an item keeps, computes with and loads ahead. */
static bool fits(const rw_fft_share *s, bool f64)
{
    const int warps = (s->items + 31) / 32, registers = 512 / ((warps + 3) / 4);
    return s->values * (f64 ? 4 : 2) + (f64 ? 64 : 48) <= registers;
}

rw_fft_share rw_fft_share_of(int64_t n, const int *radix, int stages, int most, bool f64)
{
    enum { SHORT = 64 }; /* several lines are in flight instead */
    const int most_values = f64 ? 32 : 64;
    rw_fft_share first = {0, 0};
    for (int values = radix[0] > 8 || f64 || n <= SHORT ? radix[0] : radix[0] * (16 / radix[0]);; values += radix[0]) {
        int64_t items = 1;
        for (int s = 0; s < stages; ++s) {
            const int64_t codelets = n / radix[s], each = values / radix[s];
            if ((codelets + each - 1) / each > items) items = (codelets + each - 1) / each;
        }
        if (items > most && values < n) continue;
        const rw_fft_share share = {(int)(items < most ? items : most), values};
        if (!first.items) first = share;
        if (fits(&share, f64)) return share;
        if (values + radix[0] > most_values || values >= n) return first;
    }
}

/* Reads, writes and operations of a codelet, for each point; infinite where it has a factor beyond 13, which costs too
 * much. */
static double cost_of_codelet(int r, bool gpu)
{
    double cost = 4;
    for (int p = 2; p <= 13; ++p)
        for (; r % p == 0; r /= p) cost += p == 2 ? 1.5 : gpu ? 0.9 * p : 1 + 0.5 * p;
    return r > 1 ? INFINITY : cost;
}

/* On a GPU as the number of instructions is, with items that have nothing to do in a stage, and registers that it does
 * not have. */
static double cost_with(const rw_fft_target *t, int64_t n, int most)
{
    int radix[RW_FFT_STAGES];
    const int stages = rw_fft_factors(n, most, radix);
    double cost = stages ? 0 : INFINITY;
    const bool one = t->items && n <= t->points;
    const rw_fft_share share =
        stages && one ? rw_fft_share_of(n, radix, stages, t->items, t->f64) : (rw_fft_share){1, 1};
    for (int s = 0; s < stages; ++s) {
        const int64_t codelets = n / radix[s], each = (codelets + share.items - 1) / share.items;
        if (one)
            cost += (cost_of_codelet(radix[s], true) + 8. / share.values) * (double)(each * share.items * radix[s]);
        else cost += cost_of_codelet(radix[s], false) * (double)n;
    }
    if (!t->items) return cost;
    if (n > t->points)
        return n % (16 * 16) ? 1.3 * cost : cost; /* several passes, whose lines are to be whole sectors */
    return fits(&share, t->f64) ? cost : 1.5 * cost;
}

double rw_fft_cost(const rw_fft_target *t, int64_t n, int *radix)
{
    static const int sizes[] = {RW_FFT_RADIX, 20, 24, 32};
    double least = INFINITY;
    *radix = RW_FFT_RADIX;
    for (int i = 0; i < (t->items && n <= t->points ? 4 : 1); ++i) {
        const double cost = cost_with(t, n, sizes[i]);
        if (cost < least) {
            least = cost;
            *radix = sizes[i];
        }
    }
    return least;
}

typedef struct cheapest {
    const rw_fft_target *target;
    int64_t n, best;
    double cost;
} cheapest;

/* Products of `m`, primes from the table on and powers of two that are at least n and below 2 n. */
static void try_products(cheapest *c, int64_t m, int prime)
{
    static const int primes[] = {3, 5, 7, 11, 13};
    int radix;
    int64_t even = m;
    while (even < c->n) even *= 2;
    const double cost = rw_fft_cost(c->target, even, &radix);
    if (cost < c->cost || (cost == c->cost && even < c->best)) {
        c->cost = cost;
        c->best = even;
    }
    for (int i = prime; i < (int)(sizeof primes / sizeof *primes); ++i)
        if (m * primes[i] < 2 * c->n) try_products(c, m * primes[i], i);
}

int64_t rw_fft_smooth(const rw_fft_target *t, int64_t n)
{
    cheapest c = {t, n < 1 ? 1 : n, 1, INFINITY};
    try_products(&c, 1, 0);
    return c.best;
}

static bool is_prime(int64_t n)
{
    if (n < 2) return false;
    for (int64_t d = 2; d * d <= n; ++d)
        if (n % d == 0) return false;
    return true;
}

rw_fft_method rw_fft_length(const rw_fft_target *t, int64_t n, int64_t *points)
{
    int radix[RW_FFT_STAGES], largest;
    *points = n;
    if (rw_fft_factors(n, RW_FFT_RADIX, radix)) return RW_FFT_STOCKHAM;
    const int64_t longer = rw_fft_smooth(t, 2 * n - 1);
    if (is_prime(n) && rw_fft_cost(t, n - 1, &largest) < rw_fft_cost(t, longer, &largest)) {
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
        const double away = fabs(log((double)d * (double)d / (double)n)),
                     odd = d % 16 || n / d % 16 ? 1 : 0; /* lines of whole sectors */
        if (away + odd < best) {
            best = away + odd;
            *a = d;
            *b = n / d;
        }
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
