/* Steps whose length follows the error. Photons and inversion are split (Strang 1968), each solved exactly while the
 * other stands still:
 *
 *   half a step   Phi' = lambda Phi + S          lambda = gain sum(volume N U) - losses
 *   a step        N' = pump - a N                a = 1/tau_f + gain sum(Phi_k U_k) + pump/N_tot
 *   half a step   Phi' = lambda Phi + S          with the new lambda
 *
 * which is symmetric and of second order, so a step and two of half its length differ by three times the error of the
 * two, and adding a third of the difference makes it fourth order (Richardson). Photons are compared, and extrapolated,
 * by their ratio.
 *
 * An attempt is one run of a program of two passes, 104 bytes a cell: the device itself decides whether it takes the
 * step and how long the next one is, so that attempts are recorded and replayed like steps of equal length. What it
 * offers, G, becomes N at the beginning of the next attempt. At the limit, or when as many steps are taken as are
 * wanted, attempts change nothing. */
#include <math.h>
#include <string.h>

#include "run/rates/rates.h"

static void add_sum(const rates_problem *p, rw_text *t, const char *photons)
{
    char n[8];
    for (int k = 0; k < p->nmodes; ++k) {
        rates_number(p, k, n);
        rw_text_add(t, "%s%s%s*mode%s", k ? " + " : "", photons, n, n);
    }
}

static void add_relaxation(const rates_problem *p, rw_text *t, const char *to, const char *from, const char *photons,
                           const char *step)
{
    rw_text_add(t, "\n%s = relax(%s, pump, spontaneous + gain*(", to, from);
    add_sum(p, t, photons);
    rw_text_add(t, ") + pump*filling, %s)", step);
}

/* A line for each mode; # in it is the mode's number. */
static void for_modes(const rates_problem *p, rw_text *t, const char *line)
{
    char n[8];
    for (int k = 0; k < p->nmodes; ++k) {
        rw_text_add(t, "\n");
        for (const char *c = line; *c; ++c)
            if (*c == '#') rw_text_add(t, "%s", rates_number(p, k, n));
            else rw_text_add(t, "%c", *c);
    }
}

void rates_write_adaptive(const rates_problem *p, rw_text *t)
{
    char n[8];
    rw_text_add(t, "grow(p, l, h) = p*exp(l*h) + seed*h*where(abs(l*h) < 1e-5, 1 + l*h/2, (exp(l*h) - 1)/(l*h))\n"
                   "relax(n, r, a, h) = n*exp(-a*h) + r/a*(1 - exp(-a*h))\n"
                   "begin = t\n"
                   "last = wish >= (limit - begin)*(1 - 1e-9)\n"
                   "tau = where(taken >= quota, 0, where(last, limit - begin, wish))\n"
                   "finish = where(tau > 0 and last, limit, begin + tau)\n"
                   "N = where(offered, G, N)");
    for_modes(p, t, "whole# = grow(Phi#, lambda#, tau/2)");
    for_modes(p, t, "first# = grow(Phi#, lambda#, tau/4)");
    add_relaxation(p, t, "H", "N", "first", "tau/2");
    add_relaxation(p, t, "F", "N", "whole", "tau");
    rw_text_add(t, "\nt = begin + tau/2\nlosses_half = mirror + (%s)\nt = finish\nlosses_end = mirror + (%s)",
                p->cavity.loss, p->cavity.loss);
    for_modes(p, t, "gain_half# = gain*sum(volume*H*mode#) - losses_half");
    for_modes(p, t, "once# = grow(whole#, gain*sum(volume*F*mode#) - losses_end, tau/2)");
    for_modes(p, t, "middle# = grow(grow(first#, gain_half#, tau/4), gain_half#, tau/4)");
    add_relaxation(p, t, "Q", "H", "middle", "tau/2");
    rw_text_add(t, "\nG = max(Q + (Q - F)/3, 0)");
    for_modes(p, t, "twice# = grow(middle#, gain*sum(volume*Q*mode#) - losses_end, tau/4)");
    for_modes(p, t, "ratio# = (twice# + 1e-300)/(once# + 1e-300)");
    rw_text_add(t, "\nerror = max(sqrt(sum(volume*(Q - F)^2)/(sum(volume*Q^2) + 1e-300))");
    for (int k = 0; k < p->nmodes; ++k) rw_text_add(t, ", abs(ratio%s - 1)", rates_number(p, k, n));
    rw_text_add(t, ")/3\ngood = where(error <= rtol and tau > 0, 1, 0)");
    for_modes(p, t, "Phi# = where(good, twice#*cbrt(min(max(ratio#, 0.5), 2)), Phi#)");
    for_modes(p, t, "lambda# = where(good, gain*sum(volume*G*mode#) - losses_end, lambda#)");
    rw_text_add(
        t, "\noffered = good\nt = where(good, finish, begin)\ntaken = taken + good\nattempts = attempts + (tau > 0)\n"
           "next = tau*where(error < 1e300, min(4, max(0.2, 0.9*cbrt(rtol/(error + 1e-300)))), 0.2)\n"
           "wish = min(where(tau > 0, where(last and good, max(wish, next), next), wish), longest)\nphotons = ");
    for (int k = 0; k < p->nmodes; ++k) rw_text_add(t, "%sPhi%s", k ? " + " : "", rates_number(p, k, n));
    rw_text_add(t, "\nlargest = ");
    for (int k = 0; k < p->nmodes; ++k)
        rw_text_add(t, "%slambda%s", k ? ", " : p->nmodes > 1 ? "max(" : "", rates_number(p, k, n));
    rw_text_add(t, p->nmodes > 1 ? ")" : "");
}

int rates_adaptive_scalars(const rates_problem *p, char names[RATES_MODES][16], rw_expr_scalar *scalars)
{
    int count = 0;
    char n[8];
    const rw_expr_scalar own[] = {{.name = "rtol", .value = p->time.rtol},
                                  {.name = "longest",
                                   .value = p->time.max_step > 0 ? p->time.max_step : p->time.end / 100},
                                  {.name = "wish", .value = 1e-3 * p->tau_c, .state = true},
                                  {.name = "limit", .state = true},
                                  {.name = "quota", .state = true},
                                  {.name = "taken", .state = true},
                                  {.name = "attempts", .state = true},
                                  {.name = "offered", .state = true}};
    memcpy(scalars, own, sizeof own);
    count = RW_COUNT(own);
    for (int k = 0; k < p->nmodes; ++k) {
        snprintf(names[k], 16, "lambda%s", rates_number(p, k, n));
        scalars[count++] = (rw_expr_scalar){.name = names[k], .state = true};
    }
    return count;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Gain less losses before the first step. */
static rw_status begin(rates_problem *p)
{
    char name[16], n[8];
    double gain;
    RW_TRY(rw_expr_run(p->observe, rw_device_queue(p->device)));
    for (int k = 0; k < p->nmodes; ++k) {
        snprintf(name, sizeof name, "gain%d", k + 1);
        RW_TRY(rw_expr_get(p->observe, name, &gain, NULL));
        snprintf(name, sizeof name, "lambda%s", rates_number(p, k, n));
        RW_TRY(rw_expr_set(p->step, name, gain - 1 / p->tau_c - p->first_loss));
    }
    return RW_OK;
}

/* What the last attempt offered becomes N now, because the host will look. */
static rw_status settle(rates_problem *p)
{
    double offered;
    RW_TRY(rw_expr_get(p->step, "offered", &offered, NULL));
    if (offered == 0) return RW_OK;
    RW_TRY(rw_expr_run(p->settle, rw_device_queue(p->device)));
    return rw_expr_set(p->step, "offered", 0);
}

static rw_status fail_small(rates_problem *p, double wish)
{
    return rw_fail(p->device->ctx, RW_ERR_NOT_CONVERGED,
                   "the step has shrunk to %.3g s at t = %.9g s and its error is still above time.rtol = %g: check "
                   "cavity.loss there, or raise the tolerance",
                   wish, p->now, p->time.rtol);
}

/* About as many attempts as a switch is away: what follows it in a batch would change nothing. */
static rw_status attempts_to(rates_problem *p, const rates_limit *limit, int *n)
{
    double wish;
    *n = p->batch;
    if (!limit->is_switch) return RW_OK;
    RW_TRY(rw_expr_get(p->step, "wish", &wish, NULL));
    *n = (int)RW_MIN(2 + 1.5 * (limit->t - p->now) / wish, p->batch);
    return RW_OK;
}

rw_status rates_adaptive_step(rates_problem *p, double t_limit)
{
    double wish, quota = p->every ? (double)((p->steps / p->every + 1) * p->every) : INFINITY;
    double from = p->now;
    rates_limit limit;
    int attempts;
    if (p->steps == 0 && !(p->passed > 0)) RW_TRY(begin(p));
    RW_TRY(rates_limit_step(p, p->now, t_limit, &limit));
    p->now = RW_MAX(p->now, p->passed);
    if (p->now >= limit.t) return RW_OK; /* the limit was a switch: no step is left */
    if (limit.t != p->limit) RW_TRY(rw_expr_set(p->step, "limit", limit.t));
    if (quota != p->quota) RW_TRY(rw_expr_set(p->step, "quota", quota));
    p->limit = limit.t;
    p->quota = quota;
    RW_TRY(attempts_to(p, &limit, &attempts));
    RW_TRY(rates_run(p, attempts, p->run && attempts > p->batch / 2));
    RW_TRY(rates_look(p));
    RW_TRY(rw_expr_get(p->step, "t", &p->now, NULL));
    RW_TRY(settle(p));
    if (limit.is_switch && p->now >= limit.t) {
        RW_TRY(rates_pass(p, &limit));
        p->now = p->passed;
    }
    if (p->now >= limit.t || p->now - from > 1e-12 * p->time.end) return RW_OK;
    RW_TRY(rw_expr_get(p->step, "wish", &wish, NULL));
    return wish < 1e-13 * p->time.end ? fail_small(p, wish) : RW_OK;
}
