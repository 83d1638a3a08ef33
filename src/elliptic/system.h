/* A system: unknowns that depend on each other, and their equations. What they are, programs made of them, one table of
 * functions per method.
 *
 * All methods solve a linear system for a correction v with homogeneous sides:
 *
 *   J v = -F(u),   u <- u + v       J = dF/du,  so that sources, boundary values of any kind and nonlinear terms
 *                                    appear in F(u) alone
 *
 * Rows are multiplied with the weight of their node and the sign of the diagonal, a scalar of the programs: a symmetric
 * J becomes a symmetric, positive definite matrix. */
#ifndef RW_ELLIPTIC_SYSTEM_H
#define RW_ELLIPTIC_SYSTEM_H

#include "device/device.h"
#include "elliptic/form.h"
#include "expr/equations.h"
#include "expr/program.h"
#include "rechenwerk/elliptic.h"

typedef struct rw_system rw_system;

typedef struct rw_system_ops {
    rw_elliptic_method method;
    bool weighted; /* rows have the weights of their nodes: for methods that use the symmetry of J */
    bool
        direct; /* `solve` is the solution of linear equations: launches only, whose number does not depend on values */
    /* The linear system can be solved so; otherwise `why` says what forbids it. */
    bool (*suits)(rw_system *s, char *why, size_t size);
    rw_status (*create)(rw_system *s);
    /* Before a step: scalars may have changed. */
    rw_status (*prepare)(rw_system *s);
    /* s->v <- the solution of the system with the right-hand side s->r, to |s->r - J v| <= reduction |s->r|. */
    rw_status (*solve)(rw_system *s, double reduction);
    /* Direct methods: u <- the solution with the right-hand side factor b (1, unless the method skips given nodes);
     * arrays of the grid's nodes, without gaps. */
    rw_status (*solve_into)(rw_system *s, rw_array *b, double factor, rw_array *u);
    /* s->v <- `settings->cycles` cycles on the system, from 0: launches only. NULL: the method has no cycles. */
    rw_status (*cycle)(rw_system *s);
    bool (*cycles)(const rw_system *s);  /* (optional) whether it has, for this equation */
    bool (*records)(const rw_system *s); /* `cycle` may be recorded */
    /* What has been prepared has values of field f; NULL: of no field. */
    bool (*reads)(const rw_system *s, int f);
    void (*explain)(const rw_system *s, rw_text *text);
    void (*add_cost)(const rw_system *s, double *bytes, int *launches); /* of `solve`; NULL: it depends on values */
    void (*destroy)(rw_system *s);
} rw_system_ops;

enum { RW_SYSTEM_PROGRAMS = 13 };
extern const rw_system_ops rw_system_transform, rw_system_krylov, rw_system_multigrid;

struct rw_system {
    rw_device *device;                /* this and the next five belong to the solver */
    rw_elliptic_spec *spec;           /* `fields`: its unknowns, then its external fields */
    const rw_elliptic_spec *settings; /* method, tolerances and what follows them */
    const rw_source *source;
    const rw_parsed *parsed;
    const rw_grid *grid;
    bool in_time;
    rw_expr_field
        *fields; /* of the graphs: own unknowns, then all others, which are only read; their texts are not owned */
    int n, nothers;
    int *index;     /* [n + nothers] number among the solver's fields */
    int *statement; /* [n] the equation of an unknown */
    rw_dtype type;
    int64_t nodes;
    rw_graph *graph; /* of the analysis, with the present scalars */
    rw_form form;
    const rw_system_ops *ops;
    bool changed;                          /* scalars or arrays, since the method was prepared */
    bool cycled;                           /* a cycle has run: its programs are loaded */
    char why[200];                         /* the method was chosen */
    void *data;                            /* of the method */
    rw_array **bound;                      /* [n + nothers] */
    rw_expr *programs[RW_SYSTEM_PROGRAMS]; /* all of them; the following are among them */
    int nprograms;
    rw_expr *residual, *update, *level; /* r <- -F(u); u <- u + step v; u <- u + mean - its mean */
    bool knows;                         /* the residual's program has |F(0)|^2 too */
    rw_expr *sum;                       /* r <- u + v, of cycles; else NULL */
    rw_expr *right_side;                /* r <- -F(0); NULL until the first rw_system_enqueue */
    bool has_right_side;                /* all of it is made */
    rw_array *zeros;                    /* that the unknown is bound to there; NULL: it does not read it */
    rw_array *start;                    /* cycles begin there; NULL: with what the unknown's array has */
    bool projects;                      /* where the mean of F should be 0, a direct method takes it away itself */
    bool skips;                         /* a direct method reads the right-hand side at no node that is given */
    bool moves;                         /* the equations depend on t */
    int known; /* another field: F(0) is `times` its value, at nodes that are not given; -1: it is something else */
    double times;
    rw_array *r, *v, **r_of, **v_of; /* vectors of all unknowns, and views of each */
    /* Multigrid, one unknown: a further vector; the iterate before the correction of a grid that has both a finer and a
     * coarser one, so that no program reads what it writes. NULL. */
    rw_array *d, *p;
    bool symmetric; /* cycles are a preconditioner for cg */
    /* Of two grids, where |d|^2 of the finer one is the result "square": of the pass that computes d, or, where each
     * value is read once, of that which restricts it. */
    bool squares, counts;
    const rw_grid *coarser; /* NULL: there is none */
    const rw_grid *finer;   /* whose values parts of a coarser one read; NULL */
    rw_elliptic_result result;
};

/* What a system gets from its solver. pair: its unknowns, numbers among the solver's fields, with their statements. */
typedef struct rw_system_of {
    rw_device *device;
    rw_elliptic_spec *spec;
    const rw_elliptic_spec *settings;
    const rw_source *source;
    const rw_parsed *parsed;
    const rw_pair *pair;
    int npairs;
    bool in_time; /* t is a scalar, and functions of it may be those of a stage: rw_system_set_time */
} rw_system_of;
rw_status rw_system_create(const rw_system_of *of, rw_system **system);
void rw_system_destroy(rw_system **system);
/* An array of the solver's field; a scalar has another value. */
rw_status rw_system_bind(rw_system *s, int field, rw_array *array);
rw_status rw_system_set(rw_system *s, const char *scalar, double value);
/* t, of systems in time; stage: what functions of t are of there, NULL: their values at t. */
rw_status rw_system_set_time(rw_system *s, double t, const rw_quadrature *stage);
/* Linear equations, and a direct method or a number of cycles: rw_system_enqueue works. */
bool rw_system_is_enqueued(const rw_system *s);
/* rw_system_enqueue may be recorded. */
bool rw_system_is_recordable(const rw_system *s);
/* The solution depends on where the method starts. */
bool rw_system_has_start(const rw_system *s);
/* What launches need, after values have changed: they may be recorded afterwards. */
rw_status rw_system_prepare(rw_system *s);
/* u <- the solution, by launches only: of a direct method whatever u was, else after cycles from s->start. Where the
 * mean of F should be 0, it is taken away. */
rw_status rw_system_enqueue(rw_system *s);
/* Solves to the tolerance; s->result is complete whatever the status. */
rw_status rw_system_solve(rw_system *s);
/* s->result has |F(u)| of the bound arrays as `first` and |F(0)|; *allowed: of the tolerances. */
rw_status rw_system_measure(rw_system *s, double *allowed);
void rw_system_explain(const rw_system *s, rw_text *text);
/* Of one solve without iterations, added: bytes per node, launches. */
void rw_system_add_cost(const rw_system *s, double *bytes, int *launches);

/* ---- build.c: programs ------------------------------------------------------------------------------------------- */

/* A graph with the equations lowered. Fields: unknowns, other fields, r, v, d and p of each unknown. */
typedef struct rw_system_building {
    rw_system *of;
    rw_graph *graph;
    rw_lowering lowering;
    rw_node *F;   /* by unknown */
    rw_node sign; /* the scalar "#sign" */
} rw_system_building;

static inline int rw_system_r(const rw_system *s, int f) { return s->n + s->nothers + f; }
static inline int rw_system_v(const rw_system *s, int f) { return 2 * s->n + s->nothers + f; }
static inline int rw_system_d(const rw_system *s, int f) { return 3 * s->n + s->nothers + f; }
static inline int rw_system_p(const rw_system *s, int f) { return 4 * s->n + s->nothers + f; }
enum { RW_SYSTEM_VECTORS = 4 };
/* Parts between two grids: the first of the fields of the other grid. */
static inline int rw_system_other(const rw_system *s) { return (1 + RW_SYSTEM_VECTORS) * s->n + s->nothers; }

/* rw_system_drop after it, whatever the status. */
rw_status rw_system_begin(rw_system *s, rw_system_building *b);
void rw_system_drop(rw_system_building *b);

typedef enum rw_system_part {
    /* r <- -F(u), weighted, 0 at nodes that are given; result "square" of |F|^2. Where the form is open: F is less by
     * the scalar "#mean", and there is the result "sum", of F with weights. */
    RW_SYSTEM_RESIDUAL,
    /* r <- -F(0), where the unknown is bound to zeros; unless the method projects, F less the scalar "#balance" times
     * its mean, where the form is open. */
    RW_SYSTEM_KNOWN,
    RW_SYSTEM_UPDATE,   /* u <- u + step v */
    RW_SYSTEM_SUM,      /* r <- u + v */
    RW_SYSTEM_COPY,     /* v <- r */
    RW_SYSTEM_LEVEL,    /* u <- u + mean - its mean */
    RW_SYSTEM_PRODUCT,  /* r <- J v, weighted */
    RW_SYSTEM_DIAGONAL, /* r <- the diagonal of J in the interior, weighted; 1 where it is 0 */
    /* Results "m0", "m1" …, of form.terms of an unknown's own row: the mean of factor/size of row; "rough". */
    RW_SYSTEM_MEANS,
    RW_SYSTEM_BEFORE, /* v <- r/sqrt(size of row), without its weight; 0 at nodes that are given */
    RW_SYSTEM_AFTER,  /* r <- r/sqrt(size of row) */
    /* Multigrid, one unknown. Two sweeps of red-black relaxation on J v = r, from v = 0, red first; then d <- r - J v.
     * On the coarsest grid sweeps alone. */
    RW_SYSTEM_START,
    /* v <- v + v of the coarser grid, interpolated, but on the coarsest grid; then two such sweeps, in a preconditioner
     * black first. */
    RW_SYSTEM_UP,
    RW_SYSTEM_CYCLE,    /* that, two more sweeps, and d <- r - J v: from one cycle to the next */
    RW_SYSTEM_RESTRICT, /* r <- d of the finer grid */
    RW_SYSTEM_COARSEN   /* fields that J reads <- the mean of those of the finer grid */
} rw_system_part;
/* A program with the equations, unknowns, other fields, r and v bound. */
rw_status rw_system_program(rw_system *s, rw_system_part part, rw_expr **expr);
/* Binds the parts of a vector of all unknowns to the fields from `first` on. */
rw_status rw_system_bind_parts(const rw_system *s, rw_expr *expr, int first, rw_array *vector);
/* Afterwards, with r and v bound again: the program holds no array that its owner could not free otherwise, which would
 * then go in the midst of a recording. Returns `status`. */
rw_status rw_system_unbind_parts(const rw_system *s, rw_expr *expr, rw_status status);
/* A run of the program on parts of vectors launches kernels only. */
bool rw_system_records(const rw_system *s, const rw_expr *expr);
/* The sum of the weights of all nodes. */
double rw_system_weight(const rw_system *s);
static inline int rw_system_sign(const rw_system *s) { return s->form.sign < 0 ? -1 : 1; }

#endif
