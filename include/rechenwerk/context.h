/* The context: messages, log, and the settings that every other object inherits.
 *
 * One context may be shared by threads; its last message is the last one of the calling thread. Objects keep a
 * reference to their context, so it may be destroyed first: it goes away with its last object. The rw_context_set_
 * functions are to be called before threads share the context. */
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

/* Called for every log line up to the level set; text has no newline and is valid during the call only. */
typedef void rw_log_function(void *user, rw_log_level level, const char *text);

/* Creates a context. Without a log function nothing is printed anywhere. Returns OK or ERR_MEMORY. */
RW_API rw_status rw_context_create(rw_context **context);
/* Drops the caller's reference and sets *context to NULL; NULL is allowed. */
RW_API void rw_context_destroy(rw_context **context);

/* The message of the last failed call of this thread, "" when there was none. Valid until the next failing call. The
 * context may be NULL (optional). */
RW_API const char *rw_message(const rw_context *context);

RW_API void rw_context_set_log(rw_context *context, rw_log_level level, rw_log_function *function, void *user);

/* The program cache: on by default, in $RECHENWERK_CACHE, else $XDG_CACHE_HOME/rechenwerk, else
 * $HOME/.cache/rechenwerk. Without any of these variables, and in a folder that another user could write to or replace,
 * nothing is stored on disk. folder NULL keeps the default place; trace sends one INFO line for each look-up. */
RW_API rw_status rw_context_set_cache(rw_context *context, bool enabled, const char *folder, bool trace);

/* Reproducible mode: no contraction, no reordering, no approximate functions in kernels compiled after the call, so
 * that devices agree bit for bit wherever IEEE 754 fixes the result (+ - * / sqrt fma). Off by default. */
RW_API void rw_context_set_reproducible(rw_context *context, bool on);

/* Name of the library of others that the calling thread is in ("HDF5"), or NULL. May be called in a signal handler:
 * HDF5 1.10 does not survive every lack of memory, and a program may want to say so. */
RW_API const char *rw_within(void);

/* The nearest of n names to a mistyped one; NULL when none is near. */
RW_API const char *rw_nearest_word(const char *given, const char *const *names, int n);

/* Version of the library that is running, "0.1.0". */
RW_API const char *rw_version(void);

#ifdef __cplusplus
}
#endif
#endif
