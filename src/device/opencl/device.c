/* OpenCL devices: finding them, opening one, and saying what went wrong.
 *
 * All devices of all platforms are numbered in the order in which the loader gives them; unusable ones keep their
 * number, so opencl:1 stays opencl:1 when the driver of opencl:0 changes. */
#include <stdio.h>
#include <string.h>

#include "device/opencl/opencl.h"

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64 };

typedef struct found {
    cl_platform_id platform;
    cl_device_id id;
} found;

/* ---- failures ----------------------------------------------------------------------------------------------- */

static rw_status status_of(cl_int error)
{
    switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE: return RW_ERR_MEMORY;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT: /* these two: what drivers answer after a kernel broke the context */
    case CL_INVALID_COMMAND_QUEUE:
    case CL_ILLEGAL_ACCESS_NV: return RW_FATAL_DEVICE_LOST;
    case CL_COMPILER_NOT_AVAILABLE: return RW_ERR_DEVICE;
    default: return RW_ERR_LAUNCH;
    }
}

rw_status rw_opencl_fail(rw_device *dev, cl_int error, const char *format, ...)
{
    char what[512];
    const char *next = "run with -d check to find a mistake in the kernel", *name = rw_opencl_error_name(error);
    va_list args;
    va_start(args, format);
    rw_vsnprintf(what, sizeof what, format, args);
    va_end(args);
    rw_status status = status_of(error);
    if (status == RW_ERR_MEMORY)
        return rw_fail(dev->ctx, status,
                       "%s: %s: %s (%d): about %.1f of %.1f MiB are free: make the problem smaller or close other "
                       "programs",
                       dev->info.name, what, name, error, (double)rw_opencl_memory_free(dev) / 0x1p20,
                       (double)dev->info.memory / 0x1p20);
    if (status == RW_FATAL_DEVICE_LOST) {
        __atomic_store_n(&dev->lost, true, __ATOMIC_RELAXED);
        next = "the device is lost: run with -d check to find a wrong access, then start the program again";
    }
    if (error == CL_OUT_OF_RESOURCES)
        next = "the kernel needs more registers or local memory than the device has (use a smaller GROUP), or it "
               "accessed memory that is not its own (run with -d check)";
    return rw_fail(dev->ctx, status, "%s: %s: %s (%d): %s", dev->info.name, what, name, error, next);
}

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

void rw_opencl_enter(const rw_opencl_state *s)
{
    if (s->one_at_a_time) pthread_mutex_lock(&one);
}

void rw_opencl_leave(const rw_opencl_state *s)
{
    if (s->one_at_a_time) pthread_mutex_unlock(&one);
}

int64_t rw_opencl_memory_free(const rw_device *dev)
{
    const rw_opencl_state *s = dev->state;
    size_t kib[2] = {0}; /* free, largest block */
    if (s && s->tells_free_memory &&
        s->cl->clGetDeviceInfo(s->id, CL_DEVICE_GLOBAL_FREE_MEMORY_AMD, sizeof kib, kib, NULL) == CL_SUCCESS)
        return (int64_t)kib[0] << 10;
    int64_t used = __atomic_load_n(&dev->counters.bytes_allocated, __ATOMIC_RELAXED);
    return RW_MAX(dev->info.memory - used, 0);
}

/* ---- list, open, close --------------------------------------------------------------------------------------- */

/* Found once in a process: drivers set themselves up when they are first asked, and some crash when two threads ask at
 * the same time. For the same reason one thread at a time opens or describes devices. */
static found devices[MAX_DEVICES];
static int ndevices;
static char no_device[256];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static void find_devices(void)
{
    const char *why;
    const rw_opencl_api *cl = rw_opencl_load(&why);
    if (!cl) return;
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint nplatforms = 0;
    cl_int error = cl->clGetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms);
    if (error != CL_SUCCESS || nplatforms == 0) {
        snprintf(no_device, sizeof no_device,
                 "libOpenCL.so.1 finds no driver%s%s: install the GPU vendor's, or "
                 "pocl-opencl-icd for the processor",
                 error == CL_SUCCESS ? "" : ": ", error == CL_SUCCESS ? "" : rw_opencl_error_name(error));
        return;
    }
    for (cl_uint i = 0; i < RW_MIN(nplatforms, (cl_uint)MAX_PLATFORMS); ++i) {
        cl_device_id ids[MAX_DEVICES];
        cl_uint nids = 0;
        if (cl->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &nids) != CL_SUCCESS) continue;
        for (cl_uint j = 0; j < RW_MIN(nids, (cl_uint)MAX_DEVICES) && ndevices < MAX_DEVICES; ++j)
            devices[ndevices++] = (found){platforms[i], ids[j]};
    }
    if (ndevices == 0)
        snprintf(no_device, sizeof no_device, "the OpenCL drivers find no device: is it switched on, may you use it?");
}

/* The library. Called before `opening` is locked: it refuses a child of fork(), in which that lock may never be
 * released. */
static const rw_opencl_api *load(char *reason, size_t reason_size)
{
    const char *why;
    const rw_opencl_api *cl = rw_opencl_load(&why);
    if (!cl) snprintf(reason, reason_size, "%s", why);
    return cl;
}

/* The number of devices; `opening` is held. */
static int find_all(char *reason, size_t reason_size)
{
    static bool done;
    if (!done) find_devices();
    done = true;
    snprintf(reason, reason_size, "%s", no_device);
    return ndevices;
}

int rw_opencl_list(rw_context *ctx RW_UNUSED, rw_device_properties *list, int max, char *reason, size_t reason_size)
{
    const rw_opencl_api *cl = load(reason, reason_size);
    if (!cl) return 0;
    pthread_mutex_lock(&opening);
    int n = RW_MIN(find_all(reason, reason_size), max);
    for (int i = 0; i < n; ++i) rw_opencl_describe(cl, devices[i].platform, devices[i].id, i, list + i);
    pthread_mutex_unlock(&opening);
    return n;
}

/* Kept when it is one of this device; else the state is freed. */
static rw_status check_context(rw_device *dev, const rw_opencl_api *cl, rw_opencl_state *s, cl_context given)
{
    cl_device_id ids[MAX_DEVICES];
    size_t bytes = 0;
    cl_int error = cl->clGetContextInfo(given, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes);
    for (size_t i = 0; !error && i < bytes / sizeof *ids; ++i)
        if (ids[i] == s->id && cl->clRetainContext(given) == CL_SUCCESS) return RW_OK;
    rw_free(s);
    return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_device_open_native: the context has no device %s (%s)%s%s",
                   dev->info.name, dev->info.hardware, error ? ": " : "", error ? rw_opencl_error_name(error) : "");
}

static rw_status open_device(rw_device *dev, const rw_opencl_api *cl, int index)
{
    rw_context *ctx = dev->ctx;
    const found *all = devices;
    char reason[256] = "";
    int n = find_all(reason, sizeof reason);
    if (n == 0) return rw_fail(ctx, RW_ERR_DEVICE, "no OpenCL device: %s", reason);
    if (index >= n) {
        char last[128];
        rw_opencl_string(cl, all[n - 1].id, CL_DEVICE_NAME, last, sizeof last);
        return rw_fail(ctx, RW_ERR_DEVICE,
                       "device \"opencl:%d\" does not exist: there are %d, the last is opencl:%d (%s)", index, n, n - 1,
                       last);
    }
    int at = RW_MAX(index, 0);
    for (;; ++at) { /* "opencl" is the first usable one */
        rw_opencl_describe(cl, all[at].platform, all[at].id, at, &dev->info);
        if (!dev->info.unusable[0] || index >= 0 || at + 1 == n) break;
    }
    if (dev->info.unusable[0])
        return rw_fail(ctx, RW_ERR_DEVICE, "%s (%s) cannot be used: %s", dev->info.name, dev->info.hardware,
                       dev->info.unusable);
    rw_opencl_state *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a device");
    s->cl = cl;
    s->id = all[at].id;
    s->largest = (size_t)rw_opencl_number(cl, s->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    s->alignment = RW_MAX((size_t)rw_opencl_number(cl, s->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8, 1);
    s->ptx = rw_opencl_has(cl, s->id, "cl_nv_compiler_options");
    s->tells_free_memory = rw_opencl_has(cl, s->id, "cl_amd_device_attribute_query");
    rw_opencl_platform(cl, all[at].platform, s->platform, sizeof s->platform);
    s->one_at_a_time = strstr(s->platform, "PoCL 4.") || strstr(s->platform, "PoCL 5.");
    const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)all[at].platform, 0};
    cl_int error;
    if (dev->given) RW_TRY(check_context(dev, cl, s, dev->given));
    s->context = dev->given ? dev->given : cl->clCreateContext(properties, 1, &s->id, NULL, NULL, &error);
    dev->index = at;
    if (!s->context) {
        rw_free(s);
        return rw_fail(ctx, RW_ERR_DEVICE, "%s (%s) cannot be opened: %s (%d): is its memory full, may you use it?",
                       dev->info.name, dev->info.hardware, rw_opencl_error_name(error), error);
    }
    pthread_mutex_init(&s->lock, NULL);
    dev->state = s;
    rw_opencl_set_options(dev);
    return RW_OK;
}

rw_status rw_opencl_open(rw_device *dev, int index)
{
    char reason[256] = "";
    const rw_opencl_api *cl = load(reason, sizeof reason);
    if (!cl) return rw_fail(dev->ctx, RW_ERR_DEVICE, "no OpenCL device: %s", reason);
    pthread_mutex_lock(&opening);
    rw_status status = open_device(dev, cl, index);
    pthread_mutex_unlock(&opening);
    return status;
}

void rw_opencl_close(rw_device *dev)
{
    rw_opencl_state *s = dev->state;
    s->cl->clReleaseContext(s->context);
    pthread_mutex_destroy(&s->lock);
    rw_free(s);
    dev->state = NULL;
}

rw_status rw_opencl_identity(rw_device *dev, rw_text *identity)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    char version[128], driver[128];
    rw_opencl_string(s->cl, s->id, CL_DEVICE_VERSION, version, sizeof version);
    rw_opencl_string(s->cl, s->id, CL_DRIVER_VERSION, driver, sizeof driver);
    rw_text_add(identity, "opencl\n%s\n%s\n%s\n%s\n%s\n", s->platform, dev->info.hardware, version, driver, s->options);
    return RW_OK;
}
