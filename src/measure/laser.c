/* The step of the laser's rate equations as a program. */
#include "measure/measure.h"

const char *const rw_laser_names[RW_LASER_FIELDS] = {"N", "P", "U", "V", "Nm"};
static const char step[] =
    "N = (N + tau*P)/(1 + tau*(spontaneous + gain*phi*U + P/Nm))\n"
    "lambda = weight*sum(V*N*U) - losses\n"
    "phi = where(lambda > 0, phi*(1 + tau*lambda) + tau*seed, (phi + tau*seed)/(1 - tau*lambda))";

void rw_laser_describe(const rw_laser_constants *c, const char *text, rw_laser_program *p)
{
    *p = (rw_laser_program){.scalars = {{.name = "tau", .value = c->tau},
                                        {.name = "spontaneous", .value = c->spontaneous},
                                        {.name = "gain", .value = c->gain},
                                        {.name = "weight", .value = c->weight},
                                        {.name = "losses", .value = c->losses},
                                        {.name = "seed", .value = c->seed},
                                        {.name = "phi", .value = c->phi, .state = true}}};
    for (int f = 0; f < RW_LASER_FIELDS; ++f)
        p->fields[f] = (rw_expr_field){.name = rw_laser_names[f], .dtype = RW_F64};
    p->spec = (rw_expr_spec){.name = "laser",
                             .text = text ? text : step,
                             .fields = p->fields,
                             .nfields = RW_LASER_FIELDS,
                             .scalars = p->scalars,
                             .nscalars = text ? 0 : RW_LASER_SCALARS};
}
