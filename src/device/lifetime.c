/* Who holds whom. Each object counts its references and ends with the last one:
 *
 *   array -> storage -> device        program -> device -> context
 *   storage, sequence -> allocation   queue, event, sequence -> device
 *
 * A device holds its own queue and the programs that it keeps; these do not hold the device. Storages, which hold
 * allocations and know the queue that last used them, are in storage.c. */
#include "device/storage.h"

rw_queue *rw_queue_retain(rw_queue *q)
{
    if (q) __atomic_add_fetch(&q->references, 1, __ATOMIC_RELAXED);
    return q;
}

void rw_queue_release(rw_queue *q)
{
    if (q && __atomic_sub_fetch(&q->references, 1, __ATOMIC_ACQ_REL) == 0) rw_free(q);
}

rw_device *rw_device_retain(rw_device *dev)
{
    __atomic_add_fetch(&dev->references, 1, __ATOMIC_RELAXED);
    return dev;
}

void rw_device_close(rw_device **device)
{
    if (!device) return;
    rw_device *dev = *device;
    *device = NULL;
    if (!dev || __atomic_sub_fetch(&dev->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    rw_orphan_remove(dev);
    rw_queue *q = dev->queue;
    if (q) {
        dev->ops->wait(q);
        dev->ops->queue_destroy(q);
        rw_queue_release(q);
    }
    for (int i = 0; i < dev->nkept; ++i) rw_program_destroy(&dev->kept[i]);
    rw_free(dev->kept);
    dev->ops->close(dev);
    pthread_mutex_destroy(&dev->lock);
    rw_context *ctx = dev->ctx;
    rw_free(dev);
    rw_context_destroy(&ctx);
}

static void free_program(rw_program *p)
{
    rw_device *dev = p->device;
    rw_background_end(p);
    rw_program_end_optimised(p);
    dev->ops->unload(dev, p);
    rw_free_kernels(p);
    rw_text_free(&p->text);
    const bool kept = p->kept;
    rw_free(p);
    if (!kept) rw_device_close(&dev);
}

rw_program *rw_program_retain(rw_program *p)
{
    pthread_mutex_lock(&p->device->lock);
    p->references++;
    pthread_mutex_unlock(&p->device->lock);
    return p;
}

void rw_program_destroy(rw_program **program)
{
    if (!program) return;
    rw_program *p = *program;
    *program = NULL;
    if (!p) return;
    rw_device *dev = p->device;
    pthread_mutex_lock(&dev->lock);
    bool last = --p->references == 0;
    if (last)
        for (rw_program **at = &dev->programs; *at; at = &(*at)->next)
            if (*at == p) {
                *at = p->next;
                break;
            }
    pthread_mutex_unlock(&dev->lock);
    if (last) free_program(p);
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
    rw_array_destroy(&a->packed);
    rw_storage_release(a->storage);
    rw_free(a);
    rw_device_close(&dev);
}
