/* RK4: the classical method of order 4 with fixed step, four kernels per step and no stored right-hand side.
 *
 *   A = y + h/2 F(y)      B = y + h/2 F(A)      C = y + h F(B)      y <- (-y + A + 2 B + C)/3 + h/6 F(C)
 *
 * which is y + h/6 (k1 + 2 k2 + 2 k3 + k4), since k1 = 2 (A - y)/h and so on. 16 + 24 + 24 + 40 = 104 bytes per
 * point, step and f64 component. If nothing depends on t, every step has the same launches: it is recorded once
 * and replayed. A given step is used as it is.
 *
 * During the run, some steps of a given length (CHECK_EVERY) are checked before their last stage. This evaluates no
 * right-hand side:
 *
 *   c = |h (k3 - k2)|/|y| = |C + y - 2 B|/|y|,               |z|^3/4 of an eigenvalue, z = h lambda
 *   r = |h (k3 - k2)|/(h/2 |k2 - k1|) = |C + y - 2 B|/|B - A|,   |z|; sources cancel in it
 *
 * Eigenvalues that leave the stability region to the left have |z| > 2.5 and c > 4. A state with c > OUTSIDE in two
 * checks, r > LIMIT in one of them, growing, and much larger than at the last check with c < RESOLVED, grows by the
 * method's instability: solutions that really grow, in steps that resolve them, have small c, and sources that begin
 * have small r. Nothing is checked where circles of a constant Jacobian lie within the stability region.
 *
 * The default step is at most 0.9 of the stability limit 2.78/rho on the negative real axis, and so short that the
 * error of a step is at most ACCEPTED of the tolerance. Only some steps are tried (adaptive.c): once, and as two steps
 * of half the length, which become the solution,
 *
 *   e = 16/15 (y_h - y_{h/2,h/2})
 *
 * The number of steps between two trials follows from how fast error and radius have changed since the last one,
 * extrapolated; it at most doubles and is at most STEADY. A step to a limit, such as an output or the end, is tried
 * after OFTEN others. Every step is tried while its length changes, and if something depends on time or jumps in space
 * or in the fields, since a pulse cannot be extrapolated. Of the steps that are not tried the device stores the largest
 *
 *   q = |h (k1 - k2 - k3 + k4)| = |2 (A - B) - C + y + h F(C)|,      of size h^3,
 *
 * in the norm of e. e is of size h^5, so e (q/q_trial)^(5/3) of the last trials estimates their error. If
 * it, or that of the next trial, is above the tolerance, a warning reports it.
 *
 * Vectors: 0 y, 1 A, 2 B, 3 C; with the default step 4 y_h, 5 y_{h/2,h/2}. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ode/algebraic.h"
#include "ode/repeat.h"

enum { Y, A, B, C, ONCE, TWICE, STAGES = 4 };
#define DEFAULT_LIMIT (0.9 * 2.78)
enum { CHECK_EVERY = 1024, SUSPECTED_EVERY = 4 }; /* a check waits for the device */
enum { STEADY = 25, WATCHED_EVERY = 4, OFTEN = 8, PACK = 256 };

/* of the stability region: on the real axis; of the half disc within it; beyond its ends on the axes, where the
 * estimate of a pair is less sharp; and beyond which it has no point */
static const double LIMIT = 2.78, HALF_DISC = 2.6, REAL_END = 2.79, IMAGINARY_END = 2.9, FARTHEST = 2.97,
                    DEFAULT = DEFAULT_LIMIT;
/* Of a check: c of |z| = 2.3 and 1; growth that is worth a warning, and that ends the run */
static const double OUTSIDE = 3, RESOLVED = 0.25, WORTH_WARNING = 100, UNSTABLE = 1e6;
static const double ACCEPTED = 0.1; /* of the tolerance */
/* Of the time to the first limit: the first trial's length, where something depends on time. No simple fraction: the
 * seven times of a trial would all be zeros of a source with a period that divides them. */
static const double FIRST = 0.00618;

/* What checks of a given step have found, in ode->now.controller: [0] the step; */
enum {
    RESOLVED_SIZE = 1, /* |y| at the last check with c < RESOLVED */
    LAST_SIZE,         /* |y| at the last check if c > OUTSIDE there, else 0 */
    FAST               /* 1: r > LIMIT in one of the checks since c > OUTSIDE. RW_RADIUS_EVERY: something was set */
};

typedef struct rk4 {
    rw_stage stage[STAGES];
    rw_stage once;     /* the last stage into ONCE, and q */
    rw_stage watched;  /* the last stage, and the state #worst: the largest q */
    rw_stage compared; /* norm of e */
    rw_stage outside;  /* of a given step: |C + y - 2 B|, |B - A| and |y| */
    int untried;       /* steps before the present one that were not tried */
    double trusted;    /* time of the last trial */
    double change;     /* q of the last trial */
    bool warned;       /* of their error */
    bool inside;       /* a given step cannot be unstable */
    bool growth_warned;
} rk4;

/* q of the last stage */
enum { UNKNOWN, MEASURED, WATCHED };

/* Before y is stored. */
static void build_change(rw_building *b, rw_node c, const rw_node *rates, rw_node *q, rw_node *y)
{
    const rw_ode *ode = b->ode;
    rw_graph *g = b->graph;
    for (int f = 0; f < ode->nfields && b->status == RW_OK; ++f) {
        y[f] = rw_build_value(b, Y, f);
        const rw_node h_rate = OP(MUL, OP(MUL, rw_real(g, 6), c), rates[f]);
        const rw_node first = OP(SUB, rw_build_value(b, A, f), rw_build_value(b, B, f));
        q[f] = OP(ADD, OP(SUB, OP(MUL, rw_real(g, 2), first), OP(SUB, rw_build_value(b, C, f), y[f])), h_rate);
    }
}

static void measure(rw_building *b, int how, rw_node worst, const rw_node *q, const rw_node *y)
{
    rw_graph *g = b->graph;
    rw_build_norm(b, q, y, NULL);
    if (how == WATCHED && b->status == RW_OK)
        b->status = rw_plan_state(&b->plan, 0, OP(MAX, worst, b->plan.results[b->plan.nresults - 1].value));
}

static rw_status build(rw_ode *ode, int i, int to, int how, rw_stage *stage)
{
    static const int from[] = {Y, A, B, C};
    const int into[] = {A, B, C, to};
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node worst = 0;
    if (how == WATCHED && b.status == RW_OK) {
        const int p = rw_graph_add_param(b.graph, "#worst", false, 0, 0);
        if (p >= 0) rw_graph_make_state(b.graph, p);
        worst = rw_scalar_argument(b.graph, p);
    }
    rw_node t = rw_build_scalar(&b, "t"), c = rw_build_scalar(&b, "c");
    for (int v = Y; v <= ONCE; ++v)
        if ((v == Y || v == from[i] || v == into[i] || i == 3) && (v <= C || v == to)) rw_build_vector(&b, v, t);
    rw_node *rates = b.node[0], *q = b.node[1], *before = b.node[2];
    rw_build_rates(&b, from[i], rates);
    rw_graph *g = b.graph;
    if (how != UNKNOWN) build_change(&b, c, rates, q, before);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node y = rw_build_value(&b, Y, f), sum = y;
        if (i == 3)
            sum = OP(MUL, rw_real(g, 1. / 3),
                     OP(ADD, OP(SUB, rw_build_value(&b, A, f), y),
                        OP(ADD, OP(MUL, rw_real(g, 2), rw_build_value(&b, B, f)), rw_build_value(&b, C, f))));
        rw_build_store(&b, into[i], f, OP(ADD, sum, OP(MUL, c, rates[f])));
    }
    if (how != UNKNOWN && b.status == RW_OK) measure(&b, how, worst, q, before);
    return rw_build_end(&b, "rk4_stage", stage);
}

static rw_status build_error(rw_ode *ode, rw_stage *stage)
{
    const int nf = ode->nfields;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *e = b.node[0], *y = b.node[1], *next = b.node[2];
    rw_node t = rw_build_scalar(&b, "t");
    rw_build_vector(&b, Y, t);
    rw_build_vector(&b, ONCE, t);
    rw_build_vector(&b, TWICE, t);
    rw_graph *g = b.graph;
    for (int f = 0; f < nf && b.status == RW_OK; ++f) {
        y[f] = rw_build_value(&b, Y, f);
        next[f] = rw_build_value(&b, TWICE, f);
        e[f] = OP(MUL, rw_real(g, 16. / 15), OP(SUB, rw_build_value(&b, ONCE, f), next[f]));
    }
    rw_build_norm(&b, e, y, next);
    return rw_build_end(&b, "rk4_error", stage);
}

static rw_node sum_of_squares(rw_graph *g, rw_node sum, rw_node n)
{
    const rw_node size = rw_make1(g, RW_OP_ABS, n);
    return OP(ADD, sum, OP(MUL, size, size));
}

static rw_status build_outside(rw_ode *ode, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t");
    for (int v = Y; v <= C; ++v) rw_build_vector(&b, v, t);
    rw_graph *g = b.graph;
    rw_node change = b.status == RW_OK ? rw_real(g, 0) : 0, size = change, first = change;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        const rw_node y = rw_build_value(&b, Y, f), second = rw_build_value(&b, B, f);
        const rw_node twice = OP(MUL, rw_real(g, 2), second);
        first = sum_of_squares(g, first, OP(SUB, second, rw_build_value(&b, A, f)));
        change = sum_of_squares(g, change, OP(ADD, OP(SUB, rw_build_value(&b, C, f), twice), y));
        size = sum_of_squares(g, size, y);
    }
    if (b.status == RW_OK) {
        rw_build_result(&b, "change", rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, change)));
        rw_build_result(&b, "first", rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, first)));
        rw_build_result(&b, "size", rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, size)));
    }
    return rw_build_end(&b, "rk4_outside", stage);
}

static bool is_checked(const rw_ode *ode) { return ode->ops->attempt; }

static rw_status create(rw_ode *ode)
{
    rk4 *m = ode->method;
    bool autonomous = true;
    for (int i = 0; i < STAGES; ++i) {
        RW_TRY(build(ode, i, Y, UNKNOWN, &m->stage[i]));
        autonomous = autonomous && !m->stage[i].moves;
    }
    if (is_checked(ode)) {
        RW_TRY(build(ode, STAGES - 1, ONCE, MEASURED, &m->once));
        RW_TRY(build(ode, STAGES - 1, Y, WATCHED, &m->watched));
        RW_TRY(build_error(ode, &m->compared));
    } else RW_TRY(build_outside(ode, &m->outside));
    return rw_repeat_create(ode, &m->stage[0], autonomous);
}

/* The step reaches the end of the run, if that is known. */
static bool is_final(const rw_ode *ode) { return ode->end > ode->start && ode->step_end >= ode->end; }

/* Between the third stage and the last one: an error if the state grows by eigenvalues outside the stability region.
 * y is still that of the step's begin. */
static rw_status check_growth(rw_ode *ode, double h)
{
    rk4 *m = ode->method;
    double change, first, size, *c = ode->now.controller;
    rw_stage_set(&m->outside, "t", ode->now.t);
    RW_TRY(rw_stage_run(ode, &m->outside));
    RW_TRY(rw_expr_get(m->outside.expr, "change", &change, NULL));
    RW_TRY(rw_expr_get(m->outside.expr, "first", &first, NULL));
    RW_TRY(rw_expr_get(m->outside.expr, "size", &size, NULL));
    if (!isfinite(change) || !(size < 1e300)) return RW_OK; /* an output reports it, with the field and the node */
    const bool suspicious = change > OUTSIDE * size;
    /* twice: a source that is switched on makes c large, but only for few steps */
    const bool again = c[LAST_SIZE] > 0 && size > c[LAST_SIZE];
    if (change < RESOLVED * size || !(c[RESOLVED_SIZE] > 0)) c[RESOLVED_SIZE] = size;
    if (!suspicious) c[FAST] = 0;
    else if (change > LIMIT * first) c[FAST] = 1;
    const double grown = size / c[RESOLVED_SIZE];
    if (again && c[FAST] && grown > UNSTABLE) {
        ode->unresolved = true; /* the message contains the reason */
        return rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED,
                       "time.step = %g is unstable: at t = %.6g fields have grown by %.2g in components that change "
                       "faster than rk4 can follow (h |eigenvalue| > 2.78); choose a smaller time.step, time.step: 0 "
                       "for an automatic step, or time.method: auto",
                       h, ode->now.t, grown);
    }
    c[LAST_SIZE] = suspicious ? size : 0;
    if (!c[FAST] || !(grown > WORTH_WARNING) || !(again || is_final(ode)) || m->growth_warned) return RW_OK;
    m->growth_warned = true;
    rw_log(ode->device->ctx, RW_LOG_WARNING,
           "%s: time.step = %g may be unstable: at t = %.6g fields have grown by %.2g in components that change faster "
           "than rk4 can follow (h |eigenvalue| > 2.78); choose a smaller time.step",
           ode->source.name, h, ode->now.t, grown);
    return RW_OK;
}

/* Steps 2, 4, 8 …, every CHECK_EVERY-th, every SUSPECTED_EVERY-th after a large c, and the last one of a known end. */
static bool is_growth_checked(const rw_ode *ode)
{
    const rk4 *m = ode->method;
    const int64_t n = ode->now.stat.steps + 1;
    if (is_checked(ode) || m->inside) return false;
    return is_final(ode) || (n > 1 && (n & (n - 1)) == 0) ||
           n % (ode->now.controller[LAST_SIZE] > 0 ? SUSPECTED_EVERY : CHECK_EVERY) == 0;
}

/* `last`: the last stage's program. `check`: the state's growth, before that stage. */
static rw_status run_stages(rw_ode *ode, double h, rw_stage *last, bool check)
{
    rk4 *m = ode->method;
    const double time[] = {0, 0.5, 0.5, 1}, weight[] = {0.5, 0.5, 1, 1. / 6};
    for (int i = 0; i < STAGES; ++i) {
        rw_stage *stage = i < STAGES - 1 ? &m->stage[i] : last;
        rw_stage_set(stage, "t", rw_ode_stage_time(ode, time[i], h));
        rw_stage_set(stage, "c", weight[i] * h);
        if (check && i == STAGES - 1) RW_TRY(check_growth(ode, h));
        RW_TRY(rw_stage_run(ode, stage));
    }
    return RW_OK;
}

/* The last stage of a step that is not tried. */
static rw_stage *last_stage(rw_ode *ode)
{
    rk4 *m = ode->method;
    return is_checked(ode) ? &m->watched : &m->stage[STAGES - 1];
}

static rw_status run(rw_ode *ode, double h) { return run_stages(ode, h, last_stage(ode), false); }

static rw_status run_with_look(rw_ode *ode, double h) { return run_stages(ode, h, last_stage(ode), true); }

/* The largest q, which the host may have set. */
static rw_status send(rw_ode *ode, rw_queue *q)
{
    const rk4 *m = ode->method;
    return is_checked(ode) ? rw_array_send(m->watched.expr->slots, q) : RW_OK;
}

/* Modulus that no point of the stability region exceeds in the direction of the largest eigenvalue. */
static double end_of_region(double along)
{
    return along < -0.999 ? REAL_END : fabs(along) < 0.01 ? IMAGINARY_END : FARTHEST;
}

/* A given step against the stability limit, before the first: refused when eigenvalues that do not change leave the
 * stability region; else a warning. */
static rw_status check_step(rw_ode *ode)
{
    double rho, h = ode->fixed_step;
    rw_context *ctx = ode->device->ctx;
    RW_TRY(rw_spectral_radius(ode, &rho));
    ((rk4 *)ode->method)->inside = h * rho <= HALF_DISC && rw_spectral_is_bound(ode) && !rw_spectral_varies(ode);
    if (h * rho <= LIMIT) return RW_OK;
    bool constant;
    double along;
    RW_TRY(rw_spectral_constant(ode, &constant));
    const rw_status status = rw_spectral_least(ode, &rho, &along); /* the first is an upper bound */
    if (status == RW_ERR_NOT_CONVERGED) return RW_OK;              /* a rough state is outside the domain of F */
    RW_TRY(status);
    if (h * rho <= end_of_region(along)) return RW_OK;
    if (!constant)
        rw_log(ctx, RW_LOG_WARNING,
               "time.step = %g is above the stability limit of rk4 at t = %g, 2.78/rho = %.3g (spectral radius rho = "
               "%.3g)",
               h, ode->now.t, LIMIT / rho, rho);
    else
        return rw_fail(
            ctx, RW_ERR_INPUT,
            "time.step = %g is unstable: rk4 allows at most 2.78/rho = %.3g (spectral radius rho = %.3g); choose a "
            "smaller time.step, time.step: 0 for an automatic step, or time.method: auto",
            h, LIMIT / rho, rho);
    return RW_OK;
}

/* controller: [0] the step, 0 before the first */
static rw_status step(rw_ode *ode, double t_limit)
{
    double *c = ode->now.controller;
    if (c[0] == 0) {
        if (ode->fixed_step > 0) RW_TRY(check_step(ode));
        rw_repeat_note_steps(ode, t_limit);
    } else if (c[FAST] > 1) ((rk4 *)ode->method)->inside = false;
    if (c[FAST] > 1) c[RESOLVED_SIZE] = c[LAST_SIZE] = c[FAST] = 0;
    RW_TRY(rw_courant_step(ode, &c[0]));
    ode->stale = false;
    return rw_repeat_step(ode, t_limit, c[0], true, is_growth_checked, run_with_look);
}

/* ---- the default step -------------------------------------------------------------------------------------------- */

/* controller[3]: steps since the radius was found + PACK (steps left before the next trial + PACK (steps that the last
 * trial allowed without one)) */
typedef struct plan {
    int radius, left, allowed;
} plan;

static plan plan_of(const rw_ode *ode)
{
    const int64_t all = (int64_t)RW_MIN(ode->now.controller[3], 1e9);
    return (plan){(int)(all % PACK), (int)(all / PACK % PACK), (int)(all / PACK / PACK)};
}

static void set_plan(rw_ode *ode, plan p)
{
    ode->now.controller[3] = p.radius + PACK * (double)(p.left + PACK * p.allowed);
}

static double reach(const rw_ode *ode RW_UNUSED) { return DEFAULT; }

/* TWICE = two steps of h/2 */
static rw_status run_halves(rw_ode *ode, double h)
{
    rk4 *m = ode->method;
    const double t = ode->now.t;
    RW_TRY(run_stages(ode, h / 2, &m->once, false));
    rw_ode_exchange(ode, Y, ONCE);
    ode->now.t = RW_MIN(t + h / 2, ode->step_end);
    rw_status status = run_stages(ode, h / 2, &m->stage[STAGES - 1], false);
    ode->now.t = t;
    rw_ode_exchange(ode, Y, ONCE);
    rw_ode_exchange(ode, ONCE, TWICE);
    return status;
}

/* Error of a step from its q. Without the scale of a trial q itself is the estimate: the error is not larger. */
static double error_of(const rw_ode *ode, double q)
{
    const double scale = ode->now.controller[2];
    return q <= 1 ? 0 : scale > 0 ? scale * pow(q, 5. / 3) : q;
}

/* Warns if the largest q of the steps since the last trial, or the error of this trial, exceeds the tolerance. */
static rw_status check_untried(rw_ode *ode, double estimate)
{
    rk4 *m = ode->method;
    char text[64] = "without bound";
    double worst, error;
    RW_TRY(rw_expr_get(m->watched.expr, "#worst", &worst, NULL));
    RW_TRY(rw_expr_set(m->watched.expr, "#worst", 0));
    error = RW_MAX(estimate, error_of(ode, worst));
    if (error <= 1 || m->warned) return RW_OK;
    if (isfinite(error)) snprintf(text, sizeof text, "about %.2g times as large", error);
    rw_log(
        ode->device->ctx, RW_LOG_WARNING,
        "%s: the error of a step of rk4 has grown beyond time.rtol = %g, time.atol = %g between t = %.6g and t = %.6g: "
        "it is %s; %d steps may be wrong; choose time.method: auto, or a time.max_step",
        ode->source.name, ode->rtol, ode->atol, m->trusted, ode->now.t, text, m->untried);
    m->warned = true;
    return RW_OK;
}

static rw_status attempt(rw_ode *ode, double h, double rho RW_UNUSED, rw_attempt *a)
{
    rk4 *m = ode->method;
    RW_TRY(run_halves(ode, h));
    RW_TRY(run_stages(ode, h, &m->once, false));
    rw_stage_set(&m->compared, "t", ode->now.t);
    RW_TRY(rw_stage_run(ode, &m->compared));
    ode->now.stat.rhs += 3 * STAGES;
    a->stages = STAGES;
    a->most = ACCEPTED;
    RW_TRY(rw_expr_get(m->compared.expr, "norm", &a->estimate, NULL));
    if (m->untried > 0) RW_TRY(check_untried(ode, a->estimate));
    m->untried = 0;
    ode->now.controller[2] = 0; /* the next attempts are other steps */
    return rw_expr_get(m->once.expr, "norm", &m->change, NULL);
}

/* Steps in which a quantity that has grown from `before` to `now` in n reaches half way to `limit` (logarithms). */
static double steps_to(double before, double now, double limit, int n)
{
    if (!(now > before)) return INFINITY;
    if (now >= limit) return 0;
    return 0.5 * n * log(limit / now) / log(now / before);
}

/* e/q^(5/3). q may be 0 by chance, at a point of inflection: the scale grows by 10 at most. */
static double scale_of(double error, double q, double before)
{
    const double scale = q > 0 ? RW_MIN(error * ACCEPTED / pow(q, 5. / 3), 1e100) : 0;
    return before > 0 ? RW_MIN(scale, 10 * before) : scale;
}

static rw_status tried_step(rw_ode *ode, double t_limit, plan p)
{
    rk4 *m = ode->method;
    double *c = ode->now.controller;
    const bool first = c[0] == 0;
    const double wished = c[0], error = c[1], scale = c[2], rho = ode->now.stat.spectral_radius;
    if (first && !rw_repeat_is_autonomous(ode)) t_limit = ode->now.t + FIRST * (t_limit - ode->now.t);
    c[3] = p.allowed > 0 ? RW_RADIUS_EVERY : p.radius;
    const int64_t steps = ode->now.stat.steps, rejected = ode->now.stat.rejected;
    const rw_status status = rw_adaptive_step(ode, t_limit);
    if (status != RW_OK) {
        c[2] = scale;
        set_plan(ode, (plan){.radius = RW_RADIUS_EVERY});
        return status;
    }
    m->trusted = ode->now.t;
    if (ode->now.stat.steps > steps) c[2] = scale_of(c[1], m->change, scale); /* else the limit was a switch */
    plan next = {.radius = (int)RW_MIN(c[3], RW_RADIUS_EVERY)};
    const double now = ode->now.stat.spectral_radius, longest = ode->max_step > 0 ? ode->max_step : INFINITY;
    const double h = RW_MIN(wished, longest), stable = now > 0 ? DEFAULT / now : INFINITY;
    const double proposed = RW_MIN(RW_MIN(c[0], longest), stable), kept = RW_MIN(h, stable);
    const bool steady = !first && ode->now.stat.steps > steps && ode->now.stat.rejected == rejected &&
                        ode->now.stat.step > 0.5 * kept && proposed > 0.8 * kept && proposed < 1.2 * kept &&
                        rw_repeat_is_autonomous(ode) && !rw_adaptive_jumps(ode);
    if (steady) {
        const int n = p.allowed + 1;
        const double reached = c[1] * pow(kept / ode->now.stat.step, 5); /* of a step that a limit has shortened */
        double most = RW_MIN(2 * n, STEADY);
        most = RW_MIN(most, steps_to(error, reached, 1 / ACCEPTED, n));
        most = RW_MIN(most, steps_to(rho, now, LIMIT / RW_MIN(proposed, kept), n));
        /* the same length again, so that a recorded step serves; or the longest that there is */
        c[0] = proposed < RW_MIN(longest, stable) ? RW_MIN(proposed, kept) : proposed;
        next.allowed = next.left = (int)RW_MAX(most, 0);
    }
    set_plan(ode, next);
    return RW_OK;
}

/* Requests a trial if q shows that errors grow. Every fourth q is read (WATCHED_EVERY). */
static rw_status watch(rw_ode *ode)
{
    const rk4 *m = ode->method;
    plan p = plan_of(ode);
    double q;
    if ((p.allowed - p.left) % WATCHED_EVERY || !p.left) return RW_OK;
    RW_TRY(rw_expr_get(m->watched.expr, "norm", &q, NULL));
    if (error_of(ode, q) <= ACCEPTED) return RW_OK;
    p.left = 0;
    set_plan(ode, p);
    return RW_OK;
}

/* controller: [0] the step, 0 before the first; [1] the last trial's error over ACCEPTED, [2] its e/q^(5/3), [3] see
 * above */
static rw_status checked_step(rw_ode *ode, double t_limit)
{
    rk4 *m = ode->method;
    const double *c = ode->now.controller;
    plan p = plan_of(ode);
    const bool to_limit = p.allowed - p.left >= OFTEN && ode->now.t + c[0] * (1 + 1e-9) >= t_limit;
    if (c[0] == 0 || ode->stale || p.left == 0 || to_limit) return tried_step(ode, t_limit, p);
    p.left--;
    set_plan(ode, p);
    const double t = ode->now.t;
    RW_TRY(rw_repeat_step(ode, t_limit, c[0], p.left > 2, NULL, NULL));
    if (ode->now.t <= t || plan_of(ode).left != p.left) return RW_OK; /* the limit was a switch */
    m->untried++;
    return watch(ode);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static rw_status untried(rw_ode *ode, double h)
{
    ode->step_end = ode->now.t + h;
    RW_TRY(run(ode, h));
    return ode->note ? RW_OK : rw_algebraic_update(ode, ode->step_end);
}

static rw_status explain(const rw_ode *ode, rw_text *text)
{
    const rk4 *m = ode->method;
    rw_text_add(text, "rk4: a step takes four kernels%s%s\n",
                rw_repeat_is_possible(ode) ? ", recorded and replayed" : "",
                is_checked(ode) ? "; a tried step takes three times as many and one for its error" : "");
    for (int i = 0; i < STAGES - 1; ++i) RW_TRY(rw_stage_explain(m->stage + i, text));
    RW_TRY(rw_stage_explain(is_checked(ode) ? &m->watched : &m->stage[STAGES - 1], text));
    return is_checked(ode) ? rw_stage_explain(&m->compared, text) : RW_OK;
}

#define EITHER                                                                                                         \
    .method = RW_ODE_RK4, .name = "rk4", .least_stages = STAGES, .size = sizeof(rk4), .programs = STAGES + 4,          \
    .create = create, .run = run, .send = send, .explain = explain, .untried = untried

static const char *const given_state[] = {"given_step", "resolved_size", "last_size", "fast", NULL},
                         *const checked_state[] = {"next_step", "trial_error", "trial_scale", "plan", NULL};

static const rw_ode_ops checked = {EITHER,
                                   .state = checked_state,
                                   .vectors = 6,
                                   .step = checked_step,
                                   .result = TWICE,
                                   .inner = C,
                                   .power = 5,
                                   .growth = 2,
                                   .reach = reach,
                                   .attempt = attempt,
                                   .stable = DEFAULT_LIMIT,
                                   .keeps_place = true};
const rw_ode_ops rw_method_RK4 = {EITHER,       .state = given_state,     .vectors = 4,
                                  .step = step, .without_step = &checked, .courant = 2.8};
