/* HDF5 in a dozen calls: groups, arrays, attributes, links; a new file appears whole or not at all.
 *
 * Arrays are stored uncompressed with 1..4 dimensions of f32 or f64, complex as the compound {r, i} that h5py uses.
 * Files are written in the format of HDF5 1.10, in which all metadata carry checksums. HDF5 prints nothing; its reason
 * is part of the message. What is read comes from the file itself: an external link is followed only to a file below
 * the same folder (rw_h5_link), and so is a virtual dataset. External raw data is refused. Names are paths inside the
 * file, "/fields/u"; missing groups on the way are made. Calls may come from several threads: one lock serialises them,
 * as the library underneath may not be thread-safe. */
#ifndef RW_H5_H
#define RW_H5_H

#include "files/io.h"

typedef struct rw_h5 rw_h5;

/* A new file under a temporary name next to `path`; rw_h5_commit puts it in place. ERR_FILE, ERR_MEMORY. */
rw_status rw_h5_create(rw_context *ctx, const char *path, rw_h5 **file);
/* An existing file, to read. ERR_FILE: not there; ERR_INPUT: not HDF5, truncated, damaged, or in the old format without
 * checksums that h5py and MATLAB write by default (libhdf5 itself can crash on damaged metadata without them, seen with
 * 1.10.8): `h5repack -L` converts it. */
rw_status rw_h5_open(rw_context *ctx, const char *path, rw_h5 **file);
/* The same; no link to another file is followed. For files that hold their own data: anything but an index of files. */
rw_status rw_h5_open_alone(rw_context *ctx, const char *path, rw_h5 **file);
/* Closes a new file and moves it to its place (fsync, rename); *file becomes NULL whatever the status. */
rw_status rw_h5_commit(rw_h5 **file);
/* Closes; a new file not committed is discarded. NULL is allowed. */
void rw_h5_close(rw_h5 **file);

/* Makes a group, with those above it; an existing one is fine. */
rw_status rw_h5_group(rw_h5 *file, const char *name);
/* True when the object is there, and for an external link, when its target is. */
bool rw_h5_exists(rw_h5 *file, const char *name);
/* Names of the members of a group, sorted; free with rw_h5_names_free. */
rw_status rw_h5_list(rw_h5 *file, const char *group, char ***names, int *n);
void rw_h5_names_free(char ***names, int n);
/* An external link: reading `name` reads `object` of `target`, a path relative to this file. */
rw_status rw_h5_link(rw_h5 *file, const char *name, const char *target, const char *object);

#define RW_H5_CHECKSUM 1u /* flag: fletcher32 over the data, checked by every reader */

/* Writes data[shape[0]]...[shape[rank-1]]. ERR_ARGUMENT: rank outside 1..4, name taken; ERR_FILE. */
rw_status rw_h5_write(rw_h5 *file, const char *name, rw_dtype type, int rank, const size_t *shape, const void *data,
                      unsigned flags);
/* Dimensions as netCDF-4 stores them, so that xarray, netCDF4 and ncdump find the axes of an array.
 * rw_h5_write_scale: the n coordinates of an axis. `id` numbers the dimensions of a file from 0; each has one.
 * rw_h5_set_scales: the scales of an array's `rank` axes, which must be there. */
rw_status rw_h5_write_scale(rw_h5 *file, const char *name, int id, size_t n, const double *values);
rw_status rw_h5_set_scales(rw_h5 *file, const char *name, int rank, const char *const *scales);

/* An array of shape [n][shape[0]] … [shape[rank-1]] whose slices [k] are datasets of other files (a virtual dataset of
 * HDF5 1.10): dataset `object` with as many elements of files[k], a path relative to this file. files[k] NULL: slice k
 * is NaN. source_rank, source_shape: of these datasets. */
rw_status rw_h5_write_stack(rw_h5 *file, const char *name, rw_dtype type, size_t n, int rank, const size_t *shape,
                            const char *const *files, const char *object, int source_rank, const size_t *source_shape);

/* What a dataset holds; integers are F64. ERR_INPUT when it is not there or not numbers of rank 0..4; shape[] beyond
 * rank is 1. */
rw_status rw_h5_shape(rw_h5 *file, const char *name, rw_dtype *type, int *rank, size_t shape[RW_IO_RANK]);
/* Reads a dataset that must have this shape into data; f32, f64 and integers are converted to `type`, and so are the
 * parts of complex numbers, but real stays real. ERR_INPUT: not there, another shape, checksum wrong. */
rw_status rw_h5_read(rw_h5 *file, const char *name, rw_dtype type, int rank, const size_t *shape, void *data);

/* Attributes of the group or dataset `object` ("/" is the file). Setting replaces. Getting: ERR_INPUT when it is not
 * there or of another kind; a text is UTF-8, at most 16 MiB, free with rw_free. */
rw_status rw_h5_set_text(rw_h5 *file, const char *object, const char *name, const char *value);
rw_status rw_h5_set_number(rw_h5 *file, const char *object, const char *name, double value);
rw_status rw_h5_set_numbers(rw_h5 *file, const char *object, const char *name, int n, const double *values);
rw_status rw_h5_set_integer(rw_h5 *file, const char *object, const char *name, int64_t value);
rw_status rw_h5_get_text(rw_h5 *file, const char *object, const char *name, char **value);
rw_status rw_h5_get_number(rw_h5 *file, const char *object, const char *name, double *value);
rw_status rw_h5_get_numbers(rw_h5 *file, const char *object, const char *name, int n, double *values);
rw_status rw_h5_get_integer(rw_h5 *file, const char *object, const char *name, int64_t *value);
bool rw_h5_has_attribute(rw_h5 *file, const char *object, const char *name);

#endif
