/* Symbolic derivative of a graph with respect to one leaf, by the chain rule, node by node; the makers fold and
 * share. */
#include <math.h>
#include <string.h>

#include "expr/graph.h"

typedef struct diff_state {
    rw_graph *g;
    rw_node leaf;
    rw_node *done;
    int n;
    const char *problem;
} diff_state;

static rw_node diff(diff_state *s, rw_node n);

#define M1(op, a) rw_make1(g, RW_OP_##op, a)
#define M2(op, a, b) rw_make2(g, RW_OP_##op, a, b)
#define K(v) rw_real(g, v)

/* f'(a) for functions of one argument; -1 when there is none. */
static rw_node outer(rw_graph *g, rw_node_op op, rw_node n, rw_node a)
{
    switch (op) {
    case RW_OP_SQRT: return M2(DIV, K(0.5), n);
    case RW_OP_CBRT: return M2(DIV, K(1. / 3), M2(MUL, n, n));
    case RW_OP_EXP: return n;
    case RW_OP_LOG: return M2(DIV, K(1), a);
    case RW_OP_EXP2: return M2(MUL, K(log(2.)), n);
    case RW_OP_LOG2: return M2(DIV, K(1 / log(2.)), a);
    case RW_OP_LOG10: return M2(DIV, K(1 / log(10.)), a);
    case RW_OP_SIN: return M1(COS, a);
    case RW_OP_COS: return M1(NEG, M1(SIN, a));
    case RW_OP_TAN: return M2(ADD, K(1), M2(MUL, n, n));
    case RW_OP_ASIN: return M2(DIV, K(1), M1(SQRT, M2(SUB, K(1), M2(MUL, a, a))));
    case RW_OP_ACOS: return M2(DIV, K(-1), M1(SQRT, M2(SUB, K(1), M2(MUL, a, a))));
    case RW_OP_ATAN: return M2(DIV, K(1), M2(ADD, K(1), M2(MUL, a, a)));
    case RW_OP_SINH: return M1(COSH, a);
    case RW_OP_COSH: return M1(SINH, a);
    case RW_OP_TANH: return M2(SUB, K(1), M2(MUL, n, n));
    case RW_OP_ASINH: return M2(DIV, K(1), M1(SQRT, M2(ADD, M2(MUL, a, a), K(1))));
    case RW_OP_ACOSH: return M2(DIV, K(1), M1(SQRT, M2(SUB, M2(MUL, a, a), K(1))));
    case RW_OP_ATANH: return M2(DIV, K(1), M2(SUB, K(1), M2(MUL, a, a)));
    case RW_OP_ERFC: return M2(MUL, K(-2 / sqrt(acos(-1.))), M1(EXP, M1(NEG, M2(MUL, a, a))));
    case RW_OP_ERF: return M2(MUL, K(2 / sqrt(acos(-1.))), M1(EXP, M1(NEG, M2(MUL, a, a))));
    case RW_OP_ABS: return g->nodes[a].is_complex ? -1 : M1(SIGN, a);
    case RW_OP_SIGN:
    case RW_OP_FLOOR: return K(0);
    default: return -1;
    }
}

/* outer * inner, and 0 where the inner derivative is 0: there an infinite slope (of sqrt, cbrt, asin, a power at its
 * end) must not give 0*inf. */
static rw_node chain(rw_graph *g, rw_node outer, rw_node inner)
{
    return rw_make(g, RW_OP_WHERE, M2(EQ, inner, K(0)), K(0), M2(MUL, outer, inner));
}

/* Some place may make it infinite. */
static bool has_pole(const rw_graph *g, rw_node n, int depth)
{
    const rw_graph_node *p = g->nodes + n;
    bool pole = depth == 0 || p->op == RW_OP_POW || p->op == RW_OP_LOG || p->op == RW_OP_LOG2 || p->op == RW_OP_LOG10 ||
                p->op == RW_OP_TAN || (p->op == RW_OP_DIV && g->nodes[p->arg[1]].op != RW_OP_CONST);
    for (int i = 0; i < rw_ops[p->op].arity && !pole; ++i) pole = has_pole(g, p->arg[i], depth - 1);
    return pole;
}

/* a db of the product rule: u sqrt(u) has the derivative 0 at 0. */
static rw_node term(rw_graph *g, rw_node a, rw_node db)
{
    rw_node product = M2(MUL, a, db);
    return g->failed || !has_pole(g, db, 12) ? product : rw_make(g, RW_OP_WHERE, M2(EQ, a, K(0)), K(0), product);
}

static bool has_infinite_slope(rw_node_op op)
{
    return op == RW_OP_SQRT || op == RW_OP_CBRT || op == RW_OP_ASIN || op == RW_OP_ACOS || op == RW_OP_LOG ||
           op == RW_OP_LOG2 || op == RW_OP_LOG10 || op == RW_OP_ACOSH || op == RW_OP_ATANH;
}

/* d(a^b) = b a^(b-1) da + a^b log(a) db. At a = 0 the second term is 0 where b > 0, since 0^b is 0 for all such b. */
static rw_node diff_power(diff_state *s, rw_node n, rw_node a, rw_node b)
{
    rw_graph *g = s->g;
    rw_node da = diff(s, a), db = diff(s, b);
    rw_node one = chain(g, M2(MUL, b, M2(POW, a, M2(SUB, b, K(1)))), da);
    if (rw_is_const(g, db, 0)) return one;
    rw_node by_exponent = chain(g, M2(MUL, n, M1(LOG, a)), db);
    if (!g->nodes[a].is_complex && !g->nodes[b].is_complex)
        by_exponent = rw_make(g, RW_OP_WHERE, M2(AND, M2(EQ, a, K(0)), M2(LT, K(0), b)), K(0), by_exponent);
    return M2(ADD, one, by_exponent);
}

/* (a da + b db)/|(a, b)|; 0 where both are 0, as the derivative of abs. */
static rw_node diff_hypot(diff_state *s, rw_node n, rw_node a, rw_node b)
{
    rw_graph *g = s->g;
    rw_node sum = M2(ADD, M2(MUL, M2(DIV, a, n), diff(s, a)), M2(MUL, M2(DIV, b, n), diff(s, b)));
    return rw_make(g, RW_OP_WHERE, M2(EQ, n, K(0)), K(0), sum);
}

static rw_node diff_op(diff_state *s, rw_node n)
{
    rw_graph *g = s->g;
    rw_graph_node p = g->nodes[n];
    rw_node a = p.arg[0], b = p.arg[1], c = p.arg[2];
    switch ((rw_node_op)p.op) {
    case RW_OP_ADD: return M2(ADD, diff(s, a), diff(s, b));
    case RW_OP_SUB: return M2(SUB, diff(s, a), diff(s, b));
    case RW_OP_MUL: return M2(ADD, term(g, b, diff(s, a)), term(g, a, diff(s, b)));
    case RW_OP_DIV: return M2(DIV, M2(SUB, diff(s, a), M2(MUL, n, diff(s, b))), b);
    case RW_OP_NEG: return M1(NEG, diff(s, a));
    case RW_OP_POW: return diff_power(s, n, a, b);
    case RW_OP_WHERE: return rw_make(g, RW_OP_WHERE, a, diff(s, b), diff(s, c));
    case RW_OP_MIN: return rw_make(g, RW_OP_WHERE, M2(LT, a, b), diff(s, a), diff(s, b));
    case RW_OP_MAX: return rw_make(g, RW_OP_WHERE, M2(LT, b, a), diff(s, a), diff(s, b));
    case RW_OP_MOD: return M2(SUB, diff(s, a), M2(MUL, M1(FLOOR, M2(DIV, a, b)), diff(s, b)));
    case RW_OP_HYPOT: return diff_hypot(s, n, a, b);
    case RW_OP_ATAN2:
        return M2(DIV, M2(SUB, M2(MUL, b, diff(s, a)), M2(MUL, a, diff(s, b))), M2(ADD, M2(MUL, a, a), M2(MUL, b, b)));
    case RW_OP_REAL:
    case RW_OP_IMAG:
    case RW_OP_CONJ: /* right for a real variable only */
        if (g->nodes[s->leaf].is_complex) break;
        return rw_make1(g, (rw_node_op)p.op, diff(s, a));
    case RW_OP_LT:
    case RW_OP_LE:
    case RW_OP_EQ:
    case RW_OP_NE:
    case RW_OP_AND:
    case RW_OP_OR:
    case RW_OP_NOT:
    case RW_OP_NOISE:
    case RW_OP_NORMAL: return K(0);
    case RW_OP_CAST: return rw_dtype_is_integer((rw_dtype)p.index) || p.index == RW_BOOL ? K(0) : diff(s, a);
    case RW_OP_CALL:
        for (int i = 0; i < 3; ++i)
            if (!rw_is_const(g, diff(s, p.arg[i]), 0)) s->problem = g->functions[p.index].name;
        return K(0);
    default: break;
    }
    rw_node da = diff(s, a);
    if (rw_is_const(g, da, 0)) return da;
    rw_node d = p.op == RW_OP_REDUCE ? -1 : outer(g, (rw_node_op)p.op, n, a);
    if (d < 0) {
        s->problem = p.op == RW_OP_REDUCE ? "a reduction" : rw_ops[p.op].word;
        return K(0);
    }
    return has_infinite_slope((rw_node_op)p.op) ? chain(g, d, da) : M2(MUL, d, da);
}

static rw_node diff(diff_state *s, rw_node n)
{
    if (s->g->failed) return 0;
    if (n == s->leaf) return rw_real(s->g, 1);
    if (rw_ops[s->g->nodes[n].op].arity == 0) return rw_real(s->g, 0);
    if (n < s->n && s->done[n] >= 0) return s->done[n];
    rw_node d = diff_op(s, n);
    if (n < s->n) s->done[n] = d;
    return d;
}

rw_node rw_diff(rw_graph *g, rw_node n, rw_node leaf, const char **problem)
{
    diff_state s = {g, leaf, NULL, g->n, NULL};
    *problem = NULL;
    if (g->failed || !(s.done = rw_calloc((size_t)g->n, sizeof *s.done))) {
        g->failed = true;
        return 0;
    }
    memset(s.done, -1, (size_t)g->n * sizeof *s.done);
    rw_node d = diff(&s, n);
    rw_free(s.done);
    *problem = s.problem;
    return s.problem ? -1 : d;
}
