/* Grey pictures (see picture.h). */
#include "io/picture.h"

void rw_picture_free(rw_picture *picture)
{
    rw_free(picture->grey);
    *picture = (rw_picture){0};
}

static rw_status to_grey(rw_context *ctx, const char *name, size_t max_pixels, const rw_raster *r, rw_picture *picture)
{
    static const double luma[3] = {0.2126, 0.7152, 0.0722};
    const size_t n = r->width * r->height;
    RW_TRY(rw_raster_check(ctx, name, r->width, r->height, sizeof(double), max_pixels));
    picture->grey = rw_calloc(n, sizeof(double));
    if (!picture->grey) return rw_fail_memory(ctx, n * sizeof(double), name);
    picture->width = r->width;
    picture->height = r->height;
    for (size_t i = 0; i < n; i++) {
        double v[4] = {0};
        for (int c = 0; c < r->channels; c++) {
            const size_t k = i * (size_t)r->channels + (size_t)c;
            v[c] = r->bytes == 2 ? ((const uint16_t *)r->samples)[k] : ((const uint8_t *)r->samples)[k];
        }
        const double grey = (r->channels < 3 ? v[0] : luma[0] * v[0] + luma[1] * v[1] + luma[2] * v[2]) / r->maximum;
        picture->grey[i] = grey > 1 ? 1 : grey; /* the sum of the rounded weights */
    }
    return RW_OK;
}

static rw_status finish(rw_context *ctx, const char *name, size_t max_pixels, rw_status status, rw_raster *r,
                        rw_picture *picture)
{
    if (status == RW_OK) status = to_grey(ctx, name, max_pixels, r, picture);
    rw_raster_free(r);
    return status;
}

rw_status rw_picture_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture)
{
    rw_raster r;
    *picture = (rw_picture){0};
    return finish(ctx, path, max_pixels, rw_raster_read(ctx, path, max_pixels, &r), &r, picture);
}

rw_status rw_picture_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                           rw_picture *picture)
{
    rw_raster r;
    *picture = (rw_picture){0};
    return finish(ctx, name, max_pixels, rw_raster_parse(ctx, name, bytes, n, max_pixels, &r), &r, picture);
}
