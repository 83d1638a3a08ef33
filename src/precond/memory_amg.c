/* The memory of amg. The first grid is aggregated as it will be, so its prolongation has its true pattern. Rows of the
 * next matrix and of A P are counted in a sample, and coarser grids follow by the same ratios. No product of matrices
 * is formed. */
#include <omp.h>
#include <string.h>

#include "precond/memory.h"

enum { SAMPLES = 13, SLICE = 32 }; /* slices of rows that GPUs pad to their longest row */

/* A grid: rows, blocks of its matrix, of its prolongation and of A P; and stored blocks per block of the matrix and of
 * the way to the next grid. */
typedef struct grid {
    double rows, blocks, prolong, product, padding, way;
} grid;

/* ---- the first grid ---------------------------------------------------------------------------------------------- */

/* The pattern of the smoothed prolongation. */
static bool prolong(const rw_host *a, const bool *strong, const int64_t *of, int64_t aggregates, int64_t *seen,
                    rw_host *p)
{
    if (!rw_host_begin(a, a->rows, aggregates, p)) return false;
    p->borrowed = true;
    p->column = rw_calloc((size_t)RW_MAX(a->first[a->rows], 1), sizeof *p->column);
    if (!p->column) return false;
    int64_t n = 0;
    for (int64_t i = 0; i < a->rows; ++i) {
        for (int64_t k = a->first[i]; of[i] >= 0 && k < a->first[i + 1]; ++k) {
            const int64_t j = a->column[k], to = of[j];
            if (!(strong[k] || j == i) || to < 0 || seen[to] == i + 1) continue;
            seen[to] = i + 1;
            p->column[n++] = to;
        }
        for (int64_t k = p->first[i] + 1; k < n; ++k) /* ascending: rows are short */
            for (int64_t at = k; at > p->first[i] && p->column[at - 1] > p->column[at]; --at) {
                const int64_t moved = p->column[at];
                p->column[at] = p->column[at - 1];
                p->column[at - 1] = moved;
            }
        p->first[i + 1] = n;
    }
    return true;
}

/* Different columns of row i of A P; mark: a number that is not in `seen` yet. */
static int64_t count_product(const rw_host *a, const rw_host *p, int64_t i, int64_t *seen, int64_t mark)
{
    int64_t n = 0;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        for (int64_t e = p->first[a->column[k]]; e < p->first[a->column[k] + 1]; ++e)
            if (seen[p->column[e]] != mark) {
                seen[p->column[e]] = mark;
                ++n;
            }
    return n;
}

/* Of row `row` of P* A P. */
static int64_t count_coarse(const rw_host *a, const rw_host *p, const rw_host *down, int64_t row, int64_t *seen,
                            int64_t mark)
{
    int64_t n = 0;
    for (int64_t d = down->first[row]; d < down->first[row + 1]; ++d)
        n += count_product(a, p, down->column[d], seen, mark);
    return n;
}

/* The next grid from the first: slices of its rows are counted, so that padding is known too. */
static void sample(const rw_host *a, const rw_host *p, const rw_host *down, int64_t *seen, grid *first, grid *next)
{
    const int64_t slices = (down->rows + SLICE - 1) / SLICE, n = RW_MIN(slices, SAMPLES),
                  rows = RW_MIN(a->rows, SAMPLES * SLICE);
    double found = 0, counted = 0, stored = 0, product = 0;
    int64_t mark = 0;
    memset(seen, 0, (size_t)a->rows * sizeof *seen);
    for (int64_t k = 0; k < n; ++k) {
        const int64_t from = rw_sampled(slices, k, SAMPLES) * SLICE, to = RW_MIN(from + SLICE, down->rows);
        int64_t longest = 0;
        for (int64_t row = from; row < to; ++row) {
            const int64_t blocks = count_coarse(a, p, down, row, seen, ++mark);
            found += (double)blocks;
            longest = RW_MAX(longest, blocks);
        }
        counted += (double)(to - from);
        stored += SLICE * (double)longest;
    }
    for (int64_t k = 0; k < rows; ++k)
        product += (double)count_product(a, p, rw_sampled(a->rows, k, SAMPLES * SLICE), seen, ++mark);
    first->product = rows ? product * first->rows / (double)rows : 0;
    next->blocks = counted > 0 ? found / counted * next->rows : 0;
    next->padding = found > 0 ? stored / found : 1;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The inverse of a small matrix, by elimination on the host. */
static void take_direct(rw_forecast *f, const rw_sizes *z, const rw_host *a, double rows)
{
    const double n = rows * a->r, area = (double)a->r * a->r, value = (z->block - z->index) / area,
                 padded = f->threads ? 32 * (double)(int64_t)((n + 31) / 32) : n;
    const double host = n * n * (8 + 2 * z->values / area) + 16 * n;
    rw_take(&f->host, host);
    rw_take_matrix(f, z, n, padded * n * (value + z->index) + (f->threads ? padded / 32 : n) * z->index, false);
    rw_give(&f->host, host);
}

static rw_status take_smoother(rw_forecast *f, const rw_sizes *z, const rw_host *a, double rows)
{
    RW_TRY(rw_take_diagonal(f, z, a, rows));
    rw_pass_eigenvalue(f, z, rows);
    rw_take(&f->device, 2 * rows * z->vector);
    return RW_OK;
}

/* A product on the host: each thread makes a piece, with room for a half more at most; several are copied together.
 * Gives what stays. */
static double take_product(rw_forecast *f, const rw_sizes *z, double rows, double columns, double blocks)
{
    const int threads = omp_get_max_threads();
    const double made = rw_host_bytes(z, rows, blocks, true);
    rw_pass(&f->host, made + 8 * columns * threads + (threads > 1 ? 1.25 : 0.25) * blocks * (8 + z->values));
    rw_take(&f->host, made);
    return made;
}

/* Prolongation, restriction, A P and P* A P; what stays is the next matrix on the host. */
static double take_coarsening(rw_forecast *f, const rw_sizes *z, const grid *g, const grid *next)
{
    const double marks = 16 * g->rows + g->blocks, way = rw_matrix_bytes(f, z, g->rows, g->prolong, g->way),
                 back = rw_matrix_bytes(f, z, next->rows, g->prolong, g->way);
    double held = marks;
    rw_take(&f->host, marks);
    held += take_product(f, z, g->rows, next->rows, g->prolong);
    const double down = rw_host_bytes(z, next->rows, g->prolong, true);
    rw_take(&f->host, down);
    held += down;
    held += take_product(f, z, g->rows, next->rows, g->product);
    const double matrix = take_product(f, z, next->rows, next->rows, next->blocks);
    rw_take_matrix(f, z, g->rows, way, false);
    rw_take_matrix(f, z, next->rows, back, false);
    rw_give(&f->host, held);
    return matrix;
}

/* Grids after the first, by the ratios that are known of it. */
static rw_status take_coarser(rw_forecast *f, const rw_sizes *z, const rw_host *a, const grid *first, grid g,
                              double matrix)
{
    const double ratio = g.rows / first->rows, wide = g.blocks / RW_MAX(g.rows, 1);
    for (;;) {
        rw_take_matrix(f, z, g.rows, rw_matrix_bytes(f, z, g.rows, g.blocks, g.padding), false);
        rw_take(&f->device, 2 * g.rows * z->vector);
        if (g.rows * a->r <= RW_AMG_DIRECT) {
            take_direct(f, z, a, g.rows);
            rw_give(&f->host, matrix);
            return RW_OK;
        }
        RW_TRY(take_smoother(f, z, a, g.rows));
        g.prolong = first->prolong / first->rows * g.rows;
        g.product = first->product / first->rows * g.rows;
        g.way = first->way;
        const grid next = {.rows = g.rows * ratio,
                           .blocks = g.rows * ratio * RW_MIN(wide, g.rows * ratio),
                           .padding = g.padding};
        const double made = take_coarsening(f, z, &g, &next);
        rw_give(&f->host, matrix);
        matrix = made;
        rw_take(&f->device, g.rows * z->vector);
        g = next;
    }
}

/* The way from the first grid to the next, and on from there. */
static rw_status take_grids(rw_forecast *f, const rw_sizes *z, const rw_host *a, const bool *strong, const int64_t *of,
                            int64_t aggregates, int64_t *seen, double read)
{
    rw_host p = {0}, down = {0};
    double up[2] = {0};
    grid first = {.rows = (double)a->rows, .blocks = (double)a->first[a->rows], .way = 1},
         next = {.rows = (double)aggregates};
    rw_status status = prolong(a, strong, of, aggregates, seen, &p) && rw_host_transpose(&p, false, &down)
                           ? RW_OK
                           : rw_forecast_no_memory(f->p.device->ctx, a->rows);
    if (status == RW_OK) status = rw_pattern_bytes(f, &p, &up[0]);
    if (status == RW_OK) status = rw_pattern_bytes(f, &down, &up[1]);
    if (status == RW_OK) {
        first.prolong = (double)p.first[p.rows];
        sample(a, &p, &down, seen, &first, &next);
        if (f->threads && first.prolong > 0)
            first.way = (up[0] + up[1]) / rw_matrix_bytes(f, z, first.rows + next.rows, 2 * first.prolong, 1);
        const double matrix = take_coarsening(f, z, &first, &next);
        rw_give(&f->host, read);
        rw_take(&f->device, first.rows * z->vector);
        status = take_coarser(f, z, a, &first, next, matrix);
    }
    rw_host_free(&p);
    rw_host_free(&down);
    return status;
}

rw_status rw_forecast_amg(rw_forecast *f, const rw_host *a)
{
    const rw_sizes z = rw_sizes_of(f, a);
    const double n = (double)a->rows, theta = rw_given(f->p.spec.theta) ? f->p.spec.theta : RW_AMG_THETA,
                 read = rw_host_bytes(&z, n, (double)a->first[a->rows], !f->plain);
    rw_take(&f->host, read);
    if (n * a->r <= RW_AMG_DIRECT) {
        take_direct(f, &z, a, n);
        rw_give(&f->host, read);
        rw_take(&f->device, n * z.vector);
        return RW_OK;
    }
    RW_TRY(take_smoother(f, &z, a, n));
    double *d = rw_amg_diagonal(a);
    bool *strong = d ? rw_amg_strong(a, d, theta) : NULL;
    int64_t *of = rw_calloc((size_t)a->rows, sizeof *of), *seen = rw_calloc((size_t)a->rows, sizeof *seen);
    rw_status status = strong && of && seen ? RW_OK : rw_forecast_no_memory(f->p.device->ctx, a->rows);
    const int64_t aggregates = status == RW_OK ? rw_amg_aggregate(a, strong, of) : 0;
    const bool smaller = aggregates > 0 && aggregates < a->rows - a->rows / 5;
    if (status == RW_OK && smaller) status = take_grids(f, &z, a, strong, of, aggregates, seen, read);
    if (!smaller && n * a->r <= RW_AMG_STUCK) take_direct(f, &z, a, n);
    if (!smaller) rw_give(&f->host, read);
    rw_free(d);
    rw_free(strong);
    rw_free(of);
    rw_free(seen);
    rw_take(&f->device, n * z.vector);
    return status;
}
