/* What a sparse matrix looks like: counts over its rows, sorted by column, and those of its transpose; bytes of each format from them. */
#include "rechenwerk/sparse.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/figure.h"
#include "io/mtx.h"

/* Entries row after row, columns ascending. */
typedef struct rows {
    int64_t n;
    int64_t *first;   /* [n + 1] */
    int32_t *column;
    int64_t *entry;   /* its number in the file */
} rows;

static void free_rows(rows *r) { rw_free(r->first), rw_free(r->column), rw_free(r->entry); }

/* Entry i lies in row row[i]; taken in the order of `order` (NULL: 0, 1, …), which each row keeps. */
static bool make_rows(int64_t nrows, int64_t n, const int64_t *row, const int64_t *column, const int64_t *order, rows *r)
{
    *r = (rows){nrows, rw_calloc((size_t)nrows + 2, sizeof *r->first), rw_calloc((size_t)RW_MAX(n, 1), sizeof *r->column), rw_calloc((size_t)RW_MAX(n, 1), sizeof *r->entry)};
    if (!r->first || !r->column || !r->entry) return false;
    for (int64_t i = 0; i < n; ++i) ++r->first[row[i] + 2];
    for (int64_t i = 0; i < nrows; ++i) r->first[i + 2] += r->first[i + 1];
    for (int64_t i = 0; i < n; ++i) {
        int64_t e = order ? order[i] : i, at = r->first[row[e] + 1]++;
        r->column[at] = (int32_t)column[e], r->entry[at] = e;
    }
    return true;
}

/* ---- shape, symmetry ----------------------------------------------------------------------------------------------------------- */

static double part(const rw_mtx *m, int64_t entry, int which) { return m->is_complex ? m->value[2 * entry + which] : which ? 0 : m->value[entry]; }
static bool is_zero(const rw_mtx *m, int64_t entry) { return part(m, entry, 0) == 0 && part(m, entry, 1) == 0; }

static bool look_at_rows(const rw_mtx *m, const rows *r, rw_pattern *p)
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
static void compare(const rw_mtx *m, const rows *r, const rows *t, rw_pattern *p)
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

/* ---- blocks and slices ------------------------------------------------------------------------------------------------------------ */

/* Blocks of each block row; their number. `last`: room for a number a block column. */
static int64_t count_blocks(const rows *r, int b, int64_t *last, int64_t *of_row)
{
    int64_t all = 0, block_rows = (r->n + b - 1) / b;
    for (int64_t i = 0; i < block_rows; ++i) {
        of_row[i] = 0;
        for (int64_t k = r->first[i * b]; k < r->first[RW_MIN((i + 1) * b, r->n)]; ++k) {
            int64_t j = r->column[k] / b;
            if (last[j] == i + 1) continue;
            last[j] = i + 1, ++of_row[i];
        }
        all += of_row[i];
    }
    return all;
}

/* Places when each of `slice` rows has as many as the longest of them; 0: of all rows. */
static double padded(const int64_t *of_row, int64_t n, int64_t slice)
{
    double places = 0;
    for (int64_t i = 0; i < n; i += slice ? slice : n) {
        int64_t longest = 0, end = slice ? RW_MIN(i + slice, n) : n;
        for (int64_t k = i; k < end; ++k) longest = RW_MAX(longest, of_row[k]);
        places += (double)longest * (double)(slice ? slice : n);
    }
    return places;
}

static void add_format(rw_pattern *p, const char *name, double bytes, double places)
{
    p->formats[p->nformats++] = (rw_format_size){name, bytes < 9e18 ? (int64_t)bytes : INT64_MAX, p->entries ? places / (double)p->entries : 1};
}

static void add_formats(const rw_mtx *m, const rows *r, int64_t *last, int64_t *of_row, rw_pattern *p)
{
    static const char *const bcsr[] = {"", "", "bcsr 2x2", "bcsr 3x3", "bcsr 4x4", "bcsr 5x5", "bcsr 6x6", "bcsr 7x7", "bcsr 8x8"},
                      *const slices[] = {"", "sell 32", "sell 32, blocks 2x2", "sell 32, blocks 3x3", "sell 32, blocks 4x4", "sell 32, blocks 5x5", "sell 32, blocks 6x6",
                                         "sell 32, blocks 7x7", "sell 32, blocks 8x8"};
    double v = m->is_complex ? 16 : 8, n = (double)p->entries, nrows = (double)m->rows;
    add_format(p, "coo", n * (v + 8), n);
    add_format(p, "csr", n * (v + 4) + 4 * (nrows + 1), n);
    add_format(p, "dia", (double)p->diagonals * (nrows * v + 4), (double)p->diagonals * nrows);
    for (int b = 1; b <= RW_PATTERN_BLOCKS; ++b) {
        int64_t block_rows = (r->n + b - 1) / b;
        memset(last, 0, ((size_t)m->columns + 1) * sizeof *last);
        p->blocks[b] = count_blocks(r, b, last, of_row);
        double block = b * b * v + 4, sliced = padded(of_row, block_rows, 32);
        if (b == 1) add_format(p, "ell", padded(of_row, block_rows, 0) * block, padded(of_row, block_rows, 0));
        else add_format(p, bcsr[b], (double)p->blocks[b] * block + 4 * (double)(block_rows + 1), (double)p->blocks[b] * b * b);
        add_format(p, slices[b], sliced * block + 4 * (double)((block_rows + 31) / 32 + 1), sliced * b * b);
    }
    p->best = 1;
    for (int i = 0; i < p->nformats; ++i)
        if ((double)p->formats[i].bytes < 0.98 * (double)p->formats[p->best].bytes) p->best = i;
}

/* ---- the picture -------------------------------------------------------------------------------------------------------------------- */

enum { PIXELS = 512 };

/* How many of its places each of up to 512 x 512 squares has filled, as a logarithm; squares without are as dark as the scale goes. */
static rw_status draw(rw_context *ctx, const char *path, const char *name, const rw_mtx *m, const rows *r)
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

/* An array as entries: those that are not 0. */
static rw_status thin(rw_context *ctx, rw_mtx *m)
{
    if (!m->dense) return RW_OK;
    int64_t n = 0;
    size_t width = m->is_complex ? 2 : 1;
    m->row = rw_calloc((size_t)RW_MAX(m->n, 1), sizeof *m->row), m->column = rw_calloc((size_t)RW_MAX(m->n, 1), sizeof *m->column);
    if (!m->row || !m->column) return rw_fail_memory(ctx, (size_t)m->n * 16, "a matrix");
    for (int64_t i = 0; i < m->n; ++i) {
        if (is_zero(m, i)) continue;
        m->row[n] = i % m->rows, m->column[n] = i / m->rows;
        memmove(m->value + width * (size_t)n++, m->value + width * (size_t)i, width * sizeof *m->value);
    }
    m->n = n, m->dense = false;
    return RW_OK;
}

static rw_status look(rw_context *ctx, const rw_mtx *m, rows *by_column, rows *r, rows *t, rw_pattern *p)
{
    size_t most = (size_t)RW_MAX(m->rows, m->columns) + 1;
    int64_t *last = rw_calloc(most, sizeof *last), *of_row = rw_calloc(most, sizeof *of_row);
    bool made = last && of_row;
    made = made && make_rows(m->columns, m->n, m->column, m->row, NULL, by_column);             /* entries by column, … */
    made = made && make_rows(m->rows, m->n, m->row, m->column, by_column->entry, r);           /* … so that rows have theirs ascending … */
    made = made && make_rows(m->columns, m->n, m->column, m->row, r->entry, t);                 /* … and columns too */
    made = made && look_at_rows(m, r, p);
    if (made) {
        compare(m, r, t, p);
        add_formats(m, r, last, of_row, p);
    }
    rw_free(last), rw_free(of_row);
    return made ? RW_OK : rw_fail_memory(ctx, (size_t)m->n * 36, "the pattern of a matrix");
}

rw_status rw_pattern_read(rw_context *ctx, const char *path, const char *picture, rw_pattern *p)
{
    rw_mtx m;
    rows by_column = {0}, r = {0}, t = {0};
    memset(p, 0, sizeof *p);
    RW_TRY(rw_mtx_read(ctx, path, &m));
    rw_status status = m.rows < INT32_MAX && m.columns < INT32_MAX ? thin(ctx, &m) : rw_fail(ctx, RW_ERR_INPUT, "%s: a matrix of %lld x %lld: fewer than 2147483647 rows and columns are possible", path,
                                                                                            (long long)m.rows, (long long)m.columns);
    p->rows = m.rows, p->columns = m.columns, p->entries = m.n, p->is_complex = m.is_complex;
    if (status == RW_OK) status = look(ctx, &m, &by_column, &r, &t, p);
    if (status == RW_OK && picture) status = draw(ctx, picture, path, &m, &r);
    free_rows(&by_column), free_rows(&r), free_rows(&t);
    rw_mtx_free(&m);
    if (status != RW_OK) memset(p, 0, sizeof *p);
    return status;
}
