/* Any bytes as a PNG: what holds for pictures (picture.h). */
#include "io/picture.h"
#include "picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { LIMIT = 1 << 20 };
    rw_picture p;
    if (check_picture(rw_picture_parse(NULL, "fuzz.png", data, n, LIMIT, &p), &p, LIMIT)) rw_picture_free(&p);
    return 0;
}
