/* Walking all tables of settings (see tables.h). */
#include "run/tables.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"

#include <stdio.h>
#include <string.h>

const rw_section *rw_tables_sections(const rw_problem_ops *problem, int *n)
{
    *n = problem ? problem->nsections : rw_nrun_sections;
    return problem ? problem->sections : rw_run_sections;
}

const rw_section *rw_tables_specs(int *n)
{
    static const rw_params *(*const specs[])(void) = {rw_krylov_params, rw_precond_params, rw_sparse_params,
                                                      rw_multiblock_params};
    static _Thread_local rw_section sections[RW_COUNT(specs)];
    for (int i = 0; i < RW_COUNT(specs); i++) {
        const rw_params *p = specs[i]();
        sections[i] = (rw_section){p->name, RW_SECTION_TABLE, "", p->line, .of = specs[i]};
    }
    *n = RW_COUNT(specs);
    return sections;
}

void rw_tables_name(const rw_section *section, const rw_param *row, char *name, size_t size)
{
    bool top = strcmp(section->name, RW_SECTION_TOP) == 0;
    const char *entry = section->form == RW_SECTION_EACH ? ".NAME" : "";
    snprintf(name, size, "%s%s%s%s", top ? "" : section->name, entry, top || !row ? "" : ".", row ? row->name : "");
}

void rw_tables_default(const rw_param *row, char *text, size_t size)
{
    if (row->required) snprintf(text, size, "(required)");
    else if (!*row->standard) snprintf(text, size, "(default: none)");
    else snprintf(text, size, "(default: %s)", row->standard);
}

const rw_problem_ops *rw_tables_problem(const char *name)
{
    for (int i = 0; rw_problems[i]; i++)
        if (strcmp(rw_problems[i]->name, name) == 0) return rw_problems[i];
    return NULL;
}

rw_status rw_tables_give(rw_context *ctx, rw_text *text, char **out)
{
    *out = NULL;
    if (!text->failed && !text->data) rw_text_add_bytes(text, "\n", 1);
    rw_status status = text->failed ? rw_fail_memory(ctx, text->length, "a text") : RW_OK;
    if (status != RW_OK) rw_text_free(text);
    else *out = text->data;
    *text = (rw_text){0};
    return status;
}
