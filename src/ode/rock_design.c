/* Polynomials of the ROCK methods: the recurrences from the zeros of the finishing polynomials (Stieltjes' procedure), and the
 * equations that fix those zeros.
 *
 *   one block, order p      R^(k)(0) = 1 for k = 1 … p;  |R(-interval)| = damping;  the first humps of |R| reach the damping
 *   two blocks, R = R_1 R_2 R^(k)(0) = 1 for k = 1 … 4;  |R(-interval)| = damping;  first hump;  equal intervals;
 *                           |R_1(-interval)| = |R_2(-interval)|
 *
 * Unknown: two numbers a pair of zeros, delta and scale of each block: as many as equations. As functions of (s_0/s)^2 the unknowns
 * are so smooth that a dozen Chebyshev coefficients give them to 14 digits for all s >= s_0: that is rock_series.def. */
#include "ode/rock.h"

#include <math.h>
#include <string.h>

static const rw_wide PI = 3.14159265358979323846264338327950288L;

static const struct kind {
    const char *name;
    int order, nblocks, pairs, q[2], least, first; /* first: where the series begin */
} kinds[RW_ROCK_KINDS] = {
    [RW_ROCK2] = {"rock2", 2, 1, 1, {2}, 3, 8},
    [RW_ROCK4] = {"rock4", 4, 1, 2, {4}, 5, 8},
    [RW_ROCK4_SPLIT] = {"rock4 in two blocks", 4, 2, 1, {4, 2}, 16, 16},
};

int rw_rock_least(rw_rock_kind kind) { return kinds[kind].least; }

bool rw_rock_solve(rw_wide *A, rw_wide *b, int n)
{
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int i = c + 1; i < n; ++i)
            if (fabsl(A[i * n + c]) > fabsl(A[pivot * n + c])) pivot = i;
        if (!(fabsl(A[pivot * n + c]) > 0)) return false;
        for (int j = 0; j < n; ++j) {
            rw_wide t = A[c * n + j];
            A[c * n + j] = A[pivot * n + j], A[pivot * n + j] = t;
        }
        rw_wide t = b[c];
        b[c] = b[pivot], b[pivot] = t;
        for (int i = c + 1; i < n; ++i) {
            rw_wide k = A[i * n + c] / A[c * n + c];
            for (int j = c; j < n; ++j) A[i * n + j] -= k * A[c * n + j];
            b[i] -= k * b[c];
        }
    }
    for (int c = n - 1; c >= 0; --c) {
        for (int j = c + 1; j < n; ++j) b[c] -= A[c * n + j] * b[j];
        b[c] /= A[c * n + c];
    }
    return true;
}

/* ---- recurrences ---------------------------------------------------------------------------------------------------- */

static rw_wide finishing(const rw_rock_block *b, rw_wide z)
{
    rw_wide v = b->w[RW_ROCK_FINISH];
    for (int k = RW_ROCK_FINISH - 1; k >= 0; --k) v = v * z + b->w[k];
    return v;
}

static void finishing_coefficients(rw_rock_block *b)
{
    memset(b->w, 0, sizeof b->w);
    b->w[0] = 1;
    for (int i = 0; i < b->pairs; ++i) {
        rw_wide n = b->re[i] * b->re[i] + b->im[i] * b->im[i];
        for (int k = 2 * i + 2; k >= 1; --k)
            b->w[k] += -2 * b->re[i] / n * b->w[k - 1] + (k >= 2 ? b->w[k - 2] / n : 0);
    }
}

/* Stieltjes' procedure on Gauss-Chebyshev nodes, exact because w^2 is a polynomial. `work`: 4 (m + 2 pairs + 2) numbers. */
static void recurrence(rw_rock_block *b, rw_wide *work)
{
    int m = b->m, n = m + 2 * b->pairs + 2;
    rw_wide *x = work, *weight = x + n, *p0 = weight + n, *p1 = p0 + n;
    rw_wide a = 1 + b->delta / b->scale, old = 1, q = 1;
    finishing_coefficients(b);
    for (int k = 0; k < n; ++k) {
        x[k] = cosl((2 * k + 1) * PI / (2 * n));
        rw_wide v = finishing(b, (x[k] - a) * b->scale);
        weight[k] = v * v, p0[k] = 0, p1[k] = 1;
    }
    for (int j = 1; j <= m; ++j) { /* pi_j = (x - alpha) pi_{j-1} - beta pi_{j-2};  q = pi_j(a)/pi_{j-1}(a) */
        rw_wide norm = 0, mean = 0;
        for (int k = 0; k < n; ++k) {
            rw_wide v = p1[k] * p1[k] * weight[k];
            norm += v, mean += v * x[k];
        }
        rw_wide alpha = mean / norm, beta = j > 1 ? norm / old : 0, next = a - alpha - beta / q;
        b->mu[j] = 1 / (b->scale * next), b->nu[j] = -(a - alpha) / next, b->kappa[j] = beta / (q * next);
        q = next, old = norm;
        for (int k = 0; k < n; ++k) {
            rw_wide t = (x[k] - alpha) * p1[k] - beta * p0[k];
            p0[k] = p1[k], p1[k] = t;
        }
    }
}

static rw_wide length(const rw_rock_block *b) { return 2 * b->scale + b->delta; }

/* R of degree p + 1 is 1 + z + … + z^p/p! + c z^(p+1): c is such that the hump reaches the damping. Its only real zero goes to
 * the recurrence, the rest to the finishing polynomial. */
static rw_wide least_polynomial(int p, rw_wide c, rw_wide z)
{
    rw_wide v = c, factorial = 1;
    for (int k = 2; k <= p; ++k) factorial *= k;
    for (int k = p; k >= 0; --k) v = v * z + 1 / factorial, factorial /= k ? k : 1;
    return v;
}

static void least_design(rw_rock *r)
{
    rw_rock_block *b = r->block;
    int p = r->order;
    rw_wide low = 0, high = 1, zero, end;
    for (int k = 2; k <= p + 1; ++k) high /= k; /* with 1/(p+1)! there is no hump */
    for (int i = 0; i < 100; ++i) {
        rw_wide c = (low + high) / 2, z = 0, v = 1, next;
        while ((next = least_polynomial(p, c, z - 0.01L)) < v && v > 0) z -= 0.01L, v = next;
        while ((next = least_polynomial(p, c, z - 0.01L)) > v && z > -100) z -= 0.01L, v = next;
        if (v > r->damping) low = c;
        else high = c;
    }
    rw_wide c = (low + high) / 2, z = 0;
    while (least_polynomial(p, c, z) > 0) z -= 0.01L;
    rw_wide below = z, above = z + 0.01L;
    for (int i = 0; i < 100; ++i) {
        zero = (below + above) / 2;
        if (least_polynomial(p, c, zero) > 0) above = zero;
        else below = zero;
    }
    zero = (below + above) / 2;
    while (least_polynomial(p, c, z) > -r->damping) z -= 0.01L;
    below = z, above = z + 0.01L;
    for (int i = 0; i < 100; ++i) {
        end = (below + above) / 2;
        if (least_polynomial(p, c, end) > -r->damping) above = end;
        else below = end;
    }
    b->mu[1] = -1 / zero, b->nu[1] = -1, b->kappa[1] = 0;
    memset(b->w, 0, sizeof b->w);
    b->w[0] = 1;
    rw_wide factorial = 1;
    for (int k = 1; k <= p; ++k) factorial *= k, b->w[k] = 1 / factorial + b->w[k - 1] / zero;
    r->interval = -(below + above) / 2;
}

rw_status rw_rock_recurrences(rw_context *ctx, rw_rock *r)
{
    if (r->stages == r->order + 1) {
        least_design(r);
        return RW_OK;
    }
    size_t n = 4 * (size_t)(r->stages + 8);
    rw_wide *work = rw_calloc(n, sizeof *work);
    if (!work) return rw_fail_memory(ctx, n * sizeof *work, "coefficients");
    for (int i = 0; i < r->nblocks; ++i) recurrence(r->block + i, work);
    r->interval = length(r->block);
    rw_free(work);
    return RW_OK;
}

static rw_wide recurrence_value(const rw_rock_block *b, rw_wide z)
{
    rw_wide g0 = 0, g1 = 1;
    for (int j = 1; j <= b->m; ++j) {
        rw_wide t = (b->mu[j] * z - b->nu[j]) * g1 - b->kappa[j] * g0;
        g0 = g1, g1 = t;
    }
    return g1;
}

rw_wide rw_rock_response(const rw_rock *r, rw_wide z)
{
    rw_wide v = 1;
    for (int i = 0; i < r->nblocks; ++i) v *= finishing(r->block + i, z) * recurrence_value(r->block + i, z);
    return v;
}

rw_wide rw_rock_estimate_response(const rw_rock *r, rw_wide z)
{
    rw_wide v = 1, e = r->start;
    for (int i = 0; i < r->nblocks; ++i) {
        const rw_rock_block *b = r->block + i;
        rw_wide g = v * recurrence_value(b, z), k[RW_ROCK_FINISH];
        v = g;
        for (int j = 0, n = 0; j < b->q; ++j) {
            rw_wide argument = g;
            for (int l = 0; l < j; ++l) argument += b->a[n++] * k[l];
            k[j] = z * argument, v += b->b[j] * k[j], e += b->e[j] * k[j];
        }
        if (i + 1 < r->nblocks) e += r->middle * v;
        else e += r->last * g;
    }
    return e;
}

/* ---- the equations -------------------------------------------------------------------------------------------------- */

/* The largest of the first maxima of |R| past its first descent: one for order 4, two for order 2. */
static rw_wide hump(const rw_rock *r)
{
    const rw_wide step = 0.05L;
    rw_wide z = 0, v = 1, next, most = 0;
    for (int n = 0; n < (r->order == 2 ? 2 : 1); ++n) {
        while ((next = fabsl(rw_rock_response(r, z - step))) < v && z > -2 * r->interval) z -= step, v = next;
        while ((next = fabsl(rw_rock_response(r, z - step))) > v && z > -2 * r->interval) z -= step, v = next;
        if (z <= -r->interval) break;
        rw_wide middle = z, h = step, top = v;
        for (int i = 0; i < 6; ++i, h /= 8) { /* vertex of the parabola through three points, ever closer */
            rw_wide f0 = fabsl(rw_rock_response(r, middle - h)), f1 = fabsl(rw_rock_response(r, middle)),
                    f2 = fabsl(rw_rock_response(r, middle + h)), bend = f0 - 2 * f1 + f2;
            if (!(bend < 0)) break;
            middle -= h * (f2 - f0) / (2 * bend);
            top = fabsl(rw_rock_response(r, middle));
        }
        most = fmaxl(most, top);
    }
    return most;
}

/* t times the block's Taylor coefficients up to z^n. */
static void times_taylor(const rw_rock_block *b, int n, rw_wide *t)
{
    rw_wide g0[5] = {0}, g1[5], v[5] = {0};
    memcpy(g1, t, sizeof g1);
    for (int j = 1; j <= b->m; ++j) {
        for (int k = 0; k <= n; ++k) v[k] = (k ? b->mu[j] * g1[k - 1] : 0) - b->nu[j] * g1[k] - b->kappa[j] * g0[k];
        memcpy(g0, g1, sizeof g0), memcpy(g1, v, sizeof v);
    }
    for (int k = 0; k <= n; ++k) {
        t[k] = 0;
        for (int j = 0; j <= k; ++j) t[k] += b->w[j] * g1[k - j];
    }
}

enum { MOST_UNKNOWN = 8 };

static int unknowns(rw_rock *r, rw_wide **to)
{
    int n = 0;
    for (int i = 0; i < r->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        for (int j = 0; j < b->pairs; ++j) to[n++] = b->re + j, to[n++] = b->im + j;
        to[n++] = &b->delta, to[n++] = &b->scale;
    }
    return n;
}

static void residual(rw_rock *r, rw_wide *work, rw_wide *f)
{
    rw_wide t[5] = {1}, factorial = 1;
    for (int i = 0; i < r->nblocks; ++i) recurrence(r->block + i, work), times_taylor(r->block + i, r->order, t);
    r->interval = length(r->block);
    for (int k = 1; k <= r->order; ++k) factorial *= k, *f++ = t[k] * factorial - 1;
    rw_wide end[2] = {1, 1};
    for (int i = 0; i < r->nblocks; ++i) {
        rw_wide z = -length(r->block + i);
        end[i] = fabsl(finishing(r->block + i, z) * recurrence_value(r->block + i, z));
    }
    *f++ = end[0] * end[1] - r->damping;
    *f++ = hump(r) - r->damping;
    if (r->nblocks == 2) *f++ = length(r->block + 1) / length(r->block) - 1, *f++ = end[0] - end[1];
}

static bool newton(rw_rock *r, rw_wide *work)
{
    rw_wide *x[MOST_UNKNOWN], f[MOST_UNKNOWN], g[MOST_UNKNOWN], J[MOST_UNKNOWN * MOST_UNKNOWN];
    int n = unknowns(r, x);
    bool close = false;
    for (int round = 0; round < 60; ++round) {
        rw_wide norm = 0, damp = 1;
        residual(r, work, f);
        for (int i = 0; i < n; ++i) norm = fmaxl(norm, fabsl(f[i]));
        if (!(norm < 1e9L)) return false;
        close = norm < 1e-11L; /* then one more step */
        for (int j = 0; j < n; ++j) {
            rw_wide keep = *x[j], h = 1e-9L * fmaxl(fabsl(keep), 0.1L);
            *x[j] = keep + h, residual(r, work, g), *x[j] = keep;
            for (int i = 0; i < n; ++i) J[i * n + j] = (g[i] - f[i]) / h;
        }
        if (!rw_rock_solve(J, f, n)) return false;
        for (int i = 0; i < n; ++i) {
            rw_wide part = fabsl(f[i]) / fmaxl(fabsl(*x[i]), 0.3L);
            if (part * damp > 0.3L) damp = 0.3L / part;
        }
        for (int i = 0; i < n; ++i) *x[i] -= damp * f[i];
        if (close) break;
    }
    return close;
}

rw_status rw_rock_design(rw_context *ctx, rw_rock *r)
{
    if (r->stages == r->order + 1) return rw_rock_recurrences(ctx, r);
    size_t n = 4 * (size_t)(r->stages + 8);
    rw_wide *work = rw_calloc(n, sizeof *work);
    if (!work) return rw_fail_memory(ctx, n * sizeof *work, "coefficients");
    bool found = newton(r, work);
    rw_free(work);
    if (!found)
        return rw_fail(ctx, RW_ERR_NOT_CONVERGED, "no coefficients of %s with %d stages and damping %g were found",
                       kinds[r->kind].name, r->stages, r->damping);
    return rw_rock_recurrences(ctx, r);
}

/* ---- series ----------------------------------------------------------------------------------------------------------- */

enum { TERMS = 12 };
static const double series[RW_ROCK_KINDS][MOST_UNKNOWN][TERMS] = {
#include "ode/rock_series.def"
};

/* At damping 0.95; the last unknown of a block is stored as scale/s^2. */
void rw_rock_from_series(rw_rock *r)
{
    rw_wide *x[MOST_UNKNOWN], s = r->stages, ratio = kinds[r->kind].first / s, t = 2 * ratio * ratio - 1;
    int n = unknowns(r, x);
    for (int i = 0; i < n; ++i) {
        rw_wide b0 = 0, b1 = 0;
        for (int k = TERMS - 1; k > 0; --k) {
            rw_wide v = 2 * t * b0 - b1 + series[r->kind][i][k];
            b1 = b0, b0 = v;
        }
        *x[i] = t * b0 - b1 + series[r->kind][i][0];
    }
    for (int i = 0; i < r->nblocks; ++i) r->block[i].scale *= s * s;
}

rw_status rw_rock_begin(rw_context *ctx, rw_rock_kind kind, int stages, double damping, rw_rock **rock)
{
    const struct kind *k = kinds + kind;
    rw_rock *r = *rock = rw_calloc(1, sizeof *r);
    if (!r) return rw_fail_memory(ctx, sizeof *r, "coefficients");
    r->kind = kind, r->order = k->order, r->stages = stages, r->nblocks = k->nblocks, r->damping = damping;
    for (int i = 0; i < k->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        b->degree = stages / k->nblocks, b->pairs = k->pairs, b->q = k->q[i], b->m = b->degree - 2 * b->pairs;
        r->evaluations += b->m + b->q;
        b->mu = rw_calloc(3 * (size_t)(b->m + 1), sizeof *b->mu);
        if (!b->mu) {
            rw_rock_destroy(rock);
            return rw_fail_memory(ctx, 3 * (size_t)(stages + 1) * sizeof *b->mu, "coefficients");
        }
        b->nu = b->mu + b->m + 1, b->kappa = b->nu + b->m + 1;
    }
    return RW_OK;
}

void rw_rock_destroy(rw_rock **rock)
{
    rw_rock *r = *rock;
    *rock = NULL;
    for (int i = 0; r && i < r->nblocks; ++i) rw_free(r->block[i].mu);
    rw_free(r);
}

/* The series are for damping 0.95 from s_0 on; elsewhere they are where Newton's method starts. */
static rw_status design(rw_context *ctx, rw_rock *r)
{
    double wanted = r->damping;
    rw_rock_from_series(r);
    r->damping = 0.95;
    if (r->stages < kinds[r->kind].first) RW_TRY(rw_rock_design(ctx, r));
    while (fabs(r->damping - wanted) > 1e-12) {
        r->damping += RW_MIN(0.02, RW_MAX(-0.02, wanted - r->damping));
        RW_TRY(rw_rock_design(ctx, r));
    }
    r->damping = wanted;
    RW_TRY(rw_rock_recurrences(ctx, r));
    for (int i = 0; i < r->nblocks; ++i) { /* as programs have them, so that the finishing stages make up for the rounding */
        rw_rock_block *b = r->block + i;
        for (int j = 1; j <= b->m; ++j)
            b->mu[j] = (double)b->mu[j], b->kappa[j] = (double)b->kappa[j], b->nu[j] = -1 - b->kappa[j];
    }
    return RW_OK;
}

rw_status rw_rock_create(rw_context *ctx, rw_rock_kind kind, int stages, double damping, rw_rock **rock)
{
    const struct kind *k = kinds + kind;
    *rock = NULL;
    if (stages < k->least || stages > 1 << 20 || stages % k->nblocks)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s with %d stages: %d or more are possible%s", k->name, stages, k->least,
                       k->nblocks == 2 ? ", an even number" : "");
    if (!(damping >= 0.5 && damping <= 0.99))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "damping = %g is outside [0.5, 0.99]; 0.95 is usual", damping);
    RW_TRY(rw_rock_begin(ctx, kind, stages, damping, rock));
    rw_status status = design(ctx, *rock);
    if (status == RW_OK) status = rw_rock_finish(ctx, *rock);
    if (status != RW_OK) rw_rock_destroy(rock);
    return status;
}

double rw_rock_interval(rw_rock_kind kind, int stages)
{
    rw_rock r = {.kind = kind, .order = kinds[kind].order, .stages = stages, .nblocks = kinds[kind].nblocks};
    for (int i = 0; i < r.nblocks; ++i) r.block[i].pairs = kinds[kind].pairs;
    /* fewer stages than the series begin with: measured, a little less than they have */
    static const double few[RW_ROCK_KINDS][8] = {{0, 0, 0, 6.14, 11.79, 19.06, 27.93, 38.41}, {0, 0, 0, 0, 0, 5.998, 9.87, 14.45}};
    if (stages < kinds[kind].first) return stages < 8 ? few[kind][stages] : 0;
    rw_rock_from_series(&r);
    return (double)length(r.block);
}

int rw_rock_stages(rw_rock_kind kind, double h_rho, int most)
{
    int step = kinds[kind].nblocks, low = kinds[kind].least, high = RW_MAX(low, most / step * step);
    if (rw_rock_interval(kind, high) < h_rho) return high;
    while (low < high) { /* smallest that holds it */
        int middle = low + (high - low) / 2 / step * step;
        if (rw_rock_interval(kind, middle) >= h_rho) high = middle;
        else low = middle + step;
    }
    return low;
}

double rw_rock_growth(rw_rock_kind kind, int stages)
{
    rw_rock r = {.kind = kind, .order = kinds[kind].order, .stages = RW_MAX(stages, kinds[kind].first), .nblocks = kinds[kind].nblocks};
    rw_wide most = 1;
    for (int i = 0; i < r.nblocks; ++i) r.block[i].pairs = kinds[kind].pairs;
    rw_rock_from_series(&r);
    for (int i = 0; i < r.nblocks; ++i) {
        finishing_coefficients(r.block + i);
        most = fmaxl(most, fabsl(finishing(r.block + i, -length(r.block + i))));
    }
    return (double)most;
}
