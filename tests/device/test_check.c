/* The check device: one wrong kernel for each finding, with the line, item and element that the message must name. */
/* TEST: optimised */
#include "check_test.h"

/* ---- findings ---------------------------------------------------------------------------------------------- */

/* All wrong kernels have these parameters: y unwritten, x a ramp, z a complex ramp, count zero; n = 64 elements. */
#define HEAD "KERNEL(k, GLOBAL real *y, GLOBAL const real *x, GLOBAL const complex *z, GLOBAL int *count, int n)\n{\n"
#define TAIL "}\n"

typedef struct finding {
    const char *name;
    int groups;
    const char *body; /* its first line is line 3 of the text */
    const char *expected[7];
} finding;

static const finding findings[] = {
    {"read_behind",
     1,
     "    EACH(i, n) {\n        real a = x[i + 2];\n        y[i] = a;\n    }\n",
     {"out of bounds", "kernel k", "line 4", "group 0", "item 6 (i = 62)",
      "reads 8 bytes 0 bytes past the end of array 'x' of 64 f64 (element 64)"}},
    {"read_before",
     2,
     "    long lo = GROUP_ID(0) * 32;\n    EACH_IN(i, lo, lo + 32) {\n"
     "        y[i] = x[i - 33];\n    }\n",
     {"out of bounds", "line 5", "group 0, item 0", "reads 8 bytes 264 bytes before the beginning of array 'x'",
      "(element -33)"}},
    {"write_behind",
     9,
     "    EACH(i, 8) {\n        long k = GROUP_ID(0) * 8 + i;\n        y[k] = 1;\n    }\n",
     {"out of bounds", "line 5", "group 8, item 0", "writes 8 bytes 0 bytes past the end of array 'y' of 64 f64"}},
    {"far_behind",
     1,
     "    EACH(i, 1) {\n        y[0] = x[100000000];\n    }\n",
     {"out of bounds", "line 4", "item 0", "(element 100000000)"}},
    {"across_the_end",
     1,
     "    EACH(i, 1) {\n"
     "        y[0] = *(GLOBAL const real *)((GLOBAL const char *)(x + 63) + 4);\n    }\n",
     {"out of bounds", "line 4", "reads 8 bytes across the end of array 'x'"}},
    {"null",
     1,
     "    EACH(i, 1) {\n        GLOBAL real *p = 0;\n        p[n] = 1;\n    }\n",
     {"out of bounds", "line 5", "item 0", "writes 8 bytes at address 0x200, far from every array"}},
    {"complex_read",
     1,
     "    EACH(i, n) {\n        complex a = z[i + 1];\n        y[i] = a.re + a.im;\n    }\n",
     {"out of bounds", "line", "item 7 (i = 63)", "past the end of array 'z' of 64 c128 (element 64)"}},
    {"in_a_function",
     1,
     "    EACH(i, n) {\n        complex a = z[i];\n        a = c128_mul(z[2 * i], a);\n"
     "        y[i] = a.re;\n    }\n",
     {"out of bounds", "line 5", "item 0 (i = 32)", "array 'z'"}},
    {"shared_behind",
     1,
     "    SHARED(real, t, 8);\n    EACH(i, 8) { t[i + 1] = x[i]; }\n    BARRIER;\n"
     "    EACH(i, 8) { y[i] = t[i]; }\n",
     {"out of bounds", "line 4", "item 7", "writes 8 bytes 0 bytes past the end of shared 't' of 8 elements (line 3)"}},
    {"local_index",
     1,
     "    EACH(i, n) {\n        real c[5];\n        for (int k = 0; k < 5; ++k) c[k] = x[k];\n"
     "        y[i] = c[i];\n    }\n",
     {"out of bounds", "line 6", "item 5", "index 5 of a local", "[5]"}},
    {"unwritten",
     1,
     "    EACH(i, n) { if (i != 3) y[i] = x[i]; }\n    BARRIER;\n    EACH(i, n) { y[i] += 1; }\n",
     {"unwritten", "line 5", "item 3", "reads element 3 of array 'y' of 64 f64, which nothing has written"}},
    {"unwritten_shared",
     1,
     "    SHARED(real, t, 9);\n    EACH(i, 8) { t[i] = x[i]; }\n    BARRIER;\n"
     "    EACH(i, 8) { y[i] = t[i + 1]; }\n",
     {"unwritten", "line 6", "item 7", "reads element 8 of shared 't' of 9 elements (line 3)"}},
    {"shared_of_last_group",
     2,
     "    SHARED(real, t, 8);\n    if (GROUP_ID(0) == 0) EACH(i, 8) { t[i] = x[i]; }\n"
     "    BARRIER;\n    EACH(i, 8) { y[GROUP_ID(0) * 8 + i] = t[i]; }\n",
     {"unwritten", "line 6", "group 1, item 0", "reads element 0 of shared 't'"}},
    {"unwritten_private",
     1,
     "    PRIVATE(real, a);\n    EACH(i, 4) { AT(a, i) = 1; }\n"
     "    EACH(i, 8) { y[i] = AT(a, i); }\n",
     {"unwritten", "line 5", "item 4", "reads private 'a' (line 3)"}},
    {"private_of_other",
     1,
     "    PRIVATE(real, a);\n    EACH(i, 8) { AT(a, i) = 1; }\n"
     "    EACH(i, 7) {\n        y[i] = AT(a, i + 1);\n    }\n",
     {"private", "line 6", "item 0", "AT with index 1 while i = 0"}},
    {"private_n",
     1,
     "    PRIVATE_N(real, a, 3);\n    EACH(i, 8) {\n        for (int k = 0; k <= 3; ++k)\n"
     "            AT_N(a, k, i) = x[k];\n        y[i] = AT_N(a, 0, i);\n    }\n",
     {"out of bounds", "line 6", "item 0", "index 3 of a local", "[3]"}},
    {"private_each2",
     1,
     "    PRIVATE(real, a);\n    EACH2(i, 0, 4, j, 0, 2) { AT(a, i) = x[j]; }\n"
     "    EACH2(i, 0, 4, j, 0, 2) { y[j * 4 + i] = AT(a, i); }\n",
     {"unwritten", "line 5", "(i = 0, j = 0)", "what an item of EACH2 sets is gone when it ends"}},
    {"private_after_each2",
     1,
     "    PRIVATE(real, a);\n    EACH2(i, 0, 4, j, 0, 2) { AT(a, i) = x[j]; }\n"
     "    EACH(i, 4) { y[i] = AT(a, i); }\n",
     {"unwritten", "line 5", "item 0", "what an item of EACH2 sets is gone when it ends"}},
    {"constant_array",
     1,
     "    EACH(i, n) {\n        ((GLOBAL real *)x)[i] = 0;\n    }\n",
     {"constant", "line 4", "item 0", "writes element 0 of array 'x'", "declares const"}},
    {"race_groups_write",
     2,
     "    EACH(i, 8) { y[i] = x[i]; }\n",
     {"race", "line 3", "group 1, item 0", "writes element 0 of array 'y'", "item 0 of group 0 wrote in line 3"}},
    {"race_groups_read",
     2,
     "    EACH(i, 8) {\n        y[GROUP_ID(0) * 8 + i] = x[i];\n    }\n    BARRIER;\n"
     "    EACH(i, 8) {\n        y[GROUP_ID(0) * 8 + i] += y[i];\n    }\n",
     {"race", "line 8", "group 1, item 0", "reads element 0 of array 'y'", "item 0 of group 0 wrote in line 8"}},
    {"race_write_after_read",
     2,
     "    if (GROUP_ID(0) == 0) EACH(i, 8) { y[i + 8] = count[i]; }\n"
     "    if (GROUP_ID(0) == 1) EACH(i, 1) { count[5] = 1; }\n",
     {"race", "line 4", "group 1, item 0", "writes element 5 of array 'count'", "item 5 of group 0 read in line 3"}},
    {"race_items",
     1,
     "    EACH(i, n) { y[i] = x[i]; }\n    BARRIER;\n    EACH_IN(i, 1, n) {\n"
     "        y[i] = y[i - 1];\n    }\n",
     {"race", "line 6", "item 1 (i = 2)", "reads element 1 of array 'y'",
      "item 0 wrote in line 6 without a BARRIER between"}},
    {"race_strips",
     1,
     "    EACH(i, n) { y[i % 32] = x[i]; }\n    EACH_IN(i, 1, 33) { y[i - 1] = 0; }\n    BARRIER;\n"
     "    EACH_IN(i, 33, 41) { y[i - 1] = y[i]; }\n",
     {"unwritten", "line 6", "item 0 (i = 33)", "element 33 of array 'y'"}},
    {"race_shared",
     1,
     "    SHARED(real, tile, 8);\n    EACH(i, 8) {\n        tile[i] = x[i];\n    }\n"
     "    EACH_IN(i, 1, 8) {\n        y[i] = tile[i];\n    }\n",
     {"race", "line 8", "item 0 (i = 1)", "reads element 1 of shared 'tile' of 8 elements (line 3)",
      "item 1 wrote in line 5 without a BARRIER between"}},
    {"race_all_read",
     1,
     "    SHARED(real, s, 8);\n    EACH(i, 8) { s[i] = x[i]; }\n    real a = s[2];\n"
     "    EACH(i, 8) { y[i] = a; }\n",
     {"race", "line 5", "all items", "reads element 2 of shared 's'", "item 2 wrote in line 4 without a BARRIER"}},
    {"race_after_all_read",
     1,
     "    SHARED(real, s, 8);\n    EACH(i, 8) { s[i] = x[i]; }\n    BARRIER;\n"
     "    real a = s[0];\n    EACH(i, 8) { s[i] = a; }\n    BARRIER;\n"
     "    EACH(i, 8) { y[i] = s[i]; }\n",
     {"race", "line 7", "item 0", "writes element 0 of shared 's'", "all items read in line 6"}},
    {"race_atomic",
     2,
     "    if (GROUP_ID(0) == 0) EACH(i, 1) { count[3] = 0; }\n    BARRIER;\n"
     "    EACH(i, 8) { ATOMIC_ADD(count + 3, 1); }\n",
     {"race", "line 5", "group 1, item 0", "adds atomically to element 3 of array 'count'",
      "item 0 of group 0 wrote in line 3"}},
    {"race_atomic_read",
     1,
     "    EACH(i, 8) { ATOMIC_ADD(count, 1); }\n    EACH(i, 8) { y[i] = count[0]; }\n",
     {"race", "line 4", "item 0", "reads element 0 of array 'count'", "other items added to atomically in line 3"}},
    {"all_write", 1, "    y[0] = x[0];\n", {"outside EACH", "line 3", "all items", "writes element 0 of array 'y'"}},
    {"all_write_shared",
     1,
     "    SHARED(real, s, 8);\n    s[1] = n;\n    BARRIER;\n    EACH(i, 1) { y[i] = s[1]; }\n",
     {"outside EACH", "line 4", "all items", "writes element 1 of shared 's'"}},
    {"barrier_inside",
     1,
     "    EACH(i, 8) {\n        y[i] = x[i];\n        BARRIER;\n    }\n",
     {"barrier inside EACH", "line 5", "item 0", "end the EACH of line 3"}},
    {"each_inside",
     1,
     "    EACH(i, 8) {\n        EACH(j, 8) { y[i] = x[j]; }\n    }\n",
     {"dialect", "line 4", "item 0", "EACH inside the EACH of line 3"}},
    {"break_inside",
     1,
     "    EACH(i, 8) {\n        if (x[i] > 3) break;\n        y[i] = x[i];\n    }\n",
     {"dialect", "line 3", "item 4", "break leaves the EACH"}},
    {"return_inside",
     1,
     "    EACH(i, 8) {\n        if (x[i] > 3) return;\n        y[i] = x[i];\n    }\n",
     {"dialect", "line 3", "item 4", "return or goto leaves the EACH"}},
    {"shared_inside",
     1,
     "    EACH(i, 8) {\n        SHARED(real, s, 8);\n        s[i] = x[i];\n"
     "        y[i] = s[i];\n    }\n",
     {"dialect", "line 4", "shared 's' inside EACH"}},
    {"two_large",
     1,
     "    SHARED_LARGE(real, a);\n    SHARED_LARGE(int, b);\n"
     "    EACH(i, 8) { a[i] = 1; b[i] = 1; y[i] = a[i] + b[i]; }\n",
     {"dialect", "line 4", "second SHARED_LARGE, 'b' besides 'a'"}},
    {"shared_too_much",
     1,
     "    SHARED(real, a, 6000);\n    SHARED(real, b, 145);\n"
     "    EACH(i, 8) { a[i] = 1; b[i] = 1; y[i] = a[i] + b[i]; }\n",
     {"dialect", "line 4", "'b' makes 49160 bytes of SHARED, where CUDA has 49152"}},
    {"divide_by_zero",
     1,
     "    EACH(i, n) {\n        y[i] = n / (n - 60 - (int)x[i]);\n    }\n",
     {"arithmetic", "line 4", "item 4", "by zero"}},
    {"overflow",
     1,
     "    EACH(i, n) {\n        int k = i * 100000000;\n        y[i] = k;\n    }\n",
     {"arithmetic", "line 4", "item 6 (i = 22)", "22 * 100000000"}},
    {"shift",
     1,
     "    EACH(i, n) {\n        y[i] = 1u << (i + 25);\n    }\n",
     {"arithmetic", "line 4", "item 7", "32 bits"}},
};

static void look_for(const finding *f, const char *compiler)
{
    const char *message = rw_message(ctx);
    for (int i = 0; i < RW_COUNT(f->expected) && f->expected[i]; ++i)
        if (!strstr(message, f->expected[i]))
            fail_msg("%s (%s): \"%s\" is not in \"%s\"", f->name, compiler, f->expected[i], message);
    if (getenv("VERBOSE")) print_message("%s\n", message);
}

static const char good[] = "KERNEL(good, GLOBAL real *y, GLOBAL const real *x, int n)\n{\n"
                           "    EACH(i, n) { y[i] = 2 * x[i]; }\n}\n";

static void run_good(rw_program *p)
{
    rw_array *y = array(RW_F64, N), *x = ramp(N);
    NEED(launch(p, "good", 1, 1, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(N)}, 3));
    for (int i = 0; i < N; ++i) assert_true(values(y)[i] == 2.0 * i);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static rw_status run_finding(rw_program *p, int groups)
{
    rw_array *y = array(RW_F64, N), *x = ramp(N), *z = array(RW_C128, N), *count = array(RW_I32, N);
    void *host;
    NEED(rw_array_write(z, &host));
    for (int i = 0; i < 2 * N; ++i) ((double *)host)[i] = i;
    NEED(rw_array_zero(count, rw_device_queue(dev)));
    rw_status status =
        launch(p, "k", groups, 1,
               (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_array(z), rw_arg_array(count), rw_arg_int(N)}, 5);
    rw_array_destroy(&count), rw_array_destroy(&z), rw_array_destroy(&x), rw_array_destroy(&y);
    return status;
}

static void each_finding(const char *compiler)
{
    setenv("RECHENWERK_CC", compiler, 1);
    rw_program *fine = compile("good", good, NULL, NULL);
    for (int i = 0; i < RW_COUNT(findings); ++i) {
        const finding *f = findings + i;
        static const char *const orders[] = {"forward", "reverse", "shuffle"};
        char *text = rw_format("%s%s%s", HEAD, f->body, TAIL);
        rw_program *p = compile(f->name, text, NULL, NULL);
        for (int o = 0; o < 3; ++o) {
            set_order(orders[o]);
            rw_status status = run_finding(p, f->groups);
            if (status != RW_ERR_CHECK)
                fail_msg("%s (%s, %s): %s", f->name, compiler, orders[o], rw_status_name(status));
            if (o == 0) look_for(f, compiler);
            if (o > 0 && getenv("VERBOSE")) print_message("    %s\n", rw_message(ctx));
            run_good(fine);
        }
        rw_program_destroy(&p);
        rw_free(text);
    }
    rw_program_destroy(&fine);
}

static void each_finding_with(const char *name)
{
    char cc[RW_CC_PATH];
    if (!rw_cc_find_on_path(name, cc)) skip();
    each_finding(cc);
}

static void findings_gcc(void **state) { (void)state, each_finding_with("gcc"); }
static void findings_clang(void **state) { (void)state, each_finding_with("clang"); }

/* Variables of a group that items change, found in the text when the program is made. */
static void changed_variables(void **state)
{
    (void)state;
    static const struct {
        const char *body, *expected[3];
    } wrong[] = {
        {"    real sum = 0;\n    EACH(i, n) { sum += x[i]; }\n    EACH(i, 1) { y[0] = sum; }\n",
         {"line 4", "'sum'", "declared in line 3"}},
        {"    real a = 1, m = f(2, a), b;\n    EACH(i, n)\n        for (int k = 0; k < 3; ++k)\n"
         "            if (x[i] > m) m = x[i];\n",
         {"line 6", "'m'", "line 3"}},
        {"    real c[4];\n    EACH_IN(i, 0, n) {\n        const real a = x[i];\n        c[i % 4] = a;\n    }\n",
         {"line 6", "'c'", "line 3"}},
        {"    complex s;\n    /* a comment */ EACH2(i, 0, 3, j, 0, 4) {\n        s.re = x[j];\n    }\n",
         {"line 5", "'s'", "line 3"}},
        {"    EACH(i, 4) {\n        ++n;\n    }\n", {"line 4", "'n'", "line 1"}},
        {"    long k;\n    for (int b = 0; b < 4; ++b) {\n        EACH_SERIAL(i, 4) {\n"
         "            k--;\n        }\n    }\n",
         {"line 6", "'k'", "line 3"}},
    };
    static const char *const right[] = {
        "    real a = 2, *p;\n    p = y;\n"
        "    EACH(i, n) { real a = x[i], b; b = a; a += b; p[i] = a; *(p + i) = b; }\n",
        "    long lo = 0;\n    for (lo = 0; lo < n; lo += GROUP) {\n"
        "        EACH_IN(i, lo, lo + GROUP) { for (int k = 0; k < 3; ++k) y[i] = k == 2 && lo <= i; }\n    }\n",
        "    SHARED(complex, t, 9);\n    PRIVATE(complex, a);\n"
        "    EACH(i, 9) { t[i].re = x[i]; AT(a, i).im = 1; char *s = \"lo = 1; n++\"; }\n",
        "    real a;\n#define SET a = 1\n    EACH(i, n) {\n"
        "        UNROLL for (int k = 0; k < 2; k++) { y[i] = k; }\n    }\n    a = 3;\n",
    };
    for (int i = 0; i < RW_COUNT(wrong); ++i) {
        char *text = rw_format("KERNEL(k, GLOBAL real *y, GLOBAL const real *x, int n)\n{\n%s}\n", wrong[i].body);
        rw_program *p;
        assert_int_equal(rw_program_create(dev, "wrong", text, &(rw_define){"GROUP", "8"}, 1, &p), RW_ERR_CHECK);
        for (int k = 0; k < 3; ++k)
            if (!strstr(rw_message(ctx), wrong[i].expected[k]))
                fail_msg("%d: \"%s\" is not in \"%s\"", i, wrong[i].expected[k], rw_message(ctx));
        rw_free(text);
    }
    for (int i = 0; i < RW_COUNT(right); ++i) {
        char *text = rw_format("KERNEL(k, GLOBAL real *y, GLOBAL const real *x, int n)\n{\n%s}\n", right[i]);
        need(rw_check_lint(ctx, "right", text), right[i]);
        rw_free(text);
    }
}

/* ---- the rest ---------------------------------------------------------------------------------------------- */

static void prints(void **state)
{
    (void)state;
    rw_program *p = compile("prints",
                            "KERNEL(k, GLOBAL const real *x, int n)\n{\n"
                            "    EACH_IN(i, n, n + 9) { if (i == n + 8) PRINT(\"x = %.2f%s\\n\", x[3], \"!\"); }\n"
                            "    PRINT(\"n = %d\", n);\n}\n",
                            NULL, NULL);
    rw_array *x = ramp(4);
    NEED(launch(p, "k", 2, 1, (rw_arg[]){rw_arg_array(x), rw_arg_int(5)}, 2));
    assert_non_null(strstr(log_text, "2 k, group 0, item 0 (i = 13): x = 3.00!\n2 k, group 0, all items: n = 5\n"));
    assert_non_null(strstr(log_text, "2 k, group 1, item 0 (i = 13): x = 3.00!\n"));
    rw_array_destroy(&x);
    rw_program_destroy(&p);
}

/* The same array for two parameters: legal, and named by both. An array that was not passed is not reachable. */
static void aliases(void **state)
{
    (void)state;
    rw_program *p = compile("aliases",
                            "KERNEL(k, GLOBAL real *y, GLOBAL const real *x, int at)\n{\n"
                            "    EACH(i, 8) { y[i] = x[i] + 1; }\n"
                            "    EACH(i, at) { y[at] = 1; }\n}\n",
                            NULL, NULL);
    rw_array *x = ramp(8);
    NEED(launch(p, "k", 1, 1, (rw_arg[]){rw_arg_array(x), rw_arg_array(x), rw_arg_int(0)}, 3));
    for (int i = 0; i < 8; ++i) assert_true(values(x)[i] == i + 1);
    assert_int_equal(launch(p, "k", 1, 1, (rw_arg[]){rw_arg_array(x), rw_arg_array(x), rw_arg_int(9)}, 3),
                     RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "array 'y', passed as 'x' too, of 8 f64 (element 9)"));
    rw_array_destroy(&x);
    rw_program_destroy(&p);
}

static void shapes_and_groups_are_named(void **state)
{
    (void)state;
    rw_program *p = compile("shapes",
                            "KERNEL(k, GLOBAL f32 *y)\n{\n"
                            "    EACH(i, 1) { y[GROUP_ID(1) * 100 + GROUP_ID(0)] = 1; }\n}\n",
                            NULL, NULL);
    rw_array *y, *empty;
    NEED(rw_array_create(dev, RW_F32, 2, (int64_t[]){3, 5}, RW_MEMORY_DEVICE, &y));
    NEED(rw_array_create(dev, RW_F32, 1, (int64_t[]){0}, RW_MEMORY_DEVICE, &empty));
    assert_int_equal(launch(p, "k", 2, 3, (rw_arg[]){rw_arg_array(y)}, 1), RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "group (0, 1), item 0"));
    assert_non_null(strstr(rw_message(ctx), "array 'y' of 3 x 5 f32 (element 100)"));
    assert_int_equal(launch(p, "k", 1, 1, (rw_arg[]){rw_arg_array(empty)}, 1), RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "0 bytes past the end of array 'y' of 0 f32"));
    rw_array_destroy(&y), rw_array_destroy(&empty);
    rw_program_destroy(&p);
}

/* Contents that nothing wrote stay unwritten through a copy; what a kernel wrote counts in the next launch. */
static void written_is_kept(void **state)
{
    (void)state;
    rw_program *p = compile("written",
                            "KERNEL(even, GLOBAL real *y, int n)\n{\n    EACH(i, n) { if (i % 2 == 0) y[i] = i; }\n}\n"
                            "KERNEL(read, GLOBAL real *y, GLOBAL const real *x, int n, int step)\n{\n"
                            "    EACH(i, n) { if (i % step == 0) y[i] = x[i]; }\n}\n",
                            NULL, NULL);
    rw_queue *q = rw_device_queue(dev);
    rw_array *x = array(RW_F64, 8), *c = array(RW_F64, 8), *y = array(RW_F64, 8);
    const void *host;
    assert_int_equal(rw_array_read(x, &host), RW_ERR_ARGUMENT);
    NEED(launch(p, "even", 1, 1, (rw_arg[]){rw_arg_array(x), rw_arg_int(8)}, 2));
    NEED(rw_array_copy(c, x, q));
    rw_arg args[] = {rw_arg_array(y), rw_arg_array(c), rw_arg_int(8), rw_arg_int(2)};
    NEED(launch(p, "read", 1, 1, args, 4));
    args[3] = rw_arg_int(1);
    assert_int_equal(launch(p, "read", 1, 1, args, 4), RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "reads element 1 of array 'x' of 8 f64, which nothing has written"));
    assert_true(isnan(values(x)[1]) && values(x)[2] == 2);
    NEED(rw_array_zero(c, q));
    NEED(launch(p, "read", 1, 1, args, 4));
    rw_array_destroy(&x), rw_array_destroy(&c), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* A host copy that was fetched and not written back is stale, as on a GPU. */
static void memory_is_discrete(void **state)
{
    (void)state;
    rw_program *p = compile("good", good, NULL, NULL);
    rw_array *x = ramp(4), *y = array(RW_F64, 4);
    rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(4)};
    NEED(launch(p, "good", 1, 1, args, 3));
    const void *host;
    NEED(rw_array_read(x, &host));
    ((double *)(uintptr_t)host)[1] = 100; /* forbidden: should be rw_array_update */
    NEED(launch(p, "good", 1, 1, args, 3));
    assert_true(values(y)[1] == 2);
    assert_int_equal(counters_of(dev).copies_in, 1);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void guards_are_verified(void **state)
{
    (void)state;
    rw_program *p = compile("good", good, NULL, NULL);
    rw_array *x = ramp(4), *y = array(RW_F64, 4);
    rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(4)};
    ((char *)y->storage->allocation->buffer.pointer)[32] = 0;
    assert_int_equal(launch(p, "good", 1, 1, args, 3), RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "guard zone: kernel good"));
    assert_non_null(strstr(rw_message(ctx), "changed byte 32 of array 'y' of 4 f64"));
    NEED(launch(p, "good", 1, 1, args, 3));
    ((char *)y->storage->allocation->buffer.pointer)[-256] = 0;
    rw_array_destroy(&x), rw_array_destroy(&y);
    assert_non_null(strstr(log_text, "0 check: byte -256 of an array of 32 bytes"));
    rw_program_destroy(&p);
}

static void managed_and_recorded(void **state)
{
    (void)state;
    rw_program *p = compile("good", good, NULL, NULL);
    rw_queue *q = rw_device_queue(dev);
    rw_array *x, *y = array(RW_F64, 4);
    void *host;
    NEED(rw_array_create(dev, RW_F64, 1, (int64_t[]){4}, RW_MEMORY_MANAGED, &x));
    NEED(rw_array_write(x, &host));
    for (int i = 0; i < 4; ++i) ((double *)host)[i] = i;
    rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(4)};
    rw_sequence *s;
    NEED(rw_record_begin(q));
    NEED(launch(p, "good", 1, 1, args, 3));
    args[2] = rw_arg_int(5);
    NEED(launch(p, "good", 1, 1, args, 3));
    NEED(rw_record_end(q, &s));
    assert_int_equal(rw_sequence_replay(s, q), RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "out of bounds: kernel good, line 3"));
    assert_true(values(y)[3] == 6);
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void names_and_orders(void **state)
{
    (void)state;
    const rw_device_properties *info = rw_device_info(dev);
    assert_string_equal(info->name, "check");
    assert_string_equal(info->kind, "check");
    assert_string_equal(info->identity, "");
    assert_non_null(strstr(info->hardware, "finding mistakes"));
    assert_false(info->gpu);
    rw_device *other;
    assert_int_equal(rw_device_open(ctx, "check:1", &other), RW_ERR_DEVICE);
    rw_program *p = compile("good", good, NULL, NULL);
    rw_array *x = ramp(4), *y = array(RW_F64, 4);
    rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(4)};
    set_order("revers");
    assert_int_equal(launch(p, "good", 1, 1, args, 3), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "nearest is reverse"));
    set_order(NULL);
    NEED(launch(p, "good", 1, 1, args, 3));
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* Without addr2line a report says behind which EACH it was. */
static void without_addr2line(void **state)
{
    (void)state;
    rw_program *p = compile("good", good, NULL, NULL);
    rw_array *x = ramp(4), *y = array(RW_F64, 4);
    char *path = rw_strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    rw_status status = launch(p, "good", 1, 1, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(5)}, 3);
    setenv("PATH", path, 1);
    assert_int_equal(status, RW_ERR_CHECK);
    assert_non_null(strstr(rw_message(ctx), "kernel good, after line 3, group 0, item 4"));
    rw_free(path);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* Memory that runs out at any place gives a status, and the next launch works. */
static void memory_runs_out(void **state)
{
    (void)state;
    rw_program *p = compile("stencil", stencil, NULL, NULL);
    for (long n = 1;; ++n) {
        int64_t size = 20;
        rw_array *x = ramp(size), *y = array(RW_F64, size);
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(size)};
        rw_status status = launch(p, "stencil", 3, 1, args, 3);
        long events = rw_fault_events(RW_FAULT_ALLOC);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status != RW_OK) assert_int_equal(status, RW_ERR_MEMORY);
        rw_array_destroy(&x), rw_array_destroy(&y);
        if (events < n) break;
    }
    stencil_at(p, 20);
    rw_program_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(findings_gcc, setup, teardown),
        cmocka_unit_test_setup_teardown(findings_clang, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_variables, setup, teardown),
        cmocka_unit_test_setup_teardown(prints, setup, teardown),
        cmocka_unit_test_setup_teardown(aliases, setup, teardown),
        cmocka_unit_test_setup_teardown(shapes_and_groups_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(written_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_is_discrete, setup, teardown),
        cmocka_unit_test_setup_teardown(guards_are_verified, setup, teardown),
        cmocka_unit_test_setup_teardown(managed_and_recorded, setup, teardown),
        cmocka_unit_test_setup_teardown(names_and_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(without_addr2line, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_runs_out, setup, teardown),
    };
    return cmocka_run_group_tests_name("device.check", tests, NULL, NULL);
}
