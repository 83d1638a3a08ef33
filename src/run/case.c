/* A case: read, checked (case_check.c), and then asked for its settings.
 *
 *   file -> tree -> --set -> problem -> every key known, every value read once, every required one there
 *
 * After that the effective value of a setting is what the tree says, or else the default, a small tree of its own. */
#include "io/yaml.h"
#include "run/case_private.h"

#include "run/run_settings.h"

#include <stdio.h>
#include <string.h>

const rw_section *rw_case_section_at(const rw_case *c, int i)
{
    if (i < rw_nrun_sections) return &rw_run_sections[i];
    i -= rw_nrun_sections;
    return c->problem && i < c->problem->nsections ? &c->problem->sections[i] : NULL;
}

const rw_section *rw_case_find_section(const rw_case *c, const char *name)
{
    const rw_section *s;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

const rw_param *rw_case_find_row(const rw_section *section, const char *name)
{
    for (int i = 0; i < rw_section_count(section); i++)
        if (strcmp(rw_section_row(section, i)->name, name) == 0) return rw_section_row(section, i);
    return NULL;
}

bool rw_case_is_top(const rw_section *section) { return strcmp(section->name, RW_SECTION_TOP) == 0; }

/* "grid.size", "fields.u.initial", "device" */
void rw_case_full_name(const rw_section *section, const char *entry, const char *row, char *name, size_t size)
{
    if (rw_case_is_top(section)) snprintf(name, size, "%s", row);
    else snprintf(name, size, "%s%s%.60s.%s", section->name, entry ? "." : "", entry ? entry : "", row);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static rw_status fail_at(const rw_case *c, const char *place, const char *format, va_list args)
{
    char text[2048];
    rw_vsnprintf(text, sizeof(text), format, args);
    return rw_fail(c->ctx, RW_ERR_INPUT, "%s: %s", place, text);
}

rw_status rw_case_fail(const rw_case *c, const rw_tree *node, const char *format, ...)
{
    char place[512];
    snprintf(place, sizeof(place), "%s", c->path);
    if (node) rw_tree_place(node, place, sizeof(place));
    va_list args;
    va_start(args, format);
    rw_status status = fail_at(c, place, format, args);
    va_end(args);
    return status;
}

rw_status rw_case_fail_key(const rw_case *c, const rw_tree *map, int i, const char *format, ...)
{
    char place[512];
    rw_tree key = {.source = map->items[i]->source};
    key.line = map->key_place[i].line;
    key.column = map->key_place[i].column;
    rw_tree_place(&key, place, sizeof(place));
    va_list args;
    va_start(args, format);
    rw_status status = fail_at(c, place, format, args);
    va_end(args);
    return status;
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static rw_status make_default(const rw_case *c, const rw_param *row, rw_tree **node)
{
    static const char source[] = "default";
    if (row->kind == RW_PARAM_INTS || row->kind == RW_PARAM_REALS || row->kind == RW_PARAM_TEXTS) {
        RW_TRY(rw_yaml_parse(c->ctx, source, row->standard, strlen(row->standard), node));
        return (*node)->kind == RW_TREE_LIST ? RW_OK : rw_case_wrap(c, node);
    }
    *node = rw_tree_new(c->ctx, RW_TREE_SCALAR, source);
    if (!*node) return RW_ERR_MEMORY;
    if (((*node)->text = rw_strdup(rw_param_by_method(row) ? "auto" : row->standard))) return RW_OK;
    rw_tree_free(node);
    return rw_fail_memory(c->ctx, strlen(row->standard), "a default");
}

static rw_status make_defaults(rw_case *c)
{
    if (!(c->standard = rw_tree_new(c->ctx, RW_TREE_MAP, "default"))) return RW_ERR_MEMORY;
    const rw_section *s;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++) {
        rw_tree *map = rw_tree_new(c->ctx, RW_TREE_MAP, "default");
        if (!map) return RW_ERR_MEMORY;
        RW_TRY(rw_tree_put(c->ctx, c->standard, s->name, map));
        for (int k = 0; k < rw_section_count(s); k++) {
            const rw_param *row = rw_section_row(s, k);
            rw_tree *node;
            if (row->required || (row->kind == RW_PARAM_NODE && !*row->standard)) continue;
            RW_TRY(make_default(c, row, &node));
            RW_TRY(rw_tree_put(c->ctx, map, row->name, node));
        }
    }
    return RW_OK;
}

/* ---- create, use, destroy ---------------------------------------------------------------------------------------- */

/* "cases/laser.yaml": folder "cases/", name "laser". */
static rw_status split_path(rw_case *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    c->path = rw_strdup(path);
    c->folder = rw_strndup(path, (size_t)(file - path));
    c->name = dot && dot > file ? rw_strndup(file, (size_t)(dot - file)) : rw_strdup(file);
    return c->path && c->folder && c->name ? RW_OK : rw_fail_memory(c->ctx, strlen(path), "the path of the case");
}

/* Whether every section has its form, as the functions below say; values may be wrong. */
static bool has_forms(const rw_case *c)
{
    const rw_section *s;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++) {
        const rw_tree *node = rw_case_is_top(s) ? NULL : rw_tree_get(c->root, s->name);
        if (!node) continue;
        if (node->kind != (s->form == RW_SECTION_TEXTS ? RW_TREE_LIST : RW_TREE_MAP)) return false;
        for (int k = 0; k < node->n; k++) {
            rw_tree_kind kind = s->form == RW_SECTION_EACH ? RW_TREE_MAP : RW_TREE_SCALAR;
            const bool free_values = s->form == RW_SECTION_TABLE || s->form == RW_SECTION_NODES;
            if (!free_values && node->items[k]->kind != kind) return false;
        }
    }
    return true;
}

/* The case that its problem writes takes its place. */
static rw_status expand(rw_case *c, const rw_problem_ops *const *problems)
{
    const int mistakes = rw_mistakes_met();
    rw_tree *root;
    RW_TRY(c->problem->expand(c, &root));
    if (!root || rw_mistakes_met() > mistakes) {
        rw_tree_free(&root);
        return RW_OK;
    }
    c->written = c->root;
    c->layer = c->problem;
    c->root = root;
    c->problem = NULL;
    rw_tree_free(&c->standard);
    RW_TRY(rw_case_check(c, problems));
    return make_defaults(c);
}

/* Within a collector of mistakes: goes on after those that leave the rest readable. */
static rw_status read_and_check(rw_case *c, const char *path, const char *text, size_t n, const char *const *set,
                                int nset, const rw_problem_ops *const *problems)
{
    RW_TRY(split_path(c, path));
    RW_TRY(rw_yaml_parse(c->ctx, c->path, text, n, &c->root));
    RW_TRY(rw_case_want_map(c, c->root, "the case", "sections such as grid: {size: [64, 64]}"));
    for (int i = 0; i < nset; i++) RW_NOTE(c->ctx, rw_case_set(c, set[i]));
    RW_TRY(rw_case_check(c, problems));
    RW_TRY(make_defaults(c));
    if (c->problem->expand && has_forms(c)) RW_TRY(expand(c, problems));
    if (c->problem->expand) return RW_OK; /* a mistake has been noted */
    return c->problem->inspect && has_forms(c) ? c->problem->inspect(c) : RW_OK;
}

rw_status rw_case_parse(rw_context *ctx, const char *path, const char *text, size_t n, const char *const *set, int nset,
                        const rw_problem_ops *const *problems, rw_case **out)
{
    *out = NULL;
    rw_case *c = rw_calloc(1, sizeof(*c));
    if (!c) return rw_fail_memory(ctx, sizeof(*c), "a case");
    c->ctx = rw_context_retain(ctx);
    rw_mistakes mistakes;
    rw_mistakes_begin(&mistakes);
    rw_status status = rw_mistakes_end(ctx, &mistakes, read_and_check(c, path, text, n, set, nset, problems));
    if (status == RW_OK) {
        rw_case_warn_effects(c);
        *out = c;
    } else rw_case_free(&c);
    return status;
}

rw_status rw_case_read(rw_context *ctx, const char *path, const char *const *set, int nset,
                       const rw_problem_ops *const *problems, rw_case **c)
{
    char *text;
    size_t n;
    *c = NULL;
    rw_status read = rw_file_read(ctx, path, RW_YAML_BYTES, &text, &n);
    if (read == RW_ERR_FILE) return rw_fail_prefix(ctx, RW_ERR_INPUT, "no case"); /* the argument is wrong */
    if (read != RW_OK) return read;
    rw_status status = rw_case_parse(ctx, path, text, n, set, nset, problems, c);
    rw_free(text);
    return status;
}

void rw_case_free(rw_case **out)
{
    if (!out || !*out) return;
    rw_case *c = *out;
    *out = NULL;
    rw_tree_free(&c->root);
    rw_tree_free(&c->written);
    rw_tree_free(&c->standard);
    for (int i = 0; i < c->nsources; i++) rw_free(c->sources[i]);
    rw_free(c->sources);
    for (int i = 0; i < c->nnamed; i++) {
        rw_free(c->named[i].section);
        rw_free(c->named[i].key);
    }
    rw_free(c->named);
    rw_free(c->path);
    rw_free(c->name);
    rw_free(c->folder);
    rw_context_destroy(&c->ctx);
    rw_free(c);
}

rw_context *rw_case_context(const rw_case *c) { return c->ctx; }

const char *rw_case_file(const rw_case *c) { return c->path; }

const char *rw_case_name(const rw_case *c) { return c->name; }

const rw_problem_ops *rw_case_problem(const rw_case *c) { return c->problem; }

const rw_tree *rw_case_effective(const rw_case *c, const rw_section *section, const rw_param *row)
{
    const rw_tree *given = rw_case_is_top(section) ? c->root : rw_tree_get(c->root, section->name);
    given = rw_tree_get(given, row->name);
    return given ? given : rw_tree_get(rw_tree_get(c->standard, section->name), row->name);
}

const char *rw_case_method(const rw_case *c, const rw_section *section)
{
    const rw_param *row = rw_case_find_row(section, "method");
    const rw_tree *node = row ? rw_case_effective(c, section, row) : NULL;
    return node && node->kind == RW_TREE_SCALAR ? node->text : row ? row->standard : NULL;
}

rw_status rw_case_section(const rw_case *c, const char *name, void *structure)
{
    const rw_section *section = rw_case_find_section(c, name);
    if (!section || section->form != RW_SECTION_TABLE)
        return rw_fail(c->ctx, RW_ERR_INTERNAL, "rw_case_section: %s is not a table", name);
    memset(structure, 0, rw_section_params(section)->size);
    const char *method = rw_case_method(c, section);
    for (int i = 0; i < rw_section_count(section); i++) {
        const rw_tree *node = rw_case_effective(c, section, rw_section_row(section, i));
        char row[200];
        rw_case_full_name(section, NULL, rw_section_row(section, i)->name, row, sizeof(row));
        if (node) RW_TRY(rw_param_read(c->ctx, rw_section_row(section, i), row, method, node, structure));
    }
    return RW_OK;
}

rw_status rw_case_entry(const rw_case *c, const char *name, int i, void *structure)
{
    const rw_section *section = rw_case_find_section(c, name);
    const rw_tree *map = rw_case_node(c, name), *standard = rw_tree_get(c->standard, name);
    if (!section || section->form != RW_SECTION_EACH || !map || i < 0 || i >= map->n)
        return rw_fail(c->ctx, RW_ERR_INTERNAL, "rw_case_entry: %s has no entry %d", name, i);
    memset(structure, 0, rw_section_params(section)->size);
    for (int k = 0; k < rw_section_count(section); k++) {
        const rw_param *row = rw_section_row(section, k);
        const rw_tree *node = rw_tree_get(map->items[i], row->name);
        char full[200];
        rw_case_full_name(section, map->keys[i], row->name, full, sizeof(full));
        if (!node) node = rw_tree_get(standard, row->name);
        if (node) RW_TRY(rw_param_read(c->ctx, row, full, NULL, node, structure));
    }
    return RW_OK;
}

const rw_tree *rw_case_node(const rw_case *c, const char *name)
{
    const char *dot = strchr(name, '.');
    char section[64];
    if (!dot) return rw_tree_get(c->root, name);
    snprintf(section, sizeof(section), "%.*s", (int)(dot - name), name);
    return rw_tree_get(rw_tree_get(c->root, section), dot + 1);
}

char *rw_case_path(const rw_case *c, const char *given)
{
    return *given == '/' ? rw_strdup(given) : rw_format("%s%s", c->folder, given);
}
