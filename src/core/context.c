/* The context: a counted reference, the message of each thread, the log, the settings.
 *
 * A message belongs to the thread, not to the context: rw_fail works before a context exists (NULL), needs no lock and
 * no memory. A message of more than MESSAGE_SIZE - 1 bytes is cut at a character and ends in "...".
 * Failing writes no log line: a failure may be an answer ("not on this device") that the caller handles.
 * Not here: locks. The settings are to be made before threads share the context. */
#include "core/core.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 4096

static _Thread_local char message[MESSAGE_SIZE];
static _Thread_local unsigned failures;  /* messages that this thread has set */
static _Thread_local rw_text *collected; /* where its log lines go; NULL: to the log function */

/* text[0..size) was printed by a call that wanted `wanted` bytes: marks the cut, if there was one. */
static void mark_cut(char *text, size_t size, int wanted)
{
    if (wanted < 0) {
        snprintf(text, size, "(a message that cannot be formatted)");
    } else if ((size_t)wanted >= size) {
        size_t end = size - sizeof("...");
        while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) end--; /* not inside a UTF-8 character */
        memcpy(text + end, "...", sizeof("..."));
    }
}

/* Bytes of the UTF-8 character at s that may be shown as it is; 0 for a control character (of C0 but newline and tab,
 * DEL, of C1) and for what is no UTF-8. */
static int shown(const unsigned char *s)
{
    if (s[0] < 0x80) return (s[0] >= 0x20 && s[0] != 0x7F) || s[0] == '\n' || s[0] == '\t';
    const int n = s[0] >= 0xF0 && s[0] < 0xF5   ? 4
                  : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                  : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                                                : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    return s[0] == 0xC2 && s[1] < 0xA0 ? 0 : n;
}

/* Parts of a message may come from a file or a compiler: what would steer a terminal is shown as \x1b. */
static void escape(char *to, size_t size, const char *from)
{
    const unsigned char *s = (const unsigned char *)from;
    size_t n = 0, cut = 0; /* cut: the last place at which "..." has room */
    while (*s) {
        const int whole = shown(s), room = whole ? whole : 4;
        if (n + sizeof("...") <= size) cut = n;
        if (n + (size_t)room >= size) {
            memcpy(to + cut, "...", sizeof("..."));
            return;
        }
        if (whole) memcpy(to + n, s, (size_t)whole);
        else snprintf(to + n, 5, "\\x%02x", *s);
        n += (size_t)room;
        s += RW_MAX(whole, 1);
    }
    to[n] = '\0';
}

rw_status rw_context_create(rw_context **context)
{
    RW_NEED(context, "context");
    *context = NULL;
    rw_context *ctx = rw_calloc(1, sizeof(*ctx));
    if (!ctx) return rw_fail_memory(NULL, sizeof(*ctx), "a context");
    ctx->references = 1;
    ctx->log_level = RW_LOG_WARNING;
    ctx->cache_enabled = true;
    rw_fork_watch();
    *context = ctx;
    return RW_OK;
}

rw_context *rw_context_retain(rw_context *ctx)
{
    if (ctx) __atomic_fetch_add(&ctx->references, 1, __ATOMIC_RELAXED);
    return ctx;
}

void rw_context_destroy(rw_context **context)
{
    if (!context || !*context) return;
    rw_context *ctx = *context;
    *context = NULL;
    /* release: what this thread did with ctx is done; acquire: the last one sees what all others did */
    if (__atomic_fetch_sub(&ctx->references, 1, __ATOMIC_ACQ_REL) > 1) return;
    rw_free(ctx->cache_folder);
    rw_free(ctx);
}

const char *rw_message(const rw_context *context RW_UNUSED) { return message; }

static void set_message(const char *format, va_list args)
{
    char text[MESSAGE_SIZE]; /* not into `message` itself: an argument may point there */
    failures++;
    mark_cut(text, sizeof(text), rw_vsnprintf(text, sizeof(text), format, args));
    escape(message, sizeof(message), text);
}

rw_status rw_fail(rw_context *ctx RW_UNUSED, rw_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_message(format, args);
    va_end(args);
    return status;
}

rw_status rw_context_fail(rw_context *ctx RW_UNUSED, rw_status status, const char *format, ...)
{
    va_list args;
    if (!format) return rw_fail_null(__func__, "format");
    va_start(args, format);
    set_message(format, args);
    va_end(args);
    return status;
}

rw_status rw_fail_prefix(rw_context *ctx, rw_status status, const char *format, ...)
{
    char prefix[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    mark_cut(prefix, sizeof(prefix), rw_vsnprintf(prefix, sizeof(prefix), format, args));
    va_end(args);
    return rw_fail(ctx, status, "%s: %s", prefix, message);
}

rw_status rw_fail_null(const char *function, const char *argument)
{
    const size_t n = strlen(function) - (rw_ends_in(function, "_sized") ? strlen("_sized") : 0);
    return rw_fail(NULL, RW_ERR_ARGUMENT, "%.*s: %s is NULL: only arguments documented as optional may be NULL", (int)n,
                   function, argument);
}

unsigned rw_failures(void) { return failures; }

rw_status rw_callback_status(rw_context *ctx, rw_status status, unsigned before, const char *name)
{
    if (status == RW_OK || failures != before) return status;
    return rw_fail(ctx, status, "the function %s returned %s (%d): %s", name, rw_status_name(status), (int)status,
                   rw_status_text(status));
}

rw_status rw_fail_memory(rw_context *ctx, size_t bytes, const char *what)
{
    return rw_fail(ctx, RW_ERR_MEMORY,
                   "out of host memory: cannot allocate %zu bytes for %s: choose a smaller size or free memory", bytes,
                   what);
}

void rw_context_set_log(rw_context *context, rw_log_level level, rw_log_function *function, void *user)
{
    if (!context) return;
    context->log_level = level;
    context->log = function;
    context->log_user = user;
}

void rw_log(rw_context *ctx, rw_log_level level, const char *format, ...)
{
    if (!collected && (!ctx || !ctx->log || level > ctx->log_level)) return;
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    mark_cut(text, sizeof(text), rw_vsnprintf(text, sizeof(text), format, args));
    va_end(args);
    for (char *line = text; line && *line;) { /* one call a line; empty lines are left out */
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        char clean[MESSAGE_SIZE];
        escape(clean, sizeof(clean), line);
        if (*line && collected) rw_text_add(collected, "%d%s\n", (int)level, clean);
        else if (*line) ctx->log(ctx->log_user, level, clean);
        line = next;
    }
}

void rw_log_collect(rw_text *lines) { collected = lines; }

void rw_log_lines(rw_context *ctx, rw_text *lines)
{
    for (char *line = lines->data, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        *next++ = '\0';
        rw_log(ctx, (rw_log_level)(line[0] - '0'), "%s", line + 1);
    }
    rw_text_free(lines);
}

void rw_log_once(rw_context *ctx, rw_log_level level, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    uint64_t hash = 0xcbf29ce484222325u;
    va_list args;
    va_start(args, format);
    rw_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (const char *c = text; *c; ++c) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    if (__atomic_exchange_n(&ctx->logged, hash, __ATOMIC_RELAXED) != hash) rw_log(ctx, level, "%s", text);
}

rw_status rw_context_set_cache(rw_context *context, bool enabled, const char *folder, bool trace)
{
    RW_NEED(context, "context");
    if (folder && !*folder)
        return rw_fail(context, RW_ERR_ARGUMENT,
                       "rw_context_set_cache: folder is empty: give a path, or NULL for the default folder");
    char *copy = NULL;
    if (folder) {
        copy = rw_strdup(folder);
        if (!copy) return rw_fail_memory(context, strlen(folder) + 1, "the name of the cache folder");
    }
    rw_free(context->cache_folder);
    context->cache_folder = copy;
    context->cache_enabled = enabled;
    context->cache_trace = trace;
    return RW_OK;
}

void rw_context_set_reproducible(rw_context *context, bool on)
{
    if (context) context->reproducible = on;
}

rw_status rw_context_get_cache(const rw_context *context, bool *enabled, const char **folder, bool *trace)
{
    RW_NEED(context, "context");
    RW_NEED(enabled, "enabled");
    RW_NEED(folder, "folder");
    RW_NEED(trace, "trace");
    *enabled = context->cache_enabled;
    *folder = context->cache_folder;
    *trace = context->cache_trace;
    return RW_OK;
}

rw_status rw_context_get_reproducible(const rw_context *context, bool *on)
{
    RW_NEED(context, "context");
    RW_NEED(on, "on");
    *on = context->reproducible;
    return RW_OK;
}

const char *rw_version(void) { return RW_VERSION; }
