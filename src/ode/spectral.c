/* The spectral radius of the right-hand side's Jacobian: a stabilised method needs it to choose its stages.
 *
 *   expression    the user's own, of parameters and t
 *   Gershgorin    max over all cells and components of  sum |dF_f/du|  over all values u that F_f reads. The
 *                                                       derivatives
 *                 are symbolic, the maximum one pass over memory. An upper bound for interior rows. Rows at periodic,
 *                 Dirichlet and (order 2) Neumann sides have no larger sums. A Robin side, a u + b du/dn = c, adds
 *                 2 m h |a/b| times the weight of a value m nodes outside. The order-4 ghost values of Neumann and
 *                 Robin sides raise the radius of the second difference from 5.33 to 7.44 (computed for 8 to 49 nodes):
 *                 the sum is taken 1.4 times. Fields that drive others without being driven by them (data, dk/dt = 0)
 *                 make the Jacobian block triangular: its eigenvalues are those of the blocks, so that derivatives
 *                 between blocks do not count.
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

#include "ode/ode.h"

typedef enum radius_kind { BY_EXPRESSION, BY_GERSHGORIN, BY_POWER } radius_kind;

struct rw_spectral {
    radius_kind kind;
    bool varies;
    rw_stage first;        /* of the expression, of Gershgorin's circles */
    rw_stage start, next;  /* of the power iteration; built when first used */
    rw_stage rough, apply; /* of Chebyshev's polynomials: likewise */
    double value;          /* when it does not vary */
    bool known;
    bool iterated; /* the value comes from the power iteration … */
    double along;  /* … whose last step turned the vector by the angle of this cosine */
};

enum { POWER_ITERATIONS = 50, ROUGH_ITERATIONS = 10, POLYNOMIALS = 16 };
static const double SAFETY = 1.2;
static const double RIGHT = 0.2; /* growth that a stabilised method follows, over the radius */

const char *rw_spectral_kind(const rw_ode *ode)
{
    static const char *const names[] = {"the given expression", "Gershgorin's circles", "power iteration"};
    const struct rw_spectral *s = ode->spectral;
    return s ? names[s->iterated ? BY_POWER : s->kind] : "not yet known";
}

bool rw_spectral_varies(const rw_ode *ode) { return !ode->spectral || ode->spectral->varies; }

/* Leaves that the node depends on: accesses to fields, and whether the given scalar occurs. */
typedef struct leaves {
    bool *seen;
    rw_node *field;
    int nfields, capacity;
    bool time;
    rw_node t;
    bool failed;
} leaves;

static void collect(const rw_graph *g, rw_node n, leaves *l)
{
    if (n < 0 || l->seen[n]) return;
    l->seen[n] = true;
    const rw_graph_node *p = g->nodes + n;
    if (n == l->t) l->time = true;
    if (p->op == RW_OP_FIELD) {
        if (!rw_grow(&l->field, &l->capacity, l->nfields + 1, sizeof *l->field)) l->failed = true;
        else l->field[l->nfields++] = n;
    }
    for (int i = 0; i < rw_ops[p->op].arity; ++i) collect(g, p->arg[i], l);
}

static bool collect_leaves(const rw_graph *g, rw_node n, rw_node t, leaves *l)
{
    memset(l, 0, sizeof *l);
    l->t = t;
    l->seen = rw_calloc((size_t)g->n, 1);
    if (l->seen) collect(g, n, l);
    bool ok = l->seen && !l->failed;
    rw_free(l->seen);
    return ok;
}

/* What the values beyond a Robin side add to its row; 0 for other sides. d: derivatives by l->field. */
static rw_node robin_part(rw_graph *g, int field, int side, const leaves *l, const rw_node *d)
{
    rw_graph_field *f = g->fields + field;
    rw_node sum = rw_real(g, 0), a = f->boundary[side].a, b = f->boundary[side].b;
    if (f->boundary[side].kind != RW_BOUNDARY_ROBIN) return sum;
    for (int i = 0; i < l->nfields; ++i) {
        rw_graph_node p = g->nodes[l->field[i]];
        int m = side % 2 ? p.offset[side / 2] : -p.offset[side / 2];
        if (p.index != field || m <= 0) continue;
        sum = OP(ADD, sum, OP(MUL, rw_real(g, 2.0 * m), rw_make1(g, RW_OP_ABS, d[i])));
    }
    rw_node ratio = rw_make1(g, RW_OP_ABS, OP(DIV, a, b));
    return OP(MUL, OP(MUL, rw_spacing(g, side / 2), ratio), sum);
}

/* True when some side has order-4 ghost values of a slope. */
static bool has_slopes(const rw_graph *g)
{
    for (int f = 0; f < g->nfields; ++f)
        for (int side = 0; side < 2 * g->grid.ndim; ++side) {
            rw_boundary_kind kind = g->fields[f].boundary[side].kind;
            if (kind == RW_BOUNDARY_NEUMANN || kind == RW_BOUNDARY_ROBIN) return true;
        }
    return false;
}

/* together[f nf + g]: f and g drive each other, perhaps through others. False: no memory. */
static bool find_blocks(const rw_graph *g, int nf, const rw_node *rates, rw_node t, bool *together)
{
    bool ok = true;
    for (int f = 0; f < nf && ok; ++f) {
        leaves l;
        ok = collect_leaves(g, rates[f], t, &l);
        for (int i = 0; i < l.nfields && ok; ++i) together[f * nf + g->nodes[l.field[i]].index] = true;
        rw_free(l.field);
    }
    for (int k = 0; k < nf; ++k) /* Warshall */
        for (int f = 0; f < nf; ++f)
            for (int h = 0; h < nf && together[f * nf + k]; ++h)
                together[f * nf + h] = together[f * nf + h] || together[k * nf + h];
    for (int f = 0; f < nf; ++f)
        for (int h = f; h < nf; ++h) {
            const bool both = f == h || (together[f * nf + h] && together[h * nf + f]);
            together[f * nf + h] = together[h * nf + f] = both;
        }
    return ok;
}

/* sum |dF/du| over the fields of F's block as a node; -1 when a part has no derivative. */
static rw_node row_sum(rw_graph *g, rw_node rate, rw_node t, const bool *together)
{
    leaves l;
    rw_node sum = rw_real(g, 0), *d = NULL;
    const char *problem = NULL;
    if (!collect_leaves(g, rate, t, &l) || !(d = rw_calloc((size_t)RW_MAX(l.nfields, 1), sizeof *d))) g->failed = true;
    for (int i = 0; i < l.nfields && !problem && !g->failed; ++i) {
        if (!together[g->nodes[l.field[i]].index]) d[i] = rw_real(g, 0);
        else d[i] = rw_diff(g, rate, l.field[i], &problem);
        if (!problem) sum = OP(ADD, sum, rw_make1(g, RW_OP_ABS, d[i]));
    }
    for (int f = 0; f < g->nfields; ++f) /* no cell lies at both sides of an axis */
        for (int axis = 0; axis < g->grid.ndim && !problem && !g->failed; ++axis)
            sum = OP(ADD, sum, OP(MAX, robin_part(g, f, 2 * axis, &l, d), robin_part(g, f, 2 * axis + 1, &l, d)));
    rw_free(l.field), rw_free(d);
    if (problem) return -1;
    if (g->failed) return 0;
    return g->order == 4 && has_slopes(g) ? OP(MUL, rw_real(g, 1.4), sum) : sum;
}

/* Where the row's circle ends on the right: the derivative by its own value instead of that derivative's modulus. */
static rw_node right_end(rw_graph *g, rw_node sum, rw_node rate, rw_node own)
{
    const char *problem = NULL;
    rw_node d = rw_diff(g, rate, own, &problem);
    if (problem || g->failed) return sum;
    rw_node size = rw_make1(g, RW_OP_ABS, d);
    if (g->nodes[d].is_complex) d = rw_make1(g, RW_OP_REAL, d);
    return OP(ADD, OP(SUB, sum, size), d);
}

static void add_result(rw_building *b, const char *name, rw_node n)
{
    if (b->status == RW_OK)
        rw_build_result(b, name, b->graph->nodes[n].is_field ? rw_reduce(b->graph, RW_REDUCE_MAX, n) : n);
}

static rw_status build_gershgorin(rw_ode *ode, struct rw_spectral *s, bool *possible)
{
    rw_building b;
    const int nf = ode->nfields;
    rw_node *rates = rw_calloc((size_t)nf, sizeof *rates), all = -1, right = -1, t;
    bool *together = rw_calloc((size_t)nf * (size_t)nf, sizeof *together);
    if (!rates || !together) {
        rw_free(rates), rw_free(together);
        return rw_fail_memory(ode->device->ctx, (size_t)nf * sizeof *rates, "an integrator");
    }
    *possible = true;
    rw_build_begin(&b, ode);
    t = rw_build_scalar(&b, "t");
    rw_build_vector(&b, 0, t);
    rw_build_rates(&b, 0, rates);
    if (b.status == RW_OK && !find_blocks(b.graph, nf, rates, t, together)) b.graph->failed = true;
    for (int f = 0; f < nf && b.status == RW_OK && *possible; ++f) {
        rw_node sum = row_sum(b.graph, rates[f], t, together + f * nf);
        if (sum < 0) *possible = false;
        if (sum < 0) continue;
        rw_node end = right_end(b.graph, sum, rates[f], rw_build_value(&b, 0, f));
        all = all < 0 ? sum : rw_make2(b.graph, RW_OP_MAX, all, sum);
        right = right < 0 ? end : rw_make2(b.graph, RW_OP_MAX, right, end);
    }
    rw_free(rates), rw_free(together);
    if (b.status == RW_OK && *possible) {
        leaves l;
        if (!collect_leaves(b.graph, all, t, &l)) b.graph->failed = true;
        s->varies = l.nfields > 0 || l.time;
        rw_free(l.field);
        add_result(&b, "rho", all);
        if (ode->ops == &rw_auto_ops) add_result(&b, "right", right);
    }
    return rw_build_end(&b, "gershgorin", &s->first);
}

/* start: A = y + (d/|F|) F(y);  next: v = F(A) - F(y), rho = |v|/d, A = y + (d/|v|) v */
static rw_status build_power(rw_ode *ode, struct rw_spectral *s)
{
    rw_context *ctx = ode->device->ctx;
    size_t nf = (size_t)ode->nfields;
    rw_node *f0 = rw_calloc(2 * nf, sizeof *f0);
    if (!f0) return rw_fail_memory(ctx, nf * sizeof *f0, "an integrator");
    rw_node *f1 = f0 + nf;
    rw_status status = RW_OK;
    for (int which = 0; which < 2 && status == RW_OK; ++which) {
        rw_building b;
        rw_build_begin(&b, ode);
        rw_node t = rw_build_scalar(&b, "t"), d = rw_build_scalar(&b, "d");
        for (int v = 0; v < (which ? 3 : 2); ++v) rw_build_vector(&b, v, t);
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
    rw_free(f0);
    return status;
}

static rw_status prepare_power(rw_ode *ode, struct rw_spectral *s)
{
    if (s->next.expr) return RW_OK;
    rw_status status = build_power(ode, s);
    if (status != RW_OK) rw_stage_free(&s->start), rw_stage_free(&s->next); /* the next call begins anew */
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
static rw_status build_rough(rw_ode *ode, rw_node *rates, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), d = rw_build_scalar(&b, "d");
    for (int v = 0; v < 3; ++v) rw_build_vector(&b, v, t);
    rw_build_rates(&b, 0, rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        leaves l;
        if (!collect_leaves(g, rates[f], t, &l)) g->failed = true;
        rw_node y = rw_build_value(&b, 0, f);
        rw_build_store(&b, 1, f, l.nfields ? OP(ADD, y, OP(MUL, d, roughness(ode, g))) : y);
        rw_build_store(&b, 2, f, y);
        rw_free(l.field);
    }
    return rw_build_end(&b, "spectrum_start", stage);
}

/* apply: B = y + p (F(A) - F(y)) + q (A - y) - r (B - y); size: |B - y| */
static rw_status build_apply(rw_ode *ode, rw_node *f0, rw_stage *stage)
{
    rw_node *f1 = f0 + ode->nfields, sum = 0;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), p = rw_build_scalar(&b, "p"), q = rw_build_scalar(&b, "q"),
            r = rw_build_scalar(&b, "r");
    for (int v = 0; v < 3; ++v) rw_build_vector(&b, v, t);
    rw_build_rates(&b, 0, f0), rw_build_rates(&b, 1, f1);
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
    rw_node *nodes = rw_calloc(2 * (size_t)ode->nfields, sizeof *nodes);
    if (!nodes) return rw_fail_memory(ode->device->ctx, (size_t)ode->nfields * sizeof *nodes, "an integrator");
    rw_status status = build_rough(ode, nodes, &s->rough);
    if (status == RW_OK) status = build_apply(ode, nodes, &s->apply);
    rw_free(nodes);
    if (status != RW_OK) rw_stage_free(&s->rough), rw_stage_free(&s->apply); /* the next call begins anew */
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
    s->kind = ode->radius_text ? BY_EXPRESSION : ode->radius_power ? BY_POWER : BY_GERSHGORIN;
    if (s->kind == BY_EXPRESSION) return build_expression(ode, s);
    if (s->kind == BY_GERSHGORIN) {
        bool possible = false;
        RW_TRY(build_gershgorin(ode, s, &possible));
        if (possible) return RW_OK;
        rw_stage_free(&s->first);
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
    rw_stage_set(&s->start, "t", ode->t), rw_stage_set(&s->start, "d", 1e-8);
    RW_TRY(rw_stage_run(ode, &s->start));
    RW_TRY(rw_expr_get(s->start.expr, "y", &y, NULL));
    bool f32 = ode->fields[0].dtype == RW_F32 || ode->fields[0].dtype == RW_C64;
    *d = (y > 0 ? y : 1) * sqrt(f32 ? 1.2e-7 : 2.2e-16);
    return RW_OK;
}

/* Until the estimate changes by `change` of it. */
static rw_status power(rw_ode *ode, struct rw_spectral *s, double change, double *rho)
{
    double norm, along, old = 0, d;
    RW_TRY(prepare_power(ode, s));
    RW_TRY(perturbation(ode, s, &d));
    rw_stage_set(&s->next, "t", ode->t);
    rw_stage_set(&s->start, "d", d), rw_stage_set(&s->next, "d", d);
    RW_TRY(rw_stage_run(ode, &s->start));
    ode->stat.rhs += 2, ode->stat.spectral_rhs += 2;
    *rho = 0, s->iterated = true, s->along = 0;
    for (int i = 0; i < POWER_ITERATIONS; ++i) {
        RW_TRY(rw_stage_run(ode, &s->next));
        RW_TRY(rw_expr_get(s->next.expr, "norm", &norm, NULL));
        RW_TRY(rw_expr_get(s->next.expr, "along", &along, NULL));
        s->along = norm > 0 ? along / (norm * d) : 0;
        ode->stat.rhs += 2, ode->stat.spectral_rhs += 2;
        if (!isfinite(norm))
            return rw_fail(ode->device->ctx, RW_ERR_NOT_CONVERGED, "the right-hand side is not finite at t = %.6g",
                           ode->t);
        *rho = norm / d;
        if (norm == 0 || (i >= 2 && fabs(*rho - old) <= change * *rho)) break;
        old = *rho;
    }
    *rho *= SAFETY;
    return RW_OK;
}

rw_status rw_spectral_radius(rw_ode *ode, double *rho)
{
    if (!ode->spectral) RW_TRY(create(ode));
    struct rw_spectral *s = ode->spectral;
    if (s->known && !s->varies) {
        *rho = s->value;
        return RW_OK;
    }
    if (s->kind != BY_POWER) {
        s->iterated = false;
        rw_stage_set(&s->first, "t", ode->t);
        RW_TRY(rw_stage_run(ode, &s->first));
        RW_TRY(rw_expr_get(s->first.expr, "rho", rho, NULL));
        if (s->kind == BY_GERSHGORIN) ode->stat.rhs++, ode->stat.spectral_rhs++;
    }
    if (s->kind == BY_POWER || (s->kind == BY_GERSHGORIN && !isfinite(*rho))) RW_TRY(power(ode, s, 0.01, rho));
    if (!isfinite(*rho) || *rho < 0)
        return rw_fail(
            ode->device->ctx, RW_ERR_NOT_CONVERGED,
            "the spectral radius is %g at t = %.6g (%s): the right-hand side or its derivative is not finite", *rho,
            ode->t, rw_spectral_kind(ode));
    s->value = *rho, s->known = true;
    ode->stat.spectral_radius = *rho;
    return RW_OK;
}

rw_status rw_spectral_least(rw_ode *ode, double *rho)
{
    if (!ode->spectral) RW_TRY(create(ode));
    RW_TRY(power(ode, ode->spectral, 0.001, rho));
    *rho /= SAFETY;
    return RW_OK;
}

/* A <- y + w for a rough w of the size of the perturbations. */
static rw_status begin_rough(rw_ode *ode, struct rw_spectral *s)
{
    double d;
    RW_TRY(prepare_power(ode, s));
    RW_TRY(prepare_polynomials(ode, s));
    RW_TRY(perturbation(ode, s, &d));
    rw_stage_set(&s->rough, "t", ode->t), rw_stage_set(&s->apply, "t", ode->t);
    rw_stage_set(&s->rough, "d", d / sqrt(rw_grid_nodes(&ode->grid) * ode->nfields));
    return rw_stage_run(ode, &s->rough);
}

/* w <- p J w + q w - r w_before; *size = |w| */
static rw_status apply(rw_ode *ode, struct rw_spectral *s, double p, double q, double r, double *size)
{
    rw_stage_set(&s->apply, "p", p), rw_stage_set(&s->apply, "q", q), rw_stage_set(&s->apply, "r", r);
    RW_TRY(rw_stage_run(ode, &s->apply));
    RW_TRY(rw_expr_get(s->apply.expr, "size", size, NULL));
    rw_ode_exchange(ode, 1, 2);
    ode->stat.rhs += 2, ode->stat.spectral_rhs += 2;
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

rw_status rw_spectral_probe(rw_ode *ode, double *part)
{
    struct rw_spectral *s = ode->spectral;
    double rho = s->value, least;
    if (s->kind == BY_EXPRESSION || !(rho > 0)) return RW_OK;
    RW_TRY(rough_radius(ode, s, rho, &least));
    if (!(least > 0)) return RW_OK;
    /* circles of badly scaled fields may be much too large, and a power iteration that began smooth too small */
    rho = s->iterated ? RW_MAX(rho, SAFETY * least) : RW_MIN(rho, SAFETY * least);
    return imaginary_part(ode, s, rho, part);
}

rw_status rw_spectral_overhang(rw_ode *ode, double *part)
{
    const struct rw_spectral *s = ode->spectral;
    double right;
    *part = 0;
    if (s->kind == BY_EXPRESSION || !(s->value > 0)) return RW_OK;
    if (s->iterated) {
        *part = 1 + s->along;
        return RW_OK;
    }
    RW_TRY(rw_expr_get(s->first.expr, "right", &right, NULL));
    *part = right / s->value;
    return RW_OK;
}

rw_status rw_spectral_trace(rw_ode *ode)
{
    if (!ode->spectral) RW_TRY(create(ode));
    bool by_power = ode->spectral->kind == BY_POWER;
    RW_TRY(rw_stage_run(ode, by_power ? &ode->spectral->start : &ode->spectral->first));
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
    rw_stage_free(&ode->spectral->first), rw_stage_free(&ode->spectral->start), rw_stage_free(&ode->spectral->next);
    rw_stage_free(&ode->spectral->rough), rw_stage_free(&ode->spectral->apply);
    rw_free(ode->spectral);
    ode->spectral = NULL;
}
