/* NVRTC without a GPU: texts in the group dialect compile to machine code of sm_90; skipped where NVRTC is missing. */
/* TEST: optimised */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/cuda/cuda.h"

static rw_context *ctx;

static rw_text full_text(const char *kernels)
{
    static const rw_define defines[] = {{"WITH_FUNCTIONS", "1"},
                                        {"WITH_COMPLEX", "1"},
                                        {"GROUP", "128"},
                                        {"GROUP_X", "32"},
                                        {"SHARED_LARGE_BYTES", "65536"}};
    rw_text t = {0};
    assert_int_equal(rw_program_text(ctx, &rw_cuda_ops, "words", kernels, defines, 5, "f64", &t), RW_OK);
    return t;
}

static rw_status compile(const char *kernels, int arch, bool reproducible, rw_text *binary)
{
    rw_context_set_reproducible(ctx, reproducible);
    rw_text text = full_text(kernels);
    rw_context_set_reproducible(ctx, false);
    rw_status status = rw_nvrtc_compile(ctx, "words", text.data, arch, binary);
    rw_text_free(&text);
    return status;
}

static const char every_word[] =
    "CONSTANT f64 weights[3] = {0.25, 0.5, 0.25};\n"
    "DEVICE f64 twice(f64 a) { return 2 * a; }\n"
    "KERNEL(smooth, GLOBAL f64 *RESTRICT y, GLOBAL const f64 *RESTRICT x, f64 a, long n)\n"
    "{\n"
    "    SHARED(f64, tile, GROUP + 2);\n"
    "    PRIVATE(f64, keep);\n"
    "    PRIVATE_N(f64, two, 2);\n"
    "    long start = (long)GROUP_ID(0) * GROUP;\n"
    "    EACH(i, GROUP + 2) { long j = start + i - 1; tile[i] = j >= 0 && j < n ? LOAD_ONCE(x + j) : 0; }\n"
    "    BARRIER;\n"
    "    EACH(i, GROUP) {\n"
    "        f64 sum = 0;\n"
    "        UNROLL\n"
    "        for (int k = 0; k < 3; ++k) sum = FMA(weights[k], tile[i + k], sum);\n"
    "        AT(keep, i) = SELECT(sum > a, twice(sum), sum);\n"
    "        AT_N(two, 0, i) = sum, AT_N(two, 1, i) = -sum;\n"
    "    }\n"
    "    EACH_IN(i, start, start + GROUP < n ? start + GROUP : n) {\n"
    "        STORE_ONCE(y + i, AT(keep, i - start) + AT_N(two, 1, i - start));\n"
    "    }\n"
    "}\n"
    "KERNEL(plane, GLOBAL c128 *z, GLOBAL int *count, int nx, int ny)\n"
    "{\n"
    "    SHARED_LARGE(c128, large);\n"
    "    EACH2(i, 0, nx, j, 0, ny) { large[i] = c128_mul(z[j * nx + i], c128_make(0, 1)); z[j * nx + i] = large[i]; }\n"
    "    EACH_SERIAL(i, 1) { ATOMIC_ADD(count, 1); PRINT(\"%d\", i); }\n"
    "}\n";

static void test_every_word_compiles(void **state)
{
    (void)state;
    for (int reproducible = 0; reproducible < 2; ++reproducible) {
        rw_text binary = {0};
        rw_status status = compile(every_word, 90, reproducible, &binary);
        if (status != RW_OK) print_error("%s\n", rw_message(ctx));
        assert_int_equal(status, RW_OK);
        assert_true(binary.length > 1000);
        assert_memory_equal(binary.data, "\177ELF", 4); /* a cubin is an ELF file */
        assert_non_null(memmem(binary.data, binary.length, "smooth", 6));
        rw_text_free(&binary);
    }
}

static const char product[] =
    "KERNEL(product, GLOBAL f64 *y, f64 a, f64 b) { EACH(i, GROUP) { y[i] = a * y[i] + b; } }\n";
static const char multiply_add[] =
    "KERNEL(product, GLOBAL f64 *y, f64 a, f64 b) { EACH(i, GROUP) { y[i] = MULADD(a, y[i], b); } }\n";

/* A generation that NVRTC does not know: PTX of the one below, in which contraction can be read. */
static void test_contraction_stands_in_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool reproducible, fused;
    } cases[] = {{product, false, false},
                 {product, true, false},
                 {multiply_add, false, true},
                 {multiply_add, true, false}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_text binary = {0};
        assert_int_equal(compile(cases[i].text, 91, cases[i].reproducible, &binary), RW_OK);
        assert_non_null(strstr(binary.data, ".target sm_90"));
        assert_int_equal(strstr(binary.data, "fma.rn.f64") != NULL, cases[i].fused);
        assert_int_equal(strstr(binary.data, "add.rn.f64") != NULL, !cases[i].fused);
        rw_text_free(&binary);
    }
}

static void test_too_old_a_gpu_is_told(void **state)
{
    (void)state;
    rw_text binary = {0};
    assert_int_equal(compile(product, 30, false, &binary), RW_ERR_DEVICE);
    assert_non_null(strstr(rw_message(ctx), "3.0"));
    assert_null(binary.data);
}

static void test_mistake_has_kernel_line_and_log(void **state)
{
    (void)state;
    rw_text binary = {0};
    assert_int_equal(compile("KERNEL(good, GLOBAL f64 *y) { EACH(i, GROUP) { y[i] = 0; } }\n"
                             "KERNEL(bad, GLOBAL f64 *y)\n{\n    EACH(i, GROUP) { y[i] = nowhere; }\n}\n"
                             "KERNEL(after, GLOBAL f64 *y) { EACH(i, GROUP) { y[i] = 0; } }\n",
                             90, false, &binary),
                     RW_ERR_COMPILE);
    const char *message = rw_message(ctx);
    assert_non_null(strstr(message, "program words: kernel bad, line 4: "));
    assert_non_null(strstr(message, "\"nowhere\" is undefined"));
    char log[256], source[256];
    const char *at = strstr(message, "(whole log: ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "(whole log: %255[^,], source: %255[^)])", log, source), 2);
    assert_int_equal(access(log, R_OK), 0);
    assert_int_equal(access(source, R_OK), 0);
    unlink(log), unlink(source);
    *strrchr(log, '/') = 0;
    assert_int_equal(rmdir(log), 0);
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
    const char *why;
    if (!rw_nvrtc_load(&why)) {
        printf("skipped: %s\n", why);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_word_compiles),
        cmocka_unit_test(test_contraction_stands_in_the_text),
        cmocka_unit_test(test_too_old_a_gpu_is_told),
        cmocka_unit_test(test_mistake_has_kernel_line_and_log),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
