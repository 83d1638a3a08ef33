/* What holds a reference: programs of expressions and integrators hold the arrays bound to them, so the caller may
 * destroy his at once. (Under the address sanitizer a mistake is a use after free.) And the messages of users'
 * functions that fail. */
/* TEST: devices=all optimised */
#include <math.h>

#include "program_test.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/precond.h"
#include "rechenwerk/sparse.h"

enum { N = 40 };

static rw_grid line_grid(void) { return (rw_grid){.ndim = 1, .size = {N, 1, 1}, .spacing = {1, 1, 1}}; }

static rw_array *new_field(double first)
{
    rw_array *a = new_ramp(N, first, 0);
    OK(rw_array_send(a, queue));
    return a;
}

static void test_an_expression_holds_its_arrays(void **state)
{
    (void)state;
    const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    const rw_expr_spec spec = {.name = "held",
                               .text = "v = 2*u + v\ntotal = sum(v)",
                               .grid = line_grid(),
                               .fields = fields,
                               .nfields = 2};
    rw_expr *e;
    double total;
    int64_t before = counters().bytes_allocated;
    OK(rw_expr_create(dev, &spec, &e));
    int64_t held = counters().bytes_allocated;
    rw_array *u = new_field(3), *v = new_field(1);
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_bind(e, "v", v));
    rw_array_destroy(&u), rw_array_destroy(&v);
    assert_true(counters().bytes_allocated > held);
    rw_array *other = new_field(100); /* would take the place of what was freed */
    for (int i = 0; i < 3; ++i) {
        OK(rw_expr_run(e, queue));
        OK(rw_expr_get(e, "total", &total, NULL));
        assert_true(total == N * (1 + 6. * (i + 1)));
    }
    OK(rw_expr_bind(e, "u", other)); /* the one before goes now */
    OK(rw_expr_bind(e, "u", other));
    OK(rw_expr_run(e, queue));
    OK(rw_expr_get(e, "total", &total, NULL));
    assert_true(total == N * (19 + 200.));
    rw_array_destroy(&other);
    rw_expr_destroy(&e);
    assert_int_equal(counters().bytes_allocated, before);
}

/* A field that is written beside itself exchanges its memory with an array of the program's own. */
static void test_exchanged_arrays(void **state)
{
    (void)state;
    const rw_expr_field fields[] = {
        {.name = "u", .dtype = RW_F64, .boundary = {{.kind = RW_BOUNDARY_PERIODIC}, {.kind = RW_BOUNDARY_PERIODIC}}}};
    const rw_expr_spec spec = {.name = "beside",
                               .text = "u = u + 0.1*laplace(u) + 1",
                               .grid = line_grid(),
                               .fields = fields,
                               .nfields = 1};
    rw_expr *e;
    OK(rw_expr_create(dev, &spec, &e));
    rw_array *u = new_field(3), *mine = u;
    OK(rw_expr_bind(e, "u", u));
    for (int i = 0; i < 3; ++i) OK(rw_expr_run(e, queue));
    assert_true(fabs(numbers_of(u)[N - 1] - 6) < 1e-12);
    rw_array_retain(mine); /* to look at it later */
    rw_array_destroy(&u);
    for (int i = 0; i < 3; ++i) OK(rw_expr_run(e, queue));
    rw_expr_destroy(&e);
    assert_true(fabs(numbers_of(mine)[0] - 9) < 1e-12);
    rw_array_destroy(&mine);
}

static void test_an_integrator_holds_its_arrays(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_RK4, RW_ODE_RKC2};
    const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}};
    for (int m = 0; m < (on("opencl") ? 1 : 2); ++m) { /* compiling takes seconds there */
        const rw_ode_spec spec = {.name = "held",
                                  .equations = "du/dt = -u",
                                  .grid = line_grid(),
                                  .fields = fields,
                                  .nfields = 1,
                                  .method = methods[m],
                                  .step = m ? 0 : 0.01,
                                  .spectral_radius = "1",
                                  .record = RW_SWITCH_ON,
                                  .rtol = 1e-7};
        rw_ode *ode;
        OK(rw_ode_create(dev, &spec, &ode));
        rw_array *u = new_field(1), *kept = u;
        OK(rw_ode_bind(ode, "u", u));
        rw_array_destroy(&u); /* the integrator's reference is left */
        rw_array *other = new_field(100);
        while (rw_ode_time(ode) < 0.1) OK(rw_ode_step(ode, 0.1));
        assert_true(fabs(numbers_of(kept)[7] - exp(-0.1)) < 1e-5);
        OK(rw_ode_bind(ode, "u", other)); /* the first goes */
        rw_array_destroy(&other);
        while (rw_ode_time(ode) < 0.2) OK(rw_ode_step(ode, 0.2));
        rw_ode_destroy(&ode);
    }
}

/* ---- functions of users that fail ------------------------------------------------------------------------------- */

static const char *said; /* what they say before they fail; NULL: nothing */

static rw_status failing(void) { return said ? rw_fail(ctx, RW_ERR_INPUT, "%s", said) : RW_ERR_INPUT; }
static rw_status failing_multiply(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    (void)user, (void)op, (void)x, (void)y, (void)q;
    return failing();
}
static rw_status failing_diagonal(void *user, rw_array *diagonal)
{
    (void)user, (void)diagonal;
    return failing();
}
static rw_status failing_make(void *user, rw_device *device, rw_array **array)
{
    (void)user, (void)device, (void)array;
    return failing();
}

static void old_message(void)
{
    FAILS(RW_ERR_ARGUMENT, "nothing", rw_fail(ctx, RW_ERR_ARGUMENT, "an old message that has nothing to do with it"));
}

static void test_messages_of_functions(void **state)
{
    (void)state;
    static const char *const texts[] = {NULL, "the function's own words"};
    for (int i = 0; i < 2; ++i) {
        said = texts[i];
        const rw_operator_spec map = {.rows = N,
                                      .columns = N,
                                      .multiply = failing_multiply,
                                      .diagonal = failing_diagonal};
        rw_operator *m;
        rw_precond *p;
        rw_expr *e;
        rw_array *x = new_field(1), *y = new_field(2);
        OK(rw_operator_create(dev, &map, &m));
        old_message();
        FAILS(RW_ERR_INPUT, said ? said : "the function rw_operator_spec.multiply returned RW_ERR_INPUT",
              rw_operator_multiply(m, RW_OP_NONE, NULL, x, NULL, y, queue));
        old_message();
        FAILS(RW_ERR_INPUT, said ? said : "the function rw_operator_spec.diagonal returned RW_ERR_INPUT",
              rw_precond_create(m, RW_F64, &(rw_precond_spec){.method = RW_PRECOND_JACOBI}, &p));
        const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}};
        const rw_expr_external given[] = {{.name = "w", .dtype = RW_F64, .make = failing_make}};
        const rw_expr_spec spec = {.name = "given",
                                   .text = "u = w",
                                   .grid = line_grid(),
                                   .fields = fields,
                                   .nfields = 1,
                                   .externals = given,
                                   .nexternals = 1};
        old_message();
        FAILS(RW_ERR_INPUT, said ? said : "the function rw_expr_external.make returned RW_ERR_INPUT",
              rw_expr_create(dev, &spec, &e));
        rw_operator_destroy(&m);
        rw_array_destroy(&x), rw_array_destroy(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_expression_holds_its_arrays),
        cmocka_unit_test(test_exchanged_arrays),
        cmocka_unit_test(test_an_integrator_holds_its_arrays),
        cmocka_unit_test(test_messages_of_functions),
    };
    return run_on_devices("references", tests, RW_COUNT(tests));
}
