/* Temporary files, folders and processes of this process, for rw_abandon. Call all but the lock and rw_leftover_empty
 * under the lock. */
#ifndef RW_LEFTOVER_H
#define RW_LEFTOVER_H

#include <sys/types.h>

#include "core/core.h"

typedef enum rw_leftover_kind {
    RW_LEFTOVER_NONE,
    RW_LEFTOVER_FILE,
    RW_LEFTOVER_FOLDER, /* with the files in it */
    RW_LEFTOVER_PROCESS
} rw_leftover_kind;

void rw_leftover_lock(void);
void rw_leftover_unlock(void);
/* The path must exist until it is dropped, and is known by its address. */
void rw_leftover_add_path(rw_leftover_kind kind, const char *path);
void rw_leftover_drop_path(const char *path);
/* A child; group: it leads a process group of its own. Drop it before it is waited for, or under the same lock. */
void rw_leftover_add_process(pid_t pid, bool group);
void rw_leftover_drop_process(pid_t pid);
/* Ends a process and those that it has started; does not wait. */
void rw_leftover_kill(pid_t pid, bool group);
/* Removes the files of the open folder, and closes it. */
void rw_leftover_empty(int fd);

#endif
