/* A case: the file that `rechenwerk run` gets, checked against the tables of settings.
 *
 *   rw_case_read(ctx, "case.yaml", set, nset, rw_problems, &c);      case and --set, all rows checked
 *   pde_grid grid;  rw_case_section(c, "grid", &grid);               effective settings as a structure
 *   const rw_tree *p = rw_case_node(c, "parameters");                the user's own names, with places
 *   return rw_case_fail(c, p->items[i], "parameters.%s: ...");       "case.yaml:14:9: parameters.a: ..."
 *
 * Unknown keys, wrong types, NaN and values out of range never get past rw_case_read. What a name in a map or a text in
 * an equation means, the problem checks. All texts live as long as the case. */
#ifndef RW_CASE_H
#define RW_CASE_H

#include "run/sections.h"

typedef struct rw_case rw_case;
struct rw_problem_ops;

/* Reads and checks; `set` holds "section.key=value" texts, each value YAML. `problems` is NULL-terminated. ERR_INPUT,
 * also for a file that cannot be read; ERR_MEMORY. */
rw_status rw_case_read(rw_context *ctx, const char *path, const char *const *set, int nset,
                       const struct rw_problem_ops *const *problems, rw_case **c);
/* The same from memory; `path` names it in messages and gives the folder of its input files. */
rw_status rw_case_parse(rw_context *ctx, const char *path, const char *text, size_t n, const char *const *set, int nset,
                        const struct rw_problem_ops *const *problems, rw_case **c);
void rw_case_free(rw_case **c);

rw_context *rw_case_context(const rw_case *c);
const char *rw_case_file(const rw_case *c); /* as given: "cases/laser.yaml" */
const char *rw_case_name(const rw_case *c); /* file name without folder and ending: "heat" */
const struct rw_problem_ops *rw_case_problem(const rw_case *c);

/* Fills the structure of a TABLE section: what the case says, defaults elsewhere. ERR_INTERNAL: no such section. */
rw_status rw_case_section(const rw_case *c, const char *section, void *structure);
/* Fills the structure of entry i of an EACH section (rw_case_node(c, section)->keys[i]). */
rw_status rw_case_entry(const rw_case *c, const char *section, int i, void *structure);
/* An EACH, MAP or TEXTS section, or a single setting "time.end", as it stands in the case; NULL when not given. A
 * TEXTS section is always a list here, also when the case has a single text. Everything in it is checked to be of the
 * section's form. */
const rw_tree *rw_case_node(const rw_case *c, const char *name);

/* A path given in the case, relative to the folder of the case file; NULL when memory is exhausted. rw_free it. */
char *rw_case_path(const rw_case *c, const char *given);

/* ERR_INPUT with the place of the value before the message; a NULL node gives the file alone. */
rw_status rw_case_fail(const rw_case *c, const rw_tree *node, const char *format, ...) RW_PRINTF(3, 4);
/* The same at key i of a map: for names that are not allowed. */
rw_status rw_case_fail_key(const rw_case *c, const rw_tree *map, int i, const char *format, ...) RW_PRINTF(4, 5);

/* The case as it runs, as YAML: where its problem writes that of another, this one. Defaults are not in it. */
rw_status rw_case_text(const rw_case *c, rw_text *text);
/* Effective settings as YAML that runs the same case again, with the origin of each value after it. */
rw_status rw_case_write(const rw_case *c, rw_text *text);
/* The same settings and time.end one by one, "section.key<tab>first 16 digits of the hash<tab>value\n"; a long value is
 * cut. For a restart, which names the one that differs. */
rw_status rw_case_settings(const rw_case *c, rw_text *text);
/* SHA-256 of the settings that decide the numbers: all sections of the problem; not device, output, checkpoint, and
 * not time.end, which a restart may extend. */
rw_status rw_case_hash(const rw_case *c, char hex[65]);

#endif
