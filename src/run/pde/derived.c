/* Fields and vectors that a case computes for its outputs (output.derived): one program over all of them, run when an
 * output is due. The components of a vector q are the fields q_x, q_y, q_z.
 *
 * On Dirichlet sides, whose nodes are in files but in no array, the host computes the values: expressions are evaluated
 * there with what the boundary conditions give for the fields, as at any other node beyond the array. */
#include <string.h>

#include "run/pde/pde.h"

/* ---- names and shapes -------------------------------------------------------------------------------------------- */

static bool is_name(const pde_problem *p, const char *name)
{
    for (int i = 0; i < p->nfields + p->nderived; ++i)
        if (!strcmp(p->outputs[i].name, name)) return true;
    return false;
}

static rw_status add(const rw_case *c, pde_problem *p, const rw_named_expr *e, int component, int n)
{
    rw_state_field *to = p->outputs + p->nfields + p->nderived;
    char *made = n > 1 ? rw_format("%s_%c", e->name, "xyz"[component]) : NULL;
    if (n > 1) RW_TRY(pde_own(p, p->ctx, made));
    *to = (rw_state_field){.name = n > 1 ? made : e->name,
                           .unit = e->unit,
                           .derived = true,
                           .vector = n > 1 ? e->name : NULL,
                           .component = component};
    if (is_name(p, to->name))
        return rw_named_fail(c, "output.derived", e->name, ": there is a field %s already: choose another name",
                             to->name);
    p->nderived++;
    return RW_OK;
}

static rw_status read_one(const rw_case *c, pde_problem *p, pde_language *l, const rw_named_expr *e)
{
    rw_value v;
    RW_TRY(pde_check_own_name(c, p, "output.derived", e->name));
    RW_TRY(pde_lower_named(c, l, e, &v));
    for (int i = 0; i < v.n; ++i)
        if (l->graph->nodes[v.node[i]].is_complex)
            return rw_case_fail(c, e->value, "output.derived.%.60s is complex: take real(), imag() or abs()", e->name);
    if (v.n == 1 && !l->graph->nodes[v.node[0]].is_field)
        return rw_case_fail(c, e->value, "output.derived.%.60s is a number, not a field: write it under output.series",
                            e->name);
    for (int i = 0; i < v.n; ++i) RW_TRY(add(c, p, e, i, v.n));
    return RW_OK;
}

static rw_status read_all(const rw_case *c, pde_problem *p, const rw_named_expr *list, int n)
{
    pde_language l;
    p->outputs = rw_calloc((size_t)(p->nfields + 3 * n), sizeof *p->outputs);
    if (!p->outputs) return rw_fail_memory(p->ctx, 256, "derived fields");
    for (int f = 0; f < p->nfields; ++f) p->outputs[f].name = p->fields[f].name;
    RW_TRY(pde_language_begin(p->ctx, p, p->time.start, true, &l));
    l.lowering.no_fields = false;
    rw_status status = RW_OK;
    for (int i = 0; i < n && status == RW_OK; ++i) {
        status = read_one(c, p, &l, list + i);
        if (status != RW_OK && rw_mistake(p->ctx, status)) status = RW_OK;
    }
    pde_language_end(&l);
    return status;
}

rw_status pde_read_derived(const rw_case *c, pde_problem *p)
{
    rw_named_expr *list;
    int n;
    rw_status status = rw_named_read(c, p->grid.ndim, "output.derived", &list, &n);
    if (status == RW_OK && n && p->grid.ndim == 0)
        status = rw_named_fail(c, "output.derived", list->name,
                               ": there is no space (grid: none), and no fields: write it under output.series");
    else if (status == RW_OK && n) status = read_all(c, p, list, n);
    rw_free(list);
    return status;
}

int64_t pde_derived_bytes(const pde_problem *p)
{
    return p->nderived * (int64_t)rw_dtype_size(pde_real_type(p)) * p->grid.size[0] * p->grid.size[1] * p->grid.size[2];
}

/* ---- arrays and program ------------------------------------------------------------------------------------------ */

/* The expressions are names in the program, from which fields of its own are assigned. */
static rw_status make_program(void *user, const rw_expr_spec *given, rw_expr **e)
{
    pde_problem *p = user;
    rw_expr_spec spec = pde_program_spec(p, given);
    char prefix[32], (*names)[48] = rw_calloc((size_t)p->nderived, sizeof *names);
    const int nread = p->nfields + p->ndata;
    rw_expr_field *fields = rw_calloc((size_t)(nread + p->nderived), sizeof *fields);
    rw_state_column *own = rw_calloc((size_t)p->nderived, sizeof *own);
    rw_text text = {0};
    rw_text_add(&text, "%s", given->text);
    for (int i = 0; own && i < p->nderived; ++i) own[i].name = rw_state_shown(p->outputs + p->nfields + i);
    if (own) rw_state_prefix(&(rw_state_own){&spec, p->nderived, 0, own}, prefix);
    for (int f = 0; fields && f < nread; ++f) fields[f] = p->readable[f];
    for (int i = 0; fields && names && own && i < p->nderived; ++i) {
        const rw_state_field *to = p->outputs + p->nfields + i;
        snprintf(names[i], sizeof *names, "%s%d", prefix, i);
        fields[nread + i] = (rw_expr_field){.name = names[i], .dtype = pde_real_type(p)};
        rw_text_add(&text, to->vector ? "%s = %s.%c\n" : "%s = %s\n", names[i], own[i].name, "xyz"[to->component]);
    }
    spec.text = text.data;
    spec.fields = fields;
    spec.nfields = nread + p->nderived;
    rw_status status = names && fields && own && !text.failed ? rw_expr_create(p->device, &spec, e)
                                                              : rw_fail_memory(p->ctx, 256, "derived fields");
    if (status == RW_OK) status = pde_bind_program(p, *e);
    for (int i = 0; i < p->nderived && status == RW_OK; ++i)
        status = rw_expr_bind(*e, names[i], p->outputs[p->nfields + i].array);
    rw_free(names);
    rw_free(fields);
    rw_free(own);
    rw_text_free(&text);
    return status;
}

rw_status pde_make_derived(const rw_case *c, pde_problem *p, rw_memory memory)
{
    rw_named_expr *list;
    int64_t shape[3];
    int n, field;
    if (!p->nderived) return RW_OK;
    for (int f = 0; f < p->nfields; ++f) p->outputs[f] = p->state.fields[f];
    for (int d = 0; d < p->grid.ndim; ++d) shape[d] = p->grid.size[p->grid.ndim - 1 - d];
    for (int i = 0; i < p->nderived; ++i) {
        rw_state_field *to = p->outputs + p->nfields + i;
        to->layout = p->state.fields[0].layout;
        if (p->device) RW_TRY(rw_array_create(p->device, pde_real_type(p), p->grid.ndim, shape, memory, &to->array));
    }
    p->base.fields = p->outputs;
    p->base.nfields = p->nfields + p->nderived;
    if (!p->device) return RW_OK;
    rw_status status = rw_named_read(c, p->grid.ndim, "output.derived", &list, &n);
    if (status == RW_OK)
        status = rw_named_program(c, list, n, n, p->scalars, p->nscalars, make_program, p, &p->derive, &field);
    rw_free(list);
    return status;
}

void pde_free_derived(pde_problem *p)
{
    rw_expr_destroy(&p->derive);
    for (int i = 0; p->outputs && i < p->nderived; ++i) rw_array_destroy(&p->outputs[p->nfields + i].array);
    rw_free(p->outputs);
}

rw_status pde_derive(rw_problem *problem)
{
    pde_problem *p = (pde_problem *)problem;
    if (!p->derive) return RW_OK;
    RW_TRY(rw_expr_set(p->derive, "t", pde_time_now(p)));
    return rw_expr_run(p->derive, rw_device_queue(p->device));
}

/* ---- on Dirichlet sides ------------------------------------------------------------------------------------------ */

/* The nodes of the wide array that are on such sides, as places that count from the first unknown, and their numbers
 * in the array; at NULL: counts only. */
static int64_t side_nodes(const pde_problem *p, const bool has[6], int64_t (*at)[3], int64_t *number)
{
    const int64_t *inner = p->grid.size;
    int64_t size[3], n = 0;
    for (int d = 0; d < 3; ++d) size[d] = inner[d] + has[2 * d] + has[2 * d + 1];
    for (int64_t k = 0; k < size[2]; ++k)
        for (int64_t j = 0; j < size[1]; ++j) {
            const int64_t y = j - has[2], z = k - has[4];
            const bool edge = y < 0 || y >= inner[1] || z < 0 || z >= inner[2];
            /* a row inside has two such nodes at most */
            for (int64_t i = 0; i < size[0]; i += edge || size[0] < 2 ? 1 : size[0] - 1) {
                const int64_t place[3] = {i - has[0], y, z};
                if (!edge && place[0] >= 0 && place[0] < inner[0]) continue;
                if (at) memcpy(at[n], place, sizeof place);
                if (number) number[n] = (k * size[1] + j) * size[0] + i;
                ++n;
            }
        }
    return n;
}

static rw_status derived_sides(pde_problem *p, int field, const bool has[6], double *wide)
{
    const int64_t n = side_nodes(p, has, NULL, NULL);
    int64_t(*at)[3] = rw_calloc((size_t)n, sizeof *at), *number = rw_calloc((size_t)n, sizeof *number);
    double *values = rw_calloc((size_t)n, sizeof *values);
    rw_status status =
        at && number && values ? RW_OK : rw_fail_memory(p->ctx, (size_t)n * sizeof *at, "a derived field");
    if (status == RW_OK) {
        side_nodes(p, has, at, number);
        status = rw_expr_evaluate_nodes(p->derive, p->nfields + p->ndata + field, n, (const int64_t(*)[3])at, values);
    }
    for (int64_t i = 0; i < n && status == RW_OK; ++i) wide[number[i]] = values[i];
    rw_free(at);
    rw_free(number);
    rw_free(values);
    return status;
}

rw_status pde_all_sides(rw_problem *problem, int field, double t, bool has[6], double *wide)
{
    pde_problem *p = (pde_problem *)problem;
    bool any = false;
    if (field < p->nfields) return pde_sides(problem, field, t, has, wide);
    RW_TRY(pde_sides(problem, 0, t, has, NULL)); /* nodes lie alike in all fields */
    for (int s = 0; s < 6; ++s) any = any || has[s];
    return any && wide ? derived_sides(p, field - p->nfields, has, wide) : RW_OK;
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

rw_status pde_inspect_outputs(const rw_case *c, pde_problem *p)
{
    if (!p->functions.text) return RW_OK; /* noted, and what calls them cannot be checked */
    RW_NOTE(p->ctx, pde_inspect_series(c, p));
    RW_NOTE(p->ctx, pde_read_derived(c, p));
    RW_NOTE(p->ctx, pde_inspect_probes(c, p));
    return RW_OK;
}
