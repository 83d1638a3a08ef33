/* Values as text, lists and maps, each with the place where it stands: what YAML files (io/yaml.h), --set and texts of
 * options become. Scalars stay text: their kind is decided by a row of a table of parameters (param.h). Keys are
 * scalars. */
#ifndef RW_TREE_H
#define RW_TREE_H

#include "core/core.h"

#define RW_TREE_DEPTH 32     /* nesting of lists and maps */
#define RW_TREE_NODES 100000 /* of the whole tree, copies through aliases included */

typedef enum rw_tree_kind { RW_TREE_SCALAR, RW_TREE_LIST, RW_TREE_MAP } rw_tree_kind;

typedef struct rw_tree {
    rw_tree_kind kind;
    const char *source;      /* "case.yaml" or "--set time.end=2": what a message names; owned by the root's creator */
    const char *text_source; /* the same for a place within the text: "case.yaml", "--set equations," */
    int line, column;        /* of the value, from 1; 0: the text has no lines (--set) */
    int text_line, text_column; /* scalar: of the first character of its text: after a quote, below a '|'; from 1 */
    bool quoted;                /* scalar: in quotes or a block */
    char *text;                 /* scalar: UTF-8 without NUL inside; "" for an empty value */
    int n;                      /* members of a list or map */
    struct rw_tree **items;     /* [n] */
    char **keys;                /* map: [n] */
    struct {
        int line, column;
    } * key_place; /* map: [n] */
    int capacity;
} rw_tree;

void rw_tree_free(rw_tree **tree);

/* Member of a map by key; NULL when absent or no map. */
rw_tree *rw_tree_get(const rw_tree *map, const char *key);
int rw_tree_index(const rw_tree *map, const char *key); /* -1 when absent */
/* Puts `item` under `key` (both are taken over in any case), in place of an old one. ERR_MEMORY. */
rw_status rw_tree_put(rw_context *ctx, rw_tree *map, const char *key, rw_tree *item);
void rw_tree_remove(rw_tree *map, const char *key); /* where it is there */
/* Adds `item` to a list (key NULL) or, without looking for the key, to a map; takes key and item over in any case. */
rw_status rw_tree_append(rw_context *ctx, rw_tree *node, char *key, int line, int column, rw_tree *item);
rw_tree *rw_tree_new(rw_context *ctx, rw_tree_kind kind, const char *source); /* NULL: message set */

/* True when the scalar is nothing but a finite or infinite number (1, -2.5e3, .inf); NaN counts as a number. */
bool rw_tree_number(const rw_tree *node, double *value);

/* "case.yaml:14:9", or the source alone when there is no line. */
void rw_tree_place(const rw_tree *node, char *place, size_t size);

/* Appends the value as flow YAML that reads back to the same tree: [64, 64], "a: b", {a: 1}. */
/* The character that text begins with when YAML allows it only as an escape (U+0007, U+0084, U+FEFF), else 0; *bytes is
 * its length in UTF-8. */
unsigned rw_tree_unprintable(const char *text, int *bytes);
void rw_tree_write(const rw_tree *node, rw_text *text);

#endif
