/* Any bytes as lines of a wisdom of transforms, with the header and the sum that let them be read: what is taken is
 * exported and imported again. */
#include <string.h>

#include "fuzz.h"
#include "rechenwerk/fft.h"

static rw_device *dev;

static void import_signed(const char *lines, size_t n)
{
    char sum[65], *first;
    rw_text t = {0};
    if (!dev) {
        rw_context *ctx;
        require(rw_context_create(&ctx) == RW_OK && rw_context_set_cache(ctx, false, NULL, false) == RW_OK &&
                    rw_device_open(ctx, "cpu", &dev) == RW_OK,
                "a device");
    }
    require(rw_fft_wisdom_forget(dev) == RW_OK && rw_fft_wisdom_export(dev, &first) == RW_OK, "a header");
    rw_text_add_bytes(&t, first, (size_t)(strstr(first, "sha256 = ") - first));
    free(first);
    rw_text_add_bytes(&t, lines, n);
    if (t.data[t.length - 1] != '\n') rw_text_add(&t, "\n");
    rw_sha256_hex(t.data, t.length, sum);
    rw_text_add(&t, "sha256 = %s\n", sum);
    char *out;
    const bool taken = rw_fft_wisdom_import(dev, t.data, (int64_t)t.length) == RW_OK;
    require(rw_fft_wisdom_export(dev, &out) == RW_OK, "an export");
    require(rw_fft_wisdom_import(dev, out, (int64_t)strlen(out)) == RW_OK, "what was written can be read");
    require(taken || !strstr(out, "pass "), "a text that is refused adds nothing");
    free(out);
    rw_text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *bytes = malloc(n + 1);
    memcpy(bytes, data, n), bytes[n] = 0;
    import_signed(bytes, n);
    free(bytes);
    return 0;
}
