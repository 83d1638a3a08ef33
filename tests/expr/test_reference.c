/* 2000 random expressions against their values by mpmath (reference.h). test_random.c compares devices with the plain
 * evaluator in programs of many passes; this compares both with mathematics. Every device runs all of them in f64
 * (check: 100), and in f32 some of those that the table marks (GPUs: all); short: 600 and 120 on the cpu, 100 and 40 by
 * PoCL. RW_TEST_TABLE=FILE reads another table. */
#include "reference.h"

#include "../values.h"
#include "expr_test.h"

static reference_table table;

static int setup(void **state)
{
    char path[512];
    const char *wish = getenv("RW_TEST_TABLE"), *source = getenv("SOURCE");
    if (make_context(state)) return -1;
    snprintf(path, sizeof path, "%s/tests/expr/random_expressions.txt", source ? source : ".");
    if (reference_read(ctx, wish ? wish : path, &table) == RW_OK) return 0;
    printf("%s\n", rw_message(ctx));
    return -1;
}

static int teardown(void **state)
{
    reference_free(&table);
    return drop_context(state);
}

static void compare(rw_device *dev, const char *name, bool f32, int most)
{
    int compared;
    OK(reference_compare(dev, &table, f32, most, &compared));
    assert_true(compared >= RW_MIN(most, 40));
    printf("# %s, %s: %d expressions\n", name, f32 ? "f32" : "f64", compared);
}

static void test_evaluator(void **state)
{
    (void)state;
    rw_device *cpu = open_device("cpu");
    assert_true(table.n >= 100);
    compiler(false);
    compare(cpu, "plain evaluator", false, table.n);
    compiler(true);
    rw_device_close(&cpu);
}

static void test_devices(void **state)
{
    (void)state;
    rw_device *devices[16];
    int ndevices = open_devices(devices, 16);
    for (int d = 0; d < ndevices; ++d) {
        const rw_device_properties *info = rw_device_info(devices[d]);
        /* PoCL compiles a program for seconds */
        bool check = !strcmp(info->name, "check"), slow = !strcmp(info->kind, "opencl") && !info->gpu;
        const bool all = info->gpu || test_long();
        compare(devices[d], info->name, false, check ? 100 : all ? table.n : slow ? 100 : 600);
        compare(devices[d], info->name, true, check || slow ? 40 : info->gpu ? table.n : all ? 400 : 120);
        rw_counters k = counters_of(devices[d]);
        printf("# %s: %d programs compiled in %.1f s\n", info->name, (int)k.compilations, k.compile_seconds);
        rw_device_close(&devices[d]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_evaluator), cmocka_unit_test(test_devices)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
