/* The kernels of the benchmarks, all variants, at sizes around the edges of their tiles, on the processor, on the check
 * device and on every OpenCL device; then the public functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/bench.h"
#include "device/cuda/cuda.h"

static rw_context *ctx;

/* Sanitizers make this test ten times slower: there, sizes and variants that only repeat what others do are left out. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* The first variant of a benchmark, small sizes. */
static rw_status check_first(rw_bench *b, const char *name)
{
    const rw_bench_case *c = rw_bench_find(name);
    for (const int64_t *n = c->sizes; *n >= 0; ++n) {
        double error = 0, allowed = 0;
        if (*n > c->small) continue;
        RW_TRY(c->check(b, *n, 0, &error, &allowed));
        if (!(error <= allowed)) return rw_fail(ctx, RW_ERR_CHECK, "%s, size %lld: error %g", name, (long long)*n, error);
    }
    return RW_OK;
}

static void check_device(const char *name, bool small, bool first)
{
    rw_device *dev;
    rw_bench b;
    int n;
    const rw_bench_entry *list = rw_bench_list(&n);
    if (rw_device_open(ctx, name, &dev) != RW_OK) fail_msg("%s: %s", name, rw_message(ctx));
    assert_int_equal(rw_bench_begin(&b, ctx, dev, NULL), RW_OK);
    for (int i = 0; i < n; ++i)
        if ((first ? check_first(&b, list[i].name) : rw_bench_check(&b, list[i].name, small)) != RW_OK)
            fail_msg("%s: %s", name, rw_message(ctx));
    rw_bench_end(&b);
    rw_device_close(&dev);
}

static void test_cpu(void **state) { (void)state, check_device("cpu", false, false); }
static void test_cpu_threads(void **state) { (void)state, check_device("cpu:3", SANITIZED, false); }
static void test_check(void **state) { (void)state, check_device("check", true, SANITIZED); }

static void test_opencl(void **state)
{
    (void)state;
    rw_device_properties *list;
    int n;
    assert_int_equal(rw_device_list(ctx, &list, &n), RW_OK);
    for (int i = 0; i < n; ++i) {
        const char *name = !strncmp(list[i].name, "opencl", 6) ? list[i].name : list[i].also;
        /* on processors each variant and size is seconds of compiling */
        if (!strncmp(name, "opencl", 6) && !list[i].unusable[0]) check_device(name, !list[i].gpu, SANITIZED);
    }
    rw_device_list_free(&list);
}

/* Broken on purpose: the exchange of the transform without its barrier. */
static void test_missing_barrier_is_found(void **state)
{
    (void)state;
    rw_device *dev;
    rw_bench b;
    rw_program *program;
    rw_kernel *kernel;
    rw_array *x, *y, *w;
    rw_define defines[] = {{"GROUP", "64"}, {"GROUP_X", "16"}, {"TRANSFORMS", "4"}, {"LINE", "17"}};
    char *text = rw_strdup(rw_measure_text("fft.k")), *barrier = strstr(text, "BARRIER;");
    assert_non_null(barrier);
    memset(barrier, ' ', strlen("BARRIER;"));
    assert_int_equal(rw_device_open(ctx, "check", &dev), RW_OK);
    assert_int_equal(rw_bench_begin(&b, ctx, dev, NULL), RW_OK);
    assert_int_equal(rw_program_create(dev, "broken", text, defines, RW_COUNT(defines), &program), RW_OK);
    assert_int_equal(rw_program_kernel(program, "fft256", &kernel), RW_OK);
    assert_int_equal(rw_bench_array(&b, RW_C64, 1024, &x), RW_OK);
    assert_int_equal(rw_bench_array(&b, RW_C64, 1024, &y), RW_OK);
    assert_int_equal(rw_bench_array(&b, RW_F32, 512, &w), RW_OK);
    assert_int_equal(rw_bench_fill(x, 1, 0), RW_OK);
    assert_int_equal(rw_bench_fill(w, 2, 0), RW_OK);
    rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_array(w), rw_arg_int(4)};
    assert_int_equal(rw_launch(b.queue, kernel, (int64_t[3]){1, 1, 1}, args, 4), RW_ERR_CHECK);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&w);
    rw_program_destroy(&program);
    rw_bench_end(&b);
    rw_device_close(&dev);
    rw_free(text);
}

/* What a CUDA device would compile, for a GPU of capability 9.0, where NVRTC is installed. */
static void test_texts_compile_for_cuda(void **state)
{
    (void)state;
    const char *why;
    int n;
    const rw_bench_entry *list = rw_bench_list(&n);
    if (!rw_nvrtc_load(&why)) skip();
    for (int i = 0; i < n; ++i) {
        const rw_bench_case *c = rw_bench_find(list[i].name);
        for (int v = 0; c->source && v < c->nvariants; ++v) {
            char definitions[RW_BENCH_DEFINITIONS];
            const char *file = c->source(v, definitions), *real = strstr(definitions, "REAL=f32") ? "f32" : "f64";
            rw_text text = {0}, binary = {0};
            for (char *rest, *w = strtok_r(definitions, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
                rw_text_add(&text, "#define %.*s %s\n", (int)strcspn(w, "="), w, w + strcspn(w, "=") + 1);
            rw_text_add(&text, "%s\ntypedef %s real;\n%s", rw_embedded_text("dialect_cuda.h"), real,
                        rw_measure_text(file));
            assert_false(text.failed);
            if (rw_nvrtc_compile(ctx, list[i].name, text.data, 90, false, &binary) != RW_OK)
                fail_msg("%s, variant %d: %s", list[i].name, v, rw_message(ctx));
            assert_memory_equal(binary.data, "\177ELF", 4);
            rw_text_free(&text), rw_text_free(&binary);
        }
    }
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

static void test_quick_run_and_formats(void **state)
{
    (void)state;
    rw_device *dev;
    rw_bench_result *rows;
    int n, entries;
    char *text;
    rw_bench_options options = {.quick = true};
    const rw_bench_entry *list = rw_bench_list(&entries);
    assert_true(entries >= 7 && list[0].line[0]);
    assert_int_equal(rw_device_open(ctx, "cpu:1", &dev), RW_OK);
    if (rw_bench_run(ctx, dev, "all", &options, &rows, &n) != RW_OK) fail_msg("%s", rw_message(ctx));
    for (int e = 0; e < entries; ++e) {
        bool found = false;
        for (int i = 0; i < n; ++i) found = found || !strcmp(rows[i].name, list[e].name);
        if (!found) fail_msg("no row of %s", list[e].name);
    }
    for (int i = 0; i < n; ++i) {
        if (!(rows[i].error <= rows[i].tolerance)) fail_msg("%s: error %g", rows[i].what, rows[i].error);
        assert_true(rows[i].seconds > 0 && rows[i].lower <= rows[i].seconds && rows[i].seconds <= rows[i].upper);
        assert_true(rows[i].bytes > 0 ? rows[i].share > 0 && rows[i].limit > 0 : rows[i].steps > 0);
        assert_int_equal(rows[i].met, -1); /* quick runs judge nothing */
    }
    static const char *const expected[] = {"dot product f64", "| dot product f64 |", "\"what\": \"dot product f64\""};
    for (int style = 0; style < 3; ++style) {
        assert_int_equal(rw_bench_format(dev, rows, n, (rw_bench_style)style, &text), RW_OK);
        if (!strstr(text, expected[style])) fail_msg("style %d:\n%s", style, text);
        free(text);
    }
    rw_bench_free(&rows);
    assert_null(rows);
    rw_device_close(&dev);
}

static void test_unknown_name(void **state)
{
    (void)state;
    rw_device *dev;
    rw_bench_result *rows;
    int n;
    assert_int_equal(rw_device_open(ctx, "cpu:1", &dev), RW_OK);
    assert_int_equal(rw_bench_run(ctx, dev, "spase", NULL, &rows, &n), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "nearest is sparse"));
    assert_null(rows);
    rw_bench_options options = {.rounds = -1};
    assert_int_equal(rw_bench_run(ctx, dev, "dot", &options, &rows, &n), RW_ERR_ARGUMENT);
    rw_device_close(&dev);
}

static int setup(void **state)
{
    (void)state;
    return rw_context_create(&ctx) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu),    cmocka_unit_test(test_cpu_threads),
        cmocka_unit_test(test_check),  cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_missing_barrier_is_found), cmocka_unit_test(test_texts_compile_for_cuda),
        cmocka_unit_test(test_quick_run_and_formats), cmocka_unit_test(test_unknown_name),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
