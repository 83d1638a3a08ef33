/* A step traced: the programs that it would run, in their order, with the arrays that they would be given (trace.c);
 * what their kernels read (trace_kernel.c); what becomes of that, a graph of tasks over a model grid (expand.c); and
 * both in words (trace_text.c). */
#ifndef RW_ODE_TRACE_H
#define RW_ODE_TRACE_H

#include "ode/ode.h"
#include "rechenwerk/depgraph.h"

typedef struct rw_trace_run {
    const rw_expr *expr; /* NULL: something is solved for */
    /* by field of the program: number of the array, -1 where it has none; external fields after all vectors, then the
     * sets of unknowns. Of a solve: arrays of the state that it reads, then, from nfields on, what it writes. */
    int *array;
    int nwritten;  /* of a solve */
    bool implicit; /* of a solve: for marked terms, not for unknowns */
    bool radius;   /* part of finding the spectral radius */
} rw_trace_run;

typedef struct rw_trace {
    rw_array **array; /* by number: the integrator's arrays, by vector and field as they lie before the step */
    rw_trace_run *run;
    int nruns, capacity, stages;
    bool radius;
    const char *as; /* the method traced in the place of AUTO; NULL */
} rw_trace;

/* Number of an array of unknowns. */
static inline int rw_trace_unknown(const rw_ode *ode, int set, int u)
{
    return RW_ODE_VECTORS * ode->nfields + ode->nexternals + set * ode->nunknowns + u;
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

typedef struct rw_trace_read {
    int field, made; /* pass of the kernel that makes the value; -1: it is in the array */
    int offset[3];
} rw_trace_read;

typedef struct rw_trace_pass {
    rw_trace_read *reads;
    int nreads, capacity;
    int *waits, nwaits, waits_capacity; /* reductions of earlier kernels that it needs */
    int halo[3][2];                     /* nodes around a tile, below and above, that it is done on too */
} rw_trace_pass;

typedef struct rw_trace_kernel {
    const rw_trace_run *run;
    const rw_plan *plan;
    const rw_pass_kernel *k;
    rw_trace_pass *pass;
    int npasses;
} rw_trace_kernel;

struct rw_trace_model;
/* trace_kernel.c. Free it, also after a failure. */
rw_status rw_trace_kernel_make(const struct rw_trace_model *m, const rw_trace_run *run, const rw_pass_kernel *pk,
                               rw_trace_kernel *k);
void rw_trace_kernel_free(rw_trace_kernel *k);
/* Which pass of a kernel leaves a field's value in the array; -1: none. */
int rw_trace_final_pass(const rw_trace_kernel *k, int field);

/* ---- the graph --------------------------------------------------------------------------------------------------- */

/* Where a task belongs; -1: nowhere. */
typedef struct rw_trace_place {
    int part, tile, launch;
    bool step; /* of the step, not of the radius */
} rw_trace_place;

typedef struct rw_trace_launch {
    const rw_pass_kernel *kernel; /* NULL: it combines */
    int first_part;
} rw_trace_launch;

typedef struct rw_trace_model {
    rw_ode *ode;
    rw_context *ctx;
    rw_depgraph *g;
    rw_text *text;
    int ndim, n[3], tile[3], tiles[3], nnodes, ntiles;
    rw_trace_place *place; /* by task */
    char **name;           /* of the parts */
    rw_trace_launch *launch;
    int nparts, nlaunches, nbefore, nbeyond; /* values from before the step, and from beyond sides */
    int place_capacity, name_capacity, launch_capacity;
    /* while it is made */
    int *writer, *next;             /* [array][node]: the task that left the value there; by the present launch */
    int *own;                       /* [pass][node]: tasks of the present tile */
    int *combined;                  /* by reduction of the present program: the task that has its value */
    struct rw_trace_beyond *beyond; /* of the present tile */
    int ntile_beyond, beyond_capacity;
    int host;   /* the task that chooses h; -1: none */
    bool begun; /* the step's first kernel has been */
} rw_trace_model;

/* The tasks of a trace, its kernels' tiles as parts, and a description of both. */
rw_status rw_trace_expand(rw_ode *ode, const rw_trace *trace, rw_depgraph *graph, rw_partition **tiles, rw_text *text);

/* trace_text.c. The node (or tile) c as "(3,1)"; an array as "u" for the state, "u.2" for the method's second
 * vector. */
void rw_trace_name_node(const rw_trace_model *m, const int c[3], char name[48]);
void rw_trace_name_array(const rw_trace_model *m, int array, char name[64]);
void rw_trace_describe_begin(const rw_trace_model *m, const rw_trace *trace);
void rw_trace_describe_kernel(const rw_trace_model *m, const rw_trace_kernel *k);
void rw_trace_describe_solve(const rw_trace_model *m, const rw_trace_run *run);
/* Also tries a tile through the whole step as one part. */
rw_status rw_trace_describe_graph(const rw_trace_model *m, const rw_partition *tiles);
rw_status rw_trace_fail(const rw_trace_model *m); /* no memory */

#endif
