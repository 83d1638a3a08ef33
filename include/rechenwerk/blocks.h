/* Block-structured hexahedral grids: a coarse mesh of hexahedra, the blocks, each cut into nx x ny x nz cells. Blocks
 * share vertices, edges and faces and may meet in any orientation; on curved bodies cells follow the true surface.
 *
 *   rw_blocks *grid;
 *   rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){20, 20, 20}, &grid);     an O-grid: a core and four blocks around it
 *   double *volume = malloc(rw_blocks_cells(grid) * sizeof *volume);
 *   rw_blocks_volumes(grid, volume);
 *
 * A cell field is an array with a number for each cell: block after block, x fastest within a block. A point field has
 * a number for each point: vertices, then the points inside edges, faces, blocks, so that shared points exist once. */
#ifndef RECHENWERK_BLOCKS_H
#define RECHENWERK_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rw_surface_kind { RW_SURFACE_CYLINDER, RW_SURFACE_SPHERE, RW_SURFACE_CUSTOM } rw_surface_kind;

/* A true surface that parts of the mesh lie on. Points of an edge on a cylinder are equally spaced in angle and along
 * the axis, on a sphere in angle; on a custom surface they are those of the straight edge, projected. */
typedef struct rw_surface {
    rw_surface_kind kind;
    double centre[3], axis[3], radius;        /* axis: of a cylinder, any length */
    void (*project)(void *user, double x[3]); /* CUSTOM: x becomes the nearest point of the surface */
    void *user;
} rw_surface;

/* An edge (n = 2) or a face with its edges (n = 4, corners in any order) that lies on a surface. */
typedef struct rw_on_surface {
    int surface, n, vertex[4];
} rw_on_surface;

/* Corners of a block as VTK and Gmsh number them; its axes go from corner 0 to 1, 0 to 3, 0 to 4:
 *
 *        7--------6
 *       /|       /|
 *      4--------5 |      z y
 *      | |      | |      |/
 *      | 3------|-2      o--x
 *      |/       |/
 *      0--------1                                                                                             */
typedef struct rw_coarse_mesh {
    int nvertices, nblocks, nsurfaces, ncurved;
    const double (*vertices)[3];
    const int (*blocks)[8];
    const rw_surface *surfaces;  /* NULL if there are none */
    const rw_on_surface *curved; /* likewise */
} rw_coarse_mesh;

typedef enum rw_mapping {
    RW_MAPPING_TRANSFINITE, /* points inside from the points of faces, theirs from edges (Gordon and Hall 1973) */
    RW_MAPPING_TRILINEAR    /* from the corners alone: straight edges, whatever the surfaces are */
} rw_mapping;

typedef struct rw_blocks_spec {
    rw_coarse_mesh mesh;      /* copied */
    int cells[3];             /* of every block along its axes */
    const int (*cells_of)[3]; /* (optional) of each block instead; NULL: `cells` */
    rw_mapping mapping;
} rw_blocks_spec;

typedef struct rw_blocks rw_blocks;

/* ERR_INPUT, with the numbers of blocks, vertices, cells: vertices that do not exist or occur twice in a block;
 * inverted or twisted blocks; a face of three blocks; neighbours with other numbers of cells on what they share; cells
 * that are inverted or twisted (a Jacobian at a corner that is not positive). ERR_ARGUMENT: no cells, too many
 * (2^31). */
RW_API rw_status rw_blocks_create(rw_context *ctx, const rw_blocks_spec *spec, rw_blocks **grid);
/* A box from the origin, one block. */
RW_API rw_status rw_blocks_box(rw_context *ctx, const double length[3], const int cells[3], rw_blocks **grid);
/* A cylinder around z from z = 0: a core with its corners at radius `core`, square across, and four blocks around it.
 * cells: along each quarter of the circle (so the core has cells[0] x cells[0] across), from the core to the surface,
 * along z. */
RW_API rw_status rw_blocks_cylinder(rw_context *ctx, double radius, double core, double length, const int cells[3],
                                    rw_blocks **grid);
/* The hexahedra of a mesh of Gmsh (MSH 2.2 or 4.1, ASCII) as blocks, each cut into `cells`. Faces on the boundary whose
 * corners all lie on one of the surfaces (within 1e-6 of its radius, of a custom one 1e-9 of the mesh's size) lie on
 * it; surfaces may be NULL. ERR_FILE, ERR_INPUT with the line, and as rw_blocks_create. */
RW_API rw_status rw_blocks_read_gmsh(rw_context *ctx, const char *path, const int cells[3], const rw_surface *surfaces,
                                     int nsurfaces, rw_blocks **grid);
RW_API void rw_blocks_destroy(rw_blocks **grid);

/* One block: its cells are first_cell + (k*cells[1] + j)*cells[0] + i. */
typedef struct rw_block {
    int corner[8]; /* vertices, as in the mesh */
    int cells[3];
    int64_t first_cell;
} rw_block;

RW_API int rw_blocks_count(const rw_blocks *grid);
RW_API rw_block rw_blocks_get(const rw_blocks *grid, int block);
RW_API int64_t rw_blocks_cells(const rw_blocks *grid);
RW_API int64_t rw_blocks_points(const rw_blocks *grid);
/* Coordinates of all points; they belong to the grid. */
RW_API const double (*rw_blocks_coordinates(const rw_blocks *grid))[3];
/* Number of a block's point; 0 <= i <= cells[0], and so on. */
RW_API int64_t rw_blocks_point(const rw_blocks *grid, int block, int i, int j, int k);
/* The eight points of a cell, in the order of a block's corners. */
RW_API void rw_blocks_cell_points(const rw_blocks *grid, int64_t cell, int64_t points[8]);
/* Where a cell is: its block and place there. */
RW_API int rw_blocks_find(const rw_blocks *grid, int64_t cell, int place[3]);

/* centres [cells][3]: means of the eight points; volumes [cells], exact for the trilinear cell; neighbours [cells][6]:
 * the cell across the sides x = 0, 1, y = 0, 1, z = 0, 1 of the cell's own axes, -1 at the boundary. ERR_MEMORY. */
RW_API rw_status rw_blocks_centres(const rw_blocks *grid, double (*centres)[3]);
RW_API rw_status rw_blocks_volumes(const rw_blocks *grid, double *volumes);
RW_API void rw_blocks_neighbours(const rw_blocks *grid, int32_t (*neighbours)[6]);

/* Local matrices of finite elements: [cells][p][q] <- integral over the cell of f(v = N_p, w = N_q), N the trilinear
 * functions of its eight points, by Gauss's rule with `gauss` (1 … 4) points an axis. An integrand sees the place, both
 * functions and their gradients. */
typedef double rw_integrand(void *user, const double x[3], double v, const double dv[3], double w, const double dw[3]);
/* v w */
RW_API double rw_integrand_mass(void *user, const double x[3], double v, const double dv[3], double w,
                                const double dw[3]);
/* grad v . grad w */
RW_API double rw_integrand_stiffness(void *user, const double x[3], double v, const double dv[3], double w,
                                     const double dw[3]);
RW_API rw_status rw_blocks_local(const rw_blocks *grid, rw_integrand *f, void *user, int gauss,
                                 double (*matrices)[8][8]);
/* values [cells] <- values times the sum over p, q of the cell's matrix: with the mass matrix, integrals of what is
 * constant in each cell. */
RW_API void rw_blocks_integrate(const rw_blocks *grid, const double (*matrices)[8][8], double *values);

/* A section across an axis, as a raster of n[0] x n[1] pixels over [lower, upper] of the two other axes, in their
 * order. cell[j*n[0] + i] becomes the cell that the pixel's middle lies in, -1 outside of the grid. */
typedef struct rw_blocks_slice {
    int axis;
    double at, lower[2], upper[2];
    int n[2];
} rw_blocks_slice;
RW_API rw_status rw_blocks_cut(const rw_blocks *grid, const rw_blocks_slice *slice, int64_t *cell);
/* The box around all points. */
RW_API void rw_blocks_extent(const rw_blocks *grid, double lower[3], double upper[3]);

/* ---- fields and expressions -------------------------------------------------------------------------------------- */

typedef enum rw_blocks_place { RW_BLOCKS_CELLS, RW_BLOCKS_POINTS } rw_blocks_place;

/* Where arrays of the grid lie that are made from now on, those of its words too (default: DEVICE). */
RW_API void rw_blocks_set_memory(rw_blocks *grid, rw_memory memory);
/* An array with a number for each cell or point. */
RW_API rw_status rw_blocks_array(const rw_blocks *grid, rw_device *device, rw_blocks_place place, rw_dtype dtype,
                                 rw_array **array);

/* A program of expressions whose fields are cell fields or point fields, as rw_expr_create; spec->grid is ignored.
 * Words beside those of the language, only read:
 *   x y z       centre of the cell, coordinates of the point
 *   volume      of the cell; of a point the eighth part of the cells around it, weighted by where the point lies: both
 *               add up to the grid's
 *   block       number of the cell's block (cells only)
 *   boundary    1 for cells with a side, for points on the boundary of the grid, else 0
 * laplace(e) works across blocks, for cells by finite volumes, for points by finite elements (docs/methods/blocks.md);
 * what its boundaries let in say spec->fields[].boundary, side 2d + s being that of a block's axis d: of cells NEAREST
 * (closed), NEUMANN, DIRICHLET with numbers, of points NEAREST, NEUMANN, ROBIN, which may depend on x, y, z. Other
 * differences along axes are refused.
 * Their arrays are made when a program first uses them and belong to the grid: destroy it before the device is closed,
 * and after its programs. */
RW_API rw_status rw_blocks_expr_create(rw_blocks *grid, rw_device *device, rw_blocks_place place,
                                       const rw_expr_spec *spec, rw_expr **expr);

#ifdef __cplusplus
}
#endif
#endif
