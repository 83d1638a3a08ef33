/* Named numbers of a case, and its functions and equations joined to one text. */
#include <math.h>
#include <string.h>

#include "problem/pde/pde.h"

rw_status pde_own(pde_problem *p, rw_context *ctx, char *text)
{
    if (!text || !rw_grow(&p->owned, &p->owned_capacity, p->nowned + 1, sizeof *p->owned)) {
        rw_free(text);
        return rw_fail_memory(ctx, 64, "a case");
    }
    p->owned[p->nowned++] = text;
    return RW_OK;
}

/* The value of a parameter: an expression of the parameters before it. */
static rw_status evaluate(const rw_case *c, const pde_problem *p, const char *name, const rw_yaml *node, double *value)
{
    rw_context *ctx = rw_case_context(c);
    rw_grid grid = {1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    rw_expr_spec spec = {.grid = grid, .scalars = p->scalars, .nscalars = p->nscalars};
    rw_graph *g;
    rw_lowering l;
    rw_node n = 0;
    double im = 0;
    RW_TRY(rw_graph_create(ctx, &grid, 2, &g));
    rw_lowering_begin(&l, ctx, g);
    l.no_fields = true;
    rw_source source = {node->source, node->text, node->text_line, node->text_column};
    rw_status status = rw_expr_declare(ctx, &spec, g, &l);
    if (status == RW_OK) status = rw_lower_text(&l, &source, &n);
    if (status == RW_OK && (g->nodes[n].is_field || g->nodes[n].is_complex))
        status = rw_case_fail(c, node, "parameters.%s depends on place or is complex: a parameter is one real number", name);
    if (status == RW_OK) rw_graph_scalar(g, n, value, &im);
    if (status == RW_OK && !isfinite(*value))
        status = rw_case_fail(c, node, "parameters.%s = %g: a finite number is needed", name, *value);
    rw_lowering_end(&l);
    rw_graph_destroy(&g);
    return status;
}

rw_status pde_read_parameters(const rw_case *c, pde_problem *p)
{
    rw_context *ctx = rw_case_context(c);
    const rw_yaml *map = rw_case_node(c, "parameters");
    if (!map || !map->n) return RW_OK;
    p->scalars = rw_calloc((size_t)map->n, sizeof *p->scalars);
    if (!p->scalars) return rw_fail_memory(ctx, (size_t)map->n * sizeof *p->scalars, "parameters");
    for (int i = 0; i < map->n; ++i) {
        char where[64];
        double value;
        snprintf(where, sizeof where, "%s:%d:%d", map->source, map->key_place[i].line, map->key_place[i].column);
        RW_TRY(rw_check_name(ctx, where, map->keys[i]));
        if (map->items[i]->kind != RW_YAML_SCALAR)
            return rw_case_fail(c, map->items[i], "parameters.%s must be a number or an expression", map->keys[i]);
        RW_TRY(evaluate(c, p, map->keys[i], map->items[i], &value));
        p->scalars[p->nscalars++] = (rw_expr_scalar){.name = map->keys[i], .value = value};
    }
    return RW_OK;
}

/* Appends a text so that its characters stand in the lines and columns that they have in the file, which makes every
 * later message right without a table of places. */
static void add_in_place(rw_text *t, const rw_yaml *item, int *line)
{
    int column = 1;
    if (item->text_line > *line)
        while (*line < item->text_line) rw_text_add(t, "\n"), ++*line;
    else if (t->length) rw_text_add(t, ";"); /* several on a line, or from --set: places are approximate */
    for (; column < item->text_column; ++column) rw_text_add(t, " ");
    for (const char *s = item->text; *s; ++s) {
        rw_text_add_bytes(t, s, 1);
        if (*s != '\n') continue;
        ++*line;
        for (column = 1; column < item->text_column; ++column) rw_text_add(t, " ");
    }
}

rw_status pde_join_texts(const rw_case *c, pde_problem *p)
{
    static const char *const sections[] = {"functions", "equations"};
    const rw_yaml *lists[2];
    rw_text t = {0};
    int line = 1;
    for (int s = 0; s < 2; ++s) lists[s] = rw_case_node(c, sections[s]);
    if (!lists[1] || !lists[1]->n)
        return rw_case_fail(c, NULL, "there are no equations: add equations: \"du/dt = …\"");
    /* in the order of the file: definitions may stand behind their use, the parser reads them all first */
    int first = lists[0] && lists[0]->n && lists[0]->items[0]->text_line > lists[1]->items[0]->text_line;
    for (int k = 0; k < 2; ++k) {
        const rw_yaml *list = lists[k ^ first];
        for (int i = 0; list && i < list->n; ++i) add_in_place(&t, list->items[i], &line);
    }
    p->equations = t.data;
    if (t.failed) return rw_fail_memory(rw_case_context(c), t.length, "the equations");
    return RW_OK;
}
