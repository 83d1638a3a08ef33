/* Twiddle factors and other tables of transforms: roots of unity, chirps, their transforms. They are collected while a
 * kernel text is written, which contains their offsets. */
#ifndef RW_FFT_TABLES_H
#define RW_FFT_TABLES_H

#include "device/device.h"

typedef struct rw_fft_asked {
    int what;
    bool inverse;
    int64_t at, a[4]; /* the offset; the arguments */
} rw_fft_asked;

/* The tables that one kernel text requests; computed when they are sent. */
typedef struct rw_fft_table {
    rw_context *ctx; /* whose cache on disk stores large tables; NULL: none */
    bool pairs;      /* for GPUs: real and imaginary part in turn, which are one load */
    int64_t n;       /* numbers */
    rw_fft_asked *asked;
    int nasked, capacity;
    bool failed; /* out of memory */
} rw_fft_table;

/* Each returns the offset of what it adds: all real parts, then all imaginary parts, or `pairs`. w(a) = exp(-2 pi i a),
 * its conjugate with `inverse`. */

/* Of a stage of radix r whose stages before make p points: for k = 1 … r - 1 p values w(k b / (p r)), real parts of a k
 * and imaginary parts in turn. */
int64_t rw_fft_table_stage(rw_fft_table *t, int64_t p, int r, bool inverse);
/* The same for GPUs, pairs of real and imaginary part: for k = 1, 2, 3, 4, 8, 12, … p pairs; the others are products of
 * two of these. */
int64_t rw_fft_table_bases(rw_fft_table *t, int64_t p, int r, bool inverse);
/* w((first + k step) / of), k = 0 … n - 1. */
int64_t rw_fft_table_roots(rw_fft_table *t, int64_t n, int64_t first, int64_t step, int64_t of, bool inverse);
/* w(i l / of) at i lines + l, i = 0 … n - 1, l = 0 … lines - 1. */
int64_t rw_fft_table_strip(rw_fft_table *t, int64_t n, int64_t lines, int64_t of, bool inverse);
/* Pairs w(i step l / of) at i lines + l, i = 0 … n - 1, l = 0 … lines - 1. */
int64_t rw_fft_table_grid(rw_fft_table *t, int64_t n, int64_t step, int64_t lines, int64_t of, bool inverse);
/* w(j² / (2 m)), j = 0 … m - 1. */
int64_t rw_fft_table_chirp(rw_fft_table *t, int64_t m, bool inverse);
/* The transform of `points` points of the conjugate chirp, cyclic and divided by `points`: [k1][k2] for k = k1 + a k2,
 * a 1 for the natural order. */
int64_t rw_fft_table_bluestein(rw_fft_table *t, int64_t m, int64_t points, int64_t a, bool inverse);
/* Rader's convolution modulo the prime p: the places g^i to read, then g^-i to write, i = 0 … p - 2, as numbers; and
 * the transform of w(g^-i / p), divided by p - 1. */
int64_t rw_fft_table_places(rw_fft_table *t, int64_t p);
int64_t rw_fft_table_rader(rw_fft_table *t, int64_t p, bool inverse);

/* Sends the table to the device as f32 or f64. Frees the table in any case. */
rw_status rw_fft_table_send(rw_fft_table *t, rw_device *dev, bool f64, rw_array **array);

void rw_fft_table_free(rw_fft_table *t);

#endif
