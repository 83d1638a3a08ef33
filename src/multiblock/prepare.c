/* The form of the flow solver, in which ghost cells have placeholder rows, and the form for kernels, which has no such
 * rows:
 *
 *   trace    first   0 0 0 3 7 7 …      or   -1 -1 0 3 -1 7 …     one start per cell with ghosts; sentinels: no row
 *   stored   first   0 3 7 …                                      one start per row that exists
 *            row     2 3 5 …                                      which cell it is
 *
 * Skipping placeholders costs a processor nothing, but leaves threads of a GPU idle. */
#include <string.h>

#include "multiblock/multiblock.h"

rw_status rw_multiblock_trace_sized(rw_context *ctx, const rw_multiblock_spec *spec, int64_t block,
                                    rw_multiblock_placeholder placeholder, rw_sparse_blocks *trace, size_t spec_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(spec, "spec");
    RW_NEED(trace, "trace");
    RW_STRUCT_IN(ctx, rw_multiblock_spec, spec, spec_size);
    *trace = (rw_sparse_blocks){0};
    if (placeholder != RW_MULTIBLOCK_EMPTY && placeholder != RW_MULTIBLOCK_SENTINEL)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "placeholder = %d is not one of rw_multiblock_placeholder",
                       (int)placeholder);
    RW_TRY(rw_multiblock_pattern(ctx, spec, block, RW_MULTIBLOCK_EXTENDED, NULL, trace));
    int64_t *first = (int64_t *)(uintptr_t)trace->first; /* ours */
    for (int64_t i = 0; i < trace->rows && placeholder == RW_MULTIBLOCK_SENTINEL; ++i)
        if (first[i] == first[i + 1]) first[i] = -1;
    return RW_OK;
}

/* The end of row i: the next start that is not a sentinel. */
static int64_t next_start(const rw_sparse_blocks *t, int64_t i)
{
    while (++i < t->rows && t->first[i] == -1) {}
    return t->first[i];
}

static rw_status check(rw_context *ctx, const rw_sparse_blocks *t)
{
    int64_t last = 0;
    if (t->rows < 0 || t->columns < 0 || !t->first || !t->column)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "%lld rows, %lld columns%s: the numbers must not be negative, and the arrays first and column must be set",
            (long long)t->rows, (long long)t->columns, t->first && t->column ? "" : ", first or column is NULL");
    if (t->first[t->rows] < 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "row start %lld of %lld is %lld: the last row start must be the number of blocks",
                       (long long)t->rows, (long long)t->rows + 1, (long long)t->first[t->rows]);
    for (int64_t i = 0; i <= t->rows; ++i) {
        const int64_t start = t->first[i];
        if (start == -1) continue;
        if (start < last || (last == 0 && start > 0 && next_start(t, -1) != 0))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "row start %lld is %lld%s", (long long)i, (long long)start,
                           start < -1     ? ": placeholders are -1, or the next start"
                           : start < last ? ": it is less than an earlier one"
                                          : ": the first row start must be 0");
        last = start;
    }
    for (int64_t i = 0; i < t->rows; ++i)
        for (int64_t k = t->first[i]; k >= 0 && k < next_start(t, i); ++k) {
            if (t->column[k] < 0 || t->column[k] >= t->columns)
                return rw_fail(ctx, RW_ERR_ARGUMENT,
                               "row %lld: column %lld is outside [0, %lld); both are counted from 0", (long long)i,
                               (long long)t->column[k], (long long)t->columns);
            if (k > t->first[i] && t->column[k] <= t->column[k - 1])
                return rw_fail(
                    ctx, RW_ERR_ARGUMENT,
                    "row %lld: column %lld follows %lld, counted from 0: columns must ascend without duplicates",
                    (long long)i, (long long)t->column[k], (long long)t->column[k - 1]);
        }
    return RW_OK;
}

rw_status rw_multiblock_prepare(rw_context *ctx, const rw_sparse_blocks *t, rw_sparse_blocks *stored, int64_t **row)
{
    RW_NEED(row, "row");
    *row = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(t, "trace");
    RW_NEED(stored, "stored");
    int64_t rows = 0;
    *stored = (rw_sparse_blocks){0};
    *row = NULL;
    RW_TRY(check(ctx, t));
    for (int64_t i = 0; i < t->rows; ++i) rows += t->first[i] >= 0 && t->first[i] < next_start(t, i);
    const int64_t blocks = t->first[t->rows];
    int64_t *first = rw_calloc((size_t)rows + 1, sizeof *first), *column = rw_calloc((size_t)blocks, sizeof *column),
            *number = rw_calloc((size_t)rows, sizeof *number);
    if (!first || !column || !number) {
        rw_free(first);
        rw_free(column);
        rw_free(number);
        return rw_fail_memory(ctx, (size_t)(2 * rows + blocks) * 8, "the rows of a grid block");
    }
    for (int64_t i = 0, at = 0; i < t->rows; ++i)
        if (t->first[i] >= 0 && t->first[i] < next_start(t, i)) {
            first[at] = t->first[i];
            number[at++] = i;
        }
    first[rows] = blocks;
    memcpy(column, t->column, (size_t)blocks * sizeof *column);
    *stored = (rw_sparse_blocks){.rows = rows, .columns = t->columns, .first = first, .column = column};
    *row = number;
    return RW_OK;
}
