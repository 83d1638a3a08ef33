/* What an OpenCL device says of itself. Unknown numbers are 0, unknown texts "". */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "device/opencl/opencl.h"

cl_ulong rw_opencl_number(const rw_opencl_api *cl, cl_device_id id, cl_uint what)
{
    union {
        cl_uint small;
        cl_ulong large;
    } value = {.large = 0};
    size_t n = 0;
    if (cl->clGetDeviceInfo(id, what, sizeof value, &value, &n) != CL_SUCCESS) return 0;
    return n == sizeof value.small ? value.small : value.large;
}

void rw_opencl_string(const rw_opencl_api *cl, cl_device_id id, cl_uint what, char *text, size_t size)
{
    char whole[512] = "";
    text[0] = 0;
    if (cl->clGetDeviceInfo(id, what, sizeof whole, whole, NULL) != CL_SUCCESS) return;
    whole[sizeof whole - 1] = 0;
    const char *s = whole + strspn(whole, " ");
    size_t n = strlen(s);
    while (n > 0 && isspace((unsigned char)s[n - 1])) --n;
    snprintf(text, size, "%.*s", (int)n, s);
}

bool rw_opencl_has(const rw_opencl_api *cl, cl_device_id id, const char *name)
{
    size_t n = 0, length = strlen(name);
    if (cl->clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &n) != CL_SUCCESS || n == 0) return false;
    char *all = rw_calloc(n + 1, 1);
    bool has = false;
    if (all && cl->clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, n, all, NULL) == CL_SUCCESS)
        for (const char *s = all; (s = strstr(s, name)) && !has; s += length)
            has = (s == all || s[-1] == ' ') && (s[length] == ' ' || s[length] == 0);
    rw_free(all);
    return has;
}

/* "pci:DDDD:BB:DD.F", the form that cuda/ writes too; "cpu" for a processor; "" when the driver does not tell. */
static void identify(const rw_opencl_api *cl, cl_device_id id, char *text, size_t size)
{
    cl_uint pci[4] = {0}; /* domain, bus, device, function */
    text[0] = 0;
    if (rw_opencl_number(cl, id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) {
        snprintf(text, size, "cpu");
        return;
    }
    if (rw_opencl_has(cl, id, "cl_khr_pci_bus_info") &&
        cl->clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, pci, NULL) == CL_SUCCESS) {
        snprintf(text, size, "pci:%04x:%02x:%02x.%x", pci[0], pci[1], pci[2], pci[3]);
        return;
    }
    cl_uint slot = 0; /* device << 3 | function */
    if (!rw_opencl_has(cl, id, "cl_nv_device_attribute_query") ||
        cl->clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_ID_NV, sizeof pci[1], &pci[1], NULL) != CL_SUCCESS ||
        cl->clGetDeviceInfo(id, CL_DEVICE_PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) != CL_SUCCESS)
        return;
    pci[0] = (cl_uint)rw_opencl_number(cl, id, CL_DEVICE_PCI_DOMAIN_ID_NV); /* old drivers do not know it: 0 */
    snprintf(text, size, "pci:%04x:%02x:%02x.%x", pci[0], pci[1], slot >> 3, slot & 7);
}

static int width(const rw_opencl_api *cl, cl_device_id id)
{
    static const cl_uint sources[] = {CL_DEVICE_WARP_SIZE_NV, CL_DEVICE_WAVEFRONT_WIDTH_AMD,
                                      CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE};
    for (int i = 0; i < RW_COUNT(sources); ++i) {
        int n = (int)rw_opencl_number(cl, id, sources[i]);
        if (n > 0) return n;
    }
    return 1;
}

/* NVIDIA's driver tells the sum of the L1 caches: the L2 cache then, by compute capability, of the generation's large
 * devices; 0: not known. */
static int64_t last_cache(const rw_opencl_api *cl, cl_device_id id)
{
    if (!rw_opencl_has(cl, id, "cl_nv_device_attribute_query"))
        return (int64_t)rw_opencl_number(cl, id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    const uint64_t major = rw_opencl_number(cl, id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV),
                   minor = rw_opencl_number(cl, id, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
    const int64_t mb = minor ? 0 : major == 8 ? 40 : major == 9 ? 50 : major == 10 ? 126 : 0;
    return mb << 20;
}

void rw_opencl_platform(const rw_opencl_api *cl, cl_platform_id platform, char *name, size_t size)
{
    char parts[2][128] = {"", ""};
    cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof parts[0], parts[0], NULL);
    cl->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof parts[1], parts[1], NULL);
    parts[0][sizeof parts[0] - 1] = parts[1][sizeof parts[1] - 1] = 0;
    snprintf(name, size, "%.90s, %.95s", parts[0], parts[1]);
}

void rw_opencl_describe(const rw_opencl_api *cl, cl_platform_id from, cl_device_id id, int index,
                        rw_device_properties *p)
{
    char version[64], driver[48], platform[192];
    int major = 0, minor = 0;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "opencl:%d", index);
    snprintf(p->kind, sizeof p->kind, "opencl");
    rw_opencl_string(cl, id, CL_DEVICE_NAME, p->hardware, sizeof p->hardware);
    rw_opencl_string(cl, id, CL_DRIVER_VERSION, driver, sizeof driver);
    rw_opencl_platform(cl, from, platform, sizeof platform);
    snprintf(p->driver, sizeof p->driver, "%s; %.100s", driver, platform);
    rw_opencl_string(cl, id, CL_DEVICE_VERSION, version, sizeof version); /* "OpenCL 3.0 vendor's words" */
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) == 2)
        snprintf(p->version, sizeof p->version, "%d.%d", major, minor);
    identify(cl, id, p->identity, sizeof p->identity);
    p->gpu = (rw_opencl_number(cl, id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
    p->units = (int)rw_opencl_number(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS);
    p->clock_mhz = (int)rw_opencl_number(cl, id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    p->memory = (int64_t)rw_opencl_number(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE);
    p->shared_memory = (int64_t)rw_opencl_number(cl, id, CL_DEVICE_LOCAL_MEM_SIZE);
    p->cache = last_cache(cl, id);
    p->group_max = (int)rw_opencl_number(cl, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    p->width = width(cl, id);
    p->f64 = rw_opencl_number(cl, id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0 || rw_opencl_has(cl, id, "cl_khr_fp64");
    if (!rw_opencl_number(cl, id, CL_DEVICE_AVAILABLE))
        snprintf(p->unusable, sizeof p->unusable, "its driver says that it is not available");
    else if (!rw_opencl_number(cl, id, CL_DEVICE_COMPILER_AVAILABLE))
        snprintf(p->unusable, sizeof p->unusable, "its driver has no compiler: install the full driver");
    else if (major < 1 || (major == 1 && minor < 2))
        snprintf(p->unusable, sizeof p->unusable, "it has OpenCL %d.%d, 1.2 is needed: install a newer driver", major,
                 minor);
    else if (!p->f64)
        snprintf(p->unusable, sizeof p->unusable, "it has no double precision (cl_khr_fp64): use another device");
}
