/* What a sparse matrix looks like: counts over its rows, sorted by column, and those of its transpose. */
#include "rechenwerk/sparse.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/figure.h"
#include "sparse/sparse.h"

/* ---- shape, symmetry ----------------------------------------------------------------------------------------------------------- */

static double part(const rw_mtx *m, int64_t entry, int which) { return m->is_complex ? m->value[2 * entry + which] : which ? 0 : m->value[entry]; }
static bool is_zero(const rw_mtx *m, int64_t entry) { return part(m, entry, 0) == 0 && part(m, entry, 1) == 0; }

static bool look_at_rows(const rw_mtx *m, const rw_sorted *r, rw_pattern *p)
{
    size_t most = (size_t)(m->rows + m->columns);
    char *seen = rw_calloc(most + 1, 1);
    if (!seen) return false;
    p->row_least = m->rows ? INT64_MAX : 0;
    for (int64_t i = 0; i < r->n; ++i) {
        int64_t n = r->first[i + 1] - r->first[i];
        bool diagonal = false;
        p->row_least = RW_MIN(p->row_least, n), p->row_most = RW_MAX(p->row_most, n), p->empty_rows += n == 0;
        for (int64_t k = r->first[i]; k < r->first[i + 1]; ++k) {
            int64_t j = r->column[k];
            bool zero = is_zero(m, r->entry[k]);
            p->lower = RW_MAX(p->lower, i - j), p->upper = RW_MAX(p->upper, j - i), p->zeros += zero;
            p->diagonals += !seen[j - i + m->rows], seen[j - i + m->rows] = 1;
            diagonal = diagonal || (i == j && !zero);
        }
        p->no_diagonal += i < m->columns && !diagonal;
    }
    rw_free(seen);
    return true;
}

/* Rows of the matrix beside those of its transpose, both with ascending columns. */
static void compare(const rw_mtx *m, const rw_sorted *r, const rw_sorted *t, rw_pattern *p)
{
    int64_t n = r->first[r->n];
    p->same_pattern = m->rows == m->columns && !memcmp(r->first, t->first, (size_t)(r->n + 1) * sizeof *r->first) && !memcmp(r->column, t->column, (size_t)n * sizeof *r->column);
    p->symmetric = p->skew = p->same_pattern, p->hermitian = p->same_pattern && m->is_complex;
    for (int64_t k = 0; k < n && p->same_pattern; ++k) {
        double re = part(m, r->entry[k], 0), im = part(m, r->entry[k], 1), other = part(m, t->entry[k], 0), opposite = part(m, t->entry[k], 1);
        p->symmetric = p->symmetric && re == other && im == opposite;
        p->skew = p->skew && re == -other && im == -opposite;
        p->hermitian = p->hermitian && re == other && im == -opposite;
    }
}

/* ---- formats ---------------------------------------------------------------------------------------------------------------------- */

static rw_status add_formats(rw_context *ctx, const rw_mtx *m, const rw_sorted *r, int64_t *last, rw_pattern *p)
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

/* ---- the picture -------------------------------------------------------------------------------------------------------------------- */

enum { PIXELS = 512 };

/* How many of its places each of up to 512 x 512 squares has filled, as a logarithm; squares without are as dark as the scale goes. */
static rw_status draw(rw_context *ctx, const char *path, const char *name, const rw_mtx *m, const rw_sorted *r)
{
    size_t nx = (size_t)RW_MIN(RW_MAX(m->columns, 1), PIXELS), ny = (size_t)RW_MIN(RW_MAX(m->rows, 1), PIXELS);
    double *filled = rw_calloc(nx * ny, sizeof *filled), per_pixel = fmax(1, (double)m->rows / (double)ny) * fmax(1, (double)m->columns / (double)nx);
    char subtitle[96];
    if (!filled) return rw_fail_memory(ctx, nx * ny * sizeof *filled, "a picture");
    for (int64_t i = 0; i < r->n; ++i)
        for (int64_t k = r->first[i]; k < r->first[i + 1]; ++k) {
            size_t x = (size_t)((double)r->column[k] * (double)nx / (double)m->columns), y = (size_t)((double)i * (double)ny / (double)m->rows);
            filled[y * nx + x] += 1 / per_pixel;
        }
    for (size_t i = 0; i < nx * ny; ++i) filled[i] = RW_MAX(RW_MIN(filled[i], 1), 1e-300);
    snprintf(subtitle, sizeof subtitle, "%lld x %lld, %lld entries", (long long)m->rows, (long long)m->columns, (long long)r->first[r->n]);
    const char *slash = strrchr(name, '/');
    const rw_figure_page page = {.title = slash ? slash + 1 : name, .subtitle = subtitle};
    const rw_figure_field field = {.nx = nx, .ny = ny, .values = filled, .x0 = 0, .x1 = (double)RW_MAX(m->columns, 1), .y0 = 0, .y1 = (double)RW_MAX(m->rows, 1), .down = true, .x_label = "column", .y_label = "row",
                                   .value = {.label = "part of a square's places with an entry", .log = true, .min = fmin(0.2 / per_pixel, 0.1), .max = 1}};
    rw_status status = rw_figure_write_field(ctx, path, &page, &field);
    rw_free(filled);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------------------- */

static rw_status look(rw_context *ctx, const rw_mtx *m, rw_sorted *r, rw_sorted *t, rw_pattern *p)
{
    RW_TRY(rw_sort_entries(ctx, m->rows, m->columns, m->n, m->row, m->column, r));
    int64_t *last = rw_calloc((size_t)m->columns + 1, sizeof *last);
    bool made = last && rw_sort_rows(m->columns, m->n, m->column, m->row, r->entry, t) && look_at_rows(m, r, p);
    if (made) compare(m, r, t, p);
    rw_status status = made ? add_formats(ctx, m, r, last, p) : rw_fail_memory(ctx, (size_t)m->n * 16 + (size_t)m->columns * 16, "the pattern of a matrix");
    rw_free(last);
    return status;
}

rw_status rw_pattern_read(rw_context *ctx, const char *path, const char *picture, rw_pattern *p)
{
    RW_NEED(ctx, "ctx");
    RW_NEED(path, "path");
    RW_NEED(p, "pattern");
    return rw_pattern_read_duplicates(ctx, path, RW_DUPLICATES_REFUSE, picture, p);
}

rw_status rw_pattern_read_duplicates(rw_context *ctx, const char *path, rw_duplicates duplicates, const char *picture,
                                     rw_pattern *p)
{
    RW_NEED(ctx, "ctx");
    RW_NEED(path, "path");
    RW_NEED(p, "pattern");
    rw_mtx m;
    rw_sorted r = {0}, t = {0};
    memset(p, 0, sizeof *p);
    RW_TRY(rw_duplicates_check(ctx, duplicates));
    RW_TRY(rw_mtx_read_duplicates(ctx, path, duplicates == RW_DUPLICATES_SUM, &m));
    rw_status status = m.rows < INT32_MAX && m.columns < INT32_MAX ? rw_mtx_thin(ctx, &m) : rw_fail(ctx, RW_ERR_INPUT, "%s: a matrix of %lld x %lld: fewer than 2147483647 rows and columns are possible", path,
                                                                                            (long long)m.rows, (long long)m.columns);
    p->rows = m.rows, p->columns = m.columns, p->entries = m.n, p->is_complex = m.is_complex;
    if (status == RW_OK) status = look(ctx, &m, &r, &t, p);
    if (status == RW_OK && picture) status = draw(ctx, picture, path, &m, &r);
    rw_sorted_free(&r), rw_sorted_free(&t);
    rw_mtx_free(&m);
    if (status != RW_OK) memset(p, 0, sizeof *p);
    return status;
}
