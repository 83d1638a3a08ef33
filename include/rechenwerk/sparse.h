/* Sparse matrices. So far: what a matrix in a file looks like, and which format it should be kept in. */
#ifndef RECHENWERK_SPARSE_H
#define RECHENWERK_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A format, and what the matrix takes in it: numbers of 8 bytes, of 16 for complex ones, indices of 4. */
typedef struct rw_format_size {
    const char *name;     /* "csr", "bcsr 5x5", "sell 32" */
    int64_t bytes;        /* of the matrix, padding included; INT64_MAX: more than can be counted */
    double fill;          /* places kept for each entry: 1 without padding and without zeros in blocks */
} rw_format_size;

enum { RW_PATTERN_BLOCKS = 8, RW_PATTERN_FORMATS = 32 };

typedef struct rw_pattern {
    int64_t rows, columns, entries;
    bool is_complex;
    bool same_pattern;    /* (j, i) is there where (i, j) is */
    bool symmetric, skew, hermitian; /* by their values; complex for hermitian */
    int64_t lower, upper; /* bandwidths: largest i - j and j - i of an entry, 0 without */
    int64_t diagonals;    /* occupied */
    int64_t row_least, row_most, empty_rows; /* entries of a row */
    int64_t no_diagonal;  /* rows whose diagonal entry is missing or 0 */
    int64_t zeros;        /* entries that are 0 */
    int64_t blocks[RW_PATTERN_BLOCKS + 1]; /* [b]: blocks of b x b that hold an entry */
    rw_format_size formats[RW_PATTERN_FORMATS];
    int nformats, best;   /* best: of the least bytes, the simpler one where another saves less than 2 % */
} rw_pattern;

/* Reads a file of the Matrix Market and looks at it. picture: a PNG of where entries are, NULL for none. ERR_INPUT with the line of what is wrong,
 * or a matrix of 2^31 rows or columns and more; ERR_FILE; ERR_MEMORY. */
RW_API rw_status rw_pattern_read(rw_context *ctx, const char *path, const char *picture, rw_pattern *pattern);

#ifdef __cplusplus
}
#endif
#endif
