/* The size of the blocks that a preconditioner works on, whatever format the matrix is stored in. A matrix whose format
 * has other blocks, rectangular ones or blocks of varying size is read once by entries,
 * gathered into blocks of the size wanted, and given to the methods as a copy on the device while the
 * preconditioner is made. */
#include <stdlib.h>
#include <string.h>

#include "precond/precond.h"

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
                h->column[to] = column, h->value[h->parts * to] = re;
                if (h->parts == 2) h->value[2 * to + 1] = im;
            }
    }
}

static rw_status no_memory(const rw_sparse *m)
{
    return rw_fail_memory(m->device->ctx, (size_t)m->rows * 64, "the blocks of a preconditioner");
}

/* The matrix by entries: blocks of 1 x 1, columns ascending as in every format. */
static rw_status read_entries(rw_sparse *m, rw_host *h)
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
    rw_host_free(h);
    return no_memory(m);
}

/* Blocks of r x r that have an entry in block row i, each once; seen[j] == i + 1: block j is counted. to: their
 * columns; NULL: only counts. */
static int64_t blocks_of_row(const rw_host *h, int r, int64_t i, int64_t *seen, int64_t *to)
{
    int64_t n = 0;
    for (int64_t k = h->first[i * r]; k < h->first[RW_MIN((i + 1) * r, h->rows)]; ++k) {
        const int64_t j = h->column[k] / r;
        if (seen[j] == i + 1) continue;
        seen[j] = i + 1;
        if (to) to[n] = j;
        ++n;
    }
    return n;
}

static int by_number(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return (i > j) - (i < j);
}

/* Entries gathered into blocks of r x r, with r a divisor of the number of rows. */
bool rw_host_gather(const rw_host *h, int r, rw_host *b)
{
    *b = (rw_host){.rows = h->rows / r, .columns = h->columns / r, .r = r, .parts = h->parts};
    b->first = rw_calloc((size_t)b->rows + 1, sizeof *b->first);
    int64_t *seen = rw_calloc((size_t)RW_MAX(b->columns, 1), sizeof *seen),
            *place = rw_calloc((size_t)RW_MAX(b->columns, 1), sizeof *place);
    bool made = b->first && seen && place;
    for (int64_t i = 0; made && i < b->rows; ++i) b->first[i + 1] = b->first[i] + blocks_of_row(h, r, i, seen, NULL);
    made = made && rw_host_make(b);
    if (made) memset(seen, 0, (size_t)b->columns * sizeof *seen);
    for (int64_t i = 0; made && i < b->rows; ++i) {
        int64_t *const column = b->column + b->first[i], n = blocks_of_row(h, r, i, seen, column);
        qsort(column, (size_t)n, sizeof *column, by_number);
        for (int64_t k = 0; k < n; ++k) place[column[k]] = b->first[i] + k;
        for (int64_t row = i * r; row < (i + 1) * r; ++row)
            for (int64_t k = h->first[row]; k < h->first[row + 1]; ++k) {
                const int64_t at = (place[h->column[k] / r] * r + row % r) * r + h->column[k] % r;
                for (int p = 0; p < h->parts; ++p) b->value[h->parts * at + p] = h->value[h->parts * k + p];
            }
    }
    rw_free(seen), rw_free(place);
    if (!made) rw_host_free(b);
    return made;
}

/* Unknowns per node of a grid: the largest size of blocks that are nearly full where they have an entry. 1: a scalar
 * equation, or not memory enough to tell. */
int rw_unknowns_per_node(const rw_host *h)
{
    enum { MOST = 8 };
    /* Stored values per entry. Blocks of a system are full but for a few couplings; of a scalar equation half full. */
    const double full = 1.1;
    int best = 1;
    int64_t *seen = rw_calloc((size_t)RW_MAX(h->columns, 1), sizeof *seen);
    for (int r = 2; seen && r <= MOST; ++r) {
        int64_t blocks = 0;
        if (h->rows % r || h->rows < 4 * r) continue;
        memset(seen, 0, (size_t)h->columns * sizeof *seen);
        for (int64_t i = 0; i < h->rows / r; ++i) blocks += blocks_of_row(h, r, i, seen, NULL);
        if ((double)blocks * r * r <= full * (double)h->first[h->rows]) best = r;
    }
    rw_free(seen);
    return best;
}

/* Square blocks of one size in which the matrix is stored, 1 of entries; 0: blocks of another kind. */
static int stored_blocks(const rw_sparse *m)
{
    return m->row_first || m->layout.block_rows != m->layout.block_columns ? 0 : RW_MAX(m->layout.block_rows, 1);
}

static rw_status check_block(const rw_sparse *m, const char *who, int r)
{
    if (r <= 1 || m->rows % r == 0) return RW_OK;
    return rw_fail(m->device->ctx, RW_ERR_ARGUMENT,
                   "preconditioner %s: block = %d does not divide the %lld rows of the matrix", who, r,
                   (long long)m->rows);
}

rw_status rw_precond_blocks(rw_sparse *m, const rw_precond_spec *s, int *block, rw_sparse **copy)
{
    const int stored = rw_sparse_is_free(m) ? 1 : stored_blocks(m);
    const bool finds = s->method == RW_PRECOND_AMG && !rw_sparse_is_free(m) &&
                       (s->block == RW_PRECOND_BLOCK_AUTO || (!s->block && stored <= 1));
    const char *who = rw_precond_method_name(s->method);
    rw_host h, b = {0};
    *copy = NULL, *block = s->block > 0 ? s->block : RW_MAX(stored, 1);
    RW_TRY(check_block(m, who, *block));
    if (*block == stored && !finds) return RW_OK;
    if (rw_sparse_is_free(m))
        return rw_fail(m->device->ctx, RW_ERR_UNSUPPORTED,
                       "preconditioner %s: block = %d, and a matrix-free operator has entries alone: use block = 1",
                       who, *block);
    RW_TRY(read_entries(m, &h));
    if (finds) *block = rw_unknowns_per_node(&h);
    rw_status status = RW_OK;
    if (*block != stored) {
        const bool gathered = *block == 1 || rw_host_gather(&h, *block, &b);
        status = gathered ? rw_host_send(*block == 1 ? &h : &b, m->device, &(rw_precond_spec){0}, copy) : no_memory(m);
    }
    rw_host_free(&h), rw_host_free(&b);
    return status;
}
