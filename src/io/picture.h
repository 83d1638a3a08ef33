/* A grey picture in memory, and reading one from any format we know (PNG, PNM) by its first bytes. */
#ifndef RW_PICTURE_H
#define RW_PICTURE_H

#include "files/stream.h"

/* Pixels are encoded values (no linearisation), 0 black .. 1 white; colour is reduced by the luma of ITU-R BT.709,
 * Y = 0.2126 R + 0.7152 G + 0.0722 B; alpha is dropped. */
typedef struct rw_picture {
    size_t width, height;
    double *grey; /* grey[row * width + column], row 0 at the top; owned */
} rw_picture;

#define RW_PICTURE_MAX_PIXELS ((size_t)1 << 28) /* limit when max_pixels is 0: 2 GiB of doubles */

/* Reads PNG or PNM. ERR_FILE, ERR_INPUT (unknown or malformed file, more than max_pixels), ERR_MEMORY. On failure
 * *picture is zeroed. */
rw_status rw_picture_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture);
void rw_picture_free(rw_picture *picture);

/* For the readers: checks width x height against the limit and allocates the pixels. */
rw_status rw_picture_create(rw_context *ctx, const char *path, size_t width, size_t height, size_t max_pixels,
                            rw_picture *picture);

#endif
