/* The method of an integrator and its vectors: AUTO takes another one, and queries that have done so take AUTO back. */
#include "ode/algebraic.h"
#include "ode/params.h"
#include "ode/repeat.h"

/* Whether the method has a vector of this number, or dense.c does. */
static bool has_vector(const rw_ode *ode, int v) { return v < ode->ops->vectors || (ode->dense && v >= RW_PAST); }

rw_status rw_ode_make_vectors(rw_ode *ode)
{
    rw_device *dev = ode->device;
    int64_t shape[3];
    int ndim;
    rw_ode_shape(ode, &ndim, shape);
    const bool plan = rw_programs_are_plans();
    for (int i = plan ? 0 : ode->nfields; i < RW_ODE_VECTORS * ode->nfields; ++i) {
        const rw_array *y = ode->vector[i % ode->nfields];
        if (ode->vector[i] || !has_vector(ode, i / ode->nfields)) continue;
        RW_TRY(rw_array_create(dev, ode->fields[i % ode->nfields].dtype, ndim, shape,
                               y ? y->storage->memory : RW_MEMORY_DEVICE, &ode->vector[i]));
        /* solvers leave nodes that are given as they are */
        if (ode->ops->additive && !plan) RW_TRY(rw_array_zero(ode->vector[i], rw_device_queue(dev)));
    }
    return ode->algebraic ? rw_algebraic_make_arrays(ode) : RW_OK;
}

void rw_ode_drop_vectors(rw_ode *ode)
{
    for (int v = 1; ode->vector && v < RW_ODE_VECTORS; ++v)
        for (int f = 0; f < ode->nfields; ++f) rw_array_destroy(&ode->vector[v * ode->nfields + f]);
    rw_algebraic_forget(ode, 1);
}

rw_status rw_method_create(rw_ode *ode)
{
    const size_t size = ode->ops->size;
    if (size && !(ode->method = rw_calloc(1, size))) return rw_fail_memory(ode->device->ctx, size, "an integrator");
    return ode->ops->create(ode);
}

void rw_method_destroy(rw_ode *ode)
{
    if (!ode->method) return;
    if (ode->ops->destroy) ode->ops->destroy(ode); /* first: it may refer to programs */
    rw_repeat_free(ode);
    for (int i = 0; i < ode->ops->programs; ++i) rw_stage_free((rw_stage *)ode->method + i);
    rw_free(ode->method);
    ode->method = NULL;
}

rw_status rw_method_explain(const rw_ode *ode, rw_text *text)
{
    const rw_ode_ops *ops = ode->ops;
    if (ops->explain) return ops->explain(ode, text);
    rw_text_add(text, "%s: a step %s\n", ops->name, ops->summary);
    for (int i = 0; i < ops->programs; ++i) RW_TRY(rw_stage_explain((const rw_stage *)ode->method + i, text));
    return RW_OK;
}

rw_status rw_ode_become(rw_ode *ode, const rw_ode_ops *ops)
{
    rw_method_destroy(ode);
    rw_ode_drop_vectors(ode); /* AUTO's own may lie in other memory than y */
    rw_dense_forget(ode);
    ode->ops = ops;
    ode->max_stages = ode->given_stages > 0 ? RW_MAX(ode->given_stages, ops->least_stages)
                                            : (int)rw_ode_standard("max_stages", ops->name);
    rw_status status = rw_method_create(ode);
    if (status == RW_OK) status = rw_ode_make_vectors(ode);
    if (status == RW_OK) return RW_OK;
    rw_method_destroy(ode);
    rw_ode_drop_vectors(ode);
    ode->ops = ode->chooser;
    return status;
}

rw_ode_kept rw_ode_keep(const rw_ode *ode)
{
    return (rw_ode_kept){.now = ode->now,
                         .record = ode->record,
                         .stale = ode->stale,
                         .spectral = ode->spectral != NULL,
                         .max_stages = ode->max_stages,
                         .ops = ode->ops};
}

void rw_ode_put_back(rw_ode *ode, const rw_ode_kept *k)
{
    ode->now = k->now;
    ode->record = k->record;
    ode->stale = k->stale;
    if (ode->ops->method == k->ops->method) return;
    rw_method_destroy(ode); /* AUTO again, which wants more of the radius than what it becomes does */
    if (!k->spectral) rw_spectral_free(ode);
    for (int i = ode->nfields; i < ode->ops->vectors * ode->nfields; ++i) rw_array_destroy(&ode->vector[i]);
    ode->ops = k->ops;
    ode->max_stages = k->max_stages;
}
