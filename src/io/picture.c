/* Pictures whatever their format (see picture.h): the format is told by the first bytes, never by the name. */
#include "io/picture.h"

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
