/* Buffers of an OpenCL device and copies to and from them.
 *
 * Page-locked host memory is a buffer made with CL_MEM_ALLOC_HOST_PTR that stays mapped while the host uses it: drivers
 * copy from such memory without staging. There is no managed memory: OpenCL 1.2 has none. */
#include <string.h>

#include "device/opencl/opencl.h"

static rw_status fail_alloc(rw_device *dev, cl_int error, size_t bytes)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    if (s->largest && bytes > s->largest)
        return rw_fail(dev->ctx, RW_ERR_MEMORY,
                       "%s: an array of %.1f MiB is larger than the %.1f MiB that the driver allows for one: make the "
                       "problem smaller or use f32",
                       dev->info.name, (double)bytes / 0x1p20, (double)s->largest / 0x1p20);
    if (error != CL_MEM_OBJECT_ALLOCATION_FAILURE && error != CL_OUT_OF_RESOURCES && error != CL_OUT_OF_HOST_MEMORY &&
        error != CL_INVALID_BUFFER_SIZE)
        return rw_opencl_fail(dev, error, "an array of %.1f MiB", (double)bytes / 0x1p20);
    return rw_fail(dev->ctx, RW_ERR_MEMORY,
                   "%s: no memory for an array: wanted %.1f MiB, about %.1f of %.1f MiB are free (%s): make the "
                   "problem smaller, use f32 or close other programs",
                   dev->info.name, (double)bytes / 0x1p20, (double)rw_opencl_memory_free(dev) / 0x1p20,
                   (double)dev->info.memory / 0x1p20, rw_opencl_error_name(error));
}

rw_status rw_opencl_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    cl_int error;
    if (memory == RW_MEMORY_MANAGED)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s has no managed memory: use RW_MEMORY_DEVICE or _PINNED",
                       dev->info.name);
    cl_mem m = s->cl->clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (!m) return fail_alloc(dev, error, bytes);
    /* Drivers take the memory at first use; asking for it now makes the failure appear where it can be handled. It is
     * waited for: with this still under way NVIDIA's (580.159) crashes or stands still in programs of several threads
     * (device.queue). What the wait says may be of work before, and the next call says it too. */
    if (dev->queue) {
        error = s->cl->clEnqueueMigrateMemObjects(dev->queue->state, 1, &m, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                                  NULL, NULL);
        if (!error) (void)s->cl->clFinish(dev->queue->state);
    }
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY) {
        s->cl->clReleaseMemObject(m);
        return fail_alloc(dev, error, bytes);
    }
    *buffer = (rw_buffer){.pointer = m, .bytes = bytes, .memory = memory};
    return RW_OK;
}

/* Only where the device addresses whole buffers too. */
rw_status rw_opencl_part(rw_device *dev, const rw_buffer *whole, size_t offset, size_t bytes, rw_buffer *part)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    const size_t region[2] = {offset, bytes};
    cl_int error;
    if (offset % s->alignment || !bytes)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s: a view at byte %zu, no multiple of %zu", dev->info.name,
                       offset, s->alignment);
    *part = *whole;
    part->pointer =
        s->cl->clCreateSubBuffer(whole->pointer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, region, &error);
    part->bytes = bytes;
    return part->pointer ? RW_OK : rw_opencl_fail(dev, error, "a view of %zu bytes", bytes);
}

void rw_opencl_free(rw_device *dev, rw_buffer *buffer)
{
    if (buffer->pointer) rw_opencl_of(dev)->cl->clReleaseMemObject(buffer->pointer);
    buffer->pointer = NULL;
}

rw_status rw_opencl_copy_in(rw_queue *q, rw_buffer *dst, const void *src, size_t bytes, bool blocking)
{
    const rw_opencl_api *cl = rw_opencl_of(q->device)->cl;
    cl_int error = cl->clEnqueueWriteBuffer(q->state, dst->pointer, blocking, 0, bytes, src, 0, NULL, NULL);
    return error ? rw_opencl_fail(q->device, error, "copying %zu bytes to the device", bytes) : RW_OK;
}

rw_status rw_opencl_copy_out(rw_queue *q, void *dst, rw_buffer *src, size_t bytes, bool blocking)
{
    const rw_opencl_api *cl = rw_opencl_of(q->device)->cl;
    cl_int error = cl->clEnqueueReadBuffer(q->state, src->pointer, blocking, 0, bytes, dst, 0, NULL, NULL);
    return error ? rw_opencl_fail(q->device, error, "copying %zu bytes from the device", bytes) : RW_OK;
}

rw_status rw_opencl_copy(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes)
{
    const rw_opencl_api *cl = rw_opencl_of(q->device)->cl;
    if (dst->pointer == src->pointer) return RW_OK; /* OpenCL calls it an overlap */
    cl_int error = cl->clEnqueueCopyBuffer(q->state, src->pointer, dst->pointer, 0, 0, bytes, 0, NULL, NULL);
    return error ? rw_opencl_fail(q->device, error, "copying %zu bytes on the device", bytes) : RW_OK;
}

rw_status rw_opencl_zero(rw_queue *q, rw_buffer *dst, size_t bytes)
{
    static const unsigned char zeros[16];
    const rw_opencl_api *cl = rw_opencl_of(q->device)->cl;
    size_t pattern = sizeof zeros; /* the longest that divides the length: fewer, wider stores */
    while (bytes % pattern) pattern /= 2;
    cl_int error = cl->clEnqueueFillBuffer(q->state, dst->pointer, zeros, pattern, 0, bytes, 0, NULL, NULL);
    return error ? rw_opencl_fail(q->device, error, "setting %zu bytes to zero", bytes) : RW_OK;
}

rw_status rw_opencl_host_alloc(rw_device *dev, size_t bytes, void **host)
{
    rw_opencl_state *s = rw_opencl_of(dev);
    rw_opencl_pinned *piece = rw_calloc(1, sizeof *piece);
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    *host = NULL;
    if (!piece) return rw_fail_memory(dev->ctx, sizeof *piece, "page-locked memory");
    piece->memory = s->cl->clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
    if (piece->memory)
        piece->host = s->cl->clEnqueueMapBuffer(dev->queue->state, piece->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                0, bytes, 0, NULL, NULL, &error);
    if (!piece->host) {
        if (piece->memory) s->cl->clReleaseMemObject(piece->memory);
        rw_free(piece);
        return rw_fail(dev->ctx, RW_ERR_MEMORY, "%s: no page-locked memory: wanted %.1f MiB (%s): use RW_MEMORY_DEVICE",
                       dev->info.name, (double)bytes / 0x1p20, rw_opencl_error_name(error));
    }
    pthread_mutex_lock(&s->lock);
    piece->next = s->pinned;
    s->pinned = piece;
    pthread_mutex_unlock(&s->lock);
    *host = piece->host;
    return RW_OK;
}

void rw_opencl_host_free(rw_device *dev, void *host)
{
    rw_opencl_state *s = rw_opencl_of(dev);
    rw_opencl_pinned *piece = NULL;
    pthread_mutex_lock(&s->lock);
    for (rw_opencl_pinned **at = &s->pinned; *at; at = &(*at)->next)
        if ((*at)->host == host) {
            piece = *at;
            *at = piece->next;
            break;
        }
    pthread_mutex_unlock(&s->lock);
    if (!piece) return;
    s->cl->clEnqueueUnmapMemObject(dev->queue->state, piece->memory, piece->host, 0, NULL, NULL);
    s->cl->clReleaseMemObject(piece->memory);
    rw_free(piece);
}
