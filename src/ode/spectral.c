/* The spectral radius of the right-hand side's Jacobian: a stabilised method needs it to choose its stages.
 *
 *   expression    the user's own, of parameters and t
 *   Gershgorin    max over all cells and components of  sum |dF_f/du|  over all values u that F_f reads.
 *                 Derivatives are symbolic, the maximum is one pass over memory. An upper bound for interior rows. Rows
 *                 at periodic, Dirichlet and (order 2) Neumann sides have no larger sums. A Robin side, a u + b du/dn =
 *                 c, adds 2 m h |a/b| times the weight of a value m nodes outside. The order-4 ghost values of Neumann
 *                 and Robin sides raise the radius of the second difference from 5.33 to 7.44 (computed for 8 to 49
 *                 nodes): the sum is taken 1.4 times. Fields that drive others without being driven by them (data,
 *                 dk/dt = 0) make the Jacobian block triangular: its eigenvalues are those of the blocks, so that
 *                 derivatives between blocks do not count.
 *                 Fields of different scales, as the u and v = du/dt of a wave, make circles much too large. With
 *                 N_fg = max over all cells of sum |dF_f/du_g|, the row sums of N_fg d_g/d_f are bounds for any
 *                 positive d, one number per field. Osborne's iteration (J. ACM 7, 1960) balances rows and columns.
 *                 This bound is used if it is at most half the other one: of a wave equation it is 2/h instead of
 *                 4/h^2.
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
    int blocks;    /* fields, if circles of scaled fields are found too; 0 */
    double right;  /* where the circles end on the right; of AUTO */
};

enum { MOST_BLOCKS = 36, SWEEPS = 20, POWER_ITERATIONS = 50, LATEST = 8, ROUGH_ITERATIONS = 10, POLYNOMIALS = 16 };
static const double SAFETY = 1.2;
static const double MUCH_SMALLER = 0.5; /* of a bound */
static const double IMPOSSIBLE = 2;     /* distance from the real axis, over the radius: twice, since it is estimated */
static const double RIGHT = 0.2;        /* growth that a stabilised method follows, over the radius */

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
    if (p->op == RW_OP_FIELD && !g->fields[p->index].external) {
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

/* What the values beyond a side with b (Robin) add to its row; 0 for other sides. d: derivatives by l->field. In layout
 * cell the m-th value beyond has the factor (b - a x)/(b + a x) of that inside, x = (m - 1/2) h. */
static rw_node robin_part(rw_graph *g, int field, int side, const leaves *l, const rw_node *d)
{
    rw_graph_field *f = g->fields + field;
    rw_node sum = rw_real(g, 0), a = f->boundary[side].a, b = f->boundary[side].b;
    if (b < 0) return sum;
    for (int i = 0; i < l->nfields; ++i) {
        rw_graph_node p = g->nodes[l->field[i]];
        int m = side % 2 ? p.offset[side / 2] : -p.offset[side / 2];
        if (p.index != field || m <= 0) continue;
        rw_node more = rw_real(g, 2.0 * m);
        if (g->layout == RW_GRID_CELL) {
            const rw_node ax = OP(MUL, OP(MUL, rw_real(g, m - 0.5), rw_spacing(g, side / 2)), a);
            const rw_node factor = rw_make1(g, RW_OP_ABS, OP(DIV, OP(SUB, b, ax), OP(ADD, b, ax)));
            more = OP(MAX, OP(SUB, factor, rw_real(g, 1)), rw_real(g, 0));
        }
        sum = OP(ADD, sum, OP(MUL, more, rw_make1(g, RW_OP_ABS, d[i])));
    }
    if (g->layout == RW_GRID_CELL) return sum;
    rw_node ratio = rw_make1(g, RW_OP_ABS, OP(DIV, a, b));
    return OP(MUL, OP(MUL, rw_spacing(g, side / 2), ratio), sum);
}

/* True when some side has order-4 ghost values of a slope. */
static bool has_slopes(const rw_graph *g)
{
    for (int f = 0; f < g->nfields; ++f)
        for (int side = 0; side < 2 * g->grid.ndim; ++side)
            if (!g->fields[f].external && g->fields[f].boundary[side].slope) return true;
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

/* Derivatives of a rate by the values that it reads; 0 for fields of other blocks. */
typedef struct row {
    leaves l;
    rw_node *d;
    bool possible; /* false: a part has no derivative */
} row;

static void free_row(row *r)
{
    rw_free(r->l.field);
    rw_free(r->d);
}

static void differentiate(rw_graph *g, rw_node rate, rw_node t, const bool *together, row *r)
{
    const char *problem = NULL;
    *r = (row){.possible = true};
    if (!collect_leaves(g, rate, t, &r->l) || !(r->d = rw_calloc((size_t)RW_MAX(r->l.nfields, 1), sizeof *r->d)))
        g->failed = true;
    for (int i = 0; i < r->l.nfields && !problem && !g->failed; ++i)
        r->d[i] = together[g->nodes[r->l.field[i]].index] ? rw_diff(g, rate, r->l.field[i], &problem) : rw_real(g, 0);
    r->possible = !problem;
}

/* sum |dF/du| over the values of field `of`; of all fields: -1. */
static rw_node row_sum(rw_graph *g, const row *r, int of)
{
    rw_node sum = rw_real(g, 0);
    for (int i = 0; i < r->l.nfields; ++i)
        if (of < 0 || g->nodes[r->l.field[i]].index == of) sum = OP(ADD, sum, rw_make1(g, RW_OP_ABS, r->d[i]));
    for (int f = 0; f < g->nfields; ++f) /* no cell lies at both sides of an axis */
        for (int axis = 0; axis < g->grid.ndim && (of < 0 || of == f) && !g->fields[f].external; ++axis)
            sum = OP(ADD, sum,
                     OP(MAX, robin_part(g, f, 2 * axis, &r->l, r->d), robin_part(g, f, 2 * axis + 1, &r->l, r->d)));
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

static const char *block_name(char name[24], const char *kind, int f, int g)
{
    snprintf(name, 24, "%s%d_%d", kind, f, g);
    return name;
}

/* Fields that drive each other in both directions. */
static bool has_couplings(int nf, const bool *together)
{
    bool any = false;
    for (int f = 0; f < nf; ++f)
        for (int g = 0; g < f; ++g) any = any || together[f * nf + g];
    return any;
}

/* N_fg of a row, and where the circle of N_ff alone ends on the right. */
static void add_blocks(rw_building *b, int f, const row *r, rw_node rate, const bool *together)
{
    const rw_ode *ode = b->ode;
    char name[24];
    for (int g = 0; g < ode->nfields && b->status == RW_OK; ++g)
        if (together[g]) add_result(b, block_name(name, "n", f, g), row_sum(b->graph, r, g));
    if (!ode->ops->chooses || b->status != RW_OK) return;
    const rw_node own = row_sum(b->graph, r, f), end = right_end(b->graph, own, rate, rw_build_value(b, 0, f));
    add_result(b, block_name(name, "r", f, f), end);
}

/* The graph's results; s->varies. */
static void add_circles(rw_building *b, struct rw_spectral *s, bool *together, bool *possible)
{
    const int nf = b->ode->nfields;
    rw_node all = -1, right = -1, t = rw_build_scalar(b, "t"), *rates = b->node[0];
    rw_build_vector(b, 0, t);
    rw_build_rates(b, 0, rates);
    rw_graph *g = b->graph;
    if (b->status == RW_OK && !find_blocks(g, nf, rates, t, together)) g->failed = true;
    const bool blocks = nf * nf <= MOST_BLOCKS && has_couplings(nf, together);
    for (int f = 0; f < nf && b->status == RW_OK && *possible && !g->failed; ++f) {
        row r;
        differentiate(g, rates[f], t, together + f * nf, &r);
        *possible = r.possible;
        if (*possible && !g->failed) {
            rw_node sum = row_sum(g, &r, -1), end = right_end(g, sum, rates[f], rw_build_value(b, 0, f));
            all = all < 0 ? sum : OP(MAX, all, sum);
            right = right < 0 ? end : OP(MAX, right, end);
            if (blocks) add_blocks(b, f, &r, rates[f], together + f * nf);
        }
        free_row(&r);
    }
    if (b->status != RW_OK || !*possible || g->failed) return;
    leaves l;
    if (!collect_leaves(g, all, t, &l)) g->failed = true;
    s->varies = l.nfields > 0 || l.time;
    s->blocks = blocks ? nf : 0;
    rw_free(l.field);
    add_result(b, "rho", all);
    if (b->ode->ops->chooses) add_result(b, "right", right);
}

/* `stage` NULL: no program is wanted. */
static rw_status build_gershgorin(rw_ode *ode, struct rw_spectral *s, rw_stage *stage, bool *possible)
{
    rw_building b;
    const size_t nf = (size_t)ode->nfields;
    bool *together = rw_calloc(nf * nf, sizeof *together);
    if (!together) return rw_fail_memory(ode->device->ctx, nf * nf, "an integrator");
    *possible = true;
    rw_build_begin(&b, ode);
    add_circles(&b, s, together, possible);
    rw_free(together);
    return stage ? rw_build_end(&b, "gershgorin", stage) : rw_build_drop(&b);
}

/* Entries between fields that do not drive each other at this state are dropped: N is block triangular there. */
static void drop_one_way(double *n, int nf)
{
    bool reach[MOST_BLOCKS];
    for (int i = 0; i < nf * nf; ++i) reach[i] = n[i] > 0;
    for (int k = 0; k < nf; ++k)
        for (int f = 0; f < nf; ++f)
            for (int g = 0; g < nf && reach[f * nf + k]; ++g) reach[f * nf + g] |= reach[k * nf + g];
    for (int f = 0; f < nf; ++f)
        for (int g = 0; g < nf; ++g)
            if (f != g && !(reach[f * nf + g] && reach[g * nf + f])) n[f * nf + g] = 0;
}

/* n <- n_fg d_g/d_f with rows and columns of equal sums, nearly. */
static void balance(double *n, int nf)
{
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int f = 0; f < nf; ++f) {
            double along_row = 0, along_column = 0;
            for (int g = 0; g < nf; ++g)
                if (g != f) {
                    along_row += n[f * nf + g];
                    along_column += n[g * nf + f];
                }
            if (!(along_row > 0 && along_column > 0)) continue;
            const double factor = sqrt(along_column / along_row);
            for (int g = 0; g < nf; ++g)
                if (g != f) {
                    n[f * nf + g] *= factor;
                    n[g * nf + f] /= factor;
                }
        }
}

static rw_status get_block(const struct rw_spectral *s, const char *kind, int f, int g, double *value)
{
    char name[24];
    *value = 0;
    if (rw_expr_result_index(s->first.expr, block_name(name, kind, f, g)) < 0) return RW_OK;
    return rw_expr_get(s->first.expr, name, value, NULL);
}

/* Circles of scaled fields: *rho if they are much smaller, *right if they end earlier. */
static rw_status scale_circles(const struct rw_spectral *s, double *rho, double *right)
{
    const int nf = s->blocks;
    double n[MOST_BLOCKS], largest = 0, end = -INFINITY;
    for (int f = 0; f < nf; ++f)
        for (int g = 0; g < nf; ++g) RW_TRY(get_block(s, "n", f, g, n + f * nf + g));
    drop_one_way(n, nf);
    balance(n, nf);
    for (int f = 0; f < nf; ++f) {
        double others = 0, own_end;
        for (int g = 0; g < nf; ++g) others += g != f ? n[f * nf + g] : 0;
        RW_TRY(get_block(s, "r", f, f, &own_end));
        largest = RW_MAX(largest, n[f * nf + f] + others);
        end = RW_MAX(end, own_end + others);
    }
    if (largest <= MUCH_SMALLER * *rho) *rho = largest;
    *right = RW_MIN(*right, end);
    return RW_OK;
}

/* Bound by the circles at the present state. */
static rw_status by_circles(struct rw_spectral *s, double *rho)
{
    RW_TRY(rw_expr_get(s->first.expr, "rho", rho, NULL));
    s->right = *rho;
    if (rw_expr_result_index(s->first.expr, "right") >= 0) RW_TRY(rw_expr_get(s->first.expr, "right", &s->right, NULL));
    return s->blocks && isfinite(*rho) ? scale_circles(s, rho, &s->right) : RW_OK;
}

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
    s->kind = ode->radius_text ? BY_EXPRESSION : ode->radius_power ? BY_POWER : BY_GERSHGORIN;
    if (s->kind == BY_EXPRESSION) return build_expression(ode, s);
    if (s->kind == BY_GERSHGORIN) {
        bool possible = false;
        RW_TRY(build_gershgorin(ode, s, &s->first, &possible));
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
    rw_stage_set(&s->start, "t", ode->now.t);
    rw_stage_set(&s->start, "d", 1e-8);
    RW_TRY(rw_stage_run(ode, &s->start));
    RW_TRY(rw_expr_get(s->start.expr, "y", &y, NULL));
    bool f32 = ode->fields[0].dtype == RW_F32 || ode->fields[0].dtype == RW_C64;
    *d = (y > 0 ? y : 1) * sqrt(f32 ? 1.2e-7 : 2.2e-16);
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
        rw_stage_set(&s->first, "t", ode->now.t);
        RW_TRY(rw_stage_run(ode, &s->first));
        if (s->kind == BY_EXPRESSION) RW_TRY(rw_expr_get(s->first.expr, "rho", rho, NULL));
        else RW_TRY(by_circles(s, rho));
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
    struct rw_spectral symbolic = {.varies = true};
    bool possible;
    if (!ode->spectral) RW_TRY(create(ode));
    *constant = !ode->spectral->varies;
    if (ode->spectral->kind == BY_GERSHGORIN) return RW_OK;
    RW_TRY(build_gershgorin(ode, &symbolic, NULL, &possible));
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
    *part = s->right / s->value;
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
    struct rw_spectral *s = ode->spectral;
    rw_stage *all[] = {&s->first, &s->start, &s->next, &s->rough, &s->apply};
    for (int i = 0; i < RW_COUNT(all); ++i) rw_stage_free(all[i]);
    rw_free(ode->spectral);
    ode->spectral = NULL;
}
