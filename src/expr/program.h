/* An expression program inside: graph, plan, one compiled kernel a pass, bound arrays. Methods that build programs from
 * nodes instead of text (src/ode) use these functions. */
#ifndef RW_EXPR_PROGRAM_H
#define RW_EXPR_PROGRAM_H

#include "device/device.h"
#include "expr/kernel.h"
#include "expr/lower.h"

typedef struct rw_expr_pass {
    rw_pass_kernel kernel;
    rw_program *program;
    rw_kernel *run, *combine;
    rw_array *part;      /* partial reductions */
} rw_expr_pass;

struct rw_expr {
    int references;
    rw_device *device;
    char name[32];
    rw_graph *graph;
    rw_plan plan;
    rw_expr_pass *passes; /* kernels: of one or several passes of the plan */
    int npasses;
    rw_array **bound;    /* by field; the caller's */
    rw_array **shadow;   /* by field; our own second arrays, made when first needed */
    rw_array *slots;     /* device scalars */
    bool evaluator;
};

/* A program of a finished plan; graph and plan move into it (also on failure). */
rw_status rw_expr_from_plan(rw_device *dev, const char *name, rw_graph **graph, rw_plan *plan, rw_expr **expr);
/* Fields, boundaries and scalars of a spec declared in a graph. */
rw_status rw_expr_declare(rw_context *ctx, const rw_expr_spec *spec, rw_graph *graph, rw_lowering *l);
/* Runs all passes by the plain evaluator on the host copies: the reference, and the way out without a compiler. */
rw_status rw_expr_evaluate(rw_expr *e);
void rw_expr_set_index(rw_expr *e, int param, double re, double im);
/* A copy for the same device with arrays of its own to be bound: kernels are shared. */
int rw_expr_result_index(const rw_expr *e, const char *name);
rw_status rw_expr_result(rw_expr *e, int index, double *re, double *im);

#endif
