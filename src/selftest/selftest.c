/* The cases of `rechenwerk selftest`: memory, reductions of every type, all functions of the expression language, grid
 * operators with every boundary, fused reductions, both integrators; transforms, images, matrices, solvers and signals
 * are in methods.c. Expected values come from the plain evaluator or are known exactly. Small sizes: the whole list is
 * a matter of seconds. */
#include <math.h>
#include <string.h>

#include "expr/boundary.h"
#include "expr/program.h"
#include "rechenwerk/array.h"
#include "rechenwerk/ode.h"
#include "selftest/parts.h"

enum { MAX_ROWS = 160, NX = 67, NY = 21 };

rw_selftest_result *rw_selftest_begin(rw_selftest_run *r, const char *name)
{
    rw_selftest_result *row = r->rows + RW_MIN(r->n, MAX_ROWS - 1);
    r->n = RW_MIN(r->n + 1, MAX_ROWS);
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, "%s", name);
    r->start = rw_seconds();
    return row;
}

void rw_selftest_end(rw_selftest_run *r, rw_selftest_result *row, rw_status status, double error, double tolerance)
{
    row->seconds = rw_seconds() - r->start;
    row->error = error;
    row->tolerance = tolerance;
    row->passed = status == RW_OK && error <= tolerance;
    if (status != RW_OK) snprintf(row->note, sizeof row->note, "%s", rw_message(r->ctx));
}

void rw_selftest_worsen(double *error, double difference)
{
    if (!(difference <= *error)) *error = isnan(difference) ? INFINITY : difference;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static rw_status copies(rw_selftest_run *r, rw_memory memory, double *error)
{
    int64_t n = 1000;
    rw_array *a = NULL, *b = NULL;
    rw_queue *q = rw_device_queue(r->dev);
    void *w;
    const void *data = NULL;
    rw_status status = rw_array_create(r->dev, RW_F64, 1, &n, memory, &a);
    if (status == RW_OK) status = rw_array_create(r->dev, RW_F64, 1, &n, memory, &b);
    if (status == RW_OK) status = rw_array_write(a, &w);
    for (int64_t i = 0; status == RW_OK && i < n; ++i) ((double *)w)[i] = rw_random_uniform(1, (uint64_t)i);
    if (status == RW_OK) status = rw_array_copy(b, a, q);
    if (status == RW_OK) status = rw_array_zero(a, q);
    if (status == RW_OK) status = rw_array_swap(a, b);
    if (status == RW_OK) status = rw_array_read(a, &data);
    for (int64_t i = 0; status == RW_OK && i < n; ++i)
        rw_selftest_worsen(error, fabs(((const double *)data)[i] - rw_random_uniform(1, (uint64_t)i)));
    if (status == RW_OK) status = rw_array_read(b, &data);
    for (int64_t i = 0; status == RW_OK && i < n; ++i) rw_selftest_worsen(error, fabs(((const double *)data)[i]));
    rw_array_destroy(&a);
    rw_array_destroy(&b);
    return status;
}

static void test_memory(rw_selftest_run *r)
{
    static const char *const names[] = {"memory device", "memory pinned", "memory managed"};
    for (int m = RW_MEMORY_DEVICE; m <= RW_MEMORY_MANAGED; ++m) {
        if (m == RW_MEMORY_MANAGED && !rw_device_info(r->dev)->managed) continue;
        double error = 0;
        rw_selftest_result *row = rw_selftest_begin(r, names[m]);
        rw_status status = copies(r, (rw_memory)m, &error);
        rw_selftest_end(r, row, status, error, 0);
    }
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static double part(uint64_t seed, int64_t i, bool f32)
{
    double v = rw_random_uniform(seed, (uint64_t)i) - 0.4;
    return f32 ? (double)(float)v : v;
}

static rw_status fill(rw_array *a, uint64_t seed, bool f32)
{
    void *w;
    RW_TRY(rw_array_write(a, &w));
    int64_t n = rw_array_size(a) * (rw_dtype_is_complex(rw_array_dtype(a)) ? 2 : 1);
    for (int64_t i = 0; i < n; ++i)
        if (f32) ((float *)w)[i] = (float)part(seed, i, true);
        else ((double *)w)[i] = part(seed, i, false);
    return RW_OK;
}

/* The plain sum in long double. */
static void expect_reduction(rw_reduce_op op, bool z, bool f32, int64_t n, double out[2])
{
    long double re = 0, im = 0;
    double extreme = op == RW_REDUCE_OP_MIN ? INFINITY : op == RW_REDUCE_OP_MAX ? -INFINITY : 0;
    for (int64_t i = 0; i < n; ++i) {
        double x = part(1, z ? 2 * i : i, f32), xi = z ? part(1, 2 * i + 1, f32) : 0;
        double y = part(2, z ? 2 * i : i, f32), yi = z ? part(2, 2 * i + 1, f32) : 0, m = hypot(x, xi);
        switch (op) {
        case RW_REDUCE_OP_SUM:
            re += x;
            im += xi;
            break;
        case RW_REDUCE_OP_DOT:
            re += (long double)x * y + (long double)xi * yi;
            im += (long double)x * yi - (long double)xi * y;
            break;
        case RW_REDUCE_OP_MIN: extreme = fmin(extreme, x); break;
        case RW_REDUCE_OP_MAX: extreme = fmax(extreme, x); break;
        case RW_REDUCE_OP_NORM1: re += m; break;
        case RW_REDUCE_OP_NORM2: re += (long double)x * x + (long double)xi * xi; break;
        case RW_REDUCE_OP_NORMMAX: extreme = fmax(extreme, m); break;
        }
    }
    bool by_extreme = op == RW_REDUCE_OP_MIN || op == RW_REDUCE_OP_MAX || op == RW_REDUCE_OP_NORMMAX;
    out[0] = by_extreme ? extreme : op == RW_REDUCE_OP_NORM2 ? (double)sqrtl(re) : (double)re;
    out[1] = (double)im;
}

static rw_status reduction(rw_selftest_run *r, rw_reduce_op op, rw_dtype dtype, int64_t n, double *error)
{
    bool f32 = dtype == RW_F32 || dtype == RW_C64, z = rw_dtype_is_complex(dtype);
    rw_reducer *reducer = NULL;
    rw_array *x = NULL, *y = NULL;
    double got[2], want[2];
    rw_status status = rw_array_create(r->dev, dtype, 1, &n, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_create(r->dev, dtype, 1, &n, RW_MEMORY_DEVICE, &y);
    if (status == RW_OK) status = fill(x, 1, f32);
    if (status == RW_OK) status = fill(y, 2, f32);
    if (status == RW_OK) status = rw_reducer_create(r->dev, op, dtype, 0, &reducer);
    if (status == RW_OK)
        status = rw_reducer_value(reducer, rw_device_queue(r->dev), x, op == RW_REDUCE_OP_DOT ? y : NULL, got, got + 1);
    expect_reduction(op, z, f32, n, want);
    if (status == RW_OK) *error = hypot(got[0] - want[0], got[1] - want[1]) / fmax(1, hypot(want[0], want[1]));
    rw_reducer_destroy(&reducer);
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    return status;
}

static void test_reductions(rw_selftest_run *r)
{
    static const char *const ops[] = {"sum", "dot", "min", "max", "norm1", "norm2", "normmax"};
    for (int op = 0; op < RW_COUNT(ops); ++op)
        for (int dtype = RW_F32; dtype <= RW_C128; ++dtype) {
            if (rw_dtype_is_complex((rw_dtype)dtype) && (op == RW_REDUCE_OP_MIN || op == RW_REDUCE_OP_MAX)) continue;
            char name[64];
            double error = 0;
            snprintf(name, sizeof name, "reduce %s %s", ops[op], rw_dtype_name((rw_dtype)dtype));
            rw_selftest_result *row = rw_selftest_begin(r, name);
            rw_status status = reduction(r, (rw_reduce_op)op, (rw_dtype)dtype, 12345, &error);
            rw_selftest_end(r, row, status, error, 1e-13);
        }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* Runs a program over fields a, b and out on the device and in the plain evaluator. */
static rw_status compare(rw_selftest_run *r, const char *text, rw_dtype dtype, const rw_boundary *boundary,
                         rw_grid_layout layout, int order, double *error)
{
    bool f32 = dtype == RW_F32 || dtype == RW_C64, z = rw_dtype_is_complex(dtype);
    rw_expr_field fields[] = {{.name = "a", .dtype = dtype},
                              {.name = "b", .dtype = dtype},
                              {.name = "out", .dtype = dtype}};
    for (int f = 0; f < 3; ++f)
        for (int s = 0; s < 6; ++s) fields[f].boundary[s] = boundary[s];
    rw_expr_scalar scalar = {.name = "c", .value = 0.75};
    rw_expr_spec spec = {.name = "selftest",
                         .text = text,
                         .grid = {2, {NX, NY, 1}, {0.1, 0.2, 1}, {0.05, -1, 0}},
                         .order = order,
                         .layout = layout,
                         .fields = fields,
                         .nfields = 3,
                         .scalars = &scalar,
                         .nscalars = 1};
    rw_array *arrays[3] = {0};
    rw_expr *e = NULL;
    int64_t shape[] = {NY, NX}, n = NX * NY * (z ? 2 : 1);
    double *first = rw_calloc((size_t)n, sizeof *first), total[2] = {0};
    rw_status status = first ? rw_expr_create(r->dev, &spec, &e) : rw_fail_memory(r->ctx, 64, "a test");
    for (int f = 0; f < 3 && status == RW_OK; ++f) {
        status = rw_array_create(r->dev, dtype, 2, shape, RW_MEMORY_DEVICE, &arrays[f]);
        if (status == RW_OK) status = rw_expr_bind(e, fields[f].name, arrays[f]);
    }
    for (int pass = 0; pass < 2 && status == RW_OK; ++pass) {
        for (int f = 0; f < 3 && status == RW_OK; ++f) status = fill(arrays[f], (uint64_t)f + 1, f32);
        if (status == RW_OK) status = pass ? rw_expr_evaluate(e) : rw_expr_run(e, rw_device_queue(r->dev));
        const void *data = NULL;
        if (status == RW_OK) status = rw_array_read(arrays[2], &data);
        if (status == RW_OK && rw_expr_result_index(e, "total") >= 0)
            status = rw_expr_get(e, "total", &total[pass], NULL);
        for (int64_t i = 0; status == RW_OK && i < n; ++i) {
            double v = f32 ? ((const float *)data)[i] : ((const double *)data)[i];
            if (!pass) first[i] = v;
            else if (!(isnan(v) && isnan(first[i]))) rw_selftest_worsen(error, fabs(v - first[i]) / fmax(1, fabs(v)));
        }
    }
    if (status == RW_OK) rw_selftest_worsen(error, fabs(total[0] - total[1]) / fmax(1, fabs(total[1])));
    rw_expr_destroy(&e);
    for (int f = 0; f < 3; ++f) rw_array_destroy(&arrays[f]);
    rw_free(first);
    return status;
}

typedef struct expression_case {
    const char *name, *text;
} expression_case;

static const expression_case functions[] = {
    {"arithmetic", "out = (a + b)*(a - c)/(2 + b*b) - a^3 + (1 + a*a)^c"},
    {"comparison", "out = where(a < b and not (a <= -0.1) or a >= 0.5, a, b) + (a == b) + 2*(a != b)"},
    {"exp log", "out = exp(a) + log(1.5 + a) + sqrt(1 + b) + cbrt(a)"},
    {"sin cos tan", "out = sin(3*a) + cos(b) + tan(a)"},
    {"asin acos atan", "out = asin(a) + acos(b) + atan(3*a) + atan2(a, b)"},
    {"sinh cosh tanh", "out = sinh(a) + cosh(b) + tanh(2*a)"},
    {"erf floor mod", "out = erf(a) + floor(5*a) + mod(a, 0.3) + hypot(a, b)"},
    {"min max abs sign", "out = min(a, b) + 2*max(a, b, 0) + abs(a) + 3*sign(b)"},
    {"function", "f(p, q) = p^2 + q\nout = f(f(a, b), c)"},
    {"fused sum", "out = a*b; total = sum(out*a)"},
    {"reduction reused", "m = max(a); out = a/m + min(b); total = mean(out)"},
};
static const expression_case complex_functions[] = {
    {"complex arithmetic", "out = (a + 2i*b)*(a - conj(b))/(2.5 + b) - a^3; total = norm(out)"},
    {"complex functions", "out = exp(a) + log(2 + b) + sqrt(a) + sin(a)*cos(b) + tanh(b); total = real(dot(a, b))"},
    {"complex parts", "out = real(a) + 1i*imag(b)*abs(a) + sinh(a)/cosh(b) + tan(a)"},
};
static const expression_case operators[] = {
    {"dx dy", "out = dx(a) + 2*dy(b)"},
    {"dxx dyy dxy", "out = dxx(a) + 2*dyy(b) - dxy(a)"},
    {"laplace in place", "a = a + 0.001*laplace(a); out = a"},
    {"grad div", "out = grad(a)·grad(b) + 0.1*div(a*grad(b)) + divgrad(1 + a^2, b)"},
    {"upwind", "out = upwind(a, b, b) + dx_forward(a) + dy_backward(b)"},
    {"coordinates", "out = a*x + b*y^2 + dx(a*x)"},
};

static void expression_row(rw_selftest_run *r, const char *prefix, const expression_case *c, rw_dtype dtype,
                           const rw_boundary *boundary, rw_grid_layout layout, int order, double tolerance)
{
    char name[64];
    double error = 0;
    snprintf(name, sizeof name, "%s %s", prefix, c->name);
    rw_selftest_result *row = rw_selftest_begin(r, name);
    rw_status status = compare(r, c->text, dtype, boundary, layout, order, &error);
    rw_selftest_end(r, row, status, error, tolerance);
}

static void test_expressions(rw_selftest_run *r)
{
    static const rw_boundary nearest[6] = {{0}};
    static const rw_boundary mixed[2][6] = {{{RW_BOUNDARY_DIRICHLET, "y", 0, 0},
                                             {RW_BOUNDARY_NEUMANN, "c*y", 0, 0},
                                             {RW_BOUNDARY_PERIODIC, 0, 0, 0},
                                             {RW_BOUNDARY_PERIODIC, 0, 0, 0}},
                                            {{RW_BOUNDARY_ROBIN, "1", "2", "y"},
                                             {RW_BOUNDARY_DIRICHLET, "c", 0, 0},
                                             {RW_BOUNDARY_NEUMANN, "x", 0, 0},
                                             {RW_BOUNDARY_NEAREST, 0, 0, 0}}};
    for (int i = 0; i < RW_COUNT(functions); ++i) {
        expression_row(r, "expr f64", functions + i, RW_F64, nearest, RW_GRID_AUTO, 2, 1e-12);
        expression_row(r, "expr f32", functions + i, RW_F32, nearest, RW_GRID_AUTO, 2, 1e-4);
    }
    for (int i = 0; i < RW_COUNT(complex_functions); ++i) {
        expression_row(r, "expr c128", complex_functions + i, RW_C128, nearest, RW_GRID_AUTO, 2, 1e-12);
        expression_row(r, "expr c64", complex_functions + i, RW_C64, nearest, RW_GRID_AUTO, 2, 1e-4);
    }
    for (int i = 0; i < RW_COUNT(operators); ++i)
        for (int k = 0; k < 2; ++k)
            expression_row(r, k ? "grid order 4" : "grid order 2", operators + i, RW_F64, mixed[k], RW_GRID_AUTO,
                           k ? 4 : 2, 1e-11);
}

/* Rows for each kind of boundary, layout and order: three nodes beyond each side, and beyond corners. */
static void test_boundaries(rw_selftest_run *r)
{
#define RW_X(name, text, ...) text,
    static const char *const names[] = {RW_BOUNDARY_LIST(RW_X)};
#undef RW_X
#define RW_X(name, ...) RW_BOUNDARY_##name,
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_LIST(RW_X)};
#undef RW_X
    for (int i = 0; i < RW_COUNT(kinds); ++i)
        for (int k = 0; k < 4; ++k) {
            static const char *const prefix[] = {"boundary order 2", "boundary order 4", "cell order 2",
                                                 "cell order 4"};
            const rw_grid_layout layout = k < 2 ? RW_GRID_AUTO : RW_GRID_CELL;
            const expression_case c = {names[i], "out = a[i-3, j+1] + 2*a[i+2, j-3] - b[i+1, j] + 3*laplace(b)"};
            const bool three = rw_boundary_values(kinds[i]) == 3;
            rw_boundary sides[6];
            if (layout == RW_GRID_CELL && !rw_boundary_values(kinds[i])) continue; /* as in layout auto */
            for (int s = 0; s < 6; ++s) sides[s] = (rw_boundary){kinds[i], three ? "1" : "c*x + y", "2", "c*y"};
            expression_row(r, prefix[k], &c, RW_F64, sides, layout, k % 2 ? 4 : 2, 1e-11);
        }
}

/* ---- integrators ------------------------------------------------------------------------------------------------- */

/* external: the conductivity 2 is an array that the equation reads. */
static rw_status heat(rw_selftest_run *r, rw_ode_method method, bool record, bool external, double *error)
{
    const rw_expr_field conductivity = {.name = "k", .dtype = RW_F64};
    rw_expr_field field = {.name = "u", .dtype = RW_F64};
    const double pi = acos(-1.), h = 1. / 64;
    for (int s = 0; s < 6; ++s) field.boundary[s] = (rw_boundary){RW_BOUNDARY_DIRICHLET, "0", 0, 0};
    rw_ode_spec spec = {.name = "selftest",
                        .equations = external ? "du/dt = div(k*grad(u))" : "du/dt = laplace(u)",
                        .grid = {1, {63, 1, 1}, {h, 1, 1}, {h, 0, 0}},
                        .fields = &field,
                        .nfields = 1,
                        .externals = &conductivity,
                        .nexternals = external,
                        .method = method,
                        .rtol = 1e-8,
                        .atol = 1e-10,
                        .record = record ? RW_SWITCH_ON : RW_SWITCH_OFF};
    rw_ode *ode = NULL;
    rw_array *u = NULL, *k = NULL;
    int64_t n = 63;
    void *w;
    const void *data;
    rw_status status = rw_ode_create(r->dev, &spec, &ode);
    if (status == RW_OK) status = rw_array_create(r->dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &u);
    if (status == RW_OK) status = rw_array_write(u, &w);
    for (int i = 0; status == RW_OK && i < n; ++i) ((double *)w)[i] = sin(pi * (i + 1) * h);
    if (status == RW_OK) status = rw_ode_bind(ode, "u", u);
    if (status == RW_OK && external) status = rw_array_create(r->dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &k);
    if (status == RW_OK && external) status = rw_array_write(k, &w);
    for (int i = 0; status == RW_OK && external && i < n; ++i) ((double *)w)[i] = 2;
    if (status == RW_OK && external) status = rw_ode_bind(ode, "k", k);
    while (status == RW_OK && rw_ode_time(ode) < 0.05) status = rw_ode_step(ode, 0.05);
    if (status == RW_OK) status = rw_array_read(u, &data);
    /* the difference equations have this solution exactly */
    double decay = exp((external ? -8 : -4) / (h * h) * pow(sin(pi * h / 2), 2) * 0.05);
    for (int i = 0; status == RW_OK && i < n; ++i)
        rw_selftest_worsen(error, fabs(((const double *)data)[i] - decay * sin(pi * (i + 1) * h)));
    rw_ode_destroy(&ode);
    rw_array_destroy(&u);
    rw_array_destroy(&k);
    return status;
}

/* Complex Ginzburg-Landau: a exp(i (k x - w t)) with a^2 = 1 - q, w = c (1 - q) + b q, and q = k^2 of the
 * differences. */
static rw_status plane_wave(rw_selftest_run *r, bool single, double *error)
{
    enum { N = 40 };
    const double k = acos(-1.) / 10, h = 20. / N, q = pow(2 / h * sin(k * h / 2), 2), b = 0.4, c = -0.7,
                 a = sqrt(1 - q), turn = (c * (1 - q) + b * q) * 0.5;
    rw_expr_field field = {.name = "A", .dtype = single ? RW_C64 : RW_C128};
    for (int s = 0; s < 2; ++s) field.boundary[s] = (rw_boundary){.kind = RW_BOUNDARY_PERIODIC};
    const rw_expr_scalar scalars[] = {{.name = "b", .value = b}, {.name = "c", .value = c}};
    const rw_ode_spec spec = {.name = "selftest",
                              .equations = "dA/dt = A + (1 + 1i*b)*laplace(A) - (1 + 1i*c)*abs(A)^2*A",
                              .grid = {1, {N, 1, 1}, {h, 1, 1}, {0}},
                              .fields = &field,
                              .nfields = 1,
                              .scalars = scalars,
                              .nscalars = 2,
                              .method = RW_ODE_RK4,
                              .step = 0.01};
    rw_ode *ode = NULL;
    rw_array *u = NULL;
    const int64_t n = N;
    void *w;
    const void *data;
    rw_status status = rw_ode_create(r->dev, &spec, &ode);
    if (status == RW_OK) status = rw_array_create(r->dev, field.dtype, 1, &n, RW_MEMORY_DEVICE, &u);
    if (status == RW_OK) status = rw_array_write(u, &w);
    for (int i = 0; status == RW_OK && i < 2 * N; ++i) {
        const double value = a * (i % 2 ? sin(k * h * (i / 2)) : cos(k * h * (i / 2)));
        if (single) ((float *)w)[i] = (float)value;
        else ((double *)w)[i] = value;
    }
    if (status == RW_OK) status = rw_ode_bind(ode, "A", u);
    while (status == RW_OK && rw_ode_time(ode) < 0.5) status = rw_ode_step(ode, 0.5);
    if (status == RW_OK) status = rw_array_read(u, &data);
    for (int i = 0; status == RW_OK && i < 2 * N; ++i) {
        const double phase = k * h * (i / 2) - turn;
        const double is = single ? (double)((const float *)data)[i] : ((const double *)data)[i];
        rw_selftest_worsen(error, fabs(is - a * (i % 2 ? sin(phase) : cos(phase))));
    }
    rw_ode_destroy(&ode);
    rw_array_destroy(&u);
    return status;
}

static void test_integrators(rw_selftest_run *r)
{
    static const struct {
        const char *name;
        rw_ode_method method;
        bool record, external;
        double tolerance;
    } cases[] = {{"heat rk4", RW_ODE_RK4, false, false, 1e-9},
                 {"heat rk4 recorded", RW_ODE_RK4, true, false, 1e-9},
                 {"heat rkc2", RW_ODE_RKC2, false, false, 1e-5},
                 {"heat external field", RW_ODE_RK4, true, true, 1e-9}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        double error = 0;
        rw_selftest_result *row = rw_selftest_begin(r, cases[i].name);
        rw_status status = heat(r, cases[i].method, cases[i].record, cases[i].external, &error);
        rw_selftest_end(r, row, status, error, cases[i].tolerance);
    }
    for (int single = 0; single < 2; ++single) {
        double error = 0;
        rw_selftest_result *row = rw_selftest_begin(r, single ? "plane wave c64" : "plane wave c128");
        rw_status status = plane_wave(r, single, &error);
        rw_selftest_end(r, row, status, error, single ? 1e-4 : 1e-7);
    }
}

rw_status rw_selftest_sized(rw_context *ctx, rw_device *dev, rw_selftest_result **list, int64_t *count,
                            size_t element_size)
{
    RW_NEED(list, "list");
    RW_NEED(count, "count");
    *list = NULL;
    *count = 0;
    RW_NEED(ctx, "context");
    RW_NEED(dev, "device");
    rw_selftest_run r = {.ctx = ctx, .dev = dev, .rows = rw_calloc(MAX_ROWS, sizeof *r.rows)};
    if (!r.rows) return rw_fail_memory(ctx, MAX_ROWS * sizeof *r.rows, "the results of the self-test");
    test_memory(&r);
    test_reductions(&r);
    test_expressions(&r);
    test_boundaries(&r);
    test_integrators(&r);
    rw_selftest_methods(&r);
    if (rw_rate_measure(dev) != RW_OK) rw_log(ctx, RW_LOG_WARNING, "copy rate: %s", rw_message(ctx));
    void *out = r.rows;
    RW_TRY(rw_struct_out_array(ctx, &out, r.n, sizeof *r.rows, element_size));
    *list = out;
    *count = r.n;
    return RW_OK;
}

void rw_selftest_free(rw_selftest_result **list)
{
    if (!list) return;
    rw_free(*list);
    *list = NULL;
}
