/* A preconditioner: the solution of a similar operator with constant coefficients, by transforms (box.h).
 *
 * With D, the size of the rows of J, J is D^(1/2) L D^(1/2), where L varies less than J. Factors of L are replaced by
 * their means, where necessary reduced so that rows are dominant, those of off-diagonal terms by the mean of both
 * directions, and other unknowns are left out. Sources: Concus,
 * Golub, Use of fast direct methods for the efficient numerical solution of nonseparable elliptic equations, SIAM J.
 * Numer. Anal. 10, 1973. */
#ifndef RW_ELLIPTIC_SIMILAR_H
#define RW_ELLIPTIC_SIMILAR_H

#include "elliptic/system.h"

typedef struct rw_similar rw_similar;

/* *similar: NULL where no transforms belong to the sides, even roughly. */
rw_status rw_similar_create(rw_system *s, rw_similar **similar);
void rw_similar_destroy(rw_similar **similar);
/* The means of the present state. Waits. regular: where constants would have the eigenvalue 0, all are moved by the
 * smallest, so that it is definite. */
rw_status rw_similar_prepare(rw_similar *p, bool regular);
/* How much coefficients jump, of the present state: it falls as 1/nodes where they are smooth. */
rw_status rw_similar_roughness(const rw_similar *p, double *roughness);
/* The same at once: launches only. */
rw_status rw_similar_solve(const rw_similar *p, rw_array *r, rw_array *z, rw_queue *q);
/* z <- its solution for r, vectors of all unknowns. Lifetime: the preconditioner's. */
rw_operator *rw_similar_operator(const rw_similar *p);

#endif
