/* The tables that a study fills: columns, rows, names, notes, drawings. */
#include <math.h>
#include <string.h>

#include "lab/lab.h"

/* ---- columns and rows -------------------------------------------------------------------------------------------- */

int rw_lab_copies(const rw_lab *lab, const rw_lab_column *c)
{
    if (c->each == RW_EACH_VALUE) return rw_lab_setting_of(lab, lab->study->over)->n;
    return c->each == RW_EACH_DEVICE ? lab->ndevices : 1;
}

int rw_lab_place(const rw_lab *lab, int table, int column, int device)
{
    int place = 0;
    for (int c = 0; c < column; ++c) place += rw_lab_copies(lab, lab->study->tables[table].columns + c);
    return place + RW_MAX(device, 0);
}

rw_lab_head rw_lab_head_at(const rw_lab *lab, int table, int c)
{
    const rw_lab_column *column = lab->study->tables[table].columns;
    for (; c >= rw_lab_copies(lab, column); ++column) c -= rw_lab_copies(lab, column);
    rw_lab_head h = {column, column->each ? c : -1, ""};
    if (column->each == RW_EACH_VALUE)
        rw_snprintf(h.name, sizeof h.name, "%s %g", column->name, rw_lab_setting_of(lab, lab->study->over)->number[c]);
    else
        snprintf(h.name, sizeof h.name, "%s%s%s", column->name, column->each ? " " : "",
                 column->each ? lab->info[c].name : "");
    return h;
}

int rw_lab_table_index(const rw_lab *lab, const char *name)
{
    for (int t = 0; t < lab->study->entry.ntables; ++t)
        if (!strcmp(lab->study->entry.tables[t], name)) return t;
    return -1;
}

bool rw_lab_wanted(const rw_lab *lab, int table) { return lab->rows[table].made; }

rw_status rw_lab_row(rw_lab *lab, int table)
{
    rw_lab_rows_of *r = lab->rows + table;
    size_t bytes = (size_t)r->width * sizeof *r->value;
    if (!rw_grow(&r->value, &r->capacity, r->n + 1, bytes)) return rw_fail_memory(lab->ctx, bytes, "a row");
    for (int c = 0; c < r->width; ++c) r->value[r->n * r->width + c] = NAN;
    ++r->n;
    return RW_OK;
}

void rw_lab_put(rw_lab *lab, int table, int column, int device, double value)
{
    rw_lab_rows_of *r = lab->rows + table;
    r->value[(r->n - 1) * r->width + rw_lab_place(lab, table, column, device)] = value;
}

void rw_lab_put_values(rw_lab *lab, int table, int first, int end, const double *values)
{
    for (int c = first; c < end; ++c) rw_lab_put(lab, table, c, -1, values[c]);
}

int rw_lab_rows(const rw_lab *lab, const char *table)
{
    if (!lab || !table) return 0;
    int t = rw_lab_table_index(lab, table);
    return t < 0 ? 0 : lab->rows[t].n;
}

double rw_lab_value(const rw_lab *lab, const char *table, int row, const char *column)
{
    if (!lab || !table || !column) return NAN;
    int t = rw_lab_table_index(lab, table);
    if (t < 0 || row < 0 || row >= lab->rows[t].n) return NAN;
    for (int c = 0; c < lab->rows[t].width; ++c)
        if (!strcmp(rw_lab_head_at(lab, t, c).name, column)) return lab->rows[t].value[row * lab->rows[t].width + c];
    return NAN;
}

/* ---- what a study says ------------------------------------------------------------------------------------------- */

void rw_lab_say(rw_lab *lab, const char *format, ...)
{
    char line[160];
    va_list args;
    if (!lab->progress) return;
    va_start(args, format);
    rw_vsnprintf(line, sizeof line, format, args);
    va_end(args);
    lab->progress(lab->user, line);
}

void rw_lab_note(rw_lab *lab, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    rw_vsnprintf(line, sizeof line, format, args);
    va_end(args);
    rw_text_add(&lab->notes, "%s\n", line);
}

rw_status rw_lab_name(rw_lab *lab, const char *text, bool other, int *name)
{
    for (*name = 0; *name < lab->nnames; ++*name)
        if (!strcmp(lab->names[*name].text, text)) return RW_OK;
    rw_lab_label label = {rw_strdup(text), other};
    if (!label.text || !rw_grow(&lab->names, &lab->names_capacity, lab->nnames + 1, sizeof label)) {
        rw_free(label.text);
        return rw_fail_memory(lab->ctx, sizeof label, "a name");
    }
    lab->names[lab->nnames++] = label;
    return RW_OK;
}

rw_status rw_lab_put_name(rw_lab *lab, int table, int column, const char *text, bool other)
{
    int name;
    RW_TRY(rw_lab_name(lab, text, other, &name));
    rw_lab_put(lab, table, column, -1, name);
    return RW_OK;
}

rw_status rw_lab_picture(rw_lab *lab, int plane, size_t nx, size_t ny, const double *values, const double rectangle[4],
                         const char *subtitle)
{
    rw_lab_drawing *d = lab->drawings + plane;
    size_t bytes = nx * ny * sizeof *values;
    rw_free(d->value);
    *d = (rw_lab_drawing){.value = rw_calloc(nx * ny, sizeof *values)};
    if (!d->value) return rw_fail_memory(lab->ctx, bytes, "an image");
    memcpy(d->value, values, bytes);
    d->nx = nx;
    d->ny = ny;
    d->x0 = rectangle[0];
    d->x1 = rectangle[1];
    d->y0 = rectangle[2];
    d->y1 = rectangle[3];
    snprintf(d->subtitle, sizeof d->subtitle, "%s", subtitle);
    return RW_OK;
}

void rw_lab_destroy(rw_lab **result)
{
    if (!result) return;
    rw_lab *lab = *result;
    *result = NULL;
    if (!lab) return;
    const rw_study *s = lab->study;
    for (int i = 0; lab->settings && i < s->entry.nparameters; ++i) rw_free(lab->settings[i].given);
    for (int t = 0; lab->rows && t < s->entry.ntables; ++t) rw_free(lab->rows[t].value);
    for (int p = 0; lab->drawings && p < s->nplanes; ++p) rw_free(lab->drawings[p].value);
    for (int i = 0; i < lab->nnames; ++i) rw_free(lab->names[i].text);
    rw_free(lab->settings);
    rw_free(lab->rows);
    rw_free(lab->drawings);
    rw_free(lab->names);
    rw_text_free(&lab->notes);
    rw_context_destroy(&lab->ctx);
    rw_free(lab);
}
