/* Status codes: what every fallible function of the library returns.
 *
 * The library never prints, exits or aborts. A function that fails returns one of these codes and leaves a message
 * in its context (rw_message): what, where, given, allowed, next step. Below RW_FATAL_* objects stay usable. */
#ifndef RECHENWERK_STATUS_H
#define RECHENWERK_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RW_API __attribute__((visibility("default")))
#define RW_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define RW_API
#define RW_PRINTF(f, a)
#endif

/* name, value, exit code of the command, one line */
/* clang-format off */
#define RW_STATUS_LIST(X)                                                                                              \
    X(OK, 0, 0, "done")                                                                                                \
    X(ERR_ARGUMENT, 1, 2, "an argument is outside what the function allows")                                           \
    X(ERR_INPUT, 2, 2, "an input file, equation or setting is wrong")                                                  \
    X(ERR_FILE, 3, 1, "a file cannot be read or written")                                                              \
    X(ERR_MEMORY, 4, 5, "host or device memory is exhausted")                                                          \
    X(ERR_DEVICE, 5, 4, "the device is unknown, unusable or missing")                                                  \
    X(ERR_COMPILE, 6, 1, "a kernel does not compile")                                                                  \
    X(ERR_LAUNCH, 7, 1, "a kernel failed while it ran")                                                                \
    X(ERR_CHECK, 8, 1, "the check device found a mistake in a kernel")                                                 \
    X(ERR_UNSUPPORTED, 9, 1, "this path does not apply here")                                                          \
    X(ERR_NOT_CONVERGED, 10, 3, "a solver stopped before it reached its tolerance")                                    \
    X(ERR_INTERRUPTED, 11, 130, "interrupted at the user's wish, state saved")                                         \
    X(ERR_INTERNAL, 12, 1, "a mistake in the library itself")                                                          \
    X(FATAL_DEVICE_LOST, 100, 4, "the device is gone; objects on it can only be destroyed")
/* clang-format on */

typedef enum rw_status {
#define RW_X(name, value, exit_code, text) RW_##name = value,
    RW_STATUS_LIST(RW_X)
#undef RW_X
} rw_status;

/* "RW_ERR_MEMORY" and "host or device memory is exhausted"; never NULL. */
RW_API const char *rw_status_name(rw_status status);
RW_API const char *rw_status_text(rw_status status);
/* Exit code that the command `rechenwerk` gives for this status. */
RW_API int rw_status_exit_code(rw_status status);

#ifdef __cplusplus
}
#endif
#endif
