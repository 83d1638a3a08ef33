/* Block-structured grids of hexahedra, with fields and expressions on them.
 *
 * A block-structured grid consists of blocks: the hexahedra of a coarse mesh, each divided into nx x ny x nz cells.
 * Blocks share vertices, edges and faces and may meet in any orientation. Cells at curved boundaries follow the true
 * surface.
 *
 *   rw_blocks *grid;
 *   rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){20, 20, 20}, &grid);     an O-grid: a core and four blocks around it
 *   double *volume = malloc(rw_blocks_cells(grid) * sizeof *volume);
 *   rw_blocks_volumes(grid, volume);
 *
 * Cell field: an array of one value per cell, block after block, x fastest within a block.
 * Point field: an array of one value per point: vertices first, then the interior points of edges, of faces and of
 *     blocks. A point that blocks share occurs once.
 * Lifetime: all input is copied. Destroy a grid after the programs created on it and before the devices they run on are
 *     closed.
 * Threads: a grid may be queried by several threads; rw_blocks_expr_create and programs on the grid one at a time.
 * Source: docs/methods/blocks.md. */
#ifndef RECHENWERK_BLOCKS_H
#define RECHENWERK_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "rechenwerk/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rw_surface_kind { RW_SURFACE_CYLINDER, RW_SURFACE_SPHERE, RW_SURFACE_CUSTOM } rw_surface_kind;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_surface_kind_name(rw_surface_kind value);
RW_API rw_status rw_surface_kind_parse(rw_context *context, const char *name, rw_surface_kind *value);

/* A true surface on which edges and faces of the mesh lie. Points of an edge are equally spaced in angle and along the
 * axis on a cylinder, and in angle on a sphere. On a custom surface they are the points of the straight edge,
 * projected. */
typedef struct rw_surface {
    rw_surface_kind kind;
    double centre[3], axis[3], radius;        /* axis: CYLINDER, of any nonzero length; radius: positive */
    void (*project)(void *user, double x[3]); /* CUSTOM: replaces x by the nearest point of the surface */
    void *user;
} rw_surface;

/* A curved edge (n = 2) or a curved face with its four edges (n = 4, vertices in any order). */
typedef struct rw_on_surface {
    int surface, n, vertex[4];
} rw_on_surface;

/* A coarse mesh. Corners of a block are numbered as in VTK and Gmsh; its axes go from corner 0 to 1, 0 to 3 and 0 to 4:
 *
 *        7--------6
 *       /|       /|
 *      4--------5 |      z y
 *      | |      | |      |/
 *      | 3------|-2      o--x
 *      |/       |/
 *      0--------1 */
typedef struct rw_coarse_mesh {
    int64_t nvertices, nblocks, nsurfaces, ncurved;
    const double (*vertices)[3];
    const int (*blocks)[8];
    const rw_surface *surfaces;  /* [nsurfaces]; NULL if there are none */
    const rw_on_surface *curved; /* [ncurved]; NULL if there are none */
} rw_coarse_mesh;

/* How interior points are computed. Source of TRANSFINITE: W. Gordon, C. Hall, Int. J. Numer. Methods Eng. 7, 1973. */
typedef enum rw_mapping {
    RW_MAPPING_TRANSFINITE, /* interior points of blocks from those of faces, these from edges */
    RW_MAPPING_TRILINEAR    /* all points from the corners; edges are straight, surfaces are ignored */
} rw_mapping;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_mapping_name(rw_mapping value);
RW_API rw_status rw_mapping_parse(rw_context *context, const char *name, rw_mapping *value);

/* Specification of a grid. Default of `mapping`: RW_MAPPING_TRANSFINITE. */
typedef struct rw_blocks_spec {
    rw_coarse_mesh mesh;      /* copied */
    int cells[3];             /* cells of every block along its axes, each at least 1 */
    const int (*cells_of)[3]; /* [nblocks] (optional) cells of each block, in place of `cells` */
    rw_mapping mapping;
} rw_blocks_spec;

typedef struct rw_blocks rw_blocks;

/* Creates a grid from a coarse mesh.
 * Errors: ERR_INPUT, with the indices of blocks, vertices or cells: coordinates that are not finite; a vertex that does
 *     not exist or occurs twice in a block; an inverted or twisted block; a face that belongs to three blocks;
 *     neighbouring blocks with different numbers of cells on a shared edge; a curved part that is no edge or face of a
 *     block; inverted or twisted cells, whose Jacobian is not positive at a corner. ERR_ARGUMENT: no blocks, fewer than
 *     8 vertices, fewer than 1 cell along an axis, more than 2^31 - 1 cells, an invalid surface; ERR_MEMORY.
 * Lifetime: the specification is copied. `project` is not called after the grid has been created. */
RW_API rw_status rw_blocks_create_sized(rw_context *ctx, const rw_blocks_spec *spec, rw_blocks **grid,
                                        size_t spec_size);
#define rw_blocks_create(...) rw_blocks_create_sized(__VA_ARGS__, sizeof(rw_blocks_spec))
/* Creates a box of one block with a corner in the origin. length, cells: along x, y, z.
 * Errors: those of rw_blocks_create; ERR_ARGUMENT: a length that is not positive. */
RW_API rw_status rw_blocks_box(rw_context *ctx, const double length[3], const int cells[3], rw_blocks **grid);
/* Creates a cylinder around the z axis, 0 <= z <= length, as an O-grid: a core of square cross-section with its corners
 * at radius `core`, and four blocks around it.
 * cells: along each quarter of the circle, from the core to the surface, and along z. The core has cells[0] x cells[0]
 *     cells across.
 * Errors: those of rw_blocks_create; ERR_ARGUMENT unless 0 < core < radius and 0 < length. */
RW_API rw_status rw_blocks_cylinder(rw_context *ctx, double radius, double core, double length, const int cells[3],
                                    rw_blocks **grid);
/* Creates a grid from a Gmsh file (MSH 2.2 or 4.1, ASCII). Each hexahedron becomes a block of `cells` cells. A boundary
 * face lies on the first of the surfaces that contains its four corners, within 1e-6 of the radius, or 1e-9 of the
 * extent of the mesh for a custom surface.
 * surfaces: NULL if nsurfaces is 0.
 * Errors: ERR_FILE; ERR_INPUT with the line; those of rw_blocks_create. */
RW_API rw_status rw_blocks_read_gmsh(rw_context *ctx, const char *path, const int cells[3], const rw_surface *surfaces,
                                     int64_t nsurfaces, rw_blocks **grid);
RW_API void rw_blocks_destroy(rw_blocks **grid);

/* A block. Cell (i, j, k) of the block has index first_cell + (k*cells[1] + j)*cells[0] + i in cell fields. */
typedef struct rw_block {
    int corner[8]; /* vertices, numbered as in rw_coarse_mesh */
    int cells[3];
    int64_t first_cell;
} rw_block;

/* Numbers of blocks, cells and points; a block by its index 0 … rw_blocks_count - 1. */
RW_API int64_t rw_blocks_count(const rw_blocks *grid);
RW_API rw_status rw_blocks_get_block(const rw_blocks *grid, int block, rw_block *info);
RW_API int64_t rw_blocks_cells(const rw_blocks *grid);
RW_API int64_t rw_blocks_points(const rw_blocks *grid);
/* Coordinates of all points, [points]. Lifetime: they belong to the grid. */
RW_API const double (*rw_blocks_coordinates(const rw_blocks *grid))[3];
/* Index of point (i, j, k) of a block in point fields; 0 <= i <= cells[0], and likewise for j and k. */
RW_API int64_t rw_blocks_point(const rw_blocks *grid, int block, int i, int j, int k);
/* The eight points of a cell, numbered as the corners of a block. */
RW_API void rw_blocks_cell_points(const rw_blocks *grid, int64_t cell, int64_t points[8]);
/* Returns the block that contains a cell; place: its indices (i, j, k) in the block. */
RW_API int rw_blocks_find(const rw_blocks *grid, int64_t cell, int place[3]);

/* Geometry of all cells.
 * centres: [cells][3], mean of the eight points.
 * volumes: [cells], exact for the trilinear cell.
 * neighbours: [cells][6], the cell across the sides x = 0, x = 1, y = 0, y = 1, z = 0, z = 1 of the cell's own axes, in
 *     the same or another block; -1 at the boundary.
 * Errors: ERR_MEMORY. */
RW_API rw_status rw_blocks_centres(const rw_blocks *grid, double (*centres)[3]);
RW_API rw_status rw_blocks_volumes(const rw_blocks *grid, double *volumes);
RW_API void rw_blocks_neighbours(const rw_blocks *grid, int32_t (*neighbours)[6]);

/* Integrand of an element matrix: x is the quadrature point, v and w are values of two shape functions, dv and dw their
 * gradients. */
typedef double rw_integrand(void *user, const double x[3], double v, const double dv[3], double w, const double dw[3]);
/* Mass matrix: v w. */
RW_API double rw_integrand_mass(void *user, const double x[3], double v, const double dv[3], double w,
                                const double dw[3]);
/* Stiffness matrix: grad v . grad w. */
RW_API double rw_integrand_stiffness(void *user, const double x[3], double v, const double dv[3], double w,
                                     const double dw[3]);
/* Element matrices of trilinear finite elements: matrices[cells][p][q] <- integral over the cell of f(v = N_p,
 * w = N_q). N_p is the shape function of point p of the cell, in the order of the corners of a block.
 * gauss: quadrature points per axis of the Gauss-Legendre rule, 1 … 4.
 * Errors: ERR_ARGUMENT: gauss; ERR_MEMORY.
 * Threads: f is called by several threads at once. */
RW_API rw_status rw_blocks_local(const rw_blocks *grid, rw_integrand *f, void *user, int gauss,
                                 double (*matrices)[8][8]);
/* values[cells] <- values times the sum of all entries of the cell's matrix. With the mass matrix this integrates a
 * function that is constant in each cell. */
RW_API void rw_blocks_integrate(const rw_blocks *grid, const double (*matrices)[8][8], double *values);

/* A cross-section normal to an axis (0, 1, 2), at coordinate `at`. It is sampled on a raster of n[0] x n[1] pixels over
 * the rectangle [lower, upper] of the other two axes in ascending order. */
typedef struct rw_blocks_slice {
    int axis;
    double at, lower[2], upper[2];
    int n[2];
} rw_blocks_slice;
/* Finds the cells of a cross-section: cell[j*n[0] + i] becomes the cell that contains the centre of pixel (i, j), or -1
 * outside the grid.
 * Errors: ERR_ARGUMENT: axis, n, an empty rectangle; ERR_MEMORY. */
RW_API rw_status rw_blocks_cut(const rw_blocks *grid, const rw_blocks_slice *slice, int64_t *cell);
/* Bounding box of all points. */
RW_API void rw_blocks_extent(const rw_blocks *grid, double lower[3], double upper[3]);

/* ---- fields and expressions -------------------------------------------------------------------------------------- */

typedef enum rw_blocks_place { RW_BLOCKS_CELLS, RW_BLOCKS_POINTS } rw_blocks_place;

/* Sets the kind of memory for arrays that are created later, those of the built-in fields included (default:
 * DEVICE). */
RW_API void rw_blocks_set_memory(rw_blocks *grid, rw_memory memory);
/* Creates an array of one value per cell or point, of shape (cells) or (points). Errors: those of rw_array_create. */
RW_API rw_status rw_blocks_array(const rw_blocks *grid, rw_device *device, rw_blocks_place place, rw_dtype dtype,
                                 rw_array **array);

/* Creates an expression program whose fields are cell fields or point fields, as rw_expr_create does. spec->grid is
 * ignored; spec->externals must be empty.
 * Built-in fields of the grid, read-only, in addition to the words of the language:
 *   x y z       centre of the cell, coordinates of the point
 *   volume      volume of the cell; of a point, the integral of its shape function. Both sum to the volume of the grid
 *   block       index of the cell's block (cells only)
 *   boundary    1 for cells with a side, and for points, on the boundary of the grid; otherwise 0
 * laplace(e) acts across blocks: for cells by finite volumes, for points by finite elements with lumped mass. Other
 * differences along axes are refused.
 * Boundary conditions: spec->fields[].boundary. Side 2d + s is the lower (s = 0) or upper (s = 1) side of a block's
 *     axis d. Cells: NEAREST (zero flux), NEUMANN, DIRICHLET, with values that do not depend on x, y, z. Points:
 *     NEAREST, NEUMANN, ROBIN, whose values may depend on x, y, z.
 * Errors: those of rw_expr_create; ERR_ARGUMENT: spec->externals is not empty.
 * Lifetime: the arrays of built-in fields and of the Laplacian are created when a program first uses them. The grid and
 *     its programs retain them, and with them the device; objects may be destroyed in any order. */
RW_API rw_status rw_blocks_expr_create_sized(rw_blocks *grid, rw_device *device, rw_blocks_place place,
                                             const rw_expr_spec *spec, rw_expr **expr, size_t spec_size,
                                             size_t field_size, size_t scalar_size, size_t external_size,
                                             size_t function_size);
#define rw_blocks_expr_create(...)                                                                                     \
    rw_blocks_expr_create_sized(__VA_ARGS__, sizeof(rw_expr_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar),      \
                                sizeof(rw_expr_external), sizeof(rw_expr_function))

#ifdef __cplusplus
}
#endif
#endif
