/* Equations without a time derivative on every device: both methods against a dense matrix for all layouts, kinds of
 * sides, types and awkward sizes; residuals; singular, nonlinear and coupled equations; scalars that change; what is
 * refused. Orders of convergence: test_order.c. */
/* TEST: devices=all */
#include "problem.h"

static const rw_grid_layout layouts[] = {RW_GRID_AUTO, RW_GRID_CELL, RW_GRID_NODE};

static double uniform(uint64_t seed, int i) { return rw_random_uniform(seed, (uint64_t)i); }
static int pick(uint64_t seed, int i, int n) { return (int)(uniform(seed, i) * n); }

/* ---- the example of the page ------------------------------------------------------------------------------------- */

static void test_example(void **state)
{
    (void)state;
    enum { N = 127 };
    const double h = 1. / (N + 1), pi = acos(-1);
    rw_elliptic *e;
    rw_elliptic_result result;
    rw_array *array_of_psi = new_array(RW_F64, N * N, RW_MEMORY_DEVICE),
             *array_of_w = new_array(RW_F64, N * N, RW_MEMORY_DEVICE);
    for (int64_t i = 0; i < N * N; ++i) {
        const double x = h * (double)(i % N + 1), y = h * (double)(i / N + 1);
        put(array_of_psi, i, 1, 0);
        put(array_of_w, i, sin(pi * x) * sin(2 * pi * y), 0);
    }
    rw_expr_field psi = {.name = "psi"}, w = {.name = "w"};
    for (int side = 0; side < 4; ++side) psi.boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
    rw_elliptic_spec spec = {.equations = "laplace(psi) = -w",
                             .grid = {2, {127, 127}, {1. / 128, 1. / 128}},
                             .fields = &psi,
                             .nfields = 1,
                             .externals = &w,
                             .nexternals = 1};
    OK(rw_elliptic_create(dev, &spec, &e));
    OK(rw_elliptic_bind(e, "psi", array_of_psi));
    OK(rw_elliptic_bind(e, "w", array_of_w));
    OK(rw_elliptic_solve(e, &result));
    assert_int_equal(result.method, RW_ELLIPTIC_TRANSFORM);
    assert_true(result.steps == 1 && result.residual < 1e-10 * result.right_side);
    /* an eigenvector of the differences */
    const double eigenvalue = 4 / (h * h) * (pow(sin(pi * h / 2), 2) + pow(sin(pi * h), 2));
    for (int64_t i = 0; i < N * N; ++i)
        if (!(cabsl(at(array_of_psi, i) - at(array_of_w, i) / eigenvalue) < 1e-12)) fail_msg("node %lld", (long long)i);
    rw_elliptic_destroy(&e);
    rw_array_destroy(&array_of_psi);
    rw_array_destroy(&array_of_w);
}

/* ---- against a dense matrix -------------------------------------------------------------------------------------- */

/* The equation, and its residual. */
static const char *const equations[][2] = {
    {"laplace(u) - k*u = f", "R = laplace(u) - k*u - f"},
    {"0 = -laplace(u) + 3*u + f*x", "R = laplace(u) - 3*u - f*x"},
    {"k*dxx(u) = u - f", "R = k*dxx(u) - u + f"},
    {"div((1 + g)*grad(u)) - u = f", "R = div((1 + g)*grad(u)) - u - f"},
    {"laplace(u) + c*dx(u) - k*u = f", "R = laplace(u) + c*dx(u) - k*u - f"},
    {"laplace(u) + k*u = f", "R = laplace(u) + k*u - f"},
    {"div((1 + x)*grad(u)) - (k + x^2)*u = f", "R = div((1 + x)*grad(u)) - (k + x^2)*u - f"},
    {"(2 + x)*laplace(u) + c*dx(u) - x*u = f", "R = (2 + x)*laplace(u) + c*dx(u) - x*u - f"},
};

static void one_random(uint64_t seed)
{
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN,    RW_BOUNDARY_ROBIN,
                                             RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEAREST,    RW_BOUNDARY_REFLECT,
                                             RW_BOUNDARY_CONSTANT,  RW_BOUNDARY_REFLECT101, RW_BOUNDARY_PERIODIC};
    static const rw_dtype types[] = {RW_F64, RW_F64, RW_F32, RW_C128, RW_C64};
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13};
    const int ndim = 1 + pick(seed, 0, 3), which = pick(seed, 1, RW_COUNT(equations)),
              most = ndim == 1   ? 10
                     : ndim == 2 ? 8
                                 : 5;
    int64_t size[3];
    for (int d = 0; d < 3; ++d) size[d] = sizes[pick(seed, 2 + d, most)];
    problem p;
    residual r;
    char what[256];
    begin(&p, equations[which][0], 1, ndim, size);
    p.spec.layout = layouts[pick(seed, 5, 3)];
    p.spec.order = uniform(seed, 6) < 0.2 ? 4 : 2;
    for (int d = 0; d < 3 && p.spec.order == 4; ++d) /* formulas of order 4 need five nodes */
        if (p.spec.grid.size[d] < 5 && d < ndim) p.spec.grid.size[d] = size[d] = 5 + d;
    p.fields[0].dtype = types[pick(seed, 7, RW_COUNT(types))];
    if (which == 5 && is_single(p.fields[0].dtype)) p.fields[0].dtype = RW_F64; /* perhaps nearly singular */
    p.spec.rtol = is_single(p.fields[0].dtype) ? 1e-4 : 1e-11;
    p.scalars[0].value = 1 + uniform(seed, 8);
    int n = snprintf(what, sizeof what, "seed %llu: %s, layout %d, order %d, %s, k = %g", (unsigned long long)seed,
                     equations[which][0], p.spec.layout, p.spec.order, rw_dtype_name(p.fields[0].dtype),
                     p.scalars[0].value);
    for (int d = 0; d < ndim; ++d) {
        rw_boundary *side = p.fields[0].boundary + 2 * d;
        for (int upper = 0; upper < 2; ++upper)
            side[upper] = side_of(kinds[pick(seed, 10 + 2 * d + upper, RW_COUNT(kinds))], upper ? "0.7" : "0.2 + y");
        if (side[0].kind == RW_BOUNDARY_PERIODIC || side[1].kind == RW_BOUNDARY_PERIODIC)
            side[0] = side[1] = side_of(RW_BOUNDARY_PERIODIC, "0");
        if (ndim == 1) side[0].c = side[0].a = side[0].kind == RW_BOUNDARY_ROBIN ? "2" : "0.2";
        if (side[0].kind == RW_BOUNDARY_CONSTANT) side[0].a = "0.3";
        place_axis(&p, d);
        n += snprintf(what + n, sizeof what - (size_t)n, "; %lld %s %s", (long long)size[d],
                      rw_boundary_kind_name(side[0].kind), rw_boundary_kind_name(side[1].kind));
    }
    make_arrays(&p);
    make_residual(&p, equations[which][1], &r);
    number *exact = calloc((size_t)r.nodes, sizeof *exact);
    solve_dense(&r, exact);
    solve_with(what, &p, &r, exact, RW_ELLIPTIC_TRANSFORM);
    solve_with(what, &p, &r, exact, RW_ELLIPTIC_KRYLOV);
    free(exact);
    drop_residual(&r);
    drop(&p);
}

static void test_random(void **state)
{
    (void)state;
    const bool compiles_slowly = on("opencl") && !rw_device_info(dev)->gpu; /* ten seconds an example */
    const int n = test_long() ? (compiles_slowly ? 12 : 150) : slow() ? 1 : brief() ? 6 : 12;
    const char *only = getenv("SEED");
    if (only) one_random((uint64_t)atoi(only));
    else
        for (int i = 0; i < n; ++i) one_random((uint64_t)(100 + i));
}

/* ---- right-hand sides -------------------------------------------------------------------------------------------- */

/* A field that is the right-hand side but for a number is read by transforms, wherever its array is; others by a
 * program. Launches only. */
static void check_right_side(const char *equation, const char *expression, rw_grid_layout layout, rw_dtype type)
{
    problem p;
    residual r;
    char what[200];
    begin(&p, equation, 1, 2, (int64_t[]){7, 6});
    p.spec.layout = layout;
    p.fields[0].dtype = type;
    p.spec.rtol = is_single(type) ? 1e-4 : 1e-11;
    for (int side = 2; side < 4; ++side) p.fields[0].boundary[side] = side_of(RW_BOUNDARY_NEUMANN, "0");
    place_axis(&p, 0);
    place_axis(&p, 1);
    make_arrays(&p);
    make_residual(&p, expression, &r);
    number *exact = calloc((size_t)r.nodes, sizeof *exact);
    solve_dense(&r, exact);
    const int64_t n = r.nodes;
    rw_array *const own = p.arrays[1], *wide = new_array(own->dtype, 2 * n + 1, RW_MEMORY_DEVICE),
                    *same = new_array(own->dtype, n, RW_MEMORY_DEVICE), *other;
    for (int64_t i = 0; i < n; ++i) put(same, i, (double)creall(at(own, i)), 0);
    for (int64_t i = 0; i < n; ++i) put(wide, 2 * i + 1, (double)creall(at(own, i)), 0);
    OK(rw_array_slice(wide, 0, 1, 2 * n + 1, 2, &other));
    snprintf(what, sizeof what, "%s, layout %d, %s", equation, layout, rw_dtype_name(type));
    solve_with(what, &p, &r, exact, RW_ELLIPTIC_TRANSFORM);
    rw_array *const arrays[] = {own, other, same};
    for (int i = 0; i < RW_COUNT(arrays); ++i) {
        for (int64_t k = 0; k < n; ++k) put(p.arrays[0], k, 9, 9);
        OK(rw_elliptic_bind(p.solver, "f", arrays[i]));
        OK(rw_elliptic_enqueue(p.solver));
        compare_solution(what, &p, &r, exact);
    }
    free(exact);
    rw_array_destroy(&wide);
    rw_array_destroy(&other);
    rw_array_destroy(&same);
    drop_residual(&r);
    drop(&p);
}

static void test_right_sides(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"laplace(u) - u = f", "R = laplace(u) - u - f"},
                                           {"u - 0.5*laplace(u) = -3*f", "R = u - 0.5*laplace(u) + 3*f"},
                                           {"-laplace(u) = 2*f + f/4", "R = -laplace(u) - 2*f - f/4"},
                                           {"laplace(u) - u = k*f", "R = laplace(u) - u - k*f"},
                                           {"laplace(u) = f*f", "R = laplace(u) - f*f"},
                                           {"laplace(u) = f + 1", "R = laplace(u) - f - 1"},
                                           {"laplace(u) = f - g", "R = laplace(u) - f + g"}};
    static const rw_dtype types[] = {RW_F64, RW_F32, RW_C128};
    const int n = slow() ? 2 : RW_COUNT(texts);
    for (int i = 0; i < n; ++i)
        check_right_side(texts[i][0], texts[i][1], layouts[i % 3], slow() ? RW_F64 : types[i < 4 ? i % 2 : i % 3]);
}

/* ---- scalars change ---------------------------------------------------------------------------------------------- */

/* Definite, singular, indefinite, the other sign: the same solver for all. */
static void change_scalars(rw_elliptic_method method)
{
    static const double ks[][2] = {{1, 1}, {1, 30}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    problem p;
    residual r;
    number exact[30];
    begin(&p, "k*laplace(u) - c*u = f", 1, 2, (int64_t[]){6, 5});
    p.spec.method = method;
    for (int side = 0; side < 4; ++side) p.fields[0].boundary[side] = side_of(RW_BOUNDARY_NEUMANN, "0.5");
    place_axis(&p, 0);
    place_axis(&p, 1);
    make_arrays(&p);
    p.scalars[1].value = 0;
    make_solver(&p);
    assert_int_equal(rw_elliptic_solve(p.solver, &p.result), RW_ERR_INPUT); /* unbalanced */
    for (int i = 0; i < RW_COUNT(ks); ++i) {
        p.scalars[0].value = ks[i][0];
        p.scalars[1].value = ks[i][1];
        OK(rw_elliptic_set(p.solver, "k", ks[i][0]));
        OK(rw_elliptic_set(p.solver, "c", ks[i][1]));
        make_residual(&p, "R = k*laplace(u) - c*u - f", &r);
        solve_dense(&r, exact);
        OK(rw_elliptic_solve(p.solver, &p.result));
        assert_true(p.result.imbalance == 0);
        compare_solution("scalars", &p, &r, exact);
        drop_residual(&r);
    }
    OK(rw_elliptic_set(p.solver, "c", 0));
    FAILS(RW_ERR_INPUT, "the equation has no solution", rw_elliptic_solve(p.solver, &p.result));
    drop(&p);
}

static void test_scalars(void **state)
{
    (void)state;
    if (!slow()) change_scalars(RW_ELLIPTIC_TRANSFORM);
    change_scalars(RW_ELLIPTIC_KRYLOV);
}

/* ---- tolerances -------------------------------------------------------------------------------------------------- */

/* The default suits the type: on 40 x 40 nodes residuals of single precision do not fall below 5e-6. */
static void test_default_tolerance(void **state)
{
    (void)state;
    static const struct {
        rw_dtype type;
        rw_elliptic_method method;
        const char *equation;
        double rtol;
    } cases[] = {{RW_F32, RW_ELLIPTIC_TRANSFORM, "laplace(u) = k", 1e-3},
                 {RW_F32, RW_ELLIPTIC_KRYLOV, "laplace(u) - k*u^3 = 20", 1e-3},
                 {RW_C64, RW_ELLIPTIC_KRYLOV, "laplace(u) - 20*dx(u) = k", 1e-3},
                 {RW_F64, RW_ELLIPTIC_TRANSFORM, "laplace(u) = k", 1e-8},
                 {RW_C128, RW_ELLIPTIC_KRYLOV, "laplace(u) = k", 1e-8}};
    for (int i = 0; i < (slow() ? 1 : RW_COUNT(cases)); ++i) {
        problem p;
        rw_elliptic_spec used;
        begin(&p, cases[i].equation, 1, 2, (int64_t[]){40, 40});
        p.spec.rtol = 0;
        p.spec.method = cases[i].method;
        p.fields[0].dtype = cases[i].type;
        make_arrays(&p);
        make_solver(&p);
        OK(rw_elliptic_get_spec(p.solver, &used));
        assert_true(used.rtol == cases[i].rtol);
        OK(rw_elliptic_solve(p.solver, &p.result));
        assert_true(p.result.residual <= used.rtol * p.result.right_side);
        drop(&p);
    }
}

/* ---- singular ---------------------------------------------------------------------------------------------------- */

static void check_singular(rw_boundary_kind kind, rw_grid_layout layout, rw_elliptic_method method, rw_dtype type)
{
    problem p;
    begin(&p, "laplace(u) = f", 1, 2, (int64_t[]){12, 9});
    p.spec.method = method;
    p.spec.layout = layout;
    p.spec.mean = 2.5;
    p.fields[0].dtype = type;
    for (int side = 0; side < 4; ++side) p.fields[0].boundary[side] = side_of(kind, "0");
    place_axis(&p, 0);
    place_axis(&p, 1);
    make_arrays(&p);
    fill(p.arrays[0], 5, 0);
    make_solver(&p);
    for (int i = 0; i < 2; ++i) { /* balanced; a little unbalanced */
        double mean = 0, weights = 0;
        fill_waves(&p, i ? 0.004 : 0);
        OK(rw_elliptic_solve(p.solver, &p.result));
        assert_true(i ? fabs(p.result.imbalance - 0.004 * sqrt(2)) < 1e-3 : p.result.imbalance < 1e-10);
        for (int64_t k = 0; k < nodes_of(&p); ++k) {
            const int64_t at_x = k % 12, at_y = k / 12;
            double w = 1;
            if (kind == RW_BOUNDARY_NEUMANN && layout != RW_GRID_CELL)
                w = (at_x == 0 || at_x == 11 ? 0.5 : 1) * (at_y == 0 || at_y == 8 ? 0.5 : 1);
            weights += w;
            mean += w * (double)creall(at(p.arrays[0], k));
        }
        if (!(fabs(mean / weights - 2.5) < 1e-12)) fail_msg("the mean is %.17g", mean / weights);
    }
    fill_waves(&p, 0.5);
    FAILS(RW_ERR_INPUT, "their mean is 0.5", rw_elliptic_solve(p.solver, &p.result));
    drop(&p);
}

static void test_singular(void **state)
{
    (void)state;
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_NEUMANN, RW_BOUNDARY_PERIODIC};
    int turn = 0;
    for (int k = 0; k < 2; ++k)
        for (int layout = 0; layout < 3; ++layout)
            for (int m = RW_ELLIPTIC_TRANSFORM; m <= RW_ELLIPTIC_KRYLOV; ++m)
                if (test_long() || turn++ % (slow() ? 12 : 2) == 0)
                    check_singular(kinds[k], layouts[layout], (rw_elliptic_method)m, m % 2 ? RW_F64 : RW_C128);
}

/* One node on each axis, all sides of Neumann: nothing but the mean is left. */
static void test_one_node(void **state)
{
    (void)state;
    problem p;
    begin(&p, "laplace(u) = 0", 1, 1, (int64_t[]){1});
    p.spec.mean = 3;
    p.fields[0].boundary[0] = p.fields[0].boundary[1] = side_of(RW_BOUNDARY_NEUMANN, "0");
    make_arrays(&p);
    make_solver(&p);
    OK(rw_elliptic_solve(p.solver, &p.result));
    assert_true(creall(at(p.arrays[0], 0)) == 3);
    drop(&p);
}

/* ---- nonlinear, systems ------------------------------------------------------------------------------------------ */

/* |F(u)| by the plain evaluator is below the tolerance, and as reported. */
static void check_converged(const char *what, problem *p, const char *text)
{
    residual r;
    if (rw_elliptic_solve(p->solver, &p->result) != RW_OK) fail_msg("%s: %s", what, rw_message(ctx));
    make_residual(p, text, &r);
    const int64_t n = r.n * r.nodes;
    number *u = calloc((size_t)n, sizeof *u), *F = calloc((size_t)n, sizeof *F);
    for (int64_t i = 0; i < n; ++i) u[i] = at(p->arrays[i / r.nodes], i % r.nodes);
    evaluate(&r, u, F);
    const double norm = norm_of(F, n), scale = p->result.right_side > 0 ? p->result.right_side : p->result.first;
    if (!(norm <= 2 * p->spec.rtol * scale)) fail_msg("%s: |F(u)| = %.3g of %.3g", what, norm, scale);
    free(u);
    free(F);
    drop_residual(&r);
}

static void test_nonlinear(void **state)
{
    (void)state;
    static const struct {
        const char *equation, *residual;
        const char *left; /* neumann on the left side */
        rw_boundary right;
    } cases[] = {
        {"div((0.01 + dx(u)^2 + dy(u)^2)*grad(u)) = -f",
         "R = div((0.01 + dx(u)^2 + dy(u)^2)*grad(u)) + f",
         "0.1",
         {RW_BOUNDARY_DIRICHLET, "0", 0, 0}},
        {"-laplace(u) = 2*exp(u)", "R = laplace(u) + 2*exp(u)", "0", {RW_BOUNDARY_DIRICHLET, "0", 0, 0}},
        {"laplace(u) = -f", "R = laplace(u) + f", "1 - u^4", {RW_BOUNDARY_DIRICHLET, "0.5", 0, 0}},
        {"laplace(u) = -f", "R = laplace(u) + f", "0", {RW_BOUNDARY_ROBIN, "1 + u^2", "1", "2"}},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        if (slow() && i != 3) continue;
        for (int layout = 0; layout < 3; ++layout) {
            if (!test_long() && layout != i % 3) continue;
            problem p;
            begin(&p, cases[i].equation, 1, 2, (int64_t[]){9, 8});
            p.spec.layout = layouts[layout];
            p.fields[0].boundary[0] = side_of(RW_BOUNDARY_NEUMANN, cases[i].left);
            p.fields[0].boundary[1] = cases[i].right;
            place_axis(&p, 0);
            place_axis(&p, 1);
            make_arrays(&p);
            make_solver(&p);
            check_converged(cases[i].equation, &p, cases[i].residual);
            assert_int_equal(p.result.method, RW_ELLIPTIC_KRYLOV);
            assert_true(p.result.steps > 1 && p.result.steps < 30);
            drop(&p);
        }
    }
}

/* Arrays with gaps between their elements. */
/* Rates for equations: the steady states of a reaction and its diffusion, of a field that is pulled to another one. */
static void test_steady(void **state)
{
    (void)state;
    static const char *const texts[] = {"du/dt = laplace(u) - k*u^3 + f",
                                        "R = laplace(u) - k*u^3 + f",
                                        "dv/dt = 3*u - 2*v + f; du/dt = laplace(u) - u*v + k",
                                        "R = laplace(u) - u*v + k; S = 3*u - 2*v + f",
                                        "du/dt = v; dv/dt = laplace(u) - v - f",
                                        "R = v; S = laplace(u) - v - f"};
    for (int i = 0; i < (slow() ? 1 : 3); ++i) {
        problem p;
        residual r;
        number u[2 * 12 * 9], F[2 * 12 * 9];
        begin(&p, texts[2 * i], 1 + (i > 0), 2, (int64_t[]){12, 9});
        p.spec.steady = true;
        make_arrays(&p);
        make_solver(&p);
        OK(rw_elliptic_solve(p.solver, &p.result));
        make_residual(&p, texts[2 * i + 1], &r);
        for (int64_t k = 0; k < r.n * r.nodes; ++k) u[k] = at(p.arrays[k / r.nodes], k % r.nodes);
        evaluate(&r, u, F);
        if (!(norm_of(F, r.n * r.nodes) <= 1e-9 * p.result.right_side))
            fail_msg("%s: %.3g of %.3g", texts[2 * i], norm_of(F, r.n * r.nodes), p.result.right_side);
        drop_residual(&r);
        drop(&p);
    }
    problem p;
    begin(&p, "du/dt = laplace(u); laplace(u) = f", 1, 2, (int64_t[]){12, 9});
    p.spec.steady = true;
    FAILS(RW_ERR_INPUT, "a second equation for u", rw_elliptic_create(dev, &p.spec, &p.solver));
}

static void test_views(void **state)
{
    (void)state;
    enum { N = 15 };
    problem p, q;
    begin(&p, "-laplace(u) = g*exp(u)", 1, 1, (int64_t[]){N});
    make_arrays(&p);
    make_solver(&p);
    q = p;
    q.solver = NULL;
    for (int f = 0; f < 3; ++f) {
        rw_array *wide = new_array(RW_F64, 2 * N + 1, RW_MEMORY_DEVICE);
        for (int64_t i = 0; i < 2 * N + 1; ++i) put(wide, i, i % 2 ? (double)at(p.arrays[f], i / 2) : 99, 0);
        OK(rw_array_slice(wide, 0, 1, 2 * N + 1, 2, &q.arrays[f]));
        rw_array_destroy(&wide);
    }
    make_solver(&q);
    OK(rw_elliptic_solve(p.solver, &p.result));
    if (rw_elliptic_solve(q.solver, &q.result) != RW_OK) fail_msg("views: %s", rw_message(ctx));
    rw_array *dense = new_array(RW_F64, N, RW_MEMORY_DEVICE);
    OK(rw_array_copy(dense, q.arrays[0], queue));
    assert_true(p.result.steps > 1 && p.result.iterations == q.result.iterations);
    same_bits("views", p.arrays[0], dense);
    rw_array_destroy(&dense);
    drop(&q);
    drop(&p);
}

/* Two unknowns that need each other; then one that needs the other, whose equation comes first in the text. */
static void test_systems(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"laplace(u) - v = f; laplace(v) + 0.5*u = g", "R = laplace(u) - v - f; S = laplace(v) + 0.5*u - g"},
        {"laplace(u) = v; laplace(v) = f", "R = laplace(u) - v; S = laplace(v) - f"},
        {"a = 2*v; laplace(u) - u = a*f; laplace(v) = g", "R = laplace(u) - u - 2*v*f; S = laplace(v) - g"},
    };
    for (int i = 0; i < RW_COUNT(texts); ++i)
        for (int layout = 0; layout < 3; ++layout) {
            if (!test_long() && (layout != i % 3 || (slow() && i == 1))) continue;
            problem p;
            residual r;
            number exact[2 * 30];
            begin(&p, texts[i][0], 2, 2, (int64_t[]){6, 5});
            p.spec.layout = layouts[layout];
            p.fields[1].boundary[1] = side_of(RW_BOUNDARY_NEUMANN, "0.3");
            if (layout == 0) p.fields[0].boundary[1] = side_of(RW_BOUNDARY_NEUMANN, "-0.3");
            make_arrays(&p);
            make_solver(&p);
            make_residual(&p, texts[i][1], &r);
            solve_dense(&r, exact);
            OK(rw_elliptic_solve(p.solver, &p.result));
            assert_int_equal(p.result.method, i == 0 ? RW_ELLIPTIC_KRYLOV : RW_ELLIPTIC_TRANSFORM);
            for (int64_t k = 0; k < 2 * r.nodes; ++k)
                if (!r.given[k] && cabsl(at(p.arrays[k / r.nodes], k % r.nodes) - exact[k]) > 1e-7)
                    fail_msg("%s, layout %d: node %lld", texts[i][0], layout, (long long)k);
            check_converged(texts[i][0], &p, texts[i][1]); /* from the solution */
            drop_residual(&r);
            drop(&p);
        }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static const int64_t plane[] = {7, 6};

static void refuses(const char *equations_of_it, rw_elliptic_method method, const char *message)
{
    problem p;
    begin(&p, equations_of_it, 1, 2, plane);
    p.spec.method = method;
    FAILS(RW_ERR_INPUT, message, rw_elliptic_create(dev, &p.spec, &p.solver));
    assert_null(p.solver);
}

static void test_refused(void **state)
{
    (void)state;
    const rw_elliptic_method any = RW_ELLIPTIC_AUTO, transform = RW_ELLIPTIC_TRANSFORM;
    problem p;
    refuses("", any, "");
    refuses("a = f", any, "u");
    refuses("u = f", any, "field u must not be assigned");
    refuses("du/dt = laplace(u)", any, "are for an integrator");
    refuses("laplace(q) = f", any, "case:1:9");
    refuses("laplace(u) = mean(u)", any, "cannot be solved for u");
    refuses("laplace(u) = f; dx(u) = 1", any, "case:1:");
    refuses("laplace(u) = u^2", transform, "the equation is not linear");
    refuses("div(g*grad(u)) = f", transform, "varies in space");
    refuses("laplace(u) + x*u = f", transform, "the factor of u[i, j] varies in space");
    refuses("laplace(u) + dxy(u) = f", transform, "off the axes");
    refuses("laplace(u) + k*dx(u) + k*dy(u) = f", transform, "differs from that of the node on the other side");
    refuses("mean(g)*laplace(u) = f", transform, "depends on a reduction");
    begin(&p, "laplace(u) = f", 1, 2, plane);
    p.spec.method = transform;
    p.fields[0].boundary[2] = p.fields[0].boundary[0] = side_of(RW_BOUNDARY_ROBIN, "1");
    FAILS(RW_ERR_INPUT, "robin on side left belongs to no transform", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.fields[0].boundary[2] = p.fields[0].boundary[0] = side_of(RW_BOUNDARY_NEAREST, "0");
    FAILS(RW_ERR_INPUT, "nearest on side left and dirichlet on side right",
          rw_elliptic_create(dev, &p.spec, &p.solver));
    p.fields[0].boundary[0] = p.fields[0].boundary[2] = p.fields[0].boundary[3];
    p.spec.order = 4;
    FAILS(RW_ERR_INPUT, "order 4 are one-sided next to side left", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.spec.order = 3;
    FAILS(RW_ERR_ARGUMENT, "order = 3", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.spec.order = 2;
    p.spec.grid.size[0] = 2;
    FAILS(RW_ERR_INPUT, "the axis from left to right has only 2 unknowns", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.spec.grid.ndim = 0;
    p.spec.grid.size[0] = p.spec.grid.size[1] = 1;
    FAILS(RW_ERR_ARGUMENT, "ndim = 0", rw_elliptic_create(dev, &p.spec, &p.solver));
    begin(&p, "laplace(u) = v; laplace(v) = f", 2, 2, plane);
    p.fields[1].dtype = RW_F32;
    FAILS(RW_ERR_ARGUMENT, "all unknowns must have one dtype", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.fields[0].dtype = p.fields[1].dtype = RW_I32;
    FAILS(RW_ERR_ARGUMENT, "field u: dtype i32", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.spec.nfields = 0;
    FAILS(RW_ERR_INPUT, "there are no unknowns", rw_elliptic_create(dev, &p.spec, &p.solver));
    begin(&p, NULL, 1, 2, plane);
    FAILS(RW_ERR_ARGUMENT, "equations = NULL", rw_elliptic_create(dev, &p.spec, &p.solver));
    begin(&p, "laplace(u) = f", 1, 2, plane);
    p.spec.rtol = -7;
    FAILS(RW_ERR_ARGUMENT, "rtol = -7", rw_elliptic_create(dev, &p.spec, &p.solver));
    p.spec.rtol = 1;
    FAILS(RW_ERR_ARGUMENT, "rtol = 1 is outside (0, 1) and not off", rw_elliptic_create(dev, &p.spec, &p.solver));
}

static void test_bad_use(void **state)
{
    (void)state;
    problem p;
    rw_array *other = new_array(RW_F64, 5, RW_MEMORY_DEVICE);
    begin(&p, "laplace(u) = f*k", 1, 2, plane);
    make_arrays(&p);
    OK(rw_elliptic_create(dev, &p.spec, &p.solver));
    FAILS(RW_ERR_ARGUMENT, "field u has no array", rw_elliptic_solve(p.solver, &p.result));
    FAILS(RW_ERR_ARGUMENT, "there is no field uu", rw_elliptic_bind(p.solver, "uu", p.arrays[0]));
    FAILS(RW_ERR_ARGUMENT, "there is no scalar kk; nearest is k", rw_elliptic_set(p.solver, "kk", 1));
    FAILS(RW_ERR_ARGUMENT, "", rw_elliptic_bind(p.solver, "u", other));
    OK(rw_elliptic_bind(p.solver, "u", p.arrays[0]));
    FAILS(RW_ERR_ARGUMENT, "one array bound to fields u and f", rw_elliptic_bind(p.solver, "f", p.arrays[0]));
    OK(bind_all(&p));
    OK(rw_elliptic_solve(p.solver, &p.result));
    put(p.arrays[1], 3, NAN, 0);
    FAILS(RW_ERR_INPUT, "the residual of the start is not a finite number", rw_elliptic_solve(p.solver, &p.result));
    rw_array_destroy(&other);
    drop(&p);
}

/* Not enough iterations: the best iterate stays, and a second call goes on from it. */
static void test_not_converged(void **state)
{
    (void)state;
    problem p;
    begin(&p, "div((1 + g)*grad(u)) = f", 1, 2, plane);
    p.spec.iterations = 1;
    make_arrays(&p);
    make_solver(&p);
    FAILS(RW_ERR_NOT_CONVERGED, "has not reached the tolerance: |F(u)| = ", rw_elliptic_solve(p.solver, &p.result));
    assert_true(p.result.residual < p.result.first && p.result.iterations > 0);
    for (int i = 0; i < 20 && rw_elliptic_solve(p.solver, &p.result) != RW_OK; ++i) {}
    OK(rw_elliptic_solve(p.solver, &p.result));
    rw_elliptic_destroy(&p.solver);
    p.spec.equations = "-laplace(u) = 500*exp(u)"; /* no solution */
    p.spec.steps = 6;
    make_solver(&p);
    fill(p.arrays[0], 3, 0);
    assert_int_equal(rw_elliptic_solve(p.solver, &p.result), RW_ERR_NOT_CONVERGED);
    assert_true(p.result.steps > 0 && p.result.residual <= p.result.first &&
                isfinite((double)creall(at(p.arrays[0], 20))));
    drop(&p);
}

static void test_cancel(void **state)
{
    (void)state;
    rw_cancel cancel = {0};
    for (int m = slow() ? RW_ELLIPTIC_KRYLOV : RW_ELLIPTIC_TRANSFORM; m <= RW_ELLIPTIC_KRYLOV; ++m) {
        problem p;
        begin(&p, "laplace(u) = f", 1, 2, plane);
        p.spec.method = (rw_elliptic_method)m;
        p.spec.cancel = &cancel;
        make_arrays(&p);
        make_solver(&p);
        rw_cancel_request(&cancel);
        FAILS(RW_ERR_INTERRUPTED, "interrupted", rw_elliptic_solve(p.solver, &p.result));
        rw_cancel_reset(&cancel);
        OK(rw_elliptic_solve(p.solver, &p.result));
        drop(&p);
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void test_failing_allocations(void **state)
{
    (void)state;
    static const char *const texts[] = {"laplace(u) - k*u = f", "laplace(u) = k*exp(u)*0.1 + c*dx(u)"};
    if (brief()) skip();
    for (int i = 0; i < 2; ++i) {
        problem p;
        begin(&p, texts[i], 1, 2, plane);
        make_arrays(&p);
        fail_each_allocation(&p);
        drop(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_right_sides),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_default_tolerance),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_one_node),
        cmocka_unit_test(test_nonlinear),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bad_use),
        cmocka_unit_test(test_not_converged),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_failing_allocations),
    };
    return run_on_devices("elliptic", tests, RW_COUNT(tests));
}
