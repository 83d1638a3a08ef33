/* The study `rates`: scalar products of all kinds with blocks and grids of any size, the occupancy calculator and the
 * work model against published numbers, a small run of the study. */
#include "../devices.h"

#include <math.h>

#include "lab/lab.h"
#include "lab/laser.h"
#include "lab/occupancy.h"

static const int block_sizes[] = {1, 2, 3, 31, 32, 33, 64, 65, 96, 127, 128, 255, 256, 321, 512, 513, 672, 1000, 1024};

/* PoCL and the check device compile and start slowly: a few sizes. */
static bool is_tried(int i)
{
    bool slow = on("check") || (on("opencl") && !rw_device_info(dev)->gpu);
    if (on("opencl") && block_sizes[i] > 256) return false; /* NVIDIA's compiler gives them too few registers */
    return block_sizes[i] <= rw_device_info(dev)->group_max &&
           (!slow || block_sizes[i] == 1 || block_sizes[i] == 33 || block_sizes[i] == 96 || block_sizes[i] == 255);
}

static rw_array *filled(int64_t n, double first, double step, bool reciprocal)
{
    rw_array *a = new_ramp(n, first, step);
    void *w;
    OK(rw_array_update(a, &w));
    for (int64_t i = 0; i < n && reciprocal; ++i) ((double *)w)[i] = 1 / ((double *)w)[i];
    return a;
}

static double product(rw_laser_sum kind, int block, int64_t n, int64_t groups, rw_array *a, rw_array *b)
{
    rw_laser l;
    double sum;
    OK(rw_laser_create(dev, kind, block, n, groups, &l));
    OK(rw_laser_product(&l, a, b, &sum));
    rw_laser_free(&l);
    return sum;
}

/* Ones give n exactly; i times 1/i gives n; fewer and more groups than items of a block give the same. */
static void test_products(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 1000, 100003};
    for (int s = 0; s < RW_COUNT(sizes); ++s) {
        int64_t n = sizes[s];
        if (on("check") && n > 1000) continue;
        rw_array *one = filled(n, 1, 0, false), *up = filled(n, 1, 1, false), *down = filled(n, 1, 1, true);
        for (int i = 0; i < RW_COUNT(block_sizes); ++i)
            for (int kind = 0; kind < 3 && is_tried(i); ++kind) {
                double sum = product((rw_laser_sum)kind, block_sizes[i], n, 0, one, one),
                       inverse = product((rw_laser_sum)kind, block_sizes[i], n, 0, up, down);
                if (sum != (double)n)
                    fail_msg("kind %d, blocks of %d, n = %d: %.17g", kind, block_sizes[i], (int)n, sum);
                if (!(fabs(inverse - (double)n) <= 1e-12 * (double)n))
                    fail_msg("kind %d, blocks of %d, n = %d: %.17g", kind, block_sizes[i], (int)n, inverse);
                for (int64_t groups = 1; groups <= 1000 && kind && block_sizes[i] < 100; groups = groups * 10 + 7)
                    assert_true(product((rw_laser_sum)kind, block_sizes[i], n, groups, one, one) == (double)n);
            }
        rw_array_destroy(&one), rw_array_destroy(&up), rw_array_destroy(&down);
    }
}

/* Random positive numbers against a long double; the same bits a hundred times. */
static void test_repeats(void **state)
{
    (void)state;
    int64_t n = on("check") ? 5000 : 200001;
    rw_array *a = new_array(RW_F64, n, RW_MEMORY_DEVICE), *b = new_array(RW_F64, n, RW_MEMORY_DEVICE);
    void *x, *y;
    OK(rw_array_write(a, &x));
    OK(rw_array_write(b, &y));
    long double exact = 0;
    for (int64_t i = 0; i < n; ++i) {
        ((double *)x)[i] = rw_random_uniform(3, (uint64_t)i), ((double *)y)[i] = rw_random_uniform(4, (uint64_t)i);
        exact += (long double)((double *)x)[i] * ((double *)y)[i];
    }
    for (int kind = 0; kind < 3; ++kind) {
        rw_laser l;
        double first = 0;
        OK(rw_laser_create(dev, (rw_laser_sum)kind, 96, n, 0, &l));
        for (int i = 0; i < (on("check") ? 3 : 100); ++i) {
            double sum;
            OK(rw_laser_product(&l, a, b, &sum));
            if (!i) first = sum;
            assert_true(sum == first);
        }
        if (!(fabsl(first - exact) <= 1e-12L * exact)) fail_msg("kind %d: %.17g, expected %.17Lg", kind, first, exact);
        rw_laser_free(&l);
    }
    rw_array_destroy(&a), rw_array_destroy(&b);
}

static void test_models(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const struct {
        int items, registers, shared;
        double occupancy;
    } rows[] = {{67, 127, 22000, 0.09375},
                {32, 0, 0, 0.5},
                {64, 0, 0, 1},
                {128, 0, 0, 1},
                {256, 0, 0, 1},
                {512, 0, 0, 1},
                {1024, 0, 0, 1},
                {320, 0, 0, 0.9375},
                {321, 0, 0, 0.859375},
                {513, 0, 0, 0.796875},
                {514, 0, 0, 0.796875},
                {544, 0, 0, 0.796875},
                {672, 0, 0, 0.984375},
                {67, 127, 0, 15 / 64.},
                {67, 0, 0, 63 / 64.},
                {1, 0, 0, 0.5},
                {1024, 255, 0, 0}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        double o = rw_occupancy_warps(&rw_limits_pascal, rows[i].items, rows[i].registers, rows[i].shared) / 64.;
        if (o != rows[i].occupancy) fail_msg("row %d: %g, expected %g", i, o, rows[i].occupancy);
    }
    assert_int_equal(rw_default_block(1024, 32), 128);
    assert_int_equal(rw_default_block(512, 32), 64);
    assert_int_equal(rw_default_block(1024, 64), 128);
    static const int64_t started[][2] = {{32, 156250},  {33, 303032},  {64, 156250},  {65, 230772},  {128, 156252},
                                         {129, 193800}, {512, 156256}, {513, 165699}, {1024, 156256}};
    for (int i = 0; i < RW_COUNT(started); ++i)
        assert_int_equal(rw_warps_started(5000000, (int)started[i][0]), started[i][1]);
}

static void test_study(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const devices[] = {"cpu:1", "cpu:2"}, *const set[] = {"grids=2,5", "steps=20", "runs=1",
                                                                             "grid=3", "blocks=2,33,64"};
    const rw_lab_spec spec = {.study = "rates", .devices = devices, .ndevices = 2, .set = set, .nset = RW_COUNT(set)};
    rw_lab *lab;
    OK(rw_lab_run(ctx, &spec, &lab));
    /* fused, three sums; no managed memory of its own; published */
    assert_int_equal(rw_lab_rows(lab, "steps"), 2 * 2 * 4 + 4);
    for (int i = 0; i < 16; ++i) {
        double n = rw_lab_value(lab, "steps", i, "n"), cells = rw_lab_value(lab, "steps", i, "cells"),
               rate = rw_lab_value(lab, "steps", i, "rate"), time = rw_lab_value(lab, "steps", i, "time"),
               traffic = rw_lab_value(lab, "steps", i, "traffic");
        assert_true(cells == 5 * n * n * n && fabs(rate - 12 * cells / time * 1e-3) < 1e-9 * rate);
        assert_true(fabs(traffic / rate - (i % 4 ? 80 : 48) / 12.) < 1e-9);
        assert_true(rw_lab_value(lab, "steps", i, "difference") < 1e-12 &&
                    rw_lab_value(lab, "steps", i, "copies") == 0);
    }
    assert_true(rw_lab_value(lab, "steps", 16, "rate") == 23.35);
    assert_int_equal(rw_lab_rows(lab, "blocks"), 0); /* they are a matter of GPUs */
    rw_lab_destroy(&lab);
    rw_lab_spec alone = spec;
    alone.table = "blocks";
    OK(rw_lab_run(ctx, &alone, &lab));
    assert_int_equal(rw_lab_rows(lab, "blocks"), 3);
    for (int i = 0; i < 3; ++i)
        assert_true(rw_lab_value(lab, "blocks", i, "rate (c)") > 0 && rw_lab_value(lab, "blocks", i, "rate (d)") > 0);
    assert_true(rw_lab_value(lab, "blocks", 1, "block") == 33 &&
                fabs(rw_lab_value(lab, "blocks", 1, "model") - 5 / 10.) < 1e-12);
    rw_lab_destroy(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_repeats),
                                       cmocka_unit_test(test_models), cmocka_unit_test(test_study)};
    return run_on_devices("lab rates", tests, RW_COUNT(tests));
}
