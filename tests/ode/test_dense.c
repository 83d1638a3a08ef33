/* Values between steps: against exact solutions, for all methods with error control, kinds of numbers, dimensions and
 * kinds of memory; what makes the states before void; a step undone and taken again; states saved and loaded; and
 * everything that may fail once. */
#include "../values.h"
#include "ode/dense.h"
#include "ode_test.h"

#define DIRICHLET(u)                                                                                                   \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }
#define COLD                                                                                                           \
    {                                                                                                                  \
        DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0")                 \
    }

static const double pi = 3.14159265358979323846;

/* ---- a problem with an exact solution ---------------------------------------------------------------------------- */

/* With S = prod sin(pi x_d), an eigenvector of the differences: u = exp(-lambda t) S decays, v = (1 + sin(3 t)/3) S
 * oscillates. */
static int dimensions;
static double lambda, now;

static double wave(const double x[3])
{
    double s = 1;
    for (int d = 0; d < dimensions; ++d) s *= sin(pi * x[d]);
    return s;
}

static double decaying(const double x[3], int f) { return wave(x) * (f ? 1 + sin(3 * now) / 3 : exp(-lambda * now)); }

/* u' = -2u and v' = u - v at every node, from 1 and 0. */
static double even(const double x[3], int f) { return (void)x, f ? exp(-now) - exp(-2 * now) : exp(-2 * now); }
static double zero(const double x[3], int f) { return (void)x, (void)f, 0; }

static void describe_decaying(problem *p, rw_ode_method method, int ndim, int n)
{
    static const rw_boundary cold[FIELDS][6] = {COLD, COLD};
    static const char *const sine[] = {"sin(pi*x)", "sin(pi*x)*sin(pi*y)", "sin(pi*x)*sin(pi*y)*sin(pi*z)"};
    static char text[160];
    snprintf(text, sizeof text, "du/dt = laplace(u)\ndv/dt = laplace(v) + r*v + cos(3*t)*%s", sine[ndim - 1]);
    describe(p, text, 2, ndim, n, cold[0]);
    dimensions = ndim, lambda = ndim * 2. * n * n * (1 - cos(pi / n)), now = 0;
    p->scalars[0] = (rw_expr_scalar){.name = "r", .value = lambda};
    p->spec.nscalars = 1, p->spec.method = method, p->spec.rtol = 1e-4, p->spec.atol = 1e-7, p->spec.dense = true;
}

/* ‖u - exact‖/‖exact‖ at the time of the arrays. */
static double relative_error(problem *p, value_at *exact)
{
    double e2 = 0, u2 = 0;
    now = rw_ode_time(p->ode);
    for (int f = 0; f < p->spec.nfields; ++f) {
        const double *u = numbers_of(p->array[f]);
        for (int64_t c = 0; c < cells_of(p); ++c) {
            double x[3];
            place_of(p, c, x);
            double v = exact(x, f);
            e2 += (u[c] - v) * (u[c] - v), u2 += v * v;
        }
    }
    return sqrt(e2 / u2);
}

static double look(problem *p, double t)
{
    double error = -1;
    OK(rw_ode_interpolate(p->ode, t, &error));
    return error;
}

static void steps(problem *p, int n)
{
    for (int i = 0; i < n; ++i) OK(rw_ode_step(p->ode, 1));
}

/* Five looks a step: the error is that of the steps and at most the estimate, and the estimate no more than the
 * parabola's error. */
static void look_everywhere(problem *p, double end, value_at *exact, const char *what)
{
    static const double parts[] = {0.9, 0.5, 0.02, 0.3, 0.7};
    double safest = INFINITY, of_steps = 0;
    int looks = 0;
    for (int n = 1; rw_ode_time(p->ode) < end; ++n) {
        double begin = rw_ode_time(p->ode);
        OK(rw_ode_step(p->ode, end));
        double t = rw_ode_time(p->ode);
        of_steps = RW_MAX(of_steps, relative_error(p, exact));
        copy state = state_of(p);
        for (int i = 0; i < RW_COUNT(parts); ++i) {
            double at = begin + parts[i] * (t - begin), estimate = look(p, at);
            assert_true(isinf(estimate) == (n < 3));
            assert_true(rw_ode_time(p->ode) == (n < 3 ? t : at));
            if (n < 3) continue;
            double error = relative_error(p, exact);
            if (error > 1.2 * estimate + 2 * of_steps + 1e-12)
                fail_msg("%s, t = %g: error %.2e, estimate %.2e, of the steps %.2e", what, at, error, estimate,
                         of_steps);
            if (error > 3 * of_steps) safest = RW_MIN(safest, estimate / error);
            ++looks;
        }
        OK(rw_ode_restore(p->ode));
        assert_true(rw_ode_time(p->ode) == t);
        assert_same_bits(p, &state, "a look and back");
    }
    assert_true(looks > 10);
    if (safest > 50 && isfinite(safest)) fail_msg("%s: the estimate is at least %.1f times the error", what, safest);
    print_message("%-20s %3d looks, estimate over error from %.2g\n", what, looks, safest);
}

static void test_values_between_steps(void **state)
{
    (void)state;
    static const struct {
        rw_ode_method method;
        int ndim, n;
    } cases[] = {{RW_ODE_RKC2, 1, 14},  {RW_ODE_RKL2, 2, 8}, {RW_ODE_ROCK2, 3, 6},
                 {RW_ODE_ROCK4, 2, 12}, {RW_ODE_DP5, 3, 6},  {RW_ODE_AUTO, 1, 12}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        if ((on("opencl") && i % 2) || !in_turn(i, 0)) continue;
        problem p;
        describe_decaying(&p, cases[i].method, cases[i].ndim, cases[i].n);
        start(&p, decaying);
        look_everywhere(&p, on("cpu") ? 0.3 : 0.1, decaying, method_of(p.ode));
        finish(&p);
    }
}
/* Sizes that are no multiple of anything. */
static void test_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 7, 127};
    for (int i = 0; i < RW_COUNT(sizes); ++i) {
        problem p;
        if (!in_turn(i, 1)) continue;
        describe(&p, "du/dt = laplace(u) - 2*u\ndv/dt = u - v", 2, 1, 4, NULL);
        p.spec.grid.size[0] = sizes[i];
        p.spec.method = RW_ODE_ROCK4, p.spec.rtol = 1e-6, p.spec.dense = true;
        now = 0;
        start(&p, even);
        steps(&p, 6);
        double error = look(&p, now = rw_ode_time(p.ode) - 0.4 * statistics(&p).step);
        assert_true(error > 0 && error < 1e-3);
        if (!(relative_error(&p, even) < error + 1e-5))
            fail_msg("size %d: %g, %g", (int)sizes[i], relative_error(&p, even), error);
        finish(&p);
    }
}

/* Sides with values of time: a look reads no neighbours. u = t + x at all nodes, exactly. */
static double ramp(const double x[3], int f) { return (void)f, now + x[0]; }
static void test_sides_that_move(void **state)
{
    (void)state;
    static const rw_boundary moving[6] = {DIRICHLET("t"), DIRICHLET("t + 1"), NONE, NONE, NONE, NONE};
    problem p;
    describe(&p, "du/dt = laplace(u) + 1", 1, 1, 12, moving);
    p.spec.method = RW_ODE_RKC2, p.spec.dense = true, p.spec.max_step = 0.03, now = 0;
    start(&p, ramp);
    steps(&p, 5);
    double error = look(&p, rw_ode_time(p.ode) - 0.3 * statistics(&p).step);
    assert_true(error < 1e-9 && relative_error(&p, ramp) < 1e-9);
    finish(&p);
}

/* ---- kinds of numbers -------------------------------------------------------------------------------------------- */

/* u' = (-1 + 3i)u or u' = -u, at every node the same. */
static void test_types(void **state)
{
    (void)state;
    static const struct {
        rw_dtype dtype;
        double rounding;
    } cases[] = {{RW_F32, 1e-5}, {RW_C64, 1e-5}, {RW_C128, 1e-7}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        bool is_complex = rw_dtype_is_complex(cases[i].dtype), is_short = cases[i].dtype != RW_C128;
        problem p;
        if (!in_turn(i, 1)) continue;
        void *w;
        const void *r;
        describe(&p, is_complex ? "du/dt = (-1 + 3i)*u" : "du/dt = -u", 1, 1, 12, NULL);
        p.fields[0].dtype = cases[i].dtype;
        p.spec.method = RW_ODE_DP5, p.spec.rtol = 1e-6, p.spec.max_step = 0.05, p.spec.dense = true;
        const int64_t n = cells_of(&p);
        OK(rw_ode_create(dev, &p.spec, &p.ode));
        OK(rw_array_create(dev, cases[i].dtype, 1, &n, RW_MEMORY_DEVICE, &p.array[0]));
        OK(rw_ode_bind(p.ode, "u", p.array[0]));
        OK(rw_array_write(p.array[0], &w));
        for (int64_t c = 0, parts = is_complex ? 2 : 1; c < n * parts; ++c)
            if (is_short) ((float *)w)[c] = c % parts == 0;
            else ((double *)w)[c] = c % parts == 0;
        steps(&p, 8);
        double t = rw_ode_time(p.ode) - 0.5 * statistics(&p).step, estimate = look(&p, t);
        OK(rw_array_read(p.array[0], &r));
        double re = is_short ? ((const float *)r)[0] : ((const double *)r)[0];
        double im = !is_complex ? 0 : is_short ? ((const float *)r)[1] : ((const double *)r)[1];
        double error =
            hypot(re - exp(-t) * (is_complex ? cos(3 * t) : 1), im - (is_complex ? exp(-t) * sin(3 * t) : 0)) / exp(-t);
        if (!(estimate > 0 && estimate < 1e-3 && error < 1.2 * estimate + cases[i].rounding))
            fail_msg("%s: error %.2e, estimate %.2e", rw_dtype_name(cases[i].dtype), error, estimate);
        finish(&p);
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Steps of 1/n in the middle of which is looked: the cubic's error is of order 4, the estimate of order 3. */
static void test_order(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    double error[2], estimate[2];
    for (int i = 0; i < 2; ++i) {
        problem p;
        double h = i ? 0.025 : 0.05;
        describe(&p, "du/dt = cos(t)", 1, 1, 4, NULL);
        p.spec.method = RW_ODE_DP5, p.spec.rtol = 1, p.spec.atol = 1, p.spec.dense = true;
        p.spec.initial_step = p.spec.max_step = h, p.spec.start = 0.6;
        start(&p, zero);
        for (int n = 0; n < (i ? 8 : 4); ++n) OK(rw_ode_step(p.ode, 10));
        double t = rw_ode_time(p.ode) - h / 2;
        estimate[i] = look(&p, t), error[i] = fabs(numbers_of(p.array[0])[2] - sin(t) + sin(0.6)) / (sin(t) - sin(0.6));
        finish(&p);
    }
    double order = log2(error[0] / error[1]), of_estimate = log2(estimate[0] / estimate[1]);
    print_message("order %.2f, of the estimate %.2f\n", order, of_estimate);
    assert_true(fabs(order - 4) < 0.25 && fabs(of_estimate - 3) < 0.25);
}

/* ---- which states belong together -------------------------------------------------------------------------------- */

/* A look in the middle of the last step. */
static double look_back(problem *p) { return look(p, rw_ode_time(p->ode) - 0.5 * statistics(p).step); }

/* Three steps until four states belong together again. */
static void assert_void(problem *p, const char *why)
{
    copy present = state_of(p);
    for (int n = 0; n < 3; ++n) {
        if (!isinf(look(p, rw_ode_time(p->ode) - 1e-9))) fail_msg("%s: a look %d steps later", why, n);
        if (n == 0) assert_same_bits(p, &present, "a look that sees nothing");
        OK(rw_ode_step(p->ode, 1));
        assert_true(rw_ode_has_dense_output(p->ode) == (n > 0));
    }
    double error = look_back(p);
    if (!(error < 1e-2)) fail_msg("%s: estimate %g", why, error);
}

static void test_what_makes_the_states_void(void **state)
{
    (void)state;
    static const char *const why[] = {"the beginning", "bind", "the same array bound", "set", "load"};
    for (int change = 0; change < 5; ++change) {
        problem p;
        rw_array *other = NULL;
        describe_coupled(&p, RW_ODE_RKC2);
        p.spec.dense = true;
        start(&p, coupled_bump);
        if (change) steps(&p, 4), look_back(&p); /* what follows comes back by itself */
        double t = rw_ode_time(p.ode);
        if (change) assert_true(t < 1 && rw_ode_has_dense_output(p.ode));
        if (change == 1) {
            const int64_t n = cells_of(&p);
            OK(rw_ode_restore(p.ode));
            OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &other));
            OK(rw_array_copy(other, p.array[1], queue));
            OK(rw_ode_bind(p.ode, "v", other));
            rw_array *old = p.array[1];
            p.array[1] = other, other = old;
        }
        if (change == 2) OK(rw_ode_bind(p.ode, "v", p.array[1]));
        if (change == 3) OK(rw_ode_set(p.ode, "k", 2.5));
        if (change == 4) {
            OK(rw_ode_restore(p.ode));
            const saved then = save(p.ode);
            OK(load(p.ode, &then));
        }
        double error;
        if (change) FAILS(RW_ERR_ARGUMENT, "there is no step to undo", rw_ode_undo(p.ode));
        if (!change) FAILS(RW_ERR_ARGUMENT, "values exist after t = 0", rw_ode_interpolate(p.ode, 0.1, &error));
        if (!change) assert_true(isinf(look(&p, -1)));
        assert_void(&p, why[change]);
        if (change == 3) OK(rw_ode_set(p.ode, "k", 2.5)); /* no change: they still count */
        assert_true(rw_ode_has_dense_output(p.ode));
        finish(&p);
        rw_array_destroy(&other);
    }
}

/* u = 2t up to the switch at 0.3, then 5 more. A look into the step that ends at it sees only what was before. */
static double bent(const double x[3], int f) { return (void)x, (void)f, 2 * now + 5 * fmax(now - 0.3, 0); }
static void test_a_switch(void **state)
{
    (void)state;
    problem p;
    describe(&p, "du/dt = where(t > 0.3, 7, 2)", 1, 1, 12, NULL);
    p.spec.method = RW_ODE_DP5, p.spec.dense = true, p.spec.initial_step = p.spec.max_step = 0.03, now = 0;
    start(&p, bent);
    int voids = 0;
    for (int n = 1; rw_ode_time(p.ode) < 0.6; ++n) {
        bool foreseen = rw_ode_has_dense_output(p.ode);
        OK(rw_ode_step(p.ode, 0.6));
        double t = rw_ode_time(p.ode), error = look_back(&p);
        assert_true(isinf(error) == !foreseen);
        if (n > 3) voids += !foreseen;
        if (foreseen && !(error < 1e-12 && relative_error(&p, bent) < 1e-12))
            fail_msg("t = %g: estimate %g, error %g", t, error, relative_error(&p, bent));
        OK(rw_ode_restore(p.ode));
    }
    assert_int_equal(voids, 3 - 1); /* the state at the switch is the first of what follows */
    finish(&p);
}

/* ---- a step undone ----------------------------------------------------------------------------------------------- */

static void assert_same_state(problem *p, const saved *expected)
{
    static const char *const work[] = {"rejected", "rhs", "spectral_rhs", "undone"}; /* which stays counted */
    const saved s = save(p->ode);
    assert_int_equal(s.n, expected->n);
    for (int i = 0; i < s.n; ++i) {
        bool counted = false;
        for (int k = 0; k < RW_COUNT(work); ++k) counted = counted || !strcmp(s.name[i], work[k]);
        if (!counted && s.value[i] != expected->value[i])
            fail_msg("%s = %.17g, not %.17g", s.name[i], s.value[i], expected->value[i]);
    }
}

static void test_a_step_undone(void **state)
{
    (void)state;
    static const rw_ode_method methods[] = {RW_ODE_RKC2, RW_ODE_ROCK4, RW_ODE_DP5};
    for (int m = 0; m < RW_COUNT(methods); ++m) {
        if ((on("opencl") && m) || !in_turn(m, 0)) continue;
        problem p;
        describe_coupled(&p, methods[m]);
        p.spec.dense = true;
        start(&p, coupled_bump);
        for (int n = 0; n < 6; ++n) { /* of the first step, of one with few states behind it, of one with many */
            const saved before = save(p.ode);
            copy old = state_of(&p);
            steps(&p, 1);
            copy new = state_of(&p);
            const saved after = save(p.ode);
            rw_ode_statistics s = statistics(&p);
            if (n > 3) look_back(&p); /* undone from where one looks */
            OK(rw_ode_undo(p.ode));
            assert_same_bits(&p, &old, "a step undone");
            if (n) assert_same_state(&p, &before);
            assert_true(statistics(&p).undone == n + 1 && statistics(&p).rhs == s.rhs &&
                        statistics(&p).rejected == s.rejected);
            FAILS(RW_ERR_ARGUMENT, "there is no step to undo at t = ", rw_ode_undo(p.ode));
            if (n) assert_true(isinf(look(&p, rw_ode_time(p.ode) - 1e-9))); /* the fourth state is lost */
            steps(&p, 1);
            assert_same_bits(&p, &new, "undone and taken again");
            assert_same_state(&p, &after);
            assert_true(isinf(look_back(&p)) == (n < 2));
            OK(rw_ode_restore(p.ode));
        }
        /* the first step with another parameter, and another radius */
        OK(rw_ode_set(p.ode, "k", 40));
        steps(&p, 1);
        const saved after = save(p.ode);
        OK(rw_ode_undo(p.ode));
        steps(&p, 1);
        assert_same_state(&p, &after);
        steps(&p, 3);
        /* to a nearer limit */
        OK(rw_ode_undo(p.ode));
        double t = rw_ode_time(p.ode), limit = t + 0.3 * statistics(&p).step;
        run_to(&p, limit);
        assert_true(look(&p, t + 0.9 * (limit - t)) < 1e-3);
        finish(&p);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Steps, looks and undone steps in memory of every kind: the same bits; memory that was lent holds the values looked
 * at. */
static void test_every_kind_of_memory(void **state)
{
    (void)state;
    copy expected[3] = {{{{0}}}};
    for (int kind = 0; kind < 5; ++kind) { /* device, pinned, managed, borrowed, own */
        problem p;
        double *data[FIELDS] = {NULL};
        void *w;
        if (kind == 2 && !rw_device_info(dev)->managed) continue;
        describe_coupled(&p, RW_ODE_RKC2);
        p.spec.dense = true;
        const int64_t shape[] = {p.spec.grid.size[1], p.spec.grid.size[0]}, n = cells_of(&p);
        OK(rw_ode_create(dev, &p.spec, &p.ode));
        for (int f = 0; f < FIELDS; ++f) {
            data[f] = malloc((size_t)n * sizeof(double));
            bool lent = kind == 3 && f == 0; /* one field lent, the other not */
            if (lent || kind == 4)
                OK(rw_array_create_from(dev, RW_F64, 2, shape, data[f], lent ? RW_BORROW : RW_OWN, &p.array[f]));
            else OK(rw_array_create(dev, RW_F64, 2, shape, kind < 3 ? (rw_memory)kind : RW_MEMORY_DEVICE, &p.array[f]));
            OK(rw_array_write(p.array[f], &w));
            OK(rw_ode_bind(p.ode, p.fields[f].name, p.array[f]));
        }
        fill(&p, coupled_bump);
        copy seen[3];
        steps(&p, 5);
        look_back(&p);
        seen[0] = state_of(&p);
        if (kind == 3) assert_memory_equal(data[0], seen[0].value[0], (size_t)n * sizeof(double));
        steps(&p, 3); /* from the present state */
        seen[1] = state_of(&p);
        if (kind == 3) assert_memory_equal(data[0], seen[1].value[0], (size_t)n * sizeof(double));
        OK(rw_ode_undo(p.ode));
        steps(&p, 2);
        look_back(&p);
        look(&p, rw_ode_time(p.ode) - 0.1 * statistics(&p).step); /* another one, without coming back */
        OK(rw_ode_restore(p.ode));
        seen[2] = state_of(&p);
        for (int i = 0; i < 3; ++i)
            if (kind == 0) expected[i] = seen[i];
            else if (memcmp(expected + i, seen + i, sizeof *seen))
                fail_msg("memory of kind %d: other bits (%d)", kind, i);
        finish(&p);
        for (int f = 0; f < FIELDS && kind != 4; ++f) free(data[f]);
    }
}

/* Keeping states changes no step, and costs three vectors; steps and looks copy no field, and a look evaluates
 * nothing. */
static void test_what_it_costs(void **state)
{
    (void)state;
    problem p, q;
    describe_coupled(&p, RW_ODE_ROCK4), describe_coupled(&q, RW_ODE_ROCK4);
    p.spec.dense = true;
    q.spec.fields = q.fields, q.spec.scalars = q.scalars;
    assert_int_equal(rw_ode_bytes(&p.spec) - rw_ode_bytes(&q.spec), 3 * 2 * 8 * cells_of(&p));
    start(&p, coupled_bump), start(&q, coupled_bump);
    steps(&p, 4), steps(&q, 4);
    look_back(&p);
    rw_counters a = counters();
    rw_ode_statistics s = statistics(&p);
    for (int i = 1; i < 10; ++i) look(&p, rw_ode_time(q.ode) - 0.1 * i * s.step);
    rw_counters b = counters();
    assert_true(statistics(&p).rhs == s.rhs);
    assert_int_equal(b.copies_in, a.copies_in);
    assert_int_equal(b.copies_device, a.copies_device);
    assert_int_equal(b.bytes_allocated, a.bytes_allocated);
    assert_true(b.launches - a.launches <= 9 * 3 && b.copies_out - a.copies_out <= 9 * 2);
    steps(&p, 3), steps(&q, 3);
    copy expected = state_of(&q);
    assert_same_bits(&p, &expected, "states kept");
    assert_int_equal(counters().copies_device, a.copies_device);
    finish(&p), finish(&q);
}

/* AUTO is another method for the graph of a step, which leaves the states kept alone. */
static void test_the_graph_of_a_step(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    static const rw_ode_method methods[] = {RW_ODE_AUTO, RW_ODE_DP5};
    for (int m = 0; m < RW_COUNT(methods); ++m) {
        problem p, q;
        char *text;
        describe_coupled(&p, methods[m]);
        p.spec.dense = true;
        q = p;
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, coupled_bump), start(&q, coupled_bump);
        for (int n = 0; n < 6; ++n) {
            OK(rw_ode_depgraph(p.ode, 0, NULL, NULL, &text));
            free(text);
            steps(&p, 1), steps(&q, 1);
            assert_true(look_back(&p) == look_back(&q));
            copy expected = state_of(&q);
            assert_same_bits(&p, &expected, "with graphs");
        }
        finish(&p), finish(&q);
    }
}

/* Four cells of a line that begin with 0, and so many steps. */
static void begin_at_zero(problem *p, const char *text, int n)
{
    describe(p, text, 1, 1, 4, NULL);
    p->spec.method = RW_ODE_DP5, p->spec.dense = true, p->spec.max_step = 0.1;
    start(p, zero);
    steps(p, n);
}

static void test_arguments(void **state)
{
    (void)state;
    problem p;
    double error = 0;
    describe_coupled(&p, RW_ODE_RK4);
    p.spec.dense = true;
    FAILS(RW_ERR_ARGUMENT, "dense with method rk4: only methods with error control have dense output",
          rw_ode_create(dev, &p.spec, &p.ode));
    p.spec.method = RW_ODE_DP5, p.spec.dense = false;
    start(&p, coupled_bump);
    steps(&p, 4);
    FAILS(RW_ERR_ARGUMENT, "no dense output at t = 0.001: set dense", rw_ode_interpolate(p.ode, 0.001, &error));
    FAILS(RW_ERR_ARGUMENT, "set dense in rw_ode_spec", rw_ode_undo(p.ode));
    OK(rw_ode_restore(p.ode));
    assert_false(rw_ode_has_dense_output(p.ode));
    finish(&p);
    p.spec.dense = true;
    start(&p, coupled_bump);
    steps(&p, 4);
    double t = rw_ode_time(p.ode), before = t - statistics(&p).step;
    const double bad[] = {nextafter(t, 9), before - 1e-9, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        error = 0;
        FAILS(RW_ERR_ARGUMENT, ": values exist after t = ", rw_ode_interpolate(p.ode, bad[i], &error));
        assert_true(isinf(error) && rw_ode_time(p.ode) == t);
    }
    copy present = state_of(&p);
    assert_true(look(&p, 0.5 * (t + before)) < 1e-2 && rw_ode_time(p.ode) < t);
    assert_true(look(&p, t) == 0 && rw_ode_time(p.ode) == t); /* the present state itself */
    assert_same_bits(&p, &present, "a look at the present time");
    finish(&p);
    /* values whose squares overflow: nothing is seen */
    begin_at_zero(&p, "du/dt = 1e200*cos(t)", 5);
    present = state_of(&p);
    assert_true(isinf(look_back(&p)));
    assert_same_bits(&p, &present, "a look that overflows");
    finish(&p);
    /* nothing there: an estimate of 0 */
    begin_at_zero(&p, "du/dt = -u", 4);
    assert_true(look_back(&p) == 0);
    finish(&p);
}

/* ---- saved and loaded -------------------------------------------------------------------------------------------- */

/* Another integrator with the states that count: the same values between steps, the same step undone, the same
 * steps. */
static void test_states_saved_and_loaded(void **state)
{
    (void)state;
    for (int n = 1; n < 6; ++n) {
        problem p, q;
        saved history = {.n = 0};
        describe_coupled(&p, RW_ODE_RKC2);
        p.spec.dense = true;
        q = p;
        q.spec.fields = q.fields, q.spec.scalars = q.scalars;
        start(&p, coupled_bump), start(&q, coupled_bump);
        steps(&p, n);
        const saved then = save(p.ode);
        history.n = rw_history_save(p.ode, history.name, history.value, MOST_VALUES);
        assert_true(rw_history_states(p.ode) == RW_MIN(n, 3));
        OK(load(q.ode, &then));
        OK(rw_history_load(q.ode, history.name, history.value, history.n));
        for (int f = 0; f < 2; ++f) {
            OK(rw_array_copy(q.array[f], p.array[f], queue));
            for (int i = 0; i < rw_history_states(p.ode); ++i)
                OK(rw_array_copy(rw_history_array(q.ode, i, f), rw_history_array(p.ode, i, f), queue));
        }
        for (int round = 0; round < 3; ++round) {
            double error = look_back(&p);
            assert_true(look_back(&q) == error);
            copy expected = state_of(&p);
            assert_same_bits(&q, &expected, "a look after loading");
            if (round == 0) OK(rw_ode_undo(p.ode));
            if (round == 0) OK(rw_ode_undo(q.ode));
            steps(&p, 1), steps(&q, 1);
            expected = state_of(&p);
            assert_same_bits(&q, &expected, "a step after loading");
        }
        static const char *const place[] = {"states", "states", "states", "had_states", "time_1"};
        const double value[] = {4, -1, 0.5, NAN, 1e9};
        for (int i = 0; i < RW_COUNT(place); ++i) {
            saved bad = history;
            *named(&bad, place[i]) = value[i];
            FAILS(RW_ERR_INPUT, "the checkpoint is damaged", rw_history_load(q.ode, bad.name, bad.value, bad.n));
        }
        for (int i = 0; i < history.n; ++i) {
            saved bad = history;
            if (!strcmp(bad.name[i], "method")) continue; /* known from the state */
            bad.name[i] = "another";
            FAILS(RW_ERR_INPUT, "the checkpoint is damaged", rw_history_load(q.ode, bad.name, bad.value, bad.n));
        }
        finish(&p), finish(&q);
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef struct life {
    bool lent;
    double data[2][9];
    rw_ode *ode;
    rw_array *array[2];
} life;

static void end_life(life *l)
{
    rw_ode_destroy(&l->ode);
    for (int f = 0; f < 2; ++f) rw_array_destroy(&l->array[f]);
}

/* Create, four steps, looks, an undone step. */
static rw_status begin_life(life *l)
{
    problem p;
    double error = 0;
    const int64_t n = 9;
    rw_array **a = l->array;
    rw_status status = RW_OK;
    describe(&p, "du/dt = 0.1*laplace(u) - u^3\ndv/dt = u - v", 2, 1, 8, NULL);
    p.spec.method = RW_ODE_RKC2, p.spec.dense = true;
    p.ode = NULL;
    for (int f = 0; f < 2; ++f)
        for (int i = 0; i < n; ++i) l->data[f][i] = 0.1 * i;
    for (int f = 0; f < 2 && status == RW_OK; ++f)
        status = rw_array_create_from(dev, RW_F64, 1, &n, l->data[f], l->lent ? RW_BORROW : RW_COPY, &a[f]);
    if (status == RW_OK) status = rw_ode_create(dev, &p.spec, &p.ode);
    for (int f = 0; f < 2 && status == RW_OK; ++f) status = rw_ode_bind(p.ode, p.fields[f].name, a[f]);
    for (int i = 0; i < 4 && status == RW_OK; ++i) status = rw_ode_step(p.ode, 1);
    for (int i = 0; i < 2 && status == RW_OK; ++i)
        status = rw_ode_interpolate(p.ode, rw_ode_time(p.ode) - 0.2 * statistics_of(p.ode).step, &error);
    if (status == RW_OK && !(error < 1e-2)) status = RW_ERR_INTERNAL;
    if (status == RW_OK) status = rw_ode_undo(p.ode);
    if (status == RW_OK) status = rw_ode_step(p.ode, 1);
    l->ode = p.ode;
    return status;
}

static rw_status live(void *user)
{
    rw_status status = begin_life(user);
    end_life(user);
    return status;
}

static void test_everything_may_fail_once(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    for (int lent = 0; lent < 2; ++lent) {
        /* which keeps programs loaded: a failed read of the cache compiles none again */
        life l = {.lent = lent}, keeper = {.lent = lent};
        OK(begin_life(&keeper));
        int arrays = each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l);
        int launches = each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, live, &l);
        int allocations = on("cpu") ? each_nth_fault(5, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, live, &l) : 0;
        end_life(&keeper);
        print_message("%d arrays, %d launches, %d allocations failed once\n", arrays, launches, allocations);
        assert_true(arrays >= 10 && launches >= 15);
    }
}

/* A look that failed leaves the present state, and may be repeated; so may coming back, to memory that was lent. */
static void test_a_failed_look_may_be_repeated(void **state)
{
    (void)state;
    static const rw_fault kinds[] = {RW_FAULT_LAUNCH, RW_FAULT_ALLOC, RW_FAULT_DEVICE_ALLOC};
    if (on("opencl")) skip();
    for (int k = 0; k < 2 * RW_COUNT(kinds); ++k) {
        rw_fault kind = kinds[k / 2];
        double data[FIELDS][15 * 15], error;
        problem p;
        describe_coupled(&p, RW_ODE_RKC2);
        p.spec.dense = true;
        const int64_t n = cells_of(&p);
        OK(rw_ode_create(dev, &p.spec, &p.ode));
        for (int f = 0; f < FIELDS; ++f) {
            OK(rw_array_create_from(dev, RW_F64, 1, &n, data[f], k % 2 ? RW_BORROW : RW_COPY, &p.array[f]));
            OK(rw_ode_bind(p.ode, p.fields[f].name, p.array[f]));
        }
        fill(&p, coupled_bump);
        steps(&p, 4);
        copy present = state_of(&p);
        double t = rw_ode_time(p.ode), at = t - 0.5 * statistics(&p).step;
        for (int met = 1, event = 1; met; ++event) {
            rw_fault_set(kind, event);
            rw_status status = rw_ode_interpolate(p.ode, at, &error);
            met = rw_fault_events(kind) >= event;
            rw_fault_set(kind, 0);
            if (status != RW_OK) {
                assert_true(rw_ode_time(p.ode) == t && isinf(error));
                assert_same_bits(&p, &present, "a look that failed");
            }
        }
        assert_true(look(&p, at) < 1e-2);
        for (int met = 1, event = 1; met; ++event) {
            rw_fault_set(kind, event);
            rw_status status = rw_ode_restore(p.ode);
            met = rw_fault_events(kind) >= event;
            rw_fault_set(kind, 0);
            assert_true(status == RW_OK || rw_ode_time(p.ode) == at);
        }
        assert_same_bits(&p, &present, "come back at last");
        steps(&p, 1);
        finish(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_between_steps),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sides_that_move),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_what_makes_the_states_void),
        cmocka_unit_test(test_a_switch),
        cmocka_unit_test(test_a_step_undone),
        cmocka_unit_test(test_every_kind_of_memory),
        cmocka_unit_test(test_what_it_costs),
        cmocka_unit_test(test_the_graph_of_a_step),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_states_saved_and_loaded),
        cmocka_unit_test(test_everything_may_fail_once),
        cmocka_unit_test(test_a_failed_look_may_be_repeated),
    };
    return run_on_devices("dense", tests, RW_COUNT(tests));
}
