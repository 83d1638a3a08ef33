/* What readers and writers of files share: element types, and binary files whose reads and writes report
 * failures. A file is read from its start, or is a block of memory that is read like one, or is written next to its
 * final path and renamed by rw_io_commit: the old file remains until the new one is complete. Every message names the
 * path.
 *
 * Not here: files read as a whole (core/file.c), frames of films (stream/), pictures (io/raster.h). */
#ifndef RW_IO_H
#define RW_IO_H

#include <stdint.h>
#include <stdio.h>

#include "core/core.h"
#include "rechenwerk/core.h"

/* Arrays in files are of f32, f64, c64, c128. Complex numbers are two reals, real part first. */
#define RW_IO_RANK 4 /* most dimensions of an array in a file */

size_t rw_io_real_size(rw_dtype type); /* 4, 8, 4, 8 bytes */
rw_dtype rw_io_type(size_t real_size, bool is_complex);

/* shape[0] * ... * shape[rank - 1] * element; false when it does not fit in size_t or in half the address space. */
bool rw_io_bytes(int rank, const size_t *shape, size_t element, size_t *bytes);

typedef struct rw_io_file {
    rw_context *ctx;
    FILE *file;
    const char *path; /* borrowed: for messages */
    char *temporary;  /* while writing: the file that rw_io_commit renames */
    uint64_t size;    /* while reading: bytes of the file */
} rw_io_file;

rw_status rw_io_open(rw_context *ctx, const char *path, rw_io_file *s);
/* Reads `n` bytes of memory, named `name` in messages; the bytes must outlive the stream. */
rw_status rw_io_open_memory(rw_context *ctx, const char *name, const void *bytes, size_t n, rw_io_file *s);
/* Exactly n bytes, or ERR_INPUT when the file ends before (`what` says in which part), ERR_FILE when reading fails. */
rw_status rw_io_read(rw_io_file *s, void *bytes, size_t n, const char *what);

rw_status rw_io_create(rw_context *ctx, const char *path, rw_io_file *s);
rw_status rw_io_write(rw_io_file *s, const void *bytes, size_t n);
/* Flushes and puts the file in its place. The stream is closed, whatever the status. */
rw_status rw_io_commit(rw_io_file *s);
/* Closes; a file not committed is discarded. Allowed on a closed or zeroed stream. */
void rw_io_close(rw_io_file *s);

/* Appends text with < > & " escaped for XML; bytes that XML 1.0 forbids become '?'. */
void rw_io_add_xml(rw_text *text, const char *value);

#endif
