/* RKC2 and RKL2: stabilised methods of order 2 with s >= 2 stages, of one form with Chebyshev and Legendre polynomials
 * (van der Houwen, Sommeijer 1980; Verwer, Hundsdorfer, Sommeijer 1990; Meyer, Balsara, Aslam 2014; estimate as in
 * Sommeijer, Shampine, Verwer, J. Comput. Appl. Math. 88, 1998).
 *
 *   Y_0 = y_n
 *   Y_1 = Y_0 + m~_1 h F(Y_0)
 *   Y_j = (1 - m_j - n_j) Y_0 + m_j Y_{j-1} + n_j Y_{j-2} + m~_j h F(Y_{j-1}) + g~_j h F(Y_0),   j = 2 … s
 *   y_{n+1} = Y_s
 *
 *   RKC2   e = 2/13, w0 = 1 + e/s^2, w1 = T_s'(w0)/T_s''(w0), b_j = T_j''(w0)/T_j'(w0)^2 (b_0 = b_1 = b_2), a_j = 1 -
 *          b_j T_j(w0), m~_1 = b_1 w1, m_j = 2 b_j w0/b_{j-1}, n_j = -b_j/b_{j-2}, m~_j = 2 b_j w1/b_{j-1}, g~_j =
 *          -a_{j-1} m~_j; interval ~ 0.65 (s^2 - 1)
 *   RKL2   w1 = 4/(s^2 + s - 2), b_j = (j^2 + j - 2)/(2j(j + 1)) (b_0 = b_1 = b_2 = 1/3), a_j = 1 - b_j,
 *          m~_1 = b_1 w1, m_j = (2j - 1)/j b_j/b_{j-1}, n_j = -(j - 1)/j b_j/b_{j-2}, m~_j = m_j w1, g~_j = -a_{j-1}
 *          m~_j; interval (s^2 + s - 2)/2; monotone; s is odd, so that the shortest waves are damped
 *
 * One kernel a stage: both right-hand sides are computed inside the recursion (F(Y_0) again each time: Y_0 is read
 * anyway, so that costs arithmetic but no memory), so a stage reads three vectors and writes one, over the vector it no
 * longer needs: 32 bytes per point and f64 component. Error estimate e = 0.8 (y_n - y_{n+1}) + 0.4 h (F_n + F_{n+1}):
 * one pass that reads two vectors.
 *
 * e is of size h^3 and the error of a run of size h^2, so steps with |e| = tol would leave an error of size tol^(2/3).
 * Accepted is |e| up to SCALE tol sqrt(tau), tau = rtol + atol/max|y|: then h is of size sqrt(tol) and the error of
 * size tol.
 *
 * Vectors: 0 y, 1 the newest stage, 2 the one before. Not for equations that oscillate: the stability region is
 * narrow. */
#include <math.h>
#include <string.h>

#include "ode/ode.h"

enum { Y, NEW, OLD };
static const double SCALE = 10; /* errors of a run come out at a few times the tolerance: docs/methods/ode.md */

/* Coefficients of a stage j >= 1, and the stage's polynomial. */
typedef struct coefficients {
    double m, n, p, q; /* m_j, n_j (0 for j = 2: Y_{j-2} is Y_0), m~_j, g~_j; j = 1: p alone */
    double polynomial[RW_QUADRATURE_NODES];
} coefficients;

/* What the two methods differ in. */
typedef struct polynomials {
    void (*choose)(coefficients *c, double *work, int s);
    double (*interval)(int s);       /* largest h rho that is stable */
    int (*stages_for)(double h_rho); /* the smallest number whose interval holds it */
    bool odd;                        /* numbers of stages */
} polynomials;

typedef struct rkc {
    rw_stage first;  /* OLD = y + p h F(y) */
    rw_stage second; /* OLD = (1 - m) y + m NEW + p h F(NEW) + q h F(y) */
    rw_stage stage;  /* OLD = (1 - m - n) y + m NEW + n OLD + p h F(NEW) + q h F(y) */
    rw_stage error;  /* norm of the estimate, y_{n+1} in NEW; largest |y| */
    coefficients *c; /* by stage, 0 … max_stages */
    double *work;
    int stages; /* that c is for */
} rkc;

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static rw_status build_stage(rw_ode *ode, bool second, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *f0 = b.node[0], *f1 = b.node[1];
    rw_node t0 = rw_build_scalar(&b, "t0"), t1 = rw_build_scalar(&b, "t1"), m = rw_build_scalar(&b, "m"),
            n = rw_build_scalar(&b, "n"), p = rw_build_scalar(&b, "p"), q = rw_build_scalar(&b, "q"),
            k = rw_build_scalar(&b, "k");
    rw_build_vector(&b, Y, t0);
    rw_build_vector(&b, NEW, t1);
    rw_build_vector(&b, OLD, t1);
    rw_build_rates(&b, Y, f0);
    rw_build_rates(&b, NEW, f1);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node sum = OP(ADD, OP(MUL, k, rw_build_value(&b, Y, f)), OP(MUL, m, rw_build_value(&b, NEW, f)));
        if (!second) sum = OP(ADD, sum, OP(MUL, n, rw_build_value(&b, OLD, f)));
        sum = OP(ADD, sum, OP(ADD, OP(MUL, p, f1[f]), OP(MUL, q, f0[f])));
        rw_build_store(&b, OLD, f, sum);
    }
    return rw_build_end(&b, second ? "rkc_second" : "rkc_stage", stage);
}

static rw_status build_error(rw_ode *ode, rw_stage *stage)
{
    const int nf = ode->nfields;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *f0 = b.node[0], *f1 = b.node[1], *y0 = b.node[2], *y1 = b.node[3];
    rw_node t0 = rw_build_scalar(&b, "t0"), t1 = rw_build_scalar(&b, "t1"), h = rw_build_scalar(&b, "h");
    rw_build_vector(&b, Y, t0);
    rw_build_vector(&b, NEW, t1);
    rw_build_rates(&b, Y, f0);
    rw_build_rates(&b, NEW, f1);
    rw_graph *g = b.graph;
    for (int f = 0; f < nf && b.status == RW_OK; ++f) {
        y0[f] = rw_build_value(&b, Y, f);
        y1[f] = rw_build_value(&b, NEW, f);
        f0[f] = OP(ADD, OP(MUL, rw_real(g, 0.8), OP(SUB, y0[f], y1[f])),
                   OP(MUL, OP(MUL, rw_real(g, 0.4), h), OP(ADD, f0[f], f1[f])));
    }
    rw_build_norm(&b, f0, y0, y1);
    rw_node size = b.status == RW_OK ? rw_real(g, 0) : 0;
    for (int f = 0; f < nf && b.status == RW_OK; ++f) size = OP(MAX, size, rw_build_size(g, y0[f], NULL));
    if (b.status == RW_OK) rw_build_result(&b, "size", rw_reduce(g, RW_REDUCE_MAX, size));
    return rw_build_end(&b, "rkc_error", stage);
}

static void destroy(rw_ode *ode)
{
    rkc *m = ode->method;
    rw_free(m->c);
    rw_free(m->work);
}

static rw_status create(rw_ode *ode)
{
    rkc *m = ode->method;
    const size_t n = (size_t)ode->max_stages + 2;
    m->c = rw_calloc(n, sizeof *m->c);
    m->work = rw_calloc(4 * n, sizeof *m->work);
    if (!m->c || !m->work) return rw_fail_memory(ode->device->ctx, n * sizeof *m->c, "an integrator");
    RW_TRY(rw_build_euler(ode, OLD, "rkc_first", &m->first));
    RW_TRY(build_stage(ode, true, &m->second));
    RW_TRY(build_stage(ode, false, &m->stage));
    return build_error(ode, &m->error);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

static void chebyshev(coefficients *c, double *work, int s)
{
    double w0 = 1 + 2. / 13 / ((double)s * s), *T = work, *d = T + s + 2, *dd = d + s + 2, *b = dd + s + 2;
    T[0] = 1;
    T[1] = w0;
    d[0] = 0;
    d[1] = 1;
    dd[0] = dd[1] = 0;
    for (int j = 2; j <= s; ++j) {
        T[j] = 2 * w0 * T[j - 1] - T[j - 2];
        d[j] = 2 * w0 * d[j - 1] - d[j - 2] + 2 * T[j - 1];
        dd[j] = 2 * w0 * dd[j - 1] - dd[j - 2] + 4 * d[j - 1];
        b[j] = dd[j] / (d[j] * d[j]);
    }
    b[0] = b[1] = b[2];
    double w1 = d[s] / dd[s];
    c[1] = (coefficients){.p = b[1] * w1};
    for (int j = 2; j <= s; ++j) {
        double mt = 2 * b[j] * w1 / b[j - 1];
        c[j] = (coefficients){.m = 2 * b[j] * w0 / b[j - 1],
                              .n = j > 2 ? -b[j] / b[j - 2] : 0,
                              .p = mt,
                              .q = -(1 - b[j - 1] * T[j - 1]) * mt};
    }
}

static double legendre_b(int j) { return j < 2 ? 1. / 3 : ((double)j * j + j - 2) / (2. * j * (j + 1)); }

static void legendre(coefficients *c, double *work RW_UNUSED, int s)
{
    double w1 = 4 / ((double)s * s + s - 2);
    c[1] = (coefficients){.p = legendre_b(1) * w1};
    for (int j = 2; j <= s; ++j) {
        double mu = (2. * j - 1) / j * legendre_b(j) / legendre_b(j - 1);
        c[j] = (coefficients){.m = mu,
                              .n = j > 2 ? -(j - 1.) / j * legendre_b(j) / legendre_b(j - 2) : 0,
                              .p = mu * w1,
                              .q = -(1 - legendre_b(j - 1)) * mu * w1};
    }
}

/* A little less than (w0 + 1)/w1. */
static double chebyshev_interval(int s) { return ((double)s * s - 1) / 1.54; }
static double legendre_interval(int s) { return ((double)s * s + s - 2) / 2; }

static int chebyshev_stages(double h_rho) { return 1 + (int)sqrt(1 + 1.54 * h_rho); }
static int legendre_stages(double h_rho)
{
    const int s = (int)ceil((sqrt(9 + 8 * h_rho) - 1) / 2 * (1 - 1e-14));
    return s + (s % 2 == 0);
}

static const polynomials of_chebyshev = {chebyshev, chebyshev_interval, chebyshev_stages, false},
                         of_legendre = {legendre, legendre_interval, legendre_stages, true};

static const polynomials *polynomials_of(const rw_ode *ode) { return ode->ops->variant; }

static void choose(rw_ode *ode, int s)
{
    rkc *m = ode->method;
    if (m->stages == s) return;
    polynomials_of(ode)->choose(m->c, m->work, s);
    m->stages = s;
    memset(m->c[0].polynomial, 0, sizeof m->c[0].polynomial);
    m->c[0].polynomial[0] = 1;
    for (int j = 1; j <= s; ++j) {
        coefficients *c = m->c + j;
        for (int k = 0; k < RW_QUADRATURE_NODES; ++k) {
            double first = k == 0, f0 = k == 1, f1 = k ? c[-1].polynomial[k - 1] : 0;
            c->polynomial[k] = j == 1 ? first + c->p * f0
                                      : (1 - c->m - c->n) * first + c->m * c[-1].polynomial[k] +
                                            (j > 2 ? c->n * c[-2].polynomial[k] : 0) + c->p * f1 + c->q * f0;
        }
    }
}

static int largest(const rw_ode *ode)
{
    const int most = ode->max_stages;
    return polynomials_of(ode)->odd && most % 2 == 0 ? RW_MAX(most - 1, ode->ops->least_stages) : most;
}

static double reach(const rw_ode *ode) { return polynomials_of(ode)->interval(largest(ode)); }

static int stages_for(const rw_ode *ode, double h_rho)
{
    const int s = polynomials_of(ode)->stages_for(RW_MIN(h_rho, reach(ode)));
    return RW_MIN(RW_MAX(s, ode->ops->least_stages), largest(ode));
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static rw_status attempt(rw_ode *ode, double h, double rho, rw_attempt *a)
{
    rkc *m = ode->method;
    int s = a->stages = stages_for(ode, h * rho);
    choose(ode, s);
    for (int j = 1; j <= s; ++j) {
        rw_stage *st = j == 1 ? &m->first : j == 2 ? &m->second : &m->stage;
        const coefficients *c = m->c + j;
        rw_stage_set(st, j > 1 ? "t0" : "t", ode->now.t);
        if (j > 1) RW_TRY(rw_stage_time(ode, st, "t1", h, c[-1].polynomial));
        rw_stage_set(st, "k", 1 - c->m - c->n);
        rw_stage_set(st, "m", c->m);
        rw_stage_set(st, "n", c->n);
        rw_stage_set(st, j > 1 ? "p" : "c", c->p * h);
        rw_stage_set(st, "q", c->q * h);
        RW_TRY(rw_stage_run(ode, st));
        rw_ode_exchange(ode, NEW, OLD);
    }
    rw_stage_set(&m->error, "t0", ode->now.t);
    rw_stage_set(&m->error, "t1", rw_ode_stage_time(ode, 1, h));
    rw_stage_set(&m->error, "h", h);
    RW_TRY(rw_stage_run(ode, &m->error));
    ode->now.stat.rhs += s + 1;
    double size;
    RW_TRY(rw_expr_get(m->error.expr, "norm", &a->estimate, NULL));
    RW_TRY(rw_expr_get(m->error.expr, "size", &size, NULL));
    a->most = SCALE * sqrt(RW_MIN(ode->rtol + ode->atol / size, 1));
    return RW_OK;
}

#define EITHER                                                                                                         \
    .state = rw_adaptive_state, .vectors = 3, .size = sizeof(rkc), .programs = 4, .create = create,                    \
    .step = rw_adaptive_step, .destroy = destroy,                                                                      \
    .summary = "with s stages takes 1 first, 1 second and s - 2 further kernels, and 1 for the error estimate",        \
    .result = NEW, .power = 3, .growth = 10, .reach = reach, .attempt = attempt

const rw_ode_ops rw_method_RKC2 =
    {EITHER, .method = RW_ODE_RKC2, .name = "rkc2", .variant = &of_chebyshev, .least_stages = 2, .choosable = true};
const rw_ode_ops rw_method_RKL2 = {EITHER, .method = RW_ODE_RKL2, .name = "rkl2", .variant = &of_legendre,
                                   .least_stages = 3};
