/* Values between steps: the cubic through the present state and the last three.
 *
 *   u(t)  = sum w_i y_i     w_i = prod_{j != i} (t - t_j)/(t_i - t_j)      y_0 the present state, y_1 … y_3 the ones
 *                           before
 *   e(t)  = sum d_i y_i     d_i = w_i (t - t_i)/(t - t_3)                  the cubic less the parabola through y_0,
 *                           y_1, y_2
 *   error = ‖e‖/‖u‖ in the 2-norm over all fields
 *
 * e is the error of the parabola; that of the cubic is smaller by about a step over the time in which the solution
 * changes. No right-hand side is evaluated: F of a stiff problem multiplies what is left of the error in its fast
 * components by up to rho, and with Hermite's cubic that would be in the values. One pass reads four vectors and writes
 * one, 40 bytes per point and f64 component.
 *
 * The states before y lie in the vectors RW_PAST …, newest first. A step costs them nothing: y's old memory, which
 * taking y_{n+1} leaves in the result's vector, becomes the newest, and the oldest becomes the result's vector. Only
 * memory that the caller lent to y is copied. Between steps a method's own vectors are free: VALUE takes u(t) and then,
 * in exchange, the present state.
 *
 *   after a switch, after rw_ode_bind or a scalar changed: the states before no longer count */
#include "ode/dense.h"

#include <math.h>
#include <string.h>

#include "ode/algebraic.h"

enum { Y, VALUE, HELD, STATES = RW_ODE_PAST + 1 };

/* An integrator before a step, besides its state. */
typedef struct mark {
    rw_ode_progress progress;
    bool stale, broken;
    int past;
} mark;

struct rw_dense {
    rw_stage stage;
    int past;                 /* states before y that belong together with it */
    double time[RW_ODE_PAST]; /* theirs */
    bool broken;              /* y lies at a switch: the last state of what was, the first of what comes */
    bool looking;
    double at;
    mark begun, before; /* of the step that runs; of the last one accepted */
    bool undoable;
};

rw_status rw_dense_create(rw_ode *ode)
{
    ode->dense = rw_calloc(1, sizeof *ode->dense);
    return ode->dense ? RW_OK : rw_fail_memory(ode->device->ctx, sizeof *ode->dense, "an integrator");
}

void rw_dense_free(rw_ode *ode)
{
    if (ode->dense) rw_stage_free(&ode->dense->stage);
    rw_free(ode->dense);
    ode->dense = NULL;
}

void rw_dense_forget(rw_ode *ode)
{
    struct rw_dense *d = ode->dense;
    if (d) {
        d->past = 0;
        d->broken = d->looking = d->undoable = false;
    }
}

void rw_dense_break(rw_ode *ode)
{
    if (ode->dense) ode->dense->broken = true;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static bool is_lent(const rw_ode *ode, int f) { return !rw_array_may_swap(ode->vector[f]); }

static rw_array **array_of(const rw_ode *ode, int v, int f) { return ode->vector + v * ode->nfields + f; }

static rw_status copy(const rw_ode *ode, int to, int from, int f)
{
    return rw_array_copy(*array_of(ode, to, f), *array_of(ode, from, f), rw_device_queue(ode->device));
}

void rw_dense_begin(rw_ode *ode)
{
    struct rw_dense *d = ode->dense;
    if (!d) return;
    d->begun.stale = ode->stale;
    d->begun.broken = d->broken;
    d->begun.past = d->past;
    d->begun.progress = ode->now;
}

rw_status rw_dense_keep(rw_ode *ode)
{
    struct rw_dense *d = ode->dense;
    if (!d) return RW_OK;
    for (int f = 0; f < ode->nfields; ++f) {
        if (!is_lent(ode, f)) continue;
        d->past = RW_MIN(d->past, RW_ODE_PAST - 1); /* the oldest is lost even when the step is */
        RW_TRY(copy(ode, RW_PAST + RW_ODE_PAST - 1, Y, f));
    }
    return RW_OK;
}

void rw_dense_push(rw_ode *ode, int result)
{
    struct rw_dense *d = ode->dense;
    if (!d) return;
    for (int f = 0; f < ode->nfields; ++f) {
        rw_array **old = array_of(ode, result, f), **oldest = array_of(ode, RW_PAST + RW_ODE_PAST - 1, f), *t = *old;
        if (!is_lent(ode, f)) {
            *old = *oldest;
            *oldest = t;
        }
    }
    for (int i = RW_ODE_PAST - 1; i > 0; --i) {
        rw_ode_exchange(ode, RW_PAST + i, RW_PAST + i - 1);
        d->time[i] = d->time[i - 1];
    }
    d->time[0] = ode->now.t;
    d->past = d->broken ? 1 : RW_MIN(d->past + 1, RW_ODE_PAST);
    d->broken = false;
    d->before = d->begun;
    d->undoable = true;
}

rw_status rw_ode_undo(rw_ode *ode)
{
    RW_NEED(ode, "ode");
    struct rw_dense *d = ode->dense;
    rw_ode_statistics *s = &ode->now.stat;
    if (!d || !d->undoable)
        return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "there is no step to undo at t = %.9g: %s", ode->now.t,
                       d ? "only the last step can be undone, once, until rw_ode_bind or rw_ode_set"
                         : "set dense in rw_ode_spec");
    for (int f = 0; f < ode->nfields; ++f)
        if (is_lent(ode, f)) RW_TRY(copy(ode, Y, RW_PAST, f));
    for (int f = 0; f < ode->nfields; ++f)
        if (!is_lent(ode, f)) RW_TRY(rw_array_swap(ode->vector[f], *array_of(ode, RW_PAST, f)));
    for (int i = 0; i + 1 < RW_ODE_PAST; ++i) {
        rw_ode_exchange(ode, RW_PAST + i, RW_PAST + i + 1);
        d->time[i] = d->time[i + 1];
    }
    rw_ode_statistics work = *s;
    ode->now = d->before.progress;
    s->rejected = work.rejected;
    s->rhs = work.rhs;
    s->spectral_rhs = work.spectral_rhs; /* what was done was done */
    s->undone = work.undone + 1;
    ode->stale = d->before.stale;
    d->broken = d->before.broken;
    d->past = RW_MIN(d->before.past, RW_ODE_PAST - 1);
    d->looking = d->undoable = false;
    rw_algebraic_forget(ode, Y);
    return rw_algebraic_update(ode, ode->now.t);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static int vector_of(int state) { return state ? RW_PAST + state - 1 : Y; }

static rw_node weighted_sum(rw_building *b, int f, const rw_node *weight)
{
    rw_graph *g = b->graph;
    rw_node sum = OP(MUL, weight[0], rw_build_value(b, Y, f));
    for (int i = 1; i < STATES; ++i) sum = OP(ADD, sum, OP(MUL, weight[i], rw_build_value(b, vector_of(i), f)));
    return sum;
}

static rw_node square(rw_graph *g, rw_node n)
{
    rw_node size = rw_make1(g, RW_OP_ABS, n);
    return OP(MUL, size, size);
}

static rw_status build(rw_ode *ode, rw_stage *stage)
{
    rw_node w[STATES], d[STATES], e2 = -1, u2 = -1;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t");
    for (int i = 0; i < STATES; ++i) {
        w[i] = rw_build_scalar(&b, (char[]){'w', (char)('0' + i), 0});
        d[i] = rw_build_scalar(&b, (char[]){'d', (char)('0' + i), 0});
    }
    for (int i = 0; i < STATES; ++i) rw_build_vector(&b, vector_of(i), t);
    rw_build_vector(&b, VALUE, t);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node u = weighted_sum(&b, f, w), e = weighted_sum(&b, f, d);
        rw_build_store(&b, VALUE, f, u);
        e2 = f ? OP(ADD, e2, square(g, e)) : square(g, e);
        u2 = f ? OP(ADD, u2, square(g, u)) : square(g, u);
    }
    if (b.status == RW_OK) {
        rw_build_result(&b, "e2", rw_reduce(g, RW_SUM, e2));
        rw_build_result(&b, "u2", rw_reduce(g, RW_SUM, u2));
    }
    return rw_build_end(&b, "between_steps", stage);
}

static void set_weights(const rw_ode *ode, double t)
{
    struct rw_dense *d = ode->dense;
    double at[STATES] = {ode->now.t, d->time[0], d->time[1], d->time[2]};
    for (int i = 0; i < STATES; ++i) {
        double w = 1;
        for (int j = 0; j < STATES; ++j) w *= j == i ? 1 : (t - at[j]) / (at[i] - at[j]);
        rw_stage_set(&d->stage, (char[]){'w', (char)('0' + i), 0}, w);
        rw_stage_set(&d->stage, (char[]){'d', (char)('0' + i), 0}, w * (t - at[i]) / (t - at[STATES - 1]));
    }
    rw_stage_set(&d->stage, "t", t);
}

static rw_status estimate(rw_ode *ode, double *error)
{
    double e2, u2;
    RW_TRY(rw_expr_get(ode->dense->stage.expr, "e2", &e2, NULL));
    RW_TRY(rw_expr_get(ode->dense->stage.expr, "u2", &u2, NULL));
    *error = e2 == 0 ? 0 : sqrt(e2 / u2);
    /* squares overflow, or there are values that are no numbers */
    if (!isfinite(*error) || !isfinite(e2)) *error = INFINITY;
    return RW_OK;
}

/* y and VALUE change places. The state of memory that was lent waits in HELD. */
static rw_status show(rw_ode *ode, double t)
{
    struct rw_dense *d = ode->dense;
    rw_status status = RW_OK;
    for (int f = 0; f < ode->nfields; ++f)
        if (is_lent(ode, f)) RW_TRY(copy(ode, HELD, Y, f));
    for (int f = 0; f < ode->nfields; ++f)
        if (!is_lent(ode, f)) RW_TRY(rw_array_swap(ode->vector[f], *array_of(ode, VALUE, f)));
    d->looking = true;
    d->at = t;
    for (int f = 0; f < ode->nfields && status == RW_OK; ++f)
        if (is_lent(ode, f)) status = copy(ode, Y, VALUE, f);
    if (status == RW_OK) status = rw_algebraic_show(ode, VALUE, t);
    if (status != RW_OK) (void)rw_ode_restore(ode);
    return status;
}

rw_status rw_ode_restore(rw_ode *ode)
{
    RW_NEED(ode, "ode");
    struct rw_dense *d = ode->dense;
    if (!d || !d->looking) return RW_OK;
    for (int f = 0; f < ode->nfields; ++f)
        if (is_lent(ode, f)) RW_TRY(copy(ode, Y, HELD, f));
    for (int f = 0; f < ode->nfields; ++f)
        if (!is_lent(ode, f)) RW_TRY(rw_array_swap(ode->vector[f], *array_of(ode, VALUE, f)));
    d->looking = false;
    return rw_algebraic_restore(ode, VALUE);
}

rw_status rw_ode_interpolate(rw_ode *ode, double t, double *error)
{
    RW_NEED(ode, "ode");
    RW_NEED(error, "error");
    struct rw_dense *d = ode->dense;
    rw_context *ctx = ode->device->ctx;
    double found;
    *error = INFINITY;
    if (!d) return rw_fail(ctx, RW_ERR_ARGUMENT, "no dense output at t = %.9g: set dense in rw_ode_spec", t);
    if (!(t <= ode->now.t) || (d->past > 0 && !(t > d->time[0])))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "dense output at t = %.9g: values exist after t = %.9g, where the last step began, up to t "
                       "= %.9g",
                       t, d->past > 0 ? d->time[0] : ode->now.t, ode->now.t);
    if (t == ode->now.t) {
        RW_TRY(rw_ode_restore(ode));
        *error = 0;
        return RW_OK;
    }
    if (d->past < RW_ODE_PAST) return RW_OK;
    RW_TRY(rw_ode_restore(ode));
    if (!d->stage.expr) RW_TRY(build(ode, &d->stage));
    set_weights(ode, t);
    RW_TRY(rw_stage_run(ode, &d->stage));
    RW_TRY(estimate(ode, &found));
    if (isinf(found)) return RW_OK;
    RW_TRY(show(ode, t));
    *error = found;
    return RW_OK;
}

double rw_ode_time(const rw_ode *ode)
{
    return ode ? (ode->dense && ode->dense->looking ? ode->dense->at : ode->now.t) : 0;
}

bool rw_ode_has_dense_output(const rw_ode *ode)
{
    const struct rw_dense *d = ode->dense;
    return d && !d->broken && d->past >= RW_ODE_PAST - 1;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

/* In the order of checkpoints that had no names. */
static void exchange(rw_named *list, const rw_ode_ops *ops, struct rw_dense *d)
{
    static const char *const time[RW_ODE_PAST] = {"time_1", "time_2", "time_3"};
    d->past = (int)rw_named_count(list, "states", d->past, RW_ODE_PAST);
    for (int i = 0; i < RW_ODE_PAST; ++i) d->time[i] = rw_named_value(list, time[i], d->time[i], -INFINITY, INFINITY);
    d->broken = rw_named_count(list, "at_switch", d->broken, 1);
    d->undoable = rw_named_count(list, "undoable", d->undoable, 1);
    d->before.stale = rw_named_count(list, "was_stale", d->before.stale, 1);
    d->before.broken = rw_named_count(list, "was_at_switch", d->before.broken, 1);
    d->before.past = (int)rw_named_count(list, "had_states", d->before.past, RW_ODE_PAST);
    rw_progress_exchange(list, ops, &d->before.progress);
}

int64_t rw_history_save(const rw_ode *ode, const char **names, double *values, int64_t capacity)
{
    struct rw_dense d = *ode->dense;
    rw_named list = {.names = names, .values = values, .capacity = capacity};
    exchange(&list, ode->ops, &d);
    return list.n;
}

rw_status rw_history_load(rw_ode *ode, const char *const *names, const double *values, int64_t n)
{
    rw_named list = {.names = (const char **)names, .values = (double *)values, .n = n, .loads = true};
    struct rw_dense d = *ode->dense;
    exchange(&list, ode->ops, &d);
    bool possible = !list.wrong && (!d.undoable || (d.past > 0 && d.before.progress.t <= d.time[0]));
    for (int i = 0; possible && i < d.past; ++i) possible = d.time[i] < (i ? d.time[i - 1] : ode->now.t);
    if (!possible)
        return rw_fail(ode->device->ctx, RW_ERR_INPUT,
                       "the stored states before t = %.9g are invalid: the checkpoint is damaged: begin again with "
                       "--force",
                       ode->now.t);
    d.looking = false;
    *ode->dense = d;
    return RW_OK;
}

int rw_history_states(const rw_ode *ode) { return ode->dense->past; }
rw_array *rw_history_array(const rw_ode *ode, int state, int field)
{
    int f = 0;
    while (f < ode->nfields && ode->given[f] != field) ++f;
    return f < ode->nfields ? *array_of(ode, RW_PAST + state, f) : NULL;
}
