/* What all formats of fields share: names, folders, and the fields on the host, fetched once for all of them. Cost: one
 * copy of each field from the device. */
#include "run/writer.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *folder;
    const rw_field_writer *writer;
} all[] = {
#define X(name, folder, files, index, line) {#name, folder, &rw_##name##_writer},
    RW_FIELD_WRITERS(X)
#undef X
};

const char *rw_writer_name(int writer) { return writer < RW_WRITERS ? all[writer].name : NULL; }

int rw_writer_find(const char *name)
{
    for (int w = 0; w < RW_WRITERS; w++)
        if (strcmp(all[w].name, name) == 0) return w;
    return -1;
}

/* Without space series.csv holds the values. */
bool rw_writer_suits(int writer, const rw_layout *layout)
{
    return layout->kind != RW_LAYOUT_VALUE && all[writer].writer->suits(layout);
}

bool rw_writer_is_vtk(int writer) { return writer == RW_WRITER_vti || writer == RW_WRITER_vtm; }

rw_status rw_writers_check(rw_run *r)
{
    const rw_texts *list = &r->output.formats;
    const char *names[RW_WRITERS];
    bool suits = false;
    for (int w = 0; w < RW_WRITERS; w++) names[w] = all[w].name;
    for (int i = 0; i < list->n; i++) {
        const char *text = list->item[i]->text;
        int w = rw_writer_find(text);
        if (w < 0)
            return rw_case_fail(r->c, list->item[i], "output.formats: '%.60s' is unknown%s", text,
                                rw_hint_known(text, names, RW_WRITERS).text);
        for (int f = 0; f < r->problem->nfields && !suits; f++)
            suits = rw_writer_suits(w, rw_output_layout(r->problem, f));
    }
    if (suits || r->grid->kind == RW_LAYOUT_VALUE || list->n == 0 || r->problem->nfields == 0 ||
        r->output.fields.n == 0)
        return RW_OK;
    return rw_case_fail(r->c, rw_case_node(r->c, "output.formats"),
                        "output.formats: none of these formats can hold a field of this case: rechenwerk help "
                        "output.formats says what each is for");
}

rw_status rw_writers_folders(rw_run *r)
{
    for (int w = 0; w < RW_WRITERS; w++)
        if (rw_contents_in(r, r->noutputs, w)) RW_TRY(rw_folder_make(r, all[w].folder));
    return RW_OK;
}

/* A field on the host, with the nodes on Dirichlet sides. *own: to be freed; NULL: the values are the array's. */
static rw_status fetch(rw_run *r, int index, const rw_layout *outer, rw_written_field *to, void **own)
{
    const rw_state_field *field = r->problem->fields + index;
    *own = NULL;
    *to = (rw_written_field){.name = field->name,
                             .unit = field->unit,
                             .type = rw_array_dtype(field->array),
                             .layout = rw_output_layout(r->problem, index),
                             .vector = field->vector,
                             .component = field->component,
                             .streamlines = rw_contents_has_streamlines(r, index)};
    if (!rw_dtype_is_number(to->type) || rw_array_size(field->array) != rw_layout_count(to->layout))
        return rw_fail(r->ctx, RW_ERR_INTERNAL, "field '%s' does not have the size of its layout and numbers",
                       field->name);
    RW_TRY(rw_array_read(field->array, &to->data));
    if (to->layout != r->grid || r->no_sides) return RW_OK;
    to->layout = outer;
    return rw_sides_add(r, index, to->type, to->data, rw_run_time(r), &to->data, own);
}

rw_status rw_writers_output(rw_run *r, int output)
{
    const int n = r->problem->nfields;
    rw_layout outer;
    if (n == 0 || r->output.fields.n == 0 || r->grid->kind == RW_LAYOUT_VALUE) return RW_OK;
    RW_TRY(rw_output_outer(r, &outer));
    rw_written_field *fields = rw_calloc((size_t)n, sizeof(*fields)), *some = rw_calloc((size_t)n, sizeof(*some));
    void **own = rw_calloc((size_t)n, sizeof(*own));
    rw_status status = RW_OK;
    int m = 0;
    if (!fields || !some || !own)
        status = rw_fail_memory(r->ctx, (size_t)n * sizeof(*fields), "the fields of an output");
    for (int i = 0; i < n && status == RW_OK; i++) {
        if (!rw_contents_wants(&r->output.fields, &r->problem->fields[i])) continue;
        status = fetch(r, i, &outer, &fields[m], &own[m]);
        m++;
    }
    for (int w = 0; w < RW_WRITERS && status == RW_OK; w++) {
        int k = 0;
        for (int i = 0; i < m && rw_contents_in(r, output, w); i++)
            if (rw_writer_suits(w, fields[i].layout)) some[k++] = fields[i];
        if (k > 0) status = all[w].writer->write(r, k, some, output);
    }
    for (int i = 0; own && i < m; i++) rw_free(own[i]);
    rw_free(own);
    rw_free(some);
    rw_free(fields);
    return status;
}

rw_status rw_writers_index(rw_run *r, bool always)
{
    double begin = rw_seconds();
    if (!r->index_stale || r->problem->nfields == 0 || r->noutputs == 0 || r->output.fields.n == 0) return RW_OK;
    if (!always && begin - r->indexed < RW_MAX(1.0, 20 * r->index_cost)) return RW_OK;
    for (int w = 0; w < RW_WRITERS; w++)
        if (all[w].writer->index && rw_contents_in(r, r->noutputs - 1, w)) RW_TRY(all[w].writer->index(r));
    r->indexed = rw_seconds();
    r->index_cost = r->indexed - begin;
    r->index_stale = false;
    return RW_OK;
}
