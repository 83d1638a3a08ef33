/* A folder with the result in every format, and the figures. */
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

/* ---- curves ------------------------------------------------------------------------------------------------------------ */

enum { SERIES = RW_LAB_CURVES * RW_LAB_DEVICES, NAME = 112 };

typedef struct curves {
    int n;
    rw_figure_series series[SERIES];
    char name[SERIES][NAME];
    double *values; /* columns one after the other; the first is x */
} curves;

/* "cuda:0: NVIDIA H200" for a column of each device, else the name of the column. */
static void name_series(const rw_lab *lab, const rw_lab_column *column, int device, char name[NAME])
{
    if (device < 0) snprintf(name, NAME, "%s", column->name);
    else snprintf(name, NAME, "%s: %.60s", lab->info[device].name, lab->info[device].hardware);
}

static void copy_column(const rw_lab_rows_of *r, int place, double *to)
{
    for (int i = 0; i < r->n; ++i) to[i] = r->value[i * r->width + place];
}

static rw_figure_style style_of(const rw_lab_curves *d, int k, int device)
{
    if (k >= d->ny - d->dashed) return RW_FIGURE_DASHED;
    return d->agree && device > 0 ? RW_FIGURE_POINTS : d->agree ? RW_FIGURE_LINE : RW_FIGURE_LINE_POINTS;
}

static void add_series(const rw_lab *lab, const rw_lab_curves *d, int k, curves *c)
{
    const rw_lab_rows_of *r = lab->rows + d->table;
    const rw_lab_column *column = lab->study->tables[d->table].columns + d->y[k];
    for (int i = 0; i < (column->each ? lab->ndevices : 1); ++i) {
        int device = column->each ? i : -1;
        double *y = c->values + (c->n + 1) * r->n;
        copy_column(r, rw_lab_place(lab, d->table, d->y[k], device), y);
        name_series(lab, column, device, c->name[c->n]);
        c->series[c->n] = (rw_figure_series){.name = c->name[c->n], .n = (size_t)r->n, .x = c->values, .y = y,
                                             .style = style_of(d, k, device)};
        ++c->n;
    }
}

static rw_status draw_curves(const folder *f, const rw_lab_curves *d, curves *c)
{
    const rw_lab *lab = f->lab;
    const rw_lab_rows_of *r = lab->rows + d->table;
    c->values = rw_calloc((size_t)r->n * (SERIES + 1), sizeof *c->values);
    char *path = path_in(f, d->name, ".png");
    rw_status status = RW_OK;
    if (!c->values || !path) {
        status = rw_fail_memory(lab->ctx, (size_t)r->n * (SERIES + 1) * sizeof *c->values, "a figure");
    } else {
        copy_column(r, rw_lab_place(lab, d->table, d->x, -1), c->values);
        for (int k = 0; k < d->ny; ++k) add_series(lab, d, k, c);
        const rw_figure_page page = {.title = d->title, .subtitle = lab->study->entry.title};
        const rw_figure_lines lines = {.x = d->x_axis, .y = d->y_axis, .n = c->n, .series = c->series};
        status = say(f, rw_figure_write_lines(lab->ctx, path, &page, &lines), path);
    }
    rw_free(c->values);
    rw_free(path);
    return status;
}

static rw_status save_curves(const folder *f, const rw_lab_curves *d)
{
    const rw_lab_rows_of *r = f->lab->rows + d->table;
    if (!r->made || r->n < 2) return RW_OK; /* one point is no curve */
    curves *c = rw_calloc(1, sizeof *c);
    if (!c) return rw_fail_memory(f->lab->ctx, sizeof *c, "a figure");
    rw_status status = draw_curves(f, d, c);
    rw_free(c);
    return status;
}

/* ---- planes ------------------------------------------------------------------------------------------------------------ */

static rw_status save_plane(const folder *f, int i)
{
    const rw_lab_plane *p = f->lab->study->planes + i;
    const rw_lab_drawing *d = f->lab->drawings + i;
    if (!d->value) return RW_OK;
    char *path = path_in(f, p->name, ".png");
    if (!path) return rw_fail_memory(f->lab->ctx, 256, f->path);
    const rw_figure_page page = {.title = p->title, .subtitle = d->subtitle};
    const rw_figure_field field = {.nx = d->nx, .ny = d->ny, .values = d->value, .x0 = d->x0, .x1 = d->x1, .y0 = d->y0,
                                   .y1 = d->y1, .x_label = p->x_label, .y_label = p->y_label, .value = {.label = p->value_label}};
    rw_status status = say(f, rw_figure_write_field(f->lab->ctx, path, &page, &field), path);
    rw_free(path);
    return status;
}

rw_status rw_lab_save(const rw_lab *lab, const char *path, rw_lab_text_function *written, void *user)
{
    const folder f = {lab, path, written, user};
    RW_TRY(rw_folder_create(lab->ctx, path));
    RW_TRY(save_tables(&f));
    for (int i = 0; i < lab->study->ncurves; ++i) RW_TRY(save_curves(&f, lab->study->curves + i));
    for (int i = 0; i < lab->study->nplanes; ++i) RW_TRY(save_plane(&f, i));
    return RW_OK;
}
