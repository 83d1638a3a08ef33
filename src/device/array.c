/* Arrays: a shape on a piece of memory (storage.c). Views are in view.c. */
#include <stdlib.h>
#include <string.h>

#include "device/storage.h"

/* Bytes of the shape, refused when they overflow. */
rw_status rw_array_check_shape(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, int64_t *size)
{
    if (!rw_dtype_size(dtype))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "dtype = %d is not one of rw_dtype", (int)dtype);
    if (ndim < 1 || ndim > RW_MAX_NDIM)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "ndim = %d is outside [1, %d], the allowed dimensions of an array",
                       ndim, RW_MAX_NDIM);
    int64_t n = 1, limit = INT64_MAX / (int64_t)rw_dtype_size(dtype);
    for (int d = 0; d < ndim; ++d) {
        if (shape[d] < 0)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "shape[%d] = %lld is negative", d, (long long)shape[d]);
        if (shape[d] == 0) n = 0;
    }
    for (int d = 0; d < ndim && n > 0; ++d) {
        if (n > limit / shape[d])
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "an array of %lld x %lld … elements exceeds 2^63 bytes",
                           (long long)n, (long long)shape[d]);
        n *= shape[d];
    }
    *size = n;
    return RW_OK;
}

rw_status rw_array_make(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, int64_t size, rw_array **array)
{
    rw_array *a = rw_calloc(1, sizeof *a);
    *array = NULL;
    if (!a) return rw_fail_memory(dev->ctx, sizeof *a, "an array");
    a->references = 1;
    a->device = rw_device_retain(dev);
    a->dtype = dtype;
    a->ndim = ndim;
    a->size = size;
    a->bytes = (size_t)size * rw_dtype_size(dtype);
    for (int d = 0; d < RW_MAX_NDIM; ++d) {
        a->shape[d] = d < ndim ? shape[d] : 1;
        a->stride[d] = 1;
    }
    for (int d = ndim - 2; d >= 0; --d) a->stride[d] = a->stride[d + 1] * RW_MAX(shape[d + 1], 1);
    a->contiguous = true;
    *array = a;
    return RW_OK;
}

rw_status rw_array_create(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, rw_memory memory,
                          rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device");
    RW_NEED(shape, "shape");
    int64_t size = 0;
    RW_TRY(rw_array_check_shape(dev, dtype, ndim, shape, &size));
    RW_TRY(rw_array_make(dev, dtype, ndim, shape, size, array));
    rw_status status = rw_storage_create(dev, (*array)->bytes, memory, &(*array)->storage);
    if (status != RW_OK) rw_array_destroy(array);
    return status;
}

rw_status rw_array_create_from(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, void *data,
                               rw_copy_mode mode, rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device");
    RW_NEED(shape, "shape");
    if ((unsigned)mode > RW_OWN)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "mode = %d is not one of rw_copy_mode", (int)mode);
    if (mode != RW_COPY && rw_dtype_size(dtype) && (uintptr_t)data % rw_dtype_size(dtype))
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_create_from: data = %p is not aligned to the %zu bytes of %s; memory used in place must be: "
            "align it, or use RW_COPY",
            data, rw_dtype_size(dtype), rw_dtype_name(dtype));
    int64_t size = 0;
    RW_TRY(rw_array_check_shape(dev, dtype, ndim, shape, &size));
    if (size > 0 && !data)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "data = NULL for an array of %lld elements", (long long)size);
    if (mode == RW_COPY) {
        void *host;
        RW_TRY(rw_array_create(dev, dtype, ndim, shape, RW_MEMORY_DEVICE, array));
        rw_status status = rw_array_write(*array, &host);
        if (status != RW_OK) rw_array_destroy(array);
        else if (size) memcpy(host, data, (*array)->bytes);
        return status;
    }
    RW_TRY(rw_array_make(dev, dtype, ndim, shape, size, array));
    rw_status status = rw_storage_lend(dev, (*array)->bytes, data, mode, &(*array)->storage);
    if (status != RW_OK) rw_array_destroy(array);
    return status;
}

rw_dtype rw_array_dtype(const rw_array *a) { return a ? a->dtype : RW_F32; }
int rw_array_ndim(const rw_array *a) { return a ? a->ndim : 0; }
static int64_t of_axis(const int64_t values[RW_MAX_NDIM], int axis)
{
    return axis >= 0 && axis < RW_MAX_NDIM ? values[axis] : 1;
}
int64_t rw_array_shape(const rw_array *a, int axis) { return a ? of_axis(a->shape, axis) : 0; }
int64_t rw_array_stride(const rw_array *a, int axis) { return a ? of_axis(a->stride, axis) : 0; }
int64_t rw_array_offset(const rw_array *a) { return a ? a->offset : 0; }
int64_t rw_array_size(const rw_array *a) { return a ? a->size : 0; }
bool rw_array_is_contiguous(const rw_array *a) { return a && a->contiguous; }
rw_device *rw_array_device(const rw_array *a) { return a ? a->device : NULL; }

bool rw_array_may_swap(const rw_array *a)
{
    return !a->view && !a->storage->shared && a->storage->host_owner != RW_HOST_BORROWED;
}

/* ---- host pointers ----------------------------------------------------------------------------------------------- */

static rw_status need_contiguous(const rw_array *a, const char *function)
{
    if (a->contiguous) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                   "%s: a view of %lld %s is not contiguous: copy it into an array first (rw_array_copy)", function,
                   (long long)a->size, rw_dtype_name(a->dtype));
}

static rw_status need_written(const rw_array *a, const char *what)
{
    if (rw_storage_is_written(a->storage) || !a->size) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT, "an array of %lld %s is %s before anything was written to it",
                   (long long)a->size, rw_dtype_name(a->dtype), what);
}

static void *host_of(const rw_array *a)
{
    return a->storage->host ? (char *)a->storage->host + (size_t)a->offset * rw_dtype_size(a->dtype) : NULL;
}

rw_status rw_array_read(rw_array *a, const void **data)
{
    RW_NEED(data, "data");
    RW_NEED(a, "array");
    RW_TRY(need_contiguous(a, "rw_array_read"));
    RW_TRY(need_written(a, "read"));
    RW_TRY(rw_storage_fetch(a->storage));
    *data = host_of(a);
    return RW_OK;
}

rw_status rw_array_write(rw_array *a, void **data)
{
    RW_NEED(data, "data");
    *data = NULL;
    RW_NEED(a, "array");
    RW_TRY(need_contiguous(a, "rw_array_write"));
    RW_TRY(a->view && rw_storage_is_written(a->storage) ? rw_storage_update(a->storage)
                                                        : rw_storage_overwrite(a->storage));
    *data = host_of(a);
    return RW_OK;
}

rw_status rw_array_update(rw_array *a, void **data)
{
    RW_NEED(data, "data");
    *data = NULL;
    RW_NEED(a, "array");
    RW_TRY(need_contiguous(a, "rw_array_update"));
    RW_TRY(need_written(a, "read"));
    RW_TRY(rw_storage_update(a->storage));
    *data = host_of(a);
    return RW_OK;
}

/* ---- in queues --------------------------------------------------------------------------------------------------- */

static rw_status check_queue(const rw_array *a, const rw_queue *q, const char *what)
{
    if (a->device == q->device) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                   "%s: the array is on %s, the queue on %s: both must belong to the same device", what,
                   a->device->info.name, q->device->info.name);
}

static rw_status refuse_recorded_copy(rw_context *ctx, const char *what)
{
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s while the queue is recording: a recorded sequence can contain kernels only", what);
}

rw_status rw_array_send(rw_array *a, rw_queue *q)
{
    RW_NEED(a, "array");
    RW_NEED(q, "queue");
    RW_TRY(check_queue(a, q, "rw_array_send"));
    return rw_storage_start_send(a->storage, q);
}

rw_status rw_array_fetch(rw_array *a, rw_queue *q)
{
    RW_NEED(a, "array");
    RW_NEED(q, "queue");
    RW_TRY(check_queue(a, q, "rw_array_fetch"));
    if (q->recording || rw_storage_is_recorded(a->storage))
        return refuse_recorded_copy(a->device->ctx, "rw_array_fetch");
    return rw_storage_start_fetch(a->storage, q);
}

static bool equal_shapes(const rw_array *a, const rw_array *b)
{
    return a->ndim == b->ndim && !memcmp(a->shape, b->shape, sizeof a->shape);
}

static rw_status check_copy(const rw_array *dst, const rw_array *src)
{
    rw_context *ctx = dst->device->ctx;
    const bool shapes = (dst->contiguous && src->contiguous) || equal_shapes(dst, src);
    if (src->device != dst->device || src->size != dst->size || !shapes)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_array_copy: %lld %s on %s to %lld %s on %s: %s must be equal",
                       (long long)src->size, rw_dtype_name(src->dtype), src->device->info.name, (long long)dst->size,
                       rw_dtype_name(dst->dtype), dst->device->info.name, shapes ? "size and device" : "shapes");
    if (rw_dtype_is_complex(src->dtype) && !rw_dtype_is_complex(dst->dtype))
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "rw_array_copy: %s to %s: a complex array cannot be copied to a real one: copy a view of its real or "
            "imaginary parts",
            rw_dtype_name(src->dtype), rw_dtype_name(dst->dtype));
    return rw_array_check_written(dst, "rw_array_copy");
}

rw_status rw_array_check_written(const rw_array *a, const char *what)
{
    if (!a->overlaps) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                   "%s: a view of %lld %s whose elements overlap in memory cannot be written, only read", what,
                   (long long)a->size, rw_dtype_name(a->dtype));
}

static rw_status copy_bytes(rw_array *dst, rw_array *src, rw_queue *q, rw_buffer *to, rw_buffer *from)
{
    rw_device *dev = dst->device;
    RW_TRY(rw_storage_use(src->storage, q));
    RW_TRY(rw_storage_use(dst->storage, q));
    RW_TRY(dev->ops->copy(q, to, from, dst->bytes));
    rw_storage_written(dst->storage);
    rw_count(dev, &dev->counters.copies_device, 1);
    rw_count(dev, &dev->counters.bytes_device, (int64_t)dst->bytes);
    return RW_OK;
}

rw_status rw_array_copy(rw_array *dst, rw_array *src, rw_queue *q)
{
    RW_NEED(dst, "dst");
    RW_NEED(src, "src");
    RW_NEED(q, "queue");
    RW_TRY(check_copy(dst, src));
    RW_TRY(check_queue(dst, q, "rw_array_copy"));
    if (q->recording) return refuse_recorded_copy(dst->device->ctx, "rw_array_copy");
    RW_TRY(need_written(src, "copied"));
    rw_buffer *to, *from;
    const bool bytes = dst->dtype == src->dtype && dst->contiguous && src->contiguous &&
                       rw_array_buffer(dst, &to) == RW_OK && rw_array_buffer(src, &from) == RW_OK;
    if (!dst->bytes) return RW_OK;
    return bytes ? copy_bytes(dst, src, q, to, from) : rw_array_convert(dst, src, q);
}

rw_status rw_array_swap(rw_array *a, rw_array *b)
{
    RW_NEED(a, "a");
    RW_NEED(b, "b");
    if (a->device != b->device || a->dtype != b->dtype || a->size != b->size ||
        a->storage->memory != b->storage->memory)
        return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                       "rw_array_swap: %lld %s and %lld %s: dtype, size, memory and device must be equal",
                       (long long)a->size, rw_dtype_name(a->dtype), (long long)b->size, rw_dtype_name(b->dtype));
    if (a->view || b->view || a->storage->shared || b->storage->shared)
        return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                       "rw_array_swap: a view or an array with shared memory cannot be swapped: use rw_array_copy");
    rw_storage_swap(a->storage, b->storage);
    return RW_OK;
}

rw_status rw_array_zero(rw_array *a, rw_queue *q)
{
    RW_NEED(a, "array");
    RW_NEED(q, "queue");
    RW_TRY(check_queue(a, q, "rw_array_zero"));
    if (q->recording) return refuse_recorded_copy(a->device->ctx, "rw_array_zero");
    RW_TRY(rw_array_check_written(a, "rw_array_zero"));
    if (!a->bytes) return RW_OK;
    rw_buffer *buffer;
    if (!a->contiguous || rw_array_buffer(a, &buffer) != RW_OK) return rw_array_fill_zero(a, q);
    RW_TRY(a->view ? rw_storage_use(a->storage, q) : rw_storage_order(a->storage, q));
    RW_TRY(a->device->ops->zero(q, buffer, a->bytes));
    rw_storage_used(a->storage, q);
    rw_storage_written(a->storage);
    return RW_OK;
}
