/* Rows of rw_ode_spec. */
#ifndef RW_ODE_PARAMS_H
#define RW_ODE_PARAMS_H

#include "param/param.h"
#include "rechenwerk/ode.h"

/* The default of a member for a method, also of one that another method may need later. */
double rw_ode_standard(const char *member, const char *method);

#endif
