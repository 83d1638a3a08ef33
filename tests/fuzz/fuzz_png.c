/* Any bytes as a picture, PNG or PNM: the reader answers OK, ERR_INPUT or ERR_MEMORY; each pixel lies in [0, 1]. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/png.h"
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
    enum { LIMIT = 1 << 20 };
    rw_picture p;
    rw_status status = n > 0 && data[0] == 'P' ? rw_pnm_parse(NULL, "fuzz.pnm", data, n, LIMIT, &p)
                                               : rw_png_parse(NULL, "fuzz.png", data, n, LIMIT, &p);
    if (status != RW_OK) {
        require((status == RW_ERR_INPUT || status == RW_ERR_MEMORY) && !p.grey, "a failure leaves no picture");
        return 0;
    }
    require(p.width > 0 && p.height > 0 && p.width * p.height <= LIMIT, "the size is within the limit");
    for (size_t i = 0; i < p.width * p.height; i++) require(p.grey[i] >= 0 && p.grey[i] <= 1, "grey lies in [0, 1]");
    rw_picture_free(&p);
    return 0;
}
