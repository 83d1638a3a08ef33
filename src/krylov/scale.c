/* Systems whose values are so small or so large that squares, or products with A, under- or overflow:
 *
 *   (2^-a A) (2^(a-b) x) = 2^-b b, preconditioned by 2^-m M
 *
 * with largest entries of about 1. Factors are powers of 2, so they change no bit of numbers that stay normal. a and m
 * come from one product with random numbers, so operators need no diagonal; b from the right-hand side and the iterate,
 * again in each pass. Other systems are not scaled: |b| and |r|, which the host reads anyway, decide it, or a
 * breakdown of the method. Cost of scaling: one vector, a product with A and with M, and b and x on the host.
 *
 * Not covered: entries of one system that are further apart than the type's range. */
#include "krylov/krylov.h"

#include <math.h>
#include <stdlib.h>

/* Powers of 2. A system may need scaling if |b| or |r| is beyond WIDE, or |A v| of GMRES beyond BASIS; with all powers
 * within NEAR it needs none. Recorded steps remain valid while powers change by no more than SAME. */
enum { WIDE_F32 = 60, WIDE_F64 = 200, BASIS_F32 = 45, NEAR_F32 = 30, NEAR_F64 = 100, SAME = 8, MOST = 1000 };

static bool is_single(const rw_krylov *k) { return rw_dtype_is_single(k->type); }

/* v is about 2^exponent. */
static int exponent_of(double v)
{
    int e;
    frexp(v, &e);
    return e;
}

/* The largest part of an entry; infinity where one is not finite. Waits. */
static rw_status largest(rw_krylov *k, rw_array *v, double *most)
{
    const void *p;
    *most = 0;
    RW_TRY(rw_array_read(v, &p));
    for (int64_t i = 0; i < k->n; ++i)
        for (int part = 0; part < 2; ++part) {
            const double size = fabs(rw_value_get(k->type, p, i, part));
            *most = isfinite(size) ? fmax(*most, size) : INFINITY;
        }
    if (!k->device->ranks) return RW_OK;
    rw_array *one = NULL;
    void *to;
    rw_status status = rw_array_create(k->device, RW_F64, 1, &(int64_t){1}, RW_MEMORY_DEVICE, &one);
    if (status == RW_OK) status = rw_array_write(one, &to);
    if (status == RW_OK) {
        *(double *)to = *most;
        status = rw_array_send(one, k->queue);
    }
    if (status == RW_OK) status = rw_ranks_combine(k->queue, RW_RANK_MAX, one, 0, 1);
    if (status == RW_OK) status = rw_array_read(one, &p);
    if (status == RW_OK) *most = *(const double *)p;
    rw_array_destroy(&one);
    return status;
}

rw_status rw_krylov_rescale(rw_krylov *k, rw_array *from, rw_array *to, int power)
{
    const int half = power / 2; /* f64 may have no number 2^power */
    const rw_arg a[] = {rw_arg_array(from), rw_arg_array(to), rw_arg_real(ldexp(1, half)),
                        rw_arg_real(ldexp(1, power - half)), rw_arg_int(k->n)};
    return rw_krylov_launch(k, "rescale", k->groups, 1, a, 5);
}

rw_status rw_krylov_scale_wanted(rw_krylov *k, rw_array *b, double right_side, double first, bool *wanted)
{
    const double low = ldexp(1, is_single(k) ? -WIDE_F32 : -WIDE_F64), high = 1 / low;
    double in_b, in_x;
    *wanted = false;
    if (right_side >= low && right_side <= high && first <= high) return RW_OK;
    RW_TRY(largest(k, b, &in_b));
    RW_TRY(largest(k, k->x, &in_x));
    if (!isfinite(in_b) || !isfinite(in_x)) return RW_OK; /* the method reports it */
    if (in_b == 0 && (k->spec.atol == 0 || (first >= low && first <= high) || in_x == 0)) return RW_OK;
    *wanted = true;
    return RW_OK;
}

bool rw_krylov_scale_wanted_by(const rw_krylov *k, double largest)
{
    return largest > 0 && isfinite(largest) && abs(exponent_of(largest)) > (is_single(k) ? BASIS_F32 : WIDE_F64);
}

/* Random numbers of about 1. */
static rw_status fill(rw_krylov *k, rw_array *v)
{
    void *data;
    RW_TRY(rw_array_write(v, &data));
    const int64_t n = k->n * (1 + rw_dtype_is_complex(k->type));
    for (int64_t i = 0; i < n; ++i) {
        const double u = 2 * rw_random_uniform(1729, (uint64_t)i) - 1;
        if (is_single(k)) ((float *)data)[i] = (float)u;
        else ((double *)data)[i] = u;
    }
    return rw_array_send(v, k->queue);
}

/* The power of 2 of A v, for v of about 1; 0 where the product has no finite, nonzero entry. to: workspace. */
static rw_status power_of_operator(rw_krylov *k, rw_array *v, rw_array *to, int *power)
{
    double most = 0;
    const int step = is_single(k) ? 120 : MOST;
    *power = 0;
    for (int by = 0, tries = 0; tries < 9; ++tries) {
        RW_TRY(rw_krylov_product(k, k->a, ldexp(1, -by), v, 0, 0, to, to, 0, NULL, NULL));
        RW_TRY(largest(k, to, &most));
        if (most > 0 && isfinite(most)) {
            *power = RW_MAX(-MOST, RW_MIN(MOST, exponent_of(most) + by));
            return RW_OK;
        }
        by = by == 0 ? (most > 0 ? step : -step) : by > 0 ? by + step : by - step;
        if (abs(by) > MOST) return RW_OK;
    }
    return RW_OK;
}

static rw_status power_of_precond(rw_krylov *k, rw_array *v, rw_array *to, int *power)
{
    double most = 0;
    *power = 0;
    if (!k->p) return RW_OK;
    RW_TRY(rw_precond_run(k->p, v, 0, to, k->queue));
    RW_TRY(largest(k, to, &most));
    if (most > 0 && isfinite(most)) *power = exponent_of(most);
    return RW_OK;
}

static void set(rw_krylov *k, int a, int m)
{
    if (k->scale.a == a && k->scale.m == m) return;
    k->scale.a = a;
    k->scale.m = m;
    rw_krylov_forget(k); /* recordings hold the factors */
}

static int near_or(int old, int fresh) { return abs(fresh - old) <= SAME ? old : fresh; }

rw_status rw_krylov_scale_begin(rw_krylov *k, rw_array *b, bool forced)
{
    const int near = is_single(k) ? NEAR_F32 : NEAR_F64;
    const rw_krylov_scale old = k->scale;
    rw_krylov *inner = k->inner;
    double in_b = 0;
    int a = 0, m = 0, within = 0;
    bool on = forced;
    k->scale = (rw_krylov_scale){0}; /* for the products below */
    rw_status status = RW_OK;
    if (!k->scaled) status = rw_array_create(k->device, k->type, 1, &k->n, RW_MEMORY_DEVICE, &k->scaled);
    if (status == RW_OK) status = fill(k, k->scaled);
    if (status == RW_OK) status = power_of_operator(k, k->scaled, k->vector[0], &a);
    if (status == RW_OK) status = power_of_precond(k, k->scaled, k->vector[0], &m);
    if (status == RW_OK && inner) status = power_of_precond(inner, k->scaled, k->vector[0], &within);
    if (status == RW_OK) status = largest(k, b, &in_b);
    k->scale = old;
    RW_TRY(status);
    on = on || abs(a) > near || abs(m) > near || abs(within) > near || (in_b > 0 && abs(exponent_of(in_b)) > near);
    on = on && isfinite(in_b);
    set(k, on ? near_or(old.a, a) : 0, on ? near_or(old.m, m) : 0);
    if (inner) set(inner, k->scale.a, on ? near_or(inner->scale.m, within) : 0);
    k->scale.on = on;
    k->scale.x = 0;
    return RW_OK;
}

rw_status rw_krylov_scale_pass(rw_krylov *k, rw_array *b)
{
    rw_krylov_scale *s = &k->scale;
    const void *p;
    double in_b, in_x, sum = 0;
    RW_TRY(largest(k, b, &in_b));
    RW_TRY(largest(k, k->x, &in_x));
    const int eb = in_b > 0 ? exponent_of(in_b) : -4 * MOST,
              ex = in_x > 0 && isfinite(in_x) ? exponent_of(in_x) - s->x + s->a : -4 * MOST;
    s->b = RW_MAX(eb, ex) == -4 * MOST ? 0 : RW_MAX(eb, ex);
    RW_TRY(rw_krylov_rescale(k, k->x, k->x, s->a - s->b - s->x));
    s->x = s->a - s->b;
    s->right = 0;
    if (in_b > 0) { /* |b|, which may be far smaller than A x */
        RW_TRY(rw_krylov_rescale(k, b, k->scaled, -eb));
        const rw_arg a[] = {rw_arg_array(k->scaled), rw_arg_array(k->scaled), rw_arg_array(k->update.part),
                            rw_arg_int(k->n)};
        RW_TRY(rw_krylov_launch(k, "squares", k->groups, 1, a, 4));
        RW_TRY(rw_krylov_reduce_partials(k, &k->update, 2));
        RW_TRY(rw_array_read(k->update.now, &p));
        for (int64_t i = 0; i < k->update.n; ++i) sum += ((const double *)p)[i];
        s->right = ldexp(sqrt(sum), eb - s->b);
    }
    return rw_krylov_rescale(k, b, k->scaled, -s->b);
}

double rw_krylov_scale_tolerance(const rw_krylov *k)
{
    /* values far below the first residual of a pass are rounding errors */
    const double floor = ldexp(1, is_single(k) ? -50 : -100);
    return fmax(k->target * fmax(k->spec.rtol * k->scale.right, ldexp(k->spec.atol, -k->scale.b)), floor);
}

rw_status rw_krylov_scale_end(rw_krylov *k, rw_array *x, bool *fits)
{
    double most;
    RW_TRY(largest(k, k->x, &most));
    const int low = is_single(k) ? -125 : -1021, high = is_single(k) ? 128 : 1024;
    k->scale.in_x = exponent_of(most) - k->scale.x;
    *fits = most == 0 || (k->scale.in_x >= low && k->scale.in_x <= high);
    return *fits ? rw_krylov_rescale(k, k->x, x, -k->scale.x) : RW_OK;
}
