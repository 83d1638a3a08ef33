/* The part of x that each workgroup needs, for kernels that store it in shared memory. Rows without blocks need
 * nothing. The window is contiguous: unused entries in it are copied too, so that indices remain simple offsets. */
#include "lab/windows.h"
#include "multiblock/multiblock.h"
#include "sparse/host.h"

/* Lowest and highest block column of block rows lo … hi. */
static void span(const rw_sparse_blocks *p, int64_t lo, int64_t hi, int64_t *least, int64_t *most)
{
    *least = INT64_MAX;
    *most = -1;
    for (int64_t i = lo; i <= hi; ++i) {
        if (p->first[i] == p->first[i + 1]) continue;
        *least = RW_MIN(*least, p->column[p->first[i]]);
        *most = RW_MAX(*most, p->column[p->first[i + 1] - 1]);
    }
}

rw_status rw_windows_find(rw_context *ctx, const rw_sparse_blocks *p, int block, int64_t group, rw_windows *w)
{
    RW_NEED(ctx, "context");
    RW_NEED(p, "stored");
    RW_NEED(w, "windows");
    *w = (rw_windows){0};
    if (block < 1 || block > RW_SPARSE_BLOCK_MOST)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "blocks of %d: the size must be 1 to %d", block, RW_SPARSE_BLOCK_MOST);
    if (group < 1 || group > 1 << 20)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "workgroups of %lld work-items: the number must be 1 to 1048576",
                       (long long)group);
    if (p->rows < 0 || p->rows > INT64_MAX / 64)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%lld block rows: the number must not be negative or greater than 2^57",
                       (long long)p->rows);
    const int64_t rows = block * p->rows, groups = (rows + group - 1) / group;
    int64_t *info = rw_calloc((size_t)groups, 3 * sizeof *info), longest = 0;
    if (!info) return rw_fail_memory(ctx, (size_t)groups * 24, "windows");
    for (int64_t g = 0; g < groups; ++g) {
        int64_t least, most;
        span(p, g * group / block, (RW_MIN((g + 1) * group, rows) - 1) / block, &least, &most);
        if (most < 0) {
            info[3 * g + 1] = -1;
            continue;
        }
        info[3 * g] = least * block;
        info[3 * g + 1] = most * block + block - 1;
        const int64_t window = info[3 * g + 1] - info[3 * g] + 1;
        info[3 * g + 2] = (window + group - 1) / group;
        longest = RW_MAX(longest, window);
    }
    *w = (rw_windows){group, groups, info, longest};
    return RW_OK;
}

void rw_windows_free(rw_windows *w)
{
    if (!w) return;
    rw_free(w->info);
    *w = (rw_windows){0};
}

rw_status rw_windows_check(rw_context *ctx, const rw_windows *w, rw_dtype type, int64_t bytes)
{
    RW_NEED(ctx, "context");
    RW_NEED(w, "windows");
    const int64_t size = (int64_t)rw_dtype_size(type);
    if (w->longest <= bytes / size) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_UNSUPPORTED,
        "a window of x has %lld entries of %s, %lld bytes, and the shared memory of a workgroup has %lld bytes, %lld "
        "entries: use a kernel that reads x from global memory",
        (long long)w->longest, rw_dtype_name(type), (long long)(w->longest * size), (long long)bytes,
        (long long)(bytes / size));
}

/* Sources: tables 4.1, 4.2 and 6.10 of the document and what follows from them (docs/methods/multiblock.md). */
static const rw_study_case cases[] = {
    {"10x40x20", {10, 40, 20}, 104000, 95600, 180680, 73920, 166.4e6, 166.4e6},
    {"10x40x40", {10, 40, 40}, 208000, 193600, 366760, 135520, 332.8e6, 332.8e6},
    {"20x40x20", {20, 40, 20}, 208000, 196000, 372320, 126720, 332.8e6, 332.8e6},
    {"10x40x80", {10, 40, 80}, 416000, 389600, 738920, 258720, 665.6e6, 1331.2e6},
    {"10x80x40", {10, 80, 40}, 416000, 389600, 738920, 258720, 665.6e6, 1331.2e6},
    {"40x80x40", {40, 80, 40}, 1664000, 1616000, 3088640, 813120, 2662.4e6, 2662.4e6},
};

const rw_study_case *rw_study_cases(int *n)
{
    if (n) *n = RW_COUNT(cases);
    return cases;
}
