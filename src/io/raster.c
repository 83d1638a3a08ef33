/* Pictures whatever their format (see raster.h). */
#include "io/raster.h"

#include <string.h>
#include <strings.h>

static const rw_raster_format *const formats[] = {&rw_raster_png, &rw_raster_pnm, &rw_raster_bmp, &rw_raster_jpeg,
                                                  &rw_raster_tiff};

rw_status rw_raster_create(rw_context *ctx, const char *name, size_t width, size_t height, int channels, int bytes,
                           size_t max_pixels, rw_raster *r)
{
    const size_t limit = max_pixels ? max_pixels : RW_RASTER_MAX_PIXELS;
    size_t all;
    if (width == 0 || height == 0)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: picture of %zu x %zu pixels: it must have at least one", name, width,
                       height);
    if (width > limit || height > limit / width ||
        !rw_io_bytes(3, (size_t[]){width, height, (size_t)channels}, (size_t)bytes, &all))
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels are more than the limit of %zu: scale the picture down",
                       name, width, height, limit);
    *r = (rw_raster){width, height, channels, bytes, bytes == 2 ? 65535 : 255, rw_calloc(all, 1)};
    return r->samples ? RW_OK : rw_fail_memory(ctx, all, name);
}

void rw_raster_free(rw_raster *r)
{
    rw_free(r->samples);
    *r = (rw_raster){0};
}

rw_status rw_raster_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                          rw_raster *r)
{
    char known[160];
    int used = 0;
    *r = (rw_raster){0};
    for (int i = 0; i < RW_COUNT(formats); ++i) {
        if (!formats[i]->is(bytes, n)) continue;
        rw_status status = formats[i]->parse(ctx, name, bytes, n, max_pixels, r);
        if (status != RW_OK) rw_raster_free(r);
        return status;
    }
    for (int i = 0; i < RW_COUNT(formats); ++i)
        used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i ? ", " : "", formats[i]->name);
    return rw_fail(ctx, RW_ERR_INPUT, "%s: is not in a supported format (%s): convert it, e.g. with ImageMagick", name,
                   known);
}

rw_status rw_raster_read(rw_context *ctx, const char *path, size_t max_pixels, rw_raster *r)
{
    char *bytes;
    size_t n;
    const size_t limit = max_pixels ? max_pixels : RW_RASTER_MAX_PIXELS;
    *r = (rw_raster){0};
    RW_TRY(rw_file_read(ctx, path, limit > SIZE_MAX / 64 ? SIZE_MAX / 2 : limit * 24 + (1 << 20), &bytes, &n));
    rw_status status = rw_raster_parse(ctx, path, bytes, n, max_pixels, r);
    rw_free(bytes);
    return status;
}

const rw_raster_format *rw_raster_format_of(const char *path)
{
    const size_t n = strlen(path);
    for (int i = 0; i < RW_COUNT(formats); ++i)
        for (int e = 0; e < RW_COUNT(formats[i]->endings) && formats[i]->endings[e]; ++e) {
            const size_t m = strlen(formats[i]->endings[e]);
            if (n > m && !strcasecmp(path + n - m, formats[i]->endings[e])) return formats[i];
        }
    return NULL;
}

void rw_raster_endings(char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < RW_COUNT(formats); ++i)
        for (int e = 0; e < RW_COUNT(formats[i]->endings) && formats[i]->endings[e] && used < size; ++e)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", formats[i]->endings[e]);
}

static rw_status write_as(rw_context *ctx, const char *path, const rw_raster_format *f, const rw_raster *r)
{
    if (r->channels < 1 || r->channels > 4 || (!f->alpha && r->channels % 2 == 0))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s does not support %d channels: %s", path, f->name, r->channels,
                       r->channels > 4 ? "write .npy"
                       : f->alpha      ? "1 to 4"
                                       : "write .png or .tif");
    if (r->bytes == 2 && !f->deep)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: %s does not support 16 bits per sample: write .png, .pnm or .tif, or convert to u8", path,
                       f->name);
    if (r->width == 0 || r->height == 0 || r->width > 1 << 28 || r->height > 1 << 28)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: a picture of %zu x %zu pixels: sizes from 1 to 2^28 can be written",
                       path, r->width, r->height);
    rw_io_stream s;
    RW_TRY(rw_io_create(ctx, path, &s));
    rw_status status = f->write(&s, r);
    if (status == RW_OK) status = rw_io_commit(&s);
    rw_io_close(&s);
    return status;
}

rw_status rw_raster_write(rw_context *ctx, const char *path, const rw_raster *r)
{
    const rw_raster_format *f = rw_raster_format_of(path);
    char endings[160];
    rw_raster_endings(endings, sizeof endings);
    if (!f) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: no picture format has this extension: %s", path, endings);
    return write_as(ctx, path, f, r);
}

rw_status rw_raster_write_png(rw_context *ctx, const char *path, const rw_raster *r)
{
    return write_as(ctx, path, &rw_raster_png, r);
}

void rw_raster_stretch(rw_raster *r)
{
    const unsigned white = r->bytes == 2 ? 65535 : 255;
    if (r->maximum == white) return;
    for (size_t i = 0, n = r->width * r->height * (size_t)r->channels; i < n; ++i) {
        if (r->bytes == 2)
            ((uint16_t *)r->samples)[i] =
                (uint16_t)((((uint16_t *)r->samples)[i] * (uint64_t)white + r->maximum / 2) / r->maximum);
        else ((uint8_t *)r->samples)[i] = (uint8_t)((((uint8_t *)r->samples)[i] * white + r->maximum / 2) / r->maximum);
    }
    r->maximum = white;
}
