/* Steps that cannot succeed: the message says why, where and when, and the state is that before the step; and steps
 * that stay short for want of stages, which are told once. */
#include "ode_test.h"

#define DIRICHLET(u)                                                                                                   \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }
static const rw_boundary cold[6] = {DIRICHLET("0"), DIRICHLET("0"), NONE, NONE, NONE, NONE};

static double one(const double x[3], int f) { return (void)x, (void)f, 1; }
static double rough(const double x[3], int f) { return (void)f, sin(40 * x[0] + 1); }
static double spoiled(const double x[3], int f) { return f && x[0] > 0.5 && x[1] > 0.2 ? NAN : 1; }
static double grown(const double x[3], int f) { return (void)f, x[0] == 0.25 ? -1e200 : 1; }

/* ---- why, where, when -------------------------------------------------------------------------------------------- */

/* Grids of n = 8 intervals; with one field of one axis, two of two. From rtol = atol = tol (0: the defaults) to the
 * failure at `end`. */
static const struct failure {
    const char *equations;
    value_at *initial;
    rw_ode_method method;
    double tol, end;
    const char *message[3];
} failures[] = {
    /* u' = u^2 from 1: infinite at t = 1 */
    {"du/dt = u^2",
     one,
     RW_ODE_RKC2,
     0,
     1,
     {"the step has shrunk to ", "the solution grows without bound (|u| = ", "blows up near t = 1.000"}},
    {"du/dt = u^2", one, RW_ODE_ROCK4, 1e-8, 1, {"the solution grows without bound", "node (", "blows up near t = 1;"}},
    {"du/dt = u^2", one, RW_ODE_DP5, 1e-4, 1, {"the solution grows without bound", "|du/dt| = ", "blows up near t = "}},
    {"du/dt = exp(u)*where(x < 0.3, 1, 0.5)",
     one,
     RW_ODE_ROCK2,
     0,
     0.36787944117144233,
     {"the solution grows without bound", "node (0), x = 0)", "blows up near t = 0.36789"}},
    /* F is no number at once, at some nodes, for the second field */
    {"du/dt = -u\ndv/dt = -v + where((x >= 0.5)*(y > 0.3), log(-1 - 0*u), 0)",
     one,
     RW_ODE_RKC2,
     0,
     0,
     {"the right-hand side of v is not a number at node (4, 3), x = 0.5, y = 0.375, t = 0: check", "", ""}},
    {"du/dt = 1/(x - 0.25)",
     one,
     RW_ODE_ROCK4,
     0,
     0,
     {"the right-hand side of u is infinite at node (2), x = 0.25, t = 0", "", ""}},
    /* from t = 0.5 on */
    {"du/dt = -u + sqrt(0.5 - t)",
     one,
     RW_ODE_RKC2,
     0,
     0.5,
     {"the right-hand side of u is not a number at node (0), x = 0, t = 0.5", "", ""}},
    {"du/dt = -u + where(x > 0.7, log(0.5 - t), 0)",
     one,
     RW_ODE_ROCK4,
     0,
     0.5,
     {"the right-hand side of u is ", " at node (6), x = 0.75, t = 0.5", ""}},
    /* u = (1 - t/2)^2: no stage may pass 0; u = sqrt(1 - 2 t) */
    {"du/dt = -sqrt(u)",
     one,
     RW_ODE_DP5,
     0,
     2,
     {"u becomes not a number at node (", "not defined for values close to", ""}},
    {"du/dt = -1/u",
     one,
     RW_ODE_DP5,
     0,
     0.5,
     {"its rate of change grows without bound", "no solution beyond t = 0.5", ""}},
    {"du/dt = -u",
     rough,
     RW_ODE_DP5,
     1e-30,
     0,
     {"the tolerances rtol = 1e-30, atol = 1e-30 cannot be met: rounding errors", "", ""}},
    /* what the caller gave */
    {"du/dt = -u\ndv/dt = -v^3",
     spoiled,
     RW_ODE_ROCK2,
     0,
     0,
     {"v is not a number at node (5, 2), x = 0.625, y = 0.25: check the initial", "", ""}},
    {"du/dt = -u^3",
     grown,
     RW_ODE_RKC2,
     0,
     0,
     {"the solution has grown to |u| = 1e+200 at node (2), x = 0.25", "positive real part", ""}},
    /* the radius cannot be found */
    {"du/dt = u*log(u - 2)",
     one,
     RW_ODE_AUTO,
     0,
     0,
     {"the right-hand side is not finite at t = 0",
      "the right-hand side of u is not a number at node (0), x = 0, t = 0", ""}},
    {"du/dt = u*log(u - 2)",
     one,
     RW_ODE_RK4,
     0,
     0,
     {"the right-hand side is not finite at t = 0",
      "the right-hand side of u is not a number at node (0), x = 0, t = 0", ""}},
};

static void check_failure(const struct failure *w)
{
    problem p;
    int nfields = strstr(w->equations, "dv/dt") ? 2 : 1;
    describe(&p, w->equations, nfields, nfields, 8, NULL);
    p.spec.method = w->method, p.spec.rtol = p.spec.atol = w->tol;
    start(&p, w->initial);
    rw_status status = RW_OK;
    double state[FIELDS][81], t = 0;
    for (int n = 0; status == RW_OK && n < 20000; ++n) {
        for (int f = 0; f < nfields; ++f)
            memcpy(state[f], numbers_of(p.array[f]), (size_t)cells_of(&p) * sizeof(double));
        t = rw_ode_time(p.ode);
        status = rw_ode_step(p.ode, 3);
    }
    if (status != RW_ERR_NOT_CONVERGED) fail_msg("%s: status %d at t = %.17g", w->equations, status, t);
    for (int i = 0; i < 3; ++i)
        if (!strstr(rw_message(ctx), w->message[i]))
            fail_msg("%s: \"%s\" is not in: %s", w->equations, w->message[i], rw_message(ctx));
    if (!(fabs(t - w->end) < 1e-3 && rw_ode_time(p.ode) == t)) fail_msg("%s ends at t = %.17g", w->equations, t);
    const saved before = save(p.ode);
    assert_int_equal(rw_ode_step(p.ode, 3), RW_ERR_NOT_CONVERGED); /* and again, for the same reason */
    assert_non_null(strstr(rw_message(ctx), w->message[0]));
    const saved after = save(p.ode);
    for (int i = 0; i < before.n; ++i)
        if (i < 2 || i > 5) assert_true(before.value[i] == after.value[i]); /* but for counts of attempts */
    for (int f = 0; f < nfields; ++f)
        assert_memory_equal(state[f], numbers_of(p.array[f]), (size_t)cells_of(&p) * sizeof(double));
    finish(&p);
}

static void test_why_where_and_when(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(failures); ++i)
        if (in_turn(i, 1) && (!on("opencl") || rw_device_info(dev)->gpu || i == 4)) /* seconds of PoCL a program */
            check_failure(failures + i);
}

/* Numbers at the present time lie too far apart for steps of these equations. */
static void test_steps_below_the_resolution_of_time(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const struct {
        const char *equations;
        rw_ode_method method;
        double start, end, step;
        const char *text;
    } rows[] =
        {{"du/dt = -1e20*u", RW_ODE_DP5, 1, 2, 0, "t + h = t: floating-point numbers at t = 1 are 2.2e-16 apart"},
         {"du/dt = -1e20*u", RW_ODE_RK4, 1, 2, 0, "t + h = t: floating-point numbers at t = 1 are 2.2e-16 apart"},
         {"du/dt = -u", RW_ODE_AUTO, 1e15, 1e15 + 100, 0, "t + h = t: floating-point numbers at t = 1e+15 "},
         {"du/dt = cos(50*t)", RW_ODE_DP5, 1e15, 1e15 + 100, 0, "t + h = t: floating-point numbers at t = 1e+15 "},
         {"du/dt = laplace(u) - 9*u", RW_ODE_RKC2, 1e15, 1e15 + 100, 0, "t + h = t: floating-point numbers "},
         {"du/dt = -u", RW_ODE_RK4, 1e17, 1e17 + 1000, 0.1, "t + h = t: floating-point numbers at t = 1e+17 "},
         {"du/dt = -u", RW_ODE_RK4, 1e15, 1e15 + 100, 0.4, "t + h is 4 numbers after t: floating-point numbers "}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        describe(&p, rows[i].equations, 1, 1, 4, NULL);
        p.spec.method = rows[i].method;
        p.spec.start = rows[i].start;
        p.spec.step = rows[i].step;
        p.spec.end = rows[i].end;
        start(&p, one);
        rw_status status = rw_ode_step(p.ode, rows[i].end);
        if (status != RW_ERR_NOT_CONVERGED || !strstr(rw_message(ctx), rows[i].text))
            fail_msg("row %d: status %d, %s", i, status, rw_message(ctx));
        assert_true(rw_ode_time(p.ode) == rows[i].start && largest_error(&p, one) == 0);
        finish(&p);
    }
}

/* Backward diffusion: every mode grows, the shortest fastest, until squares overflow. */
static void test_growing_modes(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    problem p;
    describe(&p, "du/dt = -laplace(u)", 1, 1, 16, cold);
    p.spec.method = RW_ODE_ROCK4;
    start(&p, rough);
    rw_status status = RW_OK;
    while (status == RW_OK && rw_ode_time(p.ode) < 2) status = rw_ode_step(p.ode, 2);
    FAILS(RW_ERR_NOT_CONVERGED, "modes that grow without bound (eigenvalues with positive real part)", status);
    assert_true(rw_ode_time(p.ode) > 0.1 && rw_ode_time(p.ode) < 1); /* exp(1024 t) = 1e300 at 0.67 */
    finish(&p);
}

/* An exponential is no failure. */
static void test_growth_that_is_meant(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    problem p;
    describe(&p, "du/dt = 300*u", 1, 1, 8, NULL);
    p.spec.method = RW_ODE_DP5, p.spec.rtol = 1e-8;
    start(&p, one);
    run_to(&p, 2);
    assert_true(fabs(log(numbers_of(p.array[0])[3]) / 600 - 1) < 1e-6);
    finish(&p);
}

/* An integrator whose first step fails. */
static rw_status begin_to_fail(problem *p, rw_ode_method method)
{
    describe(p, "du/dt = -u + where(x < 0.5, 0, log(-1 - 0*u))", 1, 1, 8, NULL);
    p->spec.method = method;
    rw_status status = rw_ode_create(dev, &p->spec, &p->ode);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, (int64_t[1]){9}, RW_MEMORY_DEVICE, &p->array[0]);
    if (status == RW_OK) status = rw_ode_bind(p->ode, "u", p->array[0]);
    if (status == RW_OK) {
        fill(p, one);
        status = rw_ode_step(p->ode, 1);
        assert_true(status != RW_OK);
    }
    return status == RW_ERR_NOT_CONVERGED ? RW_OK : status;
}

/* The search for the cause may fail itself: then the status is the same and the message shorter. */
static rw_status fail_once(void *user)
{
    problem p;
    rw_status status = begin_to_fail(&p, *(rw_ode_method *)user);
    finish(&p);
    return status;
}

static void test_the_search_may_fail(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    rw_ode_method method[] = {RW_ODE_RKC2, RW_ODE_AUTO};
    for (int i = 0; i < RW_COUNT(method) - brief(); ++i) {
        /* as long as it lives its programs are loaded, and a failed read of the cache does not compile them again */
        problem keeper;
        OK(begin_to_fail(&keeper, method[i]));
        each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, fail_once, &method[i]);
        each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, fail_once, &method[i]);
        if (on("cpu")) each_nth_fault(3, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, fail_once, &method[i]);
        finish(&keeper);
    }
}

/* ---- too few stages ---------------------------------------------------------------------------------------------- */

static struct {
    int calls;
    char text[600];
} said;
static void listen(void *user, rw_log_level level, const char *text)
{
    (void)user;
    if (level != RW_LOG_WARNING || !strstr(text, "max_stages")) return;
    said.calls++;
    snprintf(said.text, sizeof said.text, "%s", text);
}

static void test_a_limit_of_stages_is_told_once(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    static const struct {
        const char *equation;
        rw_ode_method method;
        int max_stages, steps, told;
    } cases[] = {{"du/dt = laplace(u)", RW_ODE_ROCK4, 5, 99, 0},
                 {"du/dt = laplace(u)", RW_ODE_ROCK4, 5, 500, 1},
                 {"du/dt = laplace(u)", RW_ODE_RKC2, 3, 900, 1},
                 {"du/dt = laplace(u)", RW_ODE_RKC2, 0, 220, 0},
                 {"du/dt = 1e6*laplace(u)", RW_ODE_ROCK2, 4, 60, 1}, /* hopeless */
                 {"du/dt = -u", RW_ODE_DP5, 0, 40, 0}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p;
        if (!in_turn(i, 1)) continue;
        describe(&p, cases[i].equation, 1, 1, 32, cold);
        p.spec.method = cases[i].method, p.spec.max_stages = cases[i].max_stages, p.spec.rtol = p.spec.atol = 1e-3;
        start(&p, one);
        memset(&said, 0, sizeof said);
        rw_context_set_log(ctx, RW_LOG_WARNING, listen, NULL);
        for (int n = 0; n < cases[i].steps && rw_ode_time(p.ode) < 3; ++n) OK(rw_ode_step(p.ode, 3));
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        if (said.calls != cases[i].told) fail_msg("%s: told %d times: %s", cases[i].equation, said.calls, said.text);
        if (said.calls) {
            char limit[64];
            snprintf(limit, sizeof limit, "steps are limited by time.max_stages = %d: ", cases[i].max_stages);
            assert_non_null(strstr(said.text, limit));
            assert_non_null(strstr(said.text, "steps to t = 3; raise time.max_stages to "));
        }
        finish(&p);
    }
}

/* What the message advises helps. */
static void test_the_advice_is_good(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    int64_t steps[2];
    int stages = 5;
    for (int i = 0; i < 2; ++i) {
        problem p;
        describe(&p, "du/dt = laplace(u)", 1, 1, 64, cold);
        p.spec.method = RW_ODE_ROCK4, p.spec.max_stages = stages;
        start(&p, one);
        memset(&said, 0, sizeof said);
        rw_context_set_log(ctx, RW_LOG_WARNING, listen, NULL);
        run_to(&p, 0.2);
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        steps[i] = statistics(&p).steps;
        finish(&p);
        if (i) break;
        const char *advice = strstr(said.text, "raise time.max_stages to ");
        assert_non_null(advice);
        stages = atoi(advice + strlen("raise time.max_stages to "));
    }
    print_message("with 5 stages %lld steps, with %d %lld\n", (long long)steps[0], stages, (long long)steps[1]);
    assert_true(stages > 5 && steps[1] < steps[0] / 4);
}

/* A request to stop ends a step before it begins; the state stays, and the integrator goes on after a reset. */
static void test_cancel(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_RK4, RW_ODE_RKC2};
    for (int i = 0; i < RW_COUNT(methods); ++i) {
        rw_cancel cancel = {0};
        problem p = {.fields = {{.name = "u", .dtype = RW_F64}}};
        p.spec = (rw_ode_spec){.equations = "du/dt = -u",
                               .grid = {1, {8, 1, 1}, {0.125, 1, 1}, {0}},
                               .fields = p.fields,
                               .nfields = 1,
                               .method = methods[i],
                               .step = i ? 0 : 0.01,
                               .cancel = &cancel};
        start(&p, one);
        OK(rw_ode_step(p.ode, 1));
        const double t = rw_ode_time(p.ode), u = numbers_of(p.array[0])[3];
        rw_cancel_request(&cancel);
        FAILS(RW_ERR_INTERRUPTED, "interrupted at t = ", rw_ode_step(p.ode, 1));
        assert_true(rw_ode_time(p.ode) == t && numbers_of(p.array[0])[3] == u);
        rw_cancel_reset(&cancel);
        run_to(&p, 1);
        assert_true(fabs(numbers_of(p.array[0])[3] - exp(-1)) < 1e-3);
        finish(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_why_where_and_when),  cmocka_unit_test(test_steps_below_the_resolution_of_time),
        cmocka_unit_test(test_growing_modes),       cmocka_unit_test(test_growth_that_is_meant),
        cmocka_unit_test(test_the_search_may_fail), cmocka_unit_test(test_a_limit_of_stages_is_told_once),
        cmocka_unit_test(test_the_advice_is_good),  cmocka_unit_test(test_cancel),
    };
    return run_on_devices("failure", tests, RW_COUNT(tests));
}
