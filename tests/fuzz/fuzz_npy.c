/* Any bytes as a .npy file: the reader answers OK or ERR_INPUT, holds no more than the file explains, and what it read
 * survives being written and read again. */
#include <string.h>
#include <unistd.h>

#include "files/npy.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static char path[64];
    rw_npy array, again;
    rw_status status = rw_npy_parse(NULL, "fuzz.npy", data, n, &array);
    if (status != RW_OK) {
        require(status == RW_ERR_INPUT && !array.data, "a failure is ERR_INPUT and leaves no array");
        return 0;
    }
    size_t bytes = rw_npy_count(&array) * rw_dtype_size(array.type);
    require(bytes <= 8 * n, "an element takes one byte of the file at least");
    snprintf(path, sizeof path, "/tmp/rw-fuzz-npy-%d.npy", (int)getpid());
    require(rw_npy_write(NULL, path, array.type, array.ndim, array.shape, array.data) == RW_OK, "it can be written");
    require(rw_npy_read(NULL, path, &again) == RW_OK, "what was written can be read");
    require(again.ndim == array.ndim && again.type == array.type, "it has the same shape and type");
    require(memcmp(again.shape, array.shape, sizeof array.shape) == 0, "it has the same sizes");
    require(memcmp(again.data, array.data, bytes) == 0, "it has the same elements");
    unlink(path);
    rw_npy_free(&again);
    rw_npy_free(&array);
    return 0;
}
