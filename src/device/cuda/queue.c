/* Queues of a CUDA device: launches, waiting, events, recorded graphs; and the table of operations.
 *
 * A launch costs a few microseconds in the driver, so nothing is allocated or copied here: the driver gets pointers to
 * the arguments where they lie. */
#include <string.h>

#include "device/cuda/cuda.h"

/* ---- queues --------------------------------------------------------------------------------------------------- */

static rw_status queue_create(rw_queue *q)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    CUstream stream = NULL;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    rw_status status = error ? rw_cuda_fail(q->device, error, "making a queue") : RW_OK;
    rw_cuda_leave(s, entered);
    q->state = stream;
    return status;
}

static rw_status queue_import(rw_queue *q, void *native)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    CUcontext context = NULL;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuStreamGetCtx(native, &context); /* of the default stream: the current one */
    rw_cuda_leave(s, entered);
    if (error || context != s->context)
        return rw_fail(q->device->ctx, RW_ERR_ARGUMENT, "rw_queue_import: the CUstream is %s of %s",
                       error ? "none" : "in another context than the primary one", q->device->info.name);
    q->state = native;
    return RW_OK;
}

static rw_status event_import(rw_event *e, void *native)
{
    e->state = native;
    return RW_OK;
}

static void *native(const rw_device *dev) { return rw_cuda_of(dev)->context; }

static void queue_destroy(rw_queue *q)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    s->cu->cuStreamDestroy_v2(q->state);
    rw_cuda_leave(s, entered);
    q->state = NULL;
}

static rw_status wait_queue(rw_queue *q)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuStreamSynchronize(q->state);
    rw_status status = error ? rw_cuda_fail(q->device, error, "a kernel or copy in the queue") : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

static rw_status fail_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], CUresult error)
{
    return rw_cuda_fail(q->device, error, "kernel %s: launch of %lld x %lld x %lld groups of %d items", k->name,
                        (long long)groups[0], (long long)groups[1], (long long)groups[2], k->program->group);
}

static rw_status launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs)
{
    static void *nothing;
    const rw_cuda_state *s = rw_cuda_of(q->device);
    const rw_program *p = k->program;
    void *pointers[RW_MAX_PARAMETERS];
    for (int i = 0; i < nargs; ++i) {
        const rw_launch_arg *a = args + i;
        const void *at = a->parameter->kind != RW_ARG_GLOBAL ? (const void *)&a->value
                         : a->buffer                         ? (const void *)&a->buffer->pointer
                                                             : (const void *)&nothing;
        pointers[i] = (void *)(uintptr_t)at; /* the driver only reads them */
    }
    bool entered = rw_cuda_enter(s);
    CUresult error =
        s->cu->cuLaunchKernel(k->handle, (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2],
                              (unsigned)p->group, 1, 1, (unsigned)p->shared_large, q->state, pointers, NULL);
    rw_status status = error ? fail_launch(q, k, groups, error) : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

/* ---- events --------------------------------------------------------------------------------------------------- */

static rw_status event_create(rw_event *e)
{
    const rw_cuda_state *s = rw_cuda_of(e->device);
    CUevent event = NULL;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuEventCreate(&event, CU_EVENT_DEFAULT);
    rw_status status = error ? rw_cuda_fail(e->device, error, "making an event") : RW_OK;
    rw_cuda_leave(s, entered);
    e->state = event;
    return status;
}

static void event_destroy(rw_event *e)
{
    const rw_cuda_state *s = rw_cuda_of(e->device);
    bool entered = rw_cuda_enter(s);
    if (!e->foreign) s->cu->cuEventDestroy_v2(e->state); /* the driver keeps it until it has happened */
    rw_cuda_leave(s, entered);
    e->state = NULL;
}

static rw_status event_record(rw_event *e, rw_queue *q)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuEventRecord(e->state, q->state);
    rw_status status = error ? rw_cuda_fail(q->device, error, "recording an event") : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

static rw_status event_wait(rw_event *e)
{
    const rw_cuda_state *s = rw_cuda_of(e->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuEventSynchronize(e->state);
    rw_status status = error ? rw_cuda_fail(e->device, error, "waiting for an event") : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

/* A graph cannot depend on work outside it: while q records, that work is waited for here, and once. */
static rw_status event_order(rw_queue *q, rw_event *e)
{
    if (q->recording) return event_wait(e);
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuStreamWaitEvent(q->state, e->state, 0);
    rw_status status = error ? rw_cuda_fail(q->device, error, "making a queue wait for an event") : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

static rw_status event_seconds(rw_event *start, rw_event *stop, double *seconds)
{
    const rw_cuda_state *s = rw_cuda_of(start->device);
    float milliseconds = 0;
    RW_TRY(event_wait(start));
    RW_TRY(event_wait(stop));
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuEventElapsedTime(&milliseconds, start->state, stop->state);
    rw_status status = error ? rw_cuda_fail(start->device, error, "reading the time between two events") : RW_OK;
    rw_cuda_leave(s, entered);
    *seconds = 1e-3 * (double)milliseconds;
    return status;
}

/* ---- recorded sequences: CUDA graphs --------------------------------------------------------------------------- */

static rw_status record_begin(rw_queue *q)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuStreamBeginCapture_v2(q->state, CU_STREAM_CAPTURE_MODE_RELAXED);
    rw_status status = error ? rw_cuda_fail(q->device, error, "beginning to record") : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

static rw_status record_end(rw_queue *q, void **graph)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    CUgraph captured = NULL;
    CUgraphExec exec = NULL;
    *graph = NULL;
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuStreamEndCapture(q->state, &captured);
    if (!error) error = s->cu->cuGraphInstantiateWithFlags(&exec, captured, 0);
    if (captured) s->cu->cuGraphDestroy(captured);
    if (!error) s->cu->cuGraphUpload(exec, q->state); /* now rather than in the first replay; failing does no harm */
    rw_status status = error ? rw_cuda_fail(q->device, error, "recording a sequence") : RW_OK;
    rw_cuda_leave(s, entered);
    *graph = exec;
    return status;
}

static rw_status replay(rw_queue *q, void *graph)
{
    const rw_cuda_state *s = rw_cuda_of(q->device);
    bool entered = rw_cuda_enter(s);
    CUresult error = s->cu->cuGraphLaunch(graph, q->state);
    rw_status status = error ? rw_cuda_fail(q->device, error, "replaying a recorded sequence") : RW_OK;
    rw_cuda_leave(s, entered);
    return status;
}

static void graph_destroy(rw_device *dev, void *graph)
{
    const rw_cuda_state *s = rw_cuda_of(dev);
    bool entered = rw_cuda_enter(s);
    s->cu->cuGraphExecDestroy(graph);
    rw_cuda_leave(s, entered);
}

const rw_device_ops rw_cuda_ops = {
    .kind = "cuda",
    .suffix = ".cubin",
    .list = rw_cuda_list,
    .open = rw_cuda_open,
    .close = rw_cuda_close,
    .alloc = rw_cuda_alloc,
    .free = rw_cuda_free,
    .copy_in = rw_cuda_copy_in,
    .copy_out = rw_cuda_copy_out,
    .copy = rw_cuda_copy,
    .zero = rw_cuda_zero,
    .identity = rw_cuda_identity,
    .compile = rw_cuda_compile,
    .load = rw_cuda_program_load,
    .unload = rw_cuda_unload,
    .launch = launch,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .wait = wait_queue,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_order = event_order,
    .event_seconds = event_seconds,
    .host_alloc = rw_cuda_host_alloc,
    .host_free = rw_cuda_host_free,
    .record_begin = record_begin,
    .record_end = record_end,
    .replay = replay,
    .graph_destroy = graph_destroy,
    .resources = rw_cuda_resources,
    .queue_import = queue_import,
    .event_import = event_import,
    .tensor_import = rw_cuda_tensor_import,
    .native = native,
    .gl_import = rw_cuda_gl_import,
    .gl_copy = rw_cuda_gl_copy,
    .gl_release = rw_cuda_gl_release,
    .discrete = true,
    .shared_most = RW_SHARED_MOST,
    .tensor_device = {[RW_MEMORY_DEVICE] = RW_TENSOR_CUDA,
                      [RW_MEMORY_PINNED] = RW_TENSOR_CUDA,
                      [RW_MEMORY_MANAGED] = RW_TENSOR_CUDA_MANAGED,
                      [RW_MEMORY_MAPPED] = RW_TENSOR_CUDA_HOST},
};
