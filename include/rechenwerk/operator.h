/* Linear operators y <- alpha op(A) x + beta y on a device: what solvers and preconditioners take. Matrices
 * (rechenwerk/sparse.h), equations (rechenwerk/stencil.h), multi-block grids (rechenwerk/multiblock.h) and functions
 * of the caller's are such operators.
 *
 *   rw_operator_spec spec = {.rows = n, .columns = n, .type = RW_F64, .multiply = my_product, .user = me};
 *   rw_operator_create(dev, &spec, &A);
 *   rw_krylov_create(rw_sparse_operator(A), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_CG}, &solver);
 *
 * An operator goes away with its last user: a solver or preconditioner keeps a reference to it. */
#ifndef RECHENWERK_OPERATOR_H
#define RECHENWERK_OPERATOR_H

#include "rechenwerk/array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_operator rw_operator;

/* A, its transpose, its conjugate transpose */
typedef enum rw_op { RW_OP_NONE, RW_OP_TRANSPOSE, RW_OP_CONJUGATE } rw_op;

/* An operator from a function: a stencil that is computed, a product of matrices, whatever kernels can do. */
typedef struct rw_operator_spec {
    int64_t rows, columns; /* 1 and more */
    rw_dtype type;         /* F32, F64, C64, C128, of the vectors (default: f64) */
    /* y <- op(A) x, put into the queue. Only launches, since solvers record them and replay them, unless `direct`. x
     * and y are two different arrays of one dimension, whole vectors on the operator's device. */
    rw_status (*multiply)(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *queue);
    /* multiply may copy, wait, compute on the host: solvers call it in every iteration and record nothing */
    bool direct;
    bool transposes; /* multiply does every op; else RW_OP_NONE alone */
    bool hermitian;  /* the conjugate transpose is the same operator: multiply is asked for RW_OP_NONE instead */
    /* (optional) Writes the `rows` diagonal entries into an array of the type and device of the operator: for jacobi
     * and chebyshev */
    rw_status (*diagonal)(void *user, rw_array *diagonal);
    void (*destroy)(void *user); /* (optional) called when the operator goes away */
    void *user;
} rw_operator_spec;

/* A product of whole vectors with alpha = 1 and beta = 0 is `multiply` alone; others use vectors of the operator's,
 * with a pass more that copies x or combines y. ERR_ARGUMENT: sizes, type, no `multiply`; then `user` stays the
 * caller's. ERR_MEMORY. */
RW_API rw_status rw_operator_create(rw_device *device, const rw_operator_spec *spec, rw_operator **op);
/* Drops the caller's reference. The operator of a matrix (rw_sparse_operator) belongs to the matrix: it stays. */
RW_API void rw_operator_destroy(rw_operator **op);

typedef struct rw_operator_info {
    int64_t rows, columns;
    rw_dtype type;   /* of its values: complex ones need complex vectors */
    bool any_vector; /* vectors of any type; else of `type` alone */
    bool transposes; /* the transpose can be asked for */
    bool adjoint;    /* the conjugate transpose can be asked for */
    bool diagonal;   /* its diagonal is known */
    bool direct;     /* products may wait: solvers record nothing */
} rw_operator_info;

RW_API rw_status rw_operator_get_info(const rw_operator *op, rw_operator_info *info);
RW_API rw_device *rw_operator_device(const rw_operator *op);

/* y <- alpha op(A) x + beta y, on the device, without waiting. x and y: vectors, or arrays of shape (n, k) for k of
 * them side by side; of one type, real or complex (complex for complex values). alpha, beta: pairs (re, im); NULL: 1
 * and 0. With beta = 0 y is not read. x and y must be different arrays.
 * ERR_ARGUMENT: sizes, types, another device, a complex alpha or beta for real vectors. ERR_UNSUPPORTED: an op that the
 * operator does not have. With the first product of a kind: ERR_COMPILE, ERR_MEMORY. */
RW_API rw_status rw_operator_multiply(rw_operator *op, rw_op transpose, const double alpha[2], rw_array *x,
                                      const double beta[2], rw_array *y, rw_queue *queue);
/* diagonal <- the diagonal entries of a square operator: as many elements as rows, of its type. ERR_UNSUPPORTED: it
 * is not known. ERR_ARGUMENT: size, type, device. */
RW_API rw_status rw_operator_get_diagonal(rw_operator *op, rw_array *diagonal);

#ifdef __cplusplus
}
#endif
#endif
