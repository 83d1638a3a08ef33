/* Lowers a syntax tree to a graph. Names are looked up in this order: parameters of the function being expanded,
 * locals, fields, scalars, coordinates, constants (e, hx, nx, …). Functions are expanded where they are called. */
#include "expr/lower.h"

#include <math.h>
#include <string.h>

enum { MAX_CALLS = 64, MAX_NESTING = 2000, MAX_TERMS = 1000000 };

static const char *const axis_names[] = {"x", "y", "z"};

void rw_lowering_begin(rw_lowering *l, rw_context *ctx, rw_graph *graph)
{
    memset(l, 0, sizeof *l);
    l->ctx = ctx;
    l->graph = graph;
}

void rw_lowering_end(rw_lowering *l)
{
    rw_free(l->locals);
    rw_free(l->functions);
    memset(l, 0, sizeof *l);
}

#define FAIL(at, ...) rw_fail_at(l->ctx, l->source, at, __VA_ARGS__)

/* hx, nx, … */
static bool is_of_grid(const char *name)
{
    return (name[0] == 'h' || name[0] == 'n') && name[1] >= 'x' && name[1] <= 'z' && !name[2];
}

static bool is_coordinate(const char *name)
{
    return is_of_grid(name) || !strcmp(name, "x") || !strcmp(name, "y") || !strcmp(name, "z") || !strcmp(name, "t") ||
           !strcmp(name, "pi") || !strcmp(name, "e");
}

rw_status rw_need_space(rw_lowering *l, const rw_syntax *s, const char *word)
{
    if (l->graph->grid.ndim > 0) return RW_OK;
    return FAIL(s->at, "%s needs space, but the system has none (grid: none): give the grid a size, or omit %s", word,
                word);
}

/* Inside a function: its parameters, then the names of the program, not those of its caller. */
static bool visible(const rw_lowering *l, int local) { return !l->depth || local >= l->frame || local < l->base; }

/* Fails where a name is a derivative in another notation: u_xx, d2u (before /dx2), du (before /dx). *is: it is. */
static rw_status fail_derivative(rw_lowering *l, const rw_syntax *s, bool *is)
{
    const rw_graph *g = l->graph;
    const char *name = s->name, *mark = strrchr(name, '_');
    char field[32];
    int axes[4];
    snprintf(field, sizeof field, "d%s", mark ? mark + 1 : "");
    const int n = mark ? rw_derivative_word(field, axes) : 0;
    *is = true;
    if (n) {
        const char *letters = mark + 1;
        snprintf(field, sizeof field, "%.*s", (int)(mark - name), name);
        if (rw_graph_find_field(g, field) >= 0)
            return FAIL(s->at, "name %s is unknown: write the derivative as d%s(%s)", name, letters, field);
    }
    if (name[0] == 'd' && name[1] == '2' && rw_graph_find_field(g, name + 2) >= 0)
        return FAIL(s->at, "name %s is unknown: write second derivatives as dxx(%s), dxy(%s), laplace(%s)", name,
                    name + 2, name + 2, name + 2);
    if (name[0] == 'd' && rw_graph_find_field(g, name + 1) >= 0)
        return FAIL(s->at,
                    "name %s is unknown: write first derivatives as dx(%s), dy(%s), grad(%s); the rate d%s/dt stands "
                    "alone on a left side",
                    name, name + 1, name + 1, name + 1, name + 1);
    *is = false;
    return RW_OK;
}

static rw_status fail_name(rw_lowering *l, const rw_syntax *s, const char *what)
{
    rw_graph *g = l->graph;
    bool call = s->kind == RW_SYNTAX_CALL, local = false, function = false;
    for (int i = 0; i < l->nlocals; ++i) local = local || (visible(l, i) && !strcmp(l->locals[i].name, s->name));
    for (int i = 0; i < l->nfunctions; ++i) function = function || !strcmp(l->functions[i].name, s->name);
    function = function || rw_graph_find_function(g, s->name) >= 0;
    if (call && (local || rw_graph_find_field(g, s->name) >= 0 || rw_graph_find_param(g, s->name) >= 0))
        return FAIL(s->at, "%s is not a function: write a product as %s*(…)", s->name, s->name);
    if (call && is_coordinate(s->name))
        return FAIL(s->at, "%s is not a function but a coordinate or constant", s->name);
    bool derivative = false;
    const rw_status status_of_derivative = call ? RW_OK : fail_derivative(l, s, &derivative);
    if (derivative) return status_of_derivative;
    const char *foreign = function ? NULL : rw_foreign_word(s->name);
    if (foreign) return FAIL(s->at, "%s %s is unknown: %s", what, s->name, foreign);
    if (!call && (function || rw_is_reserved(s->name)))
        return FAIL(s->at, "%s is %s: its arguments are missing", s->name, function ? "a function" : "a reserved word");
    const rw_language_word *words;
    const int nwords = rw_language_words(&words);
    int n = 0, max = g->nfields + g->nparams + l->nlocals + l->nfunctions + g->nfunctions + nwords;
    const char **names = rw_calloc((size_t)max, sizeof *names);
    if (!names) return rw_fail_memory(l->ctx, (size_t)max * sizeof *names, "a message");
    for (int i = 0; i < l->nlocals; ++i)
        if (visible(l, i)) names[n++] = l->locals[i].name;
    for (int i = 0; i < g->nfields; ++i)
        if (!g->fields[i].columns) names[n++] = g->fields[i].name;
    for (int i = 0; i < g->nfunctions; ++i) names[n++] = g->functions[i].name;
    for (int i = 0; i < g->nparams; ++i)
        if (g->params[i].name[0] != '#') names[n++] = g->params[i].name;
    for (int i = 0; i < l->nfunctions; ++i) names[n++] = l->functions[i].name;
    for (int i = 0; i < nwords; ++i) names[n++] = words[i].name;
    const char *near = rw_nearest(s->name, names, n);
    char declare[256] = "";
    if (l->declares && !call)
        snprintf(declare, sizeof declare,
                 "%s declare a parameter in the case as parameters: {%s: …}, or with rw_run_options.set "
                 "'parameters.%s!=…'",
                 near ? ";" : ":", s->name, s->name);
    if (l->declares && call)
        snprintf(declare, sizeof declare, "%s declare a function in the case as functions: [\"%s(a) = …\"]",
                 near ? ";" : ":", s->name);
    rw_status status = near ? FAIL(s->at, "%s %s is unknown; nearest is %s%s", what, s->name, near, declare)
                            : FAIL(s->at, "%s %s is unknown%s", what, s->name,
                                   *declare ? declare : ": fields, parameters and functions must be declared");
    rw_free(names);
    return status;
}

/* The spacing is a scalar of the program, so that its value is no part of the kernel text; the number of nodes, that of
 * the whole grid, is a constant. */
static rw_status lower_of_grid(rw_lowering *l, const rw_syntax *s, rw_value *v)
{
    rw_graph *g = l->graph;
    const int axis = s->name[1] - 'x';
    if (g->unstructured)
        return FAIL(s->at, "%s is not defined here: the cells of this grid are not in rows along x, y and z", s->name);
    RW_TRY(rw_need_space(l, s, s->name));
    if (axis >= g->grid.ndim)
        return FAIL(s->at, "%s does not exist on a grid of %d dimension%s", s->name, g->grid.ndim,
                    g->grid.ndim > 1 ? "s" : "");
    const int64_t whole = g->grid.global_size[axis];
    *v = rw_scalar_value(s->name[0] == 'h' ? rw_spacing(g, axis)
                                           : rw_real(g, (double)(whole ? whole : g->grid.size[axis])));
    return RW_OK;
}

static rw_status lower_name(rw_lowering *l, const rw_syntax *s, rw_value *v)
{
    rw_graph *g = l->graph;
    static const int here[3] = {0};
    for (int i = l->nlocals - 1; i >= 0; --i)
        if (visible(l, i) && !strcmp(l->locals[i].name, s->name)) {
            *v = l->locals[i].value;
            return RW_OK;
        }
    bool of_side = false;
    if (l->side) RW_TRY(rw_lower_side_name(l, s, &of_side, v));
    if (of_side) return RW_OK;
    int i = rw_graph_find_field(g, s->name);
    if (i >= 0) {
        if (l->no_fields && !(g->fields[i].external && g->unstructured))
            return FAIL(s->at, "field %s is not allowed here: use only %st and parameters", s->name,
                        g->grid.ndim ? "coordinates, " : "");
        *v = rw_scalar_value(rw_field(g, i, g->fields[i].versions, here));
        return RW_OK;
    }
    if ((i = rw_graph_find_param(g, s->name)) >= 0) {
        if (l->no_fields && g->params[i].state >= 0)
            return FAIL(s->at,
                        "%s is stored on the device and is not allowed here: use only coordinates, t and parameters",
                        s->name);
        *v = rw_scalar_value(rw_scalar_argument(g, i));
        return RW_OK;
    }
    for (int d = 0; d < 3; ++d)
        if (!strcmp(s->name, axis_names[d])) {
            RW_TRY(rw_need_space(l, s, s->name));
            if (d >= g->grid.ndim)
                return FAIL(s->at, "coordinate %s does not exist on a grid of %d dimension%s", s->name, g->grid.ndim,
                            g->grid.ndim > 1 ? "s" : "");
            const int inward = l->side && d == l->side->axis ? l->side->inward : 0;
            *v = rw_scalar_value(rw_coord(g, d, inward && l->side->upper ? -inward : inward));
            return RW_OK;
        }
    if (!strcmp(s->name, "pi") || !strcmp(s->name, "e")) {
        *v = rw_scalar_value(rw_real(g, s->name[0] == 'e' ? exp(1.) : acos(-1.)));
        return RW_OK;
    }
    if (l->side && !strcmp(s->name, "hn")) {
        *v = rw_scalar_value(rw_spacing(g, l->side->axis));
        return RW_OK;
    }
    return is_of_grid(s->name) ? lower_of_grid(l, s, v) : fail_name(l, s, "name");
}

/* ---- operators ------------------------------------------------------------------------------------------------ */

static rw_status check_kind(rw_lowering *l, const rw_syntax *s, rw_node_op op, const rw_node *args)
{
    char kind = rw_ops[op].kind;
    for (int i = 0; i < rw_ops[op].arity; ++i)
        if (l->graph->nodes[args[i]].is_complex &&
            (kind == 'R' || (kind == 'B' && op != RW_OP_EQ && op != RW_OP_NE) || (op == RW_OP_WHERE && i == 0)))
            return FAIL(s->at, "%s is not defined for complex numbers: apply real(), imag() or abs() first", s->name);
    return RW_OK;
}

static rw_status make_checked(rw_lowering *l, const rw_syntax *s, rw_node_op op, const rw_node *args, rw_value *v)
{
    RW_TRY(check_kind(l, s, op, args));
    *v = rw_scalar_value(
        rw_make(l->graph, op, args[0], rw_ops[op].arity > 1 ? args[1] : -1, rw_ops[op].arity > 2 ? args[2] : -1));
    return RW_OK;
}

/* q.x */
static rw_status lower_component(rw_lowering *l, const rw_syntax *s, const rw_value *q, rw_value *v)
{
    const int axis = s->name[2] - 'x';
    RW_TRY(rw_need_space(l, s, s->name + 1));
    if (q->n == 1 && l->graph->grid.ndim > 1) return FAIL(s->at, "%s: only a vector has components", s->name + 1);
    if (axis >= q->n)
        return FAIL(s->at, "%s does not exist: vectors have %d components on this grid", s->name + 1, q->n);
    *v = rw_component(q, axis);
    return RW_OK;
}

/* [a, b] */
static rw_status lower_vector(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, rw_value *v)
{
    const int ndim = l->graph->grid.ndim;
    if (l->graph->unstructured) return FAIL(s->at, "vectors are not available on this grid");
    RW_TRY(rw_need_space(l, s, "a vector"));
    if (n != ndim) return FAIL(s->at, "a vector of %d components on a grid of %d dimensions", n, ndim);
    *v = (rw_value){.n = n};
    for (int d = 0; d < n; ++d) {
        if (args[d].n > 1) return FAIL(s->args[d]->at, "a component of a vector must be a scalar");
        v->node[d] = args[d].node[0];
    }
    rw_join_fluxes(args, v);
    return RW_OK;
}

static rw_status lower_operator(rw_lowering *l, const rw_syntax *s, rw_value *v)
{
    static const struct {
        const char *sign;
        rw_node_op op;
        bool swap;
    } table[] = {{"+", RW_OP_ADD, false},   {"-", RW_OP_SUB, false},  {"*", RW_OP_MUL, false},  {"/", RW_OP_DIV, false},
                 {"^", RW_OP_POW, false},   {"u-", RW_OP_NEG, false}, {"<", RW_OP_LT, false},   {"<=", RW_OP_LE, false},
                 {">", RW_OP_LT, true},     {">=", RW_OP_LE, true},   {"==", RW_OP_EQ, false},  {"!=", RW_OP_NE, false},
                 {"and", RW_OP_AND, false}, {"or", RW_OP_OR, false},  {"not", RW_OP_NOT, false}};
    rw_graph *g = l->graph;
    rw_value a, b = {.n = 1};
    RW_TRY(rw_lower(l, l->source, s->args[0], &a));
    if (s->name[0] == 'u' && s->name[1] == '.') return lower_component(l, s, &a, v);
    if (s->n > 1) RW_TRY(rw_lower(l, l->source, s->args[1], &b));
    char sa[32], sb[32];
    if (!strcmp(s->name, "\xc2\xb7")) { /* inner product of vectors at each node */
        if (a.n != g->grid.ndim || b.n != g->grid.ndim)
            return FAIL(s->at, "incompatible shapes: %s · %s: both must be vectors of length %d",
                        rw_shape_name(l, &a, sa), rw_shape_name(l, &b, sb), g->grid.ndim);
        rw_node sum = rw_real(g, 0);
        for (int d = 0; d < a.n; ++d) sum = rw_make2(g, RW_OP_ADD, sum, rw_make2(g, RW_OP_MUL, a.node[d], b.node[d]));
        *v = rw_scalar_value(sum);
        return RW_OK;
    }
    int row = 0;
    while (strcmp(table[row].sign, s->name)) ++row;
    rw_node_op op = table[row].op;
    bool linear = op == RW_OP_ADD || op == RW_OP_SUB, vectors = a.n > 1 || b.n > 1;
    if (vectors) {
        bool ok = op == RW_OP_NEG || (linear && a.n == b.n) || (op == RW_OP_MUL && (a.n == 1 || b.n == 1)) ||
                  (op == RW_OP_DIV && b.n == 1);
        if (!ok)
            return FAIL(s->at,
                        "incompatible shapes: %s %s %s: vectors can be added to vectors, scaled, or multiplied with · ",
                        rw_shape_name(l, &a, sa), s->name[0] == 'u' ? "-" : s->name, rw_shape_name(l, &b, sb));
        int n = RW_MAX(a.n, b.n);
        rw_value out = {.n = n};
        for (int d = 0; d < n; ++d)
            out.node[d] = rw_make(g, op, a.node[a.n > 1 ? d : 0], op == RW_OP_NEG ? -1 : b.node[b.n > 1 ? d : 0], -1);
        rw_combine_fluxes(g, op, &a, &b, &out);
        *v = out;
        return RW_OK;
    }
    rw_node args[3] = {a.node[0], b.node[0], -1};
    if (table[row].swap) {
        args[0] = b.node[0];
        args[1] = a.node[0];
    }
    RW_TRY(make_checked(l, s, op, args, v));
    rw_combine_fluxes(g, op, &a, &b, v);
    return RW_OK;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static rw_status lower_function(rw_lowering *l, const rw_syntax *s, const rw_function *f, const rw_value *args, int n,
                                rw_value *v)
{
    const rw_statement *d = f->definition;
    if (n != d->nparameters)
        return FAIL(s->at, "function %s takes %d argument%s, %d given", f->name, d->nparameters,
                    d->nparameters == 1 ? "" : "s", n);
    if (l->depth == MAX_CALLS) return FAIL(s->at, "function %s calls itself: recursion is not supported", f->name);
    int frame = l->frame, nlocals = l->nlocals;
    const rw_source *source = l->source;
    for (int i = 0; i < n; ++i) RW_TRY(rw_lower_local(l, source, s->at, d->parameters[i], args[i]));
    if (!l->depth) l->base = nlocals;
    l->frame = nlocals;
    l->depth++;
    l->source = f->source;
    rw_status status = rw_lower(l, f->source, d->value, v);
    l->frame = frame;
    l->depth--;
    l->source = source;
    l->nlocals = nlocals;
    return status;
}

static rw_status lower_c_function(rw_lowering *l, const rw_syntax *s, int function, const rw_value *args, int n,
                                  rw_value *v)
{
    rw_graph *g = l->graph;
    rw_node nodes[3] = {rw_real(g, 0), rw_real(g, 0), rw_real(g, 0)};
    RW_TRY(rw_need_arguments(l, s, n, g->functions[function].arguments));
    for (int i = 0; i < n; ++i) {
        if (args[i].n > 1 || g->nodes[args[i].node[0]].is_complex) return FAIL(s->at, "%s takes real numbers", s->name);
        nodes[i] = args[i].node[0];
    }
    *v = rw_scalar_value(rw_call(g, function, nodes));
    return RW_OK;
}

static rw_node cell_count(rw_graph *g) { return rw_real(g, rw_grid_nodes(&g->grid)); }

/* |a|^2, real. */
static rw_node square(rw_graph *g, rw_node a)
{
    if (!g->nodes[a].is_complex) return rw_make2(g, RW_OP_MUL, a, a);
    rw_node re = rw_make1(g, RW_OP_REAL, a), im = rw_make1(g, RW_OP_IMAG, a);
    return rw_make2(g, RW_OP_ADD, rw_make2(g, RW_OP_MUL, re, re), rw_make2(g, RW_OP_MUL, im, im));
}

/* The nearest integer; of two the one away from 0. */
static rw_node nearest(rw_graph *g, rw_node a)
{
    const rw_node size = rw_make1(g, RW_OP_ABS, a), below = rw_make1(g, RW_OP_FLOOR, size);
    const rw_node up = rw_make2(g, RW_OP_LE, rw_real(g, 0.5), rw_make2(g, RW_OP_SUB, size, below));
    return rw_make2(g, RW_OP_MUL, rw_make1(g, RW_OP_SIGN, a), rw_make2(g, RW_OP_ADD, below, up));
}

static rw_node step(rw_graph *g, rw_node a)
{
    const rw_node zero = rw_real(g, 0), above = rw_make2(g, RW_OP_LT, zero, a);
    return rw_make(g, RW_OP_WHERE, rw_make2(g, RW_OP_EQ, a, zero), rw_real(g, 0.5), above);
}

/* Functions that are written with others: ceil, round, heaviside. */
static rw_status lower_shorthand(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, bool *known,
                                 rw_value *v)
{
    rw_graph *g = l->graph;
    const char *w = s->name;
    *known = !strcmp(w, "ceil") || !strcmp(w, "round") || !strcmp(w, "heaviside");
    if (!*known) return RW_OK;
    RW_TRY(rw_need_arguments(l, s, n, 1));
    const rw_node a = args[0].node[0];
    RW_TRY(check_kind(l, s, RW_OP_FLOOR, &a));
    if (*w == 'c') *v = rw_scalar_value(rw_make1(g, RW_OP_NEG, rw_make1(g, RW_OP_FLOOR, rw_make1(g, RW_OP_NEG, a))));
    else *v = rw_scalar_value(*w == 'r' ? nearest(g, a) : step(g, a));
    return RW_OK;
}

/* noise(seed), normal(seed) */
static rw_status lower_noise(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, bool *known, rw_value *v)
{
    rw_graph *g = l->graph;
    *known = !strcmp(s->name, "noise") || !strcmp(s->name, "normal");
    if (!*known) return RW_OK;
    RW_TRY(rw_need_arguments(l, s, n, 1));
    const rw_graph_node *seed = g->nodes + args[0].node[0];
    const bool good = seed->op == RW_OP_CONST && seed->im == 0 && seed->re == floor(seed->re);
    if (!good || seed->re < 0 || seed->re > 2147483647)
        return FAIL(s->args[0]->at, "the seed of %s must be an integer from 0 to 2147483647", s->name);
    if (g->unstructured)
        return FAIL(s->at, "%s is not defined here: the cells of this grid are not in rows along x, y and z", s->name);
    rw_node index[3];
    const int number = (int)seed->re;
    for (int d = 0; d < 3; ++d) index[d] = d < g->grid.ndim ? rw_index(g, d, 0) : rw_real(g, 0);
    *v = rw_scalar_value(rw_noise(g, s->name[2] == 'i' ? RW_OP_NOISE : RW_OP_NORMAL, number, index));
    return RW_OK;
}

/* Reductions: sum, mean, min, max, norm, norm1, normmax of one expression, dot of two. *known is false for others. */
static rw_status lower_reduction(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, bool *known,
                                 rw_value *v)
{
    rw_graph *g = l->graph;
    const char *w = s->name;
    rw_node a = n > 0 ? args[0].node[0] : -1, r;
    bool extreme = !strcmp(w, "min") || !strcmp(w, "max");
    *known = !strcmp(w, "sum") || !strcmp(w, "mean") || !strcmp(w, "norm") || !strcmp(w, "norm1") ||
             !strcmp(w, "normmax") || !strcmp(w, "dot") || (extreme && n == 1);
    if (!*known) return RW_OK;
    if (l->no_fields) return FAIL(s->at, "reduction %s is not allowed here", w);
    if (!strcmp(w, "dot")) {
        RW_TRY(rw_need_arguments(l, s, n, 2));
        if (args[0].n != args[1].n) return FAIL(s->at, "incompatible shapes in dot: a vector and a scalar");
        r = rw_real(g, 0);
        for (int d = 0; d < args[0].n; ++d)
            r = rw_make2(g, RW_OP_ADD, r,
                         rw_make2(g, RW_OP_MUL, rw_make1(g, RW_OP_CONJ, args[0].node[d]), args[1].node[d]));
        *v = rw_scalar_value(rw_reduce(g, RW_SUM, r));
        return RW_OK;
    }
    RW_TRY(rw_need_arguments(l, s, n, 1));
    if (!strcmp(w, "norm")) {
        r = square(g, a);
        for (int d = 1; d < args[0].n; ++d) r = rw_make2(g, RW_OP_ADD, r, square(g, args[0].node[d]));
        *v = rw_scalar_value(rw_make1(g, RW_OP_SQRT, rw_reduce(g, RW_SUM, r)));
        return RW_OK;
    }
    RW_TRY(rw_need_scalars(l, s, args, n));
    if ((extreme) && g->nodes[a].is_complex)
        return FAIL(s->at, "%s is not defined for complex numbers: take %s(abs(…)), or of real() or imag()", w, w);
    if (!strcmp(w, "min")) r = rw_reduce(g, RW_REDUCE_MIN, a);
    else if (!strcmp(w, "max")) r = rw_reduce(g, RW_REDUCE_MAX, a);
    else if (!strcmp(w, "normmax")) /* 0 for an empty grid */
        r = rw_make2(g, RW_OP_MAX, rw_reduce(g, RW_REDUCE_MAX, rw_make1(g, RW_OP_ABS, a)), rw_real(g, 0));
    else if (!strcmp(w, "norm1")) r = rw_reduce(g, RW_SUM, rw_make1(g, RW_OP_ABS, a));
    else if (!strcmp(w, "mean")) r = rw_make2(g, RW_OP_DIV, rw_reduce(g, RW_SUM, a), cell_count(g));
    else r = rw_reduce(g, RW_SUM, a);
    *v = rw_scalar_value(r);
    return RW_OK;
}

/* "dx(u), second derivatives as dxx(u), laplace(u)" */
static rw_status fail_partial(rw_lowering *l, const rw_syntax *s, rw_node leaf, int field)
{
    const rw_graph *g = l->graph;
    const rw_graph_node *p = g->nodes + leaf;
    const char *u = g->fields[field].name, *by = p->op == RW_OP_COORD ? axis_names[p->index] : s->args[1]->name;
    if (p->op == RW_OP_COORD && !g->unstructured) {
        const char *axis = axis_names[p->index];
        return FAIL(s->at,
                    "diff is the derivative of a formula, and %s is a field, not a formula of %s: write d%s(%s), a "
                    "second derivative as d%s%s(%s) or laplace(%s)",
                    u, by, axis, u, axis, axis, u, u);
    }
    if (p->op == RW_OP_PARAM)
        return FAIL(s->at,
                    "diff is the derivative of a formula, and %s is a field, not a formula of t: its rate of change is "
                    "what its equation d%s/dt = … gives",
                    u, u);
    return FAIL(
        s->at, "diff is the derivative of a formula, and %s is a field, not a formula of %s: of fields use laplace(%s)",
        u, by, u);
}

/* diff(e, name): the leaf is a scalar, a coordinate, or a field at the node itself. Fields are functions of place and
 * time that no formula gives: as formulas, their derivatives by a coordinate or t would be 0, which is wrong. */
static rw_status lower_diff(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, rw_value *v)
{
    RW_TRY(rw_need_arguments(l, s, n, 2));
    RW_TRY(rw_need_scalars(l, s, args, n));
    rw_node_op op = (rw_node_op)l->graph->nodes[args[1].node[0]].op;
    if (op != RW_OP_PARAM && op != RW_OP_COORD && op != RW_OP_FIELD)
        return FAIL(s->args[1]->at, "diff takes an expression and the name of a scalar, coordinate or field");
    const int field = rw_graph_place_field(l->graph, args[0].node[0], args[1].node[0]);
    if (field >= 0) return fail_partial(l, s, args[1].node[0], field);
    const char *problem;
    rw_node d = rw_diff(l->graph, args[0].node[0], args[1].node[0], &problem);
    if (d < 0) return FAIL(s->at, "%s has no derivative here", problem);
    *v = rw_scalar_value(d);
    return RW_OK;
}

/* exp2, log2 and log10 of complex arguments, by exp and log. */
static rw_status lower_complex_base(rw_lowering *l, const rw_syntax *s, const rw_value *args, int n, bool *known,
                                    rw_value *v)
{
    rw_graph *g = l->graph;
    bool is_exp2 = !strcmp(s->name, "exp2");
    *known = n == 1 && g->nodes[args[0].node[0]].is_complex &&
             (is_exp2 || !strcmp(s->name, "log2") || !strcmp(s->name, "log10"));
    if (!*known) return RW_OK;
    double base = s->name[3] == '1' ? 10 : 2;
    rw_node a = args[0].node[0];
    *v = rw_scalar_value(is_exp2 ? rw_make1(g, RW_OP_EXP, rw_make2(g, RW_OP_MUL, rw_real(g, log(2)), a))
                                 : rw_make2(g, RW_OP_DIV, rw_make1(g, RW_OP_LOG, a), rw_real(g, log(base))));
    return RW_OK;
}

/* inner(e, k), unless the program has a function of this name. */
static bool is_inner(const rw_lowering *l, const rw_syntax *s)
{
    bool is = !strcmp(s->name, "inner") && rw_graph_find_function(l->graph, s->name) < 0;
    for (int i = 0; i < l->nfunctions; ++i) is = is && strcmp(l->functions[i].name, s->name) != 0;
    return is;
}

static rw_status lower_call(rw_lowering *l, const rw_syntax *s, rw_value *v)
{
    rw_value args[16];
    bool known;
    if (is_inner(l, s)) return rw_lower_inner(l, s, v);
    for (int i = 0; i < s->n; ++i) RW_TRY(rw_lower(l, l->source, s->args[i], args + i));
    if (*s->name == '[') return lower_vector(l, s, args, s->n, v);
    for (int i = 0; i < l->nfunctions; ++i)
        if (!strcmp(l->functions[i].name, s->name)) return lower_function(l, s, l->functions + i, args, s->n, v);
    int in_c = rw_graph_find_function(l->graph, s->name);
    if (in_c >= 0) return lower_c_function(l, s, in_c, args, s->n, v);
    RW_TRY(rw_lower_grid_operator(l, s, args, s->n, &known, v));
    if (known) return RW_OK;
    RW_TRY(lower_reduction(l, s, args, s->n, &known, v));
    if (known) return RW_OK;
    if (!strcmp(s->name, "diff")) return lower_diff(l, s, args, s->n, v);
    if (!strcmp(s->name, "implicit")) return rw_lower_implicit(l, s, args, s->n, v);
    RW_TRY(rw_need_scalars(l, s, args, s->n));
    RW_TRY(lower_complex_base(l, s, args, s->n, &known, v));
    if (known) return RW_OK;
    RW_TRY(lower_shorthand(l, s, args, s->n, &known, v));
    if (known) return RW_OK;
    RW_TRY(lower_noise(l, s, args, s->n, &known, v));
    if (known) return RW_OK;
    rw_node_op op = RW_OP_COUNT;
    for (int i = 0; i < RW_OP_COUNT; ++i)
        if (rw_ops[i].word && rw_ops[i].word[0] && !strcmp(rw_ops[i].word, s->name)) op = (rw_node_op)i;
    if (op == RW_OP_COUNT) return fail_name(l, s, "function");
    if ((op == RW_OP_MIN || op == RW_OP_MAX) && s->n > 2) { /* any number of arguments */
        rw_node m = args[0].node[0];
        for (int i = 1; i < s->n; ++i) {
            rw_node pair[2] = {m, args[i].node[0]};
            RW_TRY(make_checked(l, s, op, pair, v));
            m = v->node[0];
        }
        return RW_OK;
    }
    RW_TRY(rw_need_arguments(l, s, s->n, rw_ops[op].arity));
    rw_node nodes[3] = {-1, -1, -1};
    for (int i = 0; i < s->n && i < 3; ++i) nodes[i] = args[i].node[0];
    return make_checked(l, s, op, nodes, v);
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

rw_status rw_lower(rw_lowering *l, const rw_source *source, const rw_syntax *s, rw_value *v)
{
    const rw_source *outer = l->source;
    rw_status status = RW_OK;
    l->source = source;
    if (++l->nesting > MAX_NESTING)
        status = FAIL(s->at, "more than %d nested operations: assign parts of the expression to names", MAX_NESTING);
    else if (++l->terms > MAX_TERMS)
        status = FAIL(s->at, "the functions of this program expand to more than %d terms", MAX_TERMS);
    else switch (s->kind) {
        case RW_SYNTAX_NUMBER:
            *v = rw_scalar_value(s->imaginary  ? rw_const(l->graph, 0, s->value)
                                 : s->is_exact ? rw_exact(l->graph, s->exact)
                                               : rw_real(l->graph, s->value));
            break;
        case RW_SYNTAX_NAME: status = lower_name(l, s, v); break;
        case RW_SYNTAX_CALL: status = lower_call(l, s, v); break;
        case RW_SYNTAX_OPERATOR: status = lower_operator(l, s, v); break;
        }
    if (status == RW_OK && l->graph->too_large)
        status =
            FAIL(s->at,
                 "the equations have more than %d terms, or a chain of more than %d terms that depend on each other",
                 RW_GRAPH_NODES, RW_GRAPH_DEPTH);
    else if (status == RW_OK && l->graph->failed)
        status = rw_fail_memory(l->ctx, (size_t)l->graph->n * sizeof *l->graph->nodes, "the terms of the equations");
    l->source = outer;
    l->nesting--;
    return status;
}

rw_status rw_lower_define(rw_lowering *l, const rw_source *source, const rw_statement *s)
{
    if (rw_is_reserved(s->name))
        return rw_fail_at(l->ctx, source, s->at,
                          "function %s has the name of a coordinate, operator or function: choose another name",
                          s->name);
    for (int i = 0; i < l->nfunctions; ++i)
        if (!strcmp(l->functions[i].name, s->name))
            return rw_fail_at(l->ctx, source, s->at, "function %s is defined twice", s->name);
    if (rw_graph_find_function(l->graph, s->name) >= 0)
        return rw_fail_at(l->ctx, source, s->at, "function %s is defined in C: choose another name", s->name);
    if (!rw_grow(&l->functions, &l->functions_capacity, l->nfunctions + 1, sizeof *l->functions))
        return rw_fail_memory(l->ctx, sizeof *l->functions, "a function");
    rw_function *f = l->functions + l->nfunctions++;
    snprintf(f->name, sizeof f->name, "%s", s->name);
    f->definition = s;
    f->source = source;
    return RW_OK;
}

rw_status rw_lower_definitions(rw_lowering *l, const rw_source *source, const rw_parsed *parsed)
{
    for (int i = 0; i < parsed->n; ++i)
        if (parsed->statements[i].kind == RW_DEFINE) RW_TRY(rw_lower_define(l, source, parsed->statements + i));
    return RW_OK;
}

rw_status rw_lower_local(rw_lowering *l, const rw_source *source, int at, const char *name, rw_value value)
{
    (void)source;
    (void)at;
    if (!rw_grow(&l->locals, &l->locals_capacity, l->nlocals + 1, sizeof *l->locals))
        return rw_fail_memory(l->ctx, sizeof *l->locals, "a name");
    snprintf(l->locals[l->nlocals].name, 32, "%s", name);
    for (int i = 0; i < value.nfluxes; ++i)
        /* a name for dx(u) is its values, as a field would be; vectors are no fields */
        if (value.flux[i].axis >= 0) value.nfluxes = 0;
    l->locals[l->nlocals++].value = value;
    return RW_OK;
}

rw_status rw_lower_text(rw_lowering *l, const rw_source *source, rw_node *node)
{
    rw_parsed parsed;
    rw_value v;
    RW_TRY(rw_parse_expression(l->ctx, source, &parsed));
    const rw_syntax *s = parsed.statements[0].value;
    rw_status status = rw_lower(l, source, s, &v);
    if (status == RW_OK && v.n > 1)
        status =
            rw_fail_at(l->ctx, source, s->at, "incompatible shapes: a vector of %d where a scalar is expected", v.n);
    if (status == RW_OK) *node = v.node[0];
    rw_parsed_free(&parsed);
    return status;
}
