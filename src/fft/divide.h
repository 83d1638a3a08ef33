/* Division in the spectrum of a box: y <- the inverse transform of (the transform of x) / divisor. It solves (A + B + C
 * + shift) y = x where A, B and C act along one axis each and have the transforms' basis functions as eigenvectors:
 * Poisson's and Helmholtz's equation with constant coefficients.
 *
 *   rw_fft_divide_spec spec = {.ndim = 2, .shape = {1024, 1024}, .kind = {RW_FFT_DST2, RW_FFT_REAL}};
 *   rw_fft_divide_create(dev, &spec, &divide);
 *   rw_fft_divide_set(divide, (const double *const[]){lambda_0, lambda_1}, shift, queue);
 *   rw_fft_divide_execute(divide, x, 1, y, queue);
 *
 * Each axis has a real transform of its own. All axes but one go forward, that one goes forward, is divided and goes
 * back in one pass (rw_fft_add_division), and the others go back: d axes take 2 d - 1 passes, each of which reads and
 * writes each element once. Between passes elements are in y. An axis that is a convolution (a prime factor above 31)
 * or too long for a group's memory takes more passes. */
#ifndef RW_FFT_DIVIDE_H
#define RW_FFT_DIVIDE_H

#include "rechenwerk/fft.h"

/* What a plan does along the transformed axes: all of it; forward alone; back alone, normalised. */
typedef enum rw_fft_part { RW_FFT_DIVIDED, RW_FFT_FORWARD, RW_FFT_BACK } rw_fft_part;

/* A zeroed member has its default; ndim, shape and kind are required. */
typedef struct rw_fft_divide_spec {
    bool single;                /* f32. Default: f64. */
    int ndim;                   /* 1 to RW_MAX_NDIM */
    int64_t shape[RW_MAX_NDIM]; /* of x and y, at least 1; DCT1: at least 2 */
    /* The transform of each axis: REAL (periodic), DCT1 … DST4. Results of REAL are n reals: the real part of number k
     * at k, its imaginary part at n - k. */
    rw_fft_kind kind[RW_MAX_NDIM];
    int64_t x_stride[RW_MAX_NDIM], y_stride[RW_MAX_NDIM]; /* in elements. Default: row-major without gaps. */
    /* Transformed axes, bit 1 << axis for each; the others have tables all the same. Default: all axes. */
    unsigned axes;
    rw_fft_part part; /* (default: divided) */
} rw_fft_divide_spec;

typedef struct rw_fft_divide rw_fft_divide;

/* Errors: ERR_ARGUMENT: shape, kind, strides; ERR_UNSUPPORTED: an axis that is too long; ERR_MEMORY; ERR_COMPILE.
 * Lifetime: the plan retains the device. */
rw_status rw_fft_divide_create(rw_device *device, const rw_fft_divide_spec *spec, rw_fft_divide **divide);
void rw_fft_divide_destroy(rw_fft_divide **divide);
/* Sets the divisor of the result with the indices k: shift + sum over axes d of table[d][k[d]], shape[d] values each.
 * Results with a divisor of 0 become 0. The normalisation of the transforms is not part of it. The tables are copied,
 * added in the precision of the plan. They may be set again between executions, also for recorded ones.
 * Errors: ERR_MEMORY; ERR_LAUNCH. */
rw_status rw_fft_divide_set(rw_fft_divide *divide, const double *const table[], double shift, rw_queue *queue);
/* y <- the solution for factor x: a fixed sequence of launches, which may be recorded. x and y: shape and strides of
 * the plan, f32 or f64, any offset. In place: x and y may be the same memory with the same strides. x is not written
 * otherwise.
 * Errors: ERR_ARGUMENT: other arrays, another overlap, no tables; ERR_LAUNCH.
 * Threads: executions of one plan must be ordered by one queue or by events. */
rw_status rw_fft_divide_execute(rw_fft_divide *divide, rw_array *x, double factor, rw_array *y, rw_queue *queue);
/* Passes, bytes read and written, work area. */
rw_fft_info rw_fft_divide_info(const rw_fft_divide *divide);
/* One line per axis and direction with its passes and bytes per point, and one for all. Free it with rw_free. */
rw_status rw_fft_divide_explain(const rw_fft_divide *divide, char **text);

/* The angle t of basis function k, which is cos or sin of (j + offset) t at point j: a symmetric difference operator
 * with the coefficients c[-m] … c[m] has the eigenvalue c[0] + 2 sum of c[j] cos(j t). */
double rw_fft_angle(rw_fft_kind kind, int64_t n, int64_t k);

#endif
