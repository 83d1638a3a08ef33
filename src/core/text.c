/* Texts that grow, and printing and reading numbers in the C locale.
 *
 * A program that calls setlocale(LC_ALL, "de_DE") must not turn the 0.5 of a kernel text, a JSON file or a message
 * into 0,5: everything the library prints or reads passes rw_vsnprintf and rw_strtod.
 * Not here: arguments that point into the text that is being appended to. */
#include "core/core.h"

#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C locale, made once and kept; (locale_t)0 where the system refuses: then the caller's locale is used. */
static locale_t c_locale(void)
{
    static _Atomic(locale_t) cached;
    locale_t c = atomic_load(&cached), none = (locale_t)0;
    if (c) return c;
    c = newlocale(LC_ALL_MASK, "C", none);
    if (!c || atomic_compare_exchange_strong(&cached, &none, c)) return c;
    freelocale(c); /* another thread was first */
    return none;
}

int rw_vsnprintf(char *buffer, size_t size, const char *format, va_list args)
{
    locale_t c = c_locale(), before = c ? uselocale(c) : (locale_t)0;
    int wanted = vsnprintf(buffer, size, format, args);
    if (before) uselocale(before);
    return wanted;
}

double rw_strtod(const char *text, char **end)
{
    locale_t c = c_locale(), before = c ? uselocale(c) : (locale_t)0;
    double value = strtod(text, end);
    if (before) uselocale(before);
    return value;
}

/* Makes room for n more bytes and the NUL; false (and failed) when memory is exhausted. */
static bool reserve(rw_text *text, size_t n)
{
    if (text->failed) return false;
    if (n < text->capacity - text->length) return true;
    size_t capacity = RW_MAX(text->capacity, 64);
    while (capacity - text->length <= n && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *data = capacity - text->length > n ? rw_realloc(text->data, capacity) : NULL;
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void rw_text_add_bytes(rw_text *text, const char *bytes, size_t n)
{
    if (n == 0 || !reserve(text, n)) return;
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = '\0';
}

/* Prints into the room there is; if that was too little, makes room and prints again. */
static void add_formatted(rw_text *text, const char *format, va_list args)
{
    if (text->failed) return;
    va_list again;
    va_copy(again, args);
    size_t room = text->capacity - text->length;
    int wanted = rw_vsnprintf(text->data ? text->data + text->length : NULL, room, format, args);
    if (wanted < 0) {
        text->failed = true;
    } else if (wanted > 0 && (size_t)wanted < room) {
        text->length += (size_t)wanted;
    } else if (wanted > 0 && reserve(text, (size_t)wanted)) {
        rw_vsnprintf(text->data + text->length, (size_t)wanted + 1, format, again);
        text->length += (size_t)wanted;
    }
    if (text->data) text->data[text->length] = '\0'; /* also after a failure: no half of a piece stays */
    va_end(again);
}

void rw_text_add(rw_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_formatted(text, format, args);
    va_end(args);
}

void rw_text_free(rw_text *text)
{
    rw_free(text->data);
    *text = (rw_text){0};
}

void rw_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rw_vsnprintf(text, size, format, args);
    va_end(args);
}

bool rw_ends_in(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

bool rw_given(double x) { return x != 0 || signbit(x); }

int rw_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int rw_compare_int64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

const char *rw_skip_mark(const char *text, size_t *n)
{
    if (*n < 3 || memcmp(text, "\xEF\xBB\xBF", 3) != 0) return text;
    *n -= 3;
    return text + 3;
}

rw_status rw_fail_line(rw_context *ctx, const char *name, int64_t line, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    rw_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rw_fail(ctx, RW_ERR_INPUT, "%s:%lld: %s", name, (long long)line, text);
}

char *rw_format(const char *format, ...)
{
    rw_text text = {0};
    va_list args;
    va_start(args, format);
    add_formatted(&text, format, args);
    va_end(args);
    if (text.failed) {
        rw_text_free(&text);
        return NULL;
    }
    return text.data ? text.data : rw_strdup("");
}

void rw_place(char *place, size_t size, const char *name, size_t line, size_t column)
{
    size_t n = strlen(name);
    snprintf(place, size, "%s%s%zu:%zu", name, n && name[n - 1] == ',' ? " " : ":", line, column);
}
