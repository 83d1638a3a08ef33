/* The time of processors that the study `spmv` gives, compared with the wall's. */
/* TEST: long timing */
#include "../devices.h"
#include "lab/spmv.h"

/* A36: p threads take at most p times the wall's time. Linux adds what other threads have taken when a tick of up to 10
 * ms ends, so runs are long. */
static void test_processors(void **state)
{
    static const char *const devices[] = {"cpu:1", "cpu:2"};
    static const char *const set[] = {"divide=5", "products=bell", "seconds=1", "runs=2", "most=1000000"};
    (void)state;
    const rw_lab_spec spec =
        {.study = "spmv", .devices = devices, .ndevices = 2, .set = set, .nset = RW_COUNT(set), .table = "runs"};
    rw_lab *lab;
    OK(rw_lab_run(ctx, &spec, &lab));
    for (int i = 0; i < 2; ++i) {
        const double wall = rw_lab_value(lab, "runs", i, "time"), cpu = rw_lab_value(lab, "runs", i, "CPU time");
        if (!(cpu > 0.01 * wall && cpu <= (i + 1) * wall * 1.1))
            fail_msg("%s: %g s by the wall, %g s of processors", devices[i], wall, cpu);
    }
    rw_lab_destroy(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_processors)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
