/* The self-test of a device: every row passes on every device, and a device that is broken on purpose fails the rows it
 * should: launches that do nothing, spoil what they wrote, or fail; memory that cannot be had or zeroed. */
/* TEST: devices=check optimised */
#include <math.h>

#include "../devices.h"
#include "rechenwerk/run.h"

typedef struct outcome {
    rw_selftest_result *rows;
    int64_t n;
    int failed;
} outcome;

static outcome run(void)
{
    outcome o = {0};
    OK(rw_selftest(ctx, dev, &o.rows, &o.n));
    for (int i = 0; i < o.n; ++i) o.failed += !o.rows[i].passed;
    return o;
}

static int rows_failed(const outcome *o, const char *prefix, bool failed)
{
    int n = 0;
    for (int i = 0; i < o->n; ++i)
        n += !strncmp(o->rows[i].name, prefix, strlen(prefix)) && o->rows[i].passed != failed;
    return n;
}

static void test_every_row_passes(void **state)
{
    (void)state;
    outcome o = run();
    assert_true(o.n >= 60 && o.n < 160);
    for (int i = 0; i < o.n; ++i) {
        const rw_selftest_result *r = o.rows + i;
        if (!r->passed) fail_msg("%s: error %g, allowed %g: %s", r->name, r->error, r->tolerance, r->note);
        assert_true(r->name[0] && !r->note[0] && r->error >= 0 && r->error <= r->tolerance);
        assert_true(r->seconds >= 0 && r->tolerance >= 0 && r->tolerance <= 1e-4);
        for (int j = 0; j < i; ++j) assert_string_not_equal(r->name, o.rows[j].name);
    }
    static const char *const parts[] = {"memory device",
                                        "memory pinned",
                                        "reduce sum f32",
                                        "reduce dot c128",
                                        "reduce normmax c64",
                                        "expr f64",
                                        "expr f32",
                                        "expr c128",
                                        "expr c64",
                                        "grid order 2",
                                        "grid order 4",
                                        "heat rk4",
                                        "heat rk4 recorded",
                                        "heat rkc2",
                                        "plane wave c128",
                                        "plane wave c64",
                                        "fft c128",
                                        "fft c64",
                                        "image median:size=3",
                                        "image sobel",
                                        "sparse coo",
                                        "sparse csr",
                                        "sparse sell:h32",
                                        "sparse dia",
                                        "solve cg jacobi",
                                        "solve gmres ilu",
                                        "solve idr ssor",
                                        "signal lowpass"};
    for (int i = 0; i < RW_COUNT(parts); ++i)
        if (!rows_failed(&o, parts[i], false)) fail_msg("no row %s", parts[i]);
    assert_int_equal(rows_failed(&o, "memory managed", false), rw_device_info(dev)->managed);
    rw_selftest_free(&o.rows);
    assert_null(o.rows);
    rw_selftest_free(&o.rows);
}

/* ---- broken on purpose ------------------------------------------------------------------------------------------- */

static rw_device_ops broken;
static const rw_device_ops *whole;

/* Memory without what a run before left in it: right results too. */
static rw_status alloc_clean(rw_device *device, size_t bytes, rw_memory memory, rw_buffer *buffer)
{
    rw_status status = whole->alloc(device, bytes, memory, buffer);
    if (status == RW_OK) status = whole->zero(device->queue, buffer, bytes);
    return status == RW_OK ? whole->wait(device->queue) : status;
}

static void break_device(void)
{
    whole = dev->ops, broken = *whole;
    broken.alloc = alloc_clean;
    dev->ops = &broken;
}
static void mend_device(void) { dev->ops = whole; }

static rw_status launch_nothing(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args,
                                int nargs)
{
    return (void)q, (void)k, (void)groups, (void)args, (void)nargs, RW_OK;
}

/* Every number written is NaN. */
static rw_status launch_and_spoil(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args,
                                  int nargs)
{
    rw_status status = whole->launch(q, k, groups, args, nargs);
    for (int i = 0; i < nargs && status == RW_OK; ++i)
        if (args[i].buffer && !args[i].parameter->constant)
            memset(args[i].buffer->pointer, 0xff, args[i].buffer->bytes);
    return status;
}

/* The last group is forgotten. */
static rw_status launch_one_less(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args,
                                 int nargs)
{
    const int64_t fewer[3] = {groups[0] - 1, groups[1], groups[2]};
    return fewer[0] ? whole->launch(q, k, fewer, args, nargs) : RW_OK;
}

static rw_status zero_nothing(rw_queue *q, rw_buffer *b, size_t bytes) { return (void)q, (void)b, (void)bytes, RW_OK; }

static void test_wrong_results_fail(void **state)
{
    (void)state;
    rw_status (*const launches[])(rw_queue *, rw_kernel *, const int64_t[3], const rw_launch_arg *,
                                  int) = {launch_nothing, launch_and_spoil, launch_one_less};
    static const char *const names[] = {"launches that do nothing", "results that are not numbers",
                                        "a group forgotten"};
    for (int i = 0; i < RW_COUNT(launches); ++i) {
        if (i == 1 && !on("cpu") && !on("check")) continue; /* the memory of others is out of reach here */
        if (i == 2 && (on("check") || brief())) continue;   /* slow */
        break_device();
        broken.launch = launches[i];
        broken.record_begin = NULL; /* recorded launches too */
        outcome o = run();
        mend_device();
        print_message("%s: %d of %d rows fail\n", names[i], o.failed, (int)o.n);
        assert_int_equal(rows_failed(&o, "memory", true), 0); /* no kernels there */
        for (int r = 0; r < o.n; ++r) {
            if (!strncmp(o.rows[r].name, "memory", 6)) continue;
            if (o.rows[r].passed) fail_msg("%s passes with %s, error %g", o.rows[r].name, names[i], o.rows[r].error);
            if (!o.rows[r].note[0]) assert_true(!(o.rows[r].error <= o.rows[r].tolerance)); /* failed by its numbers */
        }
        rw_selftest_free(&o.rows);
    }
    break_device();
    broken.zero = zero_nothing;
    outcome o = run();
    mend_device();
    assert_int_equal(rows_failed(&o, "memory", false), 0);
    assert_int_equal(rows_failed(&o, "reduce", true), 0);
    rw_selftest_free(&o.rows);
}

static void test_failures_are_rows(void **state)
{
    (void)state;
    static const struct {
        rw_fault kind;
        const char *note;
    } faults[] = {{RW_FAULT_LAUNCH, "injected"}, {RW_FAULT_DEVICE_ALLOC, "injected"}, {RW_FAULT_ALLOC, "memory"}};
    for (int i = 0; i < RW_COUNT(faults); ++i)
        for (int n = 2; n < (on("check") || !test_long() ? 60 : 200); n += 60) {
            rw_fault_set(faults[i].kind, n);
            outcome o = run();
            rw_fault_set(faults[i].kind, 0);
            if (faults[i].kind == RW_FAULT_ALLOC && o.failed == 0) { /* met where the way out is to compile again */
                rw_selftest_free(&o.rows);
                continue;
            }
            assert_int_equal(o.failed, 1); /* the others go on */
            for (int r = 0; r < o.n; ++r)
                if (!o.rows[r].passed && !strstr(o.rows[r].note, faults[i].note))
                    fail_msg("%s: %s", o.rows[r].name, o.rows[r].note);
            rw_selftest_free(&o.rows);
        }
    rw_selftest_result *rows = (rw_selftest_result *)state;
    int64_t n = 7;
    rw_fault_set(RW_FAULT_ALLOC, 1);
    FAILS(RW_ERR_MEMORY, "the results of the self-test", rw_selftest(ctx, dev, &rows, &n));
    rw_fault_set(RW_FAULT_ALLOC, 0);
    assert_null(rows);
    assert_int_equal(n, 0);
}

/* Without a C compiler the plain evaluator stands in: equations pass, what needs a program says why not. */
static void test_without_a_compiler(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    setenv("RECHENWERK_CC", "none", 1);
    rw_selftest_result *rows;
    int failed = 0;
    int64_t n = 0;
    rw_status status = rw_selftest(ctx, dev, &rows, &n);
    unsetenv("RECHENWERK_CC");
    assert_int_equal(status, RW_OK);
    for (int i = 0; i < n; ++i) {
        static const char *const programs[] = {"reduce", "fft", "image", "sparse", "solve", "signal"};
        bool needs_one = false;
        for (int k = 0; k < RW_COUNT(programs); ++k)
            needs_one = needs_one || !strncmp(rows[i].name, programs[k], strlen(programs[k]));
        if (rows[i].passed == needs_one)
            fail_msg("%s %s: %s", rows[i].name, rows[i].passed ? "passes" : "fails", rows[i].note);
        if (needs_one) assert_non_null(strstr(rows[i].note, "no C compiler"));
        failed += needs_one;
    }
    assert_true(failed > 20);
    rw_selftest_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_passes),
        cmocka_unit_test(test_wrong_results_fail),
        cmocka_unit_test(test_failures_are_rows),
        cmocka_unit_test(test_without_a_compiler),
    };
    return run_on_devices("selftest", tests, RW_COUNT(tests));
}
