/* Sums, norms and exchanges of several processes have one place: a table that stands for two processes with equal parts
 * doubles all sums, and counts. */
/* TEST: devices=check optimised */
#include <math.h>
#include <string.h>

#include "../devices.h"
#include "device/ranks.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/ode.h"

enum { N = 3000 };

static rw_program *program;
static rw_kernel *twice;
static int combined, exchanged;

static rw_status combine(void *user, rw_rank_op op, rw_array *values, int64_t from, int64_t n, rw_queue *q)
{
    (void)user;
    ++combined;
    if (op != RW_RANK_SUM) return RW_OK; /* of equal parts the least and the largest are those of one */
    const rw_arg a[] = {rw_arg_array(values), rw_arg_int(from), rw_arg_int(n)};
    return rw_launch(q, twice, (int64_t[]){(n + 63) / 64, 1, 1}, a, 3);
}

static rw_status exchange(void *user, rw_array *field, rw_queue *q)
{
    (void)user, (void)field, (void)q;
    ++exchanged;
    return RW_OK;
}

static const rw_ranks two = {combine, exchange, NULL};

static void begin(void)
{
    OK(rw_program_create(dev, "twice",
                         "KERNEL(twice, GLOBAL f64 *x, int from, int n)\n{\n    EACH(i, GROUP) {\n"
                         "        const int k = GROUP_ID(0) * GROUP + (int)i;\n"
                         "        if (k < n) x[from + k] *= 2;\n    }\n}\n",
                         &(rw_define){"GROUP", "64"}, 1, &program));
    OK(rw_program_kernel(program, "twice", &twice));
    combined = exchanged = 0;
}

static void end(void)
{
    rw_device_set_ranks(dev, NULL);
    rw_program_destroy(&program);
}

static rw_array *wave(rw_dtype type)
{
    rw_array *x;
    void *data;
    OK(rw_array_create(dev, type, 1, &(int64_t){N}, RW_MEMORY_DEVICE, &x));
    OK(rw_array_write(x, &data));
    for (int i = 0; i < N * (type == RW_C128 ? 2 : 1); ++i) ((double *)data)[i] = sin(0.37 * i) + 0.2;
    return x;
}

static double value_of(rw_reduce_op op, rw_dtype type, rw_array *x, double *im)
{
    rw_reducer *r;
    double re;
    OK(rw_reducer_create(dev, op, type, 0, &r));
    OK(rw_reducer_value(r, queue, x, op == RW_REDUCE_OP_DOT ? x : NULL, &re, im));
    rw_reducer_destroy(&r);
    return re;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fabs(b))) fail_msg("%.15g, not %.15g", a, b);
}

static void test_reductions(void **state)
{
    (void)state;
    const struct {
        rw_reduce_op op;
        double factor;
    } all[] = {{RW_REDUCE_OP_SUM, 2},   {RW_REDUCE_OP_DOT, 2},         {RW_REDUCE_OP_MIN, 1},    {RW_REDUCE_OP_MAX, 1},
               {RW_REDUCE_OP_NORM1, 2}, {RW_REDUCE_OP_NORM2, M_SQRT2}, {RW_REDUCE_OP_NORMMAX, 1}};
    for (int c = 0; c < 2; ++c) {
        const rw_dtype type = c ? RW_C128 : RW_F64;
        rw_array *x = wave(type);
        for (int i = 0; i < RW_COUNT(all); ++i) {
            if (c && (all[i].op == RW_REDUCE_OP_MIN || all[i].op == RW_REDUCE_OP_MAX)) continue;
            double im[2] = {0};
            begin();
            const double one = value_of(all[i].op, type, x, &im[0]);
            assert_int_equal(combined, 0);
            rw_device_set_ranks(dev, &two);
            near(value_of(all[i].op, type, x, &im[1]), all[i].factor * one);
            near(im[1], all[i].factor * im[0]);
            assert_int_equal(combined, 1);
            end();
        }
        rw_array_destroy(&x);
    }
}

static void test_expression(void **state)
{
    (void)state;
    const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    const rw_expr_spec spec = {.text = "v = dx(u); s = sum(u); n = dot(u, u); a = min(u); b = max(u)",
                               .grid = {1, {N, 1, 1}, {1, 1, 1}, {0}},
                               .fields = fields,
                               .nfields = 2};
    const char *const names[] = {"s", "n", "a", "b"};
    rw_expr *e;
    rw_array *u = wave(RW_F64), *v = wave(RW_F64);
    double one[4], both;
    OK(rw_expr_create(dev, &spec, &e));
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_bind(e, "v", v));
    begin();
    OK(rw_expr_run(e, queue));
    for (int i = 0; i < 4; ++i) OK(rw_expr_get(e, names[i], one + i, NULL));
    rw_device_set_ranks(dev, &two);
    OK(rw_expr_run(e, queue));
    for (int i = 0; i < 4; ++i) {
        OK(rw_expr_get(e, names[i], &both, NULL));
        near(both, (i < 2 ? 2 : 1) * one[i]);
    }
    assert_true(combined >= 4 && exchanged >= 1);
    end();
    rw_expr_destroy(&e), rw_array_destroy(&u), rw_array_destroy(&v);
}

/* Two equal systems side by side have the same iterations, and norms that are sqrt(2) as large. */
static void test_solvers(void **state)
{
    (void)state;
    static const rw_krylov_method methods[] = {RW_KRYLOV_CG, RW_KRYLOV_BICGSTAB, RW_KRYLOV_GMRES, RW_KRYLOV_IDR};
    int64_t row[3 * N], column[3 * N], n = 0;
    double value[3 * N];
    for (int i = 0; i < N; ++i)
        for (int j = i - 1; j <= i + 1; ++j)
            if (j >= 0 && j < N) row[n] = i, column[n] = j, value[n++] = i == j ? 2.1 : -1;
    const rw_entries entries = {.rows = N, .columns = N, .n = n, .row = row, .column = column, .value = value};
    rw_sparse *m;
    rw_array *b = wave(RW_F64), *x = wave(RW_F64);
    OK(rw_sparse_from_entries(dev, &(rw_sparse_layout){0}, &entries, &m));
    for (int i = 0; i < RW_COUNT(methods); ++i) {
        if (methods[i] == RW_KRYLOV_IDR) continue; /* its shadow space is random in each process */
        rw_krylov_result result[2];
        rw_krylov *k;
        begin();
        for (int ranks = 0; ranks < 2; ++ranks) {
            rw_device_set_ranks(dev, ranks ? &two : NULL);
            OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                                &(rw_krylov_spec){.method = methods[i], .precond = {.method = RW_PRECOND_JACOBI}}, &k));
            OK(rw_array_zero(x, queue));
            OK(rw_krylov_solve(k, b, x, result + ranks));
            rw_krylov_destroy(&k);
        }
        assert_true(combined > 1);
        near(result[1].right_side, M_SQRT2 * result[0].right_side);
        assert_in_range(result[1].iterations, result[0].iterations - 1, result[0].iterations + 1);
        end();
    }
    /* the largest eigenvalue of all is that of either */
    rw_precond *p[2];
    rw_array *z[2] = {wave(RW_F64), wave(RW_F64)};
    const void *data[2];
    begin();
    for (int ranks = 0; ranks < 2; ++ranks) {
        assert_int_equal(combined, 0);
        rw_device_set_ranks(dev, ranks ? &two : NULL);
        OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_CHEBYSHEV},
                             p + ranks));
        OK(rw_precond_apply(p[ranks], b, z[ranks], queue));
        OK(rw_array_read(z[ranks], data + ranks));
    }
    assert_true(combined > 1);
    for (int i = 0; i < N; ++i) near(((const double *)data[1])[i], ((const double *)data[0])[i]);
    for (int i = 0; i < 2; ++i) rw_precond_destroy(p + i), rw_array_destroy(z + i);
    end();
    rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
}

/* Error control sees the sums of all. */
static void test_integrator(void **state)
{
    (void)state;
    const rw_expr_field field = {.name = "u", .dtype = RW_F64};
    const rw_ode_spec spec = {.equations = "du/dt = laplace(u)",
                              .grid = {1, {N, 1, 1}, {1, 1, 1}, {0}},
                              .fields = &field,
                              .nfields = 1,
                              .method = RW_ODE_RKC2};
    rw_array *u = wave(RW_F64);
    rw_ode *ode;
    begin();
    rw_device_set_ranks(dev, &two);
    OK(rw_ode_create(dev, &spec, &ode));
    OK(rw_ode_bind(ode, "u", u));
    OK(rw_ode_step(ode, 1));
    assert_true(combined > 0 && exchanged > 0);
    rw_ode_destroy(&ode);
    end();
    rw_array_destroy(&u);
}

/* Each of two processes has one half of a grid: coordinates, means and the steps of error control are those of the
 * whole. The halves are equal, so that one program with doubled sums stands for both. */
static void test_part(void **state)
{
    (void)state;
    const rw_expr_field field = {.name = "u",
                                 .dtype = RW_F64,
                                 .boundary = {{RW_BOUNDARY_REFLECT}, {RW_BOUNDARY_REFLECT}}};
    const double h = 1. / N;
    rw_expr_spec spec = {.text = "u = sin(0.3*x) + x; m = mean(u)",
                         .grid = {1, {N, 1, 1}, {h, 1, 1}, {3, 0, 0}, .global_size = {2 * N}, .first = {N}},
                         .fields = &field,
                         .nfields = 1};
    rw_array *u = wave(RW_F64);
    rw_expr *e;
    const void *data;
    double mean = 0, sum = 0;
    begin();
    rw_device_set_ranks(dev, &two);
    OK(rw_expr_create(dev, &spec, &e));
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_run(e, queue));
    OK(rw_expr_get(e, "m", &mean, NULL));
    OK(rw_array_read(u, &data));
    for (int i = 0; i < N; ++i) {
        const double x = 3 + (N + i) * h, right = sin(0.3 * x) + x;
        if (fabs(((const double *)data)[i] - right) > 1e-13)
            fail_msg("node %d: %.17g, not %.17g", i, ((const double *)data)[i], right);
        sum += right;
    }
    near(mean, 2 * sum / (2 * N));
    rw_expr_destroy(&e);

    double last[2];
    rw_ode_statistics steps[2];
    for (int parts = 0; parts < 2; ++parts) {
        rw_ode_spec problem = {.equations = "du/dt = laplace(u) - u^2",
                               .grid = {1, {N, 1, 1}, {0.05, 1, 1}, {0}},
                               .fields = &field,
                               .nfields = 1,
                               .method = RW_ODE_RKC2};
        if (parts) problem.grid.global_size[0] = 2 * N;
        rw_ode *ode;
        rw_array *y = wave(RW_F64);
        rw_device_set_ranks(dev, parts ? &two : NULL);
        OK(rw_ode_create(dev, &problem, &ode));
        OK(rw_ode_bind(ode, "u", y));
        while (rw_ode_time(ode) < 0.5) OK(rw_ode_step(ode, 0.5));
        OK(rw_ode_get_statistics(ode, steps + parts));
        OK(rw_array_read(y, &data));
        last[parts] = ((const double *)data)[N / 3];
        rw_ode_destroy(&ode), rw_array_destroy(&y);
    }
    assert_int_equal(steps[0].steps, steps[1].steps);
    near(last[1], last[0]);
    end();
    rw_array_destroy(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reductions), cmocka_unit_test(test_expression),
                                       cmocka_unit_test(test_solvers), cmocka_unit_test(test_integrator),
                                       cmocka_unit_test(test_part)};
    return run_on_devices("ranks", tests, RW_COUNT(tests));
}
