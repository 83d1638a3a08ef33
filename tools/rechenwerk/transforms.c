#include "transforms.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void show_stage(const arguments *a, const char *format, ...)
{
    if (!isatty(STDERR_FILENO) || given(a, "quiet")) return;
    fflush(stdout);
    fputs("\r\033[K", stderr);
    if (!format) return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}

rw_status widen(rw_array **array, rw_dtype dtype)
{
    rw_array *wide;
    int64_t shape[RW_MAX_NDIM];
    if (rw_array_dtype(*array) == dtype) return RW_OK;
    for (int d = 0; d < RW_MAX_NDIM; d++) shape[d] = rw_array_shape(*array, d);
    rw_device *device = rw_array_device(*array);
    rw_status status = rw_array_create(device, dtype, rw_array_ndim(*array), shape, RW_MEMORY_DEVICE, &wide);
    if (status != RW_OK) return status;
    status = rw_array_copy(wide, *array, rw_device_queue(device));
    rw_array_destroy(array);
    *array = wide;
    return status;
}

int load_numbers(rw_context *ctx, const arguments *a, rw_device *device, const char *path, rw_array **array)
{
    const char *precision = value_of(a, "precision");
    if (precision && strcmp(precision, "f32") && strcmp(precision, "f64"))
        return usage("%s: --precision %s: must be f32 or f64", a->command->name, precision);
    show_stage(a, "  reading %s", path);
    rw_status status = rw_array_load(device, path, RW_DTYPE_DEFAULT, array);
    if (status == RW_OK) {
        const rw_dtype t = rw_array_dtype(*array);
        const bool is_complex = rw_dtype_is_complex(t);
        bool single = t == RW_F32 || t == RW_C64 || t == RW_F16 || t == RW_BF16;
        if (precision) single = strcmp(precision, "f32") == 0;
        status = widen(array, is_complex ? single ? RW_C64 : RW_C128 : single ? RW_F32 : RW_F64);
    }
    show_stage(a, NULL);
    return status == RW_OK ? 0 : failed(ctx, status);
}

rw_status save_numbers(const arguments *a, rw_array *array, const char *path)
{
    show_stage(a, "  writing %s, %s", path,
               in_units((double)rw_array_size(array) * (double)rw_dtype_size(rw_array_dtype(array))).text);
    const rw_status status = rw_array_save(array, path);
    show_stage(a, NULL);
    return status;
}

bool axes_of(const arguments *a, int ndim, int axes[RW_MAX_NDIM], int *naxes)
{
    const char *text = value_of(a, "axes");
    *naxes = 0;
    while (text && *text) {
        char *end;
        const long axis = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || (*end == ',' && !end[1])) {
            usage("%s: --axes %s: must be integers separated by commas, such as 0,1", a->command->name,
                  value_of(a, "axes"));
            return false;
        }
        if (axis < -ndim || axis >= ndim) {
            usage("%s: --axes %s: the array has %d ax%s, %s", a->command->name, value_of(a, "axes"), ndim,
                  ndim == 1 ? "is" : "es", ndim == 1 ? "0" : "counted from 0");
            return false;
        }
        const int d = (int)(axis < 0 ? axis + ndim : axis);
        for (int i = 0; i < *naxes; i++)
            if (axes[i] == d) {
                usage("%s: --axes %s: axis %d is repeated: an axis is transformed once", a->command->name,
                      value_of(a, "axes"), d);
                return false;
            }
        axes[(*naxes)++] = d;
        text = *end ? end + 1 : end;
    }
    return true;
}

int join_operations(const arguments *a, const char *example, char **chain)
{
    const char *who = a->command->name;
    size_t size = 1;
    for (int i = 0; i < a->ngiven; i++)
        if (a->given[i].value) size += strlen(a->given[i].value) + 1;
    char *text = calloc(size, 1);
    *chain = text;
    if (!text) return usage("%s: no memory for the operations", who);
    for (int i = 0; i < a->ngiven; i++) {
        const struct given *g = &a->given[i];
        if (strcmp(g->option->name, "op") == 0) {
            if (*text) strcat(text, "|");
            strcat(text, g->value);
        } else if (strcmp(g->option->name, "set") == 0) {
            if (!*text) return usage("%s: --set %s must follow the --op that it belongs to", who, g->value);
            if (!strchr(g->value, '='))
                return usage("%s: --set %s: must be NAME=VALUE, such as sigma=3", who, g->value);
            strcat(text, ":");
            strcat(text, g->value);
        }
    }
    return *text ? 0 : usage("%s: the operation is missing: give --op %s", who, example);
}

shape_text shape_of(const rw_array *array)
{
    shape_text s = {""};
    size_t used = 0;
    for (int d = 0; d < rw_array_ndim(array); d++)
        used += (size_t)snprintf(s.text + used, sizeof s.text - used, "%s%lld", d ? " x " : "",
                                 (long long)rw_array_shape(array, d));
    snprintf(s.text + used, sizeof s.text - used, " %s", rw_dtype_name(rw_array_dtype(array)));
    return s;
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

rw_status timed(const arguments *a, rw_device *device, rw_status (*run)(void *user, rw_queue *queue), void *user,
                double *seconds)
{
    rw_queue *queue = rw_device_queue(device);
    rw_status status = rw_queue_wait(queue);
    show_stage(a, "  computing");
    const double start = clock_seconds();
    if (status == RW_OK) status = run(user, queue);
    if (status == RW_OK) status = rw_queue_wait(queue);
    *seconds = clock_seconds() - start;
    show_stage(a, NULL);
    return status;
}

void print_transform(const arguments *a, const rw_device *device, const rw_fft_info *info, double seconds,
                     const rw_array *y, const char *path)
{
    if (given(a, "quiet")) return;
    printf("  %lld pass%s over memory, %s, in %s on %s\n  written: %s, %s\n", (long long)info->passes,
           info->passes == 1 ? "" : "es", in_units((double)info->bytes).text, in_time(seconds).text,
           rw_device_info(device)->name, shown(path), shape_of(y).text);
}
