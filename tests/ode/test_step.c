/* Steps: limits hit exactly, rejections, growth and NaN, saving and loading, recorded steps, copies, arrays of every kind, and
 * everything that may fail once. */
#include "ode_test.h"

#define DIRICHLET(u) {RW_BOUNDARY_DIRICHLET, u, 0, 0}
#define NONE {RW_BOUNDARY_NEAREST, 0, 0, 0}
static const rw_boundary cold[FIELDS][6] = {{DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), NONE, NONE},
                                            {DIRICHLET("0"), DIRICHLET("1"), DIRICHLET("0"), DIRICHLET("0"), NONE, NONE}};

static double bump(const double x[3], int f) { return f ? 0.2 * x[0] : 4 * x[0] * (1 - x[0]); }
static double one(const double x[3], int f) { return (void)x, (void)f, 1; }

/* Gray-Scott-like: coupled, nonlinear, polynomial, nothing depends on time. */
#define COUPLED                                                                                                        \
    "r = u*v^2\n"                                                                                                      \
    "du/dt = 0.02*laplace(u) - k*r + 0.3*(1 - u)\n"                                                                    \
    "dv/dt = 0.01*laplace(v) + k*r - 0.5*v"

static void describe_coupled(problem *p, rw_ode_method method)
{
    describe(p, COUPLED, 2, 2, 14, cold[0]);
    p->scalars[0] = (rw_expr_scalar){.name = "k", .value = 2};
    p->spec.nscalars = 1, p->spec.method = method, p->spec.rtol = 1e-4, p->spec.atol = 1e-6;
}

typedef struct copy { double value[FIELDS][15 * 15]; } copy;
static copy state_of(problem *p)
{
    copy c = {{{0}}};
    for (int f = 0; f < p->spec.nfields; ++f) memcpy(c.value[f], numbers_of(p->array[f]), (size_t)cells_of(p) * sizeof(double));
    return c;
}
static void assert_same_bits(problem *p, const copy *expected, const char *what)
{
    copy c = state_of(p);
    if (memcmp(&c, expected, sizeof c)) fail_msg("%s: other bits", what);
}

/* ---- step control ----------------------------------------------------------------------------------------------------------- */

static void test_limits_are_hit_exactly(void **state)
{
    (void)state;
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        problem p;
        describe_coupled(&p, (rw_ode_method)method);
        start(&p, bump);
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
        FAILS(RW_ERR_ARGUMENT, "time runs forward", rw_ode_step(p.ode, next));
        FAILS(RW_ERR_ARGUMENT, "time runs forward", rw_ode_step(p.ode, -1));
        FAILS(RW_ERR_ARGUMENT, "time runs forward", rw_ode_step(p.ode, NAN));
        FAILS(RW_ERR_ARGUMENT, "to an end", rw_ode_step(p.ode, INFINITY));
        assert_same_bits(&p, &before, "a refused step");
        finish(&p);
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
        start(&p, bump);
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
    start(&p, bump);
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

static void test_max_step(void **state)
{
    (void)state;
    problem p;
    describe_coupled(&p, RW_ODE_RKC2);
    p.spec.max_step = 0.01, p.spec.rtol = 0.1;
    start(&p, bump);
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
        start(&p, bump);
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
        describe(&p, "du/dt = 0*u", 1, 1, 8, NULL);
        p.spec.method = (rw_ode_method)method;
        start(&p, one);
        run_to(&p, 100);
        assert_in_range(statistics(&p).steps, 1, 3); /* nothing limits the step */
        assert_true(largest_error(&p, one) == 0);
        finish(&p);
    }
}

/* A comparison of times switches the rate: a step ends before it and the next begins behind it, so that no step sees both. */
static void test_switches(void **state)
{
    (void)state;
    for (int method = RW_ODE_RKC2; method <= RW_ODE_DP5; ++method) {
        problem p;
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
    static const struct { const char *equations; double rtol, end; const char *method, *reason; } cases[] = {
        {"du/dt = laplace(u) + u*(1 - u)", 1e-6, 1, "rock4", "stiff, eigenvalues near the negative real axis"},
        {"du/dt = laplace(u) + u*(1 - u)", 1e-3, 1, "rock2", "tolerance 1.0e-03 is above 3e-04"},
        {"du/dt = 0.004*laplace(u) + u*(1 - u)", 1e-6, 1, "dp5", "not stiff"},
        {"du/dt = 5*dx(u) + 0.01*laplace(u)", 1e-6, 1, "dp5", "away from the real axis"}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p, q;
        double saved[RW_ODE_STATE];
        describe(&p, cases[i].equations, 1, 1, 24, cold[0]);
        p.spec.method = RW_ODE_AUTO, p.spec.rtol = cases[i].rtol, p.spec.end = cases[i].end;
        q = p;
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, bump);
        assert_string_equal(rw_ode_method_name(p.ode), "auto");
        for (int n = 0; n < 3; ++n) OK(rw_ode_step(p.ode, cases[i].end));
        if (strcmp(rw_ode_method_name(p.ode), cases[i].method) || !strstr(rw_ode_reason(p.ode), cases[i].reason))
            fail_msg("%s: %s, %s", cases[i].equations, rw_ode_method_name(p.ode), rw_ode_reason(p.ode));
        rw_ode_save(p.ode, saved);
        start(&q, bump);
        void *w;
        OK(rw_array_write(q.array[0], &w));
        memcpy(w, numbers_of(p.array[0]), (size_t)cells_of(&p) * sizeof(double));
        OK(rw_ode_load(q.ode, saved));
        assert_string_equal(rw_ode_method_name(q.ode), cases[i].method);
        for (int n = 0; n < 3; ++n) {
            OK(rw_ode_step(p.ode, cases[i].end));
            OK(rw_ode_step(q.ode, cases[i].end));
        }
        assert_memory_equal(numbers_of(p.array[0]), numbers_of(q.array[0]), (size_t)cells_of(&p) * sizeof(double));
        finish(&p), finish(&q);
    }
}

/* ---- no way on --------------------------------------------------------------------------------------------------------------- */

/* u' = u^2 from 1: infinite at t = 1. */
static void test_growth_without_bound(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    problem p;
    describe(&p, "du/dt = u^2", 1, 1, 8, NULL);
    p.spec.method = RW_ODE_RKC2;
    start(&p, one);
    rw_status status = RW_OK;
    copy before = {{{0}}};
    double t = 0;
    for (int n = 0; status == RW_OK && n < 20000; ++n) {
        before = state_of(&p), t = rw_ode_time(p.ode);
        status = rw_ode_step(p.ode, 2);
    }
    assert_int_equal(status, RW_ERR_NOT_CONVERGED);
    assert_non_null(strstr(rw_message(ctx), "the step has shrunk to "));
    assert_non_null(strstr(rw_message(ctx), "the solution grows without bound or the tolerances "));
    if (!(t > 0.99 && t <= 1.001 && rw_ode_time(p.ode) == t)) fail_msg("u' = u^2 ends at t = %.17g", t);
    assert_same_bits(&p, &before, "a step that did not succeed"); /* the state is that before the step */
    for (int64_t c = 0; c < cells_of(&p); ++c) assert_true(isfinite(before.value[0][c]));
    assert_true(rw_ode_step(p.ode, 2) == RW_ERR_NOT_CONVERGED); /* and again */
    assert_same_bits(&p, &before, "a second step that did not succeed");
    finish(&p);
}

static void test_a_rate_that_is_not_a_number(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    /* not finite from the beginning, behind a derivative that is; and from t = 0.5 on, which no step passes */
    static const char *const equations[] = {"du/dt = -u + where(x < 0.5, 0, log(-1 - 0*u))", "du/dt = -u + sqrt(0.5 - t)"};
    for (int i = 0; i < 2; ++i) {
        problem p;
        describe(&p, equations[i], 1, 1, 8, NULL);
        p.spec.method = RW_ODE_RKC2;
        start(&p, one);
        rw_status status = RW_OK;
        copy before = {{{0}}};
        for (int n = 0; status == RW_OK && n < 1000; ++n) {
            before = state_of(&p);
            status = rw_ode_step(p.ode, 1);
        }
        assert_int_equal(status, RW_ERR_NOT_CONVERGED);
        assert_same_bits(&p, &before, "not a number");
        if (i) assert_true(fabs(rw_ode_time(p.ode) - 0.5) < 1e-6);
        else assert_true(rw_ode_time(p.ode) == 0);
        for (int64_t c = 0; c < cells_of(&p); ++c) assert_true(isfinite(before.value[0][c]));
        finish(&p);
    }
}

/* Initial values that are not finite are told, and left as they are. */
static double spoiled(const double x[3], int f) { return (void)f, x[0] > 0.5 ? NAN : 1; }
static void test_a_state_that_is_not_a_number(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const radii[] = {"auto", "power", "10"};
    for (int i = 0; i < 3; ++i) {
        problem p;
        describe(&p, "du/dt = -u^3", 1, 1, 8, NULL);
        p.spec.method = RW_ODE_RKC2, p.spec.spectral_radius = radii[i];
        start(&p, spoiled);
        assert_int_equal(rw_ode_step(p.ode, 1), RW_ERR_NOT_CONVERGED);
        assert_true(rw_ode_time(p.ode) == 0 && numbers_of(p.array[0])[0] == 1);
        finish(&p);
    }
}

/* ---- save and load ---------------------------------------------------------------------------------------------------------------- */

/* Twelve steps without a break, and five, a new integrator with new arrays, and seven: the same bits. */
static void test_saving_and_loading_continues_to_the_same_bits(void **state)
{
    (void)state;
    static const struct { rw_ode_method method; double step; const char *radius; } cases[] = {
        {RW_ODE_RK4, 0.004, "auto"}, {RW_ODE_RK4, 0, "auto"}, {RW_ODE_RKC2, 0, "auto"}, {RW_ODE_RKC2, 0, "power"}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        if (on("opencl") && (i == 0 || i == 3)) continue;
        problem p, q;
        double saved[RW_ODE_STATE], at_end[RW_ODE_STATE], again[RW_ODE_STATE];
        describe_coupled(&p, cases[i].method);
        p.spec.step = cases[i].step, p.spec.record = true, p.spec.spectral_radius = cases[i].radius;
        q = p;
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, bump);
        for (int n = 0; n < 5; ++n) OK(rw_ode_step(p.ode, 3));
        rw_ode_save(p.ode, saved);
        copy middle = state_of(&p);
        start(&q, one);
        for (int f = 0; f < 2; ++f) {
            void *w;
            OK(rw_array_write(q.array[f], &w));
            memcpy(w, middle.value[f], (size_t)cells_of(&q) * sizeof(double));
        }
        OK(rw_ode_load(q.ode, saved));
        assert_true(rw_ode_time(q.ode) == rw_ode_time(p.ode));
        for (int n = 0; n < 7; ++n) {
            OK(rw_ode_step(p.ode, 3));
            OK(rw_ode_step(q.ode, 3));
            assert_true(rw_ode_time(q.ode) == rw_ode_time(p.ode));
        }
        copy end = state_of(&p);
        assert_same_bits(&q, &end, "continued by another integrator");
        rw_ode_save(p.ode, at_end), rw_ode_save(q.ode, again);
        assert_memory_equal(at_end, again, sizeof again);
        /* back to the middle with the integrator that has gone on */
        for (int f = 0; f < 2; ++f) {
            void *w;
            OK(rw_array_write(p.array[f], &w));
            memcpy(w, middle.value[f], (size_t)cells_of(&p) * sizeof(double));
        }
        OK(rw_ode_load(p.ode, saved));
        for (int n = 0; n < 7; ++n) OK(rw_ode_step(p.ode, 3));
        assert_same_bits(&p, &end, "gone back and continued");
        finish(&p), finish(&q);
    }
}

/* ---- recorded steps --------------------------------------------------------------------------------------------------------------- */

static void describe_recorded(problem *p, bool record)
{
    describe_coupled(p, RW_ODE_RK4);
    p->spec.step = 0.005, p->spec.record = record;
}

static void test_recorded_steps_have_the_bits_of_plain_ones(void **state)
{
    (void)state;
    problem p, q;
    describe_recorded(&p, true), describe_recorded(&q, false);
    q.spec.fields = q.fields, q.spec.scalars = q.scalars;
    start(&p, bump), start(&q, bump);
    static const double limits[] = {0.1, 0.1025, 0.2}; /* a shorter step in between */
    for (int i = 0; i < RW_COUNT(limits); ++i) run_to(&p, limits[i]), run_to(&q, limits[i]);
    copy expected = state_of(&q);
    assert_same_bits(&p, &expected, "recorded");
    assert_int_equal(statistics(&p).steps, statistics(&q).steps);
    assert_true(counters().replays > 20);
    finish(&p), finish(&q);
}

/* What is recorded must not outlive what it was recorded with. */
static void test_changes_void_the_recording(void **state)
{
    (void)state;
    for (int change = 0; change < 4; ++change) {
        problem p, q;
        describe_recorded(&p, true), describe_recorded(&q, false);
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, bump), start(&q, bump);
        problem *both[] = {&p, &q};
        for (int i = 0; i < 2; ++i) {
            problem *r = both[i];
            run_to(r, 0.05); /* recorded by now */
            rw_array *other = new_array(RW_F64, cells_of(r), RW_MEMORY_DEVICE);
            OK(rw_array_copy(other, r->array[1], queue));
            if (change == 0) OK(rw_ode_set(r->ode, "k", 5));
            if (change == 1 || change == 2) { /* another array for the second field, one of the first's address perhaps */
                OK(rw_ode_bind(r->ode, "v", other));
                rw_array *old = r->array[1];
                r->array[1] = other, other = old;
            }
            if (change == 3) OK(rw_array_swap(r->array[1], other)); /* the array keeps being the field, in other memory */
            if (change == 2) rw_array_destroy(&other);
            run_to(r, 0.1);
            rw_array_destroy(&other);
        }
        copy expected = state_of(&q);
        static const char *const names[] = {"a scalar", "another array", "another array, the old one destroyed", "exchanged memory"};
        assert_same_bits(&p, &expected, names[change]);
        finish(&p), finish(&q);
    }
}

/* Equations with t in them are not replayed: each step is another one. */
static void test_time_is_not_recorded(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    static const rw_boundary moving[6] = {DIRICHLET("t"), DIRICHLET("0"), NONE, NONE, NONE, NONE};
    for (int i = 0; i < 2; ++i) {
        problem p;
        describe(&p, i ? "du/dt = 0.1*laplace(u)" : "du/dt = -u + cos(5*t)", 1, 1, 8, i ? moving : NULL);
        p.spec.step = 0.01, p.spec.record = true;
        start(&p, one);
        rw_counters c = counters();
        run_to(&p, 0.5);
        assert_int_equal(counters().replays, c.replays);
        if (!i) { /* u = (cos 5t + 5 sin 5t)/26 + 25/26 exp(-t) */
            double u = (cos(2.5) + 5 * sin(2.5)) / 26 + 25. / 26 * exp(-0.5);
            assert_true(fabs(numbers_of(p.array[0])[3] - u) < 1e-8);
        }
        finish(&p);
    }
}

/* ---- copies, programs ----------------------------------------------------------------------------------------------------------------- */

static void test_1000_steps_no_field_copied(void **state)
{
    (void)state;
    static const struct { rw_ode_method method; bool record; } cases[] = {{RW_ODE_RK4, false}, {RW_ODE_RK4, true}, {RW_ODE_RKC2, false}, {RW_ODE_ROCK4, false}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p;
        describe_coupled(&p, cases[i].method);
        p.spec.record = cases[i].record;
        if (cases[i].method != RW_ODE_RK4) p.spec.max_step = 0.001;
        else p.spec.step = 0.001;
        int steps = on("check") ? 20 : 1000;
        start(&p, bump);
        for (int n = 0; n < 3; ++n) OK(rw_ode_step(p.ode, 10)); /* what is made at first */
        rw_counters a = counters();
        for (int n = 0; n < steps; ++n) OK(rw_ode_step(p.ode, 10));
        rw_counters b = counters();
        assert_int_equal(b.copies_in, a.copies_in);
        assert_int_equal(b.copies_device, a.copies_device);
        assert_int_equal(b.compilations + b.cache_hits + b.shared, a.compilations + a.cache_hits + a.shared);
        assert_int_equal(b.bytes_allocated, a.bytes_allocated);
        /* one number a step, the error, and the radius now and then: 8 bytes each */
        int64_t numbers = discrete() && cases[i].method != RW_ODE_RK4 ? 2 * steps : 0;
        assert_true(b.copies_out - a.copies_out <= numbers && b.bytes_out - a.bytes_out <= 16 * numbers);
        assert_true(b.launches > a.launches + 3 * steps);
        finish(&p);
    }
}

/* ---- arrays of every kind --------------------------------------------------------------------------------------------------------------- */

static void test_every_kind_of_array_may_hold_the_state(void **state)
{
    (void)state;
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        copy expected = {{{0}}};
        for (int kind = 0; kind < 5; ++kind) { /* device, pinned, managed, borrowed, own */
            problem p;
            describe_coupled(&p, (rw_ode_method)method);
            if (kind == 2 && !rw_device_info(dev)->managed) continue;
            const rw_grid *g = &p.spec.grid;
            const int64_t shape[] = {g->size[1], g->size[0]}, n = cells_of(&p);
            double *data[2];
            OK(rw_ode_create(dev, &p.spec, &p.ode));
            for (int f = 0; f < 2; ++f) {
                data[f] = malloc((size_t)n * sizeof(double));
                for (int64_t c = 0; c < n; ++c) {
                    double x[3];
                    place_of(&p, c, x);
                    data[f][c] = bump(x, f);
                }
                if (kind < 3) {
                    void *w;
                    OK(rw_array_create(dev, RW_F64, 2, shape, (rw_memory)kind, &p.array[f]));
                    OK(rw_array_write(p.array[f], &w));
                    memcpy(w, data[f], (size_t)n * sizeof(double));
                } else {
                    OK(rw_array_create_from(dev, RW_F64, 2, shape, data[f], kind == 3 ? RW_BORROW : RW_OWN, &p.array[f]));
                }
                OK(rw_ode_bind(p.ode, p.fields[f].name, p.array[f]));
            }
            for (int i = 0; i < 7; ++i) OK(rw_ode_step(p.ode, 1));
            if (kind == 0) expected = state_of(&p);
            assert_same_bits(&p, &expected, "another kind of array");
            if (kind == 3)
                for (int f = 0; f < 2; ++f) /* asked for, the state is in the caller's memory */
                    assert_memory_equal(data[f], expected.value[f], (size_t)n * sizeof(double));
            finish(&p);
            for (int f = 0; f < 2 && kind != 4; ++f) free(data[f]);
        }
    }
}

static void test_binding(void **state)
{
    (void)state;
    problem p;
    describe_coupled(&p, RW_ODE_RK4);
    OK(rw_ode_create(dev, &p.spec, &p.ode));
    rw_array *a = new_array(RW_F64, cells_of(&p), RW_MEMORY_DEVICE), *few = new_array(RW_F64, 5, RW_MEMORY_DEVICE),
             *f32 = new_array(RW_F32, cells_of(&p), RW_MEMORY_DEVICE);
    FAILS(RW_ERR_ARGUMENT, "field u has no array: call rw_ode_bind first", rw_ode_step(p.ode, 1));
    FAILS(RW_ERR_ARGUMENT, "no field w", rw_ode_bind(p.ode, "w", a));
    FAILS(RW_ERR_ARGUMENT, "the array given is 5 f64", rw_ode_bind(p.ode, "u", few));
    FAILS(RW_ERR_ARGUMENT, "f32 on", rw_ode_bind(p.ode, "u", f32));
    OK(rw_ode_bind(p.ode, "u", a));
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields u and v", rw_ode_bind(p.ode, "v", a));
    FAILS(RW_ERR_ARGUMENT, "field v has no array", rw_ode_step(p.ode, 1));
    FAILS(RW_ERR_ARGUMENT, "no parameter q", rw_ode_set(p.ode, "q", 1));
    rw_device *other;
    rw_array *elsewhere;
    const int64_t n = cells_of(&p);
    OK(rw_device_open(ctx, "cpu:1", &other));
    OK(rw_array_create(other, RW_F64, 1, &n, RW_MEMORY_DEVICE, &elsewhere));
    FAILS(RW_ERR_ARGUMENT, "on cpu:1", rw_ode_bind(p.ode, "v", elsewhere));
    rw_array_destroy(&elsewhere);
    rw_device_close(&other);
    finish(&p);
    rw_array_destroy(&a), rw_array_destroy(&few), rw_array_destroy(&f32);
}

static void test_specifications(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const rw_boundary imaginary[6] = {DIRICHLET("1i"), DIRICHLET("0"), NONE, NONE, NONE, NONE};
    struct { rw_status status; const char *message; problem p; } bad[24];
    int n = 0;
#define BAD(status_, message_, change)                                                                                 \
    do {                                                                                                               \
        bad[n].status = status_, bad[n].message = message_;                                                            \
        problem *p = &bad[n++].p;                                                                                      \
        describe(p, "du/dt = k*laplace(u)", 1, 1, 16, NULL);                                                           \
        p->scalars[0] = (rw_expr_scalar){.name = "k", .value = 3};                                                     \
        p->spec.nscalars = 1;                                                                                          \
        change;                                                                                                        \
    } while (0)
    BAD(RW_ERR_ARGUMENT, "method 7", p->spec.method = (rw_ode_method)7);
    BAD(RW_ERR_INPUT, "no fields", p->spec.nfields = 0);
    BAD(RW_ERR_ARGUMENT, "4 dimensions", p->spec.grid.ndim = 4);
    BAD(RW_ERR_INPUT, "grid.size = 0", p->spec.grid.size[0] = 0);
    BAD(RW_ERR_ARGUMENT, "2^57", p->spec.grid.size[0] = INT64_MAX / 2);
    BAD(RW_ERR_ARGUMENT, "spacing 0", p->spec.grid.spacing[0] = 0);
    BAD(RW_ERR_ARGUMENT, "spacing nan", p->spec.grid.spacing[0] = NAN);
    BAD(RW_ERR_ARGUMENT, "order = 3", p->spec.order = 3);
    BAD(RW_ERR_ARGUMENT, "time.step = nan", p->spec.step = NAN);
    BAD(RW_ERR_ARGUMENT, "time.rtol = -1", p->spec.rtol = -1);
    BAD(RW_ERR_ARGUMENT, "time.start = inf", p->spec.start = INFINITY);
    BAD(RW_ERR_ARGUMENT, "time.max_stages = 1 ", (p->spec.method = RW_ODE_RKC2, p->spec.max_stages = 1));
    BAD(RW_ERR_ARGUMENT, "time.max_stages = -5 ", p->spec.max_stages = -5);
    BAD(RW_ERR_ARGUMENT, "dtype u8", p->fields[0].dtype = RW_U8);
    BAD(RW_ERR_ARGUMENT, "equations = NULL", p->spec.equations = NULL);
    BAD(RW_ERR_INPUT, "there is no equation for field u", p->spec.equations = "");
    BAD(RW_ERR_INPUT, "a second equation for du/dt", p->spec.equations = "du/dt = u\ndu/dt = 2*u");
    BAD(RW_ERR_INPUT, "there is no field w", p->spec.equations = "du/dt = u\ndw/dt = u");
    BAD(RW_ERR_INPUT, "field u is assigned", p->spec.equations = "u = 1\ndu/dt = u");
    BAD(RW_ERR_INPUT, "is complex, the field u real", p->spec.equations = "du/dt = 1i*u");
    BAD(RW_ERR_INPUT, "is a vector", (p->spec.grid.ndim = 2, p->spec.grid.size[1] = 4, p->spec.equations = "du/dt = grad(u)"));
    BAD(RW_ERR_INPUT, "both a field and a parameter", p->scalars[0].name = "u");
    BAD(RW_ERR_INPUT, "boundary of u: a complex value for a real field", memcpy(p->fields[0].boundary, imaginary, sizeof imaginary));
    BAD(RW_ERR_INPUT, "declared twice", (p->spec.nfields = 2, p->fields[1] = p->fields[0], p->spec.equations = "du/dt = u"));
    for (int i = 0; i < n; ++i) {
        bad[i].p.spec.fields = bad[i].p.fields, bad[i].p.spec.scalars = bad[i].p.scalars;
        bad[i].p.ode = (rw_ode *)state;
        if (rw_ode_create(dev, &bad[i].p.spec, &bad[i].p.ode) == RW_OK) fail_msg("no error: %s", bad[i].message);
        FAILS(bad[i].status, bad[i].message, rw_ode_create(dev, &bad[i].p.spec, &bad[i].p.ode));
        assert_null(bad[i].p.ode);
    }
    problem p;
    describe(&p, "du/dt = u", 1, 3, 4, NULL);
    assert_int_equal(rw_ode_bytes(&p.spec), 4 * 125 * 8);
    p.spec.method = RW_ODE_RKC2;
    assert_int_equal(rw_ode_bytes(&p.spec), 3 * 125 * 8);
    p.spec.grid.size[0] = INT64_MAX / 2;
    assert_true(rw_ode_bytes(&p.spec) == INT64_MAX);
}

static void test_explain(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        problem p;
        char *text;
        describe_coupled(&p, (rw_ode_method)method);
        start(&p, bump);
        OK(rw_ode_explain(p.ode, &text));
        static const char *const words[] = {"rk4: a step is four kernels", "rkc2: a step of s stages", "rkl2: a step of s stages",
                                            "rock2: a step of s stages", "rock4: a step of s stages", "dp5: a step is six kernels"};
        assert_non_null(strstr(text, words[method]));
        assert_non_null(strstr(text, "bytes"));
        free(text);
        finish(&p);
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------------------------------- */

typedef struct life {
    rw_ode_method method;
    bool record;
    const char *radius;
    rw_array *u;
} life;

/* Create, bind, five steps, destroy. */
static rw_status live(void *user)
{
    life *l = user;
    problem p;
    describe(&p, "du/dt = 0.1*laplace(u) - u^3", 1, 1, 8, NULL);
    p.spec.method = l->method, p.spec.record = l->record, p.spec.step = l->method == RW_ODE_RK4 ? 0.01 : 0, p.spec.spectral_radius = l->radius;
    rw_ode_statistics s;
    void *w;
    rw_status status = rw_array_write(l->u, &w);
    for (int i = 0; i < 9 && status == RW_OK; ++i) ((double *)w)[i] = 0.1 * i;
    p.ode = NULL;
    if (status == RW_OK) status = rw_ode_create(dev, &p.spec, &p.ode);
    if (status == RW_OK) status = rw_ode_bind(p.ode, "u", l->u);
    for (int i = 0; i < 5 && status == RW_OK; ++i) status = rw_ode_step(p.ode, 1);
    if (status == RW_OK) s = rw_ode_get_statistics(p.ode);
    if (status == RW_OK && s.steps != 5) status = RW_ERR_INTERNAL;
    rw_ode_destroy(&p.ode);
    return status;
}

static void test_everything_may_fail_once(void **state)
{
    (void)state;
    static const life lives[] = {{RW_ODE_RK4, true, "auto", NULL}, {RW_ODE_RKC2, false, "auto", NULL},
                                 {RW_ODE_RKC2, false, "power", NULL}, {RW_ODE_ROCK4, false, "auto", NULL}, {RW_ODE_AUTO, false, "auto", NULL}};
    for (int i = 0; i < RW_COUNT(lives); ++i) {
        if (on("opencl") && i != 0) continue;
        life l = lives[i];
        l.u = new_ramp(9, 0.1, 0.1);
        OK(live(&l)); /* programs are on disk now */
        int arrays = each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l);
        int launches = each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, live, &l);
        assert_true(arrays >= 3 && launches >= 8);
        /* the later ones meet mostly what the first has met */
        static const int stride[] = {1, 3, 7, 7, 7};
        int allocations = on("cpu") ? each_nth_fault(stride[i], RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l) : 0;
        rw_context_set_cache(ctx, false, NULL, false);
        int programs = on("opencl") ? 0 : each_fault(RW_FAULT_COMPILE, RW_ERR_COMPILE, RW_ERR_COMPILE, live, &l);
        rw_context_set_cache(ctx, true, NULL, false);
        if (!on("opencl")) assert_true(programs >= (i ? 7 : 4));
        print_message("%d arrays, %d launches, %d allocations, %d programs failed once\n", arrays, launches, allocations, programs);
        rw_array_destroy(&l.u);
    }
}

/* A step that failed for want of something can be taken again. */
static void test_a_failed_step_may_be_repeated(void **state)
{
    (void)state;
    static const rw_fault kinds[] = {RW_FAULT_LAUNCH, RW_FAULT_ALLOC, RW_FAULT_DEVICE_ALLOC, RW_FAULT_COMPILE};
    static const rw_status wanted[] = {RW_ERR_LAUNCH, RW_ERR_MEMORY, RW_ERR_MEMORY, RW_ERR_COMPILE};
    if (on("opencl")) skip();
    problem q;
    describe_coupled(&q, RW_ODE_RKC2);
    start(&q, bump);
    for (int i = 0; i < 3; ++i) OK(rw_ode_step(q.ode, 1));
    copy expected = state_of(&q);
    finish(&q);
    for (int k = 0; k < RW_COUNT(kinds); ++k) {
        problem p;
        describe_coupled(&p, RW_ODE_RKC2);
        start(&p, bump);
        for (int i = 0; i < 3; ++i) {
            rw_context_set_cache(ctx, kinds[k] != RW_FAULT_COMPILE, NULL, false);
            copy before = state_of(&p);
            double t = rw_ode_time(p.ode);
            rw_fault_set(kinds[k], 1);
            rw_status status = rw_ode_step(p.ode, 1);
            rw_fault_set(kinds[k], 0);
            rw_context_set_cache(ctx, true, NULL, false);
            if (status == RW_OK) continue; /* nothing of the kind is needed any more */
            assert_int_equal(status, wanted[k]);
            assert_true(rw_ode_time(p.ode) == t);
            assert_same_bits(&p, &before, "a failed step");
            OK(rw_ode_step(p.ode, 1));
        }
        assert_same_bits(&p, &expected, "failed and repeated");
        finish(&p);
    }
}

/* The integrator keeps its device; context, device and arrays may go in any order. */
static void test_destruction_in_any_order(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    problem p;
    rw_device *mine = dev, *own;
    OK(rw_device_open(ctx, rw_device_info(dev)->name, &own));
    dev = own;
    describe_coupled(&p, RW_ODE_RKC2);
    start(&p, bump);
    OK(rw_ode_step(p.ode, 1));
    rw_device_close(&own);
    OK(rw_ode_step(p.ode, 1));
    for (int f = 0; f < 2; ++f) rw_array_destroy(&p.array[f]);
    finish(&p);
    dev = mine;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_are_hit_exactly),
        cmocka_unit_test(test_a_limit_does_not_shorten_the_steps_behind_it),
        cmocka_unit_test(test_rejected_steps),
        cmocka_unit_test(test_max_step),
        cmocka_unit_test(test_tolerances_count),
        cmocka_unit_test(test_a_state_at_rest),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_growth_without_bound),
        cmocka_unit_test(test_a_rate_that_is_not_a_number),
        cmocka_unit_test(test_a_state_that_is_not_a_number),
        cmocka_unit_test(test_saving_and_loading_continues_to_the_same_bits),
        cmocka_unit_test(test_recorded_steps_have_the_bits_of_plain_ones),
        cmocka_unit_test(test_changes_void_the_recording),
        cmocka_unit_test(test_time_is_not_recorded),
        cmocka_unit_test(test_1000_steps_no_field_copied),
        cmocka_unit_test(test_every_kind_of_array_may_hold_the_state),
        cmocka_unit_test(test_binding),
        cmocka_unit_test(test_specifications),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_everything_may_fail_once),
        cmocka_unit_test(test_a_failed_step_may_be_repeated),
        cmocka_unit_test(test_destruction_in_any_order),
    };
    return run_on_devices("step", tests, RW_COUNT(tests));
}
