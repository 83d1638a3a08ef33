/* Which equation determines which field, found from what the equations read: the pattern of unknowns in equations has a
 * maximum matching (depgraph/pairing.h), and mistakes are what it leaves over. */
#include "expr/equations.h"

#include <stdio.h>
#include <string.h>

#include "depgraph/pairing.h"

/* ---- statements -------------------------------------------------------------------------------------------------- */

static bool names_field(const rw_statement *s, const rw_expr_field *fields, int nfields)
{
    for (int i = 0; i < s->nparameters; ++i)
        for (int f = 0; f < nfields; ++f)
            if (!strcmp(s->parameters[i], fields[f].name)) return true;
    return false;
}

void rw_find_equations(rw_parsed *parsed, const rw_expr_field *fields, int nfields)
{
    for (int i = 0; i < parsed->n; ++i) {
        rw_statement *s = parsed->statements + i;
        bool defined = false;
        for (int k = 0; k < i && s->kind == RW_DEFINE && !defined; ++k)
            defined = parsed->statements[k].kind == RW_DEFINE && !strcmp(parsed->statements[k].name, s->name);
        if (!defined || !names_field(s, fields, nfields)) continue;
        s->kind = RW_EQUATION;
        s->name[0] = 0;
        s->nparameters = 0;
    }
}

/* They have no left side, but the name of their field. */
void rw_take_rates_for_equations(rw_parsed *parsed)
{
    for (int i = 0; i < parsed->n; ++i)
        if (parsed->statements[i].kind == RW_RATE) parsed->statements[i].kind = RW_EQUATION;
}

void rw_take_implicit_for_equations(rw_parsed *parsed)
{
    int n = 0;
    for (int i = parsed->n - 1; i >= 0; --i) {
        rw_statement *s = parsed->statements + i;
        const bool marked = s->kind == RW_RATE && rw_has_implicit(s->value);
        if (s->kind == RW_EQUATION) s->kind = RW_RATE;
        if (!marked) continue;
        s->kind = RW_EQUATION;
        s->known = ++n;
    }
}

/* u - h e - r */
static rw_status lower_stage(rw_lowering *l, const rw_source *source, const rw_statement *s, rw_node *f)
{
    static const int here[3] = {0};
    rw_graph *g = l->graph;
    rw_syntax name = {.kind = RW_SYNTAX_NAME, .at = s->at};
    rw_value u, e;
    snprintf(name.name, sizeof name.name, "%s", s->name);
    RW_TRY(rw_lower(l, source, &name, &u));
    RW_TRY(rw_lower_rate(l, source, s->value, RW_RATE_IMPLICIT, &e));
    const rw_node h = rw_scalar_argument(g, rw_graph_find_param(g, RW_IMPLICIT_STEP)),
                  r = rw_field(g, g->nfields - s->known, 0, here);
    *f = rw_make2(g, RW_OP_SUB, rw_make2(g, RW_OP_SUB, u.node[0], rw_make2(g, RW_OP_MUL, h, e.node[0])), r);
    return RW_OK;
}

/* The left side of a rate is the name of its field. */
static rw_status lower_difference(rw_lowering *l, const rw_source *source, const rw_statement *s, rw_value *v)
{
    rw_syntax *sides[] = {s->left, s->value};
    const rw_syntax difference = {.kind = RW_SYNTAX_OPERATOR, .at = s->at, .name = "-", .n = 2, .args = sides};
    return s->left ? rw_lower(l, source, &difference, v) : rw_lower_rate(l, source, s->value, RW_RATE_WHOLE, v);
}

rw_status rw_lower_equation(rw_lowering *l, const rw_source *source, const rw_statement *s, rw_node *f)
{
    rw_value v;
    if (s->known) return lower_stage(l, source, s, f);
    RW_TRY(lower_difference(l, source, s, &v));
    if (v.n > 1)
        return rw_fail_at(l->ctx, source, s->at,
                          "the sides of this equation are vectors of %d: write an equation for each component", v.n);
    *f = v.node[0];
    return RW_OK;
}

/* ---- what equations read ----------------------------------------------------------------------------------------- */

typedef struct matcher {
    rw_graph *graph;
    rw_context *ctx;
    const rw_source *source;
    const rw_parsed *parsed;
    const rw_unknown *unknowns;
    int *statement; /* by equation */
    rw_pairing *p;  /* rows: equations; columns: unknowns */
} matcher;

/* Its values lie beyond a side, or on one that is given, and this side reads the other field. */
static bool reads_by_sides(rw_graph *g, const rw_graph_node *q, int other)
{
    const rw_graph_field *f = g->fields + q->index;
    const bool inside = !q->offset[0] && !q->offset[1] && !q->offset[2] && !q->column && !f->given;
    for (int s = 0; s < 2 * g->grid.ndim && f->reads && !inside; ++s)
        if (rw_side_reads(g, f->boundary + s, other)) return true;
    return false;
}

enum { AT_NODES = 1, REDUCED = 2 };

static void note_field(matcher *m, int equation, const rw_graph_node *q, int how)
{
    rw_pairing *p = m->p;
    for (int u = 0; u < p->ncolumns; ++u) {
        const size_t at = (size_t)equation * (size_t)p->ncolumns + (size_t)u;
        const bool is = m->unknowns[u].field == q->index;
        p->has[at] = p->has[at] || (is && (how & AT_NODES));
        p->needs[at] = p->needs[at] || is || reads_by_sides(m->graph, q, m->unknowns[u].field);
    }
}

/* Arguments come before their node. */
static rw_status find_fields(matcher *m, int equation, rw_node f)
{
    const rw_graph *g = m->graph;
    uint8_t *how = rw_calloc((size_t)f + 1, sizeof *how);
    if (!how) return rw_fail_memory(m->ctx, (size_t)f, "an equation");
    how[f] = AT_NODES;
    for (rw_node n = f; n >= 0; --n) {
        const rw_graph_node *q = g->nodes + n;
        if (how[n] && q->op == RW_OP_FIELD) note_field(m, equation, q, how[n]);
        for (int k = 0; k < rw_ops[q->op].arity && how[n]; ++k)
            if (q->arg[k] >= 0) how[q->arg[k]] |= q->op == RW_OP_REDUCE ? REDUCED : how[n];
    }
    rw_free(how);
    return RW_OK;
}

static bool has(const matcher *m, int equation, int unknown)
{
    return m->p->has[(size_t)equation * (size_t)m->p->ncolumns + (size_t)unknown];
}

/* The first unknown in the tree, in the order of the text, that the equation reads at the nodes; -1: none. */
static int find_named(const matcher *m, int equation, const rw_syntax *s)
{
    int found = -1;
    for (int u = 0; s->kind == RW_SYNTAX_NAME && u < m->p->ncolumns; ++u)
        if (!strcmp(s->name, m->unknowns[u].name)) return has(m, equation, u) ? u : -1;
    for (int i = 0; i < s->n && found < 0; ++i) found = find_named(m, equation, s->args[i]);
    return found;
}

static const rw_statement *statement_of(const matcher *m, int equation)
{
    return m->parsed->statements + m->statement[equation];
}

/* Of a rate its field. */
static int find_left(const matcher *m, int equation)
{
    const rw_statement *s = statement_of(m, equation);
    if (s->left) return find_named(m, equation, s->left);
    for (int u = 0; u < m->p->ncolumns; ++u)
        if (!strcmp(s->name, m->unknowns[u].name)) return has(m, equation, u) ? u : -1;
    return -1;
}

/* The pattern, with the pairs that left sides ask for. */
static rw_status fill(matcher *m, const rw_node *f)
{
    rw_pairing *p = m->p;
    for (int e = 0; e < p->nrows; ++e) {
        RW_TRY(find_fields(m, e, f[m->statement[e]]));
        const int u = find_left(m, e);
        if (u < 0 || p->row_of[u] >= 0) continue;
        p->column_of[e] = u;
        p->row_of[u] = e;
    }
    return RW_OK;
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void add_item(rw_text *t, int i, int n, const char *item)
{
    rw_text_add(t, "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", item);
}

static int count(const bool *chosen, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += chosen[i];
    return sum;
}

/* "psi, phi and chi": of all unknowns, or those chosen, one excepted. */
static void add_unknowns(const matcher *m, rw_text *t, const bool *chosen, int except)
{
    const int n = (chosen ? count(chosen, m->p->ncolumns) : m->p->ncolumns) - (except >= 0);
    for (int u = 0, i = 0; u < m->p->ncolumns; ++u)
        if ((!chosen || chosen[u]) && u != except) add_item(t, i++, n, m->unknowns[u].name);
}

/* "case.yaml:4:7 and case.yaml:5:7" */
static void add_places(const matcher *m, rw_text *t, const bool *chosen, int except)
{
    const int n = count(chosen, m->p->nrows) - (except >= 0);
    for (int e = 0, i = 0; e < m->p->nrows; ++e) {
        char place[320];
        if (!chosen[e] || e == except) continue;
        rw_place_text(m->source, statement_of(m, e)->at, place, sizeof place);
        add_item(t, i++, n, place);
    }
}

/* Fails with the text, which is freed. */
static rw_status fail(const matcher *m, int at, rw_text *t)
{
    const rw_status status =
        t->failed ? rw_fail_memory(m->ctx, 256, "a message") : rw_fail_at(m->ctx, m->source, at, "%s", t->data);
    rw_text_free(t);
    return status;
}

static int find_unpaired(const int *partner, int n)
{
    for (int i = 0; i < n; ++i)
        if (partner[i] < 0) return i;
    return -1;
}

/* An equation without a candidate. */
static rw_status fail_without_unknown(const matcher *m, int e)
{
    const rw_pairing *p = m->p;
    const bool *needs = p->needs + (size_t)e * (size_t)p->ncolumns;
    rw_text t = {0};
    if (!p->ncolumns)
        rw_text_add(&t, "this equation determines no field: each field has a rate d/dt: remove the equation, or the "
                        "rate of the field that it determines");
    else if (count(needs, p->ncolumns)) {
        rw_text_add(&t, "this equation reads ");
        add_unknowns(m, &t, needs, -1);
        rw_text_add(&t, " only in reductions or at sides, which determine no value at each node: let it read the "
                        "unknown itself");
    } else {
        const bool one = p->ncolumns == 1;
        rw_text_add(&t, "this equation reads no unknown: remove it, or let it read %s", one ? "" : "one of ");
        add_unknowns(m, &t, NULL, -1);
        rw_text_add(&t, ", which %s no rate d/dt", one ? "has" : "have");
    }
    return fail(m, statement_of(m, e)->at, &t);
}

static rw_status fail_excess(const matcher *m, int e)
{
    rw_pairing *p = m->p;
    const int lacking = find_unpaired(p->row_of, p->ncolumns);
    rw_text t = {0};
    rw_pairing_row_excess(p, e);
    const int n = count(p->in_columns, p->ncolumns);
    if (!n) return fail_without_unknown(m, e);
    if (n == 1) {
        rw_text_add(&t, "a second equation for ");
        add_unknowns(m, &t, p->in_columns, -1);
        rw_text_add(&t, ", which ");
        add_places(m, &t, p->in_rows, e);
        rw_text_add(&t, " determines already: ");
    } else {
        rw_text_add(&t, "one equation too many: this one, ");
        add_places(m, &t, p->in_rows, e);
        rw_text_add(&t, " read only the %d unknowns ", n);
        add_unknowns(m, &t, p->in_columns, -1);
        rw_text_add(&t, ": ");
    }
    if (lacking < 0) rw_text_add(&t, "remove one of them, or add the field that it determines");
    else rw_text_add(&t, "remove one of them, or let it read %s, which has none", m->unknowns[lacking].name);
    return fail(m, statement_of(m, e)->at, &t);
}

/* Where the equations begin: after definitions. */
static int beginning(const rw_parsed *parsed)
{
    int i = 0;
    while (i < parsed->n - 1 && parsed->statements[i].kind == RW_DEFINE) ++i;
    return parsed->n ? parsed->statements[i].at : 0;
}

static rw_status fail_lacking(const matcher *m, int u)
{
    rw_pairing *p = m->p;
    const char *name = m->unknowns[u].name;
    rw_text t = {0};
    rw_pairing_column_excess(p, u);
    const int n = count(p->in_rows, p->nrows);
    int at = beginning(m->parsed);
    if (!n)
        rw_text_add(&t,
                    "nothing determines %s: no equation reads its values at the nodes, and it has no rate "
                    "d%s/dt: write an equation such as laplace(%s) = …, or d%s/dt = …",
                    name, name, name, name);
    else {
        for (int e = p->nrows - 1; e >= 0; --e)
            if (p->in_rows[e]) at = statement_of(m, e)->at;
        rw_text_add(&t, "there is no equation for %s: %s ", name, n == 1 ? "the one at" : "those at");
        add_places(m, &t, p->in_rows, -1);
        rw_text_add(&t, " determine%s ", n == 1 ? "s" : "");
        add_unknowns(m, &t, p->in_columns, u);
        rw_text_add(&t, ": add one that reads %s, or d%s/dt = …", name, name);
    }
    return fail(m, at, &t);
}

static rw_status fail_complex(const matcher *m, int e)
{
    const char *name = m->unknowns[m->p->column_of[e]].name;
    return rw_fail_at(m->ctx, m->source, statement_of(m, e)->at,
                      "this equation is complex, but field %s, which it determines, is real: make %s complex, or take "
                      "real(), imag() or abs()",
                      name, name);
}

static bool is_complex(const matcher *m, int e, const rw_node *f)
{
    const int u = m->p->column_of[e];
    return u >= 0 && m->graph->nodes[f[m->statement[e]]].is_complex &&
           !rw_dtype_is_complex(m->graph->fields[m->unknowns[u].field].dtype);
}

/* ERR_INPUT where something is left over. All mistakes are noted; the last one is the status. */
static rw_status check(const matcher *m, const rw_node *f)
{
    const rw_pairing *p = m->p;
    rw_status status = RW_OK;
    for (int e = 0; e < p->nrows; ++e) {
        if (p->column_of[e] < 0) status = fail_excess(m, e);
        else if (is_complex(m, e, f)) status = fail_complex(m, e);
        else continue;
        if (!rw_mistake(m->ctx, status)) return status;
    }
    for (int u = 0; u < p->ncolumns; ++u) {
        if (p->row_of[u] >= 0) continue;
        status = fail_lacking(m, u);
        if (!rw_mistake(m->ctx, status)) return status;
    }
    return status;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

void rw_pairs_free(rw_pairs *pairs)
{
    rw_free(pairs->pair);
    rw_free(pairs->first);
    *pairs = (rw_pairs){0};
}

static rw_status take_pairs(const matcher *m, rw_pairs *pairs)
{
    rw_pairing *p = m->p;
    const size_t n = (size_t)p->nrows + 1;
    *pairs = (rw_pairs){p->nrows, 0, rw_calloc(n, sizeof *pairs->pair), rw_calloc(n, sizeof *pairs->first)};
    if (!pairs->pair || !pairs->first) {
        rw_pairs_free(pairs);
        return rw_fail_memory(m->ctx, n * sizeof *pairs->pair, "pairs of equations and unknowns");
    }
    rw_pairing_order(p);
    pairs->nsystems = p->nsystems;
    memcpy(pairs->first, p->first, ((size_t)p->nsystems + 1) * sizeof *pairs->first);
    for (int i = 0; i < p->nrows; ++i) pairs->pair[i] = (rw_pair){m->statement[p->order[i]], p->column_of[p->order[i]]};
    return RW_OK;
}

rw_status rw_pair_equations(rw_lowering *l, const rw_source *source, const rw_parsed *parsed, const rw_node *f,
                            const rw_unknown *unknowns, int nunknowns, rw_pairs *pairs)
{
    matcher m = {l->graph, l->ctx, source, parsed, unknowns, rw_calloc((size_t)parsed->n + 1, sizeof *m.statement),
                 NULL};
    int n = 0;
    *pairs = (rw_pairs){0};
    for (int i = 0; m.statement && i < parsed->n; ++i)
        if (parsed->statements[i].kind == RW_EQUATION) m.statement[n++] = i;
    rw_status status = m.statement ? rw_pairing_create(l->ctx, n, nunknowns, &m.p)
                                   : rw_fail_memory(l->ctx, (size_t)parsed->n * sizeof *m.statement, "equations");
    if (status == RW_OK) status = fill(&m, f);
    if (status == RW_OK) rw_pairing_match(m.p);
    if (status == RW_OK) status = check(&m, f);
    if (status == RW_OK) status = take_pairs(&m, pairs);
    rw_pairing_destroy(&m.p);
    rw_free(m.statement);
    return status;
}
