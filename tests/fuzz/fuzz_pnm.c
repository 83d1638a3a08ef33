/* Any bytes as a portable any-map: what holds for pictures (picture.h), and a picture written with 16 bits is read back
 * to within a rounding error of its values. */
#include <math.h>
#include <unistd.h>

#include "io/pnm.h"
#include "picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { LIMIT = 1 << 16 };
    char path[64];
    rw_picture p, again;
    if (!check_picture(rw_pnm_parse(NULL, "fuzz.pnm", data, n, LIMIT, &p), &p, LIMIT)) return 0;
    snprintf(path, sizeof path, "/tmp/rw-fuzz-pnm-%d.pgm", (int)getpid());
    require(rw_pnm_write(NULL, path, 16, &p) == RW_OK, "a picture is written");
    require(rw_pnm_read(NULL, path, LIMIT, &again) == RW_OK, "and read again");
    require(again.width == p.width && again.height == p.height, "with the same size");
    for (size_t i = 0; i < p.width * p.height; i++)
        require(fabs(again.grey[i] - p.grey[i]) <= 0.51 / 65535, "and the same values");
    unlink(path);
    rw_picture_free(&p), rw_picture_free(&again);
    return 0;
}
