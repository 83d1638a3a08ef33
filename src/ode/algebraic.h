/* Unknowns: fields without a rate, which equations without a time derivative determine from the state, as the
 * streamfunction of the vorticity. They are solved for wherever a kernel reads them.
 *
 * A kernel may read the unknowns of two vectors, those of y and of a stage, so the solver is called not by the method
 * but by rw_stage_run, with the vectors whose unknowns the program reads. There are two sets of arrays:
 *
 *   set 0   the caller's: the unknowns of y
 *   set 1   those of the last stage
 *
 * A vector has a number that changes when it is stored to and goes with its arrays when they are exchanged. A set knows
 * the number that it was solved for, and is not solved for it again. So the last stage of a step leaves the unknowns of
 * the next y, if the method evaluates F there, and the sets change places.
 *
 * Iterations start from the unknowns of y in a step's first solve, then from those of the stage before: what a step
 * does follows from the bound arrays alone, which checkpoints have. */
#ifndef RW_ODE_ALGEBRAIC_H
#define RW_ODE_ALGEBRAIC_H

#include "ode/ode.h"

enum { RW_UNKNOWN_SETS = 2 };

typedef struct rw_solved {
    int64_t number, changes; /* of the vector; of the integrator, then */
    double t;
} rw_solved;

/* What has been solved for. */
typedef struct rw_solved_sets {
    rw_solved set[RW_UNKNOWN_SETS];
    int64_t number[RW_ODE_VECTORS], last; /* of vectors */
} rw_solved_sets;

struct rw_algebraic {
    rw_elliptic *solver;
    bool enqueued, recordable;       /* a solve is launches only, and may be recorded */
    bool has_start;                  /* its result depends on what the arrays had */
    bool moves;                      /* the equations depend on t */
    bool read_by_sides;              /* of the state */
    rw_array **set[RW_UNKNOWN_SETS]; /* [unknown]; set 0: bound by the caller */
    rw_solved_sets of;
    int64_t balanced; /* changes of the integrator when balance was checked last, of enqueued solves */
    bool begun;       /* set 1 has been solved for in this step */
    bool shown;       /* y is another state for a look at it */
};

/* The fields of the specification into state and unknowns. */
rw_status rw_algebraic_split(rw_ode *ode);
/* Without unknowns these do nothing. `settings`: of each field of the specification; NULL: spec->solvers. */
rw_status rw_algebraic_create(rw_ode *ode, const rw_ode_spec *spec, const rw_elliptic_spec *settings);
void rw_algebraic_free(rw_ode *ode);
/* Set 1 in the memory of set 0. */
rw_status rw_algebraic_make_arrays(rw_ode *ode);
/* Vectors from v on have other values. */
void rw_algebraic_forget(rw_ode *ode, int v);
/* A step begins. */
void rw_algebraic_begin(rw_ode *ode);
/* Set 0 is solved for y at time t. */
rw_status rw_algebraic_update(rw_ode *ode, double t);
/* Before and after a program runs. */
rw_status rw_algebraic_solve_for(rw_ode *ode, rw_stage *stage);
void rw_algebraic_note_stores(rw_ode *ode, const rw_stage *stage);
/* The vector has other values. */
void rw_algebraic_touch(rw_ode *ode, int v);
void rw_algebraic_exchange(rw_ode *ode, int v, int w);
/* y has taken the values of the vector. */
rw_status rw_algebraic_accept(rw_ode *ode, int result);
/* y has other values, at time t, and set 0 the unknowns of them: a recorded step has run, a state was loaded. */
void rw_algebraic_take_as_solved(rw_ode *ode, double t);
/* Before launches are recorded, or a recorded sequence runs: host copies are sent. */
rw_status rw_algebraic_send(rw_ode *ode, rw_queue *queue);
/* y and `vector` have changed places for a look at time t: set 0 is solved for it; and back. */
rw_status rw_algebraic_show(rw_ode *ode, int vector, double t);
rw_status rw_algebraic_restore(rw_ode *ode, int vector);
rw_status rw_algebraic_explain(const rw_ode *ode, rw_text *text);
/* The relative error of a solve, which differences of F have to exceed; 0 where it has no start. */
double rw_algebraic_noise(const rw_ode *ode);

/* The set that a program gets a vector's unknowns from. */
static inline int rw_algebraic_set_of(int v) { return v != 0; }
/* Traces, which run nothing: whether the set would have to be solved for the vector, and then as if it were. */
bool rw_algebraic_pretend(rw_ode *ode, int set, int v);
rw_solved_sets rw_algebraic_keep(const rw_ode *ode);
void rw_algebraic_put_back(rw_ode *ode, const rw_solved_sets *kept);
/* What solving once costs: bytes per node and launches, where it is enqueued. */
void rw_algebraic_add_cost(const rw_ode *ode, double *bytes, int *launches);

#endif
