/* Running a compiler, or another tool, as a process. */
#ifndef RW_PROCESS_H
#define RW_PROCESS_H

#include "core/temporary.h"

enum {
    RW_PROCESS_FAILED = -1,
    RW_PROCESS_LATE = -2,
    RW_PROCESS_INTERRUPTED = -3,
    RW_PROCESS_TALKS = -4,
    RW_PROCESS_UNKNOWN = -5
};

/* Runs argv with its output in the file `log` and its temporary files in the folder; the exit status (128: ended by a
 * signal), or
 *   FAILED       it could not be started: errno
 *   LATE         it was ended when its time was over
 *   INTERRUPTED  it was ended since the thread's run is interrupted (rw_cancel_current)
 *   TALKS        it was ended since its output had reached RW_PROCESS_MOST_OUTPUT bytes
 *   UNKNOWN      it has ended, but the host program ignores SIGCHLD, so that the system forgets exit statuses
 * What is ended is ended with all processes that it has started. */
int rw_process_run(char *const *argv, const rw_temporary *folder, const char *log, double seconds);
#define RW_PROCESS_MOST_OUTPUT ((int64_t)1 << 28)

/* What argv prints within `seconds` (to be freed with rw_free); NULL: it fails, or prints more than 1 MiB. */
char *rw_process_ask(rw_context *ctx, char *const *argv, double seconds);

/* The limit for compilers: $RECHENWERK_CC_SECONDS, 1 … 86400 (default: 120). ERR_ARGUMENT with another value. */
rw_status rw_process_limit(rw_context *ctx, double *seconds);

/* The output, of a long one its head and its tail with the number of bytes that are left out between (to be freed with
 * rw_free). */
rw_status rw_process_output(rw_context *ctx, const char *log, char **text);

#endif
