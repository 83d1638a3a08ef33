/* One stage of the Runge-Kutta-Chebyshev method with both right-hand sides in it, through the expression compiler:
 *
 *   y = c0 y0 + c1 y1 + c2 y2 + c3 f(y1) + c4 f(y0),   f(u) = 0.1 laplace u - u_x - u_y + 10 (u - u^3), u = 0 outside
 *
 * (Sommeijer, Shampine, Verwer: RKC, J. Comput. Appl. Math. 88 (1998), eq. 2.2.) Three fields in, one out, one pass. */
#include <float.h>
#include <math.h>

#include "bench/bench.h"

enum { FIELDS = 4 };
static const char *const names[FIELDS] = {"v", "v0", "v1", "v2"};
static const double c[5] = {-0.2, 1.9, -0.7, 1e-9, -4e-10}; /* of a step at the limit of stability of an 8192^2 grid */

static const double low[FIELDS] = {NAN, -0.5, -0.5, -0.5};
static const rw_boundary zero = {.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};

typedef struct stage {
    rw_equation e;
    int nx, ny;
    double h;
    void (*loop)(double *, const double *, const double *, const double *, long, long, double, const double *, int);
} stage;

static rw_status make(rw_bench *b, stage *s, int nx, int ny)
{
    static const char *const scalar[5] = {"c0", "c1", "c2", "c3", "c4"};
    rw_expr_scalar scalars[5];
    s->nx = nx;
    s->ny = ny;
    s->h = 1.0 / (nx + 1);
    for (int k = 0; k < 5; ++k) scalars[k] = (rw_expr_scalar){.name = scalar[k], .value = c[k]};
    const rw_equation_spec spec =
        {.program = {.name = "rkc",
                     .text = "v = c0*v0 + c1*v1 + c2*v2 + c3*(0.1*laplace(v1) - dx(v1) - dy(v1) + 10*(v1 - v1^3))"
                             " + c4*(0.1*laplace(v0) - dx(v0) - dy(v0) + 10*(v0 - v0^3))",
                     .grid = {.ndim = 2, .size = {nx, ny, 1}, .spacing = {s->h, s->h, 1}},
                     .scalars = scalars,
                     .nscalars = 5},
         .n = FIELDS,
         .names = names,
         .low = low,
         .seed = 20,
         .side = &zero};
    return rw_equation_make(b, &spec, &s->e);
}

/* f(u) at (i, j); *scale grows by the sum of the absolute terms times |factor|. */
static long double rhs(const stage *s, const double *u, int i, int j, double factor, long double *scale)
{
    int64_t at = (int64_t)j * s->nx + i;
    long double v = u[at], l = i ? u[at - 1] : 0, r = i < s->nx - 1 ? u[at + 1] : 0, lo = j ? u[at - s->nx] : 0,
                up = j < s->ny - 1 ? u[at + s->nx] : 0, h = s->h;
    *scale += fabs(factor) * ((fabsl(l) + fabsl(r) + fabsl(lo) + fabsl(up)) * (0.1L / (h * h) + 0.5L / h) +
                              0.4L / (h * h) * fabsl(v) + 10 * (fabsl(v) + fabsl(v * v * v)));
    return 0.1L * (l + r + lo + up - 4 * v) / (h * h) - (r - l) / (2 * h) - (up - lo) / (2 * h) + 10 * (v - v * v * v);
}

static double point_error(const stage *s, int i, int j)
{
    int64_t at = (int64_t)j * s->nx + i;
    const double *y0 = s->e.host[1], *y1 = s->e.host[2], *y2 = s->e.host[3];
    long double scale =
        fabsl((long double)c[0] * y0[at]) + fabsl((long double)c[1] * y1[at]) + fabsl((long double)c[2] * y2[at]);
    long double y = (long double)c[0] * y0[at] + (long double)c[1] * y1[at] + (long double)c[2] * y2[at];
    y += c[3] * rhs(s, y1, i, j, c[3], &scale);
    y += c[4] * rhs(s, y0, i, j, c[4], &scale);
    double e = (double)(fabsl(s->e.host[0][at] - y) / scale);
    return isnan(e) ? INFINITY : e;
}

static rw_status error(rw_bench *b, void *work, double *worst)
{
    stage *s = work;
    double w = 0;
    (void)b;
    RW_TRY(rw_equation_read(&s->e));
#pragma omp parallel for reduction(max : w)
    for (int j = 0; j < s->ny; ++j)
        for (int i = 0; i < s->nx; ++i) {
            double e = point_error(s, i, j);
            w = RW_MAX(w, e);
        }
    *worst = w;
    return RW_OK;
}

static const double tolerance = 40 * DBL_EPSILON;

static rw_status loop(void *user, int round RW_UNUSED)
{
    const stage *s = user;
    s->loop(s->e.out, s->e.host[1], s->e.host[2], s->e.host[3], s->nx, s->ny, s->h, c, s->e.threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, void *work, rw_peers *peers)
{
    stage *s = work;
    return rw_host_loop(b, "rkc", &s->loop) ? rw_equation_add_loop(b, &s->e, loop, peers) : RW_OK;
}

static const rw_bench_task task = {rw_equation_run, error, add_loop, rw_equation_free};

static rw_status check(rw_bench *b, int64_t n, int variant RW_UNUSED, double *worst, double *allowed)
{
    stage s = {0};
    *allowed = tolerance;
    return rw_bench_verify(b, &task, &s, make(b, &s, (int)n, (int)n + 3), worst);
}

static rw_status run(rw_bench *b)
{
    const int n = b->options.quick ? 200 : b->dev->info.gpu ? 8192 : 4096;
    stage s = {0};
    rw_bench_result row = {.what = "RKC stage with right-hand sides f64",
                           .tolerance = tolerance,
                           .bytes = 32.0 * n * n};
    snprintf(row.size, sizeof row.size, "%d^2 points", n);
    return rw_bench_measure(b, &task, &s, make(b, &s, n, n), 0.9, NULL, &row);
}

static const int64_t sizes[] = {1, 2, 3, 4, 17, 63, 64, 65, 130, 257, -1};
const rw_bench_case rw_bench_rkc = {run, 1, check, sizes, 17, NULL};
