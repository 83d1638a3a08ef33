/* The colour map of a plane field with axes and colour bar:
 *
 *      margin | y label, ticks |  box  | gap | bar | ticks, label | margin
 *
 * With equal units the box is the largest of its shape that fits; a page whose sizes were left to us is cut to it. */
#include <math.h>

#include "io/figure_arrows.h"
#include "io/figure_parts.h"

enum { LONGEST = 20 }; /* a rectangle longer than this many times its height is stretched to fill the page */

typedef struct layout {
    rw_sheet sheet;
    rw_axis x, y, value;
    rw_box box, bar;
    bool missing;
} layout;

static void lay_out(layout *l, const rw_figure_field *f)
{
    rw_sheet *s = &l->sheet;
    double text = s->text, bar_width = round(1.1 * text), gap = round(1.1 * text);
    rw_axis_place(&l->y, 0.85 * s->height, s->top, text, RW_AXIS_LEFT); /* a guess, for the widths of the labels */
    rw_axis_place(&l->x, 0.1 * s->width, 0.85 * s->width, text, RW_AXIS_BELOW);
    rw_axis_place(&l->value, 0.85 * s->height, s->top, text, RW_AXIS_RIGHT);
    gap = fmax(gap, ceil(rw_axis_label_width(&l->x, text) / 2 + 0.4 * text));
    double left = ceil(s->margin + rw_axis_depth(&l->y, text, RW_AXIS_LEFT, f->y_label));
    double right = ceil(gap + bar_width + rw_figure_bar_depth(&l->value, text, f->value.label, l->missing) + s->margin);
    double below = ceil(rw_axis_depth(&l->x, text, RW_AXIS_BELOW, f->x_label) + s->margin);
    double top = ceil(s->top + (l->y.factor[0] || l->value.factor[0] ? 1.7 : 0.4) * text);
    double room_x = fmax(s->width - left - right, 40), room_y = fmax(s->height - top - below, 40);
    double lx = l->x.max - l->x.min, ly = l->y.max - l->y.min, width = room_x, height = room_y;
    if (!f->stretch && lx <= LONGEST * ly && ly <= LONGEST * lx) {
        double scale = fmin(room_x / lx, room_y / ly);
        width = fmax(round(lx * scale), 8);
        height = fmax(round(ly * scale), 8);
    }
    double bar_height = fmin(fmax(height, (l->missing ? 9 : 7) * text), room_y);
    double more = fmax(ceil((bar_height - height) / 2), 0); /* the bar of a flat box is longer above and below */
    top += more;
    below = fmax(below, more + s->margin + 0.4 * text);
    if (s->free_height) s->height = fmax(ceil(top + height + below), 200);
    if (s->free_width) s->width = fmax(ceil(left + width + right), 0.5 * s->width);
    double x0 = floor(left + (s->width - left - right - width) / 2);
    double y0 = floor(top + fmax(s->height - top - below - height, 0) / 2);
    l->box = (rw_box){x0, y0, x0 + floor(width), y0 + floor(height)};
    l->bar = (rw_box){l->box.x1 + gap, y0 - more, l->box.x1 + gap + bar_width, l->box.y1 + more};
    rw_axis_place(&l->x, l->box.x0, l->box.x1, text, RW_AXIS_BELOW);
    rw_axis_place(&l->y, f->down ? l->box.y0 : l->box.y1, f->down ? l->box.y1 : l->box.y0, text, RW_AXIS_LEFT);
}

static int arrows_along(double side, double step, size_t cells)
{
    return RW_MAX((int)fmin(side / step, (double)cells), 1);
}

/* The two strokes of the head of an arrow at its tip, whose direction on the page is e. */
static void draw_head(rw_canvas *canvas, double x, double y, const double e[2], double length, double width)
{
    for (int side = -1; side <= 1; side += 2)
        rw_canvas_segment(canvas, x, y, x - length * (0.87 * e[0] - side * 0.5 * e[1]),
                          y - length * (0.87 * e[1] + side * 0.5 * e[0]), width);
}

/* Arrows in the middle of squares of the box, as long as the side where the modulus is the largest one that is drawn:
 * white with a dark edge, which shows on all colours. No more than one arrow for each cell, so that those of a coarse
 * field are larger, up to twice. */
static void draw_arrows(rw_canvas *canvas, const layout *l, const rw_figure_field *f, const double *const arrow[2])
{
    const double text = l->sheet.text, step = 2.2 * text, dx = (l->x.max - l->x.min) / (double)f->nx,
                 dy = (l->y.max - l->y.min) / (double)f->ny, largest = fmax(fabs(l->value.min), fabs(l->value.max));
    const rw_box *b = &l->box;
    const int across = arrows_along(b->x1 - b->x0, step, f->nx), up = arrows_along(b->y1 - b->y0, step, f->ny);
    const double room = fmin((b->x1 - b->x0) / across, (b->y1 - b->y0) / up), longest = 0.9 * fmin(room, 2 * step);
    rw_canvas_clip(canvas, b->x0, b->y0, b->x1, b->y1);
    for (int edge = 1; edge >= 0; edge--) {
        const double width = (edge ? 0.24 : 0.1) * text;
        for (int k = 0; k < across * up; k++) {
            const double x = b->x0 + (b->x1 - b->x0) * (k % across + 0.5) / across,
                         y = b->y0 + (b->y1 - b->y0) * ((double)(k / across) + 0.5) / up;
            const double at_x = l->x.min + (l->x.max - l->x.min) * (k % across + 0.5) / across,
                         at_y = l->y.max - (l->y.max - l->y.min) * ((double)(k / across) + 0.5) / up;
            const size_t i = RW_MIN((size_t)((at_x - l->x.min) / dx), f->nx - 1),
                         j = RW_MIN((size_t)((at_y - l->y.min) / dy), f->ny - 1);
            const double u = arrow[0][j * f->nx + i], v = arrow[1][j * f->nx + i], modulus = hypot(u, v);
            const double length = longest * fmin(modulus / largest, 1);
            if (!(length > 0.25 * text)) continue; /* NaN too */
            const double ex = u / modulus, ey = -v / modulus, head = fmin(0.5 * length, 0.55 * text),
                         tip_x = x + ex * length / 2, tip_y = y + ey * length / 2;
            rw_canvas_segment(canvas, x - ex * length / 2, y - ey * length / 2, tip_x, tip_y, width);
            draw_head(canvas, tip_x, tip_y, (double[]){ex, ey}, head, width);
        }
        rw_canvas_ink(canvas, edge ? rw_ink : (rw_color){255, 255, 255}, 1);
    }
    rw_canvas_unclip(canvas);
}

/* One streamline with heads of arrows evenly along it, where it is long enough for one. */
static void draw_streamline(rw_canvas *canvas, const layout *l, int n, const double (*point)[2], double width)
{
    const double head = 0.42 * l->sheet.text, every = 20 * l->sheet.text;
    double length = 0;
    for (int pass = 0; pass < 2; pass++) {
        const int heads = length < 6 * head ? 0 : RW_MAX((int)(length / every + 0.5), 1);
        double done = 0, next = pass && heads ? length / heads / 2 : INFINITY;
        for (int i = 1; i < n; i++) {
            const double x0 = rw_axis_pixel(&l->x, point[i - 1][0]), y0 = rw_axis_pixel(&l->y, point[i - 1][1]),
                         x1 = rw_axis_pixel(&l->x, point[i][0]), y1 = rw_axis_pixel(&l->y, point[i][1]),
                         step = hypot(x1 - x0, y1 - y0);
            if (!pass) rw_canvas_segment(canvas, x0, y0, x1, y1, width);
            done += step;
            if (done < next) continue;
            draw_head(canvas, x1, y1, (double[]){(x1 - x0) / step, (y1 - y0) / step}, head, width);
            next += length / heads;
        }
        length = done;
    }
}

/* White with a dark edge, like arrows. */
static void draw_streamlines(rw_canvas *canvas, const layout *l, const rw_streamlines *lines)
{
    const rw_box *b = &l->box;
    const double text = l->sheet.text;
    rw_canvas_clip(canvas, b->x0, b->y0, b->x1, b->y1);
    for (int edge = 1; edge >= 0; edge--) {
        for (int i = 0; i < lines->n; i++)
            draw_streamline(canvas, l, lines->offset[i + 1] - lines->offset[i],
                            (const double(*)[2])lines->point + lines->offset[i], (edge ? 0.16 : 0.07) * text);
        rw_canvas_ink(canvas, edge ? rw_ink : (rw_color){255, 255, 255}, 1);
    }
    rw_canvas_unclip(canvas);
}

/* arrow, lines: optional. */
static rw_status write_field(rw_context *ctx, const char *path, const rw_figure_page *page, const rw_figure_field *f,
                             const double *const arrow[2], const rw_streamlines *lines)
{
    layout l = {0};
    rw_canvas canvas;
    double low = 0, high = 0;
    RW_TRY(rw_figure_check_field(ctx, path, f));
    RW_TRY(rw_figure_sheet(ctx, path, page, 1400, 1100, &l.sheet));
    bool any = rw_figure_extremes(f->values, f->nx * f->ny, f->value.log, &low, &high, &l.missing);
    rw_figure_value_axis(&f->value, f->map, any, low, high, &l.value);
    rw_axis_limits(&l.x, f->x0, f->x0 == f->x1 ? f->x0 + (double)f->nx : f->x1, false);
    rw_axis_limits(&l.y, f->y0, f->y0 == f->y1 ? f->y0 + (double)f->ny : f->y1, false);
    lay_out(&l, f);

    RW_TRY(rw_canvas_create(ctx, (int)l.sheet.width, (int)l.sheet.height, &canvas));
    double text = l.sheet.text;
    ptrdiff_t row = (ptrdiff_t)f->nx;
    const rw_figure_cells cells = {f->nx, f->ny, 1, f->down ? -row : row,
                                   f->down ? f->values + (f->ny - 1) * f->nx : f->values};
    rw_figure_cells_draw(&canvas, &cells, &l.box, &l.value, f->map);
    if (arrow) draw_arrows(&canvas, &l, f, arrow);
    if (lines) draw_streamlines(&canvas, &l, lines);
    rw_figure_frame(&canvas, &l.box, text);
    rw_axis_draw(&canvas, &l.x, l.box.y1, text, RW_AXIS_BELOW, f->x_label);
    rw_axis_draw(&canvas, &l.y, l.box.x0, text, RW_AXIS_LEFT, f->y_label);
    rw_figure_bar_draw(&canvas, &l.bar, &l.value, f->map, text, f->value.label, l.missing);
    rw_figure_titles(&canvas, page, &l.sheet, (l.box.x0 + l.box.x1) / 2);
    return rw_figure_save(ctx, path, &canvas);
}

rw_status rw_figure_write_arrows(rw_context *ctx, const char *path, const rw_figure_page *page,
                                 const rw_figure_field *field, const double *const arrow[2])
{
    return write_field(ctx, path, page, field, arrow, NULL);
}

rw_status rw_figure_write_streamlines(rw_context *ctx, const char *path, const rw_figure_page *page,
                                      const rw_figure_field *field, const rw_streamlines *lines)
{
    return write_field(ctx, path, page, field, NULL, lines);
}

rw_status rw_figure_write_field_sized(rw_context *ctx, const char *path, const rw_figure_page *page,
                                      const rw_figure_field *field, size_t page_size, size_t field_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(field, "field");
    RW_STRUCT_IN(ctx, rw_figure_page, page, page_size);
    RW_STRUCT_IN(ctx, rw_figure_field, field, field_size);
    return write_field(ctx, path, page, field, NULL, NULL);
}
