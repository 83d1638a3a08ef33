/* Streamlines of a vector on a plane (output.streamlines): how dense, and the name of their group in files. */
#include "run/run_private.h"

bool rw_layout_is_thin(const rw_layout *g)
{
    const double aspect = (double)g->size[0] * g->spacing[0] / ((double)g->size[1] * g->spacing[1]);
    return g->ndim == 2 && (aspect > 8 || aspect < 0.125);
}

#define DENSITY 32.0 /* separations along the longer side; along both where the picture is stretched */

static rw_status trace(rw_context *ctx, const rw_layout *g, const double *u, const double *v, rw_streamlines *lines)
{
    rw_streamline_field f = {.nx = (size_t)g->size[0],
                             .ny = (size_t)g->size[1],
                             .u = u,
                             .v = v,
                             .origin = {g->origin[0], g->origin[1]},
                             .spacing = {g->spacing[0], g->spacing[1]},
                             .scale = {1, 1}};
    const double x = (double)g->size[0] * g->spacing[0], y = (double)g->size[1] * g->spacing[1];
    if (!rw_layout_is_thin(g)) return rw_streamlines_create(ctx, &f, RW_MAX(x, y) / DENSITY, lines);
    f.scale[0] = 1 / x;
    f.scale[1] = 1 / y;
    return rw_streamlines_create(ctx, &f, 1 / DENSITY, lines);
}

rw_status rw_trace_streamlines(rw_context *ctx, const rw_layout *g, rw_dtype type, const void *u, const void *v,
                               rw_streamlines *lines)
{
    const size_t n = (size_t)rw_layout_count(g);
    const float *from[2] = {u, v};
    *lines = (rw_streamlines){0};
    if (type == RW_F64) return trace(ctx, g, u, v, lines);
    double *wide = rw_calloc(2 * n, sizeof(*wide));
    if (!wide) return rw_fail_memory(ctx, 2 * n * sizeof(*wide), "streamlines");
    for (size_t i = 0; i < 2 * n; i++) wide[i] = (double)from[i / n][i % n];
    const rw_status status = trace(ctx, g, wide, wide + n, lines);
    rw_free(wide);
    return status;
}

bool rw_is_streamlines(const char *name) { return rw_ends_in(name, RW_STREAMLINES); }
