/* Named expressions of a case, read and put together into programs (see named.h). */
#include "run/named.h"

#include <string.h>

#include "expr/parse.h"
#include "expr/program.h"
#include "run/parameters.h"

rw_status rw_named_fail(const rw_case *c, const char *setting, const char *name, const char *format, ...)
{
    const rw_tree *map = rw_case_node(c, setting);
    char text[1024];
    va_list args;
    va_start(args, format);
    rw_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rw_case_fail_key(c, map, RW_MAX(rw_tree_index(map, name), 0), "%s.%.60s%s", setting, name, text);
}

/* Entry i of the map. */
static rw_status read_entry(const rw_case *c, const char *setting, const rw_tree *map, int i, rw_named_expr *to)
{
    const rw_tree *item = map->items[i], *value = item, *unit = NULL;
    if (item->kind == RW_TREE_MAP) {
        value = rw_tree_get(item, "value");
        unit = rw_tree_get(item, "unit");
        for (int k = 0; k < item->n; ++k)
            if (strcmp(item->keys[k], "value") && strcmp(item->keys[k], "unit"))
                return rw_case_fail_key(c, item, k, "%s.%.60s.%.60s is unknown; known are value, unit", setting,
                                        map->keys[i], item->keys[k]);
    }
    if (!value || value->kind != RW_TREE_SCALAR || !*value->text || (unit && unit->kind != RW_TREE_SCALAR))
        return rw_case_fail(c, item, "%s.%.60s must be an expression, or {value: expression, unit: text}", setting,
                            map->keys[i]);
    *to = (rw_named_expr){map->keys[i], unit ? unit->text : "", value};
    return RW_OK;
}

static rw_status check_name(const rw_case *c, int ndim, const rw_tree *map, int i)
{
    const rw_grid grid = {.ndim = ndim};
    char where[320];
    rw_tree key = {.source = map->items[i]->source, .line = map->key_place[i].line, .column = map->key_place[i].column};
    rw_tree_place(&key, where, sizeof where);
    return rw_check_name_on(rw_case_context(c), &grid, where, map->keys[i]);
}

rw_status rw_named_read(const rw_case *c, int ndim, const char *setting, rw_named_expr **list, int *n)
{
    rw_context *ctx = rw_case_context(c);
    const rw_tree *map = rw_case_node(c, setting);
    *list = NULL;
    *n = 0;
    if (!map || (map->kind == RW_TREE_SCALAR && !*map->text)) return RW_OK;
    if (map->kind != RW_TREE_MAP)
        return rw_case_fail(c, map, "%s must be a map of names to expressions, such as {total: \"integral(u)\"}",
                            setting);
    if (!(*list = rw_calloc((size_t)map->n + 1, sizeof **list))) return rw_fail_memory(ctx, 256, setting);
    for (int i = 0; i < map->n; ++i) {
        rw_status status = check_name(c, ndim, map, i);
        if (status == RW_OK) status = read_entry(c, setting, map, i, *list + *n);
        *n += status == RW_OK;
        RW_NOTE(ctx, status);
    }
    return RW_OK;
}

static void add_texts(const rw_named_expr *list, int n, rw_text *text)
{
    for (int i = 0; i < n; ++i) {
        rw_text_add(text, "%s%s = ", i ? "\n" : "", list[i].name);
        rw_add_place(text, list[i].value->text_source, list[i].value->text_line, list[i].value->text_column);
        rw_text_add(text, "%s", list[i].value->text);
    }
}

rw_status rw_named_program(const rw_case *c, const rw_named_expr *list, int names, int n, const rw_expr_scalar *given,
                           int ngiven, rw_named_make *make, void *user, rw_expr **e, int *field)
{
    rw_text text = {0};
    *field = -1;
    add_texts(list, n, &text);
    rw_status status = rw_add_functions(c, &text);
    rw_expr_scalar *scalars = rw_calloc((size_t)ngiven + 1, sizeof *scalars);
    if (!scalars) status = rw_fail_memory(rw_case_context(c), 256, "expressions of a case");
    if (status == RW_OK) {
        if (ngiven) memcpy(scalars, given, (size_t)ngiven * sizeof *scalars);
        scalars[ngiven] = (rw_expr_scalar){.name = "t"};
        const rw_expr_spec spec = {.name = n ? list->value->source : rw_case_file(c),
                                   .text = text.data,
                                   .scalars = scalars,
                                   .nscalars = ngiven + 1};
        status = make(user, &spec, e);
    }
    for (int i = names; i < n && status == RW_OK && *field < 0; ++i)
        if (rw_expr_result_index(*e, list[i].name) < 0) *field = i;
    rw_text_free(&text);
    rw_free(scalars);
    return status;
}
