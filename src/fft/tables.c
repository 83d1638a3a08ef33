#include "fft/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "fft/length.h"

typedef struct pair { long double re, im; } pair;

static pair times(pair a, pair b) { return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/* exp(-2 pi i k / n), from an angle of at most an eighth of a turn. */
static pair root(int64_t k, int64_t n, bool inverse)
{
    static const long double two_pi = 6.283185307179586476925286766559005768L;
    k %= n;
    if (k < 0) k += n;
    const int64_t eighths = 8 * k / n, quarter = (eighths + 1) / 2; /* |k / n - quarter / 4| <= 1 / 8 */
    const long double angle = two_pi * (long double)(4 * k - quarter * n) / (long double)(4 * n);
    const long double c = cosl(angle), s = sinl(angle);
    const pair p = quarter % 4 == 0 ? (pair){c, -s} : quarter % 4 == 1 ? (pair){-s, -c} : quarter % 4 == 2 ? (pair){-c, s} : (pair){s, c};
    return inverse ? (pair){p.re, -p.im} : p;
}

/* Many roots of the same order: products of two of about sqrt(n) numbers each. */
typedef struct roots {
    int64_t n;
    int shift;
    bool inverse;
    pair *low, *high; /* NULL: each is computed */
} roots;

static roots roots_of(int64_t n, int64_t wanted, bool inverse)
{
    roots r = {.n = n, .inverse = inverse};
    while ((int64_t)1 << 2 * r.shift < n) ++r.shift;
    const int64_t low = (int64_t)1 << r.shift, high = (n >> r.shift) + 1;
    if (wanted < 4 * low) return r;
    r.low = rw_calloc((size_t)low, sizeof *r.low);
    r.high = rw_calloc((size_t)high, sizeof *r.high);
    if (!r.low || !r.high) {
        rw_free(r.low), rw_free(r.high);
        r.low = r.high = NULL;
        return r;
    }
    for (int64_t i = 0; i < low; ++i) r.low[i] = root(i, n, inverse);
    for (int64_t i = 0; i < high; ++i) r.high[i] = root(i << r.shift, n, inverse);
    return r;
}

static pair roots_at(const roots *r, int64_t k)
{
    k %= r->n;
    if (k < 0) k += r->n;
    if (!r->low) return root(k, r->n, r->inverse);
    return times(r->high[k >> r->shift], r->low[k & (((int64_t)1 << r->shift) - 1)]);
}

static void roots_free(roots *r) { rw_free(r->low), rw_free(r->high); }

/* Room for `count` values; their offset. NULL in *at: out of memory. */
static int64_t add(rw_fft_table *t, int64_t count, double **at)
{
    *at = NULL;
    if (t->n + count > t->capacity && !t->failed) {
        const int64_t capacity = RW_MAX(2 * t->capacity, t->n + count);
        double *v = rw_realloc(t->values, (size_t)capacity * sizeof *v);
        if (v) t->values = v, t->capacity = capacity;
        else t->failed = true;
    }
    if (t->failed) return 0;
    *at = t->values + t->n;
    t->n += count;
    return t->n - count;
}

/* Number k of n. */
static void put(const rw_fft_table *t, double *v, int64_t n, int64_t k, pair z, double factor)
{
    v[t->pairs ? 2 * k : k] = (double)(factor * z.re), v[t->pairs ? 2 * k + 1 : n + k] = (double)(factor * z.im);
}

int64_t rw_fft_table_stage(rw_fft_table *t, int64_t p, int r, bool inverse)
{
    double *v;
    const int64_t at = add(t, 2 * p * (r - 1), &v);
    if (!v) return 0;
    roots w = roots_of(p * r, 2 * p * (r - 1), inverse);
    for (int k = 1; k < r; ++k, v += 2 * p)
        for (int64_t b = 0; b < p; ++b) {
            const pair z = roots_at(&w, k * b);
            v[b] = (double)z.re, v[p + b] = (double)z.im;
        }
    roots_free(&w);
    return at;
}

int64_t rw_fft_table_bases(rw_fft_table *t, int64_t p, int r, bool inverse)
{
    double *v;
    const int64_t bases = RW_MIN(r - 1, 3) + (r - 1) / 4, at = add(t, 2 * p * bases, &v);
    if (!v) return 0;
    roots w = roots_of(p * r, p * bases, inverse);
    for (int k = 1; k < r; k += k < 4 ? 1 : 4)
        for (int64_t b = 0; b < p; ++b) {
            const pair z = roots_at(&w, k * b);
            *v++ = (double)z.re, *v++ = (double)z.im;
        }
    roots_free(&w);
    return at;
}

int64_t rw_fft_table_roots(rw_fft_table *t, int64_t n, int64_t first, int64_t step, int64_t of, double factor, bool inverse)
{
    double *v;
    const int64_t at = add(t, 2 * n, &v);
    if (!v) return 0;
    roots w = roots_of(of, n, inverse);
    for (int64_t k = 0; k < n; ++k) put(t, v, n, k, roots_at(&w, first + k * step), factor);
    roots_free(&w);
    return at;
}

int64_t rw_fft_table_strip(rw_fft_table *t, int64_t n, int64_t lines, int64_t of, bool inverse)
{
    double *v;
    const int64_t at = add(t, 2 * n * lines, &v);
    if (!v) return 0;
    roots w = roots_of(of, n * lines, inverse);
    for (int64_t i = 0; i < n * lines; ++i) {
        const pair z = roots_at(&w, i / lines * (i % lines));
        v[i] = (double)z.re, v[n * lines + i] = (double)z.im;
    }
    roots_free(&w);
    return at;
}

int64_t rw_fft_table_grid(rw_fft_table *t, int64_t n, int64_t step, int64_t lines, int64_t of, bool inverse)
{
    double *v;
    const int64_t at = add(t, 2 * n * lines, &v);
    if (!v) return 0;
    roots w = roots_of(of, n * lines, inverse);
    for (int64_t i = 0; i < n * lines; ++i) {
        const pair z = roots_at(&w, i / lines * step * (i % lines));
        *v++ = (double)z.re, *v++ = (double)z.im;
    }
    roots_free(&w);
    return at;
}

static int64_t square(int64_t j, int64_t modulus) { return (int64_t)((__int128)j * j % modulus); }

int64_t rw_fft_table_chirp(rw_fft_table *t, int64_t m, bool inverse)
{
    double *v;
    const int64_t at = add(t, 2 * m, &v);
    if (!v) return 0;
    roots w = roots_of(2 * m, m, inverse);
    for (int64_t j = 0; j < m; ++j) put(t, v, m, j, roots_at(&w, square(j, 2 * m)), 1);
    roots_free(&w);
    return at;
}

/* y <- the transform of x[0], x[step], …, n points with small factors; w: all roots of order `whole`. */
static void transform(int64_t n, const pair *x, int64_t step, pair *y, pair *scratch, const pair *w, int64_t whole)
{
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    int64_t r = n % 4 == 0 ? 4 : 2;
    while (n % r) ++r;
    const int64_t m = n / r;
    for (int64_t j = 0; j < r; ++j) transform(m, x + j * step, step * r, scratch + j * m, y + j * m, w, whole);
    for (int64_t k = 0; k < m; ++k) {
        pair a[RW_FFT_PRIME_MOST];
        for (int64_t j = 0; j < r; ++j) a[j] = times(scratch[j * m + k], w[j * k * (whole / n)]);
        if (r == 4) {
            const pair b = {a[0].re + a[2].re, a[0].im + a[2].im}, c = {a[0].re - a[2].re, a[0].im - a[2].im};
            const pair d = {a[1].re + a[3].re, a[1].im + a[3].im}, e = {a[1].re - a[3].re, a[1].im - a[3].im};
            y[k] = (pair){b.re + d.re, b.im + d.im}, y[2 * m + k] = (pair){b.re - d.re, b.im - d.im};
            y[m + k] = (pair){c.re + e.im, c.im - e.re}, y[3 * m + k] = (pair){c.re - e.im, c.im + e.re};
            continue;
        }
        for (int64_t q = 0; q < r; ++q) {
            pair s = a[0];
            for (int64_t j = 1; j < r; ++j) {
                const pair z = times(a[j], w[j * q % r * (whole / r)]);
                s.re += z.re, s.im += z.im;
            }
            y[q * m + k] = s;
        }
    }
}

/* ---- transforms that are kept in the cache on disk: milliseconds for thousands of points --------------------------------------- */

enum { KEPT_LEAST = 1024 /* points */ };
static const char suffix[] = ".roots";

static void key_of(const rw_fft_table *t, const char *name, int64_t n, int64_t points, int64_t a, bool inverse, char key[65])
{
    char text[128];
    const int length = snprintf(text, sizeof text, "rechenwerk roots 1 %s%s %lld %lld %lld %d", name, t->pairs ? " pairs" : "", (long long)n, (long long)points, (long long)a, inverse);
    rw_sha256_hex(text, (size_t)length, key);
}

static bool find_kept(rw_fft_table *t, const char *key, int64_t points, double *v)
{
    rw_text kept = {0};
    const size_t bytes = 2 * (size_t)points * sizeof *v;
    const bool found = t->ctx && points >= KEPT_LEAST && rw_cache_load(t->ctx, key, suffix, &kept) == RW_OK && kept.length == bytes;
    if (found) memcpy(v, kept.data, bytes);
    rw_text_free(&kept);
    return found;
}

static void keep(rw_fft_table *t, const char *key, int64_t points, const double *v)
{
    rw_text text = {0};
    if (!t->ctx || points < KEPT_LEAST || t->failed) return;
    rw_text_add_bytes(&text, (const char *)v, 2 * (size_t)points * sizeof *v);
    if (!text.failed) rw_cache_store(t->ctx, key, suffix, &text);
    rw_text_free(&text);
}

/* The transform of x, divided by n, to v. */
static void send_transform(rw_fft_table *t, pair *x, int64_t n, int64_t a, double *v)
{
    pair *y = rw_calloc((size_t)n, sizeof *y), *scratch = rw_calloc((size_t)n, sizeof *scratch), *all = rw_calloc((size_t)n, sizeof *all);
    roots w = roots_of(n, n, false);
    for (int64_t k = 0; all && k < n; ++k) all[k] = roots_at(&w, k);
    if (y && scratch && all) transform(n, x, 1, y, scratch, all, n);
    else t->failed = true;
    for (int64_t k = 0; k < n && !t->failed; ++k) {
        const int64_t to = k % a * (n / a) + k / a;
        put(t, v, n, to, (pair){y[k].re / (long double)n, y[k].im / (long double)n}, 1);
    }
    roots_free(&w);
    rw_free(y), rw_free(scratch), rw_free(all), rw_free(x);
}

int64_t rw_fft_table_bluestein(rw_fft_table *t, int64_t m, int64_t points, int64_t a, bool inverse)
{
    double *v;
    char key[65];
    const int64_t at = add(t, 2 * points, &v);
    key_of(t, "chirp", m, points, a, inverse, key);
    if (v && find_kept(t, key, points, v)) return at;
    pair *x = rw_calloc((size_t)points, sizeof *x);
    if (!v || !x) {
        rw_free(x);
        t->failed = true;
        return 0;
    }
    roots w = roots_of(2 * m, m, !inverse);
    for (int64_t j = 0; j < m; ++j) x[j] = x[j ? points - j : 0] = roots_at(&w, square(j, 2 * m));
    roots_free(&w);
    send_transform(t, x, points, a, v);
    keep(t, key, points, v);
    return at;
}

int64_t rw_fft_table_places(rw_fft_table *t, int64_t p)
{
    double *v;
    const int64_t at = add(t, 2 * (p - 1), &v), g = rw_fft_generator(p);
    if (!v) return 0;
    for (int64_t i = 0, power = 1; i < p - 1; ++i, power = power * g % p) v[i] = (double)power, v[p - 1 + (p - 1 - i) % (p - 1)] = (double)power;
    return at;
}

int64_t rw_fft_table_rader(rw_fft_table *t, int64_t p, bool inverse)
{
    double *v;
    char key[65];
    const int64_t at = add(t, 2 * (p - 1), &v), g = rw_fft_generator(p);
    key_of(t, "rader", p, p - 1, 1, inverse, key);
    if (v && find_kept(t, key, p - 1, v)) return at;
    pair *x = rw_calloc((size_t)(p - 1), sizeof *x);
    if (!v || !x) {
        rw_free(x);
        t->failed = true;
        return 0;
    }
    for (int64_t i = 0, power = 1; i < p - 1; ++i, power = power * g % p) x[(p - 1 - i) % (p - 1)] = root(power, p, inverse);
    send_transform(t, x, p - 1, 1, v);
    keep(t, key, p - 1, v);
    return at;
}

rw_status rw_fft_table_send(rw_fft_table *t, rw_device *dev, bool f64, rw_array **array)
{
    rw_status status = t->failed ? rw_fail_memory(dev->ctx, (size_t)t->n * sizeof *t->values, "the factors of a transform") : RW_OK;
    void *data;
    *array = NULL;
    if (status == RW_OK) status = rw_array_create(dev, f64 ? RW_F64 : RW_F32, 1, (const int64_t[]){RW_MAX(t->n, 1)}, RW_MEMORY_DEVICE, array);
    if (status == RW_OK) status = rw_array_write(*array, &data);
    if (status == RW_OK) {
        if (f64) ((double *)data)[0] = 0;
        else ((float *)data)[0] = 0;
        for (int64_t i = 0; i < t->n; ++i) {
            if (f64) ((double *)data)[i] = t->values[i];
            else ((float *)data)[i] = (float)t->values[i];
        }
        status = rw_array_send(*array, rw_device_queue(dev));
    }
    if (status != RW_OK) rw_array_destroy(array);
    rw_free(t->values);
    *t = (rw_fft_table){0};
    return status;
}
