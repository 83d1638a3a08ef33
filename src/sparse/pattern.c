/* What a sparse matrix looks like: counts over its rows, sorted by column, and those of its transpose; bytes of each format from them. */
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

/* ---- blocks and slices ------------------------------------------------------------------------------------------------------------ */

/* Blocks of each block row; their number. `last`: room for a number a block column. */
static int64_t count_blocks(const rw_sorted *r, int b, int64_t *last, int64_t *of_row)
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

static void add_formats(const rw_mtx *m, const rw_sorted *r, int64_t *last, int64_t *of_row, rw_pattern *p)
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
    size_t most = (size_t)RW_MAX(m->rows, m->columns) + 1;
    int64_t *last = rw_calloc(most, sizeof *last), *of_row = rw_calloc(most, sizeof *of_row);
    bool made = last && of_row;
    made = made && rw_sort_entries(m->rows, m->columns, m->n, m->row, m->column, r) && rw_sort_rows(m->columns, m->n, m->column, m->row, r->entry, t);
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
    rw_sorted r = {0}, t = {0};
    memset(p, 0, sizeof *p);
    RW_TRY(rw_mtx_read(ctx, path, &m));
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
