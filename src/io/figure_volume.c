/* Three slices of a volume side by side, z, y and x held, with one colour bar:
 *
 *      y |  xy  |   z |  xz  |   z |  yz  |  bar
 *
 * All have the same scale, unless the box is too flat to be seen then. Dashes mark the planes in each other. */
#include <math.h>
#include <string.h>

#include "io/figure_parts.h"

enum { FLATTEST = 6 }; /* boxes with a ratio of edges above this are drawn with panels of one size */

typedef struct panel {
    int across, up, held; /* axes of the box: 0 x, 1 y, 2 z */
    rw_axis x, y;
    rw_box box;
    char caption[160];
} panel;

typedef struct layout {
    rw_sheet sheet;
    panel panels[3];
    rw_axis value;
    rw_box bar;
    size_t plane[3]; /* index of the plane held for each axis */
    double at[3];    /* its coordinate */
    bool missing;
} layout;

static const char *axis_label(const rw_figure_volume *v, int a)
{
    static const char *const names[3] = {"x", "y", "z"};
    return v->label[a] ? v->label[a] : names[a];
}

static rw_status check(rw_context *ctx, const char *path, const rw_figure_volume *v)
{
    size_t bytes;
    if (!v->n[0] || !v->n[1] || !v->n[2] || !rw_io_bytes(3, v->n, sizeof(double), &bytes) || !v->values)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: a volume of %zu x %zu x %zu values: at least one cell in each "
                       "direction is needed",
                       path, v->n[0], v->n[1], v->n[2]);
    for (int a = 0; a < 3; a++)
        if (!isfinite(v->lower[a] + v->upper[a]) || (v->choose && !isfinite(v->at[a])) || v->lower[a] > v->upper[a])
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "%s: box from %g to %g, plane at %g in direction %c: must be finite and ascending", path,
                           v->lower[a], v->upper[a], v->at[a], "xyz"[a]);
    return rw_figure_check_axis(ctx, path, "the values", &v->value);
}

static double upper(const rw_figure_volume *v, int a)
{
    return v->lower[a] == v->upper[a] ? v->lower[a] + (double)v->n[a] : v->upper[a];
}

/* The cells of a panel: its plane of the volume. */
static rw_figure_cells cells_of(const layout *l, const rw_figure_volume *v, const panel *p)
{
    const size_t stride[3] = {1, v->n[0], v->n[0] * v->n[1]};
    return (rw_figure_cells){v->n[p->across], v->n[p->up], stride[p->across], stride[p->up],
                             v->values + l->plane[p->held] * stride[p->held]};
}

/* "z = 0.5 m" from the label "z / m". */
static void make_caption(panel *p, const char *label, double at)
{
    char number[48];
    const char *slash = strstr(label, " / ");
    rw_axis_number(number, sizeof number, at);
    rw_snprintf(p->caption, sizeof p->caption, "%.*s = %s%s%.40s", slash ? (int)RW_MIN(slash - label, 60) : 60, label,
                number, slash ? " " : "", slash ? slash + 3 : "");
}

static void choose_planes(layout *l, const rw_figure_volume *v)
{
    for (int a = 0; a < 3; a++) {
        double cell = (upper(v, a) - v->lower[a]) / (double)v->n[a];
        double index =
            v->choose ? fmin(fmax((v->at[a] - v->lower[a]) / cell, 0), (double)(v->n[a] - 1)) : (double)(v->n[a] / 2);
        l->plane[a] = (size_t)index;
        l->at[a] = v->lower[a] + ((double)l->plane[a] + 0.5) * cell;
    }
}

static void lay_out(layout *l, const rw_figure_volume *v)
{
    rw_sheet *s = &l->sheet;
    double text = s->text, gap = round(1.2 * text), bar_width = round(1.1 * text);
    double lefts[3], widths = 0, longest = 0, shortest = INFINITY, highest = 0, below = 0;
    rw_axis_place(&l->value, 0.85 * s->height, s->top, text, RW_AXIS_RIGHT);
    double right = gap + bar_width + rw_figure_bar_depth(&l->value, text, v->value.label, l->missing) + s->margin;
    double top = s->top + (l->value.factor[0] ? 1.7 : 0.4) * text + 1.5 * text; /* captions */
    double room = s->width - right - s->margin;
    for (int i = 0; i < 3; i++) {
        panel *p = &l->panels[i];
        rw_axis_place(&p->y, s->width / 5, 0, text, RW_AXIS_LEFT);
        rw_axis_place(&p->x, 0, s->width / 5, text, RW_AXIS_BELOW);
        if (p->y.factor[0]) top = fmax(top, s->top + 3.4 * text);
        lefts[i] = rw_axis_depth(&p->y, text, RW_AXIS_LEFT, axis_label(v, p->up));
        below = fmax(below, rw_axis_depth(&p->x, text, RW_AXIS_BELOW, axis_label(v, p->across)));
        room -= lefts[i] + (i > 0 ? gap : 0);
        widths += p->x.max - p->x.min;
        longest = fmax(longest, fmax(p->x.max - p->x.min, p->y.max - p->y.min));
        shortest = fmin(shortest, fmin(p->x.max - p->x.min, p->y.max - p->y.min));
        highest = fmax(highest, p->y.max - p->y.min);
    }
    room = fmax(room, 60);
    double room_y = fmax(s->height - top - below - s->margin, 40), scale = fmin(room / widths, room_y / highest);
    bool flat = longest > FLATTEST * shortest;
    double tallest = flat ? fmin(room / 3, room_y) : highest * scale, tall = fmin(fmax(tallest, 9 * text), room_y);
    if (s->free_height) s->height = ceil(top + tall + below + s->margin);
    double used = flat ? room : widths * scale, x = s->margin + (room - used) / 2;
    double middle = floor(top + (s->height - top - below - s->margin) / 2), base = floor(middle + tallest / 2);
    for (int i = 0; i < 3; i++) {
        panel *p = &l->panels[i];
        double w = flat ? room / 3 : (p->x.max - p->x.min) * scale, h = flat ? tallest : (p->y.max - p->y.min) * scale;
        x += lefts[i] + (i > 0 ? gap : 0);
        p->box = (rw_box){floor(x), base - fmax(round(h), 4), floor(x) + fmax(round(w), 4), base};
        x += w;
        rw_axis_place(&p->x, p->box.x0, p->box.x1, text, RW_AXIS_BELOW);
        rw_axis_place(&p->y, p->box.y1, p->box.y0, text, RW_AXIS_LEFT);
    }
    double bar_x = l->panels[2].box.x1 + gap;
    l->bar = (rw_box){bar_x, base - round(tallest), bar_x + bar_width, base};
    if (tall > tallest) {
        l->bar.y0 = floor(middle - tall / 2);
        l->bar.y1 = floor(middle + tall / 2);
    }
}

static void mark(rw_canvas *canvas, double x0, double y0, double x1, double y1, double text)
{
    double length = hypot(x1 - x0, y1 - y0), dash = 0.5 * text;
    for (int ink = 0; ink < 2; ink++) { /* white below, dark above: seen on any colour */
        for (double s = dash / 2; s + dash / 2 < length; s += dash) {
            double a = s / length, b = (s + dash / 2) / length;
            rw_canvas_segment(canvas, x0 + a * (x1 - x0), y0 + a * (y1 - y0), x0 + b * (x1 - x0), y0 + b * (y1 - y0),
                              ink ? 1 : 2.6);
        }
        rw_canvas_ink(canvas, ink ? (rw_color){20, 20, 20} : (rw_color){255, 255, 255}, 0.7);
    }
}

static void draw_panel(rw_canvas *canvas, layout *l, const rw_figure_volume *v, panel *p)
{
    double text = l->sheet.text;
    const rw_figure_cells cells = cells_of(l, v, p);
    rw_figure_cells_draw(canvas, &cells, &p->box, &l->value, v->map);
    double x = rw_axis_pixel(&p->x, l->at[p->across]), y = rw_axis_pixel(&p->y, l->at[p->up]);
    mark(canvas, x, p->box.y0, x, p->box.y1, text);
    mark(canvas, p->box.x0, y, p->box.x1, y, text);
    rw_figure_frame(canvas, &p->box, text);
    rw_axis_draw(canvas, &p->x, p->box.y1, text, RW_AXIS_BELOW, axis_label(v, p->across));
    rw_axis_draw(canvas, &p->y, p->box.x0, text, RW_AXIS_LEFT, axis_label(v, p->up));
    rw_font_draw(canvas, p->caption, (p->box.x0 + p->box.x1) / 2, p->box.y0 - (p->y.factor[0] ? 2.0 : 0.6) * text, text,
                 RW_TEXT_CENTER, false, 1, rw_ink);
}

rw_status rw_figure_write_volume_sized(rw_context *ctx, const char *path, const rw_figure_page *page,
                                       const rw_figure_volume *volume, size_t page_size, size_t volume_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(volume, "volume");
    RW_STRUCT_IN(ctx, rw_figure_page, page, page_size);
    RW_STRUCT_IN(ctx, rw_figure_volume, volume, volume_size);
    const rw_figure_volume *v = volume;
    layout l = {.panels = {{.across = 0, .up = 1, .held = 2},
                           {.across = 0, .up = 2, .held = 1},
                           {.across = 1, .up = 2, .held = 0}}};
    rw_canvas canvas;
    double low = INFINITY, high = -INFINITY;
    RW_TRY(check(ctx, path, v));
    RW_TRY(rw_figure_sheet(ctx, path, page, 1800, 1100, &l.sheet));
    if (!page || page->text == 0) l.sheet.text = fmax(fmin(l.sheet.width / 85, l.sheet.height / 30), 12);
    choose_planes(&l, v);
    bool any = rw_figure_extremes(v->values, v->n[0] * v->n[1] * v->n[2], v->value.log, &low, &high, &l.missing);
    rw_figure_value_axis(&v->value, v->map, any, low, high, &l.value);
    for (int i = 0; i < 3; i++) {
        panel *p = &l.panels[i];
        rw_axis_limits(&p->x, v->lower[p->across], upper(v, p->across), false);
        rw_axis_limits(&p->y, v->lower[p->up], upper(v, p->up), false);
        make_caption(p, axis_label(v, p->held), l.at[p->held]);
    }
    lay_out(&l, v);

    RW_TRY(rw_canvas_create(ctx, (int)l.sheet.width, (int)l.sheet.height, &canvas));
    for (int i = 0; i < 3; i++) draw_panel(&canvas, &l, v, &l.panels[i]);
    rw_figure_bar_draw(&canvas, &l.bar, &l.value, v->map, l.sheet.text, v->value.label, l.missing);
    rw_figure_titles(&canvas, page, &l.sheet, l.sheet.width / 2);
    return rw_figure_save(ctx, path, &canvas);
}
