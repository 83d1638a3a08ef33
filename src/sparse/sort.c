/* Entries of a matrix by rows: counting sort, first by columns, then by rows, each of which keeps the order of the other. 24 bytes an entry
 * beside the result while it runs. */
#include "sparse/sparse.h"

void rw_sorted_free(rw_sorted *s)
{
    rw_free(s->first), rw_free(s->column), rw_free(s->entry);
    *s = (rw_sorted){0};
}

bool rw_sort_rows(int64_t rows, int64_t n, const int64_t *row, const int64_t *column, const int64_t *order, rw_sorted *s)
{
    size_t room = (size_t)RW_MAX(n, 1);
    *s = (rw_sorted){rows, rw_calloc((size_t)rows + 2, sizeof *s->first), rw_calloc(room, sizeof *s->column), rw_calloc(room, sizeof *s->entry)};
    if (!s->first || !s->column || !s->entry) {
        rw_sorted_free(s);
        return false;
    }
    for (int64_t i = 0; i < n; ++i) ++s->first[row[i] + 2];
    for (int64_t i = 0; i < rows; ++i) s->first[i + 2] += s->first[i + 1];
    for (int64_t i = 0; i < n; ++i) {
        int64_t e = order ? order[i] : i, at = s->first[row[e] + 1]++;
        s->column[at] = column[e], s->entry[at] = e;
    }
    return true;
}

enum { LITTLE = 1 << 28 }; /* bytes that nobody asks for */

rw_status rw_sort_entries(rw_context *ctx, int64_t rows, int64_t columns, int64_t n, const int64_t *row, const int64_t *column, rw_sorted *s)
{
    const double need = 32.0 * (double)n + 16.0 * ((double)rows + (double)columns); /* as much for rows and columns once more follows: a format's */
    const int64_t most = need > LITTLE ? rw_host_available() : -1;
    rw_sorted t = {0};
    *s = (rw_sorted){0};
    bool sorted = (most < 0 || need <= (double)most) && rw_sort_rows(columns, n, column, row, NULL, &t) && rw_sort_rows(rows, n, row, column, t.entry, s);
    rw_sorted_free(&t);
    if (sorted) return RW_OK;
    return rw_fail(ctx, RW_ERR_MEMORY, "a matrix of %lld x %lld with %lld entries: %.3g GB on the host are needed to sort it%s: are its sizes right?", (long long)rows, (long long)columns, (long long)n,
                   1e-9 * need, most < 0 ? ", and cannot be had" : ", which has less");
}
