/* Parameters that stand for a course of values, and products that gather their scalar factors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "expr/scalars.h"
#include "rechenwerk/core.h"

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
    bool *wanted = rw_calloc((size_t)g->n, 1);
    wanted[n] = true;
    rw_scalars *s = rw_scalars_create(g, wanted);
    assert_true(rw_scalars_update(s));
    rw_scalars_get(s, n, &re, &im);
    rw_scalars_destroy(&s);
    rw_free(wanted);
    return re;
}

static void test_weighted_values(void **state)
{
    (void)state;
    rw_graph *g = make();
    int p = rw_graph_add_param(g, "t", false, 2, 0), q = rw_graph_add_param(g, "k", false, 3, 0);
    rw_node t = rw_scalar_argument(g, p), k = rw_scalar_argument(g, q);
    rw_node wave = rw_make2(g, RW_OP_MUL, k, rw_make1(g, RW_OP_SIN, t)), other = rw_make1(g, RW_OP_COS, k);
    rw_node jump = rw_make2(g, RW_OP_LT, t, rw_real(g, 4)),
            both = rw_make2(g, RW_OP_MUL, wave, rw_make(g, RW_OP_WHERE, jump, k, t));
    assert_true(scalar(g, wave) == 3 * sin(2));
    rw_quadrature c = {.n = 3, .at = {1, 2, 5}, .weight = {0.5, 0.75, -0.25}};
    assert_true(rw_graph_set_quadrature(g, p, &c));
    assert_true(fabs(scalar(g, wave) - 3 * (0.5 * sin(1) + 0.75 * sin(2) - 0.25 * sin(5))) < 1e-15);
    assert_true(fabs(scalar(g, t) - (0.5 + 1.5 - 1.25)) < 1e-15);
    assert_true(scalar(g, other) == cos(3));
    /* what jumps has its value at the parameter's own, and so has what is made of it */
    assert_true(scalar(g, jump) == 1 && scalar(g, both) == 3 * sin(2) * 3);
    assert_true(g->params[p].re == 2);
    assert_true(rw_graph_depends(g, both, p) && rw_graph_depends(g, both, q) && !rw_graph_depends(g, other, p));
    c.n = 0;
    assert_true(rw_graph_set_quadrature(g, p, &c));
    assert_true(scalar(g, wave) == 3 * sin(2));
    rw_graph_destroy(&g);
}

/* Kept scalars are those computed anew, whatever changes from run to run. */
static void test_changes(void **state)
{
    (void)state;
    enum { SEED = 31 };
    uint64_t at = 0;
    rw_graph *g = make();
    rw_node sum = rw_real(g, 1);
    int params[70];
    for (int i = 0; i < RW_COUNT(params); ++i) { /* more than a word of bits */
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        params[i] = rw_graph_add_param(g, name, i % 5 == 0, rw_random_uniform(SEED, at++), 0);
        sum = rw_make2(g, i % 2 ? RW_OP_ADD : RW_OP_MUL, sum, rw_make1(g, RW_OP_SIN, rw_scalar_argument(g, params[i])));
        if (i % 7 == 6) sum = rw_make1(g, RW_OP_COS, sum); /* samples depend on other parameters too */
    }
    bool *wanted = rw_calloc((size_t)g->n, 1);
    wanted[sum] = true;
    rw_scalars *kept = rw_scalars_create(g, wanted);
    assert_non_null(kept);
    for (int round = 0; round < 400; ++round) {
        int p = params[rw_random_u64(SEED, at++) % RW_COUNT(params)];
        rw_quadrature c = {.n = round % 3 ? 2 : 0, .at = {round, 1 + round % 7}, .weight = {1.25, -0.25}};
        c.weight[1] = 1 - (c.weight[0] = rw_random_uniform(SEED, at++));
        if (round % 4 == 1) assert_true(rw_graph_set_quadrature(g, params[1 + 5 * (round % 3)], &c));
        else g->params[p].re = rw_random_uniform(SEED, at++);
        double re, im, fresh_re, fresh_im;
        assert_true(rw_scalars_update(kept));
        rw_scalars_get(kept, sum, &re, &im);
        rw_scalars *fresh = rw_scalars_create(g, wanted);
        assert_true(rw_scalars_update(fresh));
        rw_scalars_get(fresh, sum, &fresh_re, &fresh_im);
        rw_scalars_destroy(&fresh);
        if (re != fresh_re || im != fresh_im)
            fail_msg("round %d: %.17g%+.17gi, anew %.17g%+.17gi", round, re, im, fresh_re, fresh_im);
    }
    rw_scalars_destroy(&kept);
    rw_free(wanted);
    rw_graph_destroy(&g);
}

static int count(const rw_graph *g, rw_node n, rw_node_op op, bool of_fields)
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
        g->gather = g->reciprocals = true;
        int f = rw_graph_add_field(g, "a", RW_F64), h = rw_graph_add_field(g, "b", RW_F64);
        rw_node factor[4] = {rw_field(g, f, 0, here), rw_field(g, h, 0, here),
                             rw_scalar_argument(g, rw_graph_add_param(g, "s", false, 5, 0)),
                             rw_scalar_argument(g, rw_graph_add_param(g, "r", false, 7, 0))},
                q = rw_scalar_argument(g, rw_graph_add_param(g, "q", false, 4, 0));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weighted_values), cmocka_unit_test(test_changes),
                                       cmocka_unit_test(test_gathered_factors)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("course", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
