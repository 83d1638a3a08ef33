/* NAME=VALUE texts into numbers and words, within the limits that the study's table of parameters states. */
#include <math.h>
#include <string.h>

#include "lab/lab.h"

/* "1e-11 ... 0.1", "forward|central" */
static void add_allowed(rw_text *t, const rw_lab_parameter *p)
{
    switch (p->kind) {
    case RW_LAB_NUMBER: rw_text_add(t, "a number, %g ... %g", p->least, p->most); break;
    case RW_LAB_NUMBERS:
        rw_text_add(t, "at most %d numbers with commas between, each %g ... %g", (int)RW_LAB_LIST, p->least, p->most);
        break;
    case RW_LAB_INTEGER: rw_text_add(t, "a whole number, %.0f ... %.0f", p->least, p->most); break;
    case RW_LAB_INTEGERS:
        rw_text_add(t, "at most %d whole numbers with commas between, each %.0f ... %.0f", (int)RW_LAB_LIST, p->least, p->most);
        break;
    case RW_LAB_WORD: rw_text_add(t, "%s", p->words); break;
    case RW_LAB_WORDS: rw_text_add(t, "%s with commas between, each once", p->words); break;
    case RW_LAB_PATH: rw_text_add(t, "a path"); break;
    }
}

static rw_status refuse_value(rw_lab *lab, const rw_lab_parameter *p, const char *text)
{
    rw_text allowed = {0};
    add_allowed(&allowed, p);
    rw_status status = rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab %s: %s = '%s' is not allowed: %s: %s", lab->study->entry.name,
                               p->name, text, allowed.data ? allowed.data : "", p->what);
    rw_text_free(&allowed);
    return status;
}

/* The index of a word of n bytes in "forward|central", -1 when it is none of them. */
static int find_word(const char *words, const char *text, size_t n)
{
    for (int i = 0;; ++i) {
        size_t length = strcspn(words, "|");
        if (length == n && !strncmp(words, text, n)) return i;
        if (!words[length]) return -1;
        words += length + 1;
    }
}

static bool read_numbers(const rw_lab_parameter *p, const char *text, rw_lab_setting *s)
{
    bool whole = p->kind == RW_LAB_INTEGER || p->kind == RW_LAB_INTEGERS;
    int most = p->kind == RW_LAB_INTEGERS || p->kind == RW_LAB_NUMBERS ? RW_LAB_LIST : 1;
    for (s->n = 0; s->n < most;) {
        char *end;
        double x = rw_strtod(text, &end);
        if (end == text || !(x >= p->least && x <= p->most)) return false;
        if (whole && x != floor(x)) return false;
        s->number[s->n++] = x;
        if (!*end) return true;
        if (*end != ',') return false;
        text = end + 1;
    }
    return false;
}

static bool read_words(const rw_lab_parameter *p, const char *text, rw_lab_setting *s)
{
    for (s->n = 0; s->n < RW_LAB_LIST;) {
        size_t length = strcspn(text, ",");
        int word = find_word(p->words, text, length);
        if (word < 0) return false;
        for (int i = 0; i < s->n; ++i)
            if (s->number[i] == word) return false;
        s->number[s->n++] = word;
        if (!text[length]) return true;
        text += length + 1;
    }
    return false;
}

static rw_status read_value(rw_lab *lab, const rw_lab_parameter *p, rw_lab_setting *s)
{
    bool good = true;
    switch (p->kind) {
    case RW_LAB_WORD: good = (s->word = find_word(p->words, s->text, strlen(s->text))) >= 0; break;
    case RW_LAB_WORDS: good = read_words(p, s->text, s); break;
    case RW_LAB_PATH: break;
    default: good = read_numbers(p, s->text, s);
    }
    return good ? RW_OK : refuse_value(lab, p, s->text);
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
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab %s: '%s' has no value: give NAME=VALUE, such as %s=%s", e->name, given,
                       e->parameters[0].name, e->parameters[0].value);
    for (int i = 0; i < e->nparameters; ++i) {
        rw_lab_setting *s = lab->settings + i;
        if (strlen(e->parameters[i].name) != n || strncmp(e->parameters[i].name, given, n) != 0) continue;
        rw_free(s->given);
        s->given = rw_strdup(given + n + 1), s->text = s->given;
        return s->given ? RW_OK : rw_fail_memory(lab->ctx, strlen(given), "a setting");
    }
    return refuse_name(lab, given, n);
}

rw_status rw_lab_read_settings(rw_lab *lab, const rw_lab_spec *spec)
{
    const rw_lab_entry *e = &lab->study->entry;
    lab->settings = rw_calloc((size_t)e->nparameters + 1, sizeof *lab->settings);
    if (!lab->settings) return rw_fail_memory(lab->ctx, (size_t)e->nparameters * sizeof *lab->settings, "settings");
    for (int i = 0; i < e->nparameters; ++i) lab->settings[i].text = e->parameters[i].value;
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
