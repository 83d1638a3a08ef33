/* Interval arithmetic over one parameter, and the search for jumps: ranges enclose the values, and the next jump is the
 * first. */
#include <float.h>
#include <math.h>

#include "../devices.h"
#include "expr/lower.h"
#include "expr/range.h"

static rw_graph *graph;
static int parameter;

/* The node of a text in which `s` is the parameter. */
static rw_node node_of(const char *text)
{
    static const rw_grid grid = {.ndim = 1, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    rw_lowering l;
    rw_node n = -1;
    rw_source source = {"test", text, 1, 1};
    OK(rw_graph_create(ctx, &grid, 2, &graph));
    parameter = rw_graph_add_param(graph, "s", false, 0, 0);
    rw_graph_add_param(graph, "k", false, 3, 0);
    rw_lowering_begin(&l, ctx, graph);
    OK(rw_lower_text(&l, &source, &n));
    rw_lowering_end(&l);
    assert_false(graph->failed);
    return n;
}

static double value_at(rw_node n, double s)
{
    double re, im;
    graph->params[parameter].re = s;
    rw_graph_scalar(graph, n, &re, &im);
    return re;
}

/* xorshift: fixed seed */
static double random_in(uint64_t *seed, double lo, double hi)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return lo + (hi - lo) * (double)(*seed >> 11) / 9007199254740992.;
}

/* Values at random places of random intervals lie in the range; narrow intervals give narrow ranges. */
static void test_ranges_enclose(void **state)
{
    (void)state;
    static const char *const texts[] = {"s + k",
                                        "k - s",
                                        "s*s",
                                        "s*(s - 1)",
                                        "s*k",
                                        "1/s",
                                        "1/(s*s + 1)",
                                        "-s",
                                        "s^2.5",
                                        "abs(s)^s",
                                        "min(s, 1)",
                                        "max(s, k, 2*s)",
                                        "abs(s - 1)",
                                        "sqrt(s)",
                                        "sqrt(s*s + 1)",
                                        "cbrt(s)",
                                        "exp(s)",
                                        "log(s)",
                                        "exp2(s)",
                                        "log2(s)",
                                        "log10(s)",
                                        "sin(s)",
                                        "cos(3*s)",
                                        "tan(s)",
                                        "asin(s/100)",
                                        "acos(s/100)",
                                        "atan(s)",
                                        "atan2(s, 2)",
                                        "atan2(1, s)",
                                        "hypot(s, k)",
                                        "sinh(s/10)",
                                        "cosh(s/10)",
                                        "tanh(s)",
                                        "erf(s)",
                                        "erfc(s)",
                                        "asinh(s)",
                                        "acosh(s)",
                                        "atanh(s/100)",
                                        "ceil(s)",
                                        "round(k*s)",
                                        "heaviside(s - 1)",
                                        "floor(s)",
                                        "floor(k*s)",
                                        "sign(s - 1)",
                                        "mod(s, 1)",
                                        "mod(s, k)",
                                        "mod(s, -0.7)",
                                        "mod(k, s)",
                                        "where(s > 1, s, -s)",
                                        "where(s > 1 and s < 2, 5, s)",
                                        "where(not (s < 0), 1, s)",
                                        "sin(s*s) + mod(s, 0.3)*floor(s)",
                                        "exp(sin(s))*cos(exp(s/5))",
                                        "where(mod(s, 2) < 1, sin(s), cos(s))"};
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        rw_node n = node_of(texts[i]);
        rw_range *r = rw_range_create(graph, n, parameter);
        assert_non_null(r);
        assert_true(rw_range_is_bounded(r));
        for (int k = 0; k < 400; ++k) {
            double width = pow(10, random_in(&seed, -14, 1)), lo = random_in(&seed, -8, 12), hi = lo + width;
            rw_interval v = rw_range_of(r, lo, hi);
            for (int j = 0; j < 20; ++j) {
                double s = j == 0 ? lo : j == 1 ? hi : random_in(&seed, lo, hi), y = value_at(n, s);
                if (isnan(y) ? !v.nan : !(v.lo <= y && y <= v.hi))
                    fail_msg("%s: %.17g at %.17g is outside [%.17g, %.17g] of [%.17g, %.17g]", texts[i], y, s, v.lo,
                             v.hi, lo, hi);
            }
        }
        rw_range_destroy(&r);
        rw_graph_destroy(&graph);
    }
}

/* The range of a smooth function at a point is a few units in the last place wide, so that the search can end. */
static void test_points_are_sharp(void **state)
{
    (void)state;
    static const char *const texts[] = {"s*s - k", "exp(s)",   "sin(20*s + 0.1)", "mod(s, 0.1)", "sqrt(s)/k",
                                        "log(s)",  "log10(s)", "tan(s)",          "s^1.7"};
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        rw_node n = node_of(texts[i]);
        rw_range *r = rw_range_create(graph, n, parameter);
        for (double s = 0.37; s < 2; s += 0.31) {
            rw_interval v = rw_range_of(r, s, s);
            if (!isfinite(v.hi) || !(v.hi - v.lo <= 64 * DBL_EPSILON * fmax(1, fabs(v.hi))))
                fail_msg("%s at %g: [%.17g, %.17g]", texts[i], s, v.lo, v.hi);
        }
        rw_range_destroy(&r);
        rw_graph_destroy(&graph);
    }
}

/* The first jump, whatever is beyond it. */
static void test_first_jump(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double from, until, at;
        int ulps;
    } cases[] = {{"s >= 1.1", 0, 5, 1.1, 0},
                 {"s < 1.1", 0, 5, 1.1, 0},
                 {"s > 1.1", 0, 5, 1.1, 1},
                 {"k <= s", 0, 1000, 3, 0},
                 {"floor(3*s)", 0.1, 100, 1. / 3, 1},
                 {"floor(s)", 0, 1e9, 1, 0},
                 {"sign(s - 0.25)", 0, 1, 0.25, 0},
                 {"mod(s, 20) < 0.5", 0, 1e4, 0.5, 0},
                 {"mod(s, 20) < 0.5", 0.5, 1e4, 20, 0},
                 {"mod(s, 20)", 0.5, 1e4, 20, 0},
                 {"mod(s, 1000) < 1e-6", 1, 1e5, 1000, 0},
                 {"sin(20*s + 0.1) > 0", 0, 50, 0.15207963267948966, 8},
                 {"cos(s) >= 0.9999999999", 1, 40, 6.2831711650, 0},
                 {"s*s > 2", 0, 1e8, 1.4142135623730951, 1},
                 {"exp(s) < 1e10", 0, 700, 23.025850929940457, 4},
                 {"exp2(s) < 1000", 0, 700, 9.965784284662087, 4},
                 {"log2(s) < 3", 1e-3, 1e6, 8, 4},
                 {"log10(s) < 2", 1e-3, 1e6, 100, 4},
                 {"s^3 - s > 10", 0, 1e3, 2.3089073, 0},
                 {"abs(s - 5) < 1e-9", 0, 1e3, 5 - 1e-9, 4},
                 {"where(s > 2, s, 0) > 3", 0, 1e3, 3, 1},
                 {"s > 7 and s < 7.0001", 0, 1e6, 7, 1},
                 {"max(cos(s) - 0.99, 0)", 1, 1e3, 6.1416457, 0},
                 {"min(s, 4)", 0, 1e6, 4, 0},
                 {"abs(s - 0.25)", 0, 1e3, 0.25, 0},
                 {"tan(s)", 0, 1e2, 1.5707963267948966, 1},
                 {"atan2(sin(s), cos(s))", 2, 1e2, 3.14159265358979323, 1}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        double before = NAN, after = NAN;
        rw_node n = node_of(cases[i].text);
        while (!rw_range_is_switch((rw_node_op)graph->nodes[n].op)) n = graph->nodes[n].arg[0]; /* of `and` the first */
        rw_range *r = rw_range_create(graph, n, parameter);
        rw_range_answer answer = rw_range_next(r, cases[i].from, cases[i].until, &before, &after);
        if (answer != RW_RANGE_FOUND) fail_msg("%s: answer %d at %.17g", cases[i].text, (int)answer, before);
        assert_true(after == nextafter(before, INFINITY));
        double slack = cases[i].ulps                                   ? cases[i].ulps * DBL_EPSILON * cases[i].at
                       : cases[i].at != round(cases[i].at * 1e3) / 1e3 ? 1e-6
                                                                       : 0;
        if (!(fabs(after - cases[i].at) <= slack)) fail_msg("%s: %.17g, not %.17g", cases[i].text, after, cases[i].at);
        assert_true(rw_range_jumps(r, before, after));
        rw_range_destroy(&r);
        rw_graph_destroy(&graph);
    }
}

static void test_no_jump(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double from, until;
    } cases[] = {{"s < 5", 0, 4.999},
                 {"s >= 1.1", 1.1, 1e9},
                 {"mod(s, 20) < 20", 0, 1e4},
                 {"sin(s) <= 1", 0, 1e3},
                 {"floor(s)", 0, 0.9999999},
                 {"s*s < 0", -3, 3},
                 {"mod(s, 20) < 0.5", 0.5, 19.9999999},
                 {"exp(s) > 0", -700, 700},
                 {"sign(s)", 1e-9, 1e9},
                 {"abs(s) < -1", -5, 5},
                 {"max(s, -1)", -0.5, 1e9},
                 {"min(sin(s), 1.1)", 0, 1e3},
                 {"abs(s)", 1e-9, 1e9},
                 {"tan(s)", -1.57, 1.57},
                 {"atan2(s, 2)", -1e6, 1e6}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        double before, after;
        rw_node n = node_of(cases[i].text);
        rw_range *r = rw_range_create(graph, n, parameter);
        rw_range_answer answer = rw_range_next(r, cases[i].from, cases[i].until, &before, &after);
        if (answer == RW_RANGE_FOUND) fail_msg("%s: a jump at %.17g", cases[i].text, after);
        rw_range_destroy(&r);
        rw_graph_destroy(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges_enclose), cmocka_unit_test(test_points_are_sharp),
                                       cmocka_unit_test(test_first_jump), cmocka_unit_test(test_no_jump)};
    setenv("RECHENWERK_TEST_DEVICES", "cpu:1", 1); /* the host's arithmetic alone */
    return run_on_devices("range", tests, RW_COUNT(tests));
}
