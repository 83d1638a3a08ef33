/* Matrices from a list of entries: the pattern of blocks that covers them, files, conversion, the transpose.
 *
 * Conversions go through a list of entries: 24 bytes per entry (32 if complex) and the indices that sort it, besides
 * both matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/mtx.h"
#include "sparse/sparse.h"

/* Entries by rows, and the blocks that hold them. */
typedef struct pattern {
    rw_sorted sorted;
    int64_t *first, *column;
    int32_t *row_size, *column_size;
    int64_t block_rows, block_columns;
} pattern;

static void free_pattern(pattern *p)
{
    rw_sorted_free(&p->sorted);
    rw_free(p->first);
    rw_free(p->column);
    rw_free(p->row_size);
    rw_free(p->column_size);
}

static rw_sparse_blocks blocks_of(const pattern *p)
{
    return (rw_sparse_blocks){p->block_rows, p->block_columns, p->first, p->column, p->row_size, p->column_size};
}

/* Neighbouring rows with the same columns; sizes of at most 16. */
static int32_t *alike(const rw_sorted *s, int64_t *n)
{
    int32_t *size = rw_calloc((size_t)RW_MAX(s->n, 1), sizeof *size);
    *n = 0;
    for (int64_t i = 0; size && i < s->n; ++i) {
        int64_t entries = s->first[i + 1] - s->first[i];
        bool same = i > 0 && size[*n - 1] < RW_SPARSE_BLOCK_MOST && entries == s->first[i] - s->first[i - 1] &&
                    !memcmp(s->column + s->first[i], s->column + s->first[i - 1], (size_t)entries * sizeof *s->column);
        if (same) ++size[*n - 1];
        else size[(*n)++] = 1;
    }
    return size;
}

/* Block columns of the scalar rows lo … hi - 1, ascending without duplicates: a merge that repeatedly takes the
 * smallest next column of all rows. */
static int64_t merge_rows(const rw_sorted *s, int64_t lo, int64_t hi, const int64_t *block_of, int width,
                          int64_t *columns)
{
    int64_t next[RW_SPARSE_BLOCK_MOST], n = 0;
    for (int64_t i = lo; i < hi; ++i) next[i - lo] = s->first[i];
    for (;; ++n) {
        int64_t least = INT64_MAX;
        for (int64_t i = lo; i < hi; ++i)
            if (next[i - lo] < s->first[i + 1]) {
                int64_t j = s->column[next[i - lo]];
                least = RW_MIN(least, block_of ? block_of[j] : j / width);
            }
        if (least == INT64_MAX) return n;
        if (columns) columns[n] = least;
        for (int64_t i = lo; i < hi; ++i)
            while (next[i - lo] < s->first[i + 1] &&
                   (block_of ? block_of[s->column[next[i - lo]]] : s->column[next[i - lo]] / width) == least)
                ++next[i - lo];
    }
}

static bool make_blocks(pattern *p, const int64_t *row_first, const int64_t *block_of, int height, int width)
{
    p->first = rw_calloc((size_t)p->block_rows + 1, sizeof *p->first);
    for (int pass = 0; pass < 2; ++pass) {
        if (!p->first || (pass && !p->column)) return false;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < p->block_rows; ++i) {
            int64_t lo = row_first ? row_first[i] : i * height, hi = row_first ? row_first[i + 1] : lo + height;
            int64_t n = merge_rows(&p->sorted, lo, hi, block_of, width, pass ? p->column + p->first[i] : NULL);
            if (!pass) p->first[i + 1] = n;
        }
        if (pass) break;
        for (int64_t i = 0; i < p->block_rows; ++i) p->first[i + 1] += p->first[i];
        p->column = rw_calloc((size_t)RW_MAX(p->first[p->block_rows], 1), sizeof *p->column);
    }
    return true;
}

/* Blocks of varying size: groups of adjacent rows, and of adjacent columns, with equal patterns. */
static bool make_variable(const rw_entries *e, pattern *p)
{
    rw_sorted t = {0};
    bool made = rw_sort_rows(e->columns, e->n, e->column, e->row, p->sorted.entry, &t);
    p->row_size = made ? alike(&p->sorted, &p->block_rows) : NULL;
    p->column_size = made ? alike(&t, &p->block_columns) : NULL;
    rw_sorted_free(&t);
    if (!p->row_size || !p->column_size) return false;
    int64_t *rows = rw_sparse_starts(p->block_rows, p->row_size),
            *block_of = rw_calloc((size_t)e->columns + 1, sizeof *block_of), at = 0;
    for (int64_t j = 0; block_of && j < p->block_columns; ++j)
        for (int k = 0; k < p->column_size[j]; ++k) block_of[at++] = j;
    made = rows && block_of && make_blocks(p, rows, block_of, 0, 0);
    rw_free(rows);
    rw_free(block_of);
    return made;
}

/* p->sorted must be set. */
static rw_status make_pattern(rw_context *ctx, const rw_sparse_layout *l, const rw_entries *e, pattern *p)
{
    bool made = true;
    if (rw_sparse_ops_of(l->format)->sizes) made = make_variable(e, p);
    else if (made) {
        p->block_rows = e->rows / l->block_rows;
        p->block_columns = e->columns / l->block_columns;
        made = make_blocks(p, NULL, NULL, l->block_rows, l->block_columns);
    }
    return made ? RW_OK
                : rw_fail_memory(ctx, (size_t)e->n * 24 + (size_t)(e->rows + e->columns) * 8,
                                 "the sparsity pattern of a matrix");
}

/* *l: the layout with its defaults. */
static rw_status check_whole(rw_context *ctx, const rw_sparse_layout *layout, const rw_entries *e, rw_sparse_layout *l)
{
    RW_TRY(rw_sparse_layout_resolve(ctx, layout, l));
    if (e->is_complex && !layout->values) l->values = RW_C128;
    if (e->is_complex && !rw_dtype_is_complex(l->values))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "complex entries in a matrix with values of %s: use c64 or c128",
                       rw_dtype_name(l->values));
    if (e->rows % l->block_rows || e->columns % l->block_columns)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "a matrix of %lld x %lld cannot be divided into blocks of %d x %d: use a block size that divides both "
            "dimensions, or a format without blocks",
            (long long)e->rows, (long long)e->columns, l->block_rows, l->block_columns);
    return RW_OK;
}

static rw_status check_values(rw_context *ctx, const rw_entries *e)
{
    const int parts = e->is_complex ? 2 : 1;
    for (int64_t k = 0; k < e->n; ++k) {
        const double re = e->value[parts * k], im = parts > 1 ? e->value[2 * k + 1] : 0;
        if (!isfinite(re) || !isfinite(im))
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "entry %lld at (%lld, %lld), counted from 0: the value %g%+gi is not finite", (long long)k,
                           (long long)e->row[k], (long long)e->column[k], re, im);
    }
    return RW_OK;
}

/* The largest magnitude in a row, after adding duplicates. */
static double largest(const rw_entries *e, const rw_sorted *s, int64_t row)
{
    double most = 0, sum[2] = {0, 0};
    for (int64_t at = s->first[row]; at < s->first[row + 1]; ++at) {
        const double *value = e->value + (e->is_complex ? 2 : 1) * s->entry[at];
        if (at == s->first[row] || s->column[at] != s->column[at - 1]) sum[0] = sum[1] = 0;
        for (int p = 0; p <= e->is_complex; ++p) {
            sum[p] += value[p];
            most = fmax(most, fabs(sum[p]));
        }
    }
    return most;
}

/* Adds the entries of block row i: columns of entries and of blocks ascend together. */
static void place(const rw_view *v, const rw_entries *e, const rw_sorted *s, int64_t i)
{
    const rw_sparse *m = v->m;
    for (int64_t row = rw_row_of(m, i); row < rw_row_of(m, i + 1); ++row) {
        int64_t k = 0;
        rw_sparse_block b = {0};
        if (v->scale) rw_entry_scale(v, row, largest(e, s, row));
        for (int64_t at = s->first[row]; at < s->first[row + 1]; ++at) {
            while (!b.nc || s->column[at] >= b.column + b.nc) b = m->ops->block(v, i, k++);
            const int64_t entry = s->entry[at], to = b.at + b.sr * (row - b.row) + b.sc * (s->column[at] - b.column);
            rw_entry_add(v, to, row, e->is_complex ? e->value[2 * entry] : e->value[entry],
                         e->is_complex ? e->value[2 * entry + 1] : 0);
        }
    }
}

static rw_status from_entries(rw_device *dev, const rw_sparse_layout *layout, const rw_entries *e, rw_sparse **matrix)
{
    pattern p = {0};
    rw_view v;
    rw_sparse_layout resolved;
    *matrix = NULL;
    RW_TRY(check_whole(dev->ctx, layout, e, &resolved));
    layout = &resolved;
    rw_status status = rw_entries_sort(dev->ctx, e, &p.sorted);
    if (status == RW_OK) status = check_values(dev->ctx, e);
    if (status == RW_OK) status = make_pattern(dev->ctx, layout, e, &p);
    if (status == RW_OK) {
        const rw_sparse_blocks blocks = blocks_of(&p);
        status = rw_sparse_create(dev, layout, &blocks, matrix);
    }
    if (status == RW_OK) status = rw_sparse_look(*matrix, true, &v);
    if (status == RW_OK) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < p.block_rows; ++i) place(&v, e, &p.sorted, i);
    }
    free_pattern(&p);
    if (status != RW_OK) rw_sparse_destroy(matrix);
    return status;
}

rw_status rw_sparse_foresee(rw_context *ctx, rw_device *dev, const rw_entries *e, const rw_sorted *s, rw_dtype vectors,
                            int n, rw_sparse_candidate *c)
{
    pattern p = {0};
    rw_status status = RW_OK;
    for (int i = 0; i < n && status == RW_OK; ++i) {
        rw_sparse_layout *l = &c[i].layout;
        const rw_sparse_layout given = *l, *before = i && p.first ? &c[i - 1].layout : NULL;
        status = check_whole(ctx, &given, e, l);
        const bool same = before && !rw_sparse_ops_of(l->format)->sizes && !rw_sparse_ops_of(before->format)->sizes &&
                          l->block_rows == before->block_rows && l->block_columns == before->block_columns;
        if (status == RW_OK && !same) {
            p.sorted = (rw_sorted){0};
            free_pattern(&p);
            p = (pattern){.sorted = *s};
            status = make_pattern(ctx, l, e, &p);
        }
        if (status == RW_OK) {
            const rw_sparse_blocks blocks = blocks_of(&p);
            status = rw_sparse_foresee_blocks(ctx, dev, &blocks, e->n, vectors, c + i);
        }
    }
    p.sorted = (rw_sorted){0}; /* the caller's */
    free_pattern(&p);
    return status;
}

rw_status rw_sparse_from_entries(rw_device *dev, const rw_sparse_layout *layout, const rw_entries *e,
                                 rw_sparse **matrix)
{
    RW_NEED(matrix, "matrix");
    *matrix = NULL;
    RW_NEED(dev, "device");
    RW_NEED(layout, "layout");
    RW_NEED(e, "entries");
    RW_CHECK_MEMBERS(dev->ctx, rw_entries, e);
    return from_entries(dev, layout, e, matrix);
}

rw_status rw_sparse_read(rw_device *dev, const rw_sparse_layout *layout, const char *path, rw_sparse **matrix)
{
    RW_NEED(matrix, "matrix");
    *matrix = NULL;
    RW_NEED(dev, "device");
    RW_NEED(layout, "layout");
    RW_NEED(path, "path");
    RW_CHECK_MEMBERS(dev->ctx, rw_sparse_layout, layout);
    rw_entries e;
    rw_sparse_layout l = *layout;
    RW_TRY(rw_entries_read(dev->ctx, path, RW_DUPLICATES_REFUSE, &e));
    if (e.is_complex && l.values == RW_F32) l.values = RW_C64;
    if (e.is_complex && l.values == RW_F64) l.values = RW_C128;
    rw_status status = from_entries(dev, &l, &e, matrix);
    if (status == RW_ERR_ARGUMENT) status = rw_fail_prefix(dev->ctx, RW_ERR_INPUT, "%s", path);
    rw_entries_free(&e);
    return status;
}

/* The entries of a matrix as rw_entries, for conversions and files. */
static rw_status list(rw_sparse *m, rw_entries *e)
{
    *e = (rw_entries){.rows = m->rows, .columns = m->columns, .is_complex = rw_dtype_is_complex(m->layout.values)};
    return rw_sparse_entries(m, &e->n, &e->row, &e->column, &e->value);
}

rw_status rw_sparse_write(rw_sparse *m, const char *path)
{
    RW_NEED(m, "matrix");
    RW_NEED(path, "path");
    rw_entries e;
    RW_TRY(list(m, &e));
    const rw_mtx file = {.rows = e.rows,
                         .columns = e.columns,
                         .n = e.n,
                         .is_complex = e.is_complex,
                         .row = e.row,
                         .column = e.column,
                         .value = e.value};
    rw_status status = rw_mtx_write(m->op.device->ctx, path, &file);
    rw_entries_free(&e);
    return status;
}

rw_status rw_sparse_convert(rw_sparse *m, rw_device *dev, const rw_sparse_layout *layout, rw_sparse **converted)
{
    RW_NEED(converted, "converted");
    *converted = NULL;
    RW_NEED(m, "matrix");
    RW_NEED(dev, "device");
    RW_NEED(layout, "layout");
    rw_entries e;
    RW_TRY(list(m, &e));
    rw_status status = from_entries(dev, layout, &e, converted);
    rw_entries_free(&e);
    return status;
}

rw_status rw_sparse_transpose(rw_sparse *m, bool conjugate, rw_sparse **transposed)
{
    RW_NEED(transposed, "transposed");
    *transposed = NULL;
    RW_NEED(m, "matrix");
    rw_entries e, t;
    rw_sparse_layout l = m->layout;
    l.block_rows = m->layout.block_columns;
    l.block_columns = m->layout.block_rows;
    RW_TRY(list(m, &e));
    t = e;
    t.rows = e.columns;
    t.columns = e.rows;
    t.row = e.column;
    t.column = e.row;
    for (int64_t k = 0; conjugate && e.is_complex && k < e.n; ++k) t.value[2 * k + 1] = -t.value[2 * k + 1];
    rw_status status = from_entries(m->op.device, &l, &t, transposed);
    rw_entries_free(&e);
    return status;
}
