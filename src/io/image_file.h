/* Values of images for what draws them. */
#ifndef RW_IMAGE_FILE_H
#define RW_IMAGE_FILE_H

#include "device/device.h"

/* Whether values of this type can be shown: u8, u16, i16, f32, f64. */
bool rw_image_is_shown(rw_dtype dtype);
/* Element i as a fraction of white, not limited to 0 … 1. */
double rw_image_fraction(const void *data, rw_dtype dtype, size_t i);

#endif
