/* Images between files and arrays (rechenwerk/image.h). */
#include <math.h>
#include <string.h>

#include "io/image_file.h"
#include "io/raster.h"
#include "rechenwerk/image.h"

static bool is_npy(const char *path) { return rw_ends_in(path, ".npy"); }

rw_status rw_image_load(rw_device *dev, const char *path, rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device");
    RW_NEED(path, "path");
    if (is_npy(path)) {
        RW_TRY(rw_array_load(dev, path, RW_DTYPE_DEFAULT, array));
        const int ndim = rw_array_ndim(*array);
        if (ndim == 2 || ndim == 3) return RW_OK;
        rw_array_destroy(array);
        return rw_fail(dev->ctx, RW_ERR_INPUT,
                       "%s: an array of %d dimension%s: an image has two, or three with channels", path, ndim,
                       ndim == 1 ? "" : "s");
    }
    rw_raster r;
    void *data;
    RW_TRY(rw_raster_read(dev->ctx, path, 0, &r));
    rw_raster_stretch(&r);
    const int64_t shape[] = {(int64_t)r.height, (int64_t)r.width, r.channels};
    rw_status status = rw_array_create(dev, r.bytes == 2 ? RW_U16 : RW_U8, 3, shape, RW_MEMORY_DEVICE, array);
    if (status == RW_OK) status = rw_array_write(*array, &data);
    if (status == RW_OK) memcpy(data, r.samples, r.width * r.height * (size_t)r.channels * (size_t)r.bytes);
    rw_raster_free(&r);
    if (status != RW_OK) rw_array_destroy(array);
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

static rw_status save(rw_array *a, const char *path, bool deep)
{
    rw_context *ctx = a->device->ctx;
    const void *data;
    rw_raster r;
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
    RW_TRY(
        rw_raster_create(ctx, path, (size_t)a->shape[1], (size_t)a->shape[0], (int)RW_MIN(channels, 64), bytes, 0, &r));
    if (channels > 64) r.channels = 65; /* refused below */
    else if (rw_dtype_size(a->dtype) == (size_t)bytes && a->dtype != RW_I16)
        memcpy(r.samples, data, r.width * r.height * (size_t)r.channels * (size_t)r.bytes);
    else fill(&r, data, a->dtype);
    rw_status status = rw_raster_write(ctx, path, &r);
    rw_raster_free(&r);
    return status;
}

rw_status rw_image_save(rw_array *a, const char *path, bool deep)
{
    RW_NEED(a, "array");
    RW_NEED(path, "path");
    if (is_npy(path)) return rw_array_save(a, path);
    if (a->contiguous) return save(a, path, deep);
    rw_array *copy;
    RW_TRY(rw_array_create(a->device, a->dtype, a->ndim, a->shape, RW_MEMORY_DEVICE, &copy));
    rw_status status = rw_array_copy(copy, a, rw_device_queue(a->device));
    if (status == RW_OK) status = save(copy, path, deep);
    rw_array_destroy(&copy);
    return status;
}
