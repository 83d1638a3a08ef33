/* A folder with the result in every format, and the figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab.h"

typedef struct folder {
    const rw_lab *lab;
    const char *path;
    rw_lab_text_function *written;
    void *user;
} folder;

/* FOLDER/STUDY[-part]ending */
static char *path_in(const folder *f, const char *part, const char *ending)
{
    return rw_format("%s/%s%s%s%s", f->path, f->lab->study->entry.name, part ? "-" : "", part ? part : "", ending);
}

static rw_status say(const folder *f, rw_status status, const char *path)
{
    if (status == RW_OK && f->written) f->written(f->user, path);
    return status;
}

static rw_status save_text(const folder *f, rw_lab_format format, const char *part, const char *ending)
{
    char *text, *path = path_in(f, part, ending);
    if (!path) return rw_fail_memory(f->lab->ctx, 256, f->path);
    rw_status status = rw_lab_write(f->lab, part, format, &text);
    if (status == RW_OK) status = say(f, rw_file_write(f->lab->ctx, path, text, strlen(text)), path);
    free(text);
    rw_free(path);
    return status;
}

static rw_status save_tables(const folder *f)
{
    RW_TRY(save_text(f, RW_LAB_TEXT, NULL, ".txt"));
    RW_TRY(save_text(f, RW_LAB_MARKDOWN, NULL, ".md"));
    RW_TRY(save_text(f, RW_LAB_JSON, NULL, ".json"));
    for (int t = 0; t < f->lab->study->entry.ntables; ++t)
        if (f->lab->rows[t].made) RW_TRY(save_text(f, RW_LAB_CSV, f->lab->study->entry.tables[t], ".csv"));
    return RW_OK;
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

enum { SERIES = RW_LAB_CURVES * RW_LAB_DEVICES, NAME = 112 };

typedef struct curves {
    int n;
    rw_figure_series series[SERIES];
    char name[SERIES][NAME];
    double *values; /* [SERIES + 1] columns, for x and y */
} curves;

static void add_series(curves *c, const char *name, size_t n, const double *x, const double *y, rw_figure_style style)
{
    snprintf(c->name[c->n], NAME, "%s", name);
    c->series[c->n] = (rw_figure_series){.name = c->name[c->n], .n = n, .x = x, .y = y, .style = style};
    ++c->n;
}

/* "cuda:0: NVIDIA H200" for a column of each device, "version 2, cuda:0" where there are several such columns; else the
 * name of the column. */
static void name_series(const rw_lab *lab, const rw_lab_curves *d, const rw_lab_column *column, int device,
                        char name[NAME])
{
    int each = 0;
    for (int k = 0; k < d->ny; ++k) each += lab->study->tables[d->table].columns[d->y[k]].each == RW_EACH_DEVICE;
    if (device < 0) snprintf(name, NAME, "%s", column->name);
    else if (each > 1) snprintf(name, NAME, "%s, %s", column->name, lab->info[device].name);
    else snprintf(name, NAME, "%s: %.60s", lab->info[device].name, lab->info[device].hardware);
}

static void copy_column(const rw_lab_rows_of *r, int place, double *to)
{
    for (int i = 0; i < r->n; ++i) to[i] = r->value[i * r->width + place];
}

static bool has_points(const double *y, int n)
{
    for (int i = 0; i < n; ++i)
        if (isfinite(y[i])) return true;
    return false;
}

static rw_figure_style style_of(const rw_lab_curves *d, int k, int device)
{
    if (k >= d->ny - d->dashed) return RW_FIGURE_DASHED;
    return d->agree && device > 0 ? RW_FIGURE_POINTS : d->agree ? RW_FIGURE_LINE : RW_FIGURE_LINE_POINTS;
}

/* Column y[k] against the x that stands before all y; once a device where it is so. */
static void add_column(const rw_lab *lab, const rw_lab_curves *d, int k, curves *c)
{
    const rw_lab_rows_of *r = lab->rows + d->table;
    const rw_lab_column *column = lab->study->tables[d->table].columns + d->y[k];
    for (int i = 0; i < (column->each == RW_EACH_DEVICE ? lab->ndevices : 1); ++i) {
        int device = column->each == RW_EACH_DEVICE ? i : -1;
        char name[NAME];
        double *y = c->values + (c->n + 1) * r->n;
        copy_column(r, rw_lab_place(lab, d->table, d->y[k], device), y);
        if (!has_points(y, r->n)) continue; /* nothing is known: no entry in the legend */
        name_series(lab, d, column, device, name);
        add_series(c, name, (size_t)r->n, c->values, y, style_of(d, k, device));
    }
}

/* x and column y of the rows that have `only`: of one name, or of all (-1) that have a value; the number of them. */
static size_t collect(const rw_lab *lab, const rw_lab_curves *d, int name, int column, double *x, double *y)
{
    const rw_lab_rows_of *r = lab->rows + d->table;
    const int where = rw_lab_place(lab, d->table, d->where, -1), by = rw_lab_place(lab, d->table, d->by, -1),
              from = rw_lab_place(lab, d->table, d->x, -1), to = rw_lab_place(lab, d->table, column, -1);
    size_t n = 0;
    for (int i = 0; i < r->n; ++i) {
        const double *row = r->value + i * r->width;
        if ((name < 0 ? isnan(row[to]) : row[by] != name) ||
            (*d->only && strcmp(lab->names[(int)row[where]].text, d->only) != 0))
            continue;
        x[n] = row[from];
        y[n++] = row[to];
    }
    return n;
}

static void add_name(const rw_lab *lab, const rw_lab_curves *d, int name, size_t *used, curves *c)
{
    double *x = c->values + *used, *y = x + lab->rows[d->table].n;
    const size_t n = collect(lab, d, name, d->y[0], x, y);
    if (!n || c->n == SERIES) return;
    bool dashed = lab->names[name].other || (d->above && !strcmp(lab->names[name].text, d->above));
    add_series(c, lab->names[name].text, n, x, y,
               dashed     ? RW_FIGURE_DASHED
               : d->plain ? RW_FIGURE_LINE
                          : RW_FIGURE_LINE_POINTS);
    *used += n;
}

/* Marks: points of the second column, after the two columns of values that names take. */
static void add_marks(const rw_lab *lab, const rw_lab_curves *d, curves *c)
{
    double *x = c->values + 2 * lab->rows[d->table].n, *y = x + lab->rows[d->table].n;
    const size_t n = collect(lab, d, -1, d->y[1], x, y);
    if (n && c->n < SERIES)
        add_series(c, lab->study->tables[d->table].columns[d->y[1]].name, n, x, y, RW_FIGURE_POINTS);
}

static void add_names(const rw_lab *lab, const rw_lab_curves *d, curves *c)
{
    size_t used = 0;
    for (int name = 0; name < lab->nnames; ++name) add_name(lab, d, name, &used, c);
    if (d->ny > 1) add_marks(lab, d, c);
}

static void add_columns(const rw_lab *lab, const rw_lab_curves *d, curves *c)
{
    copy_column(lab->rows + d->table, rw_lab_place(lab, d->table, d->x, -1), c->values);
    for (int k = 0; k < d->ny; ++k) add_column(lab, d, k, c);
}

/* One point is no curve. */
static bool is_worth_drawing(const curves *c)
{
    size_t most = 0;
    for (int i = 0; i < c->n; ++i) most = RW_MAX(most, c->series[i].n);
    return most > 1;
}

/* The study, and where it ran if that was one device. */
static void write_subtitle(const rw_lab *lab, char *text, size_t size)
{
    const char *title = lab->study->entry.title;
    if (lab->study->one_device) snprintf(text, size, "%s: %s, %s", title, lab->info->name, lab->info->hardware);
    else snprintf(text, size, "%s", title);
}

static rw_status draw_curves(const folder *f, const rw_lab_curves *d, curves *c)
{
    char subtitle[320];
    if (d->only) add_names(f->lab, d, c);
    else add_columns(f->lab, d, c);
    if (!is_worth_drawing(c)) return RW_OK;
    char *path = path_in(f, d->name, ".png");
    if (!path) return rw_fail_memory(f->lab->ctx, 256, f->path);
    write_subtitle(f->lab, subtitle, sizeof subtitle);
    const rw_figure_page page = {.title = d->title, .subtitle = subtitle};
    const rw_figure_lines lines = {.x = d->x_axis, .y = d->y_axis, .n = c->n, .series = c->series};
    rw_status status = say(f, rw_figure_write_lines(f->lab->ctx, path, &page, &lines), path);
    rw_free(path);
    return status;
}

static rw_status save_curves(const folder *f, const rw_lab_curves *d)
{
    const rw_lab_rows_of *r = f->lab->rows + d->table;
    if (!r->made || r->n < 2) return RW_OK;
    curves *c = rw_calloc(1, sizeof *c);
    double *values = rw_calloc((size_t)r->n * (SERIES + 1), sizeof *values);
    rw_status status =
        c && values ? RW_OK : rw_fail_memory(f->lab->ctx, (size_t)r->n * (SERIES + 1) * sizeof *values, "a figure");
    if (status == RW_OK) {
        c->values = values;
        status = draw_curves(f, d, c);
    }
    rw_free(c);
    rw_free(values);
    return status;
}

/* ---- bars -------------------------------------------------------------------------------------------------------- */

enum { BAR_GROUPS = 64, BAR_SERIES = 24 };

typedef struct bars {
    int ngroups, nseries, pale;
    int group[BAR_GROUPS], series[BAR_SERIES]; /* numbers of names */
    const char *group_name[BAR_GROUPS], *series_name[BAR_SERIES];
    double value[BAR_SERIES * BAR_GROUPS];
} bars;

/* The place of a name in a list, which it is added to if it is new and there is room; -1: there is none. */
static int place_name(int *list, int *n, int most, int name)
{
    for (int i = 0; i < *n; ++i)
        if (list[i] == name) return i;
    if (*n >= most) return -1;
    list[*n] = name;
    return (*n)++;
}

/* The value of row i in column c; for the figure of name `by` alone, else NaN. */
static double bar_of(const rw_lab *lab, const rw_lab_bars *d, int i, int by, int *group, int *series)
{
    const rw_lab_rows_of *r = lab->rows + d->table;
    const double *row = r->value + i * r->width;
    if (row[rw_lab_place(lab, d->table, d->by, -1)] != by) return NAN;
    *group = (int)row[rw_lab_place(lab, d->table, d->group, -1)];
    *series = (int)row[rw_lab_place(lab, d->table, d->series, -1)];
    return row[rw_lab_place(lab, d->table, d->value, -1)];
}

/* Names of groups and series first, ours before others', then the values. */
static void find_bars(const rw_lab *lab, const rw_lab_bars *d, int by, bars *b)
{
    const rw_lab_rows_of *r = lab->rows + d->table;
    int group, series;
    for (int other = 0; other < 2; ++other) {
        for (int i = 0; i < r->n; ++i) {
            if (!isfinite(bar_of(lab, d, i, by, &group, &series)) || lab->names[series].other != other) continue;
            place_name(b->group, &b->ngroups, BAR_GROUPS, group);
            place_name(b->series, &b->nseries, BAR_SERIES, series);
        }
        b->pale = b->nseries - b->pale; /* of ours; then of others */
    }
    for (int i = 0; i < b->nseries * b->ngroups; ++i) b->value[i] = NAN;
    for (int i = 0; i < r->n; ++i) {
        const double value = bar_of(lab, d, i, by, &group, &series);
        if (!isfinite(value)) continue;
        const int g = place_name(b->group, &b->ngroups, b->ngroups, group),
                  s = place_name(b->series, &b->nseries, b->nseries, series);
        if (g >= 0 && s >= 0) b->value[s * b->ngroups + g] = value;
    }
    for (int i = 0; i < b->ngroups; ++i) b->group_name[i] = lab->names[b->group[i]].text;
    for (int i = 0; i < b->nseries; ++i) b->series_name[i] = lab->names[b->series[i]].text;
}

static rw_status draw_bars(const folder *f, const rw_lab_bars *d, const char *by, const bars *b)
{
    char subtitle[320];
    char *part = rw_format("%s-%s", d->name, by), *path = part ? path_in(f, part, ".png") : NULL;
    rw_status status = path ? RW_OK : rw_fail_memory(f->lab->ctx, 256, f->path);
    snprintf(subtitle, sizeof subtitle, "%s: %s", f->lab->study->entry.title, by);
    const rw_figure_page page = {.title = d->title, .subtitle = subtitle};
    const rw_figure_bars figure = {.value = d->axis,
                                   .ngroups = b->ngroups,
                                   .nseries = b->nseries,
                                   .group = b->group_name,
                                   .series = b->series_name,
                                   .values = b->value,
                                   .pale = b->pale};
    if (status == RW_OK) status = say(f, rw_figure_write_bars(f->lab->ctx, path, &page, &figure), path);
    rw_free(part);
    rw_free(path);
    return status;
}

static rw_status save_bars(const folder *f, const rw_lab_bars *d)
{
    const rw_lab *lab = f->lab;
    rw_status status = RW_OK;
    if (!lab->rows[d->table].made) return RW_OK;
    bars *b = rw_calloc(1, sizeof *b);
    if (!b) return rw_fail_memory(lab->ctx, sizeof *b, "a figure");
    for (int by = 0; by < lab->nnames && status == RW_OK; ++by) {
        *b = (bars){0};
        find_bars(lab, d, by, b);
        if (b->ngroups) status = draw_bars(f, d, lab->names[by].text, b);
    }
    rw_free(b);
    return status;
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

static rw_status draw_plane(const folder *f, int i, bool surface, const char *ending)
{
    const rw_lab_plane *p = f->lab->study->planes + i;
    const rw_lab_drawing *d = f->lab->drawings + i;
    char *path = path_in(f, p->name, ending);
    if (!path) return rw_fail_memory(f->lab->ctx, 256, f->path);
    const rw_figure_page page = {.title = p->title, .subtitle = d->subtitle};
    const rw_figure_field field = {.nx = d->nx,
                                   .ny = d->ny,
                                   .values = d->value,
                                   .x0 = d->x0,
                                   .x1 = d->x1,
                                   .y0 = d->y0,
                                   .y1 = d->y1,
                                   .x_label = p->x_label,
                                   .y_label = p->y_label,
                                   .value = {.label = p->value_label}};
    rw_status status = surface ? rw_figure_write_surface(f->lab->ctx, path, &page, &field)
                               : rw_figure_write_field(f->lab->ctx, path, &page, &field);
    status = say(f, status, path);
    rw_free(path);
    return status;
}

static rw_status save_plane(const folder *f, int i)
{
    if (!f->lab->drawings[i].value) return RW_OK;
    RW_TRY(draw_plane(f, i, false, ".png"));
    return f->lab->study->planes[i].surface ? draw_plane(f, i, true, "-surface.png") : RW_OK;
}

rw_status rw_lab_save(const rw_lab *lab, const char *path, rw_lab_text_function *written, void *user)
{
    RW_NEED(lab, "lab");
    RW_NEED(path, "folder");
    const folder f = {lab, path, written, user};
    RW_TRY(rw_folder_create(lab->ctx, path));
    RW_TRY(save_tables(&f));
    for (int i = 0; i < lab->study->ncurves; ++i) RW_TRY(save_curves(&f, lab->study->curves + i));
    for (int i = 0; i < lab->study->nbars; ++i) RW_TRY(save_bars(&f, lab->study->bars + i));
    for (int i = 0; i < lab->study->nplanes; ++i) RW_TRY(save_plane(&f, i));
    return RW_OK;
}
