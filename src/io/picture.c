/* Pictures whatever their format (see picture.h): the format is told by the first bytes, never by the name. */
#include "io/picture.h"

#include <math.h>
#include <string.h>

#include "io/png.h"
#include "io/pnm.h"

rw_status rw_picture_create(rw_context *ctx, const char *path, size_t width, size_t height, size_t max_pixels,
                            rw_picture *picture)
{
    size_t limit = max_pixels ? max_pixels : RW_PICTURE_MAX_PIXELS, bytes;
    if (width == 0 || height == 0)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: picture of %zu x %zu pixels: it must have at least one", path, width,
                       height);
    if (width > limit || height > limit / width ||
        !rw_io_bytes(2, (size_t[]){width, height}, sizeof(double), &bytes))
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels are more than the limit of %zu: scale the picture down",
                       path, width, height, limit);
    picture->grey = rw_calloc(width * height, sizeof(double));
    if (!picture->grey) return rw_fail_memory(ctx, bytes, path);
    picture->width = width;
    picture->height = height;
    return RW_OK;
}

void rw_picture_free(rw_picture *picture)
{
    rw_free(picture->grey);
    *picture = (rw_picture){0};
}

rw_status rw_picture_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture)
{
    rw_io_stream s;
    unsigned char start[2] = {0, 0};
    *picture = (rw_picture){0};
    RW_TRY(rw_io_open(ctx, path, &s));
    rw_status status = rw_io_read(&s, start, 2, "the first bytes");
    rw_io_close(&s);
    RW_TRY(status);
    if (start[0] == 0x89 && start[1] == 'P') return rw_png_read(ctx, path, max_pixels, picture);
    if (start[0] == 'P' && start[1] >= '1' && start[1] <= '7') return rw_pnm_read(ctx, path, max_pixels, picture);
    return rw_fail(ctx, RW_ERR_INPUT, "%s: is neither PNG nor PNM: convert it, e.g. with ImageMagick", path);
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

rw_status rw_picture_write(rw_context *ctx, const char *path, int depth, const rw_picture *picture)
{
    if (depth != 8 && depth != 16)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %d bits a pixel: pictures have 8 or 16", path, depth);
    if (ends_in(path, ".pgm") || ends_in(path, ".pnm")) return rw_pnm_write(ctx, path, depth, picture);
    size_t n = picture->width * picture->height;
    uint16_t *pixels = rw_calloc(n, sizeof *pixels);
    if (!pixels) return rw_fail_memory(ctx, n * sizeof *pixels, path);
    uint8_t *bytes = (uint8_t *)pixels;
    for (size_t i = 0; i < n; i++) {
        double v = fmin(fmax(picture->grey[i], 0), 1); /* NaN: 0 */
        if (depth == 16) pixels[i] = (uint16_t)(v * 65535 + 0.5);
        else bytes[i] = (uint8_t)(v * 255 + 0.5);
    }
    rw_status status = depth == 16 ? rw_png_write_grey16(ctx, path, picture->width, picture->height, pixels)
                                   : rw_png_write_grey8(ctx, path, picture->width, picture->height, bytes);
    rw_free(pixels);
    return status;
}
