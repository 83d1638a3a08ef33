/* A forecast: the method's own code decides what it would do, while ode->note takes its programs instead of running
 * them (as in trace.c). The spectral radius is the largest of Gershgorin's circles at up to NODES nodes, with the
 * initial values there. What needs more than derivatives at single nodes, power iteration and polynomials of the
 * Jacobian, is not known in advance. */
#include <math.h>
#include <string.h>

#include "ode/forecast.h"

enum { NODES = 256 };

typedef struct sampler {
    rw_forecast_value *value;
    void *user;
    const rw_stage *stage;
    int nfields, nexternals;
    const int *given; /* numbers of fields in the specification, … */
    int nown;         /* … which has as many */
    double place[3];  /* in nodes from the first */
} sampler;

static void leaf_value(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    const sampler *s = user;
    const rw_graph_node *p = g->nodes + leaf;
    double at[3];
    out[0] = NAN;
    out[1] = 0;
    for (int d = 0; d < 3; ++d) at[d] = s->place[d] + p->offset[d];
    if (p->op == RW_OP_COORD && p->version) out[0] = at[p->index];
    else if (p->op == RW_OP_COORD)
        out[0] = g->params[g->origin[p->index]].re + at[p->index] * g->params[g->spacing[p->index]].re;
    if (p->op != RW_OP_FIELD) return;
    for (int f = 0; f < s->nfields; ++f)
        if (s->stage->field[f] == p->index) s->value(s->user, s->given[f], at, out);
    const int external = s->stage->external < 0 ? -1 : p->index - s->stage->external;
    if (external >= 0 && external < s->nexternals) s->value(s->user, s->nown + external, at, out);
}

/* The largest value of the reduction's argument at nodes spread over the grid. */
static double largest(sampler *s, rw_graph *g, rw_node n)
{
    const rw_grid *grid = &g->grid;
    double most = -INFINITY, value[2];
    const double each = floor(pow(NODES, 1.0 / RW_MAX(grid->ndim, 1)) + 1e-9);
    int count[3];
    for (int d = 0; d < 3; ++d) count[d] = (int)RW_MIN(d < grid->ndim ? (double)grid->size[d] : 1, each);
    for (int k = 0; k < count[0] * count[1] * count[2]; ++k) {
        const int at[3] = {k % count[0], k / count[0] % count[1], k / count[0] / count[1]};
        for (int d = 0; d < 3; ++d)
            s->place[d] = count[d] > 1 ? floor((double)at[d] * ((double)grid->size[d] - 1) / (count[d] - 1)) : 0;
        rw_graph_value(g, n, leaf_value, s, value);
        if (isnan(value[0])) return NAN;
        most = fmax(most, value[0]);
    }
    return most;
}

/* Instead of running Gershgorin's program: its results from some nodes. */
static rw_status sample(rw_ode *ode, rw_stage *stage)
{
    rw_expr *e = stage->expr;
    sampler *s = ode->forecast;
    void *slots;
    if (strcmp(e->name, "gershgorin") != 0 && e->plan.nreductions > 0)
        return rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED, "the spectral radius is not known before the run");
    rw_stage_set_scalars(ode, stage);
    if (!e->plan.nslots) return RW_OK;
    RW_TRY(rw_array_write(e->slots, &slots));
    memset(slots, 0, e->slots->bytes);
    s->stage = stage;
    for (int r = 0; r < e->plan.nreductions; ++r)
        ((double *)slots)[e->plan.reductions[r].slot] = largest(s, e->graph, e->plan.reductions[r].value);
    return RW_OK;
}

/* As choose() of auto.c, as far as the circles say. */
static rw_status choose(rw_ode *ode, double span, rw_forecast *f)
{
    static const double OVERHANG = 0.2, FEW = 50, LOOSE = 3e-4;
    double overhang = INFINITY;
    if (isfinite(f->radius)) RW_TRY(rw_spectral_overhang(ode, &overhang));
    const bool few = f->radius * span <= FEW;
    f->certain = few || overhang <= OVERHANG;
    const rw_ode_ops *stiff = ode->rtol > LOOSE ? &rw_method_RKC2 : &rw_method_ROCK4;
    return rw_ode_become(ode, few || overhang > OVERHANG ? &rw_method_DP5 : stiff);
}

static rw_status find_radius(rw_ode *ode, rw_forecast *f)
{
    const rw_status status = rw_spectral_radius(ode, &f->radius);
    f->by = rw_spectral_kind(ode);
    if (status != RW_OK) f->radius = NAN;
    return status == RW_ERR_NOT_CONVERGED ? RW_OK : status;
}

rw_status rw_ode_forecast(rw_ode *ode, double span, rw_forecast_value *value, void *user, rw_forecast *f)
{
    sampler s = {.value = value,
                 .user = user,
                 .nfields = ode->nfields,
                 .nexternals = ode->nexternals,
                 .given = ode->given,
                 .nown = ode->nfields + ode->nunknowns};
    *f = (rw_forecast){.certain = true, .radius = NAN, .stable = NAN};
    ode->forecast = &s;
    ode->note = sample;
    rw_status status = find_radius(ode, f);
    if (status == RW_OK && ode->ops->chooses) status = choose(ode, span, f);
    ode->note = NULL;
    ode->forecast = NULL;
    RW_TRY(status);
    const rw_ode_ops *ops = ode->ops;
    f->method = ops->name;
    f->step = ode->fixed_step;
    f->adaptive = ops->attempt != NULL;
    f->stabilised = ops->reach && !(ops->stable > 0);
    const double most = ops->stable > 0 ? ops->stable : ops->reach ? ops->reach(ode) : 2.78; /* rk4 */
    f->stable = f->radius > 0 ? most / f->radius : f->radius == 0 ? INFINITY : NAN;
    return RW_OK;
}

rw_status rw_ode_forecast_step(rw_ode *ode, const rw_forecast *f, double h, rw_forecast_step *step)
{
    const double most = ode->ops->reach ? ode->ops->reach(ode) : 1, wanted = h * f->radius;
    return rw_trace_cost(ode, isfinite(wanted) ? RW_MIN(wanted, most) : RW_MIN(10, most), step);
}

/* The number of stages grows with the square root of h rho. */
rw_status rw_ode_forecast_like(rw_ode *ode, double evaluations, rw_forecast_step *step)
{
    const double most = ode->ops->reach ? ode->ops->reach(ode) : 1;
    double h_rho = RW_MIN(0.4 * evaluations * evaluations, most);
    for (int k = 0; k < 4; ++k) {
        RW_TRY(rw_trace_cost(ode, h_rho, step));
        const double factor = evaluations / RW_MAX(step->evaluations, 1);
        if (fabs(step->evaluations - evaluations) < 1 || (h_rho >= most && factor > 1)) break;
        h_rho = RW_MIN(h_rho * factor * factor, most);
    }
    return RW_OK;
}
