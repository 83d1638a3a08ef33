/* Any text as a chain of operations on a small image; three bytes before it choose type, channels, layout and size. A
 * chain is planned, or refused with a status and a reason; no compiler is started, so that a good one ends with
 * ERR_COMPILE. */
#include <string.h>

#include "fuzz.h"
#include "rechenwerk/image.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

enum { HEAD = 3, LONGEST = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const rw_dtype types[] = {RW_U8, RW_U16, RW_I16, RW_F16, RW_F32, RW_F64, RW_DTYPE_DEFAULT, RW_I32};
    static rw_context *ctx;
    static rw_device *dev;
    char text[LONGEST + 1];
    if (!dev) {
        setenv("RECHENWERK_CC", "none", 1);
        require(rw_context_create(&ctx) == RW_OK && rw_device_open(ctx, "cpu", &dev) == RW_OK, "the cpu is there");
    }
    if (n < HEAD || n - HEAD > LONGEST) return 0;
    memcpy(text, data + HEAD, n - HEAD), text[n - HEAD] = 0;
    rw_image_op op;
    rw_status status = rw_image_op_parse(ctx, text, &op);
    require(status == RW_OK || status == RW_ERR_ARGUMENT, "an operation, or ERR_ARGUMENT");
    rw_image_spec spec = {.text = text,
                          .dtype = types[data[0] % 8],
                          .y_dtype = data[0] & 128 ? types[data[0] / 8 % 8] : RW_DTYPE_DEFAULT,
                          .channels = data[1] % 6,
                          .planar = data[1] & 64,
                          .width = 1 + data[2] % 16,
                          .height = 1 + data[2] / 16};
    if (data[1] & 128)
        spec.region.x = data[2] % 5, spec.region.width = 1 + data[2] % 7, spec.region.height = 1 + data[2] % 3;
    rw_image_filter *filter;
    status = rw_image_filter_create(dev, &spec, &filter);
    require(status == RW_OK || status == RW_ERR_ARGUMENT || status == RW_ERR_UNSUPPORTED || status == RW_ERR_MEMORY ||
                status == RW_ERR_COMPILE,
            "a filter, or a failure that says why");
    require((status == RW_OK) == (filter != NULL), "a failure leaves no filter");
    require(status == RW_OK || *rw_message(ctx), "a failure has a message");
    rw_image_filter_destroy(&filter);
    return 0;
}

/* Operations and parameters, put in now and then. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
    static const char *const more[] = {"|",
                                       ":",
                                       "=",
                                       "border=wrap",
                                       "border=skip",
                                       "border=constant",
                                       "1e308",
                                       "-1",
                                       "0",
                                       "268435456",
                                       "direction=x",
                                       "element=ellipse",
                                       "interpolation=cubic",
                                       "matrix=1 0 0/0 1 0",
                                       "mask=1 2 1",
                                       "algorithm=fft",
                                       "255",
                                       "nan"};
    const rw_params *p = rw_image_op_params();
    char word[64];
    if (seed % 3) return LLVMFuzzerMutate(data, n, max);
    const unsigned pick = seed / 3;
    if (pick % 3 == 0)
        snprintf(word, sizeof word, "|%s",
                 rw_image_method_name((rw_image_method)(1 + pick / 3 % (RW_IMAGE_METHODS - 1))));
    else if (pick % 3 == 1) snprintf(word, sizeof word, ":%s=", p->row[pick / 3 % (unsigned)p->n].name);
    else snprintf(word, sizeof word, "%s", more[pick / 3 % RW_COUNT(more)]);
    const size_t length = strlen(word), at = n > HEAD ? HEAD + pick / 7 % (n - HEAD + 1) : n;
    if (n < HEAD || n + length > max) return LLVMFuzzerMutate(data, n, max);
    memmove(data + at + length, data + at, n - at);
    memcpy(data + at, word, length);
    return n + length;
}
