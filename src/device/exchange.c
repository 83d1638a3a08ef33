/* Memory that other libraries share, in the form of DLPack, and buffers of OpenGL. */
#include <stdlib.h>
#include <string.h>

#include "device/storage.h"

static const struct {
    rw_dtype dtype;
    rw_tensor_code code;
    uint8_t bits;
} codes[] = {{RW_F32, RW_TENSOR_FLOAT, 32},   {RW_F64, RW_TENSOR_FLOAT, 64},   {RW_F16, RW_TENSOR_FLOAT, 16},
             {RW_BF16, RW_TENSOR_BFLOAT, 16}, {RW_C64, RW_TENSOR_COMPLEX, 64}, {RW_C128, RW_TENSOR_COMPLEX, 128},
             {RW_I8, RW_TENSOR_INT, 8},       {RW_I16, RW_TENSOR_INT, 16},     {RW_I32, RW_TENSOR_INT, 32},
             {RW_I64, RW_TENSOR_INT, 64},     {RW_U8, RW_TENSOR_UINT, 8},      {RW_U16, RW_TENSOR_UINT, 16},
             {RW_U32, RW_TENSOR_UINT, 32},    {RW_U64, RW_TENSOR_UINT, 64},    {RW_BOOL, RW_TENSOR_BOOL, 8}};

static rw_dtype dtype_of(const rw_tensor *t)
{
    for (int i = 0; i < RW_COUNT(codes); ++i)
        if (codes[i].code == (rw_tensor_code)t->code && codes[i].bits == t->bits && t->lanes == 1)
            return codes[i].dtype;
    return RW_DTYPE_DEFAULT;
}

/* ---- import ------------------------------------------------------------------------------------------------------ */

static rw_status check_tensor(rw_device *dev, const rw_tensor *t)
{
    if (!dtype_of(t))
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_import: the element type of code %d, %d bits, %d lanes is not supported: use f16 to f64, bf16, "
            "c64, c128, integers of 8 to 64 bits or bool in one lane",
            t->code, t->bits, t->lanes);
    if (t->ndim < 0 || t->ndim > RW_MAX_NDIM || (t->ndim && !t->shape))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_array_import: ndim = %d is outside [0, %d]%s", (int)t->ndim,
                       RW_MAX_NDIM, t->ndim && !t->shape ? ", or shape is NULL" : "");
    return RW_OK;
}

/* Memory of the host, which is what kernels of the cpu device use. */
static rw_status import_host(rw_device *dev, const rw_tensor *t, rw_buffer *buffer, void **host)
{
    if (dev->ops->discrete)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED,
                       "rw_array_import: %s can check only memory that it allocated: use rw_array_create_from",
                       dev->info.name);
    if (t->device_type != RW_TENSOR_CPU && t->device_type != RW_TENSOR_CUDA_HOST &&
        t->device_type != RW_TENSOR_CUDA_MANAGED)
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_import: the tensor has device type %d, but %s needs host memory (type %d): open the tensor's "
            "device",
            (int)t->device_type, dev->info.name, RW_TENSOR_CPU);
    if (!t->data) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_array_import: data is NULL");
    *host = (char *)t->data + t->byte_offset;
    *buffer = (rw_buffer){.pointer = *host, .bytes = SIZE_MAX, .host = *host};
    return RW_OK;
}

/* The array's first element moved to where its memory begins: strides may lead below it. */
static rw_status place(rw_array *a, rw_device *dev, const rw_tensor *t, rw_buffer *buffer, void **host)
{
    const int64_t item = (int64_t)rw_dtype_size(a->dtype);
    int64_t low = 0, high = 0;
    size_t offset = 0;
    for (int d = 0; d < a->ndim && a->size; ++d) {
        int64_t span;
        if (__builtin_mul_overflow(a->shape[d] - 1, a->stride[d], &span) || llabs(span) > INT64_MAX / 64 / item)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_array_import: strides[%d] = %lld is too large", d,
                           (long long)a->stride[d]);
        *(span < 0 ? &low : &high) += span;
    }
    if (!a->size) *buffer = (rw_buffer){.pointer = t->data};
    else
        RW_TRY(dev->ops->tensor_import ? dev->ops->tensor_import(dev, t, buffer, &offset, host)
                                       : import_host(dev, t, buffer, host));
    const bool is_address = t->device_type != RW_TENSOR_OPENCL;
    if ((is_address ? (uintptr_t)buffer->pointer : offset) % (uintptr_t)item && a->size)
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_import: the data at %p + %zu is not aligned to the %lld bytes of %s: copy it into aligned memory",
            t->data, (size_t)t->byte_offset, (long long)item, rw_dtype_name(a->dtype));
    if ((!is_address && (int64_t)offset + low * item < 0) ||
        (a->size && (uint64_t)(high + 1) * (uint64_t)item > buffer->bytes - offset))
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_import: shape and strides of the tensor extend %lld bytes beyond its first element, but its "
            "memory only %zu",
            (long long)((high + 1) * item), buffer->bytes - offset);
    if (is_address) {
        buffer->pointer = (char *)buffer->pointer + low * item;
        if (*host) {
            *host = (char *)*host + low * item;
            buffer->host = *host;
        }
        buffer->bytes = a->size ? (size_t)((high - low + 1) * item) : 0;
        a->offset = -low;
    } else {
        a->offset = (int64_t)offset / item;
    }
    return RW_OK;
}

static rw_status import(rw_device *dev, rw_managed_tensor *tensor, rw_array *a)
{
    const rw_tensor *t = &tensor->tensor;
    rw_buffer buffer = {0};
    void *host = NULL;
    for (int d = 0; d < a->ndim && t->strides && t->ndim; ++d) a->stride[d] = t->strides[d];
    RW_TRY(place(a, dev, t, &buffer, &host));
    RW_TRY(rw_storage_import(dev, &buffer, host, tensor, &a->storage));
    rw_array_find_layout(a);
    a->view = true;
    return RW_OK;
}

rw_status rw_array_import(rw_device *dev, rw_managed_tensor *tensor, rw_array **array)
{
    static const int64_t one = 1;
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device");
    RW_NEED(tensor, "tensor");
    const rw_tensor *t = &tensor->tensor;
    RW_TRY(check_tensor(dev, t));
    const int ndim = RW_MAX(t->ndim, 1);
    const int64_t *shape = t->ndim ? t->shape : &one; /* a number without dimensions is one of length 1 */
    int64_t size;
    RW_TRY(rw_array_check_shape(dev, dtype_of(t), ndim, shape, &size));
    RW_TRY(rw_array_make(dev, dtype_of(t), ndim, shape, size, array));
    rw_status status = import(dev, tensor, *array);
    if (status != RW_OK) rw_array_destroy(array);
    return status;
}

/* ---- export ------------------------------------------------------------------------------------------------------ */

typedef struct exported {
    rw_managed_tensor tensor;
    rw_array *array;
    int64_t shape[RW_MAX_NDIM], strides[RW_MAX_NDIM];
} exported;

static void end_export(rw_managed_tensor *tensor)
{
    exported *e = tensor->owner;
    rw_array_destroy(&e->array);
    rw_free(e);
}

rw_status rw_array_export(rw_array *a, rw_queue *q, rw_managed_tensor **tensor)
{
    RW_NEED(tensor, "tensor");
    *tensor = NULL;
    RW_NEED(a, "array");
    RW_NEED(q, "queue");
    rw_device *dev = a->device;
    RW_TRY(rw_orphan_check(dev));
    const uint8_t place = dev->ops->tensor_device[a->storage->memory];
    if (!place)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED,
                       "rw_array_export: %s checks every access to its memory, so the memory cannot be exported",
                       dev->info.name);
    if (q->device != dev)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "rw_array_export: the array is on %s, the queue on %s: both must belong to the same device",
                       dev->info.name, q->device->info.name);
    RW_TRY(rw_storage_use(a->storage, q));
    exported *e = rw_calloc(1, sizeof *e);
    if (!e) return rw_fail_memory(dev->ctx, sizeof *e, "a tensor");
    rw_tensor *t = &e->tensor.tensor;
    t->device_type = place;
    t->data = t->device_type == RW_TENSOR_CUDA_HOST ? a->storage->host : a->storage->allocation->buffer.pointer;
    t->device_id = t->device_type == RW_TENSOR_CPU ? 0 : dev->index;
    t->ndim = a->ndim;
    t->lanes = 1;
    for (int i = 0; i < RW_COUNT(codes); ++i)
        if (codes[i].dtype == a->dtype) {
            t->code = (uint8_t)codes[i].code;
            t->bits = codes[i].bits;
        }
    memcpy(e->shape, a->shape, sizeof e->shape);
    memcpy(e->strides, a->stride, sizeof e->strides);
    t->shape = e->shape;
    t->strides = e->strides;
    t->byte_offset = (uint64_t)a->offset * rw_dtype_size(a->dtype);
    e->array = rw_array_retain(a);
    e->tensor.owner = e;
    e->tensor.deleter = end_export;
    a->storage->shared = true;
    a->storage->device_current = true;
    a->storage->host_current = rw_storage_one(a->storage);
    *tensor = &e->tensor;
    return RW_OK;
}

/* ---- OpenGL ------------------------------------------------------------------------------------------------------ */

rw_status rw_gl_buffer_import(rw_device *dev, unsigned gl_buffer, rw_gl_buffer *b)
{
    *b = (rw_gl_buffer){.device = dev};
    if (!dev->ops->gl_import)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s cannot share memory with OpenGL", dev->info.name);
    return dev->ops->gl_import(dev, gl_buffer, &b->resource);
}

rw_status rw_gl_buffer_copy(const rw_gl_buffer *b, rw_array *src, rw_queue *q)
{
    rw_buffer *from;
    RW_TRY(rw_array_buffer(src, &from));
    RW_TRY(rw_storage_use(src->storage, q));
    rw_count(b->device, &b->device->counters.copies_device, 1);
    rw_count(b->device, &b->device->counters.bytes_device, (int64_t)from->bytes);
    return b->device->ops->gl_copy(q, b->resource, from);
}

void rw_gl_buffer_release(rw_gl_buffer *b)
{
    if (b->resource) b->device->ops->gl_release(b->device, b->resource);
    *b = (rw_gl_buffer){0};
}
