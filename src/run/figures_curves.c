/* Pictures of a system without space: the fields that output.figures names, and the case's own columns, over time.
 *
 *   figures/series.png       the fields, where there are several of one unit
 *   figures/series-x.png     else one each; each column of output.series that is not constant */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rechenwerk/figure.h"
#include "run/run_private.h"

enum { CURVES = 32, COLORS = 16 }; /* in one picture; different colours (figure.c) */

/* A complex value has its modulus, "A_abs". */
static bool is_value_of(const rw_state_field *field, const char *column)
{
    const size_t length = strlen(field->name);
    return strncmp(column, field->name, length) == 0 && (!column[length] || !strcmp(column + length, "_abs"));
}

int rw_curves_find(const rw_run *r, const rw_csv_table *table, int *columns)
{
    int n = 0;
    for (int f = 0; f < r->problem->nfields; f++) {
        const rw_state_field *field = &r->problem->fields[f];
        for (int i = 1; i < table->n_columns; i++)
            if (is_value_of(field, table->names[i]) && rw_contents_wants(&r->output.figures, field)) columns[n++] = i;
    }
    return n;
}

bool rw_curves_share(const rw_csv_table *table, const int *columns, int n)
{
    bool same = n > 1 && n <= CURVES;
    for (int k = 1; k < n && same; k++)
        same = !strcmp(table->units[columns[k]] ? table->units[columns[k]] : "",
                       table->units[columns[0]] ? table->units[columns[0]] : "");
    return same;
}

/* Logarithmic where all values are positive and one field stays below a hundredth of another. */
static bool is_logarithmic(const rw_csv_table *table, const int *columns, int n)
{
    double low = INFINITY, high = 0;
    for (int k = 0; k < n; k++) {
        double most = 0;
        for (size_t i = 0; i < table->n_rows; i++) {
            const double y = table->columns[columns[k]][i];
            if (!(y > 0)) return false;
            most = fmax(most, y);
        }
        low = fmin(low, most);
        high = fmax(high, most);
    }
    return low < 0.01 * high;
}

rw_status rw_picture_curves(rw_context *ctx, const char *path, const char *title, const rw_csv_table *table,
                            const int *columns, int n)
{
    char x[160], y[160];
    rw_figure_series series[CURVES];
    const char *unit = table->units[columns[0]];
    const bool none = !unit || !*unit || !strcmp(unit, "1");
    rw_picture_label(table->names[0], table->units[0], x, sizeof(x));
    snprintf(y, sizeof(y), "%s", none ? "" : unit);
    for (int k = 0; k < n; k++)
        series[k] = (rw_figure_series){.name = table->names[columns[k]],
                                       .n = table->n_rows,
                                       .x = table->columns[0],
                                       .y = table->columns[columns[k]],
                                       .style = k >= COLORS          ? RW_FIGURE_DASHED
                                                : table->n_rows < 40 ? RW_FIGURE_LINE_POINTS
                                                                     : RW_FIGURE_LINE};
    const rw_figure_page page = {.title = title && *title ? title : NULL};
    const rw_figure_lines lines = {.x = {.label = x},
                                   .y = {.label = *y ? y : NULL, .log = is_logarithmic(table, columns, n)},
                                   .n = n,
                                   .series = series};
    return rw_figure_write_lines(ctx, path, &page, &lines);
}

static rw_status draw(rw_run *r, const char *name, const rw_csv_table *table, const int *columns, int n)
{
    char path[RW_PATH_SIZE];
    RW_TRY(rw_folder_claim(r, name, path));
    RW_TRY(n > 1 ? rw_picture_curves(r->ctx, path, r->top.title, table, columns, n)
                 : rw_picture_series(r->ctx, path, r->top.title, table, columns[0]));
    r->npictures++;
    return RW_OK;
}

/* figures/series-NAME.png */
static rw_status draw_alone(rw_run *r, const rw_csv_table *table, int column)
{
    char name[200], file[100];
    rw_picture_name(table->names[column], file, sizeof(file));
    snprintf(name, sizeof(name), "figures/series-%s.png", file);
    return draw(r, name, table, &column, 1);
}

/* Of output.series. */
static bool is_own(const rw_run *r, const char *column)
{
    for (int f = 0; f < r->problem->nfields; f++)
        if (is_value_of(&r->problem->fields[f], column)) return false;
    return strcmp(column, "step") != 0;
}

rw_status rw_figures_curves(rw_run *r)
{
    rw_csv_table table;
    if (r->output.figures.n == 0) return RW_OK;
    RW_TRY(rw_series_read(r->ctx, r->folder, &table));
    int *columns = rw_calloc((size_t)r->problem->nfields + 1, sizeof(*columns));
    rw_status status = columns ? RW_OK : rw_fail_memory(r->ctx, 64, "curves");
    const int n = columns && table.n_rows > 1 ? rw_curves_find(r, &table, columns) : 0;
    const bool share = n && rw_curves_share(&table, columns, n);
    if (share) status = draw(r, "figures/series.png", &table, columns, n);
    for (int k = 0; k < n && !share && status == RW_OK; k++) status = draw_alone(r, &table, columns[k]);
    for (int i = 1; i < table.n_columns && table.n_rows > 1 && status == RW_OK; i++)
        if (is_own(r, table.names[i]) && rw_series_is_drawn(&table, i)) status = draw_alone(r, &table, i);
    rw_free(columns);
    rw_csv_free(&table);
    return status;
}
