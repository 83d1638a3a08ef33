/* Programs on every device: reading declarations, arguments and their conversion, sharing, and what a compiler can do
 * wrong. */
/* TEST: devices=all optimised */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "device/build_log.h"
#include "program_test.h"

static rw_status create(const char *text, rw_program **p)
{
    static const rw_define defines[] = {{"GROUP", "8"}};
    return rw_program_create(dev, "text", text, defines, 1, p);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* Everything that looks like a declaration and is none, and every way to write one. */
static const char odd_text[] =
    "/* KERNEL(in_comment, int n) */ // KERNEL(in_line_comment, int n)\n"
    "#define A_KERNEL(name) KERNEL(in_directive, int n)\n"
    "  #  define LONGER KERNEL(in_directive, \\\n"
    "                  int n) KERNEL(behind_backslash, int n)\n"
    "#ifdef NEVER /* a comment over\n two lines */\n"
    "#endif\n"
    "DEVICE f64 MY_KERNEL(f64 x) { return x + '\"' - '\"'; } /* ' */\n"
    "DEVICE f64 KERNEL_2(f64 x) { return x; }\n"
    "/* it's */ KERNEL  (\n"
    "    first , // the output: one, two\n"
    "    GLOBAL f64 *RESTRICT y /* f64, (n) of them */,\n"
    "    GLOBAL const f64*x, GLOBAL f64 const * const RESTRICT z, const int n,\n"
    "    f64\n"
    "    a)\n"
    "{\n"
    "    EACH(i, n) { y[i] = KERNEL_2(x[i]) + MY_KERNEL(z[i]) + a; }\n"
    "    EACH(i, 1) { PRINT(\"KERNEL(in_string, int n) \\\" KERNEL(behind_quote, int n)\"); }\n"
    "}\n"
    "KERNEL(second, GLOBAL f64 *const y) { EACH(i, 1) { y[i] = 5; } } KERNEL(third, GLOBAL f64 *y) { EACH(i, 1) { "
    "y[i] = 6; } }\n";

static void test_declarations(void **state)
{
    (void)state;
    rw_program *p;
    OK(create(odd_text, &p));
    assert_int_equal(p->nkernels, 3);
    rw_kernel *k = kernel_of(p, "first");
    assert_int_equal(k->nparameters, 5);
    static const struct {
        const char *name, *type;
        rw_arg_kind kind;
        bool constant;
    } expected[] = {{"y", "f64", RW_ARG_GLOBAL, false},
                    {"x", "f64", RW_ARG_GLOBAL, true},
                    {"z", "f64", RW_ARG_GLOBAL, true},
                    {"n", "int", RW_ARG_INT, true},
                    {"a", "f64", RW_ARG_F64, false}};
    for (int i = 0; i < 5; ++i) {
        assert_string_equal(k->parameters[i].name, expected[i].name);
        assert_string_equal(k->parameters[i].type, expected[i].type);
        assert_int_equal(k->parameters[i].kind, expected[i].kind);
        assert_int_equal(k->parameters[i].constant, expected[i].constant);
    }
    assert_false(kernel_of(p, "second")->parameters[0].constant); /* the pointer is, not what it points to */
    rw_array *x = new_ramp(5, 1, 1), *y = new_array(RW_F64, 5, RW_MEMORY_DEVICE);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_array(x), rw_arg_int(5), rw_arg_real(0.5)};
    OK(rw_launch(queue, k, one, args, 5));
    assert_true(numbers_of(y)[0] == 2.5 && numbers_of(y)[4] == 10.5);
    OK(rw_launch(queue, kernel_of(p, "second"), one, args, 1));
    assert_true(numbers_of(y)[0] == 5); /* written, so it came back */
    OK(rw_launch(queue, kernel_of(p, "third"), one, args, 1));
    assert_true(numbers_of(y)[0] == 6);
    rw_kernel *none;
    FAILS(RW_ERR_ARGUMENT, "nearest is second", rw_program_kernel(p, "secnd", &none));
    assert_null(none);
    FAILS(RW_ERR_ARGUMENT, "no kernel \"in_string\"", rw_program_kernel(p, "in_string", &none));
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void test_bad_declarations(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "program text declares no KERNEL"},
        {"/* KERNEL(k, GLOBAL f64 *y) {} */", "no KERNEL"},
        {"/* KERNEL(k, GLOBAL f64 *y) {}", "no KERNEL"},
        {"#define X KERNEL(k, GLOBAL f64 *y) {}", "no KERNEL"},
        {"KERNEL(k, GLOBAL f64 *y", "closing parenthesis"},
        {"KERNEL(k, GLOBAL f64 *y /* ) */", "closing parenthesis"},
        {"KERNEL(k, GLOBAL f64 *y // )\n", "closing parenthesis"},
        {"KERNEL(k, GLOBAL f64 *y /* )", "closing parenthesis"},
        {"KERNEL", "closing parenthesis"},
        {"KERNEL k(GLOBAL f64 *y) {}", "closing parenthesis"},
        {"KERNEL(k) { }", "kernel k has no parameters"},
        {"KERNEL(, GLOBAL f64 *y) { }", "name is missing"},
        {"KERNEL() { }", "name is missing"},
        {"KERNEL(k_2345678_1_2345678_2_2345678_3_2345678_4_2345678_5_2345678_6_234, GLOBAL f64 *y) {}", "more than 63"},
        {"KERNEL(k, ) { }", "kernel k: parameter 1, \" \", is neither"},
        {"KERNEL(k, GLOBAL f64 *y,) { }", "parameter 2, \"\", is neither"},
        {"KERNEL(k, GLOBAL f64 *) { }", "parameter 1, \" GLOBAL f64 *\", is neither"},
        {"KERNEL(k, GLOBAL *y) { }", "parameter 1"},
        {"KERNEL(k, GLOBAL f64 y) { }", "parameter 1"},
        {"KERNEL(k, GLOBAL f64 **y) { }", "parameter 1"},
        {"KERNEL(k, f64 *y) { }", "parameter 1"},
        {"KERNEL(k, GLOBAL f64 *y, f64) { }", "parameter 2, \" f64\""},
        {"KERNEL(k, GLOBAL f64 *y, u8 n) { }", "parameter 2, \" u8 n\""},
        {"KERNEL(k, GLOBAL f64 *y, unsigned n) { }", "parameter 2"},
        {"KERNEL(k, GLOBAL f64 *y, a_type_with_a_long_name n) { }", "parameter 2"},
        {"KERNEL(k, ...) { }", "parameter 1"},
    };
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        rw_program *p = (rw_program *)state;
        FAILS(RW_ERR_COMPILE, bad[i].message, create(bad[i].text, &p));
        assert_null(p);
    }
}

static void test_280_parameters_and_no_more(void **state)
{
    (void)state;
    if (on("cuda")) skip(); /* constant memory for parameters has other limits there */
    for (int n = RW_MAX_PARAMETERS; n <= RW_MAX_PARAMETERS + 1; ++n) {
        rw_text t = {0};
        rw_program *p;
        rw_text_add(&t, "KERNEL(many, GLOBAL f64 *y");
        for (int i = 1; i < n; ++i) rw_text_add(&t, ", %s p%d", i % 2 ? "int" : "f64", i);
        rw_text_add(&t, ") { EACH(i, 1) { y[0] = p1");
        for (int i = 2; i < n; ++i) rw_text_add(&t, " + p%d", i);
        rw_text_add(&t, "; } }\n");
        if (n > RW_MAX_PARAMETERS) {
            FAILS(RW_ERR_COMPILE, "kernel many has more than 280 parameters", create(t.data, &p));
        } else {
            OK(create(t.data, &p));
            rw_arg args[RW_MAX_PARAMETERS];
            rw_array *y = new_array(RW_F64, 1, RW_MEMORY_DEVICE);
            args[0] = rw_arg_array(y);
            for (int i = 1; i < n; ++i) args[i] = i % 2 ? rw_arg_int(i) : rw_arg_real(i);
            OK(rw_launch(queue, kernel_of(p, "many"), one, args, n));
            assert_true(numbers_of(y)[0] == (n - 1) * n / 2);
            rw_array_destroy(&y);
            rw_program_destroy(&p);
        }
        rw_text_free(&t);
    }
}

static void test_group_sizes(void **state)
{
    (void)state;
    static const char text[] = "KERNEL(k, GLOBAL f64 *y) { EACH(i, GROUP) { y[i] = GROUP; } }\n";
    static const char *const bad[] = {"0", "-1", "", "many", "1000000", "2147483647"};
    rw_program *p = (rw_program *)state;
    FAILS(RW_ERR_ARGUMENT, "GROUP = (none)", rw_program_create(dev, "g", text, NULL, 0, &p));
    assert_null(p);
    for (int i = 0; i < RW_COUNT(bad); ++i)
        FAILS(RW_ERR_ARGUMENT,
              "program g: GROUP =", rw_program_create(dev, "g", text, &(rw_define){"GROUP", bad[i]}, 1, &p));
    const rw_define large[] = {{"GROUP", "8"}, {"SHARED_LARGE_BYTES", "1000000000"}};
    FAILS(RW_ERR_ARGUMENT, "SHARED_LARGE_BYTES = 1000000000 exceeds", rw_program_create(dev, "g", text, large, 2, &p));
    char most[16];
    int n = RW_MIN(rw_device_info(dev)->group_max, on("check") ? 4096 : 65536);
    snprintf(most, sizeof most, "%d", n);
    p = build("g", text, most, NULL, NULL);
    rw_array *y = zeros(RW_F64, n);
    OK(rw_launch(queue, kernel_of(p, "k"), one, (rw_arg[]){rw_arg_array(y)}, 1));
    for (int i = 0; i < n; ++i) assert_true(numbers_of(y)[i] == n);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static const char arguments_text[] =
    "KERNEL(numbers, GLOBAL f64 *y, int a, long b, f32 c, f64 d, c64 e, c128 f, i32 g, i64 h, float k, double l, "
    "real m, "
    "complex n)\n"
    "{\n"
    "    EACH(i, 1) { y[0] = a; y[1] = (f64)(b >> 32); y[2] = (f64)(b & 0xffffffff); y[3] = c; y[4] = d; y[5] = e.re;\n"
    "        y[6] = e.im; y[7] = f.re; y[8] = f.im; y[9] = g; y[10] = (f64)h; y[11] = k; y[12] = l; y[13] = m;\n"
    "        y[14] = n.re; y[15] = n.im; y[16] = sizeof(real); y[17] = sizeof(complex); y[18] = sizeof(i64);\n"
    "        y[19] = sizeof(i32); y[20] = sizeof(u16); y[21] = sizeof(u8); }\n"
    "}\n"
    "KERNEL(types, GLOBAL f32 *a, GLOBAL const c64 *b, GLOBAL c128 *c, GLOBAL u8 *d, GLOBAL u16 *e, GLOBAL int *f, "
    "GLOBAL long *g, GLOBAL real *h)\n"
    "{ EACH(i, 1) { a[0] = b[0].re; c[0].re = d[0] + e[0] + f[0]; c[0].im = 1; g[0] = 2; h[0] = 3; } }\n";

static void launch_numbers(rw_kernel *k, rw_array *y, const rw_arg *twelve)
{
    rw_arg args[13];
    args[0] = rw_arg_array(y);
    memcpy(args + 1, twelve, 12 * sizeof *twelve);
    OK(rw_launch(queue, k, one, args, 13));
}

static void test_numbers_are_converted(void **state)
{
    (void)state;
    for (int f32 = 0; f32 < 2; ++f32) {
        rw_program *p = build("arguments", arguments_text, "1", "REAL", f32 ? "f32" : "f64");
        rw_kernel *k = kernel_of(p, "numbers");
        rw_array *y = zeros(RW_F64, 22);
        const int64_t large = ((int64_t)1 << 53) + 1; /* no double is this number */
        launch_numbers(k, y,
                       (rw_arg[]){rw_arg_int(-7), rw_arg_int(large), rw_arg_real(0.1), rw_arg_real(0.1),
                                  rw_arg_complex(0.1, -2), rw_arg_complex(0.1, -2), rw_arg_int(INT32_MIN),
                                  rw_arg_int(-1), rw_arg_real(0.25), rw_arg_real(1e300), rw_arg_real(0.1),
                                  rw_arg_complex(0.1, 3)});
        const double rounded = (double)0.1f, expected[] = {-7,
                                                           1 << 21,
                                                           1,
                                                           rounded,
                                                           0.1,
                                                           rounded,
                                                           -2,
                                                           0.1,
                                                           -2,
                                                           INT32_MIN,
                                                           -1,
                                                           0.25,
                                                           1e300,
                                                           f32 ? rounded : 0.1,
                                                           f32 ? rounded : 0.1,
                                                           3,
                                                           f32 ? 4 : 8,
                                                           f32 ? 8 : 16,
                                                           8,
                                                           4,
                                                           2,
                                                           1};
        for (int i = 0; i < RW_COUNT(expected); ++i)
            if (numbers_of(y)[i] != expected[i]) fail_msg("y[%d] = %.17g, not %.17g", i, numbers_of(y)[i], expected[i]);
        /* integers for real parameters, integers given as real numbers, real ones for complex */
        launch_numbers(k, y,
                       (rw_arg[]){rw_arg_real(-2), rw_arg_real(0x1p62), rw_arg_int(3), rw_arg_int(-4), rw_arg_real(5),
                                  rw_arg_int(6), rw_arg_real(2147483647), rw_arg_real(-0x1p63), rw_arg_int(7),
                                  rw_arg_int(8), rw_arg_int(9), rw_arg_int(10)});
        const double converted[] = {-2, 0x1p30, 0, 3, -4, 5, 0, 6, 0, INT32_MAX, -0x1p63, 7, 8, 9, 10, 0};
        for (int i = 0; i < RW_COUNT(converted); ++i)
            if (numbers_of(y)[i] != converted[i])
                fail_msg("y[%d] = %.17g, not %.17g", i, numbers_of(y)[i], converted[i]);
        launch_numbers(k, y,
                       (rw_arg[]){rw_arg_int(0), rw_arg_int(0), rw_arg_real(NAN), rw_arg_real(-INFINITY),
                                  rw_arg_complex(INFINITY, NAN), rw_arg_real(NAN), rw_arg_int(0), rw_arg_int(0),
                                  rw_arg_real(1e300), rw_arg_real(0), rw_arg_real(0), rw_arg_real(0)});
        assert_true(isnan(numbers_of(y)[3]) && numbers_of(y)[4] == -INFINITY && numbers_of(y)[5] == INFINITY);
        assert_true(isnan(numbers_of(y)[6]) && isnan(numbers_of(y)[7]) && numbers_of(y)[11] == INFINITY);
        rw_array_destroy(&y);
        rw_program_destroy(&p);
    }
}

static void test_wrong_arguments_are_told(void **state)
{
    (void)state;
    rw_program *p = build("arguments", arguments_text, "1", "REAL", "f64");
    rw_kernel *k = kernel_of(p, "numbers"), *t = kernel_of(p, "types");
    rw_array *y = zeros(RW_F64, 22);
    rw_arg args[13];
    args[0] = rw_arg_array(y);
    for (int i = 1; i < 13; ++i) args[i] = rw_arg_int(0);
    rw_counters before = counters();
    FAILS(RW_ERR_ARGUMENT, "kernel numbers takes 13 arguments, 12 given", rw_launch(queue, k, one, args, 12));
    FAILS(RW_ERR_ARGUMENT, "takes 13 arguments, 0 given", rw_launch(queue, k, one, NULL, 0));
    args[0] = rw_arg_int(0);
    FAILS(RW_ERR_ARGUMENT, "argument 1 (y) must be an array", rw_launch(queue, k, one, args, 13));
    args[0] = rw_arg_array(y), args[4] = rw_arg_array(y);
    FAILS(RW_ERR_ARGUMENT, "argument 5 (d) must be a number", rw_launch(queue, k, one, args, 13));
    args[4] = rw_arg_int(0);
    const rw_arg no_int[] = {rw_arg_int((int64_t)1 << 31), rw_arg_int(-((int64_t)1 << 40)), rw_arg_real(2147483648.),
                             rw_arg_real(-3e9)};
    for (int i = 0; i < RW_COUNT(no_int); ++i) {
        args[1] = no_int[i];
        FAILS(RW_ERR_ARGUMENT, "argument 2 (a) = ", rw_launch(queue, k, one, args, 13));
    }
    static const double no_integer[] = {2.7, -0.5, 1e-300, 2147483646.5, -2147483648.5, INFINITY};
    for (int i = 0; i < RW_COUNT(no_integer); ++i) {
        args[1] = rw_arg_real(no_integer[i]);
        FAILS(RW_ERR_ARGUMENT, "does not fit the type int: give an integer", rw_launch(queue, k, one, args, 13));
        args[1] = rw_arg_int(0), args[2] = rw_arg_real(no_integer[i]);
        if (no_integer[i] < INFINITY) FAILS(RW_ERR_ARGUMENT, "argument 3 (b) = ", rw_launch(queue, k, one, args, 13));
        args[2] = rw_arg_int(0);
    }
    args[4] = rw_arg_complex(1, 2); /* half of it would be lost */
    FAILS(RW_ERR_ARGUMENT, "argument 5 (d) = 1+2i does not fit the type f64: give a real number",
          rw_launch(queue, k, one, args, 13));
    args[4] = rw_arg_complex(1, 0);
    OK(rw_launch(queue, k, one, args, 13));
    args[4] = rw_arg_int(0);
    before = counters();
    args[1] = rw_arg_real(NAN);
    FAILS(RW_ERR_ARGUMENT, "argument 2 (a) = nan does not fit the type int", rw_launch(queue, k, one, args, 13));
    args[1] = rw_arg_int(0), args[2] = rw_arg_real(0x1p63);
    FAILS(RW_ERR_ARGUMENT, "argument 3 (b) = 9.2233720368547758e+18 does not fit the type long",
          rw_launch(queue, k, one, args, 13));
    args[2] = rw_arg_int(0);
    static const int64_t grids[][3] = {{-1, 1, 1}, {1, -1, 1}, {1, 1, 65536}, {1, 65536, 1}, {(int64_t)1 << 31, 1, 1}};
    for (int i = 0; i < RW_COUNT(grids); ++i)
        FAILS(RW_ERR_ARGUMENT, "is outside [0, ", rw_launch(queue, k, grids[i], args, 13));
    assert_int_equal(counters().launches, before.launches);
    static const int64_t empty[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    for (int i = 0; i < RW_COUNT(empty); ++i) OK(rw_launch(queue, k, empty[i], args, 13));
    assert_int_equal(counters().launches, before.launches);                     /* nothing to do, nothing started */
    FAILS(RW_ERR_ARGUMENT, "takes 13", rw_launch(queue, k, empty[0], args, 1)); /* checked all the same */
    /* arrays of other types than declared: the parts of complex numbers may be taken for real ones */
    static const rw_dtype right[8] = {RW_F32, RW_C64, RW_C128, RW_U8, RW_U16, RW_I32, RW_I64, RW_F64};
    rw_array *a[8];
    for (int i = 0; i < 8; ++i) a[i] = zeros(right[i], 4), args[i] = rw_arg_array(a[i]);
    OK(rw_launch(queue, t, one, args, 8));
    args[0] = rw_arg_array(a[1]), args[1] = rw_arg_array(a[0]);
    OK(rw_launch(queue, t, one, args, 8));
    args[0] = rw_arg_array(a[0]), args[1] = rw_arg_array(a[1]);
    for (int i = 0; i < 8; ++i) {
        rw_array *wrong = zeros(i == 5 ? RW_F32 : RW_I32, 64);
        char part[64];
        snprintf(part, sizeof part, "argument %d (%c) is an array of %s, declared as ", i + 1, 'a' + i,
                 i == 5 ? "f32" : "i32");
        args[i] = rw_arg_array(wrong);
        FAILS(RW_ERR_ARGUMENT, part, rw_launch(queue, t, one, args, 8));
        args[i] = rw_arg_array(a[i]);
        rw_array_destroy(&wrong);
    }
    for (int i = 0; i < 8; ++i) rw_array_destroy(&a[i]);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* ---- types of arrays --------------------------------------------------------------------------------------------- */

/* Names of the text's own, definitions and typedefs, under conditions too, lead to the types of the dialect. */
static void test_types_of_arrays(void **state)
{
    (void)state;
    static const char types[] =
        "typedef struct ALIGNED(8) { f32 re, im; } pair;\n"
        "typedef f64 number;\n#define SHORT u16\n"
        "#if WIDE\ntypedef struct { number re, im; } wide;\n#else\ntypedef number wide;\n#endif\n"
        "KERNEL(k, GLOBAL i16 *a, GLOBAL T *b, GLOBAL pair *c, GLOBAL const number *d, GLOBAL SHORT *e, GLOBAL wide "
        "*f, "
        "GLOBAL const ANY f64 *g)\n"
        "{ EACH(i, 1) { a[0] = 1; b[0] = 2; c[0].re = (f32)d[0]; e[0] = 3; f[0] = d[0]; } }\n";
    rw_program *p = build("types", types, "1", "T", "i32");
    rw_kernel *k = kernel_of(p, "k");
    static const rw_dtype right[7] = {RW_I16, RW_I32, RW_F32, RW_F64, RW_U16, RW_F64, RW_U8};
    rw_arg args[7];
    rw_array *a[7];
    for (int i = 0; i < 7; ++i) a[i] = zeros(right[i], 4), args[i] = rw_arg_array(a[i]);
    OK(rw_launch(queue, k, one, args, 7));
    assert_int_equal(ints_of(a[1])[0], 2);
    for (int i = 0; i < 6; ++i)
        for (int type = RW_F32; type <= RW_BOOL; ++type) {
            rw_array *other = zeros((rw_dtype)type, 4);
            args[i] = rw_arg_array(other);
            rw_status status = rw_launch(queue, k, one, args, 7);
            bool good = type == (int)right[i] || (right[i] == RW_F32 && type == RW_C64) ||
                        (right[i] == RW_F64 && type == RW_C128);
            if ((status == RW_OK) != good)
                fail_msg("argument %d, an array of %s: %s", i, rw_dtype_name((rw_dtype)type), rw_status_name(status));
            args[i] = rw_arg_array(a[i]);
            rw_array_destroy(&other);
        }
    for (int i = 0; i < 7; ++i) rw_array_destroy(&a[i]);
    rw_program_destroy(&p);
}

static void test_types_that_are_not_known(void **state)
{
    (void)state;
    static const char *const texts[] = {"KERNEL(k, GLOBAL i15 *y) { }",
                                        "KERNEL(k, GLOBAL number *y) { }",
                                        "#define number whatever\nKERNEL(k, GLOBAL number *y) { }",
                                        "#define number number\nKERNEL(k, GLOBAL number *y) { }",
                                        "typedef whatever number;\nKERNEL(k, GLOBAL number *y) { }",
                                        "/* typedef f64 number; */\nKERNEL(k, GLOBAL number *y) { }",
                                        "KERNEL(k, GLOBAL void *y) { }"};
    rw_program *p;
    for (int i = 0; i < RW_COUNT(texts); ++i)
        FAILS(RW_ERR_COMPILE, "kernel k: parameter 1, y: unknown type ",
              rw_program_create(dev, "t", texts[i], &(rw_define){"GROUP", "8"}, 1, &p));
    static const char *const known[] =
        {"# define number f32\nKERNEL(k, GLOBAL number *y) { EACH(i, 1) { y[i] = 1; } }",
         "#\tdefine number\tf32\nKERNEL(k, GLOBAL number *y) { EACH(i, 1) { y[i] = 1; } }",
         "typedef f32 numbers[4];\nKERNEL(k, GLOBAL numbers *y) { EACH(i, 1) { y[i][0] = 1; } }"};
    for (int i = 0; i < RW_COUNT(known); ++i) {
        rw_array *y = zeros(RW_F32, 4), *other = zeros(RW_F64, 4);
        OK(rw_program_create(dev, "t", known[i], &(rw_define){"GROUP", "8"}, 1, &p));
        OK(rw_launch(queue, kernel_of(p, "k"), (int64_t[3]){1, 1, 1}, (rw_arg[]){rw_arg_array(y)}, 1));
        FAILS(RW_ERR_ARGUMENT, "f64",
              rw_launch(queue, kernel_of(p, "k"), (int64_t[3]){1, 1, 1}, (rw_arg[]){rw_arg_array(other)}, 1));
        rw_array_destroy(&y), rw_array_destroy(&other), rw_program_destroy(&p);
    }
    FAILS(RW_ERR_COMPILE, "GLOBAL ANY T *",
          rw_program_create(dev, "t", "KERNEL(k, GLOBAL T *y) { }", (rw_define[]){{"GROUP", "8"}, {"T", "64"}}, 2, &p));
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

static void test_equal_programs_are_shared(void **state)
{
    (void)state;
    rw_program *p = build("tiny", TINY, "8", "VALUE", "+ 1");
    rw_counters c = counters();
    rw_program *again = build("tiny", TINY, "8", "VALUE", "+ 1");
    assert_ptr_equal(p, again);
    assert_int_equal(counters().shared - c.shared, 1);
    assert_int_equal(counters().compilations, c.compilations);
    assert_int_equal(counters().cache_hits, c.cache_hits);
    rw_program *other = build("tiny", TINY, "8", "VALUE", "+ 2");
    assert_ptr_not_equal(p, other);
    assert_int_equal(counters().shared - c.shared, 1);
    assert_string_not_equal(p->key, other->key);
    rw_array *y = zeros(RW_F64, 1);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    rw_program_destroy(&p); /* the other holder keeps it */
    assert_null(p);
    rw_program_destroy(&p);
    OK(rw_launch(queue, kernel_of(again, "k"), one, args, 2));
    assert_true(numbers_of(y)[0] == 6);
    OK(rw_launch(queue, kernel_of(other, "k"), one, args, 2));
    assert_true(numbers_of(y)[0] == 7);
    rw_program_destroy(&again), rw_program_destroy(&other);
    again = build("tiny", TINY, "8", "VALUE", "+ 1"); /* gone from the process, found on disk */
    assert_int_equal(counters().shared - c.shared, 1);
    rw_program_destroy(&again);
    rw_array_destroy(&y);
}

static void test_two_devices_of_a_kind_share_nothing(void **state)
{
    (void)state;
    rw_device *other, *mine = dev;
    rw_program *p = build("tiny", TINY, "8", "VALUE", "+ 1"), *q;
    OK(rw_device_open(ctx, rw_device_info(dev)->name, &other));
    dev = other;
    q = build("tiny", TINY, "8", "VALUE", "+ 1");
    dev = mine;
    assert_ptr_not_equal(p, q);
    assert_string_equal(p->key, q->key);
    rw_array *y = zeros(RW_F64, 1);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    FAILS(RW_ERR_ARGUMENT, "was compiled for", rw_launch(queue, kernel_of(q, "k"), one, args, 2));
    FAILS(RW_ERR_ARGUMENT, "argument 1 (y) is an array on",
          rw_launch(rw_device_queue(other), kernel_of(q, "k"), one, args, 2));
    rw_device_close(&other); /* its program keeps it */
    rw_program_destroy(&q), rw_program_destroy(&p);
    rw_array_destroy(&y);
}

/* Half of the threads make the same program, the others one each. */
static void *compile_and_run(void *user)
{
    worker *w = user;
    char value[16];
    snprintf(value, sizeof value, "+ %d", w->number % 2 ? 100 : w->number);
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", value}};
    rw_program *p = NULL;
    rw_kernel *k = NULL;
    rw_array *y = NULL;
    const int64_t n = 1;
    const void *data = NULL;
    w->status = rw_program_create(w->dev, "threads", TINY, defines, 2, &p);
    if (w->status == RW_OK) w->status = rw_program_kernel(p, "k", &k);
    if (w->status == RW_OK) w->status = rw_array_create(w->dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    for (int i = 0; i < 5 && w->status == RW_OK; ++i) w->status = rw_launch(rw_device_queue(w->dev), k, one, args, 2);
    if (w->status == RW_OK) w->status = rw_array_read(y, &data);
    if (w->status == RW_OK) w->got = *(const double *)data;
    rw_array_destroy(&y);
    rw_program_destroy(&p);
    return NULL;
}

static void test_threads_compile_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){dev, i, RW_ERR_INTERNAL, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, compile_and_run, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(workers[i].status, RW_OK);
        assert_true(workers[i].got == 5 + (i % 2 ? 100 : i));
    }
}

/* ---- what goes wrong at compiling -------------------------------------------------------------------------------- */

static void test_compile_errors(void **state)
{
    (void)state;
    static const char text[] = "KERNEL(good, GLOBAL f64 *y) { EACH(i, 1) { y[i] = 1; } }\n"
                               "\n"
                               "/* KERNEL(not_this, int n) */\n"
                               "KERNEL(broken, GLOBAL f64 *y)\n"
                               "{\n"
                               "    EACH(i, 1) { y[i] = nowhere; }\n"
                               "}\n"
                               "KERNEL(after, GLOBAL f64 *y) { EACH(i, 1) { y[i] = 1; } }\n";
    static const char *const names[] = {"bad_program", "cases/dir ectory/b.yaml", "a \"quoted\\ name", ""};
    int64_t compilations = counters().compilations;
    for (int i = 0; i < (on("cpu") ? RW_COUNT(names) : 1); ++i) {
        rw_program *p = (rw_program *)state;
        FAILS(RW_ERR_COMPILE, names[i], rw_program_create(dev, names[i], text, &(rw_define){"GROUP", "8"}, 1, &p));
        assert_null(p);
        char message[2048];
        snprintf(message, sizeof message, "%s", rw_message(ctx));
        char *log = read_log();
        if (!strstr(message, "nowhere") || (names[i][0] && !strstr(message, "kernel broken, line 6")))
            fail_msg("%s", message);
        assert_non_null(strstr(log, "nowhere"));
        rw_free(log);
    }
    assert_int_equal(counters().compilations, compilations); /* none that gave a program */
    for (int i = 1; i < RW_COUNT(names); ++i) {              /* names that no file may have do no harm */
        if (!on("cpu")) break;
        rw_program *p;
        OK(rw_program_create(dev, names[i], TINY, (rw_define[]){{"GROUP", "8"}, {"VALUE", ""}}, 2, &p));
        rw_program_destroy(&p);
    }
}

/* NVIDIA's OpenCL names no file and counts the lines of the whole text. */
static void test_an_error_in_the_whole_text(void **state)
{
    (void)state;
    static const char text[] =
        "typedef int i32;\n#define KERNEL(n, ...)\n#line 1 \"p\"\nKERNEL(first, int n) {}\nKERNEL(second, int n)\n"
        "{ nowhere; }\n";
    assert_int_equal(rw_build_failed(ctx, "p", ".cl", text,
                                     "<kernel>:6:3: error: use of undeclared identifier 'nowhere'"),
                     RW_ERR_COMPILE);
    if (!strstr(rw_message(ctx), "program p: kernel second, line 3: ")) fail_msg("%s", rw_message(ctx));
    rw_free(read_log());
    assert_int_equal(rw_build_failed(ctx, "p", ".c", text, "cc1: out of memory allocating 65536 bytes after 303104"),
                     RW_ERR_MEMORY);
    assert_non_null(strstr(rw_message(ctx), "program p: there is no memory left for the compiler: cc1: out of memory"));
    rw_build_failed(ctx, "p", ".cl", text, "<kernel>:1:3: error: in what stands before");
    if (!strstr(rw_message(ctx), "program p: line 1: ")) fail_msg("%s", rw_message(ctx));
    rw_free(read_log());
}

static void test_a_function_that_nobody_defines(void **state)
{
    (void)state;
    rw_program *p;
    rw_status status = create("KERNEL(k, GLOBAL f64 *y) { EACH(i, 1) { y[i] = rw_nobody_defines_this(1); } }\n", &p);
    assert_int_equal(status, RW_ERR_COMPILE);
    assert_non_null(strstr(rw_message(ctx), "rw_nobody_defines_this"));
    if (strstr(rw_message(ctx), "whole log")) rw_free(read_log());
}

static void test_an_injected_failure(void **state)
{
    (void)state;
    rw_program *p = (rw_program *)state;
    rw_fault_set(RW_FAULT_COMPILE, 1);
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", "+ 12345"}};
    assert_int_equal(rw_context_set_cache(ctx, false, NULL, false), RW_OK);
    FAILS(RW_ERR_COMPILE, "program tiny: the compiler failed (injected)",
          rw_program_create(dev, "tiny", TINY, defines, 2, &p));
    assert_null(p);
    assert_int_equal(rw_context_set_cache(ctx, true, NULL, false), RW_OK);
    OK(rw_program_create(dev, "tiny", TINY, defines, 2, &p));
    rw_program_destroy(&p);
}

static rw_status create_tiny(void *user)
{
    (void)user;
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", "+ 3"}};
    rw_program *p;
    rw_status status = rw_program_create(dev, "tiny", TINY, defines, 2, &p);
    rw_program_destroy(&p);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    /* so that it is on disk: memory that is missing neither compiles it again nor switches the cache off */
    OK(create_tiny(NULL));
    int64_t compiled = counters().compilations;
    if (on("cpu") || on("check")) each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, create_tiny, NULL);
    else
        for (int n = 1; n < 6; ++n) { /* before the slow compiler of PoCL is reached */
            rw_fault_set(RW_FAULT_ALLOC, n);
            rw_status status = create_tiny(NULL);
            assert_true(status == RW_OK || status == RW_ERR_MEMORY);
        }
    rw_fault_set(RW_FAULT_ALLOC, 0);
    OK(create_tiny(NULL));
    assert_int_equal(counters().compilations, compiled);
}

static void test_every_allocation_of_compiling_may_fail(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    assert_int_equal(rw_context_set_cache(ctx, false, NULL, false), RW_OK);
    assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, create_tiny, NULL) > 10);
    assert_int_equal(rw_context_set_cache(ctx, true, NULL, false), RW_OK);
}

/* ---- the C compiler ---------------------------------------------------------------------------------------------- */

static int count_files(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

/* A compiler of one's own, good and bad, in RECHENWERK_CC; PATH without any. */
static void test_compilers(void **state)
{
    (void)state;
    if (!on("cpu") && !on("check")) skip();
    char path[512], saved_path[4096], temporary[300];
    rw_program *p = (rw_program *)state;
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", "- 1"}};
#define CREATE rw_program_create(dev, "tiny", TINY, defines, 2, &p)
    make_folder();
    setenv("RECHENWERK_CC", "/proc/self/exe/cc", 1);
    FAILS(RW_ERR_DEVICE, "RECHENWERK_CC = /proc/self/exe/cc is no program that can be run", CREATE);
    assert_null(p);
    setenv("RECHENWERK_CC", "none", 1);
    FAILS(RW_ERR_UNSUPPORTED, "RECHENWERK_CC is none", CREATE);
    setenv("RECHENWERK_CC", "no-such-compiler", 1);
    FAILS(RW_ERR_DEVICE, "RECHENWERK_CC = no-such-compiler is no program", CREATE);
    snprintf(saved_path, sizeof saved_path, "%s", getenv("PATH"));
    unsetenv("RECHENWERK_CC");
    setenv("PATH", folder, 1);
    FAILS(RW_ERR_UNSUPPORTED, "install gcc", CREATE);
    setenv("PATH", saved_path, 1);
    if (on("cpu")) {                 /* the check device asks its compiler who it is first */
        setenv("TMPDIR", folder, 1); /* what is left behind would be found here */
        setenv("RECHENWERK_CC", folder, 1);
        FAILS(RW_ERR_DEVICE, "is no program that can be run", CREATE);
        write_script("silent", "#!/bin/sh\nexit 1\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_COMPILE, "the compiler gave no reason", CREATE);
        rw_free(read_log());
        write_script("warns", "#!/bin/sh\necho 'warning: a strange day' >&2\nexit 1\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_COMPILE, "the compiler gave no reason", CREATE);
        rw_free(read_log());
        write_script("talks", "#!/bin/sh\necho 'one line'\necho 'fatal error: no licence' >&2\nexit 3\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_COMPILE, "program tiny: fatal error: no licence", CREATE);
        rw_free(read_log());
        write_script("killed", "#!/bin/sh\nkill -9 $$\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_COMPILE, "program tiny", CREATE);
        rw_free(read_log());
        write_script("nothing", "#!/bin/sh\nexit 0\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_FILE, "program.so", CREATE);
        write_script("garbage", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho no library > \"$2\"\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_COMPILE, "program tiny", CREATE);
        write_script("stdin", "#!/bin/sh\nread line && exit 1\nexec cc \"$@\"\n", path); /* input is /dev/null */
        setenv("RECHENWERK_CC", path, 1);
        OK(CREATE);
        rw_program_destroy(&p);
        write_script("binary", "this is no script and no program\n", path);
        setenv("RECHENWERK_CC", path, 1);
        FAILS(RW_ERR_COMPILE, "cannot be started: Exec format error", CREATE);
        assert_int_equal(count_files(folder), 8); /* the scripts, and nothing of ours */
        snprintf(temporary, sizeof temporary, "%s/missing", folder);
        setenv("TMPDIR", temporary, 1);
        rw_context_set_cache(ctx, false, NULL, false);
        FAILS(RW_ERR_FILE, "set TMPDIR", CREATE);
        rw_context_set_cache(ctx, true, NULL, false);
        unsetenv("TMPDIR");
    }
    unsetenv("RECHENWERK_CC");
    OK(CREATE); /* nothing of it all stays */
    rw_program_destroy(&p);
    remove_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_bad_declarations),
        cmocka_unit_test(test_280_parameters_and_no_more),
        cmocka_unit_test(test_group_sizes),
        cmocka_unit_test(test_numbers_are_converted),
        cmocka_unit_test(test_wrong_arguments_are_told),
        cmocka_unit_test(test_types_of_arrays),
        cmocka_unit_test(test_types_that_are_not_known),
        cmocka_unit_test(test_equal_programs_are_shared),
        cmocka_unit_test(test_two_devices_of_a_kind_share_nothing),
        cmocka_unit_test(test_threads_compile_at_once),
        cmocka_unit_test(test_compile_errors),
        cmocka_unit_test(test_an_error_in_the_whole_text),
        cmocka_unit_test(test_a_function_that_nobody_defines),
        cmocka_unit_test(test_an_injected_failure),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_every_allocation_of_compiling_may_fail),
        cmocka_unit_test(test_compilers),
    };
    return run_on_devices("program", tests, RW_COUNT(tests));
}
