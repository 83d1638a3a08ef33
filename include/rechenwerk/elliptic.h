/* Equations without a time derivative, F(u) = 0, given as text and solved on a device.
 *
 *   rw_expr_field psi = {.name = "psi", .boundary = {…}}, w = {.name = "w"};
 *   rw_elliptic_spec spec = {.equations = "laplace(psi) = -w", .grid = …, .fields = &psi, .nfields = 1,
 *                            .externals = &w, .nexternals = 1};
 *   rw_elliptic_create(dev, &spec, &e);
 *   rw_elliptic_bind(e, "psi", array_of_psi);  rw_elliptic_bind(e, "w", array_of_w);
 *   rw_elliptic_solve(e, &result);
 *
 * Source: docs/methods/elliptic.md. */
#ifndef RECHENWERK_ELLIPTIC_H
#define RECHENWERK_ELLIPTIC_H

#include "rechenwerk/core.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/krylov.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line */
/* clang-format off */
#define RW_ELLIPTIC_METHOD_LIST(X)                                                                                     \
    X(TRANSFORM, "transform", "transforms; along one axis tridiagonal systems: its coefficients may vary")             \
    X(KRYLOV, "krylov", "a Krylov solver without a matrix: any equation that has a derivative")                        \
    X(MULTIGRID, "multigrid", "cycles over coarser grids: one unknown, rows with a large diagonal")                    \
    X(AUTO, "auto", "transform where it applies, else krylov; with cycles, multigrid")
/* clang-format on */

typedef enum rw_elliptic_method {
    RW_ELLIPTIC_DEFAULT, /* auto */
#define RW_X(name, text, line) RW_ELLIPTIC_##name,
    RW_ELLIPTIC_METHOD_LIST(RW_X)
#undef RW_X
        RW_ELLIPTIC_METHODS
} rw_elliptic_method;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_elliptic_method_name(rw_elliptic_method value);
RW_API rw_status rw_elliptic_method_parse(rw_context *context, const char *name, rw_elliptic_method *value);

/* name, text, one line */
/* clang-format off */
#define RW_ELLIPTIC_PRECOND_LIST(X)                                                                                    \
    X(TRANSFORM, "transform", "transforms, for a similar operator with constant coefficients")                         \
    X(MULTIGRID, "multigrid", "a cycle over coarser grids: one unknown, rows with a large diagonal")                   \
    X(DIAGONAL, "diagonal", "the diagonal")                                                                            \
    X(AUTO, "auto", "transform, where coefficients jump multigrid, where neither applies the diagonal")
/* clang-format on */

typedef enum rw_elliptic_precond {
    RW_ELLIPTIC_PRECOND_DEFAULT, /* auto */
#define RW_X(name, text, line) RW_ELLIPTIC_PRECOND_##name,
    RW_ELLIPTIC_PRECOND_LIST(RW_X)
#undef RW_X
        RW_ELLIPTIC_PRECONDS
} rw_elliptic_precond;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_elliptic_precond_name(rw_elliptic_precond value);
RW_API rw_status rw_elliptic_precond_parse(rw_context *context, const char *name, rw_elliptic_precond *value);

/* A zeroed member has its default; RW_OFF switches a tolerance off. Ranges: rw_elliptic_params. */
typedef struct rw_elliptic_spec {
    const char *name;            /* begins messages: "case.yaml" */
    int line, column;            /* where the equations begin there. Default: 1:1. */
    const char *equations;       /* an equation for each field, helpers a = …, functions f(a) = … */
    rw_grid grid;                /* with one axis or more */
    int order;                   /* of spatial differences, 2 or 4. Default: 2. */
    rw_grid_layout layout;       /* of the grid */
    const rw_expr_field *fields; /* the unknowns, all of one type: F32, F64, C64, C128 */
    int64_t nfields;
    const rw_expr_scalar *scalars;
    int64_t nscalars;
    /* External fields, which the equations read: real ones. `boundary`: their values beyond the sides. */
    const rw_expr_field *externals;
    int64_t nexternals;
    rw_elliptic_method method;   /* (default: auto) */
    rw_elliptic_precond precond; /* krylov: the preconditioner (default: auto) */
    /* Converged: |F(u)| <= max(rtol |F(0)|, atol) in the Euclidean norm over the unknowns. |F(0)| has sources and
     * boundary values; where it is 0 or not finite, the residual of the start takes its place. */
    double rtol;        /* (default: 1e-8; unknowns of type F32, C64: 1e-3) */
    double atol;        /* (default: off) */
    int64_t steps;      /* most steps of Newton's method, of equations that are not linear (default: 50) */
    int64_t iterations; /* krylov, multigrid: most iterations of a linear system (default: 10000) */
    /* multigrid, which auto takes then where transforms do not apply: cycles of rw_elliptic_enqueue, and of each
     * solution inside a step of rw_ode, from what the arrays hold, whatever the residual. krylov, of symmetric definite
     * equations: iterations of cg, which change nothing once rtol holds. 0: rw_elliptic_enqueue is refused, and a step
     * solves to the tolerance. */
    int64_t cycles; /* (default: 0) */
    /* Where a constant may be added to the solution (sides without values): the mean of the solution. */
    double mean; /* (default: 0) */
    /* There F(u) must have a mean of at most this times its root mean square, or the equation has no solution. Of what
     * is less, differences from the continuous equation, the mean is taken away. */
    double imbalance; /* (default: 0.01) */
    /* When requested, a solve ends with ERR_INTERRUPTED. Default: none. */
    const rw_cancel *cancel;
    /* Equations with a time derivative, du/dt = …, are taken for 0 = …: all unknowns of the steady state at once, by
     * Newton's method. Where they conserve the integral of an unknown, its mean is that of `mean`, not of the start. */
    bool steady;
} rw_elliptic_spec;

/* The parameter table of rw_elliptic_spec, for rw_params_parse: "krylov:rtol=1e-10". */
RW_API const rw_params *rw_elliptic_params(void);

typedef struct rw_elliptic_result {
    rw_elliptic_method method; /* that solved */
    int64_t steps;             /* linear systems: 1 of a linear equation, those of Newton's method */
    int64_t iterations;        /* of krylov, cycles of multigrid, in all steps */
    double first, residual;    /* |F(u)| of the start and of the returned solution */
    double right_side;         /* |F(0)| */
    double imbalance;          /* of a singular equation: mean of F(u) over its root mean square; else 0 */
    double seconds;            /* without waiting for compilers */
} rw_elliptic_result;

typedef struct rw_elliptic rw_elliptic;

/* Creates a solver: parses and checks the equations, chooses the method and starts to compile in the background.
 * Errors: ERR_INPUT with line, column and the nearest name: texts; an equation that the given method cannot solve, and
 * why. ERR_ARGUMENT; ERR_MEMORY. ERR_COMPILE comes from the first solve.
 * Lifetime: the specification and all that it points to are copied. Threads: one at a time, together with all other
 * users of the device's own queue. */
RW_API rw_status rw_elliptic_create_sized(rw_device *device, const rw_elliptic_spec *spec, rw_elliptic **elliptic,
                                          size_t spec_size, size_t field_size, size_t scalar_size);
#define rw_elliptic_create(...)                                                                                        \
    rw_elliptic_create_sized(__VA_ARGS__, sizeof(rw_elliptic_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar))
RW_API void rw_elliptic_destroy(rw_elliptic **elliptic);
/* Binds the array of an unknown, which holds the start and then the solution, or of an external field, which is only
 * read. It has the grid's shape (z, y, x) and the field's type. Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_elliptic_bind(rw_elliptic *elliptic, const char *field, rw_array *array);
/* Sets a scalar. Nothing is compiled. Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_elliptic_set(rw_elliptic *elliptic, const char *scalar, double value);
/* Gets the specification, with its defaults filled in; `method` is the one in use. `fields`, `scalars` and `externals`
 * are NULL. Lifetime: the texts belong to the solver. */
RW_API rw_status rw_elliptic_get_spec_sized(const rw_elliptic *elliptic, rw_elliptic_spec *spec, size_t spec_size);
#define rw_elliptic_get_spec(...) rw_elliptic_get_spec_sized(__VA_ARGS__, sizeof(rw_elliptic_spec))
/* Solves the equations to the tolerance, starting from the bound arrays, and waits for the end.
 * Errors: ERR_NOT_CONVERGED, ERR_INTERRUPTED: the arrays hold the best iterate, *result is complete, and the message
 * has both residuals. ERR_INPUT: an unbalanced equation, a value that is not finite. ERR_ARGUMENT: a field without an
 * array. */
RW_API rw_status rw_elliptic_solve_sized(rw_elliptic *elliptic, rw_elliptic_result *result, size_t result_size);
#define rw_elliptic_solve(...) rw_elliptic_solve_sized(__VA_ARGS__, sizeof(rw_elliptic_result))
/* Enqueues the solution of linear equations: launches only, the same number each time, on the device's own queue.
 * Method transform solves, whatever the arrays of the unknowns had; multigrid improves what they have by `cycles`
 * cycles. May be recorded (rw_record_begin), but for the first call after creation, rw_elliptic_bind and
 * rw_elliptic_set. Where F(u) should have the mean 0, its mean is taken away; whether it is small is not checked:
 * rw_elliptic_solve does.
 * Errors: ERR_UNSUPPORTED: another method, or multigrid with `cycles` = 0; recorded cycles on a grid so large for the
 * device's caches that sweeps share a pass. ERR_ARGUMENT: a field without an array. */
RW_API rw_status rw_elliptic_enqueue(rw_elliptic *elliptic);
/* What the equation is, the method and why, passes and bytes, as text. Free it with rw_free. */
RW_API rw_status rw_elliptic_explain(const rw_elliptic *elliptic, char **text);

#ifdef __cplusplus
}
#endif
#endif
