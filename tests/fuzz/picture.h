/* What holds for a reader of pictures, whatever its input. */
#ifndef FUZZ_PICTURE_H
#define FUZZ_PICTURE_H

#include "fuzz.h"
#include "io/picture.h"

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

#endif
