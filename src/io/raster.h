/* Pictures in memory as files have them: 8 or 16 bits a sample, 1 to 4 channels; and the formats that hold them, a
 * table each (raster_png.c, raster_pnm.c, …). A format is recognised by the first bytes of a file, and written by the
 * ending of its name. */
#ifndef RW_RASTER_H
#define RW_RASTER_H

#include "files/io.h"

typedef struct rw_raster {
    size_t width, height;
    int channels;     /* 1 grey, 2 grey and alpha, 3 red, green, blue, 4 and alpha */
    int bytes;        /* of a sample: 1 or 2, in the machine's order */
    unsigned maximum; /* white: 255, 65535, or what a PNM file says */
    void *samples;    /* [height][width][channels]; owned */
    int orientation;  /* EXIF orientation of the samples, 1 … 8; 0: not stated, as 1 */
    int pages;        /* pictures in the file that was read, of which this is the first; 0: one; -1: several */
    void *profile;    /* ICC profile; owned; NULL: none */
    size_t profile_bytes;
} rw_raster;

/* Limit of the bytes of the samples where max_pixels is 0: those of the environment variable RECHENWERK_PICTURE_MB, or
 * 512 MB. A file of some hundred kilobytes can hold gigabytes of one colour. */
#define RW_RASTER_LIMIT "RECHENWERK_PICTURE_MB"
size_t rw_raster_limit(void);
/* ERR_INPUT: a picture of no pixels, of more than max_pixels, or, where that is 0, of more bytes than the limit. pixel:
 * bytes of one. */
rw_status rw_raster_check(rw_context *ctx, const char *name, size_t width, size_t height, size_t pixel,
                          size_t max_pixels);

typedef struct rw_raster_format {
    const char *name;                                 /* "PNG" */
    const char *endings[4];                           /* ".png"; the rest NULL */
    bool deep, alpha;                                 /* it holds 16 bits a sample; an alpha channel */
    bool oriented, profiled;                          /* it holds an orientation; an ICC profile */
    bool (*is)(const unsigned char *start, size_t n); /* n >= 12, or all that there is */
    /* From the bytes of a file, named in messages. *raster is zeroed before; what it holds after a failure is freed by
     * the caller. */
    rw_status (*parse)(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *raster);
    rw_status (*write)(rw_io_file *s, const rw_raster *raster);
} rw_raster_format;

extern const rw_raster_format rw_raster_png, rw_raster_pnm, rw_raster_bmp, rw_raster_jpeg, rw_raster_tiff;

/* The picture as it is to be shown: its orientation has been applied. A warning names further pages of the file.
 * max_pixels: 0: limited in bytes, see RW_RASTER_LIMIT.
 * ERR_FILE, ERR_INPUT (unknown or malformed file, larger than the limit), ERR_MEMORY. On failure *raster is zeroed. */
rw_status rw_raster_read(rw_context *ctx, const char *path, size_t max_pixels, rw_raster *raster);
/* Samples as they are in the file, whatever the orientation. */
rw_status rw_raster_read_stored(rw_context *ctx, const char *path, rw_raster *raster);
rw_status rw_raster_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                          rw_raster *raster);
/* The format that a name's ending says; NULL: none. */
const rw_raster_format *rw_raster_format_of(const char *path);
/* ".png, .pnm, …" */
void rw_raster_endings(char *text, size_t size);
/* The file appears whole or not at all. A warning names an orientation or profile that the format does not hold.
 * ERR_ARGUMENT: no format of this ending; channels or bits that it does not hold. */
rw_status rw_raster_write(rw_context *ctx, const char *path, const rw_raster *raster);
/* The same into a stream that is open, in the format of its path. */
rw_status rw_raster_write_to(rw_io_file *s, const rw_raster *raster);
/* A PNG, whatever the file is called. */
rw_status rw_raster_write_png(rw_context *ctx, const char *path, const rw_raster *raster);
/* Samples of 0 … maximum to 0 … 255 or 65535. */
void rw_raster_stretch(rw_raster *raster);
void rw_raster_free(rw_raster *raster);

/* For the formats: checks width x height against the limit and allocates the samples. Other members are unchanged. */
rw_status rw_raster_create(rw_context *ctx, const char *name, size_t width, size_t height, int channels, int bytes,
                           size_t max_pixels, rw_raster *raster);
/* Copies an ICC profile into the picture. ERR_MEMORY. */
rw_status rw_raster_set_profile(rw_context *ctx, const char *name, const void *bytes, size_t n, rw_raster *raster);

/* ---- exif.c: the orientation ------------------------------------------------------------------------------------- */

enum { RW_EXIF_BYTES = 26 };
/* The orientation in an EXIF block, 1 … 8; 0: none. */
int rw_exif_orientation(const unsigned char *block, size_t n);
/* A block of nothing but the orientation. */
void rw_exif_make(int orientation, unsigned char block[RW_EXIF_BYTES]);
/* Moves the pixels to where the orientation shows them; then it has none. ERR_MEMORY: *raster is unchanged. */
rw_status rw_raster_orient(rw_context *ctx, const char *name, rw_raster *raster);

#endif
