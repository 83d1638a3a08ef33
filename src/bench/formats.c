/* Products in every format that the choice of a format considers, for several kinds of matrices: measures the
 * efficiencies of the table in src/sparse/tuning.h. */
#include <string.h>

#include "bench/bench.h"
#include "sparse/host.h"

/* Columns of row i, ascending; at most MOST. */
enum { MOST = 2048 };
typedef struct kind {
    const char *what, *size;
    int64_t (*columns)(int64_t n, int64_t i, int64_t *column); /* n: cells along a side, or a third root of the rows */
    int block;                                                 /* every entry of it is b x b of the matrix */
    int cells, cells_gpu;
} kind;

static int64_t seven_points(int64_t n, int64_t i, int64_t *column) { return rw_bench_stencil(n, 1, i, column); }

/* 8 to 24 entries near the diagonal, as of a grid without structure. */
static int64_t band(int64_t n, int64_t i, int64_t *column)
{
    const int64_t rows = n * n * n,
                  count = rw_bench_spread(RW_MIN(rows, 1024), i, 8 + (int64_t)(rw_random_u64(5, (uint64_t)i) % 17),
                                          MOST, column),
                  from = RW_MIN(RW_MAX(i - 512, 0), RW_MAX(rows - 1024, 0));
    for (int64_t k = 0; k < count; ++k) column[k] += from;
    return count;
}

/* Anywhere; one of a thousand rows is long. */
static int64_t different(int64_t n, int64_t i, int64_t *column)
{
    const bool is_long = rw_random_u64(3, (uint64_t)i) % 1000 == 0;
    return rw_bench_spread(n * n * n, i, 1 + (int64_t)(rw_random_u64(4, (uint64_t)i) % (is_long ? MOST : 16)), MOST,
                           column);
}

static const kind kinds[] = {
    {"7-point, 5x5 blocks", "cells", seven_points, 5, 36, 64},
    {"7-point, 3x3 blocks", "cells", seven_points, 3, 50, 80},
    {"7-point", "rows", seven_points, 1, 108, 200},
    {"near the diagonal", "rows", band, 1, 80, 160},
    {"rows of varying length", "rows", different, 1, 90, 160},
};

static rw_status make(rw_bench *b, const kind *k, int64_t n, rw_entries *e)
{
    int64_t column[MOST], area = k->block * k->block;
    *e = (rw_entries){.rows = n * n * n * k->block, .columns = n * n * n * k->block};
    for (int64_t i = 0; i < n * n * n; ++i) e->n += area * k->columns(n, i, column);
    e->row = rw_calloc((size_t)e->n, sizeof *e->row);
    e->column = rw_calloc((size_t)e->n, sizeof *e->column);
    e->value = rw_calloc((size_t)e->n, sizeof *e->value);
    if (!e->row || !e->column || !e->value) {
        rw_entries_free(e);
        return rw_fail_memory(b->ctx, (size_t)e->n * 24, "the entries of a matrix");
    }
    int64_t at = 0;
    for (int64_t i = 0; i < n * n * n; ++i)
        for (int64_t j = 0, count = k->columns(n, i, column); j < count; ++j)
            for (int64_t c = 0; c < area; ++c, ++at) {
                e->row[at] = i * k->block + c / k->block;
                e->column[at] = column[j] * k->block + c % k->block;
                e->value[at] = rw_random_uniform(1, (uint64_t)at) - 0.5;
            }
    return RW_OK;
}

static rw_status run_kind(rw_bench *b, const kind *k, int64_t n, rw_dtype type)
{
    rw_entries e;
    rw_sparse_choice choice;
    RW_TRY(make(b, k, n, &e));
    const int first = b->nrows;
    rw_status status = rw_sparse_choose(b->dev, &e, type, type, &choice);
    if (status == RW_OK) status = rw_bench_layouts(b, &e, type, choice.candidate, choice.n);
    int kept = first; /* refused layouts have no rows */
    for (int i = first; i < b->nrows; ++i) {
        rw_bench_result row = b->rows[i];
        snprintf(row.what, sizeof row.what, "%s%s", k->what, choice.best == i - first ? ", chosen" : "");
        snprintf(row.size, sizeof row.size, "%lld^3 %s", (long long)n, k->size);
        if (row.rounds) b->rows[kept++] = row;
    }
    b->nrows = kept;
    rw_entries_free(&e);
    return status;
}

static rw_status run(rw_bench *b)
{
    rw_limit_evict(b);
    for (int single = 0; single < 2; ++single)
        for (int i = 0; i < RW_COUNT(kinds); ++i)
            RW_TRY(run_kind(b, kinds + i,
                            b->options.quick   ? 8
                            : b->dev->info.gpu ? kinds[i].cells_gpu
                                               : kinds[i].cells,
                            single ? RW_F32 : RW_F64));
    return RW_OK;
}

/* The chosen layout of a kind; all of them are in tests/sparse. */
static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    const rw_bench_options options = b->options;
    const int first = b->nrows;
    rw_entries e;
    rw_sparse_choice choice;
    RW_TRY(make(b, kinds + variant, n, &e));
    b->options.quick = true;
    b->options.rounds = 1;
    rw_status status = rw_sparse_choose(b->dev, &e, RW_F64, RW_F64, &choice);
    if (status == RW_OK) status = rw_bench_layouts(b, &e, RW_F64, choice.candidate + choice.best, 1);
    if (status == RW_OK) {
        *worst = b->rows[first].error;
        *allowed = 1;
    }
    b->options = options;
    b->nrows = first;
    rw_entries_free(&e);
    return status;
}

static const int64_t sizes[] = {1, 5, -1};
const rw_bench_case rw_bench_formats = {run, RW_COUNT(kinds), check, sizes, 1, NULL};
