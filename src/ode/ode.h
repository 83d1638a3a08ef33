/* For authors of methods: the table a method fills in, and the tools to write its kernels as formulas.
 *
 * A method's state is some vectors, each one array a field: vector 0 is the solution y. Its kernels are expression
 * programs over vectors at given times, built from nodes:
 *
 *   rw_stage_begin(ode, &s);
 *   rw_stage_vector(&s, VECTOR_A, tA);            reads vector A, whose boundary values are those of time tA
 *   f = rw_stage_rate(&s, …)                      its right-hand side, fused into whatever uses it
 */
#ifndef RW_ODE_INTERNAL_H
#define RW_ODE_INTERNAL_H

#include "expr/program.h"
#include "rechenwerk/ode.h"

enum { RW_ODE_VECTORS = 5 };

typedef struct rw_ode_ops {
    const char *name;
    int vectors;                       /* arrays a field, the solution included */
    bool adaptive;
    rw_status (*create)(rw_ode *ode);  /* builds the programs */
    rw_status (*step)(rw_ode *ode, double t_limit);
    void (*destroy)(rw_ode *ode);
    rw_status (*explain)(const rw_ode *ode, rw_text *text);
} rw_ode_ops;
extern const rw_ode_ops rw_rk4_ops, rw_rkc2_ops;

/* A program of a method with the vectors it names. */
typedef struct rw_stage {
    rw_expr *expr;
    int *field;     /* by [vector][user field]: index of the graph's field, -1 when unused */
} rw_stage;

struct rw_ode {
    rw_device *device;
    const rw_ode_ops *ops;
    /* the problem, kept to be lowered into each program */
    rw_source source;
    char *name, *text;
    rw_parsed parsed;
    rw_grid grid;
    int order, nfields, nscalars;
    rw_expr_field *fields;    /* deep copies */
    rw_expr_scalar *scalars;
    char *radius_text;        /* NULL: estimate */
    bool radius_power;        /* by power iteration */
    double start, fixed_step, rtol, atol, initial_step, max_step;
    int max_stages;
    bool record;
    /* state */
    double t;
    rw_ode_statistics stat;
    rw_array **vector;        /* by [vector][field]; vector 0 is the caller's */
    int64_t changes;          /* arrays bound and scalars set so far: what was recorded before is void */
    bool stale;               /* a scalar has changed since the spectral radius was found */
    double controller[4];     /* what the method's step control remembers; saved in checkpoints */
    struct rw_spectral *spectral;
    void *method;             /* the method's own */
};

/* ---- building programs ------------------------------------------------------------------------------------------- */

typedef struct rw_building {
    rw_ode *ode;
    rw_graph *graph;
    rw_lowering lowering;
    int *field;               /* by [vector][field] */
    rw_node time[RW_ODE_VECTORS];
    rw_plan plan;
    bool planned;
    rw_status status;         /* first failure; later calls do nothing */
} rw_building;

void rw_build_begin(rw_building *b, rw_ode *ode);
/* A number that is set before each run. */
rw_node rw_build_scalar(rw_building *b, const char *name);
/* Vector `v` takes part; `time`: node that t is in its boundary values and right-hand side. All vectors first. */
void rw_build_vector(rw_building *b, int v, rw_node time);
rw_node rw_build_value(rw_building *b, int v, int f);           /* y_v[f] */
void rw_build_rates(rw_building *b, int v, rw_node *rates);     /* F(t_v, y_v)[f] for all fields */
void rw_build_store(rw_building *b, int v, int f, rw_node value);
void rw_build_result(rw_building *b, const char *name, rw_node value);
rw_status rw_build_end(rw_building *b, const char *name, rw_stage *stage);

/* Vectors of the ode bound to the program's fields and the program run; scalars are set with rw_stage_set. */
rw_status rw_stage_run(rw_ode *ode, rw_stage *stage);
void rw_stage_set(rw_stage *stage, const char *scalar, double value);
void rw_stage_free(rw_stage *stage);

/* ---- spectral radius (spectral.c) ----------------------------------------------------------------------------------- */

/* Bound or estimate at the present state, by the user's expression, Gershgorin's circles, or power iteration. */
rw_status rw_spectral_radius(rw_ode *ode, double *rho);
/* False when it depends on neither state nor time: one estimate serves for ever. */
bool rw_spectral_varies(const rw_ode *ode);
void rw_spectral_free(rw_ode *ode);
/* What was found before is void: a scalar has changed. */
void rw_spectral_forget(rw_ode *ode);
/* How the radius is found, for explain. */
const char *rw_spectral_kind(const rw_ode *ode);

#endif
