/* The group dialect on every device: its words, and its real and complex functions against C99. */
/* TEST: devices=all optimised */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "program_test.h"

/* ---- words of the dialect ---------------------------------------------------------------------------------------- */

static const char words_text[] =
    "CONSTANT f64 table[3] = {1, 10, 100};\n"
    "KERNEL(ranges, GLOBAL int *count, long lo, long hi, int n)\n"
    "{\n"
    "    EACH_IN(i, lo, hi) { count[i] += 1; }\n"
    "    BARRIER;\n"
    "    EACH(i, n) { count[i] += 1000; }\n"
    "    BARRIER;\n"
    "    EACH_SERIAL(i, n) { count[i] += 100000; }\n"
    "}\n"
    "KERNEL(plane, GLOBAL int *count, int ilo, int ihi, int jlo, int jhi, int nx)\n"
    "{\n"
    "    EACH2(i, ilo, ihi, j, jlo, jhi) { count[j * nx + i] += 1; }\n"
    "}\n"
    /* y[l]: sum of the x of lane l; then the largest */
    "KERNEL(lanes, GLOBAL f64 *y, GLOBAL const f64 *x, long lo, long hi)\n"
    "{\n"
    "    PRIVATE(f64, sum);\n"
    "    PRIVATE_N(f64, kept, 2);\n"
    "    EACH(i, GROUP) { AT(sum, i) = 0; AT_N(kept, 0, i) = -1; AT_N(kept, 1, i) = 7; }\n"
    "    EACH_IN(i, lo, hi) { AT(sum, i) += x[i]; AT_N(kept, 0, i) = RW_MAX(AT_N(kept, 0, i), x[i]); }\n"
    "    EACH(i, GROUP) { y[i] = AT(sum, i); y[GROUP + i] = AT_N(kept, 0, i); y[2 * GROUP + i] = AT_N(kept, 1, i); }\n"
    "}\n"
    /* each group's part from the end, through shared memory */
    "KERNEL(turn, GLOBAL f64 *y, GLOBAL const f64 *RESTRICT x)\n"
    "{\n"
    "    SHARED(f64, s, GROUP);\n"
    "    SHARED_LARGE(f64, large);\n"
    "    long start = GROUP_ID(0) * (long)GROUP;\n"
    "    EACH(i, GROUP) { s[i] = LOAD_ONCE(x + start + i); }\n"
    "    BARRIER;\n"
    "    EACH(i, GROUP) { large[i] = s[GROUP - 1 - i]; }\n"
    "    BARRIER;\n"
    "    EACH(i, GROUP) { STORE_ONCE(y + start + i, large[i]); }\n"
    "}\n"
    "KERNEL(where, GLOBAL int *y)\n"
    "{\n"
    "    int g = (GROUP_ID(2) * GROUP_COUNT(1) + GROUP_ID(1)) * GROUP_COUNT(0) + GROUP_ID(0);\n"
    "    EACH(i, 1) { y[g] = GROUP_ID(0) + 10 * GROUP_ID(1) + 100 * GROUP_ID(2) + 1000 * GROUP_COUNT(0) + 10000 * "
    "GROUP_COUNT(1) + 100000 * GROUP_COUNT(2); }\n"
    "}\n"
    "KERNEL(add_up, GLOBAL int *count, int n) { EACH(i, n) { ATOMIC_ADD(count + i % 5, i); } }\n"
    "typedef struct ALIGNED(8) { f32 a, b; } pair32;\n"
    "typedef struct ALIGNED(16) { f64 a, b; } pair64;\n"
    "#define MOVE(T, part) \\\n"
    "    EACH(i, n / 2) \\\n" /* 16 bytes of x */
    "    { \\\n"
    "        GLOBAL const T *from = (GLOBAL const T *)(x + 2 * i); \\\n"
    "        GLOBAL T *to = (GLOBAL T *)(y + 2 * (part) * n + 2 * i), *once = (GLOBAL T *)(y + (2 * (part) + 1) * n + "
    "2 * i); \\\n"
    "        for (int k = 0; k < 16 / (int)sizeof(T); ++k) { STORE_ONCE(to + k, LOAD(from + k)); STORE_ONCE(once + k, "
    "LOAD_ONCE(from + k)); } \\\n"
    "    }\n"
    "KERNEL(move, GLOBAL f64 *y, GLOBAL const f64 *x, int n)\n" /* x twelve times, by accesses of 1 to 16 bytes */
    "{\n"
    "    MOVE(u8, 0) MOVE(i16, 1) MOVE(f32, 2) MOVE(f64, 3) MOVE(pair32, 4) MOVE(pair64, 5)\n"
    "}\n"
    "KERNEL(warps, GLOBAL f64 *y, GLOBAL const f64 *x)\n" /* sums of 32 in f64 and f32 */
    "{\n"
    "    PRIVATE(f64, a);\n"
    "    PRIVATE(f32, b);\n"
    "    SHARED(f64, sums, (GROUP + 31) / 32);\n"
    "    SHARED(f32, sums32, (GROUP + 31) / 32);\n"
    "    SHARED(f64, scratch, GROUP);\n"
    "    SHARED(f32, scratch32, GROUP);\n"
    "    EACH(i, GROUP) { AT(a, i) = x[i]; AT(b, i) = (f32)(2 * x[i]); }\n"
    "    WARP_SUM(f64, sums, scratch, a);\n"
    "    WARP_SUM(f32, sums32, scratch32, b);\n"
    "    EACH(i, (GROUP + 31) / 32) { y[2 * i] = sums[i]; y[2 * i + 1] = sums32[i]; }\n"
    "}\n"
    "KERNEL(small, GLOBAL f64 *y, f64 a, f64 b)\n"
    "{\n"
    "    f64 v = 0;\n"
    "    UNROLL for (int k = 0; k < 3; ++k) v = v * 10 + table[k];\n"
    "    EACH(i, 1) { y[0] = FMA(a, b, -a * b); y[1] = SELECT(a > b, a, b); y[2] = v; y[3] = RW_MOD(-7.5, b); }\n"
    "}\n";

typedef struct words {
    int group, group_x;
    rw_program *p;
} words;

/* Programs live to the end: PoCL is slow at them. */
static words all_words[MAX_TEST_DEVICES][3];
static const struct {
    int group, group_x;
} widths[3] = {{72, 24}, {7, 7}, {1, 1}};

static void compile(int index)
{
    for (int w = 0; w < (on("opencl") ? 2 : 3); ++w) {
        char group[16], group_x[16], bytes[32];
        snprintf(group, sizeof group, "%d", widths[w].group),
            snprintf(group_x, sizeof group_x, "%d", widths[w].group_x);
        snprintf(bytes, sizeof bytes, "%d", 8 * widths[w].group);
        const rw_define defines[] = {{"GROUP", group}, {"GROUP_X", group_x}, {"SHARED_LARGE_BYTES", bytes}};
        all_words[index][w] = (words){widths[w].group, widths[w].group_x, NULL};
        OK(rw_program_create(dev, "words", words_text, defines, 3, &all_words[index][w].p));
    }
}
static void release(int index)
{
    for (int w = 0; w < 3; ++w) rw_program_destroy(&all_words[index][w].p);
}
#define EACH_WORDS(w) for (words *w = all_words[device_index()]; w < all_words[device_index()] + 3 && w->p; ++w)

static void test_each_visits_each_item_once(void **state)
{
    (void)state;
    enum { N = 200 };
    EACH_WORDS(w) {
        const int64_t ranges[][2] = {{0, N},     {0, 0},   {5, 5},        {5, 3},           {3, 4}, {17, 17 + w->group},
                                     {1, N - 1}, {63, 66}, {0, w->group}, {0, w->group + 1}};
        for (int r = 0; r < RW_COUNT(ranges); ++r) {
            rw_array *count = zeros(RW_I32, N);
            int64_t lo = ranges[r][0], hi = ranges[r][1], n = hi;
            OK(rw_launch(queue, kernel_of(w->p, "ranges"), one,
                         (rw_arg[]){rw_arg_array(count), rw_arg_int(lo), rw_arg_int(hi), rw_arg_int(n)}, 4));
            for (int i = 0; i < N; ++i) {
                int expected = (i >= lo && i < hi) + 101000 * (i < n);
                if (ints_of(count)[i] != expected)
                    fail_msg("GROUP %d, [%d, %d): item %d %d times", w->group, (int)lo, (int)hi, i, ints_of(count)[i]);
            }
            rw_array_destroy(&count);
        }
    }
}

static void test_each2_visits_each_item_once(void **state)
{
    (void)state;
    enum { NX = 37, NY = 13 };
    static const int boxes[][4] = {{0, NX, 0, NY}, {3, 4, 0, NY}, {0, NX, 12, 13}, {5, 36, 2, 11},
                                   {5, 5, 0, NY},  {0, NX, 4, 4}, {9, 2, 0, 3}};
    EACH_WORDS(w)
        for (int b = 0; b < RW_COUNT(boxes); ++b) {
            const int *x = boxes[b];
            rw_array *count = zeros(RW_I32, NX * NY);
            OK(rw_launch(queue, kernel_of(w->p, "plane"), one,
                         (rw_arg[]){rw_arg_array(count), rw_arg_int(x[0]), rw_arg_int(x[1]), rw_arg_int(x[2]),
                                    rw_arg_int(x[3]), rw_arg_int(NX)},
                         6));
            for (int j = 0; j < NY; ++j)
                for (int i = 0; i < NX; ++i) {
                    int expected = i >= x[0] && i < x[1] && j >= x[2] && j < x[3];
                    if (ints_of(count)[j * NX + i] != expected)
                        fail_msg("GROUP %d, box %d: item (%d, %d) %d times", w->group, b, i, j,
                                 ints_of(count)[j * NX + i]);
                }
            rw_array_destroy(&count);
        }
}

/* AT belongs to the lane, (i - lo) mod GROUP, from one EACH to the next. */
static void test_private_values_belong_to_lanes(void **state)
{
    (void)state;
    static const int ranges[][2] = {{0, 150}, {11, 150}, {11, 12}, {4, 4}};
    EACH_WORDS(w)
        for (int r = 0; r < RW_COUNT(ranges); ++r) {
            int lo = ranges[r][0], hi = ranges[r][1], g = w->group;
            rw_array *x = new_ramp(150, 1, 1), *y = zeros(RW_F64, 3 * g);
            OK(rw_launch(queue, kernel_of(w->p, "lanes"), one,
                         (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(lo), rw_arg_int(hi)}, 4));
            for (int lane = 0; lane < g; ++lane) {
                double sum = 0, largest = -1;
                for (int i = lo + lane; i < hi; i += g) sum += i + 1, largest = i + 1;
                assert_true(numbers_of(y)[lane] == sum && numbers_of(y)[g + lane] == largest &&
                            numbers_of(y)[2 * g + lane] == 7);
            }
            rw_array_destroy(&x), rw_array_destroy(&y);
        }
}

static void test_shared_memory_and_barriers(void **state)
{
    (void)state;
    EACH_WORDS(w) {
        int g = w->group, n = 9 * g;
        rw_array *x = new_ramp(n, 0, 1), *y = zeros(RW_F64, n);
        OK(launch1(queue, kernel_of(w->p, "turn"), 9, (rw_arg[]){rw_arg_array(y), rw_arg_array(x)}, 2));
        for (int i = 0; i < n; ++i) assert_true(numbers_of(y)[i] == i / g * g + g - 1 - i % g);
        rw_array_destroy(&x), rw_array_destroy(&y);
    }
}

static void test_groups_know_their_place(void **state)
{
    (void)state;
    EACH_WORDS(w) {
        rw_array *y = zeros(RW_I32, 5 * 3 * 2);
        OK(rw_launch(queue, kernel_of(w->p, "where"), (int64_t[3]){5, 3, 2}, (rw_arg[]){rw_arg_array(y)}, 1));
        for (int i = 0; i < 30; ++i) assert_int_equal(ints_of(y)[i], i % 5 + i / 5 % 3 * 10 + i / 15 * 100 + 235000);
        rw_array_destroy(&y);
    }
}

static void test_atomic_add(void **state)
{
    (void)state;
    enum { GROUPS = 40, N = 100 };
    EACH_WORDS(w) {
        rw_array *count = zeros(RW_I32, 5);
        OK(launch1(queue, kernel_of(w->p, "add_up"), GROUPS, (rw_arg[]){rw_arg_array(count), rw_arg_int(N)}, 2));
        for (int k = 0; k < 5; ++k) {
            int sum = 0;
            for (int i = k; i < N; i += 5) sum += i;
            assert_int_equal(ints_of(count)[k], GROUPS * sum);
        }
        rw_array_destroy(&count);
    }
}

/* Bit patterns are kept, those of NaN too. */
static void test_loads_and_stores(void **state)
{
    (void)state;
    enum { N = 90 };
    EACH_WORDS(w) {
        rw_array *x = zeros(RW_F64, N), *y = zeros(RW_F64, 12 * N);
        uint64_t bits[N];
        void *to;
        for (int i = 0; i < N; ++i) bits[i] = rw_random_u64(31, (uint64_t)i);
        OK(rw_array_update(x, &to));
        memcpy(to, bits, sizeof bits);
        OK(rw_launch(queue, kernel_of(w->p, "move"), one, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(N)},
                     3));
        for (int k = 0; k < 12; ++k)
            if (memcmp(numbers_of(y) + k * N, bits, sizeof bits)) fail_msg("GROUP %d, move %d differs", w->group, k);
        rw_array_destroy(&x), rw_array_destroy(&y);
    }
}

static void test_sums_of_warps(void **state)
{
    (void)state;
    EACH_WORDS(w) {
        rw_array *x = zeros(RW_F64, w->group), *y = zeros(RW_F64, 2 * (w->group + 31) / 32 + 1);
        void *to;
        OK(rw_array_update(x, &to));
        for (int i = 0; i < w->group; ++i) ((double *)to)[i] = i * i + 1;
        OK(rw_launch(queue, kernel_of(w->p, "warps"), one, (rw_arg[]){rw_arg_array(y), rw_arg_array(x)}, 2));
        for (int k = 0; k < (w->group + 31) / 32; ++k) {
            double sum = 0;
            for (int i = 32 * k; i < RW_MIN(32 * k + 32, w->group); ++i) sum += i * i + 1;
            if (numbers_of(y)[2 * k] != sum || numbers_of(y)[2 * k + 1] != 2 * sum)
                fail_msg("GROUP %d, warp %d: %g and %g, expected %g and %g", w->group, k, numbers_of(y)[2 * k],
                         numbers_of(y)[2 * k + 1], sum, 2 * sum);
        }
        rw_array_destroy(&x), rw_array_destroy(&y);
    }
}

static void test_small_words(void **state)
{
    (void)state;
    words *w = all_words[device_index()];
    rw_array *y = zeros(RW_F64, 4);
    const double a = 1 + 0x1p-30, b = 1 - 0x1p-29;
    OK(rw_launch(queue, kernel_of(w->p, "small"), one, (rw_arg[]){rw_arg_array(y), rw_arg_real(a), rw_arg_real(b)}, 3));
    double fused = fma(a, b, -a * b), twice = fma(a, b, -fma(a, b, 0)); /* -a * b may be contracted or not */
    assert_true(fabs(numbers_of(y)[0]) <= fmax(fabs(fused), fabs(twice)));
    assert_true(numbers_of(y)[1] == a && numbers_of(y)[2] == 1 * 100 + 10 * 10 + 100);
    assert_true(fabs(numbers_of(y)[3] - (-7.5 - b * floor(-7.5 / b))) < 1e-14);
    rw_array_destroy(&y);
}

/* a b + c is rounded twice in reproducible mode, once or twice in the other, and no compiler contracts the rest. */
static void test_multiply_add(void **state)
{
    (void)state;
    static const char text[] =
        "KERNEL(k, GLOBAL f64 *y, f64 a, f64 b, f64 c)\n{\n    EACH(i, 1) {\n        y[0] = MULADD(a, b, c);\n"
        "        y[1] = a * b + c;\n        y[2] = MULADD((f32)a, (f32)b, (f32)c);\n    }\n}\n";
    const double a = 1 + 0x1p-30, b = 1 - 0x1p-29, product = a * b;
    for (int reproducible = 0; reproducible < 2; ++reproducible) {
        rw_array *y = zeros(RW_F64, 3);
        rw_context_set_reproducible(ctx, reproducible);
        rw_program *p = build("multiply-add", text, "1", NULL, NULL);
        rw_context_set_reproducible(ctx, false);
        OK(rw_launch(queue, kernel_of(p, "k"), one,
                     (rw_arg[]){rw_arg_array(y), rw_arg_real(a), rw_arg_real(b), rw_arg_real(-product)}, 4));
        const double *got = numbers_of(y);
        assert_true(got[0] == 0 || (!reproducible && got[0] == fma(a, b, -product)));
        assert_true(got[1] == 0 && got[2] == 0);
        rw_program_destroy(&p);
        rw_array_destroy(&y);
    }
}

/* ---- dialect_math.h and dialect_complex.h ------------------------------------------------------------------------ */

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

static void test_dialect_math(void **state)
{
    (void)state;
    static const char text[] =
        "KERNEL(words, GLOBAL f64 *y, GLOBAL const f64 *x, int n)\n"
        "{\n"
        "    EACH(i, n * n) {\n"
        "        const f64 a = x[i / n], b = x[i % n];\n"
        "        y[5 * i] = RW_MIN(a, b); y[5 * i + 1] = RW_MAX(a, b); y[5 * i + 2] = RW_SIGN(a); y[5 * i + 3] = "
        "RW_MOD(a, b);\n"
        "        y[5 * i + 4] = -RW_INF;\n"
        "    }\n"
        "}\n";
    static const double values[] = {0,    1,      -1,    2.5,     -2.5,     7,         -7, 0.3,
                                    1e10, -1e-20, 1e300, -3e-300, INFINITY, -INFINITY, NAN};
    enum { N = sizeof values / sizeof *values };
    rw_program *p = build("math", text, "64", NULL, NULL);
    rw_array *x = new_ramp(N, 0, 0), *y = zeros(RW_F64, 5 * N * N);
    void *w;
    OK(rw_array_write(x, &w));
    memcpy(w, values, sizeof values);
    OK(rw_launch(queue, kernel_of(p, "words"), one, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(N)}, 3));
    for (int i = 0; i < N * N; ++i) {
        double a = values[i / N], b = values[i % N];
        const double *got = numbers_of(y) + 5 * i;
        bool nan = isnan(a) || isnan(b);
        if (!same(got[0], nan ? NAN : fmin(a, b))) fail_msg("min(%g, %g) = %g", a, b, got[0]);
        if (!same(got[1], nan ? NAN : fmax(a, b))) fail_msg("max(%g, %g) = %g", a, b, got[1]);
        if (!same(got[2], isnan(a) ? NAN : (a > 0) - (a < 0))) fail_msg("sign(%g) = %g", a, got[2]);
        double m = fmod(a, b); /* exact */
        if (m != 0 && (m < 0) != (b < 0)) m = isinf(b) ? NAN : m + b;
        if (!same(got[3], m == b ? nextafter(b, 0) : m)) fail_msg("mod(%g, %g) = %.17g, not %.17g", a, b, got[3], m);
        assert_true(got[4] == -INFINITY);
    }
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

/* ---- dialect_c.h ------------------------------------------------------------------------------------------------- */

/* clang-format off */
#define OF_ONE(X)                                                                                                      \
    X(fabs) X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin)      \
    X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(atanh) X(erf) X(erfc) X(tgamma) X(lgamma) X(floor) X(ceil)      \
    X(trunc) X(round) X(rint) X(nearbyint) X(logb) X(ilogb) X(lrint) X(lround) X(llrint) X(llround)
/* clang-format on */
/* clang-format off */
#define OF_TWO(X)                                                                                                      \
    X(pow) X(hypot) X(atan2) X(fmod) X(remainder) X(copysign) X(nextafter) X(fdim) X(fmax) X(fmin)
/* clang-format on */
#define WITH_INTEGER(X) X(ldexp) X(scalbn) X(scalbln)

/* The real functions of C are those of libm, for the type of their argument. */
static void test_functions_of_c(void **state)
{
    (void)state;
    if (!on("cpu") && !on("check")) skip();
#define ONE(f) "    *y++ = " #f "(s); *y++ = " #f "(w);\n"
#define TWO(f) "    *y++ = " #f "(s, t); *y++ = " #f "(w, x);\n"
#define BY(f) "    *y++ = " #f "(s, 3); *y++ = " #f "(w, 3);\n"
    static const char text[] =
        "KERNEL(functions, GLOBAL f64 *to, f32 s, f32 t, f64 w, f64 x)\n{\n"
        "    EACH(i, 1) {\n    GLOBAL f64 *y = to;\n" OF_ONE(ONE) OF_TWO(TWO) WITH_INTEGER(
            BY) "    *y++ = fma(s, t, s); *y++ = fma(w, x, w);\n"
                "    *y++ = acosh(1 + s); *y++ = acosh(1 + w);\n"
                "    int e = 0; *y++ = frexp(s, &e); *y++ = frexp(w, &e) + e;\n"
                "    *y++ = isnan(NAN * s) + 2 * isinf(HUGE_VAL) + 4 * isfinite(w) + 8 * (signbit(-w) != 0); *y++ = "
                "M_PI;\n"
                "    *y++ = (sizeof sin(s) == 4) + 2 * (sizeof sin(w) == 8) + 4 * (sizeof pow(s, t) == 4) + 8 * "
                "(sizeof pow(s, x) == 8)"
                " + 16 * (sizeof sqrt(2) == 8) + 32 * (sizeof fma(s, s, t) == 4); *y++ = INFINITY;\n    }\n}\n";
#undef ONE
#undef TWO
#undef BY
    volatile float s = 0.7f, t = 0.3f; /* not for the compiler, which rounds otherwise than libm */
    volatile double w = 0.6, x = 1.7;
    int e;
#define ONE(name) (double)name##f(s), (double)name(w),
#define TWO(name) (double)name##f(s, t), (double)name(w, x),
#define BY(name) (double)name##f(s, 3), (double)name(w, 3),
    const double expected[] = {OF_ONE(ONE) OF_TWO(TWO) WITH_INTEGER(BY)(double) fmaf(s, t, s),
                               fma(w, x, w),
                               (double)acoshf(1 + s),
                               acosh(1 + w),
                               (double)frexpf(s, &e),
                               frexp(w, &e) + e,
                               15,
                               3.14159265358979323846,
                               63,
                               INFINITY};
    enum { N = sizeof expected / sizeof *expected };
    rw_program *p = build("functions", text, "16", NULL, NULL);
    rw_array *y = zeros(RW_F64, N);
    OK(rw_launch(queue, kernel_of(p, "functions"), one,
                 (rw_arg[]){rw_arg_array(y), rw_arg_real((double)s), rw_arg_real((double)t), rw_arg_real(w),
                            rw_arg_real(x)},
                 5));
    for (int i = 0; i < N; ++i)
        if (!same(numbers_of(y)[i], expected[i]))
            fail_msg("number %d: %.17g, not %.17g", i, numbers_of(y)[i], expected[i]);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
}

enum {
    MAKE,
    ADD,
    SUB,
    MUL,
    SCALE,
    MAD,
    NEG,
    CONJ,
    ABS,
    ABS2,
    DIV,
    SQRT,
    EXP,
    LOG,
    POW,
    SIN,
    COS,
    SINH,
    COSH,
    TAN,
    TANH,
    FUNCTIONS
};
static const char *const function_names[] = {"make", "add", "sub",  "mul",  "scale", "mad", "neg",
                                             "conj", "abs", "abs2", "div",  "sqrt",  "exp", "log",
                                             "pow",  "sin", "cos",  "sinh", "cosh",  "tan", "tanh"};
static const char complex_text[] =
    "KERNEL(functions, GLOBAL T *y, GLOBAL const T *za, GLOBAL const T *wa, int n)\n"
    "{\n"
    "    EACH(i, n) {\n"
    "        const T z = za[i], w = wa[i];\n"
    "        y[i] = F(make)(z.re, z.im); y[n + i] = F(add)(z, w); y[2 * n + i] = F(sub)(z, w); y[3 * n + i] = "
    "F(mul)(z, w);\n"
    "        y[4 * n + i] = F(scale)(z, w.re); y[5 * n + i] = F(mad)(z, w, w); y[6 * n + i] = F(neg)(z);\n"
    "        y[7 * n + i] = F(conj)(z); y[8 * n + i] = F(make)(F(abs)(z), 0); y[9 * n + i] = F(make)(F(abs2)(z), 0);\n"
    "        y[10 * n + i] = F(div)(z, w); y[11 * n + i] = F(sqrt)(z); y[12 * n + i] = F(exp)(z); y[13 * n + i] = "
    "F(log)(z);\n"
    "        y[14 * n + i] = F(pow)(z, w); y[15 * n + i] = F(sin)(z); y[16 * n + i] = F(cos)(z); y[17 * n + i] = "
    "F(sinh)(z);\n"
    "        y[18 * n + i] = F(cosh)(z); y[19 * n + i] = F(tan)(z); y[20 * n + i] = F(tanh)(z);\n"
    "    }\n"
    "}\n";

/* The same by C99 in the precision above: long double for c128. */
static long double complex expected_value(int f, long double complex z, long double complex w)
{
    switch (f) {
    case MAKE: return z;
    case ADD: return z + w;
    case SUB: return z - w;
    case MUL: return z * w;
    case SCALE: return z * creall(w);
    case MAD: return w + z * w;
    case NEG: return -z;
    case CONJ: return conjl(z);
    case ABS: return cabsl(z);
    case ABS2: return creall(z) * creall(z) + cimagl(z) * cimagl(z);
    case DIV: return z / w;
    case SQRT: return csqrtl(z);
    case EXP: return cexpl(z);
    case LOG: return clogl(z);
    case POW: return z == 0 ? (w == 0) : cpowl(z, w); /* 0^w = 0, 0^0 = 1 */
    case SIN: return csinl(z);
    case COS: return ccosl(z);
    case SINH: return csinhl(z);
    case COSH: return ccoshl(z);
    case TAN: return ctanl(z);
    default: return ctanhl(z);
    }
}

/* What rounding may do, in units of eps |expected|. Each elementary function is within 4 ulp (OpenCL allows 4 for sin,
 * cos, sinh, cosh and hypot, 6 for atan2), products and quotients of a few of them add up to less than 24; sums that
 * cancel count by the size of their terms. */
static long double allowed(int f, long double complex z, long double complex w, long double complex expected)
{
    long double size = cabsl(expected);
    if (f == ADD || f == SUB) size = cabsl(z) + cabsl(w);
    if (f == MAD) size = cabsl(w) + cabsl(z) * cabsl(w);
    if (f == LOG) size = fmaxl(size, 1); /* log |z| loses digits where |z| is near 1 */
    /* exp of an argument rounded at its own size */
    if (f == POW && z != 0) size *= 1 + cabsl(w) * (cabsl(clogl(z)) + 1);
    return 24 * size;
}

static void check_complex(bool f32)
{
    static const double parts[] = {0, 0.5, -0.5, 1, -1, 3, -3, 1e-6, -1e-6, 12, -12};
    enum { P = sizeof parts / sizeof *parts, Z = P * P, EXTRA = 8, N = 2 * Z + EXTRA };
    static const double extra[EXTRA][4] = {/* large and small: where the plain formulas overflow */
                                           {1e18, 1e18, 1e18, -1e17}, {1e-18, 2e-18, 1e-18, 1e-17},
                                           {3e18, 0, 0, 2e18},        {30, 0.4, 1, 1},
                                           {-30, 0.4, 1, 1},          {60, -2, 1, 1},
                                           {-4, 1e-19, 2, 0},         {1, 1e-12, 0.5, 0}};
    static long double complex z[N], w[N];
    const double eps = f32 ? FLT_EPSILON : DBL_EPSILON, largest = f32 ? FLT_MAX : DBL_MAX,
                 least = f32 ? FLT_MIN : DBL_MIN;
    rw_dtype dtype = f32 ? RW_C64 : RW_C128;
    const rw_define defines[] = {{"GROUP", "64"},
                                 {"WITH_COMPLEX", "1"},
                                 {"T", f32 ? "c64" : "c128"},
                                 {"F(name)", f32 ? "c64_##name" : "c128_##name"}};
    rw_program *p;
    OK(rw_program_create(dev, "complex", complex_text, defines, 4, &p));
    rw_array *za = new_array(dtype, N, RW_MEMORY_DEVICE), *wa = new_array(dtype, N, RW_MEMORY_DEVICE),
             *y = zeros(dtype, FUNCTIONS * N);
    void *a, *b;
    const void *got;
    OK(rw_array_write(za, &a));
    OK(rw_array_write(wa, &b));
    for (int i = 0; i < N; ++i) {
        double v[4];
        for (int k = 0; k < 4; ++k)
            v[k] = i >= 2 * Z ? extra[i - 2 * Z][k]
                   : k < 2    ? parts[k ? i % P : i / P % P]
                              : parts[(i * (7 + 3 * k) + i / Z + 5) % P] * (k == 2 ? 1 : 0.75);
        for (int k = 0; k < 4; ++k) {
            if (f32) ((float *)(k < 2 ? a : b))[2 * i + k % 2] = (float)v[k], v[k] = (float)v[k];
            else ((double *)(k < 2 ? a : b))[2 * i + k % 2] = v[k];
        }
        z[i] = v[0] + v[1] * (long double complex)I, w[i] = v[2] + v[3] * (long double complex)I;
    }
    OK(rw_launch(queue, kernel_of(p, "functions"), one,
                 (rw_arg[]){rw_arg_array(y), rw_arg_array(za), rw_arg_array(wa), rw_arg_int(N)}, 4));
    OK(rw_array_read(y, &got));
    for (int f = 0; f < FUNCTIONS; ++f)
        for (int i = 0; i < N; ++i) {
            long double complex e = expected_value(f, z[i], w[i]);
            int at = 2 * (f * N + i);
            long double re = f32 ? ((const float *)got)[at] : ((const double *)got)[at];
            long double im = f32 ? ((const float *)got)[at + 1] : ((const double *)got)[at + 1];
            long double size = fmaxl(fabsl(creall(e)), fabsl(cimagl(e)));
            if ((f == DIV && w[i] == 0) || (f == LOG && z[i] == 0)) continue; /* infinite one way or another */
            if (isnan((double)size) || size > largest / 4 || (size < 4 * least && size > 0)) continue;
            if (f == ABS2 && size < 1e-30 && f32) continue;
            if (f == TAN && fabsl(cimagl(z[i])) > (f32 ? 80 : 700)) continue; /* sin and cos overflow: known limit */
            long double error = hypotl(re - creall(e), im - cimagl(e));
            /* an imaginary part of either sign on the cut of sqrt and log */
            if ((f == SQRT || f == LOG || f == POW) && cimagl(z[i]) == 0)
                error = fminl(error, hypotl(re - creall(e), im + cimagl(e)));
            if (!(error <= allowed(f, z[i], w[i], e) * eps + least))
                fail_msg("%s %s(%Lg%+Lgi, %Lg%+Lgi) = %Lg%+Lgi, expected %Lg%+Lgi", f32 ? "c64" : "c128",
                         function_names[f], creall(z[i]), cimagl(z[i]), creall(w[i]), cimagl(w[i]), re, im, creall(e),
                         cimagl(e));
        }
    rw_array_destroy(&za), rw_array_destroy(&wa), rw_array_destroy(&y);
    rw_program_destroy(&p);
}

static void test_complex_128(void **state)
{
    (void)state;
    check_complex(false);
}

static void test_complex_64(void **state)
{
    (void)state;
    check_complex(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_visits_each_item_once),
        cmocka_unit_test(test_each2_visits_each_item_once),
        cmocka_unit_test(test_private_values_belong_to_lanes),
        cmocka_unit_test(test_shared_memory_and_barriers),
        cmocka_unit_test(test_groups_know_their_place),
        cmocka_unit_test(test_atomic_add),
        cmocka_unit_test(test_loads_and_stores),
        cmocka_unit_test(test_sums_of_warps),
        cmocka_unit_test(test_small_words),
        cmocka_unit_test(test_multiply_add),
        cmocka_unit_test(test_dialect_math),
        cmocka_unit_test(test_functions_of_c),
        cmocka_unit_test(test_complex_128),
        cmocka_unit_test(test_complex_64),
    };
    return run_on_devices_with("dialect", tests, RW_COUNT(tests), compile, release);
}
