/* What the check device puts in front of a program's dialect; the library includes the first half too.
 *
 * The compiler's -fsanitize=thread calls __tsan_readN, __tsan_writeN, … at every memory access, its checks of bounds
 * and arithmetic call __ubsan_handle_…. No sanitizer is linked: the functions are here, hidden in the program's own
 * shared object, and ask the library through the table `rw_check`, which the library sets after loading. */
#ifndef RW_CHECK_HOOKS_H
#define RW_CHECK_HOOKS_H

#include <stdarg.h>

enum { RW_CHECK_READ, RW_CHECK_WRITE, RW_CHECK_ATOMIC };
enum { RW_CHECK_GLOBAL, RW_CHECK_SHARED, RW_CHECK_LARGE, RW_CHECK_PRIVATE };

/* An EACH on its way through its items, [lo[0], hi[0]) x [lo[1], hi[1]). */
typedef struct rw_check_each {
    const char *name[2]; /* of the indices in the text; one dimension: the second is NULL */
    long lo[2], hi[2];
    int width;           /* neighbouring lanes in the first index: GROUP, or GROUP_X in two dimensions */
    int line;
    int open;            /* a body began and has not reached its end */
    int started, turn;   /* turn: lanes begun */
    int lane, slot;      /* the thread of a GPU that would run the item, and the private values it uses */
    long at[2];          /* the item */
} rw_check_each;

/* Any of these may leave the kernel for good (longjmp) when it finds a mistake. */
typedef struct rw_check_hooks {
    void (*access)(const void *address, unsigned long bytes, int kind, const void *from);
    void *(*array)(const char *name, unsigned long item, unsigned long align, unsigned long count, int kind, int line);
    void (*barrier)(int line);
    int (*each_next)(rw_check_each *each); /* 0: no item is left */
    void (*each_end)(rw_check_each *each); /* when its scope is left, in whatever way */
    void (*other_item)(const rw_check_each *each, long i, int line); /* AT(name, i) with another item's i */
    void (*print)(const char *format, va_list args);
    void (*undefined)(const char *what, const void *data, unsigned long a, unsigned long b, const void *from);
    void *(*copy)(void *to, const void *from, unsigned long bytes);
    void *(*fill)(void *to, int byte, unsigned long bytes);
} rw_check_hooks;

#ifndef RW_CHECK_LIBRARY
__attribute__((visibility("default"))) const rw_check_hooks *rw_check;
#define RW_FROM __builtin_return_address(0)
#define RW_HOOK                                                                                                        \
    __attribute__((visibility("hidden"), used, noinline, no_sanitize("thread"), no_sanitize("undefined")))

RW_HOOK void *rw_declare(const char *name, unsigned long item, unsigned long align, unsigned long count, int kind,
    int line)
{
    return rw_check->array(name, item, align, count, kind, line);
}
RW_HOOK void rw_barrier(int line) { rw_check->barrier(line); }
RW_HOOK int rw_each_next(rw_check_each *each) { return rw_check->each_next(each); }
RW_HOOK void rw_each_end(rw_check_each *each) { rw_check->each_end(each); }
RW_HOOK long rw_at(const rw_check_each *each, long i, int line)
{
    if (i != each->at[0]) rw_check->other_item(each, i, line);
    return each->slot;
}
RW_HOOK void rw_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rw_check->print(format, args);
    va_end(args);
}

RW_HOOK void __tsan_init(void) {}
RW_HOOK void __tsan_func_entry(void *from) { (void)from; }
RW_HOOK void __tsan_func_exit(void) {}
RW_HOOK void __tsan_read_range(void *p, unsigned long n) { rw_check->access(p, n, RW_CHECK_READ, RW_FROM); }
RW_HOOK void __tsan_write_range(void *p, unsigned long n) { rw_check->access(p, n, RW_CHECK_WRITE, RW_FROM); }
#define RW_ACCESS(name, n, kind)                                                                                       \
    RW_HOOK void __tsan_##name##n(void *p) { rw_check->access(p, n, kind, RW_FROM); }
#define RW_ACCESSES(n)                                                                                                 \
    RW_ACCESS(read, n, RW_CHECK_READ) RW_ACCESS(write, n, RW_CHECK_WRITE)                                              \
    RW_ACCESS(unaligned_read, n, RW_CHECK_READ) RW_ACCESS(unaligned_write, n, RW_CHECK_WRITE)                          \
    RW_ACCESS(volatile_read, n, RW_CHECK_READ) RW_ACCESS(volatile_write, n, RW_CHECK_WRITE)                            \
    RW_ACCESS(unaligned_volatile_read, n, RW_CHECK_READ) RW_ACCESS(unaligned_volatile_write, n, RW_CHECK_WRITE)
RW_ACCESSES(1) RW_ACCESSES(2) RW_ACCESSES(4) RW_ACCESSES(8) RW_ACCESSES(16)

/* The check device runs items one after the other, so plain code is atomic. */
#define RW_UPDATE(T, n, name, value)                                                                                   \
    RW_HOOK T __tsan_atomic##n##_##name(volatile T *p, T v, int order)                                                 \
    {                                                                                                                  \
        rw_check->access((void *)p, sizeof(T), RW_CHECK_ATOMIC, RW_FROM);                                              \
        T old = *p;                                                                                                    \
        *p = value;                                                                                                    \
        return old;                                                                                                    \
    }
#define RW_SWAP_IF(T, n, name)                                                                                         \
    RW_HOOK int __tsan_atomic##n##_compare_exchange_##name(volatile T *p, T *old, T v, int order, int failed)          \
    {                                                                                                                  \
        rw_check->access((void *)p, sizeof(T), RW_CHECK_ATOMIC, RW_FROM);                                              \
        const int equal = *p == *old;                                                                                  \
        *old = *p;                                                                                                     \
        if (equal) *p = v;                                                                                             \
        return equal;                                                                                                  \
    }
#define RW_ATOMIC_LOAD(T, n)                                                                                           \
    RW_HOOK T __tsan_atomic##n##_load(const volatile T *p, int order)                                                  \
    {                                                                                                                  \
        rw_check->access((void *)p, sizeof(T), RW_CHECK_ATOMIC, RW_FROM);                                              \
        return *p;                                                                                                     \
    }                                                                                                                  \
    RW_HOOK T __tsan_atomic##n##_compare_exchange_val(volatile T *p, T old, T v, int order, int failed)                \
    {                                                                                                                  \
        rw_check->access((void *)p, sizeof(T), RW_CHECK_ATOMIC, RW_FROM);                                              \
        const T was = *p;                                                                                              \
        if (was == old) *p = v;                                                                                        \
        return was;                                                                                                    \
    }
#define RW_ATOMICS(T, n)                                                                                               \
    RW_ATOMIC_LOAD(T, n) RW_SWAP_IF(T, n, strong) RW_SWAP_IF(T, n, weak)                                               \
    RW_UPDATE(T, n, fetch_add, old + v) RW_UPDATE(T, n, fetch_sub, old - v) RW_UPDATE(T, n, fetch_and, old & v)        \
    RW_UPDATE(T, n, fetch_or, old | v) RW_UPDATE(T, n, fetch_xor, old ^ v) RW_UPDATE(T, n, exchange, v)
RW_ATOMICS(int, 32) RW_ATOMICS(long, 64)

/* Copies of structs and loops that the compiler takes for memcpy or memset. */
#define RW_COPY(name)                                                                                                  \
    RW_HOOK void *name(void *to, const void *source, unsigned long n)                                                  \
    {                                                                                                                  \
        rw_check->access(source, n, RW_CHECK_READ, RW_FROM);                                                           \
        rw_check->access(to, n, RW_CHECK_WRITE, RW_FROM);                                                              \
        return rw_check->copy(to, source, n);                                                                          \
    }
#define RW_FILL(name)                                                                                                  \
    RW_HOOK void *name(void *to, int byte, unsigned long n)                                                            \
    {                                                                                                                  \
        rw_check->access(to, n, RW_CHECK_WRITE, RW_FROM);                                                              \
        return rw_check->fill(to, byte, n);                                                                            \
    }
RW_COPY(memcpy) RW_COPY(memmove) RW_COPY(__tsan_memcpy) RW_COPY(__tsan_memmove) RW_FILL(memset) RW_FILL(__tsan_memset)

#define RW_UNDEFINED(name)                                                                                             \
    RW_HOOK void __ubsan_handle_##name(void *data, unsigned long a, unsigned long b)                                   \
    {                                                                                                                  \
        rw_check->undefined(#name, data, a, b, RW_FROM);                                                               \
    }
RW_UNDEFINED(add_overflow) RW_UNDEFINED(sub_overflow) RW_UNDEFINED(mul_overflow) RW_UNDEFINED(negate_overflow)
RW_UNDEFINED(divrem_overflow) RW_UNDEFINED(shift_out_of_bounds) RW_UNDEFINED(out_of_bounds)
#endif

#endif
