/* Matrices in every format: planned and allocated from a pattern of blocks, filled block by block, read back as a list
 * of entries. This file reaches a format only through its table.
 *
 * Assembly by blocks needs only the indices of the pattern: each block is added where it is stored. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/multiply.h"

static const rw_sparse_ops *const tables[] = {
    [RW_SPARSE_COO] = &rw_sparse_coordinates, [RW_SPARSE_CSR] = &rw_sparse_rows,
    [RW_SPARSE_BCSR] = &rw_sparse_rows,       [RW_SPARSE_VBCSR] = &rw_sparse_variable,
    [RW_SPARSE_DIA] = &rw_sparse_diagonals,   [RW_SPARSE_ELL] = &rw_sparse_slices,
    [RW_SPARSE_BELL] = &rw_sparse_slices,     [RW_SPARSE_SELL] = &rw_sparse_slices,
    [RW_SPARSE_BSELL] = &rw_sparse_slices,
};

const rw_sparse_ops *rw_sparse_ops_of(rw_sparse_format format) { return tables[format]; }

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static rw_status check_sizes(rw_context *ctx, const char *what, int64_t n, const int32_t *size)
{
    for (int64_t i = 0; i < n; ++i)
        if (size[i] < 1 || size[i] > RW_SPARSE_BLOCK_MOST)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "vbcsr: block %s %lld, counted from 0, has size %d: the size must be 1 to %d", what,
                           (long long)i, size[i], RW_SPARSE_BLOCK_MOST);
    return RW_OK;
}

/* Whether the columns of block row i are in range and ascend. */
static bool is_row(const rw_sparse_blocks *b, int64_t i)
{
    if (b->first[i] < 0 || b->first[i + 1] < b->first[i]) return false;
    for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k)
        if (b->column[k] < 0 || b->column[k] >= b->columns || (k > b->first[i] && b->column[k] <= b->column[k - 1]))
            return false;
    return true;
}

static rw_status check_blocks(rw_context *ctx, const rw_sparse_layout *l, const rw_sparse_blocks *b)
{
    if (b->rows < 0 || b->columns < 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a matrix of %lld x %lld blocks: the numbers of block rows and columns must not be negative",
                       (long long)b->rows, (long long)b->columns);
    if ((b->row_size || b->column_size) && l->format != RW_SPARSE_VBCSR)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "row_size and column_size are for vbcsr only: use vbcsr, or set both to NULL");
    if (b->row_size) RW_TRY(check_sizes(ctx, "row", b->rows, b->row_size));
    if (b->column_size) RW_TRY(check_sizes(ctx, "column", b->columns, b->column_size));
    if (b->first[0] != 0) return rw_fail(ctx, RW_ERR_ARGUMENT, "first[0] = %lld: it must be 0", (long long)b->first[0]);
    int64_t bad = b->rows;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < b->rows; ++i)
        if (!is_row(b, i)) bad = RW_MIN(bad, i);
    for (int64_t i = bad; i < b->rows; ++i) { /* says what is wrong with it */
        if (b->first[i + 1] < b->first[i])
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "first[%lld] = %lld is less than the previous value, %lld: first must not decrease",
                           (long long)i + 1, (long long)b->first[i + 1], (long long)b->first[i]);
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k) {
            if (b->column[k] < 0 || b->column[k] >= b->columns)
                return rw_fail(ctx, RW_ERR_ARGUMENT,
                               "block row %lld: column %lld is outside [0, %lld); both are counted from 0",
                               (long long)i, (long long)b->column[k], (long long)b->columns);
            if (k > b->first[i] && b->column[k] <= b->column[k - 1])
                return rw_fail(
                    ctx, RW_ERR_ARGUMENT,
                    "block row %lld: column %lld follows %lld, counted from 0: columns must ascend without duplicates",
                    (long long)i, (long long)b->column[k], (long long)b->column[k - 1]);
        }
    }
    return RW_OK;
}

static double bytes_of(const rw_sparse *m)
{
    return m->stored * (double)rw_sparse_value_size(&m->layout) + (m->layout.scaled ? 2 * (double)m->rows : 0) +
           (m->nfirst + m->ncolumn + m->nrow) * (m->layout.index_bits / 8) + 4 * m->nshift;
}

/* Whether padding makes the matrix many times larger. Storage that a format needs for every row, even an empty one, is
 * not padding. */
static bool explodes(const rw_sparse *m)
{
    const double least =
        (double)m->blocks *
        ((double)m->layout.block_rows * m->layout.block_columns * (double)rw_sparse_value_size(&m->layout) + 4);
    return m->ops->pads && bytes_of(m) >= fmax(16 * least, 100e6);
}

static rw_status check_padding(rw_context *ctx, const rw_sparse *m)
{
    bool slices = m->layout.format == RW_SPARSE_SELL || m->layout.format == RW_SPARSE_BSELL;
    if (!explodes(m)) return RW_OK;
    char text[80];
    rw_sparse_layout better = m->layout;
    better.section = 0;
    better.index_bits = 0;
    better.format = slices ? rw_sparse_has_blocks(m->layout.format) ? RW_SPARSE_BCSR : RW_SPARSE_CSR
                    : rw_sparse_has_blocks(m->layout.format) ? RW_SPARSE_BSELL
                                                             : RW_SPARSE_SELL;
    better.slice = slices ? 0 : 32;
    better.sort = slices ? 0 : 1024;
    if (m->layout.format == RW_SPARSE_DIA) {
        better.format = RW_SPARSE_CSR;
        better.slice = better.sort = 0;
    }
    rw_sparse_layout_print(&better, text, sizeof text);
    char own[80];
    rw_sparse_layout_print(&m->layout, own, sizeof own);
    return rw_fail(
        ctx, RW_ERR_MEMORY,
        "%s would store %.3g values (padding included) for %lld blocks of %d x %d, %.3g bytes: too much padding for "
        "this matrix. Use %s",
        own, m->stored, (long long)m->blocks, m->layout.block_rows, m->layout.block_columns, bytes_of(m), text);
}

int64_t *rw_sparse_starts(int64_t n, const int32_t *size)
{
    int64_t *first = rw_calloc((size_t)n + 1, sizeof *first);
    for (int64_t i = 0; first && i < n; ++i) first[i + 1] = first[i] + (size ? size[i] : 1);
    return first;
}

/* Sets everything except the device arrays. */
static rw_status plan(rw_context *ctx, const rw_sparse_layout *layout, const rw_sparse_blocks *b, rw_sparse *m)
{
    const rw_sparse_layout *l = &m->layout;
    RW_TRY(rw_sparse_layout_resolve(ctx, layout, &m->layout));
    RW_TRY(check_blocks(ctx, l, b));
    m->ops = tables[l->format];
    m->block_rows = b->rows;
    m->block_columns = b->columns;
    m->blocks = b->first[b->rows];
    if (b->rows > INT64_MAX / 16 || b->columns > INT64_MAX / 16)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "too many rows or columns for 64-bit indices");
    if (m->ops->sizes) {
        m->row_first = rw_sparse_starts(b->rows, b->row_size);
        m->column_first = rw_sparse_starts(b->columns, b->column_size);
        if (!m->row_first || !m->column_first)
            return rw_fail_memory(ctx, (size_t)(b->rows + b->columns) * 8, "a matrix");
    }
    m->rows = rw_row_of(m, b->rows);
    m->columns = rw_column_of(m, b->columns);
    for (int64_t i = 0; i < b->rows; ++i) m->longest = RW_MAX(m->longest, b->first[i + 1] - b->first[i]);
    if (m->ops->state && !(m->state = rw_calloc(1, m->ops->state)))
        return rw_fail_memory(ctx, m->ops->state, "a matrix");
    RW_TRY(m->ops->plan(m, ctx, b));
    double most = fmax(fmax((double)m->rows, (double)m->columns), m->ncolumn);
    if (m->ops->sizes) most = fmax(most, m->stored);
    if (!l->index_bits) m->layout.index_bits = most < INT32_MAX ? 32 : 64;
    if (m->layout.index_bits == 32 && most >= INT32_MAX)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "index_bits = 32 allows indices up to 2147483647, and this matrix needs %.0f: use index_bits = 64", most);
    RW_TRY(check_padding(ctx, m));
    if (m->stored > 4e15 || m->ncolumn > 4e15)
        return rw_fail(ctx, RW_ERR_MEMORY, "a matrix of %.3g stored values exceeds the address space", m->stored);
    return RW_OK;
}

static void free_host(rw_sparse *m)
{
    if (m->state && m->ops->free) m->ops->free(m);
    rw_free(m->state);
    rw_free(m->position);
    rw_free(m->row_first);
    rw_free(m->column_first);
}

/* The layout of a matrix with a given row permutation: rows are not sorted by length as well. */
static rw_sparse_layout ordered_layout(const rw_sparse_layout *layout)
{
    rw_sparse_layout l = *layout;
    if (l.slice) l.sort = INT32_MAX;
    return l;
}

rw_sparse_size rw_sparse_size_of(const rw_sparse *m)
{
    return m ? (rw_sparse_size){m->rows, m->columns, m->blocks, (int64_t)m->stored, (int64_t)bytes_of(m)}
             : (rw_sparse_size){0};
}

rw_status rw_sparse_get_size(const rw_sparse *m, rw_sparse_size *size)
{
    RW_NEED(m, "matrix");
    RW_NEED(size, "size");
    *size = rw_sparse_size_of(m);
    return RW_OK;
}

const rw_sparse_layout *rw_sparse_get_layout(const rw_sparse *m) { return m ? &m->layout : NULL; }
rw_device *rw_sparse_device(const rw_sparse *m) { return m ? m->op.device : NULL; }
rw_operator *rw_sparse_operator(rw_sparse *m) { return m ? &m->op : NULL; }

rw_status rw_sparse_get_arrays(rw_sparse *m, rw_sparse_arrays *arrays)
{
    RW_NEED(arrays, "arrays");
    *arrays = (rw_sparse_arrays){0};
    RW_NEED(m, "matrix");
    const bool plain = m->ops->in_rows && !m->scale && m->layout.block_rows == m->layout.block_columns;
    if (!plain || m->ordered || m->first->size != m->block_rows + 1) {
        char own[80];
        rw_sparse_layout_print(&m->layout, own, sizeof own);
        return rw_fail(
            m->op.device->ctx, RW_ERR_ARGUMENT,
            "a matrix in %s%s: only csr that is not split into column ranges, and bcsr with square blocks, have these "
            "arrays. Convert the matrix",
            own, plain ? ", split into column ranges" : "");
    }
    *arrays = (rw_sparse_arrays){m->block_rows, m->block_columns, m->layout.block_rows, m->first, m->column, m->value};
    return RW_OK;
}

rw_status rw_sparse_estimate(rw_context *ctx, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                             rw_sparse_size *size)
{
    RW_NEED(ctx, "context");
    RW_NEED(layout, "layout");
    RW_NEED(blocks, "blocks");
    RW_NEED(size, "size");
    rw_sparse m = {0};
    rw_status status = plan(ctx, layout, blocks, &m);
    *size = status == RW_OK ? rw_sparse_size_of(&m) : (rw_sparse_size){0};
    free_host(&m);
    return status;
}

rw_status rw_sparse_bytes(rw_device *dev, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                          const int64_t *position, double *bytes)
{
    const size_t size = (size_t)RW_MAX(blocks->rows, 1) * sizeof *position;
    rw_sparse m = {.op.device = dev, .ordered = position != NULL, .position = position ? rw_calloc(1, size) : NULL};
    rw_sparse_layout l = *layout;
    if (position && !m.position) return rw_fail_memory(dev->ctx, size, "the row permutation of a matrix");
    if (position) {
        memcpy(m.position, position, (size_t)blocks->rows * sizeof *position);
        l = ordered_layout(layout);
    }
    rw_status status = plan(dev->ctx, &l, blocks, &m);
    *bytes = status == RW_OK ? bytes_of(&m) : 0;
    free_host(&m);
    return status;
}

/* Bytes moved by a product: the data of the matrix that it reads (of slices with shifts, GPUs read the shifts and
 * processors the columns), x, y, and a vector between two launches. */
static double moved_by(const rw_sparse *m, rw_dtype vectors)
{
    const double vector = (double)rw_dtype_size(vectors),
                 unread =
                     m->nshift > 0 ? rw_sparse_threads(m) ? m->ncolumn * (m->layout.index_bits / 8) : 4 * m->nshift : 0;
    return bytes_of(m) - unread + vector * ((double)m->columns + (double)m->rows * (m->ops->finishes ? 3 : 1));
}

rw_status rw_sparse_foresee_blocks(rw_context *ctx, rw_device *dev, const rw_sparse_blocks *blocks, int64_t entries,
                                   rw_dtype vectors, rw_sparse_candidate *c)
{
    rw_sparse m = {.op.device = dev};
    rw_status status = plan(ctx, &c->layout, blocks, &m);
    c->refused = status == RW_ERR_MEMORY && m.ops && explodes(&m);
    if (status == RW_OK) {
        c->size = rw_sparse_size_of(&m);
        c->fill = entries ? m.stored / (double)entries : 1;
        c->moved = c->cost = moved_by(&m, vectors);
    }
    free_host(&m);
    return c->refused ? RW_OK : status;
}

/* ---- create, destroy --------------------------------------------------------------------------------------------- */

static rw_status make_array(rw_sparse *m, rw_dtype dtype, double n, rw_array **array, void **data)
{
    int64_t size = (int64_t)n;
    RW_TRY(rw_array_create(m->op.device, dtype, 1, &size, RW_MEMORY_DEVICE, array));
    RW_TRY(rw_array_write(*array, data));
    char *bytes = *data;
    const int64_t all = size * (int64_t)rw_dtype_size(dtype), piece = 1 << 20;
#pragma omp parallel for schedule(static) /* the threads that will read a piece touch it first */
    for (int64_t i = 0; i < (all + piece - 1) / piece; ++i)
        memset(bytes + i * piece, 0, (size_t)RW_MIN(piece, all - i * piece));
    return RW_OK;
}

/* Creates an array of zeros on the device only. */
static rw_status make_array_there(rw_sparse *m, rw_dtype dtype, double n, rw_array **array)
{
    const int64_t size = (int64_t)n;
    RW_TRY(rw_array_create(m->op.device, dtype, 1, &size, RW_MEMORY_DEVICE, array));
    return rw_array_zero(*array, m->op.device->queue);
}

/* there: values are on the device only. */
static rw_status allocate(rw_sparse *m, const rw_sparse_blocks *b, bool there)
{
    const rw_dtype index = m->layout.index_bits == 64 ? RW_I64 : RW_I32,
                   type = m->layout.scaled ? RW_I16 : m->layout.values;
    const double places = m->layout.scaled ? m->stored * (double)rw_sparse_value_size(&m->layout) / 2 : m->stored;
    void *first, *column, *row = NULL, *shift = NULL, *scale, *value;
    RW_TRY(make_array(m, index, m->nfirst, &m->first, &first));
    RW_TRY(make_array(m, index, m->ncolumn, &m->column, &column));
    if (m->nrow > 0) RW_TRY(make_array(m, index, m->nrow, &m->row, &row));
    if (m->nshift > 0) RW_TRY(make_array(m, RW_I32, m->nshift, &m->shift, &shift));
    if (m->layout.scaled)
        RW_TRY(there ? make_array_there(m, RW_U16, (double)m->rows, &m->scale)
                     : make_array(m, RW_U16, (double)m->rows, &m->scale, &scale));
    RW_TRY(there ? make_array_there(m, type, places, &m->value) : make_array(m, type, places, &m->value, &value));
    m->ops->fill(m, b, first, column, row, shift);
    return RW_OK;
}

static const rw_operator_ops operator_ops;

/* position: storage positions of block rows, owned by the matrix from here on; NULL: order of the layout. there: see
 * allocate. */
static rw_status create(rw_device *dev, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                        int64_t *position, bool there, rw_sparse **matrix)
{
    *matrix = NULL;
    rw_sparse *m = rw_calloc(1, sizeof *m);
    if (!m) {
        rw_free(position);
        return rw_fail_memory(dev->ctx, sizeof *m, "a matrix");
    }
    rw_operator_init(&m->op, &operator_ops, dev);
    m->op.embedded = true;
    m->position = position;
    m->ordered = position != NULL;
    rw_status status = plan(dev->ctx, layout, blocks, m);
    if (status == RW_OK) status = allocate(m, blocks, there);
    m->op.info = (rw_operator_info){.rows = m->rows,
                                    .columns = m->columns,
                                    .type = m->layout.values,
                                    .any_vector = true,
                                    .transposes = true,
                                    .adjoint = true,
                                    .diagonal = m->rows == m->columns};
    if (status == RW_OK) *matrix = m;
    else rw_sparse_destroy(&m);
    return status;
}

rw_status rw_sparse_create(rw_device *dev, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                           rw_sparse **matrix)
{
    RW_NEED(matrix, "matrix");
    *matrix = NULL;
    RW_NEED(dev, "device");
    RW_NEED(layout, "layout");
    RW_NEED(blocks, "blocks");
    return create(dev, layout, blocks, NULL, false, matrix);
}

static rw_status create_ordered(rw_device *dev, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                const int64_t *position, bool there, rw_sparse **matrix)
{
    const size_t bytes = (size_t)RW_MAX(blocks->rows, 1) * sizeof *position;
    const rw_sparse_layout l = ordered_layout(layout);
    int64_t *own = rw_calloc(1, bytes);
    *matrix = NULL;
    if (!own) return rw_fail_memory(dev->ctx, bytes, "the row permutation of a matrix");
    memcpy(own, position, (size_t)blocks->rows * sizeof *position);
    return create(dev, &l, blocks, own, there, matrix);
}

rw_status rw_sparse_create_ordered(rw_device *dev, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                   const int64_t *position, rw_sparse **matrix)
{
    return create_ordered(dev, layout, blocks, position, false, matrix);
}

rw_status rw_sparse_create_there(rw_device *dev, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                 const int64_t *position, rw_sparse **matrix)
{
    return position ? create_ordered(dev, layout, blocks, position, true, matrix)
                    : create(dev, layout, blocks, NULL, true, matrix);
}

/* ---- as an operator ---------------------------------------------------------------------------------------------- */

static void free_matrix(rw_operator *a)
{
    rw_sparse *m = (rw_sparse *)a;
    rw_array **const arrays[] = {&m->value, &m->scale,   &m->first, &m->column, &m->row,
                                 &m->shift, &m->t_first, &m->t_row, &m->t_at,   &m->scratch};
    for (int i = 0; i < RW_COUNT(arrays); ++i) rw_array_destroy(arrays[i]);
    rw_products_free(m);
    free_host(m);
    rw_free(m);
}

static rw_status send(rw_operator *a, rw_queue *q)
{
    rw_sparse *m = (rw_sparse *)a;
    rw_array *const arrays[] = {m->value, m->scale, m->first, m->column, m->row, m->shift};
    for (int i = 0; i < RW_COUNT(arrays); ++i)
        if (arrays[i]) RW_TRY(rw_array_send(arrays[i], q));
    return RW_OK;
}

static rw_status diagonal(rw_operator *a, rw_array *to)
{
    rw_sparse *m = (rw_sparse *)a;
    rw_view v;
    void *data;
    RW_TRY(rw_sparse_look(m, false, &v));
    RW_TRY(rw_array_write(to, &data));
    memset(data, 0, (size_t)to->size * rw_dtype_size(to->dtype));
    for (int64_t i = 0; i < m->block_rows; ++i)
        for (int64_t k = 0, n = m->ops->count(&v, i); k < n; ++k) {
            const rw_sparse_block b = m->ops->block(&v, i, k);
            for (int r = (int)RW_MAX(b.column - b.row, 0); r < b.nr && b.row + r < b.column + b.nc; ++r) {
                const int64_t row = b.row + r, at = b.at + b.sr * r + b.sc * (row - b.column);
                rw_value_add(to->dtype, data, row, rw_entry_get(&v, at, row, 0), rw_entry_get(&v, at, row, 1));
            }
        }
    return RW_OK;
}

static const rw_operator_ops operator_ops = {rw_sparse_run, rw_sparse_groups, send, diagonal, free_matrix};

rw_sparse *rw_sparse_of(rw_operator *a) { return a && a->ops == &operator_ops ? (rw_sparse *)a : NULL; }

void rw_sparse_destroy(rw_sparse **matrix)
{
    if (!matrix || !*matrix) return;
    rw_operator *a = &(*matrix)->op;
    *matrix = NULL;
    rw_operator_release(&a);
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

rw_status rw_sparse_look_pattern(rw_sparse *m, rw_view *v)
{
    *v = (rw_view){.m = m, .type = m->layout.values};
    RW_TRY(rw_array_read(m->first, &v->first));
    RW_TRY(rw_array_read(m->column, &v->column));
    if (m->row) RW_TRY(rw_array_read(m->row, &v->row));
    return m->shift ? rw_array_read(m->shift, (const void **)&v->shift) : RW_OK;
}

rw_status rw_sparse_look(rw_sparse *m, bool update, rw_view *v)
{
    const void *value, *scale = NULL;
    RW_TRY(rw_sparse_look_pattern(m, v));
    if (update && m->scale) RW_TRY(rw_array_update(m->scale, (void **)&v->scale));
    if (update) return rw_array_update(m->value, (void **)&v->value);
    RW_TRY(rw_array_read(m->value, &value));
    if (m->scale) RW_TRY(rw_array_read(m->scale, &scale));
    /* read only, as the caller has asked */
    v->value = (char *)(uintptr_t)value;
    v->scale = (uint16_t *)(uintptr_t)scale;
    return RW_OK;
}

int64_t rw_view_rows(const rw_view *v) { return v->m->block_rows; }
int64_t rw_view_row(const rw_view *v, int64_t i) { return rw_row_of(v->m, i); }
int64_t rw_view_count(const rw_view *v, int64_t i) { return v->m->ops->count(v, i); }
rw_sparse_block rw_view_block(const rw_view *v, int64_t i, int64_t k) { return v->m->ops->block(v, i, k); }

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The block at (i, j); false: the pattern has none. */
static bool find_block(const rw_view *v, int64_t i, int64_t j, rw_sparse_block *block)
{
    const rw_sparse *m = v->m;
    if (i < 0 || i >= m->block_rows || j < 0 || j >= m->block_columns) return false;
    int64_t lo = 0, hi = m->ops->count(v, i), column = rw_column_of(m, j);
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        *block = m->ops->block(v, i, middle);
        if (block->column == column) return true;
        if (block->column < column) lo = middle + 1;
        else hi = middle;
    }
    return false;
}

rw_status rw_sparse_add_blocks(rw_sparse *m, int64_t n, const int64_t *row, const int64_t *column, const void *values)
{
    RW_NEED(m, "matrix");
    rw_view v;
    rw_sparse_block b;
    const rw_dtype type = m->layout.values;
    const char *from = values;
    if (n < 0)
        return rw_fail(m->op.device->ctx, RW_ERR_ARGUMENT, "n = %lld blocks: it must not be negative", (long long)n);
    if (n > 0) {
        RW_NEED(row, "row");
        RW_NEED(column, "column");
        RW_NEED(values, "values");
    }
    if (m->scale)
        return rw_fail(
            m->op.device->ctx, RW_ERR_UNSUPPORTED,
            "blocks cannot be added to a matrix with scaled values, whose scale factors are fixed: assemble a matrix "
            "of %s and convert it",
            rw_dtype_name(type));
    RW_TRY(rw_sparse_look(m, true, &v));
    for (int64_t k = 0; k < n; ++k) {
        if (!find_block(&v, row[k], column[k], &b))
            return rw_fail(
                m->op.device->ctx, RW_ERR_ARGUMENT,
                "block %lld of %lld, at (%lld, %lld), counted from 0, is not in the sparsity pattern of the matrix of "
                "%lld x %lld blocks",
                (long long)k, (long long)n, (long long)row[k], (long long)column[k], (long long)m->block_rows,
                (long long)m->block_columns);
        for (int r = 0; r < b.nr; ++r)
            for (int c = 0; c < b.nc; ++c)
                rw_value_add(type, v.value, b.at + b.sr * r + b.sc * c, rw_value_get(type, from, r * b.nc + c, 0),
                             rw_value_get(type, from, r * b.nc + c, 1));
        from += (size_t)(b.nr * b.nc) * rw_dtype_size(type);
    }
    return RW_OK;
}

rw_status rw_sparse_add_blocks_of(rw_sparse *m, rw_dtype type, int64_t n, const int64_t *row, const int64_t *column,
                                  const void *values)
{
    RW_NEED(m, "matrix");
    const rw_dtype own = m->layout.values;
    if (type == own) return rw_sparse_add_blocks(m, n, row, column, values);
    rw_sparse_layout wanted = m->layout;
    char text[80], now[80];
    rw_sparse_layout_print(&m->layout, now, sizeof now);
    if (!rw_dtype_is_number(type))
        return rw_fail(m->op.device->ctx, RW_ERR_ARGUMENT,
                       "blocks of %s: the values of a matrix are f32, f64, c64 or c128", rw_dtype_name(type));
    wanted.values = type;
    rw_sparse_layout_print(&wanted, text, sizeof text);
    return rw_fail(m->op.device->ctx, RW_ERR_ARGUMENT,
                   "blocks of %s for a matrix of layout %s, whose values are %s: create the matrix with layout %s",
                   rw_dtype_name(type), now, rw_dtype_name(own), text);
}

rw_status rw_sparse_zero(rw_sparse *m)
{
    RW_NEED(m, "matrix");
    return rw_array_zero(m->value, m->op.device->queue);
}

/* Writes the entries of block row i, sorted by row and column, and returns their number; row == NULL: only counts. */
static int64_t row_entries(const rw_view *v, int64_t i, int64_t *row, int64_t *column, double *value)
{
    const rw_sparse *m = v->m;
    const bool z = rw_dtype_is_complex(m->layout.values),
               drop = m->ops->has_zeros || rw_sparse_has_blocks(m->layout.format);
    const int64_t blocks = m->ops->count(v, i), nr = rw_row_of(m, i + 1) - rw_row_of(m, i);
    int64_t n = 0;
    for (int r = 0; r < nr; ++r)
        for (int64_t k = 0; k < blocks; ++k) {
            const rw_sparse_block b = m->ops->block(v, i, k);
            for (int c = 0; c < b.nc; ++c) {
                const int64_t at = b.at + b.sr * r + b.sc * c;
                const double re = rw_entry_get(v, at, b.row + r, 0), im = rw_entry_get(v, at, b.row + r, 1);
                if (drop && re == 0 && im == 0) continue;
                if (row) {
                    row[n] = b.row + r;
                    column[n] = b.column + c;
                    if (z) {
                        value[2 * n] = re;
                        value[2 * n + 1] = im;
                    } else value[n] = re;
                }
                ++n;
            }
        }
    return n;
}

rw_status rw_sparse_entries(rw_sparse *m, int64_t *n, int64_t **row, int64_t **column, double **values)
{
    RW_NEED(row, "row");
    RW_NEED(column, "column");
    RW_NEED(values, "values");
    *row = NULL;
    *column = NULL;
    *values = NULL;
    RW_NEED(m, "matrix");
    RW_NEED(n, "n");
    rw_view v;
    const size_t parts = rw_dtype_is_complex(m->layout.values) ? 2 : 1;
    *n = 0;
    *row = *column = NULL;
    *values = NULL;
    RW_TRY(rw_sparse_look(m, false, &v));
    int64_t *first = rw_calloc((size_t)m->block_rows + 1, sizeof *first);
    if (!first) return rw_fail_memory(m->op.device->ctx, ((size_t)m->block_rows + 1) * 8, "the entries of a matrix");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m->block_rows; ++i) first[i + 1] = row_entries(&v, i, NULL, NULL, NULL);
    for (int64_t i = 0; i < m->block_rows; ++i) first[i + 1] += first[i];
    const int64_t all = first[m->block_rows];
    const size_t room = (size_t)RW_MAX(all, 1);
    *row = rw_calloc(room, sizeof **row);
    *column = rw_calloc(room, sizeof **column);
    *values = rw_calloc(room, parts * sizeof **values);
    if (*row && *column && *values) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < m->block_rows; ++i)
            row_entries(&v, i, *row + first[i], *column + first[i], *values + (size_t)first[i] * parts);
        *n = all;
    }
    rw_free(first);
    if (*row && *column && *values) return RW_OK;
    rw_sparse_free_entries(row, column, values);
    return rw_fail_memory(m->op.device->ctx, room * (16 + 8 * parts), "the entries of a matrix");
}

void rw_sparse_free_entries(int64_t **row, int64_t **column, double **values)
{
    if (row) {
        rw_free(*row);
        *row = NULL;
    }
    if (column) {
        rw_free(*column);
        *column = NULL;
    }
    if (values) {
        rw_free(*values);
        *values = NULL;
    }
}
