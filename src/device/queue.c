/* Queues, events and recorded sequences: the front of the table's entries. A device whose table cannot record gets
 * its launches kept here and replayed one after the other. */
#include <string.h>

#include "device/device.h"

rw_status rw_queue_create(rw_device *dev, rw_queue **queue)
{
    RW_NEED(queue, "queue");
    *queue = NULL;
    RW_NEED(dev, "device");
    rw_queue *q = rw_calloc(1, sizeof *q);
    if (!q) return rw_fail_memory(dev->ctx, sizeof *q, "a queue");
    q->device = dev;
    q->references = 1;
    rw_status status = dev->ops->queue_create(q);
    if (status != RW_OK) {
        rw_free(q);
        return status;
    }
    if (dev->queue) rw_device_retain(dev); /* the device's own first queue does not keep it alive */
    *queue = q;
    return RW_OK;
}

rw_status rw_queue_import(rw_device *dev, void *native, rw_queue **queue)
{
    RW_NEED(queue, "queue");
    *queue = NULL;
    RW_NEED(dev, "device");
    if (!dev->ops->queue_import && native)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_queue_import: %s cannot use external streams: pass NULL",
                       dev->info.name);
    rw_queue *q = rw_calloc(1, sizeof *q);
    if (!q) return rw_fail_memory(dev->ctx, sizeof *q, "a queue");
    q->device = dev;
    q->references = 1;
    q->foreign = true;
    rw_status status = dev->ops->queue_import ? dev->ops->queue_import(q, native) : RW_OK;
    if (status != RW_OK) {
        rw_free(q);
        return status;
    }
    rw_device_retain(dev);
    *queue = q;
    return RW_OK;
}

rw_status rw_queue_get_native(rw_queue *q, void **native)
{
    RW_NEED(native, "native");
    *native = NULL;
    RW_NEED(q, "queue");
    *native = q->state;
    return RW_OK;
}

/* ---- what is recorded ------------------------------------------------------------------------------------------ */

static void forget(rw_device *dev, rw_record *r)
{
    for (int i = 0; i < r->nlaunches; ++i) {
        rw_free(r->launches[i].args);
        rw_free(r->launches[i].buffers);
    }
    for (int i = 0; i < r->ntouched; ++i) {
        rw_array_destroy(&r->touched[i].array);
        rw_allocation_release(dev, r->touched[i].allocation);
    }
    for (int i = 0; i < r->nprograms; ++i) rw_program_destroy(&r->programs[i]);
    rw_free(r->launches);
    rw_free(r->touched);
    rw_free(r->programs);
    *r = (rw_record){0};
}

static rw_status keep_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs)
{
    rw_context *ctx = q->device->ctx;
    rw_record *to = &q->record;
    if (!rw_grow(&to->launches, &to->launches_capacity, to->nlaunches + 1, sizeof *to->launches))
        return rw_fail_memory(ctx, sizeof *to->launches, "a recorded launch");
    rw_recorded *r = to->launches + to->nlaunches;
    r->kernel = k;
    r->nargs = nargs;
    memcpy(r->groups, groups, sizeof r->groups);
    r->args = rw_calloc((size_t)RW_MAX(nargs, 1), sizeof *r->args);
    r->buffers = rw_calloc((size_t)RW_MAX(nargs, 1), sizeof *r->buffers);
    if (!r->args || !r->buffers) { /* not recorded: the place is taken by the next launch */
        rw_free(r->args);
        rw_free(r->buffers);
        return rw_fail_memory(ctx, (size_t)nargs * sizeof *r->args, "a recorded launch");
    }
    to->nlaunches++;
    memcpy(r->args, args, (size_t)nargs * sizeof *args);
    for (int i = 0; i < nargs; ++i)
        if (args[i].buffer) {
            r->buffers[i] = *args[i].buffer;
            r->args[i].buffer = r->buffers + i;
        }
    return RW_OK;
}

/* Notes an array, with the memory that it has now, once. */
static rw_status touch(rw_queue *q, rw_array *array, bool written)
{
    rw_record *r = &q->record;
    for (int i = 0; i < r->ntouched; ++i)
        if (r->touched[i].array == array && r->touched[i].allocation == array->storage->allocation) {
            r->touched[i].written = r->touched[i].written || written;
            return RW_OK;
        }
    if (!rw_grow(&r->touched, &r->touched_capacity, r->ntouched + 1, sizeof *r->touched))
        return rw_fail_memory(q->device->ctx, sizeof *r->touched, "a recorded launch");
    r->touched[r->ntouched++] =
        (rw_touched){rw_array_retain(array), rw_allocation_retain(array->storage->allocation), written};
    return RW_OK;
}

static rw_status note_program(rw_queue *q, rw_program *p)
{
    rw_record *r = &q->record;
    for (int i = 0; i < r->nprograms; ++i)
        if (r->programs[i] == p) return RW_OK;
    if (!rw_grow(&r->programs, &r->programs_capacity, r->nprograms + 1, sizeof *r->programs))
        return rw_fail_memory(q->device->ctx, sizeof *r->programs, "a recorded launch");
    r->programs[r->nprograms++] = rw_program_retain(p);
    return RW_OK;
}

rw_status rw_record_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs)
{
    RW_TRY(note_program(q, k->program));
    for (int i = 0; i < nargs; ++i)
        if (args[i].array) RW_TRY(touch(q, args[i].array, !k->parameters[i].constant)); /* written by the replay */
    RW_TRY(q->device->ops->record_begin ? q->device->ops->launch(q, k, groups, args, nargs)
                                        : keep_launch(q, k, groups, args, nargs));
    q->record.total_launches++;
    return RW_OK;
}

/* ---- queues ---------------------------------------------------------------------------------------------------- */

void rw_queue_destroy(rw_queue **queue)
{
    if (!queue) return;
    rw_queue *q = *queue;
    *queue = NULL;
    if (!q || q == q->device->queue) return;
    rw_device *dev = q->device;
    dev->ops->wait(q);
    if (!q->foreign) dev->ops->queue_destroy(q);
    q->gone = true; /* what `forget` destroys must not wait for it */
    forget(dev, &q->record);
    rw_queue_release(q);
    rw_device_close(&dev);
}

static rw_status refuse_recording(rw_queue *q, const char *what)
{
    return rw_fail(q->device->ctx, RW_ERR_ARGUMENT, "%s while the queue is recording: call rw_record_end first", what);
}

rw_status rw_queue_wait(rw_queue *q)
{
    RW_NEED(q, "queue");
    if (q->recording) return refuse_recording(q, "waiting");
    return q->device->ops->wait(q);
}

rw_status rw_event_create(rw_device *dev, rw_event **event)
{
    RW_NEED(event, "event");
    *event = NULL;
    RW_NEED(dev, "device");
    rw_event *e = rw_calloc(1, sizeof *e);
    if (!e) return rw_fail_memory(dev->ctx, sizeof *e, "an event");
    e->device = dev;
    rw_status status = dev->ops->event_create(e);
    if (status != RW_OK) {
        rw_free(e);
        return status;
    }
    rw_device_retain(dev);
    *event = e;
    return RW_OK;
}

rw_status rw_event_import(rw_device *dev, void *native, rw_event **event)
{
    RW_NEED(event, "event");
    *event = NULL;
    RW_NEED(dev, "device");
    if (!dev->ops->event_import != !native)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_event_import: %s",
                       native ? "this device cannot use external events: pass NULL" : "native is NULL");
    rw_event *e = rw_calloc(1, sizeof *e);
    if (!e) return rw_fail_memory(dev->ctx, sizeof *e, "an event");
    e->device = dev;
    e->recorded = e->foreign = true;
    e->host_seconds = rw_seconds();
    rw_status status = native ? dev->ops->event_import(e, native) : RW_OK;
    if (status != RW_OK) {
        rw_free(e);
        return status;
    }
    rw_device_retain(dev);
    *event = e;
    return RW_OK;
}

rw_status rw_event_get_native(rw_event *e, void **native)
{
    RW_NEED(native, "native");
    *native = NULL;
    RW_NEED(e, "event");
    if (!e->recorded)
        return rw_fail(e->device->ctx, RW_ERR_ARGUMENT,
                       "rw_event_get_native: the event has not been recorded: call rw_event_record first");
    *native = e->state;
    return RW_OK;
}

void rw_event_destroy(rw_event **event)
{
    if (!event) return;
    rw_event *e = *event;
    *event = NULL;
    if (!e) return;
    rw_device *dev = e->device;
    dev->ops->event_destroy(e);
    rw_free(e);
    rw_device_close(&dev);
}

static rw_status check_same(rw_event *e, rw_device *dev, const char *what)
{
    if (e->device == dev) return RW_OK;
    return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                   "%s: the event is on %s, the queue on %s: both must belong to the same device", what,
                   e->device->info.name, dev->info.name);
}

static rw_status check_recorded(rw_event *e, const char *what)
{
    if (e->recorded) return RW_OK;
    return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "%s: the event has not been recorded: call rw_event_record first",
                   what);
}

rw_status rw_event_record(rw_event *e, rw_queue *q)
{
    RW_NEED(e, "event");
    RW_NEED(q, "queue");
    RW_TRY(check_same(e, q->device, "rw_event_record"));
    if (e->foreign)
        return rw_fail(e->device->ctx, RW_ERR_ARGUMENT,
                       "rw_event_record: an imported event can be recorded only by its owner");
    if (q->recording) return refuse_recording(q, "recording an event");
    RW_TRY(q->device->ops->event_record(e, q));
    e->recorded = true;
    return RW_OK;
}

rw_status rw_event_wait(rw_event *e)
{
    RW_NEED(e, "event");
    RW_TRY(check_recorded(e, "rw_event_wait"));
    return e->device->ops->event_wait(e);
}

rw_status rw_queue_wait_event(rw_queue *q, rw_event *e)
{
    RW_NEED(q, "queue");
    RW_NEED(e, "event");
    RW_TRY(check_same(e, q->device, "rw_queue_wait_event"));
    RW_TRY(check_recorded(e, "rw_queue_wait_event"));
    return q->device->ops->event_order(q, e);
}

rw_status rw_event_seconds(rw_event *start, rw_event *stop, double *seconds)
{
    RW_NEED(start, "start");
    RW_NEED(stop, "stop");
    RW_NEED(seconds, "seconds");
    *seconds = 0;
    RW_TRY(check_same(stop, start->device, "rw_event_seconds"));
    RW_TRY(check_recorded(start, "rw_event_seconds"));
    RW_TRY(check_recorded(stop, "rw_event_seconds"));
    return start->device->ops->event_seconds(start, stop, seconds);
}

rw_status rw_record_begin(rw_queue *q)
{
    RW_NEED(q, "queue");
    if (q->recording) return refuse_recording(q, "rw_record_begin");
    if (q->device->ops->record_begin) RW_TRY(q->device->ops->record_begin(q));
    q->recording = true;
    return RW_OK;
}

rw_status rw_record_end(rw_queue *q, rw_sequence **sequence)
{
    RW_NEED(sequence, "sequence");
    *sequence = NULL;
    RW_NEED(q, "queue");
    rw_device *dev = q->device;
    if (!q->recording)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "rw_record_end: the queue is not recording: call rw_record_begin first");
    q->recording = false;
    void *graph = NULL;
    rw_status status = dev->ops->record_end ? dev->ops->record_end(q, &graph) : RW_OK;
    rw_sequence *s = status == RW_OK ? rw_calloc(1, sizeof *s) : NULL;
    if (!s) {
        if (graph) dev->ops->graph_destroy(dev, graph);
        forget(dev, &q->record);
        return status != RW_OK ? status : rw_fail_memory(dev->ctx, sizeof *s, "a recorded sequence");
    }
    s->device = rw_device_retain(dev);
    s->record = q->record;
    q->record = (rw_record){0};
    s->graph = graph;
    *sequence = s;
    return RW_OK;
}

rw_status rw_sequence_replay(rw_sequence *s, rw_queue *q)
{
    RW_NEED(s, "sequence");
    RW_NEED(q, "queue");
    if (s->device != q->device)
        return rw_fail(q->device->ctx, RW_ERR_ARGUMENT, "a sequence recorded on %s cannot be replayed in a queue of %s",
                       s->device->info.name, q->device->info.name);
    if (q->recording) return refuse_recording(q, "replaying a sequence");
    if (rw_fault_hit(RW_FAULT_LAUNCH))
        return rw_fail(q->device->ctx, RW_ERR_LAUNCH, "replay of a sequence failed (injected)");
    const rw_record *record = &s->record;
    for (int i = 0; i < record->ntouched; ++i) RW_TRY(rw_storage_use(record->touched[i].array->storage, q));
    for (int i = 0; i < record->ntouched; ++i)
        if (record->touched[i].written) rw_storage_written(record->touched[i].array->storage);
    if (s->graph) {
        RW_TRY(q->device->ops->replay(q, s->graph));
    } else {
        for (int i = 0; i < record->nlaunches; ++i) {
            const rw_recorded *r = record->launches + i;
            RW_TRY(q->device->ops->launch(q, r->kernel, r->groups, r->args, r->nargs));
        }
    }
    rw_count(s->device, &s->device->counters.replays, 1);
    rw_count(s->device, &s->device->counters.launches, record->total_launches);
    return RW_OK;
}

void rw_sequence_destroy(rw_sequence **sequence)
{
    if (!sequence) return;
    rw_sequence *s = *sequence;
    *sequence = NULL;
    if (!s) return;
    if (s->graph) s->device->ops->graph_destroy(s->device, s->graph);
    forget(s->device, &s->record);
    rw_device_close(&s->device);
    rw_free(s);
}
