#include "ode/algebraic.h"

#include <math.h>
#include <string.h>

#include "elliptic/elliptic.h"
#include "expr/equations.h"

enum { Y };

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static bool has_rate(const rw_ode *ode, const char *name)
{
    for (int i = 0; i < ode->parsed.n; ++i)
        if (ode->parsed.statements[i].kind == RW_RATE && !strcmp(ode->parsed.statements[i].name, name)) return true;
    return false;
}

static const rw_statement *find_equation(const rw_ode *ode)
{
    int i = 0;
    while (i < ode->parsed.n && ode->parsed.statements[i].kind != RW_EQUATION) ++i;
    return i < ode->parsed.n ? ode->parsed.statements + i : NULL;
}

/* Without an equation a field that has no rate is a mistake, which rw_build_rates reports. */
rw_status rw_algebraic_split(rw_ode *ode)
{
    const int all = ode->nfields;
    int n = 0;
    ode->given = rw_calloc((size_t)all, sizeof *ode->given);
    rw_expr_field *fields = rw_calloc((size_t)all, sizeof *fields);
    if (!ode->given || !fields) {
        rw_free(fields);
        return rw_fail_memory(ode->device->ctx, (size_t)all * sizeof *fields, "the equations");
    }
    const rw_statement *equation = find_equation(ode);
    for (int unknown = 0; unknown < 2; ++unknown) {
        for (int f = 0; f < all; ++f)
            if ((equation && !has_rate(ode, ode->fields[f].name)) == unknown) {
                fields[n] = ode->fields[f];
                ode->given[n++] = f;
            }
        if (!unknown) ode->nfields = n;
    }
    ode->nunknowns = all - ode->nfields;
    rw_free(ode->fields);
    ode->fields = fields;
    if (!equation || (ode->nfields && ode->nunknowns)) return RW_OK;
    return rw_fail_at(ode->device->ctx, &ode->source, equation->at,
                      ode->nfields
                          ? "an equation without an unknown: all fields have a rate: declare the field that it "
                            "determines"
                          : "no field has a rate: solve the equations with rw_elliptic_create, in a case with "
                            "time: {end: steady}");
}

static rw_status make_solver(rw_ode *ode, const rw_ode_spec *spec, const rw_elliptic_spec *settings)
{
    struct rw_algebraic *a = ode->algebraic;
    rw_context *ctx = ode->device->ctx;
    const int n = ode->nfields + ode->nexternals;
    rw_expr_field *externals = rw_calloc((size_t)n, sizeof *externals);
    rw_elliptic_spec *own = rw_calloc((size_t)ode->nunknowns, sizeof *own);
    rw_status status = externals && own ? RW_OK : rw_fail_memory(ctx, 4096, "the equations");
    for (int f = 0; f < n && status == RW_OK; ++f)
        externals[f] = f < ode->nfields ? ode->fields[f] : ode->externals[f - ode->nfields];
    for (int u = 0; u < ode->nunknowns && status == RW_OK; ++u) {
        const int given = ode->given[ode->nfields + u];
        const char *text = spec->solvers ? spec->solvers[given] : NULL;
        if (settings) own[u] = settings[given];
        else if (text) status = rw_params_parse(ctx, rw_elliptic_params(), text, own + u);
    }
    const rw_elliptic_spec problem = {.name = ode->name,
                                      .line = ode->source.line,
                                      .column = ode->source.column,
                                      .equations = ode->text,
                                      .grid = ode->grid,
                                      .order = ode->order,
                                      .layout = ode->layout,
                                      .fields = ode->fields + ode->nfields,
                                      .nfields = ode->nunknowns,
                                      .scalars = ode->scalars,
                                      .nscalars = ode->nscalars,
                                      .externals = externals,
                                      .nexternals = n,
                                      .cancel = ode->cancel};
    if (status == RW_OK) status = rw_elliptic_create_with(ode->device, &problem, own, RW_ELLIPTIC_IN_TIME, &a->solver);
    rw_free(externals);
    rw_free(own);
    return status;
}

rw_status rw_algebraic_create(rw_ode *ode, const rw_ode_spec *spec, const rw_elliptic_spec *settings)
{
    if (!ode->nunknowns) return RW_OK;
    struct rw_algebraic *a = ode->algebraic = rw_calloc(1, sizeof *a);
    const size_t n = RW_UNKNOWN_SETS * (size_t)ode->nunknowns;
    if (a) a->set[0] = rw_calloc(n, sizeof(*a->set[0]));
    if (!a || !a->set[0]) return rw_fail_memory(ode->device->ctx, n * sizeof(*a->set[0]), "unknowns");
    a->set[1] = a->set[0] + ode->nunknowns;
    rw_algebraic_forget(ode, Y);
    ode->now.unknowns = true;
    a->balanced = -1;
    RW_TRY(make_solver(ode, spec, settings));
    a->enqueued = rw_elliptic_is_enqueued(a->solver);
    a->recordable = rw_elliptic_is_recordable(a->solver);
    a->has_start = rw_elliptic_has_start(a->solver);
    a->moves = rw_elliptic_moves(a->solver);
    return RW_OK;
}

void rw_algebraic_free(rw_ode *ode)
{
    struct rw_algebraic *a = ode->algebraic;
    if (!a) return;
    rw_elliptic_destroy(&a->solver);
    for (int i = 0; a->set[0] && i < RW_UNKNOWN_SETS * ode->nunknowns; ++i) rw_array_destroy(&a->set[0][i]);
    rw_free(a->set[0]);
    rw_free(a);
    ode->algebraic = NULL;
}

rw_status rw_algebraic_make_arrays(rw_ode *ode)
{
    struct rw_algebraic *a = ode->algebraic;
    for (int u = 0; u < ode->nunknowns; ++u) {
        const rw_array *bound = a->set[0][u];
        rw_array **own = a->set[1] + u;
        if (*own && bound && (*own)->storage->memory != bound->storage->memory) rw_array_destroy(own);
        if (*own) continue;
        int64_t shape[3];
        int ndim;
        rw_ode_shape(ode, &ndim, shape);
        RW_TRY(rw_array_create(ode->device, ode->fields[ode->nfields + u].dtype, ndim, shape,
                               bound ? bound->storage->memory : RW_MEMORY_DEVICE, own));
    }
    return RW_OK;
}

/* ---- which set has which vector's unknowns ----------------------------------------------------------------------- */

static const rw_solved nothing = {.number = -1};

void rw_algebraic_forget(rw_ode *ode, int v)
{
    struct rw_algebraic *a = ode->algebraic;
    for (; a && v < RW_ODE_VECTORS; ++v) a->of.number[v] = ++a->of.last;
    if (a && a->set[0]) a->of.set[1] = nothing;
}

void rw_algebraic_begin(rw_ode *ode)
{
    if (ode->algebraic) ode->algebraic->begun = false;
}

void rw_algebraic_note_stores(rw_ode *ode, const rw_stage *stage)
{
    struct rw_algebraic *a = ode->algebraic;
    for (int v = 0; a && v < RW_ODE_VECTORS; ++v)
        if (stage->stores & 1u << v) a->of.number[v] = ++a->of.last;
}

void rw_algebraic_touch(rw_ode *ode, int v)
{
    if (ode->algebraic) ode->algebraic->of.number[v] = ++ode->algebraic->of.last;
}

void rw_algebraic_exchange(rw_ode *ode, int v, int w)
{
    struct rw_algebraic *a = ode->algebraic;
    if (!a) return;
    const int64_t number = a->of.number[v];
    a->of.number[v] = a->of.number[w];
    a->of.number[w] = number;
}

static bool is_solved(const rw_ode *ode, int set, int v, double t)
{
    const struct rw_algebraic *a = ode->algebraic;
    const rw_solved *s = a->of.set + set;
    return s->number == a->of.number[v] && s->changes == ode->changes && (!a->moves || s->t == t);
}

static bool may_swap(const rw_ode *ode)
{
    const struct rw_algebraic *a = ode->algebraic;
    bool may = true;
    for (int i = 0; i < RW_UNKNOWN_SETS * ode->nunknowns; ++i) may = may && rw_array_may_swap(a->set[0][i]);
    return may;
}

static rw_status swap_sets(rw_ode *ode)
{
    struct rw_algebraic *a = ode->algebraic;
    for (int u = 0; u < ode->nunknowns; ++u) RW_TRY(rw_array_swap(a->set[0][u], a->set[1][u]));
    const rw_solved first = a->of.set[0];
    a->of.set[0] = a->of.set[1];
    a->of.set[1] = first;
    return RW_OK;
}

static rw_status copy_set(rw_ode *ode, int to, int from)
{
    struct rw_algebraic *a = ode->algebraic;
    for (int u = 0; u < ode->nunknowns; ++u)
        RW_TRY(rw_array_copy(a->set[to][u], a->set[from][u], rw_device_queue(ode->device)));
    a->of.set[to] = a->of.set[from];
    return RW_OK;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static rw_status hold(rw_ode *ode, int set, int v)
{
    struct rw_algebraic *a = ode->algebraic;
    int i = 0;
    for (int u = 0; u < ode->nunknowns; ++u) RW_TRY(rw_elliptic_hold(a->solver, i++, a->set[set][u]));
    for (int f = 0; f < ode->nfields; ++f) RW_TRY(rw_elliptic_hold(a->solver, i++, ode->vector[v * ode->nfields + f]));
    for (int x = 0; x < ode->nexternals; ++x) RW_TRY(rw_elliptic_hold(a->solver, i++, ode->external[x]));
    return RW_OK;
}

static rw_status with_time(rw_ode *ode, double t, rw_status status)
{
    if (status != RW_ERR_NOT_CONVERGED && status != RW_ERR_INPUT) return status;
    ode->unresolved = true; /* the message contains the reason */
    return rw_fail(ode->device->ctx, status, "%s (at t = %.6g)", rw_message(ode->device->ctx), t);
}

/* Before a solve after arrays or scalars have changed, where F should have the mean 0: whether it has. */
static rw_status check_balance(rw_ode *ode, double t)
{
    struct rw_algebraic *a = ode->algebraic;
    double ratio;
    if (a->balanced == ode->changes || !rw_elliptic_is_singular(a->solver)) return RW_OK;
    RW_TRY(with_time(ode, t, rw_elliptic_measure(a->solver, &ratio)));
    a->balanced = ode->changes;
    return RW_OK;
}

/* To the tolerance: waits. */
static rw_status iterate(rw_ode *ode, int set, double t)
{
    struct rw_algebraic *a = ode->algebraic;
    rw_ode_statistics *stat = &ode->now.stat;
    rw_elliptic_result result;
    if (set == 1 && !a->begun) RW_TRY(copy_set(ode, 1, 0));
    a->begun = a->begun || set == 1;
    a->of.set[set] = nothing;
    const rw_status status = rw_elliptic_solve(a->solver, &result);
    stat->solve_iterations += result.iterations;
    if (result.right_side > 0) stat->solve_residual = fmax(stat->solve_residual, result.residual / result.right_side);
    return with_time(ode, t, status);
}

/* Cycles begin with the last solution between steps: a stage's value does not depend on the stages before. */
static rw_status enqueue(rw_ode *ode, int set)
{
    struct rw_algebraic *a = ode->algebraic;
    for (int u = 0; u < ode->nunknowns; ++u) rw_elliptic_start_from(a->solver, u, set ? a->set[0][u] : NULL);
    return rw_elliptic_enqueue(a->solver);
}

static rw_status solve(rw_ode *ode, int set, int v, double t, const rw_quadrature *stage)
{
    struct rw_algebraic *a = ode->algebraic;
    RW_TRY(hold(ode, set, v));
    RW_TRY(rw_elliptic_set_time(a->solver, t, stage));
    ode->now.stat.solves++;
    if (a->enqueued) RW_TRY(check_balance(ode, t));
    RW_TRY(a->enqueued ? enqueue(ode, set) : iterate(ode, set, t));
    a->of.set[set] = (rw_solved){a->of.number[v], ode->changes, t};
    return RW_OK;
}

static const rw_quadrature none = {0};

rw_status rw_algebraic_update(rw_ode *ode, double t)
{
    return !ode->algebraic || is_solved(ode, 0, Y, t) ? RW_OK : solve(ode, 0, Y, t, &none);
}

rw_status rw_algebraic_solve_for(rw_ode *ode, rw_stage *stage)
{
    struct rw_algebraic *a = ode->algebraic;
    for (int i = 0; a && i < stage->nreads; ++i) {
        const rw_unknowns_read *r = stage->reads + i;
        const rw_graph_param *time = stage->expr->graph->params + r->time;
        const int set = rw_algebraic_set_of(r->vector);
        if (!is_solved(ode, set, r->vector, time->re))
            RW_TRY(solve(ode, set, r->vector, time->re, time->quadrature ? time->quadrature : &none));
        for (int u = 0; u < ode->nunknowns; ++u) rw_expr_hold(stage->expr, r->field + u, a->set[set][u]);
    }
    return RW_OK;
}

rw_status rw_algebraic_accept(rw_ode *ode, int result)
{
    struct rw_algebraic *a = ode->algebraic;
    if (!a) return RW_OK;
    a->of.number[Y] = a->of.number[result];
    a->of.number[result] = ++a->of.last;
    return a->of.set[1].number == a->of.number[Y] && may_swap(ode) ? swap_sets(ode) : RW_OK;
}

/* ---- recorded steps ---------------------------------------------------------------------------------------------- */

void rw_algebraic_take_as_solved(rw_ode *ode, double t)
{
    struct rw_algebraic *a = ode->algebraic;
    if (!a) return;
    rw_algebraic_forget(ode, Y);
    a->of.set[0] = (rw_solved){a->of.number[Y], ode->changes, t};
}

rw_status rw_algebraic_send(rw_ode *ode, rw_queue *q)
{
    for (int i = 0; ode->algebraic && i < RW_UNKNOWN_SETS * ode->nunknowns; ++i)
        RW_TRY(rw_array_send(ode->algebraic->set[0][i], q));
    return RW_OK;
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

bool rw_algebraic_pretend(rw_ode *ode, int set, int v)
{
    struct rw_algebraic *a = ode->algebraic;
    if (is_solved(ode, set, v, ode->now.t) && !a->moves) return false;
    a->of.set[set] = (rw_solved){a->of.number[v], ode->changes, ode->now.t};
    return true;
}

rw_solved_sets rw_algebraic_keep(const rw_ode *ode)
{
    return ode->algebraic ? ode->algebraic->of : (rw_solved_sets){.last = 0};
}

/* Vectors may have been made anew. */
void rw_algebraic_put_back(rw_ode *ode, const rw_solved_sets *kept)
{
    if (!ode->algebraic) return;
    ode->algebraic->of = *kept;
    ode->algebraic->of.set[1] = nothing;
}

void rw_algebraic_add_cost(const rw_ode *ode, double *bytes, int *launches)
{
    rw_elliptic_add_cost(ode->algebraic->solver, bytes, launches);
}

/* ---- values between steps ---------------------------------------------------------------------------------------- */

rw_status rw_algebraic_show(rw_ode *ode, int vector, double t)
{
    if (!ode->algebraic) return RW_OK;
    rw_algebraic_exchange(ode, Y, vector);
    ode->algebraic->shown = true;
    RW_TRY(may_swap(ode) ? swap_sets(ode) : copy_set(ode, 1, 0));
    if (ode->algebraic->has_start) RW_TRY(copy_set(ode, 0, 1));
    return rw_algebraic_update(ode, t);
}

rw_status rw_algebraic_restore(rw_ode *ode, int vector)
{
    if (!ode->algebraic || !ode->algebraic->shown) return RW_OK;
    rw_algebraic_exchange(ode, Y, vector);
    ode->algebraic->shown = false;
    RW_TRY(may_swap(ode) ? swap_sets(ode) : copy_set(ode, 0, 1));
    ode->algebraic->of.set[1] = nothing;
    return RW_OK;
}

double rw_algebraic_noise(const rw_ode *ode)
{
    const struct rw_algebraic *a = ode->algebraic;
    double noise = 0;
    for (int u = 0; a && a->has_start && u < ode->nunknowns; ++u) noise = fmax(noise, rw_elliptic_rtol(a->solver, u));
    return noise;
}

rw_status rw_algebraic_explain(const rw_ode *ode, rw_text *text)
{
    char *part;
    if (!ode->algebraic) return RW_OK;
    RW_TRY(rw_elliptic_explain(ode->algebraic->solver, &part));
    rw_text_add(text, "%s", part);
    rw_free(part);
    return RW_OK;
}
