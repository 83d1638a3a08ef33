/* The program that transforms lines of n points: its text, tables of factors and launches. */
#ifndef RW_FFT_LINE_H
#define RW_FFT_LINE_H

#include "device/device.h"

enum { RW_FFT_STAGES = 24, RW_FFT_LINE_AXES = 3 };

/* n as a product of sizes of codelets, the largest first; 0: it has a prime factor that is too large. */
int rw_fft_factors(int64_t n, int radix[RW_FFT_STAGES]);

typedef struct rw_fft_line_spec {
    rw_dtype dtype;
    int64_t n;
    bool inverse;
    bool lines_fast; /* neighbouring lines lie closer together than the points of a line */
    bool x_unit, y_unit; /* from point to point it is one element */
} rw_fft_line_spec;

typedef struct rw_fft_line {
    rw_device *device;
    rw_program *program;
    rw_kernel *kernel;
    rw_array *factors;  /* of all stages behind the first: pairs */
    int lines;          /* of a group */
} rw_fft_line;

/* Where the points of all lines lie: the first one, from point to point, and up to three axes of lines. */
typedef struct rw_fft_place {
    int64_t first, step, line[RW_FFT_LINE_AXES];
} rw_fft_place;

/* ERR_UNSUPPORTED: n has a large prime factor, or does not fit into the memory of a group. */
rw_status rw_fft_line_create(rw_device *dev, const rw_fft_line_spec *spec, rw_fft_line *line);
void rw_fft_line_free(rw_fft_line *line);
rw_status rw_fft_line_run(const rw_fft_line *line, rw_array *x, const rw_fft_place *from, rw_array *y, const rw_fft_place *to,
                          const int64_t lines[RW_FFT_LINE_AXES], double scale, rw_queue *queue);

#endif
