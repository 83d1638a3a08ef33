/* Boundary conditions from a case, and the grid that follows from them.
 *
 *   boundary: "0"                        the value on all sides (Dirichlet)
 *   boundary: periodic                   on all axes;  also: neumann (no flux), nearest, reflect101, reflect;
 *                                        symmetric is neumann, antisymmetric the value 0
 *   boundary: {neumann: "g"}             outward normal derivative;  {robin: [a, b, c]}: a u + b du/dn = c
 *   boundary: {constant: "v"}            the value of every node outside
 *   boundary: {x: periodic, top: "1", bottom: neumann, left: {robin: ["1", "2", "0"]}}      sides one by one
 *   boundary: {left: [{where: "y > 0.5", dirichlet: "1"}, neumann]}                         a side in parts: parts.c
 *
 * Sides not named have no flux. Unknowns and spacing on an axis of length L with n unknowns:
 *
 *   Dirichlet | Dirichlet     o x x x x o     L/(n+1)      o  node on the side, its value is given: no unknown
 *   Neumann   | Neumann       x x x x x x     L/(n-1)      x  unknown (all others are as Neumann sides)
 *   Dirichlet | Neumann       o x x x x x     L/n
 *   periodic                  x x x x x .     L/n
 *
 * With grid.layout: cell all sides are alike:
 *
 *   any kind                 |x x x x x|      L/n, the first unknown half a spacing from the side
 *
 * With grid.layout: node the first and the last node of the n are on the sides, whatever their kinds:
 *
 *   any kind                 x x x x x x      L/(n-1); where a value is given the node has it
 */
#include <string.h>

#include "run/pde/pde.h"

static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
static const char *const compass[] = {"west", "east", "south", "north"}; /* other names of the first four */
static const char *const axes[] = {"x", "y", "z"};

#define RW_X(name, text, ...) text,
static const char *const kinds[] = {RW_BOUNDARY_LIST(RW_X)};
#undef RW_X
#define RW_X(name, ...) RW_BOUNDARY_##name,
static const rw_boundary_kind kind_of[] = {RW_BOUNDARY_LIST(RW_X)};
#undef RW_X

/* Words for a kind whose value is 0. */
static const struct {
    const char *word;
    rw_boundary_kind kind;
} of_zero[] = {{"symmetric", RW_BOUNDARY_NEUMANN}, {"antisymmetric", RW_BOUNDARY_DIRICHLET}};

/* RW_BOUNDARY_KINDS: the word is none. */
static rw_boundary_kind find_kind(const char *word)
{
    for (int i = 0; i < RW_COUNT(kinds); ++i)
        if (!strcmp(word, kinds[i])) return kind_of[i];
    return RW_BOUNDARY_KINDS;
}

rw_status pde_read_kind(const rw_case *c, const char *field, const rw_tree *node, int at, rw_boundary *b)
{
    const char *kind = node->keys[at];
    const rw_tree *value = node->items[at];
    b->kind = find_kind(kind);
    if (b->kind < RW_BOUNDARY_KINDS && rw_boundary_values(b->kind) == 1) {
        if (value->kind != RW_TREE_SCALAR)
            return rw_case_fail(c, value, "fields.%s.boundary: %s takes one expression", field, kind);
        b->a = value->text;
        return RW_OK;
    }
    if (b->kind < RW_BOUNDARY_KINDS && rw_boundary_values(b->kind) == 3) {
        if (value->kind != RW_TREE_LIST || value->n != 3)
            return rw_case_fail(c, value,
                                "fields.%s.boundary: %s takes three expressions [a, b, c] for a u + b du/dn = c", field,
                                kind);
        for (int i = 0; i < 3; ++i)
            if (value->items[i]->kind != RW_TREE_SCALAR)
                return rw_case_fail(c, value->items[i], "fields.%s.boundary: %s takes three expressions", field, kind);
        b->a = value->items[0]->text;
        b->b = value->items[1]->text;
        b->c = value->items[2]->text;
        return RW_OK;
    }
    return rw_case_fail_key(c, node, at, "fields.%s.boundary: %s %s%s: %s need a value; %s have none", field, kind,
                            b->kind < RW_BOUNDARY_KINDS ? "has no value" : "is unknown",
                            b->kind < RW_BOUNDARY_KINDS ? "" : rw_hint_nearest(kind, kinds, RW_COUNT(kinds)).text,
                            rw_boundary_names_of(RW_BOUNDARIES_WITH_VALUES, " and ").text,
                            rw_boundary_names_of(RW_BOUNDARIES_WITHOUT, " and ").text);
}

/* A word that is no name of the case: a condition that is mistyped, or lacks its value. */
static rw_status check_word(const rw_case *c, const pde_problem *p, const char *field, const rw_tree *node)
{
    const char *t = node->text;
    size_t n = strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-");
    if (t[n] || rw_is_reserved(t) || rw_foreign_word(t)) return RW_OK;
    for (int i = 0; i < p->nscalars; ++i)
        if (!strcmp(t, p->scalars[i].name)) return RW_OK;
    const rw_boundary_kind kind = find_kind(t);
    if (kind < RW_BOUNDARY_KINDS)
        return rw_case_fail(c, node, "fields.%s.boundary: %s needs %s", field, t, rw_boundary_row_of(kind)->needs);
    const char *near = rw_nearest(t, kinds, RW_COUNT(kinds));
    if (!near) return RW_OK;
    return rw_case_fail(c, node,
                        "fields.%s.boundary: %s is neither a parameter nor a boundary condition; nearest "
                        "is %s",
                        field, t, near);
}

rw_status pde_read_condition(const rw_case *c, const pde_problem *p, const char *field, const rw_tree *node,
                             rw_boundary *b, const rw_tree **value)
{
    memset(b, 0, sizeof *b);
    *value = NULL;
    if (node->kind == RW_TREE_SCALAR) {
        if (!node->text[0])
            return rw_case_fail(c, node, "fields.%s.boundary is empty: give a value, or neumann", field);
        for (int i = 0; i < RW_COUNT(of_zero); ++i)
            if (!strcmp(node->text, of_zero[i].word)) {
                *b = (rw_boundary){.kind = of_zero[i].kind, .a = "0"};
                return RW_OK;
            }
        b->kind = find_kind(node->text);
        if (b->kind < RW_BOUNDARY_KINDS && !rw_boundary_row_of(b->kind)->needs) {
            if (rw_boundary_values(b->kind)) b->a = "0";
        } else {
            RW_TRY(check_word(c, p, field, node));
            b->kind = RW_BOUNDARY_DIRICHLET;
            b->a = node->text;
            *value = node;
        }
        return RW_OK;
    }
    if (node->kind != RW_TREE_MAP || node->n != 1)
        return rw_case_fail(
            c, node,
            "fields.%s.boundary: a condition must be a value, {KIND: value} or KIND: %s need a value; %s have none",
            field, rw_boundary_names_of(RW_BOUNDARIES_WITH_VALUES, " and ").text,
            rw_boundary_names_of(RW_BOUNDARIES_WITHOUT, " and ").text);
    RW_TRY(pde_read_kind(c, field, node, 0, b));
    *value = node->items[0];
    return RW_OK;
}

static int find_side(const char *name, int ndim, int which[2])
{
    for (int d = 0; d < ndim; ++d)
        if (!strcmp(name, axes[d])) {
            which[0] = 2 * d;
            which[1] = 2 * d + 1;
            return 2;
        }
    for (int s = 0; s < 2 * ndim; ++s)
        if (!strcmp(name, sides[s]) || (s < RW_COUNT(compass) && !strcmp(name, compass[s]))) {
            which[0] = s;
            return 1;
        }
    return 0;
}

static rw_status fail_side(const rw_case *c, const char *field, int ndim, const rw_tree *node, int i)
{
    const char *names[9];
    int m = 0;
    for (int s = 0; s < 2 * ndim; ++s) names[m++] = sides[s];
    for (int d = 0; d < ndim; ++d) names[m++] = axes[d];
    return rw_case_fail_key(c, node, i,
                            "fields.%s.boundary: side %s is unknown%s: in %d dimension%s there are left, right%s%s, or "
                            "whole axes x%s%s",
                            field, node->keys[i], rw_hint_nearest(node->keys[i], names, m).text, ndim,
                            ndim > 1 ? "s" : "", ndim > 1 ? ", bottom, top" : "", ndim > 2 ? ", back, front" : "",
                            ndim > 1 ? ", y" : "", ndim > 2 ? ", z" : "");
}

/* An entry before entry i with another name of its side, left and west; -1: none. Axes and sides may be mixed: the last
 * one counts. */
static int find_same_side(const rw_tree *node, int ndim, int i)
{
    int which[2], other[2];
    if (find_side(node->keys[i], ndim, which) != 1) return -1;
    for (int k = 0; k < i; ++k)
        if (find_side(node->keys[k], ndim, other) == 1 && other[0] == which[0]) return k;
    return -1;
}

/* Entry i of the map of sides. */
static rw_status read_side(const rw_case *c, pde_problem *p, int f, const rw_tree *node, int i)
{
    int which[2], n = find_side(node->keys[i], p->grid.ndim, which);
    rw_boundary b;
    const rw_tree *value;
    if (!n) return fail_side(c, p->fields[f].name, p->grid.ndim, node, i);
    const int same = find_same_side(node, p->grid.ndim, i);
    if (same >= 0)
        return rw_case_fail_key(c, node, i,
                                "fields.%s.boundary: %s and %s give a condition for the same side: remove one of them",
                                p->fields[f].name, node->keys[same], node->keys[i]);
    for (int k = 0; k < n && node->items[i]->kind == RW_TREE_LIST; ++k)
        RW_TRY(pde_read_parts(c, p, f, which[k], node->items[i]));
    if (node->items[i]->kind == RW_TREE_LIST) return RW_OK;
    RW_TRY(pde_read_condition(c, p, p->fields[f].name, node->items[i], &b, &value));
    for (int k = 0; k < n; ++k) {
        p->fields[f].boundary[which[k]] = b;
        p->sides[6 * f + which[k]] = value;
        p->parts[6 * f + which[k]] = NULL; /* of an axis that has been given in parts */
    }
    return RW_OK;
}

rw_status pde_read_boundary(const rw_case *c, pde_problem *p, int f, const rw_tree *node)
{
    rw_expr_field *field = p->fields + f;
    int ndim = p->grid.ndim;
    int mistakes = rw_mistakes_met();
    for (int s = 0; s < 6; ++s) field->boundary[s] = (rw_boundary){RW_BOUNDARY_NEUMANN, "0", NULL, NULL};
    if (!node) return RW_OK;
    bool one_kind = node->kind == RW_TREE_MAP && node->n == 1 && !find_side(node->keys[0], ndim, (int[2]){0}) &&
                    (find_kind(node->keys[0]) < RW_BOUNDARY_KINDS || rw_nearest(node->keys[0], kinds, RW_COUNT(kinds)));
    if (node->kind != RW_TREE_MAP || one_kind) {
        rw_boundary b;
        const rw_tree *value;
        RW_TRY(pde_read_condition(c, p, field->name, node, &b, &value));
        for (int s = 0; s < 2 * ndim; ++s) {
            field->boundary[s] = b;
            p->sides[6 * f + s] = value;
        }
        return RW_OK;
    }
    for (int i = 0; i < node->n; ++i) RW_NOTE(rw_case_context(c), read_side(c, p, f, node, i));
    for (int d = 0; d < ndim && mistakes == rw_mistakes_met(); ++d)
        if ((field->boundary[2 * d].kind == RW_BOUNDARY_PERIODIC) !=
            (field->boundary[2 * d + 1].kind == RW_BOUNDARY_PERIODIC))
            return rw_case_fail(c, node,
                                "fields.%s.boundary: axis %s is periodic on one side only: give %s: "
                                "periodic",
                                field->name, axes[d], axes[d]);
    return RW_OK;
}

bool pde_pins(const pde_problem *p, rw_boundary_kind kind)
{
    return p->layout == RW_GRID_AUTO && rw_boundary_row_of(kind)->pins;
}

/* 'o' no unknown on the side, 'x' unknown on the side, 'p' periodic. */
static char node_class(const pde_problem *p, rw_boundary_kind kind)
{
    return pde_pins(p, kind) ? 'o' : kind == RW_BOUNDARY_PERIODIC ? 'p' : 'x';
}

/* Layout auto is for fields whose nodes are in the same places; others take cell. */
static rw_status choose_layout(const rw_case *c, pde_problem *p)
{
    for (int i = 0; i < 6 * p->nfields; ++i)
        if (p->parts[i] && p->layout == RW_GRID_AUTO && p->fields[i / 6].boundary[i % 6].kind == RW_BOUNDARY_ROBIN) {
            p->layout = RW_GRID_CELL;
            snprintf(p->why_cell, sizeof p->why_cell,
                     "grid.layout: cell, because side %s of field %s has parts of different kinds", sides[i % 6],
                     p->fields[i / 6].name);
        }
    for (int f = 1; f < p->nfields; ++f)
        for (int side = 0; side < 2 * p->grid.ndim; ++side) {
            const char first = node_class(p, p->fields[0].boundary[side].kind),
                       other = node_class(p, p->fields[f].boundary[side].kind);
            if (first == other) continue;
            if (first == 'p' || other == 'p')
                return rw_case_fail(c, rw_case_node(c, "fields"),
                                    "side %s is periodic for field %s, but not for %s: an axis is periodic for all "
                                    "fields or for none",
                                    sides[side], p->fields[first == 'p' ? 0 : f].name,
                                    p->fields[first == 'p' ? f : 0].name);
            p->layout = RW_GRID_CELL;
            snprintf(
                p->why_cell, sizeof p->why_cell,
                "grid.layout: cell, because on side %s the nodes of fields %s and %s would lie in different places",
                sides[side], p->fields[0].name, p->fields[f].name);
            return RW_OK;
        }
    return RW_OK;
}

static double component(const rw_reals *r, int d) { return r->value[r->n > d ? d : 0]; }

rw_status pde_make_grid(const rw_case *c, pde_problem *p, const pde_grid *s)
{
    rw_grid *g = &p->grid;
    const rw_tree *node = rw_case_node(c, "grid.size");
    g->ndim = (int)s->size.n;
    const rw_reals *lists[] = {&s->extent, &s->origin};
    static const char *const names[] = {"extent", "origin"};
    for (int i = 0; i < 2; ++i)
        if (g->ndim && lists[i]->n != 1 && lists[i]->n != g->ndim)
            return rw_case_fail(c, rw_case_node(c, i ? "grid.origin" : "grid.extent"),
                                "grid.%s has %d values, but grid.size has %d: give the same number, or one for all "
                                "directions",
                                names[i], lists[i]->n, g->ndim);
    RW_TRY(choose_layout(c, p));
    for (int d = 0; d < g->ndim; ++d) {
        const char lower = node_class(p, p->fields[0].boundary[2 * d].kind),
                   upper = node_class(p, p->fields[0].boundary[2 * d + 1].kind);
        int64_t n = s->size.value[d],
                parts = lower == 'p' || p->layout == RW_GRID_CELL ? n : n - 1 + (lower == 'o') + (upper == 'o');
        if (parts < 1)
            return rw_case_fail(c, node,
                                "grid.size = %lld along %s is too small for unknowns on both sides: at least 2 are "
                                "needed; ordinary differential equations have grid: none",
                                (long long)n, axes[d]);
        g->size[d] = n;
        g->spacing[d] = component(&s->extent, d) / (double)parts;
        const double first = p->layout == RW_GRID_CELL ? 0.5 : lower == 'o' ? 1 : 0;
        g->origin[d] = component(&s->origin, d) + (first > 0 ? first * g->spacing[d] : 0);
    }
    for (int d = g->ndim; d < 3; ++d) {
        g->size[d] = 1;
        g->spacing[d] = 1;
        g->origin[d] = 0;
    }
    return RW_OK;
}
