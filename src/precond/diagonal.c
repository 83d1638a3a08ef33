/* Jacobi: the inverses of the diagonal entries, or of the diagonal blocks where a matrix has square ones, as a matrix with those blocks alone; applying it is a
 * product. */
#include "precond/precond.h"

static rw_status singular(rw_context *ctx, const char *who, const rw_host *h, int64_t row)
{
    return rw_fail(ctx, RW_ERR_INPUT, "%s: the diagonal %s of row %lld, counted from 0, is missing or singular: another preconditioner, or none, is needed", who, h->r > 1 ? "block" : "entry", (long long)row * h->r);
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

/* The diagonal of a map without entries, as it tells it. */
static rw_status read_told(rw_sparse *m, const char *who, rw_host *h)
{
    rw_array *array;
    const void *data;
    rw_context *ctx = m->device->ctx;
    *h = (rw_host){.rows = m->rows, .columns = m->columns, .r = 1, .parts = rw_dtype_is_complex(m->layout.values) ? 2 : 1};
    if (!m->map.diagonal) return rw_fail(ctx, RW_ERR_UNSUPPORTED, "%s needs the diagonal, and this map without entries has none: give rw_sparse_free.diagonal, or use no preconditioner", who);
    const unsigned before = rw_failures();
    const rw_status given = m->map.diagonal(m->map.user, &array);
    RW_TRY(rw_callback_status(ctx, given, before, "rw_sparse_free.diagonal"));
    if (array->dtype != m->layout.values || array->size != m->rows)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: the diagonal told is %lld numbers of %s: %lld of %s are needed", who, (long long)array->size, rw_dtype_name(array->dtype), (long long)m->rows,
                       rw_dtype_name(m->layout.values));
    RW_TRY(rw_array_read(array, &data));
    h->first = rw_calloc((size_t)h->rows + 1, sizeof *h->first);
    for (int64_t i = 0; h->first && i <= h->rows; ++i) h->first[i] = i;
    if (!h->first || !rw_host_make(h)) return rw_fail_memory(ctx, (size_t)h->rows * 32, "a preconditioner");
    for (int64_t i = 0; i < h->rows; ++i) {
        h->column[i] = i;
        for (int p = 0; p < h->parts; ++p) h->value[h->parts * i + p] = rw_value_get(m->layout.values, data, i, p);
    }
    return RW_OK;
}

rw_status rw_diagonal_inverse(rw_sparse *m, const rw_host *host, const char *who, double scale, const rw_precond_spec *s, rw_sparse **inverse)
{
    rw_host h = {0}, d;
    rw_context *ctx = m->device->ctx;
    *inverse = NULL;
    rw_status status = host ? RW_OK : rw_sparse_is_free(m) ? read_told(m, who, &h) : rw_host_read(m, &h);
    if (!host) host = &h;
    d = (rw_host){.rows = host->rows, .columns = host->columns, .r = host->r, .parts = host->parts, .first = rw_calloc(((size_t)host->rows + 1), sizeof *d.first)};
    for (int64_t i = 0; d.first && i <= host->rows; ++i) d.first[i] = i;
    if (status == RW_OK) status = d.first && rw_host_make(&d) ? RW_OK : rw_fail_memory(ctx, (size_t)(host->rows + 1) * 8 * (size_t)(rw_host_size(host) + 2), "a preconditioner");
    if (status == RW_OK) {
        const int64_t row = invert(host, scale, &d);
        status = row >= 0 ? singular(ctx, who, host, row) : rw_host_send(&d, m->device, s, inverse);
    }
    rw_host_free(&h), rw_host_free(&d);
    return status;
}

static rw_status create(rw_precond *p, rw_sparse *m)
{
    RW_TRY(rw_diagonal_inverse(m, NULL, "jacobi", 1, &p->spec, &p->inverse));
    p->info.blocks = p->inverse->blocks, p->info.bytes = rw_sparse_get_size(p->inverse).bytes;
    return RW_OK;
}

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    return rw_product_run_at(p->inverse, (double[]){1, 0}, x, from, (double[]){0, 0}, y, y, 0, NULL, NULL, q);
}

const rw_precond_ops rw_precond_jacobi = {create, NULL, apply};
