/* The spectral radius of the right-hand side's Jacobian: a stabilised method needs it to choose its stages.
 *
 *   expression    the user's own, of parameters and t
 *   Gershgorin    circles.c: an upper bound
 *   power         nonlinear power iteration (Sommeijer, Shampine, Verwer 1997): with z = y + d v,
 *                 v <- F(z) - F(y), rho ~ |v| / d; 1.2 times the estimate is used. Where the right-hand side has no
 *                 derivative (abs of complex numbers, …), whenever the derivative is not finite at the present state
 *                 (sqrt(u) at u = 0, hypot(dx(u), dy(u)) of flat fields), or if it is requested.
 *
 * How far eigenvalues lie from the real axis: circles may reach to the right of 0 although the eigenvalues are real, as
 * those of a fourth derivative do (-6 +- 10). Then Chebyshev polynomials T_j of the Jacobian, mapped so that
 * [-rho, RIGHT rho] becomes [-1, 1], are applied to a rough vector:
 *
 *   w_{j+1} = 2 (J w_j - m w_j)/c - w_{j-1},      m = (RIGHT - 1) rho/2,   c = (RIGHT + 1) rho/2
 *
 * Eigenvalues on the interval leave |w_j| bounded; those on the ellipse with foci at its ends and semi-axis b along the
 * imaginary axis make it grow as g^j, b = c (g - 1/g)/2. A stabilised method amplifies them in the same way. */
#include <math.h>
#include <string.h>

#include "ode/algebraic.h"
#include "ode/circles.h"

typedef enum radius_kind { BY_EXPRESSION, BY_GERSHGORIN, BY_POWER } radius_kind;

struct rw_spectral {
    radius_kind kind;
    bool varies;
    rw_stage first; /* of the expression */
    rw_circles circles;
    rw_stage start, next;  /* of the power iteration; built when first used */
    rw_stage rough, apply; /* of Chebyshev's polynomials: likewise */
    double value;          /* when it does not vary */
    bool known;
    bool iterated; /* the value comes from the power iteration … */
    double along;  /* … whose last step turned the vector by the angle of this cosine */
};

enum { POWER_ITERATIONS = 50, LATEST = 8, ROUGH_ITERATIONS = 10, POLYNOMIALS = 16 };
static const double SAFETY = 1.2;
static const double IMPOSSIBLE = 2; /* distance from the real axis, over the radius: twice, since it is estimated */
static const double RIGHT = 0.2;    /* growth that a stabilised method follows, over the radius */

const char *rw_spectral_kind(const rw_ode *ode)
{
    static const char *const names[] = {"the given expression", "Gershgorin's circles", "power iteration"};
    const struct rw_spectral *s = ode->spectral;
    return s ? names[s->iterated ? BY_POWER : s->kind] : "not yet known";
}

bool rw_spectral_varies(const rw_ode *ode) { return !ode->spectral || ode->spectral->varies; }

/* start: A = y + (d/|F|) F(y);  next: v = F(A) - F(y), rho = |v|/d, A = y + (d/|v|) v */
static rw_status build_power(rw_ode *ode, struct rw_spectral *s)
{
    rw_status status = RW_OK;
    for (int which = 0; which < 2 && status == RW_OK; ++which) {
        rw_building b;
        rw_build_begin(&b, ode);
        rw_node t = rw_build_scalar(&b, "t"), d = rw_build_scalar(&b, "d");
        for (int v = 0; v < (which ? 3 : 2); ++v) rw_build_vector(&b, v, t);
        rw_node *f0 = b.node[0], *f1 = b.node[1];
        rw_build_rates(&b, 0, f0);
        if (which) rw_build_rates(&b, 1, f1);
        rw_graph *g = b.graph;
        rw_node sum = b.status == RW_OK ? rw_real(g, 0) : 0, base = sum, along = sum;
        for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
            rw_node v = which ? OP(SUB, f1[f], f0[f]) : f0[f];
            rw_node m = rw_make1(g, RW_OP_ABS, v), y = rw_make1(g, RW_OP_ABS, rw_build_value(&b, 0, f));
            sum = OP(ADD, sum, OP(MUL, m, m));
            base = OP(ADD, base, OP(MUL, y, y));
            if (!which) continue;
            rw_node z = OP(SUB, rw_build_value(&b, 1, f), rw_build_value(&b, 0, f));
            if (g->nodes[v].is_complex || g->nodes[z].is_complex)
                z = rw_make1(g, RW_OP_REAL, OP(MUL, rw_make1(g, RW_OP_CONJ, v), z));
            else z = OP(MUL, v, z);
            along = OP(ADD, along, z);
            rw_build_store(&b, 2, f, v);
        }
        if (b.status == RW_OK) {
            rw_node norm = rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, sum));
            rw_build_result(&b, "norm", norm);
            if (!which) rw_build_result(&b, "y", rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, base)));
            else rw_build_result(&b, "along", rw_reduce(g, RW_SUM, along));
            rw_node scale = OP(DIV, d, norm);
            for (int f = 0; f < ode->nfields && which && b.status == RW_OK; ++f)
                rw_build_store(&b, 1, f, OP(ADD, rw_build_value(&b, 0, f), OP(MUL, scale, rw_build_value(&b, 2, f))));
            /* start: a perturbation along F, or a rough one where F vanishes */
            for (int f = 0; f < ode->nfields && !which && b.status == RW_OK; ++f) {
                /* a product: fast along all axes at once, as the largest eigenvector is */
                rw_node rough = rw_real(g, 1);
                for (int a = 0; a < ode->grid.ndim; ++a) {
                    rw_node i = OP(DIV, rw_coord(g, a, 0), rw_spacing(g, a));
                    rough = OP(MUL, rough, rw_make1(g, RW_OP_COS, OP(MUL, rw_real(g, 2.4 + 0.3 * a), i)));
                }
                rw_node part =
                    rw_make(g, RW_OP_WHERE, OP(LT, rw_real(g, 0), norm), OP(MUL, scale, f0[f]), rw_real(g, 0));
                rw_node small = OP(MUL, OP(MUL, rw_real(g, 0.01), d), rough);
                rw_build_store(&b, 1, f, OP(ADD, rw_build_value(&b, 0, f), OP(ADD, part, small)));
            }
        }
        status = rw_build_end(&b, which ? "power" : "power_start", which ? &s->next : &s->start);
    }
    return status;
}

static rw_status prepare_power(rw_ode *ode, struct rw_spectral *s)
{
    if (s->next.expr) return RW_OK;
    rw_status status = build_power(ode, s);
    if (status != RW_OK) {
        rw_stage_free(&s->start);
        rw_stage_free(&s->next); /* the next call begins anew */
    }
    return status;
}

/* A rough vector: all wavelengths. Fields that are data are not perturbed. */
static rw_node roughness(rw_ode *ode, rw_graph *g)
{
    rw_node rough = rw_real(g, 1);
    for (int a = 0; a < ode->grid.ndim; ++a) {
        rw_node i = OP(DIV, rw_coord(g, a, 0), rw_spacing(g, a));
        rw_node phase = OP(MUL, i, OP(ADD, rw_real(g, 2.4), OP(MUL, rw_real(g, 0.9 + 0.2 * a), i)));
        rough = OP(MUL, rough, rw_make1(g, RW_OP_COS, phase));
    }
    return rough;
}

/* rough: A = y + d r, B = y */
static rw_status build_rough(rw_ode *ode, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), d = rw_build_scalar(&b, "d");
    for (int v = 0; v < 3; ++v) rw_build_vector(&b, v, t);
    rw_node *rates = b.node[0];
    rw_build_rates(&b, 0, rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_leaves l;
        if (!rw_collect_leaves(g, rates[f], t, &l)) g->failed = true;
        rw_node y = rw_build_value(&b, 0, f);
        rw_build_store(&b, 1, f, l.nfields ? OP(ADD, y, OP(MUL, d, roughness(ode, g))) : y);
        rw_build_store(&b, 2, f, y);
        rw_free(l.field);
    }
    return rw_build_end(&b, "spectrum_start", stage);
}

/* apply: B = y + p (F(A) - F(y)) + q (A - y) - r (B - y); size: |B - y| */
static rw_status build_apply(rw_ode *ode, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *f0 = b.node[0], *f1 = b.node[1], sum = 0;
    rw_node t = rw_build_scalar(&b, "t"), p = rw_build_scalar(&b, "p"), q = rw_build_scalar(&b, "q"),
            r = rw_build_scalar(&b, "r");
    for (int v = 0; v < 3; ++v) rw_build_vector(&b, v, t);
    rw_build_rates(&b, 0, f0);
    rw_build_rates(&b, 1, f1);
    rw_graph *g = b.graph;
    if (b.status == RW_OK) sum = rw_real(g, 0);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node y = rw_build_value(&b, 0, f), w = OP(SUB, rw_build_value(&b, 1, f), y),
                before = OP(SUB, rw_build_value(&b, 2, f), y);
        rw_node next = OP(SUB, OP(ADD, OP(MUL, p, OP(SUB, f1[f], f0[f])), OP(MUL, q, w)), OP(MUL, r, before));
        rw_node size = rw_make1(g, RW_OP_ABS, next);
        sum = OP(ADD, sum, OP(MUL, size, size));
        rw_build_store(&b, 2, f, OP(ADD, y, next));
    }
    if (b.status == RW_OK) rw_build_result(&b, "size", rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, sum)));
    return rw_build_end(&b, "spectrum", stage);
}

static rw_status prepare_polynomials(rw_ode *ode, struct rw_spectral *s)
{
    if (s->apply.expr) return RW_OK;
    rw_status status = build_rough(ode, &s->rough);
    if (status == RW_OK) status = build_apply(ode, &s->apply);
    if (status != RW_OK) {
        rw_stage_free(&s->rough);
        rw_stage_free(&s->apply); /* the next call begins anew */
    }
    return status;
}

/* The user's expression as a program without fields: a result only. */
static rw_status build_expression(rw_ode *ode, struct rw_spectral *s)
{
    rw_building b;
    rw_node n = 0;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t");
    if (b.status == RW_OK) {
        rw_source source = {"time.spectral_radius", ode->radius_text, 1, 1};
        b.lowering.no_fields = true;
        b.status = rw_lower_local(&b.lowering, &source, 0, "t", (rw_value){.n = 1, .node = {t, -1, -1}});
        if (b.status == RW_OK) b.status = rw_lower_text(&b.lowering, &source, &n);
        if (b.status == RW_OK && b.graph->nodes[n].is_field)
            b.status = rw_fail(ode->device->ctx, RW_ERR_INPUT,
                               "time.spectral_radius depends on coordinates: give an expression of parameters and t");
    }
    rw_build_result(&b, "rho", n);
    s->varies = true; /* cheap to ask again */
    return rw_build_end(&b, "radius", &s->first);
}

static rw_status build(rw_ode *ode, struct rw_spectral *s)
{
    /* circles do not see what unknowns contribute */
    const bool by_power = ode->radius_power || ode->algebraic;
    s->kind = ode->radius_text ? BY_EXPRESSION : by_power ? BY_POWER : BY_GERSHGORIN;
    if (s->kind == BY_EXPRESSION) return build_expression(ode, s);
    if (s->kind == BY_GERSHGORIN) {
        bool possible = false;
        RW_TRY(rw_circles_create(ode, true, &s->circles, &possible));
        s->varies = s->circles.varies;
        if (possible) return RW_OK;
        rw_stage_free(&s->circles.stage);
        s->kind = BY_POWER;
    }
    s->varies = true;
    return prepare_power(ode, s);
}

static rw_status create(rw_ode *ode)
{
    ode->spectral = rw_calloc(1, sizeof *ode->spectral);
    if (!ode->spectral) return rw_fail_memory(ode->device->ctx, sizeof *ode->spectral, "an integrator");
    rw_status status = build(ode, ode->spectral);
    if (status != RW_OK) rw_spectral_free(ode); /* the next call begins anew */
    return status;
}

rw_status rw_spectral_prepare(rw_ode *ode) { return ode->spectral || ode->radius_text ? RW_OK : create(ode); }

/* The size of perturbations, relative to |y|, which a run with d = 1e-8 measures. */
static rw_status perturbation(rw_ode *ode, struct rw_spectral *s, double *d)
{
    double y;
    rw_stage_set(&s->start, "t", ode->now.t);
    rw_stage_set(&s->start, "d", 1e-8);
    RW_TRY(rw_stage_run(ode, &s->start));
    RW_TRY(rw_expr_get(s->start.expr, "y", &y, NULL));
    bool f32 = ode->fields[0].dtype == RW_F32 || ode->fields[0].dtype == RW_C64;
    *d = (y > 0 ? y : 1) * sqrt(fmax(f32 ? 1.2e-7 : 2.2e-16, rw_algebraic_noise(ode)));
    return RW_OK;
}

/* Estimates of a power iteration. Of a pair of eigenvalues such as those of waves u' = v, v' = L u, whose fields have
 * other scales, every other quotient is far too large and the next one far too small: their geometric mean is the
 * radius. */
typedef struct estimates {
    double quotient[POWER_ITERATIONS];
    int n;
} estimates;

static bool alternates(const estimates *e)
{
    if (e->n < 4) return false;
    const double *q = e->quotient + e->n - 1;
    return (q[0] - q[-1]) * (q[-1] - q[-2]) < 0 && (q[-1] - q[-2]) * (q[-2] - q[-3]) < 0;
}

static double estimate_of(const estimates *e)
{
    const double *q = e->quotient + e->n - 1;
    return alternates(e) ? sqrt(q[0] * q[-1]) : q[0];
}

/* A <- y + w for a rough w of the size of the perturbations. */
static rw_status begin_rough(rw_ode *ode, struct rw_spectral *s)
{
    double d;
    RW_TRY(prepare_power(ode, s));
    RW_TRY(prepare_polynomials(ode, s));
    RW_TRY(perturbation(ode, s, &d));
    rw_stage_set(&s->rough, "t", ode->now.t);
    rw_stage_set(&s->apply, "t", ode->now.t);
    rw_stage_set(&s->rough, "d", d / sqrt(rw_grid_nodes(&ode->grid) * ode->nfields));
    return rw_stage_run(ode, &s->rough);
}

/* Iterations until the estimate changes by `change` of it, from a start along F or from a rough one, which has all
 * eigenvectors: close to the radius, and not above it for long. *paired: eigenvalues +- lambda of fields of different
 * scales. */
static rw_status power(rw_ode *ode, struct rw_spectral *s, double change, bool rough, double *rho, bool *paired)
{
    double norm, along, old = 0, older = 0, d, found[POWER_ITERATIONS];
    estimates e = {.n = 0};
    *rho = 0;
    RW_TRY(prepare_power(ode, s));
    RW_TRY(perturbation(ode, s, &d));
    rw_stage_set(&s->next, "t", ode->now.t);
    rw_stage_set(&s->start, "d", d);
    rw_stage_set(&s->next, "d", d);
    if (rough) RW_TRY(begin_rough(ode, s));
    else RW_TRY(rw_stage_run(ode, &s->start));
    ode->now.stat.rhs += 2;
    ode->now.stat.spectral_rhs += 2;
    *rho = 0;
    s->iterated = true;
    s->along = 0;
    for (int i = 0; i < POWER_ITERATIONS; ++i) {
        RW_TRY(rw_stage_run(ode, &s->next));
        RW_TRY(rw_expr_get(s->next.expr, "norm", &norm, NULL));
        RW_TRY(rw_expr_get(s->next.expr, "along", &along, NULL));
        s->along = norm > 0 ? along / (norm * d) : 0;
        ode->now.stat.rhs += 2;
        ode->now.stat.spectral_rhs += 2;
        if (!isfinite(norm))
            return rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED, "the right-hand side is not finite at t = %.6g",
                           ode->now.t);
        *rho = 0;
        if (norm == 0) break;
        e.quotient[e.n++] = norm / d;
        found[e.n - 1] = *rho = estimate_of(&e);
        /* two estimates in turn may come from one quotient and be equal by chance */
        const double difference = RW_MAX(fabs(*rho - old), alternates(&e) ? fabs(*rho - older) : 0);
        if (i >= 2 && difference <= change * *rho) break;
        older = old;
        old = *rho;
    }
    /* a pair of complex eigenvalues of fields of different scales makes estimates vary about the radius */
    for (int k = 1; rough && norm > 0 && k <= RW_MIN(LATEST, e.n / 2); ++k) *rho = RW_MIN(*rho, found[e.n - k]);
    *rho *= SAFETY;
    *paired = alternates(&e);
    return RW_OK;
}

static rw_stage *first_of(struct rw_spectral *s) { return s->kind == BY_EXPRESSION ? &s->first : &s->circles.stage; }

rw_status rw_spectral_radius(rw_ode *ode, double *rho)
{
    if (!ode->spectral) RW_TRY(create(ode));
    struct rw_spectral *s = ode->spectral;
    bool paired;
    if (s->known && !s->varies) {
        *rho = s->value;
        return RW_OK;
    }
    if (s->kind != BY_POWER) {
        s->iterated = false;
        rw_stage *stage = first_of(s);
        rw_stage_set(stage, "t", ode->now.t);
        RW_TRY(rw_stage_run(ode, stage));
        if (s->kind == BY_EXPRESSION) RW_TRY(rw_expr_get(stage->expr, "rho", rho, NULL));
        else RW_TRY(rw_circles_bound(&s->circles, rho));
        if (s->kind == BY_GERSHGORIN) {
            ode->now.stat.rhs++;
            ode->now.stat.spectral_rhs++;
        }
    }
    if (s->kind == BY_POWER || (s->kind == BY_GERSHGORIN && !isfinite(*rho)))
        RW_TRY(power(ode, s, 0.01, false, rho, &paired));
    if (!isfinite(*rho) || *rho < 0)
        return rw_fail(
            ode->device->ctx, RW_ERR_NOT_CONVERGED,
            "the spectral radius is %g at t = %.6g (%s): the right-hand side or its derivative is not finite", *rho,
            ode->now.t, rw_spectral_kind(ode));
    s->value = *rho;
    s->known = true;
    ode->now.stat.spectral_radius = *rho;
    return RW_OK;
}

rw_status rw_spectral_constant(rw_ode *ode, bool *constant)
{
    rw_circles symbolic;
    bool possible;
    if (!ode->spectral) RW_TRY(create(ode));
    *constant = !ode->spectral->varies;
    if (ode->algebraic) return RW_OK; /* not known */
    if (ode->spectral->kind == BY_GERSHGORIN) return RW_OK;
    RW_TRY(rw_circles_create(ode, false, &symbolic, &possible));
    *constant = possible && !symbolic.varies;
    return RW_OK;
}

bool rw_spectral_is_bound(const rw_ode *ode)
{
    const struct rw_spectral *s = ode->spectral;
    return s && s->known && s->kind == BY_GERSHGORIN && !s->iterated;
}

rw_status rw_spectral_least(rw_ode *ode, double *rho, double *along)
{
    if (!ode->spectral) RW_TRY(create(ode));
    struct rw_spectral *s = ode->spectral;
    const bool iterated = s->iterated;
    const double before = s->along;
    bool paired = false;
    const rw_status status = power(ode, s, 1e-6, true, rho, &paired);
    *rho /= SAFETY;
    *along = paired ? 0 : s->along;
    s->iterated = iterated;
    s->along = before; /* they belong to the value that is in use */
    return status;
}

/* w <- p J w + q w - r w_before; *size = |w| */
static rw_status apply(rw_ode *ode, struct rw_spectral *s, double p, double q, double r, double *size)
{
    rw_stage_set(&s->apply, "p", p);
    rw_stage_set(&s->apply, "q", q);
    rw_stage_set(&s->apply, "r", r);
    RW_TRY(rw_stage_run(ode, &s->apply));
    RW_TRY(rw_expr_get(s->apply.expr, "size", size, NULL));
    rw_ode_exchange(ode, 1, 2);
    ode->now.stat.rhs += 2;
    ode->now.stat.spectral_rhs += 2;
    return RW_OK;
}

/* The radius from below, by power iteration from a rough vector. A start along F may stay close to one wavelength for
 * long. 0: nothing is found. */
static rw_status rough_radius(rw_ode *ode, struct rw_spectral *s, double rho, double *least)
{
    double p = 1 / rho, size, before = 0, sum = 0;
    *least = 0;
    RW_TRY(begin_rough(ode, s));
    for (int i = 0; i < ROUGH_ITERATIONS; ++i, before = size) {
        RW_TRY(apply(ode, s, p, 0, 0, &size));
        if (!isfinite(size) || size == 0) return RW_OK;
        if (i == 0) continue;
        const double estimate = size / before / p;
        if (i >= 2) sum += log(estimate); /* of waves u' = v, v' = L u every other estimate is far too large */
        p = 1 / estimate;
    }
    *least = exp(sum / (ROUGH_ITERATIONS - 2));
    return RW_OK;
}

/* Growth of the polynomials of J on [-rho, RIGHT rho]: *part is the semi-axis along the imaginary axis, over rho. */
static rw_status imaginary_part(rw_ode *ode, struct rw_spectral *s, double rho, double *part)
{
    const double middle = (RIGHT - 1) * rho / 2, half = (RIGHT + 1) * rho / 2;
    double size[POLYNOMIALS + 1] = {0};
    int n = 0;
    RW_TRY(begin_rough(ode, s));
    for (int j = 1; j <= POLYNOMIALS; ++j) {
        const int twice = j > 1 ? 2 : 1;
        RW_TRY(apply(ode, s, twice / half, -twice * middle / half, j > 1, &size[j]));
        if (!isfinite(size[j])) return RW_OK;
        n = j;
        if (j >= 4 && size[j] > 1e4 * size[1]) break; /* beyond that the perturbation is not small */
    }
    const int from = n / 2;
    const double before = RW_MAX(size[from], size[from - 1]), now = RW_MAX(size[n], size[n - 1]);
    const double g = before > 0 ? RW_MAX(pow(now / before, 1.0 / (n - from)), 1) : 1;
    *part = half / rho * (g - 1 / g) / 2;
    return RW_OK;
}

rw_status rw_spectral_probe(rw_ode *ode, double *part, bool *found)
{
    struct rw_spectral *s = ode->spectral;
    double rho = s->value, least, distance = -1;
    *found = false;
    if (s->kind == BY_EXPRESSION || !(rho > 0)) return RW_OK;
    RW_TRY(rough_radius(ode, s, rho, &least));
    if (!(least > 0)) return RW_OK;
    /* circles of badly scaled fields may be much too large, and a power iteration that began smooth too small */
    rho = s->iterated ? RW_MAX(rho, SAFETY * least) : RW_MIN(rho, SAFETY * least);
    RW_TRY(imaginary_part(ode, s, rho, &distance));
    /* no eigenvalue lies farther: what has grown are the perturbation's squares, not the linear part */
    *found = distance >= 0 && distance <= IMPOSSIBLE;
    if (*found) *part = RW_MIN(distance, 1);
    return RW_OK;
}

rw_status rw_spectral_overhang(rw_ode *ode, double *part)
{
    const struct rw_spectral *s = ode->spectral;
    *part = 0;
    if (s->kind == BY_EXPRESSION || !(s->value > 0)) return RW_OK;
    if (s->iterated) {
        *part = 1 + s->along;
        return RW_OK;
    }
    *part = s->circles.right / s->value;
    return RW_OK;
}

rw_status rw_spectral_trace(rw_ode *ode)
{
    if (!ode->spectral) RW_TRY(create(ode));
    bool by_power = ode->spectral->kind == BY_POWER;
    RW_TRY(rw_stage_run(ode, by_power ? &ode->spectral->start : first_of(ode->spectral)));
    return by_power ? rw_stage_run(ode, &ode->spectral->next) : RW_OK;
}

void rw_spectral_forget(rw_ode *ode)
{
    ode->stale = true;
    if (ode->spectral) ode->spectral->known = false;
}

void rw_spectral_free(rw_ode *ode)
{
    if (!ode->spectral) return;
    struct rw_spectral *s = ode->spectral;
    rw_stage *all[] = {&s->first, &s->circles.stage, &s->start, &s->next, &s->rough, &s->apply};
    for (int i = 0; i < RW_COUNT(all); ++i) rw_stage_free(all[i]);
    rw_free(ode->spectral);
    ode->spectral = NULL;
}
