/* How fields are written, whatever the format. */
#ifndef RW_WRITER_H
#define RW_WRITER_H

#include "run/run_private.h"
#include "run/writers.h"

enum {
#define X(name, folder, files, index, line) RW_WRITER_##name,
    RW_FIELD_WRITERS(X)
#undef X
        RW_WRITERS
};

/* A field as writers get it: on the host, with the nodes on Dirichlet sides. */
typedef struct rw_written_field {
    const char *name, *unit;
    rw_dtype type;
    const rw_layout *layout;
    const void *data;   /* shape (z, y, x) */
    const char *vector; /* as of rw_state_field; all components of a vector follow each other */
    int component;
    bool streamlines; /* of the vector that this component begins, which is on a plane, are written where possible */
} rw_written_field;

typedef struct rw_field_writer {
    bool (*suits)(const rw_layout *layout);
    /* One output: n fields whose layouts suit, n > 0. Files are claimed (rw_folder_claim). */
    rw_status (*write)(rw_run *r, int n, const rw_written_field *fields, int output);
    rw_status (*index)(rw_run *r); /* (optional) the files over all outputs */
} rw_field_writer;

#define X(name, folder, files, index, line) extern const rw_field_writer rw_##name##_writer;
RW_FIELD_WRITERS(X)
#undef X

/* writers.c */
const char *rw_writer_name(int writer); /* NULL beyond the last */
int rw_writer_find(const char *name);   /* -1: there is none */
bool rw_writer_suits(int writer, const rw_layout *layout);
bool rw_writer_is_vtk(int writer); /* what output.vti = false leaves out */
/* The names in output.formats: known, and one that suits a field at least. */
rw_status rw_writers_check(rw_run *r);
rw_status rw_writers_output(rw_run *r, int output);
/* At a checkpoint and at the end (always), and otherwise as long as this takes at most a twentieth of the time. */
rw_status rw_writers_index(rw_run *r, bool always);
/* Makes the folders of the formats of this run. */
rw_status rw_writers_folders(rw_run *r);

/* write_hdf5.c: r->times and r->noutputs from fields.h5 of r->folder, once. Without fields.h5: r->noutputs from the
 * files in fields/, and r->times stays NULL. */
rw_status rw_hdf5_read_times(rw_run *r);

#endif
