/* The case's own checks: numbers computed from the final state on the device, beside what they should be. An exact
 * solution is an expression too:  {value: "normmax(u - exp(-t)*sin(pi*x))", tolerance: 1e-4} */
#include <math.h>
#include <string.h>

#include "problem/pde/pde.h"

static rw_status make_program(const rw_case *c, pde_problem *p, int i, const rw_yaml *node, int order)
{
    const rw_yaml *value = rw_yaml_get(node, "value");
    rw_context *ctx = rw_case_context(c);
    char *text = rw_format("value = %s", value->text);
    rw_expr_scalar *scalars = rw_calloc((size_t)p->nscalars + 1, sizeof *scalars);
    rw_status status = text && scalars ? RW_OK : rw_fail_memory(ctx, 256, "a check");
    if (status == RW_OK) {
        if (p->nscalars) memcpy(scalars, p->scalars, (size_t)p->nscalars * sizeof *scalars);
        scalars[p->nscalars] = (rw_expr_scalar){.name = "t"};
        rw_expr_spec spec = {.name = value->source, .line = value->text_line, .column = value->text_column - 8,
                             .text = text, .grid = p->grid, .order = order, .fields = p->fields, .nfields = p->nfields,
                             .scalars = scalars, .nscalars = p->nscalars + 1};
        status = rw_expr_create(p->device, &spec, &p->check_programs[i]);
    }
    if (status == RW_OK && rw_expr_result_index(p->check_programs[i], "value") < 0)
        status = rw_case_fail(c, value, "checks.%s.value is a field: reduce it to a number with normmax, mean, …",
                              p->checks[i].name);
    for (int f = 0; status == RW_OK && f < p->nfields; ++f)
        status = rw_expr_bind(p->check_programs[i], p->fields[f].name, p->arrays[f]);
    rw_free(text), rw_free(scalars);
    return status;
}

rw_status pde_read_checks(const rw_case *c, pde_problem *p, int order)
{
    const rw_yaml *map = rw_case_node(c, "checks");
    if (!map || !map->n) return RW_OK;
    p->checks = rw_calloc((size_t)map->n, sizeof *p->checks);
    p->check_programs = rw_calloc((size_t)map->n, sizeof *p->check_programs);
    if (!p->checks || !p->check_programs) return rw_fail_memory(rw_case_context(c), 64, "checks");
    for (int i = 0; i < map->n; ++i) {
        pde_checks entry;
        RW_TRY(rw_case_entry(c, "checks", i, &entry));
        p->checks[i] = (rw_problem_check){.name = map->keys[i], .expect = entry.expect, .tolerance = entry.tolerance};
        p->nchecks = i + 1;
        RW_TRY(make_program(c, p, i, map->items[i], order));
    }
    return RW_OK;
}

rw_status pde_check(rw_problem *problem, const rw_problem_check **list, int *n)
{
    pde_problem *p = (pde_problem *)problem;
    for (int i = 0; i < p->nchecks; ++i) {
        rw_problem_check *k = p->checks + i;
        RW_TRY(rw_expr_set(p->check_programs[i], "t", rw_ode_time(p->ode)));
        RW_TRY(rw_expr_run(p->check_programs[i], rw_device_queue(p->device)));
        RW_TRY(rw_expr_get(p->check_programs[i], "value", &k->value, NULL));
        k->passed = fabs(k->value - k->expect) <= k->tolerance; /* false for NaN */
    }
    *list = p->checks, *n = p->nchecks;
    return RW_OK;
}

void pde_free_checks(pde_problem *p)
{
    for (int i = 0; i < p->nchecks; ++i) rw_expr_destroy(&p->check_programs[i]);
    rw_free(p->checks), rw_free(p->check_programs);
}
