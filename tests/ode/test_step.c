/* Steps and what they work on: saving and loading, recorded steps, copies, arrays of every kind, and everything that
 * may fail once. (test_control.c: how steps are chosen; test_failure.c: steps that cannot succeed.) */
/* TEST: devices=all */
#include "../values.h"
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

static double one(const double x[3], int f) { return (void)x, (void)f, 1; }

/* ---- save and load ----------------------------------------------------------------------------------------------- */

/* Twelve steps without a break, and five, a new integrator with new arrays, and seven: the same bits. */
static void test_saving_and_loading_continues_to_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        rw_ode_method method;
        double step;
        const char *radius;
    } cases[] = {{RW_ODE_RK4, 0.004, "auto"},
                 {RW_ODE_RK4, 0, "auto"},
                 {RW_ODE_RKC2, 0, "auto"},
                 {RW_ODE_RKC2, 0, "power"}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        if (on("opencl") && (i == 0 || i == 3 || (i == 1 && brief()))) continue;
        problem p, q;
        describe_coupled(&p, cases[i].method);
        p.spec.step = cases[i].step, p.spec.record = RW_SWITCH_ON, p.spec.spectral_radius = cases[i].radius;
        q = p;
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, coupled_bump);
        for (int n = 0; n < 5; ++n) OK(rw_ode_step(p.ode, 3));
        const saved then = save(p.ode);
        copy middle = state_of(&p);
        start(&q, one);
        for (int f = 0; f < 2; ++f) {
            void *w;
            OK(rw_array_write(q.array[f], &w));
            memcpy(w, middle.value[f], (size_t)cells_of(&q) * sizeof(double));
        }
        OK(load(q.ode, &then));
        assert_true(rw_ode_time(q.ode) == rw_ode_time(p.ode));
        for (int n = 0; n < 7; ++n) {
            OK(rw_ode_step(p.ode, 3));
            OK(rw_ode_step(q.ode, 3));
            assert_true(rw_ode_time(q.ode) == rw_ode_time(p.ode));
        }
        copy end = state_of(&p);
        assert_same_bits(&q, &end, "continued by another integrator");
        const saved at_end = save(p.ode), again = save(q.ode);
        assert_memory_equal(&at_end, &again, sizeof again);
        /* back to the middle with the integrator that has gone on */
        for (int f = 0; f < 2; ++f) {
            void *w;
            OK(rw_array_write(p.array[f], &w));
            memcpy(w, middle.value[f], (size_t)cells_of(&p) * sizeof(double));
        }
        OK(load(p.ode, &then));
        for (int n = 0; n < 7; ++n) OK(rw_ode_step(p.ode, 3));
        assert_same_bits(&p, &end, "gone back and continued");
        finish(&p), finish(&q);
    }
}

/* ---- recorded steps ---------------------------------------------------------------------------------------------- */

static void describe_recorded(problem *p, bool record)
{
    describe_coupled(p, RW_ODE_RK4);
    p->spec.step = 0.005, p->spec.record = record ? RW_SWITCH_ON : RW_SWITCH_OFF;
}

static void test_recorded_steps_have_the_bits_of_plain_ones(void **state)
{
    (void)state;
    problem p, q;
    describe_recorded(&p, true), describe_recorded(&q, false);
    q.spec.fields = q.fields, q.spec.scalars = q.scalars;
    start(&p, coupled_bump), start(&q, coupled_bump);
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
        start(&p, coupled_bump), start(&q, coupled_bump);
        problem *both[] = {&p, &q};
        for (int i = 0; i < 2; ++i) {
            problem *r = both[i];
            run_to(r, 0.05); /* recorded by now */
            rw_array *other = new_array(RW_F64, cells_of(r), RW_MEMORY_DEVICE);
            OK(rw_array_copy(other, r->array[1], queue));
            if (change == 0) OK(rw_ode_set(r->ode, "k", 5));
            /* another array for the second field, one of the first's address perhaps */
            if (change == 1 || change == 2) {
                OK(rw_ode_bind(r->ode, "v", other));
                rw_array *old = r->array[1];
                r->array[1] = other, other = old;
            }
            /* the array keeps being the field, in other memory */
            if (change == 3) OK(rw_array_swap(r->array[1], other));
            if (change == 2) rw_array_destroy(&other);
            run_to(r, 0.1);
            rw_array_destroy(&other);
        }
        copy expected = state_of(&q);
        static const char *const names[] = {"a scalar", "another array", "another array, the old one destroyed",
                                            "exchanged memory"};
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
        p.spec.step = 0.01, p.spec.record = RW_SWITCH_ON;
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

/* ---- copies, programs -------------------------------------------------------------------------------------------- */

static void test_1000_steps_no_field_copied(void **state)
{
    (void)state;
    static const struct {
        rw_ode_method method;
        bool record;
    } cases[] = {{RW_ODE_RK4, false}, {RW_ODE_RK4, true}, {RW_ODE_RKC2, false}, {RW_ODE_ROCK4, false}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p;
        if (on("opencl") && brief() && cases[i].method == RW_ODE_ROCK4) continue; /* ten programs */
        describe_coupled(&p, cases[i].method);
        p.spec.record = cases[i].record ? RW_SWITCH_ON : RW_SWITCH_OFF;
        if (cases[i].method != RW_ODE_RK4) p.spec.max_step = 0.001;
        else p.spec.step = 0.001;
        int steps = on("check") ? 20 : 1000;
        start(&p, coupled_bump);
        for (int n = 0; n < 3; ++n) OK(rw_ode_step(p.ode, 10)); /* what is made at first */
        rw_counters a = counters();
        for (int n = 0; n < steps; ++n) OK(rw_ode_step(p.ode, 10));
        rw_counters b = counters();
        assert_int_equal(b.copies_in, a.copies_in);
        assert_int_equal(b.copies_device, a.copies_device);
        assert_int_equal(b.compilations + b.cache_hits + b.shared, a.compilations + a.cache_hits + a.shared);
        assert_int_equal(b.bytes_allocated, a.bytes_allocated);
        /* one number a step, the error, and the radius now and then: 8 bytes each; of rk4 two at some steps, those of
         * the check against instability: 4, 8, 16 … 512, 1024, 2048, 3072 … */
        int64_t numbers = !discrete() ? 0 : cases[i].method == RW_ODE_RK4 ? 2 * (8 + steps / 1024) : 2 * steps;
        assert_true(b.copies_out - a.copies_out <= numbers && b.bytes_out - a.bytes_out <= 16 * numbers);
        assert_true(b.launches > a.launches + 3 * steps);
        finish(&p);
    }
}

/* ---- arrays of every kind ---------------------------------------------------------------------------------------- */

static void test_every_kind_of_array_may_hold_the_state(void **state)
{
    (void)state;
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        copy expected = {{{0}}};
        if (!in_turn(method, 0)) continue;
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
                    data[f][c] = coupled_bump(x, f);
                }
                if (kind < 3) {
                    void *w;
                    OK(rw_array_create(dev, RW_F64, 2, shape, (rw_memory)kind, &p.array[f]));
                    OK(rw_array_write(p.array[f], &w));
                    memcpy(w, data[f], (size_t)n * sizeof(double));
                } else {
                    OK(rw_array_create_from(dev, RW_F64, 2, shape, data[f], kind == 3 ? RW_BORROW : RW_OWN,
                                            &p.array[f]));
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
    const int64_t turned[] = {1, cells_of(&p)};
    rw_array *other_shape;
    OK(rw_array_create(dev, RW_F64, 2, turned, RW_MEMORY_DEVICE, &other_shape));
    FAILS(RW_ERR_ARGUMENT, "has shape (13, 13), but the array has shape (1, 169)",
          rw_ode_bind(p.ode, "u", other_shape));
    rw_array_destroy(&other_shape);
    OK(rw_ode_bind(p.ode, "u", a));
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields u and v", rw_ode_bind(p.ode, "v", a));
    FAILS(RW_ERR_ARGUMENT, "field v has no array", rw_ode_step(p.ode, 1));
    FAILS(RW_ERR_ARGUMENT, "no scalar q", rw_ode_set(p.ode, "q", 1));
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
    struct {
        rw_status status;
        const char *message;
        problem p;
    } bad[34];
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
    BAD(RW_ERR_ARGUMENT, "method = 11 is not a value of rw_ode_method", p->spec.method = (rw_ode_method)11);
    BAD(RW_ERR_ARGUMENT, "method = newton: it finds steady states without steps", p->spec.method = RW_ODE_NEWTON);
    BAD(RW_ERR_INPUT, "no fields", p->spec.nfields = 0);
    BAD(RW_ERR_ARGUMENT, "grid.ndim = 4", p->spec.grid.ndim = 4);
    BAD(RW_ERR_ARGUMENT, "grid.size = 0", p->spec.grid.size[0] = 0);
    BAD(RW_ERR_ARGUMENT, "2^57", p->spec.grid.size[0] = INT64_MAX / 2);
    BAD(RW_ERR_ARGUMENT, "grid.spacing = 0", p->spec.grid.spacing[0] = 0);
    BAD(RW_ERR_ARGUMENT, "grid.spacing = nan", p->spec.grid.spacing[0] = NAN);
    BAD(RW_ERR_ARGUMENT, "order = 3", p->spec.order = 3);
    BAD(RW_ERR_ARGUMENT, "step = .nan is not a number", p->spec.step = NAN);
    BAD(RW_ERR_ARGUMENT, "rtol = -1", (p->spec.method = RW_ODE_DP5, p->spec.rtol = -1));
    BAD(RW_ERR_ARGUMENT, "rtol = .nan is not a number", (p->spec.method = RW_ODE_DP5, p->spec.rtol = NAN));
    BAD(RW_ERR_ARGUMENT, "atol = -1e-09", (p->spec.method = RW_ODE_DP5, p->spec.atol = -1e-9));
    BAD(RW_ERR_ARGUMENT, "atol = .nan is not a number", (p->spec.method = RW_ODE_DP5, p->spec.atol = NAN));
    BAD(RW_ERR_ARGUMENT, "start = .inf is outside (-inf, inf)", p->spec.start = INFINITY);
    BAD(RW_ERR_ARGUMENT, "rkc2: max_stages = 1 is outside [2, 10000]",
        (p->spec.method = RW_ODE_RKC2, p->spec.max_stages = 1));
    BAD(RW_ERR_ARGUMENT, "rock4: max_stages = -5 is outside [5, 10000]",
        (p->spec.method = RW_ODE_ROCK4, p->spec.max_stages = -5));
    BAD(RW_ERR_ARGUMENT, "dtype u8", p->fields[0].dtype = RW_U8);
    BAD(RW_ERR_ARGUMENT, "equations = NULL", p->spec.equations = NULL);
    BAD(RW_ERR_INPUT, "there is no equation for field u", p->spec.equations = "");
    BAD(RW_ERR_INPUT, "a second equation for du/dt", p->spec.equations = "du/dt = u\ndu/dt = 2*u");
    BAD(RW_ERR_INPUT, ":2:3: an equation without an unknown: all fields have a rate",
        p->spec.equations = "du/dt = u\n  0 = laplace(u)");
    BAD(RW_ERR_INPUT, ":1:1: no field has a rate: solve the equations with rw_elliptic_create",
        p->spec.equations = "laplace(u) = 1");
    BAD(RW_ERR_INPUT, "there is no field w", p->spec.equations = "du/dt = u\ndw/dt = u");
    BAD(RW_ERR_INPUT, "field u must not be assigned", p->spec.equations = "u = 1\ndu/dt = u");
    BAD(RW_ERR_INPUT, "is complex, the field u real", p->spec.equations = "du/dt = 1i*u");
    BAD(RW_ERR_INPUT, "is a vector",
        (p->spec.grid.ndim = 2, p->spec.grid.size[1] = 4, p->spec.equations = "du/dt = grad(u)"));
    BAD(RW_ERR_INPUT, "both a field and a parameter", p->scalars[0].name = "u");
    BAD(RW_ERR_INPUT, "boundary of u: a complex value for a real field",
        memcpy(p->fields[0].boundary, imaginary, sizeof imaginary));
    BAD(RW_ERR_ARGUMENT, "rw_expr_field.boundary[0].kind = 9 is not a value",
        p->fields[0].boundary[0].kind = (rw_boundary_kind)9);
    BAD(RW_ERR_ARGUMENT, "periodic on the upper x side only", p->fields[0].boundary[1].kind = RW_BOUNDARY_PERIODIC);
    BAD(RW_ERR_ARGUMENT, "robin needs b in a u", p->fields[0].boundary[0].kind = RW_BOUNDARY_ROBIN);
    BAD(RW_ERR_INPUT, "robin needs b other than 0",
        p->fields[0].boundary[0] = ((rw_boundary){RW_BOUNDARY_ROBIN, "1", "0", "2"}));
    BAD(RW_ERR_INPUT, "declared twice",
        (p->spec.nfields = 2, p->fields[1] = p->fields[0], p->spec.equations = "du/dt = u"));
    for (int i = 0; i < n; ++i) {
        bad[i].p.spec.fields = bad[i].p.fields, bad[i].p.spec.scalars = bad[i].p.scalars;
        bad[i].p.ode = (rw_ode *)state;
        if (rw_ode_create(dev, &bad[i].p.spec, &bad[i].p.ode) == RW_OK) fail_msg("no error: %s", bad[i].message);
        FAILS(bad[i].status, bad[i].message, rw_ode_create(dev, &bad[i].p.spec, &bad[i].p.ode));
        assert_null(bad[i].p.ode);
    }
    problem p;
    describe(&p, "du/dt = u", 1, 3, 4, NULL);
    assert_int_equal(rw_ode_bytes(&p.spec), 6 * 125 * 8); /* two more to check the default step */
    p.spec.step = 0.1;
    assert_int_equal(rw_ode_bytes(&p.spec), 4 * 125 * 8);
    p.spec.step = 0;
    p.spec.method = RW_ODE_RKC2;
    assert_int_equal(rw_ode_bytes(&p.spec), 3 * 125 * 8);
    p.spec.grid.size[0] = INT64_MAX / 2;
    assert_true(rw_ode_bytes(&p.spec) == INT64_MAX);
}

/* A state is loaded whole or not at all. */
static void test_damaged_states(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    problem p;
    describe_coupled(&p, RW_ODE_RKC2);
    start(&p, coupled_bump);
    OK(rw_ode_step(p.ode, 1));
    const saved then = save(p.ode);
    saved now = then;
    for (int i = 0; i < then.n; ++i) {
        const double wrong[] = {NAN, INFINITY, -INFINITY, i ? -1 : NAN, 1e301};
        for (int k = 0; k < RW_COUNT(wrong); ++k) {
            saved damaged = then;
            damaged.value[i] = wrong[k];
            if (load(p.ode, &damaged) != RW_ERR_ARGUMENT) fail_msg("%s = %g was loaded", then.name[i], wrong[k]);
        }
        saved less = then;
        less.name[i] = "another";
        if (load(p.ode, &less) != RW_ERR_ARGUMENT) fail_msg("a state without %s was loaded", then.name[i]);
    }
    *named(&now, "method") = RW_ODE_DP5;
    FAILS(RW_ERR_ARGUMENT, "the state is that of dp5, the integrator's method is rkc2", load(p.ode, &now));
    *named(&now, "method") = 2.5;
    FAILS(RW_ERR_ARGUMENT, "method = 2.5", load(p.ode, &now));
    now = save(p.ode);
    assert_memory_equal(&now, &then, sizeof then);
    /* in any order; of a short list only as much as there is room for */
    for (int i = 0; i < then.n; ++i) {
        now.name[i] = then.name[then.n - 1 - i];
        now.value[i] = then.value[then.n - 1 - i];
    }
    OK(load(p.ode, &now));
    now = save(p.ode);
    assert_memory_equal(&now, &then, sizeof then);
    double two[] = {-1, -1, -1};
    assert_int_equal(rw_ode_save(p.ode, NULL, two, 2), then.n);
    assert_true(two[0] == then.value[0] && two[1] == then.value[1] && two[2] == -1);
    finish(&p);
}

static double nothing(const double x[3], int f) { return (void)x, (void)f, 0; }

typedef enum outcome { REFUSED, RUNS, RUNS_FROM_REST, WARNS, GROWS } outcome;

/* rk4: a step that no eigenvalue of linear equations allows is refused before anything is computed; the limit itself is
 * not. The radius of the waves is 256, so that 2.83/256 = 0.01105 is the limit. Whatever the estimate, a state that
 * grows by the method's instability is an error; one that really grows is none. */
static void test_unstable_step(void **state)
{
    (void)state;
#define WAVE "du/dt = v\ndv/dt = laplace(u)"
    static const struct {
        const char *equations;
        int n;
        double step, end;
        const char *radius;
        outcome outcome;
    } cases[] = {{"du/dt = 0.1*laplace(u)", 20, 0.02, 1, NULL, REFUSED},
                 {"du/dt = 0.1*laplace(u)", 20, 0.0165, 1, NULL, RUNS},
                 {"du/dt = -50*u", 20, 0.1, 1, NULL, REFUSED},
                 {"du/dt = 0.1*laplace(u) - u^3", 20, 0.02, 0.02, NULL, WARNS}, /* the Jacobian changes */
                 {WAVE, 128, 0.02, 1, NULL, REFUSED},
                 {WAVE, 128, 0.012, 1, NULL, REFUSED},
                 {WAVE, 128, 0.0109, 1, NULL, RUNS},
                 {WAVE, 128, 0.02, 1, "power", REFUSED},
                 {WAVE, 128, 0.02, 1, "256", REFUSED},
                 {WAVE, 128, 0.02, 2, "100", GROWS}, /* the user's radius is wrong */
                 {WAVE, 128, 0.0112, 20, "100", GROWS},
                 {WAVE " - 0.1*v", 128, 0.02, 1, NULL, REFUSED},
                 {WAVE " - sin(u)", 128, 0.02, 2, NULL, GROWS},
                 {"du/dt = v\ndv/dt = -dxxxx(u)", 20, 0.003, 1, NULL, REFUSED},
                 {"du/dt = dx(v)\ndv/dt = dx(u)", 64, 0.05, 1, NULL, REFUSED},
                 {"du/dt = u", 4, 0.5, 50, NULL, RUNS},
                 /* h lambda = -2.5; the source is switched on after 62 steps */
                 {"du/dt = where(t < 1.54, 1e-9, 1) - 100*u", 4, 0.025, 2, NULL, RUNS},
                 {"du/dt = 0.01*laplace(u) + 5*u*(1 + 0.1*sin(u))", 20, 0.1, 3, NULL, RUNS},
                 /* from rest: sources that begin, h lambda = -1, -2.7, and h rho = 2.2 */
                 {"du/dt = exp(-((t - 0.4)/0.04)^2) - 100*u", 4, 0.01, 1, NULL, RUNS_FROM_REST},
                 {"du/dt = exp(-((t - 0.4)/0.04)^2) - 100*u", 4, 0.01, 1, "1", RUNS_FROM_REST},
                 {"du/dt = where(t >= 0.05, 1, 0) - 270*u", 4, 0.01, 1, "1", RUNS_FROM_REST},
                 {"du/dt = 0.14*laplace(u) + exp(-((t - 0.4)/0.04)^2)*where(abs(x - 0.5) < 0.05, 1, 0)", 20, 0.01, 1,
                  "1", RUNS_FROM_REST},
                 /* h lambda = -0.375 +- 2.47 i, of fields of different scales */
                 {"du/dt = v\ndv/dt = -1e6*u - 300*v", 4, 0.0025, 0.25, NULL, RUNS},
                 {"du/dt = v\ndv/dt = -1e6*u - 400*v", 4, 0.0025, 0.25, NULL, RUNS}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        problem p;
        warnings heard = {0};
        const int nf = strstr(cases[i].equations, "dv/dt") ? 2 : 1;
        const outcome wanted = cases[i].outcome;
        if (!on("cpu") && wanted != GROWS) continue; /* the kernel looks at the fields; the rest is host code */
        if (brief() && strcmp(cases[i].equations, WAVE)) continue; /* one program for two rows */
        const rw_boundary sides[2][6] = {{DIRICHLET("0"), DIRICHLET("0"), NONE, NONE, NONE, NONE},
                                         {DIRICHLET("0"), DIRICHLET("0"), NONE, NONE, NONE, NONE}};
        describe(&p, cases[i].equations, nf, 1, cases[i].n, sides[0]);
        p.spec.method = RW_ODE_RK4, p.spec.step = cases[i].step, p.spec.spectral_radius = cases[i].radius;
        p.spec.end = cases[i].end;
        rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &heard);
        start(&p, wanted == RUNS_FROM_REST ? nothing : coupled_bump);
        copy before = state_of(&p);
        rw_status status = RW_OK;
        while (status == RW_OK && rw_ode_time(p.ode) < cases[i].end) status = rw_ode_step(p.ode, cases[i].end);
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        const rw_status expected = wanted == REFUSED ? RW_ERR_INPUT : wanted == GROWS ? RW_ERR_NOT_CONVERGED : RW_OK;
        if (status != expected)
            fail_msg("%s, step %g: status %d, not %d: %s", cases[i].equations, cases[i].step, status, expected,
                     rw_message(ctx));
        if ((wanted == RUNS || wanted == RUNS_FROM_REST) && heard.n)
            fail_msg("%s, step %g: %s", cases[i].equations, cases[i].step, heard.text);
        if (wanted == WARNS) assert_non_null(strstr(heard.text, "is above the stability limit of rk4"));
        if (wanted == REFUSED) {
            assert_non_null(strstr(rw_message(ctx), "is unstable: rk4 allows at most 2.78/rho"));
            assert_same_bits(&p, &before, "a refused step");
        }
        if (wanted == GROWS) assert_non_null(strstr(rw_message(ctx), "is unstable: at t = "));
        finish(&p);
    }
#undef WAVE
}

static void test_explain(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    for (int method = RW_ODE_RK4; method <= RW_ODE_AUTO; ++method) {
        problem p;
        char *text;
        if (!in_turn(method, 1) && method != RW_ODE_AUTO) continue;
        describe_coupled(&p, (rw_ode_method)method);
        p.spec.end = 100;
        start(&p, coupled_bump);
        OK(rw_ode_explain(p.ode, &text));
        assert_int_equal(statistics(&p).rhs, 0);
        static const char *const words[] = {"rk4: a step takes four kernels",
                                            "rkc2: a step with s stages",
                                            "rkl2: a step with s stages",
                                            "rock2: a step with s stages",
                                            "rock4: a step with s stages",
                                            "dp5: a step takes six kernels",
                                            "auto: chooses rock4 at the first step: stiff, eigenvalues near"};
        assert_non_null(strstr(text, words[method - RW_ODE_RK4]));
        assert_non_null(strstr(text, "bytes"));
        free(text);
        if (method == RW_ODE_AUTO) { /* the question has changed nothing */
            assert_string_equal(method_of(p.ode), "auto");
            run_to(&p, 1);
            assert_string_equal(method_of(p.ode), "rock4");
            copy asked = state_of(&p);
            finish(&p);
            start(&p, coupled_bump);
            run_to(&p, 1);
            assert_same_bits(&p, &asked, "explained before");
        }
        finish(&p);
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef struct life {
    rw_ode_method method;
    bool record;
    const char *radius;
    rw_array *u;
} life;

/* Create, bind, five steps. */
static rw_status begin_life(life *l, rw_ode **ode)
{
    problem p;
    describe(&p, "du/dt = 0.1*laplace(u) - u^3", 1, 1, 8, NULL);
    p.spec.method = l->method, p.spec.record = l->record ? RW_SWITCH_ON : RW_SWITCH_OFF,
    p.spec.step = l->method == RW_ODE_RK4 ? 0.01 : 0, p.spec.spectral_radius = l->radius;
    rw_ode_statistics s;
    void *w;
    rw_status status = rw_array_write(l->u, &w);
    for (int i = 0; i < 9 && status == RW_OK; ++i) ((double *)w)[i] = 0.1 * i;
    p.ode = NULL;
    if (status == RW_OK) status = rw_ode_create(dev, &p.spec, &p.ode);
    if (status == RW_OK) status = rw_ode_bind(p.ode, "u", l->u);
    for (int i = 0; i < 5 && status == RW_OK; ++i) status = rw_ode_step(p.ode, 1);
    if (status == RW_OK) s = statistics_of(p.ode);
    if (status == RW_OK && s.steps != 5) status = RW_ERR_INTERNAL;
    *ode = p.ode;
    return status;
}

static rw_status live(void *user)
{
    rw_ode *ode = NULL;
    rw_status status = begin_life(user, &ode);
    rw_ode_destroy(&ode);
    return status;
}

static void test_everything_may_fail_once(void **state)
{
    (void)state;
    static const life lives[] = {{RW_ODE_RK4, true, "auto", NULL},
                                 {RW_ODE_RKC2, false, "auto", NULL},
                                 {RW_ODE_RKC2, false, "power", NULL},
                                 {RW_ODE_ROCK4, false, "auto", NULL},
                                 {RW_ODE_AUTO, false, "auto", NULL}};
    for (int i = 0; i < RW_COUNT(lives); ++i) {
        if ((on("opencl") && i != 0) || !in_turn(i, 0)) continue;
        life l = lives[i];
        rw_ode *keeper = NULL; /* keeps programs loaded: a failed read of the cache compiles none again */
        l.u = new_ramp(9, 0.1, 0.1);
        OK(begin_life(&l, &keeper));
        int arrays = each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l);
        int launches = each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, live, &l);
        assert_true(arrays >= 3 && launches >= 8);
        /* the later ones meet mostly what the first has met */
        static const int stride[] = {1, 3, 7, 7, 7}, compiled_stride[] = {1, 1, 3, 3, 3};
        int allocations =
            on("cpu") ? each_nth_fault(stride[i], RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l) : 0;
        rw_ode_destroy(&keeper);
        rw_context_set_cache(ctx, false, NULL, false); /* of what fails here nothing is the device's */
        int programs =
            on("cpu") ? each_nth_fault(compiled_stride[i], RW_FAULT_COMPILE, RW_ERR_COMPILE, RW_ERR_COMPILE, live, &l)
                      : 0;
        rw_context_set_cache(ctx, true, NULL, false);
        if (on("cpu")) assert_true(programs >= (i ? 6 : 4));
        print_message("%d arrays, %d launches, %d allocations, %d programs failed once\n", arrays, launches,
                      allocations, programs);
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
    start(&q, coupled_bump);
    for (int i = 0; i < 3; ++i) OK(rw_ode_step(q.ode, 1));
    copy expected = state_of(&q);
    finish(&q);
    for (int k = 0; k < RW_COUNT(kinds); ++k) {
        problem p;
        describe_coupled(&p, RW_ODE_RKC2);
        start(&p, coupled_bump);
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

static double half_sine(const double x[3], int f) { return (void)f, sin(acos(-1) * x[0] / 2); }

/* All programs are there when the integrator is: no step waits for a compiler; but for the three of the first step
 * of ROCK4 in two blocks, which few runs have, as this one does at this tolerance. */
static void test_steps_need_no_more_programs(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_RKC2, RW_ODE_RKL2, RW_ODE_ROCK2, RW_ODE_ROCK4, RW_ODE_DP5};
    if (!on("cpu")) skip();
    for (int i = 0; i < RW_COUNT(methods); ++i) {
        problem p;
        describe(&p, "du/dt = laplace(u) - u^3 + sin(t)", 1, 1, 60, NULL);
        p.spec.method = methods[i], p.spec.rtol = p.spec.atol = methods[i] == RW_ODE_ROCK4 ? 1e-8 : 1e-3;
        start(&p, half_sine);
        rw_counters before = counters_of(dev);
        run_to(&p, methods[i] == RW_ODE_DP5 ? 0.01 : 1);
        rw_counters after = counters_of(dev);
        assert_true(statistics(&p).steps > 3);
        const int64_t more = after.compilations + after.cache_hits + after.shared - before.compilations -
                             before.cache_hits - before.shared;
        assert_int_equal(more, methods[i] == RW_ODE_ROCK4 ? 3 : 0);
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
    start(&p, coupled_bump);
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
        cmocka_unit_test(test_saving_and_loading_continues_to_the_same_bits),
        cmocka_unit_test(test_recorded_steps_have_the_bits_of_plain_ones),
        cmocka_unit_test(test_changes_void_the_recording),
        cmocka_unit_test(test_time_is_not_recorded),
        cmocka_unit_test(test_1000_steps_no_field_copied),
        cmocka_unit_test(test_every_kind_of_array_may_hold_the_state),
        cmocka_unit_test(test_binding),
        cmocka_unit_test(test_specifications),
        cmocka_unit_test(test_damaged_states),
        cmocka_unit_test(test_unstable_step),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_everything_may_fail_once),
        cmocka_unit_test(test_a_failed_step_may_be_repeated),
        cmocka_unit_test(test_steps_need_no_more_programs),
        cmocka_unit_test(test_destruction_in_any_order),
    };
    return run_on_devices("step", tests, RW_COUNT(tests));
}
