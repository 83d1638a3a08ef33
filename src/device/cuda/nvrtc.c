/* NVRTC: CUDA C++ text to machine code of one GPU generation, in this process.
 *
 * The result is a cubin, which the driver loads without translating it. For a GPU newer than this NVRTC knows it is
 * PTX of the newest generation that it does know, which the driver translates when it loads. */
#include <stdio.h>
#include <string.h>

#include "device/build_log.h"
#include "device/cuda/cuda.h"

const char *rw_nvrtc_options(void) { return "--std=c++17 -lineinfo --fmad=false"; }

/* The newest generation, not above `arch`, that this NVRTC compiles for; 0 when all are above. */
static rw_status choose(rw_context *ctx, const rw_nvrtc_api *n, int arch, int *best)
{
    int archs[128], count = 0, first = 0;
    *best = 0;
    if (n->nvrtcGetNumSupportedArchs(&count) != 0 || count > RW_COUNT(archs) || n->nvrtcGetSupportedArchs(archs) != 0)
        count = 0;
    for (int i = 0; i < count; ++i) {
        if (archs[i] <= arch) *best = RW_MAX(*best, archs[i]);
        if (!first || archs[i] < first) first = archs[i];
    }
    if (*best) return RW_OK;
    return rw_fail(ctx, RW_ERR_DEVICE,
                   "NVRTC %d.%d compiles for compute capability %d.%d and newer, this GPU has %d.%d: install an older "
                   "NVRTC and set RECHENWERK_NVRTC to its path",
                   n->major, n->minor, first / 10, first % 10, arch / 10, arch % 10);
}

static rw_status build_failed(rw_context *ctx, const rw_nvrtc_api *n, nvrtcProgram program, nvrtcResult error,
                              const char *name, const char *text)
{
    size_t bytes = 0;
    n->nvrtcGetProgramLogSize(program, &bytes);
    char *log = rw_calloc(bytes + 1, 1);
    if (!log) return rw_fail_memory(ctx, bytes + 1, "the log of a compiler");
    if (bytes) n->nvrtcGetProgramLog(program, log);
    rw_status status = rw_build_failed(ctx, name, ".cu", text, *log ? log : n->nvrtcGetErrorString(error));
    rw_free(log);
    return status;
}

static rw_status take(rw_context *ctx, const rw_nvrtc_api *n, nvrtcProgram program, bool cubin, const char *name,
                      rw_text *binary)
{
    size_t bytes = 0;
    nvrtcResult error = cubin ? n->nvrtcGetCUBINSize(program, &bytes) : n->nvrtcGetPTXSize(program, &bytes);
    char *code = rw_calloc(bytes + 1, 1);
    if (!code) return rw_fail_memory(ctx, bytes, "a compiled program");
    if (!error) error = cubin ? n->nvrtcGetCUBIN(program, code) : n->nvrtcGetPTX(program, code);
    if (!error) rw_text_add_bytes(binary, code, cubin ? bytes : strlen(code));
    rw_free(code);
    if (error || !binary->length)
        return binary->failed ? rw_fail_memory(ctx, bytes, "a compiled program")
                              : rw_fail(ctx, RW_ERR_COMPILE, "program %s: NVRTC gives no code (%s): install it again",
                                        name, n->nvrtcGetErrorString(error));
    return RW_OK;
}

rw_status rw_nvrtc_compile(rw_context *ctx, const char *name, const char *text, int arch, rw_text *binary)
{
    const char *why;
    const rw_nvrtc_api *n = rw_nvrtc_load(&why);
    if (!n) return rw_fail(ctx, RW_ERR_DEVICE, "%s", why);
    int best;
    RW_TRY(choose(ctx, n, arch, &best));
    bool cubin = best == arch;
    char target[48], words[64];
    const char *options[8] = {target};
    int noptions = 1;
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", cubin ? "sm" : "compute", best);
    snprintf(words, sizeof words, "%s", rw_nvrtc_options());
    for (char *rest, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        options[noptions++] = word;
    nvrtcProgram program = NULL;
    nvrtcResult error = n->nvrtcCreateProgram(&program, text, name, 0, NULL, NULL);
    if (error) return rw_fail(ctx, RW_ERR_COMPILE, "program %s: NVRTC: %s", name, n->nvrtcGetErrorString(error));
    error = n->nvrtcCompileProgram(program, noptions, options);
    rw_status status =
        error ? build_failed(ctx, n, program, error, name, text) : take(ctx, n, program, cubin, name, binary);
    n->nvrtcDestroyProgram(&program);
    return status;
}
