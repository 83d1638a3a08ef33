/* Texts of a case on the host: the language with its names, and what boundaries give at a time, for figures.
 *
 *   o o o o o      o  node on a Dirichlet side: its value is given, it is no unknown and in no array
 *   o x x x o      x  unknown
 *   o o o o o      a corner of two such sides has the value of the side of x, else of y, as in expressions
 */
#include <string.h>

#include "run/pde/pde.h"

void pde_language_end(pde_language *l)
{
    rw_lowering_end(&l->lowering);
    rw_graph_destroy(&l->graph);
}

rw_status pde_language_begin(rw_context *ctx, const pde_problem *p, double t, bool plain, pde_language *l)
{
    size_t n = (size_t)p->nscalars + 1, m = (size_t)(p->nfields + p->ndata) + 1;
    rw_expr_scalar *scalars = rw_calloc(n, sizeof *scalars);
    rw_expr_field *fields = rw_calloc(m, sizeof *fields);
    *l = (pde_language){0};
    rw_status status = scalars && fields ? rw_graph_create(ctx, &p->grid, p->order, &l->graph)
                                         : rw_fail_memory(ctx, n * sizeof *scalars, "names");
    rw_lowering_begin(&l->lowering, ctx, l->graph);
    if (status == RW_OK) l->graph->layout = p->layout;
    if (status == RW_OK) {
        for (int i = 0; i < p->nscalars; ++i) scalars[i] = p->scalars[i];
        scalars[p->nscalars] = (rw_expr_scalar){.name = "t", .value = t};
        for (int f = 0; f < p->nfields; ++f)
            fields[f] = (rw_expr_field){.name = p->fields[f].name, .dtype = p->fields[f].dtype};
        for (int i = 0; i < p->ndata; ++i) fields[p->nfields + i] = p->data[i];
        rw_expr_spec spec = {.name = "the case",
                             .grid = p->grid,
                             .scalars = scalars,
                             .nscalars = p->nscalars + 1,
                             .fields = fields,
                             .nfields = p->nfields + p->ndata};
        status = rw_expr_declare(ctx, &spec, l->graph, &l->lowering, &p->functions.source,
                                 plain ? &p->functions.parsed : NULL);
        for (int i = 0; i < p->ndata && status == RW_OK; ++i) l->graph->fields[p->nfields + i].external = true;
        l->lowering.no_fields = plain;
        l->lowering.declares = true;
    }
    rw_free(scalars);
    rw_free(fields);
    if (status != RW_OK) pde_language_end(l);
    return status;
}

void pde_at_place(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    const rw_graph_node *q = g->nodes + leaf;
    const double *place = user; /* in nodes */
    out[0] = out[1] = 0;
    if (q->op == RW_OP_COORD && q->version) out[0] = place[q->index] + q->offset[q->index];
    else if (q->op == RW_OP_COORD)
        out[0] = g->params[g->origin[q->index]].re +
                 (place[q->index] + q->offset[q->index]) * g->params[g->spacing[q->index]].re;
}

/* A place of a side, where masks are known too. */
typedef struct side_place {
    const pde_problem *p;
    double at[3];
} side_place;

static void at_side(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    const rw_graph_node *q = g->nodes + leaf;
    side_place *place = user;
    if (q->op != RW_OP_FIELD) {
        pde_at_place(place->at, g, leaf, out);
        return;
    }
    out[0] = pde_mask_at(place->p, place->p->sources[q->index - place->p->nfields].node, place->at);
    out[1] = 0;
}

/* The value at a node of the array with its sides, whose place counts from -1 at a lower side; false inside. */
static bool value_at(const pde_problem *p, pde_language *l, const rw_node side[6], int64_t place[3], int parts,
                     double *value)
{
    for (int s = 0; s < 2 * p->grid.ndim; ++s) {
        side_place at = {p, {(double)place[0], (double)place[1], (double)place[2]}};
        double x[2];
        if (side[s] < 0 || place[s / 2] != (s % 2 ? p->grid.size[s / 2] : -1)) continue;
        rw_graph_value(l->graph, side[s], at_side, &at, x);
        memcpy(value, x, (size_t)parts * sizeof *x);
        return true;
    }
    return false;
}

static void fill(const pde_problem *p, pde_language *l, const rw_node side[6], int parts, double *wide)
{
    int64_t size[3], place[3];
    for (int d = 0; d < 3; ++d)
        size[d] = p->grid.size[d] + (d < p->grid.ndim && side[2 * d] >= 0) + (d < p->grid.ndim && side[2 * d + 1] >= 0);
    for (int64_t k = 0; k < size[2]; ++k)
        for (int64_t j = 0; j < size[1]; ++j) {
            bool edge = false; /* a row inside has two nodes on sides at most */
            const int64_t row[3] = {0, j, k};
            for (int d = 1; d < p->grid.ndim; ++d)
                edge = edge || (side[2 * d] >= 0 && row[d] == 0) || (side[2 * d + 1] >= 0 && row[d] == size[d] - 1);
            for (int64_t i = 0; i < size[0]; i += edge || size[0] < 2 ? 1 : size[0] - 1) {
                const int64_t at[3] = {i, j, k};
                for (int d = 0; d < 3; ++d) place[d] = at[d] - (d < p->grid.ndim && side[2 * d] >= 0);
                value_at(p, l, side, place, parts, wide + parts * ((k * size[1] + j) * size[0] + i));
            }
        }
}

/* Whether node n reads a field other than a mask. Arguments come before their node. */
static rw_status find_field(const pde_problem *p, const rw_graph *g, rw_node n, bool *reads)
{
    bool *needed = rw_calloc((size_t)n + 1, sizeof *needed);
    *reads = false;
    if (!needed) return rw_fail_memory(p->ctx, (size_t)n, "a side");
    needed[n] = true;
    for (rw_node i = n; i >= 0; --i) {
        const rw_graph_node *q = g->nodes + i;
        if (!needed[i]) continue;
        if (q->op == RW_OP_FIELD) *reads = *reads || q->index < p->nfields || !p->sources[q->index - p->nfields].mask;
        for (int k = 0; k < rw_ops[q->op].arity; ++k)
            if (q->arg[k] >= 0) needed[q->arg[k]] = true;
    }
    rw_free(needed);
    return RW_OK;
}

/* What side s gives the field; -1: nothing, or a value that depends on fields. */
static rw_status lower_given(const pde_problem *p, pde_language *l, int field, int s, rw_node *n)
{
    const rw_boundary *b = p->fields[field].boundary + s;
    rw_lowering_side on = {.fields = p->fields, .nfields = p->nfields, .axis = s / 2, .upper = s % 2, .own = field};
    const rw_source source = {"a boundary", b->a, 1, 1};
    *n = -1;
    if (s >= 2 * p->grid.ndim || !pde_pins(p, b->kind)) return RW_OK;
    RW_TRY(rw_lower_side(&l->lowering, &on, &source, n));
    if (!(l->graph->nodes[*n].depends & RW_ON_FIELD)) return RW_OK;
    bool reads;
    RW_TRY(find_field(p, l->graph, *n, &reads));
    if (reads) *n = -1;
    return RW_OK;
}

/* The sides whose nodes are in outputs: those that pin nodes with values that are known for all fields, since all have
 * their nodes in the same places. side: what these give the field; -1 of others. */
static rw_status find_sides(const pde_problem *p, pde_language *l, int field, bool has[6], rw_node side[6])
{
    for (int s = 0; s < 6; ++s) {
        side[s] = -1;
        for (int f = 0; f < p->nfields && has[s]; ++f) {
            rw_node n;
            RW_TRY(lower_given(p, l, f, s, &n));
            has[s] = n >= 0;
            if (f == field) side[s] = n;
        }
        if (!has[s]) side[s] = -1;
    }
    return RW_OK;
}

rw_status pde_sides(rw_problem *problem, int field, double t, bool has[6], double *wide)
{
    pde_problem *p = (pde_problem *)problem;
    rw_node side[6];
    pde_language l;
    bool any = false;
    for (int s = 0; s < 6; ++s) {
        has[s] = s < 2 * p->grid.ndim && pde_pins(p, p->fields[field].boundary[s].kind);
        any = any || has[s];
    }
    if (!any) return RW_OK;
    RW_TRY(pde_language_begin(p->ctx, p, t, true, &l));
    rw_status status = find_sides(p, &l, field, has, side);
    if (status == RW_OK && wide) status = pde_read_masks(p);
    if (status == RW_OK && wide) fill(p, &l, side, pde_is_complex(p, field) ? 2 : 1, wide);
    pde_language_end(&l);
    return status;
}
