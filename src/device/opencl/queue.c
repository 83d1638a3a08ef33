/* Queues of an OpenCL device: launches, waiting, events; and the table of operations.
 *
 * Queues run in order. An event is a marker in its queue; its time is the device's, from the marker's profile. Waiting
 * for an event of another queue needs that queue to have been handed to the driver, so recording flushes. */
#include "device/opencl/opencl.h"

static rw_status queue_create(rw_queue *q)
{
    const rw_opencl_state *s = rw_opencl_of(q->device);
    cl_int error;
    q->state = s->cl->clCreateCommandQueue(s->context, s->id, CL_QUEUE_PROFILING_ENABLE, &error);
    return q->state ? RW_OK : rw_opencl_fail(q->device, error, "making a queue");
}

static rw_status queue_import(rw_queue *q, void *native)
{
    const rw_opencl_state *s = rw_opencl_of(q->device);
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_bitfield properties = 0;
    cl_int error = native ? s->cl->clGetCommandQueueInfo(native, CL_QUEUE_CONTEXT, sizeof context, &context, NULL)
                          : CL_INVALID_COMMAND_QUEUE;
    if (!error) error = s->cl->clGetCommandQueueInfo(native, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    if (!error) error = s->cl->clGetCommandQueueInfo(native, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (error || context != s->context || id != s->id)
        return rw_fail(q->device->ctx, RW_ERR_ARGUMENT,
                       "rw_queue_import: %s: it must be a cl_command_queue of the context and device of %s "
                       "(rw_device_open_native opens in a context)",
                       error ? rw_opencl_error_name(error) : "a queue of another context or device",
                       q->device->info.name);
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return rw_fail(q->device->ctx, RW_ERR_ARGUMENT,
                       "rw_queue_import: the queue runs out of order: make one that keeps the order");
    q->state = native;
    return RW_OK;
}

static rw_status event_import(rw_event *e, void *native)
{
    const rw_opencl_state *s = rw_opencl_of(e->device);
    cl_context context = NULL;
    cl_int error = s->cl->clGetEventInfo(native, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    if (error || context != s->context)
        return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "rw_event_import: %s",
                       error ? rw_opencl_error_name(error) : "an event of another context");
    s->cl->clRetainEvent(native);
    e->state = native;
    return RW_OK;
}

/* The buffer is the memory; byte_offset leads to the data. */
static rw_status tensor_import(rw_device *dev, const rw_tensor *t, rw_buffer *buffer, size_t *offset, void **host)
{
    const rw_opencl_state *s = rw_opencl_of(dev);
    cl_context context = NULL;
    size_t bytes = 0;
    *host = NULL;
    if (t->device_type != RW_TENSOR_OPENCL)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "rw_array_import: a tensor of device type %d on %s: a cl_mem (type %d) is needed",
                       (int)t->device_type, dev->info.name, RW_TENSOR_OPENCL);
    cl_int error = t->data ? s->cl->clGetMemObjectInfo(t->data, CL_MEM_CONTEXT, sizeof context, &context, NULL)
                           : CL_INVALID_MEM_OBJECT;
    if (!error) error = s->cl->clGetMemObjectInfo(t->data, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (error || context != s->context)
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_array_import: data is %s: a cl_mem of the context of %s is needed (rw_device_open_native opens in a "
            "context)",
            error ? "no cl_mem" : "a cl_mem of another context", dev->info.name);
    *buffer = (rw_buffer){.pointer = t->data, .bytes = bytes};
    *offset = t->byte_offset;
    return RW_OK;
}

static void *native(const rw_device *dev) { return rw_opencl_of(dev)->context; }

static void queue_destroy(rw_queue *q)
{
    rw_opencl_of(q->device)->cl->clReleaseCommandQueue(q->state);
    q->state = NULL;
}

static rw_status wait_queue(rw_queue *q)
{
    cl_int error = rw_opencl_of(q->device)->cl->clFinish(q->state);
    return error ? rw_opencl_fail(q->device, error, "waiting for a queue") : RW_OK;
}

static cl_int set_arguments(const rw_opencl_api *cl, cl_kernel kernel, const rw_launch_arg *args, int nargs, int *at)
{
    cl_int error = CL_SUCCESS;
    for (*at = 0; *at < nargs; ++*at) {
        const rw_launch_arg *a = args + *at;
        bool global = a->parameter->kind == RW_ARG_GLOBAL;
        const void *value = !global ? (const void *)&a->value : a->buffer ? &a->buffer->pointer : NULL;
        error = cl->clSetKernelArg(kernel, (cl_uint)*at, global ? sizeof(cl_mem) : a->bytes, value);
        if (error) break;
    }
    return error;
}

static rw_status launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs)
{
    const rw_opencl_state *s = rw_opencl_of(q->device);
    const rw_opencl_api *cl = s->cl;
    rw_opencl_kernel *h = k->handle;
    const size_t group = (size_t)k->program->group;
    const size_t local[3] = {group, 1, 1};
    const size_t global[3] = {(size_t)groups[0] * group, (size_t)groups[1], (size_t)groups[2]};
    int at;
    rw_opencl_enter(s);
    pthread_mutex_lock(&h->lock);
    cl_int error = set_arguments(cl, h->kernel, args, nargs, &at);
    if (!error) error = cl->clEnqueueNDRangeKernel(q->state, h->kernel, 3, NULL, global, local, 0, NULL, NULL);
    pthread_mutex_unlock(&h->lock);
    if (!error && s->one_at_a_time) error = cl->clFinish(q->state);
    rw_opencl_leave(s);
    if (!error) return RW_OK;
    if (at < nargs)
        return rw_opencl_fail(q->device, error, "kernel %s: argument %d, %s %s", k->name, at + 1,
                              args[at].parameter->type, args[at].parameter->name);
    return rw_opencl_fail(q->device, error, "kernel %s: launch of %lld x %lld x %lld groups of %zu", k->name,
                          (long long)groups[0], (long long)groups[1], (long long)groups[2], group);
}

static rw_status event_create(rw_event *e)
{
    e->state = NULL;
    return RW_OK;
}

static void event_destroy(rw_event *e)
{
    if (e->state) rw_opencl_of(e->device)->cl->clReleaseEvent(e->state);
    e->state = NULL;
}

static rw_status event_record(rw_event *e, rw_queue *q)
{
    const rw_opencl_api *cl = rw_opencl_of(q->device)->cl;
    event_destroy(e);
    cl_event marker = NULL;
    cl_int error = cl->clEnqueueMarkerWithWaitList(q->state, 0, NULL, &marker);
    e->state = marker;
    if (!error) error = cl->clFlush(q->state);
    return error ? rw_opencl_fail(q->device, error, "recording an event") : RW_OK;
}

static rw_status event_wait(rw_event *e)
{
    const cl_event marker = e->state;
    cl_int error = rw_opencl_of(e->device)->cl->clWaitForEvents(1, &marker);
    return error ? rw_opencl_fail(e->device, error, "waiting for an event") : RW_OK;
}

static rw_status event_order(rw_queue *q, rw_event *e)
{
    const cl_event marker = e->state;
    cl_int error = rw_opencl_of(q->device)->cl->clEnqueueBarrierWithWaitList(q->state, 1, &marker, NULL);
    return error ? rw_opencl_fail(q->device, error, "making a queue wait for an event") : RW_OK;
}

static rw_status event_seconds(rw_event *start, rw_event *stop, double *seconds)
{
    const rw_opencl_api *cl = rw_opencl_of(start->device)->cl;
    cl_ulong ns[2] = {0};
    RW_TRY(event_wait(start));
    RW_TRY(event_wait(stop));
    cl_int error = cl->clGetEventProfilingInfo(start->state, CL_PROFILING_COMMAND_END, sizeof ns[0], &ns[0], NULL);
    if (!error) error = cl->clGetEventProfilingInfo(stop->state, CL_PROFILING_COMMAND_END, sizeof ns[1], &ns[1], NULL);
    if (error) return rw_opencl_fail(start->device, error, "reading the time of an event");
    *seconds = 1e-9 * ((double)ns[1] - (double)ns[0]);
    return RW_OK;
}

const rw_device_ops rw_opencl_ops = {
    .kind = "opencl",
    .suffix = ".clbin",
    .list = rw_opencl_list,
    .open = rw_opencl_open,
    .close = rw_opencl_close,
    .alloc = rw_opencl_alloc,
    .free = rw_opencl_free,
    .part = rw_opencl_part,
    .copy_in = rw_opencl_copy_in,
    .copy_out = rw_opencl_copy_out,
    .copy = rw_opencl_copy,
    .zero = rw_opencl_zero,
    .identity = rw_opencl_identity,
    .compile = rw_opencl_compile,
    .load = rw_opencl_program_load,
    .unload = rw_opencl_unload,
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
    .queue_import = queue_import,
    .event_import = event_import,
    .tensor_import = tensor_import,
    .native = native,
    .host_alloc = rw_opencl_host_alloc,
    .host_free = rw_opencl_host_free,
    .discrete = true,
    .accepts_context = true,
    .single_item = true,
    .group_most = 256, /* larger ones get too few registers */
    .tensor_device = {RW_TENSOR_OPENCL, RW_TENSOR_OPENCL, RW_TENSOR_OPENCL, RW_TENSOR_OPENCL},
};
