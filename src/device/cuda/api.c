/* Opening the NVIDIA driver and NVRTC at run time, each at most once and never closed. */
#include "device/cuda/api.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- driver -------------------------------------------------------------------------------------------------- */

static rw_cuda_api cuda;
static char cuda_reason[256]; /* "": usable */
static unsigned loaded_in;    /* rw_forks() of the process that opened the driver */
static int driver_version;    /* 12040 for CUDA 12.4; 0 without a driver */

static void load_cuda(void)
{
    loaded_in = rw_forks();
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(cuda_reason, sizeof cuda_reason, "libcuda.so.1 not found: install the NVIDIA driver");
        return;
    }
    void *function;
    const char *missing = NULL;
#define RW_X(name, parameters)                                                                                         \
    function = dlsym(library, #name);                                                                                  \
    memcpy(&cuda.name, &function, sizeof function);                                                                    \
    if (!function) missing = #name;
    RW_CUDA_FUNCTIONS(RW_X)
#undef RW_X
    if (missing) {
        snprintf(cuda_reason, sizeof cuda_reason,
                 "libcuda.so.1 lacks %s: install an NVIDIA driver of version 470 (CUDA 11.4) or newer", missing);
        return;
    }
    cuda.cuDriverGetVersion(&driver_version);
    CUresult error = cuda.cuInit(0);
    const char *name = "an unknown error", *text = "";
    if (error == CUDA_SUCCESS) return;
    cuda.cuGetErrorName(error, &name);
    cuda.cuGetErrorString(error, &text);
    if (error == CUDA_ERROR_NO_DEVICE)
        snprintf(cuda_reason, sizeof cuda_reason,
                 "the NVIDIA driver finds no GPU: is CUDA_VISIBLE_DEVICES empty, does nvidia-smi show one?");
    else snprintf(cuda_reason, sizeof cuda_reason, "cuInit: %s (%d), %s: does nvidia-smi work?", name, error, text);
}

const rw_cuda_api *rw_cuda_load(const char **reason)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_cuda);
    *reason = cuda_reason[0] ? cuda_reason : NULL;
    if (!*reason && rw_forks() != loaded_in)
        *reason =
            "this process was forked from one that has used CUDA, and its driver does not work in a child: use CUDA "
            "after fork() only, or start processes anew (Python: multiprocessing.set_start_method(\"spawn\"))";
    return *reason ? NULL : &cuda;
}

/* ---- NVRTC --------------------------------------------------------------------------------------------------- */

static rw_nvrtc_api nvrtc;
static char nvrtc_reason[512] = "NVRTC (libnvrtc.so) not found: install it (Debian, Ubuntu: libnvrtc12; pip: "
                                "nvidia-cuda-nvrtc) or set RECHENWERK_NVRTC to its path";

/* Opens the library if it is one that can be used; else leaves a reason when that is more than "not found". */
static bool try_nvrtc(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    void *function;
    const char *missing = NULL;
#define RW_X(result, name, parameters)                                                                                 \
    function = dlsym(library, #name);                                                                                  \
    memcpy(&nvrtc.name, &function, sizeof function);                                                                   \
    if (!function) missing = #name;
    RW_NVRTC_FUNCTIONS(RW_X)
#undef RW_X
    if (missing) snprintf(nvrtc_reason, sizeof nvrtc_reason, "%s lacks %s: install NVRTC 11.2 or newer", path, missing);
    else if (nvrtc.nvrtcVersion(&nvrtc.major, &nvrtc.minor) != 0)
        snprintf(nvrtc_reason, sizeof nvrtc_reason, "%s does not tell its version: install NVRTC again", path);
    else if (driver_version && nvrtc.major > driver_version / 1000)
        snprintf(nvrtc_reason, sizeof nvrtc_reason,
                 "%s is NVRTC %d.%d but the driver is of CUDA %d.%d: install NVRTC %d or a newer driver", path,
                 nvrtc.major, nvrtc.minor, driver_version / 1000, driver_version % 1000 / 10, driver_version / 1000);
    else return true;
    dlclose(library);
    return false;
}

/* The files PREFIX/FOLDER/libnvrtc.so.N, newest first; FOLDER may have wildcards. */
static bool try_folder(const char *prefix, const char *folder)
{
    char pattern[1024];
    glob_t found = {0};
    bool ok = false;
    snprintf(pattern, sizeof pattern, "%s/%s/libnvrtc.so.[1-9]*", prefix, folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !ok;) ok = try_nvrtc(found.gl_pathv[i]);
    globfree(&found);
    return ok;
}

static bool find_nvrtc(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
    static const struct {
        const char *variable, *folder;
    } places[] = {{"CUDA_HOME", "lib64"},
                  {"CUDA_PATH", "lib64"},
                  {"CONDA_PREFIX", "lib"},
                  {NULL, "usr/local/cuda/lib64"},
                  {NULL, "usr/local/cuda-*/lib64"},
                  {"VIRTUAL_ENV", "lib/python3*/site-packages/nvidia/*/lib"},
                  {"HOME", ".local/lib/python3*/site-packages/nvidia/*/lib"},
                  {NULL, "usr/local/lib/python3*/*-packages/nvidia/*/lib"}};
    const char *own = getenv("RECHENWERK_NVRTC");
    if (own && *own) {
        snprintf(nvrtc_reason, sizeof nvrtc_reason,
                 "RECHENWERK_NVRTC = %.300s cannot be opened: give the path of "
                 "libnvrtc.so, or unset it to have it searched",
                 own);
        return try_nvrtc(own);
    }
    for (int i = 0; i < COUNT(names); ++i)
        if (try_nvrtc(names[i])) return true;
    for (int i = 0; i < COUNT(places); ++i) {
        const char *prefix = places[i].variable ? getenv(places[i].variable) : "";
        if (prefix && (*prefix || !places[i].variable) && try_folder(prefix, places[i].folder)) return true;
    }
    return false;
}

static void load_nvrtc(void)
{
    const char *ignored;
    rw_cuda_load(&ignored); /* for driver_version */
    if (find_nvrtc()) nvrtc_reason[0] = 0;
}

const rw_nvrtc_api *rw_nvrtc_load(const char **reason)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_nvrtc);
    *reason = nvrtc_reason[0] ? nvrtc_reason : NULL;
    return nvrtc_reason[0] ? NULL : &nvrtc;
}
