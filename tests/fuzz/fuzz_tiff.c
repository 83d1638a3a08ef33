/* Any bytes as a TIFF: what holds for rasters (picture.h). */
#include "picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    check_raster(&rw_raster_tiff, "fuzz.tiff", data, n, 1 << 16);
    return 0;
}
