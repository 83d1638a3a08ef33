/* Step control of all adaptive methods, after Hairer and Wanner (Solving Ordinary Differential Equations II, IV.8) and
 * Sommeijer, Shampine and Verwer (J. Comput. Appl. Math. 88, 1998): a method tries steps, this file chooses them.
 *
 *   accepted up to error 1, then the next step is
 *       h min(growth, max(0.1, 0.8 e^(-1/p) min(1, (h/h_old)(e_old/e)^(1/p))))
 *   first step 0.1/(rho sqrt(|F(y + F/rho) - F|/rho)), from two right-hand sides
 *   limits are hit exactly: two equal steps instead of a long and a tiny one
 *   switches in time (switches.c), as in where(t >= 1.1, 5, 0): a step ends before one, the next begins after it
 *   jumps in place and in the fields (jumps.c) are of size h: then the next step is 0.8 h/e, whatever e_old was
 *
 * The spectral radius is found at the start, every 25 steps and after a rejection; once only when it cannot change. Per
 * step one number comes from the device, the error. */
#include <math.h>

#include "ode/algebraic.h"

enum { Y, PROBE, LIMITED_FOR_LONG = 100, JUMPS_OFTEN = 150, JUMPS_FOR_LONG = 1000 };

struct rw_adaptive {
    rw_stage euler;             /* probe = y + c F(y) */
    rw_stage probe;             /* norm of F(probe) - F(y) */
    rw_switch_search *switches; /* of euler's program */
    rw_jumps *jumps;
    int limited; /* steps in a row that max_stages has shortened; -1: it has been said */
    int jumpy;   /* three for each step that a jump has shortened, less one for each other */
    bool jumps_reported;
};

const char *const rw_adaptive_state[] = {"next_step", "last_error", "last_step", "steps_since_radius", NULL};

static rw_status build_probe(rw_ode *ode, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *f0 = b.node[0], *f1 = b.node[1], *y = b.node[2];
    rw_node t0 = rw_build_scalar(&b, "t0"), t1 = rw_build_scalar(&b, "t1");
    rw_build_vector(&b, Y, t0);
    rw_build_vector(&b, PROBE, t1);
    rw_build_rates(&b, Y, f0);
    rw_build_rates(&b, PROBE, f1);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        f1[f] = OP(SUB, f1[f], f0[f]);
        y[f] = rw_build_value(&b, Y, f);
    }
    rw_build_norm(&b, f1, y, NULL);
    return rw_build_end(&b, "first_step", stage);
}

rw_status rw_adaptive_prepare(rw_ode *ode)
{
    struct rw_adaptive *a = rw_calloc(1, sizeof *a);
    ode->adaptive = a;
    rw_status status = a ? RW_OK : rw_fail_memory(ode->device->ctx, sizeof *a, "an integrator");
    if (status == RW_OK) status = rw_build_euler(ode, PROBE, "euler", &a->euler);
    if (status == RW_OK) status = rw_switches_create(ode, &a->euler, &a->switches);
    if (status == RW_OK) status = rw_jumps_create(ode, &a->jumps);
    if (status == RW_OK) status = build_probe(ode, &a->probe);
    if (status == RW_OK) status = rw_spectral_prepare(ode);
    if (status != RW_OK) rw_adaptive_free(ode); /* the next call begins anew */
    return status;
}

void rw_adaptive_free(rw_ode *ode)
{
    if (!ode->adaptive) return;
    rw_switch_search_destroy(&ode->adaptive->switches); /* they read euler's graph */
    rw_jumps_free(&ode->adaptive->jumps);
    rw_stage_free(&ode->adaptive->euler);
    rw_stage_free(&ode->adaptive->probe);
    rw_free(ode->adaptive);
    ode->adaptive = NULL;
}

bool rw_adaptive_jumps(const rw_ode *ode) { return rw_jumps_any(ode->adaptive->jumps); }

double rw_ode_end(const rw_ode *ode, double t_limit) { return RW_MAX(ode->end, t_limit); }

/* Warns before the first step if stability requires more than RW_HOPELESS steps. `rho` may be an upper bound only. */
static rw_status note_steps(rw_ode *ode, double rho, double t_limit)
{
    rw_context *ctx = ode->device->ctx;
    const rw_ode_ops *ops = ode->ops;
    if (!ops->reach && !(ops->stable > 0)) return RW_OK; /* stability does not limit its steps */
    const double most = ops->stable > 0 ? ops->stable : ops->reach(ode), end = rw_ode_end(ode, t_limit);
    const double span = end - ode->now.t;
    double least, along;
    if (!(span * rho / most > RW_HOPELESS) || rw_ode_is_endless(span)) return RW_OK;
    if (!ops->reach) { /* else steps follow the bound */
        const rw_status status = rw_spectral_least(ode, &least, &along);
        if (status != RW_OK && status != RW_ERR_NOT_CONVERGED) return status;
        if (status == RW_OK) rho = RW_MIN(rho, least);
    }
    const double steps = span * rho / most;
    if (!(steps > RW_HOPELESS)) return RW_OK;
    ode->adaptive->limited = -1;
    if (ops->stable > 0)
        rw_log(ctx, RW_LOG_WARNING,
               "time.method = %s%s needs at least %.2g steps of at most %.2g to t = %.6g: its stability limit is "
               "%.3g/rho (spectral radius rho = %.3g); choose %sa coarser grid, or an earlier time.end",
               ops->name, ode->chooser ? ", chosen by auto," : "", steps, most / rho, end, most, rho,
               ode->chooser ? "" : "time.method: auto, ");
    else
        rw_log(ctx, RW_LOG_WARNING,
               "steps are limited by time.max_stages = %d: at most %.2g, at least %.2g steps to t = %.6g; raise "
               "time.max_stages to %.0f, or choose a coarser grid",
               ode->max_stages, most / rho, steps, end,
               RW_MIN(ceil(ode->max_stages * sqrt(steps / RW_HOPELESS)), 10000));
    return RW_OK;
}

static rw_status first_step(rw_ode *ode, double rho, double longest, double *h)
{
    struct rw_adaptive *a = ode->adaptive;
    double probe = rho * longest > 1 ? 1 / rho : longest, norm;
    rw_stage_set(&a->euler, "t", ode->now.t);
    rw_stage_set(&a->euler, "c", probe);
    RW_TRY(rw_stage_run(ode, &a->euler));
    rw_stage_set(&a->probe, "t0", ode->now.t);
    rw_stage_set(&a->probe, "t1", ode->now.t + probe);
    RW_TRY(rw_stage_run(ode, &a->probe));
    RW_TRY(rw_expr_get(a->probe.expr, "norm", &norm, NULL));
    ode->now.stat.rhs += 2;
    double estimate = sqrt(probe * norm);
    if (!isfinite(norm)) *h = 0.001 * probe; /* the probe has left the domain of F */
    else *h = 0.1 * probe < longest * estimate ? 0.1 * probe / estimate : longest;
    return RW_OK;
}

/* y <- y_{n+1}. Memory that the caller lent to the array stays with the array. */
static rw_status take(rw_ode *ode, int f, int result)
{
    rw_array *y = ode->vector[f], *next = ode->vector[result * ode->nfields + f];
    if (ode->ops->keeps_place || !rw_array_may_swap(y)) return rw_array_copy(y, next, rw_device_queue(ode->device));
    return rw_array_swap(y, next);
}

rw_status rw_ode_accept(rw_ode *ode, int result)
{
    RW_TRY(rw_dense_keep(ode));
    for (int f = 0; f < ode->nfields; ++f) RW_TRY(take(ode, f, result));
    rw_dense_push(ode, result);
    return rw_algebraic_accept(ode, result);
}

/* Largest h rho of a step. Without a final time, steps of methods whose stages do not follow the radius are limited
 * by their errors, which hold components that are not stable at the tolerance, and a state is not steady until these
 * have decayed. */
static double reach_of(const rw_ode *ode, double t_limit)
{
    const rw_ode_ops *ops = ode->ops;
    if (ops->reach) return ops->reach(ode);
    return ops->stable > 0 && rw_ode_is_endless(rw_ode_end(ode, t_limit)) ? 0.9 * ops->stable : INFINITY;
}

/* The radius at the present time; at the first step the step, too. */
static rw_status prepare(rw_ode *ode, double t_limit, double *rho)
{
    const double longest = ode->max_step > 0 ? ode->max_step : t_limit - ode->now.t;
    double *c = ode->now.controller;
    *rho = ode->now.stat.spectral_radius; /* after a restart it is in the statistics */
    if (!(c[0] > 0)) {
        if (!ode->fresh) RW_TRY(rw_spectral_radius(ode, rho));
        ode->fresh = false;
        if (ode->initial_step > 0) c[0] = ode->initial_step;
        else RW_TRY(first_step(ode, *rho, longest, &c[0]));
        c[1] = c[2] = c[3] = 0;
        RW_TRY(note_steps(ode, *rho, t_limit));
    } else if (!isinf(reach_of(ode, t_limit)) && (ode->stale || (c[3] >= RW_RADIUS_EVERY && rw_spectral_varies(ode)))) {
        RW_TRY(rw_spectral_radius(ode, rho));
        c[3] = 0;
    }
    ode->stale = false;
    return RW_OK;
}

/* Says once when the step h, which the tolerances would let grow by `factor`, stays short because there are no more
 * stages. */
static void note_stage_limit(rw_ode *ode, bool clipped, double h, double factor, double t_limit)
{
    struct rw_adaptive *a = ode->adaptive;
    if (a->limited < 0 || rw_ode_is_endless(rw_ode_end(ode, t_limit))) return;
    a->limited = clipped && factor > 2 ? a->limited + 1 : 0;
    double steps = (t_limit - ode->now.t) / h;
    if (a->limited < LIMITED_FOR_LONG && !(a->limited && steps > RW_HOPELESS)) return;
    a->limited = -1;
    rw_log(ode->device->ctx, RW_LOG_WARNING,
           "steps are limited by time.max_stages = %d: %.2g instead of about %.2g at t = %.6g, %.2g steps to t = %.6g; "
           "raise "
           "time.max_stages to %.0f, or choose a coarser grid",
           ode->max_stages, h, h * factor, ode->now.t, steps, t_limit,
           RW_MIN(ceil(ode->max_stages * sqrt(factor)), 10000));
}

/* Warns once when jumps of the right-hand side shorten step after step. */
static void note_jumps(rw_ode *ode, bool limits, double h, double t_limit)
{
    struct rw_adaptive *a = ode->adaptive;
    a->jumpy = limits ? RW_MIN(a->jumpy + 3, JUMPS_FOR_LONG) : RW_MAX(a->jumpy - 1, 0);
    if (a->jumpy < JUMPS_FOR_LONG || a->jumps_reported) return;
    a->jumps_reported = true;
    rw_log(ode->device->ctx, RW_LOG_WARNING,
           "%s: steps are limited by jumps of %s: %.2g at t = %.6g, %.2g steps to t = %.6g; give the switch a "
           "hysteresis, make it smooth (tanh for "
           "a comparison), or raise time.rtol and time.atol, to which the step is proportional",
           ode->source.name, rw_jumps_text(a->jumps), h, ode->now.t, (t_limit - ode->now.t) / h, t_limit);
}

/* Below the resolution of t; or, where the spectral radius does not explain it, below that of the limit. */
static bool is_hopeless(const rw_ode *ode, double h, double rho, double t_limit)
{
    return h < 1e-14 * fabs(ode->now.t) || (h < 1e-14 * fabs(t_limit) && h * rho < 1e-10);
}

rw_status rw_adaptive_step(rw_ode *ode, double t_limit)
{
    const rw_ode_ops *ops = ode->ops;
    const double p = 1.0 / ops->power;
    if (!ode->adaptive) RW_TRY(rw_adaptive_prepare(ode));
    double *c = ode->now.controller, rho, longest, after = 0;
    RW_TRY(prepare(ode, t_limit, &rho));
    RW_TRY(rw_courant_limit(ode, &longest));
    if (ode->max_step > 0) longest = RW_MIN(longest, ode->max_step);
    double ahead = RW_MIN(2 * c[0], longest);
    bool to_switch = rw_switches_limit(ode, &ode->adaptive->euler, ode->adaptive->switches, ahead, &t_limit, &after);
    if (ode->now.t >= t_limit) return RW_OK; /* the limit was a switch: no step is left */
    double remaining = t_limit - ode->now.t;
    const double most = reach_of(ode, t_limit);
    bool rejected = false, by_jumps = false, often = ode->adaptive->jumpy >= JUMPS_OFTEN;
    rw_attempt a = {0};
    const double first = c[0];
    double tried = 0;
    for (int attempt = 0;; ++attempt) {
        double h = RW_MIN(c[0], longest);
        bool clipped = h * rho > most;
        if (clipped) h = most / rho;
        double unclipped = h;
        bool last = h >= remaining * (1 - 1e-10);
        if (last) h = remaining;
        else if (h > 0.5 * remaining) h = 0.5 * remaining;
        if ((!last && is_hopeless(ode, h, rho, t_limit)) || attempt > 50) {
            ode->refused = a;
            ode->refused_step = tried > 0 ? tried : h;
            ode->refused_limit = t_limit;
            c[0] = first;
            return rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED, "the step has shrunk to %.3g at t = %.9g", h,
                           ode->now.t);
        }
        if (attempt > 0) RW_TRY(rw_ode_check_cancel(ode));
        a = (rw_attempt){0};
        tried = h;
        ode->step_end = last ? t_limit : ode->now.t + h;
        RW_TRY(ops->attempt(ode, h, rho, &a));
        double jump = 0;
        a.error = a.most > 0 ? a.estimate / a.most : a.estimate;
        if (isfinite(a.error)) RW_TRY(rw_jumps_error(ode, ode->adaptive->jumps, h, &jump));
        bool seen = jump > 0.5 * a.estimate;
        /* what the estimate shows: the jump between the step's ends, or jumps of its stages where fields stay at a
         * threshold */
        bool jumps = often ? seen || a.error > 0.1 : seen && RW_MIN(a.error, a.estimate) <= 1;
        if (jumps) a.error = RW_MAX(a.estimate, jump);
        if (!isfinite(a.error) || a.error > 1) {
            ode->now.stat.rejected++;
            rejected = true;
            by_jumps = by_jumps || seen || jumps;
            if (!isfinite(a.error)) c[0] = 0.1 * h;
            else
                c[0] = h * (jumps ? RW_MAX(0.01, 0.8 / a.error)
                                  : RW_MAX(0.1, 0.8 * pow(a.error, -p))); /* jumps are of size h */
            if (ops->reach && rw_spectral_varies(ode) && c[3] > 0) {
                RW_TRY(rw_spectral_radius(ode, &rho));
                c[3] = 0;
            }
            continue;
        }
        RW_TRY(rw_ode_accept(ode, ops->result));
        double error = RW_MAX(a.error, 1e-10), factor = jumps ? 0.8 / error : 0.8 * pow(error, -p);
        if (c[2] > 0 && !jumps) factor = RW_MIN(factor, 0.8 * h / c[2] * pow(c[1] / (error * error), p));
        factor = RW_MIN(rejected ? 1 : often ? 2 : ops->growth, RW_MAX(0.1, factor));
        /* a step cut short by an output time does not shorten the next */
        c[0] = h < unclipped && factor * h < unclipped ? (factor > 1 ? unclipped : factor * unclipped) : factor * h;
        c[1] = error;
        c[2] = h;
        c[3] += 1;
        ode->now.t = ode->step_end;
        if (last && to_switch) rw_switches_pass(ode, after);
        ode->now.stat.steps++;
        ode->now.stat.step = h;
        ode->now.stat.error = error;
        ode->now.stat.stages = a.stages;
        ode->now.stat.max_stages = RW_MAX(ode->now.stat.max_stages, a.stages);
        note_jumps(ode, by_jumps || (jumps && jump > 0.1 * (a.most > 0 ? RW_MIN(a.most, 1) : 1)), h, t_limit);
        if (ops->reach && !(ops->stable > 0)) note_stage_limit(ode, clipped, unclipped, 0.8 * pow(error, -p), t_limit);
        return RW_OK;
    }
}
