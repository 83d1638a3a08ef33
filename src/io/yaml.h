/* YAML files as a tree that remembers where everything stood, read with libyaml.
 *
 * Scalars stay text: what kind a value is, a table of settings decides (problem/settings.h). Keys are scalars. Refused
 * with the place: a key given twice, several documents, tags, deep nesting, and texts that blow up through aliases
 * (an alias is a copy, and copies count). Written only as text by others; this is a reader. */
#ifndef RW_YAML_H
#define RW_YAML_H

#include "core/core.h"

#define RW_YAML_DEPTH 32                   /* nesting of lists and maps */
#define RW_YAML_NODES 100000               /* of the whole tree, copies through aliases included */
#define RW_YAML_BYTES ((size_t)4 << 20)    /* of a file; copies through aliases may take as much again */

typedef enum rw_yaml_kind { RW_YAML_SCALAR, RW_YAML_LIST, RW_YAML_MAP } rw_yaml_kind;

typedef struct rw_yaml {
    rw_yaml_kind kind;
    const char *source;      /* "case.yaml" or "--set time.end=2": what a message names; owned by the root's creator */
    const char *text_source; /* the same for a place within the text: "case.yaml", "--set equations," */
    int line, column;        /* of the value, from 1; 0: the text has no lines (--set) */
    int text_line, text_column; /* scalar: of the first character of its text: after a quote, below a '|'; from 1 */
    bool quoted;             /* scalar: in quotes or a block */
    char *text;              /* scalar: UTF-8 without NUL inside; "" for an empty value */
    int n;                   /* members of a list or map */
    struct rw_yaml **items;  /* [n] */
    char **keys;             /* map: [n] */
    struct { int line, column; } *key_place; /* map: [n] */
    int capacity;
} rw_yaml;

/* Parses a text; `source` must outlive the tree. An empty document is an empty map. ERR_INPUT with line and column;
 * ERR_MEMORY. */
rw_status rw_yaml_parse(rw_context *ctx, const char *source, const char *text, size_t n, rw_yaml **tree);
void rw_yaml_free(rw_yaml **tree);

/* Member of a map by key; NULL when absent or no map. */
rw_yaml *rw_yaml_get(const rw_yaml *map, const char *key);
int rw_yaml_index(const rw_yaml *map, const char *key); /* -1 when absent */
/* Puts `item` under `key` (both are taken over in any case), in place of an old one. ERR_MEMORY. */
rw_status rw_yaml_put(rw_context *ctx, rw_yaml *map, const char *key, rw_yaml *item);
void rw_yaml_remove(rw_yaml *map, const char *key); /* where it is there */
/* Adds `item` to a list (key NULL) or, without looking for the key, to a map; takes key and item over in any case. */
rw_status rw_yaml_append(rw_context *ctx, rw_yaml *node, char *key, int line, int column, rw_yaml *item);
rw_yaml *rw_yaml_new(rw_context *ctx, rw_yaml_kind kind, const char *source); /* NULL: message set */

/* True when the scalar is nothing but a finite or infinite number (1, -2.5e3, .inf); NaN counts as a number. */
bool rw_yaml_number(const rw_yaml *node, double *value);

/* "case.yaml:14:9", or the source alone when there is no line. */
void rw_yaml_place(const rw_yaml *node, char *place, size_t size);

/* Appends the value as flow YAML that reads back to the same tree: [64, 64], "a: b", {a: 1}. */
/* The character that text begins with when YAML allows it only as an escape (U+0007, U+0084, U+FEFF), else 0; *bytes is
 * its length in UTF-8. */
unsigned rw_yaml_unprintable(const char *text, int *bytes);
void rw_yaml_write(const rw_yaml *node, rw_text *text);

#endif
