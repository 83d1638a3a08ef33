/* Expressions on block-structured grids: to the language a grid is a row of cells or points, and where they lie, their
 * volume and their place in the grid are fields that are given with it. */
#include <string.h>

#include "device/device.h"
#include "field/blocks.h"
#include "field/hexahedron.h"

typedef enum quantity { X, Y, Z, VOLUME, BLOCK, BOUNDARY, QUANTITIES } quantity;
static const struct {
    const char *name;
    rw_dtype dtype;
    bool of_points;
} table[QUANTITIES] =
    {[X] = {"x", RW_F64, true},           [Y] = {"y", RW_F64, true},          [Z] = {"z", RW_F64, true},
     [VOLUME] = {"volume", RW_F64, true}, [BLOCK] = {"block", RW_F32, false}, [BOUNDARY] = {"boundary", RW_F32, true}};

struct rw_blocks_external {
    rw_device *device;
    rw_blocks_place place;
    int what; /* a quantity, or QUANTITIES + the number of a table */
    rw_array *array;
};

static int64_t count(const rw_blocks *g, rw_blocks_place place)
{
    return place == RW_BLOCKS_CELLS ? g->ncells : g->npoints;
}

rw_status rw_blocks_array(const rw_blocks *g, rw_device *device, rw_blocks_place place, rw_dtype dtype,
                          rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(g, "grid");
    RW_NEED(device, "device");
    int64_t n = count(g, place);
    return rw_array_create(device, dtype, 1, &n, g->memory, array);
}

void rw_blocks_set_memory(rw_blocks *g, rw_memory memory)
{
    if (!g) return;
    g->memory = memory;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

typedef struct filling {
    int axis;
    double *to;
} filling;

static void put_coordinate(void *user, int64_t cell, const double corner[8][3])
{
    const filling *f = user;
    double sum = 0;
    for (int c = 0; c < 8; ++c) sum += corner[c][f->axis];
    f->to[cell] = sum / 8;
}

/* Of the cell the integral of each point's trilinear function; two Gauss points an axis. */
void rw_blocks_share_volume(const rw_blocks *g, double *to)
{
    static const double at[2] = {0.21132486540518711775, 0.78867513459481288225};
    memset(to, 0, (size_t)g->npoints * sizeof *to);
    for (int64_t cell = 0; cell < g->ncells; ++cell) {
        int64_t points[8];
        double corner[8][3], N[8], dN[8][3], J[3][3];
        rw_blocks_cell_points(g, cell, points);
        for (int i = 0; i < 8; ++i) memcpy(corner[rw_corner_of(i)], g->points[points[i]], sizeof corner[0]);
        for (int n = 0; n < 8; ++n) {
            rw_hexahedron_shape((double[3]){at[n & 1], at[n >> 1 & 1], at[n >> 2]}, N, dN);
            double det = rw_hexahedron_jacobian((const double(*)[3])corner, dN, J) / 8;
            for (int i = 0; i < 8; ++i) to[points[i]] += det * N[rw_corner_of(i)];
        }
    }
}

static void mark_blocks(const rw_blocks *g, float *to)
{
    for (int b = 0; b < g->nblocks; ++b) {
        const rw_block_place *p = g->blocks + b;
        int64_t n = (int64_t)p->cells[0] * p->cells[1] * p->cells[2];
        for (int64_t c = 0; c < n; ++c) to[p->first_cell + c] = (float)b;
    }
}

/* Cells or points on each face of a block that no other block shares. */
static void mark_boundary(const rw_blocks *g, bool points, float *to)
{
    memset(to, 0, (size_t)(points ? g->npoints : g->ncells) * sizeof *to);
    for (int f = 0; f < g->nfaces; ++f) {
        const rw_block_face *face = g->faces + f;
        const rw_block_place *b = g->blocks + face->block[0];
        int axis = face->side[0] / 2, o[2], at[3];
        if (face->block[1] >= 0) continue;
        rw_other_axes(axis, o);
        at[axis] = face->side[0] & 1 ? b->cells[axis] - !points : 0;
        for (at[o[1]] = 0; at[o[1]] < face->cells[1] + points; ++at[o[1]])
            for (at[o[0]] = 0; at[o[0]] < face->cells[0] + points; ++at[o[0]]) {
                int64_t cell = b->first_cell + ((int64_t)at[2] * b->cells[1] + at[1]) * b->cells[0] + at[0];
                to[points ? rw_blocks_point(g, face->block[0], at[0], at[1], at[2]) : cell] = 1;
            }
    }
}

static rw_status fill(const rw_blocks *g, quantity what, rw_blocks_place place, void *to)
{
    bool points = place == RW_BLOCKS_POINTS;
    switch (what) {
    case VOLUME:
        if (!points) return rw_blocks_volumes(g, to);
        rw_blocks_share_volume(g, to);
        return RW_OK;
    case BLOCK: mark_blocks(g, to); return RW_OK;
    case BOUNDARY: mark_boundary(g, points, to); return RW_OK;
    default: break;
    }
    int axis = (int)what;
    if (!points)
        return rw_blocks_visit(g, put_coordinate, &(filling){axis, to}) ? RW_OK
                                                                        : rw_fail_memory(g->ctx, 0, "rows of points");
    for (int64_t p = 0; p < g->npoints; ++p) ((double *)to)[p] = g->points[p][axis];
    return RW_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

typedef struct request {
    rw_blocks *grid;
    rw_blocks_place place;
    quantity what;
} request;

static rw_array *find(const rw_blocks *g, rw_device *device, rw_blocks_place place, int what)
{
    for (int i = 0; i < g->nexternals; ++i)
        if (g->external[i].device == device && g->external[i].place == place && g->external[i].what == what)
            return g->external[i].array;
    return NULL;
}

static rw_status make(void *user, rw_device *device, rw_array **array)
{
    const request *r = user;
    rw_blocks *g = r->grid;
    void *to;
    if ((*array = find(g, device, r->place, (int)r->what))) return RW_OK;
    if (!rw_grow(&g->external, &g->external_capacity, g->nexternals + 1, sizeof *g->external))
        return rw_fail_memory(g->ctx, sizeof *g->external, "a field of the grid");
    RW_TRY(rw_blocks_array(g, device, r->place, table[r->what].dtype, array));
    rw_status status = rw_array_write(*array, &to);
    if (status == RW_OK) status = fill(g, r->what, r->place, to);
    if (status != RW_OK) {
        rw_array_destroy(array);
        return status;
    }
    g->external[g->nexternals++] = (struct rw_blocks_external){device, r->place, (int)r->what, *array};
    return RW_OK;
}

/* ---- the laplacian ----------------------------------------------------------------------------------------------- */

typedef struct stencil_request {
    rw_blocks *grid;
    rw_device *device;
    rw_blocks_place place;
} stencil_request;

/* A table [columns][n] as an array of the device. */
static rw_status put_table(const stencil_request *r, int number, rw_dtype dtype, int columns, const void *from)
{
    rw_blocks *g = r->grid;
    int64_t shape[2] = {columns, count(g, r->place)};
    rw_array *array;
    void *to;
    if (!rw_grow(&g->external, &g->external_capacity, g->nexternals + 1, sizeof *g->external))
        return rw_fail_memory(g->ctx, sizeof *g->external, "a field of the grid");
    RW_TRY(rw_array_create(r->device, dtype, 2, shape, g->memory, &array));
    rw_status status = rw_array_write(array, &to);
    if (status != RW_OK) {
        rw_array_destroy(&array);
        return status;
    }
    memcpy(to, from, (size_t)(shape[0] * shape[1]) * rw_dtype_size(dtype));
    g->external[g->nexternals++] = (struct rw_blocks_external){r->device, r->place, QUANTITIES + number, array};
    return RW_OK;
}

static rw_status make_tables(void *user, rw_expr_tables *t)
{
    const stencil_request *r = user;
    rw_array **const arrays[] = {&t->cell, &t->weight, &t->area, &t->conductance};
    bool there = find(r->grid, r->device, r->place, QUANTITIES + 2) != NULL; /* the areas come last */
    if (!there) {
        rw_blocks_tables own;
        RW_TRY(rw_blocks_laplacian(r->grid, r->place, &own));
        rw_status status = put_table(r, 0, RW_I32, RW_MAX(own.width, 1), own.cell);
        if (status == RW_OK) status = put_table(r, 1, RW_F64, RW_MAX(own.width, 1), own.weight);
        if (status == RW_OK && own.conductance) status = put_table(r, 3, RW_F64, 6, own.conductance);
        if (status == RW_OK) status = put_table(r, 2, RW_F64, 6, own.area);
        rw_blocks_free_tables(&own);
        RW_TRY(status);
    }
    for (int i = 0; i < RW_COUNT(arrays); ++i) *arrays[i] = find(r->grid, r->device, r->place, QUANTITIES + i);
    t->width = (int)t->cell->shape[0];
    return RW_OK;
}

rw_status rw_blocks_expr_create_sized(rw_blocks *g, rw_device *device, rw_blocks_place place, const rw_expr_spec *spec,
                                      rw_expr **expr, size_t spec_size, size_t field_size, size_t scalar_size,
                                      size_t external_size, size_t function_size)
{
    RW_NEED(expr, "expr");
    *expr = NULL;
    RW_NEED(g, "grid");
    RW_NEED(device, "device");
    RW_NEED(spec, "spec");
    rw_expr_external external[QUANTITIES];
    request requests[QUANTITIES];
    rw_expr_spec own;
    int n = 0;
    (void)external_size; /* there are none */
    RW_TRY(rw_struct_in(g->ctx, "rw_expr_spec", &own, sizeof own, spec, spec_size));
    RW_CHECK_MEMBERS(g->ctx, rw_expr_spec, &own);
    if (own.nexternals)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT,
                       "a block-structured grid provides its own external fields: set nexternals = 0");
    for (int q = 0; q < QUANTITIES; ++q) {
        if (place == RW_BLOCKS_POINTS && !table[q].of_points) continue;
        requests[n] = (request){g, place, (quantity)q};
        external[n] = (rw_expr_external){table[q].name, table[q].dtype, make, requests + n};
        ++n;
    }
    own.grid = (rw_grid){.ndim = 1, .size = {count(g, place), 1, 1}, .spacing = {1, 1, 1}};
    own.externals = external;
    own.nexternals = n;
    own.unstructured = true;
    own.stencil = &(rw_expr_stencil){make_tables, &(stencil_request){g, device, place}, place == RW_BLOCKS_CELLS};
    return rw_expr_create_sized(device, &own, expr, sizeof own, field_size, scalar_size, sizeof *external,
                                function_size);
}

void rw_blocks_free_external(rw_blocks *g)
{
    for (int i = 0; i < g->nexternals; ++i) rw_array_destroy(&g->external[i].array);
    rw_free(g->external);
}
