/* Settings of a case that have no effect, because another setting says so (the condition of their row), are warned of:
 *
 *   case.yaml:5:22: time.rtol has no effect if time.method = rk4; it needs time.method = rkc2|rkl2|…
 *
 * A value that is the default may stay: settings.yaml of a results folder has all of them. */
#include "run/case_private.h"

#include <stdio.h>
#include <string.h>

static bool same_text(const rw_tree *a, const rw_tree *b)
{
    rw_text x = {0}, y = {0};
    double p, q;
    if (rw_tree_number(a, &p) && rw_tree_number(b, &q)) return p == q;
    rw_tree_write(a, &x);
    rw_tree_write(b, &y);
    bool same = x.data && y.data && !strcmp(x.data, y.data);
    rw_text_free(&x);
    rw_text_free(&y);
    return same;
}

/* Whether the value is this one: a number, a text, or an empty list for "[]". */
static bool is_value(const rw_tree *node, const char *text, size_t n)
{
    double x;
    if (node->kind == RW_TREE_LIST) return node->n == 0 && n == 2 && !strncmp(text, "[]", 2);
    if (node->kind != RW_TREE_SCALAR) return false;
    if (rw_tree_number(node, &x)) return x == rw_strtod(text, NULL);
    return strlen(node->text) == n && !strncmp(node->text, text, n);
}

/* "time.method = rk4|auto" or "output.every != 0" of the effective settings; *other is the value it looks at. */
static bool holds(const rw_case *c, const char *condition, const rw_tree **other)
{
    char name[128], section[64];
    size_t n = strcspn(condition, " "), dot = strcspn(condition, ".");
    snprintf(name, sizeof(name), "%.*s", (int)(n - dot - 1), condition + dot + 1);
    snprintf(section, sizeof(section), "%.*s", (int)dot, condition);
    const rw_section *s = rw_case_find_section(c, section);
    const rw_param *row = s ? rw_case_find_row(s, name) : NULL;
    *other = row ? rw_case_effective(c, s, row) : NULL;
    if (!*other) return true;
    bool unlike = condition[n + 1] == '!';
    const char *value = condition + n + (unlike ? 4 : 3);
    for (;; value++) {
        size_t length = strcspn(value, "|");
        if (is_value(*other, value, length)) return !unlike;
        value += length;
        if (!*value) return unlike;
    }
}

static void warn(const rw_case *c, const rw_tree *node, const char *name, const char *condition, const rw_tree *other)
{
    char place[320];
    rw_text value = {0};
    rw_tree_place(node, place, sizeof(place));
    rw_tree_write(other, &value);
    rw_log(c->ctx, RW_LOG_WARNING, "%s: %s has no effect if %.*s = %s; it needs %s", place, name,
           (int)strcspn(condition, " "), condition, value.data ? value.data : "", condition);
    rw_text_free(&value);
}

void rw_case_warn_effects(const rw_case *c)
{
    const rw_section *s;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++) {
        const rw_tree *map = rw_case_is_top(s) ? c->root : rw_tree_get(c->root, s->name), *other;
        for (int k = 0; s->form == RW_SECTION_TABLE && k < rw_section_count(s); k++) {
            const rw_param *row = rw_section_row(s, k);
            const rw_tree *node = rw_tree_get(map, row->name),
                          *standard = rw_tree_get(rw_tree_get(c->standard, s->name), row->name);
            char name[200], condition[200];
            rw_section_condition(s, row, condition, sizeof(condition));
            if (!*condition || !node || holds(c, condition, &other) || (standard && same_text(node, standard)))
                continue;
            rw_case_full_name(s, NULL, row->name, name, sizeof(name));
            warn(c, node, name, condition, other);
        }
    }
}
