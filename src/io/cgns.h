/* Structured zones of a CGNS file and how their faces meet; coordinates and solutions are not read.
 *
 * Source: CGNS Standard Interface Data Structures, 7.2 (structured zones) and 8.2 (1-to-1 interfaces). Read are
 * interfaces that join whole faces without turning the axes. The library libcgns reads the file; a build without it
 * answers ERR_UNSUPPORTED. */
#ifndef RW_CGNS_H
#define RW_CGNS_H

#include "core/core.h"

typedef struct rw_cgns_zone {
    char name[33];
    int64_t cells[3];    /* along i, j, k; 1 along k of a plane */
    int next[3][2];      /* the zone beyond the low and the high face of an axis, -1: none */
    bool periodic[3][2]; /* it lies there in the sense of a periodic grid */
} rw_cgns_zone;

typedef struct rw_cgns {
    int nzones;
    rw_cgns_zone *zones;
} rw_cgns;

/* The zones of the first base. ERR_FILE; ERR_INPUT: no CGNS file, no zones, unstructured ones, interfaces of other
 * kinds; ERR_UNSUPPORTED; ERR_MEMORY. */
rw_status rw_cgns_read(rw_context *ctx, const char *path, rw_cgns *grid);
void rw_cgns_free(rw_cgns *grid);

#endif
