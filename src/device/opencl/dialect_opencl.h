/* The group dialect for OpenCL C 1.2: a group is a work-group, an item a work-item. Words and rules:
 * docs/dev/dialect.md. */
#if __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_nv_pragma_unroll
#pragma OPENCL EXTENSION cl_nv_pragma_unroll : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
typedef float f32;
typedef double f64;
typedef int i32;
typedef long i64;
typedef char i8;
typedef short i16;
typedef uchar u8;
typedef uchar b8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef struct { u16 bits; } f16;
typedef struct { u16 bits; } bf16;

#define KERNEL(name, ...) __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name(__VA_ARGS__)
#define DEVICE static inline __attribute__((always_inline))
#define CALLED DEVICE
#define RARE static __attribute__((noinline))
#define GLOBAL __global
#define ANY
#define LOCAL __local
#define RESTRICT restrict
#define CONSTANT __constant const
#define ALIGNED(n) __attribute__((aligned(n)))
#define SHARED(T, name, n) __local T name[n] __attribute__((aligned(16)))
#define SHARED_LARGE(T, name) __local T name[(SHARED_LARGE_BYTES) / sizeof(T)] __attribute__((aligned(16)))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
DEVICE int rw_item(void)
{
    const int item = (int)get_local_id(0);
#ifdef __has_builtin
#if __has_builtin(__builtin_assume)
    __builtin_assume(item >= 0 && item < GROUP); /* as in CUDA: divisions and last rounds of loops go away */
#endif
#endif
    return item;
}
#define ITEM rw_item()
#define GROUP_ID(d) ((int)get_group_id(d))
#define GROUP_COUNT(d) ((int)get_num_groups(d))

#define EACH_IN(i, lo, hi) for (long i = (lo) + ITEM, rw_hi = (hi); i < rw_hi; i += GROUP)
#define EACH(i, n) for (int i = ITEM; i < (n); i += GROUP)
#define EACH2(i, ilo, ihi, j, jlo, jhi)                                                                                \
    for (int j = (int)(jlo) + ITEM / GROUP_X; j < (int)(jhi); j += GROUP / GROUP_X)                                    \
        for (int i = (int)(ilo) + ITEM % GROUP_X; i < (int)(ihi); i += GROUP_X)
#define EACH2_STREAM(i, ilo, ihi, j, jlo, jhi, row, ...) EACH2(i, ilo, ihi, j, jlo, jhi)
#define STREAM(T, name)
#define STREAM_AT(name, i, p, c) (p)[c]
#define STREAM_END
/* ni, nj constants: trips are known, so that the loop unrolls and AT_BOX is a register */
#define RW_TRIPS(n) (((n) + GROUP - 1) / GROUP)
#define EACH_BOX(i, ni, j, nj)                                                                                         \
    _Pragma("unroll") for (int rw_k = 0; rw_k < RW_TRIPS((ni) * (nj)); ++rw_k)                                         \
        for (int rw_n = rw_k * GROUP + ITEM, i = rw_n % (ni), j = rw_n / (ni), rw_go = 1; rw_go && rw_n < (ni) * (nj); \
             rw_go = 0)
#define EACH_SERIAL(i, n) EACH(i, n)
#define PRIVATE(T, name) T name[1]
#define PRIVATE_N(T, name, k) T name[k]
#define PRIVATE_BOX(T, name, ni, nj) T name[RW_TRIPS((ni) * (nj))]
#define AT(name, i) name[0]
#define AT_N(name, k, i) name[k]
#define AT_BOX(name, i, j) name[rw_k]

#define UNROLL _Pragma("unroll")
#define RW_PRAGMA(x) _Pragma(#x)
#define UNROLL_BY(n) RW_PRAGMA(unroll n)
#define FMA(a, b, c) fma(a, b, c)
#define SELECT(c, a, b) ((c) ? (a) : (b))
#ifdef RW_PTX
/* What OpenCL C of NVIDIA has no words for, as in CUDA: a struct in one load, what shall leave the caches first,
 * warps. */
typedef union { ulong w16[2]; ulong w8; uint w4; ushort w2; uchar w1; } rw_word;
DEVICE void rw_load_once(int bytes, const __global void *p, rw_word *u)
{
    if (bytes == 16) __asm__ volatile("ld.global.cs.v2.u64 {%0, %1}, [%2];" : "=l"(u->w16[0]),
        "=l"(u->w16[1]) : "l"(p));
    else if (bytes == 8) __asm__ volatile("ld.global.cs.u64 %0, [%1];" : "=l"(u->w8) : "l"(p));
    else if (bytes == 4) __asm__ volatile("ld.global.cs.u32 %0, [%1];" : "=r"(u->w4) : "l"(p));
    else if (bytes == 2) __asm__ volatile("ld.global.cs.u16 %0, [%1];" : "=h"(u->w2) : "l"(p));
    else u->w1 = *(const __global uchar *)p;
}
DEVICE void rw_store_once(int bytes, __global void *p, const rw_word *u)
{
    if (bytes == 16) __asm__ volatile("st.global.cs.v2.u64 [%0], {%1, %2};" : : "l"(p), "l"(u->w16[0]),
        "l"(u->w16[1]) : "memory");
    else if (bytes == 8) __asm__ volatile("st.global.cs.u64 [%0], %1;" : : "l"(p), "l"(u->w8) : "memory");
    else if (bytes == 4) __asm__ volatile("st.global.cs.u32 [%0], %1;" : : "l"(p), "r"(u->w4) : "memory");
    else if (bytes == 2) __asm__ volatile("st.global.cs.u16 [%0], %1;" : : "l"(p), "h"(u->w2) : "memory");
    else *(__global uchar *)p = u->w1;
}
DEVICE void rw_load(int bytes, const __global void *p, rw_word *u)
{
    if (bytes == 16) {
        const ulong2 v = *(const __global ulong2 *)p;
        u->w16[0] = v.x;
        u->w16[1] = v.y;
    } else if (bytes == 8) u->w8 = *(const __global ulong *)p;
    else if (bytes == 4) u->w4 = *(const __global uint *)p;
    else if (bytes == 2) u->w2 = *(const __global ushort *)p;
    else u->w1 = *(const __global uchar *)p;
}
/* the comma takes const and __global away */
#define RW_PUN(p) union { __typeof__((0, *(p))) value; rw_word word; } rw_pun
#define LOAD(p) ({ RW_PUN(p); rw_load(sizeof(*(p)), p, &rw_pun.word); rw_pun.value; })
#define LOAD_ONCE(p) ({ RW_PUN(p); rw_load_once(sizeof(*(p)), p, &rw_pun.word); rw_pun.value; })
#define STORE_ONCE(p, v) ({ RW_PUN(p); rw_pun.value = (v); rw_store_once(sizeof(*(p)), p, &rw_pun.word); })
DEVICE uint rw_from_lane_above(uint v, int by, uint lanes)
{
    uint u;
    __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, %3;" : "=r"(u) : "r"(v), "r"(by), "r"(lanes));
    return u;
}
/* Lanes 32 w … 32 w + 31 of a warp; the group's last one may be short. */
#define WARP_SUM(T, sums, scratch, name)                                                                               \
    do {                                                                                                               \
        union { T value; uint word[sizeof(T) / 4]; } rw_v, rw_u;                                                       \
        const int rw_lane = ITEM % 32, rw_lanes = GROUP - ITEM / 32 * 32 < 32 ? GROUP - ITEM / 32 * 32 : 32;           \
        const uint rw_mask = rw_lanes == 32 ? 0xffffffffu : (1u << rw_lanes) - 1;                                      \
        rw_v.value = name[0];                                                                                          \
        UNROLL                                                                                                         \
        for (int rw_by = 16; rw_by > 0; rw_by /= 2) {                                                                  \
            UNROLL                                                                                                     \
            for (int rw_k = 0; rw_k < (int)(sizeof(T) / 4); ++rw_k)                                                    \
                rw_u.word[rw_k] = rw_from_lane_above(rw_v.word[rw_k], rw_by, rw_mask);                                 \
            if (rw_lane + rw_by < rw_lanes) rw_v.value += rw_u.value;                                                  \
        }                                                                                                              \
        if (rw_lane == 0) sums[ITEM / 32] = rw_v.value;                                                                \
    } while (0);                                                                                                       \
    BARRIER
#else
#define LOAD(p) (*(p))
#define LOAD_ONCE(p) (*(p))
#define STORE_ONCE(p, v) (*(p) = (v))
#endif
#define PREFETCH(p, bytes) (void)0
#ifdef RW_PTX
DEVICE i64 rw_clock(void)
{
    i64 ticks;
    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(ticks) : : "memory");
    return ticks;
}
#define CLOCK() rw_clock()
#else
#define CLOCK() ((i64)0)
#endif
#define PRINT(...)
