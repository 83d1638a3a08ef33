#include "elliptic/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/boundary.h"
#include "expr/leaves.h"

enum { PLACES = 48 }; /* at which factors are compared */
static const double ROUNDING = 1e-10;

const char *rw_form_term_name(const rw_graph *g, const rw_form_term *t, char text[64])
{
    static const char letters[] = "ijk";
    int n = snprintf(text, 64, "%.31s", g->fields[t->column].name);
    for (int d = 0; d < g->grid.ndim && n < 48; ++d) {
        n += snprintf(text + n, (size_t)(64 - n), "%s%c", d ? ", " : "[", letters[d]);
        if (t->offset[d]) n += snprintf(text + n, (size_t)(64 - n), "%+d", t->offset[d]);
    }
    if (g->grid.ndim) snprintf(text + n, (size_t)(64 - n), "]");
    return text;
}

void rw_form_factor(rw_graph *g, const rw_form_term *t, double value[2])
{
    rw_graph_scalar(g, t->factor, value, value + 1);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static rw_status add_term(rw_graph *g, int row, rw_node F, rw_node leaf, const char *where, rw_form *form)
{
    const char *problem = NULL;
    const rw_graph_node p = g->nodes[leaf];
    const rw_node factor = rw_diff(g, F, leaf, &problem);
    if (problem)
        return rw_fail(g->ctx, RW_ERR_INPUT,
                       "%s: the equation cannot be solved for %s: %s has no derivative by it; write it with functions "
                       "that have one",
                       where, g->fields[p.index].name, problem);
    if (g->failed || !rw_grow(&form->terms, &form->capacity, form->nterms + 1, sizeof *form->terms))
        return rw_fail_memory(g->ctx, 4096, "the terms of an equation");
    if (rw_is_const(g, factor, 0)) return RW_OK;
    form->terms[form->nterms++] = (rw_form_term){.row = row,
                                                 .column = p.index,
                                                 .offset = {p.offset[0], p.offset[1], p.offset[2]},
                                                 .factor = factor,
                                                 .by_place = g->nodes[factor].is_field};
    return RW_OK;
}

static rw_status add_terms(rw_graph *g, int row, rw_node F, const char *where, rw_form *form)
{
    rw_leaves l;
    rw_status status = rw_collect_leaves(g, F, -1, &l) ? RW_OK : rw_fail_memory(g->ctx, 4096, "an equation");
    for (int i = 0; i < l.nfields && status == RW_OK; ++i)
        if (g->nodes[l.field[i]].index < form->n) status = add_term(g, row, F, l.field[i], where, form);
    rw_free(l.field);
    return status;
}

static bool reads_unknown(rw_graph *g, int n, rw_node node)
{
    for (int f = 0; f < n; ++f)
        if (rw_graph_reads(g, node, f)) return true;
    return false;
}

static bool sides_read_unknowns(rw_graph *g, const rw_form *form)
{
    for (int f = 0; f < form->n; ++f)
        for (int side = 0; side < 2 * g->grid.ndim; ++side)
            for (int i = 0; i < 3; ++i)
                if (reads_unknown(g, form->n, g->fields[f].boundary[side].value[i])) return true;
    return false;
}

static bool is_linear(rw_graph *g, const rw_form *form)
{
    for (int i = 0; i < form->nterms; ++i)
        if (reads_unknown(g, form->n, form->terms[i].factor)) return false;
    return !sides_read_unknowns(g, form);
}

/* ---- numbers at places ------------------------------------------------------------------------------------------- */

typedef struct place {
    uint64_t seed;
    int64_t at[3];
    bool mask; /* fields are 0 or 1, as where(body, psi, laplace(psi)) takes them */
} place;

/* The node from which a field has its value at a node of an axis that may lie outside. Sides that compute a value give
 * one of its own. */
static int64_t inside(const rw_graph *g, int field, int axis, int64_t at)
{
    const int64_t n = g->grid.size[axis];
    if (at >= 0 && at < n) return at;
    switch (g->fields[field].boundary[2 * axis + (at >= n)].kind) {
    case RW_BOUNDARY_NEAREST: return at < 0 ? 0 : n - 1;
    case RW_BOUNDARY_PERIODIC: return (at % n + n) % n;
    case RW_BOUNDARY_REFLECT: return at < 0 ? -1 - at : 2 * n - 1 - at;
    case RW_BOUNDARY_REFLECT101: return at < 0 ? -at : 2 * n - 2 - at;
    default: return at;
    }
}

/* Coordinates of the place; values of fields between 1/2 and 3/2, or 0 and 1, by field and node; of reductions too. */
static void value_there(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    const place *p = user;
    const rw_graph_node *n = g->nodes + leaf;
    out[0] = out[1] = 0;
    if (n->op == RW_OP_REDUCE) {
        out[0] = 0.5 + rw_random_uniform(p->seed, (uint64_t)leaf);
    } else if (n->op == RW_OP_COORD) {
        const int64_t node = p->at[n->index] + n->offset[n->index];
        out[0] = n->version ? (double)(g->grid.first[n->index] + node) : rw_grid_coordinate(&g->grid, n->index, node);
    } else if (n->op == RW_OP_FIELD) {
        uint64_t key = (uint64_t)n->index;
        for (int d = 0; d < 3; ++d) key = key * 1000003u + (uint64_t)inside(g, n->index, d, p->at[d] + n->offset[d]);
        const double random = rw_random_uniform(p->seed, key);
        out[0] = p->mask ? random < 0.5 : 0.5 + random;
    }
}

/* Every other one is on sides. */
static place draw(const rw_graph *g, uint64_t number)
{
    place p = {.seed = number};
    for (int d = 0; d < g->grid.ndim; ++d) {
        const double x = rw_random_uniform(77, 8 * number + (uint64_t)d);
        p.at[d] = (int64_t)(x * (double)g->grid.size[d]);
        if (number % 4 == 1) p.at[d] = 0;
        if (number % 4 == 2) p.at[d] = g->grid.size[d] - 1;
    }
    return p;
}

/* A[row][column at an offset], 0 where there is no such term. */
static void factor_at(rw_graph *g, const rw_form *form, place p, int row, int column, const int offset[3],
                      double value[2])
{
    value[0] = value[1] = 0;
    for (int i = 0; i < form->nterms; ++i) {
        const rw_form_term *t = form->terms + i;
        if (t->row != row || t->column != column || memcmp(t->offset, offset, sizeof t->offset)) continue;
        rw_graph_value(g, t->factor, value_there, &p, value);
        return;
    }
}

/* 1/k of a field that is 0 somewhere is no number: then the field is no mask. */
static bool agree(place p, const double a[2], const double b[2])
{
    if (p.mask && !isfinite(a[0] + a[1] + b[0] + b[1])) return true;
    const double size = fmax(hypot(a[0], a[1]), hypot(b[0], b[1]));
    return hypot(a[0] - b[0], a[1] - b[1]) <= ROUNDING * size;
}

/* The term and the one that goes back are conjugate. On a side with mirrored values the one that goes beyond is as that
 * which goes in. */
static bool is_symmetric_at(rw_graph *g, const rw_form *form, const rw_form_term *t, place p)
{
    double there[2], back[2];
    place other = p;
    int opposite[3];
    for (int d = 0; d < 3; ++d) {
        other.at[d] += t->offset[d];
        if (g->fields[t->column].boundary[2 * d].kind == RW_BOUNDARY_PERIODIC)
            other.at[d] = inside(g, t->column, d, other.at[d]);
        opposite[d] = -t->offset[d];
    }
    rw_graph_value(g, t->factor, value_there, &p, there);
    factor_at(g, form, other, t->column, t->row, opposite, back);
    back[1] = -back[1];
    if (!agree(p, there, back)) return false;
    for (int d = 0; d < g->grid.ndim; ++d) {
        const bool on =
            (form->half[2 * d] && p.at[d] == 0) || (form->half[2 * d + 1] && p.at[d] == g->grid.size[d] - 1);
        int mirrored[3] = {t->offset[0], t->offset[1], t->offset[2]};
        if (!on || !t->offset[d]) continue;
        mirrored[d] = -mirrored[d];
        factor_at(g, form, p, t->row, t->column, mirrored, back);
        if (!agree(p, there, back) || abs(t->offset[d]) > 1) return false;
    }
    return true;
}

static bool is_symmetric(rw_graph *g, const rw_form *form)
{
    if (sides_read_unknowns(g, form)) return false; /* rows at sides have terms that are in no equation */
    for (int axis = 0; axis < g->grid.ndim; ++axis) /* formulas of order 4 at sides are one-sided */
        for (int f = 0; f < form->n && g->order == 4; ++f)
            if (g->fields[f].boundary[2 * axis].kind != RW_BOUNDARY_PERIODIC) return false;
    for (uint64_t number = 0; number < 2 * PLACES; ++number)
        for (int i = 0; i < form->nterms; ++i) {
            place p = draw(g, number);
            p.mask = number >= PLACES;
            if (!is_symmetric_at(g, form, form->terms + i, p)) return false;
        }
    return true;
}

/* a u + b du/dn = c, where a and b have one sign: what leaves through the side grows with u. */
static bool is_dissipative(rw_graph *g, int axis, bool upper, const rw_graph_side *s)
{
    double a[2], b[2];
    if (s->kind != RW_BOUNDARY_ROBIN) return true;
    for (uint64_t number = 0; number < PLACES; ++number) {
        place p = draw(g, number);
        p.at[axis] = upper ? g->grid.size[axis] - 1 : 0;
        rw_graph_value(g, s->a, value_there, &p, a);
        rw_graph_value(g, s->b, value_there, &p, b);
        if (!(a[0] * b[0] >= 0) || a[1] != 0 || b[1] != 0) return false;
    }
    return true;
}

static bool are_dissipative(rw_graph *g, const rw_form *form)
{
    for (int f = 0; f < form->n; ++f)
        for (int side = 0; side < 2 * g->grid.ndim; ++side)
            if (!is_dissipative(g, side / 2, side % 2, g->fields[f].boundary + side)) return false;
    return true;
}

/* The sign of the diagonal where each row is weakly dominant; *balanced: rows add up to 0. */
static int sign_of(rw_graph *g, const rw_form *form, bool *balanced)
{
    int sign = 0;
    bool dominant = are_dissipative(g, form);
    *balanced = true;
    for (uint64_t number = 0; number < PLACES; ++number)
        for (int row = 0; row < form->n; ++row) {
            place p = draw(g, number);
            double diagonal[2] = {0}, others = 0, sum[2] = {0};
            for (int i = 0; i < form->nterms; ++i) {
                const rw_form_term *t = form->terms + i;
                double value[2];
                if (t->row != row) continue;
                rw_graph_value(g, t->factor, value_there, &p, value);
                const bool own = t->column == row && !t->offset[0] && !t->offset[1] && !t->offset[2];
                if (own) memcpy(diagonal, value, sizeof diagonal);
                else others += hypot(value[0], value[1]);
                sum[0] += value[0];
                sum[1] += value[1];
            }
            const double size = others + hypot(diagonal[0], diagonal[1]);
            if (!(hypot(sum[0], sum[1]) <= ROUNDING * size)) *balanced = false;
            const int is = diagonal[0] > 0 ? 1 : -1;
            dominant = dominant && fabs(diagonal[0]) >= others * (1 - ROUNDING) &&
                       fabs(diagonal[1]) <= ROUNDING * size && (!sign || sign == is);
            sign = is;
        }
    return dominant ? sign : 0;
}

double rw_form_coupling(rw_graph *g, const rw_form *form, int axis)
{
    double sum = 0;
    for (uint64_t number = 0; number < PLACES; ++number)
        for (int i = 0; i < form->nterms; ++i) {
            const rw_form_term *t = form->terms + i;
            place p = draw(g, number);
            double value[2];
            if (abs(t->offset[axis]) != 1 || t->offset[(axis + 1) % 3] || t->offset[(axis + 2) % 3]) continue;
            rw_graph_value(g, t->factor, value_there, &p, value);
            sum += hypot(value[0], value[1]) / PLACES;
        }
    return sum;
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

static bool has_half(const rw_graph *g, const rw_graph_side *s)
{
    if (s->kind == RW_BOUNDARY_REFLECT101) return true;
    return g->layout != RW_GRID_CELL && (s->kind == RW_BOUNDARY_NEUMANN || s->kind == RW_BOUNDARY_ROBIN);
}

/* Of all unknowns. */
static bool weights_agree(const rw_graph *g, const rw_form *form)
{
    for (int f = 1; f < form->n; ++f)
        for (int side = 0; side < 2 * g->grid.ndim; ++side)
            if (has_half(g, g->fields[f].boundary + side) != form->half[side]) return false;
    return true;
}

static bool keeps_constants(const rw_graph *g, const rw_graph_side *s)
{
    switch (s->kind) {
    case RW_BOUNDARY_DIRICHLET:
    case RW_BOUNDARY_CONSTANT: return false;
    case RW_BOUNDARY_ROBIN: return rw_is_const(g, s->a, 0);
    default: return true;
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

void rw_form_free(rw_form *form)
{
    rw_free(form->terms);
    *form = (rw_form){0};
}

void rw_form_update(rw_graph *g, rw_form *form)
{
    bool balanced;
    form->symmetric = weights_agree(g, form) && is_symmetric(g, form);
    form->sign = sign_of(g, form, &balanced);
    form->singular = form->open && balanced;
}

rw_status rw_form_make(rw_graph *g, int n, const rw_node *F, const char *where, rw_form *form)
{
    *form = (rw_form){.n = n};
    for (int row = 0; row < n; ++row) {
        const rw_status status = add_terms(g, row, F[row], where, form);
        if (status == RW_OK) continue;
        rw_form_free(form);
        return status;
    }
    form->linear = is_linear(g, form);
    for (int side = 0; side < 2 * g->grid.ndim; ++side) form->half[side] = has_half(g, g->fields[0].boundary + side);
    form->open = n == 1;
    for (int side = 0; side < 2 * g->grid.ndim; ++side)
        form->open = form->open && keeps_constants(g, g->fields[0].boundary + side);
    rw_form_update(g, form);
    if (!g->failed) return RW_OK;
    rw_form_free(form);
    return rw_fail_memory(g->ctx, 4096, "an equation");
}
