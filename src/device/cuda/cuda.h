/* The CUDA device's own state and what its files share:
 *
 *   device.c  list, open, close, identity, failures      nvrtc.c    text to machine code, without a GPU
 *   memory.c  buffers and copies                         program.c  compile, load, unload
 *   gl.c      buffers of OpenGL
 *   queue.c   launches, queues, events, graphs, and the table of operations
 *
 * rw_buffer.pointer is a CUdeviceptr, rw_queue.state a CUstream, rw_event.state a CUevent, rw_kernel.handle a
 * CUfunction, a recorded sequence a CUgraphExec. Devices use the primary context of the GPU, the one that the CUDA
 * runtime, PyTorch and others of the same process use too. */
#ifndef RW_CUDA_H
#define RW_CUDA_H

#include "device/cuda/api.h"
#include "device/device.h"

typedef struct rw_cuda_state {
    const rw_cuda_api *cu;
    CUdevice device;
    CUcontext context;
    int arch; /* 90 for compute capability 9.0 */
} rw_cuda_state;

static inline rw_cuda_state *rw_cuda_of(const rw_device *dev) { return dev->state; }
static inline CUdeviceptr rw_cuda_address(const rw_buffer *b) { return (CUdeviceptr)(uintptr_t)b->pointer; }

/* Makes the device's context the calling thread's. A thread without one keeps it, so that later calls find it there; a
 * context of someone else is covered and comes back with rw_cuda_leave, which gets what enter returned. */
static inline bool rw_cuda_enter(const rw_cuda_state *s)
{
    CUcontext now = NULL;
    if (s->cu->cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == s->context) return false;
    if (now) return s->cu->cuCtxPushCurrent_v2(s->context) == CUDA_SUCCESS;
    s->cu->cuCtxSetCurrent(s->context); /* a failure appears in the call that follows */
    return false;
}

static inline void rw_cuda_leave(const rw_cuda_state *s, bool entered)
{
    CUcontext ours;
    if (entered) s->cu->cuCtxPopCurrent_v2(&ours);
}

/* "cuda:0: WHAT: CUDA_ERROR_… (text): NEXT STEP" with the status that the error means; a lost device is marked. */
rw_status rw_cuda_fail(rw_device *dev, CUresult error, const char *format, ...) RW_PRINTF(3, 4);

/* Compiles a full text for compute capability arch / 10 (90: sm_90) to a cubin; to PTX when this NVRTC does not know
 * the capability but an older one that the driver can translate from. `name` stands in messages. Needs no GPU.
 * RW_ERR_DEVICE when there is no NVRTC, RW_ERR_COMPILE with line, kernel and the path of the log. */
rw_status rw_nvrtc_compile(rw_context *ctx, const char *name, const char *text, int arch, rw_text *binary);
/* The options that depend on the mode, for the identity of a program. */
const char *rw_nvrtc_options(void);

/* device.c */
int rw_cuda_list(rw_context *ctx, rw_device_properties *list, int max, char *reason, size_t reason_size);
rw_status rw_cuda_open(rw_device *dev, int index);
void rw_cuda_close(rw_device *dev);
rw_status rw_cuda_identity(rw_device *dev, rw_text *identity);
/* memory.c */
rw_status rw_cuda_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer);
void rw_cuda_free(rw_device *dev, rw_buffer *buffer);
rw_status rw_cuda_copy_in(rw_queue *q, rw_buffer *dst, const void *src, size_t bytes, bool blocking);
rw_status rw_cuda_copy_out(rw_queue *q, void *dst, rw_buffer *src, size_t bytes, bool blocking);
rw_status rw_cuda_copy(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes);
rw_status rw_cuda_zero(rw_queue *q, rw_buffer *dst, size_t bytes);
rw_status rw_cuda_host_alloc(rw_device *dev, size_t bytes, void **host);
void rw_cuda_host_free(rw_device *dev, void *host);
rw_status rw_cuda_tensor_import(rw_device *dev, const rw_tensor *t, rw_buffer *buffer, size_t *offset, void **host);
/* gl.c */
rw_status rw_cuda_gl_import(rw_device *dev, unsigned gl_buffer, void **resource);
rw_status rw_cuda_gl_copy(rw_queue *q, void *resource, rw_buffer *src);
void rw_cuda_gl_release(rw_device *dev, void *resource);
/* program.c */
rw_status rw_cuda_compile(rw_device *dev, rw_program *p, const char *text, rw_text *binary);
rw_status rw_cuda_program_load(rw_device *dev, rw_program *p, const rw_text *binary);
void rw_cuda_unload(rw_device *dev, rw_program *p);
rw_status rw_cuda_resources(rw_kernel *k, rw_kernel_resources *r);

#endif
