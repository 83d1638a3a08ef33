/* An expression program inside: graph, plan, one compiled kernel a pass, bound arrays. Methods that build programs from
 * nodes instead of text (src/ode) use these functions. */
#ifndef RW_EXPR_PROGRAM_H
#define RW_EXPR_PROGRAM_H

#include "device/device.h"
#include "expr/boundary.h"
#include "expr/kernel.h"
#include "expr/lower.h"
#include "expr/scalars.h"

typedef struct rw_expr_pass {
    rw_pass_kernel kernel;
    rw_program *program;
    rw_kernel *run, *combine;
    rw_array *part; /* partial reductions */
} rw_expr_pass;

/* A function of one coordinate (table.c). */
typedef struct rw_expr_table {
    rw_node node;
    rw_array *array; /* [nodes of the axis], f32 or f64 as the kernel computes */
    bool current;    /* has the values of the present scalars */
    bool recorded;   /* in a recorded sequence */
} rw_expr_table;

struct rw_expr {
    rw_device *device;
    char name[32];
    rw_graph *graph;
    rw_plan plan;
    rw_expr_pass *passes; /* kernels: of one or several passes of the plan */
    int npasses;
    rw_array **bound;    /* by field; the caller's, each with a reference */
    rw_array **shadow;   /* by field; our own second arrays, made when first needed */
    rw_array *slots;     /* device scalars */
    rw_scalars *scalars; /* arguments of the kernels, or all that there are */
    bool all_scalars;
    rw_expr_table *tables;
    int ntables, tables_capacity;
    bool tables_current; /* all that are needed */
    rw_expr_pass update; /* of states and trace, after the passes (state.c) */
    rw_array *trace;     /* [rows][columns] */
    const char **trace_names;
    double *trace_rows; /* as rw_expr_trace gave them */
    int trace_columns;
    int64_t trace_seen; /* runs that rw_expr_trace has reported */
    bool evaluator;
    int call; /* why: a function in C, plus 1 */
};

/* A program of a finished plan; graph and plan move into it (also on failure). */
rw_status rw_expr_from_plan(rw_device *dev, const char *name, rw_graph **graph, rw_plan *plan, rw_expr **expr);
/* ERR_ARGUMENT: the program has no such field; with the nearest name. */
rw_status rw_expr_no_field(const rw_expr *e, const char *field);
/* ERR_ARGUMENT unless the array, which is as large as the grid, has its shape or is a row. */
rw_status rw_check_shape(rw_context *ctx, const char *program, const char *field, const rw_grid *grid,
                         const rw_array *array);
/* Fields, boundaries and scalars of a spec declared in a graph, and the functions that `parsed`, a text at `source`,
 * defines; NULL: none. Boundaries may call them. */
rw_status rw_expr_declare(rw_context *ctx, const rw_expr_spec *spec, rw_graph *graph, rw_lowering *l,
                          const rw_source *source, const rw_parsed *parsed);
/* Runs all passes by the plain evaluator on the host copies: the reference, and the way out without a compiler. */
rw_status rw_expr_evaluate(rw_expr *e);
/* The real part of what the program assigned to a field in its last run, at n nodes that may lie beyond the grid: with
 * what the boundary conditions give there. */
rw_status rw_expr_evaluate_nodes(rw_expr *e, int field, int64_t n, const int64_t (*at)[3], double *values);
/* Tables with the values of the present scalars on the device: needed before a run, and before one is recorded. */
rw_status rw_expr_prepare_tables(rw_expr *e, rw_queue *q);
rw_expr_table *rw_expr_find_table(rw_expr *e, rw_node node, bool f32);
void rw_expr_forget_tables(rw_expr *e); /* a scalar has changed */
void rw_expr_free_tables(rw_expr *e);
rw_status rw_expr_make_scalars(rw_expr *e, bool all);
/* The program of a kernel's text. */
rw_status rw_expr_compile(rw_expr *e, const char *name, const rw_pass_kernel *kernel, rw_program **program);
/* state.c */
rw_status rw_expr_begin_states(rw_expr *e);
rw_status rw_expr_update_states(rw_expr *e, rw_queue *q);
rw_status rw_expr_evaluate_states(rw_expr *e, double *slots);
rw_status rw_expr_set_state(rw_expr *e, int state, double value);
rw_status rw_expr_get_state(rw_expr *e, int state, double *value);
/* A scalar formula of reductions and states, from a copy of the device's scalars. */
void rw_expr_device_value(const rw_expr *e, rw_node n, const double *slots, bool before, double out[2]);
void rw_expr_free_states(rw_expr *e);
/* bind.c */
rw_status rw_expr_bind_index(rw_expr *e, int field, rw_array *a);
bool rw_expr_uses_field(const rw_expr *e, int field); /* a kernel reads or writes it */
/* A run launches kernels only, on the same memory each time. */
bool rw_expr_is_recordable(const rw_expr *e);
void rw_expr_hold(rw_expr *e, int field, rw_array *a); /* binds without a check; NULL: to nothing */
void rw_expr_set_index(rw_expr *e, int param, double re, double im);
/* Results by their number; -1: there is none of the name. */
int rw_expr_result_index(const rw_expr *e, const char *name);

#endif
