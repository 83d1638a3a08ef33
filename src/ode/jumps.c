/* Jumps inside a step: right-hand sides that are not continuous in place or in the fields, such as a moving source
 * where(abs(x - t) < 0.05, 10, 0) or a reaction that is switched by a threshold.
 *
 * An estimate by stages misses a jump that lies beyond the last stage's time, and none of the methods' estimates is of
 * the size of the error there. So the step's two ends are compared: in F(t_{n+1}, y_{n+1}) the comparisons, floor,
 * sign, mod and conditions S take the values that they had at t_n,
 *
 *   J = F(t_{n+1}, y_{n+1}) - F(t_{n+1}, y_{n+1}; S(t_n, y_n)),       error h J in the norm of the estimates.
 *
 * J is zero where nothing is switched, however stiff the equations are; elsewhere h |J| bounds what a quadrature of one
 * step can miss. It costs one evaluation of the right-hand side per step, only where the equations have such nodes. A
 * pulse that begins and ends at a node within one step is not seen there, but at the nodes where it begins or ends.
 * Of rk4, whose stages may lie on both sides of a threshold so that their sum is no step at all, the last stage is
 * compared with the beginning too.
 * Boundary values that jump in place and time are treated alike. Switches in time alone are hit instead
 * (switches.c). */
#include <string.h>

#include "ode/ode.h"

/* END: y_{n+1}, wherever the method has it; FROZEN: the same with boundary values whose switches are those of t_n. The
 * program does not depend on the method: AUTO makes it before it has chosen one. */
enum { Y, FROZEN = RW_PAST, END };

enum { NAMED = 3 }; /* expressions in a message */

struct rw_jumps {
    rw_text text; /* the expressions */
    int named;
    rw_stage stage; /* empty: the equations have no jumps */
    int *end;       /* by field: the graph's field that is bound to y_{n+1}; -1: none */
    int *frozen;    /* the same, bound a second time */
};

typedef struct freezing {
    rw_building *b;
    rw_jumps *jumps;
    int t0, t1;         /* parameters: times of both ends */
    bool sides;         /* boundary values are switched */
    rw_node *done;      /* by node of the graph as it was; -1: not yet */
    signed char *moves; /* the same: whether the node depends on the step's end; -1: not known yet */
    int n;
} freezing;

/* The user's field whose value in the vector the leaf is; -1: it is something else. */
static int field_of(const freezing *z, const rw_graph_node *leaf, int vector)
{
    int nf = z->b->ode->nfields;
    for (int f = 0; leaf->op == RW_OP_FIELD && f < nf; ++f)
        if (leaf->index == z->b->field[vector * nf + f]) return f;
    const int u = leaf->op == RW_OP_FIELD && z->b->unknown[vector] >= 0 ? leaf->index - z->b->unknown[vector] : -1;
    return u >= 0 && u < z->b->ode->nunknowns ? nf + u : -1;
}

static rw_node value_in(const freezing *z, rw_graph_node leaf, int vector, int f)
{
    rw_graph *g = z->b->graph;
    const int nf = z->b->ode->nfields;
    int i = f < nf ? z->b->field[vector * nf + f] : z->b->unknown[vector] + f - nf;
    return rw_field(g, i, g->fields[i].versions, (int[3]){leaf.offset[0], leaf.offset[1], leaf.offset[2]});
}

/* A leaf at the step's end as it was at the beginning. */
static rw_node earlier_leaf(void *user, rw_graph *g, rw_node leaf)
{
    const freezing *z = user;
    rw_graph_node p = g->nodes[leaf];
    if (p.op == RW_OP_PARAM && p.index == z->t1) return rw_scalar_argument(g, z->t0);
    int f = field_of(z, &p, END);
    return f >= 0 ? value_in(z, p, Y, f) : leaf;
}

static bool moves(freezing *z, rw_node n)
{
    if (n < 0) return false;
    if (n < z->n && z->moves[n] >= 0) return z->moves[n];
    const rw_graph_node *p = z->b->graph->nodes + n;
    bool found = (p->op == RW_OP_PARAM && p->index == z->t1) || field_of(z, p, END) >= 0;
    for (int i = 0; i < rw_ops[p->op].arity && !found; ++i) found = moves(z, p->arg[i]);
    if (n < z->n) z->moves[n] = found;
    return found;
}

static rw_node earlier(freezing *z, rw_node n)
{
    return moves(z, n) ? rw_graph_map(z->b->graph, n, earlier_leaf, z) : n;
}

static const char *name_of(void *user, int field)
{
    const rw_building *b = user;
    int nf = b->ode->nfields, k = 0;
    while (k < RW_ODE_VECTORS * nf && b->field[k] != field) ++k;
    for (int v = 0; v < RW_ODE_VECTORS; ++v)
        if (b->unknown[v] >= 0 && field >= b->unknown[v] && field < b->unknown[v] + b->ode->nunknowns)
            return b->ode->fields[nf + field - b->unknown[v]].name;
    if (k == RW_ODE_VECTORS * nf) return b->graph->fields[field].name; /* an external one */
    return b->ode->fields[k % nf].name;
}

/* The switch as text, once each. */
static void name(freezing *z, rw_node n)
{
    rw_jumps *j = z->jumps;
    rw_text text = {0};
    rw_range_node_text(z->b->graph, n, name_of, z->b, &text);
    if (text.data && !(j->text.data && strstr(j->text.data, text.data)) && j->named <= NAMED) {
        rw_text_add(&j->text, "%s%s", j->named == 0 ? "" : ", ", j->named == NAMED ? "..." : text.data);
        j->named++;
    }
    rw_text_free(&text);
}

static bool is_truth(rw_node_op op) { return rw_ops[op].kind == 'B'; }

static rw_node freeze(freezing *z, rw_node n);

static bool is_state(const freezing *z, int f) { return f >= 0 && f < z->b->ode->nfields; }

static rw_node freeze_parts(freezing *z, rw_node n)
{
    rw_graph *g = z->b->graph;
    rw_graph_node p = g->nodes[n];
    rw_node_op op = (rw_node_op)p.op;
    const bool jumps = is_truth(op) || op == RW_OP_FLOOR || op == RW_OP_SIGN;
    if ((jumps || op == RW_OP_MOD) && moves(z, n)) name(z, n);
    if (jumps) return earlier(z, n);
    rw_node arg[3];
    for (int i = 0; i < 3; ++i) arg[i] = freeze(z, p.arg[i]);
    if (op == RW_OP_MOD && moves(z, n)) { /* a - b q, q as it was */
        rw_node a = earlier(z, p.arg[0]), b = earlier(z, p.arg[1]), q = OP(DIV, OP(SUB, a, OP(MOD, a, b)), b);
        return OP(SUB, arg[0], OP(MUL, arg[1], rw_make1(g, RW_OP_FLOOR, OP(ADD, q, rw_real(g, 0.5)))));
    }
    if (op == RW_OP_WHERE) arg[0] = earlier(z, p.arg[0]);
    if (arg[0] == p.arg[0] && arg[1] == p.arg[1] && arg[2] == p.arg[2]) return n;
    if (op == RW_OP_REDUCE) return rw_reduce(g, (rw_reduce_kind)p.index, arg[0]);
    return op == RW_OP_CALL ? rw_call(g, p.index, arg) : rw_make(g, op, arg[0], arg[1], arg[2]);
}

/* The node with what switches it as it was at the beginning. */
static rw_node freeze(freezing *z, rw_node n)
{
    rw_graph *g = z->b->graph;
    if (n < 0 || g->failed) return n;
    if (n < z->n && z->done[n] >= 0) return z->done[n];
    rw_graph_node p = g->nodes[n];
    rw_node result = n;
    /* scalars of time are hit by switches.c */
    if (rw_ops[p.op].arity && (p.is_field || p.reduced)) result = freeze_parts(z, n);
    else if (z->sides && is_state(z, field_of(z, &p, END))) result = value_in(z, p, FROZEN, field_of(z, &p, END));
    if (n < z->n) z->done[n] = result;
    return result;
}

static void forget(freezing *z)
{
    memset(z->done, -1, (size_t)z->n * sizeof *z->done);
    memset(z->moves, -1, (size_t)z->n * sizeof *z->moves);
}

static void freeze_sides(freezing *z)
{
    rw_building *b = z->b;
    int nf = b->ode->nfields;
    for (int f = 0; f < nf; ++f)
        for (int s = 0; s < 2 * b->ode->grid.ndim && !b->graph->failed; ++s) {
            int from = b->field[END * nf + f], to = b->field[FROZEN * nf + f];
            for (int i = 0; i < 3; ++i) {
                const rw_node part = b->graph->fields[from].boundary[s].value[i], frozen = freeze(z, part);
                z->sides = z->sides || frozen != part;
                b->graph->fields[to].boundary[s].value[i] = frozen;
            }
        }
    if (z->sides) forget(z);
}

/* jumps: h J. False: nothing is switched. */
static bool build_jumps(freezing *z, rw_node h, rw_node *jumps)
{
    rw_building *b = z->b;
    rw_graph *g = b->graph;
    bool any = false;
    rw_build_rates(b, END, jumps);
    rw_build_sides(b, FROZEN);
    if (b->status != RW_OK) return false;
    z->n = g->n;
    z->done = rw_calloc((size_t)z->n, sizeof *z->done);
    z->moves = rw_calloc((size_t)z->n, sizeof *z->moves);
    if (!z->done || !z->moves) g->failed = true;
    else {
        forget(z);
        freeze_sides(z);
    }
    for (int f = 0; f < b->ode->nfields && !g->failed; ++f) {
        rw_node frozen = freeze(z, jumps[f]);
        any = any || frozen != jumps[f];
        jumps[f] = OP(MUL, h, OP(SUB, jumps[f], frozen));
    }
    rw_free(z->done);
    rw_free(z->moves);
    return any;
}

static rw_status build(rw_ode *ode, rw_jumps *j)
{
    int nf = ode->nfields;
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *jumps = b.node[0], *y = b.node[1], *next = b.node[2];
    freezing z = {.b = &b, .jumps = j};
    rw_node t0 = rw_build_scalar(&b, "t0"), t1 = rw_build_scalar(&b, "t1"), h = rw_build_scalar(&b, "h");
    if (b.status == RW_OK) {
        z.t0 = b.graph->nodes[t0].index;
        z.t1 = b.graph->nodes[t1].index;
    }
    rw_build_vector(&b, Y, t0);
    rw_build_vector(&b, END, t1);
    rw_build_vector(&b, FROZEN, t1);
    if (!build_jumps(&z, h, jumps)) return rw_build_drop(&b);
    for (int f = 0; f < nf && b.status == RW_OK; ++f) {
        y[f] = rw_build_value(&b, Y, f);
        next[f] = rw_build_value(&b, END, f);
    }
    rw_build_norm(&b, jumps, y, next);
    for (int f = 0; f < nf && b.status == RW_OK; ++f) {
        j->end[f] = b.field[END * nf + f];
        j->frozen[f] = b.field[FROZEN * nf + f];
        b.field[END * nf + f] = b.field[FROZEN * nf + f] = -1; /* bound by compare */
    }
    return rw_build_end(&b, "jumps", &j->stage);
}

rw_status rw_jumps_create(rw_ode *ode, rw_jumps **jumps)
{
    rw_jumps *j = *jumps = rw_calloc(1, sizeof *j);
    if (j) j->end = rw_calloc(2 * (size_t)ode->nfields, sizeof *j->end);
    if (j && j->end) j->frozen = j->end + ode->nfields;
    rw_status status = j && j->end ? build(ode, j) : rw_fail_memory(ode->device->ctx, sizeof *j, "an integrator");
    if (status != RW_OK) rw_jumps_free(jumps);
    return status;
}

void rw_jumps_free(rw_jumps **jumps)
{
    if (!*jumps) return;
    rw_stage_free(&(*jumps)->stage);
    rw_text_free(&(*jumps)->text);
    rw_free((*jumps)->end);
    rw_free(*jumps);
    *jumps = NULL;
}

const char *rw_jumps_text(const rw_jumps *j)
{
    return j->text.data && !j->text.failed ? j->text.data : "the right-hand side";
}

bool rw_jumps_any(const rw_jumps *j) { return j->stage.expr != NULL; }

/* Between y_n and y_{n+1} in the vector. */
static rw_status compare(rw_ode *ode, rw_jumps *j, int vector, double h, double *error)
{
    rw_stage_set(&j->stage, "t0", ode->now.t);
    rw_stage_set(&j->stage, "t1", ode->step_end);
    rw_stage_set(&j->stage, "h", h);
    for (int f = 0; f < ode->nfields; ++f) {
        rw_array *end = ode->vector[vector * ode->nfields + f];
        rw_expr_hold(j->stage.expr, j->end[f], end);
        rw_expr_hold(j->stage.expr, j->frozen[f], end);
    }
    for (int i = 0; i < j->stage.nreads; ++i)
        if (j->stage.reads[i].vector != Y) j->stage.reads[i].vector = vector;
    RW_TRY(rw_stage_run(ode, &j->stage));
    ode->now.stat.rhs++;
    return rw_expr_get(j->stage.expr, "norm", error, NULL);
}

rw_status rw_jumps_error(rw_ode *ode, rw_jumps *j, double h, double *error)
{
    const rw_ode_ops *ops = ode->ops;
    double inner;
    *error = 0;
    if (!j->stage.expr) return RW_OK;
    RW_TRY(compare(ode, j, ops->result, h, error));
    if (!ops->inner) return RW_OK;
    RW_TRY(compare(ode, j, ops->inner, h, &inner));
    *error = RW_MAX(*error, inner);
    return RW_OK;
}
