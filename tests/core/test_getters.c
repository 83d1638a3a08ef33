/* What was set and bound can be read back, with defaults filled in. */
#include <string.h>

#include "../devices.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/sparse.h"

enum { N = 16 };

static rw_array *vector(void)
{
    rw_array *x;
    OK(rw_array_create(dev, RW_F64, 1, &(int64_t){N}, RW_MEMORY_DEVICE, &x));
    OK(rw_array_zero(x, queue));
    return x;
}

static const rw_expr_field field = {.name = "u", .dtype = RW_F64};
static const rw_grid grid = {.ndim = 1, .size = {N}, .spacing = {0.5}, .origin = {2}};

static void test_expression(void **state)
{
    (void)state;
    const rw_expr_scalar scalars[] = {{.name = "c", .value = 3}, {.name = "w", .is_complex = true, .value = 1}};
    const rw_expr_spec spec = {.text = "u = u + c*real(w); s = sum(u)",
                               .grid = grid,
                               .fields = &field,
                               .nfields = 1,
                               .scalars = scalars,
                               .nscalars = 2};
    rw_array *u = vector(), *bound;
    rw_expr *e;
    rw_grid g;
    double re, im;
    OK(rw_expr_create(dev, &spec, &e));
    OK(rw_expr_get_array(e, "u", &bound));
    assert_null(bound);
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_get_array(e, "u", &bound));
    assert_ptr_equal(bound, u);
    OK(rw_expr_get(e, "c", &re, &im));
    assert_true(re == 3 && im == 0);
    OK(rw_expr_set(e, "c", 4));
    OK(rw_expr_set_complex(e, "w", 0.5, 7));
    OK(rw_expr_get(e, "c", &re, NULL));
    assert_true(re == 4);
    OK(rw_expr_get(e, "w", &re, &im));
    assert_true(re == 0.5 && im == 7);
    OK(rw_expr_run(e, queue));
    OK(rw_expr_get(e, "s", &re, NULL));
    assert_true(re == 2 * N);
    OK(rw_expr_get_grid(e, &g));
    assert_true(g.ndim == 1 && g.size[0] == N && g.size[1] == 1 && g.global_size[0] == N && g.origin[0] == 2);
    FAILS(RW_ERR_ARGUMENT, "expression has no field v", rw_expr_get_array(e, "v", &bound));
    assert_null(bound);
    assert_int_equal(rw_expr_get(e, "q", &re, NULL), RW_ERR_ARGUMENT);
    rw_expr_destroy(&e), rw_array_destroy(&u);
}

static void test_integrator(void **state)
{
    (void)state;
    const rw_expr_scalar k = {.name = "kappa", .value = 0.1};
    const rw_ode_spec spec = {.equations = "du/dt = kappa*laplace(u)",
                              .grid = grid,
                              .fields = &field,
                              .nfields = 1,
                              .scalars = &k,
                              .nscalars = 1,
                              .method = RW_ODE_ROCK4,
                              .rtol = 1e-3,
                              .spectral_radius = "power"};
    rw_array *u = vector(), *bound;
    rw_ode *ode;
    rw_ode_spec got;
    double value;
    OK(rw_ode_create(dev, &spec, &ode));
    OK(rw_ode_get_array(ode, "u", &bound));
    assert_null(bound);
    OK(rw_ode_bind(ode, "u", u));
    OK(rw_ode_get_array(ode, "u", &bound));
    assert_ptr_equal(bound, u);
    OK(rw_ode_set(ode, "kappa", 0.2));
    OK(rw_ode_get(ode, "kappa", &value));
    assert_true(value == 0.2);
    memset(&got, 0xa5, sizeof got);
    OK(rw_ode_get_spec(ode, &got));
    assert_true(got.method == RW_ODE_ROCK4 && got.rtol == 1e-3 && got.atol == 1e-8 && got.max_stages == 400);
    assert_true(got.damping == 0.95 && got.order == 2 && got.grid.size[2] == 1 && !got.dense && !got.fields);
    assert_string_equal(got.equations, spec.equations);
    assert_string_equal(got.spectral_radius, "power");
    FAILS(RW_ERR_ARGUMENT, "equations: there is no scalar j", rw_ode_get(ode, "j", &value));
    FAILS(RW_ERR_ARGUMENT, "equations: there is no scalar kapa; nearest is kappa", rw_ode_set(ode, "kapa", 1));
    FAILS(RW_ERR_ARGUMENT, "equations: there is no field v", rw_ode_get_array(ode, "v", &bound));
    rw_ode_destroy(&ode), rw_array_destroy(&u);
}

static void test_solver(void **state)
{
    (void)state;
    int64_t row[N];
    double value[N];
    for (int i = 0; i < N; ++i) row[i] = i, value[i] = i + 1;
    const rw_entries entries = {.rows = N, .columns = N, .n = N, .row = row, .column = row, .value = value};
    rw_sparse *m;
    rw_krylov *k;
    rw_precond *p;
    rw_krylov_spec got;
    rw_precond_spec precond;
    rw_operator *op;
    OK(rw_sparse_from_entries(dev, &(rw_sparse_layout){0}, &entries, &m));
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                        &(rw_krylov_spec){.method = RW_KRYLOV_IDR, .precond = {.method = RW_PRECOND_SSOR}}, &k));
    OK(rw_krylov_get_spec(k, &got));
    assert_true(got.method == RW_KRYLOV_IDR && got.restart == 4 && got.rtol == 1e-8 && got.iterations == 10000);
    assert_true(got.precond.method == RW_PRECOND_SSOR && !got.inner);
    OK(rw_krylov_get_operator(k, &op));
    assert_ptr_equal(op, rw_sparse_operator(m));
    OK(rw_precond_create(op, RW_F64, &(rw_precond_spec){.method = RW_PRECOND_SSOR}, &p));
    OK(rw_precond_get_spec(p, &precond));
    assert_int_equal(precond.method, RW_PRECOND_SSOR);
    assert_true(precond.omega == 1);
    rw_precond_destroy(&p), rw_krylov_destroy(&k), rw_sparse_destroy(&m);
}

static void test_transforms(void **state)
{
    (void)state;
    rw_fft *f;
    rw_fft_spec got;
    rw_convolution *c;
    rw_convolution_spec convolution;
    char load[] = "2*u";
    OK(rw_fft_create(dev, &(rw_fft_spec){.ndim = 1, .shape = {N}, .load = load}, &f));
    memset(load, 0, sizeof load);
    OK(rw_fft_get_spec(f, &got));
    assert_true(got.axes == 1 && got.scale == 1 && got.x_dtype == RW_C128 && got.y_shape[0] == N && !got.store);
    assert_string_equal(got.load, "2*u");
    OK(rw_convolution_create(dev, &(rw_convolution_spec){.ndim = 1, .a_shape = {N}, .b_shape = {3}}, &c));
    OK(rw_convolution_get_spec(c, &convolution));
    assert_true(convolution.dtype == RW_F64 && convolution.axes == 1 && convolution.scale == 1);
    rw_fft_destroy(&f), rw_convolution_destroy(&c);
}

static void test_context(void **state)
{
    (void)state;
    rw_context *one;
    bool on = true, trace = true;
    const char *folder = "";
    OK(rw_context_create(&one));
    OK(rw_context_get_reproducible(one, &on));
    assert_false(on);
    rw_context_set_reproducible(one, true);
    OK(rw_context_get_reproducible(one, &on));
    assert_true(on);
    OK(rw_context_get_cache(one, &on, &folder, &trace));
    assert_true(on && !folder && !trace);
    OK(rw_context_set_cache(one, false, "somewhere", true));
    OK(rw_context_get_cache(one, &on, &folder, &trace));
    assert_true(!on && trace);
    assert_string_equal(folder, "somewhere");
    rw_context_destroy(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_expression), cmocka_unit_test(test_integrator),
                                       cmocka_unit_test(test_solver), cmocka_unit_test(test_transforms),
                                       cmocka_unit_test(test_context)};
    return run_on_devices("getters", tests, RW_COUNT(tests));
}
