/* The rows of one structure together: texts "METHOD:NAME=VALUE:…" read and written, defaults put in, members
 * checked. */
#include "param/param.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const rw_param *rw_params_find(const rw_params *p, const char *name)
{
    for (int i = 0; i < p->n; ++i)
        if (!strcmp(p->row[i].name, name)) return p->row + i;
    return NULL;
}

/* ---- numbers in structures --------------------------------------------------------------------------------------- */

static double number_at(const rw_param *row, const void *structure, int element)
{
    const char *at = (const char *)structure + row->offset + (size_t)element * row->size;
    if (row->kind == RW_PARAM_REAL) return *(const double *)at;
    if (row->kind == RW_PARAM_BOOL) return *(const bool *)at;
    return row->size == sizeof(int) ? *(const int *)at : (double)*(const int64_t *)at;
}

static void put(const rw_param *row, void *structure, double value)
{
    void *at = (char *)structure + row->offset;
    if (row->kind == RW_PARAM_REAL) *(double *)at = value;
    else if (row->size == sizeof(int)) *(int *)at = (int)value;
    else *(int64_t *)at = (int64_t)value;
}

/* Whether the default of the member is not 0: another number in the table, or one that depends on the structure. */
static bool has_other_default(const rw_param *row, const char *method)
{
    char standard[128], *end;
    rw_param_for(row->standard, method, standard, sizeof standard);
    const double value = rw_strtod(standard, &end);
    return !row->required && (!*standard || *end || value != 0);
}

static bool has_number(const rw_param *row)
{
    return row->kind == RW_PARAM_INT || row->kind == RW_PARAM_REAL || row->kind == RW_PARAM_ENUM ||
           row->kind == RW_PARAM_CHOICE || row->kind == RW_PARAM_SWITCH || row->kind == RW_PARAM_BOOL;
}

/* The first row, where it is an ENUM of that name. */
static const rw_param *method_row(const rw_params *p)
{
    return p->n && p->row->kind == RW_PARAM_ENUM && (!strcmp(p->row->name, "method") || !strcmp(p->row->name, "format"))
               ? p->row
               : NULL;
}

static int method_of(const rw_params *p, const void *structure)
{
    const rw_param *row = method_row(p);
    if (!row) return 0;
    const int value = (int)number_at(row, structure, 0);
    return value ? value : rw_param_enum(row, row->standard);
}

const char *rw_params_method(const rw_params *p, const void *structure, char *buffer, size_t size)
{
    const rw_param *row = method_row(p);
    return row && rw_param_enum_text(row, method_of(p, structure), buffer, size) ? buffer : NULL;
}

static bool has(const rw_param *row, int method) { return !row->methods || row->methods >> method & 1; }

/* ---- one member -------------------------------------------------------------------------------------------------- */

rw_status rw_param_read_text(rw_context *ctx, const rw_param *row, const char *where, const char *name,
                             const char *method, const char *text, void *structure)
{
    const rw_tree node = {.kind = RW_TREE_SCALAR, .source = where, .text = (char *)(uintptr_t)text};
    rw_status status = rw_param_read(ctx, row, name, method, &node, structure);
    if (status == RW_OK && row->kind == RW_PARAM_REAL && number_at(row, structure, 0) == 0)
        put(row, structure, has_other_default(row, method) ? RW_ZERO : 0);
    if (status != RW_ERR_INPUT) return status;
    char *message = rw_strdup(rw_message(ctx));
    status = message ? rw_fail(ctx, RW_ERR_ARGUMENT, "%s", message) : rw_fail_memory(ctx, 256, "a message");
    rw_free(message);
    return status;
}

static rw_status fail_name(rw_context *ctx, const rw_params *p, const char *where, const char *method, int number,
                           const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST] = {NULL};
    rw_text all = {0};
    int n = 0;
    for (int i = 0; i < p->n && n < MOST; ++i) {
        const rw_param *row = p->row + i;
        if (row == method_row(p) || !has(row, number)) continue;
        rw_text what = {0};
        rw_param_describe(row, &what);
        rw_text_add(&all, "%s%s", n ? ", " : "", row->name);
        if (row->brief && isalpha((unsigned char)*row->brief)) rw_text_add(&all, "=… or %s…", row->brief);
        else if (row->kind != RW_PARAM_BOOL) rw_text_add(&all, "=…");
        if (row->kind != RW_PARAM_BOOL) rw_text_add(&all, " (%s)", what.data ? what.data : "");
        names[n++] = row->name;
        rw_text_free(&what);
    }
    rw_status status =
        rw_fail(ctx, RW_ERR_ARGUMENT, "%s: \"%s\" is not an option of %s%s; options are %s", where, name,
                method ? method : p->name, rw_hint_nearest(name, names, n).text, all.failed || !n ? "none" : all.data);
    rw_text_free(&all);
    return status;
}

enum { MOST_BYTES = 512 }; /* of a structure */
struct room {
    _Alignas(max_align_t) char bytes[MOST_BYTES];
};

/* *whole: the structure of `size` bytes in this version's layout: itself, or in the room. */
static rw_status take(rw_context *ctx, const rw_params *p, const void *structure, size_t size, char *to, void **whole)
{
    *whole = size == p->size ? (void *)(uintptr_t)structure : to;
    if (*whole == structure) return RW_OK;
    if (p->size > MOST_BYTES) return rw_fail(ctx, RW_ERR_INTERNAL, "%s is too large", p->type);
    return rw_struct_in(ctx, p->type, to, p->size, structure, size);
}

static rw_status set(rw_context *ctx, const rw_params *p, const char *where, const char *name, const char *text,
                     void *structure)
{
    char buffer[64];
    const char *method = rw_params_method(p, structure, buffer, sizeof buffer);
    const rw_param *row = rw_params_find(p, name);
    if (!row || !has(row, method_of(p, structure)))
        return fail_name(ctx, p, where, method, method_of(p, structure), name);
    return rw_param_read_text(ctx, row, where, name, method, text, structure);
}

rw_status rw_params_set_sized(rw_context *ctx, const rw_params *p, const char *where, const char *name,
                              const char *text, void *structure, size_t size)
{
    RW_NEED(ctx, "context");
    RW_NEED(p, "params");
    RW_NEED(where, "where");
    RW_NEED(name, "name");
    RW_NEED(text, "text");
    RW_NEED(structure, "spec");
    struct room room;
    void *whole;
    RW_TRY(take(ctx, p, structure, size, room.bytes, &whole));
    RW_TRY(set(ctx, p, where, name, text, whole));
    return rw_struct_out(RW_OK, structure, size, whole, p->size);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Whether the word is the brief form of a row; *value: what follows its letters. */
static bool is_brief(const rw_param *row, const char *word, const char **value)
{
    if (row->kind == RW_PARAM_BOOL) {
        *value = "true";
        return !strcmp(word, row->name);
    }
    if (!row->brief || *row->brief == '@') return false;
    const size_t n = strlen(row->brief);
    *value = word + n;
    if (row->kind == RW_PARAM_ENUM || row->kind == RW_PARAM_CHOICE) return !n && rw_param_enum(row, word);
    if (row->kind == RW_PARAM_TABLE) return !n && isalpha((unsigned char)*word);
    return !strncmp(word, row->brief, n) && isdigit((unsigned char)word[n]);
}

/* What rw_params_parse has read so far. */
typedef struct parsed {
    void *structure;
    uint64_t seen; /* bit i: row i is given */
    bool all;      /* a nested text has taken the rest */
} parsed;

static rw_status read_once(rw_context *ctx, const rw_params *p, const rw_param *row, const char *where,
                           const char *method, const char *text, parsed *to)
{
    const uint64_t bit = (uint64_t)1 << (row - p->row);
    if (to->seen & bit) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s is given twice", where, row->name);
    to->seen |= bit;
    return rw_param_read_text(ctx, row, where, row->name, method, text, to->structure);
}

/* A word after the method; `whole` is the text from there on, which a nested text takes. */
static rw_status read_word(rw_context *ctx, const rw_params *p, const char *where, const char *word, const char *whole,
                           parsed *to)
{
    void *structure = to->structure;
    char name[64], buffer[64];
    const char *equals = strchr(word, '='), *value;
    const int method = method_of(p, structure);
    const rw_param *row = NULL;
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - word) : (int)strlen(word), word);
    if (equals) {
        row = rw_params_find(p, name);
        value = equals + 1;
    }
    for (int i = 0; !equals && !row && i < p->n; ++i)
        if (p->row + i != method_row(p) && has(p->row + i, method) && is_brief(p->row + i, word, &value))
            row = p->row + i;
    const char *called = rw_params_method(p, structure, buffer, sizeof buffer);
    if (!row || row == method_row(p) || !has(row, method)) return fail_name(ctx, p, where, called, method, name);
    /* a nested text, and a text that the structure points to: the caller's own, to its end */
    if (row->kind == RW_PARAM_TABLE || row->kind == RW_PARAM_TEXT || row->kind == RW_PARAM_PATH) {
        value = equals ? whole + (value - word) : whole;
        to->all = true;
    }
    return read_once(ctx, p, row, where, called, value, to);
}

/* The first word: "ilu", and "ilu2" with what the row of brief "@" takes. */
static rw_status read_method(rw_context *ctx, const rw_params *p, const char *where, const char *word, parsed *to)
{
    const rw_param *row = method_row(p);
    char choice[64];
    if (!strcmp(word, row->standard) && !rw_param_enum(row, word)) return RW_OK; /* "none" */
    for (int i = 0; rw_param_choice(row->allowed, i, choice, sizeof choice); ++i) {
        const size_t n = strlen(choice);
        if (strncmp(word, choice, n)) continue;
        const rw_param *number = NULL;
        for (int k = 0; k < p->n; ++k)
            if (p->row[k].brief && *p->row[k].brief == '@' && has(p->row + k, i + 1)) number = p->row + k;
        const bool behind = number && word[n] && !word[n + strspn(word + n, "0123456789")];
        if (word[n] && !behind) continue;
        *(int *)((char *)to->structure + row->offset) = i + 1;
        return behind ? read_once(ctx, p, number, where, choice, word + n, to) : RW_OK;
    }
    /* says what there is; a word that stands alone is called what it is: an operation of a chain */
    const char *name = strncmp(row->line, "operation", 9) ? row->name : "operation";
    return rw_param_read_text(ctx, row, where, name, NULL, word, to->structure);
}

rw_status rw_params_parse_sized(rw_context *ctx, const rw_params *p, const char *text, void *structure, size_t size)
{
    RW_NEED(ctx, "context");
    RW_NEED(p, "params");
    RW_NEED(text, "text");
    RW_NEED(structure, "spec");
    struct room room = {0};
    char where[200];
    parsed to = {.structure = room.bytes};
    rw_status status = p->size <= MOST_BYTES ? RW_OK : rw_fail(ctx, RW_ERR_INTERNAL, "%s is too large", p->type);
    snprintf(where, sizeof where, "%s \"%.120s\"", p->name, text);
    for (size_t at = 0, n; status == RW_OK && !to.all; at += n + 1) {
        char word[160];
        n = strcspn(text + at, ":");
        snprintf(word, sizeof word, "%.*s", (int)RW_MIN(n, sizeof word - 1), text + at);
        if (at || !method_row(p)) status = read_word(ctx, p, where, word, text + at, &to);
        else status = read_method(ctx, p, where, word, &to);
        if (!text[at + n]) break;
    }
    return status == RW_OK ? rw_struct_out(RW_OK, structure, size, room.bytes, p->size) : status;
}

/* One member as text, "" for the default. */
static void print_member(const rw_param *row, const void *structure, char *text, size_t size)
{
    char value[128] = "", choice[64];
    const char *brief = row->brief;
    *text = 0;
    if (row->kind == RW_PARAM_SIZES) {
        size_t n = 0;
        for (int i = 0, most = rw_param_sizes(row); i < most && number_at(row, structure, i) != 0; ++i)
            n += (size_t)snprintf(value + n, sizeof value - n, "%s%.0f", i ? "x" : "", number_at(row, structure, i));
    } else if (row->kind == RW_PARAM_TABLE) {
        rw_params_print_sized(row->table(), (const char *)structure + row->offset, value, sizeof value,
                              row->table()->size);
    } else if (has_number(row)) {
        const double x = number_at(row, structure, 0);
        const bool chosen = row->kind == RW_PARAM_ENUM || row->kind == RW_PARAM_CHOICE;
        const size_t word = chosen ? 0 : strcspn(row->allowed, "|[(");
        if (!rw_given(x)) return;
        if (row->kind == RW_PARAM_BOOL) brief = row->name;
        else if (row->kind == RW_PARAM_SWITCH) snprintf(value, sizeof value, "%s", x == RW_SWITCH_ON ? "on" : "off");
        else if (!chosen && x == rw_word_value(row->allowed) && word)
            snprintf(value, sizeof value, "%.*s", (int)word, row->allowed);
        else if (!chosen) snprintf(value, sizeof value, "%g", rw_plain_zero(x));
        else if (rw_param_enum_text(row, (int)x + (row->kind == RW_PARAM_CHOICE), choice, sizeof choice))
            snprintf(value, sizeof value, "%s", choice);
    }
    if (!*value && row->kind != RW_PARAM_BOOL) return;
    if (brief && *brief != '@' && !isalpha((unsigned char)*value)) snprintf(text, size, ":%s%s", brief, value);
    else if (brief && !*brief) snprintf(text, size, ":%s", value);
    else snprintf(text, size, ":%s=%s", row->name, value);
}

void rw_params_print_sized(const rw_params *p, const void *given, char *text, size_t size, size_t external_size)
{
    struct room room;
    void *structure;
    if (!p || !given || !text || !size) return;
    *text = 0;
    if (take(NULL, p, given, external_size, room.bytes, &structure) != RW_OK) return;
    char buffer[64];
    const int number = method_of(p, structure);
    const char *method = rw_params_method(p, structure, buffer, sizeof buffer);
    size_t n = (size_t)snprintf(text, size, "%s", method ? method : method_row(p) ? "?" : "");
    for (int i = method_row(p) ? 1 : 0; i < p->n; ++i) {
        char member[192];
        if (!has(p->row + i, number)) continue;
        if (p->row[i].brief && *p->row[i].brief == '@')
            snprintf(member, sizeof member, "%.0f", number_at(p->row + i, structure, 0));
        else print_member(p->row + i, structure, member, sizeof member);
        if (n < size) n += (size_t)snprintf(text + n, size - n, "%s", n ? member : member + (*member == ':'));
    }
}

/* ---- defaults and checks ----------------------------------------------------------------------------------------- */

static rw_status resolve(rw_context *ctx, const rw_param *row, const char *what, const char *method, void *structure)
{
    char text[64], standard[128], choice[64];
    rw_param_for(row->standard, method, standard, sizeof standard);
    if (row->kind == RW_PARAM_TABLE)
        return rw_params_resolve_sized(ctx, row->table(), NULL, (char *)structure + row->offset, row->table()->size);
    if (!has_number(row) || row->kind == RW_PARAM_BOOL) return RW_OK;
    double x = number_at(row, structure, 0);
    if (row->kind == RW_PARAM_SWITCH) {
        if (x == 0) put(row, structure, !strcmp(standard, "true") ? RW_SWITCH_ON : RW_SWITCH_OFF);
        if (x >= 0 && x <= RW_SWITCH_OFF) return RW_OK;
    }
    if (row->kind == RW_PARAM_ENUM) {
        if (x == 0) put(row, structure, rw_param_enum(row, standard));
        if (x == 0 || rw_param_enum_text(row, (int)x, choice, sizeof choice)) return RW_OK;
    }
    if (row->kind == RW_PARAM_CHOICE && x >= 0 && rw_param_choice(row->allowed, (int)x, choice, sizeof choice))
        return RW_OK;
    if (row->kind == RW_PARAM_ENUM || row->kind == RW_PARAM_CHOICE || row->kind == RW_PARAM_SWITCH)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s = %.0f is not a value of its enumeration: %s", what, row->name, x,
                       row->line);
    if (!rw_given(x)) {
        if (row->required) return RW_OK;
        char *end;
        const double value = rw_strtod(standard, &end);
        if (*standard && !*end) put(row, structure, value);
        return RW_OK; /* else 0 is the default, and what that means the owner of the structure knows */
    }
    if (x == rw_word_value(row->allowed) && isalpha((unsigned char)*row->allowed)) return RW_OK;
    for (int digits = 6; digits <= 17; digits += digits < 15 ? 9 : 1) {
        snprintf(text, sizeof text, "%.*g", digits, rw_plain_zero(x));
        if (!isfinite(x) || rw_strtod(text, NULL) == x) break;
    }
    if (!isfinite(x)) snprintf(text, sizeof text, isnan(x) ? ".nan" : x > 0 ? ".inf" : "-.inf");
    return rw_param_read_text(ctx, row, what, row->name, method, text, structure);
}

rw_status rw_params_resolve_sized(rw_context *ctx, const rw_params *p, const char *what, void *given, size_t size)
{
    RW_NEED(p, "params");
    RW_NEED(given, "spec");
    struct room room;
    void *structure;
    RW_TRY(take(ctx, p, given, size, room.bytes, &structure));
    char buffer[64];
    if (method_row(p)) RW_TRY(resolve(ctx, method_row(p), p->name, NULL, structure));
    const char *method = rw_params_method(p, structure, buffer, sizeof buffer);
    for (int i = 0; i < p->n; ++i)
        if (p->row + i != method_row(p) && has(p->row + i, method_of(p, structure)))
            RW_TRY(resolve(ctx, p->row + i, what ? what : method ? method : p->name, method, structure));
    return rw_struct_out(RW_OK, given, size, structure, p->size);
}
