/* Programs of a method: the user's equations are lowered once more for each vector whose right-hand side a kernel
 * needs, with the names of the fields meaning that vector and t meaning its time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/leaves.h"
#include "ode/algebraic.h"
#include "ode/implicit.h"

static void note(rw_building *b, rw_status status)
{
    if (b->status == RW_OK) b->status = status;
}

static void note_memory(rw_building *b)
{
    if (b->status != RW_OK || !b->graph->failed) return;
    rw_context *ctx = b->ode->device->ctx;
    b->status = b->graph->too_large ? rw_fail(ctx, RW_ERR_INPUT,
                                              "%s: the equations, fused into one kernel of a step, have more than "
                                              "%d operations: write them shorter",
                                              b->ode->source.name, RW_GRAPH_NODES)
                                    : rw_fail_memory(ctx, 4096, "a program");
}

void rw_build_begin(rw_building *b, rw_ode *ode)
{
    memset(b, 0, sizeof *b);
    b->ode = ode;
    b->external = b->split = -1;
    memset(b->unknown, -1, sizeof b->unknown);
    b->status = rw_graph_create(ode->device->ctx, &ode->grid, ode->order, &b->graph);
    if (b->status != RW_OK) return;
    b->graph->layout = ode->layout;
    b->graph->gather = true; /* functions of time in one piece: see rw_stage_time */
    b->graph->linear = true;
    /* in single precision rounded factors no longer add up to what they should */
    for (int f = 0; f < ode->nfields; ++f)
        if (ode->fields[f].dtype == RW_F32 || ode->fields[f].dtype == RW_C64) b->graph->linear = false;
    rw_lowering_begin(&b->lowering, ode->device->ctx, b->graph);
    int n = RW_ODE_VECTORS * ode->nfields;
    b->field = rw_calloc((size_t)(n + RW_COUNT(b->node) * ode->nfields), sizeof *b->field);
    if (!b->field) {
        note(b, rw_fail_memory(ode->device->ctx, (size_t)n * sizeof *b->field, "a program"));
        return;
    }
    memset(b->field, -1, (size_t)n * sizeof *b->field);
    for (int i = 0; i < RW_COUNT(b->node); ++i) b->node[i] = b->field + n + i * ode->nfields;
    b->scalars = b->graph->nparams;
    for (int i = 0; i < ode->nscalars; ++i)
        rw_graph_add_param(b->graph, ode->scalars[i].name, ode->scalars[i].is_complex, ode->scalars[i].value,
                           ode->scalars[i].imaginary);
    note_memory(b);
    if (b->status == RW_OK) note(b, rw_lower_definitions(&b->lowering, &ode->source, &ode->parsed));
}

rw_node rw_build_setting(rw_building *b, const char *name, double value)
{
    if (b->status != RW_OK) return 0;
    char inner[40]; /* '#' keeps it apart from the user's names */
    snprintf(inner, sizeof inner, "#%s", name);
    rw_node n = rw_scalar_argument(b->graph, rw_graph_add_param(b->graph, inner, false, value, 0));
    note_memory(b);
    return n;
}

rw_node rw_build_scalar(rw_building *b, const char *name) { return rw_build_setting(b, name, 0); }

static void set_time(rw_building *b, rw_node time)
{
    note(b, rw_lower_local(&b->lowering, &b->ode->source, 0, "t", (rw_value){.n = 1, .node = {time, -1, -1}}));
}

void rw_build_vector(rw_building *b, int v, rw_node time)
{
    rw_ode *ode = b->ode;
    if (b->status != RW_OK) return;
    const int place = b->graph->nfields; /* not v: equal programs are one, whatever vectors they are for */
    b->time[v] = time;
    for (int f = 0; f < ode->nfields && b->status == RW_OK; ++f) {
        char name[48];
        snprintf(name, sizeof name, "%.31s_%d", ode->fields[f].name, place);
        b->field[v * ode->nfields + f] = rw_graph_add_field(b->graph, name, ode->fields[f].dtype);
        note_memory(b);
    }
    for (int u = ode->nfields; u < ode->nfields + ode->nunknowns && b->status == RW_OK; ++u) {
        char name[48];
        snprintf(name, sizeof name, "%.31s_%d", ode->fields[u].name, place);
        rw_graph_add_field(b->graph, name, ode->fields[u].dtype);
        b->unknown[v] = place + ode->nfields;
        note_memory(b);
    }
    if (b->status == RW_OK) note(b, rw_build_externals(b)); /* whose sides do not depend on time */
    if (v == 0 || !ode->algebraic || !ode->algebraic->read_by_sides) rw_build_sides(b, v);
}

void rw_build_sides(rw_building *b, int v)
{
    const rw_ode *ode = b->ode;
    if (b->sided[v] || b->status != RW_OK) return;
    b->sided[v] = true;
    note(b, rw_build_sides_of(b, ode->fields, ode->nfields + ode->nunknowns, b->field[v * ode->nfields], b->time[v]));
}

rw_status rw_build_sides_of(rw_building *b, const rw_expr_field *fields, int nfields, int first, rw_node time)
{
    const int nlocals = b->lowering.nlocals;
    set_time(b, time);
    if (b->status == RW_OK) note(b, rw_lower_sides(&b->lowering, fields, nfields, first));
    b->lowering.nlocals = nlocals;
    return b->status;
}

static rw_status ensure_plan(rw_building *b)
{
    if (b->planned) return RW_OK;
    RW_TRY(rw_plan_begin(&b->plan, b->graph, 0));
    b->planned = true;
    return RW_OK;
}

rw_node rw_build_value(rw_building *b, int v, int f)
{
    static const int here[3] = {0};
    if (b->status != RW_OK) return 0;
    int i = b->field[v * b->ode->nfields + f];
    return rw_field(b->graph, i, b->graph->fields[i].versions, here);
}

static rw_node build_unknown(rw_building *b, int v, int u)
{
    static const int here[3] = {0};
    return rw_field(b->graph, b->unknown[v] + u, 0, here);
}

/* Unknowns included. */
static int find_user_field(const rw_ode *ode, const char *name)
{
    for (int f = 0; f < ode->nfields + ode->nunknowns; ++f)
        if (!strcmp(ode->fields[f].name, name)) return f;
    return -1;
}

static rw_status lower_statement(rw_building *b, const rw_statement *s, rw_rate_part part, rw_node *rates)
{
    rw_ode *ode = b->ode;
    rw_lowering *l = &b->lowering;
    rw_value value;
    if (s->kind == RW_EQUATION) return RW_OK; /* algebraic.c solves it */
    if (s->kind == RW_RATE) RW_TRY(rw_lower_rate(l, &ode->source, s->value, part, &value));
    else RW_TRY(rw_lower(l, &ode->source, s->value, &value));
    int f = find_user_field(ode, s->name);
    if (s->kind == RW_ASSIGN) {
        if (f >= 0)
            return rw_fail_at(l->ctx, &ode->source, s->at,
                              "field %s must not be assigned: write its equation, "
                              "d%s/dt = …",
                              s->name, s->name);
        if (rw_graph_find_field(b->graph, s->name) >= b->external && b->external >= 0)
            return rw_fail_at(l->ctx, &ode->source, s->at, "%s cannot be assigned: it is an external field", s->name);
        const bool reserved = rw_is_reserved_on(&ode->grid, s->name);
        if (reserved || rw_graph_find_param(b->graph, s->name) >= 0)
            return rw_fail_at(l->ctx, &ode->source, s->at, "%s cannot be assigned: it is %s", s->name,
                              reserved ? "a word of the language" : "a parameter");
        return rw_lower_local(l, &ode->source, s->at, s->name, value);
    }
    if (f < 0 && s->name[0] == 'd' && find_user_field(ode, s->name + 1) >= 0)
        return rw_fail_at(l->ctx, &ode->source, s->at, RW_SECOND_RATE_ADVICE, s->name + 1);
    if (f < 0) {
        const char *names[64];
        int n = RW_MIN(ode->nfields, 64);
        for (int i = 0; i < n; ++i) names[i] = ode->fields[i].name;
        const char *near = rw_nearest(s->name, names, n);
        return rw_fail_at(l->ctx, &ode->source, s->at, "d%s/dt: there is no field %s%s%s", s->name, s->name,
                          near ? "; nearest is " : "", near ? near : "");
    }
    if (rates[f] >= 0) return rw_fail_at(l->ctx, &ode->source, s->at, "a second equation for d%s/dt", s->name);
    if (value.n > 1) return rw_fail_at(l->ctx, &ode->source, s->at, "incompatible shapes: d%s/dt is a vector", s->name);
    if (b->graph->nodes[value.node[0]].is_complex && !rw_dtype_is_complex(ode->fields[f].dtype))
        return rw_fail_at(l->ctx, &ode->source, s->at,
                          "d%s/dt is complex, the field %s real: give the field dtype c128 or c64, or take real(), "
                          "imag() or abs()",
                          s->name, s->name);
    rates[f] = value.node[0];
    return RW_OK;
}

/* Nodes on sides that are given are no unknowns. */
static void zero_given(rw_building *b, int v, rw_node *rates)
{
    for (int f = 0; f < b->ode->nfields && b->status == RW_OK; ++f)
        rates[f] = rw_with_given(b->graph, b->field[v * b->ode->nfields + f], rates[f], true);
}

void rw_build_rates(rw_building *b, int v, rw_node *rates) { rw_build_part(b, v, RW_RATE_WHOLE, -1, rates); }

/* The value of field f that the rates read. */
static rw_node value_of(rw_building *b, int v, int split, int f)
{
    static const int here[3] = {0};
    const struct rw_implicit *m = b->ode->implicit;
    for (int k = 0; split >= 0 && k < m->n; ++k)
        if (m->field[k] == f) return rw_field(b->graph, split + k, 0, here);
    return rw_build_value(b, v, f);
}

/* What names of fields are in what is lowered next. */
static void lower_names(rw_building *b, int v, int split)
{
    const rw_ode *ode = b->ode;
    rw_lowering *l = &b->lowering;
    note(b, rw_build_externals(b));
    rw_build_sides(b, v);
    set_time(b, b->time[v]);
    for (int f = 0; f < ode->nfields && b->status == RW_OK; ++f)
        note(b, rw_lower_local(l, &ode->source, 0, ode->fields[f].name,
                               (rw_value){.n = 1, .node = {value_of(b, v, split, f), -1, -1}}));
    for (int u = 0; u < ode->nunknowns && b->status == RW_OK; ++u)
        note(b, rw_lower_local(l, &ode->source, 0, ode->fields[ode->nfields + u].name,
                               (rw_value){.n = 1, .node = {build_unknown(b, v, u), -1, -1}}));
}

rw_node rw_build_text(rw_building *b, int v, const rw_source *source)
{
    const int nlocals = b->lowering.nlocals;
    rw_node value = 0;
    if (b->status == RW_OK) lower_names(b, v, -1);
    if (b->status == RW_OK) note(b, rw_lower_text(&b->lowering, source, &value));
    b->lowering.nlocals = nlocals;
    note_memory(b);
    return value;
}

void rw_build_part(rw_building *b, int v, rw_rate_part part, int split, rw_node *rates)
{
    const rw_ode *ode = b->ode;
    rw_lowering *l = &b->lowering;
    if (b->status != RW_OK) return;
    int nlocals = l->nlocals;
    for (int f = 0; f < ode->nfields; ++f) rates[f] = -1;
    lower_names(b, v, split);
    for (int i = 0; i < ode->parsed.n && b->status == RW_OK; ++i)
        if (ode->parsed.statements[i].kind != RW_DEFINE)
            note(b, lower_statement(b, ode->parsed.statements + i, part, rates));
    for (int f = 0; f < ode->nfields && b->status == RW_OK; ++f) {
        const char *name = ode->fields[f].name;
        const rw_statement *second = rates[f] < 0 ? rw_second_rate(&ode->parsed, name) : NULL;
        if (second) note(b, rw_fail_at(l->ctx, &ode->source, second->at, RW_SECOND_RATE_ADVICE, name));
        else if (rates[f] < 0)
            note(b, rw_fail(ode->device->ctx, RW_ERR_INPUT, "%s: there is no equation for field %s: add d%s/dt = …",
                            ode->source.name, ode->fields[f].name, ode->fields[f].name));
    }
    l->nlocals = nlocals;
    zero_given(b, v, rates);
    note_memory(b);
}

void rw_build_store(rw_building *b, int v, int f, rw_node value)
{
    if (b->status == RW_OK) note(b, ensure_plan(b));
    if (b->status == RW_OK) note(b, rw_plan_store(&b->plan, b->field[v * b->ode->nfields + f], value));
    b->stores |= 1u << v;
}

void rw_build_result(rw_building *b, const char *name, rw_node value)
{
    if (b->status == RW_OK) note(b, ensure_plan(b));
    if (b->status == RW_OK) note(b, rw_plan_result(&b->plan, name, value));
}

static rw_node magnitude(rw_graph *g, rw_node n) { return rw_make1(g, RW_OP_ABS, n); }

/* The field of the graph that is field f of some vector with its sides. */
static int field_of_any(const rw_building *b, int f)
{
    int v = 0;
    while (v < RW_ODE_VECTORS - 1 && !b->sided[v]) ++v;
    return b->field[v * b->ode->nfields + f];
}

/* Nodes of a field without those on sides where its value is given everywhere. */
static double count_unknowns(const rw_graph *g, int field)
{
    double n = 1;
    for (int d = 0; d < g->grid.ndim; ++d) {
        const rw_graph_side *s = g->fields[field].boundary + 2 * d;
        int given = 0;
        for (int upper = 0; upper < 2; ++upper) given += s[upper].given && s[upper].kind == RW_BOUNDARY_DIRICHLET;
        n *= (double)RW_MAX(g->grid.size[d] - given, 1);
    }
    return n;
}

static rw_node larger(rw_graph *g, rw_node a, rw_node b) { return a < 0 ? b : OP(MAX, a, b); }

/* Of complex values without hypot(), which keeps compilers from vectorising a loop: sqrt(|z|^2), and where squares
 * overflow the bound sqrt(2) max(|re|, |im|). */
rw_node rw_build_size(rw_graph *g, rw_node y, const rw_node *next)
{
    rw_node square = -1, most = -1;
    if (!g->nodes[y].is_complex) {
        const rw_node size = magnitude(g, y);
        return next ? OP(MAX, size, magnitude(g, *next)) : size;
    }
    for (int i = 0; i < (next ? 2 : 1); ++i) {
        const rw_node z = i ? *next : y, size = magnitude(g, z);
        square = larger(g, square, OP(MUL, size, size));
        most = larger(g, most, magnitude(g, rw_make1(g, RW_OP_REAL, z)));
        most = larger(g, most, magnitude(g, rw_make1(g, RW_OP_IMAG, z)));
    }
    return OP(MIN, rw_make1(g, RW_OP_SQRT, square), OP(MUL, rw_real(g, 1.41421356237309515), most));
}

/* (|e|/d)^2 added to the sum. */
static rw_node add_ratio(rw_graph *g, rw_node sum, rw_node e, rw_node d)
{
    if (g->nodes[e].is_complex) {
        const rw_node im = OP(DIV, rw_make1(g, RW_OP_IMAG, e), d);
        sum = OP(ADD, sum, OP(MUL, im, im));
        e = rw_make1(g, RW_OP_REAL, e);
    }
    const rw_node r = OP(DIV, magnitude(g, e), d);
    return OP(ADD, sum, OP(MUL, r, r));
}

void rw_build_norm(rw_building *b, const rw_node *e, const rw_node *y, const rw_node *next)
{
    const rw_ode *ode = b->ode;
    rw_graph *g = b->graph;
    if (b->status != RW_OK) return;
    const rw_node atol = rw_build_setting(b, "atol", ode->atol), rtol = rw_build_setting(b, "rtol", ode->rtol);
    rw_node sum = rw_real(g, 0);
    for (int f = 0; f < ode->nfields && b->status == RW_OK; ++f) {
        const int field = field_of_any(b, f);
        const rw_node size = rw_build_size(g, y[f], next ? next + f : NULL),
                      allowed = OP(ADD, atol, OP(MUL, rtol, size));
        if (!g->fields[field].given) sum = add_ratio(g, sum, e[f], allowed);
        else sum = OP(ADD, sum, rw_with_given(g, field, add_ratio(g, rw_real(g, 0), e[f], allowed), true));
    }
    if (b->status != RW_OK) return;
    double entries = rw_grid_nodes(&ode->grid) * ode->nfields;
    if (g->given) entries = 0;
    for (int f = 0; f < ode->nfields && g->given; ++f) entries += count_unknowns(g, field_of_any(b, f));
    rw_build_result(b, "norm", rw_make1(g, RW_OP_SQRT, OP(DIV, rw_reduce(g, RW_SUM, sum), rw_real(g, entries))));
}

/* Names of times begin with t. */
static bool is_time(const rw_graph *g, int param) { return !strncmp(g->params[param].name, "#t", 2); }

static bool depends_on_time(rw_graph *g, rw_node n)
{
    for (int p = 0; n >= 0 && p < g->nparams; ++p)
        if (is_time(g, p) && rw_graph_depends(g, n, p)) return true;
    return false;
}

/* A kernel's argument changes with time. */
static bool moves(const rw_expr *e)
{
    for (int i = 0; i < e->npasses; ++i) {
        const rw_pass_kernel *k = &e->passes[i].kernel;
        for (int j = 0; j < k->nslots; ++j)
            if (k->slots[j].kind == RW_SLOT_UNIFORM && depends_on_time(e->graph, k->slots[j].index)) return true;
    }
    return e->evaluator;
}

bool rw_build_sides_vary(const rw_building *b)
{
    rw_graph *g = b->graph;
    if (b->status == RW_OK && g->sides_read) return true;
    for (int f = 0; b->status == RW_OK && f < g->nfields; ++f)
        for (int s = 0; s < 2 * g->grid.ndim; ++s)
            for (int i = 0; i < 3; ++i)
                if (depends_on_time(g, g->fields[f].boundary[s].value[i])) return true;
    return false;
}

/* Fields of the graph that a value depends on, those that sides read included. */
static bool mark_read(const rw_graph *g, rw_node n, bool *read, bool *beyond)
{
    rw_leaves l = {0};
    bool ok = n < 0 || rw_collect_leaves(g, n, -1, &l);
    for (int i = 0; i < l.nfields && ok; ++i) {
        const rw_graph_node *p = g->nodes + l.field[i];
        const rw_graph_field *f = g->fields + p->index;
        read[p->index] = true;
        if (beyond[p->index] || !(p->offset[0] || p->offset[1] || p->offset[2] || f->given)) continue;
        beyond[p->index] = true;
        for (int s = 0; s < 2 * g->grid.ndim && ok; ++s)
            for (int k = 0; k < 3 && ok; ++k) ok = mark_read(g, f->boundary[s].value[k], read, beyond);
    }
    rw_free(l.field);
    return ok;
}

/* The vectors whose unknowns the program reads. */
static rw_status find_reads(const rw_building *b, rw_stage *stage)
{
    const rw_ode *ode = b->ode;
    const rw_graph *g = b->graph;
    const rw_plan *plan = &b->plan;
    if (!ode->nunknowns) return RW_OK;
    bool *read = rw_calloc(2 * (size_t)g->nfields + 1, sizeof *read), ok = read;
    for (int i = 0; i < plan->nstores && ok; ++i) ok = mark_read(g, plan->stores[i].value, read, read + g->nfields);
    for (int i = 0; i < plan->nresults && ok; ++i) ok = mark_read(g, plan->results[i].value, read, read + g->nfields);
    for (int i = 0; i < g->nstates && ok; ++i) ok = mark_read(g, plan->states[i], read, read + g->nfields);
    for (int v = 0; v < RW_ODE_VECTORS && ok; ++v) {
        bool any = false;
        for (int u = 0; u < ode->nunknowns && b->unknown[v] >= 0; ++u) any = any || read[b->unknown[v] + u];
        if (any && stage->nreads == RW_COUNT(stage->reads)) {
            rw_free(read);
            return rw_fail(ode->device->ctx, RW_ERR_INTERNAL, "a program reads the unknowns of three vectors");
        }
        if (any) stage->reads[stage->nreads++] = (rw_unknowns_read){v, b->unknown[v], g->nodes[b->time[v]].index};
    }
    rw_free(read);
    return ok ? RW_OK : rw_fail_memory(ode->device->ctx, (size_t)g->nfields, "a program");
}

rw_status rw_build_end(rw_building *b, const char *name, rw_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    rw_lowering_end(&b->lowering);
    note_memory(b); /* a graph that is not whole gives another program, not none */
    if (b->status == RW_OK) note(b, ensure_plan(b));
    if (b->status == RW_OK) note(b, rw_plan_finish(&b->plan));
    note_memory(b);
    if (b->status == RW_OK) note(b, find_reads(b, stage));
    if (b->status == RW_OK) {
        note(b, rw_expr_from_plan(b->ode->device, name, &b->graph, &b->plan, &stage->expr));
    } else {
        rw_plan_end(&b->plan);
        rw_graph_destroy(&b->graph);
    }
    stage->scalars = b->scalars;
    stage->own = b->scalars + b->ode->nscalars;
    stage->external = b->external;
    stage->split = b->split;
    stage->split_of = b->split_of;
    stage->stores = b->stores;
    if (b->status == RW_OK) {
        stage->field = b->field;
        stage->moves = moves(stage->expr) || (stage->nreads && b->ode->algebraic->moves);
    } else rw_free(b->field);
    return b->status;
}

rw_status rw_build_euler(rw_ode *ode, int into, const char *name, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), c = rw_build_scalar(&b, "c");
    rw_build_vector(&b, 0, t);
    rw_build_vector(&b, into, t);
    rw_node *rates = b.node[0];
    rw_build_rates(&b, 0, rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f)
        rw_build_store(&b, into, f, OP(ADD, rw_build_value(&b, 0, f), OP(MUL, c, rates[f])));
    return rw_build_end(&b, name, stage);
}

/* y = y: reads give what sides give, and stores write it. */
static rw_status build_settled(rw_ode *ode)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_build_vector(&b, 0, rw_build_scalar(&b, "t"));
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        const rw_graph_field *field = b.graph->fields + b.field[f];
        const rw_node y = rw_build_value(&b, 0, f);
        if (field->given) rw_build_store(&b, 0, f, field->reads ? y : rw_with_given(b.graph, b.field[f], y, false));
    }
    for (int u = 0; u < ode->nunknowns && b.status == RW_OK; ++u) {
        const int field = b.unknown[0] + u;
        if (b.graph->fields[field].given) note(&b, ensure_plan(&b));
        if (b.graph->fields[field].given && b.status == RW_OK)
            note(&b, rw_plan_store(&b.plan, field, build_unknown(&b, 0, u)));
    }
    b.stores = 0; /* nodes that are given: unknowns do not depend on them */
    return rw_build_end(&b, "settled", &ode->settled);
}

rw_status rw_ode_settle(rw_ode *ode)
{
    RW_TRY(rw_algebraic_update(ode, ode->now.t));
    if (ode->layout != RW_GRID_NODE) return RW_OK;
    if (!ode->settled.expr) RW_TRY(build_settled(ode));
    rw_stage_set(&ode->settled, "t", ode->now.t);
    RW_TRY(rw_stage_run(ode, &ode->settled));
    ode->settled_at = ode->changes;
    return RW_OK;
}

rw_status rw_build_find_reads(rw_ode *ode)
{
    const int n = ode->nfields + ode->nunknowns;
    rw_building b;
    if (!ode->algebraic) return RW_OK;
    rw_build_begin(&b, ode);
    rw_build_vector(&b, 0, rw_build_scalar(&b, "t"));
    rw_build_sides(&b, 0);
    bool *reads = &ode->algebraic->read_by_sides;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f)
        for (int u = ode->nfields; u < n; ++u)
            for (int s = 0; s < 2 * ode->grid.ndim; ++s)
                *reads = *reads || rw_side_reads(b.graph, b.graph->fields[f].boundary + s, u);
    return rw_build_drop(&b);
}

rw_status rw_build_drop(rw_building *b)
{
    rw_lowering_end(&b->lowering);
    note_memory(b);
    if (b->planned) rw_plan_end(&b->plan);
    rw_graph_destroy(&b->graph);
    rw_free(b->field);
    return b->status;
}

void rw_stage_set_scalars(rw_ode *ode, rw_stage *stage)
{
    for (int i = 0; i < ode->nscalars; ++i)
        rw_expr_set_index(stage->expr, stage->scalars + i, ode->scalars[i].value, ode->scalars[i].imaginary);
}

rw_status rw_stage_prepare(rw_ode *ode, rw_stage *stage)
{
    rw_stage_set_scalars(ode, stage);
    return rw_expr_prepare_tables(stage->expr, rw_device_queue(ode->device));
}

rw_status rw_stage_run(rw_ode *ode, rw_stage *stage)
{
    rw_expr *e = stage->expr;
    if (ode->note) return ode->note(ode, stage);
    for (int i = 0; i < RW_ODE_VECTORS * ode->nfields; ++i)
        if (stage->field[i] >= 0 && e->bound[stage->field[i]] != ode->vector[i])
            rw_expr_hold(e, stage->field[i], ode->vector[i]);
    for (int k = 0; stage->split >= 0 && k < ode->implicit->n; ++k)
        rw_expr_hold(e, stage->split + k, ode->vector[stage->split_of * ode->nfields + ode->implicit->field[k]]);
    rw_externals_hold(ode, stage);
    RW_TRY(rw_algebraic_solve_for(ode, stage));
    rw_stage_set_scalars(ode, stage);
    RW_TRY(rw_expr_run(e, rw_device_queue(ode->device)));
    rw_algebraic_note_stores(ode, stage);
    return RW_OK;
}

static int find_own(const rw_stage *stage, const char *scalar)
{
    const rw_graph *g = stage->expr->graph;
    for (int i = stage->own; i < g->nparams; ++i) {
        const char *name = g->params[i].name + 1; /* after # */
        if (name[0] == scalar[0] && !strcmp(name, scalar)) return i;
    }
    return -1;
}

void rw_stage_set(rw_stage *stage, const char *scalar, double value)
{
    int p = find_own(stage, scalar);
    if (p >= 0) rw_expr_set_index(stage->expr, p, value, 0);
}

double rw_ode_stage_time(const rw_ode *ode, double c, double h) { return RW_MIN(ode->now.t + c * h, ode->step_end); }

void rw_quadrature_begin(rw_quadrature_rule *rule)
{
    static const double pi = 3.14159265358979323846;
    double factorial = 1;
    for (int q = 0; q < RW_QUADRATURE_NODES; ++q) rule->theta[q] = (1 - cos(pi * (q + 0.5) / RW_QUADRATURE_NODES)) / 2;
    for (int q = 0; q < RW_QUADRATURE_NODES; ++q) { /* Lagrange's polynomial of node q by its coefficients */
        double *l = rule->weight[q];
        for (int k = 0; k < RW_QUADRATURE_NODES; ++k) l[k] = k == 0;
        for (int r = 0, n = 0; r < RW_QUADRATURE_NODES; ++r) {
            if (r == q) continue;
            double d = rule->theta[q] - rule->theta[r];
            ++n;
            for (int k = n; k > 0; --k) l[k] = (l[k - 1] - rule->theta[r] * l[k]) / d;
            l[0] *= -rule->theta[r] / d;
        }
    }
    for (int k = 1; k < RW_QUADRATURE_NODES; ++k) {
        factorial *= k;
        for (int q = 0; q < RW_QUADRATURE_NODES; ++q) rule->weight[q][k] *= factorial;
    }
}

static void make_quadrature(const rw_ode *ode, double h, const double *polynomial, rw_quadrature *c)
{
    c->n = RW_QUADRATURE_NODES;
    for (int q = 0; q < RW_QUADRATURE_NODES; ++q) {
        c->at[q] = ode->now.t + ode->quadrature.theta[q] * h;
        for (int k = 0; k < RW_QUADRATURE_NODES; ++k) c->weight[q] += ode->quadrature.weight[q][k] * polynomial[k];
    }
}

rw_status rw_stage_time(rw_ode *ode, rw_stage *stage, const char *scalar, double h,
                        const double polynomial[RW_QUADRATURE_NODES])
{
    int p = find_own(stage, scalar);
    if (p < 0) return RW_OK;
    rw_expr_set_index(stage->expr, p, rw_ode_stage_time(ode, polynomial[1], h), 0);
    if (!stage->moves) return RW_OK;
    rw_quadrature c = {0};
    make_quadrature(ode, h, polynomial, &c);
    if (!rw_graph_set_quadrature(stage->expr->graph, p, &c))
        return rw_fail_memory(ode->device->ctx, sizeof c, "a stage-time quadrature");
    return RW_OK;
}

void rw_ode_exchange(rw_ode *ode, int v, int w)
{
    for (int f = 0; f < ode->nfields; ++f) {
        rw_array **a = ode->vector + v * ode->nfields + f, **b = ode->vector + w * ode->nfields + f, *t = *a;
        *a = *b;
        *b = t;
    }
    rw_algebraic_exchange(ode, v, w);
}

rw_status rw_stage_explain(const rw_stage *stage, rw_text *text)
{
    char *part;
    RW_TRY(rw_expr_explain(stage->expr, &part));
    rw_text_add(text, "%s", part);
    free(part);
    return RW_OK;
}

void rw_stage_free(rw_stage *stage)
{
    if (!stage->expr) return;
    rw_expr_destroy(&stage->expr);
    rw_free(stage->field);
    stage->field = NULL;
}
