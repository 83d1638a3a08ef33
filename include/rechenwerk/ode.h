/* Time integration of equations given as text: du/dt = …, on a device, without copying a field.
 *
 *   rw_ode_spec spec = {.equations = "du/dt = laplace(u)", .grid = …, .fields = …, .method = RW_ODE_RKC2, .rtol =
 *   1e-5}; rw_ode_create(dev, &spec, &ode); rw_ode_bind(ode, "u", array);
 *   while (rw_ode_time(ode) < 1) rw_ode_step(ode, 1); */
#ifndef RECHENWERK_ODE_H
#define RECHENWERK_ODE_H

#include "rechenwerk/depgraph.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/param.h"

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
    X(AUTO, "auto", "the method that suits, chosen at the first step: dp5, rkc2 or rock4")
/* clang-format on */

typedef enum rw_ode_method {
    RW_ODE_DEFAULT, /* auto */
#define RW_X(name, text, line) RW_ODE_##name,
    RW_ODE_METHOD_LIST(RW_X)
#undef RW_X
} rw_ode_method;

typedef struct rw_ode_spec {
    const char *name; /* in messages */
    int line, column;
    const char *equations; /* du/dt = … for every field, helpers a = …, functions f(a) = … */
    rw_grid grid;
    int order; /* of differences, 2 or 4; 0: 2 */
    const rw_expr_field *fields;
    int nfields;
    const rw_expr_scalar *scalars;
    int nscalars;
    rw_ode_method method; /* (default: auto) */
    double start;         /* t at the beginning (default: 0) */
    double end;           /* AUTO: t at the end, 0: unknown */
    double step;          /* RK4: the step; 0: 0.9 of the stability limit 2.78 / spectral radius (default: 0) */
    /* methods with error control */
    double rtol;         /* relative tolerance of a step (default: 1e-5) */
    double atol;         /* absolute tolerance of a step (default: 1e-8) */
    double initial_step; /* 0: chosen by the method (default: 0) */
    double max_step;     /* 0: no limit (default: 0) */
    int max_stages;      /* stabilised methods (default: 200; rkl2: 199; rock2, rock4: 400) */
    /* ROCK2, ROCK4: |R| on the stability interval, 0.5 … 0.99. Less damps more: wider region around the real axis,
     * shorter interval (default: 0.95) */
    double damping;
    /* Expression of scalars and t; "auto", NULL, "": from the derivative of the equations, by power iteration where
     * that is not finite; "power": by power iteration (default: auto) */
    const char *spectral_radius;
    /* RK4: replay a step as a recorded sequence when nothing in it depends on t (default: true) */
    rw_switch record;
    bool dense; /* keep the last three states, for rw_ode_look and rw_ode_undo; not RK4 */
} rw_ode_spec;

/* Rows of rw_ode_spec, the numbers that equations do not have: rw_params_parse "rock4:rtol=1e-6:max_step=0.1". */
RW_API const rw_params *rw_ode_params(void);

typedef struct rw_ode rw_ode;

RW_API rw_status rw_ode_create(rw_device *device, const rw_ode_spec *spec, rw_ode **ode);
RW_API void rw_ode_destroy(rw_ode **ode);
/* The arrays that hold the state; after each step they hold the new state. */
RW_API rw_status rw_ode_bind(rw_ode *ode, const char *field, rw_array *array);
RW_API rw_status rw_ode_set(rw_ode *ode, const char *scalar, double value);

/* One accepted step (with as many rejected attempts as it takes), not past t_limit, which is hit exactly.
 * ERR_NOT_CONVERGED: values that are not finite, or a step too small: the state is that before the step. */
RW_API rw_status rw_ode_step(rw_ode *ode, double t_limit);
RW_API double rw_ode_time(const rw_ode *ode);

/* With `dense`: values within the last step, between the time it began at and the present one (included), without an
 * evaluation of the right-hand side: the cubic through the present state and the three before. Afterwards the bound
 * arrays hold them and rw_ode_time is t; the next look, step, undo, rw_ode_bind or rw_ode_set comes back by itself.
 * *error: estimate of their error, relative to the solution in the 2-norm over all fields (the difference to the
 * parabola through the newest three: on the safe side); without that of the steps. INFINITY, and the arrays hold the
 * present state, when fewer than four states belong together (after few steps, after a switch in time, after
 * rw_ode_bind, which is to be called, too, when values in the arrays were changed, rw_ode_set or rw_ode_load), or when
 * squares of values overflow. ERR_ARGUMENT: another time, no `dense`; ERR_MEMORY, ERR_COMPILE, ERR_LAUNCH: the arrays
 * hold the present state. */
RW_API rw_status rw_ode_look(rw_ode *ode, double t, double *error);
/* The arrays hold the present state again, as they do when nothing was looked at. Before rw_ode_save. Can fail only
 * where memory was lent (RW_BORROW), which is copied; so can rw_ode_undo; nothing is lost and the call may be
 * repeated. */
RW_API rw_status rw_ode_return(rw_ode *ode);
/* With `dense`: back to the state before the last accepted step, so that another limit can be stepped to. Arrays, time,
 * step control and statistics are what they were; only work that was done stays counted (rhs, spectral_rhs, rejected),
 * and the step in `undone`. Once a step; until the next one rw_ode_look finds too few states. ERR_ARGUMENT: no such
 * step, no `dense`. */
RW_API rw_status rw_ode_undo(rw_ode *ode);
/* "rock4", …; of AUTO what it has become, "auto" before the first step. The reason is "" for other methods. */
RW_API const char *rw_ode_method_name(const rw_ode *ode);
RW_API const char *rw_ode_reason(const rw_ode *ode);

typedef struct rw_ode_statistics {
    int64_t steps, rejected, rhs; /* accepted, rejected, evaluations of the right-hand side */
    int64_t spectral_rhs;         /* those of rhs that estimated the spectral radius */
    double spectral_radius;
    int stages, max_stages; /* last, largest */
    double step, error;     /* last accepted: size, error over tolerance */
    int64_t undone;         /* accepted, then taken back by rw_ode_undo */
} rw_ode_statistics;
RW_API rw_ode_statistics rw_ode_get_statistics(const rw_ode *ode);

/* Everything besides the fields that continuing to the same bits needs. */
enum { RW_ODE_STATE = 16 };
RW_API void rw_ode_save(const rw_ode *ode, double state[RW_ODE_STATE]);
/* Into an integrator of the same specification. AUTO becomes the method it was, which may fail as rw_ode_create may.
 * ERR_ARGUMENT: numbers that rw_ode_save does not write, a state of another method; the integrator is as it was. */
RW_API rw_status rw_ode_load(rw_ode *ode, const double state[RW_ODE_STATE]);

/* The plan of one step's kernels as text; free() it. */
RW_API rw_status rw_ode_explain(const rw_ode *ode, char **text);
/* The graph of one step as the library would run it, with nothing run: its tasks are the passes of its kernels at the
 * nodes of a small model grid, its parts the tiles of each kernel (docs/methods/depgraph.md); in words: the kernels
 * with what they read and write, whether a tile could go through the whole step, structures, what may run at the same
 * time. `stages`: of methods that choose their number, about as many; 0: 7. Results that are NULL are left out; the
 * caller destroys *graph and *tiles and frees *text with free(). The integrator is as it was before. ERR_ARGUMENT:
 * stages, a field that is not bound; ERR_MEMORY; and as rw_ode_create, since programs are built that the next step
 * would build. */
RW_API rw_status rw_ode_depgraph(rw_ode *ode, int stages, rw_depgraph **graph, rw_partition **tiles, char **text);
/* Bytes of device memory that a method needs for these fields, state included. */
RW_API int64_t rw_ode_bytes(const rw_ode_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
