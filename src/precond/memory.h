/* Forecasts of memory: what memory.c, memory_fill.c and memory_amg.c share.
 *
 * An estimate follows the steps of the setup of a preconditioner in order and records what each one allocates and
 * frees, in one ledger for the device and one for the host. */
#ifndef RW_PRECOND_MEMORY_H
#define RW_PRECOND_MEMORY_H

#include "precond/precond.h"

typedef struct rw_ledger {
    double now, peak;
} rw_ledger;
static inline void rw_take(rw_ledger *l, double bytes)
{
    l->now += bytes;
    l->peak = RW_MAX(l->peak, l->now);
}
static inline void rw_give(rw_ledger *l, double bytes) { l->now -= bytes; }
/* Allocates and frees at once: counts for the peak only. */
static inline void rw_pass(rw_ledger *l, double bytes)
{
    rw_take(l, bytes);
    rw_give(l, bytes);
}

typedef struct rw_forecast {
    rw_precond p; /* only device, resolved specification and type of vectors are set */
    bool threads; /* kernels are those of a GPU */
    bool twice;   /* kernels that compute factors use f64 arithmetic */
    bool plain;   /* the values of the matrix are read without a copy */
    rw_ledger device, host;
    double least, most; /* bounds of the final device memory if it depends on the values; else 0 */
} rw_forecast;

/* Bytes of a block with its column, of an index, of the scales of a block row, of a block row of a vector; and on the
 * host of a block's values. */
typedef struct rw_sizes {
    double block, index, row, vector, values;
} rw_sizes;
rw_sizes rw_sizes_of(const rw_forecast *f, const rw_host *h);

/* Bytes on the device of a matrix with these numbers of rows and blocks; padding: stored blocks per block, in slices.
 * */
double rw_matrix_bytes(const rw_forecast *f, const rw_sizes *z, double rows, double blocks, double padding);
/* The exact number of bytes for a pattern. */
rw_status rw_pattern_bytes(const rw_forecast *f, const rw_host *h, double *bytes);
/* Records the creation of a matrix of these bytes and rows on the device. there: its values are never on the host. */
void rw_take_matrix(rw_forecast *f, const rw_sizes *z, double rows, double bytes, bool there);
/* Blocks on the host: first, column, and values where they are. */
double rw_host_bytes(const rw_sizes *z, double rows, double blocks, bool values);
/* Records the inverse of the diagonal. */
rw_status rw_take_diagonal(rw_forecast *f, const rw_sizes *z, const rw_host *h, double rows);
/* Records the computation of the largest eigenvalue. */
void rw_pass_eigenvalue(rw_forecast *f, const rw_sizes *z, double rows);

/* ERR_MEMORY for the estimate of a matrix with these rows. */
static inline rw_status rw_forecast_no_memory(rw_context *ctx, int64_t rows)
{
    return rw_fail_memory(ctx, (size_t)rows * 24, "the memory estimate of a preconditioner");
}

/* Row k of a sample of rows that is distributed evenly. */
static inline int64_t rw_sampled(int64_t rows, int64_t k, int64_t samples)
{
    return rows <= samples ? k : (int64_t)(((double)k + 0.5) * (double)rows / (double)samples);
}

/* Off-diagonal blocks of both factors with level-based fill. */
rw_status rw_count_fill(rw_context *ctx, const rw_host *h, int level, double blocks[2]);
/* The same of ilut, and bytes of a block on each side, padding included, from rows that are eliminated; *found = false:
 * a pivot is singular. */
rw_status rw_count_ilut(const rw_forecast *f, const rw_host *h, double blocks[2], double each[2], bool *found);

/* Records everything that amg allocates, without the allocations of rw_precond_create itself. */
rw_status rw_forecast_amg(rw_forecast *f, const rw_host *a);

#endif
