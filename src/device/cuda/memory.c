/* Memory of a CUDA device and copies to and from it.
 *
 * Copies are put into the queue's stream; a blocking one waits for the stream, also where the driver would have
 * returned later. The address of managed memory is the same on host and device. */
#include <string.h>

#include "device/cuda/cuda.h"

rw_status rw_cuda_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    bool managed = memory == RW_MEMORY_MANAGED, mapped = memory == RW_MEMORY_MAPPED;
    CUdeviceptr address = 0;
    if (managed && !dev->info.managed)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s has no managed memory: use RW_MEMORY_DEVICE or _PINNED",
                       dev->info.name);
    bool entered = rw_cuda_enter(s);
    void *host = NULL;
    CUresult error = mapped ? s->cu->cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)
                     : managed ? s->cu->cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL)
                               : s->cu->cuMemAlloc_v2(&address, bytes);
    if (!error && mapped && (error = s->cu->cuMemHostGetDevicePointer_v2(&address, host, 0)))
        s->cu->cuMemFreeHost(host);
    rw_status status = RW_OK;
    if (error) status = rw_cuda_fail(dev, error, "an array: wanted %.1f MiB", (double)bytes / 0x1p20);
    rw_cuda_leave(s, entered);
    if (error) return status;
    void *pointer = (void *)(uintptr_t)address;
    *buffer = (rw_buffer){.pointer = pointer,
                          .bytes = bytes,
                          .memory = memory,
                          .host = mapped    ? host
                                  : managed ? pointer
                                            : NULL};
    return RW_OK;
}

void rw_cuda_free(rw_device *dev, rw_buffer *buffer)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    if (!buffer->pointer) return;
    bool entered = rw_cuda_enter(s);
    if (buffer->memory == RW_MEMORY_MAPPED) s->cu->cuMemFreeHost(buffer->host);
    else s->cu->cuMemFree_v2(rw_cuda_address(buffer));
    rw_cuda_leave(s, entered);
    buffer->pointer = buffer->host = NULL;
}

/* What the four operations on a stream end with. */
static rw_status finish(rw_queue *q, CUresult error, bool blocking, bool entered, size_t bytes, const char *what)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    if (!error && blocking) error = s->cu->cuStreamSynchronize(q->state);
    rw_status status = error ? rw_cuda_fail(q->device, error, "%s %zu bytes", what, bytes) : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

rw_status rw_cuda_copy_in(rw_queue *q, rw_buffer *dst, const void *src, size_t bytes, bool blocking)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuMemcpyHtoDAsync_v2(rw_cuda_address(dst), src, bytes, q->state);
    return finish(q, error, blocking, entered, bytes, "copying to the device:");
}

rw_status rw_cuda_copy_out(rw_queue *q, void *dst, rw_buffer *src, size_t bytes, bool blocking)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuMemcpyDtoHAsync_v2(dst, rw_cuda_address(src), bytes, q->state);
    return finish(q, error, blocking, entered, bytes, "copying from the device:");
}

rw_status rw_cuda_copy(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuMemcpyDtoDAsync_v2(rw_cuda_address(dst), rw_cuda_address(src), bytes, q->state);
    return finish(q, error, false, entered, bytes, "copying on the device:");
}

rw_status rw_cuda_zero(rw_queue *q, rw_buffer *dst, size_t bytes)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = bytes % 4 ? s->cu->cuMemsetD8Async(rw_cuda_address(dst), 0, bytes, q->state)
                               : s->cu->cuMemsetD32Async(rw_cuda_address(dst), 0, bytes / 4, q->state);
    return finish(q, error, false, entered, bytes, "setting to zero:");
}

rw_status rw_cuda_host_alloc(rw_device *dev, size_t bytes, void **host)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    *host = NULL;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuMemHostAlloc(host, bytes, CU_MEMHOSTALLOC_PORTABLE);
    rw_cuda_leave(s, entered);
    if (error == CUDA_ERROR_OUT_OF_MEMORY)
        return rw_fail(dev->ctx, RW_ERR_MEMORY, "%s: no page-locked host memory: wanted %.1f MiB: use RW_MEMORY_DEVICE",
                       dev->info.name, (double)bytes / 0x1p20);
    return error ? rw_cuda_fail(dev, error, "page-locked host memory: wanted %.1f MiB", (double)bytes / 0x1p20) : RW_OK;
}

void rw_cuda_host_free(rw_device *dev, void *host)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    bool entered = rw_cuda_enter(s);
    s->cu->cuMemFreeHost(host);
    rw_cuda_leave(s, entered);
}

/* Memory of this GPU, managed memory, or page-locked host memory that it can address. */
rw_status rw_cuda_tensor_import(rw_device *dev, const rw_tensor *t, rw_buffer *buffer, size_t *offset, void **host)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    const CUdeviceptr given = (CUdeviceptr)(uintptr_t)t->data + t->byte_offset;
    unsigned type = 0, managed = 0;
    int ordinal = -1;
    CUdeviceptr address = given, start = 0;
    size_t size = 0;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, given);
    if (!error) s->cu->cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, given);
    if (!error) error = s->cu->cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, given);
    if (!error) error = s->cu->cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, given);
    if (!error && s->cu->cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, given) == CUDA_SUCCESS)
        s->cu->cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, given);
    rw_cuda_leave(s, entered);
    const bool on_host = type == CU_MEMORYTYPE_HOST && !managed;
    if (error || (!on_host && !managed && ordinal != dev->index))
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_import: data = %p is %s: memory of %s, managed or page-locked host memory is needed; other "
            "memory of the host is for the cpu device",
            t->data, error ? "no address that the CUDA driver knows" : "memory of another GPU", dev->info.name);
    *buffer = (rw_buffer){.pointer = (void *)(uintptr_t)address,
                          .bytes = size ? size - (size_t)(given - start) : SIZE_MAX,
                          .memory = managed   ? RW_MEMORY_MANAGED
                                    : on_host ? RW_MEMORY_MAPPED
                                              : RW_MEMORY_DEVICE};
    *host = managed || on_host ? (void *)(uintptr_t)given : NULL;
    buffer->host = *host;
    *offset = 0;
    return RW_OK;
}
