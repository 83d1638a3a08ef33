/* Sums as linear forms. y + c*(10*((u_e - 2*u + u_w)/hx^2 + …) + v - 3*v) becomes a*(u_e - 2*u + u_w) + … + b*v + y
 * with scalars a, b that the host computes: every term once, one multiply-add each. What is the same along a row counts
 * as a scalar: X(x)*Y(y)*a + X(x)*Z(y)*b, of a source that is a product, becomes X(x)*(a*Y(y) + b*Z(y)), one
 * multiply-add a cell.
 *
 * Differences, sums whose plain numbers add up to 0, stay together, and come before what is not small: else terms as
 * large as u/h^2 would be rounded where their difference is small. A sum that several others use is opened only when it
 * is short. */
#include "expr/graph.h"

#include <string.h>

enum { SHORT = 12 };

typedef struct term {
    rw_node node;   /* -1: the scalar alone */
    rw_node factor; /* -1: the term is in another's group */
    bool difference;
} term;

typedef struct form {
    term *terms;
    int n, capacity;
} form;

typedef struct rewriting {
    rw_graph *g;
    int *uses;     /* by node: other nodes below the root that use it */
    rw_node *done; /* by node: as rewritten, -1 not yet */
} rewriting;

/* The same along a row: a scalar, or a function of y and z, which is computed once a row. */
static bool is_scalar(const rw_graph *g, rw_node n)
{
    return !g->nodes[n].reduced && !(g->nodes[n].depends & (RW_ON_COORD | RW_ON_FIELD));
}

static void count_uses(rewriting *r, rw_node n)
{
    if (n < 0 || r->uses[n]++) return;
    for (int i = 0; i < rw_ops[r->g->nodes[n].op].arity; ++i) count_uses(r, r->g->nodes[n].arg[i]);
}

/* ADD, SUB, NEG, a product with a scalar: what a form is made of. Sums of integers stay as they are. */
static bool is_linear(const rw_graph *g, rw_node n)
{
    const rw_graph_node *p = g->nodes + n;
    if (p->integer) return false;
    if (p->op == RW_OP_ADD || p->op == RW_OP_SUB || p->op == RW_OP_NEG) return true;
    return p->op == RW_OP_MUL && (is_scalar(g, p->arg[0]) || is_scalar(g, p->arg[1]));
}

/* Terms of the sum, as far as *budget goes. */
static void count_terms(const rw_graph *g, rw_node n, int *budget)
{
    if (*budget < 0 || is_scalar(g, n)) return;
    if (!is_linear(g, n)) --*budget;
    else
        for (int i = 0; i < rw_ops[g->nodes[n].op].arity; ++i) count_terms(g, g->nodes[n].arg[i], budget);
}

/* The sum of a sum's plain factors; false when it has others, or a scalar of its own. */
static bool add_factors(const rw_graph *g, rw_node n, double factor, double *sum)
{
    const rw_graph_node *p = g->nodes + n;
    if (is_scalar(g, n)) return false;
    if (!is_linear(g, n)) {
        *sum += factor;
        return true;
    }
    if (p->op == RW_OP_MUL) {
        int which = is_scalar(g, p->arg[0]) ? 0 : 1;
        const rw_graph_node *scalar = g->nodes + p->arg[which];
        return scalar->op == RW_OP_CONST && !scalar->is_complex &&
               add_factors(g, p->arg[1 - which], factor * scalar->re, sum);
    }
    if (!add_factors(g, p->arg[0], p->op == RW_OP_NEG ? -factor : factor, sum)) return false;
    return p->op == RW_OP_NEG || add_factors(g, p->arg[1], p->op == RW_OP_SUB ? -factor : factor, sum);
}

static bool is_difference(const rw_graph *g, rw_node n)
{
    double sum = 0;
    return is_linear(g, n) && add_factors(g, n, 1, &sum) && sum == 0;
}

static bool is_opened(const rewriting *r, rw_node n)
{
    int budget = SHORT;
    if (!is_linear(r->g, n)) return false;
    if (r->uses[n] > 1) count_terms(r->g, n, &budget);
    return budget >= 0;
}

static void add_term(rewriting *r, form *f, rw_node node, rw_node factor, bool difference)
{
    for (int i = 0; i < f->n; ++i)
        if (f->terms[i].node == node) {
            f->terms[i].factor = rw_make2(r->g, RW_OP_ADD, f->terms[i].factor, factor);
            return;
        }
    if (!rw_grow(&f->terms, &f->capacity, f->n + 1, sizeof *f->terms)) {
        r->g->failed = true;
        return;
    }
    f->terms[f->n++] = (term){node, factor, difference};
}

static rw_node rewrite(rewriting *r, rw_node n);

static void collect(rewriting *r, form *f, rw_node n, rw_node factor, bool root)
{
    rw_graph *g = r->g;
    if (g->failed) return;
    rw_graph_node p = g->nodes[n];
    if (is_scalar(g, n)) add_term(r, f, -1, rw_make2(g, RW_OP_MUL, factor, n), false);
    else if (!root && is_difference(g, n)) add_term(r, f, rewrite(r, n), factor, true);
    else if (!root && !is_opened(r, n)) add_term(r, f, rewrite(r, n), factor, false);
    else if (p.op == RW_OP_MUL) {
        int which = is_scalar(g, p.arg[0]) ? 0 : 1;
        collect(r, f, p.arg[1 - which], rw_make2(g, RW_OP_MUL, factor, p.arg[which]), false);
    } else {
        rw_node minus = p.op == RW_OP_ADD ? factor : rw_make1(g, RW_OP_NEG, factor);
        collect(r, f, p.arg[0], p.op == RW_OP_NEG ? minus : factor, false);
        if (p.op != RW_OP_NEG) collect(r, f, p.arg[1], minus, false);
    }
}

/* All terms with the factor of term `first`, or its negative, as one sum times the factor. */
static rw_node take_group(rw_graph *g, form *f, int first)
{
    rw_node factor = f->terms[first].factor, minus = rw_make1(g, RW_OP_NEG, factor), sum = f->terms[first].node;
    for (int i = first + 1; i < f->n; ++i) {
        if (f->terms[i].node < 0 || (f->terms[i].factor != factor && f->terms[i].factor != minus)) continue;
        if (f->terms[i].difference != f->terms[first].difference) continue;
        sum = rw_make2(g, f->terms[i].factor == factor ? RW_OP_ADD : RW_OP_SUB, sum, f->terms[i].node);
        f->terms[i].factor = -1;
    }
    return rw_make2(g, RW_OP_MUL, sum, factor);
}

/* Differences first, then what has a factor, then the rest: so small terms meet before they are added to a large
 * one. */
static rw_node build(rewriting *r, form *f)
{
    rw_graph *g = r->g;
    rw_node sum = rw_real(g, 0), scalar = sum;
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < f->n && !g->failed; ++i) {
            const term *t = f->terms + i;
            bool whole = t->factor >= 0 && (rw_is_const(g, t->factor, 1) || rw_is_const(g, t->factor, -1));
            if (t->factor < 0 || (round == 0 && !t->difference) || (round == 1 && whole)) continue;
            if (t->node < 0) scalar = t->factor;
            else sum = rw_make2(g, RW_OP_ADD, sum, take_group(g, f, i));
            f->terms[i].factor = -1;
        }
    return rw_make2(g, RW_OP_ADD, sum, scalar);
}

static rw_node rewrite(rewriting *r, rw_node n)
{
    rw_graph *g = r->g;
    if (n < 0 || g->failed || !g->nodes[n].is_field || !rw_ops[g->nodes[n].op].arity) return n;
    if (r->done[n] >= 0) return r->done[n];
    rw_graph_node p = g->nodes[n];
    rw_node result;
    if (is_linear(g, n)) {
        form f = {0};
        collect(r, &f, n, rw_real(g, 1), true);
        result = build(r, &f);
        rw_free(f.terms);
    } else {
        rw_node arg[3];
        for (int i = 0; i < 3; ++i) arg[i] = rewrite(r, p.arg[i]);
        result = rw_remake(g, &p, arg);
    }
    return r->done[n] = g->failed ? 0 : result;
}

rw_node rw_linear(rw_graph *g, rw_node n)
{
    rewriting r = {.g = g};
    if (g->failed) return n;
    r.uses = rw_calloc((size_t)g->n, sizeof *r.uses);
    r.done = rw_calloc((size_t)g->n, sizeof *r.done);
    if (r.uses && r.done) {
        memset(r.done, -1, (size_t)g->n * sizeof *r.done);
        count_uses(&r, n);
        bool gather = g->gather;
        g->gather = false; /* factors have their places now */
        n = rewrite(&r, n);
        g->gather = gather;
    } else {
        g->failed = true;
    }
    rw_free(r.uses);
    rw_free(r.done);
    return n;
}
