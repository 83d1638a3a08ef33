/* NumPy arrays on disk: .npy versions 1.0, 2.0 and 3.0 in, 1.0 out.
 *
 * Source: numpy/lib/format.py, "Format Version 1.0/2.0/3.0". f2 f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4 u8 b1 of either byte
 * order, in that of the machine afterwards. C and Fortran order, at most eight dimensions; the result is always C
 * order. Not read: f16 (128 bits), strings, structured and object arrays, .npz. */
#ifndef RW_NPY_H
#define RW_NPY_H

#include "files/io.h"

enum { RW_NPY_RANK = RW_MAX_NDIM };

typedef struct rw_npy {
    int ndim;                  /* 0 (one value) .. 8 */
    size_t shape[RW_NPY_RANK]; /* unused entries are 1; a 0 is an empty array */
    rw_dtype type;
    void *data; /* C order, owned; never NULL after a successful read */
} rw_npy;

/* Reads a whole file. ERR_FILE: not there or unreadable; ERR_INPUT: malformed, truncated or a type or shape outside
 * the above; ERR_MEMORY. No memory is taken before the sizes in the header agree with the size of the file. On failure
 * *array is zeroed. */
rw_status rw_npy_read(rw_context *ctx, const char *path, rw_npy *array);
/* The same from memory; `name` stands in messages. */
rw_status rw_npy_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, rw_npy *array);
void rw_npy_free(rw_npy *array);
/* Real elements of any type become f64. */
rw_status rw_npy_to_f64(rw_context *ctx, rw_npy *array);
size_t rw_npy_count(const rw_npy *array); /* number of elements */

/* Writes data[shape[0]]...[shape[ndim-1]] (C order), replacing `path` at once when it is whole. */
rw_status rw_npy_write(rw_context *ctx, const char *path, rw_dtype type, int ndim, const size_t *shape,
                       const void *data);

#endif
