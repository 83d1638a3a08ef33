/* Jacobi: the inverses of the diagonal entries, or of the diagonal blocks where a matrix has square ones, as a matrix
 * with those blocks alone; applying it is a product. */
#include "precond/precond.h"

static rw_status singular(rw_context *ctx, const char *who, const rw_host *h, int64_t row)
{
    return rw_fail(
        ctx, RW_ERR_INPUT,
        "%s: the diagonal %s of row %lld, counted from 0, is missing or singular: use another preconditioner, or none",
        who, h->r > 1 ? "block" : "entry", (long long)row * h->r);
}

/* Inverses into d, which has a block a row; the first row without one, -1 when all have. */
static int64_t invert(const rw_host *h, rw_host *d)
{
    const int size = rw_host_size(h);
    int64_t first = INT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < h->rows; ++i) {
        int64_t k = h->first[i];
        while (k < h->first[i + 1] && h->column[k] < i) ++k;
        d->column[i] = i;
        if (k == h->first[i + 1] || h->column[k] != i ||
            !rw_dense_invert(h->r, h->parts, h->value + k * size, d->value + i * size))
            first = RW_MIN(first, i);
    }
    return first == INT64_MAX ? -1 : first;
}

/* The diagonal that a matrix-free operator provides. */
static rw_status read_diagonal(rw_operator *a, rw_array *array, rw_host *h)
{
    const void *data;
    *h = (rw_host){.rows = a->info.rows,
                   .columns = a->info.columns,
                   .r = 1,
                   .parts = 1 + rw_dtype_is_complex(a->info.type)};
    if (!rw_host_diagonal(h)) return rw_fail_memory(a->device->ctx, (size_t)h->rows * 32, "a preconditioner");
    RW_TRY(rw_operator_get_diagonal(a, array));
    RW_TRY(rw_array_read(array, &data));
    for (int64_t i = 0; i < h->rows * h->parts; ++i)
        h->value[i] = rw_value_get(a->info.type, data, i / h->parts, (int)(i % h->parts));
    return RW_OK;
}

static rw_status read_operator(rw_operator *a, rw_host *h)
{
    rw_sparse *m = rw_sparse_of(a);
    rw_array *array;
    if (m) return rw_host_read(m, h);
    RW_TRY(rw_array_create(a->device, a->info.type, 1, &a->info.rows, RW_MEMORY_DEVICE, &array));
    rw_status status = read_diagonal(a, array, h);
    rw_array_destroy(&array);
    return status;
}

rw_status rw_diagonal_inverse(rw_operator *a, const rw_host *host, const char *who, const rw_precond_spec *s,
                              rw_sparse **inverse)
{
    rw_host h = {0}, d = {0};
    rw_context *ctx = a->device->ctx;
    *inverse = NULL;
    rw_status status = host ? RW_OK : read_operator(a, &h);
    if (!host) host = &h;
    if (status == RW_OK) {
        d = (rw_host){.rows = host->rows, .columns = host->columns, .r = host->r, .parts = host->parts};
        if (!rw_host_diagonal(&d))
            status = rw_fail_memory(ctx, (size_t)(host->rows + 1) * 8 * (size_t)(rw_host_size(host) + 2),
                                    "a preconditioner");
    }
    if (status == RW_OK) {
        const int64_t row = invert(host, &d);
        status = row >= 0 ? singular(ctx, who, host, row)
                          : rw_host_send(&d, a->device, s->f32 || s->scaled, s->scaled, inverse);
    }
    rw_host_free(&h);
    rw_host_free(&d);
    return status;
}

/* p->method is the matrix of the inverses. */
static rw_status create(rw_precond *p, rw_operator *a)
{
    rw_sparse *inverse;
    RW_TRY(rw_diagonal_inverse(a, NULL, "jacobi", &p->spec, &inverse));
    p->method = inverse;
    rw_precond_count(p, inverse);
    return RW_OK;
}

static rw_operator *product(const rw_precond *p) { return rw_sparse_operator(p->method); }

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    return rw_operator_apply(product(p), 1, x, from, 0, y, y, q);
}

static void free_method(rw_precond *p)
{
    rw_sparse *inverse = p->method;
    p->method = NULL;
    rw_sparse_destroy(&inverse);
}

const rw_precond_ops rw_precond_jacobi = {.create = create, .apply = apply, .product = product, .free = free_method};
