/* Any bytes as a portable any-map: what holds for pictures (picture.h). */
#include "io/picture.h"
#include "picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { LIMIT = 1 << 16 };
    rw_picture p;
    if (check_picture(rw_picture_parse(NULL, "fuzz.pnm", data, n, LIMIT, &p), &p, LIMIT)) rw_picture_free(&p);
    return 0;
}
