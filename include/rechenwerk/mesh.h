/* Hexahedral meshes: block-structured grids with fields and expressions on them, the matrices of multi-block structured
 * grids of a time-linearised flow solver, and grids in CGNS files. */
#ifndef RECHENWERK_MESH_H
#define RECHENWERK_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/expr.h"
#include "rechenwerk/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block-structured grids -------------------------------------------------------------------------------------- */

/* A block-structured grid consists of blocks: the hexahedra of a coarse mesh, each divided into nx x ny x nz cells.
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

/* ---- multi-block structured grids -------------------------------------------------------------------------------- */

/* Matrices of multi-block structured grids of a time-linearised flow solver: generated test matrices with blocks of
 * 5 x 5, their preparation for kernels, and the operator of all grid blocks in one process, with the exchange of ghost
 * cells on the device.
 *
 *   rw_multiblock_spec grid = {
 *       .cells = {10, 40, 20}, .blocks = {8, 1, 1}, .mode = RW_MULTIBLOCK_INNER, .periodic = true};
 *   rw_multiblock_create(dev, &grid, &layout, &op);                          8 grid blocks along x
 *   rw_multiblock_vector(op, RW_C128, &x), rw_multiblock_vector(op, RW_C128, &y);
 *   rw_multiblock_multiply(op, NULL, x, NULL, y, rw_device_queue(dev));      ghosts of x, then y <- A x in each block
 *   rw_multiblock_operator(op, RW_C128, &A);                                 for a solver:
 *   rw_krylov_create(A, RW_C128, &spec, &solver);
 *
 * The grid is a product of the axes x, theta and r, always named in this order, and is divided into equal grid blocks.
 * A cell has five unknowns; the coupling of two cells is a block of 5 x 5 entries. Cells are numbered with theta
 * fastest, then x, then r.
 * Ghost cells surround each grid block in two layers along the axes that the stencil couples. Inner ghost cells are
 * copies of cells of neighbouring grid blocks; outer ghost cells lie outside the whole grid.
 * Source: docs/methods/multiblock.md. */

enum { RW_MULTIBLOCK_UNKNOWNS = 5, RW_MULTIBLOCK_ALL = -1 };

/* name, text, axes, cells, one line */
/* clang-format off */
#define RW_MULTIBLOCK_STENCIL_LIST(X)                                                                                  \
    X(EULER3D, "euler3d", 3, 13, "the cell and the next two along each axis and direction")                            \
    X(EULER2D, "euler2d", 2, 9, "the same along x and theta only: nr is 1")                                            \
    X(NS2D, "ns2d", 2, 13, "euler2d and the diagonal neighbours")                                                      \
    X(NS3D, "ns3d", 3, 25, "all cells at most two steps away")
/* clang-format on */

typedef enum rw_multiblock_stencil {
#define RW_X(name, text, axes, cells, line) RW_MULTIBLOCK_##name,
    RW_MULTIBLOCK_STENCIL_LIST(RW_X)
#undef RW_X
        RW_MULTIBLOCK_STENCILS
} rw_multiblock_stencil;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_multiblock_stencil_name(rw_multiblock_stencil value);
RW_API rw_status rw_multiblock_stencil_parse(rw_context *context, const char *name, rw_multiblock_stencil *value);

/* Couplings to cells outside the grid block: name, text, one line */
/* clang-format off */
#define RW_MULTIBLOCK_MODE_LIST(X)                                                                                     \
    X(TRUNCATED, "truncated", "none is kept: each grid block stands alone")                                            \
    X(INNER, "inner",                                                                                                  \
      "those to cells of other grid blocks (and across the periodic border) are kept: the operator of the whole grid") \
    X(FULL, "full", "all are kept; the caller supplies the outer ghost values")
/* clang-format on */

typedef enum rw_multiblock_mode {
#define RW_X(name, text, line) RW_MULTIBLOCK_##name,
    RW_MULTIBLOCK_MODE_LIST(RW_X)
#undef RW_X
        RW_MULTIBLOCK_MODES
} rw_multiblock_mode;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_multiblock_mode_name(rw_multiblock_mode value);
RW_API rw_status rw_multiblock_mode_parse(rw_context *context, const char *name, rw_multiblock_mode *value);

/* Numbering of rows and columns: name, text, one line */
/* clang-format off */
#define RW_MULTIBLOCK_INDEX_LIST(X)                                                                                    \
    X(COMPACT, "compact", "neither rows nor columns count ghost cells: a square matrix for solvers")                   \
    X(EXTENDED, "extended", "rows and columns count ghost cells too; their rows are empty")                            \
    X(STORED, "stored", "rows without ghost cells, columns with them: what is left after preparation")
/* clang-format on */

typedef enum rw_multiblock_index {
#define RW_X(name, text, line) RW_MULTIBLOCK_##name,
    RW_MULTIBLOCK_INDEX_LIST(RW_X)
#undef RW_X
        RW_MULTIBLOCK_INDICES
} rw_multiblock_index;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_multiblock_index_name(rw_multiblock_index value);
RW_API rw_status rw_multiblock_index_parse(rw_context *context, const char *name, rw_multiblock_index *value);

/* Specification of a grid. A zeroed member has its default; `cells` is required. As text:
 * "cells=10x40x20:blocks=8:ns3d:full:periodic:complex:omega=0.1".
 * Limits: 1e12 cells and 1e6 grid blocks in all; one cell along r for stencils of two axes; omega = 0 for real
 *     matrices. */
typedef struct rw_multiblock_spec {
    int64_t cells[3];              /* cells of one grid block along x, theta, r; each 1 … 1,000,000 */
    int64_t blocks[3];             /* grid blocks along x, theta, r (default: 1x1x1) */
    rw_multiblock_stencil stencil; /* (default: euler3d) */
    rw_multiblock_mode mode;       /* (default: truncated) */
    bool periodic;                 /* the first and the last cells along theta are neighbours (as text: periodic) */
    bool is_complex;               /* complex values (as text: complex) */
    /* the diagonal of a complex matrix has the term i omega V; V is the volume of the cell divided by the mean volume
     * (default: 0) */
    double omega;
    uint64_t seed; /* seed of the random values, 0 … 2^53 (default: 0) */
    bool zeros;    /* blocks have structural zeros: 54 of the 65 entries of a 3D Euler row are stored */
} rw_multiblock_spec;

/* The parameter table of rw_multiblock_spec. */
RW_API const rw_params *rw_multiblock_params(void);

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Sizes of the matrix of one grid block, or of all of them (RW_MULTIBLOCK_ALL). */
typedef struct rw_multiblock_size {
    int64_t grid_blocks;   /* grid blocks of the whole grid */
    int64_t cells;         /* cells without ghost cells */
    int64_t extended;      /* cells with ghost cells */
    int64_t rows, columns; /* rows and columns of the matrix: 5 per cell that the index counts */
    int64_t blocks;        /* blocks of 5 x 5 entries */
    int64_t values;        /* stored values, 25 per block */
    int64_t entries;       /* values that are not structurally zero */
    int64_t vector;        /* length of a vector with ghost cells */
    int64_t value_bytes;   /* bytes of the stored values in the given type */
    /* bytes of the indices of bcsr, 4 each: a column per block, a start per row and one more; STORED: also the cell of
     * each row */
    int64_t index_bytes;
} rw_multiblock_size;
/* Computes the sizes; nothing is allocated.
 * block: 0 … grid blocks - 1, with x fastest, then theta, then r; or RW_MULTIBLOCK_ALL: all grid blocks, one after
 *     another.
 * index: COMPACT is possible only if no coupling leads to a ghost cell: mode TRUNCATED, or mode INNER for all grid
 *     blocks.
 * Errors: ERR_ARGUMENT: an invalid specification, block or index. */
RW_API rw_status rw_multiblock_measure_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                             rw_multiblock_index index, rw_dtype values, rw_multiblock_size *size,
                                             size_t spec_size, size_t size_size);
#define rw_multiblock_measure(...)                                                                                     \
    rw_multiblock_measure_sized(__VA_ARGS__, sizeof(rw_multiblock_spec), sizeof(rw_multiblock_size))

/* Index of a cell, ghost cells counted: theta + g + (ntheta + 2 g)(x + g + (nx + 2 g)(r + h)). g = 2 is the number of
 * ghost layers; along r it is h = 2 for stencils of three axes, otherwise h = 0.
 * x, theta: -g … n + g - 1; r: -h … n + h - 1; the cells of the grid block are 0 … n - 1. */
RW_API int64_t rw_multiblock_cell_sized(const rw_multiblock_spec *spec, int64_t x, int64_t theta, int64_t r,
                                        size_t spec_size);
#define rw_multiblock_cell(...) rw_multiblock_cell_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Creates the sparsity pattern of the matrix of a grid block, or of all (RW_MULTIBLOCK_ALL). Free it with
 * rw_multiblock_free.
 * layout: NULL for blocks of 5 x 5. Otherwise the pattern is what rw_sparse_estimate and rw_sparse_create expect for
 *     this layout: single entries without structural zeros for formats without blocks, with block sizes for VBCSR.
 * Errors: ERR_ARGUMENT: those of rw_multiblock_measure, blocks other than 5 x 5; ERR_MEMORY. */
RW_API rw_status rw_multiblock_pattern_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                             rw_multiblock_index index, const rw_sparse_layout *layout,
                                             rw_sparse_blocks *pattern, size_t spec_size);
#define rw_multiblock_pattern(...) rw_multiblock_pattern_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))
/* Frees the arrays of a pattern that rw_multiblock_pattern, rw_multiblock_trace or rw_multiblock_prepare has
 * created. */
RW_API void rw_multiblock_free(rw_sparse_blocks *pattern);

/* Creates the matrix of a grid block, or of all, with its values. A value is a function of the seed, the cell of the
 * whole grid, the offset of the coupling and the entry: it is the same in all layouts, modes and divisions of the grid,
 * and on every machine.
 * layout: required; blocks of 5 x 5 in formats with blocks. A real specification may have a complex layout.
 * Memory, in addition to the matrix: its pattern (8 bytes per block, or per entry in formats without blocks) and a
 *     buffer of up to 8 MB. Values are assembled in place.
 * Errors: those of rw_multiblock_pattern and rw_sparse_create; ERR_ARGUMENT: a complex specification with a real
 *     layout; ERR_MEMORY: the values exceed the memory of the device. */
RW_API rw_status rw_multiblock_assemble_sized(rw_device *device, const rw_multiblock_spec *spec, int64_t block,
                                              rw_multiblock_index index, const rw_sparse_layout *layout,
                                              rw_sparse **matrix, size_t spec_size);
#define rw_multiblock_assemble(...) rw_multiblock_assemble_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* ---- preparation ------------------------------------------------------------------------------------------------- */

/* Marks a ghost cell in the row starts: it has no row. */
typedef enum rw_multiblock_placeholder {
    RW_MULTIBLOCK_EMPTY,    /* its start equals the next one */
    RW_MULTIBLOCK_SENTINEL, /* its start is -1 */
} rw_multiblock_placeholder;

/* Creates the pattern of a grid block in the form that the flow solver uses: index EXTENDED with placeholders. Free it
 * with rw_multiblock_free. Row starts of -1 (SENTINEL) are not accepted by rw_sparse_create.
 * Errors: those of rw_multiblock_pattern. */
RW_API rw_status rw_multiblock_trace_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                           rw_multiblock_placeholder placeholder, rw_sparse_blocks *trace,
                                           size_t spec_size);
#define rw_multiblock_trace(...) rw_multiblock_trace_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* Removes the placeholders, of both kinds, from the row starts. *stored has the remaining rows; (*row)[i] is the row of
 * `trace` that became row i. Columns are unchanged. Free *stored with rw_multiblock_free and *row with rw_free.
 * Errors: ERR_ARGUMENT with the row: starts that descend, negative starts other than -1, a last start that is not the
 *     number of blocks, columns out of range or not ascending; ERR_MEMORY. */
RW_API rw_status rw_multiblock_prepare(rw_context *context, const rw_sparse_blocks *trace, rw_sparse_blocks *stored,
                                       int64_t **row);

/* ---- the operator of all grid blocks ----------------------------------------------------------------------------- */

typedef struct rw_multiblock rw_multiblock;

/* Creates the operator: the matrix of each grid block with index EXTENDED in this layout, and the lists of the
 * exchange, on the device. bell and ell also store padding for the rows of ghost cells; bcsr, and bsell with the option
 * s1000000, do not.
 * Errors: those of rw_multiblock_assemble.
 * Lifetime: the operator retains the device.
 * Threads: one at a time. */
RW_API rw_status rw_multiblock_create_sized(rw_device *device, const rw_multiblock_spec *spec,
                                            const rw_sparse_layout *layout, rw_multiblock **op, size_t spec_size);
#define rw_multiblock_create(...) rw_multiblock_create_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))
RW_API void rw_multiblock_destroy(rw_multiblock **op);
/* The matrix of a grid block, or NULL if there is no such grid block. Lifetime: it belongs to the operator. */
RW_API rw_sparse *rw_multiblock_matrix(rw_multiblock *op, int64_t block);
RW_API const rw_multiblock_spec *rw_multiblock_get_spec(const rw_multiblock *op);

/* Creates a vector of zeros: all grid blocks one after another, ghost cells included. Unknown u of cell c
 * (rw_multiblock_cell) of grid block b is entry 5 (b extended + c) + u, with `extended` cells per grid block.
 * Errors: ERR_ARGUMENT: the type is not F32, F64, C64 or C128; ERR_MEMORY. */
RW_API rw_status rw_multiblock_vector(rw_multiblock *op, rw_dtype type, rw_array **vector);
/* Copies cells of neighbouring grid blocks to the inner ghost cells of x that the stencil reaches, in one launch. Mode
 * TRUNCATED has none. Outer ghost cells are unchanged.
 * Errors: ERR_ARGUMENT: x is not a vector of the operator; ERR_COMPILE, ERR_MEMORY: with the first vector of a type. */
RW_API rw_status rw_multiblock_exchange(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* Sets the same ghost cells to 0, so that reductions over a vector count each cell once.
 * Errors: those of rw_multiblock_exchange. */
RW_API rw_status rw_multiblock_clear(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* Exchanges the ghost cells of x, then computes y <- alpha A x + beta y in each grid block. Ghost cells of y are
 * multiplied by beta. x and y: different vectors of one type; alpha, beta: as in rw_operator_multiply (NULL: 1 and 0).
 * After the first call for vectors of a type it only launches kernels and may be recorded.
 * Errors: ERR_ARGUMENT: vectors, types, a complex factor for real vectors; ERR_COMPILE, ERR_MEMORY. */
RW_API rw_status rw_multiblock_multiply(rw_multiblock *op, const double alpha[2], rw_array *x, const double beta[2],
                                        rw_array *y, rw_queue *queue);

/* Creates the operator of the whole grid for solvers, for vectors of rw_multiblock_vector of this type. The ghost cells
 * of right-hand sides and initial guesses must be 0; those of solutions are then 0. In mode FULL outer ghost cells are
 * also 0. The preconditioners jacobi and chebyshev are available; transposes are not supported.
 * Errors: ERR_ARGUMENT: a type other than F32, F64, C64, C128, a real type for complex matrices; ERR_MEMORY.
 * Lifetime: *whole retains `op`. */
RW_API rw_status rw_multiblock_operator(rw_multiblock *op, rw_dtype type, rw_operator **whole);

/* ---- CGNS files -------------------------------------------------------------------------------------------------- */

/* Grids of flow solvers in CGNS files. Link librechenwerk-run. */

/* Reads cells, grid blocks and periodicity from a CGNS file into *spec; the other members are unchanged. The file must
 * contain structured zones of equal size that fill a regular arrangement, i along x, j along theta, k along r, joined
 * by 1-to-1 interfaces of whole faces. theta is periodic if its ends have interfaces.
 * Errors: ERR_INPUT: another kind of grid, or a grid that does not suit the stencil; ERR_UNSUPPORTED: librechenwerk-run
 *     was built without libcgns; ERR_FILE; ERR_MEMORY. *spec is then unchanged. */
RW_API rw_status rw_multiblock_read_cgns_sized(rw_context *context, const char *path, rw_multiblock_spec *spec,
                                               size_t spec_size);
#define rw_multiblock_read_cgns(...) rw_multiblock_read_cgns_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

#ifdef __cplusplus
}
#endif
#endif
