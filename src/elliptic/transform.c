/* Transforms: the differences of an equation act along one axis each. Constant coefficients: the right-hand side is
 * divided by the eigenvalues in the spectrum. Coefficients that vary along one axis, the line, or sides of it to which
 * no transform belongs: transforms along the others, then tridiagonal systems (box.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "elliptic/box.h"
#include "elliptic/row.h"
#include "expr/boundary.h"

typedef struct transform {
    rw_box *box;
    int line;         /* -1: none */
    double *table[4]; /* of the line: see rw_box_rows */
} transform;

/* ---- does it apply? ---------------------------------------------------------------------------------------------- */

/* The axis of a term; 0 of the node's own. False: it lies off the axes. */
static bool find_term_axis(const rw_form_term *t, int *axis)
{
    int axes = 0;
    *axis = 0;
    for (int d = 0; d < 3; ++d) {
        if (!t->offset[d]) continue;
        *axis = d;
        axes++;
    }
    return axes <= 1;
}

static bool is_own(const rw_form_term *t) { return rw_form_term_is_at(t, 0, 0); }

/* The other node at the same distance; NULL: it has no term. */
static const rw_form_term *opposite(const rw_system *s, const rw_form_term *t)
{
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *o = s->form.terms + i;
        if (o->offset[0] == -t->offset[0] && o->offset[1] == -t->offset[1] && o->offset[2] == -t->offset[2]) return o;
    }
    return NULL;
}

typedef struct on_line {
    int axis;
    int64_t at;
} on_line;

static void coordinate_there(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    const on_line *l = user;
    const rw_graph_node *p = g->nodes + leaf;
    const int64_t node = (p->index == l->axis ? l->at : 0) + p->offset[p->index];
    out[0] = p->version ? (double)(g->grid.first[p->index] + node) : rw_grid_coordinate(&g->grid, p->index, node);
    out[1] = 0;
}

/* A factor that varies along the line alone, at node `at` of it. */
static double value_at(rw_graph *g, rw_node factor, int line, int64_t at)
{
    on_line there = {line, at};
    double value[2];
    rw_graph_value(g, factor, coordinate_there, &there, value);
    return value[0];
}

static bool agree(double a, double b) { return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)); }

/* a b' = b a' at nodes of the line. */
static bool is_ratio_constant(rw_graph *g, rw_node a, rw_node b, int line)
{
    enum { PLACES = 24 };
    const int64_t n = line < 0 ? 1 : g->grid.size[line];
    const double a0 = value_at(g, a, line, n / 2), b0 = value_at(g, b, line, n / 2);
    for (int i = 0; i < PLACES; ++i) {
        const int64_t at = i * (n - 1) / (PLACES - 1);
        if (!agree(value_at(g, a, line, at) * b0, value_at(g, b, line, at) * a0)) return false;
    }
    return true;
}

static bool is_equal(rw_graph *g, rw_node a, rw_node b, int line)
{
    return a == b || (is_ratio_constant(g, a, b, line) && agree(value_at(g, a, line, 0), value_at(g, b, line, 0)));
}

typedef bool compare(rw_graph *g, rw_node a, rw_node b, int line);

/* The comparison holds whatever the scalars are: tried with others. */
static bool holds(rw_system *s, compare *is, rw_node a, rw_node b, int line)
{
    enum { TRIES = 3 };
    rw_graph *g = s->graph;
    bool all = true;
    double *present = rw_calloc((size_t)g->nparams, sizeof *present);
    g->failed = g->failed || !present;
    for (int p = 0; p < g->nparams && present; ++p) present[p] = g->params[p].re;
    for (int i = 0; i < TRIES && present && all; ++i) {
        for (int p = 0; p < g->nparams; ++p)
            g->params[p].re = present[p] + 0.5 + rw_random_uniform(5, (uint64_t)(i * 1000 + p));
        all = is(g, a, b, line);
    }
    for (int p = 0; p < g->nparams && present; ++p) g->params[p].re = present[p];
    rw_free(present);
    return all;
}

/* The first factor of another axis: others are multiples of it, numbers times what varies along the line. -1: none. */
static rw_node scale_of(const rw_system *s, int line)
{
    for (int i = 0; i < s->form.nterms && line >= 0; ++i) {
        const rw_form_term *t = s->form.terms + i;
        if (!is_own(t) && !t->offset[line]) return t->factor;
    }
    return -1;
}

/* The factors vary along the line alone, and only so that the operators of the other axes have common eigenvectors. */
static bool are_separable(rw_system *s, int line, char *why, size_t size)
{
    rw_graph *g = s->graph;
    const rw_node scale = scale_of(s, line);
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *t = s->form.terms + i, *back = opposite(s, t);
        const rw_graph_node *p = g->nodes + t->factor;
        const int allowed = line < 0 ? 0 : 1 << line;
        int axis;
        const char *problem = p->reduced                                                ? "depends on a reduction"
                              : p->depends & RW_ON_FIELD || (p->depends & 7 & ~allowed) ? "varies in space"
                              : p->is_complex                                           ? "is complex"
                              : !find_term_axis(t, &axis) ? "belongs to a node off the axes"
                                                          : NULL;
        if (!problem && !is_own(t) && axis == line && abs(t->offset[axis]) > 1) problem = "is that of a node too far";
        if (!problem && !is_own(t) && axis != line && (!back || !holds(s, is_equal, t->factor, back->factor, line)))
            problem = "differs from that of the node on the other side";
        if (!problem && !is_own(t) && axis != line && scale >= 0 &&
            !holds(s, is_ratio_constant, t->factor, scale, line))
            problem = "varies unlike those of other axes";
        if (!problem) continue;
        char name[64];
        snprintf(why, size, "the factor of %s %s", rw_form_term_name(g, t, name), problem);
        return false;
    }
    return true;
}

/* Its sides add numbers to the first and last rows. */
static bool is_side_of_line(rw_graph *g, int side)
{
    const rw_graph_side is = g->fields[0].boundary[side];
    rw_node share[2];
    if (is.kind == RW_BOUNDARY_PERIODIC) return true;
    if (!rw_row_shares(g, 0, side, 1, share)) return false;
    if (is.kind != RW_BOUNDARY_ROBIN) return true;
    if (g->layout != RW_GRID_CELL && g->nodes[is.b].op == RW_OP_CONST && rw_is_const(g, is.b, 0)) return is.given;
    for (int i = 0; i < 2; ++i) {
        const rw_graph_node *p = g->nodes + is.value[i];
        if (p->is_field || p->is_complex || p->reduced) return false;
    }
    return !is.given;
}

/* No row is exchanged for another in tridiagonal systems, so that those of J must be dominant. */
static bool is_line(rw_system *s, int axis)
{
    char why[200];
    rw_node factor[3];
    if (s->grid->size[axis] < 3 || s->form.sign == 0) return false;
    for (int upper = 0; upper < 2; ++upper)
        if (!is_side_of_line(s->graph, 2 * axis + upper)) return false;
    return are_separable(s, axis, why, sizeof why) && rw_row_along(s->graph, &s->form, 0, axis, factor) &&
           s->graph->order == 2 && rw_box_suits(s, (rw_box_of){0, axis, false}, why, sizeof why);
}

/* The last axis that can be one, whose lines lie farthest apart: work-items read neighbours. -1: none. */
static int find_line(rw_system *s)
{
    for (int axis = s->grid->ndim - 1; axis >= 0; --axis)
        if (is_line(s, axis)) return axis;
    return -1;
}

static bool needs_no_line(rw_system *s, char *why, size_t size)
{
    return are_separable(s, -1, why, size) && rw_box_suits(s, (rw_box_of){0, -1, false}, why, size);
}

static bool suits(rw_system *s, char *why, size_t size)
{
    if (!s->form.linear || s->n > 1) {
        snprintf(why, size, s->n > 1 ? "there are %d unknowns" : "the equation is not linear", s->n);
        return false;
    }
    if (needs_no_line(s, why, size)) {
        snprintf(why, size, "constant coefficients, and sides to which transforms belong");
        return true;
    }
    const int line = find_line(s);
    if (line < 0) return false;
    snprintf(why, size, "tridiagonal systems along %c%s", "xyz"[line],
             s -> grid -> ndim > 1 ? ", transforms along the rest, which has constant coefficients" : "");
    return true;
}

/* ---- create, prepare, solve -------------------------------------------------------------------------------------- */

static rw_status create(rw_system *s)
{
    char why[200];
    transform *t = rw_calloc(1, sizeof *t);
    if (!t) return rw_fail_memory(s->device->ctx, sizeof *t, "transforms");
    s->data = t;
    t->line = needs_no_line(s, why, sizeof why) ? -1 : find_line(s);
    const size_t n = t->line < 0 ? 0 : (size_t)s->grid->size[t->line];
    for (int i = 0; i < 4 && n; ++i) {
        t->table[i] = rw_calloc(n, sizeof *t->table[i]);
        if (!t->table[i]) return rw_fail_memory(s->device->ctx, n * sizeof(double), "coefficients");
    }
    s->projects = s->skips = t->line < 0;
    return rw_box_create(s, (rw_box_of){0, t->line, false}, &t->box);
}

/* Where what the operators of other axes are multiplied with is largest. */
static int64_t place_of_scale(rw_system *s, const transform *t, rw_node scale)
{
    int64_t best = 0;
    double largest = 0;
    for (int64_t i = 0; i < s->grid->size[t->line]; ++i) {
        const double value = fabs(value_at(s->graph, scale, t->line, i));
        if (value > largest) best = i;
        largest = fmax(largest, value);
    }
    return best;
}

static void fill_rows(rw_system *s, const transform *t, const rw_node factor[3], rw_node scale)
{
    rw_graph *g = s->graph;
    const rw_graph_side *side = g->fields[0].boundary + 2 * t->line;
    const int64_t n = s->grid->size[t->line];
    const double sign = rw_system_sign(s);
    for (int64_t i = 0; i < n; ++i) {
        const bool given = (i == 0 && side[0].given) || (i == n - 1 && side[1].given);
        for (int k = 0; k < 3; ++k) t->table[k][i] = given ? k == 1 : sign * value_at(g, factor[k], t->line, i);
        t->table[3][i] = given ? 0 : scale < 0 ? 1 : value_at(g, scale, t->line, i);
        for (int k = 0; k < s->form.nterms && !given; ++k) {
            const rw_form_term *o = s->form.terms + k;
            if (!is_own(o) && !o->offset[t->line]) t->table[1][i] += sign * value_at(g, o->factor, t->line, i);
        }
    }
}

/* The rows along the line, and the operators of the other axes over what they are multiplied with. */
static rw_status set_lines(rw_system *s, transform *t, rw_box_term *terms)
{
    rw_graph *g = s->graph;
    rw_node factor[3];
    const rw_node scale = scale_of(s, t->line);
    rw_row_along(g, &s->form, 0, t->line, factor);
    if (g->failed) return rw_fail_memory(s->device->ctx, 4096, "coefficients");
    fill_rows(s, t, factor, scale);
    RW_TRY(rw_box_set_rows(t->box, &(rw_box_rows){t->table[0], t->table[1], t->table[2], t->table[3]}));
    const int64_t at = scale < 0 ? 0 : place_of_scale(s, t, scale);
    const double there = scale < 0 ? 1 : value_at(g, scale, t->line, at);
    int n = 0;
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *o = s->form.terms + i;
        if (is_own(o) || o->offset[t->line]) continue;
        find_term_axis(o, &terms[n].axis);
        terms[n].offset = o->offset[terms[n].axis];
        terms[n++].coefficient = there == 0 ? 0 : rw_system_sign(s) * value_at(g, o->factor, t->line, at) / there;
    }
    return rw_box_set(t->box, terms, n, s->form.singular, false);
}

static rw_status set_box(rw_system *s, const transform *t, rw_box_term *terms)
{
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *o = s->form.terms + i;
        double factor[2];
        find_term_axis(o, &terms[i].axis);
        rw_form_factor(s->graph, o, factor);
        terms[i].offset = o->offset[terms[i].axis];
        terms[i].coefficient = rw_system_sign(s) * factor[0];
    }
    return rw_box_set(t->box, terms, s->form.nterms, s->form.singular, false);
}

static rw_status prepare(rw_system *s)
{
    transform *t = s->data;
    if (!s->changed) return RW_OK;
    if (t->line >= 0 && s->form.sign == 0)
        return rw_fail(s->device->ctx, RW_ERR_UNSUPPORTED,
                       "%s: with the present scalars the diagonal of a row along %c may be smaller than the rest, and "
                       "no row is exchanged in tridiagonal systems: take method krylov",
                       s->source->name, "xyz"[t->line]);
    rw_box_term *terms = rw_calloc((size_t)s->form.nterms, sizeof *terms);
    if (!terms) return rw_fail_memory(s->device->ctx, (size_t)s->form.nterms * sizeof *terms, "coefficients");
    const rw_status status = t->line < 0 ? set_box(s, t, terms) : set_lines(s, t, terms);
    rw_free(terms);
    return status;
}

static rw_status solve_into(rw_system *s, rw_array *b, double factor, rw_array *u)
{
    const transform *t = s->data;
    return rw_box_solve(t->box, b, factor, u, s->device->queue);
}

static rw_status solve(rw_system *s, double reduction RW_UNUSED) { return solve_into(s, s->r, 1, s->v); }

static void add_cost(const rw_system *s, double *bytes, int *launches)
{
    const transform *t = s->data;
    rw_box_add_cost(t->box, bytes, launches);
}

static void explain(const rw_system *s, rw_text *text)
{
    const transform *t = s->data;
    rw_box_explain(t->box, text);
}

static void destroy(rw_system *s)
{
    transform *t = s->data;
    if (!t) return;
    rw_box_destroy(&t->box);
    for (int i = 0; i < 4; ++i) rw_free(t->table[i]);
    rw_free(t);
}

const rw_system_ops rw_system_transform = {.method = RW_ELLIPTIC_TRANSFORM,
                                           .direct = true,
                                           .suits = suits,
                                           .create = create,
                                           .prepare = prepare,
                                           .solve = solve,
                                           .solve_into = solve_into,
                                           .explain = explain,
                                           .add_cost = add_cost,
                                           .destroy = destroy};
