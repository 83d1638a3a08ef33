/* Sparse matrices: formats, assembly, products with vectors; and what a matrix in a file looks like.
 *
 *   rw_sparse_layout layout;
 *   rw_sparse *A;
 *   rw_sparse_layout_parse(ctx, "bsell:5x5", &layout);      layout.values = RW_C128
 *   rw_sparse_create(dev, &layout, &pattern, &A);           all values zero: blocks are put right where they stay
 *   rw_sparse_add_blocks(A, n, i, j, values);
 *   rw_sparse_multiply(A, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(dev));      y <- A x
 *
 * A matrix lives on a device and has one format, in which it is kept once. Rows and columns count from 0. */
#ifndef RECHENWERK_SPARSE_H
#define RECHENWERK_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/operator.h"
#include "rechenwerk/param.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* name, text, has blocks, one line */
/* clang-format off */
#define RW_SPARSE_FORMAT_LIST(X)                                                                                       \
    X(COO, "coo", false, "coordinates: row, column and value of each entry")                                           \
    X(CSR, "csr", false, "rows: columns and values, row after row")                                                    \
    X(BCSR, "bcsr", true, "rows of blocks of one size")                                                                \
    X(VBCSR, "vbcsr", false, "rows of blocks of different sizes")                                                      \
    X(DIA, "dia", false, "diagonals, each from end to end")                                                            \
    X(ELL, "ell", false, "all rows as long as the longest, column after column")                                       \
    X(BELL, "bell", true, "ell of blocks")                                                                             \
    X(SELL, "sell", false, "slices of rows, those of a slice as long as the longest of them")                          \
    X(BSELL, "bsell", true, "sell of blocks")
/* clang-format on */

typedef enum rw_sparse_format {
    RW_SPARSE_DEFAULT, /* csr */
#define RW_X(name, text, blocks, line) RW_SPARSE_##name,
    RW_SPARSE_FORMAT_LIST(RW_X)
#undef RW_X
        RW_SPARSE_FORMATS
} rw_sparse_format;

enum { RW_SPARSE_BLOCK_MOST = 16 };

/* How a matrix is stored; 0 is the default of every member. As text: "csr", "bcsr:5x5", "bcsr:5x5:columns",
 * "sell:h32:s256", "bell:5x5:l4", "csr:f32:i64", "bsell:5x5:f32:scaled". Limits: rw_sparse_params. */
typedef struct rw_sparse_layout {
    rw_sparse_format format; /* (default: csr) */
    /* F32, F64, C64, C128 as stored; products are computed in the wider of this and the vectors' precision (default:
     * f64) */
    rw_dtype values;
    int block_rows, block_columns; /* BCSR, BELL, BSELL: 1 to 16 (default: 1) */
    /* BCSR: the entries of a block column after column ("permuted"), not row after row */
    bool columns;
    int slice; /* C, SELL and BSELL: block rows of a slice, a multiple of 32 (default: 32) */
    /* sigma, 0 or 1: none; rows are sorted by length, short ones first, within windows of as many block rows; for ELL,
     * BELL, SELL, BSELL */
    int sort;
    /* L, ELL, BELL, SELL, BSELL: rows are cut into sections of L entries or blocks that are added up apart; 0: none */
    int section;
    int index_bits; /* 32 or 64; 0: 32 where they suffice */
    /* values of F32 or C64 are stored as 16-bit integers with one scale factor per scalar row: half of the bytes, and
     * an error of up to 1.01 2^-16 of the largest value of the row. For preconditioners. Made from entries, by
     * conversion or from a file; blocks cannot be added */
    bool scaled;
} rw_sparse_layout;

/* Rows of rw_sparse_layout. */
RW_API const rw_params *rw_sparse_params(void);
/* Reads a layout from text; defaults are put in. ERR_ARGUMENT with the nearest name or what is allowed. */
RW_API rw_status rw_sparse_layout_parse(rw_context *context, const char *text, rw_sparse_layout *layout);
/* Writes the text that reads back to the layout; at most `size` bytes with the NUL. */
RW_API void rw_sparse_layout_print(const rw_sparse_layout *layout, char *text, size_t size);

/* Where a matrix has blocks (of 1 x 1 in formats without blocks). */
typedef struct rw_sparse_blocks {
    int64_t rows, columns;         /* of blocks */
    const int64_t *first, *column; /* blocks of row i: column[first[i]] … column[first[i + 1] - 1], ascending */
    /* VBCSR: scalar rows of each block row, columns of each block column, 1 to 16; NULL: all 1 */
    const int32_t *row_size, *column_size;
} rw_sparse_blocks;

/* What a matrix takes. */
typedef struct rw_sparse_size {
    int64_t rows, columns; /* scalar ones */
    int64_t blocks;        /* of the pattern */
    int64_t places;        /* values kept, padding included */
    int64_t bytes;         /* values and indices */
} rw_sparse_size;

/* Says what a matrix would take, before any memory is taken for it; a GPU may make slices equally long, which takes up
 * to 1 % more. ERR_ARGUMENT for a layout or blocks that are wrong (what and where), ERR_MEMORY for a layout that pads a
 * matrix to many times its size: the message names a better one. */
RW_API rw_status rw_sparse_estimate(rw_context *context, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                    rw_sparse_size *size);

/* ---- choosing a format ------------------------------------------------------------------------------------------- */

/* Entries on the host, in any order. */
typedef struct rw_entries {
    int64_t rows, columns, n;
    bool is_complex;
    int64_t *row, *column; /* [n], from 0 */
    double *value;         /* [n], of complex ones pairs */
} rw_entries;

/* What becomes of entries of a file that have the same row and column. */
typedef enum rw_duplicates {
    RW_DUPLICATES_REFUSE, /* ERR_INPUT with the lines of the two */
    RW_DUPLICATES_SUM,    /* their values are added in the order of the file; a pattern keeps the value 1 */
} rw_duplicates;

/* Reads a file of the Matrix Market; entries that it leaves out by symmetry are filled in.
 * Errors: ERR_INPUT with the line of what is wrong (entries given twice where they are refused, a sum that is not
 * finite); ERR_ARGUMENT: no such rule; ERR_FILE; ERR_MEMORY. Free the entries with rw_entries_free. */
RW_API rw_status rw_entries_read(rw_context *context, const char *path, rw_duplicates duplicates, rw_entries *entries);
RW_API void rw_entries_free(rw_entries *entries);

/* A layout, and what a matrix takes in it. */
typedef struct rw_sparse_candidate {
    rw_sparse_layout layout;
    bool refused; /* it would pad the matrix to many times its size: the rest is 0 */
    rw_sparse_size size;
    double fill; /* places kept for each entry: 1 without padding and without zeros in blocks */
    /* bytes of a product: what it reads of the matrix, padding and indices included, x and y once */
    double moved;
    /* bytes that a copy moves in that time: `moved` over the share of a copy's speed that products of the format reach
     * on such a device */
    double cost;
} rw_sparse_candidate;

/* Fills in the candidates but for their layouts, which are given, for the matrix of these entries (values are not
 * looked at) and vectors of a type. Nothing is made on the device. ERR_ARGUMENT: a layout that is wrong or does not
 * suit the matrix, a place outside of it; ERR_MEMORY. */
RW_API rw_status rw_sparse_predict(rw_device *device, const rw_entries *entries, rw_dtype vectors, int n,
                                   rw_sparse_candidate *candidates);

enum { RW_SPARSE_CANDIDATES = 40 };

typedef struct rw_sparse_choice {
    rw_sparse_candidate candidate[RW_SPARSE_CANDIDATES];
    int n, best;      /* best: of the least cost, the earlier, simpler one where another saves less than 2 % */
    char reason[200]; /* one line for a person */
} rw_sparse_choice;

/* The layout whose products should be the fastest on the device: candidates are coo, csr, dia, vbcsr, ell, sell, sorted
 * sell, and bcsr, bell and bsell with square blocks of 2 to 8 that divide the matrix and are at most half filled with
 * zeros. values, vectors: their types (of complex entries the complex ones of that precision). The model and how it is
 * measured: docs/methods/sparse.md; `rechenwerk tune`. Errors as of rw_sparse_predict. */
RW_API rw_status rw_sparse_choose(rw_device *device, const rw_entries *entries, rw_dtype values, rw_dtype vectors,
                                  rw_sparse_choice *choice);

/* ---- what a matrix looks like ------------------------------------------------------------------------------------ */

enum { RW_PATTERN_BLOCKS = 8 };

typedef struct rw_pattern {
    int64_t rows, columns, entries;
    bool is_complex;
    bool same_pattern;                       /* (j, i) is there where (i, j) is */
    bool symmetric, skew, hermitian;         /* by their values; complex for hermitian */
    int64_t lower, upper;                    /* bandwidths: largest i - j and j - i of an entry, 0 without */
    int64_t diagonals;                       /* occupied */
    int64_t row_least, row_most, empty_rows; /* entries of a row */
    int64_t no_diagonal;                     /* rows whose diagonal entry is missing or 0 */
    int64_t zeros;                           /* entries that are 0 */
    int64_t blocks[RW_PATTERN_BLOCKS + 1];   /* [b]: blocks of b x b that hold an entry */
    /* values f64 or c128; blocks of any size that divides the matrix; cost = moved, as no device is asked */
    rw_sparse_candidate formats[RW_SPARSE_CANDIDATES];
    /* best: of the least bytes that a product moves, the simpler one where another saves less than 2 % */
    int nformats, best;
} rw_pattern;

/* Properties of the matrix of these entries. Errors: ERR_ARGUMENT: 2^31 rows or columns and more, a place outside of
 * the matrix; ERR_MEMORY. */
RW_API rw_status rw_pattern_find(rw_context *context, const rw_entries *entries, rw_pattern *pattern);

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

typedef struct rw_sparse rw_sparse;

/* A matrix with these blocks, all values zero. `blocks` is not needed any more afterwards. Errors as of
 * rw_sparse_estimate, and ERR_MEMORY. */
RW_API rw_status rw_sparse_create(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                  rw_sparse **matrix);
RW_API void rw_sparse_destroy(rw_sparse **matrix);

/* Adds n blocks to those at (row[k], column[k]); values: block after block, each row after row, in the matrix's own
 * type. ERR_ARGUMENT for a block that
 * the pattern does not have, with its number; those before it are added; ERR_UNSUPPORTED for scaled values. Numbers
 * that are not finite are added as they are: a solver says then that its residual is none. */
RW_API rw_status rw_sparse_add_blocks(rw_sparse *matrix, int64_t n, const int64_t *row, const int64_t *column,
                                      const void *values);
/* All values zero again; the pattern stays. */
RW_API rw_status rw_sparse_zero(rw_sparse *matrix);

/* A matrix from entries in any order; those of the same place are added. Rows and columns must be multiples of the
 * blocks' size. VBCSR finds its blocks itself: neighbouring rows, and columns, of equal pattern. ERR_ARGUMENT: a
 * place outside, a number that is not finite, complex values for a real layout, sizes. ERR_MEMORY as of
 * rw_sparse_estimate. */
RW_API rw_status rw_sparse_from_entries(rw_device *device, const rw_sparse_layout *layout, const rw_entries *entries,
                                        rw_sparse **matrix);
/* From a file of the Matrix Market; a complex one gives C64 or C128 for F32 or F64. ERR_INPUT with the line of what is
 * wrong; ERR_FILE; ERR_MEMORY; ERR_ARGUMENT: a size that blocks do not divide. */
RW_API rw_status rw_sparse_read(rw_device *device, const rw_sparse_layout *layout, const char *path,
                                rw_sparse **matrix);
/* To one, "general", entries as rw_sparse_entries has them, read back to the same bits; it appears whole or not at all.
 * ERR_FILE; ERR_MEMORY: the text is made in memory. */
RW_API rw_status rw_sparse_write(rw_sparse *matrix, const char *path);
/* The same matrix in another layout, also on another device. Zeros in blocks and diagonals are no entries in the new
 * one. ERR_ARGUMENT, ERR_MEMORY as of rw_sparse_from_entries. */
RW_API rw_status rw_sparse_convert(rw_sparse *matrix, rw_device *device, const rw_sparse_layout *layout,
                                   rw_sparse **converted);
/* The transpose, in the same layout with the sizes of blocks exchanged; conjugate: of complex matrices the conjugates.
 * The same errors. */
RW_API rw_status rw_sparse_transpose(rw_sparse *matrix, bool conjugate, rw_sparse **transposed);

/* Entries by rows, columns ascending; of formats with blocks, diagonals or padding those that are not 0. *values:
 * numbers, or pairs of a complex matrix. To be freed with rw_sparse_free_entries. ERR_MEMORY. */
RW_API rw_status rw_sparse_entries(rw_sparse *matrix, int64_t *n, int64_t **row, int64_t **column, double **values);
RW_API void rw_sparse_free_entries(int64_t **row, int64_t **column, double **values);

RW_API const rw_sparse_layout *rw_sparse_get_layout(const rw_sparse *matrix);
RW_API rw_sparse_size rw_sparse_get_size(const rw_sparse *matrix);
RW_API rw_device *rw_sparse_device(const rw_sparse *matrix);

/* The arrays of a matrix in csr or bcsr, as other libraries take them. */
typedef struct rw_sparse_arrays {
    int64_t block_rows, block_columns;
    int block;       /* rows and columns of a block, 1 of csr; its entries row after row, or with layout.columns
                                column after column */
    rw_array *first; /* [block_rows + 1] index of the first block of block row i; indices are i32 or i64 */
    rw_array *column, *value; /* the arrays belong to the matrix */
} rw_sparse_arrays;
/* ERR_ARGUMENT: another format, blocks that are not square, scaled values, or csr that a GPU keeps in parts of
 * columns. */
RW_API rw_status rw_sparse_get_arrays(rw_sparse *matrix, rw_sparse_arrays *arrays);

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* The matrix as solvers and preconditioners take it. It belongs to the matrix and goes away with it; a solver that
 * was made with it keeps the matrix alive. NULL: of NULL. */
RW_API rw_operator *rw_sparse_operator(rw_sparse *matrix);

/* y <- alpha op(A) x + beta y: rw_operator_multiply of its operator. The first product with a transpose makes an
 * index for it (4 or 8 bytes and a place a block); rw_sparse_transpose is faster where there are many. Source of the
 * formats: docs/methods/sparse.md. */
RW_API rw_status rw_sparse_multiply(rw_sparse *matrix, rw_op op, const double alpha[2], rw_array *x,
                                    const double beta[2], rw_array *y, rw_queue *queue);

#ifdef __cplusplus
}
#endif
#endif
