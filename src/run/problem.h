/* A problem is what `rechenwerk run` can run: a table of functions over a case. The runner (run.c) does the rest once
 * for all problems: settings, progress, output, checkpoints, interruption, restart, figures, provenance. */
#ifndef RW_PROBLEM_H
#define RW_PROBLEM_H

#include "core/core.h"
#include "io/h5.h"
#include "rechenwerk/array.h"
#include "rechenwerk/blocks.h"
#include "rechenwerk/device.h"
#include "run/case.h"

/* The grid that fields of a problem lie on, for output: node (i, j, k) is at origin + (i, j, k) * spacing. */
typedef struct rw_output_grid {
    int ndim;
    int64_t size[3]; /* x, y, z; 1 beyond ndim */
    double origin[3], spacing[3];
    char axis[3][32]; /* labels with unit, "x (m)" */
    /* NULL, or a block-structured grid: then ndim is 1, size its cells, and fields have a number for each */
    const rw_blocks *blocks;
} rw_output_grid;

/* A field as output sees it: shape (z, y, x), x fastest. */
typedef struct rw_output_field {
    const char *name, *unit;
    rw_array *array;
} rw_output_field;

/* A column of series.csv. Reductions are made when a row is due, not at each step. */
typedef struct rw_output_column {
    const char *name, *unit;
} rw_output_column;

typedef struct rw_problem rw_problem;

/* A number that a case says its final state must have. */
typedef struct rw_problem_check {
    const char *name;
    double value, expect, tolerance;
    bool passed;
} rw_problem_check;

typedef struct rw_problem_ops {
    const char *name;           /* "pde" */
    const char *summary;        /* one line */
    const rw_section *sections; /* settings it reads, besides those of the runner */
    int nsections;

    /* --- required --- */
    /* Checks the whole case and makes the initial state on the device; *bytes_needed is filled first and compared
     * with free memory by the caller when `estimate` is set (then nothing else is done and `problem` may be NULL). */
    rw_status (*create)(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes_needed, rw_problem **problem);
    void (*destroy)(rw_problem **problem);
    /* One step of its own size, never past t_limit; hitting t_limit exactly when it gets there. */
    rw_status (*step)(rw_problem *p, double t_limit);
    double (*time)(const rw_problem *p);
    int64_t (*steps)(const rw_problem *p);           /* accepted so far */
    rw_status (*row)(rw_problem *p, double *values); /* one value a column */
    /* Everything that a bit-exact continuation needs. */
    rw_status (*save)(rw_problem *p, rw_h5 *file);
    rw_status (*load)(rw_problem *p, rw_h5 *file);

    /* --- optional --- */
    /* (optional) what the tables of settings cannot check and needs no device: names, texts of equations, values of
     * constants. Called as the last check of a case, with RW_NOTE for each mistake; settings may be wrong then. */
    rw_status (*inspect)(const rw_case *c);
    /* (optional, all four) dense output, for output.interpolate. `has_dense_output`: whether the next step can be
     * interpolated. `interpolate`: fields, row and time become those at t, with an estimate of the error relative to
     * the solution; INFINITY: impossible, nothing has changed. `restore`: to the present state. `undo`: to the
     * state before the last step. */
    bool (*has_dense_output)(const rw_problem *p);
    rw_status (*interpolate)(rw_problem *p, double t, double *error);
    rw_status (*restore)(rw_problem *p);
    rw_status (*undo)(rw_problem *p);
    /* (optional) values that boundaries give a field on its sides (Dirichlet), for figures. has: which sides have them,
     * in the order left, right, bottom, top, back, front. wide: NULL, or the field with one node more at each of these,
     * x fastest: there the values at time t are put, other nodes stay. */
    rw_status (*sides)(rw_problem *p, int field, double t, bool has[6], double *wide);
    /* (optional) the problem without a device and without its state, for grid, fields (without arrays) and sides:
     * pictures of results that are there. */
    rw_status (*outline)(const rw_case *c, rw_problem **problem);
    rw_status (*explain)(rw_problem *p, rw_text *text); /* (optional) passes, bytes, flops for `rechenwerk explain` */
    /* (optional) the graph of a step in words and, where dot is not NULL, as a picture's text, to be freed with
     * free() */
    rw_status (*graph)(rw_problem *p, int stages, rw_text *text, char **dot);
    /* (optional) numbers for the summary and run.json: name, value pairs */
    int (*statistics)(const rw_problem *p, const char **names, double *values, int max);
    bool passes_end; /* (optional) a step may go to a t_limit beyond `end` */
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
    double end;
    rw_output_grid grid;
    int nfields, ncolumns;
    rw_output_field *fields;         /* without arrays after `outline` */
    const rw_output_column *columns; /* the first is t; none after `outline` */
};

extern const rw_problem_ops rw_pde_ops, rw_rates_ops;
extern const rw_problem_ops *const rw_problems[]; /* NULL-terminated: pde, rates, … (problems.c) */

#endif
