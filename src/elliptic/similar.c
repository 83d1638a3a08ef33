#include "elliptic/similar.h"

#include <math.h>
#include <stdio.h>

#include "elliptic/box.h"
#include "rechenwerk/operator.h"

struct rw_similar {
    rw_system *s;
    rw_box **box; /* by unknown */
    rw_expr *means, *before, *after;
    rw_operator *operator;
};

rw_status rw_similar_solve(const rw_similar *p, rw_array *x, rw_array *y, rw_queue *q)
{
    const rw_system *s = p->s;
    RW_TRY(rw_system_bind_parts(s, p->before, rw_system_r(s, 0), x));
    RW_TRY(rw_system_bind_parts(s, p->before, rw_system_v(s, 0), y));
    RW_TRY(rw_system_unbind_parts(s, p->before, rw_expr_run(p->before, q)));
    for (int f = 0; f < s->n; ++f) {
        rw_array *part;
        RW_TRY(rw_array_slice(y, 0, f * s->nodes, (f + 1) * s->nodes, 1, &part));
        const rw_status status = rw_box_solve(p->box[f], part, 1, part, q);
        rw_array_destroy(&part);
        RW_TRY(status);
    }
    RW_TRY(rw_system_bind_parts(s, p->after, rw_system_r(s, 0), y));
    return rw_system_unbind_parts(s, p->after, rw_expr_run(p->after, q));
}

static rw_status multiply(void *user, rw_op op RW_UNUSED, rw_array *x, rw_array *y, rw_queue *q)
{
    return rw_similar_solve(user, x, y, q);
}

static rw_status make(rw_similar *p)
{
    rw_system *s = p->s;
    for (int f = 0; f < s->n; ++f) RW_TRY(rw_box_create(s, (rw_box_of){f, -1, true}, p->box + f));
    RW_TRY(rw_system_program(s, RW_SYSTEM_MEANS, &p->means));
    RW_TRY(rw_system_program(s, RW_SYSTEM_BEFORE, &p->before));
    RW_TRY(rw_system_program(s, RW_SYSTEM_AFTER, &p->after));
    const rw_operator_spec map = {.rows = s->n * s->nodes,
                                  .columns = s->n * s->nodes,
                                  .type = s->type,
                                  .multiply = multiply,
                                  .direct = !rw_system_records(s, p->before),
                                  .user = p};
    return rw_operator_create(s->device, &map, &p->operator);
}

rw_status rw_similar_create(rw_system *s, rw_similar **similar)
{
    char why[200];
    *similar = NULL;
    for (int f = 0; f < s->n; ++f)
        if (!rw_box_suits(s, (rw_box_of){f, -1, true}, why, sizeof why)) return RW_OK;
    rw_similar *p = rw_calloc(1, sizeof *p);
    if (p) *p = (rw_similar){.s = s, .box = rw_calloc((size_t)s->n, sizeof(*p->box))};
    rw_status status = p && p->box ? make(p) : rw_fail_memory(s->device->ctx, 4096, "a preconditioner");
    if (status == RW_OK) *similar = p;
    else rw_similar_destroy(&p);
    return status;
}

void rw_similar_destroy(rw_similar **similar)
{
    rw_similar *p = *similar;
    *similar = NULL;
    if (!p) return;
    rw_operator_destroy(&p->operator);
    for (int f = 0; p->box && f < p->s->n; ++f) rw_box_destroy(p->box + f);
    rw_free(p->box);
    rw_free(p);
}

/* The terms of an unknown by axes: one of a node off the axes belongs to each of its axes in part. */
static int add_terms(const rw_form_term *t, double mean, rw_box_term *terms)
{
    int axes = 0, n = 0;
    for (int d = 0; d < 3; ++d) axes += t->offset[d] != 0;
    if (!axes) terms[n++] = (rw_box_term){0, 0, mean};
    for (int d = 0; d < 3; ++d)
        if (t->offset[d]) terms[n++] = (rw_box_term){d, t->offset[d], mean / axes};
    return n;
}

/* The means of row f, whose terms are reduced so that the diagonal is as large as the rest together; their number. */
static rw_status read_means(rw_similar *p, int f, rw_box_term *terms, int *n)
{
    const rw_form *form = &p->s->form;
    double diagonal = 0, others = 0;
    *n = 0;
    for (int i = 0; i < form->nterms; ++i) {
        char name[16];
        double mean;
        if (form->terms[i].row != f || form->terms[i].column != f) continue;
        snprintf(name, sizeof name, "m%d", i);
        RW_TRY(rw_expr_get(p->means, name, &mean, NULL));
        *n += add_terms(form->terms + i, isfinite(mean) ? mean : 0, terms + *n);
    }
    for (int i = 0; i < *n; ++i) *(terms[i].offset ? &others : &diagonal) += fabs(terms[i].coefficient);
    for (int i = 0; i < *n && others > diagonal; ++i)
        if (terms[i].offset) terms[i].coefficient *= diagonal / others;
    return RW_OK;
}

rw_status rw_similar_prepare(rw_similar *p, bool regular)
{
    rw_system *s = p->s;
    rw_box_term *terms = rw_calloc(3 * (size_t)s->form.nterms, sizeof *terms);
    if (!terms) return rw_fail_memory(s->device->ctx, 4096, "coefficients");
    rw_status status = rw_expr_run(p->means, s->device->queue);
    for (int f = 0; f < s->n && status == RW_OK; ++f) {
        int n;
        double sum = 0, size = 0;
        status = read_means(p, f, terms, &n);
        for (int i = 0; i < n && status == RW_OK; ++i) {
            sum += terms[i].coefficient;
            size += fabs(terms[i].coefficient);
        }
        if (status == RW_OK) status = rw_box_set(p->box[f], terms, n, !(fabs(sum) > 1e-10 * size), regular);
    }
    rw_free(terms);
    return status;
}

rw_status rw_similar_roughness(const rw_similar *p, double *roughness)
{
    return rw_expr_get(p->means, "rough", roughness, NULL);
}

rw_operator *rw_similar_operator(const rw_similar *p) { return p->operator; }
