/* Initial values of the fields; their forms are in values.c. One pass on the device checks that all are finite, and
 * only on failure the node is sought. */
#include <math.h>

#include "run/pde/pde.h"

/* [nfields] of `list`; the texts of settings are the problem's. */
static rw_status list_values(const rw_case *c, pde_problem *p, pde_values *list)
{
    const rw_tree *map = rw_case_node(c, "fields");
    for (int f = 0; f < p->nfields; ++f) {
        char *setting = rw_format("fields.%s.initial", p->fields[f].name);
        RW_TRY(pde_own(p, rw_case_context(c), setting));
        list[f] = (pde_values){.setting = setting,
                               .name = p->fields[f].name,
                               .node = rw_tree_get(rw_tree_get(map, p->fields[f].name), "initial"),
                               .array = p->state.fields[f].array};
    }
    return RW_OK;
}

rw_status pde_set_initial(const rw_case *c, pde_problem *p)
{
    p->values = rw_calloc((size_t)RW_MAX(p->nfields, 1), sizeof *p->values);
    if (!p->values) return rw_fail_memory(rw_case_context(c), 256, "initial values");
    RW_TRY(list_values(c, p, p->values));
    return pde_make_values(c, p, "initial values", p->values, p->nfields, &p->initial);
}

rw_status pde_check_initial(const rw_case *c, pde_problem *p)
{
    double *row = rw_calloc((size_t)p->state.ncolumns, sizeof *row);
    if (!row) return rw_fail_memory(p->device->ctx, 64, "columns");
    rw_status status = rw_state_row(&p->state, 0, 0, row);
    for (int f = 0; f < p->nfields && status == RW_OK; ++f)
        if (!isfinite(row[rw_state_mean(&p->state, f)])) /* or the sum overflows, the values do not */
            status = pde_check_finite(c, p, p->values + f);
    rw_free(row);
    return status;
}
