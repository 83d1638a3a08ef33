/* Elements of arrays from one type to another on the host, as kernels convert them (src/kernels/dialect_types.h,
 * docs/reference/types.md). */
#include "core/convert.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* Part of an element: an integer, exactly, or a real number. */
typedef struct number {
    bool is_integer;
    wide i;
    double d;
} number;

static double f16_value(uint16_t h)
{
    const int exponent = h >> 10 & 31, digits = h & 1023;
    const double v = exponent == 31 ? (digits ? (double)NAN : (double)INFINITY)
                     : exponent     ? ldexp(1024 + digits, exponent - 25)
                                    : ldexp(digits, -24);
    return h & 0x8000 ? -v : v;
}

static double bf16_value(uint16_t b)
{
    const uint32_t bits = (uint32_t)b << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* v in a format with `digits` binary digits, the last of which is never worth less than 2^least; infinity from 2^most
 * on. */
static double rounded(double v, int digits, int least, int most)
{
    int exponent;
    if (v == 0 || !isfinite(v)) return v;
    frexp(v, &exponent);
    const int unit = RW_MAX(exponent - digits, least);
    const double r = ldexp(rint(ldexp(v, -unit)), unit);
    return fabs(r) >= ldexp(1, most) ? copysign((double)INFINITY, v) : r;
}

static uint16_t f16_bits(double v)
{
    const double r = rounded(v, 11, -24, 16), size = fabs(r);
    const unsigned sign = signbit(v) ? 0x8000 : 0;
    int exponent;
    if (isnan(v)) return (uint16_t)(sign | 0x7e00);
    if (isinf(r)) return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14) return (uint16_t)(sign | (unsigned)ldexp(size, 24));
    const double digits = ldexp(frexp(size, &exponent), 11); /* 1024 … 2047 */
    return (uint16_t)(sign | ((unsigned)(exponent + 14) << 10) | ((unsigned)digits - 1024));
}

static uint16_t bf16_bits(double v)
{
    const float f = (float)rounded(v, 8, -133, 128);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return isnan(v) ? (uint16_t)((bits >> 16 & 0x8000) | 0x7fc0) : (uint16_t)(bits >> 16);
}

static number load(rw_dtype type, const void *from, size_t i)
{
#define RW_X(T, c)                                                                                                     \
    case RW_##T: return (number){true, ((const c *)from)[i], 0};
    switch (type) {
        /* clang-format off */
        RW_X(I8, int8_t)
        RW_X(I16, int16_t)
        RW_X(I32, int32_t)
        RW_X(I64, int64_t)
        RW_X(U8, uint8_t)
        RW_X(U16, uint16_t)
        RW_X(U32, uint32_t)
        RW_X(U64, uint64_t)
        RW_X(BOOL, uint8_t)
        /* clang-format on */
#undef RW_X
    case RW_F32:
    case RW_C64: return (number){.d = (double)((const float *)from)[i]};
    case RW_F64:
    case RW_C128: return (number){.d = ((const double *)from)[i]};
    case RW_F16: return (number){.d = f16_value(((const uint16_t *)from)[i])};
    case RW_BF16: return (number){.d = bf16_value(((const uint16_t *)from)[i])};
    case RW_DTYPE_DEFAULT: break;
    }
    return (number){0};
}

/* The 53 leading bits, the last one odd where others follow (round to odd): a second rounding then equals one. */
static double leading(wide v)
{
    const wide size = v < 0 ? -v : v;
    int shift = 0;
    while (size >> shift >> 53) ++shift;
    const wide kept = size >> shift, odd = kept << shift == size ? kept : kept | 1;
    return (v < 0 ? -1 : 1) * ldexp((double)odd, shift);
}

static wide saturated(number n, wide least, wide most)
{
    if (n.is_integer) return n.i < least ? least : n.i > most ? most : n.i;
    const double r = rint(n.d);
    return isnan(r) ? 0 : r <= (double)least ? least : r >= (double)most ? most : (wide)r;
}

static void store(rw_dtype type, void *to, size_t i, number n)
{
    const double small = n.is_integer ? leading(n.i) : n.d;
#define RW_X(T, c, least, most)                                                                                        \
    case RW_##T: ((c *)to)[i] = (c)saturated(n, least, most); break;
    switch (type) {
        /* clang-format off */
        RW_X(I8, int8_t, INT8_MIN, INT8_MAX)
        RW_X(I16, int16_t, INT16_MIN, INT16_MAX)
        RW_X(I32, int32_t, INT32_MIN, INT32_MAX)
        RW_X(I64, int64_t, INT64_MIN, INT64_MAX)
        RW_X(U8, uint8_t, 0, UINT8_MAX)
        RW_X(U16, uint16_t, 0, UINT16_MAX)
        RW_X(U32, uint32_t, 0, UINT32_MAX)
        RW_X(U64, uint64_t, 0, UINT64_MAX)
        /* clang-format on */
#undef RW_X
    case RW_BOOL: ((uint8_t *)to)[i] = n.is_integer ? n.i != 0 : n.d != 0; break;
    case RW_F32:
    case RW_C64: ((float *)to)[i] = n.is_integer ? (float)n.i : (float)n.d; break;
    case RW_F64:
    case RW_C128: ((double *)to)[i] = n.is_integer ? (double)n.i : n.d; break;
    case RW_F16: ((uint16_t *)to)[i] = f16_bits(small); break;
    case RW_BF16: ((uint16_t *)to)[i] = bf16_bits(small); break;
    case RW_DTYPE_DEFAULT: break;
    }
}

void rw_dtype_convert(rw_dtype to, void *dst, rw_dtype from, const void *src, size_t n)
{
    const size_t parts = rw_dtype_is_complex(to) ? 2 : 1, given = rw_dtype_is_complex(from) ? 2 : 1;
    if (n == 1 && parts == 1 && given == 1) {
        store(to, dst, 0, load(from, src, 0));
        return;
    }
    if (to == from) {
        if (n) memcpy(dst, src, n * rw_dtype_size(to));
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; ++i)
        for (size_t part = 0; part < parts; ++part)
            store(to, dst, parts * i + part, part < given ? load(from, src, given * i + part) : (number){0});
}

double rw_dtype_round(rw_dtype dtype, double v)
{
    uint64_t kept = 0;
    double r = 0;
    rw_dtype_convert(dtype, &kept, RW_F64, &v, 1);
    rw_dtype_convert(RW_F64, &r, dtype, &kept, 1);
    return r;
}
