/* The group dialect for CUDA (NVRTC): a group is a block, an item a thread. Words and rules: docs/dev/dialect.md. */
typedef float f32;
typedef double f64;
typedef int i32;
typedef long i64;
typedef signed char i8;
typedef short i16;
typedef unsigned char u8, b8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
struct f16 { u16 bits; };
struct bf16 { u16 bits; };

#ifndef RW_GROUPS_A_UNIT
#define RW_GROUPS_A_UNIT 1
#endif
#ifdef RW_CLUSTER
/* Groups that start together and read and write each other's shared memory. */
#define RW_DIMENSIONS __cluster_dims__(RW_CLUSTER, 1, 1)
#define CLUSTER_ARRIVE asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory")
#define CLUSTER_WAIT asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory") /* for all to arrive */
static __device__ __forceinline__ unsigned rw_peer(const void *p, int rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank));
    return there;
}
template <int bytes> struct rw_to_peer;
template <> struct rw_to_peer<8> {
    template <class V> static __device__ __forceinline__ void store(unsigned p, const V *v)
    {
        asm volatile("st.shared::cluster.b64 [%0], %1;" : : "r"(p), "l"(*(const unsigned long *)v) : "memory");
    }
};
template <> struct rw_to_peer<16> {
    template <class V> static __device__ __forceinline__ void store(unsigned p, const V *v)
    {
        const unsigned long *const w = (const unsigned long *)v;
        asm volatile("st.shared::cluster.v2.b64 [%0], {%1, %2};" : : "r"(p), "l"(w[0]), "l"(w[1]) : "memory");
    }
};
/* Element i of the same array in the shared memory of another group <- v, of 8 or 16 bytes. */
#define STORE_PEER(array, rank, i, v)                                                                                  \
    rw_to_peer<sizeof(v)>::store(rw_peer(array, rank) + (unsigned)((i) * sizeof(v)), &(v))
#else
#define RW_DIMENSIONS
#endif
#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void RW_DIMENSIONS __launch_bounds__(GROUP, RW_GROUPS_A_UNIT) name(__VA_ARGS__)
#define DEVICE static __device__ __forceinline__
#define CALLED DEVICE
#define RARE static __device__ __noinline__
#define GLOBAL
#define ANY
#define LOCAL
#define RESTRICT __restrict__
#define CONSTANT static __constant__ const
#define ALIGNED(n) __align__(n)
#define SHARED(T, name, n) __shared__ __align__(16) T name[n]
#define SHARED_LARGE(T, name) extern __shared__ __align__(16) unsigned char rw_large[]; T *name = (T *)rw_large
#define BARRIER __syncthreads()
DEVICE int rw_item()
{
    __builtin_assume(threadIdx.x < GROUP); /* divisions and last rounds of loops go away */
    return (int)threadIdx.x;
}
#define ITEM rw_item()
#define GROUP_ID(d) ((int)((d) == 0 ? blockIdx.x : (d) == 1 ? blockIdx.y : blockIdx.z))
#define GROUP_COUNT(d) ((int)((d) == 0 ? gridDim.x : (d) == 1 ? gridDim.y : gridDim.z))

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

/* Lanes 32 w … 32 w + 31 of a warp; the group's last one may be short. */
template <class T> DEVICE T rw_warp_sum(T v)
{
    const int lane = ITEM % 32, lanes = GROUP - ITEM / 32 * 32 < 32 ? GROUP - ITEM / 32 * 32 : 32;
    const unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int by = 16; by > 0; by /= 2) {
        const T other = __shfl_down_sync(mask, v, by);
        if (lane + by < lanes) v += other;
    }
    return v;
}
#define WARP_SUM(T, sums, scratch, name)                                                                               \
    do {                                                                                                               \
        const T rw_v = rw_warp_sum(name[0]);                                                                           \
        if (ITEM % 32 == 0) sums[ITEM / 32] = rw_v;                                                                    \
    } while (0);                                                                                                       \
    BARRIER

#define UNROLL _Pragma("unroll")
#define RW_PRAGMA(x) _Pragma(#x)
#define UNROLL_BY(n) RW_PRAGMA(unroll n)
#define FMA(a, b, c) fma(a, b, c)
#define SELECT(c, a, b) ((c) ? (a) : (b))
#if __CUDA_ARCH__ >= 800
DEVICE f32 rw_minimum(f32 a, f32 b)
{
    f32 least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}
DEVICE f32 rw_maximum(f32 a, f32 b)
{
    f32 most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}
template <class T> DEVICE T rw_minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T> DEVICE T rw_maximum(T a, T b) { return a > b || a != a ? a : b; }
#define MINIMUM(a, b) rw_minimum(a, b)
#define MAXIMUM(a, b) rw_maximum(a, b)
#endif
/* Pairs too (c64, c128): one access of the value's size, which every element of an array is aligned to. */
template <int bytes> struct rw_word;
template <> struct rw_word<1> { typedef unsigned char type; };
template <> struct rw_word<2> { typedef unsigned short type; };
template <> struct rw_word<4> { typedef float type; };
template <> struct rw_word<8> { typedef float2 type; };
template <> struct rw_word<16> { typedef float4 type; };
template <class V> union rw_pun { typename rw_word<sizeof(V)>::type word; V value; __device__ rw_pun() {} };
template <class V> DEVICE V rw_load_once(const V *p)
{
    rw_pun<V> u;
    u.word = __ldcs((const decltype(u.word) *)p);
    return u.value;
}
template <class V> struct rw_same { typedef V type; };
template <class V> DEVICE void rw_store_once(V *p, typename rw_same<V>::type v)
{
    rw_pun<V> u;
    u.value = v;
    __stcs((decltype(u.word) *)p, u.word);
}
#define LOAD(p) (*(p))
#define LOAD_ONCE(p) rw_load_once(p)
#define STORE_ONCE(p, v) rw_store_once(p, v)
#define PREFETCH(p, bytes) (void)0
#define CLOCK() ((i64)clock64())
#define PRINT(...)
