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

rw_status rw_reserved_check(rw_context *ctx, const char *type, const int64_t *reserved, int n)
{
    if (is_zero((const char *)reserved, (size_t)n * sizeof *reserved)) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT,
                   "%s.reserved is not 0: initialise the structure with {0}; version " RW_VERSION
                   " of the library defines no members there",
                   type);
}

rw_status rw_struct_in_array(rw_context *ctx, const char *type, const void **array, int64_t n, size_t size,
                             size_t from_size, void **copy)
{
    *copy = NULL;
    if (from_size == size || !*array || n <= 0) return RW_OK;
    char *all = rw_calloc((size_t)n, size);
    if (!all) return rw_fail_memory(ctx, (size_t)n * size, type);
    for (int64_t i = 0; i < n; ++i) {
        const rw_status status = rw_struct_in(ctx, type, all + (size_t)i * size, size,
                                              (const char *)*array + (size_t)i * from_size, from_size);
        if (status != RW_OK) return rw_free(all), status;
    }
    *array = *copy = all;
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
