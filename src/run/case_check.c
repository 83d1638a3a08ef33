/* A case against the tables of the runner and of its problem: keys, values, what is missing; what is unknown gets the
 * nearest name. Not here: what names in maps and texts of equations mean. That is the problem's business. */
#include <stdio.h>
#include <string.h>

#include "run/case_private.h"
#include "run/run_settings.h"
#include "run/topics.h"

/* The section of free names in which the case has this one; NULL: none. */
static const rw_section *section_of(const rw_case *c, const char *name)
{
    const rw_section *s;
    for (int k = 0; (s = rw_case_section_at(c, k)); k++) {
        const rw_tree *map =
            s->form != RW_SECTION_TABLE && s->form != RW_SECTION_TEXTS ? rw_tree_get(c->root, s->name) : NULL;
        if (map && map->kind == RW_TREE_MAP && rw_tree_get(map, name)) return s;
    }
    return NULL;
}

/* Names for a person who typed a wrong one: the same name in another section, or the nearest, or else all. */
static rw_status fail_unknown(const rw_case *c, const rw_tree *map, int i, const rw_section *section, const char *entry)
{
    enum { MOST = 128, FEW = 12 };
    const char *known[MOST], *key = map->keys[i], *nearest = NULL, *where = NULL;
    int n = 0;
    char name[200], full[200];
    rw_case_full_name(section, entry, key, name, sizeof(name));
    for (int k = 0; k < rw_section_count(section) && n < MOST; k++) known[n++] = rw_section_row(section, k)->name;
    const rw_section *s;
    for (int k = 0; (s = rw_case_section_at(c, k)); k++) {
        if (rw_case_is_top(section) && !rw_case_is_top(s) && n < MOST) known[n++] = s->name;
        if (s == section || s->form != RW_SECTION_TABLE || !rw_case_find_row(s, key)) continue;
        rw_case_full_name(s, NULL, key, full, sizeof(full));
        where = full;
    }
    if (!where && (nearest = rw_nearest(key, known, n))) {
        rw_case_full_name(section, entry, nearest, full, sizeof(full));
        where = full;
    }
    if (!where && rw_case_is_top(section) && (s = section_of(c, key))) {
        snprintf(full, sizeof(full), "%s.%.100s", s->name, key);
        where = full;
    }
    if (where) return rw_case_fail_key(c, map, i, "%.120s is unknown; nearest is %s", name, where);
    const bool of_names = !strcmp(section->name, "grid") || !strcmp(section->name, "fields");
    const char *foreign = of_names ? rw_foreign_word(strcmp(key, "kind") ? key : "geometry") : NULL;
    if (foreign) return rw_case_fail_key(c, map, i, "%.120s is unknown: %s", name, foreign);
    if (n > FEW && !rw_case_is_top(section))
        return rw_case_fail_key(c, map, i, "%.120s is unknown: rechenwerk help %s lists the settings", name,
                                section->name);
    rw_text list = {0};
    for (int k = 0; k < n; k++) rw_text_add(&list, "%s%s", k ? ", " : "", known[k]);
    rw_status status =
        rw_case_fail_key(c, map, i, "%.120s is unknown; known are %s", name, list.data ? list.data : "none");
    rw_text_free(&list);
    return status;
}

/* Whether a key of the map that `section` does not know is `name` mistyped: that has been reported. */
static bool is_mistyped(const rw_case *c, const rw_tree *map, const rw_section *section, const char *name)
{
    for (int i = 0; map && map->kind == RW_TREE_MAP && i < map->n; i++) {
        const char *key = map->keys[i];
        if (rw_case_find_row(section, key) || (rw_case_is_top(section) && rw_case_find_section(c, key))) continue;
        if (rw_nearest(key, &name, 1)) return true;
    }
    return false;
}

static rw_status fail_missing(const rw_case *c, const rw_tree *map, const rw_section *section, const char *entry,
                              const rw_param *row)
{
    char name[200];
    rw_case_full_name(section, entry, row->name, name, sizeof(name));
    rw_text what = {0};
    rw_param_describe(row, &what);
    rw_status status = rw_case_fail(c, map && map->line ? map : NULL, "%s is missing: %s (%s), for example %s", name,
                                    row->line, what.data ? what.data : "", row->standard);
    rw_text_free(&what);
    return status;
}

/* A single value becomes the only member of a list. */
rw_status rw_case_wrap(const rw_case *c, rw_tree **slot)
{
    if ((*slot)->kind != RW_TREE_SCALAR) return RW_OK;
    rw_tree *list = rw_tree_new(c->ctx, RW_TREE_LIST, (*slot)->source), *item = *slot;
    if (!list || !(list->items = rw_calloc(1, sizeof(*list->items)))) {
        rw_tree_free(&list);
        return rw_fail_memory(c->ctx, sizeof(*list), "a list");
    }
    list->line = item->line;
    list->column = item->column;
    list->n = list->capacity = 1;
    list->items[0] = item;
    *slot = list;
    return RW_OK;
}

/* "none" for a list that may be empty is the empty list. */
static void take_none(const rw_param *row, rw_tree *node)
{
    const bool list = row->kind == RW_PARAM_INTS && !strncmp(row->allowed, "0..", 3);
    if (!list || node->kind != RW_TREE_SCALAR || node->quoted || strcmp(node->text, "none") != 0) return;
    rw_free(node->text);
    node->text = NULL;
    node->kind = RW_TREE_LIST;
}

/* "none" for a table whose first setting is such a list: "grid: none" is "grid: {size: []}". */
static rw_status take_none_of_table(const rw_case *c, rw_tree *node, const rw_section *section)
{
    if (section->form != RW_SECTION_TABLE || rw_section_count(section) == 0) return RW_OK;
    const rw_param *row = rw_section_row(section, 0);
    rw_tree *list = rw_tree_new(c->ctx, RW_TREE_SCALAR, node->source);
    if (!list) return RW_ERR_MEMORY;
    *list = *node;
    list->text = node->text ? rw_strdup(node->text) : NULL;
    take_none(row, list);
    if (list->kind != RW_TREE_LIST) {
        rw_tree_free(&list);
        return RW_OK;
    }
    rw_free(node->text);
    node->text = NULL;
    node->kind = RW_TREE_MAP;
    return rw_tree_put(c->ctx, node, row->name, list);
}

static rw_status check_value(const rw_case *c, rw_tree **slot, const rw_section *section, const char *entry,
                             const rw_param *row)
{
    char name[200];
    rw_case_full_name(section, entry, row->name, name, sizeof(name));
    if (row->kind == RW_PARAM_TEXTS) RW_TRY(rw_case_wrap(c, slot));
    take_none(row, *slot);
    return rw_param_read(c->ctx, row, name, rw_case_method(c, section), *slot, NULL);
}

/* An empty value where a map belongs is an empty map. */
rw_status rw_case_want_map(const rw_case *c, rw_tree *node, const char *name, const char *line)
{
    if (node->kind == RW_TREE_SCALAR && !*node->text && !node->quoted) {
        rw_free(node->text);
        node->text = NULL;
        node->kind = RW_TREE_MAP;
    }
    if (node->kind == RW_TREE_MAP) return RW_OK;
    return rw_case_fail(c, node, "%s is a %s, not a map of names to values: %s", name,
                        node->kind == RW_TREE_LIST ? "list" : "single value", line);
}

static rw_status check_table(const rw_case *c, rw_tree *map, const rw_section *section, const char *entry)
{
    for (int i = 0; map && i < map->n; i++) {
        const rw_param *row = rw_case_find_row(section, map->keys[i]);
        RW_NOTE(c->ctx,
                row ? check_value(c, &map->items[i], section, entry, row) : fail_unknown(c, map, i, section, entry));
    }
    for (int k = 0; k < rw_section_count(section); k++) {
        const rw_param *row = rw_section_row(section, k);
        if (row->required && !rw_tree_get(map, row->name) && !is_mistyped(c, map, section, row->name))
            RW_NOTE(c->ctx, fail_missing(c, map, section, entry, row));
    }
    return RW_OK;
}

/* Entry i of a section of free names. */
static rw_status check_entry(const rw_case *c, const rw_tree *map, int i, const rw_section *section)
{
    rw_tree *item = map->items[i];
    char name[200];
    snprintf(name, sizeof(name), "%s.%.100s", section->name, map->keys[i]);
    if (section->form == RW_SECTION_EACH) {
        RW_TRY(rw_case_want_map(c, item, name, section->line));
        return check_table(c, item, section, map->keys[i]);
    }
    if (section->form == RW_SECTION_NODES && item->kind != RW_TREE_SCALAR) return RW_OK;
    if (item->kind != RW_TREE_SCALAR)
        return rw_case_fail(c, item, "%s is a %s, not a single value: %s", name,
                            item->kind == RW_TREE_LIST ? "list" : "map", section->line);
    return *item->text ? RW_OK : rw_case_fail(c, item, "%s has no value: %s", name, section->line);
}

static rw_status check_section(const rw_case *c, rw_tree **slot, const rw_section *section)
{
    rw_tree *node = *slot;
    if (section->form == RW_SECTION_TEXTS) {
        static const rw_param texts = {.kind = RW_PARAM_TEXTS, .allowed = "", .unit = ""};
        rw_param row = texts;
        row.name = section->name;
        row.line = section->line;
        RW_TRY(rw_case_wrap(c, slot));
        return rw_param_read(c->ctx, &row, section->name, NULL, *slot, NULL);
    }
    if (node->kind == RW_TREE_SCALAR) RW_TRY(take_none_of_table(c, node, section));
    RW_TRY(rw_case_want_map(c, node, section->name, section->line));
    if (section->form == RW_SECTION_TABLE) return check_table(c, node, section, NULL);
    for (int i = 0; i < node->n; i++) RW_NOTE(c->ctx, check_entry(c, node, i, section));
    return RW_OK;
}

static rw_status find_problem(rw_case *c, const rw_problem_ops *const *problems)
{
    enum { MOST = 16 };
    const char *known[MOST];
    int n = 0;
    for (; n < MOST && problems[n]; n++) known[n] = problems[n]->name;
    rw_tree *node = rw_tree_get(c->root, "problem");
    if (!node) return RW_OK; /* reported as missing, after a mistyped key */
    if (node->kind != RW_TREE_SCALAR) return rw_case_fail(c, node, "problem must be a single name");
    for (int i = 0; i < n; i++)
        if (strcmp(known[i], node->text) == 0) c->problem = problems[i];
    if (c->problem) return RW_OK;
    const char *way = rw_topic_problem(node->text);
    if (way)
        return rw_case_fail(c, node, "problem = %.60s is unknown: %s (rechenwerk help %.60s)", node->text, way,
                            node->text);
    return rw_case_fail(c, node, "problem = %.60s is unknown%s", node->text, rw_hint_known(node->text, known, n).text);
}

static rw_status check_key(rw_case *c, int i, const rw_section *top)
{
    const char *key = c->root->keys[i];
    const rw_param *row = rw_case_find_row(top, key);
    const rw_section *s = row || strcmp(key, RW_SECTION_TOP) == 0 ? NULL : rw_case_find_section(c, key);
    if (row) return check_value(c, &c->root->items[i], top, NULL, row);
    if (s) return check_section(c, &c->root->items[i], s);
    if (c->problem || rw_nearest(key, (const char *const[]){"problem"}, 1))
        return fail_unknown(c, c->root, i, top, NULL);
    return RW_OK; /* what is known, the problem says */
}

rw_status rw_case_check(rw_case *c, const rw_problem_ops *const *problems)
{
    RW_TRY(rw_case_want_map(c, c->root, "the case", "sections such as grid: {size: [64, 64]}"));
    RW_TRY(find_problem(c, problems));
    RW_TRY(rw_case_check_set(c));
    const rw_section *top = rw_case_find_section(c, RW_SECTION_TOP), *s;
    for (int i = 0; i < c->root->n; i++) RW_NOTE(c->ctx, check_key(c, i, top));
    if (!c->problem) {
        if (is_mistyped(c, c->root, top, "problem")) return RW_ERR_INPUT; /* has been noted */
        return fail_missing(c, NULL, top, NULL, rw_case_find_row(top, "problem"));
    }
    for (int i = 0; (s = rw_case_section_at(c, i)); i++)
        if (s->form == RW_SECTION_TABLE && !rw_case_is_top(s) && !rw_tree_get(c->root, s->name) &&
            !is_mistyped(c, c->root, top, s->name))
            RW_NOTE(c->ctx, check_table(c, NULL, s, NULL));
    return RW_OK;
}
