/* Rows of rw_ode_spec. */
#ifndef RW_ODE_PARAMS_H
#define RW_ODE_PARAMS_H

#include "param/param.h"
#include "rechenwerk/elliptic.h"
#include "rechenwerk/ode.h"

/* The method solves for marked terms. */
bool rw_ode_is_additive(rw_ode_method method);
/* ERR_INPUT: settings of the Courant number contradict each other or the method. */
rw_status rw_courant_check(rw_context *ctx, const rw_ode_spec *spec);
/* The default of a member for a method, also of one that another method may need later. */
double rw_ode_standard(const char *member, const char *method);
/* rw_ode_create with settings for each field of the specification without a rate, which replace spec->solvers; NULL:
 * those. Other members of the settings are not read. */
rw_status rw_ode_create_with(rw_device *device, const rw_ode_spec *spec, const rw_elliptic_spec *settings,
                             rw_ode **ode);

#endif
