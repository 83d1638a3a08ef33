/* TEST: devices=all */
/* Fields without a rate inside the integrators: values between steps, steps undone, states saved and loaded; recorded
 * steps, copies, arrays; mistakes, and everything that may fail once. */
#include "algebraic_test.h"

/* ---- values between steps ---------------------------------------------------------------------------------------- */

static void test_between_steps(void **state)
{
    (void)state;
    static const struct {
        int way;
        bool iterates, thom;
    } rows[] = {{RKC2, false, false},
                {DP5, false, true},
                {ROCK4, false, false},
                {RKC2, true, false},
                {ROCK2, false, true}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p, q;
        const struct way *w = ways + rows[i].way;
        if (!test_long() && i > (slow() ? 0 : brief() ? 1 : 2)) continue;
        describe_flow(&p, w);
        p.spec.dense = true;
        if (rows[i].iterates) p.spec.solvers = by_iterations;
        copy_problem(&q, &p);
        start(&p, bump), start(&q, bump);
        for (int n = 1; n <= 8; ++n) {
            steps(&p, 1), steps(&q, 1);
            const copy present = state_of(&p);
            assert_same_bits(&q, &present, w->name);
            const double t = rw_ode_time(p.ode), h = statistics(&p).step;
            for (int k = 1; k < 4 && n > 3; ++k) { /* without coming back in between */
                double error;
                OK(rw_ode_interpolate(p.ode, t - 0.25 * k * h, &error));
                assert_true(error > 0 && error < 1e-2);
                assert_solved(&p, "R = m*laplace(v) + u", 1e-10, "between steps");
            }
            if (n > 3) {
                const copy between = state_of(&p);
                assert_memory_not_equal(between.value[1], present.value[1], sizeof *present.value);
            }
            if (n % 2) OK(rw_ode_restore(p.ode)); /* the next step does so itself */
            if (n % 2) assert_same_bits(&p, &present, "a look and back");
        }
        finish(&p), finish(&q);
    }
}

static void test_steps_undone(void **state)
{
    (void)state;
    static const int list[] = {RKC2, DP5, ROCK4};
    for (int i = 0; i < RW_COUNT(list); ++i) {
        problem p;
        if (brief() && i) continue;
        describe_flow(&p, ways + list[i]);
        p.spec.dense = true;
        start(&p, bump);
        steps(&p, 4);
        for (int n = 0; n < 3; ++n) {
            double error;
            const copy before = state_of(&p);
            steps(&p, 1);
            const copy after = state_of(&p);
            if (n) OK(rw_ode_interpolate(p.ode, rw_ode_time(p.ode) - 0.3 * statistics(&p).step, &error));
            OK(rw_ode_undo(p.ode));
            assert_same_bits(&p, &before, "a step undone");
            steps(&p, 1);
            assert_same_bits(&p, &after, "undone and taken again");
            steps(&p, 1);
        }
        finish(&p);
    }
}

/* ---- saved and loaded -------------------------------------------------------------------------------------------- */

static void put_state(problem *p, const copy *c)
{
    for (int f = 0; f < p->spec.nfields; ++f) {
        void *w;
        OK(rw_array_write(p->array[f], &w));
        memcpy(w, c->value[f], p->array[f]->bytes);
    }
}

static void test_saving_and_loading(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * WAYS; ++i) {
        problem p, q;
        const int way = i / 3, how = i % 3; /* by transforms, iterations, cycles */
        const struct way *w = ways + way;
        if (slow() ? i != 3 * RK4 && i != 3 * RKC2 : brief() && i % 5) continue;
        if (!test_long() && how && way % 3) continue;
        if (how < 2) describe_flow(&p, w);
        else describe_cycles(&p, w);
        if (how == 1) p.spec.solvers = by_iterations;
        copy_problem(&q, &p);
        start(&p, bump);
        steps(&p, 5);
        const saved then = save(p.ode);
        const copy middle = state_of(&p);
        start(&q, of_mode);
        put_state(&q, &middle);
        OK(load(q.ode, &then));
        for (int n = 0; n < 5; ++n) {
            steps(&p, 1), steps(&q, 1);
            assert_true(rw_ode_time(q.ode) == rw_ode_time(p.ode));
            const copy expected = state_of(&p);
            assert_same_bits(&q, &expected, w->name);
        }
        const saved at_end = save(p.ode), again = save(q.ode);
        assert_memory_equal(&at_end, &again, sizeof again);
        assert_true(statistics(&p).solves == statistics(&q).solves);
        finish(&p), finish(&q);
    }
}

/* ---- recorded steps, copies -------------------------------------------------------------------------------------- */

/* Copies in `n` steps after the first three. */
static rw_counters counted_steps(problem *p, int n)
{
    steps(p, 3);
    const rw_counters a = counters();
    steps(p, n);
    const rw_counters b = counters();
    assert_int_equal(b.compilations + b.cache_hits + b.shared, a.compilations + a.cache_hits + a.shared);
    assert_int_equal(b.bytes_allocated, a.bytes_allocated);
    return (rw_counters){.copies_in = b.copies_in - a.copies_in,
                         .copies_out = b.copies_out - a.copies_out,
                         .copies_device = b.copies_device - a.copies_device,
                         .bytes_out = b.bytes_out - a.bytes_out,
                         .launches = b.launches - a.launches,
                         .replays = b.replays - a.replays};
}

static void test_no_field_is_copied(void **state)
{
    (void)state;
    static const struct {
        int way, n;
        bool cycles;
    } rows[] = {{RK4, 1000, false}, {RKC2, 200, false}, {ROCK4, 50, false}, {DP5, 50, false}, {RK4, 100, true}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p, q;
        const int n = on("check") ? 20 : rows[i].n;
        if (on("opencl") && brief() && i > 1) continue;
        if (rows[i].cycles) describe_cycles(&p, ways + rows[i].way);
        else describe_flow(&p, ways + rows[i].way);
        describe_way(&q, ways + rows[i].way, "du/dt = k*laplace(u) - c*u - 0.1*u*dx(u)", 1, 2);
        if (rows[i].way != RK4) p.spec.max_step = q.spec.max_step = 0.001;
        else p.spec.step = q.spec.step = 0.001;
        p.spec.spectral_radius = q.spec.spectral_radius = "100"; /* power iteration waits */
        start(&p, bump), start(&q, bump);
        const rw_counters with = counted_steps(&p, n), without = counted_steps(&q, n);
        assert_int_equal(with.copies_in, without.copies_in);
        assert_int_equal(with.copies_device, without.copies_device);
        assert_int_equal(with.copies_out, without.copies_out);
        assert_int_equal(with.bytes_out, without.bytes_out);
        if (rows[i].cycles)
            assert_true(with.replays >= without.replays); /* coarse grids have a recording of their own */
        else assert_int_equal(with.replays, without.replays);
        assert_true(with.launches >= without.launches + 4 * n);
        if (rows[i].way == RK4) assert_true(with.replays >= n - n / 10 - 4);
        finish(&p), finish(&q);
    }
}

/* Recorded, with what voids a recording in the midst of it, and not recorded: the same bits. */
static void test_recorded_steps(void **state)
{
    (void)state;
    static const char *const what[] = {"recorded",        "a scalar of the rates", "a scalar of the unknown",
                                       "another array v", "another array u",       "other memory of v",
                                       "cycles"};
    for (int change = 0; change < RW_COUNT(what); ++change) {
        copy expected;
        for (int recorded = 0; recorded < 2; ++recorded) {
            problem p;
            if (change == 6) describe_cycles(&p, ways + RK4);
            else describe_flow(&p, ways + RK4);
            p.spec.step = 0.005;
            p.spec.record = recorded ? RW_SWITCH_ON : RW_SWITCH_OFF;
            start(&p, bump);
            const int64_t replays = counters().replays;
            run_to(&p, 0.05);
            rw_array *other = new_array(RW_F64, cells_of(&p), RW_MEMORY_DEVICE);
            const int f = change == 4 ? 0 : 1;
            if (change == 4) OK(rw_array_copy(other, p.array[0], queue)); /* unknowns need no values */
            else OK(rw_array_zero(other, queue));
            if (change == 1) OK(rw_ode_set(p.ode, "c", 30));
            if (change == 2) OK(rw_ode_set(p.ode, "m", 3));
            if (change == 3 || change == 4) {
                OK(rw_ode_bind(p.ode, p.fields[f].name, other));
                rw_array *old = p.array[f];
                p.array[f] = other;
                other = old;
            }
            if (change == 5) { /* with its values: no function of the integrator is called */
                OK(rw_array_copy(other, p.array[1], queue));
                OK(rw_array_swap(p.array[1], other));
            }
            run_to(&p, 0.1);
            rw_array_destroy(&other);
            if (change != 6) assert_solved(&p, "R = m*laplace(v) + u", 1e-11, what[change]);
            if (recorded) assert_true(counters().replays > replays + 8);
            else if (change != 6) assert_true(counters().replays == replays);
            if (recorded) assert_same_bits(&p, &expected, what[change]);
            else expected = state_of(&p);
            finish(&p);
        }
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* A scalar that the equation of the unknown has, and arrays exchanged, count at once: as if begun with them. */
static void test_changes_between_steps(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; ++i) {
        problem p, q;
        if (brief() ? i != RKC2 : !in_turn(i, 0)) continue;
        describe_flow(&p, ways + i);
        copy_problem(&q, &p);
        start(&p, bump);
        steps(&p, 4);
        const copy middle = state_of(&p);
        const double t = rw_ode_time(p.ode);
        OK(rw_ode_set(p.ode, "m", 5));
        q.scalars[2].value = 5;
        q.spec.start = t;
        start(&q, of_mode);
        put_state(&q, &middle);
        run_to(&p, t + 0.1), run_to(&q, t + 0.1);
        assert_solved(&p, "R = m*laplace(v) + u", 1e-11, ways[i].name);
        assert_close(&p, &q, 3e-4, ways[i].name);
        finish(&p), finish(&q);
    }
}

/* The caller's memory holds the unknown. */
static void test_borrowed_memory(void **state)
{
    (void)state;
    static const int list[] = {RK4, RKC2, RK4_DEFAULT, DP5};
    for (int i = 0; i < RW_COUNT(list); ++i) {
        copy expected[2];
        if (brief() && i > 1) continue;
        for (int lent = 0; lent < 4; ++lent) { /* v, u, both */
            problem p;
            double *data[2] = {NULL};
            describe_flow(&p, ways + list[i]);
            p.spec.dense = p.spec.method != RW_ODE_RK4;
            start(&p, bump);
            for (int f = 0; f < 2; ++f) {
                if (!(lent & (f ? 1 : 2))) continue;
                const int64_t n = cells_of(&p);
                rw_array_destroy(&p.array[f]);
                data[f] = malloc((size_t)n * sizeof **data);
                OK(rw_array_create_from(dev, RW_F64, 1, &n, data[f], RW_BORROW, &p.array[f]));
                OK(rw_ode_bind(p.ode, p.fields[f].name, p.array[f]));
            }
            fill(&p, bump);
            copy seen[2];
            steps(&p, 6);
            double error;
            if (p.spec.dense) {
                OK(rw_ode_interpolate(p.ode, rw_ode_time(p.ode) - 0.5 * statistics(&p).step, &error));
                assert_solved(&p, "R = m*laplace(v) + u", 1e-10, "a look");
            }
            seen[0] = state_of(&p);
            for (int f = 0; f < 2; ++f)
                if (data[f]) assert_memory_equal(data[f], seen[0].value[f], p.array[f]->bytes);
            steps(&p, 1);
            if (p.spec.dense) OK(rw_ode_undo(p.ode));
            steps(&p, 3);
            seen[1] = state_of(&p);
            for (int f = 0; f < 2; ++f)
                if (data[f]) assert_memory_equal(data[f], seen[1].value[f], p.array[f]->bytes);
            assert_solved(&p, "R = m*laplace(v) + u", 1e-11, "borrowed");
            if (!lent) memcpy(expected, seen, sizeof seen);
            else if (memcmp(expected, seen, sizeof seen)) fail_msg("%s, lent %d: other bits", ways[list[i]].name, lent);
            finish(&p);
            free(data[0]), free(data[1]);
        }
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *equations, *solver, *message;
    } rows[] = {
        {"du/dt = k*laplace(u) - v", NULL, "test: there is no equation for field v"},
        {"du/dt = k*laplace(u)\nlaplace(v) = -u\nlaplace(v) = u", NULL, "test:3:1: a second equation for v"},
        {"du/dt = k*laplace(u)\ndv/dt = u\nlaplace(v) = -u", NULL, "test:3:1: an equation without an unknown"},
        {"laplace(u) = v\nlaplace(v) = -u", NULL, "test:1:1: no field has a rate"},
        {"du/dt = k*laplace(u)\nlaplace(u) = 1", NULL, "test:2:1: this equation reads no unknown"},
        {DIFFUSE "\nlaplace(v) = -u", "krylof", "solver \"krylof\""},
        {DIFFUSE "\nlaplace(v) = -u", "krylov:rtoll=1", "nearest is rtol"},
        {DIFFUSE "\nlaplace(v) - v^3 = -u", "transform", "test:2:1: method transform cannot solve"},
        {DIFFUSE "\nlaplace(v) = -q", NULL, "test:2:15: name q is unknown"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        describe_way(&p, ways + RKC2, rows[i].equations, 2, 1);
        const char *const solvers[2] = {NULL, rows[i].solver};
        p.spec.solvers = solvers;
        const rw_status status = rw_ode_create(dev, &p.spec, &p.ode);
        if ((status != RW_ERR_INPUT && status != RW_ERR_ARGUMENT) || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("row %d: %s: %s", i, rw_status_name(status), rw_message(ctx));
        assert_null(p.ode);
    }
    /* no array */
    problem p;
    describe_flow(&p, ways + RKC2);
    OK(rw_ode_create(dev, &p.spec, &p.ode));
    p.array[0] = new_array(RW_F64, cells_of(&p), RW_MEMORY_DEVICE);
    OK(rw_ode_bind(p.ode, "u", p.array[0]));
    FAILS(RW_ERR_ARGUMENT, "field v has no array: call rw_ode_bind first", rw_ode_step(p.ode, 1));
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields u and v", rw_ode_bind(p.ode, "v", p.array[0]));
    finish(&p);
}

/* Fluxes that do not balance: no solution, found in the first step. */
static double positive(const double x[3], int f) { return f ? 0 : 1 + x[0]; }
static void test_an_equation_without_a_solution(void **state)
{
    (void)state;
    static const rw_boundary closed[12] =
        {{RW_BOUNDARY_NEUMANN, "0", 0, 0}, {RW_BOUNDARY_NEUMANN, "0", 0, 0}, {0}, {0}, {0}, {0},
         {RW_BOUNDARY_NEUMANN, "0", 0, 0}, {RW_BOUNDARY_NEUMANN, "0", 0, 0}};
    for (int iterates = 0; iterates < 2; ++iterates) {
        problem p;
        describe(&p, "du/dt = laplace(u) - v\nlaplace(v) = -u", 2, 1, INTERVALS, closed);
        p.spec.method = RW_ODE_RKC2;
        if (iterates) p.spec.solvers = by_iterations;
        start(&p, positive);
        FAILS(RW_ERR_INPUT, "the equation has no solution", rw_ode_step(p.ode, 1));
        assert_true(rw_ode_time(p.ode) == 0);
        finish(&p);
    }
}

/* A solver that does not converge ends the step: the state is that before. */
static void test_a_solve_that_fails(void **state)
{
    (void)state;
    problem p;
    static const char *const few[] = {NULL, "krylov:rtol=1e-12:iterations=2"};
    describe_way(&p, ways + RK4, FLOW "\ndiv((1 + 20*x*y)*grad(v)) = -u", 2, 2);
    p.spec.solvers = few;
    start(&p, bump);
    const copy before = state_of(&p);
    FAILS(RW_ERR_NOT_CONVERGED, "(at t = 0)", rw_ode_step(p.ode, 1));
    assert_memory_equal(state_of(&p).value[0], before.value[0], sizeof *before.value);
    assert_true(rw_ode_time(p.ode) == 0 && statistics(&p).steps == 0);
    finish(&p);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef struct life {
    const struct way *way;
    bool iterates, lent;
    double data[2][11 * 11];
    rw_ode *ode;
    rw_array *array[2];
} life;

static void end_life(life *l)
{
    rw_ode_destroy(&l->ode);
    for (int f = 0; f < 2; ++f) rw_array_destroy(&l->array[f]);
}

/* Create, some steps, of methods with dense output a look and an undone step. */
static rw_status begin_life(life *l)
{
    problem p;
    double error = 0;
    rw_status status = RW_OK;
    describe_flow(&p, l->way);
    p.spec.dense = l->way->method != RW_ODE_RK4;
    if (l->iterates) p.spec.solvers = by_iterations;
    const int64_t n = cells_of(&p);
    for (int64_t c = 0; c < n; ++c) {
        double x[3];
        place_of(&p, c, x);
        l->data[0][c] = bump(x, 0);
        l->data[1][c] = 0;
    }
    for (int f = 0; f < 2 && status == RW_OK; ++f)
        status = rw_array_create_from(dev, RW_F64, 1, &n, l->data[f], l->lent ? RW_BORROW : RW_COPY, &l->array[f]);
    if (status == RW_OK) status = rw_ode_create(dev, &p.spec, &l->ode);
    for (int f = 0; f < 2 && status == RW_OK; ++f) status = rw_ode_bind(l->ode, p.fields[f].name, l->array[f]);
    for (int i = 0; i < 4 && status == RW_OK; ++i) status = rw_ode_step(l->ode, 1);
    if (status != RW_OK || !p.spec.dense) return status;
    status = rw_ode_interpolate(l->ode, rw_ode_time(l->ode) - 0.2 * statistics_of(l->ode).step, &error);
    if (status == RW_OK) status = rw_ode_undo(l->ode);
    return status == RW_OK ? rw_ode_step(l->ode, 1) : status;
}

static rw_status live(void *user)
{
    const rw_status status = begin_life(user);
    end_life(user);
    return status;
}

static void test_everything_may_fail_once(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    for (int i = 0; i < 3; ++i) {
        /* which keeps programs loaded: a failed read of the cache compiles none again */
        life l = {.way = ways + (i == 1 ? RKC2 : RK4), .iterates = i == 2, .lent = i == 1}, keeper = l;
        if (!test_long() && i == 2 && on("check")) continue;
        OK(begin_life(&keeper));
        const int stride = test_long() ? 1 : 7;
        const int arrays = each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l);
        const int launches = each_nth_fault(stride, RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, live, &l);
        const int allocations =
            on("cpu") ? each_nth_fault(5 * stride, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l) : 0;
        end_life(&keeper);
        print_message("%d arrays, %d launches, %d allocations failed once\n", arrays, launches, allocations);
        assert_true(arrays >= 5 && launches >= 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_steps),
        cmocka_unit_test(test_steps_undone),
        cmocka_unit_test(test_saving_and_loading),
        cmocka_unit_test(test_no_field_is_copied),
        cmocka_unit_test(test_recorded_steps),
        cmocka_unit_test(test_changes_between_steps),
        cmocka_unit_test(test_borrowed_memory),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_an_equation_without_a_solution),
        cmocka_unit_test(test_a_solve_that_fails),
        cmocka_unit_test(test_everything_may_fail_once),
    };
    return run_on_devices("unknowns", tests, RW_COUNT(tests));
}
