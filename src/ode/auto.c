/* AUTO: the method that suits the equations, chosen at the first step from the Jacobian's spectrum there:
 *
 *   dp5     when eigenvalues lie far from the negative real axis (transport, waves, oscillation), or when
 *           rho (t_end - t) is so small that few steps suffice
 *   rkc2    for loose tolerances, and where there is no final time
 *   rock4   else
 *
 * Without a final time (time.end = steady) only the steady state matters. rkc2 reaches it to rounding error; the last
 * stages of rock4 amplify rounding errors.
 *
 * The spectrum may change. Every REVIEW_EVERY steps of dp5, if the Jacobian is not constant, the radius is found again.
 * If stability limits the steps (h rho >= LIMITED), many are left, and the eigenvalues lie near the negative real axis,
 * rkc2 or rock4 takes over. */
#include <math.h>

#include "ode/ode.h"

enum { REVIEW_EVERY = 500 };
static const double OVERHANG = 0.2, FEW = 50, LOOSE = 3e-4, LIMITED = 2, WORTH_CHANGE = 1000;

static const rw_ode_ops *stabilised(const rw_ode *ode, double span)
{
    return ode->rtol > LOOSE || rw_ode_is_endless(span) ? &rw_method_RKC2 : &rw_method_ROCK4;
}

/* The spectral radius does not choose its stages. */
static bool is_not_stabilised(const rw_ode_ops *ops) { return ops->attempt && !ops->reach; }

/* Of runs that end when their state is steady there is no time. */
static const char *time_text(double span, char text[32])
{
    snprintf(text, 32, rw_ode_is_endless(span) ? "no final time" : "time %.3g", span);
    return text;
}

/* The method at the present state, for a time `span`; the reason is noted. */
static rw_status choose(rw_ode *ode, double span, const rw_ode_ops **method)
{
    double rho, overhang;
    RW_TRY(rw_ode_make_vectors(ode)); /* power iteration needs them */
    RW_TRY(rw_spectral_radius(ode, &rho));
    RW_TRY(rw_spectral_overhang(ode, &overhang));
    const bool few = rho * span <= FEW;
    char text[32];
    bool found = false;
    if (overhang > OVERHANG && !few) RW_TRY(rw_spectral_probe(ode, &overhang, &found));
    if (few) {
        *method = &rw_method_DP5;
        snprintf(ode->reason, sizeof ode->reason, "not stiff: spectral radius %.3g, time %.3g", rho, span);
    } else if (overhang > OVERHANG) {
        *method = &rw_method_DP5;
        snprintf(ode->reason, sizeof ode->reason,
                 "eigenvalues %s away from the negative real axis (by %.2g of the spectral radius %.3g; %s)",
                 found ? "lie" : "may lie", overhang, rho,
                 found ? "Chebyshev polynomials of the Jacobian" : rw_spectral_kind(ode));
    } else {
        *method = stabilised(ode, span);
        snprintf(ode->reason, sizeof ode->reason,
                 "stiff, eigenvalues near the negative real axis: spectral radius %.3g, %s; tolerance %.1e is %s "
                 "%.0e",
                 rho, time_text(span, text), ode->rtol, ode->rtol > LOOSE ? "above" : "at most", LOOSE);
        if (rw_ode_is_endless(span))
            snprintf(ode->reason, sizeof ode->reason,
                     "stiff, eigenvalues near the negative real axis: spectral radius %.3g; no final time, so that "
                     "steps need not be of order 4",
                     rho);
    }
    return RW_OK;
}

static double span_of(const rw_ode *ode, double t_limit)
{
    return (ode->end > ode->now.t ? ode->end : t_limit) - ode->now.t;
}

static rw_status step(rw_ode *ode, double t_limit)
{
    const rw_ode_ops *method;
    RW_TRY(choose(ode, span_of(ode, t_limit), &method));
    RW_TRY(rw_ode_become(ode, method));
    ode->fresh = ode->now.controller[0] == 0; /* else steps have been taken, and the method could not change */
    rw_log(ode->device->ctx, RW_LOG_INFO, "method %s: %s", ode->ops->name, ode->reason);
    RW_TRY(rw_auto_review(ode, t_limit));
    return ode->ops->step(ode, t_limit);
}

/* Whether stability limits the steps of dp5 at the present state, and a stabilised method is suitable. */
static rw_status find_stiffness(rw_ode *ode, double left, double *rho, bool *stiff)
{
    double overhang;
    bool found;
    *stiff = false;
    if (!rw_spectral_varies(ode)) return RW_OK;
    RW_TRY(rw_spectral_radius(ode, rho));
    if (ode->now.controller[2] * *rho < LIMITED || left * *rho < WORTH_CHANGE) return RW_OK;
    RW_TRY(rw_spectral_overhang(ode, &overhang));
    if (overhang > OVERHANG) RW_TRY(rw_spectral_probe(ode, &overhang, &found));
    *stiff = overhang <= OVERHANG;
    return RW_OK;
}

/* On failure, such as a lack of memory for the other method's vectors, it is the one before again. */
static rw_status change(rw_ode *ode, const rw_ode_ops *method)
{
    const rw_ode_ops *before = ode->ops;
    const rw_status status = rw_ode_become(ode, method);
    if (status != RW_OK) RW_TRY(rw_ode_become(ode, before));
    return status;
}

rw_status rw_auto_review(rw_ode *ode, double t_limit)
{
    double *c = ode->now.controller, rho;
    const double h = c[2], left = span_of(ode, t_limit);
    bool stiff;
    if (!ode->chooser || !is_not_stabilised(ode->ops) || !(c[0] > 0) || c[3] < REVIEW_EVERY) return RW_OK;
    rw_status status = find_stiffness(ode, left, &rho, &stiff);
    if (status == RW_OK && stiff) status = change(ode, stabilised(ode, left));
    /* an interrupted review is made again; where there is no radius, or no memory, dp5 continues */
    if (status == RW_ERR_INTERRUPTED) return status;
    c[3] = 0;
    if (is_not_stabilised(ode->ops)) return RW_OK;
    RW_TRY(status);
    c[1] = c[2] = 0; /* the error of another method */
    rw_dense_begin(ode);
    char text[32];
    snprintf(ode->reason, sizeof ode->reason,
             "stiff from t = %.4g on, eigenvalues near the negative real axis: spectral radius %.3g, %s; dp5 "
             "before, whose steps of %.2g were limited by stability",
             ode->now.t, rho, time_text(left, text), h);
    rw_log(ode->device->ctx, RW_LOG_INFO, "method %s: %s", ode->ops->name, ode->reason);
    return RW_OK;
}

/* As the method that AUTO would become at the present state. */
static rw_status explain_choice(rw_ode *ode, rw_text *text)
{
    const rw_ode_ops *method;
    RW_TRY(choose(ode, span_of(ode, ode->now.t), &method));
    RW_TRY(rw_ode_become(ode, method));
    rw_text_add(text, "auto: chooses %s at the first step: %s\n", ode->ops->name, ode->reason);
    return rw_method_explain(ode, text);
}

static rw_status explain(const rw_ode *as_given, rw_text *text)
{
    rw_ode *ode = (rw_ode *)as_given; /* restored below */
    bool bound = true;
    for (int f = 0; f < ode->nfields; ++f) bound = bound && ode->vector[f];
    bound = bound && rw_externals_bound(ode);
    if (!bound || !(ode->end > ode->now.t)) {
        rw_text_add(text, "auto: the method is chosen at the first step%s\n",
                    bound ? "; its plan can be shown if `end` is given"
                          : "; its plan can be shown if the fields are bound");
        return RW_OK;
    }
    const rw_ode_kept before = rw_ode_keep(ode);
    rw_status status = explain_choice(ode, text);
    rw_ode_put_back(ode, &before);
    *ode->reason = 0;
    if (status == RW_ERR_NOT_CONVERGED) {
        rw_text_add(text, "auto: no method can be chosen: %s\n", rw_message(ode->device->ctx));
        status = RW_OK;
    }
    return status;
}

/* Its vectors are those of the power iteration. What the choice needs, and the step control of whatever it becomes, is
 * compiled while the fields get their values. */
const rw_ode_ops rw_method_AUTO = {.method = RW_ODE_AUTO,
                                   .name = "auto",
                                   .state = rw_adaptive_state,
                                   .vectors = 3,
                                   .least_stages = 1,
                                   .create = rw_adaptive_prepare,
                                   .step = step,
                                   .explain = explain,
                                   .chooses = &rw_method_ROCK4};
