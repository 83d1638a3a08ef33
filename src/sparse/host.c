/* Matrices on the host: read from any format, permuted, sent to a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/multiply.h"

bool rw_host_make(rw_host *h)
{
    const size_t blocks = (size_t)RW_MAX(h->first[h->rows], 1);
    h->column = rw_calloc(blocks, sizeof *h->column);
    if (!h->borrowed) h->value = rw_calloc(blocks * (size_t)rw_host_size(h), sizeof *h->value);
    return h->column && (h->value || h->borrowed);
}

bool rw_host_begin(const rw_host *of, int64_t rows, int64_t columns, rw_host *h)
{
    *h = (rw_host){.rows = rows, .columns = columns, .r = of->r, .parts = of->parts};
    h->first = rw_calloc((size_t)rows + 1, sizeof *h->first);
    return h->first != NULL;
}

bool rw_host_diagonal(rw_host *h)
{
    h->first = rw_calloc((size_t)h->rows + 1, sizeof *h->first);
    for (int64_t i = 0; h->first && i <= h->rows; ++i) h->first[i] = i;
    if (!h->first || !rw_host_make(h)) return false;
    for (int64_t i = 0; i < h->rows; ++i) h->column[i] = i;
    return true;
}

void rw_host_free(rw_host *h)
{
    rw_free(h->first);
    rw_free(h->column);
    rw_free(h->place);
    if (!h->borrowed) rw_free(h->value);
    *h = (rw_host){0};
}

static rw_status no_memory(rw_context *ctx, const rw_host *h)
{
    const double blocks = h->first ? (double)h->first[h->rows] : 1;
    return rw_fail_memory(ctx, (size_t)(blocks * (rw_host_size(h) * 8.0 + 8)), "a matrix on the host");
}

/* The blocks of a row are stored one after the other, with indices as here. */
static bool is_plain(const rw_sparse *m)
{
    const rw_sparse_layout *l = &m->layout;
    return m->ops->in_rows && !m->scale && (l->values == RW_F64 || l->values == RW_C128) &&
           (!l->columns || l->block_rows == 1);
}

/* Numbers of a plain matrix from a block on. */
static double *numbers(const rw_view *v, int64_t at)
{
    return (double *)v->value + at * (rw_dtype_is_complex(v->m->layout.values) ? 2 : 1);
}

/* Block k of row i, which follows block k - 1: plain blocks are contiguous. */
typedef struct walk {
    rw_sparse_block block;
    int64_t number;
} walk;

static void next_block(const rw_view *v, bool plain, int64_t i, int64_t k, walk *w)
{
    const rw_sparse_layout *l = &v->m->layout;
    const int64_t area = (int64_t)l->block_rows * l->block_columns;
    if (!plain || k == 0) {
        w->block = v->m->ops->block(v, i, k);
        if (plain) w->number = w->block.at / area;
    } else {
        w->block.at += area;
        w->block.column = rw_index_get(v->column, l->index_bits, ++w->number) * l->block_columns;
    }
}

static bool empty(const rw_view *v, bool plain, const rw_sparse_block *b)
{
    if (plain) {
        const double *a = numbers(v, b->at), *const end = numbers(v, b->at + b->nr * b->nc);
        while (a < end && *a == 0) ++a;
        return a == end;
    }
    for (int r = 0; r < b->nr; ++r)
        for (int c = 0; c < b->nc; ++c)
            for (int p = 0; p < 2; ++p)
                if (rw_entry_get(v, b->at + b->sr * r + b->sc * c, b->row + r, p) != 0) return false;
    return true;
}

static void copy_block(const rw_view *v, bool plain, const rw_sparse_block *b, const rw_host *h, double *value)
{
    if (plain) {
        memcpy(value, numbers(v, b->at), (size_t)rw_host_size(h) * sizeof *value);
        return;
    }
    for (int r = 0; r < b->nr; ++r)
        for (int c = 0; c < b->nc; ++c)
            for (int p = 0; p < h->parts; ++p) *value++ = rw_entry_get(v, b->at + b->sr * r + b->sc * c, b->row + r, p);
}

/* The number of blocks of row i that are not empty. */
static int64_t count_row(const rw_view *v, bool plain, int64_t i)
{
    walk w = {0};
    int64_t n = 0;
    for (int64_t k = 0, count = v->m->ops->count(v, i); k < count; ++k) {
        next_block(v, plain, i, k, &w);
        n += w.block.column == w.block.row || !empty(v, plain, &w.block);
    }
    return n;
}

/* Copies the blocks of row i that are not empty; all: none is empty. Borrowed values are not copied. */
static void read_row(const rw_view *v, bool plain, bool all, int64_t i, rw_host *h)
{
    walk w = {0};
    const rw_sparse_block *b = &w.block;
    int64_t at = h->first[i];
    for (int64_t k = 0, count = v->m->ops->count(v, i); k < count; ++k) {
        next_block(v, plain, i, k, &w);
        if (!all && b->column != b->row && empty(v, plain, b)) continue;
        if (!h->borrowed) copy_block(v, plain, b, h, h->value + at * rw_host_size(h));
        if (h->place) h->place[at] = b->at;
        h->column[at++] = b->column / v->m->layout.block_columns;
    }
}

/* Rows' first blocks; values: those that have an entry. */
static bool count_rows(const rw_view *v, bool plain, bool values, rw_host *h)
{
    h->first = rw_calloc((size_t)h->rows + 1, sizeof *h->first);
    if (!h->first) return false;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h->rows; ++i) h->first[i + 1] = values ? count_row(v, plain, i) : v->m->ops->count(v, i);
    for (int64_t i = 0; i < h->rows; ++i) h->first[i + 1] += h->first[i];
    return true;
}

int rw_sparse_square(const rw_sparse *m)
{
    return m->row_first || m->layout.block_rows != m->layout.block_columns ? 0 : RW_MAX(m->layout.block_rows, 1);
}

/* pattern: positions instead of values. In DIA only the values decide which entries exist. */
static rw_status read_matrix(rw_sparse *m, bool pattern, rw_host *h)
{
    rw_view v;
    rw_context *ctx = m->op.device->ctx;
    const bool plain = is_plain(m), values = !pattern || m->ops->has_zeros;
    *h = (rw_host){.rows = m->block_rows,
                   .columns = m->block_columns,
                   .r = m->layout.block_rows,
                   .parts = rw_dtype_is_complex(m->layout.values) ? 2 : 1,
                   .borrowed = pattern};
    if (!rw_sparse_square(m))
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "preconditioners need a matrix without blocks, or with square blocks of one size: convert it to csr, or "
            "for example to bcsr:5");
    RW_TRY(values ? rw_sparse_look(m, false, &v) : rw_sparse_look_pattern(m, &v));
    bool made = count_rows(&v, plain, values, h);
    const bool all =
        !values ||
        (made && plain && h->first[h->rows] == m->blocks); /* other formats may store values outside the blocks */
    if (made && !pattern && all && !m->ordered) {
        h->borrowed = true;
        h->value = (double *)v.value;
    }
    made = made && rw_host_make(h);
    if (made && pattern) made = (h->place = rw_calloc((size_t)RW_MAX(h->first[h->rows], 1), sizeof *h->place)) != NULL;
    if (!made) {
        rw_status status = no_memory(ctx, h);
        rw_host_free(h);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h->rows; ++i) read_row(&v, plain, all, i, h);
    return RW_OK;
}

rw_status rw_host_read(rw_sparse *m, rw_host *h) { return read_matrix(m, false, h); }
rw_status rw_host_read_pattern(rw_sparse *m, rw_host *h) { return read_matrix(m, true, h); }

typedef struct origin {
    int64_t column, from;
} origin; /* sorted by its first member */

/* By columns: most rows are short. */
static void sort(origin *p, int64_t n)
{
    if (n > 64) {
        qsort(p, (size_t)n, sizeof *p, rw_compare_int64);
        return;
    }
    for (int64_t k = 1; k < n; ++k) {
        const origin moved = p[k];
        int64_t at = k;
        for (; at > 0 && p[at - 1].column > moved.column; --at) p[at] = p[at - 1];
        p[at] = moved;
    }
}

/* Row `from` of h, its columns renamed, as row i of `to`. */
static bool permute_row(const rw_host *h, int64_t from, const int64_t *name, rw_host *to, int64_t i)
{
    const int64_t n = h->first[from + 1] - h->first[from], size = rw_host_size(h);
    origin few[64], *p = n <= RW_COUNT(few) ? few : rw_calloc((size_t)n, sizeof *p);
    if (!p) return false;
    for (int64_t k = 0; k < n; ++k) p[k] = (origin){name[h->column[h->first[from] + k]], h->first[from] + k};
    sort(p, n);
    for (int64_t k = 0; k < n; ++k) {
        to->column[to->first[i] + k] = p[k].column;
        if (h->place) to->place[to->first[i] + k] = h->place[p[k].from];
        if (h->value)
            memcpy(to->value + (to->first[i] + k) * size, h->value + p[k].from * size,
                   (size_t)size * sizeof *to->value);
    }
    if (p != few) rw_free(p);
    return true;
}

rw_status rw_host_permute(rw_context *ctx, const rw_host *h, const int64_t *order, rw_host *to)
{
    *to = *h;
    to->column = to->place = NULL;
    to->value = NULL;
    to->borrowed = !h->value;
    int64_t *name = rw_calloc((size_t)RW_MAX(h->rows, 1), sizeof *name);
    to->first = rw_calloc((size_t)h->rows + 1, sizeof *to->first);
    bool made = name && to->first;
    for (int64_t i = 0; made && i < h->rows; ++i) {
        name[order[i]] = i;
        to->first[i + 1] = to->first[i] + h->first[order[i] + 1] - h->first[order[i]];
    }
    made = made && rw_host_make(to);
    if (made && h->place)
        made = (to->place = rw_calloc((size_t)RW_MAX(to->first[to->rows], 1), sizeof *to->place)) != NULL;
    if (made) {
#pragma omp parallel for schedule(static) reduction(&& : made)
        for (int64_t i = 0; i < h->rows; ++i) made = permute_row(h, order[i], name, to, i) && made;
    }
    rw_free(name);
    if (made) return RW_OK;
    rw_status status = no_memory(ctx, h);
    rw_host_free(to);
    return status;
}

/* The largest number of scalar row r of row i. */
static double largest(const rw_host *h, int64_t i, int r)
{
    const int64_t width = (int64_t)h->r * h->parts;
    double most = 0;
    for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k)
        for (int64_t c = 0; c < width; ++c) most = fmax(most, fabs(h->value[(k * h->r + r) * width + c]));
    return most;
}

rw_status rw_host_fill(const rw_host *h, rw_sparse *m)
{
    rw_view v;
    const bool plain = is_plain(m);
    RW_TRY(rw_sparse_look(m, true, &v));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h->rows; ++i) {
        const int64_t n = h->first[i + 1] - h->first[i];
        if (plain && n) { /* the blocks of a row are consecutive in both */
            memcpy(numbers(&v, m->ops->block(&v, i, 0).at), h->value + h->first[i] * rw_host_size(h),
                   (size_t)(n * rw_host_size(h)) * sizeof *h->value);
            continue;
        }
        for (int r = 0; r < h->r && v.scale; ++r) rw_entry_scale(&v, i * h->r + r, largest(h, i, r));
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) {
            const rw_sparse_block b = m->ops->block(&v, i, k - h->first[i]);
            const double *value = h->value + k * rw_host_size(h);
            for (int r = 0; r < h->r; ++r)
                for (int c = 0; c < h->r; ++c, value += h->parts)
                    rw_entry_add(&v, b.at + b.sr * r + b.sc * c, b.row + r, value[0], h->parts == 2 ? value[1] : 0);
        }
    }
    return RW_OK;
}

rw_status rw_host_find(const rw_host *h, rw_sparse *m, int64_t *places)
{
    rw_view v;
    RW_TRY(rw_sparse_look_pattern(m, &v));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k)
            places[h->place[k]] = m->ops->block(&v, i, k - h->first[i]).at;
    return RW_OK;
}

rw_sparse_layout rw_host_layout(const rw_host *h, rw_host_store as)
{
    const bool blocks = h->r > 1;
    return (rw_sparse_layout){.format = as.slices ? blocks ? RW_SPARSE_BSELL : RW_SPARSE_SELL
                                        : blocks  ? RW_SPARSE_BCSR
                                                  : RW_SPARSE_CSR,
                              .block_rows = h->r,
                              .block_columns = h->r,
                              .slice = as.slices ? 32 : 0,
                              .values = h->parts == 2 ? as.single ? RW_C64 : RW_C128
                                        : as.single   ? RW_F32
                                                      : RW_F64,
                              .scaled = as.scaled};
}

rw_status rw_host_send(const rw_host *h, rw_device *dev, bool single, bool scaled, rw_sparse **m)
{
    const rw_sparse_layout layout = rw_host_layout(h, (rw_host_store){rw_device_has_threads(dev), single, scaled});
    const rw_sparse_blocks b = {h->rows, h->columns, h->first, h->column, NULL, NULL};
    *m = NULL;
    if (!h->value) return rw_sparse_create_there(dev, &layout, &b, NULL, m);
    RW_TRY(rw_sparse_create(dev, &layout, &b, m));
    rw_status status = rw_host_fill(h, *m);
    if (status != RW_OK) rw_sparse_destroy(m);
    return status;
}

rw_status rw_host_rows(rw_sparse *m, double **value, int64_t *at)
{
    rw_view v;
    const int area = m->layout.block_rows * m->layout.block_columns;
    RW_TRY(rw_sparse_look(m, true, &v));
    *value = (double *)v.value;
    for (int64_t i = 0; i < m->block_rows; ++i)
        if (m->ops->count(&v, i)) at[i] = m->ops->block(&v, i, 0).at / area;
    return RW_OK;
}

/* ---- by entries -------------------------------------------------------------------------------------------------- */

/* Adds the entries of block row i to h, which has scalar rows: counts them in first[row + 1], or stores them at
 * first[row] + used[row]. Entries that are 0 are left out, but for those of the diagonal. */
static void read_block_row(const rw_view *v, int64_t i, rw_host *h, int64_t *used)
{
    for (int64_t k = 0, count = v->m->ops->count(v, i); k < count; ++k) {
        const rw_sparse_block b = v->m->ops->block(v, i, k);
        for (int r = 0; r < b.nr; ++r)
            for (int c = 0; c < b.nc; ++c) {
                const int64_t row = b.row + r, column = b.column + c, at = b.at + b.sr * r + b.sc * c;
                const double re = rw_entry_get(v, at, row, 0), im = h->parts == 2 ? rw_entry_get(v, at, row, 1) : 0;
                if (row >= h->rows || column >= h->columns || (re == 0 && im == 0 && row != column)) continue;
                if (!used) {
                    ++h->first[row + 1];
                    continue;
                }
                const int64_t to = h->first[row] + used[row]++;
                h->column[to] = column;
                h->value[h->parts * to] = re;
                if (h->parts == 2) h->value[2 * to + 1] = im;
            }
    }
}

rw_status rw_host_read_entries(rw_sparse *m, rw_host *h)
{
    rw_view v;
    *h = (rw_host){.rows = m->rows,
                   .columns = m->columns,
                   .r = 1,
                   .parts = rw_dtype_is_complex(m->layout.values) ? 2 : 1};
    RW_TRY(rw_sparse_look(m, false, &v));
    int64_t *used = rw_calloc((size_t)RW_MAX(h->rows, 1), sizeof *used);
    h->first = rw_calloc((size_t)h->rows + 1, sizeof *h->first);
    bool made = used && h->first;
    for (int64_t i = 0; made && i < m->block_rows; ++i) read_block_row(&v, i, h, NULL);
    for (int64_t i = 0; made && i < h->rows; ++i) h->first[i + 1] += h->first[i];
    made = made && rw_host_make(h);
    for (int64_t i = 0; made && i < m->block_rows; ++i) read_block_row(&v, i, h, used);
    rw_free(used);
    if (made) return RW_OK;
    const rw_status status = no_memory(m->op.device->ctx, h);
    rw_host_free(h);
    return status;
}

/* ---- on the device ----------------------------------------------------------------------------------------------- */

rw_status rw_sparse_numbers(rw_sparse *m, rw_numbers *n)
{
    rw_view v;
    const rw_dtype type = m->layout.values;
    *n = (rw_numbers){m->value, m->scale, m->scale ? "i16" : rw_dtype_real(type), !rw_dtype_is_single(type), m->stored,
                      1,        1};
    if (!m->blocks) return RW_OK;
    RW_TRY(rw_sparse_look_pattern(m, &v));
    int64_t i = 0;
    while (!m->ops->count(&v, i)) ++i;
    const rw_sparse_block b = m->ops->block(&v, i, 0); /* the same of all */
    n->sr = b.sr;
    n->sc = b.sc;
    return RW_OK;
}
