/* Tests that run on every usable device of cpu, check, opencl:0 (PoCL on a machine without a GPU) and cuda:0.
 *
 *   static void test_copy(void **state) { …uses ctx, dev, queue… }
 *   int main(void)
 *   {
 *       const struct CMUnitTest tests[] = {cmocka_unit_test(test_copy), …};
 *       return run_on_devices("array", tests, RW_COUNT(tests));
 *   }
 *
 * Each test becomes one row per device, "test_copy [opencl:0]". Devices are opened once; a device that does not open is
 * left out and reported on stderr. RECHENWERK_TEST_DEVICES=cpu,check,cpu:tiling=gpu takes fewer, or others: ctest runs
 * the program once per device. If no device opens, the program ends with status 77 (skipped), or with 1 if cpu or check
 * was among them. It also ends with 77 if all rows skip. After each row no fault may be left set and the device must
 * hold as many bytes as before: that finds lost arrays. */
#ifndef RW_TEST_DEVICES_H
#define RW_TEST_DEVICES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "long.h"
#include "values.h"

/* clang's name for what gcc says by a macro: tests of memory and time do not measure the sanitizer. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#elif __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

enum { MAX_TEST_DEVICES = 8 };

typedef struct test_device {
    char name[32];
    rw_device *dev;
    int64_t bytes; /* held before the test */
} test_device;

static test_device test_devices[MAX_TEST_DEVICES];
static int ntest_devices;

/* Of the row that runs. */
static rw_context *ctx;
static rw_device *dev;
static rw_queue *queue;
static rw_device *untiled; /* the row's own device, between begin_tiling and end_tiling */

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        rw_status ok_status = (call);                                                                                  \
        if (ok_status != RW_OK)                                                                                        \
            fail_msg("%s:%d: %s\n    is %s: %s", __FILE__, __LINE__, #call, rw_status_name(ok_status),                 \
                     rw_message(ctx));                                                                                 \
    } while (0)

/* The call gives this status, and its message has the part. */
#define FAILS(wanted, part, call)                                                                                      \
    do {                                                                                                               \
        rw_status fails_status = (call);                                                                               \
        if (fails_status != (wanted))                                                                                  \
            fail_msg("%s:%d: %s\n    is %s, not %s: %s", __FILE__, __LINE__, #call, rw_status_name(fails_status),      \
                     rw_status_name(wanted), fails_status ? rw_message(ctx) : "");                                     \
        if (!strstr(rw_message(ctx), part))                                                                            \
            fail_msg("%s:%d: %s\n    \"%s\" is not in: %s", __FILE__, __LINE__, #call, part, rw_message(ctx));         \
    } while (0)

/* Counts, so that a program whose rows all skip is skipped itself. */
static int nskipped;
#undef skip
#define skip()                                                                                                         \
    do {                                                                                                               \
        ++nskipped;                                                                                                    \
        _skip(__FILE__, __LINE__);                                                                                     \
    } while (0)

static inline bool on(const char *kind) { return !strcmp(rw_device_info(dev)->kind, kind); }
/* Kernels are a GPU's, by the device's kind or by its name. */
static inline bool has_gpu_kernels(void) { return dev->target.class == RW_GPU; }
/* The short version on a device where each program (PoCL) or each access (check) takes long. */
static inline bool brief(void) { return !test_long() && !on("cpu") && !on("cuda"); }
/* The i-th case of a list: the short version takes every third one, where brief() every fourth one, from the k-th on;
 * tests that take others of the same list (methods) have another k. */
static inline bool in_turn(int i, int k)
{
    const int every = test_long() ? 1 : brief() ? 4 : 3;
    return i % every == k % every;
}
/* Host and device copies are different memory. */
static inline bool discrete(void) { return dev->ops->discrete; }
static inline rw_counters counters(void) { return counters_of(dev); }

static inline void open_test_devices(void)
{
    const char *chosen = getenv("RECHENWERK_TEST_DEVICES");
    char names[256];
    snprintf(names, sizeof names, "%s", chosen && *chosen ? chosen : "cpu,check,opencl:0,cuda:0");
    if (rw_context_create(&ctx) != RW_OK) abort();
    for (char *save, *name = strtok_r(names, ",", &save); name && ntest_devices < MAX_TEST_DEVICES;
         name = strtok_r(NULL, ",", &save)) {
        test_device *d = test_devices + ntest_devices;
        snprintf(d->name, sizeof d->name, "%.31s", name);
        if (rw_device_open(ctx, name, &d->dev) == RW_OK) ++ntest_devices;
        else fprintf(stderr, "without %s: %s\n", name, rw_message(ctx));
    }
    if (!ntest_devices) {
        const bool always = !chosen || !*chosen || strstr(chosen, "cpu") || strstr(chosen, "check");
        fprintf(stderr, "no device opens\n");
        exit(always ? 1 : 77);
    }
}

/* What the programs of this test cost. */
static inline void print_compilations(const rw_device *d)
{
    const rw_counters c = counters_of(d);
    printf("# %s: %lld programs compiled in %.1f s, %lld from the cache\n", rw_device_info(d)->name,
           (long long)c.compilations, c.compile_seconds, (long long)c.cache_hits);
}

static inline void close_test_devices(void)
{
    for (int i = 0; i < ntest_devices; ++i) {
        print_compilations(test_devices[i].dev);
        rw_device_close(&test_devices[i].dev);
    }
    ntest_devices = 0;
    rw_context_destroy(&ctx);
}

static inline int begin_row(void **state)
{
    test_device *d = *state;
    dev = d->dev, queue = rw_device_queue(dev), untiled = NULL;
    d->bytes = counters_of(dev).bytes_allocated;
    return 0;
}

static inline int end_row(void **state)
{
    test_device *d = *state;
    for (int kind = 0; kind < RW_FAULT_KINDS; ++kind) rw_fault_set((rw_fault)kind, 0);
    if (counters_of(d->dev).bytes_allocated == d->bytes) return 0;
    fprintf(stderr, "%s: %lld bytes of arrays are left over\n", d->name,
            (long long)(counters_of(d->dev).bytes_allocated - d->bytes));
    return -1;
}

/* Calls f once a device, for what is to be made or freed on each before or after the rows. */
static inline void on_each_device(void (*f)(int index))
{
    for (int i = 0; i < ntest_devices; ++i) {
        dev = test_devices[i].dev, queue = rw_device_queue(dev);
        f(i);
    }
}

/* The row's device once more with other kernels, "gpu", "cpu" … (rw_device_open): `dev` and `queue` until end_tiling,
 * which is called when all that was made in between is freed. */
static inline void begin_tiling(const char *tiling)
{
    char name[64];
    rw_device *tiled;
    snprintf(name, sizeof name, "%.31s:tiling=%s", rw_device_info(dev)->name, tiling);
    OK(rw_device_open(ctx, name, &tiled));
    untiled = dev, dev = tiled, queue = rw_device_queue(dev);
}

static inline void end_tiling(void)
{
    assert_int_equal(counters().bytes_allocated, 0);
    rw_device_close(&dev);
    dev = untiled, queue = rw_device_queue(dev), untiled = NULL;
}

static inline int device_index(void)
{
    int i = 0;
    while (test_devices[i].dev != (untiled ? untiled : dev)) ++i;
    return i;
}

/* Calls f(user) with a cpu device in place of the row's device: for results that devices are compared with. */
static inline void with_cpu(void (*f)(void *user), void *user)
{
    rw_device *mine = dev;
    OK(rw_device_open(ctx, "cpu", &dev));
    queue = rw_device_queue(dev);
    f(user);
    rw_device_close(&dev);
    dev = mine, queue = rw_device_queue(dev);
}

/* `before` and `after` (NULL: none) run once a device. */
static inline int run_on_devices_with(const char *group, const struct CMUnitTest *tests, int n, void (*before)(int),
                                      void (*after)(int))
{
    open_test_devices();
    if (before) on_each_device(before);
    int rows = n * ntest_devices, failed = -1;
    struct CMUnitTest *all = calloc((size_t)rows, sizeof *all);
    char(*names)[128] = calloc((size_t)rows, sizeof *names);
    if (all && names) {
        for (int r = 0; r < rows; ++r) {
            test_device *d = test_devices + r / n;
            snprintf(names[r], sizeof names[r], "%.90s [%.31s]", tests[r % n].name, d->name);
            all[r] = (struct CMUnitTest){names[r], tests[r % n].test_func, begin_row, end_row, d};
        }
        failed = _cmocka_run_group_tests(group, all, (size_t)rows, NULL, NULL);
    }
    free(all), free(names);
    if (after) on_each_device(after);
    close_test_devices();
    return !failed && nskipped == rows ? 77 : failed;
}

static inline int run_on_devices(const char *group, const struct CMUnitTest *tests, int n)
{
    return run_on_devices_with(group, tests, n, NULL, NULL);
}

/* ---- what nearly every test needs ---------------------------------------------------------------------------- */

static inline rw_array *new_array(rw_dtype dtype, int64_t n, rw_memory memory)
{
    rw_array *a;
    OK(rw_array_create(dev, dtype, 1, &n, memory, &a));
    return a;
}

/* f64: first, first + step, … */
static inline rw_array *new_ramp(int64_t n, double first, double step)
{
    rw_array *a = new_array(RW_F64, n, RW_MEMORY_DEVICE);
    void *w;
    OK(rw_array_write(a, &w));
    for (int64_t i = 0; i < n; ++i) ((double *)w)[i] = first + step * (double)i;
    return a;
}

static inline const double *numbers_of(rw_array *a)
{
    const void *p;
    OK(rw_array_read(a, &p));
    return p;
}

/* Two runs of the same work leave the same bits. */
static inline void same_bits(const char *what, rw_array *a, rw_array *b)
{
    const unsigned char *p, *q;
    OK(rw_array_read(a, (const void **)&p));
    OK(rw_array_read(b, (const void **)&q));
    assert_int_equal(a->bytes, b->bytes);
    for (size_t i = 0; i < a->bytes; ++i)
        if (p[i] != q[i]) fail_msg("%s: byte %zu of %zu differs the second time", what, i, a->bytes);
}

static inline rw_kernel *kernel_of(rw_program *p, const char *name)
{
    rw_kernel *k;
    OK(rw_program_kernel(p, name, &k));
    return k;
}

static inline rw_status launch1(rw_queue *q, rw_kernel *k, int64_t groups, const rw_arg *args, int nargs)
{
    return rw_launch(q, k, (int64_t[3]){groups, 1, 1}, args, nargs);
}

/* Calls body() with the n-th event of the kind failing, n = 1, 1 + stride, …, until it succeeds without meeting one. A
 * failing call has the status `wanted` (or `other`), and leaves no array behind. Gives the number of events. */
static inline int each_nth_fault(int stride, rw_fault kind, rw_status wanted, rw_status other,
                                 rw_status (*body)(void *user), void *user)
{
    int64_t before = counters().bytes_allocated;
    for (int n = 1; n < 5000; n += stride) {
        rw_fault_set(kind, n);
        rw_status status = body(user);
        bool met = rw_fault_events(kind) >= n;
        rw_fault_set(kind, 0);
        if (status != RW_OK && status != wanted && status != other)
            fail_msg("fault %d at event %d: %s: %s", (int)kind, n, rw_status_name(status), rw_message(ctx));
        if (counters().bytes_allocated != before)
            fail_msg("fault %d at event %d: %lld bytes left", (int)kind, n,
                     (long long)(counters().bytes_allocated - before));
        if (status == RW_OK && !met) return n - 1;
        if (status != RW_OK && !met) fail_msg("event %d fails unasked: %s", n, rw_message(ctx));
    }
    fail_msg("fault %d: no end", (int)kind);
    return 0;
}

static inline int each_fault(rw_fault kind, rw_status wanted, rw_status other, rw_status (*body)(void *user),
                             void *user)
{
    return each_nth_fault(1, kind, wanted, other, body, user);
}

#endif
