/* What holds for a reader of pictures, whatever its input. */
#ifndef FUZZ_PICTURE_H
#define FUZZ_PICTURE_H

#include "fuzz.h"
#include "io/picture.h"
#include "io/raster.h"

/* The reader answers OK, ERR_INPUT or ERR_MEMORY; each pixel lies in [0, 1]. Whether there is a picture. */
static inline bool check_picture(rw_status status, const rw_picture *p, size_t limit)
{
    if (status != RW_OK) {
        require((status == RW_ERR_INPUT || status == RW_ERR_MEMORY) && !p->grey, "a failure leaves no picture");
        return false;
    }
    require(p->width > 0 && p->height > 0 && p->width * p->height <= limit, "the size is within the limit");
    for (size_t i = 0; i < p->width * p->height; i++)
        require(p->grey[i] >= 0 && p->grey[i] <= 1, "grey lies in [0, 1]");
    return true;
}

/* A format's reader answers OK, ERR_INPUT or ERR_MEMORY; of a picture all samples are there, 8 or 16 bits of 1 to 4
 * channels, up to white. */
static inline void check_raster(const rw_raster_format *format, const char *name, const uint8_t *data, size_t n,
                                size_t limit)
{
    rw_raster r = {0};
    const rw_status status = format->parse(NULL, name, data, n, limit, &r);
    require(status == RW_OK || status == RW_ERR_INPUT || status == RW_ERR_MEMORY,
            "a failure is ERR_INPUT or ERR_MEMORY");
    if (status == RW_OK) {
        require(r.width > 0 && r.height > 0 && r.width * r.height <= limit, "the size is within the limit");
        require(r.channels >= 1 && r.channels <= 4 && (r.bytes == 1 || r.bytes == 2), "channels and bytes");
        for (size_t i = 0; i < r.width * r.height * (size_t)r.channels; i++) {
            const unsigned v = r.bytes == 2 ? ((uint16_t *)r.samples)[i] : ((uint8_t *)r.samples)[i];
            require(v <= r.maximum, "samples are at most white");
        }
    }
    rw_raster_free(&r);
}

#endif
