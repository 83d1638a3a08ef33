/* Images with known results for the study convolution, and kernels compared with them. */
#include <math.h>
#include <string.h>

#include "lab/convolution_kernels.h"

uint32_t rw_crc32(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint32_t table[256], crc = 0xffffffff;
    for (uint32_t i = 0; i < 256; ++i) {
        table[i] = i;
        for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    for (size_t i = 0; i < bytes; ++i) crc = crc >> 8 ^ table[(crc ^ p[i]) & 255];
    return ~crc;
}

void rw_conv2d_image(int64_t width, int64_t height, int channels, uint8_t *image)
{
    for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x) {
            const int64_t g = 3 * x + 5 * y + (x * y >> 3) + ((x ^ y) & 15) * 4;
            for (int64_t c = 0; c < channels; ++c)
                image[(y * width + x) * channels + c] = (uint8_t)(g + (channels > 1 ? 85 * c + (c + 1) * x : 0));
        }
}

/* Means of the test image, rounded to nearest, computed with integers. */
static const struct {
    int width, height, channels, line;
    uint32_t crc[RW_CONV2D_BORDERS]; /* skip, zero, cyclic */
} known[] = {
    {640, 472, 1, 3, {0x96b20266, 0xdbc5ddc0, 0x13ddaea7}}, {640, 472, 1, 7, {0x02bca499, 0x1263b5fa, 0xdec6f400}},
    {512, 512, 1, 3, {0xd450c67b, 0xa3a2fd07, 0xa05e3c77}}, {640, 472, 3, 3, {0x3536001f, 0x0264038c, 0xc04fdd40}},
    {640, 472, 3, 5, {0x06b11d7a, 0x16ca93e4, 0x9c04f840}}, {640, 472, 3, 9, {0xe49122c0, 0x5aa69515, 0x82575a1f}},
};

bool rw_conv2d_known_mean(int64_t width, int64_t height, int channels, int line, rw_conv2d_border border, uint32_t *crc)
{
    for (int i = 0; i < RW_COUNT(known); ++i)
        if (known[i].width == width && known[i].height == height && known[i].channels == channels &&
            known[i].line == line) {
            *crc = known[i].crc[border];
            return true;
        }
    return false;
}

/* x x + 10 y, and what follows from it, by hand: 6 x 5 pixels. */
enum { WIDTH = 6, HEIGHT = 5, PIXELS = WIDTH * HEIGHT };
/* clang-format off */
static const uint8_t ramp[PIXELS] = {
     0,  1,  4,  9, 16, 25,
    10, 11, 14, 19, 26, 35,
    20, 21, 24, 29, 36, 45,
    30, 31, 34, 39, 46, 55,
    40, 41, 44, 49, 56, 65};
static const uint8_t impulse[PIXELS] = {[2 * WIDTH + 2] = 1};
static const struct small {
    const char *name;
    const uint8_t *x;
    rw_conv2d_border border;
    float weight[9]; /* of the first 0: the mean */
    uint8_t y[PIXELS];
} small[] = {
    {"mean, skip", ramp, RW_CONV2D_SKIP, {0}, {
         0,  1,  4,  9, 16, 25,
        10, 12, 15, 20, 27, 35,
        20, 22, 25, 30, 37, 45,
        30, 32, 35, 40, 47, 55,
        40, 41, 44, 49, 56, 65}},
    {"mean, zero", ramp, RW_CONV2D_ZERO, {0}, {
         2,  4,  6, 10, 14, 11,
         7, 12, 15, 20, 27, 20,
        14, 22, 25, 30, 37, 27,
        20, 32, 35, 40, 47, 34,
        16, 24, 26, 30, 34, 25}},
    {"mean, cyclic", ramp, RW_CONV2D_CYCLIC, {0}, {
        25, 18, 21, 26, 33, 30,
        19, 12, 15, 20, 27, 24,
        29, 22, 25, 30, 37, 34,
        39, 32, 35, 40, 47, 44,
        32, 25, 28, 33, 40, 37}},
    {"orientation of the mask", impulse, RW_CONV2D_ZERO, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {
        [7] = 9, 8, 7, [13] = 6, 5, 4, [19] = 3, 2, 1}},
    {"shift to the left", ramp, RW_CONV2D_ZERO, {0, 0, 0, 0, 0, 1, 0, 0, 0}, {
         1,  4,  9, 16, 25,  0,
        11, 14, 19, 26, 35,  0,
        21, 24, 29, 36, 45,  0,
        31, 34, 39, 46, 55,  0,
        41, 44, 49, 56, 65,  0}},
    {"Sobel", ramp, RW_CONV2D_SKIP, {-1, 0, 1, -2, 0, 2, -1, 0, 1}, {
         0,  1,  4,  9, 16, 25,
        10, 16, 32, 48, 64, 35,
        20, 16, 32, 48, 64, 45,
        30, 16, 32, 48, 64, 55,
        40, 41, 44, 49, 56, 65}},
    {"Sobel, clamped", ramp, RW_CONV2D_SKIP, {1, 0, -1, 2, 0, -2, 1, 0, -1}, {
         0,  1,  4,  9, 16, 25,
        10,  0,  0,  0,  0, 35,
        20,  0,  0,  0,  0, 45,
        30,  0,  0,  0,  0, 55,
        40, 41, 44, 49, 56, 65}},
};
/* clang-format on */

static rw_mask small_mask(const struct small *s)
{
    rw_mask m = {.line = 3};
    float all = 0;
    for (int i = 0; i < 9; ++i) all += fabsf(s->weight[i]);
    if (all == 0) return rw_mask_mean(3, false);
    memcpy(m.weight, s->weight, sizeof s->weight);
    return m;
}

typedef struct checked {
    rw_device *device;
    const rw_conv2d_variant *variant;
    rw_array *x, *y;
    int n;
} checked;

/* The CRC of the result of one launch. */
static rw_status run_once(checked *k, rw_conv2d_border border, const rw_mask *mask, int64_t width, int64_t height,
                          int channels, uint32_t *crc)
{
    rw_conv2d c;
    const void *y = NULL;
    RW_TRY(rw_conv2d_create(k->device, k->variant, border, mask, &c));
    rw_status status = rw_conv2d_run(&c, k->x, k->y, width, height, channels, rw_device_queue(k->device));
    if (status == RW_OK) status = rw_array_read(k->y, &y);
    if (status == RW_OK) *crc = rw_crc32(y, (size_t)(width * height * channels));
    rw_conv2d_free(&c);
    ++k->n;
    return status;
}

static rw_status refuse(const checked *k, const char *what, int channels, uint32_t got, uint32_t wanted)
{
    return rw_fail(k->device->ctx, RW_ERR_INTERNAL, "%s: kernel %s: %s, %d channel%s: CRC %08x, not %08x",
                   rw_device_info(k->device)->name, k->variant->name, what, channels, channels == 1 ? "" : "s", got,
                   wanted);
}

static rw_status check_small(checked *k, const struct small *s, int channels)
{
    const rw_mask mask = small_mask(s);
    uint8_t wanted[3 * PIXELS];
    uint32_t crc;
    void *x;
    RW_TRY(rw_array_write(k->x, &x));
    for (int i = 0; i < channels * PIXELS; ++i) {
        ((uint8_t *)x)[i] = s->x[i / channels];
        wanted[i] = s->y[i / channels];
    }
    RW_TRY(run_once(k, s->border, &mask, WIDTH, HEIGHT, channels, &crc));
    const uint32_t right = rw_crc32(wanted, (size_t)(channels * PIXELS));
    return crc == right ? RW_OK : refuse(k, s->name, channels, crc, right);
}

static rw_status check_known(checked *k, int i)
{
    const rw_mask mask = rw_mask_mean(known[i].line, false);
    void *x;
    RW_TRY(rw_array_write(k->x, &x));
    rw_conv2d_image(known[i].width, known[i].height, known[i].channels, x);
    for (int b = 0; b < RW_CONV2D_BORDERS; ++b) {
        char what[64];
        uint32_t crc;
        RW_TRY(run_once(k, (rw_conv2d_border)b, &mask, known[i].width, known[i].height, known[i].channels, &crc));
        snprintf(what, sizeof what, "mean %dx%d, %s, %d x %d", known[i].line, known[i].line, rw_conv2d_border_names[b],
                 known[i].width, known[i].height);
        if (crc != known[i].crc[b]) return refuse(k, what, known[i].channels, crc, known[i].crc[b]);
    }
    return RW_OK;
}

rw_status rw_conv2d_check(rw_device *dev, const rw_conv2d_variant *v, bool large, int *n)
{
    const int64_t most = large ? 640 * 472 * 3 : 3 * PIXELS;
    checked k = {.device = dev, .variant = v};
    rw_status status = rw_array_create(dev, RW_U8, 1, &most, RW_MEMORY_DEVICE, &k.x);
    if (status == RW_OK) status = rw_array_create(dev, RW_U8, 1, &most, RW_MEMORY_DEVICE, &k.y);
    for (int channels = 1; channels <= 3; channels += 2) {
        if ((v->items == RW_ONE_CHANNEL && channels != 1) || (v->items == RW_RGB && channels != 3)) continue;
        for (int i = 0; i < RW_COUNT(small) && status == RW_OK; ++i) status = check_small(&k, small + i, channels);
        for (int i = 0; i < RW_COUNT(known) && status == RW_OK; ++i)
            if (large && known[i].channels == channels) status = check_known(&k, i);
    }
    rw_array_destroy(&k.x);
    rw_array_destroy(&k.y);
    *n = k.n;
    return status;
}
