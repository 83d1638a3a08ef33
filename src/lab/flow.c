/* Study: plane flow with heat by conjugate gradients, as M. Baumann and P. Buran measured it in 2010 on a Tesla C1060.
 *
 *   dots       five dot products and the norm: one idea more in each
 *   products   a matrix of five diagonals by a vector: four ways to read offsets and vector
 *   solves     the three systems of a time step, each with 1 on the right and 0 as first guess, by three versions of CG
 *   steps      a time step: three systems, saving, the rest
 *
 * A grid of N x N has boundary values at its sides, so (N - 2)^2 unknowns. The document names neither its tolerance nor
 * nu dt and a dt nor its right-hand sides, so numbers of iterations differ; rates do not depend on them. */
#include <math.h>
#include <string.h>

#include "lab/flow_library.h"
#include "lab/flow_step.h"
#include "lab/lab.h"
#include "measure/measure.h"

enum { DOTS, PRODUCTS, SOLVES, STEPS };
static const char *const type_names[] = {"f32", "f64"};
static const char host_name[] = "one thread", library_name[] = "library";

/* Peaks in 2010 at 102 GB/s: 2 operations for 2 reads; 10 for 5 values, x read five times and y. */
static double dot_peak(bool f64, bool norm) { return (norm ? 2 : 1) * 102. * 2 / (2 * (f64 ? 8 : 4)); }
static double product_peak(bool f64) { return 102. * 10 / (11 * (f64 ? 8 : 4)); }

static const struct {
    int edge, system, iterations;
    double figures[RW_FLOW_VERSIONS][2]; /* ms, GFLOP/s */
} published_solves[] = {
#define RW_SOLVE(edge, system, iterations, t1, r1, t2, r2, t3, r3)                                                     \
    {edge, system, iterations, {{t1, r1}, {t2, r2}, {t3, r3}}},
#include "lab/flow.def"
};
static const struct {
    bool f64;
    int edge;
    rw_flow_version version;
    double ms[4]; /* total, systems, saving, rest */
} published_steps[] = {
#define RW_STEP(f64, edge, version, ...) {f64, edge, version, {__VA_ARGS__}},
#include "lab/flow.def"
};

/* ---- time of a call ---------------------------------------------------------------------------------------------- */

static rw_status sample(const rw_lab *lab, rw_queue *queue, rw_repetition *call, void *user, double length,
                        double *seconds)
{
    const rw_sampling s = {.what = {"flow", call, user},
                           .queue = queue,
                           .runs = (int)rw_lab_number(lab, "runs"),
                           .seconds = rw_lab_number(lab, "seconds"),
                           .length = length};
    return rw_sample(&s, seconds);
}

/* A processor is slow on large grids: edges above `most` are for GPUs. */
static bool too_large(const rw_lab *lab, int edge, bool gpu)
{
    const double most = rw_lab_number(lab, "most");
    return !gpu && most > 0 && edge > most;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct bench {
    rw_flow_kernels kernels;
    rw_flow_matrix matrix;
    rw_flow_library own;
    rw_array *x, *y;
    int64_t n;
    int which; /* dot or product */
} bench;

static void free_bench(bench *b)
{
    rw_array_destroy(&b->x);
    rw_array_destroy(&b->y);
    rw_flow_matrix_free(&b->matrix);
    rw_flow_library_free(&b->own);
    rw_flow_kernels_free(&b->kernels);
}

static rw_status fill(rw_array *a, bool f64, int64_t n)
{
    void *w;
    RW_TRY(rw_array_write(a, &w));
    for (int64_t i = 0; i < n; ++i) {
        if (f64) ((double *)w)[i] = 1;
        else ((float *)w)[i] = 1;
    }
    return RW_OK;
}

static rw_status make_own(rw_device *dev, bool f64, int64_t inside, rw_flow_library *own)
{
    const rw_flow_stop stop = {1e-6, 1};
    rw_flow_system system;
    RW_TRY(rw_flow_system_create(dev->ctx, f64, inside, inside, 4, -1, &system));
    const rw_status status = rw_flow_library_create(dev, &system, stop, own);
    rw_flow_system_free(&system);
    return status;
}

static rw_status make_bench(rw_device *dev, bool f64, int64_t inside, bench *b)
{
    RW_TRY(rw_flow_kernels_create(dev, f64, 0, 0, &b->kernels));
    RW_TRY(rw_flow_five_points(dev, f64, inside, inside, 4, -1, b->n, &b->matrix));
    RW_TRY(rw_array_create(dev, rw_flow_dtype(f64), 1, &b->n, RW_MEMORY_DEVICE, &b->x));
    RW_TRY(rw_array_create(dev, rw_flow_dtype(f64), 1, &b->n, RW_MEMORY_DEVICE, &b->y));
    RW_TRY(fill(b->x, f64, b->n));
    RW_TRY(fill(b->y, f64, b->n));
    return make_own(dev, f64, inside, &b->own);
}

static rw_status copy_once(void *user, int round RW_UNUSED)
{
    bench *b = user;
    return rw_array_copy(b->y, b->x, rw_device_queue(b->kernels.device));
}
static rw_status dot_once(void *user, int round RW_UNUSED)
{
    bench *b = user;
    return rw_flow_dot_launch(&b->kernels, (rw_flow_dot)b->which, b->x, b->y, b->n);
}
static rw_status multiply_once(void *user, int round RW_UNUSED)
{
    bench *b = user;
    if (b->which == RW_FLOW_PRODUCTS) return rw_flow_library_multiply(&b->own, b->x, b->y);
    return rw_flow_multiply(&b->kernels, (rw_flow_product)b->which, &b->matrix, b->x, b->y);
}

enum { K_NAME, K_TYPE, K_WHERE, K_TIME, K_RATE, K_TRAFFIC, K_SHARE, K_PEAK, K_MISSING };
static const rw_lab_column dots_columns[] = {
    [K_NAME] = {"kernel", "", RW_SHOW_NAME, false,
                "D1 as printed: neighbouring elements for each work-item; D1: all of them; D2: coalesced; D3: without "
                "divergence; D4: without bank conflicts; D5: unrolled; norm: D5 with one vector"},
    [K_TYPE] = {"type", "", RW_SHOW_NAME, false, NULL},
    [K_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [K_TIME] = {"time", "us", RW_SHOW_REAL, false, "both kernels of a dot product, median"},
    [K_RATE] = {"rate", "GFLOP/s", RW_SHOW_REAL, false, "2 operations per element"},
    [K_TRAFFIC] = {"traffic", "GB/s", RW_SHOW_REAL, false, "two vectors read, for the norm one"},
    [K_SHARE] = {"share", "", RW_SHOW_RATIO, false, "traffic divided by that of a copy of a vector on the device"},
    [K_PEAK] = {"2010 peak", "GFLOP/s", RW_SHOW_REAL, false, "what 102 GB/s allowed, by the document's formula"},
    [K_MISSING] = {"missing", "", RW_SHOW_INTEGER, false, "elements that are left out of the sum"},
};
static const rw_lab_column products_columns[] = {
    [K_NAME] = {"kernel", "", RW_SHOW_NAME, false,
                "S1: offsets from global memory; S2: from shared memory; S3: x and matrix read only; S4: no matrix, "
                "five points; library: rw_sparse in diagonals"},
    [K_TYPE] = {"type", "", RW_SHOW_NAME, false, NULL},
    [K_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [K_TIME] = {"time", "us", RW_SHOW_REAL, false, "median"},
    [K_RATE] = {"rate", "GFLOP/s", RW_SHOW_REAL, false, "10 operations per row"},
    [K_TRAFFIC] = {"traffic", "GB/s", RW_SHOW_REAL, false, "five diagonals, x and y once each; S4: x and y"},
    [K_SHARE] = {"share", "", RW_SHOW_RATIO, false, "traffic divided by that of a copy of a vector on the device"},
    [K_PEAK] = {"2010 peak", "GFLOP/s", RW_SHOW_REAL, false,
                "what 102 GB/s allowed with x read five times, by the document's formula"},
};

static rw_status put_kernel(rw_lab *lab, int table, const char *name, bool f64, int device, const double *values)
{
    RW_TRY(rw_lab_row(lab, table));
    RW_TRY(rw_lab_put_name(lab, table, K_NAME, name, false));
    RW_TRY(rw_lab_put_name(lab, table, K_TYPE, type_names[f64], false));
    RW_TRY(rw_lab_put_name(lab, table, K_WHERE, lab->info[device].name, false));
    rw_lab_put_values(lab, table, K_TIME, table == DOTS ? K_MISSING + 1 : K_MISSING, values);
    return RW_OK;
}

static rw_status measure_dot(rw_lab *lab, bench *b, int device, rw_flow_dot dot, double copy)
{
    const bool f64 = b->kernels.f64, norm = dot == RW_FLOW_NORM;
    const double bytes = (norm ? 1 : 2) * (f64 ? 8. : 4.) * (double)b->n;
    double seconds, sum;
    rw_lab_say(lab, "%s, %s on %s", rw_flow_dot_names[dot], type_names[f64], lab->info[device].name);
    b->which = (int)dot;
    RW_TRY(rw_flow_dot_value(&b->kernels, dot, b->x, b->x, b->n, &sum)); /* ones */
    RW_TRY(sample(lab, rw_device_queue(lab->devices[device]), dot_once, b, 1e-3, &seconds));
    const double values[] = {[K_TIME] = 1e6 * seconds,
                             [K_RATE] = 2 * (double)b->n / seconds * 1e-9,
                             [K_TRAFFIC] = bytes / seconds * 1e-9,
                             [K_SHARE] = bytes / seconds / copy,
                             [K_PEAK] = dot_peak(f64, norm),
                             [K_MISSING] = (double)b->n - sum};
    return put_kernel(lab, DOTS, rw_flow_dot_names[dot], f64, device, values);
}

static rw_status measure_product(rw_lab *lab, bench *b, int device, int product, double copy)
{
    const bool f64 = b->kernels.f64;
    const double bytes = (product == RW_FLOW_S4 ? 2 : 7) * (f64 ? 8. : 4.) * (double)b->n;
    const char *name = product == RW_FLOW_PRODUCTS ? library_name : rw_flow_product_names[product];
    double seconds;
    rw_lab_say(lab, "%s, %s on %s", name, type_names[f64], lab->info[device].name);
    b->which = product;
    RW_TRY(sample(lab, rw_device_queue(lab->devices[device]), multiply_once, b, 1e-3, &seconds));
    const double values[] = {[K_TIME] = 1e6 * seconds,
                             [K_RATE] = 10 * (double)b->n / seconds * 1e-9,
                             [K_TRAFFIC] = bytes / seconds * 1e-9,
                             [K_SHARE] = bytes / seconds / copy,
                             [K_PEAK] = product_peak(f64)};
    return put_kernel(lab, PRODUCTS, name, f64, device, values);
}

static rw_status measure_kernels(rw_lab *lab, int device, bool f64, bench *b)
{
    double seconds;
    RW_TRY(sample(lab, rw_device_queue(lab->devices[device]), copy_once, b, 1e-3, &seconds));
    const double copy = 2 * (f64 ? 8. : 4.) * (double)b->n / seconds; /* bytes per second */
    for (int d = 0; d < RW_FLOW_DOTS && rw_lab_wanted(lab, DOTS); ++d)
        RW_TRY(measure_dot(lab, b, device, (rw_flow_dot)d, copy));
    for (int p = 0; p <= RW_FLOW_PRODUCTS && rw_lab_wanted(lab, PRODUCTS); ++p)
        RW_TRY(measure_product(lab, b, device, p, copy));
    return RW_OK;
}

static rw_status compare_kernels(rw_lab *lab, int device, bool f64)
{
    const int64_t inside = (int64_t)rw_lab_number(lab, "edge") - 2;
    bench b = {.n = inside * inside};
    rw_status status = make_bench(lab->devices[device], f64, inside, &b);
    if (status == RW_OK) status = measure_kernels(lab, device, f64, &b);
    free_bench(&b);
    return status;
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

enum {
    S_EDGE,
    S_SYSTEM,
    S_VERSION,
    S_TYPE,
    S_WHERE,
    S_ITERATIONS,
    S_RESIDUAL,
    S_TIME,
    S_RATE,
    S_COPIED,
    S_THEN_ITERATIONS,
    S_THEN_TIME,
    S_THEN_RATE,
    S_RATIO
};
static const rw_lab_column solves_columns[] = {
    [S_EDGE] = {"edge", "", RW_SHOW_INTEGER, false, "nodes along an edge of the grid, boundary included"},
    [S_SYSTEM] = {"system", "", RW_SHOW_NAME, false,
                  "A_h: stream function; B_h: vorticity, E + viscous A_h; B_h^T: temperature, E + conductive A_h"},
    [S_VERSION] = {"version", "", RW_SHOW_NAME, false,
                   "GPU_1: matrix and vectors copied in each solve; GPU_2: they stay on the device; CPU_: a plain C "
                   "loop in one thread; library: rw_krylov, by the true residual"},
    [S_TYPE] = {"type", "", RW_SHOW_NAME, false, NULL},
    [S_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [S_ITERATIONS] = {"iterations", "", RW_SHOW_INTEGER, false, "with right-hand side 1 and first guess 0"},
    [S_RESIDUAL] = {"residual", "", RW_SHOW_ERROR, false,
                    "|b - A x| / |b| of the solution; iterations end by that of the recurrence"},
    [S_TIME] = {"time", "ms", RW_SHOW_REAL, false, "one solve, median"},
    [S_RATE] = {"rate", "GFLOP/s", RW_SHOW_REAL, false, "20 operations per unknown and iteration, and 13"},
    [S_COPIED] = {"copied", "kB", RW_SHOW_REAL, false, "per solve between host and device: GPU_2 has scalars only"},
    [S_THEN_ITERATIONS] = {"2010 iterations", "", RW_SHOW_INTEGER, false,
                           "on a Tesla C1060, in double precision; right-hand side and tolerance are not known"},
    [S_THEN_TIME] = {"2010 time", "ms", RW_SHOW_REAL, false, NULL},
    [S_THEN_RATE] = {"2010 rate", "GFLOP/s", RW_SHOW_REAL, false, NULL},
    [S_RATIO] = {"ratio", "", RW_SHOW_RATIO, false, "rate divided by the rate of 2010"},
};

typedef struct solve {
    rw_flow_system system;
    rw_flow_kernels kernels;
    rw_flow_cg cg;
    void *b, *x; /* on the host */
    rw_flow_stop stop;
    rw_flow_outcome outcome;
} solve;

static void free_solve(solve *s)
{
    rw_free(s->b);
    rw_free(s->x);
    rw_flow_cg_free(&s->cg);
    rw_flow_kernels_free(&s->kernels);
    rw_flow_system_free(&s->system);
}

static size_t bytes_of(const solve *s) { return (size_t)s->system.n * (s->system.f64 ? 8 : 4); }

/* The first guess is 0. */
static rw_status reset(void *user, int round RW_UNUSED)
{
    solve *s = user;
    if (s->x) memset(s->x, 0, bytes_of(s));
    if (s->cg.version != RW_FLOW_GPU_2) return RW_OK;
    RW_TRY(rw_array_zero(s->cg.vector[RW_FLOW_X], rw_device_queue(s->kernels.device)));
    return rw_queue_wait(rw_device_queue(s->kernels.device));
}
static rw_status solve_once(void *user, int round RW_UNUSED)
{
    solve *s = user;
    return rw_flow_cg_solve(&s->cg, s->b, s->x, s->stop, &s->outcome);
}

static rw_status make_solve(rw_device *dev, rw_flow_version version, const rw_flow_case *is, int system, solve *s)
{
    const int64_t inside = is->edge - 2;
    double middle, side;
    rw_flow_entries(is, system, &middle, &side);
    s->stop = is->stop;
    RW_TRY(rw_flow_system_create(dev->ctx, is->f64, inside, inside, middle, side, &s->system));
    if (version != RW_FLOW_CPU) RW_TRY(rw_flow_kernels_create(dev, is->f64, 0, 0, &s->kernels));
    RW_TRY(rw_flow_cg_create(dev->ctx, version, &s->system, &s->kernels, &s->cg));
    if (version == RW_FLOW_GPU_2) {
        RW_TRY(fill(s->cg.vector[RW_FLOW_B], is->f64, s->system.n));
        return rw_array_send(s->cg.vector[RW_FLOW_B], rw_device_queue(dev));
    }
    s->b = rw_calloc(bytes_of(s), 1);
    s->x = rw_calloc(bytes_of(s), 1);
    if (!s->b || !s->x) return rw_fail_memory(dev->ctx, 2 * bytes_of(s), "vectors");
    for (int64_t i = 0; i < s->system.n; ++i) {
        if (is->f64) ((double *)s->b)[i] = 1;
        else ((float *)s->b)[i] = 1;
    }
    return RW_OK;
}

/* After some iterations, which compile. */
static rw_status time_solve(const rw_lab *lab, solve *s, rw_queue *queue, double *seconds)
{
    const rw_sampling sampling = {.what = {"solve", solve_once, s},
                                  .prepare = reset,
                                  .queue = queue,
                                  .runs = (int)rw_lab_number(lab, "runs"),
                                  .seconds = rw_lab_number(lab, "seconds")};
    const int most = s->stop.most;
    s->stop.most = 2;
    RW_TRY(reset(s, 0));
    RW_TRY(solve_once(s, 0));
    s->stop.most = most;
    return rw_sample(&sampling, seconds);
}

/* |b - A x| / |b| with b = 1, in double precision. */
static double relative_residual(const rw_flow_system *s, const void *x)
{
    double sum = 0;
    for (int64_t row = 0; row < s->n; ++row) {
        double r = 1;
        for (int d = 0; d < 5; ++d) {
            const int64_t column = row + s->offset[d], at = s->n * d + row;
            if (column < 0 || column >= s->n) continue;
            r -= s->f64 ? ((const double *)s->data)[at] * ((const double *)x)[column]
                        : (double)((const float *)s->data)[at] * (double)((const float *)x)[column];
        }
        sum += r * r;
    }
    return sqrt(sum / (double)s->n);
}

static rw_status put_residual(rw_lab *lab, const solve *s)
{
    const void *x = s->x;
    if (!x) RW_TRY(rw_array_read(s->cg.vector[RW_FLOW_X], &x));
    rw_lab_put(lab, SOLVES, S_RESIDUAL, -1, relative_residual(&s->system, x));
    return RW_OK;
}

static void put_published_solve(rw_lab *lab, int edge, int system, rw_flow_version version, double rate)
{
    for (int i = 0; i < RW_COUNT(published_solves); ++i) {
        if (published_solves[i].edge != edge || published_solves[i].system != system) continue;
        const double *figures = published_solves[i].figures[version];
        rw_lab_put(lab, SOLVES, S_THEN_ITERATIONS, -1, published_solves[i].iterations);
        rw_lab_put(lab, SOLVES, S_THEN_TIME, -1, figures[0]);
        rw_lab_put(lab, SOLVES, S_THEN_RATE, -1, figures[1]);
        rw_lab_put(lab, SOLVES, S_RATIO, -1, rate / figures[1]);
    }
}

static rw_status begin_solve(rw_lab *lab, const rw_flow_case *is, int system, const char *version, const char *where)
{
    RW_TRY(rw_lab_row(lab, SOLVES));
    rw_lab_put(lab, SOLVES, S_EDGE, -1, is->edge);
    RW_TRY(rw_lab_put_name(lab, SOLVES, S_SYSTEM, rw_flow_system_names[system], false));
    RW_TRY(rw_lab_put_name(lab, SOLVES, S_VERSION, version, false));
    RW_TRY(rw_lab_put_name(lab, SOLVES, S_TYPE, type_names[is->f64], false));
    return rw_lab_put_name(lab, SOLVES, S_WHERE, where, false);
}

static rw_status put_solve(rw_lab *lab, const rw_flow_case *is, int system, rw_flow_version version, const char *where,
                           const solve *s, double seconds)
{
    const rw_flow_outcome *o = &s->outcome;
    const double rate = rw_flow_operations(o->iterations, s->system.n) / seconds * 1e-9;
    RW_TRY(begin_solve(lab, is, system, rw_flow_version_names[version], where));
    rw_lab_put(lab, SOLVES, S_ITERATIONS, -1, o->iterations);
    rw_lab_put(lab, SOLVES, S_TIME, -1, 1e3 * seconds);
    rw_lab_put(lab, SOLVES, S_RATE, -1, rate);
    rw_lab_put(lab, SOLVES, S_COPIED, -1,
               1e-3 * (o->traffic.sent + o->traffic.fetched + (is->f64 ? 8. : 4.) * (double)o->traffic.scalars));
    RW_TRY(put_residual(lab, s));
    if (is->f64) put_published_solve(lab, is->edge, system, version, rate);
    if (!o->converged)
        rw_lab_note(lab, "solves: %s, edge %d, %s, %s did not converge: |r| / |r0| = %.3g after %d iterations",
                    rw_flow_system_names[system], is->edge, rw_flow_version_names[version], where, o->last / o->first,
                    o->iterations);
    return RW_OK;
}

static rw_status measure_solve(rw_lab *lab, const rw_flow_case *is, int system, rw_flow_version version, int device)
{
    const char *where = version == RW_FLOW_CPU ? host_name : lab->info[device].name;
    rw_queue *queue = version == RW_FLOW_CPU ? NULL : rw_device_queue(lab->devices[device]);
    solve s = {.b = NULL};
    double seconds;
    rw_lab_say(lab, "%s, edge %d, %s, %s on %s", rw_flow_system_names[system], is->edge, rw_flow_version_names[version],
               type_names[is->f64], where);
    rw_status status = make_solve(lab->devices[device], version, is, system, &s);
    if (status == RW_OK) status = time_solve(lab, &s, queue, &seconds);
    if (status == RW_OK) status = put_solve(lab, is, system, version, where, &s, seconds);
    free_solve(&s);
    return status;
}

/* The library's solver on the same system. */
static rw_status own_once(void *user, int round RW_UNUSED) { return rw_flow_library_solve(user); }

static rw_status put_library(rw_lab *lab, const rw_flow_case *is, int system, int device, const rw_flow_library *own,
                             double seconds)
{
    const int64_t inside = is->edge - 2, iterations = own->result.iterations;
    RW_TRY(begin_solve(lab, is, system, library_name, lab->info[device].name));
    rw_lab_put(lab, SOLVES, S_ITERATIONS, -1, (double)iterations);
    rw_lab_put(lab, SOLVES, S_RESIDUAL, -1, own->result.residual / own->result.right_side);
    rw_lab_put(lab, SOLVES, S_TIME, -1, 1e3 * seconds);
    rw_lab_put(lab, SOLVES, S_RATE, -1, rw_flow_operations((int)iterations, inside * inside) / seconds * 1e-9);
    if (!own->converged)
        rw_lab_note(lab, "solves: %s, edge %d, library, %s on %s: %s: |r| / |b| = %.3g after %lld iterations",
                    rw_flow_system_names[system], is->edge, type_names[is->f64], lab->info[device].name,
                    rw_krylov_reason_text(own->result.reason), own->result.residual / own->result.right_side,
                    (long long)iterations);
    return RW_OK;
}

static rw_status measure_library(rw_lab *lab, const rw_flow_case *is, int system, int device)
{
    const int64_t inside = is->edge - 2;
    rw_device *dev = lab->devices[device];
    rw_flow_system s;
    rw_flow_library own;
    double middle, side, seconds;
    rw_lab_say(lab, "%s, edge %d, library, %s on %s", rw_flow_system_names[system], is->edge, type_names[is->f64],
               lab->info[device].name);
    rw_flow_entries(is, system, &middle, &side);
    RW_TRY(rw_flow_system_create(dev->ctx, is->f64, inside, inside, middle, side, &s));
    rw_status status = rw_flow_library_create(dev, &s, is->stop, &own);
    if (status == RW_OK) {
        status = rw_flow_library_solve(&own); /* compiles */
        if (status == RW_OK) status = sample(lab, rw_device_queue(dev), own_once, &own, 0, &seconds);
        if (status == RW_OK) status = put_library(lab, is, system, device, &own, seconds);
        rw_flow_library_free(&own);
    }
    rw_flow_system_free(&s);
    return status;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

enum {
    T_EDGE,
    T_VERSION,
    T_TYPE,
    T_WHERE,
    T_PSI,
    T_OMEGA,
    T_HEAT,
    T_TOTAL,
    T_SOLVE,
    T_SAVE,
    T_REST,
    T_THEN_TOTAL,
    T_THEN_SOLVE,
    T_THEN_SAVE,
    T_THEN_REST
};
static const rw_lab_column steps_columns[] = {
    [T_EDGE] = {"edge", "", RW_SHOW_INTEGER, false, NULL},
    [T_VERSION] = {"version", "", RW_SHOW_NAME, false,
                   "the rest is computed on the device by GPU_2, by one thread of the host otherwise"},
    [T_TYPE] = {"type", "", RW_SHOW_NAME, false, NULL},
    [T_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [T_PSI] = {"A_h", "", RW_SHOW_INTEGER, false, "iterations in the first of the timed steps"},
    [T_OMEGA] = {"B_h", "", RW_SHOW_INTEGER, false, NULL},
    [T_HEAT] = {"B_h^T", "", RW_SHOW_INTEGER, false, NULL},
    [T_TOTAL] = {"total", "ms", RW_SHOW_REAL, false, "one time step, mean of `runs` after the first"},
    [T_SOLVE] = {"systems", "ms", RW_SHOW_REAL, false, NULL},
    [T_SAVE] = {"saving", "ms", RW_SHOW_REAL, false, "stream function, vorticity and temperature to a temporary file"},
    [T_REST] = {"rest", "ms", RW_SHOW_REAL, false, "total - systems - saving: boundary values, right-hand sides"},
    [T_THEN_TOTAL] = {"2010 total", "ms", RW_SHOW_REAL, false, "on a Tesla C1060 and a CPU that is not named"},
    [T_THEN_SOLVE] = {"2010 systems", "ms", RW_SHOW_REAL, false, NULL},
    [T_THEN_SAVE] = {"2010 saving", "ms", RW_SHOW_REAL, false, NULL},
    [T_THEN_REST] = {"2010 rest", "ms", RW_SHOW_REAL, false, NULL},
};

static rw_status time_steps(const rw_lab *lab, rw_flow_run *run, rw_flow_times *mean)
{
    const int runs = (int)rw_lab_number(lab, "runs");
    const double begin = rw_seconds();
    rw_flow_times sum = {0}, t;
    int n = 0;
    RW_TRY(rw_flow_step(run, &t)); /* compiles; Psi is 0 in it */
    do {
        RW_TRY(rw_flow_step(run, &t));
        sum.total += t.total;
        sum.solve += t.solve;
        sum.save += t.save;
        if (n++ == 0) *mean = t;
    } while (n < runs && rw_seconds() - begin < rw_lab_number(lab, "seconds"));
    mean->total = sum.total / n;
    mean->solve = sum.solve / n;
    mean->save = sum.save / n;
    mean->rest = mean->total - mean->solve - mean->save;
    return RW_OK;
}

static rw_status put_step(rw_lab *lab, const rw_flow_case *is, rw_flow_version version, const char *where,
                          const rw_flow_times *t)
{
    RW_TRY(rw_lab_row(lab, STEPS));
    rw_lab_put(lab, STEPS, T_EDGE, -1, is->edge);
    RW_TRY(rw_lab_put_name(lab, STEPS, T_VERSION, rw_flow_version_names[version], false));
    RW_TRY(rw_lab_put_name(lab, STEPS, T_TYPE, type_names[is->f64], false));
    RW_TRY(rw_lab_put_name(lab, STEPS, T_WHERE, where, false));
    for (int s = 0; s < RW_FLOW_SYSTEMS; ++s) rw_lab_put(lab, STEPS, T_PSI + s, -1, t->iterations[s]);
    const double ms[] = {1e3 * t->total, 1e3 * t->solve, 1e3 * t->save, 1e3 * t->rest};
    for (int i = 0; i < RW_COUNT(ms); ++i) rw_lab_put(lab, STEPS, T_TOTAL + i, -1, ms[i]);
    for (int p = 0; p < RW_COUNT(published_steps); ++p)
        if (published_steps[p].f64 == is->f64 && published_steps[p].edge == is->edge &&
            published_steps[p].version == version)
            for (int i = 0; i < RW_COUNT(ms); ++i)
                rw_lab_put(lab, STEPS, T_THEN_TOTAL + i, -1, published_steps[p].ms[i]);
    if (!t->converged)
        rw_lab_note(lab, "steps: edge %d, %s, %s on %s: a system did not converge", is->edge,
                    rw_flow_version_names[version], type_names[is->f64], where);
    return RW_OK;
}

static rw_status measure_step(rw_lab *lab, const rw_flow_case *is, rw_flow_version version, int device)
{
    const char *where = version == RW_FLOW_CPU ? host_name : lab->info[device].name;
    rw_flow_run run;
    rw_flow_times t;
    rw_lab_say(lab, "step, edge %d, %s, %s on %s", is->edge, rw_flow_version_names[version], type_names[is->f64],
               where);
    RW_TRY(rw_flow_run_create(lab->devices[device], version, is, &run));
    rw_status status = time_steps(lab, &run, &t);
    if (status == RW_OK) status = put_step(lab, is, version, where, &t);
    rw_flow_run_free(&run);
    return status;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static rw_status measure_case(rw_lab *lab, const rw_flow_case *is, rw_flow_version version, int device)
{
    for (int s = 0; s < RW_FLOW_SYSTEMS && rw_lab_wanted(lab, SOLVES); ++s)
        RW_TRY(measure_solve(lab, is, s, version, device));
    return rw_lab_wanted(lab, STEPS) ? measure_step(lab, is, version, device) : RW_OK;
}

static rw_status measure_grid(rw_lab *lab, int edge, bool f64)
{
    const rw_flow_case is = {.edge = edge,
                             .f64 = f64,
                             .dt = 1e-3,
                             .buoyancy = 1,
                             .viscous = rw_lab_number(lab, "viscous"),
                             .conductive = rw_lab_number(lab, "conductive"),
                             .stop = {rw_lab_number(lab, "tolerance"), (int)rw_lab_number(lab, "iterations")},
                             .output = rw_lab_setting_of(lab, "output")->word};
    for (int d = 0; d < lab->ndevices; ++d)
        for (int v = RW_FLOW_GPU_1; v <= RW_FLOW_GPU_2 && !too_large(lab, edge, lab->info[d].gpu); ++v)
            RW_TRY(measure_case(lab, &is, (rw_flow_version)v, d));
    if (!too_large(lab, edge, false)) RW_TRY(measure_case(lab, &is, RW_FLOW_CPU, 0));
    for (int d = 0; d < lab->ndevices && rw_lab_wanted(lab, SOLVES); ++d)
        for (int s = 0; s < RW_FLOW_SYSTEMS && !too_large(lab, edge, lab->info[d].gpu); ++s)
            RW_TRY(measure_library(lab, &is, s, d));
    return RW_OK;
}

/* What D1 lost in 2010, whose GPU had 30 multiprocessors. */
static void note_missing(rw_lab *lab)
{
    const int64_t inside = (int64_t)rw_lab_number(lab, "edge") - 2, n = inside * inside;
    rw_lab_note(lab, "dots: with 30 groups of 256 work-items, D1 as printed leaves out %lld of %lld elements",
                (long long)rw_flow_missing(n, 30 * 256), (long long)n);
}

static rw_status run_study(rw_lab *lab)
{
    const rw_lab_setting *types = rw_lab_setting_of(lab, "types"), *sizes = rw_lab_setting_of(lab, "sizes");
    const bool kernels = rw_lab_wanted(lab, DOTS) || rw_lab_wanted(lab, PRODUCTS),
               grids = rw_lab_wanted(lab, SOLVES) || rw_lab_wanted(lab, STEPS);
    if (rw_lab_wanted(lab, DOTS)) note_missing(lab);
    for (int t = 0; t < types->n && kernels; ++t)
        for (int d = 0; d < lab->ndevices; ++d) RW_TRY(compare_kernels(lab, d, types->number[t] > 0));
    for (int i = 0; i < sizes->n && grids; ++i) {
        const int edge = (int)sizes->number[i];
        for (int t = 0; t < types->n; ++t) RW_TRY(measure_grid(lab, edge, types->number[t] > 0));
        if (too_large(lab, edge, false))
            rw_lab_note(lab, "edge %d: skipped on processors; most=%d includes it", edge, edge);
    }
    return RW_OK;
}

static const rw_param parameters[] = {
    PARAMETER("sizes", INTS, "64,256,1024", "[4, 16384]", "edges of grids in tables solves and steps, in nodes"),
    PARAMETER("most", INT, "256", "[0, 16384]",
              "largest edge on processors, where large grids take minutes; 0: no limit"),
    PARAMETER("types", CHOICES, "f32,f64", "f32|f64", "precision"),
    PARAMETER("edge", INT, "1024", "[4, 16384]", "edge of the grid in tables dots and products: (edge - 2)^2 elements"),
    PARAMETER("tolerance", REAL, "1e-10", "[1e-15, 1]", "iterations end with |r| below this fraction of |r0|"),
    PARAMETER("iterations", INT, "20000", "[1, 1000000]", "maximum number of iterations"),
    PARAMETER("viscous", REAL, "5e-5", "[0, 1e6]", "viscosity times time step, with edges of length 1"),
    PARAMETER("conductive", REAL, "1.43e-7", "[0, 1e6]", "thermal diffusivity times time step"),
    PARAMETER("output", CHOICE, "text", "text|binary|none", "file that a time step saves its fields to"),
    PARAMETER("runs", INT, "3", "[1, 1000]", "number of timed runs, whose median is reported"),
    PARAMETER("seconds", REAL, "0.5", "[0, 3600]",
              "time limit for the runs of one measurement; at least one run is made"),
};
static const char *const names[] = {"dots", "products", "solves", "steps"};
static const rw_lab_table tables[] = {
    [DOTS] = {"Dot products and the norm", dots_columns, RW_COUNT(dots_columns)},
    [PRODUCTS] = {"Products of five diagonals by a vector", products_columns, K_MISSING},
    [SOLVES] = {"One linear system by conjugate gradients, compared with 2010", solves_columns,
                RW_COUNT(solves_columns)},
    [STEPS] = {"One time step, compared with 2010", steps_columns, RW_COUNT(steps_columns)},
};
static const rw_lab_bars bars[] = {
    {.name = "dots",
     .title = "Dot products: fraction of the speed of a copy",
     .table = DOTS,
     .group = K_NAME,
     .series = K_WHERE,
     .value = K_SHARE,
     .by = K_TYPE,
     .axis = {.label = "fraction"}},
    {.name = "products",
     .title = "Products of five diagonals by a vector",
     .table = PRODUCTS,
     .group = K_NAME,
     .series = K_WHERE,
     .value = K_RATE,
     .by = K_TYPE,
     .axis = {.label = "GFLOP/s"}},
};

const rw_study rw_study_flow = {
    .entry = {"flow", "Plane flow with heat by conjugate gradients",
              "What did better kernels for dot products and matrices, and data that stay on the device, gain in 2010, "
              "where does the time of a step go, and what is it today?",
              "M. Baumann, P. Buran, Loesung der zweidimensionalen Wirbeltransportgleichung auf NVIDIA Grafikkarten, "
              "slides, 2010",
              parameters, RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .bars = bars,
    .nbars = RW_COUNT(bars),
    .run = run_study,
};
