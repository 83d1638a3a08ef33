/* External fields of an integrator: arrays of the caller that the equations read, such as a coefficient that varies in
 * space. A program has each of them once, whatever vectors it names; they are bound, never copied or swapped.
 *
 * They stand after the fields of the first vectors in the graph, so that field f of vector 0 is the graph's field f. */
#include <string.h>

#include "ode/algebraic.h"

rw_status rw_externals_check(rw_context *ctx, const rw_ode_spec *spec)
{
    const char *where = spec->name ? spec->name : "equations";
    for (int i = 0; i < spec->nexternals; ++i) {
        const rw_expr_field *e = spec->externals + i;
        RW_TRY(rw_check_name_on(ctx, &spec->grid, where, e->name));
        if (e->dtype && e->dtype != RW_U8 && (!rw_dtype_is_number(e->dtype) || rw_dtype_is_complex(e->dtype)))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "external field %s: dtype %s: f32, f64 or u8 are possible", e->name,
                           rw_dtype_name(e->dtype));
        RW_TRY(rw_check_boundaries(ctx, e, 2 * spec->grid.ndim, true));
        for (int f = 0; f < spec->nfields; ++f)
            if (!strcmp(spec->fields[f].name, e->name))
                return rw_fail(ctx, RW_ERR_INPUT, "%s is both a field and an external field", e->name);
        for (int s = 0; s < spec->nscalars; ++s)
            if (!strcmp(spec->scalars[s].name, e->name))
                return rw_fail(ctx, RW_ERR_INPUT, "%s is both an external field and a parameter", e->name);
        for (int k = 0; k < i; ++k)
            if (!strcmp(spec->externals[k].name, e->name))
                return rw_fail(ctx, RW_ERR_INPUT, "external field %s is declared twice", e->name);
    }
    return RW_OK;
}

bool rw_externals_bound(const rw_ode *ode)
{
    for (int i = 0; i < ode->nexternals; ++i)
        if (!ode->external[i]) return false;
    return true;
}

rw_status rw_ode_need_arrays(const rw_ode *ode)
{
    for (int f = 0; f < ode->nfields; ++f)
        if (!ode->vector[f])
            return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "field %s has no array: call rw_ode_bind first",
                           ode->fields[f].name);
    for (int u = 0; u < ode->nunknowns; ++u)
        if (!ode->algebraic->set[0][u])
            return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "field %s has no array: call rw_ode_bind first",
                           ode->fields[ode->nfields + u].name);
    for (int i = 0; i < ode->nexternals; ++i)
        if (!ode->external[i])
            return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "external field %s has no array: call rw_ode_bind first",
                           ode->externals[i].name);
    return RW_OK;
}

static rw_boundary side_of(const rw_ode *ode, int external, int side)
{
    static const rw_boundary periodic = {.kind = RW_BOUNDARY_PERIODIC}, nearest = {.kind = RW_BOUNDARY_NEAREST};
    const rw_boundary given = ode->externals[external].boundary[side];
    if (ode->fields[0].boundary[side].kind == RW_BOUNDARY_PERIODIC) return periodic;
    return given.kind == RW_BOUNDARY_PERIODIC ? nearest : given;
}

rw_status rw_build_externals(rw_building *b)
{
    const rw_ode *ode = b->ode;
    if (b->external >= 0 || !ode->nexternals) return RW_OK;
    b->external = b->graph->nfields;
    for (int i = 0; i < ode->nexternals; ++i) {
        const int f = rw_graph_add_field(b->graph, ode->externals[i].name, ode->externals[i].dtype);
        if (f < 0) return rw_fail_memory(ode->device->ctx, 64, "an external field");
        b->graph->fields[f].external = true;
        rw_expr_field with_sides = ode->externals[i];
        for (int s = 0; s < 2 * ode->grid.ndim; ++s) with_sides.boundary[s] = side_of(ode, i, s);
        RW_TRY(rw_lower_sides(&b->lowering, &with_sides, 1, f));
    }
    return RW_OK;
}

void rw_externals_hold(const rw_ode *ode, const rw_stage *stage)
{
    for (int i = 0; stage->external >= 0 && i < ode->nexternals; ++i)
        if (stage->expr->bound[stage->external + i] != ode->external[i])
            rw_expr_hold(stage->expr, stage->external + i, ode->external[i]);
}

rw_status rw_externals_send(const rw_ode *ode, rw_queue *queue)
{
    for (int i = 0; i < ode->nexternals; ++i) RW_TRY(rw_array_send(ode->external[i], queue));
    return RW_OK;
}
