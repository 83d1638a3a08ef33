/* Words of the expression language that the three compilers lack or define differently. They are macros for f32 and
 * f64 alike and may evaluate an argument more than once: give them names, not calls. NaN goes through all of them. */
#define RW_MIN(a, b) (((a) < (b) || (a) != (a)) ? (a) : (b))
#define RW_MAX(a, b) (((a) > (b) || (a) != (a)) ? (a) : (b))
/* The same of two values of one type; CUDA has an instruction. */
#ifndef MINIMUM
#define MINIMUM(a, b) RW_MIN(a, b)
#define MAXIMUM(a, b) RW_MAX(a, b)
#endif
/* a b + c: the multiply-add of sums of products. Fused where the device has an instruction for it, so that no compiler
 * has to be allowed to; rounded twice where it has none and in reproducible mode. */
#if !defined RW_REPRODUCIBLE && (defined __FMA__ || defined __ARM_FEATURE_FMA || defined __FP_FAST_FMA ||              \
    defined FP_FAST_FMA || defined __CUDACC__ || defined RW_PTX)
#define MULADD(a, b, c) FMA(a, b, c)
#else
#define MULADD(a, b, c) ((a) * (b) + (c))
#endif
/* The same of packs of f64 or of f32. */
#ifdef PACK
PACK(f32, rw_pack_f32);
PACK(f64, rw_pack_f64);
#define RW_MULADD_PACK(T, builtin)                                                                                     \
    DEVICE rw_pack_##T rw_muladd_##T(rw_pack_##T a, rw_pack_##T b, rw_pack_##T c) { return builtin; }
#ifdef RW_REPRODUCIBLE
RW_MULADD_PACK(f32, a * b + c)
RW_MULADD_PACK(f64, a * b + c)
#elif defined __FMA__ && defined __x86_64__
RW_MULADD_PACK(f32, __builtin_ia32_vfmaddps(a, b, c))
RW_MULADD_PACK(f64, __builtin_ia32_vfmaddpd256(a, b, c))
#else
#define RW_ELEMENT(i) MULADD(a[i], b[i], c[i])
RW_MULADD_PACK(f32, ((rw_pack_f32){RW_ELEMENT(0), RW_ELEMENT(1), RW_ELEMENT(2), RW_ELEMENT(3)}))
RW_MULADD_PACK(f64, ((rw_pack_f64){RW_ELEMENT(0), RW_ELEMENT(1), RW_ELEMENT(2), RW_ELEMENT(3)}))
#endif
#define MULADD_PACK(a, b, c) _Generic((c), rw_pack_f32: rw_muladd_f32, default: rw_muladd_f64)(a, b, c)
#endif
#define RW_SIGN(a) ((a) > 0 ? 1 : (a) < 0 ? -1 : (a))
/* the sign of b, as in mathematics */
#define RW_MOD(a, b) (sizeof(floor((a) / (b))) == 4 ? f32_mod(a, b) : f64_mod(a, b))
#define RW_INF (1e300 * 1e300)

/* A function of a, which is a name. In OpenCL C drivers' functions convert to integers inside; of a NaN or infinity
 * that the compiler can see that is undefined, and what is undefined is not stored: PoCL's floor and exp left their
 * outputs untouched. Numbers from 2^52 on are integers. */
#if defined __OPENCL_VERSION__ && !defined RW_PTX
#define RW_CALL(function, a) ((a) == (a) ? function(a) : (a))
#define RW_FLOOR(a) (fabs(a) < 0x1p52 ? floor(a) : (a))
#define RW_RINT(a) (fabs(a) < 0x1p52 ? rint(a) : (a))
#else
#define RW_CALL(function, a) function(a)
#define RW_FLOOR(a) floor(a)
#define RW_RINT(a) rint(a)
#endif

/* bfloat16, the upper half of an f32: as f32; and the least one that is not below v >= 0. */
typedef union { i32 bits; f32 value; } rw_bits;
DEVICE f32 rw_from_bf16(u16 a)
{
    rw_bits u;
    u.bits = (i32)((u32)a << 16);
    return u.value;
}
DEVICE u16 rw_bf16_above(f32 v)
{
    rw_bits u;
    u.value = v;
    return (u16)((u.bits + 0xffff) >> 16);
}

#ifndef WARP_SUM /* CUDA and NVIDIA's OpenCL have words for warps; else through shared memory, in the same order */
#define WARP_SUM(T, sums, scratch, name)                                                                               \
    EACH(rw_i, GROUP) { scratch[rw_i] = AT(name, rw_i); }                                                              \
    BARRIER;                                                                                                           \
    EACH_SERIAL(rw_w, (GROUP + 31) / 32)                                                                               \
    {                                                                                                                  \
        T rw_t[16];                                                                                                    \
        UNROLL                                                                                                         \
        for (int rw_k = 0; rw_k < 16; ++rw_k) {                                                                        \
            const int rw_a = 32 * (int)rw_w + rw_k;                                                                    \
            rw_t[rw_k] = rw_a < GROUP ? scratch[rw_a] : 0;                                                             \
            if (rw_a + 16 < GROUP) rw_t[rw_k] += scratch[rw_a + 16];                                                   \
        }                                                                                                              \
        UNROLL                                                                                                         \
        for (int rw_k = 0; rw_k < 8; ++rw_k) rw_t[rw_k] += rw_t[rw_k + 8];                                             \
        UNROLL                                                                                                         \
        for (int rw_k = 0; rw_k < 4; ++rw_k) rw_t[rw_k] += rw_t[rw_k + 4];                                             \
        sums[rw_w] = (rw_t[0] + rw_t[2]) + (rw_t[1] + rw_t[3]);                                                        \
    }                                                                                                                  \
    BARRIER
#endif
