/* Terms of a rate that a method may solve for instead of taking them from the state: du/dt = implicit(e) + f. */
#include <string.h>

#include "expr/lower.h"

static bool is_operator(const rw_syntax *s, const char *sign)
{
    return s->kind == RW_SYNTAX_OPERATOR && !strcmp(s->name, sign);
}

static bool is_sum(const rw_syntax *s) { return is_operator(s, "+") || is_operator(s, "-") || is_operator(s, "u-"); }

static bool is_marked(const rw_syntax *s) { return s->kind == RW_SYNTAX_CALL && !strcmp(s->name, "implicit"); }

bool rw_has_implicit(const rw_syntax *rate)
{
    for (int i = 0; is_sum(rate) && i < rate->n; ++i)
        if (rw_has_implicit(rate->args[i])) return true;
    return is_marked(rate);
}

static bool is_term(const rw_syntax *sum, const rw_syntax *term)
{
    for (int i = 0; is_sum(sum) && i < sum->n; ++i)
        if (is_term(sum->args[i], term)) return true;
    return sum == term;
}

rw_status rw_lower_implicit(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, rw_value *v)
{
    if (!l->rate || !is_term(l->rate, s))
        return rw_fail_at(l->ctx, l->source, s->at,
                          "implicit(e) marks a term of a rate, as in du/dt = implicit(k*laplace(u)) + f: write factors "
                          "inside of it, and the term in the rate itself");
    RW_TRY(rw_need_arguments(l, s, n, 1));
    RW_TRY(rw_need_scalars(l, s, args, n));
    *v = args[0];
    return RW_OK;
}

/* The terms of this part of s, with their signs, added to the sum; -1: there is none yet. */
static rw_status add_terms(rw_lowering *l, const rw_source *source, const rw_syntax *s, rw_rate_part part, bool minus,
                           rw_node *sum)
{
    rw_graph *g = l->graph;
    for (int i = 0; is_sum(s) && i < s->n; ++i)
        RW_TRY(add_terms(l, source, s->args[i], part, minus != (s->n == 1 || (i == 1 && *s->name == '-')), sum));
    if (is_sum(s) || is_marked(s) != (part == RW_RATE_IMPLICIT)) return RW_OK;
    rw_value v;
    RW_TRY(rw_lower(l, source, s, &v));
    if (v.n > 1) return rw_fail_at(l->ctx, source, s->at, "incompatible shapes: a term of a rate is a vector");
    if (*sum < 0) *sum = minus ? rw_make1(g, RW_OP_NEG, v.node[0]) : v.node[0];
    else *sum = rw_make2(g, minus ? RW_OP_SUB : RW_OP_ADD, *sum, v.node[0]);
    return RW_OK;
}

rw_status rw_lower_rate(rw_lowering *l, const rw_source *source, const rw_syntax *s, rw_rate_part part, rw_value *v)
{
    const rw_syntax *outer = l->rate;
    rw_node sum = -1;
    l->rate = s;
    const rw_status status =
        part == RW_RATE_WHOLE ? rw_lower(l, source, s, v) : add_terms(l, source, s, part, false, &sum);
    l->rate = outer;
    if (status == RW_OK && part != RW_RATE_WHOLE) *v = rw_scalar_value(sum < 0 ? rw_real(l->graph, 0) : sum);
    return status;
}
