#include "run/flow/flow.h"

#include <math.h>

#define RW_SECTION_PREFIX(section) flow_##section
#define RW_SECTION_DEF "run/flow/flow.def"
#define RW_SECTION_TABLE_NAME flow_sections
#include "run/section_table.h"

static bool has_heat(const flow *f)
{
    bool heat = rw_case_node(f->c, "initial.temperature");
    for (int s = 0; s < FLOW_SIDES; ++s)
        for (int i = 0; i < f->side[s].n; ++i) heat = heat || f->side[s].part[i].heat_kind;
    return heat;
}

static rw_status check_grid(flow *f)
{
    for (int d = 0; d < 2; ++d) {
        f->size[d] = f->grid.size.value[RW_MIN(d, f->grid.size.n - 1)];
        f->length[d] = f->grid.extent.value[RW_MIN(d, f->grid.extent.n - 1)];
        f->origin[d] = f->grid.origin.value[RW_MIN(d, f->grid.origin.n - 1)];
    }
    if (f->fluid.down.value[0] != 0 || f->fluid.down.value[1] != 0) return RW_OK;
    return rw_case_fail(f->c, rw_case_node(f->c, "fluid.down"), "fluid.down = [0, 0] is no direction");
}

static rw_status read_case(flow *f)
{
    const int mistakes = rw_mistakes_met();
    RW_TRY(rw_case_section(f->c, "grid", &f->grid));
    RW_TRY(rw_case_section(f->c, "fluid", &f->fluid));
    RW_TRY(rw_case_section(f->c, "initial", &f->initial));
    RW_TRY(rw_case_section(f->c, "forces", &f->forces));
    RW_TRY(rw_case_section(f->c, "scheme", &f->scheme));
    RW_TRY(rw_case_section(f->c, "time", &f->time));
    RW_TRY(check_grid(f));
    RW_TRY(rw_read_parameters(f->c, 2, &f->scalars, &f->nscalars));
    RW_TRY(rw_functions_read(f->c, &f->functions));
    if (rw_mistakes_met() > mistakes) return RW_OK;
    RW_TRY(flow_read_sides(f));
    if (rw_mistakes_met() > mistakes) return RW_OK;
    f->heat = has_heat(f);
    return flow_walk(f);
}

static rw_status expand(const rw_case *c, rw_tree **root)
{
    const int mistakes = rw_mistakes_met();
    flow *f = rw_calloc(1, sizeof *f);
    *root = NULL;
    if (!f) return rw_fail_memory(rw_case_context(c), sizeof *f, "a flow");
    f->c = c;
    f->ctx = rw_case_context(c);
    rw_status status = read_case(f);
    if (status == RW_OK && rw_mistakes_met() == mistakes) status = flow_write(f, root);
    flow_free_pieces(f);
    rw_functions_free(&f->functions);
    rw_free(f->scalars);
    rw_free(f);
    return status;
}

const rw_problem_ops rw_flow_ops = {.name = "flow",
                                    .summary = "plane flow with heat: vorticity, streamfunction, temperature, tracers",
                                    .sections = flow_sections,
                                    .nsections = RW_COUNT(flow_sections),
                                    .expand = expand};
