/* COO: row and column of each entry, sorted by row and column. A product divides the entries, not the rows, into equal
 * pieces, so row lengths may vary arbitrarily.
 *
 *   row[k], column[k], value[k]      entry k
 *   first                            not needed: one 0
 *
 * Source: Bell and Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors, SC'09
 * (segmented sums). */
#include "sparse/multiply.h"

enum { GROUP = 128, EACH_ITEM = 8 }; /* entries of an item */

typedef struct sums {
    int zeroed;      /* vectors for which rows without entries are 0 in scratch */
    rw_array *tails; /* sums that go beyond a piece */
} sums;

static void free_sums(rw_sparse *m) { rw_array_destroy(&((sums *)m->state)->tails); }

static rw_status plan(rw_sparse *m, rw_context *ctx RW_UNUSED, const rw_sparse_blocks *b RW_UNUSED)
{
    m->nfirst = 1;
    m->ncolumn = m->nrow = m->stored = (double)m->blocks;
    return RW_OK;
}

static void fill(rw_sparse *m, const rw_sparse_blocks *b, void *first RW_UNUSED, void *column, void *row,
                 int32_t *shift RW_UNUSED)
{
    const int bits = m->layout.index_bits;
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k) {
            rw_index_set(column, bits, k, b->column[k]);
            rw_index_set(row, bits, k, i);
        }
}

/* The first entry of row i or of a later one. */
static int64_t first_of(const rw_view *v, int64_t i)
{
    return rw_index_find(v->row, v->m->layout.index_bits, 0, v->m->blocks, i);
}

static int64_t count(const rw_view *v, int64_t i) { return v->row ? first_of(v, i + 1) - first_of(v, i) : 0; }

static rw_sparse_block block(const rw_view *v, int64_t i, int64_t k)
{
    const int64_t at = first_of(v, i) + k;
    return (rw_sparse_block){.row = i,
                             .column = rw_index_get(v->column, v->m->layout.index_bits, at),
                             .nr = 1,
                             .nc = 1,
                             .at = at,
                             .sr = 1,
                             .sc = 1};
}

static void define(const rw_sparse *m, const rw_product_program *p RW_UNUSED, rw_text *d)
{
    rw_text_add(d, "GROUP=%d EACH_ITEM=%d LANES=%d", GROUP, EACH_ITEM, !rw_sparse_threads(m));
}

static int64_t groups(const rw_sparse *m) { return (m->rows + GROUP - 1) / GROUP; } /* of finish.k */

static rw_status launch(rw_sparse *m, const rw_pass *p, rw_queue *q)
{
    const int64_t pieces = (m->blocks + GROUP * EACH_ITEM - 1) / (GROUP * EACH_ITEM),
                  n = 2 * RW_MAX(pieces, 1) * p->program->vectors;
    sums *s = m->state;
    bool made;
    RW_TRY(rw_pass_scratch(m, p, 1, &made));
    if (made || s->zeroed != p->program->vectors)
        RW_TRY(rw_array_zero(m->scratch, q)); /* rows without entries are never written */
    s->zeroed = p->program->vectors;
    if (s->tails && (s->tails->dtype != m->scratch->dtype || s->tails->size < n)) rw_array_destroy(&s->tails);
    if (!s->tails) RW_TRY(rw_array_create(m->op.device, m->scratch->dtype, 1, &n, RW_MEMORY_DEVICE, &s->tails));
    if (pieces) {
        rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value),   rw_arg_array(m->column),   rw_arg_array(m->row),
                                     rw_arg_array(m->scratch), rw_arg_array(s->tails),    rw_arg_int(m->blocks),
                                     rw_arg_array(p->of.x),    rw_arg_int(p->of.vectors), rw_arg_int(p->of.x_from)};
        RW_TRY(rw_launch(q, p->program->multiply, (int64_t[3]){pieces, 1, 1}, a, 9));
        rw_arg t[] = {rw_arg_array(m->row), rw_arg_array(m->scratch), rw_arg_array(s->tails), rw_arg_int(m->blocks),
                      rw_arg_int(pieces)};
        RW_TRY(rw_launch(q, p->program->more, (int64_t[3]){(pieces + GROUP - 1) / GROUP, 1, 1}, t, 5));
    }
    return rw_pass_finish(m, p, 1, q);
}

const rw_sparse_ops rw_sparse_coordinates = {.finishes = true,
                                             .state = sizeof(sums),
                                             .plan = plan,
                                             .fill = fill,
                                             .count = count,
                                             .block = block,
                                             .kernel = "coordinates.k",
                                             .more = "tails",
                                             .define = define,
                                             .groups = groups,
                                             .launch = launch,
                                             .free = free_sums};
