/* Which fields each output holds, and in which formats, since a run that goes on from a checkpoint may write others.
 *
 * The contents of an output are those of the last entry that begins at it or before:  "0 hdf5+vti u v", "12 hdf5 u"  in
 * the checkpoint. Older ones have "vti" for hdf5+vti and "-" for hdf5. */
#include "run/run_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/writer.h"

bool rw_contents_wants(const rw_texts *list, const rw_state_field *f)
{
    const char *field = rw_state_shown(f);
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i]->text, field) == 0 || strcmp(list->item[i]->text, "all") == 0) return true;
    return false;
}

bool rw_contents_draws(const rw_run *r, int field)
{
    const rw_texts *list = &r->output.figures;
    const rw_state_field *f = &r->problem->fields[field];
    const char *name = rw_state_shown(f);
    if (rw_output_layout(r->problem, field)->kind == RW_LAYOUT_VALUE) return false; /* figures are curves */
    if (f->component > 0) return false; /* the first stands for the vector */
    if (rw_layout_count(rw_output_layout(r->problem, field)) != 1) return rw_contents_wants(list, f);
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i]->text, name) == 0) return true;
    return false;
}

bool rw_contents_is_plane_vector(const rw_run *r, int field)
{
    const rw_state_field *f = &r->problem->fields[field];
    const rw_layout *l = rw_output_layout(r->problem, field);
    return f->vector && f->component == 0 && l == r->grid && l->kind == RW_LAYOUT_GRID && l->ndim == 2;
}

bool rw_contents_has_streamlines(const rw_run *r, int field)
{
    return rw_contents_is_plane_vector(r, field) &&
           rw_contents_wants(&r->output.streamlines, &r->problem->fields[field]);
}

/* The formats of this run. */
static unsigned formats_of(const rw_run *r)
{
    const rw_texts *list = &r->output.formats;
    unsigned formats = 0;
    for (int k = 0; k < list->n && r->output.fields.n > 0; k++) {
        const int w = rw_writer_find(list->item[k]->text);
        if (w < 0 || (rw_writer_is_vtk(w) && !r->output.vti)) continue;
        for (int f = 0; f < r->problem->nfields; f++)
            if (rw_writer_suits(w, rw_output_layout(r->problem, f))) formats |= 1u << w;
    }
    return formats;
}

/* " u v ": each name between spaces. */
static bool add(rw_run *r, int first, unsigned formats, const char *fields)
{
    char *copy = rw_strdup(fields);
    if (!copy || !rw_grow(&r->contents, &r->contents_capacity, r->ncontents + 1, sizeof(*r->contents))) {
        rw_free(copy);
        return false;
    }
    r->contents[r->ncontents++] = (rw_contents){first, formats, copy};
    return true;
}

rw_status rw_contents_begin(rw_run *r)
{
    const rw_state_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    rw_text text = {0};
    rw_text_add(&text, " ");
    for (int i = 0; i < n; i++)
        if (rw_contents_wants(&r->output.fields, &fields[i])) rw_text_add(&text, "%s ", fields[i].name);
    const rw_contents *last = r->ncontents ? &r->contents[r->ncontents - 1] : NULL;
    unsigned formats = formats_of(r);
    bool same = last && !text.failed && last->formats == formats && strcmp(last->fields, text.data) == 0;
    int first = r->ncontents ? r->noutputs : 0; /* a checkpoint of an older version has none: outputs were alike */
    bool good = same || (!text.failed && add(r, first, formats, text.data));
    rw_status status = good ? RW_OK : rw_fail_memory(r->ctx, text.length + 1, "names of fields");
    rw_text_free(&text);
    return status;
}

static const rw_contents *contents_of(const rw_run *r, int output)
{
    int i = r->ncontents - 1;
    while (i > 0 && r->contents[i].first > output) i--;
    return &r->contents[i];
}

bool rw_contents_has(const rw_run *r, int output, const char *field, int format)
{
    const rw_contents *l = contents_of(r, output);
    size_t n = strlen(field);
    if (!(l->formats >> format & 1)) return false;
    for (const char *p = l->fields; (p = strstr(p, field)); p++)
        if (p > l->fields && p[-1] == ' ' && p[n] == ' ') return true;
    return false;
}

bool rw_contents_in(const rw_run *r, int output, int format) { return contents_of(r, output)->formats >> format & 1; }

/* "hdf5+vti"; "none" */
static void add_formats(rw_text *text, unsigned formats)
{
    const char *name, *between = "";
    for (int w = 0; (name = rw_writer_name(w)); w++) {
        if (!(formats >> w & 1)) continue;
        rw_text_add(text, "%s%s", between, name);
        between = "+";
    }
    if (!formats) rw_text_add(text, "none");
}

static unsigned read_formats(const rw_run *r, const char *text, size_t n)
{
    unsigned formats = 0;
    const bool old = n == 1 && *text == '-', old_vti = n == 3 && !strncmp(text, "vti", 3);
    const char *name;
    for (int w = 0; (name = rw_writer_name(w)); w++) {
        const size_t length = strlen(name);
        bool has = false;
        for (const char *p = text; !has && p + length <= text + n; p = strchr(p, '+') ? strchr(p, '+') + 1 : text + n)
            has = !strncmp(p, name, length) && (p + length == text + n || p[length] == '+');
        if (old || old_vti)
            has = w == RW_WRITER_hdf5 || (old_vti && rw_writer_is_vtk(w) && rw_writer_suits(w, r->grid));
        if (has) formats |= 1u << w;
    }
    return formats;
}

rw_status rw_contents_save(rw_run *r, rw_h5 *file)
{
    rw_text text = {0};
    for (int i = 0; i < r->ncontents; i++) {
        rw_text_add(&text, "%d ", r->contents[i].first);
        add_formats(&text, r->contents[i].formats);
        rw_text_add(&text, "%s\n", r->contents[i].fields);
    }
    rw_status status = text.failed ? rw_fail_memory(r->ctx, text.length, "names of fields") : RW_OK;
    if (status == RW_OK && r->ncontents) status = rw_h5_set_text(file, "/", "layout", text.data);
    rw_text_free(&text);
    return status;
}

rw_status rw_contents_load(rw_run *r, rw_h5 *file)
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
        else if (!add(r, (int)first, read_formats(r, space + 1, (size_t)(fields - space - 1)), fields))
            status = rw_fail_memory(r->ctx, strlen(fields), "names of fields");
    }
    rw_free(text);
    return status;
}

void rw_contents_free(rw_run *r)
{
    for (int i = 0; i < r->ncontents; i++) rw_free(r->contents[i].fields);
    rw_free(r->contents);
    r->contents = NULL;
    r->ncontents = r->contents_capacity = 0;
}
