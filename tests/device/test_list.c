/* The list of devices and opening by name: sane properties, no hardware twice, reasons, nearest names. */
/* TEST: optimised */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../devices.h"
#include "../values.h"

static rw_device_properties *list;
static int64_t count;

static int setup(void **state)
{
    (void)state;
    if (rw_context_create(&ctx) != RW_OK) return -1;
    return rw_device_list(ctx, &list, &count) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    rw_device_list_free(&list);
    rw_device_list_free(&list); /* NULL is allowed */
    rw_context_destroy(&ctx);
    return 0;
}

static const rw_device_properties *find(const char *kind)
{
    for (int i = 0; i < count; ++i)
        if (!strcmp(list[i].kind, kind)) return list + i;
    return NULL;
}

static void test_every_kind_is_listed_or_excused(void **state)
{
    (void)state;
    static const char *const kinds[] = {"cpu", "cuda", "opencl", "check"};
    for (int k = 0; k < RW_COUNT(kinds); ++k) {
        bool found = find(kinds[k]) != NULL;
        for (int i = 0; i < count; ++i) found = found || !strncmp(list[i].also, kinds[k], strlen(kinds[k]));
        if (!found) fail_msg("nothing about %s", kinds[k]);
    }
    assert_string_equal(list[0].name, "cpu");
    assert_string_equal(list[0].unusable, "");
    assert_string_equal(find("check")->unusable, "");
}

static void test_properties(void **state)
{
    (void)state;
    for (int i = 0; i < count; ++i) {
        const rw_device_properties *p = list + i;
        assert_true(p->name[0] && !strncmp(p->name, p->kind, strlen(p->kind)));
        if (p->unusable[0]) continue;
        if (!(p->units >= 1 && p->memory > 0 && p->memory_free >= 0 && p->memory_free <= p->memory &&
              p->shared_memory >= 16384 && p->group_max >= 64 && p->width >= 1 && p->cache >= 0 && p->clock_mhz >= 0 &&
              p->hardware[0] && p->driver[0]))
            fail_msg("%s: %d units, %lld of %lld bytes, %lld shared, groups of %d, width %d, %s, %s", p->name, p->units,
                     (long long)p->memory_free, (long long)p->memory, (long long)p->shared_memory, p->group_max,
                     p->width, p->hardware, p->driver);
        if (p->gpu) assert_true(!strncmp(p->identity, "pci:", 4));
    }
}

static void test_no_hardware_twice(void **state)
{
    (void)state;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j) {
            assert_string_not_equal(list[i].name, list[j].name);
            if (list[i].identity[0] && !list[i].unusable[0] && !list[j].unusable[0])
                if (!strcmp(list[i].identity, list[j].identity))
                    fail_msg("%s and %s are %s", list[j].name, list[i].name, list[i].identity);
            if (list[i].also[0]) assert_string_not_equal(list[i].also, list[j].also);
            assert_string_not_equal(list[i].also, list[j].name);
        }
}

/* Each name, `also` too, opens the device that the list described. */
static void test_listed_names_open(void **state)
{
    (void)state;
    for (int i = 0; i < count; ++i) {
        rw_device *d = (rw_device *)state;
        if (list[i].unusable[0]) {
            FAILS(RW_ERR_DEVICE, "", rw_device_open(ctx, list[i].name, &d));
            assert_null(d);
            continue;
        }
        OK(rw_device_open(ctx, list[i].name, &d));
        const rw_device_properties *p = rw_device_info(d);
        assert_string_equal(p->kind, list[i].kind);
        assert_string_equal(p->hardware, list[i].hardware);
        assert_string_equal(p->identity, list[i].identity);
        assert_int_equal(p->memory, list[i].memory);
        assert_int_equal(p->group_max, list[i].group_max);
        assert_ptr_equal(rw_device_context(d), ctx);
        assert_non_null(rw_device_queue(d));
        const rw_counters c = counters_of(d), none = {0};
        assert_memory_equal(&c, &none, sizeof c);
        rw_device_close(&d);
        if (!list[i].also[0]) continue;
        OK(rw_device_open(ctx, list[i].also, &d));
        assert_string_equal(rw_device_info(d)->identity, list[i].identity);
        assert_string_equal(rw_device_info(d)->name, list[i].also);
        rw_device_close(&d);
    }
}

static void test_processor_under_opencl_is_the_cpu(void **state)
{
    (void)state;
    rw_device *d;
    if (rw_device_open(ctx, "opencl:0", &d) != RW_OK) skip();
    if (!rw_device_info(d)->gpu) {
        assert_string_equal(rw_device_info(d)->identity, "cpu");
        assert_string_equal(list[0].also, "opencl:0");
        for (int i = 0; i < count; ++i) assert_string_not_equal(list[i].name, "opencl:0");
    }
    rw_device_close(&d);
}

static void test_unknown_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *nearest;
    } wrong[] = {{"cpi", "nearest is \"cpu\""},
                 {"CPU", "nearest is \"cpu\""},
                 {"cdua", "nearest is \"cuda\""},
                 {"cuda0", "nearest is \"cuda"},
                 {"opncl:0", "nearest is \"opencl:0\""},
                 {"chek", "nearest is \"check\""},
                 {"aut", "nearest is \"auto\""},
                 {"auto:1", "nearest is \"auto\""},
                 {"vulkan", "give cpu, cpu:THREADS"},
                 {"", "is unknown"},
                 {":", "is unknown"},
                 {":0", "is unknown"},
                 {"cpu:", "nearest is \"cpu\""},
                 {"cpu:x", "is unknown"},
                 {"cpu:-1", "is unknown"},
                 {"cpu:1x", "is unknown"},
                 {"cpu: 1", "is unknown"},
                 {"cpu:+1", "is unknown"},
                 {"cpu:1:2", "is unknown"},
                 {"cpu:65536", "is unknown"},
                 {"cpu:99999999999999999999", "is unknown"},
                 {"a name that is much longer than any device's:0", "is unknown"},
                 {"cpu\n", "is unknown"},
                 {"opencl:0,1", "is unknown"}};
    for (int i = 0; i < RW_COUNT(wrong); ++i) {
        rw_device *d = (rw_device *)state;
        FAILS(RW_ERR_DEVICE, wrong[i].nearest, rw_device_open(ctx, wrong[i].name, &d));
        assert_null(d);
        assert_non_null(strstr(rw_message(ctx), "rechenwerk info"));
    }
    rw_device *d = (rw_device *)state;
    FAILS(RW_ERR_ARGUMENT, "give a device name", rw_device_open(ctx, NULL, &d));
    assert_null(d);
    FAILS(RW_ERR_DEVICE, "check:1", rw_device_open(ctx, "check:1", &d));
    FAILS(RW_ERR_DEVICE, "", rw_device_open(ctx, "cuda:999", &d));
    FAILS(RW_ERR_DEVICE, "", rw_device_open(ctx, "opencl:999", &d));
    assert_null(d);
}

/* tiling=VALUE, behind kind and number: whose kernels are written. The name opens the same once more. */
static void test_options(void **state)
{
    static const struct {
        const char *name, *opens;
        rw_tiling_option tiling;
        rw_device_class class;
    } good[] = {{"cpu:tiling=gpu", "cpu:tiling=gpu", RW_TILING_GPU, RW_GPU},
                {"cpu:tiling=auto", "cpu", RW_TILING_AUTO, RW_PROCESSOR},
                {"cpu:2:tiling=rings", "cpu:2:tiling=rings", RW_TILING_RINGS, RW_PROCESSOR},
                {"check:tiling=fused", "check:tiling=fused", RW_TILING_FUSED, RW_GPU},
                {"check:tiling=wave", "check:tiling=wave", RW_TILING_WAVE, RW_PROCESSOR},
                {"cpu:tiling=gpu:tiling=stream", "cpu:tiling=stream", RW_TILING_STREAM, RW_PROCESSOR}};
    static const struct {
        const char *name, *message;
    } bad[] = {{"cpu:tilng=gpu",
                "option tilng is unknown; nearest is tiling: the only option of a device name is tiling=VALUE"},
               {"cpu:color=red", "option color is unknown: the only option"},
               {"cpu:=gpu", "option  is unknown"},
               {"cpu:tiling=gpu:", "option  is unknown"},
               {"cpu:tiling=gpu:4", "option 4 is unknown"},
               {"check:tiling=", "tiling= is unknown: give auto, cpu, gpu, stream, fused, wave or rings"},
               {"cpu:4:tiling=ring", "tiling=ring is unknown; nearest is rings: give auto,"},
               {"cpu:tiling=GPU", "nearest is gpu"},
               {"cpu:tiling", "device \"cpu:tiling\" is unknown"},
               {"tiling=gpu", "device \"tiling=gpu\" is unknown"},
               {"cpu:x:tiling=gpu", "is unknown"}};
    (void)state;
    for (int i = 0; i < RW_COUNT(good); ++i) {
        rw_device *d;
        OK(rw_device_open(ctx, good[i].name, &d));
        assert_string_equal(rw_device_info(d)->name, good[i].opens);
        assert_int_equal(d->target.tiling, good[i].tiling);
        assert_int_equal(d->target.class, good[i].class);
        rw_device_close(&d);
    }
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        rw_device *d = (rw_device *)state;
        FAILS(RW_ERR_DEVICE, bad[i].message, rw_device_open(ctx, bad[i].name, &d));
        assert_null(d);
        assert_non_null(strstr(rw_message(ctx), "rechenwerk info"));
    }
    rw_device *d;
    OK(rw_device_open(ctx, "auto:tiling=cpu", &d));
    assert_int_equal(d->target.class, RW_PROCESSOR);
    rw_device_close(&d);
}

/* What kernels are written for follows the properties, also those of devices that are not here. */
static void test_targets(void **state)
{
    rw_device_properties p =
        {.kind = "cuda", .gpu = true, .units = 132, .group_max = 1024, .shared_memory = 232448, .cache = 50 << 20};
    (void)state;
    rw_target t = rw_target_of(&p, RW_TILING_AUTO);
    assert_true(t.class == RW_GPU && t.units == 132 && t.group_most == 1024 && t.shared_memory == RW_SHARED_MOST &&
                t.cache == 50 << 20 && !t.single_item);
    assert_int_equal(rw_target_reducing_groups(&t, 256), 132 * 16);
    snprintf(p.kind, sizeof p.kind, "opencl");
    t = rw_target_of(&p, RW_TILING_CPU);
    assert_true(t.class == RW_PROCESSOR && t.group_most == 256 && t.single_item);
    assert_int_equal(rw_target_reducing_groups(&t, 128), 256);
}

static void test_threads_of_the_cpu(void **state)
{
    (void)state;
    rw_device *d = (rw_device *)state;
    FAILS(RW_ERR_DEVICE, "cpu:0: the number after cpu: is the count of threads", rw_device_open(ctx, "cpu:0", &d));
    FAILS(RW_ERR_DEVICE, "1 to 4096", rw_device_open(ctx, "cpu:4097", &d));
    FAILS(RW_ERR_DEVICE, "cpu:65535", rw_device_open(ctx, "cpu:65535", &d));
    assert_null(d);
    static const int threads[] = {1, 2, 3, 4096};
    for (int i = 0; i < RW_COUNT(threads); ++i) {
        char name[16];
        snprintf(name, sizeof name, "cpu:%d", threads[i]);
        OK(rw_device_open(ctx, name, &d));
        assert_int_equal(rw_device_info(d)->units, threads[i]);
        assert_string_equal(rw_device_info(d)->name, name);
        rw_device_close(&d);
    }
    OK(rw_device_open(ctx, "cpu:007", &d));
    assert_string_equal(rw_device_info(d)->name, "cpu:7");
    rw_device_close(&d);
    OK(rw_device_open(ctx, "cpu", &d));
    assert_string_equal(rw_device_info(d)->name, "cpu");
    const int units = rw_device_info(d)->units; /* a group of processes may have fewer than the machine */
    assert_true(units >= 1 && units <= RW_MIN(omp_get_max_threads(), omp_get_num_procs()));
    rw_device_close(&d);
    omp_set_num_threads(1); /* what OMP_NUM_THREADS=1 does */
    OK(rw_device_open(ctx, "cpu", &d));
    assert_int_equal(rw_device_info(d)->units, 1);
    rw_device_close(&d);
    omp_set_num_threads(omp_get_num_procs());
}

static void test_auto_opens_something(void **state)
{
    (void)state;
    rw_device *d;
    OK(rw_device_open(ctx, "auto", &d));
    const rw_device_properties *cuda = find("cuda");
    if (cuda && !cuda->unusable[0]) assert_string_equal(rw_device_info(d)->kind, "cuda");
    assert_true(rw_device_info(d)->gpu || !strcmp(rw_device_info(d)->kind, "cpu"));
    rw_device_close(&d);
}

/* Where there is no driver, the list and the failure give the same reason, in words. */
static void test_cuda_without_a_driver(void **state)
{
    (void)state;
    const rw_device_properties *p = find("cuda");
    rw_device *d;
    if (!p || !p->unusable[0]) skip();
    if (!strcmp(p->name, "cuda")) assert_non_null(strstr(p->unusable, "libcuda.so.1"));
    FAILS(RW_ERR_DEVICE, p->unusable, rw_device_open(ctx, "cuda:0", &d));
    FAILS(RW_ERR_DEVICE, p->unusable, rw_device_open(ctx, "cuda", &d));
    assert_null(d);
}

/* Without a C compiler the cpu device opens: equations run in the plain evaluator, and the driver's text says so. */
static void test_cpu_without_a_compiler(void **state)
{
    (void)state;
    rw_device_properties *without;
    int64_t n;
    setenv("RECHENWERK_CC", "none", 1);
    rw_status status = rw_device_list(ctx, &without, &n);
    unsetenv("RECHENWERK_CC");
    assert_int_equal(status, RW_OK);
    assert_string_equal(without[0].name, "cpu");
    assert_string_equal(without[0].unusable, "");
    assert_non_null(strstr(without[0].driver, "no C compiler: equations run in the plain evaluator"));
    assert_non_null(strstr(list[0].driver, "C compiler /"));
    rw_device_list_free(&without);
}

/* Every allocation of listing and opening fails once. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu", "check", "opencl:0", "cuda:0"};
    for (int n = 1;; ++n) {
        rw_device_properties *l = NULL;
        int64_t k;
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_device_list(ctx, &l, &k);
        bool met = rw_fault_events(RW_FAULT_ALLOC) >= n;
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status != RW_OK) assert_int_equal(status, RW_ERR_MEMORY);
        rw_device_list_free(&l);
        if (!met) break;
    }
    for (int i = 0; i < RW_COUNT(names); ++i) {
        rw_device *d;
        if (rw_device_open(ctx, names[i], &d) != RW_OK) continue;
        rw_device_close(&d);
        for (int n = 1;; ++n) {
            rw_fault_set(RW_FAULT_ALLOC, n);
            rw_status status = rw_device_open(ctx, names[i], &d);
            bool met = rw_fault_events(RW_FAULT_ALLOC) >= n;
            rw_fault_set(RW_FAULT_ALLOC, 0);
            if (status != RW_OK) {
                assert_true(status == RW_ERR_MEMORY || status == RW_ERR_DEVICE);
                assert_null(d);
            }
            rw_device_close(&d);
            if (!met) break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_listed_or_excused),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_no_hardware_twice),
        cmocka_unit_test(test_listed_names_open),
        cmocka_unit_test(test_processor_under_opencl_is_the_cpu),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_threads_of_the_cpu),
        cmocka_unit_test(test_auto_opens_something),
        cmocka_unit_test(test_cuda_without_a_driver),
        cmocka_unit_test(test_cpu_without_a_compiler),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests_name("list", tests, setup, teardown);
}
