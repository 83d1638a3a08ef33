/* The laplacian on block-structured grids, as a table of cells and weights (rw_expr_tables).
 *
 * Cells: the flux through each side of a cell, by the diamond scheme (Coudiere, Vila, Villedieu 1999): between the
 * centres on both sides and the side's four points lies a double pyramid; the gradient in it has the differences of the
 * two centres and of opposite points. Values at points come from the cells around by least squares that are exact for
 * linear functions; at the boundary their opposite neighbours take part. On orthogonal grids what remains is the
 * difference of neighbours.
 *
 * Points: trilinear finite elements, the mass lumped. */
#include <stdlib.h>
#include <string.h>

#include "field/blocks.h"
#include "field/hexahedron.h"

enum { MOST = 256 }; /* cells that a row may hold */

typedef struct row {
    int n;
    int64_t cell[MOST];
    double weight[MOST], area[6], conductance[6];
    bool full;
} row;

static void add(row *r, int64_t cell, double weight)
{
    int i = 0;
    while (i < r->n && r->cell[i] != cell) ++i;
    if (i == MOST) {
        r->full = true;
        return;
    }
    if (i == r->n) {
        r->cell[r->n++] = cell;
        r->weight[i] = 0;
    }
    r->weight[i] += weight;
}

/* Without the cell itself and entries that are only rounding errors. */
static void tidy(row *r, int64_t own)
{
    double most = 0;
    int kept = 0;
    for (int i = 0; i < r->n; ++i)
        if (r->cell[i] != own) most = RW_MAX(most, fabs(r->weight[i]));
    for (int i = 0; i < r->n; ++i) {
        if (r->cell[i] == own || fabs(r->weight[i]) <= 1e-13 * most) continue;
        r->cell[kept] = r->cell[i];
        r->weight[kept++] = r->weight[i];
    }
    r->n = kept;
}

/* ---- what is around a point -------------------------------------------------------------------------------------- */

/* Cells around points: list[first[p] … first[p + 1]]. */
typedef struct around {
    int64_t *first, *list;
} around;

static bool find_around(const rw_blocks *g, around *a)
{
    a->first = rw_calloc((size_t)g->npoints + 2, sizeof *a->first);
    a->list = rw_calloc(8 * (size_t)g->ncells, sizeof *a->list);
    if (!a->first || !a->list) return false;
    int64_t points[8];
    for (int64_t c = 0; c < g->ncells; ++c) {
        rw_blocks_cell_points(g, c, points);
        for (int i = 0; i < 8; ++i) a->first[points[i] + 2]++;
    }
    for (int64_t p = 0; p < g->npoints; ++p) a->first[p + 2] += a->first[p + 1];
    for (int64_t c = 0; c < g->ncells; ++c) {
        rw_blocks_cell_points(g, c, points);
        for (int i = 0; i < 8; ++i) a->list[a->first[points[i] + 1]++] = c;
    }
    return true;
}

static void free_around(around *a)
{
    rw_free(a->first);
    rw_free(a->list);
}

/* The place of a point in a cell, as corner i + 2j + 4k. */
static int corner_at(const int64_t points[8], int64_t p)
{
    int i = 0;
    while (points[i] != p) ++i;
    return rw_corner_of(i);
}

static void fetch_corners(const rw_blocks *g, int64_t cell, int64_t points[8], double corner[8][3])
{
    rw_blocks_cell_points(g, cell, points);
    for (int i = 0; i < 8; ++i) memcpy(corner[rw_corner_of(i)], g->points[points[i]], sizeof corner[0]);
}

/* ---- cells: values at points ------------------------------------------------------------------------------------- */

typedef struct diamonds {
    const rw_blocks *g;
    double (*centre)[3], *volume;
    int32_t (*next)[6];
    around around;
    int64_t *first, *list; /* cells that a point's value comes from */
    double *weight;
} diamonds;

/* The cells of a point's value; at the boundary the next inner cells too, which determine the normal derivative. */
static int sources(const diamonds *d, int64_t p, int64_t cell[MOST])
{
    const around *a = &d->around;
    int n = 0;
    for (int64_t i = a->first[p]; i < a->first[p + 1] && n < MOST; ++i) cell[n++] = a->list[i];
    for (int64_t i = a->first[p]; i < a->first[p + 1]; ++i) {
        int64_t points[8], c = a->list[i];
        rw_blocks_cell_points(d->g, c, points);
        int corner = corner_at(points, p);
        for (int axis = 0; axis < 3; ++axis) {
            int side = 2 * axis + (corner >> axis & 1), known = 0;
            int64_t behind = d->next[c][side] < 0 ? d->next[c][side ^ 1] : -1;
            while (known < n && cell[known] != behind) ++known;
            if (behind >= 0 && known == n && n < MOST) cell[n++] = behind;
        }
    }
    return n;
}

/* Eigenvalues w and columns V of a symmetric matrix by Jacobi's rotations. */
static void eigen(double A[3][3], double w[3], double V[3][3])
{
    for (int i = 0; i < 9; ++i) V[i / 3][i % 3] = i % 4 == 0;
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (fabs(A[p][q]) <= 1e-300) continue;
                double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]),
                       t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int i = 0; i < 3; ++i) {
                    double a = A[i][p], b = A[i][q];
                    A[i][p] = c * a - s * b;
                    A[i][q] = s * a + c * b;
                }
                for (int i = 0; i < 3; ++i) {
                    double a = A[p][i], b = A[q][i];
                    A[p][i] = c * a - s * b;
                    A[q][i] = s * a + c * b;
                    a = V[i][p];
                    b = V[i][q];
                    V[i][p] = c * a - s * b;
                    V[i][q] = s * a + c * b;
                }
            }
    for (int i = 0; i < 3; ++i) w[i] = A[i][i];
}

/* Weights of the linear function that fits the cells best, at the point. Lengths are measured in cells, so that thin
 * ones are distinguished from cells that lie in a plane: across that the function is constant. */
static void fit(const diamonds *d, int64_t p, int n, const int64_t *cell, double *weight)
{
    int64_t points[8];
    double corner[8][3], N[8], dN[8][3], J[3][3], across[3][3], u[MOST][3], mean[3] = {0}, S[3][3] = {{0}}, w[3],
                                                                            V[3][3];
    fetch_corners(d->g, cell[0], points, corner);
    rw_hexahedron_shape((double[3]){0.5, 0.5, 0.5}, N, dN);
    double det = rw_hexahedron_jacobian((const double(*)[3])corner, dN, J);
    for (int i = 0; i < 3; ++i) cross(J[(i + 1) % 3], J[(i + 2) % 3], across[i]);
    for (int c = 0; c < n; ++c) {
        double from[3];
        subtract(d->centre[cell[c]], d->g->points[p], from);
        for (int i = 0; i < 3; ++i) {
            u[c][i] = dot(from, across[i]) / det;
            mean[i] += u[c][i] / n;
        }
    }
    for (int c = 0; c < n; ++c)
        for (int i = 0; i < 9; ++i) S[i / 3][i % 3] += (u[c][i / 3] - mean[i / 3]) * (u[c][i % 3] - mean[i % 3]);
    eigen(S, w, V);
    for (int c = 0; c < n; ++c) {
        weight[c] = 1.0 / n;
        for (int k = 0; k < 3; ++k) {
            double at = 0, along = 0;
            if (w[k] < 0.05) continue;
            for (int i = 0; i < 3; ++i) {
                at -= mean[i] * V[i][k];
                along += (u[c][i] - mean[i]) * V[i][k];
            }
            weight[c] += at * along / w[k];
        }
    }
}

static bool find_point_values(diamonds *d)
{
    const rw_blocks *g = d->g;
    int64_t cell[MOST];
    if (!(d->first = rw_calloc((size_t)g->npoints + 1, sizeof *d->first))) return false;
    for (int64_t p = 0; p < g->npoints; ++p) d->first[p + 1] = d->first[p] + sources(d, p, cell);
    size_t all = (size_t)d->first[g->npoints];
    d->list = rw_calloc(all, sizeof *d->list);
    d->weight = rw_calloc(all, sizeof *d->weight);
    if (!d->list || !d->weight) return false;
#pragma omp parallel for private(cell)
    for (int64_t p = 0; p < g->npoints; ++p) {
        int n = sources(d, p, cell);
        for (int i = 0; i < n; ++i) d->list[d->first[p] + i] = cell[i];
        fit(d, p, n, cell, d->weight + d->first[p]);
    }
    return true;
}

/* ---- cells: fluxes ----------------------------------------------------------------------------------------------- */

static void add_point(const diamonds *d, row *r, int64_t p, double weight)
{
    for (int64_t i = d->first[p]; i < d->first[p + 1]; ++i) add(r, d->list[i], weight * d->weight[i]);
}

/* The flux out of the cell through a side, over its volume, to its row. */
static void add_flux(const diamonds *d, int64_t cell, int side, const int64_t points[8], const double corner[8][3],
                     row *r)
{
    static const int turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int axis = side / 2, o[2], at[4];
    int64_t there = d->next[cell][side], point[4];
    double t1[3], t2[3], middle[3] = {0}, to[3], normal[3], a[3], b[3];
    rw_other_axes(axis, o);
    for (int i = 0; i < 4; ++i) at[i] = (side & 1) << axis | turn[i][0] << o[0] | turn[i][1] << o[1];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 4; ++k)
            if (rw_corner_of(i) == at[k]) point[k] = points[i];
    for (int i = 0; i < 4; ++i) add_scaled(middle, 0.25, corner[at[i]]);
    subtract(corner[at[2]], corner[at[0]], t1);
    subtract(corner[at[3]], corner[at[1]], t2);
    cross(t1, t2, normal); /* twice the side's area */
    subtract(there < 0 ? middle : d->centre[there], d->centre[cell], to);
    /* half of |normal| normal = alpha to + beta t1 + gamma t2 */
    double det = dot(to, normal), V = d->volume[cell], scale = (det < 0 ? -0.5 : 0.5) / det / V;
    double alpha = scale * dot(normal, normal);
    if (there < 0) {
        r->area[side] += 0.5 * norm(normal) / V;
        r->conductance[side] += alpha;
        return;
    }
    cross(t2, to, a);
    cross(to, t1, b);
    double beta = scale * dot(normal, a), gamma = scale * dot(normal, b);
    add(r, there, alpha);
    add_point(d, r, point[2], beta);
    add_point(d, r, point[0], -beta);
    add_point(d, r, point[3], gamma);
    add_point(d, r, point[1], -gamma);
}

static void fill_row(const diamonds *d, int64_t cell, row *r)
{
    int64_t points[8];
    double corner[8][3];
    memset(r, 0, offsetof(row, cell));
    memset(r->area, 0, sizeof r->area);
    memset(r->conductance, 0, sizeof r->conductance);
    r->full = false;
    fetch_corners(d->g, cell, points, corner);
    for (int side = 0; side < 6; ++side) add_flux(d, cell, side, points, (const double(*)[3])corner, r);
    tidy(r, cell);
}

static rw_status begin_tables(const rw_blocks *g, int64_t n, int width, bool conducts, rw_blocks_tables *t)
{
    size_t numbers = (size_t)n * (size_t)RW_MAX(width, 1);
    t->width = width;
    t->cell = rw_calloc(numbers, sizeof *t->cell);
    t->weight = rw_calloc(numbers, sizeof *t->weight);
    t->area = rw_calloc(6 * (size_t)n, sizeof *t->area);
    t->conductance = conducts ? rw_calloc(6 * (size_t)n, sizeof *t->conductance) : NULL;
    if (t->cell && t->weight && t->area && (t->conductance || !conducts)) return RW_OK;
    rw_blocks_free_tables(t);
    return rw_fail_memory(g->ctx, numbers * 12, "a table of neighbours");
}

static rw_status fail_full(const rw_blocks *g)
{
    return rw_fail(g->ctx, RW_ERR_UNSUPPORTED, "laplace: a cell has more than %d neighbours", MOST);
}

static rw_status tabulate(const diamonds *d, rw_blocks_tables *t)
{
    int64_t n = d->g->ncells;
    int width = 0;
    bool full = false;
#pragma omp parallel for reduction(max : width) reduction(|| : full)
    for (int64_t c = 0; c < n; ++c) {
        row r;
        fill_row(d, c, &r);
        width = RW_MAX(width, r.n);
        full = full || r.full;
    }
    if (full) return fail_full(d->g);
    RW_TRY(begin_tables(d->g, n, width, true, t));
#pragma omp parallel for
    for (int64_t c = 0; c < n; ++c) {
        row r;
        fill_row(d, c, &r);
        for (int k = 0; k < width; ++k) {
            t->cell[k * n + c] = (int32_t)(k < r.n ? r.cell[k] : c);
            t->weight[k * n + c] = k < r.n ? r.weight[k] : 0;
        }
        for (int s = 0; s < 6; ++s) {
            t->area[s * n + c] = r.area[s];
            t->conductance[s * n + c] = r.conductance[s];
        }
    }
    return RW_OK;
}

static rw_status of_cells(const rw_blocks *g, rw_blocks_tables *t)
{
    size_t n = (size_t)g->ncells;
    diamonds d = {.g = g,
                  .centre = rw_calloc(n, sizeof *d.centre),
                  .volume = rw_calloc(n, sizeof *d.volume),
                  .next = rw_calloc(n, sizeof *d.next)};
    rw_status status = d.centre && d.volume && d.next && find_around(g, &d.around)
                           ? RW_OK
                           : rw_fail_memory(g->ctx, n * 64, "a table of neighbours");
    if (status == RW_OK) status = rw_blocks_centres(g, d.centre);
    if (status == RW_OK) status = rw_blocks_volumes(g, d.volume);
    if (status == RW_OK) {
        rw_blocks_neighbours(g, d.next);
        status = find_point_values(&d) ? tabulate(&d, t) : rw_fail_memory(g->ctx, n * 128, "values at points");
    }
    rw_free(d.centre);
    rw_free(d.volume);
    rw_free(d.next);
    rw_free(d.first);
    rw_free(d.list);
    rw_free(d.weight);
    free_around(&d.around);
    return status;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static const double gauss[2] = {0.21132486540518711775, 0.78867513459481288225};

static void stiffness(const double corner[8][3], double K[8][8])
{
    double N[8], gradient[8][3];
    memset(K, 0, 64 * sizeof(double));
    for (int n = 0; n < 8; ++n) {
        double det =
            rw_hexahedron_gradients(corner, (double[3]){gauss[n & 1], gauss[n >> 1 & 1], gauss[n >> 2]}, N, gradient) /
            8;
        for (int p = 0; p < 8; ++p)
            for (int q = 0; q < 8; ++q) K[p][q] += det * dot(gradient[p], gradient[q]);
    }
}

/* The points that share a cell with p. */
static void find_row(const rw_blocks *g, const around *a, int64_t p, row *r)
{
    r->n = 0;
    r->full = false;
    for (int64_t i = a->first[p]; i < a->first[p + 1]; ++i) {
        int64_t points[8];
        rw_blocks_cell_points(g, a->list[i], points);
        for (int k = 0; k < 8; ++k)
            if (points[k] != p) add(r, points[k], 0);
    }
}

static void add_cell(const rw_blocks *g, int64_t cell, const double *volume, rw_blocks_tables *t)
{
    int64_t points[8], n = g->npoints;
    double corner[8][3], K[8][8];
    fetch_corners(g, cell, points, corner);
    stiffness((const double(*)[3])corner, K);
    for (int p = 0; p < 8; ++p)
        for (int q = 0; q < 8; ++q) {
            int64_t at = points[p];
            if (p == q) continue;
            while (t->cell[at] != points[q]) at += n;
            t->weight[at] -= K[rw_corner_of(p)][rw_corner_of(q)] / volume[points[p]];
        }
}

/* What of a boundary face's area belongs to its four points. */
static void add_face(const rw_blocks *g, int block, int side, const int at[3], const double *volume,
                     rw_blocks_tables *t)
{
    int o[2], place[3];
    int64_t point[4];
    rw_other_axes(side / 2, o);
    for (int i = 0; i < 4; ++i) {
        memcpy(place, at, sizeof place);
        place[o[0]] += i & 1;
        place[o[1]] += i >> 1;
        point[i] = rw_blocks_point(g, block, place[0], place[1], place[2]);
    }
    for (int n = 0; n < 4; ++n) {
        double u = gauss[n & 1], v = gauss[n >> 1], du[3] = {0}, dv[3] = {0}, normal[3];
        for (int i = 0; i < 4; ++i) {
            add_scaled(du, (i & 1 ? 1 : -1) * (i >> 1 ? v : 1 - v), g->points[point[i]]);
            add_scaled(dv, (i >> 1 ? 1 : -1) * (i & 1 ? u : 1 - u), g->points[point[i]]);
        }
        cross(du, dv, normal);
        for (int i = 0; i < 4; ++i)
            t->area[side * g->npoints + point[i]] +=
                norm(normal) / 4 * (i & 1 ? u : 1 - u) * (i >> 1 ? v : 1 - v) / volume[point[i]];
    }
}

static void add_faces(const rw_blocks *g, const double *volume, rw_blocks_tables *t)
{
    for (int f = 0; f < g->nfaces; ++f) {
        const rw_block_face *face = g->faces + f;
        const rw_block_place *b = g->blocks + face->block[0];
        int side = face->side[0], o[2], at[3];
        if (face->block[1] >= 0) continue;
        rw_other_axes(side / 2, o);
        at[side / 2] = side & 1 ? b->cells[side / 2] : 0;
        for (at[o[1]] = 0; at[o[1]] < b->cells[o[1]]; ++at[o[1]])
            for (at[o[0]] = 0; at[o[0]] < b->cells[o[0]]; ++at[o[0]]) add_face(g, face->block[0], side, at, volume, t);
    }
}

/* Cells of a block whose places are even or odd alike share no points: a thread may add one while others add theirs. */
static void add_cells(const rw_blocks *g, const double *volume, rw_blocks_tables *t)
{
    for (int block = 0; block < g->nblocks; ++block)
        for (int odd = 0; odd < 8; ++odd) {
            const rw_block_place *b = g->blocks + block;
            int n[3];
            for (int d = 0; d < 3; ++d) n[d] = (b->cells[d] + 1 - (odd >> d & 1)) / 2;
#pragma omp parallel for
            for (int64_t i = 0; i < (int64_t)n[0] * n[1] * n[2]; ++i) {
                int64_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
                for (int d = 0; d < 3; ++d) at[d] = 2 * at[d] + (odd >> d & 1);
                add_cell(g, b->first_cell + (at[2] * b->cells[1] + at[1]) * b->cells[0] + at[0], volume, t);
            }
        }
}

static rw_status of_points(const rw_blocks *g, rw_blocks_tables *t)
{
    int64_t n = g->npoints;
    around a = {0};
    double *volume = rw_calloc((size_t)n, sizeof *volume);
    int width = 0;
    bool full = false;
    rw_status status =
        volume && find_around(g, &a) ? RW_OK : rw_fail_memory(g->ctx, (size_t)n * 64, "a table of neighbours");
    if (status != RW_OK) goto done;
    rw_blocks_share_volume(g, volume);
#pragma omp parallel for reduction(max : width) reduction(|| : full)
    for (int64_t p = 0; p < n; ++p) {
        row r;
        find_row(g, &a, p, &r);
        width = RW_MAX(width, r.n);
        full = full || r.full;
    }
    status = full ? fail_full(g) : begin_tables(g, n, width, false, t);
    if (status != RW_OK) goto done;
#pragma omp parallel for
    for (int64_t p = 0; p < n; ++p) {
        row r;
        find_row(g, &a, p, &r);
        for (int k = 0; k < width; ++k) t->cell[k * n + p] = (int32_t)(k < r.n ? r.cell[k] : p);
    }
    add_cells(g, volume, t);
    add_faces(g, volume, t);
done:
    rw_free(volume);
    free_around(&a);
    return status;
}

rw_status rw_blocks_laplacian(const rw_blocks *g, rw_blocks_place place, rw_blocks_tables *t)
{
    memset(t, 0, sizeof *t);
    return place == RW_BLOCKS_CELLS ? of_cells(g, t) : of_points(g, t);
}

void rw_blocks_free_tables(rw_blocks_tables *t)
{
    rw_free(t->cell);
    rw_free(t->weight);
    rw_free(t->area);
    rw_free(t->conductance);
    memset(t, 0, sizeof *t);
}
