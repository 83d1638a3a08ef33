/* Small transforms. Which form a size takes:
 *
 *   2, 4 and powers of two    halves and quarters (Cooley and Tukey), products with the eighth roots by one constant
 *   odd primes                pairs x[j] ± x[p-j]: (p-1)/2 cosines and sines of each of as many sums
 *   r m without common factor the two-dimensional transform (Good and Thomas), no factors between
 *   other composites          r transforms of m, factors, m transforms of r (Cooley and Tukey)
 *
 * Sources: Cooley and Tukey, Math. Comp. 19 (1965); Good, J. R. Statist. Soc. B 20 (1958); the pairing as in Singleton,
 * IEEE Trans. AU-17 (1969). */
#include <math.h>
#include <stdlib.h>

#include "codelet/codelet.h"

/* A real value: the number of its variable, and a sign that is carried along until an operation takes it. */
typedef struct value {
    int variable;
    bool negative;
} value;
typedef struct point {
    value re, im;
} point;

typedef struct writer {
    rw_text *t;
    const char *real;
    bool inverse;
    int next; /* variable */
    rw_codelet_cost cost;
    double constant[4 * RW_CODELET_MOST];
} writer;

static const char *sign(value v) { return v.negative ? "-" : ""; }
static value negated(value v) { return (value){v.variable, !v.negative}; }
static point times_minus_i(point p) { return (point){p.im, negated(p.re)}; }
static point opposite(point p) { return (point){negated(p.re), negated(p.im)}; }

static value add(writer *w, value a, value b)
{
    const value v = {w->next++, a.negative && b.negative};
    if (v.negative || (!a.negative && !b.negative))
        rw_text_add(w->t, "    const %s t%d = t%d + t%d;\n", w->real, v.variable, a.variable, b.variable);
    else if (b.negative)
        rw_text_add(w->t, "    const %s t%d = t%d - t%d;\n", w->real, v.variable, a.variable, b.variable);
    else rw_text_add(w->t, "    const %s t%d = t%d - t%d;\n", w->real, v.variable, b.variable, a.variable);
    w->cost.adds++;
    return v;
}

static point sum(writer *w, point a, point b) { return (point){add(w, a.re, b.re), add(w, a.im, b.im)}; }
static point difference(writer *w, point a, point b) { return sum(w, a, opposite(b)); }

/* "((f32)0.70710678118654757)", c > 0; counted once. */
static void add_constant(writer *w, double c)
{
    int i = 0;
    while (i < w->cost.constants && w->constant[i] != c) ++i;
    if (i == w->cost.constants && i < RW_COUNT(w->constant)) w->constant[w->cost.constants++] = c;
    rw_text_add(w->t, "(%s)%.17g", w->real, c);
}

/* c v */
static value scaled(writer *w, double c, value v)
{
    if (fabs(c) == 1) return c < 0 ? negated(v) : v;
    const value s = {w->next++, v.negative != (c < 0)};
    rw_text_add(w->t, "    const %s t%d = ", w->real, s.variable);
    add_constant(w, fabs(c));
    rw_text_add(w->t, " * t%d;\n", v.variable);
    w->cost.products++;
    return s;
}

/* c v + a */
static value fused(writer *w, double c, value v, value a)
{
    if (c == 0) return a;
    if (fabs(c) == 1) return add(w, c < 0 ? negated(v) : v, a);
    const value s = {w->next++, false};
    const bool minus = v.negative != (c < 0);
    rw_text_add(w->t, "    const %s t%d = FMA(%s", w->real, s.variable, minus ? "-" : "");
    add_constant(w, fabs(c));
    rw_text_add(w->t, ", t%d, %st%d);\n", v.variable, sign(a), a.variable);
    w->cost.fmas++;
    return s;
}

/* cos and -sin of 2 pi k / n, exact where they are 0, 1/2 or 1. */
static void root(int k, int n, bool inverse, double *c, double *s)
{
    static const long double two_pi = 6.283185307179586476925286766559005768L;
    int quarter = 0;
    for (k %= n; n % 4 == 0 && 4 * k > n; k -= n / 4) ++quarter;
    const long double angle = two_pi * k / n;
    long double x = cosl(angle), y = sinl(angle), t;
    if (2 * k == n) {
        x = -1;
        y = 0;
    }
    if (4 * k == n) {
        x = 0;
        y = 1;
    }
    if (8 * k == n) x = y = sqrtl(0.5L);
    if (12 * k == n) y = 0.5L;
    if (6 * k == n) x = 0.5L;
    for (; quarter > 0; --quarter) {
        t = x;
        x = -y;
        y = t;
    }
    *c = (double)x;
    *s = (double)(inverse ? y : -y);
}

/* p exp(-+2 pi i k / n) */
static point turned(writer *w, point p, int k, int n)
{
    double c, s;
    root(k, n, w->inverse, &c, &s);
    if (s == 0) return c < 0 ? opposite(p) : p;
    if (c == 0) return s < 0 ? times_minus_i(p) : opposite(times_minus_i(p));
    if (fabs(c) == fabs(s)) { /* (1 -+ i) h */
        const point q = {c < 0 ? negated(p.re) : p.re, c < 0 ? negated(p.im) : p.im};
        const bool minus = (s < 0) == (c > 0);
        const value re = add(w, q.re, minus ? q.im : negated(q.im)), im = add(w, q.im, minus ? negated(q.re) : q.re);
        return (point){scaled(w, fabs(c), re), scaled(w, fabs(c), im)};
    }
    const value a = scaled(w, s, p.im), b = scaled(w, s, p.re);
    return (point){fused(w, c, p.re, negated(a)), fused(w, c, p.im, b)};
}

static void dft(writer *w, int n, point *x);

static void dft_2(writer *w, point *x)
{
    const point a = x[0], b = x[1];
    x[0] = sum(w, a, b);
    x[1] = difference(w, a, b);
}

static void dft_4(writer *w, point *x)
{
    const point a = sum(w, x[0], x[2]), b = difference(w, x[0], x[2]), c = sum(w, x[1], x[3]),
                e = difference(w, x[1], x[3]);
    const point d = w->inverse ? opposite(times_minus_i(e)) : times_minus_i(e);
    x[0] = sum(w, a, c);
    x[2] = difference(w, a, c);
    x[1] = sum(w, b, d);
    x[3] = difference(w, b, d);
}

static void dft_prime(writer *w, int p, point *x)
{
    enum { MOST = RW_CODELET_MOST / 2 };
    point even[MOST], odd[MOST], all = x[0];
    const int half = (p - 1) / 2;
    for (int j = 1; j <= half; ++j) {
        even[j - 1] = sum(w, x[j], x[p - j]);
        odd[j - 1] = difference(w, x[j], x[p - j]);
        all = sum(w, all, even[j - 1]);
    }
    for (int k = 1; k <= half; ++k) {
        point a = x[0], b = {{0, false}, {0, false}};
        for (int j = 1; j <= half; ++j) {
            double c, s;
            root(j * k, p, w->inverse, &c, &s);
            a.re = fused(w, c, even[j - 1].re, a.re);
            a.im = fused(w, c, even[j - 1].im, a.im);
            b.re = j == 1 ? scaled(w, s, odd[0].re) : fused(w, s, odd[j - 1].re, b.re);
            b.im = j == 1 ? scaled(w, s, odd[0].im) : fused(w, s, odd[j - 1].im, b.im);
        }
        const point ib = {negated(b.im), b.re}; /* i b */
        x[k] = sum(w, a, ib);
        x[p - k] = difference(w, a, ib);
    }
    x[0] = all;
}

static int inverse_of(int a, int n)
{
    int k = 1;
    while (n > 1 && a % n * k % n != 1) ++k;
    return k;
}

/* Points m i + r j on the way in, those with remainders k1, k2 of r and m on the way out. */
static void dft_coprime(writer *w, int r, int m, point *x)
{
    const int n = r * m, e1 = m * inverse_of(m, r) % n, e2 = r * inverse_of(r, m) % n;
    point y[RW_CODELET_MOST], line[RW_CODELET_MOST];
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j < m; ++j) line[j] = x[(m * i + r * j) % n];
        dft(w, m, line);
        for (int j = 0; j < m; ++j) y[i * m + j] = line[j];
    }
    for (int k = 0; k < m; ++k) {
        for (int i = 0; i < r; ++i) line[i] = y[i * m + k];
        dft(w, r, line);
        for (int i = 0; i < r; ++i) x[(e1 * i + e2 * k) % n] = line[i];
    }
}

static void dft_factors(writer *w, int r, int m, point *x)
{
    const int n = r * m;
    point y[RW_CODELET_MOST], line[RW_CODELET_MOST];
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j < m; ++j) line[j] = x[i + r * j];
        dft(w, m, line);
        for (int k = 0; k < m; ++k) y[i * m + k] = turned(w, line[k], i * k, n);
    }
    for (int k = 0; k < m; ++k) {
        for (int i = 0; i < r; ++i) line[i] = y[i * m + k];
        dft(w, r, line);
        for (int i = 0; i < r; ++i) x[k + m * i] = line[i];
    }
}

/* A power of two gives a 4 (8 a 2) first; else the power of the smallest prime, where others remain. */
static void dft(writer *w, int n, point *x)
{
    int p = 2, power;
    if (n == 1) return;
    while (n % p) ++p;
    for (power = p; n % (power * p) == 0;) power *= p;
    if (n == 2) dft_2(w, x);
    else if (n == 4) dft_4(w, x);
    else if (n == p) dft_prime(w, p, x);
    else if (power < n) dft_coprime(w, power, n / power, x);
    else if (p == 2) dft_factors(w, n == 8 ? 2 : 4, n == 8 ? 4 : n / 4, x);
    else dft_factors(w, p, n / p, x);
}

void rw_codelet_variables(rw_text *text, const char *real, int n)
{
    for (int k = 0; k < n; ++k)
        rw_text_add(text, "%s%s%sre%d, im%d", k ? ", " : "    ", k ? "" : real, k ? "" : " ", k, k);
    rw_text_add(text, ";\n");
}

void rw_codelet_dft(rw_text *text, const char *real, int n, bool inverse, rw_codelet_cost *cost)
{
    writer w = {.t = text, .real = real, .inverse = inverse};
    point x[RW_CODELET_MOST];
    rw_text_add(text, "    {\n");
    for (int k = 0; k < n; ++k) {
        x[k] = (point){{w.next, false}, {w.next + 1, false}};
        rw_text_add(text, "    const %s t%d = re%d, t%d = im%d;\n", real, w.next, k, w.next + 1, k);
        w.next += 2;
    }
    dft(&w, n, x);
    for (int k = 0; k < n; ++k)
        rw_text_add(text, "    re%d = %st%d;\n    im%d = %st%d;\n", k, sign(x[k].re), x[k].re.variable, k,
                    sign(x[k].im), x[k].im.variable);
    rw_text_add(text, "    }\n");
    if (cost) *cost = w.cost;
}
