/* Arrays as numbers in long double, and complex transforms of them. */
#ifndef RW_TEST_NUMBERS_H
#define RW_TEST_NUMBERS_H

#include <complex.h>
#include <float.h>
#include <math.h>

#include "../devices.h"
#include "rechenwerk/fft.h"

typedef long double complex number;

static inline bool stored_in_pairs(rw_dtype t, bool real) { return !real && (t == RW_F16 || t == RW_BF16); }

/* The numbers of an array or view, row-major; real: not complex. */
static inline number *values_of(rw_array *a, bool real)
{
    rw_array *plain;
    const void *data;
    const bool pairs = stored_in_pairs(a->dtype, real), complex_type = rw_dtype_is_complex(a->dtype);
    number *n = calloc((size_t)RW_MAX(a->size, 1), sizeof *n);
    OK(rw_array_create(dev, complex_type ? RW_C128 : RW_F64, a->ndim, a->shape, RW_MEMORY_DEVICE, &plain));
    OK(rw_array_copy(plain, a, queue));
    OK(rw_array_read(plain, &data));
    for (int64_t i = 0; i < a->size / (pairs ? 2 : 1); ++i)
        n[i] = pairs || complex_type
                   ? ((const double *)data)[2 * i] + I * (long double)((const double *)data)[2 * i + 1]
                   : ((const double *)data)[i];
    rw_array_destroy(&plain);
    return n;
}

/* Random numbers between -1 and 1, rounded to the array's type. */
static inline void fill(rw_array *a, uint64_t seed)
{
    rw_array *plain;
    void *data;
    const int parts = rw_dtype_is_complex(a->dtype) ? 2 : 1;
    OK(rw_array_create(dev, parts == 2 ? RW_C128 : RW_F64, a->ndim, a->shape, RW_MEMORY_DEVICE, &plain));
    OK(rw_array_write(plain, &data));
    for (int64_t i = 0; i < parts * a->size; ++i) ((double *)data)[i] = 2 * rw_random_uniform(seed, (uint64_t)i) - 1;
    OK(rw_array_copy(a, plain, queue));
    rw_array_destroy(&plain);
}

/* exp(-2 pi i k / n). */
static inline number root_of(int64_t k, int64_t n)
{
    static const long double two_pi = 6.283185307179586476925286766559005768L;
    const long double angle = two_pi * (long double)(k % n) / n;
    return cosl(angle) - I * sinl(angle);
}

/* cos or sin of pi a / b. */
static inline long double wave(bool sine, int64_t a, int64_t b)
{
    static const long double pi = 3.141592653589793238462643383279502884L;
    a %= 2 * b;
    return sine ? sinl(pi * (long double)a / (long double)b) : cosl(pi * (long double)a / (long double)b);
}

/* The weight of element j in result k of a cosine or sine transform of n points (SciPy's documentation). */
static inline long double weight_of(rw_fft_kind kind, int64_t n, int64_t k, int64_t j)
{
    const bool sine = kind >= RW_FFT_DST1;
    const long double alternating = k % 2 ? -1 : 1;
    switch (kind) {
    case RW_FFT_DCT1: return j == 0 ? 1 : j == n - 1 ? alternating : 2 * wave(false, k * j, n - 1);
    case RW_FFT_DST1: return 2 * wave(true, (k + 1) * (j + 1), n + 1);
    case RW_FFT_DCT2:
    case RW_FFT_DST2: return 2 * wave(sine, (k + sine) * (2 * j + 1), 2 * n);
    case RW_FFT_DCT3: return j == 0 ? 1 : 2 * wave(false, (2 * k + 1) * j, 2 * n);
    case RW_FFT_DST3: return j == n - 1 ? alternating : 2 * wave(true, (2 * k + 1) * (j + 1), 2 * n);
    default: return 2 * wave(sine, (2 * k + 1) * (2 * j + 1), 4 * n);
    }
}

static inline void reference(int n, const number *x, int64_t step, number *y, bool inverse);

/* p numbers by a convolution of a power of two (Bluestein 1970). */
static inline void reference_chirp(int p, const number *x, number *y)
{
    int m = 1;
    while (m < 2 * p - 1) m *= 2;
    number *a = calloc((size_t)m, sizeof *a), *b = calloc((size_t)m, sizeof *b), *c = calloc((size_t)m, sizeof *c),
           *chirp = calloc((size_t)p, sizeof *chirp);
    for (int64_t k = 0; k < p; ++k)
        chirp[k] = root_of(k * k, 2 * p), a[k] = x[k] * chirp[k], b[k] = b[k ? m - k : 0] = conjl(chirp[k]);
    reference(m, a, 1, c, false), reference(m, b, 1, a, false);
    for (int k = 0; k < m; ++k) a[k] *= c[k];
    reference(m, a, 1, c, true);
    for (int k = 0; k < p; ++k) y[k] = c[k] / m * chirp[k];
    free(a), free(b), free(c), free(chirp);
}

/* By the smallest factor; root[k * scale] is that of n. */
static inline void reference_steps(int n, const number *x, int64_t step, number *y, const number *root, int64_t scale)
{
    int p = 2;
    while (n > 1 && n % p) p = p * p > n ? n : p + 1;
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    const int m = n / p;
    number *part = calloc((size_t)n, sizeof *part), *in = calloc((size_t)p, sizeof *in),
           *out = calloc((size_t)p, sizeof *out);
    for (int r = 0; r < p; ++r) reference_steps(m, x + r * step, step * p, part + r * m, root, scale * p);
    for (int64_t k = 0; k < m; ++k) {
        for (int r = 0; r < p; ++r) in[r] = part[r * m + k] * root[r * k * scale];
        if (p > 100) reference_chirp(p, in, out);
        for (int64_t j = 0; j < p && p <= 100; ++j) {
            out[j] = in[0];
            for (int r = 1; r < p; ++r) out[j] += in[r] * root[r * j % p * m * scale];
        }
        for (int j = 0; j < p; ++j) y[j * m + k] = out[j];
    }
    free(part), free(in), free(out);
}

/* x[0], x[step], … to y: another order of operations than the library's. */
static inline void reference(int n, const number *x, int64_t step, number *y, bool inverse)
{
    number *root = calloc((size_t)RW_MAX(n, 1), sizeof *root);
    for (int k = 0; k < n; ++k) root[k] = root_of(k, n);
    if (!inverse) reference_steps(n, x, step, y, root, 1);
    else { /* the conjugate of the transform of the conjugate */ number *z = calloc((size_t)RW_MAX(n, 1), sizeof *z);
        for (int k = 0; k < n; ++k) z[k] = conjl(x[k * step]);
        reference_steps(n, z, 1, y, root, 1);
        for (int k = 0; k < n; ++k) y[k] = conjl(y[k]);
        free(z);
    }
    free(root);
}

/* All axes that the bits say, of a contiguous array. */
static inline void reference_axes(int ndim, const int64_t *shape, unsigned axes, number *x, bool inverse)
{
    int64_t size = 1, step = 1;
    for (int d = 0; d < ndim; ++d) size *= shape[d];
    for (int d = ndim - 1; d >= 0; step *= shape[d--]) {
        if (!(axes & 1u << d)) continue;
        number *line = calloc((size_t)shape[d], sizeof *line);
        for (int64_t i = 0; i < size; ++i) {
            if (i / step % shape[d]) continue;
            reference((int)shape[d], x + i, step, line, inverse);
            for (int64_t k = 0; k < shape[d]; ++k) x[i + k * step] = line[k];
        }
        free(line);
    }
}

/* Error of y as the transform of what x held, in epsilon; arrays may be views. */
static inline double error_of_complex(const number *before, rw_array *y, const rw_fft_spec *s)
{
    number *want = calloc((size_t)RW_MAX(y->size, 1), sizeof *want), *got = values_of(y, false);
    memcpy(want, before, (size_t)y->size * sizeof *want);
    reference_axes(s->ndim, s->shape, s->axes ? s->axes : (1u << s->ndim) - 1, want, s->inverse);
    long double wrong = 0, all = 0;
    for (int64_t i = 0; i < y->size; ++i) {
        const number w = want[i] * (s->scale != 0 ? (long double)s->scale : 1), d = got[i] - w;
        wrong += creall(d) * creall(d) + cimagl(d) * cimagl(d), all += creall(w) * creall(w) + cimagl(w) * cimagl(w);
    }
    free(want), free(got);
    return (double)(sqrtl(wrong / all) / (y->dtype == RW_C64 ? (long double)FLT_EPSILON : (long double)DBL_EPSILON));
}

/* y <- transform of x, and its error in epsilon. */
static inline double transform(const rw_fft_spec *s, rw_array *x, rw_array *y)
{
    rw_fft *f;
    number *before = values_of(x, false);
    OK(rw_fft_create(dev, s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    const double error = error_of_complex(before, y, s);
    rw_fft_destroy(&f);
    free(before);
    return error;
}

#endif
