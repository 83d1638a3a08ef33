/* Why no step succeeds: what is added to the message of a step that ends in ERR_NOT_CONVERGED. In this order
 *
 *   the state has a value that is not finite           where
 *   the state is so large that its squares overflow    growing modes
 *   F(t, y) or F at the time tried is not finite       where
 *   steps are as short as the spacing of numbers at t  t + h = t
 *   |y|/|F| is as short as the steps and y grows       blow-up
 *   the attempt left a value that is not finite        where: a stage has left the domain of F
 *   |y|/|F| is as short as the steps                   a rate that becomes infinite
 *   none of these                                      the tolerances are below rounding
 *
 * F is computed once more, by a program of its own; fields are read back and searched on the host. If that fails too
 * (memory, a compiler), the message is unchanged. */
#include <float.h>
#include <math.h>

#include "field/finite.h"
#include "ode/ode.h"

enum { Y, RATES };

/* Steps of methods with error control are 1e-4 … 1 of the time in which the solution changes by its own size. */
static const double SHORT = 1e6;

static rw_status build_rates(rw_ode *ode, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t");
    rw_build_vector(&b, Y, t);
    rw_build_vector(&b, RATES, t);
    rw_build_rates(&b, Y, b.node[0]);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) rw_build_store(&b, RATES, f, b.node[0][f]);
    return rw_build_end(&b, "rates", stage);
}

/* found: by field. *odd: the first field with a value that is not finite, -1: none. */
static rw_status search(rw_ode *ode, int vector, rw_finite *found, int *odd)
{
    *odd = -1;
    for (int f = 0; f < ode->nfields; ++f) {
        RW_TRY(rw_finite_find(ode->vector[vector * ode->nfields + f], found + f));
        if (*odd < 0 && found[f].first >= 0) *odd = f;
    }
    return RW_OK;
}

static int largest(const rw_finite *found, int n)
{
    int most = 0;
    for (int f = 1; f < n; ++f)
        if (found[f].size > found[most].size) most = f;
    return most;
}

/* The largest number whose square is finite. */
static double square_limit(rw_dtype dtype) { return sqrt(dtype == RW_F32 || dtype == RW_C64 ? FLT_MAX : DBL_MAX); }

static rw_status explain_state(rw_ode *ode, rw_finite *y, rw_text *cause)
{
    int odd;
    RW_TRY(search(ode, Y, y, &odd));
    int most = largest(y, ode->nfields);
    if (odd >= 0) {
        rw_text_add(cause, "%s is %s", ode->fields[odd].name, rw_finite_word(y[odd].value));
        rw_finite_at(cause, &ode->grid, y[odd].first);
        rw_text_add(cause, ode->now.stat.steps ? ": a step was too long; choose time.method: auto or a shorter step"
                                               : ": check the initial values");
    } else if (y[most].size > square_limit(ode->fields[most].dtype)) {
        rw_text_add(cause, "the solution has grown to |%s| = %.2g", ode->fields[most].name, y[most].size);
        rw_finite_at(cause, &ode->grid, y[most].largest);
        rw_text_add(
            cause,
            ": the equations have modes that grow without bound (eigenvalues with positive real part): check their "
            "signs");
    }
    return RW_OK;
}

/* Leaves F(t, y) in the vector RATES. */
static rw_status explain_rates(rw_ode *ode, rw_stage *stage, double t, rw_finite *rate, rw_text *cause)
{
    int odd;
    rw_stage_set(stage, "t", t);
    RW_TRY(rw_stage_run(ode, stage));
    RW_TRY(search(ode, RATES, rate, &odd));
    if (odd < 0) return RW_OK;
    rw_text_add(cause, "the right-hand side of %s is %s", ode->fields[odd].name, rw_finite_word(rate[odd].value));
    rw_finite_at(cause, &ode->grid, rate[odd].first);
    rw_text_add(cause, ", t = %.9g: check the equations there", t);
    return RW_OK;
}

/* The smallest step from t, and how far numbers at t lie apart. */
static double least_step(double t) { return 1e-14 * fabs(t); }
static double spacing(double t) { return nextafter(fabs(t), INFINITY) - fabs(t); }

static void say_unresolved(double t, double h, rw_text *cause)
{
    rw_text_add(cause, t + h == t ? "t + h = t: " : "t + h is %.0f numbers after t: ", ceil(h / spacing(t)));
    rw_text_add(
        cause,
        "floating-point numbers at t = %.9g are %.2g apart; start the time at 0, or choose a shorter unit of time "
        "for faster processes",
        t, spacing(t));
}

rw_status rw_ode_check_cancel(const rw_ode *ode)
{
    if (!rw_cancel_requested(ode->cancel)) return RW_OK;
    return rw_fail(ode->device->ctx, RW_ERR_INTERRUPTED, "interrupted at t = %.9g by a request to stop", ode->now.t);
}

/* The value that is not finite, or the largest one, and where it is. */
static rw_status explain_growth(rw_ode *ode, rw_finite *y, rw_text *cause)
{
    int odd;
    RW_TRY(search(ode, Y, y, &odd));
    const int most = largest(y, ode->nfields);
    if (odd >= 0) rw_text_add(cause, "%s is %s", ode->fields[odd].name, rw_finite_word(y[odd].value));
    else rw_text_add(cause, "|%s| = %.2g", ode->fields[most].name, y[most].size);
    rw_finite_at(cause, &ode->grid, odd >= 0 ? y[odd].first : y[most].largest);
    return RW_OK;
}

rw_status rw_ode_diverged(rw_ode *ode, double h, double courant)
{
    const char *name = ode->source.name;
    char number[64] = "infinite";
    rw_text cause = {0};
    rw_finite *y = rw_calloc((size_t)ode->nfields, sizeof *y);
    if (!y) return rw_fail_memory(ode->device->ctx, (size_t)ode->nfields * sizeof *y, "an integrator");
    const rw_status status = explain_growth(ode, y, &cause);
    const char *where = cause.data ? cause.data : "";
    rw_free(y);
    if (isfinite(courant)) snprintf(number, sizeof number, "%.3g", courant);
    if (status == RW_OK && !ode->now.stat.steps)
        rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED,
                "%s: the first step, %.3g, would have the Courant number %s: %s: check the initial values and the step",
                name, h, number, where);
    else if (status == RW_OK)
        rw_fail(
            ode->device->ctx, RW_ERR_NOT_CONVERGED,
            "%s: the run has diverged: at t = %.6g, after %lld steps of %.3g, the Courant number is %s; %s: choose a "
            "shorter time.step, or time.courant: %g; a finer grid, or upwind differences, where flow dominates "
            "diffusion",
            name, ode->now.t, (long long)ode->now.stat.steps, h, number, where,
            ode->ops->courant > 0 ? 0.5 * ode->ops->courant : 0.5);
    rw_text_free(&cause);
    ode->unresolved = true; /* the message contains the reason */
    return status == RW_OK ? RW_ERR_NOT_CONVERGED : status;
}

rw_status rw_ode_check_resolution(rw_ode *ode, double h, double t_limit)
{
    rw_text text = {0};
    if (h >= 0.1 * least_step(ode->now.t) || ode->now.t + h >= t_limit) return RW_OK;
    say_unresolved(ode->now.t, h, &text);
    rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED, "%s: a step of %.3g is below the resolution of t: %s",
            ode->source.name, h, text.data ? text.data : "");
    rw_text_free(&text);
    ode->unresolved = true;
    return RW_ERR_NOT_CONVERGED;
}

/* A solution that blows up has shortened its steps gradually, so that |y|/|F| is still longer than the shortest step.
 * Where it is shorter, or where the first step fails, the time is too coarse for these equations. */
static rw_status explain_resolution(rw_ode *ode, const rw_finite *rate, rw_text *cause)
{
    const int f = largest(rate, ode->nfields);
    const bool here = ode->refused_step <= 100 * least_step(ode->now.t);
    const double t = here ? ode->now.t : ode->refused_limit, least = least_step(t);
    double y[2];
    if (ode->refused_step > least) return RW_OK;
    RW_TRY(rw_finite_value(ode->vector[f], rate[f].largest, y));
    const double life = hypot(y[0], y[1]) / rate[f].size;
    if (life < least || (ode->now.stat.steps == 0 && life < 1000 * least)) say_unresolved(t, ode->refused_step, cause);
    return RW_OK;
}

/* Where F is largest: is y as short-lived as the steps, and does it grow? */
static rw_status explain_rate(rw_ode *ode, const rw_finite *rate, bool growing, rw_text *cause)
{
    int f = largest(rate, ode->nfields);
    const char *name = ode->fields[f].name;
    double y[2], F[2];
    RW_TRY(rw_finite_value(ode->vector[f], rate[f].largest, y));
    RW_TRY(rw_finite_value(ode->vector[RATES * ode->nfields + f], rate[f].largest, F));
    double size = hypot(y[0], y[1]), life = size / rate[f].size;
    if (!(life < SHORT * ode->refused_step) || growing != (y[0] * F[0] + y[1] * F[1] > 0)) return RW_OK;
    rw_text_add(cause, "%s without bound (|%s| = %.2g, |d%s/dt| = %.2g",
                growing ? "the solution grows" : "its rate of change grows", name, size, name, rate[f].size);
    rw_finite_at(cause, &ode->grid, rate[f].largest);
    rw_text_add(cause, "): %s t = %.6g; end before, or check the equations",
                growing ? "it blows up near" : "it has no solution beyond", ode->now.t + life);
    return RW_OK;
}

static rw_status explain_attempt(rw_ode *ode, rw_finite *result, rw_text *cause)
{
    int odd;
    RW_TRY(search(ode, ode->ops->result, result, &odd));
    if (odd < 0) return RW_OK;
    rw_text_add(cause, "%s becomes %s", ode->fields[odd].name, rw_finite_word(result[odd].value));
    rw_finite_at(cause, &ode->grid, result[odd].first);
    rw_text_add(cause, ": the right-hand side is not defined for values close to those there");
    return RW_OK;
}

/* `call` may have found the cause: then nothing else is looked for. */
#define CAUSE(call)                                                                                                    \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != RW_OK || cause->length) goto done;                                                               \
    } while (0)

static rw_status find_cause(rw_ode *ode, rw_stage *stage, rw_text *cause)
{
    size_t nf = (size_t)ode->nfields;
    rw_finite *y = rw_calloc(2 * nf, sizeof *y), *rate = y + nf;
    rw_text attempt = {0}; /* found before F is, which may take the result's place, and said last */
    rw_status status = RW_OK;
    if (!y) return rw_fail_memory(ode->device->ctx, 2 * nf * sizeof *y, "an integrator");
    CAUSE(explain_state(ode, y, cause));
    if (ode->refused.stages > 0) CAUSE(explain_attempt(ode, rate, &attempt)); /* else no step was tried */
    CAUSE(build_rates(ode, stage));
    CAUSE(explain_rates(ode, stage, ode->now.t, rate, cause));
    if (!(ode->refused_step > 0)) goto done;
    CAUSE(explain_rates(ode, stage, ode->now.t + ode->refused_step, rate, cause));
    CAUSE(explain_resolution(ode, rate, cause));
    CAUSE(explain_rate(ode, rate, true, cause));
    if (attempt.length) rw_text_add(cause, "%s", attempt.data);
    else CAUSE(explain_rate(ode, rate, false, cause));
    if (!cause->length)
        rw_text_add(cause, "the tolerances rtol = %g, atol = %g cannot be met: rounding errors are larger; raise them",
                    ode->rtol, ode->atol);
done:
    rw_text_free(&attempt);
    rw_free(y);
    return status;
}

/* AUTO may have no vector but y before its first step. */
static rw_status make_room(rw_ode *ode)
{
    for (int f = 0; f < ode->nfields; ++f) {
        rw_array *y = ode->vector[f], **to = &ode->vector[RATES * ode->nfields + f];
        if (!*to) RW_TRY(rw_array_create(ode->device, y->dtype, y->ndim, y->shape, y->storage->memory, to));
    }
    return RW_OK;
}

rw_status rw_ode_give_up(rw_ode *ode)
{
    rw_context *ctx = ode->device->ctx;
    if (ode->unresolved) return RW_ERR_NOT_CONVERGED;
    char message[600];
    rw_text cause = {0};
    rw_stage stage = {0};
    snprintf(message, sizeof message, "%s", rw_message(ctx));
    rw_status status = make_room(ode);
    if (status == RW_OK) status = find_cause(ode, &stage, &cause);
    rw_stage_free(&stage);
    for (int f = 0; f < ode->nfields && ode->ops->vectors <= RATES; ++f)
        rw_array_destroy(&ode->vector[RATES * ode->nfields + f]);
    if (status == RW_OK && cause.length && !cause.failed)
        rw_fail(ctx, RW_ERR_NOT_CONVERGED, "%s: %s", message, cause.data);
    else rw_fail(ctx, RW_ERR_NOT_CONVERGED, "%s", message);
    rw_text_free(&cause);
    return RW_ERR_NOT_CONVERGED;
}
