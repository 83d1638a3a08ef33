/* What keeps an integrator with states before the present one (dense.c), and what saves it: the states, and the values
 * that say which of them count. */
#ifndef RW_ODE_DENSE_H
#define RW_ODE_DENSE_H

#include "rechenwerk/ode.h"

enum { RW_ODE_PAST = 3 }; /* states stored before the present one */

/* Whether rw_ode_interpolate will see into the next step, if no switch is crossed on the way. */
bool rw_ode_has_dense_output(const rw_ode *ode);

/* Values that describe them, as rw_ode_save does. Not while looking. */
int64_t rw_history_save(const rw_ode *ode, const char **names, double *values, int64_t capacity);
/* After rw_ode_load; the states that count are then written into their arrays. ERR_INPUT: values that no integrator
 * saves. */
rw_status rw_history_load(rw_ode *ode, const char *const *names, const double *values, int64_t n);
/* How many states count, newest first. */
int rw_history_states(const rw_ode *ode);
/* field: its number in the specification; NULL: of a field without a rate. */
rw_array *rw_history_array(const rw_ode *ode, int state, int field);

#endif
