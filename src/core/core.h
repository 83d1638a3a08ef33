/* What every other folder of the library is built on: failing with a message, memory, text buffers, injected faults.
 *
 *   if (n < 0) return rw_fail(ctx, RW_ERR_ARGUMENT, "size = %ld is negative: give the number of cells", n);
 *   RW_TRY(rw_array_create(...));            returns the status of a failed call
 */
#ifndef RW_CORE_H
#define RW_CORE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/members.h"
#include "rechenwerk/core.h"

struct rw_context {
    int references; /* atomic */
    rw_log_level log_level;
    rw_log_function *log;
    void *log_user;
    bool cache_enabled, cache_trace, reproducible;
    bool optimise_first; /* programs are compiled with optimisation before their first launch, as for benchmarks */
    char *cache_folder;  /* NULL: default place */
    uint64_t logged;     /* atomic; hash of the last message of rw_log_once */
};

typedef struct rw_text rw_text;

#define RW_TRY(call)                                                                                                   \
    do {                                                                                                               \
        rw_status rw_try_status = (call);                                                                              \
        if (rw_try_status != RW_OK) return rw_try_status;                                                              \
    } while (0)
/* The same for functions that clean up at the label: sets `status` and jumps. */
#define RW_TRY_GOTO(call, label)                                                                                       \
    do {                                                                                                               \
        if ((status = (call)) != RW_OK) goto label;                                                                    \
    } while (0)

#define RW_COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))
#define RW_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RW_MAX(a, b) ((a) > (b) ? (a) : (b))

rw_context *rw_context_retain(rw_context *ctx);

/* Sets the message of this thread and returns `status`. */
rw_status rw_fail(rw_context *ctx, rw_status status, const char *format, ...) RW_PRINTF(3, 4);
/* Puts "prefix: " before the message of a call that has just failed; returns `status`. */
rw_status rw_fail_prefix(rw_context *ctx, rw_status status, const char *format, ...) RW_PRINTF(3, 4);
/* Host memory gone: RW_ERR_MEMORY with what was wanted. */
rw_status rw_fail_memory(rw_context *ctx, size_t bytes, const char *what);
/* An argument that must not be NULL, under the name that the header gives it; first in a public function. */
rw_status rw_fail_null(const char *function, const char *argument);
#define RW_NEED(argument, name)                                                                                        \
    do {                                                                                                               \
        if (!(argument)) return rw_fail_null(__func__, name);                                                          \
    } while (0)
/* Structures grow from version to version (structs.c): callers pass the sizes that their headers give them. After
 * RW_STRUCT_IN the parameter `spec` points to the caller's values in this version's layout; members that the caller
 * does not know are 0, their default. ERR_ARGUMENT: a member that this version does not know is not 0. */
rw_status rw_struct_in(rw_context *ctx, const char *type, void *to, size_t size, const void *from, size_t from_size);
#define RW_STRUCT_IN(ctx, type, spec, from_size)                                                                       \
    type spec##_room;                                                                                                  \
    if ((spec) && (from_size) != sizeof(type)) {                                                                       \
        RW_TRY(rw_struct_in(ctx, #type, &spec##_room, sizeof(type), spec, from_size));                                 \
        (spec) = &spec##_room;                                                                                         \
    }                                                                                                                  \
    if (spec) RW_CHECK_MEMBERS(ctx, type, spec)
/* Arrays and enumerations of a structure (members.h, made from the headers). ERR_ARGUMENT: a negative number of
 * elements, an array that is NULL and has elements, a number that is no value of its enumeration. */
typedef struct rw_member {
    const char *name, *count; /* the array and the member with its number of elements; an enumeration: count is NULL */
    const char *type;         /* of an enumeration, whose values are least … most */
    int least, most;
    size_t offset, count_offset, count_size;
} rw_member;
#define RW_MEMBER_ARRAY(type, member, number)                                                                          \
    {                                                                                                                  \
        .name = #member, .count = #number, .offset = offsetof(type, member), .count_offset = offsetof(type, number),   \
        .count_size = sizeof((type *)0)->number                                                                        \
    }
#define RW_MEMBER_ENUM(structure, member, enumeration, low, high)                                                      \
    {                                                                                                                  \
        .name = #member, .type = #enumeration, .offset = offsetof(structure, member), .least = low, .most = high       \
    }
#define RW_MEMBERS(type) ((const rw_member[]){RW_MEMBERS_##type})
rw_status rw_check_members(rw_context *ctx, const char *type, const rw_member *members, const void *structure);
#define RW_CHECK_MEMBERS(ctx, type, structure) RW_TRY(rw_check_members(ctx, #type, RW_MEMBERS(type), structure))
/* In a function that returns no status: members that this version does not know are ignored. */
#define RW_STRUCT_IN_QUIET(type, spec, from_size)                                                                      \
    type spec##_room;                                                                                                  \
    if ((spec) && (from_size) < sizeof(type)) {                                                                        \
        rw_struct_in(NULL, #type, &spec##_room, sizeof(type), spec, from_size);                                        \
        (spec) = &spec##_room;                                                                                         \
    }
/* Room for later members, in structures that lie in others: it must be 0. */
rw_status rw_reserved_check(rw_context *ctx, const char *type, const int64_t *reserved, int n);
/* Arrays of a structure, whose elements are structures likewise: an array with elements of another size is replaced by
 * copy[i] (else NULL), which rw_struct_free_arrays frees. On failure nothing is left to free. */
typedef struct rw_struct_array {
    const char *type; /* of an element */
    const rw_member *members;
    size_t size, from_size;
    size_t offset, count_offset, count_size;
} rw_struct_array;
#define RW_STRUCT_ARRAY(structure, member, element, element_size)                                                      \
    {                                                                                                                  \
        .type = #element, .members = RW_MEMBERS(element), .size = sizeof(element), .from_size = element_size,          \
        .offset = offsetof(structure, member), .count_offset = offsetof(structure, n##member),                         \
        .count_size = sizeof((structure *)0)->n##member                                                                \
    }
rw_status rw_struct_in_arrays(rw_context *ctx, void *structure, const rw_struct_array *arrays, int n, void **copy);
void rw_struct_free_arrays(void **copy, int n);
/* The argument `name` of a public function, n elements: ERR_ARGUMENT where n < 0, or it is NULL and n > 0. */
rw_status rw_check_array(rw_context *ctx, const char *function, const char *name, const void *array, int64_t n);
/* A result: `result_whole` is the caller's structure or, if that is smaller, room for the whole one; RW_STRUCT_OUT
 * copies the members that the caller knows and returns `status`. */
rw_status rw_struct_out(rw_status status, void *to, size_t to_size, const void *from, size_t size);
#define RW_STRUCT_ROOM(type, result, to_size)                                                                          \
    type result##_room;                                                                                                \
    type *const result##_whole = (result) && (to_size) < sizeof(type) ? &result##_room : (result)
#define RW_STRUCT_OUT(status, result, to_size)                                                                         \
    rw_struct_out(status, result, to_size, result##_whole, sizeof *result##_whole)
/* A list of the library's, n elements, whose elements become `to_size` bytes apart; on failure it is freed. */
rw_status rw_struct_out_array(rw_context *ctx, void **list, int64_t n, size_t size, size_t to_size);
/* After a user's function: its status, with a message of our own where it has set none, so that none of an earlier
 * failure is shown. `before` is rw_failures() before the call. */
unsigned rw_failures(void);
rw_status rw_callback_status(rw_context *ctx, rw_status status, unsigned before, const char *name);
void rw_log(rw_context *ctx, rw_log_level level, const char *format, ...) RW_PRINTF(3, 4);
/* The log lines of this thread are added to the text (NULL: no more), for another thread to print. */
void rw_log_collect(rw_text *lines);
void rw_log_lines(rw_context *ctx, rw_text *lines); /* prints and frees them */
/* The same, unless it was the last message logged so: a text that is lowered for each stage of a method warns once. */
void rw_log_once(rw_context *ctx, rw_log_level level, const char *format, ...) RW_PRINTF(3, 4);

/* Memory: zeroed (what rw_realloc adds is not); NULL only when exhausted (or injected). rw_free(NULL) is allowed. */
void *rw_calloc(size_t n, size_t size);
void *rw_realloc(void *old, size_t size);
/* For tests of memory forecasts: host memory that the library allocates between the two calls; end returns the largest
 * number of bytes held at once. One at a time. */
void rw_host_count_begin(void);
int64_t rw_host_count_end(void);
/* Asks for pages of 2 MB in memory of 4 MB and more that has not been used yet: fewer faults, and fewer misses when it
 * is read with gaps. Systems that give them unasked or never do not mind. */
void rw_huge_pages(void *p, size_t bytes);
/* Bytes that the kernel calls available (free, or free at once), within the limits of the control groups that a
 * container or a batch system sets; -1: unknown. */
int64_t rw_host_available(void);
/* Cores that this process may use, 1 at least. */
int rw_usable_cores(void);
char *rw_strdup(const char *text);
char *rw_strndup(const char *text, size_t n);
char *rw_format(const char *format, ...) RW_PRINTF(1, 2);
/* Grows *items (elements of `size` bytes) to hold at least `need`; false when memory is exhausted. */
bool rw_grow(void *items, int *capacity, int need, size_t size);

/* A text that grows. After a failed allocation `failed` stays set and appends do nothing, so it is checked once. */
struct rw_text {
    char *data; /* NUL-terminated, or NULL while empty */
    size_t length, capacity;
    bool failed;
};
void rw_text_add(rw_text *text, const char *format, ...) RW_PRINTF(2, 3);
void rw_text_add_bytes(rw_text *text, const char *bytes, size_t n);
void rw_text_free(rw_text *text);

/* Several mistakes of one input in one message (mistakes.c). */
#define RW_MISTAKES 20 /* kept of one input; further ones are counted */
typedef struct rw_mistakes {
    rw_text text;
    int n, met; /* different ones; all, also those that were noted before */
    struct rw_mistakes *outer;
} rw_mistakes;
/* This thread collects the mistakes that RW_NOTE meets, until the end; each begin needs its end. */
void rw_mistakes_begin(rw_mistakes *m);
/* `status`: of the checks, OK or a failure. Returns it, or ERR_INPUT with a line for each mistake. */
rw_status rw_mistakes_end(rw_context *ctx, rw_mistakes *m, rw_status status);
/* Notes the failure that has just happened when it is an ERR_INPUT and this thread collects; else false. */
bool rw_mistake(rw_context *ctx, rw_status status);
int rw_mistakes_met(void); /* so far, by this thread's collector; one that is met again counts again */
/* RW_TRY that goes on after a mistake that was noted. */
#define RW_NOTE(ctx, call)                                                                                             \
    do {                                                                                                               \
        rw_status rw_note_status = (call);                                                                             \
        if (rw_note_status != RW_OK && !rw_mistake(ctx, rw_note_status)) return rw_note_status;                        \
    } while (0)

/* "case.yaml:14:9"; a name that ends in ',' stands for a text without a file: "--set equations, 1:12". */
void rw_place(char *place, size_t size, const char *name, size_t line, size_t column);

/* vsnprintf and strtod in the C locale: a decimal point, whatever locale the program has set. rw_fail, rw_log,
 * rw_format and rw_text_add print through the first. */
int rw_vsnprintf(char *buffer, size_t size, const char *format, va_list args) RW_PRINTF(3, 0);
double rw_strtod(const char *text, char **end);

/* A parameter that a function of a table has and does not use. */
#define RW_UNUSED __attribute__((unused))

/* Whether a member of a specification has a value: any number but the 0 of a zeroed structure (RW_ZERO is a value). */
bool rw_given(double x);
/* RW_ZERO becomes 0; all other numbers are unchanged. */
static inline double rw_plain_zero(double x) { return x == 0 ? 0 : x; }
void rw_snprintf(char *text, size_t size, const char *format, ...) RW_PRINTF(3, 4);
bool rw_ends_in(const char *text, const char *ending);
/* For qsort: ascending. */
int rw_compare_doubles(const void *a, const void *b);
int rw_compare_int64(const void *a, const void *b);
/* Where a text of n bytes begins after a byte order mark of UTF-8; takes it off *n. */
const char *rw_skip_mark(const char *text, size_t *n);
/* "NAME:LINE: …" of a file that is read: ERR_INPUT. */
rw_status rw_fail_line(rw_context *ctx, const char *name, int64_t line, const char *format, ...) RW_PRINTF(4, 5);

/* Faults on purpose, for tests: the n-th event (1, 2, …) of a kind fails; 0 switches off. */
typedef enum rw_fault {
    RW_FAULT_ALLOC,
    RW_FAULT_READ,
    RW_FAULT_WRITE,
    RW_FAULT_DEVICE_ALLOC,
    RW_FAULT_LAUNCH,
    RW_FAULT_COMPILE,
    RW_FAULT_KINDS
} rw_fault;
void rw_fault_set(rw_fault kind, long n);
bool rw_fault_hit(rw_fault kind);    /* true when this event is to fail; cheap when nothing is set */
long rw_fault_events(rw_fault kind); /* events seen since the last rw_fault_set */
bool rw_fault_armed(void);           /* an event of some kind is to fail, or has failed, since its last rw_fault_set */
void rw_fault_exempt(bool on);       /* the events of this thread neither count nor fail */

/* Nearest of `n` names to a mistyped or foreign one, for "nearest is …": by edit distance, as a shortened or lengthened
 * name, or as another word for the same (nearest.c). Never `given` itself; NULL if none is near. */
const char *rw_nearest(const char *given, const char *const *names, int n);
/* For a message: "; nearest is X", else "". The second: else "; known are A, B, C". */
typedef struct rw_hint {
    char text[512];
} rw_hint;
rw_hint rw_hint_nearest(const char *given, const char *const *names, int n);
rw_hint rw_hint_known(const char *given, const char *const *names, int n);
/* Of functions that solve an equation in other languages. */
#define RW_POISSON_ADVICE                                                                                              \
    "write the equation itself, laplace(psi) = -w, for a field psi without dpsi/dt: it is solved next to rates, "      \
    "inside each step, and alone in a case with time: {end: steady}"
/* "%s": the name of a field. */
#define RW_SECOND_RATE_ADVICE                                                                                          \
    "equations have first derivatives in time: write a system of two fields, d%s/dt = v; dv/dt = …"
/* What to write for a word of other languages that expressions do not have ("rand", "if", "nan"); NULL: nothing
 * known. */
const char *rw_foreign_word(const char *given);

/* A number as other languages write it at the beginning of a text: 0x10, 1d3, 1_000, 1.5f. The length of the word, with
 * what to write instead: 16, 1e3, 1000, 1.5; 0: there is none. */
int rw_foreign_number(const char *text, char better[64]);

/* SHA-256 (FIPS 180-4). */
typedef struct rw_sha256 {
    uint32_t h[8];
    uint64_t length;
    uint8_t block[64];
} rw_sha256;
extern bool rw_sha256_plain; /* for tests: without the processor's instructions */
void rw_sha256_begin(rw_sha256 *s);
void rw_sha256_add(rw_sha256 *s, const void *data, size_t n);
void rw_sha256_end(rw_sha256 *s, uint8_t digest[32]);
void rw_sha256_hex(const void *data, size_t n, char hex[65]);

/* Random numbers, the same on every machine: counter-based, x = f(seed, index). */
uint64_t rw_random_u64(uint64_t seed, uint64_t index);
double rw_random_uniform(uint64_t seed, uint64_t index); /* [0,1), 53 bits */

/* Hash of the commit the library was built from, "-dirty" after it when files differed; "unknown" outside a clone. */
const char *rw_build_commit(void);

/* What rw_within returns for this thread; NULL: nothing. Set under a lock of the caller's. */
void rw_within_set(const char *library);

/* Callback of this thread before a program is compiled; NULL: none. */
typedef void rw_compiling_function(void *user, const char *program, int known);
void rw_compiling_set(rw_compiling_function *function, void *user);
/* known: number of programs to be compiled, this one included; 0: unknown. */
void rw_compiling(const char *program, int known);
/* Callback of this thread after a program has been compiled; NULL: none. */
typedef void rw_compiled_function(void *user);
void rw_compiled_set(rw_compiled_function *function, void *user);
void rw_compiled(void);

/* The request to stop that this thread's work heeds (cancel.c): enter returns the one before, for leave; NULL keeps
 * it. */
const rw_cancel *rw_cancel_enter(const rw_cancel *cancel);
void rw_cancel_leave(const rw_cancel *outer);
const rw_cancel *rw_cancel_current(void);
rw_status rw_cancel_check(rw_context *ctx, const char *what); /* ERR_INTERRUPTED if it is requested */

/* Seconds of a clock that only moves forward, and the wait until it shows them. */
double rw_seconds(void);
void rw_wait_until(double seconds);
/* For tests: a clock in place of the system's (NULL: the system's). Other threads call it too. */
typedef struct rw_clock {
    double (*seconds)(void);
    void (*wait_until)(double seconds);
} rw_clock;
void rw_clock_set(const rw_clock *clock);

/* fork.c: called when the first context is made. In a child: how many forks lie between it and that process, and
 * whether this thread has lost its team of OpenMP threads and must work alone. */
void rw_fork_watch(void);
unsigned rw_forks(void);
bool rw_threads_lost(void);

/* Files. Paths are UTF-8; every failure names the path and the reason of the system. */
/* The whole file with a NUL added, to be freed with rw_free; more than `limit` bytes is an error (0: no limit). */
rw_status rw_file_read(rw_context *ctx, const char *path, size_t limit, char **data, size_t *n);
/* The same from the current position of an open file; `name` is used in messages. The file stays open. */
rw_status rw_file_read_open(rw_context *ctx, int fd, const char *name, size_t limit, char **data, size_t *n);
bool rw_write_all(int fd, const char *data, size_t n); /* all bytes, or false with errno */
/* Writes to a temporary file in the same folder, fsync, rename: the old file stays until the new one is whole. */
rw_status rw_file_write(rw_context *ctx, const char *path, const void *data, size_t n);
/* The same with mode 0600 from the first moment; a link at `path` is replaced, not followed. */
rw_status rw_file_write_private(rw_context *ctx, const char *path, const void *data, size_t n);
rw_status rw_folder_create(rw_context *ctx, const char *path);         /* with parents; existing is fine */
rw_status rw_folder_create_private(rw_context *ctx, const char *path); /* the same; what is made has mode 0700 */
/* The two halves of an atomic replace for writers that need a path (HDF5, libpng): temporary name next to `path`
 * (to be freed with rw_free), then commit (fsync + rename) or discard. Both free it and set it to NULL; a commit that
 * fails discards. */
rw_status rw_file_replace_begin(rw_context *ctx, const char *path, char **temporary);
rw_status rw_file_replace_commit(rw_context *ctx, const char *path, char **temporary);
void rw_file_replace_discard(char **temporary);
/* Removes a file of an open folder that rw_file_write_private of a killed process has left: one of this user, without
 * a lock. */
void rw_file_sweep(int folder, const char *name);
/* Temporary names are NAME.PROCESS-COUNT.tmp, with NAME cut to a limit in bytes. Length of NAME and the number of the
 * process (optional) of such a name; 0 for other names. */
enum { RW_TEMPORARY_NAME = 200 };
size_t rw_file_temporary_of(const char *name, long *process);
/* Removes temporary files of `name` in the folder whose process has ended. */
void rw_file_sweep_abandoned(const char *folder, const char *name);
/* "out.partial.wav" of "out.wav", for results that end early (to be freed with rw_free); NULL: no memory. */
char *rw_file_partial_name(const char *path);
/* open, openat and fopen ("rb", "wb", "wx") with O_CLOEXEC, repeated after EINTR, whose descriptor is never 0, 1 or 2;
 * rw_fd_above gives another descriptor of the same file in place of such a one. */
int rw_open(const char *path, int flags, mode_t mode);
int rw_open_at(int folder, const char *path, int flags, mode_t mode);
FILE *rw_fopen(const char *path, const char *mode);
int rw_fd_above(int fd);
/* For other libraries that open files: descriptors 0, 1 and 2 are taken until leave. */
typedef struct rw_fd_guard {
    int n, fd[3];
} rw_fd_guard;
rw_fd_guard rw_fd_guard_enter(void);
void rw_fd_guard_leave(rw_fd_guard guard);
/* What a user can do about a reason of the system (errno): "free some space or choose another folder". */
const char *rw_file_advice(int reason);

#endif
