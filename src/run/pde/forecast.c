/* What a run of the case is expected to do: initial values at single nodes for the integrator's forecast. */
#include "ode/forecast.h"

#include <math.h>
#include <stdio.h>

#include "run/pde/pde.h"

typedef struct initial {
    pde_language l;
    rw_node *node; /* [nfields + ndata]; -1: not known, such as values in a file */
} initial;

static void value_at(void *user, int field, const double place[3], double out[2])
{
    initial *v = user;
    double at[3] = {place[0], place[1], place[2]};
    out[0] = NAN;
    out[1] = 0;
    if (v->node[field] >= 0) rw_graph_value(v->l.graph, v->node[field], pde_at_place, at, out);
}

/* Values from elsewhere are read once, so that what is wrong with them shows. */
static rw_status read_elsewhere(const rw_case *c, pde_problem *p, const char *setting, const rw_tree *node,
                                rw_dtype type)
{
    int64_t shape[3] = {1};
    rw_array *values = NULL;
    for (int d = 0; d < p->grid.ndim; ++d) shape[d] = p->grid.size[p->grid.ndim - 1 - d];
    RW_TRY(rw_array_create(p->device, type, RW_MAX(p->grid.ndim, 1), shape, RW_MEMORY_DEVICE, &values));
    rw_status status = pde_read_values(c, p, setting, node, values);
    if (status == RW_OK)
        status = pde_check_finite(c, p, &(pde_values){.setting = setting, .node = node, .array = values});
    rw_array_destroy(&values);
    return status;
}

/* Data are names, which those after them and initial values may use. What reads values of a file is not known: mistakes
 * have been noted before. */
static rw_status lower(const rw_case *c, pde_problem *p, initial *v)
{
    for (int i = 0; i < p->ndata; ++i) {
        const rw_named_expr data = {p->data[i].name, "", p->sources[i].node};
        rw_value value;
        v->node[p->nfields + i] = -1;
        if (data.value->kind != RW_TREE_SCALAR) {
            RW_TRY(read_elsewhere(c, p, p->sources[i].setting, data.value, p->data[i].dtype));
            continue;
        }
        const rw_status status = pde_lower_named(c, &v->l, &data, &value);
        if (status == RW_OK) v->node[p->nfields + i] = value.node[0];
        else if (status != RW_ERR_INPUT) return status;
    }
    for (int f = 0; f < p->nfields; ++f) {
        pde_fields entry;
        RW_TRY(rw_case_entry(c, "fields", f, &entry));
        v->node[f] = -1;
        if (entry.initial->kind != RW_TREE_SCALAR) {
            char setting[64];
            snprintf(setting, sizeof setting, "fields.%.31s.initial", p->fields[f].name);
            RW_TRY(read_elsewhere(c, p, setting, entry.initial, p->fields[f].dtype));
            continue;
        }
        const rw_status status = pde_lower_value(c, p, f, &v->l, entry.initial, "initial", &v->node[f]);
        if (status == RW_ERR_INPUT) v->node[f] = -1;
        else if (status != RW_OK) return status;
    }
    return RW_OK;
}

static rw_status take(pde_problem *p, initial *v, double steps, double evaluations, rw_problem_forecast *to)
{
    rw_forecast f;
    rw_forecast_step step;
    const double span = p->time.end - p->time.start;
    RW_TRY(rw_ode_forecast(p->ode, span, value_at, v, &f));
    double h = steps > 0 ? span / steps : f.step > 0 ? f.step : RW_MIN(f.stable, span);
    RW_TRY(f.stabilised && evaluations > 0 ? rw_ode_forecast_like(p->ode, evaluations, &step)
                                           : rw_ode_forecast_step(p->ode, &f, h, &step));
    *to = (rw_problem_forecast){.method = f.method,
                                .certain = f.certain,
                                .adaptive = f.adaptive,
                                .stabilised = f.stabilised,
                                .radius = f.radius,
                                .stable = f.stable,
                                .step = f.step,
                                .by = f.by,
                                .start = p->time.start,
                                .end = p->time.end,
                                .nodes = p->grid.size[0] * p->grid.size[1] * p->grid.size[2],
                                .bytes = step.bytes,
                                .flops = step.flops,
                                .launches = step.launches,
                                .stages = step.stages};
    for (int i = 0; i < p->nfields; ++i) to->state += to->nodes * (int64_t)rw_dtype_size(p->fields[i].dtype);
    return RW_OK;
}

rw_status pde_forecast(const rw_case *c, pde_problem *p, double steps, double evaluations, rw_problem_forecast *f)
{
    initial v = {0};
    pde_problem without = *p; /* data are no fields here */
    without.ndata = 0;
    RW_TRY(pde_language_begin(rw_case_context(c), &without, p->time.start, true, &v.l));
    v.node = rw_calloc((size_t)(p->nfields + p->ndata), sizeof *v.node);
    rw_status status = v.node ? lower(c, p, &v) : rw_fail_memory(rw_case_context(c), 64, "a forecast");
    if (status == RW_OK) status = take(p, &v, steps, evaluations, f);
    rw_free(v.node);
    pde_language_end(&v.l);
    return status;
}
