/* From the log of a compiler to a message: first error, line, kernel.
 *
 * These forms of place are known: "NAME:12:5: error: …" (clang and drivers built on it), "error: NAME:12:5: …" (PoCL)
 * and "NAME(12): error: …" (NVRTC). A log of another form gives its first line that speaks of an error, and no kernel.
 */
#include "device/build_log.h"

#include "core/temporary.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void copy_line(const char *s, char *line, size_t size)
{
    while (isspace((unsigned char)*s)) ++s;
    snprintf(line, size, "%.*s", (int)strcspn(s, "\r\n"), s);
}

/* The first line with "error:", else with "error", else the first that is not a warning. */
static void first_error(const char *log, char *line, size_t size)
{
    const char *at = strstr(log, "error:"), *warning;
    if (!at) at = strcasestr(log, "error");
    while (at && at > log && at[-1] != '\n') --at;
    for (size_t n; !at; log += n + (log[n] != 0)) {
        n = strcspn(log, "\n");
        if (*log == 0 || !(warning = strcasestr(log, "warning")) || warning > log + n) at = log;
    }
    copy_line(at, line, size);
    if (!line[0]) snprintf(line, size, "the compiler gave no reason");
}

/* The number in the first ":12:" or "(12)"; 0 when there is none. */
static int line_of(const char *error)
{
    for (const char *s = error; *s; ++s) {
        char *end;
        if ((*s != ':' && *s != '(') || !isdigit((unsigned char)s[1])) continue;
        long n = strtol(s + 1, &end, 10);
        if (*end == (*s == ':' ? ':' : ')') && n > 0 && n < 1000000) return (int)n;
    }
    return 0;
}

/* The kernel around a line: the last KERNEL(name before line *wanted of the part of the text that `#line N "file"`
 * gives a name which the error mentions. An error that mentions none counts the lines of the whole text, as with
 * NVIDIA's OpenCL; *wanted becomes that of the part. */
static bool kernel_of(const char *text, const char *error, int *wanted, char *kernel, size_t size)
{
    char file[128] = "", last[64] = "";
    bool named = false;
    for (const char *s = text; (s = strstr(s, "#line ")) && !named; ++s)
        named = sscanf(s, "#line %*d \"%127[^\"\n]\"", file) == 1 && strstr(error, file);
    file[0] = 0;
    int line = 1, of_text = 1;
    for (const char *s = text; *s; ++of_text) {
        char name[128];
        int n;
        if (sscanf(s, "#line %d \"%127[^\"\n]\"", &n, name) == 2) {
            memcpy(file, name, sizeof file);
            last[0] = 0;
            line = n - 1; /* of this directive's line, so that the next has n */
        } else if (*s != '#') {
            size_t length = strcspn(s, "\n");
            const char *word = memmem(s, length, "KERNEL(", 7);
            if (word)
                snprintf(last, sizeof last, "%.*s",
                         (int)strspn(word + 7, "abcdefghijklmnopqrstuvwxyz_0123456789"
                                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                         word + 7);
        }
        if (file[0] && (named ? line == *wanted && strstr(error, file) : of_text == *wanted)) break;
        s += strcspn(s, "\n");
        if (*s) {
            ++s;
            ++line;
        }
        if (!*s) last[0] = 0;
    }
    if (last[0]) *wanted = line;
    snprintf(kernel, size, "%s", last);
    return last[0] != 0;
}

/* Of a text that is longer, the head and the tail, with the bytes that are left out between. */
static bool write_file(const char *path, const char *text)
{
    enum { PART = (1 << 16) + 128 }; /* output that rw_process_output has cut already fits */
    const size_t n = strlen(text), head = n > 2 * PART ? PART : n;
    FILE *f = rw_fopen(path, "w");
    bool ok = f && fwrite(text, 1, head, f) == head;
    if (ok && head < n)
        ok = fprintf(f, "\n… %zu bytes left out …\n", n - 2 * PART) > 0 && fwrite(text + n - PART, 1, PART, f) == PART;
    if (f && fclose(f) != 0) ok = false;
    return ok;
}

/* "FOLDER/NAME.SUFFIX" with the text; NULL when it cannot be written. */
static char *keep(const char *folder, const char *program, const char *suffix, const char *text)
{
    char *path = rw_format("%s/%s%s", folder, *program ? program : "program", suffix);
    for (char *c = path ? path + strlen(folder) + 1 : NULL; c && *c; ++c)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '_';
    if (path && write_file(path, text)) return path;
    rw_free(path);
    return NULL;
}

/* Messages of compilers, the loader and the system when memory is exhausted. "killed signal" is gcc's. */
static bool is_memory(const char *log)
{
    static const char *const words[] =
        {"out of memory", "failed to map segment",        "cannot allocate memory", "memory exhausted",
         "bad_alloc",     "cannot create memory mapping", "killed signal"};
    for (int i = 0; i < RW_COUNT(words); ++i)
        if (strcasestr(log, words[i])) return true;
    return false;
}

rw_status rw_build_failed(rw_context *ctx, const char *program, const char *suffix, const char *text, const char *log)
{
    char error[512], kernel[64], place[128] = "";
    first_error(log, error, sizeof error);
    if (is_memory(log))
        return rw_fail(ctx, RW_ERR_MEMORY,
                       "program %s: there is no memory left for the compiler: %s: free memory, or raise the limit of "
                       "this process (ulimit -v)",
                       program, error);
    int line = line_of(error);
    if (line && kernel_of(text, error, &line, kernel, sizeof kernel))
        snprintf(place, sizeof place, "kernel %s, line %d: ", kernel, line);
    else if (line) snprintf(place, sizeof place, "line %d: ", line);
    char *folder = NULL, *log_path = NULL, *source = NULL;
    if (rw_temporary_keep(ctx, &folder) == RW_OK) {
        log_path = keep(folder, program, ".log", log);
        source = keep(folder, program, suffix, text);
    }
    if (log_path && source)
        rw_fail(ctx, RW_ERR_COMPILE, "program %s: %s%s (whole log: %s, source: %s)", program, place, error, log_path,
                source);
    else
        rw_fail(ctx, RW_ERR_COMPILE, "program %s: %s%s (the log could not be kept in %s: %s: set TMPDIR)", program,
                place, error, folder ? folder : "a temporary folder", strerror(errno));
    rw_free(folder);
    rw_free(log_path);
    rw_free(source);
    return RW_ERR_COMPILE;
}
