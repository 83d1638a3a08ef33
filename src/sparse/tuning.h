/* Tuning constants of sparse products that differ between the classes of devices; what follows from a matrix and its
 * vectors stands where it is computed. */
#ifndef RW_SPARSE_TUNING_H
#define RW_SPARSE_TUNING_H

#include "sparse/sparse.h"

typedef struct rw_sparse_tuning {
    int slice_items;      /* slices.c: of a GPU's group, about; of a processor block rows */
    int slice_items_run;  /* where items have several rows */
    int slice_items_most; /* where blocks are wide; 0: any number */
    int variable_group;   /* variable.c: rows of a group */
    int diagonal_tile;    /* diagonals.c: rows of a tile … */
    /* … and tiles of a group: a processor's sums stay in its first cache together with the next diagonal */
    int diagonal_tiles;
    /* choose.c: fraction of a copy's speed. Processor: `rechenwerk bench formats`, f64 and f32, three runs on two cores
     * of a Xeon, the median over its kinds of matrices: those with blocks for formats of blocks, those without for the
     * others, as they are what a choice is between. GPU: `rechenwerk bench sparse` on an H200, a grid of 100^3 cells
     * with blocks of 5 x 5. */
    double share[RW_SPARSE_FORMATS];
} rw_sparse_tuning;

static const rw_sparse_tuning rw_sparse_tuning_of[RW_DEVICE_CLASSES] = {[RW_PROCESSOR] = {32,
                                                                                          32,
                                                                                          0,
                                                                                          1024,
                                                                                          128,
                                                                                          16,
                                                                                          {[RW_SPARSE_COO] = 0.34,
                                                                                           [RW_SPARSE_CSR] = 0.62,
                                                                                           [RW_SPARSE_BCSR] = 0.88,
                                                                                           [RW_SPARSE_VBCSR] = 0.39,
                                                                                           [RW_SPARSE_DIA] = 0.87,
                                                                                           [RW_SPARSE_ELL] = 0.77,
                                                                                           [RW_SPARSE_BELL] = 0.29,
                                                                                           [RW_SPARSE_SELL] = 0.81,
                                                                                           [RW_SPARSE_BSELL] = 0.31}},
                                                                        [RW_GPU] = {128,
                                                                                    160,
                                                                                    256,
                                                                                    128,
                                                                                    256,
                                                                                    1,
                                                                                    {[RW_SPARSE_COO] = 0.47,
                                                                                     [RW_SPARSE_CSR] = 0.83,
                                                                                     [RW_SPARSE_BCSR] = 0.74,
                                                                                     [RW_SPARSE_VBCSR] = 0.48,
                                                                                     [RW_SPARSE_DIA] = 0.94,
                                                                                     [RW_SPARSE_ELL] = 0.98,
                                                                                     [RW_SPARSE_BELL] = 0.98,
                                                                                     [RW_SPARSE_SELL] = 0.98,
                                                                                     [RW_SPARSE_BSELL] = 0.98}}};

static inline const rw_sparse_tuning *rw_sparse_tuned(const rw_sparse *m)
{
    return &rw_sparse_tuning_of[rw_sparse_threads(m) ? RW_GPU : RW_PROCESSOR];
}

#endif
