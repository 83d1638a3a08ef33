/* Parameters that stand for a course of values, and products that gather their scalar factors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "expr/graph.h"
#include "rechenwerk/context.h"

static rw_context *ctx;

static rw_graph *make(void)
{
    rw_grid grid = {.ndim = 1, .size = {8, 1, 1}, .spacing = {1, 1, 1}};
    rw_graph *g;
    assert_int_equal(rw_graph_create(ctx, &grid, 2, &g), RW_OK);
    return g;
}

static double scalar(rw_graph *g, rw_node n)
{
    double re, im;
    rw_graph_scalar(g, n, &re, &im);
    return re;
}

static void test_weighted_values(void **state)
{
    (void)state;
    rw_graph *g = make();
    int p = rw_graph_add_param(g, "t", false, 2, 0), q = rw_graph_add_param(g, "k", false, 3, 0);
    rw_node t = rw_param(g, p), k = rw_param(g, q);
    rw_node wave = rw_make2(g, RW_OP_MUL, k, rw_make1(g, RW_OP_SIN, t)), other = rw_make1(g, RW_OP_COS, k);
    rw_node jump = rw_make2(g, RW_OP_LT, t, rw_real(g, 4)), both = rw_make2(g, RW_OP_MUL, wave, rw_make(g, RW_OP_WHERE, jump, k, t));
    assert_true(scalar(g, wave) == 3 * sin(2));
    rw_course c = {3, {1, 2, 5}, {0.5, 0.75, -0.25}};
    assert_true(rw_graph_set_course(g, p, &c));
    assert_true(fabs(scalar(g, wave) - 3 * (0.5 * sin(1) + 0.75 * sin(2) - 0.25 * sin(5))) < 1e-15);
    assert_true(fabs(scalar(g, t) - (0.5 + 1.5 - 1.25)) < 1e-15);
    assert_true(scalar(g, other) == cos(3));
    /* what jumps has its value at the parameter's own, and so has what is made of it */
    assert_true(scalar(g, jump) == 1 && scalar(g, both) == 3 * sin(2) * 3);
    assert_true(g->params[p].re == 2);
    assert_true(rw_graph_depends(g, both, p) && rw_graph_depends(g, both, q) && !rw_graph_depends(g, other, p));
    c.n = 0;
    assert_true(rw_graph_set_course(g, p, &c));
    assert_true(scalar(g, wave) == 3 * sin(2));
    rw_graph_destroy(&g);
}

static int count(const rw_graph *g, rw_node n, rw_op op, bool of_fields)
{
    const rw_graph_node *p = g->nodes + n;
    int sum = p->op == op && p->is_field == of_fields;
    for (int i = 0; i < rw_ops[p->op].arity; ++i) sum += count(g, p->arg[i], op, of_fields);
    return sum;
}

/* 2 a(x) s b(x) r / q: one product with one scalar, whatever the order. */
static void test_gathered_factors(void **state)
{
    (void)state;
    static const int here[3] = {0};
    for (int order = 0; order < 24; ++order) {
        rw_graph *g = make();
        g->gather = true;
        int f = rw_graph_add_field(g, "a", RW_F64), h = rw_graph_add_field(g, "b", RW_F64);
        rw_node factor[4] = {rw_field(g, f, 0, here), rw_field(g, h, 0, here), rw_param(g, rw_graph_add_param(g, "s", false, 5, 0)),
                             rw_param(g, rw_graph_add_param(g, "r", false, 7, 0))}, q = rw_param(g, rw_graph_add_param(g, "q", false, 4, 0));
        rw_node n = rw_real(g, 2);
        for (int i = 0, left = order; i < 4; ++i) {
            int pick = left % (4 - i);
            left /= 4 - i;
            n = rw_make2(g, RW_OP_MUL, n, factor[pick]);
            factor[pick] = factor[3 - i];
        }
        n = rw_make2(g, RW_OP_DIV, n, q);
        assert_int_equal(count(g, n, RW_OP_MUL, true), 2); /* a b, and the scalar */
        assert_int_equal(count(g, n, RW_OP_DIV, true), 0);
        const rw_graph_node *top = g->nodes + n;
        rw_node s = g->nodes[top->arg[0]].is_field ? top->arg[1] : top->arg[0];
        assert_true(scalar(g, s) == 2. * 5 * 7 / 4);
        rw_graph_destroy(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weighted_values), cmocka_unit_test(test_gathered_factors)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("course", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
