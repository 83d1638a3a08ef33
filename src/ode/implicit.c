#include "ode/implicit.h"

#include <math.h>
#include <string.h>

#include "elliptic/elliptic.h"
#include "expr/boundary.h"
#include "expr/equations.h"
#include "ode/algebraic.h"

enum { Y };

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static rw_status find_fields(rw_ode *ode)
{
    struct rw_implicit *m = ode->implicit;
    for (int i = 0; i < ode->parsed.n; ++i) {
        const rw_statement *s = ode->parsed.statements + i;
        if (s->kind != RW_RATE || !rw_has_implicit(s->value)) continue;
        for (int f = 0; f < ode->nfields && m->n < ode->nfields; ++f)
            if (!strcmp(ode->fields[f].name, s->name)) m->field[m->n++] = f;
    }
    if (m->n) return RW_OK;
    return rw_fail(ode->device->ctx, RW_ERR_INPUT,
                   "%s: method %s solves for marked terms, but no rate has one: write du/dt = implicit(k*laplace(u)) + "
                   "f, or take another method",
                   ode->name, ode->ops->name);
}

static bool names_fields(const rw_ode *ode, const rw_syntax *s)
{
    bool is = false;
    for (int f = 0; f < ode->nfields + ode->nunknowns && s->kind == RW_SYNTAX_NAME; ++f)
        is = is || !strcmp(ode->fields[f].name, s->name);
    for (int i = 0; i < s->n; ++i) is = is || names_fields(ode, s->args[i]);
    return is;
}

/* Also one whose value does not depend on the field that it names, as that of a field which a side gives. */
static rw_status text_names_fields(const rw_ode *ode, const char *text, bool *is)
{
    const rw_source source = {ode->name, text, 1, 1};
    rw_parsed parsed;
    if (!text) return RW_OK;
    RW_TRY(rw_parse_expression(ode->device->ctx, &source, &parsed));
    *is = *is || names_fields(ode, parsed.statements[0].value);
    rw_parsed_free(&parsed);
    return RW_OK;
}

static bool reads_fields(rw_graph *g, rw_node n)
{
    const rw_graph_side only = {.reads = true, .a = n, .b = -1, .c = -1};
    for (int f = 0; f < g->nfields && n >= 0; ++f)
        if (!g->fields[f].external && rw_side_reads(g, &only, f)) return true;
    return false;
}

/* Which of the values a, b, c of a side of field f depend on fields. */
static rw_status find_values(rw_building *b, int f, int side, bool reads[3])
{
    const rw_boundary *text = b->ode->fields[f].boundary + side;
    const char *const texts[3] = {text->a, text->b, text->c};
    const rw_graph_side *s = b->graph->fields[b->field[f]].boundary + side;
    for (int i = 0; i < rw_boundary_values(text->kind); ++i) {
        reads[i] = reads_fields(b->graph, s->value[i]);
        RW_TRY(text_names_fields(b->ode, texts[i], reads + i));
    }
    return RW_OK;
}

/* A side that reads fields gives 0; where its condition itself depends on them, it has no slope. */
static rw_status find_side(rw_building *b, int f, int side, rw_boundary *to)
{
    bool reads[3] = {false};
    RW_TRY(find_values(b, f, side, reads));
    b->ode->implicit->split = b->ode->implicit->split || reads[0] || reads[1] || reads[2];
    if (to->kind != RW_BOUNDARY_ROBIN && reads[0]) to->a = "0";
    else if (reads[0] || reads[1]) *to = (rw_boundary){.kind = RW_BOUNDARY_NEUMANN, .a = "0"};
    else if (reads[2]) to->c = "0";
    return RW_OK;
}

static rw_status find_sides(rw_ode *ode)
{
    struct rw_implicit *m = ode->implicit;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_build_vector(&b, Y, rw_build_scalar(&b, "t"));
    rw_build_sides(&b, Y);
    for (int k = 0; k < m->n && b.status == RW_OK; ++k) {
        m->sides[k] = ode->fields[m->field[k]];
        for (int s = 0; s < 2 * ode->grid.ndim && b.status == RW_OK; ++s)
            b.status = find_side(&b, m->field[k], s, m->sides[k].boundary + s);
    }
    return rw_build_drop(&b);
}

bool rw_implicit_has(const rw_ode *ode, int field)
{
    const struct rw_implicit *m = ode->implicit;
    for (int k = 0; m && k < m->n; ++k)
        if (m->field[k] == field) return true;
    return false;
}

static bool is_taken(const rw_ode *ode, const char *name)
{
    for (int f = 0; f < ode->nfields + ode->nunknowns; ++f)
        if (!strcmp(ode->fields[f].name, name)) return true;
    for (int f = 0; f < ode->nexternals; ++f)
        if (!strcmp(ode->externals[f].name, name)) return true;
    for (int i = 0; i < ode->nscalars; ++i)
        if (!strcmp(ode->scalars[i].name, name)) return true;
    for (int i = 0; i < ode->parsed.n; ++i)
        if (!strcmp(ode->parsed.statements[i].name, name)) return true;
    return false;
}

enum { NAME = 32 };

/* A name for a right-hand side that the text does not have. */
static void choose_name(const rw_ode *ode, int k, char name[NAME])
{
    snprintf(name, NAME, "known_%d", k);
    for (size_t n = strlen(name); is_taken(ode, name) && n + 1 < NAME; ++n) {
        name[n] = '_';
        name[n + 1] = 0;
    }
}

/* Unknowns, and all that their equations may read: other fields, unknowns, external fields, right-hand sides. */
static int list_fields(const rw_ode *ode, char (*name)[NAME], rw_expr_field *fields)
{
    const struct rw_implicit *m = ode->implicit;
    int n = 0;
    for (int k = 0; k < m->n; ++k) fields[n++] = m->sides[k];
    for (int f = 0; f < ode->nfields; ++f)
        if (!rw_implicit_has(ode, f)) fields[n++] = ode->fields[f];
    for (int u = 0; u < ode->nunknowns; ++u) fields[n++] = ode->fields[ode->nfields + u];
    for (int x = 0; x < ode->nexternals; ++x) fields[n++] = ode->externals[x];
    for (int k = 0; k < m->n; ++k) {
        choose_name(ode, k, name[k]);
        fields[n++] = (rw_expr_field){.name = name[k], .dtype = ode->fields[m->field[k]].dtype};
    }
    return n;
}

static rw_status make_solver(rw_ode *ode, const rw_ode_spec *spec, const rw_elliptic_spec *settings)
{
    struct rw_implicit *m = ode->implicit;
    rw_context *ctx = ode->device->ctx;
    const size_t n = (size_t)(ode->nfields + ode->nunknowns + ode->nexternals + m->n),
                 nscalars = (size_t)ode->nscalars + 1;
    rw_expr_field *fields = rw_calloc(n, sizeof *fields);
    rw_expr_scalar *scalars = rw_calloc(nscalars, sizeof *scalars);
    char(*name)[NAME] = rw_calloc((size_t)m->n, sizeof *name);
    rw_elliptic_spec *own = rw_calloc((size_t)m->n, sizeof *own);
    rw_status status = fields && scalars && name && own ? RW_OK : rw_fail_memory(ctx, n * sizeof *fields, "a stage");
    for (int k = 0; k < m->n && status == RW_OK; ++k) {
        const int given = ode->given[m->field[k]];
        const char *text = spec->solvers ? spec->solvers[given] : NULL;
        if (settings) own[k] = settings[given];
        else if (text) status = rw_params_parse(ctx, rw_elliptic_params(), text, own + k);
    }
    if (status == RW_OK) {
        const int all = list_fields(ode, name, fields);
        memcpy(scalars, ode->scalars, (nscalars - 1) * sizeof *scalars);
        scalars[nscalars - 1] = (rw_expr_scalar){.name = RW_IMPLICIT_STEP, .value = 1};
        const rw_elliptic_spec problem = {.name = ode->name,
                                          .line = ode->source.line,
                                          .column = ode->source.column,
                                          .equations = ode->text,
                                          .grid = ode->grid,
                                          .order = ode->order,
                                          .layout = ode->layout,
                                          .fields = fields,
                                          .nfields = m->n,
                                          .scalars = scalars,
                                          .nscalars = (int64_t)nscalars,
                                          .externals = fields + m->n,
                                          .nexternals = all - m->n,
                                          .cancel = ode->cancel};
        status = rw_elliptic_create_with(ode->device, &problem, own, RW_ELLIPTIC_IMPLICIT, &m->solver);
    }
    rw_free(fields);
    rw_free(scalars);
    rw_free(name);
    rw_free(own);
    return status;
}

rw_status rw_implicit_create(rw_ode *ode, const rw_ode_spec *spec, const rw_elliptic_spec *settings)
{
    if (!ode->ops->additive) return RW_OK;
    const size_t n = (size_t)ode->nfields;
    struct rw_implicit *m = ode->implicit = rw_calloc(1, sizeof *m);
    if (m) m->field = rw_calloc(n, sizeof *m->field);
    if (m) m->sides = rw_calloc(n, sizeof *m->sides);
    if (!m || !m->field || !m->sides) return rw_fail_memory(ode->device->ctx, n * sizeof *m->sides, "a stage");
    RW_TRY(find_fields(ode));
    RW_TRY(find_sides(ode));
    RW_TRY(make_solver(ode, spec, settings));
    m->enqueued = rw_elliptic_is_enqueued(m->solver);
    m->recordable = rw_elliptic_is_recordable(m->solver);
    m->moves = rw_elliptic_moves(m->solver);
    return RW_OK;
}

void rw_implicit_free(rw_ode *ode)
{
    struct rw_implicit *m = ode->implicit;
    if (!m) return;
    rw_elliptic_destroy(&m->solver);
    rw_free(m->field);
    rw_free(m->sides);
    rw_free(m);
    ode->implicit = NULL;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

bool rw_implicit_is_recordable(const rw_ode *ode) { return !ode->implicit || ode->implicit->recordable; }
bool rw_implicit_moves(const rw_ode *ode) { return ode->implicit && ode->implicit->moves; }

rw_status rw_implicit_prepare(rw_ode *ode)
{
    return ode->implicit ? rw_elliptic_prepare(ode->implicit->solver) : RW_OK;
}

rw_status rw_implicit_set(rw_ode *ode, const char *scalar, double value)
{
    return ode->implicit ? rw_elliptic_set(ode->implicit->solver, scalar, value) : RW_OK;
}

rw_status rw_implicit_explain(const rw_ode *ode, rw_text *text)
{
    char *part;
    if (!ode->implicit) return RW_OK;
    RW_TRY(rw_elliptic_explain(ode->implicit->solver, &part));
    rw_text_add(text, "stages of implicit(…):\n%s", part);
    rw_free(part);
    return RW_OK;
}

static rw_array *of_vector(const rw_ode *ode, int v, int f) { return ode->vector[v * ode->nfields + f]; }

/* Other fields and unknowns are those of y: L reads them at the beginning of the step. */
static rw_status hold(rw_ode *ode, int into, int known)
{
    const struct rw_implicit *m = ode->implicit;
    int i = 0;
    for (int k = 0; k < m->n; ++k) RW_TRY(rw_elliptic_hold(m->solver, i++, of_vector(ode, into, m->field[k])));
    for (int f = 0; f < ode->nfields; ++f)
        if (!rw_implicit_has(ode, f)) RW_TRY(rw_elliptic_hold(m->solver, i++, of_vector(ode, Y, f)));
    for (int u = 0; u < ode->nunknowns; ++u) RW_TRY(rw_elliptic_hold(m->solver, i++, ode->algebraic->set[0][u]));
    for (int x = 0; x < ode->nexternals; ++x) RW_TRY(rw_elliptic_hold(m->solver, i++, ode->external[x]));
    for (int k = 0; k < m->n; ++k) RW_TRY(rw_elliptic_hold(m->solver, i++, of_vector(ode, known, m->field[k])));
    return RW_OK;
}

/* To the tolerance: waits. */
static rw_status iterate(rw_ode *ode, int into, int start, double t)
{
    const struct rw_implicit *m = ode->implicit;
    rw_ode_statistics *stat = &ode->now.stat;
    rw_elliptic_result result;
    for (int k = 0; k < m->n && into != start; ++k)
        RW_TRY(rw_array_copy(of_vector(ode, into, m->field[k]), of_vector(ode, start, m->field[k]),
                             rw_device_queue(ode->device)));
    const rw_status status = rw_elliptic_solve(m->solver, &result);
    stat->solve_iterations += result.iterations;
    if (result.right_side > 0) stat->solve_residual = fmax(stat->solve_residual, result.residual / result.right_side);
    if (status != RW_ERR_NOT_CONVERGED && status != RW_ERR_INPUT) return status;
    ode->unresolved = true; /* the message contains the reason */
    return rw_fail(ode->device->ctx, status, "%s (a stage at t = %.6g)", rw_message(ode->device->ctx), t);
}

static rw_status enqueue(rw_ode *ode, int into, int start)
{
    const struct rw_implicit *m = ode->implicit;
    for (int k = 0; k < m->n; ++k)
        rw_elliptic_start_from(m->solver, k, into == start ? NULL : of_vector(ode, start, m->field[k]));
    return rw_elliptic_enqueue(m->solver);
}

rw_status rw_implicit_solve(rw_ode *ode, int into, int start, int known, double t, double h)
{
    static const rw_quadrature none = {0};
    struct rw_implicit *m = ode->implicit;
    ode->now.stat.solves++;
    if (ode->note) {
        rw_algebraic_touch(ode, into);
        return ode->note_solve(ode, into, known);
    }
    RW_TRY(hold(ode, into, known));
    RW_TRY(rw_elliptic_set_time(m->solver, t, &none));
    if (m->step != h) RW_TRY(rw_elliptic_set(m->solver, RW_IMPLICIT_STEP, h));
    m->step = h;
    RW_TRY(m->enqueued ? enqueue(ode, into, start) : iterate(ode, into, start, t));
    rw_algebraic_touch(ode, into);
    return RW_OK;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* The vector's fields once more, with the sides of L. */
static void add_split(rw_building *b, int v)
{
    const rw_ode *ode = b->ode;
    const struct rw_implicit *m = ode->implicit;
    if (b->status != RW_OK) return;
    b->split = b->graph->nfields;
    b->split_of = v;
    for (int k = 0; k < m->n; ++k) {
        char name[48];
        snprintf(name, sizeof name, "%.31s_%d", m->sides[k].name, b->graph->nfields);
        rw_graph_add_field(b->graph, name, m->sides[k].dtype);
    }
    b->status = b->graph->failed ? rw_fail_memory(ode->device->ctx, 4096, "a program") : RW_OK;
    if (b->status == RW_OK) b->status = rw_build_sides_of(b, m->sides, m->n, b->split, b->time[v]);
}

void rw_build_parts(rw_building *b, int v, rw_node *N, rw_node *L)
{
    const rw_ode *ode = b->ode;
    const struct rw_implicit *m = ode->implicit;
    rw_node *own = rw_calloc(2 * (size_t)ode->nfields, sizeof *own), *whole = own + ode->nfields;
    rw_graph *g = b->graph;
    if (!own && b->status == RW_OK) b->status = rw_fail_memory(ode->device->ctx, 4096, "a program");
    if (m->split && b->split < 0) add_split(b, v);
    rw_build_part(b, v, RW_RATE_REST, -1, N);
    if (m->split || L) rw_build_part(b, v, RW_RATE_IMPLICIT, m->split ? b->split : -1, L ? L : own);
    if (m->split) rw_build_part(b, v, RW_RATE_IMPLICIT, -1, whole);
    for (int f = 0; f < ode->nfields && m->split && b->status == RW_OK; ++f)
        if (rw_implicit_has(ode, f)) N[f] = OP(ADD, N[f], OP(SUB, whole[f], L ? L[f] : own[f]));
    rw_free(own);
}
