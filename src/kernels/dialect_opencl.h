/* The group dialect for OpenCL C 1.2: a group is a work-group, an item a work-item. Words and rules:
 * docs/dev/dialect.md. */
#if __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_nv_pragma_unroll
#pragma OPENCL EXTENSION cl_nv_pragma_unroll : enable
#endif
#ifdef RW_REPRODUCIBLE
#pragma OPENCL FP_CONTRACT OFF
#endif
typedef float f32;
typedef double f64;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef short i16;

#define KERNEL(name, ...) __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name(__VA_ARGS__)
#define DEVICE static inline __attribute__((always_inline))
#define RARE static
#define GLOBAL __global
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
#define LOAD_ONCE(p) (*(p))
#define STORE_ONCE(p, v) (*(p) = (v))
#define PREFETCH(p, bytes) (void)0
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define PRINT(...)
