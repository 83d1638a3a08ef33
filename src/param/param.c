/* Reading one value as a row of a table says (param.h). */
#include "param/param.h"
#include "param/unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct value_context {
    rw_context *ctx;
    const rw_param *row;
    const char *name;
    const char *allowed; /* for the method */
} value_context;

/* "place: name = given is WHAT: line (unit)" */
static rw_status fail_with(const value_context *v, const rw_tree *node, const char *what, const char *advice)
{
    char place[320], given[80] = "";
    rw_tree_place(node, place, sizeof(place));
    rw_text text = {0};
    rw_tree_write(node, &text);
    if (text.data && !text.failed) snprintf(given, sizeof(given), "%.60s%s", text.data, text.length > 60 ? "..." : "");
    rw_text_free(&text);
    const char *unit = v->row->unit;
    return rw_fail(v->ctx, RW_ERR_INPUT, "%s: %s = %s is %s: %s%s%s%s%s", place, v->name, given, what, v->row->line,
                   *unit ? " (" : "", unit, *unit ? ")" : "", advice);
}

static rw_status fail(const value_context *v, const rw_tree *node, const char *what)
{
    return fail_with(v, node, what, "");
}

/* "not a number", and how a number of other languages is written here. */
static rw_status fail_number(const value_context *v, const rw_tree *node, const char *what)
{
    char better[64], text[160];
    const int n = rw_foreign_number(node->text, better);
    const char *comma = strchr(node->text, ',');
    if (n && !node->text[n]) snprintf(text, sizeof text, "%s (write %s)", what, better);
    else if (comma && comma > node->text && isdigit((unsigned char)comma[-1]) && isdigit((unsigned char)comma[1]))
        snprintf(text, sizeof text, "%s (decimals follow a point)", what);
    else if (strpbrk(node->text, "*/^(")) snprintf(text, sizeof text, "%s (an expression: write its value)", what);
    else snprintf(text, sizeof text, "%s", what);
    return fail(v, node, text);
}

static rw_status fail_nan(const value_context *v, const rw_tree *node)
{
    const bool standard = *v->row->standard && !v->row->required;
    return fail_with(v, node, "not a number (NaN)",
                     standard ? "; omit the setting for its default" : "; give a finite number");
}

const char *rw_param_kind_text(rw_param_kind kind)
{
    static const char *const texts[] = {
#define RW_X(value, text) text,
        RW_PARAM_KINDS(RW_X)
#undef RW_X
    };
    return texts[kind];
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

bool rw_param_choice(const char *allowed, int i, char *buffer, size_t size)
{
    for (;; i--) {
        size_t n = strcspn(allowed, "|");
        if (n == 0) return false;
        if (i == 0) {
            snprintf(buffer, size, "%.*s", (int)n, allowed);
            return true;
        }
        allowed += n + (allowed[n] == '|');
    }
}

/* "a, b, c" */
static void list_choices(const char *allowed, char *buffer, size_t size)
{
    char one[64];
    size_t n = 0;
    buffer[0] = '\0';
    for (int i = 0; rw_param_choice(allowed, i, one, sizeof(one)) && n < size; i++)
        n += (size_t)snprintf(buffer + n, size - n, "%s%s", i ? ", " : "", one);
}

/* Splits "1..3 of [1, 9]" into the counts and "[1, 9]". */
static const char *split_counts(const char *allowed, int *least, int *most)
{
    *least = 0;
    *most = RW_TREE_NODES;
    if (!isdigit((unsigned char)*allowed)) return allowed;
    char *end;
    *least = *most = (int)strtol(allowed, &end, 10);
    if (strncmp(end, "..", 2) == 0) *most = (int)strtol(end + 2, &end, 10);
    if (strncmp(end, " of ", 4) == 0) end += 4;
    return end;
}

static bool is_range(const char *allowed) { return *allowed == '[' || *allowed == '('; }

/* "off|(0, 1]": the limits after the word, whose length is *n; 0: there is no word. */
static const char *split_word(const char *allowed, size_t *n)
{
    *n = isalpha((unsigned char)*allowed) ? strcspn(allowed, "|") : 0;
    return *n ? allowed + *n + (allowed[*n] == '|') : allowed;
}

double rw_word_value(const char *allowed) { return strncmp(allowed, "steady|", 7) == 0 ? INFINITY : RW_OFF; }

/* The word instead of a number is RW_OFF, "steady" infinity, "auto" the default where that differs with the method. */
static bool read_word(const value_context *v, const rw_tree *node, double *value)
{
    size_t n;
    if (node->kind != RW_TREE_SCALAR) return false;
    split_word(v->allowed, &n);
    if (n && strlen(node->text) == n && !strncmp(node->text, v->allowed, n)) {
        *value = rw_word_value(v->allowed);
        return true;
    }
    double x;
    if (n && !strncmp(v->allowed, "off", n) && rw_tree_number(node, &x) && x == 0) {
        *value = RW_OFF;
        return true;
    }
    if (rw_param_by_method(v->row) && !strcmp(node->text, "auto")) {
        *value = 0;
        return true;
    }
    return false;
}

const char *rw_param_for(const char *text, const char *method, char *buffer, size_t size)
{
    size_t n = strcspn(text, ";"), length = method ? strlen(method) : 0;
    const char *found = text;
    for (const char *p = text + n; *p && method;) {
        const char *names = p + 1 + strspn(p + 1, " "), *value = names + strcspn(names, ":");
        size_t next = strcspn(value, ";");
        for (const char *name = names; name < value;) {
            size_t k = strcspn(name, ",:");
            if (k == length && !strncmp(name, method, k)) {
                found = value + 1 + strspn(value + 1, " ");
                n = (size_t)(value + next - found);
            }
            name += k + strspn(name + k, ", ");
            if (*name == ':') break;
        }
        p = value + next;
    }
    snprintf(buffer, size, "%.*s", (int)n, found);
    return buffer;
}

bool rw_param_by_method(const rw_param *row) { return strchr(row->standard, ';') != NULL; }

/* Whether x lies in "(a, b]"; everything finite does in "". */
static bool in_range(double x, const char *range)
{
    if (!isfinite(x)) return false;
    if (!is_range(range)) return true;
    char *p;
    double low = rw_strtod(range + 1, &p), high = rw_strtod(p + 1, &p); /* p stood at ',' */
    bool above = *range == '[' ? x >= low : x > low;
    bool below = *p == ']' ? x <= high : x < high;
    return above && below;
}

static rw_status check_number(const value_context *v, const rw_tree *node, double x, const char *allowed)
{
    char what[160], choices[96], one[64];
    size_t word;
    const char *whole = allowed;
    allowed = split_word(allowed, &word);
    if (isnan(x)) return fail_nan(v, node);
    if (is_range(allowed) || !*allowed) {
        if (in_range(x, allowed)) return RW_OK;
        if (word) snprintf(what, sizeof(what), "outside %s and not %.*s", allowed, (int)word, whole);
        else snprintf(what, sizeof(what), *allowed ? "outside %s" : "not finite", allowed);
        return fail(v, node, what);
    }
    for (int i = 0; rw_param_choice(allowed, i, one, sizeof(one)); i++)
        if (rw_strtod(one, NULL) == x) return RW_OK;
    list_choices(allowed, choices, sizeof(choices));
    snprintf(what, sizeof(what), "none of %s", choices);
    return fail(v, node, what);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static rw_status want_scalar(const value_context *v, const rw_tree *node, const char *wanted)
{
    char what[120];
    if (node->kind != RW_TREE_SCALAR)
        snprintf(what, sizeof(what), "a %s, not %s", node->kind == RW_TREE_LIST ? "list" : "map", wanted);
    else if (!*node->text && !node->quoted) snprintf(what, sizeof(what), "empty, not %s", wanted);
    else return RW_OK;
    return fail(v, node, what);
}

/* "10 W" where the row has a unit: a number in another unit of the same kind. */
static rw_status read_quantity(const value_context *v, const rw_tree *node, double *value)
{
    static const rw_unit none = {.factor = 1};
    char what[160];
    const char *bad, *unit;
    rw_unit from, to;
    int n;
    rw_unit_read(node->text, &unit, &none, &none);
    if (unit == node->text || !isspace((unsigned char)*unit)) return fail_number(v, node, "not a number");
    unit += strspn(unit, " \t");
    if (!*v->row->unit) return fail(v, node, "a number with a unit, but this parameter has no unit");
    if (!rw_unit_parse(unit, &from, &bad, &n)) {
        if (*bad) snprintf(what, sizeof what, "not a number with a unit: the unit %.*s is unknown", RW_MIN(n, 20), bad);
        else snprintf(what, sizeof what, "not a number with a unit: the unit is incomplete");
        return fail(v, node, what);
    }
    if (!rw_unit_parse(v->row->unit, &to, &bad, &n))
        return rw_fail(v->ctx, RW_ERR_INTERNAL, "%s: unit %s is unknown", v->name, v->row->unit);
    if (!rw_unit_same(&from, &to)) {
        snprintf(what, sizeof what, "in a unit that cannot be converted to %s", v->row->unit);
        return fail(v, node, what);
    }
    *value = rw_unit_read(node->text, &unit, &from, &to);
    return RW_OK;
}

static rw_status read_real(const value_context *v, const rw_tree *node, const char *allowed, double *value)
{
    if (read_word(v, node, value)) return RW_OK;
    RW_TRY(want_scalar(v, node, "a number"));
    if (!rw_tree_number(node, value)) RW_TRY(read_quantity(v, node, value));
    return check_number(v, node, *value, allowed);
}

/* 12, and 1e6 or 3.0 where that is whole and exact in a double. */
static rw_status read_int(const value_context *v, const rw_tree *node, const char *allowed, int64_t *value)
{
    double x;
    if (read_word(v, node, &x)) {
        *value = (int64_t)x;
        return RW_OK;
    }
    RW_TRY(want_scalar(v, node, "an integer"));
    if (!rw_tree_number(node, &x)) return fail_number(v, node, "not an integer");
    if (isnan(x)) return fail_nan(v, node);
    if (isfinite(x) && x != floor(x)) return fail(v, node, "not an integer");
    char *end;
    errno = 0;
    *value = strtoll(node->text, &end, 10);
    if (*end || errno) {
        if (!(fabs(x) <= 9007199254740992.0)) return fail(v, node, "too large for an integer");
        *value = (int64_t)x;
    }
    return check_number(v, node, x, allowed);
}

static rw_status read_bool(const value_context *v, const rw_tree *node, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    RW_TRY(want_scalar(v, node, "true or false"));
    for (int i = 0; i < RW_COUNT(words); i++) {
        if (strcasecmp(node->text, words[i]) != 0) continue;
        *value = i % 2;
        return RW_OK;
    }
    return fail(v, node, "neither true nor false");
}

static rw_status read_choice(const value_context *v, const rw_tree *node, int *value)
{
    enum { MOST = 64 };
    char texts[MOST][64], choices[1024], what[1280];
    const char *names[MOST];
    RW_TRY(want_scalar(v, node, "a choice"));
    int n = 0;
    for (; n < MOST && rw_param_choice(v->allowed, n, texts[n], sizeof(texts[n])); n++) {
        names[n] = texts[n];
        if (strcmp(node->text, texts[n]) != 0) continue;
        *value = n;
        return RW_OK;
    }
    list_choices(v->allowed, choices, sizeof(choices));
    /* a default that is no choice: "none" */
    char standard[64];
    rw_param_for(v->row->standard, NULL, standard, sizeof(standard));
    const bool apart = v->row->kind == RW_PARAM_ENUM && !rw_param_enum(v->row, standard) && n < MOST;
    if (apart) names[n++] = standard;
    snprintf(what, sizeof(what), "none of %s%s%s%.120s", apart ? standard : "", apart ? ", " : "", choices,
             rw_hint_nearest(node->text, names, n).text);
    return fail(v, node, what);
}

/* The members of a list, or the single value that stands for it; how many there are is checked. */
static rw_status want_list(const value_context *v, const rw_tree *node, int limit, const rw_tree *const **items, int *n,
                           const char **each)
{
    int least, most;
    *each = split_counts(v->allowed, &least, &most);
    if (node->kind == RW_TREE_MAP) {
        char what[80];
        snprintf(what, sizeof(what), "a map, not a %s", rw_param_kind_text(v->row->kind));
        return fail(v, node, what);
    }
    bool list = node->kind == RW_TREE_LIST;
    *items = list ? (const rw_tree *const *)node->items : NULL;
    *n = list ? node->n : 1;
    if (*n >= least && *n <= RW_MIN(most, limit)) return RW_OK;
    char what[96], counts[32];
    most = RW_MIN(most, limit);
    snprintf(counts, sizeof(counts), least == most ? "%d" : "%d to %d", least, most);
    snprintf(what, sizeof(what), "a list of %d values, but the number of values must be %s", *n, counts);
    return fail(v, node, what);
}

static rw_status read_texts(const value_context *v, const rw_tree *node, rw_texts *texts)
{
    const rw_tree *const *items;
    const char *each;
    int n;
    RW_TRY(want_list(v, node, RW_TREE_NODES, &items, &n, &each));
    if (node->kind != RW_TREE_LIST) return fail(v, node, "not a list of texts"); /* the case wraps a single text */
    for (int i = 0; i < n; i++) RW_TRY(want_scalar(v, items[i], "a text"));
    *texts = (rw_texts){n, items};
    return RW_OK;
}

/* "10x40x20", or a list: what is left out at the end is 1, a single one serves all where there are two. */
static rw_status read_sizes(const value_context *v, const rw_tree *node, int64_t *value, int *n)
{
    int least, most;
    const char *each = split_counts(v->allowed, &least, &most);
    if (node->kind == RW_TREE_LIST) {
        if (node->n < least || node->n > most) return fail(v, node, "a list of the wrong length");
        for (*n = 0; *n < node->n; ++*n) RW_TRY(read_int(v, node->items[*n], each, value + *n));
        return RW_OK;
    }
    RW_TRY(want_scalar(v, node, "sizes"));
    for (const char *p = node->text;; ++p) {
        char *end;
        if (*n == most || !isdigit((unsigned char)*p)) break;
        value[(*n)++] = strtoll(p, &end, 10);
        if (!*end) {
            for (int i = 0; i < *n; ++i) RW_TRY(check_number(v, node, (double)value[i], each));
            return RW_OK;
        }
        if (*end != 'x') break;
        p = end;
    }
    char what[96];
    snprintf(what, sizeof what, "not %d to %d integers such as 64%s", least, most, most > 1 ? "x32" : "");
    return fail(v, node, what);
}

static void put_int(const rw_param *row, void *out, int64_t value)
{
    if (row->size == sizeof(int)) *(int *)out = (int)value;
    else *(int64_t *)out = value;
}

rw_status rw_param_read(rw_context *ctx, const rw_param *row, const char *name, const char *method, const rw_tree *node,
                        void *structure)
{
    union {
        int64_t integer;
        double real;
        bool boolean;
        const char *text;
        int choice;
        rw_ints ints;
        rw_reals reals;
        rw_texts texts;
        const rw_tree *node;
    } scratch = {0};
    char allowed[512];
    value_context v = {ctx, row, name, rw_param_for(row->allowed, method, allowed, sizeof allowed)};
    void *out = structure ? (char *)structure + row->offset : (void *)&scratch;
    const rw_tree *const *items;
    const char *each;
    int64_t integer, sizes[RW_LIST_MAX] = {0};
    int n = 0;
    switch (row->kind) {
    case RW_PARAM_INT:
        RW_TRY(read_int(&v, node, v.allowed, &integer));
        put_int(row, out, integer);
        return RW_OK;
    case RW_PARAM_REAL: return read_real(&v, node, v.allowed, out);
    case RW_PARAM_BOOL: return read_bool(&v, node, out);
    case RW_PARAM_SWITCH: {
        bool on;
        RW_TRY(read_bool(&v, node, &on));
        *(rw_switch *)out = on ? RW_SWITCH_ON : RW_SWITCH_OFF;
        return RW_OK;
    }
    case RW_PARAM_CHOICE: return read_choice(&v, node, out);
    case RW_PARAM_ENUM:
        if (node->kind == RW_TREE_SCALAR && !strcmp(node->text, row->standard)) n = rw_param_enum(row, node->text) - 1;
        else RW_TRY(read_choice(&v, node, &n));
        *(int *)out = n + 1;
        return RW_OK;
    case RW_PARAM_TEXTS: return read_texts(&v, node, out);
    case RW_PARAM_NODE: *(const rw_tree **)out = node; return RW_OK;
    case RW_PARAM_TEXT:
    case RW_PARAM_PATH:
        if (node->kind != RW_TREE_SCALAR) RW_TRY(want_scalar(&v, node, "a text"));
        *(const char **)out = node->text;
        return RW_OK;
    case RW_PARAM_TABLE:
        RW_TRY(want_scalar(&v, node, "a text"));
        return structure ? rw_params_parse_sized(ctx, row->table(), node->text, out, row->table()->size) : RW_OK;
    case RW_PARAM_SIZES:
        RW_TRY(read_sizes(&v, node, sizes, &n));
        for (int i = 0, most = rw_param_sizes(row); structure && i < most; ++i)
            put_int(row, (char *)out + (size_t)i * row->size, i < n ? sizes[i] : most == 2 ? sizes[0] : 1);
        return RW_OK;
    case RW_PARAM_INTS: {
        rw_ints *list = out;
        RW_TRY(want_list(&v, node, RW_LIST_MAX, &items, &list->n, &each));
        for (int i = 0; i < list->n; i++) RW_TRY(read_int(&v, items ? items[i] : node, each, &list->value[i]));
        return RW_OK;
    }
    case RW_PARAM_CHOICES: break; /* read one by one (src/lab) */
    case RW_PARAM_REALS: {
        rw_reals *list = out;
        RW_TRY(want_list(&v, node, RW_LIST_MAX, &items, &list->n, &each));
        for (int i = 0; i < list->n; i++) RW_TRY(read_real(&v, items ? items[i] : node, each, &list->value[i]));
        return RW_OK;
    }
    }
    return rw_fail(ctx, RW_ERR_INTERNAL, "%s: parameter kind %d is unknown", name, (int)row->kind);
}

int rw_param_enum(const rw_param *row, const char *text)
{
    char choice[64];
    for (int i = 0; rw_param_choice(row->allowed, i, choice, sizeof choice); ++i)
        if (!strcmp(choice, text)) return i + 1;
    return 0;
}

bool rw_param_enum_text(const rw_param *row, int value, char *buffer, size_t size)
{
    if (value == 0) {
        snprintf(buffer, size, "%s", row->standard);
        return *row->standard != 0;
    }
    return value > 0 && rw_param_choice(row->allowed, value - 1, buffer, size);
}

int rw_param_sizes(const rw_param *row)
{
    int least, most;
    split_counts(row->allowed, &least, &most);
    return most;
}

void rw_param_describe(const rw_param *row, rw_text *text)
{
    int least, most;
    size_t word;
    char counts[40] = "", choices[512], general[512];
    const char *allowed = rw_param_for(row->allowed, NULL, general, sizeof general),
               *each = split_counts(allowed, &least, &most), *limits = split_word(allowed, &word);
    switch (row->kind) {
    case RW_PARAM_CHOICE:
    case RW_PARAM_ENUM:
        list_choices(allowed, choices, sizeof(choices));
        rw_text_add(text, "one of %s", choices);
        return;
    case RW_PARAM_CHOICES:
        list_choices(allowed, choices, sizeof(choices));
        rw_text_add(text, "list of %s", choices);
        return;
    case RW_PARAM_SIZES:
        rw_text_add(text, "%d to %d integers such as 64%s, each in %s", least, most, most > 1 ? "x32" : "", each);
        return;
    case RW_PARAM_INTS:
    case RW_PARAM_REALS:
    case RW_PARAM_TEXTS:
        if (each != allowed) snprintf(counts, sizeof(counts), least == most ? "%d " : "%d to %d ", least, most);
        rw_text_add(text, "list of %s%s", counts, rw_param_kind_text(row->kind) + strlen("list of "));
        if (*each) rw_text_add(text, " in %s", each);
        return;
    default: break;
    }
    rw_text_add(text, "%s", rw_param_kind_text(row->kind));
    if (row->kind != RW_PARAM_INT && row->kind != RW_PARAM_REAL) return;
    if (is_range(limits)) rw_text_add(text, " in %s", limits);
    if (*limits && !is_range(limits)) {
        list_choices(limits, choices, sizeof(choices));
        rw_text_add(text, ": %s", choices);
    }
    if (word) rw_text_add(text, ", or %.*s", (int)word, allowed);
    const char *exceptions = strchr(row->allowed, ';');
    if (exceptions) rw_text_add(text, "%s", exceptions);
}
