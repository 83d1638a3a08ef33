/* Gershgorin's circles of the right-hand side, and the values that an expression reads. */
#ifndef RW_ODE_CIRCLES_H
#define RW_ODE_CIRCLES_H

#include "ode/ode.h"

/* Leaves that the node depends on: accesses to fields, and whether the given scalar occurs. */
typedef struct rw_leaves {
    bool *seen;
    rw_node *field;
    int nfields, capacity;
    bool time;
    rw_node t;
    bool failed;
} rw_leaves;

/* False: no memory. l->field is freed with rw_free. */
bool rw_collect_leaves(const rw_graph *g, rw_node n, rw_node t, rw_leaves *l);

typedef struct rw_circles {
    rw_stage stage;
    bool varies;  /* with the state or with t */
    int blocks;   /* fields, if circles of scaled fields are found too; 0 */
    double right; /* where the circles end on the right; of AUTO */
} rw_circles;

/* program: false: only `varies` is found. *possible: false where the right-hand side has no derivative. */
rw_status rw_circles_create(rw_ode *ode, bool program, rw_circles *circles, bool *possible);
/* From what the stage has found at the present state: *rho, and circles->right. */
rw_status rw_circles_bound(rw_circles *circles, double *rho);

#endif
