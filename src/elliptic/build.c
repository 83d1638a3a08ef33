/* Programs of the equations: their text is lowered once more for each, with the unknowns, the external fields, and
 * fields r and v for each unknown, a right-hand side and a correction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elliptic/row.h"
#include "elliptic/system.h"
#include "elliptic/transfer.h"
#include "expr/leaves.h"

#define OP(op, a, b) rw_make2(g, RW_OP_##op, a, b)
static const int here[3] = {0};

/* ---- the graph --------------------------------------------------------------------------------------------------- */

static int unknown_of(const rw_system *s, int statement)
{
    int u = s->n - 1;
    while (u >= 0 && s->statement[u] != statement) --u;
    return u;
}

/* Rates, and equations of other systems, are left out. */
static rw_status lower_equations(rw_system_building *b)
{
    rw_system *s = b->of;
    rw_lowering *l = &b->lowering;
    for (int i = 0; i < s->parsed->n; ++i) {
        const rw_statement *statement = s->parsed->statements + i;
        const int u = unknown_of(s, i);
        rw_value value;
        if (u >= 0) RW_TRY(rw_lower_equation(l, s->source, statement, &b->F[u]));
        if (statement->kind != RW_ASSIGN) continue;
        RW_TRY(rw_lower(l, s->source, statement->value, &value));
        RW_TRY(rw_lower_local(l, s->source, statement->at, statement->name, value));
    }
    return RW_OK;
}

/* What an expression of a side changes by where the unknowns change by v. */
static rw_node change_of(rw_system_building *b, rw_node e)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    rw_node sum = rw_real(g, 0);
    rw_leaves l;
    if (e < 0) return sum;
    if (!rw_collect_leaves(g, e, -1, &l)) g->failed = true;
    for (int i = 0; i < l.nfields && !g->failed; ++i) {
        const rw_graph_node p = g->nodes[l.field[i]];
        const int offset[3] = {p.offset[0], p.offset[1], p.offset[2]};
        const char *problem = NULL;
        if (p.index >= s->n) continue;
        const rw_node d = rw_diff(g, e, l.field[i], &problem); /* without a derivative: as if it did not change */
        if (!problem) sum = OP(ADD, sum, OP(MUL, d, rw_field(g, rw_system_v(s, p.index), 0, offset)));
    }
    rw_free(l.field);
    return sum;
}

/* The condition that v fulfils if u and u + v fulfil that of u, linearised. A condition a u + b du/dn = c whose a or b
 * read unknowns takes u at the node next to the side for u on the side. */
static void set_homogeneous_side(rw_system_building *b, int f, int of, int side)
{
    rw_graph *g = b->graph;
    const rw_graph_side u = g->fields[f].boundary[side];
    rw_node values[3] = {-1, -1, -1};
    if (rw_boundary_values(u.kind) == 1) values[0] = change_of(b, u.a);
    if (u.kind == RW_BOUNDARY_CONSTANT) values[0] = rw_real(g, 0);
    if (u.kind == RW_BOUNDARY_ROBIN) {
        const rw_node value = rw_field(g, f, 0, here), slope = OP(DIV, OP(SUB, u.c, OP(MUL, u.a, value)), u.b);
        values[0] = u.a;
        values[1] = u.b;
        values[2] =
            OP(SUB, OP(SUB, change_of(b, u.c), OP(MUL, change_of(b, u.a), value)), OP(MUL, change_of(b, u.b), slope));
    }
    rw_set_boundary(g, of, side, u.kind, values);
}

static rw_status add_vectors(rw_system_building *b)
{
    const rw_system *s = b->of;
    static const char suffix[] = "rvdp";
    for (int which = 0; which < RW_SYSTEM_VECTORS; ++which)
        for (int f = 0; f < s->n; ++f) {
            char name[48];
            snprintf(name, sizeof name, "%.31s_%c%d", b->graph->fields[f].name, suffix[which], b->graph->nfields);
            rw_graph_add_field(b->graph, name, s->type);
        }
    if (b->graph->failed) return RW_OK;
    for (int f = 0; f < s->n; ++f)
        for (int side = 0; side < 2 * s->grid->ndim; ++side) {
            set_homogeneous_side(b, f, rw_system_v(s, f), side);
            set_homogeneous_side(b, f, rw_system_d(s, f), side);
            set_homogeneous_side(b, f, rw_system_p(s, f), side);
        }
    return RW_OK;
}

rw_status rw_system_begin(rw_system *s, rw_system_building *b)
{
    rw_context *ctx = s->device->ctx;
    *b = (rw_system_building){.of = s};
    RW_TRY(rw_graph_create(ctx, s->grid, s->spec->order, &b->graph));
    b->graph->layout = s->spec->layout;
    b->graph->gather = s->in_time; /* functions of time in one piece: see rw_stage_time */
    rw_lowering_begin(&b->lowering, ctx, b->graph);
    const rw_expr_spec spec = {.name = s->source->name,
                               .fields = s->fields,
                               .nfields = s->n + s->nothers,
                               .scalars = s->spec->scalars,
                               .nscalars = s->spec->nscalars};
    b->F = rw_calloc((size_t)s->n, sizeof *b->F);
    if (!b->F) return rw_fail_memory(ctx, 4096, "an equation");
    RW_TRY(rw_expr_declare(ctx, &spec, b->graph, &b->lowering, s->source, s->parsed));
    RW_TRY(lower_equations(b));
    RW_TRY(add_vectors(b));
    b->sign = rw_scalar_argument(b->graph, rw_graph_add_param(b->graph, "#sign", false, 1, 0));
    return b->graph->failed ? rw_fail_memory(ctx, 4096, "an equation") : RW_OK;
}

void rw_system_drop(rw_system_building *b)
{
    if (b->graph) rw_lowering_end(&b->lowering);
    rw_graph_destroy(&b->graph);
    rw_free(b->F);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* 1/2 on a side whose values beyond mirror those inside, as often as the node is on such a side; else 1. */
static rw_node weight_of(const rw_system *s, rw_graph *g)
{
    rw_node weight = rw_real(g, 1);
    for (int side = 0; side < 2 * s->grid->ndim; ++side) {
        const int axis = side / 2;
        const double node = (double)(g->grid.first[axis] + (side % 2 ? g->grid.size[axis] - 1 : 0));
        if (!s->form.half[side]) continue;
        const rw_node on = OP(EQ, rw_index(g, axis, 0), rw_real(g, node));
        weight = OP(MUL, weight, rw_make(g, RW_OP_WHERE, on, rw_real(g, 0.5), rw_real(g, 1)));
    }
    return weight;
}

double rw_system_weight(const rw_system *s)
{
    double weight = 1;
    for (int d = 0; d < s->grid->ndim; ++d) {
        const int halves = s->form.half[2 * d] + s->form.half[2 * d + 1];
        weight *= s->grid->size[d] > 1 ? (double)s->grid->size[d] - 0.5 * halves : 1 / (double)(1 << halves);
    }
    return weight;
}

/* A row as methods see it. */
static rw_node scaled(rw_system_building *b, int f, rw_node value)
{
    rw_graph *g = b->graph;
    if (b->of->ops->weighted) value = OP(MUL, weight_of(b->of, g), value);
    return rw_with_given(g, f, OP(MUL, b->sign, value), true);
}

static rw_node square(rw_graph *g, rw_node n)
{
    if (!g->nodes[n].is_complex) return OP(MUL, n, n);
    const rw_node re = rw_make1(g, RW_OP_REAL, n), im = rw_make1(g, RW_OP_IMAG, n);
    return OP(ADD, OP(MUL, re, re), OP(MUL, im, im));
}

/* Whether what a side gives is 0, whatever the scalars are. */
static bool is_zero_side(const rw_graph *g, const rw_graph_side *side)
{
    const int values = rw_boundary_values(side->kind);
    if (values == 0) return true;
    return rw_is_const(g, side->kind == RW_BOUNDARY_ROBIN ? side->c : side->a, 0);
}

/* F(0) does not read the unknowns: their sides give 0. */
static bool is_homogeneous(const rw_system *s)
{
    for (int f = 0; f < s->n; ++f)
        for (int side = 0; side < 2 * s->grid->ndim; ++side)
            if (!is_zero_side(s->graph, s->graph->fields[f].boundary + side)) return false;
    return true;
}

static rw_node without_unknowns(void *user, rw_graph *g, rw_node leaf)
{
    const rw_system *s = user;
    return g->nodes[leaf].op == RW_OP_FIELD && g->nodes[leaf].index < s->n ? rw_real(g, 0) : leaf;
}

static rw_status plan_residual(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    rw_system *s = b->of;
    rw_graph *g = b->graph;
    rw_node squares = rw_real(g, 0), known = rw_real(g, 0);
    s->knows = is_homogeneous(s);
    if (s->form.open) {
        const rw_node mean = rw_scalar_argument(g, rw_graph_add_param(g, "#mean", rw_dtype_is_complex(s->type), 0, 0));
        b->F[0] = OP(SUB, b->F[0], mean);
        RW_TRY(rw_plan_result(plan, "sum", rw_reduce(g, RW_SUM, OP(MUL, weight_of(s, g), b->F[0]))));
    }
    for (int f = 0; f < s->n; ++f) {
        const rw_node r = rw_make1(g, RW_OP_NEG, scaled(b, f, b->F[f]));
        squares = OP(ADD, squares, rw_with_given(g, f, square(g, b->F[f]), true));
        if (s->knows) {
            const rw_node at_0 = rw_graph_map(g, b->F[f], without_unknowns, s);
            known = OP(ADD, known, rw_with_given(g, f, square(g, at_0), true));
        }
        RW_TRY(rw_plan_store(plan, rw_system_r(s, f), rw_cast(g, s->type, r)));
    }
    if (s->knows) RW_TRY(rw_plan_result(plan, "known", rw_reduce(g, RW_SUM, known)));
    return rw_plan_result(plan, "square", rw_reduce(g, RW_SUM, squares));
}

typedef struct fields_read {
    rw_node field; /* one of them; -1: there is none */
    int n;
} fields_read;

static rw_node without_fields(void *user, rw_graph *g, rw_node leaf)
{
    fields_read *read = user;
    if (g->nodes[leaf].op != RW_OP_FIELD) return leaf;
    read->n += leaf != read->field;
    read->field = leaf;
    return rw_real(g, 0);
}

/* Whether F(0) is a number times another field at the same node. */
static void find_source(rw_system *s, rw_graph *g, rw_node known)
{
    fields_read read = {-1, 0};
    const char *problem = NULL;
    const rw_node rest = rw_graph_map(g, known, without_fields, &read);
    if (read.n != 1 || !rw_is_const(g, rest, 0)) return;
    const rw_graph_node p = g->nodes[read.field];
    const bool is_other = p.index >= s->n && p.index < s->n + s->nothers && !p.column,
               is_here = !p.offset[0] && !p.offset[1] && !p.offset[2];
    const rw_node times = rw_diff(g, known, read.field, &problem);
    if (!is_other || !is_here || problem || g->nodes[times].op != RW_OP_CONST || g->nodes[times].is_complex) return;
    s->known = p.index;
    s->times = g->nodes[times].re;
}

static rw_status plan_known(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    rw_system *s = b->of;
    rw_graph *g = b->graph;
    const bool homogeneous = is_homogeneous(s);
    if (s->form.open && !s->projects) {
        const rw_node part = rw_scalar_argument(g, rw_graph_add_param(g, "#balance", false, 0, 0)),
                      mean = OP(DIV, rw_reduce(g, RW_SUM, OP(MUL, weight_of(s, g), b->F[0])),
                                rw_real(g, rw_system_weight(s)));
        b->F[0] = OP(SUB, b->F[0], OP(MUL, part, mean));
    }
    for (int f = 0; f < s->n; ++f) {
        rw_node r = scaled(b, f, b->F[f]);
        if (homogeneous) r = rw_graph_map(g, r, without_unknowns, s);
        if (homogeneous && s->n == 1) find_source(s, g, rw_graph_map(g, b->F[f], without_unknowns, s));
        RW_TRY(rw_plan_store(plan, rw_system_r(s, f), rw_cast(g, s->type, rw_make1(g, RW_OP_NEG, r))));
    }
    return RW_OK;
}

static rw_status plan_update(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    const rw_node step = rw_scalar_argument(g, rw_graph_add_param(g, "#step", false, 1, 0));
    for (int f = 0; f < s->n; ++f)
        RW_TRY(rw_plan_store(plan, f,
                             OP(ADD, rw_field(g, f, 0, here), OP(MUL, step, rw_field(g, rw_system_v(s, f), 0, here)))));
    return RW_OK;
}

static rw_status plan_sum(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    for (int f = 0; f < s->n; ++f)
        RW_TRY(rw_plan_store(plan, rw_system_r(s, f),
                             OP(ADD, rw_field(g, f, 0, here), rw_field(g, rw_system_v(s, f), 0, here))));
    return RW_OK;
}

static rw_status plan_copy(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    for (int f = 0; f < s->n; ++f)
        RW_TRY(rw_plan_store(plan, rw_system_v(s, f), rw_field(b->graph, rw_system_r(s, f), 0, here)));
    return RW_OK;
}

static rw_status plan_level(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    const rw_node u = rw_field(g, 0, 0, here), sum = rw_reduce(g, RW_SUM, OP(MUL, weight_of(s, g), u));
    const rw_node more = OP(SUB, rw_real(g, s->settings->mean), OP(DIV, sum, rw_real(g, rw_system_weight(s))));
    return rw_plan_store(plan, 0, OP(ADD, u, more));
}

static rw_status plan_product(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    for (int f = 0; f < s->n; ++f) {
        rw_node sum = rw_real(g, 0);
        for (int i = 0; i < form->nterms; ++i) {
            const rw_form_term *t = form->terms + i;
            if (t->row != f) continue;
            sum = OP(ADD, sum, OP(MUL, t->factor, rw_field(g, rw_system_v(s, t->column), 0, t->offset)));
        }
        RW_TRY(rw_plan_store(plan, rw_system_r(s, f), rw_cast(g, s->type, scaled(b, f, sum))));
    }
    return RW_OK;
}

/* The diagonal of J in the interior. */
static rw_node diagonal_of(rw_system_building *b, int f)
{
    const char *problem = NULL;
    const rw_node d = rw_diff(b->graph, b->F[f], rw_field(b->graph, f, 0, here), &problem);
    return problem ? rw_real(b->graph, 1) : d;
}

static rw_node unless_zero(rw_graph *g, rw_node value)
{
    return rw_make(g, RW_OP_WHERE, OP(EQ, value, rw_real(g, 0)), rw_real(g, 1), value);
}

static rw_status plan_diagonal(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    for (int f = 0; f < s->n; ++f) {
        const rw_node value = unless_zero(g, scaled(b, f, diagonal_of(b, f)));
        RW_TRY(rw_plan_store(plan, rw_system_r(s, f), rw_cast(g, s->type, value)));
    }
    return RW_OK;
}

/* The size of row f, its own unknown alone: that of its diagonal where this is as large as the rest together. */
static rw_node size_of_row(rw_system_building *b, const rw_form *form, int f)
{
    rw_graph *g = b->graph;
    rw_node sum = rw_real(g, 0);
    for (int i = 0; i < form->nterms; ++i) {
        const rw_form_term *t = form->terms + i;
        if (t->row == f && t->column == f) sum = OP(ADD, sum, rw_make1(g, RW_OP_ABS, t->factor));
    }
    return unless_zero(g, OP(MUL, rw_real(g, 0.5), sum));
}

/* The sum over axes of n d^2, d: the relative difference of the factors of the two next nodes, n: nodes of the axis. It
 * falls as 1/n where coefficients are smooth, and does not where they jump. */
static rw_node roughness_of(rw_system_building *b, const rw_form *form)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    rw_node sum = rw_real(g, 0);
    for (int axis = 0; axis < s->grid->ndim; ++axis) {
        rw_node next[2] = {-1, -1};
        for (int i = 0; i < form->nterms; ++i) {
            const rw_form_term *t = form->terms + i;
            const int m = t->offset[axis];
            if (t->row == 0 && t->column == 0 && abs(m) == 1 && t->offset[(axis + 1) % 3] == 0 &&
                t->offset[(axis + 2) % 3] == 0 && !g->nodes[t->factor].is_complex)
                next[m > 0] = t->factor;
        }
        if (next[0] < 0 || next[1] < 0) continue;
        const rw_node size = OP(ADD, rw_make1(g, RW_OP_ABS, next[0]), rw_make1(g, RW_OP_ABS, next[1])),
                      d = OP(DIV, OP(SUB, next[1], next[0]), unless_zero(g, size));
        sum = OP(ADD, sum, OP(MUL, rw_real(g, 4. * (double)s->grid->size[axis]), OP(MUL, d, d)));
    }
    return sum;
}

static rw_node mean_of(const rw_system *s, rw_graph *g, rw_node value)
{
    return g->nodes[value].is_field ? OP(DIV, rw_reduce(g, RW_SUM, value), rw_real(g, (double)s->nodes)) : value;
}

static rw_status plan_means(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    rw_graph *g = b->graph;
    for (int i = 0; i < form->nterms; ++i) {
        const rw_form_term *t = form->terms + i;
        char name[16];
        if (t->row != t->column) continue;
        snprintf(name, sizeof name, "m%d", i);
        rw_node value = g->nodes[t->factor].is_complex ? rw_make1(g, RW_OP_REAL, t->factor) : t->factor;
        value = OP(DIV, OP(MUL, b->sign, value), size_of_row(b, form, t->row));
        RW_TRY(rw_plan_result(plan, name, mean_of(b->of, g, value)));
    }
    return rw_plan_result(plan, "rough", mean_of(b->of, g, roughness_of(b, form)));
}

static rw_status plan_before(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    for (int f = 0; f < s->n; ++f) {
        const rw_node weight = s->ops->weighted ? weight_of(s, g) : rw_real(g, 1),
                      size = OP(MUL, weight, rw_make1(g, RW_OP_SQRT, size_of_row(b, form, f))),
                      value = OP(DIV, rw_field(g, rw_system_r(s, f), 0, here), size);
        RW_TRY(rw_plan_store(plan, rw_system_v(s, f), rw_with_given(g, f, value, true)));
    }
    return RW_OK;
}

/* As r, which has no sides: reading v at a node that its side gives would read v elsewhere. */
static rw_status plan_after(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    for (int f = 0; f < s->n; ++f)
        RW_TRY(rw_plan_store(plan, rw_system_r(s, f),
                             OP(DIV, rw_field(g, rw_system_r(s, f), 0, here),
                                rw_make1(g, RW_OP_SQRT, size_of_row(b, form, f)))));
    return RW_OK;
}

/* ---- multigrid --------------------------------------------------------------------------------------------------- */

/* J x of the only row, x: a field with the sides of v. */
static rw_node product_of(rw_system_building *b, const rw_form *form, int x)
{
    rw_graph *g = b->graph;
    rw_node sum = rw_real(g, 0);
    for (int i = 0; i < form->nterms; ++i) {
        const rw_form_term *t = form->terms + i;
        sum = OP(ADD, sum, OP(MUL, t->factor, rw_field(g, x, g->fields[x].versions, t->offset)));
    }
    return scaled(b, 0, sum);
}

/* omega over the diagonal of J, with what values beyond the sides add to it. Where all are scalars the host divides: a
 * factor for each side, whose product is nearly that of a corner. */
static rw_node reciprocal_of_diagonal(rw_system_building *b, const rw_form *form, double omega)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    const rw_node inside = unless_zero(g, diagonal_of(b, 0)), one = rw_real(g, 1);
    const bool scalar = !g->nodes[inside].is_field;
    rw_node whole = inside, along[3] = {one, one, one}; /* products by axis, which tables may hold */
    for (int side = 0; side < 2 * s->grid->ndim; ++side)
        for (int i = 0; i < form->nterms; ++i) {
            const rw_form_term *t = form->terms + i;
            rw_node share[2];
            if (!rw_form_term_is_at(t, side / 2, side % 2 ? 1 : -1) || !rw_row_shares(g, 0, side, 1, share) ||
                rw_is_const(g, share[0], 0))
                continue;
            const rw_node there = rw_row_is_next_to(g, side), more = OP(MUL, t->factor, share[0]);
            whole = OP(ADD, whole, rw_make(g, RW_OP_WHERE, there, more, rw_real(g, 0)));
            const rw_node factor = OP(DIV, inside, unless_zero(g, OP(ADD, inside, more)));
            along[side / 2] = OP(MUL, along[side / 2], rw_make(g, RW_OP_WHERE, there, factor, one));
        }
    const rw_node factors = OP(MUL, OP(MUL, along[0], along[1]), along[2]);
    const rw_node relaxed = OP(DIV, OP(MUL, rw_real(g, omega), b->sign), scalar ? inside : unless_zero(g, whole));
    return scalar ? OP(MUL, relaxed, factors) : relaxed;
}

/* to <- x, relaxed at nodes of one colour: x + omega (r - J x)/D; zero: x is 0. */
static rw_status plan_colour(rw_system_building *b, const rw_form *form, rw_plan *plan, int colour, int x, int to,
                             bool zero, double omega)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    rw_node place = rw_real(g, colour);
    for (int a = 0; a < s->grid->ndim; ++a) place = OP(ADD, place, rw_cast(g, RW_U64, rw_index(g, a, 0)));
    const rw_node mine = OP(EQ, OP(MOD, place, rw_real(g, 2)), rw_real(g, 0)),
                  old = zero ? rw_real(g, 0) : rw_field(g, x, g->fields[x].versions, here),
                  r = rw_field(g, rw_system_r(s, 0), 0, here), left = zero ? r : OP(SUB, r, product_of(b, form, x)),
                  change = OP(MUL, left, reciprocal_of_diagonal(b, form, omega)),
                  value = rw_make(g, RW_OP_WHERE, mine, OP(ADD, old, change), old);
    return rw_plan_store(plan, to, rw_cast(g, s->type, rw_with_given(g, rw_system_v(s, 0), value, true)));
}

/* In a solver the last half sweep leaves residuals of its colour 0. The sweeps of a preconditioner are those of a
 * symmetric one: after the correction the colours have the opposite order, and on the coarsest grid any number of
 * programs is the same backwards. */
static const double RELAXED = 1.15;

/* Where sweeps before the correction leave their result. */
static int iterate_of(const rw_system *s) { return s->finer && s->coarser ? rw_system_p(s, 0) : rw_system_v(s, 0); }

/* Two of them, to the field `to`. */
static rw_status plan_sweeps(rw_system_building *b, const rw_form *form, rw_plan *plan, bool zero, bool up, int to)
{
    static const int forward[] = {0, 1, 0, 1}, backward[] = {1, 0, 1, 0}, both[] = {0, 1, 1, 0};
    const rw_system *s = b->of;
    const int v = rw_system_v(s, 0), d = rw_system_d(s, 0);
    const int *colour = !s->symmetric ? forward : !s->coarser ? both : up ? backward : forward;
    for (int half = 0; half < 4; ++half)
        RW_TRY(plan_colour(b, form, plan, colour[half], half % 2 ? d : v,
                           half == 3  ? to
                           : half % 2 ? v
                                      : d,
                           zero && half == 0, half < 3 || s->symmetric ? RELAXED : 1));
    return RW_OK;
}

static rw_status plan_left(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    const rw_node left = OP(SUB, rw_field(g, rw_system_r(s, 0), 0, here), product_of(b, form, iterate_of(s))),
                  d = rw_with_given(g, rw_system_v(s, 0), left, true);
    RW_TRY(rw_plan_store(plan, rw_system_d(s, 0), rw_cast(g, s->type, d)));
    return s->squares ? rw_plan_result(plan, "square", rw_reduce(g, RW_SUM, square(g, d))) : RW_OK;
}

static rw_status plan_start(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    RW_TRY(plan_sweeps(b, form, plan, true, false, iterate_of(b->of)));
    return b->of->coarser ? plan_left(b, form, plan) : RW_OK;
}

static rw_status plan_up(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    if (s->coarser) {
        const rw_node correction = rw_transfer_interpolate(b, rw_system_other(s), s->coarser),
                      value = OP(ADD, rw_field(g, iterate_of(s), 0, here), correction);
        RW_TRY(rw_plan_store(plan, rw_system_v(s, 0),
                             rw_cast(g, s->type, rw_with_given(g, rw_system_v(s, 0), value, true))));
    }
    return plan_sweeps(b, form, plan, false, true, rw_system_v(s, 0));
}

static rw_status plan_cycle(rw_system_building *b, const rw_form *form, rw_plan *plan)
{
    RW_TRY(plan_up(b, form, plan));
    RW_TRY(plan_sweeps(b, form, plan, false, false, iterate_of(b->of)));
    return plan_left(b, form, plan);
}

static void add_other(rw_system_building *b, const char *name, rw_dtype dtype, const rw_grid *grid)
{
    char own[48];
    snprintf(own, sizeof own, "%.24s_other%d", name, b->graph->nfields);
    const int f = rw_graph_add_field(b->graph, own, dtype);
    const rw_graph_other place = rw_transfer_place(b->of, b->of->grid, grid);
    if (f >= 0) rw_graph_set_other(b->graph, f, &place);
}

/* Before the plan begins. */
static void add_other_fields(rw_system_building *b, rw_system_part part)
{
    const rw_system *s = b->of;
    if ((part == RW_SYSTEM_UP || part == RW_SYSTEM_CYCLE) && s->coarser) add_other(b, "v", s->type, s->coarser);
    if (part == RW_SYSTEM_RESTRICT) add_other(b, "d", s->type, s->finer);
    for (int f = 0; f < s->n + s->nothers && part == RW_SYSTEM_COARSEN; ++f)
        if (s->bound[f]) add_other(b, b->graph->fields[f].name, b->graph->fields[f].dtype, s->finer);
}

static rw_status plan_restrict(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    rw_graph *g = b->graph;
    const rw_node r = rw_transfer_restrict(b, rw_system_other(s), s->finer, s->symmetric);
    if (s->counts)
        RW_TRY(
            rw_plan_result(plan, "square", rw_reduce(g, RW_SUM, rw_transfer_squares(b, rw_system_other(s), s->finer))));
    return rw_plan_store(plan, rw_system_r(s, 0), rw_cast(g, s->type, rw_with_given(g, rw_system_v(s, 0), r, true)));
}

static rw_status plan_coarsen(rw_system_building *b, const rw_form *form RW_UNUSED, rw_plan *plan)
{
    const rw_system *s = b->of;
    for (int f = 0, other = rw_system_other(s); f < s->n + s->nothers; ++f) {
        if (!s->bound[f]) continue;
        const rw_node mean =
            f < s->n ? rw_transfer_restrict(b, other, s->finer, false) : rw_transfer_coefficient(b, other, s->finer);
        RW_TRY(rw_plan_store(plan, f, rw_cast(b->graph, b->graph->fields[f].dtype, mean)));
        ++other;
    }
    return RW_OK;
}

static const struct {
    const char *name;
    rw_status (*plan)(rw_system_building *b, const rw_form *form, rw_plan *plan);
} parts[] = {
    [RW_SYSTEM_RESIDUAL] = {"residual", plan_residual},
    [RW_SYSTEM_KNOWN] = {"right_side", plan_known},
    [RW_SYSTEM_UPDATE] = {"update", plan_update},
    [RW_SYSTEM_SUM] = {"sum", plan_sum},
    [RW_SYSTEM_COPY] = {"copy", plan_copy},
    [RW_SYSTEM_LEVEL] = {"level", plan_level},
    [RW_SYSTEM_PRODUCT] = {"product", plan_product},
    [RW_SYSTEM_DIAGONAL] = {"diagonal", plan_diagonal},
    [RW_SYSTEM_MEANS] = {"means", plan_means},
    [RW_SYSTEM_BEFORE] = {"before", plan_before},
    [RW_SYSTEM_AFTER] = {"after", plan_after},
    [RW_SYSTEM_START] = {"start", plan_start},
    [RW_SYSTEM_UP] = {"up", plan_up},
    [RW_SYSTEM_CYCLE] = {"cycle", plan_cycle},
    [RW_SYSTEM_RESTRICT] = {"restrict", plan_restrict},
    [RW_SYSTEM_COARSEN] = {"coarsen", plan_coarsen},
};

static rw_status bind_all(rw_system *s, rw_expr *expr)
{
    for (int f = 0; f < s->n + s->nothers; ++f)
        if (s->bound[f]) RW_TRY(rw_expr_bind_index(expr, f, s->bound[f]));
    for (int f = 0; f < s->n; ++f) {
        RW_TRY(rw_expr_bind_index(expr, rw_system_r(s, f), s->r_of[f]));
        RW_TRY(rw_expr_bind_index(expr, rw_system_v(s, f), s->v_of[f]));
        if (s->d) RW_TRY(rw_expr_bind_index(expr, rw_system_d(s, f), s->d));
        if (s->p) RW_TRY(rw_expr_bind_index(expr, rw_system_p(s, f), s->p));
    }
    return RW_OK;
}

rw_status rw_system_bind_parts(const rw_system *s, rw_expr *expr, int first, rw_array *vector)
{
    for (int f = 0; f < s->n; ++f) {
        rw_array *part;
        RW_TRY(rw_array_slice(vector, 0, f * s->nodes, (f + 1) * s->nodes, 1, &part));
        const rw_status status = rw_expr_bind_index(expr, first + f, part);
        rw_array_destroy(&part);
        RW_TRY(status);
    }
    return RW_OK;
}

rw_status rw_system_unbind_parts(const rw_system *s, rw_expr *expr, rw_status status)
{
    for (int f = 0; f < s->n; ++f) {
        rw_expr_hold(expr, rw_system_r(s, f), s->r_of[f]);
        rw_expr_hold(expr, rw_system_v(s, f), s->v_of[f]);
    }
    return status;
}

/* Kernels read and write each part of a vector where it lies. Others (OpenCL, where a part does not begin at a multiple
 * of what the device needs) get copies, which are in no recorded sequence. */
bool rw_system_records(const rw_system *s, const rw_expr *expr)
{
    rw_buffer *buffer;
    for (int f = 0; f < s->n; ++f)
        if (rw_array_buffer(s->v_of[f], &buffer) != RW_OK) return false;
    return rw_expr_is_recordable(expr);
}

rw_status rw_system_program(rw_system *s, rw_system_part part, rw_expr **expr)
{
    rw_system_building b;
    rw_plan plan = {0};
    rw_form form = {0};
    rw_status status = rw_system_begin(s, &b);
    if (status == RW_OK) add_other_fields(&b, part);
    if (status == RW_OK) status = rw_plan_begin(&plan, b.graph, 0);
    if (status == RW_OK) status = rw_form_make(b.graph, s->n, b.F, s->source->name, &form);
    if (status == RW_OK) status = parts[part].plan(&b, &form, &plan);
    if (status == RW_OK) status = rw_plan_finish(&plan);
    if (status == RW_OK && b.graph->failed) status = rw_fail_memory(s->device->ctx, 4096, "an equation");
    if (status == RW_OK) {
        rw_lowering_end(&b.lowering);
        status = rw_expr_from_plan(s->device, parts[part].name, &b.graph, &plan, expr);
        if (status == RW_OK) s->programs[s->nprograms++] = *expr;
    } else {
        rw_plan_end(&plan);
    }
    rw_form_free(&form);
    rw_system_drop(&b);
    return status == RW_OK ? bind_all(s, *expr) : status;
}
