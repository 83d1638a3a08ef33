/* The pictures of a run: a line for a field on a line, a colour map on a plane, three slices of a volume, and each
 * column of series.csv against time. figures_complex.c has what is special about complex fields. */
#include "run/run_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/figure_arrows.h"
#include "rechenwerk/figure.h"

void rw_picture_label(const char *name, const char *unit, char *text, size_t size)
{
    bool one = !unit || !*unit || strcmp(unit, "1") == 0;
    snprintf(text, size, "%.100s%s%.40s%s", name, one ? "" : " (", one ? "" : unit, one ? "" : ")");
}

/* The values as f64: the data themselves, or *copy to be freed. */
rw_status rw_to_f64(rw_context *ctx, rw_dtype type, const void *data, size_t n, const double **values, double **copy)
{
    *copy = NULL;
    *values = data;
    if (type == RW_F64) return RW_OK;
    if (!(*copy = rw_calloc(n, sizeof(**copy)))) return rw_fail_memory(ctx, n * sizeof(**copy), "a picture");
    const float *f = data;
    const double *d = data;
    for (size_t i = 0; i < n; i++) {
        if (type == RW_F32) (*copy)[i] = (double)f[i];
        else if (type == RW_C64) (*copy)[i] = hypot((double)f[2 * i], (double)f[2 * i + 1]);
        else (*copy)[i] = hypot(d[2 * i], d[2 * i + 1]);
    }
    *values = *copy;
    return RW_OK;
}

static rw_status draw_line(rw_context *ctx, const char *path, const rw_figure_page *page, const rw_field_picture *p,
                           const rw_figure_axis *axis, const double *values)
{
    size_t n = (size_t)p->grid->size[0];
    double *x = rw_calloc(n, sizeof(*x));
    if (!x) return rw_fail_memory(ctx, n * sizeof(*x), "a picture");
    for (size_t i = 0; i < n; i++) x[i] = p->grid->origin[0] + (double)i * p->grid->spacing[0];
    rw_figure_series series = {.n = n, .x = x, .y = values, .style = n > 1 ? RW_FIGURE_LINE : RW_FIGURE_POINTS};
    rw_figure_lines lines = {.x = {.label = p->grid->axis[0]}, .y = *axis, .n = 1, .series = &series};
    rw_status status = rw_figure_write_lines(ctx, path, page, &lines);
    rw_free(x);
    return status;
}

/* Values lie at nodes, cells around them are drawn: half a spacing more on each side. */
static void edges(const rw_layout *grid, int a, double *low, double *high)
{
    *low = grid->origin[a] - grid->spacing[a] / 2;
    *high = *low + (double)grid->size[a] * grid->spacing[a];
}

static void label_picture(const rw_field_picture *p, char *text, size_t size)
{
    char name[160];
    const bool complex = rw_dtype_is_complex(p->type);
    if (complex && p->view == RW_VIEW_PHASE) {
        snprintf(text, size, "arg %.100s / π", p->name);
        return;
    }
    snprintf(name, sizeof(name), complex && p->grid->ndim > 1 ? "|%.100s|" : "%.100s", p->name);
    rw_picture_label(name, p->unit, text, size);
}

/* The values of a vector are its moduli. */
static void label_values(const rw_field_picture *p, const char *text, char *label, size_t size)
{
    char name[160];
    snprintf(name, sizeof(name), "|%.100s|", p->name);
    if (p->arrow[0]) rw_picture_label(name, p->unit, label, size);
    else snprintf(label, size, "%s", text);
}

static rw_status draw_plane(rw_context *ctx, const char *path, const rw_figure_page *page, const rw_field_picture *p,
                            const rw_figure_axis *axis, rw_colormap map, const double *values)
{
    const rw_layout *g = p->grid;
    rw_figure_field field = {.nx = (size_t)g->size[0],
                             .ny = (size_t)g->size[1],
                             .values = values,
                             .value = *axis,
                             .map = map,
                             .x_label = g->axis[0],
                             .y_label = g->axis[1],
                             .stretch = rw_layout_is_thin(g)};
    edges(g, 0, &field.x0, &field.x1);
    edges(g, 1, &field.y0, &field.y1);
    if (!p->arrow[0]) return rw_figure_write_field(ctx, path, page, &field);
    if (!p->streamlines) return rw_figure_write_arrows(ctx, path, page, &field, p->arrow);
    rw_streamlines lines;
    RW_TRY(rw_trace_streamlines(ctx, g, RW_F64, p->arrow[0], p->arrow[1], &lines));
    const rw_status status = rw_figure_write_streamlines(ctx, path, page, &field, &lines);
    rw_streamlines_free(&lines);
    return status;
}

rw_status rw_picture_field(rw_context *ctx, const char *path, const rw_field_picture *p)
{
    const rw_layout *g = p->grid;
    const double *values;
    double *copy;
    char text[160], label[160], below[240];
    size_t n = (size_t)(g->size[0] * g->size[1] * g->size[2]);
    label_picture(p, text, sizeof(text));
    label_values(p, text, label, sizeof(label));
    bool titled = p->title && *p->title; /* then the name comes with the time */
    snprintf(below, sizeof(below), "%s%s%s", titled ? text : "", titled && p->subtitle ? ", " : "",
             p->subtitle ? p->subtitle : "");
    rw_figure_page page = {.title = titled ? p->title : text, .subtitle = below};
    rw_figure_axis axis = {.label = label, .min = p->min, .max = p->max};
    rw_colormap map = p->map;
    if (g->ndim == 1 && rw_dtype_is_complex(p->type)) return rw_view_line(ctx, path, &page, p, &axis);
    if (p->view == RW_VIEW_PHASE) {
        axis = (rw_figure_axis){.label = text, .min = -1, .max = 1};
        map = RW_COLORMAP_CYCLIC;
        RW_TRY(rw_view_phase(ctx, p->type, p->data, n, &copy));
        values = copy;
    } else {
        RW_TRY(rw_to_f64(ctx, p->type, p->data, n, &values, &copy));
    }
    rw_status status;
    if (g->ndim == 1) {
        status = draw_line(ctx, path, &page, p, &axis, values);
    } else if (g->ndim == 2) {
        status = draw_plane(ctx, path, &page, p, &axis, map, values);
    } else {
        rw_figure_volume volume = {.values = values, .value = axis, .map = map};
        for (int a = 0; a < 3; a++) {
            volume.n[a] = (size_t)g->size[a];
            volume.label[a] = g->axis[a];
            edges(g, a, &volume.lower[a], &volume.upper[a]);
        }
        status = rw_figure_write_volume(ctx, path, &page, &volume);
    }
    rw_free(copy);
    return status;
}

/* a_min and a_max, not a_b_min. */
static bool are_of_one_field(const rw_csv_table *table, int i, int k)
{
    const char *a = table->names[i], *b = table->names[k], *end = strrchr(a, '_');
    const size_t n = end ? (size_t)(end - a) + 1 : 0;
    return n && strncmp(a, b, n) == 0 && !strchr(b + n, '_');
}

/* The largest value of the columns that belong to the same field: u_min, u_max and u_mean. */
static double scale_of(const rw_csv_table *table, int column)
{
    double scale = 0;
    for (int i = 1; i < table->n_columns; i++)
        for (size_t k = 0; k < table->n_rows && are_of_one_field(table, i, column); k++)
            if (isfinite(table->columns[i][k])) scale = fmax(scale, fabs(table->columns[i][k]));
    return scale;
}

/* Constant except for rounding errors. */
static bool is_constant(const rw_csv_table *table, int column)
{
    const double *y = table->columns[column];
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < table->n_rows; k++)
        if (isfinite(y[k])) {
            low = fmin(low, y[k]);
            high = fmax(high, y[k]);
        }
    const double size = fmax(fabs(low), fabs(high));
    return !(high > low) || size <= 1e-9 * scale_of(table, column) || high - low <= 1e-6 * size;
}

/* A later column of the same field has the same values: on one node u_min and u_max are u_mean. */
static bool is_repeated(const rw_csv_table *table, int column)
{
    for (int i = column + 1; i < table->n_columns; i++)
        if (are_of_one_field(table, i, column) &&
            memcmp(table->columns[i], table->columns[column], table->n_rows * sizeof(double)) == 0)
            return true;
    return false;
}

/* The number of steps grows with time in a straight line, within a hundredth or one step: steps have one length. */
static bool is_even(const rw_csv_table *table, int column)
{
    const size_t n = table->n_rows;
    if (strcmp(table->names[column], "step") != 0 || n < 2) return false;
    const double *t = table->columns[0], *steps = table->columns[column], all = steps[n - 1] - steps[0];
    for (size_t k = 0; k < n; k++) {
        const double line = steps[0] + all * (t[k] - t[0]) / (t[n - 1] - t[0]);
        if (!(fabs(steps[k] - line) <= fmax(1, 0.01 * all))) return false;
    }
    return true;
}

bool rw_series_is_drawn(const rw_csv_table *table, int column)
{
    return !is_constant(table, column) && !is_repeated(table, column) && !is_even(table, column);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define SETTLED 1e-3  /* of the last value, or of the range of the column */
enum { DECADES = 6 }; /* of a logarithmic axis, unless the last value is smaller still */

/* Positive values that rise high above their median (spikes, growth), or end far below the first one (residuals), get a
 * logarithmic axis. */
static rw_status choose_axis(rw_context *ctx, const double *y, size_t n, rw_figure_axis *axis)
{
    double *sorted = rw_calloc(n, sizeof(*sorted));
    if (!sorted) return rw_fail_memory(ctx, n * sizeof(*sorted), "a picture");
    size_t m = 0;
    for (size_t k = 0; k < n; k++)
        if (isfinite(y[k])) sorted[m++] = y[k];
    qsort(sorted, m, sizeof(*sorted), compare);
    const double low = m ? sorted[0] : 0, median = m ? sorted[m / 2] : 0, high = m ? sorted[m - 1] : 0;
    const double last = n ? y[n - 1] : 0, least = fmin(high * pow(10, -DECADES), last);
    axis->log = low > 0 && (high >= 10 * median || y[0] >= 1000 * last);
    if (axis->log && low < least) {
        axis->max = 1.5 * high;
        axis->min = least;
    }
    rw_free(sorted);
    return RW_OK;
}

/* Where a column has reached its last value within the first fifth of the time (spikes that settle), the axis ends soon
 * after that, if the shown part has ROWS rows. Returns the time at which it has; NaN: the whole time is shown. */
static double choose_time(const rw_csv_table *table, int column, const rw_figure_axis *values, rw_figure_axis *time)
{
    enum { ROWS = 40 };
    const double *t = table->columns[0], *y = table->columns[column];
    const size_t n = table->n_rows;
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        low = fmin(low, y[k]);
        high = fmax(high, y[k]);
    }
    if (n < ROWS || !isfinite(y[n - 1])) return NAN;
    const double near = SETTLED * (values->log ? fabs(y[n - 1]) : high - low);
    size_t last = n - 1, shown;
    while (last > 0 && fabs(y[last] - y[n - 1]) <= near) last--;
    const double settled = t[last] - t[0], end = t[0] + 1.5 * settled;
    for (shown = last; shown < n && t[shown] <= end;) shown++;
    if (!(settled > 0 && settled <= 0.2 * (t[n - 1] - t[0])) || shown < ROWS) return NAN;
    time->min = t[0];
    time->max = end;
    return t[last];
}

rw_status rw_picture_series(rw_context *ctx, const char *path, const char *title, const rw_csv_table *table, int column)
{
    char x[160], y[160], below[240];
    rw_picture_label(table->names[0], table->units[0], x, sizeof(x));
    rw_picture_label(table->names[column], table->units[column], y, sizeof(y));
    bool titled = title && *title;
    rw_figure_page page = {.title = titled ? title : y, .subtitle = titled ? y : NULL};
    rw_figure_series series = {.n = table->n_rows, .x = table->columns[0], .y = table->columns[column]};
    if (table->n_rows < 40) series.style = RW_FIGURE_LINE_POINTS;
    rw_figure_lines lines = {.x = {.label = x},
                             .y = {.label = y},
                             .n = 1,
                             .series = &series,
                             .scale = scale_of(table, column)};
    RW_TRY(choose_axis(ctx, series.y, series.n, &lines.y));
    const double settled = choose_time(table, column, &lines.y, &lines.x);
    const char *unit = table->units[0] && strcmp(table->units[0], "1") != 0 ? table->units[0] : "";
    if (isfinite(settled)) {
        snprintf(below, sizeof(below), "%s%swithin 0.1 %% %s after %s = %.3g%s%.20s", titled ? y : "",
                 titled ? ", " : "", lines.y.log ? "of the last value" : "of the range", table->names[0], settled,
                 *unit ? " " : "", unit);
        page.subtitle = below;
    }
    return rw_figure_write_lines(ctx, path, &page, &lines);
}

rw_status rw_frame_make(rw_run *r, int field, rw_dtype type, const void *data, const int64_t size[3], double t,
                        rw_frame *f)
{
    const void *values = data;
    void *wide = NULL;
    *f = (rw_frame){.low = INFINITY, .high = -INFINITY};
    RW_TRY(rw_sides_grid(r, &f->grid, NULL));
    if (memcmp(size, f->grid.size, sizeof(f->grid.size)) != 0)
        RW_TRY(rw_sides_add(r, field, type, data, t, &values, &wide));
    const size_t n = (size_t)(f->grid.size[0] * f->grid.size[1] * f->grid.size[2]);
    if (rw_dtype_is_complex(type) && !r->grid->blocks) {
        f->type = type;
        f->data = values;
        f->own = wide;
        rw_view_range(&f->grid, type, values, &f->low, &f->high);
        return RW_OK;
    }
    rw_status status = rw_to_f64(r->ctx, type, values, n, &f->values, &f->own);
    f->type = RW_F64;
    f->data = f->values;
    if (f->own) rw_free(wide);
    else f->own = wide;
    if (status != RW_OK) {
        rw_free(f->own);
        f->own = NULL;
    }
    for (size_t i = 0; i < n && status == RW_OK; i++)
        if (isfinite(f->values[i])) {
            f->low = fmin(f->low, f->values[i]);
            f->high = fmax(f->high, f->values[i]);
        }
    return status;
}

rw_status rw_frame_join(rw_run *r, int n, rw_frame *parts, rw_frame *f)
{
    *f = parts[0];
    if (n == 1) return RW_OK;
    const size_t count = (size_t)(f->grid.size[0] * f->grid.size[1] * f->grid.size[2]);
    double *values = rw_calloc(count * (size_t)(n + 1), sizeof(*values));
    f->own = values;
    f->values = values;
    f->data = values;
    f->ncomponents = n;
    f->low = INFINITY;
    f->high = -INFINITY;
    for (int k = 0; k < n && values; k++) {
        double *component = values + (size_t)(k + 1) * count;
        memcpy(component, parts[k].values, count * sizeof(*component));
        f->component[k] = component;
        for (size_t i = 0; i < count; i++) values[i] = hypot(values[i], component[i]);
    }
    for (size_t i = 0; i < count && values; i++)
        if (isfinite(values[i])) {
            f->low = fmin(f->low, values[i]);
            f->high = fmax(f->high, values[i]);
        }
    for (int k = 0; k < n; k++) rw_free(parts[k].own);
    return values ? RW_OK : rw_fail_memory(r->ctx, count * sizeof(*values), "a picture");
}

rw_status rw_figures_frame(rw_run *r, const rw_state_field *field, int output, double t, rw_frame *frame,
                           const rw_scale *scale, bool again)
{
    char name[200], file[100], path[RW_PATH_SIZE], subtitle[64], view[RW_VIEW_NAME];
    const char *shown = rw_state_shown(field);
    rw_field_picture p = {.title = r->top.title,
                          .subtitle = subtitle,
                          .name = shown,
                          .unit = field->unit,
                          .grid = &frame->grid,
                          .type = frame->type,
                          .data = frame->data,
                          .map = scale->map,
                          .min = scale->min,
                          .max = scale->max,
                          .arrow = {frame->component[0], frame->component[1]},
                          .streamlines = rw_contents_has_streamlines(r, (int)(field - r->problem->fields))};
    rw_run_time_text(r, t, subtitle);
    rw_picture_name(shown, file, sizeof(file));
    r->npictures -= again;
    if (r->grid->blocks) {
        r->npictures -= again; /* two sections */
        snprintf(name, sizeof(name), "%s-%06d", file, output);
        return rw_figures_sections(r, &p, name);
    }
    const int views = again ? 1 : rw_views(p.type, p.grid); /* the scale of phases does not change */
    for (; p.view < views; p.view++) {
        double *copied = NULL;
        rw_view_name(p.type, p.grid, shown, p.view, view);
        rw_picture_name(view, file, sizeof(file));
        snprintf(name, sizeof(name), "figures/%s-%06d.png", file, output);
        RW_TRY(rw_folder_claim(r, name, path));
        RW_TRY(rw_drawing_add(r, path, rw_picture_field, &p, p.view == views - 1 ? &frame->own : &copied));
        r->npictures++;
    }
    return RW_OK;
}

/* A field, or the vector that it begins. */
static rw_status present_frame(rw_run *r, int index, rw_frame *frame)
{
    const rw_state_field *field = &r->problem->fields[index];
    const int n = rw_state_components(field, r->problem->nfields - index);
    rw_frame parts[3] = {{.values = NULL}};
    rw_status status = RW_OK;
    for (int k = 0; k < n && status == RW_OK; k++) {
        const rw_dtype type = rw_array_dtype(field[k].array);
        const void *data;
        if (!rw_dtype_is_number(type) || rw_array_size(field[k].array) != r->points)
            status = rw_fail(r->ctx, RW_ERR_INTERNAL, "field '%s' cannot be drawn", field[k].name);
        if (status == RW_OK) status = rw_array_read(field[k].array, &data);
        if (status == RW_OK) status = rw_frame_make(r, index + k, type, data, r->grid->size, rw_run_time(r), &parts[k]);
    }
    if (status == RW_OK) return rw_frame_join(r, n, parts, frame);
    for (int k = 0; k < n; k++) rw_free(parts[k].own);
    return status;
}

rw_status rw_figures_output(rw_run *r, const rw_state_field *field, int output)
{
    const int index = (int)(field - r->problem->fields);
    if (rw_layout_is_points(rw_output_layout(r->problem, index))) return rw_figures_points(r, field, output);
    rw_frame frame;
    rw_scale scale;
    RW_TRY(present_frame(r, index, &frame));
    rw_status status = rw_frames_limits(r, index, output, &frame, &scale);
    if (status == RW_OK && rw_drawing_busy(r) && rw_frames_may_wait(r, index, output)) rw_frames_postpone(r, index);
    else if (status == RW_OK) status = rw_figures_frame(r, field, output, rw_run_time(r), &frame, &scale, false);
    rw_free(frame.own);
    return status;
}

rw_status rw_figures_series(rw_run *r)
{
    char path[RW_PATH_SIZE], name[200], file[100];
    rw_csv_table table;
    if (r->output.figures.n == 0) return RW_OK;
    rw_drawing_hurry(r);
    RW_TRY(rw_frames_finish(r));
    RW_TRY(rw_series_read(r->ctx, r->folder, &table));
    rw_status status = RW_OK;
    for (int i = 1; i < table.n_columns && table.n_rows > 1 && status == RW_OK; i++) {
        if (!rw_series_is_drawn(&table, i)) continue;
        rw_picture_name(table.names[i], file, sizeof(file));
        snprintf(name, sizeof(name), "figures/series-%s.png", file);
        status = rw_folder_claim(r, name, path);
        if (status == RW_OK) status = rw_picture_series(r->ctx, path, r->top.title, &table, i);
        r->npictures += status == RW_OK;
    }
    rw_csv_free(&table);
    return status;
}
