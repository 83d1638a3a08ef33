/* --set section.key=value: the value is YAML ([64, 64], "a*b"), put into the tree as if the case had said so.
 *
 * It changes what the case or the tables of settings have. A name of the user's own (a parameter, a field, a check)
 * that the case does not have is a mistake, unless it is added on purpose: --set 'parameters.new!=0.4'. Not here: what
 * a name means. A wrong one is found with all others when the tree is checked, and the message begins with the
 * assignment itself, since it has no line; places within its text follow "--set key, ". */
#include "io/yaml.h"
#include "run/case_private.h"

#include <string.h>

/* An assignment in its parts. */
typedef struct assignment {
    const char *source;      /* "--set time.end=2", "-d cpu:": what messages name */
    const char *text_source; /* "--set time.end,": the same before a place within the value */
    char *keys;              /* "time.end" */
    const char *value;
    bool plain; /* the value is a text, not YAML */
    bool added; /* key!=value */
} assignment;

/* Values of an assignment have no place in a file, but texts have one in the assignment. */
static void forget_places(rw_tree *node, const assignment *a)
{
    node->source = a->source;
    node->text_source = a->text_source;
    node->line = node->column = 0;
    for (int i = 0; i < node->n; i++) {
        if (node->key_place) node->key_place[i].line = node->key_place[i].column = 0;
        forget_places(node->items[i], a);
    }
}

/* A plain text of several lines: YAML would join them, and equations need them. */
static bool is_lines(const rw_tree *node, const assignment *a)
{
    return node->kind == RW_TREE_SCALAR && !node->quoted && strchr(a->value, '\n');
}

static rw_status parse_value(rw_case *c, const assignment *a, rw_tree **node)
{
    if (*a->value && !a->plain) {
        RW_TRY(rw_yaml_parse(c->ctx, a->text_source, a->value, strlen(a->value), node));
        forget_places(*node, a);
        if (!is_lines(*node, a)) return RW_OK;
        rw_tree_free(node);
    }
    *node = rw_tree_new(c->ctx, RW_TREE_SCALAR, a->source);
    if (!*node) return RW_ERR_MEMORY;
    (*node)->quoted = !*a->value; /* given, and empty */
    (*node)->text_source = a->text_source;
    (*node)->text_line = (*node)->text_column = 1;
    if (!((*node)->text = rw_strdup(a->value))) {
        rw_tree_free(node);
        return rw_fail_memory(c->ctx, 1, "a value");
    }
    return RW_OK;
}

/* The map below `map` that `key` leads to, made when it is not there. */
static rw_status descend(rw_case *c, const char *source, rw_tree *map, const char *key, rw_tree **below)
{
    rw_tree *old = rw_tree_get(map, key);
    bool empty = old && old->kind == RW_TREE_SCALAR && !*old->text && !old->quoted;
    if (old && !empty) {
        if (old->kind != RW_TREE_MAP)
            return rw_fail(c->ctx, RW_ERR_INPUT, "%s: '%s' is a %s in %s: set it as a whole", source, key,
                           old->kind == RW_TREE_LIST ? "list" : "single value", c->path);
        *below = old;
        return RW_OK;
    }
    rw_tree *made = rw_tree_new(c->ctx, RW_TREE_MAP, source);
    if (!made) return RW_ERR_MEMORY;
    RW_TRY(rw_tree_put(c->ctx, map, key, made));
    *below = made;
    return RW_OK;
}

/* Keeps a text as long as the case; NULL (memory) fails. */
static rw_status own(rw_case *c, char *text)
{
    if (!text || !rw_grow(&c->sources, &c->source_capacity, c->nsources + 1, sizeof(*c->sources))) {
        rw_free(text);
        return rw_fail_memory(c->ctx, 64, "--set");
    }
    c->sources[c->nsources++] = text;
    return RW_OK;
}

/* "-d cpu" and "--until 2" are settings that options of the command stand for. */
static rw_status split(rw_case *c, const char *text, assignment *a)
{
    static const struct {
        const char *option, *key;
    } options[] = {{"-d ", "device"}, {"--until ", "time.end"}};
    *a = (assignment){0};
    for (int i = 0; i < RW_COUNT(options); i++) {
        size_t n = strlen(options[i].option);
        if (strncmp(text, options[i].option, n) != 0) continue;
        a->plain = true;
        a->value = text + n;
        RW_TRY(own(c, rw_strdup(text)));
        a->source = c->sources[c->nsources - 1];
        RW_TRY(own(c, rw_format("%.*s,", (int)n - 1, text)));
        a->text_source = c->sources[c->nsources - 1];
        a->keys = rw_strdup(options[i].key);
        return a->keys ? RW_OK : rw_fail_memory(c->ctx, 16, "--set");
    }
    const char *equals = strchr(text, '=');
    a->added = equals && equals > text && equals[-1] == '!';
    size_t n = equals ? (size_t)(equals - text) - a->added : 0;
    if (n == 0)
        return rw_fail(c->ctx, RW_ERR_INPUT, "--set %s: must be section.key=value, for example --set time.end=2", text);
    a->value = equals + 1;
    RW_TRY(own(c, rw_format("--set %s", text)));
    a->source = c->sources[c->nsources - 1];
    RW_TRY(own(c, rw_format("--set %.*s,", (int)n, text)));
    a->text_source = c->sources[c->nsources - 1];
    a->keys = rw_strndup(text, n);
    return a->keys ? RW_OK : rw_fail_memory(c->ctx, n, "--set");
}

/* Remembers "section.key" of an assignment for rw_case_check_set. */
static rw_status remember(rw_case *c, const assignment *a)
{
    const char *dot = strchr(a->keys, '.');
    if (!dot && !a->added) return RW_OK;
    if (!dot)
        return rw_fail(c->ctx, RW_ERR_INPUT, "%s: '!=' adds a name to a section, such as parameters.new!=0.4",
                       a->source);
    if (!rw_grow(&c->named, &c->named_capacity, c->nnamed + 1, sizeof(*c->named)))
        return rw_fail_memory(c->ctx, sizeof(*c->named), "--set");
    rw_case_named *n = &c->named[c->nnamed];
    *n = (rw_case_named){.source = a->source, .added = a->added};
    n->section = rw_strndup(a->keys, (size_t)(dot - a->keys));
    n->key = rw_strndup(dot + 1, strcspn(dot + 1, "."));
    c->nnamed++;
    if (!n->section || !n->key) return rw_fail_memory(c->ctx, strlen(a->keys), "--set");
    n->existed = rw_tree_get(rw_tree_get(c->root, n->section), n->key) != NULL;
    return RW_OK;
}

static rw_status put(rw_case *c, assignment *a)
{
    rw_tree *map = c->root, *value = NULL;
    char *key = a->keys, *dot;
    for (const char *k = key; k; k = (k = strchr(k, '.')) ? k + 1 : NULL)
        if (!*k || *k == '.') return rw_fail(c->ctx, RW_ERR_INPUT, "%s: a name is missing next to a dot", a->source);
    RW_TRY(remember(c, a));
    RW_TRY(parse_value(c, a, &value));
    for (; (dot = strchr(key, '.')); key = dot + 1) {
        *dot = '\0';
        rw_status status = descend(c, a->source, map, key, &map);
        if (status == RW_OK) continue;
        rw_tree_free(&value);
        return status;
    }
    return rw_tree_put(c->ctx, map, key, value);
}

rw_status rw_case_set(rw_case *c, const char *text)
{
    assignment a;
    rw_status status = split(c, text, &a);
    if (status == RW_OK) status = put(c, &a);
    rw_free(a.keys);
    return status;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static rw_status check_named(const rw_case *c, const rw_case_named *n, const rw_section *s)
{
    enum { MOST = 64 };
    const char *names[MOST];
    bool open = s->form != RW_SECTION_TABLE && s->form != RW_SECTION_TEXTS;
    if (!open && n->added)
        return rw_fail(c->ctx, RW_ERR_INPUT,
                       "%s: '!=' adds names to sections of free names, but %s has fixed settings: use %s.%s=value",
                       n->source, s->name, s->name, n->key);
    if (open && n->added && n->existed)
        return rw_fail(c->ctx, RW_ERR_INPUT,
                       "%s: %s.%s is already in the case: change it with =, or add another "
                       "name",
                       n->source, s->name, n->key);
    if (!open || n->added || n->existed) return RW_OK;
    const rw_tree *map = rw_tree_get(c->root, s->name);
    rw_text text = {0};
    int count = 0;
    for (int i = 0; map && map->kind == RW_TREE_MAP && i < map->n && count < MOST; i++) {
        bool made = false; /* by another --set */
        for (int k = 0; k < c->nnamed; k++)
            made = made || (!c->named[k].existed && !strcmp(c->named[k].section, s->name) &&
                            !strcmp(c->named[k].key, map->keys[i]));
        if (!made) names[count++] = map->keys[i];
    }
    const char *nearest = rw_nearest(n->key, names, count);
    if (nearest) rw_text_add(&text, "nearest is %s.%s", s->name, nearest);
    else rw_text_add(&text, "%s", count ? "it has " : "this section has no names");
    for (int i = 0; !nearest && i < count; i++) rw_text_add(&text, "%s%s.%s", i ? ", " : "", s->name, names[i]);
    rw_status status =
        rw_fail(c->ctx, RW_ERR_INPUT, "%s: %s.%s is not in the case; %.400s; to add it: --set '%s.%s!=…'", n->source,
                s->name, n->key, text.data ? text.data : "", s->name, n->key);
    rw_text_free(&text);
    return status;
}

rw_status rw_case_check_set(rw_case *c)
{
    for (int i = 0; i < c->nnamed; i++) {
        const rw_case_named *n = &c->named[i];
        const rw_section *s = rw_case_find_section(c, n->section);
        rw_status status = s && !rw_case_is_top(s) ? check_named(c, n, s) : RW_OK;
        if (status == RW_OK) continue;
        if (!rw_mistake(c->ctx, status)) return status;
        /* what follows from it is no other mistake */
        if (!n->existed) rw_tree_remove(rw_tree_get(c->root, n->section), n->key);
    }
    return RW_OK;
}
