/* Operators from equations on every device, beside the assembled matrix of the same stencil: in one, two and three
 * dimensions, all types and boundaries; diagonals of programs beside products with unit vectors; all solvers, jacobi
 * and chebyshev, with as many iterations as the matrix takes; what is no linear map. */
/* TEST: devices=check */
#include <float.h>
#include <math.h>

#include "../devices.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/stencil.h"
#include "sparse/host.h"

static bool fast(void) { return on("cpu") || on("cuda"); }
static bool is_single(rw_dtype t) { return t == RW_F32 || t == RW_C64; }

enum { TAU_100 = 3 }; /* 100 tau */
#define TAU (TAU_100 / 100.)
static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN, RW_BOUNDARY_PERIODIC,
                                         RW_BOUNDARY_NEAREST, RW_BOUNDARY_ROBIN};

typedef struct problem {
    rw_expr_field fields[2];
    rw_expr_scalar tau;
    rw_expr_spec spec;
} problem;

/* u and Au; all sides alike, robin: 2 u + du/dn = 0. */
static void begin(problem *p, const char *text, rw_dtype type, rw_boundary_kind kind, int ndim, const int64_t size[3],
                  int order)
{
    *p = (problem){.fields = {{.name = "u", .dtype = type}, {.name = "Au", .dtype = type}},
                   .tau = {.name = "tau", .value = TAU}};
    for (int side = 0; side < 6; ++side)
        p->fields[0].boundary[side] = (rw_boundary){kind, kind == RW_BOUNDARY_ROBIN ? "2" : "0", "1", "0"};
    p->spec = (rw_expr_spec){.name = "operator",
                             .text = text,
                             .order = order,
                             .fields = p->fields,
                             .nfields = 2,
                             .scalars = &p->tau,
                             .nscalars = 1,
                             .grid = {.ndim = ndim}};
    for (int d = 0; d < 3; ++d)
        p->spec.grid.size[d] = d < ndim ? size[d] : 1, p->spec.grid.spacing[d] = d < ndim ? 0.1 * (d + 1) : 1,
        p->spec.grid.origin[d] = 0.5;
}

static rw_operator *operator_of(problem *p)
{
    rw_operator *m;
    OK(rw_operator_from_expr(dev, &p->spec, "u", "Au", &m));
    return m;
}

static rw_array *vector(rw_dtype type, int64_t n, uint64_t seed)
{
    rw_array *a = new_array(type, n, RW_MEMORY_DEVICE);
    void *data;
    OK(rw_array_write(a, &data));
    for (int64_t i = 0; i < n * (1 + rw_dtype_is_complex(type)); ++i) {
        const double v = seed ? rw_random_uniform(seed, (uint64_t)i) - 0.5 : 0;
        if (is_single(type)) ((float *)data)[i] = (float)v;
        else ((double *)data)[i] = v;
    }
    return a;
}

/* ---- the same, assembled ----------------------------------------------------------------------------------------- */

typedef struct triples {
    int64_t n, row[40000], column[40000];
    double value[80000];
} triples;
static triples *t;

static void put(int64_t row, int64_t column, double re, double im)
{
    t->row[t->n] = row, t->column[t->n] = column, t->value[2 * t->n] = re, t->value[2 * t->n++ + 1] = im;
}

/* w times the value one node before (by = -1) or behind node i of an axis. */
static void neighbour(const rw_grid *g, rw_boundary_kind kind, int64_t cell, int axis, int64_t i, int64_t stride,
                      int by, double w)
{
    const int64_t n = g->size[axis], j = i + by, end = by < 0 ? 0 : n - 1, row = cell;
    if (j >= 0 && j < n) put(row, cell + by * stride, w, 0);
    else if (kind == RW_BOUNDARY_PERIODIC) put(row, cell + ((j + n) % n - i) * stride, w, 0);
    else if (kind == RW_BOUNDARY_NEAREST) put(row, cell, w, 0);
    else if (kind != RW_BOUNDARY_DIRICHLET) {
        const int64_t inner = n > 1 ? end - by : end; /* a mirror on the side */
        put(row, cell + (inner - i) * stride, w, 0);
        if (kind == RW_BOUNDARY_ROBIN) put(row, cell, -w * 2 * g->spacing[axis] * (double)(n > 1 ? 2 : 1), 0);
    }
}

/* c(x) u - tau laplace(u) + 0.3 dx(u), c = 2 + x, for complex fields 2 + x + 0.5i */
static const char *const text_real = "Au = (2 + x)*u - tau*laplace(u) + 0.3*dx(u)",
                         *const text_complex = "Au = (2 + x + 0.5i)*u - tau*laplace(u) + 0.3*dx(u)";

static rw_sparse *assembled(const problem *p)
{
    const rw_grid *g = &p->spec.grid;
    const rw_dtype type = p->fields[0].dtype;
    const rw_boundary_kind kind = p->fields[0].boundary[0].kind;
    const bool z = rw_dtype_is_complex(type);
    const int64_t cells = g->size[0] * g->size[1] * g->size[2], stride[3] = {1, g->size[0], g->size[0] * g->size[1]};
    const rw_sparse_layout l = {.format = RW_SPARSE_CSR,
                                .values = z ? RW_C128 : RW_F64,
                                .block_rows = 1,
                                .block_columns = 1};
    rw_sparse *m;
    t->n = 0;
    for (int64_t cell = 0; cell < cells; ++cell) {
        const int64_t at[3] = {cell % g->size[0], cell / g->size[0] % g->size[1], cell / stride[2]};
        put(cell, cell, 2 + g->origin[0] + g->spacing[0] * (double)at[0], z ? 0.5 : 0);
        for (int d = 0; d < g->ndim; ++d) {
            const double h = g->spacing[d], w = -TAU / (h * h);
            put(cell, cell, -2 * w, 0);
            for (int by = -1; by <= 1; by += 2)
                neighbour(g, kind, cell, d, at[d], stride[d], by, w + (d == 0 ? 0.3 * by / (2 * h) : 0));
        }
    }
    double *real = calloc((size_t)t->n, sizeof *real);
    for (int64_t k = 0; k < t->n; ++k) real[k] = t->value[2 * k];
    OK(rw_sparse_from_entries(dev, &l, &(rw_entries){cells, cells, t->n, z, t->row, t->column, z ? t->value : real},
                              &m));
    free(real);
    return m;
}

/* Numbers that single precision has. */
static void fill(const rw_array *a, void *to, uint64_t seed)
{
    memset(to, 0, (size_t)a->size * rw_dtype_size(a->dtype));
    for (int64_t i = 0; i < a->size; ++i)
        rw_value_add(a->dtype, to, i, (float)rw_random_uniform(seed, (uint64_t)(2 * i)) - 0.5f,
                     rw_dtype_is_complex(a->dtype) ? (float)rw_random_uniform(seed, (uint64_t)(2 * i + 1)) - 0.5f : 0);
}

/* Products in the type of the operator beside those of the matrix, in double precision. */
static void compare(const char *what, problem *p, int k)
{
    const rw_dtype type = p->fields[0].dtype, wide = rw_dtype_is_complex(type) ? RW_C128 : RW_F64;
    rw_operator *m = operator_of(p);
    rw_sparse *a = assembled(p);
    const int64_t n = m->info.rows;
    const double beta[2] = {0.5, 0}, alpha[2] = {-2, 0}, eps = is_single(type) ? FLT_EPSILON : DBL_EPSILON;
    rw_array *v[4];
    const void *data[4];
    for (int i = 0; i < 4; ++i) {
        void *to;
        OK(rw_array_create(dev, i < 2 ? type : wide, k == 1 ? 1 : 2, (int64_t[]){n, k}, RW_MEMORY_DEVICE, &v[i]));
        OK(rw_array_write(v[i], &to));
        fill(v[i], to, (uint64_t)(i % 2) + 1);
    }
    OK(rw_operator_multiply(m, RW_OP_NONE, alpha, v[0], beta, v[1], queue));
    OK(rw_sparse_multiply(a, RW_OP_NONE, alpha, v[2], beta, v[3], queue));
    for (int i = 1; i < 4; i += 2) OK(rw_array_read(v[i], &data[i]));
    for (int64_t e = 0; e < n * k; ++e)
        for (int part = 0; part < 2; ++part) {
            const double y = rw_value_get(type, data[1], e, part), wanted = rw_value_get(wide, data[3], e, part);
            if (!(fabs(y - wanted) <= 200 * eps))
                fail_msg("%s: y[%lld], part %d is %.17g, not %.17g", what, (long long)e, part, y, wanted);
        }
    for (int i = 0; i < 4; ++i) rw_array_destroy(&v[i]);
    rw_operator_destroy(&m), rw_sparse_destroy(&a);
}

static void test_products(void **state)
{
    static const struct {
        int ndim;
        int64_t size[3];
    } grids[] = {{1, {37, 1, 1}}, {2, {13, 7, 1}},  {3, {5, 4, 3}},   {1, {1, 1, 1}},    {1, {2, 1, 1}},
                 {2, {1, 5, 1}},  {2, {67, 37, 1}}, {3, {17, 1, 11}}, {1, {1031, 1, 1}}, {3, {11, 13, 7}}};
    static const rw_dtype types[] = {RW_F64, RW_F32, RW_C64, RW_C128};
    int number = 0;
    (void)state;
    for (int g = 0; g < (on("cpu") ? RW_COUNT(grids) : on("check") ? 5 : 3); ++g)
        for (int kind = 0; kind < RW_COUNT(kinds); ++kind) {
            const rw_dtype type = types[number % 4];
            char what[120];
            problem p;
            if (++number % 4 && on("opencl")) continue; /* compiling takes long there */
            if (!test_long() && number % (on("opencl") ? 8 : on("check") ? 5 : 3)) continue;
            snprintf(what, sizeof what, "%s: %lld x %lld x %lld, boundary %d, %s", rw_device_info(dev)->name,
                     (long long)grids[g].size[0], (long long)grids[g].size[1], (long long)grids[g].size[2], kinds[kind],
                     rw_dtype_name(type));
            begin(&p, rw_dtype_is_complex(type) ? text_complex : text_real, type, kinds[kind], grids[g].ndim,
                  grids[g].size, 2);
            compare(what, &p, 1 + number % 2);
        }
}

/* ---- diagonals --------------------------------------------------------------------------------------------------- */

static void check_diagonal(const char *what, problem *p)
{
    rw_operator *m = operator_of(p);
    const rw_dtype type = m->info.type;
    const int64_t n = m->info.rows;
    rw_array *d = vector(type, n, 0), *x = vector(type, n, 0), *y = vector(type, n, 0);
    const void *told, *got;
    void *unit;
    OK(rw_operator_get_diagonal(m, d));
    const int64_t before = counters().launches;
    OK(rw_operator_get_diagonal(m, d)); /* found once */
    assert_int_equal(counters().launches, before);
    for (int64_t j = 0; j < n; ++j) {
        OK(rw_array_write(x, &unit));
        memset(unit, 0, (size_t)n * rw_dtype_size(type));
        rw_value_add(type, unit, j, 1, 0);
        OK(rw_operator_multiply(m, RW_OP_NONE, NULL, x, NULL, y, queue));
        OK(rw_array_read(y, &got));
        OK(rw_array_read(d, &told));
        for (int part = 0; part < 2; ++part)
            if (rw_value_get(type, told, j, part) != rw_value_get(type, got, j, part))
                fail_msg("%s: entry %lld of the diagonal is %.17g, not %.17g", what, (long long)j,
                         rw_value_get(type, told, j, part), rw_value_get(type, got, j, part));
    }
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&d);
    rw_operator_destroy(&m);
}

static void test_diagonals(void **state)
{
    static const char *const texts[] = {"Au = (2 + x)*u - tau*laplace(u) + 0.3*dx(u)",
                                        "v = (1 + x^2)*laplace(u); Au = u + 0.1*laplace(v)", "Au = (1 + x)*u"};
    static const struct {
        int ndim;
        int64_t size[3];
    } grids[] = {{1, {7, 1, 1}}, {2, {5, 4, 1}}, {1, {11, 1, 1}}, {1, {3, 1, 1}},
                 {3, {5, 3, 4}}, {2, {9, 7, 1}}, {1, {1, 1, 1}}};
    (void)state;
    for (int g = 0; g < (on("cpu") ? RW_COUNT(grids) : 2); ++g)
        for (int kind = 0; kind < RW_COUNT(kinds); ++kind)
            for (int i = 0; i < RW_COUNT(texts); ++i)
                for (int order = 2; order <= 4; order += 2) {
                    char what[120];
                    problem p;
                    const int number = ((g * RW_COUNT(kinds) + kind) * RW_COUNT(texts) + i) * 2 + order / 4;
                    if (number % ((on("cpu") ? 3 : on("opencl") ? 19 : 7) * (test_long() ? 1 : 3))) continue;
                    snprintf(what, sizeof what, "%s: %s, grid %d, boundary %d, order %d", rw_device_info(dev)->name,
                             texts[i], g, kinds[kind], order);
                    begin(&p, texts[i], number % 2 ? RW_C128 : RW_F64, kinds[kind], grids[g].ndim, grids[g].size,
                          order);
                    check_diagonal(what, &p);
                }
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static rw_krylov_result solve(rw_operator *m, rw_dtype type, const rw_krylov_spec *spec, rw_array *x)
{
    rw_krylov *k;
    rw_krylov_result r;
    rw_array *b = vector(type, m->info.rows, 7);
    OK(rw_krylov_create(m, type, spec, &k));
    OK(rw_array_zero(x, queue));
    if (rw_krylov_solve(k, b, x, &r) != RW_OK)
        fail_msg("%s, preconditioner %s, %s: %s", rw_krylov_method_name(spec->method),
                 rw_precond_method_name(spec->precond.method), rw_dtype_name(type), rw_message(ctx));
    assert_true(r.residual <= 2 * spec->rtol * r.right_side);
    rw_krylov_destroy(&k);
    rw_array_destroy(&b);
    return r;
}

/* The operator beside the matrix: the same solution, about as many iterations. */
static void solve_both(problem *p, rw_krylov_method method, rw_precond_method precond)
{
    const rw_dtype type = p->fields[0].dtype;
    rw_operator *m = operator_of(p);
    rw_sparse *a = assembled(p);
    const int64_t n = m->info.rows;
    const rw_krylov_spec spec = {.method = method,
                                 .rtol = is_single(type) ? 1e-5 : 1e-11,
                                 .precond = {.method = precond},
                                 .restart = method == RW_KRYLOV_IDR ? 4 : 12};
    rw_array *x = vector(type, n, 0), *z = vector(type, n, 0);
    const void *px, *pz;
    const rw_krylov_result r = solve(m, type, &spec, x), s = solve(rw_sparse_operator(a), type, &spec, z);
    if (llabs((long long)(r.iterations - s.iterations)) > 2 + s.iterations / 10)
        fail_msg("%s, preconditioner %s, %s: %d iterations, and %d with the matrix", rw_krylov_method_name(method),
                 rw_precond_method_name(precond), rw_dtype_name(type), (int)r.iterations, (int)s.iterations);
    OK(rw_array_read(x, &px));
    OK(rw_array_read(z, &pz));
    for (int64_t i = 0; i < n; ++i)
        for (int part = 0; part < 2; ++part)
            assert_true(fabs(rw_value_get(type, px, i, part) - rw_value_get(type, pz, i, part)) <=
                        (is_single(type) ? 1e-3 : 1e-8));
    rw_array_destroy(&x), rw_array_destroy(&z);
    rw_operator_destroy(&m), rw_sparse_destroy(&a);
}

static void test_solvers(void **state)
{
    static const int64_t size[] = {23, 11, 5};
    static const rw_precond_method preconds[] = {RW_PRECOND_NONE, RW_PRECOND_JACOBI, RW_PRECOND_CHEBYSHEV};
    static const rw_dtype types[] = {RW_F64, RW_C128, RW_F32, RW_C64};
    int number = 0;
    (void)state;
    for (int type = 0; type < (fast() ? 4 : 1); ++type)
        for (int method = RW_KRYLOV_BICGSTAB; method < RW_KRYLOV_METHODS; ++method)
            for (int precond = 0; precond < 3; ++precond) {
                problem p;
                if (number++ % ((fast() ? type < 2 ? 1 : 3 : on("check") ? 4 : 7) * (test_long() ? 1 : 3))) continue;
                begin(&p, rw_dtype_is_complex(types[type]) ? text_complex : text_real, types[type],
                      number % 2 ? RW_BOUNDARY_DIRICHLET : RW_BOUNDARY_NEUMANN, 3, size, 2);
                solve_both(&p, (rw_krylov_method)method, preconds[precond]);
            }
}

/* Hermitian, positive definite: conjugate gradients with numbers of iterations of the matrix; large enough that sums of
 * groups are combined. */
static void test_cg(void **state)
{
    (void)state;
    for (int z = 0; z < (fast() ? 2 : 1); ++z)
        for (int precond = 0; precond < (on("opencl") ? 1 : 3); ++precond) {
            static const int64_t size[] = {40, 30, 9};
            static const rw_precond_method preconds[] = {RW_PRECOND_JACOBI, RW_PRECOND_NONE, RW_PRECOND_CHEBYSHEV};
            const rw_dtype type = z ? RW_C128 : RW_F64;
            problem p;
            begin(&p, "Au = (1 + x^2)*u - tau*laplace(u)", type, RW_BOUNDARY_DIRICHLET, 3, size, 2);
            rw_operator *m = operator_of(&p);
            const int64_t n = m->info.rows;
            rw_array *x = vector(type, n, 0), *y = vector(type, n, 0), *b = vector(type, n, 7);
            const rw_krylov_spec spec = {.method = RW_KRYLOV_CG,
                                         .rtol = 1e-10,
                                         .precond = {.method = preconds[precond]}};
            rw_krylov_result r = solve(m, type, &spec, x);
            const void *pb, *py;
            double rr = 0, bb = 0;
            assert_true(r.iterations > 3 && r.iterations < 100);
            OK(rw_operator_multiply(m, RW_OP_NONE, NULL, x, NULL, y, queue));
            OK(rw_array_read(b, &pb));
            OK(rw_array_read(y, &py));
            for (int64_t i = 0; i < n; ++i)
                for (int part = 0; part < 2; ++part) {
                    const double v = rw_value_get(type, pb, i, part);
                    rr += pow(v - rw_value_get(type, py, i, part), 2), bb += v * v;
                }
            assert_true(sqrt(rr / bb) <= 2e-10);
            rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&b);
            rw_operator_destroy(&m);
        }
}

/* Sums over the grid are linear too. */
static void test_sums(void **state)
{
    static const int64_t size[] = {20, 1, 1};
    problem p;
    (void)state;
    begin(&p, "s = sum(u); Au = u + 0.01*s", RW_F64, RW_BOUNDARY_NEAREST, 1, size, 2);
    rw_operator *m = operator_of(&p);
    rw_array *x = vector(RW_F64, 20, 0);
    rw_krylov *k;
    const rw_krylov_spec spec = {.method = RW_KRYLOV_CG, .rtol = 1e-12};
    assert_true(solve(m, RW_F64, &spec, x).iterations <= 3); /* two eigenvalues */
    FAILS(RW_ERR_UNSUPPORTED,
          "operator: its diagonal cannot be computed from products, because it has sums over the grid",
          rw_operator_get_diagonal(m, x));
    FAILS(RW_ERR_UNSUPPORTED, "its diagonal cannot be computed",
          rw_krylov_create(m, RW_F64,
                           &(rw_krylov_spec){.method = RW_KRYLOV_CG, .precond = {.method = RW_PRECOND_CHEBYSHEV}}, &k));
    rw_array_destroy(&x);
    rw_operator_destroy(&m);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static double square(void *user, const double *a)
{
    (void)user;
    return a[0];
}

static void refuses(rw_status wanted, const char *part, const char *text, rw_dtype type, const char *from,
                    const char *to)
{
    static const int64_t size[] = {12, 1, 1};
    problem p;
    rw_operator *m = (rw_operator *)(uintptr_t)1;
    begin(&p, text, type, RW_BOUNDARY_DIRICHLET, 1, size, 2);
    FAILS(wanted, part, rw_operator_from_expr(dev, &p.spec, from, to, &m));
    assert_null(m);
}

static void test_refused(void **state)
{
    static const int64_t size[] = {12, 1, 1};
    problem p;
    rw_operator *m;
    (void)state;
    refuses(RW_ERR_INPUT, "operator: Au does not depend on u linearly", "Au = u - u^3", RW_F64, "u", "Au");
    refuses(RW_ERR_ARGUMENT, "operator has no field v", "Au = u", RW_F64, "v", "Au");
    refuses(RW_ERR_ARGUMENT, "u is both input and output: a map needs two different fields", "Au = u", RW_F64, "u",
            "u");
    refuses(RW_ERR_INPUT, "Au is assigned 2 times", "Au = u; Au = 2*u", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "Au is assigned 0 times", "v = 2*u", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "Au is read, but the output of a map may only be assigned", "Au = u + Au", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "u is assigned, but a map must not change its input", "Au = u; u = Au", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "operator:1:6", "Au = v", RW_F64, "u", "Au");
    begin(&p, "Au = u - tau*laplace(u)", RW_F64, RW_BOUNDARY_DIRICHLET, 1, size, 2);
    p.fields[0].boundary[1].a = "1";
    FAILS(RW_ERR_INPUT,
          "with u = 0, Au is -3 in cell 11, so the map is not linear: its boundary value at the upper end of x must be "
          "0 here",
          rw_operator_from_expr(dev, &p.spec, "u", "Au", &m));
    p.fields[0].boundary[1].a = "0", p.spec.grid.size[0] = 0;
    FAILS(RW_ERR_ARGUMENT, "a grid of 0 x 1 x 1 cells", rw_operator_from_expr(dev, &p.spec, "u", "Au", &m));
    p.spec.grid.size[0] = 12, p.fields[1].dtype = RW_F32;
    FAILS(RW_ERR_ARGUMENT, "u has type f64, Au has type f32: the types must be equal",
          rw_operator_from_expr(dev, &p.spec, "u", "Au", &m));
    if (on("opencl")) return;
    refuses(RW_ERR_INPUT, "terms without the unknown must be 0 here", "Au = u + 1", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "terms without the unknown", "Au = u/(u - u)", RW_F64, "u", "Au"); /* nan */
    refuses(RW_ERR_INPUT, "linearly", "Au = abs(u)", RW_F32, "u", "Au");
    refuses(RW_ERR_INPUT, "linearly", "Au = where(u > 0, u, 2*u)", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "linearly", "Au = conj(u)", RW_C128, "u", "Au");
    refuses(RW_ERR_INPUT, "linearly", "Au = 1e6*u + 1e-3*u^2", RW_F64, "u", "Au");
    refuses(RW_ERR_INPUT, "linearly", "s = sum(u); Au = s*u", RW_F64, "u", "Au");
    begin(&p, "Au = f(u)", RW_F64, RW_BOUNDARY_DIRICHLET, 1, size, 2);
    p.spec.functions = &(rw_expr_function){"f", 1, square, NULL}, p.spec.nfunctions = 1;
    FAILS(RW_ERR_UNSUPPORTED, "it runs on the host, because it calls a function in C",
          rw_operator_from_expr(dev, &p.spec, "u", "Au", &m));
    begin(&p, "Au = u*tau; tau = 2", RW_F64, RW_BOUNDARY_DIRICHLET, 1, size, 2);
    p.tau.state = true;
    FAILS(RW_ERR_INPUT, "a scalar depends on its value in the previous run",
          rw_operator_from_expr(dev, &p.spec, "u", "Au", &m));
    begin(&p, "Au = u*k", RW_F64, RW_BOUNDARY_DIRICHLET, 1, size, 2);
    rw_expr_field three[] = {p.fields[0], p.fields[1], {.name = "k", .dtype = RW_F64}};
    p.spec.fields = three, p.spec.nfields = 3;
    FAILS(RW_ERR_ARGUMENT,
          "the program has 3 fields, but a map has two, u and Au; write coefficients as functions of x, y, z",
          rw_operator_from_expr(dev, &p.spec, "u", "Au", &m));
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_diagonals), cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_cg),       cmocka_unit_test(test_sums),      cmocka_unit_test(test_refused),
    };
    t = malloc(sizeof *t);
    const int failed = run_on_devices("stencil", tests, RW_COUNT(tests));
    free(t);
    return failed;
}
