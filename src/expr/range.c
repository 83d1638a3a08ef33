/* Interval arithmetic on scalars of a graph, and the search for jumps by bisection (range.h).
 *
 * A node's range follows from those of its arguments. Sums, differences, products and quotients of endpoints are
 * monotone in floating point too, so their ranges contain every value that the graph's own arithmetic gives; ranges of
 * library functions are widened by a few units in the last place. */
#include "expr/range.h"

#include <float.h>
#include <math.h>

struct rw_range {
    rw_graph *g;
    rw_node node;
    int param;
    bool bounded;
    rw_node *nodes; /* what `node` depends on, itself last: arguments come before the nodes that use them */
    int n;
    rw_interval *value; /* by position in `nodes` */
    int *position;      /* by node */
};

enum { MOST_EVALUATIONS = 4000 };

static const rw_interval UNKNOWN = {-INFINITY, INFINITY, true};
static const double PI = 3.14159265358979323846;

bool rw_range_is_switch(rw_node_op op)
{
    switch (op) {
    case RW_OP_LT:
    case RW_OP_LE:
    case RW_OP_EQ:
    case RW_OP_NE:
    case RW_OP_FLOOR:
    case RW_OP_SIGN:
    case RW_OP_MOD:
    case RW_OP_MIN:
    case RW_OP_MAX:
    case RW_OP_ABS:
    case RW_OP_TAN:
    case RW_OP_ATAN2: return true;
    default: return false;
    }
}

/* ---- create, destroy --------------------------------------------------------------------------------------------- */

static void mark(const rw_graph *g, rw_node n, bool *used)
{
    if (n < 0 || used[n]) return;
    used[n] = true;
    for (int i = 0; i < rw_ops[g->nodes[n].op].arity; ++i) mark(g, g->nodes[n].arg[i], used);
}

static bool can_bound(const rw_graph *g, rw_node n)
{
    const rw_graph_node *p = g->nodes + n;
    return !p->is_complex && p->op != RW_OP_CALL && p->op != RW_OP_CAST && p->op != RW_OP_STATE &&
           p->op != RW_OP_NOISE && p->op != RW_OP_NORMAL;
}

rw_range *rw_range_create(rw_graph *g, rw_node node, int param)
{
    rw_range *r = rw_calloc(1, sizeof *r);
    bool *used = rw_calloc((size_t)node + 1, sizeof *used);
    bool ok = r && used;
    if (ok) {
        mark(g, node, used);
        *r = (rw_range){.g = g, .node = node, .param = param, .bounded = true};
        for (rw_node n = 0; n <= node; ++n) r->n += used[n];
        r->nodes = rw_calloc((size_t)r->n, sizeof *r->nodes);
        r->value = rw_calloc((size_t)r->n, sizeof *r->value);
        r->position = rw_calloc((size_t)node + 1, sizeof *r->position);
        ok = r->nodes && r->value && r->position;
    }
    for (rw_node n = 0, k = 0; ok && n <= node; ++n) {
        if (!used[n]) continue;
        r->position[n] = k;
        r->nodes[k++] = n;
        if (!can_bound(g, n) && rw_graph_depends(g, n, param)) r->bounded = false;
    }
    rw_free(used);
    if (!ok) rw_range_destroy(&r);
    return r;
}

void rw_range_destroy(rw_range **range)
{
    rw_range *r = *range;
    *range = NULL;
    if (!r) return;
    rw_free(r->nodes);
    rw_free(r->value);
    rw_free(r->position);
    rw_free(r);
}

bool rw_range_is_bounded(const rw_range *r) { return r->bounded; }

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static rw_interval make(double lo, double hi)
{
    if (isnan(lo) || isnan(hi)) return UNKNOWN;
    return (rw_interval){lo, hi, false};
}

static rw_interval point(double x) { return make(x, x); }
static bool is_point(rw_interval a) { return !a.nan && a.lo == a.hi; }

/* Of values that differ from the library's by a few units in the last place. */
static rw_interval widened(double lo, double hi)
{
    double a = 4 * DBL_EPSILON;
    return make(lo - a * fabs(lo), hi + a * fabs(hi));
}

static rw_interval corners(double a, double b, double c, double d)
{
    if (isnan(a) || isnan(b) || isnan(c) || isnan(d)) return UNKNOWN;
    return make(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static rw_interval absolute(rw_interval a)
{
    double lo = fabs(a.lo), hi = fabs(a.hi);
    return make(a.lo <= 0 && a.hi >= 0 ? 0 : fmin(lo, hi), fmax(lo, hi));
}

static rw_interval multiply(rw_interval a, rw_interval b)
{
    return corners(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi);
}

static rw_interval divide(rw_interval a, rw_interval b)
{
    if (b.lo <= 0 && b.hi >= 0) return UNKNOWN;
    return corners(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi);
}

/* Of positive bases: monotone in both. */
static rw_interval power(rw_interval a, rw_interval b)
{
    if (is_point(a) && is_point(b)) return point(pow(a.lo, b.lo));
    if (!(a.lo > 0)) return UNKNOWN;
    rw_interval r = corners(pow(a.lo, b.lo), pow(a.lo, b.hi), pow(a.hi, b.lo), pow(a.hi, b.hi));
    return r.nan ? r : widened(r.lo, r.hi);
}

/* sin(x + shift) */
static rw_interval sine(rw_interval x, double shift)
{
    if (!(fabs(x.lo) < 1e15 && fabs(x.hi) < 1e15)) return make(-1, 1);
    double slack = 4e-16 * fmax(1, fmax(fabs(x.lo), fabs(x.hi)));
    double a = x.lo + shift - slack, b = x.hi + shift + slack;
    if (b - a >= 2 * PI) return make(-1, 1);
    double top = PI / 2 + 2 * PI * ceil((a - PI / 2) / (2 * PI)),
           bottom = -PI / 2 + 2 * PI * ceil((a + PI / 2) / (2 * PI));
    double y = shift ? cos(x.lo) : sin(x.lo), z = shift ? cos(x.hi) : sin(x.hi);
    rw_interval r = widened(fmin(y, z), fmax(y, z));
    return make(bottom <= b ? -1 : fmax(r.lo, -1), top <= b ? 1 : fmin(r.hi, 1));
}

static rw_interval tangent(rw_interval x)
{
    double slack = 4e-16 * fmax(1, fmax(fabs(x.lo), fabs(x.hi)));
    if (!(fabs(x.lo) < 1e15 && fabs(x.hi) < 1e15) ||
        floor((x.lo - slack) / PI + 0.5) != floor((x.hi + slack) / PI + 0.5))
        return UNKNOWN;
    return widened(tan(x.lo), tan(x.hi));
}

/* floor(x/b) that belongs to the remainder r. */
static double quotient(double x, double b, double r) { return round((x - r) / b); }

static double mod(double x, double b)
{
    double out[2];
    rw_apply(RW_OP_MOD, (const double[2][2]){{x, 0}, {b, 0}}, false, out);
    return out[0];
}

static rw_interval quotients(rw_interval x, rw_interval b)
{
    if (!is_point(b) || !(fabs(b.lo) > 0)) return UNKNOWN;
    double p = quotient(x.lo, b.lo, mod(x.lo, b.lo)), q = quotient(x.hi, b.lo, mod(x.hi, b.lo));
    return corners(p, q, p, q);
}

static rw_interval remainders(rw_interval x, rw_interval b)
{
    rw_interval q = quotients(x, b);
    if (is_point(q)) return make(mod(x.lo, b.lo), mod(x.hi, b.lo));
    if (b.nan || (b.lo <= 0 && b.hi >= 0) || x.nan || isinf(x.lo) || isinf(x.hi)) return UNKNOWN;
    return b.lo > 0 ? make(0, b.hi) : make(b.lo, 0);
}

static rw_interval truth(bool can_be_false, bool can_be_true)
{
    return make(can_be_false ? 0 : 1, can_be_true ? 1 : 0);
}

static bool is_zero(rw_interval a) { return !a.nan && a.lo == 0 && a.hi == 0; }
static bool has_zero(rw_interval a) { return a.nan || (a.lo <= 0 && a.hi >= 0); }
static bool is_true(rw_interval a) { return !has_zero(a); } /* NaN is not 0: only comparisons of it are */

static rw_interval hull(rw_interval a, rw_interval b)
{
    if (a.nan || b.nan) return UNKNOWN;
    return make(fmin(a.lo, b.lo), fmax(a.hi, b.hi));
}

static rw_interval compare(rw_node_op op, rw_interval a, rw_interval b)
{
    if (a.nan || b.nan) return truth(true, true);
    switch (op) {
    case RW_OP_LT: return truth(!(a.hi < b.lo), a.lo < b.hi);
    case RW_OP_LE: return truth(!(a.hi <= b.lo), a.lo <= b.hi);
    case RW_OP_EQ: return truth(!(is_point(a) && is_point(b) && a.lo == b.lo), a.lo <= b.hi && b.lo <= a.hi);
    default: return truth(a.lo <= b.hi && b.lo <= a.hi, !(is_point(a) && is_point(b) && a.lo == b.lo));
    }
}

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static rw_interval logical(rw_node_op op, rw_interval a, rw_interval b)
{
    switch (op) {
    case RW_OP_AND: return truth(has_zero(a) || has_zero(b), !is_zero(a) && !is_zero(b));
    case RW_OP_OR: return truth(has_zero(a) && has_zero(b), !is_zero(a) || !is_zero(b));
    default: return truth(!is_zero(a), has_zero(a));
    }
}

static rw_interval function(rw_node_op op, rw_interval a, rw_interval b)
{
    if (a.nan || b.nan) return UNKNOWN;
    switch (op) {
    case RW_OP_ADD: return make(a.lo + b.lo, a.hi + b.hi);
    case RW_OP_SUB: return make(a.lo - b.hi, a.hi - b.lo);
    case RW_OP_MUL: return multiply(a, b);
    case RW_OP_DIV: return divide(a, b);
    case RW_OP_NEG: return make(-a.hi, -a.lo);
    case RW_OP_POW: return power(a, b);
    case RW_OP_MIN: return make(fmin(a.lo, b.lo), fmin(a.hi, b.hi));
    case RW_OP_MAX: return make(fmax(a.lo, b.lo), fmax(a.hi, b.hi));
    case RW_OP_MOD: return remainders(a, b);
    case RW_OP_ABS: return absolute(a);
    case RW_OP_SIGN: return make(sign(a.lo), sign(a.hi));
    case RW_OP_FLOOR: return make(floor(a.lo), floor(a.hi));
    case RW_OP_REAL:
    case RW_OP_CONJ: return a;
    case RW_OP_IMAG: return point(0);
    case RW_OP_HYPOT:
        a = absolute(a);
        b = absolute(b);
        return widened(hypot(a.lo, b.lo), hypot(a.hi, b.hi));
    case RW_OP_ATAN2: {
        if (!(b.lo > 0)) return widened(-PI, PI);
        rw_interval r = corners(atan2(a.lo, b.lo), atan2(a.lo, b.hi), atan2(a.hi, b.lo), atan2(a.hi, b.hi));
        return widened(r.lo, r.hi);
    }
    case RW_OP_SQRT: return a.lo < 0 ? UNKNOWN : make(sqrt(a.lo), sqrt(a.hi));
    case RW_OP_CBRT: return widened(cbrt(a.lo), cbrt(a.hi));
    case RW_OP_EXP: return widened(exp(a.lo), exp(a.hi));
    case RW_OP_LOG: return a.lo < 0 ? UNKNOWN : widened(log(a.lo), log(a.hi));
    case RW_OP_EXP2: return widened(exp2(a.lo), exp2(a.hi));
    case RW_OP_LOG2: return a.lo < 0 ? UNKNOWN : widened(log2(a.lo), log2(a.hi));
    case RW_OP_LOG10: return a.lo < 0 ? UNKNOWN : widened(log10(a.lo), log10(a.hi));
    case RW_OP_SIN: return sine(a, 0);
    case RW_OP_COS: return sine(a, PI / 2);
    case RW_OP_TAN: return tangent(a);
    case RW_OP_ASIN: return a.lo < -1 || a.hi > 1 ? UNKNOWN : widened(asin(a.lo), asin(a.hi));
    case RW_OP_ACOS: return a.lo < -1 || a.hi > 1 ? UNKNOWN : widened(acos(a.hi), acos(a.lo));
    case RW_OP_ATAN: return widened(atan(a.lo), atan(a.hi));
    case RW_OP_SINH: return widened(sinh(a.lo), sinh(a.hi));
    case RW_OP_COSH: a = absolute(a); return widened(cosh(a.lo), cosh(a.hi));
    case RW_OP_TANH: return widened(tanh(a.lo), tanh(a.hi));
    case RW_OP_ASINH: return widened(asinh(a.lo), asinh(a.hi));
    case RW_OP_ACOSH: return a.lo < 1 ? UNKNOWN : widened(acosh(a.lo), acosh(a.hi));
    case RW_OP_ATANH: return a.lo < -1 || a.hi > 1 ? UNKNOWN : widened(atanh(a.lo), atanh(a.hi));
    case RW_OP_ERF: return widened(erf(a.lo), erf(a.hi));
    case RW_OP_ERFC: return widened(erfc(a.hi), erfc(a.lo));
    default: return UNKNOWN;
    }
}

static rw_interval value_of(const rw_range *r, rw_node n, double lo, double hi)
{
    const rw_graph_node *p = r->g->nodes + n;
    rw_interval a[3] = {{0, 0, false}, {0, 0, false}, {0, 0, false}};
    if (p->op == RW_OP_CONST) return p->im == 0 ? point(p->re) : UNKNOWN;
    if (p->op == RW_OP_PARAM && p->index == r->param) return make(lo, hi);
    if (p->op == RW_OP_PARAM) return p->is_complex ? UNKNOWN : point(r->g->params[p->index].re);
    if (!can_bound(r->g, n)) return UNKNOWN;
    for (int i = 0; i < rw_ops[p->op].arity; ++i) a[i] = r->value[r->position[p->arg[i]]];
    switch ((rw_node_op)p->op) {
    case RW_OP_LT:
    case RW_OP_LE:
    case RW_OP_EQ:
    case RW_OP_NE: return compare((rw_node_op)p->op, a[0], a[1]);
    case RW_OP_AND:
    case RW_OP_OR:
    case RW_OP_NOT: return logical((rw_node_op)p->op, a[0], a[1]);
    case RW_OP_WHERE: return is_true(a[0]) ? a[1] : is_zero(a[0]) ? a[2] : hull(a[1], a[2]);
    case RW_OP_MUL:
        if (p->arg[0] == p->arg[1] && !a[0].nan) a[0] = a[1] = absolute(a[0]);
        break; /* a square */
    default: break;
    }
    return function((rw_node_op)p->op, a[0], a[1]);
}

rw_interval rw_range_of(rw_range *r, double lo, double hi)
{
    for (int i = 0; i < r->n; ++i) r->value[i] = value_of(r, r->nodes[i], lo, hi);
    return r->value[r->n - 1];
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */

/* A switch is on one of its branches, which have numbers, and jumps or bends from one to the next: between comparisons
 * of min, max and abs, periods of mod and tan, quadrants of atan2. Of the others the value is the number. */
static bool value_is_branch(rw_node_op op)
{
    return op != RW_OP_MOD && op != RW_OP_MIN && op != RW_OP_MAX && op != RW_OP_ABS && op != RW_OP_TAN &&
           op != RW_OP_ATAN2;
}

static rw_interval branches(rw_node_op op, rw_interval a, rw_interval b)
{
    const rw_interval zero = point(0);
    switch (op) {
    case RW_OP_MOD: return quotients(a, b);
    case RW_OP_MIN: return compare(RW_OP_LT, a, b);
    case RW_OP_MAX: return compare(RW_OP_LT, b, a);
    case RW_OP_ABS: return compare(RW_OP_LT, a, zero);
    case RW_OP_TAN: return a.nan ? UNKNOWN : make(floor(a.lo / PI + 0.5), floor(a.hi / PI + 0.5));
    default: { /* atan2: a/b with b > 0 in one piece */
        rw_interval left = compare(RW_OP_LT, b, zero), lower = compare(RW_OP_LT, a, zero);
        return is_zero(left) ? zero : make(left.lo + 2 * lower.lo, left.hi + 2 * lower.hi);
    }
    }
}

static double branch_at(rw_range *r, double t)
{
    double value[3][2];
    const rw_graph_node *p = r->g->nodes + r->node;
    const rw_node_op op = (rw_node_op)p->op;
    rw_graph_param *param = r->g->params + r->param;
    double kept = param->re;
    param->re = t;
    rw_graph_scalar(r->g, r->node, &value[2][0], &value[2][1]);
    for (int i = 0; i < rw_ops[op].arity && !value_is_branch(op); ++i)
        rw_graph_scalar(r->g, p->arg[i], &value[i][0], &value[i][1]);
    param->re = kept;
    if (value_is_branch(op)) return value[2][0];
    if (op == RW_OP_MOD) return quotient(value[0][0], value[1][0], value[2][0]);
    return branches(op, point(value[0][0]), rw_ops[op].arity > 1 ? point(value[1][0]) : UNKNOWN).lo;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Proves that the switch stays as it is in [lo, hi]. */
static bool is_constant(rw_range *r, double lo, double hi)
{
    const rw_graph_node *p = r->g->nodes + r->node;
    const rw_node_op op = (rw_node_op)p->op;
    rw_interval v = rw_range_of(r, lo, hi), a[2] = {UNKNOWN, UNKNOWN};
    if (value_is_branch(op)) return is_point(v);
    for (int i = 0; i < rw_ops[op].arity; ++i) a[i] = r->value[r->position[p->arg[i]]];
    return is_point(branches(op, a[0], a[1]));
}

bool rw_range_jumps(rw_range *r, double here, double there) { return !same(branch_at(r, here), branch_at(r, there)); }

void rw_range_bisect(rw_range *r, double *before, double *after)
{
    double branch = branch_at(r, *before);
    for (double middle; (middle = *before + (*after - *before) / 2) > *before && middle < *after;)
        if (same(branch_at(r, middle), branch)) *before = middle;
        else *after = middle;
}

typedef struct search {
    rw_range *r;
    double finest; /* width below which ends alone are compared: rounding errors of the library's functions */
    int evaluations;
    double before, after;
} search;

/* In (lo, hi]; up to lo the switch stays as it is. */
static rw_range_answer find(search *s, double lo, double hi)
{
    s->before = lo;
    s->after = hi;
    if (++s->evaluations > MOST_EVALUATIONS) return RW_RANGE_UNDECIDED;
    if (hi - lo > s->finest) {
        double middle = lo + (hi - lo) / 2;
        if (is_constant(s->r, lo, hi)) return RW_RANGE_NONE;
        rw_range_answer first = find(s, lo, middle);
        return first == RW_RANGE_NONE ? find(s, middle, hi) : first;
    }
    if (!rw_range_jumps(s->r, lo, hi)) return RW_RANGE_NONE;
    rw_range_bisect(s->r, &s->before, &s->after);
    return RW_RANGE_FOUND;
}

rw_range_answer rw_range_next(rw_range *r, double from, double until, double *before, double *after)
{
    search s = {.r = r, .finest = 8 * DBL_EPSILON * fmax(fabs(from), fabs(until))};
    if (!(until > from)) return RW_RANGE_NONE;
    rw_range_answer answer = find(&s, from, until);
    *before = s.before;
    *after = s.after;
    return answer;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { TEXT_LENGTH = 60 };

typedef struct writer {
    const rw_graph *g;
    rw_range_name *name_of;
    void *user;
    rw_text *text;
    size_t most;
} writer;

/* Of an integrator's parameters, which begin with #, the times of a step's ends are both t. */
static void write_parameter(const char *name, rw_text *text)
{
    if (name[0] == '#' && name[1] == 't' && name[2] >= '0' && name[2] <= '9') rw_text_add(text, "t");
    else rw_text_add(text, "%s", name + (name[0] == '#'));
}

/* A neighbour's value as u[1, 0]. */
static void write_field(const writer *w, const rw_graph_node *p)
{
    const char *name = w->name_of ? w->name_of(w->user, p->index) : w->g->fields[p->index].name;
    rw_text_add(w->text, "%s", name);
    if (!p->offset[0] && !p->offset[1] && !p->offset[2]) return;
    for (int d = 0; d < w->g->grid.ndim; ++d) rw_text_add(w->text, "%s%d", d ? ", " : "[", p->offset[d]);
    rw_text_add(w->text, "]");
}

static void write_node(const writer *w, rw_node n)
{
    static const char *const sign_of[RW_OP_COUNT] =
        {[RW_OP_ADD] = " + ", [RW_OP_SUB] = " - ", [RW_OP_MUL] = "*",   [RW_OP_DIV] = "/",     [RW_OP_LT] = " < ",
         [RW_OP_LE] = " <= ", [RW_OP_EQ] = " == ", [RW_OP_NE] = " != ", [RW_OP_AND] = " and ", [RW_OP_OR] = " or "};
    const rw_graph_node *p = w->g->nodes + n;
    int arity = rw_ops[p->op].arity;
    if (w->text->length > w->most) return;
    if (p->op == RW_OP_CONST) rw_text_add(w->text, p->im == 0 ? "%g" : "(%g+%gi)", p->re, p->im);
    else if (p->op == RW_OP_PARAM) write_parameter(w->g->params[p->index].name, w->text);
    else if (p->op == RW_OP_COORD) rw_text_add(w->text, "%c", "xyz"[p->index]);
    else if (p->op == RW_OP_FIELD) write_field(w, p);
    else if (sign_of[p->op]) {
        rw_text_add(w->text, "(");
        write_node(w, p->arg[0]);
        rw_text_add(w->text, "%s", sign_of[p->op]);
        write_node(w, p->arg[1]);
        rw_text_add(w->text, ")");
    } else {
        const rw_graph_function *f = p->op == RW_OP_CALL ? w->g->functions + p->index : NULL;
        rw_text_add(w->text, "%s(",
                    f                    ? f->name
                    : p->op == RW_OP_NEG ? "-"
                    : p->op == RW_OP_NOT ? "not "
                                         : rw_ops[p->op].word);
        if (f) arity = f->arguments;
        for (int i = 0; i < arity; ++i) {
            if (i) rw_text_add(w->text, ", ");
            write_node(w, p->arg[i]);
        }
        rw_text_add(w->text, ")");
    }
}

void rw_range_node_text(const rw_graph *g, rw_node n, rw_range_name *name_of, void *user, rw_text *text)
{
    const writer w = {g, name_of, user, text, text->length + TEXT_LENGTH};
    write_node(&w, n);
    if (text->length > w.most) rw_text_add(text, "...");
}

void rw_range_text(const rw_range *r, rw_text *text) { rw_range_node_text(r->g, r->node, NULL, NULL, text); }
