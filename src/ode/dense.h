/* What keeps an integrator with states before the present one (dense.c), and what saves it: the states, and the numbers
 * that say which of them count. */
#ifndef RW_ODE_DENSE_H
#define RW_ODE_DENSE_H

#include "rechenwerk/ode.h"

enum {
    RW_ODE_PAST = 3,                  /* states stored before the present one */
    RW_ODE_HISTORY = 9 + RW_ODE_STATE /* numbers that describe them */
};

/* Whether rw_ode_interpolate will see into the next step, if no switch is crossed on the way. */
bool rw_ode_has_dense_output(const rw_ode *ode);

/* The order of the numbers is part of the checkpoint format; the first says how many states count, newest first. Not
 * while looking. */
void rw_history_save(const rw_ode *ode, double numbers[RW_ODE_HISTORY]);
/* After rw_ode_load; the states that count are then written into their arrays. ERR_INPUT: numbers that no integrator
 * saves. */
rw_status rw_history_load(rw_ode *ode, const double numbers[RW_ODE_HISTORY]);
rw_array *rw_history_array(const rw_ode *ode, int state, int field);

#endif
