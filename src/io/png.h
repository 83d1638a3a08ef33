/* PNG through libpng: any picture in as grey doubles, RGB8 out.
 *
 * Read: grey, grey+alpha, RGB, RGBA, palette, 1..16 bit, interlaced or not. libpng's errors become statuses and its
 * warnings are dropped. Gamma and colour profiles are ignored: values are those of the file over its maximum. */
#ifndef RW_PNG_H
#define RW_PNG_H

#include "io/picture.h"

rw_status rw_png_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture);
rw_status rw_png_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                       rw_picture *picture);

/* Rows from top to bottom without padding: rgb[(row*width + column)*3 + c]. The file is replaced
 * at once when it is whole. ERR_ARGUMENT when a size is 0 or above 2^28; ERR_FILE; ERR_MEMORY. */
rw_status rw_png_write_rgb8(rw_context *ctx, const char *path, size_t width, size_t height, const uint8_t *rgb);

#endif
