/* The size of the blocks that a preconditioner works on, whatever format the matrix is stored in. A matrix whose format
 * has other blocks, rectangular ones or blocks of varying size is read once by entries,
 * gathered into blocks of the size wanted, and given to the methods as a copy on the device while the
 * preconditioner is made. */
#include <stdlib.h>
#include <string.h>

#include "precond/precond.h"

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
        qsort(column, (size_t)n, sizeof *column, rw_compare_int64);
        for (int64_t k = 0; k < n; ++k) place[column[k]] = b->first[i] + k;
        for (int64_t row = i * r; row < (i + 1) * r; ++row)
            for (int64_t k = h->first[row]; k < h->first[row + 1]; ++k) {
                const int64_t at = (place[h->column[k] / r] * r + row % r) * r + h->column[k] % r;
                for (int p = 0; p < h->parts; ++p) b->value[h->parts * at + p] = h->value[h->parts * k + p];
            }
    }
    rw_free(seen);
    rw_free(place);
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

static rw_status check_block(const rw_operator *a, const char *who, int r)
{
    if (r <= 1 || a->info.rows % r == 0) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                   "preconditioner %s: block = %d does not divide the %lld rows of the matrix", who, r,
                   (long long)a->info.rows);
}

rw_status rw_precond_blocks(rw_operator *a, const rw_precond_spec *s, int *block, rw_sparse **copy)
{
    rw_sparse *const m = rw_sparse_of(a);
    const int stored = m ? rw_sparse_square(m) : 1;
    const bool finds = s->method == RW_PRECOND_AMG && (s->block == RW_PRECOND_BLOCK_AUTO || (!s->block && stored <= 1));
    const char *who = rw_precond_method_name(s->method);
    rw_host h, b = {0};
    *copy = NULL;
    *block = s->block > 0 ? s->block : RW_MAX(stored, 1);
    RW_TRY(check_block(a, who, *block));
    if (*block == stored && !finds) return RW_OK;
    if (!m)
        return rw_fail(
            a->device->ctx, RW_ERR_UNSUPPORTED,
            "preconditioner %s: block = %d, but a matrix-free operator provides only the entries of its diagonal: use "
            "block = 1",
            who, *block);
    RW_TRY(rw_host_read_entries(m, &h));
    if (finds) *block = rw_unknowns_per_node(&h);
    rw_status status = RW_OK;
    if (*block != stored) {
        const bool gathered = *block == 1 || rw_host_gather(&h, *block, &b);
        status = gathered ? rw_host_send(*block == 1 ? &h : &b, a->device, false, false, copy)
                          : rw_fail_memory(a->device->ctx, (size_t)a->info.rows * 64, "the blocks of a preconditioner");
    }
    rw_host_free(&h);
    rw_host_free(&b);
    return status;
}
