/* One table, many faces: the settings of a case are rows of a .def file, and everything else is made from them: the C
 * structure, defaults, checks and messages, YAML keys, --set, help, the template of `rechenwerk init`, the JSON
 * description, the manual page, completion.
 *
 * A .def file (example: problem/pde/pde.def) consists of
 *
 *   SECTION(section, form, example, line)     opens a section: TABLE, or EACH (the rows describe every entry)
 *   ROW(section, name, KIND, default, allowed, unit, line)
 *   ROW_IF(section, name, KIND, default, allowed, unit, condition, line)   has an effect only where the condition holds
 *   REQUIRED(section, name, KIND, example, allowed, unit, line)     no default; example goes into the template
 *   END(section)
 *   FREE(section, form, example, line)        a section without rows: MAP (names of the user's own) or TEXTS
 *
 * default   a YAML value as text: "1e-5", "[0, 0, 0]", "rkc2"; for NODE "" (absent)
 * allowed   INT, REAL   "(0, 1]", "[1, inf)", or values "2|4"; "" allows every finite number
 *           INTS, REALS "1..3 of [1, 1e9]": how many, and each
 *           CHOICE      "rk4|rkc2" (a '|' at the end is allowed, so that X-macros can make it)
 *           TEXTS       "0..16" or ""
 * condition of the effective value of another setting: "time.method = rk4|auto", "output.every != 0" (or "!= []")
 * Values in C: see RW_MEMBER_*. A single value stands for a list of one. */
#ifndef RW_SETTINGS_H
#define RW_SETTINGS_H

#include "io/yaml.h"

/* kind, what a person calls it */
#define RW_SETTING_KINDS(X)                                                                                            \
    X(INT, "integer") X(REAL, "number") X(BOOL, "true or false") X(TEXT, "text") X(PATH, "path") X(CHOICE, "choice")   \
    X(INTS, "list of integers") X(REALS, "list of numbers") X(TEXTS, "list of texts") X(NODE, "value")

typedef enum rw_setting_kind {
#define RW_X(kind, text) RW_SETTING_##kind,
    RW_SETTING_KINDS(RW_X)
#undef RW_X
} rw_setting_kind;

#define RW_LIST_MAX 8 /* numbers in a list */
typedef struct rw_ints {
    int n;
    int64_t value[RW_LIST_MAX];
} rw_ints;
typedef struct rw_reals {
    int n;
    double value[RW_LIST_MAX];
} rw_reals;
typedef struct rw_texts { /* texts live as long as the case; each item is a scalar with its place */
    int n;
    const rw_yaml *const *item;
} rw_texts;

#define RW_MEMBER_INT(name) int64_t name;
#define RW_MEMBER_REAL(name) double name;
#define RW_MEMBER_BOOL(name) bool name;
#define RW_MEMBER_TEXT(name) const char *name; /* never NULL; lives as long as the case */
#define RW_MEMBER_PATH(name) const char *name; /* as given; rw_case_path makes it relative to the case */
#define RW_MEMBER_CHOICE(name) int name;       /* 0, 1, … in the order of `allowed` */
#define RW_MEMBER_INTS(name) rw_ints name;
#define RW_MEMBER_REALS(name) rw_reals name;
#define RW_MEMBER_TEXTS(name) rw_texts name;
#define RW_MEMBER_NODE(name) const rw_yaml *name; /* NULL when not given */

typedef struct rw_setting {
    const char *name;
    rw_setting_kind kind;
    size_t offset; /* in the structure of the section */
    bool required;
    const char *standard; /* default; an example when required */
    const char *allowed, *unit, *line;
    const char *condition; /* NULL: it always has an effect */
} rw_setting;

typedef enum rw_section_form {
    RW_SECTION_TABLE, /* the rows are its keys */
    RW_SECTION_EACH,  /* a map of the user's names; the rows are the keys of every entry */
    RW_SECTION_MAP,   /* a map of the user's names to scalars */
    RW_SECTION_TEXTS  /* a text or a list of texts */
} rw_section_form;

#define RW_SECTION_TOP "top"

typedef struct rw_section {
    const char *name; /* "grid"; RW_SECTION_TOP: its keys stand at the top level of the case */
    rw_section_form form;
    const char *example; /* YAML for the template; "" when the rows say it all */
    const char *line;
    size_t size; /* of the structure */
    const rw_setting *rows;
    int nrows;
} rw_section;

/* Reads `node` as the row says into the member of `section` (the structure; NULL only checks). `name` is the full name
 * for messages: "time.rtol". ERR_INPUT: "case.yaml:14:9: time.rtol = -1 is outside (0, 1]: relative tolerance …". */
rw_status rw_setting_read(rw_context *ctx, const rw_setting *row, const char *name, const rw_yaml *node,
                          void *section);
/* The word before a value's description: "integer in [1, 10]", "one of rk4, rkc2", "list of 1 to 3 integers, …". */
void rw_setting_describe(const rw_setting *row, rw_text *text);
/* Text of choice i into buffer; false when there are fewer. */
bool rw_setting_choice(const char *allowed, int i, char *buffer, size_t size);
const char *rw_setting_kind_text(rw_setting_kind kind);

/* Structures, rows and sections from one .def; each of the two files forgets the names it was given:
 *
 *   #define RW_SETTINGS_PREFIX(section) pde_##section
 *   #define RW_SETTINGS_DEF "run/pde/pde.def"
 *   #include "run/settings_struct.h"      in a header: typedef struct pde_grid {...} pde_grid; …
 *
 *   #define RW_SETTINGS_PREFIX(section) pde_##section
 *   #define RW_SETTINGS_DEF "run/pde/pde.def"
 *   #define RW_SETTINGS_TABLE pde_sections
 *   #include "run/settings_table.h"       in one C file: static const rw_section pde_sections[] = {...};
 */

#endif
