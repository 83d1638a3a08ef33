/* Pictures whatever their format (see raster.h). */
#include "io/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const rw_raster_format *const formats[] = {&rw_raster_png, &rw_raster_pnm, &rw_raster_bmp, &rw_raster_jpeg,
                                                  &rw_raster_tiff};

size_t rw_raster_limit(void)
{
    const char *given = getenv(RW_RASTER_LIMIT);
    char *end = NULL;
    const double mb = given ? strtod(given, &end) : 0;
    return given && end != given && !*end && mb > 0 && mb < 1e12 ? (size_t)(mb * 1e6) : (size_t)512 * 1000 * 1000;
}

rw_status rw_raster_check(rw_context *ctx, const char *name, size_t width, size_t height, size_t pixel,
                          size_t max_pixels)
{
    if (width == 0 || height == 0)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: picture of %zu x %zu pixels: it must have at least one", name, width,
                       height);
    if (max_pixels && (width > max_pixels || height > max_pixels / width))
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels are more than the limit of %zu: scale the picture down",
                       name, width, height, max_pixels);
    if (!max_pixels && (width > rw_raster_limit() / pixel || height > rw_raster_limit() / pixel / width))
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: %zu x %zu pixels of %zu byte%s need %.0f MB; the limit is %.0f MB: scale the picture down, "
                       "or set the environment variable %s=%.0f",
                       name, width, height, pixel, pixel == 1 ? "" : "s",
                       ceil(1e-6 * (double)width * (double)height * (double)pixel), 1e-6 * (double)rw_raster_limit(),
                       RW_RASTER_LIMIT, ceil(1e-6 * (double)width * (double)height * (double)pixel));
    return RW_OK;
}

rw_status rw_raster_create(rw_context *ctx, const char *name, size_t width, size_t height, int channels, int bytes,
                           size_t max_pixels, rw_raster *r)
{
    size_t all;
    RW_TRY(rw_raster_check(ctx, name, width, height, (size_t)channels * (size_t)bytes, max_pixels));
    if (!rw_io_bytes(3, (size_t[]){width, height, (size_t)channels}, (size_t)bytes, &all))
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels do not fit in memory: scale the picture down", name,
                       width, height);
    r->width = width;
    r->height = height;
    r->channels = channels;
    r->bytes = bytes;
    r->maximum = bytes == 2 ? 65535 : 255;
    r->samples = rw_calloc(all, 1);
    return r->samples ? RW_OK : rw_fail_memory(ctx, all, name);
}

rw_status rw_raster_set_profile(rw_context *ctx, const char *name, const void *bytes, size_t n, rw_raster *r)
{
    if (!n) return RW_OK;
    rw_free(r->profile);
    r->profile = rw_calloc(n, 1);
    r->profile_bytes = r->profile ? n : 0;
    if (!r->profile) return rw_fail_memory(ctx, n, name);
    memcpy(r->profile, bytes, n);
    return RW_OK;
}

void rw_raster_free(rw_raster *r)
{
    rw_free(r->samples);
    rw_free(r->profile);
    *r = (rw_raster){0};
}

static rw_status fail_format(rw_context *ctx, const char *name)
{
    char known[160];
    int used = 0;
    for (int i = 0; i < RW_COUNT(formats); ++i)
        used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i ? ", " : "", formats[i]->name);
    return rw_fail(ctx, RW_ERR_INPUT, "%s: is not in a supported format (%s): convert it, e.g. with ImageMagick", name,
                   known);
}

/* As it is in the file. */
static rw_status parse_stored(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                              rw_raster *r)
{
    const rw_raster_format *f = NULL;
    *r = (rw_raster){0};
    for (int i = 0; i < RW_COUNT(formats) && !f; ++i)
        if (formats[i]->is(bytes, n)) f = formats[i];
    if (!f) return fail_format(ctx, name);
    rw_status status = f->parse(ctx, name, bytes, n, max_pixels, r);
    if (status != RW_OK) rw_raster_free(r);
    else if (r->pages > 1)
        rw_log(ctx, RW_LOG_WARNING, "%s: has %d pages (pictures): only the first is read", name, r->pages);
    else if (r->pages < 0) rw_log(ctx, RW_LOG_WARNING, "%s: has several pictures: only the first is read", name);
    return status;
}

rw_status rw_raster_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                          rw_raster *r)
{
    RW_TRY(parse_stored(ctx, name, bytes, n, max_pixels, r));
    rw_status status = rw_raster_orient(ctx, name, r);
    if (status != RW_OK) rw_raster_free(r);
    return status;
}

/* Compressed or as text, a picture has at most eight times the bytes of its samples. */
static rw_status read_file(rw_context *ctx, const char *path, size_t max_pixels, char **bytes, size_t *n)
{
    const size_t limit = max_pixels ? 3 * RW_MIN(max_pixels, SIZE_MAX / 64) : RW_MIN(rw_raster_limit(), SIZE_MAX / 64);
    return rw_file_read(ctx, path, 8 * limit + (1 << 20), bytes, n);
}

rw_status rw_raster_read(rw_context *ctx, const char *path, size_t max_pixels, rw_raster *r)
{
    char *bytes;
    size_t n;
    *r = (rw_raster){0};
    RW_TRY(read_file(ctx, path, max_pixels, &bytes, &n));
    rw_status status = rw_raster_parse(ctx, path, bytes, n, max_pixels, r);
    rw_free(bytes);
    return status;
}

rw_status rw_raster_read_stored(rw_context *ctx, const char *path, rw_raster *r)
{
    char *bytes;
    size_t n;
    *r = (rw_raster){0};
    RW_TRY(read_file(ctx, path, 0, &bytes, &n));
    rw_status status = parse_stored(ctx, path, bytes, n, 0, r);
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

static rw_status check_written(rw_context *ctx, const char *path, const rw_raster_format *f, const rw_raster *r)
{
    char endings[160];
    rw_raster_endings(endings, sizeof endings);
    if (!f) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: no picture format has this extension: %s", path, endings);
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
    if (r->orientation > 1 && !f->oriented)
        rw_log(ctx, RW_LOG_WARNING, "%s: %s cannot store the orientation (%d): write .png, .jpg or .tif, or apply it",
               path, f->name, r->orientation);
    if (r->profile && !f->profiled)
        rw_log(ctx, RW_LOG_WARNING, "%s: %s cannot store the ICC profile of the picture: write .png, .jpg or .tif",
               path, f->name);
    return RW_OK;
}

static rw_status write_as(rw_context *ctx, const char *path, const rw_raster_format *f, const rw_raster *r)
{
    rw_io_file s;
    RW_TRY(check_written(ctx, path, f, r));
    RW_TRY(rw_io_create(ctx, path, &s));
    rw_status status = f->write(&s, r);
    if (status == RW_OK) status = rw_io_commit(&s);
    rw_io_close(&s);
    return status;
}

rw_status rw_raster_write_to(rw_io_file *s, const rw_raster *r)
{
    const rw_raster_format *f = rw_raster_format_of(s->path);
    RW_TRY(check_written(s->ctx, s->path, f, r));
    return f->write(s, r);
}

rw_status rw_raster_write(rw_context *ctx, const char *path, const rw_raster *r)
{
    return write_as(ctx, path, rw_raster_format_of(path), r);
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
