/* --set section.key=value: the value is YAML ([64, 64], "a*b"), put into the tree as if the case had said so.
 *
 * Not here: what a name means. A wrong one is found with all others when the tree is checked, and the message begins
 * with the assignment itself, since it has no line. */
#include "problem/case_private.h"

#include <string.h>

/* Values of an assignment have no place in a file. */
static void forget_places(rw_yaml *node)
{
    node->line = node->column = node->text_line = node->text_column = 0;
    for (int i = 0; i < node->n; i++) {
        if (node->key_place) node->key_place[i].line = node->key_place[i].column = 0;
        forget_places(node->items[i]);
    }
}

static rw_status parse_value(rw_case *c, const char *source, const char *value, rw_yaml **node)
{
    if (*value) {
        RW_TRY(rw_yaml_parse(c->ctx, source, value, strlen(value), node));
        forget_places(*node);
        return RW_OK;
    }
    *node = rw_yaml_new(c->ctx, RW_YAML_SCALAR, source);
    if (!*node) return RW_ERR_MEMORY;
    (*node)->quoted = true; /* given, and empty */
    if (!((*node)->text = rw_strdup(""))) {
        rw_yaml_free(node);
        return rw_fail_memory(c->ctx, 1, "a value");
    }
    return RW_OK;
}

/* The map below `map` that `key` leads to, made when it is not there. */
static rw_status descend(rw_case *c, const char *source, rw_yaml *map, const char *key, rw_yaml **below)
{
    rw_yaml *old = rw_yaml_get(map, key);
    bool empty = old && old->kind == RW_YAML_SCALAR && !*old->text && !old->quoted;
    if (old && !empty) {
        if (old->kind != RW_YAML_MAP)
            return rw_fail(c->ctx, RW_ERR_INPUT, "%s: '%s' is a %s in %s: set it as a whole", source, key,
                           old->kind == RW_YAML_LIST ? "list" : "single value", c->path);
        *below = old;
        return RW_OK;
    }
    rw_yaml *made = rw_yaml_new(c->ctx, RW_YAML_MAP, source);
    if (!made) return RW_ERR_MEMORY;
    RW_TRY(rw_yaml_put(c->ctx, map, key, made));
    *below = made;
    return RW_OK;
}

rw_status rw_case_set(rw_case *c, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return rw_fail(c->ctx, RW_ERR_INPUT, "--set %s: give section.key=value, for example --set time.end=2",
                       assignment);
    char *source = rw_format("--set %s", assignment);
    char *keys = rw_strndup(assignment, (size_t)(equals - assignment));
    rw_status status = RW_OK;
    if (!source || !keys || !rw_grow(&c->sources, &c->source_capacity, c->nsources + 1, sizeof(*c->sources))) {
        rw_free(source);
        rw_free(keys);
        return rw_fail_memory(c->ctx, strlen(assignment) + 7, "--set");
    }
    c->sources[c->nsources++] = source;

    rw_yaml *map = c->root, *value = NULL;
    char *key = keys, *dot;
    for (; (dot = strchr(key, '.')); key = dot + 1) {
        *dot = '\0';
        if (!*key || !dot[1])
            RW_TRY_GOTO(rw_fail(c->ctx, RW_ERR_INPUT, "%s: a name is missing beside a point", source), done);
        RW_TRY_GOTO(descend(c, source, map, key, &map), done);
    }
    RW_TRY_GOTO(parse_value(c, source, equals + 1, &value), done);
    status = rw_yaml_put(c->ctx, map, key, value);
done:
    rw_free(keys);
    return status;
}
