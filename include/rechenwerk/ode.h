/* Time integration of equations given as text: du/dt = …, on a device, without copying a field.
 *
 *   rw_ode_spec spec = {
 *       .equations = "du/dt = laplace(u)", .grid = …, .fields = …, .method = RW_ODE_RKC2, .rtol = 1e-5};
 *   rw_ode_create(dev, &spec, &ode);
 *   rw_ode_bind(ode, "u", array);
 *   while (rw_ode_time(ode) < 1) rw_ode_step(ode, 1); */
#ifndef RECHENWERK_ODE_H
#define RECHENWERK_ODE_H

#include "rechenwerk/core.h"
#include "rechenwerk/depgraph.h"
#include "rechenwerk/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name in the case file, value, one line */
/* clang-format off */
#define RW_ODE_METHOD_LIST(X)                                                                                          \
    X(RK4, "rk4", "classical Runge-Kutta, order 4, fixed step")                                                        \
    X(RKC2, "rkc2", "Runge-Kutta-Chebyshev, order 2, error control, for parabolic problems")                           \
    X(RKL2, "rkl2", "Runge-Kutta-Legendre, order 2, error control, for parabolic problems, monotone")                  \
    X(ROCK2, "rock2", "stabilised Runge-Kutta of Abdulle, order 2, error control, for parabolic problems")             \
    X(ROCK4, "rock4", "stabilised Runge-Kutta of Abdulle, order 4, error control, for parabolic problems")             \
    X(DP5, "dp5", "Dormand-Prince 5(4), error control, for problems that are not stiff")                               \
    X(AUTO, "auto", "the method that suits, chosen at the first step: dp5, rkc2 or rock4")                             \
    X(NEWTON, "newton", "steady states only: all equations at once, without steps; in C rw_elliptic with `steady`")    \
    X(IMEX1, "imex1", "Euler's methods, implicit for marked terms and explicit for others, order 1, fixed step")       \
    X(ARK2, "ark2", "additive Runge-Kutta, implicit for marked terms, order 2, error control or fixed step")
/* clang-format on */

typedef enum rw_ode_method {
    RW_ODE_DEFAULT, /* auto */
#define RW_X(name, text, line) RW_ODE_##name,
    RW_ODE_METHOD_LIST(RW_X)
#undef RW_X
} rw_ode_method;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_ode_method_name(rw_ode_method value);
RW_API rw_status rw_ode_method_parse(rw_context *context, const char *name, rw_ode_method *value);

typedef struct rw_ode_spec {
    const char *name;      /* begins messages: "case.yaml" */
    int line, column;      /* where the equations begin there. Default: 1:1. */
    const char *equations; /* du/dt = … for every field, helpers a = …, functions f(a) = … */
    rw_grid grid;
    int order; /* of spatial differences, 2 or 4. Default: 2. */
    const rw_expr_field *fields;
    int64_t nfields;
    const rw_expr_scalar *scalars;
    int64_t nscalars;
    rw_ode_method method; /* (default: auto) */
    double start;         /* initial time (default: 0) */
    double end;           /* AUTO: final time, used to choose the method. INFINITY, default: unknown. */
    /* RK4, IMEX1, ARK2: step size, used as it is. IMEX1 needs one. 0: of ARK2 by its error estimate, of RK4 at most 0.9
     * of the stability limit 2.78 / spectral radius, and so short that the error of a step meets the tolerances, which
     * some of the steps check (default: 0) */
    double step;
    /* methods with error control, and RK4 and ARK2 without a given step */
    double rtol;         /* relative tolerance per step (default: 1e-5) */
    double atol;         /* absolute tolerance per step (default: 1e-8) */
    double initial_step; /* 0: chosen by the method (default: 0) */
    double max_step;     /* 0: no limit (default: 0) */
    int max_stages;      /* stabilised methods (default: 200; rkl2: 199; rock2, rock4: 400) */
    /* ROCK2, ROCK4: bound of |R| on the stability interval, 0.5 … 0.99. A smaller value damps more: a wider region
     * around the real axis and a shorter interval (default: 0.95) */
    double damping;
    /* Spectral radius of the Jacobian: an expression of scalars and t; "power": power iteration; "auto": Gershgorin's
     * circles of the derivative of the equations, power iteration if these are not finite (default: auto) */
    const char *spectral_radius;
    /* RK4, IMEX1, ARK2 with a given step: replay a step as a recorded sequence if nothing in it depends on t
     * (default: true) */
    rw_switch record;
    bool dense; /* store the last three states, for rw_ode_interpolate and rw_ode_undo; not RK4, nor given steps */
    /* When requested, creation and rw_ode_step end with ERR_INTERRUPTED, the latter before a step or between two
     * attempts; the state is that before the step. Default: none. */
    const rw_cancel *cancel;
    rw_grid_layout layout; /* of the grid */
    /* External fields, such as a coefficient that varies in space: f32, f64 or u8, read by the equations, not
     * integrated, part of no norm and of no checkpoint. In conditions of sides, u8 has beyond the ends of a side the
     * value of its nearest node; others are extrapolated. rw_ode_bind binds their arrays, which are only read; none is
     * copied. `boundary`: their values beyond the sides; an axis that is periodic for the fields is so for them,
     * whatever is given (without one: that of the nearest node). */
    const rw_expr_field *externals;
    int64_t nexternals;
    double tolerance; /* of a steady state, for rw_ode_get_rate; no effect on steps (default: 1e-8) */
    /* How fields without a rate are solved for: [nfields] texts for rw_elliptic_params, "krylov:rtol=1e-10"; NULL, also
     * of a single field: by the defaults. */
    const char *const *solvers;
    /* Steps by the Courant number: their length is courant times the value of courant_one, the step of Courant number
     * 1, an expression of the state, scalars and functions with reductions, such as "1/max(abs(u)/hx + abs(v)/hy)"; at
     * most max_step, at first initial_step. It is found before each of the first ten steps, then before every fifth,
     * and a step is kept while it is 0.8 to 1 of what it allows, so that steps can be recorded. With RK4, IMEX1 and
     * ARK2 it takes the place of `step`; with error control it is a limit. 0: the step is another one (default: 0).
     * With courant_one alone rw_ode_statistics has the number, and given steps of a state that diverges end with
     * ERR_NOT_CONVERGED within ten steps. */
    double courant;
    const char *courant_one; /* NULL: none */
} rw_ode_spec;

/* The parameter table of rw_ode_spec, for rw_params_parse: "rock4:rtol=1e-6:max_step=0.1". */
RW_API const rw_params *rw_ode_params(void);

typedef struct rw_ode rw_ode;

/* Creates an integrator: parses and checks the equations and starts to compile in the background.
 * Errors: ERR_INPUT with line, column and the nearest name; ERR_ARGUMENT; ERR_MEMORY. ERR_COMPILE comes from the first
 * step.
 * Lifetime: the specification and all that it points to are copied.
 * Threads: one at a time. */
RW_API rw_status rw_ode_create_sized(rw_device *device, const rw_ode_spec *spec, rw_ode **ode, size_t spec_size,
                                     size_t field_size, size_t scalar_size);
#define rw_ode_create(...)                                                                                             \
    rw_ode_create_sized(__VA_ARGS__, sizeof(rw_ode_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar))
RW_API void rw_ode_destroy(rw_ode **ode);
/* Binds the array that holds a field of the state, of the grid's shape (z, y, x) and the field's type. After each step
 * it holds the new state. The integrator retains it. Bind it again after its values have been changed. An external
 * field is bound alike; its array is only read, and may be bound to other integrators and programs too.
 * Errors: ERR_ARGUMENT. */
RW_API rw_status rw_ode_bind(rw_ode *ode, const char *field, rw_array *array);
/* Sets a scalar. Nothing is compiled. Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_ode_set(rw_ode *ode, const char *scalar, double value);
/* Gets the value of a scalar, and the array bound to a field (NULL if there is none; it belongs to the integrator until
 * another is bound). Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_ode_get(const rw_ode *ode, const char *scalar, double *value);
RW_API rw_status rw_ode_get_array(const rw_ode *ode, const char *field, rw_array **array);
/* Gets the specification, with its defaults filled in. `method` and `max_stages` are those in use (rw_ode_get_method).
 * `fields`, `scalars` and `externals` are NULL: rw_ode_get and rw_ode_get_array return their values. Lifetime: the
 * texts belong to the integrator. */
RW_API rw_status rw_ode_get_spec_sized(const rw_ode *ode, rw_ode_spec *spec, size_t spec_size);
#define rw_ode_get_spec(...) rw_ode_get_spec_sized(__VA_ARGS__, sizeof(rw_ode_spec))

/* Takes one accepted step after as many rejected attempts as necessary. It does not pass t_limit, which is reached
 * exactly.
 * Errors: ERR_NOT_CONVERGED: values are not finite, the step size is too small, or fields grow by the instability of a
 * given step of rk4; ERR_INPUT: a given step of rk4 is unstable for a constant Jacobian. The state is that before the
 * step. */
RW_API rw_status rw_ode_step(rw_ode *ode, double t_limit);
RW_API double rw_ode_time(const rw_ode *ode);
/* Computes how fast the present state changes: the largest |du/dt| over max(|u|, 1), of all fields and nodes. Below
 * `tolerance` the state is steady, which *steady says. One evaluation of the right-hand side; waits. steady: optional.
 */
RW_API rw_status rw_ode_get_rate(rw_ode *ode, double *rate, bool *steady);

/* Dense output, with `dense`: interpolates the state at a time t within the last step, its end included, by the cubic
 * through the present state and the three before. No right-hand side is evaluated. Afterwards the bound arrays hold the
 * interpolated state and rw_ode_time is t; the next interpolation, step, undo, bind or set restores the present state
 * first.
 * *error: estimate of the interpolation error relative to the solution, in the 2-norm over all fields: the difference
 *     to the parabola through the newest three states. INFINITY if the states do not suffice: within the first steps,
 *     after a discontinuity in time, rw_ode_bind, rw_ode_set or rw_ode_load, or if squares overflow. The arrays then
 *     hold the present state.
 * Errors: ERR_ARGUMENT: a time outside the last step, no `dense`; ERR_MEMORY, ERR_COMPILE, ERR_LAUNCH: the arrays hold
 * the present state. */
RW_API rw_status rw_ode_interpolate(rw_ode *ode, double t, double *error);
/* Restores the present state after rw_ode_interpolate. Call it before rw_ode_save.
 * Errors: only with borrowed memory (RW_BORROW), which is copied; nothing is lost and the call may be repeated. */
RW_API rw_status rw_ode_restore(rw_ode *ode);
/* Undoes the last accepted step, with `dense`, so that another limit can be stepped to. Arrays, time, step size control
 * and statistics are restored; work that was done stays counted (rhs, spectral_rhs, rejected, undone). Once per step.
 * Errors: ERR_ARGUMENT: no such step, no `dense`; with borrowed memory as rw_ode_restore. */
RW_API rw_status rw_ode_undo(rw_ode *ode);
/* The method; of AUTO the one in use, AUTO before the first step. AUTO may change dp5 for rkc2 or rock4 before a step,
 * if the problem has become stiff. *reason (optional): why it was chosen, "" for other methods; it belongs to
 * the integrator. */
RW_API rw_status rw_ode_get_method(const rw_ode *ode, rw_ode_method *method, const char **reason);

typedef struct rw_ode_statistics {
    int64_t steps, rejected, rhs; /* accepted and rejected steps, evaluations of the right-hand side */
    int64_t spectral_rhs;         /* evaluations that estimated the spectral radius, part of rhs */
    double spectral_radius;
    int stages, max_stages; /* of the last step, of the largest */
    double step, error;     /* last accepted step: size, error over tolerance */
    int64_t undone;         /* steps undone by rw_ode_undo */
    /* Of fields without a rate: how often they were solved for, iterations of methods that iterate; the largest |F(u)|
     * over |F(0)| of the last step, 0 of transforms. */
    int64_t solves, solve_iterations;
    double solve_residual;
    int64_t step_iterations; /* iterations of the last step, 0 after rw_ode_load */
    double courant;          /* of the last step for which it was found, 0: there is no courant_one */
} rw_ode_statistics;
/* Statistics since the creation of the integrator, or of the state that rw_ode_load has set. */
RW_API rw_status rw_ode_get_statistics_sized(const rw_ode *ode, rw_ode_statistics *statistics, size_t statistics_size);
#define rw_ode_get_statistics(...) rw_ode_get_statistics_sized(__VA_ARGS__, sizeof(rw_ode_statistics))

/* Saves what a restart with the same bits needs besides the fields: values with names, such as "time", "steps" and
 * "method". Their number and names follow from the method in use. Returns the number; those beyond `capacity` are not
 * written.
 * names, values: optional, [capacity]. Lifetime: the names are constant texts. */
RW_API int64_t rw_ode_save(const rw_ode *ode, const char **names, double *values, int64_t capacity);
/* Loads n such values, in any order, into an integrator of the same specification. AUTO becomes the method that it had
 * chosen, which can fail as rw_ode_create can.
 * Errors: ERR_ARGUMENT: a value is missing or was not written by rw_ode_save, a state of another method; the integrator
 * is unchanged. */
RW_API rw_status rw_ode_load(rw_ode *ode, const char *const *names, const double *values, int64_t n);

/* The kernels of one step as text. AUTO before its first step: those of the method that it would choose at the present
 * state; `end` must be given and all fields bound, else the text reports what is missing. Free it with rw_free.
 * Errors: ERR_MEMORY; of AUTO those of rw_ode_step. */
RW_API rw_status rw_ode_explain(const rw_ode *ode, char **text);
/* The dependency graph of one step; nothing is run. Tasks are the passes of the kernels at the nodes of a small model
 * grid, parts are the tiles of each kernel (docs/methods/depgraph.md). The text describes the kernels with what they
 * read and write, whether a tile could go through the whole step, and what may run concurrently.
 * stages: approximate number of stages of methods that choose it (default: 7).
 * graph, tiles, text: optional. Destroy *graph and *tiles, free *text with rw_free.
 * Errors: ERR_ARGUMENT: stages, a field that is not bound; ERR_MEMORY; and those of rw_ode_create. */
RW_API rw_status rw_ode_depgraph(rw_ode *ode, int stages, rw_depgraph **graph, rw_partition **tiles, char **text);
/* Bytes of device memory that the method needs for these fields, the state and external fields included. */
RW_API int64_t rw_ode_bytes_sized(const rw_ode_spec *spec, size_t spec_size, size_t field_size, size_t scalar_size);
#define rw_ode_bytes(...)                                                                                              \
    rw_ode_bytes_sized(__VA_ARGS__, sizeof(rw_ode_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar))

#ifdef __cplusplus
}
#endif
#endif
