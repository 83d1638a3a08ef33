/* ParaView's curvilinear blocks: .vts files, one a block, and the .vtm that joins them. Numbers lie in the cells.
 *
 * Source: VTK file formats, "StructuredGrid (.vts)" and "MultiBlockDataSet (.vtm)"; written like .vti files (io/vti.h),
 * raw and appended. */
#ifndef RW_VTS_H
#define RW_VTS_H

#include "io/vti.h"

/* One block of n[0] x n[1] x n[2] cells: points[(k*(n[1]+1) + j)*(n[0]+1) + i], arrays[…].data[(k*n[1] + j)*n[0] + i].
 * Replaces `path` at once when it is whole. ERR_ARGUMENT: no cells, a name empty or given twice; ERR_FILE;
 * ERR_MEMORY. */
rw_status rw_vts_write(rw_context *ctx, const char *path, const int n[3], const double (*points)[3], int narrays,
                       const rw_vti_array *arrays);
/* files[i], relative to `path`, is block i. */
rw_status rw_vtm_write(rw_context *ctx, const char *path, int n, const char *const *files);

#endif
