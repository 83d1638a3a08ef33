/* Parts of figures (see figure_parts.h): page, titles, limits, coloured cells, colour bar. */
#include "io/figure_parts.h"

#include <math.h>
#include <string.h>

#include "io/raster.h"

rw_status rw_figure_sheet(rw_context *ctx, const char *path, const rw_figure_page *page, int width, int height,
                          rw_sheet *sheet)
{
    static const rw_figure_page none = {0};
    if (!page) page = &none;
    *sheet = (rw_sheet){.free_width = page->width == 0, .free_height = page->height == 0};
    int w = page->width ? page->width : width, h = page->height ? page->height : height;
    if (w < 200 || h < 200 || w > 16384 || h > 16384)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: a page of %d x %d pixels: sizes from 200 to 16384 can be drawn", path,
                       w, h);
    double text = page->text == 0 ? fmax(fmin(w, h) / 50.0, 12) : page->text;
    if (!(text >= 6 && text <= fmin(w, h) / 8.0))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: text of %g pixels on a page of %d x %d: must be 6 to an eighth "
                       "of the page",
                       path, page->text, w, h);
    sheet->width = w;
    sheet->height = h;
    sheet->text = text;
    sheet->margin = round(0.9 * text);
    sheet->top = sheet->margin;
    if (page->title && *page->title) sheet->top += 1.3 * text * RW_FONT_CAP + 0.7 * text;
    if (page->subtitle && *page->subtitle) sheet->top += text * RW_FONT_CAP + 0.7 * text;
    return RW_OK;
}

/* Draws a line centred about `middle`, moved or shrunk so that it stays on the page. */
static void centred(rw_canvas *canvas, const rw_sheet *sheet, const char *text, double middle, double base, double size,
                    double weight, rw_color color)
{
    double room = sheet->width - 2 * sheet->margin, width = rw_font_width(text, size);
    if (width > room) {
        size = fmax(size * room / width, 8);
        width = rw_font_width(text, size);
    }
    middle = fmin(fmax(middle, sheet->margin + width / 2), fmax(sheet->width - sheet->margin - width / 2, width / 2));
    rw_font_draw(canvas, text, middle, base, size, RW_TEXT_CENTER, false, weight, color);
}

void rw_figure_titles(rw_canvas *canvas, const rw_figure_page *page, const rw_sheet *sheet, double middle)
{
    const rw_color grey = {95, 95, 100};
    double y = sheet->margin, text = sheet->text;
    if (page && page->title && *page->title) {
        y += 1.3 * text * RW_FONT_CAP;
        centred(canvas, sheet, page->title, middle, y, 1.3 * text, 1.1, rw_ink);
        y += 0.7 * text;
    }
    if (page && page->subtitle && *page->subtitle)
        centred(canvas, sheet, page->subtitle, middle, y + text * RW_FONT_CAP, text, 1, grey);
}

void rw_figure_frame(rw_canvas *canvas, const rw_box *box, double text)
{
    double w = fmax(1, round(text / 16));
    rw_canvas_fill(canvas, box->x0 - w, box->y0 - w, box->x1 + w, box->y0, rw_frame);
    rw_canvas_fill(canvas, box->x0 - w, box->y1, box->x1 + w, box->y1 + w, rw_frame);
    rw_canvas_fill(canvas, box->x0 - w, box->y0, box->x0, box->y1, rw_frame);
    rw_canvas_fill(canvas, box->x1, box->y0, box->x1 + w, box->y1, rw_frame);
}

rw_color rw_figure_color(int i)
{
    enum { COLORS = 8 };
    /* lightness, chroma, hue in OKLab: neighbours differ in both lightness and hue */
    static const double lch[COLORS][3] = {{0.50, 0.15, 257}, {0.62, 0.19, 40},  {0.56, 0.13, 155}, {0.45, 0.16, 350},
                                          {0.75, 0.14, 78},  {0.66, 0.11, 225}, {0.52, 0.17, 305}, {0.42, 0.02, 260}};
    const double *c = lch[i % COLORS], h = c[2] * 3.14159265358979323846 / 180;
    double rgb[3], light = i / COLORS % 2 ? 0.16 : 0; /* the second round is paler */
    rw_oklab_to_srgb((double[]){c[0] + light, c[1] * cos(h), c[1] * sin(h)}, rgb);
    return (rw_color){(uint8_t)(rgb[0] * 255 + 0.5), (uint8_t)(rgb[1] * 255 + 0.5), (uint8_t)(rgb[2] * 255 + 0.5)};
}

rw_status rw_figure_save(rw_context *ctx, const char *path, rw_canvas *canvas)
{
    rw_status status = rw_raster_write_png(ctx, path,
                                           &(rw_raster){.width = (size_t)canvas->width,
                                                        .height = (size_t)canvas->height,
                                                        .channels = 3,
                                                        .bytes = 1,
                                                        .maximum = 255,
                                                        .samples = canvas->rgb});
    rw_canvas_free(canvas);
    return status;
}

bool rw_figure_extremes(const double *values, size_t n, bool log, double *low, double *high, bool *missing)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || (log && values[i] <= 0)) {
            *missing = true;
            continue;
        }
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
    return *low <= *high;
}

rw_status rw_figure_check_axis(rw_context *ctx, const char *path, const char *what, const rw_figure_axis *axis)
{
    bool above = axis->min == axis->max || fmin(axis->min, axis->max) > 0 || !axis->log;
    if (!isfinite(axis->min) || !isfinite(axis->max) || !above)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: limits %g to %g of %s: must be finite%s, or 0, 0 for automatic "
                       "limits",
                       path, axis->min, axis->max, what, axis->log ? " and above 0" : "");
    return RW_OK;
}

void rw_figure_value_axis(const rw_figure_axis *asked, rw_colormap map, bool any, double low, double high,
                          rw_axis *axis)
{
    if (asked->min != asked->max) {
        low = asked->min;
        high = asked->max;
    } else if (!any) {
        low = asked->log ? 0.1 : 0;
        high = 1;
    } else if (map == RW_COLORMAP_DIVERGING && !asked->log) {
        high = fmax(fabs(low), fabs(high));
        if (high == 0) high = 1;
        low = -high;
    }
    rw_axis_limits(axis, low, high, asked->log);
}

/* Mean of the finite cells of a range; NaN when more than half are missing. */
static double mean_of(const rw_figure_cells *c, size_t i0, size_t i1, size_t j0, size_t j1, bool log)
{
    double sum = 0;
    size_t n = 0;
    if (i1 == i0 + 1 && j1 == j0 + 1) return c->values[(ptrdiff_t)i0 * c->stride_i + (ptrdiff_t)j0 * c->stride_j];
    for (size_t j = j0; j < j1; j++)
        for (size_t i = i0; i < i1; i++) {
            double v = c->values[(ptrdiff_t)i * c->stride_i + (ptrdiff_t)j * c->stride_j];
            if (!isfinite(v) || (log && v <= 0)) continue;
            sum += v;
            n++;
        }
    return 2 * n >= (i1 - i0) * (j1 - j0) ? sum / (double)n : NAN;
}

/* Cells first .. *after - 1 of n that pixel p of `pixels` shows: those whose centres lie in it, or the nearest one. */
static size_t cells_of_pixel(int p, int pixels, size_t n, bool nearest, size_t *after)
{
    size_t first, last;
    if (nearest || n <= (size_t)pixels) {
        first = (size_t)((p + 0.5) * (double)n / pixels);
        last = first + 1;
    } else {
        first = (size_t)ceil(p * ((double)n / pixels) - 0.5);
        last = (size_t)ceil((p + 1) * ((double)n / pixels) - 0.5);
    }
    first = RW_MIN(first, n - 1);
    *after = RW_MIN(RW_MAX(last, first + 1), n);
    return first;
}

void rw_figure_cells_draw(rw_canvas *canvas, const rw_figure_cells *cells, const rw_box *box, const rw_axis *value,
                          rw_colormap map)
{
    enum { COLORS = 1024 };
    uint8_t table[COLORS][3], missing[3];
    for (int i = 0; i < COLORS; i++) rw_colormap_rgb(map, (double)i / (COLORS - 1), table[i]);
    rw_colormap_missing(map, missing);
    rw_axis t = *value; /* pixels of this axis: 0 .. COLORS - 1 */
    t.start = 0;
    t.end = COLORS - 1;
    int x0 = (int)box->x0, y0 = (int)box->y0, nx = (int)box->x1 - x0, ny = (int)box->y1 - y0;
    for (int y = 0; y < ny; y++) {
        size_t j1, j0 = cells_of_pixel(ny - 1 - y, ny, cells->nj, map == RW_COLORMAP_CYCLIC, &j1);
        for (int x = 0; x < nx; x++) {
            size_t i1, i0 = cells_of_pixel(x, nx, cells->ni, map == RW_COLORMAP_CYCLIC, &i1);
            double v = mean_of(cells, i0, i1, j0, j1, value->log);
            double at = isfinite(v) ? rw_axis_pixel(&t, v) : NAN;
            const uint8_t *rgb = isnan(at) ? missing : table[(int)(fmin(fmax(at, 0), COLORS - 1) + 0.5)];
            rw_canvas_pixel(canvas, x0 + x, y0 + y, rgb);
        }
    }
}

static const char missing_text[] = "no value";

double rw_figure_bar_depth(const rw_axis *value, double text, const char *label, bool missing)
{
    double depth = rw_axis_depth(value, text, RW_AXIS_RIGHT, label);
    return missing ? fmax(depth, 0.6 * text + rw_font_width(missing_text, text)) : depth;
}

void rw_figure_bar_draw(rw_canvas *canvas, const rw_box *bar, rw_axis *value, rw_colormap map, double text,
                        const char *label, bool missing)
{
    rw_box b = *bar;
    if (missing) { /* a square below the bar */
        uint8_t c[3];
        rw_colormap_missing(map, c);
        rw_box key = {b.x0, b.y1 - round(b.x1 - b.x0), b.x1, b.y1};
        rw_canvas_fill(canvas, key.x0, key.y0, key.x1, key.y1, (rw_color){c[0], c[1], c[2]});
        rw_figure_frame(canvas, &key, text);
        rw_font_draw(canvas, missing_text, key.x1 + 0.6 * text, (key.y0 + key.y1) / 2 + RW_FONT_CAP / 2 * text, text,
                     RW_TEXT_LEFT, false, 1, rw_ink);
        b.y1 = key.y0 - round(0.9 * text);
    }
    for (int y = (int)b.y0; y < (int)b.y1; y++) {
        uint8_t rgb[3];
        rw_colormap_rgb(map, (b.y1 - y - 0.5) / (b.y1 - b.y0), rgb);
        for (int x = (int)b.x0; x < (int)b.x1; x++) rw_canvas_pixel(canvas, x, y, rgb);
    }
    rw_figure_frame(canvas, &b, text);
    rw_axis_place(value, b.y1, b.y0, text, RW_AXIS_RIGHT);
    rw_axis_draw(canvas, value, b.x1, text, RW_AXIS_RIGHT, label);
}

rw_status rw_figure_check_field(rw_context *ctx, const char *path, const rw_figure_field *f)
{
    size_t bytes;
    if (f->nx == 0 || f->ny == 0 || !rw_io_bytes(2, (size_t[]){f->nx, f->ny}, sizeof(double), &bytes) || !f->values)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %zu x %zu values: at least one in each direction is needed", path,
                       f->nx, f->ny);
    if (!isfinite(f->x0 + f->x1 + f->y0 + f->y1))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: the rectangle [%g, %g] x [%g, %g] must be finite", path, f->x0, f->x1,
                       f->y0, f->y1);
    return rw_figure_check_axis(ctx, path, "the values", &f->value);
}
