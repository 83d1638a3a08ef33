/* Opening libOpenCL.so.1 (the loader that finds every installed driver) at run time. It is opened at most once and
 * never closed: drivers keep threads that outlive their contexts. */
#include "device/opencl/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

static rw_opencl_api api;
static const char *why_not;
static char missing[128];
static unsigned loaded_in; /* rw_forks() of the process that did */

static void load(void)
{
    loaded_in = rw_forks();
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        why_not = "libOpenCL.so.1 not found: install an OpenCL loader (Debian, Ubuntu: ocl-icd-libopencl1)";
        return;
    }
    void *function;
#define RW_X(result, name, parameters)                                                                                 \
    function = dlsym(library, #name);                                                                                  \
    memcpy(&api.name, &function, sizeof function);                                                                     \
    if (!function && !why_not) {                                                                                       \
        snprintf(missing, sizeof missing, "libOpenCL.so.1 lacks " #name ": install a loader of OpenCL 1.2 or newer");  \
        why_not = missing;                                                                                             \
    }
    RW_OPENCL_FUNCTIONS(RW_X)
#undef RW_X
}

const rw_opencl_api *rw_opencl_load(const char **reason)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *reason = why_not;
    if (!why_not && rw_forks() != loaded_in)
        *reason =
            "this process was forked from one that has used OpenCL, and drivers do not work in a child: use OpenCL "
            "after fork() only, or start processes anew (Python: multiprocessing.set_start_method(\"spawn\"))";
    return *reason ? NULL : &api;
}

const char *rw_opencl_error_name(cl_int error)
{
    switch (error) {
#define RW_X(name, value)                                                                                              \
    case value: return #name;
        RW_OPENCL_ERRORS(RW_X)
#undef RW_X
    }
    return "OpenCL error";
}
