/* Lines too long for one group, transformed in one pass by a cluster of groups that exchange points through their
 * shared memory (CUDA from compute capability 9.0). */
#ifndef RW_FFT_CLUSTER_H
#define RW_FFT_CLUSTER_H

#include "fft/ends.h"

/* n = a b points: group g has the columns q of the matrix in its share of 0 … b - 1, transforms their a points, and
 * sends result k to the group that has row k in its share of 0 … a - 1. */
typedef struct rw_fft_cluster {
    int groups;      /* 0: it is not possible */
    int a, b, lines; /* lines: neighbours that are transformed at once */
    int group;       /* items of a group */
    int64_t bytes;   /* of shared memory */
} rw_fft_cluster;

/* groups: workgroups of a cluster; 0: the best number. */
rw_fft_cluster rw_fft_cluster_of(const rw_device *dev, const rw_fft_line_spec *spec, int groups);
/* The kernel. */
void rw_fft_cluster_write(rw_fft_text *text, const rw_fft_cluster *cluster);

#endif
