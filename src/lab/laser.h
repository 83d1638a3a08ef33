/* The kernels of the study rates: the laser's time step unfused, with the three scalar products of P. Herbst (2020). */
#ifndef RW_LAB_LASER_H
#define RW_LAB_LASER_H

#include "device/device.h"

typedef enum rw_laser_sum { RW_LASER_ON_HOST, RW_LASER_BY_BLOCK, RW_LASER_BY_WARP } rw_laser_sum; /* (a), (c), (d) */

typedef struct rw_laser {
    rw_device *device;
    rw_laser_sum kind;
    int block;         /* items of a group */
    int64_t n, groups; /* cells; groups of the product, as many as cover its items once when 0 is given */
    int64_t parts;
    rw_program *program;
    rw_kernel *update, *multiply, *sum, *finish;
    rw_array *part, *result;
} rw_laser;

rw_status rw_laser_create(rw_device *dev, rw_laser_sum kind, int block, int64_t n, int64_t groups, rw_laser *l);
void rw_laser_free(rw_laser *l);
rw_status rw_laser_update(rw_laser *l, rw_array *N, rw_array *P, rw_array *U, rw_array *Nm, double tau, double isf,
                          double rate);
rw_status rw_laser_multiply(rw_laser *l, rw_array *product, rw_array *a, rw_array *b);
rw_status rw_laser_product(rw_laser *l, rw_array *a, rw_array *b, double *sum); /* waits */

#endif
