/* The problems that `rechenwerk run` knows, in the order of `rechenwerk list`. */
#include "run/problem.h"

extern const rw_problem_ops rw_pde_ops, rw_flow_ops, rw_rates_ops;

const rw_problem_ops *const rw_problems[] = {&rw_pde_ops, &rw_flow_ops, &rw_rates_ops, NULL};
