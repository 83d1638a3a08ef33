/* Statistics of the sparsity pattern: counts over the sorted rows of the matrix and of its transpose. */
#include "rechenwerk/sparse.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"

/* ---- shape, symmetry --------------------------------------------------------------------------------------------- */

static double part(const rw_entries *m, int64_t entry, int which)
{
    return m->is_complex ? m->value[2 * entry + which] : which ? 0 : m->value[entry];
}
static bool is_zero(const rw_entries *m, int64_t entry) { return part(m, entry, 0) == 0 && part(m, entry, 1) == 0; }

static bool count_rows(const rw_entries *m, const rw_sorted *r, rw_pattern *p)
{
    size_t most = (size_t)(m->rows + m->columns);
    char *seen = rw_calloc(most + 1, 1);
    if (!seen) return false;
    p->row_min = m->rows ? INT64_MAX : 0;
    for (int64_t i = 0; i < r->n; ++i) {
        int64_t n = r->first[i + 1] - r->first[i];
        bool diagonal = false;
        p->row_min = RW_MIN(p->row_min, n);
        p->row_max = RW_MAX(p->row_max, n);
        p->empty_rows += n == 0;
        for (int64_t k = r->first[i]; k < r->first[i + 1]; ++k) {
            int64_t j = r->column[k];
            bool zero = is_zero(m, r->entry[k]);
            p->lower = RW_MAX(p->lower, i - j);
            p->upper = RW_MAX(p->upper, j - i);
            p->zeros += zero;
            p->diagonals += !seen[j - i + m->rows];
            seen[j - i + m->rows] = 1;
            diagonal = diagonal || (i == j && !zero);
        }
        p->no_diagonal += i < m->columns && !diagonal;
    }
    rw_free(seen);
    return true;
}

/* Rows of the matrix next to those of its transpose, both with ascending columns. */
static void compare(const rw_entries *m, const rw_sorted *r, const rw_sorted *t, rw_pattern *p)
{
    int64_t n = r->first[r->n];
    p->same_pattern = m->rows == m->columns && !memcmp(r->first, t->first, (size_t)(r->n + 1) * sizeof *r->first) &&
                      !memcmp(r->column, t->column, (size_t)n * sizeof *r->column);
    p->symmetric = p->skew = p->same_pattern;
    p->hermitian = p->same_pattern && m->is_complex;
    for (int64_t k = 0; k < n && p->same_pattern; ++k) {
        double re = part(m, r->entry[k], 0), im = part(m, r->entry[k], 1), other = part(m, t->entry[k], 0),
               opposite = part(m, t->entry[k], 1);
        p->symmetric = p->symmetric && re == other && im == opposite;
        p->skew = p->skew && re == -other && im == -opposite;
        p->hermitian = p->hermitian && re == other && im == -opposite;
    }
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static rw_status add_formats(rw_context *ctx, const rw_entries *m, const rw_sorted *r, int64_t *last, rw_pattern *p)
{
    const rw_dtype values = m->is_complex ? RW_C128 : RW_F64;
    for (int b = 1; b <= RW_PATTERN_BLOCKS; ++b) {
        memset(last, 0, ((size_t)m->columns + 1) * sizeof *last);
        p->blocks[b] = rw_count_blocks(r, b, last);
    }
    p->nformats = rw_sparse_candidates(m, p->blocks, INFINITY, values, p->formats);
    RW_TRY(rw_sparse_foresee(ctx, NULL, m, r, values, p->nformats, p->formats));
    p->best = rw_sparse_least(p->formats, p->nformats);
    return RW_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static rw_status find(rw_context *ctx, const rw_entries *m, const rw_sorted *r, rw_sorted *t, rw_pattern *p)
{
    int64_t *last = rw_calloc((size_t)m->columns + 1, sizeof *last);
    bool made = last && rw_sort_rows(m->columns, m->n, m->column, m->row, r->entry, t) && count_rows(m, r, p);
    if (made) compare(m, r, t, p);
    rw_status status =
        made ? add_formats(ctx, m, r, last, p)
             : rw_fail_memory(ctx, (size_t)m->n * 16 + (size_t)m->columns * 16, "the sparsity pattern of a matrix");
    rw_free(last);
    return status;
}

static rw_status pattern_find(rw_context *ctx, const rw_entries *e, rw_pattern *p)
{
    rw_sorted r = {0}, t = {0};
    *p = (rw_pattern){.rows = e->rows, .columns = e->columns, .entries = e->n, .is_complex = e->is_complex};
    if (e->rows >= INT32_MAX || e->columns >= INT32_MAX)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a matrix of %lld x %lld: the numbers of rows and columns must be less than 2147483647",
                       (long long)e->rows, (long long)e->columns);
    rw_status status = rw_entries_sort(ctx, e, &r);
    if (status == RW_OK) status = find(ctx, e, &r, &t, p);
    rw_sorted_free(&r);
    rw_sorted_free(&t);
    if (status != RW_OK) memset(p, 0, sizeof *p);
    return status;
}

rw_status rw_pattern_find_sized(rw_context *ctx, const rw_entries *e, rw_pattern *p, size_t pattern_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(e, "entries");
    RW_NEED(p, "pattern");
    RW_CHECK_MEMBERS(ctx, rw_entries, e);
    RW_STRUCT_ROOM(rw_pattern, p, pattern_size);
    return RW_STRUCT_OUT(pattern_find(ctx, e, p_whole), p, pattern_size);
}
