/* Stages of ROCK's recurrence with their right-hand sides, through the expression compiler, one a pass and eight a pass
 * (a wave front on GPUs: src/expr/wave.c):
 *
 *   w = u + k (u - v) + c F(u),   s = w + k (w - u) + c F(w),   w = s + k (s - w) + c F(s),  …
 *
 *   front          F(u) = 0.1 laplace u - u_x - u_y + 10 (u - u^3), u = 0 outside
 *   brusselator    two components, periodic
 *   heat           F(u) = laplace u, u = 0 outside, in three dimensions and in one
 *
 * Bytes are those of stages one by one, 24 a point and component, so that eight stages in a pass may have more than 100
 * % of the limit. Results are compared with plain loops. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"

enum { MOST = 8, LONGEST = 8 };

static const struct equation {
    const char *name;
    int ndim, ncomponents;
    const char *rate[2]; /* of u (and p); %s: the field, %s_p: its partner */
    rw_boundary_kind kind;
} equations[] = {
    {"front", 2, 1, {"0.1*laplace(U) - dx(U) - dy(U) + 10*(U - U^3)", NULL}, RW_BOUNDARY_DIRICHLET},
    {"Brusselator",
     2,
     2,
     {"1 + U^2*P - 4.4*U + 0.1*laplace(U)", "3.4*U - U^2*P + 0.1*laplace(P)"},
     RW_BOUNDARY_PERIODIC},
    {"heat 3-D", 3, 1, {"laplace(U)", NULL}, RW_BOUNDARY_DIRICHLET},
    {"heat 1-D", 1, 1, {"laplace(U)", NULL}, RW_BOUNDARY_DIRICHLET},
};

typedef struct work {
    rw_equation e;
    const struct equation *equation;
    int64_t n[3];
    int stages;
    double h, c, k;
} work;

/* u v w s, then those of the partner; u and v are given */
static const char *const names[MOST] = {"u", "v", "w", "s", "up", "vp", "wp", "sp"};
static const double low[MOST] = {-0.5, -0.5, NAN, NAN, -0.5, -0.5, NAN, NAN};

/* The rate with its letters replaced by the names of fields. */
static void add_rate(rw_text *t, const char *rate, const char *u, const char *p)
{
    for (; *rate; ++rate) {
        if (*rate == 'U') rw_text_add(t, "%s", u);
        else if (*rate == 'P') rw_text_add(t, "%s", p);
        else rw_text_add(t, "%c", *rate);
    }
}

/* Fields of stage i: where it comes from, the one before that, where it goes. */
static void roles(int i, int *from, int *older, int *into)
{
    *into = 2 + i % 2;
    *from = i == 0 ? 0 : 3 - i % 2;
    *older = i == 0 ? 1 : i == 1 ? 0 : *into;
}

static rw_status make(rw_bench *b, work *w)
{
    const struct equation *q = w->equation;
    const rw_boundary side = {.kind = q->kind, .a = "0"};
    const rw_expr_scalar scalars[] = {{.name = "c", .value = w->c}, {.name = "k", .value = w->k}};
    rw_text text = {0};
    for (int i = 0; i < w->stages; ++i) {
        int from, older, into;
        roles(i, &from, &older, &into);
        for (int q0 = 0; q0 < q->ncomponents; ++q0) {
            const char *u = names[4 * q0 + from];
            rw_text_add(&text, "%s = %s + k*(%s - %s) + c*(", names[4 * q0 + into], u, u, names[4 * q0 + older]);
            add_rate(&text, q->rate[q0], names[from], names[q->ncomponents > 1 ? 4 + from : from]);
            rw_text_add(&text, ")\n");
        }
    }
    const rw_equation_spec spec = {.program = {.name = "rock",
                                               .text = text.data,
                                               .grid = {.ndim = q->ndim,
                                                        .size = {w->n[0], w->n[1], w->n[2]},
                                                        .spacing = {w->h, q->ndim > 1 ? w->h : 1,
                                                                    q->ndim > 2 ? w->h : 1}},
                                               .scalars = scalars,
                                               .nscalars = 2,
                                               .reassociate = true},
                                   .n = 4 * q->ncomponents,
                                   .names = names,
                                   .low = low,
                                   .seed = 40,
                                   .side = &side};
    const rw_status status =
        text.failed ? rw_fail_memory(b->ctx, 4096, "a benchmark") : rw_equation_make(b, &spec, &w->e);
    rw_text_free(&text);
    return status;
}

static double at(const work *w, const double *u, int64_t i, int64_t j, int64_t k)
{
    int64_t p[3] = {i, j, k};
    for (int d = 0; d < w->equation->ndim; ++d) {
        if (p[d] >= 0 && p[d] < w->n[d]) continue;
        if (w->equation->kind != RW_BOUNDARY_PERIODIC) return 0;
        p[d] = (p[d] + w->n[d]) % w->n[d];
    }
    return u[(p[2] * w->n[1] + p[1]) * w->n[0] + p[0]];
}

static double rate(const work *w, const double *u, const double *partner, int component, int64_t i, int64_t j,
                   int64_t k)
{
    double v = at(w, u, i, j, k), h = w->h, l = at(w, u, i - 1, j, k), r = at(w, u, i + 1, j, k);
    if (w->equation->ndim == 1) return (l + r - 2 * v) / (h * h);
    double lo = at(w, u, i, j - 1, k), up = at(w, u, i, j + 1, k);
    if (w->equation->ndim == 3)
        return (l + r + lo + up + at(w, u, i, j, k - 1) + at(w, u, i, j, k + 1) - 6 * v) / (h * h);
    double laplace = (l + r + lo + up - 4 * v) / (h * h);
    if (w->equation->ncomponents == 1)
        return 0.1 * laplace - (r - l) / (2 * h) - (up - lo) / (2 * h) + 10 * (v - v * v * v);
    double p = at(w, partner, i, j, k);
    return component ? 3.4 * p - p * p * v + 0.1 * laplace : 1 + v * v * p - 4.4 * v + 0.1 * laplace;
}

/* All stages by plain loops; the largest difference of the last two. */
static rw_status error(rw_bench *b, void *user, double *worst)
{
    const work *w = user;
    const struct equation *q = w->equation;
    int64_t cells = w->n[0] * w->n[1] * w->n[2];
    double *own[MOST] = {0}, most = 0;
    rw_status status = RW_OK;
    for (int f = 0; f < 4 * q->ncomponents && status == RW_OK; ++f) {
        const void *data;
        if (!(own[f] = rw_calloc((size_t)RW_MAX(cells, 1), sizeof *own[f])))
            status = rw_fail_memory(b->ctx, (size_t)cells * 8, "a benchmark");
        if (status == RW_OK && f % 4 < 2) status = rw_array_read(w->e.field[f], &data);
        if (status == RW_OK && f % 4 < 2) memcpy(own[f], data, (size_t)cells * sizeof(double));
    }
    for (int s = 0; s < w->stages && status == RW_OK; ++s) {
        int from, older, into;
        roles(s, &from, &older, &into);
#pragma omp parallel for
        for (int64_t row = 0; row < w->n[1] * w->n[2]; ++row)
            for (int c = 0; c < q->ncomponents; ++c) {
                const double *u = own[4 * c + from], *p = own[q->ncomponents > 1 ? 4 * (1 - c) + from : from];
                for (int64_t i = 0; i < w->n[0]; ++i) {
                    int64_t n = row * w->n[0] + i;
                    own[4 * c + into][n] = u[n] + w->k * (u[n] - own[4 * c + older][n]) +
                                           w->c * rate(w, u, p, c, i, row % w->n[1], row / w->n[1]);
                }
            }
    }
    for (int f = 0; f < 4 * q->ncomponents && status == RW_OK; ++f) {
        const void *data;
        if (f % 4 < 2 || (f % 4 == 3 && w->stages < 2)) continue;
        status = rw_array_read(w->e.field[f], &data);
        for (int64_t n = 0; n < cells && status == RW_OK; ++n) {
            double e = fabs(((const double *)data)[n] - own[f][n]);
            most = rw_worse(most, e);
        }
    }
    for (int f = 0; f < MOST; ++f) rw_free(own[f]);
    *worst = most;
    return status;
}

static const double tolerance = 1e-13;
static const rw_bench_task task = {rw_equation_run, error, NULL, rw_equation_free};

static void describe(work *w, int equation, int64_t n, int64_t ny, int stages)
{
    *w = (work){.equation = equations + equation,
                .n = {n, equations[equation].ndim > 1 ? ny : 1, equations[equation].ndim > 2 ? ny : 1},
                .stages = stages,
                .k = -0.45};
    w->h = 1.0 / (double)(n + 1);
    w->c = 0.1 * w->h * w->h; /* stable, whatever the grid */
}

/* variant: equation and number of stages */
static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    work w;
    describe(&w, variant % RW_COUNT(equations), n, n + 3, variant < RW_COUNT(equations) ? 1 : LONGEST);
    *allowed = tolerance;
    return rw_bench_verify(b, &task, &w, make(b, &w), worst);
}

static rw_status measure(rw_bench *b, int equation, int64_t n, int stages, double target)
{
    work w;
    describe(&w, equation, n, n, stages);
    const struct equation *q = w.equation;
    double points = (double)w.n[0] * (double)w.n[1] * (double)w.n[2];
    rw_bench_result row = {.tolerance = tolerance, .bytes = 24.0 * points * q->ncomponents * stages};
    const rw_status status = make(b, &w);
    if (status == RW_OK) {
        rw_expr_plan plan;
        rw_expr_get_plan(w.e.expr, &plan);
        snprintf(row.what, sizeof row.what, "ROCK4 %s f64, %d stage%s in %lld pass%s", q->name, stages,
                 stages > 1 ? "s" : "", (long long)plan.passes, plan.passes > 1 ? "es" : "");
    }
    if (q->ndim > 1) snprintf(row.size, sizeof row.size, "%d^%d points", (int)n, q->ndim);
    else snprintf(row.size, sizeof row.size, "%d points", (int)n);
    return rw_bench_measure(b, &task, &w, status, target, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    bool quick = b->options.quick, gpu = b->dev->info.gpu;
    int64_t flat = quick ? 200 : gpu ? 8192 : 4096, deep = quick ? 40 : gpu ? 512 : 256;
    RW_TRY(measure(b, 0, flat, 1, gpu ? 0.95 : 0.9));
    RW_TRY(measure(b, 0, flat, LONGEST, gpu ? 2 : 0.9));
    RW_TRY(measure(b, 1, gpu && !quick ? flat : flat / 2, 1, gpu ? 0.85 : 0.9));
    RW_TRY(measure(b, 1, gpu && !quick ? flat : flat / 2, LONGEST, gpu ? 0.85 : 0.9));
    RW_TRY(measure(b, 2, deep, 1, gpu ? 0.85 : 0.9));
    RW_TRY(measure(b, 2, deep, LONGEST, gpu ? 0.85 : 0.9));
    return measure(b, 3, flat * flat, LONGEST, gpu ? 1.5 : 0.9);
}

static const int64_t sizes[] = {1, 3, 65, 130, -1};
const rw_bench_case rw_bench_rock = {run, 2 * RW_COUNT(equations), check, sizes, 3, NULL};
