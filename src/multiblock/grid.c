/* A specification checked, the index space, and sizes without counting cells.
 *
 *   cell = (theta + g) + (ntheta + 2 g) ((x + g) + (nx + 2 g) (r + h))        with ghosts: g = 2, h = 2 (0 where the
 *   stencil has two axes)
 *
 * That order, theta fastest, then x, then r, and that width are the document's: of the six orders of the axes this one
 * alone gives its windows (tests/multiblock). */
#include <math.h>
#include <stdlib.h>

#include "multiblock/multiblock.h"
#include "param/param.h"

static const struct {
    int axes, cells;
} shapes[] = {
#define RW_X(name, text, axes, cells, line) {axes, cells},
    RW_MULTIBLOCK_STENCIL_LIST(RW_X)
#undef RW_X
};

/* Of the same stencil as numbers: is the cell at (x, theta, r) part of it? */
static bool couples(rw_multiblock_stencil stencil, int x, int theta, int r)
{
    const bool euler = stencil == RW_MULTIBLOCK_EULER2D || stencil == RW_MULTIBLOCK_EULER3D;
    if (shapes[stencil].axes == 2 && r) return false;
    if (euler && (x != 0) + (theta != 0) + (r != 0) > 1) return false;
    return abs(x) + abs(theta) + abs(r) <= 2;
}

/* In-block zeros: the block of the cell itself and of one neighbour are full, the others lack entry (row + 1) mod 5 of
 * each row, so that 54 of 65 are there. */
static uint32_t mask_of(bool zeros, int x, int theta, int r)
{
    const bool full = !zeros || (x == 0 && r == 0 && (theta == 0 || theta == -1));
    uint32_t mask = (1u << RW_AREA) - 1;
    for (int row = 0; row < RW_UNKNOWNS && !full; ++row) mask &= ~(1u << (RW_UNKNOWNS * row + (row + 1) % RW_UNKNOWNS));
    return mask;
}

static void add_offsets(rw_multiblock_grid *g)
{
    for (int r = -2; r <= 2; ++r)
        for (int x = -2; x <= 2; ++x)
            for (int theta = -2; theta <= 2; ++theta) {
                if (!couples(g->spec.stencil, x, theta, r)) continue;
                const int square = x * x + theta * theta + r * r;
                if (!square) g->self = g->noffsets;
                g->offset[g->noffsets++] = (rw_offset){{x, theta, r},
                                                       25 * (r + 2) + 5 * (x + 2) + theta + 2,
                                                       square ? 1 / sqrt(square) : 1,
                                                       mask_of(g->spec.zeros, x, theta, r)};
            }
}

static rw_status check(rw_context *ctx, rw_multiblock_spec *s)
{
    static const char *const axes[] = {"x", "theta", "r"};
    double all = 1, blocks = 1;
    RW_TRY(rw_params_resolve(ctx, rw_multiblock_params(), NULL, s));
    for (int a = 0; a < RW_AXES; ++a) {
        if (s->cells[a] < 1 || s->cells[a] > 1000000)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%lld cells along %s: the number must be 1 to 1000000",
                           (long long)s->cells[a], axes[a]);
        if (s->blocks[a] < 1 || s->blocks[a] > 1000000)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%lld grid blocks along %s: the number must be 1 to 1000000",
                           (long long)s->blocks[a], axes[a]);
        all *= (double)s->cells[a] * (double)s->blocks[a];
        blocks *= (double)s->blocks[a];
    }
    if (all > 1e12 || blocks > 1e6)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a grid of %.3g cells in %.3g grid blocks: at most 1e12 cells in 1e6 grid blocks are allowed",
                       all, blocks);
    if (shapes[s->stencil].axes == 2 && s->cells[RW_AXIS_R] * s->blocks[RW_AXIS_R] != 1)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "stencil %s with %lld cells along r: it couples the cells of one plane and needs nr = 1. For more planes "
            "use euler3d or ns3d",
            rw_multiblock_stencil_name(s->stencil), (long long)(s->cells[RW_AXIS_R] * s->blocks[RW_AXIS_R]));
    if (s->omega != 0 && !s->is_complex)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "omega = %g with a real matrix: omega is on the diagonal of complex matrices only and must be 0 for real "
            "ones",
            s->omega);
    return RW_OK;
}

rw_status rw_multiblock_grid_make(rw_context *ctx, const rw_multiblock_spec *spec, rw_multiblock_grid *g)
{
    *g = (rw_multiblock_grid){.spec = *spec, .cells = 1, .extended_cells = 1, .blocks = 1};
    int64_t *b = g->spec.blocks;
    if (!b[0] && !b[1] && !b[2]) b[RW_AXIS_X] = b[RW_AXIS_THETA] = b[RW_AXIS_R] = 1;
    RW_TRY(check(ctx, &g->spec));
    for (int a = 0; a < RW_AXES; ++a) {
        g->ghosts[a] = a < shapes[spec->stencil].axes ? 2 : 0;
        g->extended[a] = spec->cells[a] + 2 * g->ghosts[a];
        g->all[a] = spec->cells[a] * b[a];
        g->cells *= spec->cells[a];
        g->extended_cells *= g->extended[a];
        g->blocks *= b[a];
    }
    add_offsets(g);
    return RW_OK;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

void rw_multiblock_origin(const rw_multiblock_grid *g, int64_t block, int64_t origin[RW_AXES])
{
    for (int a = 0; a < RW_AXES; ++a) {
        origin[a] = block % g->spec.blocks[a] * g->spec.cells[a];
        block /= g->spec.blocks[a];
    }
}

bool rw_multiblock_owner(const rw_multiblock_grid *g, const int64_t origin[RW_AXES], const int64_t cell[RW_AXES],
                         int64_t *block, int64_t local[RW_AXES])
{
    int64_t at = 0;
    for (int a = RW_AXES - 1; a >= 0; --a) {
        int64_t i = origin[a] + cell[a];
        if (a == RW_AXIS_THETA && g->spec.periodic) i = (i % g->all[a] + g->all[a]) % g->all[a];
        if (i < 0 || i >= g->all[a]) return false;
        at = at * g->spec.blocks[a] + i / g->spec.cells[a];
        local[a] = i % g->spec.cells[a];
    }
    *block = at;
    return true;
}

bool rw_multiblock_locate(const rw_multiblock_grid *g, int64_t number, bool extended, int64_t cell[RW_AXES])
{
    static const int order[] = {RW_AXIS_THETA, RW_AXIS_X, RW_AXIS_R};
    bool inside = true;
    for (int k = 0; k < RW_AXES; ++k) {
        const int a = order[k], ghosts = extended ? g->ghosts[a] : 0;
        const int64_t n = g->spec.cells[a] + 2 * ghosts;
        cell[a] = number % n - ghosts;
        number /= n;
        inside = inside && cell[a] >= 0 && cell[a] < g->spec.cells[a];
    }
    return inside;
}

int64_t rw_multiblock_compact(const rw_multiblock_grid *g, const int64_t cell[RW_AXES])
{
    const int64_t *n = g->spec.cells;
    return cell[RW_AXIS_THETA] + n[RW_AXIS_THETA] * (cell[RW_AXIS_X] + n[RW_AXIS_X] * cell[RW_AXIS_R]);
}

int64_t rw_multiblock_extended(const rw_multiblock_grid *g, const int64_t cell[RW_AXES])
{
    return rw_multiblock_cell(&g->spec, cell[RW_AXIS_X], cell[RW_AXIS_THETA], cell[RW_AXIS_R]);
}

int64_t rw_multiblock_cell_sized(const rw_multiblock_spec *s, int64_t x, int64_t theta, int64_t r, size_t spec_size)
{
    RW_STRUCT_IN_QUIET(rw_multiblock_spec, s, spec_size);
    if (!s) return 0;
    const int64_t h = shapes[s->stencil].axes == 2 ? 0 : 2;
    return theta + 2 + (s->cells[RW_AXIS_THETA] + 4) * (x + 2 + (s->cells[RW_AXIS_X] + 4) * (r + h));
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Cells along an axis whose neighbour at distance d is kept. */
static int64_t kept(const rw_multiblock_grid *g, int axis, int64_t origin, int d)
{
    const int64_t n = g->spec.cells[axis];
    if (g->spec.mode == RW_MULTIBLOCK_FULL ||
        (g->spec.mode == RW_MULTIBLOCK_INNER && axis == RW_AXIS_THETA && g->spec.periodic))
        return n;
    const int64_t least = g->spec.mode == RW_MULTIBLOCK_INNER ? -origin : 0,
                  end = g->spec.mode == RW_MULTIBLOCK_INNER ? g->all[axis] - origin : n;
    return RW_MAX(RW_MIN(n, end - d) - RW_MAX(0, least - d), 0);
}

static int entries_of(uint32_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1) ++n;
    return n;
}

static rw_status multiblock_measure(rw_context *ctx, const rw_multiblock_spec *spec, int64_t block,
                                    rw_multiblock_index index, rw_dtype values, rw_multiblock_size *size)
{
    rw_multiblock_grid g;
    rw_multiblock_scope s;
    *size = (rw_multiblock_size){0};
    RW_TRY(rw_multiblock_grid_make(ctx, spec, &g));
    RW_TRY(rw_multiblock_scope_make(ctx, &g, block, index, &s));
    rw_multiblock_size z = {.grid_blocks = g.blocks,
                            .cells = s.count * g.cells,
                            .extended = s.count * g.extended_cells};
    z.rows = s.count * s.rows * RW_UNKNOWNS;
    z.columns = s.count * s.columns * RW_UNKNOWNS;
    z.vector = z.extended * RW_UNKNOWNS;
    for (int64_t b = s.first; b < s.first + s.count; ++b) {
        int64_t origin[RW_AXES];
        rw_multiblock_origin(&g, b, origin);
        for (int k = 0; k < g.noffsets; ++k) {
            int64_t cells = 1;
            for (int a = 0; a < RW_AXES; ++a) cells *= kept(&g, a, origin[a], g.offset[k].d[a]);
            z.blocks += cells;
            z.entries += cells * entries_of(g.offset[k].mask);
        }
    }
    z.values = z.blocks * RW_AREA;
    z.value_bytes = z.values * (int64_t)rw_dtype_size(values);
    z.index_bytes = 4 * (z.blocks + s.count * s.rows * (index == RW_MULTIBLOCK_STORED ? 2 : 1) + 1);
    *size = z;
    return RW_OK;
}

rw_status rw_multiblock_measure_sized(rw_context *ctx, const rw_multiblock_spec *spec, int64_t block,
                                      rw_multiblock_index index, rw_dtype values, rw_multiblock_size *size,
                                      size_t spec_size, size_t size_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(spec, "spec");
    RW_NEED(size, "size");
    RW_STRUCT_IN(ctx, rw_multiblock_spec, spec, spec_size);
    RW_STRUCT_ROOM(rw_multiblock_size, size, size_size);
    return RW_STRUCT_OUT(multiblock_measure(ctx, spec, block, index, values, size_whole), size, size_size);
}

rw_status rw_multiblock_check_memory(rw_device *dev, const rw_multiblock_spec *spec, int64_t block, rw_dtype values)
{
    rw_multiblock_size size;
    RW_TRY(rw_multiblock_measure(dev->ctx, spec, block, RW_MULTIBLOCK_EXTENDED, values, &size));
    const double bytes = (double)size.entries * (double)rw_dtype_size(values);
    if (bytes <= (double)dev->info.memory || !dev->info.memory) return RW_OK;
    return rw_fail(
        dev->ctx, RW_ERR_MEMORY,
        "%lld entries of %s take %.3g bytes, and %s has %.3g: use fewer cells or grid blocks, or smaller values",
        (long long)size.entries, rw_dtype_name(values), bytes, dev->info.name, (double)dev->info.memory);
}
