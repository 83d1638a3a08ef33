/* How steps are chosen: limits hit exactly, rejections, what is counted, tolerances, switches in time, and the choice
 * of a method. */
#include "../warnings.h"
#include "ode_test.h"

#define DIRICHLET(u)                                                                                                   \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }
static const rw_boundary cold[6] = {DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), NONE, NONE};

static double one(const double x[3], int f) { return (void)x, (void)f, 1; }

static void test_limits_are_hit_exactly(void **state)
{
    (void)state;
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        problem p;
        if (!in_turn(method, 0)) continue;
        describe_coupled(&p, (rw_ode_method)method);
        start(&p, coupled_bump);
        double last = 0;
        static const double limits[] = {0.1, 0.2, 0.30000000000000004, 1. / 3, 0.35, 0.7};
        for (int i = 0; i < RW_COUNT(limits); ++i) {
            for (int n = 0; rw_ode_time(p.ode) < limits[i]; ++n) {
                OK(rw_ode_step(p.ode, limits[i]));
                assert_true(rw_ode_time(p.ode) > last && rw_ode_time(p.ode) <= limits[i]);
                last = rw_ode_time(p.ode);
                assert_true(n < 1000);
            }
            assert_true(rw_ode_time(p.ode) == limits[i]);
        }
        /* the next number is a limit too, although no step is as small */
        double next = nextafter(0.7, 1);
        OK(rw_ode_step(p.ode, next));
        assert_true(rw_ode_time(p.ode) == next);
        OK(rw_ode_step(p.ode, next + 1e-13));
        assert_true(rw_ode_time(p.ode) == next + 1e-13);
        copy before = state_of(&p);
        FAILS(RW_ERR_ARGUMENT, "time must advance", rw_ode_step(p.ode, next));
        FAILS(RW_ERR_ARGUMENT, "time must advance", rw_ode_step(p.ode, -1));
        FAILS(RW_ERR_ARGUMENT, "time must advance", rw_ode_step(p.ode, NAN));
        FAILS(RW_ERR_ARGUMENT, "to a finite value", rw_ode_step(p.ode, INFINITY));
        assert_same_bits(&p, &before, "a refused step");
        finish(&p);
    }
}

/* A run with other tolerances, steps, times and parameters uses the programs of one before it: they take these as
 * arguments. The first integrator stays alive, so that its programs are found in this process, whatever the cache
 * has. */
static void test_settings_compile_nothing(void **state)
{
    static const char *const equations =
        "r = u*v^2 + where(x > t - 0.2, 0.1, 0)\ndu/dt = 0.02*laplace(u) - k*r + 0.3*(1 - u)*cos(t)\n"
        "dv/dt = 0.01*laplace(v) + k*r - 0.5*v";
    (void)state;
    if (on("opencl") && !rw_device_info(dev)->gpu) skip(); /* seconds of PoCL a program */
    for (int method = RW_ODE_RK4; method <= RW_ODE_AUTO; ++method) {
        problem p[2];
        rw_counters before = {0}, after;
        for (int i = 0; i < 2; ++i) {
            double error;
            describe_coupled(p + i, (rw_ode_method)method);
            p[i].spec.equations = equations, p[i].spec.nscalars = 1, p[i].spec.dense = method != RW_ODE_RK4;
            if (i) { /* all that is no part of the equations */
                p[i].scalars[0].value = 1.5;
                p[i].spec.rtol = 1e-5, p[i].spec.atol = 1e-7, p[i].spec.damping = 0.9;
                p[i].spec.initial_step = 1e-3, p[i].spec.max_step = 0.05, p[i].spec.end = 0.6, p[i].spec.start = 0.01;
                if (method == RW_ODE_RK4) p[i].spec.step = 0.01;
                before = counters();
            }
            start(p + i, coupled_bump);
            run_to(p + i, i ? 0.6 : 0.5);
            if (p[i].spec.dense) OK(rw_ode_interpolate(p[i].ode, rw_ode_time(p[i].ode) - 1e-6, &error));
        }
        after = counters();
        /* a given step of rk4 has one program more, the check against instability */
        const int64_t more =
            after.compilations + after.cache_hits - before.compilations - before.cache_hits - (method == RW_ODE_RK4);
        if (more > 0)
            fail_msg("%s: %d programs are compiled, %d loaded for other settings", method_of(p[1].ode),
                     (int)(after.compilations - before.compilations), (int)(after.cache_hits - before.cache_hits));
        assert_true(after.shared - before.shared >= 4);
        finish(p), finish(p + 1);
    }
}

/* An output time does not leave short steps behind. */
static void test_a_limit_does_not_shorten_the_steps_behind_it(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    int64_t steps[2];
    for (int outputs = 0; outputs < 2; ++outputs) {
        problem p;
        describe_coupled(&p, RW_ODE_RKC2);
        start(&p, coupled_bump);
        for (int i = outputs ? 1 : 5; i <= 5; ++i) {
            run_to(&p, i * 1.0);
            if (outputs) run_to(&p, i * 1.0 + 1e-9); /* a tiny step each time */
        }
        steps[outputs] = statistics(&p).steps;
        finish(&p);
    }
    assert_true(steps[1] <= steps[0] + 15);
}

/* A step chosen much too long is rejected until it fits; the counts tell. */
static void test_rejected_steps(void **state)
{
    (void)state;
    problem p;
    describe_coupled(&p, RW_ODE_RKC2);
    p.spec.initial_step = 5, p.spec.rtol = 1e-6;
    start(&p, coupled_bump);
    OK(rw_ode_step(p.ode, 10));
    rw_ode_statistics s = statistics(&p);
    assert_true(s.rejected > 0 && s.rejected < 12 && s.steps == 1);
    assert_true(s.error > 0 && s.error <= 1 && s.step < 5 && rw_ode_time(p.ode) == s.step);
    int64_t attempts = s.rejected + 1;
    assert_true(s.rhs >= attempts * 3); /* two stages at least, and the error */
    assert_true(s.max_stages >= s.stages && s.stages >= 2);
    run_to(&p, 1);
    assert_true(statistics(&p).rejected <= s.rejected + 2);
    finish(&p);
}

/* Right-hand sides: so many an attempt (its stages, one more for the error of rkc2 and rkl2), and those for the radius.
 * With the least number of stages every attempt is the same. */
static void test_right_hand_sides_are_counted(void **state)
{
    (void)state;
    static const struct {
        rw_ode_method method;
        int stages, evaluations;
    } rows[] = {{RW_ODE_RK4, 0, 4},   {RW_ODE_RKC2, 2, 3},  {RW_ODE_RKL2, 3, 4},
                {RW_ODE_ROCK2, 3, 3}, {RW_ODE_ROCK4, 5, 5}, {RW_ODE_DP5, 0, 7}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        if (!in_turn(i, 1)) continue;
        describe_coupled(&p, rows[i].method);
        p.spec.max_stages = rows[i].stages, p.spec.rtol = 1e-6, p.spec.atol = 1e-7, p.spec.initial_step = 0.05,
        p.spec.step = 0.005;
        start(&p, coupled_bump);
        int64_t launches = 0, attempts = 0;
        double t = 0;
        for (rw_ode_statistics before = statistics(&p); rw_ode_time(p.ode) < 0.2; before = statistics(&p)) {
            rw_counters c = counters();
            OK(rw_ode_step(p.ode, 0.2));
            rw_ode_statistics s = statistics(&p);
            assert_true(s.steps == before.steps + 1 && s.rejected >= before.rejected);
            assert_true(fabs(rw_ode_time(p.ode) - t - s.step) < 1e-15 && s.error <= 1 && rw_ode_time(p.ode) <= 0.2);
            t = rw_ode_time(p.ode);
            int64_t tried = 1 + s.rejected - before.rejected;
            if (s.spectral_rhs == before.spectral_rhs) launches += counters().launches - c.launches, attempts += tried;
        }
        rw_ode_statistics s = statistics(&p);
        int64_t expected = rows[i].evaluations * (s.steps + s.rejected) + s.spectral_rhs;
        if (s.rhs != expected)
            fail_msg("%s: %lld right-hand sides, not %lld", method_of(p.ode), (long long)s.rhs, (long long)expected);
        bool fixed = rows[i].method == RW_ODE_RK4;
        assert_true(attempts > 5 && (fixed || (s.rejected > 0 && s.spectral_rhs > 0)));
        /* a kernel each, and one that ends the sum of the error */
        int64_t most = (rows[i].evaluations + !fixed) * attempts;
        /* steps 2, 4, 8, … of rk4 are checked for growth */
        for (int64_t n = 2; n <= s.steps && fixed; n *= 2) most += 2;
        /* several stages may be one kernel on a GPU */
        if (launches > most || (launches < most && !rw_device_info(dev)->gpu))
            fail_msg("%s: %lld launches in %lld attempts", method_of(p.ode), (long long)launches, (long long)attempts);
        finish(&p);
    }
}

static void test_max_step(void **state)
{
    (void)state;
    problem p;
    describe_coupled(&p, RW_ODE_RKC2);
    p.spec.max_step = 0.01, p.spec.rtol = 0.1;
    start(&p, coupled_bump);
    double t = 0;
    while (t < 0.3) {
        OK(rw_ode_step(p.ode, 0.3));
        assert_true(rw_ode_time(p.ode) - t <= 0.01 * (1 + 1e-9));
        t = rw_ode_time(p.ode);
    }
    assert_in_range(statistics(&p).steps, 30, 40);
    finish(&p);
}

/* Looser tolerances, fewer steps. */
static void test_tolerances_count(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    int64_t last = 0;
    for (int i = 2; i <= 8; i += 2) {
        problem p;
        describe_coupled(&p, RW_ODE_RKC2);
        p.spec.rtol = p.spec.atol = pow(10, -i);
        start(&p, coupled_bump);
        run_to(&p, 1);
        assert_true(statistics(&p).steps > last);
        last = statistics(&p).steps;
        finish(&p);
    }
}

/* Arrays that start where nothing happens. */
static void test_a_state_at_rest(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        problem p;
        if (!in_turn(method, 2)) continue;
        describe(&p, "du/dt = 0*u", 1, 1, 8, NULL);
        p.spec.method = (rw_ode_method)method;
        start(&p, one);
        run_to(&p, 100);
        assert_in_range(statistics(&p).steps, 1, 3); /* nothing limits the step */
        assert_true(largest_error(&p, one) == 0);
        finish(&p);
    }
}

/* A comparison of times switches the rate: a step ends before it and the next begins behind it, so that no step sees
 * both. */
static void test_switches(void **state)
{
    (void)state;
    for (int method = RW_ODE_RKC2; method <= RW_ODE_DP5; ++method) {
        problem p;
        if (!in_turn(method, 1)) continue;
        describe(&p, "du/dt = where(t >= k, 3, 0) - where(t < 0.75, 1, 0) + 0*u", 1, 1, 8, NULL);
        p.scalars[0] = (rw_expr_scalar){.name = "k", .value = 0.3}, p.spec.nscalars = 1;
        p.spec.method = (rw_ode_method)method, p.spec.rtol = p.spec.atol = 1e-6;
        start(&p, one);
        run_to(&p, 0.3); /* a limit beside a switch */
        run_to(&p, 1);
        /* 1 + 3 (1 - 0.3) - 0.75 */
        double u = numbers_of(p.array[0])[4];
        if (fabs(u - 2.35) > 1e-13) fail_msg("method %d: %.17g", method, u);
        assert_int_equal(statistics(&p).rejected, 0);
        finish(&p);
    }
}

/* AUTO: what it becomes, and that it says why; a restart takes the same method to the same bits. */
static void test_auto(void **state)
{
    (void)state;
    static const struct {
        const char *equations;
        double rtol, end;
        const char *method, *reason, *radius;
    } cases[] = {{"du/dt = laplace(u) + u*(1 - u)", 1e-6, 1, "rock4", "stiff, eigenvalues near the negative real axis",
                  NULL},
                 {"du/dt = laplace(u) + u*(1 - u)", 1e-3, 1, "rkc2", "tolerance 1.0e-03 is above 3e-04", NULL},
                 {"du/dt = 0.004*laplace(u) + u*(1 - u)", 1e-6, 1, "dp5", "not stiff", NULL},
                 {"du/dt = 5*dx(u) + 0.01*laplace(u)", 1e-6, 1, "dp5", "away from the negative real axis", NULL},
                 {"du/dt = -5*dx(u)", 1e-4, 1, "dp5", "away from the negative real axis", "power"},
                 {"du/dt = laplace(u) + u*(1 - u)", 1e-6, 1, "rock4", "stiff", "power"}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p, q;
        if (!in_turn(i, 0)) continue;
        describe(&p, cases[i].equations, 1, 1, 24, cold);
        p.spec.method = RW_ODE_AUTO, p.spec.rtol = cases[i].rtol, p.spec.end = cases[i].end,
        p.spec.spectral_radius = cases[i].radius;
        q = p;
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, coupled_bump);
        assert_string_equal(method_of(p.ode), "auto");
        for (int n = 0; n < 3; ++n) OK(rw_ode_step(p.ode, cases[i].end));
        if (strcmp(method_of(p.ode), cases[i].method) || !strstr(reason_of(p.ode), cases[i].reason))
            fail_msg("%s: %s, %s", cases[i].equations, method_of(p.ode), reason_of(p.ode));
        const saved then = save(p.ode);
        start(&q, coupled_bump);
        void *w;
        OK(rw_array_write(q.array[0], &w));
        memcpy(w, numbers_of(p.array[0]), (size_t)cells_of(&p) * sizeof(double));
        OK(load(q.ode, &then));
        assert_string_equal(method_of(q.ode), cases[i].method);
        for (int n = 0; n < 3; ++n) {
            OK(rw_ode_step(p.ode, cases[i].end));
            OK(rw_ode_step(q.ode, cases[i].end));
        }
        assert_memory_equal(numbers_of(p.array[0]), numbers_of(q.array[0]), (size_t)cells_of(&p) * sizeof(double));
        finish(&p), finish(&q);
    }
}

/* ---- rk4 with its default step ----------------------------------------------------------------------------------- */

static double nothing(const double x[3], int f) { return (void)x, (void)f, 0; }
static double little(const double x[3], int f) { return (void)x, (void)f, 0.01; }
static double start_of_pair(const double x[3], int f) { return (void)x, f ? 0 : 2; }

/* Radius and sources change in time: the step follows them. Of van der Pol's equation dp5 with rtol 1e-10 gives the
 * value. */
static void test_the_default_step_of_rk4_follows(void **state)
{
    (void)state;
    static const struct {
        const char *equations;
        value_at *initial;
        double end, exact, tolerance;
    } rows[] = {{"du/dt = 1 - u^3", nothing, 100, 1, 1e-8},
                {"du/dt = -t*u", one, 10, 0, 1e-7},
                {"du/dt = cos(50*t)", nothing, 10, -0.0093554362774116, 1e-5},
                {"du/dt = sin(2*pi*t)", nothing, 10, 0, 1e-5},
                {"du/dt = -0.3*u + 1000*exp(-((t - 7.3)/0.3)^2)", one, 20, 11.8034, 1e-3},
                {"du/dt = u^2*(1 - u)", little, 200, 1, 1e-6},
                {"du/dt = -exp(t)*u + exp(t)*cos(t)", nothing, 8, -0.145168013, 1e-4},
                {"du/dt = where(u < 1, 1, -1)", nothing, 1.05, 1, 2e-3},
                {"du/dt = v\ndv/dt = 10*(1 - u^2)*v - u", start_of_pair, 60, 1.8017549, 1e-4},
                {"du/dt = 3*u - where(t > 2, 500*u, 0)", one, 3, 0, 1e-7}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        if ((i > 3 || !on("cpu")) && !in_turn(i, 0)) continue;
        describe(&p, rows[i].equations, strstr(rows[i].equations, "dv/dt") ? 2 : 1, 1, 4, NULL);
        p.spec.method = RW_ODE_RK4;
        p.spec.end = rows[i].end;
        p.spec.record = RW_SWITCH_ON;
        if (strstr(rows[i].equations, "where(u")) p.spec.rtol = p.spec.atol = 1e-4;
        start(&p, rows[i].initial);
        run_to(&p, rows[i].end);
        const double u = numbers_of(p.array[0])[1];
        if (!(fabs(u - rows[i].exact) <= rows[i].tolerance))
            fail_msg("%s: %.12g, not %.12g, after %d steps", rows[i].equations, u, rows[i].exact,
                     (int)statistics(&p).steps);
        finish(&p);
    }
}

/* Checks cost little where nothing changes, and recorded steps are replayed between them. */
static void test_the_checks_of_rk4_are_few(void **state)
{
    (void)state;
    if (on("opencl") && !rw_device_info(dev)->gpu) skip();
    problem p;
    describe(&p, "du/dt = laplace(u)", 1, 1, 32, cold);
    p.spec.method = RW_ODE_RK4, p.spec.record = RW_SWITCH_ON;
    start(&p, coupled_bump);
    run_to(&p, 0.2);
    rw_ode_statistics before = statistics(&p);
    int64_t replays = counters().replays;
    for (int n = 0; n < 260; ++n) OK(rw_ode_step(p.ode, 1000));
    const double each = (double)(statistics(&p).rhs - before.rhs) / 260;
    print_message("%.3g right-hand sides per step, %lld of 260 replayed\n", each,
                  (long long)(counters().replays - replays));
    assert_true(each >= 4.1 && each < 4.6);
    assert_true(counters().replays - replays > 200);
    assert_true(fabs(statistics(&p).step * 4 * 32 * 32 / (0.9 * 2.78) - 1) < 0.02);
    finish(&p);
}

/* Steps between two checks whose error may be too large give a warning: the equations read a clock of their own. */
static void test_rk4_warns_of_errors(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    for (int pulse = 0; pulse < 2; ++pulse) {
        problem p;
        describe(&p, "du/dt = -0.3*u + k*exp(-((v - 9.4)/0.2)^2)\ndv/dt = 1 + 0*u", 2, 1, 4, NULL);
        p.scalars[0] = (rw_expr_scalar){.name = "k", .value = pulse ? 1000 : 0};
        p.spec.nscalars = 1;
        p.spec.method = RW_ODE_RK4;
        warnings heard = {0};
        rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &heard);
        start(&p, one);
        run_to(&p, 20);
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        if (heard.n != pulse) fail_msg("%d warnings, not %d: %s", heard.n, pulse, heard.text);
        if (pulse) assert_non_null(strstr(heard.text, "the error of a step of rk4 has grown beyond time.rtol = 1e-05"));
        finish(&p);
    }
}

/* An excessive number of steps is reported before the first one; a blow-up ends the integration. */
static void test_excessive_numbers_of_steps(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const struct {
        const char *equations;
        rw_ode_method method;
        double step;
        int max_stages;
        const char *text;
    } rows[] = {{"du/dt = -1e14*u", RW_ODE_RK4, 0, 0,
                 "time.method = rk4 needs at least 4e+13 steps of at most 2.5e-14 to t = 1"},
                {"du/dt = -1e14*u", RW_ODE_RK4, 1e-14, 0, "time.step = 1e-14: 1e+14 steps to t = 1"},
                {"du/dt = -1e14*u", RW_ODE_DP5, 0, 0, "time.method = dp5 needs at least 3e+13 steps"},
                {"du/dt = 1e14*v\ndv/dt = -1e14*u", RW_ODE_AUTO, 0, 0,
                 "time.method = dp5, chosen by auto, needs at least 3e+13 steps"},
                /* circles of radius 4e6, eigenvalues up to 2000: 600 steps */
                {"du/dt = v\ndv/dt = 1e6*(laplace(u) - u)", RW_ODE_AUTO, 0, 0, NULL},
                {"du/dt = -1e14*u", RW_ODE_RKC2, 0, 0, "steps are limited by time.max_stages = 200: at most 2.6e-10"},
                {"du/dt = -1e3*u", RW_ODE_RK4, 0, 0, NULL},
                {"du/dt = -1e3*u", RW_ODE_DP5, 0, 0, NULL}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        describe(&p, rows[i].equations, strstr(rows[i].equations, "dv/dt") ? 2 : 1, 1, 4, NULL);
        p.spec.method = rows[i].method;
        p.spec.end = 1;
        p.spec.step = rows[i].step;
        warnings heard = {0};
        rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &heard);
        start(&p, one);
        OK(rw_ode_step(p.ode, 0.5)); /* an output: the number is that to the end */
        const int first = heard.n;
        for (int n = 0; n < 20; ++n) OK(rw_ode_step(p.ode, 0.5));
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        if (first != (rows[i].text != NULL) || heard.n != first)
            fail_msg("row %d: %d warnings: %s", i, heard.n, heard.text);
        assert_null(rows[i].method == RW_ODE_AUTO ? strstr(heard.text, "time.method: auto") : NULL);
        if (rows[i].text && !strstr(heard.text, rows[i].text)) fail_msg("not \"%s\": %s", rows[i].text, heard.text);
        finish(&p);
    }
}

/* ---- the choice of auto ------------------------------------------------------------------------------------------ */

/* Circles reach to the right of 0 although the eigenvalues are real; and the other way where they are not. Both methods
 * are run: the choice is the one with fewer right-hand sides, or nearly. */
static void test_auto_chooses_well(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const rw_boundary ring[6] =
        {{RW_BOUNDARY_PERIODIC, 0, 0, 0}, {RW_BOUNDARY_PERIODIC, 0, 0, 0}, NONE, NONE, NONE, NONE};
    static const struct {
        const char *equations;
        int n;
        double end;
        const char *method;
    } rows[] = {{"du/dt = -u*dx(u) - 1e-3*dxx(u) - 1e-5*dxx(dxx(u))", 64, 0.1, "rock4"}, /* Kuramoto, Sivashinsky */
                {"du/dt = dx(v*dx(u))\ndv/dt = 0*t", 32, 0.1, "rock4"},                  /* v is data */
                {"du/dt = laplace(u) + 1000*v\ndv/dt = laplace(v)", 32, 0.1, "rock4"},   /* v drives u */
                {"du/dt = laplace(u^3 - u - 1e-3*laplace(u))", 32, 0.02, "rock4"},       /* Cahn, Hilliard */
                {"du/dt = v\ndv/dt = laplace(u)", 64, 1, "dp5"},                         /* waves */
                {"du/dt = -3*dx(u) + 1e-3*laplace(u)", 64, 1, "dp5"},
                {"du/dt = 300*v\ndv/dt = -300*u", 8, 1, "dp5"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        int64_t rhs[3];
        static const rw_ode_method methods[] = {RW_ODE_AUTO, RW_ODE_DP5, RW_ODE_ROCK4};
        for (int m = 0; m < (test_long() ? 3 : 1); ++m) {
            problem p;
            describe(&p, rows[i].equations, strstr(rows[i].equations, "dv/dt") ? 2 : 1, 1, rows[i].n, NULL);
            for (int f = 0; f < FIELDS; ++f) memcpy(p.fields[f].boundary, ring, sizeof ring);
            p.spec.grid.size[0] = rows[i].n;
            p.spec.method = methods[m], p.spec.end = rows[i].end;
            start(&p, coupled_bump);
            run_to(&p, rows[i].end);
            rhs[m] = statistics(&p).rhs;
            if (!m && strcmp(method_of(p.ode), rows[i].method))
                fail_msg("%s: %s, %s", rows[i].equations, method_of(p.ode), reason_of(p.ode));
            finish(&p);
        }
        if (!test_long()) continue;
        print_message("%-50s %6lld, dp5 %6lld, rock4 %6lld\n", rows[i].equations, (long long)rhs[0], (long long)rhs[1],
                      (long long)rhs[2]);
        assert_true(rhs[0] <= RW_MIN(rhs[1], rhs[2]) * 1.05 + 120);
    }
}

static void set_values(problem *p, const copy *c)
{
    for (int f = 0; f < p->spec.nfields; ++f) {
        void *w;
        OK(rw_array_write(p->array[f], &w));
        memcpy(w, c->value[f], (size_t)cells_of(p) * sizeof(double));
    }
}

static double of_robertson(const double x[3], int f) { return (void)x, f ? 0 : 1; }

/* Robertson's reaction, w = 1 - u - v: the radius is 0.04 at t = 0 and 2000 soon. dp5 takes 104,581 steps to t = 100.
 * The change is part of the state: continued from before and from after it to the same bits. */
static void test_auto_changes_the_method(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    enum { BEFORE, AFTER, TIMES };
    problem p, q;
    saved kept[TIMES];
    copy then[TIMES];
    describe(&p, "du/dt = -0.04*u + 1e4*v*(1 - u - v)\ndv/dt = 0.04*u - 1e4*v*(1 - u - v) - 3e7*v^2", 2, 1, 2, NULL);
    p.spec.method = RW_ODE_AUTO, p.spec.rtol = 1e-5, p.spec.atol = 1e-9, p.spec.end = 100, p.spec.dense = true;
    q = p;
    q.spec.fields = q.fields, q.spec.scalars = q.scalars;
    start(&p, of_robertson);
    for (int n = 0; n < 400; ++n) OK(rw_ode_step(p.ode, 100));
    assert_string_equal(method_of(p.ode), "dp5");
    then[BEFORE] = state_of(&p), kept[BEFORE] = save(p.ode);
    while (!strcmp(method_of(p.ode), "dp5") && rw_ode_time(p.ode) < 100) OK(rw_ode_step(p.ode, 100));
    assert_string_equal(method_of(p.ode), "rock4");
    assert_non_null(strstr(reason_of(p.ode), "stiff from t = "));
    assert_false(rw_ode_has_dense_output(p.ode));
    then[AFTER] = state_of(&p), kept[AFTER] = save(p.ode);
    OK(rw_ode_undo(p.ode)); /* of the first step of the other method */
    assert_string_equal(method_of(p.ode), "rock4");
    set_values(&p, &then[AFTER]);
    OK(load(p.ode, &kept[AFTER]));
    run_to(&p, 100);
    assert_true(statistics(&p).steps < 6000);
    assert_true(fabs(numbers_of(p.array[0])[0] - 0.6172348) < 1e-4);
    const copy end = state_of(&p);
    for (int when = BEFORE; when < TIMES; ++when) {
        start(&q, of_robertson);
        set_values(&q, &then[when]);
        OK(load(q.ode, &kept[when]));
        run_to(&q, 100);
        assert_same_bits(&q, &end, when ? "continued after the change" : "continued from before the change");
        assert_true(statistics(&q).steps == statistics(&p).steps);
        if (when == AFTER) break;
        set_values(&q, &then[BEFORE]); /* back with the integrator that has changed its method */
        OK(load(q.ode, &kept[BEFORE]));
        assert_string_equal(method_of(q.ode), "dp5");
        run_to(&q, 100);
        assert_same_bits(&q, &end, "gone back to before the change");
        finish(&q);
    }
    finish(&p), finish(&q);
}

/* A review of the choice that finds no radius, since a perturbed state leaves the domain of F, ends no run. */
static void test_auto_without_a_radius(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    problem p;
    describe(&p, "du/dt = -u\ndv/dt = sqrt(u) + 0.1*cos(t)", 2, 1, 2, NULL);
    p.spec.method = RW_ODE_AUTO, p.spec.rtol = 1e-12, p.spec.atol = 1e-16, p.spec.end = 38;
    p.spec.spectral_radius = "power";
    start(&p, one);
    run_to(&p, 38);
    assert_string_equal(method_of(p.ode), "dp5");
    assert_true(statistics(&p).steps > 1000); /* two reviews */
    saved now = save(p.ode);
    *named(&now, "method") = RW_ODE_RK4; /* auto is never this */
    FAILS(RW_ERR_ARGUMENT, "method = 1: the state is that of rk4", load(p.ode, &now));
    finish(&p);
}

/* At t = 0 squares of the perturbation exceed the linear part: no distance of many radii is reported. */
static void test_auto_reports_possible_distances(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    problem p;
    rw_ode_method method;
    const char *reason;
    describe(&p, "du/dt = -0.01*u + 0.03*v\ndv/dt = -0.03*u - 0.01*v - 3e7*v^2", 2, 1, 2, NULL);
    p.spec.method = RW_ODE_AUTO, p.spec.end = 1e5;
    start(&p, of_robertson);
    OK(rw_ode_step(p.ode, 1e5));
    OK(rw_ode_get_method(p.ode, &method, &reason));
    const char *by = strstr(reason, "(by ");
    if (!by || strtod(by + 4, NULL) > 1) fail_msg("%s", reason);
    assert_non_null(strstr(reason, "may lie away from the negative real axis"));
    finish(&p);
}

/* AUTO sees jumps as the method does that it becomes. */
static void test_auto_finds_jumps(void **state)
{
    (void)state;
    int64_t steps[2];
    for (int i = 0; i < 2; ++i) {
        problem p;
        describe(&p, "du/dt = where(u < 1, 1, -1)", 1, 1, 4, NULL);
        p.spec.method = i ? RW_ODE_DP5 : RW_ODE_AUTO;
        p.spec.rtol = p.spec.atol = 1e-3;
        p.spec.end = 1.1;
        start(&p, nothing);
        run_to(&p, 1.1);
        steps[i] = statistics(&p).steps;
        assert_true(fabs(numbers_of(p.array[0])[2] - 1) < 1e-2);
        finish(&p);
    }
    assert_int_equal(steps[0], steps[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_are_hit_exactly),
        cmocka_unit_test(test_settings_compile_nothing),
        cmocka_unit_test(test_a_limit_does_not_shorten_the_steps_behind_it),
        cmocka_unit_test(test_rejected_steps),
        cmocka_unit_test(test_right_hand_sides_are_counted),
        cmocka_unit_test(test_max_step),
        cmocka_unit_test(test_tolerances_count),
        cmocka_unit_test(test_a_state_at_rest),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_the_default_step_of_rk4_follows),
        cmocka_unit_test(test_the_checks_of_rk4_are_few),
        cmocka_unit_test(test_rk4_warns_of_errors),
        cmocka_unit_test(test_excessive_numbers_of_steps),
        cmocka_unit_test(test_auto_chooses_well),
        cmocka_unit_test(test_auto_changes_the_method),
        cmocka_unit_test(test_auto_without_a_radius),
        cmocka_unit_test(test_auto_reports_possible_distances),
        cmocka_unit_test(test_auto_finds_jumps),
    };
    return run_on_devices("control", tests, RW_COUNT(tests));
}
