/* Conversions between what arrays store and what kernels compute with, f32 f64 i32 i64 u64; read where a text uses one.
 * TO_from_FROM(v): the nearest value, of two the even one; integers saturate, NaN becomes 0; beyond the largest f16 or
 * bf16 is infinity; b8 is v != 0. docs/reference/types.md. */
DEVICE f32 f32_from_f16(f16 h)
{
    const u32 m = h.bits & 0x7fffu;
    rw_bits u;
    u.bits = (i32)((m << 13) + (m >= 0x7c00u ? 0x70000000u : 0x38000000u));
    const f32 v = m < 0x400u ? (f32)m * 0x1p-24f : u.value;
    return h.bits & 0x8000u ? -v : v;
}
DEVICE f16 f16_from_f32(f32 v)
{
    rw_bits u;
    f16 h;
    u.value = v;
    const u32 sign = (u32)u.bits >> 16 & 0x8000u, m = (u32)u.bits & 0x7fffffffu;
    const u32 small = (u32)(i32)rint(m < 0x38800000u ? fabs(v) * 0x1p24f : 0.0f);
    const u32 whole = (m - 0x38000000u + 0xfffu + (m >> 13 & 1u)) >> 13;
    h.bits = (u16)(sign | (m > 0x7f800000u ? 0x7e00u : m >= 0x477ff000u ? 0x7c00u : m < 0x38800000u ? small : whole));
    return h;
}
DEVICE f32 f32_from_bf16(bf16 b) { return rw_from_bf16(b.bits); }
DEVICE bf16 bf16_from_f32(f32 v)
{
    rw_bits u;
    bf16 b;
    u.value = v;
    const u32 bits = (u32)u.bits;
    b.bits = (u16)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 & 0x8000u) | 0x7fc0u
        : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    return b;
}
/* v to an f32 whose last bit tells that it is not exact: rounding that again rounds v once. */
DEVICE f32 rw_to_odd(f64 v)
{
    rw_bits u;
    u.value = (f32)v;
    if ((f64)u.value == v || v != v || (u.bits & 1)) return u.value;
    u.bits += fabs((f64)u.value) > fabs(v) ? -1 : 1; /* infinity, of a finite v, becomes the largest number */
    return u.value;
}
DEVICE f16 f16_from_f64(f64 v) { return f16_from_f32(rw_to_odd(v)); }
DEVICE bf16 bf16_from_f64(f64 v) { return bf16_from_f32(rw_to_odd(v)); }

/* TOP: 2^bits; below LOW is LEAST. */
#define RW_FROM_REAL(TO, R, LOW, TOP, LEAST, MOST)                                                                     \
    DEVICE TO TO##_from_##R(R v)                                                                                       \
    {                                                                                                                  \
        const R r = RW_RINT(v);                                                                                        \
        return (TO)(r != r ? 0 : r >= (R)TOP ? MOST : r <= (R)LOW ? LEAST : (TO)r);                                    \
    }
#define RW_CLAMP(TO, FROM, LEAST, MOST)                                                                                \
    DEVICE TO TO##_from_##FROM(FROM v) { return (TO)(v < (FROM)LEAST ? (FROM)LEAST : v > (FROM)MOST ? (FROM)MOST : v); }
#define RW_CAST(TO, FROM)                                                                                              \
    DEVICE TO TO##_from_##FROM(FROM v) { return (TO)v; }
#define RW_REALS(TO, LOW, TOP, LEAST, MOST)                                                                            \
    RW_FROM_REAL(TO, f32, LOW, TOP, LEAST, MOST) RW_FROM_REAL(TO, f64, LOW, TOP, LEAST, MOST)
RW_REALS(i8, -0x1p7, 0x1p7, -0x7f - 1, 0x7f)
RW_REALS(i16, -0x1p15, 0x1p15, -0x7fff - 1, 0x7fff)
RW_REALS(i32, -0x1p31, 0x1p31, -0x7fffffff - 1, 0x7fffffff)
RW_REALS(i64, -0x1p63, 0x1p63, -0x7fffffffffffffffL - 1, 0x7fffffffffffffffL)
RW_REALS(u8, 0, 0x1p8, 0, 0xff)
RW_REALS(u16, 0, 0x1p16, 0, 0xffff)
RW_REALS(u32, 0, 0x1p32, 0, 0xffffffffU)
RW_REALS(u64, 0, 0x1p64, 0, 0xffffffffffffffffUL)
RW_CLAMP(i8, i32, -0x80, 0x7f) RW_CLAMP(i8, i64, -0x80, 0x7f) RW_CLAMP(i8, u64, 0, 0x7f)
RW_CLAMP(i16, i32, -0x8000, 0x7fff) RW_CLAMP(i16, i64, -0x8000, 0x7fff) RW_CLAMP(i16, u64, 0, 0x7fff)
RW_CLAMP(u8, i32, 0, 0xff) RW_CLAMP(u8, i64, 0, 0xff) RW_CLAMP(u8, u64, 0, 0xff)
RW_CLAMP(u16, i32, 0, 0xffff) RW_CLAMP(u16, i64, 0, 0xffff) RW_CLAMP(u16, u64, 0, 0xffff)
RW_CAST(i32, i32) RW_CLAMP(i32, i64, -0x80000000L, 0x7fffffffL) RW_CLAMP(i32, u64, 0, 0x7fffffffUL)
RW_CLAMP(u32, i32, 0, 0x7fffffff) RW_CLAMP(u32, i64, 0, 0xffffffffL) RW_CLAMP(u32, u64, 0, 0xffffffffUL)
RW_CAST(i64, i32) RW_CAST(i64, i64) RW_CLAMP(i64, u64, 0, 0x7fffffffffffffffUL)
RW_CLAMP(u64, i32, 0, 0x7fffffff) RW_CLAMP(u64, i64, 0, 0x7fffffffffffffffL) RW_CAST(u64, u64)
#define RW_FROM_ALL(ROW, TO) ROW(TO, f32) ROW(TO, f64) ROW(TO, i32) ROW(TO, i64) ROW(TO, u64)
RW_FROM_ALL(RW_CAST, f32)
RW_FROM_ALL(RW_CAST, f64)
#define RW_TRUTH(TO, FROM)                                                                                             \
    DEVICE TO TO##_from_##FROM(FROM v) { return v != 0; }
RW_FROM_ALL(RW_TRUTH, b8)
#define RW_SMALL(TO, FROM)                                                                                             \
    DEVICE TO TO##_from_##FROM(FROM v) { return TO##_from_f64((f64)v); }
RW_SMALL(f16, i32) RW_SMALL(bf16, i32)
#define RW_SMALL_WIDE(TO, FROM)                                                                                        \
    DEVICE TO TO##_from_##FROM(FROM v) { return TO##_from_f32(rw_wide_odd_##FROM(v)); }
/* 64-bit integers: what an f64 cannot hold does not round the f32 once more. */
DEVICE f32 rw_wide_odd_u64(u64 v) { return v >> 40 ? rw_to_odd((f64)(v >> 12 | (v & 0xfffUL ? 1 : 0)) * 4096.0)
        : rw_to_odd((f64)v); }
DEVICE f32 rw_wide_odd_i64(i64 v) { return v < 0 ? -rw_wide_odd_u64(0 - (u64)v) : rw_wide_odd_u64((u64)v); }
RW_SMALL_WIDE(f16, i64) RW_SMALL_WIDE(f16, u64) RW_SMALL_WIDE(bf16, i64) RW_SMALL_WIDE(bf16, u64)
