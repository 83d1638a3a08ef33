/* ParaView image data: .vti files with appended raw data, and the .pvd collection that puts them in time.
 *
 * Source: VTK file formats, "ImageData (.vti)", https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html.
 * Version 1.0, header_type UInt64, LittleEndian: each array is its length in bytes (8 bytes), then its numbers. Values
 * lie at the points of the grid; nothing is compressed. Written only. */
#ifndef RW_VTI_H
#define RW_VTI_H

#include "files/io.h"
#include "rechenwerk/expr.h"

typedef struct rw_vti_array {
    const char *name;
    rw_dtype type;    /* complex: two components, "re" and "im" */
    const void *data; /* of the shape (z, y, x) */
    int components;   /* of a real vector, the fastest index of the data; 0: a number at each point */
} rw_vti_array;

/* Replaces `path` at once when it is whole. ERR_ARGUMENT: a size of 0, a spacing not positive, a name empty or given
 * twice; ERR_FILE; ERR_MEMORY. */
rw_status rw_vti_write(rw_context *ctx, const char *path, const rw_grid *grid, int n, const rw_vti_array *arrays);

/* The collection: files[i] (relative to `path`) holds time[i]. Written whole each time. */
rw_status rw_pvd_write(rw_context *ctx, const char *path, size_t n, const double *time, const char *const *files);

/* The sizes n of a grid, 1 beyond its dimensions, and their product. ERR_ARGUMENT when a size is 0, the product
 * overflows, or a spacing is not positive and finite. */
rw_status rw_vtk_check_grid(rw_context *ctx, const char *path, const rw_grid *grid, size_t n[3], size_t *points);

/* For the other formats of VTK: the header's word for this machine; names and data given, no name twice; an array's
 * tag, with *offset moved past its data. */
const char *rw_vtk_byte_order(void);
rw_status rw_vtk_check_arrays(rw_context *ctx, const char *path, int n, const rw_vti_array *arrays);
void rw_vtk_add_array(rw_text *text, const rw_vti_array *array, uint64_t *offset, size_t numbers);
/* The file: head, which is freed, points (or NULL), then the arrays. */
rw_status rw_vtk_write(rw_context *ctx, const char *path, rw_text *head, size_t npoints, const double (*points)[3],
                       size_t numbers, int n, const rw_vti_array *arrays);

#endif
