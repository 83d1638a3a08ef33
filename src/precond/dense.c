/* Small dense matrices, real and complex. */
#include <math.h>
#include <string.h>

#include "precond/precond.h"

static inline void multiply_real(const int n, double sign, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const double s = sign * a[i * n + k];
            for (int j = 0; j < n; ++j) c[i * n + j] += s * b[k * n + j];
        }
}

static inline void multiply_complex(const int n, double sign, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const double re = sign * a[2 * (i * n + k)], im = sign * a[2 * (i * n + k) + 1];
            for (int j = 0; j < n; ++j) {
                c[2 * (i * n + j)] += re * b[2 * (k * n + j)] - im * b[2 * (k * n + j) + 1];
                c[2 * (i * n + j) + 1] += re * b[2 * (k * n + j) + 1] + im * b[2 * (k * n + j)];
            }
        }
}

void rw_dense_multiply(int n, int parts, double sign, const double *a, const double *b, double *c)
{
    if (parts == 2) {
        if (n == 1) multiply_complex(1, sign, a, b, c);
        else if (n == 5) multiply_complex(5, sign, a, b, c);
        else multiply_complex(n, sign, a, b, c);
        return;
    }
    switch (n) { /* sizes that the compiler knows */
    case 1: c[0] += sign * a[0] * b[0]; return;
    case 2: multiply_real(2, sign, a, b, c); return;
    case 3: multiply_real(3, sign, a, b, c); return;
    case 4: multiply_real(4, sign, a, b, c); return;
    case 5: multiply_real(5, sign, a, b, c); return;
    default: multiply_real(n, sign, a, b, c);
    }
}

double rw_dense_square(int n, int parts, const double *a)
{
    double s = 0;
    for (int i = 0; i < n * n * parts; ++i) s += a[i] * a[i];
    return s;
}

typedef struct number { double re, im; } number;

static number get(const double *a, int parts, int k) { return (number){a[parts * k], parts == 2 ? a[2 * k + 1] : 0}; }
static void put(double *a, int parts, int k, number v)
{
    a[parts * k] = v.re;
    if (parts == 2) a[2 * k + 1] = v.im;
}
static number times(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }

/* Gauss and Jordan (Golub and Van Loan, Matrix computations, 3.4, for the pivots). */
bool rw_dense_eliminate(int n, int parts, double *a, double *b)
{
    for (int i = 0; i < n * n; ++i) put(b, parts, i, (number){i / n == i % n, 0});
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        double most = 0;
        for (int r = c; r < n; ++r) {
            const number v = get(a, parts, r * n + c);
            const double size = hypot(v.re, v.im);
            if (!isfinite(size)) return false;
            if (size > most) most = size, pivot = r;
        }
        if (most == 0) return false;
        const number p = get(a, parts, pivot * n + c), by = {p.re / most / most, -p.im / most / most};
        for (int k = 0; k < n; ++k) {
            const number s = get(a, parts, c * n + k), t = get(b, parts, c * n + k);
            put(a, parts, c * n + k, times(get(a, parts, pivot * n + k), by)), put(b, parts, c * n + k, times(get(b, parts, pivot * n + k), by));
            if (pivot != c) put(a, parts, pivot * n + k, s), put(b, parts, pivot * n + k, t);
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

bool rw_dense_invert(int n, int parts, const double *from, double *b)
{
    double a[RW_DENSE_MOST];
    memcpy(a, from, (size_t)(n * n * parts) * sizeof *a);
    return rw_dense_eliminate(n, parts, a, b);
}
