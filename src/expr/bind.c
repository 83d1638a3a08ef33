/* Values that enter and leave a program: arrays bound to its fields, scalars that are set, results that are read. */
#include "expr/program.h"

#include <stdio.h>
#include <string.h>

/* ---- binding ----------------------------------------------------------------------------------------------------- */

static rw_status fail_nearest(const rw_expr *e, const char *what, const char *given, bool fields)
{
    const char *names[256];
    int n = 0;
    for (int i = 0; fields && i < e->graph->nfields && n < 256; ++i) names[n++] = e->graph->fields[i].name;
    for (int i = 0; !fields && i < e->graph->nparams && n < 256; ++i)
        if (e->graph->params[i].name[0] != '#') names[n++] = e->graph->params[i].name;
    return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "%s has no %s %s%s", e->name, what, given,
                   rw_hint_nearest(given, names, n).text);
}

void rw_expr_hold(rw_expr *e, int field, rw_array *a)
{
    rw_array *before = e->bound[field];
    e->bound[field] = a ? rw_array_retain(a) : NULL;
    rw_array_destroy(&before);
}

rw_status rw_expr_no_field(const rw_expr *e, const char *field) { return fail_nearest(e, "field", field, true); }

/* The grid's (z, y, x), axes of one node apart. Where one of the two is a row, the order in memory leaves no doubt. */
static bool has_shape(const rw_grid *g, const rw_array *a)
{
    if (a->ndim == 1 || g->ndim == 1) return true;
    for (int d = 0; d < a->ndim; ++d) {
        int axis = a->ndim - 1 - d;
        if (a->shape[d] != (axis < g->ndim ? g->size[axis] : 1)) return false;
    }
    return true;
}

static const char *shape_text(int ndim, const int64_t *shape, char text[96])
{
    int n = snprintf(text, 96, "(");
    for (int d = 0; d < ndim && n < 80; ++d)
        n += snprintf(text + n, (size_t)(96 - n), "%s%lld", d ? ", " : "", (long long)shape[d]);
    snprintf(text + n, (size_t)(96 - n), ")");
    return text;
}

rw_status rw_check_shape(rw_context *ctx, const char *program, const char *field, const rw_grid *g, const rw_array *a)
{
    char wanted[96], given[96];
    int64_t shape[3];
    if (has_shape(g, a)) return RW_OK;
    for (int d = 0; d < g->ndim; ++d) shape[d] = g->size[g->ndim - 1 - d];
    return rw_fail(
        ctx, RW_ERR_ARGUMENT,
        "field %s of %s has shape %s, but the array has shape %s: arrays of a grid have shape (z, y, x), or one axis "
        "of %lld",
        field, program, shape_text(g->ndim, shape, wanted), shape_text(a->ndim, a->shape, given), (long long)a->size);
}

rw_status rw_expr_bind_index(rw_expr *e, int f, rw_array *a)
{
    const rw_grid *g = &e->graph->grid;
    const char *field = e->graph->fields[f].name;
    int64_t cells = g->size[0] * g->size[1] * g->size[2] * RW_MAX(e->graph->fields[f].columns, 1);
    if (a->device != e->device || a->dtype != e->graph->fields[f].dtype || a->size != cells)
        return rw_fail(e->device->ctx, RW_ERR_ARGUMENT,
                       "field %s of %s is %lld %s on %s, but the array is %lld %s on %s", field, e->name,
                       (long long)cells, rw_dtype_name(e->graph->fields[f].dtype), e->device->info.name,
                       (long long)a->size, rw_dtype_name(a->dtype), a->device->info.name);
    if (!e->graph->unstructured && !e->graph->fields[f].columns)
        RW_TRY(rw_check_shape(e->device->ctx, e->name, field, g, a));
    rw_expr_hold(e, f, a);
    return RW_OK;
}

rw_status rw_expr_bind(rw_expr *e, const char *field, rw_array *a)
{
    RW_NEED(e, "expr");
    RW_NEED(field, "field");
    RW_NEED(a, "array");
    int f = rw_graph_find_field(e->graph, field);
    return f < 0 ? rw_expr_no_field(e, field) : rw_expr_bind_index(e, f, a);
}

void rw_expr_set_index(rw_expr *e, int param, double re, double im)
{
    rw_graph_param *p = e->graph->params + param;
    if (p->re == re && p->im == im) return;
    p->re = re;
    p->im = im;
    if (p->name[0] != '#' && strcmp(p->name, "t")) rw_expr_forget_tables(e);
}

rw_status rw_expr_set_complex(rw_expr *e, const char *scalar, double re, double im)
{
    RW_NEED(e, "expr");
    RW_NEED(scalar, "scalar");
    int i = rw_graph_find_param(e->graph, scalar);
    if (i < 0) return fail_nearest(e, "scalar", scalar, false);
    if (im != 0 && !e->graph->params[i].is_complex)
        return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "scalar %s of %s is real, but %g%+gi is given", scalar, e->name,
                       re, im);
    if (e->graph->params[i].state >= 0) return rw_expr_set_state(e, e->graph->params[i].state, re);
    rw_expr_set_index(e, i, re, im);
    return RW_OK;
}

rw_status rw_expr_set(rw_expr *e, const char *scalar, double value)
{
    RW_NEED(e, "expr");
    RW_NEED(scalar, "scalar");
    return rw_expr_set_complex(e, scalar, value, 0);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

int rw_expr_result_index(const rw_expr *e, const char *name)
{
    for (int i = e->plan.nresults - 1; i >= 0; --i)
        if (!strcmp(e->plan.results[i].name, name)) return i;
    return -1;
}

static rw_status get_result(rw_expr *e, int index, double *re, double *im)
{
    const void *slots = NULL;
    double out[2];
    rw_node n = e->plan.results[index].value;
    if (e->graph->nodes[n].reduced) RW_TRY(rw_array_read(e->slots, &slots));
    rw_expr_device_value(e, n, slots, true, out);
    *re = out[0];
    if (im) *im = out[1];
    return RW_OK;
}

rw_status rw_expr_get(rw_expr *e, const char *scalar, double *re, double *im)
{
    RW_NEED(e, "expr");
    RW_NEED(scalar, "scalar");
    RW_NEED(re, "re");
    int i = rw_expr_result_index(e, scalar), p = rw_graph_find_param(e->graph, scalar);
    if (p >= 0 && e->graph->params[p].state >= 0) {
        if (im) *im = 0;
        return rw_expr_get_state(e, e->graph->params[p].state, re);
    }
    if (i >= 0) return get_result(e, i, re, im);
    if (p >= 0) {
        *re = e->graph->params[p].re;
        if (im) *im = e->graph->params[p].im;
        return RW_OK;
    }
    const char *names[64];
    int n = 0;
    for (int r = 0; r < e->plan.nresults && n < 64; ++r) names[n++] = e->plan.results[r].name;
    return rw_fail(e->device->ctx, RW_ERR_ARGUMENT, "%s assigns no scalar %s%s", e->name, scalar,
                   rw_hint_nearest(scalar, names, n).text);
}

rw_status rw_expr_get_array(const rw_expr *e, const char *field, rw_array **array)
{
    RW_NEED(array, "array");
    *array = NULL;
    RW_NEED(e, "expr");
    RW_NEED(field, "field");
    const int f = rw_graph_find_field(e->graph, field);
    if (f < 0) return rw_expr_no_field(e, field);
    *array = e->bound[f];
    return RW_OK;
}

rw_status rw_expr_get_grid(const rw_expr *e, rw_grid *grid)
{
    RW_NEED(grid, "grid");
    RW_NEED(e, "expr");
    *grid = e->graph->grid;
    return RW_OK;
}
