/* The group dialect for C compilers (gcc, clang): a group is a function call, its items the innermost loop.
 * Words and rules: docs/dev/dialect.md. */

#define KERNEL(name, ...) static inline __attribute__((always_inline)) void name(const rw_group rw_g, __VA_ARGS__)
#define DEVICE static inline __attribute__((always_inline))
#define RARE static __attribute__((noinline))
#define CALLED static __attribute__((noinline, noclone))
#define GLOBAL
#define ANY
#define LOCAL
#define RESTRICT restrict
#define CONSTANT static const
#define ALIGNED(n)
#define SHARED(T, name, n) T name[n] __attribute__((aligned(64)))
#define SHARED_LARGE(T, name) T name[(SHARED_LARGE_BYTES) / sizeof(T)] __attribute__((aligned(64)))
#define BARRIER
#define GROUP_ID(d) (rw_g.id[d])
#define GROUP_COUNT(d) (rw_g.n[d])

#define RW_SIMD _Pragma("omp simd")
#define RW_STRIP(i, lo, hi)                                                                                            \
    for (long rw_b = (lo), rw_hi = (hi), rw_e; rw_e = rw_b + GROUP < rw_hi ? rw_b + GROUP : rw_hi, rw_b < rw_hi;       \
         rw_b += GROUP)
#define EACH_IN(i, lo, hi) RW_STRIP(i, lo, hi) RW_SIMD for (long i = rw_b; i < rw_e; ++i)
#define EACH(i, n) EACH_IN(i, 0, n)
#define EACH2(i, ilo, ihi, j, jlo, jhi) for (long j = (jlo); j < (jhi); ++j) EACH_IN(i, ilo, ihi)
/* Rows begin at cell `row` of an array; strips end where a cache line does, so that STREAM_OUT writes whole lines. */
#define EACH2_STREAM(i, ilo, ihi, j, jlo, jhi, row, ...)                                                               \
    for (long j = (jlo); j < (jhi); ++j)                                                                               \
        for (long rw_r = (row), rw_b = (ilo), rw_hi = (ihi), rw_e;                                                     \
             rw_e = ((rw_b + rw_r + GROUP) & -64) - rw_r, rw_e = rw_e < rw_hi ? rw_e : rw_hi, rw_b < rw_hi;            \
             __VA_ARGS__, rw_b = rw_e)                                                                                 \
            RW_SIMD for (long i = rw_b; i < rw_e; ++i)
#define STREAM(T, name) T name[GROUP] __attribute__((aligned(64)))
#define STREAM_AT(name, i, p, c) name[(i) - rw_b]
#define STREAM_OUT(name, p) rw_stream((p) + rw_r + rw_b, name, (rw_e - rw_b) * (long)sizeof *name)
#define EACH_BOX(i, ni, j, nj) for (int j = 0; j < (nj); ++j) EACH(i, ni)
#define EACH_SERIAL(i, n) RW_STRIP(i, 0, n) for (long i = rw_b; i < rw_e; ++i)
#define PRIVATE(T, name) T name[GROUP] __attribute__((aligned(64)))
#define PRIVATE_N(T, name, k) T name[k][GROUP] __attribute__((aligned(64)))
#define PRIVATE_BOX(T, name, ni, nj) T name[nj][ni] __attribute__((aligned(64)))
#define AT(name, i) name[(i) - rw_b]
#define AT_N(name, k, i) name[k][(i) - rw_b]
#define AT_BOX(name, i, j) name[j][i]

#define UNROLL _Pragma("GCC unroll 32")
#define RW_PRAGMA(x) _Pragma(#x)
#define UNROLL_BY(n) RW_PRAGMA(GCC unroll n)
#define FMA(a, b, c) fma(a, b, c)
#define SELECT(c, a, b) ((c) ? (a) : (b))
#define LOAD(p) (*(p))
#define LOAD_ONCE(p) (*(p))
#define STORE_ONCE(p, v) (*(p) = (v))
#define PREFETCH(p, bytes) rw_prefetch(p, bytes)
#define PRINT(...)

static inline __attribute__((always_inline)) void rw_prefetch(const void *p, long bytes)
{
    UNROLL
    for (long b = 0; b < bytes; b += 64) __builtin_prefetch((const char *)p + b);
}

/* Four numbers that are computed with at once, in the compiler's own vectors. */
#define PACK(T, name) typedef T name __attribute__((vector_size(4 * sizeof(T))))

/* Stores past the caches, whole lines at a time; memory that is overwritten is not read first. */
#if defined __AVX__
typedef float rw_line_part __attribute__((vector_size(32)));
#else
typedef float rw_line_part __attribute__((vector_size(16)));
#endif
#if !defined __x86_64__
#define RW_PAST_CACHES(to, v) (*(to) = (v))
#define STREAM_END
#elif defined __clang__
#define RW_PAST_CACHES(to, v) __builtin_nontemporal_store(v, to)
#define STREAM_END __builtin_ia32_sfence()
#elif defined __AVX__
#define RW_PAST_CACHES(to, v) __builtin_ia32_movntps256((float *)(to), v)
#define STREAM_END __builtin_ia32_sfence()
#else
#define RW_PAST_CACHES(to, v) __builtin_ia32_movntps((float *)(to), v)
#define STREAM_END __builtin_ia32_sfence()
#endif
static inline void rw_stream(void *to, const void *from, long bytes)
{
    char *d = to;
    const char *s = from, *end = s + bytes;
    long head = -(long)d & 63;
    if (head > bytes) head = bytes;
    __builtin_memcpy(d, s, (unsigned long)head);
    for (d += head, s += head; end - s >= 64; d += 64, s += 64) {
        rw_line_part part[64 / sizeof(rw_line_part)];
        __builtin_memcpy(part, s, 64);
        for (int i = 0; i < (int)(64 / sizeof *part); ++i) RW_PAST_CACHES((rw_line_part *)d + i, part[i]);
    }
    __builtin_memcpy(d, s, (unsigned long)(end - s));
}
