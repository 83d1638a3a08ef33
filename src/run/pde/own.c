/* What a case computes for its outputs: further columns of series.csv (output.series). They are reductions of the
 * fields, in one pass with minimum, maximum and mean. */
#include <math.h>
#include <string.h>

#include "run/pde/pde.h"

rw_expr_spec pde_program_spec(const pde_problem *p, const rw_expr_spec *given)
{
    rw_expr_spec spec = *given;
    spec.grid = p->grid;
    spec.order = p->order;
    spec.layout = p->layout;
    spec.fields = p->readable;
    spec.nfields = p->nfields + p->ndata;
    return spec;
}

rw_status pde_list_readable(pde_problem *p)
{
    p->readable = rw_calloc((size_t)(p->nfields + p->ndata) + 1, sizeof *p->readable);
    if (!p->readable) return rw_fail_memory(p->ctx, 256, "fields");
    for (int f = 0; f < p->nfields; ++f) p->readable[f] = p->fields[f];
    for (int i = 0; i < p->ndata; ++i) p->readable[p->nfields + i] = p->data[i];
    return RW_OK;
}

static rw_status bind_data(const pde_problem *p, rw_expr *e)
{
    for (int i = 0; i < p->ndata; ++i) RW_TRY(rw_expr_bind(e, p->data[i].name, p->sources[i].array));
    return RW_OK;
}

rw_status pde_bind_program(const pde_problem *p, rw_expr *e)
{
    for (int f = 0; f < p->nfields; ++f) RW_TRY(rw_expr_bind(e, p->fields[f].name, p->state.fields[f].array));
    return bind_data(p, e);
}

/* ---- columns of series.csv --------------------------------------------------------------------------------------- */

typedef struct observer {
    pde_problem *p;
    const rw_state_column *columns; /* [n]; the first `names` are no columns */
    int names, n;
} observer;

/* Columns of what steps have found. */
static const char *const of_solves[] = {"solve_iterations", "solve_residual"}, courant[] = "courant";

static bool has_courant(const pde_problem *p) { return !p->algebraic && p->time.courant_one && p->time.courant_one[0]; }

void pde_set_numbers(pde_problem *p, const rw_ode_statistics *s)
{
    double *to = p->state.number;
    if (p->solves) {
        *to++ = (double)s->step_iterations;
        *to++ = s->solve_residual;
    }
    if (has_courant(p)) *to = s->courant;
}

static rw_status observe(pde_problem *p, const rw_state_own *own)
{
    const bool steady = pde_is_steady(p);
    rw_state *s = &p->state;
    s->nnumbers = 0;
    for (int i = 0; i < RW_COUNT(of_solves) && p->solves; ++i) s->numbers[s->nnumbers++] = of_solves[i];
    if (has_courant(p)) s->numbers[s->nnumbers++] = courant;
    return rw_state_observe(&p->state, steady ? RW_ITERATION : "t", steady ? "residual" : "step", own);
}

static rw_status make_observer(void *user, const rw_expr_spec *given, rw_expr **e)
{
    observer *o = user;
    const rw_expr_spec spec = pde_program_spec(o->p, given);
    const rw_state_own own = {&spec, o->n, o->names, o->columns};
    RW_TRY(observe(o->p, &own));
    *e = o->p->state.observers[0];
    return bind_data(o->p, *e);
}

/* Derived fields, which columns may use, then the columns. */
static rw_status read_both(const rw_case *c, int ndim, rw_named_expr **list, int *names, int *n)
{
    rw_named_expr *derived = NULL, *series = NULL;
    rw_status status = rw_named_read(c, ndim, "output.series", &series, n);
    *list = NULL;
    *names = 0;
    if (status == RW_OK && *n) status = rw_named_read(c, ndim, "output.derived", &derived, names);
    *list = status == RW_OK ? rw_calloc((size_t)(*names + *n) + 1, sizeof **list) : NULL;
    if (status == RW_OK && !*list) status = rw_fail_memory(rw_case_context(c), 256, "columns");
    for (int i = 0; *list && i < *names; ++i) (*list)[i] = derived[i];
    for (int i = 0; *list && i < *n; ++i) (*list)[*names + i] = series[i];
    *n += *names;
    rw_free(derived);
    rw_free(series);
    return status;
}

rw_status pde_observe(const rw_case *c, pde_problem *p)
{
    rw_named_expr *list;
    rw_expr *e;
    int names, n, field = -1;
    rw_status status = read_both(c, p->grid.ndim, &list, &names, &n);
    rw_state_column *columns = rw_calloc((size_t)n + 1, sizeof *columns);
    if (status == RW_OK && !columns) status = rw_fail_memory(p->ctx, 64, "columns");
    for (int i = 0; i < n && status == RW_OK; ++i) columns[i] = (rw_state_column){list[i].name, list[i].unit};
    if (status == RW_OK && n == names) status = observe(p, NULL);
    else if (status == RW_OK)
        status = rw_named_program(c, list, names, n, p->scalars, p->nscalars, make_observer,
                                  &(observer){p, columns, names, n}, &e, &field);
    if (status == RW_OK && field >= 0)
        status = rw_fail(p->ctx, RW_ERR_INTERNAL, "output.series.%s is a field", list[field].name);
    rw_free(columns);
    rw_free(list);
    return status;
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

/* "t", "step", "u_max": a column that series.csv has anyway. */
static bool is_column(const pde_problem *p, const char *name)
{
    static const char *const ends[] = {"_min", "_max", "_mean", "_abs_min", "_abs_max", "_abs_mean"};
    if (!strcmp(name, "step") || !strcmp(name, "t")) return true;
    if (pde_is_steady(p) && (!strcmp(name, RW_ITERATION) || !strcmp(name, "residual"))) return true;
    for (int i = 0; i < RW_COUNT(of_solves) && p->solves; ++i)
        if (!strcmp(name, of_solves[i])) return true;
    if (has_courant(p) && !strcmp(name, courant)) return true;
    for (int f = 0; f < p->nfields; ++f) {
        const size_t length = strlen(p->fields[f].name);
        for (int k = 0; k < RW_COUNT(ends); ++k)
            if (!strncmp(name, p->fields[f].name, length) && !strcmp(name + length, ends[k])) return true;
    }
    return false;
}

rw_status pde_check_own_name(const rw_case *c, const pde_problem *p, const char *setting, const char *name)
{
    for (int f = 0; f < p->nfields; ++f)
        if (!strcmp(p->fields[f].name, name))
            return rw_named_fail(c, setting, name, ": %s is a field: choose another name", name);
    const int whole = pde_find_whole(p, name);
    if (whole >= 0)
        return rw_named_fail(c, setting, name, ": %s is a part of the complex field %s in results: choose another name",
                             name, p->fields[whole].name);
    for (int i = 0; i < p->nscalars; ++i)
        if (!strcmp(p->scalars[i].name, name))
            return rw_named_fail(c, setting, name, ": %s is a parameter: choose another name", name);
    for (int i = 0; i < p->ndata; ++i)
        if (!strcmp(p->data[i].name, name))
            return rw_named_fail(c, setting, name, ": %s is one of the data: choose another name", name);
    return RW_OK;
}

rw_status pde_lower_named(const rw_case *c, pde_language *l, const rw_named_expr *e, rw_value *v)
{
    const rw_source source = {e->value->text_source, e->value->text, e->value->text_line, e->value->text_column};
    rw_parsed parsed;
    RW_TRY(rw_parse_expression(rw_case_context(c), &source, &parsed));
    rw_status status = rw_lower(&l->lowering, &source, parsed.statements[0].value, v);
    if (status == RW_OK) status = rw_lower_local(&l->lowering, &source, 0, e->name, *v);
    rw_parsed_free(&parsed);
    return status;
}

static rw_status inspect_column(const rw_case *c, const pde_problem *p, pde_language *l, const rw_named_expr *e)
{
    static const char setting[] = "output.series";
    rw_value v;
    RW_TRY(pde_check_own_name(c, p, setting, e->name));
    if (rw_tree_get(rw_case_node(c, "output.derived"), e->name))
        return rw_named_fail(c, setting, e->name, ": %s is a derived field: choose another name", e->name);
    if (is_column(p, e->name))
        return rw_named_fail(c, setting, e->name, ": series.csv has a column %s already: choose another name", e->name);
    RW_TRY(pde_lower_named(c, l, e, &v));
    if (v.n > 1 || (l->graph->nodes[v.node[0]].is_field && p->grid.ndim > 0)) /* without space a field is a number */
        return rw_case_fail(
            c, e->value,
            "output.series.%.60s is a %s, not a number: reduce it with integral, mean, max, norm, …, or "
            "write it under output.derived",
            e->name, v.n > 1 ? "vector" : "field");
    if (l->graph->nodes[v.node[0]].is_complex)
        return rw_case_fail(c, e->value, "output.series.%.60s is complex: take real(), imag() or abs()", e->name);
    return RW_OK;
}

rw_status pde_inspect_series(const rw_case *c, const pde_problem *p)
{
    rw_context *ctx = rw_case_context(c);
    rw_named_expr *list;
    pde_language l;
    rw_value v;
    int names, n;
    rw_status status = read_both(c, p->grid.ndim, &list, &names, &n);
    if (status == RW_OK && n > names) {
        status = pde_language_begin(ctx, p, p->time.start, true, &l);
        l.lowering.no_fields = false;
        for (int i = 0; i < n && status == RW_OK; ++i) {
            status = i < names ? pde_lower_named(c, &l, list + i, &v) : inspect_column(c, p, &l, list + i);
            if (status == RW_ERR_INPUT && i < names) n = 0; /* pde_read_derived notes it; columns may use it */
            if (status != RW_OK && (!n || rw_mistake(ctx, status))) status = RW_OK;
        }
        pde_language_end(&l);
    }
    rw_free(list);
    return status;
}

/* ---- the domain -------------------------------------------------------------------------------------------------- */

rw_domain pde_domain(const pde_problem *p)
{
    rw_domain domain = {.ndim = p->grid.ndim};
    for (int d = 0; d < p->grid.ndim; ++d) {
        const rw_boundary *b = p->fields[0].boundary + 2 * d; /* nodes lie alike in all fields */
        const double h = p->grid.spacing[d], n = (double)p->grid.size[d], first = p->grid.origin[d];
        const bool cell = p->layout == RW_GRID_CELL;
        domain.periodic[d] = b->kind == RW_BOUNDARY_PERIODIC;
        domain.lower[d] = first - (cell ? h / 2 : pde_pins(p, b[0].kind) ? h : 0);
        domain.upper[d] = first + (n - 1) * h + (cell ? h / 2 : domain.periodic[d] || pde_pins(p, b[1].kind) ? h : 0);
        if (fabs(domain.lower[d]) <= 1e-12 * n * h) domain.lower[d] = 0;
    }
    return domain;
}

rw_status pde_inspect_probes(const rw_case *c, const pde_problem *p)
{
    rw_probe *list;
    int n;
    const rw_domain domain = pde_domain(p);
    const rw_tree *node = rw_case_node(c, "output.probes");
    if (node && !p->no_grid && p->grid.ndim == 0)
        return rw_case_fail(c, node,
                            "output.probes: there is no space (grid: none), and no points: series.csv has a column for "
                            "each field: omit this setting");
    rw_status status = rw_probes_read(c, &domain, !p->no_grid, &list, &n);
    rw_free(list);
    return status;
}
