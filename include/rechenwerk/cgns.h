/* Grids of flow solvers in CGNS files. Link librechenwerk-run. */
#ifndef RECHENWERK_CGNS_H
#define RECHENWERK_CGNS_H

#include "rechenwerk/multiblock.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets cells, grid blocks and periodicity from a CGNS file: structured zones of equal size, i along x, j along theta, k
 * along r, that lie side by side, joined by 1-to-1 interfaces of whole faces; theta is periodic where its ends have
 * interfaces. The rest of *spec stays. ERR_INPUT: another kind of grid, or one that does not suit the stencil;
 * ERR_UNSUPPORTED: librechenwerk-run was built without libcgns; ERR_FILE; ERR_MEMORY. */
RW_API rw_status rw_multiblock_read_cgns(rw_context *context, const char *path, rw_multiblock_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
