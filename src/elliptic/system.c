/* Creating and solving: Newton's method, which takes one step where the equations are linear, over the method that
 * solves for a correction. The steps of equations that are not linear are shortened until the residual falls, and the
 * linear systems are solved as precisely as a step can use (Eisenstat and Walker, Choosing the forcing terms in an
 * inexact Newton method, SIAM J. Sci. Comput. 17, 1996, choice 2). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elliptic/system.h"

static const rw_system_ops *const methods[RW_ELLIPTIC_METHODS] = {[RW_ELLIPTIC_TRANSFORM] = &rw_system_transform,
                                                                  [RW_ELLIPTIC_KRYLOV] = &rw_system_krylov,
                                                                  [RW_ELLIPTIC_MULTIGRID] = &rw_system_multigrid};

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static rw_status take_fields(rw_system *s, const rw_system_of *of)
{
    const rw_elliptic_spec *spec = of->spec;
    const int all = (int)(spec->nfields + spec->nexternals);
    const size_t n = (size_t)of->npairs;
    s->fields = rw_calloc((size_t)all, sizeof *s->fields);
    s->index = rw_calloc((size_t)all, sizeof *s->index);
    s->statement = rw_calloc(n, sizeof *s->statement);
    s->bound = rw_calloc((size_t)all, sizeof(*s->bound));
    s->r_of = rw_calloc(2 * n, sizeof(*s->r_of));
    if (!s->fields || !s->index || !s->statement || !s->bound || !s->r_of)
        return rw_fail_memory(s->device->ctx, 4096, "a system of equations");
    for (; s->n < of->npairs; ++s->n) {
        s->index[s->n] = of->pair[s->n].unknown;
        s->statement[s->n] = of->pair[s->n].statement;
    }
    for (int f = 0; f < all; ++f) {
        bool own = false;
        for (int u = 0; u < s->n; ++u) own = own || s->index[u] == f;
        if (!own) s->index[s->n + s->nothers++] = f;
    }
    for (int f = 0; f < all; ++f) s->fields[f] = spec->fields[s->index[f]];
    s->v_of = s->r_of + s->n;
    s->type = s->fields->dtype;
    s->nodes = s->grid->size[0] * s->grid->size[1] * s->grid->size[2];
    return RW_OK;
}

/* Nodes of t are made where a text has it. */
static bool depends_on_time(const rw_system *s)
{
    const int t = rw_graph_find_param(s->graph, "t");
    for (int i = 0; i < s->graph->n; ++i)
        if (s->graph->nodes[i].op == RW_OP_PARAM && s->graph->nodes[i].index == t) return true;
    return false;
}

/* What the equations are. */
static rw_status analyse(rw_system *s)
{
    rw_system_building b;
    rw_status status = rw_system_begin(s, &b);
    if (status == RW_OK) status = rw_form_make(b.graph, s->n, b.F, s->source->name, &s->form);
    if (status == RW_OK) {
        s->graph = b.graph;
        s->moves = depends_on_time(s);
        b.graph = NULL;
        rw_lowering_end(&b.lowering);
    }
    rw_system_drop(&b);
    return status;
}

/* A message with the place of the system's first equation. */
static rw_status fail_input(const rw_system *s, const char *text)
{
    return rw_fail_at(s->device->ctx, s->source, s->parsed->statements[s->statement[0]].at, "%s", text);
}

static rw_status choose(rw_system *s)
{
    char text[256];
    char reason[160];
    if (s->settings->method == RW_ELLIPTIC_AUTO) {
        const rw_system_ops *by_cycles = &rw_system_multigrid;
        if (s->settings->cycles > 0 && !rw_system_transform.suits(s, s->why, sizeof s->why) &&
            by_cycles->suits(s, s->why, sizeof s->why))
            s->ops = by_cycles;
        for (int m = 0; m < RW_ELLIPTIC_METHODS && !s->ops; ++m)
            if (methods[m] && methods[m]->suits(s, s->why, sizeof s->why)) s->ops = methods[m];
        if (s->graph->failed) return rw_fail_memory(s->device->ctx, 4096, "an equation");
        return s->ops ? RW_OK : fail_input(s, s->why);
    }
    s->ops = methods[s->settings->method];
    if (s->ops->suits(s, reason, sizeof reason)) {
        snprintf(s->why, sizeof s->why, "it was asked for; %s", reason);
        return RW_OK;
    }
    if (s->graph->failed) return rw_fail_memory(s->device->ctx, 4096, "an equation");
    snprintf(text, sizeof text, "method %s cannot solve this equation: %s; method auto takes one that can",
             rw_elliptic_method_name(s->settings->method), reason);
    return fail_input(s, text);
}

static rw_status make_vectors(rw_system *s)
{
    const int64_t size = s->n * s->nodes;
    RW_TRY(rw_array_create(s->device, s->type, 1, &size, RW_MEMORY_DEVICE, &s->r));
    RW_TRY(rw_array_create(s->device, s->type, 1, &size, RW_MEMORY_DEVICE, &s->v));
    for (int f = 0; f < s->n; ++f) {
        RW_TRY(rw_array_slice(s->r, 0, f * s->nodes, (f + 1) * s->nodes, 1, s->r_of + f));
        RW_TRY(rw_array_slice(s->v, 0, f * s->nodes, (f + 1) * s->nodes, 1, s->v_of + f));
    }
    return RW_OK;
}

bool rw_system_is_enqueued(const rw_system *s)
{
    const bool cycles = s->ops->cycle && s->settings->cycles > 0 && (!s->ops->cycles || s->ops->cycles(s));
    return s->form.linear && (s->ops->direct || cycles);
}

bool rw_system_is_recordable(const rw_system *s)
{
    return rw_system_is_enqueued(s) && (s->ops->direct || s->ops->records(s));
}

bool rw_system_has_start(const rw_system *s) { return !s->ops->direct || !s->form.linear; }

/* What follows from the present form. */
static rw_status set_right_side(rw_system *s)
{
    RW_TRY(rw_expr_set(s->right_side, "#sign", rw_system_sign(s)));
    return s->form.open && !s->projects ? rw_expr_set(s->right_side, "#balance", s->form.singular) : RW_OK;
}

static rw_status make_right_side(rw_system *s)
{
    if (!s->right_side) RW_TRY(rw_system_program(s, RW_SYSTEM_KNOWN, &s->right_side));
    if (rw_expr_uses_field(s->right_side, 0)) {
        if (!s->zeros) RW_TRY(rw_array_create(s->device, s->type, 1, &s->nodes, RW_MEMORY_DEVICE, &s->zeros));
        RW_TRY(rw_array_zero(s->zeros, s->device->queue));
    }
    if (s->zeros) rw_expr_hold(s->right_side, 0, s->zeros);
    RW_TRY(set_right_side(s));
    s->has_right_side = true;
    return RW_OK;
}

rw_status rw_system_create(const rw_system_of *of, rw_system **system)
{
    rw_system *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(of->device->ctx, sizeof *s, "a system of equations");
    s->device = of->device;
    s->spec = of->spec;
    s->settings = of->settings;
    s->source = of->source;
    s->parsed = of->parsed;
    s->grid = &of->spec->grid;
    s->in_time = of->in_time;
    s->changed = true;
    s->known = -1;
    rw_status status = take_fields(s, of);
    if (status == RW_OK) status = analyse(s);
    if (status == RW_OK) status = choose(s);
    if (status == RW_OK) status = make_vectors(s);
    if (status == RW_OK) status = s->ops->create(s);
    if (status == RW_OK) status = rw_system_program(s, RW_SYSTEM_RESIDUAL, &s->residual);
    if (status == RW_OK) status = rw_system_program(s, RW_SYSTEM_UPDATE, &s->update);
    if (status == RW_OK && s->form.open) status = rw_system_program(s, RW_SYSTEM_LEVEL, &s->level);
    if (status == RW_OK && s->in_time && !rw_system_has_start(s)) status = make_right_side(s);
    if (status == RW_OK && rw_system_has_start(s) && rw_system_is_enqueued(s))
        status = rw_system_program(s, RW_SYSTEM_SUM, &s->sum);
    if (status == RW_OK) *system = s;
    else rw_system_destroy(&s);
    return status;
}

void rw_system_destroy(rw_system **system)
{
    rw_system *s = *system;
    *system = NULL;
    if (!s) return;
    if (s->ops) s->ops->destroy(s);
    for (int i = 0; i < s->nprograms; ++i) rw_expr_destroy(&s->programs[i]);
    for (int f = 0; f < s->n + s->nothers; ++f) rw_array_destroy(&s->bound[f]);
    for (int f = 0; f < 2 * s->n; ++f) rw_array_destroy(&s->r_of[f]);
    rw_array_destroy(&s->r);
    rw_array_destroy(&s->v);
    rw_array_destroy(&s->zeros);
    rw_form_free(&s->form);
    rw_graph_destroy(&s->graph);
    rw_free(s->fields);
    rw_free(s->index);
    rw_free(s->statement);
    rw_free(s->bound);
    rw_free(s->r_of);
    rw_free(s);
}

/* ---- values that enter ------------------------------------------------------------------------------------------- */

rw_status rw_system_bind(rw_system *s, int field, rw_array *a)
{
    int f = 0;
    while (s->index[f] != field) ++f;
    if (s->bound[f] != a) {
        for (int i = 0; i < s->nprograms; ++i)
            if (f >= s->n || s->programs[i] != s->right_side) RW_TRY(rw_expr_bind_index(s->programs[i], f, a));
        rw_array *before = s->bound[f];
        s->bound[f] = rw_array_retain(a);
        rw_array_destroy(&before);
    }
    s->changed = s->changed || (s->ops->reads && s->ops->reads(s, f));
    return RW_OK;
}

rw_status rw_system_set_time(rw_system *s, double t, const rw_quadrature *stage)
{
    const int in_graph = rw_graph_find_param(s->graph, "t");
    if (!s->moves) return RW_OK;
    s->changed = s->changed || s->graph->params[in_graph].re != t;
    s->graph->params[in_graph].re = t;
    for (int i = 0; i < s->nprograms; ++i) {
        const int p = rw_graph_find_param(s->programs[i]->graph, "t");
        rw_expr_set_index(s->programs[i], p, t, 0);
        if (stage && !rw_graph_set_quadrature(s->programs[i]->graph, p, stage))
            return rw_fail_memory(s->device->ctx, sizeof *stage, "a stage-time quadrature");
    }
    return RW_OK;
}

rw_status rw_system_set(rw_system *s, const char *scalar, double value)
{
    for (int i = 0; i < s->nprograms; ++i) RW_TRY(rw_expr_set(s->programs[i], scalar, value));
    rw_graph_param *p = s->graph->params + rw_graph_find_param(s->graph, scalar);
    s->changed = s->changed || p->re != value;
    p->re = value;
    return RW_OK;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static rw_status take_norm(const rw_system *s, const char *square, double *norm)
{
    RW_TRY(rw_expr_get(s->residual, square, norm, NULL));
    *norm = sqrt(*norm);
    return RW_OK;
}

/* s->r <- -F(u), and *norm its Euclidean norm. */
static rw_status find_residual(rw_system *s, double *norm)
{
    RW_TRY(rw_expr_run(s->residual, s->device->queue));
    return take_norm(s, "square", norm);
}

/* |F(0)|: the unknowns are bound to zeros meanwhile. */
static rw_status find_right_side(rw_system *s, double *norm)
{
    RW_TRY(rw_array_zero(s->v, s->device->queue));
    rw_status status = RW_OK;
    for (int f = 0; f < s->n && status == RW_OK; ++f) status = rw_expr_bind_index(s->residual, f, s->v_of[f]);
    if (status == RW_OK) status = find_residual(s, norm);
    for (int f = 0; f < s->n; ++f) rw_expr_hold(s->residual, f, s->bound[f]);
    return status;
}

static rw_status fail_not_finite(const rw_system *s, int64_t step)
{
    if (step)
        return rw_fail(s->device->ctx, RW_ERR_NOT_CONVERGED,
                       "%s: the residual is not a finite number after step %lld of Newton's method: start nearer to "
                       "the solution",
                       s->source->name, (long long)step);
    return fail_input(s, "the residual of the start is not a finite number: look for infinite or undefined values in "
                         "the equation, the start, the external fields and the boundary values");
}

static rw_status check_balance(const rw_system *s)
{
    if (s->result.imbalance <= s->settings->imbalance) return RW_OK;
    char text[320];
    snprintf(text, sizeof text,
             "the equation has no solution: no side gives a value, so that sources and what flows in at the sides must "
             "add up to 0, but their mean is %.3g of their root mean square (imbalance, allowed: %g): correct them, or "
             "give a value on a side",
             s->result.imbalance, s->settings->imbalance);
    return fail_input(s, text);
}

/* u <- u + length v, from u + before v */
static rw_status move(rw_system *s, double before, double length)
{
    RW_TRY(rw_expr_set(s->update, "#step", length - before));
    return rw_expr_run(s->update, s->device->queue);
}

/* Shortens the step until the residual is below a fraction of what it was. A step that does not lower it is taken
 * back. */
static rw_status take_step(rw_system *s, double before, double *norm)
{
    const int halvings = s->form.linear ? 0 : 12;
    double length = 1;
    RW_TRY(move(s, 0, length));
    RW_TRY(find_residual(s, norm));
    for (int i = 0; i < halvings && !(*norm <= (1 - 1e-4 * length) * before); ++i) {
        RW_TRY(move(s, length, length / 2));
        length /= 2;
        RW_TRY(find_residual(s, norm));
    }
    if (*norm < before) return RW_OK;
    if (isfinite(*norm)) *norm = before;
    return move(s, length, 0);
}

static rw_status fail_unsolved(const rw_system *s, double allowed)
{
    return rw_fail(s->device->ctx, RW_ERR_NOT_CONVERGED,
                   "%s: method %s has not reached the tolerance: |F(u)| = %.3g after %lld steps and %lld iterations, "
                   "allowed are %.3g; the start had %.3g: allow more, or a larger rtol",
                   s->source->name, rw_elliptic_method_name(s->ops->method), s->result.residual,
                   (long long)s->result.steps, (long long)s->result.iterations, allowed, s->result.first);
}

/* How much the linear system of a step should be reduced. A linear equation is solved at once, a little below the
 * tolerance, as the residual is computed with other rounding errors. */
static double forcing(const rw_system *s, double norm, double previous, double allowed)
{
    const double needed = 0.5 * allowed / norm;
    if (s->form.linear) return fmax(needed, 1e-15);
    const double ratio = previous > 0 ? norm / previous : 0.3;
    return fmin(fmax(0.9 * ratio * ratio, needed), 0.1);
}

/* Scalars have changed: what the equation is, too. */
static rw_status update(rw_system *s)
{
    if (!s->changed) return RW_OK;
    rw_form_update(s->graph, &s->form);
    if (s->graph->failed) return rw_fail_memory(s->device->ctx, 4096, "an equation");
    for (int i = 0; i < s->nprograms; ++i) RW_TRY(rw_expr_set(s->programs[i], "#sign", rw_system_sign(s)));
    return s->right_side ? set_right_side(s) : RW_OK;
}

static rw_status find_norms(rw_system *s)
{
    if (!s->knows) RW_TRY(find_right_side(s, &s->result.right_side));
    RW_TRY(find_residual(s, &s->result.first));
    if (s->knows) RW_TRY(take_norm(s, "known", &s->result.right_side));
    s->result.residual = s->result.first;
    return isfinite(s->result.first) ? RW_OK : fail_not_finite(s, 0);
}

/* What the tolerance is relative to. */
static double scale_of(const rw_elliptic_result *r)
{
    return isfinite(r->right_side) && r->right_side > 0 ? r->right_side : r->first;
}

/* Of an equation that leaves the mean of the solution open: the mean of F is taken away from it. */
static rw_status balance(rw_system *s)
{
    double re, im;
    const double rms = scale_of(&s->result) / sqrt((double)s->nodes);
    if (!s->form.singular || !(rms > 0)) return RW_OK;
    RW_TRY(rw_expr_get(s->residual, "sum", &re, &im));
    re /= rw_system_weight(s);
    im /= rw_system_weight(s);
    s->result.imbalance = hypot(re, im) / rms;
    RW_TRY(check_balance(s));
    RW_TRY(rw_expr_set_complex(s->residual, "#mean", re, im));
    return find_norms(s);
}

rw_status rw_system_measure(rw_system *s, double *allowed)
{
    rw_elliptic_result *result = &s->result;
    *result = (rw_elliptic_result){.method = s->ops->method};
    RW_TRY(update(s));
    if (s->form.open) RW_TRY(rw_expr_set_complex(s->residual, "#mean", 0, 0));
    RW_TRY(find_norms(s));
    RW_TRY(balance(s));
    *allowed = fmax(s->settings->rtol > 0 ? s->settings->rtol * scale_of(result) : 0, s->settings->atol);
    return RW_OK;
}

rw_status rw_system_solve(rw_system *s)
{
    rw_elliptic_result *result = &s->result;
    double allowed, previous = 0;
    RW_TRY(rw_system_measure(s, &allowed));
    while (!(result->residual <= allowed)) {
        const double norm = result->residual;
        const int64_t most = s->form.linear ? 3 : s->settings->steps;
        RW_TRY(rw_cancel_check(s->device->ctx, s->source->name));
        if (result->steps == most || (result->steps > 0 && norm >= previous)) return fail_unsolved(s, allowed);
        RW_TRY(s->ops->prepare(s));
        s->changed = false;
        RW_TRY(s->ops->solve(s, forcing(s, norm, previous, allowed)));
        previous = norm;
        result->steps++;
        RW_TRY(take_step(s, previous, &result->residual));
        if (!isfinite(result->residual)) return fail_not_finite(s, result->steps);
    }
    return s->form.singular ? rw_expr_run(s->level, s->device->queue) : RW_OK;
}

/* ---- launches only ----------------------------------------------------------------------------------------------- */

/* An array of the caller whose elements do not lie together. */
static rw_status solve_apart(rw_system *s)
{
    int64_t shape[3], strides[3], stride = 1;
    const int ndim = s->grid->ndim;
    rw_array *of_grid;
    for (int d = 0; d < ndim; ++d) {
        shape[ndim - 1 - d] = s->grid->size[d];
        strides[ndim - 1 - d] = stride;
        stride *= s->grid->size[d];
    }
    RW_TRY(s->ops->solve_into(s, s->r, 1, s->v));
    RW_TRY(rw_array_view(s->v, s->type, ndim, shape, strides, 0, &of_grid));
    const rw_status status = rw_array_copy(s->bound[0], of_grid, s->device->queue);
    rw_array_destroy(&of_grid);
    return status;
}

/* Programs load with their first launch, which is in no recorded sequence. */
static rw_status cycle_once(rw_system *s)
{
    RW_TRY(rw_array_zero(s->r, s->device->queue));
    RW_TRY(s->ops->cycle(s));
    s->cycled = true;
    return RW_OK;
}

rw_status rw_system_prepare(rw_system *s)
{
    if (s->ops->direct && !s->has_right_side) RW_TRY(make_right_side(s));
    if (s->changed) {
        RW_TRY(update(s));
        RW_TRY(s->ops->prepare(s));
        s->changed = false;
    }
    if (!s->ops->direct && !s->cycled) RW_TRY(cycle_once(s));
    return rw_expr_prepare_tables(s->ops->direct ? s->right_side : s->residual, s->device->queue);
}

/* u <- start + v, where v comes from cycles on J v = -F(start). */
static rw_status improve(rw_system *s)
{
    rw_queue *q = s->device->queue;
    rw_array *u = s->bound[0], *start = s->start ? s->start : u;
    rw_expr_hold(s->residual, 0, start);
    const rw_status status = rw_expr_run(s->residual, q);
    rw_expr_hold(s->residual, 0, u);
    RW_TRY(status);
    RW_TRY(s->ops->cycle(s));
    if (start == u) return move(s, 0, 1);
    rw_expr_hold(s->sum, 0, start);
    rw_expr_hold(s->sum, rw_system_r(s, 0), u);
    return rw_expr_run(s->sum, q);
}

/* -F(0) is a number times an array that the method can read itself. */
static bool reads_right_side(const rw_system *s)
{
    const rw_array *u = s->bound[0], *b = s->known < 0 ? NULL : s->bound[s->known];
    return u && b && s->skips && b->dtype == s->type && rw_array_is_contiguous(b) && rw_array_is_contiguous(u) &&
           b->storage != u->storage;
}

static rw_status solve_directly(rw_system *s)
{
    rw_array *u = s->bound[0];
    if (reads_right_side(s)) return s->ops->solve_into(s, s->bound[s->known], -rw_system_sign(s) * s->times, u);
    RW_TRY(rw_expr_run(s->right_side, s->device->queue));
    return rw_array_is_contiguous(u) ? s->ops->solve_into(s, s->r, 1, u) : solve_apart(s);
}

rw_status rw_system_enqueue(rw_system *s)
{
    RW_TRY(rw_system_prepare(s));
    RW_TRY(s->ops->direct ? solve_directly(s) : improve(s));
    const bool has_mean = s->projects && s->settings->mean == 0;
    return s->form.singular && !has_mean ? rw_expr_run(s->level, s->device->queue) : RW_OK;
}

void rw_system_add_cost(const rw_system *s, double *bytes, int *launches)
{
    rw_expr_plan plan;
    if (rw_expr_get_plan(s->right_side ? s->right_side : s->residual, &plan) != RW_OK) return;
    if (!reads_right_side(s)) {
        *bytes += plan.bytes_per_cell;
        *launches += (int)plan.passes;
    }
    if (s->ops->add_cost) s->ops->add_cost(s, bytes, launches);
}

void rw_system_explain(const rw_system *s, rw_text *text)
{
    const rw_form *f = &s->form;
    rw_text_add(text, "system  ");
    for (int u = 0; u < s->n; ++u) rw_text_add(text, "%s %s", u ? "," : "", s->fields[u].name);
    rw_text_add(text, ": %s, %d terms%s%s\n", f->linear ? "linear" : "not linear", f->nterms,
                f->symmetric ? ", symmetric" : "", f->singular ? ", the mean is left open" : "");
    rw_text_add(text, "method   %s: %s\n", rw_elliptic_method_name(s->ops->method), s->why);
    s->ops->explain(s, text);
}
