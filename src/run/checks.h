/* The section `checks` of a case: numbers of the final state beside what they should be. An exact solution is an
 * expression too: {value: "normmax(u - exp(-t)*sin(pi*x))", tolerance: 1e-4}. Its settings are in checks.def, for each
 * problem that has fields. */
#ifndef RW_CHECKS_H
#define RW_CHECKS_H

#include "run/named.h"
#include "run/problem.h"

typedef struct rw_checks {
    rw_problem_check *list;
    rw_expr **programs;
    int n;
} rw_checks;

/* scalars: those of the case; t is added. ERR_INPUT: a value that is a field. */
rw_status rw_checks_read(const rw_case *c, const rw_expr_scalar *scalars, int nscalars, rw_named_make *make, void *user,
                         rw_checks *checks);
/* Computes them all at time t. */
rw_status rw_checks_run(rw_checks *checks, rw_queue *queue, double t);
void rw_checks_free(rw_checks *checks);

#endif
