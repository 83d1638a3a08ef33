/* Any bytes as a JPEG: what holds for rasters (picture.h). */
#include "picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    check_raster(&rw_raster_jpeg, "fuzz.jpeg", data, n, 1 << 16);
    return 0;
}
