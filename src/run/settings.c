/* Reading one value as a row of a table says, with the message that a wrong one gets.
 *
 *   case.yaml:14:9: time.rtol = -1 is outside (0, 1]: relative tolerance of a step
 *   place           name        given        allowed  what it is
 *
 * The limits are read from the text of the row itself, so that the message and the check cannot differ. */
#include "run/settings.h"
#include "run/unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct value_context {
    rw_context *ctx;
    const rw_setting *row;
    const char *name;
    const rw_yaml *node;
} value_context;

/* "place: name = given is WHAT: line (unit)" */
static rw_status fail(const value_context *v, const rw_yaml *node, const char *what)
{
    char place[320], given[80] = "";
    rw_yaml_place(node, place, sizeof(place));
    rw_text text = {0};
    rw_yaml_write(node, &text);
    if (text.data && !text.failed) snprintf(given, sizeof(given), "%.60s%s", text.data, text.length > 60 ? "..." : "");
    rw_text_free(&text);
    const char *unit = v->row->unit;
    return rw_fail(v->ctx, RW_ERR_INPUT, "%s: %s = %s is %s: %s%s%s%s", place, v->name, given, what, v->row->line,
                   *unit ? " (" : "", unit, *unit ? ")" : "");
}

const char *rw_setting_kind_text(rw_setting_kind kind)
{
    static const char *const texts[] = {
#define RW_X(value, text) text,
        RW_SETTING_KINDS(RW_X)
#undef RW_X
    };
    return texts[kind];
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

bool rw_setting_choice(const char *allowed, int i, char *buffer, size_t size)
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
    for (int i = 0; rw_setting_choice(allowed, i, one, sizeof(one)) && n < size; i++)
        n += (size_t)snprintf(buffer + n, size - n, "%s%s", i ? ", " : "", one);
}

/* Splits "1..3 of [1, 9]" into the counts and "[1, 9]". */
static const char *split_counts(const char *allowed, int *least, int *most)
{
    *least = 0;
    *most = RW_YAML_NODES;
    if (!isdigit((unsigned char)*allowed)) return allowed;
    char *end;
    *least = *most = (int)strtol(allowed, &end, 10);
    if (strncmp(end, "..", 2) == 0) *most = (int)strtol(end + 2, &end, 10);
    if (strncmp(end, " of ", 4) == 0) end += 4;
    return end;
}

static bool is_range(const char *allowed)
{
    return *allowed == '[' || *allowed == '(';
}

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

static rw_status check_number(const value_context *v, const rw_yaml *node, double x, const char *allowed)
{
    char what[160], choices[96], one[64];
    if (isnan(x)) return fail(v, node, "not a number (NaN)");
    if (is_range(allowed) || !*allowed) {
        if (in_range(x, allowed)) return RW_OK;
        snprintf(what, sizeof(what), *allowed ? "outside %s" : "not finite", allowed);
        return fail(v, node, what);
    }
    for (int i = 0; rw_setting_choice(allowed, i, one, sizeof(one)); i++)
        if (rw_strtod(one, NULL) == x) return RW_OK;
    list_choices(allowed, choices, sizeof(choices));
    snprintf(what, sizeof(what), "none of %s", choices);
    return fail(v, node, what);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static rw_status want_scalar(const value_context *v, const rw_yaml *node, const char *wanted)
{
    char what[120];
    if (node->kind != RW_YAML_SCALAR)
        snprintf(what, sizeof(what), "a %s, not %s", node->kind == RW_YAML_LIST ? "list" : "map", wanted);
    else if (!*node->text && !node->quoted)
        snprintf(what, sizeof(what), "empty, not %s", wanted);
    else
        return RW_OK;
    return fail(v, node, what);
}

/* "10 W" where the row has a unit: a number in another unit of the same kind. */
static rw_status read_quantity(const value_context *v, const rw_yaml *node, double *value)
{
    static const rw_unit none = {.factor = 1};
    char what[160];
    const char *bad, *unit;
    rw_unit from, to;
    int n;
    rw_unit_read(node->text, &unit, &none, &none);
    if (unit == node->text || !isspace((unsigned char)*unit)) return fail(v, node, "not a number");
    unit += strspn(unit, " \t");
    if (!*v->row->unit) return fail(v, node, "a number with a unit, where a number has none");
    if (!rw_unit_parse(unit, &from, &bad, &n)) {
        if (*bad) snprintf(what, sizeof what, "no number with a unit: %.*s is not understood", RW_MIN(n, 20), bad);
        else snprintf(what, sizeof what, "no number with a unit: it breaks off");
        return fail(v, node, what);
    }
    if (!rw_unit_parse(v->row->unit, &to, &bad, &n))
        return rw_fail(v->ctx, RW_ERR_INTERNAL, "%s: unit %s is not understood", v->name, v->row->unit);
    if (!rw_unit_same(&from, &to)) {
        snprintf(what, sizeof what, "in a unit of another kind than %s", v->row->unit);
        return fail(v, node, what);
    }
    *value = rw_unit_read(node->text, &unit, &from, &to);
    return RW_OK;
}

static rw_status read_real(const value_context *v, const rw_yaml *node, const char *allowed, double *value)
{
    RW_TRY(want_scalar(v, node, "a number"));
    if (!rw_yaml_number(node, value)) RW_TRY(read_quantity(v, node, value));
    return check_number(v, node, *value, allowed);
}

/* 12, and 1e6 or 3.0 where that is whole and exact in a double. */
static rw_status read_int(const value_context *v, const rw_yaml *node, const char *allowed, int64_t *value)
{
    RW_TRY(want_scalar(v, node, "an integer"));
    double x;
    if (!rw_yaml_number(node, &x)) return fail(v, node, "not an integer");
    if (isnan(x)) return fail(v, node, "not a number (NaN)");
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

static rw_status read_bool(const value_context *v, const rw_yaml *node, bool *value)
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

static rw_status read_choice(const value_context *v, const rw_yaml *node, int *value)
{
    enum { MOST = 32 };
    char texts[MOST][64], choices[256], what[400];
    const char *names[MOST];
    RW_TRY(want_scalar(v, node, "a choice"));
    int n = 0;
    for (; n < MOST && rw_setting_choice(v->row->allowed, n, texts[n], sizeof(texts[n])); n++) {
        names[n] = texts[n];
        if (strcmp(node->text, texts[n]) != 0) continue;
        *value = n;
        return RW_OK;
    }
    list_choices(v->row->allowed, choices, sizeof(choices));
    const char *nearest = rw_nearest(node->text, names, n);
    snprintf(what, sizeof(what), "none of %s%s%s", choices, nearest ? "; nearest is " : "", nearest ? nearest : "");
    return fail(v, node, what);
}

/* The members of a list, or the single value that stands for it; how many there are is checked. */
static rw_status want_list(const value_context *v, const rw_yaml *node, int limit, const rw_yaml *const **items, int *n,
                           const char **each)
{
    int least, most;
    *each = split_counts(v->row->allowed, &least, &most);
    if (node->kind == RW_YAML_MAP) {
        char what[80];
        snprintf(what, sizeof(what), "a map, not a %s", rw_setting_kind_text(v->row->kind));
        return fail(v, node, what);
    }
    bool list = node->kind == RW_YAML_LIST;
    *items = list ? (const rw_yaml *const *)node->items : NULL;
    *n = list ? node->n : 1;
    if (*n >= least && *n <= RW_MIN(most, limit)) return RW_OK;
    char what[96], counts[32];
    most = RW_MIN(most, limit);
    snprintf(counts, sizeof(counts), least == most ? "%d" : "%d to %d", least, most);
    snprintf(what, sizeof(what), "a list of %d, where %s values are wanted", *n, counts);
    return fail(v, node, what);
}

static rw_status read_texts(const value_context *v, const rw_yaml *node, rw_texts *texts)
{
    const rw_yaml *const *items;
    const char *each;
    int n;
    RW_TRY(want_list(v, node, RW_YAML_NODES, &items, &n, &each));
    if (node->kind != RW_YAML_LIST) return fail(v, node, "not a list of texts"); /* the case wraps a single text */
    for (int i = 0; i < n; i++) RW_TRY(want_scalar(v, items[i], "a text"));
    *texts = (rw_texts){n, items};
    return RW_OK;
}

rw_status rw_setting_read(rw_context *ctx, const rw_setting *row, const char *name, const rw_yaml *node, void *section)
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
        const rw_yaml *node;
    } scratch = {0};
    value_context v = {ctx, row, name, node};
    void *out = section ? (char *)section + row->offset : (void *)&scratch;
    const rw_yaml *const *items;
    const char *each;
    switch (row->kind) {
    case RW_SETTING_INT: return read_int(&v, node, row->allowed, out);
    case RW_SETTING_REAL: return read_real(&v, node, row->allowed, out);
    case RW_SETTING_BOOL: return read_bool(&v, node, out);
    case RW_SETTING_CHOICE: return read_choice(&v, node, out);
    case RW_SETTING_TEXTS: return read_texts(&v, node, out);
    case RW_SETTING_NODE: *(const rw_yaml **)out = node; return RW_OK;
    case RW_SETTING_TEXT:
    case RW_SETTING_PATH:
        if (node->kind != RW_YAML_SCALAR) RW_TRY(want_scalar(&v, node, "a text"));
        *(const char **)out = node->text;
        return RW_OK;
    case RW_SETTING_INTS: {
        rw_ints *list = out;
        RW_TRY(want_list(&v, node, RW_LIST_MAX, &items, &list->n, &each));
        for (int i = 0; i < list->n; i++) RW_TRY(read_int(&v, items ? items[i] : node, each, &list->value[i]));
        return RW_OK;
    }
    case RW_SETTING_REALS: {
        rw_reals *list = out;
        RW_TRY(want_list(&v, node, RW_LIST_MAX, &items, &list->n, &each));
        for (int i = 0; i < list->n; i++) RW_TRY(read_real(&v, items ? items[i] : node, each, &list->value[i]));
        return RW_OK;
    }
    }
    return rw_fail(ctx, RW_ERR_INTERNAL, "%s: kind %d is in no table", name, (int)row->kind);
}

void rw_setting_describe(const rw_setting *row, rw_text *text)
{
    int least, most;
    char counts[40] = "", choices[256];
    const char *each = split_counts(row->allowed, &least, &most);
    switch (row->kind) {
    case RW_SETTING_CHOICE:
        list_choices(row->allowed, choices, sizeof(choices));
        rw_text_add(text, "one of %s", choices);
        return;
    case RW_SETTING_INTS:
    case RW_SETTING_REALS:
    case RW_SETTING_TEXTS:
        if (each != row->allowed) snprintf(counts, sizeof(counts), least == most ? "%d " : "%d to %d ", least, most);
        rw_text_add(text, "list of %s%s", counts, rw_setting_kind_text(row->kind) + strlen("list of "));
        if (*each) rw_text_add(text, " in %s", each);
        return;
    default: break;
    }
    rw_text_add(text, "%s", rw_setting_kind_text(row->kind));
    if (row->kind != RW_SETTING_INT && row->kind != RW_SETTING_REAL) return;
    if (is_range(row->allowed)) rw_text_add(text, " in %s", row->allowed);
    if (*row->allowed && !is_range(row->allowed)) {
        list_choices(row->allowed, choices, sizeof(choices));
        rw_text_add(text, ": %s", choices);
    }
}
