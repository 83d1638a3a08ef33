/* Meshes of hexahedra: block-structured grids, the multi-block structured grids of a time-linearised flow solver, and
 * grids in CGNS files. */
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
RW_API rw_status rw_blocks_create_sized(rw_context *ctx, const rw_blocks_spec *spec, rw_blocks **grid,
                                        size_t spec_size);
#define rw_blocks_create(...) rw_blocks_create_sized(__VA_ARGS__, sizeof(rw_blocks_spec))
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
RW_API rw_status rw_blocks_get_block(const rw_blocks *grid, int block, rw_block *info);
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
RW_API rw_status rw_blocks_expr_create_sized(rw_blocks *grid, rw_device *device, rw_blocks_place place,
                                             const rw_expr_spec *spec, rw_expr **expr, size_t spec_size,
                                             size_t field_size, size_t scalar_size, size_t given_size,
                                             size_t function_size);
#define rw_blocks_expr_create(...) rw_blocks_expr_create_sized(__VA_ARGS__, RW_EXPR_SIZES_)

/* ---- multi-block structured grids -------------------------------------------------------------------------------- */

/* Multi-block structured grids of a time-linearised flow solver: matrices of 5 x 5 blocks like the solver's, made from
 * a few numbers; their preparation for kernels; and the operator of all grid blocks in one process, with the exchange
 * of ghost cells on the device.
 *
 *   rw_multiblock_spec grid = {
 *       .cells = {10, 40, 20}, .blocks = {8, 1, 1}, .mode = RW_MULTIBLOCK_INNER, .periodic = true};
 *   rw_multiblock_create(dev, &grid, &layout, &op);                          8 grid blocks along x
 *   rw_multiblock_vector(op, RW_C128, &x), rw_multiblock_vector(op, RW_C128, &y);
 *   rw_multiblock_multiply(op, NULL, x, NULL, y, rw_device_queue(dev));      ghosts of x, then y <- A x in each block
 *   rw_multiblock_operator(op, RW_C128, &A);                                 for a solver:
 *   rw_krylov_create(A, RW_C128, &spec, &solver);
 *
 * The grid is x times theta times r, cut into equal grid blocks. A cell has five unknowns, a coupling of two cells is a
 * block of 5 x 5. Around each grid block lie ghost cells, two wide, along the axes that the stencil couples: inner
 * ones, which are cells of neighbours, and outer ones, where the grid ends. Cells are numbered with theta fastest, then
 * x, then r. Axes are always named in the order x, theta, r. Source: docs/methods/multiblock.md. */

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

/* What becomes of couplings that leave the grid block: name, text, one line */
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

/* How cells are numbered: name, text, one line */
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

RW_API const char *rw_multiblock_stencil_name(rw_multiblock_stencil stencil);
RW_API const char *rw_multiblock_mode_name(rw_multiblock_mode mode);
RW_API const char *rw_multiblock_index_name(rw_multiblock_index index);

/* 0 is the default of every member but `cells`. As text:
 * "cells=10x40x20:blocks=8:ns3d:full:periodic:complex:omega=0.1". */
typedef struct rw_multiblock_spec {
    int64_t cells[3];              /* of one grid block along x, theta, r; each 1 … 1,000,000 */
    int64_t blocks[3];             /* grid blocks along x, theta, r (default: 1x1x1) */
    rw_multiblock_stencil stencil; /* (default: euler3d) */
    rw_multiblock_mode mode;       /* (default: truncated) */
    bool periodic;                 /* the first and the last cells along theta are neighbours */
    bool is_complex;               /* as text: complex */
    /* i omega V on the diagonal of a complex matrix, V the volume of the cell (default: 0) */
    double omega;
    uint64_t seed; /* of the random values (default: 0) */
    bool zeros;    /* blocks have structural zeros: 54 of 65 entries of an Euler row in 3D are there */
} rw_multiblock_spec;

/* Rows of rw_multiblock_spec. */
RW_API const rw_params *rw_multiblock_params(void);

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Of a grid block, or of all (RW_MULTIBLOCK_ALL); nothing is allocated to know it. */
typedef struct rw_multiblock_size {
    int64_t grid_blocks;   /* of the whole grid */
    int64_t cells;         /* without ghosts */
    int64_t extended;      /* with ghosts */
    int64_t rows, columns; /* of the matrix, 5 a cell that the index counts */
    int64_t blocks;        /* couplings: 5 x 5 blocks of the matrix */
    int64_t values;        /* numbers in them, 25 each */
    int64_t entries;       /* of those that are not structurally zero */
    int64_t vector;        /* numbers of a vector with ghosts */
    int64_t value_bytes;   /* of the values in the type asked for */
    /* of bcsr, 4 each: a column a block, a start a row and one more; for STORED the number of each row too */
    int64_t index_bytes;
} rw_multiblock_size;
/* block: 0 … grid blocks - 1, x fastest, then theta, then r; or RW_MULTIBLOCK_ALL: the grid blocks one after the
 * other. COMPACT needs that no coupling leads to a ghost: mode TRUNCATED, or INNER of ALL grid blocks. ERR_ARGUMENT: a
 * specification, block or index that is wrong. */
RW_API rw_status rw_multiblock_measure_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                             rw_multiblock_index index, rw_dtype values, rw_multiblock_size *size,
                                             size_t spec_size, size_t size_size);
#define rw_multiblock_measure(...)                                                                                     \
    rw_multiblock_measure_sized(__VA_ARGS__, sizeof(rw_multiblock_spec), sizeof(rw_multiblock_size))

/* Number of a cell with ghosts: theta + g + (ntheta + 2 g)(x + g + (nx + 2 g)(r + h)); g = 2 ghost cells, h = 2 along r
 * where the stencil has three axes, else 0. x, theta, r: from -g … n + g - 1, the cells of the grid block from 0. */
RW_API int64_t rw_multiblock_cell_sized(const rw_multiblock_spec *spec, int64_t x, int64_t theta, int64_t r,
                                        size_t spec_size);
#define rw_multiblock_cell(...) rw_multiblock_cell_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Where the matrix of a grid block, or of all, has blocks. With a layout it is the pattern that this layout takes
 * (rw_sparse_estimate, rw_sparse_create): single entries without structural zeros for formats without blocks, sizes for
 * VBCSR; NULL: blocks of 5 x 5. ERR_ARGUMENT; ERR_MEMORY. */
RW_API rw_status rw_multiblock_pattern_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                             rw_multiblock_index index, const rw_sparse_layout *layout,
                                             rw_sparse_blocks *pattern, size_t spec_size);
#define rw_multiblock_pattern(...) rw_multiblock_pattern_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))
RW_API void rw_multiblock_free(rw_sparse_blocks *pattern);

/* The matrix with its values, put block by block where they stay: beside the matrix there is its pattern (8 bytes a
 * block, in formats without blocks an entry) and a piece of at most 8 MB. Values follow from (seed, cell of the whole
 * grid, offset, entry): they are the same in all layouts, modes and cuts of the grid, and on every machine. Layouts
 * with blocks have 5 x 5 ones. A real specification may go into a complex layout. ERR_ARGUMENT, ERR_MEMORY as of
 * rw_sparse_create. */
RW_API rw_status rw_multiblock_assemble_sized(rw_device *device, const rw_multiblock_spec *spec, int64_t block,
                                              rw_multiblock_index index, const rw_sparse_layout *layout,
                                              rw_sparse **matrix, size_t spec_size);
#define rw_multiblock_assemble(...) rw_multiblock_assemble_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* ---- preparation ------------------------------------------------------------------------------------------------- */

/* How a row start says that a ghost cell has no row. */
typedef enum rw_multiblock_placeholder {
    RW_MULTIBLOCK_EMPTY,    /* it equals the next start */
    RW_MULTIBLOCK_SENTINEL, /* it is -1 */
} rw_multiblock_placeholder;

/* The solver's own form of a grid block's matrix: EXTENDED with placeholders. Not for rw_sparse_create where they are
 * -1. To be freed with rw_multiblock_free. */
RW_API rw_status rw_multiblock_trace_sized(rw_context *context, const rw_multiblock_spec *spec, int64_t block,
                                           rw_multiblock_placeholder placeholder, rw_sparse_blocks *trace,
                                           size_t spec_size);
#define rw_multiblock_trace(...) rw_multiblock_trace_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

/* Removes placeholders, of both kinds: *stored has the rows that are left, (*row)[i] is the number that row i had.
 * Columns stay as they are. stored->first, column and *row are new; free them with rw_multiblock_free and free().
 * ERR_ARGUMENT with the row: starts that descend, negative ones other than -1, a last one that is no number of blocks,
 * columns outside or not ascending; ERR_MEMORY. */
RW_API rw_status rw_multiblock_prepare(rw_context *context, const rw_sparse_blocks *trace, rw_sparse_blocks *stored,
                                       int64_t **row);

/* ---- the operator of all grid blocks ----------------------------------------------------------------------------- */

typedef struct rw_multiblock rw_multiblock;

/* A matrix a grid block, EXTENDED, in this layout (bell and ell pad ghost rows too: bcsr and bsell:…:s1000000 do not).
 * Matrices and the exchange's lists are brought to the device. Errors as of rw_multiblock_assemble. */
RW_API rw_status rw_multiblock_create_sized(rw_device *device, const rw_multiblock_spec *spec,
                                            const rw_sparse_layout *layout, rw_multiblock **op, size_t spec_size);
#define rw_multiblock_create(...) rw_multiblock_create_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))
RW_API void rw_multiblock_destroy(rw_multiblock **op);
/* The matrix of a grid block; it belongs to the operator. NULL: there is none of that number. */
RW_API rw_sparse *rw_multiblock_matrix(rw_multiblock *op, int64_t block);
RW_API const rw_multiblock_spec *rw_multiblock_get_spec(const rw_multiblock *op);

/* A vector of all grid blocks, one after the other, with ghosts, of zeros: unknown u of cell c of grid block b is
 * number 5 (b extended + c) + u. */
RW_API rw_status rw_multiblock_vector(rw_multiblock *op, rw_dtype type, rw_array **vector);
/* The inner ghosts of x that the stencil reaches become the values of the cells they stand for; one launch. In mode
 * TRUNCATED there are none. The outer ones stay as they are. ERR_ARGUMENT: x is no such vector. */
RW_API rw_status rw_multiblock_exchange(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* These ghosts become 0, so that sums over a vector count each cell once. */
RW_API rw_status rw_multiblock_clear(rw_multiblock *op, rw_array *x, rw_queue *queue);
/* Exchange of x, then y <- alpha A x + beta y in each grid block; ghosts of y become beta times what they were (0 where
 * beta is NULL). alpha, beta and types as in rw_sparse_multiply. Launches only, once it has run for vectors of this
 * type: it may be recorded. */
RW_API rw_status rw_multiblock_multiply(rw_multiblock *op, const double alpha[2], rw_array *x, const double beta[2],
                                        rw_array *y, rw_queue *queue);

/* The operator as solvers take it, for vectors of rw_multiblock_vector and this type: right-hand sides and first
 * guesses whose ghosts are 0, as those of the solution are then. In mode FULL outer ghosts are 0 too. jacobi and
 * chebyshev have its diagonal. `op` stays the caller's and must outlive it. ERR_ARGUMENT: a type that is none, or
 * real for complex matrices; ERR_MEMORY. */
RW_API rw_status rw_multiblock_operator(rw_multiblock *op, rw_dtype type, rw_operator **whole);

/* ---- CGNS files -------------------------------------------------------------------------------------------------- */

/* Grids of flow solvers in CGNS files. Link librechenwerk-run. */

/* Sets cells, grid blocks and periodicity from a CGNS file: structured zones of equal size, i along x, j along theta, k
 * along r, that lie side by side, joined by 1-to-1 interfaces of whole faces; theta is periodic where its ends have
 * interfaces. The rest of *spec stays. ERR_INPUT: another kind of grid, or one that does not suit the stencil;
 * ERR_UNSUPPORTED: librechenwerk-run was built without libcgns; ERR_FILE; ERR_MEMORY. */
RW_API rw_status rw_multiblock_read_cgns_sized(rw_context *context, const char *path, rw_multiblock_spec *spec,
                                               size_t spec_size);
#define rw_multiblock_read_cgns(...) rw_multiblock_read_cgns_sized(__VA_ARGS__, sizeof(rw_multiblock_spec))

#ifdef __cplusplus
}
#endif
#endif
