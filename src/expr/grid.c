#include "expr/grid.h"

#include "core/core.h"

rw_status rw_grid_resolve(rw_context *ctx, const rw_grid *spec, int64_t least, rw_grid *grid)
{
    rw_grid g = *spec;
    if (g.ndim < 0 || g.ndim > 3)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "grid.ndim = %d: a grid has 1, 2 or 3 dimensions, or 0 for no space",
                       g.ndim);
    int64_t nodes = 1;
    for (int d = 0; d < 3; ++d) {
        const char axis = "xyz"[d];
        if (d >= g.ndim) {
            if (g.size[d] != 0 && g.size[d] != 1)
                return rw_fail(ctx, RW_ERR_ARGUMENT,
                               "grid.size = %lld on axis %c: must be 1 beyond the grid's %d dimension%s",
                               (long long)g.size[d], axis, g.ndim, g.ndim == 1 ? "" : "s");
            g.size[d] = g.global_size[d] = 1;
            g.first[d] = 0;
            g.spacing[d] = 1;
            continue;
        }
        if (g.size[d] < least)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "grid.size = %lld on axis %c: must be at least %lld",
                           (long long)g.size[d], axis, (long long)least);
        if (!(g.spacing[d] > 0 && g.spacing[d] < 1e300))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "grid.spacing = %g on axis %c: must be positive", g.spacing[d], axis);
        if (nodes && g.size[d] > INT64_MAX / 64 / nodes)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "grid.size = %lld on axis %c: a grid has at most 2^57 nodes",
                           (long long)g.size[d], axis);
        nodes *= g.size[d];
        if (!g.global_size[d] && !g.first[d]) g.global_size[d] = g.size[d];
        if (g.first[d] < 0 || g.global_size[d] < g.size[d] || g.first[d] > g.global_size[d] - g.size[d])
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "grid.first = %lld on axis %c: %lld nodes from there do not fit into global_size = %lld",
                           (long long)g.first[d], axis, (long long)g.size[d], (long long)g.global_size[d]);
    }
    *grid = g;
    return RW_OK;
}
