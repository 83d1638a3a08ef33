/* TEST: devices=all */
/* Steps by the Courant number: bounds that hold at every step, recorded steps, restarts, states at rest; given steps
 * that diverge; texts that are refused. */
#include "algebraic_test.h"

enum { CELLS = 40 };
static const char one[] = "1/max(abs(u)/hx)", burgers[] = "du/dt = implicit(0.02*laplace(u)) - u*dx(u)";
static const rw_ode_method given[] = {RW_ODE_IMEX1, RW_ODE_ARK2, RW_ODE_RK4};

static double wave(const double x[3], int f)
{
    (void)f;
    return 1 + sin(2 * pi * x[0]);
}
static double still(const double x[3], int f)
{
    (void)x, (void)f;
    return 0;
}

static void describe_burgers(problem *p, rw_ode_method method, double courant)
{
    describe(p, burgers, 1, 1, CELLS, NULL);
    dimensions = 1;
    p->spec.method = method;
    p->spec.courant = courant;
    p->spec.courant_one = one;
}

static double speed(problem *p) { return largest(p->array[0]) / p->spec.grid.spacing[0]; }

/* The number of every step, from the state before it, is at most a little above what was asked for: it is measured at
 * least every fifth step. The wave becomes steeper and slower. */
static void test_bounds(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_IMEX1, RW_ODE_ARK2, RW_ODE_RK4, RW_ODE_DP5, RW_ODE_RKC2};
    for (int i = 0; i < RW_COUNT(methods); ++i) {
        const bool controlled = i >= 3;
        problem p;
        int short_steps = 0, n = 0;
        if (slow() && i != 1) continue;
        describe_burgers(&p, methods[i], 0.4);
        p.spec.rtol = controlled ? 1e-2 : 0; /* the Courant number limits the steps */
        start(&p, wave);
        while (rw_ode_time(p.ode) < 0.5) {
            const double t = rw_ode_time(p.ode), before = speed(&p);
            OK(rw_ode_step(p.ode, 0.5));
            const double number = (rw_ode_time(p.ode) - t) * before;
            if (!(number <= 0.4 * (controlled ? 1 + 1e-6 : 1.02)))
                fail_msg("%s, step %d: Courant number %g", rw_ode_method_name(methods[i]), n, number);
            short_steps += number < 0.3;
            ++n;
        }
        if (!controlled) assert_true(n > 30 && short_steps <= 1); /* the last one */
        assert_true(statistics(&p).courant > 0.05 && statistics(&p).courant <= 0.41);
        finish(&p);
    }
}

/* Steps of one length between changes: recorded, they have the same bits; and so has a restarted run. */
static void test_recording_and_restart(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(given); ++i) {
        problem p, q;
        if (slow() && i != 0) continue;
        describe_burgers(&p, given[i], 0.5);
        copy_problem(&q, &p);
        q.spec.record = RW_SWITCH_OFF;
        start(&p, wave);
        start(&q, wave);
        steps(&p, 23);
        steps(&q, 23);
        assert_close(&p, &q, 0, "recorded");
        saved s = save(p.ode);
        finish(&q);
        copy_problem(&q, &p);
        start(&q, wave);
        OK(rw_array_copy(q.array[0], p.array[0], rw_device_queue(dev)));
        OK(load(q.ode, &s));
        assert_true(statistics(&q).courant == statistics(&p).courant);
        steps(&p, 14);
        steps(&q, 14);
        assert_close(&p, &q, 0, "restarted");
        assert_true(rw_ode_time(p.ode) == rw_ode_time(q.ode));
        finish(&p);
        finish(&q);
    }
}

/* Nothing moves: any step is short enough, but one must be given. */
static void test_rest(void **state)
{
    (void)state;
    problem p;
    if (slow()) skip();
    describe_burgers(&p, RW_ODE_IMEX1, 0.5);
    start(&p, still);
    assert_int_equal(rw_ode_step(p.ode, 1), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "give time.max_step"));
    finish(&p);
    describe_burgers(&p, RW_ODE_IMEX1, 0.5);
    p.spec.max_step = 0.125;
    start(&p, still);
    run_to(&p, 1);
    assert_int_equal(statistics(&p).steps, 8);
    assert_true(statistics(&p).courant == 0);
    finish(&p);
    describe_burgers(&p, RW_ODE_IMEX1, 0.5);
    p.spec.courant_one = "-1/max(abs(u)/hx)"; /* no step goes back */
    start(&p, wave);
    assert_int_equal(rw_ode_step(p.ode, 1), RW_ERR_NOT_CONVERGED);
    assert_true(rw_ode_time(p.ode) == 0);
    finish(&p);
    describe_burgers(&p, RW_ODE_IMEX1, 0.5);
    p.spec.initial_step = 1e-3;
    start(&p, wave);
    OK(rw_ode_step(p.ode, 1));
    assert_true(fabs(rw_ode_time(p.ode) - 1e-3) < 2e-6);
    finish(&p);
}

/* Given steps, far too long: within twenty of them the run ends, with the number, the place and what to do. A value
 * that is not a number never passes. */
static void test_divergence(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(given) + 1; ++i) {
        problem p;
        rw_status status = RW_OK;
        if (slow() && i != 1) continue;
        describe_burgers(&p, given[i % RW_COUNT(given)], 0);
        p.spec.step = i < RW_COUNT(given) ? 0.4 : 1e-3;
        start(&p, wave);
        if (i == RW_COUNT(given)) {
            void *w;
            OK(rw_array_write(p.array[0], &w));
            ((double *)w)[7] = NAN;
        }
        int n = 0;
        while (status == RW_OK && n < 100) {
            status = rw_ode_step(p.ode, 1e6);
            n += status == RW_OK;
        }
        print_message("%s: %d steps: %s\n", rw_ode_method_name(p.spec.method), n, rw_message(ctx));
        assert_int_equal(status, RW_ERR_NOT_CONVERGED);
        assert_true(n <= 20);
        assert_non_null(strstr(rw_message(ctx), "node ("));
        if (!strstr(rw_message(ctx), "is unstable: at t = ")) /* rk4 may say so first */
            assert_non_null(strstr(rw_message(ctx), "Courant number"));
        assert_non_null(strstr(rw_message(ctx), i < RW_COUNT(given) ? "choose a " : "check the initial values"));
        finish(&p);
    }
}

/* At the last step before a limit the state is looked at, so that none that has diverged is written. */
static void test_before_an_output(void **state)
{
    (void)state;
    problem p;
    if (slow()) skip();
    describe_burgers(&p, RW_ODE_IMEX1, 0);
    p.spec.step = 0.5;
    start(&p, wave);
    rw_status status = RW_OK;
    while (status == RW_OK && rw_ode_time(p.ode) < 4) status = rw_ode_step(p.ode, 4);
    assert_int_equal(status, RW_ERR_NOT_CONVERGED);
    assert_true(rw_ode_time(p.ode) <= 4);
    finish(&p);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        rw_ode_method method;
        double courant, step;
        const char *one, *message;
    } rows[] = {{RW_ODE_IMEX1, 0.5, 0.1, one, "beside step = 0.1"},
                {RW_ODE_IMEX1, 1.01, 0, one, "steps of imex1 are unstable above 1"},
                {RW_ODE_ARK2, 2, 0, one, "steps of ark2 are unstable above 1"},
                {RW_ODE_RK4, 3, 0, one, "steps of rk4 are unstable above 2.8"},
                {RW_ODE_RK4, 1, 0, "", "add courant_one"},
                {RW_ODE_RK4, 1, 0, NULL, "add courant_one"},
                {RW_ODE_RK4, 1, 0, "1/abs(u)", "reduce it to one number"},
                {RW_ODE_RK4, 1, 0, "1/max(abs(w))", "time.courant_one:1:11"},
                {RW_ODE_RK4, 1, 0, "1/max(", "time.courant_one:1:7"},
                {RW_ODE_RK4, -1, 0, one, "courant"},
                {RW_ODE_RK4, NAN, 0, one, "courant"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        describe_burgers(&p, rows[i].method, rows[i].courant);
        p.spec.step = rows[i].step;
        p.spec.courant_one = rows[i].one;
        const rw_status status = rw_ode_create(dev, &p.spec, &p.ode);
        if (status == RW_OK) fail_msg("row %d is accepted", i);
        assert_true(status == RW_ERR_INPUT || status == RW_ERR_ARGUMENT);
        if (!strstr(rw_message(ctx), rows[i].message)) fail_msg("row %d: %s", i, rw_message(ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_recording_and_restart), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_divergence), cmocka_unit_test(test_before_an_output),      cmocka_unit_test(test_refused),
    };
    return run_on_devices("courant", tests, RW_COUNT(tests));
}
