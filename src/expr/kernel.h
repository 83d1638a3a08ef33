/* A pass, or several fused, as text in the group dialect, with the definitions and the order of its arguments. */
#ifndef RW_KERNEL_H
#define RW_KERNEL_H

#include "device/device.h"
#include "expr/plan.h"

/* How a device likes its passes. */
typedef struct rw_tiling {
    int group, group_x; /* items; along x */
    int64_t tile[3];
    int64_t tiles[3];
    int64_t groups; /* started; each takes every groups-th tile */
    bool stream;    /* stores past the caches (CPU: what the pass moves is larger than they are) */
    int roll;       /* axis that items walk along with a window of values in registers; 0: none (GPU: the last) */
    int unroll;     /* of that walk */
    bool split;     /* tiles at a side: only the cells next to it are border cells; else all of the tile */
    bool rows;      /* border cells as rows and columns (CPU); else one by one */
    bool flat;      /* no neighbours, no coordinates: the grid is one row */
    bool narrow;    /* 32-bit indices suffice */
} rw_tiling;

typedef enum rw_slot_kind {
    RW_SLOT_FIELD,
    RW_SLOT_SHADOW,
    RW_SLOT_UNIFORM,
    RW_SLOT_TABLE,
    RW_SLOT_SLOTS,
    RW_SLOT_PARTIAL
} rw_slot_kind;

typedef struct rw_slot {
    rw_slot_kind kind;
    int index; /* field, or node of a uniform or table */
    bool read, written;
} rw_slot;

typedef struct rw_pass_kernel {
    int first, last; /* passes of the plan */
    char *text;
    rw_tiling tiling;
    rw_slot *slots; /* arguments of the kernel `run` */
    int nslots, slots_capacity;
    int naccumulators;     /* partial reductions per group */
    int *accumulator_slot; /* where each goes among the device scalars */
    int *accumulator_kind; /* rw_reduce_kind */
    bool f32;              /* precision of the arithmetic */
    bool has_complex;
    int groups_a_unit; /* the definition RW_GROUPS_A_UNIT; 0: none */
    double flops;
    int64_t bytes_per_cell;
} rw_pass_kernel;

/* Takes pass `first` and as many of the next ones as are better done in the same kernel. */
rw_status rw_pass_kernel_create(const rw_plan *plan, int first, const rw_target *target, rw_pass_kernel *k);
/* False when passes over such a grid never share a kernel on this device. */
bool rw_passes_fuse(const rw_grid *grid, const rw_target *target);
/* state.c: what runs after all passes; empty text when nothing does. */
rw_status rw_state_kernel_create(const rw_plan *plan, const rw_pass_kernel *last, rw_pass_kernel *k);
/* nodes.c: kernels of the graph may need the definition WITH_FUNCTIONS. */
bool rw_uses_functions(const rw_graph *g);
void rw_pass_kernel_free(rw_pass_kernel *k);

#endif
