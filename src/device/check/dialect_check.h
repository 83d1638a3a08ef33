/* The group dialect for the check device: C, with every word and every memory access reported to the library
 * (dialect_check_hooks.h stands in front). Shared and private arrays lie in memory of the library, between guard
 * zones. Words and rules: docs/dev/dialect.md. */

#define KERNEL(name, ...) static __attribute__((noinline)) void name(const rw_group rw_g, __VA_ARGS__)
#define RARE static __attribute__((noinline))
#define DEVICE static inline __attribute__((always_inline))
#define CALLED DEVICE
#define GLOBAL
#define ANY
#define LOCAL
#define RESTRICT
#define CONSTANT static const
#define ALIGNED(n)
#define SHARED(T, name, n)                                                                                             \
    T *const name = (T *)rw_declare(#name, sizeof(T), __alignof__(T), n, RW_CHECK_SHARED, __LINE__)
#define SHARED_LARGE(T, name)                                                                                          \
    T *const name = (T *)rw_declare(#name, sizeof(T), __alignof__(T), (SHARED_LARGE_BYTES) / sizeof(T), RW_CHECK_LARGE,\
        __LINE__)
#define BARRIER rw_barrier(__LINE__)
#define GROUP_ID(d) (rw_g.id[d])
#define GROUP_COUNT(d) (rw_g.n[d])

/* The index is an int where it is one on a GPU, and constant: a body must not change it. */
#define RW_EACH(i, ilo, ihi, j, jlo, jhi, width)                                                                       \
    for (rw_check_each rw_l __attribute__((cleanup(rw_each_end))) =                                                    \
             {{i, j}, {ilo, jlo}, {ihi, jhi}, width, __LINE__}; rw_each_next(&rw_l);)
#define EACH_IN(i, lo, hi)                                                                                             \
    RW_EACH(#i, lo, hi, 0, 0, 1, GROUP) for (const long i = rw_l.at[0]; rw_l.open; rw_l.open = 0)
#define EACH(i, n) RW_EACH(#i, 0, n, 0, 0, 1, GROUP) for (const int i = (int)rw_l.at[0]; rw_l.open; rw_l.open = 0)
#define EACH2(i, ilo, ihi, j, jlo, jhi)                                                                                \
    RW_EACH(#i, ilo, ihi, #j, jlo, jhi, GROUP_X)                                                                       \
    for (const int i = (int)rw_l.at[0], j = (int)rw_l.at[1]; rw_l.open; rw_l.open = 0)
#define EACH2_STREAM(i, ilo, ihi, j, jlo, jhi, row, ...) EACH2(i, ilo, ihi, j, jlo, jhi)
#define STREAM(T, name)
#define STREAM_AT(name, i, p, c) (p)[c]
#define STREAM_END
#define EACH_BOX(i, ni, j, nj)                                                                                         \
    RW_EACH(#i, 0, (ni) * (nj), 0, 0, 1, GROUP)                                                                        \
    for (const int rw_ni = (ni), i = (int)rw_l.at[0] % rw_ni, j = (int)rw_l.at[0] / rw_ni; rw_l.open; rw_l.open = 0)
#define EACH_SERIAL(i, n) EACH(i, n)
/* Private values lie lane by lane, so that an index beyond k is seen. */
#define PRIVATE(T, name)                                                                                               \
    T *const name = (T *)rw_declare(#name, sizeof(T), __alignof__(T), GROUP, RW_CHECK_PRIVATE, __LINE__)
#define PRIVATE_N(T, name, k)                                                                                          \
    T(*const name)[k] = (T(*)[k])rw_declare(#name, (k) * sizeof(T), __alignof__(T), GROUP, RW_CHECK_PRIVATE, __LINE__)
#define RW_TRIPS(n) (((n) + GROUP - 1) / GROUP)
#define PRIVATE_BOX(T, name, ni, nj) PRIVATE_N(T, name, RW_TRIPS((ni) * (nj)))
#define AT(name, i) name[rw_at(&rw_l, i, __LINE__)]
#define AT_N(name, k, i) name[rw_at(&rw_l, i, __LINE__)][k]
#define AT_BOX(name, i, j) name[rw_at(&rw_l, (j) * rw_ni + (i), __LINE__)][((j) * rw_ni + (i)) / GROUP]

#define UNROLL
#define UNROLL_BY(n)
#define FMA(a, b, c) fma(a, b, c)
#define SELECT(c, a, b) ((c) ? (a) : (b))
#define LOAD(p) (*(p))
#define LOAD_ONCE(p) (*(p))
#define STORE_ONCE(p, v) (*(p) = (v))
#define PREFETCH(p, bytes) (void)0
#define PRINT(...) rw_print(__VA_ARGS__)
