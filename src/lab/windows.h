/* Matrices of 2011: the six test cases of the study, and the windows of x that its kernels copied into shared
 * memory. */
#ifndef RW_LAB_WINDOWS_H
#define RW_LAB_WINDOWS_H

#include "rechenwerk/multiblock.h"

/* The document's six test cases: eight equal grid blocks of these cells each, Euler in three dimensions, complex single
 * precision. */
typedef struct rw_study_case {
    const char *name; /* "10x40x20" */
    int64_t cells[3];
    int64_t blocks, truncated, ns_truncated; /* of a grid block: mode full, mode truncated, the same of ns3d */
    int64_t vector;                          /* numbers of a grid block's vector with ghosts */
    double bytes;                            /* of the values of all grid blocks, mode full */
    double printed;                          /* as the document prints them: twice as many in two cases */
} rw_study_case;
const rw_study_case *rw_study_cases(int *n);

/* What a work-group of a kernel needs of x, when each item computes a scalar row and the group first copies the part of
 * x between the lowest and the highest that it needs. */
typedef struct rw_windows {
    int64_t group, groups; /* items of a group; groups */
    /* [3 g] lowest and [3 g + 1] highest number of x, [3 g + 2] copies an item makes; 0, -1, 0 for a group that needs
     * none */
    int64_t *info;
    int64_t longest; /* numbers of the longest window */
} rw_windows;
/* For rows and columns in blocks of `block` (1 … 16): group g has the scalar rows group g … group (g + 1) - 1. The
 * document prints longest - block, from the first number of the lowest block to the first of the highest. ERR_ARGUMENT,
 * ERR_MEMORY. */
rw_status rw_windows_find(rw_context *context, const rw_sparse_blocks *stored, int block, int64_t group,
                          rw_windows *windows);
void rw_windows_free(rw_windows *windows);
/* OK: the longest window of entries of this type fits into `bytes` of shared memory; else ERR_UNSUPPORTED with both
 * sizes. */
rw_status rw_windows_check(rw_context *context, const rw_windows *windows, rw_dtype type, int64_t bytes);

#endif
