/* Walking all tables of settings: the runner's sections, then those of each problem. */
#ifndef RW_TABLES_H
#define RW_TABLES_H

#include "rechenwerk/run.h"
#include "run/problem.h"
#include "run/run_settings.h"

/* Sections of the runner (NULL) or of a problem. */
const rw_section *rw_tables_sections(const rw_problem_ops *problem, int *n);
/* Specifications of the library as sections: solver, preconditioner, … */
const rw_section *rw_tables_specs(int *n);
/* "grid.size", "device", "fields.NAME.initial" */
void rw_tables_name(const rw_section *section, const rw_param *row, char *name, size_t size);
/* A text that fits in a cell of help: "(default: rkc2)", "(required)". */
void rw_tables_default(const rw_param *row, char *text, size_t size);
const rw_problem_ops *rw_tables_problem(const char *name);
/* Formats of sparse matrices, solvers of linear systems and preconditioners, *n of them (words.c). */
const rw_word *rw_format_words(int *n);
const rw_word *rw_solver_words(int *n);
const rw_word *rw_precond_words(int *n);
/* Hands a finished text over to the caller, or reports that memory ran out. */
rw_status rw_tables_give(rw_context *ctx, rw_text *text, char **out);

#endif
