#include "fft/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "fft/length.h"

typedef struct pair {
    long double re, im;
} pair;

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
    const pair p = quarter % 4 == 0   ? (pair){c, -s}
                   : quarter % 4 == 1 ? (pair){-s, -c}
                   : quarter % 4 == 2 ? (pair){-c, s}
                                      : (pair){s, c};
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
        rw_free(r.low);
        rw_free(r.high);
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

static void roots_free(roots *r)
{
    rw_free(r->low);
    rw_free(r->high);
}

static int64_t square(int64_t j, int64_t modulus) { return (int64_t)((__int128)j * j % modulus); }

/* ---- what a kernel's text asks for ------------------------------------------------------------------------------- */

typedef enum what { STAGE, BASES, ROOTS, STRIP, GRID, CHIRP, BLUESTEIN, PLACES, RADER } what;

static int64_t ask(rw_fft_table *t, what kind, int64_t count, int64_t a, int64_t b, int64_t c, int64_t d, bool inverse)
{
    if (!rw_grow(&t->asked, &t->capacity, t->nasked + 1, sizeof *t->asked)) {
        t->failed = true;
        return 0;
    }
    t->asked[t->nasked++] = (rw_fft_asked){(int)kind, inverse, t->n, {a, b, c, d}};
    t->n += count;
    return t->n - count;
}

int64_t rw_fft_table_stage(rw_fft_table *t, int64_t p, int r, bool inverse)
{
    return ask(t, STAGE, 2 * p * (r - 1), p, r, 0, 0, inverse);
}
int64_t rw_fft_table_bases(rw_fft_table *t, int64_t p, int r, bool inverse)
{
    return ask(t, BASES, 2 * p * (RW_MIN(r - 1, 3) + (r - 1) / 4), p, r, 0, 0, inverse);
}
int64_t rw_fft_table_roots(rw_fft_table *t, int64_t n, int64_t first, int64_t step, int64_t of, bool inverse)
{
    return ask(t, ROOTS, 2 * n, n, first, step, of, inverse);
}
int64_t rw_fft_table_strip(rw_fft_table *t, int64_t n, int64_t lines, int64_t of, bool inverse)
{
    return ask(t, STRIP, 2 * n * lines, n, lines, of, 0, inverse);
}
int64_t rw_fft_table_grid(rw_fft_table *t, int64_t n, int64_t step, int64_t lines, int64_t of, bool inverse)
{
    return ask(t, GRID, 2 * n * lines, n, step, lines, of, inverse);
}
int64_t rw_fft_table_chirp(rw_fft_table *t, int64_t m, bool inverse)
{
    return ask(t, CHIRP, 2 * m, m, 0, 0, 0, inverse);
}
int64_t rw_fft_table_bluestein(rw_fft_table *t, int64_t m, int64_t points, int64_t a, bool inverse)
{
    return ask(t, BLUESTEIN, 2 * points, m, points, a, 0, inverse);
}
int64_t rw_fft_table_places(rw_fft_table *t, int64_t p) { return ask(t, PLACES, 2 * (p - 1), p, 0, 0, 0, false); }
int64_t rw_fft_table_rader(rw_fft_table *t, int64_t p, bool inverse)
{
    return ask(t, RADER, 2 * (p - 1), p, 0, 0, 0, inverse);
}

/* ---- the numbers ------------------------------------------------------------------------------------------------- */

/* Number k of n. */
static void put(const rw_fft_table *t, double *v, int64_t n, int64_t k, pair z)
{
    v[t->pairs ? 2 * k : k] = (double)z.re;
    v[t->pairs ? 2 * k + 1 : n + k] = (double)z.im;
}

static void fill_stage(double *v, int64_t p, int r, bool inverse)
{
    roots w = roots_of(p * r, 2 * p * (r - 1), inverse);
    for (int k = 1; k < r; ++k, v += 2 * p)
        for (int64_t b = 0; b < p; ++b) {
            const pair z = roots_at(&w, k * b);
            v[b] = (double)z.re;
            v[p + b] = (double)z.im;
        }
    roots_free(&w);
}

static void fill_bases(double *v, int64_t p, int r, bool inverse)
{
    roots w = roots_of(p * r, p * r / 4, inverse);
    for (int k = 1; k < r; k += k < 4 ? 1 : 4)
        for (int64_t b = 0; b < p; ++b) {
            const pair z = roots_at(&w, k * b);
            *v++ = (double)z.re;
            *v++ = (double)z.im;
        }
    roots_free(&w);
}

static void fill_roots(const rw_fft_table *t, double *v, int64_t n, int64_t first, int64_t step, int64_t of,
                       bool inverse)
{
    roots w = roots_of(of, n, inverse);
    for (int64_t k = 0; k < n; ++k) put(t, v, n, k, roots_at(&w, first + k * step));
    roots_free(&w);
}

static void fill_strip(double *v, int64_t n, int64_t lines, int64_t of, bool inverse)
{
    roots w = roots_of(of, n * lines, inverse);
    for (int64_t i = 0; i < n * lines; ++i) {
        const pair z = roots_at(&w, i / lines * (i % lines));
        v[i] = (double)z.re;
        v[n * lines + i] = (double)z.im;
    }
    roots_free(&w);
}

static void fill_grid(double *v, int64_t n, int64_t step, int64_t lines, int64_t of, bool inverse)
{
    roots w = roots_of(of, n * lines, inverse);
    for (int64_t i = 0; i < n * lines; ++i) {
        const pair z = roots_at(&w, i / lines * step * (i % lines));
        *v++ = (double)z.re;
        *v++ = (double)z.im;
    }
    roots_free(&w);
}

static void fill_chirp(const rw_fft_table *t, double *v, int64_t m, bool inverse)
{
    roots w = roots_of(2 * m, m, inverse);
    for (int64_t j = 0; j < m; ++j) put(t, v, m, j, roots_at(&w, square(j, 2 * m)));
    roots_free(&w);
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
            y[k] = (pair){b.re + d.re, b.im + d.im};
            y[2 * m + k] = (pair){b.re - d.re, b.im - d.im};
            y[m + k] = (pair){c.re + e.im, c.im - e.re};
            y[3 * m + k] = (pair){c.re - e.im, c.im + e.re};
            continue;
        }
        for (int64_t q = 0; q < r; ++q) {
            pair s = a[0];
            for (int64_t j = 1; j < r; ++j) {
                const pair z = times(a[j], w[j * q % r * (whole / r)]);
                s.re += z.re;
                s.im += z.im;
            }
            y[q * m + k] = s;
        }
    }
}

/* The transform of x, divided by n, to v. */
static void fill_transform(rw_fft_table *t, pair *x, int64_t n, int64_t a, double *v)
{
    pair *y = rw_calloc((size_t)n, sizeof *y), *scratch = rw_calloc((size_t)n, sizeof *scratch),
         *all = rw_calloc((size_t)n, sizeof *all);
    roots w = roots_of(n, n, false);
    for (int64_t k = 0; all && k < n; ++k) all[k] = roots_at(&w, k);
    if (x && y && scratch && all) transform(n, x, 1, y, scratch, all, n);
    else t->failed = true;
    for (int64_t k = 0; k < n && !t->failed; ++k)
        put(t, v, n, k % a * (n / a) + k / a, (pair){y[k].re / (long double)n, y[k].im / (long double)n});
    roots_free(&w);
    rw_free(y);
    rw_free(scratch);
    rw_free(all);
    rw_free(x);
}

static void fill_bluestein(rw_fft_table *t, double *v, int64_t m, int64_t points, int64_t a, bool inverse)
{
    pair *x = rw_calloc((size_t)points, sizeof *x);
    roots w = roots_of(2 * m, m, !inverse);
    for (int64_t j = 0; x && j < m; ++j) x[j] = x[j ? points - j : 0] = roots_at(&w, square(j, 2 * m));
    roots_free(&w);
    fill_transform(t, x, points, a, v);
}

static void fill_places(double *v, int64_t p)
{
    const int64_t g = rw_fft_generator(p);
    for (int64_t i = 0, power = 1; i < p - 1; ++i, power = power * g % p) {
        v[i] = (double)power;
        v[p - 1 + (p - 1 - i) % (p - 1)] = (double)power;
    }
}

static void fill_rader(rw_fft_table *t, double *v, int64_t p, bool inverse)
{
    const int64_t g = rw_fft_generator(p);
    pair *x = rw_calloc((size_t)(p - 1), sizeof *x);
    for (int64_t i = 0, power = 1; x && i < p - 1; ++i, power = power * g % p)
        x[(p - 1 - i) % (p - 1)] = root(power, p, inverse);
    fill_transform(t, x, p - 1, 1, v);
}

static void fill(rw_fft_table *t, const rw_fft_asked *q, double *v)
{
    const int64_t *a = q->a;
    switch ((what)q->what) {
    case STAGE: fill_stage(v, a[0], (int)a[1], q->inverse); break;
    case BASES: fill_bases(v, a[0], (int)a[1], q->inverse); break;
    case ROOTS: fill_roots(t, v, a[0], a[1], a[2], a[3], q->inverse); break;
    case STRIP: fill_strip(v, a[0], a[1], a[2], q->inverse); break;
    case GRID: fill_grid(v, a[0], a[1], a[2], a[3], q->inverse); break;
    case CHIRP: fill_chirp(t, v, a[0], q->inverse); break;
    case BLUESTEIN: fill_bluestein(t, v, a[0], a[1], a[2], q->inverse); break;
    case PLACES: fill_places(v, a[0]); break;
    case RADER: fill_rader(t, v, a[0], q->inverse); break;
    }
}

/* ---- to the device; tables that take long are kept in the cache on disk ------------------------------------------ */

enum { KEPT_LEAST = 4096 /* numbers */ };
static const char suffix[] = ".roots";

/* The key contains the requests. false: the table is not cached, or out of memory. */
static bool key_of(const rw_fft_table *t, bool f64, char key[65])
{
    rw_text text = {0};
    if (!t->ctx || t->n < KEPT_LEAST) return false;
    rw_text_add(&text, "rechenwerk roots 2 %s%s", f64 ? "f64" : "f32", t->pairs ? " pairs" : "");
    for (int i = 0; i < t->nasked; ++i) {
        const rw_fft_asked *q = t->asked + i;
        rw_text_add(&text, " %d %d %lld %lld %lld %lld", q->what, q->inverse, (long long)q->a[0], (long long)q->a[1],
                    (long long)q->a[2], (long long)q->a[3]);
    }
    const bool done = !text.failed;
    if (done) rw_sha256_hex(text.data, text.length, key);
    rw_text_free(&text);
    return done;
}

static bool find_kept(rw_fft_table *t, const char *key, void *data, size_t bytes)
{
    rw_text kept = {0};
    const bool found = rw_cache_load(t->ctx, key, suffix, &kept) == RW_OK && kept.length == bytes;
    if (found) memcpy(data, kept.data, bytes);
    rw_text_free(&kept);
    return found;
}

static void compute(rw_fft_table *t, bool f64, void *data)
{
    double *v = f64 ? data : rw_calloc((size_t)RW_MAX(t->n, 1), sizeof *v);
    if (!v) t->failed = true;
    for (int i = 0; i < t->nasked && !t->failed; ++i) fill(t, t->asked + i, v + t->asked[i].at);
    for (int64_t i = 0; i < t->n && !t->failed && !f64; ++i) ((float *)data)[i] = (float)v[i];
    if (!f64) rw_free(v);
}

static void fetch(rw_fft_table *t, bool f64, void *data)
{
    const size_t bytes = (size_t)t->n * (f64 ? 8 : 4);
    char key[65];
    const bool kept = key_of(t, f64, key);
    if (kept && find_kept(t, key, data, bytes)) return;
    compute(t, f64, data);
    rw_text text = {0};
    if (!kept || t->failed) return;
    rw_text_add_bytes(&text, data, bytes);
    if (!text.failed) rw_cache_store(t->ctx, key, suffix, &text);
    rw_text_free(&text);
}

rw_status rw_fft_table_send(rw_fft_table *t, rw_device *dev, bool f64, rw_array **array)
{
    void *data;
    *array = NULL;
    rw_status status = t->failed ? RW_ERR_MEMORY
                                 : rw_array_create(dev, f64 ? RW_F64 : RW_F32, 1, (const int64_t[]){RW_MAX(t->n, 1)},
                                                   RW_MEMORY_DEVICE, array);
    if (status == RW_OK) status = rw_array_write(*array, &data);
    if (status == RW_OK) {
        memset(data, 0, f64 ? 8 : 4); /* of an empty table */
        fetch(t, f64, data);
        status = t->failed ? RW_OK : rw_array_send(*array, rw_device_queue(dev));
    }
    if (t->failed)
        status = rw_fail_memory(dev->ctx, (size_t)t->n * sizeof(double), "the twiddle factors of a transform");
    if (status != RW_OK) rw_array_destroy(array);
    rw_fft_table_free(t);
    return status;
}

void rw_fft_table_free(rw_fft_table *t)
{
    rw_free(t->asked);
    *t = (rw_fft_table){0};
}
