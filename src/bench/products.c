/* Products of one matrix in several layouts: each result against sums in long double over the entries themselves, then
 * each timed warm and, in turns with the limit, cold.
 *
 * Rounding allows |y - y_ref| <= 4 (terms + 2) eps sum |a||x| in the precision of the sums, and one rounding to that of
 * the vectors. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "bench/bench.h"
#include "sparse/host.h"

static long double complex element(rw_dtype type, const void *p, int64_t i)
{
    return (long double)rw_value_get(type, p, i, 0) + (long double)rw_value_get(type, p, i, 1) * I;
}

/* An entry as the matrix has it. */
static long double complex stored(const rw_entries *e, int64_t k, rw_dtype values)
{
    const double re = e->is_complex ? e->value[2 * k] : e->value[k], im = e->is_complex ? e->value[2 * k + 1] : 0;
    return rw_dtype_is_single(values) ? (long double)(float)re + (long double)(float)im * I
                                      : (long double)re + (long double)im * I;
}

/* Error of row i over what is allowed; what is not a number is infinite. */
static double row_error(const rw_entries *e, const rw_sorted *s, rw_dtype values, rw_dtype vectors, const void *x,
                        const void *y, int64_t i)
{
    const long double sums = rw_dtype_is_single(values) && rw_dtype_is_single(vectors) ? FLT_EPSILON : DBL_EPSILON,
                      round = rw_dtype_is_single(vectors) ? FLT_EPSILON : DBL_EPSILON;
    long double complex sum = 0;
    long double scale = 0;
    for (int64_t k = s->first[i]; k < s->first[i + 1]; ++k) {
        const long double complex a = stored(e, s->entry[k], values), v = element(vectors, x, s->column[k]);
        sum += a * v;
        scale += cabsl(a) * cabsl(v);
    }
    const long double allowed =
                          4 * (long double)(s->first[i + 1] - s->first[i] + 2) * sums * scale + round * cabsl(sum),
                      error = cabsl(element(vectors, y, i) - sum);
    return error == 0 ? 0 : isnan(error) ? INFINITY : (double)(error / (allowed + LDBL_MIN));
}

static rw_status compare(rw_contest *c, const rw_entries *e, const rw_sorted *s, rw_dtype vectors, double *worst)
{
    const void *x, *y;
    double most = 0;
    RW_TRY(rw_bench_poison(c->y));
    RW_TRY(rw_contest_multiply(c, 0));
    RW_TRY(rw_array_read(c->x, &x));
    RW_TRY(rw_array_read(c->y, &y));
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int64_t i = 0; i < e->rows; ++i) {
        const double error = row_error(e, s, rw_sparse_get_layout(c->m)->values, vectors, x, y, i);
        most = RW_MAX(most, error);
    }
    *worst = most;
    return RW_OK;
}

/* A row for the candidate; nothing but its layout where that is refused. */
static rw_status run_one(rw_bench *b, const rw_entries *e, const rw_sorted *s, rw_dtype vectors,
                         const rw_sparse_candidate *candidate, rw_contest *c)
{
    rw_bench_result row = {.name = "products", .what = "y = A x", .tolerance = 1, .met = -1, .bytes = candidate->moved};
    char layout[80];
    rw_sparse_layout_print(&candidate->layout, layout, sizeof layout);
    snprintf(row.variant, sizeof row.variant, "%.63s", layout);
    snprintf(row.size, sizeof row.size, "%lld x %lld", (long long)e->rows, (long long)e->columns);
    if (candidate->refused) return rw_bench_add(b, &row);
    RW_TRY(rw_sparse_from_entries(b->dev, &candidate->layout, e, &c->m));
    rw_status status = compare(c, e, s, vectors, &row.error);
    if (status == RW_OK) status = rw_bench_warm_and_cold(b, &(rw_contestant){"", rw_contest_multiply, c}, &row);
    if (status == RW_OK) status = rw_bench_add(b, &row);
    rw_sparse_destroy(&c->m);
    return status;
}

rw_status rw_bench_layouts(rw_bench *b, const rw_entries *e, rw_dtype vectors, const rw_sparse_candidate *candidates,
                           int n)
{
    rw_contest c = {0};
    rw_sorted s = {0};
    rw_status status = rw_entries_sort(b->ctx, e, &s);
    if (status == RW_OK) status = rw_contest_vectors(b, vectors, e->columns, e->rows, &c);
    for (int i = 0; i < n && status == RW_OK; ++i) status = run_one(b, e, &s, vectors, candidates + i, &c);
    rw_sorted_free(&s);
    rw_contest_free(&c);
    return status;
}

rw_status rw_bench_products(rw_device *dev, const rw_entries *e, rw_dtype vectors,
                            const rw_sparse_candidate *candidates, int n, const rw_bench_options *options,
                            rw_bench_result **rows)
{
    RW_NEED(rows, "rows");
    *rows = NULL;
    RW_NEED(dev, "device");
    RW_NEED(e, "entries");
    RW_NEED(candidates, "candidates");
    rw_bench b;
    RW_TRY(rw_bench_begin(&b, dev->ctx, dev, options));
    rw_limit_evict(&b);
    rw_status status = rw_bench_layouts(&b, e, vectors, candidates, n);
    if (status == RW_OK) {
        *rows = b.rows;
        b.rows = NULL;
    }
    rw_bench_end(&b);
    return status;
}
