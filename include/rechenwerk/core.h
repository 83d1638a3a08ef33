/* Status codes, the context with its messages and log, types of elements, and parameter tables: the basis of all other
 * headers.
 *
 * Names. Functions are named after their object: rw_fft_create(device, &spec, &fft) creates it; rw_fft_execute(fft, x,
 * y, queue) works with it, object first, then inputs, outputs and the queue; rw_fft_get_info(fft, &info) returns a
 * property; rw_fft_destroy(&fft) drops the caller's reference and sets it to NULL, which is allowed before.
 * Specifications. A zeroed specification has the defaults of all members; members that have none are documented so.
 * Later versions add members at the end; programs that were compiled with older headers continue to run.
 * Enumerations. rw_krylov_method_name(value) is the name of a value in texts and tables,
 * rw_krylov_method_parse(context, name, &value) the value of a name. Errors: ERR_ARGUMENT with the nearest name or all
 * of them.
 * Lifetime. Objects are counted: whatever binds, records or uses an object retains it, so that objects may be destroyed
 * in any order.
 * Callbacks. A callback returns a status; one other than OK ends the work, which returns it. rw_context_fail sets the
 * message. */
#ifndef RECHENWERK_CORE_H
#define RECHENWERK_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status codes ------------------------------------------------------------------------------------------------ */

/* The library never prints, exits or aborts. Every function that can fail returns a status. If it fails, the message of
 * its context (rw_message) states what is wrong, where, what was given, what is allowed and what to do. After a status
 * below RW_FATAL_DEVICE_LOST all objects remain usable. */

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

/* Name of a status, "RW_ERR_MEMORY", and its text, "host or device memory is exhausted". Never NULL. */
RW_API const char *rw_status_name(rw_status status);
RW_API const char *rw_status_text(rw_status status);
/* Exit code of the command `rechenwerk` for this status. */
RW_API int rw_status_exit_code(rw_status status);

/* ---- the context ------------------------------------------------------------------------------------------------- */

/* The context: messages, log, and the settings of all objects that are created in it.
 *
 *   rw_context *ctx;
 *   if (rw_context_create(&ctx) != RW_OK) return 1;
 *   if (rw_device_open(ctx, "auto", &dev) != RW_OK) fprintf(stderr, "%s\n", rw_message(ctx));
 *
 * Threads: one context may be shared; each thread has a message of its own. Call the rw_context_set_ functions before
 * threads share it.
 * Lifetime: objects retain their context, which may therefore be destroyed first. */

#define RW_VERSION_MAJOR 0
#define RW_VERSION_MINOR 1
#define RW_VERSION_PATCH 0
#define RW_VERSION "0.1.0"

typedef struct rw_context rw_context;

typedef enum rw_log_level { RW_LOG_ERROR, RW_LOG_WARNING, RW_LOG_INFO, RW_LOG_DEBUG } rw_log_level;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_log_level_name(rw_log_level value);
RW_API rw_status rw_log_level_parse(rw_context *context, const char *name, rw_log_level *value);

/* Called for every log line, in the thread that writes it. text has no newline and is valid during the call only. */
typedef void rw_log_function(void *user, rw_log_level level, const char *text);

/* Creates a context. Nothing is printed unless a log function is set. Errors: ERR_MEMORY. */
RW_API rw_status rw_context_create(rw_context **context);
/* Drops the caller's reference and sets *context to NULL; NULL is allowed. */
RW_API void rw_context_destroy(rw_context **context);

/* Returns the message of the last failed call of this thread, "" if there was none. context: optional.
 * Lifetime: valid until the next failing call of the thread. */
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
/* The settings. *folder: NULL for the default; it belongs to the context until rw_context_set_cache is called. */
RW_API rw_status rw_context_get_cache(const rw_context *context, bool *enabled, const char **folder, bool *trace);
RW_API rw_status rw_context_get_reproducible(const rw_context *context, bool *on);

/* Sets the message of this thread, as printf does, and returns `status`: for callbacks that fail.
 *     return rw_context_fail(ctx, RW_ERR_INPUT, "sensor %d: no value", i);
 * context: optional. */
RW_API rw_status rw_context_fail(rw_context *context, rw_status status, const char *format, ...) RW_PRINTF(3, 4);

/* A request to stop early, set by a signal handler, another thread or a callback:
 *     static rw_cancel cancel;                            zeroed: not requested
 *     rw_krylov_spec spec = {.cancel = &cancel};
 * Long work ends soon afterwards with ERR_INTERRUPTED: solves, steps of integrators, the setup of preconditioners,
 * waits for compilers, runs of cases. The objects stay usable.
 * Lifetime: it must outlive the objects that refer to it.
 * Threads: the three functions take no lock and may be called by signal handlers. */
typedef struct rw_cancel {
    int requested; /* use the functions */
} rw_cancel;
RW_API void rw_cancel_request(rw_cancel *cancel);
RW_API void rw_cancel_reset(rw_cancel *cancel);
RW_API bool rw_cancel_requested(const rw_cancel *cancel); /* of NULL: false */

/* Removes the temporary files and folders of this process and ends its compilers. For a program that must end at once,
 * such as after a second SIGTERM. Output files that are not complete keep their old content. Not for signal handlers:
 * call it in a thread that waits for them. Afterwards every other thread that needs a temporary file or a compiler
 * waits forever: call _exit() next. */
RW_API void rw_abandon(void);

/* Name of the third-party library that the calling thread is in ("HDF5"), or NULL. Async-signal-safe: HDF5 1.10 may
 * crash when memory is exhausted, and a signal handler may want to report that. */
RW_API const char *rw_within(void);

/* Frees a text or a list that a function of the library has returned; NULL is allowed. */
RW_API void rw_free(void *pointer);

/* Returns the one of n names that is nearest to a mistyped one, or NULL if none is near. */
RW_API const char *rw_nearest_word(const char *given, const char *const *names, int64_t n);

/* Version of the library at run time, "0.1.0". */
RW_API const char *rw_version(void);

/* ---- types of elements ------------------------------------------------------------------------------------------- */

/* name, C name in kernels, bytes. Integers are two's complement; F16 is IEEE binary16, BF16 the upper half of an f32; a
 * BOOL is a byte, 0 or 1. Conversion, rounding and saturation: docs/reference/types.md. */
/* clang-format off */
#define RW_DTYPE_LIST(X)                                                                                               \
    X(F32, "f32", 4) X(F64, "f64", 8) X(C64, "c64", 8) X(C128, "c128", 16)                                             \
    X(I8, "i8", 1) X(I16, "i16", 2) X(I32, "i32", 4) X(I64, "i64", 8)                                                  \
    X(U8, "u8", 1) X(U16, "u16", 2) X(U32, "u32", 4) X(U64, "u64", 8)                                                  \
    X(F16, "f16", 2) X(BF16, "bf16", 2) X(BOOL, "bool", 1)
/* clang-format on */

/* DEFAULT: what the member or argument says, mostly f64; an array has another one. */
typedef enum rw_dtype {
    RW_DTYPE_DEFAULT,
#define RW_X(name, text, bytes) RW_##name,
    RW_DTYPE_LIST(RW_X)
#undef RW_X
} rw_dtype;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_dtype_name(rw_dtype value);
RW_API rw_status rw_dtype_parse(rw_context *context, const char *name, rw_dtype *value);

/* Bytes of an element; whether it is complex. */
RW_API size_t rw_dtype_size(rw_dtype dtype);
RW_API bool rw_dtype_is_complex(rw_dtype dtype);
/* I8 … U64. */
RW_API bool rw_dtype_is_integer(rw_dtype dtype);
/* f32, f64, c64 or c128: what vectors, fields and matrices consist of. */
RW_API bool rw_dtype_is_number(rw_dtype dtype);

/* Most dimensions of an array. */
enum { RW_MAX_NDIM = 8 };

/* ---- parameter tables -------------------------------------------------------------------------------------------- */

/* A parameter table describes the members of a specification (rw_krylov_spec, rw_precond_spec, rw_sparse_layout,
 * rw_ode_spec …): one row per member with name, kind, default, range and unit. Checks, texts such as "ilu0:sweeps=3",
 * settings of cases, options of the command, help, the JSON description and the Fortran constants are derived from it.
 *
 *   rw_krylov_spec spec;
 *   rw_params_parse(ctx, rw_krylov_params(), "gmres:restart=50:rtol=1e-6:precond=ilu0", &spec);
 *   rw_params_set(ctx, rw_krylov_params(), "from my file", "iterations", "500", &spec);
 *
 * In every specification a zeroed member has its default. Texts, cases and options use a 0 as given. In C, RW_ZERO is
 * the value 0 of a member whose default is another number. RW_OFF switches off a limit or tolerance whose default is a
 * value. */

/* Value of a member that is switched off: no limit, a tolerance or interval that is not used. As text: "off". */
enum { RW_OFF = -1 };

/* The value 0 of a floating-point member whose default is another number: {.method = RW_IMAGE_THRESHOLD,
 * .level = RW_ZERO}. It is the negative zero of IEEE 754, which equals 0 in all arithmetic. Other members need no such
 * constant: their default is 0, or 0 is not allowed. */
#define RW_ZERO (-0.0)

/* A boolean whose default may be true. */
typedef enum rw_switch { RW_SWITCH_DEFAULT, RW_SWITCH_ON, RW_SWITCH_OFF } rw_switch;

/* kind, its name in messages */
/* clang-format off */
#define RW_PARAM_KINDS(X)                                                                                              \
    X(INT, "integer") X(REAL, "number") X(BOOL, "true or false") X(SWITCH, "true or false") X(TEXT, "text")            \
    X(PATH, "path") X(CHOICE, "choice") X(ENUM, "choice") X(SIZES, "sizes") X(TABLE, "text with options")              \
    X(INTS, "list of integers") X(REALS, "list of numbers") X(CHOICES, "list of choices") X(TEXTS, "list of texts")    \
    X(NODE, "value")
/* clang-format on */

typedef enum rw_param_kind {
#define RW_X(kind, text) RW_PARAM_##kind,
    RW_PARAM_KINDS(RW_X)
#undef RW_X
} rw_param_kind;

typedef struct rw_params rw_params;

/* A row of a parameter table: one member of a structure. */
typedef struct rw_param {
    const char *name;
    rw_param_kind kind;
    size_t offset, size; /* offset and size in bytes of the member in the structure; size: of one element for SIZES */
    bool required;       /* the member has no default */
    /* default as text; an example if required; "" none. "30; idr: 4": 4 for the method (or dtype) idr, else 30. */
    const char *standard;
    /* Allowed values. INT, REAL: "[1, 1000]"; "off|(0, 1]", where the word before the range stands for RW_OFF,
     * the word steady for infinity; "2|4".
     * INTS, REALS: "1..3 of [1, 9]"; SIZES likewise. Choices: "a|b|c". TEXTS: "0..2". "": all values. Exceptions by
     * method are written as in `standard`. */
    const char *allowed;
    const char *unit, *line; /* unit, and a description in one line */
    const char *condition;   /* "output.every != 0": the member is used only if this holds; NULL: always */
    uint64_t methods;        /* bit m: the member applies to method m of the structure; 0: to all methods */
    /* Short form in texts. "h": h32. "": the value alone, 32, 5x5 or a choice. "@": an integer directly after the
     * method, ilu2. NULL: none, NAME=VALUE only. A BOOL is given by its name alone. */
    const char *brief;
    const rw_params *(*table)(void); /* TABLE: the parameter table of the nested structure */
} rw_param;

/* The parameter table of one structure. If there is a row `method` or `format`, it comes first and is an ENUM; texts
 * begin with its value. */
struct rw_params {
    const char *name; /* "solver" */
    const char *type; /* "rw_krylov_spec" */
    const char *line;
    size_t size;
    const rw_param *row; /* [n] */
    int64_t n;
};

/* Parses "METHOD:NAME=VALUE:…" into *spec. Members that the text does not name become 0, their default.
 * Errors: ERR_ARGUMENT with the nearest name or the allowed values; ERR_MEMORY. *spec is then unchanged.
 * Lifetime: a member of kind TEXT, PATH or TABLE takes the rest of the text. TEXT and PATH members point into it, so it
 *     must outlive *spec. */
RW_API rw_status rw_params_parse_sized(rw_context *context, const rw_params *params, const char *text, void *spec,
                                       size_t spec_size);
#define rw_params_parse(context, params, text, spec) rw_params_parse_sized(context, params, text, spec, sizeof *(spec))
/* Sets one member from text.
 * where: the beginning of the message if it fails.
 * Errors: ERR_ARGUMENT with the nearest name or the allowed values; ERR_MEMORY.
 * Lifetime: a member of kind TEXT or PATH points to `text`. */
RW_API rw_status rw_params_set_sized(rw_context *context, const rw_params *params, const char *where, const char *name,
                                     const char *text, void *spec, size_t spec_size);
#define rw_params_set(context, params, where, name, text, spec)                                                        \
    rw_params_set_sized(context, params, where, name, text, spec, sizeof *(spec))
/* Replaces zeroed members by their defaults and checks the members that the method uses. RW_ZERO remains. A member
 * without a default (`required`) remains as it is. Functions that take a specification do this with their own copy.
 * context: optional.
 * where: the beginning of the message if it fails. Default: the name of the method.
 * Errors: ERR_ARGUMENT with the allowed values; ERR_MEMORY. */
RW_API rw_status rw_params_resolve_sized(rw_context *context, const rw_params *params, const char *where, void *spec,
                                         size_t spec_size);
#define rw_params_resolve(context, params, where, spec)                                                                \
    rw_params_resolve_sized(context, params, where, spec, sizeof *(spec))
/* Writes the text that parses to *spec, at most `size` bytes including the terminating NUL. Real values have six
 * digits. Members of kind TEXT and PATH, and lists, are not written. */
RW_API void rw_params_print_sized(const rw_params *params, const void *spec, char *text, size_t size, size_t spec_size);
#define rw_params_print(params, spec, text, size) rw_params_print_sized(params, spec, text, size, sizeof *(spec))

#ifdef __cplusplus
}
#endif
#endif
