/* Any bytes as a BMP: what holds for rasters (picture.h). */
#include "picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    check_raster(&rw_raster_bmp, "fuzz.bmp", data, n, 1 << 16);
    return 0;
}
