/* Block-structured grids: made from a coarse mesh, asked for cells and points. */
#include "field/blocks.h"

#include <math.h>
#include <string.h>

#include "field/vector.h"

static rw_status check_surfaces(rw_context *ctx, const rw_coarse_mesh *m)
{
    for (int i = 0; i < m->nsurfaces; ++i) {
        const rw_surface *s = m->surfaces + i;
        RW_CHECK_MEMBERS(ctx, rw_surface, s);
        bool fits = s->kind == RW_SURFACE_CUSTOM ? s->project != NULL : s->radius > 0 && isfinite(s->radius);
        if (s->kind == RW_SURFACE_CYLINDER) fits = fits && dot(s->axis, s->axis) > 0;
        if (!fits)
            return rw_fail(
                ctx, RW_ERR_ARGUMENT,
                "surface %d is invalid: cylinders and spheres need a positive radius, cylinders an axis, custom "
                "surfaces a function",
                i);
    }
    return RW_OK;
}

static rw_status copy_mesh(rw_blocks *g, const rw_blocks_spec *spec)
{
    const rw_coarse_mesh *m = &spec->mesh;
    g->nvertices = m->nvertices;
    g->nblocks = m->nblocks;
    g->nsurfaces = m->nsurfaces;
    g->mapping = spec->mapping;
    g->blocks = rw_calloc((size_t)m->nblocks, sizeof *g->blocks);
    g->surfaces = rw_calloc((size_t)RW_MAX(m->nsurfaces, 1), sizeof *g->surfaces);
    if (!g->blocks || !g->surfaces)
        return rw_fail_memory(g->ctx, (size_t)m->nblocks * sizeof *g->blocks, "the blocks of a grid");
    if (m->nsurfaces) memcpy(g->surfaces, m->surfaces, (size_t)m->nsurfaces * sizeof *g->surfaces);
    return RW_OK;
}

static rw_status make_points(rw_blocks *g, const rw_coarse_mesh *m)
{
    g->points = rw_calloc((size_t)g->npoints, sizeof *g->points);
    if (!g->points) return rw_fail_memory(g->ctx, (size_t)g->npoints * sizeof *g->points, "the points of a grid");
    memcpy(g->points, m->vertices, (size_t)m->nvertices * sizeof *g->points);
    return rw_blocks_map(g);
}

rw_status rw_blocks_create_sized(rw_context *ctx, const rw_blocks_spec *spec, rw_blocks **grid, size_t spec_size)
{
    RW_NEED(grid, "grid");
    *grid = NULL;
    RW_NEED(ctx, "ctx");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(ctx, rw_blocks_spec, spec, spec_size);
    const rw_coarse_mesh *m = &spec->mesh;
    RW_CHECK_MEMBERS(ctx, rw_coarse_mesh, m);
    if (m->nblocks < 1 || m->nvertices < 8)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a mesh of %lld blocks and %lld vertices: at least 1 block and 8 vertices are needed",
                       (long long)m->nblocks, (long long)m->nvertices);
    for (int v = 0; v < m->nvertices; ++v)
        for (int d = 0; d < 3; ++d)
            if (!isfinite(m->vertices[v][d]))
                return rw_fail(ctx, RW_ERR_INPUT, "vertex %d has %c = %g: coordinates must be finite", v, "xyz"[d],
                               m -> vertices[v][d]);
    RW_TRY(check_surfaces(ctx, m));
    rw_blocks *g = rw_calloc(1, sizeof *g);
    if (!g) return rw_fail_memory(ctx, sizeof *g, "a grid");
    g->ctx = rw_context_retain(ctx);
    rw_status status;
    RW_TRY_GOTO(copy_mesh(g, spec), failed);
    RW_TRY_GOTO(rw_blocks_connect(g, spec), failed);
    RW_TRY_GOTO(make_points(g, m), failed);
    RW_TRY_GOTO(rw_blocks_check_cells(g), failed);
    *grid = g;
    return RW_OK;
failed:
    rw_blocks_destroy(&g);
    return status;
}

void rw_blocks_destroy(rw_blocks **grid)
{
    if (!grid) return;
    rw_blocks *g = *grid;
    *grid = NULL;
    if (!g) return;
    rw_context *ctx = g->ctx;
    rw_blocks_free_external(g);
    rw_free(g->blocks);
    rw_free(g->edges);
    rw_free(g->faces);
    rw_free(g->surfaces);
    rw_free(g->points);
    rw_free(g);
    rw_context_destroy(&ctx);
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

int64_t rw_blocks_count(const rw_blocks *g) { return g ? g->nblocks : 0; }
int64_t rw_blocks_cells(const rw_blocks *g) { return g ? g->ncells : 0; }
int64_t rw_blocks_points(const rw_blocks *g) { return g ? g->npoints : 0; }
const double (*rw_blocks_coordinates(const rw_blocks *g))[3] { return g ? (const double(*)[3])g->points : NULL; }

rw_status rw_blocks_get_block(const rw_blocks *g, int block, rw_block *info)
{
    RW_NEED(g, "grid");
    RW_NEED(info, "info");
    if (block < 0 || block >= g->nblocks)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "block %d does not exist: the grid has blocks 0 … %d", block,
                       g->nblocks - 1);
    const rw_block_place *b = g->blocks + block;
    rw_block out = {.first_cell = b->first_cell};
    for (int i = 0; i < 8; ++i) out.corner[i] = b->corner[rw_corner_of(i)];
    memcpy(out.cells, b->cells, sizeof out.cells);
    *info = out;
    return RW_OK;
}

static int64_t point_of_edge(const rw_blocks *g, const rw_block_place *b, int axis, int a, int c, int along)
{
    int edge = 4 * axis + a + 2 * c;
    return g->edges[b->edge[edge]].first + (b->backwards[edge] ? b->cells[axis] - along : along) - 1;
}

static int64_t point_of_face(const rw_blocks *g, const rw_block_place *b, int axis, int side, int p, int q)
{
    int face = 2 * axis + side, o[2], own[2];
    rw_other_axes(axis, o);
    const rw_block_face *f = g->faces + b->face[face];
    rw_turned(b->turn[face], (int[2]){b->cells[o[0]], b->cells[o[1]]}, p, q, own);
    return f->first + (int64_t)(own[1] - 1) * (f->cells[0] - 1) + own[0] - 1;
}

int64_t rw_blocks_point(const rw_blocks *g, int block, int i, int j, int k)
{
    if (!g) return 0;
    const rw_block_place *b = g->blocks + block;
    int at[3] = {i, j, k}, side[3], ends = 0;
    for (int d = 0; d < 3; ++d) {
        side[d] = at[d] == b->cells[d];
        ends += at[d] == 0 || side[d];
    }
    if (ends == 0) return b->first + ((int64_t)(k - 1) * (b->cells[1] - 1) + j - 1) * (b->cells[0] - 1) + i - 1;
    if (ends == 3) return b->corner[side[0] + 2 * side[1] + 4 * side[2]];
    for (int d = 0; d < 3; ++d) {
        bool end = at[d] == 0 || side[d];
        int o[2];
        rw_other_axes(d, o);
        if (ends == 2 && !end) return point_of_edge(g, b, d, side[o[0]], side[o[1]], at[d]);
        if (ends == 1 && end) return point_of_face(g, b, d, side[d], at[o[0]], at[o[1]]);
    }
    return -1; /* not reached */
}

int rw_blocks_find(const rw_blocks *g, int64_t cell, int place[3])
{
    if (!g || !place) return 0;
    int low = 0, high = g->nblocks - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (g->blocks[middle].first_cell <= cell) low = middle;
        else high = middle - 1;
    }
    const rw_block_place *b = g->blocks + low;
    int64_t n = cell - b->first_cell;
    place[0] = (int)(n % b->cells[0]);
    place[1] = (int)(n / b->cells[0] % b->cells[1]);
    place[2] = (int)(n / b->cells[0] / b->cells[1]);
    return low;
}

void rw_blocks_cell_points(const rw_blocks *g, int64_t cell, int64_t points[8])
{
    if (!g || !points) return;
    int at[3], block = rw_blocks_find(g, cell, at);
    for (int i = 0; i < 8; ++i) {
        int c = rw_corner_of(i);
        points[i] = rw_blocks_point(g, block, at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2));
    }
}
