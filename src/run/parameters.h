/* The sections `parameters`, named numbers, each an expression of those before it, and `functions` of a case. */
#ifndef RW_PARAMETERS_H
#define RW_PARAMETERS_H

#include "expr/parse.h"
#include "rechenwerk/expr.h"
#include "run/case.h"

/* The section `functions` of a case, as texts put together and parsed: f(a) = …. */
typedef struct rw_functions {
    char *text;
    rw_source source;
    rw_parsed parsed;
} rw_functions;

rw_status rw_functions_read(const rw_case *c, rw_functions *f);
void rw_functions_free(rw_functions *f);
/* Adds their texts, with places, to a program that may call them. */
rw_status rw_add_functions(const rw_case *c, rw_text *text);

/* Their names live as long as the case; rw_free(*scalars), also after a failure. */
rw_status rw_read_parameters(const rw_case *c, int ndim, rw_expr_scalar **scalars, int *n);

#endif
