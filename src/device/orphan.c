/* Devices in a child that fork() has made.
 *
 * Contexts, queues and threads of an OpenCL or CUDA driver belong to the process that opened them; in a child their
 * calls fail or wait for ever. All devices are in a list; in a child the table of each whose table does not say
 * `survives_fork` is replaced by one that refuses with the reason. Destroying does nothing there. */
#include "device/device.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rw_device *devices;

static rw_status refuse(rw_device *dev)
{
    return rw_fail(
        dev->ctx, RW_FATAL_DEVICE_LOST,
        "%s was opened before this process was forked, and its driver does not work in a child process: open devices "
        "after fork(), or start processes without fork() (Python: multiprocessing.set_start_method(\"spawn\"))",
        dev->info.name);
}

static void close_nothing(rw_device *dev) { dev->state = NULL; }
static rw_status alloc(rw_device *dev, size_t bytes RW_UNUSED, rw_memory memory RW_UNUSED, rw_buffer *buffer RW_UNUSED)
{
    return refuse(dev);
}
static void free_nothing(rw_device *dev RW_UNUSED, rw_buffer *buffer RW_UNUSED) {}
static rw_status copy_in(rw_queue *q, rw_buffer *dst RW_UNUSED, const void *src RW_UNUSED, size_t bytes RW_UNUSED,
                         bool blocking RW_UNUSED)
{
    return refuse(q->device);
}
static rw_status copy_out(rw_queue *q, void *dst RW_UNUSED, rw_buffer *src RW_UNUSED, size_t bytes RW_UNUSED,
                          bool blocking RW_UNUSED)
{
    return refuse(q->device);
}
static rw_status copy(rw_queue *q, rw_buffer *dst RW_UNUSED, rw_buffer *src RW_UNUSED, size_t bytes RW_UNUSED)
{
    return refuse(q->device);
}
static rw_status zero(rw_queue *q, rw_buffer *dst RW_UNUSED, size_t bytes RW_UNUSED) { return refuse(q->device); }
static rw_status identity(rw_device *dev, rw_text *text RW_UNUSED) { return refuse(dev); }
static rw_status compile(rw_device *dev, rw_program *p RW_UNUSED, const char *text RW_UNUSED, rw_text *binary RW_UNUSED)
{
    return refuse(dev);
}
static rw_status load(rw_device *dev, rw_program *p RW_UNUSED, const rw_text *binary RW_UNUSED) { return refuse(dev); }
static void unload(rw_device *dev RW_UNUSED, rw_program *p RW_UNUSED) {}
static rw_status launch(rw_queue *q, rw_kernel *k RW_UNUSED, const int64_t groups[3] RW_UNUSED,
                        const rw_launch_arg *args RW_UNUSED, int nargs RW_UNUSED)
{
    return refuse(q->device);
}
static rw_status of_queue(rw_queue *q) { return refuse(q->device); }
static void queue_destroy(rw_queue *q) { (void)q; }
static rw_status of_event(rw_event *e) { return refuse(e->device); }
static void event_destroy(rw_event *e) { (void)e; }
static rw_status event_record(rw_event *e, rw_queue *q RW_UNUSED) { return refuse(e->device); }
static rw_status event_order(rw_queue *q, rw_event *e RW_UNUSED) { return refuse(q->device); }
static rw_status event_seconds(rw_event *start, rw_event *stop RW_UNUSED, double *seconds RW_UNUSED)
{
    return refuse(start->device);
}
static rw_status host_alloc(rw_device *dev, size_t bytes RW_UNUSED, void **host RW_UNUSED) { return refuse(dev); }
static void host_free(rw_device *dev RW_UNUSED, void *host RW_UNUSED) {}
static rw_status record_end(rw_queue *q, void **graph RW_UNUSED) { return refuse(q->device); }
static rw_status replay(rw_queue *q, void *graph RW_UNUSED) { return refuse(q->device); }
static void graph_destroy(rw_device *dev RW_UNUSED, void *graph RW_UNUSED) {}
static rw_status resources(rw_kernel *k, rw_kernel_resources *r RW_UNUSED) { return refuse(k->program->device); }

static const rw_device_ops orphan = {
    .kind = "orphan",
    .suffix = "",
    .close = close_nothing,
    .alloc = alloc,
    .free = free_nothing,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .zero = zero,
    .identity = identity,
    .compile = compile,
    .load = load,
    .unload = unload,
    .launch = launch,
    .queue_create = of_queue,
    .queue_destroy = queue_destroy,
    .wait = of_queue,
    .event_create = of_event,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_wait = of_event,
    .event_order = event_order,
    .event_seconds = event_seconds,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .record_begin = of_queue,
    .record_end = record_end,
    .replay = replay,
    .graph_destroy = graph_destroy,
    .resources = resources,
    .discrete = true,
};

rw_status rw_orphan_check(rw_device *dev) { return dev->ops == &orphan ? refuse(dev) : RW_OK; }

/* The list is whole in the child: it is locked while the parent forks. */
static void before(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }
static void in_child(void)
{
    for (rw_device *d = devices; d; d = d->next)
        if (!d->ops->survives_fork) d->ops = &orphan;
    pthread_mutex_unlock(&lock);
}

static void watch(void) { pthread_atfork(before, in_parent, in_child); }

void rw_orphan_add(rw_device *dev)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
    pthread_mutex_lock(&lock);
    dev->next = devices;
    devices = dev;
    pthread_mutex_unlock(&lock);
}

void rw_orphan_remove(rw_device *dev)
{
    pthread_mutex_lock(&lock);
    for (rw_device **at = &devices; *at; at = &(*at)->next)
        if (*at == dev) {
            *at = dev->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}
