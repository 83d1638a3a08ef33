/* Conversions between all types of elements against the host's own arithmetic, and atomic operations. */
/* TEST: devices=all optimised */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "../devices.h"
#include "core/convert.h"

/* ---- a number of each type, as long double and a mark for NaN ---------------------------------------------------- */

static long double half_value(uint16_t h)
{
    const int e = h >> 10 & 31, m = h & 1023;
    const long double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpl(1024 + m, e - 25) : ldexpl(m, -24);
    return h & 0x8000 ? -v : v;
}

static long double brain_value(uint16_t b)
{
    const uint32_t bits = (uint32_t)b << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static long double value_of(rw_dtype t, const void *p, int64_t i, int part)
{
    switch (t) {
    case RW_F32: return ((const float *)p)[i];
    case RW_F64: return ((const double *)p)[i];
    case RW_C64: return ((const float *)p)[2 * i + part];
    case RW_C128: return ((const double *)p)[2 * i + part];
    case RW_I8: return ((const int8_t *)p)[i];
    case RW_I16: return ((const int16_t *)p)[i];
    case RW_I32: return ((const int32_t *)p)[i];
    case RW_I64: return ((const int64_t *)p)[i];
    case RW_U8:
    case RW_BOOL: return ((const uint8_t *)p)[i];
    case RW_U16: return ((const uint16_t *)p)[i];
    case RW_U32: return ((const uint32_t *)p)[i];
    case RW_U64: return ((const uint64_t *)p)[i];
    case RW_F16: return half_value(((const uint16_t *)p)[i]);
    case RW_BF16: return brain_value(((const uint16_t *)p)[i]);
    default: return 0;
    }
}

/* Rounded to `digits` binary digits, exponents from `least` on (of the last digit of the smallest), infinity from
 * 2^`most`. */
static long double rounded(long double v, int digits, int least, int most)
{
    int e;
    if (v == 0 || isnan(v) || isinf(v)) return v;
    frexpl(v, &e);
    const int unit = e - digits > least ? e - digits : least;
    const long double r = ldexpl(rintl(ldexpl(v, -unit)), unit);
    return fabsl(r) >= ldexpl(1, most) ? copysignl(INFINITY, v) : r;
}

static long double saturated(long double v, long double least, long double most)
{
    const long double r = rintl(v) + 0.0L; /* no -0 */
    return isnan(v) ? 0 : r < least ? least : r > most ? most : r;
}

static long double converted(rw_dtype t, long double v)
{
    switch (t) {
    case RW_F32:
    case RW_C64: return rounded(v, 24, -149, 128);
    case RW_F64:
    case RW_C128: return rounded(v, 53, -1074, 1024);
    case RW_F16: return rounded(v, 11, -24, 16);
    case RW_BF16: return rounded(v, 8, -133, 128);
    case RW_I8: return saturated(v, -0x1p7L, 0x1p7L - 1);
    case RW_I16: return saturated(v, -0x1p15L, 0x1p15L - 1);
    case RW_I32: return saturated(v, -0x1p31L, 0x1p31L - 1);
    case RW_I64: return saturated(v, -0x1p63L, 0x1p63L - 1);
    case RW_U8: return saturated(v, 0, 0x1p8L - 1);
    case RW_U16: return saturated(v, 0, 0x1p16L - 1);
    case RW_U32: return saturated(v, 0, 0x1p32L - 1);
    case RW_U64: return saturated(v, 0, 0x1p64L - 1);
    default: return v != 0;
    }
}

/* Bits of all kinds: every exponent, borders of the types, midway between neighbours, random ones. */
enum { COUNT = 6000 };
static void fill(rw_dtype t, void *data)
{
    static const double borders[] = {0,
                                     -0.,
                                     0.5,
                                     1.5,
                                     2.5,
                                     -0.5,
                                     -1.5,
                                     127.5,
                                     128.5,
                                     -128.5,
                                     255.5,
                                     254.5,
                                     32767.5,
                                     -32768.5,
                                     65535.5,
                                     65519.999,
                                     65520,
                                     2147483647.5,
                                     -2147483648.5,
                                     4294967295.5,
                                     0x1p63,
                                     -0x1p63,
                                     0x1p64,
                                     0x1p24 + 1,
                                     1e300,
                                     -1e300,
                                     3.4e38,
                                     3.5e38,
                                     6e-8,
                                     3e-8,
                                     2.98e-8,
                                     1e-45,
                                     1e-320,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     FLT_MAX,
                                     DBL_MAX,
                                     1 + 0x1p-11,
                                     1 + 0x1p-11 + 0x1p-40,
                                     1 + 3 * 0x1p-11,
                                     1 + 0x1p-8,
                                     1 + 0x1p-8 + 0x1p-45,
                                     1 + 0x1p-24,
                                     1 + 0x1p-24 + 0x1p-50,
                                     0x1p-25,
                                     0x1p-25 + 0x1p-70,
                                     3 * 0x1p-25};
    const size_t part = rw_dtype_size(t) / (rw_dtype_is_complex(t) ? 2 : 1), parts = rw_dtype_size(t) / part;
    for (size_t i = 0; i < COUNT * parts; ++i) {
        uint64_t bits = rw_random_u64(77 + (uint64_t)t, i);
        char *to = (char *)data + i * part;
        const bool real = t == RW_F32 || t == RW_F64 || rw_dtype_is_complex(t);
        const double b = borders[i / 3 % RW_COUNT(borders)];
        if (t == RW_BOOL) bits &= 1;
        else if (real && i % 3 == 0) {
            if (part == 8) memcpy(&bits, &b, 8);
            else memcpy(&bits, &(float){(float)b}, 4);
        } else if (real && i % 3 == 1) { /* moderate sizes, rounded to few digits */
            const double v = ldexp((double)(int64_t)(bits >> 40) - 0x1p23, (int)(bits % 60) - 40);
            if (part == 8) memcpy(&bits, &v, 8);
            else memcpy(&bits, &(float){(float)v}, 4);
        } else if (i % 5 == 0 && rw_dtype_is_integer(t)) {
            bits = i % 2 ? bits >> (8 * part - 4) : ~(bits >> 60); /* small ones */
            if (i % 15 == 0) bits = (uint64_t)1 << (i % (8 * part));
            if (i % 35 == 0) bits = ((uint64_t)1 << (i % (8 * part))) - 1;
        }
        memcpy(to, &bits, part);
    }
}

static void test_all_conversions(void **state)
{
    (void)state;
    for (int from = RW_F32; from <= RW_BOOL; ++from)
        for (int to = RW_F32; to <= RW_BOOL; ++to) {
            if (rw_dtype_is_complex((rw_dtype)from) && !rw_dtype_is_complex((rw_dtype)to)) continue;
            if (!test_long() && (from * 15 + to) % (brief() ? 28 : 4) && from != to) continue;
            rw_array *x = new_array((rw_dtype)from, COUNT, RW_MEMORY_DEVICE),
                     *y = new_array((rw_dtype)to, COUNT, RW_MEMORY_DEVICE);
            void *w;
            const void *in, *out;
            OK(rw_array_write(x, &w));
            fill((rw_dtype)from, w);
            OK(rw_array_copy(y, x, queue));
            OK(rw_array_read(y, &out));
            OK(rw_array_read(x, &in));
            char *host = calloc(COUNT, rw_dtype_size((rw_dtype)to)); /* the host's own conversion: the same bits */
            rw_dtype_convert((rw_dtype)to, host, (rw_dtype)from, in, COUNT);
            const size_t size = rw_dtype_size((rw_dtype)to);
            for (int64_t i = 0; i < COUNT; ++i)
                for (int part = 0; part <= rw_dtype_is_complex((rw_dtype)to); ++part) {
                    const bool made = part && !rw_dtype_is_complex((rw_dtype)from);
                    const long double v = made ? 0 : value_of((rw_dtype)from, in, i, part),
                                      want = converted((rw_dtype)to, v), got = value_of((rw_dtype)to, out, i, part);
                    if (!(got == want || (isnan(got) && isnan(want))) ||
                        (!isnan(want) && !signbit(got) != !signbit(want)))
                        fail_msg("%s from %s: %.21Lg becomes %.21Lg, not %.21Lg", rw_dtype_name((rw_dtype)to),
                                 rw_dtype_name((rw_dtype)from), v, got, want);
                    if (!isnan(want) && memcmp(host + (size_t)i * size, (const char *)out + (size_t)i * size, size) &&
                        !rw_dtype_is_complex((rw_dtype)to))
                        fail_msg("%s from %s: %.21Lg becomes %.21Lg on the host", rw_dtype_name((rw_dtype)to),
                                 rw_dtype_name((rw_dtype)from), v, value_of((rw_dtype)to, host, i, part));
                }
            free(host);
            rw_array_destroy(&x), rw_array_destroy(&y);
        }
}

/* All 65536 f16 and bf16 come back as they are, but for the bits of NaN. */
static void test_every_small_float(void **state)
{
    (void)state;
    for (int t = RW_F16; t <= RW_BF16; ++t) {
        rw_array *x = new_array((rw_dtype)t, 65536, RW_MEMORY_DEVICE), *y = new_array(RW_F64, 65536, RW_MEMORY_DEVICE),
                 *z = new_array((rw_dtype)t, 65536, RW_MEMORY_DEVICE);
        void *w;
        const void *back;
        OK(rw_array_write(x, &w));
        for (int i = 0; i < 65536; ++i) ((uint16_t *)w)[i] = (uint16_t)i;
        OK(rw_array_copy(y, x, queue));
        OK(rw_array_copy(z, y, queue));
        OK(rw_array_read(z, &back));
        for (int i = 0; i < 65536; ++i) {
            const long double v = t == RW_F16 ? half_value((uint16_t)i) : brain_value((uint16_t)i);
            const double got = numbers_of(y)[i];
            assert_true(isnan(v) ? isnan(got) : (long double)got == v);
            if (!isnan(v)) assert_int_equal(((const uint16_t *)back)[i], i);
        }
        rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z);
    }
}

/* ---- atomic operations ------------------------------------------------------------------------------------------- */

/* N values v(i) = i mod 7 - 2: their sum, least, greatest by atomics in memory of the device and of the group; a chain
 * of exchanges, whose old values and what is left are all values once; N increments by compare and swap. */
static const char atomics[] =
    "KERNEL(count, GLOBAL T *y, GLOBAL T *old, long n)\n"
    "{\n"
    "    SHARED(T, s, 3);\n"
    "    EACH(i, 1) { s[0] = 0; s[1] = 5; s[2] = -5 < (T)0 ? -5 : 0; }\n"
    "    BARRIER;\n"
    "    EACH_IN(i, GROUP_ID(0) * (long)GROUP, GROUP_ID(0) * (long)GROUP + GROUP)\n"
    "    {\n"
    "        const T v = (T)(i % 7) - (T)LESS;\n"
    "        ATOMIC_ADD(&y[0], v);\n"
    "        ATOMIC_MIN(&y[1], v);\n"
    "        ATOMIC_MAX(&y[2], v);\n"
    "        old[i] = ATOMIC_EXCHANGE(&y[3], (T)(i + 1));\n"
    "        ATOMIC_ADD(&s[0], v);\n"
    "        ATOMIC_MIN(&s[1], v);\n"
    "        ATOMIC_MAX(&s[2], v);\n"
    "        T seen = (T)0;\n"
    "        for (;;) {\n"
    "            const T found = ATOMIC_CAS(&y[4], seen, seen + 1);\n"
    "            if (found == seen) break;\n"
    "            seen = found;\n"
    "        }\n"
    "    }\n"
    "    BARRIER;\n"
    "    EACH(i, 1) { ATOMIC_ADD(&y[5], s[0]); ATOMIC_MIN(&y[6], s[1]); ATOMIC_MAX(&y[7], s[2]); }\n"
    "}\n"
    "KERNEL(tick, GLOBAL i64 *y, long n) { EACH(i, 1) { const i64 before = CLOCK(); y[1] = n; y[0] = CLOCK() - "
    "before; } }\n";

static void test_atomics(void **state)
{
    (void)state;
    enum { N = 4096, GROUP = 64 };
    static const rw_dtype types[] = {RW_I32, RW_U32, RW_I64, RW_F32, RW_F64};
    for (int t = 0; t < RW_COUNT(types); ++t) {
        const int less = types[t] == RW_U32 ? 0 : 2;
        const rw_define d[] = {{"GROUP", "64"}, {"T", rw_dtype_name(types[t])}, {"LESS", less ? "2" : "0"}};
        rw_program *p;
        OK(rw_program_create(dev, "atomics", atomics, d, RW_COUNT(d), &p));
        rw_array *y = new_array(types[t], 8, RW_MEMORY_DEVICE), *old = new_array(types[t], N, RW_MEMORY_DEVICE);
        void *w;
        const void *out;
        OK(rw_array_zero(y, queue));
        OK(rw_array_update(y, &w));
        for (int i = 0; i < 2; ++i) /* least so far: 0 */
            memset((char *)w + rw_dtype_size(types[t]) * (size_t)(i ? 6 : 1), 0, rw_dtype_size(types[t]));
        const rw_arg args[] = {rw_arg_array(y), rw_arg_array(old), rw_arg_int(N)};
        OK(launch1(queue, kernel_of(p, "count"), N / GROUP, args, 3));
        OK(rw_array_read(y, &out));
        long double sum = 0, seen = 0;
        for (int i = 0; i < N; ++i) sum += i % 7 - less;
        const long double want[8] = {sum, -less, 6 - less, -1, N, sum, -less, 6 - less};
        for (int i = 0; i < 8; ++i)
            if (i != 3 && value_of(types[t], out, i, 0) != want[i])
                fail_msg("%s: number %d is %Lg, not %Lg", rw_dtype_name(types[t]), i, value_of(types[t], out, i, 0),
                         want[i]);
        seen = value_of(types[t], out, 3, 0);
        OK(rw_array_read(old, &out));
        for (int i = 0; i < N; ++i) seen += value_of(types[t], out, i, 0);
        assert_true(seen == N * (N + 1) / 2);
        rw_array_destroy(&y), rw_array_destroy(&old), rw_program_destroy(&p);
    }
}

static void test_clock(void **state)
{
    (void)state;
    const rw_define d[] = {{"GROUP", "64"}, {"T", "i32"}, {"LESS", "0"}};
    rw_program *p;
    OK(rw_program_create(dev, "atomics", atomics, d, RW_COUNT(d), &p));
    rw_array *y = new_array(RW_I64, 2, RW_MEMORY_DEVICE);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_int(5)};
    const void *out;
    OK(launch1(queue, kernel_of(p, "tick"), 1, args, 2));
    OK(rw_array_read(y, &out));
    const int64_t ticks = ((const int64_t *)out)[0];
    assert_true(ticks >= 0 && ticks < 1000000000);
#if defined(__x86_64__)
    if (on("cpu") || on("cuda")) assert_true(ticks > 0);
#endif
    rw_array_destroy(&y), rw_program_destroy(&p);
}

/* Kernels that compute with small types, and what numbers of the wide ones they take. */
static void test_kernels_with_small_types(void **state)
{
    (void)state;
    static const char text[] =
        "KERNEL(k, GLOBAL f16 *h, GLOBAL bf16 *b, GLOBAL u8 *u, GLOBAL const i8 *s, u32 a, u64 c, long n)\n"
        "{\n"
        "    EACH(i, n)\n"
        "    {\n"
        "        const f32 v = (f32)s[i] + 0.5f;\n"
        "        h[i] = f16_from_f32(v);\n"
        "        b[i] = bf16_from_f32(f32_from_f16(h[i]) + (f32)a);\n"
        "        u[i] = u8_from_f64((f64)f32_from_bf16(b[i]) + (f64)c);\n"
        "    }\n"
        "}\n";
    enum { N = 100 };
    const rw_define d[] = {{"GROUP", "64"}};
    rw_program *p;
    OK(rw_program_create(dev, "small", text, d, 1, &p));
    rw_array *h = new_array(RW_F16, N, RW_MEMORY_DEVICE), *b = new_array(RW_BF16, N, RW_MEMORY_DEVICE),
             *u = new_array(RW_U8, N, RW_MEMORY_DEVICE), *s = new_array(RW_I8, N, RW_MEMORY_DEVICE);
    void *w;
    const void *hp, *bp, *up;
    OK(rw_array_write(s, &w));
    for (int i = 0; i < N; ++i) ((int8_t *)w)[i] = (int8_t)(i - 50);
    rw_arg args[] = {rw_arg_array(h), rw_arg_array(b), rw_arg_array(u), rw_arg_array(s),
                     rw_arg_int(3),   rw_arg_int(1),   rw_arg_int(N)};
    OK(launch1(queue, kernel_of(p, "k"), 1, args, 7));
    OK(rw_array_read(h, &hp));
    OK(rw_array_read(b, &bp));
    OK(rw_array_read(u, &up));
    for (int i = 0; i < N; ++i) {
        const long double v = i - 50 + 0.5L, sum = converted(RW_BF16, v + 3);
        assert_true(value_of(RW_F16, hp, i, 0) == v);
        assert_true(value_of(RW_BF16, bp, i, 0) == sum);
        assert_true(value_of(RW_U8, up, i, 0) == converted(RW_U8, sum + 1));
    }
    static const struct {
        int at;
        rw_arg no;
    } refused[] = {{4, {.integer = -1, .is_integer = true}},
                   {4, {.integer = (int64_t)1 << 32, .is_integer = true}},
                   {5, {.integer = -1, .is_integer = true}},
                   {5, {.re = 0.5}},
                   {4, {.re = 4294967296.}}};
    for (int i = 0; i < RW_COUNT(refused); ++i) {
        const rw_arg was = args[refused[i].at];
        args[refused[i].at] = refused[i].no;
        FAILS(RW_ERR_ARGUMENT, refused[i].at == 4 ? "does not fit the type u32" : "does not fit the type u64",
              launch1(queue, kernel_of(p, "k"), 1, args, 7));
        args[refused[i].at] = was;
    }
    rw_array_destroy(&h), rw_array_destroy(&b), rw_array_destroy(&u), rw_array_destroy(&s), rw_program_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_conversions), cmocka_unit_test(test_every_small_float),
                                       cmocka_unit_test(test_kernels_with_small_types), cmocka_unit_test(test_atomics),
                                       cmocka_unit_test(test_clock)};
    return run_on_devices("types", tests, RW_COUNT(tests));
}
