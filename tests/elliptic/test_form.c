/* What an equation F(u) = 0 is: linear, symmetric, the sign of its diagonal, singular, sides with half weights, and the
 * names of its terms, for operators, layouts, orders and kinds of sides. */
#include "elliptic/form.h"

#include "../expr/expr_test.h"
#include "expr/equations.h"

enum { NX = 7, NY = 6, NZ = 5 };

/* ---- from a text to its form ------------------------------------------------------------------------------------- */

typedef struct analysed {
    rw_graph *graph;
    rw_lowering lowering;
    rw_parsed parsed;
    rw_form form;
    bool lowered;
} analysed;

typedef struct setting {
    int ndim, order, unknowns; /* fields u, v; the others are a, b */
    rw_grid_layout layout;
    rw_boundary side[6];        /* of u and v */
    rw_boundary_kind externals; /* all sides of a and b */
    double k;                   /* the scalar */
    rw_dtype type;
} setting;

static rw_status lower_all(analysed *a, const rw_source *source, int n, rw_node F[2])
{
    for (int i = 0; i < a->parsed.n; ++i)
        RW_TRY(rw_lower_equation(&a->lowering, source, a->parsed.statements + i, F + i));
    assert_int_equal(a->parsed.n, n);
    return RW_OK;
}

static rw_status analyse(const setting *s, const char *text, analysed *a)
{
    static const char *const of[] = {"u", "v", "a", "b"};
    const rw_source source = {"case", text, 1, 1};
    const rw_grid grid = {.ndim = s->ndim,
                          .size = {NX, s->ndim > 1 ? NY : 1, s->ndim > 2 ? NZ : 1},
                          .spacing = {0.1, 0.15, 0.2},
                          .origin = {0.3, 0.2, 0.1}};
    rw_expr_field fields[4] = {{0}};
    const rw_expr_scalar k = {.name = "k", .value = s->k};
    rw_node F[2] = {-1, -1};
    for (int f = 0; f < 4; ++f) {
        fields[f].name = of[f];
        fields[f].dtype = f < 2 && s->type ? s->type : RW_F64;
        for (int side = 0; side < 6; ++side)
            fields[f].boundary[side] = f < 2 ? s->side[side] : (rw_boundary){.kind = s->externals};
    }
    if (s->unknowns < 2) fields[1] = fields[2];
    const rw_expr_spec spec = {.name = "case",
                               .fields = fields,
                               .nfields = s->unknowns < 2 ? 2 : 4,
                               .scalars = &k,
                               .nscalars = 1};
    *a = (analysed){0};
    OK(rw_parse_statements(ctx, &source, &a->parsed));
    rw_find_equations(&a->parsed, fields, (int)spec.nfields);
    OK(rw_graph_create(ctx, &grid, s->order ? s->order : 2, &a->graph));
    a->graph->layout = s->layout;
    rw_lowering_begin(&a->lowering, ctx, a->graph);
    OK(rw_expr_declare(ctx, &spec, a->graph, &a->lowering, &source, &a->parsed));
    RW_TRY(lower_all(a, &source, s->unknowns, F));
    return rw_form_make(a->graph, s->unknowns, F, "case", &a->form);
}

static void drop(analysed *a)
{
    rw_form_free(&a->form);
    rw_lowering_end(&a->lowering);
    rw_graph_destroy(&a->graph);
    rw_parsed_free(&a->parsed);
}

static setting all_sides(rw_boundary_kind kind, int ndim)
{
    setting s = {.ndim = ndim, .unknowns = 1, .k = 1};
    for (int side = 0; side < 2 * ndim; ++side)
        s.side[side] = (rw_boundary){kind, kind == RW_BOUNDARY_ROBIN ? "2" : "0", "1", "3"};
    return s;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static void test_operators(void **state)
{
    (void)state;
    enum { N = 1, L = 2, S = 4 }; /* nonlinear?, linear, symmetric */
    static const struct {
        const char *text;
        int is, sign, terms;
    } cases[] = {
        {"laplace(u) = a", L | S, -1, 5},
        {"-laplace(u) = a", L | S, 1, 5},
        {"0 = div(a*grad(u)) - 3", L | S, 1, 5},
        {"div((1 + x*y)*grad(u)) = 3", L | S, -1, 5},
        {"laplace(u) + dx(u) = 0", L, -1, 5},
        {"laplace(u) + 50*dx(u) = 0", L, 0, 5},
        {"dx(u) = 1", L, 0, 2},
        {"laplace(u) - 5*u = 1", L | S, -1, 5},
        {"laplace(u) - a*u = 1", L | S, -1, 5},
        {"laplace(u) + 5*u = 1", L | S, 0, 5},
        {"laplace(u) + dxy(u) = 0", L | S, 0, 9},
        {"laplace(laplace(u)) = 1", L | S, 0, 13},
        {"a*laplace(u) = 1", L, -1, 5},
        {"x*u = 1", L | S, 1, 1},
        {"where(a, u, -laplace(u)) = 1", L, 1, 5},
        {"where(a, laplace(u) - u, laplace(u)) = 1", L | S, -1, 5},
        {"div(1/a*grad(u)) = 1", L | S, -1, 5},
        {"(u) = laplace(a)", L | S, 1, 1},
        {"laplace(u) = u^2", N, -2, 5},
        {"laplace(u) = -exp(u)", N, -2, 5},
        {"div((0.1 + dx(u)^2 + dy(u)^2)*grad(u)) = 1", N, -2, 0},
        {"u^2 = 2", N, 1, 1},
        {"(1 - 1)*u^2 + u = laplace(u)", L | S, 1, 5},
        {"k*laplace(u) = 1", L | S, -1, 5},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        setting s = all_sides(RW_BOUNDARY_DIRICHLET, 2);
        analysed a;
        OK(analyse(&s, cases[i].text, &a));
        if (a.form.linear != !!(cases[i].is & L)) fail_msg("%s: linear %d", cases[i].text, a.form.linear);
        if (a.form.linear && a.form.symmetric != !!(cases[i].is & S))
            fail_msg("%s: symmetric %d", cases[i].text, a.form.symmetric);
        if (cases[i].sign != -2 && a.form.sign != cases[i].sign) fail_msg("%s: sign %d", cases[i].text, a.form.sign);
        if (cases[i].terms && a.form.nterms != cases[i].terms) fail_msg("%s: %d terms", cases[i].text, a.form.nterms);
        assert_false(a.form.singular);
        drop(&a);
    }
}

/* Order 4 is symmetric only where no side needs one-sided formulas. */
static void test_order4(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_DIRICHLET, 2);
    analysed a;
    s.order = 4;
    OK(analyse(&s, "laplace(u) = a", &a));
    assert_true(a.form.linear && !a.form.symmetric);
    drop(&a);
    s = all_sides(RW_BOUNDARY_PERIODIC, 2);
    s.order = 4;
    OK(analyse(&s, "laplace(u) = a", &a));
    assert_true(a.form.linear && a.form.symmetric && a.form.singular);
    assert_int_equal(a.form.nterms, 9);
    drop(&a);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

static void test_sides(void **state)
{
    (void)state;
    static const rw_grid_layout layouts[] = {RW_GRID_AUTO, RW_GRID_CELL, RW_GRID_NODE};
    static const struct {
        rw_boundary_kind kind;
        bool constants, half[3]; /* constants solve the homogeneous equation; by layout */
    } cases[] = {
        {RW_BOUNDARY_DIRICHLET, false, {0, 0, 0}}, {RW_BOUNDARY_NEUMANN, true, {1, 0, 1}},
        {RW_BOUNDARY_ROBIN, false, {1, 0, 1}},     {RW_BOUNDARY_PERIODIC, true, {0, 0, 0}},
        {RW_BOUNDARY_NEAREST, true, {0, 0, 0}},    {RW_BOUNDARY_REFLECT, true, {0, 0, 0}},
        {RW_BOUNDARY_REFLECT101, true, {1, 1, 1}}, {RW_BOUNDARY_CONSTANT, false, {0, 0, 0}},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i)
        for (int layout = 0; layout < 3; ++layout)
            for (int ndim = 1; ndim <= 3; ++ndim) {
                setting s = all_sides(cases[i].kind, ndim);
                analysed a;
                s.layout = layouts[layout];
                OK(analyse(&s, "laplace(u) = 1", &a));
                if (!a.form.symmetric || a.form.sign != -1 || a.form.singular != cases[i].constants)
                    fail_msg("%s, layout %d, %d axes: symmetric %d, sign %d, singular %d",
                             rw_boundary_kind_name(cases[i].kind), layout, ndim, a.form.symmetric, a.form.sign,
                             a.form.singular);
                for (int side = 0; side < 6; ++side)
                    assert_int_equal(a.form.half[side], side < 2 * ndim && cases[i].half[layout]);
                drop(&a);
                OK(analyse(&s, "laplace(u) - k*u = 1", &a));
                assert_true(a.form.symmetric && a.form.sign == -1 && !a.form.singular);
                drop(&a);
            }
}

/* What a coefficient has beyond the sides decides too. */
static void test_coefficients(void **state)
{
    (void)state;
    static const struct {
        rw_boundary_kind unknown, external;
        rw_grid_layout layout;
        const char *text;
        bool symmetric;
    } cases[] = {
        {RW_BOUNDARY_NEUMANN, RW_BOUNDARY_NEAREST, RW_GRID_AUTO, "div(a*grad(u)) = 1", false},
        {RW_BOUNDARY_NEUMANN, RW_BOUNDARY_REFLECT101, RW_GRID_AUTO, "div(a*grad(u)) = 1", true},
        {RW_BOUNDARY_NEUMANN, RW_BOUNDARY_NEAREST, RW_GRID_CELL, "div(a*grad(u)) = 1", true},
        {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEAREST, RW_GRID_NODE, "div(a*grad(u)) = 1", true},
        {RW_BOUNDARY_PERIODIC, RW_BOUNDARY_NEAREST, RW_GRID_AUTO, "div(a*grad(u)) = 1", false},
        {RW_BOUNDARY_PERIODIC, RW_BOUNDARY_PERIODIC, RW_GRID_AUTO, "div(a*grad(u)) = 1", true},
        {RW_BOUNDARY_PERIODIC, RW_BOUNDARY_PERIODIC, RW_GRID_AUTO, "div((1 + x)*grad(u)) = 1", false},
        {RW_BOUNDARY_PERIODIC, RW_BOUNDARY_PERIODIC, RW_GRID_AUTO, "laplace(u) - x*u = 1", true},
        {RW_BOUNDARY_NEUMANN, RW_BOUNDARY_NEAREST, RW_GRID_AUTO, "laplace(u) - a*u = 1", true},
        {RW_BOUNDARY_NEUMANN, RW_BOUNDARY_NEAREST, RW_GRID_AUTO, "div((1 + x)*grad(u)) = 1", false},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i)
        for (int ndim = 1; ndim <= 3; ++ndim) {
            setting s = all_sides(cases[i].unknown, ndim);
            analysed a;
            s.externals = cases[i].external;
            s.layout = cases[i].layout;
            OK(analyse(&s, cases[i].text, &a));
            if (a.form.symmetric != cases[i].symmetric || a.form.sign != -1)
                fail_msg("case %d, %d axes: symmetric %d, sign %d", i, ndim, a.form.symmetric, a.form.sign);
            drop(&a);
        }
}

/* Scalars decide too, and change. */
static void test_update(void **state)
{
    (void)state;
    static const struct {
        double k;
        bool singular, symmetric;
        int sign;
    } cases[] = {{0, true, true, -1}, {1, false, true, -1}, {-100, false, true, 0}, {0, true, true, -1}};
    setting s = all_sides(RW_BOUNDARY_NEUMANN, 2);
    analysed a;
    OK(analyse(&s, "laplace(u) - k*u = 1", &a));
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        a.graph->params[rw_graph_find_param(a.graph, "k")].re = cases[i].k;
        rw_form_update(a.graph, &a.form);
        if (a.form.singular != cases[i].singular || a.form.symmetric != cases[i].symmetric ||
            a.form.sign != cases[i].sign)
            fail_msg("k = %g: singular %d, symmetric %d, sign %d", cases[i].k, a.form.singular, a.form.symmetric,
                     a.form.sign);
    }
    drop(&a);
    OK(analyse(&s, "laplace(u) + k*dx(u) = 1", &a));
    assert_false(a.form.symmetric);
    a.graph->params[rw_graph_find_param(a.graph, "k")].re = 0;
    rw_form_update(a.graph, &a.form);
    assert_true(a.form.symmetric);
    drop(&a);
}

/* One side with a value is enough. */
static void test_singular(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_NEUMANN, 2);
    analysed a;
    s.externals = RW_BOUNDARY_REFLECT101;
    OK(analyse(&s, "div(a*grad(u)) = x", &a));
    assert_true(a.form.singular && a.form.symmetric);
    drop(&a);
    s.side[3] = (rw_boundary){RW_BOUNDARY_DIRICHLET, "1", NULL, NULL};
    OK(analyse(&s, "div(a*grad(u)) = x", &a));
    assert_true(!a.form.singular && a.form.symmetric);
    drop(&a);
    s.side[3] = (rw_boundary){RW_BOUNDARY_ROBIN, "0", "2", "1"};
    OK(analyse(&s, "laplace(u) = x", &a));
    assert_true(a.form.singular);
    drop(&a);
}

/* An expression of a side that reads the unknown makes the equation nonlinear, and may make it unsymmetric. */
static void test_sides_read_unknowns(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_DIRICHLET, 1);
    analysed a;
    s.side[0] = (rw_boundary){RW_BOUNDARY_NEUMANN, "-u^4", NULL, NULL};
    OK(analyse(&s, "laplace(u) = 1", &a));
    assert_true(!a.form.linear && !a.form.symmetric);
    drop(&a);
    s.side[0] = (rw_boundary){RW_BOUNDARY_NEUMANN, "inner(u, 1)", NULL, NULL};
    OK(analyse(&s, "laplace(u) = 1", &a));
    assert_true(!a.form.linear && !a.form.symmetric);
    drop(&a);
}

/* Sides that feed what flows in back may make a definite equation indefinite. */
static void test_sides_with_other_signs(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_ROBIN, 1);
    analysed a;
    s.side[0].a = "-50";
    OK(analyse(&s, "laplace(u) = 1", &a));
    assert_true(a.form.linear && a.form.symmetric);
    assert_int_equal(a.form.sign, 0);
    drop(&a);
}

/* ---- several unknowns -------------------------------------------------------------------------------------------- */

static void test_systems(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_DIRICHLET, 2);
    analysed a;
    s.unknowns = 2;
    OK(analyse(&s, "laplace(u) = v; laplace(v) = u + a", &a));
    assert_true(a.form.linear && a.form.symmetric && a.form.sign == 0);
    assert_int_equal(a.form.nterms, 12);
    drop(&a);
    OK(analyse(&s, "laplace(u) = 2*u - v; laplace(v) = 2*v - u + a", &a));
    assert_true(a.form.linear && a.form.symmetric && a.form.sign == -1);
    drop(&a);
    OK(analyse(&s, "laplace(u) = v; laplace(v) = 2*u + b", &a));
    assert_true(a.form.linear && !a.form.symmetric);
    drop(&a);
    OK(analyse(&s, "laplace(u) = dx(v); laplace(v) = -dx(u)", &a));
    assert_true(a.form.linear && a.form.symmetric);
    drop(&a);
    OK(analyse(&s, "laplace(u) = u*v; laplace(v) = u", &a));
    assert_true(!a.form.linear);
    drop(&a);
}

/* A hermitian matrix counts as symmetric. */
static void test_complex(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_PERIODIC, 1);
    analysed a;
    s.type = RW_C128;
    OK(analyse(&s, "laplace(u) - u + 1i*dx(u) = 1", &a));
    assert_true(a.form.linear && a.form.symmetric);
    drop(&a);
    OK(analyse(&s, "laplace(u) - 1i*u = 1", &a));
    assert_true(a.form.linear && !a.form.symmetric && a.form.sign == 0);
    drop(&a);
}

/* ---- names, errors ----------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_DIRICHLET, 3);
    analysed a;
    static const char *const terms[] = {"u[i, j, k]", "u[i-1, j, k]", "u[i, j+1, k]", "u[i, j, k-1]"};
    OK(analyse(&s, "laplace(u) = 1", &a));
    for (int n = 0; n < RW_COUNT(terms); ++n) {
        bool found = false;
        char text[64];
        for (int i = 0; i < a.form.nterms; ++i)
            found = found || !strcmp(rw_form_term_name(a.graph, a.form.terms + i, text), terms[n]);
        if (!found) fail_msg("%s is no term", terms[n]);
    }
    drop(&a);
}

/* A derivative that is 0 between jumps is none that Newton's method could miss. */
static void test_without_derivative(void **state)
{
    (void)state;
    setting s = all_sides(RW_BOUNDARY_DIRICHLET, 1);
    analysed a;
    OK(analyse(&s, "laplace(u) = floor(u)", &a));
    assert_int_equal(a.form.nterms, 3);
    drop(&a);
    assert_int_equal(analyse(&s, "laplace(u) = mean(u)", &a), RW_ERR_INPUT);
    if (!strstr(rw_message(ctx), "case: the equation cannot be solved for u: ")) fail_msg("%s", rw_message(ctx));
    drop(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_order4),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_sides_read_unknowns),
        cmocka_unit_test(test_sides_with_other_signs),
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_without_derivative),
    };
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
