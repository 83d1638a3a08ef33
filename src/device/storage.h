/* The memory of arrays, for array.c and view.c; device.h has what others need. */
#ifndef RW_STORAGE_H
#define RW_STORAGE_H

#include "device/device.h"

/* Device memory of `bytes`; ERR_ARGUMENT, ERR_UNSUPPORTED: a kind of memory that is not there; ERR_MEMORY. */
rw_status rw_storage_create(rw_device *dev, size_t bytes, rw_memory memory, rw_storage **storage);
/* Around the caller's host data, BORROW or OWN, which are the contents. */
rw_status rw_storage_lend(rw_device *dev, size_t bytes, void *data, rw_copy_mode mode, rw_storage **storage);
/* Around device memory of others, whose contents are there; `host`: its address on the host, or NULL. */
rw_status rw_storage_import(rw_device *dev, const rw_buffer *buffer, void *host, rw_managed_tensor *tensor,
                            rw_storage **storage);
rw_storage *rw_storage_retain(rw_storage *s);
void rw_storage_release(rw_storage *s); /* NULL is allowed */

bool rw_storage_is_written(const rw_storage *s);
bool rw_storage_is_recorded(const rw_storage *s); /* by a launch that is being recorded */

/* Host copy there: current; current and to be changed; to be overwritten whole. They wait. */
rw_status rw_storage_fetch(rw_storage *s);
rw_status rw_storage_update(rw_storage *s);
rw_status rw_storage_overwrite(rw_storage *s);
/* The same, and the device's, in a queue, without waiting where the host copy is page-locked. */
rw_status rw_storage_start_fetch(rw_storage *s, rw_queue *q);
rw_status rw_storage_start_send(rw_storage *s, rw_queue *q);
/* q runs after the work of another queue that concerns the memory. */
rw_status rw_storage_order(rw_storage *s, rw_queue *q);
/* Notes that work in q concerns the memory. */
void rw_storage_used(rw_storage *s, rw_queue *q);
void rw_storage_swap(rw_storage *a, rw_storage *b);

/* view.c: what its strides mean. */
void rw_array_find_layout(rw_array *a);
/* True if the strides guarantee that no two elements have the same address. */
bool rw_strides_are_injective(int ndim, const int64_t *shape, const int64_t *stride);
/* array.c: a contiguous array, still without memory. */
rw_status rw_array_make(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, int64_t size, rw_array **array);

#endif
