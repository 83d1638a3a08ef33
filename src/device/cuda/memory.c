/* Memory of a CUDA device and copies to and from it.
 *
 * Copies are put into the queue's stream; a blocking one waits for the stream, also where the driver would have
 * returned later. The address of managed memory is the same on host and device. */
#include <string.h>

#include "device/cuda/cuda.h"

rw_status rw_cuda_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    bool managed = memory == RW_MEMORY_MANAGED;
    CUdeviceptr address = 0;
    if (managed && !dev->info.managed)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s has no managed memory: use RW_MEMORY_DEVICE or _PINNED",
                       dev->info.name);
    bool entered = rw_cuda_enter(s);
    CUresult error = managed ? s->cu->cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL)
                             : s->cu->cuMemAlloc_v2(&address, bytes);
    rw_status status = RW_OK;
    if (error) status = rw_cuda_fail(dev, error, "an array: wanted %.1f MiB", (double)bytes / 0x1p20);
    rw_cuda_leave(s, entered);
    if (error) return status;
    void *pointer = (void *)(uintptr_t)address;
    *buffer = (rw_buffer){.pointer = pointer, .bytes = bytes, .memory = memory, .host = managed ? pointer : NULL};
    return RW_OK;
}

void rw_cuda_free(rw_device *dev, rw_buffer *buffer)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    if (!buffer->pointer) return;
    bool entered = rw_cuda_enter(s);
    s->cu->cuMemFree_v2(rw_cuda_address(buffer));
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
