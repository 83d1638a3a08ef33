/* AUTO: the method that suits the equations, chosen at the first step from the Jacobian's spectrum there:
 *
 *   dp5     when eigenvalues may lie far from the negative real axis (transport, waves, oscillation), or when
 *           rho (t_end - t) is so small that its steps are no burden
 *   rkc2    for loose tolerances
 *   rock4   else */
#include <math.h>

#include "ode/ode.h"

static const double OVERHANG = 0.2, FEW = 50, LOOSE = 3e-4;

/* What the choice needs, and the step control of whatever it becomes, is compiled while the fields get their values. */
static rw_status create(rw_ode *ode) { return rw_adaptive_prepare(ode); }

static void destroy(rw_ode *ode) { (void)ode; }

static rw_status step(rw_ode *ode, double t_limit)
{
    double rho, overhang, span = (ode->end > ode->t ? ode->end : t_limit) - ode->t;
    RW_TRY(rw_ode_make_vectors(ode)); /* power iteration needs them */
    RW_TRY(rw_spectral_radius(ode, &rho));
    RW_TRY(rw_spectral_overhang(ode, &overhang));
    rw_ode_method method;
    if (overhang > OVERHANG) {
        method = RW_ODE_DP5;
        snprintf(ode->reason, sizeof ode->reason,
                 "eigenvalues may lie away from the negative real axis (by %.2g of the spectral radius %.3g; %s)",
                 overhang, rho, rw_spectral_kind(ode));
    } else if (rho * span <= FEW) {
        method = RW_ODE_DP5;
        snprintf(ode->reason, sizeof ode->reason, "not stiff: spectral radius %.3g, time %.3g", rho, span);
    } else {
        method = ode->rtol > LOOSE ? RW_ODE_RKC2 : RW_ODE_ROCK4;
        snprintf(
            ode->reason, sizeof ode->reason,
            "stiff, eigenvalues near the negative real axis: spectral radius %.3g, time %.3g; tolerance %.1e is %s "
            "%.0e",
            rho, span, ode->rtol, method == RW_ODE_RKC2 ? "above" : "at most", LOOSE);
    }
    RW_TRY(rw_ode_become(ode, method));
    ode->fresh = true;
    rw_log(ode->device->ctx, RW_LOG_INFO, "method %s: %s", ode->ops->name, ode->reason);
    return ode->ops->step(ode, t_limit);
}

static rw_status explain(const rw_ode *ode, rw_text *text)
{
    (void)ode;
    rw_text_add(text, "auto: the method is chosen at the first step\n");
    return RW_OK;
}

/* Vectors as many as the methods it may become have at most: for estimates of memory. */
const rw_ode_ops rw_auto_ops = {.name = "auto",
                                .vectors = 3,
                                .least_stages = 1,
                                .create = create,
                                .step = step,
                                .destroy = destroy,
                                .explain = explain};
