/* Animated PNG: pictures of PNG files as frames of one file, which programs that know no animation show as its first
 * frame.
 *
 * Source: PNG Specification (Third Edition), W3C, 2025, sections 11.3.2 acTL, 11.3.3 fcTL, 11.3.4 fdAT. */
#ifndef RW_APNG_H
#define RW_APNG_H

#include "core/core.h"

/* n > 0 files of 8-bit RGB pictures without interlacing, as the figures are. Frames smaller than the largest are
 * centred on white. Compressed data are copied as they are from files of the largest size. The animation repeats; each
 * frame is shown for 1/rate seconds. ERR_INPUT: another kind of PNG; ERR_FILE; ERR_MEMORY. */
rw_status rw_apng_write(rw_context *ctx, const char *path, int n, const char *const *files, double rate);

#endif
