/* What the processes of one computation do together, each with its part of the fields and vectors. All sums, norms,
 * error estimates, least and largest values, and all exchanges of halos go through here, so that a layer for messages
 * between processes has one place. Without one (the default) both functions do nothing. */
#ifndef RW_RANKS_H
#define RW_RANKS_H

#include "device/device.h"

typedef enum rw_rank_op { RW_RANK_SUM, RW_RANK_MIN, RW_RANK_MAX } rw_rank_op;

/* Both put work into the queue, which may be recording, and do not wait. */
typedef struct rw_ranks {
    /* values[from … from + n), f64 on the device <- the same of all processes combined, element by element */
    rw_status (*combine)(void *user, rw_rank_op op, rw_array *values, int64_t from, int64_t n, rw_queue *queue);
    /* Before neighbours of the elements of a field or vector are read: its halo <- the neighbours' values. */
    rw_status (*exchange)(void *user, rw_array *field, rw_queue *queue);
    void *user;
} rw_ranks;

/* The table must outlive the device; NULL: none. */
static inline void rw_device_set_ranks(rw_device *device, const rw_ranks *ranks) { device->ranks = ranks; }

static inline rw_status rw_ranks_combine(rw_queue *q, rw_rank_op op, rw_array *values, int64_t from, int64_t n)
{
    const rw_ranks *r = q->device->ranks;
    return r && n > 0 ? r->combine(r->user, op, values, from, n, q) : RW_OK;
}

static inline rw_status rw_ranks_exchange(rw_queue *q, rw_array *field)
{
    const rw_ranks *r = q->device->ranks;
    return r && r->exchange ? r->exchange(r->user, field, q) : RW_OK;
}

#endif
