/* Images between files and arrays (rechenwerk/image_file.h). */
#include <math.h>
#include <string.h>

#include "io/image_file.h"
#include "io/raster.h"
#include "rechenwerk/image_file.h"

static bool is_npy(const char *path) { return rw_ends_in(path, ".npy"); }

static rw_status load_npy(rw_device *dev, const char *path, rw_array **array)
{
    RW_TRY(rw_array_load(dev, path, RW_DTYPE_DEFAULT, array));
    const int ndim = rw_array_ndim(*array);
    if (ndim == 2 || ndim == 3) return RW_OK;
    rw_array_destroy(array);
    return rw_fail(dev->ctx, RW_ERR_INPUT, "%s: an array of %d dimension%s: an image has two, or three with channels",
                   path, ndim, ndim == 1 ? "" : "s");
}

static rw_status load(rw_device *dev, const char *path, bool keep, rw_array **array, rw_raster *r)
{
    void *data;
    RW_TRY(keep ? rw_raster_read_stored(dev->ctx, path, r) : rw_raster_read(dev->ctx, path, 0, r));
    rw_raster_stretch(r);
    const int64_t shape[] = {(int64_t)r->height, (int64_t)r->width, r->channels};
    rw_status status = rw_array_create(dev, r->bytes == 2 ? RW_U16 : RW_U8, 3, shape, RW_MEMORY_DEVICE, array);
    if (status == RW_OK) status = rw_array_write(*array, &data);
    if (status == RW_OK) memcpy(data, r->samples, r->width * r->height * (size_t)r->channels * (size_t)r->bytes);
    if (status != RW_OK) rw_array_destroy(array);
    return status;
}

rw_status rw_image_load_tags(rw_device *dev, const char *path, bool keep, rw_array **array, rw_image_tags *tags)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(tags, "tags");
    *tags = (rw_image_tags){0};
    RW_NEED(dev, "device");
    RW_NEED(path, "path");
    if (is_npy(path)) return load_npy(dev, path, array);
    rw_raster r = {0};
    rw_status status = load(dev, path, keep, array, &r);
    if (status == RW_OK) {
        *tags = (rw_image_tags){r.orientation, r.pages ? r.pages : 1, r.profile, (int64_t)r.profile_bytes, {0}};
        r.profile = NULL;
    }
    rw_raster_free(&r);
    return status;
}

void rw_image_tags_free(rw_image_tags *tags)
{
    if (!tags) return;
    rw_free(tags->profile);
    *tags = (rw_image_tags){0};
}

rw_status rw_image_load(rw_device *dev, const char *path, rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device");
    RW_NEED(path, "path");
    rw_image_tags tags;
    const rw_status status = rw_image_load_tags(dev, path, false, array, &tags);
    rw_image_tags_free(&tags);
    return status;
}

bool rw_image_is_shown(rw_dtype t) { return t == RW_U8 || t == RW_U16 || t == RW_I16 || t == RW_F32 || t == RW_F64; }

double rw_image_fraction(const void *data, rw_dtype t, size_t i)
{
    return t == RW_F64   ? ((const double *)data)[i]
           : t == RW_F32 ? ((const float *)data)[i]
           : t == RW_I16 ? ((const int16_t *)data)[i] / 32767.0
           : t == RW_U16 ? ((const uint16_t *)data)[i] / 65535.0
                         : ((const uint8_t *)data)[i] / 255.0;
}

static void fill(rw_raster *r, const void *data, rw_dtype t)
{
    const double white = r->maximum;
    for (size_t i = 0, n = r->width * r->height * (size_t)r->channels; i < n; ++i) {
        const double v = rw_image_fraction(data, t, i), level = rint(white * (v > 0 ? v < 1 ? v : 1 : 0)); /* NaN: 0 */
        if (r->bytes == 2) ((uint16_t *)r->samples)[i] = (uint16_t)level;
        else ((uint8_t *)r->samples)[i] = (uint8_t)level;
    }
}

/* Byte 16 of a profile is the signature of its colour space. */
static bool fits_profile(const rw_image_tags *tags, int channels)
{
    const char *space = (const char *)tags->profile + 16;
    if (tags->profile_bytes < 20) return false;
    return channels < 3 ? !memcmp(space, "GRAY", 4) : !memcmp(space, "RGB ", 4);
}

static rw_status save(rw_array *a, const char *path, bool deep, const rw_image_tags *tags)
{
    rw_context *ctx = a->device->ctx;
    const void *data;
    rw_raster r = {0};
    if (a->ndim != 2 && a->ndim != 3)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: an array of %d dimensions: an image has two, or three with channels",
                       path, a->ndim);
    if (!rw_image_is_shown(a->dtype))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: an image of type %s cannot be written: use u8, u16, i16, f32 or "
                       "f64",
                       path, rw_dtype_name(a->dtype));
    const int64_t channels = a->ndim == 3 ? a->shape[2] : 1;
    RW_TRY(rw_array_read(a, &data));
    const int bytes = deep || a->dtype == RW_U16 ? 2 : 1;
    RW_TRY(rw_raster_create(ctx, path, (size_t)a->shape[1], (size_t)a->shape[0], (int)RW_MIN(channels, 64), bytes,
                            SIZE_MAX, &r));
    if (channels > 64) r.channels = 65; /* refused below */
    else if (rw_dtype_size(a->dtype) == (size_t)bytes && a->dtype != RW_I16)
        memcpy(r.samples, data, r.width * r.height * (size_t)r.channels * (size_t)r.bytes);
    else fill(&r, data, a->dtype);
    if (tags) r.orientation = tags->orientation;
    if (tags && tags->profile && !fits_profile(tags, r.channels))
        rw_log(ctx, RW_LOG_WARNING, "%s: the ICC profile of the input is not one for %s: it is left out", path,
               r.channels < 3 ? "grey" : "red, green, blue");
    else if (tags && tags->profile) {
        r.profile = tags->profile;
        r.profile_bytes = (size_t)tags->profile_bytes;
    }
    rw_status status = rw_raster_write(ctx, path, &r);
    r.profile = NULL;
    rw_raster_free(&r);
    return status;
}

static rw_status check_tags(const rw_array *a, const char *path, const rw_image_tags *tags)
{
    rw_context *ctx = a->device->ctx;
    RW_TRY(rw_reserved_check(ctx, "rw_image_tags", tags->reserved, RW_COUNT(tags->reserved)));
    if (tags->orientation >= 0 && tags->orientation <= 8 && (!tags->profile || tags->profile_bytes > 0)) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT,
                   "%s: tags with orientation %d and a profile of %lld bytes: the orientation is 0 … 8, and a profile "
                   "has bytes",
                   path, tags->orientation, (long long)tags->profile_bytes);
}

rw_status rw_image_save_tags(rw_array *a, const char *path, bool deep, const rw_image_tags *tags)
{
    RW_NEED(a, "array");
    RW_NEED(path, "path");
    if (tags) RW_TRY(check_tags(a, path, tags));
    if (is_npy(path)) return rw_array_save(a, path);
    if (a->contiguous) return save(a, path, deep, tags);
    rw_array *copy;
    RW_TRY(rw_array_create(a->device, a->dtype, a->ndim, a->shape, RW_MEMORY_DEVICE, &copy));
    rw_status status = rw_array_copy(copy, a, rw_device_queue(a->device));
    if (status == RW_OK) status = save(copy, path, deep, tags);
    rw_array_destroy(&copy);
    return status;
}

rw_status rw_image_save(rw_array *a, const char *path, bool deep)
{
    RW_NEED(a, "array");
    RW_NEED(path, "path");
    return rw_image_save_tags(a, path, deep, NULL);
}
