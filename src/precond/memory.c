/* What a preconditioner will hold on the device, from the entries of its matrix.
 *
 * Without fill the pattern decides: all blocks are counted. With fill by levels a sample of rows is counted: block (i, j) of a factor has a level of at most p where a path of at most p + 1 steps
 * leads from i to j through rows before both. For amg the first grid is aggregated as it will be, rows of the next matrix are counted in a sample, and coarser grids follow by the same ratio.
 * Cost: the entries are sorted once, and read a few times; nothing is eliminated and no product is formed.
 *
 * Source: Hysom, Pothen, A scalable parallel algorithm for incomplete factor preconditioning, SIAM J. Sci. Comput. 22, 2001 (fill by paths). */
#include <string.h>

#include "precond/precond.h"

enum { SAMPLE = 400 };

static rw_status no_memory(rw_context *ctx, int64_t rows) { return rw_fail_memory(ctx, (size_t)rows * 24, "the estimate of a preconditioner"); }

/* ---- the matrix ---------------------------------------------------------------------------------------------------------------------------- */

/* Entries sorted by rows; the places of a diagonal that are missing are not added. */
static rw_status read_entries(rw_context *ctx, const rw_entries *e, rw_host *h)
{
    rw_sorted s = {0};
    *h = (rw_host){.rows = e->rows, .columns = e->columns, .r = 1, .parts = e->is_complex ? 2 : 1};
    RW_TRY(rw_sort_entries(ctx, e->rows, e->columns, e->n, e->row, e->column, &s));
    h->first = rw_calloc((size_t)e->rows + 1, sizeof *h->first);
    if (h->first) memcpy(h->first, s.first, ((size_t)e->rows + 1) * sizeof *h->first);
    const bool made = h->first && rw_host_make(h);
    for (int64_t k = 0; made && k < e->n; ++k) {
        h->column[k] = s.column[k];
        for (int p = 0; p < h->parts; ++p) h->value[h->parts * k + p] = e->value[h->parts * s.entry[k] + p];
    }
    rw_sorted_free(&s);
    if (made) return RW_OK;
    rw_host_free(h);
    return no_memory(ctx, e->rows);
}

/* Blocks as rw_precond_blocks finds them. */
static rw_status read_blocks(rw_context *ctx, const rw_precond_spec *s, const rw_sparse_layout *l, const rw_entries *e, rw_host *b)
{
    rw_host h;
    const int stored = l->format == RW_SPARSE_VBCSR || l->block_rows != l->block_columns ? 0 : RW_MAX(l->block_rows, 1);
    const bool finds = s->method == RW_PRECOND_AMG && (s->block == RW_PRECOND_BLOCK_AUTO || (!s->block && stored <= 1));
    RW_TRY(read_entries(ctx, e, &h));
    const int r = finds ? rw_unknowns_per_node(&h) : s->block > 0 ? s->block : RW_MAX(stored, 1);
    if (r == 1) return *b = h, RW_OK;
    rw_status status = h.rows % r ? rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: block = %d does not divide the %lld rows of the matrix", rw_precond_method_name(s->method), r, (long long)h.rows)
                       : rw_host_gather(&h, r, b) ? RW_OK
                                                  : no_memory(ctx, h.rows);
    rw_host_free(&h);
    return status;
}

/* ---- sizes ---------------------------------------------------------------------------------------------------------------------------------- */

typedef struct sizes { double block, index, row, vector; } sizes; /* bytes of a block with its column, an index, a row's scales, a block row of a vector */

static sizes sizes_of(const rw_host *h, const rw_precond_spec *s, rw_dtype vectors)
{
    const rw_sparse_layout l = rw_host_layout(h, false, s);
    const double index = (double)h->first[h->rows] * h->r * h->r < INT32_MAX ? 4 : 8;
    return (sizes){(double)h->r * h->r * (double)rw_sparse_value_size(&l) + index, index, s->scaled ? 2. * h->r : 0, (double)h->r * (double)rw_dtype_size(vectors)};
}

/* A matrix of so many block rows and blocks; of a triangle also the order of its rows. */
static double matrix(const sizes *z, double rows, double blocks) { return blocks * z->block + rows * (z->index + z->row); }
static double triangle(const sizes *z, double rows, double blocks) { return matrix(z, rows, blocks) + rows * z->index; }

/* Row number k of a sample that is spread over all rows. */
static int64_t sampled(int64_t rows, int64_t k) { return rows <= SAMPLE ? k : (int64_t)(((double)k + 0.5) * (double)rows / SAMPLE); }

/* ---- fill by levels ------------------------------------------------------------------------------------------------------------------------ */

/* The pattern of the transpose, without values. */
static bool transpose(const rw_host *h, rw_host *t)
{
    *t = (rw_host){.rows = h->columns, .columns = h->rows, .r = h->r, .parts = h->parts, .borrowed = true, .first = rw_calloc((size_t)h->columns + 1, sizeof *t->first)};
    if (!t->first) return false;
    for (int64_t k = 0; k < h->first[h->rows]; ++k) ++t->first[h->column[k] + 1];
    for (int64_t j = 0; j < t->rows; ++j) t->first[j + 1] += t->first[j];
    int64_t *at = rw_calloc((size_t)RW_MAX(t->rows, 1), sizeof *at);
    const bool made = at && rw_host_make(t);
    for (int64_t j = 0; made && j < t->rows; ++j) at[j] = t->first[j];
    for (int64_t i = 0; made && i < h->rows; ++i)
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) t->column[at[h->column[k]]++] = i;
    rw_free(at);
    return made;
}

typedef struct search { int64_t *seen, *now, *next; } search;

/* Columns j > i of row i that paths of at most level + 1 steps through rows before i reach. */
static int64_t reached(const rw_host *h, int64_t i, int level, search *w)
{
    int64_t found = 0, n = 1;
    w->now[0] = i, w->seen[i] = i + 1;
    for (int step = 0; step <= level && n; ++step) {
        int64_t more = 0;
        for (int64_t q = 0; q < n; ++q)
            for (int64_t k = h->first[w->now[q]]; k < h->first[w->now[q] + 1]; ++k) {
                const int64_t j = h->column[k];
                if (w->seen[j] == i + 1) continue;
                w->seen[j] = i + 1;
                if (j > i) ++found;
                else w->next[more++] = j;
            }
        int64_t *swap = w->now;
        w->now = w->next, w->next = swap, n = more;
    }
    return found;
}

/* Blocks of both factors beside the diagonal. The lower one is the upper one of the transpose. */
static rw_status count_fill(rw_context *ctx, const rw_host *h, int level, double blocks[2])
{
    const size_t n = (size_t)RW_MAX(h->rows, 1);
    const int64_t rows = RW_MIN(h->rows, SAMPLE);
    rw_host t = {0};
    search w = {rw_calloc(n, sizeof *w.seen), rw_calloc(n, sizeof *w.now), rw_calloc(n, sizeof *w.next)};
    const bool made = transpose(h, &t) && w.seen && w.now && w.next;
    for (int side = 0; made && side < 2; ++side) {
        memset(w.seen, 0, n * sizeof *w.seen);
        blocks[side] = 0;
        for (int64_t k = 0; k < rows; ++k) blocks[side] += (double)reached(side ? h : &t, sampled(h->rows, k), level, &w);
        blocks[side] *= rows ? (double)h->rows / (double)rows : 0;
    }
    rw_free(w.seen), rw_free(w.now), rw_free(w.next), rw_host_free(&t);
    return made ? RW_OK : no_memory(ctx, h->rows);
}

/* Blocks below and above the diagonal; extra: so many more per row where there is room (ilut). */
static void count_sides(const rw_host *h, int64_t extra, double blocks[2])
{
    blocks[0] = blocks[1] = 0;
    for (int64_t i = 0; i < h->rows; ++i) {
        int64_t below = 0, above = 0;
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) below += h->column[k] < i, above += h->column[k] > i;
        blocks[0] += (double)RW_MIN(below + extra, i), blocks[1] += (double)RW_MIN(above + extra, h->rows - 1 - i);
    }
}

static double factors(const sizes *z, const rw_host *h, const rw_precond_spec *s, const double blocks[2])
{
    const double n = (double)h->rows;
    return matrix(z, n, n) + triangle(z, n, blocks[0]) + triangle(z, n, blocks[1]) + (s->sweeps ? 2 * n * z->vector : 0);
}

/* ---- amg ------------------------------------------------------------------------------------------------------------------------------------ */

/* The pattern of the smoothed prolongation. */
static bool prolong(const rw_host *a, const bool *strong, const int64_t *of, int64_t aggregates, int64_t *seen, rw_host *p)
{
    *p = (rw_host){.rows = a->rows, .columns = aggregates, .r = a->r, .parts = a->parts, .borrowed = true, .first = rw_calloc((size_t)a->rows + 1, sizeof *p->first)};
    p->column = rw_calloc((size_t)RW_MAX(a->first[a->rows], 1), sizeof *p->column);
    if (!p->first || !p->column) return false;
    int64_t n = 0;
    for (int64_t i = 0; i < a->rows; ++i) {
        for (int64_t k = a->first[i]; of[i] >= 0 && k < a->first[i + 1]; ++k) {
            const int64_t j = a->column[k], to = of[j];
            if (!(strong[k] || j == i) || to < 0 || seen[to] == i + 1) continue;
            seen[to] = i + 1, p->column[n++] = to;
        }
        p->first[i + 1] = n;
    }
    return true;
}

/* Blocks per row of P* A P, from a sample of rows. */
static double coarse_row(const rw_host *a, const rw_host *p, const rw_host *down, int64_t *seen)
{
    const int64_t rows = RW_MIN(down->rows, SAMPLE);
    double found = 0;
    memset(seen, 0, (size_t)a->rows * sizeof *seen);
    for (int64_t s = 0; s < rows; ++s) {
        const int64_t row = sampled(down->rows, s);
        for (int64_t d = down->first[row]; d < down->first[row + 1]; ++d)
            for (int64_t k = a->first[down->column[d]]; k < a->first[down->column[d] + 1]; ++k)
                for (int64_t e = p->first[a->column[k]]; e < p->first[a->column[k] + 1]; ++e)
                    if (seen[p->column[e]] != row + 1) seen[p->column[e]] = row + 1, ++found;
    }
    return rows ? found / (double)rows : 0;
}

/* Smoother and vectors of a grid, but for its matrix and the way to the next. */
static double smoother(const sizes *z, double rows) { return matrix(z, rows, rows) + 2 * rows * z->vector; }
static double direct(const sizes *z, const rw_host *a, double rows)
{
    const double n = rows * a->r, value = (z->block - z->index) / (a->r * a->r);
    return n * n * (value + z->index) + n * z->index;
}

/* Grids after the first: `ratio` of the rows before, so many blocks per row in the matrix and in the prolongation. */
static double coarser(const sizes *z, const rw_host *a, double rows, double ratio, double wide, double narrow)
{
    double bytes = 0;
    for (;; rows *= ratio) {
        bytes += matrix(z, rows, rows * RW_MIN(wide, rows)) + 2 * rows * z->vector;
        if (rows * a->r <= RW_AMG_DIRECT) return bytes + direct(z, a, rows);
        bytes += smoother(z, rows) + rows * z->vector + matrix(z, rows, rows * narrow) + matrix(z, rows * ratio, rows * narrow);
    }
}

static rw_status estimate_amg(rw_context *ctx, const rw_host *a, const rw_precond_spec *s, const sizes *z, double *bytes)
{
    const double n = (double)a->rows;
    *bytes = n * z->vector;
    if (n * a->r <= RW_AMG_DIRECT) return *bytes += direct(z, a, n), RW_OK;
    rw_host p = {0}, down = {0};
    double *d = rw_amg_diagonal(a);
    bool *strong = d ? rw_amg_strong(a, d, s->theta > 0 ? s->theta : RW_AMG_THETA) : NULL;
    int64_t *of = rw_calloc((size_t)a->rows, sizeof *of), *seen = rw_calloc((size_t)a->rows, sizeof *seen);
    bool made = strong && of && seen;
    const int64_t aggregates = made ? rw_amg_aggregate(a, strong, of) : 0;
    const bool smaller = aggregates > 0 && aggregates < a->rows - a->rows / 5;
    *bytes += smoother(z, n);
    if (made && !smaller && n * a->r <= RW_AMG_STUCK) *bytes += direct(z, a, n);
    if (made && smaller) {
        made = prolong(a, strong, of, aggregates, seen, &p) && transpose(&p, &down);
        if (made) {
            const double m = (double)aggregates, blocks = (double)p.first[p.rows];
            *bytes += n * z->vector + matrix(z, n, blocks) + matrix(z, m, blocks);
            *bytes += coarser(z, a, m, m / n, coarse_row(a, &p, &down, seen), blocks / n);
        }
    }
    rw_free(d), rw_free(strong), rw_free(of), rw_free(seen), rw_host_free(&p), rw_host_free(&down);
    return made ? RW_OK : no_memory(ctx, a->rows);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------------------ */

static rw_status estimate(rw_context *ctx, const rw_precond_spec *s, const rw_host *h, rw_dtype vectors, double bytes[2])
{
    enum { FILL = 10 }; /* of ilut, where spec.fill is 0 */
    const sizes z = sizes_of(h, s, vectors);
    const double n = (double)h->rows;
    double blocks[2];
    switch (s->method) {
    case RW_PRECOND_JACOBI: return bytes[0] = bytes[1] = matrix(&z, n, n), RW_OK;
    case RW_PRECOND_CHEBYSHEV: return bytes[0] = bytes[1] = smoother(&z, n) + n * z.vector, RW_OK;
    case RW_PRECOND_AMG: RW_TRY(estimate_amg(ctx, h, s, &z, &bytes[0])); return bytes[1] = bytes[0], RW_OK;
    case RW_PRECOND_ILUT:
        count_sides(h, s->fill ? s->fill : FILL, blocks);
        bytes[1] = factors(&z, h, s, blocks), bytes[0] = factors(&z, h, s, (const double[2]){0, 0});
        return RW_OK;
    case RW_PRECOND_SSOR:
    case RW_PRECOND_ILU:
    case RW_PRECOND_MILU:
    case RW_PRECOND_ICC:
        if (s->level > 0) RW_TRY(count_fill(ctx, h, s->level, blocks));
        else count_sides(h, 0, blocks);
        return bytes[0] = bytes[1] = factors(&z, h, s, blocks), RW_OK;
    default: return bytes[0] = bytes[1] = 0, RW_OK;
    }
}

rw_status rw_precond_estimate(rw_context *ctx, const rw_precond_spec *spec, const rw_sparse_layout *layout, const rw_entries *entries, rw_dtype vectors, int64_t bytes[2])
{
    RW_NEED(ctx, "context"); RW_NEED(spec, "spec"); RW_NEED(layout, "layout"); RW_NEED(entries, "entries"); RW_NEED(bytes, "bytes");
    rw_host h;
    double found[2] = {0};
    bytes[0] = bytes[1] = 0;
    if (entries->rows != entries->columns)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "a matrix of %lld x %lld: preconditioners need square ones", (long long)entries->rows, (long long)entries->columns);
    if (spec->method == RW_PRECOND_NONE || entries->rows == 0) return RW_OK;
    RW_TRY(read_blocks(ctx, spec, layout, entries, &h));
    rw_status status = estimate(ctx, spec, &h, vectors, found);
    rw_host_free(&h);
    for (int i = 0; i < 2 && status == RW_OK; ++i) bytes[i] = (int64_t)found[i];
    return status;
}
