/* A rate equation, one implicit step, all cells at once, through the expression compiler: four fields in, one out.
 *
 *   new = (N + tau P) / (1 + tau (isf + sigma phi M + P / Nm)) */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/expr.h"

enum { FIELDS = 5 };
static const char *const names[FIELDS] = {"new", "N", "P", "M", "Nm"};
static const double tau = 0.5, isf = 0.3, sigma = 0.7, phi = 0.4;

typedef struct rates {
    int64_t n;
    rw_array *field[FIELDS], *host_new;
    rw_expr *expr;
    rw_queue *queue;
    void (*loop)(double *, const double *, const double *, const double *, const double *, double, double, double, long,
                 int); /* peer on the host */
    const double *host[FIELDS];
    double *host_out;
    int threads;
} rates;

static void free_rates(rates *r)
{
    for (int f = 0; f < FIELDS; ++f) rw_array_destroy(&r->field[f]);
    rw_array_destroy(&r->host_new);
    rw_expr_destroy(&r->expr);
}

static rw_status make(rw_bench *b, rates *r, int64_t n)
{
    rw_expr_field fields[FIELDS];
    rw_expr_scalar scalars[] = {{.name = "tau", .value = tau},
                                {.name = "isf", .value = isf},
                                {.name = "sigma", .value = sigma},
                                {.name = "phi", .value = phi}};
    r->n = n;
    r->queue = b->queue;
    r->threads = b->threads;
    for (int f = 0; f < FIELDS; ++f) {
        fields[f] = (rw_expr_field){.name = names[f], .dtype = RW_F64};
        RW_TRY(rw_bench_array(b, RW_F64, n, &r->field[f]));
        RW_TRY(f ? rw_bench_fill(r->field[f], 10 + (uint64_t)f, f == FIELDS - 1) : rw_bench_poison(r->field[f]));
    }
    rw_expr_spec spec = {.name = "rates",
                         .text = "new = (N + tau*P)/(1 + tau*(isf + sigma*phi*M + P/Nm))",
                         .grid = {1, {n, 1, 1}, {1, 1, 1}, {0}},
                         .fields = fields,
                         .nfields = FIELDS,
                         .scalars = scalars,
                         .nscalars = RW_COUNT(scalars)};
    RW_TRY(rw_expr_create(b->dev, &spec, &r->expr));
    for (int f = 0; f < FIELDS; ++f) RW_TRY(rw_expr_bind(r->expr, names[f], r->field[f]));
    return RW_OK;
}

static rw_status update(void *user, int round)
{
    rates *r = user;
    (void)round;
    return rw_expr_run(r->expr, r->queue);
}

static rw_status error(rates *r, double *worst)
{
    double w = 0;
    for (int f = 0; f < FIELDS; ++f) {
        const void *data;
        RW_TRY(rw_array_read(r->field[f], &data));
        r->host[f] = data;
    }
    const double *new = r->host[0], *N = r->host[1], *P = r->host[2], *M = r->host[3], *Nm = r->host[4];
#pragma omp parallel for reduction(max : w)
    for (int64_t i = 0; i < r->n; ++i) {
        long double loss = isf + (long double)sigma * phi * M[i] + (long double)P[i] / Nm[i];
        long double exact = (N[i] + (long double)tau * P[i]) / (1 + tau * loss);
        double e = (double)fabsl(new[i] / exact - 1);
        w = RW_MAX(w, isnan(e) ? INFINITY : e);
    }
    *worst = w;
    return RW_OK;
}

static const double tolerance = 10 * DBL_EPSILON; /* operations on positive numbers */

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    rates r = {0};
    (void)variant;
    rw_status status = make(b, &r, n);
    if (status == RW_OK) status = update(&r, 0);
    if (status == RW_OK && n > 0) status = error(&r, worst);
    *allowed = tolerance;
    free_rates(&r);
    return status;
}

static rw_status loop(void *user, int round)
{
    rates *r = user;
    (void)round;
    r->loop(r->host_out, r->host[1], r->host[2], r->host[3], r->host[4], tau, isf, sigma * phi, r->n, r->threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, rates *r, rw_contestant *peers, int *npeers)
{
    void *out;
    if (b->options.no_peers || !rw_host_function(b, "rates", &r->loop)) return RW_OK;
    RW_TRY(rw_bench_array(b, RW_F64, r->n, &r->host_new));
    RW_TRY(rw_array_write(r->host_new, &out));
    r->host_out = out;
    peers[(*npeers)++] = (rw_contestant){"C loop", loop, r};
    return RW_OK;
}

static rw_status run(rw_bench *b)
{
    int64_t n = b->options.quick ? 10000 : b->dev->info.gpu ? 1 << 26 : 1 << 24;
    int npeers = 0;
    rates r = {0};
    rw_contestant peers[RW_BENCH_PEERS];
    rw_bench_result row = {.tolerance = tolerance, .bytes = 40.0 * (double)n};
    rw_status status = make(b, &r, n);
    if (status == RW_OK) status = update(&r, 0);
    if (status == RW_OK) status = error(&r, &row.error);
    if (status == RW_OK) status = add_loop(b, &r, peers, &npeers);
    if (status == RW_OK) status = rw_bench_compare(b, &(rw_contestant){"", update, &r}, peers, npeers, &row);
    if (status == RW_OK) {
        snprintf(row.what, sizeof row.what, "rate equation f64, 4 in, 1 out");
        snprintf(row.size, sizeof row.size, "%lld cells", (long long)n);
        rw_bench_target(b, &row, b->dev->info.gpu ? 0.95 : 0.9, NULL);
        status = rw_bench_add(b, &row);
    }
    free_rates(&r);
    return status;
}

static const int64_t sizes[] = {1, 2, 255, 257, 1023, 1025, 8191, 8193, -1};
const rw_bench_case rw_bench_rates = {run, 1, check, sizes, 257, NULL};
