/* The public interface: the specification is copied, its equations are paired with the unknowns, and each system of
 * unknowns that depend on each other is solved after those that it needs. */
#include <math.h>
#include <string.h>

#include "elliptic/elliptic.h"
#include "elliptic/system.h"
#include "expr/copies.h"
#include "param/param.h"

struct rw_elliptic {
    rw_device *device;
    rw_elliptic_spec spec; /* texts, fields, scalars: copies; external fields stand after the unknowns in `fields` */
    rw_elliptic_spec *settings; /* [nfields] */
    rw_source source;
    rw_parsed parsed;
    int nfields, nexternals;
    bool in_time;     /* of an integrator: rates are left out, t is a scalar */
    rw_array **bound; /* [nfields + nexternals] */
    rw_system **systems;
    int nsystems;
};

/* ---- parameters -------------------------------------------------------------------------------------------------- */

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_elliptic_spec, member, kind, standard, allowed, line, __VA_ARGS__)
#define RW_X(name, text, line) text "|"
static const char choices[] = RW_ELLIPTIC_METHOD_LIST(RW_X), preconds[] = RW_ELLIPTIC_PRECOND_LIST(RW_X);
#undef RW_X
static const rw_param rows[] = {
    ROW(method, ENUM, "auto", choices,
        "transform: constant coefficients; krylov: any equation; multigrid: coarser grids; auto: transform where it "
        "applies",
        .brief = NULL),
    ROW(precond, ENUM, "auto", preconds, "of krylov: transform; multigrid, for coefficients that jump; diagonal; auto",
        .brief = ""),
    ROW(rtol, REAL, "1e-8; f32, c64: 1e-3", "off|(0, 1)", "relative tolerance: stop when |F(u)| <= rtol |F(0)|",
        .brief = NULL),
    ROW(atol, REAL, "off", "off|(0, inf)", "absolute tolerance: stop when |F(u)| <= atol", .brief = NULL),
    ROW(steps, INT, "50", "[1, 100000]", "most steps of Newton's method", .brief = ""),
    ROW(iterations, INT, "10000", "[1, 100000000]", "krylov, multigrid: most iterations of a linear system",
        .brief = ""),
    ROW(cycles, INT, "0", "[0, 1000]",
        "multigrid, krylov: cycles or iterations of a solution inside a step; 0: as many as rtol needs", .brief = ""),
    ROW(mean, REAL, "0", "(-inf, inf)", "mean of the solution where the equation leaves it open", .brief = ""),
    ROW(imbalance, REAL, "0.01", "[0, 1]", "largest mean of F over its root mean square, where it should be 0",
        .brief = ""),
};

RW_PARAMS(rw_elliptic_params, rw_elliptic_spec, rows, "solver", "an equation without a time derivative")

/* Of the unknowns. */
static rw_dtype type_of(const rw_elliptic_spec *spec)
{
    return spec->nfields > 0 && spec->fields->dtype ? spec->fields->dtype : RW_F64;
}

static rw_status resolve(rw_context *ctx, rw_dtype type, rw_elliptic_spec *spec)
{
    const rw_param *row = rw_params_find(rw_elliptic_params(), "rtol");
    char text[32];
    if (!rw_given(spec->rtol))
        spec->rtol = rw_strtod(rw_param_for(row->standard, rw_dtype_name(type), text, sizeof text), NULL);
    return rw_params_resolve(ctx, rw_elliptic_params(), NULL, spec);
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static rw_status check_spec(rw_context *ctx, rw_elliptic_spec *spec)
{
    RW_TRY(resolve(ctx, type_of(spec), spec));
    if (spec->nfields < 1) return rw_fail(ctx, RW_ERR_INPUT, "there are no unknowns: declare at least one field");
    if (!spec->equations) return rw_fail(ctx, RW_ERR_ARGUMENT, "equations = NULL: give one for each field");
    if (spec->order != 0 && spec->order != 2 && spec->order != 4)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "order = %d: grid operators have order 2 or 4", spec->order);
    if (!spec->order) spec->order = 2;
    RW_TRY(rw_grid_resolve(ctx, &spec->grid, 1, &spec->grid));
    if (spec->grid.ndim < 1)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "ndim = 0: equations without a time derivative need a grid");
    for (int f = 0; f < spec->nfields; ++f) {
        const rw_expr_field *field = spec->fields + f;
        if (field->dtype && !rw_dtype_is_number(field->dtype))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "field %s: dtype %s: f32, f64, c64 or c128 are possible", field->name,
                           rw_dtype_name(field->dtype));
        if ((field->dtype ? field->dtype : RW_F64) != type_of(spec))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "fields %s and %s: all unknowns must have one dtype",
                           spec->fields->name, field->name);
    }
    return RW_OK;
}

static rw_status copy_spec(rw_elliptic *e, const rw_elliptic_spec *spec)
{
    const size_t fields = (size_t)(spec->nfields + spec->nexternals);
    bool failed = false;
    rw_elliptic_spec *own = &e->spec;
    *own = *spec;
    own->externals = NULL;
    own->nscalars = 0;
    own->name = rw_copy_text(spec->name ? spec->name : "equations", &failed);
    own->equations = rw_copy_text(spec->equations, &failed);
    rw_expr_field *field = rw_calloc(fields, sizeof *field);
    rw_expr_scalar *scalar = rw_calloc((size_t)RW_MAX(spec->nscalars, 1), sizeof *scalar);
    own->fields = field;
    own->scalars = scalar;
    e->bound = rw_calloc(fields, sizeof(*e->bound));
    e->systems = rw_calloc((size_t)spec->nfields, sizeof(*e->systems));
    failed = failed || !field || !scalar || !e->bound || !e->systems;
    for (int f = 0; !failed && f < spec->nfields; ++f, ++e->nfields)
        rw_copy_field(field + f, spec->fields + f, &failed);
    for (int i = 0; !failed && i < spec->nexternals; ++i, ++e->nexternals)
        rw_copy_field(field + e->nfields + i, spec->externals + i, &failed);
    for (int i = 0; !failed && i < spec->nscalars; ++i, ++own->nscalars) {
        scalar[i] = spec->scalars[i];
        scalar[i].name = rw_copy_text(spec->scalars[i].name, &failed);
    }
    e->source = (rw_source){own->name, own->equations, spec->line, spec->column};
    return failed ? rw_fail_memory(e->device->ctx, 4096, "the equations") : RW_OK;
}

static rw_status check_assignment(const rw_elliptic *e, rw_graph *g, const rw_statement *s)
{
    const bool is_field = rw_graph_find_field(g, s->name) >= 0, is_scalar = rw_graph_find_param(g, s->name) >= 0;
    const rw_source *source = &e->source;
    if (s->kind == RW_RATE && e->in_time) return RW_OK;
    if (s->kind == RW_RATE)
        return rw_fail_at(g->ctx, source, s->at,
                          "d%s/dt: equations with a time derivative are for an integrator (rw_ode_create, a pde case)",
                          s->name);
    if (!is_field && !is_scalar && !rw_is_reserved_on(&e->spec.grid, s->name)) return RW_OK;
    return rw_fail_at(g->ctx, source, s->at,
                      is_field ? "field %s must not be assigned: write its equation with the unknown inside, such as "
                                 "laplace(%s) = …"
                               : "%s cannot be assigned: it is a parameter or a word of the language",
                      s->name, s->name);
}

/* Statements in their order: names for those that follow, and F of each equation. */
static rw_status lower_statements(rw_elliptic *e, rw_lowering *l, rw_node *F)
{
    for (int i = 0; i < e->parsed.n; ++i) {
        const rw_statement *s = e->parsed.statements + i;
        rw_value value;
        if (s->kind == RW_DEFINE) continue;
        if (s->kind == RW_EQUATION) {
            RW_TRY(rw_lower_equation(l, &e->source, s, F + i));
            continue;
        }
        RW_TRY(check_assignment(e, l->graph, s));
        if (s->kind == RW_RATE) continue;
        RW_TRY(rw_lower(l, &e->source, s->value, &value));
        RW_TRY(rw_lower_local(l, &e->source, s->at, s->name, value));
    }
    return RW_OK;
}

static rw_status pair(rw_elliptic *e, rw_lowering *l, rw_pairs *pairs)
{
    rw_context *ctx = e->device->ctx;
    const rw_expr_spec spec = {.name = e->source.name,
                               .fields = e->spec.fields,
                               .nfields = e->nfields + e->nexternals,
                               .scalars = e->spec.scalars,
                               .nscalars = e->spec.nscalars};
    rw_unknown *unknowns = rw_calloc((size_t)e->nfields, sizeof *unknowns);
    rw_node *F = rw_calloc((size_t)e->parsed.n + 1, sizeof *F);
    rw_status status = unknowns && F ? RW_OK : rw_fail_memory(ctx, 4096, "the equations");
    for (int f = 0; status == RW_OK && f < e->nfields; ++f) unknowns[f] = (rw_unknown){e->spec.fields[f].name, f};
    if (status == RW_OK) status = rw_expr_declare(ctx, &spec, l->graph, l, &e->source, &e->parsed);
    if (status == RW_OK) status = lower_statements(e, l, F);
    if (status == RW_OK) status = rw_pair_equations(l, &e->source, &e->parsed, F, unknowns, e->nfields, pairs);
    if (status == RW_OK && l->graph->failed) status = rw_fail_memory(ctx, 4096, "the equations");
    rw_free(unknowns);
    rw_free(F);
    return status;
}

static rw_status pair_equations(rw_elliptic *e, rw_pairs *pairs)
{
    rw_graph *graph;
    rw_lowering l;
    RW_TRY(rw_graph_create(e->device->ctx, &e->spec.grid, e->spec.order, &graph));
    graph->layout = e->spec.layout;
    rw_lowering_begin(&l, e->device->ctx, graph);
    const rw_status status = pair(e, &l, pairs);
    rw_lowering_end(&l);
    rw_graph_destroy(&graph);
    return status;
}

static rw_status make_systems(rw_elliptic *e)
{
    rw_pairs pairs = {0};
    rw_status status = pair_equations(e, &pairs);
    for (int s = 0; status == RW_OK && s < pairs.nsystems; ++s) {
        const rw_system_of of = {.device = e->device,
                                 .spec = &e->spec,
                                 .settings = e->settings + pairs.pair[pairs.first[s]].unknown,
                                 .source = &e->source,
                                 .parsed = &e->parsed,
                                 .in_time = e->in_time,
                                 .pair = pairs.pair + pairs.first[s],
                                 .npairs = pairs.first[s + 1] - pairs.first[s]};
        status = rw_system_create(&of, &e->systems[s]);
        e->nsystems += status == RW_OK;
    }
    rw_pairs_free(&pairs);
    return status;
}

static rw_status take_settings(rw_elliptic *e, const rw_elliptic_spec *settings)
{
    e->settings = rw_calloc((size_t)e->nfields, sizeof *e->settings);
    if (!e->settings) return rw_fail_memory(e->device->ctx, 4096, "settings");
    for (int f = 0; f < e->nfields; ++f) {
        e->settings[f] = settings ? settings[f] : e->spec;
        RW_TRY(resolve(e->device->ctx, type_of(&e->spec), e->settings + f));
    }
    return RW_OK;
}

rw_status rw_elliptic_create_with(rw_device *dev, const rw_elliptic_spec *given, const rw_elliptic_spec *settings,
                                  rw_elliptic_use use, rw_elliptic **result)
{
    rw_elliptic_spec spec = *given;
    RW_TRY(check_spec(dev->ctx, &spec));
    rw_elliptic *e = rw_calloc(1, sizeof *e);
    if (!e) return rw_fail_memory(dev->ctx, sizeof *e, "a solver");
    e->device = rw_device_retain(dev);
    e->in_time = use != RW_ELLIPTIC_ALONE;
    rw_status status = copy_spec(e, &spec);
    if (status == RW_OK) status = take_settings(e, settings);
    if (status == RW_OK) status = rw_parse_statements(dev->ctx, &e->source, &e->parsed);
    if (status == RW_OK) {
        rw_find_equations(&e->parsed, e->spec.fields, e->nfields + e->nexternals);
        if (spec.steady) rw_take_rates_for_equations(&e->parsed);
        if (use == RW_ELLIPTIC_IMPLICIT) rw_take_implicit_for_equations(&e->parsed);
        status = make_systems(e);
    }
    if (status == RW_OK) *result = e;
    else rw_elliptic_destroy(&e);
    return status;
}

void rw_elliptic_destroy(rw_elliptic **elliptic)
{
    if (!elliptic) return;
    rw_elliptic *e = *elliptic;
    *elliptic = NULL;
    if (!e) return;
    for (int s = 0; s < e->nsystems; ++s) rw_system_destroy(&e->systems[s]);
    for (int f = 0; f < e->nfields + e->nexternals; ++f) {
        rw_array_destroy(&e->bound[f]);
        rw_free_field((rw_expr_field *)e->spec.fields + f);
    }
    for (int i = 0; i < e->spec.nscalars; ++i) rw_free((char *)e->spec.scalars[i].name);
    rw_parsed_free(&e->parsed);
    rw_free((rw_expr_field *)e->spec.fields);
    rw_free((rw_expr_scalar *)e->spec.scalars);
    rw_free((char *)e->spec.name);
    rw_free((char *)e->spec.equations);
    rw_free(e->bound);
    rw_free(e->systems);
    rw_free(e->settings);
    rw_device_close(&e->device);
    rw_free(e);
}

/* The caller's specification in this version's layout. */
enum { ARRAYS = 3 };
typedef struct taken {
    rw_elliptic_spec spec;
    void *copy[ARRAYS];
} taken;

static rw_status take(rw_context *ctx, const rw_elliptic_spec *spec, size_t spec_size, size_t field_size,
                      size_t scalar_size, taken *t)
{
    const rw_struct_array arrays[ARRAYS] = {RW_STRUCT_ARRAY(rw_elliptic_spec, fields, rw_expr_field, field_size),
                                            RW_STRUCT_ARRAY(rw_elliptic_spec, scalars, rw_expr_scalar, scalar_size),
                                            RW_STRUCT_ARRAY(rw_elliptic_spec, externals, rw_expr_field, field_size)};
    RW_TRY(rw_struct_in(ctx, "rw_elliptic_spec", &t->spec, sizeof t->spec, spec, spec_size));
    RW_CHECK_MEMBERS(ctx, rw_elliptic_spec, &t->spec);
    return rw_struct_in_arrays(ctx, &t->spec, arrays, ARRAYS, t->copy);
}

rw_status rw_elliptic_create_sized(rw_device *dev, const rw_elliptic_spec *spec, rw_elliptic **elliptic,
                                   size_t spec_size, size_t field_size, size_t scalar_size)
{
    RW_NEED(elliptic, "elliptic");
    *elliptic = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    taken t;
    RW_TRY(take(dev->ctx, spec, spec_size, field_size, scalar_size, &t));
    const rw_cancel *outer = rw_cancel_enter(t.spec.cancel);
    const rw_status status = rw_elliptic_create_with(dev, &t.spec, NULL, RW_ELLIPTIC_ALONE, elliptic);
    rw_cancel_leave(outer);
    rw_struct_free_arrays(t.copy, ARRAYS);
    return status;
}

/* ---- values that enter and leave --------------------------------------------------------------------------------- */

static rw_status find(const rw_elliptic *e, bool field, const char *name, int *index)
{
    const char *names[64] = {NULL};
    const int all = field ? e->nfields + e->nexternals : (int)e->spec.nscalars;
    int n = 0;
    for (int i = 0; i < all; ++i) {
        const char *one = field ? e->spec.fields[i].name : e->spec.scalars[i].name;
        *index = i;
        if (!strcmp(one, name)) return RW_OK;
        if (n < RW_COUNT(names)) names[n++] = one;
    }
    return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "%s: there is no %s %s%s", e->source.name,
                   field ? "field" : "scalar", name, rw_hint_nearest(name, names, n).text);
}

rw_status rw_elliptic_bind(rw_elliptic *e, const char *field, rw_array *a)
{
    RW_NEED(e, "elliptic");
    RW_NEED(field, "field");
    RW_NEED(a, "array");
    int f;
    RW_TRY(find(e, true, field, &f));
    for (int other = 0; other < e->nfields + e->nexternals; ++other)
        if (other != f && RW_MIN(other, f) < e->nfields && e->bound[other] == a)
            return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "one array bound to fields %s and %s",
                           e->spec.fields[other].name, field);
    for (int s = 0; s < e->nsystems; ++s) RW_TRY(rw_system_bind(e->systems[s], f, a));
    rw_array *before = e->bound[f];
    e->bound[f] = rw_array_retain(a);
    rw_array_destroy(&before);
    return RW_OK;
}

rw_status rw_elliptic_set(rw_elliptic *e, const char *scalar, double value)
{
    RW_NEED(e, "elliptic");
    RW_NEED(scalar, "scalar");
    int i;
    RW_TRY(find(e, false, scalar, &i));
    for (int s = 0; s < e->nsystems; ++s) RW_TRY(rw_system_set(e->systems[s], scalar, value));
    ((rw_expr_scalar *)e->spec.scalars)[i].value = value;
    return RW_OK;
}

rw_status rw_elliptic_get_spec_sized(const rw_elliptic *e, rw_elliptic_spec *spec, size_t spec_size)
{
    RW_NEED(e, "elliptic");
    RW_NEED(spec, "spec");
    RW_STRUCT_ROOM(rw_elliptic_spec, spec, spec_size);
    *spec_whole = e->spec;
    spec_whole->method = e->systems[e->nsystems - 1]->ops->method;
    spec_whole->fields = spec_whole->externals = NULL;
    spec_whole->scalars = NULL;
    return RW_STRUCT_OUT(RW_OK, spec, spec_size);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* The system that is the farthest from its tolerance stands for all. */
static void add_result(rw_elliptic_result *all, const rw_elliptic_result *one)
{
    const int64_t steps = all->steps + one->steps, iterations = all->iterations + one->iterations;
    const bool worse = !(one->residual * all->right_side < all->residual * one->right_side);
    if (worse) *all = *one;
    all->steps = steps;
    all->iterations = iterations;
}

static rw_status need_arrays(const rw_elliptic *e)
{
    for (int f = 0; f < e->nfields + e->nexternals; ++f)
        if (!e->bound[f])
            return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "field %s has no array: call rw_elliptic_bind first",
                           e->spec.fields[f].name);
    return RW_OK;
}

static rw_status solve(rw_elliptic *e, rw_elliptic_result *result)
{
    const double start = rw_seconds(), compiled = rw_counters_of(e->device).compile_seconds;
    *result = (rw_elliptic_result){0};
    RW_TRY(need_arrays(e));
    rw_status status = RW_OK;
    for (int s = 0; s < e->nsystems && status == RW_OK; ++s) {
        status = rw_system_solve(e->systems[s]);
        add_result(result, &e->systems[s]->result);
    }
    if (status == RW_OK) status = rw_queue_wait(e->device->queue);
    result->seconds = fmax(rw_seconds() - start - (rw_counters_of(e->device).compile_seconds - compiled), 0);
    return status;
}

rw_status rw_elliptic_solve_sized(rw_elliptic *e, rw_elliptic_result *result, size_t result_size)
{
    RW_NEED(e, "elliptic");
    RW_NEED(result, "result");
    RW_STRUCT_ROOM(rw_elliptic_result, result, result_size);
    const rw_cancel *outer = rw_cancel_enter(e->spec.cancel);
    const rw_status status = solve(e, result_whole);
    rw_cancel_leave(outer);
    return RW_STRUCT_OUT(status, result, result_size);
}

bool rw_elliptic_is_enqueued(const rw_elliptic *e)
{
    for (int s = 0; s < e->nsystems; ++s)
        if (!rw_system_is_enqueued(e->systems[s])) return false;
    return true;
}

bool rw_elliptic_is_recordable(const rw_elliptic *e)
{
    for (int s = 0; s < e->nsystems; ++s)
        if (!rw_system_is_recordable(e->systems[s])) return false;
    return true;
}

bool rw_elliptic_has_start(const rw_elliptic *e)
{
    for (int s = 0; s < e->nsystems; ++s)
        if (rw_system_has_start(e->systems[s])) return true;
    return false;
}

rw_status rw_elliptic_prepare(rw_elliptic *e)
{
    for (int s = 0; s < e->nsystems; ++s) RW_TRY(rw_system_prepare(e->systems[s]));
    return RW_OK;
}

rw_status rw_elliptic_enqueue(rw_elliptic *e)
{
    RW_NEED(e, "elliptic");
    RW_TRY(need_arrays(e));
    for (int s = 0; s < e->nsystems; ++s)
        if (!rw_system_is_enqueued(e->systems[s]))
            return rw_fail(e->device->ctx, RW_ERR_UNSUPPORTED,
                           "%s: method %s takes as much work as the tolerance needs: call rw_elliptic_solve%s",
                           e->source.name, rw_elliptic_method_name(e->systems[s]->ops->method),
                           e->systems[s]->ops->cycle ? ", or give a number of cycles" : "");
    for (int s = 0; s < e->nsystems; ++s) RW_TRY(rw_system_enqueue(e->systems[s]));
    return RW_OK;
}

/* ---- of an integrator -------------------------------------------------------------------------------------------- */

void rw_elliptic_add_cost(const rw_elliptic *e, double *bytes, int *launches)
{
    for (int s = 0; s < e->nsystems; ++s) rw_system_add_cost(e->systems[s], bytes, launches);
}

rw_system *rw_elliptic_system(const rw_elliptic *e, int system) { return e->systems[system]; }

rw_status rw_elliptic_hold(rw_elliptic *e, int f, rw_array *a)
{
    for (int s = 0; s < e->nsystems; ++s) RW_TRY(rw_system_bind(e->systems[s], f, a));
    if (e->bound[f] == a) return RW_OK;
    rw_array *before = e->bound[f];
    e->bound[f] = rw_array_retain(a);
    rw_array_destroy(&before);
    return RW_OK;
}

void rw_elliptic_start_from(rw_elliptic *e, int unknown, rw_array *start)
{
    for (int s = 0; s < e->nsystems; ++s)
        if (e->systems[s]->index[0] == unknown) e->systems[s]->start = start;
}

rw_status rw_elliptic_set_time(rw_elliptic *e, double t, const rw_quadrature *stage)
{
    for (int s = 0; s < e->nsystems; ++s) RW_TRY(rw_system_set_time(e->systems[s], t, stage));
    return RW_OK;
}

bool rw_elliptic_is_singular(const rw_elliptic *e)
{
    for (int s = 0; s < e->nsystems; ++s)
        if (e->systems[s]->form.singular) return true;
    return false;
}

double rw_elliptic_rtol(const rw_elliptic *e, int unknown) { return fmax(e->settings[unknown].rtol, 0); }

bool rw_elliptic_moves(const rw_elliptic *e)
{
    for (int s = 0; s < e->nsystems; ++s)
        if (e->systems[s]->moves) return true;
    return false;
}

rw_status rw_elliptic_measure(rw_elliptic *e, double *ratio)
{
    *ratio = 0;
    RW_TRY(need_arrays(e));
    for (int s = 0; s < e->nsystems; ++s) {
        double allowed;
        RW_TRY(rw_system_measure(e->systems[s], &allowed));
        const double residual = e->systems[s]->result.first;
        *ratio = fmax(*ratio, residual > 0 ? residual / allowed : 0);
    }
    return RW_OK;
}

const char *rw_elliptic_method_of(const rw_elliptic *e, const char **why)
{
    const rw_system *s = e->systems[e->nsystems - 1];
    *why = s->why;
    return rw_elliptic_method_name(s->ops->method);
}

int64_t rw_elliptic_bytes(const rw_elliptic_spec *spec)
{
    enum { VECTORS = 12 }; /* right-hand side, correction, those of cg and of a cycle on all grids */
    int64_t nodes = VECTORS * spec->nfields;
    for (int d = 0; d < spec->grid.ndim; ++d) nodes *= spec->grid.size[d];
    return nodes * (int64_t)rw_dtype_size(type_of(spec));
}

rw_status rw_elliptic_explain(const rw_elliptic *e, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(e, "elliptic");
    rw_text t = {0};
    for (int s = 0; s < e->nsystems; ++s) rw_system_explain(e->systems[s], &t);
    if (t.failed) {
        rw_text_free(&t);
        return rw_fail_memory(e->device->ctx, 4096, "a text");
    }
    *text = t.data;
    return RW_OK;
}
