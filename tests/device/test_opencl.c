/* The OpenCL device on whatever OpenCL there is (PoCL on a machine without a GPU); skipped where there is none. */
/* TEST: optimised */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../values.h"
#include "device/device.h"

static rw_context *ctx;
static rw_device *dev;
static rw_queue *queue;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        rw_status ok_status = (call);                                                                                  \
        if (ok_status != RW_OK) fail_msg("%s: %s", rw_status_name(ok_status), rw_message(ctx));                        \
    } while (0)

static const rw_define group64[] = {{"GROUP", "64"}};
static const int64_t one[3] = {1, 1, 1};

static rw_program *build(const char *text)
{
    rw_program *p;
    OK(rw_program_create(dev, "test", text, group64, 1, &p));
    return p;
}

static rw_kernel *kernel(rw_program *p, const char *name)
{
    rw_kernel *k;
    OK(rw_program_kernel(p, name, &k));
    return k;
}

static rw_array *array(rw_dtype dtype, int64_t n, rw_memory memory)
{
    rw_array *a;
    OK(rw_array_create(dev, dtype, 1, &n, memory, &a));
    return a;
}

static const double *numbers(rw_array *a)
{
    const void *p;
    OK(rw_array_read(a, &p));
    return p;
}

/* x[i] <- first + i */
static void count_up(rw_array *a, double first)
{
    void *p;
    OK(rw_array_write(a, &p));
    for (int64_t i = 0; i < rw_array_size(a); ++i) ((double *)p)[i] = first + (double)i;
}

static void test_properties(void **state)
{
    (void)state;
    const rw_device_properties *p = rw_device_info(dev);
    assert_string_equal(p->kind, "opencl");
    assert_true(!strncmp(p->name, "opencl:", 7));
    assert_true(p->units > 0 && p->memory > 0 && p->group_max >= 64 && p->width > 0 && p->f64);
    assert_true(p->gpu ? !strncmp(p->identity, "pci:", 4) : !strcmp(p->identity, "cpu"));
    assert_true(p->hardware[0] && p->driver[0] && p->version[0]);
}

static void test_a_number_too_high_is_told(void **state)
{
    (void)state;
    rw_device *other;
    assert_int_equal(rw_device_open(ctx, "opencl:99", &other), RW_ERR_DEVICE);
    assert_null(other);
    assert_non_null(strstr(rw_message(ctx), "opencl:99"));
    assert_non_null(strstr(rw_message(ctx), "the last is opencl:"));
}

static void test_values_of_every_type(void **state)
{
    (void)state;
    rw_program *p = build("KERNEL(sum, GLOBAL f64 *y, int a, long b, f32 c, f64 d, c64 e, c128 f)\n"
                          "{ EACH(i, GROUP) { y[i] = d + a + b + c + e.re + e.im + f.re + f.im + i; } }\n");
    rw_array *y = array(RW_F64, 64, RW_MEMORY_DEVICE);
    const rw_arg args[] = {rw_arg_array(y),   rw_arg_int(-1),       rw_arg_int(1LL << 40), rw_arg_real(0.5),
                           rw_arg_real(0.25), rw_arg_complex(2, 4), rw_arg_complex(8, 16)};
    OK(rw_launch(queue, kernel(p, "sum"), one, args, RW_COUNT(args)));
    for (int i = 0; i < 64; ++i) assert_true(numbers(y)[i] == -1 + 0x1p40 + 0.75 + 30 + i);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void test_groups_share_and_wait(void **state)
{
    (void)state;
    rw_program *p = build("KERNEL(turn, GLOBAL f64 *y, GLOBAL const f64 *x)\n"
                          "{\n"
                          "    SHARED(f64, s, GROUP);\n"
                          "    long start = (GROUP_ID(0) + 5L * (GROUP_ID(1) + 2 * GROUP_ID(2))) * GROUP;\n"
                          "    EACH(i, GROUP) { s[i] = x[start + i]; }\n"
                          "    BARRIER;\n"
                          "    EACH(i, GROUP) { y[start + i] = s[GROUP - 1 - i]; }\n"
                          "}\n");
    enum { N = 5 * 2 * 3 * 64 };
    rw_array *x = array(RW_F64, N, RW_MEMORY_DEVICE), *y = array(RW_F64, N, RW_MEMORY_DEVICE);
    count_up(x, 0);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x)};
    OK(rw_launch(queue, kernel(p, "turn"), (int64_t[3]){5, 2, 3}, args, 2));
    const double *v = numbers(y);
    for (int i = 0; i < N; ++i) assert_true(v[i] == i / 64 * 64 + 63 - i % 64);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void test_shared_large(void **state)
{
    (void)state;
    const rw_define defines[] = {{"GROUP", "64"}, {"SHARED_LARGE_BYTES", "16384"}};
    rw_program *p;
    OK(rw_program_create(dev, "large",
                         "KERNEL(run, GLOBAL f64 *y) { SHARED_LARGE(f64, s); EACH(i, 2048) { s[i] = i; } BARRIER;\n"
                         "    EACH(i, GROUP) { y[i] = s[2047 - i]; } }\n",
                         defines, 2, &p));
    rw_array *y = array(RW_F64, 64, RW_MEMORY_DEVICE);
    const rw_arg args[] = {rw_arg_array(y)};
    OK(rw_launch(queue, kernel(p, "run"), one, args, 1));
    for (int i = 0; i < 64; ++i) assert_true(numbers(y)[i] == 2047 - i);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void test_copies_and_zero(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 7, 16, 1000, 65537};
    for (int s = 0; s < RW_COUNT(sizes); ++s) {
        rw_array *a = array(RW_U8, sizes[s], RW_MEMORY_DEVICE), *b = array(RW_U8, sizes[s], RW_MEMORY_PINNED);
        void *p;
        const void *r;
        OK(rw_array_write(a, &p));
        memset(p, 7, (size_t)sizes[s]);
        OK(rw_array_copy(b, a, queue));
        OK(rw_array_copy(b, b, queue));
        OK(rw_array_zero(a, queue));
        OK(rw_array_fetch(b, queue));
        OK(rw_array_read(a, &r));
        for (int64_t i = 0; i < sizes[s]; ++i) assert_int_equal(((const uint8_t *)r)[i], 0);
        OK(rw_array_read(b, &r));
        for (int64_t i = 0; i < sizes[s]; ++i) assert_int_equal(((const uint8_t *)r)[i], 7);
        rw_array_destroy(&a), rw_array_destroy(&b);
    }
}

static const char add_text[] = "KERNEL(add, GLOBAL f64 *y, f64 a, long n)\n"
                               "{ EACH_IN(i, 0, n) { y[i] = y[i] + a; } }\n";

static void test_events_order_queues_and_tell_time(void **state)
{
    (void)state;
    enum { N = 1 << 20 };
    rw_program *p = build(add_text);
    rw_array *y = array(RW_F64, N, RW_MEMORY_PINNED);
    rw_queue *other;
    rw_event *start, *stop;
    double seconds = -1;
    OK(rw_queue_create(dev, &other));
    OK(rw_event_create(dev, &start));
    OK(rw_event_create(dev, &stop));
    count_up(y, 0);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(1), rw_arg_int(N)};
    OK(rw_event_record(start, queue));
    for (int turn = 0; turn < 10; ++turn) {
        OK(rw_launch(queue, kernel(p, "add"), one, args, 3));
        OK(rw_event_record(stop, queue));
        OK(rw_queue_wait_event(other, stop));
        OK(rw_launch(other, kernel(p, "add"), one, args, 3));
    }
    OK(rw_event_wait(stop));
    OK(rw_event_seconds(start, stop, &seconds));
    assert_true(seconds > 0 && seconds < 60);
    const double *v = numbers(y);
    for (int i = 0; i < N; ++i) assert_true(v[i] == i + 20.0);
    rw_event_destroy(&start), rw_event_destroy(&stop);
    rw_queue_destroy(&other);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void test_a_recorded_sequence_replays(void **state)
{
    (void)state;
    rw_program *p = build(add_text);
    rw_array *y = array(RW_F64, 64, RW_MEMORY_DEVICE);
    rw_sequence *s;
    OK(rw_array_zero(y, queue));
    OK(rw_record_begin(queue));
    for (int a = 1; a <= 3; ++a) {
        const rw_arg args[] = {rw_arg_array(y), rw_arg_real(a), rw_arg_int(64)};
        OK(rw_launch(queue, kernel(p, "add"), one, args, 3));
    }
    OK(rw_record_end(queue, &s));
    for (int turn = 1; turn <= 2; ++turn) { /* a read between replays must not keep the next from seeing theirs */
        for (int i = 0; i < 5; ++i) OK(rw_sequence_replay(s, queue));
        for (int i = 0; i < 64; ++i) assert_true(numbers(y)[i] == turn * 5 * (1 + 2 + 3));
    }
    rw_sequence_destroy(&s);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* One kernel, used by several threads with arguments of their own: clSetKernelArg is not thread-safe by itself. */
static rw_kernel *shared_kernel;

static void *use_kernel(void *number)
{
    double a = *(double *)number;
    int64_t n = 64;
    rw_queue *q;
    rw_array *y = NULL;
    const void *v;
    bool good = rw_queue_create(dev, &q) == RW_OK;
    good = good && rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y) == RW_OK && rw_array_zero(y, q) == RW_OK;
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(a), rw_arg_int(n)};
    for (int i = 0; i < 500 && good; ++i) good = rw_launch(q, shared_kernel, one, args, 3) == RW_OK;
    good = good && rw_queue_wait(q) == RW_OK && rw_array_read(y, &v) == RW_OK;
    for (int i = 0; i < n && good; ++i) good = ((const double *)v)[i] == 500 * a;
    rw_array_destroy(&y);
    rw_queue_destroy(&q);
    return good ? number : NULL;
}

static void test_threads_share_a_kernel(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    double values[THREADS];
    rw_program *p = build(add_text);
    shared_kernel = kernel(p, "add");
    for (int i = 0; i < THREADS; ++i) {
        values[i] = i + 1;
        assert_int_equal(pthread_create(threads + i, NULL, use_kernel, values + i), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        void *good;
        pthread_join(threads[i], &good);
        assert_non_null(good);
    }
    rw_program_destroy(&p);
}

static void test_mistake_has_kernel_line_and_log(void **state)
{
    (void)state;
    rw_program *p;
    assert_int_equal(rw_program_create(dev, "broken",
                                       "KERNEL(good, GLOBAL f64 *y) { EACH(i, GROUP) { y[i] = 0; } }\n"
                                       "KERNEL(bad, GLOBAL f64 *y) { EACH(i, GROUP) { y[i] = nowhere; } }\n"
                                       "KERNEL(after, GLOBAL f64 *y) { EACH(i, GROUP) { y[i] = 0; } }\n",
                                       group64, 1, &p),
                     RW_ERR_COMPILE);
    assert_null(p);
    const char *message = rw_message(ctx);
    char log[256], source[256];
    const char *at = strstr(message, "(whole log: ");
    assert_non_null(strstr(message, "program broken: "));
    assert_non_null(strstr(message, "nowhere"));
    if (strstr(rw_device_info(dev)->driver, "PoCL")) /* other drivers write places in forms of their own */
        assert_non_null(strstr(message, "kernel bad, line 2: "));
    assert_non_null(at);
    assert_int_equal(sscanf(at, "(whole log: %255[^,], source: %255[^)])", log, source), 2);
    assert_int_equal(access(source, R_OK), 0);
    assert_int_equal(unlink(log) || unlink(source), 0);
    *strrchr(log, '/') = 0;
    assert_int_equal(rmdir(log), 0);
}

static void test_a_group_too_large_is_told(void **state)
{
    (void)state;
    const rw_define defines[] = {{"GROUP", "1048576"}};
    rw_program *p;
    rw_status status = rw_program_create(dev, "wide", add_text, defines, 1, &p);
    assert_true(status == RW_ERR_COMPILE || status == RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "1048576"));
}

static void test_binaries_load_again(void **state)
{
    (void)state;
    char folder[] = "/tmp/rechenwerk-test-XXXXXX";
    rw_array *y = array(RW_F64, 64, RW_MEMORY_DEVICE);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(3), rw_arg_int(64)};
    int64_t removed;
    assert_non_null(mkdtemp(folder));
    OK(rw_context_set_cache(ctx, true, folder, false));
    OK(rw_array_zero(y, queue));
    rw_counters before = counters_of(dev);
    for (int turn = 0; turn < 2; ++turn) {
        rw_program *p = build("KERNEL(more, GLOBAL f64 *y, f64 a, long n) { EACH_IN(i, 0, n) { y[i] = y[i] + a; } }\n");
        OK(rw_launch(queue, kernel(p, "more"), one, args, 3));
        OK(rw_queue_wait(queue));
        rw_program_destroy(&p);
    }
    rw_counters after = counters_of(dev);
    assert_int_equal(after.compilations - before.compilations, 1);
    assert_int_equal(after.cache_hits - before.cache_hits, 1);
    assert_true(numbers(y)[63] == 6);
    OK(rw_cache_clear(ctx, &removed));
    assert_int_equal(removed, 1);
    OK(rw_context_set_cache(ctx, false, NULL, false));
    rw_array_destroy(&y);
    rmdir(folder);
}

static void test_a_foreign_binary_is_refused(void **state)
{
    (void)state;
    rw_program p = {.device = dev, .name = "foreign", .group = 64};
    rw_text binary = {0};
    rw_text_add(&binary, "this is no program of any OpenCL driver, whatever its version");
    assert_int_equal(dev->ops->load(dev, &p, &binary), RW_ERR_COMPILE);
    assert_non_null(strstr(rw_message(ctx), "program foreign"));
    dev->ops->unload(dev, &p);
    rw_text_free(&binary);
}

static void test_memory_exhausted_is_told(void **state)
{
    (void)state;
    int64_t n = rw_device_info(dev)->memory; /* elements of 8 bytes */
    rw_array *a;
    rw_buffer buffer;
    assert_int_equal(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a), RW_ERR_MEMORY);
    assert_null(a);
    assert_int_equal(dev->ops->alloc(dev, 8 * (size_t)n, RW_MEMORY_DEVICE, &buffer), RW_ERR_MEMORY);
    assert_non_null(strstr(rw_message(ctx), "MiB"));
    assert_int_equal(rw_array_create(dev, RW_F64, 1, (int64_t[]){8}, RW_MEMORY_MANAGED, &a), RW_ERR_UNSUPPORTED);
}

static void test_reproducible_does_not_contract(void **state)
{
    (void)state;
    enum { N = 64 };
    rw_context_set_reproducible(ctx, true);
    rw_program *p = build("KERNEL(poly, GLOBAL f64 *y, GLOBAL f32 *z, f64 a, f32 b)\n"
                          "{ EACH(i, GROUP) { f64 x = y[i]; y[i] = x * x + a * x; z[i] = sqrt(z[i]) / b; } }\n");
    rw_context_set_reproducible(ctx, false);
    rw_array *y = array(RW_F64, N, RW_MEMORY_DEVICE), *z = array(RW_F32, N, RW_MEMORY_DEVICE);
    volatile double a = 1.0 / 3, expected[N];
    volatile float b = 0.3f, root[N];
    void *v;
    const void *r;
    OK(rw_array_write(y, &v));
    for (int i = 0; i < N; ++i) {
        volatile double x = 0.1 + i / 7.0, xx = x * x, ax = a * x;
        expected[i] = xx + ax;
        ((double *)v)[i] = x;
    }
    OK(rw_array_write(z, &v));
    for (int i = 0; i < N; ++i) {
        volatile float u = 0.1f + (float)i, s = __builtin_sqrtf(u);
        root[i] = s / b;
        ((float *)v)[i] = u;
    }
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(z), rw_arg_real(a), rw_arg_real(b)};
    OK(rw_launch(queue, kernel(p, "poly"), one, args, 4));
    for (int i = 0; i < N; ++i) assert_true(numbers(y)[i] == expected[i]);
    OK(rw_array_read(z, &r));
    for (int i = 0; i < N; ++i) assert_true(((const float *)r)[i] == root[i]);
    rw_array_destroy(&y), rw_array_destroy(&z);
    rw_program_destroy(&p);
}

static int teardown(void **state)
{
    (void)state;
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    if (rw_context_create(&ctx) != RW_OK || rw_context_set_cache(ctx, false, NULL, false) != RW_OK) return 1;
    if (rw_device_open(ctx, "opencl", &dev) != RW_OK) {
        printf("skipped: %s\n", rw_message(ctx));
        rw_context_destroy(&ctx);
        return 77;
    }
    queue = rw_device_queue(dev);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_a_number_too_high_is_told),
        cmocka_unit_test(test_values_of_every_type),
        cmocka_unit_test(test_groups_share_and_wait),
        cmocka_unit_test(test_shared_large),
        cmocka_unit_test(test_copies_and_zero),
        cmocka_unit_test(test_events_order_queues_and_tell_time),
        cmocka_unit_test(test_a_recorded_sequence_replays),
        cmocka_unit_test(test_threads_share_a_kernel),
        cmocka_unit_test(test_mistake_has_kernel_line_and_log),
        cmocka_unit_test(test_a_group_too_large_is_told),
        cmocka_unit_test(test_binaries_load_again),
        cmocka_unit_test(test_a_foreign_binary_is_refused),
        cmocka_unit_test(test_memory_exhausted_is_told),
        cmocka_unit_test(test_reproducible_does_not_contract),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
