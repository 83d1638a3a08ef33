/* A Krylov solver for the correction. Products are a program, so there is no matrix. */
#include <math.h>
#include <stdio.h>

#include "elliptic/box.h"
#include "elliptic/multigrid.h"
#include "elliptic/row.h"
#include "elliptic/similar.h"
#include "krylov/krylov.h"
#include "rechenwerk/operator.h"

typedef struct linear {
    rw_expr *product, *diagonal;
    rw_operator *operator;
    rw_elliptic_precond precond; /* of the solver */
    rw_similar *similar;         /* NULL: not needed, or no transforms belong to the sides */
    rw_multigrid *cycles;        /* NULL: not needed yet */
    rw_krylov *solver;
} linear;

/* Above it `auto` takes cycles. A smooth coefficient between 1 and 100 has 0.8 on 64 nodes an axis, discs that conduct
 * ten times as well as the rest have 20 to 40. */
static const double ROUGH = 3;

static bool is_definite(const rw_system *s) { return s->form.symmetric && s->form.sign != 0; }

/* A preconditioner that was asked for can be used. */
static bool has_precond(const rw_system *s, char *why, size_t size)
{
    const rw_elliptic_precond wish = s->settings->precond;
    char reason[160] = "";
    bool has = wish != RW_ELLIPTIC_PRECOND_MULTIGRID || rw_multigrid_suits(s, reason, sizeof reason);
    for (int f = 0; f < s->n && has && wish == RW_ELLIPTIC_PRECOND_TRANSFORM; ++f)
        has = rw_box_suits(s, (rw_box_of){f, -1, true}, reason, sizeof reason);
    if (!has) snprintf(why, size, "precond %s: %s", rw_elliptic_precond_name(wish), reason);
    return has;
}

static bool suits(rw_system *s, char *why, size_t size)
{
    if (!has_precond(s, why, size)) return false;
    snprintf(why, size, "%s",
             is_definite(s)      ? "cg, since the linear system is symmetric and definite"
             : s->form.symmetric ? "gmres, since the linear system is symmetric, but may be indefinite"
                                 : "gmres, since the linear system is not symmetric");
    return true;
}

static rw_status multiply(void *user, rw_op op RW_UNUSED, rw_array *x, rw_array *y, rw_queue *q)
{
    const rw_system *s = user;
    const linear *l = s->data;
    RW_TRY(rw_system_bind_parts(s, l->product, rw_system_v(s, 0), x));
    RW_TRY(rw_system_bind_parts(s, l->product, rw_system_r(s, 0), y));
    return rw_system_unbind_parts(s, l->product, rw_expr_run(l->product, q));
}

static rw_status diagonal(void *user, rw_array *to)
{
    const rw_system *s = user;
    const linear *l = s->data;
    RW_TRY(rw_system_bind_parts(s, l->diagonal, rw_system_r(s, 0), to));
    return rw_system_unbind_parts(s, l->diagonal, rw_expr_run(l->diagonal, s->device->queue));
}

static rw_status make_operator(rw_system *s, bool by_diagonal)
{
    linear *l = s->data;
    if (by_diagonal) RW_TRY(rw_system_program(s, RW_SYSTEM_DIAGONAL, &l->diagonal));
    const rw_operator_spec map = {.rows = s->n * s->nodes,
                                  .columns = s->n * s->nodes,
                                  .type = s->type,
                                  .multiply = multiply,
                                  .direct = !rw_system_records(s, l->product),
                                  .diagonal = by_diagonal ? diagonal : NULL,
                                  .user = s};
    return rw_operator_create(s->device, &map, &l->operator);
}

static rw_status make_cycles(rw_system *s)
{
    linear *l = s->data;
    s->symmetric = true;
    return l->cycles ? RW_OK : rw_multigrid_create(s, &l->cycles);
}

static rw_status create(rw_system *s)
{
    const rw_elliptic_precond wish = s->settings->precond;
    const bool any = wish == RW_ELLIPTIC_PRECOND_AUTO;
    char why[200];
    linear *l = rw_calloc(1, sizeof *l);
    if (!l) return rw_fail_memory(s->device->ctx, sizeof *l, "a solver");
    s->data = l;
    RW_TRY(rw_system_program(s, RW_SYSTEM_PRODUCT, &l->product));
    if (any || wish == RW_ELLIPTIC_PRECOND_TRANSFORM) RW_TRY(rw_similar_create(s, &l->similar));
    const bool cycles =
        wish == RW_ELLIPTIC_PRECOND_MULTIGRID || (any && !l->similar && rw_multigrid_suits(s, why, sizeof why));
    if (cycles) RW_TRY(make_cycles(s));
    return make_operator(s, !l->similar && !cycles);
}

/* Programs load with their first launch, which is in no recorded sequence. */
static rw_status launch_once(rw_system *s)
{
    rw_array *y;
    const linear *l = s->data;
    RW_TRY(rw_array_zero(s->v, s->device->queue));
    RW_TRY(rw_array_create(s->device, s->type, 1, s->v->shape, RW_MEMORY_DEVICE, &y));
    rw_status status = multiply(s, RW_OP_NONE, s->v, y, s->device->queue);
    if (status == RW_OK && l->precond == RW_ELLIPTIC_PRECOND_MULTIGRID)
        status = rw_multigrid_apply(l->cycles, s->v, y, s->device->queue);
    rw_array_destroy(&y);
    return status;
}

/* The preconditioner for the present state. */
static rw_status choose_precond(rw_system *s, rw_elliptic_precond *precond)
{
    linear *l = s->data;
    double roughness;
    char why[200];
    *precond = l->similar  ? RW_ELLIPTIC_PRECOND_TRANSFORM
               : l->cycles ? RW_ELLIPTIC_PRECOND_MULTIGRID
                           : RW_ELLIPTIC_PRECOND_DIAGONAL;
    if (s->settings->precond != RW_ELLIPTIC_PRECOND_AUTO || !l->similar) return RW_OK;
    RW_TRY(rw_similar_roughness(l->similar, &roughness));
    if (roughness > ROUGH && rw_multigrid_suits(s, why, sizeof why)) *precond = RW_ELLIPTIC_PRECOND_MULTIGRID;
    return RW_OK;
}

static rw_status prepare_precond(rw_system *s, rw_elliptic_precond *precond)
{
    linear *l = s->data;
    if (l->similar) RW_TRY(rw_similar_prepare(l->similar, true));
    RW_TRY(choose_precond(s, precond));
    if (*precond != RW_ELLIPTIC_PRECOND_MULTIGRID) return RW_OK;
    RW_TRY(make_cycles(s));
    return rw_multigrid_prepare(l->cycles);
}

static rw_operator *operator_of(const linear *l)
{
    return l->precond == RW_ELLIPTIC_PRECOND_TRANSFORM   ? rw_similar_operator(l->similar)
           : l->precond == RW_ELLIPTIC_PRECOND_MULTIGRID ? rw_multigrid_operator(l->cycles)
                                                         : NULL;
}

/* The diagonal of J is the same at all nodes: without it the iterations are the same, and take two launches less. */
static bool has_even_diagonal(const rw_system *s)
{
    const rw_graph_field *u = s->graph->fields;
    if (s->n > 1 || !s->form.linear) return false;
    for (int side = 0; side < 2 * s->grid->ndim; ++side) {
        const rw_graph_side *is = u->boundary + side;
        const bool beyond = is->kind == RW_BOUNDARY_DIRICHLET && s->graph->layout != RW_GRID_CELL && !is->given;
        if (is->kind != RW_BOUNDARY_PERIODIC && !beyond) return false;
    }
    for (int i = 0; i < s->form.nterms; ++i)
        if (rw_form_term_is_at(s->form.terms + i, 0, 0) && s->form.terms[i].by_place) return false;
    return true;
}

/* Recorded iterations hold the scalars of their time, the preconditioner those and the present state. */
static rw_status prepare(rw_system *s)
{
    linear *l = s->data;
    rw_elliptic_precond precond = l->precond;
    if (s->changed || !s->form.linear) RW_TRY(prepare_precond(s, &precond));
    const bool same = precond == l->precond;
    l->precond = precond;
    if (l->solver && same && !s->changed) return s->form.linear || operator_of(l) ? RW_OK : rw_krylov_update(l->solver);
    rw_krylov_destroy(&l->solver);
    RW_TRY(launch_once(s));
    rw_operator *before = operator_of(l);
    const rw_krylov_spec spec = {.method = is_definite(s) ? RW_KRYLOV_CG : RW_KRYLOV_GMRES,
                                 .restart = is_definite(s) ? 0 : 50,
                                 .rtol = 0.5, /* solve() has another for each system */
                                 .iterations = s->settings->iterations,
                                 .precond = {.method =
                                                 before || has_even_diagonal(s) ? RW_PRECOND_NONE : RW_PRECOND_JACOBI},
                                 .precond_operator = before,
                                 .cancel = s->spec->cancel};
    return rw_krylov_create(l->operator, s->type, &spec, &l->solver);
}

static rw_status solve(rw_system *s, double reduction)
{
    linear *l = s->data;
    rw_krylov_result result;
    RW_TRY(rw_array_zero(s->v, s->device->queue));
    rw_krylov_set_rtol(l->solver, reduction);
    const rw_status status = rw_krylov_solve(l->solver, s->r, s->v, &result);
    s->result.iterations += result.iterations;
    /* what is left shows in the residual of the equation */
    return status == RW_ERR_NOT_CONVERGED && result.residual < result.first ? RW_OK : status;
}

/* A fixed number of iterations, which change nothing once rtol holds. */
static rw_status cycle(rw_system *s)
{
    const linear *l = s->data;
    if (!is_definite(s))
        return rw_fail(s->device->ctx, RW_ERR_UNSUPPORTED,
                       "%s: the linear system is no longer symmetric and definite: a number of cycles needs cg",
                       s->source->name);
    return rw_krylov_enqueue(l->solver, s->r, s->v, s->settings->cycles, fmax(s->settings->rtol, 0));
}

static bool has_cycles(const rw_system *s) { return is_definite(s) && s->settings->cycles <= s->settings->iterations; }

static bool records(const rw_system *s)
{
    const linear *l = s->data;
    char why[200];
    const rw_elliptic_precond wish = s->settings->precond;
    bool varies = false;
    for (int i = 0; i < s->form.nterms; ++i) varies = varies || s->form.terms[i].by_place;
    if (wish == RW_ELLIPTIC_PRECOND_AUTO && !l->cycles && varies && rw_multigrid_suits(s, why, sizeof why))
        return false;
    return rw_system_records(s, l->product) && !(l->similar && rw_similar_operator(l->similar)->info.direct) &&
           !(l->cycles && rw_multigrid_operator(l->cycles)->info.direct);
}

static bool reads(const rw_system *s, int f)
{
    const linear *l = s->data;
    return rw_expr_uses_field(l->product, f);
}

static void explain(const rw_system *s, rw_text *text)
{
    rw_expr_plan plan;
    const linear *l = s->data;
    if (rw_expr_get_plan(l->product, &plan) != RW_OK) return;
    rw_text_add(text, "product  %lld passes, %.0f bytes and %.0f flops a node\n", (long long)plan.passes,
                plan.bytes_per_cell, plan.flops_per_cell);
    rw_text_add(text, "solver   %s, preconditioned by %s\n", is_definite(s) ? "cg" : "gmres",
                l->cycles    ? "a cycle of multigrid"
                : l->similar ? "transforms, with means of the coefficients"
                             : "the diagonal");
    if (l->cycles) rw_multigrid_explain(l->cycles, text);
}

static void destroy(rw_system *s)
{
    linear *l = s->data;
    if (!l) return;
    rw_krylov_destroy(&l->solver);
    rw_operator_destroy(&l->operator);
    rw_similar_destroy(&l->similar);
    rw_multigrid_destroy(&l->cycles);
    rw_free(l);
}

const rw_system_ops rw_system_krylov = {.method = RW_ELLIPTIC_KRYLOV,
                                        .weighted = true,
                                        .suits = suits,
                                        .create = create,
                                        .prepare = prepare,
                                        .solve = solve,
                                        .cycle = cycle,
                                        .cycles = has_cycles,
                                        .records = records,
                                        .reads = reads,
                                        .explain = explain,
                                        .destroy = destroy};
