/* Named numbers and functions of a case. */
#include "run/parameters.h"

#include <math.h>
#include <string.h>

#include "expr/program.h"

rw_status rw_add_functions(const rw_case *c, rw_text *text)
{
    const rw_tree *list = rw_case_node(c, "functions");
    for (int i = 0; list && i < list->n; ++i) {
        const rw_tree *item = list->items[i];
        rw_text_add(text, "\n");
        rw_add_place(text, item->text_source, item->text_line, item->text_column);
        rw_text_add(text, "%s", item->text);
    }
    rw_text_add(text, "\n"); /* a text ends its last statement */
    return text->failed ? rw_fail_memory(rw_case_context(c), text->length, "functions") : RW_OK;
}

static rw_status check_definitions(const rw_case *c, const rw_functions *f)
{
    for (int i = 0; i < f->parsed.n; ++i) {
        const rw_statement *s = f->parsed.statements + i;
        if (s->kind == RW_EQUATION && s->left->kind == RW_SYNTAX_CALL && rw_is_operation(s->left->name))
            return rw_fail_at(rw_case_context(c), &f->source, s->at,
                              "function %s has the name of an operator or function of the language: choose another "
                              "name, or write the equation under equations",
                              s->left->name);
        if (s->kind != RW_DEFINE)
            return rw_fail_at(rw_case_context(c), &f->source, s->at,
                              "functions takes definitions such as f(a) = a - a^3: write other statements under "
                              "equations");
    }
    return RW_OK;
}

rw_status rw_functions_read(const rw_case *c, rw_functions *f)
{
    rw_text text = {0};
    *f = (rw_functions){.source = {rw_case_file(c), NULL, 1, 1}};
    rw_status status = rw_add_functions(c, &text);
    f->source.text = f->text = text.data;
    if (status == RW_OK) status = rw_parse_statements(rw_case_context(c), &f->source, &f->parsed);
    if (status == RW_OK) status = check_definitions(c, f);
    if (status != RW_OK) rw_functions_free(f);
    return status;
}

void rw_functions_free(rw_functions *f)
{
    rw_parsed_free(&f->parsed);
    rw_free(f->text);
    f->text = NULL;
}

/* The value of a parameter: an expression of the parameters before it. */
static rw_status evaluate(const rw_case *c, int ndim, const rw_functions *functions, const rw_expr_scalar *scalars,
                          int nscalars, const char *name, const rw_tree *node, rw_expr_scalar *to)
{
    rw_context *ctx = rw_case_context(c);
    rw_grid grid = {.ndim = RW_MIN(ndim, 1), .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    rw_expr_spec spec = {.grid = grid, .scalars = scalars, .nscalars = nscalars};
    rw_graph *g;
    rw_lowering l;
    rw_node n = 0;
    RW_TRY(rw_graph_create(ctx, &grid, 2, &g));
    rw_lowering_begin(&l, ctx, g);
    l.no_fields = true;
    rw_source source = {node->text_source, node->text, node->text_line, node->text_column};
    rw_status status = rw_expr_declare(ctx, &spec, g, &l, &functions->source, &functions->parsed);
    if (status == RW_OK) status = rw_lower_text(&l, &source, &n);
    if (status == RW_OK && g->nodes[n].is_field)
        status = rw_case_fail(c, node, "parameters.%s depends on coordinates: a parameter must be one number", name);
    if (status == RW_OK) rw_graph_scalar(g, n, &to->value, &to->imaginary);
    if (status == RW_OK && !isfinite(to->value + to->imaginary))
        status = rw_case_fail(c, node, "parameters.%s = %g: a parameter must be finite", name,
                              isfinite(to->value) ? to->imaginary : to->value);
    if (status == RW_OK) to->is_complex = g->nodes[n].is_complex;
    rw_lowering_end(&l);
    rw_graph_destroy(&g);
    return status;
}

static rw_status check_key(const rw_case *c, int ndim, const rw_tree *map, int i)
{
    const rw_grid grid = {.ndim = ndim};
    char where[320];
    rw_tree key = {.source = map->items[i]->source, .line = map->key_place[i].line, .column = map->key_place[i].column};
    rw_tree_place(&key, where, sizeof where);
    return rw_check_name_on(rw_case_context(c), &grid, where, map->keys[i]);
}

static rw_status read_each(const rw_case *c, int ndim, const rw_tree *map, const rw_functions *functions,
                           rw_expr_scalar **scalars, int *n)
{
    rw_context *ctx = rw_case_context(c);
    for (int i = 0; i < map->n; ++i) {
        rw_expr_scalar scalar = {.name = map->keys[i], .value = 1};
        int mistakes = rw_mistakes_met();
        RW_NOTE(ctx, check_key(c, ndim, map, i));
        if (mistakes < rw_mistakes_met()) continue;
        if (map->items[i]->kind != RW_TREE_SCALAR)
            RW_NOTE(ctx,
                    rw_case_fail(c, map->items[i], "parameters.%s must be a number or an expression", map->keys[i]));
        else if (functions)
            RW_NOTE(ctx, evaluate(c, ndim, functions, *scalars, *n, map->keys[i], map->items[i], &scalar));
        if (!isfinite(scalar.value + scalar.imaginary)) /* noted; its name is known all the same */
            scalar = (rw_expr_scalar){.name = map->keys[i], .value = 1};
        (*scalars)[(*n)++] = scalar;
    }
    return RW_OK;
}

rw_status rw_read_parameters(const rw_case *c, int ndim, rw_expr_scalar **scalars, int *n)
{
    rw_context *ctx = rw_case_context(c);
    const rw_tree *map = rw_case_node(c, "parameters");
    rw_functions functions = {0};
    *scalars = NULL;
    *n = 0;
    if (!map || !map->n) return RW_OK;
    *scalars = rw_calloc((size_t)map->n, sizeof **scalars);
    if (!*scalars) return rw_fail_memory(ctx, (size_t)map->n * sizeof **scalars, "parameters");
    RW_NOTE(ctx, rw_functions_read(c, &functions));
    /* NULL: noted, and expressions that call them cannot be evaluated */
    rw_status status = read_each(c, ndim, map, functions.text ? &functions : NULL, scalars, n);
    rw_functions_free(&functions);
    return status;
}
