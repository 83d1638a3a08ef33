/* What fft, convolve, image and signal share: arrays from files, axes and operations as text. */
#ifndef TRANSFORMS_H
#define TRANSFORMS_H

#include "command.h"
#include "rechenwerk/fft.h"

/* On a terminal, without --quiet: what is going on, until the next one; NULL: nothing more. */
void show_stage(const arguments *a, const char *format, ...) RW_PRINTF(2, 3);
/* The array of a file as f32, f64, c64 or c128: unchanged, integers as f64; with --precision of that one. */
int load_numbers(rw_context *ctx, const arguments *a, rw_device *device, const char *path, rw_array **array);
/* To a file, whose name has been checked. */
rw_status save_numbers(const arguments *a, rw_array *array, const char *path);
/* The array in the type, which is its own or wider; replaces it. */
rw_status widen(rw_array **array, rw_dtype dtype);
/* "0,1" or "-1": axes of ndim in the order of the option, each once; none if the option is not given. False after a
 * message. */
bool axes_of(const arguments *a, int ndim, int axis[RW_MAX_NDIM], int *naxes);
/* "4096 x 2049 c128" */
typedef struct shape_text {
    char text[200];
} shape_text;
shape_text shape_of(const rw_array *array);
/* The operations of --op with | between them, free(); settings of --set are added to the last operation before them.
 * example: for the message where there is none. Gives an exit code. */
int join_operations(const arguments *a, const char *example, char **chain);
/* What a plan did to write this file. */
void print_transform(const arguments *a, const rw_device *device, const rw_fft_info *info, double seconds,
                     const rw_array *y, const char *path);
/* Seconds since a fixed time in the past. */
double clock_seconds(void);
/* Runs `run(user)` and waits; the seconds that it took. */
rw_status timed(const arguments *a, rw_device *device, rw_status (*run)(void *user, rw_queue *queue), void *user,
                double *seconds);

#define OPTION_PRECISION                                                                                               \
    {                                                                                                                  \
        "precision", 'p', "f32|f64", "precision of computation and output (default: that of the file)"                 \
    }
#define OPTION_AXES                                                                                                    \
    {                                                                                                                  \
        "axes", 0, "LIST", "axes to transform, counted from 0, or from -1 backwards, such as 0,1 (default: all)"       \
    }

#endif
