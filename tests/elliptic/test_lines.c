/* Transforms along all axes but one, with tridiagonal systems along that one: against a dense matrix, singular
 * equations, scalars that change, axes of one to three nodes. */
/* TEST: devices=all */
#include "problem.h"

static const rw_grid_layout layouts[] = {RW_GRID_AUTO, RW_GRID_CELL, RW_GRID_NODE};

/* Coefficients of one axis, and sides to which no transform belongs. */
static void check_line(int ndim, const char *equation, const char *expression, const char *side_of_line, int line,
                       rw_boundary_kind kind, rw_grid_layout layout, rw_dtype type)
{
    problem p;
    residual r;
    char what[200], *text;
    begin(&p, equation, 1, ndim, (int64_t[]){7, 6, 5});
    p.fields[0].dtype = type;
    p.spec.layout = layout;
    p.spec.rtol = is_single(type) ? 1e-4 : 1e-11;
    for (int d = 0; d < ndim; ++d)
        for (int upper = 0; upper < 2; ++upper)
            p.fields[0].boundary[2 * d + upper] = side_of(d == line    ? kind
                                                          : d % 2 == 0 ? RW_BOUNDARY_NEUMANN
                                                                       : RW_BOUNDARY_DIRICHLET,
                                                          upper ? "0.7" : "0.2");
    if (*side_of_line) p.fields[0].boundary[2 * line] = side_of(RW_BOUNDARY_ROBIN, side_of_line);
    for (int d = 0; d < ndim; ++d) place_axis(&p, d);
    make_arrays(&p);
    make_residual(&p, expression, &r);
    number *exact = calloc((size_t)r.nodes, sizeof *exact);
    solve_dense(&r, exact);
    snprintf(what, sizeof what, "%d-D, %s, %s, layout %d, %s", ndim, equation, rw_boundary_kind_name(kind), layout,
             rw_dtype_name(type));
    solve_with(what, &p, &r, exact, RW_ELLIPTIC_TRANSFORM);
    if (!p.solver) fail_msg("%s: %s", what, rw_message(ctx));
    assert_true(p.result.steps <= 2);
    OK(rw_elliptic_explain(p.solver, &text));
    if (!strstr(text, "tridiagonal systems")) fail_msg("%s: %s", what, text);
    rw_free(text);
    OK(rw_elliptic_enqueue(p.solver)); /* launches only */
    compare_solution(what, &p, &r, exact);
    free(exact);
    drop_residual(&r);
    drop(&p);
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        int ndim, line;
        const char *equation, *residual, *robin;
        rw_boundary_kind kind;
        rw_dtype type;
    } cases[] = {
        {2, 1, "laplace(u) - k*u = f", "R = laplace(u) - k*u - f", "0.4", RW_BOUNDARY_DIRICHLET, RW_F64},
        {2, 1, "div((1 + y)*grad(u)) - y*u = f", "R = div((1 + y)*grad(u)) - y*u - f", "", RW_BOUNDARY_NEUMANN, RW_F64},
        {3, 2, "div((1 + z^2)*grad(u)) + c*dz(u) = f", "R = div((1 + z^2)*grad(u)) + c*dz(u) - f", "0.3",
         RW_BOUNDARY_NEUMANN, RW_C128},
        /* a circle's sector: the angle x, the radius 1 + y */
        {2, 1, "dy((1 + y)*dy(u))/(1 + y) + dxx(u)/(1 + y)^2 - u = f",
         "R = dy((1 + y)*dy(u))/(1 + y) + dxx(u)/(1 + y)^2 - u - f", "", RW_BOUNDARY_REFLECT, RW_F32},
        {2, 0, "div((2 + sin(6*x))*grad(u)) = f", "R = div((2 + sin(6*x))*grad(u)) - f", "", RW_BOUNDARY_PERIODIC,
         RW_F64},
        {3, 1, "dxx(u) + k*dzz(u) + (1 + y)*dyy(u) - u = f", "R = dxx(u) + k*dzz(u) + (1 + y)*dyy(u) - u - f", "0.1",
         RW_BOUNDARY_REFLECT101, RW_F64},
        {1, 0, "div((1 + x)*grad(u)) - u = f", "R = div((1 + x)*grad(u)) - u - f", "1.5", RW_BOUNDARY_NEUMANN, RW_C64},
        {1, 0, "div((1 + x)*grad(u)) = f", "R = div((1 + x)*grad(u)) - f", "", RW_BOUNDARY_DIRICHLET, RW_F64},
        {2, 1, "(1 + y)*dxx(u) - u = f", "R = (1 + y)*dxx(u) - u - f", "", RW_BOUNDARY_DIRICHLET, RW_F64},
        {2, 1, "(y - 0.4)^2*dyy(u) - u = f", "R = (y - 0.4)^2*dyy(u) - u - f", "", RW_BOUNDARY_DIRICHLET, RW_F64},
    };
    int turn = 0;
    for (int layout = 0; layout < 3; ++layout)
        for (int i = 0; i < RW_COUNT(cases); ++i)
            if (test_long() || turn++ % (slow() ? 11 : 1) == 0)
                check_line(cases[i].ndim, cases[i].equation, cases[i].residual, cases[i].robin, cases[i].line,
                           cases[i].kind, layouts[layout], cases[i].type);
}

/* No side gives a value: the mean is that of the specification, and what is unbalanced is taken away. */
static void test_singular_lines(void **state)
{
    (void)state;
    for (int layout = 0; layout < (slow() ? 1 : 3); ++layout) {
        problem p;
        begin(&p, "div((1 + y)*grad(u)) = f", 1, 2, (int64_t[]){12, 9});
        p.spec.layout = layouts[layout];
        p.spec.mean = 2.5;
        for (int side = 0; side < 4; ++side) p.fields[0].boundary[side] = side_of(RW_BOUNDARY_NEUMANN, "0");
        place_axis(&p, 0);
        place_axis(&p, 1);
        make_arrays(&p);
        make_solver(&p);
        for (int i = 0; i < 2; ++i) {
            number before[12 * 9];
            fill_waves(&p, i ? 0.004 : 0);
            OK(rw_elliptic_solve(p.solver, &p.result));
            assert_int_equal(p.result.method, RW_ELLIPTIC_TRANSFORM);
            assert_true(p.result.residual <= 1e-10 * p.result.right_side);
            for (int64_t k = 0; k < nodes_of(&p); ++k) before[k] = at(p.arrays[0], k);
            OK(rw_elliptic_enqueue(p.solver));
            for (int64_t k = 0; k < nodes_of(&p); ++k) assert_true(cabsl(before[k] - at(p.arrays[0], k)) < 1e-9);
        }
        fill_waves(&p, 0.5);
        FAILS(RW_ERR_INPUT, "their mean is 0.5", rw_elliptic_solve(p.solver, &p.result));
        drop(&p);
    }
}

/* Scalars that make the equation singular, and no longer: systems have another last row. */
static void test_scalars_of_lines(void **state)
{
    (void)state;
    static const double cs[] = {0, 0.5, 0, 2};
    problem p;
    residual r;
    number exact[12 * 9];
    begin(&p, "div((1 + y)*grad(u)) - c*u = f", 1, 2, (int64_t[]){12, 9});
    p.spec.layout = RW_GRID_CELL;
    for (int side = 0; side < 4; ++side) p.fields[0].boundary[side] = side_of(RW_BOUNDARY_NEUMANN, "0");
    place_axis(&p, 0);
    place_axis(&p, 1);
    make_arrays(&p);
    p.scalars[1].value = cs[0];
    make_solver(&p);
    for (int i = 0; i < RW_COUNT(cs); ++i) {
        p.scalars[1].value = cs[i];
        fill_waves(&p, cs[i] > 0 ? 0.3 : 0);
        OK(rw_elliptic_set(p.solver, "c", cs[i]));
        OK(rw_elliptic_solve(p.solver, &p.result));
        assert_int_equal(p.result.method, RW_ELLIPTIC_TRANSFORM);
        assert_true(p.result.steps == 1 && p.result.residual <= 1e-10 * p.result.right_side);
        if (cs[i] == 0) continue;
        make_residual(&p, "R = div((1 + y)*grad(u)) - c*u - f", &r);
        solve_dense(&r, exact);
        compare_solution("scalars of lines", &p, &r, exact);
        drop_residual(&r);
    }
    OK(rw_elliptic_set(p.solver, "c", -900)); /* no row is dominant */
    FAILS(RW_ERR_UNSUPPORTED, "the diagonal of a row along y may be smaller", rw_elliptic_solve(p.solver, &p.result));
    FAILS(RW_ERR_UNSUPPORTED, "the diagonal of a row along y may be smaller", rw_elliptic_enqueue(p.solver));
    OK(rw_elliptic_set(p.solver, "c", 0.5));
    OK(rw_elliptic_solve(p.solver, &p.result));
    drop(&p);
}

/* An axis that is too short for a transform: krylov solves. */
static void test_short_axes(void **state)
{
    (void)state;
    for (int n = slow() ? 4 : 1; n <= 4; ++n) {
        problem p;
        residual r;
        number exact[8];
        rw_elliptic_spec spec;
        begin(&p, "laplace(u) - u = f", 1, 1, (int64_t[]){n});
        p.fields[0].boundary[1] = side_of(RW_BOUNDARY_NEUMANN, "0.5");
        place_axis(&p, 0);
        make_arrays(&p);
        make_residual(&p, "R = laplace(u) - u - f", &r);
        solve_dense(&r, exact);
        make_solver(&p);
        OK(rw_elliptic_solve(p.solver, &p.result));
        assert_int_equal(p.result.method, n < 3 ? RW_ELLIPTIC_KRYLOV : RW_ELLIPTIC_TRANSFORM);
        OK(rw_elliptic_get_spec(p.solver, &spec));
        assert_int_equal(spec.method, p.result.method);
        assert_true(spec.order == 2 && spec.iterations == 10000 && spec.steps == 50 && !spec.fields);
        compare_solution("short axis", &p, &r, exact);
        drop_residual(&r);
        drop(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_singular_lines),
        cmocka_unit_test(test_scalars_of_lines),
        cmocka_unit_test(test_short_axes),
    };
    return run_on_devices("lines", tests, RW_COUNT(tests));
}
