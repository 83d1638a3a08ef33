/* Which fields each output holds, since a run that goes on from a checkpoint may write others.
 *
 * A layout is valid from its first output to the next layout:  "0 vti u v", "12 - u"  in the checkpoint. */
#include "run/run_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* " u v ": each name between spaces. */
static bool add(rw_run *r, int first, bool vti, const char *fields)
{
    char *copy = rw_strdup(fields);
    if (!copy || !rw_grow(&r->layout, &r->layout_capacity, r->nlayouts + 1, sizeof(*r->layout))) {
        rw_free(copy);
        return false;
    }
    r->layout[r->nlayouts++] = (rw_layout){first, vti, copy};
    return true;
}

rw_status rw_layout_begin(rw_run *r)
{
    const rw_output_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    rw_text text = {0};
    rw_text_add(&text, " ");
    for (int i = 0; i < n; i++)
        if (rw_output_wants(&r->output.fields, fields[i].name)) rw_text_add(&text, "%s ", fields[i].name);
    const rw_layout *last = r->nlayouts ? &r->layout[r->nlayouts - 1] : NULL;
    bool vti = r->output.vti && r->output.fields.n > 0,
         same = last && !text.failed && last->vti == vti && strcmp(last->fields, text.data) == 0;
    int first = r->nlayouts ? r->noutputs : 0; /* a checkpoint of an older version has none: outputs were alike */
    bool good = same || (!text.failed && add(r, first, vti, text.data));
    rw_status status = good ? RW_OK : rw_fail_memory(r->ctx, text.length + 1, "names of fields");
    rw_text_free(&text);
    return status;
}

static const rw_layout *layout_of(const rw_run *r, int output)
{
    int i = r->nlayouts - 1;
    while (i > 0 && r->layout[i].first > output) i--;
    return &r->layout[i];
}

bool rw_layout_has(const rw_run *r, int output, const char *field)
{
    const rw_layout *l = layout_of(r, output);
    size_t n = strlen(field);
    for (const char *p = l->fields; (p = strstr(p, field)); p++)
        if (p > l->fields && p[-1] == ' ' && p[n] == ' ') return true;
    return false;
}

bool rw_layout_has_vti(const rw_run *r, int output) { return layout_of(r, output)->vti; }

rw_status rw_layout_save(rw_run *r, rw_h5 *file)
{
    rw_text text = {0};
    for (int i = 0; i < r->nlayouts; i++)
        rw_text_add(&text, "%d %s%s\n", r->layout[i].first, r->layout[i].vti ? "vti" : "-", r->layout[i].fields);
    rw_status status = text.failed ? rw_fail_memory(r->ctx, text.length, "names of fields") : RW_OK;
    if (status == RW_OK && r->nlayouts) status = rw_h5_set_text(file, "/", "layout", text.data);
    rw_text_free(&text);
    return status;
}

rw_status rw_layout_load(rw_run *r, rw_h5 *file)
{
    char *text;
    if (!rw_h5_has_attribute(file, "/", "layout")) return RW_OK;
    RW_TRY(rw_h5_get_text(file, "/", "layout", &text));
    rw_status status = RW_OK;
    for (char *line = text, *end; status == RW_OK && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char *rest, *space = strchr(line, ' '), *fields = space ? strchr(space + 1, ' ') : NULL;
        long first = strtol(line, &rest, 10);
        if (!fields || rest != space || first < 0 || first > r->noutputs)
            status = rw_fail(r->ctx, RW_ERR_INPUT,
                             "the output layout '%.60s' is invalid: the checkpoint is damaged: begin again with "
                             "rw_run_options.force",
                             line);
        else if (!add(r, (int)first, strncmp(space + 1, "vti ", 4) == 0, fields))
            status = rw_fail_memory(r->ctx, strlen(fields), "names of fields");
    }
    rw_free(text);
    return status;
}

void rw_layout_free(rw_run *r)
{
    for (int i = 0; i < r->nlayouts; i++) rw_free(r->layout[i].fields);
    rw_free(r->layout);
    r->layout = NULL;
    r->nlayouts = r->layout_capacity = 0;
}
