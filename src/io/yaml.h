/* YAML files as trees of values, read with libyaml. Refused with the place: a key given twice, several documents, tags,
 * deep nesting, and texts that blow up through aliases (an alias is a copy, and copies count). */
#ifndef RW_YAML_H
#define RW_YAML_H

#include "param/tree.h"

#define RW_YAML_BYTES ((size_t)4 << 20) /* of a file; copies through aliases may take as much again */

/* Parses a text; `source` must outlive the tree. An empty document is an empty map. ERR_INPUT with line and column;
 * ERR_MEMORY. */
rw_status rw_yaml_parse(rw_context *ctx, const char *source, const char *text, size_t n, rw_tree **tree);

#endif
