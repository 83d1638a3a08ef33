/* Preconditioners z <- M r with M close to the inverse of a square matrix. They are set up once and applied on the
 * device.
 *
 *   rw_precond_spec spec;
 *   rw_precond *M;
 *   rw_precond_parse(ctx, "ilu:level=1", &spec);
 *   rw_precond_create(rw_sparse_operator(A), RW_C128, &spec, &M);
 *   rw_precond_apply(M, r, z, rw_device_queue(dev));
 *
 * Solvers create their own from rw_krylov_spec.precond. All work on entries or on square blocks, whatever the format of
 * the matrix. Sources: docs/methods/precond.md. */
#ifndef RECHENWERK_PRECOND_H
#define RECHENWERK_PRECOND_H

#include "rechenwerk/core.h"
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_precond_method_name(rw_precond_method value);
RW_API rw_status rw_precond_method_parse(rw_context *context, const char *name, rw_precond_method *value);

/* Order of elimination. AUTO: multicolour order for ssor, and on GPUs for ilu and icc without fill, sweeps and
 * iterations; otherwise natural order. */
typedef enum rw_precond_order { RW_ORDER_AUTO, RW_ORDER_NATURAL, RW_ORDER_COLOURS } rw_precond_order;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_precond_order_name(rw_precond_order value);
RW_API rw_status rw_precond_order_parse(rw_context *context, const char *name, rw_precond_order *value);

/* Unknowns per grid node, found from the sparsity pattern: the largest block size up to 8 with a fill ratio of at least
 * 0.9. As text: ":block=auto". */
enum { RW_PRECOND_BLOCK_AUTO = -1 };

/* A zeroed member has its default. As text: "ilu0", "ilu:level=2", "icc0", "ilut:drop=1e-4:fill=20", "ssor:omega=1.3",
 * "chebyshev:degree=6", "amg:theta=0.1", "ilu0:iterations=3", "jacobi:f32", "ilu0:block=5". Ranges:
 * rw_precond_params. */
typedef struct rw_precond_spec {
    rw_precond_method method; /* (default: none) */
    int level;                /* ilu, milu, icc: level of fill (default: 0) */
    double drop;  /* ilut: entries (blocks) below drop times the norm of their row are dropped (default: 1e-3) */
    int fill;     /* ilut: entries (blocks) of a row of a factor in addition to those of A, at most (default: 10) */
    double omega; /* ssor: relaxation factor (default: 1) */
    int degree;   /* chebyshev: an application has degree - 1 products; amg: of the smoother (default: 4; amg: 2) */
    /* amg: a coupling is strong if |a_ij|^2 > theta^2 |a_ii| |a_jj|. Default: 0.08 on the finest grid, halved from grid
     * to grid. */
    double theta;
    rw_precond_order order; /* ssor, ilu, milu, ilut, icc (default: auto) */
    /* ilu, milu: number of fixed-point sweeps for the factors, over all rows at once. Default: exact factors. */
    int iterations;
    int sweeps; /* number of Jacobi sweeps of triangular solves. Default: exact, by level scheduling. */
    bool f32;   /* stored in single precision, half of the bytes; arithmetic in the precision of the vectors */
    /* stored as 16-bit integers with one scale factor per row (rw_sparse_layout): a quarter of the bytes */
    bool scaled;
    /* Block size; it must divide the number of rows. RW_PRECOND_BLOCK_AUTO: amg only. Default: the blocks of the matrix
     * if they are square and of one size, otherwise 1; amg of a matrix stored by entries: RW_PRECOND_BLOCK_AUTO. */
    int block;
    const rw_cancel *cancel; /* ends the setup when requested. Default: that of the solver, if any. */
    int64_t reserved[4];     /* 0: later members take this room, so that the size stays */
} rw_precond_spec;

/* The parameter table of rw_precond_spec. */
RW_API const rw_params *rw_precond_params(void);
/* Parses a specification (rw_params_parse). Errors: ERR_ARGUMENT with the nearest name, or the allowed values. */
RW_API rw_status rw_precond_parse(rw_context *context, const char *text, rw_precond_spec *spec);
/* Writes the text that parses to it, at most `size` bytes with the NUL. */
RW_API void rw_precond_print(const rw_precond_spec *spec, char *text, size_t size);

typedef struct rw_precond_info {
    int64_t bytes;     /* device memory of its matrices, without its vectors */
    int64_t blocks;    /* stored entries or blocks; amg: of the matrices of all grids */
    int64_t levels;    /* of level scheduling, lower and upper; amg: grids */
    double seconds;    /* of the setup */
    int block;         /* block size; 1: entries */
    double shift;      /* icc: the factors are those of A + shift diag(A) */
    int64_t shift_row; /* icc: row of the last pivot that was not positive; -1: none */
} rw_precond_info;

typedef struct rw_precond rw_precond;

/* Bytes of device memory of a preconditioner in addition to its matrix, from layout and size alone, without padding and
 * row indices. layout: NULL for an operator that is no matrix.
 * *all (optional): whether the result is complete. It is a lower bound for ilut, amg, and ilu, milu and icc with fill,
 *     whose pattern is found during the setup; rw_precond_estimate forecasts these from the entries. */
RW_API int64_t rw_precond_memory(const rw_precond_spec *spec, const rw_sparse_layout *layout,
                                 const rw_sparse_size *size, rw_dtype vectors, bool *all);

/* Memory of a preconditioner in bytes, in addition to its matrix. */
typedef struct rw_precond_bytes {
    int64_t device;       /* device memory after the setup */
    int64_t least, most;  /* bounds of `device`: equal to it, except for ilut, whose values decide */
    int64_t device_setup; /* peak of device memory during the setup, temporaries included */
    /* peak of host memory during the setup, host copies of arrays included, kernel texts (below 0.5 MB) not */
    int64_t host_setup;
} rw_precond_bytes;

/* Forecasts the memory of a preconditioner from the entries of its matrix. Nothing is allocated on the device.
 * layout: that of the matrix, from which the block size follows. vectors: type of the vectors.
 * Accuracy of device and device_setup: exact if the pattern decides (jacobi, ssor, ilu0, milu, icc0, chebyshev),
 *     padding on GPUs included; otherwise from samples: within a factor of 1.3 for ilu, milu and icc with fill (exact
 *     on GPUs), for amg (apart from 0.5 MB of its coarsest grid) and for ilut (2 if the fill of its rows differs
 *     widely). Of ilut `least` has no fill, `most` has `fill` more blocks per row and factor.
 * Accuracy of host_setup: within a factor of 1.3.
 * Cost: a fraction of the setup, and about twice the host memory of the entries; with fill on GPUs also the pattern of
 *     the factors.
 * Errors: ERR_ARGUMENT: a matrix that is not square, a block size that does not divide its rows; ERR_MEMORY. */
RW_API rw_status rw_precond_estimate_sized(rw_device *device, const rw_precond_spec *spec,
                                           const rw_sparse_layout *layout, const rw_entries *entries, rw_dtype vectors,
                                           rw_precond_bytes *bytes, size_t bytes_size);
#define rw_precond_estimate(...) rw_precond_estimate_sized(__VA_ARGS__, sizeof(rw_precond_bytes))

/* Sets up a preconditioner for vectors of type `vectors`, which must be complex for a complex operator. jacobi and
 * chebyshev take any operator whose diagonal is known, the others a matrix (rw_sparse_operator). A matrix with other
 * blocks than spec.block is converted temporarily.
 * Where: ssor, ilu and milu on GPUs, and by fixed-point sweeps everywhere, are computed on the device, in the precision
 *     of the vectors or of the matrix, whichever is higher; this needs device memory for the factors twice (sweeps:
 *     three times). All others are computed on the host in double precision.
 * icc: LL* of A + shift diag(A) for a hermitian A; both triangles are read. The shift is 0, or 1e-3, 2e-3, 4e-3 … if a
 *     pivot is not positive.
 * Errors: ERR_ARGUMENT: a matrix that is not square, a block size that does not divide its rows, values out of range;
 *     ERR_INPUT: a diagonal entry (block) that is missing, singular, or for icc not positive, or became so during the
 *     elimination, with its row; values that are not finite; ERR_MEMORY; ERR_COMPILE.
 * Lifetime: chebyshev and amg retain the operator; the others do not use it after the setup.
 * Sources: T. Manteuffel, Math. Comp. 34, 1980; C. Lin, J. More, SIAM J. Sci. Comput. 21, 1999 (shifts). */
RW_API rw_status rw_precond_create(rw_operator *op, rw_dtype vectors, const rw_precond_spec *spec,
                                   rw_precond **precond);
RW_API void rw_precond_destroy(rw_precond **precond);
/* z <- M r, without waiting. r and z: different vectors of the type and size of the setup.
 * Errors: ERR_ARGUMENT. */
RW_API rw_status rw_precond_apply(rw_precond *precond, rw_array *r, rw_array *z, rw_queue *queue);
/* Gets the specification, with its defaults filled in, but for `block`: rw_precond_info has the size in use. */
RW_API rw_status rw_precond_get_spec(const rw_precond *precond, rw_precond_spec *spec);
RW_API rw_status rw_precond_get_info_sized(const rw_precond *precond, rw_precond_info *info, size_t info_size);
#define rw_precond_get_info(...) rw_precond_get_info_sized(__VA_ARGS__, sizeof(rw_precond_info))

#ifdef __cplusplus
}
#endif
#endif
