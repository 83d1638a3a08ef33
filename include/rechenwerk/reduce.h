/* Reductions of arrays: deterministic (same device and size: same bits), accumulated in double precision, with the
 * result on the device or on the host. A reducer is created once per operation and type.
 *
 *   rw_reducer_create(dev, RW_REDUCE_OP_NORM2, RW_F64, 0, &norm);
 *   rw_reducer_value(norm, queue, x, NULL, &value, NULL); */
#ifndef RECHENWERK_REDUCE_H
#define RECHENWERK_REDUCE_H

#include "rechenwerk/array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rw_reduce_op {
    RW_REDUCE_OP_SUM,    /* sum x */
    RW_REDUCE_OP_DOT,    /* sum conj(x) y */
    RW_REDUCE_OP_MIN,    /* real x only; +infinity for an empty array; NaN if any element is NaN */
    RW_REDUCE_OP_MAX,    /* likewise, -infinity */
    RW_REDUCE_OP_NORM1,  /* sum |x| */
    RW_REDUCE_OP_NORM2,  /* sqrt(sum |x|^2) */
    RW_REDUCE_OP_NORMMAX /* max |x|, 0 for an empty array */
} rw_reduce_op;

typedef struct rw_reducer rw_reducer;

/* dtype: F32, F64, C64, C128. group: items of a group; 0: chosen for the device. The result is F64, of sum and dot of
 * complex arrays C128.
 * Errors: ERR_ARGUMENT: a type, min and max of complex arrays; ERR_MEMORY; ERR_COMPILE. */
RW_API rw_status rw_reducer_create(rw_device *device, rw_reduce_op op, rw_dtype dtype, int group, rw_reducer **reducer);
RW_API void rw_reducer_destroy(rw_reducer **reducer);
/* result[slot] <- the reduction of x (and y for dot; otherwise NULL), on the device, without waiting. */
RW_API rw_status rw_reducer_run(rw_reducer *reducer, rw_queue *queue, rw_array *x, rw_array *y, rw_array *result,
                                int64_t slot);
/* The same with the result on the host. Waits. im: optional. */
RW_API rw_status rw_reducer_value(rw_reducer *reducer, rw_queue *queue, rw_array *x, rw_array *y, double *re,
                                  double *im);

#ifdef __cplusplus
}
#endif
#endif
