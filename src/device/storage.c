/* The memory of arrays and its coherence. Four states of (host_current, device_current):
 *
 *   neither   never written: a kernel may write it, a host read is an error
 *   host      the host copy is newer: copied to the device before the next kernel
 *   device    the device copy is newer: copied to the host by the next read
 *   both      equal: nothing is ever copied
 *
 * Where device memory is host memory (cpu, managed, mapped) both pointers are one and the flags only say "written".
 * Memory that others share is never "both": they may have written it since. */
#include <stdlib.h>
#include <string.h>

#include "device/storage.h"

/* ---- allocations ------------------------------------------------------------------------------------------------- */

rw_allocation *rw_allocation_retain(rw_allocation *b)
{
    __atomic_add_fetch(&b->references, 1, __ATOMIC_RELAXED);
    return b;
}

static void end_import(rw_managed_tensor *t)
{
    if (t && t->deleter) t->deleter(t);
}

void rw_allocation_release(rw_device *dev, rw_allocation *b)
{
    if (__atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    for (rw_allocation_part *p = b->parts, *next; p; p = next) {
        next = p->next;
        if (dev->ops->part) dev->ops->free(dev, &p->buffer);
        rw_free(p);
    }
    switch (b->owner) {
    case RW_OWNED:
        dev->ops->free(dev, &b->buffer);
        rw_count(dev, &dev->counters.bytes_allocated, -(int64_t)b->counted);
        break;
    case RW_MALLOCED: free(b->buffer.pointer); break;
    case RW_IMPORTED: end_import(b->import); break;
    case RW_LENT: break;
    }
    rw_free(b);
}

/* Buffers of parts are made once, so that recorded launches may keep them as long as the allocation. */
static rw_status part_of(rw_device *dev, rw_allocation *b, size_t offset, rw_buffer **buffer)
{
    *buffer = NULL;
    for (rw_allocation_part *p = b->parts; p && !*buffer; p = p->next)
        if (p->offset == offset) *buffer = &p->buffer;
    if (*buffer) return RW_OK;
    rw_allocation_part *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(dev->ctx, sizeof *p, "a view");
    const size_t bytes = b->buffer.bytes - offset;
    rw_status status = RW_OK;
    if (dev->ops->part) {
        status = dev->ops->part(dev, &b->buffer, offset, bytes, &p->buffer);
    } else {
        p->buffer = b->buffer;
        p->buffer.bytes = bytes;
        p->buffer.pointer = (char *)b->buffer.pointer + offset;
        if (p->buffer.host) p->buffer.host = (char *)b->buffer.host + offset;
    }
    if (status != RW_OK) {
        rw_free(p);
        return status;
    }
    p->offset = offset;
    p->next = b->parts;
    b->parts = p;
    *buffer = &p->buffer;
    return RW_OK;
}

rw_status rw_array_buffer(const rw_array *a, rw_buffer **buffer)
{
    rw_allocation *b = a->storage->allocation;
    const size_t offset = (size_t)a->offset * rw_dtype_size(a->dtype);
    *buffer = &b->buffer;
    return offset ? part_of(a->device, b, offset, buffer) : RW_OK;
}

rw_status rw_array_address(rw_array *a, rw_queue *q, bool writes, void **address)
{
    rw_buffer *buffer;
    *address = NULL;
    RW_TRY(rw_array_buffer(a, &buffer));
    RW_TRY(rw_storage_use(a->storage, q));
    if (writes) rw_storage_written(a->storage);
    *address = buffer->pointer;
    return RW_OK;
}

/* ---- create, destroy --------------------------------------------------------------------------------------------- */

static rw_status allocate(rw_storage *s)
{
    rw_device *dev = s->device;
    const size_t bytes = s->bytes ? s->bytes : 1; /* tables need not know empty buffers */
    rw_buffer *b = &s->allocation->buffer;
    if (rw_fault_hit(RW_FAULT_DEVICE_ALLOC))
        return rw_fail(dev->ctx, RW_ERR_MEMORY, "%s: no memory for an array of %zu bytes (injected)", dev->info.name,
                       s->bytes);
    if (dev->info.memory > 0 && s->bytes > (size_t)dev->info.memory)
        return rw_fail(
            dev->ctx, RW_ERR_MEMORY,
            "%s: an array of %.1f GiB is larger than its memory of %.1f GiB: make the grid smaller or use f32",
            dev->info.name, (double)s->bytes / 0x1p30, (double)dev->info.memory / 0x1p30);
    RW_TRY(dev->ops->alloc(dev, bytes, s->memory, b));
    b->bytes = bytes;
    s->allocation->counted = s->bytes;
    int64_t now = __atomic_add_fetch(&dev->counters.bytes_allocated, (int64_t)s->bytes, __ATOMIC_RELAXED);
    int64_t peak = __atomic_load_n(&dev->counters.bytes_allocated_peak, __ATOMIC_RELAXED);
    while (now > peak && !__atomic_compare_exchange_n(&dev->counters.bytes_allocated_peak, &peak, now, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    if (rw_storage_one(s)) {
        s->host = dev->ops->discrete ? b->host : b->pointer;
        s->host_owner = RW_HOST_SAME;
    }
    return RW_OK;
}

static rw_status make(rw_device *dev, size_t bytes, rw_memory memory, rw_storage **storage)
{
    rw_storage *s = rw_calloc(1, sizeof *s);
    if (s) s->allocation = rw_calloc(1, sizeof *s->allocation);
    *storage = NULL;
    if (!s || !s->allocation) {
        rw_free(s);
        return rw_fail_memory(dev->ctx, sizeof *s + sizeof *s->allocation, "an array");
    }
    s->references = s->allocation->references = 1;
    s->device = rw_device_retain(dev);
    s->bytes = bytes;
    s->memory = memory;
    *storage = s;
    return RW_OK;
}

/* Before there is memory. */
static void unmake(rw_storage **storage)
{
    rw_device_close(&(*storage)->device);
    rw_free((*storage)->allocation);
    rw_free(*storage);
    *storage = NULL;
}

rw_status rw_storage_create(rw_device *dev, size_t bytes, rw_memory memory, rw_storage **storage)
{
    *storage = NULL;
    if ((unsigned)memory > RW_MEMORY_MAPPED)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "memory = %d is not one of rw_memory", (int)memory);
    if ((memory == RW_MEMORY_MANAGED && !dev->info.managed) || (memory == RW_MEMORY_MAPPED && !dev->info.mapped))
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s has no %s memory: use RW_MEMORY_DEVICE or _PINNED",
                       dev->info.name, memory == RW_MEMORY_MANAGED ? "managed" : "mapped");
    RW_TRY(make(dev, bytes, memory, storage));
    rw_status status = allocate(*storage);
    if (status != RW_OK) unmake(storage);
    return status;
}

rw_status rw_storage_lend(rw_device *dev, size_t bytes, void *data, rw_copy_mode mode, rw_storage **storage)
{
    const bool in_place = !dev->ops->discrete && data;
    if (in_place) {
        RW_TRY(make(dev, bytes, RW_MEMORY_DEVICE, storage));
        (*storage)->allocation->buffer = (rw_buffer){.pointer = data, .bytes = bytes, .host = data};
        (*storage)->allocation->owner = mode == RW_OWN ? RW_MALLOCED : RW_LENT;
    } else {
        RW_TRY(rw_storage_create(dev, bytes, RW_MEMORY_DEVICE, storage));
    }
    rw_storage *s = *storage;
    s->host = data;
    s->host_owner = mode == RW_BORROW ? RW_HOST_BORROWED : in_place ? RW_HOST_SAME : RW_HOST_MALLOC;
    s->host_current = true;
    s->device_current = in_place;
    return RW_OK;
}

rw_status rw_storage_import(rw_device *dev, const rw_buffer *buffer, void *host, rw_managed_tensor *tensor,
                            rw_storage **storage)
{
    RW_TRY(make(dev, buffer->bytes, buffer->memory, storage));
    rw_storage *s = *storage;
    s->allocation->buffer = *buffer;
    s->allocation->owner = RW_IMPORTED;
    s->allocation->import = tensor;
    s->host = host;
    s->host_owner = host ? RW_HOST_SAME : RW_HOST_NONE;
    s->device_current = true;
    s->host_current = rw_storage_one(s);
    s->shared = true;
    return RW_OK;
}

static void free_host(rw_storage *s)
{
    if (s->host_owner == RW_HOST_MALLOC) free(s->host);
    if (s->host_owner == RW_HOST_PINNED) s->device->ops->host_free(s->device, s->host);
}

rw_storage *rw_storage_retain(rw_storage *s)
{
    __atomic_add_fetch(&s->references, 1, __ATOMIC_RELAXED);
    return s;
}

/* The queue whose work is still to be waited for; one that was destroyed has been. */
static rw_queue *pending(const rw_storage *s) { return s->writer && !s->writer->gone ? s->writer : NULL; }

void rw_storage_used(rw_storage *s, rw_queue *q)
{
    if (s->writer == q) return;
    rw_queue_release(s->writer);
    s->writer = rw_queue_retain(q);
}

void rw_storage_release(rw_storage *s)
{
    if (!s || __atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    rw_device *dev = s->device;
    if (pending(s)) dev->ops->wait(s->writer);
    rw_storage_used(s, NULL);
    free_host(s);
    rw_allocation_release(dev, s->allocation);
    rw_free(s);
    rw_device_close(&dev);
}

/* ---- the host's copy --------------------------------------------------------------------------------------------- */

static rw_status need_host(rw_storage *s)
{
    if (s->host) return RW_OK;
    rw_device *dev = s->device;
    size_t bytes = s->bytes ? s->bytes : 1;
    if (s->memory == RW_MEMORY_PINNED && dev->ops->host_alloc) {
        RW_TRY(dev->ops->host_alloc(dev, bytes, &s->host));
        s->host_owner = RW_HOST_PINNED;
        return RW_OK;
    }
    s->host = rw_fault_hit(RW_FAULT_ALLOC) ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!s->host) return rw_fail_memory(dev->ctx, bytes, "the host copy of an array");
    rw_huge_pages(s->host, bytes);
    s->host_owner = RW_HOST_MALLOC;
    return RW_OK;
}

/* Device work that concerns the memory is done after this. */
static rw_status settle(rw_storage *s)
{
    RW_TRY(rw_orphan_check(s->device)); /* page-locked memory is not there either */
    if (!pending(s)) return RW_OK;
    if (s->writer->recording)
        return rw_fail(s->device->ctx, RW_ERR_ARGUMENT,
                       "the host accesses an array while its queue is recording: call rw_record_end first");
    RW_TRY(s->device->ops->wait(s->writer));
    rw_storage_used(s, NULL);
    return RW_OK;
}

static rw_status copy_out(rw_storage *s, rw_queue *q, bool blocking)
{
    rw_device *dev = s->device;
    if (s->bytes) {
        RW_TRY(dev->ops->copy_out(q, s->host, &s->allocation->buffer, s->bytes, blocking));
        rw_count(dev, &dev->counters.copies_out, 1);
        rw_count(dev, &dev->counters.bytes_out, (int64_t)s->bytes);
    }
    return RW_OK;
}

/* What others may have written since is on the device. */
static void forget_host(rw_storage *s)
{
    if (s->shared && s->device_current && !rw_storage_one(s)) s->host_current = false;
}

bool rw_storage_is_written(const rw_storage *s) { return s->host_current || s->device_current || !s->bytes; }

rw_status rw_storage_fetch(rw_storage *s)
{
    RW_TRY(settle(s));
    RW_TRY(need_host(s));
    forget_host(s);
    if (!s->host_current && !rw_storage_one(s)) RW_TRY(copy_out(s, s->device->queue, true));
    s->host_current = true;
    return RW_OK;
}

rw_status rw_storage_update(rw_storage *s)
{
    RW_TRY(rw_storage_fetch(s));
    s->device_current = rw_storage_one(s);
    return RW_OK;
}

rw_status rw_storage_overwrite(rw_storage *s)
{
    RW_TRY(settle(s));
    RW_TRY(need_host(s));
    s->host_current = true;
    s->device_current = rw_storage_one(s);
    return RW_OK;
}

rw_status rw_storage_start_fetch(rw_storage *s, rw_queue *q)
{
    forget_host(s);
    if (s->host_current || !s->device_current || rw_storage_one(s)) return RW_OK;
    RW_TRY(rw_storage_order(s, q));
    RW_TRY(need_host(s));
    RW_TRY(copy_out(s, q, s->host_owner != RW_HOST_PINNED));
    s->host_current = true;
    rw_storage_used(s, q);
    return RW_OK;
}

/* ---- the device's copy ------------------------------------------------------------------------------------------- */

bool rw_storage_is_recorded(const rw_storage *s) { return pending(s) && s->writer->recording; }

rw_status rw_storage_order(rw_storage *s, rw_queue *q)
{
    if (!pending(s) || s->writer == q) return RW_OK;
    rw_event *e = NULL;
    RW_TRY(rw_event_create(s->device, &e));
    rw_status status = s->device->ops->event_record(e, s->writer);
    if (status == RW_OK) status = s->device->ops->event_order(q, e);
    rw_event_destroy(&e);
    return status;
}

/* Device copy current in q. */
static rw_status send(rw_storage *s, rw_queue *q, bool blocking)
{
    if (!s->host_current || s->device_current) return RW_OK;
    rw_device *dev = s->device;
    if (!rw_storage_one(s) && s->bytes) {
        if (q->recording)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                           "a queue that is recording uses an array changed on the host: call rw_array_send before "
                           "rw_record_begin");
        RW_TRY(dev->ops->copy_in(q, &s->allocation->buffer, s->host, s->bytes, blocking));
        rw_count(dev, &dev->counters.copies_in, 1);
        rw_count(dev, &dev->counters.bytes_in, (int64_t)s->bytes);
    }
    s->device_current = true;
    return RW_OK;
}

rw_status rw_storage_start_send(rw_storage *s, rw_queue *q)
{
    RW_TRY(rw_storage_order(s, q));
    RW_TRY(send(s, q, s->host_owner != RW_HOST_PINNED));
    rw_storage_used(s, q);
    return RW_OK;
}

rw_status rw_storage_use(rw_storage *s, rw_queue *q)
{
    RW_TRY(rw_storage_order(s, q));
    if (!s->device_current) RW_TRY(send(s, q, true));
    rw_storage_used(s, q);
    return RW_OK;
}

void rw_storage_written(rw_storage *s)
{
    s->device_current = true;
    s->host_current = rw_storage_one(s);
}

/* Whoever holds a storage holds it with its new contents. */
void rw_storage_swap(rw_storage *a, rw_storage *b)
{
    const rw_storage t = *a;
    const int ra = a->references, rb = b->references;
    *a = *b;
    *b = t;
    a->references = ra;
    b->references = rb;
}
