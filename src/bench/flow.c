/* Plane flow in vorticity and streamfunction, as the problem flow writes it, through the functions of rw_ode, f64:
 *
 *   walls      cavity with a moving lid, Thom's formula, RK4: four evaluations of the rate, each with its solve
 *   periodic   the same without walls
 *   multigrid  walls, four cycles of multigrid a solve, from the solution before
 *   heat       walls, temperature and buoyancy, imex1: the step of Baumann and Buran with its three solves
 *
 * A row's time is that of `steps` evaluations of the rate, or steps of imex1. Nodes lie on the sides; bytes are the
 * least: 40 an evaluation and 48 a solve by transforms, 184 a step of imex1 with three. Error: the difference of psi to
 * the same steps that are solved by krylov to rounding. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/ode.h"

enum { WALLS, PERIODIC, CYCLES, HEAT, VARIANTS, FIELDS = 3 };
static const char *const names[VARIANTS] = {"flow with walls, RK4, transforms", "periodic flow, RK4, transforms",
                                            "flow with walls, RK4, four cycles of multigrid",
                                            "flow with heat, imex1, three transforms"};

#define FACES(q)                                                                                                       \
    q "_e = u*(" q " + " q "[i+1, j])/2\n" q "_n = v*(" q " + " q "[i, j+1])/2\n"                                      \
      "d" q "/dt = implicit(nu*laplace(" q ")) - (" q "_e - " q "_e[i-1, j] + " q "_n - " q "_n[i, j-1])/(hx*hy)"
static const char flow[] = "laplace(psi) = -w\n"
                           "u = (psi[i, j+1] + psi[i+1, j+1] - psi[i, j-1] - psi[i+1, j-1])/4\n"
                           "v = (psi[i-1, j] + psi[i-1, j+1] - psi[i+1, j] - psi[i+1, j+1])/4\n" FACES("w"),
                  buoyancy[] = " + dx(T)\n" FACES("T"), thom[] = "-2*(inner(psi, 1) - psi)/hn^2",
                  lid[] = "-2*(inner(psi, 1) - psi)/hn^2 - 2/hn";

typedef struct work {
    int variant, together; /* evaluations a call */
    int64_t n;
    const char *solver;
    rw_ode *ode;
    rw_array *field[FIELDS]; /* w, psi, T */
} work;

static void free_work(void *user)
{
    work *w = user;
    rw_ode_destroy(&w->ode);
    for (int f = 0; f < FIELDS; ++f) rw_array_destroy(&w->field[f]);
}

static int fields_of(const work *w) { return w->variant == HEAT ? 3 : 2; }

static void give_sides(const work *w, int f, rw_boundary sides[6])
{
    static const char *const hot[] = {"1", "0", "0", "0"};
    for (int s = 0; s < 4; ++s)
        if (w->variant == PERIODIC) sides[s] = (rw_boundary){.kind = RW_BOUNDARY_PERIODIC};
        else if (f == 2 && s >= 2) sides[s] = (rw_boundary){.kind = RW_BOUNDARY_NEUMANN, .a = "0"};
        else
            sides[s] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET,
                                     .a = f == 0   ? s == 3 ? lid : thom
                                          : f == 1 ? "0"
                                                   : hot[s]};
}

/* Random, with the mean 0, as a periodic flow must have. */
static rw_status fill(rw_array *a, uint64_t seed)
{
    void *data;
    double mean = 0;
    RW_TRY(rw_random_fill(a, seed, -0.5));
    RW_TRY(rw_array_write(a, &data));
    double *value = data;
    for (int64_t i = 0; i < a->size; ++i) mean += value[i] / (double)a->size;
    for (int64_t i = 0; i < a->size; ++i) value[i] -= mean;
    return RW_OK;
}

/* The viscosity of Re = 1000, a step that is stable. */
static rw_status make(rw_bench *b, work *w)
{
    static const char *const field[] = {"w", "psi", "T"};
    const char *const solvers[FIELDS] = {w->solver, w->solver, w->solver};
    const int64_t shape[2] = {w->n, w->n};
    const double h = 1 / (double)(w->n - (w->variant != PERIODIC));
    const rw_expr_scalar nu = {.name = "nu", .value = 1e-3};
    rw_expr_field fields[FIELDS] = {{0}};
    char text[1024];
    for (int f = 0; f < fields_of(w); ++f) {
        fields[f] = (rw_expr_field){.name = field[f], .dtype = RW_F64};
        give_sides(w, f, fields[f].boundary);
        RW_TRY(rw_array_create(b->dev, RW_F64, 2, shape, RW_MEMORY_DEVICE, &w->field[f]));
    }
    snprintf(text, sizeof text, "%s%s\n", flow, w->variant == HEAT ? buoyancy : "");
    const rw_ode_spec spec = {.equations = text,
                              .grid = {.ndim = 2, .size = {w->n, w->n, 1}, .spacing = {h, h, 1}},
                              .layout = RW_GRID_NODE,
                              .fields = fields,
                              .nfields = fields_of(w),
                              .scalars = &nu,
                              .nscalars = 1,
                              .method = w->variant == HEAT ? RW_ODE_IMEX1 : RW_ODE_RK4,
                              .step = fmin(0.2 * h, 0.2 * h * h / nu.value),
                              .spectral_radius = "0", /* the step is stable */
                              .solvers = solvers};
    RW_TRY(rw_ode_create(b->dev, &spec, &w->ode));
    for (int f = 0; f < fields_of(w); ++f) {
        RW_TRY(fill(w->field[f], 11 + (uint64_t)f));
        RW_TRY(rw_ode_bind(w->ode, field[f], w->field[f]));
    }
    return RW_OK;
}

static int evaluations(const work *w) { return w->variant == HEAT ? 1 : 4; }

static rw_status call(void *user, int round RW_UNUSED)
{
    work *w = user;
    for (int i = 0; i < w->together; i += evaluations(w)) RW_TRY(rw_ode_step(w->ode, rw_ode_time(w->ode) + 1));
    return RW_OK;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static rw_status error(rw_bench *b, void *user, double *worst)
{
    work *w = user, other = *w;
    const void *is, *should;
    *worst = 0;
    other.solver = "krylov:rtol=1e-13";
    other.ode = NULL;
    memset(other.field, 0, sizeof other.field);
    rw_status status = make(b, &other);
    if (status == RW_OK) status = call(&other, 0);
    if (status == RW_OK) status = rw_array_read(w->field[1], &is);
    if (status == RW_OK) status = rw_array_read(other.field[1], &should);
    double size = 0;
    for (int64_t i = 0; i < w->n * w->n && status == RW_OK; ++i) {
        const double a = ((const double *)is)[i], e = ((const double *)should)[i];
        *worst = rw_worse(*worst, fabs(a - e));
        size = fmax(size, fabs(e));
    }
    if (status == RW_OK) *worst /= size;
    free_work(&other);
    return status;
}

static const rw_bench_task checked = {call, error, NULL, free_work}, timed = {call, NULL, NULL, free_work};
static const char *solver_of(int variant, bool exact)
{
    return variant != CYCLES ? "transform" : exact ? "multigrid:cycles=16" : "multigrid:cycles=4";
}

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    work w = {.variant = variant, .n = n, .together = 8, .solver = solver_of(variant, true)};
    *allowed = 1e-9;
    const rw_status status = make(b, &w);
    return rw_bench_verify(b, &checked, &w, status, worst);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static rw_status measure(rw_bench *b, int variant, int64_t n)
{
    work w = {.variant = variant, .n = n, .together = n < 200 ? 400 : 8, .solver = solver_of(variant, false)};
    rw_bench_result row = {.steps = w.together};
    if (b->options.quick) w.together = 8;
    row.steps = w.together;
    rw_status status = make(b, &w);
    for (int i = 0; i < 3 && status == RW_OK; ++i) status = call(&w, i);
    if (variant != CYCLES) row.bytes = (variant == HEAT ? 184 : 88) * (double)(n * n) * w.together;
    snprintf(row.what, sizeof row.what, "%s", names[variant]);
    snprintf(row.size, sizeof row.size, "%lld^2 nodes, %d %s", (long long)n, w.together,
             variant == HEAT ? "steps" : "evaluations");
    return rw_bench_measure(b, &timed, &w, status, 0, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    static const struct {
        int variant;
        int64_t n;
    } rows[] = {{WALLS, 65},   {WALLS, 1025}, {PERIODIC, 1024}, {CYCLES, 1025}, {HEAT, 1024},
                {WALLS, 1024}, {WALLS, 4097}, {PERIODIC, 4096}, {CYCLES, 4097}, {HEAT, 4097}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        if (b->options.quick && i > 4) break;
        if (!rw_device_info(b->dev)->gpu && rows[i].n > 2000) break; /* seconds an evaluation */
        RW_TRY(measure(b, rows[i].variant, b->options.quick ? 65 - (rows[i].variant == PERIODIC) : rows[i].n));
    }
    return RW_OK;
}

static const int64_t sizes[] = {9, 33, 129, -1};
const rw_bench_case rw_bench_flow = {run, VARIANTS, check, sizes, 9, NULL};
