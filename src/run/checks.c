/* The case's own checks, computed from the final state on the device. */
#include "run/checks.h"

#include <math.h>

#define RW_SECTION_PREFIX(section) rw_entry_##section
#define RW_SECTION_DEF "run/checks.def"
#include "run/section_structs.h"

static rw_status make_program(const rw_case *c, const rw_expr_scalar *given, int n, rw_named_make *make, void *user,
                              rw_checks *k, const rw_tree *value)
{
    const rw_named_expr check = {"value", "", value};
    int field;
    RW_TRY(rw_named_program(c, &check, 0, 1, given, n, make, user, k->programs + k->n - 1, &field));
    if (field < 0) return RW_OK;
    return rw_case_fail(c, value, "checks.%s.value is a field: reduce it to a number with normmax, mean, …",
                        k->list[k->n - 1].name);
}

rw_status rw_checks_read(const rw_case *c, const rw_expr_scalar *scalars, int nscalars, rw_named_make *make, void *user,
                         rw_checks *k)
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
