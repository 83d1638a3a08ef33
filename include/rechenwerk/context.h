/* The context: messages, log, and the settings of all objects that are created in it.
 *
 *   rw_context *ctx;
 *   if (rw_context_create(&ctx) != RW_OK) return 1;
 *   if (rw_device_open(ctx, "auto", &dev) != RW_OK) fprintf(stderr, "%s\n", rw_message(ctx));
 *
 * Threads: one context may be shared; each thread has a message of its own. Call the rw_context_set_ functions before
 * threads share it.
 * Lifetime: objects retain their context, which may therefore be destroyed first. */
#ifndef RECHENWERK_CONTEXT_H
#define RECHENWERK_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "rechenwerk/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RW_VERSION_MAJOR 0
#define RW_VERSION_MINOR 1
#define RW_VERSION_PATCH 0
#define RW_VERSION "0.1.0"

typedef struct rw_context rw_context;

typedef enum rw_log_level { RW_LOG_ERROR, RW_LOG_WARNING, RW_LOG_INFO, RW_LOG_DEBUG } rw_log_level;

/* Called for every log line, in the thread that writes it. text has no newline and is valid during the call only. */
typedef void rw_log_function(void *user, rw_log_level level, const char *text);

/* Creates a context. Nothing is printed unless a log function is set. Errors: ERR_MEMORY. */
RW_API rw_status rw_context_create(rw_context **context);
/* Drops the caller's reference and sets *context to NULL; NULL is allowed. */
RW_API void rw_context_destroy(rw_context **context);

/* The message of the last failed call of this thread, "" if there was none. Valid until the next failing call. context:
 * optional. */
RW_API const char *rw_message(const rw_context *context);

/* Sets the log function (default: none). NULL removes it. Lines above `level` are not passed. */
RW_API void rw_context_set_log(rw_context *context, rw_log_level level, rw_log_function *function, void *user);

/* Configures the program cache on disk (default: enabled).
 * folder: NULL for the default: $RECHENWERK_CACHE, else $XDG_CACHE_HOME/rechenwerk, else $HOME/.cache/rechenwerk. If
 *     none of these is set, or another user could write to the folder or replace it, nothing is stored on disk.
 * trace: writes one INFO line per look-up. */
RW_API rw_status rw_context_set_cache(rw_context *context, bool enabled, const char *folder, bool trace);

/* Reproducible mode (default: off): no contraction, no reordering, no approximate functions in kernels that are
 * compiled after the call, so that devices agree bit for bit wherever IEEE 754 defines the result (+ - * / sqrt
 * fma). */
RW_API void rw_context_set_reproducible(rw_context *context, bool on);

/* Name of the third-party library that the calling thread is in ("HDF5"), or NULL. Async-signal-safe: HDF5 1.10 may
 * crash when memory is exhausted, and a signal handler may want to report that. */
RW_API const char *rw_within(void);

/* The nearest of n names to a mistyped one, or NULL if none is near. */
RW_API const char *rw_nearest_word(const char *given, const char *const *names, int n);

/* Version of the library at run time, "0.1.0". */
RW_API const char *rw_version(void);

#ifdef __cplusplus
}
#endif
#endif
