/* Jacobi: the inverses of the diagonal entries, or of the diagonal blocks where a matrix has square ones, as a matrix with those blocks alone; applying it is a
 * product. */
#include "precond/precond.h"

static rw_status singular(rw_context *ctx, const char *who, const rw_host *h, int64_t row)
{
    return rw_fail(ctx, RW_ERR_INPUT, "%s: the diagonal %s of row %lld is missing or singular: another preconditioner, or none, is needed", who, h->r > 1 ? "block" : "entry", (long long)row * h->r);
}

/* Inverses into d, which has a block a row; the first row without one, -1 when all have. */
static int64_t invert(const rw_host *h, double scale, rw_host *d)
{
    const int size = rw_host_size(h);
    int64_t first = INT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < h->rows; ++i) {
        int64_t k = h->first[i];
        while (k < h->first[i + 1] && h->column[k] < i) ++k;
        d->column[i] = i;
        if (k == h->first[i + 1] || h->column[k] != i || !rw_dense_invert(h->r, h->parts, h->value + k * size, d->value + i * size)) first = RW_MIN(first, i);
        else for (int e = 0; e < size; ++e) d->value[i * size + e] *= scale;
    }
    return first == INT64_MAX ? -1 : first;
}

rw_status rw_diagonal_inverse(rw_sparse *m, const char *who, double scale, const rw_precond_spec *s, rw_sparse **inverse)
{
    rw_host h, d;
    rw_context *ctx = m->device->ctx;
    *inverse = NULL;
    RW_TRY(rw_host_read(m, &h));
    d = (rw_host){.rows = h.rows, .columns = h.columns, .r = h.r, .parts = h.parts, .first = rw_calloc(((size_t)h.rows + 1), sizeof *d.first)};
    for (int64_t i = 0; d.first && i <= h.rows; ++i) d.first[i] = i;
    rw_status status = d.first && rw_host_make(&d) ? RW_OK : rw_fail_memory(ctx, (size_t)(h.rows + 1) * 8 * (size_t)(rw_host_size(&h) + 2), "a preconditioner");
    if (status == RW_OK) {
        const int64_t row = invert(&h, scale, &d);
        status = row >= 0 ? singular(ctx, who, &h, row) : rw_host_send(&d, m->device, s, inverse);
    }
    rw_host_free(&h), rw_host_free(&d);
    return status;
}

static rw_status create(rw_precond *p, rw_sparse *m)
{
    RW_TRY(rw_diagonal_inverse(m, "jacobi", 1, &p->spec, &p->inverse));
    p->info.blocks = p->inverse->blocks, p->info.bytes = rw_sparse_get_size(p->inverse).bytes;
    return RW_OK;
}

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    return rw_product_run_at(p->inverse, (double[]){1, 0}, x, from, (double[]){0, 0}, y, y, 0, NULL, NULL, q);
}

const rw_precond_ops rw_precond_jacobi = {create, apply};
