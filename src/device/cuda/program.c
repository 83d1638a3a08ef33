/* Programs of a CUDA device: compiled by NVRTC, loaded as a module of the driver. */
#include <string.h>

#include "device/cuda/cuda.h"

rw_status rw_cuda_compile(rw_device *dev, rw_program *p, const char *text, rw_text *binary)
{
    if (p->shared_large > dev->info.shared_memory)
        return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: %lld bytes of SHARED_LARGE: %s allows %lld", p->name,
                       (long long)p->shared_large, dev->info.name, (long long)dev->info.shared_memory);
    return rw_nvrtc_compile(dev->ctx, p->name, text, rw_cuda_of(dev)->arch, binary);
}

/* As much of a unit's fast memory for the groups that it holds at a time as they use: what is left caches, and holds
 * what is being loaded. A preference: failing does no harm. */
static void share_memory(rw_device *dev, const rw_program *p, CUfunction f, int fixed)
{
    enum { RESERVED = 1024 /* bytes of a group that the system takes */ };
    const rw_cuda_state *s = rw_cuda_of(dev);
    int groups = 0, most = 0, percent = CU_SHAREDMEM_CARVEOUT_MAX_SHARED;
    s->cu->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
    if (s->cu->cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, f, p->group, (size_t)p->shared_large)) return;
    if (s->cu->cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, s->device) ||
        most <= 0)
        return;
    percent = (int)((groups * (fixed + p->shared_large + RESERVED) * 100 + most - 1) / most);
    s->cu->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                              RW_MIN(percent, CU_SHAREDMEM_CARVEOUT_MAX_SHARED));
}

/* Finds a kernel; above 48 KiB shared memory has to be asked for, kernel by kernel. */
static rw_status find_kernel(rw_device *dev, rw_program *p, rw_kernel *k)
{
    const rw_cuda_api *cu = rw_cuda_of(dev)->cu;
    CUfunction f = NULL;
    int items = 0, fixed = 0;
    CUresult error = cu->cuModuleGetFunction(&f, p->module, k->name);
    if (error) return rw_cuda_fail(dev, error, "program %s: kernel %s", p->name, k->name);
    k->handle = f;
    cu->cuFuncGetAttribute(&items, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
    if (items && items < p->group)
        return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: kernel %s runs with at most %d items on %s, GROUP is %d",
                       p->name, k->name, items, dev->info.name, p->group);
    /* else the launch says so */
    if (p->cluster > 8) cu->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (p->shared_large <= 0) return RW_OK;
    cu->cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f);
    if (fixed + p->shared_large > dev->info.shared_memory)
        return rw_fail(dev->ctx, RW_ERR_COMPILE,
                       "program %s: kernel %s: %d bytes of SHARED and %lld of SHARED_LARGE: %s allows %lld in all",
                       p->name, k->name, fixed, (long long)p->shared_large, dev->info.name,
                       (long long)dev->info.shared_memory);
    error = cu->cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)p->shared_large);
    if (!error) share_memory(dev, p, f, fixed);
    return error ? rw_cuda_fail(dev, error, "program %s: kernel %s: %lld bytes of SHARED_LARGE", p->name, k->name,
                                (long long)p->shared_large)
                 : RW_OK;
}

static rw_status load_module(rw_device *dev, rw_program *p, const rw_text *binary)
{
    const rw_cuda_api *cu = rw_cuda_of(dev)->cu;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module = NULL;
    CUresult error = cu->cuModuleLoadDataEx(&module, binary->data, RW_COUNT(options), options, values);
    const char *name = "an unknown error";
    p->module = module;
    if (!error) return RW_OK;
    if (error == CUDA_ERROR_OUT_OF_MEMORY) return rw_cuda_fail(dev, error, "loading program %s", p->name);
    cu->cuGetErrorName(error, &name);
    log[sizeof log - 1] = 0;
    log[strcspn(log, "\n")] = 0;
    return rw_fail(dev->ctx, RW_ERR_COMPILE,
                   "program %s: the driver of %s does not load it: %s%s%s: is NVRTC newer than the driver? Set "
                   "RECHENWERK_NVRTC to another",
                   p->name, dev->info.name, name, log[0] ? ": " : "", log);
}

rw_status rw_cuda_program_load(rw_device *dev, rw_program *p, const rw_text *binary)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    bool entered = rw_cuda_enter(s);
    rw_status status = load_module(dev, p, binary);
    for (int i = 0; i < p->nkernels && status == RW_OK; ++i) status = find_kernel(dev, p, p->kernels + i);
    rw_cuda_leave(s, entered);
    return status;
}

rw_status rw_cuda_resources(rw_kernel *k, rw_kernel_resources *r)
{
    rw_device *dev = k->program->device;
    const rw_cuda_state *s = rw_cuda_of(dev);
    int groups = 0;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuFuncGetAttribute(&r->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, k->handle);
    if (!error) error = s->cu->cuFuncGetAttribute(&r->spilled, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, k->handle);
    if (!error)
        error =
            s->cu->cuDeviceGetAttribute(&r->items_most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, s->device);
    if (!error)
        error = s->cu->cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, k->handle, k->program->group,
                                                                   (size_t)k->program->shared_large);
    rw_cuda_leave(s, entered);
    r->items = groups * k->program->group;
    return error ? rw_cuda_fail(dev, error, "resources of kernel %s", k->name) : RW_OK;
}

void rw_cuda_unload(rw_device *dev, rw_program *p)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    if (!p->module) return;
    bool entered = rw_cuda_enter(s);
    s->cu->cuModuleUnload(p->module);
    rw_cuda_leave(s, entered);
    p->module = NULL;
    for (int i = 0; i < p->nkernels; ++i) p->kernels[i].handle = NULL;
}
