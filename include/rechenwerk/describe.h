/* Names, settings and help from the parameter tables: for help texts, templates of cases, bindings, manual pages and
 * shell completion. Link librechenwerk-run.
 *
 * Free all texts and lists with free(). */
#ifndef RECHENWERK_DESCRIBE_H
#define RECHENWERK_DESCRIBE_H

#include "rechenwerk/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_word {
    const char *name, *line; /* "time.rtol", "relative tolerance of a step" */
} rw_word;

/* Lists the names of a kind: "problems", "methods", "settings" (of all problems, as --set takes them), "functions" (of
 * the expression language), "formats" (of sparse matrices), "solvers" (of linear systems), "preconditioners",
 * "exit-codes". Errors: ERR_ARGUMENT with the nearest kind; ERR_MEMORY. */
RW_API rw_status rw_list_words(rw_context *context, const char *kind, rw_word **words, int *n);
/* The kinds, terminated by NULL. */
RW_API const char *const *rw_word_kinds(void);

/* Help on a problem ("pde"), a section ("time"), a setting ("time.rtol", or "rtol" if that is unambiguous) or a
 * function ("laplace"). Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_help(rw_context *context, const char *name, char **text);

/* A commented case of the problem that can be run unchanged. Errors: ERR_ARGUMENT with the nearest problem. */
RW_API rw_status rw_case_template(rw_context *context, const char *problem, char **text);

/* All tables as JSON: problems, sections, settings with kind, default, allowed values, unit; exit codes. */
RW_API rw_status rw_describe(rw_context *context, char **json);

/* Values of all enumerations of options as Fortran constants: rw_krylov_gmres = 3, … */
RW_API rw_status rw_describe_fortran(rw_context *context, char **fortran);

/* The part of the manual page (roff, man macros) that the tables give: the settings of a case. */
RW_API rw_status rw_describe_manual(rw_context *context, char **roff);

#ifdef __cplusplus
}
#endif
#endif
