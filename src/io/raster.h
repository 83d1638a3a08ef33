/* Pictures in memory as files have them: 8 or 16 bits a sample, 1 to 4 channels; and the formats that hold them, a
 * table each (raster_png.c, raster_pnm.c, …). A format is recognised by the first bytes of a file, and written by the
 * ending of its name. */
#ifndef RW_RASTER_H
#define RW_RASTER_H

#include "files/stream.h"

typedef struct rw_raster {
    size_t width, height;
    int channels;     /* 1 grey, 2 grey and alpha, 3 red, green, blue, 4 and alpha */
    int bytes;        /* of a sample: 1 or 2, in the machine's order */
    unsigned maximum; /* white: 255, 65535, or what a PNM file says */
    void *samples;    /* [height][width][channels]; owned */
} rw_raster;

#define RW_RASTER_MAX_PIXELS ((size_t)1 << 28) /* limit when max_pixels is 0 */

typedef struct rw_raster_format {
    const char *name;                                 /* "PNG" */
    const char *endings[4];                           /* ".png"; the rest NULL */
    bool deep, alpha;                                 /* it holds 16 bits a sample; an alpha channel */
    bool (*is)(const unsigned char *start, size_t n); /* n >= 12, or all that there is */
    /* From the bytes of a file, named in messages. *raster is zeroed before; what it holds after a failure is freed by
     * the caller. */
    rw_status (*parse)(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *raster);
    rw_status (*write)(rw_io_stream *s, const rw_raster *raster);
} rw_raster_format;

extern const rw_raster_format rw_raster_png, rw_raster_pnm, rw_raster_bmp, rw_raster_jpeg, rw_raster_tiff;

/* ERR_FILE, ERR_INPUT (unknown or malformed file, more than max_pixels), ERR_MEMORY. On failure *raster is zeroed. */
rw_status rw_raster_read(rw_context *ctx, const char *path, size_t max_pixels, rw_raster *raster);
rw_status rw_raster_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                          rw_raster *raster);
/* The format that a name's ending says; NULL: none. */
const rw_raster_format *rw_raster_format_of(const char *path);
/* ".png, .pnm, …" */
void rw_raster_endings(char *text, size_t size);
/* The file appears whole or not at all. ERR_ARGUMENT: no format of this ending; channels or bits that it does not
 * hold. */
rw_status rw_raster_write(rw_context *ctx, const char *path, const rw_raster *raster);
/* A PNG, whatever the file is called. */
rw_status rw_raster_write_png(rw_context *ctx, const char *path, const rw_raster *raster);
/* Samples of 0 … maximum to 0 … 255 or 65535. */
void rw_raster_stretch(rw_raster *raster);
void rw_raster_free(rw_raster *raster);

/* For the formats: checks width x height against the limit and allocates the samples. */
rw_status rw_raster_create(rw_context *ctx, const char *name, size_t width, size_t height, int channels, int bytes,
                           size_t max_pixels, rw_raster *raster);

#endif
