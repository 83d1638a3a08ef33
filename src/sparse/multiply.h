/* Between the front of products (multiply.c) and the formats: what a launch is made from. */
#ifndef RW_SPARSE_MULTIPLY_H
#define RW_SPARSE_MULTIPLY_H

#include "sparse/sparse.h"

/* Which rows: ALL; of an ordered matrix those of a range, y <- y - A y, in ANY order, or one after the other IN_ORDER of their places, as in rows.k. */
typedef enum rw_product_rows { RW_PRODUCT_ALL, RW_PRODUCT_ANY, RW_PRODUCT_IN_ORDER } rw_product_rows;

/* The kernels for a kind of product: made when first asked for. */
typedef struct rw_product_program {
    rw_dtype vector;
    rw_op op;
    int vectors; /* computed at once */
    int wide;    /* loaded at once: 16 bytes of neighbouring vectors where their number allows it */
    bool alone;  /* a vector that is the only one, so that stride = 1 */
    bool dots;   /* with sums conj(w) y and |y|^2 */
    rw_product_rows ranged;
    rw_program *program;
    rw_kernel *multiply;
    rw_kernel *finish, *more; /* where one launch does not do it all: sums of pieces; tails or long rows */
    struct rw_product_program *next;
} rw_product_program;

/* y <- alpha op(A) x + beta z for program->vectors of `stride` side by side: element k of vector v at
 * stride k + x_from + v in x, at stride k + y_from + v in y, z and w. With sums: part[g] and part[g + groups] are
 * real and imaginary part of a group's conj(w) y, part[g + 2 groups] its |y|^2. */
typedef struct rw_product {
    const rw_product_program *program;
    rw_array *x, *y, *z, *w, *part;
    int stride;
    int64_t x_from, y_from;
    int64_t from, to; /* ranged: places of an ordered matrix */
    double alpha[2], beta[2];
} rw_product;

enum { RW_PRODUCT_ARGS = 27, RW_PRODUCT_VECTORS = 8 };

/* Puts the arguments that all kernels share behind the n that are there; gives their number. */
int rw_product_args(const rw_sparse *m, const rw_product *p, rw_arg *args, int n);
/* Room for `sections` sums a row and vector, in m->scratch. */
rw_status rw_product_scratch(rw_sparse *m, const rw_product *p, int64_t sections);
/* y <- alpha (sums over sections of the scratch) + beta z */
rw_status rw_product_finish(rw_sparse *m, const rw_product *p, int64_t sections, rw_queue *q);
/* p->program <- the one that leaves no sums. */
rw_status rw_product_without_sums(rw_sparse *m, rw_product *p);
void rw_products_free(rw_sparse *m);
/* Items of a group of kernels that take an element each. */
int rw_product_group(const rw_sparse *m);
/* ERR_ARGUMENT: a complex matrix with real vectors, vectors that a map without entries does not take; ERR_UNSUPPORTED: an op that it does not have. */
rw_status rw_product_check(const rw_sparse *m, rw_op op, rw_dtype vectors);
rw_status rw_free_check(const rw_sparse *m, rw_op op, rw_dtype vectors); /* free.c */

/* y <- op(A) x, z and w as above; all checked by the caller. With part != NULL the sums, for one vector: *groups of them; part must hold
 * 3 rw_product_groups(m) numbers f64. */
int64_t rw_product_groups(const rw_sparse *m, rw_op op);
rw_status rw_product_run(rw_sparse *m, rw_op op, const double alpha[2], rw_array *x, const double beta[2], rw_array *z, rw_array *y, rw_array *w, rw_array *part, rw_queue *q);
/* The same of one vector that begins at x_from in x, and at y_from in y, z and w. */
rw_status rw_product_run_at(rw_sparse *m, const double alpha[2], rw_array *x, int64_t x_from, const double beta[2], rw_array *z, rw_array *y, int64_t y_from, rw_array *w, rw_array *part,
                            rw_queue *q);

/* A matrix in slices (SELL, BSELL) for GPUs, in rows (CSR, BCSR) for processors, whose block row i lies at place position[i], a permutation. */
rw_status rw_sparse_create_ordered(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks, const int64_t *position, rw_sparse **matrix);
/* The same, or with position = NULL as the layout says, for values that kernels write: they are 0 on the device, and the host has none until it asks. */
rw_status rw_sparse_create_there(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks, const int64_t *position, rw_sparse **matrix);
/* Bytes on the device of a matrix with these blocks, padding included; position: of one that rw_sparse_create_ordered
 * makes, else NULL. Nothing is made. */
rw_status rw_sparse_bytes(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                          const int64_t *position, double *bytes);
/* y <- y - A y of the rows at places from … to - 1, of which each has a block, and none a column among them. */
rw_status rw_product_range(rw_sparse *m, rw_array *y, int64_t from, int64_t to, rw_queue *q);
/* The same of all rows, in rows, one after the other: a row may have columns among those at places before its own. */
rw_status rw_product_in_order(rw_sparse *m, rw_array *y, rw_queue *q);

#endif
