/* JSON (RFC 8259): a writer and a reader for our own small files (run.json, tuning, descriptions).
 *
 * Writer: appends to a rw_text; what would not be JSON (a value without its key, a second root, a close too many, more
 * than 31 levels) sets text->failed, as exhausted memory does. Bytes that are not UTF-8 become U+FFFD.
 * Reader: the grammar of the RFC and nothing more: no comments, no trailing commas or text, no second member of a name,
 * no NaN, no number beyond the range of double, no U+0000 (texts are C strings), depth at most 64. A mistake is
 * RW_ERR_INPUT with "line:column: …", columns counted in characters. Cost O(n log n); the stack stays below 64 frames.
 * Not here: streams, integers above 2^53, comments. */
#include "core/json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

/* Length of the UTF-8 character at s[0..n), 0 if there is none (RFC 3629: no surrogates, nothing above U+10FFFF, no
 * longer forms than needed). */
static int utf8_length(const unsigned char *s, size_t n)
{
    if (n == 0) return 0;
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    int length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (n < (size_t)length) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return length;
}

/* Writer. Level d is inside stack[d] ('\0' for the root, d = 0); first[d]: nothing has been written there yet. */

void rw_json_begin(rw_json_writer *w, rw_text *text, int indent)
{
    *w = (rw_json_writer){.text = text, .indent = indent};
    w->first[0] = true;
}

static void new_line(rw_json_writer *w)
{
    if (w->indent > 0) rw_text_add(w->text, "\n%*s", w->depth * w->indent, "");
}

static void separate(rw_json_writer *w)
{
    if (w->depth > 0) {
        if (!w->first[w->depth]) rw_text_add_bytes(w->text, ", ", w->indent > 0 ? 1 : 2);
        new_line(w);
    }
    w->first[w->depth] = false;
}

/* What stands before a value; false when no value may stand here. */
static bool before_value(rw_json_writer *w)
{
    char inside = w->stack[w->depth];
    if ((inside == '{') != w->after_key || (inside == '\0' && !w->first[0])) w->text->failed = true;
    if (w->text->failed) return false;
    if (inside == '{') w->after_key = false;
    else separate(w);
    return true;
}

static void open_level(rw_json_writer *w, char bracket)
{
    if (!before_value(w)) return;
    if (w->depth + 1 >= RW_COUNT(w->stack)) {
        w->text->failed = true;
        return;
    }
    rw_text_add_bytes(w->text, &bracket, 1);
    w->stack[++w->depth] = bracket;
    w->first[w->depth] = true;
}

void rw_json_object(rw_json_writer *w) { open_level(w, '{'); }

void rw_json_array(rw_json_writer *w) { open_level(w, '['); }

void rw_json_close(rw_json_writer *w)
{
    if (w->depth == 0 || w->after_key) w->text->failed = true;
    if (w->text->failed) return;
    char bracket = w->stack[w->depth];
    bool empty = w->first[w->depth];
    w->stack[w->depth--] = '\0';
    if (!empty) new_line(w);
    rw_text_add_bytes(w->text, bracket == '{' ? "}" : "]", 1);
}

static void add_text(rw_text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    size_t n = strlen(string);
    rw_text_add_bytes(text, "\"", 1);
    while (n > 0) {
        static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
        int length = utf8_length(s, n);
        const char *found = strchr(escaped, *s);
        if (length == 0) rw_text_add(text, "\xEF\xBF\xBD"); /* U+FFFD */
        else if (found) rw_text_add(text, "\\%c", letters[found - escaped]);
        else if (*s < 0x20) rw_text_add(text, "\\u%04x", *s);
        else rw_text_add_bytes(text, (const char *)s, (size_t)length);
        s += RW_MAX(length, 1);
        n -= (size_t)RW_MAX(length, 1);
    }
    rw_text_add_bytes(text, "\"", 1);
}

void rw_json_key(rw_json_writer *w, const char *key)
{
    if (w->stack[w->depth] != '{' || w->after_key || !key) w->text->failed = true;
    if (w->text->failed) return;
    separate(w);
    add_text(w->text, key);
    rw_text_add_bytes(w->text, ": ", 2);
    w->after_key = true;
}

void rw_json_string(rw_json_writer *w, const char *value)
{
    if (!before_value(w)) return;
    if (value) add_text(w->text, value);
    else rw_text_add_bytes(w->text, "null", 4);
}

void rw_json_number(rw_json_writer *w, double value)
{
    if (!before_value(w)) return;
    if (isfinite(value)) rw_text_add(w->text, "%.17g", value);
    else rw_text_add_bytes(w->text, "null", 4);
}

void rw_json_integer(rw_json_writer *w, long long value)
{
    if (before_value(w)) rw_text_add(w->text, "%lld", value);
}

void rw_json_bool(rw_json_writer *w, bool value)
{
    if (before_value(w)) rw_text_add(w->text, "%s", value ? "true" : "false");
}

void rw_json_add_object(rw_json_writer *w, const char *key)
{
    rw_json_key(w, key);
    rw_json_object(w);
}

void rw_json_add_array(rw_json_writer *w, const char *key)
{
    rw_json_key(w, key);
    rw_json_array(w);
}

void rw_json_add_string(rw_json_writer *w, const char *key, const char *value)
{
    rw_json_key(w, key);
    rw_json_string(w, value);
}

void rw_json_add_number(rw_json_writer *w, const char *key, double value)
{
    rw_json_key(w, key);
    rw_json_number(w, value);
}

void rw_json_add_integer(rw_json_writer *w, const char *key, long long value)
{
    rw_json_key(w, key);
    rw_json_integer(w, value);
}

void rw_json_add_bool(rw_json_writer *w, const char *key, bool value)
{
    rw_json_key(w, key);
    rw_json_bool(w, value);
}

/* Reader: one function for each line of the grammar; `at` is the next byte. */

typedef struct reader {
    rw_context *ctx;
    const char *text;
    size_t n, at;
    int depth;
} reader;

static rw_status parse_value(reader *r, rw_json **value);

/* Fails at byte `at`: line and column are counted only now. */
static rw_status fail_at(reader *r, size_t at, const char *format, ...) RW_PRINTF(3, 4);
static rw_status fail_at(reader *r, size_t at, const char *format, ...)
{
    long line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        if (r->text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)r->text[i] & 0xC0) != 0x80) column++;
    }
    char reason[300];
    va_list args;
    va_start(args, format);
    rw_vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    return rw_fail(r->ctx, RW_ERR_INPUT, "%ld:%ld: %s", line, column, reason);
}

static rw_status expected(reader *r, const char *what)
{
    if (r->at >= r->n) return fail_at(r, r->at, "expected %s, found the end of the text", what);
    const unsigned char *s = (const unsigned char *)r->text + r->at;
    int length = utf8_length(s, r->n - r->at);
    if (length == 0 || *s < 0x20 || *s == 0x7F) return fail_at(r, r->at, "expected %s, found byte 0x%02X", what, *s);
    return fail_at(r, r->at, "expected %s, found '%.*s'", what, length, (const char *)s);
}

static rw_status no_memory(reader *r, size_t bytes) { return rw_fail_memory(r->ctx, bytes, "a JSON text"); }

static int peek(const reader *r) { return r->at < r->n ? (unsigned char)r->text[r->at] : -1; }

static bool take(reader *r, char c)
{
    if (peek(r) != (unsigned char)c) return false;
    r->at++;
    return true;
}

static void skip_space(reader *r)
{
    while (take(r, ' ') || take(r, '\n') || take(r, '\r') || take(r, '\t')) continue;
}

static bool take_digits(reader *r)
{
    size_t begin = r->at;
    while (peek(r) >= '0' && peek(r) <= '9') r->at++;
    return r->at > begin;
}

/* number = [-] (0 | 1-9 digits) [. digits] [e [+-] digits] */
static rw_status parse_number(reader *r, double *number)
{
    size_t begin = r->at;
    take(r, '-');
    bool zero = peek(r) == '0';
    if (!take_digits(r)) return expected(r, "a digit");
    size_t first = begin + (r->text[begin] == '-');
    if (zero && r->at > first + 1) return fail_at(r, first, "a number begins with 0: remove the leading zero");
    if (take(r, '.') && !take_digits(r)) return expected(r, "a digit after the decimal point");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        if (!take_digits(r)) return expected(r, "a digit of the exponent");
    }
    size_t length = r->at - begin;
    char local[64], *copy = length < sizeof(local) ? local : rw_calloc(length + 1, 1); /* strtod wants a NUL */
    if (!copy) return no_memory(r, length + 1);
    memcpy(copy, r->text + begin, length);
    copy[length] = '\0';
    *number = rw_strtod(copy, NULL);
    if (copy != local) rw_free(copy);
    if (!isfinite(*number)) return fail_at(r, begin, "the number exceeds 1.8e308: give a smaller one");
    return RW_OK;
}

/* The four digits after \u */
static rw_status parse_hex4(reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(r);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return expected(r, "a hexadecimal digit (four of them after \\u)");
        *code = 16 * *code + (unsigned)digit;
        r->at++;
    }
    return RW_OK;
}

/* What follows a backslash, as UTF-8; two \u of a surrogate pair make one character. */
static rw_status parse_escape(reader *r, char out[4], int *length)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    size_t begin = r->at - 1;
    int c = peek(r);
    const char *found = c > 0 ? strchr(letters, c) : NULL;
    if (found) {
        r->at++;
        out[0] = meant[found - letters];
        *length = 1;
        return RW_OK;
    }
    if (!take(r, 'u')) return expected(r, "one of \" \\ / b f n r t u after a backslash");
    unsigned code, low = 0;
    RW_TRY(parse_hex4(r, &code));
    if (code == 0) return fail_at(r, begin, "\\u0000 is not supported: remove it");
    bool high = code >= 0xD800 && code <= 0xDBFF;
    if (high && take(r, '\\') && take(r, 'u')) RW_TRY(parse_hex4(r, &low));
    if (code >= 0xD800 && code <= 0xDFFF && !(high && low >= 0xDC00 && low <= 0xDFFF))
        return fail_at(r, begin, "\\u%04X is half of a surrogate pair: give both halves", code);
    if (high) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    *length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = *length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[*length] | code);
    return RW_OK;
}

/* A string, its quote not yet taken. */
static rw_status parse_string(reader *r, char **string)
{
    size_t begin = r->at++;
    rw_text out = {0};
    rw_status status = RW_OK;
    while (!take(r, '"')) {
        const unsigned char *s = (const unsigned char *)r->text + r->at;
        size_t left = r->n - r->at, plain = 0;
        if (left == 0) {
            status = fail_at(r, begin, "the string is not closed: expected \"");
            goto done;
        }
        while (plain < left && s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\') {
            int length = utf8_length(s + plain, left - plain);
            if (length == 0) {
                status = fail_at(r, r->at + plain, "byte 0x%02X is not UTF-8: save the file as UTF-8", s[plain]);
                goto done;
            }
            plain += (size_t)length;
        }
        rw_text_add_bytes(&out, (const char *)s, plain);
        r->at += plain;
        if (take(r, '\\')) {
            char bytes[4];
            int length = 0;
            RW_TRY_GOTO(parse_escape(r, bytes, &length), done);
            rw_text_add_bytes(&out, bytes, (size_t)length);
        } else if (peek(r) >= 0 && peek(r) < 0x20) {
            status = fail_at(r, r->at, "control character 0x%02X in a string: write it as \\u%04X", (unsigned)peek(r),
                             (unsigned)peek(r));
            goto done;
        }
    }
    *string = out.failed ? NULL : rw_strndup(out.data ? out.data : "", out.length);
    if (!*string) status = no_memory(r, out.length + 1);
done:
    rw_text_free(&out);
    return status;
}

/* Members of an object in the order of their names, equal names in the order of the text. */
typedef struct member {
    const char *key;
    size_t at;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static rw_status check_duplicates(reader *r, member *members, int n)
{
    const member *second = NULL;
    if (n > 1) qsort(members, (size_t)n, sizeof(*members), compare_members);
    for (int i = 1; i < n; i++)
        if (strcmp(members[i].key, members[i - 1].key) == 0 && (!second || members[i].at < second->at))
            second = members + i;
    if (!second) return RW_OK;
    int shown = (int)strnlen(second->key, 200);
    while (shown > 0 && ((unsigned char)second->key[shown] & 0xC0) == 0x80) shown--; /* not inside a character */
    return fail_at(r, second->at, "member \"%.*s\" occurs twice in this object: remove one", shown, second->key);
}

/* array = [ value , … ], object = { string : value , … }; the bracket not yet taken. */
static rw_status parse_members(reader *r, rw_json *tree)
{
    bool object = tree->kind == RW_JSON_OBJECT;
    char end = object ? '}' : ']';
    int items = 0, keys = 0, places = 0;
    member *members = NULL;
    rw_status status = RW_OK;

    if (r->depth == MAX_DEPTH) return fail_at(r, r->at, "more than %d levels of [ and {: nest less deeply", MAX_DEPTH);
    r->depth++;
    r->at++;
    skip_space(r);
    while (tree->n > 0 || !take(r, end)) {
        int i = tree->n;
        if (!rw_grow(&tree->items, &items, i + 1, sizeof(*tree->items)) ||
            (object && (!rw_grow(&tree->keys, &keys, i + 1, sizeof(*tree->keys)) ||
                        !rw_grow(&members, &places, i + 1, sizeof(*members))))) {
            status = no_memory(r, ((size_t)i + 1) * sizeof(*tree->items));
            goto done;
        }
        tree->n++; /* from here on the member is freed with the tree, as far as it has come */
        if (object) {
            size_t at = r->at;
            if (peek(r) != '"') {
                status = expected(r, i > 0 ? "a member in quotes after the comma" : "a member in quotes or }");
                goto done;
            }
            RW_TRY_GOTO(parse_string(r, &tree->keys[i]), done);
            members[i] = (member){tree->keys[i], at};
            skip_space(r);
            if (!take(r, ':')) {
                status = expected(r, "a colon after the name of the member");
                goto done;
            }
        }
        RW_TRY_GOTO(parse_value(r, &tree->items[i]), done);
        if (take(r, end)) break;
        if (!take(r, ',')) {
            status = expected(r, object ? "a comma or }" : "a comma or ]");
            goto done;
        }
        skip_space(r);
    }
    r->depth--;
    if (object) status = check_duplicates(r, members, tree->n);
done:
    rw_free(members);
    return status;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if (r->n - r->at < length || memcmp(r->text + r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* value, with the space on both sides */
static rw_status parse_value(reader *r, rw_json **value)
{
    skip_space(r);
    rw_json *tree = rw_calloc(1, sizeof(*tree));
    if (!tree) return no_memory(r, sizeof(*tree));
    *value = tree;
    int c = peek(r);
    if (c == '{' || c == '[') {
        tree->kind = c == '{' ? RW_JSON_OBJECT : RW_JSON_ARRAY;
        RW_TRY(parse_members(r, tree));
    } else if (c == '"') {
        tree->kind = RW_JSON_STRING;
        RW_TRY(parse_string(r, &tree->string));
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        tree->kind = RW_JSON_NUMBER;
        RW_TRY(parse_number(r, &tree->number));
    } else if (take_word(r, "true") || take_word(r, "false")) {
        tree->kind = RW_JSON_BOOL;
        tree->boolean = c == 't';
    } else if (!take_word(r, "null")) {
        return expected(r, "a value");
    }
    skip_space(r);
    return RW_OK;
}

rw_status rw_json_parse(rw_context *ctx, const char *text, size_t n, rw_json **tree)
{
    if (!tree) return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_json_parse: tree is NULL: pass a pointer for it");
    *tree = NULL;
    if (!text && n > 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_json_parse: text is NULL but n = %zu: pass the text", n);
    if (n > INT_MAX) /* so that members fit in an int */
        return rw_fail(ctx, RW_ERR_INPUT,
                       "the JSON text has %zu bytes, more than the limit of %d: is it the right file?", n, INT_MAX);
    reader r = {.ctx = ctx, .text = text, .n = n};
    rw_status status = parse_value(&r, tree);
    if (status == RW_OK && r.at < n) status = expected(&r, "the end of the text after the value");
    if (status != RW_OK) rw_json_free(tree);
    return status;
}

void rw_json_free(rw_json **tree)
{
    if (!tree || !*tree) return;
    rw_json *t = *tree;
    for (int i = 0; i < t->n; i++) {
        if (t->keys) rw_free(t->keys[i]);
        rw_json_free(&t->items[i]);
    }
    rw_free(t->string);
    rw_free(t->keys);
    rw_free(t->items);
    rw_free(t);
    *tree = NULL;
}

const rw_json *rw_json_get(const rw_json *object, const char *key)
{
    if (!object || object->kind != RW_JSON_OBJECT) return NULL;
    for (int i = 0; i < object->n; i++)
        if (strcmp(object->keys[i], key) == 0) return object->items[i];
    return NULL;
}
