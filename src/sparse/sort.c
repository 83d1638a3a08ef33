/* Sorts the entries of a matrix by row: stable counting sort by column, then by row. It needs 24 bytes per entry in
 * addition to the result. */
#include "sparse/sparse.h"

void rw_sorted_free(rw_sorted *s)
{
    rw_free(s->first);
    rw_free(s->column);
    rw_free(s->entry);
    *s = (rw_sorted){0};
}

bool rw_sort_rows(int64_t rows, int64_t n, const int64_t *row, const int64_t *column, const int64_t *order,
                  rw_sorted *s)
{
    size_t room = (size_t)RW_MAX(n, 1);
    *s = (rw_sorted){rows, rw_calloc((size_t)rows + 2, sizeof *s->first), rw_calloc(room, sizeof *s->column),
                     rw_calloc(room, sizeof *s->entry)};
    if (!s->first || !s->column || !s->entry) {
        rw_sorted_free(s);
        return false;
    }
    for (int64_t i = 0; i < n; ++i) ++s->first[row[i] + 2];
    for (int64_t i = 0; i < rows; ++i) s->first[i + 2] += s->first[i + 1];
    for (int64_t i = 0; i < n; ++i) {
        int64_t e = order ? order[i] : i, at = s->first[row[e] + 1]++;
        s->column[at] = column[e];
        s->entry[at] = e;
    }
    return true;
}

/* Entries that are in order already, as those of a file are. */
static bool take_order(const rw_entries *e, rw_sorted *s)
{
    const size_t room = (size_t)RW_MAX(e->n, 1);
    *s = (rw_sorted){e->rows, rw_calloc((size_t)e->rows + 1, sizeof *s->first), rw_calloc(room, sizeof *s->column),
                     rw_calloc(room, sizeof *s->entry)};
    if (!s->first || !s->column || !s->entry) {
        rw_sorted_free(s);
        return false;
    }
    for (int64_t k = 0; k < e->n; ++k) {
        ++s->first[e->row[k] + 1];
        s->column[k] = e->column[k];
        s->entry[k] = k;
    }
    for (int64_t i = 0; i < e->rows; ++i) s->first[i + 1] += s->first[i];
    return true;
}

/* *ordered: by rows, columns ascending or equal. */
static rw_status check_places(rw_context *ctx, const rw_entries *e, bool *ordered)
{
    *ordered = true;
    if (e->rows < 0 || e->columns < 0 || e->n < 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a matrix of %lld x %lld with %lld entries: these numbers must not be negative",
                       (long long)e->rows, (long long)e->columns, (long long)e->n);
    for (int64_t k = 0, row = -1, column = -1; k < e->n; ++k) {
        if (e->row[k] < 0 || e->row[k] >= e->rows || e->column[k] < 0 || e->column[k] >= e->columns)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "entry %lld at (%lld, %lld), counted from 0, is outside the matrix of %lld x %lld",
                           (long long)k, (long long)e->row[k], (long long)e->column[k], (long long)e->rows,
                           (long long)e->columns);
        *ordered = *ordered && (e->row[k] > row || (e->row[k] == row && e->column[k] >= column));
        row = e->row[k];
        column = e->column[k];
    }
    return RW_OK;
}

enum { LITTLE = 1 << 28 }; /* bytes below which the available memory is not queried */

rw_status rw_entries_sort(rw_context *ctx, const rw_entries *e, rw_sorted *s)
{
    bool ordered;
    *s = (rw_sorted){0};
    RW_TRY(check_places(ctx, e, &ordered));
    /* the format will need the same again per row and column */
    const double need = (ordered ? 16.0 : 32.0) * (double)e->n + 16.0 * ((double)e->rows + (double)e->columns);
    const int64_t most = need > LITTLE ? rw_host_available() : -1;
    rw_sorted t = {0};
    bool sorted = most < 0 || need <= (double)most;
    if (sorted && ordered) sorted = take_order(e, s);
    else if (sorted) {
        sorted = rw_sort_rows(e->columns, e->n, e->column, e->row, NULL, &t) &&
                 rw_sort_rows(e->rows, e->n, e->row, e->column, t.entry, s);
        rw_sorted_free(&t);
    }
    if (sorted) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_MEMORY,
        "a matrix of %lld x %lld with %lld entries: sorting it needs %.3g GB of host memory%s. Are its sizes right?",
        (long long)e->rows, (long long)e->columns, (long long)e->n, 1e-9 * need,
        most < 0 ? ", and the allocation failed" : ", more than is available");
}
