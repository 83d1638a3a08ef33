/* Mistakes in the texts of a case, found without a device and all at once: equations, initial values, boundaries,
 * checks, the spectral radius. A statement that uses a name whose own statement is wrong is not checked: its mistakes
 * might only follow from that one. Where functions are wrong, nothing that may call them is checked.
 *
 * Values: what does not depend on the place is computed, with t at the beginning; boundary values that do are computed
 * at up to NODES nodes of their side. Where grid or time.start are wrong, values that depend on them are not: a mistake
 * there might only follow from that one. Not here: initial values that are not finite at some nodes (they show on the
 * device). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/equations.h"
#include "run/pde/pde.h"

enum { NODES = 4096, FAILED = 64 };

/* ---- equations --------------------------------------------------------------------------------------------------- */

/* Names whose statements are wrong. */
typedef struct failed_names {
    int n;
    const char *name[FAILED];
} failed_names;

static bool mentions(const rw_syntax *s, const failed_names *failed)
{
    for (int i = 0; i < failed->n && (s->kind == RW_SYNTAX_NAME || s->kind == RW_SYNTAX_CALL); ++i)
        if (!strcmp(s->name, failed->name[i])) return true;
    for (int i = 0; i < s->n; ++i)
        if (mentions(s->args[i], failed)) return true;
    return false;
}

/* It uses a name whose own statement is wrong. */
static bool is_affected(const rw_statement *s, const failed_names *failed)
{
    return mentions(s->value, failed) || (s->kind == RW_EQUATION && mentions(s->left, failed));
}

/* One statement; a rate counts as an equation of its field also when its value is wrong. *residual: of an equation
 * without a rate. */
static rw_status inspect_statement(const pde_problem *p, pde_language *l, const rw_source *source,
                                   const rw_statement *s, bool *has, rw_node *residual)
{
    rw_value value;
    if (s->kind == RW_DEFINE) return rw_lower_define(&l->lowering, source, s);
    if (s->kind == RW_EQUATION) return rw_lower_equation(&l->lowering, source, s, residual);
    if (s->kind == RW_RATE) {
        int f = rw_graph_find_field(l->graph, s->name);
        if (f >= p->nfields)
            return rw_fail_at(l->lowering.ctx, source, s->at,
                              "d%s/dt: %s is data, which equations only read: for an unknown use fields.%s", s->name,
                              s->name, s->name);
        if (f >= 0) has[f] = true;
        RW_TRY(rw_lower_rate(&l->lowering, source, s->value, RW_RATE_WHOLE, &value));
        if (f >= 0 && value.n == 1 && l->graph->nodes[value.node[0]].is_complex && !pde_is_complex(p, f))
            return rw_fail_at(l->lowering.ctx, source, s->at,
                              "d%s/dt is complex, but field %s is real: give it type: complex, or take real(), imag() "
                              "or abs()",
                              s->name, s->name);
        if (f >= 0) return RW_OK;
        if (s->name[0] == 'd' && rw_graph_find_field(l->graph, s->name + 1) >= 0)
            return rw_fail_at(l->lowering.ctx, source, s->at, RW_SECOND_RATE_ADVICE, s->name + 1);
        const char *names[FAILED];
        int n = RW_MIN(p->nfields, FAILED);
        for (int i = 0; i < n; ++i) names[i] = p->fields[i].name;
        return rw_fail_at(l->lowering.ctx, source, s->at, "d%s/dt: there is no field %s%s", s->name, s->name,
                          rw_hint_nearest(s->name, names, n).text);
    }
    RW_TRY(rw_lower(&l->lowering, source, s->value, &value));
    return rw_lower_local(&l->lowering, source, s->at, s->name, value);
}

/* Fields without a rate, and the equations that determine them. */
static rw_status inspect_pairs(const pde_problem *p, pde_language *l, const rw_source *source, const rw_parsed *parsed,
                               const bool *has, const rw_node *residuals)
{
    rw_unknown *unknowns = rw_calloc((size_t)p->nfields + 1, sizeof *unknowns);
    rw_pairs pairs = {0};
    int n = 0;
    if (!unknowns) return rw_fail_memory(p->ctx, sizeof *unknowns, "unknowns");
    for (int f = 0; f < p->nfields; ++f)
        if (!has[f]) unknowns[n++] = (rw_unknown){p->fields[f].name, f};
    rw_status status = rw_pair_equations(&l->lowering, source, parsed, residuals, unknowns, n, &pairs);
    rw_pairs_free(&pairs);
    rw_free(unknowns);
    return status;
}

static rw_status inspect_fields(const rw_case *c, const pde_problem *p, pde_language *l, const rw_source *source,
                                const rw_parsed *parsed, const bool *has, const rw_node *residuals)
{
    rw_context *ctx = l->lowering.ctx;
    bool equations = false, seconds = false;
    for (int i = 0; i < parsed->n; ++i) equations = equations || parsed->statements[i].kind == RW_EQUATION;
    for (int f = 0; f < p->nfields; ++f) {
        const rw_statement *second = has[f] ? NULL : rw_second_rate(parsed, p->fields[f].name);
        if (second) RW_NOTE(ctx, rw_fail_at(ctx, source, second->at, RW_SECOND_RATE_ADVICE, p->fields[f].name));
        else if (!has[f] && !equations)
            RW_NOTE(ctx,
                    rw_case_fail(c, rw_case_node(c, "equations"), "there is no equation for field %s: add d%s/dt = …",
                                 p->fields[f].name, p->fields[f].name));
        seconds = seconds || second;
    }
    if (equations && !seconds) RW_NOTE(ctx, inspect_pairs(p, l, source, parsed, has, residuals));
    return RW_OK;
}

static rw_status inspect_parsed(const rw_case *c, const pde_problem *p, pde_language *l, const rw_source *source,
                                const rw_parsed *parsed, bool *has, rw_node *residuals)
{
    failed_names failed = {0};
    bool wrong = false;
    for (int define = 1; define >= 0; --define) /* functions may be defined after their use */
        for (int i = 0; i < parsed->n; ++i) {
            const rw_statement *s = parsed->statements + i;
            if ((s->kind == RW_DEFINE) != define) continue;
            rw_status status = is_affected(s, &failed) && !define
                                   ? RW_ERR_INPUT
                                   : inspect_statement(p, l, source, s, has, residuals + i);
            if (status == RW_OK) continue;
            if (!is_affected(s, &failed)) RW_NOTE(l->lowering.ctx, status);
            const bool names = s->kind == RW_ASSIGN || s->kind == RW_DEFINE;
            if (names && failed.n < FAILED) failed.name[failed.n++] = s->name;
            int f = s->kind == RW_RATE ? rw_graph_find_field(l->graph, s->name) : -1;
            if (f >= 0 && f < p->nfields) has[f] = true;
            else wrong = wrong || !names;
        }
    return wrong ? RW_OK : inspect_fields(c, p, l, source, parsed, has, residuals);
}

static rw_status inspect_equations(const rw_case *c, const pde_problem *p)
{
    rw_context *ctx = rw_case_context(c);
    rw_source source = {rw_case_file(c), p->equations, 1, 1};
    rw_parsed parsed = {0};
    pde_language l;
    RW_TRY(rw_parse_statements(ctx, &source, &parsed));
    rw_find_equations(&parsed, p->fields, p->nfields);
    rw_status status = pde_language_begin(rw_case_context(c), p, p->time.start, false, &l);
    if (status == RW_OK) {
        bool *has = rw_calloc((size_t)p->nfields + 1, sizeof *has);
        rw_node *residuals = rw_calloc((size_t)parsed.n + 1, sizeof *residuals);
        status = has && residuals ? inspect_parsed(c, p, &l, &source, &parsed, has, residuals)
                                  : rw_fail_memory(ctx, 64, "equations");
        rw_free(has);
        rw_free(residuals);
        pde_language_end(&l);
    }
    rw_parsed_free(&parsed);
    return status;
}

/* ---- single expressions ------------------------------------------------------------------------------------------ */

/* The text, its names and shapes; *n is -1 when it is none. */
static rw_status lower(pde_language *l, const rw_tree *node, rw_node *n)
{
    rw_source source = {node->text_source, node->text, node->text_line, node->text_column};
    *n = -1;
    return rw_lower_text(&l->lowering, &source, n);
}

rw_status pde_lower(const rw_case *c, pde_language *l, const rw_tree *node, const char *setting, rw_node *n)
{
    RW_TRY(lower(l, node, n));
    if (!l->graph->nodes[*n].is_complex) return RW_OK;
    return rw_case_fail(c, node, "%s = %.60s is complex: a real number is needed: take real(), imag() or abs()",
                        setting, node->text);
}

rw_status pde_lower_value(const rw_case *c, const pde_problem *p, int f, pde_language *l, const rw_tree *node,
                          const char *setting, rw_node *n)
{
    if (f < 0) return pde_lower(c, l, node, setting, n);
    RW_TRY(lower(l, node, n));
    if (!l->graph->nodes[*n].is_complex || pde_is_complex(p, f)) return RW_OK;
    return rw_case_fail(c, node,
                        "%s = %.60s is complex, but field %s is real: give it type: complex, or take real(), "
                        "imag() or abs()",
                        setting, node->text, p->fields[f].name);
}

/* "fields.u.initial = 1/0 is inf: finite values are needed"; a plain number says itself what it is. */
static rw_status fail_value(const rw_case *c, const rw_tree *node, const char *setting, double x, const char *where,
                            const char *needed)
{
    double number;
    if (rw_tree_number(node, &number))
        return rw_case_fail(c, node, "%s = %.60s%s: %s", setting, node->text, where, needed);
    return rw_case_fail(c, node, "%s = %.60s is %g%s: %s", setting, node->text, x, where, needed);
}

/* Whether node n depends on an unknown, whose fields come before those of data. Arguments come before their node. */
static rw_status find_unknown(const pde_problem *p, const rw_graph *g, rw_node n, bool *reads)
{
    bool *needed = rw_calloc((size_t)n + 1, sizeof *needed);
    *reads = false;
    if (!needed) return rw_fail_memory(p->ctx, (size_t)n, "an expression");
    needed[n] = true;
    for (rw_node i = n; i >= 0; --i) {
        const rw_graph_node *q = g->nodes + i;
        if (!needed[i]) continue;
        *reads = *reads || (q->op == RW_OP_FIELD && q->index < p->nfields);
        for (int k = 0; k < rw_ops[q->op].arity; ++k)
            if (q->arg[k] >= 0) needed[q->arg[k]] = true;
    }
    rw_free(needed);
    return RW_OK;
}

/* An expression that may read the first data. */
static rw_status lower_with_data(const rw_case *c, const pde_problem *p, int f, int ndata, const char *setting,
                                 const rw_tree *node)
{
    pde_problem with = *p;
    pde_language l;
    rw_node n;
    with.ndata = ndata;
    RW_TRY(pde_language_begin(rw_case_context(c), &with, p->time.start, true, &l));
    l.lowering.no_fields = false;
    rw_status status = pde_lower_value(c, p, f, &l, node, setting, &n);
    bool reads = false;
    if (status == RW_OK) status = find_unknown(p, l.graph, n, &reads);
    if (status == RW_OK && reads)
        status = rw_case_fail(c, node,
                              "%s reads an unknown: only coordinates, t, parameters and data that are given before it "
                              "are allowed",
                              setting);
    pde_language_end(&l);
    return status;
}

/* Initial values, or data; an expression may read the first `ndata` data. */
static rw_status inspect_values(const rw_case *c, const pde_problem *p, int f, const char *setting, const rw_tree *node,
                                int ndata, pde_language *l)
{
    double value[2] = {0, 0};
    rw_node n;
    if (!node) return RW_OK;
    if (node->kind != RW_TREE_SCALAR && p->grid.ndim == 0)
        return rw_case_fail(c, node, "%s: there is no space (grid: none): give one value, an expression of parameters",
                            setting);
    if (node->kind != RW_TREE_SCALAR) return pde_check_values(c, setting, node);
    if (ndata) return lower_with_data(c, p, f, ndata, setting, node);
    RW_TRY(pde_lower_value(c, p, f, l, node, setting, &n));
    if (l->graph->nodes[n].is_field || p->no_start) return RW_OK;
    rw_graph_scalar(l->graph, n, value, value + 1);
    return isfinite(value[0]) && isfinite(value[1])
               ? RW_OK
               : fail_value(c, node, setting, value[0], "", "finite values are needed");
}

static rw_status inspect_initial(const rw_case *c, const pde_problem *p, int f, pde_language *l)
{
    const rw_tree *entry = rw_tree_get(rw_case_node(c, "fields"), p->fields[f].name);
    char setting[64];
    snprintf(setting, sizeof setting, "fields.%.31s.initial", p->fields[f].name);
    return inspect_values(c, p, f, setting, rw_tree_get(entry, "initial"), p->ndata - p->nmasks, l);
}

static rw_status inspect_radius(const rw_case *c, const pde_problem *p, pde_language *l)
{
    const rw_tree *node = rw_case_node(c, "time.spectral_radius");
    double value, im;
    rw_node n;
    if (!node || node->kind != RW_TREE_SCALAR || !strcmp(node->text, "auto") || !strcmp(node->text, "power"))
        return RW_OK;
    RW_TRY(pde_lower(c, l, node, "time.spectral_radius", &n));
    if (l->graph->nodes[n].is_field)
        return rw_case_fail(
            c, node, "time.spectral_radius depends on coordinates: give an expression of parameters and t, or auto");
    if (p->no_start) return RW_OK;
    rw_graph_scalar(l->graph, n, &value, &im);
    if (value >= 0 && isfinite(value)) return RW_OK;
    return fail_value(c, node, "time.spectral_radius", value, "",
                      "a bound on the moduli of the eigenvalues must be 0 or more; or give auto");
}

static rw_status inspect_courant(const rw_case *c, const pde_problem *p, pde_language *l)
{
    const rw_tree *node = rw_case_node(c, "time.courant_one"), *number = rw_case_node(c, "time.courant");
    rw_context *ctx = rw_case_context(c);
    rw_node n;
    if (!p->no_time && p->time.courant > 0 && rw_courant_check(ctx, &p->time) != RW_OK) {
        char why[400];
        snprintf(why, sizeof why, "%s", rw_message(ctx));
        return rw_case_fail(c, number, "time.%s", why);
    }
    if (!node || node->kind != RW_TREE_SCALAR || !*node->text) return RW_OK;
    RW_TRY(pde_lower(c, l, node, "time.courant_one", &n));
    if (!l->graph->nodes[n].is_field) return RW_OK;
    return rw_case_fail(c, node,
                        "time.courant_one has a value for each node: reduce it to one number, as in 1/max(abs(u)/hx)");
}

static rw_status inspect_checks(const rw_case *c, pde_language *l)
{
    const rw_tree *map = rw_case_node(c, "checks");
    for (int i = 0; map && i < map->n; ++i) {
        const rw_tree *node = rw_tree_get(map->items[i], "value");
        char setting[128];
        rw_node n;
        if (!node || node->kind != RW_TREE_SCALAR) continue;
        snprintf(setting, sizeof setting, "checks.%.100s.value", map->keys[i]);
        RW_NOTE(rw_case_context(c), pde_lower(c, l, node, setting, &n));
    }
    return RW_OK;
}

/* ---- boundaries -------------------------------------------------------------------------------------------------- */

int64_t pde_nodes_of_side(const pde_problem *p, int side)
{
    int64_t count = 1;
    for (int d = 0; d < 3; ++d) count *= d == side / 2 ? 1 : p->grid.size[d];
    return count;
}

void pde_place_on_side(const pde_problem *p, int f, int side, int64_t i, int64_t n, double place[3])
{
    const rw_grid *g = &p->grid;
    const double outside = p->layout == RW_GRID_CELL ? 0.5 : pde_pins(p, p->fields[f].boundary[side].kind) ? 1 : 0;
    const int64_t count = pde_nodes_of_side(p, side);
    int64_t k = n > 1 ? (int64_t)((double)i * ((double)count - 1) / ((double)n - 1)) : 0;
    for (int d = 0; d < 3; ++d) {
        if (d == side / 2) {
            place[d] = side % 2 ? (double)(g->size[d] - 1) + outside : -outside;
            continue;
        }
        place[d] = (double)(k % g->size[d]);
        k /= g->size[d];
    }
}

rw_status pde_lower_on_side(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l,
                            const rw_tree *node, const char *setting, rw_node *n, bool *reads)
{
    rw_lowering_side on = {.fields = p->fields, .nfields = p->nfields, .axis = side / 2, .upper = side % 2, .own = f};
    *reads = false;
    l->lowering.side = &on;
    const rw_status status = pde_lower_value(c, p, f, l, node, setting, n);
    l->lowering.side = NULL;
    RW_TRY(status);
    *reads = l->graph->nodes[*n].depends & RW_ON_FIELD;
    if (!pde_is_steady(p) || !pde_reads_time(l->graph, *n)) return RW_OK;
    return rw_case_fail(c, node, "%s = %.60s reads t, but time.end = steady: give a final time, or leave t out",
                        setting, node->text);
}

/* One expression of a condition. With `nonzero` it must not be 0 anywhere; with `a`, another one, not where that is. */
static rw_status inspect_side(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l,
                              const rw_tree *node, bool nonzero, const rw_tree *a)
{
    rw_context *ctx = rw_case_context(c);
    const rw_grid *g = &p->grid;
    char setting[64];
    rw_node n, other = -1;
    bool reads, other_reads = false;
    snprintf(setting, sizeof setting, "fields.%.31s.boundary", p->fields[f].name);
    RW_TRY(pde_lower_on_side(c, p, f, side, l, node, setting, &n, &reads));
    if (a) RW_TRY(pde_lower_on_side(c, p, f, side, l, a, setting, &other, &other_reads));
    if (reads || other_reads) return RW_OK;
    const bool varies = l->graph->nodes[n].is_field || (a && l->graph->nodes[other].is_field);
    if (p->no_start || (p->no_grid && varies)) return RW_OK;
    const int64_t count = varies ? RW_MIN(pde_nodes_of_side(p, side), NODES) : 1;
    for (int64_t i = 0; i < count; ++i) {
        double value[2], value_of_a[2] = {0}, at[3];
        rw_text where = {0};
        pde_place_on_side(p, f, side, i, count, at);
        rw_graph_value(l->graph, n, pde_at_place, at, value);
        if (a) rw_graph_value(l->graph, other, pde_at_place, at, value_of_a);
        const bool finite = isfinite(value[0]) && isfinite(value[1]);
        const bool zero = (nonzero || a) && value[0] == 0 && value[1] == 0 && value_of_a[0] == 0 && value_of_a[1] == 0;
        if (finite && !zero) continue;
        for (int d = 0; d < g->ndim && varies; ++d)
            rw_text_add(&where, "%s%c = %.6g", d ? ", " : " at ", "xyz"[d], g -> origin[d] + at[d] * g -> spacing[d]);
        rw_status status =
            fail_value(c, node, setting, value[0], where.data ? where.data : "",
                       !finite ? "finite values are needed"
                       : a     ? "a and b in robin: [a, b, c] must not both be 0"
                           : "b in robin: [a, b, c] must not be 0; for a boundary value c/a use {dirichlet: …}, or "
                             "grid.layout: cell");
        if (where.failed) status = rw_fail_memory(ctx, 64, "a message");
        rw_text_free(&where);
        return status;
    }
    return RW_OK;
}

static rw_status inspect_boundary(const rw_case *c, const pde_problem *p, int f, pde_language *l)
{
    for (int s = 0; s < 2 * p->grid.ndim; ++s) {
        const rw_tree *node = p->sides[6 * f + s]; /* of the value */
        if (p->parts[6 * f + s]) RW_NOTE(rw_case_context(c), pde_inspect_parts(c, p, f, s, l));
        if (!node) continue;
        const int values = rw_boundary_values(p->fields[f].boundary[s].kind);
        for (int i = 0; i < values; ++i)
            RW_NOTE(rw_case_context(c),
                    inspect_side(c, p, f, s, l, values > 1 ? node->items[i] : node, i == 1 && p->layout == RW_GRID_AUTO,
                                 i == 1 && p->layout != RW_GRID_AUTO ? node->items[0] : NULL));
    }
    return RW_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

rw_status pde_inspect_texts(const rw_case *c, const pde_problem *p)
{
    rw_context *ctx = rw_case_context(c);
    pde_language l;
    if (!p->functions.text) return RW_OK; /* noted */
    if (p->equations) RW_NOTE(ctx, inspect_equations(c, p));
    RW_TRY(pde_language_begin(ctx, p, p->time.start, true, &l));
    rw_status status = RW_OK;
    for (int f = 0; f < p->nfields && status == RW_OK; ++f) {
        status = inspect_initial(c, p, f, &l);
        if (status != RW_OK && rw_mistake(ctx, status)) status = RW_OK;
        if (status == RW_OK) status = inspect_boundary(c, p, f, &l);
    }
    for (int i = 0; i < p->ndata && status == RW_OK; ++i) /* of others the form has been checked */
        if (!p->sources[i].mask && (p->sources[i].node->kind == RW_TREE_SCALAR || p->grid.ndim == 0)) {
            status = inspect_values(c, p, -1, p->sources[i].setting, p->sources[i].node, i, &l);
            if (status != RW_OK && rw_mistake(ctx, status)) status = RW_OK;
        }
    if (status == RW_OK) status = inspect_radius(c, p, &l);
    if (status != RW_OK && rw_mistake(ctx, status)) status = RW_OK;
    l.lowering.no_fields = false;
    if (status == RW_OK) RW_NOTE(ctx, inspect_courant(c, p, &l));
    if (status == RW_OK) status = inspect_checks(c, &l);
    pde_language_end(&l);
    return status;
}
