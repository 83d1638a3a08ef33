/* Watched memory: data between guard zones, with a byte of shadow for each byte and cells for the last accesses.
 * Pages come from the system directly, so that the gaps around the data cost address space only: as far as an int
 * index of f64 can miss, where the system lets us, and else the length of the data. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/check/check.h"

#define WIDE_GAP ((size_t)16 << 30)
enum { GUARD = 256, PATTERN = 0xa5, POISON = 0xff };

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

/* Bytes from the end of the data to the end of its last page. */
static size_t tail(const rw_check_area *a)
{
    return round_up(GUARD + a->capacity + GUARD, (size_t)sysconf(_SC_PAGESIZE)) - GUARD - a->capacity;
}

static bool map_pages(rw_check_area *a, size_t gap, size_t body)
{
    a->map_bytes = gap + body + gap;
    void *map = mmap(NULL, a->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return false;
    a->map = map;
    a->data = a->map + gap + GUARD;
    return mprotect(a->map + gap, body, PROT_READ | PROT_WRITE) == 0;
}

rw_check_area *rw_check_area_create(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = round_up(GUARD + bytes + GUARD, page);
    size_t gap = round_up(RW_MAX(bytes, (size_t)1 << 20), page);
    rw_check_area *a = rw_calloc(1, sizeof *a);
    if (!a) return NULL;
    a->written = rw_calloc(bytes, 1);
    if (!a->written || (!map_pages(a, RW_MAX(gap, WIDE_GAP), body) && !map_pages(a, gap, body))) {
        rw_check_area_destroy(a);
        return NULL;
    }
    a->bytes = a->capacity = bytes;
    memset(a->data - GUARD, PATTERN, GUARD);
    memset(a->data + bytes, PATTERN, tail(a));
    rw_check_area_poison(a);
    return a;
}

void rw_check_area_destroy(rw_check_area *a)
{
    if (!a) return;
    if (a->map) munmap(a->map, a->map_bytes);
    rw_free(a->written);
    rw_free(a->cells);
    rw_free(a);
}

void rw_check_area_poison(rw_check_area *a)
{
    memset(a->data, POISON, a->bytes);
    memset(a->written, 0, a->bytes);
}

bool rw_check_area_shadow(rw_check_area *a, int shift)
{
    if (a->cells && a->shift == shift) return true;
    rw_free(a->cells);
    a->shift = shift;
    a->cells = rw_calloc((a->capacity >> shift) + 1, sizeof *a->cells);
    return a->cells != NULL;
}

/* Every byte is PATTERN, if the first one is and each equals the one after it. */
static bool whole(const char *guard, size_t bytes)
{
    return (unsigned char)guard[0] == PATTERN && !memcmp(guard, guard + 1, bytes - 1);
}

ptrdiff_t rw_check_area_damage(rw_check_area *a)
{
    ptrdiff_t first = 0, end = (ptrdiff_t)(a->capacity + tail(a));
    if (whole(a->data - GUARD, GUARD) && whole(a->data + a->capacity, tail(a))) return 0;
    for (ptrdiff_t i = -GUARD; i < end; ++i) {
        if (i == 0) i = (ptrdiff_t)a->capacity;
        if ((unsigned char)a->data[i] == PATTERN) continue;
        if (!first) first = i;
        a->data[i] = (char)PATTERN;
    }
    return first;
}

rw_check_area *rw_check_find(const rw_check_state *s, const rw_buffer *buffer)
{
    rw_check_area *a = s->arrays;
    while (a && !((const char *)buffer->pointer >= a->data && (const char *)buffer->pointer <= a->data + a->capacity))
        a = a->next;
    return a;
}
