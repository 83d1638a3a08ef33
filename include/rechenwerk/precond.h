/* Preconditioners: z <- M r with M near the inverse of a square matrix, made once, applied on the device by products
 * alone.
 *
 *   rw_precond_spec spec;
 *   rw_precond *M;
 *   rw_precond_parse(ctx, "ilu:level=1", &spec);
 *   rw_precond_create(rw_sparse_operator(A), RW_C128, &spec, &M);
 *   rw_precond_apply(M, r, z, rw_device_queue(dev));
 *
 * Solvers make their own from rw_krylov_spec.precond. All work on entries or on square blocks, whatever the format of
 * the matrix is. Method page: docs/methods/precond.md. */
#ifndef RECHENWERK_PRECOND_H
#define RECHENWERK_PRECOND_H

#include "rechenwerk/param.h"
#include "rechenwerk/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line */
/* clang-format off */
#define RW_PRECOND_METHOD_LIST(X)                                                                                      \
    X(JACOBI, "jacobi", "inverse of the diagonal entries, or of the diagonal blocks")                                  \
    X(SSOR, "ssor", "symmetric successive over-relaxation, rows in the order of colours")                              \
    X(ILU, "ilu", "incomplete LU: ilu0 in the pattern of the matrix, ilu1, ilu2 … with more fill")                     \
    X(MILU, "milu", "modified incomplete LU: row sums of the factors are those of the matrix")                         \
    X(ILUT, "ilut", "incomplete LU that keeps large entries")                                                          \
    X(CHEBYSHEV, "chebyshev", "Chebyshev polynomial in the matrix, for positive spectra")                              \
    X(AMG, "amg", "multigrid by smoothed aggregation: hermitian, positive (semi)definite matrices")                    \
    X(ICC, "icc",                                                                                                      \
      "incomplete Cholesky for cg: icc0, icc1 ... as ilu; shifts the diagonal where a pivot is not positive")
/* clang-format on */

typedef enum rw_precond_method {
    RW_PRECOND_NONE, /* the default */
#define RW_X(name, text, line) RW_PRECOND_##name,
    RW_PRECOND_METHOD_LIST(RW_X)
#undef RW_X
        RW_PRECOND_METHODS
} rw_precond_method;
RW_API const char *rw_precond_method_name(rw_precond_method method);

/* Order in which rows are eliminated. AUTO: colours for ssor, and on GPUs for ilu and icc without fill, sweeps and
 * iterations; else natural. */
typedef enum rw_precond_order { RW_ORDER_AUTO, RW_ORDER_NATURAL, RW_ORDER_COLOURS } rw_precond_order;

/* The unknowns per node of a grid, found from the pattern: the largest size up to 8 of blocks that are full but for a
 * tenth. As text: ":block=auto". */
enum { RW_PRECOND_BLOCK_AUTO = -1 };

/* 0 is the default of every member. As text: "ilu0", "ilu:level=2", "icc0", "ilut:drop=1e-4:fill=20", "ssor:omega=1.3",
 * "chebyshev:degree=6", "amg:theta=0.1", "ilu0:iterations=3", "jacobi:f32", "ilu0:block=5". Limits:
 * rw_precond_params. */
typedef struct rw_precond_spec {
    rw_precond_method method; /* (default: none) */
    int level;                /* ilu, milu, icc: fill that comes from fill of lower levels (default: 0) */
    /* ilut: drop entries (blocks) smaller than drop times the norm of their row (default: 1e-3) */
    double drop;
    /* ilut: entries (blocks) that a row of a factor has at most beyond that of A (default: 10) */
    int fill;
    double omega; /* ssor: relaxation (default: 1) */
    int degree;   /* chebyshev: products with the matrix and one; amg: of its smoother (default: 4; amg: 2) */
    /* amg: strong |a_ij|^2 > theta^2 |a_ii| |a_jj|; 0: 0.08 on the first grid, halved from grid to grid */
    double theta;
    rw_precond_order order; /* ssor, ilu, milu, ilut, icc (default: auto) */
    /* ilu, milu: factors by so many sweeps over all rows at once, from the blocks of A; 0: exactly */
    int iterations;
    int sweeps; /* triangular systems by so many Jacobi sweeps; 0: exactly, by level scheduling */
    bool f32;   /* stored in single precision: half of the bytes; arithmetic is that of the vectors */
    /* stored as 16-bit integers with one scale factor per row (rw_sparse_layout): a quarter of the bytes */
    bool scaled;
    /* Works on blocks of so many rows and columns, which divides the number of rows; or RW_PRECOND_BLOCK_AUTO (amg). 0:
     * the blocks in which the matrix is stored where they are square and of one size, else 1; amg of a matrix that is
     * stored by entries: RW_PRECOND_BLOCK_AUTO. */
    int block;
} rw_precond_spec;

/* Rows of rw_precond_spec. */
RW_API const rw_params *rw_precond_params(void);
/* Reads a specification from text (rw_params_parse). ERR_ARGUMENT with the nearest name, or what is allowed. */
RW_API rw_status rw_precond_parse(rw_context *context, const char *text, rw_precond_spec *spec);
/* Writes the text that reads back to it; at most `size` bytes with the NUL. */
RW_API void rw_precond_print(const rw_precond_spec *spec, char *text, size_t size);

typedef struct rw_precond_info {
    int64_t bytes;     /* of its matrices on the device; rw_precond_estimate counts its vectors too */
    int64_t blocks;    /* entries or blocks that are kept; amg: of the matrices of all grids, the first included */
    int64_t levels;    /* launches of the lower and the upper triangular system; amg: grids */
    double seconds;    /* to make it */
    int block;         /* rows of the blocks it works on; 1: entries */
    double shift;      /* icc: the factors are those of A + shift diag(A); 0: of A */
    int64_t shift_row; /* the row whose pivot was not positive, of the last shift before; -1: none */
} rw_precond_info;

typedef struct rw_precond rw_precond;

/* Bytes that one takes on the device beside its matrix, of a layout and size alone (layout NULL: of an operator that
 * is no matrix), without padding and places of rows; 0 for none. *all (NULL: not asked for): that is all; false for
 * ilut, amg, and ilu, milu and icc with fill, which find their entries while they are made: the least that is sure.
 * With entries: rw_precond_estimate. */
RW_API int64_t rw_precond_memory(const rw_precond_spec *spec, const rw_sparse_layout *layout,
                                 const rw_sparse_size *size, rw_dtype vectors, bool *all);

/* Memory of a preconditioner, in bytes, beside its matrix. */
typedef struct rw_precond_bytes {
    int64_t device;       /* device memory when it is made */
    int64_t least, most;  /* bounds of `device`: equal to it, but for ilut, whose values decide */
    int64_t device_setup; /* device memory while it is made, at most: temporaries included */
    /* host memory while it is made, at most: host copies of arrays included, not the text of kernels (less than 0.5
     * MB) */
    int64_t host_setup;
} rw_precond_bytes;

/* Forecasts the memory of a preconditioner from the entries of its matrix. Nothing is allocated on the device.
 * layout: that of the matrix, which decides on the blocks. vectors: type of the vectors.
 * device, device_setup: exact where the pattern decides (jacobi, ssor, ilu0, milu, icc0, chebyshev), padding of slices
 * on GPUs included. From samples, within a factor of 1.3, for ilu, milu and icc with fill (on GPUs exact), for amg, but
 * for 0.5 MB of its coarsest grid, and for ilut (2 where the fill of its rows differs much). Of ilut `least` has no
 * fill
 * at all, `most` has `fill` blocks more per row and factor.
 * host_setup: within a factor of 1.3.
 * Host memory of the call: about twice that of the entries, with fill on GPUs also the pattern of the factors. Cost: a
 * fraction of making the preconditioner. Errors: ERR_ARGUMENT: a matrix that is not square, a block size that does not
 * divide its rows; ERR_MEMORY. */
RW_API rw_status rw_precond_estimate(rw_device *device, const rw_precond_spec *spec, const rw_sparse_layout *layout,
                                     const rw_entries *entries, rw_dtype vectors, rw_precond_bytes *bytes);

/* For vectors of type `vectors`, complex for a complex operator. jacobi and chebyshev take any operator whose
 * diagonal is known, others a matrix (rw_sparse_operator). chebyshev and amg keep a reference to it, the others need
 * it no more. ssor, ilu and milu on GPUs, and by iterations anywhere: numbers stay on the device, which needs room
 * for the factors twice meanwhile (by iterations three times); arithmetic is that of the vectors, or of the matrix
 * where its numbers are longer. Others, and on processors: on the host, in double precision. icc of a hermitian
 * matrix: LL* of A + shift diag(A), in the form of ilu's factors, both triangles of A are read. The shift is 0, or
 * 1e-3, 2e-3, 4e-3 ... where a pivot is not positive (T. Manteuffel, Math. Comp. 34, 1980; C. Lin, J. More, SIAM J.
 * Sci. Comput. 21, 1999). ERR_INPUT: a diagonal entry that is missing or not positive. A matrix that is stored in
 * other blocks than spec.block is copied to the device in such blocks meanwhile. ERR_ARGUMENT: a matrix that is not
 * square, a block size that does not divide its rows, numbers out of range; ERR_INPUT: a diagonal entry (block) that
 * is missing or singular, or has become so on the way, with its row; numbers that are not finite. ERR_MEMORY,
 * ERR_COMPILE. */
RW_API rw_status rw_precond_create(rw_operator *op, rw_dtype vectors, const rw_precond_spec *spec,
                                   rw_precond **precond);
RW_API void rw_precond_destroy(rw_precond **precond);
/* z <- M r without waiting; two different vectors of the type and size it was made for, else ERR_ARGUMENT. */
RW_API rw_status rw_precond_apply(rw_precond *precond, rw_array *r, rw_array *z, rw_queue *queue);
RW_API rw_precond_info rw_precond_get_info(const rw_precond *precond);

#ifdef __cplusplus
}
#endif
#endif
