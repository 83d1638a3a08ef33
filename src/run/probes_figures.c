/* Curves of the probes of a run, from their tables: a picture of each field at each probe. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

enum { CURVES = 6 };

#define ROUNDING 1e-13 /* next to the other components of a vector: drawn as 0 */
#define EQUAL 1e-7     /* curves that differ by less, next to their values, are one */

/* A column of a table, as it is drawn. */
typedef struct drawn_column {
    int column;
    double scale; /* the largest modulus in the columns of the same vector or complex field */
    const char *label;
} drawn_column;

static double largest_of(const rw_csv_table *table, int first, int n)
{
    double largest = 0;
    for (int i = first; i < first + n; i++)
        for (size_t k = 0; k < table->n_rows; k++)
            if (isfinite(table->columns[i][k])) largest = fmax(largest, fabs(table->columns[i][k]));
    return largest;
}

/* At most CURVES of the outputs, the first and the last among them; fewer if those are evenly spaced. */
static size_t choose_curves(size_t outputs)
{
    if (outputs <= CURVES) return outputs;
    for (size_t n = CURVES; n > 3; n--)
        if ((outputs - 1) % (n - 1) == 0) return n;
    return CURVES;
}

/* Whether a line has the same values at all outputs. */
static bool is_steady(const rw_csv_table *table, const drawn_column *c, size_t n)
{
    const double *y = table->columns[c->column];
    const double near = EQUAL * largest_of(table, c->column, 1);
    for (size_t i = n; i < table->n_rows; i++)
        if (!(fabs(y[i] - y[i % n]) <= near)) return false;
    return true;
}

/* The coordinate that varies along a line; -1: more than one does. */
static int varying_axis(const rw_run *r, const rw_probe *p)
{
    int varies = -1, n = 0;
    for (int d = 0; d < r->grid->ndim; d++)
        if (p->from[d] != p->to[d]) {
            varies = d;
            n++;
        }
    return n == 1 ? varies : -1;
}

/* Values along a line at some outputs, against the coordinate that varies, or else the distance from its beginning. */
static rw_status draw_line(rw_run *r, const char *path, const rw_figure_page *page, const rw_probe *p,
                           const rw_csv_table *table, const drawn_column *c)
{
    const size_t n = (size_t)p->n, outputs = table->n_rows / n;
    const bool steady = outputs > 1 && is_steady(table, c, n);
    const size_t curves = steady ? 1 : choose_curves(outputs);
    rw_figure_series series[CURVES] = {{.n = 0}};
    char names[CURVES][64], last[64];
    const int varies = varying_axis(r, p);
    double *distance = rw_calloc(n, sizeof(*distance));
    if (!distance) return rw_fail_memory(r->ctx, n * sizeof(*distance), "a picture");
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < r->grid->ndim; d++) distance[i] = hypot(distance[i], table->columns[1 + d][i] - p->from[d]);
    for (size_t k = 0; k < curves; k++) {
        const size_t output = curves > 1 ? k * (outputs - 1) / (curves - 1) : 0;
        rw_run_time_text(r, table->columns[0][output * n], names[k]);
        series[k] = (rw_figure_series){.name = names[k],
                                       .n = n,
                                       .x = varies >= 0 ? table->columns[1 + varies] : distance,
                                       .y = table->columns[c->column] + output * n};
    }
    if (steady) {
        rw_run_time_text(r, table->columns[0][(outputs - 1) * n], last);
        snprintf(names[0] + strlen(names[0]), sizeof(names[0]) - strlen(names[0]), " to %s", last);
    }
    const rw_figure_lines lines = {.x = {.label = varies >= 0 ? r->grid->axis[varies] : "distance"},
                                   .y = {.label = c->label},
                                   .n = (int64_t)curves,
                                   .series = series,
                                   .scale = c->scale};
    const rw_status status = rw_figure_write_lines(r->ctx, path, page, &lines);
    rw_free(distance);
    return status;
}

static rw_status draw_point(rw_run *r, const char *path, const rw_figure_page *page, const rw_csv_table *table,
                            const drawn_column *c)
{
    const rw_figure_series series = {.n = table->n_rows,
                                     .x = table->columns[0],
                                     .y = table->columns[c->column],
                                     .style = table->n_rows < 40 ? RW_FIGURE_LINE_POINTS : RW_FIGURE_LINE};
    const rw_figure_lines lines = {.x = {.label = rw_run_axis(r)},
                                   .y = {.label = c->label},
                                   .n = 1,
                                   .series = &series,
                                   .scale = c->scale};
    return rw_figure_write_lines(r->ctx, path, page, &lines);
}

/* "12", "(−1, 0)" */
static void describe_place(const rw_run *r, const double x[3], char text[96])
{
    const int n = r->grid->ndim;
    int length = snprintf(text, 96, "%s", n > 1 ? "(" : "");
    for (int d = 0; d < n; d++)
        length +=
            snprintf(text + length, 96 - (size_t)length, "%s%s%.6g", d ? ", " : "", x[d] < 0 ? "−" : "", fabs(x[d]));
    snprintf(text + length, 96 - (size_t)length, "%s", n > 1 ? ")" : "");
}

/* "wall at x = 12", "axis from (−1, 0) to (1, 0)" */
static void describe_probe(const rw_run *r, const rw_probe *p, char text[300])
{
    char from[96], to[96], axis[24] = "";
    describe_place(r, p->from, from);
    describe_place(r, p->to, to);
    if (r->grid->ndim == 1) snprintf(axis, sizeof(axis), "%.16s = ", r->grid->axis[0]);
    if (p->is_line) snprintf(text, 300, "%.60s from %s%s to %s", p->name, axis, from, to);
    else snprintf(text, 300, "%.60s at %s%s", p->name, axis, from);
}

/* A column of a table: a field, or a part of it. */
static rw_status draw_column(rw_run *r, const rw_probe *p, const rw_csv_table *table, int column, double scale,
                             const char *unit)
{
    char place[300], title[420], below[480], label[160], name[220], file[200], path[RW_PATH_SIZE];
    const bool titled = r->top.title && *r->top.title;
    const drawn_column c = {column, scale, label};
    rw_picture_label(table->names[column], unit, label, sizeof(label));
    describe_probe(r, p, place);
    snprintf(below, sizeof(below), "%s%s%s", titled ? label : "", titled ? ", " : "", place);
    snprintf(title, sizeof(title), "%s", titled ? r->top.title : label);
    rw_probe_figure(p, table->names[column], file);
    snprintf(name, sizeof(name), "figures/%s", file);
    RW_TRY(rw_folder_claim(r, name, path));
    const rw_figure_page page = {.title = title, .subtitle = below};
    RW_TRY(p->is_line ? draw_line(r, path, &page, p, table, &c) : draw_point(r, path, &page, table, &c));
    r->npictures++;
    return RW_OK;
}

static void drop_rounding(rw_csv_table *table, int column, double scale)
{
    for (size_t k = 0; k < table->n_rows; k++)
        if (fabs(table->columns[column][k]) <= ROUNDING * scale) table->columns[column][k] = 0;
}

static rw_status draw_probe(rw_run *r, const rw_probe *p, rw_csv_table *table)
{
    const rw_state_field *fields = r->problem->fields;
    double scale = 0;
    int column = rw_probe_columns_before(r, p);
    for (int f = 0; f < r->problem->nfields; f++) {
        const int parts = rw_probe_parts(r, f), components = rw_state_components(&fields[f], r->problem->nfields - f);
        if (fields[f].component == 0) scale = largest_of(table, column, parts * components);
        for (int part = 0; part < parts; part++, column++) {
            drop_rounding(table, column, scale);
            RW_TRY(draw_column(r, p, table, column, scale, fields[f].unit));
        }
    }
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
