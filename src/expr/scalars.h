/* Scalars of a program, kept from run to run. */
#ifndef RW_SCALARS_H
#define RW_SCALARS_H

#include "expr/graph.h"

typedef struct rw_scalars rw_scalars;

/* For the nodes marked in `wanted` [g->n], none of which is a field or depends on a reduction. NULL: memory. The
 * graph's parameters stay as many as they are. */
rw_scalars *rw_scalars_create(rw_graph *g, const bool *wanted);
void rw_scalars_destroy(rw_scalars **scalars);
/* Brings all up to the parameters' present values and quadratures. False when memory is gone. */
bool rw_scalars_update(rw_scalars *scalars);
/* A wanted node's value: the weighted sum if it depends smoothly on a parameter with a quadrature. */
void rw_scalars_get(const rw_scalars *scalars, rw_node node, double *re, double *im);

#endif
