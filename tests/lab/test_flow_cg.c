/* Conjugate gradients of the study `flow`: a known solution, numbers of iterations, a right-hand side of zeros, the
 * three versions compared, what they copy, and the document's rates from its times. */
#include "../devices.h"

#include <math.h>

#include "lab/flow_cg.h"

static const double pi = 3.14159265358979323846;

typedef struct problem {
    rw_flow_system system;
    rw_flow_kernels kernels;
    rw_flow_cg cg;
    double *b, *x; /* f64 alone */
} problem;

/* E + s A_h on (edge - 2)^2 points; without E where s is 0. */
static void begin(problem *p, rw_flow_version version, bool f64, int edge, double s)
{
    const double h = 1.0 / (edge - 1), scale = (s > 0 ? s : 1) / (h * h);
    const int64_t inside = edge - 2;
    *p = (problem){.b = NULL};
    OK(rw_flow_system_create(ctx, f64, inside, inside, (s > 0) + 4 * scale, -scale, &p->system));
    OK(rw_flow_kernels_create(dev, f64, 0, 0, &p->kernels));
    OK(rw_flow_cg_create(ctx, version, &p->system, &p->kernels, &p->cg));
    p->b = calloc((size_t)p->system.n, sizeof *p->b);
    p->x = calloc((size_t)p->system.n, sizeof *p->x);
    for (int64_t i = 0; i < p->system.n; ++i) {
        if (f64) p->b[i] = 1;
        else ((float *)p->b)[i] = 1;
    }
}

static void end(problem *p)
{
    free(p->b), free(p->x);
    rw_flow_cg_free(&p->cg);
    rw_flow_kernels_free(&p->kernels);
    rw_flow_system_free(&p->system);
}

/* Into an array of the device and back. */
static void to_device(const problem *p, const void *from, int vector)
{
    void *w;
    OK(rw_array_write(p->cg.vector[vector], &w));
    memcpy(w, from, (size_t)p->system.n * (p->system.f64 ? 8 : 4));
    OK(rw_array_send(p->cg.vector[vector], queue));
    OK(rw_queue_wait(queue));
}

/* From x, into x. */
static rw_flow_outcome solve(problem *p, double tolerance, int most)
{
    const rw_flow_stop stop = {tolerance, most};
    rw_flow_outcome o;
    if (p->cg.version != RW_FLOW_GPU_2) {
        OK(rw_flow_cg_solve(&p->cg, p->b, p->x, stop, &o));
        return o;
    }
    const void *x;
    to_device(p, p->b, RW_FLOW_B);
    to_device(p, p->x, RW_FLOW_X);
    OK(rw_flow_cg_solve(&p->cg, NULL, NULL, stop, &o));
    OK(rw_array_read(p->cg.vector[RW_FLOW_X], &x));
    memcpy(p->x, x, (size_t)p->system.n * (p->system.f64 ? 8 : 4));
    return o;
}

/* G1: sums of modes, whose right-hand side is known. */
static void test_solution(void **state)
{
    (void)state;
    enum { EDGE = 64, INSIDE = EDGE - 2, ALL = INSIDE * INSIDE };
    for (int v = 0; v < RW_FLOW_VERSIONS; ++v) {
        problem p;
        double worst = 0, square = 0, first = 0;
        static double exact[ALL], y[ALL];
        begin(&p, (rw_flow_version)v, true, EDGE, 0);
        const double h = 1.0 / (EDGE - 1);
        for (int i = 0; i < ALL; ++i) {
            const double wx = pi * h * (i % INSIDE + 1), wy = pi * h * (i / INSIDE + 1); /* k = 1, l = 1 and 5, 3 */
            const double one = 8 / (h * h) * pow(sin(pi * h / 2), 2),
                         two = 4 / (h * h) * (pow(sin(5 * pi * h / 2), 2) + pow(sin(3 * pi * h / 2), 2));
            exact[i] = sin(wx) * sin(wy) + 0.25 * sin(5 * wx) * sin(3 * wy);
            p.b[i] = one * sin(wx) * sin(wy) + 0.25 * two * sin(5 * wx) * sin(3 * wy);
        }
        const rw_flow_outcome o = solve(&p, 1e-10, 1000);
        assert_true(o.converged && o.iterations > 1 && o.iterations < 200);
        rw_flow_cpu_multiply(&p.system, p.x, y);
        for (int i = 0; i < ALL; ++i) {
            worst = fmax(worst, fabs(p.x[i] - exact[i]));
            square += (p.b[i] - y[i]) * (p.b[i] - y[i]);
            first += p.b[i] * p.b[i];
        }
        assert_true(worst < 1e-8);
        assert_true(fabs(o.first / sqrt(first) - 1) < 1e-12);
        assert_true(o.last < 1e-10 * o.first && fabs(sqrt(square) - o.last) < 1e-12 * o.first);
        end(&p);
    }
}

/* G2: iterations from 0 with 1 on the right. Computed by another program of ours, which has no device. */
static void test_iterations(void **state)
{
    (void)state;
    static const struct {
        int edge;
        double s, tolerance;
        int iterations, slack;
        bool slow;
    } cases[] = {
        {64, 0, 1e-3, 75, 2, false},      {64, 0, 1e-6, 98, 2, false},   {64, 0, 1e-8, 116, 2, false},
        {64, 0, 1e-10, 128, 2, false},    {256, 0, 1e-3, 314, 2, true},  {256, 0, 1e-6, 408, 2, true},
        {256, 0, 1e-8, 466, 2, true},     {256, 0, 1e-10, 529, 2, true}, {64, 1.43e-7, 1e-6, 2, 2, false},
        {256, 1.43e-7, 1e-6, 4, 2, true},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i)
        for (int v = 0; v < RW_FLOW_VERSIONS; ++v) {
            problem p;
            if (cases[i].slow && !on("cpu")) continue;
            if (v == RW_FLOW_CPU && !on("cpu")) continue;
            begin(&p, (rw_flow_version)v, true, cases[i].edge, cases[i].s);
            const rw_flow_outcome o = solve(&p, cases[i].tolerance, 10000);
            if (!o.converged || abs(o.iterations - cases[i].iterations) > cases[i].slack)
                fail_msg("%s, edge %d, s = %g, tolerance %g: %d iterations, expected %d", rw_flow_version_names[v],
                         cases[i].edge, cases[i].s, cases[i].tolerance, o.iterations, cases[i].iterations);
            end(&p);
        }
}

/* The long version: 1022^2 unknowns, where the order of sums changes the number by some. */
static void test_large(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-6, 1e-8, 1e-10};
    static const int iterations[] = {1297, 1669, 1894, 2155};
    if (!test_long() || !on("cpu")) skip();
    for (int i = 0; i < RW_COUNT(tolerances); ++i) {
        problem p;
        begin(&p, RW_FLOW_GPU_2, true, 1024, 0);
        const rw_flow_outcome o = solve(&p, tolerances[i], 10000);
        if (!o.converged || abs(o.iterations - iterations[i]) > 4)
            fail_msg("tolerance %g: %d iterations, expected %d", tolerances[i], o.iterations, iterations[i]);
        end(&p);
    }
    problem p;
    begin(&p, RW_FLOW_GPU_2, true, 1024, 1.43e-7);
    const rw_flow_outcome o = solve(&p, 1e-6, 10000);
    assert_true(o.converged && abs(o.iterations - 8) <= 2);
    end(&p);
}

/* G5, and a limit of iterations; numbers that are not finite end a solve. */
static void test_ends(void **state)
{
    (void)state;
    for (int v = 0; v < RW_FLOW_VERSIONS; ++v) {
        problem p;
        begin(&p, (rw_flow_version)v, true, 20, 0);
        memset(p.b, 0, (size_t)p.system.n * sizeof *p.b);
        rw_flow_outcome o = solve(&p, 1e-10, 100);
        assert_true(o.converged && o.iterations == 0 && o.first == 0 && o.last == 0);
        for (int64_t i = 0; i < p.system.n; ++i) assert_true(p.x[i] == 0);
        for (int64_t i = 0; i < p.system.n; ++i) p.b[i] = 1;
        o = solve(&p, 1e-10, 3);
        assert_true(!o.converged && o.iterations == 3 && o.last > 0 && o.last < INFINITY);
        /* goes on from there: the solution is the next first guess */
        o = solve(&p, 1e-10, 1000);
        assert_true(o.converged);
        o = solve(&p, 0.5, 1000);
        assert_true(o.first < 1e-8 * 18);
        p.b[7] = NAN;
        o = solve(&p, 1e-10, 100);
        assert_true(!o.converged && o.iterations == 0 && isnan(o.first));
        end(&p);
    }
}

/* G6: the versions agree, also with all kernels of the document. */
static void test_versions(void **state)
{
    (void)state;
    static const struct {
        rw_flow_version version;
        rw_flow_dot dot;
        rw_flow_product product;
    } runs[] = {{RW_FLOW_CPU, RW_FLOW_D5, RW_FLOW_S3},
                {RW_FLOW_GPU_1, RW_FLOW_D5, RW_FLOW_S3},
                {RW_FLOW_GPU_2, RW_FLOW_D5, RW_FLOW_S4},
                {RW_FLOW_GPU_2, RW_FLOW_D1, RW_FLOW_S1},
                {RW_FLOW_GPU_1, RW_FLOW_D3, RW_FLOW_S2}};
    for (int f64 = 0; f64 < 2; ++f64) {
        problem first;
        rw_flow_outcome wanted = {0};
        for (int i = 0; i < RW_COUNT(runs); ++i) {
            problem p;
            begin(&p, runs[i].version, f64, 33, 0);
            p.cg.dot = runs[i].dot, p.cg.product = runs[i].product;
            const rw_flow_outcome o = solve(&p, f64 ? 1e-11 : 1e-5, 1000);
            assert_true(o.converged);
            if (i == 0) {
                first = p, wanted = o;
                continue;
            }
            assert_true(abs(o.iterations - wanted.iterations) <= 1);
            for (int64_t k = 0; k < p.system.n; ++k) {
                const double u = f64 ? first.x[k] : (double)((float *)first.x)[k],
                             w = f64 ? p.x[k] : (double)((float *)p.x)[k];
                assert_true(fabs(u - w) <= (f64 ? 1e-9 : 1e-5));
            }
            end(&p);
        }
        end(&first);
    }
}

/* GPU_1 sends matrix, offsets, b and x and fetches x in each solve; GPU_2 has scalars alone: two an iteration, and
 * one. */
static void test_traffic(void **state)
{
    (void)state;
    const rw_flow_stop stop = {1e-8, 1000};
    for (int f64 = 0; f64 < 2; ++f64) {
        const double size = f64 ? 8 : 4;
        problem p;
        rw_flow_outcome o;
        begin(&p, RW_FLOW_GPU_1, f64, 20, 0);
        const double bytes = size * (double)p.system.n;
        solve(&p, stop.tolerance, stop.most);
        memset(p.x, 0, (size_t)bytes);
        rw_counters before = counters();
        OK(rw_flow_cg_solve(&p.cg, p.b, p.x, stop, &o));
        rw_counters after = counters();
        assert_true(o.traffic.sends == 4 && o.traffic.fetches == 1 && o.traffic.scalars == 2 * o.iterations + 1);
        assert_true(o.traffic.sent == 7 * bytes + 20 && o.traffic.fetched == bytes);
        if (discrete()) {
            assert_true((double)(after.bytes_in - before.bytes_in) == o.traffic.sent);
            assert_true((double)(after.bytes_out - before.bytes_out) ==
                        o.traffic.fetched + size * (double)o.traffic.scalars);
        }
        end(&p);
        begin(&p, RW_FLOW_GPU_2, f64, 20, 0);
        to_device(&p, p.b, RW_FLOW_B);
        to_device(&p, p.x, RW_FLOW_X);
        before = counters();
        OK(rw_flow_cg_solve(&p.cg, NULL, NULL, stop, &o));
        after = counters();
        assert_true(o.iterations > 10 && o.traffic.sends == 0 && o.traffic.fetches == 0 && o.traffic.sent == 0);
        assert_int_equal(o.traffic.scalars, 2 * o.iterations + 1);
        assert_int_equal(after.bytes_in - before.bytes_in, 0);
        assert_int_equal(after.bytes_out - before.bytes_out, discrete() ? (int)size * (2 * o.iterations + 1) : 0);
        end(&p);
    }
}

/* G7: rates of the document from its times. */
static void test_operations(void **state)
{
    (void)state;
    static const struct {
        int edge, iterations;
        double seconds, rate, slack;
    } printed[] = {{256, 801, 0.1824, 5.67, 0.01}, {1024, 215, 0.45, 10.0, 0.1}, {64, 202, 0.02275, 0.69, 0.01}};
    for (int i = 0; i < RW_COUNT(printed); ++i) {
        const int64_t inside = printed[i].edge - 2;
        const double rate = rw_flow_operations(printed[i].iterations, inside * inside) / printed[i].seconds * 1e-9;
        assert_true(fabs(rate - printed[i].rate) < printed[i].slack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solution),  cmocka_unit_test(test_iterations),
                                       cmocka_unit_test(test_large),     cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_versions),  cmocka_unit_test(test_traffic),
                                       cmocka_unit_test(test_operations)};
    return run_on_devices("flow cg", tests, RW_COUNT(tests));
}
