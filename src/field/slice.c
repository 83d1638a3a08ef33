/* Sections of a block-structured grid: which cell a plane across an axis meets where, as a raster. The plane cuts the
 * straight edges between a cell's points in up to six places; their hull is filled. A pixel belongs to the last cell
 * whose section covers its middle. */
#include <math.h>
#include <string.h>

#include "field/blocks.h"
#include "field/hexahedron.h"

typedef struct raster {
    const rw_blocks_slice *s;
    int across[2];
    int64_t *cell;
} raster;

typedef struct corner {
    double x, y;
} corner;

static double side_of(corner a, corner b, corner p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); }

/* Andrew's monotone chain, counter-clockwise; n <= 12. */
static int hull_of(corner *p, int n, corner *hull)
{
    int m = 0;
    for (int i = 1; i < n; ++i)
        for (int j = i; j > 0 && (p[j].x < p[j - 1].x || (p[j].x == p[j - 1].x && p[j].y < p[j - 1].y)); --j) {
            corner t = p[j];
            p[j] = p[j - 1];
            p[j - 1] = t;
        }
    for (int pass = 0; pass < 2; ++pass) {
        int base = m;
        for (int k = 0; k < n; ++k) {
            corner next = p[pass ? n - 1 - k : k];
            while (m >= base + 2 && side_of(hull[m - 2], hull[m - 1], next) <= 0) --m;
            hull[m++] = next;
        }
        --m; /* it begins the other chain */
    }
    return m;
}

static void fill(const raster *r, int64_t cell, const corner *hull, int m)
{
    const rw_blocks_slice *s = r->s;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int first[2], last[2];
    for (int i = 0; i < m; ++i) {
        low[0] = fmin(low[0], hull[i].x);
        high[0] = fmax(high[0], hull[i].x);
        low[1] = fmin(low[1], hull[i].y);
        high[1] = fmax(high[1], hull[i].y);
    }
    for (int d = 0; d < 2; ++d) {
        double h = (s->upper[d] - s->lower[d]) / s->n[d];
        first[d] = (int)fmax(0, floor((low[d] - s->lower[d]) / h - 0.5));
        last[d] = (int)fmin(s->n[d] - 1, ceil((high[d] - s->lower[d]) / h - 0.5));
    }
    for (int j = first[1]; j <= last[1]; ++j)
        for (int i = first[0]; i <= last[0]; ++i) {
            corner p = {s->lower[0] + (i + 0.5) * (s->upper[0] - s->lower[0]) / s->n[0],
                        s->lower[1] + (j + 0.5) * (s->upper[1] - s->lower[1]) / s->n[1]};
            bool inside = true;
            for (int e = 0; e < m && inside; ++e) inside = side_of(hull[e], hull[(e + 1) % m], p) >= 0;
            if (inside) r->cell[(int64_t)j * s->n[0] + i] = cell;
        }
}

static void cut(void *user, int64_t cell, const double x[8][3])
{
    const raster *r = user;
    corner p[12], hull[26];
    int n = 0, axis = r->s->axis;
    double low = INFINITY, high = -INFINITY, at = r->s->at;
    for (int c = 0; c < 8; ++c) {
        low = fmin(low, x[c][axis]);
        high = fmax(high, x[c][axis]);
    }
    if (at < low || at > high) return;
    for (int a = 0; a < 8; ++a)
        for (int d = 0; d < 3; ++d) {
            int b = a | 1 << d;
            double below = x[a][axis] - at, above = x[b][axis] - at;
            if (a == b || below * above > 0 || below == above) continue;
            double t = below / (below - above);
            p[n++] = (corner){x[a][r->across[0]] + t * (x[b][r->across[0]] - x[a][r->across[0]]),
                              x[a][r->across[1]] + t * (x[b][r->across[1]] - x[a][r->across[1]])};
        }
    int m = n >= 3 ? hull_of(p, n, hull) : 0;
    if (m < 3) return;
#pragma omp critical
    fill(r, cell, hull, m);
}

rw_status rw_blocks_cut(const rw_blocks *g, const rw_blocks_slice *s, int64_t *cell)
{
    RW_NEED(g, "grid");
    RW_NEED(s, "slice");
    RW_NEED(cell, "cell");
    raster r = {.s = s, .cell = cell};
    if (s->axis < 0 || s->axis > 2 || s->n[0] < 1 || s->n[1] < 1 || !(s->upper[0] > s->lower[0]) ||
        !(s->upper[1] > s->lower[1]))
        return rw_fail(
            g->ctx, RW_ERR_ARGUMENT,
            "a section of %d x %d pixels across axis %d over [%g, %g] x [%g, %g]: it needs pixels, an axis 0 to 2 "
            "and limits in increasing order",
            s->n[0], s->n[1], s->axis, s->lower[0], s->upper[0], s->lower[1], s->upper[1]);
    rw_other_axes(s->axis, r.across);
    for (int64_t i = 0; i < (int64_t)s->n[0] * s->n[1]; ++i) cell[i] = -1;
    return rw_blocks_visit(g, cut, &r) ? RW_OK : rw_fail_memory(g->ctx, 0, "rows of points");
}

void rw_blocks_extent(const rw_blocks *g, double lower[3], double upper[3])
{
    if (!g || !lower || !upper) return;
    for (int d = 0; d < 3; ++d) {
        lower[d] = INFINITY;
        upper[d] = -INFINITY;
    }
    for (int64_t p = 0; p < g->npoints; ++p)
        for (int d = 0; d < 3; ++d) {
            lower[d] = fmin(lower[d], g->points[p][d]);
            upper[d] = fmax(upper[d], g->points[p][d]);
        }
}
