/* A step without running it: while ode->note is set, rw_stage_run only notes the program and the arrays bound to it.
 * The method's own code decides what it would run, so this file does not depend on methods. Afterwards everything that
 * a step changes is restored.
 *
 *   spectral radius   where the method needs it again and again
 *   a step            by the method's attempt, with h rho such that it takes about the number of stages wished; rk4 by
 *                     a step that is not tried, without a recorded sequence
 *   auto              as the largest method that it may become, which it is made for this time */
#include <string.h>

#include "ode/algebraic.h"
#include "ode/forecast.h"
#include "ode/implicit.h"
#include "ode/trace.h"

enum { USUAL_STAGES = 7 };

static void forget_runs(rw_trace *trace, int from)
{
    for (int i = from; i < trace->nruns; ++i) rw_free(trace->run[i].array);
    trace->nruns = from;
}

static int number_of(const rw_ode *ode, const rw_array *a)
{
    for (int i = 0; i < ode->ops->vectors * ode->nfields; ++i)
        if (ode->trace->array[i] == a) return i;
    return -1;
}

/* Methods ask for results after their runs: a program that never ran has none to read. */
static rw_status make_results(rw_expr *e)
{
    void *slots;
    if (!e->plan.nslots || e->slots->storage->host_current || e->slots->storage->device_current) return RW_OK;
    RW_TRY(rw_array_write(e->slots, &slots));
    memset(slots, 0, e->slots->bytes);
    return RW_OK;
}

/* A run with room for n arrays, which are not known yet. */
static rw_status add(rw_ode *ode, rw_trace_run run, int n, rw_trace_run **added)
{
    rw_trace *trace = ode->trace;
    run.radius = trace->radius;
    run.array = rw_calloc((size_t)RW_MAX(n, 1), sizeof *run.array);
    if (!run.array || !rw_grow(&trace->run, &trace->capacity, trace->nruns + 1, sizeof run)) {
        rw_free(run.array);
        return rw_fail_memory(ode->device->ctx, sizeof run, "a trace");
    }
    for (int i = 0; i < n; ++i) run.array[i] = -1;
    trace->run[trace->nruns] = run;
    *added = trace->run + trace->nruns++;
    return RW_OK;
}

/* The set is solved for vector v. */
static rw_status add_solve(rw_ode *ode, int v, int set)
{
    const int nf = ode->nfields, nu = ode->nunknowns;
    rw_trace_run *run;
    RW_TRY(add(ode, (rw_trace_run){.nwritten = nu}, nf + nu, &run));
    for (int f = 0; f < nf; ++f) run->array[f] = number_of(ode, ode->vector[v * nf + f]);
    for (int u = 0; u < nu; ++u) run->array[nf + u] = rw_trace_unknown(ode, set, u);
    return RW_OK;
}

/* A stage with marked terms is solved for: vector `into` from the vector `known`. */
static rw_status add_stage(rw_ode *ode, int into, int known)
{
    const struct rw_implicit *m = ode->implicit;
    const int nf = ode->nfields;
    rw_trace_run *run;
    RW_TRY(add(ode, (rw_trace_run){.nwritten = m->n, .implicit = true}, nf + m->n, &run));
    for (int f = 0; f < nf; ++f)
        run->array[f] = number_of(ode, ode->vector[(rw_implicit_has(ode, f) ? known : 0) * nf + f]);
    for (int k = 0; k < m->n; ++k) run->array[nf + k] = number_of(ode, ode->vector[into * nf + m->field[k]]);
    return RW_OK;
}

/* Unknowns that the program reads, where it would have to solve for them. */
static rw_status add_solves(rw_ode *ode, const rw_stage *stage)
{
    for (int i = 0; i < stage->nreads; ++i) {
        const int v = stage->reads[i].vector, set = rw_algebraic_set_of(v);
        if (rw_algebraic_pretend(ode, set, v)) RW_TRY(add_solve(ode, v, set));
    }
    return RW_OK;
}

static rw_status add_run(rw_ode *ode, rw_stage *stage)
{
    rw_expr *e = stage->expr;
    rw_trace_run *run;
    RW_TRY(make_results(e));
    RW_TRY(add_solves(ode, stage));
    RW_TRY(add(ode, (rw_trace_run){.expr = e}, e->graph->nfields, &run));
    for (int i = 0; i < RW_ODE_VECTORS * ode->nfields; ++i)
        if (stage->field[i] >= 0) run->array[stage->field[i]] = number_of(ode, ode->vector[i]);
    for (int k = 0; stage->split >= 0 && k < ode->implicit->n; ++k)
        run->array[stage->split + k] =
            number_of(ode, ode->vector[stage->split_of * ode->nfields + ode->implicit->field[k]]);
    for (int i = 0; stage->external >= 0 && i < ode->nexternals; ++i)
        run->array[stage->external + i] = RW_ODE_VECTORS * ode->nfields + i;
    for (int i = 0; i < stage->nreads; ++i)
        for (int u = 0; u < ode->nunknowns; ++u)
            run->array[stage->reads[i].field + u] =
                rw_trace_unknown(ode, rw_algebraic_set_of(stage->reads[i].vector), u);
    rw_algebraic_note_stores(ode, stage);
    return RW_OK;
}

/* A step ends with the unknowns of y_{n+1}, which the vector holds. */
static rw_status add_end(rw_ode *ode, int v)
{
    return ode->algebraic && rw_algebraic_pretend(ode, 1, v) ? add_solve(ode, v, 0) : RW_OK;
}

/* Stages grow with h rho: tried from below, as no method is asked for the inverse. */
static rw_status trace_attempts(rw_ode *ode, int stages)
{
    rw_trace *trace = ode->trace;
    const rw_ode_ops *ops = ode->ops;
    int from = trace->nruns;
    double most = ops->reach ? ops->reach(ode) : 1, h_rho = RW_MIN(0.2 * stages * stages, most);
    for (;; h_rho = RW_MIN(1.1 * h_rho, most)) {
        rw_attempt a = {0};
        forget_runs(trace, from);
        rw_status status = ops->attempt(ode, 1, h_rho, &a);
        if (status == RW_OK) status = add_end(ode, ops->result);
        /* exchanged */
        memcpy(ode->vector, trace->array, (size_t)RW_ODE_VECTORS * (size_t)ode->nfields * sizeof *ode->vector);
        RW_TRY(status);
        trace->stages = a.stages;
        if (a.stages >= stages || h_rho >= most) return RW_OK;
    }
}

static rw_status trace_step(rw_ode *ode, int stages)
{
    rw_trace *trace = ode->trace;
    if (ode->ops->chooses) {
        RW_TRY(rw_ode_become(ode, ode->ops->chooses));
        trace->as = ode->ops->name;
    }
    memcpy(trace->array, ode->vector, (size_t)RW_ODE_VECTORS * (size_t)ode->nfields * sizeof *trace->array);
    ode->now.stat.steps = INT32_MAX; /* a step that has all its programs */
    trace->radius = true;
    if (ode->ops->reach) RW_TRY(rw_spectral_trace(ode));
    trace->radius = false;
    if (!ode->ops->untried) return trace_attempts(ode, stages);
    trace->stages = ode->ops->least_stages;
    RW_TRY(ode->ops->untried(ode, ode->fixed_step > 0 ? ode->fixed_step : 1));
    return add_end(ode, 0);
}

static rw_status check(const rw_ode *ode, int stages)
{
    if (stages < 0 || stages > 100000)
        return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT,
                       "stages = %d is outside [1, 100000]: number of stages of the traced step; 0: %d", stages,
                       USUAL_STAGES);
    return rw_ode_need_arrays(ode);
}

static void add_cost(const rw_ode *ode, const rw_trace *trace, rw_forecast_step *step)
{
    for (int i = 0; i < trace->nruns; ++i) {
        rw_expr_plan plan;
        if (!trace->run[i].expr) {
            if (trace->run[i].implicit) rw_elliptic_add_cost(ode->implicit->solver, &step->bytes, &step->launches);
            else rw_algebraic_add_cost(ode, &step->bytes, &step->launches);
            continue;
        }
        rw_expr_get_plan(trace->run[i].expr, &plan);
        step->bytes += plan.bytes_per_cell;
        step->flops += plan.flops_per_cell;
        step->launches += (int)plan.passes;
    }
}

rw_status rw_trace_cost(rw_ode *ode, double h_rho, rw_forecast_step *step)
{
    rw_trace trace = {0};
    rw_attempt a = {.stages = ode->ops->least_stages};
    const size_t n = (size_t)RW_ODE_VECTORS * (size_t)ode->nfields;
    *step = (rw_forecast_step){0};
    if (!(trace.array = rw_calloc(n, sizeof *trace.array))) return rw_fail_memory(ode->device->ctx, 4096, "a trace");
    memcpy(trace.array, ode->vector, n * sizeof *trace.array);
    const rw_ode_kept before = rw_ode_keep(ode);
    const rw_solved_sets solved = rw_algebraic_keep(ode);
    const int64_t evaluations = ode->now.stat.rhs;
    ode->trace = &trace;
    ode->note = add_run;
    ode->note_solve = add_stage;
    rw_status status = ode->ops->untried ? ode->ops->untried(ode, ode->fixed_step > 0 ? ode->fixed_step : 1)
                                         : ode->ops->attempt(ode, 1, h_rho, &a);
    if (status == RW_OK) status = add_end(ode, ode->ops->untried ? 0 : ode->ops->result);
    ode->trace = NULL;
    ode->note = NULL;
    memcpy(ode->vector, trace.array, n * sizeof *ode->vector); /* exchanged */
    step->evaluations = (double)(ode->now.stat.rhs - evaluations);
    rw_ode_put_back(ode, &before);
    rw_algebraic_put_back(ode, &solved);
    if (status == RW_OK) add_cost(ode, &trace, step);
    step->stages = a.stages;
    forget_runs(&trace, 0);
    rw_free(trace.run);
    rw_free(trace.array);
    return status;
}

rw_status rw_ode_depgraph(rw_ode *ode, int stages, rw_depgraph **graph, rw_partition **tiles, char **text)
{
    RW_NEED(ode, "ode");
    rw_trace trace = {0};
    rw_text t = {0};
    rw_depgraph *g = NULL;
    rw_partition *p = NULL;
    if (graph) *graph = NULL;
    if (tiles) *tiles = NULL;
    if (text) *text = NULL;
    RW_TRY(check(ode, stages));
    trace.array = rw_calloc((size_t)RW_ODE_VECTORS * (size_t)ode->nfields, sizeof *trace.array);
    if (!trace.array) return rw_fail_memory(ode->device->ctx, 4096, "a trace");
    const rw_ode_kept before = rw_ode_keep(ode);
    const rw_solved_sets solved = rw_algebraic_keep(ode);
    ode->trace = &trace;
    ode->note = add_run;
    ode->note_solve = add_stage;
    rw_status status = trace_step(ode, stages ? stages : USUAL_STAGES);
    ode->trace = NULL;
    ode->note = NULL;
    if (status == RW_OK) status = rw_depgraph_create(ode->device->ctx, &g);
    if (status == RW_OK) status = rw_trace_expand(ode, &trace, g, &p, &t);
    if (status == RW_OK && t.failed) status = rw_fail_memory(ode->device->ctx, t.length, "the graph as text");
    rw_ode_put_back(ode, &before);
    rw_algebraic_put_back(ode, &solved);
    forget_runs(&trace, 0);
    rw_free(trace.run);
    rw_free(trace.array);
    if (status == RW_OK && text) {
        *text = t.data;
        t.data = NULL;
    }
    if (status == RW_OK && graph) {
        *graph = g;
        g = NULL;
    }
    if (status == RW_OK && tiles) {
        *tiles = p;
        p = NULL;
    }
    rw_depgraph_destroy(&g);
    rw_partition_destroy(&p);
    rw_text_free(&t);
    return status;
}
