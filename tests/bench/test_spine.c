/* The kernels of the benchmarks at sizes around the edges of their tiles, on every device; then the public functions.
 * Short: the first variant of each (on OpenCL of every second one), sizes that have every case. Long: all variants; on
 * cpu also the large sizes, and three threads, which is more than many machines have. */
/* TEST: devices=all optimised unoptimised */
#include "bench/bench.h"
#include "device/cuda/cuda.h"

#include "../devices.h"

/* Sanitizers make this test ten times slower: there, sizes and variants that only repeat what others do are left
 * out. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Every `step`-th kernel. */
static void check_here(bool small, bool first, int step)
{
    rw_bench b;
    int n;
    const rw_bench_entry *list = rw_bench_list(&n);
    OK(rw_bench_begin(&b, ctx, dev, NULL));
    for (int i = 0; i < n; i += step) OK(rw_bench_check(&b, list[i].name, small, first));
    rw_bench_end(&b);
}

static void test_kernels(void **state)
{
    (void)state;
    const bool gpu = rw_device_info(dev)->gpu, all = test_long() && (on("cpu") || gpu || (on("check") && !SANITIZED));
    check_here(!gpu && !(on("cpu") && test_long()), !all, on("opencl") && brief() ? 3 : 1);
}

static void test_threads(void **state)
{
    (void)state;
    rw_device *mine = dev;
    if (!on("cpu")) skip();
    OK(rw_device_open(ctx, "cpu:3", &dev));
    check_here(SANITIZED || !test_long(), !test_long(), test_long() ? 1 : 3);
    rw_device_close(&dev);
    dev = mine;
}

/* Broken on purpose: the exchange of the transform without its barrier. */
static void test_missing_barrier_is_found(void **state)
{
    (void)state;
    rw_bench b;
    rw_program *program;
    rw_array *x, *y, *w;
    const rw_define defines[] = {{"GROUP", "64"}, {"GROUP_X", "16"}, {"TRANSFORMS", "4"}, {"LINE", "17"}};
    if (!on("check")) skip();
    char *text = rw_strdup(rw_measure_text("fft256.k")), *barrier = strstr(text, "BARRIER;");
    assert_non_null(barrier);
    memset(barrier, ' ', strlen("BARRIER;"));
    OK(rw_bench_begin(&b, ctx, dev, NULL));
    OK(rw_program_create(dev, "broken", text, defines, RW_COUNT(defines), &program));
    OK(rw_bench_array(&b, RW_C64, 1024, &x));
    OK(rw_bench_array(&b, RW_C64, 1024, &y));
    OK(rw_bench_array(&b, RW_F32, 512, &w));
    OK(rw_random_fill(x, 1, 0));
    OK(rw_random_fill(w, 2, 0));
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_array(w), rw_arg_int(4)};
    FAILS(RW_ERR_CHECK, "race", launch1(b.queue, kernel_of(program, "fft256"), 1, args, 4));
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&w);
    rw_program_destroy(&program);
    rw_bench_end(&b);
    rw_free(text);
}

/* What a CUDA device would compile, for a GPU of capability 9.0, where NVRTC is installed. */
static void test_texts_compile_for_cuda(void **state)
{
    (void)state;
    const char *why;
    int n;
    const rw_bench_entry *list = rw_bench_list(&n);
    if (!on("cpu") || !rw_nvrtc_load(&why)) skip();
    for (int i = 0; i < n; ++i) {
        const rw_bench_case *c = rw_bench_find(list[i].name);
        for (int v = 0; c->source && v < (test_long() ? c->nvariants : 1); ++v) {
            char definitions[RW_BENCH_DEFINITIONS];
            const char *file = c->source(v, definitions), *real = strstr(definitions, "REAL=f32") ? "f32" : "f64";
            rw_text text = {0}, binary = {0};
            for (char *rest, *w = strtok_r(definitions, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
                rw_text_add(&text, "#define %.*s %s\n", (int)strcspn(w, "="), w, w + strcspn(w, "=") + 1);
            rw_text_add(&text, "%s\ntypedef %s real;\n%s%s", rw_embedded_text("dialect_cuda.h"), real,
                        rw_embedded_text("dialect_math.h"), rw_measure_text(file));
            assert_false(text.failed);
            if (rw_nvrtc_compile(ctx, list[i].name, text.data, 90, &binary) != RW_OK)
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
    rw_device *one;
    rw_bench_result *rows;
    int n, entries;
    char *text;
    rw_bench_options options = {.quick = true};
    const rw_bench_entry *list = rw_bench_list(&entries);
    if (!on("cpu")) skip();
    assert_true(entries >= 7 && list[0].line[0]);
    OK(rw_device_open(ctx, "cpu:1", &one));
    OK(rw_bench_run(ctx, one, test_long() ? "all" : "dot", &options, &rows, &n));
    assert_true(n > 0);
    for (int e = 0; test_long() && e < entries; ++e) {
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
        OK(rw_bench_format(one, rows, n, (rw_bench_style)style, &text));
        if (!strstr(text, expected[style])) fail_msg("style %d:\n%s", style, text);
        free(text);
    }
    rw_bench_free(&rows);
    assert_null(rows);
    rw_device_close(&one);
}

/* Results that are compared with the memory bandwidth follow it. They are not compared with an implausible one. */
static void test_limit(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    rw_bench_result row = {.what = "w",
                           .size = "s",
                           .limit_name = "copy",
                           .target = ">= 0.90 copy",
                           .seconds = 1,
                           .lower = 1,
                           .upper = 1,
                           .bytes = 8e9,
                           .limit = 1e10,
                           .share = 0.8,
                           .met = 0};
    char *text;
    OK(rw_bench_format(dev, &row, 1, RW_BENCH_TEXT, &text));
    const char *rate = strstr(text, "copy rate in this run: 10.0 GB/s (copy)\n"),
               *share = strstr(text, "80.0 % of copy");
    if (!rate || !share || rate > share || !strstr(text, ">= 0.90 copy below target")) fail_msg("%s", text);
    free(text);
    row.limit = 3e8, row.share = 27;
    OK(rw_bench_format(dev, &row, 1, RW_BENCH_TEXT, &text));
    if (!strstr(text, "no plausible limit: 0.3 GB/s") || strstr(text, " % of copy")) fail_msg("%s", text);
    free(text);
    OK(rw_bench_format(dev, &row, 1, RW_BENCH_JSON, &text));
    assert_non_null(strstr(text, "\"share\": null"));
    free(text);
    rw_bench b;
    OK(rw_bench_begin(&b, ctx, dev, NULL));
    row.met = 1;
    rw_bench_target(&b, &row, 0.9, NULL);
    assert_int_equal(row.met, -1);
    row.limit = 1e10;
    rw_bench_target(&b, &row, 0.9, NULL);
    assert_int_equal(row.met, 1);
    rw_bench_end(&b);
}

static void test_unknown_name(void **state)
{
    (void)state;
    rw_bench_result *rows;
    int n;
    const rw_bench_options options = {.rounds = -1};
    FAILS(RW_ERR_ARGUMENT, "nearest is sparse", rw_bench_run(ctx, dev, "spase", NULL, &rows, &n));
    assert_null(rows);
    FAILS(RW_ERR_ARGUMENT, "allowed are spine, all, fft256, filter, dot", rw_bench_run(ctx, dev, "x", NULL, &rows, &n));
    FAILS(RW_ERR_ARGUMENT, "rounds", rw_bench_run(ctx, dev, "dot", &options, &rows, &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_missing_barrier_is_found),
        cmocka_unit_test(test_texts_compile_for_cuda),
        cmocka_unit_test(test_quick_run_and_formats),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_unknown_name),
    };
    return run_on_devices("spine", tests, RW_COUNT(tests));
}
