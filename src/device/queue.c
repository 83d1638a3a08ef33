/* Queues, events and recorded sequences: the front of the table's entries. A device whose table cannot record gets
 * its launches kept here and replayed one after the other. */
#include <string.h>

#include "device/device.h"

rw_status rw_queue_create(rw_device *dev, rw_queue **queue)
{
    *queue = NULL;
    rw_queue *q = rw_calloc(1, sizeof *q);
    if (!q) return rw_fail_memory(dev->ctx, sizeof *q, "a queue");
    q->device = dev, q->references = 1;
    rw_status status = dev->ops->queue_create(q);
    if (status != RW_OK) {
        rw_free(q);
        return status;
    }
    if (dev->queue) rw_device_retain(dev); /* the device's own first queue does not keep it alive */
    *queue = q;
    return RW_OK;
}

rw_queue *rw_queue_retain(rw_queue *q)
{
    if (q) __atomic_add_fetch(&q->references, 1, __ATOMIC_RELAXED);
    return q;
}

void rw_queue_release(rw_queue *q)
{
    if (q && __atomic_sub_fetch(&q->references, 1, __ATOMIC_ACQ_REL) == 0) rw_free(q);
}

static void free_recorded(rw_recorded *r, int n)
{
    for (int i = 0; i < n; ++i) rw_free(r[i].args), rw_free(r[i].buffers);
    rw_free(r);
}

/* What the queue has kept since rw_record_begin is forgotten. */
static void forget_recorded(rw_queue *q)
{
    free_recorded(q->recorded, q->nrecorded);
    rw_free(q->touched);
    q->recorded = NULL, q->nrecorded = q->recorded_capacity = 0;
    q->touched = NULL, q->ntouched = q->touched_capacity = 0;
}

void rw_queue_destroy(rw_queue **queue)
{
    rw_queue *q = *queue;
    *queue = NULL;
    if (!q || q == q->device->queue) return;
    rw_device *dev = q->device;
    dev->ops->wait(q);
    dev->ops->queue_destroy(q);
    forget_recorded(q);
    q->gone = true;
    rw_queue_release(q);
    rw_device_close(&dev);
}

static rw_status refuse_recording(rw_queue *q, const char *what)
{
    return rw_fail(q->device->ctx, RW_ERR_ARGUMENT, "%s while the queue records: call rw_record_end first", what);
}

rw_status rw_queue_wait(rw_queue *q)
{
    if (q->recording) return refuse_recording(q, "waiting");
    return q->device->ops->wait(q);
}

rw_status rw_event_create(rw_device *dev, rw_event **event)
{
    *event = NULL;
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

void rw_event_destroy(rw_event **event)
{
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
    return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s: event of %s, queue of %s: both must be of one device", what,
                   e->device->info.name, dev->info.name);
}

static rw_status check_recorded(rw_event *e, const char *what)
{
    if (e->recorded) return RW_OK;
    return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "%s: the event was never recorded: call rw_event_record first",
                   what);
}

rw_status rw_event_record(rw_event *e, rw_queue *q)
{
    RW_TRY(check_same(e, q->device, "rw_event_record"));
    if (q->recording) return refuse_recording(q, "recording an event");
    RW_TRY(q->device->ops->event_record(e, q));
    e->recorded = true;
    return RW_OK;
}

rw_status rw_event_wait(rw_event *e)
{
    RW_TRY(check_recorded(e, "rw_event_wait"));
    return e->device->ops->event_wait(e);
}

rw_status rw_queue_wait_event(rw_queue *q, rw_event *e)
{
    RW_TRY(check_same(e, q->device, "rw_queue_wait_event"));
    RW_TRY(check_recorded(e, "rw_queue_wait_event"));
    return q->device->ops->event_order(q, e);
}

rw_status rw_event_seconds(rw_event *start, rw_event *stop, double *seconds)
{
    *seconds = 0;
    RW_TRY(check_same(stop, start->device, "rw_event_seconds"));
    RW_TRY(check_recorded(start, "rw_event_seconds"));
    RW_TRY(check_recorded(stop, "rw_event_seconds"));
    return start->device->ops->event_seconds(start, stop, seconds);
}

rw_status rw_record_begin(rw_queue *q)
{
    if (q->recording) return refuse_recording(q, "rw_record_begin");
    if (q->device->ops->record_begin) RW_TRY(q->device->ops->record_begin(q));
    q->recording = true;
    q->recorded_launches = 0;
    return RW_OK;
}

rw_status rw_record_end(rw_queue *q, rw_sequence **sequence)
{
    *sequence = NULL;
    rw_device *dev = q->device;
    if (!q->recording) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_record_end without rw_record_begin");
    q->recording = false;
    void *graph = NULL;
    rw_status status = dev->ops->record_end ? dev->ops->record_end(q, &graph) : RW_OK;
    rw_sequence *s = status == RW_OK ? rw_calloc(1, sizeof *s) : NULL;
    if (!s) {
        if (graph) dev->ops->graph_destroy(dev, graph);
        forget_recorded(q);
        return status != RW_OK ? status : rw_fail_memory(dev->ctx, sizeof *s, "a recorded sequence");
    }
    s->device = rw_device_retain(dev);
    s->launches = q->recorded, s->nlaunches = q->nrecorded;
    s->touched = q->touched, s->ntouched = q->ntouched;
    s->total_launches = q->recorded_launches;
    s->graph = graph;
    q->recorded = NULL, q->nrecorded = 0, q->touched = NULL;
    forget_recorded(q);
    *sequence = s;
    return RW_OK;
}

rw_status rw_sequence_replay(rw_sequence *s, rw_queue *q)
{
    if (s->device != q->device)
        return rw_fail(q->device->ctx, RW_ERR_ARGUMENT, "sequence of %s replayed in a queue of %s",
                       s->device->info.name, q->device->info.name);
    if (q->recording) return refuse_recording(q, "replaying a sequence");
    if (rw_fault_hit(RW_FAULT_LAUNCH))
        return rw_fail(q->device->ctx, RW_ERR_LAUNCH, "replay of a sequence failed (injected)");
    for (int i = 0; i < s->ntouched; ++i) RW_TRY(rw_array_for_launch(s->touched[i].array, q, false));
    for (int i = 0; i < s->ntouched; ++i)
        if (s->touched[i].written) rw_array_written(s->touched[i].array);
    if (s->graph) {
        RW_TRY(q->device->ops->replay(q, s->graph));
    } else {
        for (int i = 0; i < s->nlaunches; ++i) {
            const rw_recorded *r = s->launches + i;
            RW_TRY(q->device->ops->launch(q, r->kernel, r->groups, r->args, r->nargs));
        }
    }
    rw_count(s->device, &s->device->counters.replays, 1);
    rw_count(s->device, &s->device->counters.launches, s->total_launches);
    return RW_OK;
}

void rw_sequence_destroy(rw_sequence **sequence)
{
    rw_sequence *s = *sequence;
    *sequence = NULL;
    if (!s) return;
    if (s->graph) s->device->ops->graph_destroy(s->device, s->graph);
    free_recorded(s->launches, s->nlaunches);
    rw_free(s->touched);
    rw_device_close(&s->device);
    rw_free(s);
}
