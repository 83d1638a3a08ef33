/* Cycles over coarser grids, for the method of that name and as a preconditioner. One unknown. */
#ifndef RW_ELLIPTIC_MULTIGRID_H
#define RW_ELLIPTIC_MULTIGRID_H

#include "elliptic/system.h"

typedef struct rw_multigrid rw_multigrid;

/* Otherwise `why` says what forbids it. */
bool rw_multigrid_suits(const rw_system *s, char *why, size_t size);
/* s->symmetric: a cycle is symmetric where J is, and positive definite where J is: a preconditioner for cg. */
rw_status rw_multigrid_create(rw_system *s, rw_multigrid **multigrid);
void rw_multigrid_destroy(rw_multigrid **multigrid);
/* The present scalars, and means of the present fields. */
rw_status rw_multigrid_prepare(rw_multigrid *m);
/* y <- one cycle on J y = x, from 0: launches only. */
rw_status rw_multigrid_apply(rw_multigrid *m, rw_array *x, rw_array *y, rw_queue *q);
/* The same as an operator. Lifetime: that of the cycles. */
rw_operator *rw_multigrid_operator(const rw_multigrid *m);
void rw_multigrid_explain(const rw_multigrid *m, rw_text *text);

#endif
