/* An operator: shape, type, and a table of functions that each kind fills in (a matrix, a callback). */
#ifndef RW_OPERATOR_H
#define RW_OPERATOR_H

#include "device/device.h"
#include "rechenwerk/operator.h"

/* y <- alpha op(A) x + beta z for `vectors` interleaved vectors: element k of vector v is element vectors k + x_from +
 * v of x, and vectors k + y_from + v of y, z and w. With `part`, for one vector: part[g] and part[g + groups] are the
 * real and imaginary parts of conj(w) y summed over workgroup g, and part[g + 2 groups] is its |y|^2. */
typedef struct rw_product {
    rw_op op;
    rw_array *x, *z, *y, *w, *part; /* z may be y; w and part: NULL if no partial sums are computed */
    int vectors;
    int64_t x_from, y_from;
    double alpha[2], beta[2];
} rw_product;

typedef struct rw_operator_ops {
    /* Arguments are already checked. After the first product of a kind it only launches kernels. */
    rw_status (*run)(rw_operator *a, const rw_product *p, rw_queue *q);
    /* Workgroups that write partial sums; part has 3 groups values of f64. */
    int64_t (*groups)(const rw_operator *a, rw_op op);
    /* (optional) Sends the data that products read to the device, before a recording. */
    rw_status (*send)(rw_operator *a, rw_queue *q);
    /* Writes the diagonal to the host memory of an array of a's type. */
    rw_status (*diagonal)(rw_operator *a, rw_array *diagonal);
    void (*free)(rw_operator *a); /* its last reference is gone */
} rw_operator_ops;

struct rw_operator {
    const rw_operator_ops *ops;
    rw_device *device;
    rw_operator_info info;
    int references;
    bool embedded; /* member of a matrix, which holds a reference itself */
};

/* Sets all members except `info`; retains the device. */
void rw_operator_init(rw_operator *a, const rw_operator_ops *ops, rw_device *dev);
rw_operator *rw_operator_retain(rw_operator *a);
/* Drops a reference. */
void rw_operator_release(rw_operator **a);
/* ERR_ARGUMENT: wrong type of vectors; ERR_UNSUPPORTED: the operator does not provide this op. */
rw_status rw_operator_check(const rw_operator *a, rw_op op, rw_dtype vectors);

static inline int64_t rw_operator_groups(const rw_operator *a) { return a->ops->groups(a, RW_OP_NONE); }
static inline rw_status rw_operator_send(rw_operator *a, rw_queue *q)
{
    return a->ops->send ? a->ops->send(a, q) : RW_OK;
}
static inline rw_status rw_operator_run(rw_operator *a, const rw_product *p, rw_queue *q)
{
    return a->ops->run(a, p, q);
}
/* y <- alpha A x + beta z, x from an element on */
static inline rw_status rw_operator_apply(rw_operator *a, double alpha, rw_array *x, int64_t x_from, double beta,
                                          rw_array *z, rw_array *y, rw_queue *q)
{
    const rw_product p =
        {.x = x, .z = z, .y = y, .vectors = 1, .x_from = x_from, .alpha = {alpha, 0}, .beta = {beta, 0}};
    return rw_operator_run(a, &p, q);
}

/* ---- for kernels after values.k ---- */

enum { RW_PRODUCT_ARGS = 27 };
/* Appends the arguments from `x` on, which all product kernels share, to the first n; returns the new number. rows:
 * rows of y. scale: scale factors of rows, or NULL. */
int rw_product_args(const rw_product *p, int64_t rows, rw_array *scale, rw_arg *args, int n);
/* Adds the definitions of types: of sums (f32, f64), of stored values, of vectors. */
void rw_product_types(rw_text *definitions, const char *real, const char *stored, bool is_complex, rw_dtype vectors);

#endif
