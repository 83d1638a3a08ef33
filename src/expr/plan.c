/* Statements are placed one by one, in their order; nothing placed is moved again. */
#include "expr/plan.h"

#include <math.h>
#include <string.h>

#include "expr/boundary.h"

rw_status rw_plan_begin(rw_plan *plan, rw_graph *graph, int trace)
{
    memset(plan, 0, sizeof *plan);
    plan->graph = graph;
    plan->trace = trace;
    plan->nslots = rw_trace_slot(graph) + (trace > 0);
    plan->fields = rw_calloc((size_t)RW_MAX(graph->nfields, 1), sizeof *plan->fields);
    plan->states = rw_calloc((size_t)RW_MAX(graph->nstates, 1), sizeof *plan->states);
    if (!plan->fields || !plan->states)
        return rw_fail_memory(graph->ctx, (size_t)graph->nfields * sizeof *plan->fields, "a plan");
    for (int i = 0; i < graph->nstates; ++i) plan->states[i] = -1;
    for (int i = 0; i < graph->nfields; ++i) plan->fields[i].read = plan->fields[i].read_off = -1;
    return RW_OK;
}

void rw_plan_end(rw_plan *plan)
{
    rw_free(plan->stores);
    rw_free(plan->reductions);
    rw_free(plan->results);
    rw_free(plan->fields);
    rw_free(plan->states);
    memset(plan, 0, sizeof *plan);
}

static bool here(const rw_graph_node *p) { return !p->offset[0] && !p->offset[1] && !p->offset[2] && !p->column; }

static const rw_store *find_store(const rw_plan *plan, int field, int version)
{
    for (int i = 0; i < plan->nstores; ++i)
        if (plan->stores[i].field == field && plan->stores[i].version == version) return plan->stores + i;
    return NULL;
}

const rw_store *rw_store_of(const rw_plan *plan, const rw_graph_node *p)
{
    return p->version ? find_store(plan, p->index, p->version) : NULL;
}

const rw_store *rw_next_store(const rw_plan *plan, int pass, const rw_store *s)
{
    for (int64_t i = s ? s - plan->stores + 1 : 0; i < plan->nstores; ++i)
        if (plan->stores[i].pass == pass && !plan->stores[i].dead) return plan->stores + i;
    return NULL;
}

const rw_store *rw_final_store(const rw_plan *plan, int first, int last, int field)
{
    const rw_store *final = NULL;
    for (int i = 0; i < plan->nstores; ++i) {
        const rw_store *s = plan->stores + i;
        if (s->field != field || s->pass < first || s->pass > last || s->dead) continue;
        if (!final || s->pass > final->pass) final = s;
    }
    return final;
}

const rw_store *rw_plan_forward(const rw_plan *plan, int pass, const rw_graph_node *p)
{
    if (p->op != RW_OP_FIELD || !here(p)) return NULL;
    const rw_store *s = rw_store_of(plan, p);
    return s && s->pass == pass ? s : NULL;
}

const rw_reduction *rw_plan_reduction(const rw_plan *plan, rw_node reduce)
{
    for (int i = 0; i < plan->nreductions; ++i)
        if (plan->reductions[i].node == reduce) return plan->reductions + i;
    return NULL;
}

bool rw_pass_reduces(const rw_plan *plan, int pass)
{
    bool any = false;
    for (int i = 0; i < plan->nreductions; ++i) any = any || plan->reductions[i].pass == pass;
    return any;
}

/* ---- placing ---------------------------------------------------------------------------------------------------- */

typedef struct visit {
    rw_plan *plan;
    bool *seen;
    int pass;  /* earliest pass so far */
    bool mark; /* second sweep: note the reads at `pass` */
    int lost;  /* a field whose old value is wanted after it is overwritten; -1: none */
} visit;

/* A name defined before an assignment may still mean the old value of the field. */
static void note_old_value(visit *v, const rw_graph_node *p)
{
    if (p->version == v->plan->graph->fields[p->index].versions) return;
    for (int i = 0; i < v->plan->nstores; ++i) {
        rw_store *s = v->plan->stores + i;
        if (s->field != p->index || s->version <= p->version || s->dead) continue;
        if (s->pass < v->pass) v->lost = p->index;
        else if (s->pass == v->pass && !here(p)) s->shadow = true;
    }
}

static void visit_field(visit *v, const rw_graph_node *p)
{
    struct rw_plan_field *f = v->plan->fields + p->index;
    if (v->mark) {
        f->read = RW_MAX(f->read, v->pass);
        if (!here(p)) f->read_off = RW_MAX(f->read_off, v->pass);
        note_old_value(v, p);
    } else if (p->version) {
        v->pass = RW_MAX(v->pass, find_store(v->plan, p->index, p->version)->pass + !here(p));
    }
}

/* The field as a side reads it that p asks for: its value after p->stores assignments, at other nodes. */
static void visit_read_by_side(visit *v, const rw_graph_node *p, int field)
{
    rw_graph_node read = {.op = RW_OP_FIELD, .index = field, .offset = {1}};
    for (int i = 0; i < p->stores; ++i) read.version += v->plan->stores[i].field == field;
    visit_field(v, &read);
}

static void visit_sides(visit *v, rw_graph_node p)
{
    rw_graph *g = v->plan->graph;
    for (int s = 0; s < 2 * g->grid.ndim; ++s) {
        const rw_graph_side *side = g->fields[p.index].boundary + s;
        if (!side->reads || (s % 2 ? p.offset[s / 2] : -p.offset[s / 2]) + side->given <= 0) continue;
        for (int f = 0; f < g->nfields; ++f)
            if (rw_side_reads(g, side, f)) visit_read_by_side(v, &p, f);
    }
}

static void walk(visit *v, rw_node n)
{
    rw_graph *g = v->plan->graph;
    if (n < 0 || v->seen[n]) return;
    v->seen[n] = true;
    const rw_graph_node *p = g->nodes + n;
    if (p->op == RW_OP_FIELD) {
        visit_field(v, p);
        if (g->fields[p->index].reads) visit_sides(v, *p);
        return;
    }
    if (p->op == RW_OP_REDUCE) {
        if (!v->mark) v->pass = RW_MAX(v->pass, rw_plan_reduction(v->plan, n)->pass + 1);
        return;
    }
    for (int i = 0; i < rw_ops[p->op].arity; ++i) walk(v, p->arg[i]);
}

static rw_status sweep(rw_plan *plan, rw_node n, bool mark, int *pass)
{
    visit v = {plan, rw_calloc((size_t)plan->graph->n, 1), *pass, mark, -1};
    if (!v.seen) return rw_fail_memory(plan->graph->ctx, (size_t)plan->graph->n, "a plan");
    walk(&v, n);
    rw_free(v.seen);
    *pass = v.pass;
    if (v.lost < 0) return RW_OK;
    const char *name = plan->graph->fields[v.lost].name;
    return rw_fail(
        plan->graph->ctx, RW_ERR_INPUT,
        "the old value of %s is used after a reduction or difference of its new value: copy the old value to another "
        "field first",
        name);
}

/* Places the reductions inside an expression, innermost first. */
static rw_status place_reductions(rw_plan *plan, rw_node n, bool *seen)
{
    rw_graph *g = plan->graph;
    if (n < 0 || seen[n] || !g->nodes[n].reduced) return RW_OK;
    seen[n] = true;
    rw_graph_node p = g->nodes[n];
    for (int i = 0; i < rw_ops[p.op].arity; ++i) RW_TRY(place_reductions(plan, p.arg[i], seen));
    if (p.op != RW_OP_REDUCE || rw_plan_reduction(plan, n)) return RW_OK;
    if (!rw_grow(&plan->reductions, &plan->reductions_capacity, plan->nreductions + 1, sizeof *plan->reductions))
        return rw_fail_memory(g->ctx, sizeof *plan->reductions, "a plan");
    int pass = 0;
    RW_TRY(sweep(plan, p.arg[0], false, &pass));
    RW_TRY(sweep(plan, p.arg[0], true, &pass));
    rw_reduction *r = plan->reductions + plan->nreductions++;
    *r = (rw_reduction){n, (rw_reduce_kind)p.index, p.arg[0], pass, plan->nslots, p.is_complex ? 2 : 1};
    plan->nslots += r->width;
    plan->npasses = RW_MAX(plan->npasses, pass + 1);
    return RW_OK;
}

static rw_status place_all_reductions(rw_plan *plan, rw_node n)
{
    bool *seen = rw_calloc((size_t)plan->graph->n, 1);
    if (!seen) return rw_fail_memory(plan->graph->ctx, (size_t)plan->graph->n, "a plan");
    rw_status status = place_reductions(plan, n, seen);
    rw_free(seen);
    return status;
}

rw_status rw_plan_store(rw_plan *plan, int field, rw_node value)
{
    rw_graph *g = plan->graph;
    if (g->linear) value = rw_linear(g, value);
    RW_TRY(place_all_reductions(plan, value));
    if (!rw_grow(&plan->stores, &plan->stores_capacity, plan->nstores + 1, sizeof *plan->stores))
        return rw_fail_memory(g->ctx, sizeof *plan->stores, "a plan");
    int pass = 0;
    RW_TRY(sweep(plan, value, false, &pass));
    struct rw_plan_field *f = plan->fields + field;
    pass = RW_MAX(pass, f->read); /* earlier statements still read the old value there */
    for (int i = 0; i < plan->nstores; ++i) {
        rw_store *s = plan->stores + i;
        if (s->field != field) continue;
        pass = RW_MAX(pass, s->pass);
    }
    RW_TRY(sweep(plan, value, true, &pass));
    for (int i = 0; i < plan->nstores; ++i)
        if (plan->stores[i].field == field && plan->stores[i].pass == pass) plan->stores[i].dead = true;
    rw_store *s = plan->stores + plan->nstores++;
    *s = (rw_store){field, ++g->fields[field].versions, value, pass, f->read_off == pass, false};
    g->fields[field].depth = g->nodes[value].depth;
    g->stores++;
    plan->npasses = RW_MAX(plan->npasses, pass + 1);
    return RW_OK;
}

rw_status rw_plan_state(rw_plan *plan, int state, rw_node value)
{
    RW_TRY(place_all_reductions(plan, value));
    plan->states[state] = value;
    return RW_OK;
}

rw_status rw_plan_result(rw_plan *plan, const char *name, rw_node value)
{
    RW_TRY(place_all_reductions(plan, value));
    if (!rw_grow(&plan->results, &plan->results_capacity, plan->nresults + 1, sizeof *plan->results))
        return rw_fail_memory(plan->graph->ctx, sizeof *plan->results, "a plan");
    rw_result *r = plan->results + plan->nresults++;
    snprintf(r->name, sizeof r->name, "%s", name);
    r->value = value;
    return RW_OK;
}

rw_status rw_plan_finish(rw_plan *plan)
{
    if (!plan->graph->failed) return RW_OK;
    return rw_fail(plan->graph->ctx, RW_ERR_MEMORY, "out of memory after %d terms of the equations", plan->graph->n);
}

/* ---- use of a pass ---------------------------------------------------------------------------------------------- */

static bool is_product_of(const rw_plan *plan, const rw_graph_node *sum, rw_node n)
{
    const rw_graph_node *p = plan->graph->nodes + n;
    if (p->op != RW_OP_MUL || p->integer || p->is_complex != sum->is_complex || p->is_field != sum->is_field)
        return false;
    if (!p->is_field && !p->reduced) return false; /* an argument of the kernel */
    if (p->is_complex && plan->graph->nodes[p->arg[0]].is_complex && plan->graph->nodes[p->arg[1]].is_complex)
        return false;
    return !plan->tables || rw_table_axis(plan->graph, n) < 0;
}

/* Of two products the one that is younger: the older one is more often needed elsewhere. */
int rw_plan_product(const rw_plan *plan, rw_node sum)
{
    const rw_graph_node *p = plan->graph->nodes + sum;
    if ((p->op != RW_OP_ADD && p->op != RW_OP_SUB) || p->integer) return -1;
    const int younger = p->arg[1] > p->arg[0];
    if (is_product_of(plan, p, p->arg[younger])) return younger;
    return is_product_of(plan, p, p->arg[!younger]) ? !younger : -1;
}

static void add(const rw_plan *plan, int pass, rw_pass_use *use, rw_node n, rw_need need)
{
    const rw_graph *g = plan->graph;
    if (n < 0 || n >= use->nnodes || use->uniform[n]) return;
    const rw_graph_node *p = g->nodes + n;
    if (p->op == RW_OP_CONST && isfinite(p->re) && isfinite(p->im)) return;
    /* NaN and infinities too: as literals, compilers simplify min(NaN, u) to u */
    if (!p->is_field && !p->reduced && !p->integer) {
        use->uniform[n] = true;
        return;
    }
    const bool met = use->needed[n];
    use->needed[n] = (uint8_t)RW_MAX(use->needed[n], need);
    if (met) return;
    if (use->table && rw_table_axis(g, n) >= 0) {
        use->table[n] |= RW_BY_CELLS;
        use->coordinates = true;
        return;
    }
    const rw_store *forward = rw_plan_forward(plan, pass, p);
    if (forward) {
        add(plan, pass, use, forward->value, RW_ALONE);
        return;
    }
    use->flops += rw_ops[p->op].flops * (p->is_field ? 1 : 0);
    if (p->op == RW_OP_COORD) {
        use->coordinates = true;
        if (p->version) return;        /* an index */
        rw_graph *build = plan->graph; /* their nodes exist: made by rw_plan_use */
        add(plan, pass, use, rw_scalar_argument(build, g->origin[p->index]), RW_ALONE);
        add(plan, pass, use, rw_scalar_argument(build, g->spacing[p->index]), RW_ALONE);
    }
    if (p->op == RW_OP_FIELD) {
        use->read[p->index] = true;
        const bool other = rw_is_of_other(g, p);
        use->coordinates = use->coordinates || other;
        if (p->column && !other && !g->fields[p->index].columns) use->read[g->neighbours] = true;
        for (int d = 0; d < 3; ++d) {
            const rw_graph_side *side = g->fields[p->index].boundary + 2 * d;
            use->reach[d][0] = RW_MAX(use->reach[d][0], -p->offset[d] + side[0].given);
            use->reach[d][1] = RW_MAX(use->reach[d][1], p->offset[d] + side[1].given);
        }
    }
    if (p->op == RW_OP_REDUCE) return;
    if (p->op == RW_OP_CALL) use->call = p->index + 1;
    const int product = rw_plan_product(plan, n);
    for (int i = 0; i < rw_ops[p->op].arity; ++i) add(plan, pass, use, p->arg[i], i == product ? RW_WITHIN : RW_ALONE);
}

void rw_pass_use_add(const rw_plan *plan, int pass, rw_pass_use *use, rw_node n) { add(plan, pass, use, n, RW_ALONE); }

/* Fields that a side reads are read, and their sides may read others: until no more are found. */
static void add_read_by_sides(rw_graph *g, rw_pass_use *use)
{
    for (bool more = g->sides_read; more;) {
        more = false;
        for (int f = 0; f < g->nfields; ++f)
            for (int s = 0; s < 2 * g->grid.ndim && use->read[f]; ++s) {
                if (!use->reach[s / 2][s % 2] || !g->fields[f].boundary[s].reads) continue;
                for (int w = 0; w < g->nfields; ++w) {
                    if (use->side[w] || !rw_side_reads(g, g->fields[f].boundary + s, w)) continue;
                    use->side[w] = use->read[w] = more = true;
                }
            }
    }
}

/* Boundary formulas of fields that are read, for all sides that some field is read beyond: only what they take as
 * arguments; the formulas themselves are not computed for each cell. */
static rw_status add_boundaries(const rw_plan *plan, int pass, const bool *read, rw_pass_use *use)
{
    rw_graph *g = plan->graph;
    add_read_by_sides(g, use);
    rw_pass_use border = *use;
    border.table = NULL;
    if (!(border.needed = rw_calloc((size_t)g->n, 1))) return rw_fail_memory(g->ctx, (size_t)g->n, "a plan");
    const bool mixed = rw_pass_use_is_mixed(plan, use);
    for (int f = 0; f < g->nfields; ++f) {
        if (!read[f]) continue;
        for (int s = 0; s < 2 * g->grid.ndim; ++s) {
            rw_node nodes[RW_SIDE_NODES];
            const int reach = use->reach[s / 2][s % 2], n = reach ? rw_side_nodes(g, f, s, reach, nodes) : 0;
            for (int i = 0; i < n; ++i)
                if (use->table && !mixed && rw_side_looks_up(g, f, s, reach, nodes[i]))
                    use->table[nodes[i]] |= RW_BY_SIDES;
                else rw_pass_use_add(plan, pass, &border, nodes[i]);
        }
    }
    rw_free(border.needed);
    return RW_OK;
}

rw_status rw_pass_use_begin(const rw_plan *plan, rw_pass_use *use)
{
    rw_graph *g = plan->graph;
    memset(use, 0, sizeof *use);
    for (int d = 0; d < 3; ++d) {
        rw_scalar_argument(g, g->origin[d]);
        rw_scalar_argument(g, g->spacing[d]);
    }
    for (int f = 0; f < g->nfields; ++f) {
        rw_node nodes[RW_SIDE_NODES];
        for (int s = 0; s < 2 * g->grid.ndim; ++s) rw_side_nodes(g, f, s, 1, nodes);
    }
    use->nnodes = g->n;
    use->read = rw_calloc((size_t)g->nfields + 1, 1);
    use->written = rw_calloc((size_t)g->nfields + 1, 1);
    use->side = rw_calloc((size_t)g->nfields + 1, 1);
    use->needed = rw_calloc((size_t)g->n, 1);
    use->uniform = rw_calloc((size_t)g->n, 1);
    use->table = plan->tables ? rw_calloc((size_t)g->n, 1) : NULL;
    if (g->failed || !use->read || !use->written || !use->side || !use->needed || !use->uniform ||
        (plan->tables && !use->table)) {
        rw_pass_use_free(use);
        return rw_fail_memory(g->ctx, (size_t)g->n, "a plan");
    }
    return RW_OK;
}

rw_status rw_plan_use(const rw_plan *plan, int pass, rw_pass_use *use)
{
    rw_graph *g = plan->graph;
    RW_TRY(rw_pass_use_begin(plan, use));
    for (const rw_store *s = NULL; (s = rw_next_store(plan, pass, s));) {
        rw_pass_use_add(plan, pass, use, s->value);
        use->written[s->field] = true;
    }
    for (int i = 0; i < plan->nreductions; ++i)
        if (plan->reductions[i].pass == pass) {
            rw_pass_use_add(plan, pass, use, plan->reductions[i].value);
            use->flops += plan->reductions[i].width;
        }
    for (int f = 0; f < g->nfields; ++f)
        use->bytes_per_cell += (int64_t)rw_dtype_size(g->fields[f].dtype) * (use->read[f] + use->written[f]) *
                               RW_MAX(g->fields[f].columns, 1);
    rw_status status = add_boundaries(plan, pass, use->read, use);
    if (status != RW_OK) rw_pass_use_free(use);
    return status;
}

void rw_pass_use_free(rw_pass_use *use)
{
    rw_free(use->read);
    rw_free(use->written);
    rw_free(use->side);
    rw_free(use->needed);
    rw_free(use->uniform);
    rw_free(use->table);
    memset(use, 0, sizeof *use);
}

/* ---- several passes ---------------------------------------------------------------------------------------------- */

static void join_nodes(const rw_plan *plan, const rw_pass_use *from, int first, rw_pass_use *to)
{
    for (int n = 0; n < from->nnodes; ++n) {
        const rw_graph_node *p = plan->graph->nodes + n;
        to->uniform[n] = to->uniform[n] || from->uniform[n];
        to->needed[n] = RW_MAX(to->needed[n], from->needed[n]);
        if (to->table) to->table[n] |= from->table[n] & RW_BY_CELLS;
        if (!from->needed[n] || p->op != RW_OP_FIELD) continue;
        const rw_store *s = rw_store_of(plan, p);
        if (!s || s->pass < first) to->read[p->index] = true;
    }
}

rw_status rw_pass_use_join(const rw_plan *plan, const rw_pass_use *uses, int first, int last, rw_pass_use *to)
{
    const rw_graph *g = plan->graph;
    bool *read = rw_calloc((size_t)g->nfields + 1, 1); /* from memory or not */
    if (!read) return rw_fail_memory(g->ctx, (size_t)g->nfields, "a kernel");
    rw_pass_use_free(to);
    rw_status status = rw_pass_use_begin(plan, to);
    for (int q = first; q <= last && status == RW_OK; ++q) {
        const rw_pass_use *use = &uses[q - first];
        join_nodes(plan, use, first, to);
        for (int f = 0; f < g->nfields; ++f) read[f] = read[f] || use->read[f];
        for (int d = 0; d < 3; ++d)
            for (int side = 0; side < 2; ++side) to->reach[d][side] = RW_MAX(to->reach[d][side], use->reach[d][side]);
        to->flops += use->flops;
        to->coordinates = to->coordinates || use->coordinates;
    }
    for (int f = 0; f < g->nfields && status == RW_OK; ++f) {
        to->written[f] = rw_final_store(plan, first, last, f) != NULL;
        to->bytes_per_cell += (int64_t)rw_dtype_size(g->fields[f].dtype) * (to->read[f] + to->written[f]);
    }
    if (status == RW_OK) status = add_boundaries(plan, first, read, to);
    rw_free(read);
    return status;
}

bool rw_pass_use_is_f32(const rw_plan *plan, const rw_pass_use *use)
{
    bool any = false;
    for (int f = 0; f < plan->graph->nfields; ++f) {
        const rw_dtype dtype = plan->graph->fields[f].dtype;
        if (!use->read[f] && !use->written[f]) continue;
        any = true;
        if (dtype == RW_F64 || dtype == RW_C128 || dtype == RW_I32 || dtype == RW_U32 || dtype == RW_I64 ||
            dtype == RW_U64)
            return false;
    }
    return any;
}

bool rw_pass_use_is_long(const rw_plan *plan, const rw_pass_use *use)
{
    for (int f = 0; f < plan->graph->nfields; ++f) {
        const rw_dtype dtype = plan->graph->fields[f].dtype;
        if ((use->read[f] || use->written[f]) && (dtype == RW_I64 || dtype == RW_U64)) return true;
    }
    return false;
}

int rw_count_scalars(const rw_pass_use *uses, int n)
{
    int count = 0;
    for (int i = 0; i < uses[n - 1].nnodes; ++i) {
        bool any = false;
        for (int q = 0; q < n && !any; ++q)
            any = i < uses[q].nnodes && (uses[q].uniform[i] || (uses[q].table && uses[q].table[i]));
        count += any;
    }
    return count;
}

bool rw_is_mixed(const rw_graph_node *p) { return (p->offset[0] != 0) + (p->offset[1] != 0) + (p->offset[2] != 0) > 1; }

bool rw_pass_use_is_mixed(const rw_plan *plan, const rw_pass_use *use)
{
    bool mixed = plan->graph->given;
    for (int n = 0; n < use->nnodes; ++n) {
        const rw_graph_node *p = plan->graph->nodes + n;
        mixed = mixed || (use->needed[n] && p->op == RW_OP_FIELD && rw_is_mixed(p));
    }
    return mixed;
}

bool rw_axis_is_periodic(const rw_graph *g, int axis)
{
    return axis < g->grid.ndim && g->nfields && g->fields[0].boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC;
}

bool rw_sides_agree(const rw_graph *g)
{
    for (int f = 0; f < g->nfields; ++f)
        for (int s = 0; s < 2 * g->grid.ndim; ++s)
            if ((g->fields[f].boundary[s].kind == RW_BOUNDARY_PERIODIC) != rw_axis_is_periodic(g, s / 2)) return false;
    return true;
}
