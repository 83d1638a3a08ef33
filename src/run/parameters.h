/* The section `parameters` of a case: named numbers, each an expression of those before it. */
#ifndef RW_PARAMETERS_H
#define RW_PARAMETERS_H

#include "rechenwerk/expr.h"
#include "run/case.h"

/* Their names live as long as the case; rw_free(*scalars), also after a failure. */
rw_status rw_read_parameters(const rw_case *c, rw_expr_scalar **scalars, int *n);

#endif
