/* Creating and solving: Newton's method, which takes one step where the equations are linear, over the method that
 * solves for a correction. The steps of equations that are not linear are shortened until the residual falls, and the
 * linear systems are solved as precisely as a step can use (Eisenstat and Walker, Choosing the forcing terms in an
 * inexact Newton method, SIAM J. Sci. Comput. 17, 1996, choice 2). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elliptic/system.h"
#include "expr/copies.h"
#include "param/param.h"

static const rw_system_ops *const methods[RW_ELLIPTIC_METHODS] =
    {[RW_ELLIPTIC_TRANSFORM] = &rw_system_transform, [RW_ELLIPTIC_KRYLOV] = &rw_system_krylov};

/* ---- parameters -------------------------------------------------------------------------------------------------- */

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_elliptic_spec, member, kind, standard, allowed, line, __VA_ARGS__)
#define RW_X(name, text, line) text "|"
static const char choices[] = RW_ELLIPTIC_METHOD_LIST(RW_X);
#undef RW_X
static const rw_param rows[] = {
    ROW(method, ENUM, "auto", choices,
        "transform: constant coefficients; krylov: any equation; auto: transform where it applies", .brief = NULL),
    ROW(rtol, REAL, "1e-8", "off|(0, inf)", "relative tolerance: stop when |F(u)| <= rtol |F(0)|", .brief = NULL),
    ROW(atol, REAL, "off", "off|(0, inf)", "absolute tolerance: stop when |F(u)| <= atol", .brief = NULL),
    ROW(steps, INT, "50", "[1, 100000]", "most steps of Newton's method", .brief = ""),
    ROW(iterations, INT, "10000", "[1, 100000000]", "krylov: most iterations of a linear system", .brief = ""),
    ROW(mean, REAL, "0", "(-inf, inf)", "mean of the solution where the equation leaves it open", .brief = ""),
    ROW(imbalance, REAL, "0.01", "[0, 1]", "largest mean of F over its root mean square, where it should be 0",
        .brief = ""),
};

RW_PARAMS(rw_elliptic_params, rw_elliptic_spec, rows, "solver", "an equation without a time derivative")

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static rw_status check_spec(rw_context *ctx, rw_elliptic_spec *spec)
{
    RW_TRY(rw_params_resolve(ctx, rw_elliptic_params(), NULL, spec));
    if (spec->nfields < 1) return rw_fail(ctx, RW_ERR_INPUT, "there are no unknowns: declare at least one field");
    if (!spec->equations) return rw_fail(ctx, RW_ERR_ARGUMENT, "equations = NULL: give one for each field");
    if (spec->order != 0 && spec->order != 2 && spec->order != 4)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "order = %d: grid operators have order 2 or 4", spec->order);
    RW_TRY(rw_grid_resolve(ctx, &spec->grid, 1, &spec->grid));
    if (spec->grid.ndim < 1)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "ndim = 0: equations without a time derivative need a grid");
    for (int f = 0; f < spec->nfields; ++f) {
        const rw_expr_field *field = spec->fields + f;
        if (field->dtype && !rw_dtype_is_number(field->dtype))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "field %s: dtype %s: f32, f64, c64 or c128 are possible", field->name,
                           rw_dtype_name(field->dtype));
        if ((field->dtype ? field->dtype : RW_F64) != (spec->fields->dtype ? spec->fields->dtype : RW_F64))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "fields %s and %s: all unknowns must have one dtype",
                           spec->fields->name, field->name);
    }
    return RW_OK;
}

static rw_status copy_spec(rw_system *s, const rw_elliptic_spec *spec)
{
    const size_t fields = (size_t)(spec->nfields + spec->nexternals);
    bool failed = false;
    rw_elliptic_spec *own = &s->spec;
    *own = *spec;
    own->externals = NULL;
    own->nscalars = 0;
    own->name = rw_copy_text(spec->name ? spec->name : "equations", &failed);
    own->equations = rw_copy_text(spec->equations, &failed);
    rw_expr_field *field = rw_calloc(fields, sizeof *field);
    rw_expr_scalar *scalar = rw_calloc((size_t)RW_MAX(spec->nscalars, 1), sizeof *scalar);
    own->fields = field;
    own->scalars = scalar;
    s->bound = rw_calloc(fields, sizeof(*s->bound));
    s->r_of = rw_calloc(2 * (size_t)spec->nfields, sizeof(*s->r_of));
    failed = failed || !field || !scalar || !s->bound || !s->r_of;
    for (int f = 0; !failed && f < spec->nfields; ++f, ++s->n) rw_copy_field(field + f, spec->fields + f, &failed);
    for (int i = 0; !failed && i < spec->nexternals; ++i, ++s->nexternals)
        rw_copy_field(field + s->n + i, spec->externals + i, &failed);
    for (int i = 0; !failed && i < spec->nscalars; ++i, ++own->nscalars) {
        scalar[i] = spec->scalars[i];
        scalar[i].name = rw_copy_text(spec->scalars[i].name, &failed);
    }
    if (failed) return rw_fail_memory(s->device->ctx, 4096, "the equations");
    s->v_of = s->r_of + s->n;
    s->source = (rw_source){own->name, own->equations, spec->line, spec->column};
    s->grid = spec->grid;
    s->nodes = s->grid.size[0] * s->grid.size[1] * s->grid.size[2];
    s->type = field->dtype;
    return RW_OK;
}

/* What the equations are. */
static rw_status analyse(rw_system *s)
{
    rw_system_building b;
    rw_status status = rw_system_begin(s, &b);
    if (status == RW_OK) status = rw_form_make(b.graph, s->n, b.F, s->source.name, &s->form);
    if (status == RW_OK) {
        s->graph = b.graph;
        b.graph = NULL;
        rw_lowering_end(&b.lowering);
    }
    rw_system_drop(&b);
    return status;
}

static rw_status choose(rw_system *s)
{
    rw_context *ctx = s->device->ctx;
    char reason[160];
    if (s->spec.method == RW_ELLIPTIC_AUTO) {
        for (int m = 0; m < RW_ELLIPTIC_METHODS && !s->ops; ++m)
            if (methods[m] && methods[m]->suits(s, s->why, sizeof s->why)) s->ops = methods[m];
        return RW_OK;
    }
    s->ops = methods[s->spec.method];
    if (s->ops->suits(s, reason, sizeof reason)) {
        snprintf(s->why, sizeof s->why, "it was asked for; %s", reason);
        return RW_OK;
    }
    return rw_fail(ctx, RW_ERR_INPUT, "%s: method %s cannot solve this equation: %s; method auto takes one that can",
                   s->source.name, rw_elliptic_method_name(s->spec.method), reason);
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

static rw_status create(rw_device *dev, const rw_elliptic_spec *given, rw_system **result)
{
    rw_elliptic_spec spec = *given;
    RW_TRY(check_spec(dev->ctx, &spec));
    rw_system *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(dev->ctx, sizeof *s, "a solver");
    s->device = rw_device_retain(dev);
    s->changed = true;
    rw_status status = copy_spec(s, &spec);
    if (status == RW_OK) status = rw_parse_statements(dev->ctx, &s->source, &s->parsed);
    if (status == RW_OK) status = analyse(s);
    if (status == RW_OK) status = choose(s);
    if (status == RW_OK) status = make_vectors(s);
    if (status == RW_OK) status = s->ops->create(s);
    if (status == RW_OK) status = rw_system_program(s, RW_SYSTEM_RESIDUAL, &s->residual);
    if (status == RW_OK) status = rw_system_program(s, RW_SYSTEM_UPDATE, &s->update);
    if (status == RW_OK && s->form.singular) status = rw_system_program(s, RW_SYSTEM_LEVEL, &s->level);
    if (status == RW_OK) *result = s;
    else rw_system_destroy(&s);
    return status;
}

void rw_system_destroy(rw_system **elliptic)
{
    if (!elliptic) return;
    rw_system *s = *elliptic;
    *elliptic = NULL;
    if (!s) return;
    if (s->ops) s->ops->destroy(s);
    for (int i = 0; i < s->nprograms; ++i) rw_expr_destroy(&s->programs[i]);
    for (int f = 0; f < s->n + s->nexternals; ++f) {
        rw_array_destroy(&s->bound[f]);
        rw_free_field((rw_expr_field *)s->spec.fields + f);
    }
    for (int i = 0; i < s->spec.nscalars; ++i) rw_free((char *)s->spec.scalars[i].name);
    for (int f = 0; f < 2 * s->n; ++f) rw_array_destroy(&s->r_of[f]);
    rw_array_destroy(&s->r);
    rw_array_destroy(&s->v);
    rw_form_free(&s->form);
    rw_graph_destroy(&s->graph);
    rw_parsed_free(&s->parsed);
    rw_free((rw_expr_field *)s->spec.fields);
    rw_free((rw_expr_scalar *)s->spec.scalars);
    rw_free((char *)s->spec.name);
    rw_free((char *)s->spec.equations);
    rw_free(s->bound);
    rw_free(s->r_of);
    rw_device_close(&s->device);
    rw_free(s);
}

/* The caller's specification in this version's layout. */
typedef struct taken {
    rw_elliptic_spec spec;
    void *fields, *scalars, *externals;
} taken;

static void free_taken(taken *t)
{
    rw_free(t->fields);
    rw_free(t->scalars);
    rw_free(t->externals);
}

static rw_status take(rw_context *ctx, const rw_elliptic_spec *spec, size_t spec_size, size_t field_size,
                      size_t scalar_size, taken *t)
{
    *t = (taken){0};
    RW_TRY(rw_struct_in(ctx, "rw_elliptic_spec", &t->spec, sizeof t->spec, spec, spec_size));
    RW_CHECK_MEMBERS(ctx, rw_elliptic_spec, &t->spec);
    const void *fields = t->spec.fields, *scalars = t->spec.scalars, *externals = t->spec.externals;
    rw_status status = rw_struct_in_array(ctx, "rw_expr_field", RW_MEMBERS(rw_expr_field), &fields, t->spec.nfields,
                                          sizeof(rw_expr_field), field_size, &t->fields);
    if (status == RW_OK)
        status = rw_struct_in_array(ctx, "rw_expr_scalar", RW_MEMBERS(rw_expr_scalar), &scalars, t->spec.nscalars,
                                    sizeof(rw_expr_scalar), scalar_size, &t->scalars);
    if (status == RW_OK)
        status = rw_struct_in_array(ctx, "rw_expr_field", RW_MEMBERS(rw_expr_field), &externals, t->spec.nexternals,
                                    sizeof(rw_expr_field), field_size, &t->externals);
    t->spec.fields = fields;
    t->spec.scalars = scalars;
    t->spec.externals = externals;
    if (status != RW_OK) free_taken(t);
    return status;
}

rw_status rw_system_create_sized(rw_device *dev, const rw_elliptic_spec *spec, rw_system **elliptic,
                                   size_t spec_size, size_t field_size, size_t scalar_size)
{
    RW_NEED(elliptic, "elliptic");
    *elliptic = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    taken t;
    RW_TRY(take(dev->ctx, spec, spec_size, field_size, scalar_size, &t));
    const rw_cancel *outer = rw_cancel_enter(t.spec.cancel);
    const rw_status status = create(dev, &t.spec, elliptic);
    rw_cancel_leave(outer);
    free_taken(&t);
    return status;
}

/* ---- values that enter ------------------------------------------------------------------------------------------- */

rw_status rw_system_bind(rw_system *s, const char *field, rw_array *a)
{
    RW_NEED(s, "elliptic");
    RW_NEED(field, "field");
    RW_NEED(a, "array");
    const char *names[64];
    int f = s->n + s->nexternals - 1, n = RW_MIN(f + 1, 64);
    while (f >= 0 && strcmp(s->spec.fields[f].name, field)) --f;
    for (int i = 0; i < n; ++i) names[i] = s->spec.fields[i].name;
    if (f < 0)
        return rw_fail(s->device->ctx, RW_ERR_ARGUMENT, "%s: there is no field %s%s", s->source.name, field,
                       rw_hint_nearest(field, names, n).text);
    for (int other = 0; other < s->n + s->nexternals; ++other)
        if (other != f && RW_MIN(other, f) < s->n && s->bound[other] == a)
            return rw_fail(s->device->ctx, RW_ERR_ARGUMENT, "one array bound to fields %s and %s",
                           s->spec.fields[other].name, field);
    for (int i = 0; i < s->nprograms; ++i) RW_TRY(rw_expr_bind_index(s->programs[i], f, a));
    rw_array *before = s->bound[f];
    s->bound[f] = rw_array_retain(a);
    rw_array_destroy(&before);
    s->changed = true;
    return RW_OK;
}

rw_status rw_system_set(rw_system *s, const char *scalar, double value)
{
    RW_NEED(s, "elliptic");
    RW_NEED(scalar, "scalar");
    for (int i = 0; i < s->nprograms; ++i) RW_TRY(rw_expr_set(s->programs[i], scalar, value));
    const int p = rw_graph_find_param(s->graph, scalar);
    s->changed = s->changed || s->graph->params[p].re != value;
    s->graph->params[p].re = value;
    return RW_OK;
}

rw_status rw_system_get_spec_sized(const rw_system *s, rw_elliptic_spec *spec, size_t spec_size)
{
    RW_NEED(s, "elliptic");
    RW_NEED(spec, "spec");
    RW_STRUCT_ROOM(rw_elliptic_spec, spec, spec_size);
    *spec_whole = s->spec;
    spec_whole->method = s->ops->method;
    spec_whole->fields = spec_whole->externals = NULL;
    spec_whole->scalars = NULL;
    return RW_STRUCT_OUT(RW_OK, spec, spec_size);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* s->r <- -F(u), and *norm its Euclidean norm. */
static rw_status find_residual(rw_system *s, double *norm)
{
    double square;
    RW_TRY(rw_expr_run(s->residual, s->device->queue));
    RW_TRY(rw_expr_get(s->residual, "square", &square, NULL));
    *norm = sqrt(square);
    return RW_OK;
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
    return rw_fail(s->device->ctx, step ? RW_ERR_NOT_CONVERGED : RW_ERR_INPUT,
                   step ? "%s: the residual is not a finite number after step %lld of Newton's method: start nearer to "
                          "the solution"
                        : "%s: the residual of the start is not a finite number: look for infinite or undefined values "
                          "in the start, the external fields and the boundary values",
                   s->source.name, (long long)step);
}

/* Of an equation that leaves the mean open: the mean of F, taken away from the right-hand side. */
static rw_status balance(rw_system *s, double norm)
{
    double sum, im;
    if (!s->form.singular || !(norm > 0)) return RW_OK;
    RW_TRY(rw_expr_get(s->residual, "sum", &sum, &im));
    const double weight = rw_system_weight(s);
    s->result.imbalance = hypot(sum, im) / weight / (norm / sqrt((double)s->nodes));
    return RW_OK;
}

static rw_status check_balance(const rw_system *s)
{
    if (s->result.imbalance <= s->spec.imbalance) return RW_OK;
    return rw_fail(s->device->ctx, RW_ERR_INPUT,
                   "%s: the equation has no solution: no side gives a value, so that sources and what flows in at the "
                   "sides must add up to 0, but their mean is %.3g of their root mean square (imbalance, allowed: %g): "
                   "correct them, or give a value on a side",
                   s->source.name, s->result.imbalance, s->spec.imbalance);
}

/* u <- u + length v, from u + before v */
static rw_status move(rw_system *s, double before, double length)
{
    RW_TRY(rw_expr_set(s->update, "#step", length - before));
    return rw_expr_run(s->update, s->device->queue);
}

/* Shortens the step until the residual is below a fraction of what it was. */
static rw_status take_step(rw_system *s, double before, double *norm)
{
    enum { HALVINGS = 12 };
    double length = 1;
    RW_TRY(move(s, 0, length));
    RW_TRY(find_residual(s, norm));
    if (s->form.linear) return RW_OK;
    for (int i = 0; i < HALVINGS && !(*norm <= (1 - 1e-4 * length) * before); ++i) {
        RW_TRY(move(s, length, length / 2));
        length /= 2;
        RW_TRY(find_residual(s, norm));
    }
    return RW_OK;
}

static double larger_of(double a, double b) { return a > b ? a : b; }

static rw_status fail_unsolved(const rw_system *s, double allowed)
{
    return rw_fail(s->device->ctx, RW_ERR_NOT_CONVERGED,
                   "%s: method %s has not reached the tolerance: |F(u)| = %.3g after %lld steps and %lld iterations, "
                   "allowed are %.3g; the start had %.3g: allow more, or a larger rtol",
                   s->source.name, rw_elliptic_method_name(s->ops->method), s->result.residual,
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

static rw_status iterate(rw_system *s)
{
    rw_elliptic_result *result = &s->result;
    double norm, previous = 0;
    RW_TRY(find_right_side(s, &result->right_side));
    RW_TRY(find_residual(s, &norm));
    result->first = result->residual = norm;
    if (!isfinite(norm)) return fail_not_finite(s, 0);
    RW_TRY(balance(s, isfinite(result->right_side) && result->right_side > 0 ? result->right_side : norm));
    RW_TRY(check_balance(s));
    const double scale = isfinite(result->right_side) && result->right_side > 0 ? result->right_side : norm;
    const double allowed = larger_of(s->spec.rtol > 0 ? s->spec.rtol * scale : 0, s->spec.atol);
    while (!(norm <= allowed)) {
        const int64_t most = s->form.linear ? 3 : s->spec.steps;
        if (result->steps == most || (result->steps > 0 && norm >= previous)) return fail_unsolved(s, allowed);
        RW_TRY(s->ops->prepare(s));
        s->changed = false;
        RW_TRY(s->ops->solve(s, forcing(s, norm, previous, allowed)));
        previous = norm;
        RW_TRY(take_step(s, previous, &norm));
        result->steps++;
        result->residual = norm;
        if (!isfinite(norm)) return fail_not_finite(s, result->steps);
    }
    return s->level ? rw_expr_run(s->level, s->device->queue) : RW_OK;
}

static rw_status solve(rw_system *s)
{
    const double start = rw_seconds(), compiled = rw_counters_of(s->device).compile_seconds;
    s->result = (rw_elliptic_result){.method = s->ops->method};
    for (int f = 0; f < s->n + s->nexternals; ++f)
        if (!s->bound[f])
            return rw_fail(s->device->ctx, RW_ERR_ARGUMENT, "field %s has no array: call rw_system_bind first",
                           s->spec.fields[f].name);
    rw_status status = iterate(s);
    if (status == RW_OK) status = rw_queue_wait(s->device->queue);
    s->result.seconds = fmax(rw_seconds() - start - (rw_counters_of(s->device).compile_seconds - compiled), 0);
    return status;
}

rw_status rw_system_solve_sized(rw_system *s, rw_elliptic_result *result, size_t result_size)
{
    RW_NEED(s, "elliptic");
    RW_NEED(result, "result");
    RW_STRUCT_ROOM(rw_elliptic_result, result, result_size);
    const rw_cancel *outer = rw_cancel_enter(s->spec.cancel);
    const rw_status status = solve(s);
    rw_cancel_leave(outer);
    *result_whole = s->result;
    return RW_STRUCT_OUT(status, result, result_size);
}

rw_status rw_system_explain(const rw_system *s, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(s, "elliptic");
    rw_text t = {0};
    const rw_form *f = &s->form;
    rw_text_add(&t, "equation %d unknown%s, %s, %d terms%s%s\n", s->n, s->n > 1 ? "s" : "",
                f->linear ? "linear" : "not linear", f->nterms, f->symmetric ? ", symmetric" : "",
                f->singular ? ", the mean is left open" : "");
    rw_text_add(&t, "method   %s: %s\n", rw_elliptic_method_name(s->ops->method), s->why);
    s->ops->explain(s, &t);
    if (t.failed) {
        rw_text_free(&t);
        return rw_fail_memory(s->device->ctx, 4096, "a text");
    }
    *text = t.data;
    return RW_OK;
}
