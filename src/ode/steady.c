/* How fast the state changes: whether it is steady; the method that has no steps. */
#include "ode/ode.h"

static rw_status build(rw_ode *ode)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_build_vector(&b, 0, rw_build_scalar(&b, "t"));
    rw_node *rates = b.node[0], largest = -1;
    rw_build_rates(&b, 0, rates);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_graph *g = b.graph;
        const rw_node size = rw_build_size(g, rw_build_value(&b, 0, f), NULL),
                      of = rw_make2(g, RW_OP_DIV, rw_build_size(g, rates[f], NULL),
                                    rw_make2(g, RW_OP_MAX, size, rw_real(g, 1)));
        largest = largest < 0 ? of : rw_make2(g, RW_OP_MAX, largest, of);
    }
    if (b.status == RW_OK) rw_build_result(&b, "rate", rw_reduce(b.graph, RW_REDUCE_MAX, largest));
    return rw_build_end(&b, "rate", &ode->rate);
}

rw_status rw_ode_get_rate(rw_ode *ode, double *rate, bool *steady)
{
    RW_NEED(ode, "ode");
    RW_NEED(rate, "rate");
    RW_TRY(rw_ode_need_arrays(ode));
    RW_TRY(rw_ode_restore(ode));
    if (!ode->rate.expr) RW_TRY(build(ode));
    rw_stage_set(&ode->rate, "t", ode->now.t);
    RW_TRY(rw_stage_run(ode, &ode->rate));
    RW_TRY(rw_expr_get(ode->rate.expr, "rate", rate, NULL));
    if (steady) *steady = *rate <= ode->tolerance;
    return RW_OK;
}

/* A name for the tables of settings: without steps there is nothing that an integrator could do. */
static rw_status refuse(rw_ode *ode)
{
    return rw_fail(
        ode->device->ctx, RW_ERR_ARGUMENT,
        "method = newton: it finds steady states without steps: take rw_elliptic_create with `steady`, or in "
        "a case time.end: steady; or another method");
}

const rw_ode_ops rw_method_NEWTON = {.method = RW_ODE_NEWTON, .name = "newton", .create = refuse};
