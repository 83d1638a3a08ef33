/* What the files of the case share: case.c and case_check.c read and check, case_set.c applies --set, case_write.c
 * writes. */
#ifndef RW_CASE_PRIVATE_H
#define RW_CASE_PRIVATE_H

#include "run/problem.h"

/* "section.key" of a --set: whether the case had such a name, and whether it was to be added (section.key!=value). */
typedef struct rw_case_named {
    const char *source; /* of sources */
    char *section, *key;
    bool existed, added;
} rw_case_named;

struct rw_case {
    rw_context *ctx;
    char *path, *name, *folder; /* folder: "" or ending in '/' */
    char **sources;             /* "--set key=value": what messages and provenance name */
    int nsources, source_capacity;
    rw_case_named *named;
    int nnamed, named_capacity;
    rw_tree *root;     /* what the case and --set say */
    rw_tree *standard; /* section -> setting -> default, where there is one */
    const rw_problem_ops *problem;
    rw_tree *written;            /* what the case says, where its problem has written the case of another; NULL */
    const rw_problem_ops *layer; /* that problem; NULL */
};

/* Section i of the runner's, then of the problem's; NULL at the end. */
const rw_section *rw_case_section_at(const rw_case *c, int i);
/* The value that counts: given or default; NULL when neither (an optional NODE). */
const rw_tree *rw_case_effective(const rw_case *c, const rw_section *section, const rw_param *row);
/* The effective value of the section's row `method`; NULL: it has none. It decides between limits. */
const char *rw_case_method(const rw_case *c, const rw_section *section);
const rw_section *rw_case_find_section(const rw_case *c, const char *name); /* NULL when unknown, as the next */
const rw_param *rw_case_find_row(const rw_section *section, const char *name);
bool rw_case_is_top(const rw_section *section);
/* "grid.size", "fields.u.initial" (entry "u"), "device" */
void rw_case_full_name(const rw_section *section, const char *entry, const char *row, char *name, size_t size);
/* case_check.c. A single value becomes the only member of a list; an empty value where a map belongs an empty map. */
rw_status rw_case_wrap(const rw_case *c, rw_tree **slot);
rw_status rw_case_want_map(const rw_case *c, rw_tree *node, const char *name, const char *line);
/* case_effect.c: a warning for each setting that has no effect with the others. */
void rw_case_warn_effects(const rw_case *c);
/* Finds c->problem and checks the whole tree. */
rw_status rw_case_check(rw_case *c, const rw_problem_ops *const *problems);
/* Puts "section.key=value" into the tree; "-d name" and "--until t" stand for a setting that an option of the command
 * has given, and are named so in messages. */
rw_status rw_case_set(rw_case *c, const char *assignment);
/* Names that --set has made in sections of free names, without `!=`; after the problem is known. */
rw_status rw_case_check_set(rw_case *c);

#endif
