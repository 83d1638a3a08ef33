/* Words of the expression language that the three compilers lack or define differently. They are macros for f32 and
 * f64 alike and may evaluate an argument more than once: give them names, not calls. NaN goes through all of them. */
#define RW_MIN(a, b) (((a) < (b) || (a) != (a)) ? (a) : (b))
#define RW_MAX(a, b) (((a) > (b) || (a) != (a)) ? (a) : (b))
#define RW_SIGN(a) ((a) > 0 ? 1 : (a) < 0 ? -1 : (a))
#define RW_MOD(a, b) ((a) - (b) * floor((a) / (b))) /* the sign of b, as in mathematics */
#define RW_INF (1e300 * 1e300)

/* bfloat16, the upper half of an f32: as f32; and the least one that is not below v >= 0. */
typedef union { i32 bits; f32 value; } rw_bits;
DEVICE f32 rw_from_bf16(u16 a)
{
    rw_bits u;
    u.bits = (i32)a << 16;
    return u.value;
}
DEVICE u16 rw_bf16_above(f32 v)
{
    rw_bits u;
    u.value = v;
    return (u16)((u.bits + 0xffff) >> 16);
}

#ifndef WARP_SUM /* CUDA has words for warps; else through shared memory */
#define WARP_SUM(T, sums, scratch, name)                                                                               \
    EACH(rw_i, GROUP) { scratch[rw_i] = AT(name, rw_i); }                                                              \
    BARRIER;                                                                                                           \
    EACH(rw_w, (GROUP + 31) / 32)                                                                                      \
    {                                                                                                                  \
        T rw_v = 0;                                                                                                    \
        for (int rw_k = 32 * (int)rw_w; rw_k < 32 * (int)rw_w + 32 && rw_k < GROUP; ++rw_k) rw_v += scratch[rw_k];     \
        sums[rw_w] = rw_v;                                                                                             \
    }                                                                                                                  \
    BARRIER
#endif
