/* The graph: constants folded, equal nodes stored once, identities, powers, what a node is, rewriting, limits. */
#include "expr_test.h"

static names n;
static rw_graph *g;

static rw_node node(const char *text) { return node_of(&n, text); }

static void test_constants_fold(void **state)
{
    (void)state;
    static const double in[3][2] = {{0.4, 0}, {0.3, 0}, {0.7, 0}}, above_1[3][2] = {{1.4, 0}},
                        z[3][2] = {{0.4, 0.2}, {0.3, -0.5}, {0.7, 0.1}};
    for (int op = RW_OP_ADD; op < RW_OP_COUNT; ++op)
        for (int complex = 0; complex < 2; ++complex) {
            bool works = rw_ops[op].kind == 'C' || rw_ops[op].kind == 'S' || op == RW_OP_EQ || op == RW_OP_NE;
            if (complex && (!works || op == RW_OP_WHERE)) continue;
            const double(*x)[2] = complex ? z : op == RW_OP_ACOSH ? above_1 : in;
            rw_node arg[3] = {-1, -1, -1};
            double expected[2];
            for (int i = 0; i < rw_ops[op].arity; ++i) arg[i] = rw_const(g, x[i][0], x[i][1]);
            rw_apply((rw_node_op)op, x, complex, expected);
            rw_node folded = rw_make(g, (rw_node_op)op, arg[0], arg[1], arg[2]);
            const rw_graph_node *p = g->nodes + folded;
            if (p->op != RW_OP_CONST || p->re != expected[0] || p->im != expected[1])
                fail_msg("%s: op %d, %g%+gi for %g%+gi", rw_ops[op].name, p->op, p->re, p->im, expected[0],
                         expected[1]);
        }
    assert_int_equal(node("2*3 + 4^2/8 - sqrt(9)"), rw_real(g, 5));
    assert_int_equal(node("(1+2i)^3"), rw_const(g, -11, -2)); /* exactly, by multiplication */
    assert_int_equal(node("1i^-2"), rw_real(g, -1));
}

static void test_equal_nodes_are_one(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"u*v + sin(u*v)", "u*v + sin(u*v)"},
        {"u + v", "v + u"},
        {"u*v", "v*u"},
        {"(u + v)*a", "a*(v + u)"},
        {"dx(u)", "dx(u)"},
        {"grad(u).y", "dy(u)"},
        {"dx((a*grad(u)).x)", "dx(a*dx(u))"},
        {"div([v*dx(u), v*dy(u)])", "div(v*grad(u))"},
        {"div([v + dx(u), dy(u)])", "dx(v) + dxx(u) + dyy(u)"},
        {"div([dy(u), dx(u)])", "dx(dy(u)) + dy(dx(u))"},
        {"curl([u, v])", "dx(v) - dy(u)"},
        {"[u, v]·[v, u]", "u*v + v*u"},
        {"([u, v] + 2*[v, u]).y", "v + 2*u"},
        {"([u, v]/a).x", "u/a"},
        {"[[u, v].y, [u, v].x].x[i+1]", "v[i+1]"},
        {"sum(u*v)", "sum(v*u)"},
        {"u > v", "v < u"},
        {"u >= v", "v <= u"},
        {"min(u, v, a)", "min(min(u, v), a)"},
        {"u**2", "u^2"},
        {"abs(w)^2", "real(w)^2 + imag(w)^2"},
        {"abs(w)*abs(w)", "real(w)^2 + imag(w)^2"},
        {"pow(u, v)", "u^v"},
        {"laplace(u)", "dxx(u) + dyy(u)"},
        {"grad(u) \xc2\xb7 grad(v)", "dx(u)*dx(v) + dy(u)*dy(v)"},
        {"div(grad(u))", "dx(dx(u)) + dy(dy(u))"},
        {"dxxx(u)", "dx(dxx(u))"},
        {"dxyx(u)", "dy(dxx(u))"},
        {"dxxyy(u)", "dyy(dxx(u))"},
        {"norm(u)", "sqrt(sum(u*u))"},
        {"mean(u)", "sum(u)/12"},
        {"dot(u, v)", "sum(u*v)"},
        {"norm1(w)", "sum(abs(w))"},
        {"x", "x"},
    };
    for (int i = 0; i < RW_COUNT(same); ++i)
        if (node(same[i][0]) != node(same[i][1])) fail_msg("%s and %s are two nodes", same[i][0], same[i][1]);
    static const char *const different[][2] = {{"u - v", "v - u"},
                                               {"u/v", "v/u"},
                                               {"u", "v"},
                                               {"x", "y"},
                                               {"u < v", "u <= v"},
                                               {"dx(u)", "dy(u)"},
                                               {"dx(u)", "dx(u, 4)"},
                                               {"min(u, v)", "min(v, u)"},
                                               {"sum(u)", "max(u)"},
                                               {"sum(u)", "u"},
                                               {"a", "b"},
                                               {"dx_forward(u)", "dx_backward(u)"},
                                               {"where(u, v, a)", "where(u, a, v)"},
                                               {"dot(w, u)", "dot(u, w)"},
                                               {"1/(u*0.5)", "1/(u*-0.5)"}};
    for (int i = 0; i < RW_COUNT(different); ++i)
        if (node(different[i][0]) == node(different[i][1])) fail_msg("%s is %s", different[i][0], different[i][1]);
    assert_int_not_equal(rw_real(g, 0.0), rw_real(g, -0.0));
    assert_int_equal(rw_real(g, NAN), rw_real(g, NAN));
    assert_int_not_equal(rw_const(g, 1, 0), rw_const(g, 1, 1));
    int before = g->n;
    node("(u*b*v + 3.25)*(u*b*v + 3.25) - u*b*v");
    int added = g->n - before;
    node("(u*b*v + 3.25)*(u*b*v + 3.25) - u*b*v");
    assert_int_equal(g->n, before + added);
    assert_int_equal(added, 6); /* u*b, (u*b)*v, 3.25, +, *, -; u, v, b are there; the second time none */
}

/* Sharing goes on when the table of chains grows. */
static void test_many_nodes(void **state)
{
    (void)state;
    enum { N = 5000 };
    static rw_node first[N];
    rw_node u = node("u");
    for (int i = 0; i < N; ++i) first[i] = rw_make2(g, RW_OP_MUL, u, rw_real(g, i + 0.125));
    for (int i = N - 1; i >= 0; --i) assert_int_equal(rw_make2(g, RW_OP_MUL, rw_real(g, i + 0.125), u), first[i]);
}

static void test_identities(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"u + 0", "u"},
        {"0 + u", "u"},
        {"u - 0", "u"},
        {"0 - u", "-u"},
        {"u - u", "0"},
        {"u + u", "2*u"},
        {"--u", "u"},
        {"u + -v", "u - v"},
        {"u - -v", "u + v"},
        {"u*1", "u"},
        {"1*u", "u"},
        {"u*0", "0"},
        {"0*u", "0"},
        {"u*-1", "-u"},
        {"-1*u", "-u"},
        {"u/1", "u"},
        {"0/u", "0"},
        {"u/4", "u*0.25"},
        {"u/-0.5", "u*-2"},
        {"u^0", "1"},
        {"u^1", "u"},
        {"u^2", "u*u"},
        {"u^3", "u*(u*u)"},
        {"u^4", "(u*u)*(u*u)"},
        {"u^-1", "1/u"},
        {"u^-2", "1/(u*u)"},
        {"u^0.5", "sqrt(u)"},
        {"a^2", "a*a"},
        {"w^2", "w*w"},
        {"u^16", "(((u^2)^2)^2)^2"},
        {"where(1, u, v)", "u"},
        {"where(0, u, v)", "v"},
        {"where(2 > 1, u, v)", "u"},
        {"where(u, v, v)", "v"},
        {"real(u)", "u"},
        {"imag(u)", "0"},
        {"conj(u)", "u"},
        {"dx(a)", "0"},
        {"laplace(3)", "0"},
        {"dx(sum(u))", "0"},
        {"upwind(a, 1, 1)", "0"},
        {"dx_forward(a)", "0"},
        {"diff(u^2, u)", "2*u"},
        {"diff(u*v, a)", "0"},
    };
    for (int i = 0; i < RW_COUNT(same); ++i)
        if (node(same[i][0]) != node(same[i][1])) fail_msg("%s is not %s", same[i][0], same[i][1]);
    /* and what must stay: NaN, infinity and rounding matter, or the host computes it once anyway */
    static const struct {
        const char *text;
        rw_node_op op;
    } kept[] = {{"u/a", RW_OP_DIV},
                {"u/3", RW_OP_DIV},
                {"u/49", RW_OP_DIV},
                {"dx(u)/a", RW_OP_DIV},
                {"(u*1e-310)/1e-310", RW_OP_DIV},
                {"u/2^-200", RW_OP_DIV},
                {"w/3", RW_OP_DIV},
                {"u/u", RW_OP_DIV},
                {"u/v", RW_OP_DIV},
                {"a/b", RW_OP_DIV},
                {"sum(u)/a", RW_OP_DIV},
                {"u^17", RW_OP_POW},
                {"u^0.25", RW_OP_POW},
                {"u^v", RW_OP_POW},
                {"u^-0.5", RW_OP_POW},
                {"min(u, u)", RW_OP_MIN},
                {"abs(u)", RW_OP_ABS},
                {"u/sum(u)", RW_OP_DIV},
                {"real(w)", RW_OP_REAL},
                {"u == u", RW_OP_EQ},
                {"where(u, v, a)", RW_OP_WHERE}};
    for (int i = 0; i < RW_COUNT(kept); ++i) {
        rw_node made = node(kept[i].text);
        if (g->nodes[made].op != kept[i].op) fail_msg("%s is no %s", kept[i].text, rw_ops[kept[i].op].name);
    }
    g->reciprocals = true;
    static const char *const products[][2] = {{"v/a", "v*(1/a)"}, {"dx(v)/a", "dx(v)*(1/a)"}, {"v/49", "v*(1/49)"}};
    for (int i = 0; i < RW_COUNT(products); ++i)
        if (node(products[i][0]) != node(products[i][1])) fail_msg("%s is not %s", products[i][0], products[i][1]);
    g->reciprocals = false;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool complex, field, reduced;
    } kinds[] = {{"a", false, false, false},
                 {"p", true, false, false},
                 {"u", false, true, false},
                 {"w", true, true, false},
                 {"x", false, true, false},
                 {"pi", false, false, false},
                 {"2i", true, false, false},
                 {"1i*1i", false, false, false},
                 {"u*p", true, true, false},
                 {"real(w)", false, true, false},
                 {"imag(w)", false, true, false},
                 {"abs(p)", false, false, false},
                 {"conj(w)", true, true, false},
                 {"w == w", false, true, false},
                 {"w != u", false, true, false},
                 {"where(u, w, v)", true, true, false},
                 {"sum(u)", false, false, true},
                 {"sum(w)", true, false, true},
                 {"u*sum(v)", false, true, true},
                 {"max(abs(w))", false, false, true},
                 {"dot(u, w)", true, false, true},
                 {"norm(w)", false, false, true},
                 {"a*sum(u) + b", false, false, true},
                 {"sum(3)", false, false, true},
                 {"dx(w)", true, true, false},
                 {"w^2", true, true, false},
                 {"exp(p)", true, false, false}};
    for (int i = 0; i < RW_COUNT(kinds); ++i) {
        rw_node made = node(kinds[i].text);
        const rw_graph_node *k = g->nodes + made;
        if (k->is_complex != kinds[i].complex || k->is_field != kinds[i].field || k->reduced != kinds[i].reduced)
            fail_msg("%s: complex %d, field %d, reduced %d", kinds[i].text, k->is_complex, k->is_field, k->reduced);
    }
    rw_node u = node("u"), deep = node("sin(u*v + a*(b*c))");
    assert_int_equal(g->nodes[u].depth, 0);
    assert_int_equal(g->nodes[deep].depth, 4);
}

static rw_node swap_fields(void *user, rw_graph *graph, rw_node leaf)
{
    static const int here[3] = {0};
    rw_graph_node p = graph->nodes[leaf];
    ++*(int *)user;
    if (p.op == RW_OP_FIELD && p.index < 2) return rw_field(graph, 1 - p.index, p.version, here);
    if (p.op == RW_OP_CONST && p.re == 7) return rw_real(graph, 0);
    return leaf;
}

static void test_rewriting(void **state)
{
    (void)state;
    int leaves = 0;
    rw_node e = node("u*sin(v) + u^2*7 + sum(u)*w");
    assert_int_equal(rw_graph_map(g, e, swap_fields, &leaves), node("v*sin(u) + sum(v)*w"));
    assert_int_equal(leaves, 4); /* u, v, 7, w: each once, though u stands there four times */
    assert_int_equal(rw_graph_map(g, node("a + b"), swap_fields, &leaves), node("a + b"));
}

static void test_shifts(void **state)
{
    (void)state;
    static const int right[3] = {1, 0, 0}, both[3] = {-2, 1, 0};
    rw_node u = node("u");
    assert_int_equal(rw_shift(g, u, 0, 1), rw_field(g, 0, 0, right));
    assert_int_equal(rw_shift(g, rw_shift(g, u, 0, -2), 1, 1), rw_field(g, 0, 0, both));
    assert_int_equal(rw_shift(g, node("x"), 0, 3), rw_coord(g, 0, 3));
    assert_int_equal(rw_shift(g, node("x"), 1, 3), node("x"));
    static const char *const texts[] = {"u*v + sin(x)*a", "dx(u)*y", "where(u < v, w, x*p)", "u*sum(u)/max(v)"};
    for (int i = 0; i < RW_COUNT(texts); ++i)
        for (int axis = 0; axis < 2; ++axis) {
            rw_node e = node(texts[i]), there = rw_shift(g, e, axis, 2);
            assert_int_not_equal(there, e);
            assert_int_equal(rw_shift(g, there, axis, -2), e);
            assert_int_equal(rw_shift(g, rw_shift(g, e, axis, 1), axis, 1), there);
        }
    /* scalars are the same everywhere; a reduction runs over all nodes wherever it is looked at from */
    assert_int_equal(rw_shift(g, node("a*sum(u*x)"), 0, 1), node("a*sum(u*x)"));
    assert_int_equal(rw_shift(g, node("v*sum(u)"), 0, 1),
                     rw_make2(g, RW_OP_MUL, rw_shift(g, node("v"), 0, 1), node("sum(u)")));
}

static void leaf_value(void *user, const rw_graph *graph, rw_node leaf, double out[2])
{
    const rw_graph_node *p = graph->nodes + leaf;
    const double *x = user;
    out[0] = p->op == RW_OP_REDUCE  ? 10
             : p->op == RW_OP_COORD ? x[3 + p->index]
                                    : x[p->index],
    out[1] = p->is_complex ? 0.25 : 0;
}

static void test_values(void **state)
{
    (void)state;
    double x[] = {2, 3, 4, 5, 6}, out[2];
    rw_graph_value(g, node("u*v + x*y + sum(u) + a"), leaf_value, x, out);
    assert_true(fabs(out[0] - (6 + 30 + 10 + 0.3)) < 1e-14 && out[1] == 0);
    x[0] = 20; /* nothing of the last time is kept */
    rw_graph_value(g, node("u*v + x*y + sum(u) + a"), leaf_value, x, out);
    assert_true(fabs(out[0] - (60 + 30 + 10 + 0.3)) < 1e-14);
    rw_graph_value(g, node("w*w"), leaf_value, x, out);
    assert_true(out[0] == 16 - 0.0625 && out[1] == 2);
    g->params[rw_graph_find_param(g, "a")].re = 1;
    rw_graph_scalar(g, node("a + b"), out, out + 1);
    assert_true(out[0] == 1.7);
    g->params[rw_graph_find_param(g, "a")].re = 0.3;
    rw_graph_scalar(g, node("a + b"), out, out + 1);
    assert_true(out[0] == 1.0);
}

static void build(void)
{
    static const rw_grid grid = {.ndim = 2, .size = {4, 3, 1}, .spacing = {0.1, 0.2, 1}};
    rw_graph *h = NULL;
    if (rw_graph_create(ctx, &grid, 2, &h) != RW_OK) return;
    static const int here[3] = {0};
    rw_graph_add_field(h, "u", RW_F64), rw_graph_add_field(h, "v", RW_C64);
    rw_graph_add_param(h, "a", false, 1, 0);
    rw_node u = rw_field(h, 0, 0, here), v = rw_field(h, 1, 0, here), sum = u;
    for (int i = 0; i < 1200; ++i) sum = rw_make2(h, RW_OP_ADD, rw_make1(h, RW_OP_SIN, sum), rw_real(h, i));
    sum = rw_central(h, rw_make2(h, RW_OP_MUL, u, v), 0, 2, 4);
    const char *problem;
    rw_diff(h, sum, v, &problem);
    rw_reduce(h, RW_SUM, sum), rw_scalar_argument(h, rw_graph_find_param(h, "a"));
    rw_graph_destroy(&h);
}

/* After a failed allocation the makers go on with node 0, and nothing is lost. */
static void test_memory(void **state)
{
    (void)state;
    long events;
    rw_fault_set(RW_FAULT_ALLOC, 0);
    build();
    events = rw_fault_events(RW_FAULT_ALLOC);
    assert_true(events > 20);
    for (long i = 1; i <= events; ++i) {
        rw_fault_set(RW_FAULT_ALLOC, i);
        build();
    }
    rw_fault_set(RW_FAULT_ALLOC, 0);
}

static void test_limits(void **state)
{
    (void)state;
    static const rw_grid grid = {.ndim = 1, .size = {4, 1, 1}, .spacing = {0.1, 1, 1}};
    static const int here[3] = {0};
    for (int deep = 0; deep < 2; ++deep) {
        rw_graph *h;
        OK(rw_graph_create(ctx, &grid, 2, &h));
        rw_graph_add_field(h, "u", RW_F64);
        rw_node u = rw_field(h, 0, 0, here), e = u;
        int made = 0;
        for (; made < 2 * RW_GRAPH_NODES && !h->failed; ++made)
            e = rw_make2(h, RW_OP_MUL, deep ? rw_make1(h, RW_OP_SIN, e) : u, rw_real(h, made + 2));
        assert_true(h->failed && h->too_large);
        if (deep) assert_int_equal(made, RW_GRAPH_DEPTH / 2 + 1);
        else assert_int_equal(h->n, RW_GRAPH_NODES);
        assert_int_equal(rw_make2(h, RW_OP_ADD, e, u), 0);
        rw_graph_destroy(&h);
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
        cmocka_unit_test(test_constants_fold), cmocka_unit_test(test_equal_nodes_are_one),
        cmocka_unit_test(test_many_nodes),     cmocka_unit_test(test_identities),
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_rewriting),
        cmocka_unit_test(test_shifts),         cmocka_unit_test(test_values),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
