/* Grids from meshes of other programs: each hexahedron a block; boundary faces with all corners on a given surface
 * follow it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "field/blocks.h"
#include "field/vector.h"
#include "files/gmsh.h"

typedef struct outer_face {
    int key[4], vertex[4];
} outer_face;

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(int[4])); }

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static double size_of(const rw_gmsh *m)
{
    double size = 0;
    for (int v = 0; v < m->nvertices; ++v)
        for (int d = 0; d < 3; ++d) size = fmax(size, fabs(m->vertices[v][d] - m->vertices[0][d]));
    return size;
}

static bool lies_on(const rw_surface *s, const double place[3], double size)
{
    double x[3] = {place[0], place[1], place[2]}, away[3];
    rw_surface_project(s, x);
    subtract(x, place, away);
    return norm(away) <= (s->kind == RW_SURFACE_CUSTOM ? 1e-9 * size : 1e-6 * s->radius);
}

/* The faces that one hexahedron alone has come first; their number. */
static int find_boundary(const rw_gmsh *m, outer_face *faces)
{
    int n = 6 * m->nhexahedra, kept = 0;
    for (int i = 0; i < n; ++i) {
        int corner[4];
        rw_face_corners(i % 6, corner);
        for (int c = 0; c < 4; ++c) faces[i].vertex[c] = m->hexahedra[i / 6][rw_corner_of(corner[c])];
        memcpy(faces[i].key, faces[i].vertex, sizeof faces[i].key);
        qsort(faces[i].key, 4, sizeof(int), ascending);
    }
    qsort(faces, (size_t)n, sizeof *faces, compare);
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && !compare(faces + i, faces + next);) ++next;
        if (next == i + 1) faces[kept++] = faces[i];
    }
    return kept;
}

static rw_status put_on_surfaces(rw_context *ctx, const rw_gmsh *m, rw_coarse_mesh *mesh, rw_on_surface **curved)
{
    outer_face *faces = rw_calloc(6 * (size_t)m->nhexahedra, sizeof *faces);
    *curved = rw_calloc(6 * (size_t)m->nhexahedra, sizeof **curved);
    rw_status status = faces && *curved
                           ? RW_OK
                           : rw_fail_memory(ctx, 6 * (size_t)m->nhexahedra * sizeof *faces, "the faces of a mesh");
    int n = status == RW_OK ? find_boundary(m, faces) : 0;
    double size = size_of(m);
    for (int f = 0; f < n; ++f)
        for (int s = 0; s < mesh->nsurfaces; ++s) {
            int on = 0;
            for (int c = 0; c < 4; ++c) on += lies_on(mesh->surfaces + s, m->vertices[faces[f].vertex[c]], size);
            if (on < 4) continue;
            rw_on_surface *part = *curved + mesh->ncurved++;
            *part = (rw_on_surface){.surface = s, .n = 4};
            memcpy(part->vertex, faces[f].vertex, sizeof part->vertex);
            break;
        }
    mesh->curved = *curved;
    rw_free(faces);
    return status;
}

rw_status rw_blocks_read_gmsh(rw_context *ctx, const char *path, const int cells[3], const rw_surface *surfaces,
                              int64_t nsurfaces, rw_blocks **grid)
{
    RW_NEED(grid, "grid");
    *grid = NULL;
    RW_NEED(ctx, "ctx");
    RW_NEED(path, "path");
    RW_NEED(cells, "cells");
    RW_TRY(rw_check_array(ctx, "rw_blocks_read_gmsh", "surfaces", surfaces, nsurfaces));
    for (int64_t i = 0; i < nsurfaces; ++i) RW_CHECK_MEMBERS(ctx, rw_surface, surfaces + i);
    rw_gmsh m;
    rw_on_surface *curved = NULL;
    RW_TRY(rw_gmsh_read(ctx, path, &m));
    rw_blocks_spec spec = {.mesh = {.nvertices = m.nvertices,
                                    .nblocks = m.nhexahedra,
                                    .vertices = (const double(*)[3])m.vertices,
                                    .blocks = (const int(*)[8])m.hexahedra,
                                    .nsurfaces = nsurfaces,
                                    .surfaces = surfaces}};
    memcpy(spec.cells, cells, sizeof spec.cells);
    rw_status status = nsurfaces ? put_on_surfaces(ctx, &m, &spec.mesh, &curved) : RW_OK;
    if (status == RW_OK) status = rw_blocks_create(ctx, &spec, grid);
    if (status == RW_ERR_INPUT) status = rw_fail_prefix(ctx, status, "%s", path);
    rw_free(curved);
    rw_gmsh_free(&m);
    return status;
}
