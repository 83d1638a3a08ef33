/* For authors of methods: the table a method fills in, and the tools to write its kernels as formulas.
 *
 * A method's state is some vectors, each one array a field: vector 0 is the solution y. Its kernels are expression
 * programs over vectors at given times, built from nodes:
 *
 *   rw_build_begin(&b, ode);
 *   rw_build_vector(&b, A, tA);          reads vector A, whose boundary values are those of time tA
 *   rw_build_rates(&b, A, f);            its right-hand side, fused into whatever uses it
 *   rw_build_store(&b, Y, i, …);         field i of vector Y
 *   rw_build_end(&b, "name", &stage);
 */
#ifndef RW_ODE_INTERNAL_H
#define RW_ODE_INTERNAL_H

#include "elliptic/elliptic.h"
#include "expr/lower.h"
#include "expr/program.h"
#include "expr/range.h"
#include "expr/switches.h"
#include "ode/dense.h"
#include "ode/settle.h"
#include "rechenwerk/ode.h"

/* Vectors of a method; after them the states that dense.c stores. */
enum { RW_METHOD_VECTORS = 8, RW_PAST = RW_METHOD_VECTORS, RW_ODE_VECTORS = RW_PAST + RW_ODE_PAST };
/* Numbers that a method may store from step to step; more are possible. Number 3 is RW_RADIUS_EVERY after values,
 * scalars or equations have changed, whatever the method. */
enum { RW_METHOD_STATE = 8 };

/* A step tried: what rw_adaptive_step needs to know of it. */
typedef struct rw_attempt {
    int stages;
    double estimate; /* norm of the estimated error over the tolerance */
    double most;     /* the largest estimate that is accepted; 0: 1 */
    double error;    /* estimate/most, or what jumps make of it: up to 1 is accepted (adaptive.c) */
} rw_attempt;

typedef struct rw_ode_ops {
    rw_ode_method method;
    const char *name;
    const char *const *state;                       /* names of what it stores in now.controller; NULL ends them */
    int vectors;                                    /* arrays a field, the solution included */
    int least_stages;                               /* of a step */
    size_t size;                                    /* bytes of ode->method, which begins with an array of … */
    int programs;                                   /* … rw_stage */
    rw_status (*create)(rw_ode *ode);               /* builds the programs */
    rw_status (*step)(rw_ode *ode, double t_limit); /* of adaptive methods: rw_adaptive_step */
    /* optional */
    void (*destroy)(rw_ode *ode); /* what it has besides programs */
    const char *summary;          /* what a step takes; explained by it and all programs if there is no … */
    rw_status (*explain)(const rw_ode *ode, rw_text *text);
    const void *variant;                   /* in what methods differ that share these functions */
    const struct rw_ode_ops *without_step; /* takes its place where no step is given */
    /* of methods that try some of their steps only, which have no dense output: a step that is not tried, for traces */
    rw_status (*untried)(rw_ode *ode, double h);
    /* AUTO: the largest of the methods that it may become, for traces and estimates of memory */
    const struct rw_ode_ops *chooses;
    bool choosable; /* AUTO may become it */
    bool additive;  /* it solves for marked terms */
    double courant; /* largest Courant number that central differences allow; 0: steps have error control */
    /* methods with steps of one length (repeat.h) */
    rw_status (*run)(rw_ode *ode, double h);         /* the launches of a step */
    rw_status (*send)(rw_ode *ode, rw_queue *queue); /* what a recorded one finds on the device besides y; optional */
    /* adaptive methods only */
    int result;                         /* vector that holds y_{n+1} */
    int power;                          /* the estimate is of size h^power */
    double growth;                      /* limit of a step over the one before */
    double (*reach)(const rw_ode *ode); /* largest h rho that is stable; NULL: the radius does not matter */
    rw_status (*attempt)(rw_ode *ode, double h, double rho, rw_attempt *a);
    int inner;        /* vector of a stage at the step's end, where jumps are sought too; 0: none */
    double stable;    /* largest h rho that is stable, of methods without reach; 0: it does not apply */
    bool keeps_place; /* an accepted step is copied into y's memory, not exchanged with it */
} rw_ode_ops;
/* rw_method_RK4, … */
#define RW_X(name, text, line) extern const rw_ode_ops rw_method_##name;
RW_ODE_METHOD_LIST(RW_X)
#undef RW_X

/* The functional s -> sum polynomial[k] h^k s^(k)(t), on the polynomial through values at t + theta[q] h (Chebyshev
 * nodes), has the weights sum_k weight[q][k] polynomial[k]. */
typedef struct rw_quadrature_rule {
    double theta[RW_QUADRATURE_NODES], weight[RW_QUADRATURE_NODES][RW_QUADRATURE_NODES];
} rw_quadrature_rule;
void rw_quadrature_begin(rw_quadrature_rule *rule);

/* Unknowns (algebraic.h) that a program reads. */
typedef struct rw_unknowns_read {
    int vector; /* of which they are the unknowns */
    int field;  /* the first of them in the graph */
    int time;   /* parameter of the graph: t of the vector */
} rw_unknowns_read;

/* A program of a method with the vectors it names. */
typedef struct rw_stage {
    rw_expr *expr;
    int *field;   /* by [vector][user field]: index of the graph's field, -1 when unused */
    bool moves;   /* something in it depends on time */
    int scalars;  /* parameters of the graph: the first of the ode's scalars, and after them … */
    int own;      /* … the first of those that rw_build_scalar has made */
    int external; /* fields of the graph: the first external one; -1: it has none */
    /* fields of the graph: the first of those of a vector with marked terms, with the sides that these have
     * (implicit.h); -1: it has none */
    int split, split_of;
    rw_unknowns_read reads[2];
    int nreads;
    unsigned stores; /* vectors that it stores to, a bit each */
} rw_stage;

/* What a step changes, except the fields. */
typedef struct rw_ode_progress {
    double t;
    double controller[RW_METHOD_STATE]; /* what the method's step control remembers */
    rw_ode_statistics stat;
    bool unknowns; /* there are some, and statistics of their solver */
    bool moves;    /* there is a Courant number */
} rw_ode_progress;

struct rw_ode {
    rw_device *device;
    const rw_cancel *cancel; /* NULL: none */
    const rw_ode_ops *ops;
    /* the problem, kept to be lowered into each program */
    rw_source source;
    char *name, *text;
    rw_parsed parsed;
    rw_grid grid;
    rw_grid_layout layout;
    int order, nfields, nscalars;
    int nunknowns;         /* fields without a rate: algebraic.h */
    rw_expr_field *fields; /* [nfields + nunknowns] deep copies */
    int *given;            /* of each its number among those of the specification */
    int nexternals;
    rw_expr_field *externals; /* deep copies */
    rw_array **external;      /* [nexternals] the caller's */
    rw_expr_scalar *scalars;
    char *radius_text;  /* NULL: estimate */
    bool radius_power;  /* by power iteration */
    char *courant_text; /* NULL: none */
    double courant;     /* 0: steps do not follow it */
    double start, fixed_step, rtol, atol, initial_step, max_step, damping;
    int max_stages;
    bool record;
    /* of studies, rock4: stages s with h rho <= stage_rule s^2, of the published table; 0: by intervals */
    double stage_rule;
    double end;                /* AUTO: expected, 0 unknown */
    double tolerance;          /* of a steady state */
    int given_stages;          /* the caller's limit, 0: the method's */
    const rw_ode_ops *chooser; /* AUTO's table, if it was created as AUTO; NULL */
    char reason[320];          /* why AUTO became what it is */
    rw_quadrature_rule quadrature;
    /* state */
    rw_ode_progress now;  /* saved in checkpoints */
    double step_end;      /* of the step that is tried: no stage's time lies beyond */
    rw_array **vector;    /* by [vector][field]; vector 0 is the caller's */
    int64_t changes;      /* arrays bound and scalars set so far: what was recorded before is void */
    rw_stage settled;     /* layout node: writes the values that sides give */
    int64_t settled_at;   /* `changes` when it ran last */
    rw_stage rate;        /* how fast the state changes (steady.c) */
    rw_stage courant_one; /* the step of Courant number 1 (courant.c) */
    bool stale;           /* a scalar has changed since the spectral radius was found */
    bool fresh;           /* AUTO has found it at the present state */
    double refused_step;  /* of a step that was given up: its last attempt, 0: none */
    rw_attempt refused;
    double refused_limit;           /* t_limit of that step */
    bool unresolved;                /* the message already contains the reason: t + h = t, an unstable given step */
    struct rw_algebraic *algebraic; /* NULL: there are no unknowns */
    struct rw_implicit *implicit;   /* NULL: the method solves for no marked terms */
    struct rw_repeat *repeat;       /* of methods with steps of one length; NULL */
    struct rw_spectral *spectral;
    struct rw_adaptive *adaptive;
    struct rw_dense *dense;                                    /* set: the last states are kept */
    struct rw_trace *trace;                                    /* of a step that is traced … */
    rw_status (*note)(rw_ode *ode, rw_stage *stage);           /* … set: programs are given to it instead of run */
    rw_status (*note_solve)(rw_ode *ode, int into, int known); /* … and solves of marked terms */
    void *forecast;                                            /* forecast.c: what its `note` needs */
    void *method;                                              /* the method's own */
};

/* Of arrays of the grid. */
static inline void rw_ode_shape(const rw_ode *ode, int *ndim, int64_t shape[3])
{
    const bool plan = rw_programs_are_plans();    /* then arrays are names only */
    *ndim = plan ? 1 : RW_MAX(ode->grid.ndim, 1); /* without space arrays have one element */
    shape[0] = 1;
    for (int d = 0; d < ode->grid.ndim && !plan; ++d) shape[d] = ode->grid.size[ode->grid.ndim - 1 - d];
}

/* ---- building programs ------------------------------------------------------------------------------------------- */

typedef struct rw_building {
    rw_ode *ode;
    rw_graph *graph;
    rw_lowering lowering;
    int *field;                    /* by [vector][field] */
    rw_node *node[4];              /* [nfields] for the builder's own use; NULL after a failure */
    rw_node time[RW_ODE_VECTORS];  /* may be changed between the stages that a program has */
    int scalars;                   /* as in rw_stage */
    int external, split, split_of; /* as in rw_stage */
    int unknown[RW_ODE_VECTORS];   /* first of the vector's unknowns in the graph; -1: it has none */
    bool sided[RW_ODE_VECTORS];    /* its sides are lowered */
    unsigned stores;
    rw_plan plan;
    bool planned;
    rw_status status; /* first failure; later calls do nothing */
} rw_building;

/* An operation of two nodes of the graph g. */
#define OP(o, a, b) rw_make2(g, RW_OP_##o, a, b)

void rw_build_begin(rw_building *b, rw_ode *ode);
/* A number that is set before each run; a time when its name begins with t. */
rw_node rw_build_scalar(rw_building *b, const char *name);
/* A setting of the integrator, such as a tolerance: an argument of the kernels, so that another value compiles
 * nothing. */
rw_node rw_build_setting(rw_building *b, const char *name, double value);
/* Vector `v` takes part; `time`: node that t is in its boundary values and right-hand side. All vectors first. */
void rw_build_vector(rw_building *b, int v, rw_node time);
rw_node rw_build_value(rw_building *b, int v, int f); /* y_v[f] */
/* Conditions of the state that read unknowns: the vector has them from then on, as after rw_build_rates. Without them,
 * nodes that are given have what the array has there; y has them always. */
void rw_build_sides(rw_building *b, int v);
/* ode->algebraic->read_by_sides. */
rw_status rw_build_find_reads(rw_ode *ode);
void rw_build_rates(rw_building *b, int v, rw_node *rates); /* F(t_v, y_v)[f] for all fields */
/* The same of some terms. split: fields with marked terms are these of the graph; -1: those of the vector. */
void rw_build_part(rw_building *b, int v, rw_rate_part part, int split, rw_node *rates);
/* The value of an expression of the vector's state, of scalars and functions. */
rw_node rw_build_text(rw_building *b, int v, const rw_source *source);
/* Sides of fields of the graph from `first` on, with t = time. */
rw_status rw_build_sides_of(rw_building *b, const rw_expr_field *fields, int nfields, int first, rw_node time);
void rw_build_store(rw_building *b, int v, int f, rw_node value);
/* Boundary values depend on time: then a vector has them of one time only; or on fields of their own vector. */
bool rw_build_sides_vary(const rw_building *b);
void rw_build_result(rw_building *b, const char *name, rw_node value);
rw_status rw_build_end(rw_building *b, const char *name, rw_stage *stage);
/* No program after all: gives the building's status. */
rw_status rw_build_drop(rw_building *b);

/* Vectors of the ode bound to the program's fields and the program run; scalars are set with rw_stage_set. */
rw_status rw_stage_run(rw_ode *ode, rw_stage *stage);
/* Before a run is recorded. */
rw_status rw_stage_prepare(rw_ode *ode, rw_stage *stage);
void rw_stage_set(rw_stage *stage, const char *scalar, double value);
/* t + c h, but not beyond the end of the step: rounding must not take a stage across a switch. */
double rw_ode_stage_time(const rw_ode *ode, double c, double h);
/* The user's scalars as they are now; rw_stage_run does so itself. */
void rw_stage_set_scalars(rw_ode *ode, rw_stage *stage);
/* The time `scalar` of a stage of a step h from the present time. A stage's value on y' = lambda y, y_n = 1, is a
 * polynomial in h lambda: `polynomial` has its coefficients. Functions of time get the values that the method itself
 * would give them as further unknowns (s' = s_1, s_1' = s_2, …), not those at a point of time: then sources and
 * boundary values of linear equations cost no order, however stiff they are. */
rw_status rw_stage_time(rw_ode *ode, rw_stage *stage, const char *scalar, double h,
                        const double polynomial[RW_QUADRATURE_NODES]);
void rw_stage_free(rw_stage *stage);
/* The arrays of two vectors exchanged. */
void rw_ode_exchange(rw_ode *ode, int v, int w);
/* The stage's plan added to `text`. */
rw_status rw_stage_explain(const rw_stage *stage, rw_text *text);
/* |y|, or max(|y|, |next|); next: optional. */
rw_node rw_build_size(rw_graph *g, rw_node y, const rw_node *next);
/* Result "norm": sqrt(mean((e/(atol + rtol max(|y|, |next|)))^2)) over all cells and fields; without `next` |y| alone
 * counts. */
void rw_build_norm(rw_building *b, const rw_node *e, const rw_node *y, const rw_node *next);
/* Vector `into` = y + c F(t, y): scalars "t", "c". */
rw_status rw_build_euler(rw_ode *ode, int into, const char *name, rw_stage *stage);

/* ---- external fields (external.c) -------------------------------------------------------------------------------- */

/* Names, types and sides of spec->externals. */
rw_status rw_externals_check(rw_context *ctx, const rw_ode_spec *spec);
bool rw_externals_bound(const rw_ode *ode);
/* ERR_ARGUMENT: a field, or an external one, has no array. */
rw_status rw_ode_need_arrays(const rw_ode *ode);
/* The graph has them from then on, after the fields of vectors that take part already. */
rw_status rw_build_externals(rw_building *b);
/* Their arrays bound to the stage's program. */
void rw_externals_hold(const rw_ode *ode, const rw_stage *stage);
/* Their values are on the device from then on, before launches are recorded. */
rw_status rw_externals_send(const rw_ode *ode, rw_queue *queue);

/* ---- what is saved (progress.c) ---------------------------------------------------------------------------------- */

/* A list of named values that is written, those beyond `capacity` only counted (names, values: optional), or read. */
typedef struct rw_named {
    const char **names;
    double *values;
    int64_t capacity, n;
    bool loads;
    const char *wrong; /* the first value that is missing or outside its limits; NULL: none */
    double found;      /* it; NAN: it is missing */
} rw_named;
/* The value of a name: `value`, which is added, or the one of the list that is read. */
double rw_named_value(rw_named *list, const char *name, double value, double least, double most);
/* The same of an integer from 0 to `most`. */
int64_t rw_named_count(rw_named *list, const char *name, int64_t value, double most);
/* All values of *progress to the list, or from it. */
void rw_progress_exchange(rw_named *list, const rw_ode_ops *ops, rw_ode_progress *progress);

/* ---- the method (method.c) --------------------------------------------------------------------------------------- */

/* The memory and the programs of ode->ops. */
rw_status rw_method_create(rw_ode *ode);
void rw_method_destroy(rw_ode *ode);
rw_status rw_method_explain(const rw_ode *ode, rw_text *text);
/* AUTO takes a method, with its programs and vectors. On failure it is AUTO again. */
rw_status rw_ode_become(rw_ode *ode, const rw_ode_ops *ops);
/* Those that are not there yet, in the kind of memory that y has. */
rw_status rw_ode_make_vectors(rw_ode *ode);
/* All but y. */
void rw_ode_drop_vectors(rw_ode *ode);

/* Of queries that do not change the integrator. */
typedef struct rw_ode_kept {
    rw_ode_progress now;
    bool record, stale, spectral;
    int max_stages;
    const rw_ode_ops *ops;
} rw_ode_kept;
rw_ode_kept rw_ode_keep(const rw_ode *ode);
/* Restores it, also AUTO as the method. */
void rw_ode_put_back(rw_ode *ode, const rw_ode_kept *kept);

/* Of an integrator that was created as AUTO, before a step, now and then: a stabilised method takes over if the problem
 * has become stiff (auto.c). What it decides follows from the state that rw_ode_save writes. */
rw_status rw_auto_review(rw_ode *ode, double t_limit);

/* ---- step control (adaptive.c) ----------------------------------------------------------------------------------- */

enum { RW_RADIUS_EVERY = 25 }; /* steps */
/* Number of steps above which methods that choose their step warn before the first one. */
#define RW_HOPELESS 1e6
/* The final time if it is known, else t_limit. */
double rw_ode_end(const rw_ode *ode, double t_limit);
/* The final time where a run ends when the state is steady: later than any step, and finite. */
#define RW_ENDLESS 1e290
/* Of a time that is left: there is no final time. */
static inline bool rw_ode_is_endless(double span) { return span > 1e100; }
/* One accepted step by the method's attempts. controller: [0] next step, [1] last error, [2] last accepted step, [3]
 * steps since the radius was found. */
rw_status rw_adaptive_step(rw_ode *ode, double t_limit);
extern const char *const rw_adaptive_state[]; /* their names */
/* y <- the vector `result`, and y_n to the states that are kept. */
rw_status rw_ode_accept(rw_ode *ode, int result);
/* Its programs: when the integrator is created, so that no step waits for a compiler; of AUTO at the first step. */
rw_status rw_adaptive_prepare(rw_ode *ode);
/* The equations jump in space or in the fields: a step that is not tried may miss that. */
bool rw_adaptive_jumps(const rw_ode *ode);
void rw_adaptive_free(rw_ode *ode);

/* ---- switches in time (switches.c) ------------------------------------------------------------------------------- */

/* Those of the stage's program, which has the equations and the boundary values at time "t". The search reads it. */
rw_status rw_switches_create(rw_ode *ode, const rw_stage *stage, rw_switch_search **search);
/* Before a step of at most `ahead`, from the present time to *t_limit: a switch at the present time is passed (the time
 * may then be *t_limit, and no step is left), and *t_limit becomes the last number that a step may reach. True when
 * that is the last one before a switch: rw_switches_pass is to be called with *after when the step has got there. */
bool rw_switches_limit(rw_ode *ode, rw_stage *stage, rw_switch_search *search, double ahead, double *t_limit,
                       double *after);
void rw_switches_pass(rw_ode *ode, double after);

/* ---- jumps inside a step (jumps.c) ------------------------------------------------------------------------------- */

typedef struct rw_jumps rw_jumps;

rw_status rw_jumps_create(rw_ode *ode, rw_jumps **jumps);
void rw_jumps_free(rw_jumps **jumps);
/* What jumps between the ends of an attempt's step may cost, as a norm like that of the estimate; 0 for continuous
 * equations. */
rw_status rw_jumps_error(rw_ode *ode, rw_jumps *jumps, double h, double *error);
/* The expressions that jump, for messages. */
const char *rw_jumps_text(const rw_jumps *jumps);
bool rw_jumps_any(const rw_jumps *jumps);

/* ---- states kept (dense.c); without them these do nothing -------------------------------------------------------- */

rw_status rw_dense_create(rw_ode *ode);
void rw_dense_free(rw_ode *ode);
/* The states before the present one no longer belong to it. */
void rw_dense_forget(rw_ode *ode);
/* The present time is a switch. */
void rw_dense_break(rw_ode *ode);
/* Before a step is tried: what rw_ode_undo goes back to, should it be accepted. */
void rw_dense_begin(rw_ode *ode);
/* Before and after y <- y_{n+1}, while the time is still that of y_n. */
rw_status rw_dense_keep(rw_ode *ode);
void rw_dense_push(rw_ode *ode, int result);

/* ---- failure (failure.c) ----------------------------------------------------------------------------------------- */

/* Adds to the message of a step that ends in ERR_NOT_CONVERGED why and where; returns that status. */
rw_status rw_ode_give_up(rw_ode *ode);
rw_status rw_ode_check_cancel(const rw_ode *ode); /* ERR_INTERRUPTED if it is requested */
/* ERR_NOT_CONVERGED: the state has grown or is not finite, where, and the Courant number of the step h. */
rw_status rw_ode_diverged(rw_ode *ode, double h, double courant);
/* ERR_NOT_CONVERGED if t + h = t, now or at t_limit: then no step can be taken. Nothing is added to this message. */
rw_status rw_ode_check_resolution(rw_ode *ode, double h, double t_limit);

/* ---- Courant number (courant.c) ---------------------------------------------------------------------------------- */

/* The program, if there is an expression. */
rw_status rw_courant_prepare(rw_ode *ode);
/* Of methods with steps of one length: *h becomes the step from the present time, where steps follow the Courant
 * number; a state that has diverged ends them. *h: the step before, 0 at the first one. */
rw_status rw_courant_step(rw_ode *ode, double *h);
/* After the last step of an interval: a state that has diverged is not written. */
rw_status rw_courant_watch(rw_ode *ode);
/* The longest step now; INFINITY: no limit. */
rw_status rw_courant_limit(rw_ode *ode, double *limit);

/* ---- spectral radius (spectral.c) -------------------------------------------------------------------------------- */

/* By power iteration from a rough vector, without its safety factor: close to the modulus of the largest eigenvalue.
 * For linear equations with a normal Jacobian it is not above it. *along: cosine of the angle by which the last step
 * turned the vector, -1 for a negative eigenvalue; 0 for a pair +- lambda.
 * Errors: ERR_NOT_CONVERGED: F is not finite there. */
rw_status rw_spectral_least(rw_ode *ode, double *rho, double *along);
/* Bound or estimate at the present state, by the user's expression, Gershgorin's circles, or power iteration. */
rw_status rw_spectral_radius(rw_ode *ode, double *rho);
/* Its programs beforehand. A given expression needs none: its mistakes are found at the first step. */
rw_status rw_spectral_prepare(rw_ode *ode);
/* False when it depends on neither state nor time: one estimate serves for ever. */
bool rw_spectral_varies(const rw_ode *ode);
/* The radius found last is an upper bound, that of circles. */
bool rw_spectral_is_bound(const rw_ode *ode);
/* The Jacobian is found to depend on neither state nor time, however the radius is found. */
rw_status rw_spectral_constant(rw_ode *ode, bool *constant);
/* How far eigenvalues may lie from the negative real axis, over the radius found last: where Gershgorin's circles end
 * to the right of 0; of a power iteration 1 + the cosine between its last two vectors, 0 on the axis. 0 for a given
 * radius. Of AUTO only. */
rw_status rw_spectral_overhang(rw_ode *ode, double *part);
/* The same by Chebyshev polynomials of the Jacobian, for a second test where the first finds a large distance: that of
 * the fastest growing component, over the radius. *part is unchanged if it is not found. */
rw_status rw_spectral_probe(rw_ode *ode, double *part, bool *found);
/* Its programs, for a trace. */
rw_status rw_spectral_trace(rw_ode *ode);
void rw_spectral_free(rw_ode *ode);
/* What was found before is void: a scalar has changed. */
void rw_spectral_forget(rw_ode *ode);
/* How the radius is found, for explain. */
const char *rw_spectral_kind(const rw_ode *ode);

#endif
