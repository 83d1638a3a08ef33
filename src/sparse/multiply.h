/* Interface between the products (multiply.c) and the formats: the data for a launch. */
#ifndef RW_SPARSE_MULTIPLY_H
#define RW_SPARSE_MULTIPLY_H

#include "sparse/sparse.h"

/* Which rows: ALL; or, y <- y - A y for a range of rows of a permuted matrix, in ANY order or sequentially IN_ORDER of
 * their positions, as in rows.k. */
typedef enum rw_product_rows { RW_PRODUCT_ALL, RW_PRODUCT_ANY, RW_PRODUCT_IN_ORDER } rw_product_rows;

/* The kernels for a kind of product; compiled at first use. */
typedef struct rw_product_program {
    rw_dtype vector;
    rw_op op;
    int vectors; /* computed at once */
    int wide;    /* vectors per load: 16 bytes of adjacent vectors if their number allows it */
    bool alone;  /* only one vector, so that stride = 1 */
    bool dots;   /* with partial sums of conj(w) y and |y|^2 */
    rw_product_rows ranged;
    rw_program *program;
    rw_kernel *multiply;
    rw_kernel *finish, *more; /* for products of several launches: sums of pieces; tails or long rows */
    struct rw_product_program *next;
} rw_product_program;

/* One pass over the matrix, for program->vectors of the vectors of a product. */
typedef struct rw_pass {
    const rw_product_program *program;
    rw_product of;    /* x_from and y_from are those of the first vector */
    int64_t from, to; /* ranged: positions in a permuted matrix */
} rw_pass;

enum { RW_PRODUCT_VECTORS = 8 };

/* Appends the arguments that all kernels share to the first n; returns the new number. */
int rw_pass_args(const rw_sparse *m, const rw_pass *p, rw_arg *args, int n);
/* Allocates m->scratch for `sections` sums per row and vector. *made (may be NULL): the array is new. */
rw_status rw_pass_scratch(rw_sparse *m, const rw_pass *p, int64_t sections, bool *made);
/* y <- alpha (sums over sections of the scratch) + beta z */
rw_status rw_pass_finish(rw_sparse *m, const rw_pass *p, int64_t sections, rw_queue *q);
/* p->program <- the program without dot products. */
rw_status rw_pass_without_sums(rw_sparse *m, rw_pass *p);
void rw_products_free(rw_sparse *m);

rw_status rw_sparse_run(rw_operator *a, const rw_product *p, rw_queue *q);
int64_t rw_sparse_groups(const rw_operator *a, rw_op op);

#endif
