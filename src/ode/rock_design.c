/* Polynomials of the ROCK methods: the recurrences from the zeros of the finishing polynomials (Christoffel's theorem),
 * and the equations that fix those zeros.
 *
 *   one block, order p      R^(k)(0) = 1 for k = 1 … p;  |R(-interval)| = damping, which the first humps reach
 *   two blocks, R = R_1 R_2 R^(k)(0) = 1 for k = 1 … 4;  |R(-interval)| = damping;  first hump;  equal intervals;
 *                           |R_1(-interval)| = |R_2(-interval)|
 *
 * Unknown: two numbers per pair of zeros, delta and scale of each block: as many as equations. As functions of
 * (s_0/s)^2 the unknowns are so smooth that a dozen Chebyshev coefficients give them to 14 digits for all s >= s_0:
 * that is rock_series.def. */
#include "ode/rock.h"

#include <math.h>
#include <string.h>

static const struct kind {
    const char *name;
    int order, nblocks, pairs, q[2], least, first; /* first: where the series begin */
} kinds[RW_ROCK_KINDS] = {
    [RW_ROCK2] = {"rock2", 2, 1, 1, {2}, 3, 8},
    [RW_ROCK4] = {"rock4", 4, 1, 2, {4}, 5, 8},
    [RW_ROCK4_SPLIT] = {"rock4 in two blocks", 4, 2, 1, {4, 2}, 16, 16},
};

int rw_rock_least(rw_rock_kind kind) { return kinds[kind].least; }

static void swap_rows(rw_wide *A, int n, int i, int k)
{
    for (int j = 0; j < n && i != k; ++j) {
        rw_wide t = A[i * n + j];
        A[i * n + j] = A[k * n + j];
        A[k * n + j] = t;
    }
}

bool rw_rock_solve(rw_wide *A, rw_wide *B, int n, int columns)
{
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int i = c + 1; i < n; ++i)
            if (fabsl(A[i * n + c]) > fabsl(A[pivot * n + c])) pivot = i;
        if (!(fabsl(A[pivot * n + c]) > 0)) return false;
        swap_rows(A, n, c, pivot);
        swap_rows(B, columns, c, pivot);
        for (int i = c + 1; i < n; ++i) {
            rw_wide k = A[i * n + c] / A[c * n + c];
            for (int j = c; j < n; ++j) A[i * n + j] -= k * A[c * n + j];
            for (int j = 0; j < columns; ++j) B[i * columns + j] -= k * B[c * columns + j];
        }
    }
    for (int c = n - 1; c >= 0; --c)
        for (int k = 0; k < columns; ++k) {
            rw_wide sum = B[c * columns + k];
            for (int j = c + 1; j < n; ++j) sum -= A[c * n + j] * B[j * columns + k];
            B[c * columns + k] = sum / A[c * n + c];
        }
    return true;
}

/* ---- recurrences ------------------------------------------------------------------------------------------------- */

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

/* Christoffel's theorem: from pi_{k+1} = (x - alpha_k) pi_k - beta_k pi_{k-1}, orthogonal with respect to some weight,
 * to those of |x - zero|^2 times the weight: (pi_{k+2} + a_k pi_{k+1} + b_k pi_k)/|x - zero|^2, where a_k and b_k make
 * the numerator vanish at the zero re + i im, too. There pi_{k+1}/pi_k = r + i im u. Of n coefficients n - 1 remain. */
static void times_zero(rw_wide *alpha, rw_wide *beta, int n, rw_wide re, rw_wide im)
{
    rw_wide r = re - alpha[0], u = 1, slope = r, b_old = 1;
    for (int k = 0; k + 1 < n; ++k) {
        rw_wide square = r * r + im * u * im * u, part = beta[k + 1] / square, b = beta[k + 1] + square / u;
        r = re - alpha[k + 1] - part * r;
        u = 1 + part * u;
        rw_wide next = r / u;
        alpha[k] = alpha[k + 1] + next - slope;
        beta[k] *= b / b_old;
        slope = next;
        b_old = b;
    }
}

/* From Chebyshev's polynomials, zero by zero of w^2. `work`: 2 (m + 2 pairs) numbers. */
static void recurrence(rw_rock_block *b, rw_wide *work)
{
    int m = b->m, n = m + 2 * b->pairs;
    rw_wide *alpha = work, *beta = work + n, a = 1 + b->delta / b->scale, q = 1;
    finishing_coefficients(b);
    for (int k = 0; k < n; ++k) {
        alpha[k] = 0;
        beta[k] = k > 1 ? 0.25L : 0.5L * (rw_wide)k;
    }
    for (int i = 0; i < 2 * b->pairs; ++i)
        times_zero(alpha, beta, n - i, a + b->re[i / 2] / b->scale, b->im[i / 2] / b->scale);
    for (int j = 1; j <= m; ++j) { /* q = pi_j(a)/pi_{j-1}(a) */
        rw_wide next = a - alpha[j - 1] - beta[j - 1] / q;
        b->mu[j] = 1 / (b->scale * next);
        b->nu[j] = -(a - alpha[j - 1]) / next;
        b->kappa[j] = beta[j - 1] / (q * next);
        q = next;
    }
}

static rw_wide length(const rw_rock_block *b) { return 2 * b->scale + b->delta; }

/* R of degree p + 1 is 1 + z + … + z^p/p! + c z^(p+1). */
static rw_wide least_polynomial(int p, rw_wide c, rw_wide z)
{
    rw_wide factorial = 1, v;
    for (int k = 2; k <= p; ++k) factorial *= k;
    v = 1 + c * factorial * z;
    for (int k = p; k >= 1; --k) v = 1 + z / k * v;
    return v;
}

/* The c with which R has an extremum at z: R' = 0. */
static rw_wide least_leading(int p, rw_wide z)
{
    rw_wide power = p + 1;
    for (int k = 0; k < p; ++k) power *= z;
    return -least_polynomial(p - 1, 0, z) / power;
}

/* Where R falls below `level` after its hump at z. */
static rw_wide least_fall(int p, rw_wide c, rw_wide z, rw_wide level)
{
    rw_wide above = z, below = 4 * z;
    for (int i = 0; i < 70; ++i) {
        z = (below + above) / 2;
        if (least_polynomial(p, c, z) > level) above = z;
        else below = z;
    }
    return z;
}

/* c is such that the hump, which lies between -(p + 2)/2 and -(p + 2), reaches the damping. R's only real zero goes to
 * the recurrence, the rest to the finishing polynomial. */
static void least_design(rw_rock *r)
{
    rw_rock_block *b = r->block;
    int p = r->order;
    rw_wide low = -(p + 2), high = low / 2, z = low;
    for (int i = 0; i < 70; ++i) {
        z = (low + high) / 2;
        if (least_polynomial(p, least_leading(p, z), z) > r->damping) low = z;
        else high = z;
    }
    rw_wide c = least_leading(p, z), zero = least_fall(p, c, z, 0), factorial = 1;
    b->mu[1] = -1 / zero;
    b->nu[1] = -1;
    b->kappa[1] = 0;
    memset(b->w, 0, sizeof b->w);
    b->w[0] = 1;
    for (int k = 1; k <= p; ++k) {
        factorial *= k;
        b->w[k] = 1 / factorial + b->w[k - 1] / zero;
    }
    r->interval = -least_fall(p, c, z, -r->damping);
}

rw_status rw_rock_recurrences(rw_context *ctx, rw_rock *r)
{
    if (r->stages == r->order + 1) {
        least_design(r);
        return RW_OK;
    }
    size_t n = 2 * (size_t)r->stages;
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
        g0 = g1;
        g1 = t;
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
            k[j] = z * argument;
            v += b->b[j] * k[j];
            e += b->e[j] * k[j];
        }
        if (i + 1 < r->nblocks) e += r->middle * v;
        else e += r->last * g;
    }
    return e;
}

/* ---- the equations ----------------------------------------------------------------------------------------------- */

/* The largest of the first maxima of |R| past its first descent: one for order 4, two for order 2. */
static rw_wide hump(const rw_rock *r)
{
    const rw_wide step = 0.05L;
    rw_wide z = 0, v = 1, next, most = 0;
    for (int n = 0; n < (r->order == 2 ? 2 : 1); ++n) {
        while ((next = fabsl(rw_rock_response(r, z - step))) < v && z > -2 * r->interval) {
            z -= step;
            v = next;
        }
        while ((next = fabsl(rw_rock_response(r, z - step))) > v && z > -2 * r->interval) {
            z -= step;
            v = next;
        }
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
        memcpy(g0, g1, sizeof g0);
        memcpy(g1, v, sizeof v);
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
        for (int j = 0; j < b->pairs; ++j) {
            to[n++] = b->re + j;
            to[n++] = b->im + j;
        }
        to[n++] = &b->delta;
        to[n++] = &b->scale;
    }
    return n;
}

static void residual(rw_rock *r, rw_wide *work, rw_wide *f)
{
    rw_wide t[5] = {1}, factorial = 1;
    for (int i = 0; i < r->nblocks; ++i) {
        recurrence(r->block + i, work);
        times_taylor(r->block + i, r->order, t);
    }
    r->interval = length(r->block);
    for (int k = 1; k <= r->order; ++k) {
        factorial *= k;
        *f++ = t[k] * factorial - 1;
    }
    rw_wide end[2] = {1, 1};
    for (int i = 0; i < r->nblocks; ++i) {
        rw_wide z = -length(r->block + i);
        end[i] = fabsl(finishing(r->block + i, z) * recurrence_value(r->block + i, z));
    }
    *f++ = end[0] * end[1] - r->damping;
    *f++ = hump(r) - r->damping;
    if (r->nblocks == 2) {
        *f++ = length(r->block + 1) / length(r->block) - 1;
        *f++ = end[0] - end[1];
    }
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
            *x[j] = keep + h;
            residual(r, work, g);
            *x[j] = keep;
            for (int i = 0; i < n; ++i) J[i * n + j] = (g[i] - f[i]) / h;
        }
        if (!rw_rock_solve(J, f, n, 1)) return false;
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
    size_t n = 2 * (size_t)r->stages;
    rw_wide *work = rw_calloc(n, sizeof *work);
    if (!work) return rw_fail_memory(ctx, n * sizeof *work, "coefficients");
    bool found = newton(r, work);
    rw_free(work);
    if (!found)
        return rw_fail(ctx, RW_ERR_NOT_CONVERGED, "no coefficients of %s with %d stages and damping %g were found",
                       kinds[r->kind].name, r->stages, r->damping);
    return rw_rock_recurrences(ctx, r);
}

/* ---- series ------------------------------------------------------------------------------------------------------ */

static const double series[RW_ROCK_KINDS][MOST_UNKNOWN][RW_ROCK_TERMS] = {
#include "ode/rock_series.def"
};

/* With fewer stages than the series begin with: re, im of each pair, delta, scale. */
static const double few[RW_ROCK_KINDS][8][MOST_UNKNOWN] =
    {[RW_ROCK2] = {[4] = {-1.2331890939401101, 1.2844065809325164, 0.11478152062160291, 5.8408687116797564},
                   [5] = {-1.2675828421098041, 1.3133401267391062, 0.091396560165546864, 9.486220729236923},
                   [6] = {-1.2868540352203572, 1.3286369026982667, 0.080644945268911479, 13.928265775075564},
                   [7] = {-1.2986776297039172, 1.3377174795995423, 0.074675553482899059, 19.172577098906503}},
     [RW_ROCK4] = {[6] = {-2.1601256447787547, 1.1681858151763052, -0.21976793887016757, 3.0619883330739549,
                          -0.15856083736344525, 5.0167983812247913},
                   [7] = {-2.2493832045372151, 1.2117698718359753, -0.22851357339760417, 3.1925588375832615,
                          -0.17024052855754692, 7.3126839715037148}}};

rw_wide rw_rock_series(const double *terms, int first, int stages)
{
    rw_wide ratio = (rw_wide)first / stages, t = 2 * ratio * ratio - 1, b0 = 0, b1 = 0;
    for (int j = RW_ROCK_TERMS - 1; j > 0; --j) {
        rw_wide v = 2 * t * b0 - b1 + terms[j];
        b1 = b0;
        b0 = v;
    }
    return t * b0 - b1 + terms[0];
}

/* Unknown i at damping 0.95. */
static rw_wide unknown(rw_rock_kind kind, int stages, int i)
{
    const struct kind *k = kinds + kind;
    if (stages < k->first) return few[kind][stages][i];
    rw_wide value = rw_rock_series(series[kind][i], k->first, stages), s = stages;
    /* the last of a block is stored as scale/s^2 */
    return i % (2 * k->pairs + 2) == 2 * k->pairs + 1 ? s * s * value : value;
}

void rw_rock_from_series(rw_rock *r)
{
    rw_wide *x[MOST_UNKNOWN];
    int n = unknowns(r, x);
    for (int i = 0; i < n; ++i) *x[i] = unknown(r->kind, r->stages, i);
}

rw_status rw_rock_begin(rw_context *ctx, rw_rock_kind kind, int stages, double damping, rw_rock **rock)
{
    const struct kind *k = kinds + kind;
    rw_rock *r = *rock = rw_calloc(1, sizeof *r);
    if (!r) return rw_fail_memory(ctx, sizeof *r, "coefficients");
    r->kind = kind;
    r->order = k->order;
    r->stages = stages;
    r->nblocks = k->nblocks;
    r->damping = damping;
    for (int i = 0; i < k->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        b->degree = stages / k->nblocks;
        b->pairs = k->pairs;
        b->q = k->q[i];
        b->m = b->degree - 2 * b->pairs;
        r->evaluations += b->m + b->q;
        b->mu = rw_calloc(3 * (size_t)(b->m + 1), sizeof *b->mu);
        if (!b->mu) {
            rw_rock_destroy(rock);
            return rw_fail_memory(ctx, 3 * (size_t)(stages + 1) * sizeof *b->mu, "coefficients");
        }
        b->nu = b->mu + b->m + 1;
        b->kappa = b->nu + b->m + 1;
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

/* The series are for damping 0.95; for others they are where Newton's method starts. */
static rw_status design(rw_context *ctx, rw_rock *r)
{
    double wanted = r->damping;
    bool known = fabs(wanted - 0.95) <= 1e-12;
    rw_rock_from_series(r);
    rw_rock_finish_from_series(r);
    r->damping = 0.95;
    while (fabs(r->damping - wanted) > 1e-12) {
        r->damping += RW_MIN(0.02, RW_MAX(-0.02, wanted - r->damping));
        RW_TRY(rw_rock_design(ctx, r));
    }
    r->damping = wanted;
    RW_TRY(rw_rock_recurrences(ctx, r));
    for (int i = 0; i < r->nblocks; ++i) { /* as programs have them */
        rw_rock_block *b = r->block + i;
        for (int j = 1; j <= b->m; ++j) {
            b->mu[j] = (double)b->mu[j];
            b->kappa[j] = (double)b->kappa[j];
            b->nu[j] = -1 - b->kappa[j];
        }
    }
    return known ? RW_OK : rw_rock_finish(ctx, r);
}

rw_status rw_rock_create(rw_context *ctx, rw_rock_kind kind, int stages, double damping, rw_rock **rock)
{
    const struct kind *k = kinds + kind;
    *rock = NULL;
    if (stages < k->least || stages > 1 << 20 || stages % k->nblocks)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s with %d stages: at least %d are needed%s", k->name, stages, k->least,
                       k->nblocks == 2 ? ", an even number" : "");
    if (!(damping >= 0.5 && damping <= 0.99))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "damping = %g is outside [0.5, 0.99]; the default is 0.95", damping);
    RW_TRY(rw_rock_begin(ctx, kind, stages, damping, rock));
    rw_status status = design(ctx, *rock);
    if (status != RW_OK) rw_rock_destroy(rock);
    return status;
}

double rw_rock_interval(rw_rock_kind kind, int stages)
{
    static const double least[RW_ROCK_KINDS] = {6.14, 5.998}; /* without series: a little less than it is */
    if (stages < kinds[kind].least) return 0;
    if (least[kind] > 0 && stages == kinds[kind].least) return least[kind];
    int delta = 2 * kinds[kind].pairs;
    return (double)(2 * unknown(kind, stages, delta + 1) + unknown(kind, stages, delta));
}

int rw_rock_stages(rw_rock_kind kind, double h_rho, int most)
{
    int step = kinds[kind].nblocks, least = kinds[kind].least, high = RW_MAX(least, most / step * step);
    double longest = rw_rock_interval(kind, high);
    if (longest < h_rho) return high;
    int s = h_rho > 0 ? (int)(high * sqrt(h_rho / longest)) / step * step : 0; /* intervals grow nearly as s^2 */
    s = RW_MAX(least, s);
    while (s > least && rw_rock_interval(kind, s - step) >= h_rho) s -= step;
    while (rw_rock_interval(kind, s) < h_rho) s += step;
    return s;
}

double rw_rock_growth(rw_rock_kind kind, int stages)
{
    rw_rock r = {.kind = kind,
                 .order = kinds[kind].order,
                 .stages = RW_MAX(stages, kinds[kind].first),
                 .nblocks = kinds[kind].nblocks};
    rw_wide most = 1;
    for (int i = 0; i < r.nblocks; ++i) r.block[i].pairs = kinds[kind].pairs;
    rw_rock_from_series(&r);
    for (int i = 0; i < r.nblocks; ++i) {
        finishing_coefficients(r.block + i);
        most = fmaxl(most, fabsl(finishing(r.block + i, -length(r.block + i))));
    }
    return (double)most;
}
