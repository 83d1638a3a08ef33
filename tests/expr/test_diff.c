/* The symbolic derivative against two numerical ones:
 *
 *   complex step   f'(x) = Im f(x + i h)/h, h = 1e-30: exact to rounding, where all operations are analytic
 *                  (Squire & Trapp, Using complex variables to estimate derivatives of real functions, SIAM Rev. 40,
 *                  1998)
 *   differences    eighth order, (4/5) D1 - (1/5) D2 + (4/105) D3 - (1/280) D4, h = 1e-2 |x|-ish: about 1e-11 */
#include "expr_test.h"

static names n;
static rw_graph *g;

static rw_node node(const char *text) { return node_of(&n, text); }

static int param(const char *name) { return rw_graph_find_param(g, name); }

static double complex_at(rw_node f, int p, double re, double im, double *imaginary)
{
    double old[2] = {g->params[p].re, g->params[p].im}, value;
    g->params[p].re = re, g->params[p].im = im;
    rw_graph_scalar(g, f, &value, imaginary);
    g->params[p].re = old[0], g->params[p].im = old[1];
    return value;
}

static double at(rw_node f, int p, double x)
{
    double im;
    return complex_at(f, p, x, 0, &im);
}

static double difference(rw_node f, int p, double x, double h)
{
    static const double w[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
    double sum = 0;
    for (int k = 1; k <= 4; ++k) sum += w[k - 1] * (at(f, p, x + k * h) - at(f, p, x - k * h));
    return sum / h;
}

static rw_node derivative(rw_node f, const char *name)
{
    const char *problem;
    rw_node d = rw_diff(g, f, rw_scalar_argument(g, param(name)), &problem);
    if (d < 0) fail_msg("no derivative: %s", problem);
    return d;
}

static void compare(const char *text, const char *name, double x, double symbolic, double numeric, double tolerance)
{
    if (fabs(symbolic - numeric) <= tolerance * (1 + fabs(numeric))) return;
    fail_msg("d/d%s of %s at %g: %.15g, numerically %.15g (%.1e)", name, text, x, symbolic, numeric,
             symbolic - numeric);
}

/* Every operation in each of its arguments; b = 0.7, c = 1.1 stand still. Points avoid corners and jumps. */
static const struct {
    const char *text;
    double points[4];
} operations[] = {
    {"a + b", {0.3, -2, 5, 0.1}},
    {"b + a", {0.3, -2, 5, 0.1}},
    {"a - b", {0.3, -2, 5, 0.1}},
    {"b - a", {0.3, -2, 5, 0.1}},
    {"a*b", {0.3, -2, 5, 0.1}},
    {"a*a", {0.3, -2, 5, 0.1}},
    {"a/b", {0.3, -2, 5, 0.1}},
    {"b/a", {0.3, -2, 5, 1}},
    {"(a+1)/(a*b)", {0.3, -2, 5, 1}},
    {"-a", {0.3, -2, 5, 0.1}},
    {"a^2", {0.3, -2, 5, 0.1}},
    {"a^3", {0.3, -2, 5, 0.1}},
    {"a^-2", {0.3, -2, 5, 1}},
    {"a^17", {0.9, -1.1, 1.2, 0.5}},
    {"a^0.5", {0.3, 2, 5, 1}},
    {"a^b", {0.3, 2, 5, 1}},
    {"b^a", {0.3, -2, 5, 1}},
    {"a^a", {0.3, 2, 5, 1}},
    {"where(a > 1, a^2, b*a)", {0.3, 2, 5, -1}},
    {"where(b > 1, a^2, b*a)", {0.3, 2, 5, -1}},
    {"min(a, b)", {0.3, 2, 5, -1}},
    {"min(b, a)", {0.3, 2, 5, -1}},
    {"max(a, b)", {0.3, 2, 5, -1}},
    {"max(b, a)", {0.3, 2, 5, -1}},
    {"min(a*a, 2*a, b)", {0.3, 2.5, 5, -1}},
    {"mod(a, b)", {0.3, 2, 5, -1}},
    {"mod(b, a)", {0.3, 2, 5, -1}},
    {"mod(7.3, a)", {0.55, 2, 5, -1.3}},
    {"hypot(a, b)", {0.3, 2, 5, -1}},
    {"hypot(b, a)", {0.3, 2, 5, -1}},
    {"atan2(a, b)", {0.3, 2, 5, -1}},
    {"atan2(b, a)", {0.3, 2, 5, -1}},
    {"abs(a)", {0.3, 2, 5, -1}},
    {"sign(a)", {0.3, 2, 5, -1}},
    {"sqrt(a)", {0.3, 2, 5, 0.9}},
    {"cbrt(a)", {0.3, 2, 5, -1}},
    {"exp(a)", {0.3, 2, 5, -1}},
    {"log(a)", {0.3, 2, 5, 0.9}},
    {"log10(a)", {0.3, 2, 5, 0.9}},
    {"log2(a)", {0.3, 2, 5, 0.9}},
    {"exp2(a)", {0.3, 2, 5, -1}},
    {"sin(a)", {0.3, 2, 5, -1}},
    {"cos(a)", {0.3, 2, 5, -1}},
    {"tan(a)", {0.3, 2, 5, -1}},
    {"asin(a)", {0.3, -0.5, 0.6, 0.1}},
    {"acos(a)", {0.3, -0.5, 0.6, 0.1}},
    {"atan(a)", {0.3, 2, 5, -1}},
    {"sinh(a)", {0.3, 2, 5, -1}},
    {"cosh(a)", {0.3, 2, 5, -1}},
    {"tanh(a)", {0.3, 2, 5, -1}},
    {"erf(a)", {0.3, 2, 5, -1}},
    {"erfc(a)", {0.3, 2, 5, -1}},
    {"asinh(a)", {0.3, 2, 5, -1}},
    {"acosh(a)", {1.3, 2, 5, 7}},
    {"atanh(a)", {0.3, -0.5, 0.6, 0.1}},
    {"floor(a)", {0.3, 2.5, 5.5, -1.5}},
    {"a*ceil(a)*round(a)*heaviside(a)", {0.3, 2.4, 5.7, -1.3}},
    {"a < b", {0.3, 2, 5, -1}},
    {"a <= b", {0.3, 2, 5, -1}},
    {"a == b", {0.3, 2, 5, -1}},
    {"a != b", {0.3, 2, 5, -1}},
    {"a and b", {0.3, 2, 5, -1}},
    {"a or b", {0.3, 2, 5, -1}},
    {"not a", {0.3, 2, 5, -1}},
    {"real(p*a + a^2*q)", {0.3, 2, 5, -1}},
    {"imag(p*a + a^2*q)", {0.3, 2, 5, -1}},
    {"real(conj(p*a)*exp(q*a))", {0.3, 2, 5, -1}},
    {"real((p + a)/(q - a))", {0.3, 2, 5, -1}},
    {"imag(sqrt(p + a))", {0.3, 2, 5, -1}},
    {"sin(a*b + exp(a)/(1 + a^2))*where(a < b, tanh(a), cos(a))", {0.3, 2, 3, -1}},
};

static void test_operations(void **state)
{
    (void)state;
    bool seen[RW_OP_COUNT] = {false};
    int before = g->n;
    for (int i = 0; i < RW_COUNT(operations); ++i) {
        rw_node f = node(operations[i].text), d = derivative(f, "a");
        for (int k = 0; k < 4; ++k) {
            double x = operations[i].points[k];
            compare(operations[i].text, "a", x, at(d, param("a"), x),
                    difference(f, param("a"), x, 0.004 * fmin(1, fabs(x))), 2e-10);
        }
    }
    /* numbers that are rounded as they are stored: steps, or nearly none */
    for (int type = RW_I8; type <= RW_BOOL; ++type) {
        const bool floats = type == RW_F16 || type == RW_BF16;
        assert_true(at(derivative(rw_cast(g, (rw_dtype)type, node("3*a")), "a"), param("a"), 0.7) == (floats ? 3 : 0));
    }
    /* random numbers of a node depend on nothing else */
    assert_true(rw_is_const(g, derivative(node("noise(1) + normal(2)"), "a"), 0));
    for (int i = before; i < g->n; ++i) seen[g->nodes[i].op] = true;
    for (int op = RW_OP_ADD; op < RW_OP_COUNT; ++op)
        if (!seen[op] && op != RW_OP_CALL) fail_msg("no derivative of %s is tested", rw_ops[op].name);
}

/* Complex variables: f'(z) from differences along both axes, which are equal for analytic functions. */
static void test_complex(void **state)
{
    (void)state;
    static const char *const texts[] = {"p + q",
                                        "q - p",
                                        "p*q",
                                        "p*p",
                                        "p/q",
                                        "q/p",
                                        "-p",
                                        "p^2",
                                        "p^-3",
                                        "p^q",
                                        "q^p",
                                        "sqrt(p)",
                                        "exp(p)",
                                        "log(p)",
                                        "sin(p)",
                                        "cos(p)",
                                        "tan(p)",
                                        "sinh(p)",
                                        "cosh(p)",
                                        "tanh(p)",
                                        "where(b > 0, p^2, q)",
                                        "exp(p*q)*sin(p + 1i)/(2 + p^2)"};
    static const double points[][2] = {{0.4, 0.2}, {-0.5, 0.7}, {1.2, -0.9}};
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        rw_node f = node(texts[i]), d = derivative(f, "p");
        for (int k = 0; k < 3; ++k)
            for (int axis = 0; axis < 2; ++axis) {
                static const double w[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
                double h = 0.004, re = 0, im = 0, di, dr = complex_at(d, param("p"), points[k][0], points[k][1], &di);
                for (int m = 1; m <= 4; ++m)
                    for (int s = -1; s <= 1; s += 2) {
                        double vi, vr = complex_at(f, param("p"), points[k][0] + (axis ? 0 : s * m * h),
                                                   points[k][1] + (axis ? s * m * h : 0), &vi);
                        re += s * w[m - 1] / h * vr, im += s * w[m - 1] / h * vi;
                    }
                compare(texts[i], "p", points[k][0], dr, axis ? im : re, 1e-9);
                compare(texts[i], "p", points[k][1], di, axis ? -re : im, 1e-9);
            }
    }
}

/* Random expressions of a, b, c. */
static rw_node grow(uint64_t seed, uint64_t *counter, int depth, bool analytic)
{
    double r = rw_random_uniform(seed, ++*counter);
    if (depth == 0 || r < 0.08) {
        static const char *const leaves[] = {"a", "b", "c"};
        int k = (int)(rw_random_uniform(seed, ++*counter) * 5);
        return k < 3 ? rw_scalar_argument(g, param(leaves[k])) : rw_real(g, 0.5 + rw_random_uniform(seed, ++*counter));
    }
    static const rw_node_op smooth[] = {RW_OP_ADD,  RW_OP_SUB,  RW_OP_MUL,  RW_OP_DIV,  RW_OP_POW, RW_OP_NEG,
                                        RW_OP_SQRT, RW_OP_EXP,  RW_OP_LOG,  RW_OP_SIN,  RW_OP_COS, RW_OP_TAN,
                                        RW_OP_SINH, RW_OP_COSH, RW_OP_TANH, RW_OP_WHERE},
                            other[] = {RW_OP_HYPOT, RW_OP_ATAN2, RW_OP_CBRT, RW_OP_ASIN, RW_OP_ACOS, RW_OP_ATAN,
                                       RW_OP_ERF,   RW_OP_MIN,   RW_OP_MAX,  RW_OP_ABS,  RW_OP_MOD};
    int choices = RW_COUNT(smooth) + (analytic ? 0 : RW_COUNT(other)),
        pick = (int)(rw_random_uniform(seed, ++*counter) * choices);
    rw_node_op op = pick < RW_COUNT(smooth) ? smooth[pick] : other[pick - RW_COUNT(smooth)];
    rw_node x[3] = {-1, -1, -1}, one = rw_real(g, 1);
    for (int i = 0; i < rw_ops[op].arity; ++i) x[i] = grow(seed, counter, depth - 1, analytic);
    /* arguments are kept where the operation is smooth and its values moderate */
    rw_node t = rw_make1(g, RW_OP_TANH, x[0]),
            positive = rw_make2(g, RW_OP_ADD, one, rw_make2(g, RW_OP_MUL, x[0], x[0]));
    switch (op) {
    case RW_OP_SQRT:
    case RW_OP_LOG:
    case RW_OP_POW:
    case RW_OP_CBRT: x[0] = positive; break;
    case RW_OP_EXP:
    case RW_OP_SINH:
    case RW_OP_COSH:
    case RW_OP_TAN: x[0] = t; break;
    case RW_OP_ASIN:
    case RW_OP_ACOS: x[0] = rw_make2(g, RW_OP_MUL, rw_real(g, 0.8), t); break;
    case RW_OP_HYPOT:
    case RW_OP_ATAN2:
    case RW_OP_MOD: x[1] = rw_make2(g, RW_OP_ADD, rw_make2(g, RW_OP_MUL, x[1], x[1]), one); break;
    case RW_OP_DIV: x[1] = rw_make2(g, RW_OP_ADD, rw_make2(g, RW_OP_MUL, x[1], x[1]), one); break;
    default: break;
    }
    if (op == RW_OP_POW) x[1] = rw_make1(g, RW_OP_SIN, x[1]);
    if (op == RW_OP_WHERE)
        x[0] = rw_make2(g, RW_OP_LT, rw_scalar_argument(g, param("b")), rw_scalar_argument(g, param("c")));
    return rw_make(g, op, x[0], x[1], x[2]);
}

static int from, to;
static rw_node replace(void *user, rw_graph *graph, rw_node leaf)
{
    (void)user;
    const rw_graph_node *p = graph->nodes + leaf;
    return p->op == RW_OP_PARAM && p->index == from ? rw_scalar_argument(graph, to) : leaf;
}

/* f with the complex parameter z in the place of a */
static rw_node with_complex(rw_node f, int a, int z)
{
    from = a, to = z;
    return rw_graph_map(g, f, replace, NULL);
}

static void test_random_by_complex_step(void **state)
{
    (void)state;
    int a = param("a"), compared = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        uint64_t counter = 0;
        rw_node f = grow(seed, &counter, 6, true), d = derivative(f, "a");
        double x = 0.2 + rw_random_uniform(seed, 0), h = 1e-30, im;
        int z = rw_graph_add_param(g, "z", true, x, h);
        assert_true(z >= 0);
        double symbolic = at(d, a, x), value;
        rw_graph_scalar(g, with_complex(f, a, z), &value, &im);
        if (!isfinite(im / h) || fabs(im / h) > 1e6) continue;
        compared++;
        if (fabs(symbolic - im / h) > 1e-11 * (1 + fabs(im / h)))
            fail_msg("seed %d: derivative %.15g, by complex step %.15g", (int)seed, symbolic, im / h);
    }
    printf("# %d of 300 random derivatives compared by complex step\n", compared);
    assert_true(compared > 250);
}

/* Two step sizes must agree before the symbolic derivative is asked to: corners and jumps are left out by that. */
static void test_random_by_differences(void **state)
{
    (void)state;
    int compared = 0;
    static const char *const of[] = {"a", "b", "c"};
    for (uint64_t seed = 1001; seed <= 1400; ++seed) {
        uint64_t counter = 0;
        rw_node f = grow(seed, &counter, 7, false);
        const char *name = of[seed % 3];
        double x = 0.2 + rw_random_uniform(seed, 0), symbolic = at(derivative(f, name), param(name), x);
        double d1 = difference(f, param(name), x, 2e-3), d2 = difference(f, param(name), x, 1e-3);
        if (!isfinite(d1) || fabs(d1 - d2) > 1e-9 * (1 + fabs(d2))) continue;
        compared++;
        if (fabs(symbolic - d2) > 1e-8 * (1 + fabs(d2)))
            fail_msg("seed %d: d/d%s %.15g, by differences %.15g and %.15g", (int)seed, name, symbolic, d1, d2);
    }
    printf("# %d of 400 random derivatives compared by differences\n", compared);
    assert_true(compared > 250);
}

static void test_second_derivatives(void **state)
{
    (void)state;
    static const char *const texts[] = {"sin(a)*exp(b*a)",      "a^5/(1 + a^2)", "tanh(a^2)", "a^a",
                                        "log(1 + a^2)*sqrt(a)", "erf(a)/a"};
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        rw_node first = derivative(node(texts[i]), "a"), second = derivative(first, "a");
        for (double x = 0.4; x < 3; x += 0.7)
            compare(texts[i], "a twice", x, at(second, param("a"), x), difference(first, param("a"), x, 0.002), 1e-9);
    }
}

/* With respect to coordinates and fields: the value at the node itself, not its neighbours. */
static void test_leaves(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"diff(sin(x)*y, x)", "cos(x)*y"},
                                          {"diff(u^3*v, u)", "(u*(u*u))*0 + (u*u + u*(2*u))*v"},
                                          {"diff(u*v, w)", "0"},
                                          {"diff(x*a, x)", "a"},
                                          {"diff(a*t, t)", "a"},
                                          {"diff(5, a)", "0"},
                                          {"diff(u, u)", "1"},
                                          {"diff(dx(u), u)", "0"},
                                          {"diff(sum(v)*u, u)", "sum(v)"},
                                          {"diff(w^2, w)", "2*w"},
                                          {"diff(real(w), u)", "0"}};
    for (int i = 0; i < RW_COUNT(same); ++i)
        if (node(same[i][0]) != node(same[i][1])) fail_msg("%s is not %s", same[i][0], same[i][1]);
    double re, im;
    rw_graph_scalar(g, node("diff(laplace(u), u)"), &re, &im); /* the diagonal: -2/hx^2 - 2/hy^2 */
    assert_true(fabs(re - (-2 / 0.01 - 2 / 0.04)) < 1e-10);
    rw_graph_scalar(g, node("diff(laplace(u, 4), u)"), &re, &im);
    assert_true(fabs(re - (-2.5 / 0.01 - 2.5 / 0.04)) < 1e-10);
    rw_graph_scalar(g, node("diff(u + dx_backward(u), u)"), &re, &im);
    assert_true(fabs(re - 11) < 1e-12);
}

static void test_no_derivative(void **state)
{
    (void)state;
    static const struct {
        const char *text, *of, *problem;
    } none[] = {{"abs(w)", "w", "abs"},     {"real(w*a)", "w", "real"},     {"imag(w)", "w", "imag"},
                {"conj(w)*w", "w", "conj"}, {"sum(u)", "u", "a reduction"}, {"a*max(u*v)", "u", "a reduction"},
                {"abs(p)", "p", "abs"},     {"sin(real(p))", "p", "real"}};
    for (int i = 0; i < RW_COUNT(none); ++i) {
        const char *problem = NULL;
        assert_int_equal(rw_diff(g, node(none[i].text), node(none[i].of), &problem), -1);
        assert_string_equal(problem, none[i].problem);
    }
    const char *problem;
    rw_node z = rw_diff(g, node("abs(w)*u"), node("u"), &problem); /* of another variable it has one */
    assert_int_equal(z, node("abs(w)"));
    assert_null(problem);
}

/* Where a slope is infinite, a base is 0, or a constant branch is taken. */
static void test_corners(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double at, want;
    } rows[] = {{"sin(max(a, 0))^b", -1, 0},
                {"sqrt(max(a, 0))", -1, 0},
                {"sqrt(max(a, 0))", 0, 0},
                {"cbrt(max(a, 0))", -2, 0},
                {"max(a, 0)^0.3", -1, 0},
                {"max(a, 0)^1.5", 0, 0},
                {"0^a", 2, 0},
                {"(a - 1)^a", 1, 1},
                {"(a*0)^(a + 1)", 1, 0},
                {"max(b - 5, 0)^a", 1, 0},
                {"sin(max(b - 9, 0))^a", 0.5, 0},
                {"hypot(a, 0*a)", 0, 0},
                {"hypot(a, 2)", 0, 0},
                {"hypot(a, a)", 0, 0},
                {"abs(a)", 0, 0},
                {"abs(a)^1.5", 0, 0},
                {"a*sqrt(a)", 0, 0},
                {"sqrt(a)*a^2", 0, 0},
                {"sqrt(a^2)", 0, 0},
                {"asin(min(a, 1))", 2, 0},
                {"acos(max(a, -1))", -3, 0},
                {"where(a > 0, log(a), 3)", -1, 0},
                {"where(a > 0, sqrt(a), 0)^2.5", -1, 0},
                {"a^2", 0, 0},
                {"a^1", 0, 1},
                {"a^2.5", 0, 0},
                {"sqrt(a)", 0, INFINITY},
                {"cbrt(a)", 0, INFINITY},
                {"a*log(a)", 0, -INFINITY},
                {"a^0.5", 0, INFINITY},
                {"max(a, 0)", 0, 0},
                {"max(0, a)", 0, 1},
                {"min(a, 0)", 0, 0}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        double have = at(derivative(node(rows[i].text), "a"), param("a"), rows[i].at);
        if (!(have == rows[i].want))
            fail_msg("diff(%s, a) at %g: %g, expected %g", rows[i].text, rows[i].at, have, rows[i].want);
    }
}

static int setup(void **state)
{
    static const rw_grid grid = {.ndim = 2, .size = {4, 3, 1}, .spacing = {0.1, 0.2, 1}};
    if (make_context(state)) return -1;
    names_begin(&n, &grid, 2);
    g = n.g;
    return 0;
}

static int teardown(void **state)
{
    names_end(&n);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_complex, setup, teardown),
        cmocka_unit_test_setup_teardown(test_random_by_complex_step, setup, teardown),
        cmocka_unit_test_setup_teardown(test_random_by_differences, setup, teardown),
        cmocka_unit_test_setup_teardown(test_second_derivatives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_corners, setup, teardown),
        cmocka_unit_test_setup_teardown(test_leaves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_derivative, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
