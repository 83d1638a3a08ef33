/* One row, many faces (rechenwerk/core.h): reading a value of a case, a file or an option into a member of a
 * structure.
 *
 *   case.yaml:14:9: time.rtol = -1 is outside (0, 1]: relative tolerance of a step
 *   place           name        given        allowed  what it is
 *
 * The limits are read from the text of the row itself, so that the message and the check cannot differ. A single value
 * stands for a list of one. */
#ifndef RW_PARAM_H
#define RW_PARAM_H

#include "param/tree.h"
#include "rechenwerk/core.h"

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
    const rw_tree *const *item;
} rw_texts;

/* The member of a structure that a kind needs. */
#define RW_MEMBER_INT(name) int64_t name;
#define RW_MEMBER_REAL(name) double name;
#define RW_MEMBER_BOOL(name) bool name;
#define RW_MEMBER_SWITCH(name) rw_switch name;
#define RW_MEMBER_TEXT(name) const char *name; /* never NULL; lives as long as the case */
#define RW_MEMBER_PATH(name) const char *name; /* as given; rw_case_path makes it relative to the case */
#define RW_MEMBER_CHOICE(name) int name;       /* 0, 1, … in the order of `allowed` */
#define RW_MEMBER_INTS(name) rw_ints name;
#define RW_MEMBER_REALS(name) rw_reals name;
#define RW_MEMBER_TEXTS(name) rw_texts name;
#define RW_MEMBER_NODE(name) const rw_tree *name; /* NULL when not given */

/* A row for a member of a public specification: RW_ROW(rw_krylov_spec, restart, INT, "30; idr: 4", …, .methods = …). */
#define RW_ROW(type, member, kind_, standard_, allowed_, line_, ...)                                                   \
    {                                                                                                                  \
        .name = #member, .kind = RW_PARAM_##kind_, .offset = offsetof(type, member),                                   \
        .size = sizeof(((type *)0)->member), .standard = standard_, .allowed = allowed_, .unit = "", .line = line_,    \
        __VA_ARGS__                                                                                                    \
    }

/* Defines the function that gives the table of a structure: RW_PARAMS(rw_krylov_params, rw_krylov_spec, rows, "solver",
 * "a solver …"). */
#define RW_PARAMS(function, type, rows, name, line)                                                                    \
    const rw_params *function(void)                                                                                    \
    {                                                                                                                  \
        static const rw_params params = {name, #type, line, sizeof(type), rows, RW_COUNT(rows)};                       \
        return &params;                                                                                                \
    }

/* Reads `node` as the row says into the member of `structure` (NULL only checks). `name` is the full name for messages:
 * "time.rtol"; `method` decides between limits, NULL: the general ones. ERR_INPUT with place, name, value, limits. */
rw_status rw_param_read(rw_context *ctx, const rw_param *row, const char *name, const char *method, const rw_tree *node,
                        void *structure);
/* The word before a value's description: "integer in [1, 10]", "one of rk4, rkc2", "list of 1 to 3 integers, …". */
void rw_param_describe(const rw_param *row, rw_text *text);
/* Text of choice i into buffer; false when there are fewer. */
bool rw_param_choice(const char *allowed, int i, char *buffer, size_t size);
const char *rw_param_kind_text(rw_param_kind kind);
/* The part of "30; idr: 4" for a method or a dtype; NULL: the general part. Gives `buffer`. */
const char *rw_param_for(const char *text, const char *method, char *buffer, size_t size);
/* Of a specification: whether the standard differs with the method. */
bool rw_param_by_method(const rw_param *row);
/* The number that the word before a range stands for. */
double rw_word_value(const char *allowed);

/* The value of an ENUM for a text, 0 where it is none of the choices; and back, the default for 0. */
int rw_param_enum(const rw_param *row, const char *text);
bool rw_param_enum_text(const rw_param *row, int value, char *buffer, size_t size);
/* Elements of a member of kind SIZES. */
int rw_param_sizes(const rw_param *row);

/* params.c */
/* rw_param_read of a text; ERR_ARGUMENT with `where` in the place of the file. */
rw_status rw_param_read_text(rw_context *ctx, const rw_param *row, const char *where, const char *name,
                             const char *method, const char *text, void *structure);
const rw_param *rw_params_find(const rw_params *params, const char *name); /* NULL: there is none */
/* The name of the structure's method, defaults put in; NULL: it has none. */
const char *rw_params_method(const rw_params *params, const void *structure, char *buffer, size_t size);

#endif
