/* Devices, queues, events, recorded sequences.
 *
 *   rw_device *dev;
 *   rw_device_open(ctx, "cuda:0", &dev);        "cpu", "cpu:4", "opencl:0", "check", "auto"; "cpu:tiling=gpu"
 *
 * A device is chosen by a string. A wrong one is an error that names the nearest right one and why an existing device
 * cannot be used. Handles are counted: objects retain their device and what they use, and may be destroyed in any
 * order.
 *
 * Threads: arrays, matrices, solvers and queues are used by one thread at a time, and so are all those of a device that
 * share a queue; solvers work in the device's own queue. Threads that work concurrently open the device once each, in
 * one context: they share compiled programs and nothing else.
 *
 * fork(): a child may continue with cpu and check devices, in the thread that forked. OpenCL and CUDA devices that the
 * parent has opened are refused with FATAL_DEVICE_LOST, and so is opening one if the parent has used the driver: open
 * devices after fork(). */
#ifndef RECHENWERK_DEVICE_H
#define RECHENWERK_DEVICE_H

#include <stdint.h>

#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_device rw_device;
typedef struct rw_queue rw_queue;
typedef struct rw_event rw_event;
typedef struct rw_sequence rw_sequence;

/* Properties of a device. Unknown numbers are 0, unknown texts "". */
typedef struct rw_device_properties {
    char name[32];      /* the string that opens it: "cuda:0", with its option */
    char also[32];      /* another string for the same hardware, "" when there is none */
    char kind[16];      /* "cpu", "opencl", "cuda", "check" */
    char hardware[128]; /* "NVIDIA H200" */
    char driver[160];   /* driver or compiler with its version */
    char unusable[256]; /* why it cannot be used; "" when it can */
    char identity[64];  /* PCI address or "cpu": equal for the same hardware under two names */
    int units;          /* cores, compute units or multiprocessors */
    int clock_mhz;
    int64_t memory;        /* device memory, bytes */
    int64_t memory_free;   /* bytes that were free when asked */
    int64_t shared_memory; /* bytes that a group may share */
    int64_t cache;         /* bytes of the last-level cache */
    int group_max;         /* items of a group, at most */
    int cluster;           /* groups that may read each other's shared memory; 0: none */
    int width;             /* items in lockstep: warp size, or vector lanes of f64 */
    bool f64;              /* double precision in hardware */
    bool managed, mapped;  /* has memory of the kinds RW_MEMORY_MANAGED, RW_MEMORY_MAPPED */
    bool gpu;
    char version[32]; /* compute capability "9.0", OpenCL version "1.2" */
} rw_device_properties;

/* Counts since the device was opened, to assert for instance that 1000 steps copy no field. */
typedef struct rw_counters {
    int64_t copies_in, copies_out, copies_device; /* host to device, device to host, within the device */
    int64_t bytes_in, bytes_out, bytes_device;
    int64_t launches;     /* kernels started, those inside replays included */
    int64_t replays;      /* recorded sequences started */
    int64_t compilations; /* texts given to a compiler */
    int64_t cache_hits;   /* programs loaded from the cache on disk */
    int64_t shared;       /* programs found already loaded in this process */
    int64_t bytes_allocated, bytes_allocated_peak;
    double compile_seconds; /* that callers waited for compilers */
} rw_counters;

/* Lists all devices of this machine, usable or not, each hardware once (`also` is its second name). Nothing is opened;
 * it takes milliseconds. Free the list with rw_device_list_free. */
RW_API rw_status rw_device_list_sized(rw_context *context, rw_device_properties **list, int64_t *count,
                                      size_t element_size);
#define rw_device_list(...) rw_device_list_sized(__VA_ARGS__, sizeof(rw_device_properties))
RW_API void rw_device_list_free(rw_device_properties **list);

/* Opens a device. "auto": the first usable of cuda:0, an OpenCL GPU, cpu. "cpu:N": N threads; "cpu": all that the
 * process may use (OMP_NUM_THREADS is respected).
 *
 * For tests and comparisons a name may end with an option that decides how kernels are written, not what they compute:
 * "cpu:tiling=gpu", "opencl:0:tiling=stream" (default: auto).
 *   auto                  as suits the device
 *   cpu, gpu              as for a processor or a GPU, of expressions, sparse matrices and solvers; passes do not share
 *                         kernels
 *   stream                as for a processor whose caches are smaller than the fields
 *   fused, wave, rings    passes share kernels where possible: by overlapping tiles, by wave fronts in registers, in
 *                         rings of rows
 *
 * Errors: ERR_DEVICE with the nearest name, option or value, and reasons. */
RW_API rw_status rw_device_open(rw_context *context, const char *name, rw_device **device);
/* Opens opencl:N in an existing cl_context, which is retained: its buffers and queues can be imported. CUDA devices use
 * the primary context, as the CUDA runtime does.
 * Errors: ERR_ARGUMENT: a context without the device; ERR_UNSUPPORTED: another kind of device. */
RW_API rw_status rw_device_open_native(rw_context *context, const char *name, void *native, rw_device **device);
/* The CUcontext or cl_context; NULL on cpu and check. */
RW_API rw_status rw_device_get_native(const rw_device *device, void **native);
RW_API void rw_device_close(rw_device **device);
/* Properties of an open device, which belong to it; its context. NULL of NULL. */
RW_API const rw_device_properties *rw_device_info(const rw_device *device);
RW_API rw_context *rw_device_context(const rw_device *device);
/* Counts of copies, launches and compilations since the device was opened. */
RW_API rw_status rw_device_get_counters_sized(const rw_device *device, rw_counters *counters, size_t counters_size);
#define rw_device_get_counters(...) rw_device_get_counters_sized(__VA_ARGS__, sizeof(rw_counters))

/* Queues execute their work in order; different queues may overlap. The cpu and check devices complete each piece of
 * work before the call returns. Every device has a queue of its own, which lives as long as the device: until its last
 * object is destroyed, also after rw_device_close. */
RW_API rw_queue *rw_device_queue(rw_device *device);
RW_API rw_status rw_queue_create(rw_device *device, rw_queue **queue);
RW_API void rw_queue_destroy(rw_queue **queue);  /* waits first */
RW_API rw_status rw_queue_wait(rw_queue *queue); /* until all its work is done; reports failures of kernels */

/* Imports a CUstream or cl_command_queue (0: the default stream of CUDA; NULL on cpu and check). It must outlive the
 * queue; nothing is created or destroyed. Work is ordered with that of its owner.
 * Errors: ERR_ARGUMENT: a stream of another device or context, an out-of-order OpenCL queue. rw_event_seconds needs an
 * OpenCL queue with profiling. */
RW_API rw_status rw_queue_import(rw_device *device, void *native, rw_queue **queue);
/* The CUstream or cl_command_queue, which remains the queue's; NULL on cpu and check. */
RW_API rw_status rw_queue_get_native(rw_queue *queue, void **native);

/* Events mark a point in a queue. Times are the device's own where it has them. */
RW_API rw_status rw_event_create(rw_device *device, rw_event **event);
RW_API void rw_event_destroy(rw_event **event);
RW_API rw_status rw_event_record(rw_event *event, rw_queue *queue);
RW_API rw_status rw_event_wait(rw_event *event);
RW_API rw_status rw_queue_wait_event(rw_queue *queue, rw_event *event); /* work put in later waits for the event */
/* Imports a recorded CUevent or cl_event (NULL on cpu and check). A cl_event is retained, a CUevent must outlive the
 * event. rw_event_get_native: that of a recorded event, which remains the event's. */
RW_API rw_status rw_event_import(rw_device *device, void *native, rw_event **event);
RW_API rw_status rw_event_get_native(rw_event *event, void **native);
/* Seconds between two events that have completed. */
RW_API rw_status rw_event_seconds(rw_event *start, rw_event *stop, double *seconds);

/* Recorded sequences: launches between begin and end are stored instead of executed, with their arguments at that time.
 * A replay starts all of them at once: a CUDA graph; a loop over the launches elsewhere. Host reads and waits are
 * refused while recording.
 * Lifetime: the sequence retains its arrays and programs. It uses the memory that the arrays had when it was recorded:
 * do not swap them (rw_array_swap) while it is in use. */
RW_API rw_status rw_record_begin(rw_queue *queue);
RW_API rw_status rw_record_end(rw_queue *queue, rw_sequence **sequence);
RW_API rw_status rw_sequence_replay(rw_sequence *sequence, rw_queue *queue);
RW_API void rw_sequence_destroy(rw_sequence **sequence);

#ifdef __cplusplus
}
#endif
#endif
