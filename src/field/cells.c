/* Cells of a block-structured grid: whether they are hexahedra, their centres, volumes and neighbours. */
#include <string.h>

#include "field/blocks.h"
#include "field/hexahedron.h"

/* ---- all cells --------------------------------------------------------------------------------------------------- */

/* Coordinates of the points 0 … nx of row j, k. */
static void fetch_row(const rw_blocks *g, int block, int j, int k, double (*row)[3])
{
    int nx = g->blocks[block].cells[0];
    for (int i = 0; i <= nx; ++i) memcpy(row[i], g->points[rw_blocks_point(g, block, i, j, k)], sizeof *row);
}

static void visit_row(const rw_blocks *g, int block, int j, int k, double (*rows)[3], rw_cell_visit *visit, void *user)
{
    const rw_block_place *b = g->blocks + block;
    int nx = b->cells[0];
    for (int r = 0; r < 4; ++r) fetch_row(g, block, j + (r & 1), k + (r >> 1), rows + r * (nx + 1));
    for (int i = 0; i < nx; ++i) {
        double corner[8][3];
        for (int c = 0; c < 8; ++c) memcpy(corner[c], rows[(c >> 1) * (nx + 1) + i + (c & 1)], sizeof corner[c]);
        visit(user, b->first_cell + ((int64_t)k * b->cells[1] + j) * nx + i, (const double(*)[3])corner);
    }
}

bool rw_blocks_visit(const rw_blocks *g, rw_cell_visit *visit, void *user)
{
    bool failed = false;
    for (int block = 0; block < g->nblocks && !failed; ++block) {
        const int *n = g->blocks[block].cells;
#pragma omp parallel reduction(|| : failed)
        {
            double(*rows)[3] = rw_calloc(4 * ((size_t)n[0] + 1), sizeof *rows);
            failed = !rows;
#pragma omp for
            for (int row = 0; row < n[1] * n[2]; ++row)
                if (rows) visit_row(g, block, row % n[1], row / n[1], rows, visit, user);
            rw_free(rows);
        }
    }
    return !failed;
}

/* ---- whether they are hexahedra ---------------------------------------------------------------------------------- */

/* The first bad cell of each row of threads' work; the lowest is reported. */
typedef struct badness {
    int64_t first, inverted, twisted; /* of cells: all corners turned inside out; some */
} badness;

static void judge(void *user, int64_t cell, const double corner[8][3])
{
    badness *bad = user;
    int wrong = 0;
    for (int c = 0; c < 8; ++c) wrong += !(rw_hexahedron_corner(corner, c) > 0);
    if (!wrong) return;
#pragma omp critical
    {
        bad->first = bad->first < 0 ? cell : RW_MIN(bad->first, cell);
        *(wrong == 8 ? &bad->inverted : &bad->twisted) += 1;
    }
}

static int64_t cells_of(const rw_block_place *b) { return (int64_t)b->cells[0] * b->cells[1] * b->cells[2]; }

rw_status rw_blocks_check_cells(const rw_blocks *g)
{
    badness bad = {-1, 0, 0};
    if (!rw_blocks_visit(g, judge, &bad)) return rw_fail_memory(g->ctx, 0, "rows of points");
    if (bad.first < 0) return RW_OK;
    int at[3], block = rw_blocks_find(g, bad.first, at), first_vertex = g->blocks[block].corner[0];
    if (bad.twisted == 0 && bad.inverted % cells_of(g->blocks + block) == 0 && at[0] + at[1] + at[2] == 0)
        return rw_fail(
            g->ctx, RW_ERR_INPUT,
            "block %d is inverted: seen from its corner 0 (vertex %d) its axes are left-handed: swap its first four "
            "corners with its last four",
            block, first_vertex);
    const double *x = g->points[rw_blocks_point(g, block, at[0], at[1], at[2])];
    return rw_fail(
        g->ctx, RW_ERR_INPUT,
        "cell (%d, %d, %d) of block %d, at (%g, %g, %g), is %s: the Jacobian of its mapping is not positive at every "
        "corner; this holds for %lld of %lld cells%s",
        at[0], at[1], at[2], block, x[0], x[1], x[2], bad.twisted ? "twisted" : "inverted",
        (long long)(bad.inverted + bad.twisted), (long long)g->ncells,
        bad.twisted ? ": check the order of the block's corners and its curved edges" : "");
}

/* ---- centres, volumes, neighbours -------------------------------------------------------------------------------- */

static void put_centre(void *user, int64_t cell, const double corner[8][3])
{
    double *x = ((double(*)[3])user)[cell];
    x[0] = x[1] = x[2] = 0;
    for (int c = 0; c < 8; ++c) add_scaled(x, 0.125, corner[c]);
}

rw_status rw_blocks_centres(const rw_blocks *g, double (*centres)[3])
{
    RW_NEED(g, "grid");
    RW_NEED(centres, "centres");
    return rw_blocks_visit(g, put_centre, centres) ? RW_OK : rw_fail_memory(g->ctx, 0, "rows of points");
}

static void put_volume(void *user, int64_t cell, const double corner[8][3])
{
    ((double *)user)[cell] = rw_hexahedron_volume(corner);
}

rw_status rw_blocks_volumes(const rw_blocks *g, double *volumes)
{
    RW_NEED(g, "grid");
    RW_NEED(volumes, "volumes");
    return rw_blocks_visit(g, put_volume, volumes) ? RW_OK : rw_fail_memory(g->ctx, 0, "rows of points");
}

/* The cell on the other side of a face of the block; -1: none. */
static int64_t behind(const rw_blocks *g, int block, int side, const int at[3])
{
    const rw_block_place *b = g->blocks + block;
    const rw_block_face *f = g->faces + b->face[side];
    if (f->block[1] < 0) return -1;
    int o[2], own[2], there[3];
    rw_other_axes(side / 2, o);
    rw_turned(b->turn[side], (int[2]){b->cells[o[0]] - 1, b->cells[o[1]] - 1}, at[o[0]], at[o[1]], own);
    int which = f->block[0] == block && f->side[0] == side, other_side = f->side[which];
    const rw_block_place *c = g->blocks + f->block[which];
    rw_other_axes(other_side / 2, o);
    rw_turned_back(c->turn[other_side], (int[2]){c->cells[o[0]] - 1, c->cells[o[1]] - 1}, own, &there[o[0]],
                   &there[o[1]]);
    there[other_side / 2] = other_side & 1 ? c->cells[other_side / 2] - 1 : 0;
    return c->first_cell + ((int64_t)there[2] * c->cells[1] + there[1]) * c->cells[0] + there[0];
}

void rw_blocks_neighbours(const rw_blocks *g, int32_t (*neighbours)[6])
{
    if (!g || !neighbours) return;
    for (int block = 0; block < g->nblocks; ++block) {
        const rw_block_place *b = g->blocks + block;
        int64_t stride[3] = {1, b->cells[0], (int64_t)b->cells[0] * b->cells[1]};
#pragma omp parallel for
        for (int64_t n = 0; n < cells_of(b); ++n) {
            int at[3] = {(int)(n % b->cells[0]), (int)(n / stride[1] % b->cells[1]), (int)(n / stride[2])};
            for (int side = 0; side < 6; ++side) {
                int d = side / 2, edge = side & 1 ? b->cells[d] - 1 : 0;
                int64_t inside = b->first_cell + n + (side & 1 ? stride[d] : -stride[d]);
                neighbours[b->first_cell + n][side] = (int32_t)(at[d] == edge ? behind(g, block, side, at) : inside);
            }
        }
    }
}
