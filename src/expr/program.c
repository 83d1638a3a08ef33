/* Creates and runs compiled equations (rw_expr). A run is, pass by pass: one launch over the grid, one small launch for
 * the numbers that it reduces, and the swap of arrays written to a second array. Nothing is copied. */
#include "expr/program.h"

#include <stdlib.h>
#include <string.h>

#include "device/ranks.h"
#include "expr/equations.h"

/* ---- from text --------------------------------------------------------------------------------------------------- */

static rw_status declare_functions(rw_context *ctx, const char *where, const rw_expr_spec *spec, rw_graph *graph)
{
    for (int i = 0; i < spec->nfunctions; ++i) {
        const rw_expr_function *f = spec->functions + i;
        RW_TRY(rw_check_name_on(ctx, &graph->grid, where, f->name));
        if (rw_graph_find_field(graph, f->name) >= 0 || rw_graph_find_param(graph, f->name) >= 0 ||
            rw_graph_find_function(graph, f->name) >= 0)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: %s is declared twice", where, f->name);
        if (f->arguments < 1 || f->arguments > 3 || !f->call)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: function %s: %s", where, f->name,
                           f->call ? "1 to 3 arguments are allowed" : "call = NULL");
        rw_graph_add_function(graph, f);
    }
    return RW_OK;
}

rw_status rw_expr_declare(rw_context *ctx, const rw_expr_spec *spec, rw_graph *graph, rw_lowering *l,
                          const rw_source *source, const rw_parsed *parsed)
{
    const char *where = spec->name ? spec->name : "expression";
    int first = graph->nfields;
    for (int i = 0; i < spec->nscalars; ++i) {
        const rw_expr_scalar *s = spec->scalars + i;
        if (strcmp(s->name, "t") && strcmp(s->name, RW_IMPLICIT_STEP))
            RW_TRY(rw_check_name_on(ctx, &graph->grid, where, s->name));
        if (rw_graph_find_param(graph, s->name) >= 0)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: scalar %s is declared twice", where, s->name);
        int p = rw_graph_add_param(graph, s->name, s->is_complex, s->value, s->imaginary);
        if (!s->state || p < 0) continue;
        if (s->is_complex)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: scalar %s cannot be a state: states are real", where, s->name);
        rw_graph_make_state(graph, p);
    }
    if (rw_graph_find_param(graph, "t") < 0) rw_graph_add_param(graph, "t", false, 0, 0);
    for (int i = 0; i < spec->nfields; ++i) {
        const rw_expr_field *f = spec->fields + i;
        RW_TRY(rw_check_name_on(ctx, &graph->grid, where, f->name));
        if (rw_graph_find_field(graph, f->name) >= 0 || rw_graph_find_param(graph, f->name) >= 0)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: %s is declared twice", where, f->name);
        rw_graph_add_field(graph, f->name, f->dtype ? f->dtype : RW_F64);
    }
    for (int i = 0; i < spec->nexternals; ++i) {
        const char *name = spec->externals[i].name;
        if (rw_graph_find_field(graph, name) >= 0 || rw_graph_find_param(graph, name) >= 0)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: %s is %s: choose another name", where, name,
                           graph->unstructured ? "a field of the grid" : "an external field");
        int f = rw_graph_add_field(graph, name, spec->externals[i].dtype);
        if (f >= 0) graph->fields[f].external = true;
    }
    if (spec->stencil) rw_gather_declare(l, spec->stencil);
    RW_TRY(declare_functions(ctx, where, spec, graph));
    if (graph->failed) return rw_fail_memory(ctx, 64, "a field");
    if (parsed) RW_TRY(rw_lower_definitions(l, source, parsed));
    for (int i = 0; i < spec->nfields; ++i)
        RW_TRY(rw_check_boundaries(ctx, spec->fields + i, graph->unstructured ? 6 : 2 * graph->grid.ndim,
                                   !graph->unstructured));
    RW_TRY(rw_lower_sides(l, spec->fields, spec->nfields, first));
    return graph->failed ? rw_fail_memory(ctx, 64, "a scalar") : RW_OK;
}

/* The same status with the statement's place, for mistakes that show when it is put into a pass. */
static rw_status placed(rw_lowering *l, const rw_source *source, const rw_statement *s, rw_status status)
{
    return status == RW_ERR_INPUT ? rw_fail_at(l->ctx, source, s->at, "%s", rw_message(l->ctx)) : status;
}

/* A field <- value. Nodes on sides that are given have what the side gives: after the assignment where that depends on
 * fields. */
static rw_status store(rw_plan *plan, int field, rw_node value)
{
    rw_graph *g = plan->graph;
    const rw_graph_field *f = g->fields + field;
    if (!f->given) return rw_plan_store(plan, field, value);
    if (!f->reads) return rw_plan_store(plan, field, rw_with_given(g, field, value, false));
    RW_TRY(rw_plan_store(plan, field, value));
    return rw_plan_store(plan, field, rw_field(g, field, g->fields[field].versions, (int[3]){0}));
}

static rw_status refuse_equation(rw_lowering *l, const rw_source *source, const rw_statement *s)
{
    rw_node f;
    RW_TRY(rw_lower_equation(l, source, s, &f));
    return rw_fail_at(l->ctx, source, s->at,
                      "equations without a time derivative are not solved here: assign what u gives to another field, "
                      "such as r = laplace(u), and solve r = … as a linear system (rw_operator_from_expr, rechenwerk "
                      "solve --stencil)");
}

static rw_status add_statement(rw_lowering *l, rw_plan *plan, const rw_source *source, const rw_statement *s)
{
    rw_graph *g = l->graph;
    rw_value v;
    if (s->kind == RW_RATE)
        return rw_fail_at(l->ctx, source, s->at, "d%s/dt = … is allowed only in a pde case; here, assign fields",
                          s->name);
    if (s->kind == RW_DEFINE) return RW_OK; /* rw_expr_declare has defined it */
    if (s->kind == RW_EQUATION) return refuse_equation(l, source, s);
    RW_TRY(rw_lower(l, source, s->value, &v));
    int f = rw_graph_find_field(g, s->name), p = rw_graph_find_param(g, s->name);
    bool is_state = p >= 0 && g->params[p].state >= 0;
    if (f < 0 || v.n > 1) {
        if (f >= 0)
            return rw_fail_at(l->ctx, source, s->at, "incompatible shapes: a vector assigned to field %s", s->name);
        if (is_state && (v.n > 1 || g->nodes[v.node[0]].is_field || g->nodes[v.node[0]].is_complex))
            return rw_fail_at(l->ctx, source, s->at,
                              "%s is a scalar: assign one real number, such as a sum over a field", s->name);
        if (is_state) RW_TRY(placed(l, source, s, rw_plan_state(plan, g->params[p].state, v.node[0])));
        const bool reserved = rw_is_reserved_on(&g->grid, s->name);
        if (!is_state && (reserved || p >= 0))
            return rw_fail_at(l->ctx, source, s->at, "%s cannot be assigned: it is %s", s->name,
                              reserved ? "a reserved word" : "a scalar argument");
        const bool is_field = v.n == 1 && g->nodes[v.node[0]].is_field;
        if (v.n == 1 && (!is_field || g->grid.ndim == 0)) { /* without space a field is one number, too */
            const rw_node result = is_field ? rw_reduce(g, RW_SUM, v.node[0]) : v.node[0];
            RW_TRY(placed(l, source, s, rw_plan_result(plan, s->name, result)));
        }
        return rw_lower_local(l, source, s->at, s->name, v);
    }
    if (g->fields[f].external)
        return rw_fail_at(l->ctx, source, s->at, "%s cannot be assigned: it %s", s->name,
                          g->unstructured ? "belongs to the grid" : "is an external field, which is only read");
    if (g->nodes[v.node[0]].is_complex && !rw_dtype_is_complex(g->fields[f].dtype))
        return rw_fail_at(
            l->ctx, source, s->at,
            "a complex value assigned to the real field %s: take real(), imag() or abs(), or give the field "
            "dtype c128 or c64",
            s->name);
    return placed(l, source, s, store(plan, f, rw_cast(g, g->fields[f].dtype, v.node[0])));
}

bool rw_expr_uses_field(const rw_expr *e, int f)
{
    for (int i = 0; i < e->npasses; ++i)
        for (int j = 0; j < e->passes[i].kernel.nslots; ++j) {
            const rw_slot *s = e->passes[i].kernel.slots + j;
            if ((s->kind == RW_SLOT_FIELD || s->kind == RW_SLOT_SHADOW) && s->index == f) return true;
        }
    return false;
}

static rw_status bind_given(rw_expr *e, const rw_expr_spec *spec, const rw_lowering *l)
{
    rw_array *const tables[] = {l->tables.cell, l->tables.weight, l->tables.area, l->tables.conductance};
    for (int i = 0; l->tables.cell && i < RW_COUNT(tables); ++i)
        if (rw_expr_uses_field(e, l->table[i])) RW_TRY(rw_expr_bind_index(e, l->table[i], tables[i]));
    for (int i = 0; i < spec->nexternals; ++i) {
        const rw_expr_external *external = spec->externals + i;
        rw_array *array;
        if (!rw_expr_uses_field(e, rw_graph_find_field(e->graph, external->name))) continue;
        const unsigned before = rw_failures();
        const rw_status made = external->make(external->user, e->device, &array);
        RW_TRY(rw_callback_status(e->device->ctx, made, before, "rw_expr_external.make"));
        RW_TRY(rw_expr_bind(e, external->name, array));
    }
    return RW_OK;
}

/* The plain evaluator computes in f64. */
static rw_status check_evaluator(const rw_expr *e)
{
    for (int f = 0; f < e->graph->nfields; ++f) {
        const rw_dtype dtype = e->graph->fields[f].dtype;
        if (dtype == RW_I64 || dtype == RW_U64)
            return rw_fail(
                e->device->ctx, RW_ERR_UNSUPPORTED,
                "%s: field %s of %s: with functions in C, or without a compiler, fields must have real or complex "
                "types or integers of up to 32 bits",
                e->name, e->graph->fields[f].name, rw_dtype_name(dtype));
    }
    return RW_OK;
}

/* The first function in C that some kernel would have to call. */
static rw_status find_call(rw_expr *e)
{
    if (!e->graph->nfunctions) return RW_OK;
    for (int q = 0; q < e->plan.npasses && !e->call; ++q) {
        rw_pass_use use;
        RW_TRY(rw_plan_use(&e->plan, q, &use));
        e->call = use.call;
        rw_pass_use_free(&use);
    }
    for (int s = 0; s < e->graph->nstates && !e->call; ++s) {
        rw_pass_use use;
        RW_TRY(rw_pass_use_begin(&e->plan, &use));
        rw_pass_use_add(&e->plan, -1, &use, e->plan.states[s]);
        e->call = use.call;
        rw_pass_use_free(&use);
    }
    e->evaluator = e->call != 0;
    return e->evaluator ? check_evaluator(e) : RW_OK;
}

static rw_status create(rw_device *dev, const rw_expr_spec *spec, rw_expr **expr)
{
    rw_context *ctx = dev->ctx;
    rw_graph *graph = NULL;
    rw_plan plan = {0};
    rw_lowering l;
    rw_parsed parsed = {0};
    rw_source source = {spec->name ? spec->name : "expression", spec->text, spec->line, spec->column};
    if (!spec->text) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: text = NULL: give statements", source.name);
    rw_grid grid;
    RW_TRY(rw_grid_resolve(ctx, &spec->grid, 0, &grid));
    if (spec->trace < 0) return rw_fail(ctx, RW_ERR_ARGUMENT, "trace = %d rows: must be 0 or more", spec->trace);
    if (spec->order != 0 && spec->order != 2 && spec->order != 4)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "order = %d: the order of grid operators must be 2 or 4", spec->order);
    RW_TRY(rw_graph_create(ctx, &grid, spec->order, &graph));
    graph->linear = graph->reciprocals = spec->reassociate;
    graph->unstructured = spec->unstructured;
    if (!graph->unstructured) graph->layout = spec->layout;
    rw_lowering_begin(&l, ctx, graph);
    rw_status status = rw_parse_statements(ctx, &source, &parsed);
    if (status == RW_OK) rw_find_equations(&parsed, spec->fields, spec->nfields);
    if (status == RW_OK) status = rw_expr_declare(ctx, spec, graph, &l, &source, &parsed);
    if (status == RW_OK) status = rw_plan_begin(&plan, graph, spec->trace);
    for (int i = 0; status == RW_OK && i < parsed.n; ++i)
        status = add_statement(&l, &plan, &source, parsed.statements + i);
    if (status == RW_OK) status = rw_plan_finish(&plan);
    rw_parsed_free(&parsed);
    if (status == RW_OK) status = rw_expr_from_plan(dev, source.name, &graph, &plan, expr);
    if (status == RW_OK) status = bind_given(*expr, spec, &l);
    if (status != RW_OK) rw_expr_destroy(expr);
    rw_lowering_end(&l);
    rw_plan_end(&plan);
    rw_graph_destroy(&graph);
    return status;
}

/* The caller's specification in this version's layout, with copies of arrays whose elements had another one. */
enum { ARRAYS = 4 };
typedef struct sizes {
    size_t spec, field, scalar, external, function;
} sizes;
typedef struct taken {
    rw_expr_spec spec;
    void *copy[ARRAYS];
} taken;

static rw_status take(rw_context *ctx, const rw_expr_spec *spec, const sizes *of, taken *t)
{
    const rw_struct_array arrays[ARRAYS] = {RW_STRUCT_ARRAY(rw_expr_spec, fields, rw_expr_field, of->field),
                                            RW_STRUCT_ARRAY(rw_expr_spec, scalars, rw_expr_scalar, of->scalar),
                                            RW_STRUCT_ARRAY(rw_expr_spec, externals, rw_expr_external, of->external),
                                            RW_STRUCT_ARRAY(rw_expr_spec, functions, rw_expr_function, of->function)};
    RW_TRY(rw_struct_in(ctx, "rw_expr_spec", &t->spec, sizeof t->spec, spec, of->spec));
    RW_CHECK_MEMBERS(ctx, rw_expr_spec, &t->spec);
    RW_TRY(rw_struct_in_arrays(ctx, &t->spec, arrays, ARRAYS, t->copy));
    for (int d = RW_MAX(t->spec.grid.ndim, 0); d < 3; ++d)
        if (t->spec.grid.size[d] == 0) t->spec.grid.size[d] = 1;
    return RW_OK;
}

rw_status rw_expr_create_sized(rw_device *dev, const rw_expr_spec *spec, rw_expr **expr, size_t spec_size,
                               size_t field_size, size_t scalar_size, size_t external_size, size_t function_size)
{
    RW_NEED(expr, "expr");
    *expr = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    taken t;
    RW_TRY(take(dev->ctx, spec, &(sizes){spec_size, field_size, scalar_size, external_size, function_size}, &t));
    const rw_status status = create(dev, &t.spec, expr);
    rw_struct_free_arrays(t.copy, ARRAYS);
    return status;
}

/* ---- compiled ---------------------------------------------------------------------------------------------------- */

rw_status rw_expr_compile(rw_expr *e, const char *name, const rw_pass_kernel *k, rw_program **program)
{
    char group[16], group_x[16], units[16];
    snprintf(group, sizeof group, "%d", k->tiling.group);
    snprintf(group_x, sizeof group_x, "%d", k->tiling.group_x);
    snprintf(units, sizeof units, "%d", k->groups_a_unit);
    rw_define defines[7] = {{"GROUP", group},
                            {"GROUP_X", group_x},
                            {"REAL", k->f32 ? "f32" : "f64"},
                            {"RW_UNSWITCH", "0"}};
    int ndefines = 4;
    if (rw_uses_functions(e->graph)) defines[ndefines++] = (rw_define){"WITH_FUNCTIONS", "1"};
    if (k->has_complex) defines[ndefines++] = (rw_define){"WITH_COMPLEX", "1"};
    if (k->groups_a_unit) defines[ndefines++] = (rw_define){"RW_GROUPS_A_UNIT", units};
    return rw_program_start(e->device, name, k->text, defines, ndefines, program);
}

static rw_status compile_pass(rw_expr *e, int i, int first)
{
    rw_expr_pass *p = e->passes + i;
    char name[64];
    RW_TRY(rw_pass_kernel_create(&e->plan, first, &e->device->target, &p->kernel));
    snprintf(name, sizeof name, "pass_%d", i);
    rw_status status = e->evaluator ? RW_ERR_UNSUPPORTED : rw_expr_compile(e, name, &p->kernel, &p->program);
    /* no compiler, or nothing to compile */
    if (status == RW_ERR_UNSUPPORTED && (e->call || !e->device->ops->discrete)) {
        if (!e->evaluator)
            rw_log(e->device->ctx, RW_LOG_WARNING, "%s; equations run in the plain evaluator, which is slow",
                   rw_message(e->device->ctx));
        e->evaluator = true;
        return check_evaluator(e);
    }
    if (status != RW_OK) return status;
    RW_TRY(rw_program_kernel(p->program, "run", &p->run));
    if (!p->kernel.naccumulators) return RW_OK;
    RW_TRY(rw_program_kernel(p->program, "combine", &p->combine));
    int64_t n = p->kernel.naccumulators * p->kernel.tiling.groups;
    return rw_array_create(e->device, RW_F64, 1, &n, RW_MEMORY_DEVICE, &p->part);
}

rw_status rw_expr_make_scalars(rw_expr *e, bool all)
{
    rw_graph *g = e->graph;
    bool *wanted = rw_calloc((size_t)g->n, 1);
    for (int n = 0; wanted && all && n < g->n; ++n) wanted[n] = !g->nodes[n].is_field && !g->nodes[n].reduced;
    for (int i = 0; wanted && i < e->npasses; ++i)
        for (int j = 0; j < e->passes[i].kernel.nslots; ++j)
            if (e->passes[i].kernel.slots[j].kind == RW_SLOT_UNIFORM) wanted[e->passes[i].kernel.slots[j].index] = true;
    for (int j = 0; wanted && j < e->update.kernel.nslots; ++j) wanted[e->update.kernel.slots[j].index] = true;
    rw_scalars *scalars = wanted ? rw_scalars_create(g, wanted) : NULL;
    rw_free(wanted);
    if (!scalars) return rw_fail_memory(e->device->ctx, 4096, "an expression program");
    rw_scalars_destroy(&e->scalars);
    e->scalars = scalars;
    e->all_scalars = all;
    return RW_OK;
}

rw_status rw_expr_from_plan(rw_device *dev, const char *name, rw_graph **graph, rw_plan *plan, rw_expr **expr)
{
    *expr = NULL;
    rw_expr *e = rw_calloc(1, sizeof *e);
    if (!e) {
        rw_plan_end(plan);
        rw_graph_destroy(graph);
        return rw_fail_memory(dev->ctx, sizeof *e, "an expression program");
    }
    e->device = rw_device_retain(dev);
    snprintf(e->name, sizeof e->name, "%.31s", name);
    e->graph = *graph;
    e->plan = *plan;
    *graph = NULL;
    memset(plan, 0, sizeof *plan);
    size_t nfields = (size_t)RW_MAX(e->graph->nfields, 1);
    e->passes = rw_calloc((size_t)RW_MAX(e->plan.npasses, 1), sizeof *e->passes);
    e->bound = rw_calloc(nfields, sizeof *e->bound);
    e->shadow = rw_calloc(nfields, sizeof *e->shadow);
    e->plan.tables = true;
    int64_t nslots = RW_MAX(e->plan.nslots, 1);
    rw_status status = RW_OK;
    if (!e->passes || !e->bound || !e->shadow) status = rw_fail_memory(dev->ctx, sizeof *e, "an expression program");
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &nslots, RW_MEMORY_DEVICE, &e->slots);
    if (status == RW_OK) status = find_call(e);
    for (int first = 0; status == RW_OK && first < e->plan.npasses; first = e->passes[e->npasses - 1].kernel.last + 1) {
        status = compile_pass(e, e->npasses, first);
        e->npasses++;
    }
    if (status == RW_OK) status = rw_expr_begin_states(e);
    if (status == RW_OK) status = rw_expr_make_scalars(e, false);
    rw_queue *q = rw_device_queue(dev);
    if (status == RW_OK && !q->recording) status = rw_expr_prepare_tables(e, q);
    if (status == RW_OK) *expr = e;
    else rw_expr_destroy(&e);
    return status;
}

void rw_expr_destroy(rw_expr **expr)
{
    if (!expr) return;
    rw_expr *e = *expr;
    *expr = NULL;
    if (!e) return;
    for (int i = 0; i < e->npasses; ++i) {
        rw_pass_kernel_free(&e->passes[i].kernel);
        rw_program_destroy(&e->passes[i].program);
        rw_array_destroy(&e->passes[i].part);
    }
    for (int f = 0; e->shadow && f < e->graph->nfields; ++f) rw_array_destroy(&e->shadow[f]);
    for (int f = 0; e->bound && f < e->graph->nfields; ++f) rw_array_destroy(&e->bound[f]);
    rw_array_destroy(&e->slots);
    rw_expr_free_states(e);
    rw_expr_free_tables(e);
    rw_scalars_destroy(&e->scalars);
    rw_free(e->passes);
    rw_free(e->bound);
    rw_free(e->shadow);
    rw_plan_end(&e->plan);
    rw_graph_destroy(&e->graph);
    rw_device_close(&e->device);
    rw_free(e);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static rw_status need_shadow(rw_expr *e, int f)
{
    rw_array *a = e->bound[f];
    if (e->shadow[f] && e->shadow[f]->storage->memory == a->storage->memory) return RW_OK;
    rw_array_destroy(&e->shadow[f]);
    return rw_array_create(e->device, a->dtype, a->ndim, a->shape, a->storage->memory, &e->shadow[f]);
}

static rw_status run_pass(rw_expr *e, rw_expr_pass *p, rw_queue *q)
{
    const rw_pass_kernel *k = &p->kernel;
    rw_arg args[RW_MAX_PARAMETERS];
    for (int i = 0; i < k->nslots; ++i) {
        const rw_slot *s = k->slots + i;
        double re, im;
        switch (s->kind) {
        case RW_SLOT_FIELD: args[i] = rw_arg_array(e->bound[s->index]); break;
        case RW_SLOT_SHADOW:
            RW_TRY(need_shadow(e, s->index));
            args[i] = rw_arg_array(e->shadow[s->index]);
            break;
        case RW_SLOT_TABLE: {
            rw_expr_table *t = rw_expr_find_table(e, s->index, k->f32);
            t->recorded = t->recorded || q->recording;
            args[i] = rw_arg_array(t->array);
            break;
        }
        case RW_SLOT_SLOTS: args[i] = rw_arg_array(e->slots); break;
        case RW_SLOT_PARTIAL: args[i] = rw_arg_array(p->part); break;
        case RW_SLOT_UNIFORM:
            rw_scalars_get(e->scalars, s->index, &re, &im);
            args[i] = rw_arg_complex(re, im);
            break;
        }
    }
    for (int i = 0; i < k->nslots; ++i)
        if (k->slots[i].kind == RW_SLOT_FIELD) RW_TRY(rw_ranks_exchange(q, args[i].array));
    RW_TRY(rw_launch(q, p->run, (int64_t[3]){k->tiling.groups, 1, 1}, args, k->nslots));
    static const rw_rank_op rank_op[] =
        {[RW_SUM] = RW_RANK_SUM, [RW_REDUCE_MIN] = RW_RANK_MIN, [RW_REDUCE_MAX] = RW_RANK_MAX};
    for (int a = 0; a < k->naccumulators; ++a)
        RW_TRY(rw_ranks_combine(q, rank_op[k->accumulator_kind[a]], p->part, a * k->tiling.groups, k->tiling.groups));
    bool later = p == e->passes + e->npasses - 1 && e->update.kernel.naccumulators; /* by the update of states */
    if (!k->naccumulators || later) return RW_OK;
    rw_arg c[] = {rw_arg_array(e->slots), rw_arg_array(p->part), rw_arg_int(k->tiling.groups)};
    return rw_launch(q, p->combine, (int64_t[3]){k->naccumulators, 1, 1}, c, 3);
}

/* Checked when all is bound, so that fields may exchange their arrays one after the other. Fields that are only read
 * may share one. */
static rw_status check_bound(rw_expr *e)
{
    const rw_graph_field *fields = e->graph->fields;
    for (int i = 0; i < e->graph->nfields; ++i)
        for (int j = 0; e->bound[i] && j < i; ++j)
            if (e->bound[i] == e->bound[j] && (fields[i].versions || fields[j].versions) && rw_expr_uses_field(e, i) &&
                rw_expr_uses_field(e, j))
                return rw_fail(e->device->ctx, RW_ERR_ARGUMENT,
                               "the same array is bound to fields %s and %s of %s: bind a different array to each",
                               e->graph->fields[j].name, e->graph->fields[i].name, e->name);
    for (int i = 0; i < e->npasses; ++i) {
        const rw_pass_kernel *k = &e->passes[i].kernel;
        for (int j = 0; j < k->nslots; ++j)
            if ((k->slots[j].kind == RW_SLOT_FIELD || k->slots[j].kind == RW_SLOT_SHADOW) &&
                !e->bound[k->slots[j].index])
                return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "field %s of %s has no array: call rw_expr_bind first",
                               e->graph->fields[k->slots[j].index].name, e->name);
    }
    return RW_OK;
}

/* The first field that is written to its second array; -1: none. */
static int find_shadow(const rw_expr *e)
{
    for (int i = 0; i < e->npasses; ++i) {
        const rw_pass_kernel *k = &e->passes[i].kernel;
        for (int j = 0; j < k->nslots; ++j)
            if (k->slots[j].kind == RW_SLOT_SHADOW) return k->slots[j].index;
    }
    return -1;
}

bool rw_expr_is_recordable(const rw_expr *e) { return find_shadow(e) < 0 && !e->call && !e->evaluator; }

/* A recorded launch keeps its memory, but arrays that are exchanged have other memory at each run. */
static rw_status check_recordable(rw_expr *e)
{
    const int shadow = find_shadow(e);
    if (shadow >= 0)
        return rw_fail(
            e->device->ctx, RW_ERR_UNSUPPORTED,
            "%s cannot be recorded: it writes %s to a second array and swaps the two: assign to another field", e->name,
            e->graph->fields[shadow].name);
    if (e->call)
        return rw_fail(e->device->ctx, RW_ERR_UNSUPPORTED,
                       "%s cannot be recorded: it calls %s, a function in C, on the host", e->name,
                       e->graph->functions[e->call - 1].name);
    if (e->evaluator)
        return rw_fail(e->device->ctx, RW_ERR_UNSUPPORTED, "%s cannot be recorded: it runs in the plain evaluator",
                       e->name);
    return RW_OK;
}

/* The second array of a field becomes the field. Memory that the caller lent to the array stays with the array. */
static rw_status take_shadow(rw_expr *e, int f, rw_queue *q)
{
    rw_array *a = e->bound[f];
    return !rw_array_may_swap(a) ? rw_array_copy(a, e->shadow[f], q) : rw_array_swap(a, e->shadow[f]);
}

rw_status rw_expr_run(rw_expr *e, rw_queue *q)
{
    RW_NEED(e, "expr");
    RW_NEED(q, "queue");
    RW_TRY(check_bound(e));
    if (q->recording) RW_TRY(check_recordable(e));
    if (e->evaluator) return rw_expr_evaluate(e);
    if (!rw_scalars_update(e->scalars)) return rw_fail_memory(e->device->ctx, 256, "scalars at the stage times");
    RW_TRY(rw_expr_prepare_tables(e, q));
    for (int i = 0; i < e->npasses; ++i) {
        RW_TRY(run_pass(e, e->passes + i, q));
        const rw_pass_kernel *k = &e->passes[i].kernel;
        for (int j = 0; j < k->nslots; ++j)
            if (k->slots[j].kind == RW_SLOT_SHADOW) RW_TRY(take_shadow(e, k->slots[j].index, q));
    }
    return rw_expr_update_states(e, q);
}

/* ---- plan -------------------------------------------------------------------------------------------------------- */

static rw_status expr_get_plan(const rw_expr *e, rw_expr_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    const rw_grid *g = &e->graph->grid;
    plan->passes = e->npasses;
    plan->reductions = e->plan.nreductions;
    plan->evaluator = e->evaluator;
    plan->function = e->call ? e->graph->functions[e->call - 1].name : NULL;
    for (int i = 0; i < e->npasses; ++i) {
        const rw_pass_kernel *k = &e->passes[i].kernel;
        plan->bytes_per_cell += (double)k->bytes_per_cell;
        plan->flops_per_cell += k->flops;
        for (int j = 0; j < k->nslots; ++j)
            plan->stores +=
                (k->slots[j].kind == RW_SLOT_FIELD || k->slots[j].kind == RW_SLOT_SHADOW) && k->slots[j].written;
    }
    plan->bytes = (int64_t)plan->bytes_per_cell * g->size[0] * g->size[1] * g->size[2];
    return RW_OK;
}

rw_status rw_expr_get_plan_sized(const rw_expr *e, rw_expr_plan *plan, size_t plan_size)
{
    RW_NEED(e, "expr");
    RW_NEED(plan, "plan");
    RW_STRUCT_ROOM(rw_expr_plan, plan, plan_size);
    return RW_STRUCT_OUT(expr_get_plan(e, plan_whole), plan, plan_size);
}

/* Tables have names that begin with 0. */
static const char *shown(const rw_graph_field *f) { return f->name + (f->columns > 0); }

rw_status rw_expr_explain(const rw_expr *e, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(e, "expr");
    rw_text t = {0};
    rw_expr_plan plan;
    rw_expr_get_plan(e, &plan);
    static const char *const kinds[] = {"sum", "min", "max"};
    const bool space = e->graph->grid.ndim > 0;
    rw_text_add(&t, "%s: %lld pass%s, %.0f bytes and %.0f flops%s%s", e->name, (long long)plan.passes,
                plan.passes == 1 ? "" : "es", plan.bytes_per_cell, plan.flops_per_cell, space ? " per cell" : "",
                plan.evaluator ? ", run by the plain evaluator (" : "");
    if (plan.function) rw_text_add(&t, "on the host, because %s is a function in C)", plan.function);
    else if (plan.evaluator) rw_text_add(&t, "no compiler)");
    rw_text_add(&t, "\n");
    for (int i = 0; i < e->npasses; ++i) {
        const rw_pass_kernel *k = &e->passes[i].kernel;
        rw_text_add(&t, "  pass %d", i + 1);
        if (k->last > k->first) rw_text_add(&t, " (%d fused, tiles overlap)", k->last - k->first + 1);
        rw_text_add(&t, ": reads");
        bool any = false;
        for (int j = 0; j < k->nslots; ++j)
            if (k->slots[j].kind == RW_SLOT_FIELD && k->slots[j].read) {
                rw_text_add(&t, "%s %s", any ? "," : "", shown(e->graph->fields + k->slots[j].index));
                any = true;
            }
        if (!any) rw_text_add(&t, " nothing");
        rw_text_add(&t, "; writes");
        any = false;
        for (int j = 0; j < k->nslots; ++j)
            if ((k->slots[j].kind == RW_SLOT_FIELD || k->slots[j].kind == RW_SLOT_SHADOW) && k->slots[j].written) {
                rw_text_add(&t, "%s %s%s", any ? "," : "", e->graph->fields[k->slots[j].index].name,
                            k->slots[j].kind == RW_SLOT_SHADOW ? " (to a second array)" : "");
                any = true;
            }
        for (int r = 0; r < e->plan.nreductions; ++r)
            if (e->plan.reductions[r].pass >= k->first && e->plan.reductions[r].pass <= k->last) {
                rw_text_add(&t, "%s a %s", any ? "," : "", kinds[e->plan.reductions[r].kind]);
                any = true;
            }
        if (!any) rw_text_add(&t, " nothing");
        rw_text_add(&t, "; %lld bytes, %.0f flops%s; %s", (long long)k->bytes_per_cell, k->flops,
                    space ? " per cell" : "", k->f32 ? "f32" : "f64");
        if (space)
            rw_text_add(&t, ", tiles of %lld x %lld x %lld in %lld workgroups of %d", (long long)k->tiling.tile[0],
                        (long long)k->tiling.tile[1], (long long)k->tiling.tile[2], (long long)k->tiling.groups,
                        k->tiling.group);
        rw_text_add(&t, "\n");
    }
    *text = t.failed ? NULL : strdup(t.data);
    rw_text_free(&t);
    return *text ? RW_OK : rw_fail_memory(e->device->ctx, 4096, "the plan as text");
}
