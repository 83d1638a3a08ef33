/* Compiling programs with the driver of an OpenCL device.
 *
 * The driver's program binary is what the cache keeps. A binary that the driver refuses (other driver, damaged file)
 * is an error of load, and the front end compiles again. */
#include <stdio.h>
#include <string.h>

#include "device/build_log.h"
#include "device/opencl/opencl.h"

/* Macros with "..." are an extension before OpenCL C 3.0, which PoCL grants and NVIDIA's driver refuses. -w: drivers
 * print the number of warnings. Quotients of f32 are rounded as those of f64 are: u/49 of 49 is 1. */
void rw_opencl_set_options(rw_device *dev)
{
    rw_opencl_state *s = rw_opencl_of(dev);
    const bool new = dev->info.version[0] >= '3' && dev->info.gpu;
    const bool rounds_f32 =
        rw_opencl_number(s->cl, s->id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    snprintf(s->options, sizeof s->options, "-w -cl-std=CL%s%s%s", new ? "3.0" : "1.2", s->ptx ? " -DRW_PTX" : "",
             rounds_f32 ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

static rw_status build_failed(rw_device *dev, rw_program *p, cl_program program, cl_int error, const char *text)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    size_t n = 0;
    s->cl->clGetProgramBuildInfo(program, s->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
    char *log = rw_calloc(n + 64, 1);
    if (!log) return rw_fail_memory(dev->ctx, n + 64, "the log of a compiler");
    if (n) s->cl->clGetProgramBuildInfo(program, s->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
    if (!*log) snprintf(log, 64, "error: %s (%d), no log", rw_opencl_error_name(error), error);
    rw_status status = rw_build_failed(dev->ctx, p->name, ".cl", text, log);
    rw_free(log);
    return status;
}

static rw_status get_binary(rw_device *dev, rw_program *p, cl_program program, rw_text *binary)
{
    const rw_opencl_api *cl = rw_opencl_of(dev)->cl;
    size_t n = 0;
    cl_int error = cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
    if (error || n == 0)
        return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: the driver of %s gives no program binary (%s): update it",
                       p->name, dev->info.name, rw_opencl_error_name(error));
    char *bytes = rw_calloc(n, 1);
    if (!bytes) return rw_fail_memory(dev->ctx, n, "a compiled program");
    error = cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    if (!error) rw_text_add_bytes(binary, bytes, n);
    rw_free(bytes);
    if (error) return rw_opencl_fail(dev, error, "program %s: reading its binary", p->name);
    return binary->failed ? rw_fail_memory(dev->ctx, n, "a compiled program") : RW_OK;
}

/* NVIDIA's program binary is PTX. A kernel that does not say how many groups a multiprocessor shall have room for gets
 * few registers there, and so few loads in flight. OpenCL C has no word for it, so it is written into the PTX, as
 * __launch_bounds__ writes it in CUDA. */
static rw_status say_groups(rw_device *dev, const rw_program *p, rw_text *binary)
{
    static const char after[] = "\n.reqntid ";
    rw_text said = {0};
    if (!rw_opencl_of(dev)->ptx || p->groups_a_unit == 0) return RW_OK;
    const char *from = binary->data;
    for (const char *at = strstr(from, after), *line; at && (line = strchr(at + 1, '\n')); at = strstr(line, after)) {
        rw_text_add_bytes(&said, from, (size_t)(line - from));
        rw_text_add(&said, "\n.minnctapersm %d", p->groups_a_unit);
        from = line;
    }
    rw_text_add_bytes(&said, from, binary->length - (size_t)(from - binary->data)); /* it ends with NULs */
    rw_text_free(binary);
    *binary = said;
    return said.failed ? rw_fail_memory(dev->ctx, said.length, "a compiled program") : RW_OK;
}

rw_status rw_opencl_compile(rw_device *dev, rw_program *p, const char *text, rw_text *binary)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    if (p->group > dev->info.group_max || p->shared_large > dev->info.shared_memory)
        return rw_fail(dev->ctx, RW_ERR_COMPILE,
                       "program %s: a group of %d items and %lld bytes of SHARED_LARGE: %s allows %d and %lld", p->name,
                       p->group, (long long)p->shared_large, dev->info.name, dev->info.group_max,
                       (long long)dev->info.shared_memory);
    cl_int error;
    cl_program program = s->cl->clCreateProgramWithSource(s->context, 1, &text, NULL, &error);
    if (!program) return rw_opencl_fail(dev, error, "program %s", p->name);
    rw_opencl_enter(s);
    error = s->cl->clBuildProgram(program, 1, &s->id, s->options, NULL, NULL);
    rw_status status = error ? build_failed(dev, p, program, error, text) : get_binary(dev, p, program, binary);
    if (status == RW_OK) status = say_groups(dev, p, binary);
    rw_opencl_leave(s);
    s->cl->clReleaseProgram(program);
    return status;
}

static rw_status create_kernel(rw_device *dev, rw_program *p, rw_kernel *k)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    cl_int error;
    size_t items = 0, made_for[3] = {0};
    rw_opencl_kernel *h = rw_calloc(1, sizeof *h);
    if (!h) return rw_fail_memory(dev->ctx, sizeof *h, "a kernel");
    h->kernel = s->cl->clCreateKernel(p->module, k->name, &error);
    if (!h->kernel) {
        rw_free(h);
        return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: kernel %s: %s (%d)", p->name, k->name,
                       rw_opencl_error_name(error), error);
    }
    pthread_mutex_init(&h->lock, NULL);
    k->handle = h;
    error = s->cl->clGetKernelWorkGroupInfo(h->kernel, s->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof items, &items, NULL);
    if (s->cl->clGetKernelWorkGroupInfo(h->kernel, s->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof made_for, made_for,
                                        NULL) != CL_SUCCESS)
        made_for[0] = 0;
    if (!error && items < (size_t)p->group && made_for[0] != (size_t)p->group) /* NVIDIA answers 256 for all */
        return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: kernel %s runs with at most %zu items on %s, GROUP is %d",
                       p->name, k->name, items, dev->info.name, p->group);
    return RW_OK;
}

rw_status rw_opencl_program_load(rw_device *dev, rw_program *p, const rw_text *binary)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    const unsigned char *bytes = (const unsigned char *)binary->data;
    cl_int error, taken = CL_SUCCESS;
    p->module = s->cl->clCreateProgramWithBinary(s->context, 1, &s->id, &binary->length, &bytes, &taken, &error);
    if (p->module && taken == CL_SUCCESS) error = s->cl->clBuildProgram(p->module, 1, &s->id, s->options, NULL, NULL);
    if (error || taken)
        return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: %s refuses its own program binary: %s (%d)", p->name,
                       dev->info.name, rw_opencl_error_name(error ? error : taken), error ? error : taken);
    for (int i = 0; i < p->nkernels; ++i) RW_TRY(create_kernel(dev, p, p->kernels + i));
    return RW_OK;
}

void rw_opencl_unload(rw_device *dev, rw_program *p)
{
    const rw_opencl_api *cl = rw_opencl_of(dev)->cl;
    for (int i = 0; i < p->nkernels; ++i) {
        rw_opencl_kernel *h = p->kernels[i].handle;
        if (!h) continue;
        cl->clReleaseKernel(h->kernel);
        pthread_mutex_destroy(&h->lock);
        rw_free(h);
        p->kernels[i].handle = NULL;
    }
    if (p->module) cl->clReleaseProgram(p->module);
    p->module = NULL;
}
