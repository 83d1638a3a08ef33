/* Jacobi: the inverses of the diagonal entries, or of the diagonal blocks where a matrix has square ones, as a matrix with those blocks alone; applying it is a
 * product. Blocks are inverted in double precision by elimination with the largest pivot of a column (Golub and Van Loan, Matrix computations, 3.4). */
#include <complex.h>
#include <math.h>

#include "krylov/krylov.h"

enum { MOST = RW_SPARSE_BLOCK_MOST };

/* b <- inverse of the n x n matrix a, which is overwritten; false: singular */
static bool invert(int n, double complex *a, double complex *b)
{
    for (int i = 0; i < n * n; ++i) b[i] = i / n == i % n;
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r)
            if (cabs(a[r * n + c]) > cabs(a[pivot * n + c])) pivot = r;
        const double complex p = a[pivot * n + c];
        if (p == 0 || !isfinite(creal(p)) || !isfinite(cimag(p))) return false;
        for (int k = 0; k < n; ++k) {
            const double complex s = a[c * n + k], t = b[c * n + k];
            a[c * n + k] = a[pivot * n + k] / p, b[c * n + k] = b[pivot * n + k] / p;
            if (pivot != c) a[pivot * n + k] = s, b[pivot * n + k] = t;
        }
        for (int r = 0; r < n; ++r) {
            const double complex f = a[r * n + c];
            if (r == c || f == 0) continue;
            for (int k = 0; k < n; ++k) a[r * n + k] -= f * a[c * n + k], b[r * n + k] -= f * b[c * n + k];
        }
    }
    return true;
}

/* The block at (i, i), zeros where there is none. */
static void diagonal(const rw_view *v, int64_t i, int n, double complex *a)
{
    const rw_sparse *m = v->m;
    for (int k = 0; k < n * n; ++k) a[k] = 0;
    for (int64_t k = 0, count = m->ops->count(v, i); k < count; ++k) {
        const rw_sparse_block b = m->ops->block(v, i, k);
        if (b.column != i * n) continue;
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c)
                a[r * n + c] = rw_value_get(m->layout.values, v->value, b.at + b.sr * r + b.sc * c, 0) + rw_value_get(m->layout.values, v->value, b.at + b.sr * r + b.sc * c, 1) * I;
    }
}

static rw_status fill(const rw_view *v, rw_view *to, int n, int64_t *singular)
{
    const rw_sparse *m = to->m;
    int64_t first = INT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < m->block_rows; ++i) {
        double complex a[MOST * MOST], b[MOST * MOST];
        diagonal(v, i, n, a);
        if (!invert(n, a, b)) {
            first = RW_MIN(first, i);
            continue;
        }
        const rw_sparse_block at = m->ops->block(to, i, 0);
        for (int k = 0; k < n * n; ++k) rw_value_add(m->layout.values, to->value, at.at + at.sr * (k / n) + at.sc * (k % n), creal(b[k]), cimag(b[k]));
    }
    *singular = first == INT64_MAX ? -1 : first;
    return RW_OK;
}

rw_status rw_jacobi_create(rw_sparse *m, rw_sparse **inverse)
{
    rw_view v, to;
    rw_context *ctx = m->device->ctx;
    const bool blocks = rw_sparse_has_blocks(m->layout.format) && m->layout.block_rows == m->layout.block_columns && m->block_rows == m->block_columns;
    const int n = blocks ? m->layout.block_rows : 1;
    *inverse = NULL;
    if (!blocks && (m->row_first || m->layout.block_rows != 1 || m->layout.block_columns != 1))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "jacobi needs a matrix without blocks or with square ones: convert it, to csr or bcsr:%d", m->layout.block_rows);
    const rw_sparse_layout layout = {.format = m->device->info.gpu ? blocks ? RW_SPARSE_BSELL : RW_SPARSE_SELL : blocks ? RW_SPARSE_BCSR : RW_SPARSE_CSR, .values = m->layout.values,
                                     .block_rows = n, .block_columns = n, .slice = m->device->info.gpu ? 32 : 0};
    int64_t *count = rw_calloc((size_t)m->block_rows + 2, sizeof *count), singular = -1;
    if (!count) return rw_fail_memory(ctx, (size_t)m->block_rows * 8, "a preconditioner");
    for (int64_t i = 0; i <= m->block_rows; ++i) count[i] = i; /* row i has column i alone: first and column are the same list */
    const rw_sparse_blocks b = {m->block_rows, m->block_rows, count, count, NULL, NULL};
    rw_status status = rw_sparse_create(m->device, &layout, &b, inverse);
    rw_free(count);
    if (status == RW_OK) status = rw_sparse_look(m, false, &v);
    if (status == RW_OK) status = rw_sparse_look(*inverse, true, &to);
    if (status == RW_OK) status = fill(&v, &to, n, &singular);
    if (status == RW_OK && singular >= 0)
        status = rw_fail(ctx, RW_ERR_INPUT, "jacobi: the diagonal %s of row %lld is missing or singular: another preconditioner, or none, is needed", n > 1 ? "block" : "entry", (long long)singular * n);
    if (status != RW_OK) rw_sparse_destroy(inverse);
    return status;
}
