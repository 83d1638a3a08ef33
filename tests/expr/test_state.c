/* Scalars that live on the device: a laser's photon number that feeds its next step without the host, against the same
 * loop in C; traces of runs; recorded runs; the plain evaluator; what is refused. */
/* TEST: devices=all */
#include "../compiler.h"
#include "../devices.h"

#include <math.h>

#include "../values.h"
#include "rechenwerk/expr.h"

/* dN/dt and dPhi/dt of the laser's rate equations, in one pass and one sum; numbers near those of a crystal. */
static const char step[] =
    "N = (N + tau*P)/(1 + tau*(4e4 + 2.5e-8*Phi*U + P/1.4e17))\n"
    "lambda = 2.5e-8*sum(V*N*U) - 1.01e7\n"
    "Phi = where(lambda > 0, Phi*(1 + tau*lambda) + tau*1e-10, (Phi + tau*1e-10)/(1 - tau*lambda))\n"
    "steps = steps + 1";

enum { CELLS = 1000, STEPS = 700, ROWS = 64 };
static double N[CELLS], P[CELLS], U[CELLS], V[CELLS];

static void begin(void)
{
    for (int i = 0; i < CELLS; ++i) {
        double r2 = 0.2 * i / CELLS;
        N[i] = 0, P[i] = 5e18 * exp(-3 * r2), U[i] = 1.3 * exp(-2 * r2), V[i] = 7.8 / CELLS;
    }
}

/* One step on the host; *lambda as in the program. */
static double host_step(double phi, double tau, double *lambda)
{
    double sum = 0;
    for (int i = 0; i < CELLS; ++i) {
        N[i] = (N[i] + tau * P[i]) / (1 + tau * (4e4 + 2.5e-8 * phi * U[i] + P[i] / 1.4e17));
        sum += V[i] * N[i] * U[i];
    }
    *lambda = 2.5e-8 * sum - 1.01e7;
    return *lambda > 0 ? phi * (1 + tau * *lambda) + tau * 1e-10 : (phi + tau * 1e-10) / (1 - tau * *lambda);
}

typedef struct program {
    rw_expr *e;
    rw_array *array[4];
} program;

static program make(const char *text, int trace)
{
    static const double *const start[4] = {N, P, U, V};
    const rw_expr_field fields[4] = {{.name = "N", .dtype = RW_F64},
                                     {.name = "P", .dtype = RW_F64},
                                     {.name = "U", .dtype = RW_F64},
                                     {.name = "V", .dtype = RW_F64}};
    const rw_expr_scalar scalars[] = {{.name = "tau", .value = 1e-8},
                                      {.name = "Phi", .value = 1e-3, .state = true},
                                      {.name = "steps", .state = true}};
    rw_expr_spec spec = {.name = "laser",
                         .text = text,
                         .grid = {1, {CELLS, 1, 1}, {1, 1, 1}, {0}},
                         .fields = fields,
                         .nfields = 4,
                         .scalars = scalars,
                         .nscalars = RW_COUNT(scalars),
                         .trace = trace};
    program p;
    begin();
    OK(rw_expr_create(dev, &spec, &p.e));
    for (int f = 0; f < 4; ++f) {
        void *data;
        int64_t n = CELLS;
        OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &p.array[f]));
        OK(rw_array_write(p.array[f], &data));
        memcpy(data, start[f], sizeof N);
        OK(rw_expr_bind(p.e, fields[f].name, p.array[f]));
    }
    return p;
}

static void drop(program *p)
{
    rw_expr_destroy(&p->e);
    for (int f = 0; f < 4; ++f) rw_array_destroy(&p->array[f]);
}

static double get(const program *p, const char *name)
{
    double value, imaginary = 1;
    OK(rw_expr_get(p->e, name, &value, &imaginary));
    assert_true(imaginary == 0);
    return value;
}

static void near(double x, double y, const char *what)
{
    if (!(fabs(x - y) <= 1e-9 * fabs(y))) fail_msg("%s: %.17g, expected %.17g", what, x, y);
}

static void check_trace(const program *p, int64_t runs, const double *phi, const double *lambda, int last)
{
    const double *rows;
    const char *const *names;
    int64_t n, counted;
    int64_t columns;
    OK(rw_expr_trace(p->e, &rows, &n, &names, &columns, &counted));
    assert_int_equal(counted, runs);
    assert_int_equal(n, RW_MIN(runs, ROWS));
    assert_int_equal(columns, 3);
    assert_string_equal(names[0], "lambda"), assert_string_equal(names[1], "Phi"),
        assert_string_equal(names[2], "steps");
    for (int64_t r = 0; r < n; ++r) {
        int64_t i = last - n + r;
        if (fabs(rows[3 * r] - lambda[i]) > 1e-8 * 1.01e7)
            fail_msg("lambda of run %d: %.17g, expected %.17g", (int)i, rows[3 * r], lambda[i]);
        near(rows[3 * r + 1], phi[i], "Phi of a run");
        assert_true(rows[3 * r + 2] == (double)(i + 1));
    }
}

/* A step at a time, with a trace that is taken before and after it is full. */
static void test_steps(void **state)
{
    (void)state;
    static double phi[STEPS], lambda[STEPS];
    program p = make(step, ROWS);
    double last = 1e-3;
    assert_true(get(&p, "Phi") == 1e-3 && get(&p, "steps") == 0);
    for (int i = 0; i < STEPS; ++i) last = phi[i] = host_step(last, 1e-8, lambda + i);
    for (int i = 0; i < 50; ++i) OK(rw_expr_run(p.e, queue));
    check_trace(&p, 50, phi, lambda, 50);
    check_trace(&p, 0, phi, lambda, 50);
    for (int i = 50; i < STEPS; ++i) OK(rw_expr_run(p.e, queue));
    check_trace(&p, STEPS - 50, phi, lambda, STEPS);
    near(get(&p, "Phi"), last, "Phi");
    assert_true(fabs(get(&p, "lambda") - lambda[STEPS - 1]) <= 1e-8 * 1.01e7);
    assert_true(get(&p, "steps") == STEPS);
    const void *data;
    OK(rw_array_read(p.array[0], &data));
    for (int i = 0; i < CELLS; ++i) near(((const double *)data)[i], N[i], "N");
    drop(&p);
}

/* Twenty steps recorded: nothing is copied in a thousand of them. A value set between replays is seen. */
static void test_recorded(void **state)
{
    (void)state;
    program p = make(step, 0);
    rw_sequence *s;
    double phi = 1e-3, lambda;
    OK(rw_expr_run(p.e, queue));
    phi = host_step(phi, 1e-8, &lambda);
    OK(rw_record_begin(queue));
    for (int i = 0; i < 20; ++i) OK(rw_expr_run(p.e, queue));
    OK(rw_record_end(queue, &s));
    rw_counters before = counters_of(dev);
    for (int i = 0; i < 50; ++i) OK(rw_sequence_replay(s, queue));
    rw_counters after = counters_of(dev);
    assert_int_equal(after.bytes_in - before.bytes_in + after.bytes_out - before.bytes_out, 0);
    for (int i = 0; i < 1000; ++i) phi = host_step(phi, 1e-8, &lambda);
    near(get(&p, "Phi"), phi, "Phi");
    OK(rw_expr_set(p.e, "Phi", 5e12));
    assert_true(get(&p, "Phi") == 5e12);
    OK(rw_sequence_replay(s, queue));
    phi = 5e12;
    for (int i = 0; i < 20; ++i) phi = host_step(phi, 1e-8, &lambda);
    near(get(&p, "Phi"), phi, "Phi after it was set");
    rw_sequence_destroy(&s);
    OK(rw_expr_set(p.e, "Phi", 4e12)); /* and recorded with at once */
    OK(rw_record_begin(queue));
    OK(rw_expr_run(p.e, queue));
    OK(rw_record_end(queue, &s));
    OK(rw_sequence_replay(s, queue));
    near(get(&p, "Phi"), host_step(4e12, 1e-8, &lambda), "Phi in a sequence made after it was set");
    rw_sequence_destroy(&s);
    drop(&p);
}

/* All are assigned together: a program may exchange two; one that is only read keeps its value. */
static void test_together(void **state)
{
    (void)state;
    program p = make("old = Phi\nPhi = steps + 1\nsteps = old", 0);
    OK(rw_expr_set(p.e, "steps", 7));
    OK(rw_expr_run(p.e, queue));
    assert_true(get(&p, "Phi") == 8 && get(&p, "steps") == 1e-3);
    OK(rw_expr_run(p.e, queue));
    assert_true(get(&p, "Phi") == 1.001 && get(&p, "steps") == 8);
    assert_true(get(&p, "old") == 8);
    drop(&p);
    p = make("N = Phi*P\nPhi = 2*Phi\nU = Phi*V", 0); /* N from the old, U from the new value */
    OK(rw_expr_set(p.e, "Phi", 3));
    OK(rw_expr_run(p.e, queue));
    const void *n, *u;
    OK(rw_array_read(p.array[0], &n));
    OK(rw_array_read(p.array[2], &u));
    assert_true(((const double *)n)[5] == 3 * P[5] && ((const double *)u)[5] == 6 * V[5]);
    assert_true(get(&p, "Phi") == 6);
    drop(&p);
}

static void test_without_a_compiler(void **state)
{
    if (strcmp(rw_device_info(dev)->name, "cpu")) skip();
    compiler(false);
    test_steps(state), test_together(state);
    compiler(true);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {{"Phi = N", "Phi is a scalar: assign one real number, such as a sum over a field"},
                {"Phi = 2 + 1i", "Phi is a scalar: assign one real number"},
                {"tau = 2*tau", "tau cannot be assigned: it is a scalar argument"}};
    const rw_expr_field field = {.name = "N", .dtype = RW_F64},
                        dirichlet = {.name = "N",
                                     .dtype = RW_F64,
                                     .boundary = {{RW_BOUNDARY_DIRICHLET, "Phi", NULL, NULL}}};
    rw_expr_scalar scalars[] = {{.name = "tau", .value = 1e-8}, {.name = "Phi", .value = 1e-3, .state = true}};
    rw_expr_spec spec = {.text = "N = N",
                         .grid = {1, {4, 1, 1}, {1, 1, 1}, {0}},
                         .fields = &field,
                         .nfields = 1,
                         .scalars = scalars,
                         .nscalars = 2};
    const double *values;
    const char *const *names;
    int64_t n, runs;
    int64_t columns;
    rw_expr *e;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        spec.text = rows[i].text;
        FAILS(RW_ERR_INPUT, rows[i].message, rw_expr_create(dev, &spec, &e));
    }
    spec.text = "N = dx(N)", spec.fields = &dirichlet;
    FAILS(RW_ERR_INPUT, "Phi is stored on the device and is not allowed here", rw_expr_create(dev, &spec, &e));
    spec.text = "N = N", spec.fields = &field, scalars[1].is_complex = true;
    FAILS(RW_ERR_ARGUMENT, "scalar Phi cannot be a state", rw_expr_create(dev, &spec, &e));
    scalars[1].is_complex = false, spec.trace = -1;
    FAILS(RW_ERR_ARGUMENT, "trace = -1 rows", rw_expr_create(dev, &spec, &e));
    spec.trace = 0;
    OK(rw_expr_create(dev, &spec, &e));
    FAILS(RW_ERR_ARGUMENT, "records no trace", rw_expr_trace(e, &values, &n, &names, &columns, &runs));
    rw_expr_destroy(&e);
    for (long k = 1;; ++k) { /* the n-th allocation fails */
        spec.text = "Phi = Phi + sum(N)", spec.trace = 5;
        rw_fault_set(RW_FAULT_ALLOC, k);
        rw_status status = rw_expr_create(dev, &spec, &e);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) break;
        assert_null(e);
    }
    rw_expr_destroy(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps), cmocka_unit_test(test_recorded),
                                       cmocka_unit_test(test_together), cmocka_unit_test(test_without_a_compiler),
                                       cmocka_unit_test(test_refused)};
    return run_on_devices("state", tests, RW_COUNT(tests));
}
