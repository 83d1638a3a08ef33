/* Correct kernels on the check device, which must pass in every order of items with sizes around the edges. */
/* TEST: optimised */
#include "check_test.h"

/* Private values over a barrier, several strips of items, in place; two launches on the same array. */
static const char in_place[] = "KERNEL(twice, GLOBAL real *x, int n)\n{\n"
                               "    PRIVATE(real, sum);\n    PRIVATE_N(real, part, 2);\n"
                               "    EACH(i, GROUP) { AT(sum, i) = 0; AT_N(part, 0, i) = 1; AT_N(part, 1, i) = 1; }\n"
                               "    EACH(i, n) { AT(sum, i) += x[i]; x[i] = x[i] + x[i]; }\n"
                               "    BARRIER;\n"
                               "    EACH(i, n < GROUP ? n : GROUP) {\n"
                               "        if (AT(sum, i) < 0) continue;\n"
                               "        x[i] = x[i] * AT_N(part, 0, i) * AT_N(part, 1, i);\n"
                               "    }\n}\n";

static void in_place_at(rw_program *p, int64_t n)
{
    rw_array *x = ramp(n);
    for (int k = 0; k < 2; ++k) NEED(launch(p, "twice", 1, 1, (rw_arg[]){rw_arg_array(x), rw_arg_int(n)}, 2));
    for (int64_t i = 0; i < n; ++i) assert_true(values(x)[i] == 4.0 * (double)i);
    rw_array_destroy(&x);
}

/* Transpose of an m x n matrix by 4 x 2 tiles in shared memory. */
static const char transpose[] = "KERNEL(transpose, GLOBAL real *y, GLOBAL const real *x, int m, int n)\n{\n"
                                "    SHARED_LARGE(real, t);\n"
                                "    int j0 = GROUP_ID(1) * 4, i0 = GROUP_ID(0) * 4;\n"
                                "    int je = j0 + 4 < m ? j0 + 4 : m, ie = i0 + 4 < n ? i0 + 4 : n;\n"
                                "    EACH2(i, i0, ie, j, j0, je) { t[(j - j0) * 5 + i - i0] = x[(long)j * n + i]; }\n"
                                "    BARRIER;\n"
                                "    EACH2(j, j0, je, i, i0, ie) { y[(long)i * m + j] = t[(j - j0) * 5 + i - i0]; }\n"
                                "}\n";

static void transpose_at(rw_program *p, int64_t n)
{
    int64_t m = 5;
    rw_array *x = ramp(m * n), *y = array(RW_F64, m * n);
    NEED(launch(p, "transpose", (n + 3) / 4, 2,
                (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(m), rw_arg_int(n)}, 4));
    for (int64_t i = 0; i < m * n; ++i) assert_true(values(y)[i % n * m + i / n] == (double)i);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* The sum of an m x n matrix: private sums that every EACH2 adds to, scratch values inside it. */
static const char sums[] =
    "DEVICE void row(real *a, real *b, GLOBAL const real *x, int m, int n)\n{\n"
    "    EACH2(i, 0, n, j, 0, m) { AT(b, i) = 2; AT(b, i) *= x[j * n + i]; AT(a, i) += AT(b, i); }\n}\n"
    "KERNEL(sums, GLOBAL real *y, GLOBAL const real *x, int m, int n)\n{\n"
    "    SHARED(real, s, GROUP);\n    PRIVATE(real, a);\n    PRIVATE(real, b);\n"
    "    EACH(i, GROUP) { AT(a, i) = 0; }\n"
    "    for (int k = 0; k < 2; ++k) row(a, b, x, m, n);\n"
    "    EACH(i, GROUP) { s[i] = AT(a, i); }\n    BARRIER;\n"
    "    EACH(i, 1) { real t = 0; for (int k = 0; k < GROUP; ++k) t += s[k]; y[0] = t; }\n"
    "}\n";

static void sums_at(rw_program *p, int64_t n)
{
    int64_t m = 3;
    rw_array *x = ramp(m * n), *y = array(RW_F64, 1);
    NEED(launch(p, "sums", 1, 1, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(m), rw_arg_int(n)}, 4));
    assert_true(values(y)[0] == (double)(2 * m * n * (m * n - 1)));
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* A histogram: shared counts, then global ones. Bytes written by different items lie in one word. */
static const char histogram[] = "CONSTANT int bins[3] = {0, 1, 2};\n"
                                "KERNEL(histogram, GLOBAL int *count, GLOBAL u8 *bin, GLOBAL const real *x, int n)\n{\n"
                                "    SHARED(int, c, 3);\n"
                                "    EACH(i, 3) { c[i] = 0; }\n"
                                "    BARRIER;\n"
                                "    int lo = GROUP_ID(0) * 16, hi = lo + 16 < n ? lo + 16 : n;\n"
                                "    EACH_IN(i, lo, hi) {\n"
                                "        int b = (int)x[i] % 3;\n"
                                "        b = bins[b];\n"
                                "        bin[i] = b;\n"
                                "        ATOMIC_ADD(c + b, 1);\n"
                                "    }\n"
                                "    BARRIER;\n"
                                "    EACH(i, 3) { ATOMIC_ADD(count + i, c[i]); }\n"
                                "}\n";

static void histogram_at(rw_program *p, int64_t n)
{
    rw_array *x = ramp(n), *count = array(RW_I32, 3), *bin = array(RW_U8, n);
    NEED(rw_array_zero(count, rw_device_queue(dev)));
    NEED(launch(p, "histogram", (n + 15) / 16, 1,
                (rw_arg[]){rw_arg_array(count), rw_arg_array(bin), rw_arg_array(x), rw_arg_int(n)}, 4));
    const rw_check_area *x_area = rw_check_find(dev->state, &x->storage->allocation->buffer),
                        *count_area = rw_check_find(dev->state, &count->storage->allocation->buffer),
                        *bin_area = rw_check_find(dev->state, &bin->storage->allocation->buffer);
    const int64_t groups = (n + 15) / 16;
    assert_true(x_area->bytes_read == (uint64_t)(8 * n) && x_area->bytes_written == 0 && bin_area->bytes_read == 0 &&
                bin_area->bytes_written == (uint64_t)n);
    assert_true(count_area->bytes_read == (uint64_t)(12 * groups) &&
                count_area->bytes_written == (uint64_t)(12 * groups));
    const int32_t *c = (const int32_t *)(const void *)values(count);
    const uint8_t *b = (const uint8_t *)(const void *)values(bin);
    for (int k = 0; k < 3; ++k) assert_int_equal(c[k], (n + 2 - k) / 3);
    for (int64_t i = 0; i < n; ++i) assert_int_equal(b[i], i % 3);
    rw_array_destroy(&x), rw_array_destroy(&count), rw_array_destroy(&bin);
}

/* Complex numbers, whose copies the compiler may turn into memcpy. */
static const char complex_text[] =
    "KERNEL(square, GLOBAL complex *z, int n)\n{\n"
    "    SHARED(complex, t, GROUP);\n"
    "    for (int b = 0; b < n; b += GROUP) {\n"
    "        EACH(i, n - b < GROUP ? n - b : GROUP) { t[i] = c128_mul(z[b + i], z[b + i]); }\n"
    "        BARRIER;\n"
    "        EACH_SERIAL(i, n - b < GROUP ? n - b : GROUP) { z[b + i] = t[i]; }\n"
    "        BARRIER;\n"
    "    }\n}\n";

static void complex_at(rw_program *p, int64_t n)
{
    rw_array *z = array(RW_C128, n);
    void *host;
    NEED(rw_array_write(z, &host));
    for (int64_t i = 0; i < n; ++i) ((double *)host)[2 * i] = (double)i, ((double *)host)[2 * i + 1] = 1;
    NEED(launch(p, "square", 1, 1, (rw_arg[]){rw_arg_array(z), rw_arg_int(n)}, 2));
    for (int64_t i = 0; i < n; ++i) {
        assert_true(values(z)[2 * i] == (double)(i * i - 1));
        assert_true(values(z)[2 * i + 1] == (double)(2 * i));
    }
    rw_array_destroy(&z);
}

/* Rows of small numbers as elements of shared memory: items write neighbours of one word. */
static const char rows_text[] = "typedef u16 row[8];\n"
                                "KERNEL(rows, GLOBAL u16 *y, long n)\n{\n"
                                "    SHARED(row, s, 8);\n"
                                "    EACH(i, 64) { s[i / 8][i % 8] = (u16)i; }\n"
                                "    BARRIER;\n"
                                "    EACH_IN(i, 0, n < 64 ? n : 64) { y[i] = s[i % 8][i / 8]; }\n"
                                "}\n";
static void rows_at(rw_program *p, int64_t n)
{
    rw_array *y = array(RW_U16, n);
    const void *out;
    NEED(launch(p, "rows", 1, 1, (rw_arg[]){rw_arg_array(y), rw_arg_int(n)}, 2));
    NEED(rw_array_read(y, &out));
    for (int64_t i = 0; i < n && i < 64; ++i) assert_int_equal(((const uint16_t *)out)[i], i % 8 * 8 + i / 8);
    rw_array_destroy(&y);
}

static void reduce_at(rw_program *p, int64_t n)
{
    enum { GROUPS = 4 };
    rw_array *x = ramp(n), *part = array(RW_F64, GROUPS), *result = array(RW_F64, 3);
    NEED(launch(p, "partial", GROUPS, 1,
                (rw_arg[]){rw_arg_array(part), rw_arg_array(x), rw_arg_array(x), rw_arg_int(n)}, 4));
    NEED(launch(p, "combine", 1, 1,
                (rw_arg[]){rw_arg_array(result), rw_arg_array(part), rw_arg_int(GROUPS), rw_arg_int(1)}, 4));
    double m = (double)n;
    assert_true(values(result)[1] == (m - 1) * m * (2 * m - 1) / 6); /* sum of i^2 */
    rw_array_destroy(&x), rw_array_destroy(&part), rw_array_destroy(&result);
}

static void correct_kernels(void **state)
{
    (void)state;
    static const char *const orders[] = {"forward", "reverse", "shuffle", NULL};
    static const int64_t sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200};
    rw_define d[] =
        {{"GROUP", "8"}, {"T", "f64"},        {"R", "f64"}, {"LOADX(i)", "x[i] * y[i]"}, {"ADD(a, b)", "((a) + (b))"},
         {"ZERO", "0"},  {"FINISH(r)", "(r)"}};
    rw_program *reduce;
    NEED(rw_program_create(dev, "reduce.k", rw_embedded_text("reduce.k"), d, RW_COUNT(d), &reduce));
    struct {
        rw_program *program;
        void (*at)(rw_program *p, int64_t n);
    } tests[] = {{compile("stencil", stencil, NULL, NULL), stencil_at},
                 {compile("in_place", in_place, NULL, NULL), in_place_at},
                 {compile("transpose", transpose, NULL, NULL), transpose_at},
                 {compile("histogram", histogram, NULL, NULL), histogram_at},
                 {compile("complex", complex_text, NULL, NULL), complex_at},
                 {compile("rows", rows_text, NULL, NULL), rows_at},
                 {compile("sums", sums, NULL, NULL), sums_at},
                 {reduce, reduce_at}};
    for (int t = 0; t < RW_COUNT(tests); ++t) {
        for (int o = 0; o < RW_COUNT(orders); ++o)
            for (int i = 0; i < RW_COUNT(sizes); ++i) {
                set_order(orders[o]);
                tests[t].at(tests[t].program, sizes[i]);
            }
        rw_program_destroy(&tests[t].program);
    }
}

static void correct_kernels_clang(void **state)
{
    char clang[RW_CC_PATH];
    if (!rw_cc_find_on_path("clang", clang)) skip();
    setenv("RECHENWERK_CC", clang, 1);
    correct_kernels(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(correct_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(correct_kernels_clang, setup, teardown),
    };
    return cmocka_run_group_tests_name("device.check_kernels", tests, NULL, NULL);
}
