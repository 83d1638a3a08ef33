/* Trees of YAML: made, searched, compared with numbers, written back. The reader is src/io/yaml.c. */
#include "param/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void rw_tree_place(const rw_tree *node, char *place, size_t size)
{
    const char *source = node->source ? node->source : "?";
    if (node->line > 0) rw_place(place, size, source, (size_t)node->line, (size_t)node->column);
    else snprintf(place, size, "%s", source);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

rw_tree *rw_tree_new(rw_context *ctx, rw_tree_kind kind, const char *source)
{
    rw_tree *node = rw_calloc(1, sizeof(*node));
    if (!node) {
        rw_fail_memory(ctx, sizeof(*node), "a YAML value");
        return NULL;
    }
    node->kind = kind;
    node->source = node->text_source = source;
    return node;
}

void rw_tree_free(rw_tree **tree)
{
    if (!tree || !*tree) return;
    rw_tree *node = *tree;
    *tree = NULL;
    for (int i = 0; i < node->n; i++) {
        rw_tree_free(&node->items[i]);
        if (node->keys) rw_free(node->keys[i]);
    }
    rw_free(node->items);
    rw_free(node->keys);
    rw_free(node->key_place);
    rw_free(node->text);
    rw_free(node);
}

int rw_tree_index(const rw_tree *map, const char *key)
{
    if (!map || map->kind != RW_TREE_MAP) return -1;
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->keys[i], key) == 0) return i;
    return -1;
}

rw_tree *rw_tree_get(const rw_tree *map, const char *key)
{
    int i = rw_tree_index(map, key);
    return i < 0 ? NULL : map->items[i];
}

rw_status rw_tree_append(rw_context *ctx, rw_tree *node, char *key, int line, int column, rw_tree *item)
{
    int of_items = node->capacity, of_keys = node->capacity, of_places = node->capacity;
    bool room = rw_grow(&node->items, &of_items, node->n + 1, sizeof(*node->items));
    if (room && node->kind == RW_TREE_MAP)
        room = rw_grow(&node->keys, &of_keys, node->n + 1, sizeof(*node->keys)) &&
               rw_grow(&node->key_place, &of_places, node->n + 1, sizeof(*node->key_place));
    if (!room) {
        rw_free(key);
        rw_tree_free(&item);
        return rw_fail_memory(ctx, (size_t)node->n * sizeof(*node->items), "a YAML tree");
    }
    node->capacity = of_items;
    node->items[node->n] = item;
    if (node->kind == RW_TREE_MAP) {
        node->keys[node->n] = key;
        node->key_place[node->n].line = line;
        node->key_place[node->n].column = column;
    }
    node->n++;
    return RW_OK;
}

rw_status rw_tree_put(rw_context *ctx, rw_tree *map, const char *key, rw_tree *item)
{
    int i = rw_tree_index(map, key);
    if (i >= 0) {
        rw_tree_free(&map->items[i]);
        map->items[i] = item;
        return RW_OK;
    }
    char *copy = rw_strdup(key);
    if (!copy) {
        rw_tree_free(&item);
        return rw_fail_memory(ctx, strlen(key) + 1, "a YAML key");
    }
    return rw_tree_append(ctx, map, copy, item->line, item->column, item);
}

void rw_tree_remove(rw_tree *map, const char *key)
{
    int i = rw_tree_index(map, key);
    if (i < 0) return;
    rw_tree_free(&map->items[i]);
    rw_free(map->keys[i]);
    map->n--;
    size_t after = (size_t)(map->n - i);
    memmove(map->items + i, map->items + i + 1, after * sizeof(*map->items));
    memmove(map->keys + i, map->keys + i + 1, after * sizeof(*map->keys));
    memmove(map->key_place + i, map->key_place + i + 1, after * sizeof(*map->key_place));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

bool rw_tree_number(const rw_tree *node, double *value)
{
    if (!node || node->kind != RW_TREE_SCALAR) return false;
    const char *p = node->text, *body = p + (*p == '+' || *p == '-');
    if (*body == '.' && isalpha((unsigned char)body[1])) body++;
    if (strcasecmp(body, "inf") == 0 || strcasecmp(body, "nan") == 0) {
        *value = strcasecmp(body, "nan") == 0 ? (double)NAN : (double)INFINITY;
        if (*p == '-') *value = -*value;
        return true;
    }
    int digits = 0;
    body = p + (*p == '+' || *p == '-');
    for (; isdigit((unsigned char)*body); body++) digits++;
    if (*body == '.') body++;
    for (; isdigit((unsigned char)*body); body++) digits++;
    if (digits == 0) return false;
    if (*body == 'e' || *body == 'E') {
        body += 1 + (body[1] == '+' || body[1] == '-');
        if (!isdigit((unsigned char)*body)) return false;
        while (isdigit((unsigned char)*body)) body++;
    }
    if (*body) return false;
    *value = rw_strtod(p, NULL);
    return true;
}

/* Whether the text needs no quotes in flow YAML. */
static bool plain(const char *text)
{
    if (!*text || strchr(" -?:,[]{}#&*!|>'\"%@`~", *text)) {
        if (*text != '-' || !(isdigit((unsigned char)text[1]) || text[1] == '.')) return false;
    }
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e || strchr(",[]{}#:", *p)) return false;
    return text[strlen(text) - 1] != ' ';
}

unsigned rw_tree_unprintable(const char *text, int *bytes)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned c = p[0];
    *bytes = c < 0xc0 || !p[1] ? 1 : c < 0xe0 || !p[2] ? 2 : c < 0xf0 || !p[3] ? 3 : 4;
    if (*bytes == 2) c = (c & 0x1fu) << 6 | (p[1] & 0x3fu);
    if (*bytes == 3) c = (c & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    if (*bytes == 1 && c >= 0x80) return c; /* a piece of a character */
    if (*bytes == 4) return 0;
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfffe ? c : 0;
}

static void write_text(const char *value, rw_text *text)
{
    rw_text_add(text, "\"");
    for (int bytes; *value; value += bytes) {
        unsigned c = rw_tree_unprintable(value, &bytes);
        if (c == '\n') rw_text_add(text, "\\n");
        else if (c) rw_text_add(text, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
        else {
            rw_text_add(text, *value == '"' || *value == '\\' ? "\\" : "");
            rw_text_add_bytes(text, value, (size_t)bytes);
        }
    }
    rw_text_add(text, "\"");
}

void rw_tree_write(const rw_tree *node, rw_text *text)
{
    if (node->kind == RW_TREE_SCALAR) {
        if (!node->quoted && plain(node->text)) rw_text_add(text, "%s", node->text);
        else write_text(node->text, text);
        return;
    }
    bool map = node->kind == RW_TREE_MAP;
    rw_text_add(text, map ? "{" : "[");
    for (int i = 0; i < node->n; i++) {
        if (i) rw_text_add(text, ", ");
        if (map) {
            if (plain(node->keys[i])) rw_text_add(text, "%s: ", node->keys[i]);
            else {
                write_text(node->keys[i], text);
                rw_text_add(text, ": ");
            }
        }
        rw_tree_write(node->items[i], text);
    }
    rw_text_add(text, map ? "}" : "]");
}
