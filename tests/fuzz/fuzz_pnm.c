/* Any bytes as a portable any-map: the reader answers OK, ERR_INPUT or ERR_MEMORY; each pixel lies in [0, 1], and a
 * picture written with 16 bits is read back to within a rounding of its values. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/pnm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int fact, const char *what)
{
    if (fact) return;
    fprintf(stderr, "%s; message: %s\n", what, rw_message(NULL));
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { LIMIT = 1 << 16 };
    char path[64];
    rw_picture p, again;
    rw_status status = rw_pnm_parse(NULL, "fuzz.pnm", data, n, LIMIT, &p);
    if (status != RW_OK) {
        require((status == RW_ERR_INPUT || status == RW_ERR_MEMORY) && !p.grey, "a failure leaves no picture");
        return 0;
    }
    require(p.width > 0 && p.height > 0 && p.width * p.height <= LIMIT, "the size is within the limit");
    for (size_t i = 0; i < p.width * p.height; i++) require(p.grey[i] >= 0 && p.grey[i] <= 1, "grey lies in [0, 1]");
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
