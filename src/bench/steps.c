/* Whole steps of rw_ode, host included, against a copy of the bytes that rw_ode_explain reports:
 *
 *   A' = A + (1 + i b) laplace A - (1 + i c) |A|^2 A      complex Ginzburg-Landau, periodic, c128, RK4
 *   u' = laplace u, layout cell, ROCK4                    each side of one kind, or in three parts: a u + b du/dn = d
 *                                                         with where(…) in a, b and d
 *
 * The peer "one kind" of the row of three parts is the row before it: only the nodes beyond the sides differ. Small
 * grids are compared with plain loops. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/ode.h"

enum { COMPLEX, ONE_KIND, PARTS, VARIANTS };
enum { CHAINS = 33 }; /* steps after which all programs of rock4 are there */
#define B 1.0
#define C 0.5

static const char *const names[VARIANTS] = {"A", "u", "u"};
static const char *const rates[VARIANTS] = {"dA/dt = A + (1 + 1i*b)*laplace(A) - (1 + 1i*c)*abs(A)^2*A",
                                            "du/dt = laplace(u)", "du/dt = laplace(u)"};

typedef struct work {
    int variant;
    int64_t n, ny;
    double h, step; /* of time */
    rw_ode *ode;
    rw_array *state;
    void *before; /* the state before a step that is compared */
    rw_queue *queue;
    struct work *other; /* the peer */
} work;

static void free_work(void *user)
{
    work *w = user;
    rw_ode_destroy(&w->ode);
    rw_array_destroy(&w->state);
    rw_free(w->before);
    if (w->other) free_work(w->other);
    rw_free(w->other);
    w->before = NULL;
    w->other = NULL;
}

static double radius(const work *w) { return 8 / (w->h * w->h) * (w->variant == COMPLEX ? hypot(1, B) : 1); }

/* The parts of a side in its coordinate s: no flux, u + 2 du/dn = 1, the value 1. */
static rw_boundary parts_along(char s)
{
    return s == 'x' ? (rw_boundary){RW_BOUNDARY_ROBIN, "where(x < 0.3, 0, 1)",
                                    "where(x < 0.3, 1, where(x < 0.7, 2, 0))", "where(x < 0.3, 0, 1)"}
                    : (rw_boundary){RW_BOUNDARY_ROBIN, "where(y < 0.3, 0, 1)",
                                    "where(y < 0.3, 1, where(y < 0.7, 2, 0))", "where(y < 0.3, 0, 1)"};
}

/* Smooth, and different at each side. */
static double initial(double x, double y) { return 0.5 + 0.3 * sin(2 * x + 1) * cos(3 * y); }

static rw_status fill(work *w)
{
    void *data;
    RW_TRY(rw_array_write(w->state, &data));
    double *u = data;
    for (int64_t j = 0; j < w->ny; ++j)
        for (int64_t i = 0; i < w->n; ++i) {
            const double x = (double)i / (double)w->n, y = (double)j / (double)w->ny;
            if (w->variant == COMPLEX) {
                *u++ = cos(6 * x) * initial(x, y);
                *u++ = sin(7 * y) * initial(y, x);
            } else *u++ = initial(x, y);
        }
    return RW_OK;
}

/* step: times the spectral radius. */
static rw_status make(rw_bench *b, work *w, double step)
{
    const bool waves = w->variant == COMPLEX;
    const rw_expr_scalar scalars[] = {{.name = "b", .value = B}, {.name = "c", .value = C}};
    rw_expr_field field = {.name = names[w->variant], .dtype = waves ? RW_C128 : RW_F64};
    char text[32];
    for (int side = 0; side < 4; ++side)
        field.boundary[side] = waves                 ? (rw_boundary){.kind = RW_BOUNDARY_PERIODIC}
                               : w->variant == PARTS ? parts_along(side < 2 ? 'y' : 'x')
                                                     : (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "1"};
    w->queue = b->queue;
    w->h = waves ? 0.5 : 1 / (double)w->n;
    w->step = step / radius(w);
    snprintf(text, sizeof text, "%.17g", radius(w));
    const double first = waves ? 0 : w->h / 2;
    const rw_ode_spec spec =
        {.equations = rates[w->variant],
         .grid = {.ndim = 2, .size = {w->n, w->ny, 1}, .spacing = {w->h, w->h, 1}, .origin = {first, first, 0}},
         .fields = &field,
         .nfields = 1,
         .scalars = scalars,
         .nscalars = waves ? 2 : 0,
         .method = waves ? RW_ODE_RK4 : RW_ODE_ROCK4,
         .step = waves ? w->step : 0,
         .initial_step = waves ? 0 : w->step,
         .max_step = waves ? 0 : w->step,
         .rtol = waves ? 0 : 0.1,
         .atol = waves ? 0 : 10, /* every step is max_step */
         .spectral_radius = text,
         .layout = waves ? RW_GRID_AUTO : RW_GRID_CELL};
    RW_TRY(rw_array_create(b->dev, field.dtype, 2, (int64_t[]){w->ny, w->n}, RW_MEMORY_DEVICE, &w->state));
    RW_TRY(fill(w));
    RW_TRY(rw_ode_create(b->dev, &spec, &w->ode));
    return rw_ode_bind(w->ode, field.name, w->state);
}

static rw_status take_step(void *user, int round RW_UNUSED)
{
    work *w = user;
    return rw_ode_step(w->ode, rw_ode_time(w->ode) + 100 * w->step);
}

/* ---- the same step by plain loops -------------------------------------------------------------------------------- */

/* Value beyond a side, at the distance h/2; s: coordinate along the side. */
static double ghost(const work *w, double u, double s)
{
    const bool flux = s < 0.3, mixed = !flux && s < 0.7;
    const double a = w->variant == PARTS && flux ? 0 : 1,
                 b = w->variant != PARTS ? 0
                     : flux              ? 1
                     : mixed             ? 2
                                         : 0,
                 d = w->variant == PARTS && flux ? 0 : 1;
    return u - (a * u - d) * w->h / (a * w->h / 2 + b);
}

static double complex at(const work *w, const double complex *u, int64_t i, int64_t j)
{
    const int64_t n = w->n, ny = w->ny;
    if (w->variant == COMPLEX) return u[(j + ny) % ny * n + (i + n) % n];
    if (i < 0 || i >= n) return ghost(w, creal(u[j * n + (i < 0 ? 0 : n - 1)]), ((double)j + 0.5) * w->h);
    if (j < 0 || j >= ny) return ghost(w, creal(u[(j < 0 ? 0 : ny - 1) * n + i]), ((double)i + 0.5) * w->h);
    return u[j * n + i];
}

static double complex rate(const work *w, const double complex *u, int64_t i, int64_t j)
{
    const double complex v = u[j * w->n + i], laplace = (at(w, u, i - 1, j) + at(w, u, i + 1, j) + at(w, u, i, j - 1) +
                                                         at(w, u, i, j + 1) - 4 * v) /
                                                        (w->h * w->h);
    const double size = cabs(v);
    return w->variant == COMPLEX
    ? v + (1 + B * I) * laplace - (1 + C * I) * size *size *v : laplace;
}

/* y <- classical Runge-Kutta method; 4 n numbers of room. */
static void host_step(const work *w, double complex *y, double complex *room)
{
    static const double ahead[4] = {0.5, 0.5, 1, 0}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const int64_t cells = w->n * w->ny;
    double complex *from = room, *k = room + cells, *sum = room + 2 * cells;
    memcpy(from, y, (size_t)cells * sizeof *y);
    memcpy(sum, y, (size_t)cells * sizeof *y);
    for (int stage = 0; stage < 4; ++stage) {
        for (int64_t c = 0; c < cells; ++c) k[c] = rate(w, from, c % w->n, c / w->n);
        for (int64_t c = 0; c < cells; ++c) {
            sum[c] += weight[stage] * w->step * k[c];
            from[c] = y[c] + ahead[stage] * w->step * k[c];
        }
    }
    memcpy(y, sum, (size_t)cells * sizeof *y);
}

static rw_status error(rw_bench *b, void *user, double *worst)
{
    const work *w = user;
    const size_t cells = (size_t)(w->n * w->ny);
    const void *data;
    double complex *y = rw_calloc(4 * cells, sizeof *y);
    if (!y) return rw_fail_memory(b->ctx, 4 * cells * sizeof *y, "a benchmark");
    const double *start = w->before;
    for (size_t c = 0; c < cells; ++c) y[c] = w->variant == COMPLEX
    ? start[2 * c] + start[2 * c + 1] * I : start[c];
    host_step(w, y, y + cells);
    const rw_status status = rw_array_read(w->state, &data);
    const double *is = data;
    *worst = 0;
    for (size_t c = 0; c < cells && status == RW_OK; ++c) {
        const double complex z = w->variant == COMPLEX
        ? is[2 * c] + is[2 * c + 1] * I : is[c];
        *worst = rw_worse(*worst, cabs(z - y[c]));
    }
    rw_free(y);
    return status;
}

static rw_status make_small(rw_bench *b, work *w, double step)
{
    const void *data;
    RW_TRY(make(b, w, step));
    const size_t bytes = (size_t)(w->n * w->ny) * (w->variant == COMPLEX ? 16 : 8);
    if (!(w->before = rw_calloc(bytes, 1))) return rw_fail_memory(b->ctx, bytes, "a benchmark");
    RW_TRY(rw_array_read(w->state, &data));
    memcpy(w->before, data, bytes);
    return RW_OK;
}

static const rw_bench_task compared = {take_step, error, NULL, free_work};

/* RK4 is RK4; of ROCK4 and RK4 the error of a step of size q/radius is below q^5. */
static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    work w = {.variant = variant, .n = n, .ny = n + 3};
    const double step = variant == COMPLEX
    ? 1 : 0.02;
    *allowed = variant == COMPLEX
    ? 1e-13 : pow(step, 5);
    return rw_bench_verify(b, &compared, &w, make_small(b, &w, step), worst);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Bytes per node of a step of s stages, from "rock_stage: 1 pass, 24 bytes and 12 flops per cell": each kernel once,
 * rock_stage s - 6 times. */
static rw_status bytes_of(rw_bench *b, const work *w, int stages, double *bytes)
{
    char *text;
    RW_TRY(rw_ode_explain(w->ode, &text));
    *bytes = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *colon = strstr(line, ": 1 pass, "), *end = strchr(line, '\n');
        if (!colon || (end && colon > end)) continue;
        const double of_kernel = strtod(colon + strlen(": 1 pass, "), NULL);
        *bytes += of_kernel * (strncmp(line, "rock_stage", 10) == 0 ? stages - 6 : 1);
    }
    free(text);
    return *bytes > 0 ? RW_OK : rw_fail(b->ctx, RW_ERR_INTERNAL, "explain has no bytes");
}

static rw_status add_one_kind(rw_bench *b RW_UNUSED, void *user, rw_peers *peers)
{
    work *w = user;
    if (w->other) rw_peers_add(peers, "one kind", take_step, w->other);
    return RW_OK;
}

static const rw_bench_task timed = {take_step, NULL, add_one_kind, free_work};

/* A step of rock4 with 25 stages, and all its programs compiled. */
static rw_status make_large(rw_bench *b, work *w)
{
    RW_TRY(make(b, w, w->variant == COMPLEX ? 1 : 200));
    for (int i = 0; i < (w->variant == COMPLEX ? 2 : CHAINS); ++i) RW_TRY(take_step(w, 0));
    return RW_OK;
}

static rw_status make_both(rw_bench *b, work *w)
{
    RW_TRY(make_large(b, w));
    if (w->variant != PARTS || b->options.no_peers) return RW_OK;
    if (!(w->other = rw_calloc(1, sizeof *w->other))) return rw_fail_memory(b->ctx, sizeof *w, "a benchmark");
    *w->other = (work){.variant = ONE_KIND, .n = w->n, .ny = w->ny};
    return make_large(b, w->other);
}

static rw_status measure(rw_bench *b, int variant, int64_t n, double target, const char *of)
{
    static const char *const sides[VARIANTS] = {NULL, "one kind", "parts"};
    work w = {.variant = variant, .n = n, .ny = n};
    rw_bench_result row = {0};
    double bytes;
    rw_ode_statistics s = {0};
    rw_status status = make_both(b, &w);
    if (status == RW_OK) status = rw_ode_get_statistics(w.ode, &s);
    if (status == RW_OK) status = bytes_of(b, &w, s.stages, &bytes);
    if (status == RW_OK) row.bytes = bytes * (double)n * (double)n;
    if (variant == COMPLEX) snprintf(row.what, sizeof row.what, "Ginzburg-Landau c128, step of RK4");
    else snprintf(row.what, sizeof row.what, "heat f64, ROCK4 of %d stages, sides: %s", s.stages, sides[variant]);
    snprintf(row.size, sizeof row.size, "%lld^2 points", (long long)n);
    return rw_bench_measure(b, &timed, &w, status, target, of, &row);
}

static rw_status run(rw_bench *b)
{
    const bool quick = b->options.quick;
    RW_TRY(measure(b, COMPLEX, quick ? 512 : 4096, 0.88, NULL));
    RW_TRY(measure(b, ONE_KIND, quick ? 1024 : 8192, 0, NULL));
    return measure(b, PARTS, quick ? 1024 : 8192, 0.95, "one kind");
}

static const int64_t sizes[] = {4, 9, 65, -1};
const rw_bench_case rw_bench_steps = {run, VARIANTS, check, sizes, 9, NULL};
