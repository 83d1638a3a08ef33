/* Rows one after the other: CSR, and BCSR with blocks of r x c, entries of a block row after row or column after
 * column.
 *
 *   first[i]                 first block of block row i, of nbr + 1
 *   column[k]                block column of block k
 *   value[r c k + c row + column]     (by columns: r c k + row + r column)
 *   row[2 u], row[2 u + 1]   from and up to which block row piece u goes: what one group computes; on GPUs rows longer
 *                            than a piece come last
 *
 * On GPUs the columns may be split into parts, see choose_parts: row i of part p is then row p nbr + i of `first` and
 * of the pieces, in which the last part comes first.
 *
 * On processors rows may be permuted: first, column and pieces then refer to storage positions, and the block row at
 * each position follows the pieces in `row`.
 *
 * Sources: Saad, Iterative Methods for Sparse Linear Systems, 2003, 3.4; pieces of about equal work for a group:
 * Greathouse and Daga, Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format, SC'14. */
#include <math.h>
#include <stdlib.h>

#include "sparse/multiply.h"

/* GPUs: a piece has at most PLACES values an item, which a group multiplies in shared memory, or one row that is
 * longer. Processors: rows of about a cache's worth. */
enum { PLACES = 10, SERIAL_PLACES = 32768, SERIAL_ROWS = 1024, RANGE_ROWS = 32 };

enum { MOST_PARTS = 8 };

typedef struct pieces {
    int parts; /* of columns, of `part_columns` block columns each; 1 but on GPUs where entries lie anywhere */
    int64_t part_columns;
    int64_t piece[2 * MOST_PARTS + 1]; /* where those of a part begin, and those of them that are one long row */
} pieces;

static pieces *of(const rw_sparse *m) { return m->state; }
static bool serial(const rw_sparse *m) { return !rw_sparse_threads(m); }

/* Items that add up a scalar row of a GPU's piece: one for about 16 blocks of a row in a part, a power of two. */
static int items_a_row(const rw_sparse *m)
{
    const double mean = (double)m->blocks / (double)RW_MAX(m->block_rows * of(m)->parts, 1);
    int n = 1;
    while (n < 32 && mean > 16 * n) n *= 2;
    return n;
}
/* Short rows: an item adds up each, and larger groups, two rows an item, wait less for where their rows begin (measured
 * on an H200: 509 us for 530 where rows differ, see below). */
static bool is_short(const rw_sparse *m)
{
    return items_a_row(m) == 1 && m->layout.block_rows * m->layout.block_columns == 1 &&
           (!m->op.device || m->op.device->info.shared_memory >= 48 << 10);
}
static int group_of(const rw_sparse *m) { return is_short(m) ? 256 : 128; }
static int most_rows(const rw_sparse *m)
{
    return RW_MAX((is_short(m) ? 2 : 1) * group_of(m) / items_a_row(m) / m->layout.block_rows, 1);
}

/* ---- parts of columns -------------------------------------------------------------------------------------------- */

enum { WINDOWS = 16, WINDOW = 4096, SECTOR = 32, ENTRIES_A_PART = 4 };

/* Of WINDOW entries of neighbouring rows from row i on: how many sectors of x they read (in line, of at least WINDOW),
 * and over how many bytes these lie. */
static int64_t sectors_of(const rw_sparse_blocks *b, int64_t i, int size, int64_t *line, double *entries, double *span)
{
    const int64_t begin = b->first[i], n = RW_MIN(b->first[b->rows] - begin, WINDOW);
    int64_t different = n > 0;
    for (int64_t k = 0; k < n; ++k) line[k] = b->column[begin + k] * size / SECTOR;
    qsort(line, (size_t)n, sizeof *line, rw_compare_int64);
    for (int64_t k = 1; k < n; ++k) different += line[k] != line[k - 1];
    *entries += (double)n;
    *span += n ? (double)(line[n - 1] - line[0]) * SECTOR : 0;
    return different;
}

/* Where entries lie anywhere, as in a graph, each reads another sector of x. The two halves of an H200's L2 cache keep
 * copies of each other: up to 24 MB such reads come at 148 a nanosecond, from 40 MB at 104, from 64 MB at 71. So
 * columns are cut into parts of which x has room there, and y is added up part after part, as long as rows have
 * ENTRIES_A_PART to pay for that. */
static rw_status choose_parts(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b)
{
    const int size = (int)rw_dtype_size(m->layout.values);
    const double x = (double)m->columns * size, room = m->op.device ? 0.4 * (double)m->op.device->info.cache : 0;
    const double most = (double)m->blocks / (double)RW_MAX(m->block_rows, 1) / ENTRIES_A_PART;
    double sectors = 0, entries = 0, span = 0;
    of(m)->parts = 1;
    of(m)->part_columns = RW_MAX(m->block_columns, 1);
    if (serial(m) || m->ordered || m->layout.format != RW_SPARSE_CSR || room <= 0 || x <= room || most < 2)
        return RW_OK;
    const int64_t parts = RW_MIN((int64_t)ceil(x / room), RW_MIN((int64_t)most, MOST_PARTS));
    if (m->block_rows >= INT32_MAX / parts) return RW_OK;
    int64_t *line = rw_calloc(WINDOW, sizeof *line);
    if (!line) return rw_fail_memory(ctx, WINDOW * sizeof *line, "a sample of the columns");
    for (int64_t w = 0; w < WINDOWS; ++w)
        sectors += (double)sectors_of(b, m->block_rows / WINDOWS * w, size, line, &entries, &span);
    rw_free(line);
    if (sectors > 0.5 * entries && span > WINDOWS * room) {
        of(m)->parts = (int)parts;
        of(m)->part_columns = (m->block_columns + parts - 1) / parts;
    }
    return RW_OK;
}

/* The first block of row i of the pattern that is in part p or a later one. */
static int64_t begin_of(const rw_sparse *m, const rw_sparse_blocks *b, int64_t i, int p)
{
    const int64_t lo = b->first[i], hi = b->first[i + 1];
    if (p == 0 || p == of(m)->parts) return p ? hi : lo;
    return rw_index_find(b->column, 64, lo, hi, p * of(m)->part_columns);
}
static int64_t length_of(const rw_sparse *m, const rw_sparse_blocks *b, int64_t i, int p)
{
    return begin_of(m, b, i, p + 1) - begin_of(m, b, i, p);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Pieces: piece[2 q] … those of part parts - 1 - q, piece[2 q + 1] … those of them that are one long row; with `row`,
 * where each begins and ends. */
static void cut(rw_sparse *m, const rw_sparse_blocks *b, void *row)
{
    const int bits = m->layout.index_bits;
    const int64_t area = m->layout.block_rows * m->layout.block_columns,
                  most = serial(m) ? SERIAL_PLACES : PLACES * group_of(m);
    const int64_t rows = serial(m) ? RW_MAX(SERIAL_ROWS / m->layout.block_rows, 1) : most_rows(m);
    for (int q = 0; q < of(m)->parts; ++q) {
        const int p = of(m)->parts - 1 - q;
        int64_t at[2] = {of(m)->piece[2 * q], of(m)->piece[2 * q + 1]}, n[2] = {0, 0}, end;
        for (int64_t i = 0; i < b->rows; i = end) {
            int64_t all = length_of(m, b, i, p), next;
            for (end = i + 1;
                 end < b->rows && end - i < rows && (next = length_of(m, b, end, p), (all + next) * area <= most);
                 ++end)
                all += next;
            const bool is_long = !serial(m) && all * area > most;
            ++n[is_long];
            if (row) {
                rw_index_set(row, bits, 2 * at[is_long], p * b->rows + i);
                rw_index_set(row, bits, 2 * at[is_long]++ + 1, p * b->rows + end);
            }
        }
        of(m)->piece[2 * q + 1] = of(m)->piece[2 * q] + n[0];
        of(m)->piece[2 * q + 2] = of(m)->piece[2 * q + 1] + n[1];
    }
}

/* Pieces of ordered rows, of as many rows each; and the rows at their places. */
static int64_t rows_of_piece(const rw_sparse *m) { return RW_MAX(SERIAL_ROWS / m->layout.block_rows, 1); }

static void fill_order(const rw_sparse *m, void *row)
{
    const int bits = m->layout.index_bits;
    for (int64_t u = 0; u < of(m)->piece[2]; ++u) {
        rw_index_set(row, bits, 2 * u, u * rows_of_piece(m));
        rw_index_set(row, bits, 2 * u + 1, RW_MIN((u + 1) * rows_of_piece(m), m->block_rows));
    }
    for (int64_t i = 0; i < m->block_rows; ++i) rw_index_set(row, bits, 2 * of(m)->piece[2] + m->position[i], i);
}

static rw_status plan(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b)
{
    RW_TRY(choose_parts(m, ctx, b));
    if (m->ordered) of(m)->piece[1] = of(m)->piece[2] = (b->rows + rows_of_piece(m) - 1) / rows_of_piece(m);
    else cut(m, b, NULL);
    m->nfirst = (double)of(m)->parts * (double)b->rows + 1;
    m->ncolumn = (double)m->blocks;
    m->nrow = 2 * (double)of(m)->piece[2 * of(m)->parts] + (m->ordered ? (double)b->rows : 0);
    m->stored = (double)m->blocks * m->layout.block_rows * m->layout.block_columns;
    return RW_OK;
}

static void fill(rw_sparse *m, const rw_sparse_blocks *b, void *first, void *column, void *row, int32_t *shift)
{
    (void)shift;
    const int bits = m->layout.index_bits;
    for (int p = 0; p < of(m)->parts; ++p)
        for (int64_t i = 0; i < b->rows; ++i)
            rw_index_set(first, bits, p * b->rows + rw_place_of(m, i) + 1, length_of(m, b, i, p));
    for (int64_t i = 0; i < of(m)->parts * b->rows; ++i)
        rw_index_set(first, bits, i + 1, rw_index_get(first, bits, i) + rw_index_get(first, bits, i + 1));
    for (int p = 0; p < of(m)->parts; ++p) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < b->rows; ++i)
            for (int64_t k = begin_of(m, b, i, p), end = begin_of(m, b, i, p + 1),
                         at = rw_index_get(first, bits, p * b->rows + rw_place_of(m, i));
                 k < end; ++k)
                rw_index_set(column, bits, at++, b->column[k]);
    }
    if (m->ordered) fill_order(m, row);
    else cut(m, b, row);
}

/* Blocks of row i in part p, and in *at the first of them. */
static int64_t count_in(const rw_view *v, int64_t i, int p, int64_t *at)
{
    const int bits = v->m->layout.index_bits;
    const int64_t place = p * v->m->block_rows + rw_place_of(v->m, i);
    *at = rw_index_get(v->first, bits, place);
    return rw_index_get(v->first, bits, place + 1) - *at;
}

static int64_t count(const rw_view *v, int64_t i)
{
    int64_t all = 0, at;
    for (int p = 0; p < of(v->m)->parts; ++p) all += count_in(v, i, p, &at);
    return all;
}

static rw_sparse_block block(const rw_view *v, int64_t i, int64_t k)
{
    const rw_sparse_layout *l = &v->m->layout;
    int64_t at, n;
    for (int p = 0; (n = count_in(v, i, p, &at)) <= k && p < of(v->m)->parts - 1; ++p) k -= n;
    at += k;
    return (rw_sparse_block){.row = i * l->block_rows,
                             .column = rw_index_get(v->column, l->index_bits, at) * l->block_columns,
                             .nr = l->block_rows,
                             .nc = l->block_columns,
                             .at = at * l->block_rows * l->block_columns,
                             .sr = l->columns ? 1 : l->block_columns,
                             .sc = l->columns ? l->block_rows : 1};
}

enum { LONG = 16 }; /* entries of a row, on average: from then on a processor has several sums of it */

static void define(const rw_sparse *m, const rw_product_program *p, rw_text *d)
{
    rw_text_add(
        d,
        "BY_COLUMNS=%d SERIAL=%d LONG=%d ORDERED=%d RANGED=%d IN_ORDER=%d RANGE=%d GROUP=%d PLACES=%d ITEMS_A_ROW=%d "
        "ROWS=%d RW_GROUPS_A_UNIT=%d",
        m->layout.columns, serial(m), serial(m) && m->blocks >= LONG * m->block_rows, m->ordered, (int)p->ranged,
        RW_PRODUCT_IN_ORDER, RANGE_ROWS, serial(m) ? 64 : group_of(m), PLACES * group_of(m), items_a_row(m),
        most_rows(m), is_short(m) ? 4 : 0); /* of groups: registers */
}

static rw_status launch_part(rw_sparse *m, const rw_pass *p, int part, rw_queue *q)
{
    const bool ranged = p->program->ranged != RW_PRODUCT_ALL;
    const int64_t range =
        p->program->ranged == RW_PRODUCT_IN_ORDER ? 1 : (p->to - p->from + RANGE_ROWS - 1) / RANGE_ROWS;
    const int64_t *piece = of(m)->piece + 2 * (of(m)->parts - 1 - part),
                  groups[2] = {ranged ? range : piece[1] - piece[0], piece[2] - piece[1]};
    for (int i = 0; i < 2; ++i) {
        rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value),
                                     rw_arg_array(m->column),
                                     rw_arg_array(m->first),
                                     rw_arg_array(m->row),
                                     rw_arg_int(piece[i]),
                                     rw_arg_int(of(m)->piece[2]),
                                     rw_arg_int(ranged ? p->from : part * m->block_rows),
                                     rw_arg_int(p->to)};
        int n = rw_pass_args(m, p, a, 8);
        if (groups[i])
            RW_TRY(rw_launch(q, i == 0 ? p->program->multiply : p->program->more, (int64_t[3]){groups[i], 1, 1}, a, n));
    }
    return RW_OK;
}

/* Parts after the first add to y; partial sums, if requested, are computed with the last part. */
static rw_status launch(rw_sparse *m, const rw_pass *p, rw_queue *q)
{
    for (int part = 0; part < of(m)->parts && of(m)->piece[2 * of(m)->parts]; ++part) {
        rw_pass one = *p;
        if (part) {
            one.of.z = p->of.y;
            one.of.beta[0] = 1;
            one.of.beta[1] = 0;
        }
        if (part < of(m)->parts - 1) RW_TRY(rw_pass_without_sums(m, &one));
        RW_TRY(launch_part(m, &one, part, q));
    }
    return RW_OK;
}

/* Pieces of the last part. */
static int64_t groups(const rw_sparse *m) { return of(m)->piece[2]; }

const rw_sparse_ops rw_sparse_rows = {.in_rows = true,
                                      .state = sizeof(pieces),
                                      .plan = plan,
                                      .fill = fill,
                                      .count = count,
                                      .block = block,
                                      .kernel = "rows.k",
                                      .more = "long_rows",
                                      .define = define,
                                      .groups = groups,
                                      .launch = launch};
