/* Walking all tables of settings (see tables.h). */
#include "run/tables.h"

#include <stdio.h>
#include <string.h>

const rw_section *rw_tables_sections(const rw_problem_ops *problem, int *n)
{
    *n = problem ? problem->nsections : rw_nrun_sections;
    return problem ? problem->sections : rw_run_sections;
}

void rw_tables_name(const rw_section *section, const rw_param *row, char *name, size_t size)
{
    bool top = strcmp(section->name, RW_SECTION_TOP) == 0;
    const char *entry = section->form == RW_SECTION_EACH ? ".NAME" : "";
    snprintf(name, size, "%s%s%s%s", top ? "" : section->name, entry, top || !row ? "" : ".", row ? row->name : "");
}

void rw_tables_default(const rw_param *row, char *text, size_t size)
{
    if (row->required)
        snprintf(text, size, "required");
    else if (!*row->standard)
        snprintf(text, size, "none by default");
    else
        snprintf(text, size, "default %s", row->standard);
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
    if (status != RW_OK)
        rw_text_free(text);
    else
        *out = text->data;
    *text = (rw_text){0};
    return status;
}
