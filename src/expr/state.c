/* Scalars that live on the device. After the passes of a run one item computes what the program assigns to them, from
 * the reductions and from what they were; kernels of the next run read them there, so no host waits in between. The
 * same item keeps a row of all scalars that the program assigns, where a trace of the runs is wanted. */
#include <string.h>

#include "expr/arguments.h"
#include "expr/nodes.h"
#include "expr/program.h"
#include "expr/reductions.h"

/* Items of the group, and of one that combines what the last pass reduces: so many numbers at most, one after the
 * other. */
enum { ITEMS = 32, COMBINING_ITEMS = 256, MOST_COMBINED = 8 };

/* Results of which a trace has a column: real, the last of each name. */
static bool has_column(const rw_plan *plan, int result)
{
    for (int later = result + 1; later < plan->nresults; ++later)
        if (!strcmp(plan->results[later].name, plan->results[result].name)) return false;
    return !plan->graph->nodes[plan->results[result].value].is_complex;
}

static int count_columns(const rw_plan *plan)
{
    int n = 0;
    for (int i = 0; i < plan->nresults; ++i) n += has_column(plan, i);
    return n;
}

static bool assigns(const rw_plan *plan)
{
    bool any = plan->trace > 0;
    for (int s = 0; s < plan->graph->nstates; ++s) any = any || plan->states[s] >= 0;
    return any;
}

/* What the last pass reduces is combined first, in the same launch. Then all values, then the rows and the states: they
 * change together. */
static void emit_update(rw_emitter *e, const rw_pass_kernel *last)
{
    const rw_plan *plan = e->plan;
    if (last) rw_emit_merge(e);
    ADD("KERNEL(update, GLOBAL f64 *slots%s%s%s)\n{\n", last ? ", GLOBAL const f64 *part, int n" : "",
        plan->trace ? ", GLOBAL f64 *trace, int rows" : "", rw_text_of(&e->uniforms));
    if (last) ADD("    SHARED(f64, shared, GROUP);\n    PRIVATE(f64, acc);\n");
    for (int a = 0; last && a < last->naccumulators; ++a)
        ADD("    combine_parts(slots + %d, part + %d * n, n, %d, shared, acc);\n", last->accumulator_slot[a], a,
            last->accumulator_kind[a]);
    ADD("    EACH(i, 1) {\n");
    rw_emit_nodes(e, e->use.needed, "        ");
    if (plan->trace) {
        int columns = count_columns(plan), c = 0, counter = rw_trace_slot(e->g);
        ADD("        GLOBAL f64 *row = trace + (i64)slots[%d] %% rows * %d;\n        slots[%d] += 1;\n", counter,
            columns, counter);
        for (int i = 0; i < plan->nresults; ++i)
            if (has_column(plan, i)) ADD("        row[%d] = %s;\n", c++, rw_word(e, plan->results[i].value));
    }
    for (int s = 0; s < e->g->nstates; ++s) ADD("        const f64 old%d = slots[%d];\n", s, rw_state_slot(s));
    for (int s = 0; s < e->g->nstates; ++s)
        if (plan->states[s] >= 0) ADD("        const f64 new%d = %s;\n", s, rw_word(e, plan->states[s]));
    for (int s = 0; s < e->g->nstates; ++s) {
        ADD("        slots[%d] = old%d;\n", rw_state_before(e->g, s), s);
        if (plan->states[s] >= 0) ADD("        slots[%d] = new%d;\n", rw_state_slot(s), s);
    }
    ADD("    }\n}\n");
}

rw_status rw_state_kernel_create(const rw_plan *plan, const rw_pass_kernel *last, rw_pass_kernel *k)
{
    rw_text text = {0};
    rw_emitter e = {.plan = plan, .g = plan->graph, .pass = -1, .k = k, .t = &text, .index = {"i", "j", "k"}};
    *k = (rw_pass_kernel){.tiling = {.group = last ? COMBINING_ITEMS : ITEMS, .group_x = ITEMS, .groups = 1}};
    if (!assigns(plan)) return RW_OK;
    k->naccumulators = last ? last->naccumulators : 0;
    RW_TRY(rw_pass_use_begin(plan, &e.use));
    for (int s = 0; s < e.g->nstates; ++s) rw_pass_use_add(plan, -1, &e.use, plan->states[s]);
    for (int i = 0; plan->trace && i < plan->nresults; ++i)
        if (has_column(plan, i)) rw_pass_use_add(plan, -1, &e.use, plan->results[i].value);
    bool ok = rw_emit_uniforms(&e);
    for (int n = 0; n < e.use.nnodes; ++n)
        k->has_complex = k->has_complex || ((e.use.needed[n] || e.use.uniform[n]) && e.g->nodes[n].is_complex);
    if (ok) {
        rw_text_add(&text, "#define CX(name) c128_##name\n#define RX(name) f64_##name\n");
        emit_update(&e, last);
    }
    rw_status status = ok && !text.failed ? RW_OK : rw_fail_memory(e.g->ctx, text.length, "the text of a kernel");
    if (status == RW_OK) {
        k->text = text.data;
        text.data = NULL;
    }
    rw_pass_use_free(&e.use);
    rw_text_free(&text);
    rw_text_free(&e.uniforms);
    rw_text_free(&e.uniform_names);
    if (status != RW_OK) rw_pass_kernel_free(k);
    return status;
}

/* ---- of a program ------------------------------------------------------------------------------------------------ */

static rw_status begin_slots(rw_expr *e)
{
    void *slots;
    RW_TRY(rw_array_write(e->slots, &slots));
    memset(slots, 0, e->slots->bytes);
    for (int i = 0; i < e->graph->nparams; ++i) {
        const rw_graph_param *p = e->graph->params + i;
        if (p->state >= 0)
            ((double *)slots)[rw_state_slot(p->state)] = ((double *)slots)[rw_state_before(e->graph, p->state)] = p->re;
    }
    return RW_OK;
}

static rw_status begin_trace(rw_expr *e)
{
    int columns = count_columns(&e->plan);
    int64_t shape[2] = {e->plan.trace, RW_MAX(columns, 1)};
    e->trace_columns = columns;
    e->trace_names = rw_calloc((size_t)columns + 1, sizeof *e->trace_names);
    e->trace_rows = rw_calloc((size_t)(shape[0] * shape[1]), sizeof *e->trace_rows);
    if (!e->trace_names || !e->trace_rows)
        return rw_fail_memory(e->device->ctx, (size_t)(shape[0] * shape[1]) * sizeof *e->trace_rows, "a trace");
    for (int i = 0, c = 0; i < e->plan.nresults; ++i)
        if (has_column(&e->plan, i)) e->trace_names[c++] = e->plan.results[i].name;
    return rw_array_create(e->device, RW_F64, 2, shape, RW_MEMORY_DEVICE, &e->trace);
}

rw_status rw_expr_begin_states(rw_expr *e)
{
    if (!e->graph->nstates && !e->plan.trace) return RW_OK;
    RW_TRY(begin_slots(e));
    if (e->plan.trace) RW_TRY(begin_trace(e));
    const rw_pass_kernel *last = e->npasses ? &e->passes[e->npasses - 1].kernel : NULL;
    RW_TRY(rw_state_kernel_create(&e->plan,
                                  last && last->naccumulators > 0 && last->naccumulators <= MOST_COMBINED ? last : NULL,
                                  &e->update.kernel));
    if (!e->update.kernel.text || e->evaluator) return RW_OK;
    rw_status status = rw_expr_compile(e, "update", &e->update.kernel, &e->update.program);
    /* no compiler: a program without passes finds out here */
    if (status == RW_ERR_UNSUPPORTED && !e->device->ops->discrete) {
        e->evaluator = true;
        return RW_OK;
    }
    RW_TRY(status);
    return rw_program_kernel(e->update.program, "update", &e->update.run);
}

rw_status rw_expr_update_states(rw_expr *e, rw_queue *q)
{
    rw_arg args[RW_MAX_PARAMETERS];
    const rw_pass_kernel *k = &e->update.kernel;
    int n = 0;
    if (!e->update.run) return RW_OK;
    args[n++] = rw_arg_array(e->slots);
    if (k->naccumulators) {
        const rw_expr_pass *last = e->passes + e->npasses - 1;
        args[n++] = rw_arg_array(last->part);
        args[n++] = rw_arg_int(last->kernel.tiling.groups);
    }
    if (e->plan.trace) {
        args[n++] = rw_arg_array(e->trace);
        args[n++] = rw_arg_int(e->plan.trace);
    }
    for (int i = 0; i < k->nslots; ++i) {
        double re, im;
        rw_scalars_get(e->scalars, k->slots[i].index, &re, &im);
        args[n++] = rw_arg_complex(re, im);
    }
    return rw_launch(q, e->update.run, (int64_t[3]){1, 1, 1}, args, n);
}

typedef struct present {
    const rw_plan *plan;
    const double *slots;
    bool before; /* states as they were before the last run */
} present;

static void device_value(void *user, const rw_graph *g, rw_node n, double out[2])
{
    const present *v = user;
    const rw_graph_node *p = g->nodes + n;
    out[1] = 0;
    if (p->op == RW_OP_STATE) {
        out[0] = v->slots[v->before ? rw_state_before(g, p->index) : rw_state_slot(p->index)];
        return;
    }
    const rw_reduction *r = rw_plan_reduction(v->plan, n);
    out[0] = v->slots[r->slot];
    if (r->width > 1) out[1] = v->slots[r->slot + 1];
}

void rw_expr_device_value(const rw_expr *e, rw_node n, const double *slots, bool before, double out[2])
{
    rw_graph_value(e->graph, n, device_value, &(present){&e->plan, slots, before}, out);
}

rw_status rw_expr_evaluate_states(rw_expr *e, double *slots)
{
    rw_graph *g = e->graph;
    const rw_plan *plan = &e->plan;
    double out[2];
    if (plan->trace) {
        void *trace;
        RW_TRY(e->trace->storage->host_current || e->trace->storage->device_current ? rw_array_update(e->trace, &trace)
                                                                                    : rw_array_write(e->trace, &trace));
        double *row = (double *)trace + (int64_t)slots[rw_trace_slot(g)] % plan->trace * e->trace_columns;
        for (int i = 0; i < plan->nresults; ++i)
            if (has_column(plan, i)) {
                rw_expr_device_value(e, plan->results[i].value, slots, false, out);
                *row++ = out[0];
            }
        slots[rw_trace_slot(g)] += 1;
    }
    double *next = rw_calloc((size_t)g->nstates + 1, sizeof *next);
    if (!next) return rw_fail_memory(e->device->ctx, (size_t)g->nstates * sizeof *next, "scalars");
    for (int s = 0; s < g->nstates; ++s) {
        next[s] = slots[rw_state_slot(s)];
        if (plan->states[s] >= 0) {
            rw_expr_device_value(e, plan->states[s], slots, false, out);
            next[s] = out[0];
        }
    }
    for (int s = 0; s < g->nstates; ++s) {
        slots[rw_state_before(g, s)] = slots[rw_state_slot(s)];
        slots[rw_state_slot(s)] = next[s];
    }
    rw_free(next);
    return RW_OK;
}

rw_status rw_expr_set_state(rw_expr *e, int state, double value)
{
    void *slots;
    RW_TRY(rw_array_update(e->slots, &slots));
    ((double *)slots)[rw_state_slot(state)] = value;
    return rw_array_send(e->slots, rw_device_queue(e->device)); /* what the host has changed cannot be recorded with */
}

rw_status rw_expr_get_state(rw_expr *e, int state, double *value)
{
    const void *slots;
    RW_TRY(rw_array_read(e->slots, &slots));
    *value = ((const double *)slots)[rw_state_slot(state)];
    return RW_OK;
}

rw_status rw_expr_trace(rw_expr *e, const double **values, int64_t *rows, const char *const **names, int64_t *columns,
                        int64_t *runs)
{
    RW_NEED(values, "values");
    RW_NEED(names, "names");
    RW_NEED(e, "expr");
    RW_NEED(rows, "rows");
    RW_NEED(columns, "columns");
    RW_NEED(runs, "runs");
    const void *slots, *trace;
    if (!e->plan.trace)
        return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "%s records no trace: create it with trace > 0 rows", e->name);
    RW_TRY(rw_array_read(e->slots, &slots));
    int64_t total = (int64_t)((const double *)slots)[rw_trace_slot(e->graph)], room = e->plan.trace;
    *runs = total - e->trace_seen;
    *rows = RW_MIN(*runs, room);
    *columns = e->trace_columns;
    *names = e->trace_names;
    *values = e->trace_rows;
    if (*rows) RW_TRY(rw_array_read(e->trace, &trace));
    for (int64_t r = 0; r < *rows; ++r)
        memcpy(e->trace_rows + r * e->trace_columns,
               (const double *)trace + (total - *rows + r) % room * e->trace_columns,
               (size_t)e->trace_columns * sizeof *e->trace_rows);
    e->trace_seen = total;
    return RW_OK;
}

void rw_expr_free_states(rw_expr *e)
{
    rw_pass_kernel_free(&e->update.kernel);
    rw_program_destroy(&e->update.program);
    rw_array_destroy(&e->trace);
    rw_free(e->trace_names);
    rw_free(e->trace_rows);
}
