/* XDMF 3: an XML file that tells ParaView and VisIt which HDF5 datasets are which field at which time.
 *
 * Source: https://www.xdmf.org/index.php/XDMF_Model_and_Format (version 3). One temporal collection of uniform grids
 * (3DCoRectMesh, ORIGIN_DXDYDZ), scalar values at the points. The whole file is written each time and replaced at once.
 * XDMF has no complex numbers: write real and imaginary part as datasets of their own. */
#ifndef RW_XDMF_H
#define RW_XDMF_H

#include "files/io.h"
#include "rechenwerk/expr.h"

typedef struct rw_xdmf_field {
    const char *name;
    rw_dtype type; /* F32 or F64 */
} rw_xdmf_field;

typedef struct rw_xdmf_step {
    double time;
    /* one per field: "fields-0010.h5:/u", the file relative to the .xdmf; "": the step lacks it */
    const char *const *datasets;
} rw_xdmf_step;

/* Every dataset must have the three dimensions (z, y, x), 1 where a direction is not used: about
 * fewer the readers of ParaView (XDMF 2 and XDMF 3) disagree. ERR_ARGUMENT as for rw_vti_write, or complex fields;
 * ERR_FILE; ERR_MEMORY. */
rw_status rw_xdmf_write(rw_context *ctx, const char *path, const rw_grid *grid, int n_fields,
                        const rw_xdmf_field *fields, size_t n_steps, const rw_xdmf_step *steps);

#endif
