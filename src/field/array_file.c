/* Arrays from files and to files: .npy (files/npy.h), and where the name ends in .mtx the dense files of the Matrix
 * Market (files/mtx.h), which count column after column where an array counts row after row. A file is read whole;
 * its numbers then become those of the array, on the host. */
#include <string.h>

#include "core/convert.h"
#include "device/device.h"
#include "files/mtx.h"
#include "files/npy.h"

static bool is_market(const char *path) { return rw_ends_in(path, ".mtx"); }

/* ---- load -------------------------------------------------------------------------------------------------------- */

/* What was read: element k of an array of rows x columns is number k, or where by_columns number (k mod columns) rows +
 * k / columns. */
typedef struct numbers {
    rw_dtype dtype;
    int ndim;
    int64_t shape[RW_MAX_NDIM];
    const void *data;
    bool by_columns;
} numbers;

static rw_status make(rw_device *dev, const char *path, const numbers *from, rw_dtype dtype, rw_array **array)
{
    const rw_dtype to = dtype ? dtype : from->dtype;
    void *data;
    if (rw_dtype_is_complex(from->dtype) && !rw_dtype_is_complex(to))
        return rw_fail(dev->ctx, RW_ERR_INPUT, "%s: contains complex entries (%s), but real ones (%s) are requested",
                       path, rw_dtype_name(from->dtype), rw_dtype_name(to));
    RW_TRY(rw_array_create(dev, to, from->ndim, from->shape, RW_MEMORY_DEVICE, array));
    rw_status status = rw_array_write(*array, &data);
    if (status != RW_OK) {
        rw_array_destroy(array);
        return status;
    }
    const int64_t n = (*array)->size, rows = from->shape[0], columns = from->ndim > 1 ? from->shape[1] : 1;
    if (!from->by_columns) {
        rw_dtype_convert(to, data, from->dtype, from->data, (size_t)n);
        return RW_OK;
    }
    const size_t size = rw_dtype_size(to), given = rw_dtype_size(from->dtype);
    for (int64_t k = 0; k < n; ++k) {
        const int64_t at = k % columns * rows + k / columns;
        rw_dtype_convert(to, (char *)data + (size_t)k * size, from->dtype,
                         (const char *)from->data + (size_t)at * given, 1);
    }
    return RW_OK;
}

static rw_status load_npy(rw_device *dev, const char *path, rw_dtype dtype, rw_array **array)
{
    rw_npy a;
    RW_TRY(rw_npy_read(dev->ctx, path, &a));
    numbers from = {.dtype = (rw_dtype)a.type, .ndim = RW_MAX(a.ndim, 1), .data = a.data};
    for (int i = 0; i < RW_MAX_NDIM; ++i) from.shape[i] = (int64_t)a.shape[i];
    rw_status status = make(dev, path, &from, dtype, array);
    rw_npy_free(&a);
    return status;
}

static rw_status load_market(rw_device *dev, const char *path, rw_dtype dtype, rw_array **array)
{
    rw_mtx m;
    RW_TRY(rw_mtx_read(dev->ctx, path, false, &m));
    const numbers from = {.dtype = m.is_complex ? RW_C128 : RW_F64,
                          .ndim = m.columns == 1 ? 1 : 2,
                          .shape = {m.rows, m.columns},
                          .data = m.value,
                          .by_columns = true};
    rw_status status =
        m.dense
            ? make(dev, path, &from, dtype, array)
            : rw_fail(
                  dev->ctx, RW_ERR_INPUT,
                  "%s: contains a sparse matrix in coordinate format, but a dense array is needed, '%%%%MatrixMarket "
                  "matrix array …'",
                  path);
    rw_mtx_free(&m);
    return status;
}

rw_status rw_array_load(rw_device *dev, const char *path, rw_dtype dtype, rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device");
    RW_NEED(path, "path");
    if (dtype && !rw_dtype_size(dtype))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s: dtype = %d is not one of rw_dtype", path, (int)dtype);
    return is_market(path) ? load_market(dev, path, dtype, array) : load_npy(dev, path, dtype, array);
}

/* ---- save -------------------------------------------------------------------------------------------------------- */

static rw_status save_market(rw_array *a, const char *path, const void *data)
{
    rw_context *ctx = a->device->ctx;
    const bool z = rw_dtype_is_complex(a->dtype);
    const size_t size = rw_dtype_size(a->dtype), parts = z ? 2 : 1;
    rw_mtx m = {.rows = a->shape[0], .columns = a->shape[1], .n = a->size, .is_complex = z, .dense = true};
    if (!rw_dtype_is_number(a->dtype))
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "%s: an array of %s: Matrix Market files support f32, f64, c64 and c128; use .npy for other types", path,
            rw_dtype_name(a->dtype));
    if (a->ndim > 2)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: an array of %d dimensions: Matrix Market files support two, .npy files eight", path,
                       a->ndim);
    m.value = rw_calloc((size_t)RW_MAX(m.n, 1), parts * sizeof *m.value);
    if (!m.value) return rw_fail_memory(ctx, (size_t)m.n * 16, path);
    for (int64_t k = 0; k < m.n; ++k) {
        const size_t at = parts * (size_t)(k % m.columns * m.rows + k / m.columns);
        rw_dtype_convert(z ? RW_C128 : RW_F64, m.value + at, a->dtype, (const char *)data + (size_t)k * size, 1);
    }
    rw_status status = rw_mtx_write(ctx, path, &m);
    rw_mtx_free(&m);
    return status;
}

rw_status rw_array_save(rw_array *a, const char *path)
{
    RW_NEED(a, "array");
    RW_NEED(path, "path");
    const void *data;
    size_t shape[RW_MAX_NDIM];
    RW_TRY(rw_array_read(a, &data));
    if (is_market(path)) return save_market(a, path, data);
    for (int i = 0; i < RW_MAX_NDIM; ++i) shape[i] = (size_t)a->shape[i];
    return rw_npy_write(a->device->ctx, path, a->dtype, a->ndim, shape, data);
}
