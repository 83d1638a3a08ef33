/* Solving: the loop over recorded steps, restarts from the true residual, and the result.
 *
 * A step (two iterations of CG, one of BiCGStab and GMRES, a cycle of IDR) is recorded at its first use and replayed.
 * Kernels stop by themselves: after the iteration that reached the tolerance they change nothing. So the host polls the
 * state rarely, at an interval that follows from the rate at which the residual falls.
 *
 * CG, BiCGStab and IDR update r by a recurrence, which drifts from b - A x by rounding errors of about eps |A| |x| per
 * iteration (Greenbaum, Estimating the attainable accuracy of recursively computed residual methods, SIAM J. Matrix
 * Anal. Appl. 18, 1997). So b - A x is computed where a recurrence has reached the tolerance, and the method restarts
 * from it where it is above the tolerance (van der Vorst and Ye, Residual replacement strategies for Krylov subspace
 * iterative methods, SIAM J. Sci. Comput. 22, 2000, do so during the iteration). */
#include "krylov/krylov.h"

#include <math.h>
#include <string.h>

/* The step number, from its recording where there is one. */
static rw_status replay(rw_krylov *k, int number)
{
    if (rw_krylov_direct(k)) return k->ops->step(k, number);
    if (!k->sequence[number]) {
        RW_TRY(rw_record_begin(k->queue));
        rw_status status = k->ops->step(k, number), ended;
        rw_sequence *sequence = NULL;
        ended = rw_record_end(k->queue, &sequence);
        if (status != RW_OK || ended != RW_OK) {
            rw_sequence_destroy(&sequence);
            return status != RW_OK ? status : ended;
        }
        k->sequence[number] = sequence;
    }
    return rw_sequence_replay(k->sequence[number], k->queue);
}

/* Steps until the next poll: half of those that are left if the residual continues to fall at the same rate, and none
 * after the last iteration. */
static int64_t steps_to_poll(const rw_krylov *k, const double *s, double first)
{
    const double r = s[RW_KRYLOV_AT_RESIDUAL], iterations = s[RW_KRYLOV_AT_ITERATION] - (double)k->begun,
                 tolerance = s[RW_KRYLOV_AT_TOLERANCE], last = (double)k->spec.iterations - s[RW_KRYLOV_AT_ITERATION];
    double left = 4;
    if (rw_krylov_direct(k)) return 1; /* a step costs more than a poll */
    if (r < first && tolerance > 0 && iterations >= 1) left = log(r / tolerance) / (log(first / r) / iterations);
    return (int64_t)fmax(ceil(fmin(fmin(left / 2, last), 64) / k->ops->iterations), 1);
}

static rw_status read_state(rw_krylov *k, double state[RW_KRYLOV_AT_STATE])
{
    const void *p;
    RW_TRY(rw_array_read(k->state[k->now], &p));
    memcpy(state, p, RW_KRYLOV_AT_STATE * sizeof *state);
    return RW_OK;
}

/* A residual of the caller's system. */
static double unscaled(const rw_krylov *k, double r) { return k->scale.on ? ldexp(r, k->scale.b) : r; }

/* Reads the state from the device, and reports the iterations from *reported on to the monitor. */
static rw_status poll(rw_krylov *k, double state[RW_KRYLOV_AT_STATE], int64_t *reported)
{
    const void *p;
    RW_TRY(read_state(k, state));
    if (!k->spec.monitor) return RW_OK;
    RW_TRY(rw_array_read(k->history, &p));
    for (; k->stopped == RW_OK && *reported <= (int64_t)state[RW_KRYLOV_AT_ITERATION]; ++*reported) {
        const unsigned before = rw_failures();
        k->stopped = k->spec.monitor(k->spec.user, *reported, unscaled(k, ((const double *)p)[*reported]));
        if (k->stopped != RW_OK && rw_failures() != before)
            snprintf(k->wish, sizeof k->wish, "%s", rw_message(k->device->ctx));
    }
    return RW_OK;
}

static bool interrupted(const rw_krylov *k) { return k->stopped != RW_OK || rw_cancel_requested(k->spec.cancel); }

/* Makes the next iteration the last: methods then end as at the maximum number of iterations, with the residual of
 * x. */
static rw_status stop(rw_krylov *k, const double *s)
{
    void *p;
    RW_TRY(rw_array_update(k->state[k->now], &p));
    ((double *)p)[RW_KRYLOV_AT_MOST] = s[RW_KRYLOV_AT_ITERATION] + 1;
    return rw_array_send(k->state[k->now], k->queue); /* the next step may be recorded */
}

/* From k->x until the method stops: result->reason, iterations, estimate, and the residual where the method ends with b
 * - A x. *reported: the next iteration for the monitor. RANGE: nothing is done, the system must be scaled first. b is
 * k->scaled of a scaled system. */
static rw_status iterate(rw_krylov *k, rw_array *b, int64_t *reported, rw_krylov_result *result)
{
    double s[RW_KRYLOV_AT_STATE];
    bool stopped = false, wanted = false;
    const int steps = rw_krylov_steps(k);
    k->now = 0;
    RW_TRY(k->ops->start(k, b));
    RW_TRY(read_state(k, s));
    const double first = s[RW_KRYLOV_AT_RESIDUAL];
    result->first = unscaled(k, first);
    result->residual = -1;
    result->right_side = k->scale.on ? unscaled(k, k->scale.right) : s[RW_KRYLOV_AT_RIGHT_SIDE];
    if (!k->scale.tried) RW_TRY(rw_krylov_scale_wanted(k, b, result->right_side, first, &wanted));
    if (wanted) {
        result->reason = RW_KRYLOV_RANGE;
        result->iterations = k->begun;
        return RW_OK;
    }
    RW_TRY(poll(k, s, reported));
    if (result->right_side == 0 && k->spec.atol == 0 &&
        s[RW_KRYLOV_AT_REASON] < 0) { /* relative to b = 0 only x = 0 converges */
        result->reason = RW_KRYLOV_CONVERGED;
        return rw_array_zero(k->x, k->queue);
    }
    double before = first; /* at the beginning of a cycle */
    int64_t wait = 1;
    for (int number = 0; s[RW_KRYLOV_AT_REASON] < 0; number = (number + 1) % steps) {
        RW_TRY(replay(k, number));
        k->now = k->ops->cycle ? (number + 1) % 2 : 0;
        const bool ended = number == steps - 1 && k->ops->cycle;
        if (--wait <= 0) {
            RW_TRY(poll(k, s, reported));
            if (!k->scale.tried && rw_krylov_scale_wanted_by(k, s[RW_KRYLOV_AT_LARGEST])) {
                result->reason = RW_KRYLOV_RANGE;
                result->iterations = (int64_t)s[RW_KRYLOV_AT_ITERATION];
                return RW_OK;
            }
            if (s[RW_KRYLOV_AT_REASON] < 0 && !stopped && interrupted(k)) {
                RW_TRY(stop(k, s));
                stopped = true;
            }
            wait = stopped ? 1 : steps_to_poll(k, s, first);
        }
        if (!k->ops->cycle || (!ended && s[RW_KRYLOV_AT_REASON] < 0)) continue;
        RW_TRY(k->ops->cycle(k, b));
        RW_TRY(poll(k, s, reported));
        if (s[RW_KRYLOV_AT_REASON] < 0 && s[RW_KRYLOV_AT_RESIDUAL] > 0.9999 * before)
            s[RW_KRYLOV_AT_REASON] = RW_KRYLOV_STAGNATION;
        before = s[RW_KRYLOV_AT_RESIDUAL];
        number = steps - 1; /* a cycle ends with b - A x */
        result->residual = unscaled(k, before);
    }
    if (stopped && s[RW_KRYLOV_AT_REASON] == RW_KRYLOV_ITERATIONS) s[RW_KRYLOV_AT_REASON] = RW_KRYLOV_INTERRUPTED;
    result->reason = (rw_krylov_reason)s[RW_KRYLOV_AT_REASON];
    result->iterations = (int64_t)s[RW_KRYLOV_AT_ITERATION];
    result->estimate = unscaled(k, s[k->ops->cycle ? RW_KRYLOV_AT_ESTIMATE : RW_KRYLOV_AT_RESIDUAL]);
    return RW_OK;
}

rw_status rw_krylov_apply(rw_krylov *k, rw_array *b, int64_t from, rw_array *y)
{
    const int64_t n = (k->spec.iterations + k->ops->iterations - 1) / k->ops->iterations;
    const rw_arg a[] = {rw_arg_array(b), rw_arg_array(k->right), rw_arg_int(from), rw_arg_int(k->n)};
    k->now = 0;
    k->begun = 0;
    k->target = 1;
    RW_TRY(rw_krylov_launch(k, "take", k->groups, 1, a, 4));
    RW_TRY(rw_array_zero(k->x, k->queue));
    RW_TRY(k->ops->start(k, k->right));
    for (int64_t i = 0; i < n; ++i) {
        RW_TRY(replay(k, k->ops->cycle ? (int)i : 0));
        k->now = k->ops->cycle ? (int)(i + 1) % 2 : 0;
    }
    if (k->ops->cycle) RW_TRY(k->ops->cycle(k, k->right));
    return rw_array_copy(y, k->x, k->queue);
}

rw_status rw_krylov_copy(rw_krylov *k, rw_array *x, rw_array *y)
{
    const rw_arg a[] = {rw_arg_array(x), rw_arg_array(y), rw_arg_int(0), rw_arg_int(k->n)};
    return rw_krylov_launch(k, "take", k->groups, 1, a, 4);
}

rw_status rw_krylov_clear(rw_krylov *k, rw_array *y)
{
    const rw_arg a[] = {rw_arg_array(y), rw_arg_int(k->n)};
    return rw_krylov_launch(k, "clear", k->groups, 1, a, 2);
}

/* A recorded sequence holds no other one. */
static rw_status enqueue(rw_krylov *k, rw_array *b, rw_array *x)
{
    k->now = 0;
    k->begun = 0;
    k->target = 1;
    RW_TRY(rw_krylov_clear(k, k->x));
    RW_TRY(k->ops->start(k, b));
    for (int64_t i = 0; i < k->spec.iterations; i += k->ops->iterations)
        RW_TRY(k->queue->recording ? k->ops->step(k, 0) : replay(k, 0));
    return rw_krylov_copy(k, k->x, x);
}

rw_status rw_krylov_enqueue(rw_krylov *k, rw_array *b, rw_array *x, int64_t iterations, double rtol)
{
    const rw_krylov_spec before = k->spec;
    k->spec.iterations = iterations;
    k->spec.rtol = rtol;
    k->spec.atol = 0;
    const rw_status status = enqueue(k, b, x);
    k->spec = before;
    return status;
}

static double allowed_of(const rw_krylov *k, const rw_krylov_result *result)
{
    return fmax(k->spec.rtol * result->right_side, k->spec.atol);
}

/* |b - A x| */
static rw_status residual(rw_krylov *k, rw_array *b, rw_array *x, double *r)
{
    const void *p;
    double sum = 0;
    RW_TRY(rw_krylov_product(k, k->a, -1, x, 0, 1, b, k->vector[0], 0, k->vector[0], &k->product));
    RW_TRY(rw_array_read(k->product.now, &p));
    for (int64_t i = 0; i < k->product.n; ++i) sum += ((const double *)p)[2 * k->product.n + i];
    *r = unscaled(k, sqrt(sum));
    return RW_OK;
}

static rw_status check_vectors(const rw_krylov *k, const rw_array *b, const rw_array *x)
{
    rw_context *ctx = k->device->ctx;
    const rw_array *both[] = {b, x};
    for (int i = 0; i < 2; ++i)
        if (both[i]->device != k->device || both[i]->dtype != k->type || both[i]->size != k->n)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "%s has %lld entries of %s on %s: the solver needs %lld entries of %s on %s", i ? "x" : "b",
                           (long long)both[i]->size, rw_dtype_name(both[i]->dtype), both[i]->device->info.name,
                           (long long)k->n, rw_dtype_name(k->type), k->device->info.name);
    return b == x ? rw_fail(ctx, RW_ERR_ARGUMENT, "b and x are the same array: a solver needs two different arrays")
                  : RW_OK;
}

/* The first entry of an array that is not finite; -1: none, or it cannot be read. */
static int64_t not_finite_in(const rw_krylov *k, rw_array *a)
{
    const void *p;
    if (rw_array_read(a, &p) != RW_OK) return -1;
    for (int64_t i = 0; i < k->n; ++i)
        if (!isfinite(rw_value_get(k->type, p, i, 0)) || !isfinite(rw_value_get(k->type, p, i, 1))) return i;
    return -1;
}

/* Explains the reason as far as it is known. */
static void explain(const rw_krylov *k, const rw_krylov_result *result, rw_array *b, rw_array *x, bool worse,
                    char *text, size_t size)
{
    *text = 0;
    if (result->reason == RW_KRYLOV_NOT_FINITE) {
        const int64_t in_b = not_finite_in(k, b), in_x = in_b < 0 ? not_finite_in(k, x) : -1;
        if (in_b >= 0 || in_x >= 0)
            snprintf(text, size, "; entry %lld of %s, counted from 0, is not finite",
                     (long long)(in_b >= 0 ? in_b : in_x), in_b >= 0 ? "b" : "the initial guess");
        else
            snprintf(text, size,
                     "; b and the initial guess are finite: the matrix%s has entries that are not finite, or a product "
                     "overflows",
                     k->p || k->inner ? " or the preconditioner" : "");
    } else if (result->reason == RW_KRYLOV_INDEFINITE) {
        rw_precond_spec p = k->p ? k->p->spec : (rw_precond_spec){0};
        const bool may_be = p.method == RW_PRECOND_ILU || p.method == RW_PRECOND_MILU || p.method == RW_PRECOND_ILUT ||
                            p.sweeps || p.iterations;
        if (may_be)
            snprintf(
                text, size,
                "; %s factors of a positive definite matrix may be indefinite: use icc0 or jacobi; for other matrices "
                "use bicgstab or gmres",
                rw_precond_method_name(p.method));
        else snprintf(text, size, "; use bicgstab or gmres");
    } else if (result->reason == RW_KRYLOV_RANGE) {
        const char *type = k->type == RW_F32 || k->type == RW_C64 ? "f32" : "f64";
        snprintf(text, size, "; the largest entry of x is about 2^%d, which %s in %s: scale b by a power of 2",
                 k->scale.in_x, k->scale.in_x > 0 ? "overflows" : "underflows", type);
    } else if (worse) {
        const bool may_be_singular = result->reason == RW_KRYLOV_STAGNATION || result->reason == RW_KRYLOV_BREAKDOWN;
        snprintf(text, size,
                 "; the residual did not decrease: x keeps the initial guess; the last iterate has |b - A x| = %.3g%s",
                 result->residual, may_be_singular ? ". Is the matrix singular?" : "");
    } else if (result->reason == RW_KRYLOV_STAGNATION && result->estimate <= allowed_of(k, result))
        snprintf(text, size,
                 "; the last restart from b - A x reduced it by less than a factor of 2: the precision of %s vectors "
                 "is reached; %s",
                 rw_dtype_name(k->type),
                 k->type == RW_F32 || k->type == RW_C64 ? "use f64 vectors or a larger tolerance"
                                                        : "use a larger tolerance");
}

enum {
    LEAST_GAIN = 2
}; /* of a restart, which discards the search directions: with less, rounding errors are as large as the residual */

/* Why the pass has ended, now that |b - A x| is known. CONVERGED: it is within the tolerance, or only the recurrence
 * is, and a restart may help. before: the smallest |b - A x| of earlier passes. */
static rw_krylov_reason judge(const rw_krylov *k, const rw_krylov_result *result, double before, bool restarted)
{
    const double r = result->residual;
    if (!isfinite(r)) return RW_KRYLOV_NOT_FINITE; /* also where the allowed one overflows */
    if (r <= allowed_of(k, result)) return RW_KRYLOV_CONVERGED;
    const bool stalled = restarted && !(r <= before / LEAST_GAIN);
    switch (result->reason) {
    case RW_KRYLOV_CONVERGED:
        return stalled                                    ? RW_KRYLOV_STAGNATION
               : interrupted(k)                           ? RW_KRYLOV_INTERRUPTED
               : result->iterations >= k->spec.iterations ? RW_KRYLOV_ITERATIONS
                                                          : RW_KRYLOV_CONVERGED;
    case RW_KRYLOV_BREAKDOWN:
    case RW_KRYLOV_INDEFINITE:
        return stalled ? RW_KRYLOV_STAGNATION : result->reason; /* the directions are rounding errors */
    default: return result->reason;
    }
}

/* Of the method, which under- and overflow may cause. */
static bool is_failure(rw_krylov_reason reason)
{
    return reason == RW_KRYLOV_BREAKDOWN || reason == RW_KRYLOV_INDEFINITE || reason == RW_KRYLOV_NOT_FINITE ||
           reason == RW_KRYLOV_STAGNATION;
}

/* One pass: *reason as judge() gives it. */
static rw_status pass_once(rw_krylov *k, rw_array *b, int64_t *reported, rw_krylov_result *result, const double *best,
                           rw_krylov_reason *reason)
{
    rw_array *right = k->scale.on ? k->scaled : b;
    if (k->scale.on) RW_TRY(rw_krylov_scale_pass(k, b));
    RW_TRY(iterate(k, right, reported, result));
    *reason = result->reason;
    if (*reason == RW_KRYLOV_RANGE) return RW_OK;
    if (result->residual < 0) RW_TRY(residual(k, right, k->x, &result->residual));
    *reason = judge(k, result, best ? *best : result->first, best != NULL);
    return RW_OK;
}

/* x <- the iterate; *fits is false where it under- or overflows. */
static rw_status give(rw_krylov *k, rw_array *x, bool *fits)
{
    *fits = true;
    return k->scale.on ? rw_krylov_scale_end(k, x, fits) : rw_array_copy(x, k->x, k->queue);
}

/* The first pass, and restarts from b - A x as long as judge() allows. Where numbers may have under- or overflown, the
 * pass is repeated with the system scaled. x gets the best solution, *best its |b - A x|; result->residual is that of
 * the last pass. */
static rw_status passes(rw_krylov *k, rw_array *b, rw_array *x, rw_krylov_result *result, double *best)
{
    int64_t reported = 0;
    double first = 0;
    bool again = true, overflowed = false;
    const bool probe = k->scale.a || k->scale.m || (k->inner && !k->probed);
    k->begun = 0;
    k->target = 1;
    k->scale.on = k->scale.tried = false;
    /* the last solve was scaled; the breakdown of an inner solver would not be noticed */
    if (probe) RW_TRY(rw_krylov_scale_begin(k, b, false));
    k->scale.tried = k->scale.on;
    k->probed = true;
    for (int pass = 0; again; ++pass) {
        rw_krylov_reason reason;
        bool fits = true;
        RW_TRY(pass_once(k, b, &reported, result, pass ? best : NULL, &reason));
        if (!k->scale.tried && (reason == RW_KRYLOV_RANGE || (is_failure(reason) && !interrupted(k)))) {
            overflowed = reason == RW_KRYLOV_NOT_FINITE;
            RW_TRY(rw_krylov_scale_begin(k, b, reason == RW_KRYLOV_RANGE));
            k->scale.tried = true;
            if (k->scale.on || reason == RW_KRYLOV_RANGE) {
                RW_TRY(rw_array_copy(k->x, x, k->queue));
                if (k->ops->clear) RW_TRY(k->ops->clear(k));
                k->begun = result->iterations;
                pass -= pass == 0; /* the scaled pass is the first one */
                continue;
            }
        }
        if (pass == 0) first = *best = result->first;
        again = reason == RW_KRYLOV_CONVERGED && !(result->residual <= allowed_of(k, result));
        if (k->scale.on ? result->residual < *best : result->residual <= *best) RW_TRY(give(k, x, &fits));
        if (result->residual <= *best && fits) *best = result->residual;
        result->reason = !fits ? RW_KRYLOV_RANGE : reason;
        if (k->scale.on && overflowed && is_failure(reason)) result->reason = RW_KRYLOV_NOT_FINITE;
        again = again && fits;
        k->begun = result->iterations;
        k->target = 0.5; /* below the tolerance, so that the rounding errors of the pass do not exceed it again */
    }
    result->first = first;
    return RW_OK;
}

static rw_status krylov_solve(rw_krylov *k, rw_array *b, rw_array *x, rw_krylov_result *result)
{
    char more[200];
    const double start = rw_seconds(), compiled = rw_counters_of(k->device).compile_seconds;
    double best = 0;
    memset(result, 0, sizeof *result);
    k->stopped = RW_OK;
    k->wish[0] = 0;
    RW_TRY(check_vectors(k, b, x));
    RW_TRY(rw_operator_send(k->a, k->queue));
    for (const rw_krylov *s = k; s; s = s->inner)
        if (s->spec.precond_operator) RW_TRY(rw_operator_send(s->spec.precond_operator, k->queue));
    RW_TRY(rw_array_copy(k->x, x, k->queue));
    const rw_status status = passes(k, b, x, result, &best);
    if (status != RW_OK) { /* not complete, and x is the initial guess or an earlier iterate */
        *result = (rw_krylov_result){.reason = RW_KRYLOV_INTERRUPTED};
        return status;
    }
    const bool worse = !(result->residual <= result->first) && best == result->first; /* x keeps the initial guess */
    result->seconds = fmax(rw_seconds() - start - (rw_counters_of(k->device).compile_seconds - compiled), 0);
    if (k->stopped != RW_OK) result->reason = RW_KRYLOV_INTERRUPTED; /* whatever the last iterations gave */
    explain(k, result, b, x, worse, more, sizeof more);
    rw_text singular = {0};
    if (result->reason == RW_KRYLOV_STAGNATION || result->reason == RW_KRYLOV_BREAKDOWN ||
        result->reason == RW_KRYLOV_INDEFINITE || (result->reason == RW_KRYLOV_ITERATIONS && worse))
        rw_krylov_explain_singular(k, b, allowed_of(k, result), &singular); /* a failure leaves the text as it is */
    const char *of_singular = singular.failed || !singular.data ? "" : singular.data;
    char *question = *of_singular ? strstr(more, ". Is the matrix singular?") : NULL;
    if (question) *question = 0; /* answered */
    result->residual = best;
    if (result->reason == RW_KRYLOV_CONVERGED) return RW_OK;
    if (k->wish[0]) return rw_fail(k->device->ctx, k->stopped, "%s", k->wish);
    const rw_status stopped = rw_fail(
        k->device->ctx,
        result->reason != RW_KRYLOV_INTERRUPTED ? RW_ERR_NOT_CONVERGED
        : k->stopped != RW_OK                   ? k->stopped
                                                : RW_ERR_INTERRUPTED,
        "%s: %s after %lld iterations: |b - A x| = %.3g (by the recurrence: %.3g), tolerance %.3g, |b| = %.3g%s%s",
        rw_krylov_method_name(k->spec.method), rw_krylov_reason_text(result->reason), (long long)result->iterations,
        best, result->estimate, allowed_of(k, result), result->right_side, more, of_singular);
    rw_text_free(&singular);
    return stopped;
}

rw_status rw_krylov_solve_sized(rw_krylov *k, rw_array *b, rw_array *x, rw_krylov_result *result, size_t result_size)
{
    RW_NEED(k, "solver");
    RW_NEED(b, "b");
    RW_NEED(x, "x");
    RW_NEED(result, "result");
    RW_STRUCT_ROOM(rw_krylov_result, result, result_size);
    const rw_cancel *outer = rw_cancel_enter(k->spec.cancel);
    const rw_status status = krylov_solve(k, b, x, result_whole);
    rw_cancel_leave(outer);
    return RW_STRUCT_OUT(status, result, result_size);
}
