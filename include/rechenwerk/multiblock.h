/* Matrices of multi-block structured grids of a time-linearised flow solver: generated test matrices with blocks of
 * 5 x 5, their preparation for kernels, and the operator of all grid blocks in one process, with the exchange of ghost
 * cells on the device; grids in CGNS files.
 *
 *   rw_multiblock_spec grid = {
 *       .cells = {10, 40, 20}, .blocks = {8, 1, 1}, .mode = RW_MULTIBLOCK_INNER, .periodic = true};
 *   rw_multiblock_create(dev, &grid, &layout, &op);                          8 grid blocks along x
 *   rw_multiblock_vector(op, RW_C128, &x), rw_multiblock_vector(op, RW_C128, &y);
 *   rw_multiblock_multiply(op, NULL, x, NULL, y, rw_device_queue(dev));      ghosts of x, then y <- A x in each block
 *   rw_multiblock_operator(op, RW_C128, &A);                                 for a solver:
 *   rw_krylov_create(A, RW_C128, &spec, &solver);
 *
 * The grid is a product of the axes x, theta and r, always named in this order, and is divided into equal grid blocks.
 * A cell has five unknowns; the coupling of two cells is a block of 5 x 5 entries. Cells are numbered with theta
 * fastest, then x, then r.
 * Ghost cells surround each grid block in two layers along the axes that the stencil couples. Inner ghost cells are
 * copies of cells of neighbouring grid blocks; outer ghost cells lie outside the whole grid.
 * Source: docs/methods/multiblock.md. */
#ifndef RECHENWERK_MULTIBLOCK_H
#define RECHENWERK_MULTIBLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/operator.h"
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_multiblock_stencil_name(rw_multiblock_stencil value);
RW_API rw_status rw_multiblock_stencil_parse(rw_context *context, const char *name, rw_multiblock_stencil *value);

/* Couplings to cells outside the grid block: name, text, one line */
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_multiblock_mode_name(rw_multiblock_mode value);
RW_API rw_status rw_multiblock_mode_parse(rw_context *context, const char *name, rw_multiblock_mode *value);

/* Numbering of rows and columns: name, text, one line */
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_multiblock_index_name(rw_multiblock_index value);
RW_API rw_status rw_multiblock_index_parse(rw_context *context, const char *name, rw_multiblock_index *value);

/* Specification of a grid. A zeroed member has its default; `cells` is required. As text:
 * "cells=10x40x20:blocks=8:ns3d:full:periodic:complex:omega=0.1".
 * Limits: 1e12 cells and 1e6 grid blocks in all; one cell along r for stencils of two axes; omega = 0 for real
 *     matrices. */
typedef struct rw_multiblock_spec {
    int64_t cells[3];              /* cells of one grid block along x, theta, r; each 1 … 1,000,000 */
    int64_t blocks[3];             /* grid blocks along x, theta, r (default: 1x1x1) */
    rw_multiblock_stencil stencil; /* (default: euler3d) */
    rw_multiblock_mode mode;       /* (default: truncated) */
    bool periodic;                 /* the first and the last cells along theta are neighbours (as text: periodic) */
    bool is_complex;               /* complex values (as text: complex) */
    /* the diagonal of a complex matrix has the term i omega V; V is the volume of the cell divided by the mean volume
     * (default: 0) */
    double omega;
    uint64_t seed; /* seed of the random values, 0 … 2^53 (default: 0) */
    bool zeros;    /* blocks have structural zeros: 54 of the 65 entries of a 3D Euler row are stored */
} rw_multiblock_spec;

/* The parameter table of rw_multiblock_spec. */
RW_API const rw_params *rw_multiblock_params(void);

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Sizes of the matrix of one grid block, or of all of them (RW_MULTIBLOCK_ALL). */
typedef struct rw_multiblock_size {
    int64_t grid_blocks;   /* grid blocks of the whole grid */
    int64_t cells;         /* cells without ghost cells */
    int64_t extended;      /* cells with ghost cells */
    int64_t rows, columns; /* rows and columns of the matrix: 5 per cell that the index counts */
    int64_t blocks;        /* blocks of 5 x 5 entries */
    int64_t values;        /* stored values, 25 per block */
    int64_t entries;       /* values that are not structurally zero */
    int64_t vector;        /* length of a vector with ghost cells */
    int64_t value_bytes;   /* bytes of the stored values in the given type */
    /* bytes of the indices of bcsr, 4 each: a column per block, a start per row and one more; STORED: also the cell of
     * each row */
    int64_t index_bytes;
} rw_multiblock_size;
/* Computes the sizes; nothing is allocated.
 * block: 0 … grid blocks - 1, with x fastest, then theta, then r; or RW_MULTIBLOCK_ALL: all grid blocks, one after
 *     another.
 * index: COMPACT is possible only if no coupling leads to a ghost cell: mode TRUNCATED, or mode INNER for all grid
 *     blocks.
 * Errors: ERR_ARGUMENT: an invalid specification, block or index. */
RW_API rw_status rw_multiblock_measure_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                             rw_multiblock_index index, rw_dtype values, rw_multiblock_size *size,
                                             size_t spec_size, size_t size_size);
#define rw_multiblock_measure(...)                                                                                     \
    rw_multiblock_measure_sized(__VA_ARGS__, sizeof(rw_multiblock_spec), sizeof(rw_multiblock_size))

/* Index of a cell, ghost cells counted: theta + g + (ntheta + 2 g)(x + g + (nx + 2 g)(r + h)). g = 2 is the number of
 * ghost layers; along r it is h = 2 for stencils of three axes, otherwise h = 0.
 * x, theta: -g … n + g - 1; r: -h … n + h - 1; the cells of the grid block are 0 … n - 1. */
RW_API int64_t rw_multiblock_cell_sized(const rw_multiblock_spec *spec, int64_t x, int64_t theta, int64_t r,
                                        size_t spec_size);
#define rw_multiblock_cell(...) rw_multiblock_cell_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Creates the sparsity pattern of the matrix of a grid block, or of all (RW_MULTIBLOCK_ALL). Free it with
 * rw_multiblock_free.
 * layout: NULL for blocks of 5 x 5. Otherwise the pattern is what rw_sparse_estimate and rw_sparse_create expect for
 *     this layout: single entries without structural zeros for formats without blocks, with block sizes for VBCSR.
 * Errors: ERR_ARGUMENT: those of rw_multiblock_measure, blocks other than 5 x 5; ERR_MEMORY. */
RW_API rw_status rw_multiblock_pattern_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                             rw_multiblock_index index, const rw_sparse_layout *layout,
                                             rw_sparse_blocks *pattern, size_t spec_size);
#define rw_multiblock_pattern(...) rw_multiblock_pattern_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))
/* Frees the arrays of a pattern that rw_multiblock_pattern, rw_multiblock_trace or rw_multiblock_prepare has
 * created. */
RW_API void rw_multiblock_free(rw_sparse_blocks *pattern);

/* Creates the matrix of a grid block, or of all, with its values. A value is a function of the seed, the cell of the
 * whole grid, the offset of the coupling and the entry: it is the same in all layouts, modes and divisions of the grid,
 * and on every machine.
 * layout: required; blocks of 5 x 5 in formats with blocks. A real specification may have a complex layout.
 * Memory, in addition to the matrix: its pattern (8 bytes per block, or per entry in formats without blocks) and a
 *     buffer of up to 8 MB. Values are assembled in place.
 * Errors: those of rw_multiblock_pattern and rw_sparse_create; ERR_ARGUMENT: a complex specification with a real
 *     layout; ERR_MEMORY: the values exceed the memory of the device. */
RW_API rw_status rw_multiblock_assemble_sized(rw_device *device, const rw_multiblock_spec *spec, int64_t block,
                                              rw_multiblock_index index, const rw_sparse_layout *layout,
                                              rw_sparse **matrix, size_t spec_size);
#define rw_multiblock_assemble(...) rw_multiblock_assemble_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* ---- preparation ------------------------------------------------------------------------------------------------- */

/* Marks a ghost cell in the row starts: it has no row. */
typedef enum rw_multiblock_placeholder {
    RW_MULTIBLOCK_EMPTY,    /* its start equals the next one */
    RW_MULTIBLOCK_SENTINEL, /* its start is -1 */
} rw_multiblock_placeholder;

/* Creates the pattern of a grid block in the form that the flow solver uses: index EXTENDED with placeholders. Free it
 * with rw_multiblock_free. Row starts of -1 (SENTINEL) are not accepted by rw_sparse_create.
 * Errors: those of rw_multiblock_pattern. */
RW_API rw_status rw_multiblock_trace_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                           rw_multiblock_placeholder placeholder, rw_sparse_blocks *trace,
                                           size_t spec_size);
#define rw_multiblock_trace(...) rw_multiblock_trace_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* Removes the placeholders, of both kinds, from the row starts. *stored has the remaining rows; (*row)[i] is the row of
 * `trace` that became row i. Columns are unchanged. Free *stored with rw_multiblock_free and *row with rw_free.
 * Errors: ERR_ARGUMENT with the row: starts that descend, negative starts other than -1, a last start that is not the
 *     number of blocks, columns out of range or not ascending; ERR_MEMORY. */
RW_API rw_status rw_multiblock_prepare(rw_context *context, const rw_sparse_blocks *trace, rw_sparse_blocks *stored,
                                       int64_t **row);

/* ---- the operator of all grid blocks ----------------------------------------------------------------------------- */

typedef struct rw_multiblock rw_multiblock;

/* Creates the operator: the matrix of each grid block with index EXTENDED in this layout, and the lists of the
 * exchange, on the device. bell and ell also store padding for the rows of ghost cells; bcsr, and bsell with the option
 * s1000000, do not.
 * Errors: those of rw_multiblock_assemble.
 * Lifetime: the operator retains the device.
 * Threads: one at a time. */
RW_API rw_status rw_multiblock_create_sized(rw_device *device, const rw_multiblock_spec *spec,
                                            const rw_sparse_layout *layout, rw_multiblock **op, size_t spec_size);
#define rw_multiblock_create(...) rw_multiblock_create_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))
RW_API void rw_multiblock_destroy(rw_multiblock **op);
/* The matrix of a grid block, or NULL if there is no such grid block. Lifetime: it belongs to the operator. */
RW_API rw_sparse *rw_multiblock_matrix(rw_multiblock *op, int64_t block);
RW_API const rw_multiblock_spec *rw_multiblock_get_spec(const rw_multiblock *op);

/* Creates a vector of zeros: all grid blocks one after another, ghost cells included. Unknown u of cell c
 * (rw_multiblock_cell) of grid block b is entry 5 (b extended + c) + u, with `extended` cells per grid block.
 * Errors: ERR_ARGUMENT: the type is not F32, F64, C64 or C128; ERR_MEMORY. */
RW_API rw_status rw_multiblock_vector(rw_multiblock *op, rw_dtype type, rw_array **vector);
/* Copies cells of neighbouring grid blocks to the inner ghost cells of x that the stencil reaches, in one launch. Mode
 * TRUNCATED has none. Outer ghost cells are unchanged.
 * Errors: ERR_ARGUMENT: x is not a vector of the operator; ERR_COMPILE, ERR_MEMORY: with the first vector of a type. */
RW_API rw_status rw_multiblock_exchange(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* Sets the same ghost cells to 0, so that reductions over a vector count each cell once.
 * Errors: those of rw_multiblock_exchange. */
RW_API rw_status rw_multiblock_clear(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* Exchanges the ghost cells of x, then computes y <- alpha A x + beta y in each grid block. Ghost cells of y are
 * multiplied by beta. x and y: different vectors of one type; alpha, beta: as in rw_operator_multiply (NULL: 1 and 0).
 * After the first call for vectors of a type it only launches kernels and may be recorded.
 * Errors: ERR_ARGUMENT: vectors, types, a complex factor for real vectors; ERR_COMPILE, ERR_MEMORY. */
RW_API rw_status rw_multiblock_multiply(rw_multiblock *op, const double alpha[2], rw_array *x, const double beta[2],
                                        rw_array *y, rw_queue *queue);

/* Creates the operator of the whole grid for solvers, for vectors of rw_multiblock_vector of this type. The ghost cells
 * of right-hand sides and initial guesses must be 0; those of solutions are then 0. In mode FULL outer ghost cells are
 * also 0. The preconditioners jacobi and chebyshev are available; transposes are not supported.
 * Errors: ERR_ARGUMENT: a type other than F32, F64, C64, C128, a real type for complex matrices; ERR_MEMORY.
 * Lifetime: *whole retains `op`. */
RW_API rw_status rw_multiblock_operator(rw_multiblock *op, rw_dtype type, rw_operator **whole);

/* ---- CGNS files -------------------------------------------------------------------------------------------------- */

/* Grids of flow solvers in CGNS files. Link librechenwerk-run. */

/* Reads cells, grid blocks and periodicity from a CGNS file into *spec; the other members are unchanged. The file must
 * contain structured zones of equal size that fill a regular arrangement, i along x, j along theta, k along r, joined
 * by 1-to-1 interfaces of whole faces. theta is periodic if its ends have interfaces.
 * Errors: ERR_INPUT: another kind of grid, or a grid that does not suit the stencil; ERR_UNSUPPORTED: librechenwerk-run
 *     was built without libcgns; ERR_FILE; ERR_MEMORY. *spec is then unchanged. */
RW_API rw_status rw_multiblock_read_cgns_sized(rw_context *context, const char *path, rw_multiblock_spec *spec,
                                               size_t spec_size);
#define rw_multiblock_read_cgns(...) rw_multiblock_read_cgns_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

#ifdef __cplusplus
}
#endif
#endif
