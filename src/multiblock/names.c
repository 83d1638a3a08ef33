/* Names of stencils, modes and indices, cells as text, and the document's cases. */
#include <string.h>

#include "multiblock/multiblock.h"

static const char *const stencils[] = {
#define RW_X(name, text, axes, cells, line) text,
    RW_MULTIBLOCK_STENCIL_LIST(RW_X)
#undef RW_X
};
static const char *const modes[] = {
#define RW_X(name, text, line) text,
    RW_MULTIBLOCK_MODE_LIST(RW_X)
#undef RW_X
};
static const char *const indices[] = {
#define RW_X(name, text, line) text,
    RW_MULTIBLOCK_INDEX_LIST(RW_X)
#undef RW_X
};

const char *rw_multiblock_stencil_name(rw_multiblock_stencil stencil) { return (unsigned)stencil < RW_COUNT(stencils) ? stencils[stencil] : "?"; }
const char *rw_multiblock_mode_name(rw_multiblock_mode mode) { return (unsigned)mode < RW_COUNT(modes) ? modes[mode] : "?"; }
const char *rw_multiblock_index_name(rw_multiblock_index index) { return (unsigned)index < RW_COUNT(indices) ? indices[index] : "?"; }

static rw_status find_name(rw_context *ctx, const char *what, const char *text, const char *const *names, int n, int *found)
{
    for (int i = 0; i < n; ++i)
        if (!strcmp(text, names[i])) return *found = i, RW_OK;
    const char *nearest = rw_nearest(text, names, n);
    rw_text all = {0};
    for (int i = 0; i < n; ++i) rw_text_add(&all, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " or ", names[i]);
    rw_status status = rw_fail(ctx, RW_ERR_ARGUMENT, "%s \"%s\": there is none of that name%s%s%s; it is %s", what, text, nearest ? ", did you mean " : "", nearest ? nearest : "",
                               nearest ? "?" : "", all.failed ? names[0] : all.data);
    rw_text_free(&all);
    return status;
}

rw_status rw_multiblock_stencil_parse(rw_context *ctx, const char *text, rw_multiblock_stencil *stencil)
{
    RW_NEED(ctx, "context"); RW_NEED(text, "text"); RW_NEED(stencil, "stencil");
    int i;
    RW_TRY(find_name(ctx, "stencil", text, stencils, RW_COUNT(stencils), &i));
    return *stencil = (rw_multiblock_stencil)i, RW_OK;
}

rw_status rw_multiblock_mode_parse(rw_context *ctx, const char *text, rw_multiblock_mode *mode)
{
    RW_NEED(ctx, "context"); RW_NEED(text, "text"); RW_NEED(mode, "mode");
    int i;
    RW_TRY(find_name(ctx, "mode", text, modes, RW_COUNT(modes), &i));
    return *mode = (rw_multiblock_mode)i, RW_OK;
}

rw_status rw_multiblock_index_parse(rw_context *ctx, const char *text, rw_multiblock_index *index)
{
    RW_NEED(ctx, "context"); RW_NEED(text, "text"); RW_NEED(index, "index");
    int i;
    RW_TRY(find_name(ctx, "index", text, indices, RW_COUNT(indices), &i));
    return *index = (rw_multiblock_index)i, RW_OK;
}

rw_status rw_multiblock_cells_parse(rw_context *ctx, const char *text, int64_t cells[3])
{
    RW_NEED(ctx, "context"); RW_NEED(text, "text"); RW_NEED(cells, "cells");
    const char *at = text;
    int64_t read[RW_AXES] = {1, 1, 1};
    for (int axis = 0; axis < RW_AXES; ++axis) {
        int64_t n = 0;
        for (; *at >= '0' && *at <= '9' && n <= 1000000; ++at) n = 10 * n + (*at - '0');
        if (n < 1 || n > 1000000) break;
        read[axis] = n;
        if (!*at) return memcpy(cells, read, sizeof read), RW_OK;
        if (*at++ != 'x') break;
    }
    return rw_fail(ctx, RW_ERR_ARGUMENT, "cells \"%s\": one to three whole numbers from 1 to 1000000 are needed, such as 10x40x80", text);
}
