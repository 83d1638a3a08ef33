/* DIA: complete diagonals, one after the other. Stored values outside the matrix are 0.
 *
 *   column[d]              offset of diagonal d, ascending: its entry in row i is in column i + column[d]
 *   value[rows d + i]      that entry
 *   first                  not needed: one 0
 *
 * Source: Saad 2003, 3.4. */
#include "sparse/multiply.h"
#include "sparse/tuning.h"

static rw_status plan(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b)
{
    char *there = rw_calloc((size_t)(b->rows + b->columns) + 1, 1);
    if (!there) return rw_fail_memory(ctx, (size_t)(b->rows + b->columns), "the diagonals of a matrix");
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k) there[b->column[k] - i + b->rows] = 1;
    for (int64_t d = 0; d < b->rows + b->columns; ++d) m->ncolumn += there[d];
    rw_free(there);
    m->nfirst = 1;
    m->stored = m->ncolumn * (double)b->rows;
    return RW_OK;
}

static void fill(rw_sparse *m, const rw_sparse_blocks *b, void *first RW_UNUSED, void *column, void *row RW_UNUSED,
                 int32_t *shift RW_UNUSED)
{
    const int bits = m->layout.index_bits;
    int64_t n = 0;
    /* offsets of the rows are kept as a sorted list that grows: there are few */
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t k = b->first[i], at = 0; k < b->first[i + 1]; ++k) {
            const int64_t offset = b->column[k] - i;
            while (at < n && rw_index_get(column, bits, at) < offset) ++at;
            if (at < n && rw_index_get(column, bits, at) == offset) continue;
            for (int64_t d = n++; d > at; --d) rw_index_set(column, bits, d, rw_index_get(column, bits, d - 1));
            rw_index_set(column, bits, at, offset);
        }
}

/* Number of the first diagonal with an offset of at least `least`. */
static int64_t first_from(const rw_view *v, int64_t least)
{
    return rw_index_find(v->column, v->m->layout.index_bits, 0, (int64_t)v->m->ncolumn, least);
}

static int64_t count(const rw_view *v, int64_t i) { return first_from(v, v->m->columns - i) - first_from(v, -i); }

static rw_sparse_block block(const rw_view *v, int64_t i, int64_t k)
{
    const int64_t d = first_from(v, -i) + k;
    return (rw_sparse_block){.row = i,
                             .column = i + rw_index_get(v->column, v->m->layout.index_bits, d),
                             .nr = 1,
                             .nc = 1,
                             .at = v->m->rows * d + i,
                             .sr = 1,
                             .sc = 1};
}

static int tile_of(const rw_sparse *m) { return rw_sparse_tuned(m)->diagonal_tile; }
static int tiles_of(const rw_sparse *m) { return rw_sparse_tuned(m)->diagonal_tiles; }

static void define(const rw_sparse *m, const rw_product_program *p RW_UNUSED, rw_text *d)
{
    rw_text_add(d, "GROUP=%d TILES=%d LANES=%d", tile_of(m), tiles_of(m), !rw_sparse_threads(m));
}

static int64_t groups(const rw_sparse *m)
{
    return (m->rows + tile_of(m) * tiles_of(m) - 1) / (tile_of(m) * tiles_of(m));
}

static rw_status launch(rw_sparse *m, const rw_pass *p, rw_queue *q)
{
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value), rw_arg_array(m->column), rw_arg_int((int64_t)m->ncolumn),
                                 rw_arg_int(m->columns)};
    int n = rw_pass_args(m, p, a, 4);
    return rw_launch(q, p->program->multiply, (int64_t[3]){groups(m), 1, 1}, a, n);
}

const rw_sparse_ops rw_sparse_diagonals = {.pads = true,
                                           .has_zeros = true,
                                           .plan = plan,
                                           .fill = fill,
                                           .count = count,
                                           .block = block,
                                           .kernel = "diagonals.k",
                                           .define = define,
                                           .groups = groups,
                                           .launch = launch};
