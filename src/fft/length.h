/* How a line of complex points is transformed: its factors, or a convolution where they are too large. */
#ifndef RW_FFT_LENGTH_H
#define RW_FFT_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RW_FFT_STAGES = 24,
    RW_FFT_PRIME_MOST = 31,
    RW_FFT_RADIX = 16 /* default size of codelets */,
    RW_FFT_REGISTERS = 65536 /* of a GPU's unit */
};

/* n as a product of sizes of codelets, at most `most` but for larger primes, the largest first: as few as possible, as
 * equal as possible, so that an item of a GPU has the same number of points in every stage. 0: it has a prime factor
 * that is too large. */
int rw_fft_factors(int64_t n, int most, int radix[RW_FFT_STAGES]);

typedef enum rw_fft_method {
    RW_FFT_STOCKHAM, /* stages of codelets */
    RW_FFT_RADER,    /* n prime: a cyclic convolution of n - 1 points (Rader 1968) */
    RW_FFT_BLUESTEIN /* any n: a convolution with a chirp, of at least 2 n - 1 points (Bluestein 1970) */
} rw_fft_method;

/* A GPU's items of a line whose codelets are of these sizes, and the points that each keeps; at least 16 points are in
 * flight, but for short lines. */
typedef struct rw_fft_share {
    int items, values;
} rw_fft_share;
rw_fft_share rw_fft_share_of(int64_t n, const int *radix, int stages, int most, bool f64);

/* Target of the cost model. */
typedef struct rw_fft_target {
    int items;      /* of a GPU's group, at most; 0: a processor */
    int64_t points; /* GPU: most of a convolution in one pass */
    bool f64;
} rw_fft_target;

/* Operations and stages of n points, roughly, and the largest codelets to take for them; infinite where a factor is
 * beyond 13. */
double rw_fft_cost(const rw_fft_target *target, int64_t n, int *radix);
/* The method for n points, and the number of points of its stages. */
rw_fft_method rw_fft_length(const rw_fft_target *target, int64_t n, int64_t *points);
/* The cheapest length in [n, 2 n) with small factors. */
int64_t rw_fft_smooth(const rw_fft_target *target, int64_t n);
/* long = a b, both near its root, for transforms in two passes; false: a prime factor stands in the way, or a or b is
 * beyond `most`. */
bool rw_fft_split(int64_t n, int64_t most, int64_t *a, int64_t *b);
/* A generator of the numbers 1 … p - 1 under multiplication modulo the prime p. */
int64_t rw_fft_generator(int64_t p);

#endif
