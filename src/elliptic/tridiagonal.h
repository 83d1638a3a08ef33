/* Tridiagonal systems along one axis of an array, all lines at once:
 *
 *   a_i x_{i-1} + (b_i + w_i s) x_i + c_i x_{i+1} = r_i, i = 0 … n-1
 *
 * a, b, c and w are tables along the axis; the shift s of a line is a sum of one table per other axis: what transforms
 * along these leave of a separable operator. Or a, b, c have a value for each element: each line has its own matrix.
 * Matrices are real; a complex x has two right-hand sides per line.
 *
 * There is no pivoting. A matrix must be diagonally dominant or symmetric and positive definite; of others results lose
 * accuracy, or are not finite where a pivot is 0. NaN and infinities stay within their line. */
#ifndef RW_ELLIPTIC_TRIDIAGONAL_H
#define RW_ELLIPTIC_TRIDIAGONAL_H

#include "device/device.h"

enum { RW_TRIDIAGONAL_AXES = 3 };

/* Arrays are retained and read by each solve, so their values may change in between. They are real and have x's
 * precision. */
typedef struct rw_tridiagonal_spec {
    rw_dtype dtype; /* of x: F32, F64, C64, C128 */
    int ndim;       /* 1 to RW_TRIDIAGONAL_AXES */
    int64_t shape[RW_TRIDIAGONAL_AXES];
    int axis;
    /* [shape[axis]], or in the shape of x. a_0 and c_{n-1} have no effect unless the axis is periodic. */
    rw_array *a, *b, *c;
    rw_array *scale; /* (optional) w [shape[axis]], with tables only; default: 1 */
    /* (optional) of the other axes, in their order, with tables only; NULL: 0 */
    rw_array *shift[RW_TRIDIAGONAL_AXES - 1];
    bool cyclic; /* the axis is periodic: x_{-1} is x_{n-1}, x_n is x_0 */
    /* The first line (index 0 on all other axes) has a singular matrix whose null vector is constant. Its last equation
     * is left out, the others determine x up to a constant, and the mean of x is 0. */
    bool singular;
} rw_tridiagonal_spec;

typedef struct rw_tridiagonal rw_tridiagonal;

/* Errors: ERR_ARGUMENT with the member; ERR_MEMORY; those of rw_program_create. */
rw_status rw_tridiagonal_create(rw_device *dev, const rw_tridiagonal_spec *spec, rw_tridiagonal **plan);
/* Solves in place: x has r before and the solution after. Launches only, which may be recorded. Plans have work arrays:
 * one queue at a time. Errors: ERR_ARGUMENT: another type or shape; those of rw_launch. */
rw_status rw_tridiagonal_enqueue(rw_tridiagonal *plan, rw_array *x, rw_queue *queue);
/* Appends launches with their chunks, and bytes per element. */
void rw_tridiagonal_explain(const rw_tridiagonal *plan, rw_text *text);
/* Bytes that a solve reads and writes, the repeated reads of tables left out; bytes of work arrays. */
double rw_tridiagonal_traffic(const rw_tridiagonal *plan);
int rw_tridiagonal_launches(const rw_tridiagonal *plan);
size_t rw_tridiagonal_bytes(const rw_tridiagonal *plan);
void rw_tridiagonal_destroy(rw_tridiagonal **plan);

#endif
