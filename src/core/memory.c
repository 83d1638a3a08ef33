/* Host memory: every allocation of the library passes rw_calloc or rw_realloc, where a test can make it fail.
 *
 * NULL always means exhausted: a request for 0 bytes gets 1. Nothing here sets a message: the caller knows what the
 * memory was for (rw_fail_memory). Not here: aligned or pinned memory; that is the devices' business. */
#include "core/core.h"

#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes held since rw_host_count_begin, and the largest number of them at once. */
static struct {
    bool on;
    int64_t now, peak;
} held;

static void count(int64_t bytes)
{
    if (!__atomic_load_n(&held.on, __ATOMIC_RELAXED)) return;
    const int64_t now = __atomic_add_fetch(&held.now, bytes, __ATOMIC_RELAXED);
    int64_t peak = __atomic_load_n(&held.peak, __ATOMIC_RELAXED);
    while (now > peak &&
           !__atomic_compare_exchange_n(&held.peak, &peak, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static int64_t size_of(void *p)
{
    return p && __atomic_load_n(&held.on, __ATOMIC_RELAXED) ? (int64_t)malloc_usable_size(p) : 0;
}

void rw_host_count_begin(void)
{
    __atomic_store_n(&held.now, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&held.peak, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&held.on, true, __ATOMIC_RELAXED);
}

int64_t rw_host_count_end(void)
{
    __atomic_store_n(&held.on, false, __ATOMIC_RELAXED);
    return __atomic_load_n(&held.peak, __ATOMIC_RELAXED);
}

void rw_huge_pages(void *p RW_UNUSED, size_t bytes RW_UNUSED)
{
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)1 << 21, skip = (page - (uintptr_t)p % page) % page; /* whole pages inside of it */
    if (bytes >= 2 * page) (void)madvise((char *)p + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#endif
}

void *rw_calloc(size_t n, size_t size)
{
    if (rw_fault_hit(RW_FAULT_ALLOC)) return NULL;
    void *p = n && size ? calloc(n, size) : calloc(1, 1);
    count(size_of(p));
    if (p) rw_huge_pages(p, n * size); /* large ones come from the system, as zeros that nobody has touched */
    return p;
}

void *rw_realloc(void *old, size_t size)
{
    if (rw_fault_hit(RW_FAULT_ALLOC)) return NULL;
    const int64_t before = size_of(old);
    void *p = realloc(old, size ? size : 1);
    if (p) count(size_of(p) - before);
    return p;
}

char *rw_strdup(const char *text) { return rw_strndup(text, strlen(text)); }

char *rw_strndup(const char *text, size_t n)
{
    n = strnlen(text, n);
    char *copy = rw_calloc(n + 1, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void rw_free(void *p)
{
    count(-size_of(p));
    free(p);
}

bool rw_grow(void *items, int *capacity, int need, size_t size)
{
    if (need <= *capacity) return true;
    int n = *capacity > INT_MAX / 2 ? INT_MAX : RW_MAX(2 * *capacity, 8); /* doubling: n appends cost O(n) copies */
    if (n < need) n = need;
    if (size && (size_t)n > SIZE_MAX / size) return false;
    void *old; /* `items` points to a T *: copied as bytes, for a void ** must not alias it */
    memcpy(&old, items, sizeof(old));
    char *grown = rw_realloc(old, (size_t)n * size);
    if (!grown) return false;
    memset(grown + (size_t)*capacity * size, 0, (size_t)(n - *capacity) * size);
    memcpy(items, &grown, sizeof(grown));
    *capacity = n;
    return true;
}

/* ---- what is left ---------------------------------------------------------------------------------------------- */

/* The number after `key` in a small file of the kernel, times `unit`; -1 when there is none ("max"). */
static int64_t read_number(const char *path, const char *key, int64_t unit)
{
    char line[256];
    int64_t value = -1;
    FILE *file = rw_fopen(path, "r");
    if (!file) return -1;
    while (value < 0 && fgets(line, sizeof(line), file)) {
        char *end, *p = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0) continue;
        int64_t n = strtoll(p, &end, 10);
        if (end != p && n >= 0 && n < INT64_MAX / unit) value = n * unit;
    }
    fclose(file);
    return value;
}

/* Limit less use of the control group, in version 2 or 1 of its files; -1: none. */
static int64_t group_available(void)
{
    static const struct {
        const char *limit, *use, *stat, *reclaimable;
    } files[] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file "},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
         "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "},
    };
    for (int i = 0; i < RW_COUNT(files); i++) {
        int64_t limit = read_number(files[i].limit, "", 1), use = read_number(files[i].use, "", 1);
        int64_t cached = read_number(files[i].stat, files[i].reclaimable, 1);
        if (limit >= 0 && use >= 0) return RW_MAX(0, limit - use + RW_MAX(cached, 0));
    }
    return -1;
}

int rw_usable_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? RW_MAX(CPU_COUNT(&set), 1) : 1;
}

int64_t rw_host_available(void)
{
    const int64_t host = read_number("/proc/meminfo", "MemAvailable:", 1024), group = group_available();
    return group >= 0 && (host < 0 || group < host) ? group : host;
}
