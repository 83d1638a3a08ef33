/* Internal to this folder: a checked specification with derived sizes, and the couplings of a row. */
#ifndef RW_MULTIBLOCK_H
#define RW_MULTIBLOCK_H

#include "device/device.h"
#include "rechenwerk/multiblock.h"

enum { RW_AXIS_X, RW_AXIS_THETA, RW_AXIS_R, RW_AXES };
enum { RW_COUPLINGS = 25, RW_UNKNOWNS = RW_MULTIBLOCK_UNKNOWNS, RW_AREA = RW_UNKNOWNS * RW_UNKNOWNS };

/* The offset of a neighbour, or of the cell itself. */
typedef struct rw_offset {
    int d[RW_AXES];
    int key;       /* 0 … 124, the same in all stencils */
    double scale;  /* 1 over its distance; 1 for the cell itself */
    uint32_t mask; /* bit 5 r + c: entry (r, c) is nonzero */
} rw_offset;

typedef struct rw_multiblock_grid {
    rw_multiblock_spec spec;                 /* with the default of blocks filled in */
    int64_t extended[RW_AXES], all[RW_AXES]; /* cells along an axis: of a grid block with ghosts, of the whole grid */
    int ghosts[RW_AXES];                     /* width of the layers: 2, or 0 */
    int64_t cells, extended_cells, blocks;   /* of a grid block, the same with ghosts; grid blocks */
    int noffsets, self;                      /* self: the offset that is the cell itself */
    rw_offset offset[RW_COUPLINGS];          /* in the order of the cells' numbers: r, then x, then theta */
} rw_multiblock_grid;

/* ERR_ARGUMENT: invalid specification. */
rw_status rw_multiblock_grid_make(rw_context *ctx, const rw_multiblock_spec *spec, rw_multiblock_grid *g);
/* ERR_MEMORY: the values alone exceed the device memory. */
rw_status rw_multiblock_check_memory(rw_device *dev, const rw_multiblock_spec *spec, int64_t block, rw_dtype values);
/* The first cell of a grid block in the whole grid. */
void rw_multiblock_origin(const rw_multiblock_grid *g, int64_t block, int64_t origin[RW_AXES]);
/* The cell at `cell` of the grid block that begins at `origin` (numbers outside are ghosts) is one of the whole grid;
 * *block and local: which one it is there. */
bool rw_multiblock_owner(const rw_multiblock_grid *g, const int64_t origin[RW_AXES], const int64_t cell[RW_AXES],
                         int64_t *block, int64_t local[RW_AXES]);
/* The cell with a given number, without or with ghost cells; false: it is a ghost cell. The other two return the number
 * of a cell. */
bool rw_multiblock_locate(const rw_multiblock_grid *g, int64_t number, bool extended, int64_t cell[RW_AXES]);
int64_t rw_multiblock_compact(const rw_multiblock_grid *g, const int64_t cell[RW_AXES]);
int64_t rw_multiblock_extended(const rw_multiblock_grid *g, const int64_t cell[RW_AXES]);

/* The rows of one matrix: of one grid block or of all. */
typedef struct rw_multiblock_scope {
    const rw_multiblock_grid *grid;
    rw_multiblock_index index;
    int64_t first, count;  /* grid blocks */
    int64_t rows, columns; /* of blocks, of each grid block */
} rw_multiblock_scope;
/* ERR_ARGUMENT: no such grid block, or a COMPACT index with couplings to ghost cells. */
rw_status rw_multiblock_scope_make(rw_context *ctx, const rw_multiblock_grid *g, int64_t block,
                                   rw_multiblock_index index, rw_multiblock_scope *s);

typedef struct rw_multiblock_row {
    int n;                        /* blocks; 0 for a ghost cell */
    int64_t cell[RW_AXES];        /* in the whole grid */
    int64_t column[RW_COUPLINGS]; /* ascending */
    uint32_t mask[RW_COUPLINGS];  /* their entries, as in rw_offset */
    int place[RW_COUPLINGS];      /* which of them an offset is, -1: it is dropped */
} rw_multiblock_row;
void rw_multiblock_row_find(const rw_multiblock_scope *s, int64_t row, rw_multiblock_row *found);
/* Values of its blocks, pairs, each block row after row. */
void rw_multiblock_row_values(const rw_multiblock_scope *s, const rw_multiblock_row *row, double (*value)[2 * RW_AREA]);

#endif
