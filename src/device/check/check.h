/* The parts of the check device: areas of watched memory, the launch that runs, lines of a program's text.
 *
 *   check.c   the table: allocating, compiling, loading, launching
 *   area.c    an array with its guard zones and its shadow
 *   watch.c   what happens at an access, an EACH, a BARRIER
 *   race.c    which accesses are ordered
 *   report.c  the messages
 *   line.c    from an address in the code to the line of the text
 *   lint.c    what only the text shows */
#ifndef RW_CHECK_H
#define RW_CHECK_H

#include <setjmp.h>

#include "device/device.h"

#define RW_CHECK_LIBRARY
#include "device/check/dialect_check_hooks.h"

/* When and by whom: the segment (a piece of a group's run between barriers; numbers rise through the device's life),
 * and the lane (item modulo GROUP, the thread of a GPU). 0: never. */
typedef uint64_t rw_check_stamp;
enum { RW_CHECK_LANE_BITS = 18 };
#define RW_CHECK_ALL ((1 << RW_CHECK_LANE_BITS) - 1)  /* the lane of code outside EACH: all items */
#define RW_CHECK_MANY ((1 << RW_CHECK_LANE_BITS) - 2) /* several items, atomically */

/* The last accesses to up to 8 bytes, a number of an array; where in the code they were made; reads by two different
 * items. */
enum { RW_CHECK_LAST_WRITE, RW_CHECK_LAST_ATOMIC, RW_CHECK_LAST_READ, RW_CHECK_OTHER_READ, RW_CHECK_KEPT };
typedef struct rw_check_cell {
    rw_check_stamp last[RW_CHECK_KEPT];
    uint32_t at[RW_CHECK_KEPT];
} rw_check_cell;

/* Watched memory:
 *
 *   map                       data                  data + bytes                    map + map_bytes
 *   | gap, no access | guard | 0xff … (NaN)        | guard to the end of the page | gap, no access |
 *
 * The gaps are at least as long as the data, so that even a far miss is ascribed to its array. */
typedef struct rw_check_area {
    struct rw_check_area *next; /* in the device's list */
    char *map, *data;
    size_t map_bytes, bytes, capacity;
    uint8_t *written; /* for each byte: 0 when nothing has written it */
    rw_check_cell *cells;
    int shift; /* 2^shift bytes per cell */
    /* by kernels since it was made, an atomic operation both. What the unoptimised code reads: the operands of a macro,
     * and with gcc the index of a local array, as often as they stand there */
    uint64_t bytes_read, bytes_written;
    int kind;         /* RW_CHECK_GLOBAL, … */
    size_t item;      /* bytes of an element; PRIVATE: of one item's share */
    bool constant;    /* passed to const pointers only */
    bool passed;      /* to the kernel that runs */
    bool forgotten;   /* PRIVATE: values set in EACH2 have been dropped */
    const char *name; /* in the text; NULL where only the launch's arguments know */
    int line;         /* of the declaration */
    const rw_array *array;
} rw_check_area;

/* A program's code in memory. */
typedef struct rw_check_module {
    struct rw_check_module *next;
    const rw_program *program;
    char *image; /* the shared object, for its line table */
    size_t image_bytes;
    const char *base, *low, *high; /* bias, and first and last address */
} rw_check_module;

typedef enum rw_check_order { RW_CHECK_FORWARD, RW_CHECK_REVERSE, RW_CHECK_SHUFFLE } rw_check_order;

typedef struct rw_check_state rw_check_state;

enum { RW_CHECK_NEAR = 64, RW_CHECK_DECLARED = 64 };

/* The launch that runs. */
typedef struct rw_check_launch {
    rw_device *device;
    rw_check_state *state;
    const rw_kernel *kernel;
    rw_check_module *module;
    const rw_launch_arg *args;
    int nargs;
    long total, turn, group; /* groups, groups begun before this one, the linear number of this one */
    rw_check_order order;
    long lane_stride, group_stride;                  /* of the order SHUFFLE */
    uint64_t segment, group_segment, launch_segment; /* now; first of this group; first of the launch */
    uint64_t *starts;                                /* first segment of each turn; NULL: no memory for it */
    rw_check_each *each;                             /* whose body runs; NULL outside */
    int line;                                        /* of the last EACH or BARRIER */
    rw_check_area *areas[RW_MAX_PARAMETERS + RW_CHECK_DECLARED]; /* passed arrays, then those declared in the kernel */
    int npassed, nareas;
    rw_check_area *near[RW_CHECK_NEAR];                               /* the area that an instruction last met */
    const char *stack;                                                /* the kernel's frames lie below */
    void *pointers[RW_MAX_PARAMETERS], *addresses[RW_MAX_PARAMETERS]; /* what the entry point unpacks … */
    rw_launch_arg values[RW_MAX_PARAMETERS];                          /* … lies here, which kernels may read */
    int n[3];
    sigjmp_buf leave;
    rw_status status;
} rw_check_launch;

struct rw_check_state {
    pthread_mutex_t lock;
    rw_check_area *arrays;
    rw_check_area *declared[RW_CHECK_DECLARED]; /* memory of SHARED and PRIVATE arrays, used again by later groups */
    rw_check_module *modules;
    uint64_t segment;
    int64_t launches;
    char compiler[4096]; /* asked already: clang or not */
    bool clang;          /* atomic: threads that compile take no lock */
    rw_check_launch launch;
};

/* area.c */
rw_check_area *rw_check_area_create(size_t bytes); /* NULL: no memory */
void rw_check_area_destroy(rw_check_area *a);
void rw_check_area_poison(rw_check_area *a);            /* contents NaN, nothing written */
bool rw_check_area_shadow(rw_check_area *a, int shift); /* cells of 2^shift bytes; false: no memory */
/* In the data or anywhere around it. */
static inline bool rw_check_area_holds(const rw_check_area *a, const char *p)
{
    return (size_t)(p - a->map) < a->map_bytes;
}
/* Offset from the data of the first damaged guard byte, whose guard is repaired; 0 when all is well (the data itself
 * begins at 0, so no guard byte is there). */
ptrdiff_t rw_check_area_damage(rw_check_area *a);
rw_check_area *rw_check_find(const rw_check_state *s, const rw_buffer *buffer); /* of an array; NULL: no longer there */

/* watch.c: the table for loaded programs, and the launch of this thread that it works for. */
extern const rw_check_hooks rw_check_table;
extern _Thread_local rw_check_launch *rw_check_now;
long rw_check_permute(rw_check_order order, long k, long n, long stride); /* the k-th of n */
long rw_check_stride(long n);                                             /* coprime to n */

/* race.c: notes an access to the bytes [offset, offset + bytes) of a; reports a race. */
void rw_check_touch(rw_check_launch *l, rw_check_area *a, size_t offset, size_t bytes, int kind, const void *from);
int rw_check_lane(const rw_check_launch *l);

/* report.c: sets the message and leaves the kernel. `from` is an address in the code, or NULL with a line. */
_Noreturn void rw_check_report(rw_check_launch *l, const char *finding, const void *from, int line, const char *format,
                               ...) RW_PRINTF(5, 6);
/* "array 'x' of 10 x 12 f64", "shared 'tile'", with the element at the offset: "element 3 of …". */
typedef struct rw_check_name {
    char text[256];
} rw_check_name;
rw_check_name rw_check_area_name(const rw_check_launch *l, const rw_check_area *a);
/* "group 3, item 5 (i = 133)", "group (1, 0, 2), all items". */
rw_check_name rw_check_who(const rw_check_launch *l);
rw_check_name rw_check_group_name(const rw_check_launch *l, long group);

/* line.c */
rw_status rw_check_module_create(rw_check_state *s, const rw_program *p, const char *image, size_t bytes);
void rw_check_module_destroy(rw_check_state *s, const rw_program *p);
/* Line of the program's text for a return address; 0 when it cannot be told. */
int rw_check_line(const rw_check_module *m, const void *from);
void rw_check_ask_compiler(rw_check_state *s, rw_context *ctx);

/* lint.c: RW_ERR_CHECK when the text of the program changes a group's variable inside EACH. */
rw_status rw_check_lint(rw_context *ctx, const char *program, const char *text);

#endif
