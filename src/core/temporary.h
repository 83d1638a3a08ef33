/* Folders for files of passage in $TMPDIR (default: /tmp). */
#ifndef RW_TEMPORARY_H
#define RW_TEMPORARY_H

#include "core/core.h"

typedef struct rw_temporary {
    char *path;
    int fd; /* locked as long as the folder is in use */
} rw_temporary;

/* Removes, once per process, the folders of processes that no longer run. */
void rw_temporary_sweep(void);
/* A new private folder. Sweeps first. */
rw_status rw_temporary_create(rw_context *ctx, rw_temporary *t);
/* The folder with all files in it; nothing for one that was not made ({0}). */
void rw_temporary_remove(rw_temporary *t);
/* A new private folder for what a message names; it stays a day, until a later process removes it (to be freed). */
rw_status rw_temporary_keep(rw_context *ctx, char **path);

#endif
