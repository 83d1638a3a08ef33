/* Couplings of a cell and their values.
 *
 *   A(cell, neighbour)   5 x 5 numbers of [-1, 1] (of complex matrices both parts), times 1 / distance
 *   A(cell, cell)        the same off the diagonal; on it 1 + the sum of |entry| of the row's other entries + i
 *                        omega V
 *
 * The sum goes over the whole stencil, dropped couplings too, so that values do not depend on the mode; every row is
 * dominated by its diagonal. V is the volume of the cell over the mean one, in an annulus whose outer radius is twice
 * the inner one. A number is a function of (seed, cell of the whole grid, offset, entry). */
#include <math.h>

#include "multiblock/multiblock.h"

rw_status rw_multiblock_scope_make(rw_context *ctx, const rw_multiblock_grid *g, int64_t block,
                                   rw_multiblock_index index, rw_multiblock_scope *s)
{
    if ((unsigned)index >= RW_MULTIBLOCK_INDICES)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "index = %d is not one of rw_multiblock_index", (int)index);
    if (block != RW_MULTIBLOCK_ALL && (block < 0 || block >= g->blocks))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "grid block %lld does not exist: there are %lld, counted from 0 (-1: all)",
                       (long long)block, (long long)g->blocks);
    const bool all = block == RW_MULTIBLOCK_ALL || g->blocks == 1,
               closed = g->spec.mode == RW_MULTIBLOCK_TRUNCATED || (g->spec.mode == RW_MULTIBLOCK_INNER && all);
    if (index == RW_MULTIBLOCK_COMPACT && !closed)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "a compact index has no ghost cells, but mode %s%s couples to them: use mode truncated, %sor the extended "
            "index",
            rw_multiblock_mode_name(g->spec.mode), all ? "" : " of one grid block",
            all ? "inner " : "inner of all grid blocks, ");
    *s =
        (rw_multiblock_scope){.grid = g, .index = index, .first = RW_MAX(block, 0), .count = block < 0 ? g->blocks : 1};
    s->rows = index == RW_MULTIBLOCK_EXTENDED ? g->extended_cells : g->cells;
    s->columns = index == RW_MULTIBLOCK_COMPACT ? g->cells : g->extended_cells;
    return RW_OK;
}

/* The block column of a neighbour; false: the coupling is dropped. */
static bool column_of(const rw_multiblock_scope *s, int64_t block, const int64_t origin[RW_AXES],
                      const int64_t neighbour[RW_AXES], int64_t *column)
{
    const rw_multiblock_grid *g = s->grid;
    int64_t owner = block, local[RW_AXES];
    bool inside = true;
    for (int a = 0; a < RW_AXES; ++a) inside = inside && neighbour[a] >= 0 && neighbour[a] < g->spec.cells[a];
    if (!inside && g->spec.mode == RW_MULTIBLOCK_TRUNCATED) return false;
    const bool owned = rw_multiblock_owner(g, origin, neighbour, &owner, local);
    if (!owned && g->spec.mode == RW_MULTIBLOCK_INNER) return false;
    *column = s->index == RW_MULTIBLOCK_COMPACT
                  ? (owner - s->first) * s->columns + rw_multiblock_compact(g, local)
                  : (block - s->first) * s->columns + rw_multiblock_extended(g, neighbour);
    return true;
}

/* Inserts the block of an offset; two offsets share a block if a periodic grid is shorter than the stencil. */
static void insert(rw_multiblock_row *row, int offset, int64_t column, uint32_t mask)
{
    int at = row->n;
    while (at > 0 && row->column[at - 1] >= column) --at;
    row->place[offset] = at;
    if (at < row->n && row->column[at] == column) {
        row->mask[at] |= mask;
        return;
    }
    for (int k = row->n++; k > at; --k) {
        row->column[k] = row->column[k - 1];
        row->mask[k] = row->mask[k - 1];
    }
    for (int k = 0; k < offset; ++k) row->place[k] += row->place[k] >= at;
    row->column[at] = column;
    row->mask[at] = mask;
}

void rw_multiblock_row_find(const rw_multiblock_scope *s, int64_t i, rw_multiblock_row *row)
{
    const rw_multiblock_grid *g = s->grid;
    const int64_t block = s->first + i / s->rows;
    int64_t origin[RW_AXES], cell[RW_AXES], neighbour[RW_AXES], column;
    row->n = 0;
    if (!rw_multiblock_locate(g, i % s->rows, s->index == RW_MULTIBLOCK_EXTENDED, cell)) return;
    rw_multiblock_origin(g, block, origin);
    for (int a = 0; a < RW_AXES; ++a) row->cell[a] = origin[a] + cell[a];
    for (int k = 0; k < g->noffsets; ++k) {
        row->place[k] = -1;
        for (int a = 0; a < RW_AXES; ++a) neighbour[a] = cell[a] + g->offset[k].d[a];
        if (column_of(s, block, origin, neighbour, &column)) insert(row, k, column, g->offset[k].mask);
    }
}

/* The numbers of a coupling, before its place is known. Both parts come from one random number, 32 bits each, so that a
 * real matrix has the real parts of a complex one. */
static void draw(const rw_multiblock_spec *s, int64_t cell, const rw_offset *o, double value[2 * RW_AREA])
{
    for (int e = 0; e < RW_AREA; ++e) {
        const uint64_t u =
            o->mask >> e & 1 ? rw_random_u64(s->seed, (uint64_t)((cell * 125 + o->key) * RW_AREA + e)) : 0;
        value[2 * e] = o->mask >> e & 1 ? o->scale * ((double)(int32_t)(u >> 32) * 0x1p-31) : 0;
        value[2 * e + 1] = s->is_complex && o->mask >> e & 1 ? o->scale * ((double)(int32_t)(uint32_t)u * 0x1p-31) : 0;
    }
}

static double volume(const rw_multiblock_grid *g, int64_t r)
{
    const double n = (double)g->all[RW_AXIS_R];
    return (2 + (2 * (double)r + 1) / n) / 3; /* ((1 + (r + 1)/n)^2 - (1 + r/n)^2) n / 3 */
}

void rw_multiblock_row_values(const rw_multiblock_scope *s, const rw_multiblock_row *row, double (*value)[2 * RW_AREA])
{
    const rw_multiblock_grid *g = s->grid;
    const int64_t cell = row->cell[RW_AXIS_THETA] +
                         g->all[RW_AXIS_THETA] * (row->cell[RW_AXIS_X] + g->all[RW_AXIS_X] * row->cell[RW_AXIS_R]);
    double sum[RW_UNKNOWNS], drawn[2 * RW_AREA];
    for (int r = 0; r < RW_UNKNOWNS; ++r) sum[r] = 1;
    for (int b = 0; b < row->n; ++b)
        for (int e = 0; e < 2 * RW_AREA; ++e) value[b][e] = 0;
    for (int k = 0; k < g->noffsets; ++k) {
        draw(&g->spec, cell, &g->offset[k], drawn);
        for (int r = 0; r < RW_UNKNOWNS && k == g->self; ++r)
            drawn[2 * (RW_UNKNOWNS + 1) * r] = drawn[2 * (RW_UNKNOWNS + 1) * r + 1] = 0;
        for (int e = 0; e < RW_AREA; ++e)
            sum[e / RW_UNKNOWNS] += sqrt(drawn[2 * e] * drawn[2 * e] + drawn[2 * e + 1] * drawn[2 * e + 1]);
        for (int e = 0; e < 2 * RW_AREA && row->place[k] >= 0; ++e) value[row->place[k]][e] += drawn[e];
    }
    for (int r = 0; r < RW_UNKNOWNS; ++r) {
        double *diagonal = value[row->place[g->self]] + 2 * (RW_UNKNOWNS + 1) * r;
        diagonal[0] += sum[r];
        diagonal[1] += g->spec.omega * volume(g, row->cell[RW_AXIS_R]);
    }
}
