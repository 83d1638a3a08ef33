/* Atomic operations on i32, u32, i64, f32, f64 in GLOBAL and shared memory; read where a text uses one. Each gives the
 * value before it. They order nothing else: a BARRIER or the end of the launch does. Least and greatest let NaN
 * through. Floating-point sums depend on the order. */
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define RW_OVER DEVICE __attribute__((overloadable))
/* By compare and swap of the bits; `word` is the integer of the same size. */
#define RW_ATOMIC_BY_CAS(where, T, word, as_word, as_T, cas, name, value)                                              \
    RW_OVER T name(volatile where T *p, T v)                                                                           \
    {                                                                                                                  \
        volatile where word *w = (volatile where word *)p;                                                             \
        word seen = *w;                                                                                                \
        for (;;) {                                                                                                     \
            const T old = as_T(seen);                                                                                  \
            const word found = cas(w, seen, as_word(value));                                                           \
            if (found == seen) return old;                                                                             \
            seen = found;                                                                                              \
        }                                                                                                              \
    }
#define RW_ATOMIC_REAL(where, T, word, as_word, as_T, cas, swap)                                                       \
    RW_ATOMIC_BY_CAS(where, T, word, as_word, as_T, cas, rw_atomic_add, old + v)                                       \
    RW_ATOMIC_BY_CAS(where, T, word, as_word, as_T, cas, rw_atomic_min, RW_MIN(old, v))                                \
    RW_ATOMIC_BY_CAS(where, T, word, as_word, as_T, cas, rw_atomic_max, RW_MAX(old, v))                                \
    RW_OVER T rw_atomic_exchange(volatile where T *p, T v)                                                             \
    { return as_T(swap((volatile where word *)p, as_word(v))); }                                                       \
    RW_OVER T rw_atomic_cas(volatile where T *p, T old, T v)                                                           \
    {                                                                                                                  \
        return as_T(cas((volatile where word *)p, as_word(old), as_word(v)));                                          \
    }
#define RW_ATOMIC_INTEGER(where, T, prefix)                                                                            \
    RW_OVER T rw_atomic_add(volatile where T *p, T v) { return prefix##_add(p, v); }                                   \
    RW_OVER T rw_atomic_min(volatile where T *p, T v) { return prefix##_min(p, v); }                                   \
    RW_OVER T rw_atomic_max(volatile where T *p, T v) { return prefix##_max(p, v); }                                   \
    RW_OVER T rw_atomic_exchange(volatile where T *p, T v) { return prefix##_xchg(p, v); }                             \
    RW_OVER T rw_atomic_cas(volatile where T *p, T old, T v) { return prefix##_cmpxchg(p, old, v); }
#define RW_ATOMICS_IN(where)                                                                                           \
    RW_ATOMIC_INTEGER(where, i32, atomic) RW_ATOMIC_INTEGER(where, u32, atomic) RW_ATOMIC_INTEGER(where, i64, atom)    \
    RW_ATOMIC_REAL(where, f32, i32, as_int, as_float, atomic_cmpxchg, atomic_xchg)                                     \
    RW_ATOMIC_REAL(where, f64, i64, as_long, as_double, atom_cmpxchg, atom_xchg)
RW_ATOMICS_IN(__global)
RW_ATOMICS_IN(__local)
#elif defined __CUDACC__
typedef unsigned long long rw_ull;
DEVICE i32 rw_bits_of(f32 v) { return __float_as_int(v); }
DEVICE rw_ull rw_bits_of(f64 v) { return (rw_ull)__double_as_longlong(v); }
DEVICE f32 rw_value_of(i32 bits) { return __int_as_float(bits); }
DEVICE f64 rw_value_of(rw_ull bits) { return __longlong_as_double((long long)bits); }
#define RW_ATOMIC_BY_CAS(T, word, name, value)                                                                         \
    DEVICE T name(T *p, T v)                                                                                           \
    {                                                                                                                  \
        word *w = (word *)p, seen = *(volatile word *)w;                                                               \
        for (;;) {                                                                                                     \
            const T old = rw_value_of(seen);                                                                           \
            const word found = atomicCAS(w, seen, rw_bits_of(value));                                                  \
            if (found == seen) return old;                                                                             \
            seen = found;                                                                                              \
        }                                                                                                              \
    }
#define RW_ATOMIC_REAL(T, word)                                                                                        \
    DEVICE T rw_atomic_add(T *p, T v) { return atomicAdd(p, v); }                                                      \
    RW_ATOMIC_BY_CAS(T, word, rw_atomic_min, (T)RW_MIN(old, v))                                                        \
    RW_ATOMIC_BY_CAS(T, word, rw_atomic_max, (T)RW_MAX(old, v))                                                        \
    DEVICE T rw_atomic_exchange(T *p, T v) { return rw_value_of(atomicExch((word *)p, rw_bits_of(v))); }               \
    DEVICE T rw_atomic_cas(T *p, T old, T v) { return rw_value_of(atomicCAS((word *)p, rw_bits_of(old),                \
            rw_bits_of(v))); }
#define RW_ATOMIC_INTEGER(T, word, order)                                                                              \
    DEVICE T rw_atomic_add(T *p, T v) { return (T)atomicAdd((word *)p, (word)v); }                                     \
    DEVICE T rw_atomic_min(T *p, T v) { return (T)atomicMin((order *)p, (order)v); }                                   \
    DEVICE T rw_atomic_max(T *p, T v) { return (T)atomicMax((order *)p, (order)v); }                                   \
    DEVICE T rw_atomic_exchange(T *p, T v) { return (T)atomicExch((word *)p, (word)v); }                               \
    DEVICE T rw_atomic_cas(T *p, T old, T v) { return (T)atomicCAS((word *)p, (word)old, (word)v); }
RW_ATOMIC_INTEGER(i32, i32, i32)
RW_ATOMIC_INTEGER(u32, u32, u32)
RW_ATOMIC_INTEGER(i64, rw_ull, long long)
RW_ATOMIC_REAL(f32, i32)
RW_ATOMIC_REAL(f64, rw_ull)
#else
#define RW_ATOMIC(p, v, value)                                                                                         \
    ({                                                                                                                 \
        __typeof__(*(p)) *const rw_p = (p), rw_old, rw_next;                                                           \
        const __typeof__(*(p)) rw_v = (v);                                                                             \
        __atomic_load(rw_p, &rw_old, __ATOMIC_RELAXED);                                                                \
        do rw_next = value;                                                                                            \
        while (!__atomic_compare_exchange(rw_p, &rw_old, &rw_next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));            \
        rw_old;                                                                                                        \
    })
/* Of integers in one instruction. */
#define RW_REAL_OR(p, i, r) _Generic(*(p), f32: r, f64: r, default: i)
#define rw_atomic_add(p, v)                                                                                            \
    RW_REAL_OR(p, __atomic_fetch_add(RW_REAL_OR(p, p, (i32 *)0), RW_REAL_OR(p, v, 0), __ATOMIC_RELAXED),               \
        RW_ATOMIC(p, v, rw_old + rw_v))
#define rw_atomic_min(p, v) RW_ATOMIC(p, v, RW_MIN(rw_old, rw_v))
#define rw_atomic_max(p, v) RW_ATOMIC(p, v, RW_MAX(rw_old, rw_v))
#define rw_atomic_exchange(p, v) RW_ATOMIC(p, v, rw_v)
#define rw_atomic_cas(p, was, v)                                                                                       \
    ({                                                                                                                 \
        __typeof__(*(p)) rw_was = (was), rw_v = (v);                                                                   \
        __atomic_compare_exchange(p, &rw_was, &rw_v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                           \
        rw_was;                                                                                                        \
    })
#endif
#define ATOMIC_ADD(p, v) rw_atomic_add(p, v)
#define ATOMIC_MIN(p, v) rw_atomic_min(p, v)
#define ATOMIC_MAX(p, v) rw_atomic_max(p, v)
#define ATOMIC_EXCHANGE(p, v) rw_atomic_exchange(p, v)
#define ATOMIC_CAS(p, old, v) rw_atomic_cas(p, old, v)
