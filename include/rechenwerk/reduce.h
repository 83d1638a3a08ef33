/* Reductions of arrays: deterministic (same device, same size: same bits), accumulated in double precision, results on
 * the device or on the host. Made once for an operation and element type, run often. */
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

/* dtype F32, F64, C64, C128. group: items of a group, 0 for the device's own choice, any number from 1 up. The result
 * is F64, for the sum and dot of complex arrays C128. */
RW_API rw_status rw_reducer_create(rw_device *device, rw_reduce_op op, rw_dtype dtype, int group, rw_reducer **reducer);
RW_API void rw_reducer_destroy(rw_reducer **reducer);
/* result[slot] <- reduction of x (and y for dot, else NULL), on the device; nothing is copied. */
RW_API rw_status rw_reducer_run(rw_reducer *reducer, rw_queue *queue, rw_array *x, rw_array *y, rw_array *result,
                                int64_t slot);
/* The same to the host; waits. im may be NULL. */
RW_API rw_status rw_reducer_value(rw_reducer *reducer, rw_queue *queue, rw_array *x, rw_array *y, double *re,
                                  double *im);

#ifdef __cplusplus
}
#endif
#endif
