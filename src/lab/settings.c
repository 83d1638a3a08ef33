/* NAME=VALUE texts into numbers and words, as the rows of the study's parameters say. */
#include <string.h>

#include "lab/lab.h"
#include "param/param.h"

rw_status rw_lab_refuse(rw_context *ctx, const char *what, const char *given, const char *const *names, int n)
{
    return rw_fail(ctx, RW_ERR_ARGUMENT, "%s '%s' is unknown%s", what, given, rw_hint_known(given, names, n).text);
}

/* One value, or the next of a list. */
static rw_status read_one(rw_lab *lab, const rw_param *row, const char *text, rw_lab_setting *s)
{
    union {
        int64_t integer;
        double real;
        int choice;
        const char *path;
    } value = {0};
    rw_param one = *row;
    char where[64];
    one.offset = 0;
    one.size = sizeof value.integer;
    one.kind = row->kind == RW_PARAM_INTS      ? RW_PARAM_INT
               : row->kind == RW_PARAM_REALS   ? RW_PARAM_REAL
               : row->kind == RW_PARAM_CHOICES ? RW_PARAM_CHOICE
                                               : row->kind;
    snprintf(where, sizeof where, "lab %s", lab->study->entry.name);
    RW_TRY(rw_param_read_text(lab->ctx, &one, where, row->name, NULL, text, &value));
    if (row->kind == RW_PARAM_PATH) return RW_OK;
    s->word = one.kind == RW_PARAM_CHOICE ? value.choice : 0;
    s->number[s->n++] = one.kind == RW_PARAM_INT    ? (double)value.integer
                        : one.kind == RW_PARAM_REAL ? value.real
                                                    : value.choice;
    for (int i = 0; row->kind == RW_PARAM_CHOICES && i < s->n - 1; ++i)
        if (s->number[i] == value.choice)
            return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "%s: %s: %s is given twice", where, row->name, text);
    return RW_OK;
}

static rw_status read_value(rw_lab *lab, const rw_param *row, rw_lab_setting *s)
{
    const bool list = row->kind == RW_PARAM_INTS || row->kind == RW_PARAM_REALS || row->kind == RW_PARAM_CHOICES;
    if (!list) return read_one(lab, row, s->text, s);
    for (const char *text = s->text;; text += strcspn(text, ",") + 1) {
        char word[64];
        const size_t n = strcspn(text, ",");
        if (s->n == RW_LAB_LIST)
            return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab %s: %s: more than %d values are given: %s",
                           lab->study->entry.name, row->name, (int)RW_LAB_LIST, row->line);
        snprintf(word, sizeof word, "%.*s", (int)RW_MIN(n, sizeof word - 1), text);
        RW_TRY(read_one(lab, row, word, s));
        if (!text[n]) return RW_OK;
    }
}

static rw_status refuse_name(rw_lab *lab, const char *given, size_t n)
{
    const rw_lab_entry *e = &lab->study->entry;
    const char *names[32];
    char what[64], name[64];
    int count = RW_MIN(e->nparameters, RW_COUNT(names));
    for (int i = 0; i < count; ++i) names[i] = e->parameters[i].name;
    snprintf(what, sizeof what, "lab %s: parameter", e->name);
    snprintf(name, sizeof name, "%.*s", (int)RW_MIN(n, sizeof name - 1), given);
    return rw_lab_refuse(lab->ctx, what, name, names, count);
}

static rw_status take(rw_lab *lab, const char *given)
{
    const rw_lab_entry *e = &lab->study->entry;
    size_t n = strcspn(given, "=");
    if (!given[n])
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab %s: '%s' has no value: give NAME=VALUE, such as %s=%s", e->name,
                       given, e->parameters[0].name, e->parameters[0].standard);
    for (int i = 0; i < e->nparameters; ++i) {
        rw_lab_setting *s = lab->settings + i;
        if (strlen(e->parameters[i].name) != n || strncmp(e->parameters[i].name, given, n) != 0) continue;
        rw_free(s->given);
        s->given = rw_strdup(given + n + 1);
        s->text = s->given;
        return s->given ? RW_OK : rw_fail_memory(lab->ctx, strlen(given), "a setting");
    }
    return refuse_name(lab, given, n);
}

rw_status rw_lab_read_settings(rw_lab *lab, const rw_lab_spec *spec)
{
    const rw_lab_entry *e = &lab->study->entry;
    lab->settings = rw_calloc((size_t)e->nparameters + 1, sizeof *lab->settings);
    if (!lab->settings) return rw_fail_memory(lab->ctx, (size_t)e->nparameters * sizeof *lab->settings, "settings");
    for (int i = 0; i < e->nparameters; ++i) lab->settings[i].text = e->parameters[i].standard;
    for (int i = 0; i < spec->nset; ++i) RW_TRY(take(lab, spec->set[i]));
    for (int i = 0; i < e->nparameters; ++i) RW_TRY(read_value(lab, e->parameters + i, lab->settings + i));
    return RW_OK;
}

const rw_lab_setting *rw_lab_setting_of(const rw_lab *lab, const char *name)
{
    int i = 0;
    while (strcmp(lab->study->entry.parameters[i].name, name) != 0) ++i;
    return lab->settings + i;
}

double rw_lab_number(const rw_lab *lab, const char *name) { return rw_lab_setting_of(lab, name)->number[0]; }
