/* Transforms: an equation with constant coefficients on a box whose sides have one kind each. Its differences act along
 * one axis each, and the right-hand side is divided by the eigenvalues in the spectrum (box.h). */
#include <math.h>
#include <stdio.h>

#include "elliptic/box.h"

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

/* Factors at +m and -m are the same number, whatever the scalars are: tried with others. */
static bool is_even(rw_system *s, const rw_form_term *t)
{
    enum { TRIES = 3 };
    rw_graph *g = s->graph;
    const rw_form_term *back = NULL;
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *o = s->form.terms + i;
        if (o->offset[0] == -t->offset[0] && o->offset[1] == -t->offset[1] && o->offset[2] == -t->offset[2]) back = o;
    }
    if (back && back->factor == t->factor) return true;
    double *present = rw_calloc((size_t)g->nparams, sizeof *present);
    bool even = back && present;
    g->failed = g->failed || !present;
    for (int p = 0; p < g->nparams && present; ++p) present[p] = g->params[p].re;
    for (int i = 0; i < TRIES && even; ++i) {
        double there[2], here[2];
        for (int p = 0; p < g->nparams; ++p)
            g->params[p].re = present[p] + 0.5 + rw_random_uniform(5, (uint64_t)(i * 1000 + p));
        rw_form_factor(g, t, there);
        rw_form_factor(g, back, here);
        even = fabs(there[0] - here[0]) <= 1e-12 * (fabs(there[0]) + fabs(here[0]));
    }
    for (int p = 0; p < g->nparams && present; ++p) g->params[p].re = present[p];
    rw_free(present);
    return even;
}

static bool suits(rw_system *s, char *why, size_t size)
{
    char name[64];
    int axis;
    if (!s->form.linear || s->n > 1) {
        snprintf(why, size, s->n > 1 ? "there are %d unknowns" : "the equation is not linear", s->n);
        return false;
    }
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *t = s->form.terms + i;
        const char *problem = t->by_place                             ? "varies in space"
                              : s->graph->nodes[t->factor].is_complex ? "is complex"
                              : s->graph->nodes[t->factor].reduced    ? "depends on a reduction"
                              : !find_term_axis(t, &axis)             ? "belongs to a node off the axes"
                              : !is_even(s, t) ? "differs from that of the node on the other side"
                                               : NULL;
        if (!problem) continue;
        snprintf(why, size, "the factor of %s %s", rw_form_term_name(s->graph, t, name), problem);
        return false;
    }
    if (!rw_box_suits(s, 0, false, why, size)) return false;
    snprintf(why, size, "constant coefficients, and sides to which transforms belong");
    return true;
}

static rw_status create(rw_system *s)
{
    rw_box *box;
    const rw_status status = rw_box_create(s, 0, false, &box);
    s->data = box;
    return status;
}

static rw_status prepare(rw_system *s)
{
    if (!s->changed) return RW_OK;
    rw_box_term *terms = rw_calloc((size_t)s->form.nterms, sizeof *terms);
    if (!terms) return rw_fail_memory(s->device->ctx, (size_t)s->form.nterms * sizeof *terms, "coefficients");
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *t = s->form.terms + i;
        double factor[2];
        find_term_axis(t, &terms[i].axis);
        rw_form_factor(s->graph, t, factor);
        terms[i].offset = t->offset[terms[i].axis];
        terms[i].coefficient = rw_system_sign(s) * factor[0];
    }
    const rw_status status = rw_box_set(s->data, terms, s->form.nterms, s->form.singular, false);
    rw_free(terms);
    return status;
}

static rw_status solve(rw_system *s, double reduction RW_UNUSED)
{
    return rw_box_solve(s->data, s->r, s->v, s->device->queue);
}

static rw_status solve_into(rw_system *s, rw_array *u) { return rw_box_solve(s->data, s->r, u, s->device->queue); }

static void add_cost(const rw_system *s, double *bytes, int *launches) { rw_box_add_cost(s->data, bytes, launches); }

static void explain(const rw_system *s, rw_text *text) { rw_box_explain(s->data, text); }

static void destroy(rw_system *s)
{
    rw_box *box = s->data;
    rw_box_destroy(&box);
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
