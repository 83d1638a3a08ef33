/* Structures of callers that were compiled with the headers of another version. A later version adds members at the
 * end only, so that the shorter of two layouts is the beginning of the longer one. */
#include <string.h>

#include "core/core.h"

static bool is_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (bytes[i]) return false;
    return true;
}

rw_status rw_struct_in(rw_context *ctx, const char *type, void *to, size_t size, const void *from, size_t from_size)
{
    const size_t common = RW_MIN(size, from_size);
    if (from_size > size && !is_zero((const char *)from + size, from_size - size))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: a member is set that this version of the library, " RW_VERSION
                       ", does not support: use a library as recent as the headers, or leave the member 0",
                       type);
    memcpy(to, from, common);
    memset((char *)to + common, 0, size - common);
    return RW_OK;
}

static int64_t count_at(const char *at, size_t size)
{
    return size == sizeof(int) ? *(const int *)at : *(const int64_t *)at;
}

rw_status rw_check_members(rw_context *ctx, const char *type, const rw_member *m, const void *structure)
{
    const char *base = structure;
    for (; m->name; ++m) {
        if (!m->count) {
            const int value = *(const int *)(base + m->offset);
            if (value < m->least || value > m->most)
                return rw_fail(ctx, RW_ERR_ARGUMENT, "%s.%s = %d is not a value of %s: %d to %d are allowed", type,
                               m->name, value, m->type, m->least, m->most);
            continue;
        }
        const int64_t n = count_at(base + m->count_offset, m->count_size);
        if (n < 0)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s.%s = %lld is negative: give the number of elements of %s", type,
                           m->count, (long long)n, m->name);
        if (n > 0 && !*(const void *const *)(base + m->offset))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s.%s = %lld, and %s is NULL: set the array, or 0 elements", type,
                           m->count, (long long)n, m->name);
    }
    return RW_OK;
}

rw_status rw_reserved_check(rw_context *ctx, const char *type, const int64_t *reserved, int n)
{
    if (is_zero((const char *)reserved, (size_t)n * sizeof *reserved)) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT,
                   "%s.reserved is not 0: initialise the structure with {0}; version " RW_VERSION
                   " of the library defines no members there",
                   type);
}

/* *copy is NULL where *array can be used as it is, else the new *array. */
static rw_status take_array(rw_context *ctx, const rw_struct_array *a, const void **array, int64_t n, void **copy)
{
    *copy = NULL;
    if (!*array || n <= 0) return RW_OK;
    const bool other = a->from_size != a->size;
    char *all = other ? rw_calloc((size_t)n, a->size) : NULL;
    if (other && !all) return rw_fail_memory(ctx, (size_t)n * a->size, a->type);
    rw_status status = RW_OK;
    for (int64_t i = 0; i < n && status == RW_OK; ++i) {
        const char *element = (const char *)*array + (size_t)i * a->from_size;
        char *own = other ? all + (size_t)i * a->size : NULL;
        if (other) status = rw_struct_in(ctx, a->type, own, a->size, element, a->from_size);
        if (status != RW_OK) break;
        status = rw_check_members(ctx, a->type, a->members, other ? own : element);
        if (status != RW_OK) rw_fail_prefix(ctx, status, "element %lld", (long long)i);
    }
    if (status != RW_OK) {
        rw_free(all);
        return status;
    }
    if (other) *array = *copy = all;
    return RW_OK;
}

rw_status rw_struct_in_arrays(rw_context *ctx, void *structure, const rw_struct_array *arrays, int n, void **copy)
{
    char *base = structure;
    for (int i = 0; i < n; ++i) {
        const rw_struct_array *a = arrays + i;
        const void *array;
        memcpy(&array, base + a->offset, sizeof array);
        const rw_status status = take_array(ctx, a, &array, count_at(base + a->count_offset, a->count_size), copy + i);
        if (status != RW_OK) {
            rw_struct_free_arrays(copy, i);
            return status;
        }
        memcpy(base + a->offset, &array, sizeof array);
    }
    return RW_OK;
}

void rw_struct_free_arrays(void **copy, int n)
{
    for (int i = 0; i < n; ++i) rw_free(copy[i]);
}

rw_status rw_check_array(rw_context *ctx, const char *function, const char *name, const void *array, int64_t n)
{
    if (n < 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s has %lld elements: the number must be 0 or more", function, name,
                       (long long)n);
    if (n > 0 && !array)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s is NULL and has %lld elements: give the array, or 0 elements",
                       function, name, (long long)n);
    return RW_OK;
}

rw_status rw_struct_out(rw_status status, void *to, size_t to_size, const void *from, size_t size)
{
    if (!to) return status;
    if (to != from) memcpy(to, from, RW_MIN(size, to_size));
    if (to_size > size) memset((char *)to + size, 0, to_size - size);
    return status;
}

rw_status rw_struct_out_array(rw_context *ctx, void **list, int64_t n, size_t size, size_t to_size)
{
    char *from = *list;
    if (to_size == size || !from) return RW_OK;
    char *to = rw_calloc((size_t)RW_MAX(n, 1), to_size);
    for (int64_t i = 0; to && i < n; ++i)
        rw_struct_out(RW_OK, to + (size_t)i * to_size, to_size, from + (size_t)i * size, size);
    rw_free(from);
    *list = to;
    return to ? RW_OK : rw_fail_memory(ctx, (size_t)n * to_size, "a list");
}
