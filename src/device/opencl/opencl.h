/* The OpenCL device's own state and what its files share:
 *
 *   device.c   list, open, close, identity, failures     properties.c  what a device says of itself
 *   memory.c   buffers and copies                        program.c     compile, load, unload
 *   queue.c    launches, queues, events
 *
 * The table of operations stands at the end of queue.c. rw_buffer.pointer is a cl_mem, rw_queue.state a
 * cl_command_queue (in order, with profiling), rw_event.state a cl_event or NULL before it is recorded. */
#ifndef RW_OPENCL_H
#define RW_OPENCL_H

#include "device/device.h"
#include "device/opencl/api.h"

typedef struct rw_opencl_pinned {
    void *host;
    cl_mem memory;
    struct rw_opencl_pinned *next;
} rw_opencl_pinned;

typedef struct rw_opencl_state {
    const rw_opencl_api *cl;
    cl_device_id id;
    cl_context context;
    size_t largest;         /* bytes of the largest buffer that the device allows */
    size_t alignment;       /* bytes of which the beginning of a part of a buffer is a multiple */
    bool ptx;               /* programs are PTX and may contain it: NVIDIA's */
    char options[96];       /* of the compiler */
    bool tells_free_memory; /* cl_amd_device_attribute_query */
    char platform[192];     /* name and version, part of the identity */
    bool one_at_a_time;     /* see rw_opencl_enter */
    pthread_mutex_t lock;   /* the list of pinned pieces */
    rw_opencl_pinned *pinned;
} rw_opencl_state;

static inline rw_opencl_state *rw_opencl_of(const rw_device *dev) { return dev->state; }

/* "opencl:0: WHAT: CL_ERROR (-5): NEXT STEP" with the status that the error means; a lost device is marked. */
rw_status rw_opencl_fail(rw_device *dev, cl_int error, const char *format, ...) RW_PRINTF(3, 4);
/* Bytes of device memory not in use; an estimate from the counters where the driver does not tell. */
int64_t rw_opencl_memory_free(const rw_device *dev);

/* properties.c */
cl_ulong rw_opencl_number(const rw_opencl_api *cl, cl_device_id id, cl_uint what); /* of 4 or 8 bytes; 0: unknown */
/* A text of the device, blanks at both ends removed, cut to the size. */
void rw_opencl_string(const rw_opencl_api *cl, cl_device_id id, cl_uint what, char *text, size_t size);
bool rw_opencl_has(const rw_opencl_api *cl, cl_device_id id, const char *extension);
void rw_opencl_platform(const rw_opencl_api *cl, cl_platform_id platform, char *name, size_t size);
void rw_opencl_describe(const rw_opencl_api *cl, cl_platform_id from, cl_device_id id, int index,
                        rw_device_properties *p);
/* device.c */
/* Around compiling and launching. PoCL 4.0 to 5.0 counts the uses of a kernel wrongly, and aborts, when it runs twice
 * at once with different numbers of groups or is compiled meanwhile (mended in 6.0, commit 9184812d6): there one thread
 * of the process at a time is inside, and a launch ends before it leaves. Nothing for other drivers. */
void rw_opencl_enter(const rw_opencl_state *s);
void rw_opencl_leave(const rw_opencl_state *s);
int rw_opencl_list(rw_context *ctx, rw_device_properties *list, int max, char *reason, size_t reason_size);
rw_status rw_opencl_open(rw_device *dev, int index);
void rw_opencl_close(rw_device *dev);
rw_status rw_opencl_identity(rw_device *dev, rw_text *identity);
/* memory.c */
rw_status rw_opencl_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer);
rw_status rw_opencl_part(rw_device *dev, const rw_buffer *whole, size_t offset, size_t bytes, rw_buffer *part);
void rw_opencl_free(rw_device *dev, rw_buffer *buffer);
rw_status rw_opencl_copy_in(rw_queue *q, rw_buffer *dst, const void *src, size_t bytes, bool blocking);
rw_status rw_opencl_copy_out(rw_queue *q, void *dst, rw_buffer *src, size_t bytes, bool blocking);
rw_status rw_opencl_copy(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes);
rw_status rw_opencl_zero(rw_queue *q, rw_buffer *dst, size_t bytes);
rw_status rw_opencl_host_alloc(rw_device *dev, size_t bytes, void **host);
void rw_opencl_host_free(rw_device *dev, void *host);
/* program.c */
typedef struct rw_opencl_kernel {
    cl_kernel kernel;
    pthread_mutex_t lock; /* arguments set by clSetKernelArg belong to the cl_kernel: one thread sets and enqueues */
} rw_opencl_kernel;
/* Writes the options of the compiler to the state, once the device is described. */
void rw_opencl_set_options(rw_device *dev);
rw_status rw_opencl_compile(rw_device *dev, rw_program *p, const char *text, rw_text *binary);
rw_status rw_opencl_program_load(rw_device *dev, rw_program *p, const rw_text *binary);
void rw_opencl_unload(rw_device *dev, rw_program *p);

#endif
