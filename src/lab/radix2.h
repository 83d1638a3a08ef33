/* Transforms of the study fft: the two kernels of M.-R. Lorbeer (2010), and radix 2 in one thread of the host. Arrays
 * of f32, pairs of real and imaginary part. */
#ifndef RW_LAB_RADIX2_H
#define RW_LAB_RADIX2_H

#include "device/device.h"

enum { RW_RADIX2_MOST = 1024 }; /* points */

typedef struct rw_radix2 {
    rw_program *program;
    rw_kernel *kernel;
    int n;
} rw_radix2;

/* version: 1 or 2. ERR_ARGUMENT: n is no power of two from 2 to 1024. */
rw_status rw_radix2_create(rw_device *dev, int version, int n, rw_radix2 *r);
void rw_radix2_free(rw_radix2 *r);
/* y <- `count` transforms of x, one after the other. */
rw_status rw_radix2_run(const rw_radix2 *r, rw_array *x, rw_array *y, int64_t count, rw_queue *queue);
/* The same on the host; roots: n / 2 pairs from rw_radix2_roots. */
void rw_radix2_host(int n, int64_t count, const float *roots, const float *x, float *y);
void rw_radix2_roots(int n, float *roots);

#endif
