/* The list of studies, the run of one, and the tables that it fills. */
#include <math.h>
#include <string.h>

#include "lab/lab.h"

static const rw_study *const studies[] = {
#define RW_X(name) &rw_study_##name,
#include "lab/lab.def"
#undef RW_X
};
static const rw_lab_entry *const list[] = {
#define RW_X(name) &rw_study_##name.entry,
#include "lab/lab.def"
#undef RW_X
};
enum { N = RW_COUNT(list) };

const rw_lab_entry *const *rw_lab_list(int *n)
{
    if (n) *n = N;
    return list;
}

rw_status rw_lab_refuse(rw_context *ctx, const char *what, const char *given, const char *const *names, int n)
{
    return rw_fail(ctx, RW_ERR_ARGUMENT, "%s '%s' is unknown%s", what, given, rw_hint_known(given, names, n).text);
}

static rw_status find_study(rw_context *ctx, const char *name, const rw_study **study)
{
    const char *names[N];
    for (int i = 0; i < N; ++i) {
        names[i] = list[i]->name;
        *study = studies[i];
        if (!strcmp(names[i], name)) return RW_OK;
    }
    return rw_lab_refuse(ctx, "lab: study", name, names, N);
}

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

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static rw_status open_one(rw_lab *lab, const char *name)
{
    int i = lab->ndevices;
    if (i == RW_LAB_DEVICES)
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab: more than %d devices are given: that is the maximum",
                       (int)RW_LAB_DEVICES);
    RW_TRY(rw_device_open(lab->ctx, name, &lab->devices[i]));
    lab->info[i] = *rw_device_info(lab->devices[i]);
    snprintf(lab->info[i].name, sizeof lab->info[i].name, "%s", name);
    ++lab->ndevices;
    for (int k = 0; k < i; ++k)
        if (!strcmp(lab->info[k].name, name))
            return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab: device %s is given twice: give each device once", name);
    return RW_OK;
}

/* One thread, all threads, and other hardware with doubles that OpenCL and CUDA have: the list names each hardware
 * once. */
static rw_status open_usual(rw_lab *lab)
{
    rw_device_properties *all;
    int64_t n;
    RW_TRY(open_one(lab, "cpu:1"));
    RW_TRY(rw_device_list(lab->ctx, &all, &n));
    rw_status status = RW_OK;
    for (int i = 0; i < n && status == RW_OK; ++i) {
        bool other = all[i].f64 && (!strcmp(all[i].kind, "opencl") || !strcmp(all[i].kind, "cuda"));
        bool threads = !strcmp(all[i].kind, "cpu") && all[i].units > 1;
        if ((other || threads) && !all[i].unusable[0] && lab->ndevices < RW_LAB_DEVICES)
            status = open_one(lab, all[i].name);
    }
    rw_device_list_free(&all);
    return status;
}

static rw_status open_devices(rw_lab *lab, const rw_lab_spec *spec)
{
    if (lab->study->one_device && spec->ndevices > 1)
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT,
                       "lab %s: %d devices are given, but this study runs on one device only", spec->study,
                       spec->ndevices);
    for (int i = 0; i < spec->ndevices; ++i) RW_TRY(open_one(lab, spec->devices[i]));
    if (spec->ndevices) return RW_OK;
    return lab->study->one_device ? open_one(lab, "cpu:1") : open_usual(lab);
}

static rw_status choose_tables(rw_lab *lab, const char *only)
{
    const rw_study *s = lab->study;
    lab->rows = rw_calloc((size_t)s->entry.ntables, sizeof *lab->rows);
    lab->drawings = rw_calloc((size_t)s->nplanes + 1, sizeof *lab->drawings);
    if (!lab->rows || !lab->drawings) return rw_fail_memory(lab->ctx, sizeof *lab->rows, "tables");
    if (only && rw_lab_table_index(lab, only) < 0)
        return rw_lab_refuse(lab->ctx, "lab: table", only, s->entry.tables, s->entry.ntables);
    for (int t = 0; t < s->entry.ntables; ++t) lab->rows[t].made = !only || !strcmp(only, s->entry.tables[t]);
    return RW_OK;
}

/* The order finds mistakes in the call before a device is opened. */
static rw_status run(rw_lab *lab, const rw_lab_spec *spec)
{
    RW_TRY(rw_lab_read_settings(lab, spec));
    RW_TRY(choose_tables(lab, spec->table));
    RW_TRY(open_devices(lab, spec));
    for (int t = 0; t < lab->study->entry.ntables; ++t)
        lab->rows[t].width = rw_lab_place(lab, t, lab->study->tables[t].ncolumns, 0);
    RW_TRY(lab->study->run(lab));
    return lab->notes.failed ? rw_fail_memory(lab->ctx, 512, "notes") : RW_OK;
}

static void close_devices(rw_lab *lab)
{
    for (int i = 0; i < RW_LAB_DEVICES; ++i) rw_device_close(&lab->devices[i]);
}

rw_status rw_lab_run(rw_context *ctx, const rw_lab_spec *spec, rw_lab **result)
{
    RW_NEED(result, "lab");
    *result = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(spec, "spec");
    const rw_study *study;
    RW_TRY(find_study(ctx, spec->study, &study));
    rw_lab *lab = rw_calloc(1, sizeof *lab);
    if (!lab) return rw_fail_memory(ctx, sizeof *lab, "a study");
    lab->ctx = rw_context_retain(ctx);
    lab->study = study;
    lab->progress = spec->progress;
    lab->user = spec->user;
    rw_status status = run(lab, spec);
    close_devices(lab);
    if (status == RW_OK) *result = lab;
    else rw_lab_destroy(&lab);
    return status;
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
