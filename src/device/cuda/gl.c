/* Buffers of OpenGL that CUDA writes. Source: NVIDIA, CUDA Driver API, "OpenGL Interoperability" and "Graphics
 * Interoperability". */
#include "device/cuda/cuda.h"

/* OpenGL may be another GPU's, or a processor's. */
static bool draws(const rw_cuda_state *s)
{
    enum { MOST = 16 };
    CUdevice list[MOST];
    unsigned n = 0;
    if (s->cu->cuGLGetDevices_v2(&n, list, MOST, CU_GL_DEVICE_LIST_ALL) != CUDA_SUCCESS) return false;
    for (unsigned i = 0; i < n && i < MOST; ++i)
        if (list[i] == s->device) return true;
    return false;
}

rw_status rw_cuda_gl_import(rw_device *dev, unsigned gl_buffer, void **resource)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    CUgraphicsResource r = NULL;
    bool entered = rw_cuda_enter(s);
    const bool ours = draws(s);
    CUresult error = ours ? s->cu->cuGraphicsGLRegisterBuffer(&r, gl_buffer, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
                          : CUDA_SUCCESS;
    rw_cuda_leave(s, entered);
    *resource = r;
    if (!ours)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s: the display's OpenGL is not this GPU's", dev->info.name);
    if (!error) return RW_OK;
    const char *name = "an unknown error";
    s->cu->cuGetErrorName(error, &name);
    return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s: OpenGL shares no buffer: %s", dev->info.name, name);
}

rw_status rw_cuda_gl_copy(rw_queue *q, void *resource, rw_buffer *src)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    CUgraphicsResource r = resource;
    CUdeviceptr to = 0;
    size_t bytes = 0;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuGraphicsMapResources(1, &r, q->state);
    if (!error) {
        error = s->cu->cuGraphicsResourceGetMappedPointer_v2(&to, &bytes, r);
        if (!error)
            error = s->cu->cuMemcpyDtoDAsync_v2(to, rw_cuda_address(src), src->bytes < bytes ? src->bytes : bytes,
                                                q->state);
        CUresult end = s->cu->cuGraphicsUnmapResources(1, &r, q->state);
        if (!error) error = end;
    }
    rw_status status = error ? rw_cuda_fail(q->device, error, "copying %zu bytes to OpenGL", src->bytes) : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

void rw_cuda_gl_release(rw_device *dev, void *resource)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    bool entered = rw_cuda_enter(s);
    s->cu->cuGraphicsUnregisterResource(resource);
    rw_cuda_leave(s, entered);
}
