/* Small dense matrices, real and complex. */
#include <math.h>
#include <string.h>

#include "precond/precond.h"

typedef struct number {
    double re, im;
} number;

static number get(const double *a, int parts, int k) { return (number){a[parts * k], parts == 2 ? a[2 * k + 1] : 0}; }
static void put(double *a, int parts, int k, number v)
{
    a[parts * k] = v.re;
    if (parts == 2) a[2 * k + 1] = v.im;
}
static number times(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }

/* Gauss and Jordan (Golub and Van Loan, Matrix computations, 3.4, for the pivots). */
RW_DENSE_INLINE bool eliminate(const int n, const int parts, double *a, double *b)
{
    for (int i = 0; i < n * n; ++i) put(b, parts, i, (number){i / n == i % n, 0});
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        double most = 0;
        for (int r = c; r < n; ++r) {
            const number v = get(a, parts, r * n + c);
            const double size = parts == 1 ? fabs(v.re) : hypot(v.re, v.im);
            if (!isfinite(size)) return false;
            if (size > most) {
                most = size;
                pivot = r;
            }
        }
        if (most == 0) return false;
        const number p = get(a, parts, pivot * n + c), by = {p.re / most / most, -p.im / most / most};
        for (int k = 0; k < n; ++k) {
            const number s = get(a, parts, c * n + k), t = get(b, parts, c * n + k);
            put(a, parts, c * n + k, times(get(a, parts, pivot * n + k), by));
            put(b, parts, c * n + k, times(get(b, parts, pivot * n + k), by));
            if (pivot != c) {
                put(a, parts, pivot * n + k, s);
                put(b, parts, pivot * n + k, t);
            }
        }
        for (int r = 0; r < n; ++r) {
            const number f = get(a, parts, r * n + c);
            if (r == c || (f.re == 0 && f.im == 0)) continue;
            for (int k = 0; k < n; ++k) {
                put(a, parts, r * n + k, minus(get(a, parts, r * n + k), times(f, get(a, parts, c * n + k))));
                put(b, parts, r * n + k, minus(get(b, parts, r * n + k), times(f, get(b, parts, c * n + k))));
            }
        }
    }
    for (int i = 0; i < n * n * parts; ++i)
        if (!isfinite(b[i])) return false;
    return true;
}

bool rw_dense_eliminate(int n, int parts, double *a, double *b)
{
    return parts == 1 ? n == 5 ? eliminate(5, 1, a, b) : eliminate(n, 1, a, b) : eliminate(n, 2, a, b);
}

/* One pivot of the diagonal: the matrix with x_c and b_c exchanged (Goodnight, A tutorial on the sweep operator, The
 * American Statistician 33, 1979). */
static void sweep(int n, int parts, double *a, int c, double pivot)
{
    const number by = {1 / pivot, 0};
    for (int i = 0; i < n; ++i) {
        if (i == c) continue;
        const number f = times(get(a, parts, i * n + c), by);
        for (int k = 0; k < n; ++k)
            if (k != c) put(a, parts, i * n + k, minus(get(a, parts, i * n + k), times(f, get(a, parts, c * n + k))));
        put(a, parts, i * n + c, f);
    }
    for (int k = 0; k < n; ++k)
        put(a, parts, c * n + k, k == c ? by : times(get(a, parts, c * n + k), (number){-by.re, 0}));
}

bool rw_dense_sweep(int n, int parts, double *a, double *diagonal)
{
    for (int i = 0; i < n; ++i) diagonal[i] = get(a, parts, i * n + i).re;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k) {
            const number v = get(a, parts, i * n + k), w = get(a, parts, k * n + i);
            if (!(hypot(v.re - w.re, v.im + w.im) <= RW_DENSE_NOISE * sqrt(diagonal[i]) * sqrt(diagonal[k])))
                return false;
        }
    for (int swept = 0; swept < n; ++swept) {
        int c = -1;
        double most = RW_DENSE_NOISE;
        for (int i = 0; i < n; ++i)
            if (diagonal[i] > 0 && get(a, parts, i * n + i).re > most * diagonal[i]) {
                most = get(a, parts, i * n + i).re / diagonal[i];
                c = i;
            }
        if (c < 0) break;
        sweep(n, parts, a, c, most * diagonal[c]);
        diagonal[c] *= -1; /* done */
    }
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const number v = get(a, parts, i * n + k);
            if (!isfinite(v.re) || !isfinite(v.im) ||
                (diagonal[i] >= 0 && diagonal[k] >= 0 &&
                 hypot(v.re, v.im) > 10 * RW_DENSE_NOISE * sqrt(diagonal[i]) * sqrt(diagonal[k])))
                return false;
            if (diagonal[i] >= 0 || diagonal[k] >= 0) put(a, parts, i * n + k, (number){0, 0});
        }
    return true;
}

bool rw_dense_invert(int n, int parts, const double *from, double *b)
{
    double a[RW_DENSE_MOST];
    memcpy(a, from, (size_t)(n * n * parts) * sizeof *a);
    return rw_dense_eliminate(n, parts, a, b);
}
