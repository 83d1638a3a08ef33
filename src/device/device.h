/* For device authors: the table a device kind fills in, and the objects behind the public handles.
 *
 * One table per kind (cpu/, opencl/, cuda/, check/). Front-end functions in this folder check arguments, keep
 * coherence, count, and call the table; nothing outside asks which kind a device is. */
#ifndef RW_DEVICE_H
#define RW_DEVICE_H

#include <pthread.h>

#include "core/core.h"
#include "kernels/embedded.h"
#include "rechenwerk/array.h"
#include "rechenwerk/device.h"
#include "rechenwerk/program.h"

/* A piece of device memory. */
typedef struct rw_buffer {
    void *pointer; /* cpu, check: host address; cuda: device address; opencl: cl_mem */
    size_t bytes;
    rw_memory memory;
    void *host; /* managed: the address that the host uses too; else NULL */
} rw_buffer;

/* Where a view begins within an allocation. */
typedef struct rw_allocation_part {
    struct rw_allocation_part *next;
    size_t offset;
    rw_buffer buffer;
} rw_allocation_part;

/* Device memory and its users: the storage whose contents it is, and the sequences that recorded a launch with it. */
typedef struct rw_allocation {
    int references;
    rw_buffer buffer;
    size_t counted; /* bytes in the device's counters */
    /* LENT: the caller's host data; MALLOCED: handed over, for free() */
    enum { RW_OWNED, RW_LENT, RW_MALLOCED, RW_IMPORTED } owner;
    rw_managed_tensor *import; /* IMPORTED: whose deleter is called */
    rw_allocation_part *parts;
} rw_allocation;

typedef enum rw_arg_kind {
    RW_ARG_GLOBAL,
    RW_ARG_INT,
    RW_ARG_UINT,
    RW_ARG_LONG,
    RW_ARG_ULONG,
    RW_ARG_F32,
    RW_ARG_F64,
    RW_ARG_C64,
    RW_ARG_C128
} rw_arg_kind;

/* A parameter of a kernel, as its declaration in the text says. */
typedef struct rw_parameter {
    char name[64], type[16]; /* "y", "f64" */
    rw_arg_kind kind;
    bool constant; /* GLOBAL const: only read */
    /* GLOBAL: a bit for each rw_dtype that a real element, or a complex one's parts, may have */
    unsigned elements;
} rw_parameter;

#define RW_MAX_PARAMETERS 280

struct rw_kernel {
    rw_program *program;
    char name[64];
    int nparameters;
    rw_parameter *parameters;
    void *handle;                 /* the table's: function pointer, cl_kernel, CUfunction */
    _Atomic double group_seconds; /* cpu: what a group takes, as seen lately; 0 before the first launch */
};

struct rw_program {
    int references;
    rw_device *device;
    char name[64];
    char key[65]; /* hex SHA-256, the cache key */
    int group;    /* items of a group: the definition GROUP */
    /* for which registers are to suffice: the definition RW_GROUPS_A_UNIT, else 1; 0 says nothing */
    int groups_a_unit;
    bool unswitch;        /* gcc may copy a loop for each value of a condition: RW_UNSWITCH, else 1 */
    int64_t shared_large; /* bytes of SHARED_LARGE: the definition SHARED_LARGE_BYTES, else 0 */
    int cluster;          /* the definition RW_CLUSTER: groups that work together; 0: none do */
    bool wide;            /* the longest vectors of a processor: RW_WIDE, else 0 */
    bool makeshift;       /* compiled with fewer optimisations than its key says: not for the cache */
    bool kept;            /* by its device, which it does not keep alive */
    bool failed;          /* atomic: rw_program_ready has failed, and does so each time */
    struct rw_job *job;   /* atomic: of background.c, until rw_program_ready has loaded it; else NULL */
    int nkernels;
    rw_kernel *kernels;
    void *module;     /* the table's: dlopen handle, cl_program, CUmodule */
    rw_program *next; /* in the device's list */
    /* levels.c */
    bool written_out;      /* many statements for each loop of its text */
    bool quick;            /* atomic: launches run code that is not optimised */
    bool again;            /* its code that is not optimised came from the cache */
    rw_text text;          /* of a quick program: the full text, for the compiler */
    int improving;         /* atomic */
    _Atomic double worked; /* seconds of launches while it was quick */
    rw_program *optimised; /* atomic: the same, optimised; NULL: not needed yet */
};

/* One argument as the table gets it. */
typedef struct rw_launch_arg {
    const rw_parameter *parameter;
    rw_array *array;
    rw_buffer *buffer; /* GLOBAL */
    union {
        int32_t i;
        int64_t l;
        float f;
        double d;
        float c[2];
        double z[2];
    } value;
    size_t bytes; /* of the value */
} rw_launch_arg;

/* A launch kept for replay on devices without graphs. Its buffers are copies: like a graph, a sequence keeps the memory
 * that the arrays had when it was recorded (rw_touched holds it). */
typedef struct rw_recorded {
    rw_kernel *kernel;
    int64_t groups[3];
    int nargs;
    rw_launch_arg *args;
    rw_buffer *buffers; /* by argument */
} rw_recorded;

/* An array that a recorded sequence reads or writes: its coherence is kept at each replay. The array, and the memory
 * that it had, live as long as the sequence. */
typedef struct rw_touched {
    rw_array *array;
    rw_allocation *allocation;
    bool written;
} rw_touched;

/* What was recorded; the programs of its kernels live as long as it does. */
typedef struct rw_record {
    rw_recorded *launches; /* kept when the table cannot record */
    int nlaunches, launches_capacity;
    rw_touched *touched;
    int ntouched, touched_capacity;
    rw_program **programs;
    int nprograms, programs_capacity;
    int64_t total_launches;
} rw_record;

/* What an item of a kernel takes, and how far its groups fill a unit of the device; 0: not known. */
typedef struct rw_kernel_resources {
    int registers, spilled; /* spilled: bytes of registers that did not suffice, in memory */
    int items, items_most;  /* on a unit at once; most that a unit takes */
} rw_kernel_resources;

typedef struct rw_device_ops {
    const char *kind;
    const char *suffix; /* of entries in the cache: ".so", ".clbin", ".cubin" */
    /* (optional) of entries that `compile` makes for quick programs; default: it makes none */
    const char *quick_suffix;

    /* --- required --- */
    /* Fills at most `max` properties; `reason` says why there are none. Never fails. */
    int (*list)(rw_context *ctx, rw_device_properties *list, int max, char *reason, size_t reason_size);
    rw_status (*open)(rw_device *dev, int index); /* sets dev->state; index as in the name, -1 when there was none */
    void (*close)(rw_device *dev);
    rw_status (*alloc)(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer); /* bytes > 0 */
    void (*free)(rw_device *dev, rw_buffer *buffer);
    /* Copies of whole bytes; when `blocking` is false they may still run after return. */
    rw_status (*copy_in)(rw_queue *q, rw_buffer *dst, const void *src, size_t bytes, bool blocking);
    rw_status (*copy_out)(rw_queue *q, void *dst, rw_buffer *src, size_t bytes, bool blocking);
    rw_status (*copy)(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes);
    rw_status (*zero)(rw_queue *q, rw_buffer *dst, size_t bytes);
    /* Everything besides the text that a compiled program depends on: hardware, driver, compiler and version, options.
     * RW_ERR_UNSUPPORTED when no compiler is there. */
    rw_status (*identity)(rw_device *dev, rw_text *identity);
    /* Full text to the bytes that load takes. On failure the message has kernel, line, log path. */
    rw_status (*compile)(rw_device *dev, rw_program *p, const char *text, rw_text *binary);
    rw_status (*load)(rw_device *dev, rw_program *p, const rw_text *binary); /* exactly these bytes */
    void (*unload)(rw_device *dev, rw_program *p);
    rw_status (*launch)(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs);
    rw_status (*queue_create)(rw_queue *q);
    void (*queue_destroy)(rw_queue *q);
    rw_status (*wait)(rw_queue *q);
    rw_status (*event_create)(rw_event *e);
    void (*event_destroy)(rw_event *e);
    rw_status (*event_record)(rw_event *e, rw_queue *q);
    rw_status (*event_wait)(rw_event *e);
    rw_status (*event_order)(rw_queue *q, rw_event *e); /* later work of q waits for e */
    rw_status (*event_seconds)(rw_event *start, rw_event *stop, double *seconds);

    /* --- optional, with a default --- */
    rw_status (*host_alloc)(rw_device *dev, size_t bytes, void **host); /* (optional) page-locked; default: malloc */
    void (*host_free)(rw_device *dev, void *host);                      /* (optional) goes with host_alloc */
    rw_status (*record_begin)(rw_queue *q);             /* (optional) default: the front end keeps the launches */
    rw_status (*record_end)(rw_queue *q, void **graph); /* (optional) */
    rw_status (*replay)(rw_queue *q, void *graph);      /* (optional) */
    void (*graph_destroy)(rw_device *dev, void *graph); /* (optional) */
    rw_status (*resources)(rw_kernel *k, rw_kernel_resources *r); /* (optional) default: nothing is known */
    /* (optional) handles of other libraries; default: none, represented by NULL */
    rw_status (*queue_import)(rw_queue *q, void *native); /* sets q->state */
    rw_status (*event_import)(rw_event *e, void *native); /* sets e->state */
    /* memory and where the tensor's data begin in it */
    rw_status (*tensor_import)(rw_device *dev, const rw_tensor *t, rw_buffer *buffer, size_t *offset, void **host);
    void *(*native)(const rw_device *dev);
    /* (optional) a piece of a buffer, freed before it; ERR_UNSUPPORTED: not at this place; default: addresses are
     * numbers */
    rw_status (*part)(rw_device *dev, const rw_buffer *whole, size_t offset, size_t bytes, rw_buffer *part);
    /* (optional) buffers of the OpenGL context that is current in the calling thread: ERR_UNSUPPORTED where the driver
     * does not share it; default: it shares none */
    rw_status (*gl_import)(rw_device *dev, unsigned gl_buffer, void **resource);
    rw_status (*gl_copy)(rw_queue *q, void *resource, rw_buffer *src); /* later OpenGL commands see the copied data */
    void (*gl_release)(rw_device *dev, void *resource);
    /* (optional) First line that the compiler's program prints about its version, "" if it prints none; default: the
     * driver compiles, and its version says all. */
    void (*compiler_version)(rw_device *dev, char *line, size_t size);
    bool host;            /* kernels are C, run by the host's processor in the host's memory */
    bool discrete;        /* host and device copies are different memory */
    bool survives_fork;   /* a child that fork() makes may go on with the device */
    bool accepts_context; /* open may get a context in dev->given (rw_device_open_native) */
    bool single_item;     /* rw_target.single_item */
    int group_most;       /* (optional) rw_target.group_most; default: all that a group may have */
    int shared_most;      /* (optional) rw_target.shared_memory; default: all that a group may share */
    /* (optional) rw_tensor_device of exported memory, by rw_memory; default: 0, memory is not exported */
    uint8_t tensor_device[RW_MEMORY_MAPPED + 1];
} rw_device_ops;

extern const rw_device_ops rw_cpu_ops, rw_check_ops, rw_opencl_ops, rw_cuda_ops;

/* Two classes of devices want different kernels: loops for a few threads, or many items in step. A class is the index
 * of a table of tuning constants (expr/tuning.h, sparse/tuning.h). */
typedef enum rw_device_class { RW_PROCESSOR, RW_GPU, RW_DEVICE_CLASSES } rw_device_class;

/* The option `tiling` of a device's name, for tests and comparisons (include/rechenwerk/device.h). */
/* clang-format off */
#define RW_TILING_OPTIONS(ROW)                                                                                         \
    ROW(AUTO, "auto") ROW(CPU, "cpu") ROW(GPU, "gpu") ROW(STREAM, "stream")                                            \
    ROW(FUSED, "fused") ROW(WAVE, "wave") ROW(RINGS, "rings")
/* clang-format on */
#define RW_TILING_ROW(NAME, word) RW_TILING_##NAME,
typedef enum rw_tiling_option { RW_TILING_OPTIONS(RW_TILING_ROW) } rw_tiling_option;
#undef RW_TILING_ROW

/* What those who write kernels know of a device. */
typedef struct rw_target {
    rw_device_class class; /* the device's own, or what `tiling` asks for */
    rw_tiling_option tiling;
    int units;             /* cores, compute units or multiprocessors */
    int group_most;        /* items of a group that the compiler gives as many registers as they need */
    int64_t shared_memory; /* bytes of SHARED that a group may have */
    int64_t cache;         /* bytes of the last level, 0: not known */
    int cluster;           /* groups that may read each other's SHARED memory; 0: none */
    /* Loops of a processor's kernels want groups of one item: the compiler would copy code at barriers for each item
     * instead of making vectors of the items (OpenCL). */
    bool single_item;
} rw_target;

enum { RW_SHARED_MOST = 48 << 10 }; /* bytes of SHARED that any GPU has */

rw_target rw_target_of(const rw_device_properties *info, rw_tiling_option tiling);
/* Groups that leave a partial result each, of `items` items: enough to fill the device, and a number that depends on
 * nothing else. */
int64_t rw_target_reducing_groups(const rw_target *target, int items);

/* A device's name, taken apart: KIND, KIND:N, with :OPTION=VALUE at the end. */
typedef struct rw_device_name {
    char kind[16];
    int index; /* -1: none */
    rw_tiling_option tiling;
} rw_device_name;
/* ERR_DEVICE with the nearest name, option or value. */
rw_status rw_device_name_parse(rw_context *ctx, const char *text, rw_device_name *name);
rw_status rw_device_name_unknown(rw_context *ctx, const char *text);
const char *rw_tiling_word(rw_tiling_option tiling);

struct rw_device {
    int references;
    rw_context *ctx;
    const rw_device_ops *ops;
    rw_device_properties info;
    rw_target target;
    void *given;          /* rw_device_open_native: the context to open in */
    int index;            /* among its kind */
    rw_counters counters; /* under `lock` */
    pthread_mutex_t lock; /* programs, counters */
    rw_queue *queue;
    rw_program *programs;
    rw_program **kept; /* the device's own */
    int nkept, kept_capacity;
    int in_background; /* atomic: programs whose rw_program_ready is still to come */
    bool lost;
    const struct rw_ranks *ranks; /* ranks.h; NULL: one process */
    rw_device *next;              /* in the list of orphan.c */
    void *state;                  /* the table's */
};

/* Kernels for threads of a GPU, or as there; else for a processor's lanes. NULL: a processor. */
static inline bool rw_device_has_threads(const rw_device *dev) { return dev && dev->target.class == RW_GPU; }

struct rw_queue {
    rw_device *device;
    int references; /* its creator and the arrays that were last used in it */
    bool foreign;   /* its state is somebody else's */
    bool gone;      /* destroyed: nothing is left to wait for */
    bool recording;
    rw_record record; /* of the launches being recorded */
    void *state;      /* the table's */
};

struct rw_event {
    rw_device *device;
    bool recorded;
    bool foreign;        /* its state is somebody else's */
    double host_seconds; /* cpu, check */
    void *state;
};

struct rw_sequence {
    rw_device *device;
    rw_record record;
    void *graph;
};

/* f32, c64 and the name of what the parts are, "f32" or "f64". */
static inline bool rw_dtype_is_single(rw_dtype dtype) { return dtype == RW_F32 || dtype == RW_C64; }
static inline const char *rw_dtype_real(rw_dtype dtype) { return rw_dtype_is_single(dtype) ? "f32" : "f64"; }

/* Memory with its coherence; one or several arrays refer to it. */
typedef struct rw_storage {
    int references; /* arrays */
    rw_device *device;
    size_t bytes;
    rw_memory memory;
    rw_allocation *allocation;
    void *host;
    enum { RW_HOST_NONE, RW_HOST_SAME, RW_HOST_BORROWED, RW_HOST_MALLOC, RW_HOST_PINNED } host_owner;
    bool host_current, device_current; /* both false: never written */
    bool shared;                       /* imported or exported: others may write the device's copy */
    rw_queue *writer;                  /* queue whose pending work concerns the memory, NULL when none */
} rw_storage;

struct rw_array {
    int references; /* the caller's, of programs bound to it, of recorded sequences */
    rw_device *device;
    rw_storage *storage;
    rw_dtype dtype;
    int ndim;
    /* strides and offset in elements; 1 and 0 beyond ndim */
    int64_t shape[RW_MAX_NDIM], stride[RW_MAX_NDIM], offset, size;
    size_t bytes; /* of the elements, without what lies between them */
    bool view;    /* not the whole storage in its order */
    bool contiguous;
    bool overlaps;    /* elements share memory: only read */
    rw_array *packed; /* of a view that is not contiguous: what kernels get; NULL until then */
};

/* lifetime.c */
rw_device *rw_device_retain(rw_device *dev);
rw_queue *rw_queue_retain(rw_queue *q); /* NULL is allowed */
void rw_queue_release(rw_queue *q);
rw_array *rw_array_retain(rw_array *a); /* rw_array_destroy drops what this takes */
rw_program *rw_program_retain(rw_program *p);
rw_allocation *rw_allocation_retain(rw_allocation *b);
void rw_allocation_release(rw_device *dev, rw_allocation *b);
/* Notes a launch that is being recorded: its program, its arrays and, for tables that cannot record, the launch. */
rw_status rw_record_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs);
rw_counters rw_counters_of(const rw_device *device); /* counters.c */
rw_status rw_kernel_measure(rw_kernel *k, rw_kernel_resources *r);
/* orphan.c: the list of open devices; RW_FATAL_DEVICE_LOST for one whose driver does not work in this child of
 * fork(). */
void rw_orphan_add(rw_device *dev);
void rw_orphan_remove(rw_device *dev);
rw_status rw_orphan_check(rw_device *dev);
/* While it is on, programs that this thread makes are neither loaded nor compiled, and must not be launched: they say
 * what they would do. */
void rw_programs_plan_only(bool on);
bool rw_programs_are_plans(void);
/* rates.c: numbers that are known of a device's speed, by a name without blanks. False: not known. */
bool rw_rate_find(rw_device *dev, const char *name, double value[2]);
void rw_rate_store(rw_device *dev, const char *name, const double value[2]);
/* Measures and stores "copy": bytes read and written per second by a copy within the device's memory. */
rw_status rw_rate_measure(rw_device *dev);
/* rw_program_create that does not wait for the compiler: what it has to say comes from the first launch, or
 * rw_program_ready. */
rw_status rw_program_start(rw_device *dev, const char *name, const char *text, const rw_define *defines, int ndefines,
                           rw_program **program);
/* rw_program_create of a program that the device keeps until it is closed; not to be destroyed. */
rw_status rw_program_kept(rw_device *dev, const char *name, const char *text, const rw_define *defines, int ndefines,
                          rw_program **program);
static inline const char *rw_program_suffix(const rw_program *p)
{
    return p->quick ? p->device->ops->quick_suffix : p->device->ops->suffix;
}
/* levels.c: may the program be quick at first? */
bool rw_text_is_written_out(const char *text);
bool rw_program_may_be_quick(const rw_program *p);
/* Are quick programs optimised when they have worked? */
bool rw_program_may_improve(void);
/* Launches of a quick program have taken that many seconds, and will take `more` in the present one. Starts the
 * compiler for the optimised program, and takes that over when it is there. */
void rw_program_worked(rw_program *p, double seconds, double more);
/* The program is destroyed. */
void rw_program_end_optimised(rw_program *p);
static inline bool rw_program_is_quick(const rw_program *p) { return __atomic_load_n(&p->quick, __ATOMIC_RELAXED); }
/* background.c: has the program been compiled, so that rw_program_ready does not wait for a compiler? */
bool rw_background_is_done(const rw_program *p);
/* Waits for that, for at most that many seconds, or until a request to stop. */
void rw_background_wait(const rw_program *p, double seconds);
/* Waits for the compiler and loads the program, once. Fails each time with the same status and
 * message. */
rw_status rw_program_ready(rw_program *p);
/* Takes the text over. */
rw_status rw_background_add(rw_program *p, rw_text *text);
/* What this thread compiles in the background is needed no more: a compiler may be ended. */
bool rw_background_dropped(void);
/* What p has in the background ends, before it is destroyed. */
void rw_background_end(rw_program *p);
/* cache.c: logs what has been compiled and puts it into the cache on disk. */
void rw_program_compiled(rw_program *p, const rw_text *binary, double seconds);
/* declaration.c: the kernels that a text declares. */
rw_status rw_parse_kernels(rw_program *p, const char *text, const char *real, const rw_define *defines, int ndefines);
void rw_free_kernels(rw_program *p);
const char *rw_define_value(const rw_define *defines, int n, const char *name); /* NULL: not among them */
/* Adds to a counter of the device, atomically. */
void rw_count(rw_device *dev, int64_t *counter, int64_t n);
void rw_count_seconds(rw_device *dev, double compiling);

/* storage.c (storage.h has the rest) */
/* The device copy made current for work in q, which is noted. */
rw_status rw_storage_use(rw_storage *s, rw_queue *q);
/* The device copy is the newer one now. */
void rw_storage_written(rw_storage *s);
/* Host and device copy are the same memory. */
static inline bool rw_storage_one(const rw_storage *s)
{
    return !s->device->ops->discrete || s->memory == RW_MEMORY_MANAGED || s->memory == RW_MEMORY_MAPPED;
}
/* Where the array begins on the device; ERR_UNSUPPORTED where the device cannot address that place. */
rw_status rw_array_buffer(const rw_array *a, rw_buffer **buffer);
/* The same as other libraries take it, current for work in q, and marked as written. */
rw_status rw_array_address(rw_array *a, rw_queue *q, bool writes, void **address);
/* False where programs must copy instead of rw_array_swap: memory shared with other arrays. */
bool rw_array_may_swap(const rw_array *a);
/* array.c. ERR_ARGUMENT for a view that can only be read. */
rw_status rw_array_check_written(const rw_array *a, const char *what);
rw_status rw_array_check_shape(rw_device *dev, rw_dtype dtype, int ndim, const int64_t *shape, int64_t *size);
/* pack.c: dst <- src, element by element, of equal shapes; types are converted (docs/reference/types.md). */
rw_status rw_array_convert(rw_array *dst, rw_array *src, rw_queue *q);
rw_status rw_array_fill_zero(rw_array *a, rw_queue *q);
/* What a kernel gets for a view that it cannot read in place: a contiguous copy, and back. */
rw_status rw_array_pack(rw_array *view, rw_queue *q, rw_array **packed);
rw_status rw_array_unpack(rw_array *view, rw_queue *q);

/* exchange.c: a buffer of OpenGL that the device can write. All calls come from a thread in which its context is
 * current. */
typedef struct rw_gl_buffer {
    rw_device *device;
    void *resource;
} rw_gl_buffer;
/* ERR_UNSUPPORTED: the device's driver does not share memory with this OpenGL. */
rw_status rw_gl_buffer_import(rw_device *dev, unsigned gl_buffer, rw_gl_buffer *b);
rw_status rw_gl_buffer_copy(const rw_gl_buffer *b, rw_array *src, rw_queue *q); /* not more bytes than the buffer has */
void rw_gl_buffer_release(rw_gl_buffer *b);                                     /* one that was not imported, too */

/* Cache on disk: the checked bytes for a key, RW_ERR_UNSUPPORTED when there is no entry (or the cache is off),
 * RW_ERR_MEMORY. See docs/dev/cache.md. */
rw_status rw_cache_load(rw_context *ctx, const char *key, const char *suffix, rw_text *binary);
/* Stores the bytes; where that fails, a warning is logged. */
void rw_cache_store(rw_context *ctx, const char *key, const char *suffix, const rw_text *binary);

/* rw_program_create with definitions as text, "NAME=VALUE NAME=VALUE …", in printf's form. */
rw_status rw_program_create_with(rw_device *dev, const char *name, const char *text, rw_program **program,
                                 const char *definitions, ...) RW_PRINTF(5, 6);
/* The whole text of a program as the compiler of a device of this kind gets it: definitions, dialect, types, functions,
 * kernels. */
rw_status rw_program_text(rw_context *ctx, const rw_device_ops *ops, const char *name, const char *text,
                          const rw_define *defines, int n, const char *real, rw_text *full);

#endif
