/* JSON (RFC 8259): a writer that cannot produce an unbalanced text, and a reader for our own small files. */
#ifndef RW_JSON_H
#define RW_JSON_H

#include "core/core.h"

/* Writer: rw_json_key before each value inside an object; commas, indentation and escapes are its business.
 * Numbers are written with 17 digits; NaN and infinities as null. */
typedef struct rw_json_writer {
    rw_text *text;
    int depth, indent; /* indent 0: one line */
    char stack[32];    /* '{' or '[' */
    bool first[32], after_key;
} rw_json_writer;
void rw_json_begin(rw_json_writer *w, rw_text *text, int indent);
void rw_json_object(rw_json_writer *w);
void rw_json_array(rw_json_writer *w);
void rw_json_close(rw_json_writer *w); /* closes the innermost object or array */
void rw_json_key(rw_json_writer *w, const char *key);
void rw_json_string(rw_json_writer *w, const char *value); /* NULL: null */
void rw_json_number(rw_json_writer *w, double value);
void rw_json_integer(rw_json_writer *w, long long value);
void rw_json_bool(rw_json_writer *w, bool value);
/* A member of an object: key and value, or key and what opens. */
void rw_json_add_object(rw_json_writer *w, const char *key);
void rw_json_add_array(rw_json_writer *w, const char *key);
void rw_json_add_string(rw_json_writer *w, const char *key, const char *value);
void rw_json_add_number(rw_json_writer *w, const char *key, double value);
void rw_json_add_integer(rw_json_writer *w, const char *key, long long value);
void rw_json_add_bool(rw_json_writer *w, const char *key, bool value);

/* Reader: a tree; depth at most 64. */
typedef enum rw_json_kind {
    RW_JSON_NULL,
    RW_JSON_BOOL,
    RW_JSON_NUMBER,
    RW_JSON_STRING,
    RW_JSON_ARRAY,
    RW_JSON_OBJECT
} rw_json_kind;
typedef struct rw_json {
    rw_json_kind kind;
    bool boolean;
    double number;
    char *string;
    int n;       /* members of an array or object */
    char **keys; /* object only */
    struct rw_json **items;
} rw_json;
rw_status rw_json_parse(rw_context *ctx, const char *text, size_t n, rw_json **tree);
void rw_json_free(rw_json **tree);
const rw_json *rw_json_get(const rw_json *object, const char *key); /* NULL when absent */

#endif
