/* A Krylov solver for the correction. Products are a program, so there is no matrix. */
#include <stdio.h>

#include "elliptic/similar.h"
#include "krylov/krylov.h"
#include "rechenwerk/operator.h"

typedef struct linear {
    rw_expr *product, *diagonal;
    rw_operator *operator;
    rw_similar *similar; /* NULL: the preconditioner is the diagonal */
    rw_krylov *solver;
} linear;

static bool is_definite(const rw_system *s) { return s->form.symmetric && s->form.sign != 0; }

static bool suits(rw_system *s, char *why, size_t size)
{
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

static rw_status create(rw_system *s)
{
    linear *l = rw_calloc(1, sizeof *l);
    if (!l) return rw_fail_memory(s->device->ctx, sizeof *l, "a solver");
    s->data = l;
    RW_TRY(rw_system_program(s, RW_SYSTEM_PRODUCT, &l->product));
    RW_TRY(rw_similar_create(s, &l->similar));
    if (!l->similar) RW_TRY(rw_system_program(s, RW_SYSTEM_DIAGONAL, &l->diagonal));
    const rw_operator_spec map = {.rows = s->n * s->nodes,
                                  .columns = s->n * s->nodes,
                                  .type = s->type,
                                  .multiply = multiply,
                                  .direct = !rw_system_records(s, l->product),
                                  .diagonal = l->similar ? NULL : diagonal,
                                  .user = s};
    return rw_operator_create(s->device, &map, &l->operator);
}

/* Programs load with their first launch, which is in no recorded sequence. */
static rw_status launch_once(rw_system *s)
{
    rw_array *y;
    RW_TRY(rw_array_zero(s->v, s->device->queue));
    RW_TRY(rw_array_create(s->device, s->type, 1, s->v->shape, RW_MEMORY_DEVICE, &y));
    const rw_status status = multiply(s, RW_OP_NONE, s->v, y, s->device->queue);
    rw_array_destroy(&y);
    return status;
}

/* Recorded iterations hold the scalars of their time, the preconditioner those and the present state. */
static rw_status prepare(rw_system *s)
{
    linear *l = s->data;
    if (l->similar && (s->changed || !s->form.linear)) RW_TRY(rw_similar_prepare(l->similar, true));
    if (l->solver && !s->changed) return s->form.linear || l->similar ? RW_OK : rw_krylov_update(l->solver);
    rw_krylov_destroy(&l->solver);
    RW_TRY(launch_once(s));
    const rw_krylov_spec spec = {.method = is_definite(s) ? RW_KRYLOV_CG : RW_KRYLOV_GMRES,
                                 .restart = is_definite(s) ? 0 : 50,
                                 .rtol = 0.5, /* solve() has another for each system */
                                 .iterations = s->settings->iterations,
                                 .precond = {.method = l->similar ? RW_PRECOND_NONE : RW_PRECOND_JACOBI},
                                 .precond_operator = l->similar ? rw_similar_operator(l->similar) : NULL,
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
                l->similar ? "transforms, with means of the coefficients" : "the diagonal");
}

static void destroy(rw_system *s)
{
    linear *l = s->data;
    if (!l) return;
    rw_krylov_destroy(&l->solver);
    rw_operator_destroy(&l->operator);
    rw_similar_destroy(&l->similar);
    rw_free(l);
}

const rw_system_ops rw_system_krylov = {.method = RW_ELLIPTIC_KRYLOV,
                                        .weighted = true,
                                        .suits = suits,
                                        .create = create,
                                        .prepare = prepare,
                                        .solve = solve,
                                        .reads = reads,
                                        .explain = explain,
                                        .destroy = destroy};
