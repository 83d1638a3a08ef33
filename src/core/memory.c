/* Host memory: every allocation of the library passes rw_calloc or rw_realloc, where a test can make it fail.
 *
 * NULL always means exhausted: a request for 0 bytes gets 1. Nothing here sets a message: the caller knows what the
 * memory was for (rw_fail_memory). Not here: aligned or pinned memory; that is the devices' business. */
#include "core/core.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void rw_huge_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)1 << 21, skip = (page - (uintptr_t)p % page) % page; /* whole pages inside of it */
    if (bytes >= 2 * page) (void)madvise((char *)p + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#else
    (void)p, (void)bytes;
#endif
}

void *rw_calloc(size_t count, size_t size)
{
    if (rw_fault_hit(RW_FAULT_ALLOC)) return NULL;
    void *p = count && size ? calloc(count, size) : calloc(1, 1);
    if (p) rw_huge_pages(p, count * size); /* large ones come from the system, as zeros that nobody has touched */
    return p;
}

void *rw_realloc(void *old, size_t size)
{
    if (rw_fault_hit(RW_FAULT_ALLOC)) return NULL;
    return realloc(old, size ? size : 1);
}

char *rw_strdup(const char *text) { return rw_strndup(text, strlen(text)); }

char *rw_strndup(const char *text, size_t n)
{
    n = strnlen(text, n);
    char *copy = rw_calloc(n + 1, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void rw_free(void *p) { free(p); }

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
