/* Parameters as data: one row states name, kind, default, limits and unit of a member of a specification
 * (rw_krylov_spec, rw_precond_spec, rw_sparse_layout, rw_ode_spec …). Checks, texts such as "ilu0:sweeps=3", settings
 * of cases, options of the command, help, the JSON description and the Fortran constants come from the same rows.
 *
 *   rw_krylov_spec spec;
 *   rw_params_parse(ctx, rw_krylov_params(), "gmres:restart=50:rtol=1e-6:precond=ilu0", &spec);
 *   rw_params_set(ctx, rw_krylov_params(), "from my file", "iterations", "500", &spec);
 *
 * In every specification 0 means the default. Where a number has a default other than none, RW_OFF means none. */
#ifndef RECHENWERK_PARAM_H
#define RECHENWERK_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include "rechenwerk/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A number without limit, a tolerance that is not used, a time that does not count: "off" as text. */
enum { RW_OFF = -1 };

/* A choice of yes or no whose default may be yes. */
typedef enum rw_switch { RW_SWITCH_DEFAULT, RW_SWITCH_ON, RW_SWITCH_OFF } rw_switch;

/* kind, what a person calls it */
/* clang-format off */
#define RW_PARAM_KINDS(X)                                                                                              \
    X(INT, "integer") X(REAL, "number") X(BOOL, "true or false") X(SWITCH, "true or false") X(TEXT, "text")            \
    X(PATH, "path") X(CHOICE, "choice") X(ENUM, "choice") X(SIZES, "sizes") X(TABLE, "text with options")              \
    X(INTS, "list of integers") X(REALS, "list of numbers") X(CHOICES, "list of choices") X(TEXTS, "list of texts")    \
    X(NODE, "value")
/* clang-format on */

typedef enum rw_param_kind {
#define RW_X(kind, text) RW_PARAM_##kind,
    RW_PARAM_KINDS(RW_X)
#undef RW_X
} rw_param_kind;

typedef struct rw_params rw_params;

typedef struct rw_param {
    const char *name;
    rw_param_kind kind;
    size_t offset, size; /* of the member in the structure; of an element of SIZES */
    bool required;
    /* default as text, an example when required; "" none. "30; idr: 4" differs for methods that are named. */
    const char *standard;
    /* INT, REAL "[1, 1000]", "off|(0, 1]" (a word before the limits is the value RW_OFF), "2|4"; INTS, REALS
     * "1..3 of [1, 9]"; SIZES as INTS; choices "a|b|c"; TEXTS "0..2"; "" every value. Exceptions by method as above. */
    const char *allowed;
    const char *unit, *line;
    const char *condition; /* "output.every != 0": it has an effect only then; NULL: always */
    uint64_t methods;      /* bit m: method m of the same structure has it; 0: all have */
    /* How texts give it without its name: "h": h32; "": 32, 5x5 or a choice alone; "@": a number after the method,
     * ilu2; NULL: not at all. A BOOL is given by its name alone. */
    const char *brief;
    const rw_params *(*table)(void); /* TABLE: rows of the nested structure */
} rw_param;

/* The rows of one structure. The row `method`, where there is one, is an ENUM and the first word of a text. */
struct rw_params {
    const char *name; /* "solver" */
    const char *type; /* "rw_krylov_spec" */
    const char *line;
    size_t size;
    const rw_param *row;
    int n;
};

/* Reads "METHOD:NAME=VALUE:…" into *spec; what the text leaves out is 0, the default. ERR_ARGUMENT: what is wrong, with
 * the nearest name or what is allowed; ERR_MEMORY. *spec is unchanged then. A member of kind TEXT takes the rest of the
 * text, which must outlive *spec. */
RW_API rw_status rw_params_parse(rw_context *context, const rw_params *params, const char *text, void *spec);
/* Sets one member from text. `where` begins the message of a failure. Errors as of rw_params_parse. */
RW_API rw_status rw_params_set(rw_context *context, const rw_params *params, const char *where, const char *name,
                               const char *text, void *spec);
/* Puts defaults in the place of 0 and checks the members that the method uses, as functions that take a specification
 * do with their copy. `where` (optional) begins the message of a failure, else the name of the method; context:
 * optional. ERR_ARGUMENT. */
RW_API rw_status rw_params_resolve(rw_context *context, const rw_params *params, const char *where, void *spec);
/* Writes the text that reads back to *spec; at most `size` bytes with the NUL. */
RW_API void rw_params_print(const rw_params *params, const void *spec, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
