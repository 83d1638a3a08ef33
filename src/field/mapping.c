/* Points of a block-structured grid. Edges first: straight, or along the surface they lie on; then faces from their
 * edges, blocks from their faces by transfinite interpolation (Gordon, Hall 1973): with linear interpolations U, V, W
 * of opposite sides
 *
 *   face   U + V - UV                         projected onto its surface, if it has one
 *   block  U + V + W - UV - VW - UW + UVW
 *
 * so that a point shared by blocks is computed once. */
#include "field/blocks.h"

#include <math.h>
#include <string.h>

#include "field/vector.h"

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

void rw_surface_project(const rw_surface *s, double x[3])
{
    double from[3], axis[3];
    if (s->kind == RW_SURFACE_CUSTOM) {
        s->project(s->user, x);
        return;
    }
    subtract(x, s->centre, from);
    if (s->kind == RW_SURFACE_CYLINDER) {
        double along = dot(from, s->axis) / dot(s->axis, s->axis);
        for (int d = 0; d < 3; ++d) {
            axis[d] = along * s->axis[d];
            from[d] -= axis[d];
        }
    } else memset(axis, 0, sizeof axis);
    double scale = s->radius / norm(from);
    for (int d = 0; d < 3; ++d) x[d] = s->centre[d] + axis[d] + scale * from[d];
}

/* From the direction a to b by a part t of the angle between them; lengths go linearly. */
static void turn_towards(const double a[3], const double b[3], double t, double out[3])
{
    double na = norm(a), nb = norm(b), cross_ab[3], angle, wa = 1 - t, wb = t;
    cross(a, b, cross_ab);
    angle = atan2(norm(cross_ab), dot(a, b));
    if (angle > 1e-8) {
        wa = sin((1 - t) * angle) / sin(angle);
        wb = sin(t * angle) / sin(angle);
    }
    double length = (1 - t) * na + t * nb;
    for (int d = 0; d < 3; ++d) out[d] = length * (wa * a[d] / na + wb * b[d] / nb);
}

/* The point at a part t of the way from a to b on the surface. */
static void point_along(const rw_surface *s, const double a[3], const double b[3], double t, double x[3])
{
    for (int d = 0; d < 3; ++d) x[d] = (1 - t) * a[d] + t * b[d];
    if (!s) return;
    if (s->kind == RW_SURFACE_CUSTOM) {
        rw_surface_project(s, x);
        return;
    }
    double from[2][3], foot[3] = {0}, out[3];
    subtract(a, s->centre, from[0]);
    subtract(b, s->centre, from[1]);
    for (int i = 0; i < 2 && s->kind == RW_SURFACE_CYLINDER; ++i) {
        double along = dot(from[i], s->axis) / dot(s->axis, s->axis);
        for (int d = 0; d < 3; ++d) {
            foot[d] += (i ? t : 1 - t) * along * s->axis[d];
            from[i][d] -= along * s->axis[d];
        }
    }
    turn_towards(from[0], from[1], t, out);
    for (int d = 0; d < 3; ++d) x[d] = s->centre[d] + foot[d] + out[d];
}

/* ---- edges, faces, blocks ---------------------------------------------------------------------------------------- */

static void map_edges(rw_blocks *g)
{
    for (int i = 0; i < g->nedges; ++i) {
        const rw_block_edge *e = g->edges + i;
        bool curved = e->surface >= 0 && g->mapping == RW_MAPPING_TRANSFINITE;
        for (int n = 1; n < e->cells; ++n)
            point_along(curved ? g->surfaces + e->surface : NULL, g->points[e->vertex[0]], g->points[e->vertex[1]],
                        (double)n / e->cells, g->points[e->first + n - 1]);
    }
}

static const double *at(const rw_blocks *g, int block, const int place[3])
{
    return g->points[rw_blocks_point(g, block, place[0], place[1], place[2])];
}

static void map_face(rw_blocks *g, const rw_block_face *f)
{
    const rw_block_place *b = g->blocks + f->block[0];
    int axis = f->side[0] / 2, o[2], place[3], n[2] = {f->cells[0], f->cells[1]};
    rw_other_axes(axis, o);
    place[axis] = f->side[0] & 1 ? b->cells[axis] : 0;
    for (int q = 1; q < n[1]; ++q)
        for (int p = 1; p < n[0]; ++p) {
            double u[2] = {1 - (double)p / n[0], (double)p / n[0]}, v[2] = {1 - (double)q / n[1], (double)q / n[1]};
            double *x = g->points[f->first + (int64_t)(q - 1) * (n[0] - 1) + p - 1];
            memset(x, 0, 3 * sizeof *x);
            for (int i = 0; i < 2; ++i) {
                place[o[0]] = i * n[0];
                place[o[1]] = q;
                add_scaled(x, u[i], at(g, f->block[0], place));
                place[o[0]] = p;
                place[o[1]] = i * n[1];
                add_scaled(x, v[i], at(g, f->block[0], place));
                for (int j = 0; j < 2; ++j) {
                    place[o[0]] = i * n[0];
                    place[o[1]] = j * n[1];
                    add_scaled(x, -u[i] * v[j], at(g, f->block[0], place));
                }
            }
            if (f->surface >= 0 && g->mapping == RW_MAPPING_TRANSFINITE)
                rw_surface_project(g->surfaces + f->surface, x);
        }
}

/* The points of row j, k: what stays the same along the row is added up before. */
static void map_row(rw_blocks *g, int block, int j, int k)
{
    const rw_block_place *b = g->blocks + block;
    int nx = b->cells[0];
    double v[2] = {1 - (double)j / b->cells[1], (double)j / b->cells[1]},
           w[2] = {1 - (double)k / b->cells[2], (double)k / b->cells[2]};
    double end[2][3] = {{0}}; /* U - UV - UW + UVW at both ends */
    for (int i = 0; i < 2; ++i) {
        add_scaled(end[i], 1, at(g, block, (int[3]){i * nx, j, k}));
        for (int m = 0; m < 2; ++m) {
            add_scaled(end[i], -v[m], at(g, block, (int[3]){i * nx, m * b->cells[1], k}));
            add_scaled(end[i], -w[m], at(g, block, (int[3]){i * nx, j, m * b->cells[2]}));
            for (int n = 0; n < 2; ++n)
                add_scaled(end[i], v[m] * w[n], at(g, block, (int[3]){i * nx, m * b->cells[1], n * b->cells[2]}));
        }
    }
    double(*x)[3] = g->points + b->first + ((int64_t)(k - 1) * (b->cells[1] - 1) + j - 1) * (nx - 1) - 1;
    for (int i = 1; i < nx; ++i) {
        double u = (double)i / nx;
        for (int d = 0; d < 3; ++d) x[i][d] = (1 - u) * end[0][d] + u * end[1][d];
        for (int m = 0; m < 2; ++m) {
            add_scaled(x[i], v[m], at(g, block, (int[3]){i, m * b->cells[1], k}));
            add_scaled(x[i], w[m], at(g, block, (int[3]){i, j, m * b->cells[2]}));
            for (int n = 0; n < 2; ++n)
                add_scaled(x[i], -v[m] * w[n], at(g, block, (int[3]){i, m * b->cells[1], n * b->cells[2]}));
        }
    }
}

rw_status rw_blocks_map(rw_blocks *g)
{
    map_edges(g);
    for (int f = 0; f < g->nfaces; ++f) map_face(g, g->faces + f);
    for (int b = 0; b < g->nblocks; ++b) {
        const int *n = g->blocks[b].cells;
#pragma omp parallel for
        for (int row = 0; row < (n[1] - 1) * (n[2] - 1); ++row)
            map_row(g, b, row % (n[1] - 1) + 1, row / (n[1] - 1) + 1);
    }
    return RW_OK;
}
