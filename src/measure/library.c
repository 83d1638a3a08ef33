/* Libraries of peers, opened at run time; those of CUDA from where CUDA or pip put them. */
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"

static void *open_newest(const char *prefix, const char *folder, const char *name)
{
    char pattern[1024];
    glob_t found = {0};
    void *library = NULL;
    snprintf(pattern, sizeof pattern, "%s/%s/lib%s.so.[1-9]*", prefix, folder, name);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !library;)
            library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return library;
}

void *rw_library_open(const char *name, const char *variable)
{
    static const struct {
        const char *variable, *folder;
    } places[] = {{"CUDA_HOME", "lib64"},
                  {"CUDA_PATH", "lib64"},
                  {NULL, "usr/local/cuda/lib64"},
                  {NULL, "usr/local/cuda-*/lib64"},
                  {"CONDA_PREFIX", "lib"},
                  {"VIRTUAL_ENV", "lib/python3*/site-packages/nvidia/*/lib"},
                  {NULL, "opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib"},
                  {NULL, "usr/local/lib/python3*/*-packages/nvidia/*/lib"}};
    char file[64];
    const char *own = getenv(variable);
    if (own && *own) return dlopen(own, RTLD_NOW | RTLD_LOCAL);
    snprintf(file, sizeof file, "lib%s.so.12", name);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < RW_COUNT(places) && !library; ++i) {
        const char *prefix = places[i].variable ? getenv(places[i].variable) : "";
        if (prefix && (*prefix || !places[i].variable)) library = open_newest(prefix, places[i].folder, name);
    }
    return library;
}

bool rw_library_functions(void *library, const char *prefix, const rw_library_function *functions, int n)
{
    for (int i = 0; i < n; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, functions[i].name);
        void *found = dlsym(library, name);
        if (!found) return false;
        memcpy(functions[i].pointer, &found, sizeof found);
    }
    return true;
}
