/* The reader of YAML: events of libyaml become a tree; what a case has no use for is refused where it stands.
 *
 * Cost: O(bytes), and O(keys^2) string comparisons in each map, which has at most KEYS keys.
 * Not here: tags, merge keys ("<<" is a key like any other), several documents in a file, comments. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "io/yaml.h"

#define KEYS 1024 /* of one map */

typedef struct anchor {
    char *name;
    const rw_tree *node;
    bool open; /* still being read: an alias to it would contain itself */
} anchor;

typedef struct reader {
    rw_context *ctx;
    const char *source, *text;
    size_t length;
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; owned while has_event */
    bool has_event;
    anchor *anchors;
    int nanchors, anchor_capacity;
    int nodes;
    size_t bytes; /* of all scalars, to bound copies */
} reader;

static rw_status fail_at(reader *r, yaml_mark_t mark, const char *what)
{
    char place[320];
    rw_place(place, sizeof(place), r->source, mark.line + 1, mark.column + 1);
    return rw_fail(r->ctx, RW_ERR_INPUT, "%s: %s", place, what);
}

static void drop_event(reader *r)
{
    if (r->has_event) yaml_event_delete(&r->event);
    r->has_event = false;
}

static rw_status next_event(reader *r)
{
    drop_event(r);
    if (yaml_parser_parse(&r->parser, &r->event)) {
        r->has_event = true;
        return RW_OK;
    }
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "cannot be read";
    char what[320];
    switch (p->error) {
    case YAML_MEMORY_ERROR: return rw_fail_memory(r->ctx, r->length, "the YAML parser");
    case YAML_READER_ERROR: {
        size_t line = 1; /* libyaml gives the byte only */
        for (size_t i = 0; i < p->problem_offset && i < r->length; i++) line += r->text[i] == '\n';
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s:%zu: byte %zu: %s: the file must be UTF-8 text", r->source, line,
                       p->problem_offset + 1, problem);
    }
    default:
        snprintf(what, sizeof(what), "not YAML: %s%s%s", p->context ? p->context : "", p->context ? ": " : "", problem);
        return fail_at(r, p->problem_mark, what);
    }
}

/* One more node with this many bytes of text, or a failure when the tree is too large. */
static rw_status count(reader *r, yaml_mark_t mark, size_t bytes)
{
    r->bytes += bytes;
    if (++r->nodes <= RW_TREE_NODES && r->bytes <= 2 * RW_YAML_BYTES) return RW_OK;
    char what[160];
    snprintf(what, sizeof(what),
             "more than %d values or %zu bytes after expanding aliases: put data into another "
             "file",
             RW_TREE_NODES, 2 * RW_YAML_BYTES);
    return fail_at(r, mark, what);
}

/* Where the first line of a block scalar begins, whose '|' or '>' is at `mark`. */
static void find_block_text(const reader *r, yaml_mark_t mark, rw_tree *node)
{
    const char *p = r->text, *end = r->text + r->length;
    for (size_t line = 0; line <= mark.line && p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline ? newline + 1 : end;
    }
    const char *first = p;
    node->text_line = (int)mark.line + 2;
    for (; p < end && (*p == ' ' || *p == '\n' || *p == '\r'); p++)
        if (*p == '\n') {
            first = p + 1;
            node->text_line++;
        }
    node->text_column = (int)(p - first) + 1;
}

static rw_status read_scalar(reader *r, rw_tree *node)
{
    const yaml_event_t *e = &r->event;
    const char *value = (const char *)e->data.scalar.value;
    size_t length = e->data.scalar.length;
    if (memchr(value, 0, length)) return fail_at(r, e->start_mark, "a text contains a NUL character");
    RW_TRY(count(r, e->start_mark, length));
    yaml_scalar_style_t style = e->data.scalar.style;
    node->quoted = style != YAML_PLAIN_SCALAR_STYLE;
    node->text_line = node->line;
    node->text_column = node->column;
    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE) node->text_column++;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
        find_block_text(r, e->start_mark, node);
    node->text = rw_strndup(value, length);
    return node->text ? RW_OK : rw_fail_memory(r->ctx, length, "a YAML text");
}

/* A copy of a finished node, with its places; depth is that of the copy's root. */
static rw_status copy(reader *r, yaml_mark_t mark, const rw_tree *from, int depth, rw_tree **to)
{
    *to = NULL;
    if (depth > RW_TREE_DEPTH) return fail_at(r, mark, "the alias nests too deeply");
    RW_TRY(count(r, mark, from->text ? strlen(from->text) : 0));
    rw_tree *node = rw_tree_new(r->ctx, from->kind, from->source);
    if (!node) return RW_ERR_MEMORY;
    rw_status status = RW_OK;
    node->line = from->line;
    node->column = from->column;
    node->text_source = from->text_source;
    node->text_line = from->text_line;
    node->text_column = from->text_column;
    node->quoted = from->quoted;
    if (from->text && !(node->text = rw_strdup(from->text)))
        RW_TRY_GOTO(rw_fail_memory(r->ctx, strlen(from->text), "a YAML text"), failed);
    for (int i = 0; i < from->n; i++) {
        rw_tree *item;
        char *key = NULL;
        int line = 0, column = 0;
        RW_TRY_GOTO(copy(r, mark, from->items[i], depth + 1, &item), failed);
        if (from->kind == RW_TREE_MAP) {
            line = from->key_place[i].line;
            column = from->key_place[i].column;
            if (!(key = rw_strdup(from->keys[i]))) {
                rw_tree_free(&item);
                RW_TRY_GOTO(rw_fail_memory(r->ctx, strlen(from->keys[i]), "a YAML key"), failed);
            }
        }
        RW_TRY_GOTO(rw_tree_append(r->ctx, node, key, line, column, item), failed);
    }
    *to = node;
    return RW_OK;
failed:
    rw_tree_free(&node);
    return status;
}

static rw_status read_alias(reader *r, int depth, rw_tree **node)
{
    const char *name = (const char *)r->event.data.alias.anchor;
    for (int i = r->nanchors - 1; i >= 0; i--) { /* the last anchor of a name counts */
        if (strcmp(r->anchors[i].name, name) != 0) continue;
        if (r->anchors[i].open)
            return fail_at(r, r->event.start_mark,
                           "an alias refers to the value that contains "
                           "it");
        return copy(r, r->event.start_mark, r->anchors[i].node, depth, node);
    }
    char what[160];
    snprintf(what, sizeof(what), "there is no anchor *%.60s: define it earlier with &%.20s", name, name);
    return fail_at(r, r->event.start_mark, what);
}

/* Remembers the anchor of the event, if it has one; *index is -1 otherwise. */
static rw_status add_anchor(reader *r, const yaml_char_t *name, const rw_tree *node, int *index)
{
    *index = -1;
    if (!name) return RW_OK;
    if (r->nanchors >= KEYS) return fail_at(r, r->event.start_mark, "too many anchors");
    char *text = rw_strdup((const char *)name);
    if (!text || !rw_grow(&r->anchors, &r->anchor_capacity, r->nanchors + 1, sizeof(*r->anchors))) {
        rw_free(text);
        return rw_fail_memory(r->ctx, sizeof(anchor), "a YAML anchor");
    }
    *index = r->nanchors++;
    r->anchors[*index] = (anchor){text, node, true};
    return RW_OK;
}

static rw_status read_node(reader *r, int depth, rw_tree **node);

static rw_status read_list(reader *r, int depth, rw_tree *list)
{
    for (;;) {
        RW_TRY(next_event(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT) return RW_OK;
        rw_tree *item;
        RW_TRY(read_node(r, depth + 1, &item));
        RW_TRY(rw_tree_append(r->ctx, list, NULL, 0, 0, item));
    }
}

static rw_status read_key(reader *r, const rw_tree *map, char **key)
{
    const yaml_event_t *e = &r->event;
    if (e->type != YAML_SCALAR_EVENT) return fail_at(r, e->start_mark, "a key must be a plain name");
    const char *text = (const char *)e->data.scalar.value;
    if (e->data.scalar.anchor || e->data.scalar.tag || memchr(text, 0, e->data.scalar.length))
        return fail_at(r, e->start_mark, "a key must be a plain name, without anchor, tag or NUL");
    int first = rw_tree_index(map, text);
    if (first >= 0) {
        char what[160];
        snprintf(what, sizeof(what), "the key '%.60s' is given twice; the first is in line %d", text,
                 map->key_place[first].line);
        return fail_at(r, e->start_mark, what);
    }
    if (map->n >= KEYS) return fail_at(r, e->start_mark, "too many keys in one map");
    RW_TRY(count(r, e->start_mark, e->data.scalar.length));
    *key = rw_strndup(text, e->data.scalar.length);
    return *key ? RW_OK : rw_fail_memory(r->ctx, e->data.scalar.length, "a YAML key");
}

static rw_status read_map(reader *r, int depth, rw_tree *map)
{
    for (;;) {
        RW_TRY(next_event(r));
        if (r->event.type == YAML_MAPPING_END_EVENT) return RW_OK;
        char *key;
        int line = (int)r->event.start_mark.line + 1, column = (int)r->event.start_mark.column + 1;
        RW_TRY(read_key(r, map, &key));
        rw_tree *item = NULL;
        rw_status status = next_event(r);
        if (status == RW_OK) status = read_node(r, depth + 1, &item);
        if (status != RW_OK) {
            rw_free(key);
            return status;
        }
        RW_TRY(rw_tree_append(r->ctx, map, key, line, column, item));
    }
}

/* The node that begins with the current event. */
static rw_status read_node(reader *r, int depth, rw_tree **node)
{
    *node = NULL;
    yaml_event_t *e = &r->event;
    if (depth > RW_TREE_DEPTH) return fail_at(r, e->start_mark, "values are nested too deeply");
    if (e->type == YAML_ALIAS_EVENT) return read_alias(r, depth, node);
    rw_tree_kind kind = RW_TREE_SCALAR;
    const yaml_char_t *name = NULL, *tag = NULL;
    if (e->type == YAML_SCALAR_EVENT) {
        name = e->data.scalar.anchor;
        tag = e->data.scalar.tag;
    } else if (e->type == YAML_SEQUENCE_START_EVENT) {
        kind = RW_TREE_LIST;
        name = e->data.sequence_start.anchor;
        tag = e->data.sequence_start.tag;
    } else if (e->type == YAML_MAPPING_START_EVENT) {
        kind = RW_TREE_MAP;
        name = e->data.mapping_start.anchor;
        tag = e->data.mapping_start.tag;
    } else {
        return fail_at(r, e->start_mark, "a value is missing");
    }
    if (tag)
        return fail_at(r, e->start_mark,
                       "a tag (!) is not allowed: omit it, the type of a value follows from "
                       "its name");

    rw_tree *made = rw_tree_new(r->ctx, kind, r->source);
    if (!made) return RW_ERR_MEMORY;
    made->line = (int)e->start_mark.line + 1;
    made->column = (int)e->start_mark.column + 1;
    rw_status status;
    int index;
    RW_TRY_GOTO(add_anchor(r, name, made, &index), failed);
    if (kind == RW_TREE_SCALAR) {
        RW_TRY_GOTO(read_scalar(r, made), failed);
    } else {
        RW_TRY_GOTO(count(r, e->start_mark, 0), failed);
        RW_TRY_GOTO(kind == RW_TREE_LIST ? read_list(r, depth, made) : read_map(r, depth, made), failed);
    }
    if (index >= 0) r->anchors[index].open = false;
    *node = made;
    return RW_OK;
failed: /* an anchor may still point to it, but nothing is read any more */
    rw_tree_free(&made);
    return status;
}

static rw_status read_document(reader *r, rw_tree **tree)
{
    RW_TRY(next_event(r)); /* stream start */
    RW_TRY(next_event(r));
    if (r->event.type == YAML_STREAM_END_EVENT) {
        *tree = rw_tree_new(r->ctx, RW_TREE_MAP, r->source);
        return *tree ? RW_OK : RW_ERR_MEMORY;
    }
    RW_TRY(next_event(r)); /* the document has started */
    RW_TRY(read_node(r, 0, tree));
    RW_TRY(next_event(r)); /* document end */
    RW_TRY(next_event(r));
    if (r->event.type == YAML_STREAM_END_EVENT) return RW_OK;
    return fail_at(r, r->event.start_mark, "a second document begins: one file holds one case");
}

rw_status rw_yaml_parse(rw_context *ctx, const char *source, const char *text, size_t n, rw_tree **tree)
{
    *tree = NULL;
    if (n > RW_YAML_BYTES)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %zu bytes are more than the %zu allowed: put data into another file",
                       source, n, RW_YAML_BYTES);
    text = rw_skip_mark(text, &n); /* libyaml takes one before the first key for the end of a document */
    reader r = {.ctx = ctx, .source = source, .text = text, .length = n};
    if (!yaml_parser_initialize(&r.parser)) return rw_fail_memory(ctx, sizeof(r.parser), "the YAML parser");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
    rw_status status = read_document(&r, tree);
    if (status != RW_OK) rw_tree_free(tree);
    drop_event(&r);
    yaml_parser_delete(&r.parser);
    for (int i = 0; i < r.nanchors; i++) rw_free(r.anchors[i].name);
    rw_free(r.anchors);
    return status;
}
