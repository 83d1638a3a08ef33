/* Linear operators y <- alpha op(A) x + beta y on a device, for solvers and preconditioners. Matrices
 * (rechenwerk/sparse.h), equations (rechenwerk/stencil.h), multi-block grids (rechenwerk/multiblock.h) and your own
 * functions (matrix-free operators, shell matrices) are operators.
 *
 *   rw_operator_spec spec = {.rows = n, .columns = n, .type = RW_F64, .multiply = my_product, .user = me};
 *   rw_operator_create(dev, &spec, &A);
 *   rw_krylov_create(A, RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_CG}, &solver);
 *   rw_operator_destroy(&A);                   the solver retains it
 *
 * Lifetime: solvers and preconditioners retain the operator, which is destroyed with its last user. */
#ifndef RECHENWERK_OPERATOR_H
#define RECHENWERK_OPERATOR_H

#include "rechenwerk/array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_operator rw_operator;

/* A, its transpose, its conjugate transpose */
typedef enum rw_op { RW_OP_NONE, RW_OP_TRANSPOSE, RW_OP_CONJUGATE } rw_op;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_op_name(rw_op value);
RW_API rw_status rw_op_parse(rw_context *context, const char *name, rw_op *value);

/* A matrix-free operator, given by a function. */
typedef struct rw_operator_spec {
    int64_t rows, columns; /* at least 1 */
    rw_dtype type;         /* of the vectors: F32, F64, C64, C128 (default: f64) */
    /* Required. y <- op(A) x in the queue. x and y: two different arrays of shape (columns) and (rows), for a transpose
     * (rows) and (columns), on the operator's device. It must only launch kernels, since solvers record and replay it,
     * unless `direct` is set. A status other than OK ends the solve. */
    rw_status (*multiply)(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *queue);
    /* multiply may copy, wait and compute on the host: solvers call it in every iteration and record nothing (default:
     * false) */
    bool direct;
    bool transposes; /* multiply supports every op (default: RW_OP_NONE only) */
    bool hermitian;  /* the conjugate transpose is the same operator; multiply is called with RW_OP_NONE for it */
    /* (optional) Writes the `rows` diagonal entries into an array of the operator's type and device, for jacobi and
     * chebyshev. */
    rw_status (*diagonal)(void *user, rw_array *diagonal);
    void (*destroy)(void *user); /* (optional) called when the operator goes away */
    void *user;
} rw_operator_spec;

/* Creates an operator. With alpha = 1 and beta = 0 a product is `multiply` alone; other values take work vectors of the
 * operator and an additional pass that copies x or combines y.
 * Errors: ERR_ARGUMENT: sizes, type, no `multiply`; `destroy` is then not called. ERR_MEMORY. */
RW_API rw_status rw_operator_create_sized(rw_device *device, const rw_operator_spec *spec, rw_operator **op,
                                          size_t spec_size);
#define rw_operator_create(...) rw_operator_create_sized(__VA_ARGS__, sizeof(rw_operator_spec))
/* Drops the caller's reference. The operator of a matrix (rw_sparse_operator) belongs to the matrix and is not
 * destroyed. */
RW_API void rw_operator_destroy(rw_operator **op);

typedef struct rw_operator_info {
    int64_t rows, columns;
    rw_dtype type;   /* of its values; complex values require complex vectors */
    bool any_vector; /* accepts vectors of any type; otherwise of `type` only */
    bool transposes; /* supports the transpose */
    bool adjoint;    /* supports the conjugate transpose */
    bool diagonal;   /* its diagonal is known */
    bool direct;     /* products may wait; solvers record nothing */
} rw_operator_info;

/* Size, type and properties of an operator; its device. */
RW_API rw_status rw_operator_get_info_sized(const rw_operator *op, rw_operator_info *info, size_t info_size);
#define rw_operator_get_info(...) rw_operator_get_info_sized(__VA_ARGS__, sizeof(rw_operator_info))
RW_API rw_device *rw_operator_device(const rw_operator *op);

/* y <- alpha op(A) x + beta y on the device, without waiting.
 * x, y: different arrays of one type, vectors of shape (n) or k vectors side by side, shape (n, k); complex for complex
 *     values.
 * alpha, beta: pairs (re, im) (default: 1 and 0). If beta is 0, y is not read.
 * Errors: ERR_ARGUMENT: shapes, types, another device, a complex factor for real vectors. ERR_UNSUPPORTED: an op that
 *     the operator does not support. ERR_COMPILE, ERR_MEMORY: with the first product of a kind. */
RW_API rw_status rw_operator_multiply(rw_operator *op, rw_op transpose, const double alpha[2], rw_array *x,
                                      const double beta[2], rw_array *y, rw_queue *queue);
/* Writes the diagonal of a square operator into an array of shape (rows) and the operator's type.
 * Errors: ERR_UNSUPPORTED: the diagonal is not known. ERR_ARGUMENT: shape, type, device. */
RW_API rw_status rw_operator_get_diagonal(rw_operator *op, rw_array *diagonal);

#ifdef __cplusplus
}
#endif
#endif
