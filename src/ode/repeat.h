/* Steps of one length. Where nothing in them depends on time, they have the same launches: a step is recorded once and
 * replayed. */
#ifndef RW_ODE_REPEAT_H
#define RW_ODE_REPEAT_H

#include "ode/ode.h"

/* `first`: the program of the first stage, whose switches in time end steps. `autonomous`: no program depends on time.
 * ode->repeat; rw_method_destroy frees it. */
rw_status rw_repeat_create(rw_ode *ode, const rw_stage *first, bool autonomous);
void rw_repeat_free(rw_ode *ode);
/* Every step has the same launches. */
bool rw_repeat_is_possible(const rw_ode *ode);
bool rw_repeat_is_autonomous(const rw_ode *ode);
/* A step of at most `chosen`; the steps to t_limit are equal. `repeated`: others of the same length follow. once: NULL,
 * or called instead of ops->run where `looks` says so, and never recorded. */
rw_status rw_repeat_step(rw_ode *ode, double t_limit, double chosen, bool repeated, bool (*looks)(const rw_ode *ode),
                         rw_status (*once)(rw_ode *ode, double h));
/* Warns before the first step of a given length if there will be too many. */
void rw_repeat_note_steps(const rw_ode *ode, double t_limit);

#endif
