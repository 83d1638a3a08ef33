/* An operator: shape and type, and a table that each kind fills in (a matrix, a function of the caller's). */
#ifndef RW_OPERATOR_H
#define RW_OPERATOR_H

#include "device/device.h"
#include "rechenwerk/operator.h"

/* y <- alpha op(A) x + beta z for `vectors` side by side: element k of vector v is element
 * vectors k + x_from + v of x, and vectors k + y_from + v of y, z and w. With `part`, of one vector: part[g] and
 * part[g + groups] are real and imaginary part of a group's conj(w) y, part[g + 2 groups] its |y|^2. */
typedef struct rw_product {
    rw_op op;
    rw_array *x, *z, *y, *w, *part; /* z may be y; w and part: NULL without sums */
    int vectors;
    int64_t x_from, y_from;
    double alpha[2], beta[2];
} rw_product;

typedef struct rw_operator_ops {
    /* Everything is checked. Launches alone, once a product of the kind has run. */
    rw_status (*run)(rw_operator *a, const rw_product *p, rw_queue *q);
    int64_t (*groups)(const rw_operator *a, rw_op op); /* that leave sums each; part holds 3 groups numbers f64 */
    /* (optional) What products read is sent to the device, as recordings need it. */
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
    bool embedded; /* in a matrix, which holds a reference of its own */
};

/* Fields but `info`; the device is retained. */
void rw_operator_init(rw_operator *a, const rw_operator_ops *ops, rw_device *dev);
rw_operator *rw_operator_retain(rw_operator *a);
/* Drops a reference. */
void rw_operator_release(rw_operator **a);
/* ERR_ARGUMENT: vectors of another type; ERR_UNSUPPORTED: an op that it does not have. */
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
/* The arguments from `x` on that kernels of products share, appended to the n that are there; returns their number.
 * rows: of y. scale: of rows; NULL: none. */
int rw_product_args(const rw_product *p, int64_t rows, rw_array *scale, rw_arg *args, int n);
/* Adds the definitions of types: what is added up (f32, f64), what is stored of the operator, the vectors. */
void rw_product_types(rw_text *definitions, const char *real, const char *stored, bool is_complex, rw_dtype vectors);

#endif
