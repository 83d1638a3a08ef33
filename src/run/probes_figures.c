/* Curves of the probes of a run, from their tables: a picture of each field at each probe. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

enum { CURVES = 6 };

/* Values along a line at up to CURVES outputs, from the first to the last, against the coordinate that varies, or else
 * the distance from its beginning. */
static rw_status draw_line(rw_run *r, const char *path, const rw_figure_page *page, const rw_probe *p,
                           const rw_csv_table *table, int column, const char *label)
{
    const size_t n = (size_t)p->n, outputs = table->n_rows / n, curves = RW_MIN(outputs, (size_t)CURVES);
    rw_figure_series series[CURVES] = {{.n = 0}};
    char names[CURVES][64];
    int varies = -1, varying = 0;
    for (int d = 0; d < r->grid->ndim; d++)
        if (p->from[d] != p->to[d]) {
            varies = d;
            varying++;
        }
    double *distance = rw_calloc(n, sizeof(*distance));
    if (!distance) return rw_fail_memory(r->ctx, n * sizeof(*distance), "a picture");
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < r->grid->ndim; d++) distance[i] = hypot(distance[i], table->columns[1 + d][i] - p->from[d]);
    for (size_t k = 0; k < curves; k++) {
        const size_t output = curves > 1 ? k * (outputs - 1) / (curves - 1) : 0;
        rw_run_time_text(r, table->columns[0][output * n], names[k]);
        series[k] = (rw_figure_series){.name = names[k],
                                       .n = n,
                                       .x = varying == 1 ? table->columns[1 + varies] : distance,
                                       .y = table->columns[column] + output * n};
    }
    const rw_figure_lines lines = {.x = {.label = varying == 1 ? r->grid->axis[varies] : "distance"},
                                   .y = {.label = label},
                                   .n = (int64_t)curves,
                                   .series = series};
    const rw_status status = rw_figure_write_lines(r->ctx, path, page, &lines);
    rw_free(distance);
    return status;
}

static rw_status draw_point(rw_run *r, const char *path, const rw_figure_page *page, const rw_csv_table *table,
                            int column, const char *label)
{
    const rw_figure_series series = {.n = table->n_rows,
                                     .x = table->columns[0],
                                     .y = table->columns[column],
                                     .style = table->n_rows < 40 ? RW_FIGURE_LINE_POINTS : RW_FIGURE_LINE};
    const rw_figure_lines lines = {.x = {.label = rw_run_axis(r)}, .y = {.label = label}, .n = 1, .series = &series};
    return rw_figure_write_lines(r->ctx, path, page, &lines);
}

static void describe_place(const rw_run *r, const double x[3], char text[96])
{
    const int n = r->grid->ndim;
    if (n == 1) snprintf(text, 96, "%.6g", x[0]);
    else if (n == 2) snprintf(text, 96, "(%.6g, %.6g)", x[0], x[1]);
    else snprintf(text, 96, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
}

/* A column of a table: a field, or a part of it. */
static rw_status draw_column(rw_run *r, const rw_probe *p, const rw_csv_table *table, int column, const char *unit)
{
    char from[96], to[96], title[420], below[420], label[160], name[220], file[200], path[RW_PATH_SIZE];
    describe_place(r, p->from, from);
    describe_place(r, p->to, to);
    const bool titled = r->top.title && *r->top.title;
    rw_picture_label(table->names[column], unit, label, sizeof(label));
    snprintf(below, sizeof(below), "%s%s%s %s%s%s", titled ? label : "", titled ? ", " : "", p->name, from,
             p->is_line ? " to " : "", p->is_line ? to : "");
    snprintf(title, sizeof(title), "%s", titled ? r->top.title : label);
    rw_probe_figure(p, table->names[column], file);
    snprintf(name, sizeof(name), "figures/%s", file);
    RW_TRY(rw_folder_claim(r, name, path));
    const rw_figure_page page = {.title = title, .subtitle = below};
    RW_TRY(p->is_line ? draw_line(r, path, &page, p, table, column, label)
                      : draw_point(r, path, &page, table, column, label));
    r->npictures++;
    return RW_OK;
}

static rw_status draw_probe(rw_run *r, const rw_probe *p, const rw_csv_table *table)
{
    int column = rw_probe_columns_before(r, p);
    for (int f = 0; f < r->problem->nfields; f++)
        for (int part = 0; part < rw_probe_parts(r, f); part++, column++)
            RW_TRY(draw_column(r, p, table, column, r->problem->fields[f].unit));
    return RW_OK;
}

rw_status rw_probes_draw(rw_run *r)
{
    char name[80], path[RW_PATH_SIZE];
    rw_csv_table table;
    for (int i = 0; r->probes && i < r->probes->n && r->output.figures.n > 0; i++) {
        const rw_probe *p = &r->probes->list[i];
        RW_TRY(rw_csv_flush(r->probes->table[i], NULL));
        snprintf(name, sizeof(name), "probes/%.60s.csv", p->name);
        rw_run_path(r, name, path);
        RW_TRY(rw_csv_read(r->ctx, path, &table));
        const rw_status status = table.n_rows >= (size_t)p->n + !p->is_line ? draw_probe(r, p, &table) : RW_OK;
        rw_csv_free(&table);
        RW_TRY(status);
    }
    return RW_OK;
}
