/* Arrays and their coherence. Four states of (host_current, device_current):
 *
 *   neither   never written: a kernel may write it, a host read is an error
 *   host      the host copy is newer: copied to the device before the next kernel
 *   device    the device copy is newer: copied to the host by the next read
 *   both      equal: nothing is ever copied
 *
 * Where device memory is host memory (cpu, managed) both pointers are one and the flags only say "written". */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

static bool one_memory(const rw_array *a) { return !a->device->ops->discrete || a->memory == RW_MEMORY_MANAGED; }

/* Bytes of the shape, refused when they overflow or exceed the device's memory. */
static rw_status check_shape(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, int64_t *size)
{
    if (!rw_dtype_size(dtype))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "dtype = %d is not one of rw_dtype", (int)dtype);
    if (ndim < 1 || ndim > 4)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "ndim = %d is outside [1, 4]: dimensions of an array", ndim);
    int64_t n = 1, limit = INT64_MAX / (int64_t)rw_dtype_size(dtype);
    for (int d = 0; d < ndim; ++d) {
        if (shape[d] < 0)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "shape[%d] = %lld is negative", d, (long long)shape[d]);
        if (shape[d] == 0) n = 0;
    }
    for (int d = 0; d < ndim && n > 0; ++d) {
        if (n > limit / shape[d])
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "an array of %lld x %lld … elements has more bytes than 2^63",
                           (long long)n, (long long)shape[d]);
        n *= shape[d];
    }
    *size = n;
    return RW_OK;
}

static rw_status allocate(rw_array *a)
{
    rw_device *dev = a->device;
    size_t bytes = a->bytes ? a->bytes : 1; /* tables need not know empty buffers */
    if (rw_fault_hit(RW_FAULT_DEVICE_ALLOC))
        return rw_fail(dev->ctx, RW_ERR_MEMORY, "%s: no memory for an array of %zu bytes (injected)", dev->info.name,
                       a->bytes);
    if (dev->info.memory > 0 && a->bytes > (size_t)dev->info.memory)
        return rw_fail(dev->ctx, RW_ERR_MEMORY,
                       "%s: an array of %.1f GiB is larger than its memory of %.1f GiB: make the grid smaller or use f32",
                       dev->info.name, (double)a->bytes / 0x1p30, (double)dev->info.memory / 0x1p30);
    RW_TRY(dev->ops->alloc(dev, bytes, a->memory, &a->buffer));
    a->buffer.bytes = bytes;
    a->allocation->buffer = a->buffer, a->allocation->counted = a->bytes;
    int64_t now = __atomic_add_fetch(&dev->counters.bytes_allocated, (int64_t)a->bytes, __ATOMIC_RELAXED);
    int64_t peak = __atomic_load_n(&dev->counters.bytes_allocated_peak, __ATOMIC_RELAXED);
    while (now > peak && !__atomic_compare_exchange_n(&dev->counters.bytes_allocated_peak, &peak, now, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    if (one_memory(a)) {
        a->host = a->memory == RW_MEMORY_MANAGED && dev->ops->discrete ? a->buffer.host : a->buffer.pointer;
        a->host_owner = RW_HOST_SAME;
    }
    return RW_OK;
}

rw_allocation *rw_allocation_retain(rw_allocation *b)
{
    __atomic_add_fetch(&b->references, 1, __ATOMIC_RELAXED);
    return b;
}

void rw_allocation_release(rw_device *dev, rw_allocation *b)
{
    if (__atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (b->in_place) {
        free(b->own);
    } else {
        dev->ops->free(dev, &b->buffer);
        rw_count(dev, &dev->counters.bytes_allocated, -(int64_t)b->counted);
    }
    rw_free(b);
}

/* `in_place`: host data that serves as device memory too, or NULL. */
static rw_status create(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, rw_memory memory,
                        void *in_place, rw_array **array)
{
    *array = NULL;
    int64_t size = 0;
    RW_TRY(check_shape(dev, dtype, ndim, shape, &size));
    if ((unsigned)memory > RW_MEMORY_MANAGED)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "memory = %d is not one of rw_memory", (int)memory);
    if (memory == RW_MEMORY_MANAGED && !dev->info.managed)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s has no managed memory: use RW_MEMORY_DEVICE or _PINNED",
                       dev->info.name);
    rw_array *a = rw_calloc(1, sizeof *a);
    if (a) a->allocation = rw_calloc(1, sizeof *a->allocation);
    if (!a || !a->allocation) {
        rw_free(a);
        return rw_fail_memory(dev->ctx, sizeof *a + sizeof *a->allocation, "an array");
    }
    a->references = a->allocation->references = 1;
    a->device = rw_device_retain(dev);
    a->dtype = dtype, a->ndim = ndim, a->size = size, a->memory = memory;
    a->bytes = (size_t)size * rw_dtype_size(dtype);
    for (int d = 0; d < 4; ++d) a->shape[d] = d < ndim ? shape[d] : 1;
    if (in_place) {
        a->buffer = (rw_buffer){.pointer = in_place, .bytes = a->bytes, .host = in_place};
        a->allocation->buffer = a->buffer, a->allocation->in_place = true;
    } else {
        rw_status status = allocate(a);
        if (status != RW_OK) {
            rw_device_close(&a->device);
            rw_free(a->allocation), rw_free(a);
            return status;
        }
    }
    *array = a;
    return RW_OK;
}

rw_status rw_array_create(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, rw_memory memory,
                          rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device"); RW_NEED(shape, "shape");
    return create(dev, dtype, ndim, shape, memory, NULL, array);
}

static void free_host(rw_array *a)
{
    if (a->host_owner == RW_HOST_MALLOC) free(a->host);
    if (a->host_owner == RW_HOST_PINNED) a->device->ops->host_free(a->device, a->host);
    if (a->host_owner != RW_HOST_SAME) a->host = NULL, a->host_owner = RW_HOST_NONE;
}

rw_status rw_array_create_from(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, void *data,
                               rw_copy_mode mode, rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(dev, "device"); RW_NEED(shape, "shape");
    bool in_place = mode != RW_COPY && !dev->ops->discrete && data;
    if ((unsigned)mode > RW_OWN)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "mode = %d is not one of rw_copy_mode", (int)mode);
    if (mode != RW_COPY && rw_dtype_size(dtype) && (uintptr_t)data % rw_dtype_size(dtype))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "rw_array_create_from: data = %p is not aligned to the %zu bytes of %s, as memory used in place must "
                       "be: align it, or use RW_COPY",
                       data, rw_dtype_size(dtype), rw_dtype_name(dtype));
    RW_TRY(create(dev, dtype, ndim, shape, RW_MEMORY_DEVICE, in_place ? data : NULL, array));
    rw_array *a = *array;
    if (a->size > 0 && !data) {
        long long size = a->size;
        rw_array_destroy(array);
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "data = NULL for an array of %lld elements", size);
    }
    if (mode == RW_COPY) {
        void *host;
        rw_status status = rw_array_write(a, &host);
        if (status != RW_OK) rw_array_destroy(array);
        else if (a->bytes) memcpy(host, data, a->bytes);
        return status;
    }
    a->host = data;
    a->host_owner = mode == RW_BORROW ? RW_HOST_BORROWED : in_place ? RW_HOST_SAME : RW_HOST_MALLOC;
    if (mode == RW_OWN && in_place) a->allocation->own = data;
    a->host_current = true, a->device_current = in_place;
    return RW_OK;
}

/* The queue whose work is still to be waited for; one that was destroyed has been. */
static rw_queue *pending(const rw_array *a) { return a->writer && !a->writer->gone ? a->writer : NULL; }

static void set_writer(rw_array *a, rw_queue *q)
{
    if (a->writer == q) return;
    rw_queue_release(a->writer);
    a->writer = rw_queue_retain(q);
}

rw_array *rw_array_retain(rw_array *a)
{
    __atomic_add_fetch(&a->references, 1, __ATOMIC_RELAXED);
    return a;
}

void rw_array_destroy(rw_array **array)
{
    if (!array) return;
    rw_array *a = *array;
    *array = NULL;
    if (!a || __atomic_sub_fetch(&a->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    rw_device *dev = a->device;
    if (pending(a)) dev->ops->wait(a->writer);
    set_writer(a, NULL);
    free_host(a);
    rw_allocation_release(dev, a->allocation);
    rw_free(a);
    rw_device_close(&dev);
}

rw_dtype rw_array_dtype(const rw_array *a) { return a ? a->dtype : RW_F32; }
int rw_array_ndim(const rw_array *a) { return a ? a->ndim : 0; }
int64_t rw_array_shape(const rw_array *a, int axis) { return a ? (axis >= 0 && axis < 4 ? a->shape[axis] : 1) : 0; }
int64_t rw_array_size(const rw_array *a) { return a ? a->size : 0; }
rw_device *rw_array_device(const rw_array *a) { return a ? a->device : NULL; }

static rw_status need_host(rw_array *a)
{
    if (a->host) return RW_OK;
    rw_device *dev = a->device;
    size_t bytes = a->bytes ? a->bytes : 1;
    if (a->memory == RW_MEMORY_PINNED && dev->ops->host_alloc) {
        RW_TRY(dev->ops->host_alloc(dev, bytes, &a->host));
        a->host_owner = RW_HOST_PINNED;
        return RW_OK;
    }
    a->host = rw_fault_hit(RW_FAULT_ALLOC) ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!a->host) return rw_fail_memory(dev->ctx, bytes, "the host copy of an array");
    rw_huge_pages(a->host, bytes);
    a->host_owner = RW_HOST_MALLOC;
    return RW_OK;
}

/* Device work that concerns the array is done after this. */
static rw_status settle(rw_array *a)
{
    RW_TRY(rw_orphan_check(a->device)); /* page-locked memory is not there either */
    if (!pending(a)) return RW_OK;
    if (a->writer->recording)
        return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                       "an array is asked for on the host while its queue records: call rw_record_end first");
    RW_TRY(a->device->ops->wait(a->writer));
    set_writer(a, NULL);
    return RW_OK;
}

static rw_status copy_out(rw_array *a, rw_queue *q, bool blocking)
{
    rw_device *dev = a->device;
    if (a->bytes) {
        RW_TRY(dev->ops->copy_out(q, a->host, &a->buffer, a->bytes, blocking));
        rw_count(dev, &dev->counters.copies_out, 1);
        rw_count(dev, &dev->counters.bytes_out, (int64_t)a->bytes);
    }
    return RW_OK;
}

static rw_status fail_unwritten(const rw_array *a, const char *what)
{
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT, "an array of %lld %s is %s before anything was written to it",
                   (long long)a->size, rw_dtype_name(a->dtype), what);
}

/* Host copy current. */
static rw_status fetch(rw_array *a)
{
    RW_TRY(settle(a));
    if (!a->host_current && !a->device_current && a->size) return fail_unwritten(a, "read");
    RW_TRY(need_host(a));
    if (!a->host_current && !one_memory(a)) RW_TRY(copy_out(a, a->device->queue, true));
    a->host_current = true;
    return RW_OK;
}

rw_status rw_array_read(rw_array *a, const void **data)
{
    RW_NEED(data, "data");
    RW_NEED(a, "array");
    RW_TRY(fetch(a));
    *data = a->host;
    return RW_OK;
}

rw_status rw_array_write(rw_array *a, void **data)
{
    RW_NEED(data, "data");
    *data = NULL;
    RW_NEED(a, "array");
    RW_TRY(settle(a));
    RW_TRY(need_host(a));
    a->host_current = true, a->device_current = one_memory(a);
    *data = a->host;
    return RW_OK;
}

rw_status rw_array_update(rw_array *a, void **data)
{
    RW_NEED(data, "data");
    *data = NULL;
    RW_NEED(a, "array");
    RW_TRY(fetch(a));
    a->device_current = one_memory(a);
    *data = a->host;
    return RW_OK;
}

/* q runs after the work of another queue that concerns the array. */
static rw_status order(rw_array *a, rw_queue *q)
{
    if (!pending(a) || a->writer == q) return RW_OK;
    rw_event *e = NULL;
    RW_TRY(rw_event_create(a->device, &e));
    rw_status status = a->device->ops->event_record(e, a->writer);
    if (status == RW_OK) status = a->device->ops->event_order(q, e);
    rw_event_destroy(&e);
    return status;
}

/* Device copy current in q. */
static rw_status send(rw_array *a, rw_queue *q, bool blocking)
{
    if (!a->host_current || a->device_current) return RW_OK;
    rw_device *dev = a->device;
    if (!one_memory(a) && a->bytes) {
        if (q->recording)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                           "an array changed on the host is used while the queue records: call rw_array_send before "
                           "rw_record_begin");
        RW_TRY(dev->ops->copy_in(q, &a->buffer, a->host, a->bytes, blocking));
        rw_count(dev, &dev->counters.copies_in, 1);
        rw_count(dev, &dev->counters.bytes_in, (int64_t)a->bytes);
    }
    a->device_current = true;
    return RW_OK;
}

rw_status rw_array_for_launch(rw_array *a, rw_queue *q, bool writes)
{
    RW_TRY(order(a, q));
    if (!a->device_current) RW_TRY(send(a, q, true));
    set_writer(a, q);
    if (writes) rw_array_written(a);
    return RW_OK;
}

void rw_array_written(rw_array *a) { a->device_current = true, a->host_current = one_memory(a); }

static rw_status check_queue(const rw_array *a, const rw_queue *q, const char *what)
{
    if (a->device == q->device) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT, "%s: array of %s, queue of %s: both must be of one device", what,
                   a->device->info.name, q->device->info.name);
}

static rw_status refuse_recorded_copy(rw_context *ctx, const char *what)
{
    return rw_fail(ctx, RW_ERR_UNSUPPORTED, "%s while the queue records: a recorded sequence holds kernels only", what);
}

rw_status rw_array_send(rw_array *a, rw_queue *q)
{
    RW_NEED(a, "array"); RW_NEED(q, "queue");
    RW_TRY(check_queue(a, q, "rw_array_send"));
    RW_TRY(order(a, q));
    RW_TRY(send(a, q, a->host_owner != RW_HOST_PINNED));
    set_writer(a, q);
    return RW_OK;
}

rw_status rw_array_fetch(rw_array *a, rw_queue *q)
{
    RW_NEED(a, "array"); RW_NEED(q, "queue");
    RW_TRY(check_queue(a, q, "rw_array_fetch"));
    if (q->recording || (pending(a) && a->writer->recording)) return refuse_recorded_copy(a->device->ctx, "rw_array_fetch");
    if (a->host_current || !a->device_current || one_memory(a)) return RW_OK;
    RW_TRY(order(a, q));
    RW_TRY(need_host(a));
    RW_TRY(copy_out(a, q, a->host_owner != RW_HOST_PINNED));
    a->host_current = true;
    set_writer(a, q);
    return RW_OK;
}

rw_status rw_array_copy(rw_array *dst, rw_array *src, rw_queue *q)
{
    RW_NEED(dst, "dst"); RW_NEED(src, "src"); RW_NEED(q, "queue");
    rw_device *dev = dst->device;
    if (src->device != dev || src->dtype != dst->dtype || src->size != dst->size)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "rw_array_copy: %lld %s on %s to %lld %s on %s: dtype, size and device must be equal",
                       (long long)src->size, rw_dtype_name(src->dtype), src->device->info.name, (long long)dst->size,
                       rw_dtype_name(dst->dtype), dev->info.name);
    RW_TRY(check_queue(dst, q, "rw_array_copy"));
    if (q->recording) return refuse_recorded_copy(dev->ctx, "rw_array_copy");
    if (!src->host_current && !src->device_current && src->size) return fail_unwritten(src, "copied");
    RW_TRY(rw_array_for_launch(src, q, false));
    RW_TRY(rw_array_for_launch(dst, q, true));
    if (!dst->bytes) return RW_OK;
    RW_TRY(dev->ops->copy(q, &dst->buffer, &src->buffer, dst->bytes));
    rw_count(dev, &dev->counters.copies_device, 1);
    rw_count(dev, &dev->counters.bytes_device, (int64_t)dst->bytes);
    return RW_OK;
}

rw_status rw_array_swap(rw_array *a, rw_array *b)
{
    RW_NEED(a, "a"); RW_NEED(b, "b");
    if (a->device != b->device || a->dtype != b->dtype || a->size != b->size || a->memory != b->memory)
        return rw_fail(a->device->ctx, RW_ERR_ARGUMENT,
                       "rw_array_swap: %lld %s and %lld %s: dtype, size, memory and device must be equal",
                       (long long)a->size, rw_dtype_name(a->dtype), (long long)b->size, rw_dtype_name(b->dtype));
    rw_array t = *a;
    int64_t sa[4], sb[4];
    memcpy(sa, a->shape, sizeof sa), memcpy(sb, b->shape, sizeof sb);
    int na = a->ndim, nb = b->ndim, ra = a->references, rb = b->references;
    *a = *b, *b = t;
    a->references = ra, b->references = rb; /* whoever holds an array holds it with its new contents */
    memcpy(a->shape, sa, sizeof sa), memcpy(b->shape, sb, sizeof sb);
    a->ndim = na, b->ndim = nb;
    return RW_OK;
}

rw_status rw_array_zero(rw_array *a, rw_queue *q)
{
    RW_NEED(a, "array"); RW_NEED(q, "queue");
    RW_TRY(check_queue(a, q, "rw_array_zero"));
    if (q->recording) return refuse_recorded_copy(a->device->ctx, "rw_array_zero");
    RW_TRY(order(a, q));
    if (a->bytes) RW_TRY(a->device->ops->zero(q, &a->buffer, a->bytes));
    set_writer(a, q);
    rw_array_written(a);
    return RW_OK;
}
