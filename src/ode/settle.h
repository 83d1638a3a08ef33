/* Layout node: values that sides give. */
#ifndef RW_ODE_SETTLE_H
#define RW_ODE_SETTLE_H

#include "rechenwerk/ode.h"

/* Writes to the bound arrays what sides give their nodes at the present time. Steps end with it. */
rw_status rw_ode_settle(rw_ode *ode);

#endif
