/* Fields as NumPy arrays: npy/000010-u.npy holds the field u of an output, with the shape of the grid: (z, y, x) in
 * three dimensions, (y, x) in two. */
#include <stdio.h>

#include "files/npy.h"
#include "run/writer.h"

static bool suits(const rw_layout *layout)
{
    (void)layout;
    return true;
}

static rw_status write(rw_run *r, int n, const rw_written_field *fields, int output)
{
    char file[100], name[160], path[RW_PATH_SIZE];
    for (int i = 0; i < n; i++) {
        size_t shape[3];
        const int rank = rw_layout_shape(fields[i].layout, shape);
        rw_picture_name(fields[i].name, file, sizeof(file));
        snprintf(name, sizeof(name), "npy/%06d-%s.npy", output, file);
        RW_TRY(rw_folder_claim(r, name, path));
        RW_TRY(rw_npy_write(r->ctx, path, fields[i].type, rank, shape, fields[i].data));
    }
    return RW_OK;
}

const rw_field_writer rw_npy_writer = {suits, write, NULL};
