/* Gershgorin's circles of the right-hand side. */
#ifndef RW_ODE_CIRCLES_H
#define RW_ODE_CIRCLES_H

#include "expr/leaves.h"
#include "ode/ode.h"

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
