/* An integration from initial values to the end, repeated for its time: what studies of integrators have in common.
 *
 * Programs are compiled and the state is allocated once; a run begins with the saved state of the integrator and with
 * the initial values, so all runs take the same steps. Seconds are those of the steps, until the queue is empty. */
#include <math.h>

#include "lab/lab.h"
#include "ode/ode.h"

typedef struct run {
    rw_ode *ode;
    rw_queue *queue;
    rw_array *array[RW_LAB_FIELDS];
    rw_ode_progress start; /* before the first step */
} run;

static int64_t cells_of(const rw_grid *g)
{
    int64_t cells = 1;
    for (int d = 0; d < g->ndim; ++d) cells *= g->size[d];
    return cells;
}

static rw_status create(rw_device *device, const rw_lab_integration *p, run *r)
{
    int64_t shape[3];
    const rw_ode_spec *spec = &p->spec;
    const rw_grid *g = &spec->grid;
    for (int d = 0; d < g->ndim; ++d) shape[d] = g->size[g->ndim - 1 - d];
    RW_TRY(rw_ode_create(device, spec, &r->ode));
    r->ode->stage_rule = p->stage_rule;
    for (int f = 0; f < spec->nfields; ++f) {
        RW_TRY(rw_array_create(device, spec->fields[f].dtype, g->ndim, shape, RW_MEMORY_DEVICE, &r->array[f]));
        RW_TRY(rw_ode_bind(r->ode, spec->fields[f].name, r->array[f]));
    }
    r->queue = rw_device_queue(device);
    r->start = r->ode->now;
    return RW_OK;
}

static void place_of(const rw_grid *g, int64_t cell, double x[3])
{
    for (int d = 0; d < 3; ++d) {
        x[d] = d < g->ndim ? g->origin[d] + (double)(cell % g->size[d]) * g->spacing[d] : 0;
        if (d < g->ndim) cell /= g->size[d];
    }
}

static rw_status put_initial(const rw_lab_integration *p, run *r)
{
    for (int f = 0; f < p->spec.nfields; ++f) {
        void *u;
        RW_TRY(rw_array_write(r->array[f], &u));
        for (int64_t i = 0; i < cells_of(&p->spec.grid); ++i) {
            double x[3];
            place_of(&p->spec.grid, i, x);
            if (p->spec.fields[f].dtype == RW_F64) ((double *)u)[i] = p->initial(x, f);
            else ((float *)u)[i] = (float)p->initial(x, f);
        }
        RW_TRY(rw_array_send(r->array[f], r->queue));
    }
    return rw_queue_wait(r->queue);
}

static rw_status step_to_end(const rw_lab_integration *p, run *r, double *seconds)
{
    r->ode->now = r->start;
    RW_TRY(put_initial(p, r));
    double begin = rw_seconds();
    for (int i = 0; i < p->nstops; ++i)
        while (rw_ode_time(r->ode) < p->stops[i]) RW_TRY(rw_ode_step(r->ode, p->stops[i]));
    RW_TRY(rw_queue_wait(r->queue));
    *seconds = rw_seconds() - begin;
    return RW_OK;
}

static rw_status read_solution(rw_context *ctx, const rw_lab_integration *p, run *r, rw_lab_solution *s)
{
    int64_t cells = cells_of(&p->spec.grid);
    s->n = p->spec.nfields * cells;
    s->u = rw_calloc((size_t)s->n, sizeof *s->u);
    if (!s->u) return rw_fail_memory(ctx, (size_t)s->n * sizeof *s->u, "a solution");
    for (int f = 0; f < p->spec.nfields; ++f) {
        const void *u;
        RW_TRY(rw_array_read(r->array[f], &u));
        for (int64_t i = 0; i < cells; ++i)
            s->u[f * cells + i] = p->spec.fields[f].dtype == RW_F64 ? ((const double *)u)[i] : ((const float *)u)[i];
    }
    return RW_OK;
}

static rw_status integrate(rw_context *ctx, const rw_lab_integration *p, run *r, rw_lab_solution *s)
{
    double seconds;
    s->seconds = p->runs ? INFINITY : NAN;
    for (int i = 0; i <= p->runs; ++i) {
        RW_TRY(step_to_end(p, r, &seconds));
        if (i) s->seconds = fmin(s->seconds, seconds);
    }
    rw_ode_get_statistics(r->ode, &s->work);
    rw_ode_method method = RW_ODE_DEFAULT;
    const char *reason = "";
    rw_ode_get_method(r->ode, &method, &reason);
    snprintf(s->method, sizeof s->method, "%s", rw_ode_method_name(method));
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    RW_TRY(read_solution(ctx, p, r, s));
    s->finished = true;
    return RW_OK;
}

rw_status rw_lab_integrate(rw_lab *lab, const rw_lab_integration *p, int device, rw_lab_solution *s)
{
    run r = {0};
    const char *name = lab->info[device].name;
    *s = (rw_lab_solution){.seconds = NAN};
    rw_lab_say(lab, "%s, on %s", p->what, name);
    rw_status status = create(lab->devices[device], p, &r);
    if (status == RW_OK) status = integrate(lab->ctx, p, &r, s);
    if (status == RW_ERR_NOT_CONVERGED) {
        rw_lab_note(lab, "%s, on %s: %s", p->what, name, rw_message(lab->ctx));
        status = RW_OK;
    }
    rw_ode_destroy(&r.ode);
    for (int f = 0; f < RW_LAB_FIELDS; ++f) rw_array_destroy(&r.array[f]);
    return status;
}

double rw_lab_difference(const rw_lab_solution *a, const rw_lab_solution *b)
{
    double worst = 0;
    for (int64_t i = 0; i < a->n; ++i) worst = fmax(worst, fabs(a->u[i] - b->u[i]));
    return worst;
}

void rw_lab_put_work(rw_lab *lab, int table, int column, const rw_ode_statistics *work)
{
    const double values[] = {(double)work->steps, (double)work->rejected, (double)work->rhs, work->max_stages};
    for (int i = 0; i < RW_COUNT(values); ++i) rw_lab_put(lab, table, column + i, -1, values[i]);
}
