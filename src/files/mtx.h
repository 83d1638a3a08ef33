/* Matrices on disk in the format of the Matrix Market.
 *
 * Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market exchange formats: initial design, NISTIR 5935, 1996.
 * Read: matrix, coordinate or array,
 * real, integer, complex or pattern, general, symmetric, skew-symmetric or hermitian; exponents with e, and with d as
 * Fortran writes them (1.5D-3). What a file leaves out by symmetry is filled in. */
#ifndef RW_MTX_H
#define RW_MTX_H

#include "core/core.h"

typedef struct rw_mtx {
    int64_t rows, columns;
    int64_t n; /* entries; of an array rows * columns */
    bool is_complex;
    bool dense;            /* an array: all values, column after column; row and column are NULL */
    int64_t *row, *column; /* from 0, by rows, columns ascending; no place occurs twice */
    double *value;         /* [n], of complex ones pairs; of a pattern ones */
} rw_mtx;

/* ERR_INPUT with the line: no such file, a kind that there is not, sizes that contradict each other, places outside of
 * the matrix or given twice, values that are no finite numbers, entries above the diagonal of a symmetric matrix, too
 * few entries, too many; ERR_FILE; ERR_MEMORY. Memory grows with what is there, not with what the sizes say. On failure
 * *m is zeroed.
 * sums: the values of entries given twice are added, in the order of the file, to the first of them; of a pattern the
 * value stays 1. Then not ERR_INPUT, but where a sum is not finite. */
rw_status rw_mtx_read(rw_context *ctx, const char *path, bool sums, rw_mtx *m);
/* The same from memory without sums, with a NUL after the n bytes; `name` stands in messages. */
rw_status rw_mtx_parse(rw_context *ctx, const char *name, const char *text, size_t n, rw_mtx *m);
/* An array as entries: those that are not 0. Nothing for one that is not dense. ERR_MEMORY. */
rw_status rw_mtx_thin(rw_context *ctx, rw_mtx *m);
void rw_mtx_free(rw_mtx *m);

/* Replaces `path` at once when all is written: general, real or complex, numbers that read back to the same bits.
 * ERR_FILE, ERR_MEMORY. */
rw_status rw_mtx_write(rw_context *ctx, const char *path, const rw_mtx *m);

#endif
