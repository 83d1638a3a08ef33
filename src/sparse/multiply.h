/* Between the front of products (multiply.c) and the formats: what a launch is made from. */
#ifndef RW_SPARSE_MULTIPLY_H
#define RW_SPARSE_MULTIPLY_H

#include "sparse/sparse.h"

/* Which rows: ALL; of an ordered matrix those of a range, y <- y - A y, in ANY order, or one after the other IN_ORDER
 * of their places, as in rows.k. */
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

/* A pass over the matrix: program->vectors of those of a product. */
typedef struct rw_pass {
    const rw_product_program *program;
    rw_product of;    /* with x_from and y_from of the first vector */
    int64_t from, to; /* ranged: places of an ordered matrix */
} rw_pass;

enum { RW_PRODUCT_VECTORS = 8 };

/* The arguments that all kernels share, appended to the n that are there; returns their number. */
int rw_pass_args(const rw_sparse *m, const rw_pass *p, rw_arg *args, int n);
/* Room for `sections` sums a row and vector, in m->scratch; *made (NULL: not asked for): it is new. */
rw_status rw_pass_scratch(rw_sparse *m, const rw_pass *p, int64_t sections, bool *made);
/* y <- alpha (sums over sections of the scratch) + beta z */
rw_status rw_pass_finish(rw_sparse *m, const rw_pass *p, int64_t sections, rw_queue *q);
/* p->program <- the one that leaves no sums. */
rw_status rw_pass_without_sums(rw_sparse *m, rw_pass *p);
void rw_products_free(rw_sparse *m);

rw_status rw_sparse_run(rw_operator *a, const rw_product *p, rw_queue *q);
int64_t rw_sparse_groups(const rw_operator *a, rw_op op);

#endif
