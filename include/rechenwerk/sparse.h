/* Sparse matrices: formats, assembly, products with vectors; and what a matrix in a file looks like.
 *
 *   rw_sparse_layout layout;
 *   rw_sparse *A;
 *   rw_sparse_layout_parse(ctx, "bsell:5x5:c128", &layout); without c128 values are f64
 *   rw_sparse_create(dev, &layout, &pattern, &A);           all values zero: blocks are put right where they stay
 *   rw_sparse_add_blocks(A, n, i, j, values);
 *   rw_sparse_multiply(A, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(dev));      y <- A x
 *
 * A matrix lives on a device and has one format, in which it is kept once. Rows and columns count from 0. */
#ifndef RECHENWERK_SPARSE_H
#define RECHENWERK_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/core.h"
#include "rechenwerk/operator.h"

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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_sparse_format_name(rw_sparse_format value);
RW_API rw_status rw_sparse_format_parse(rw_context *context, const char *name, rw_sparse_format *value);

enum { RW_SPARSE_BLOCK_MOST = 16 };

/* How a matrix is stored. A zeroed member has its default. As text: "csr", "bcsr:5x5", "bcsr:5x5:columns",
 * "sell:h32:s256", "bell:5x5:l4", "csr:f32:i64", "bsell:5x5:f32:scaled". Ranges: rw_sparse_params. */
typedef struct rw_sparse_layout {
    rw_sparse_format format; /* (default: csr) */
    /* Type of the stored values: F32, F64, C64, C128 (default: f64). Products are computed in the wider of this
     * precision and that of the vectors. */
    rw_dtype values;
    int block_rows, block_columns; /* BCSR, BELL, BSELL: 1 to 16 (default: 1) */
    /* BCSR: blocks are stored column by column ("permuted"). Default: row by row. */
    bool columns;
    int slice; /* C, of SELL and BSELL: block rows of a slice, a multiple of 32 (default: 32) */
    /* sigma, of ELL, BELL, SELL, BSELL: rows are sorted by length within windows of `sort` block rows; 0, 1: not
     * sorted (default: 0) */
    int sort;
    /* L, of ELL, BELL, SELL, BSELL: rows are cut into sections of L entries or blocks that are summed separately;
     * 0: not cut (default: 0) */
    int section;
    int index_bits; /* 32 or 64. Default: 32 if it suffices. */
    /* Values of F32 or C64 are stored as 16-bit integers with one scale factor per scalar row: half of the bytes, an
     * error of up to 1.01 2^-16 of the largest value of the row. For preconditioners. Created from entries, by
     * conversion or from a file; blocks cannot be added. */
    bool scaled;
    int64_t reserved[4]; /* 0: later members take this room, so that the size stays */
} rw_sparse_layout;

/* The parameter table of rw_sparse_layout. */
RW_API const rw_params *rw_sparse_params(void);
/* Parses a layout; defaults are filled in. Errors: ERR_ARGUMENT with the nearest name or the allowed values. */
RW_API rw_status rw_sparse_layout_parse(rw_context *context, const char *text, rw_sparse_layout *layout);
/* Writes the text that parses to the layout, at most `size` bytes with the NUL. */
RW_API void rw_sparse_layout_print(const rw_sparse_layout *layout, char *text, size_t size);

/* Sparsity pattern: the nonzero blocks of a matrix (of 1 x 1 in formats without blocks). */
typedef struct rw_sparse_blocks {
    int64_t rows, columns;         /* of blocks */
    const int64_t *first, *column; /* blocks of row i: column[first[i]] … column[first[i + 1] - 1], ascending */
    /* VBCSR: scalar rows of each block row, columns of each block column, 1 to 16; NULL: all 1 */
    const int32_t *row_size, *column_size;
} rw_sparse_blocks;

/* Size of a matrix. */
typedef struct rw_sparse_size {
    int64_t rows, columns; /* scalar */
    int64_t blocks;        /* nonzero blocks of the pattern */
    int64_t stored;        /* stored values, padding included */
    int64_t bytes;         /* of values and indices */
} rw_sparse_size;

/* Computes the size that a matrix would have; nothing is allocated on a device. On a GPU slices may be padded to one
 * length, which takes up to 1 % more.
 * Errors: ERR_ARGUMENT: an invalid layout or pattern (what and where); ERR_MEMORY: the layout would pad the matrix to
 * many times its size; the message names a better one. */
RW_API rw_status rw_sparse_estimate(rw_context *context, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                    rw_sparse_size *size);

/* ---- choosing a format ------------------------------------------------------------------------------------------- */

/* Nonzero entries on the host, in any order. */
typedef struct rw_entries {
    int64_t rows, columns, n;
    bool is_complex;
    int64_t *row, *column; /* [n], from 0 */
    double *value;         /* [n], of complex ones pairs */
} rw_entries;

/* How duplicate entries of a file are treated. */
typedef enum rw_duplicates {
    RW_DUPLICATES_REFUSE, /* ERR_INPUT with the lines of the two */
    RW_DUPLICATES_SUM,    /* their values are added in the order of the file; a pattern keeps the value 1 */
} rw_duplicates;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_duplicates_name(rw_duplicates value);
RW_API rw_status rw_duplicates_parse(rw_context *context, const char *name, rw_duplicates *value);

/* Reads a Matrix Market file; entries that symmetry implies are added. Free the entries with rw_entries_free.
 * Errors: ERR_INPUT with the line (duplicates that are refused, a sum that is not finite); ERR_ARGUMENT; ERR_FILE;
 * ERR_MEMORY. */
RW_API rw_status rw_entries_read(rw_context *context, const char *path, rw_duplicates duplicates, rw_entries *entries);
RW_API void rw_entries_free(rw_entries *entries);

/* A layout with the size of a matrix in it. */
typedef struct rw_sparse_candidate {
    rw_sparse_layout layout;
    bool refused; /* it would pad the matrix to many times its size; the other members are 0 */
    rw_sparse_size size;
    double fill;  /* stored values per nonzero: 1 without padding and zeros in blocks */
    double moved; /* bytes of a product: the matrix with padding and indices, x and y once */
    double cost;  /* `moved` over the fraction of a copy's bandwidth that products of this format reach on the device */
} rw_sparse_candidate;

/* Completes candidates whose layouts are set, for the pattern of these entries and vectors of a type. Values are not
 * read; nothing is allocated on the device.
 * Errors: ERR_ARGUMENT: a layout that is invalid or does not suit the matrix, an index out of range; ERR_MEMORY. */
RW_API rw_status rw_sparse_predict(rw_device *device, const rw_entries *entries, rw_dtype vectors, int64_t n,
                                   rw_sparse_candidate *candidates);

enum { RW_SPARSE_CANDIDATES = 40 };

typedef struct rw_sparse_choice {
    rw_sparse_candidate candidate[RW_SPARSE_CANDIDATES];
    int64_t n, best;  /* best: of lowest cost; the simpler one if another saves less than 2 % */
    char reason[200]; /* one line for a person */
} rw_sparse_choice;

/* Chooses the layout whose products are expected to be the fastest on the device. Candidates: coo, csr, dia, vbcsr,
 * ell, sell, sorted sell; bcsr, bell and bsell with square blocks of 2 to 8 that divide the matrix and have a fill
 * ratio of at least 1/2.
 * values, vectors: their types (of complex entries the complex types of that precision).
 * Errors: those of rw_sparse_predict. Source: the model of docs/methods/sparse.md; `rechenwerk tune` measures it. */
RW_API rw_status rw_sparse_choose_sized(rw_device *device, const rw_entries *entries, rw_dtype values, rw_dtype vectors,
                                        rw_sparse_choice *choice, size_t choice_size);
#define rw_sparse_choose(...) rw_sparse_choose_sized(__VA_ARGS__, sizeof(rw_sparse_choice))

/* ---- properties of a matrix -------------------------------------------------------------------------------------- */

enum { RW_PATTERN_BLOCKS = 8 };

typedef struct rw_pattern {
    int64_t rows, columns, entries;
    bool is_complex;
    bool same_pattern;                     /* the pattern is symmetric */
    bool symmetric, skew, hermitian;       /* by values; hermitian: complex only */
    int64_t lower, upper;                  /* bandwidths: largest i - j and j - i of an entry */
    int64_t diagonals;                     /* that have an entry */
    int64_t row_min, row_max, empty_rows;  /* entries per row */
    int64_t no_diagonal;                   /* rows whose diagonal entry is missing or 0 */
    int64_t zeros;                         /* stored entries that are 0 */
    int64_t blocks[RW_PATTERN_BLOCKS + 1]; /* [b]: blocks of b x b that hold an entry */
    /* values f64 or c128; blocks of any size that divides the matrix; cost = moved, as no device is asked */
    rw_sparse_candidate formats[RW_SPARSE_CANDIDATES];
    /* best: that moves the fewest bytes; the simpler one if another saves less than 2 % */
    int64_t nformats, best;
} rw_pattern;

/* Finds the properties of the matrix of these entries.
 * Errors: ERR_ARGUMENT: 2^31 rows or columns and more, an index out of range; ERR_MEMORY. */
RW_API rw_status rw_pattern_find_sized(rw_context *context, const rw_entries *entries, rw_pattern *pattern,
                                       size_t pattern_size);
#define rw_pattern_find(...) rw_pattern_find_sized(__VA_ARGS__, sizeof(rw_pattern))

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

typedef struct rw_sparse rw_sparse;

/* Creates a matrix with this sparsity pattern and all values zero. The pattern is copied.
 * Errors: those of rw_sparse_estimate; ERR_MEMORY.
 * Lifetime: solvers and preconditioners retain the matrix. */
RW_API rw_status rw_sparse_create(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                  rw_sparse **matrix);
RW_API void rw_sparse_destroy(rw_sparse **matrix);

/* Adds n blocks at (row[k], column[k]). values: block after block, each row by row, of the type of the matrix, which
 * cannot be checked: see rw_sparse_add_blocks_of.
 * Errors: ERR_ARGUMENT: a block outside the pattern, with its index; the blocks before it have been added.
 * ERR_UNSUPPORTED: scaled values. Values that are not finite are added; solvers then report NOT_FINITE. */
RW_API rw_status rw_sparse_add_blocks(rw_sparse *matrix, int64_t n, const int64_t *row, const int64_t *column,
                                      const void *values);
/* The same for values of a type, which must be that of the matrix.
 * Errors: ERR_ARGUMENT: another type, such as complex values for a matrix of layout "bcsr:5x5", which has real ones;
 * those of rw_sparse_add_blocks. */
RW_API rw_status rw_sparse_add_blocks_of(rw_sparse *matrix, rw_dtype type, int64_t n, const int64_t *row,
                                         const int64_t *column, const void *values);
/* Sets all values to zero; the pattern stays. */
RW_API rw_status rw_sparse_zero(rw_sparse *matrix);

/* Creates a matrix from entries in any order; duplicates are summed. The numbers of rows and columns must be multiples
 * of the block size. VBCSR finds its blocks: neighbouring rows, and columns, of equal pattern.
 * Errors: ERR_ARGUMENT: an index out of range, a value that is not finite, complex values for a real layout, sizes;
 * ERR_MEMORY as of rw_sparse_estimate. */
RW_API rw_status rw_sparse_from_entries(rw_device *device, const rw_sparse_layout *layout, const rw_entries *entries,
                                        rw_sparse **matrix);
/* Creates a matrix from a Matrix Market file; a complex file gives C64 or C128 for F32 or F64.
 * Errors: ERR_INPUT with the line; ERR_FILE; ERR_MEMORY; ERR_ARGUMENT: a size that the blocks do not divide. */
RW_API rw_status rw_sparse_read(rw_device *device, const rw_sparse_layout *layout, const char *path,
                                rw_sparse **matrix);
/* Writes a Matrix Market file of kind "general" with the entries of rw_sparse_entries; it is read back to the same
 * bits. The file appears complete or not at all.
 * Errors: ERR_FILE; ERR_MEMORY: the text is assembled in memory. */
RW_API rw_status rw_sparse_write(rw_sparse *matrix, const char *path);
/* Creates the same matrix in another layout, possibly on another device. Zeros in blocks and diagonals do not become
 * entries. Errors: those of rw_sparse_from_entries. */
RW_API rw_status rw_sparse_convert(rw_sparse *matrix, rw_device *device, const rw_sparse_layout *layout,
                                   rw_sparse **converted);
/* Creates the transpose in the same layout, with block rows and columns exchanged. conjugate: the conjugate transpose.
 * Errors: those of rw_sparse_from_entries. */
RW_API rw_status rw_sparse_transpose(rw_sparse *matrix, bool conjugate, rw_sparse **transposed);

/* The entries by rows, columns ascending; of formats with blocks, diagonals or padding only nonzero ones. *values:
 * numbers, or pairs (re, im) of a complex matrix. Free them with rw_sparse_free_entries. Errors: ERR_MEMORY. */
RW_API rw_status rw_sparse_entries(rw_sparse *matrix, int64_t *n, int64_t **row, int64_t **column, double **values);
RW_API void rw_sparse_free_entries(int64_t **row, int64_t **column, double **values);

/* Layout, size and device of a matrix. The layout belongs to the matrix. */
RW_API const rw_sparse_layout *rw_sparse_get_layout(const rw_sparse *matrix);
RW_API rw_status rw_sparse_get_size(const rw_sparse *matrix, rw_sparse_size *size);
RW_API rw_device *rw_sparse_device(const rw_sparse *matrix);

/* The arrays of a matrix in csr or bcsr, in the layout that other libraries use. */
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

/* Returns the operator of the matrix, for solvers and preconditioners; NULL of NULL.
 * Lifetime: it belongs to the matrix; a solver that uses it retains the matrix. */
RW_API rw_operator *rw_sparse_operator(rw_sparse *matrix);

/* y <- alpha op(A) x + beta y, rw_operator_multiply of its operator. The first product with a transpose builds an index
 * for it (4 or 8 bytes and an index per block); use rw_sparse_transpose if there are many.
 * Source of the formats: docs/methods/sparse.md. */
RW_API rw_status rw_sparse_multiply(rw_sparse *matrix, rw_op op, const double alpha[2], rw_array *x,
                                    const double beta[2], rw_array *y, rw_queue *queue);

#ifdef __cplusplus
}
#endif
#endif
