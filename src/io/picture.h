/* A grey picture in memory, from a file of any format that src/io/raster.h knows. */
#ifndef RW_PICTURE_H
#define RW_PICTURE_H

#include "io/raster.h"

/* Pixels are encoded values (no linearisation), 0 black .. 1 white; colour is reduced by the luma of ITU-R BT.709,
 * Y = 0.2126 R + 0.7152 G + 0.0722 B; alpha is dropped. */
typedef struct rw_picture {
    size_t width, height;
    double *grey; /* grey[row * width + column], row 0 at the top; owned */
} rw_picture;

/* Failures as of rw_raster_read. On failure *picture is zeroed. */
rw_status rw_picture_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture);
rw_status rw_picture_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                           rw_picture *picture);
void rw_picture_free(rw_picture *picture);

#endif
