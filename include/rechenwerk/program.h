/* Programs: texts in the group dialect (docs/dev/dialect.md), specialised by definitions, compiled at run time.
 *
 * For C programmers who write kernels of their own, and for the library itself. Case files and equations never get
 * here as text: they reach a compiler only as checked graphs. */
#ifndef RECHENWERK_PROGRAM_H
#define RECHENWERK_PROGRAM_H

#include "rechenwerk/array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_program rw_program;
typedef struct rw_kernel rw_kernel;

typedef struct rw_define {
    const char *name, *value;
} rw_define;

/* Compiles `text` for the device with the definitions, or takes the result from this process or from the cache on disk.
 * `name` stands in messages. GROUP, the number of items of a group, must be among the definitions. Errors: ERR_COMPILE
 * with kernel, line and the path of the compiler's log, and for a kernel whose parameters cannot be checked (an array
 * of a type that the dialect does not know is declared GLOBAL ANY TYPE *name); ERR_UNSUPPORTED when there is no
 * compiler or RECHENWERK_CC is none; ERR_DEVICE when RECHENWERK_CC is no program; ERR_FILE when the compiler cannot
 * write; ERR_INTERRUPTED when the run of this thread is interrupted. */
RW_API rw_status rw_program_create(rw_device *device, const char *name, const char *text, const rw_define *defines,
                                   int ndefines, rw_program **program);
/* Drops the caller's reference and sets *program to NULL. A recorded sequence holds the programs of its kernels. */
RW_API void rw_program_destroy(rw_program **program);

/* A kernel of the program; it lives as long as the program. */
RW_API rw_status rw_program_kernel(rw_program *program, const char *name, rw_kernel **kernel);

/* An argument of a launch: an array for a GLOBAL pointer, a number for a value. Numbers are converted to the type
 * that the kernel declares: real numbers are rounded, int and long take integers within their range only, real types
 * only numbers without an imaginary part. */
typedef struct rw_arg {
    rw_array *array; /* NULL: a number */
    double re, im;
    int64_t integer;
    bool is_integer;
    bool is_memory; /* all of the memory of a view, from its beginning */
} rw_arg;
static inline rw_arg rw_arg_array(rw_array *array)
{
    rw_arg a = {array, 0, 0, 0, false, false};
    return a;
}
/* The kernel gets the whole memory and finds the view's elements itself: rw_array_offset, rw_array_stride. */
static inline rw_arg rw_arg_memory(rw_array *array)
{
    rw_arg a = {array, 0, 0, 0, false, true};
    return a;
}
static inline rw_arg rw_arg_real(double value)
{
    rw_arg a = {NULL, value, 0, 0, false, false};
    return a;
}
static inline rw_arg rw_arg_complex(double re, double im)
{
    rw_arg a = {NULL, re, im, 0, false, false};
    return a;
}
static inline rw_arg rw_arg_int(int64_t value)
{
    rw_arg a = {NULL, (double)value, 0, value, true, false};
    return a;
}

/* Runs groups[0] x groups[1] x groups[2] groups of the kernel in the queue. Arrays are brought to the device if their
 * host copy is newer; those of pointers without const count as written. Nothing is launched for an empty grid. */
RW_API rw_status rw_launch(rw_queue *queue, rw_kernel *kernel, const int64_t groups[3], const rw_arg *args, int nargs);

/* The program cache on disk. */
typedef struct rw_cache_info {
    char folder[1024];
    int64_t entries, bytes;
} rw_cache_info;
RW_API rw_status rw_cache_describe(rw_context *context, rw_cache_info *info);
RW_API rw_status rw_cache_clear(rw_context *context, int64_t *removed);

#ifdef __cplusplus
}
#endif
#endif
