/* Gershgorin's circles: a bound of the spectral radius of the right-hand side's Jacobian.
 *
 * max over all cells and components of  sum |dF_f/du|  over all values u that F_f reads.
 * Derivatives are symbolic, the maximum is one pass over memory. An upper bound for interior rows. Rows
 * at periodic, Dirichlet and (order 2) Neumann sides have no larger sums. A Robin side, a u + b du/dn =
 * c, adds 2 m h |a/b| times the weight of a value m nodes outside. The order-4 ghost values of Neumann
 * and Robin sides raise the radius of the second difference from 5.33 to 7.44 (computed for 8 to 49
 * nodes): the sum is taken 1.4 times. Fields that drive others without being driven by them (data,
 * dk/dt = 0) make the Jacobian block triangular: its eigenvalues are those of the blocks, so that
 * derivatives between blocks do not count.
 * A side that reads fields makes the values beyond it depend on them: the row next to it has, instead of 1 for such a
 * value, the sum of its derivatives.
 * Fields of different scales, as the u and v = du/dt of a wave, make circles much too large. With
 * N_fg = max over all cells of sum |dF_f/du_g|, the row sums of N_fg d_g/d_f are bounds for any
 * positive d, one number per field. Osborne's iteration (J. ACM 7, 1960) balances rows and columns.
 * This bound is used if it is at most half the other one: of a wave equation it is 2/h instead of
 * 4/h^2. */
#include "ode/circles.h"

#include <math.h>
#include <string.h>

enum { MOST_BLOCKS = 36, SWEEPS = 20 };
static const double MUCH_SMALLER = 0.5; /* of a bound */

/* What the values beyond a side with b (Robin) add to its row; 0 for other sides. d: derivatives by l->field. In layout
 * cell the m-th value beyond has the factor (b - a x)/(b + a x) of that inside, x = (m - 1/2) h. */
static rw_node robin_part(rw_graph *g, int field, int side, const rw_leaves *l, const rw_node *d)
{
    rw_graph_field *f = g->fields + field;
    rw_node sum = rw_real(g, 0), a = f->boundary[side].a, b = f->boundary[side].b;
    if (b < 0 || f->boundary[side].reads) return sum;
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
    if (f->boundary[side].given) ratio = rw_make(g, RW_OP_WHERE, OP(EQ, b, rw_real(g, 0)), rw_real(g, 0), ratio);
    return OP(MUL, OP(MUL, rw_spacing(g, side / 2), ratio), sum);
}

/* The node on the side is given, and the one next to it reads it. */
static bool is_value(const rw_graph_side *s) { return s->pins || (s->given && s->kind == RW_BOUNDARY_DIRICHLET); }

/* The m-th value of a field beyond a side, by the formula of order 2, at the node next to the side. */
static rw_node beyond(rw_graph *g, int field, int side, int m)
{
    const rw_graph_side *s = g->fields[field].boundary + side;
    const bool cell = g->layout == RW_GRID_CELL, value = is_value(s);
    const int inwards = side % 2 ? -1 : 1, mirrored = cell ? m - 1 : value ? m - 2 : m;
    const rw_node a = s->given && value ? rw_shift(g, s->a, side / 2, -inwards) : s->a;
    const rw_node h = rw_spacing(g, side / 2);
    int offset[3] = {0};
    const rw_node first = rw_field(g, field, 0, offset);
    if (value && m == 1) return a;
    offset[side / 2] = inwards * mirrored;
    const rw_node u = rw_field(g, field, 0, offset);
    if (s->kind == RW_BOUNDARY_DIRICHLET) return OP(SUB, OP(MUL, rw_real(g, 2), a), u);
    const rw_node across = OP(MUL, rw_real(g, m + mirrored), h);
    if (s->kind == RW_BOUNDARY_NEUMANN) return OP(ADD, u, OP(MUL, across, s->a));
    const rw_node out = cell ? OP(MUL, rw_real(g, m - 0.5), h) : rw_real(g, 0);
    rw_node slope = OP(DIV, OP(SUB, s->c, OP(MUL, s->a, cell ? u : first)), OP(ADD, OP(MUL, s->a, out), s->b));
    if (s->given) slope = rw_make(g, RW_OP_WHERE, OP(EQ, s->b, rw_real(g, 0)), rw_real(g, 0), slope);
    return OP(ADD, u, OP(MUL, across, slope));
}

/* sum |d beyond/du| over values of field `of`; all: -1. */
static rw_node beyond_sum(rw_graph *g, rw_node value, int of)
{
    rw_node sum = rw_real(g, 0);
    rw_leaves l;
    if (!rw_collect_leaves(g, value, -1, &l)) g->failed = true;
    for (int i = 0; i < l.nfields && !g->failed; ++i) {
        const char *problem = NULL;
        if (of >= 0 && g->nodes[l.field[i]].index != of) continue;
        const rw_node d = rw_diff(g, value, l.field[i], &problem);
        if (!problem) sum = OP(ADD, sum, rw_make1(g, RW_OP_ABS, d));
    }
    rw_free(l.field);
    return sum;
}

/* What a side that reads fields adds to the row of the node next to it, 0 in other rows. */
static rw_node reading_part(rw_graph *g, int field, int side, const rw_leaves *l, const rw_node *d, int of)
{
    const int axis = side / 2;
    const rw_grid *grid = &g->grid;
    const rw_graph_side *s = g->fields[field].boundary + side;
    const int in = s->given && is_value(s); /* the node next to the one that is given */
    const double next = (double)(grid->first[axis] + (side % 2 ? grid->size[axis] - 1 - in : in));
    rw_node sum = rw_real(g, 0);
    if (!s->reads) return sum;
    for (int i = 0; i < l->nfields; ++i) {
        const rw_graph_node p = g->nodes[l->field[i]];
        const int m = side % 2 ? p.offset[axis] : -p.offset[axis];
        if (p.index != field || m <= 0) continue;
        rw_node more = beyond_sum(g, beyond(g, field, side, m), of);
        if (of < 0 || of == field) more = OP(MAX, OP(SUB, more, rw_real(g, 1)), rw_real(g, 0));
        sum = OP(ADD, sum, OP(MUL, more, rw_make1(g, RW_OP_ABS, d[i])));
    }
    return rw_make(g, RW_OP_WHERE, OP(EQ, rw_index(g, axis, 0), rw_real(g, next)), sum, rw_real(g, 0));
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
static bool find_blocks(rw_graph *g, int nf, const rw_node *rates, rw_node t, bool *together)
{
    bool ok = true;
    for (int f = 0; f < nf && ok; ++f) {
        rw_leaves l;
        ok = rw_collect_leaves(g, rates[f], t, &l);
        for (int i = 0; i < l.nfields && ok; ++i) {
            const int read = g->nodes[l.field[i]].index;
            together[f * nf + read] = true;
            for (int s = 0; s < 2 * g->grid.ndim && g->fields[read].reads; ++s)
                for (int h = 0; h < nf; ++h) together[f * nf + h] |= rw_side_reads(g, g->fields[read].boundary + s, h);
        }
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
    rw_leaves l;
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
    if (!rw_collect_leaves(g, rate, t, &r->l) || !(r->d = rw_calloc((size_t)RW_MAX(r->l.nfields, 1), sizeof *r->d)))
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
    for (int f = 0; f < g->nfields && g->sides_read; ++f)
        for (int side = 0; side < 2 * g->grid.ndim; ++side)
            sum = OP(ADD, sum, reading_part(g, f, side, &r->l, r->d, of));
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
static void add_circles(rw_building *b, rw_circles *s, bool *together, bool *possible)
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
    rw_leaves l;
    if (!rw_collect_leaves(g, all, t, &l)) g->failed = true;
    s->varies = l.nfields > 0 || l.time;
    s->blocks = blocks ? nf : 0;
    rw_free(l.field);
    add_result(b, "rho", all);
    if (b->ode->ops->chooses) add_result(b, "right", right);
}

rw_status rw_circles_create(rw_ode *ode, bool program, rw_circles *s, bool *possible)
{
    rw_building b;
    const size_t nf = (size_t)ode->nfields;
    bool *together = rw_calloc(nf * nf, sizeof *together);
    if (!together) return rw_fail_memory(ode->device->ctx, nf * nf, "an integrator");
    *s = (rw_circles){0};
    *possible = true;
    rw_build_begin(&b, ode);
    add_circles(&b, s, together, possible);
    rw_free(together);
    return program ? rw_build_end(&b, "gershgorin", &s->stage) : rw_build_drop(&b);
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

static rw_status get_block(const rw_circles *s, const char *kind, int f, int g, double *value)
{
    char name[24];
    *value = 0;
    if (rw_expr_result_index(s->stage.expr, block_name(name, kind, f, g)) < 0) return RW_OK;
    return rw_expr_get(s->stage.expr, name, value, NULL);
}

/* Circles of scaled fields: *rho if they are much smaller, *right if they end earlier. */
static rw_status scale_circles(const rw_circles *s, double *rho, double *right)
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

rw_status rw_circles_bound(rw_circles *s, double *rho)
{
    RW_TRY(rw_expr_get(s->stage.expr, "rho", rho, NULL));
    s->right = *rho;
    if (rw_expr_result_index(s->stage.expr, "right") >= 0) RW_TRY(rw_expr_get(s->stage.expr, "right", &s->right, NULL));
    return s->blocks && isfinite(*rho) ? scale_circles(s, rho, &s->right) : RW_OK;
}
