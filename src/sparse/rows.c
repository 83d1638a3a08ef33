/* Rows one after the other: CSR, and BCSR with blocks of r x c, entries of a block row after row or column after column.
 *
 *   first[i]                 first block of block row i, of nbr + 1
 *   column[k]                block column of block k
 *   value[r c k + c row + column]     (by columns: r c k + row + r column)
 *   row[2 u], row[2 u + 1]   from and up to which block row piece u goes: what one group computes; on GPUs rows longer than a piece come last
 *
 * On processors rows may lie in an order that is given: first, column and pieces go by places then, and behind the pieces of `row` stands the block row at each place.
 *
 * Sources: Saad, Iterative Methods for Sparse Linear Systems, 2003, 3.4; pieces of about equal work for a group: Greathouse and Daga, Efficient sparse
 * matrix-vector multiplication on GPUs using the CSR storage format, SC'14. */
#include "sparse/multiply.h"

/* GPUs: a piece has at most PLACES values, which a group multiplies in shared memory, or one row that is longer. Processors: rows of about a cache's worth. */
enum { PLACES = 1280, GROUP = 128, SERIAL_PLACES = 32768, SERIAL_ROWS = 1024, RANGE_ROWS = 32 };

static bool serial(const rw_sparse *m) { return !rw_sparse_threads(m); }
static int64_t place_of(const rw_sparse *m, int64_t i) { return m->position ? m->position[i] : i; }

/* Items that add up a scalar row of a GPU's piece: one for about 16 blocks of a row, a power of two. */
static int items_a_row(const rw_sparse *m)
{
    const double mean = (double)m->blocks / (double)RW_MAX(m->block_rows, 1);
    int n = 1;
    while (n < 32 && mean > 16 * n) n *= 2;
    return n;
}
/* Rows of a piece: as many as a group adds up in one round. */
static int most_rows(const rw_sparse *m) { return RW_MAX(GROUP / items_a_row(m) / m->layout.block_rows, 1); }

/* Pieces; with `row`, where each begins and ends. Rows that are a piece of their own because they are long come behind the others. */
static int64_t cut(rw_sparse *m, const rw_sparse_blocks *b, void *row)
{
    const int64_t area = m->layout.block_rows * m->layout.block_columns, most = serial(m) ? SERIAL_PLACES : PLACES;
    const int64_t rows = serial(m) ? RW_MAX(SERIAL_ROWS / m->layout.block_rows, 1) : most_rows(m);
    int64_t n = 0, end = 0, behind = m->units - m->long_rows;
    m->long_rows = 0;
    for (int64_t i = 0; i < b->rows; i = end) {
        end = i + 1;
        while (end < b->rows && end - i < rows && (b->first[end + 1] - b->first[i]) * area <= most) ++end;
        const bool is_long = !serial(m) && (b->first[end] - b->first[i]) * area > most;
        const int64_t at = is_long ? behind++ : n++;
        m->long_rows += is_long;
        if (row) rw_index_set(row, m->layout.index_bits, 2 * at, i), rw_index_set(row, m->layout.index_bits, 2 * at + 1, end);
    }
    return n + m->long_rows;
}

/* Pieces of ordered rows, of as many rows each; and the rows at their places. */
static int64_t rows_of_piece(const rw_sparse *m) { return RW_MAX(SERIAL_ROWS / m->layout.block_rows, 1); }

static void fill_order(const rw_sparse *m, void *row)
{
    const int bits = m->layout.index_bits;
    for (int64_t u = 0; u < m->units; ++u) rw_index_set(row, bits, 2 * u, u * rows_of_piece(m)), rw_index_set(row, bits, 2 * u + 1, RW_MIN((u + 1) * rows_of_piece(m), m->block_rows));
    for (int64_t i = 0; i < m->block_rows; ++i) rw_index_set(row, bits, 2 * m->units + m->position[i], i);
}

static rw_status plan(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b)
{
    (void)ctx;
    m->units = m->ordered ? (b->rows + rows_of_piece(m) - 1) / rows_of_piece(m) : cut(m, b, NULL);
    m->nfirst = (double)b->rows + 1, m->ncolumn = (double)m->blocks, m->nrow = 2 * (double)m->units + (m->ordered ? (double)b->rows : 0);
    m->places = (double)m->blocks * m->layout.block_rows * m->layout.block_columns;
    return RW_OK;
}

static void fill(rw_sparse *m, const rw_sparse_blocks *b, void *first, void *column, void *row, int32_t *shift)
{
    (void)shift;
    const int bits = m->layout.index_bits;
    for (int64_t i = 0; i < b->rows; ++i) rw_index_set(first, bits, place_of(m, i) + 1, b->first[i + 1] - b->first[i]);
    for (int64_t i = 0; i < b->rows; ++i) rw_index_set(first, bits, i + 1, rw_index_get(first, bits, i) + rw_index_get(first, bits, i + 1));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < b->rows; ++i)
        for (int64_t k = b->first[i], at = rw_index_get(first, bits, place_of(m, i)); k < b->first[i + 1]; ++k) rw_index_set(column, bits, at++, b->column[k]);
    if (m->ordered) fill_order(m, row);
    else cut(m, b, row);
}

static int64_t count(const rw_view *v, int64_t i)
{
    const int bits = v->m->layout.index_bits;
    const int64_t place = place_of(v->m, i);
    return rw_index_get(v->first, bits, place + 1) - rw_index_get(v->first, bits, place);
}

static rw_sparse_block block(const rw_view *v, int64_t i, int64_t k)
{
    const rw_sparse_layout *l = &v->m->layout;
    const int64_t at = rw_index_get(v->first, l->index_bits, place_of(v->m, i)) + k;
    return (rw_sparse_block){.row = i * l->block_rows, .column = rw_index_get(v->column, l->index_bits, at) * l->block_columns, .nr = l->block_rows, .nc = l->block_columns,
                      .at = at * l->block_rows * l->block_columns, .sr = l->by_columns ? 1 : l->block_columns, .sc = l->by_columns ? l->block_rows : 1};
}

static void define(const rw_sparse *m, const rw_product_program *p, rw_text *d)
{
    /* Where rows are short, eight groups a unit pay for the registers they leave; else the compiler's own choice does (measured on an H200). */
    const int unit = items_a_row(m) == 1 && m->layout.block_rows == 1 ? 8 : 0;
    rw_text_add(d, "BY_COLUMNS=%d SERIAL=%d ORDERED=%d RANGED=%d RANGE=%d GROUP=%d PLACES=%d ITEMS_A_ROW=%d ROWS=%d RW_GROUPS_A_UNIT=%d", m->layout.by_columns, serial(m), m->ordered, (int)p->ranged,
                RANGE_ROWS, serial(m) ? 64 : GROUP, PLACES, items_a_row(m), most_rows(m), unit);
}

static rw_status launch(rw_sparse *m, const rw_product *p, rw_queue *q)
{
    const bool ranged = p->program->ranged != RW_PRODUCT_ALL;
    const int64_t range = p->program->ranged == RW_PRODUCT_IN_ORDER ? 1 : (p->to - p->from + RANGE_ROWS - 1) / RANGE_ROWS;
    const int64_t from[2] = {0, m->units - m->long_rows}, groups[2] = {ranged ? range : m->units - m->long_rows, m->long_rows};
    if (!m->units) return RW_OK;
    for (int i = 0; i < 2; ++i) {
        rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value), rw_arg_array(m->column), rw_arg_array(m->first), rw_arg_array(m->row), rw_arg_int(from[i]), rw_arg_int(m->units), rw_arg_int(p->from),
                                     rw_arg_int(p->to)};
        int n = rw_product_args(m, p, a, 8);
        if (groups[i]) RW_TRY(rw_launch(q, i == 0 ? p->program->multiply : p->program->more, (int64_t[3]){groups[i], 1, 1}, a, n));
    }
    return RW_OK;
}

static int64_t groups(const rw_sparse *m) { return m->units; }

const rw_sparse_ops rw_sparse_rows = {plan, fill, count, block, "rows.k", "long_rows", define, groups, launch};
