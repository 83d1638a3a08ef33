/* The effective settings of a case: as YAML with the origin of each value, and as a hash.
 *
 *   grid:
 *     size: [256, 256]              # heat.yaml:2:14
 *     order: 2                      # default
 *
 * The hash is that of the same settings in one fixed form (numbers as %.17g, tables in the order of their rows), so
 * that 1e-5 and 0.00001 are the same case, from the file or from --set. */
#include "run/case_private.h"

#include <stdio.h>
#include <string.h>

#define COLUMN 40 /* of the comments */

/* ---- YAML with provenance ---------------------------------------------------------------------------------------- */

static void write_line(rw_text *text, int indent, const char *key, const rw_tree *node)
{
    char place[320];
    size_t begin = text->length;
    rw_text_add(text, "%*s%s%s", indent, "", key, *key ? ": " : "- ");
    rw_tree_write(node, text);
    size_t width = text->length - begin;
    if (strcmp(node->source, "default") == 0) snprintf(place, sizeof(place), "default");
    else rw_tree_place(node, place, sizeof(place));
    int bytes; /* a --set of several lines stays in its comment */
    for (char *p = place; *p; p += bytes)
        if (rw_tree_unprintable(p, &bytes)) memset(p, ' ', (size_t)bytes);
    rw_text_add(text, "%*s # %s\n", width < COLUMN ? (int)(COLUMN - width) : 0, "", place);
}

static void write_key(rw_text *text, int indent, const rw_tree *map, int i)
{
    rw_tree key = {.kind = RW_TREE_SCALAR, .text = map->keys[i]};
    rw_text_add(text, "%*s", indent, "");
    rw_tree_write(&key, text);
    rw_text_add(text, ":\n");
}

/* A map of the user's: entries of EACH by their rows, values of MAP one a line. */
static void write_free(const rw_tree *node, rw_text *text)
{
    for (int i = 0; i < node->n; i++) {
        const rw_tree *item = node->items[i];
        if (node->kind == RW_TREE_LIST) {
            write_line(text, 2, "", item);
        } else if (item->kind == RW_TREE_MAP && item->n > 0) {
            write_key(text, 2, node, i);
            for (int k = 0; k < item->n; k++) write_line(text, 4, item->keys[k], item->items[k]);
        } else {
            rw_tree key = {.kind = RW_TREE_SCALAR, .text = node->keys[i]};
            rw_text name = {0};
            rw_tree_write(&key, &name);
            if (name.data) write_line(text, 2, name.data, item);
            text->failed |= name.failed;
            rw_text_free(&name);
        }
    }
}

static void write_section(const rw_case *c, const rw_section *s, rw_text *text)
{
    bool top = strcmp(s->name, RW_SECTION_TOP) == 0;
    if (s->form == RW_SECTION_TABLE) {
        if (!top) rw_text_add(text, "%s:\n", s->name);
        for (int k = 0; k < rw_section_count(s); k++) {
            const rw_tree *node = rw_case_effective(c, s, rw_section_row(s, k));
            if (node) write_line(text, top ? 0 : 2, rw_section_row(s, k)->name, node);
        }
        return;
    }
    const rw_tree *node = rw_case_node(c, s->name);
    if (!node || node->n == 0) return;
    rw_text_add(text, "%s:\n", s->name);
    write_free(node, text);
}

rw_status rw_case_write(const rw_case *c, rw_text *text)
{
    rw_text_add(text,
                "# Effective settings, each with where it came from.\n# Input files are relative to the folder of %s\n",
                c->path);
    const rw_section *s;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++) write_section(c, s, text);
    return text->failed ? rw_fail_memory(c->ctx, text->length, "the effective settings") : RW_OK;
}

/* ---- YAML without defaults --------------------------------------------------------------------------------------- */

enum { WIDTH = 100 };

static void write_node(const rw_tree *node, int indent, rw_text *text);

/* In the same line where it fits; a text of several lines as a block. */
static void write_value(const rw_tree *node, int indent, rw_text *text)
{
    rw_text line = {0};
    const bool block = node->kind == RW_TREE_SCALAR && strchr(node->text, '\n');
    if (!block) rw_tree_write(node, &line);
    if (block) {
        rw_text_add(text, " |\n");
        for (const char *p = node->text; *p; p += strcspn(p, "\n"), p += *p == '\n')
            rw_text_add(text, "%*s%.*s\n", indent + 2, "", (int)strcspn(p, "\n"), p);
    } else if (node->kind == RW_TREE_SCALAR || !node->n || (line.data && line.length + (size_t)indent < WIDTH)) {
        rw_text_add(text, " %s\n", line.data ? line.data : "");
    } else {
        rw_text_add(text, "\n");
        write_node(node, indent + 2, text);
    }
    text->failed |= line.failed;
    rw_text_free(&line);
}

/* A map or a list, an entry or member a line. */
static void write_node(const rw_tree *node, int indent, rw_text *text)
{
    for (int i = 0; i < node->n; i++) {
        rw_text_add(text, "%*s", indent, "");
        if (node->kind == RW_TREE_LIST) {
            rw_text_add(text, "-");
        } else {
            const rw_tree key = {.kind = RW_TREE_SCALAR, .text = node->keys[i]};
            rw_tree_write(&key, text);
            rw_text_add(text, ":");
        }
        write_value(node->items[i], indent, text);
    }
}

rw_status rw_case_text(const rw_case *c, rw_text *text)
{
    write_node(c->root, 0, text);
    return text->failed ? rw_fail_memory(c->ctx, text->length, "the case as text") : RW_OK;
}

/* ---- hash -------------------------------------------------------------------------------------------------------- */

/* Settings of the runner that change when steps end, and so the numbers, or tables that a restart continues. */
static const char *const hashed[] = {"top.problem",        "top.reproducible", "output.every",
                                     "output.every_steps", "output.fields",    "output.interpolate",
                                     "output.series",      "output.derived",   "output.probes"};

/* Counts when it is used: without it the hash is that of versions that did not know it. */
static bool is_unused(const char *name, const rw_tree *value)
{
    double x;
    return strcmp(name, "output.interpolate") == 0 && rw_tree_number(value, &x) && x == 0;
}

static bool counts(const rw_section *s, const rw_param *row, bool runner, const rw_tree *value)
{
    char name[128];
    snprintf(name, sizeof(name), "%s.%s", s->name, row->name);
    if (is_unused(name, value)) return false;
    if (!runner) return strcmp(name, "time.end") != 0; /* a restart may extend it */
    for (int i = 0; i < RW_COUNT(hashed); i++)
        if (strcmp(name, hashed[i]) == 0) return true;
    return false;
}

static void add_canonical(const rw_tree *node, rw_text *text)
{
    double x;
    if (node->kind == RW_TREE_SCALAR) {
        if (rw_tree_number(node, &x)) rw_text_add(text, "%.17g", x);
        else rw_text_add(text, "%zu:%s", strlen(node->text), node->text);
        return;
    }
    rw_text_add(text, node->kind == RW_TREE_MAP ? "{" : "[");
    for (int i = 0; i < node->n; i++) {
        if (node->keys) rw_text_add(text, "%zu:%s=", strlen(node->keys[i]), node->keys[i]);
        add_canonical(node->items[i], text);
        rw_text_add(text, ",");
    }
    rw_text_add(text, node->kind == RW_TREE_MAP ? "}" : "]");
}

/* key, hash, value on a line of their own; a value of several lines becomes one. */
static void add_setting(const char *key, const rw_tree *value, rw_text *text)
{
    rw_text canonical = {0}, shown = {0};
    char hex[65] = "";
    enum { LONGEST = 80 };
    add_canonical(value, &canonical);
    rw_tree_write(value, &shown);
    text->failed |= canonical.failed || shown.failed;
    if (!text->failed) rw_sha256_hex(canonical.data ? canonical.data : "", canonical.length, hex);
    size_t n = RW_MIN(shown.length, (size_t)LONGEST);
    /* whole characters of UTF-8 */
    while (n < shown.length && n > 0 && ((unsigned char)shown.data[n] & 0xc0) == 0x80) n--;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)shown.data[i] < ' ') shown.data[i] = ' ';
    rw_text_add(text, "%s\t%.16s\t%.*s%s\n", key, hex, (int)n, shown.data ? shown.data : "",
                n < shown.length ? "…" : "");
    rw_text_free(&canonical);
    rw_text_free(&shown);
}

/* A section without rows, or with rows of each entry: an entry of a map is a setting, a list is one. */
static void add_settings(const rw_section *s, const rw_tree *node, rw_text *text)
{
    char key[320];
    if (node->kind != RW_TREE_MAP) add_setting(s->name, node, text);
    for (int i = 0; node->kind == RW_TREE_MAP && i < node->n; i++) {
        const rw_tree *item = node->items[i];
        bool each = s->form == RW_SECTION_EACH && item->kind == RW_TREE_MAP;
        snprintf(key, sizeof(key), "%s.%.200s", s->name, node->keys[i]);
        if (!each) add_setting(key, item, text);
        for (int k = 0; each && k < item->n; k++) {
            snprintf(key, sizeof(key), "%s.%.120s.%.80s", s->name, node->keys[i], item->keys[k]);
            add_setting(key, item->items[k], text);
        }
    }
}

rw_status rw_case_settings(const rw_case *c, rw_text *text)
{
    const rw_section *s;
    bool runner = true;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++) {
        if (c->problem->nsections > 0 && s == c->problem->sections) runner = false;
        if (strcmp(s->name, "checks") == 0) continue;
        const rw_tree *node = s->form == RW_SECTION_TABLE ? NULL : rw_case_node(c, s->name);
        if (node && node->n > 0) add_settings(s, node, text);
        for (int k = 0; s->form == RW_SECTION_TABLE && k < rw_section_count(s); k++) {
            char key[200];
            rw_case_full_name(s, NULL, rw_section_row(s, k)->name, key, sizeof(key));
            if (!(node = rw_case_effective(c, s, rw_section_row(s, k)))) continue;
            if (counts(s, rw_section_row(s, k), runner, node) || strcmp(key, "time.end") == 0)
                add_setting(key, node, text);
        }
    }
    return text->failed ? rw_fail_memory(c->ctx, text->length, "the settings of the case") : RW_OK;
}

rw_status rw_case_hash(const rw_case *c, char hex[65])
{
    rw_text text = {0};
    const rw_section *s;
    bool runner = true;
    for (int i = 0; (s = rw_case_section_at(c, i)); i++) {
        if (c->problem->nsections > 0 && s == c->problem->sections) runner = false;
        if (strcmp(s->name, "checks") == 0) continue; /* they use the result only */
        rw_text_add(&text, "%s\n", s->name);
        const rw_tree *node = s->form == RW_SECTION_TABLE ? NULL : rw_case_node(c, s->name);
        if (node && node->n > 0) add_canonical(node, &text);
        for (int k = 0; s->form == RW_SECTION_TABLE && k < rw_section_count(s); k++) {
            if (!(node = rw_case_effective(c, s, rw_section_row(s, k))) ||
                !counts(s, rw_section_row(s, k), runner, node))
                continue;
            rw_text_add(&text, "%s=", rw_section_row(s, k)->name);
            add_canonical(node, &text);
            rw_text_add(&text, "\n");
        }
    }
    rw_status status = text.failed ? rw_fail_memory(c->ctx, text.length, "the hash of the case") : RW_OK;
    if (status == RW_OK) rw_sha256_hex(text.data, text.length, hex);
    rw_text_free(&text);
    return status;
}
