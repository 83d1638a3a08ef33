/* A rate equation, one implicit step, all cells at once, through the expression compiler: four fields in, one out.
 *
 *   new = (N + tau P) / (1 + tau (isf + sigma phi M + P / Nm)) */
#include <float.h>
#include <math.h>

#include "bench/bench.h"

enum { FIELDS = 5 };
static const char *const names[FIELDS] = {"new", "N", "P", "M", "Nm"};
static const double tau = 0.5, isf = 0.3, sigma = 0.7, phi = 0.4;

static const double low[FIELDS] = {NAN, 0, 0, 0, 1};

typedef struct rates {
    rw_equation e;
    void (*loop)(double *, const double *, const double *, const double *, const double *, double, double, double, long,
                 int); /* peer on the host */
} rates;

static rw_status make(rw_bench *b, rates *r, int64_t n)
{
    const rw_expr_scalar scalars[] = {{.name = "tau", .value = tau},
                                      {.name = "isf", .value = isf},
                                      {.name = "sigma", .value = sigma},
                                      {.name = "phi", .value = phi}};
    const rw_equation_spec spec = {.program = {.name = "rates",
                                               .text = "new = (N + tau*P)/(1 + tau*(isf + sigma*phi*M + P/Nm))",
                                               .grid = {.ndim = 1, .size = {n, 1, 1}, .spacing = {1, 1, 1}},
                                               .scalars = scalars,
                                               .nscalars = RW_COUNT(scalars)},
                                   .n = FIELDS,
                                   .names = names,
                                   .low = low,
                                   .seed = 10};
    return rw_equation_make(b, &spec, &r->e);
}

static rw_status error(rw_bench *b, void *work, double *worst)
{
    rw_equation *e = work;
    double w = 0;
    (void)b;
    RW_TRY(rw_equation_read(e));
    const double *new = e->host[0], *N = e->host[1], *P = e->host[2], *M = e->host[3], *Nm = e->host[4];
#pragma omp parallel for reduction(max : w)
    for (int64_t i = 0; i < e->cells; ++i) {
        long double loss = isf + (long double)sigma * phi * M[i] + (long double)P[i] / Nm[i];
        long double exact = (N[i] + (long double)tau * P[i]) / (1 + tau * loss);
        w = rw_worse(w, (double)fabsl(new[i] / exact - 1));
    }
    *worst = w;
    return RW_OK;
}

static const double tolerance = 10 * DBL_EPSILON; /* operations on positive numbers */

static rw_status loop(void *user, int round RW_UNUSED)
{
    const rates *r = user;
    const double *const *host = r->e.host;
    r->loop(r->e.out, host[1], host[2], host[3], host[4], tau, isf, sigma * phi, r->e.cells, r->e.threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, void *work, rw_peers *peers)
{
    rates *r = work;
    return rw_host_loop(b, "rates", &r->loop) ? rw_equation_add_loop(b, &r->e, loop, peers) : RW_OK;
}

static const rw_bench_task task = {rw_equation_run, error, add_loop, rw_equation_free};

static rw_status check(rw_bench *b, int64_t n, int variant RW_UNUSED, double *worst, double *allowed)
{
    rates r = {0};
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
