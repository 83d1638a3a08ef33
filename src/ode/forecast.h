/* What a step of an integrator costs and how long it may be, without running or compiling anything. */
#ifndef RW_ODE_FORECAST_H
#define RW_ODE_FORECAST_H

#include "ode/ode.h"

/* Initial values, real and imaginary part: of a field, or after the fields of an external one, at a place in nodes from
 * the first unknown. out[0] NAN: not known. */
typedef void rw_forecast_value(void *user, int field, const double place[3], double out[2]);

typedef struct rw_forecast {
    const char *method;
    bool certain;    /* false: AUTO may choose another method at the first step */
    bool stabilised; /* the number of stages follows from the step */
    bool adaptive;   /* tolerances choose the step */
    double radius;   /* the spectral radius, of at most 256 nodes; NAN: not known */
    const char *by;  /* how it is found */
    double stable;   /* longest stable step; INFINITY, NAN: not known */
    double step;     /* the given one, 0: none */
} rw_forecast;

typedef struct rw_forecast_step {
    double bytes, flops; /* per node */
    double evaluations;  /* of the right-hand side, as statistics count them */
    int launches, stages;
} rw_forecast_step;

/* For an integrator made with rw_programs_plan_only, without bound arrays; AUTO becomes the method that it would choose
 * for `span`. */
rw_status rw_ode_forecast(rw_ode *ode, double span, rw_forecast_value *value, void *user, rw_forecast *f);
/* A step of length h. */
rw_status rw_ode_forecast_step(rw_ode *ode, const rw_forecast *f, double h, rw_forecast_step *step);
/* Of a stabilised method: a step with about as many evaluations. */
rw_status rw_ode_forecast_like(rw_ode *ode, double evaluations, rw_forecast_step *step);
/* trace.c: the programs of a step with this h rho. */
rw_status rw_trace_cost(rw_ode *ode, double h_rho, rw_forecast_step *step);

#endif
