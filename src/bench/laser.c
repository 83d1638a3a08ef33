/* A whole step of the laser's rate equations (src/measure/measure.h) in place. On a large grid its 48 bytes per cell
 * are counted, on a small one its steps, which are recorded. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"

static const double tau = 0.05, isf = 0.3, sigma = 0.7, loss = 0.1, seed = 1e-3, phi0 = 0.4;

typedef double peer_function(double *N, const double *P, const double *U, const double *V, const double *Nm,
                             const double *number, double phi, long n, int threads);

static const double low[RW_LASER_FIELDS] = {0, 0, 0, 0, 1};
enum { SEED = 50 };

typedef struct laser {
    rw_equation e;
    int together; /* steps of a repetition */
    rw_sequence *sequence;
    peer_function *loop;
    double host_phi;
    rw_laser_constants constants;
} laser;

static void free_laser(void *work)
{
    laser *l = work;
    rw_sequence_destroy(&l->sequence);
    rw_equation_free(&l->e);
}

static rw_status step(void *user, int round RW_UNUSED)
{
    laser *l = user;
    for (int t = 0; t < l->together; ++t) RW_TRY(rw_expr_run(l->e.expr, l->e.queue));
    return RW_OK;
}

static rw_status replay(void *user, int round RW_UNUSED)
{
    laser *l = user;
    return rw_sequence_replay(l->sequence, l->e.queue);
}

static rw_status make(rw_bench *b, laser *l, int64_t n, int together)
{
    rw_laser_program program;
    l->together = together;
    l->host_phi = phi0;
    l->constants = (rw_laser_constants){tau, isf, sigma, sigma / (double)RW_MAX(n, 1), loss, seed, phi0};
    rw_laser_describe(&l->constants, NULL, &program);
    rw_equation_spec spec = {.program = program.spec,
                             .n = RW_LASER_FIELDS,
                             .names = rw_laser_names,
                             .low = low,
                             .seed = SEED};
    spec.program.grid = (rw_grid){.ndim = 1, .size = {n, 1, 1}, .spacing = {1, 1, 1}};
    return rw_equation_make(b, &spec, &l->e);
}

/* After the first `together` steps, against the same in extended precision; N as it was is computed again from its
 * seed. */
static rw_status error(rw_bench *b, void *work, double *worst)
{
    laser *l = work;
    rw_array *start;
    long double phi = phi0;
    double w = 0, got;
    RW_TRY(rw_bench_array(b, RW_F64, l->e.cells, &start));
    rw_status status = rw_random_fill(start, SEED, low[0]);
    void *copy;
    if (status == RW_OK) status = rw_array_update(start, &copy);
    if (status == RW_OK) status = rw_equation_read(&l->e);
    double *N = copy;
    const double *P = l->e.host[1], *U = l->e.host[2], *V = l->e.host[3], *Nm = l->e.host[4];
    for (int t = 0; t < l->together && status == RW_OK; ++t) {
        long double sum = 0;
        for (int64_t i = 0; i < l->e.cells; ++i) {
            N[i] = (double)((N[i] + (long double)tau * P[i]) /
                            (1 + tau * (isf + (long double)sigma * phi * U[i] + (long double)P[i] / Nm[i])));
            sum += (long double)V[i] * N[i] * U[i];
        }
        long double lambda = (long double)l->constants.weight * sum - loss;
        phi = lambda > 0 ? phi * (1 + tau * lambda) + (long double)tau * seed
                         : (phi + (long double)tau * seed) / (1 - tau * lambda);
    }
    for (int64_t i = 0; i < l->e.cells && status == RW_OK; ++i) w = rw_worse(w, fabs(l->e.host[0][i] / N[i] - 1));
    if (status == RW_OK) status = rw_expr_get(l->e.expr, "phi", &got, NULL);
    if (status == RW_OK) *worst = RW_MAX(w, fabs((double)(got / phi - 1)));
    rw_array_destroy(&start);
    return status;
}

/* Roundings of a step, of sums of positive numbers, and what they make of later steps. */
static double tolerance(const laser *l) { return (20 + 4 * l->together) * DBL_EPSILON; }

/* host.k reads tau, isf, sigma, weight, loss and seed. */
static rw_status loop(void *user, int round RW_UNUSED)
{
    laser *l = user;
    l->host_phi = l->loop(l->e.out, l->e.host[1], l->e.host[2], l->e.host[3], l->e.host[4],
                          (const double *)&l->constants, l->host_phi, l->e.cells, l->e.threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, void *work, rw_peers *peers)
{
    laser *l = work;
    if (!rw_host_loop(b, "laser", &l->loop)) return RW_OK;
    RW_TRY(rw_equation_add_loop(b, &l->e, loop, peers));
    memcpy(l->e.out, l->e.host[0], (size_t)l->e.cells * sizeof(double));
    return RW_OK;
}

static rw_status add_single(rw_bench *b RW_UNUSED, void *work, rw_peers *peers)
{
    rw_peers_add(peers, "single launches", step, work);
    return RW_OK;
}

static const rw_bench_task large = {step, error, add_loop, free_laser}, small = {replay, NULL, add_single, free_laser};

static rw_status check(rw_bench *b, int64_t n, int variant RW_UNUSED, double *worst, double *allowed)
{
    laser l = {0};
    const rw_status status = make(b, &l, n, 3);
    *allowed = tolerance(&l);
    return rw_bench_verify(b, &large, &l, status, worst);
}

static rw_status run_large(rw_bench *b)
{
    const int64_t n = b->options.quick ? 10000 : b->dev->info.gpu ? 1 << 26 : 1 << 24;
    laser l = {0};
    const rw_status status = make(b, &l, n, 1);
    rw_bench_result row = {.what = "laser step f64, 5 in, 1 out, 1 sum",
                           .tolerance = tolerance(&l),
                           .bytes = 48.0 * (double)n};
    snprintf(row.size, sizeof row.size, "%lld cells", (long long)n);
    return rw_bench_measure(b, &large, &l, status, b->dev->info.gpu ? 0.95 : 0.9, NULL, &row);
}

static rw_status run_small(rw_bench *b)
{
    laser l = {0};
    rw_status status = make(b, &l, 5 * 5 * 5 * 5, b->options.quick ? 4 : 200);
    rw_bench_result row = {.what = "laser steps f64, recorded", .tolerance = tolerance(&l), .steps = l.together};
    if (status == RW_OK) status = step(&l, 0);
    if (status == RW_OK) status = error(b, &l, &row.error);
    if (status == RW_OK) status = rw_record_begin(l.e.queue);
    if (status == RW_OK) {
        rw_status recorded = step(&l, 0);
        status = rw_record_end(l.e.queue, &l.sequence);
        if (recorded != RW_OK) status = recorded;
    }
    snprintf(row.size, sizeof row.size, "%lld cells, %d steps", (long long)l.e.cells, l.together);
    return rw_bench_measure(b, &small, &l, status, 0, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    RW_TRY(run_large(b));
    return run_small(b);
}

static const int64_t sizes[] = {1, 2, 255, 257, 1023, 1025, 8191, 8193, -1};
const rw_bench_case rw_bench_laser = {run, 1, check, sizes, 257, NULL};
