/* Functions of one coordinate, sin(pi*x)^2: a number for each node of an axis, computed on the host once instead of for
 * each cell in each run. All devices get the same numbers. */
#include "expr/program.h"

/* Operations below `n` as far as *budget goes. */
static void spend(const rw_graph *g, rw_node n, int *budget)
{
    const rw_graph_node *p = g->nodes + n;
    if (!p->is_field) return;
    *budget -= rw_ops[p->op].flops;
    for (int i = 0; i<rw_ops[p->op].arity && * budget> 0; ++i) spend(g, p->arg[i], budget);
}

int rw_table_axis(const rw_graph *g, rw_node n)
{
    const rw_graph_node *p = g->nodes + n;
    int budget = 8;
    if (p->is_complex || p->integer || (p->depends != 1 && p->depends != 2 && p->depends != 4)) return -1;
    spend(g, n, &budget);
    return budget > 0 ? -1 : p->depends / 2;
}

static void coordinate_value(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    const rw_graph_node *p = g->nodes + leaf;
    const rw_graph_param *h = g->params + g->spacing[p->index], *o = g->params + g->origin[p->index];
    const double node = (double)(*(const int64_t *)user + p->offset[p->index]);
    out[0] = p->version ? node + (double)g->grid.first[p->index] : o->re + node * h->re;
    out[1] = 0;
}

/* Its values at the nodes 0 … n - 1 of the axis. */
static void evaluate(rw_graph *g, rw_node node, int64_t n, double *values)
{
    double out[2];
    for (int64_t i = 0; i < n; ++i) {
        rw_graph_value(g, node, coordinate_value, &i, out);
        values[i] = out[0];
    }
}

/* ---- of a program ---------------------------------------------------------------------------------------------- */

static rw_status fill(rw_expr *e, rw_expr_table *t)
{
    int64_t n = t->array->size;
    void *to;
    double *values = rw_calloc((size_t)n, sizeof *values);
    rw_status status =
        values ? rw_array_write(t->array, &to) : rw_fail_memory(e->device->ctx, (size_t)n * sizeof *values, "a table");
    if (status == RW_OK) {
        evaluate(e->graph, t->node, n, values);
        for (int64_t i = 0; i < n; ++i)
            if (t->array->dtype == RW_F32) ((float *)to)[i] = (float)values[i];
            else ((double *)to)[i] = values[i];
    }
    rw_free(values);
    return status;
}

static rw_status add(rw_expr *e, rw_node node, rw_dtype dtype)
{
    int64_t n = e->graph->grid.size[rw_table_axis(e->graph, node)];
    if (!rw_grow(&e->tables, &e->tables_capacity, e->ntables + 1, sizeof *e->tables))
        return rw_fail_memory(e->device->ctx, sizeof *e->tables, "a table");
    rw_expr_table *t = e->tables + e->ntables;
    *t = (rw_expr_table){.node = node};
    RW_TRY(rw_array_create(e->device, dtype, 1, &n, RW_MEMORY_DEVICE, &t->array));
    e->ntables++;
    return RW_OK;
}

rw_expr_table *rw_expr_find_table(rw_expr *e, rw_node node, bool f32)
{
    for (int i = e->ntables - 1; i >= 0; --i)
        if (e->tables[i].node == node && (e->tables[i].array->dtype == RW_F32) == f32) return e->tables + i;
    return NULL;
}

rw_status rw_expr_prepare_tables(rw_expr *e, rw_queue *q)
{
    for (int i = 0; !e->tables_current && i < e->npasses; ++i) {
        const rw_pass_kernel *k = &e->passes[i].kernel;
        for (int j = 0; j < k->nslots; ++j) {
            if (k->slots[j].kind != RW_SLOT_TABLE) continue;
            rw_expr_table *t = rw_expr_find_table(e, k->slots[j].index, k->f32);
            if (t && t->current) continue;
            if (q->recording)
                return rw_fail(
                    e->device->ctx, RW_ERR_UNSUPPORTED,
                    "%s cannot be recorded yet: a scalar used by its functions of one coordinate has changed: run it "
                    "once first",
                    e->name);
            /* recorded sequences keep what they had */
            if (!t || t->recorded) RW_TRY(add(e, k->slots[j].index, k->f32 ? RW_F32 : RW_F64));
            t = rw_expr_find_table(e, k->slots[j].index, k->f32);
            RW_TRY(fill(e, t));
            RW_TRY(rw_array_send(t->array, q));
            t->current = true;
        }
    }
    e->tables_current = true;
    return RW_OK;
}

void rw_expr_forget_tables(rw_expr *e)
{
    for (int i = 0; i < e->ntables; ++i) e->tables[i].current = false;
    e->tables_current = false;
}

void rw_expr_free_tables(rw_expr *e)
{
    for (int i = 0; i < e->ntables; ++i) rw_array_destroy(&e->tables[i].array);
    rw_free(e->tables);
}
