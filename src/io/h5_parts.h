/* What the files of the HDF5 layer share (see h5.h): the lock, the quiet error stack, failing with HDF5's reason. */
#ifndef RW_H5_PARTS_H
#define RW_H5_PARTS_H

#include <hdf5.h>

#include "io/h5.h"

/* The first error of the file system on a file being written. Shared by the file's two owners, HDF5 and rw_h5, since
 * HDF5 may keep a file open that it could not close. */
typedef struct rw_h5_sink {
    int references, reason; /* reason: errno, 0: none */
} rw_h5_sink;

struct rw_h5 {
    rw_context *ctx;
    hid_t id;
    char *path, *temporary; /* temporary: NULL when reading */
    rw_h5_sink *sink;       /* NULL when reading */
    hid_t links, sets;      /* lists of properties to follow links to objects, and to datasets (follow in h5.c) */
    bool alone;             /* no link to another file is followed */
    char refused[256];      /* the file that a link leads to which was not followed; "": none */
};

enum { RW_H5_NAME = 4096 }; /* bytes of a name with its NUL */

/* Between the two the lock is held and HDF5 prints nothing; the error handler of the program is put back. */
typedef struct rw_h5_guard {
    H5E_auto2_t handler;
    void *data;
} rw_h5_guard;
rw_h5_guard rw_h5_enter(void);
void rw_h5_leave(rw_h5_guard guard);

/* h5_file.c: files made with this access list are written through our own driver; false: HDF5 has no memory. */
bool rw_h5_drive(hid_t list, rw_h5_sink *sink);
void rw_h5_sink_release(rw_h5_sink **sink);
/* `status` of a call that has written `name`, or ERR_FILE when the file system has refused something since. */
rw_status rw_h5_written(const rw_h5 *file, rw_status status, const char *name);

/* ERR_INPUT where a link on the way to `name` leads to another file and was not followed; clears `refused`. */
rw_status rw_h5_check_links(rw_h5 *file, const char *name);
/* ERR_INPUT where an open dataset has its values in another file: external raw data, or a virtual dataset. */
rw_status rw_h5_check_storage(const rw_h5 *file, const char *name, hid_t set);
/* ERR_MEMORY where an allocation has failed since rw_h5_enter: asked before "there is no such object" is reported. */
rw_status rw_h5_had_memory(const rw_h5 *file, const char *name);
/* "path: name: what: reason", that of the file system or of HDF5; clears the error stack. */
rw_status rw_h5_fail(const rw_h5 *file, rw_status status, const char *name, const char *what);
/* True when every link on the way is there and the object at its end can be reached. */
bool rw_h5_reaches(const rw_h5 *file, const char *name);
/* Before an object is made: the file is being written and the name is free; groups above it that are missing are
 * made. */
rw_status rw_h5_check_new(const rw_h5 *file, const char *name);
/* Type of the elements of an array, in memory or in the file; to be closed. */
hid_t rw_h5_element_type(rw_dtype type, bool in_file);
/* Attributes of types that the HDF5 and netCDF-4 specifications require: a text in ASCII, a 32-bit integer. */
rw_status rw_h5_set_ascii(rw_h5 *file, const char *object, const char *name, const char *value);
rw_status rw_h5_set_int32(rw_h5 *file, const char *object, const char *name, int value);
/* A property list for names in UTF-8; to be closed. */
hid_t rw_h5_link_list(void);

#endif
