/* A whole step of the laser's rate equations, in place: the population inversion N of every cell, its weighted sum, the
 * photon number phi, which the next step finds on the device.
 *
 *   N <- (N + tau P) / (1 + tau (isf + sigma phi U + P / Nm))
 *   lambda = sigma sum(V N U) - loss
 *   phi <- lambda > 0 ? phi (1 + tau lambda) + tau seed : (phi + tau seed) / (1 - tau lambda)
 *
 * Five fields are read, one is written: 48 bytes a cell. On a small grid the steps are recorded; they are counted, not
 * the bytes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/expr.h"

enum { FIELDS = 5 };
static const char *const names[FIELDS] = {"N", "P", "U", "V", "Nm"};
static const double tau = 0.05, isf = 0.3, sigma = 0.7, loss = 0.1, seed = 1e-3, phi0 = 0.4;
static const char text[] =
    "N = (N + tau*P)/(1 + tau*(isf + sigma*phi*U + P/Nm))\n"
    "lambda = weight*sum(V*N*U) - loss\n"
    "phi = where(lambda > 0, phi*(1 + tau*lambda) + tau*seed, (phi + tau*seed)/(1 - tau*lambda))";

typedef double peer_function(double *N, const double *P, const double *U, const double *V, const double *Nm,
                             const double *number, double phi, long n, int threads);

typedef struct laser {
    int64_t n;
    int together; /* steps of a repetition */
    rw_array *field[FIELDS], *host_N;
    rw_expr *expr;
    rw_sequence *sequence;
    rw_queue *queue;
    peer_function *loop;
    const double *host[FIELDS];
    double *host_out, host_phi, number[6];
    int threads;
} laser;

static void free_laser(laser *l)
{
    rw_sequence_destroy(&l->sequence);
    for (int f = 0; f < FIELDS; ++f) rw_array_destroy(&l->field[f]);
    rw_array_destroy(&l->host_N);
    rw_expr_destroy(&l->expr);
}

static rw_status step(void *user, int round)
{
    laser *l = user;
    (void)round;
    for (int t = 0; t < l->together; ++t) RW_TRY(rw_expr_run(l->expr, l->queue));
    return RW_OK;
}

static rw_status replay(void *user, int round)
{
    laser *l = user;
    (void)round;
    return rw_sequence_replay(l->sequence, l->queue);
}

static rw_status make(rw_bench *b, laser *l, int64_t n, int together)
{
    rw_expr_field fields[FIELDS];
    double weight = sigma / (double)RW_MAX(n, 1);
    const rw_expr_scalar scalars[] = {{.name = "tau", .value = tau},
                                      {.name = "isf", .value = isf},
                                      {.name = "sigma", .value = sigma},
                                      {.name = "weight", .value = weight},
                                      {.name = "loss", .value = loss},
                                      {.name = "seed", .value = seed},
                                      {.name = "phi", .value = phi0, .state = true}};
    l->n = n;
    l->together = together;
    l->queue = b->queue;
    l->threads = b->threads;
    l->host_phi = phi0;
    memcpy(l->number, (double[6]){tau, isf, sigma, weight, loss, seed}, sizeof l->number);
    for (int f = 0; f < FIELDS; ++f) {
        fields[f] = (rw_expr_field){.name = names[f], .dtype = RW_F64};
        RW_TRY(rw_bench_array(b, RW_F64, n, &l->field[f]));
        RW_TRY(rw_bench_fill(l->field[f], 50 + (uint64_t)f, f == FIELDS - 1));
    }
    rw_expr_spec spec = {.name = "laser",
                         .text = text,
                         .grid = {1, {n, 1, 1}, {1, 1, 1}, {0}},
                         .fields = fields,
                         .nfields = FIELDS,
                         .scalars = scalars,
                         .nscalars = RW_COUNT(scalars)};
    RW_TRY(rw_expr_create(b->dev, &spec, &l->expr));
    for (int f = 0; f < FIELDS; ++f) RW_TRY(rw_expr_bind(l->expr, names[f], l->field[f]));
    return RW_OK;
}

/* After the first `together` steps, against the same in extended precision; N as it was is computed again from its
 * seed. */
static rw_status error(rw_bench *b, laser *l, double *worst)
{
    rw_array *start;
    const void *data;
    long double phi = phi0;
    double w = 0, got;
    RW_TRY(rw_bench_array(b, RW_F64, l->n, &start));
    rw_status status = rw_bench_fill(start, 50, 0);
    void *copy;
    if (status == RW_OK) status = rw_array_update(start, &copy);
    for (int f = 0; f < FIELDS && status == RW_OK; ++f) {
        status = rw_array_read(l->field[f], &data);
        l->host[f] = data;
    }
    double *N = copy;
    const double *P = l->host[1], *U = l->host[2], *V = l->host[3], *Nm = l->host[4];
    for (int t = 0; t < l->together && status == RW_OK; ++t) {
        long double sum = 0;
        for (int64_t i = 0; i < l->n; ++i) {
            N[i] = (double)((N[i] + (long double)tau * P[i]) /
                            (1 + tau * (isf + (long double)sigma * phi * U[i] + (long double)P[i] / Nm[i])));
            sum += (long double)V[i] * N[i] * U[i];
        }
        long double lambda = (long double)l->number[3] * sum - loss;
        phi = lambda > 0 ? phi * (1 + tau * lambda) + (long double)tau * seed
                         : (phi + (long double)tau * seed) / (1 - tau * lambda);
    }
    for (int64_t i = 0; i < l->n && status == RW_OK; ++i) {
        double e = fabs(l->host[0][i] / N[i] - 1);
        w = RW_MAX(w, isnan(e) ? INFINITY : e);
    }
    if (status == RW_OK) status = rw_expr_get(l->expr, "phi", &got, NULL);
    if (status == RW_OK) *worst = RW_MAX(w, fabs((double)(got / phi - 1)));
    rw_array_destroy(&start);
    return status;
}

/* Roundings of a step, of sums of positive numbers, and what they make of later steps. */
static double tolerance(const laser *l) { return (20 + 4 * l->together) * DBL_EPSILON; }

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    laser l = {0};
    (void)variant;
    rw_status status = make(b, &l, n, 3);
    if (status == RW_OK) status = step(&l, 0);
    if (status == RW_OK && n > 0) status = error(b, &l, worst);
    *allowed = tolerance(&l);
    free_laser(&l);
    return status;
}

static rw_status loop(void *user, int round)
{
    laser *l = user;
    (void)round;
    l->host_phi =
        l->loop(l->host_out, l->host[1], l->host[2], l->host[3], l->host[4], l->number, l->host_phi, l->n, l->threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, laser *l, rw_contestant *peers, int *npeers)
{
    void *out;
    if (b->options.no_peers || !rw_host_function(b, "laser", &l->loop)) return RW_OK;
    RW_TRY(rw_bench_array(b, RW_F64, l->n, &l->host_N));
    RW_TRY(rw_array_write(l->host_N, &out));
    memcpy(out, l->host[0], (size_t)l->n * sizeof(double));
    l->host_out = out;
    peers[(*npeers)++] = (rw_contestant){"C loop", loop, l};
    return RW_OK;
}

static rw_status run_large(rw_bench *b)
{
    int64_t n = b->options.quick ? 10000 : b->dev->info.gpu ? 1 << 26 : 1 << 24;
    int npeers = 0;
    laser l = {0};
    rw_contestant peers[RW_BENCH_PEERS];
    rw_status status = make(b, &l, n, 1);
    rw_bench_result row = {.tolerance = tolerance(&l), .bytes = 48.0 * (double)n};
    if (status == RW_OK) status = step(&l, 0);
    if (status == RW_OK) status = error(b, &l, &row.error);
    if (status == RW_OK) status = add_loop(b, &l, peers, &npeers);
    if (status == RW_OK) status = rw_bench_compare(b, &(rw_contestant){"", step, &l}, peers, npeers, &row);
    if (status == RW_OK) {
        snprintf(row.what, sizeof row.what, "laser step f64, 5 in, 1 out, 1 sum");
        snprintf(row.size, sizeof row.size, "%lld cells", (long long)n);
        rw_bench_target(b, &row, b->dev->info.gpu ? 0.95 : 0.9, NULL);
        status = rw_bench_add(b, &row);
    }
    free_laser(&l);
    return status;
}

static rw_status run_small(rw_bench *b)
{
    laser l = {0};
    rw_contestant single = {"single launches", step, &l};
    rw_status status = make(b, &l, 5 * 5 * 5 * 5, b->options.quick ? 4 : 200);
    rw_bench_result row = {.tolerance = tolerance(&l), .steps = l.together, .met = -1};
    if (status == RW_OK) status = step(&l, 0);
    if (status == RW_OK) status = error(b, &l, &row.error);
    if (status == RW_OK) status = rw_record_begin(l.queue);
    if (status == RW_OK) {
        rw_status recorded = step(&l, 0);
        status = rw_record_end(l.queue, &l.sequence);
        if (recorded != RW_OK) status = recorded;
    }
    if (status == RW_OK) status = rw_bench_compare(b, &(rw_contestant){"", replay, &l}, &single, 1, &row);
    if (status == RW_OK) {
        snprintf(row.what, sizeof row.what, "laser steps f64, recorded");
        snprintf(row.size, sizeof row.size, "%lld cells, %d steps", (long long)l.n, l.together);
        status = rw_bench_add(b, &row);
    }
    free_laser(&l);
    return status;
}

static rw_status run(rw_bench *b)
{
    RW_TRY(run_large(b));
    return run_small(b);
}

static const int64_t sizes[] = {1, 2, 255, 257, 1023, 1025, 8191, 8193, -1};
const rw_bench_case rw_bench_laser = {run, 1, check, sizes, 257, NULL};
