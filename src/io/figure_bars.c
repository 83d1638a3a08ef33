/* Bars: groups one below the other, the bars of a group touching each other next to its name, a legend in rows above
 * the plot. */
#include <math.h>

#include "io/figure_parts.h"

enum { GROUPS = 200, SERIES = 40, WIDTH = 1400 };

typedef struct layout {
    rw_sheet sheet;
    rw_axis axis;
    rw_box box;
    double names, number; /* widths of the longest name of a group, of room for the numbers */
    double group, bar;    /* heights */
} layout;

static rw_status check(rw_context *ctx, const char *path, const rw_figure_bars *b)
{
    if (b->ngroups < 1 || b->ngroups > GROUPS || b->nseries < 1 || b->nseries > SERIES || !b->group || !b->series ||
        !b->values)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "%s: %lld groups of %lld bars: 1 to %d groups of 1 to %d bars with names and values can be drawn", path,
            (long long)b->ngroups, (long long)b->nseries, GROUPS, SERIES);
    return rw_figure_check_axis(ctx, path, "the values", &b->value);
}

static bool is_there(const rw_figure_bars *b, double v) { return isfinite(v) && (v > 0 || !b->value.log); }

static void find_limits(const rw_figure_bars *b, rw_axis *axis)
{
    double low, high;
    bool missing = false, any = rw_figure_extremes(b->values, (size_t)b->ngroups * (size_t)b->nseries, b->value.log,
                                                   &low, &high, &missing);
    if (!any) low = high = 1;
    if (b->value.min != b->value.max) rw_axis_limits(axis, b->value.min, b->value.max, b->value.log);
    else
        rw_axis_limits(axis, b->value.log ? low / 2 : fmin(low, 0), b->value.log ? high * 1.2 : fmax(high, 0),
                       b->value.log);
}

/* ---- the legend -------------------------------------------------------------------------------------------------- */

static rw_color color_of(const rw_figure_bars *b, int s)
{
    const rw_color c = rw_figure_color(s);
    if (s < b->nseries - b->pale) return c;
    return (rw_color){(uint8_t)((c.r + 255) / 2), (uint8_t)((c.g + 255) / 2), (uint8_t)((c.b + 255) / 2)};
}

/* Its rows from `top` on; without a canvas only their bottom is found. */
static double legend(rw_canvas *canvas, const layout *l, const rw_figure_bars *b, double top)
{
    const double text = l->sheet.text, left = l->sheet.margin, right = l->sheet.width - l->sheet.margin;
    double x = left, y = top + text;
    for (int s = 0; s < b->nseries; s++) {
        const char *name = b->series[s] ? b->series[s] : "";
        const double size = fmin(text, (right - left) / fmax(rw_font_width(name, 1) + 2, 1)),
                     w = rw_font_width(name, size) + 1.5 * size;
        if (x > left && x + w > right) {
            x = left;
            y += 1.5 * text;
        }
        if (canvas) {
            rw_canvas_fill(canvas, x, y - 0.8 * size, x + size, y + 0.2 * size, color_of(b, s));
            rw_font_draw(canvas, name, x + 1.5 * size, y, size, RW_TEXT_LEFT, false, 1, rw_ink);
        }
        x += w + 1.5 * text;
    }
    return y + 0.8 * text;
}

/* ---- the plot ---------------------------------------------------------------------------------------------------- */

static void place(layout *l, const rw_figure_bars *b)
{
    const rw_sheet *s = &l->sheet;
    const double text = s->text;
    for (int g = 0; g < b->ngroups; g++) l->names = fmax(l->names, b->group[g] ? rw_font_width(b->group[g], text) : 0);
    l->names = fmin(l->names, 0.4 * s->width);
    l->number = 4 * text;
    l->box = (rw_box){ceil(s->margin + l->names + 0.6 * text), ceil(legend(NULL, l, b, s->top) + 0.4 * text), 0, 0};
    l->box.x1 = floor(fmax(s->width - s->margin - text, l->box.x0 + 40));
    rw_axis_place(&l->axis, l->box.x0, fmax(l->box.x1 - l->number, l->box.x0 + 20), text, RW_AXIS_BELOW);
    l->box.y1 = floor(
        fmax(s->height - s->margin - rw_axis_depth(&l->axis, text, RW_AXIS_BELOW, b->value.label), l->box.y0 + 40));
    l->group = (l->box.y1 - l->box.y0) / b->ngroups;
    l->bar = 0.8 * l->group / b->nseries;
}

static void draw_group(rw_canvas *canvas, const layout *l, const rw_figure_bars *b, int g)
{
    const double text = fmin(l->sheet.text, 1.1 * l->group), top = l->box.y0 + g * l->group + 0.1 * l->group,
                 start = rw_axis_pixel(&l->axis, b->value.log ? l->axis.min : fmax(l->axis.min, 0));
    const char *name = b->group[g] ? b->group[g] : "";
    const double size = fmin(text, l->names / fmax(rw_font_width(name, 1), 1e-3));
    rw_font_draw(canvas, name, l->box.x0 - 0.6 * l->sheet.text, top + 0.4 * l->group + RW_FONT_CAP / 2 * size, size,
                 RW_TEXT_RIGHT, false, 1, rw_ink);
    int there = 0;
    for (int s = 0; s < b->nseries; s++) there += is_there(b, b->values[s * b->ngroups + g]);
    double y = top + (0.8 * l->group - there * l->bar) / 2;
    for (int s = 0; s < b->nseries; s++) {
        const double v = b->values[s * b->ngroups + g], number = fmin(0.9 * text, l->bar);
        char label[40];
        if (!is_there(b, v)) continue;
        const double end = fmin(fmax(rw_axis_pixel(&l->axis, v), l->axis.start), l->axis.end), right = fmax(start, end);
        rw_canvas_fill(canvas, fmin(start, end), y, fmax(right, start + 1), y + 0.92 * l->bar, color_of(b, s));
        rw_axis_number(label, sizeof label, v);
        if (number >= 7)
            rw_font_draw(canvas, label, right + 0.3 * number, y + 0.46 * l->bar + RW_FONT_CAP / 2 * number, number,
                         RW_TEXT_LEFT, false, 1, rw_ink);
        y += l->bar;
    }
}

rw_status rw_figure_write_bars_sized(rw_context *ctx, const char *path, const rw_figure_page *page,
                                     const rw_figure_bars *b, size_t page_size, size_t bars_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(b, "bars");
    RW_STRUCT_IN(ctx, rw_figure_page, page, page_size);
    RW_STRUCT_IN(ctx, rw_figure_bars, b, bars_size);
    layout l = {0};
    rw_canvas canvas;
    RW_TRY(check(ctx, path, b));
    RW_TRY(rw_figure_sheet(ctx, path, page, WIDTH, RW_MIN(RW_MAX(b->ngroups * (16 * b->nseries + 12) + 200, 400), 8000),
                           &l.sheet));
    find_limits(b, &l.axis);
    place(&l, b);
    RW_TRY(rw_canvas_create(ctx, (int)l.sheet.width, (int)l.sheet.height, &canvas));
    for (int i = 0; i < l.axis.n; i++) {
        const double x = round(rw_axis_pixel(&l.axis, l.axis.tick[i]) - 0.5);
        rw_canvas_fill(&canvas, x, l.box.y0, x + 1, l.box.y1, rw_grid_color);
    }
    rw_canvas_clip(&canvas, 0, l.box.y0, l.sheet.width, l.box.y1);
    for (int g = 0; g < b->ngroups; g++) draw_group(&canvas, &l, b, g);
    rw_canvas_unclip(&canvas);
    rw_figure_frame(&canvas, &l.box, l.sheet.text);
    rw_axis_draw(&canvas, &l.axis, l.box.y1, l.sheet.text, RW_AXIS_BELOW, b->value.label);
    legend(&canvas, &l, b, l.sheet.top);
    rw_figure_titles(&canvas, page, &l.sheet, (l.box.x0 + l.box.x1) / 2);
    return rw_figure_save(ctx, path, &canvas);
}
