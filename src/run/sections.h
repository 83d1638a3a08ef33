/* One table, many faces: the settings of a case are rows of a .def file, and everything else is made from them: the C
 * structure, defaults, checks and messages, YAML keys, --set, help, the template of `rechenwerk init`, the JSON
 * description, the manual page, completion.
 *
 * A .def file (example: run/pde/pde.def) consists of
 *
 *   SECTION(section, form, example, line)     opens a section: TABLE, or EACH (the rows describe every entry)
 *   ROW(section, name, KIND, default, allowed, unit, line)
 *   ROW_IF(section, name, KIND, default, allowed, unit, condition, line)   has an effect only where the condition holds
 *   REQUIRED(section, name, KIND, example, allowed, unit, line)     no default; example goes into the template
 *   END(section)
 *   ROWS_OF(section, structure, params, line)   rows and structure are those of a specification of the library, such as
 *                                             ROWS_OF(solver, rw_krylov_spec, rw_krylov_params, "linear solver")
 *   EACH_OF(section, structure, params, example, line)   the same for every entry of a map of the user's names
 *   FREE(section, form, example, line)        a section without rows: MAP or NODES (names of the user's own), or TEXTS
 *
 * default   a YAML value as text: "1e-5", "[0, 0, 0]", "rkc2"; for NODE "" (absent)
 * allowed   as of rechenwerk/core.h; a '|' at the end of a CHOICE is allowed, so that X-macros can make it
 * condition of the effective value of another setting: "time.method = rk4|auto", "output.every != 0" (or "!= []") */
#ifndef RW_SECTIONS_H
#define RW_SECTIONS_H

#include "param/param.h"

typedef enum rw_section_form {
    RW_SECTION_TABLE, /* the rows are its keys */
    RW_SECTION_EACH,  /* a map of the user's names; the rows are the keys of every entry */
    RW_SECTION_MAP,   /* a map of the user's names to scalars */
    RW_SECTION_NODES, /* a map of the user's names to values of any form, which the problem checks */
    RW_SECTION_TEXTS  /* a text or a list of texts */
} rw_section_form;

#define RW_SECTION_TOP "top"

typedef struct rw_section {
    const char *name; /* "grid"; RW_SECTION_TOP: its keys stand at the top level of the case */
    rw_section_form form;
    const char *example; /* YAML for the template; "" when the rows say it all */
    const char *line;
    /* the structure and its rows: those of the section, or those of a specification of the library */
    rw_params own;
    const rw_params *(*of)(void);
} rw_section;

static inline const rw_params *rw_section_params(const rw_section *s) { return s->of ? s->of() : &s->own; }
static inline int rw_section_count(const rw_section *s) { return (int)rw_section_params(s)->n; }
static inline const rw_param *rw_section_row(const rw_section *s, int k) { return &rw_section_params(s)->row[k]; }
/* section.c: "output.every != 0", or from the methods that have it "time.method = rk4|auto"; "": it always has an
 * effect. */
const char *rw_section_condition(const rw_section *section, const rw_param *row, char *text, size_t size);

/* Structures, rows and sections from one .def; each of the two files forgets the names it was given:
 *
 *   #define RW_SECTION_PREFIX(section) pde_##section
 *   #define RW_SECTION_DEF "run/pde/pde.def"
 *   #include "run/section_structs.h"     in a header: typedef struct pde_grid {...} pde_grid; …
 *
 *   #define RW_SECTION_PREFIX(section) pde_##section
 *   #define RW_SECTION_DEF "run/pde/pde.def"
 *   #define RW_SECTION_TABLE_NAME pde_sections
 *   #include "run/section_table.h"       in one C file: static const rw_section pde_sections[] = {...};
 */

#endif
