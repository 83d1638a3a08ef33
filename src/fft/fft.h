/* Fourier transforms of complex arrays along any axes: a pass over memory an axis, all of a line in the memory of a group.
 *
 *   X[k] = scale * sum over j of x[j] exp(-2 pi i j k / n), with `inverse` exp(+…)
 *
 * So far lengths whose prime factors are at most 31 and that fit in shared memory twice: others are ERR_UNSUPPORTED. The public header comes with the rest. */
#ifndef RW_FFT_H
#define RW_FFT_H

#include "device/device.h"

/* All zero but dtype and shape: all axes, forward, unscaled, contiguous arrays. */
typedef struct rw_fft_spec {
    rw_dtype dtype;               /* C64, C128 */
    int ndim;
    int64_t shape[RW_MAX_NDIM];
    unsigned axes;                /* a bit for each that is transformed; 0: all */
    bool inverse;
    double scale;                 /* 0: 1 */
    int64_t x_stride[RW_MAX_NDIM], y_stride[RW_MAX_NDIM]; /* in elements; all 0: contiguous */
} rw_fft_spec;

typedef struct rw_fft rw_fft;

/* ERR_ARGUMENT: dtype, shape, axes; ERR_UNSUPPORTED: a length; ERR_MEMORY, ERR_COMPILE. */
rw_status rw_fft_create(rw_device *dev, const rw_fft_spec *spec, rw_fft **fft);
void rw_fft_destroy(rw_fft **fft);
/* y <- transform of x, of the spec's shape, type and strides; x may be y. ERR_ARGUMENT for others. */
rw_status rw_fft_execute(rw_fft *fft, rw_array *x, rw_array *y, rw_queue *queue);

#endif
