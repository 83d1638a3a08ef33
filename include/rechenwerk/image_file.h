/* Image files: PNG, PNM, BMP, JPEG, TIFF and .npy, read into arrays and written from them. Link librechenwerk-run. */
#ifndef RECHENWERK_IMAGE_FILE_H
#define RECHENWERK_IMAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads an image file into a new array of shape [height][width][channels].
 * PNG, PNM, BMP, JPEG, TIFF, recognised by the first bytes: u8 or u16, 1 to 4 channels (grey; grey, alpha; red, green,
 * blue; red, green, blue, alpha). Samples of PNM whose maximum is not 2^n - 1 are scaled to 255 or 65535.
 * The orientation of EXIF and TIFF is applied: rows and columns are as the picture is to be shown. An ICC profile is
 * ignored. Of a TIFF with several pages the first is read, and a warning has their number.
 * Size: at most 512 MB of samples; the environment variable RECHENWERK_PICTURE_MB sets another limit.
 * NAME.npy: the type in the file, two or three dimensions.
 * Errors: ERR_FILE; ERR_INPUT with reason and place, also a picture above the limit; ERR_UNSUPPORTED: JPEG or TIFF in a
 *     build without them; ERR_MEMORY. */
RW_API rw_status rw_image_load(rw_device *device, const char *path, rw_array **array);
/* Writes an image to a file in the format of its ending: .png, .pnm, .pgm, .ppm, .bmp, .jpg, .tif, .npy. The file
 * appears complete or not at all. .npy stores any type unchanged. In the other formats u8 and u16 are stored unchanged;
 * i16, f32 and f64 are converted so that white becomes 255.
 * deep: 16 bits, white becomes 65535.
 * Errors: ERR_ARGUMENT: an unknown ending; a type, number of channels or bit depth that the format cannot store;
 *     ERR_FILE; ERR_MEMORY. */
RW_API rw_status rw_image_save(rw_array *array, const char *path, bool deep);

/* Tags of a picture file. */
typedef struct rw_image_tags {
    /* EXIF orientation of the array's rows and columns, 1 … 8; 0: not stated, as 1. 1: row 0 is the top, column 0 the
     * left; 6: row 0 is the right side, column 0 the top. */
    int orientation;
    int pages;             /* pictures in the file, of which the array has the first; -1: several; 0: an .npy file */
    void *profile;         /* ICC profile of the colours; NULL: none */
    int64_t profile_bytes; /* size of the profile in bytes */
    int64_t reserved[2];   /* 0: later members take this room, so that the size stays */
} rw_image_tags;
/* Reads an image as rw_image_load does, and its tags. Free them with rw_image_tags_free, which also zeroes them.
 * keep_orientation: leaves rows and columns as they are in the file; tags->orientation is that of the file.
 *     Default: the orientation is applied, and tags->orientation is 0.
 * Errors: those of rw_image_load; after one the tags are zero. */
RW_API rw_status rw_image_load_tags(rw_device *device, const char *path, bool keep_orientation, rw_array **array,
                                    rw_image_tags *tags);
/* Writes an image as rw_image_save does, with its orientation and ICC profile. PNG, JPEG and TIFF store both. A warning
 * names what the format cannot store, and a profile for another number of colours, which is left out.
 * tags: optional; pages has no effect.
 * Errors: those of rw_image_save; ERR_ARGUMENT: an orientation outside 0 … 8, a profile without bytes. */
RW_API rw_status rw_image_save_tags(rw_array *array, const char *path, bool deep, const rw_image_tags *tags);
RW_API void rw_image_tags_free(rw_image_tags *tags);

#ifdef __cplusplus
}
#endif
#endif
