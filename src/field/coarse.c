/* The coarse mesh of a block-structured grid: its edges and faces, how each block refers to them, whether all that is
 * shared has the same cells on both sides, and the numbers of points: vertices, then those inside edges, faces, blocks.
 *
 * An edge is known by its two vertices, a face by its four; sorting brings together what is shared. */
#include "field/blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int rw_corner_of(int vtk)
{
    static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    return order[vtk];
}

/* Corner of a block's edge or face: side 0 or 1 of each axis. */
static int corner_at(const int side[3]) { return side[0] + 2 * side[1] + 4 * side[2]; }

static void edge_corners(int edge, int corner[2])
{
    int d = edge / 4, other[2], side[3];
    rw_other_axes(d, other);
    side[other[0]] = edge & 1;
    side[other[1]] = edge >> 1 & 1;
    for (int end = 0; end < 2; ++end) {
        side[d] = end;
        corner[end] = corner_at(side);
    }
}

/* [p + 2q] */
void rw_face_corners(int face, int corner[4])
{
    int other[2], side[3];
    rw_other_axes(face / 2, other);
    side[face / 2] = face & 1;
    for (int n = 0; n < 4; ++n) {
        side[other[0]] = n & 1;
        side[other[1]] = n >> 1;
        corner[n] = corner_at(side);
    }
}

/* ---- what is shared ---------------------------------------------------------------------------------------------- */

/* An edge or face of one block, by its vertices in ascending order (an edge: followed by two zeros). */
typedef struct side_of {
    int key[4], block, number;
} side_of;

static int compare(const void *a, const void *b)
{
    const side_of *x = a, *y = b;
    for (int i = 0; i < 4; ++i)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool same_key(const side_of *a, const side_of *b) { return !memcmp(a->key, b->key, sizeof a->key); }

static void sort_few(int *v, int n)
{
    for (int i = 1; i < n; ++i)
        for (int j = i; j > 0 && v[j] < v[j - 1]; --j) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}

/* All edges (of = 12) or faces (of = 6) of all blocks, sorted. */
static side_of *sorted_sides(const rw_blocks *g, int of)
{
    side_of *list = rw_calloc((size_t)g->nblocks * (size_t)of, sizeof *list);
    for (int n = 0; list && n < g->nblocks * of; ++n) {
        int corner[4], count = of == 12 ? 2 : 4;
        if (of == 12) edge_corners(n % of, corner);
        else rw_face_corners(n % of, corner);
        list[n].block = n / of;
        list[n].number = n % of;
        for (int i = 0; i < count; ++i) list[n].key[i] = g->blocks[n / of].corner[corner[i]];
        sort_few(list[n].key, count);
    }
    if (list) qsort(list, (size_t)g->nblocks * (size_t)of, sizeof *list, compare);
    return list;
}

static rw_status join_edges(rw_blocks *g)
{
    int n = 12 * g->nblocks;
    side_of *list = sorted_sides(g, 12);
    g->edges = rw_calloc((size_t)n, sizeof *g->edges);
    rw_status status =
        list && g->edges ? RW_OK : rw_fail_memory(g->ctx, (size_t)n * sizeof *list, "the edges of a grid");
    for (int i = 0; i < n && status == RW_OK; ++i) {
        const side_of *s = list + i;
        rw_block_place *b = g->blocks + s->block;
        if (!i || !same_key(s, s - 1)) {
            rw_block_edge *e = g->edges + g->nedges++;
            *e = (rw_block_edge){.vertex = {s->key[0], s->key[1]},
                                 .cells = b->cells[s->number / 4],
                                 .block = s->block,
                                 .surface = -1};
        }
        const rw_block_edge *e = g->edges + g->nedges - 1;
        int corner[2], cells = b->cells[s->number / 4];
        edge_corners(s->number, corner);
        b->edge[s->number] = g->nedges - 1;
        b->backwards[s->number] = b->corner[corner[0]] != e->vertex[0];
        if (cells != e->cells)
            status = rw_fail(
                g->ctx, RW_ERR_INPUT,
                "block %d has %d cells along its axis %d, block %d has %d there: they share the edge of vertices %d "
                "and %d, so both must have the same number of cells there",
                s->block, cells, s->number / 4, e->block, e->cells, e->vertex[0], e->vertex[1]);
    }
    rw_free(list);
    return status;
}

/* How `face` of `b` lies in the axes of `own`, the same vertices [p + 2q]; false when they are not the same
 * quadrilateral. */
static bool find_turn(const rw_block_place *b, int face, const int own[4], rw_turn *turn)
{
    int corner[4], origin = -1;
    rw_face_corners(face, corner);
    for (int i = 0; i < 4; ++i)
        if (b->corner[corner[i]] == own[0]) origin = i;
    if (origin < 0) return false;
    int along_p = b->corner[corner[origin ^ 1]], along_q = b->corner[corner[origin ^ 2]];
    turn->exchange = along_p != own[1];
    if ((turn->exchange ? along_q : along_p) != own[1] || (turn->exchange ? along_p : along_q) != own[2]) return false;
    bool p = origin & 1, q = origin >> 1;
    turn->reverse[0] = turn->exchange ? q : p;
    turn->reverse[1] = turn->exchange ? p : q;
    return true;
}

static rw_status join_face(rw_blocks *g, const side_of *s, bool first)
{
    rw_block_place *b = g->blocks + s->block;
    int other[2];
    rw_other_axes(s->number / 2, other);
    if (first) {
        g->faces[g->nfaces++] = (rw_block_face){.block = {s->block, -1},
                                                .side = {s->number, 0},
                                                .cells = {b->cells[other[0]], b->cells[other[1]]},
                                                .surface = -1};
        b->face[s->number] = g->nfaces - 1;
        return RW_OK;
    }
    rw_block_face *f = g->faces + g->nfaces - 1;
    if (f->block[1] >= 0)
        return rw_fail(
            g->ctx, RW_ERR_INPUT,
            "the face of vertices %d, %d, %d, %d belongs to three blocks, %d, %d, %d: at most two may share a face",
            s->key[0], s->key[1], s->key[2], s->key[3], f->block[0], f->block[1], s->block);
    int own[4], corner[4];
    rw_face_corners(f->side[0], corner);
    for (int i = 0; i < 4; ++i) own[i] = g->blocks[f->block[0]].corner[corner[i]];
    if (!find_turn(b, s->number, own, b->turn + s->number))
        return rw_fail(
            g->ctx, RW_ERR_INPUT,
            "blocks %d and %d join the vertices %d, %d, %d, %d to different quadrilaterals: one of them is twisted",
            f->block[0], s->block, s->key[0], s->key[1], s->key[2], s->key[3]);
    f->block[1] = s->block;
    f->side[1] = s->number;
    b->face[s->number] = g->nfaces - 1;
    return RW_OK;
}

static rw_status join_faces(rw_blocks *g)
{
    int n = 6 * g->nblocks;
    side_of *list = sorted_sides(g, 6);
    g->faces = rw_calloc((size_t)n, sizeof *g->faces);
    rw_status status =
        list && g->faces ? RW_OK : rw_fail_memory(g->ctx, (size_t)n * sizeof *list, "the faces of a grid");
    for (int i = 0; i < n && status == RW_OK; ++i)
        status = join_face(g, list + i, !i || !same_key(list + i, list + i - 1));
    rw_free(list);
    return status;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static int find_edge(const rw_blocks *g, int v, int w)
{
    int low = 0, high = g->nedges, key[2] = {RW_MIN(v, w), RW_MAX(v, w)};
    while (low < high) {
        int middle = (low + high) / 2;
        const int *at = g->edges[middle].vertex;
        if (at[0] < key[0] || (at[0] == key[0] && at[1] < key[1])) low = middle + 1;
        else high = middle;
    }
    return low < g->nedges && g->edges[low].vertex[0] == key[0] && g->edges[low].vertex[1] == key[1] ? low : -1;
}

/* The face with these vertices, and its edges. */
static int find_face(const rw_blocks *g, const int vertex[4], int edges[4])
{
    int want[4];
    memcpy(want, vertex, sizeof want);
    sort_few(want, 4);
    for (int f = 0; f < g->nfaces; ++f) {
        const rw_block_face *face = g->faces + f;
        const rw_block_place *b = g->blocks + face->block[0];
        int corner[4], have[4];
        rw_face_corners(face->side[0], corner);
        for (int i = 0; i < 4; ++i) corner[i] = have[i] = b->corner[corner[i]];
        sort_few(have, 4);
        if (memcmp(have, want, sizeof have)) continue;
        static const int ends[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
        for (int i = 0; i < 4; ++i) edges[i] = find_edge(g, corner[ends[i][0]], corner[ends[i][1]]);
        return f;
    }
    return -1;
}

static rw_status place_on_surfaces(rw_blocks *g, const rw_coarse_mesh *m)
{
    for (int i = 0; i < m->ncurved; ++i) {
        const rw_on_surface *c = m->curved + i;
        int edges[4] = {-1, -1, -1, -1}, face = -1;
        if (c->surface < 0 || c->surface >= m->nsurfaces)
            return rw_fail(g->ctx, RW_ERR_INPUT,
                           "curved part %d lies on surface %d, but the number of surfaces is %lld", i, c->surface,
                           (long long)m->nsurfaces);
        if (c->n == 2) edges[0] = find_edge(g, c->vertex[0], c->vertex[1]);
        else if (c->n == 4) face = find_face(g, c->vertex, edges);
        if (edges[0] < 0)
            return rw_fail(g->ctx, RW_ERR_INPUT,
                           "curved part %d is neither an edge (2 vertices) nor a face (4 vertices) of a block", i);
        for (int e = 0; e < c->n; ++e) g->edges[edges[e]].surface = c->surface;
        if (face >= 0) g->faces[face].surface = c->surface;
    }
    return RW_OK;
}

/* ---- cells and points -------------------------------------------------------------------------------------------- */

static rw_status copy_blocks(rw_blocks *g, const rw_blocks_spec *spec)
{
    const rw_coarse_mesh *m = &spec->mesh;
    double cells = 0;
    for (int b = 0; b < m->nblocks; ++b) {
        const int *n = spec->cells_of ? spec->cells_of[b] : spec->cells;
        rw_block_place *to = g->blocks + b;
        for (int d = 0; d < 3; ++d) {
            if (n[d] < 1)
                return rw_fail(g->ctx, RW_ERR_ARGUMENT, "block %d has %d cells along its axis %d: at least 1 is needed",
                               b, n[d], d);
            to->cells[d] = n[d];
        }
        for (int i = 0; i < 8; ++i) {
            int v = m->blocks[b][i];
            if (v < 0 || v >= m->nvertices)
                return rw_fail(g->ctx, RW_ERR_INPUT,
                               "corner %d of block %d is vertex %d, but vertices are numbered 0 to %lld", i, b, v,
                               (long long)m->nvertices - 1);
            for (int j = 0; j < i; ++j)
                if (m->blocks[b][j] == v)
                    return rw_fail(g->ctx, RW_ERR_INPUT, "corners %d and %d of block %d are the same vertex %d", j, i,
                                   b, v);
            to->corner[rw_corner_of(i)] = v;
        }
        to->first_cell = g->ncells;
        cells += (double)n[0] * n[1] * n[2];
        if (cells > INT32_MAX) return rw_fail(g->ctx, RW_ERR_ARGUMENT, "the grid has more than 2^31 - 1 cells");
        g->ncells += (int64_t)n[0] * n[1] * n[2];
    }
    return RW_OK;
}

static void number_points(rw_blocks *g)
{
    int64_t n = g->nvertices;
    for (int e = 0; e < g->nedges; ++e) {
        g->edges[e].first = n;
        n += g->edges[e].cells - 1;
    }
    for (int f = 0; f < g->nfaces; ++f) {
        g->faces[f].first = n;
        n += (int64_t)(g->faces[f].cells[0] - 1) * (g->faces[f].cells[1] - 1);
    }
    for (int b = 0; b < g->nblocks; ++b) {
        const int *c = g->blocks[b].cells;
        g->blocks[b].first = n;
        n += (int64_t)(c[0] - 1) * (c[1] - 1) * (c[2] - 1);
    }
    g->npoints = n;
}

rw_status rw_blocks_connect(rw_blocks *g, const rw_blocks_spec *spec)
{
    RW_TRY(copy_blocks(g, spec));
    RW_TRY(join_edges(g));
    RW_TRY(join_faces(g));
    RW_TRY(place_on_surfaces(g, &spec->mesh));
    number_points(g);
    return RW_OK;
}
