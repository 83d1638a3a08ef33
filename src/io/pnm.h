/* Portable any-map: P2, P3, P5, P6 in (http://netpbm.sourceforge.net/doc/pgm.html and ppm.html).
 *
 * Maximum value 1..65535, comments in the header, 8 or 16 bit samples (most significant byte first). Only the first
 * picture of a file is read. Not read: bitmaps (P1, P4), PAM (P7). */
#ifndef RW_PNM_H
#define RW_PNM_H

#include "io/picture.h"

rw_status rw_pnm_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture);
rw_status rw_pnm_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                       rw_picture *picture);

#endif
