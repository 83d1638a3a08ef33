/* Messages, the log on stderr, contexts and devices as the options ask, bytes in units, JSON. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* The last failure, and whether JSON was printed: for print_failure. */
static char last_message[4096];
static rw_status last_status = RW_OK;
static bool json_printed;

/* Bytes of the UTF-8 character at s that may be printed as it is; 0: none. */
static int printable(const unsigned char *s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7F;
    const int n = s[0] >= 0xF0 && s[0] < 0xF5   ? 4
                  : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                  : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                                                : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    return s[0] == 0xC2 && s[1] < 0xA0 ? 0 : n; /* C1 */
}

const char *shown(const char *text)
{
    enum { SIZE = 4 * 4096 + 1 };
    static char texts[8][SIZE];
    static int turn;
    char *to = texts[turn = (turn + 1) % 8];
    size_t n = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s && n + 5 < SIZE;) {
        const int whole = printable(s);
        if (whole) memcpy(to + n, s, (size_t)whole);
        else snprintf(to + n, 5, "\\x%02x", *s);
        n += whole ? (size_t)whole : 4;
        s += whole ? whole : 1;
    }
    to[n] = '\0';
    return to;
}

static int complain(rw_status status, const char *message)
{
    snprintf(last_message, sizeof(last_message), "%s", message);
    last_status = status;
    fprintf(stderr, "rechenwerk: %s\n", message);
    return rw_status_exit_code(status);
}

static int complain_with(rw_status status, const char *format, va_list args)
{
    char message[sizeof(last_message)];
    vsnprintf(message, sizeof(message), format, args);
    return complain(status, shown(message));
}

int usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int code = complain_with(RW_ERR_ARGUMENT, format, args);
    va_end(args);
    return code;
}

int unusable(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int code = complain_with(RW_ERR_FILE, format, args);
    va_end(args);
    return code;
}

char *with_options(const char *message)
{
    static const struct {
        const char *member, *option;
    } names[] = {{"rw_run_options.restart", "--restart"}, {"rw_run_options.force", "--force"},
                 {"rw_run_options.folder", "-o"},         {"rw_run_options.device", "-d"},
                 {"rw_run_options.set", "--set"},         {"rw_plot_options.output", "-o"},
                 {"rw_plot_options.force", "--force"}};
    char *text = strdup(message);
    for (int i = 0; text && i < COUNT(names); i++) {
        const size_t n = strlen(names[i].member), shorter = strlen(names[i].option);
        for (char *at = text; (at = strstr(at, names[i].member)); at += shorter) {
            /* within a name of a file or another name it stays */
            if (isalnum((unsigned char)at[n]) || (at[n] && strchr("_./", at[n]) && isalnum((unsigned char)at[n + 1])) ||
                (at > text && (at[-1] == '/' || at[-1] == '_'))) {
                at += n - shorter;
                continue;
            }
            memcpy(at, names[i].option, shorter);
            memmove(at + shorter, at + n, strlen(at + n) + 1);
        }
    }
    return text;
}

int failed(rw_context *ctx, rw_status status)
{
    const char *message = rw_message(ctx);
    char *text = with_options(*message ? message : rw_status_text(status));
    const int code = complain(status, text ? text : message);
    free(text);
    return code;
}

const char *suggest(const char *word, const char *const *names)
{
    static char text[512];
    int n = 0, at = 0;
    while (names[n]) n++;
    const char *nearest = rw_nearest_word(word, names, n);
    if (nearest) snprintf(text, sizeof(text), "; nearest is %s", nearest);
    for (int i = 0; !nearest && i < n && at < (int)sizeof(text); i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s", i ? ", " : "; known are ", names[i]);
    return text;
}

void print_written(void *user, const char *path)
{
    if (!given(user, "quiet")) printf("%s\n", shown(path));
}

void print_failure(int code)
{
    if (json_printed) return;
    const bool known = last_status != RW_OK && rw_status_exit_code(last_status) == code;
    rw_json_writer *w = json_begin(0);
    rw_json_add_string(w, "status", known ? rw_status_name(last_status) : "failed");
    rw_json_add_integer(w, "exit_code", code);
    rw_json_add_string(w, "message", last_message);
    json_end();
}

static void log_line(void *user RW_UNUSED, rw_log_level level, const char *text)
{
    static const char *const names[] = {"error: ", "warning: ", "", ""};
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr); /* a progress line may stand there */
    char *own = with_options(text);
    fprintf(stderr, "rechenwerk: %s%s\n", names[level], own ? own : text);
    free(own);
}

rw_context *make_context(const arguments *a)
{
    rw_context *ctx;
    rw_status status = rw_context_create(&ctx);
    rw_log_level level = given(a, "quiet") ? RW_LOG_ERROR : given(a, "verbose") ? RW_LOG_INFO : RW_LOG_WARNING;
    if (status != RW_OK) {
        failed(NULL, status);
        return NULL;
    }
    rw_context_set_log(ctx, level, log_line, NULL);
    rw_context_set_cache(ctx, !given(a, "no-cache"), NULL, given(a, "verbose"));
    return ctx;
}

rw_status open_device(rw_context *ctx, const arguments *a, rw_device **device)
{
    const char *name = value_of(a, "device");
    return rw_device_open(ctx, name ? name : "cpu", device);
}

bytes_text in_units(double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    bytes_text t;
    int i = 0;
    for (; bytes >= 999.95 && i < COUNT(units) - 1; i++) bytes /= 1000;
    snprintf(t.text, sizeof t.text, i ? "%.4g %s" : "%.0f %s", bytes, units[i]);
    return t;
}

time_text in_time(double seconds)
{
    time_text t;
    if (!(seconds < 599.5)) {
        const double minutes = floor(seconds / 60 + 1e-9);
        snprintf(t.text, sizeof t.text, "%.0f min %.0f s", minutes, floor(seconds - 60 * minutes));
    } else if (seconds >= 99.95) snprintf(t.text, sizeof t.text, "%.0f s", seconds);
    else if (seconds >= 0.9995) snprintf(t.text, sizeof t.text, "%.3g s", seconds);
    else if (seconds >= 0.9995e-3) snprintf(t.text, sizeof t.text, "%.3g ms", 1e3 * seconds);
    else snprintf(t.text, sizeof t.text, "%.3g µs", 1e6 * seconds);
    return t;
}

static struct timespec started;

/* Before main: what follows Enter counts, opening libraries too. */
__attribute__((constructor)) static void start_clock(void) { clock_gettime(CLOCK_MONOTONIC, &started); }

double elapsed_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - started.tv_sec) + 1e-9 * (double)(now.tv_nsec - started.tv_nsec);
}

static rw_text json_text;
static rw_json_writer json_writer;

rw_json_writer *json_begin(int indent)
{
    rw_text_free(&json_text); /* of one that was not ended */
    rw_json_begin(&json_writer, &json_text, indent);
    rw_json_object(&json_writer);
    return &json_writer;
}

int json_end(void)
{
    rw_json_close(&json_writer);
    const int code = json_text.failed ? complain(RW_ERR_MEMORY, "no memory for the JSON") : 0;
    if (code == 0) puts(json_text.data);
    json_printed = json_printed || code == 0;
    rw_text_free(&json_text);
    return code;
}
