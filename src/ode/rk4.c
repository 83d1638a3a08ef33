/* RK4: the classical method of order 4 with fixed step, four kernels a step and no stored right-hand side.
 *
 *   A = y + h/2 F(y)      B = y + h/2 F(A)      C = y + h F(B)      y <- (-y + A + 2 B + C)/3 + h/6 F(C)
 *
 * which is y + h/6 (k1 + 2 k2 + 2 k3 + k4), since k1 = 2 (A - y)/h and so on. 16 + 24 + 24 + 40 = 104 bytes a point,
 * step and f64 component. When nothing depends on t, a step is the same launches each time: it is recorded once and
 * replayed. The automatic step is 0.9 of the stability limit 2.78/rho on the negative real axis.
 *
 * Vectors: 0 y, 1 A, 2 B, 3 C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ode/ode.h"

enum { Y, A, B, C, STAGES = 4 };

/* of the stability region: on the real axis, and beyond which it has no point */
static const double LIMIT = 2.78, FARTHEST = 2.97;

typedef struct rk4 {
    rw_stage stage[STAGES];
    bool autonomous;
    rw_sequence *sequence; /* a step of `recorded` recorded; NULL */
    double recorded;
    int64_t changes; /* of the ode when it was recorded: other arrays or scalars, another recording */
    void **memory;   /* by field, of y: the caller may have exchanged it */
    rw_switches *switches;
} rk4;

static rw_status build(rw_ode *ode, int i, rw_node *rates, rw_stage *stage)
{
    static const int from[] = {Y, A, B, C}, into[] = {A, B, C, Y};
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), c = rw_build_scalar(&b, "c");
    for (int v = Y; v <= C; ++v)
        if (v == Y || v == from[i] || v == into[i] || i == 3) rw_build_vector(&b, v, t);
    rw_build_rates(&b, from[i], rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node y = rw_build_value(&b, Y, f), sum = y;
        if (i == 3)
            sum = OP(MUL, rw_real(g, 1. / 3),
                     OP(ADD, OP(SUB, rw_build_value(&b, A, f), y),
                        OP(ADD, OP(MUL, rw_real(g, 2), rw_build_value(&b, B, f)), rw_build_value(&b, C, f))));
        rw_build_store(&b, into[i], f, OP(ADD, sum, OP(MUL, c, rates[f])));
    }
    return rw_build_end(&b, "rk4_stage", stage);
}

static void destroy(rw_ode *ode)
{
    rk4 *m = ode->method;
    if (!m) return;
    rw_sequence_destroy(&m->sequence);
    rw_switches_free(&m->switches);
    for (int i = 0; i < STAGES; ++i) rw_stage_free(&m->stage[i]);
    rw_free(m->memory);
    rw_free(m);
    ode->method = NULL;
}

static rw_status create(rw_ode *ode)
{
    rk4 *m = ode->method = rw_calloc(1, sizeof *m);
    rw_node *rates = rw_calloc((size_t)ode->nfields, sizeof *rates);
    if (m) m->memory = rw_calloc((size_t)ode->nfields, sizeof *m->memory);
    rw_status status = m && m->memory && rates ? RW_OK : rw_fail_memory(ode->device->ctx, sizeof *m, "an integrator");
    for (int i = 0; i < STAGES && status == RW_OK; ++i) status = build(ode, i, rates, &m->stage[i]);
    rw_free(rates);
    if (status == RW_OK) status = rw_switches_create(ode, &m->stage[0], &m->switches);
    if (status != RW_OK) return status;
    m->autonomous = true;
    for (int i = 0; i < STAGES; ++i) m->autonomous = m->autonomous && !m->stage[i].moves;
    return RW_OK;
}

static rw_status run_stages(rw_ode *ode, double h)
{
    rk4 *m = ode->method;
    const double time[] = {0, 0.5, 0.5, 1}, weight[] = {0.5, 0.5, 1, 1. / 6};
    for (int i = 0; i < STAGES; ++i) {
        rw_stage_set(&m->stage[i], "t", rw_ode_stage_time(ode, time[i], h)),
            rw_stage_set(&m->stage[i], "c", weight[i] * h);
        RW_TRY(rw_stage_run(ode, &m->stage[i]));
    }
    return RW_OK;
}

static rw_status record(rw_ode *ode, double h)
{
    rk4 *m = ode->method;
    rw_queue *q = rw_device_queue(ode->device);
    for (int f = 0; f < ode->nfields; ++f) RW_TRY(rw_array_send(ode->vector[f], q));
    for (int i = 0; i < STAGES; ++i) RW_TRY(rw_stage_prepare(ode, m->stage + i));
    rw_sequence_destroy(&m->sequence);
    RW_TRY(rw_record_begin(q));
    rw_status status = run_stages(ode, h), end = rw_record_end(q, &m->sequence);
    if (status == RW_OK) status = end;
    if (status != RW_OK) rw_sequence_destroy(&m->sequence);
    m->recorded = h, m->changes = ode->changes;
    for (int f = 0; f < ode->nfields; ++f) m->memory[f] = ode->vector[f]->storage->allocation->buffer.pointer;
    return status;
}

static bool is_recorded(const rw_ode *ode, double h)
{
    const rk4 *m = ode->method;
    bool same = m->sequence && m->recorded == h && m->changes == ode->changes;
    for (int f = 0; f < ode->nfields && same; ++f)
        same = m->memory[f] == ode->vector[f]->storage->allocation->buffer.pointer;
    return same;
}

/* A given step against the stability limit, before the first: refused when eigenvalues that do not change leave the
 * stability region, which ends at 2.79 on the real and at 2.83 on the imaginary axis; else a warning. */
static rw_status check_step(rw_ode *ode)
{
    double rho, h = ode->fixed_step;
    rw_context *ctx = ode->device->ctx;
    RW_TRY(rw_spectral_radius(ode, &rho));
    if (h * rho <= LIMIT) return RW_OK;
    bool varies = rw_spectral_varies(ode);
    RW_TRY(rw_spectral_least(ode, &rho)); /* the first is an upper bound */
    if (h * rho <= FARTHEST) return RW_OK;
    if (varies)
        rw_log(ctx, RW_LOG_WARNING,
               "time.step = %g is above the stability limit of rk4 at t = %g, 2.78/rho = %.3g (spectral radius rho = "
               "%.3g)",
               h, ode->t, LIMIT / rho, rho);
    else
        return rw_fail(
            ctx, RW_ERR_INPUT,
            "time.step = %g is unstable: rk4 allows at most 2.78/rho = %.3g (spectral radius rho = %.3g); choose a "
            "smaller time.step, time.step: 0 for an automatic step, or time.method: auto",
            h, LIMIT / rho, rho);
    return RW_OK;
}

/* controller: [0] the chosen step, 0 before the first */
static rw_status choose_step(rw_ode *ode, double remaining)
{
    double *c = ode->controller, rho;
    if (ode->fixed_step > 0 && c[0] == 0) RW_TRY(check_step(ode));
    if (ode->fixed_step > 0) c[0] = ode->fixed_step;
    else if (c[0] == 0 || ode->stale) {
        RW_TRY(rw_spectral_radius(ode, &rho));
        c[0] = rho > 0 ? 0.9 * LIMIT / rho : remaining;
    }
    ode->stale = false;
    return RW_OK;
}

static rw_status step(rw_ode *ode, double t_limit)
{
    rk4 *m = ode->method;
    double remaining = t_limit - ode->t, after = 0;
    RW_TRY(choose_step(ode, remaining));
    bool to_switch = rw_switches_limit(ode, m->switches, 2 * ode->controller[0], &t_limit, &after);
    if (ode->t >= t_limit) return RW_OK; /* the limit was a switch: no step is left */
    remaining = t_limit - ode->t;
    double chosen = ode->controller[0];
    /* the steps to t_limit are equal and not longer than the chosen one */
    double n = ceil(remaining / chosen * (1 - 1e-12)), h = remaining / RW_MAX(n, 1);
    if (fabs(h - chosen) <= 1e-9 * chosen) h = chosen;
    ode->step_end = n <= 1 ? t_limit : ode->t + h;
    rw_queue *q = rw_device_queue(ode->device);
    bool replay = ode->record && m->autonomous && !m->stage[0].expr->evaluator;
    if (replay && is_recorded(ode, h)) {
        for (int f = 0; f < ode->nfields; ++f) RW_TRY(rw_array_send(ode->vector[f], q));
        RW_TRY(rw_sequence_replay(m->sequence, q));
    } else if (replay && ode->stat.steps > 0 && ode->stat.step == h) { /* worth it from the second equal step on */
        RW_TRY(record(ode, h));
        RW_TRY(rw_sequence_replay(m->sequence, q));
    } else {
        RW_TRY(run_stages(ode, h));
    }
    ode->t = ode->step_end;
    if (n <= 1 && to_switch) rw_switches_pass(ode, after);
    ode->stat.steps++, ode->stat.rhs += STAGES, ode->stat.step = h, ode->stat.stages = ode->stat.max_stages = STAGES;
    return RW_OK;
}

static rw_status explain(const rw_ode *ode, rw_text *text)
{
    const rk4 *m = ode->method;
    rw_text_add(text, "rk4: a step takes four kernels%s\n", m->autonomous ? ", recorded and replayed" : "");
    for (int i = 0; i < STAGES; ++i) RW_TRY(rw_stage_explain(m->stage + i, text));
    return RW_OK;
}

const rw_ode_ops rw_rk4_ops = {.name = "rk4",
                               .vectors = 4,
                               .least_stages = 4,
                               .create = create,
                               .step = step,
                               .destroy = destroy,
                               .explain = explain};
