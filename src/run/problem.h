/* A problem is what `rechenwerk run` can run: a table of functions over a case. The runner (run.c) does the rest once
 * for all problems: settings, progress, output, checkpoints, interruption, restart, figures, provenance. */
#ifndef RW_PROBLEM_H
#define RW_PROBLEM_H

#include "core/core.h"
#include "io/h5.h"
#include "rechenwerk/device.h"
#include "run/case.h"
#include "run/probes.h"
#include "state/state.h"

typedef struct rw_problem rw_problem;

/* A number that a case says its final state must have. */
typedef struct rw_problem_check {
    const char *name;
    double value, expect, tolerance;
    bool passed;
} rw_problem_check;

/* A state that marches in time. */
typedef struct rw_march_ops {
    /* One step of its own size, never past t_limit; hitting t_limit exactly when it gets there. */
    rw_status (*step)(rw_problem *p, double t_limit);
    double (*time)(const rw_problem *p);
    int64_t (*steps)(const rw_problem *p); /* accepted so far */
    bool passes_end;                       /* (optional) a step may go to a t_limit beyond `end` */
    /* (optional, all four) dense output, for output.interpolate. `has_dense_output`: whether the next step can be
     * interpolated. `interpolate`: fields, row and time become those at t, with an estimate of the error relative to
     * the solution; INFINITY: impossible, nothing has changed. `restore`: to the present state. `undo`: to the
     * state before the last step. */
    bool (*has_dense_output)(const rw_problem *p);
    rw_status (*interpolate)(rw_problem *p, double t, double *error);
    rw_status (*restore)(rw_problem *p);
    rw_status (*undo)(rw_problem *p);
} rw_march_ops;

/* A state that is solved for. Outputs are made of the first guess, after iterations as the case says
 * (output.every_steps), and of the solution; the first column of series.csv is RW_ITERATION. */
typedef struct rw_stationary_ops {
    /* Some iterations: the runner looks after each call whether the residual is small enough, the run interrupted, an
     * output due. ERR_NOT_CONVERGED: the residual will not become smaller. */
    rw_status (*solve)(rw_problem *p);
    double (*residual)(const rw_problem *p);    /* of the present state, also before the first iteration */
    int64_t (*iterations)(const rw_problem *p); /* so far */
} rw_stationary_ops;

#define RW_ITERATION "iteration"

/* What a run is expected to do; NAN: not known. */
typedef struct rw_problem_forecast {
    const char *method;
    bool certain, adaptive, stabilised; /* as in ode/forecast.h */
    double radius, stable, step;
    const char *by; /* how the radius is found */
    double start, end;
    int64_t nodes, state; /* nodes; bytes of the fields */
    double bytes, flops;  /* of a step, per node */
    int launches, stages;
} rw_problem_forecast;

typedef struct rw_problem_ops {
    const char *name;           /* "pde" */
    const char *summary;        /* one line */
    const rw_section *sections; /* settings it reads, besides those of the runner */
    int nsections;

    /* (optional) Writes the case of another problem, which runs in its place; of this problem's functions no other is
     * called. *root: the values of the case that c says, at their places, or NULL where a mistake has been noted. The
     * caller frees it. */
    rw_status (*expand)(const rw_case *c, rw_tree **root);

    /* --- required, without `expand` --- */
    /* Checks the whole case and makes the initial state on the device; *bytes_needed is filled first and compared
     * with free memory by the caller when `estimate` is set (then nothing else is done and `problem` may be NULL). */
    rw_status (*create)(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes_needed, rw_problem **problem);
    void (*destroy)(rw_problem **problem);
    rw_status (*row)(rw_problem *p, double *values); /* one value a column */
    /* Everything that a bit-exact continuation needs. */
    rw_status (*save)(rw_problem *p, rw_h5 *file);
    rw_status (*load)(rw_problem *p, rw_h5 *file);

    /* --- one of them at least; where both are there, the problem says which (rw_problem.stationary) --- */
    const rw_march_ops *march;
    const rw_stationary_ops *stationary;

    /* --- optional --- */
    /* (optional) what the tables of settings cannot check and needs no device: names, texts of equations, values of
     * constants. Called as the last check of a case, with RW_NOTE for each mistake; settings may be wrong then. */
    rw_status (*inspect)(const rw_case *c);
    /* (optional) values that boundaries give a field on its sides (Dirichlet), for figures. has: which sides have them,
     * in the order left, right, bottom, top, back, front. wide: NULL, or the field with one node more at each of these,
     * x fastest: there the values at time t are put, other nodes stay; two numbers per node of a complex field. Fields
     * on the problem's grid only. */
    rw_status (*sides)(rw_problem *p, int field, double t, bool has[6], double *wide);
    bool computes_outputs; /* (optional) it knows output.series, output.derived and output.probes */
    /* (optional) computes the derived fields of the present state */
    rw_status (*derive)(rw_problem *p);
    /* (optional) the problem without a device and without its state, for grid, fields (without arrays) and sides:
     * pictures of results that are there. */
    rw_status (*outline)(const rw_case *c, rw_problem **problem);
    /* (optional) what `steps` steps would take (NAN: as many as stability needs), without running or compiling.
     * evaluations: those of the right-hand side in a step of an earlier run; NAN: not known. */
    rw_status (*forecast)(const rw_case *c, rw_device *dev, double steps, double evaluations, rw_problem_forecast *f);
    rw_status (*explain)(rw_problem *p, rw_text *text); /* (optional) passes, bytes, flops for `rechenwerk explain` */
    /* (optional) the graph of a step in words and, where dot is not NULL, as a picture's text, to be freed with
     * free() */
    rw_status (*graph)(rw_problem *p, int stages, rw_text *text, char **dot);
    /* (optional) numbers for the summary and run.json: name, value pairs */
    int (*statistics)(const rw_problem *p, const char **names, double *values, int max);
    /* (optional) whether a run that continues from a checkpoint may change this setting, "time.steps": 1, 0, or -1
     * where the runner's rule holds: all of time but start and method, and nothing else of the problem */
    int (*may_change)(const rw_case *c, const char *setting);
    /* (optional) name of the method in use and why it was chosen ("": the case says so), for run.json */
    const char *(*method)(const rw_problem *p, const char **reason);
    /* (optional) the case's own checks of the present state; the runner makes them at the end, reports them, and gives
     * ERR_NOT_CONVERGED when one fails. *list belongs to the problem. */
    rw_status (*check)(rw_problem *p, const rw_problem_check **list, int *n);
} rw_problem_ops;

/* Every problem begins with its table and with what the runner asks for; `create` and `outline` set it. */
struct rw_problem {
    const rw_problem_ops *ops;
    bool stationary;
    double end;       /* final time; stationary: not read */
    double tolerance; /* stationary: the residual at which the state is a solution */
    rw_layout grid;   /* of the fields that have no layout of their own */
    rw_domain domain; /* of a uniform grid, for probes */
    int nfields, ncolumns;
    int nown;                       /* the last columns are numbers of the case's own, which may be infinite or NaN */
    rw_state_field *fields;         /* without arrays after `outline` */
    const rw_state_column *columns; /* the first is t; none after `outline` */
};

/* Fields and columns of a state. */
static inline void rw_problem_take_state(rw_problem *p, const rw_state *s)
{
    p->fields = s->fields;
    p->nfields = s->nfields;
    p->columns = s->columns;
    p->ncolumns = s->ncolumns;
    p->nown = s->nown;
}

/* Where the values of field i lie. */
static inline const rw_layout *rw_output_layout(const rw_problem *p, int i)
{
    return p->fields[i].layout ? p->fields[i].layout : &p->grid;
}

extern const rw_problem_ops *const rw_problems[]; /* NULL-terminated: those that `rechenwerk run` knows (problems.c) */

#endif
