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
    void *host_out;
    int threads;
} rates;

static void free_rates(void *work)
{
    rates *r = work;
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
        RW_TRY(f ? rw_random_fill(r->field[f], 10 + (uint64_t)f, f == FIELDS - 1) : rw_bench_poison(r->field[f]));
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

static rw_status error(rw_bench *b, void *work, double *worst)
{
    rates *r = work;
    double w = 0;
    (void)b;
    RW_TRY(rw_bench_read(r->field, FIELDS, r->host));
    const double *new = r->host[0], *N = r->host[1], *P = r->host[2], *M = r->host[3], *Nm = r->host[4];
#pragma omp parallel for reduction(max : w)
    for (int64_t i = 0; i < r->n; ++i) {
        long double loss = isf + (long double)sigma * phi * M[i] + (long double)P[i] / Nm[i];
        long double exact = (N[i] + (long double)tau * P[i]) / (1 + tau * loss);
        double e = (double)fabsl(new[i] / exact - 1);
        w = rw_worse(w, e);
    }
    *worst = w;
    return RW_OK;
}

static const double tolerance = 10 * DBL_EPSILON; /* operations on positive numbers */

static rw_status loop(void *user, int round)
{
    rates *r = user;
    (void)round;
    r->loop(r->host_out, r->host[1], r->host[2], r->host[3], r->host[4], tau, isf, sigma * phi, r->n, r->threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, void *work, rw_peers *peers)
{
    rates *r = work;
    if (!rw_host_loop(b, "rates", &r->loop)) return RW_OK;
    RW_TRY(rw_bench_output(b, RW_F64, r->n, &r->host_new, &r->host_out));
    rw_peers_add(peers, "C loop", loop, r);
    return RW_OK;
}

static const rw_bench_task task = {update, error, add_loop, free_rates};

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    rates r = {0};
    (void)variant;
    *allowed = tolerance;
    return rw_bench_verify(b, &task, &r, make(b, &r, n), worst);
}

static rw_status run(rw_bench *b)
{
    const int64_t n = b->options.quick ? 10000 : b->dev->info.gpu ? 1 << 26 : 1 << 24;
    rates r = {0};
    rw_bench_result row = {.what = "rate equation f64, 4 in, 1 out", .tolerance = tolerance, .bytes = 40.0 * (double)n};
    snprintf(row.size, sizeof row.size, "%lld cells", (long long)n);
    return rw_bench_measure(b, &task, &r, make(b, &r, n), b->dev->info.gpu ? 0.95 : 0.9, NULL, &row);
}

static const int64_t sizes[] = {1, 2, 255, 257, 1023, 1025, 8191, 8193, -1};
const rw_bench_case rw_bench_rates = {run, 1, check, sizes, 257, NULL};
