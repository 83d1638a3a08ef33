/* Creating an integrator: the problem is copied, checked by building the method's programs, and handed to the
 * method. */
#include <math.h>
#include <string.h>

#include "expr/copies.h"
#include "expr/equations.h"
#include "ode/algebraic.h"
#include "ode/implicit.h"
#include "ode/params.h"

#define RW_X(name, text, line) [RW_ODE_##name] = &rw_method_##name,
static const rw_ode_ops *const methods[] = {RW_ODE_METHOD_LIST(RW_X)};
#undef RW_X

static const rw_ode_ops *table_of(rw_ode_method method, bool given)
{
    const rw_ode_ops *ops = methods[method];
    return ops->without_step && !given ? ops->without_step : ops;
}

/* Its steps are no matter of an error. */
static bool gives_steps(const rw_ode_spec *spec) { return spec->step > 0 || spec->courant > 0; }

bool rw_ode_is_additive(rw_ode_method method) { return methods[method]->additive; }

static rw_status copy_problem(rw_ode *ode, const rw_ode_spec *spec)
{
    bool failed = false;
    ode->name = rw_copy_text(spec->name ? spec->name : "equations", &failed);
    ode->text = rw_copy_text(spec->equations ? spec->equations : "", &failed);
    bool estimate = !spec->spectral_radius || !spec->spectral_radius[0] || !strcmp(spec->spectral_radius, "auto");
    ode->radius_power = !estimate && !strcmp(spec->spectral_radius, "power");
    if (!estimate && !ode->radius_power) ode->radius_text = rw_copy_text(spec->spectral_radius, &failed);
    const bool moves = spec->courant_one && spec->courant_one[0];
    if (moves) ode->courant_text = rw_copy_text(spec->courant_one, &failed);
    ode->source = (rw_source){ode->name, ode->text, spec->line, spec->column};
    ode->fields = rw_calloc((size_t)RW_MAX(spec->nfields, 1), sizeof *ode->fields);
    ode->scalars = rw_calloc((size_t)RW_MAX(spec->nscalars, 1), sizeof *ode->scalars);
    failed = failed || !ode->fields || !ode->scalars;
    ode->externals = rw_calloc((size_t)RW_MAX(spec->nexternals, 1), sizeof *ode->externals);
    ode->external = rw_calloc((size_t)RW_MAX(spec->nexternals, 1), sizeof(*ode->external));
    failed = failed || !ode->externals || !ode->external;
    for (int f = 0; !failed && f < spec->nfields; ++f) {
        rw_copy_field(ode->fields + f, spec->fields + f, &failed);
        ode->nfields = f + 1;
    }
    for (int i = 0; !failed && i < spec->nexternals; ++i) {
        rw_copy_field(ode->externals + i, spec->externals + i, &failed);
        ode->nexternals = i + 1;
    }
    for (int i = 0; !failed && i < spec->nscalars; ++i) {
        ode->scalars[i] = spec->scalars[i];
        ode->scalars[i].name = rw_copy_text(spec->scalars[i].name, &failed);
        ode->nscalars = i + 1;
    }
    return failed ? rw_fail_memory(ode->device->ctx, 4096, "the equations") : RW_OK;
}

rw_status rw_courant_check(rw_context *ctx, const rw_ode_spec *spec)
{
    const rw_ode_ops *ops = methods[spec->method];
    if (!(spec->courant > 0)) return RW_OK;
    if (spec->step > 0)
        return rw_fail(ctx, RW_ERR_INPUT, "courant = %g beside step = %g: give one of them", spec->courant, spec->step);
    if (!spec->courant_one || !spec->courant_one[0])
        return rw_fail(ctx, RW_ERR_INPUT,
                       "courant = %g, but nothing gives the step of Courant number 1: add courant_one: "
                       "\"1/max(abs(u)/hx)\", with the velocity u",
                       spec->courant);
    if (ops->courant > 0 && spec->courant > ops->courant)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "courant = %g: steps of %s are unstable above %g: give less, or another method", spec->courant,
                       ops->name, ops->courant);
    return RW_OK;
}

/* *spec: with its defaults, but for max_stages where the method may become another one. */
static rw_status check_spec(rw_context *ctx, rw_ode_spec *spec)
{
    const int given_stages = spec->max_stages;
    RW_TRY(rw_params_resolve(ctx, rw_ode_params(), NULL, spec));
    spec->max_stages = given_stages;
    if (spec->nfields < 1) return rw_fail(ctx, RW_ERR_INPUT, "there are no fields: declare at least one");
    RW_TRY(rw_grid_resolve(ctx, &spec->grid, 1, &spec->grid));
    if (!spec->equations) return rw_fail(ctx, RW_ERR_ARGUMENT, "equations = NULL: give du/dt = … for each field");
    if (spec->order != 0 && spec->order != 2 && spec->order != 4)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "order = %d: grid operators have order 2 or 4", spec->order);
    if (spec->dense && table_of(spec->method, gives_steps(spec))->untried)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "dense with method %s: only methods with error control have dense output: choose one of "
                       "them, or omit dense",
                       methods[spec->method]->name);
    RW_TRY(rw_courant_check(ctx, spec));
    /* names of fields and scalars: the checks of expression programs */
    for (int f = 0; f < spec->nfields; ++f) {
        RW_TRY(rw_check_name_on(ctx, &spec->grid, spec->name ? spec->name : "equations", spec->fields[f].name));
        if (spec->fields[f].dtype && !rw_dtype_is_number(spec->fields[f].dtype))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "field %s: dtype %s: f32, f64, c64 or c128 are possible",
                           spec->fields[f].name, rw_dtype_name(spec->fields[f].dtype));
        RW_TRY(rw_check_boundaries(ctx, spec->fields + f, 2 * spec->grid.ndim, true));
        for (int g = 0; g < f; ++g)
            if (!strcmp(spec->fields[f].name, spec->fields[g].name))
                return rw_fail(ctx, RW_ERR_INPUT, "field %s is declared twice", spec->fields[f].name);
    }
    for (int i = 0; i < spec->nscalars; ++i) {
        RW_TRY(rw_check_name_on(ctx, &spec->grid, spec->name ? spec->name : "equations", spec->scalars[i].name));
        for (int f = 0; f < spec->nfields; ++f)
            if (!strcmp(spec->scalars[i].name, spec->fields[f].name))
                return rw_fail(ctx, RW_ERR_INPUT, "%s is both a field and a parameter", spec->scalars[i].name);
    }
    return rw_externals_check(ctx, spec);
}

rw_status rw_ode_create_with(rw_device *dev, const rw_ode_spec *given, const rw_elliptic_spec *settings,
                             rw_ode **result)
{
    rw_ode_spec resolved = *given, *spec = &resolved;
    RW_TRY(check_spec(dev->ctx, spec));
    rw_ode *ode = rw_calloc(1, sizeof *ode);
    if (!ode) return rw_fail_memory(dev->ctx, sizeof *ode, "an integrator");
    ode->device = rw_device_retain(dev);
    ode->ops = table_of(spec->method, gives_steps(spec));
    ode->chooser = ode->ops->chooses ? ode->ops : NULL;
    ode->grid = spec->grid;
    ode->order = spec->order;
    ode->layout = spec->layout;
    ode->cancel = spec->cancel;
    ode->start = ode->now.t = spec->start;
    ode->fixed_step = spec->step;
    ode->rtol = spec->rtol > 0 ? spec->rtol : rw_ode_standard("rtol", NULL);
    ode->atol = spec->atol > 0 ? spec->atol : rw_ode_standard("atol", NULL);
    ode->initial_step = spec->initial_step;
    ode->max_step = spec->max_step;
    ode->courant = spec->courant;
    ode->given_stages = spec->max_stages;
    ode->end = fmin(spec->end, RW_ENDLESS);
    ode->tolerance = spec->tolerance;
    ode->max_stages = spec->max_stages > 0 ? spec->max_stages : (int)rw_ode_standard("max_stages", ode->ops->name);
    ode->damping = spec->damping;
    ode->record = spec->record == RW_SWITCH_ON;
    rw_quadrature_begin(&ode->quadrature);
    rw_status status = copy_problem(ode, spec);
    if (status == RW_OK) status = rw_parse_statements(dev->ctx, &ode->source, &ode->parsed);
    if (status == RW_OK) rw_find_equations(&ode->parsed, ode->fields, ode->nfields);
    if (status == RW_OK) status = rw_algebraic_split(ode);
    size_t n = (size_t)RW_ODE_VECTORS * (size_t)ode->nfields;
    if (status == RW_OK && !(ode->vector = rw_calloc(n, sizeof *ode->vector)))
        status = rw_fail_memory(dev->ctx, n * sizeof *ode->vector, "an integrator");
    if (status == RW_OK && spec->dense) status = rw_dense_create(ode);
    if (status == RW_OK) status = rw_algebraic_create(ode, spec, settings);
    if (status == RW_OK) status = rw_build_find_reads(ode);
    if (status == RW_OK) status = rw_implicit_create(ode, spec, settings);
    if (status == RW_OK) status = rw_method_create(ode);
    if (status == RW_OK && ode->ops->attempt) status = rw_adaptive_prepare(ode);
    if (status == RW_OK) status = rw_courant_prepare(ode);
    if (status == RW_OK) status = rw_ode_make_vectors(ode);
    if (status == RW_OK) *result = ode;
    else rw_ode_destroy(&ode);
    return status;
}

/* The caller's specification in this version's layout. */
enum { ARRAYS = 3 };
typedef struct taken {
    rw_ode_spec spec;
    void *copy[ARRAYS];
} taken;

static rw_status take(rw_context *ctx, const rw_ode_spec *spec, size_t spec_size, size_t field_size, size_t scalar_size,
                      taken *t)
{
    const rw_struct_array arrays[ARRAYS] = {RW_STRUCT_ARRAY(rw_ode_spec, fields, rw_expr_field, field_size),
                                            RW_STRUCT_ARRAY(rw_ode_spec, scalars, rw_expr_scalar, scalar_size),
                                            RW_STRUCT_ARRAY(rw_ode_spec, externals, rw_expr_field, field_size)};
    RW_TRY(rw_struct_in(ctx, "rw_ode_spec", &t->spec, sizeof t->spec, spec, spec_size));
    RW_CHECK_MEMBERS(ctx, rw_ode_spec, &t->spec);
    return rw_struct_in_arrays(ctx, &t->spec, arrays, ARRAYS, t->copy);
}

rw_status rw_ode_create_sized(rw_device *dev, const rw_ode_spec *spec, rw_ode **ode, size_t spec_size,
                              size_t field_size, size_t scalar_size)
{
    RW_NEED(ode, "ode");
    *ode = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    taken t;
    RW_TRY(take(dev->ctx, spec, spec_size, field_size, scalar_size, &t));
    const rw_cancel *outer = rw_cancel_enter(t.spec.cancel);
    const rw_status status = rw_ode_create_with(dev, &t.spec, NULL, ode);
    rw_cancel_leave(outer);
    rw_struct_free_arrays(t.copy, ARRAYS);
    return status;
}

void rw_ode_destroy(rw_ode **o)
{
    if (!o) return;
    rw_ode *ode = *o;
    *o = NULL;
    if (!ode) return;
    rw_method_destroy(ode);
    rw_spectral_free(ode);
    rw_adaptive_free(ode);
    rw_dense_free(ode);
    rw_ode_drop_vectors(ode);
    rw_algebraic_free(ode);
    rw_implicit_free(ode);
    for (int f = 0; ode->vector && f < ode->nfields; ++f) rw_array_destroy(&ode->vector[f]);
    for (int f = 0; f < ode->nfields + ode->nunknowns; ++f) rw_free_field(ode->fields + f);
    rw_free(ode->given);
    for (int i = 0; i < ode->nexternals; ++i) {
        rw_free_field(ode->externals + i);
        rw_array_destroy(&ode->external[i]);
    }
    for (int i = 0; i < ode->nscalars; ++i) rw_free((char *)ode->scalars[i].name);
    rw_stage_free(&ode->settled);
    rw_stage_free(&ode->rate);
    rw_stage_free(&ode->courant_one);
    rw_parsed_free(&ode->parsed);
    rw_free(ode->fields);
    rw_free(ode->externals);
    rw_free(ode->external);
    rw_free(ode->scalars);
    rw_free(ode->name);
    rw_free(ode->text);
    rw_free(ode->radius_text);
    rw_free(ode->courant_text);
    rw_free(ode->vector);
    rw_device_close(&ode->device);
    rw_free(ode);
}

/* A method may exchange the caller's array with one of its own: they must lie in the same kind of memory. */
static rw_status match_memory(rw_ode *ode, int f, const rw_array *a)
{
    for (int v = 1; v < RW_ODE_VECTORS && ode->ops->attempt; ++v) {
        rw_array **own = &ode->vector[v * ode->nfields + f], *other;
        if (!*own || (*own)->storage->memory == a->storage->memory) continue;
        RW_TRY(rw_array_create(ode->device, a->dtype, (*own)->ndim, (*own)->shape, a->storage->memory, &other));
        rw_array_destroy(own);
        *own = other;
    }
    return RW_OK;
}

/* Fields, then external fields. */
static const rw_expr_field *field_at(const rw_ode *ode, int f)
{
    const int own = ode->nfields + ode->nunknowns;
    return f < own ? ode->fields + f : ode->externals + (f - own);
}

static rw_array **array_at(const rw_ode *ode, int f)
{
    const int u = f - ode->nfields, x = u - ode->nunknowns;
    return u < 0 ? ode->vector + f : x < 0 ? ode->algebraic->set[0] + u : ode->external + x;
}

/* Field, external ones included, or scalar of a name. */
static rw_status find(const rw_ode *ode, bool field, const char *name, int *index)
{
    const char *names[256];
    int n = 0;
    for (int i = 0; i < (field ? ode->nfields + ode->nunknowns + ode->nexternals : ode->nscalars); ++i) {
        const char *one = field ? field_at(ode, i)->name : ode->scalars[i].name;
        if (!strcmp(one, name)) {
            *index = i;
            return RW_OK;
        }
        if (n < RW_COUNT(names)) names[n++] = one;
    }
    return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "%s: there is no %s %s%s", ode->name, field ? "field" : "scalar",
                   name, rw_hint_nearest(name, names, n).text);
}

rw_status rw_ode_bind(rw_ode *ode, const char *field, rw_array *a)
{
    RW_NEED(ode, "ode");
    RW_NEED(field, "field");
    RW_NEED(a, "array");
    const rw_grid *g = &ode->grid;
    const int64_t nodes = g->size[0] * g->size[1] * g->size[2];
    int f;
    RW_TRY(find(ode, true, field, &f));
    const int own = ode->nfields + ode->nunknowns, x = f - own; /* the external field, if it is one */
    const rw_dtype dtype = field_at(ode, f)->dtype;
    if (a->device != ode->device || a->dtype != dtype || a->size != nodes)
        return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "field %s is %lld %s on %s; the array given is %lld %s on %s",
                       field, (long long)nodes, rw_dtype_name(dtype), ode->device->info.name, (long long)a->size,
                       rw_dtype_name(a->dtype), a->device->info.name);
    RW_TRY(rw_check_shape(ode->device->ctx, ode->name, field, g, a));
    for (int h = 0; h < own + ode->nexternals; ++h)
        if (h != f && (h < own || x < 0) && *array_at(ode, h) == a)
            return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT, "one array bound to fields %s and %s",
                           field_at(ode, h)->name, field);
    RW_TRY(rw_ode_restore(ode));
    rw_dense_forget(ode);
    if (f < ode->nfields) RW_TRY(match_memory(ode, f, a));
    rw_array **to = array_at(ode, f), *before = *to;
    *to = rw_array_retain(a);
    if (f >= ode->nfields && x < 0) RW_TRY(rw_algebraic_make_arrays(ode));
    if (x < 0) ode->now.controller[3] = RW_RADIUS_EVERY; /* the spectral radius is that of other values */
    else if (before) rw_spectral_forget(ode);            /* the first array is that of a loaded state, too */
    rw_array_destroy(&before);
    ode->changes++;
    return RW_OK;
}

rw_status rw_ode_set(rw_ode *ode, const char *scalar, double value)
{
    int i;
    RW_NEED(ode, "ode");
    RW_NEED(scalar, "scalar");
    RW_TRY(find(ode, false, scalar, &i));
    if (ode->scalars[i].value == value) return RW_OK;
    RW_TRY(rw_ode_restore(ode));
    rw_dense_forget(ode);
    if (ode->algebraic) RW_TRY(rw_elliptic_set(ode->algebraic->solver, scalar, value));
    RW_TRY(rw_implicit_set(ode, scalar, value));
    ode->scalars[i].value = value;
    ode->changes++;
    rw_spectral_forget(ode);
    return RW_OK;
}

rw_status rw_ode_get(const rw_ode *ode, const char *scalar, double *value)
{
    int i;
    RW_NEED(ode, "ode");
    RW_NEED(scalar, "scalar");
    RW_NEED(value, "value");
    RW_TRY(find(ode, false, scalar, &i));
    *value = ode->scalars[i].value;
    return RW_OK;
}

rw_status rw_ode_get_array(const rw_ode *ode, const char *field, rw_array **array)
{
    int f;
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(ode, "ode");
    RW_NEED(field, "field");
    RW_TRY(find(ode, true, field, &f));
    *array = *array_at(ode, f);
    return RW_OK;
}

rw_status rw_ode_get_spec_sized(const rw_ode *ode, rw_ode_spec *spec, size_t spec_size)
{
    RW_NEED(ode, "ode");
    RW_NEED(spec, "spec");
    const rw_ode_spec all = {.name = ode->name,
                             .line = ode->source.line,
                             .column = ode->source.column,
                             .equations = ode->text,
                             .grid = ode->grid,
                             .order = ode->order ? ode->order : 2,
                             .layout = ode->layout,
                             .nfields = ode->nfields + ode->nunknowns,
                             .nscalars = ode->nscalars,
                             .nexternals = ode->nexternals,
                             .method = ode->ops->method,
                             .start = ode->start,
                             .end = rw_ode_is_endless(ode->end) ? INFINITY : ode->end,
                             .tolerance = ode->tolerance,
                             .step = ode->fixed_step,
                             .rtol = ode->rtol,
                             .atol = ode->atol,
                             .initial_step = ode->initial_step,
                             .max_step = ode->max_step,
                             .max_stages = ode->max_stages,
                             .damping = ode->damping,
                             .spectral_radius = ode->radius_text    ? ode->radius_text
                                                : ode->radius_power ? "power"
                                                                    : "auto",
                             .courant = ode->courant,
                             .courant_one = ode->courant_text,
                             .record = ode->record ? RW_SWITCH_ON : RW_SWITCH_OFF,
                             .dense = ode->dense != NULL,
                             .cancel = ode->cancel};
    return rw_struct_out(RW_OK, spec, spec_size, &all, sizeof all);
}

rw_status rw_ode_step(rw_ode *ode, double t_limit)
{
    RW_NEED(ode, "ode");
    RW_TRY(rw_ode_need_arrays(ode));
    if (!(t_limit > ode->now.t) || isinf(t_limit))
        return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT,
                       "a step to t = %g from t = %g: time must advance, to a "
                       "finite value",
                       t_limit, ode->now.t);
    RW_TRY(rw_ode_restore(ode));
    RW_TRY(rw_ode_check_cancel(ode));
    rw_dense_begin(ode);
    rw_algebraic_begin(ode);
    ode->refused_step = ode->now.stat.solve_residual = 0;
    ode->unresolved = false;
    const rw_cancel *outer = rw_cancel_enter(ode->cancel);
    rw_status status = ode->settled_at != ode->changes ? rw_ode_settle(ode) : rw_algebraic_update(ode, ode->now.t);
    if (status == RW_OK) status = rw_auto_review(ode, t_limit);
    const int64_t iterations = ode->now.stat.solve_iterations;
    if (status == RW_OK) status = ode->ops->step(ode, t_limit);
    if (status == RW_OK) status = rw_ode_settle(ode);
    ode->now.stat.step_iterations = ode->now.stat.solve_iterations - iterations;
    rw_cancel_leave(outer);
    return status == RW_ERR_NOT_CONVERGED ? rw_ode_give_up(ode) : status;
}

rw_status rw_ode_get_statistics_sized(const rw_ode *ode, rw_ode_statistics *statistics, size_t statistics_size)
{
    RW_NEED(ode, "ode");
    RW_NEED(statistics, "statistics");
    return rw_struct_out(RW_OK, statistics, statistics_size, &ode->now.stat, sizeof ode->now.stat);
}

rw_status rw_ode_get_method(const rw_ode *ode, rw_ode_method *method, const char **reason)
{
    RW_NEED(ode, "ode");
    RW_NEED(method, "method");
    *method = ode->ops->method;
    if (reason) *reason = ode->reason;
    return RW_OK;
}

int64_t rw_ode_save(const rw_ode *ode, const char **names, double *values, int64_t capacity)
{
    if (!ode) return 0;
    rw_named list = {.names = names, .values = values, .capacity = capacity};
    rw_ode_progress now = ode->now;
    rw_progress_exchange(&list, ode->ops, &now);
    return list.n;
}

/* The method of a state: the integrator's, or one that AUTO may become. */
static rw_status find_method(const rw_ode *ode, rw_named *list, const rw_ode_ops **ops)
{
    const double m = rw_named_value(list, "method", 0, 0, RW_COUNT(methods) - 1);
    const bool known = m >= 1 && m == floor(m);
    *ops = known ? table_of((rw_ode_method)m, ode->fixed_step > 0 || ode->courant > 0) : ode->ops;
    if (known && (ode->chooser ? (*ops)->choosable || (*ops)->chooses : (*ops)->method == ode->ops->method))
        return RW_OK;
    return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT,
                   "method = %g: the state is that of %s, the integrator's method is %s", m,
                   known ? (*ops)->name : "no method", ode->ops->name);
}

rw_status rw_ode_load(rw_ode *ode, const char *const *names, const double *values, int64_t n)
{
    RW_NEED(ode, "ode");
    RW_NEED(names, "names");
    RW_NEED(values, "values");
    rw_named list = {.names = (const char **)names, .values = (double *)values, .n = n, .loads = true};
    const rw_ode_ops *ops;
    rw_ode_progress progress = {.unknowns = ode->algebraic, .moves = ode->courant_text};
    RW_TRY(find_method(ode, &list, &ops));
    rw_progress_exchange(&list, ops, &progress);
    if (list.wrong)
        return rw_fail(ode->device->ctx, RW_ERR_ARGUMENT,
                       "%s = %g was not written by rw_ode_save: load a state that it has saved%s", list.wrong,
                       list.found, isnan(list.found) ? ", with all its values" : "");
    /* a state of AUTO is one before its first step */
    if (!ops->chooses && ops->method != ode->ops->method) {
        RW_TRY(rw_ode_become(ode, ops));
        snprintf(ode->reason, sizeof ode->reason, "as before the restart");
    }
    ode->now = progress;
    rw_algebraic_take_as_solved(ode, progress.t);
    rw_dense_forget(ode);
    return RW_OK;
}

rw_status rw_ode_explain(const rw_ode *ode, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(ode, "ode");
    rw_text t = {0};
    rw_status status = rw_method_explain(ode, &t);
    if (status == RW_OK) status = rw_algebraic_explain(ode, &t);
    if (status == RW_OK) status = rw_implicit_explain(ode, &t);
    if (status == RW_OK && !t.failed && t.data) *text = strdup(t.data);
    rw_text_free(&t);
    if (status != RW_OK) return status;
    return *text ? RW_OK : rw_fail_memory(ode->device->ctx, 4096, "the plan as text");
}

/* Which fields have no rate; false: as if all had one. */
static bool find_unknowns(const rw_ode_spec *spec, bool *unknown)
{
    const rw_source source = {"equations", spec->equations, 1, 1};
    rw_parsed parsed = {0};
    bool any = false;
    if (!spec->equations || rw_parse_statements(NULL, &source, &parsed) != RW_OK) return false;
    rw_find_equations(&parsed, spec->fields, (int)spec->nfields);
    for (int64_t f = 0; f < spec->nfields; ++f) unknown[f] = true;
    for (int i = 0; i < parsed.n; ++i) {
        any = any || parsed.statements[i].kind == RW_EQUATION;
        for (int64_t f = 0; f < spec->nfields && parsed.statements[i].kind == RW_RATE; ++f)
            unknown[f] = unknown[f] && strcmp(spec->fields[f].name, parsed.statements[i].name) != 0;
    }
    rw_parsed_free(&parsed);
    return any;
}

/* Of the solver of unknowns, besides their arrays. */
static int64_t solver_bytes(const rw_ode_spec *spec, const bool *unknown)
{
    int64_t bytes = 0;
    for (int64_t f = 0; f < spec->nfields; ++f) {
        const rw_elliptic_spec one = {.grid = spec->grid, .fields = spec->fields + f, .nfields = unknown[f]};
        bytes += rw_elliptic_bytes(&one);
    }
    return bytes;
}

static int64_t bytes_of(const rw_ode_spec *spec)
{
    int64_t bytes = 0, externals = 0, cells = 1;
    const int method = spec->method ? (int)spec->method : RW_ODE_AUTO;
    if (method < 0 || method >= RW_COUNT(methods)) return 0;
    for (int d = 0; d < spec->grid.ndim; ++d) {
        if (spec->grid.size[d] > 0 && cells > INT64_MAX / 1024 / spec->grid.size[d]) return INT64_MAX;
        cells *= spec->grid.size[d];
    }
    bool *unknown = rw_calloc((size_t)RW_MAX(spec->nfields, 1), sizeof *unknown);
    const bool any = unknown && find_unknowns(spec, unknown);
    const int64_t solver = any ? solver_bytes(spec, unknown) : 0;
    for (int f = 0; f < spec->nfields; ++f) {
        const int64_t one = (int64_t)rw_dtype_size(spec->fields[f].dtype ? spec->fields[f].dtype : RW_F64);
        if (any && unknown[f]) externals += RW_UNKNOWN_SETS * one;
        else bytes += one;
    }
    rw_free(unknown);
    const rw_ode_ops *ops = table_of((rw_ode_method)method, gives_steps(spec));
    int vectors = ops->vectors + (spec->dense ? RW_ODE_PAST : 0);
    if (ops->chooses) vectors += ops->chooses->vectors - 1; /* estimates of the radius may keep AUTO's own */
    for (int i = 0; i < spec->nexternals; ++i)
        externals += (int64_t)rw_dtype_size(spec->externals[i].dtype ? spec->externals[i].dtype : RW_F64);
    return cells * (bytes * vectors + externals) + solver;
}

int64_t rw_ode_bytes_sized(const rw_ode_spec *spec, size_t spec_size, size_t field_size, size_t scalar_size)
{
    taken t;
    if (!spec || take(NULL, spec, spec_size, field_size, scalar_size, &t) != RW_OK) return 0;
    const int64_t bytes = bytes_of(&t.spec);
    rw_struct_free_arrays(t.copy, ARRAYS);
    return bytes;
}
