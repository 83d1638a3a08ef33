/* ELL, BELL, SELL-C-sigma and its blocks: all are slices of `height` block rows, each as long as the longest row in it;
 * ELL and BELL have one slice.
 *
 *   first[s]                                   first position of slice s, of slices + 1; position j of a slice holds
 *                                              one block of each of its rows
 *   column[height j + i]                       block column of the block of row i of the slice
 *   value[(c_n j + c) height r_n + r_n i + r]  entry (r, c) of that block: column after column of the whole slice,
 *                                              scalar rows run fastest
 *   row[height s + i]                          (sorted, or in an order that was given) block row at place i of slice s
 *   shift[2 p], shift[2 p + 1]                 (slices of 32 that are not sorted and have no sections) of position p:
 *                                              how far its columns are from their rows, and as bits which rows have a
 *                                              block there; NO_SHIFT: columns differ, rows are filled from position 0
 *                                              on
 *
 * A slice is shifted where its rows have the same neighbours, as on a grid: a position then belongs to one neighbour,
 * and rows that lack it, at a side of the grid, have a gap. GPUs read these two numbers instead of 32 columns.
 *
 * On GPUs slices have the same number of positions where that adds at most one in a hundred, as on a grid: then a
 * kernel need not wait for `first`.
 *
 * Shorter rows are filled up with zeros whose column is the row's own (or the last), so that every index may be
 * followed. Rows are sorted by length, short ones first, within windows of sigma; with sections of L the length of a
 * slice is a multiple of L.
 *
 * Sources: Saad 2003, 3.4; Choi, Singh, Vuduc, Model-driven autotuning of sparse matrix-vector multiply on GPUs, PPoPP
 * 2010 (blocks); Kreutzer, Hager, Wellein, Fehske, Bishop, A unified sparse matrix data format for efficient general
 * SpMV on modern processors with wide SIMD units, SIAM J. Sci. Comput. 36, 2014. */
#include <stdlib.h>
#include <string.h>

#include "sparse/multiply.h"
#include "sparse/tuning.h"

typedef struct shape {
    int32_t *length; /* blocks of each block row */
    bool shifted;    /* most slices have shifts */
    int uniform;     /* positions that each slice has; 0: different numbers */
    int64_t height;  /* block rows of a slice */
} shape;

static shape *of(const rw_sparse *m) { return m->state; }
static void free_shape(rw_sparse *m) { rw_free(of(m)->length); }
static bool sorted(const rw_sparse *m) { return m->layout.sort > 1; }

/* Places by length within windows: a stable counting sort. */
static bool sort_rows(rw_sparse *m)
{
    const int64_t n = m->block_rows, window = m->layout.sort;
    m->position = rw_calloc((size_t)RW_MAX(n, 1), sizeof *m->position);
    int64_t *start = rw_calloc((size_t)m->longest + 2, sizeof *start);
    for (int64_t lo = 0; m->position && start && lo < n; lo += window) {
        const int64_t hi = RW_MIN(lo + window, n);
        int64_t most = 0;
        for (int64_t i = lo; i < hi; ++i) most = RW_MAX(most, of(m)->length[i]);
        memset(start, 0, (size_t)(most + 2) * sizeof *start);
        for (int64_t i = lo; i < hi; ++i) ++start[of(m)->length[i] + 1];
        for (int64_t k = 0; k < most; ++k) start[k + 1] += start[k];
        for (int64_t i = lo; i < hi; ++i) m->position[i] = lo + start[of(m)->length[i]]++;
    }
    bool made = m->position && start;
    rw_free(start);
    return made;
}

static int64_t slices(const rw_sparse *m)
{
    return of(m)->height ? (m->block_rows + of(m)->height - 1) / of(m)->height : 0;
}

/* What makes a slice shifted: at most this number of different shifts, a little more than its longest row. */
enum { MOST_SHIFTS = 64, NO_SHIFT = -INT32_MAX, MOST_UNIFORM = 64 };
static bool may_shift(const rw_sparse_layout *l) { return l->slice == 32 && l->sort <= 1 && !l->section; }

/* The different shifts of slice s, ascending; 0: too many. */
static int shifts_of(const rw_sparse *m, const rw_sparse_blocks *b, int64_t s, int64_t *shifts)
{
    int n = 0, longest = 0;
    for (int64_t i = 32 * s; i < RW_MIN(32 * s + 32, b->rows); ++i) {
        longest = RW_MAX(longest, of(m)->length[i]);
        int at = 0;
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k) {
            const int64_t by = b->column[k] - i;
            while (at < n && shifts[at] < by) ++at;
            if (at < n && shifts[at] == by) continue;
            if (n == MOST_SHIFTS || by <= NO_SHIFT || by > INT32_MAX) return 0;
            memmove(shifts + at + 1, shifts + at, (size_t)(n++ - at) * sizeof *shifts);
            shifts[at] = by;
        }
    }
    return n <= longest + longest / 4 ? n : 0;
}

/* Longest row of each slice, a multiple of the section; of shifted slices the number of shifts, where more than half of
 * them can be. */
static void lengths(rw_sparse *m, const rw_sparse_blocks *b, int64_t *longest)
{
    const int64_t section = RW_MAX(m->layout.section, 1);
    int64_t shifts[MOST_SHIFTS + 1];
    for (int64_t i = 0; i < m->block_rows; ++i) {
        int64_t *l = longest + rw_place_of(m, i) / of(m)->height;
        *l = RW_MAX(*l, of(m)->length[i]);
    }
    int64_t shifted = 0;
    for (int64_t s = 0; s < (may_shift(&m->layout) ? slices(m) : 0); ++s) shifted += shifts_of(m, b, s, shifts) > 0;
    of(m)->shifted = shifted > slices(m) / 2;
    for (int64_t s = 0; s < slices(m); ++s) {
        const int n = of(m)->shifted ? shifts_of(m, b, s, shifts) : 0;
        longest[s] = n ? n : (longest[s] + section - 1) / section * section;
    }
    int64_t all = 0, most = 0;
    for (int64_t s = 0; s < slices(m); ++s) {
        all += longest[s];
        most = RW_MAX(most, longest[s]);
    }
    of(m)->uniform =
        rw_sparse_threads(m) && most <= MOST_UNIFORM && most * slices(m) <= all + all / 100 ? (int)most : 0;
    for (int64_t s = 0; of(m)->uniform && s < slices(m); ++s) longest[s] = of(m)->uniform;
}

static rw_status plan(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b)
{
    const bool one = m->layout.format == RW_SPARSE_ELL || m->layout.format == RW_SPARSE_BELL;
    of(m)->height = one ? (b->rows + 31) / 32 * 32 : m->layout.slice;
    of(m)->length = rw_calloc((size_t)RW_MAX(b->rows, 1), sizeof *of(m)->length);
    int64_t *longest = rw_calloc((size_t)slices(m) + 1, sizeof *longest);
    bool made = of(m)->length && longest && m->longest < INT32_MAX;
    for (int64_t i = 0; made && i < b->rows; ++i) of(m)->length[i] = (int32_t)(b->first[i + 1] - b->first[i]);
    if (made && sorted(m) && !m->position) made = sort_rows(m);
    if (made) {
        double all = 0;
        lengths(m, b, longest);
        m->longest = 0;
        for (int64_t s = 0; s < slices(m); ++s) {
            all += (double)longest[s];
            m->longest = RW_MAX(m->longest, longest[s]);
        }
        m->nfirst = (double)slices(m) + 1;
        m->ncolumn = all * (double)of(m)->height;
        m->nrow = sorted(m) ? (double)(slices(m) * of(m)->height) : 0;
        m->nshift = of(m)->shifted ? 2 * all : 0;
        m->stored = m->ncolumn * m->layout.block_rows * m->layout.block_columns;
    }
    rw_free(longest);
    return made ? RW_OK : rw_fail_memory(ctx, (size_t)b->rows * 12, "the rows of a matrix");
}

/* Rows of slice s from position 0 on, what is left filled with the row's own column; of rows in a given order with
 * their first, which a level of a triangular system may read. */
static void fill_rows(const rw_sparse *m, const rw_sparse_blocks *b, int64_t i, int64_t first, int64_t end,
                      void *column)
{
    const int bits = m->layout.index_bits;
    const int64_t h = of(m)->height, base = first * h + rw_place_of(m, i) % h;
    for (int64_t j = 0; j < end - first; ++j)
        rw_index_set(column, bits, base + j * h,
                     j < of(m)->length[i]             ? b->column[b->first[i] + j]
                     : m->ordered && of(m)->length[i] ? b->column[b->first[i]]
                                                      : RW_MIN(i, b->columns - 1));
}

static void fill_slice(const rw_sparse *m, const rw_sparse_blocks *b, int64_t s, int64_t first, int64_t end,
                       void *column, int32_t *shift)
{
    int64_t shifts[MOST_SHIFTS + 1];
    const int n = shift ? shifts_of(m, b, s, shifts) : 0;
    for (int64_t j = first; shift && j < end; ++j)
        shift[2 * j] = !n ? NO_SHIFT : j - first < n ? (int32_t)shifts[j - first] : 0;
    for (int64_t i = 32 * s; n && i < RW_MIN(32 * s + 32, b->rows); ++i)
        for (int64_t j = 0, k = b->first[i]; j < end - first; ++j) {
            const bool there = j < n && k < b->first[i + 1] && b->column[k] - i == shifts[j];
            rw_index_set(column, m->layout.index_bits, (first + j) * 32 + i % 32,
                         there ? b->column[k] : RW_MIN(i, b->columns - 1));
            if (there) {
                shift[2 * (first + j) + 1] |= (int32_t)(1u << i % 32);
                ++k;
            }
        }
    for (int64_t i = 32 * s; !n && shift && i < RW_MIN(32 * s + 32, b->rows); ++i)
        fill_rows(m, b, i, first, end, column);
}

static void fill(rw_sparse *m, const rw_sparse_blocks *b, void *first, void *column, void *row, int32_t *shift)
{
    const int bits = m->layout.index_bits;
    const int64_t section = RW_MAX(m->layout.section, 1), h = of(m)->height;
    int64_t shifts[MOST_SHIFTS + 1];
    for (int64_t i = 0; i < b->rows; ++i) { /* first[s + 1] <- the longest row of slice s, then their sums */
        const int64_t at = rw_place_of(m, i) / h + 1;
        if (m->position) rw_index_set(row, bits, m->position[i], i);
        rw_index_set(first, bits, at, RW_MAX(rw_index_get(first, bits, at), of(m)->length[i]));
    }
    for (int64_t s = 0; s < slices(m); ++s) {
        const int n = shift && !of(m)->uniform ? shifts_of(m, b, s, shifts) : 0;
        rw_index_set(first, bits, s + 1,
                     rw_index_get(first, bits, s) +
                         (of(m)->uniform ? of(m)->uniform
                          : n            ? n
                                         : (rw_index_get(first, bits, s + 1) + section - 1) / section * section));
    }
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < (shift ? slices(m) : 0); ++s)
        fill_slice(m, b, s, rw_index_get(first, bits, s), rw_index_get(first, bits, s + 1), column, shift);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (shift ? 0 : b->rows); ++i) {
        const int64_t s = rw_place_of(m, i) / h;
        fill_rows(m, b, i, rw_index_get(first, bits, s), rw_index_get(first, bits, s + 1), column);
    }
}

static int64_t count(const rw_view *v, int64_t i) { return of(v->m)->length[i]; }

static rw_sparse_block block(const rw_view *v, int64_t i, int64_t k)
{
    const rw_sparse *m = v->m;
    const rw_sparse_layout *l = &m->layout;
    const int64_t h = of(m)->height, p = rw_place_of(m, i);
    int64_t j = rw_index_get(v->first, l->index_bits, p / h);
    if (!v->shift || v->shift[2 * j] == NO_SHIFT) j += k;
    else
        for (;; ++j) /* the k-th position that the row has */
            if (v->shift[2 * j + 1] >> i % 32 & 1 && k-- == 0) break;
    return (rw_sparse_block){.row = i * l->block_rows,
                             .column = rw_index_get(v->column, l->index_bits, j * h + p % h) * l->block_columns,
                             .nr = l->block_rows,
                             .nc = l->block_columns,
                             .at = (j * l->block_columns * h + p % h) * l->block_rows,
                             .sr = 1,
                             .sc = h * l->block_rows};
}

/* On a GPU small values want the loads of several blocks at once, and x from shared memory, see slices.k: scalar rows
 * of an item; 0: one, without all that. */
static int rows_of_item(const rw_sparse *m, int vectors)
{
    const int r = m->layout.block_rows, size = (int)rw_sparse_value_size(&m->layout);
    return rw_sparse_threads(m) && size <= 4 && vectors == 1 && r == m->layout.block_columns && r > 1 && r <= 8 &&
                   !m->layout.section && !m->ordered
               ? 4 / size
               : 0;
}

/* Values of 16 bits: whether x of all positions is in shared memory at once, where they have the same number and that
 * leaves room for enough groups. */
static bool stages(const rw_sparse *m, const rw_product_program *p, int rows)
{
    return rows_of_item(m, p->vectors) > 1 && of(m)->uniform &&
           (double)of(m)->uniform * rows * m->layout.block_columns * (double)rw_dtype_size(p->vector) <= 20480;
}

/* Positions whose x goes to shared memory at once. */
static int round_of(const rw_sparse *m, const rw_product_program *p, int rows)
{
    const bool all = stages(m, p, rows) || (rows_of_item(m, p->vectors) == 1 && of(m)->uniform && of(m)->uniform <= 7);
    return all ? of(m)->uniform : 4;
}

/* A product of plain real rows on a GPU, nothing else: an item has little to do, and many of them need many loads in
 * flight, with few registers each. */
static bool plain(const rw_sparse *m, const rw_product_program *p)
{
    return rw_sparse_threads(m) && m->layout.block_rows * m->layout.block_columns == 1 && p->vectors == 1 &&
           !rw_dtype_is_complex(p->vector) && !p->dots && p->ranged == RW_PRODUCT_ALL;
}

/* On a GPU many vectors are shared out to items by WIDE of them. */
static bool by_blocks(const rw_sparse *m, const rw_product_program *p)
{
    return rw_sparse_threads(m) && p->vectors >= 4 && p->wide > 1 && m->layout.block_rows > 1;
}

/* Block rows of a group. */
static int rows_of_group(const rw_sparse *m, int vectors)
{
    const rw_sparse_tuning *c = rw_sparse_tuned(m);
    if (!rw_sparse_threads(m)) return c->slice_items;
    const int items = rows_of_item(m, vectors) > 1 ? c->slice_items_run : c->slice_items;
    return RW_MAX(items * RW_MAX(rows_of_item(m, vectors), 1) / m->layout.block_rows / 32, 1) * 32;
}

static int64_t sections(const rw_sparse *m)
{
    return m->layout.section ? RW_MAX((m->longest + m->layout.section - 1) / m->layout.section, 1) : 1;
}

static int64_t groups_of_rows(const rw_sparse *m, int vectors)
{
    return (m->block_rows + rows_of_group(m, vectors) - 1) / rows_of_group(m, vectors);
}

/* Items of a group, where a block row is shared out to items of a scalar row or of some: `all`, but wide blocks on a
 * GPU have several turns. */
static int items_of(const rw_sparse *m, int all)
{
    const int most = rw_sparse_tuned(m)->slice_items_most;
    return most ? RW_MIN(all, most) : all;
}

static void define(const rw_sparse *m, const rw_product_program *p, rw_text *d)
{
    const int rows = rows_of_group(m, p->vectors), run = rows_of_item(m, p->vectors);
    const bool few = groups_of_rows(m, p->vectors) <=
                     2 * m->op.device->info.units; /* nothing else hides a load's latency: all at once */
    const int all = by_blocks(m, p) ? rows * p->vectors / p->wide : rows * m->layout.block_rows / RW_MAX(run, 1);
    const int items = items_of(m, all);
    const bool lanes = !rw_sparse_threads(m), staged = stages(m, p, rows);
    rw_text_add(
        d,
        "NO_SHIFT=%d ROWS=%d GROUP=%d LANES=%d BY_BLOCKS=%d RUN=%d DEEP=%d ROUND=%d SORTED=%d SECTION=%d SHIFTED=%d "
        "RANGED=%d AT_ONCE=%d",
        NO_SHIFT, rows, items, lanes, by_blocks(m, p), run, staged ? 2 : 4, round_of(m, p, rows), sorted(m),
        m->layout.section, m->shift && !by_blocks(m, p), p->ranged != RW_PRODUCT_ALL,
        p->vectors > 2                ? (by_blocks(m, p) && p->vectors > 4 ? 2 : 1)
        : plain(m, p)                 ? 8
        : few                         ? 4
        : m->layout.block_columns > 3 ? 2
                                      : 4);
    if (m->layout.slice) rw_text_add(d, " HEIGHT=%d", m->layout.slice);
    if (of(m)->uniform) rw_text_add(d, " POSITIONS=%d", of(m)->uniform);
    /* registers for enough groups: where values are small, or converted on the way, or vectors many */
    if (run > 1)
        rw_text_add(d, " RW_GROUPS_A_UNIT=%d",
                    RW_MIN(RW_MAX((staged && of(m)->uniform <= 8 ? m->layout.block_columns <= 5 ? 1440 : 1280 : 1120) /
                                      items,
                                  1),
                           16));
    else if (run || (p->vectors == 1 && m->layout.values == RW_C64 && p->vector == RW_C128))
        rw_text_add(d, " RW_GROUPS_A_UNIT=8");
    else if (by_blocks(m, p)) rw_text_add(d, " RW_GROUPS_A_UNIT=4");
    else if (plain(m, p)) rw_text_add(d, " RW_GROUPS_A_UNIT=12");
}

/* With sections it is finish.k that has them, an item a scalar row. */
static int64_t groups(const rw_sparse *m)
{
    const int items = items_of(m, rows_of_group(m, 1) * m->layout.block_rows);
    return m->layout.section ? (m->rows + items - 1) / items : groups_of_rows(m, 1);
}

static rw_status launch(rw_sparse *m, const rw_pass *p, rw_queue *q)
{
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value),
                                 rw_arg_array(m->column),
                                 rw_arg_array(m->first),
                                 rw_arg_array(m->row ? m->row : m->first),
                                 rw_arg_array(m->shift ? m->shift : m->first),
                                 rw_arg_int(of(m)->height),
                                 rw_arg_int(p->from),
                                 rw_arg_int(p->to),
                                 rw_arg_array(p->of.y)};
    if (m->layout.section) {
        RW_TRY(rw_pass_scratch(m, p, sections(m), NULL));
        a[8] = rw_arg_array(m->scratch);
    }
    int n = rw_pass_args(m, p, a, 9);
    int64_t groups = groups_of_rows(m, p->program->vectors);
    if (p->program->ranged) groups = (p->to - p->from + rows_of_group(m, 1) - 1) / rows_of_group(m, 1);
    RW_TRY(rw_launch(q, p->program->multiply, (int64_t[3]){groups, sections(m), 1}, a, n));
    return m->layout.section ? rw_pass_finish(m, p, sections(m), q) : RW_OK;
}

const rw_sparse_ops rw_sparse_slices = {.pads = true,
                                        .state = sizeof(shape),
                                        .plan = plan,
                                        .fill = fill,
                                        .count = count,
                                        .block = block,
                                        .kernel = "slices.k",
                                        .define = define,
                                        .groups = groups,
                                        .launch = launch,
                                        .free = free_shape};
