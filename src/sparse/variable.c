/* VBCSR: rows of blocks, the scalar rows and columns of which are cut into pieces of 1 to 16. Blocks lie column after
 * column, so that the scalar rows of a block row read neighbouring values.
 *
 *   first[i], column[k]   as in CSR, of block rows and blocks
 *   row                   four lists: the block row of each scalar row [rows], the first scalar row of each block row
 *                         [nbr + 1], the first scalar column of each block column [nbc + 1], the place of each block
 *                         [blocks]
 *
 * Source: Saad, SPARSKIT: a basic tool kit for sparse matrix computations, 1994 (VBR). */
#include "sparse/multiply.h"
#include "sparse/tuning.h"

static rw_status plan(rw_sparse *m, rw_context *ctx RW_UNUSED, const rw_sparse_blocks *b)
{
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k)
            m->stored += (double)(rw_row_of(m, i + 1) - rw_row_of(m, i)) *
                         (double)(rw_column_of(m, b->column[k] + 1) - rw_column_of(m, b->column[k]));
    m->nfirst = (double)b->rows + 1;
    m->ncolumn = (double)m->blocks;
    m->nrow = (double)m->rows + (double)b->rows + 1 + (double)b->columns + 1 + (double)m->blocks;
    return RW_OK;
}

static int64_t places_at(const rw_sparse *m) { return m->rows + m->block_rows + 1 + m->block_columns + 1; }

static void fill(rw_sparse *m, const rw_sparse_blocks *b, void *first, void *column, void *row,
                 int32_t *shift RW_UNUSED)
{
    const int bits = m->layout.index_bits;
    int64_t at = 0;
    for (int64_t i = 0; i < b->rows; ++i) {
        rw_index_set(first, bits, i + 1, b->first[i + 1]);
        for (int64_t r = rw_row_of(m, i); r < rw_row_of(m, i + 1); ++r) rw_index_set(row, bits, r, i);
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k) {
            rw_index_set(column, bits, k, b->column[k]);
            rw_index_set(row, bits, places_at(m) + k, at);
            at += (rw_row_of(m, i + 1) - rw_row_of(m, i)) *
                  (rw_column_of(m, b->column[k] + 1) - rw_column_of(m, b->column[k]));
        }
    }
    for (int64_t i = 0; i <= b->rows; ++i) rw_index_set(row, bits, m->rows + i, rw_row_of(m, i));
    for (int64_t j = 0; j <= b->columns; ++j) rw_index_set(row, bits, m->rows + b->rows + 1 + j, rw_column_of(m, j));
}

static int64_t count(const rw_view *v, int64_t i)
{
    const int bits = v->m->layout.index_bits;
    return rw_index_get(v->first, bits, i + 1) - rw_index_get(v->first, bits, i);
}

static rw_sparse_block block(const rw_view *v, int64_t i, int64_t k)
{
    const rw_sparse *m = v->m;
    const int bits = m->layout.index_bits;
    const int64_t at = rw_index_get(v->first, bits, i) + k, j = rw_index_get(v->column, bits, at),
                  rows = rw_row_of(m, i + 1) - rw_row_of(m, i);
    return (rw_sparse_block){.row = rw_row_of(m, i),
                             .column = rw_column_of(m, j),
                             .nr = (int)rows,
                             .nc = (int)(rw_column_of(m, j + 1) - rw_column_of(m, j)),
                             .at = rw_index_get(v->row, bits, places_at(m) + at),
                             .sr = 1,
                             .sc = rows};
}

static int group_of(const rw_sparse *m) { return rw_sparse_tuned(m)->variable_group; }

static void define(const rw_sparse *m, const rw_product_program *p RW_UNUSED, rw_text *d)
{
    rw_text_add(d, "GROUP=%d", group_of(m));
}

static int64_t groups(const rw_sparse *m) { return (m->rows + group_of(m) - 1) / group_of(m); }

static rw_status launch(rw_sparse *m, const rw_pass *p, rw_queue *q)
{
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value), rw_arg_array(m->column),   rw_arg_array(m->first),
                                 rw_arg_array(m->row),   rw_arg_int(m->block_rows), rw_arg_int(m->block_columns)};
    int n = rw_pass_args(m, p, a, 6);
    return rw_launch(q, p->program->multiply, (int64_t[3]){groups(m), 1, 1}, a, n);
}

const rw_sparse_ops rw_sparse_variable = {.sizes = true,
                                          .has_zeros = true,
                                          .plan = plan,
                                          .fill = fill,
                                          .count = count,
                                          .block = block,
                                          .kernel = "variable.k",
                                          .define = define,
                                          .groups = groups,
                                          .launch = launch};
