/* Poisson's equation by transforms and by multigrid, through the public functions (rw_elliptic_enqueue: forward,
 * divided and back), f64, and steps of rw_ode that solve it for a streamfunction:
 *
 *   cells     layout cell, 0 on the sides: sines of type II
 *   nodes     the sides one spacing outside, 0 there: sines of type I
 *   periodic  the real transform
 *   cycles    layout cell, 0 on the sides: eight cycles of multigrid
 *   solve     the same to 1e-8, from 0, waits
 *   step      w' = laplace(w)/100 - v . grad w, v from laplace(psi) = -w, RK4: four solves
 *   step, cg  the same, recorded, with 160 iterations a solve, which change nothing once rtol holds
 *
 * Rows of transforms are compared with the same solve by FFTW or cuFFT (poisson.c).
 *
 * Bytes are those that the passes read and write. Error: the largest |F(u)| over the largest |f|/h^2, of a step the
 * difference to the same step with the other method, krylov. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "elliptic/elliptic.h"
#include "rechenwerk/ode.h"

enum { CELLS, NODES, PERIODIC, CYCLES, SOLVE, STEP, STEP_CG, VARIANTS };
static const char *const names[VARIANTS] = {"Poisson f64 by transforms, cells",
                                            "Poisson f64 by transforms, nodes",
                                            "Poisson f64 by transforms, periodic",
                                            "Poisson f64, eight cycles of multigrid, cells",
                                            "Poisson f64, multigrid to 1e-8 from 0, cells",
                                            "step of RK4 with a streamfunction, nodes",
                                            "step of RK4 with a streamfunction, cg, nodes"};
static const char transform[] = "transform", cg[] = "krylov:precond=diagonal:cycles=160:rtol=1e-8",
                  exact_cg[] = "krylov:precond=diagonal:cycles=400:rtol=1e-13";

typedef struct work {
    int variant, ndim, cycles;
    int64_t n;
    double h;
    rw_elliptic *solver;
    rw_ode *ode;
    rw_array *u, *f; /* of a step: psi, w */
    double rtol;     /* of SOLVE */
    const char *solver_of_step;
    rw_queue *queue;
} work;

static void free_work(void *user)
{
    work *w = user;
    rw_elliptic_destroy(&w->solver);
    rw_ode_destroy(&w->ode);
    rw_array_destroy(&w->u);
    rw_array_destroy(&w->f);
}

static int64_t nodes_of(const work *w) { return w->ndim == 3 ? w->n * w->n * w->n : w->n * w->n; }

static bool has_cells(const work *w) { return w->variant == CELLS || w->variant == CYCLES || w->variant == SOLVE; }

static bool is_step(int variant) { return variant == STEP || variant == STEP_CG; }

static rw_grid grid_of(const work *w)
{
    rw_grid grid = {.ndim = w->ndim, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    for (int d = 0; d < w->ndim; ++d) {
        grid.size[d] = w->n;
        grid.spacing[d] = w->h;
        grid.origin[d] = has_cells(w) ? w->h / 2 : w->variant == PERIODIC ? 0 : w->h;
    }
    return grid;
}

static rw_grid_layout layout_of(const work *w) { return has_cells(w) ? RW_GRID_CELL : RW_GRID_AUTO; }

static rw_expr_field field_of(const work *w, const char *name)
{
    rw_expr_field field = {.name = name, .dtype = RW_F64};
    for (int side = 0; side < 2 * w->ndim; ++side)
        field.boundary[side] = w->variant == PERIODIC ? (rw_boundary){.kind = RW_BOUNDARY_PERIODIC}
                                                      : (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
    return field;
}

static rw_status make_arrays(rw_bench *b, work *w)
{
    const int64_t shape[3] = {w->n, w->n, w->n};
    w->h = 1 / (double)(w->n + (w->variant == NODES || is_step(w->variant)));
    w->queue = b->queue;
    RW_TRY(rw_array_create(b->dev, RW_F64, w->ndim, shape, RW_MEMORY_DEVICE, &w->u));
    RW_TRY(rw_array_create(b->dev, RW_F64, w->ndim, shape, RW_MEMORY_DEVICE, &w->f));
    RW_TRY(rw_random_fill(w->f, 7, -0.5));
    return rw_array_zero(w->u, b->queue);
}

static rw_status make_solver(rw_bench *b, work *w)
{
    RW_TRY(make_arrays(b, w));
    const rw_expr_field u = field_of(w, "u"), f = field_of(w, "f");
    const rw_elliptic_spec spec = {.equations = "laplace(u) = f",
                                   .grid = grid_of(w),
                                   .layout = layout_of(w),
                                   .fields = &u,
                                   .nfields = 1,
                                   .externals = &f,
                                   .nexternals = 1,
                                   .method = w->variant == CYCLES || w->variant == SOLVE ? RW_ELLIPTIC_MULTIGRID
                                                                                         : RW_ELLIPTIC_TRANSFORM,
                                   .rtol = w->rtol,
                                   .cycles = w->cycles};
    RW_TRY(rw_elliptic_create(b->dev, &spec, &w->solver));
    RW_TRY(rw_elliptic_bind(w->solver, "u", w->u));
    return rw_elliptic_bind(w->solver, "f", w->f);
}

static rw_status make_step(rw_bench *b, work *w)
{
    const rw_expr_field fields[] = {field_of(w, "psi"), field_of(w, "w")};
    const char *const solvers[] = {w->solver_of_step, NULL};
    RW_TRY(make_arrays(b, w));
    const rw_ode_spec spec = {.equations = "laplace(psi) = -w\ndw/dt = laplace(w)/100 - dy(psi)*dx(w) + dx(psi)*dy(w)",
                              .grid = grid_of(w),
                              .fields = fields,
                              .nfields = 2,
                              .method = RW_ODE_RK4,
                              .step = 20 * w->h * w->h,
                              .spectral_radius = "0", /* the step is stable */
                              .solvers = solvers};
    RW_TRY(rw_ode_create(b->dev, &spec, &w->ode));
    RW_TRY(rw_ode_bind(w->ode, "psi", w->u));
    return rw_ode_bind(w->ode, "w", w->f);
}

static rw_status make(rw_bench *b, work *w) { return is_step(w->variant) ? make_step(b, w) : make_solver(b, w); }

static rw_status call(void *user, int round RW_UNUSED)
{
    work *w = user;
    rw_elliptic_result result;
    if (w->ode) return rw_ode_step(w->ode, rw_ode_time(w->ode) + 1);
    if (w->variant != SOLVE) return rw_elliptic_enqueue(w->solver);
    RW_TRY(rw_array_zero(w->u, w->queue));
    return rw_elliptic_solve(w->solver, &result);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static double beyond(const work *w, const double *u, int64_t inside) { return has_cells(w) ? -u[inside] : 0; }

/* The second difference along an axis, times h^2. */
static double difference(const work *w, const double *u, int64_t i, int64_t step)
{
    const int64_t k = i / step % w->n, wrap = w->n * step;
    double sum = -2 * u[i];
    sum += k > 0 ? u[i - step] : w->variant == PERIODIC ? u[i - step + wrap] : beyond(w, u, i);
    sum += k < w->n - 1 ? u[i + step] : w->variant == PERIODIC ? u[i + step - wrap] : beyond(w, u, i);
    return sum;
}

static rw_status find_residual(work *w, double *worst)
{
    const void *u, *f;
    double mean = 0;
    RW_TRY(rw_array_read(w->u, &u));
    RW_TRY(rw_array_read(w->f, &f));
    const double *g = f;
    for (int64_t i = 0; i < nodes_of(w) && w->variant == PERIODIC; ++i) mean += g[i] / (double)nodes_of(w);
    for (int64_t i = 0; i < nodes_of(w); ++i) {
        double sum = 0;
        for (int64_t d = 0, step = 1; d < w->ndim; ++d, step *= w->n) sum += difference(w, u, i, step);
        *worst = rw_worse(*worst, fabs(sum - (g[i] - mean) * w->h * w->h));
    }
    return RW_OK;
}

static rw_status compare_steps(rw_bench *b, work *w, double *worst)
{
    work other = {.variant = STEP, .ndim = 2, .n = w->n, .solver_of_step = "krylov:rtol=1e-13"};
    const void *is, *should;
    rw_status status = make_step(b, &other);
    if (status == RW_OK) status = call(&other, 0);
    if (status == RW_OK) status = rw_array_read(w->f, &is);
    if (status == RW_OK) status = rw_array_read(other.f, &should);
    for (int64_t i = 0; i < nodes_of(w) && status == RW_OK; ++i)
        *worst = rw_worse(*worst, fabs(((const double *)is)[i] - ((const double *)should)[i]));
    free_work(&other);
    return status;
}

static rw_status error(rw_bench *b, void *user, double *worst)
{
    work *w = user;
    *worst = 0;
    return w->ode ? compare_steps(b, w, worst) : find_residual(w, worst);
}

/* ---- peers ------------------------------------------------------------------------------------------------------- */

static const double tolerance = 1e-13; /* of transforms and cycles */

/* ERR_CHECK: what the peer has written to u is no solution. */
static rw_status check_peer(rw_bench *b, work *w, const rw_contestant *peer)
{
    double worst = 0;
    RW_TRY(peer->call(peer->user, 0));
    RW_TRY(rw_queue_wait(b->queue));
    RW_TRY(find_residual(w, &worst));
    if (worst <= tolerance) return RW_OK;
    return rw_fail(b->ctx, RW_ERR_CHECK, "%s is wrong: %lld^%d points, error %g, allowed %g", peer->name,
                   (long long)w->n, w->ndim, worst, tolerance);
}

static rw_status open_peers(rw_bench *b, void *user, rw_peers *peers)
{
    work *w = user;
    rw_peer *peer = peers->peer + peers->n;
    const rw_bench_poisson p = {w->ndim, w->n, w->h, w->variant == NODES ? 1 : w->variant == CELLS ? 2 : 0};
    if (w->variant > PERIODIC) return RW_ERR_UNSUPPORTED;
    RW_TRY(rw_bench_poison(w->u));
    RW_TRY(rw_poisson_open(b, &p, w->f, w->u, peer));
    const rw_status status = check_peer(b, w, &peer->contestant);
    if (status == RW_OK) ++peers->n;
    else peer->close(peer->state);
    return status;
}

static rw_status check_peers(rw_bench *b, work *w)
{
    rw_peers peers = {0};
    const rw_status status = open_peers(b, w, &peers);
    for (int i = 0; i < peers.n; ++i) peers.peer[i].close(peers.peer[i].state);
    return status == RW_ERR_UNSUPPORTED ? RW_OK : status;
}

static const rw_bench_task checked = {call, error, NULL, free_work}, timed = {call, NULL, open_peers, free_work};

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    work w = {.variant = variant,
              .ndim = n > 40 || is_step(variant) ? 2 : 3,
              .n = n,
              .cycles = 16,
              .rtol = 1e-12,
              .solver_of_step = variant == STEP ? transform : exact_cg};
    *allowed = is_step(variant) ? 1e-11 : tolerance;
    rw_status status = make(b, &w);
    if (status == RW_OK) status = check_peers(b, &w);
    return rw_bench_verify(b, &checked, &w, status, worst);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Of a step: the kernels of four stages, 104 bytes and 8 for psi each, and four solves, 72 each. */
static double bytes_of(const work *w)
{
    double bytes = 0;
    int launches = 0;
    if (w->variant == SOLVE || w->variant == STEP_CG) return 0; /* it depends on values */
    if (w->variant == STEP) return 104 + 4 * 8 + 4 * 72;
    rw_elliptic_add_cost(w->solver, &bytes, &launches);
    return bytes;
}

static rw_status measure(rw_bench *b, int variant, int ndim, int64_t n)
{
    work w = {.variant = variant,
              .ndim = ndim,
              .n = n,
              .cycles = variant == CYCLES ? 8 : 0,
              .rtol = 1e-8,
              .solver_of_step = variant == STEP ? transform : cg};
    rw_bench_result row = {0};
    rw_status status = make(b, &w);
    for (int i = 0; i < 3 && status == RW_OK; ++i) status = call(&w, i);
    if (status == RW_OK) row.bytes = bytes_of(&w) * (double)nodes_of(&w);
    row.steps = row.bytes > 0 ? 0 : 1;
    snprintf(row.what, sizeof row.what, "%s", names[variant]);
    snprintf(row.size, sizeof row.size, "%lld^%d points", (long long)n, ndim);
    return rw_bench_measure(b, &timed, &w, status, 0, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    static const struct {
        int variant, ndim;
        int64_t n;
    } rows[] = {{CELLS, 2, 1024}, {NODES, 2, 1022},  {PERIODIC, 2, 1024}, {CYCLES, 2, 1024}, {SOLVE, 2, 1024},
                {STEP, 2, 1022},  {STEP_CG, 2, 62},  {CELLS, 3, 256},     {CYCLES, 3, 256},  {SOLVE, 3, 256},
                {CELLS, 2, 4096}, {CYCLES, 2, 4096}, {SOLVE, 2, 4096},    {STEP, 2, 62},     {PERIODIC, 2, 4096},
                {CELLS, 2, 2048}, {CELLS, 3, 128}};
    for (int i = 0; i < (b->options.quick ? 7 : RW_COUNT(rows)); ++i)
        RW_TRY(measure(b, rows[i].variant, rows[i].ndim, b->options.quick ? 127 : rows[i].n));
    return RW_OK;
}

/* The kernel of the peers; those of solvers are generated. */
static const char *source(int variant RW_UNUSED, char definitions[RW_BENCH_DEFINITIONS])
{
    snprintf(definitions, RW_BENCH_DEFINITIONS, "GROUP=256");
    return "poisson.k";
}

static const int64_t sizes[] = {9, 65, -1};
const rw_bench_case rw_bench_elliptic = {run, VARIANTS, check, sizes, 9, source};
