/* What a case is computed with: the integrator, with the solvers of its fields without a rate, or without rates the
 * solver alone. */
#include <string.h>

#include "run/pde/pde.h"

static rw_elliptic_spec spec_of(const rw_case *c, const pde_problem *p)
{
    return (rw_elliptic_spec){.name = rw_case_file(c),
                              .line = 1,
                              .column = 1,
                              .equations = p->equations,
                              .grid = p->grid,
                              .order = p->order,
                              .layout = p->layout,
                              .fields = p->fields,
                              .nfields = p->nfields,
                              .scalars = p->scalars,
                              .nscalars = p->nscalars,
                              .externals = p->data,
                              .nexternals = p->ndata,
                              .steady = p->time.method == RW_ODE_NEWTON};
}

/* settings [nfields]: of each field from its entry in `solvers`; 0 without one. */
static rw_status read_settings(const rw_case *c, const pde_problem *p, rw_elliptic_spec *settings)
{
    const rw_tree *solvers = rw_case_node(c, "solvers");
    for (int i = 0; solvers && i < solvers->n; ++i)
        for (int f = 0; f < p->nfields; ++f)
            if (!strcmp(p->fields[f].name, solvers->keys[i])) RW_TRY(rw_case_entry(c, "solvers", i, settings + f));
    return RW_OK;
}

static rw_status make_solver(const rw_case *c, pde_problem *p, const rw_elliptic_spec *settings)
{
    const rw_elliptic_spec spec = spec_of(c, p);
    rw_status status = rw_elliptic_create_with(p->device, &spec, settings, RW_ELLIPTIC_ALONE, &p->elliptic);
    if (status == RW_ERR_ARGUMENT) status = rw_fail_prefix(p->ctx, RW_ERR_INPUT, "%s", rw_case_file(c));
    for (int f = 0; f < p->nfields && status == RW_OK; ++f)
        status = rw_elliptic_bind(p->elliptic, p->fields[f].name, p->state.fields[f].array);
    for (int i = 0; i < p->ndata && status == RW_OK; ++i)
        status = rw_elliptic_bind(p->elliptic, p->data[i].name, p->sources[i].array);
    if (status != RW_OK) return status;
    const double rtol = rw_elliptic_rtol(p->elliptic, 0);
    p->base.tolerance = rtol > 0 ? rtol : 1;
    return RW_OK;
}

static rw_status make_integrator(const rw_case *c, pde_problem *p, const rw_elliptic_spec *settings)
{
    const rw_ode_spec spec = pde_ode_spec(c, p);
    rw_status status = rw_ode_create_with(p->device, &spec, settings, &p->ode);
    if (status == RW_ERR_ARGUMENT) /* a setting of time */
        status = rw_fail_prefix(p->device->ctx, RW_ERR_INPUT, "%s", rw_case_file(c));
    return status;
}

static rw_status bind_integrator(pde_problem *p)
{
    rw_status status = RW_OK;
    for (int f = 0; f < p->nfields && status == RW_OK; ++f)
        status = rw_ode_bind(p->ode, p->fields[f].name, p->state.fields[f].array);
    for (int i = 0; i < p->ndata && status == RW_OK; ++i)
        status = rw_ode_bind(p->ode, p->data[i].name, p->sources[i].array);
    p->base.tolerance = p->time.tolerance;
    return status;
}

/* The solver, or the integrator with what solves for fields without a rate. bind: to arrays. */
rw_status pde_make_solver(const rw_case *c, pde_problem *p, bool bind)
{
    rw_elliptic_spec *settings = rw_calloc((size_t)p->nfields, sizeof *settings);
    if (!settings) return rw_fail_memory(p->ctx, 4096, "a solver");
    rw_status status = read_settings(c, p, settings);
    if (status == RW_OK) status = p->algebraic ? make_solver(c, p, settings) : make_integrator(c, p, settings);
    if (status == RW_OK && p->ode && bind) status = bind_integrator(p);
    rw_free(settings);
    return status;
}

int64_t pde_solver_bytes(const rw_case *c, const pde_problem *p)
{
    const rw_elliptic_spec spec = spec_of(c, p);
    int64_t nodes = p->nfields;
    for (int d = 0; d < p->grid.ndim; ++d) nodes *= p->grid.size[d];
    return rw_elliptic_bytes(&spec) + nodes * (int64_t)rw_dtype_size(p->fields[0].dtype);
}
