/* Line plots: series of points with grid, legend, linear or logarithmic axes.
 *
 * Of the points of a series that fall one after the other into the same half pixel of x, the first, the lowest, the
 * highest and the last are drawn: the picture is that of all points (Jugel et al. 2014, M4), whatever their number. The
 * legend lies in the free corner, or right of the plot when every corner holds data. */
#include <math.h>

#include "io/figure_parts.h"

enum { GRID = 80, ROWS = 40 };

typedef struct layout {
    rw_sheet sheet;
    rw_axis x, y;
    rw_box box, legend;
    double legend_text;
    int rows; /* of the legend; 0: none */
} layout;

static bool has_line(const rw_figure_series *s) { return s->style != RW_FIGURE_POINTS; }
static bool has_points(const rw_figure_series *s)
{
    return s->style == RW_FIGURE_POINTS || s->style == RW_FIGURE_LINE_POINTS;
}

static rw_status check(rw_context *ctx, const char *path, const rw_figure_lines *lines)
{
    for (int i = 0; i < lines->n; i++) RW_CHECK_MEMBERS(ctx, rw_figure_series, lines->series + i);
    for (int i = 0; i < lines->n; i++)
        if (lines->series[i].n > 0 && (!lines->series[i].x || !lines->series[i].y))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: series %d has %zu points but no x or y", path, i,
                           lines->series[i].n);
    RW_TRY(rw_figure_check_axis(ctx, path, "x", &lines->x));
    return rw_figure_check_axis(ctx, path, "y", &lines->y);
}

/* Limits asked for, or those of all series and `pad` of their distance beyond. */
static void find_limits(const rw_figure_lines *lines, bool of_y, double pad, rw_axis *axis)
{
    const rw_figure_axis *asked = of_y ? &lines->y : &lines->x;
    double low = INFINITY, high = -INFINITY;
    bool any = false, missing = false;
    if (asked->min != asked->max) {
        rw_axis_limits(axis, asked->min, asked->max, asked->log);
        return;
    }
    for (int i = 0; i < lines->n; i++) {
        double a, b;
        const rw_figure_series *s = &lines->series[i];
        if (!rw_figure_extremes(of_y ? s->y : s->x, s->n, asked->log, &a, &b, &missing)) continue;
        low = fmin(low, a);
        high = fmax(high, b);
        any = true;
    }
    if (!any) {
        low = asked->log ? 0.1 : 0;
        high = 1;
    }
    rw_axis_limits(axis, low, high, asked->log);
    if (!any || !(high > low)) return;
    if (asked->log) {
        double factor = pow(axis->max / axis->min, pad);
        rw_axis_limits(axis, axis->min / factor, axis->max * factor, true);
    } else {
        double more = pad * (axis->max - axis->min);
        rw_axis_limits(axis, axis->min - more, axis->max + more, false);
    }
}

/* The pen that follows a series, in pixels. */
typedef struct trace {
    rw_canvas *canvas;
    double width, dash, phase, x, y;
    bool down;
} trace;

static void trace_to(trace *p, double x, double y)
{
    x = fmin(fmax(x, -1e6), 1e6);
    y = fmin(fmax(y, -1e6), 1e6);
    double dx = x - p->x, dy = y - p->y, length = hypot(dx, dy), at = 0;
    if (p->down && p->dash == 0) rw_canvas_segment(p->canvas, p->x, p->y, x, y, p->width);
    while (p->down && p->dash > 0 && at < length) { /* phase 0 .. 1: 0.6 of a period drawn, 0.4 left out */
        bool on = p->phase < 0.6;
        double rest = ((on ? 0.6 : 1) - p->phase) * p->dash, step = fmin(rest, length - at);
        if (on)
            rw_canvas_segment(p->canvas, p->x + at / length * dx, p->y + at / length * dy,
                              p->x + (at + step) / length * dx, p->y + (at + step) / length * dy, p->width);
        at += step;
        p->phase = step < rest ? p->phase + step / p->dash : on ? 0.6 : 0;
    }
    p->x = x;
    p->y = y;
    p->down = true;
}

/* Points of one half pixel of x: the first is drawn when it comes, the others when the run ends. */
typedef struct run {
    double column, x, low, high, last;
    bool low_first;
} run;

static void end_run(trace *p, const run *r)
{
    if (!p->down) return;
    if (r->low != r->high) {
        trace_to(p, r->x, r->low_first ? r->low : r->high);
        trace_to(p, r->x, r->low_first ? r->high : r->low);
    }
    if (p->y != r->last) trace_to(p, r->x, r->last);
}

static void draw_line(rw_canvas *canvas, const layout *l, const rw_figure_series *s, double width)
{
    trace p = {.canvas = canvas, .width = width, .dash = s->style == RW_FIGURE_DASHED ? 6.5 * width : 0};
    run r = {.column = NAN};
    for (size_t i = 0; i < s->n; i++) {
        double x = rw_axis_pixel(&l->x, s->x[i]), y = rw_axis_pixel(&l->y, s->y[i]);
        if (!isfinite(x) || !isfinite(y)) {
            end_run(&p, &r);
            if (p.down && i > 0) rw_canvas_dot(canvas, p.x, p.y, width / 2); /* a single point between gaps is seen */
            p.down = false;
            r.column = NAN;
            continue;
        }
        if (floor(2 * x) == r.column) {
            if (y < r.low) {
                r.low = y;
                r.low_first = false;
            }
            if (y > r.high) {
                r.high = y;
                r.low_first = true;
            }
            r.last = y;
            continue;
        }
        end_run(&p, &r);
        trace_to(&p, x, y);
        r = (run){floor(2 * x), x, y, y, y, true};
    }
    end_run(&p, &r);
    if (s->n == 1) rw_canvas_dot(canvas, p.x, p.y, width);
}

static void draw_series(rw_canvas *canvas, const layout *l, const rw_figure_series *s, int i)
{
    double width = fmax(0.11 * l->sheet.text, 1.2), radius = 0.24 * l->sheet.text;
    if (has_line(s)) draw_line(canvas, l, s, width);
    rw_canvas_ink(canvas, rw_figure_color(i), 1);
    for (int rim = 1; has_points(s) && rim >= 0; rim--) { /* a white rim keeps neighbours apart */
        if (rim && s->n > 400) continue;
        for (size_t k = 0; k < s->n; k++)
            rw_canvas_dot(canvas, rw_axis_pixel(&l->x, s->x[k]), rw_axis_pixel(&l->y, s->y[k]), radius + 1.2 * rim);
        rw_canvas_ink(canvas, rim ? (rw_color){255, 255, 255} : rw_figure_color(i), 1);
    }
}

/* Marks the squares of a GRID x GRID division of the plot that hold data. */
static void find_data(const layout *l, const rw_figure_lines *lines, bool taken[GRID][GRID])
{
    const rw_box *b = &l->box;
    for (int i = 0; i < lines->n; i++) {
        const rw_figure_series *s = &lines->series[i];
        double x0 = NAN, y0 = NAN;
        for (size_t k = 0; k < s->n; k++) {
            double x1 = (rw_axis_pixel(&l->x, s->x[k]) - b->x0) / (b->x1 - b->x0) * GRID;
            double y1 = (rw_axis_pixel(&l->y, s->y[k]) - b->y0) / (b->y1 - b->y0) * GRID;
            int steps = has_line(s) && isfinite(x0 + y0 + x1 + y1)
                            ? (int)fmin(2 * (fabs(x1 - x0) + fabs(y1 - y0)) + 1, 4 * GRID)
                            : 1;
            for (int t = 1; t <= steps; t++) {
                double x = steps == 1 ? x1 : x0 + (x1 - x0) * t / steps;
                double y = steps == 1 ? y1 : y0 + (y1 - y0) * t / steps;
                if (x >= 0 && x < GRID && y >= 0 && y < GRID) taken[(int)y][(int)x] = true;
            }
            x0 = x1;
            y0 = y1;
        }
    }
}

/* Moves the legend to the place in the plot without data, the upper right first; false when there is none. */
static bool place_legend(layout *l, const rw_figure_lines *lines)
{
    static const double places[][2] = {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {0.5, 0}, {0.5, 1}, {1, 0.5}, {0, 0.5}};
    bool taken[GRID][GRID] = {{false}};
    const rw_box *b = &l->box;
    double w = l->legend.x1, h = l->legend.y1, inset = 0.7 * l->sheet.text;
    double free_x = b->x1 - b->x0 - w - 2 * inset, free_y = b->y1 - b->y0 - h - 2 * inset;
    if (free_x < 0.3 * w || free_y < 0) return false;
    find_data(l, lines, taken);
    for (int i = 0; i < RW_COUNT(places); i++) {
        double x = floor(b->x0 + inset + places[i][0] * free_x), y = floor(b->y0 + inset + places[i][1] * free_y);
        double to_x = GRID / (b->x1 - b->x0), to_y = GRID / (b->y1 - b->y0);
        bool is_free = true;
        for (int gy = RW_MAX((int)((y - b->y0) * to_y) - 1, 0); gy <= (y + h - b->y0) * to_y + 1 && gy < GRID; gy++)
            for (int gx = RW_MAX((int)((x - b->x0) * to_x) - 1, 0); gx <= (x + w - b->x0) * to_x + 1 && gx < GRID; gx++)
                is_free = is_free && !taken[gy][gx];
        if (!is_free) continue;
        l->legend = (rw_box){x, y, x + w, y + h};
        return true;
    }
    return false;
}

/* Sizes of the legend in legend.x1, .y1; of more than ROWS names the first are listed. */
static void size_legend(layout *l, const rw_figure_lines *lines)
{
    double names = 0, text = l->sheet.text;
    int rows = 0;
    for (int i = 0; i < lines->n; i++) {
        const char *name = lines->series[i].name;
        if (!name || !*name) continue;
        names = fmax(names, rw_font_width(name, 1));
        rows++;
    }
    l->rows = RW_MIN(rows, ROWS);
    text = fmin(text, 0.7 * l->sheet.height / 1.5 / RW_MAX(l->rows, 1));       /* as many rows as there must be */
    if (names > 0) text = fmin(text, fmax(0.45 * l->sheet.width / names, 10)); /* names of any length */
    l->legend_text = fmax(text, 8);
    l->legend = (rw_box){0, 0, ceil((names + 4.0) * l->legend_text), ceil((1.5 * l->rows + 0.6) * l->legend_text)};
}

static void draw_legend(rw_canvas *canvas, const layout *l, const rw_figure_lines *lines)
{
    const rw_box *b = &l->legend;
    double text = l->legend_text, y = b->y0 + 1.05 * text;
    rw_canvas_fill(canvas, b->x0, b->y0, b->x1, b->y1, (rw_color){200, 201, 205});
    rw_canvas_fill(canvas, b->x0 + 1, b->y0 + 1, b->x1 - 1, b->y1 - 1, (rw_color){255, 255, 255});
    for (int i = 0, row = 0; i < lines->n && row < l->rows; i++) {
        const rw_figure_series *s = &lines->series[i];
        if (!s->name || !*s->name) continue;
        double width = fmax(0.11 * text, 1.2), x0 = b->x0 + 0.7 * text, x1 = x0 + 2.0 * text;
        trace p = {.canvas = canvas, .width = width, .dash = s->style == RW_FIGURE_DASHED ? 6.5 * width : 0};
        if (has_line(s)) {
            trace_to(&p, x0, y);
            trace_to(&p, x1, y);
        }
        if (has_points(s)) rw_canvas_dot(canvas, (x0 + x1) / 2, y, 0.24 * text);
        rw_canvas_ink(canvas, rw_figure_color(i), 1);
        rw_font_draw(canvas, s->name, x1 + 0.6 * text, y + 0.5 * RW_FONT_CAP * text, text, RW_TEXT_LEFT, false, 1,
                     rw_ink);
        y += 1.5 * text;
        row++;
    }
}

static void place_box(layout *l, const rw_figure_lines *lines, double strip)
{
    const rw_sheet *s = &l->sheet;
    double text = s->text;
    rw_axis_place(&l->y, 0.85 * s->height, s->top, text, RW_AXIS_LEFT);
    rw_axis_place(&l->x, 0.1 * s->width, 0.95 * s->width - strip, text, RW_AXIS_BELOW);
    double left = s->margin + rw_axis_depth(&l->y, text, RW_AXIS_LEFT, lines->y.label);
    double right = s->margin + fmax(strip, rw_axis_label_width(&l->x, text) / 2);
    double below = s->margin + rw_axis_depth(&l->x, text, RW_AXIS_BELOW, lines->x.label);
    double top = s->top + (l->y.factor[0] ? 1.7 : 0.4) * text;
    l->box = (rw_box){ceil(left), ceil(top), floor(fmax(s->width - right, left + 40)),
                      floor(fmax(s->height - below, top + 40))};
    rw_axis_place(&l->x, l->box.x0, l->box.x1, text, RW_AXIS_BELOW);
    rw_axis_place(&l->y, l->box.y1, l->box.y0, text, RW_AXIS_LEFT);
}

static void draw_grid(rw_canvas *canvas, const layout *l)
{
    const rw_box *b = &l->box;
    const rw_color faint = {240, 240, 242};
    for (int major = 0; major < 2; major++) {
        const rw_color color = major ? rw_grid_color : faint;
        for (int i = 0; i < (major ? l->x.n : l->x.n_minor); i++) {
            double x = round(rw_axis_pixel(&l->x, major ? l->x.tick[i] : l->x.minor[i]) - 0.5);
            rw_canvas_fill(canvas, x, b->y0, x + 1, b->y1, color);
        }
        for (int i = 0; i < (major ? l->y.n : l->y.n_minor); i++) {
            double y = round(rw_axis_pixel(&l->y, major ? l->y.tick[i] : l->y.minor[i]) - 0.5);
            rw_canvas_fill(canvas, b->x0, y, b->x1, y + 1, color);
        }
    }
}

/* A single series whose values agree to seven digits: their differences are rounding errors or nearly so, and the axis
 * must not magnify them. Its limits become those of a constant; *value is said in the plot. Zeros next to values of
 * `scale` are 0 to rounding. */
static bool is_constant(const rw_figure_lines *lines, rw_axis *y, double *value)
{
    double low, high;
    bool missing = false;
    const rw_figure_series *s = lines->series;
    if (lines->n != 1 || s->n < 2 || lines->y.log || lines->y.min != lines->y.max) return false;
    if (!rw_figure_extremes(s->y, s->n, false, &low, &high, &missing) || missing) return false;
    double size = fmax(fabs(low), fabs(high));
    if (size <= 1e-13 * lines->scale) *value = 0;
    else if (high - low <= 1e-7 * size) *value = low + (high - low) / 2;
    else return false;
    rw_axis_limits(y, *value, *value, false);
    if (*value == 0 && lines->scale > 0) rw_axis_limits(y, -lines->scale / 10, lines->scale / 10, false);
    return true;
}

static void say_constant(rw_canvas *canvas, const layout *l, double value)
{
    char number[48], text[80];
    double size = 1.2 * l->sheet.text;
    rw_snprintf(number, sizeof number, "%.7g", fabs(value));
    rw_snprintf(text, sizeof text, "constant: %s%s", value < 0 ? "−" : "", number);
    rw_font_draw(canvas, text, (l->box.x0 + l->box.x1) / 2, rw_axis_pixel(&l->y, value) - 0.8 * size, size,
                 RW_TEXT_CENTER, false, 1, rw_ink);
}

rw_status rw_figure_write_lines_sized(rw_context *ctx, const char *path, const rw_figure_page *page,
                                      const rw_figure_lines *lines, size_t page_size, size_t lines_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(lines, "lines");
    RW_STRUCT_IN(ctx, rw_figure_page, page, page_size);
    RW_STRUCT_IN(ctx, rw_figure_lines, lines, lines_size);
    layout l = {0};
    rw_canvas canvas;
    bool points = false;
    RW_TRY(check(ctx, path, lines));
    RW_TRY(rw_figure_sheet(ctx, path, page, 1400, 1000, &l.sheet));
    for (int i = 0; i < lines->n; i++) points = points || has_points(&lines->series[i]);
    find_limits(lines, false, points ? 0.02 : 0, &l.x);
    find_limits(lines, true, 0.04, &l.y);
    double value;
    bool constant = is_constant(lines, &l.y, &value);
    size_legend(&l, lines);
    place_box(&l, lines, 0);
    if (l.rows > 0 && !place_legend(&l, lines)) { /* next to the plot */
        double w = l.legend.x1, h = l.legend.y1;
        place_box(&l, lines, w + l.sheet.text);
        l.legend = (rw_box){l.box.x1 + l.sheet.text, l.box.y0, l.box.x1 + l.sheet.text + w, l.box.y0 + h};
    }

    RW_TRY(rw_canvas_create(ctx, (int)l.sheet.width, (int)l.sheet.height, &canvas));
    double text = l.sheet.text;
    draw_grid(&canvas, &l);
    rw_canvas_clip(&canvas, l.box.x0, l.box.y0, l.box.x1, l.box.y1);
    for (int i = 0; i < lines->n; i++) draw_series(&canvas, &l, &lines->series[i], i);
    rw_canvas_unclip(&canvas);
    rw_figure_frame(&canvas, &l.box, text);
    rw_axis_draw(&canvas, &l.x, l.box.y1, text, RW_AXIS_BELOW, lines->x.label);
    rw_axis_draw(&canvas, &l.y, l.box.x0, text, RW_AXIS_LEFT, lines->y.label);
    if (l.rows > 0) draw_legend(&canvas, &l, lines);
    if (constant) say_constant(&canvas, &l, value);
    rw_figure_titles(&canvas, page, &l.sheet, (l.box.x0 + l.box.x1) / 2);
    return rw_figure_save(ctx, path, &canvas);
}
