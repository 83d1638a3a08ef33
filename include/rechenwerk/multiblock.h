/* Multi-block structured grids of a time-linearised flow solver: matrices of 5 x 5 blocks like the solver's, made from
 * a few numbers; their preparation for kernels; and the operator of all grid blocks in one process, with the exchange
 * of ghost cells on the device.
 *
 *   rw_multiblock_spec grid = {
 *       .cells = {10, 40, 20}, .blocks = {8, 1, 1}, .mode = RW_MULTIBLOCK_INNER, .periodic = true};
 *   rw_multiblock_create(dev, &grid, &layout, &op);                          8 grid blocks along x
 *   rw_multiblock_vector(op, RW_C128, &x), rw_multiblock_vector(op, RW_C128, &y);
 *   rw_multiblock_multiply(op, NULL, x, NULL, y, rw_device_queue(dev));      ghosts of x, then y <- A x in each block
 *   rw_multiblock_operator(op, RW_C128, &A);                                 for a solver:
 *   rw_krylov_create(A, RW_C128, &spec, &solver);
 *
 * The grid is x times theta times r, cut into equal grid blocks. A cell has five unknowns, a coupling of two cells is a
 * block of 5 x 5. Around each grid block lie ghost cells, two wide, along the axes that the stencil couples: inner
 * ones, which are cells of neighbours, and outer ones, where the grid ends. Cells are numbered with theta fastest, then
 * x, then r. Axes are always named in the order x, theta, r. Source: docs/methods/multiblock.md. */
#ifndef RECHENWERK_MULTIBLOCK_H
#define RECHENWERK_MULTIBLOCK_H

#include "rechenwerk/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RW_MULTIBLOCK_UNKNOWNS = 5, RW_MULTIBLOCK_ALL = -1 };

/* name, text, axes, cells, one line */
/* clang-format off */
#define RW_MULTIBLOCK_STENCIL_LIST(X)                                                                                  \
    X(EULER3D, "euler3d", 3, 13, "the cell and the next two along each axis and direction")                            \
    X(EULER2D, "euler2d", 2, 9, "the same along x and theta only: nr is 1")                                            \
    X(NS2D, "ns2d", 2, 13, "euler2d and the diagonal neighbours")                                                      \
    X(NS3D, "ns3d", 3, 25, "all cells at most two steps away")
/* clang-format on */

typedef enum rw_multiblock_stencil {
#define RW_X(name, text, axes, cells, line) RW_MULTIBLOCK_##name,
    RW_MULTIBLOCK_STENCIL_LIST(RW_X)
#undef RW_X
        RW_MULTIBLOCK_STENCILS
} rw_multiblock_stencil;

/* What becomes of couplings that leave the grid block: name, text, one line */
/* clang-format off */
#define RW_MULTIBLOCK_MODE_LIST(X)                                                                                     \
    X(TRUNCATED, "truncated", "none is kept: each grid block stands alone")                                            \
    X(INNER, "inner",                                                                                                  \
      "those to cells of other grid blocks (and across the periodic border) are kept: the operator of the whole grid") \
    X(FULL, "full", "all are kept; the caller supplies the outer ghost values")
/* clang-format on */

typedef enum rw_multiblock_mode {
#define RW_X(name, text, line) RW_MULTIBLOCK_##name,
    RW_MULTIBLOCK_MODE_LIST(RW_X)
#undef RW_X
        RW_MULTIBLOCK_MODES
} rw_multiblock_mode;

/* How cells are numbered: name, text, one line */
/* clang-format off */
#define RW_MULTIBLOCK_INDEX_LIST(X)                                                                                    \
    X(COMPACT, "compact", "neither rows nor columns count ghost cells: a square matrix for solvers")                   \
    X(EXTENDED, "extended", "rows and columns count ghost cells too; their rows are empty")                            \
    X(STORED, "stored", "rows without ghost cells, columns with them: what is left after preparation")
/* clang-format on */

typedef enum rw_multiblock_index {
#define RW_X(name, text, line) RW_MULTIBLOCK_##name,
    RW_MULTIBLOCK_INDEX_LIST(RW_X)
#undef RW_X
        RW_MULTIBLOCK_INDICES
} rw_multiblock_index;

RW_API const char *rw_multiblock_stencil_name(rw_multiblock_stencil stencil);
RW_API const char *rw_multiblock_mode_name(rw_multiblock_mode mode);
RW_API const char *rw_multiblock_index_name(rw_multiblock_index index);

/* 0 is the default of every member but `cells`. As text:
 * "cells=10x40x20:blocks=8:ns3d:full:periodic:complex:omega=0.1". */
typedef struct rw_multiblock_spec {
    int64_t cells[3];              /* of one grid block along x, theta, r; each 1 … 1,000,000 */
    int64_t blocks[3];             /* grid blocks along x, theta, r (default: 1x1x1) */
    rw_multiblock_stencil stencil; /* (default: euler3d) */
    rw_multiblock_mode mode;       /* (default: truncated) */
    bool periodic;                 /* the first and the last cells along theta are neighbours */
    bool is_complex;               /* as text: complex */
    /* i omega V on the diagonal of a complex matrix, V the volume of the cell (default: 0) */
    double omega;
    uint64_t seed; /* of the random values (default: 0) */
    bool zeros;    /* blocks have structural zeros: 54 of 65 entries of an Euler row in 3D are there */
} rw_multiblock_spec;

/* Rows of rw_multiblock_spec. */
RW_API const rw_params *rw_multiblock_params(void);

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Of a grid block, or of all (RW_MULTIBLOCK_ALL); nothing is allocated to know it. */
typedef struct rw_multiblock_size {
    int64_t grid_blocks;   /* of the whole grid */
    int64_t cells;         /* without ghosts */
    int64_t extended;      /* with ghosts */
    int64_t rows, columns; /* of the matrix, 5 a cell that the index counts */
    int64_t blocks;        /* couplings: 5 x 5 blocks of the matrix */
    int64_t values;        /* numbers in them, 25 each */
    int64_t entries;       /* of those that are not structurally zero */
    int64_t vector;        /* numbers of a vector with ghosts */
    int64_t value_bytes;   /* of the values in the type asked for */
    /* of bcsr, 4 each: a column a block, a start a row and one more; for STORED the number of each row too */
    int64_t index_bytes;
} rw_multiblock_size;
/* block: 0 … grid blocks - 1, x fastest, then theta, then r; or RW_MULTIBLOCK_ALL: the grid blocks one after the
 * other. COMPACT needs that no coupling leads to a ghost: mode TRUNCATED, or INNER of ALL grid blocks. ERR_ARGUMENT: a
 * specification, block or index that is wrong. */
RW_API rw_status rw_multiblock_measure(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                       rw_multiblock_index index, rw_dtype values, rw_multiblock_size *size);

/* Number of a cell with ghosts: theta + g + (ntheta + 2 g)(x + g + (nx + 2 g)(r + h)); g = 2 ghost cells, h = 2 along r
 * where the stencil has three axes, else 0. x, theta, r: from -g … n + g - 1, the cells of the grid block from 0. */
RW_API int64_t rw_multiblock_cell(const rw_multiblock_spec *spec, int64_t x, int64_t theta, int64_t r);

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Where the matrix of a grid block, or of all, has blocks. With a layout it is the pattern that this layout takes
 * (rw_sparse_estimate, rw_sparse_create): single entries without structural zeros for formats without blocks, sizes for
 * VBCSR; NULL: blocks of 5 x 5. ERR_ARGUMENT; ERR_MEMORY. */
RW_API rw_status rw_multiblock_pattern(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                       rw_multiblock_index index, const rw_sparse_layout *layout,
                                       rw_sparse_blocks *pattern);
RW_API void rw_multiblock_free(rw_sparse_blocks *pattern);

/* The matrix with its values, put block by block where they stay: beside the matrix there is its pattern (8 bytes a
 * block, in formats without blocks an entry) and a piece of at most 8 MB. Values follow from (seed, cell of the whole
 * grid, offset, entry): they are the same in all layouts, modes and cuts of the grid, and on every machine. Layouts
 * with blocks have 5 x 5 ones. A real specification may go into a complex layout. ERR_ARGUMENT, ERR_MEMORY as of
 * rw_sparse_create. */
RW_API rw_status rw_multiblock_assemble(rw_device *device, const rw_multiblock_spec *spec, int64_t block,
                                        rw_multiblock_index index, const rw_sparse_layout *layout, rw_sparse **matrix);

/* ---- preparation ------------------------------------------------------------------------------------------------- */

/* How a row start says that a ghost cell has no row. */
typedef enum rw_multiblock_placeholder {
    RW_MULTIBLOCK_EMPTY,    /* it equals the next start */
    RW_MULTIBLOCK_SENTINEL, /* it is -1 */
} rw_multiblock_placeholder;

/* The solver's own form of a grid block's matrix: EXTENDED with placeholders. Not for rw_sparse_create where they are
 * -1. To be freed with rw_multiblock_free. */
RW_API rw_status rw_multiblock_trace(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                     rw_multiblock_placeholder placeholder, rw_sparse_blocks *trace);

/* Removes placeholders, of both kinds: *stored has the rows that are left, (*row)[i] is the number that row i had.
 * Columns stay as they are. stored->first, column and *row are new; free them with rw_multiblock_free and free().
 * ERR_ARGUMENT with the row: starts that descend, negative ones other than -1, a last one that is no number of blocks,
 * columns outside or not ascending; ERR_MEMORY. */
RW_API rw_status rw_multiblock_prepare(rw_context *context, const rw_sparse_blocks *trace, rw_sparse_blocks *stored,
                                       int64_t **row);

/* ---- the operator of all grid blocks ----------------------------------------------------------------------------- */

typedef struct rw_multiblock rw_multiblock;

/* A matrix a grid block, EXTENDED, in this layout (bell and ell pad ghost rows too: bcsr and bsell:…:s1000000 do not).
 * Matrices and the exchange's lists are brought to the device. Errors as of rw_multiblock_assemble. */
RW_API rw_status rw_multiblock_create(rw_device *device, const rw_multiblock_spec *spec, const rw_sparse_layout *layout,
                                      rw_multiblock **op);
RW_API void rw_multiblock_destroy(rw_multiblock **op);
/* The matrix of a grid block; it belongs to the operator. NULL: there is none of that number. */
RW_API rw_sparse *rw_multiblock_matrix(rw_multiblock *op, int64_t block);
RW_API const rw_multiblock_spec *rw_multiblock_get_spec(const rw_multiblock *op);

/* A vector of all grid blocks, one after the other, with ghosts, of zeros: unknown u of cell c of grid block b is
 * number 5 (b extended + c) + u. */
RW_API rw_status rw_multiblock_vector(rw_multiblock *op, rw_dtype type, rw_array **vector);
/* The inner ghosts of x that the stencil reaches become the values of the cells they stand for; one launch. In mode
 * TRUNCATED there are none. The outer ones stay as they are. ERR_ARGUMENT: x is no such vector. */
RW_API rw_status rw_multiblock_exchange(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* These ghosts become 0, so that sums over a vector count each cell once. */
RW_API rw_status rw_multiblock_clear(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* Exchange of x, then y <- alpha A x + beta y in each grid block; ghosts of y become beta times what they were (0 where
 * beta is NULL). alpha, beta and types as in rw_sparse_multiply. Launches only, once it has run for vectors of this
 * type: it may be recorded. */
RW_API rw_status rw_multiblock_multiply(rw_multiblock *op, const double alpha[2], rw_array *x, const double beta[2],
                                        rw_array *y, rw_queue *queue);

/* The operator as solvers take it, for vectors of rw_multiblock_vector and this type: right-hand sides and first
 * guesses whose ghosts are 0, as those of the solution are then. In mode FULL outer ghosts are 0 too. jacobi and
 * chebyshev have its diagonal. `op` stays the caller's and must outlive it. ERR_ARGUMENT: a type that is none, or
 * real for complex matrices; ERR_MEMORY. */
RW_API rw_status rw_multiblock_operator(rw_multiblock *op, rw_dtype type, rw_operator **whole);

#ifdef __cplusplus
}
#endif
#endif
