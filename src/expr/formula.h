/* An expression as a function in kernel text, for kernels that are no passes over a grid. */
#ifndef RW_EXPR_FORMULA_H
#define RW_EXPR_FORMULA_H

#include "core/core.h"

enum { RW_FORMULA_ARGUMENTS = 16 };

typedef struct rw_formula_argument {
    const char *name;
    bool is_complex;
} rw_formula_argument;

typedef struct rw_formula {
    const char *where;      /* in messages: "load" */
    const char *expression; /* of the arguments */
    const char *function;   /* its name in the kernel */
    const rw_formula_argument *arguments;
    int narguments;
    bool is_complex; /* the result */
    bool single;     /* computed in f32, else in f64 */
} rw_formula;

/* Adds "DEVICE real FUNCTION(complex u, real i0) { … }" with the arguments that the expression uses, bits of *used;
 * argument 0 is always there. Kernels need the definitions REAL, WITH_FUNCTIONS and WITH_COMPLEX. ERR_INPUT with the
 * place of a mistake. */
rw_status rw_formula_write(rw_context *ctx, const rw_formula *formula, rw_text *text, unsigned *used);

#endif
