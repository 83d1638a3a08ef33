/* Programs: kernels in the group dialect (docs/dev/dialect.md), specialised by definitions and compiled at run time,
 * for C programs with kernels of their own. Equations never get here as text: they reach a compiler as checked graphs
 * only.
 *
 *   rw_program_create(dev, "scale", text, &(rw_define){"GROUP", "256"}, 1, &program);
 *   rw_program_kernel(program, "scale", &kernel);
 *   rw_launch(queue, kernel, (int64_t[]){groups, 1, 1}, (rw_arg[]){rw_arg_array(x), rw_arg_real(2)}, 2); */
#ifndef RECHENWERK_PROGRAM_H
#define RECHENWERK_PROGRAM_H

#include <stdbool.h>

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_program rw_program;
typedef struct rw_kernel rw_kernel;

typedef struct rw_define {
    const char *name, *value;
} rw_define;

/* Compiles `text` for the device with the definitions, or takes the program from this process or from the cache on
 * disk. name: used in messages. GROUP, the number of items of a group (thread block, work group), must be defined.
 * Errors: ERR_COMPILE with kernel, line and the path of the compiler's log, also for parameters that cannot be checked
 *     (declare an array of a type that the dialect does not know GLOBAL ANY TYPE *name); ERR_UNSUPPORTED: there is no
 *     compiler, or RECHENWERK_CC is none; ERR_DEVICE: RECHENWERK_CC is not executable; ERR_FILE: the compiler cannot
 *     write; ERR_INTERRUPTED: the run of this thread was interrupted. */
RW_API rw_status rw_program_create(rw_device *device, const char *name, const char *text, const rw_define *defines,
                                   int64_t ndefines, rw_program **program);
/* Drops the caller's reference and sets *program to NULL. Recorded sequences retain the programs of their kernels. */
RW_API void rw_program_destroy(rw_program **program);

/* A kernel of the program. Lifetime: it lives as long as the program, which recorded sequences retain. */
RW_API rw_status rw_program_kernel(rw_program *program, const char *name, rw_kernel **kernel);

/* Argument of a launch: an array for a GLOBAL pointer, a number for a value. Numbers are converted to the declared
 * type: real types are rounded; int and long accept integers in their range only; real types accept no imaginary
 * part. */
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
/* Passes the whole memory of a view; the kernel addresses its elements by rw_array_offset and rw_array_stride. */
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

/* Launches groups[0] x groups[1] x groups[2] groups of the kernel in the queue, without waiting. Arrays are copied to
 * the device if their host copy is newer. Arrays of pointers without const count as written. An empty grid launches
 * nothing. Errors: ERR_ARGUMENT: number, type or size of arguments, with the parameter; ERR_LAUNCH; ERR_MEMORY. */
RW_API rw_status rw_launch(rw_queue *queue, rw_kernel *kernel, const int64_t groups[3], const rw_arg *args,
                           int64_t nargs);

/* The program cache on disk. */
typedef struct rw_cache_info {
    char folder[1024];
    int64_t entries, bytes;
} rw_cache_info;
RW_API rw_status rw_cache_describe_sized(rw_context *context, rw_cache_info *info, size_t info_size);
#define rw_cache_describe(...) rw_cache_describe_sized(__VA_ARGS__, sizeof(rw_cache_info))
RW_API rw_status rw_cache_clear(rw_context *context, int64_t *removed);

#ifdef __cplusplus
}
#endif
#endif
