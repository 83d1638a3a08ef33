/* The kernels of the study spmv: products y <- A x of all grid blocks of a multi-block grid as F. Kautz (2011) made
 * them, and our own to compare with them.
 *
 *   rw_spmv_source_create(ctx, &grid, RW_SPMV_CC, false, &source);           BCSR of each grid block, on the host
 *   rw_spmv_create(dev, source, rw_spmv_find("bell"), &options, &p);         its layout, on the device
 *   rw_spmv_multiply(p, true);                                               x there and y back, as in the document
 *
 * The table of products is spmv.def. */
#ifndef RW_LAB_SPMV_KERNELS_H
#define RW_LAB_SPMV_KERNELS_H

#include "device/device.h"
#include "lab/windows.h"
#include "rechenwerk/multiblock.h"

/* the document's test cases, items of a group, GPUs */
enum { RW_SPMV_CASES = 6, RW_SPMV_GROUP = 256, RW_SPMV_DEVICES = 2 };

/* Matrix times vector: both complex, real times complex, both real. */
typedef enum rw_spmv_kind { RW_SPMV_CC, RW_SPMV_RC, RW_SPMV_RR } rw_spmv_kind;
rw_dtype rw_spmv_dtype(bool is_complex, bool f64);
typedef enum rw_spmv_layout {
    RW_SPMV_BCSR,
    RW_SPMV_PERMUTED,
    RW_SPMV_ELL,
    RW_SPMV_BELL,
    RW_SPMV_BELL_BY_ROWS,
    RW_SPMV_OURS
} rw_spmv_layout;
typedef enum rw_spmv_item { RW_SPMV_BLOCK, RW_SPMV_BLOCK_ROW, RW_SPMV_ROW, RW_SPMV_CELL } rw_spmv_item;
enum {
    RW_SPMV_SENT = 1,   /* everything goes to the device in each call */
    RW_SPMV_ZEROED = 2, /* y is set to 0 by a kernel; without it y goes to the device as x does */
    RW_SPMV_CUT = 4,    /* rows are cut into sections */
    RW_SPMV_WINDOW = 8, /* x in memory of the group */
    RW_SPMV_CUDA = 16   /* only there */
};

typedef struct rw_spmv_method {
    const char *name, *title; /* "bcsr-v1a"; as the document has it */
    rw_spmv_layout layout;
    rw_spmv_item item;
    const char *kernel, *reduction; /* NULL: none */
    unsigned flags;
    int reads, registers, reduction_registers;
    double published[RW_SPMV_DEVICES][RW_SPMV_CASES];
} rw_spmv_method;
extern const rw_spmv_method rw_spmv_methods[];
extern const int rw_spmv_method_count;
const rw_spmv_method *rw_spmv_find(const char *name);

typedef struct rw_spmv_options {
    int section, block_section; /* L of ELL in entries, of BELL in blocks */
    int window;                 /* items of a group of BELL V3 */
} rw_spmv_options;

/* Of a grid block. */
typedef struct rw_spmv_shape {
    int64_t cells, blocks, vector; /* block rows, blocks of 5 x 5, numbers of x and of y */
    /* blocks of the longest block row; entries of the longest scalar row, zeros in blocks left out */
    int64_t slots, entries;
    int64_t useful; /* entries of all rows, zeros in blocks left out */
    int64_t window; /* numbers of the longest window of x, 0: not known */
    int grid_blocks;
} rw_spmv_shape;
/* Before anything is made; the grid must be of mode full, where all rows are alike. */
rw_status rw_spmv_measure(rw_context *ctx, const rw_multiblock_spec *grid, rw_spmv_shape *shape);

/* What a product takes: bytes, floating-point operations of a product of all grid blocks. */
typedef struct rw_spmv_need {
    double memory;        /* bytes on the device at once */
    double sent, fetched; /* bytes copied in a call */
    /* bytes that kernels read and write when each array is read or written once, what lies between two kernels twice */
    double moved;
    /* useful ones: 8, 4 or 2 a product of two numbers; zeros in blocks count where the layout keeps them, padding does
     * not */
    double operations;
    int64_t items, reduction_items;   /* of a grid block */
    int64_t groups, reduction_groups; /* that they are launched in */
} rw_spmv_need;
rw_spmv_need rw_spmv_predict(const rw_spmv_method *method, const rw_spmv_shape *shape, rw_spmv_kind kind, bool f64,
                             const rw_spmv_options *options);

/* ---- a matrix a grid block, on the host -------------------------------------------------------------------------- */

typedef struct rw_spmv_source {
    rw_multiblock_spec grid;
    rw_spmv_kind kind;
    bool f64;
    rw_dtype matrix_type, vector_type;
    rw_spmv_shape shape; /* window: 0 */
    rw_device *host;
    rw_sparse **matrix;      /* [grid_blocks] bcsr:5x5 of the stored rows */
    rw_sparse_blocks stored; /* their pattern, the same of all grid blocks */
    int64_t *row;            /* [cells] which cell with ghosts a stored row is */
} rw_spmv_source;
rw_status rw_spmv_source_create(rw_context *ctx, const rw_multiblock_spec *grid, rw_spmv_kind kind, bool f64,
                                rw_spmv_source *source);
void rw_spmv_source_free(rw_spmv_source *source);

/* The layout of our own product: rows of blocks on processors, slices on GPUs (docs/methods/sparse.md). */
rw_status rw_spmv_our_layout(const rw_device *dev, rw_dtype values, rw_sparse_layout *layout);

/* ---- a product --------------------------------------------------------------------------------------------------- */

typedef enum rw_spmv_part {
    RW_SPMV_VALUE,
    RW_SPMV_COLUMN,
    RW_SPMV_FIRST,
    RW_SPMV_ROWS,
    RW_SPMV_WINDOWS,
    RW_SPMV_X,
    RW_SPMV_Y,
    RW_SPMV_TEMP,
    RW_SPMV_PARTS
} rw_spmv_part;

typedef struct rw_spmv {
    const rw_spmv_method *method;
    const rw_spmv_source *source; /* must live as long */
    rw_device *device;
    rw_spmv_options options;
    rw_spmv_shape shape;
    rw_spmv_need need;
    rw_program *program, *window_program;
    rw_kernel *multiply, *reduce, *zero;
    /* [grid_blocks]; the host's arrays where everything is sent */
    struct rw_spmv_block {
        rw_array *part[RW_SPMV_PARTS];
        rw_sparse *ours;
    } * block;
    rw_array *temp; /* shared by all grid blocks */
} rw_spmv;

/* x is random in [-1/2, 1/2), ghosts too, y is 0. ERR_UNSUPPORTED: a window of x has no room in the memory of a group;
 * a product of another kind of device. */
rw_status rw_spmv_create(rw_device *dev, const rw_spmv_source *source, const rw_spmv_method *method,
                         const rw_spmv_options *options, rw_spmv *p);
void rw_spmv_free(rw_spmv *p);
/* copied: x (and y if no kernel sets it to 0) is copied from the host and y to it, as in the thesis; otherwise vectors
 * stay on the device, and nothing waits. */
rw_status rw_spmv_multiply_block(rw_spmv *p, int block, bool copied);
rw_status rw_spmv_multiply(rw_spmv *p, bool copied);

#endif
