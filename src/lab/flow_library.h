/* The library's own product and solver for the systems of the study flow: a matrix in diagonals (DIA) and rw_krylov's
 * conjugate gradients without a preconditioner, whose scalars stay on the device.
 *
 *   rw_flow_library_create(dev, &system, stop, &own);
 *   rw_flow_library_solve(&own);                          own.x: from 0 to the solution for own.b
 *   rw_flow_library_free(&own); */
#ifndef RW_LAB_FLOW_LIBRARY_H
#define RW_LAB_FLOW_LIBRARY_H

#include "lab/flow_cg.h"
#include "rechenwerk/krylov.h"

typedef struct rw_flow_library {
    rw_device *device;
    rw_sparse *matrix;
    rw_krylov *solver;
    rw_array *b, *x;         /* [n], b = 1, x = 0 */
    rw_krylov_result result; /* of the last solve */
    bool converged;
} rw_flow_library;

/* Of the system only sizes and entries are used; `stop` is for the solver, whose tolerance is that of the true
 * residual. */
rw_status rw_flow_library_create(rw_device *device, const rw_flow_system *system, rw_flow_stop stop,
                                 rw_flow_library *own);
void rw_flow_library_free(rw_flow_library *own);
rw_status rw_flow_library_multiply(rw_flow_library *own, rw_array *x, rw_array *y); /* y <- A x, without waiting */
/* A solve that does not converge is no error. */
rw_status rw_flow_library_solve(rw_flow_library *own);

#endif
