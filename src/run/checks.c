/* The case's own checks, computed from the final state on the device. */
#include "run/checks.h"

#include <math.h>
#include <string.h>

#include "expr/program.h"
#include "run/parameters.h"

#define RW_SECTION_PREFIX(section) rw_entry_##section
#define RW_SECTION_DEF "run/checks.def"
#include "run/section_structs.h"

static rw_status make_program(const rw_case *c, const rw_expr_scalar *given, int n, rw_checks_make *make, void *user,
                              rw_checks *k, const rw_tree *value)
{
    rw_context *ctx = rw_case_context(c);
    rw_text text = {0};
    rw_text_add(&text, "value = ");
    rw_add_place(&text, value->text_source, value->text_line, value->text_column);
    rw_text_add(&text, "%s", value->text);
    rw_status status = rw_add_functions(c, &text);
    rw_expr_scalar *scalars = rw_calloc((size_t)n + 1, sizeof *scalars);
    rw_expr **e = k->programs + k->n - 1;
    if (!scalars) status = rw_fail_memory(ctx, 256, "a check");
    if (status == RW_OK) {
        if (n) memcpy(scalars, given, (size_t)n * sizeof *scalars);
        scalars[n] = (rw_expr_scalar){.name = "t"};
        rw_expr_spec spec = {.name = value->source, .text = text.data, .scalars = scalars, .nscalars = n + 1};
        status = make(user, &spec, e);
    }
    if (status == RW_OK && rw_expr_result_index(*e, "value") < 0)
        status = rw_case_fail(c, value, "checks.%s.value is a field: reduce it to a number with normmax, mean, …",
                              k->list[k->n - 1].name);
    rw_text_free(&text);
    rw_free(scalars);
    return status;
}

rw_status rw_checks_read(const rw_case *c, const rw_expr_scalar *scalars, int nscalars, rw_checks_make *make,
                         void *user, rw_checks *k)
{
    const rw_tree *map = rw_case_node(c, "checks");
    if (!map || !map->n) return RW_OK;
    k->list = rw_calloc((size_t)map->n, sizeof *k->list);
    k->programs = rw_calloc((size_t)map->n, sizeof *k->programs);
    if (!k->list || !k->programs) return rw_fail_memory(rw_case_context(c), 64, "checks");
    for (int i = 0; i < map->n; ++i) {
        rw_entry_checks entry;
        RW_TRY(rw_case_entry(c, "checks", i, &entry));
        k->list[i] = (rw_problem_check){.name = map->keys[i], .expect = entry.expect, .tolerance = entry.tolerance};
        k->n = i + 1;
        RW_TRY(make_program(c, scalars, nscalars, make, user, k, rw_tree_get(map->items[i], "value")));
    }
    return RW_OK;
}

rw_status rw_checks_run(rw_checks *k, rw_queue *queue, double t)
{
    for (int i = 0; i < k->n; ++i) {
        rw_problem_check *check = k->list + i;
        RW_TRY(rw_expr_set(k->programs[i], "t", t));
        RW_TRY(rw_expr_run(k->programs[i], queue));
        RW_TRY(rw_expr_get(k->programs[i], "value", &check->value, NULL));
        check->passed = fabs(check->value - check->expect) <= check->tolerance; /* false for NaN */
    }
    return RW_OK;
}

void rw_checks_free(rw_checks *k)
{
    for (int i = 0; i < k->n; ++i) rw_expr_destroy(&k->programs[i]);
    rw_free(k->list);
    rw_free(k->programs);
}
