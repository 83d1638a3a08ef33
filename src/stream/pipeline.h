/* A pipeline of blocks: read, worked on by the device and written at the same time, in slots of fixed memory. Frames
 * (frames.c) and blocks of samples (src/signal) are such blocks. Each turn moves `batch` blocks; turn n has slot n %
 * slots and queue n % queues. */
#ifndef RW_PIPELINE_H
#define RW_PIPELINE_H

#include <pthread.h>

#include "device/device.h"
#include "rechenwerk/stream.h"

enum { RW_PIPELINE_QUEUES = 16, RW_PIPELINE_DEPTH = 256, RW_PIPELINE_BINS = 400 };

typedef struct rw_pipeline_work {
    /* In the reader's thread: block b of turn n to its place in the memory of the slot's x; or *end, when there is no
     * further one. */
    rw_status (*read)(void *user, int64_t n, int b, void *x, bool *end);
    /* In the caller's thread: starts y <- x, arrays of the slot of turn n. */
    rw_status (*launch)(void *user, int64_t n, rw_queue *queue);
    /* In the writer's thread: the first `blocks` blocks in the memory of the slot's y. */
    rw_status (*write)(void *user, int64_t n, int blocks, const void *y);
    /* In the caller's thread, about twice a second; not OK: the end, after the blocks that were read. */
    rw_status (*progress)(void *user, const rw_stream_report *report);
    /* (optional) In the caller's thread, of a pipeline with an observer: shows the result of turn n, perhaps once more;
     * n < 0: nothing, asks what the observer wants. */
    rw_status (*show)(void *user, int64_t n, const rw_stream_report *report, rw_stream_action *action);
    /* In the caller's thread, after the last turn: gives the output its name, if it was opened. cut: after a request to
     * stop; a file then gets another name, which is in the message of ERR_INTERRUPTED. */
    rw_status (*commit)(void *user, bool cut);
} rw_pipeline_work;

typedef enum rw_slot_state { RW_SLOT_FREE, RW_SLOT_EMPTY, RW_SLOT_READ, RW_SLOT_RUNNING, RW_SLOT_DONE } rw_slot_state;

typedef struct rw_pipeline_slot {
    rw_slot_state state;
    rw_array *x, *y;
    void *in;
    const void *out;
    int blocks; /* that were read */
} rw_pipeline_slot;

typedef struct rw_pipeline {
    /* what it is to do; the caller creates queues and the arrays of slots */
    rw_context *ctx;
    const rw_pipeline_work *work;
    void *user;
    int queues, depth, batch;
    bool observed; /* with an observer: one slot more keeps the last result, which is shown after the end */
    int slots;
    int64_t most;            /* blocks after which it ends; 0: all */
    double rate;             /* blocks a second at which they are read; 0: as they come */
    int ahead;               /* block i is due at (i + ahead)/rate: 1 where its last sample must have come */
    const rw_cancel *cancel; /* ends it as progress does, but the output is cut; NULL: none */
    bool *stop_reading;      /* atomic; set when nothing more is wanted */
    rw_queue *queue[RW_PIPELINE_QUEUES];
    rw_pipeline_slot slot[RW_PIPELINE_DEPTH + 1];
    /* under the lock: */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t given, read, launched, finished, written; /* turns that came so far through each hand */
    int64_t blocks_read, blocks_written;
    double *since;     /* [slots][batch]: when a block was read, or due */
    bool end, stop;    /* the input has ended; nothing more is wanted */
    bool pause, leave; /* nothing more is read for now; the caller or the observer wants the end */
    bool broken;       /* nothing more can be written */
    rw_status status;
    char message[1024];
    rw_status wish; /* of progress or cancel, with its message: returned when all else is well */
    char wish_message[1024];
    bool cut; /* by cancel */
    double start, last;
    int64_t depths, samples, latencies[RW_PIPELINE_BINS];
    rw_stream_report report; /* deadline is the caller's */
    /* of the observer, in the caller's thread: */
    /* times of its last call and last result, seconds of the latter, start of a pause */
    double asked, shown, show_cost, paused;
    int64_t last_shown; /* turn */
} rw_pipeline;

/* Checks queues, depth and batch. Followed by rw_pipeline_free, also after a failure. */
rw_status rw_pipeline_create(rw_pipeline *p, rw_device *device);
/* Runs it, unless `made`, the status of what prepared it, is an error; completes the report, and commits the output if
 * it is whole: of all blocks, or of all before the input broke off. The first error and its message are kept. */
rw_status rw_pipeline_run(rw_pipeline *p, rw_status made);
/* Queues and arrays too. */
void rw_pipeline_free(rw_pipeline *p);

#endif
