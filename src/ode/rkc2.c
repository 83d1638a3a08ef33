/* RKC2: the Runge–Kutta–Chebyshev method of order 2 with s >= 2 stages (van der Houwen, Sommeijer 1980; Verwer, Hundsdorfer,
 * Sommeijer 1990; step control as in Sommeijer, Shampine, Verwer, J. Comput. Appl. Math. 88, 1998).
 *
 *   Y_0 = y_n
 *   Y_1 = Y_0 + m~_1 h F(Y_0)
 *   Y_j = (1 - m_j - n_j) Y_0 + m_j Y_{j-1} + n_j Y_{j-2} + m~_j h F(Y_{j-1}) + g~_j h F(Y_0),   j = 2 … s
 *   y_{n+1} = Y_s
 *
 *   e = 2/13, w0 = 1 + e/s^2, w1 = T_s'(w0)/T_s''(w0), b_j = T_j''(w0)/T_j'(w0)^2 (b_0 = b_1 = b_2), a_j = 1 - b_j T_j(w0),
 *   m~_1 = b_1 w1, m_j = 2 b_j w0/b_{j-1}, n_j = -b_j/b_{j-2}, m~_j = 2 b_j w1/b_{j-1}, g~_j = -a_{j-1} m~_j
 *
 * Real stability interval (w0 + 1)/w1 ~ 0.65 (s^2 - 1). One kernel a stage: both right-hand sides are computed inside the
 * recursion (F(Y_0) again each time: Y_0 is read anyway, so that costs arithmetic but no memory), so a stage reads three
 * vectors and writes one, over the vector it no longer needs: 32 bytes a point and f64 component.
 * Error estimate 0.8 (y_n - y_{n+1}) + 0.4 h (F_n + F_{n+1}), its norm sqrt(mean((e/(atol + rtol max(|y_n|, |y_{n+1}|)))^2)):
 * one pass that reads two vectors. Only that number comes to the host.
 *
 * Vectors: 0 y, 1 and 2 the recursion's. Not for equations that oscillate: the stability region is narrow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ode/ode.h"

enum { Y, A, B, RADIUS_EVERY = 25, SMALLEST = 2 };

typedef struct rkc2 {
    rw_stage first;    /* A = y + c F(y) */
    rw_stage second;   /* B = (1 - m) y + m A + p F(A) + q F(y) */
    rw_stage stage[2]; /* B (or A) = (1 - m - n) y + m A + n B + p F(A) + q F(y), and with A and B exchanged */
    rw_stage error[2]; /* norm of the estimate with y_{n+1} in A or B */
    rw_stage probe;    /* |F(A) - F(y)| in the norm of the error: for the first step */
    double *b, *T, *dT, *ddT; /* Chebyshev values for the number of stages last used */
    int stages;
} rkc2;

/* ---- programs ------------------------------------------------------------------------------------------------------- */

#define OP(o, a, b) rw_make2(g, RW_OP_##o, a, b)

/* into = (1 - m - n) y + m from + n into + p F(from) + q F(y); without n for the second stage. */
static rw_status build_stage(rw_ode *ode, int from, int into, bool with_n, rw_node *f0, rw_stage *stage)
{
    rw_node *f1 = f0 + ode->nfields;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t0 = rw_build_scalar(&b, "t0"), t1 = rw_build_scalar(&b, "t1"), m = rw_build_scalar(&b, "m"),
            n = rw_build_scalar(&b, "n"), p = rw_build_scalar(&b, "p"), q = rw_build_scalar(&b, "q"),
            k = rw_build_scalar(&b, "k");
    rw_build_vector(&b, Y, t0), rw_build_vector(&b, from, t1), rw_build_vector(&b, into, t1);
    rw_build_rates(&b, Y, f0), rw_build_rates(&b, from, f1);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node sum = OP(ADD, OP(MUL, k, rw_build_value(&b, Y, f)), OP(MUL, m, rw_build_value(&b, from, f)));
        if (with_n) sum = OP(ADD, sum, OP(MUL, n, rw_build_value(&b, into, f)));
        sum = OP(ADD, sum, OP(ADD, OP(MUL, p, f1[f]), OP(MUL, q, f0[f])));
        rw_build_store(&b, into, f, sum);
    }
    return rw_build_end(&b, with_n ? "rkc_stage" : "rkc_second", stage);
}

static rw_status build_first(rw_ode *ode, rw_node *f0, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t0 = rw_build_scalar(&b, "t0"), c = rw_build_scalar(&b, "c");
    rw_build_vector(&b, Y, t0), rw_build_vector(&b, A, t0);
    rw_build_rates(&b, Y, f0);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f)
        rw_build_store(&b, A, f, OP(ADD, rw_build_value(&b, Y, f), OP(MUL, c, f0[f])));
    return rw_build_end(&b, "rkc_first", stage);
}

static rw_node magnitude(rw_graph *g, rw_node n) { return rw_make1(g, RW_OP_ABS, n); }

/* sqrt(mean((e / (atol + rtol max|y|))^2)) with e from both right-hand sides. probe: e = F(A) - F(y) instead. */
static rw_status build_norm(rw_ode *ode, int next, bool probe, rw_node *f0, rw_stage *stage)
{
    rw_node *f1 = f0 + ode->nfields;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t0 = rw_build_scalar(&b, "t0"), t1 = rw_build_scalar(&b, "t1"), h = rw_build_scalar(&b, "h");
    rw_build_vector(&b, Y, t0), rw_build_vector(&b, next, t1);
    rw_build_rates(&b, Y, f0), rw_build_rates(&b, next, f1);
    rw_graph *g = b.graph;
    rw_node sum = b.status == RW_OK ? rw_real(g, 0) : 0;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node y0 = rw_build_value(&b, Y, f), y1 = rw_build_value(&b, next, f);
        rw_node e = probe ? OP(SUB, f1[f], f0[f])
                          : OP(ADD, OP(MUL, rw_real(g, 0.8), OP(SUB, y0, y1)),
                               OP(MUL, OP(MUL, rw_real(g, 0.4), h), OP(ADD, f0[f], f1[f])));
        rw_node scale = OP(ADD, rw_real(g, ode->atol),
                           OP(MUL, rw_real(g, ode->rtol),
                              probe ? magnitude(g, y0) : OP(MAX, magnitude(g, y0), magnitude(g, y1))));
        rw_node r = OP(DIV, magnitude(g, e), scale);
        sum = OP(ADD, sum, OP(MUL, r, r));
    }
    if (b.status == RW_OK) {
        double cells = (double)(ode->grid.size[0] * ode->grid.size[1] * ode->grid.size[2]) * ode->nfields;
        rw_build_result(&b, "norm", rw_make1(g, RW_OP_SQRT, OP(DIV, rw_reduce(g, RW_SUM, sum), rw_real(g, cells))));
    }
    return rw_build_end(&b, probe ? "rkc_probe" : "rkc_error", stage);
}

static void destroy(rw_ode *ode)
{
    rkc2 *m = ode->method;
    if (!m) return;
    rw_stage *all[] = {&m->first, &m->second, &m->stage[0], &m->stage[1], &m->error[0], &m->error[1], &m->probe};
    for (int i = 0; i < RW_COUNT(all); ++i)
        if (all[i]->expr) rw_stage_free(all[i]);
    rw_free(m->b);
    rw_free(m);
    ode->method = NULL;
}

static rw_status create(rw_ode *ode)
{
    rkc2 *m = ode->method = rw_calloc(1, sizeof *m);
    rw_node *rates = rw_calloc(2 * (size_t)ode->nfields, sizeof *rates);
    rw_status status = RW_OK;
    if (m) m->b = rw_calloc(4 * (size_t)(ode->max_stages + 2), sizeof *m->b);
    if (!m || !m->b || !rates) {
        rw_free(rates);
        return rw_fail_memory(ode->device->ctx, sizeof *m, "an integrator");
    }
    m->T = m->b + ode->max_stages + 2, m->dT = m->T + ode->max_stages + 2, m->ddT = m->dT + ode->max_stages + 2;
    status = build_first(ode, rates, &m->first);
    if (status == RW_OK) status = build_stage(ode, A, B, false, rates, &m->second);
    if (status == RW_OK) status = build_stage(ode, A, B, true, rates, &m->stage[0]);
    if (status == RW_OK) status = build_stage(ode, B, A, true, rates, &m->stage[1]);
    for (int i = 0; i < 2 && status == RW_OK; ++i) status = build_norm(ode, A + i, false, rates, &m->error[i]);
    if (status == RW_OK) status = build_norm(ode, A, true, rates, &m->probe);
    rw_free(rates);
    return status;
}

/* ---- coefficients ---------------------------------------------------------------------------------------------------- */

/* T_j, T_j', T_j'' at w0 by their recurrences, and b_j. */
static void chebyshev(rkc2 *m, int s)
{
    if (m->stages == s) return;
    double w0 = 1 + 2. / 13 / ((double)s * s), *T = m->T, *d = m->dT, *dd = m->ddT;
    T[0] = 1, T[1] = w0, d[0] = 0, d[1] = 1, dd[0] = dd[1] = 0;
    for (int j = 2; j <= s; ++j) {
        T[j] = 2 * w0 * T[j - 1] - T[j - 2];
        d[j] = 2 * w0 * d[j - 1] - d[j - 2] + 2 * T[j - 1];
        dd[j] = 2 * w0 * dd[j - 1] - dd[j - 2] + 4 * d[j - 1];
        m->b[j] = dd[j] / (d[j] * d[j]);
    }
    m->b[0] = m->b[1] = m->b[2];
    m->stages = s;
}

/* Smallest number of stages whose real interval (w0 + 1)/w1 > (s^2 - 1)/1.54 holds h rho, and the largest h rho for s. */
static double most_for(int s) { return ((double)s * s - 1) / 1.54; }
static int stages_for(double h_rho, int max_stages)
{
    int s = 1 + (int)sqrt(1 + 1.54 * RW_MIN(h_rho, most_for(max_stages)));
    return RW_MIN(RW_MAX(SMALLEST, s), max_stages);
}

/* ---- a step ---------------------------------------------------------------------------------------------------------- */

/* y_{n+1} in A or B (*where). */
static rw_status run_stages(rw_ode *ode, int s, double h, int *where)
{
    rkc2 *m = ode->method;
    chebyshev(m, s);
    double w0 = 1 + 2. / 13 / ((double)s * s), w1 = m->dT[s] / m->ddT[s], *b = m->b;
    double c1 = m->dT[s] / m->ddT[s] * m->ddT[2] / m->dT[2] / m->dT[2]; /* c_1 = c_2 / T_2' */
    rw_stage_set(&m->first, "t0", ode->t), rw_stage_set(&m->first, "c", b[1] * w1 * h);
    RW_TRY(rw_stage_run(ode, &m->first));
    for (int j = 2; j <= s; ++j) {
        rw_stage *st = j == 2 ? &m->second : &m->stage[j % 2];
        double mu = 2 * b[j] * w0 / b[j - 1], nu = -b[j] / b[j - 2], mt = 2 * b[j] * w1 / b[j - 1];
        double gt = -(1 - b[j - 1] * m->T[j - 1]) * mt;
        double c = j == 2 ? c1 : w1 * m->ddT[j - 1] / m->dT[j - 1];
        rw_stage_set(st, "t0", ode->t), rw_stage_set(st, "t1", ode->t + c * h);
        rw_stage_set(st, "k", j == 2 ? 1 - mu : 1 - mu - nu), rw_stage_set(st, "m", mu), rw_stage_set(st, "n", nu);
        rw_stage_set(st, "p", mt * h), rw_stage_set(st, "q", gt * h);
        RW_TRY(rw_stage_run(ode, st));
    }
    *where = s % 2 ? A : B;
    ode->stat.rhs += s;
    return RW_OK;
}

static rw_status error_norm(rw_ode *ode, int where, double h, double *error)
{
    rkc2 *m = ode->method;
    rw_stage *st = &m->error[where - A];
    rw_stage_set(st, "t0", ode->t), rw_stage_set(st, "t1", ode->t + h), rw_stage_set(st, "h", h);
    RW_TRY(rw_stage_run(ode, st));
    ode->stat.rhs++;
    return rw_expr_get(st->expr, "norm", error, NULL);
}

/* 0.1 h / sqrt(h |F(y + h F) - F|) with h = 1/rho. */
static rw_status first_step(rw_ode *ode, double rho, double longest, double *h)
{
    rkc2 *m = ode->method;
    double probe = rho * longest > 1 ? 1 / rho : longest, norm;
    rw_stage_set(&m->first, "t0", ode->t), rw_stage_set(&m->first, "c", probe);
    RW_TRY(rw_stage_run(ode, &m->first));
    rw_stage_set(&m->probe, "t0", ode->t), rw_stage_set(&m->probe, "t1", ode->t + probe);
    RW_TRY(rw_stage_run(ode, &m->probe));
    RW_TRY(rw_expr_get(m->probe.expr, "norm", &norm, NULL));
    ode->stat.rhs += 2;
    double estimate = sqrt(probe * norm);
    *h = 0.1 * probe < longest * estimate ? 0.1 * probe / estimate : longest;
    return RW_OK;
}

/* controller: [0] next step, [1] last error, [2] last accepted step, [3] steps since the radius was estimated */
static rw_status choose_first(rw_ode *ode, double longest)
{
    double *c = ode->controller;
    double rho;
    if (c[0] > 0) return RW_OK;
    RW_TRY(rw_spectral_radius(ode, &rho));
    if (ode->initial_step > 0) c[0] = ode->initial_step;
    else RW_TRY(first_step(ode, rho, longest, &c[0]));
    c[1] = c[2] = c[3] = 0;
    return RW_OK;
}

/* y <- y_{n+1}. Memory that the caller lent to the array stays with the array. */
static rw_status take(rw_ode *ode, int f, int where)
{
    rw_array *y = ode->vector[f], *next = ode->vector[where * ode->nfields + f];
    return y->host_owner == RW_HOST_BORROWED ? rw_array_copy(y, next, rw_device_queue(ode->device)) : rw_array_swap(y, next);
}

static rw_status step(rw_ode *ode, double t_limit)
{
    double *c = ode->controller, rho = ode->stat.spectral_radius, remaining = t_limit - ode->t;
    double longest = ode->max_step > 0 ? ode->max_step : t_limit - ode->t;
    bool under_way = c[0] > 0; /* after a restart the radius is in the statistics */
    RW_TRY(choose_first(ode, longest));
    if (!under_way) rho = ode->stat.spectral_radius;
    else if (ode->stale || (c[3] >= RADIUS_EVERY && rw_spectral_varies(ode))) {
        RW_TRY(rw_spectral_radius(ode, &rho));
        c[3] = 0;
    }
    ode->stale = false;
    double most = most_for(ode->max_stages);
    for (int attempt = 0;; ++attempt) {
        double wanted = c[0], h = ode->max_step > 0 ? RW_MIN(wanted, ode->max_step) : wanted, error;
        if (h * rho > most) h = most / rho;
        double unclipped = h;
        bool last = h >= remaining * (1 - 1e-10);
        if (last) h = remaining;
        else if (h > 0.5 * remaining) h = 0.5 * remaining; /* two equal steps instead of a long and a tiny one */
        if ((!last && h < 1e-14 * RW_MAX(fabs(ode->t), fabs(t_limit))) || attempt > 50)
            return rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED,
                           "the step has shrunk to %.3g at t = %.9g: the solution grows without bound or the tolerances "
                           "%g, %g cannot be met", h, ode->t, ode->rtol, ode->atol);
        int s = stages_for(h * rho, ode->max_stages), where;
        RW_TRY(run_stages(ode, s, h, &where));
        RW_TRY(error_norm(ode, where, h, &error));
        if (!isfinite(error) || error > 1) { /* rejected */
            ode->stat.rejected++;
            c[0] = h * (isfinite(error) ? RW_MAX(0.1, 0.8 / cbrt(error)) : 0.1);
            if (rw_spectral_varies(ode) && c[3] > 0) {
                RW_TRY(rw_spectral_radius(ode, &rho));
                c[3] = 0;
            }
            continue;
        }
        for (int f = 0; f < ode->nfields; ++f) RW_TRY(take(ode, f, where));
        error = RW_MAX(error, 1e-10);
        double factor = 0.8 / cbrt(error);
        if (c[2] > 0) factor = RW_MIN(factor, 0.8 * h * cbrt(c[1]) / (c[2] * cbrt(error * error)));
        factor = RW_MIN(10, RW_MAX(0.1, factor));
        /* a step cut short by an output time does not shorten the next */
        c[0] = h < unclipped && factor * h < unclipped ? (factor > 1 ? unclipped : factor * unclipped) : factor * h;
        c[1] = error, c[2] = h, c[3] += 1;
        ode->t = last ? t_limit : ode->t + h;
        ode->stat.steps++, ode->stat.step = h, ode->stat.error = error, ode->stat.stages = s;
        ode->stat.max_stages = RW_MAX(ode->stat.max_stages, s);
        return RW_OK;
    }
}

static rw_status explain(const rw_ode *ode, rw_text *text)
{
    const rkc2 *m = ode->method;
    rw_text_add(text, "rkc2: a step of s stages is 1 first, 1 second, s - 2 further kernels and 1 for the error\n");
    const rw_stage *stages[] = {&m->first, &m->second, &m->stage[0], &m->error[0]};
    for (int i = 0; i < RW_COUNT(stages); ++i) {
        char *part;
        RW_TRY(rw_expr_explain(stages[i]->expr, &part));
        rw_text_add(text, "%s", part);
        free(part);
    }
    return RW_OK;
}

const rw_ode_ops rw_rkc2_ops = {.name = "rkc2", .vectors = 3, .adaptive = true, .create = create, .step = step,
                                .destroy = destroy, .explain = explain};
