/* CUDA devices: finding them, opening one, and saying what went wrong. */
#include <stdio.h>
#include <string.h>

#include "device/cuda/cuda.h"

/* ---- failures ------------------------------------------------------------------------------------------------- */

/* After one of these every later call in the process's context fails too. */
static bool is_lost(CUresult error)
{
    switch (error) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED: return true;
    default: return false;
    }
}

rw_status rw_cuda_fail(rw_device *dev, CUresult error, const char *format, ...)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    const char *name = "an unknown error", *text = "";
    char what[512];
    va_list args;
    va_start(args, format);
    rw_vsnprintf(what, sizeof what, format, args);
    va_end(args);
    s->cu->cuGetErrorName(error, &name);
    s->cu->cuGetErrorString(error, &text);
    if (is_lost(error)) {
        __atomic_store_n(&dev->lost, true, __ATOMIC_RELAXED);
        return rw_fail(dev->ctx, RW_FATAL_DEVICE_LOST,
                       "%s: %s: %s (%s): the device is lost for this process: run with -d check to find the access, "
                       "then start the program again",
                       dev->info.name, what, name, text);
    }
    if (error == CUDA_ERROR_OUT_OF_MEMORY) {
        size_t free = 0, total = 0;
        s->cu->cuMemGetInfo_v2(&free, &total);
        return rw_fail(dev->ctx, RW_ERR_MEMORY,
                       "%s: %s: no memory, %.1f of %.1f MiB are free: make the problem smaller, use f32 or close other "
                       "programs on this GPU",
                       dev->info.name, what, (double)free / 0x1p20, (double)total / 0x1p20);
    }
    return rw_fail(dev->ctx, RW_ERR_LAUNCH, "%s: %s: %s (%s): %s", dev->info.name, what, name, text,
                   error == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? "use a smaller GROUP or less shared memory"
                                                               : "run with -d check to find a mistake in the kernel");
}

/* ---- properties ----------------------------------------------------------------------------------------------- */

static int attribute(const rw_cuda_api *cu, CUdevice device, CUdevice_attribute what)
{
    int value = 0;
    return cu->cuDeviceGetAttribute(&value, what, device) == CUDA_SUCCESS ? value : 0;
}

/* 90 for compute capability 9.0 */
static int arch_of(const rw_cuda_api *cu, CUdevice device)
{
    return 10 * attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/* "580.159.03" from the kernel's module; "" where it does not tell. */
static void driver_release(char *text, size_t size)
{
    FILE *f = rw_fopen("/sys/module/nvidia/version", "r");
    text[0] = 0;
    if (f && fgets(text, (int)size, f)) text[strcspn(text, "\n")] = 0;
    if (f) fclose(f);
}

static void describe(const rw_cuda_api *cu, CUdevice device, int index, rw_device_properties *p)
{
    char release[48];
    const char *no_nvrtc;
    const rw_nvrtc_api *nvrtc = rw_nvrtc_load(&no_nvrtc);
    size_t memory = 0;
    int version = 0;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "cuda:%d", index);
    snprintf(p->kind, sizeof p->kind, "cuda");
    cu->cuDeviceGetName(p->hardware, sizeof p->hardware, device);
    cu->cuDriverGetVersion(&version);
    driver_release(release, sizeof release);
    snprintf(p->driver, sizeof p->driver, "NVIDIA driver%s%s, CUDA %d.%d", release[0] ? " " : "", release,
             version / 1000, version % 1000 / 10);
    if (nvrtc)
        snprintf(p->driver + strlen(p->driver), sizeof p->driver - strlen(p->driver), ", NVRTC %d.%d", nvrtc->major,
                 nvrtc->minor);
    snprintf(p->version, sizeof p->version, "%d.%d", arch_of(cu, device) / 10, arch_of(cu, device) % 10);
    /* the form that opencl/ writes too */
    snprintf(p->identity, sizeof p->identity, "pci:%04x:%02x:%02x.0",
             (unsigned)attribute(cu, device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
             (unsigned)attribute(cu, device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             (unsigned)attribute(cu, device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    cu->cuDeviceTotalMem_v2(&memory, device);
    p->memory = (int64_t)memory;
    p->units = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    p->clock_mhz = attribute(cu, device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    p->shared_memory = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    p->cache = attribute(cu, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    p->group_max = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    p->width = attribute(cu, device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    p->cluster = arch_of(cu, device) >= 90 ? 16 : 0; /* 8 anywhere, 16 where a kernel asks for it */
    p->f64 = p->gpu = true;
    /* without concurrent access the host must not touch any managed array while any kernel runs: not offered */
    p->managed = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) &&
                 attribute(cu, device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
    p->mapped = attribute(cu, device, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
    if (attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED)
        snprintf(p->unusable, sizeof p->unusable, "its compute mode is prohibited: nvidia-smi -c DEFAULT changes it");
    else if (!nvrtc) snprintf(p->unusable, sizeof p->unusable, "%.250s", no_nvrtc);
}

/* ---- list, open, close ---------------------------------------------------------------------------------------- */

int rw_cuda_list(rw_context *ctx RW_UNUSED, rw_device_properties *list, int max, char *reason, size_t reason_size)
{
    const char *why;
    const rw_cuda_api *cu = rw_cuda_load(&why);
    if (!cu) {
        snprintf(reason, reason_size, "%s", why);
        return 0;
    }
    int count = 0, n = 0;
    cu->cuDeviceGetCount(&count);
    for (CUdevice device; n < RW_MIN(count, max) && cu->cuDeviceGet(&device, n) == CUDA_SUCCESS; ++n)
        describe(cu, device, n, list + n);
    if (n == 0) snprintf(reason, reason_size, "the NVIDIA driver finds no GPU: is CUDA_VISIBLE_DEVICES empty?");
    return n;
}

rw_status rw_cuda_open(rw_device *dev, int index)
{
    rw_context *ctx = dev->ctx;
    const char *why;
    const rw_cuda_api *cu = rw_cuda_load(&why);
    if (!cu) return rw_fail(ctx, RW_ERR_DEVICE, "no CUDA device: %s", why);
    int count = 0;
    cu->cuDeviceGetCount(&count);
    index = RW_MAX(index, 0); /* "cuda" */
    if (count == 0) return rw_fail(ctx, RW_ERR_DEVICE, "no CUDA device: is CUDA_VISIBLE_DEVICES empty?");
    if (index >= count)
        return rw_fail(ctx, RW_ERR_DEVICE, "device \"cuda:%d\" does not exist: there are %d, the last is cuda:%d",
                       index, count, count - 1);
    rw_cuda_state *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a device");
    s->cu = cu;
    CUresult error = cu->cuDeviceGet(&s->device, index);
    if (error == CUDA_SUCCESS) describe(cu, s->device, index, &dev->info);
    if (error == CUDA_SUCCESS && !dev->info.unusable[0]) error = cu->cuDevicePrimaryCtxRetain(&s->context, s->device);
    if (error != CUDA_SUCCESS || dev->info.unusable[0]) {
        const char *name = "an unknown error", *text = "";
        cu->cuGetErrorName(error, &name);
        cu->cuGetErrorString(error, &text);
        rw_free(s);
        if (error == CUDA_SUCCESS)
            return rw_fail(ctx, RW_ERR_DEVICE, "cuda:%d (%s) cannot be used: %s", index, dev->info.hardware,
                           dev->info.unusable);
        return rw_fail(ctx, RW_ERR_DEVICE,
                       "cuda:%d (%s) cannot be opened: %s (%s): nvidia-smi shows whether its memory is full or another "
                       "program holds it alone",
                       index, dev->info.hardware, name, text);
    }
    dev->index = index;
    s->arch = arch_of(cu, s->device);
    dev->state = s;
    size_t free = 0, total = 0;
    bool entered = rw_cuda_enter(s);
    if (cu->cuMemGetInfo_v2(&free, &total) == CUDA_SUCCESS) dev->info.memory_free = (int64_t)free;
    rw_cuda_leave(s, entered);
    return RW_OK;
}

void rw_cuda_close(rw_device *dev)
{
    rw_cuda_state *s = rw_cuda_of(dev);
    CUcontext now = NULL;
    if (s->cu->cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == s->context) s->cu->cuCtxSetCurrent(NULL);
    s->cu->cuDevicePrimaryCtxRelease_v2(s->device);
    rw_free(s);
    dev->state = NULL;
}

rw_status rw_cuda_identity(rw_device *dev, rw_text *identity)
{
    const char *why;
    const rw_nvrtc_api *nvrtc = rw_nvrtc_load(&why);
    if (!nvrtc) return rw_fail(dev->ctx, RW_ERR_DEVICE, "%s: %s", dev->info.name, why);
    rw_text_add(identity, "cuda\n%s\nsm_%d\n%s\nNVRTC %d.%d\n%s\n", dev->info.hardware, rw_cuda_of(dev)->arch,
                dev->info.driver, nvrtc->major, nvrtc->minor, rw_nvrtc_options());
    return RW_OK;
}
