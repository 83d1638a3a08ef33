/* Expressions of a case that have names: checks, own columns of series.csv, derived fields.
 *
 *   output: {series: {energy: "integral(u^2)/2", heat: {value: "integral(T)", unit: J}}} */
#ifndef RW_NAMED_H
#define RW_NAMED_H

#include "rechenwerk/expr.h"
#include "run/case.h"

typedef struct rw_named_expr {
    const char *name, *unit; /* both live as long as the case */
    const rw_tree *value;    /* the expression, a scalar of the tree */
} rw_named_expr;

/* The map at `setting`, whose entries are an expression, or {value: expression, unit: text}. rw_free(*list), also after
 * a failure. Wrong entries are noted and left out. ndim: of the grid; without space coordinates are free names. */
rw_status rw_named_read(const rw_case *c, int ndim, const char *setting, rw_named_expr **list, int *n);
/* Entry `at` of the map at `setting`, for messages about its name. */
rw_status rw_named_fail(const rw_case *c, const char *setting, const char *name, const char *format, ...)
    RW_PRINTF(4, 5);

/* Makes a program of the problem's fields, and binds them: spec has name, place and text; `t` is among its scalars. */
typedef rw_status rw_named_make(void *user, const rw_expr_spec *spec, rw_expr **expr);

/* One program for all of them, NAME = expression each, in which later ones may use earlier ones. The first `names` are
 * but names, of fields and vectors too. scalars: those of the case; t is added. *field: the first of the others that is
 * no scalar; -1: all are. */
rw_status rw_named_program(const rw_case *c, const rw_named_expr *list, int names, int n, const rw_expr_scalar *scalars,
                           int nscalars, rw_named_make *make, void *user, rw_expr **expr, int *field);

#endif
