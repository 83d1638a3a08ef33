/* Patterns and matrices, from the couplings of each row. Values are computed for some rows at a time, by all threads,
 * and added in place. */
#include <string.h>

#include "multiblock/multiblock.h"
#include "sparse/host.h"

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* Formats whose pattern is one of single entries. */
static bool is_scalar(const rw_sparse_layout *l)
{
    return l && l->format != RW_SPARSE_VBCSR && !rw_sparse_has_blocks(l->format);
}

static rw_status check_layout(rw_context *ctx, const rw_sparse_layout *given)
{
    rw_sparse_layout resolved, *l = &resolved;
    if (!given) return RW_OK;
    RW_TRY(rw_sparse_layout_resolve(ctx, given, l));
    if (!rw_sparse_has_blocks(l->format) || (l->block_rows == RW_UNKNOWNS && l->block_columns == RW_UNKNOWNS))
        return RW_OK;
    return rw_fail(
        ctx, RW_ERR_ARGUMENT,
        "blocks of %d x %d: a multi-block grid has blocks of 5 x 5. Use this block size, or a format without blocks",
        l->block_rows, l->block_columns);
}

static int entries_of_row(const rw_multiblock_row *row, int r)
{
    int n = 0;
    for (int b = 0; b < row->n; ++b)
        for (int c = 0; c < RW_UNKNOWNS; ++c) n += row->mask[b] >> (RW_UNKNOWNS * r + c) & 1;
    return n;
}

/* Starts of rows; with column (where they are known) the columns too. */
static void fill_row(const rw_multiblock_scope *s, int64_t i, bool scalar, int64_t *first, int64_t *column)
{
    rw_multiblock_row row;
    rw_multiblock_row_find(s, i, &row);
    if (!scalar && !column) first[i + 1] = row.n;
    if (!scalar && column) memcpy(column + first[i], row.column, (size_t)row.n * sizeof *column);
    for (int r = 0; r < RW_UNKNOWNS && scalar; ++r) {
        if (!column) {
            first[RW_UNKNOWNS * i + r + 1] = entries_of_row(&row, r);
            continue;
        }
        int64_t *to = column + first[RW_UNKNOWNS * i + r];
        for (int b = 0; b < row.n; ++b)
            for (int c = 0; c < RW_UNKNOWNS; ++c)
                if (row.mask[b] >> (RW_UNKNOWNS * r + c) & 1) *to++ = RW_UNKNOWNS * row.column[b] + c;
    }
}

static int32_t *fives(int64_t n)
{
    int32_t *size = rw_calloc((size_t)n, sizeof *size);
    for (int64_t i = 0; size && i < n; ++i) size[i] = RW_UNKNOWNS;
    return size;
}

/* The pattern as a layout takes it. */
static rw_status make_pattern(rw_context *ctx, const rw_multiblock_scope *s, const rw_sparse_layout *layout,
                              rw_sparse_blocks *pattern)
{
    const bool scalar = is_scalar(layout), sizes = layout && layout->format == RW_SPARSE_VBCSR;
    const int64_t width = scalar ? RW_UNKNOWNS : 1, rows = s->count * s->rows, columns = s->count * s->columns;
    *pattern = (rw_sparse_blocks){0};
    RW_TRY(check_layout(ctx, layout));
    int64_t *first = rw_calloc((size_t)(width * rows) + 1, sizeof *first), *column = NULL, places = 0;
    if (first) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < rows; ++i) fill_row(s, i, scalar, first, NULL);
        for (int64_t i = 0; i < width * rows; ++i) first[i + 1] += first[i];
        places = first[width * rows];
        column = rw_calloc((size_t)places, sizeof *column);
    }
    *pattern = (rw_sparse_blocks){width * rows,
                                  width * columns,
                                  first,
                                  column,
                                  sizes ? fives(rows) : NULL,
                                  sizes ? fives(columns) : NULL};
    if (!first || !column || (sizes && (!pattern->row_size || !pattern->column_size))) {
        rw_multiblock_free(pattern);
        return rw_fail_memory(ctx, (size_t)(width * rows + places) * 8, "the sparsity pattern of a grid block");
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; ++i) fill_row(s, i, scalar, first, column);
    return RW_OK;
}

void rw_multiblock_free(rw_sparse_blocks *p)
{
    if (!p) return;
    rw_free((void *)(uintptr_t)p->first);
    rw_free((void *)(uintptr_t)p->column);
    rw_free((void *)(uintptr_t)p->row_size);
    rw_free((void *)(uintptr_t)p->column_size);
    *p = (rw_sparse_blocks){0};
}

rw_status rw_multiblock_pattern_sized(rw_context *ctx, const rw_multiblock_spec *spec, int64_t block,
                                      rw_multiblock_index index, const rw_sparse_layout *layout,
                                      rw_sparse_blocks *pattern, size_t spec_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(spec, "spec");
    RW_NEED(pattern, "pattern");
    RW_STRUCT_IN(ctx, rw_multiblock_spec, spec, spec_size);
    if (layout) RW_CHECK_MEMBERS(ctx, rw_sparse_layout, layout);
    rw_multiblock_grid g;
    rw_multiblock_scope s;
    *pattern = (rw_sparse_blocks){0};
    RW_TRY(rw_multiblock_grid_make(ctx, spec, &g));
    RW_TRY(rw_multiblock_scope_make(ctx, &g, block, index, &s));
    return make_pattern(ctx, &s, layout, pattern);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

enum { PIECE = 512 }; /* cells whose values are computed before they are added: at most 8 MB with their places */

/* Rows of a pattern with their values: what rw_sparse_add_blocks takes. */
typedef struct piece {
    int64_t *row;
    char *value;
} piece;

static void fill_values(const rw_multiblock_scope *s, const rw_sparse_blocks *p, bool scalar, rw_dtype type,
                        int64_t from, int64_t i, piece *to)
{
    rw_multiblock_row row;
    double value[RW_COUPLINGS][2 * RW_AREA];
    rw_multiblock_row_find(s, i, &row);
    if (!row.n) return;
    rw_multiblock_row_values(s, &row, value);
    for (int r = 0; r < RW_UNKNOWNS; ++r) {
        int64_t at = p->first[scalar ? RW_UNKNOWNS * i + r : i] - from;
        for (int b = 0; b < row.n; ++b)
            for (int c = 0; c < RW_UNKNOWNS; ++c) {
                const int e = RW_UNKNOWNS * r + c;
                if (scalar && !(row.mask[b] >> e & 1)) continue;
                rw_value_add(type, to->value, scalar ? at : (at + b) * RW_AREA + e, value[b][2 * e],
                             value[b][2 * e + 1]);
                if (scalar) to->row[at++] = RW_UNKNOWNS * i + r;
                else to->row[at + b] = i;
            }
    }
}

static rw_status add_values(const rw_multiblock_scope *s, const rw_sparse_blocks *p, rw_sparse *m)
{
    const rw_dtype type = rw_sparse_get_layout(m)->values;
    const bool scalar = is_scalar(rw_sparse_get_layout(m));
    const int64_t width = scalar ? RW_UNKNOWNS : 1, rows = s->count * s->rows,
                  most = PIECE * s->grid->noffsets * (scalar ? RW_AREA : 1);
    const size_t bytes = (scalar ? 1 : RW_AREA) * rw_dtype_size(type);
    piece to = {rw_calloc((size_t)most, sizeof *to.row), rw_calloc((size_t)most, bytes)};
    rw_status status = to.row && to.value ? RW_OK
                                          : rw_fail_memory(rw_sparse_device(m)->ctx, (size_t)most * (bytes + 8),
                                                           "values of a grid block");
    for (int64_t i = 0; i < rows && status == RW_OK; i += PIECE) {
        const int64_t end = RW_MIN(i + PIECE, rows), from = p->first[width * i], n = p->first[width * end] - from;
        memset(to.value, 0, (size_t)n * bytes);
#pragma omp parallel for schedule(dynamic, 16)
        for (int64_t k = i; k < end; ++k) fill_values(s, p, scalar, type, from, k, &to);
        status = rw_sparse_add_blocks(m, n, to.row, p->column + from, to.value);
    }
    rw_free(to.row);
    rw_free(to.value);
    return status;
}

rw_status rw_multiblock_assemble_sized(rw_device *dev, const rw_multiblock_spec *spec, int64_t block,
                                       rw_multiblock_index index, const rw_sparse_layout *layout, rw_sparse **matrix,
                                       size_t spec_size)
{
    RW_NEED(matrix, "matrix");
    *matrix = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_NEED(layout, "layout");
    RW_STRUCT_IN(dev->ctx, rw_multiblock_spec, spec, spec_size);
    RW_CHECK_MEMBERS(dev->ctx, rw_sparse_layout, layout);
    rw_multiblock_grid g;
    rw_multiblock_scope s;
    rw_sparse_blocks p;
    rw_sparse_layout resolved;
    RW_TRY(rw_multiblock_grid_make(dev->ctx, spec, &g));
    RW_TRY(rw_sparse_layout_resolve(dev->ctx, layout, &resolved));
    layout = &resolved;
    RW_TRY(rw_multiblock_scope_make(dev->ctx, &g, block, index, &s));
    if (spec->is_complex && !rw_dtype_is_complex(layout->values))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a complex grid in a layout with values of %s: use c64 or c128",
                       rw_dtype_name(layout->values));
    RW_TRY(rw_multiblock_check_memory(dev, spec, block, layout->values));
    RW_TRY(make_pattern(dev->ctx, &s, layout, &p));
    rw_status status = rw_sparse_create(dev, layout, &p, matrix);
    if (status == RW_OK) status = add_values(&s, &p, *matrix);
    rw_multiblock_free(&p);
    if (status != RW_OK) rw_sparse_destroy(matrix);
    return status;
}
