/* Peers on the host: host.k, made into a shared object by the system's C compiler for this very processor. */
#include <dlfcn.h>
#include <string.h>

#include "bench/bench.h"
#include "device/cpu/cc.h"
#include "device/process.h"

static rw_status compile(rw_context *ctx, const char *cc, const rw_temporary *folder, void **library)
{
    char *src = rw_format("%s/host.c", folder->path), *out = rw_format("%s/host.so", folder->path),
         *log = rw_format("%s/host.log", folder->path);
    const char *text = rw_measure_text("host.k");
    double seconds = 0;
    rw_status status = src && out && log ? rw_process_limit(ctx, &seconds) : rw_fail_memory(ctx, 256, "paths");
    if (status == RW_OK) status = rw_file_write(ctx, src, text, strlen(text));
    if (status != RW_OK) goto done;
    char *argv[] = {(char *)(uintptr_t)cc,
                    "-std=gnu17",
                    "-O3",
                    "-march=native",
                    "-fopenmp",
                    "-fno-math-errno",
                    "-fno-trapping-math",
                    "-fcx-limited-range",
                    "-w",
                    "-fPIC",
                    "-shared",
                    "-o",
                    out,
                    src,
                    "-lm",
                    NULL};
    const int code = rw_process_run(argv, folder, log, seconds);
    if (code != 0 && code != RW_PROCESS_UNKNOWN)
        status = rw_fail(ctx, RW_ERR_COMPILE, "the C loops for comparison on the host do not compile with %s", cc);
    else if (!(*library = dlopen(out, RTLD_NOW | RTLD_LOCAL)))
        status = rw_fail(ctx, RW_ERR_COMPILE, "the C loops for comparison on the host cannot be loaded: %s", dlerror());
done:
    rw_free(src);
    rw_free(out);
    rw_free(log);
    return status;
}

/* RW_ERR_UNSUPPORTED without a compiler. */
static rw_status open_host(rw_context *ctx, void **library)
{
    char cc[RW_CC_PATH];
    if (!rw_cc_find(cc))
        return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                       "no C compiler for the C loops for comparison on the host: install gcc");
    rw_temporary folder = {NULL, -1};
    rw_status status = rw_temporary_create(ctx, &folder);
    if (status == RW_OK) status = compile(ctx, cc, &folder, library);
    rw_temporary_remove(&folder);
    return status;
}

void rw_host_close(rw_bench *b)
{
    if (b->host) dlclose(b->host);
    b->host = NULL;
}

bool rw_host_function(rw_bench *b, const char *name, void *function)
{
    if (b->dev->info.gpu) return false;
    if (!b->host && open_host(b->ctx, &b->host) != RW_OK) {
        rw_log(b->ctx, RW_LOG_WARNING, "bench: %s", rw_message(b->ctx));
        return false;
    }
    void *found = dlsym(b->host, name);
    memcpy(function, &found, sizeof found);
    return found;
}

bool rw_host_loop(rw_bench *b, const char *name, void *function)
{
    return !b->options.no_peers && rw_host_function(b, name, function);
}
